//! The settings of a profile: the service, its key, and how careful lapel must be.

use super::command;
use super::journal::{JOURNAL_EDITS, JOURNAL_KEYS, JournalSettings};
use super::key_store::{self, KeyStore, SecretKind};
use super::section::{
    ConfigSection, Consequence, Input, Setting, SettingEdit, ToToml, check_file_name, checked, number,
    section,
};
use super::url_checks::{check_base_url, check_picture_base, check_proxy};
use super::word_enums::words;
use crate::config::prelude::*;
use crate::domain::time::{offset_text, read_offset};
use jiff::tz::Offset;

words! {
    /// The TUI always shows it, and asks for more confirmations with LIVE.
    #[derive(Default)]
    pub enum Environment {
        /// A sandbox without real data.
        Demo = "demo",
        Staging = "staging",
        /// Real badges of real people. The default when a profile sets no environment.
        #[default]
        Live = "live",
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.word().to_uppercase())
    }
}

section! {
    /// The settings of a profile, as `config.toml` has them.
    pub struct ProfileSettings {
        environment: Environment => TomlReader::word, {
            on_mistake: Consequence::ReadOnly,
            is_of_service: true,
            edit: Some(SettingEdit {
                position: 1,
                label: tr_noop!("Environment"),
                flag: "environment",
                help: "Environment of the service: demo, staging or live",
                value_name: "WORD",
                input: Input::Words(&["live", "staging", "demo"]),
                is_required: true,
                ..SettingEdit::TEXT
            })
        };
        /// The base URL without a slash at the end.
        base_url: String => checked(check_base_url), {
            on_mistake: Consequence::Unusable,
            edit: Some(SettingEdit {
                position: 2,
                label: tr_noop!("Base URL"),
                flag: "base-url",
                help: "Base URL of the service, up to and including /api/v1/ext",
                value_name: "URL",
                is_required: true,
                is_tested: true,
                ..SettingEdit::TEXT
            })
        };
        /// The organisation's name; never blank.
        organisation: Option<String> => read_label, {
            is_of_service: true,
            edit: Some(SettingEdit {
                position: 3,
                label: tr_noop!("Organisation"),
                flag: "organisation",
                help: "Name of the organisation; if omitted, the name from the service. \"\" removes it",
                value_name: "NAME",
                ..SettingEdit::TEXT
            })
        };
        /// What the user types after the number to send with a LIVE profile; never blank.
        short_name: Option<String> => read_label, {
            is_of_service: true,
            edit: Some(SettingEdit {
                position: 4,
                label: tr_noop!("Short name"),
                flag: "short-name",
                help: "Word to type after the number to send with LIVE; if omitted, from the organisation. \"\" removes it",
                value_name: "NAME",
                ..SettingEdit::TEXT
            })
        };
        /// Whether the profile may neither issue nor revoke.
        read_only: bool => TomlReader::truth, {
            on_mistake: Consequence::ReadOnly,
            edit: Some(SettingEdit {
                position: 6,
                label: tr_noop!("Access"),
                flag: "read-only",
                help: "Read-only: issuing and revoking are disabled for this profile",
                input: Input::Switch([tr_noop!("issue and revoke"), tr_noop!("read-only")]),
                ..SettingEdit::TEXT
            })
        };
        /// The key store, unless it is lapel's own file or a command.
        key: Option<KeyStore> => key_store::read(SecretKind::ApiKey), {
            on_mistake: Consequence::Unusable,
            is_secret: true,
            edit: Some(SettingEdit {
                position: 5,
                label: tr_noop!("Key from"),
                flag: "key-from",
                help: "Key source: file (lapel's own), keyring, env:VARIABLE, file:PATH, or command",
                value_name: "PLACE",
                input: Input::Secret(SecretKind::ApiKey),
                is_required: true,
                is_tested: true,
            })
        };
        /// The command that prints the key, the program first.
        key_command: Option<Vec<String>> => key_store::read_command, {
            on_mistake: Consequence::Unusable,
            is_secret: true
        };
        /// Time limit of the command in seconds.
        key_command_timeout: Option<u32> => number(1, 300);
        /// The first characters of the key, as the service reported them.
        key_prefix: Option<String> => checked(check_prefix), { on_mistake: Consequence::ReadOnly, is_of_service: true };
        /// A short hash that identifies the key without revealing it.
        key_fingerprint: Option<String> => checked(check_fingerprint), {
            on_mistake: Consequence::ReadOnly,
            is_of_service: true
        };
        /// Requests per minute (contract, "Limits": 1000).
        rate_limit: Option<u32> => number(1, 1_000_000);
        /// The UTC offset of the service's timestamps. The contract does not define it.
        utc_offset: Option<Offset> => read_utc_offset, {
            is_of_service: true,
            edit: Some(SettingEdit {
                position: 9,
                label: tr_noop!("Time zone"),
                flag: "utc-offset",
                help: "Time zone of the service's times, such as +09:00; if omitted, not known. \"\" removes it",
                value_name: "OFFSET",
                ..SettingEdit::TEXT
            })
        };
        /// The proxy of this profile; may contain a password. Proxies in environment variables are not used.
        proxy: Option<String> => checked(check_proxy), {
            on_mistake: Consequence::Unusable,
            is_secret: true,
            edit: Some(SettingEdit {
                position: 8,
                label: tr_noop!("Proxy"),
                flag: "proxy",
                help: "Proxy for this profile, such as http://proxy.example:8080. \"\" removes it",
                value_name: "URL",
                is_tested: true,
                ..SettingEdit::TEXT
            })
        };
        /// The base address of pictures with a relative path, as in the wallet (contract, "Wallet badge").
        picture_base: Option<String> => checked(check_picture_base), { is_of_service: true };
        /// A file of extra certificates to trust, as written in the settings file.
        ca_file: Option<String> => checked(check_file_name), {
            on_mistake: Consequence::Unusable,
            edit: Some(SettingEdit {
                position: 7,
                label: tr_noop!("CA file"),
                flag: "ca-file",
                help: "A PEM file of certificates to trust in addition to this computer's. \"\" removes it",
                value_name: "FILE",
                input: Input::Path,
                is_tested: true,
                ..SettingEdit::TEXT
            })
        };
        /// The journal of the team. With a mistake in it, lapel must not use the local journal instead: the same
        /// badge could be issued twice.
        journal: JournalSettings => JournalSettings::of_table, {
            on_mistake: Consequence::Unusable,
            is_secret: true,
            inner_keys: JOURNAL_KEYS,
            inner_edits: JOURNAL_EDITS
        };
    }
}

impl ProfileSettings {
    pub fn editable() -> Vec<(&'static str, SettingEdit)> {
        let own = |setting: &Setting<Self>| setting.edit.map(|edit| (setting.key, edit));
        let of = |setting| own(setting).into_iter().chain(setting.inner_edits.iter().copied());
        let mut all: Vec<_> = Self::SETTINGS.iter().flat_map(of).collect();
        all.sort_by_key(|(_, edit)| edit.position);
        all
    }

    pub(super) fn edit(name: &str) -> Option<SettingEdit> {
        Self::editable().into_iter().find_map(|(key, edit)| (key == name).then_some(edit))
    }

    /// By a name such as `base_url` or `journal.url`.
    pub fn value(&self, name: &str) -> Option<toml::Value> {
        let (key, inner) = name.split_once('.').map_or((name, None), |(key, inner)| (key, Some(inner)));
        let value = Self::setting(key).and_then(|setting| (setting.value)(self))?;
        inner.map_or(Some(value.clone()), |inner| value.get(inner).cloned())
    }

    pub fn text(&self, name: &str) -> String {
        self.value(name).as_ref().map(super::section::text_of).unwrap_or_default()
    }

    pub fn pin(&self) -> Option<KeyPin> {
        let prefix = self.key_prefix.clone()?;
        Some(KeyPin { prefix, fingerprint: self.key_fingerprint.clone() })
    }

    pub fn set_pin(&mut self, pin: Option<KeyPin>) {
        (self.key_prefix, self.key_fingerprint) =
            pin.map_or((None, None), |pin| (Some(pin.prefix), pin.fingerprint));
    }

    pub fn key_store(&self) -> KeyStore {
        match (&self.key, &self.key_command) {
            (Some(store), _) => store.clone(),
            (None, Some(argv)) => KeyStore::Command(argv.clone()),
            (None, None) => KeyStore::File,
        }
    }

    /// `None` without a command.
    pub(super) fn key_command_seconds(&self) -> Option<u32> {
        self.key_command.as_ref().map(|_| self.key_command_timeout.unwrap_or(command::DEFAULT_SECONDS))
    }

    pub(super) fn set_key_store(&mut self, store: &KeyStore) {
        (self.key, self.key_command) = match store {
            KeyStore::File => (None, None),
            KeyStore::Command(argv) => (None, Some(argv.clone())),
            other => (Some(other.clone()), None),
        };
    }

    /// Without the settings that describe this profile's own service.
    #[must_use]
    pub(super) fn for_other_service(mut self) -> Self {
        let of_service = Self::SETTINGS.iter().filter(|setting| setting.is_of_service);
        of_service.for_each(|setting| (setting.reset)(&mut self));
        self
    }

    #[must_use]
    pub(super) fn without_password(mut self) -> Self {
        self.proxy = self.proxy.as_deref().map(without_user);
        self
    }
}

/// Replaces user and password with an ellipsis.
fn without_user(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        (None, Some((_, host))) => format!("…@{host}"),
        (_, None) => address.to_owned(),
    }
}

/// A blank text counts as no text.
fn read_label(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, field: &str) -> Option<String> {
    reader.string(value, field).filter(|label| !label.trim().is_empty())
}

fn read_utc_offset(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, field: &str) -> Option<Offset> {
    let offset = value.get_ref().as_str().and_then(read_offset);
    reader.found(offset, value, field, || t!("must be the offset from UTC, such as \"+09:00\""))
}

impl ToToml for Offset {
    /// As in the file: `+09:00`.
    fn to_toml(&self) -> toml::Value {
        offset_text(*self).into()
    }
}

fn check_prefix(text: &str) -> Result<String, &'static str> {
    let is_prefix = (1..=24).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    let wrong = t!("must be the first characters of the key (at most 24), never the whole key");
    is_prefix.then(|| text.to_owned()).ok_or(wrong)
}

fn check_fingerprint(text: &str) -> Result<String, &'static str> {
    let is_fingerprint = text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let wrong = t!("must be the eight digits and letters from lapel profile edit --pin");
    is_fingerprint.then(|| text.to_owned()).ok_or(wrong)
}

/// The identity of a key when lapel tested it. A key with another identity may belong to another
/// organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPin {
    pub prefix: String,
    /// A short hash that does not reveal the key, when it was saved.
    pub fingerprint: Option<String>,
}

/// The name becomes a file name and a table name: 1 to 40 of the characters `A`–`Z`, `a`–`z`,
/// `0`–`9`, `_` and `-`.
pub fn is_profile_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

pub(super) const NAME_RULE: &str = tr_noop!("a profile name has 1 to 40 letters (A-Z, a-z), digits, - or _");
