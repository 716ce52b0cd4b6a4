//! Removal of a profile: the user types its name, then confirms.

use crate::config::ProfileLine;
use crate::domain::confirm_text::is_typed;
use crate::domain::text::scrub;
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::text_layout::{fit, wrap};
use crossterm::event::KeyEvent;
use ratatui::text::{Line, Span};

pub struct Removing {
    line: ProfileLine,
    field: Field,
    /// Whether the name is typed correctly and only the confirmation is missing.
    is_typed: bool,
}

/// Result of an action.
pub enum RemoveStep {
    /// The question does not handle this action.
    NotMine,
    /// The question handled the action.
    Done,
    /// The typed name is wrong. The text is a message.
    Wrong(String),
    /// Remove the profile with this name.
    Remove(String),
}

impl Removing {
    pub fn new(line: ProfileLine) -> Self {
        Self { line, field: Field::default(), is_typed: false }
    }

    pub fn context(&self) -> Context {
        if self.is_typed { Context::Review } else { Context::Form }
    }

    /// Goes back to the name. Returns false if the user is already there.
    pub fn back(&mut self) -> bool {
        std::mem::take(&mut self.is_typed)
    }

    pub fn on_action(&mut self, action: Action) -> RemoveStep {
        match action {
            Action::ClearField => self.field.clear(),
            Action::Accept if !self.is_typed => {
                self.is_typed = is_typed(self.field.value(), &self.line.name);
                if !self.is_typed {
                    let name = self.line.name.clone();
                    return RemoveStep::Wrong(t!("The profile name is {name}. Nothing was removed.", name));
                }
            }
            Action::Confirm if self.is_typed => return RemoveStep::Remove(self.line.name.clone()),
            Action::Accept
            | Action::Confirm
            | Action::NextField
            | Action::PreviousField
            | Action::PageDown
            | Action::PageUp => {}
            _ => return RemoveStep::NotMine,
        }
        RemoveStep::Done
    }

    /// Pasting the name is not possible.
    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        !self.is_typed && self.field.on_text_key(key)
    }

    pub fn lines(&self, room: usize, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let line = &self.line;
        let label = scrub(line.organisation.as_deref().unwrap_or(&line.base_url)).into_owned();
        let what = format!("{}  {}  {label}", line.name, line.environment);
        let mut lines =
            vec![Line::styled(format!("  {}", fit(&what, room, env.glyphs.ellipsis)), theme.accent())];
        let text = t!(
            "lapel removes the profile from the settings, and also its key if lapel stores the key. The journal keeps what was sent with it. Nothing changes at the service."
        );
        lines.push(Line::raw(""));
        lines.extend(wrap(text, room).into_iter().map(|l| Line::from(format!("  {l}"))));
        lines.push(Line::raw(""));
        if self.is_typed {
            let key = |action| env.key(&[self.context(), Context::Always], action);
            lines.push(Line::from(vec![
                Span::raw("  "),
                Span::styled(key(Action::Confirm), theme.key()),
                Span::styled(format!(" {}", t!("to remove this profile")), theme.accent()),
                Span::raw("   "),
                Span::styled(key(Action::Back), theme.key()),
                Span::raw(format!(" {}", t!("back"))),
            ]));
        } else {
            let asked = t!(
                "Type {name}, then {key}",
                name = line.name,
                key = env.key(&[self.context(), Context::Always], Action::Accept)
            );
            lines.push(Line::from(format!("  {asked}")));
            let mut spans = vec![Span::raw("  "), Span::styled(env.glyphs.cursor, theme.accent())];
            spans.extend(self.field.spans(room.saturating_sub(1).min(48), true, env));
            lines.push(Line::from(spans));
        }
        lines
    }
}
