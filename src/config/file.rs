//! `config.toml`: what may stand in it, and what is wrong with what stands there.

use super::address::{check_base_url, check_picture_base, check_proxy};
use super::desk::{DeskSettings, RecentChoice};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::mistake::{ConfigError, Mistake};
use super::pictures::PictureChoice;
use super::place::{Sheet, join};
use super::profile::{Environment, NAME_RULE, Pin, is_profile_name};
use super::source::KeySource;
use super::ui::{GlyphChoice, ThemeChoice};
use crate::words::Language;
use jiff::tz::Offset;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// A settings file is a page of text; something larger is something else.
const LARGEST: u64 = 1 << 20;

/// What may stand at the top. [`known`](super::known) tells all of it.
pub(super) const TOP: &[&str] = &[
    "default_profile",
    "theme",
    "glyphs",
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
/// What may stand in a profile.
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
/// Names under which people try to write a key into the file.
const KEY_LIKE: &[&str] = &["api_key", "apikey", "api-key", "x-api-key", "token", "secret", "password"];

/// What to do instead of writing a key into the settings.
pub(super) const KEY_ADVICE: &str = mark!(
    "a key must not stand in this file: take it out, and put it into a file \
                          that only you can read, named keys/ and the profile's name beside this file (or say \
                          key = { keyring = true }, key = { env = \"NAME\" } or key = { file = \"path\" })"
);

/// The settings file as it was read.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub path: PathBuf,
    /// What stands at the top, of [`TOP`].
    pub said: Vec<&'static str>,
    /// The name with its line.
    pub default_profile: Option<(String, usize)>,
    pub theme: Option<ThemeChoice>,
    pub glyphs: Option<GlyphChoice>,
    pub pictures: Option<PictureChoice>,
    pub language: Option<Language>,
    pub desk: DeskSettings,
    /// For all profiles.
    pub jobs: JobSettings,
    /// For all profiles.
    pub index: IndexSettings,
    /// In the order of the file.
    pub profiles: Vec<Entry>,
}

/// A profile as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub line: usize,
    /// What stands in it, of [`PROFILE`].
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
    /// The name of a file, with the line that names it.
    pub ca_file: Option<(String, usize)>,
    pub pin: Option<Pin>,
    pub jobs: JobSettings,
    pub index: IndexSettings,
}

impl Entry {
    /// Whether another reading of the file, where it may stand on other lines, says the same.
    pub fn says_what(&self, other: &Self) -> bool {
        let anywhere = |entry: &Self| Self {
            line: 0,
            // What stands there and says what would be so without it says nothing else.
            said: Vec::new(),
            key: entry.key.anywhere(),
            ca_file: entry.ca_file.clone().map(|(name, _)| (name, 0)),
            ..entry.clone()
        };
        anywhere(self) == anywhere(other)
    }
}

impl ConfigFile {
    /// Reads the file; one that does not exist is an empty one.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        match read_text(path)? {
            Some(text) => Self::parse(path, &text),
            None => Ok(Self { path: path.to_owned(), ..Self::default() }),
        }
    }

    /// Reads settings from a text.
    ///
    /// # Errors
    /// All mistakes that are in it, by line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let mut sheet = Sheet::new(path, text);
        let mut read = Self { path: path.to_owned(), ..Self::default() };
        if let Some(table) = sheet.parse() {
            read.take_top(&mut sheet, table.get_ref());
        }
        if sheet.mistakes.is_empty() {
            read.profiles.sort_by_key(|entry| entry.line);
            return Ok(read);
        }
        sheet.mistakes.sort_by_key(|mistake| mistake.line);
        Err(ConfigError::new(sheet.mistakes))
    }

    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.profiles.iter().find(|entry| entry.name == name)
    }

    /// The names of the profiles, for messages.
    pub fn names(&self) -> String {
        match self.profiles.as_slice() {
            [] => t!("none").to_owned(),
            all => all.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", "),
        }
    }

    /// A mistake in this file.
    pub fn wrong(&self, line: usize, field: &str, what: impl Into<String>) -> ConfigError {
        Mistake::in_file(&self.path, Some(line), Some(field), what).into()
    }

    fn take_desk(&mut self, sheet: &mut Sheet<'_>, top: &DeTable<'_>) {
        if let Some(value) = top.get("clipboard") {
            self.desk.clipboard = sheet.word(value, "clipboard").unwrap_or_default();
        }
        if let Some(value) = top.get("notice") {
            self.desk.notice = sheet.word(value, "notice").unwrap_or_default();
        }
        if let Some(value) = top.get("refresh") {
            self.desk.refresh = sheet.word(value, "refresh").unwrap_or_default();
        }
        if let Some(value) = top.get("restore") {
            self.desk.restore = sheet.truth(value, "restore").unwrap_or(true);
        }
        if let Some(value) = top.get("recent") {
            // Whoever slips here does not want it kept.
            let kept = sheet.truth(value, "recent").unwrap_or(false);
            self.desk.recent = if kept { RecentChoice::Kept } else { RecentChoice::Off };
        }
    }

    fn take_top(&mut self, sheet: &mut Sheet<'_>, top: &DeTable<'_>) {
        refuse_keys(sheet, top, "");
        // The right name in the wrong place: above the first profile.
        if let Some((name, _)) = top.get_key_value("key") {
            sheet.wrong(name.span().start, "key", crate::words::say(KEY_ADVICE));
        }
        sheet.unknown(top, "", TOP, &[KEY_LIKE, &["key"]].concat());
        self.said = said_in(top, TOP);
        if let Some(value) = top.get("theme") {
            self.theme = sheet.word(value, "theme");
        }
        if let Some(value) = top.get("glyphs") {
            self.glyphs = sheet.word(value, "glyphs");
        }
        if let Some(value) = top.get("pictures") {
            self.pictures = sheet.word(value, "pictures");
        }
        if let Some(value) = top.get("language") {
            self.language = sheet.word(value, "language");
        }
        self.take_desk(sheet, top);
        if let Some(value) = top.get("jobs") {
            self.jobs = JobSettings::read(sheet, value, "jobs");
        }
        if let Some(value) = top.get("index") {
            self.index = IndexSettings::read(sheet, value, "index");
        }
        if let Some(profiles) = top.get("profiles")
            && let Some(profiles) = sheet.table(profiles, "profiles", t!("tables such as [profiles.demo]"))
        {
            self.take_profiles(sheet, profiles);
        }
        if let Some(value) = top.get("default_profile")
            && let Some(name) = sheet.text(value, "default_profile")
        {
            let known = top.get("profiles").and_then(|p| p.get_ref().as_table());
            if known.is_some_and(|profiles| profiles.contains_key(name)) {
                self.default_profile = Some((name.to_owned(), sheet.line(value.span().start)));
            } else {
                let names = self.names();
                let what = t!("names a profile that this file does not have; it has: {names}", names);
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
                    t!("this name cannot be used: {name_rule}", name_rule = crate::words::say(NAME_RULE)),
                );
                continue;
            }
            let prefix = join("profiles", name);
            let Some(table) = sheet.table(value, &prefix, t!("a table of settings")) else { continue };
            let before = sheet.mistakes.len();
            let entry = take_profile(sheet, table, name, at);
            if sheet.mistakes.len() == before
                && let Some(entry) = entry
            {
                self.profiles.push(entry);
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
            let what = t!("must be hours and minutes from UTC in quotes, such as \"+09:00\"");
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
    })
}

/// Which fields a table has.
fn said_in(table: &DeTable<'_>, known: &[&'static str]) -> Vec<&'static str> {
    known.iter().copied().filter(|name| table.contains_key(*name)).collect()
}

/// What the key was when it was checked: its first characters, as the service says them, and its fingerprint.
fn take_pin(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) -> Option<Pin> {
    let fingerprint = table.get("key_fingerprint").and_then(|value| {
        let field = join(prefix, "key_fingerprint");
        let text = sheet.text(value, &field)?;
        if !Pin::is_fingerprint(text) {
            let what =
                t!("must be the eight digits and letters that lapel writes there: lapel profile edit --pin");
            sheet.wrong(value.span().start, &field, what);
        }
        Some(text.to_owned())
    });
    let value = table.get("key_prefix")?;
    let field = join(prefix, "key_prefix");
    let text = sheet.text(value, &field)?;
    if !Pin::is_prefix(text) {
        let what = t!("must be the first characters of the key, at most 24, and never the whole key");
        sheet.wrong(value.span().start, &field, what);
    }
    Some(Pin { prefix: text.to_owned(), fingerprint })
}

/// Points out keys under their likely names; a plain "not known" would not say where they belong.
fn refuse_keys(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) {
    for name in KEY_LIKE {
        if let Some((name, _)) = table.get_key_value(*name) {
            sheet.wrong(name.span().start, &join(prefix, name.get_ref()), crate::words::say(KEY_ADVICE));
        }
    }
}

/// The text of the settings file; `None` when there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let wrong = |line, what: String| ConfigError::from(Mistake::in_file(path, line, None, what));
    let cannot = |why: std::io::Error| wrong(None, t!("cannot be read: {why}", why));
    // Looked at first: opening a pipe would wait for its other end.
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(wrong(None, t!("is not a file").to_owned())),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(why) => return Err(cannot(why)),
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(wrong(None, t!("is larger than 1 MB: this cannot be a settings file").to_owned()));
    }
    String::from_utf8(bytes).map(Some).map_err(|why| {
        let good = &why.as_bytes()[..why.utf8_error().valid_up_to()];
        let line = String::from_utf8_lossy(good).matches('\n').count() + 1;
        wrong(Some(line), t!("is not UTF-8 text: save the file as UTF-8").to_owned())
    })
}
