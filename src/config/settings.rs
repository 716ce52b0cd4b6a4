//! The settings of one run: which profile, how the desk looks, where files go.

use super::address::{check_base_url, has_usual_path, same_origin};
use super::ca;
use super::desk::DeskSettings;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::keep::KeptIn;
use super::key::{self, Key};
use super::mistake::{ConfigError, Mistake, shown};
use super::paths::Paths;
use super::pictures::PictureChoice;
use super::profile::{Environment, Pin, Profile, is_profile_name};
use super::theme::ThemeFile;
use super::ui::{GlyphChoice, ThemeChoice, Ui};
use crate::domain::time::read_offset;
use jiff::tz::Offset;
use secrecy::SecretString;

/// What the command line says. No flag takes a key: arguments are seen by everybody on the computer and
/// stay in the shell's history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--read-only`: makes the chosen profile a reading one; there is no flag that makes it a writing one.
    pub read_only: bool,
    /// `--theme`.
    pub theme: Option<ThemeChoice>,
    /// `--glyphs`.
    pub glyphs: Option<GlyphChoice>,
    /// `--pictures`.
    pub pictures: Option<PictureChoice>,
}

/// The settings of one run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where files go.
    pub paths: Paths,
    /// The chosen profile; `None` when none is configured anywhere.
    pub profile: Option<Profile>,
    /// The profiles of the settings file, in its order: for choosing another.
    pub profiles: Vec<ProfileLine>,
    /// How the desk looks.
    pub ui: Ui,
    /// How the desk behaves.
    pub desk: DeskSettings,
    /// `LAPEL_LOG`, as it was given.
    pub log: Option<String>,
    /// What is odd but stops nothing, one line each.
    pub warnings: Vec<String>,
    /// What is wrong with files that the demo does without.
    pub left_out: Vec<Mistake>,
}

/// A profile of the settings file as a list shows it: no key has been looked for yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileLine {
    /// Its name.
    pub name: String,
    /// What stands at the other end.
    pub environment: Environment,
    /// The base URL.
    pub base_url: String,
    /// What the person calls the organisation.
    pub organisation: Option<String>,
    /// Whether nothing may be issued or revoked with it.
    pub read_only: bool,
    /// Certificates that are trusted besides those of this computer, as the file names them.
    pub ca_file: Option<String>,
    /// The proxy; user and password are not in it.
    pub proxy: Option<String>,
    /// Where its key comes from, in words that never hold the key.
    pub key_from: String,
    /// The same, for another one in its place.
    pub kept_in: KeptIn,
    /// What its key was when it was checked, where it was.
    pub pin: Option<Pin>,
    /// Whether it is the one that is used where none is named.
    pub is_default: bool,
}

impl Settings {
    /// Resolves the settings: flag, then environment, then `config.toml`, then default.
    ///
    /// `LAPEL_BASE_URL` and `LAPEL_API_KEY` together make a profile of their own unless one is named; with
    /// one that is named they take the place of its address and its key.
    ///
    /// # Errors
    /// Every mistake in the settings, with file, line and field.
    pub fn resolve(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let own = ThemeFile::read(&paths.theme_file());
        let (file, own) = ConfigError::both(ConfigFile::read(&paths.config_file()), own)?;
        let profile = choose(flags, env, &file, &paths)?;
        let mut settings = Self::of(flags, env, &file, own, paths);
        if let Some(profile) = &profile
            && !has_usual_path(&profile.base_url)
        {
            settings.warnings.push(t!("The base URL of profile {name} does not end in /api/v1/ext, as that of the service usually does.", name = profile.name));
        }
        settings.profile = profile;
        Ok(settings)
    }

    /// The same with the key of the profile asked for, where that is still to be done. Blocks, see
    /// [`Key::fetch`].
    ///
    /// # Errors
    /// Why there is no key.
    pub fn with_key(mut self) -> Result<Self, ConfigError> {
        if let Some(profile) = &mut self.profile {
            profile.key = Key::Known(profile.key.fetch()?);
        }
        Ok(self)
    }

    /// Resolves the settings for `lapel demo`, which needs no profile and which no mistake may stop: a file with
    /// one is left out.
    pub fn for_demo(flags: &Flags, env: &Env) -> Self {
        let mut warnings = Vec::new();
        let paths = Paths::find(env).unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Paths::without_home()
        });
        let mut left_out = Vec::new();
        let mut wrong = |error: ConfigError| left_out.extend_from_slice(error.mistakes());
        let file = ConfigFile::read(&paths.config_file()).map_err(&mut wrong).unwrap_or_default();
        let own = ThemeFile::read(&paths.theme_file()).map_err(&mut wrong).unwrap_or_default();
        if flags.profile.is_some() {
            warnings
                .push(t!("--profile has no effect on the demo, which has a service of its own.").to_owned());
        }
        let mut settings = Self::of(flags, env, &file, own, paths);
        settings.warnings.splice(0..0, warnings);
        Self { left_out, ..settings }
    }

    /// Another profile of the settings file, read afresh: it may have been changed or added since.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn named(&self, name: &str, env: &Env) -> Result<Profile, ConfigError> {
        named(&self.paths, name, env)
    }

    fn of(flags: &Flags, env: &Env, file: &ConfigFile, own: ThemeFile, paths: Paths) -> Self {
        let mut warnings = Vec::new();
        let log = env.text("LAPEL_LOG").unwrap_or_else(|error| {
            warnings.push(error.to_string());
            None
        });
        let profiles = lines_of(file, &paths, env);
        let ui = Ui::resolve(
            (flags.theme, flags.glyphs, flags.pictures),
            env,
            (file.theme, file.glyphs, file.pictures),
            file.language,
            own,
        );
        Self { paths, profile: None, profiles, ui, desk: file.desk, log, warnings, left_out: Vec::new() }
    }
}

/// The profiles of the settings file, read afresh, in its order. No key is looked for.
///
/// # Errors
/// Every mistake in the file.
pub fn profiles(paths: &Paths, env: &Env) -> Result<Vec<ProfileLine>, ConfigError> {
    Ok(lines_of(&ConfigFile::read(&paths.config_file())?, paths, env))
}

/// A profile of the settings file, read afresh. What the environment says in place of its settings does not
/// count: it was named.
///
/// # Errors
/// Every mistake in the file, and why it has no key.
pub fn named(paths: &Paths, name: &str, env: &Env) -> Result<Profile, ConfigError> {
    let file = ConfigFile::read(&paths.config_file())?;
    let entry = file.entry(name).ok_or_else(|| not_there("profile", &file))?;
    of_entry(entry, &file, paths, env, Overrides::default())
}

pub(super) fn lines_of(file: &ConfigFile, paths: &Paths, env: &Env) -> Vec<ProfileLine> {
    let default = match unnamed(file) {
        Unnamed::This(entry) => Some(entry.name.clone()),
        Unnamed::Several | Unnamed::None => None,
    };
    let line = |entry: &Entry| ProfileLine {
        key_from: key::described(entry, paths, env),
        is_default: default.as_deref() == Some(entry.name.as_str()),
        ..ProfileLine::of(entry)
    };
    file.profiles.iter().map(line).collect()
}

impl ProfileLine {
    fn of(entry: &Entry) -> Self {
        Self {
            key_from: String::new(),
            kept_in: entry.key.kept_in(),
            pin: entry.pin.clone(),
            is_default: false,
            name: entry.name.clone(),
            environment: entry.environment.unwrap_or(Environment::Live),
            base_url: entry.base_url.clone(),
            organisation: entry.organisation.clone(),
            read_only: entry.read_only,
            ca_file: entry.ca_file.as_ref().map(|(named, _)| named.clone()),
            proxy: entry.proxy.as_deref().map(without_user),
        }
    }
}

/// An address without user and password; three dots stand where some were.
pub(super) fn without_user(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        (None, Some((_, host))) => format!("…@{host}"),
        (_, None) => address.to_owned(),
    }
}

/// The service's zone as the environment says it.
fn offset_of(env: &Env) -> Result<Option<Offset>, ConfigError> {
    let Some(raw) = env.text("LAPEL_UTC_OFFSET")? else { return Ok(None) };
    let what = t!("must be hours and minutes from UTC, such as +09:00");
    read_offset(&raw).map(Some).ok_or_else(|| Mistake::in_env("LAPEL_UTC_OFFSET", what).into())
}

/// What the environment puts in the place of a profile's own settings.
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

fn choose(
    flags: &Flags,
    env: &Env,
    file: &ConfigFile,
    paths: &Paths,
) -> Result<Option<Profile>, ConfigError> {
    let overrides = Overrides::read(env)?;
    let by_env = env.text("LAPEL_PROFILE")?;
    let profile = match (&flags.profile, &by_env) {
        (Some(name), _) => {
            let entry = file.entry(name).ok_or_else(|| not_there("--profile", file))?;
            Some(of_entry(entry, file, paths, env, overrides)?)
        }
        (None, Some(name)) => match (file.entry(name), overrides) {
            (Some(entry), overrides) => Some(of_entry(entry, file, paths, env, overrides)?),
            // All three variables together need no file; the name is then only a name.
            (None, Overrides { base_url: Some(base_url), key: Some(key) }) if is_profile_name(name) => {
                Some(of_env(name, base_url, key, file))
            }
            (None, _) => return Err(not_there("LAPEL_PROFILE", file)),
        },
        (None, None) => match (unnamed(file), overrides) {
            (_, Overrides { base_url: Some(base_url), key: Some(key) }) => {
                Some(of_env("environment", base_url, key, file))
            }
            (Unnamed::This(entry), overrides) => Some(of_entry(entry, file, paths, env, overrides)?),
            (Unnamed::Several, _) => {
                let what = t!(
                    "there are several profiles and none is chosen: say --profile, set LAPEL_PROFILE, or \
                     write default_profile = \"...\" at the top of this file. There are: {names}",
                    names = file.names()
                );
                return Err(Mistake::in_file(&file.path, None, Some("default_profile"), what).into());
            }
            (Unnamed::None, Overrides { base_url: Some(_), .. }) => {
                let what = t!("is set, but LAPEL_API_KEY is not: set both, or neither");
                return Err(Mistake::in_env("LAPEL_BASE_URL", what).into());
            }
            (Unnamed::None, Overrides { key: Some(_), .. }) => {
                let what = t!("is set, but LAPEL_BASE_URL is not: set both, or neither");
                return Err(Mistake::in_env("LAPEL_API_KEY", what).into());
            }
            (Unnamed::None, _) => None,
        },
    };
    let utc_offset = offset_of(env)?;
    let profile = profile.map(|profile| Profile { utc_offset: utc_offset.or(profile.utc_offset), ..profile });
    Ok(profile.map(|profile| Profile { read_only: profile.read_only || flags.read_only, ..profile }))
}

/// The profile that the file alone chooses.
pub(super) enum Unnamed<'a> {
    This(&'a Entry),
    Several,
    None,
}

pub(super) fn unnamed(file: &ConfigFile) -> Unnamed<'_> {
    if let Some(entry) = file.default_profile.as_ref().and_then(|(name, _)| file.entry(name)) {
        return Unnamed::This(entry);
    }
    match file.profiles.as_slice() {
        [] => Unnamed::None,
        [one] => Unnamed::This(one),
        _ => Unnamed::Several,
    }
}

fn not_there(asked_by: &str, file: &ConfigFile) -> ConfigError {
    let what = t!(
        "names a profile that is not in {path}. There are: {names}",
        path = shown(&file.path),
        names = file.names()
    );
    Mistake::in_env(asked_by, what).into()
}

fn of_env(name: &str, base_url: String, key: SecretString, file: &ConfigFile) -> Profile {
    Profile {
        name: name.to_owned(),
        // Nobody said that it is anything else.
        environment: Environment::Live,
        base_url,
        organisation: None,
        read_only: false,
        key: Key::Known(key),
        key_from: "LAPEL_API_KEY".to_owned(),
        pin: None,
        rate_limit: None,
        utc_offset: None,
        proxy: None,
        picture_base: None,
        ca: None,
        jobs: file.jobs.clone(),
        index: file.index.clone(),
        from: "LAPEL_BASE_URL and LAPEL_API_KEY".to_owned(),
    }
}

fn of_entry(
    entry: &Entry,
    file: &ConfigFile,
    paths: &Paths,
    env: &Env,
    overrides: Overrides,
) -> Result<Profile, ConfigError> {
    let mut from = format!("profile {} of {}", entry.name, shown(&file.path));
    let elsewhere = overrides.base_url.as_ref().is_some_and(|url| !same_origin(url, &entry.base_url));
    let mut key_from = key::described(entry, paths, env);
    let key = match overrides.key {
        Some(key) => {
            from.push_str(", key from LAPEL_API_KEY");
            "LAPEL_API_KEY".clone_into(&mut key_from);
            Key::Known(key)
        }
        // A stored key belongs to the service that it was stored for.
        None if elsewhere => {
            let what = t!(
                "leads to another host than profile {name}, whose stored key is not sent there: set \
                 LAPEL_API_KEY too, or unset LAPEL_BASE_URL",
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
        None => entry.base_url.clone(),
    };
    let here = Here { key, key_from, base_url, elsewhere, from };
    profile_of(entry, file, paths, here)
}

/// What of a profile does not stand in its entry.
pub(super) struct Here {
    pub key: Key,
    pub key_from: String,
    pub base_url: String,
    /// Whether the address leads to another service than the entry's.
    pub elsewhere: bool,
    pub from: String,
}

/// A profile by its entry in the settings file.
pub(super) fn profile_of(
    entry: &Entry,
    file: &ConfigFile,
    paths: &Paths,
    here: Here,
) -> Result<Profile, ConfigError> {
    let elsewhere = here.elsewhere;
    Ok(Profile {
        name: entry.name.clone(),
        // What the file says about its own service says nothing about another one.
        environment: entry.environment.filter(|_| !elsewhere).unwrap_or(Environment::Live),
        organisation: entry.organisation.clone().filter(|_| !elsewhere),
        utc_offset: entry.utc_offset.filter(|_| !elsewhere),
        pin: entry.pin.clone().filter(|_| !elsewhere),
        ca: ca::read(entry, file, paths)?,
        base_url: here.base_url,
        read_only: entry.read_only,
        key: here.key,
        key_from: here.key_from,
        rate_limit: entry.rate_limit,
        proxy: entry.proxy.clone(),
        picture_base: entry.picture_base.clone().filter(|_| !elsewhere),
        jobs: entry.jobs.or(&file.jobs),
        index: entry.index.or(&file.index),
        from: here.from,
    })
}
