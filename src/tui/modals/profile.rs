//! Form for a new or an existing profile, on the first screen and in the list of profiles. It never shows the key.
//! The lines of the settings are made from their declarations.

use super::key_source::KeyFrom;
use crate::config::{Change, Edit, Input, NewProfile, ProfileInput, ProfileLine, ProfileSettings};
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

const PINNING: [&str; 2] = [tr_noop!("keep the pin"), tr_noop!("pin again")];
/// Width of the labels in columns.
const WIDE: usize = 16;

/// Line of the form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    /// Only for a new profile.
    Name,
    /// A setting by its index in [`ProfileForm::settings`].
    Setting(usize),
    /// Only for an existing profile.
    Pinning,
    /// The key itself, or what the key source needs.
    Key,
}

/// A setting with its input.
struct SettingInput {
    key: &'static str,
    edit: Edit,
    control: Control,
}

enum Control {
    Field(Field),
    /// Values of the file with their labels, and the index of the chosen one.
    Choice(Vec<(&'static str, String)>, usize),
    /// The key source, see [`ProfileForm::key`].
    KeySource,
}

impl SettingInput {
    /// The input with the value of a setting.
    fn new(key: &'static str, edit: Edit, value: &str) -> Self {
        let choice = |choices: Vec<(&'static str, String)>| {
            let chosen = choices.iter().position(|(word, _)| *word == value).unwrap_or(0);
            Control::Choice(choices, chosen)
        };
        let control = match edit.input {
            Input::Text | Input::Path => Control::Field(Field::with(value)),
            Input::Words(words) => choice(words.iter().map(|word| (*word, word.to_uppercase())).collect()),
            Input::Switch([off, on]) => {
                choice(vec![("false", i18n::tr(off).to_owned()), ("true", i18n::tr(on).to_owned())])
            }
            Input::Key => Control::KeySource,
        };
        Self { key, edit, control }
    }

    /// The value as typed or chosen.
    fn shown(&self) -> &str {
        match &self.control {
            Control::Field(field) => field.value().trim(),
            Control::Choice(choices, chosen) => choices.get(*chosen).map_or("", |(value, _)| value),
            Control::KeySource => "",
        }
    }

    /// The value to save. A path becomes absolute, independent of the working directory.
    fn value(&self) -> String {
        let shown = self.shown();
        if self.edit.input != Input::Path || shown.is_empty() {
            return shown.to_owned();
        }
        let typed = paths::typed(shown);
        std::path::absolute(&typed).unwrap_or(typed).to_string_lossy().into_owned()
    }
}

pub struct ProfileForm {
    /// The profile before the change. `None` for a new profile.
    was: Option<ProfileLine>,
    name: Field,
    settings: Vec<SettingInput>,
    pin: usize,
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
        let mut form = Self {
            was: None,
            name: Field::with(name),
            settings: inputs(&ProfileSettings::default()),
            pin: 0,
            key: KeyFrom::new(),
            focus: Focus::default(),
        };
        let is_url = |slot: &Slot| matches!(slot, Slot::Setting(at) if form.settings[*at].key == "base_url");
        if !name.is_empty() {
            form.focus.at = form.slots().iter().position(is_url).unwrap_or(0);
        }
        form
    }

    pub fn of(line: ProfileLine) -> Self {
        Self {
            settings: inputs(&line.settings),
            key: KeyFrom::of(line.key_store(), &line.key_from),
            focus: Focus::default(),
            was: Some(line),
            ..Self::new("")
        }
    }

    /// Name of the profile to change. `None` for a new profile.
    pub fn changes(&self) -> Option<&str> {
        self.was.as_ref().map(|line| line.name.as_str())
    }

    /// The lines in their order. An existing profile keeps its name and can be pinned again.
    fn slots(&self) -> Vec<Slot> {
        let settings = |is_wanted: fn(&Edit) -> bool| {
            let all = self.settings.iter().enumerate().filter(move |(_, setting)| is_wanted(&setting.edit));
            all.map(|(at, _)| Slot::Setting(at))
        };
        let mut slots = Vec::new();
        slots.extend(self.was.is_none().then_some(Slot::Name));
        slots.extend(settings(|edit| !edit.is_required));
        slots.extend(self.was.is_some().then_some(Slot::Pinning));
        slots.extend(settings(|edit| edit.input == Input::Key));
        slots.extend(settings(|edit| edit.is_required && edit.input != Input::Key));
        slots.push(Slot::Key);
        slots
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
                if let Some(field) = self.field_mut() {
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
        let (store, key) = match self.key.given() {
            Ok(given) => given,
            Err(why) => return Step::Wrong(why),
        };
        let input = self.input(|_| true);
        let profile = NewProfile { key_store: store, ..NewProfile::of(self.name.value().trim(), input) };
        // Report invalid settings before the key is sent. The CA file is read later, because that can take long.
        if let Err(error) = profile.settings() {
            return Step::Wrong(format!("{error}."));
        }
        Step::Try(Box::new(Candidate { profile, key }))
    }

    /// The values of the settings but the key.
    fn input(&self, is_wanted: impl Fn(&SettingInput) -> bool) -> ProfileInput {
        let mut input = ProfileInput::default();
        for setting in self.settings.iter().filter(|setting| setting.edit.input != Input::Key) {
            if is_wanted(setting) {
                input.set(setting.key, setting.value());
            }
        }
        input
    }

    fn change(&self, line: &ProfileLine) -> Step {
        let key = match self.key.changed() {
            Ok(key) => key,
            Err(why) => return Step::Wrong(why),
        };
        let input = self.input(|setting| setting.shown() != line.text(setting.key));
        let change = Change { input, ..Change::default() };
        if change.is_empty() && key.is_none() && self.pin == 0 {
            return Step::Wrong(t!("No changes given.").to_owned());
        }
        let (name, pin) = (line.name.clone(), self.pin == 1);
        Step::Change(Box::new(ProfileChange { name, change, key, pin }))
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        let by: isize = match key.code {
            KeyCode::Right | KeyCode::Char(' ') => 1,
            KeyCode::Left => -1,
            _ => 0,
        };
        let choice = match self.at() {
            Slot::Pinning => Some((&mut self.pin, PINNING.len())),
            Slot::Setting(at) => match &mut self.settings[at].control {
                Control::Choice(choices, chosen) => Some((chosen, choices.len())),
                Control::KeySource => {
                    self.key.turn(by);
                    return by != 0;
                }
                Control::Field(_) => None,
            },
            Slot::Name | Slot::Key => None,
        };
        match choice {
            Some((chosen, len)) => {
                *chosen = (*chosen as isize + by).rem_euclid(len as isize).unsigned_abs();
                by != 0
            }
            None => self.field_mut().is_some_and(|field| field.on_text_key(key)),
        }
    }

    pub fn on_paste(&mut self, text: &str) {
        if let Some(field) = self.field_mut() {
            field.on_paste(text.trim());
        }
    }

    /// The field of the focused line.
    fn field_mut(&mut self) -> Option<&mut Field> {
        match self.at() {
            Slot::Name => Some(&mut self.name),
            Slot::Setting(at) => match &mut self.settings[at].control {
                Control::Field(field) => Some(field),
                Control::Choice(..) | Control::KeySource => None,
            },
            Slot::Key => self.key.field_mut(),
            Slot::Pinning => None,
        }
    }

    /// The label and the input of a line.
    fn line(&self, slot: Slot, room: usize, focused: bool, env: &Env) -> (&'static str, Vec<Span<'static>>) {
        let choice = |words: &[&str], chosen: usize| choice(words, chosen, room, focused, env);
        match slot {
            Slot::Name => (t!("Name"), self.name.spans(room, focused, env)),
            Slot::Setting(at) => {
                let setting = &self.settings[at];
                let spans = match &setting.control {
                    Control::Field(field) => field.spans(room, focused, env),
                    Control::Choice(choices, chosen) => {
                        let labels: Vec<&str> = choices.iter().map(|(_, label)| label.as_str()).collect();
                        choice(&labels, *chosen)
                    }
                    Control::KeySource => choice(&self.key.places(), self.key.chosen()),
                };
                (i18n::tr(setting.edit.label), spans)
            }
            Slot::Pinning => (t!("Key pin"), choice(&PINNING.map(i18n::tr), self.pin)),
            Slot::Key => {
                let text = || fit(self.key.said(), room, env.glyphs.ellipsis);
                let spans = match self.key.field() {
                    Some(field) => field.spans(room, focused, env),
                    None => vec![Span::styled(text(), env.theme.dim())],
                };
                (self.key.label(), spans)
            }
        }
    }

    /// Lines of the form. With `brief`, it has no explanations, because a message follows below it.
    pub fn lines(&self, room: usize, brief: bool, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let mut lines = Vec::new();
        for (at, slot) in self.slots().into_iter().enumerate() {
            let focused = self.focus.at == at;
            let (label, input) = self.line(slot, room.saturating_sub(WIDE + 2), focused, env);
            let mut spans = vec![
                Span::styled(
                    format!("  {}", fit(label, WIDE, "")),
                    if focused { theme.strong() } else { theme.dim() },
                ),
                Span::styled(if focused { env.glyphs.cursor } else { " " }, theme.accent()),
            ];
            spans.extend(input);
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
                "The base URL ends in /api/v1/ext. Without an organisation, lapel uses the service's name for it. Without a short name, lapel makes one of the organisation. lapel checks the key before saving anything. The settings keep how the key begins."
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

/// The inputs of all settings, with the values of a profile.
fn inputs(settings: &ProfileSettings) -> Vec<SettingInput> {
    ProfileSettings::editable()
        .into_iter()
        .map(|(key, edit)| SettingInput::new(key, edit, &settings.text(key)))
        .collect()
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
