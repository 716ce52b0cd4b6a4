//! Form for a new or an existing profile, on the first screen and in the list of profiles. It never shows the key.

use super::key_source::KeyFrom;
use crate::config::{Change, Environment, NewProfile, ProfileLine};
use crate::i18n;
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::paths;
use crate::tui::request::Candidate;
use crate::tui::widgets::field::{Field, Focus};
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crate::tui::worker::profile_requests::ProfileChange;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::{Line, Span};

const RIGHTS: [&str; 2] = [tr_noop!("issue and revoke"), tr_noop!("read-only")];
const PINNING: [&str; 2] = [tr_noop!("keep the pin"), tr_noop!("pin again")];
/// Placeholder key while the other settings are checked.
const NO_KEY: &str = "not-yet-known";
/// Width of the labels in columns.
const WIDE: usize = 16;

/// Line of the form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Name,
    Organisation,
    Rights,
    CaFile,
    Proxy,
    Pinning,
    Place,
    Environment,
    BaseUrl,
    Key,
}

/// Lines for a new profile, then for an existing one. An existing profile keeps its name and can be pinned again.
const NEW: [Slot; 9] = [
    Slot::Name,
    Slot::Organisation,
    Slot::Rights,
    Slot::CaFile,
    Slot::Proxy,
    Slot::Place,
    Slot::Environment,
    Slot::BaseUrl,
    Slot::Key,
];
const CHANGED: [Slot; 9] = [
    Slot::Organisation,
    Slot::Rights,
    Slot::CaFile,
    Slot::Proxy,
    Slot::Pinning,
    Slot::Place,
    Slot::Environment,
    Slot::BaseUrl,
    Slot::Key,
];

impl Slot {
    fn label(self, key: &KeyFrom) -> &'static str {
        match self {
            Self::Name => t!("Name"),
            Self::Organisation => t!("Organisation"),
            Self::Rights => t!("Access"),
            Self::CaFile => t!("CA file"),
            Self::Proxy => t!("Proxy"),
            Self::Pinning => t!("Key pin"),
            Self::Place => t!("Key from"),
            Self::Environment => t!("Environment"),
            Self::BaseUrl => t!("Base URL"),
            Self::Key => key.label(),
        }
    }
}

const ENVIRONMENTS: [Environment; 3] = [Environment::Live, Environment::Staging, Environment::Demo];

pub struct ProfileForm {
    /// The profile before the change. `None` for a new profile.
    was: Option<ProfileLine>,
    name: Field,
    organisation: Field,
    ca_file: Field,
    proxy: Field,
    only_look: usize,
    pin: usize,
    environment: usize,
    base_url: Field,
    key: KeyFrom,
    focus: Focus,
}

/// Result of an action.
pub enum Step {
    /// The form does not handle this action.
    NotMine,
    /// The form handled the action.
    Done,
    /// Test these settings, and save them if they work.
    Try(Box<Candidate>),
    /// Change the existing profile.
    Change(Box<ProfileChange>),
    /// Mistake in the input, as a sentence.
    Wrong(String),
}

impl ProfileForm {
    pub fn new(name: &str) -> Self {
        let at = if name.is_empty() { Slot::Name } else { Slot::BaseUrl };
        Self {
            was: None,
            name: Field::with(name),
            organisation: Field::default(),
            ca_file: Field::default(),
            proxy: Field::default(),
            only_look: 0,
            pin: 0,
            environment: 0,
            base_url: Field::default(),
            key: KeyFrom::new(),
            focus: Focus { at: NEW.iter().position(|slot| *slot == at).unwrap_or(0) },
        }
    }

    pub fn of(line: ProfileLine) -> Self {
        let text = |text: &Option<String>| Field::with(text.as_deref().unwrap_or_default());
        Self {
            organisation: text(&line.organisation),
            ca_file: text(&line.ca_file),
            proxy: text(&line.proxy),
            only_look: usize::from(line.read_only),
            key: KeyFrom::of(line.kept_in.clone(), &line.key_from),
            environment: ENVIRONMENTS.iter().position(|e| *e == line.environment).unwrap_or(0),
            base_url: Field::with(&line.base_url),
            focus: Focus::default(),
            was: Some(line),
            ..Self::new("")
        }
    }

    /// Name of the profile to change. `None` for a new profile.
    pub fn changes(&self) -> Option<&str> {
        self.was.as_ref().map(|line| line.name.as_str())
    }

    fn slots(&self) -> &'static [Slot] {
        if self.was.is_some() { &CHANGED } else { &NEW }
    }

    fn at(&self) -> Slot {
        self.slots().get(self.focus.at).copied().unwrap_or(Slot::Key)
    }

    pub fn on_action(&mut self, action: Action) -> Step {
        let many = self.slots().len();
        match action {
            Action::NextField => self.focus.next(many),
            Action::PreviousField => self.focus.previous(many),
            Action::ClearField => {
                if let Some(field) = self.field() {
                    field.clear();
                }
            }
            Action::Accept if self.focus.at + 1 < many => self.focus.next(many),
            Action::Accept => {
                return match &self.was {
                    Some(line) => self.change(line),
                    None => self.candidate(),
                };
            }
            _ => return Step::NotMine,
        }
        Step::Done
    }

    fn candidate(&self) -> Step {
        let (place, key) = match self.key.given() {
            Ok(given) => given,
            Err(why) => return Step::Wrong(why),
        };
        let organisation = self.organisation.value().trim();
        let mut profile = NewProfile::new(
            self.name.value().trim(),
            ENVIRONMENTS[self.environment],
            self.base_url.value().trim(),
        );
        profile.kept_in = place;
        profile.organisation = (!organisation.is_empty()).then(|| organisation.to_owned());
        profile.read_only = self.only_look == 1;
        profile.proxy = Some(self.proxy.value().trim().to_owned()).filter(|proxy| !proxy.is_empty());
        profile.ca_file = self.ca_path().filter(|path| !path.as_os_str().is_empty());
        // Report invalid settings before the key is sent. The CA file is checked later, because reading it can
        // take long.
        let looked_at = NewProfile { ca_file: None, ..profile.clone() };
        if let Err(error) = looked_at.profile(NO_KEY) {
            return Step::Wrong(format!("{error}."));
        }
        Step::Try(Box::new(Candidate { profile, key }))
    }

    /// Absolute path of the CA file, independent of the working directory. Empty if no file is given.
    fn ca_path(&self) -> Option<std::path::PathBuf> {
        let typed = self.ca_file.value().trim();
        if typed.is_empty() {
            return Some(std::path::PathBuf::new());
        }
        std::path::absolute(paths::typed(typed)).ok()
    }

    fn change(&self, line: &ProfileLine) -> Step {
        let key = match self.key.changed() {
            Ok(key) => key,
            Err(why) => return Step::Wrong(why),
        };
        let changed = |field: &Field, was: Option<&str>| {
            let now = field.value().trim();
            (now != was.unwrap_or_default()).then(|| now.to_owned())
        };
        let environment = ENVIRONMENTS[self.environment];
        let change = Change {
            environment: (environment != line.environment).then_some(environment),
            base_url: changed(&self.base_url, Some(&line.base_url)),
            organisation: changed(&self.organisation, line.organisation.as_deref()),
            read_only: (line.read_only != (self.only_look == 1)).then_some(self.only_look == 1),
            ca_file: changed(&self.ca_file, line.ca_file.as_deref()).and_then(|_| self.ca_path()),
            proxy: changed(&self.proxy, line.proxy.as_deref()),
            ..Change::default()
        };
        if change.is_empty() && key.is_none() && self.pin == 0 {
            return Step::Wrong(t!("No changes given.").to_owned());
        }
        let (name, pin) = (line.name.clone(), self.pin == 1);
        Step::Change(Box::new(ProfileChange { name, change, key, pin }))
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        let by = match key.code {
            KeyCode::Right | KeyCode::Char(' ') => 1,
            KeyCode::Left => usize::MAX,
            _ => 0,
        };
        let turn = |at: &mut usize, len: usize| {
            *at = if by == usize::MAX { (*at + len - 1) % len } else { (*at + by) % len };
            by != 0
        };
        match self.at() {
            Slot::Place => {
                self.key.turn(if by == usize::MAX { -1 } else { by.cast_signed() });
                by != 0
            }
            Slot::Environment => turn(&mut self.environment, ENVIRONMENTS.len()),
            Slot::Rights => turn(&mut self.only_look, RIGHTS.len()),
            Slot::Pinning => turn(&mut self.pin, PINNING.len()),
            _ => self.field().is_some_and(|field| field.on_text_key(key)),
        }
    }

    pub fn on_paste(&mut self, text: &str) {
        if let Some(field) = self.field() {
            field.on_paste(text.trim());
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.at() {
            Slot::Name => Some(&mut self.name),
            Slot::Organisation => Some(&mut self.organisation),
            Slot::CaFile => Some(&mut self.ca_file),
            Slot::Proxy => Some(&mut self.proxy),
            Slot::BaseUrl => Some(&mut self.base_url),
            Slot::Key => self.key.field_mut(),
            Slot::Rights | Slot::Pinning | Slot::Place | Slot::Environment => None,
        }
    }

    /// Lines of the form. With `brief`, it has no explanations, because a message follows below it.
    pub fn lines(&self, room: usize, brief: bool, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let mut lines = Vec::new();
        for (at, slot) in self.slots().iter().enumerate() {
            let focused = self.focus.at == at;
            let mut spans = vec![
                Span::styled(
                    format!("  {}", fit(slot.label(&self.key), WIDE, "")),
                    if focused { theme.strong() } else { theme.dim() },
                ),
                Span::styled(if focused { env.glyphs.cursor } else { " " }, theme.accent()),
            ];
            let room = room.saturating_sub(WIDE + 2);
            let field = match slot {
                Slot::Name => Some(&self.name),
                Slot::Organisation => Some(&self.organisation),
                Slot::CaFile => Some(&self.ca_file),
                Slot::Proxy => Some(&self.proxy),
                Slot::BaseUrl => Some(&self.base_url),
                Slot::Key => self.key.field(),
                Slot::Rights | Slot::Pinning | Slot::Place | Slot::Environment => None,
            };
            match (slot, field) {
                (_, Some(field)) => spans.extend(field.spans(room, focused, env)),
                (Slot::Rights, _) => {
                    spans.extend(choice(&RIGHTS.map(i18n::tr), self.only_look, room, focused, env));
                }
                (Slot::Pinning, _) => {
                    spans.extend(choice(&PINNING.map(i18n::tr), self.pin, room, focused, env));
                }
                (Slot::Place, _) => {
                    spans.extend(choice(&self.key.places(), self.key.chosen(), room, focused, env));
                }
                (Slot::Key, _) => {
                    spans.push(Span::styled(fit(self.key.said(), room, env.glyphs.ellipsis), theme.dim()));
                }
                _ => {
                    let words = ENVIRONMENTS.map(|environment| environment.to_string());
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    spans.extend(choice(&words, self.environment, room, focused, env));
                }
            }
            lines.push(Line::from(spans));
        }
        lines.push(Line::raw(""));
        let mut put = |text: &str| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())));
        };
        if brief {
            // The fields explain themselves.
        } else if self.was.is_some() {
            put(self.key.advice());
            put(t!(
                "lapel tests a changed connection or key before saving it. An empty CA file or proxy is removed. A proxy's user and password are not shown."
            ));
        } else {
            put(self.key.advice());
            put(t!(
                "The base URL ends in /api/v1/ext. Without an organisation, lapel uses the service's name for it. lapel checks the key before saving anything. The settings keep how the key begins."
            ));
        }
        if !brief {
            lines.push(Line::raw(""));
        }
        let key = |action| env.key(&[Context::Form, Context::Always], action);
        let text = t!(
            "{enter} (last field) check and save  {esc} back",
            enter = key(Action::Accept),
            esc = key(Action::Back)
        );
        lines.extend(wrap(&text, room).into_iter().map(|l| Line::styled(format!("  {l}"), theme.dim())));
        lines
    }
}

/// A choice between a few words, with a mark on the chosen one. If there is no room for all, only the chosen word
/// is shown. The key hint is shown only if it fits too.
fn choice(words: &[&str], chosen: usize, room: usize, focused: bool, env: &Env) -> Vec<Span<'static>> {
    // The keymap does not have this key. It is typed, like a letter in the other fields.
    let hint = t!("space change");
    let all: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(i, word)| format!("{} {word}", if i == chosen { env.glyphs.on } else { env.glyphs.off }))
        .collect();
    let wide = |gap: usize| all.iter().map(|word| width(word) + gap).sum::<usize>();
    let gap = if wide(3) + width(hint) <= room { "   " } else { "  " };
    let shown = if wide(2) <= room { &all[..] } else { all.get(chosen..=chosen).unwrap_or_default() };
    let mut spans: Vec<Span<'static>> = shown.iter().map(|word| Span::raw(format!("{word}{gap}"))).collect();
    if focused && spans.iter().map(|span| width(&span.content)).sum::<usize>() + width(hint) <= room {
        spans.push(Span::styled(hint, env.theme.dim()));
    }
    spans
}
