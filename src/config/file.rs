//! `config.toml`: the allowed fields, and the mistakes in the file.

use super::address::{check_base_url, check_picture_base, check_proxy};
use super::behaviour::{BehaviourSettings, RecentChoice};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::lines::{Lost, Readable, read_bytes};
use super::mistake::{ConfigError, Mistake};
use super::pictures::PictureChoice;
use super::profile::{Environment, NAME_RULE, Pin, is_profile_name};
use super::source::KeySource;
use super::toml_reader::{Sheet, join, nearest};
use super::ui::{GlyphChoice, JoinedChoice, ThemeChoice};
use crate::i18n::Language;
use jiff::tz::Offset;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Maximum size of a settings file in bytes. A larger file is something else.
pub(super) const LARGEST: u64 = 1 << 20;

/// Allowed fields at the top level. [`known`](super::known) reports the value of each.
pub(super) const TOP: &[&str] = &[
    "default_profile",
    "theme",
    "glyphs",
    "joined_text",
    "pictures",
    "clipboard",
    "notice",
    "refresh",
    "restore",
    "recent",
    "language",
    "jobs",
    "index",
    "profiles",
];
pub(super) const PROFILE: &[&str] = &[
    "environment",
    "base_url",
    "organisation",
    "read_only",
    "key",
    "key_command",
    "key_command_timeout",
    "key_prefix",
    "key_fingerprint",
    "rate_limit",
    "utc_offset",
    "proxy",
    "picture_base",
    "ca_file",
    "jobs",
    "index",
];
/// Field names under which users try to write a key into the file.
const KEY_LIKE: &[&str] = &["api_key", "apikey", "api-key", "x-api-key", "token", "secret", "password"];

/// The advice for a key in the settings file.
pub(super) const KEY_ADVICE: &str = tr_noop!(
    "this file must not contain a key: move it into a file that only you can read, named keys/ and the profile's name beside this file (or use key = { keyring = true }, key = { env = \"NAME\" } or key = { file = \"path\" })"
);

#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub path: PathBuf,
    /// The fields of [`TOP`] that the file contains.
    pub said: Vec<&'static str>,
    /// The name with its line.
    pub default_profile: Option<(String, usize)>,
    pub theme: Option<ThemeChoice>,
    pub glyphs: Option<GlyphChoice>,
    pub joined: JoinedChoice,
    pub pictures: Option<PictureChoice>,
    pub language: Option<Language>,
    pub behaviour: BehaviourSettings,
    /// Settings for all profiles.
    pub jobs: JobSettings,
    /// Settings for all profiles.
    pub index: IndexSettings,
    /// In the order of the file.
    pub profiles: Vec<Entry>,
    /// The profiles that cannot be used, with their mistakes.
    pub unusable: Vec<(String, Vec<Mistake>)>,
    /// Whether the default profile does not exist. lapel then chooses no profile.
    pub default_is_wrong: bool,
    /// Whether a mistake outside the profiles makes every profile read-only, including one from the
    /// environment.
    pub is_read_only: bool,
    /// All mistakes, by line.
    pub mistakes: Vec<Mistake>,
}

/// The consequence of a mistake in a profile, the mildest first. An unreadable setting must never make a
/// profile less careful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    /// The field gets its default.
    Field,
    /// The profile becomes read-only.
    Sending,
    /// The profile cannot be used, because its address or its key is unknown.
    Profile,
}

impl Cost {
    /// The consequence of a mistake in a field of a profile, such as `jobs.batch`.
    fn of(field: &str) -> Self {
        let (name, rest) = field.split_once('.').unwrap_or((field, ""));
        let name = nearest(name, PROFILE.iter().chain(KEY_LIKE).copied()).unwrap_or(name);
        match name {
            "organisation"
            | "rate_limit"
            | "utc_offset"
            | "picture_base"
            | "key_command_timeout"
            | "index" => Self::Field,
            // The default is safe, because the contract's own limits apply.
            "jobs" if JobSettings::is_number(rest) => Self::Field,
            "base_url" | "key" | "key_command" | "proxy" | "ca_file" => Self::Profile,
            name if KEY_LIKE.contains(&name) => Self::Profile,
            // Includes names too misspelled to recognise: the field may have been `read_only`.
            _ => Self::Sending,
        }
    }

    /// Adds the consequence to the text of a mistake.
    fn told(self, mistake: &mut Mistake, name: Option<&str>) {
        let what = std::mem::take(&mut mistake.what);
        mistake.what = match (self, name) {
            (Self::Field, _) => what,
            (Self::Sending, Some(name)) => {
                t!("{what}. Until you correct this, profile {name} is read-only", what, name)
            }
            (Self::Sending, None) => t!("{what}. Until you correct this, every profile is read-only", what),
            (Self::Profile, Some(name)) => {
                t!("{what}. Until you correct this, profile {name} cannot be used", what, name)
            }
            (Self::Profile, None) => t!("{what}. Until you correct this, no profile can be used", what),
        };
    }
}

/// A profile as written in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub line: usize,
    /// The fields of [`PROFILE`] that the entry contains.
    pub said: Vec<&'static str>,
    pub environment: Option<Environment>,
    pub base_url: String,
    pub organisation: Option<String>,
    pub read_only: bool,
    pub key: KeySource,
    pub rate_limit: Option<u32>,
    pub utc_offset: Option<Offset>,
    pub proxy: Option<String>,
    pub picture_base: Option<String>,
    /// The name of the file, and the line in `config.toml`.
    pub ca_file: Option<(String, usize)>,
    pub pin: Option<Pin>,
    pub jobs: JobSettings,
    pub index: IndexSettings,
    /// Mistakes that make the profile read-only.
    pub doubts: Vec<Mistake>,
}

impl Entry {
    /// Whether two readings of an entry have the same content. Line numbers do not count.
    pub fn says_what(&self, other: &Self) -> bool {
        let anywhere = |entry: &Self| Self {
            line: 0,
            // A field that is written out with its default value makes no difference.
            said: Vec::new(),
            key: entry.key.anywhere(),
            ca_file: entry.ca_file.clone().map(|(name, _)| (name, 0)),
            ..entry.clone()
        };
        anywhere(self) == anywhere(other)
    }
}

impl ConfigFile {
    /// Reads the file. A missing file counts as empty. A mistake affects only its own field, see
    /// [`Self::mistakes`].
    ///
    /// # Errors
    /// The whole file cannot be used.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Ok(Self::of(path, &Readable::read(path)?.unwrap_or_default()))
    }

    /// Parses settings before or after a change. The text must not contain any mistake.
    ///
    /// # Errors
    /// All mistakes, by line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let read = Self::of(path, &Readable::of(text));
        if read.mistakes.is_empty() { Ok(read) } else { Err(ConfigError::new(read.mistakes)) }
    }

    fn of(path: &Path, readable: &Readable) -> Self {
        let mut sheet = Sheet::new(path, &readable.text);
        let mut read = Self { path: path.to_owned(), ..Self::default() };
        if let Some(table) = sheet.parse() {
            read.take_top(&mut sheet, table.get_ref());
        }
        read.mistakes = sheet.mistakes;
        for lost in &readable.lost {
            let mistake = read.lose(lost, lost.mistake(path));
            read.mistakes.push(mistake);
        }
        read.profiles.sort_by_key(|entry| entry.line);
        read.mistakes.sort_by_key(|mistake| mistake.line);
        read
    }

    /// Applies the consequence of unreadable lines. Returns the mistake with the consequence in its text.
    fn lose(&mut self, lost: &Lost, mut mistake: Mistake) -> Mistake {
        let (of, cost) = if lost.has_heading() {
            self.cost_of_headings(lost)
        } else {
            let costs = |within: &[String]| {
                let field =
                    |name: &str| Cost::of([within.join(".").as_str(), name].join(".").trim_matches('.'));
                lost.fields().map(field).max().unwrap_or(Cost::Sending)
            };
            match lost.section().as_slice() {
                [profiles, name, within @ ..] if profiles == "profiles" => {
                    (Some(name.clone()), costs(within))
                }
                section @ [table, ..] if table == "jobs" => (None, costs(section)),
                [] => {
                    self.default_is_wrong |= lost.fields().any(|name| name == "default_profile");
                    let field = |name: &str| match name {
                        "profiles" => Cost::Profile,
                        known if known != "jobs" && TOP.contains(&known) => Cost::Field,
                        _ => Cost::Sending,
                    };
                    (None, lost.fields().map(field).max().unwrap_or(Cost::Sending))
                }
                _ => (None, Cost::Field),
            }
        };
        cost.told(&mut mistake, of.as_deref());
        self.pay(cost, of.as_deref(), &mistake);
        mistake
    }

    /// The consequence of unreadable headings and the lines below them, and the affected profile.
    fn cost_of_headings(&self, lost: &Lost) -> (Option<String>, Cost) {
        let [heading, rest @ ..] = lost.texts.as_slice() else { return (None, Cost::Profile) };
        if rest.iter().any(|line| line.starts_with('[')) || !heading.starts_with('[') {
            // The loss spans several sections, for example after a string that is not closed.
            return (None, Cost::Profile);
        }
        match self.profiles.iter().find(|entry| heading.contains(entry.name.as_str())) {
            Some(entry) => (Some(entry.name.clone()), Cost::Profile),
            None if heading.contains("jobs") => (None, Cost::Sending),
            // The heading of a profile that the file does not have otherwise. No other profile is affected.
            None => (None, Cost::Field),
        }
    }

    /// Applies a consequence to a profile, or to all profiles when `of` is `None`.
    fn pay(&mut self, cost: Cost, of: Option<&str>, mistake: &Mistake) {
        let is_meant = |name: &str| of.is_none_or(|of| of == name);
        match cost {
            Cost::Field => {}
            Cost::Sending => {
                self.is_read_only |= of.is_none();
                for entry in self.profiles.iter_mut().filter(|entry| is_meant(&entry.name)) {
                    entry.read_only = true;
                    entry.doubts.push(mistake.clone());
                }
            }
            Cost::Profile => {
                let gone = self.profiles.extract_if(.., |entry| is_meant(&entry.name));
                self.unusable.extend(gone.map(|entry| (entry.name, vec![mistake.clone()])));
            }
        }
    }

    pub fn why_unusable(&self, name: &str) -> Option<ConfigError> {
        let (_, mistakes) = self.unusable.iter().find(|(unusable, _)| unusable == name)?;
        Some(ConfigError::new(mistakes.clone()))
    }

    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.profiles.iter().find(|entry| entry.name == name)
    }

    pub fn names(&self) -> String {
        match self.profiles.as_slice() {
            [] => t!("none").to_owned(),
            all => all.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", "),
        }
    }

    pub fn wrong(&self, line: usize, field: &str, what: impl Into<String>) -> ConfigError {
        Mistake::in_file(&self.path, Some(line), Some(field), what).into()
    }

    fn take_behaviour(&mut self, sheet: &mut Sheet<'_>, top: &DeTable<'_>) {
        if let Some(value) = top.get("clipboard") {
            self.behaviour.clipboard = sheet.word(value, "clipboard").unwrap_or_default();
        }
        if let Some(value) = top.get("notice") {
            self.behaviour.notice = sheet.word(value, "notice").unwrap_or_default();
        }
        if let Some(value) = top.get("refresh") {
            self.behaviour.refresh = sheet.word(value, "refresh").unwrap_or_default();
        }
        if let Some(value) = top.get("restore") {
            self.behaviour.restore = sheet.truth(value, "restore").unwrap_or(true);
        }
        if let Some(value) = top.get("recent") {
            // On a mistake, nothing is saved: a user who writes this setting most likely wants it off.
            let kept = sheet.truth(value, "recent").unwrap_or(false);
            self.behaviour.recent = if kept { RecentChoice::Kept } else { RecentChoice::Off };
        }
    }

    fn take_top(&mut self, sheet: &mut Sheet<'_>, top: &DeTable<'_>) {
        refuse_keys(sheet, top, "");
        // A `key` above the first profile: the right name in the wrong place.
        if let Some((name, _)) = top.get_key_value("key") {
            sheet.wrong(name.span().start, "key", crate::i18n::tr(KEY_ADVICE));
        }
        sheet.unknown(top, "", TOP, &[KEY_LIKE, &["key"]].concat());
        self.said = said_in(top, TOP);
        if let Some(value) = top.get("theme") {
            self.theme = sheet.word(value, "theme");
        }
        if let Some(value) = top.get("glyphs") {
            self.glyphs = sheet.word(value, "glyphs");
        }
        if let Some(value) = top.get("joined_text") {
            self.joined = sheet.word(value, "joined_text").unwrap_or_default();
        }
        if let Some(value) = top.get("pictures") {
            self.pictures = sheet.word(value, "pictures");
        }
        if let Some(value) = top.get("language") {
            self.language = sheet.word(value, "language");
        }
        self.take_behaviour(sheet, top);
        let before = sheet.mistakes.len();
        if let Some(value) = top.get("jobs") {
            self.jobs = JobSettings::read(sheet, value, "jobs");
        }
        let of_jobs = before..sheet.mistakes.len();
        if let Some(value) = top.get("index") {
            self.index = IndexSettings::read(sheet, value, "index");
        }
        if let Some(profiles) = top.get("profiles")
            && let Some(profiles) = sheet.table(profiles, "profiles", t!("tables such as [profiles.demo]"))
        {
            self.take_profiles(sheet, profiles);
        }
        for mistake in &mut sheet.mistakes[of_jobs] {
            let cost = Cost::of(mistake.field.as_deref().unwrap_or_default());
            cost.told(mistake, None);
            self.pay(cost, None, mistake);
        }
        if let Some(value) = top.get("default_profile") {
            self.default_is_wrong = true;
            let Some(name) = sheet.text(value, "default_profile") else { return };
            let known = top.get("profiles").and_then(|p| p.get_ref().as_table());
            if known.is_some_and(|profiles| profiles.contains_key(name)) {
                self.default_is_wrong = false;
                self.default_profile = Some((name.to_owned(), sheet.line(value.span().start)));
            } else {
                let names = self.names();
                let what = t!("names an unknown profile; profiles in this file: {names}", names);
                sheet.wrong(value.span().start, "default_profile", what);
            }
        }
    }

    fn take_profiles(&mut self, sheet: &mut Sheet<'_>, profiles: &DeTable<'_>) {
        for (name, value) in profiles {
            let at = name.span().start;
            let name = name.get_ref().as_ref();
            if !is_profile_name(name) {
                sheet.wrong(
                    at,
                    "profiles",
                    t!("invalid name: {name_rule}", name_rule = crate::i18n::tr(NAME_RULE)),
                );
                continue;
            }
            let prefix = join("profiles", name);
            let Some(table) = sheet.table(value, &prefix, t!("a table of settings")) else { continue };
            let before = sheet.mistakes.len();
            let entry = take_profile(sheet, table, name, at);
            let mut cost = if entry.is_some() { Cost::Field } else { Cost::Profile };
            let inside = format!("{prefix}.");
            for mistake in &mut sheet.mistakes[before..] {
                let field = mistake.field.as_deref().and_then(|field| field.strip_prefix(&inside));
                let own = Cost::of(field.unwrap_or_default());
                own.told(mistake, Some(name));
                cost = cost.max(own);
            }
            let doubts = sheet.mistakes[before..].to_vec();
            match entry {
                Some(entry) if cost == Cost::Field => self.profiles.push(entry),
                Some(entry) if cost == Cost::Sending => {
                    self.profiles.push(Entry { read_only: true, doubts, ..entry });
                }
                _ => self.unusable.push((name.to_owned(), doubts)),
            }
        }
    }
}

fn take_profile(sheet: &mut Sheet<'_>, table: &DeTable<'_>, name: &str, at: usize) -> Option<Entry> {
    let prefix = join("profiles", name);
    let field = |name: &str| join(&prefix, name);
    refuse_keys(sheet, table, &prefix);
    sheet.unknown(table, &prefix, PROFILE, KEY_LIKE);

    let base_url = table.get("base_url").and_then(|value| {
        let raw = sheet.text(value, &field("base_url"))?;
        check_base_url(raw).map_err(|why| sheet.wrong(value.span().start, &field("base_url"), why)).ok()
    });
    if !table.contains_key("base_url") {
        let what = "is missing: write base_url = \"https://host/api/v1/ext\" under this profile";
        sheet.wrong(at, &field("base_url"), what);
    }
    let proxy = table.get("proxy").and_then(|value| {
        let raw = sheet.text(value, &field("proxy"))?;
        check_proxy(raw).map_err(|why| sheet.wrong(value.span().start, &field("proxy"), why)).ok()
    });
    let picture_base = table.get("picture_base").and_then(|value| {
        let raw = sheet.text(value, &field("picture_base"))?;
        check_picture_base(raw)
            .map_err(|why| sheet.wrong(value.span().start, &field("picture_base"), why))
            .ok()
    });
    let utc_offset = table.get("utc_offset").and_then(|value| {
        let offset = value.get_ref().as_str().and_then(crate::domain::time::read_offset);
        if offset.is_none() {
            let what = t!("must be the offset from UTC in quotes, such as \"+09:00\"");
            sheet.wrong(value.span().start, &field("utc_offset"), what);
        }
        offset
    });
    let ca_file = table.get("ca_file").and_then(|value| {
        let named = sheet.text(value, &field("ca_file"))?;
        if named.is_empty() {
            sheet.wrong(value.span().start, &field("ca_file"), t!("is empty"));
        }
        Some((named.to_owned(), sheet.line(value.span().start)))
    });
    Some(Entry {
        name: name.to_owned(),
        line: sheet.line(at),
        said: said_in(table, PROFILE),
        environment: table.get("environment").and_then(|v| sheet.word(v, &field("environment"))),
        organisation: table
            .get("organisation")
            .and_then(|v| sheet.text(v, &field("organisation")))
            .map(str::to_owned)
            .filter(|label| !label.trim().is_empty()),
        read_only: table
            .get("read_only")
            .and_then(|v| sheet.truth(v, &field("read_only")))
            .unwrap_or_default(),
        key: KeySource::read(sheet, table, &prefix),
        rate_limit: table.get("rate_limit").and_then(|v| sheet.number(v, &field("rate_limit"), 1, 1_000_000)),
        utc_offset,
        proxy,
        picture_base,
        ca_file,
        pin: take_pin(sheet, table, &prefix),
        jobs: table.get("jobs").map(|v| JobSettings::read(sheet, v, &field("jobs"))).unwrap_or_default(),
        index: table.get("index").map(|v| IndexSettings::read(sheet, v, &field("index"))).unwrap_or_default(),
        base_url: base_url?,
        doubts: Vec::new(),
    })
}

/// The known fields that a table contains.
fn said_in(table: &DeTable<'_>, known: &[&'static str]) -> Vec<&'static str> {
    known.iter().copied().filter(|name| table.contains_key(*name)).collect()
}

/// Reads the pin: the first characters of the key, as the service reported them, and its fingerprint.
fn take_pin(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) -> Option<Pin> {
    let fingerprint = table.get("key_fingerprint").and_then(|value| {
        let field = join(prefix, "key_fingerprint");
        let text = sheet.text(value, &field)?;
        if !Pin::is_fingerprint(text) {
            let what = t!("must be the eight digits and letters from lapel profile edit --pin");
            sheet.wrong(value.span().start, &field, what);
        }
        Some(text.to_owned())
    });
    let value = table.get("key_prefix")?;
    let field = join(prefix, "key_prefix");
    let text = sheet.text(value, &field)?;
    if !Pin::is_prefix(text) {
        let what = t!("must be the first characters of the key (at most 24), never the whole key");
        sheet.wrong(value.span().start, &field, what);
        return None;
    }
    crate::secrets::register_pin(text, fingerprint.as_deref());
    Some(Pin { prefix: text.to_owned(), fingerprint })
}

/// Reports keys under their likely names. A plain "unknown field" would not say where a key belongs.
fn refuse_keys(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) {
    for name in KEY_LIKE {
        if let Some((name, _)) = table.get_key_value(*name) {
            sheet.wrong(name.span().start, &join(prefix, name.get_ref()), crate::i18n::tr(KEY_ADVICE));
        }
    }
}

/// The text of a settings file before a change. `None` when the file does not exist.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|why| {
        let good = &why.as_bytes()[..why.utf8_error().valid_up_to()];
        let line = String::from_utf8_lossy(good).matches('\n').count() + 1;
        Mistake::in_file(path, Some(line), None, t!("is not UTF-8 text: save the file as UTF-8")).into()
    })
}
