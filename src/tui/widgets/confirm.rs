//! The confirmation: `y`, after the number of badges if there is more than one or the profile is LIVE. In LIVE the
//! user also types the organisation, in a separate field where no letter is a key.

use crate::config::Environment;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::confirm_live::Organisation;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::{Line, Span};

/// Maximum number of digits. A job has at most 1,048,576 rows.
const LONGEST: usize = 8;
/// Placeholder for the number until it is styled.
const NUMBER: char = '\u{0}';

#[derive(Clone, Debug)]
pub struct Confirm {
    count: usize,
    typed: Option<String>,
    /// In LIVE: the organisation to type.
    organisation: Option<Organisation>,
    /// Whether the user is typing the organisation: the number was right.
    naming: bool,
}

impl Confirm {
    pub fn new(count: usize, env: &Env) -> Self {
        let is_live = env.environment() == Environment::Live;
        Self {
            count,
            typed: (count > 1 || is_live).then(String::new),
            organisation: is_live.then(|| Organisation::new(env.organisation())),
            naming: false,
        }
    }

    /// Requires the number in every environment, because this job needs extra care.
    pub fn insist(&mut self) {
        self.typed = Some(String::new());
        self.naming = false;
    }

    /// The contexts for looking up keys; `own` is the form's context.
    pub fn key_contexts(&self, own: Context) -> Vec<Context> {
        vec![if self.naming { Context::Organisation } else { own }, Context::Always]
    }

    /// Whether the user is typing the organisation. The form then accepts nothing else.
    pub fn is_naming(&self) -> bool {
        self.naming
    }

    /// Goes back from the organisation to the number. Returns false if the user was not typing the organisation.
    pub fn back(&mut self) -> bool {
        if let Some(organisation) = &mut self.organisation {
            organisation.clear();
        }
        std::mem::take(&mut self.naming)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes a digit, a backspace, or a key for the organisation. Pasting is not possible here.
    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        if let (Some(organisation), true) = (&mut self.organisation, self.naming) {
            return organisation.on_text_key(key);
        }
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

    pub fn clear(&mut self) {
        if let (Some(organisation), true) = (&mut self.organisation, self.naming) {
            organisation.clear();
        } else if let Some(typed) = &mut self.typed {
            typed.clear();
        }
    }

    pub fn reset(&mut self) {
        self.back();
        self.clear();
    }

    /// Whether the confirmation is complete, so that the form sends. If not, asks for the missing text or shows a
    /// warning.
    pub fn agrees(&mut self, out: &mut Effects<'_>) -> bool {
        if !self.is_counted() {
            out.warn(self.missing());
            return false;
        }
        match &self.organisation {
            None => true,
            Some(_) if !self.naming => {
                self.naming = true;
                false
            }
            Some(organisation) => {
                if !organisation.is_right() {
                    out.warn(organisation.missing());
                }
                organisation.is_right()
            }
        }
    }

    fn missing(&self) -> String {
        match &self.typed {
            Some(typed) if !typed.is_empty() => {
                t!("The number is {count}, not {typed}. Nothing was sent.", count = self.count, typed)
            }
            _ => t!("Type the number {count} first. Nothing was sent.", count = self.count),
        }
    }

    fn is_counted(&self) -> bool {
        self.typed.as_ref().is_none_or(|t| *t == self.count.to_string())
    }

    /// The prompt, with lines of at most `room` columns after a margin of two. `verb` is for example `to issue`.
    /// One line, except while the user types the organisation.
    pub fn lines(&self, own: Context, verb: &str, room: usize, env: &Env) -> Vec<Line<'static>> {
        match &self.organisation {
            Some(organisation) if self.naming => organisation.lines(verb, room, env),
            _ => vec![self.line(own, verb, env)],
        }
    }

    fn line(&self, own: Context, verb: &str, env: &Env) -> Line<'static> {
        let key = |k: &str| Span::styled(k.to_owned(), env.theme.key());
        let plain = |t: &str| Span::raw(t.to_owned());
        let bound = |action| env.key(&[own, Context::Always], action);
        let mut spans = vec![plain("  ")];
        if let Some(typed) = &self.typed {
            // The position of the number in the sentence depends on the language.
            let asked = t!("type {count}: ", count = NUMBER);
            let (before, after) = asked.split_once(NUMBER).unwrap_or((&asked, ""));
            spans.extend([
                plain(before),
                key(&self.count.to_string()),
                plain(after),
                Span::styled(typed.clone(), env.theme.field(true)),
                Span::styled(env.glyphs.cursor, env.theme.accent()),
                plain(t!(" then ")),
            ]);
        }
        let verb = if self.organisation.is_some() { t!("to type the organisation's name") } else { verb };
        let style = if self.is_counted() { env.theme.accent() } else { env.theme.dim() };
        spans.extend([
            key(&bound(Action::Confirm)),
            Span::styled(format!(" {verb}"), style),
            plain("   "),
            key(&bound(Action::Back)),
            plain(" "),
            plain(t!("back")),
        ]);
        Line::from(spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    fn press(confirm: &mut Confirm, code: KeyCode) {
        confirm.on_text_key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    fn env(environment: Environment) -> Env {
        let mut env = Env::for_test();
        env.session = Some(crate::tui::Session::for_test(environment, "달무리대학교 yY"));
        env
    }

    fn agrees(confirm: &mut Confirm) -> (bool, Option<String>) {
        let mut requests = crate::tui::request::RequestIds::default();
        let mut out = Effects::new(&mut requests);
        (confirm.agrees(&mut out), out.notice.map(|(text, _)| text))
    }

    #[test]
    fn one_badge_outside_live_needs_no_number() {
        for environment in [Environment::Demo, Environment::Staging] {
            assert!(agrees(&mut Confirm::new(1, &env(environment))).0);
            assert!(!agrees(&mut Confirm::new(2, &env(environment))).0);
        }
        assert!(!agrees(&mut Confirm::new(1, &env(Environment::Live))).0);
        let mut twice = Confirm::new(1, &env(Environment::Demo));
        twice.insist();
        assert!(!agrees(&mut twice).0, "there is a reason to think twice");
    }

    #[test]
    fn only_the_exact_number_makes_ready() {
        let mut confirm = Confirm::new(41, &env(Environment::Staging));
        for (code, ready) in [
            (KeyCode::Char('4'), false),
            (KeyCode::Char('y'), false),
            (KeyCode::Char('1'), true),
            (KeyCode::Char('0'), false),
            (KeyCode::Backspace, true),
        ] {
            press(&mut confirm, code);
            assert_eq!(agrees(&mut confirm).0, ready, "{code:?}");
        }
    }

    #[test]
    fn the_number_of_the_largest_job_can_be_typed() {
        let mut confirm = Confirm::new(1_048_576, &env(Environment::Demo));
        "1048576".chars().for_each(|c| press(&mut confirm, KeyCode::Char(c)));
        assert!(agrees(&mut confirm).0);
        (0..100).for_each(|_| press(&mut confirm, KeyCode::Char('1')));
        assert!(agrees(&mut confirm).1.is_some_and(|said| said.len() < 100));
    }

    #[test]
    fn live_asks_for_the_organisation_after_the_number_and_for_all_of_it() {
        let mut confirm = Confirm::new(2, &env(Environment::Live));
        assert!(!agrees(&mut confirm).0 && !confirm.is_naming(), "the number first");
        press(&mut confirm, KeyCode::Char('2'));
        assert_eq!(agrees(&mut confirm), (false, None), "and then the name is asked for");
        assert!(confirm.is_naming() && confirm.key_contexts(Context::Review)[0] == Context::Organisation);
        for c in "달무리대학교 yY".chars() {
            assert!(!agrees(&mut confirm).0, "before {c}");
            press(&mut confirm, KeyCode::Char(c));
        }
        assert!(agrees(&mut confirm).0);
        press(&mut confirm, KeyCode::Char('2'));
        assert!(!agrees(&mut confirm).0);
        assert!(confirm.back() && !confirm.is_naming() && !confirm.back());
        assert_eq!(agrees(&mut confirm), (false, None), "the number is kept, the name is typed again");
        assert!(!agrees(&mut confirm).0);
    }

    #[test]
    fn without_an_organisation_nothing_agrees_in_live() {
        let mut confirm = Confirm::new(1, &Env::for_test());
        press(&mut confirm, KeyCode::Char('1'));
        assert!(!agrees(&mut confirm).0 && confirm.is_naming() && !agrees(&mut confirm).0);
    }
}
