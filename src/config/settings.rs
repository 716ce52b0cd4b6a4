//! The settings of one run: profile, look of the TUI, and paths.

use super::address::{check_base_url, has_usual_path, same_origin};
use super::app::AppSettings;
use super::ca;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::key::{self, Key};
use super::mistake::{ConfigError, Mistake, shown};
use super::paths::Paths;
use super::pictures::PictureChoice;
use super::profile::{Profile, ProfileLine, ProfileSettings, is_profile_name};
use super::section::Section;
use super::theme::ThemeFile;
use super::ui::{GlyphChoice, ThemeChoice, Ui};
use crate::domain::time::read_offset;
use jiff::tz::Offset;
use secrecy::SecretString;

/// The flags of the command line. No flag takes a key: every user of the computer can see arguments, and the
/// shell keeps them in its history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub profile: Option<String>,
    /// `--read-only`: makes the selected profile read-only. No flag makes a profile writable.
    pub read_only: bool,
    pub theme: Option<ThemeChoice>,
    pub glyphs: Option<GlyphChoice>,
    pub pictures: Option<PictureChoice>,
}

#[derive(Clone, Debug)]
pub struct Settings {
    pub paths: Paths,
    /// The selected profile; `None` when no profile is configured.
    pub profile: Option<Profile>,
    /// The profiles of the settings file in its order, as a selection list.
    pub profiles: Vec<ProfileLine>,
    pub ui: Ui,
    /// The app's settings without flags and environment.
    pub app: AppSettings,
    /// The value of `LAPEL_LOG`.
    pub log: Option<String>,
    /// Warnings that stop nothing, one line each.
    pub warnings: Vec<String>,
    /// Mistakes in the files. The settings with mistakes are skipped.
    pub left_out: Vec<Mistake>,
    /// The selected profile when it cannot be used, and why. The TUI starts without it.
    pub refused: Option<(String, ConfigError)>,
}

impl Settings {
    /// Resolves the settings: flag, then environment, then `config.toml`, then default.
    ///
    /// `LAPEL_BASE_URL` and `LAPEL_API_KEY` together define a profile of their own, unless a profile is
    /// named. With a named profile they override its address and its key.
    ///
    /// A mistake in the files affects only its own field, and is reported in [`Self::left_out`]. Where it
    /// could make a profile less careful, that profile becomes read-only or cannot be used.
    ///
    /// # Errors
    /// The selected profile cannot be used: all of its mistakes, with file, line and field.
    pub fn resolve(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let profile = select_profile(flags, env, &file, &paths).or_else(|error| {
            let all =
                if file.mistakes.is_empty() { Ok(()) } else { Err(ConfigError::new(file.mistakes.clone())) };
            ConfigError::both(all, Err(error)).map(|((), profile)| profile)
        })?;
        let settings = Self::of(flags, env, &file, paths).with_profile(profile, &file);
        if settings.profile.is_none() && !file.mistakes.is_empty() {
            // The unreadable part of the file may contain a profile.
            return Err(ConfigError::new(settings.left_out));
        }
        Ok(settings)
    }

    /// Resolves the settings for the TUI. When mistakes in the file make the profile unusable, the TUI starts
    /// without it.
    ///
    /// # Errors
    /// A flag or an environment variable names a profile that does not exist.
    pub fn for_tui(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let (profile, refused) = match select_profile(flags, env, &file, &paths) {
            Ok(profile) => (profile, None),
            Err(error) if error.mistakes().iter().all(|mistake| mistake.file.is_some()) => {
                (None, Some((selected_name(flags, env, &file), error)))
            }
            Err(error) => return Err(error),
        };
        Ok(Self { refused, ..Self::of(flags, env, &file, paths).with_profile(profile, &file) })
    }

    fn with_profile(mut self, profile: Option<Profile>, file: &ConfigFile) -> Self {
        if let Some(entry) = profile.as_ref().and_then(|profile| file.entry(&profile.name)) {
            // Mistakes of the selected profile come first.
            self.left_out.sort_by_key(|mistake| !entry.doubts.contains(mistake));
        }
        if let Some(profile) = &profile
            && !has_usual_path(&profile.base_url)
        {
            self.warnings.push(t!(
                "The base URL of profile {name} does not end in /api/v1/ext, the usual path of the service.",
                name = profile.name
            ));
        }
        Self { profile, ..self }
    }

    /// The settings with the profile's key fetched. Blocks, see [`Key::fetch`].
    pub fn with_key(mut self) -> Result<Self, ConfigError> {
        if let Some(profile) = &mut self.profile {
            profile.key = Key::Known(profile.key.fetch()?);
        }
        Ok(self)
    }

    /// Resolves the settings for `lapel demo`. The demo needs no profile, and skips every mistake.
    pub fn for_demo(flags: &Flags, env: &Env) -> Self {
        let mut warnings = Vec::new();
        let paths = Paths::find(env).unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Paths::without_home()
        });
        let file = ConfigFile::read(&paths.config_file()).unwrap_or_else(|error| {
            let mut file = ConfigFile::default();
            file.mistakes.extend_from_slice(error.mistakes());
            file
        });
        if flags.profile.is_some() {
            warnings.push(t!("--profile has no effect on the demo, which uses its own service.").to_owned());
        }
        let mut settings = Self::of(flags, env, &file, paths);
        settings.warnings.splice(0..0, warnings);
        settings
    }

    /// Another profile, read from the settings file again because it may have changed.
    pub fn named(&self, name: &str, env: &Env) -> Result<Profile, ConfigError> {
        named(&self.paths, name, env)
    }

    fn of(flags: &Flags, env: &Env, file: &ConfigFile, paths: Paths) -> Self {
        let mut warnings = Vec::new();
        let (own, of_theme) = ThemeFile::read(&paths.theme_file());
        let left_out = [file.mistakes.clone(), of_theme].concat();
        let log = env.text("LAPEL_LOG").unwrap_or_else(|error| {
            warnings.push(error.to_string());
            None
        });
        let profiles = lines_of(file, &paths, env);
        let ui = Ui::resolve(flags, env, &file.app, own);
        Self {
            paths,
            profile: None,
            profiles,
            ui,
            app: file.app.clone(),
            log,
            warnings,
            left_out,
            refused: None,
        }
    }
}

/// The profiles, read from the settings file again, in its order. Fetches no keys.
pub fn profiles(paths: &Paths, env: &Env) -> Result<Vec<ProfileLine>, ConfigError> {
    Ok(lines_of(&ConfigFile::read(&paths.config_file())?, paths, env))
}

/// A profile, read from the settings file again. Because it was named, `LAPEL_BASE_URL` and `LAPEL_API_KEY`
/// do not override it.
pub fn named(paths: &Paths, name: &str, env: &Env) -> Result<Profile, ConfigError> {
    let file = ConfigFile::read(&paths.config_file())?;
    let entry = existing("profile", name, &file)?;
    from_entry(entry, &file, paths, env, Overrides::default())
}

fn lines_of(file: &ConfigFile, paths: &Paths, env: &Env) -> Vec<ProfileLine> {
    let default = match default_profile(file) {
        DefaultProfile::This(entry) => Some(entry.name.as_str()),
        DefaultProfile::Unusable(_) | DefaultProfile::Several | DefaultProfile::None => None,
    };
    let line = |entry: &Entry| ProfileLine {
        name: entry.name.clone(),
        settings: entry.settings.clone().without_password(),
        key_from: key::described(entry, paths, env),
        is_default: default == Some(entry.name.as_str()),
    };
    file.profiles.iter().map(line).collect()
}

fn offset_of(env: &Env) -> Result<Option<Offset>, ConfigError> {
    let Some(raw) = env.text("LAPEL_UTC_OFFSET")? else { return Ok(None) };
    let what = t!("must be the offset from UTC, for example +09:00");
    read_offset(&raw).map(Some).ok_or_else(|| Mistake::in_env("LAPEL_UTC_OFFSET", what).into())
}

/// Environment variables that override a profile's own settings.
#[derive(Default)]
struct Overrides {
    base_url: Option<String>,
    key: Option<SecretString>,
}

impl Overrides {
    fn read(env: &Env) -> Result<Self, ConfigError> {
        let base_url = env.text("LAPEL_BASE_URL").and_then(|raw| {
            raw.map(|raw| check_base_url(&raw))
                .transpose()
                .map_err(|why| Mistake::in_env("LAPEL_BASE_URL", why).into())
        });
        let key = env.text("LAPEL_API_KEY").and_then(|raw| {
            raw.map(|raw| key::check(&raw))
                .transpose()
                .map_err(|why| Mistake::in_env("LAPEL_API_KEY", why).into())
        });
        match (base_url, key) {
            (Ok(base_url), Ok(key)) => Ok(Self { base_url, key }),
            (one, other) => Err(ConfigError::new(
                [one.err(), other.err()]
                    .into_iter()
                    .flatten()
                    .flat_map(|error: ConfigError| error.mistakes().to_vec())
                    .collect(),
            )),
        }
    }
}

fn select_profile(
    flags: &Flags,
    env: &Env,
    file: &ConfigFile,
    paths: &Paths,
) -> Result<Option<Profile>, ConfigError> {
    let overrides = Overrides::read(env)?;
    let by_env = env.text("LAPEL_PROFILE")?;
    let profile = match (&flags.profile, &by_env) {
        (Some(name), _) => {
            let entry = existing("--profile", name, file)?;
            Some(from_entry(entry, file, paths, env, overrides)?)
        }
        (None, Some(name)) => match (file.entry(name), overrides) {
            (Some(entry), overrides) => Some(from_entry(entry, file, paths, env, overrides)?),
            // With all three variables set, no file is needed, and the name is only a label.
            (None, Overrides { base_url: Some(base_url), key: Some(key) }) if is_profile_name(name) => {
                Some(from_env(name, base_url, key, file))
            }
            (None, overrides) => {
                let entry = existing("LAPEL_PROFILE", name, file)?;
                Some(from_entry(entry, file, paths, env, overrides)?)
            }
        },
        (None, None) => match (default_profile(file), overrides) {
            (_, Overrides { base_url: Some(base_url), key: Some(key) }) => {
                Some(from_env("environment", base_url, key, file))
            }
            (DefaultProfile::This(entry), overrides) => Some(from_entry(entry, file, paths, env, overrides)?),
            (DefaultProfile::Unusable(mistakes), _) => return Err(ConfigError::new(mistakes.to_vec())),
            (DefaultProfile::Several, _) => {
                let what = t!(
                    "there are several profiles and none is chosen: use --profile, set LAPEL_PROFILE, or write default_profile = \"...\" at the top of this file. Profiles: {names}",
                    names = file.names()
                );
                return Err(Mistake::in_file(&file.path, None, Some("default_profile"), what).into());
            }
            (DefaultProfile::None, Overrides { base_url: Some(_), .. }) => {
                let what = t!("is set, but LAPEL_API_KEY is not: set both or neither");
                return Err(Mistake::in_env("LAPEL_BASE_URL", what).into());
            }
            (DefaultProfile::None, Overrides { key: Some(_), .. }) => {
                let what = t!("is set, but LAPEL_BASE_URL is not: set both or neither");
                return Err(Mistake::in_env("LAPEL_API_KEY", what).into());
            }
            (DefaultProfile::None, _) => None,
        },
    };
    let utc_offset = offset_of(env)?;
    Ok(profile.map(|mut profile| {
        profile.settings.utc_offset = utc_offset.or(profile.utc_offset);
        profile.settings.read_only |= flags.read_only;
        profile
    }))
}

/// The name of the profile that would be used. Empty when none is selected.
fn selected_name(flags: &Flags, env: &Env, file: &ConfigFile) -> String {
    let named = flags.profile.clone().or_else(|| env.text("LAPEL_PROFILE").ok().flatten());
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

/// The profile that the settings file selects without a flag or variable.
pub(super) enum DefaultProfile<'a> {
    This(&'a Entry),
    Unusable(&'a [Mistake]),
    Several,
    None,
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

fn existing<'f>(asked_by: &str, name: &str, file: &'f ConfigFile) -> Result<&'f Entry, ConfigError> {
    let missing = || file.why_unusable(name).unwrap_or_else(|| not_there(asked_by, file));
    file.entry(name).ok_or_else(missing)
}

fn not_there(asked_by: &str, file: &ConfigFile) -> ConfigError {
    let what = t!(
        "names a profile that is not in {path}. Profiles: {names}",
        path = shown(&file.path),
        names = file.names()
    );
    Mistake::in_env(asked_by, what).into()
}

fn from_env(name: &str, base_url: String, key: SecretString, file: &ConfigFile) -> Profile {
    Profile {
        name: name.to_owned(),
        settings: ProfileSettings { base_url, read_only: file.is_read_only, ..ProfileSettings::default() },
        key: Key::Known(key),
        key_from: "LAPEL_API_KEY".to_owned(),
        ca: None,
        jobs: file.jobs.clone(),
        index: file.index.clone(),
        from: "LAPEL_BASE_URL and LAPEL_API_KEY".to_owned(),
    }
}

fn from_entry(
    entry: &Entry,
    file: &ConfigFile,
    paths: &Paths,
    env: &Env,
    overrides: Overrides,
) -> Result<Profile, ConfigError> {
    let mut from = format!("profile {} of {}", entry.name, shown(&file.path));
    let own_url = &entry.settings.base_url;
    let is_other_service = overrides.base_url.as_ref().is_some_and(|url| !same_origin(url, own_url));
    let mut key_from = key::described(entry, paths, env);
    let key = match overrides.key {
        Some(key) => {
            from.push_str(", key from LAPEL_API_KEY");
            "LAPEL_API_KEY".clone_into(&mut key_from);
            Key::Known(key)
        }
        // A stored key is only sent to the service that it was stored for.
        None if is_other_service => {
            let what = t!(
                "points to another host than profile {name}. lapel does not send the stored key there: set LAPEL_API_KEY too, or unset LAPEL_BASE_URL",
                name = entry.name
            );
            return Err(Mistake::in_env("LAPEL_BASE_URL", what).into());
        }
        None => key::find(file, entry, paths, env)?,
    };
    let base_url = match overrides.base_url {
        Some(base_url) => {
            from.push_str(", address from LAPEL_BASE_URL");
            base_url
        }
        None => own_url.clone(),
    };
    let origin = ProfileOrigin { key, key_from, base_url, is_other_service, from };
    build_profile(entry, file, paths, origin)
}

/// The parts of a profile that do not come from its entry.
pub(super) struct ProfileOrigin {
    pub key: Key,
    pub key_from: String,
    pub base_url: String,
    /// Whether the address leads to another service than the entry's.
    pub is_other_service: bool,
    pub from: String,
}

/// Builds a profile from its entry in the settings file.
pub(super) fn build_profile(
    entry: &Entry,
    file: &ConfigFile,
    paths: &Paths,
    origin: ProfileOrigin,
) -> Result<Profile, ConfigError> {
    let settings = entry.settings.clone();
    let settings = if origin.is_other_service { settings.for_other_service() } else { settings };
    Ok(Profile {
        name: entry.name.clone(),
        settings: ProfileSettings { base_url: origin.base_url, ..settings },
        key: origin.key,
        key_from: origin.key_from,
        ca: ca::read(entry, file, paths)?,
        jobs: entry.jobs.clone().or(&file.jobs),
        index: entry.index.clone().or(&file.index),
        from: origin.from,
    })
}
