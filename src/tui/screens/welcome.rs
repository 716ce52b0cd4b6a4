//! The first screen, when no profile is set up: the sandbox, or a base URL and a key, checked before they
//! are kept.

use crate::api::ApiKey;
use crate::config::{Environment, NewProfile};
use crate::tui::action::Action;
use crate::tui::ask::{Answer, Ask, Candidate, Ticket};
use crate::tui::env::{Env, Go, Out};
use crate::tui::field::{Field, Focus};
use crate::tui::fit::{fit, wrap};
use crate::tui::keymap::Context;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use secrecy::SecretString;

const LABELS: [&str; 4] = ["Name", "Environment", "Base URL", "API key"];
const ENVIRONMENTS: [Environment; 3] = [Environment::Live, Environment::Staging, Environment::Demo];

/// The first screen.
pub struct Welcome {
    form: Option<Form>,
    ticket: Option<Ticket>,
    error: Option<String>,
    warning: Option<String>,
}

struct Form {
    name: Field,
    environment: usize,
    base_url: Field,
    key: Field,
    focus: Focus,
}

impl Welcome {
    /// With a warning about the configuration, where there is one.
    pub fn new(warning: Option<String>) -> Self {
        Self { form: None, ticket: None, error: None, warning }
    }

    /// With a sandbox on its way, and nothing to choose.
    pub fn starting(out: &mut Out<'_>) -> Self {
        Self { form: None, ticket: Some(out.ask(Ask::StartSandbox)), error: None, warning: None }
    }

    /// The contexts that its keys are looked up in.
    pub fn stack(&self) -> Vec<Context> {
        match self.form {
            // While it is checked, or a sandbox starts, there is nothing to type or to choose.
            _ if self.ticket.is_some() => vec![Context::Always],
            Some(_) => vec![Context::Form, Context::Always],
            None => vec![Context::Welcome, Context::Always],
        }
    }

    /// Does an action; false when it is none of this screen's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        match (action, &mut self.form) {
            (Action::ChooseSandbox, _) => {
                self.error = None;
                out.ask_instead(&mut self.ticket, Ask::StartSandbox);
            }
            (Action::ChooseService, _) => {
                self.error = None;
                self.form = Some(Form {
                    name: Field::with("main"),
                    environment: 0,
                    base_url: Field::default(),
                    key: Field::secret(),
                    focus: Focus { at: 2 },
                });
            }
            (Action::NextField, Some(form)) => form.focus.next(LABELS.len()),
            (Action::PreviousField, Some(form)) => form.focus.previous(LABELS.len()),
            (Action::ClearField, Some(form)) => {
                if let Some(field) = form.field() {
                    field.clear();
                }
            }
            (Action::Accept, Some(form)) => {
                if form.focus.at + 1 < LABELS.len() {
                    form.focus.next(LABELS.len());
                } else {
                    self.check(out);
                }
            }
            (Action::Back, Some(_)) => {
                out.cancel(self.ticket.take());
                self.form = None;
                self.error = None;
            }
            (Action::Quit | Action::Back, None) => out.go.push(Go::Quit),
            _ => return false,
        }
        true
    }

    fn check(&mut self, out: &mut Out<'_>) {
        let Some(form) = &self.form else { return };
        match ApiKey::new(form.key.value()) {
            Err(error) => self.error = Some(error.to_string()),
            Ok(_) => {
                self.error = None;
                let profile = NewProfile::new(
                    form.name.value().trim(),
                    ENVIRONMENTS[form.environment],
                    form.base_url.value().trim(),
                );
                let candidate = Candidate { profile, key: SecretString::from(form.key.value().trim()) };
                out.ask_instead(&mut self.ticket, Ask::TryProfile(candidate));
            }
        }
    }

    /// Takes a key that is typed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        if self.ticket.is_some() {
            return false;
        }
        let Some(form) = &mut self.form else { return false };
        let len = ENVIRONMENTS.len();
        match (form.field(), key.code) {
            (Some(field), _) => field.key(key),
            (None, KeyCode::Right | KeyCode::Char(' ')) => {
                form.environment = (form.environment + 1) % len;
                true
            }
            (None, KeyCode::Left) => {
                form.environment = (form.environment + len - 1) % len;
                true
            }
            _ => false,
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if self.ticket.is_some() {
            return;
        }
        if let Some(field) = self.form.as_mut().and_then(Form::field) {
            field.paste(text.trim());
        }
    }

    /// Takes an answer, or gives it back.
    pub fn receive(&mut self, ticket: Ticket, answer: Answer, out: &mut Out<'_>) -> Result<(), Answer> {
        match answer {
            Answer::Connected(result) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match result {
                    Ok(session) => out.go.push(Go::Connect(session)),
                    Err(error) => self.error = Some(error),
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let room = usize::from(area.width).saturating_sub(4);
        let theme = &env.theme;
        let mut lines: Vec<Line<'static>> = Vec::new();
        let put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        lines.push(Line::raw(""));
        put(&mut lines, "Welcome to lapel", theme.strong());
        lines.push(Line::raw(""));
        if let Some(warning) = &self.warning {
            put(&mut lines, warning, theme.warning());
            lines.push(Line::raw(""));
        }
        match &self.form {
            None if self.ticket.is_some() => {
                put(&mut lines, &format!("{} starting the sandbox", env.spinner()), theme.dim());
            }
            None => {
                put(
                    &mut lines,
                    "No profile is set up yet. lapel needs one to talk to a badge issuing service.",
                    theme.text(),
                );
                lines.push(Line::raw(""));
                for (action, words) in [
                    (
                        Action::ChooseSandbox,
                        "look around in the sandbox: the service in miniature, with invented people, on this computer only",
                    ),
                    (
                        Action::ChooseService,
                        "set up a service: its base URL and an API key from the issuer back office",
                    ),
                    (Action::Quit, "leave"),
                ] {
                    let key = env.keymap.key(&[Context::Welcome], action).unwrap_or_default();
                    for (i, line) in wrap(words, room.saturating_sub(6)).into_iter().enumerate() {
                        let key = if i == 0 { key.as_str() } else { "" };
                        lines.push(Line::from(vec![
                            Span::raw("    "),
                            Span::styled(fit(key, 3, ""), theme.key()),
                            Span::raw(line),
                        ]));
                    }
                }
                lines.push(Line::raw(""));
                put(
                    &mut lines,
                    "Scripts and containers can set LAPEL_BASE_URL and LAPEL_API_KEY instead; lapel --help tells more.",
                    theme.dim(),
                );
            }
            Some(form) => {
                for (at, label) in LABELS.iter().enumerate() {
                    let focused = form.focus.at == at;
                    let mut spans = vec![
                        Span::styled(
                            format!("  {}", fit(label, 12, "")),
                            if focused { theme.strong() } else { theme.dim() },
                        ),
                        Span::styled(if focused { env.glyphs.cursor } else { " " }, theme.accent()),
                    ];
                    match at {
                        0 => spans.extend(form.name.spans(room.saturating_sub(14), focused, env)),
                        2 => spans.extend(form.base_url.spans(room.saturating_sub(14), focused, env)),
                        3 => spans.extend(form.key.spans(room.saturating_sub(14), focused, env)),
                        _ => {
                            for (i, environment) in ENVIRONMENTS.iter().enumerate() {
                                let sign = if i == form.environment { env.glyphs.on } else { env.glyphs.off };
                                spans.push(Span::raw(format!("{sign} {environment}   ")));
                            }
                            spans.push(Span::styled("space changes", theme.dim()));
                        }
                    }
                    lines.push(Line::from(spans));
                }
                lines.push(Line::raw(""));
                put(
                    &mut lines,
                    "The base URL ends in /api/v1/ext. The key is asked of the service with one ping before anything is kept; it is then kept in a file that only you can read.",
                    theme.dim(),
                );
                lines.push(Line::raw(""));
                let text =
                    format!("{} on the last field checks and keeps it.  esc goes back.", env.glyphs.enter);
                put(&mut lines, &text, theme.dim());
            }
        }
        if self.ticket.is_some() && self.form.is_some() {
            lines.push(Line::raw(""));
            put(&mut lines, &format!("{} one moment", env.spinner()), theme.dim());
        }
        if let Some(error) = &self.error {
            lines.push(Line::raw(""));
            put(&mut lines, &format!("{error} Nothing was kept."), theme.error());
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Form {
    fn field(&mut self) -> Option<&mut Field> {
        match self.focus.at {
            0 => Some(&mut self.name),
            2 => Some(&mut self.base_url),
            3 => Some(&mut self.key),
            _ => None,
        }
    }
}
