//! Where a secret of a profile is: lapel's own file, the keyring, a variable, another file, or a command.

use super::command;
use crate::config::prelude::*;
use crate::fs::write_new;

pub(super) const KEY_ADVICE: &str = tr_noop!(
    "this file must not contain a key: move it into a file that only you can read, named keys/ and the profile's name beside this file (or use key = { keyring = true }, key = { env = \"NAME\" } or key = { file = \"path\" })"
);

/// What a secret is for. Each kind has its own settings, and its own places in lapel's folder and the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    ApiKey,
    JournalPassword,
}

impl SecretKind {
    /// The name within a profile.
    pub(super) fn setting(self) -> &'static str {
        if self == Self::ApiKey { "key" } else { "journal.password" }
    }

    pub(super) fn command_setting(self) -> &'static str {
        if self == Self::ApiKey { "key_command" } else { "journal.password_command" }
    }

    pub(super) fn keyring_entry(self, profile: &str) -> String {
        if self == Self::ApiKey { profile.to_owned() } else { format!("{profile}/journal") }
    }

    /// lapel's own file.
    pub(super) fn file(self, paths: &Paths, profile: &str) -> PathBuf {
        if self == Self::ApiKey { paths.key_file(profile) } else { paths.journal_password_file(profile) }
    }

    pub(super) fn file_label(self) -> &'static str {
        if self == Self::ApiKey { t!("key file") } else { t!("password file") }
    }

    /// For a text where the name of an environment variable belongs.
    fn no_variable(self) -> &'static str {
        match self {
            Self::ApiKey => t!("must be the name of an environment variable, not the key itself"),
            Self::JournalPassword => {
                t!("must be the name of an environment variable, not the password itself")
            }
        }
    }

    /// For a text where only the name of a store belongs.
    fn advice(self) -> &'static str {
        match self {
            Self::ApiKey => crate::i18n::tr(KEY_ADVICE),
            Self::JournalPassword => t!(
                "this file must not contain a password: store it with lapel profile edit NAME --new-journal-password, or use password = { keyring = true }, password = { env = \"NAME\" } or password = { file = \"path\" }"
            ),
        }
    }
}

/// A profile, and where its secrets can be.
#[derive(Clone, Copy)]
pub(super) struct ProfileAt<'a> {
    pub paths: &'a Paths,
    pub env: &'a Env,
    pub name: &'a str,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub enum KeyStore {
    /// `keys/NAME`, which only its owner can read. For a journal's password `keys/NAME.journal`.
    #[default]
    File,
    Keyring,
    Variable(String),
    OtherFile(PathBuf),
    /// Prints the secret; the program first. It runs without a shell.
    Command(Vec<String>),
}

impl fmt::Debug for KeyStore {
    /// Names and words may be a misplaced key.
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

impl KeyStore {
    pub fn label(&self, kind: SecretKind) -> &'static str {
        match self {
            Self::File if kind == SecretKind::JournalPassword => t!("lapel's password file"),
            Self::Command(_) if kind == SecretKind::JournalPassword => t!("a command (password_command)"),
            Self::File => t!("lapel's key file"),
            Self::Keyring => t!("the keyring"),
            Self::Variable(_) => t!("an environment variable"),
            Self::OtherFile(_) => t!("a file"),
            Self::Command(_) => t!("a command (key_command)"),
        }
    }

    pub(super) fn check(&self, kind: SecretKind) -> Result<(), ConfigError> {
        let (setting, command) = (kind.setting(), kind.command_setting());
        match self {
            Self::Variable(name) if !is_variable(name) => {
                Err(typed_mistake(setting, t!("env: needs the name of an environment variable")))
            }
            Self::Command(argv) if argv.first().is_none_or(|program| program.trim().is_empty()) => {
                Err(typed_mistake(command, t!("is empty: give the program that prints the key")))
            }
            Self::Command(argv) if argv.iter().any(|word| word.contains('\0')) => {
                Err(typed_mistake(command, t!("has a character that no command can have")))
            }
            Self::OtherFile(path) if path.to_str().is_none_or(str::is_empty) => {
                Err(typed_mistake(setting, t!("this file name cannot be stored in the settings")))
            }
            Self::Variable(text) => no_key(setting, text),
            Self::OtherFile(path) => no_key(setting, &path.to_string_lossy()),
            Self::Command(argv) => argv.iter().try_for_each(|word| no_key(command, word)),
            Self::File | Self::Keyring => Ok(()),
        }
    }

    pub fn of_variable(kind: SecretKind, typed: &str) -> Result<Self, ConfigError> {
        if is_variable(typed) {
            return Ok(Self::Variable(typed.to_owned()));
        }
        Err(typed_mistake(kind.setting(), kind.no_variable()))
    }

    /// Refuses a text that is empty or that a shell would split differently.
    pub fn of_command_line(kind: SecretKind, typed: &str) -> Result<Self, ConfigError> {
        let store = match command::words(typed) {
            Some(argv) => Self::Command(argv),
            None if typed.trim().is_empty() => Self::Command(Vec::new()),
            None => {
                let what = t!(
                    "runs without a shell, so quotation marks, $, ~ and | have no effect. Write it into config.toml as a list of strings, or use a small script"
                );
                return Err(typed_mistake(kind.command_setting(), what));
            }
        };
        store.check(kind).map(|()| store)
    }

    /// For a profile without a stored secret of this kind.
    pub(super) fn store(
        &self,
        kind: SecretKind,
        ProfileAt { paths, env, name }: ProfileAt<'_>,
        secret: &SecretString,
    ) -> Result<(), ConfigError> {
        match self {
            Self::File => {
                let file = kind.file(paths, name);
                write_new(&file, format!("{}\n", secret.expose_secret()).as_bytes()).map_err(|why| {
                    let file = shown(&file);
                    Mistake::plain(match why.kind() {
                        ErrorKind::AlreadyExists => t!(
                            "{file}: this file exists and was not changed. Move it, or choose another profile name",
                            file
                        ),
                        _ => t!("cannot write {file}: {why}", file, why = io_error::words(&why)),
                    })
                    .into()
                })
            }
            Self::Keyring => {
                let (keyring, entry) = (env.keyring(), kind.keyring_entry(name));
                let wrong = |why: String| typed_mistake(kind.setting(), why);
                if keyring.read(&entry).map_err(wrong)?.is_some() {
                    return Err(wrong(t!(
                        "the keyring already has an entry {entry} (not changed): remove it there or choose another profile name",
                        entry
                    )));
                }
                keyring.write(&entry, secret).map_err(wrong)
            }
            // lapel does not write to these stores.
            Self::Variable(_) | Self::OtherFile(_) | Self::Command(_) => Ok(()),
        }
    }

    /// For a profile that was not saved, or is no longer there.
    /// The error is the end of a sentence.
    pub(super) fn delete(&self, kind: SecretKind, at: ProfileAt<'_>) -> Result<Deleted, String> {
        let found = match self {
            Self::File => match std::fs::remove_file(kind.file(at.paths, at.name)) {
                Ok(()) => true,
                Err(why) if why.kind() == ErrorKind::NotFound => false,
                Err(why) => return Err(io_error::words(&why).to_string()),
            },
            Self::Keyring => at.env.keyring().forget(&kind.keyring_entry(at.name))?,
            Self::Variable(_) | Self::OtherFile(_) | Self::Command(_) => return Ok(Deleted::Elsewhere),
        };
        Ok(if found { Deleted::Yes } else { Deleted::Missing })
    }
}

pub(super) enum Deleted {
    Yes,
    Missing,
    /// lapel does not store it.
    Elsewhere,
}

/// `{ env = "NAME" }`, `{ file = "path" }` or `{ keyring = true }`.
pub(super) fn read(
    kind: SecretKind,
) -> impl Fn(&mut TomlReader<'_>, &TomlValue<'_>, &str) -> Option<KeyStore> {
    move |reader, value, field| read_store(kind, reader, value, field)
}

fn read_store(
    kind: SecretKind,
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    field: &str,
) -> Option<KeyStore> {
    let at = value.span().start;
    let Some(table) = value.get_ref().as_table() else {
        reader.wrong(at, field, kind.advice());
        return None;
    };
    reader.unknown(table, field, &["env", "file", "keyring"], &[]);
    let mut one = |name: &str| {
        let value = table.get(name)?;
        reader.locate(value, &join(field, name));
        let text = reader.text(value, &join(field, name))?;
        if text.is_empty() {
            reader.wrong(value.span().start, &join(field, name), t!("is empty"));
        }
        if name == "env" && is_variable(text) {
            // Registered, so that no program that lapel starts gets this variable.
            crate::secrets::register_variable(text);
        } else if name == "env" && !text.is_empty() {
            reader.wrong(value.span().start, &join(field, name), kind.no_variable());
        }
        Some(text.to_owned())
    };
    let (env, file) = (one("env"), one("file"));
    let keyring = table.get("keyring").and_then(|value| {
        let field = join(field, "keyring");
        if !reader.truth(value, &field)? {
            reader.wrong(value.span().start, &field, t!("must be true or absent"));
        }
        Some(())
    });
    match (env, file, keyring) {
        (Some(name), None, None) => return Some(KeyStore::Variable(name)),
        (None, Some(path), None) => return Some(KeyStore::OtherFile(path.into())),
        (None, None, Some(())) => return Some(KeyStore::Keyring),
        (None, None, None) if table.is_empty() => {
            reader.wrong(at, field, t!("has neither env nor file nor keyring: add one of them"));
        }
        (None, None, None) => {}
        (Some(_), Some(_), None) => {
            reader.wrong(at, field, t!("has both env and file: keep only one"));
        }
        _ => reader.wrong(at, field, t!("has more than one of env, file and keyring: keep only one")),
    }
    None
}

/// `key_command = ["pass", "show", "badges"]`, or one text when its words are unambiguous.
pub(super) fn read_command(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    field: &str,
) -> Option<Vec<String>> {
    let list = value.get_ref().as_array().map(|all| {
        all.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    });
    let argv = match list {
        Some(list) => list.filter(|argv| argv.first().is_some_and(|program| !program.is_empty())),
        None => value.get_ref().as_str().and_then(command::words),
    };
    let argv = argv.filter(|argv| argv.iter().all(|word| !word.contains('\0')));
    reader.found(argv, value, field, || {
        t!(
            "must be a list of texts, the program first, for example [\"pass\", \"show\", \"badges\"]. lapel starts it without a shell: quotation marks, $, ~ and | have no special meaning"
        )
    })
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
