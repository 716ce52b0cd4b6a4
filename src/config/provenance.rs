//! Every setting of a run with its value and its source, for `lapel info`. Nothing here fails or fetches a key;
//! mistakes are reported beside the settings.

use super::address::{check_base_url, same_origin};
use super::app::AppSettings;
use super::background::Ground;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key;
use super::key_store::KeyStore;
use super::paths::Paths;
use super::profile::{ProfileSettings, is_profile_name};
use super::section::{Section, text_of};
use super::settings::{DefaultProfile, Flags, Settings, default_profile};
use super::theme::ThemeFile;
use std::path::Path;
use toml::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Flag,
    Variable,
    /// The profile's table in `config.toml`, for a setting that can also apply to all profiles.
    Profile,
    File,
    ThemeFile,
    Default,
}

impl Source {
    /// A word for programs. [`tr`](crate::i18n::tr) translates it for users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => tr_noop!("flag"),
            Self::Variable => tr_noop!("environment"),
            Self::Profile => tr_noop!("profile"),
            Self::File => "config.toml",
            Self::ThemeFile => "theme.toml",
            Self::Default => tr_noop!("default"),
        }
    }
}

/// A setting with its current value.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingValue {
    /// Its name in the file, with the names of its tables in front.
    pub name: String,
    /// `None` when it has no value.
    pub value: Option<Value>,
    pub source: Source,
}

impl SettingValue {
    fn new(name: impl Into<String>, value: Option<Value>, source: Source) -> Self {
        Self { name: name.into(), value, source }
    }

    pub fn text(&self) -> Option<String> {
        self.value.as_ref().map(text_of)
    }
}

/// Defaults that other modules define.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Requests per minute.
    pub rate_limit: u32,
    pub jobs: JobSettings,
    pub index: IndexSettings,
}

/// The profile that a run would use, without its key.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundProfile {
    /// Its name. `environment` when the environment variables define the profile without a name.
    pub name: String,
    pub is_in_file: bool,
    /// Its settings. A proxy is shown without user and password.
    pub settings: Vec<SettingValue>,
}

/// The current settings with their sources and mistakes.
#[derive(Clone, Debug)]
pub struct Provenance {
    pub paths: Paths,
    /// The settings that are not specific to a profile.
    pub settings: Vec<SettingValue>,
    /// The profile; `None` when none is selected.
    pub profile: Option<FoundProfile>,
    /// The variables that override settings of the profile.
    pub overrides: Vec<&'static str>,
    pub asks_background: bool,
    pub remarks: Vec<String>,
}

/// The names of all settings: `theme`, `jobs.in_flight`, `index.enabled`, and `profile.base_url` for one that
/// only a profile has.
pub fn known_settings() -> Vec<String> {
    let names = |prefix: &str, values: Vec<(String, Option<Value>)>| -> Vec<String> {
        values.into_iter().map(|(name, _)| format!("{prefix}{name}")).collect()
    };
    [
        names("", AppSettings::default().values()),
        names("jobs.", JobSettings::default().values()),
        names("index.", IndexSettings::default().values()),
        names("profile.", ProfileSettings::default().values()),
    ]
    .concat()
}

/// Finds the source of every setting.
pub fn provenance(flags: &Flags, env: &Env, defaults: &Defaults) -> Provenance {
    // Finds the folders and reads the file despite any mistakes.
    let lenient = Settings::for_demo(&Flags { profile: None, ..flags.clone() }, env);
    let paths = lenient.paths.clone();
    let mut remarks: Vec<String> = lenient.left_out.iter().map(ToString::to_string).collect();
    remarks.extend_from_slice(&lenient.warnings);
    let file = ConfigFile::read(&paths.config_file()).unwrap_or_default();
    if let Err(error) = Settings::resolve(flags, env) {
        for mistake in error.mistakes() {
            let text = mistake.to_string();
            if !remarks.contains(&text) {
                remarks.push(text);
            }
        }
    }
    let overrides: Vec<&'static str> =
        ["LAPEL_BASE_URL", "LAPEL_API_KEY"].into_iter().filter(|name| env.raw(name).is_some()).collect();
    let layers = Layers { flags, env, file: &file, lenient: &lenient, defaults };
    let (selected, source) = select(flags, env, &file, overrides.len() == 2);
    let profile = selected.as_ref().map(|(name, entry)| FoundProfile {
        name: name.clone(),
        is_in_file: entry.is_some(),
        settings: layers.profile(*entry),
    });
    let name = profile.as_ref().map(|profile| profile.name.as_str().into());
    let mut settings = vec![SettingValue::new("profile", name, source)];
    settings.extend(layers.app());
    let by_variable = |name: &str, value: Option<String>, variable: &str| {
        let source = if env.raw(variable).is_some() { Source::Variable } else { Source::Default };
        SettingValue::new(name, value.map(Value::from), source)
    };
    let folder = |path: &Path| Some(path.to_string_lossy().into_owned());
    settings.extend([
        // Only whether it is set, because users paste keys into any variable.
        by_variable("log", lenient.log.as_ref().map(|_| "set".to_owned()), "LAPEL_LOG"),
        by_variable("config_dir", folder(&paths.config_dir), "LAPEL_CONFIG_DIR"),
        by_variable("data_dir", folder(&paths.data_dir), "LAPEL_DATA_DIR"),
    ]);
    let entry = selected.and_then(|(_, entry)| entry);
    settings.extend(layers.table("index", entry.map(|of| &of.index), &file.index, &defaults.index));
    settings.extend(layers.table("jobs", entry.map(|of| &of.jobs), &file.jobs, &defaults.jobs));
    let asks_background = Ground::is_asked(lenient.ui.theme.theme, &lenient.ui.pictures.terminal);
    Provenance { paths, settings, profile, overrides, asks_background, remarks }
}

/// Selects a profile as [`Settings::resolve`] does: its name and its entry in the file. Also returns the source
/// of the choice. `has_both` is whether variables set both the address and the key.
fn select<'a>(
    flags: &Flags,
    env: &Env,
    file: &'a ConfigFile,
    has_both: bool,
) -> (Option<(String, Option<&'a Entry>)>, Source) {
    let in_file = |name: &str| file.entry(name).map(|entry| (entry.name.clone(), Some(entry)));
    if let Some(name) = &flags.profile {
        return (in_file(name), Source::Flag);
    }
    if let Some(name) = env.raw("LAPEL_PROFILE") {
        let name = name.to_string_lossy().into_owned();
        let by_variables = || (has_both && is_profile_name(&name)).then(|| (name.clone(), None));
        return (in_file(&name).or_else(by_variables), Source::Variable);
    }
    if has_both {
        return (Some(("environment".to_owned(), None)), Source::Variable);
    }
    match default_profile(file) {
        DefaultProfile::This(entry) => {
            let is_set = file.app.default_profile.is_some();
            (in_file(&entry.name), if is_set { Source::File } else { Source::Default })
        }
        DefaultProfile::Unusable(_) | DefaultProfile::Several | DefaultProfile::None => {
            (None, Source::Default)
        }
    }
}

/// The sources of the settings.
struct Layers<'a> {
    flags: &'a Flags,
    env: &'a Env,
    file: &'a ConfigFile,
    /// The settings without those that have mistakes.
    lenient: &'a Settings,
    defaults: &'a Defaults,
}

impl Layers<'_> {
    fn in_file(&self, field: &str) -> Source {
        if self.file.has(field) { Source::File } else { Source::Default }
    }

    fn app(&self) -> Vec<SettingValue> {
        let ui = &self.lenient.ui;
        let current = AppSettings {
            theme: Some(ui.theme.theme),
            glyphs: Some(ui.glyphs),
            pictures: Some(ui.pictures.choice),
            language: Some(ui.language),
            ..self.lenient.app.clone()
        };
        let one = |(name, value): (String, Option<Value>)| {
            let source = self.app_source(&name);
            SettingValue::new(name, value, source)
        };
        current.values().into_iter().map(one).collect()
    }

    fn app_source(&self, name: &str) -> Source {
        let (flags, ui, app) = (self.flags, &self.lenient.ui, &self.file.app);
        match name {
            "theme" => self.theme_source(),
            "glyphs" if flags.glyphs.is_some() => Source::Flag,
            // On some terminals `auto` becomes `none`, which neither the flag nor the file asked for.
            "pictures" => match (flags.pictures, app.pictures) {
                (Some(flag), _) if flag == ui.pictures.choice => Source::Flag,
                (None, Some(file)) if file == ui.pictures.choice => Source::File,
                _ => Source::Default,
            },
            "language" if !self.file.has(name) => {
                let has_locale =
                    ["LC_ALL", "LC_MESSAGES", "LANG"].iter().any(|name| self.env.raw(name).is_some());
                if has_locale { Source::Variable } else { Source::Default }
            }
            _ => self.in_file(name),
        }
    }

    fn theme_source(&self) -> Source {
        let theme = self.lenient.ui.theme.theme;
        let theme_file = || ThemeFile::read(&self.lenient.paths.theme_file()).0.base.is_some();
        // `NO_COLOR` takes precedence over a flag that leaves the choice to lapel.
        if self.flags.theme.is_some_and(|flag| flag == theme) {
            Source::Flag
        } else if self.env.raw("NO_COLOR").is_some() {
            Source::Variable
        } else if self.file.app.theme.is_some() {
            Source::File
        } else if theme_file() {
            Source::ThemeFile
        } else {
            Source::Default
        }
    }

    /// The settings of a table that is there for all profiles and for each one.
    fn table<S: Section>(&self, table: &str, profile: Option<&S>, all: &S, default: &S) -> Vec<SettingValue> {
        let own = profile.map_or_else(|| S::default().values(), Section::values);
        let rest = all.values().into_iter().zip(default.values());
        let one = |((name, own), ((_, all), (_, default)))| {
            let (value, source) = match (own, all) {
                (Some(value), _) => (Some(value), Source::Profile),
                (None, Some(value)) => (Some(value), Source::File),
                (None, None) => (default, Source::Default),
            };
            SettingValue::new(format!("{table}.{name}"), value, source)
        };
        own.into_iter().zip(rest).map(one).collect()
    }

    /// The settings of a profile, without secrets. Without an entry, the environment defines the profile.
    fn profile(&self, entry: Option<&Entry>) -> Vec<SettingValue> {
        let base_url = self.env.raw("LAPEL_BASE_URL");
        let base_url = base_url.map(|raw| check_base_url(&raw.to_string_lossy()).ok());
        let is_own_service = |url: &Option<String>| {
            entry.is_none_or(|entry| {
                url.as_ref().is_some_and(|url| same_origin(url, &entry.settings.base_url))
            })
        };
        let is_other_service = !base_url.as_ref().is_none_or(is_own_service);
        let settings = entry.map(|entry| entry.settings.clone()).unwrap_or_default().without_password();
        let settings = if is_other_service { settings.for_other_service() } else { settings };
        let one = |setting: &super::section::Setting<ProfileSettings>| {
            let name = setting.key;
            let in_file = match entry {
                Some(entry) if !(setting.is_of_service && is_other_service) => {
                    self.in_file(&format!("profiles.{}.{name}", entry.name))
                }
                _ => Source::Default,
            };
            let (value, source) = match (name, &base_url) {
                ("base_url", Some(url)) => (url.clone().map(Value::from), Source::Variable),
                ("base_url", None) if entry.is_none() => (None, Source::Default),
                ("read_only", _) if self.flags.read_only => (Some(true.into()), Source::Flag),
                ("key", _) => self.key(entry),
                // Only whether it is set: arguments may be secrets.
                ("key_command", _) => (settings.key_command.as_ref().map(|_| "set".into()), in_file),
                ("key_command_timeout", _) => (settings.key_command_seconds().map(Value::from), in_file),
                ("rate_limit", _) => {
                    (Some(settings.rate_limit.unwrap_or(self.defaults.rate_limit).into()), in_file)
                }
                _ => ((setting.value)(&settings), in_file),
            };
            SettingValue::new(name, value, source)
        };
        ProfileSettings::SETTINGS.iter().map(one).collect()
    }

    /// The description and the source of the key.
    fn key(&self, entry: Option<&Entry>) -> (Option<Value>, Source) {
        if self.env.raw("LAPEL_API_KEY").is_some() {
            return (Some("LAPEL_API_KEY".into()), Source::Variable);
        }
        let is_set = entry.is_some_and(|entry| entry.settings.key_store() != KeyStore::File);
        let described = |entry| key::described(entry, &self.lenient.paths, self.env);
        (entry.map(described).map(Value::from), if is_set { Source::File } else { Source::Default })
    }
}
