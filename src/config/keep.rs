//! Saves a new profile: its key in its key store, the rest at the end of `config.toml`.

use super::address::{check_base_url, check_proxy};
use super::ca;
use super::command;
use super::env::Env;
use super::file::{ConfigFile, read_text};
use super::key::{self, Key};
use super::mistake::{ConfigError, Mistake, shown};
use super::paths::Paths;
use super::profile::{CaFile, Environment, NAME_RULE, Pin, Profile, is_profile_name};
use super::source::is_variable;
use crate::disk::{create_private_dir, open_private_append, replace, write_new};
use crate::secrets::is_key;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum wait while another lapel locks the settings.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// Pause between two attempts to lock.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Default, PartialEq, Eq)]
pub enum KeyStore {
    /// lapel's own file `keys/NAME`, which only its owner can read.
    #[default]
    File,
    Keyring,
    /// An environment variable, which lapel does not set.
    Variable(String),
    /// A file that lapel does not write.
    OtherFile(PathBuf),
    /// A command that prints the key, the program first. It runs without a shell.
    Command(Vec<String>),
}

impl fmt::Debug for KeyStore {
    /// Leaves out names and words, because they may be a misplaced key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "File",
            Self::Keyring => "Keyring",
            Self::Variable(_) => "Variable(..)",
            Self::OtherFile(_) => "OtherFile(..)",
            Self::Command(_) => "Command(..)",
        })
    }
}

#[derive(Clone)]
pub struct NewProfile {
    /// Its name, see [`is_profile_name`].
    pub name: String,
    pub environment: Environment,
    pub base_url: String,
    pub organisation: Option<String>,
    pub read_only: bool,
    pub ca_file: Option<PathBuf>,
    pub proxy: Option<String>,
    pub kept_in: KeyStore,
    pub pin: Option<Pin>,
    /// Whether it becomes the default profile. The first profile does so in any case.
    pub make_default: bool,
}

impl NewProfile {
    /// A profile with its key in lapel's own file, and defaults for all other fields.
    pub fn new(name: impl Into<String>, environment: Environment, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            environment,
            base_url: base_url.into(),
            organisation: None,
            read_only: false,
            ca_file: None,
            proxy: None,
            kept_in: KeyStore::File,
            pin: None,
            make_default: false,
        }
    }

    /// The resulting profile, for a test before it is saved.
    pub fn profile(&self, api_key: &str) -> Result<Profile, ConfigError> {
        // This registers the key, so that `no_key` below finds it in any other field.
        let secret = key::check(api_key).map_err(|why| field("key", t!("the field {why}", why)))?;
        no_key("name", &self.name)?;
        no_key("base_url", &self.base_url)?;
        no_key("organisation", self.organisation.as_deref().unwrap_or_default())?;
        no_key("proxy", self.proxy.as_deref().unwrap_or_default())?;
        no_key("ca_file", &self.ca_file.as_deref().unwrap_or(Path::new("")).to_string_lossy())?;
        if !is_profile_name(&self.name) {
            return Err(field(
                "name",
                t!("invalid name: {name_rule}", name_rule = crate::i18n::tr(NAME_RULE)),
            ));
        }
        let base_url = check_base_url(&self.base_url).map_err(|why| field("base_url", why))?;
        let proxy = self.proxy.as_deref().map(check_proxy).transpose();
        let ca = self.ca_file.as_ref().map(|path| {
            let pem = ca::load(path).map_err(|why| field("ca_file", why))?;
            Ok::<_, ConfigError>(CaFile { path: path.clone(), pem: pem.into() })
        });
        self.kept_in.check()?;
        Ok(Profile {
            name: self.name.clone(),
            environment: self.environment,
            base_url,
            organisation: self
                .organisation
                .as_deref()
                .map(str::trim)
                .filter(|o| !o.is_empty())
                .map(str::to_owned),
            read_only: self.read_only,
            key: Key::Known(secret),
            key_from: self.kept_in.words().to_owned(),
            pin: self.pin.clone(),
            rate_limit: None,
            utc_offset: None,
            proxy: proxy.map_err(|why| field("proxy", why))?,
            ca: ca.transpose()?,
            picture_base: None,
            jobs: super::JobSettings::default(),
            index: super::IndexSettings::default(),
            from: format!("a profile named {}", self.name),
        })
    }
}

impl fmt::Debug for NewProfile {
    /// Leaves out the proxy, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewProfile")
            .field("name", &self.name)
            .field("environment", &self.environment)
            .field("base_url", &self.base_url)
            .field("organisation", &self.organisation)
            .field("kept_in", &self.kept_in.words())
            .field("pin", &self.pin)
            .finish_non_exhaustive()
    }
}

/// A mistake in typed input.
pub(super) fn field(name: &str, what: impl Into<String>) -> ConfigError {
    Mistake::in_env(name, what).into()
}

/// Refuses an API key in a field that is saved unchanged and displayed.
pub(super) fn no_key(name: &str, text: &str) -> Result<(), ConfigError> {
    if is_key(text) { Err(field(name, t!("looks like an API key: do not enter a key here"))) } else { Ok(()) }
}

impl KeyStore {
    pub fn words(&self) -> &'static str {
        match self {
            Self::File => t!("lapel's key file"),
            Self::Keyring => t!("the keyring"),
            Self::Variable(_) => t!("an environment variable"),
            Self::OtherFile(_) => t!("a file"),
            Self::Command(_) => t!("a command (key_command)"),
        }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::Variable(name) if !is_variable(name) => {
                Err(field("key", t!("env: needs the name of an environment variable")))
            }
            Self::Command(argv) if argv.first().is_none_or(|program| program.trim().is_empty()) => {
                Err(field("key_command", t!("is empty: give the program that prints the key")))
            }
            Self::Command(argv) if argv.iter().any(|word| word.contains('\0')) => {
                Err(field("key_command", t!("has a character that no command can have")))
            }
            Self::OtherFile(path) if path.to_str().is_none_or(str::is_empty) => {
                Err(field("key", t!("this file name cannot be stored in the settings")))
            }
            Self::Variable(text) => no_key("key", text),
            Self::OtherFile(path) => no_key("key", &path.to_string_lossy()),
            Self::Command(argv) => argv.iter().try_for_each(|word| no_key("key_command", word)),
            Self::File | Self::Keyring => Ok(()),
        }
    }

    /// A variable whose name was typed.
    pub fn of_variable(typed: &str) -> Result<Self, ConfigError> {
        if is_variable(typed) {
            return Ok(Self::Variable(typed.to_owned()));
        }
        Err(field("key", t!("must be the name of an environment variable, not the key itself")))
    }

    /// A typed command line, when a shell would split it into the same words.
    ///
    /// # Errors
    /// The text is empty, or contains syntax that only a shell understands.
    pub fn of_command_line(typed: &str) -> Result<Self, ConfigError> {
        let place = match command::words(typed) {
            Some(argv) => Self::Command(argv),
            None if typed.trim().is_empty() => Self::Command(Vec::new()),
            None => {
                let what = t!(
                    "runs without a shell, so quotation marks, $, ~ and | have no effect. Write it into config.toml as a list of strings, or use a small script"
                );
                return Err(field("key_command", what));
            }
        };
        place.check().map(|()| place)
    }

    /// The current key store of a profile.
    ///
    /// # Errors
    /// No such profile, or mistakes in the settings file.
    pub fn of(paths: &Paths, name: &str) -> Result<Self, ConfigError> {
        let file = ConfigFile::read(&paths.config_file())?;
        let entry = file.entry(name).ok_or_else(|| field("profile", t!("this profile does not exist")))?;
        Ok(entry.key.kept_in())
    }

    /// Reads the key that is already in the store. A command or a keyring may block.
    ///
    /// # Errors
    /// Why there is no key. lapel's own stores hold none for a new profile.
    pub fn find(&self, paths: &Paths, env: &Env) -> Result<SecretString, ConfigError> {
        self.check()?;
        // Reads it as if a settings file had this key store.
        let mut text = "[profiles.new]\nbase_url = \"https://localhost/\"\n".to_owned();
        if let Some((name, value)) = self.setting() {
            text.push_str(&format!("{name} = {value}\n"));
        }
        let unplaced = |error: ConfigError| {
            let all =
                error.mistakes().iter().map(|m| Mistake { file: None, line: None, field: None, ..m.clone() });
            ConfigError::new(all.map(|m| Mistake { field: Some("key".to_owned()), ..m }).collect())
        };
        let file = ConfigFile::parse(&paths.config_file(), &text).map_err(unplaced)?;
        let entry = file.entry("new").ok_or_else(|| field("key", "cannot be found"))?;
        key::find(&file, entry, paths, env).and_then(|key| key.fetch()).map_err(unplaced)
    }

    /// The field of `config.toml` with its value. `None` for lapel's own file.
    pub(super) fn setting(&self) -> Option<(&'static str, toml::Value)> {
        let table = |name: &str, value: toml::Value| {
            ("key", toml::Value::Table(toml::map::Map::from_iter([(name.to_owned(), value)])))
        };
        match self {
            Self::File => None,
            Self::Keyring => Some(table("keyring", true.into())),
            Self::Variable(name) => Some(table("env", name.as_str().into())),
            Self::OtherFile(path) => Some(table("file", path.to_string_lossy().as_ref().into())),
            Self::Command(argv) => {
                let words = argv.iter().map(|word| toml::Value::from(word.as_str())).collect();
                Some(("key_command", toml::Value::Array(words)))
            }
        }
    }

    /// Stores a key where none is stored yet.
    pub(super) fn keep(
        &self,
        paths: &Paths,
        env: &Env,
        name: &str,
        key: &SecretString,
    ) -> Result<(), ConfigError> {
        match self {
            Self::File => {
                let file = paths.key_file(name);
                write_new(&file, format!("{}\n", key.expose_secret()).as_bytes()).map_err(|why| {
                    let file = shown(&file);
                    Mistake::plain(match why.kind() {
                        ErrorKind::AlreadyExists => t!(
                            "{file}: a key file with this name exists and was not changed. Move it, or choose another name",
                            file
                        ),
                        _ => t!("cannot write {file}: {why}", file, why),
                    })
                    .into()
                })
            }
            Self::Keyring => {
                let keyring = env.keyring();
                if keyring.read(name).map_err(|why| field("key", why))?.is_some() {
                    let what = t!(
                        "the keyring already has a key for a profile with this name (not changed): remove it there or choose another name"
                    );
                    return Err(field("key", what));
                }
                keyring.write(name, key).map_err(|why| field("key", why))
            }
            // lapel does not write to these stores.
            Self::Variable(_) | Self::OtherFile(_) | Self::Command(_) => Ok(()),
        }
    }

    /// Deletes a key that was just stored and is useless without its profile.
    pub(super) fn take_back(&self, paths: &Paths, env: &Env, name: &str) {
        match self {
            Self::File => {
                let _ = std::fs::remove_file(paths.key_file(name));
            }
            Self::Keyring => {
                let _ = env.keyring().forget(name);
            }
            Self::Variable(_) | Self::OtherFile(_) | Self::Command(_) => {}
        }
    }
}

/// Saves a profile and its key. The profile goes to the end of `config.toml`. The rest stays unchanged byte
/// for byte, unless the profile becomes the default. In a new file it is the default.
///
/// Each file is written in one step, the key first. A crash in between leaves a key without a profile, never
/// a profile without a key. A keyring may block for at most 6 s.
///
/// # Errors
/// An invalid name, address or key; an existing profile or key of this name; mistakes in the settings file;
/// or an error of the file system or the keyring. Nothing is changed then.
pub fn keep_profile(
    paths: &Paths,
    env: &Env,
    new: &NewProfile,
    api_key: &str,
) -> Result<Profile, ConfigError> {
    let profile = new.profile(api_key)?;
    let secret = profile.key.fetch()?;
    create_private_dir(&paths.keys_dir()).map_err(|why| {
        Mistake::plain(t!("cannot create {keys_dir}: {why}", keys_dir = shown(&paths.keys_dir()), why))
    })?;
    let _lock = lock(paths)?;
    let path = paths.config_file();
    let text = read_text(&path)?;
    let before = ConfigFile::parse(&path, text.as_deref().unwrap_or_default())?;
    is_free(&before, &new.name)?;
    let block = block(new, &profile);
    let mut after = appended(text.as_deref().unwrap_or_default(), &new.name, &block);
    if new.make_default {
        after = super::edit::with_default(&path, &after, &new.name)?;
    }
    check_after(&before, &after, new, &block)?;

    new.kept_in.keep(paths, env, &new.name, &secret)?;
    let written = match text {
        Some(_) => replace(&path, after.as_bytes()),
        None => write_new(&path, after.as_bytes()),
    };
    if let Err(why) = written {
        new.kept_in.take_back(paths, env, &new.name);
        return Err(Mistake::in_file(&path, None, None, t!("cannot be written: {why}", why)).into());
    }
    Ok(Profile {
        jobs: before.jobs,
        index: before.index,
        from: format!("profile {} of {}", new.name, shown(&path)),
        ..profile
    })
}

/// Checks that no other profile has this name.
pub(super) fn is_free(file: &ConfigFile, name: &str) -> Result<(), ConfigError> {
    // Names that differ only in case would share a key file on some systems.
    match file.profiles.iter().find(|old| old.name.eq_ignore_ascii_case(name)) {
        None => Ok(()),
        Some(old) => {
            let what = t!("a profile with this name exists: choose another name or remove the old one first");
            Err(file.wrong(old.line, &format!("profiles.{}", old.name), what))
        }
    }
}

/// Locks the settings, so that two lapel processes never write at once. Blocks for at most [`LOCK_PATIENCE`].
/// The lock ends when the file is closed, even by a crash.
pub(super) fn lock(paths: &Paths) -> Result<File, ConfigError> {
    let path = paths.config_dir.join(".lock");
    let file = open_private_append(&path)
        .map_err(|why| Mistake::plain(t!("cannot write {path}: {why}", path = shown(&path), why)))?;
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            // Writing takes a moment. A program that this process is starting may hold the lock as long.
            Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Mistake::plain(t!(
                    "another lapel is writing the settings. Nothing was changed. Try again"
                ))
                .into());
            }
            // Some network file systems have no locks; lapel then works without one.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}

/// The profile as it is written to the file.
fn block(new: &NewProfile, profile: &Profile) -> String {
    let mut lines = vec![("environment", toml::Value::from(profile.environment.word()))];
    lines.push(("base_url", profile.base_url.as_str().into()));
    let text = |text: &str| toml::Value::from(text);
    lines.extend(profile.organisation.as_deref().map(|o| ("organisation", text(o))));
    lines.extend(new.read_only.then(|| ("read_only", true.into())));
    lines.extend(new.kept_in.setting());
    if let Some(pin) = &new.pin {
        lines.push(("key_prefix", text(&pin.prefix)));
        lines.extend(pin.fingerprint.as_deref().map(|f| ("key_fingerprint", text(f))));
    }
    lines.extend(profile.proxy.as_deref().map(|p| ("proxy", text(p))));
    lines.extend(profile.ca.as_ref().map(|ca| ("ca_file", text(&ca.path.to_string_lossy()))));
    let mut text = format!("[profiles.{}]\n", new.name);
    for (name, value) in lines {
        text.push_str(&format!("{name} = {value}\n"));
    }
    text
}

fn appended(text: &str, name: &str, block: &str) -> String {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return format!(
            "{text}# Settings of lapel. Keys do not belong in this file: they stand in keys/, one file each.\n\
             default_profile = \"{name}\"\n\n{block}"
        );
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}\n{block}")
}

/// Parses the new text before it is written: it must contain the old profiles and settings, and the new
/// profile.
fn check_after(before: &ConfigFile, after: &str, new: &NewProfile, block: &str) -> Result<(), ConfigError> {
    let same = ConfigFile::parse(&before.path, after).is_ok_and(|read| {
        read.entry(&new.name).is_some()
            && read.profiles.len() == before.profiles.len() + 1
            && before.profiles.iter().all(|old| read.entry(&old.name).is_some_and(|e| e.says_what(old)))
            && read.theme == before.theme
            && read.glyphs == before.glyphs
            && read.pictures == before.pictures
            && read.index == before.index
    });
    if same {
        return Ok(());
    }
    // For example `profiles = { ... }` on one line, which cannot be extended from below.
    let what = t!(
        "lapel cannot add a profile at the end of this file. Nothing was changed. Add this where your profiles are:\n{block}",
        block
    );
    Err(Mistake::in_file(&before.path, None, Some("profiles"), what).into())
}
