//! Form for a new or an existing profile, on the first screen and in the list of profiles. It never shows the key.
//! The lines of the settings are made from their declarations.

use super::key_source::KeyFrom;
use crate::config::{
    Input, NewProfile, ProfileEdit, ProfileInput, ProfileLine, ProfileSettings, SettingEdit,
};
use crate::domain::time::example_offset;
use crate::tui::input::paths;
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::request::ProfileCandidate;
use crate::tui::widgets::text_fields::Focus;
use crate::tui::worker::profile_requests::ProfileChange;

/// Label of the line that only an existing profile has.
const PIN: &str = tr_noop!("Key pin");
const LABEL: usize = 15;

struct FormLine {
    /// The setting that it changes. `None` for the name, the pin and the API key.
    setting: Option<&'static str>,
    /// Marked for translation.
    label: &'static str,
    control: LineControl,
}

enum LineControl {
    Text(TextField),
    /// A path, which becomes absolute.
    Path(TextField),
    /// Values of the file with their labels, and the index of the chosen one.
    Choice(Vec<(&'static str, String)>, usize),
    KeySource,
    /// The key itself, or what the key source needs.
    ApiKey,
}

impl FormLine {
    fn new(label: &'static str, control: LineControl) -> Self {
        Self { setting: None, label, control }
    }

    fn of(setting: &'static str, edit: &SettingEdit, value: &str) -> Self {
        let choice = |choices: Vec<(&'static str, String)>| {
            let chosen = choices.iter().position(|(word, _)| *word == value).unwrap_or(0);
            LineControl::Choice(choices, chosen)
        };
        let control = match edit.input {
            Input::Text => LineControl::Text(TextField::with(value)),
            Input::Path => LineControl::Path(TextField::with(value)),
            Input::Words(words) => choice(words.iter().map(|word| (*word, word.to_uppercase())).collect()),
            Input::Switch([off, on]) => {
                choice(vec![("false", i18n::tr(off).to_owned()), ("true", i18n::tr(on).to_owned())])
            }
            Input::Key => return Self::new(edit.label, LineControl::KeySource),
        };
        Self { setting: Some(setting), label: edit.label, control }
    }

    fn shown(&self) -> &str {
        match &self.control {
            LineControl::Text(field) | LineControl::Path(field) => field.value().trim(),
            LineControl::Choice(choices, chosen) => choices.get(*chosen).map_or("", |(value, _)| value),
            LineControl::KeySource | LineControl::ApiKey => "",
        }
    }

    /// The value to save. A path becomes absolute, independent of the working directory.
    fn value(&self) -> String {
        let shown = self.shown();
        if !matches!(self.control, LineControl::Path(_)) || shown.is_empty() {
            return shown.to_owned();
        }
        let typed = paths::typed(shown);
        std::path::absolute(&typed).unwrap_or(typed).to_string_lossy().into_owned()
    }
}

/// Shortest part of a text that is taken for a key. Names of hosts and profiles are shorter, or have no digits.
const SHORTEST_NEW_KEY: usize = 16;

pub struct ProfileForm {
    /// `None` for a new profile.
    was: Option<ProfileLine>,
    lines: Vec<FormLine>,
    initial: Vec<String>,
    key: KeyFrom,
    focus: Focus,
}

/// Whether a text has a part that may be an API key. lapel does not know the key of a new profile yet.
fn may_be_new_key(text: &str) -> bool {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.split(|c| !is_of_key(c)).any(|part| {
        part.len() >= SHORTEST_NEW_KEY
            && part.contains(|c: char| c.is_ascii_digit())
            && part.contains(|c: char| c.is_ascii_alphabetic())
    })
}

pub enum ProfileStep {
    NotMine,
    Done,
    /// Test these settings, and save them if they work.
    Try(Box<ProfileCandidate>),
    Change(Box<ProfileChange>),
    /// Mistake in the input, as a sentence.
    Wrong(String),
}

impl ProfileForm {
    pub fn new(name: &str) -> Self {
        let mut lines = settings(&ProfileSettings::default());
        lines.insert(0, FormLine::new(tr_noop!("Name"), LineControl::Text(TextField::with(name))));
        let is_url = |line: &FormLine| line.setting == Some("base_url");
        let at = if name.is_empty() { 0 } else { lines.iter().position(is_url).unwrap_or(0) };
        Self { focus: Focus { at }, ..Self::with(None, lines, KeyFrom::new()) }
    }

    /// An existing profile keeps its name and can be pinned again.
    pub fn of(line: ProfileLine) -> Self {
        let mut lines = settings(&line.settings);
        let at = lines.iter().position(|line| matches!(line.control, LineControl::KeySource)).unwrap_or(0);
        let [as_it_is, pin] = match line.pin() {
            Some(_) => [t!("keep the pin"), t!("pin again")],
            None => [t!("not pinned"), t!("pin now")],
        };
        let choices = vec![("false", as_it_is.to_owned()), ("true", pin.to_owned())];
        lines.insert(at, FormLine::new(PIN, LineControl::Choice(choices, 0)));
        let key = KeyFrom::of(line.key_store(), &line.key_from);
        Self::with(Some(line), lines, key)
    }

    fn with(was: Option<ProfileLine>, lines: Vec<FormLine>, key: KeyFrom) -> Self {
        let mut form = Self { was, lines, initial: Vec::new(), key, focus: Focus::default() };
        form.initial = form.texts();
        form
    }

    /// The texts of the lines as lapel keeps them. Never what the key source needs: it may be the key. Nor an address
    /// with a password, nor a text that may be a key in the wrong field.
    fn texts(&self) -> Vec<String> {
        let has_password = |text: &str| {
            let user = text.rsplit_once('@').map_or("", |(user, _)| user);
            user.split_once("://").map_or(user, |(_, user)| user).contains(':')
        };
        let text = |line: &FormLine| match &line.control {
            LineControl::KeySource => self.key.chosen().to_string(),
            _ if has_password(line.shown()) || may_be_new_key(line.shown()) => String::new(),
            _ => line.shown().to_owned(),
        };
        self.lines.iter().map(text).collect()
    }

    pub fn input(&self) -> FormInput {
        let texts = self.texts();
        let texts = if texts == self.initial { Vec::new() } else { texts };
        FormInput::new("profile", self.changes().unwrap_or_default(), texts)
    }

    pub fn set_input(&mut self, texts: &[String]) {
        if texts.is_empty() {
            self.key.clear();
        }
        // The settings of another version are other lines.
        let texts = if texts.len() == self.lines.len() { texts } else { self.initial.as_slice() };
        for (line, text) in self.lines.iter_mut().zip(texts) {
            match &mut line.control {
                LineControl::Text(field) | LineControl::Path(field) => field.set(text),
                LineControl::Choice(choices, chosen) => {
                    *chosen = choices.iter().position(|(word, _)| word == text).unwrap_or(*chosen);
                }
                LineControl::KeySource => self.key.choose(text.parse().unwrap_or_default()),
                LineControl::ApiKey => {}
            }
        }
    }

    /// Fills a form that opens with the input that was not saved before.
    #[must_use]
    pub fn filled(mut self, cx: &UiContext, effects: &mut Effects<'_>) -> Self {
        if let Some(texts) = cx.connection.recents.unfinished(&self.input()) {
            self.set_input(texts);
            effects.say(unfinished::filled(&[KeyContext::Form, KeyContext::Always], cx));
        }
        self
    }

    /// What to say once the new profile is saved: without a zone, lapel learns it only from a badge that it issued itself.
    pub fn zone_remark(&self, cx: &UiContext) -> Option<String> {
        let zone = self.lines.iter().find(|line| line.setting == Some("utc_offset"))?;
        zone.shown().is_empty().then(|| {
            let key = |action| cx.key(&[KeyContext::Profiles, KeyContext::Global, KeyContext::Always], action);
            t!(
                "The time zone of the service is not set, so ages can be wrong. Set it in the profile ({profiles}, {change}), for example {example}.",
                profiles = key(Action::Profiles),
                change = key(Action::ChangeProfile),
                example = example_offset()
            )
        })
    }

    pub fn changes(&self) -> Option<&str> {
        self.was.as_ref().map(|line| line.name.as_str())
    }

    pub fn on_action(&mut self, action: Action) -> ProfileStep {
        let many = self.lines.len();
        match action {
            Action::ClearField => {
                if let Some(field) = self.field_mut() {
                    field.clear();
                }
            }
            Action::Accept if self.focus.at + 1 < many => self.focus.step(true, many),
            Action::Accept => {
                return match &self.was {
                    Some(was) => self.change(was),
                    None => self.candidate(),
                };
            }
            _ if self.focus.on_action(action, many) => {}
            _ => return ProfileStep::NotMine,
        }
        ProfileStep::Done
    }

    fn candidate(&self) -> ProfileStep {
        let (store, key) = match self.key.given() {
            Ok(given) => given,
            Err(why) => return ProfileStep::Wrong(why),
        };
        let input = self.settings(|_, _| true);
        let profile = NewProfile { key_store: store, ..NewProfile::of(self.lines[0].shown(), input) };
        // Report invalid settings before the key is sent. The CA file is read later, because that can take long.
        if let Err(error) = profile.settings() {
            return ProfileStep::Wrong(format!("{error}."));
        }
        ProfileStep::Try(Box::new(ProfileCandidate { profile, key }))
    }

    fn settings(&self, is_wanted: impl Fn(&str, &FormLine) -> bool) -> ProfileInput {
        let mut input = ProfileInput::default();
        for line in &self.lines {
            if let Some(setting) = line.setting.filter(|setting| is_wanted(setting, line)) {
                input.set(setting, line.value());
            }
        }
        input
    }

    fn change(&self, was: &ProfileLine) -> ProfileStep {
        let key = match self.key.changed() {
            Ok(key) => key,
            Err(why) => return ProfileStep::Wrong(why),
        };
        let input = self.settings(|setting, line| line.shown() != was.text(setting));
        let change = ProfileEdit { input, ..ProfileEdit::default() };
        let pin = self.lines.iter().any(|line| line.label == PIN && line.shown() == "true");
        if change.is_empty() && key.is_none() && !pin {
            return ProfileStep::Wrong(t!("No changes given.").to_owned());
        }
        ProfileStep::Change(Box::new(ProfileChange { name: was.name.clone(), change, key, pin }))
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        let by: isize = match key.code {
            KeyCode::Right | KeyCode::Char(' ') => 1,
            KeyCode::Left => -1,
            _ => 0,
        };
        match self.lines.get_mut(self.focus.at).map(|line| &mut line.control) {
            Some(LineControl::Choice(choices, chosen)) => {
                *chosen = (*chosen as isize + by).rem_euclid(choices.len() as isize).unsigned_abs();
                by != 0
            }
            Some(LineControl::KeySource) => {
                self.key.turn(by);
                by != 0
            }
            _ => self.field_mut().is_some_and(|field| field.on_text_key(key)),
        }
    }

    pub fn on_paste(&mut self, text: &str) {
        if let Some(field) = self.field_mut() {
            field.on_paste(text.trim());
        }
    }

    /// Explains the focused line, or the form where the label of the line is enough.
    fn advice(&self) -> String {
        let line = self.lines.get(self.focus.at);
        let setting = line.and_then(|line| line.setting);
        let is_key =
            line.is_some_and(|line| matches!(line.control, LineControl::KeySource | LineControl::ApiKey));
        if is_key {
            return self.key.advice().to_owned();
        }
        if setting == Some("utc_offset") {
            let example = example_offset();
            return t!(
                "The service's times have no zone. Enter their offset from UTC, on this computer {example}. Empty: not known, so ages can be wrong.",
                example
            );
        }
        let advice = if setting == Some("journal") {
            t!(
                "A journal that your team shares: postgres://USER@HOST/DATABASE, without a password. Empty: the journal on this computer. To set its password, run: lapel profile edit NAME --new-journal-password"
            )
        } else if self.was.is_some() {
            t!(
                "lapel tests a changed connection or key before saving it. An empty CA file or proxy is removed. A proxy's user and password are not shown."
            )
        } else {
            t!(
                "The base URL ends in /api/v1/ext. Without an organisation, lapel uses the service's name for it. Without a short name, lapel makes one from the organisation. lapel checks the key before it saves anything."
            )
        };
        advice.to_owned()
    }

    fn field_mut(&mut self) -> Option<&mut TextField> {
        match &mut self.lines.get_mut(self.focus.at)?.control {
            LineControl::Text(field) | LineControl::Path(field) => Some(field),
            LineControl::Choice(..) | LineControl::KeySource => None,
            LineControl::ApiKey => self.key.field_mut(),
        }
    }

    fn spans(&self, control: &LineControl, room: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
        match control {
            LineControl::Text(field) | LineControl::Path(field) => field.spans(room, focused, cx),
            LineControl::Choice(choices, chosen) => {
                let labels: Vec<&str> = choices.iter().map(|(_, label)| label.as_str()).collect();
                choice(&labels, *chosen, room, focused, cx)
            }
            LineControl::KeySource => choice(&self.key.places(), self.key.chosen(), room, focused, cx),
            LineControl::ApiKey => match self.key.field() {
                Some(field) => field.spans(room, focused, cx),
                None => vec![Span::styled(fit(self.key.said(), room, cx.glyphs.ellipsis), cx.theme.dim())],
            },
        }
    }

    /// Adds the lines of the form. With `brief`, it has no explanations, because a message follows below it.
    pub fn draw(&self, form: &mut FormText<'_>, brief: bool, cx: &UiContext) {
        for (at, line) in self.lines.iter().enumerate() {
            let focused = self.focus.at == at;
            let label = match line.control {
                LineControl::ApiKey => self.key.label(),
                _ => i18n::tr(line.label),
            };
            form.labelled(&fit(label, LABEL, ""), focused, |room| {
                self.spans(&line.control, room, focused, cx)
            });
        }
        form.blank();
        if !brief {
            form.dim(&self.advice());
            form.blank();
        }
        let key = |action| cx.key(&[KeyContext::Form, KeyContext::Always], action);
        form.dim(&t!(
            "{enter} (last field) check and save  {esc} back",
            enter = key(Action::Accept),
            esc = key(Action::Back)
        ));
    }
}

fn settings(settings: &ProfileSettings) -> Vec<FormLine> {
    let mut editable = ProfileSettings::editable();
    editable.sort_by_key(|(_, edit)| (edit.is_required, edit.input != Input::Key));
    let mut lines: Vec<FormLine> =
        editable.iter().map(|(key, edit)| FormLine::of(key, edit, &settings.text(key))).collect();
    lines.push(FormLine::new("", LineControl::ApiKey));
    lines
}

/// A choice between a few words, with a mark on the chosen one. If there is no room for all, only the chosen word
/// is shown. The key hint is shown only if it fits too.
fn choice(words: &[&str], chosen: usize, room: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
    // The keymap does not have this key. It is typed, like a letter in the other fields.
    let hint = t!("space change");
    let all: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(i, word)| format!("{} {word}", if i == chosen { cx.glyphs.on } else { cx.glyphs.off }))
        .collect();
    let wide = |gap: usize| all.iter().map(|word| width(word) + gap).sum::<usize>();
    let gap = if wide(3) + width(hint) <= room { "   " } else { "  " };
    let shown = if wide(2) <= room { &all[..] } else { all.get(chosen..=chosen).unwrap_or_default() };
    let mut spans: Vec<Span<'static>> = shown.iter().map(|word| Span::raw(format!("{word}{gap}"))).collect();
    if focused && spans.iter().map(|span| width(&span.content)).sum::<usize>() + width(hint) <= room {
        spans.push(Span::styled(hint, cx.theme.dim()));
    }
    spans
}
