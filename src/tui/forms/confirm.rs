//! The confirmation: `y`, and before it the number of badges where there is more than one or it is live.

use crate::config::Environment;
use crate::tui::env::Env;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::{Line, Span};

/// Digits of the largest number: a job has a million rows at most.
const LONGEST: usize = 8;

/// What has to be typed, and what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    count: usize,
    typed: Option<String>,
}

impl Confirm {
    /// For `count` badges in an environment.
    pub fn new(count: usize, environment: Environment) -> Self {
        let must_type = count > 1 || environment == Environment::Live;
        Self { count, typed: must_type.then(String::new) }
    }

    /// For `count` badges, the number typed whatever the environment: there is a reason to think twice.
    pub fn typed(count: usize) -> Self {
        Self { count, typed: Some(String::new()) }
    }

    /// The number that has to be typed.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes a digit or a backspace; nothing else is typed here, and nothing is pasted.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let Some(typed) = &mut self.typed else { return false };
        match key.code {
            KeyCode::Char(c) if c.is_ascii_digit() && typed.len() < LONGEST => typed.push(c),
            KeyCode::Backspace => {
                typed.pop();
            }
            _ => return false,
        }
        true
    }

    /// Empties what was typed.
    pub fn clear(&mut self) {
        if let Some(typed) = &mut self.typed {
            typed.clear();
        }
    }

    /// What stands in the way of `y`, in words.
    pub fn missing(&self) -> String {
        match &self.typed {
            Some(typed) if !typed.is_empty() => {
                format!("The number is {}, not {typed}. Nothing was sent.", self.count)
            }
            _ => format!("Type the number {} first. Nothing was sent.", self.count),
        }
    }

    /// Whether `y` would send.
    pub fn is_ready(&self) -> bool {
        self.typed.as_ref().is_none_or(|t| *t == self.count.to_string())
    }

    /// The line that asks for it; `verb` is such as `to issue`.
    pub fn line(&self, verb: &str, env: &Env) -> Line<'static> {
        let key = |k: &str| Span::styled(k.to_owned(), env.theme.key());
        let plain = |t: &str| Span::raw(t.to_owned());
        let y = env
            .keymap
            .key(&[crate::tui::keymap::Context::Review], crate::tui::action::Action::Confirm)
            .unwrap_or_default();
        let mut spans = vec![plain("  ")];
        if let Some(typed) = &self.typed {
            spans.extend([
                plain("type "),
                key(&self.count.to_string()),
                plain(": "),
                Span::styled(typed.clone(), env.theme.field(true)),
                Span::styled(env.glyphs.cursor, env.theme.accent()),
                plain(" and then "),
            ]);
        }
        let style = if self.is_ready() { env.theme.accent() } else { env.theme.dim() };
        spans.extend([
            key(&y),
            Span::styled(format!(" {verb}"), style),
            plain("   "),
            key("esc"),
            plain(" go back"),
        ]);
        Line::from(spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn press(confirm: &mut Confirm, code: KeyCode) {
        confirm.key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn one_badge_outside_live_needs_no_number() {
        assert!(Confirm::new(1, Environment::Demo).is_ready());
        assert!(Confirm::new(1, Environment::Staging).is_ready());
        assert!(!Confirm::new(1, Environment::Live).is_ready());
        assert!(!Confirm::new(2, Environment::Demo).is_ready());
    }

    #[test]
    fn only_the_exact_number_makes_ready() {
        let mut confirm = Confirm::new(41, Environment::Live);
        for (code, ready) in [
            (KeyCode::Char('4'), false),
            (KeyCode::Char('y'), false),
            (KeyCode::Char('1'), true),
            (KeyCode::Char('0'), false),
            (KeyCode::Backspace, true),
        ] {
            press(&mut confirm, code);
            assert_eq!(confirm.is_ready(), ready, "{code:?}");
        }
    }

    #[test]
    fn the_number_of_the_largest_job_can_be_typed() {
        let mut confirm = Confirm::new(1_048_576, Environment::Live);
        "1048576".chars().for_each(|c| press(&mut confirm, KeyCode::Char(c)));
        assert!(confirm.is_ready());
        (0..100).for_each(|_| press(&mut confirm, KeyCode::Char('1')));
        assert!(confirm.missing().len() < 100);
    }
}
