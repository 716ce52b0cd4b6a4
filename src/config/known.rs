//! Every setting of `config.toml`, with its current value and its source. The names come from the lists that
//! the reader uses, so that none is missing.

use super::address::{check_base_url, same_origin};
use super::behaviour::RecentChoice;
use super::env::Env;
use super::file::{ConfigFile, Entry, PROFILE, TOP};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key;
use super::paths::Paths;
use super::profile::Environment;
use super::settings::{Flags, Settings, without_user};
use super::source::KeySource;
use super::survey::{Said, Source};
use super::theme::ThemeFile;
use super::ui::Words;
use jiff::tz::Offset;

/// Defaults that other modules define.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Requests per minute.
    pub rate_limit: u32,
    pub jobs: JobSettings,
    pub index: IndexSettings,
}

/// Tables, which have settings of their own.
const TABLES: &[&str] = &["jobs", "index", "profiles"];

fn plain(names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    names.iter().copied().filter(|name| !TABLES.contains(name))
}

/// The names of all settings: `theme`, `jobs.in_flight`, `index.enabled`, and `profile.base_url` for one that
/// only a profile has.
pub fn known_settings() -> Vec<String> {
    let top = plain(TOP).map(str::to_owned);
    let jobs = JobSettings::default().each().into_iter().map(|(name, _)| format!("jobs.{name}"));
    let index = IndexSettings::default().each().into_iter().map(|(name, _)| format!("index.{name}"));
    let profile = plain(PROFILE).map(|name| format!("profile.{name}"));
    top.chain(jobs).chain(index).chain(profile).collect()
}

/// The sources of the settings.
pub(super) struct Layers<'a> {
    pub flags: &'a Flags,
    pub env: &'a Env,
    pub paths: &'a Paths,
    pub file: &'a ConfigFile,
    /// The settings without those that have mistakes.
    pub lenient: &'a Settings,
    pub defaults: &'a Defaults,
}

impl Layers<'_> {
    pub fn top(&self) -> Vec<Said> {
        plain(TOP).map(|name| self.one_of_top(name)).collect()
    }

    fn one_of_top(&self, name: &'static str) -> Said {
        let (file, behaviour, ui) = (self.file, &self.lenient.behaviour, &self.lenient.ui);
        let is_said = file.said.contains(&name);
        let in_file = if is_said { Source::File } else { Source::Default };
        let word = |word: &str| Some(word.to_owned());
        let (value, source) = match name {
            "default_profile" => (file.default_profile.as_ref().map(|(name, _)| name.clone()), in_file),
            "theme" => (word(ui.theme.theme.word()), self.theme()),
            "glyphs" => {
                let flag = self.flags.glyphs.map(|_| Source::Flag);
                (word(ui.glyphs.spelled()), flag.unwrap_or(in_file))
            }
            "joined_text" => (word(ui.joined.spelled()), in_file),
            "pictures" => {
                // On some terminals `auto` becomes `none`, which neither the flag nor the file asked for.
                let said = ui.pictures.choice;
                let source = match (self.flags.pictures, file.pictures) {
                    (Some(flag), _) if flag == said => Source::Flag,
                    (None, Some(file)) if file == said => Source::File,
                    _ => Source::Default,
                };
                (word(said.spelled()), source)
            }
            "language" => {
                let asks = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().any(|name| self.env.raw(name).is_some());
                let source = if !is_said && asks { Source::Variable } else { in_file };
                (word(ui.language.spelled()), source)
            }
            "clipboard" => (word(behaviour.clipboard.spelled()), in_file),
            "notice" => (word(behaviour.notice.spelled()), in_file),
            "refresh" => (word(behaviour.refresh.spelled()), in_file),
            "restore" => (Some(behaviour.restore.to_string()), in_file),
            "recent" => (Some((behaviour.recent == RecentChoice::Kept).to_string()), in_file),
            _ => (None, in_file),
        };
        Said { name: name.to_owned(), value, source }
    }

    fn theme(&self) -> Source {
        let theme = self.lenient.ui.theme.theme;
        let own = || ThemeFile::read(&self.paths.theme_file()).0.base.is_some();
        // `NO_COLOR` takes precedence over a flag that leaves the choice to lapel.
        if self.flags.theme.is_some_and(|flag| flag == theme) {
            Source::Flag
        } else if self.env.raw("NO_COLOR").is_some() {
            Source::Variable
        } else if self.file.theme.is_some() {
            Source::File
        } else if own() {
            Source::ThemeFile
        } else {
            Source::Default
        }
    }

    /// The settings of jobs and index, with or without a profile.
    pub fn tables(&self, entry: Option<&Entry>) -> Vec<Said> {
        let (file, defaults) = (self.file, self.defaults);
        let jobs = (entry.map(|of| of.jobs.each()), file.jobs.each(), defaults.jobs.each());
        let index = (entry.map(|of| of.index.each()), file.index.each(), defaults.index.each());
        let mut all = Vec::new();
        for (table, (profile, file, default)) in [("index", index), ("jobs", jobs)] {
            let profile = profile.unwrap_or_else(|| file.iter().map(|(n, _)| (n.clone(), None)).collect());
            for (((name, profile), (_, file)), (_, default)) in profile.into_iter().zip(file).zip(default) {
                let (value, source) = match (profile, file) {
                    (Some(value), _) => (Some(value), Source::Profile),
                    (None, Some(value)) => (Some(value), Source::File),
                    (None, None) => (default, Source::Default),
                };
                all.push(Said { name: format!("{table}.{name}"), value, source });
            }
        }
        all
    }

    /// The settings of a profile, without secrets. Without an entry, the environment defines the profile.
    pub fn profile(&self, entry: Option<&Entry>) -> Vec<Said> {
        let given = self.env.raw("LAPEL_BASE_URL").map(|raw| check_base_url(&raw.to_string_lossy()).ok());
        let leads_elsewhere = |entry: &Entry| {
            given
                .as_ref()
                .is_some_and(|url| !url.as_ref().is_some_and(|url| same_origin(url, &entry.base_url)))
        };
        let elsewhere = entry.is_some_and(leads_elsewhere);
        plain(PROFILE)
            .map(|name| match (name, &given) {
                ("base_url", Some(url)) => {
                    Said { name: name.to_owned(), value: url.clone(), source: Source::Variable }
                }
                _ => self.one_of_profile(name, entry, elsewhere),
            })
            .collect()
    }

    fn one_of_profile(&self, name: &'static str, entry: Option<&Entry>, elsewhere: bool) -> Said {
        // The file's settings for its own service do not apply to another one.
        let of_service = entry.filter(|_| !elsewhere);
        let in_file = |entry: Option<&Entry>| match entry {
            Some(entry) if entry.said.contains(&name) => Source::File,
            _ => Source::Default,
        };
        let pin = of_service.and_then(|entry| entry.pin.as_ref());
        let (value, source) = match name {
            "environment" => {
                let said = of_service.and_then(|entry| entry.environment);
                (Some(said.unwrap_or(Environment::Live).word().to_owned()), in_file(of_service))
            }
            "base_url" => (entry.map(|entry| entry.base_url.clone()), in_file(entry)),
            "organisation" => (of_service.and_then(|of| of.organisation.clone()), in_file(of_service)),
            "read_only" if self.flags.read_only => (Some(true.to_string()), Source::Flag),
            "read_only" => (Some(entry.is_some_and(|of| of.read_only).to_string()), in_file(entry)),
            "key" if self.env.raw("LAPEL_API_KEY").is_some() => {
                (Some("LAPEL_API_KEY".to_owned()), Source::Variable)
            }
            "key" => {
                let is_said = entry.is_some_and(|of| of.key != KeySource::Default);
                let source = if is_said { Source::File } else { Source::Default };
                (entry.map(|of| key::described(of, self.paths, self.env)), source)
            }
            "key_command" => {
                // Only whether it is set: arguments may be secrets.
                let is_said = entry.is_some_and(|of| matches!(of.key, KeySource::Command(..)));
                (is_said.then(|| "set".to_owned()), in_file(entry))
            }
            "key_command_timeout" => {
                let seconds = entry.and_then(|of| match &of.key {
                    KeySource::Command(_, patience, _) => Some(patience.as_secs().to_string()),
                    _ => None,
                });
                (seconds, in_file(entry))
            }
            "key_prefix" => (pin.map(|pin| pin.prefix.clone()), in_file(of_service)),
            "key_fingerprint" => (pin.and_then(|pin| pin.fingerprint.clone()), in_file(of_service)),
            "rate_limit" => {
                let limit = entry.and_then(|of| of.rate_limit).unwrap_or(self.defaults.rate_limit);
                (Some(limit.to_string()), in_file(entry))
            }
            "utc_offset" => (of_service.and_then(|of| of.utc_offset).map(hours), in_file(of_service)),
            "proxy" => (entry.and_then(|of| of.proxy.as_deref()).map(without_user), in_file(entry)),
            "picture_base" => (of_service.and_then(|of| of.picture_base.clone()), in_file(of_service)),
            "ca_file" => {
                (entry.and_then(|of| of.ca_file.as_ref()).map(|(named, _)| named.clone()), in_file(entry))
            }
            _ => (None, in_file(entry)),
        };
        Said { name: name.to_owned(), value, source }
    }
}

/// The notation of the file: `+09:00`.
fn hours(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
