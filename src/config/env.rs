//! The environment, as a value: tests hand in their own, and nothing else reads the process's. The keyring is
//! a part of it.

use super::keyring::Keyring;
use super::mistake::{ConfigError, Mistake};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

/// The environment variables that settings may come from. An empty variable counts as not set.
#[derive(Clone)]
pub struct Env {
    source: Source,
    keyring: Keyring,
}

#[derive(Clone)]
enum Source {
    Process,
    Fixed(BTreeMap<String, OsString>),
}

impl Env {
    /// The environment of this process.
    pub fn process() -> Self {
        Self { source: Source::Process, keyring: Keyring::system() }
    }

    /// An environment of its own, without a keyring: for tests and for callers that must not inherit one.
    pub fn of<K: Into<String>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let source = Source::Fixed(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect());
        Self { source, keyring: Keyring::none() }
    }

    /// The same with another keyring.
    #[must_use]
    pub fn with_keyring(self, keyring: Keyring) -> Self {
        Self { keyring, ..self }
    }

    /// The keyring that keys are kept in.
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The value of a variable as it is, where it is set and not empty.
    pub fn raw(&self, name: &str) -> Option<OsString> {
        match &self.source {
            Source::Process => std::env::var_os(name),
            Source::Fixed(map) => map.get(name).cloned(),
        }
        .filter(|value| !value.is_empty())
    }

    /// The value of a variable as text.
    ///
    /// # Errors
    /// A value that is not UTF-8; the message names the variable and never its value.
    pub fn text(&self, name: &str) -> Result<Option<String>, ConfigError> {
        match self.raw(name) {
            None => Ok(None),
            Some(value) => value
                .into_string()
                .map(Some)
                .map_err(|_| Mistake::in_env(name, t!("the value is not UTF-8 text")).into()),
        }
    }
}

impl fmt::Debug for Env {
    /// Values may be keys: only the kind is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.source {
            Source::Process => "Env(process)",
            Source::Fixed(_) => "Env(fixed)",
        })
    }
}
