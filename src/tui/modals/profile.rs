//! Form for a new or an existing profile, on the first screen and in the list of profiles. It never shows the key.
//! The lines of the settings are made from their declarations.

use super::key_source::{KeySource, Secrets};
use crate::config::{
    Input, NewProfile, ProfileEdit, ProfileInput, ProfileLine, ProfileSettings, SecretKind, SettingEdit,
};
use crate::domain::confirm_text::short_name;
use crate::domain::time::{example_offset, read_offset};
use crate::secrets::is_key;
use crate::team::Server;
use crate::tui::input::paths;
use crate::tui::prelude::*;
use crate::tui::request::{GivenSecret, ProfileCandidate, ProfileChange};
use crate::tui::widgets::text_fields::Focus;

/// Label of the line that only an existing profile has.
const PIN: &str = tr_noop!("Key pin");
const LABEL: usize = 15;

struct FormLine {
    /// The setting that it changes. `None` for the name, the pin and the secrets.
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
    Source(SecretKind),
    /// The secret itself, or what its source needs.
    Secret(SecretKind),
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
            Input::Secret(kind) => return Self::new(edit.label, LineControl::Source(kind)),
        };
        Self { setting: Some(setting), label: edit.label, control }
    }

    fn shown(&self) -> &str {
        match &self.control {
            LineControl::Text(field) | LineControl::Path(field) => field.value().trim(),
            LineControl::Choice(choices, chosen) => choices.get(*chosen).map_or("", |(value, _)| value),
            LineControl::Source(_) | LineControl::Secret(_) => "",
        }
    }

    fn secret(&self) -> Option<SecretKind> {
        match self.control {
            LineControl::Source(kind) | LineControl::Secret(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether it may have an API key in the wrong field, or an address with a password.
    fn may_hold_secret(&self) -> bool {
        let text = self.shown();
        let has_password = match self.setting {
            // A valid address has none. Another one may have a part of it, or have it behind the question mark.
            Some("journal.url") => !text.is_empty() && Server::parse(text).is_err(),
            // What follows the colon may be a port, or the beginning of a password.
            Some("proxy") => text.split_once("://").map_or(text, |(_, rest)| rest).contains([':', '@']),
            _ => {
                let user = text.rsplit_once('@').map_or("", |(user, _)| user);
                user.split_once("://").map_or(user, |(_, user)| user).contains(':')
            }
        };
        has_password || may_be_new_key(text)
    }

    /// Whether only a team's journal needs it.
    fn is_of_journal(&self) -> bool {
        self.setting == Some("journal.ca_file") || self.secret() == Some(SecretKind::JournalPassword)
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
    secrets: Secrets,
    focus: Focus,
    /// Whether the time zone of a new profile was asked for. lapel learns it only from a badge that it issued itself.
    has_asked_zone: bool,
}

/// Index of the line of a setting.
fn index_of(setting: &str, lines: &[FormLine]) -> usize {
    lines.iter().position(|line| line.setting == Some(setting)).unwrap_or(0)
}

/// Whether a text is one word of the shape of a key, and no name of a variable.
fn is_new_key(text: &str) -> bool {
    judge(text) == Likeness::Shape && text.contains(|c: char| c.is_ascii_lowercase())
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
        let at = if name.is_empty() { 0 } else { index_of("base_url", &lines) };
        Self {
            focus: Focus { at },
            ..Self::with(
                None,
                lines,
                Secrets { key: KeySource::new(), password: KeySource::of_password(None) },
            )
        }
    }

    /// An existing profile keeps its name and can be pinned again.
    pub fn of(line: ProfileLine) -> Self {
        let mut lines = settings(&line.settings);
        let is_of_key = |line: &FormLine| line.secret() == Some(SecretKind::ApiKey);
        let at = lines.iter().position(is_of_key).unwrap_or(0);
        let [as_it_is, pin] = match line.pin() {
            Some(_) => [t!("keep the pin"), t!("pin again")],
            None => [t!("not pinned"), t!("pin now")],
        };
        let choices = vec![("false", as_it_is.to_owned()), ("true", pin.to_owned())];
        lines.insert(at, FormLine::new(PIN, LineControl::Choice(choices, 0)));
        let key = KeySource::of(line.key_store(), &line.key_from);
        let password = KeySource::of_password(line.journal.password_store(&line.name));
        Self::with(Some(line), lines, Secrets { key, password })
    }

    fn with(was: Option<ProfileLine>, lines: Vec<FormLine>, secrets: Secrets) -> Self {
        let focus = Focus::default();
        let mut form = Self { was, lines, initial: Vec::new(), secrets, focus, has_asked_zone: false };
        form.initial = form.lines.iter().map(|line| form.text(line)).collect();
        form
    }

    /// Without a team's journal, the lines about it are hidden.
    fn has_journal(&self) -> bool {
        self.lines.iter().any(|line| line.setting == Some("journal.url") && !line.shown().is_empty())
    }

    fn is_shown(&self, line: &FormLine) -> bool {
        !line.is_of_journal() || self.has_journal()
    }

    fn text(&self, line: &FormLine) -> String {
        match line.control {
            LineControl::Source(kind) => self.secrets.of(kind).chosen().to_string(),
            _ => line.shown().to_owned(),
        }
    }

    /// The texts of the lines as lapel keeps them. Never what the key source needs: it may be the key. A line that may
    /// have a secret gets the text that it began with: an empty one would remove the setting.
    fn texts(&self) -> Vec<String> {
        let lines = self.lines.iter().zip(&self.initial);
        let kept = |(line, initial): (&FormLine, &String)| {
            if line.may_hold_secret() { initial.clone() } else { self.text(line) }
        };
        lines.map(kept).collect()
    }

    pub fn input(&self) -> FormInput {
        let texts = self.texts();
        let texts = if texts == self.initial { Vec::new() } else { texts };
        let is_left_out =
            |(line, initial): (&FormLine, &String)| line.may_hold_secret() && self.text(line) != *initial;
        let mut input = FormInput::new("profile", self.changes().unwrap_or_default(), texts);
        input.lacks_a_text = self.lines.iter().zip(&self.initial).any(is_left_out);
        input
    }

    pub fn set_input(&mut self, texts: &[String]) {
        if texts.is_empty() {
            self.secrets.clear();
        }
        // The settings of another version are other lines.
        let texts = if texts.len() == self.lines.len() { texts } else { self.initial.as_slice() };
        for (line, text) in self.lines.iter_mut().zip(texts) {
            match &mut line.control {
                LineControl::Text(field) | LineControl::Path(field) => field.set(text),
                LineControl::Choice(choices, chosen) => {
                    *chosen = choices.iter().position(|(word, _)| word == text).unwrap_or(*chosen);
                }
                LineControl::Source(kind) => {
                    self.secrets.of_mut(*kind).choose(text.parse().unwrap_or_default());
                }
                LineControl::Secret(_) => {}
            }
        }
        // Without an address of the journal, the lines below it are hidden.
        if !self.is_shown(&self.lines[self.focus.at]) {
            self.focus.at = index_of("journal.url", &self.lines);
        }
    }

    pub fn changes(&self) -> Option<&str> {
        self.was.as_ref().map(|line| line.name.as_str())
    }

    pub fn on_action(&mut self, action: Action) -> ProfileStep {
        let zone = index_of("utc_offset", &self.lines);
        let is_last = self.focus.at + 1 == self.lines.len() || self.has_asked_zone && self.focus.at == zone;
        let typed = self.lines[zone].shown();
        let has_no_zone = typed.is_empty();
        // Many enter its name.
        let is_wrong = !has_no_zone && read_offset(typed).is_none();
        if action == Action::Accept && is_wrong && (is_last || self.focus.at == zone) {
            self.focus.at = zone;
            return ProfileStep::Wrong(
                t!("Time zone: enter the offset from UTC, such as +09:00.").to_owned(),
            );
        }
        match action {
            Action::ClearField => {
                if let Some(field) = self.field_mut() {
                    field.clear();
                }
            }
            Action::Accept if !is_last => {
                self.step(Action::NextField);
            }
            Action::Accept => {
                let step = match &self.was {
                    Some(was) => self.change(was),
                    None => self.candidate(),
                };
                if matches!(step, ProfileStep::Try(_)) && has_no_zone && !self.has_asked_zone {
                    (self.has_asked_zone, self.focus.at) = (true, zone);
                    return ProfileStep::Wrong(t!(
                        "In which time zone are the service's times? Enter the offset from UTC, such as {example}, or leave it empty if it is not known.",
                        example = example_offset()
                    ));
                }
                // The key is the likeliest to be wrong.
                self.focus.at = self.lines.len() - 1;
                return step;
            }
            _ if self.step(action) => {}
            _ => return ProfileStep::NotMine,
        }
        ProfileStep::Done
    }

    /// Moves the focus among the lines that are shown. Returns false for other actions.
    fn step(&mut self, action: Action) -> bool {
        let shown: Vec<usize> = (0..self.lines.len()).filter(|at| self.is_shown(&self.lines[*at])).collect();
        let mut focus = Focus { at: shown.iter().position(|at| *at == self.focus.at).unwrap_or(0) };
        let is_step = focus.on_action(action, shown.len());
        self.focus.at = shown[focus.at];
        is_step
    }

    fn candidate(&self) -> ProfileStep {
        let ((store, key), journal_password) = match (self.secrets.key.given(), self.changed_password()) {
            (Ok(given), Ok(password)) => (given, password),
            (Err(why), _) | (_, Err(why)) => return ProfileStep::Wrong(why),
        };
        let input = self.settings(|_, _| true);
        let profile = NewProfile { key_store: store, ..NewProfile::of(self.lines[0].shown(), input) };
        // Report invalid settings before the key is sent. The CA file is read later, because that can take long.
        if let Err(error) = profile.settings() {
            return ProfileStep::Wrong(format!("{error}."));
        }
        ProfileStep::Try(Box::new(ProfileCandidate { profile, key, journal_password }))
    }

    fn changed_password(&self) -> Result<Option<GivenSecret>, String> {
        if self.has_journal() { self.secrets.password.changed() } else { Ok(None) }
    }

    fn settings(&self, is_wanted: impl Fn(&str, &FormLine) -> bool) -> ProfileInput {
        let mut input = ProfileInput::default();
        for line in self.lines.iter().filter(|line| self.is_shown(line)) {
            if let Some(setting) = line.setting.filter(|setting| is_wanted(setting, line)) {
                input.set(setting, line.value());
            }
        }
        input
    }

    fn change(&self, was: &ProfileLine) -> ProfileStep {
        let (key, journal_password) = match (self.secrets.key.changed(), self.changed_password()) {
            (Ok(key), Ok(password)) => (key, password),
            (Err(why), _) | (_, Err(why)) => return ProfileStep::Wrong(why),
        };
        let input = self.settings(|setting, line| line.shown() != was.text(setting));
        let change = ProfileEdit { input, ..ProfileEdit::default() };
        let pin = self.lines.iter().any(|line| line.label == PIN && line.shown() == "true");
        if change.is_empty() && key.is_none() && journal_password.is_none() && !pin {
            return ProfileStep::Wrong(t!("No changes given.").to_owned());
        }
        ProfileStep::Change(Box::new(ProfileChange {
            name: was.name.clone(),
            change,
            key,
            journal_password,
            pin,
        }))
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
            Some(&mut LineControl::Source(kind)) => {
                self.secrets.of_mut(kind).turn(by);
                by != 0
            }
            _ => self.field_mut().is_some_and(|field| field.on_text_key(key)),
        }
    }

    /// Returns whether the text was refused: it looks like an API key, and the focused field would show it.
    pub fn on_paste(&mut self, text: &str) -> bool {
        let Some(field) = self.field_mut() else { return false };
        let is_refused = !field.is_secret() && (is_key(text) || is_new_key(text));
        if !is_refused {
            field.on_paste(text.trim());
        }
        is_refused
    }

    /// Explains the focused line, or the form where the label of the line is enough.
    fn advice(&self) -> String {
        let line = self.lines.get(self.focus.at);
        let setting = line.and_then(|line| line.setting);
        if let Some(kind) = line.and_then(FormLine::secret) {
            return self.secrets.of(kind).advice().to_owned();
        }
        if setting == Some("utc_offset") {
            let example = example_offset();
            return t!(
                "The service's times have no zone. Enter their offset from UTC, on this computer {example}. Empty: not known, so ages can be wrong.",
                example
            );
        }
        if setting == Some("short_name") {
            let typed = self.lines.iter().find(|line| line.setting == Some("organisation"));
            let word = short_name(typed.map_or("", FormLine::shown));
            return if word.is_empty() {
                t!("LIVE only: the word to type after the number before anything is sent. Empty: lapel makes one from the organisation's name at the service, and shows it when the profile is saved.").to_owned()
            } else {
                t!(
                    "LIVE only: the word to type after the number before anything is sent. Empty: {word}.",
                    word = scrub(&word)
                )
            };
        }
        let advice = if setting == Some("journal.url") {
            t!(
                "A journal that your team shares: postgres://USER@HOST/DATABASE, without a password. Lines for its CA file and password then follow. Empty: the journal on this computer."
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
            LineControl::Choice(..) | LineControl::Source(_) => None,
            &mut LineControl::Secret(kind) => self.secrets.of_mut(kind).field_mut(),
        }
    }

    fn spans(&self, control: &LineControl, room: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
        match control {
            LineControl::Text(field) | LineControl::Path(field) => field.spans(room, focused, cx),
            LineControl::Choice(choices, chosen) => {
                let labels: Vec<&str> = choices.iter().map(|(_, label)| label.as_str()).collect();
                choice(&labels, *chosen, room, focused, cx)
            }
            LineControl::Source(kind) => {
                let source = self.secrets.of(*kind);
                choice(&source.places(), source.chosen(), room, focused, cx)
            }
            LineControl::Secret(kind) => {
                let source = self.secrets.of(*kind);
                match source.field() {
                    Some(field) => field.spans(room, focused, cx),
                    None => vec![Span::styled(fit(source.said(), room, cx.glyphs.ellipsis), cx.theme.dim())],
                }
            }
        }
    }

    /// Adds the lines of the form. With `brief`, it has no explanations, because a message follows below it.
    pub fn draw(&self, form: &mut FormText<'_>, brief: bool, cx: &UiContext) {
        for (at, line) in self.lines.iter().enumerate().filter(|(_, line)| self.is_shown(line)) {
            let focused = self.focus.at == at;
            let label = match line.control {
                LineControl::Secret(kind) => self.secrets.of(kind).label(),
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
        let key = |action| cx.key(&KeyContext::Form.in_field(), action);
        form.dim(&t!(
            "{enter} (last field) check and save  {esc} back",
            enter = key(Action::Accept),
            esc = key(Action::Back)
        ));
    }
}

fn settings(settings: &ProfileSettings) -> Vec<FormLine> {
    let mut editable = ProfileSettings::editable();
    editable.sort_by_key(|(_, edit)| (edit.is_required, edit.input != Input::Secret(SecretKind::ApiKey)));
    let mut lines = Vec::new();
    for (key, edit) in &editable {
        lines.push(FormLine::of(key, edit, &settings.text(key)));
        if edit.input == Input::Secret(SecretKind::JournalPassword) {
            lines.push(FormLine::new("", LineControl::Secret(SecretKind::JournalPassword)));
        }
    }
    lines.push(FormLine::new("", LineControl::Secret(SecretKind::ApiKey)));
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

#[cfg(test)]
mod tests;
