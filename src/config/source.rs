//! The source of a profile's key in `config.toml`: a file, an environment variable, the keyring, or a
//! command.

use super::command;
use super::file::KEY_ADVICE;
use super::keep::KeyStore;
use super::toml_reader::{Sheet, Value, join};
use std::time::Duration;
use toml::de::DeTable;

/// Maximum of `key_command_timeout` in seconds.
const LONGEST_WAIT: u32 = 300;

/// The source of a profile's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeySource {
    /// `keys/NAME` in the config folder.
    Default,
    /// The name of an environment variable, and the line that names it.
    Env(String, usize),
    /// A file, and the line that names it.
    File(String, usize),
    /// The keyring, and the line that names it.
    Keyring(usize),
    /// A command that prints the key, its time limit, and the line that names it.
    Command(Vec<String>, Duration, usize),
}

impl KeySource {
    /// Reads `key`, `key_command` and `key_command_timeout` of a profile.
    pub fn read(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) -> Self {
        let patience = table
            .get("key_command_timeout")
            .and_then(|v| sheet.number(v, &join(prefix, "key_command_timeout"), 1, LONGEST_WAIT));
        let patience = patience.map_or(command::PATIENCE, |s| Duration::from_secs(u64::from(s)));
        match (table.get("key"), table.get("key_command")) {
            (Some(_), Some(command)) => {
                let what = t!("the field key is set too: keep only one of them");
                sheet.wrong(command.span().start, &join(prefix, "key_command"), what);
                Self::Default
            }
            (Some(key), None) => of_table(sheet, key, &join(prefix, "key")),
            (None, Some(command)) => of_command(sheet, command, &join(prefix, "key_command"), patience),
            (None, None) => Self::Default,
        }
    }

    /// The key store, without the lines.
    pub fn kept_in(&self) -> KeyStore {
        match self {
            Self::Default => KeyStore::File,
            Self::Keyring(_) => KeyStore::Keyring,
            Self::Env(name, _) => KeyStore::Variable(name.clone()),
            Self::File(path, _) => KeyStore::OtherFile(path.into()),
            Self::Command(argv, ..) => KeyStore::Command(argv.clone()),
        }
    }

    /// The source without the lines, to compare two readings of a file.
    pub fn anywhere(&self) -> Self {
        match self.clone() {
            Self::Env(name, _) => Self::Env(name, 0),
            Self::File(name, _) => Self::File(name, 0),
            Self::Keyring(_) => Self::Keyring(0),
            Self::Command(argv, patience, _) => Self::Command(argv, patience, 0),
            Self::Default => Self::Default,
        }
    }
}

/// Reads `key = { env = "NAME" }`, `key = { file = "path" }` or `key = { keyring = true }`.
fn of_table(sheet: &mut Sheet<'_>, value: &Value<'_>, field: &str) -> KeySource {
    let at = value.span().start;
    let Some(table) = value.get_ref().as_table() else {
        sheet.wrong(at, field, crate::i18n::tr(KEY_ADVICE));
        return KeySource::Default;
    };
    sheet.unknown(table, field, &["env", "file", "keyring"], &[]);
    let mut one = |name: &str| {
        let value = table.get(name)?;
        let text = sheet.text(value, &join(field, name))?;
        if text.is_empty() {
            sheet.wrong(value.span().start, &join(field, name), t!("is empty"));
        }
        if name == "env" && is_variable(text) {
            // Registered for every profile, so that no program that lapel starts gets this variable.
            crate::secrets::register_variable(text);
        } else if name == "env" && !text.is_empty() {
            let what = t!("must be the name of an environment variable, not the key itself");
            sheet.wrong(value.span().start, &join(field, name), what);
        }
        Some((text.to_owned(), sheet.line(value.span().start)))
    };
    let (env, file) = (one("env"), one("file"));
    let keyring = table.get("keyring").and_then(|value| {
        let field = join(field, "keyring");
        if !sheet.truth(value, &field)? {
            sheet.wrong(value.span().start, &field, t!("must be true or absent"));
        }
        Some(sheet.line(value.span().start))
    });
    match (env, file, keyring) {
        (Some((name, line)), None, None) => KeySource::Env(name, line),
        (None, Some((path, line)), None) => KeySource::File(path, line),
        (None, None, Some(line)) => KeySource::Keyring(line),
        (None, None, None) => {
            if table.is_empty() {
                sheet.wrong(at, field, t!("has neither env nor file nor keyring: add one of them"));
            }
            KeySource::Default
        }
        (Some(_), Some(_), None) => {
            sheet.wrong(at, field, t!("has both env and file: keep only one"));
            KeySource::Default
        }
        _ => {
            sheet.wrong(at, field, t!("has more than one of env, file and keyring: keep only one"));
            KeySource::Default
        }
    }
}

/// Reads `key_command = ["pass", "show", "badges"]`, or one text when its words are unambiguous.
fn of_command(sheet: &mut Sheet<'_>, value: &Value<'_>, field: &str, patience: Duration) -> KeySource {
    let (at, line) = (value.span().start, sheet.line(value.span().start));
    let list = value.get_ref().as_array().map(|all| {
        all.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    });
    let argv = match list {
        Some(list) => list.filter(|argv| argv.first().is_some_and(|program| !program.is_empty())),
        None => value.get_ref().as_str().and_then(command::words),
    };
    let argv = argv.filter(|argv| argv.iter().all(|word| !word.contains('\0')));
    let Some(argv) = argv else {
        let what = t!(
            "must be a list of texts, the program first, for example [\"pass\", \"show\", \"badges\"]. lapel starts it without a shell: quotation marks, $, ~ and | have no special meaning"
        );
        sheet.wrong(at, field, what);
        return KeySource::Default;
    };
    KeySource::Command(argv, patience, line)
}

pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
