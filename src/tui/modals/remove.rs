//! Removing a profile: its name is typed, and then it is confirmed.

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

/// The question, open.
pub struct Removing {
    line: ProfileLine,
    field: Field,
    /// Whether the name was typed, and only the key that confirms is missing.
    is_typed: bool,
}

/// What came of an action.
pub enum RemoveStep {
    /// It is none of the question's.
    NotMine,
    /// It is done.
    Done,
    /// It is not the name.
    Wrong(String),
    /// The profile of this name is to be removed.
    Remove(String),
}

impl Removing {
    /// Asks about a profile.
    pub fn new(line: ProfileLine) -> Self {
        Self { line, field: Field::default(), is_typed: false }
    }

    /// The context that its keys are looked up in.
    pub fn context(&self) -> Context {
        if self.is_typed { Context::Review } else { Context::Form }
    }

    /// Goes back to the name; false where that is being typed.
    pub fn back(&mut self) -> bool {
        std::mem::take(&mut self.is_typed)
    }

    /// Does an action.
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

    /// Takes a key that is typed; nothing is pasted here.
    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        !self.is_typed && self.field.on_text_key(key)
    }

    /// The question, line by line, in so many columns.
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
