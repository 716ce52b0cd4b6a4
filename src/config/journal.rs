//! `[profiles.NAME.journal]`: the journal that a team shares, and how lapel logs in to it.
//!
//! `config` does not open it.

use super::command;
use super::key_store::{self, KeyStore, SecretKind};
use super::section::{
    ConfigSection, Consequence, Input, SettingEdit, SettingType, check_file_name, checked, number, section,
};
use crate::config::prelude::*;
use crate::team::Server;

pub(super) const JOURNAL_KEYS: &[&str] =
    &["url", "password", "password_command", "password_command_timeout", "ca_file"];

pub(super) const JOURNAL_EDITS: &[(&str, SettingEdit)] = &[
    (
        "journal.url",
        SettingEdit {
            position: 10,
            label: tr_noop!("Journal"),
            flag: "journal-url",
            help: "Journal of the team: postgres://USER@HOST/DATABASE, without a password. \"\" removes it",
            value_name: "URL",
            ..SettingEdit::TEXT
        },
    ),
    (
        "journal.ca_file",
        SettingEdit {
            position: 11,
            label: tr_noop!("Journal CA file"),
            flag: "journal-ca-file",
            help: "A PEM file of certificates to trust for the journal in addition to this computer's. \"\" removes it",
            value_name: "FILE",
            input: Input::Path,
            ..SettingEdit::TEXT
        },
    ),
    (
        "journal.password",
        SettingEdit {
            position: 12,
            label: tr_noop!("Password from"),
            flag: "journal-password-from",
            help: "Journal password source: file (lapel's own), keyring, env:VARIABLE, file:PATH or command",
            value_name: "PLACE",
            input: Input::Secret(SecretKind::JournalPassword),
            ..SettingEdit::TEXT
        },
    ),
];

section! {
    /// The settings of the team's journal, as `config.toml` has them. Without a `url`, there is none.
    pub struct JournalSettings {
        /// Without a password, see [`Server`].
        url: Option<String> => checked(check_url), { on_mistake: Consequence::Unusable };
        /// `None` to log in without a password, or with that of a command.
        password: Option<KeyStore> => key_store::read(SecretKind::JournalPassword), {
            on_mistake: Consequence::Unusable,
            is_secret: true
        };
        /// The command that prints the password, the program first.
        password_command: Option<Vec<String>> => key_store::read_command, {
            on_mistake: Consequence::Unusable,
            is_secret: true
        };
        /// Time limit of the command in seconds.
        password_command_timeout: Option<u32> => number(1, 300);
        /// A file of extra certificates to trust, as written in the settings file.
        ca_file: Option<String> => checked(check_file_name), { on_mistake: Consequence::Unusable };
    }
}

impl JournalSettings {
    #[allow(clippy::unnecessary_wraps, reason = "every reader of a setting returns an option")]
    pub(super) fn of_table(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, field: &str) -> Option<Self> {
        if let Some(table) = value.get_ref().as_table()
            && let (true, Some(command)) = (table.contains_key("password"), table.get("password_command"))
        {
            let what = t!("the field password is set too: keep only one of them");
            reader.wrong(command.span().start, &join(field, "password_command"), what);
        }
        Some(Self::read(reader, value, field))
    }

    pub fn server(&self) -> Option<Server> {
        // The text was checked when it was read.
        self.url.as_deref().and_then(|url| Server::parse(url).ok())
    }

    /// Without a team's journal, a profile has no use for the other settings.
    pub(super) fn check_is_set(&self) -> Result<(), ConfigError> {
        if self.url.is_some() || *self == Self::default() { Ok(()) } else { Err(Self::url_is_missing()) }
    }

    pub(super) fn url_is_missing() -> ConfigError {
        typed_mistake(
            "journal.url",
            t!("is missing: without it, there is no journal password and no journal CA file"),
        )
    }

    /// `None` to log in without a password.
    pub fn password_store(&self, profile: &str) -> Option<KeyStore> {
        match (&self.password, &self.password_command) {
            (Some(KeyStore::OtherFile(file)), _) if *file == own_file(profile) => Some(KeyStore::File),
            (Some(store), _) => Some(store.clone()),
            (None, command) => command.clone().map(KeyStore::Command),
        }
    }

    pub(super) fn set_password_store(&mut self, profile: &str, store: &KeyStore) {
        (self.password, self.password_command) = match store {
            KeyStore::File => (Some(KeyStore::OtherFile(own_file(profile))), None),
            KeyStore::Command(argv) => (None, Some(argv.clone())),
            other => (Some(other.clone()), None),
        };
    }

    pub(super) fn password_command_seconds(&self) -> Option<u32> {
        let seconds = self.password_command_timeout.unwrap_or(command::DEFAULT_SECONDS);
        self.password_command.as_ref().map(|_| seconds)
    }
}

/// The file in which lapel stores the password, relative to the config folder.
fn own_file(profile: &str) -> PathBuf {
    Path::new("keys").join(Paths::journal_password_name(profile))
}

/// The error never repeats the address, which may contain a password.
fn check_url(raw: &str) -> Result<String, String> {
    Server::parse(raw).map(|_| raw.trim().to_owned()).map_err(|why| why.to_string())
}

impl SettingType for JournalSettings {
    type Read = Self;

    fn set(&mut self, read: Self) {
        *self = read;
    }

    fn value(&self) -> Option<toml::Value> {
        let table: toml::Table =
            self.values().into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        (!table.is_empty()).then_some(toml::Value::Table(table))
    }

    /// A profile's journal is its own.
    fn inherit(&mut self, _: &Self) {}
}
