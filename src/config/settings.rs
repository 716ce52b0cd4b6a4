//! The settings of one run: which profile, how the desk looks, where files go.

use super::address::{check_base_url, has_usual_path, same_origin};
use super::behaviour::DeskSettings;
use super::ca;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::keep::KeyStore;
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
    /// What is wrong in the files, and is left out.
    pub left_out: Vec<Mistake>,
    /// The profile that was chosen and cannot be used, and why; for the desk, which starts without it.
    pub refused: Option<(String, ConfigError)>,
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
    pub kept_in: KeyStore,
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
    /// What is wrong in the files costs its own field, and is told in [`Self::left_out`]; where it might make a
    /// profile less careful, that profile is read-only or cannot be used.
    ///
    /// # Errors
    /// The profile that is chosen cannot be used: every mistake about it, with file, line and field.
    pub fn resolve(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let profile = choose(flags, env, &file, &paths).or_else(|error| {
            let all =
                if file.mistakes.is_empty() { Ok(()) } else { Err(ConfigError::new(file.mistakes.clone())) };
            ConfigError::both(all, Err(error)).map(|((), profile)| profile)
        })?;
        let settings = Self::of(flags, env, &file, paths).with_profile(profile, &file);
        if settings.profile.is_none() && !file.mistakes.is_empty() {
            // There may be a profile in what could not be read.
            return Err(ConfigError::new(settings.left_out));
        }
        Ok(settings)
    }

    /// The same for the desk, which starts without the profile where something in the file keeps that from being
    /// used.
    ///
    /// # Errors
    /// A flag or a variable of the environment asks for what there is not.
    pub fn for_desk(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let (profile, refused) = match choose(flags, env, &file, &paths) {
            Ok(profile) => (profile, None),
            Err(error) if error.mistakes().iter().all(|mistake| mistake.file.is_some()) => {
                (None, Some((chosen(flags, env, &file), error)))
            }
            Err(error) => return Err(error),
        };
        Ok(Self { refused, ..Self::of(flags, env, &file, paths).with_profile(profile, &file) })
    }

    fn with_profile(mut self, profile: Option<Profile>, file: &ConfigFile) -> Self {
        if let Some(entry) = profile.as_ref().and_then(|profile| file.entry(&profile.name)) {
            // What is wrong with the profile in use is told first.
            self.left_out.sort_by_key(|mistake| !entry.doubts.contains(mistake));
        }
        if let Some(profile) = &profile
            && !has_usual_path(&profile.base_url)
        {
            self.warnings.push(t!("The base URL of profile {name} does not end in /api/v1/ext, as that of the service usually does.", name = profile.name));
        }
        Self { profile, ..self }
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
        let file = ConfigFile::read(&paths.config_file()).unwrap_or_else(|error| ConfigFile {
            mistakes: error.mistakes().to_vec(),
            ..ConfigFile::default()
        });
        if flags.profile.is_some() {
            warnings
                .push(t!("--profile has no effect on the demo, which has a service of its own.").to_owned());
        }
        let mut settings = Self::of(flags, env, &file, paths);
        settings.warnings.splice(0..0, warnings);
        settings
    }

    /// Another profile of the settings file, read afresh: it may have been changed or added since.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
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
        let ui = Ui::resolve(
            (flags.theme, flags.glyphs, flags.pictures),
            env,
            (file.theme, file.glyphs, file.pictures),
            file.language,
            own,
        );
        let ui = Ui { joined: file.joined, ..ui };
        Self { paths, profile: None, profiles, ui, desk: file.desk, log, warnings, left_out, refused: None }
    }
}

/// The profiles of the settings file, read afresh, in its order. No key is looked for.
///
/// # Errors
/// The file as a whole cannot be used.
pub fn profiles(paths: &Paths, env: &Env) -> Result<Vec<ProfileLine>, ConfigError> {
    Ok(lines_of(&ConfigFile::read(&paths.config_file())?, paths, env))
}

/// A profile of the settings file, read afresh. What the environment says in place of its settings does not
/// count: it was named.
///
/// # Errors
/// What is wrong with it, and why it has no key.
pub fn named(paths: &Paths, name: &str, env: &Env) -> Result<Profile, ConfigError> {
    let file = ConfigFile::read(&paths.config_file())?;
    let entry = there("profile", name, &file)?;
    of_entry(entry, &file, paths, env, Overrides::default())
}

pub(super) fn lines_of(file: &ConfigFile, paths: &Paths, env: &Env) -> Vec<ProfileLine> {
    let default = match unnamed(file) {
        Unnamed::This(entry) => Some(entry.name.clone()),
        Unnamed::Unusable(_) | Unnamed::Several | Unnamed::None => None,
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
            let entry = there("--profile", name, file)?;
            Some(of_entry(entry, file, paths, env, overrides)?)
        }
        (None, Some(name)) => match (file.entry(name), overrides) {
            (Some(entry), overrides) => Some(of_entry(entry, file, paths, env, overrides)?),
            // All three variables together need no file; the name is then only a name.
            (None, Overrides { base_url: Some(base_url), key: Some(key) }) if is_profile_name(name) => {
                Some(of_env(name, base_url, key, file))
            }
            (None, overrides) => {
                let entry = there("LAPEL_PROFILE", name, file)?;
                Some(of_entry(entry, file, paths, env, overrides)?)
            }
        },
        (None, None) => match (unnamed(file), overrides) {
            (_, Overrides { base_url: Some(base_url), key: Some(key) }) => {
                Some(of_env("environment", base_url, key, file))
            }
            (Unnamed::This(entry), overrides) => Some(of_entry(entry, file, paths, env, overrides)?),
            (Unnamed::Unusable(mistakes), _) => return Err(ConfigError::new(mistakes.to_vec())),
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

/// The name of the profile that would be used; empty where none is chosen.
fn chosen(flags: &Flags, env: &Env, file: &ConfigFile) -> String {
    let named = flags.profile.clone().or_else(|| env.text("LAPEL_PROFILE").ok().flatten());
    let by_file = || match unnamed(file) {
        Unnamed::This(entry) => entry.name.clone(),
        Unnamed::Unusable(mistakes) => {
            let of = |(name, all): &(String, Vec<Mistake>)| (all == mistakes).then(|| name.clone());
            file.unusable.iter().find_map(of).unwrap_or_default()
        }
        Unnamed::Several | Unnamed::None => String::new(),
    };
    named.unwrap_or_else(by_file)
}

/// The profile that the file alone chooses.
pub(super) enum Unnamed<'a> {
    This(&'a Entry),
    /// It cannot be used, and this is why.
    Unusable(&'a [Mistake]),
    Several,
    None,
}

pub(super) fn unnamed(file: &ConfigFile) -> Unnamed<'_> {
    // One that is named and cannot be used does not make room for another one.
    let named = |name: &str| {
        let unusable = file.unusable.iter().find(|(of, _)| of == name);
        let unusable = unusable.map(|(_, mistakes)| Unnamed::Unusable(mistakes));
        file.entry(name).map(Unnamed::This).or(unusable)
    };
    if let Some(chosen) = file.default_profile.as_ref().and_then(|(name, _)| named(name)) {
        return chosen;
    }
    match (file.profiles.as_slice(), file.unusable.as_slice()) {
        ([], []) => Unnamed::None,
        ([one], []) if !file.default_is_wrong => Unnamed::This(one),
        ([], [(_, mistakes)]) => Unnamed::Unusable(mistakes),
        _ => Unnamed::Several,
    }
}

/// A profile by its name.
fn there<'f>(asked_by: &str, name: &str, file: &'f ConfigFile) -> Result<&'f Entry, ConfigError> {
    let missing = || file.why_unusable(name).unwrap_or_else(|| not_there(asked_by, file));
    file.entry(name).ok_or_else(missing)
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
        read_only: file.is_read_only,
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
