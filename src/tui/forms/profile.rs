//! The form for a new profile: on the first screen, and on the list of profiles. Its key is never shown.

use crate::api::ApiKey;
use crate::config::{Environment, NewProfile};
use crate::tui::action::Action;
use crate::tui::ask::Candidate;
use crate::tui::env::Env;
use crate::tui::field::{Field, Focus};
use crate::tui::fit::{fit, wrap};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::{Line, Span};
use secrecy::SecretString;

const LABELS: [&str; 6] = ["Name", "Organisation", "Key kept in", "Environment", "Base URL", "API key"];
const KEPT: usize = 2;
const ENVIRONMENT: usize = 3;
const BASE_URL: usize = 4;
const ENVIRONMENTS: [Environment; 3] = [Environment::Live, Environment::Staging, Environment::Demo];
const PLACES: [&str; 2] = ["a file", "the keyring"];

/// The form.
pub struct ProfileForm {
    name: Field,
    organisation: Field,
    kept: usize,
    environment: usize,
    base_url: Field,
    key: Field,
    focus: Focus,
}

/// What came of an action.
pub enum Step {
    /// It is none of the form's.
    NotMine,
    /// It is done.
    Done,
    /// This is to be tried, and kept if it is good.
    Try(Box<Candidate>),
    /// Something is wrong with what was typed.
    Wrong(String),
}

impl ProfileForm {
    /// An empty one, with a name.
    pub fn new(name: &str) -> Self {
        Self {
            name: Field::with(name),
            organisation: Field::default(),
            kept: 0,
            environment: 0,
            base_url: Field::default(),
            key: Field::secret(),
            focus: Focus { at: if name.is_empty() { 0 } else { BASE_URL } },
        }
    }

    /// Does an action.
    pub fn act(&mut self, action: Action) -> Step {
        match action {
            Action::NextField => self.focus.next(LABELS.len()),
            Action::PreviousField => self.focus.previous(LABELS.len()),
            Action::ClearField => {
                if let Some(field) = self.field() {
                    field.clear();
                }
            }
            Action::Accept if self.focus.at + 1 < LABELS.len() => self.focus.next(LABELS.len()),
            Action::Accept => return self.candidate(),
            _ => return Step::NotMine,
        }
        Step::Done
    }

    fn candidate(&self) -> Step {
        if let Err(error) = ApiKey::new(self.key.value()) {
            return Step::Wrong(error.to_string());
        }
        let organisation = self.organisation.value().trim();
        let mut profile = NewProfile::new(
            self.name.value().trim(),
            ENVIRONMENTS[self.environment],
            self.base_url.value().trim(),
        );
        profile.organisation = (!organisation.is_empty()).then(|| organisation.to_owned());
        // What the settings would refuse is said before the key leaves.
        if let Err(error) = profile.profile(self.key.value()) {
            return Step::Wrong(format!("{error}."));
        }
        let key = SecretString::from(self.key.value().trim());
        Step::Try(Box::new(Candidate { profile, key, in_keyring: self.kept == 1 }))
    }

    /// Takes a key that is typed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let by = match key.code {
            KeyCode::Right | KeyCode::Char(' ') => 1,
            KeyCode::Left => usize::MAX,
            _ => 0,
        };
        let turn = |at: &mut usize, len: usize| {
            *at = if by == usize::MAX { (*at + len - 1) % len } else { (*at + by) % len };
            by != 0
        };
        match self.focus.at {
            KEPT => turn(&mut self.kept, PLACES.len()),
            ENVIRONMENT => turn(&mut self.environment, ENVIRONMENTS.len()),
            _ => self.field().is_some_and(|field| field.key(key)),
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let Some(field) = self.field() {
            field.paste(text.trim());
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.focus.at {
            0 => Some(&mut self.name),
            1 => Some(&mut self.organisation),
            BASE_URL => Some(&mut self.base_url),
            5 => Some(&mut self.key),
            _ => None,
        }
    }

    /// The form, line by line, in so many columns.
    pub fn lines(&self, room: usize, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let mut lines = Vec::new();
        for (at, label) in LABELS.iter().enumerate() {
            let focused = self.focus.at == at;
            let mut spans = vec![
                Span::styled(
                    format!("  {}", fit(label, 13, "")),
                    if focused { theme.strong() } else { theme.dim() },
                ),
                Span::styled(if focused { env.glyphs.cursor } else { " " }, theme.accent()),
            ];
            let room = room.saturating_sub(15);
            match at {
                0 => spans.extend(self.name.spans(room, focused, env)),
                1 => spans.extend(self.organisation.spans(room, focused, env)),
                KEPT => spans.extend(choice(&PLACES, self.kept, focused, env)),
                ENVIRONMENT => {
                    let words = ENVIRONMENTS.map(|environment| environment.to_string());
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    spans.extend(choice(&words, self.environment, focused, env));
                }
                BASE_URL => spans.extend(self.base_url.spans(room, focused, env)),
                _ => spans.extend(self.key.spans(room, focused, env)),
            }
            lines.push(Line::from(spans));
        }
        lines.push(Line::raw(""));
        let mut put = |text: &str| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())));
        };
        put(
            "The base URL ends in /api/v1/ext. An empty organisation becomes what the service calls it. The \
             service is asked about the key before anything is kept; the key is then kept where only you can \
             read it, and the settings remember how it begins.",
        );
        lines.push(Line::raw(""));
        let text = format!("{} on the last field checks and keeps it.  esc goes back.", env.glyphs.enter);
        lines.extend(wrap(&text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())));
        lines
    }
}

/// One of a few words, with a sign before the one that is chosen.
fn choice(words: &[&str], chosen: usize, focused: bool, env: &Env) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = words
        .iter()
        .enumerate()
        .map(|(i, word)| {
            let sign = if i == chosen { env.glyphs.on } else { env.glyphs.off };
            Span::raw(format!("{sign} {word}   "))
        })
        .collect();
    if focused {
        spans.push(Span::styled("space changes", env.theme.dim()));
    }
    spans
}
