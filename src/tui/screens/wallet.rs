//! The Wallet tab: one box, one answer. Wallet and history of a holder side by side, so that what the
//! wallet hides is seen.

use crate::domain::holder::{Held, join};
use crate::domain::{Address, BadgeId, EmailKey, Text};
use crate::export::{self, What};
use crate::jobs::Victim;
use crate::tui::action::Action;
use crate::tui::ask::{Answer, Ask, Holder, Ticket};
use crate::tui::browser::two_sided;
use crate::tui::env::{Env, Go, Out, Takeaway};
use crate::tui::field::Field;
use crate::tui::fit::{Column, cells, count, fit, layout, wrap};
use crate::tui::keymap::Context;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// What was found for an address.
struct Found {
    email: String,
    held: Vec<Held>,
    troubles: Vec<String>,
    /// Whether both lists were read: only then does one tell what the other lacks.
    both: bool,
    complete: bool,
    requests: u32,
    failed: bool,
}

/// The Wallet tab.
pub struct Wallet {
    field: Field,
    typing: bool,
    error: Option<String>,
    ticket: Option<Ticket>,
    asked: Option<String>,
    found: Option<Found>,
    at: usize,
    top: usize,
    height: usize,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            field: Field::default(),
            typing: true,
            error: None,
            ticket: None,
            asked: None,
            found: None,
            at: 0,
            top: 0,
            height: 1,
        }
    }
}

impl Wallet {
    /// The contexts that its keys are looked up in.
    pub fn stack(&self) -> Vec<Context> {
        if self.typing {
            vec![Context::Prompt, Context::Always]
        } else {
            vec![Context::Wallet, Context::List, Context::Global, Context::Always]
        }
    }

    /// Whether a time runs on the screen.
    pub fn is_running(&self, env: &Env) -> bool {
        let now = env.now();
        self.rows().iter().any(|held| held.verdict(now).is_running())
    }

    /// Looks up an address.
    pub fn look_up(&mut self, email: &str, out: &mut Out<'_>) {
        self.field.set(email);
        self.typing = false;
        self.error = None;
        self.at = 0;
        self.top = 0;
        self.found = None;
        self.asked = Some(email.to_owned());
        out.ask_instead(&mut self.ticket, Ask::Holder(email.to_owned()));
    }

    /// Reads again, with what is there still shown, when one of these badges is among it.
    pub fn refresh<'a>(&mut self, mut ids: impl Iterator<Item = &'a BadgeId>, out: &mut Out<'_>) {
        let concerned = ids.any(|id| self.rows().iter().any(|held| held.badge_id == *id));
        if let Some(email) = self.asked.clone().filter(|_| concerned) {
            out.ask_instead(&mut self.ticket, Ask::Holder(email));
        }
    }

    fn rows(&self) -> &[Held] {
        self.found.as_ref().map_or(&[], |f| f.held.as_slice())
    }

    /// Does an action; false when it is none of this tab's.
    pub fn act(&mut self, action: Action, env: &Env, out: &mut Out<'_>) -> bool {
        let last = self.rows().len().saturating_sub(1);
        let page = self.height.saturating_sub(1).max(1);
        match action {
            Action::Accept => match Address::check(self.field.value()) {
                Ok(address) => self.look_up(address.as_str(), out),
                Err(problem) => {
                    self.error = Some(format!(
                        "{problem}. Nothing was asked. This box takes an e-mail address; the filter of the History \
                         tab finds names, and the Badge tab opens a badge by its id."
                    ));
                }
            },
            Action::ClearField => self.field.clear(),
            Action::Back if self.typing => {
                // The box says again whose badges stand below it.
                self.typing = false;
                self.error = None;
                self.field.set(self.asked.as_deref().unwrap_or_default());
            }
            Action::LookUp => self.typing = true,
            Action::Export => match self.takeaway(env) {
                Ok(takeaway) => out.go.push(Go::Export(Box::new(takeaway))),
                Err(why) => out.say(why),
            },
            Action::Down => self.at = (self.at + 1).min(last),
            Action::Up => self.at = self.at.saturating_sub(1),
            Action::PageDown => self.at = (self.at + page).min(last),
            Action::PageUp => self.at = self.at.saturating_sub(page),
            Action::First => self.at = 0,
            Action::Last => self.at = last,
            Action::Reload => {
                if let Some(email) = self.asked.clone() {
                    out.ask_instead(&mut self.ticket, Ask::Holder(email));
                }
            }
            Action::Open => match self.rows().get(self.at) {
                Some(held) => out.go.push(Go::Badge(held.badge_id.clone(), held.reg_date().cloned())),
                None => self.typing = true,
            },
            Action::Revoke => match self.rows().get(self.at) {
                Some(held) => out.go.push(Go::Revoke(vec![Victim {
                    badge_id: held.badge_id.clone(),
                    holder: held.recipient_name().cloned().unwrap_or_default(),
                    email: self.asked.clone().map(Text::new).unwrap_or_default(),
                    title: held.title().cloned().unwrap_or_default(),
                    state: held.verdict(env.now()).state(),
                }])),
                None => out.say("There is no badge here to revoke."),
            },
            _ => return false,
        }
        true
    }

    /// The badges that are listed, for a file.
    fn takeaway(&self, env: &Env) -> Result<Takeaway, &'static str> {
        let found = self.found.as_ref().filter(|found| !found.held.is_empty());
        let Some(found) = found else { return Err("There are no badges here to export.") };
        let now = env.now();
        let rows: Vec<export::Row> = found.held.iter().map(|held| export::Row::of(held, now)).collect();
        let listed = rows.len() as u64;
        let is_all = found.both && found.complete;
        Ok(Takeaway {
            what: What::Rows(<Held as export::Record>::SHAPE.names(), rows),
            name: "wallet",
            head: format!(
                "{} of {}, from wallet and history",
                count(listed, "badge", "badges"),
                shown(Some(&found.email))
            ),
            rows: Some(listed),
            note: (!is_all).then(|| {
                "Not everything of this holder could be read: there may be more than that.".to_owned()
            }),
        })
    }

    /// Takes a key that is typed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        if self.typing && self.field.key(key) {
            self.error = None;
        }
        self.typing
    }

    /// Takes pasted text: into the box, wherever one is.
    pub fn paste(&mut self, text: &str) {
        if !self.typing {
            self.field.clear();
            self.typing = true;
        }
        self.error = None;
        self.field.paste(text.trim());
    }

    /// Takes an answer, or gives it back.
    pub fn receive(&mut self, ticket: Ticket, answer: Answer) -> Result<(), Answer> {
        match answer {
            Answer::Holder(holder) if self.ticket == Some(ticket) => {
                self.ticket = None;
                self.take(*holder);
                Ok(())
            }
            other => Err(other),
        }
    }

    fn take(&mut self, holder: Holder) {
        let mut troubles = Vec::new();
        let mut complete = true;
        let mut failed = true;
        let mut list =
            |name: &str, error: String| troubles.push(format!("the {name} could not be read: {error}"));
        let wallet = match holder.wallet {
            Ok((items, all)) => {
                complete &= all;
                failed = false;
                items
            }
            Err(error) => {
                list("wallet", error.to_string());
                Vec::new()
            }
        };
        let history = match holder.history {
            Ok((items, all)) => {
                complete &= all;
                failed = false;
                items
            }
            Err(error) => {
                list("history", error.to_string());
                Vec::new()
            }
        };
        let selected = self.rows().get(self.at).map(|held| held.badge_id.clone());
        self.found = Some(Found {
            email: self.asked.clone().unwrap_or_default(),
            held: join(wallet, history),
            both: troubles.is_empty(),
            troubles,
            complete,
            requests: holder.requests,
            failed,
        });
        let place = self.rows().iter().position(|held| Some(&held.badge_id) == selected.as_ref());
        self.at = place.unwrap_or(self.at).min(self.rows().len().saturating_sub(1));
    }

    /// Lays out for an area.
    pub fn pump(&mut self, area: Rect) {
        self.height = usize::from(area.height.saturating_sub(5)).max(1);
        if self.at < self.top {
            self.top = self.at;
        } else if self.at >= self.top + self.height {
            self.top = self.at + 1 - self.height;
        }
    }

    /// Selects the row at a screen row, for the mouse.
    pub fn click(&mut self, area: Rect, row: u16) -> bool {
        let first = area.y + 4;
        let place = self.top + usize::from(row.saturating_sub(first));
        if row >= first && place < self.rows().len() {
            self.at = place;
            self.typing = false;
            return true;
        }
        if row == area.y {
            self.typing = true;
            return true;
        }
        false
    }

    /// Draws the tab.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let line = |y: u16| Rect { y: area.y + y.min(area.height.saturating_sub(1)), height: 1, ..area };
        let mut spans = vec![
            Span::styled("  Holder ", env.theme.strong()),
            Span::styled(if self.typing { env.glyphs.cursor } else { " " }, env.theme.accent()),
        ];
        spans.extend(self.field.spans(usize::from(area.width).saturating_sub(14), self.typing, env));
        frame.render_widget(Line::from(spans), line(0));
        let rule = env.glyphs.rule.repeat(usize::from(area.width).saturating_sub(2));
        frame.render_widget(Line::styled(format!(" {rule}"), env.theme.dim()), line(1));
        let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        let room = usize::from(area.width).saturating_sub(4);
        let say = |frame: &mut Frame<'_>, text: &str, style| {
            let lines: Vec<Line<'_>> =
                wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)).collect();
            frame.render_widget(ratatui::text::Text::from(lines), body);
        };
        if let Some(error) = &self.error {
            say(frame, error, env.theme.error());
        } else if self.typing && self.found.as_ref().is_some_and(|f| f.email != self.field.value()) {
            say(frame, &format!("{} looks up this address.", env.glyphs.enter), env.theme.dim());
        } else if self.ticket.is_some() && self.found.is_none() {
            let text =
                format!("{} reading wallet and history of {}", env.spinner(), shown(self.asked.as_deref()));
            say(frame, &text, env.theme.dim());
        } else if let Some(found) = &self.found {
            self.draw_found(found, frame, body, env);
        } else {
            let text = format!("Type or paste the holder's e-mail address, then press {}.", env.glyphs.enter);
            say(frame, &text, env.theme.dim());
        }
    }

    fn draw_found(&self, found: &Found, frame: &mut Frame<'_>, body: Rect, env: &Env) {
        let now = env.now();
        let in_wallet = found.held.iter().filter(|h| h.wallet.is_some()).count() as u64;
        let only_history = found.held.len() as u64 - in_wallet;
        let mut names: Vec<String> = Vec::new();
        for name in found.held.iter().filter_map(Held::recipient_name).map(ToString::to_string) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let who = match names.as_slice() {
            [] => shown(Some(&found.email)),
            [one] => one.clone(),
            [first, rest @ ..] => {
                format!("{first} and {}", count(rest.len() as u64, "other name", "other names"))
            }
        };
        let dot = env.glyphs.dot;
        let text = if found.failed {
            format!("  {who}")
        } else if found.held.is_empty() && found.both && found.complete {
            format!("  No badge for {} in the wallet or the history.", shown(Some(&found.email)))
        } else if found.held.is_empty() {
            format!("  No badge found for {}, but not everything could be read.", shown(Some(&found.email)))
        } else if !found.both {
            format!(
                "  {who} {dot} {} in what could be read",
                count(found.held.len() as u64, "badge", "badges")
            )
        } else {
            let more = if only_history == 0 {
                String::new()
            } else {
                format!(" {dot} {only_history} more in the history")
            };
            let partly = if found.complete { "" } else { " (there may be more)" };
            format!("  {who} {dot} {} in the wallet{more}{partly}", count(in_wallet, "badge", "badges"))
        };
        let asked = count(u64::from(found.requests), "request", "requests");
        let top = Rect { height: 1, ..body };
        two_sided(
            frame,
            top,
            Line::styled(text, env.theme.strong()),
            Span::styled(asked, env.theme.dim()),
            false,
        );
        let mut y = body.y + 1;
        for trouble in &found.troubles {
            if y < body.bottom() {
                let text = fit(
                    &format!("  {} {trouble}", env.glyphs.alert),
                    usize::from(body.width),
                    env.glyphs.ellipsis,
                );
                frame.render_widget(Line::styled(text, env.theme.error()), Rect { y, height: 1, ..body });
            }
            y += 1;
        }
        if found.troubles.is_empty() {
            y += 1;
        }
        if found.held.is_empty() && found.both {
            let lines: Vec<Line<'_>> = nothing_found(&found.email)
                .iter()
                .flat_map(|text| wrap(text, usize::from(body.width).saturating_sub(4)))
                .map(|l| Line::styled(format!("  {l}"), env.theme.dim()))
                .collect();
            let room = body.bottom().saturating_sub(y);
            frame.render_widget(ratatui::text::Text::from(lines), Rect { y, height: room, ..body });
            return;
        }
        let view = View {
            several: names.len() > 1,
            both: found.both,
            now,
            key: EmailKey::of(&found.email),
            email: &found.email,
        };
        let widths = view.widths(usize::from(body.width));
        for (i, held) in found.held.iter().enumerate().skip(self.top).take(self.height) {
            if y >= body.bottom() {
                break;
            }
            let selected = i == self.at && !self.typing;
            let mut spans = vec![
                Span::styled(if selected { env.glyphs.cursor } else { " " }, env.theme.accent()),
                Span::raw(" "),
            ];
            spans.extend(cells(&view.cells(held, env), &widths, env.glyphs.ellipsis));
            let area = Rect { y, height: 1, ..body };
            frame.render_widget(Line::from(spans), area);
            if selected {
                frame.buffer_mut().set_style(area, env.theme.selected());
            }
            y += 1;
        }
    }
}

/// What to say, and to look at next, when there is nothing.
fn nothing_found(email: &str) -> Vec<String> {
    let mut said = vec![
        "That is not \u{201c}never accepted\u{201d}: a badge that waits for issue may not be shown yet, for up to a day."
            .to_owned(),
        "The filter of the History tab finds the name, should it have gone to another address.".to_owned(),
    ];
    if let Ok(address) = Address::check(email) {
        said.extend(address.warnings().iter().map(|w| format!("The address: {w}.")));
    }
    said
}

/// How the rows of one holder are shown.
struct View<'a> {
    /// The address has badges under several names.
    several: bool,
    both: bool,
    now: jiff::civil::DateTime,
    key: EmailKey,
    email: &'a str,
}

impl View<'_> {
    fn widths(&self, columns: usize) -> Vec<usize> {
        let name = Column {
            least: if self.several { 8 } else { 0 },
            share: usize::from(self.several),
            goes: u8::from(!self.several) * 9,
        };
        layout(
            &[
                Column { least: 16, share: 1, goes: 0 },
                name,
                Column { least: 12, share: 4, goes: 0 },
                Column { least: 22, share: 5, goes: 0 },
                Column { least: 11, share: 0, goes: 2 },
                Column { least: 5, share: 0, goes: 1 },
            ],
            columns.saturating_sub(3),
        )
    }

    fn cells(&self, held: &Held, env: &Env) -> Vec<(String, ratatui::style::Style)> {
        let verdict = held.verdict(self.now);
        let state = verdict.state();
        let (word, why) = verdict.line();
        let text = |t: Option<&Text>| t.map_or_else(|| env.glyphs.dash.to_owned(), ToString::to_string);
        let written = held.history.as_ref().and_then(|h| h.recipient_email.as_ref()).map(Text::wire);
        let other =
            written.filter(|w| *w != self.email && self.key.is(w)).map(|w| format!("to {}", shown(Some(w))));
        let place = match (&held.wallet, &held.history) {
            (None, Some(_)) if self.both => Some("not in the wallet".to_owned()),
            (Some(_), None) if self.both => Some("not in the history".to_owned()),
            _ => None,
        };
        // Where it is to be seen, and to which spelling it went, matter more to a caller than why.
        let notes: Vec<String> =
            [place, other, Some(why).filter(|w| !w.is_empty())].into_iter().flatten().collect();
        let issued = held.issued_at().map_or_else(|| env.glyphs.dash.to_owned(), |t| t.short(Some(self.now)));
        let mail = held.history.as_ref().and_then(|h| h.email_status.as_ref());
        vec![
            (format!("{} {word}", env.glyphs.state(&state)), env.theme.state(&state)),
            (text(held.recipient_name()), env.theme.text()),
            (text(held.title()), env.theme.text()),
            (notes.join("; "), env.theme.dim()),
            (issued, env.theme.dim()),
            (text(mail), env.theme.dim()),
        ]
    }
}

fn shown(text: Option<&str>) -> String {
    text.map_or(String::new(), |t| crate::domain::text::scrub(t).into_owned())
}
