//! Reads the key of a profile or the password of its team's journal, and refuses a file of one that others can
//! read.

use super::command;
use super::file::{ConfigFile, ProfileEntry};
use super::key_store::{KeyStore, SecretKind};
use super::mistake::for_shell;
use super::paths::JOURNAL_PASSWORD;
use crate::config::prelude::*;
use crate::fs::{open_plain, open_to_others};
use crate::secrets;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// In bytes, far more than any key or password. A larger file is something else.
const LONGEST: usize = 4096;
/// Maximum number of key files that are read at the start.
const MOST_KEY_FILES: usize = 200;

/// An API key, or the password of a team's journal. A keyring or a command can take seconds, so its key is fetched
/// only on request.
#[derive(Clone)]
pub enum Key {
    Known(SecretString),
    /// Asks a keyring or a command.
    Deferred(Arc<dyn Fn() -> Result<SecretString, ConfigError> + Send + Sync>),
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
    pub fn fetch(&self) -> Result<SecretString, ConfigError> {
        match self {
            Self::Known(key) => Ok(key.clone()),
            Self::Deferred(ask) => ask(),
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

pub(super) struct SecretSource<'a> {
    pub kind: SecretKind,
    pub profile: &'a str,
    pub store: KeyStore,
    /// Time limit of a command. `None` for the default.
    pub seconds: Option<u32>,
}

impl<'a> SecretSource<'a> {
    pub fn of_key(entry: &'a ProfileEntry) -> Self {
        let (store, seconds) = (entry.settings.key_store(), entry.settings.key_command_seconds());
        Self { kind: SecretKind::ApiKey, profile: &entry.name, store, seconds }
    }

    /// `None` for a profile without a team's journal, and for one that logs in without a password.
    pub fn of_journal(entry: &'a ProfileEntry) -> Option<Self> {
        let (profile, journal) = (entry.name.as_str(), &entry.settings.journal);
        let store = journal.password_store(profile)?;
        let seconds = journal.password_command_seconds();
        Some(Self { kind: SecretKind::JournalPassword, profile, store, seconds })
    }

    /// Shows a name from the file only when a variable or file of that name exists: otherwise it may be
    /// a pasted key.
    pub fn described(&self, paths: &Paths, env: &Env) -> String {
        match &self.store {
            KeyStore::File => t!("the file {name}", name = shown(&self.kind.file(paths, self.profile))),
            KeyStore::Variable(name) if env.raw(name).is_some() => t!("the variable {name}", name),
            KeyStore::Variable(_) => t!("a variable that is not set").to_owned(),
            KeyStore::OtherFile(named) => match under(&paths.config_dir, named) {
                path if path.exists() => t!("the file {path}", path = shown(&path)),
                _ => t!("a missing file").to_owned(),
            },
            store @ (KeyStore::Keyring | KeyStore::Command(_)) => store.label(self.kind).to_owned(),
        }
    }

    pub fn find(&self, file: &ConfigFile, paths: &Paths, env: &Env) -> Result<Key, ConfigError> {
        let kind = self.kind;
        let field = |name: &str| format!("profiles.{}.{name}", self.profile);
        let part = |name: &str| field(&join(kind.setting(), name));
        let mistake_in = |field: String| {
            let (path, line) = (file.path.clone(), file.line(&field));
            move |what: String| ConfigError::from(Mistake::in_file(&path, line, Some(&field), what))
        };
        let key = match &self.store {
            KeyStore::Keyring => {
                let (keyring, profile) = (env.keyring().clone(), self.profile.to_owned());
                let wrong = mistake_in(field(kind.setting()));
                let ask = move || match keyring.read(&kind.keyring_entry(&profile)).map_err(&wrong)? {
                    Some(key) => kind
                        .check(key.expose_secret())
                        .map_err(|why| wrong(t!("the keyring entry of this profile {why}", why))),
                    None => Err(wrong(match kind {
                        SecretKind::ApiKey => t!(
                            "the keyring has no key for this profile: run lapel profile edit {profile} --new-key",
                            profile
                        ),
                        SecretKind::JournalPassword => t!(
                            "the keyring has no journal password for this profile: run lapel profile edit {profile} --new-journal-password",
                            profile
                        ),
                    })),
                };
                return Ok(Key::Deferred(Arc::new(ask)));
            }
            KeyStore::Command(argv) => {
                let seconds = self.seconds.unwrap_or(command::DEFAULT_SECONDS);
                let (argv, patience) = (argv.clone(), Duration::from_secs(u64::from(seconds)));
                let wrong = mistake_in(field(kind.command_setting()));
                let ask = move || {
                    let printed = command::run(&argv, patience).map(SecretString::from);
                    let key = printed.and_then(|key| {
                        kind.check(key.expose_secret()).map_err(|why| t!("printed text that {why}", why))
                    });
                    key.map_err(|why| wrong(t!("the command {why}", why)))
                };
                return Ok(Key::Deferred(Arc::new(ask)));
            }
            KeyStore::File => {
                let path = kind.file(paths, self.profile);
                let advice = match kind {
                    SecretKind::ApiKey => t!(
                        "this profile has no key: put it into {path}, readable only by you, or set LAPEL_API_KEY",
                        path = shown(&path)
                    ),
                    SecretKind::JournalPassword => t!(
                        "the password file is missing: run lapel profile edit {profile} --new-journal-password",
                        profile = self.profile
                    ),
                };
                from_file(kind, file, &field(kind.setting()), &path, &advice)?
            }
            KeyStore::OtherFile(named) => {
                let path = under(&paths.config_dir, named);
                from_file(kind, file, &part("file"), &path, t!("there is no file with the name given here"))?
            }
            KeyStore::Variable(name) => {
                // The message never repeats the name, because it may be a pasted key.
                let wrong = |what: String| file.wrong(&part("env"), what);
                let value = env.raw(name);
                let value = value
                    .ok_or_else(|| wrong(t!("the environment variable named here is not set").to_owned()))?;
                let value = SecretString::from(value.into_string().unwrap_or_default());
                kind.check(value.expose_secret())
                    .map_err(|why| wrong(t!("the environment variable named here {why}", why)))?
            }
        };
        Ok(Key::Known(key))
    }
}

impl KeyStore {
    /// A command or a keyring may block. lapel's own stores hold nothing for a new profile.
    pub fn find(&self, kind: SecretKind, paths: &Paths, env: &Env) -> Result<SecretString, ConfigError> {
        self.check(kind)?;
        if let Self::Variable(name) = self {
            crate::secrets::register_variable(name);
        }
        let source = SecretSource { kind, profile: "new", store: self.clone(), seconds: None };
        let found = source.find(&ConfigFile::default(), paths, env).and_then(|key| key.fetch());
        // No file has this profile yet.
        found.map_err(|error| {
            let typed = |mistake: &Mistake| Mistake::in_env(kind.setting(), mistake.what.as_str());
            ConfigError::new(error.mistakes().iter().map(typed).collect())
        })
    }
}

impl SecretKind {
    /// Registers a valid secret with `crate::secrets`. The error is the end of a sentence that begins with the
    /// secret's source.
    pub(super) fn check(self, raw: &str) -> Result<SecretString, &'static str> {
        match self {
            Self::ApiKey => check(raw),
            Self::JournalPassword => check_password(raw),
        }
    }
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

/// As [`check`]. Anything on one line can be a password, also spaces at its ends.
fn check_password(raw: &str) -> Result<SecretString, &'static str> {
    let password = raw.strip_suffix('\n').map_or(raw, |line| line.strip_suffix('\r').unwrap_or(line));
    if password.is_empty() {
        return Err(t!("contains no password"));
    }
    if password.len() > LONGEST {
        return Err(t!("is longer than a password can be"));
    }
    if password.chars().any(|c| c.is_control() || c == '\u{fffd}') {
        return Err(t!("has a character that no password has: write the password as UTF-8 text on one line"));
    }
    secrets::register_password(password);
    Ok(SecretString::from(password.to_owned()))
}

/// Registers the keys and journal passwords of all profiles with [`crate::secrets`], so that lapel neither sends
/// nor writes one of them. Skips keyrings and commands: the settings keep a fingerprint of their keys.
/// An unreadable key is reported when its profile is used.
pub fn register_keys(env: &Env) {
    let register = |kind: SecretKind, raw: &str| drop(kind.check(raw));
    let from = |kind: SecretKind, path: &Path| {
        if let Ok(Some(mut file)) = open_plain(path)
            && let Ok(text) = read_bounded(&mut file)
        {
            let text = SecretString::from(String::from_utf8(text).unwrap_or_default());
            register(kind, text.expose_secret());
        }
    };
    let variable = |kind: SecretKind, name: &str| {
        if let Some(value) = env.raw(name).and_then(|value| value.into_string().ok()) {
            register(kind, SecretString::from(value).expose_secret());
        }
    };
    variable(SecretKind::ApiKey, secrets::KEY_VARIABLE);
    let Ok(paths) = Paths::find(env) else { return };
    // Includes keys of removed profiles, and of profiles with mistakes.
    for found in std::fs::read_dir(paths.keys_dir()).into_iter().flatten().flatten().take(MOST_KEY_FILES) {
        let is_password = found.file_name().to_string_lossy().ends_with(JOURNAL_PASSWORD);
        from(if is_password { SecretKind::JournalPassword } else { SecretKind::ApiKey }, &found.path());
    }
    let Ok(file) = ConfigFile::read(&paths.config_file()) else { return };
    for entry in &file.profiles {
        for source in
            [Some(SecretSource::of_key(entry)), SecretSource::of_journal(entry)].into_iter().flatten()
        {
            match &source.store {
                KeyStore::Variable(name) => variable(source.kind, name),
                KeyStore::OtherFile(named) => from(source.kind, &under(&paths.config_dir, named)),
                KeyStore::File | KeyStore::Keyring | KeyStore::Command(_) => {}
            }
        }
    }
}

fn from_file(
    kind: SecretKind,
    file: &ConfigFile,
    field: &str,
    path: &Path,
    missing: &str,
) -> Result<SecretString, ConfigError> {
    let wrong = |what: String| file.wrong(field, what);
    let secret_file = kind.file_label();
    let unreadable = |why: std::io::Error| {
        let (why, path_shown) = (io_error::words(&why), shown(path));
        // A name that leads nowhere may be a key, written where the name of its file belongs.
        wrong(if std::fs::symlink_metadata(path).is_ok() {
            t!("lapel cannot read the {secret_file} {path}: {why}", secret_file, path = path_shown, why)
        } else {
            t!("lapel cannot read the {secret_file}: {why}", secret_file, why)
        })
    };
    let mut opened = match open_plain(path) {
        Ok(Some(opened)) => opened,
        Ok(None) => {
            return Err(wrong(t!(
                "the {secret_file} {path} is not a regular file",
                secret_file,
                path = shown(path)
            )));
        }
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(wrong(missing.to_owned()));
        }
        Err(why) => return Err(unreadable(why)),
    };
    // Checked on the open file: the name may lead elsewhere by now.
    if opened.metadata().is_ok_and(|found| open_to_others(&found)) {
        let path = for_shell(path);
        return Err(wrong(match kind {
            SecretKind::ApiKey => t!(
                "other users of this computer can read or change the key file. Run: chmod 600 {path} (and consider replacing the key)",
                path
            ),
            SecretKind::JournalPassword => t!(
                "other users of this computer can read or change the password file. Run: chmod 600 {path} (and consider replacing the password)",
                path
            ),
        }));
    }
    let bytes = read_bounded(&mut opened).map_err(unreadable)?;
    let text = String::from_utf8(bytes).unwrap_or_else(|_| "\u{fffd}".to_owned());
    let text = SecretString::from(text);
    kind.check(text.expose_secret()).map_err(|why| Mistake::in_file(path, None, None, why).into())
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
