//! A profile that a run can use: its settings, its key and its team's journal.

use super::ca::{self, CaFile};
use super::file::{ConfigFile, ProfileEntry};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key::{Key, SecretSource};
use super::profile_settings::ProfileSettings;
use super::resolved::Resolved;
use crate::config::prelude::*;
use crate::team::Server;
use std::ops::Deref;

#[derive(Clone, Debug)]
pub struct Profile {
    /// `environment` when the environment variables alone define the profile.
    pub name: String,
    pub settings: Resolved<ProfileSettings>,
    pub key: Key,
    /// For display; never contains the key.
    pub key_from: String,
    pub ca: Option<CaFile>,
    /// `None` when the profile uses the journal on this computer.
    pub journal: Option<Box<TeamJournal>>,
    /// Falls back to the settings for all profiles.
    pub jobs: Resolved<JobSettings>,
    /// Falls back to the settings for all profiles.
    pub index: Resolved<IndexSettings>,
    pub from: String,
}

impl Profile {
    /// Whether its key or the password of its journal is with a keyring or a command, which may take seconds.
    pub fn must_fetch_secrets(&self) -> bool {
        let password = self.journal.as_ref().and_then(|journal| journal.password.as_ref());
        [Some(&self.key), password].into_iter().flatten().any(|secret| secret.known().is_none())
    }

    /// Fetches its key and the password of its journal. Blocks, see [`Key::fetch`].
    pub fn fetch_secrets(&mut self) -> Result<(), ConfigError> {
        self.key = Key::Known(self.key.fetch()?);
        if let Some(password) = self.journal.as_mut().and_then(|journal| journal.password.as_mut()) {
            *password = Key::Known(password.fetch()?);
        }
        Ok(())
    }

    /// The organisation, or else the host.
    pub fn label(&self) -> String {
        let host = || url::Url::parse(&self.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        self.organisation.clone().or_else(host).unwrap_or_else(|| self.base_url.clone())
    }
}

impl Deref for Profile {
    type Target = ProfileSettings;

    fn deref(&self) -> &ProfileSettings {
        &self.settings
    }
}

/// As shown in a list. Its key has not been fetched. Dereferences to its [`ProfileSettings`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileLine {
    pub name: String,
    /// Without the user and the password of the proxy.
    pub settings: ProfileSettings,
    /// For display; never contains the key.
    pub key_from: String,
    pub is_default: bool,
}

impl Deref for ProfileLine {
    type Target = ProfileSettings;

    fn deref(&self) -> &ProfileSettings {
        &self.settings
    }
}

/// The journal that a profile shares with its team. Its password may still have to be fetched.
#[derive(Clone, Debug)]
pub struct TeamJournal {
    pub server: Server,
    /// `None` to log in without a password.
    pub password: Option<Key>,
    /// Certificates to trust in addition to this computer's.
    pub ca: Option<CaFile>,
}

impl TeamJournal {
    /// `typed` replaces the stored password. `None` when the profile uses the journal on this computer.
    pub(super) fn of(
        entry: &ProfileEntry,
        typed: Option<SecretString>,
        file: &ConfigFile,
        paths: &Paths,
        env: &Env,
    ) -> Result<Option<Box<Self>>, ConfigError> {
        let settings = &entry.settings.journal;
        let Some(server) = settings.server() else { return Ok(None) };
        let password = match (typed, SecretSource::of_journal(entry)) {
            (Some(password), _) => Some(Key::Known(password)),
            (None, source) => source.map(|source| source.find(file, paths, env)).transpose()?,
        };
        let field = format!("profiles.{}.journal.ca_file", entry.name);
        let ca = ca::read(settings.ca_file.as_deref(), &field, file, paths)?;
        Ok(Some(Box::new(Self { server, password, ca })))
    }
}
