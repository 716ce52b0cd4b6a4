//! The environment as a value, including the keyring. Tests pass their own; no other module reads the
//! process's environment.

use super::keyring::Keyring;
use super::mistake::{ConfigError, typed_mistake};
use crate::config::prelude::*;
use std::ffi::OsString;

/// An empty variable counts as not set.
#[derive(Clone)]
pub struct Env {
    /// `None` for the process's environment.
    fixed: Option<BTreeMap<String, OsString>>,
    keyring: Keyring,
}

impl Env {
    pub fn process() -> Self {
        Self { fixed: None, keyring: Keyring::system() }
    }

    /// Without a keyring, for tests and for callers that must not inherit one.
    pub fn of<K: Into<String>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let fixed = pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        Self { fixed: Some(fixed), keyring: Keyring::none() }
    }

    #[must_use]
    pub fn with_keyring(self, keyring: Keyring) -> Self {
        Self { keyring, ..self }
    }

    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    pub fn raw(&self, name: &str) -> Option<OsString> {
        match &self.fixed {
            None => std::env::var_os(name),
            Some(fixed) => fixed.get(name).cloned(),
        }
        .filter(|value| !value.is_empty())
    }

    /// The error contains the variable's name, never its value.
    pub fn text(&self, name: &str) -> Result<Option<String>, ConfigError> {
        let not_text = |_| typed_mistake(name, t!("the value is not UTF-8 text"));
        self.raw(name).map(|value| value.into_string().map_err(not_text)).transpose()
    }
}

impl fmt::Debug for Env {
    /// Values may be keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env")
    }
}
