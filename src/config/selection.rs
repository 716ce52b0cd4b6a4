//! Chooses the profile of a run, and the source of each of its settings, for the TUI, the commands
//! and `lapel info`.

use super::ca;
use super::file::{ConfigFile, ProfileEntry};
use super::flags::Flags;
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key::{self, Key, SecretSource};
use super::profile::{Profile, TeamJournal};
use super::profile_settings::{ProfileSettings, is_profile_name};
use super::resolved::{Resolved, SettingSource};
use super::section::{ConfigSection, Setting};
use super::url_checks::{check_base_url, same_origin};
use crate::config::prelude::*;
use crate::domain::time::read_offset;
use crate::secrets::is_key;
use jiff::tz::Offset;

const BASE_URL: &str = "LAPEL_BASE_URL";
const API_KEY: &str = crate::secrets::KEY_VARIABLE;
const UTC_OFFSET: &str = "LAPEL_UTC_OFFSET";
const PROFILE: &str = "LAPEL_PROFILE";

/// Environment variables that override a profile's own settings.
#[derive(Default)]
struct Overrides {
    base_url: Option<String>,
    key: Option<SecretString>,
    utc_offset: Option<Offset>,
    /// Includes variables with a mistake.
    set: Vec<&'static str>,
}

impl Overrides {
    fn read(env: &Env) -> (Self, Vec<Mistake>) {
        let mut mistakes = Vec::new();
        let zone = t!("must be the offset from UTC, for example +09:00");
        let overrides = Self {
            base_url: variable(env, BASE_URL, check_base_url, &mut mistakes),
            key: variable(env, API_KEY, key::check, &mut mistakes),
            utc_offset: variable(env, UTC_OFFSET, |raw| read_offset(raw).ok_or(zone), &mut mistakes),
            set: [BASE_URL, API_KEY, UTC_OFFSET].into_iter().filter(|name| env.raw(name).is_some()).collect(),
        };
        (overrides, mistakes)
    }

    fn has(&self, name: &str) -> bool {
        self.set.contains(&name)
    }
}

/// `None` for a variable with a mistake.
fn variable<T, W: Into<String>>(
    env: &Env,
    name: &str,
    check: impl FnOnce(&str) -> Result<T, W>,
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    let read = env.text(name).and_then(|raw| {
        raw.map(|raw| check(&raw)).transpose().map_err(|why| Mistake::in_env(name, why).into())
    });
    read.unwrap_or_else(|error: ConfigError| {
        mistakes.extend_from_slice(error.mistakes());
        None
    })
}

pub(super) struct Selection<'f> {
    pub source: SettingSource,
    /// Also when a mistake prevents its use.
    pub profile: Option<Selected<'f>>,
    pub overrides: Vec<&'static str>,
    pub error: Option<ConfigError>,
}

impl<'f> Selection<'f> {
    /// The order is: flag, environment, `config.toml`.
    pub fn of(flags: &Flags, env: &Env, file: &'f ConfigFile) -> Self {
        let (overrides, mut mistakes) = Overrides::read(env);
        let has_both = overrides.has(BASE_URL) && overrides.has(API_KEY);
        let by_env = variable(env, PROFILE, |name| Ok::<_, String>(name.to_owned()), &mut mistakes);
        let named = flags.profile.as_ref().map(|name| ("--profile", SettingSource::Flag, name));
        let named = named.or(by_env.as_ref().map(|name| (PROFILE, SettingSource::Variable, name)));
        let (source, chosen) = match named {
            // With all three variables set, no file is needed. The name is only a label, also of files, so it is no key.
            Some((PROFILE, source, name))
                if has_both
                    && is_profile_name(name)
                    && !is_key(name)
                    && file.entry(name).is_none()
                    && file.why_unusable(name).is_none() =>
            {
                (source, Ok(Some((name.as_str(), None))))
            }
            Some((asked_by, source, name)) => {
                let entry = existing(asked_by, name, file);
                (source, entry.map(|entry| Some((entry.name.as_str(), Some(entry)))))
            }
            None if has_both => (SettingSource::Variable, Ok(Some(("environment", None)))),
            None => match default_profile(file) {
                DefaultProfile::This(entry) => {
                    let is_set = file.app.default_profile.is_some();
                    let source = if is_set { SettingSource::File } else { SettingSource::Default };
                    (source, Ok(Some((entry.name.as_str(), Some(entry)))))
                }
                other => (SettingSource::Default, other.missing(file, &overrides).map_or(Ok(None), Err)),
            },
        };
        let (chosen, error) = chosen.map_or_else(|error| (None, Some(error)), |chosen| (chosen, None));
        let mut profile = chosen.map(|(name, entry)| Selected::new(name, entry, file, &overrides));
        if let Some(profile) = &mut profile
            && flags.read_only
        {
            profile.settings.values.read_only = true;
            profile.settings.set_source("read_only", SettingSource::Flag);
        }
        // A stored key is sent only to the service that it was stored for.
        let keyless = profile.as_ref().filter(|profile| profile.is_other_service && profile.key.is_none());
        let keyless = keyless.map(|profile| {
            let what = t!(
                "points to another host than profile {name}. lapel does not send the stored key there: set LAPEL_API_KEY too, or unset LAPEL_BASE_URL",
                name = profile.name
            );
            Mistake::in_env(BASE_URL, what).into()
        });
        let mistaken = (!mistakes.is_empty()).then(|| ConfigError::new(mistakes));
        Self { source, profile, overrides: overrides.set, error: mistaken.or(error).or(keyless) }
    }

    pub fn open(self, file: &ConfigFile, paths: &Paths, env: &Env) -> Result<Option<Profile>, ConfigError> {
        match self.error {
            Some(error) => Err(error),
            None => self.profile.map(|profile| profile.open(file, paths, env)).transpose(),
        }
    }
}

/// Its key and its certificates have not been read.
pub(super) struct Selected<'f> {
    pub name: String,
    /// `None` when variables define the profile.
    pub entry: Option<&'f ProfileEntry>,
    pub settings: Resolved<ProfileSettings>,
    pub key: Option<SecretString>,
    pub journal_password: Option<SecretString>,
    /// The address leads to another service than the entry's.
    is_other_service: bool,
}

impl<'f> Selected<'f> {
    pub fn named(entry: &'f ProfileEntry, file: &ConfigFile) -> Self {
        Self::new(&entry.name, Some(entry), file, &Overrides::default())
    }

    fn new(name: &str, entry: Option<&'f ProfileEntry>, file: &ConfigFile, overrides: &Overrides) -> Self {
        let is_other = |entry: &ProfileEntry| {
            let url = overrides.base_url.as_ref();
            overrides.has(BASE_URL) && !url.is_some_and(|url| same_origin(url, &entry.settings.base_url))
        };
        let is_other_service = entry.is_some_and(is_other);
        let mut settings = match entry {
            Some(entry) if is_other_service => entry.settings.clone().for_other_service(),
            Some(entry) => entry.settings.clone(),
            None => ProfileSettings { read_only: file.is_read_only, ..ProfileSettings::default() },
        };
        let is_in_file = |key: &str| file.has(&format!("profiles.{name}.{key}")) && entry.is_some();
        let own = ProfileSettings::SETTINGS.iter().filter(|it| !(it.is_of_service && is_other_service));
        let in_file = own.flat_map(Setting::names).filter(|name| is_in_file(name));
        let mut sources: Vec<_> = in_file.map(|name| (name, SettingSource::File)).collect();
        let mut add = |key: &str, source| sources.push((key.to_owned(), source));
        // Also after a mistake in the file, and for a key from a command.
        if settings.read_only {
            add("read_only", SettingSource::File);
        }
        if settings.key_command.is_some() {
            add("key", SettingSource::File);
        }
        if settings.journal.password_command.is_some() {
            add("journal.password", SettingSource::File);
        }
        if overrides.has(BASE_URL) {
            settings.base_url = overrides.base_url.clone().unwrap_or_default();
            add("base_url", SettingSource::Variable);
        }
        if overrides.has(API_KEY) {
            add("key", SettingSource::Variable);
        }
        if let Some(offset) = overrides.utc_offset {
            settings.utc_offset = Some(offset);
            add("utc_offset", SettingSource::Variable);
        }
        Self {
            name: name.to_owned(),
            entry,
            settings: Resolved::new(settings, sources),
            key: overrides.key.clone(),
            journal_password: None,
            is_other_service,
        }
    }

    /// For display; never contains the key.
    pub fn key_from(&self, paths: &Paths, env: &Env) -> String {
        match self.entry {
            Some(entry) if self.settings.source("key") != SettingSource::Variable => {
                SecretSource::of_key(entry).described(paths, env)
            }
            _ => API_KEY.to_owned(),
        }
    }

    pub fn open(self, file: &ConfigFile, paths: &Paths, env: &Env) -> Result<Profile, ConfigError> {
        let key_from = self.key_from(paths, env);
        let is_by_variable = |key| self.settings.source(key) == SettingSource::Variable;
        let from = match self.entry {
            None => "LAPEL_BASE_URL and LAPEL_API_KEY".to_owned(),
            Some(entry) => format!(
                "profile {} of {}{}{}",
                entry.name,
                shown(&file.path),
                if is_by_variable("key") { ", key from LAPEL_API_KEY" } else { "" },
                if is_by_variable("base_url") { ", address from LAPEL_BASE_URL" } else { "" },
            ),
        };
        let key = match (self.key, self.entry) {
            (Some(key), _) => Key::Known(key),
            (None, Some(entry)) => SecretSource::of_key(entry).find(file, paths, env)?,
            (None, None) => return Err(Mistake::in_env(API_KEY, t!("contains no key")).into()),
        };
        let (mut ca, mut journal) = (None, None);
        if let Some(entry) = self.entry {
            let named = entry.settings.ca_file.as_deref();
            ca = ca::read(named, &format!("profiles.{}.ca_file", entry.name), file, paths)?;
            journal = TeamJournal::of(entry, self.journal_password, file, paths, env)?;
        }
        let (jobs, index) = (jobs_of(self.entry, file), index_of(self.entry, file));
        Ok(Profile {
            name: self.name,
            settings: self.settings,
            key,
            key_from,
            ca,
            journal,
            jobs,
            index,
            from,
        })
    }
}

/// Without an entry, the settings for all profiles.
pub(super) fn jobs_of(entry: Option<&ProfileEntry>, file: &ConfigFile) -> Resolved<JobSettings> {
    let own = entry.map(|entry| (&entry.jobs, SettingSource::Profile));
    Resolved::of_layers(own.into_iter().chain([(&file.jobs, SettingSource::File)]))
}

/// Without an entry, the settings for all profiles.
pub(super) fn index_of(entry: Option<&ProfileEntry>, file: &ConfigFile) -> Resolved<IndexSettings> {
    let own = entry.map(|entry| (&entry.index, SettingSource::Profile));
    Resolved::of_layers(own.into_iter().chain([(&file.index, SettingSource::File)]))
}

/// Empty when no profile is selected.
pub(super) fn selected_name(flags: &Flags, env: &Env, file: &ConfigFile) -> String {
    let named = flags.profile.clone().or_else(|| env.text(PROFILE).ok().flatten());
    let by_file = || match default_profile(file) {
        DefaultProfile::This(entry) => entry.name.clone(),
        DefaultProfile::Unusable(mistakes) => {
            let of = |(name, all): &(String, Vec<Mistake>)| (all == mistakes).then(|| name.clone());
            file.unusable.iter().find_map(of).unwrap_or_default()
        }
        DefaultProfile::Several | DefaultProfile::None => String::new(),
    };
    named.unwrap_or_else(by_file)
}

/// Without a flag or variable.
pub(super) enum DefaultProfile<'a> {
    This(&'a ProfileEntry),
    Unusable(&'a [Mistake]),
    Several,
    None,
}

impl DefaultProfile<'_> {
    /// `None` when it is no mistake to run without a profile.
    fn missing(&self, file: &ConfigFile, overrides: &Overrides) -> Option<ConfigError> {
        match self {
            Self::Unusable(mistakes) => Some(ConfigError::new(mistakes.to_vec())),
            Self::Several => {
                let what = t!(
                    "no profile is chosen: use --profile, set LAPEL_PROFILE, or write default_profile = \"...\" at the top of this file. Profiles: {names}",
                    names = file.names()
                );
                Some(Mistake::in_file(&file.path, None, Some("default_profile"), what).into())
            }
            Self::None if overrides.has(BASE_URL) => {
                let what = t!("is set, but LAPEL_API_KEY is not: set both or neither");
                Some(Mistake::in_env(BASE_URL, what).into())
            }
            Self::None if overrides.has(API_KEY) => {
                let what = t!("is set, but LAPEL_BASE_URL is not: set both or neither");
                Some(Mistake::in_env(API_KEY, what).into())
            }
            Self::None | Self::This(_) => None,
        }
    }
}

pub(super) fn default_profile(file: &ConfigFile) -> DefaultProfile<'_> {
    // An unusable default profile is never replaced by another profile.
    let named = |name: &str| {
        let unusable = file.unusable.iter().find(|(of, _)| of == name);
        let unusable = unusable.map(|(_, mistakes)| DefaultProfile::Unusable(mistakes));
        file.entry(name).map(DefaultProfile::This).or(unusable)
    };
    if let Some(chosen) = file.app.default_profile.as_deref().and_then(named) {
        return chosen;
    }
    match (file.profiles.as_slice(), file.unusable.as_slice()) {
        ([], []) => DefaultProfile::None,
        ([one], []) if !file.default_is_wrong => DefaultProfile::This(one),
        ([], [(_, mistakes)]) => DefaultProfile::Unusable(mistakes),
        _ => DefaultProfile::Several,
    }
}

pub(super) fn existing<'f>(
    asked_by: &str,
    name: &str,
    file: &'f ConfigFile,
) -> Result<&'f ProfileEntry, ConfigError> {
    file.entry(name).ok_or_else(|| {
        let not_there = || {
            let what = t!(
                "names a profile that is not in {path}. Profiles: {names}",
                path = shown(&file.path),
                names = file.names()
            );
            typed_mistake(asked_by, what)
        };
        file.why_unusable(name).unwrap_or_else(not_there)
    })
}
