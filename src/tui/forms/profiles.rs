//! The list of profiles: one is opened, and everything of the one before goes.

use super::profile::{ProfileForm, Step};
use crate::config::ProfileLine;
use crate::domain::text::scrub;
use crate::tui::action::Action;
use crate::tui::ask::{Answer, Ask, Ticket};
use crate::tui::env::{Env, Go, Out};
use crate::tui::fit::{fit, width, wrap};
use crate::tui::keymap::Context;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// What is said where something is on its way to the service.
const SENDING: &str = "Something is being sent with this profile. Wait for it, or pause it on the Activity \
                       tab; then change the profile.";

/// The list, open.
pub struct Profiles {
    reading: Option<Ticket>,
    lines: Vec<ProfileLine>,
    at: usize,
    /// The profile that is being opened.
    opening: Option<Ticket>,
    form: Option<ProfileForm>,
    said: Option<String>,
}

impl Profiles {
    /// The list, about to be read.
    pub fn new(out: &mut Out<'_>) -> Self {
        Self {
            reading: Some(out.ask(Ask::Profiles)),
            lines: Vec::new(),
            at: 0,
            opening: None,
            form: None,
            said: None,
        }
    }

    /// The contexts that its keys are looked up in.
    pub fn stack(&self) -> Vec<Context> {
        let own = if self.form.is_some() { Context::Form } else { Context::Menu };
        vec![own, Context::Always]
    }

    /// Whether an action does something here now.
    pub fn offers(&self, action: Action) -> bool {
        match action {
            Action::Accept => self.opening.is_none() && self.reading.is_none(),
            Action::PageDown | Action::PageUp => false,
            _ => true,
        }
    }

    /// Does an action; false when it is none of the list's. `sending`: something is on its way that has
    /// consequences.
    pub fn act(&mut self, action: Action, sending: bool, out: &mut Out<'_>) -> bool {
        // While one is being opened there is only the way back.
        if self.opening.is_some() && action != Action::Back {
            return true;
        }
        if let (Some(form), true) = (&mut self.form, action != Action::Back) {
            match form.act(action) {
                Step::NotMine => return false,
                Step::Done => self.said = None,
                Step::Wrong(why) => self.said = Some(format!("{why} Nothing was kept.")),
                Step::Try(_) if sending => self.said = Some(SENDING.to_owned()),
                Step::Try(candidate) => {
                    self.said = None;
                    self.opening = Some(out.ask(Ask::TryProfile(candidate)));
                }
            }
            return true;
        }
        match action {
            Action::Down => self.at = (self.at + 1) % (self.lines.len() + 2),
            Action::Up => self.at = (self.at + self.lines.len() + 1) % (self.lines.len() + 2),
            Action::Accept => self.accept(sending, out),
            Action::Back => self.back(out),
            _ => return false,
        }
        true
    }

    fn accept(&mut self, sending: bool, out: &mut Out<'_>) {
        if self.reading.is_some() {
            return;
        }
        self.said = None;
        let adding = self.at == self.lines.len();
        if adding {
            self.form = Some(ProfileForm::new(if self.lines.is_empty() { "main" } else { "" }));
        } else if sending {
            self.said = Some(SENDING.to_owned());
        } else {
            let ask = match self.lines.get(self.at) {
                Some(line) => Ask::OpenProfile(Some(line.name.clone())),
                None => Ask::StartSandbox,
            };
            self.opening = Some(out.ask(ask));
        }
    }

    fn back(&mut self, out: &mut Out<'_>) {
        self.said = None;
        if self.opening.is_some() {
            out.cancel(self.opening.take());
        } else if self.form.is_some() {
            self.form = None;
        } else {
            out.cancel(self.reading.take());
            out.go.push(Go::Close);
        }
    }

    /// Takes a key that is typed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.opening.is_none() && self.form.as_mut().is_some_and(|form| form.key(key))
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let (Some(form), None) = (&mut self.form, self.opening) {
            form.paste(text);
        }
    }

    /// Takes an answer, or gives it back.
    pub fn receive(&mut self, ticket: Ticket, answer: Answer, out: &mut Out<'_>) -> Result<(), Answer> {
        match answer {
            Answer::Profiles(read) if self.reading == Some(ticket) => {
                self.reading = None;
                match read {
                    Ok(lines) => self.lines = lines,
                    Err(why) => self.said = Some(why),
                }
                Ok(())
            }
            Answer::Connected(opened) if self.opening == Some(ticket) => {
                self.opening = None;
                match opened {
                    Ok(session) => out.go.push(Go::Connect(session)),
                    Err(why) => {
                        let kept = if self.form.is_some() { " Nothing was kept." } else { "" };
                        self.said = Some(format!("{why}{kept}"));
                    }
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let head = if self.form.is_some() { "A new profile" } else { "Profiles" };
        lines.push(Line::styled(format!("  {head}"), theme.strong()));
        lines.push(Line::raw(""));
        match &self.form {
            Some(form) => lines.extend(form.lines(room, env)),
            None => {
                // Around the selected one, where there are more than there is room for.
                let rows = usize::from(area.height).saturating_sub(9).max(1);
                let all = self.rows(room, env);
                let top = self.at.saturating_sub(rows.saturating_sub(1)).min(all.len().saturating_sub(rows));
                lines.extend(all.into_iter().skip(top).take(rows));
                lines.push(Line::raw(""));
                let demo = env.session.as_ref().is_some_and(|session| session.journal.is_none());
                let then = if demo { " The demo's jobs end with it." } else { "" };
                let text = format!(
                    "{} opens it: whatever is shown of the profile before goes, and its jobs are let go of in good order.{then}",
                    env.glyphs.enter
                );
                lines.extend(
                    wrap(&text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())),
                );
            }
        }
        let waits = match (&self.form, self.reading, self.opening) {
            (_, Some(_), _) => Some("reading the profiles"),
            (Some(_), _, Some(_)) => Some("asking the service about the key"),
            (None, _, Some(_)) => Some("opening it: asking for its key"),
            _ => None,
        };
        if let Some(waits) = waits {
            lines.push(Line::raw(""));
            lines.push(Line::styled(format!("  {} {waits}", env.spinner()), theme.dim()));
        }
        if let Some(said) = &self.said {
            lines.push(Line::raw(""));
            for part in said.lines() {
                let wrapped = wrap(&scrub(part), room);
                lines.extend(wrapped.into_iter().map(|l| Line::styled(format!("  {l}"), theme.error())));
            }
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }

    /// A row for each profile, and the two below them.
    fn rows(&self, room: usize, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let used = env.session.as_ref().map(|session| session.name.as_str());
        let name = |line: &ProfileLine| {
            let here = if used == Some(line.name.as_str()) { " (in use)" } else { "" };
            format!("{}{here}", line.name)
        };
        let names = self.lines.iter().map(|line| width(&name(line))).max().unwrap_or(0).max(7);
        let words = if self.lines.iter().any(|line| line.read_only) { 17 } else { 7 };
        let mut rows: Vec<Line<'static>> = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let word = if line.read_only {
                format!("{} read-only", line.environment)
            } else {
                line.environment.to_string()
            };
            let label = scrub(line.organisation.as_deref().unwrap_or(&line.base_url)).into_owned();
            let text = format!(
                "{}  {}  {label}  key from {}",
                fit(&name(line), names, env.glyphs.ellipsis),
                fit(&word, words, env.glyphs.ellipsis),
                line.key_from
            );
            rows.push(self.row(i, &text, room, env));
        }
        rows.push(self.row(self.lines.len(), "add a profile", room, env));
        rows.push(self.row(
            self.lines.len() + 1,
            "the sandbox: the service in miniature, nothing real",
            room,
            env,
        ));
        if self.lines.is_empty() && self.reading.is_none() {
            rows.insert(0, Line::styled("  No profile is set up yet.", theme.dim()));
        }
        rows
    }

    fn row(&self, at: usize, text: &str, room: usize, env: &Env) -> Line<'static> {
        let selected = self.at == at;
        let sign = if selected { env.glyphs.cursor } else { " " };
        let style = if selected { env.theme.selected() } else { env.theme.text() };
        Line::from(vec![
            Span::styled(format!("{sign} "), env.theme.accent()),
            Span::styled(fit(text, room, env.glyphs.ellipsis), style),
        ])
    }
}
