//! Reads the key of a profile, and refuses a key file that others can read.

use super::command;
use super::env::Env;
use super::file::{ConfigFile, ProfileEntry};
use super::key_store::KeyStore;
use super::keyring::Keyring;
use super::mistake::{ConfigError, Mistake, for_shell, shown};
use super::paths::Paths;
use crate::fs::{open_plain, open_to_others};
use crate::secrets;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// In bytes, far more than any key. A larger file is something else.
const LONGEST: usize = 4096;
/// Maximum number of key files that are read at the start.
const MOST_KEY_FILES: usize = 200;

/// A keyring or a command can take seconds, so its key is fetched only on request.
#[derive(Clone)]
pub enum Key {
    Known(SecretString),
    Deferred(DeferredKey),
}

#[derive(Clone)]
pub struct DeferredKey {
    source: DeferredSource,
    profile: String,
    file: PathBuf,
    line: Option<usize>,
}

#[derive(Clone)]
enum DeferredSource {
    Keyring(Keyring),
    Command(Vec<String>, Duration),
}

impl Key {
    /// `None` when the key must be fetched.
    pub fn known(&self) -> Option<&SecretString> {
        match self {
            Self::Known(key) => Some(key),
            Self::Deferred(_) => None,
        }
    }

    /// Blocks for at most 3 s on a keyring, and on a command for the profile's limit (10 s by default).
    ///
    /// # Errors
    /// The message names file, line and field.
    pub fn fetch(&self) -> Result<SecretString, ConfigError> {
        let deferred = match self {
            Self::Known(key) => return Ok(key.clone()),
            Self::Deferred(deferred) => deferred,
        };
        let field = |name: &str| format!("profiles.{}.{name}", deferred.profile);
        let wrong = |name: &str, what: String| {
            ConfigError::from(Mistake::in_file(&deferred.file, deferred.line, Some(&field(name)), what))
        };
        match &deferred.source {
            DeferredSource::Keyring(keyring) => match keyring.read(&deferred.profile) {
                Ok(Some(key)) => check(key.expose_secret())
                    .map_err(|why| wrong("key", t!("the keyring entry of this profile {why}", why))),
                Ok(None) => Err(wrong(
                    "key",
                    t!(
                        "the keyring has no key for this profile: run lapel profile edit {profile} --new-key",
                        profile = deferred.profile
                    ),
                )),
                Err(why) => Err(wrong("key", why)),
            },
            DeferredSource::Command(argv, patience) => {
                let printed = command::run(argv, *patience).map(SecretString::from);
                let key = printed.and_then(|key| {
                    check(key.expose_secret()).map_err(|why| t!("printed text that {why}", why))
                });
                key.map_err(|why| wrong("key_command", t!("the command {why}", why)))
            }
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known(_) => "[redacted]",
            Self::Deferred(_) => "[to be asked for]",
        })
    }
}

/// Shows a name from the file only when a variable or file of that name exists: otherwise it may be
/// a pasted key.
pub(super) fn described(entry: &ProfileEntry, paths: &Paths, env: &Env) -> String {
    match entry.settings.key_store() {
        KeyStore::File => t!("the file {name}", name = shown(&paths.key_file(&entry.name))),
        KeyStore::Variable(name) if env.raw(&name).is_some() => t!("the variable {name}", name),
        KeyStore::Variable(_) => t!("a variable that is not set").to_owned(),
        KeyStore::OtherFile(named) => match under(&paths.config_dir, &named) {
            path if path.exists() => t!("the file {path}", path = shown(&path)),
            _ => t!("a missing file").to_owned(),
        },
        store @ (KeyStore::Keyring | KeyStore::Command(_)) => store.label().to_owned(),
    }
}

pub(super) fn find(
    file: &ConfigFile,
    entry: &ProfileEntry,
    paths: &Paths,
    env: &Env,
) -> Result<Key, ConfigError> {
    let field = |key: &str| format!("profiles.{}.{key}", entry.name);
    let deferred = |source, key: &str| {
        let (profile, line) = (entry.name.clone(), file.line(&field(key)));
        Ok(Key::Deferred(DeferredKey { source, profile, file: file.path.clone(), line }))
    };
    let key = match entry.settings.key_store() {
        KeyStore::Keyring => return deferred(DeferredSource::Keyring(env.keyring().clone()), "key"),
        KeyStore::Command(argv) => {
            let seconds = entry.settings.key_command_seconds().unwrap_or(command::DEFAULT_SECONDS);
            let patience = Duration::from_secs(u64::from(seconds));
            return deferred(DeferredSource::Command(argv, patience), "key_command");
        }
        KeyStore::File => {
            let path = paths.key_file(&entry.name);
            let advice = t!(
                "this profile has no key: put it into {path}, readable only by you, or set LAPEL_API_KEY",
                path = shown(&path)
            );
            from_file(file, &field("key"), &path, &advice)?
        }
        KeyStore::OtherFile(named) => {
            let path = under(&paths.config_dir, &named);
            from_file(file, &field("key.file"), &path, t!("there is no file with the name given here"))?
        }
        KeyStore::Variable(name) => {
            // The message never repeats the name, because it may be a pasted key.
            let wrong = |what: String| file.wrong(&field("key.env"), what);
            let value = env.raw(&name);
            let value = value
                .ok_or_else(|| wrong(t!("the environment variable named here is not set").to_owned()))?;
            let value = SecretString::from(value.into_string().unwrap_or_default());
            check(value.expose_secret())
                .map_err(|why| wrong(t!("the environment variable named here {why}", why)))?
        }
    };
    Ok(Key::Known(key))
}

/// Registers a valid key with `crate::secrets`. The error is the end of a sentence that begins with the key's
/// source.
pub fn check(raw: &str) -> Result<SecretString, &'static str> {
    let key = raw.trim();
    if key.is_empty() {
        return Err(t!("contains no key"));
    }
    if key.len() > LONGEST {
        return Err(t!("is longer than an API key can be"));
    }
    if key.bytes().any(|b| b.is_ascii_whitespace()) {
        return Err(t!("has white space inside the key: write the key in one piece, on one line"));
    }
    if !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(t!("has a character that no key has (only ASCII letters, digits and symbols)"));
    }
    secrets::register_key(key);
    Ok(SecretString::from(key.to_owned()))
}

/// Registers the keys of all profiles with [`crate::secrets`], so that lapel neither sends nor
/// writes one of them. Skips keyrings and commands: the settings keep a fingerprint of their keys.
/// An unreadable key is reported when its profile is used.
pub fn register_keys(env: &Env) {
    let register = |raw: &str| drop(check(raw));
    let from = |path: &Path| {
        if let Ok(Some(mut file)) = open_plain(path)
            && let Ok(text) = read_bounded(&mut file)
        {
            register(SecretString::from(String::from_utf8(text).unwrap_or_default()).expose_secret());
        }
    };
    let variable = |name: &str| {
        if let Some(value) = env.raw(name).and_then(|value| value.into_string().ok()) {
            register(SecretString::from(value).expose_secret());
        }
    };
    variable(secrets::KEY_VARIABLE);
    let Ok(paths) = Paths::find(env) else { return };
    // Includes keys of removed profiles, and of profiles with mistakes.
    for found in std::fs::read_dir(paths.keys_dir()).into_iter().flatten().flatten().take(MOST_KEY_FILES) {
        from(&found.path());
    }
    let Ok(file) = ConfigFile::read(&paths.config_file()) else { return };
    for entry in &file.profiles {
        match entry.settings.key_store() {
            KeyStore::Variable(name) => variable(&name),
            KeyStore::OtherFile(named) => from(&under(&paths.config_dir, &named)),
            KeyStore::File | KeyStore::Keyring | KeyStore::Command(_) => {}
        }
    }
}

fn from_file(
    file: &ConfigFile,
    field: &str,
    path: &Path,
    missing: &str,
) -> Result<SecretString, ConfigError> {
    let wrong = |what: String| file.wrong(field, what);
    let mut opened = match open_plain(path) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Err(wrong(t!("the key file is not a regular file").to_owned())),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(wrong(missing.to_owned()));
        }
        Err(why) => return Err(wrong(t!("lapel cannot read the key file: {kind}", kind = why.kind()))),
    };
    // Checked on the open file: the name may lead elsewhere by now.
    if opened.metadata().is_ok_and(|found| open_to_others(&found)) {
        return Err(wrong(t!(
            "other users of this computer can read or change the key file. Run: chmod 600 {path} (and consider replacing the key)",
            path = for_shell(path)
        )));
    }
    let bytes = read_bounded(&mut opened)
        .map_err(|why| wrong(t!("lapel cannot read the key file: {kind}", kind = why.kind())))?;
    let text = String::from_utf8(bytes).unwrap_or_else(|_| "\u{fffd}".to_owned());
    let text = SecretString::from(text);
    check(text.expose_secret()).map_err(|why| Mistake::in_file(path, None, None, why).into())
}

/// Never reallocates, since that would leave copies in memory.
fn read_bounded(from: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(LONGEST + 64);
    from.take(LONGEST as u64 + 32).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Relative to the config folder, or to the home folder with `~/`.
pub(super) fn under(config_dir: &Path, named: impl AsRef<Path>) -> PathBuf {
    let named = named.as_ref();
    match named.strip_prefix("~") {
        Ok(rest) => etcetera::home_dir().map_or_else(|_| config_dir.join(named), |home| home.join(rest)),
        Err(_) => config_dir.join(named),
    }
}
