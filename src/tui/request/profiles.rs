//! The session of a profile, and changes to profiles that the TUI asks for. The layer above the TUI runs them.

use crate::config::{KeyStore, NewProfile, ProfileEdit};
use crate::index::IndexConfig;
use crate::jobs::JournalPlace;
use crate::tui::persist::saved_layout::ViewUse;
use crate::tui::prelude::*;
use secrecy::SecretString;

#[derive(Clone, Debug)]
pub struct ProfileSession {
    pub connection: Connection,
    pub name: String,
    pub environment: Environment,
    pub organisation: Option<String>,
    /// What the user types after the number in LIVE. `None`: it is made of the organisation's name.
    pub short_name: Option<String>,
    /// The folder of what is kept. `None` in a demo: nothing is kept.
    pub data_dir: Option<PathBuf>,
    pub journal: JournalPlace,
    /// The local index of the history. `None` unless the user has turned it on.
    pub index: Option<IndexUse>,
    pub jobs: crate::jobs::JobConfig,
    /// The place of the saved layout. `None` for a demo.
    pub view: Option<ViewUse>,
    /// Recipient files that are offered from the start. Only a demo has them.
    pub files: Vec<PathBuf>,
    pub remark: Option<String>,
}

impl ProfileSession {
    /// The same session with its journal in a data folder.
    #[must_use]
    pub fn kept_in(self, folder: PathBuf) -> Self {
        Self { journal: JournalPlace::Folder(folder.clone()), data_dir: Some(folder), ..self }
    }

    pub fn add_remark(&mut self, remarks: impl IntoIterator<Item = String>) {
        let all: Vec<String> = self.remark.take().into_iter().chain(remarks).collect();
        self.remark = (!all.is_empty()).then(|| all.join(" "));
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexUse {
    /// The data folder. Without one, the index lives as long as the program.
    pub folder: Option<PathBuf>,
    pub settings: IndexConfig,
    /// Whether to read the history when the app opens, without being asked.
    pub reads_at_start: bool,
}

#[derive(Clone, Debug)]
pub struct ProfileCandidate {
    pub profile: NewProfile,
    /// Without a key, lapel finds it where the profile says.
    pub key: Option<SecretString>,
    pub journal_password: Option<GivenSecret>,
}

/// The response is a line for the user. An error says whether anything was changed.
#[derive(Clone, Debug)]
pub enum ProfileRequest {
    /// Change it. A new address or a new key is checked before it is kept.
    Change(Box<ProfileChange>),
    /// Remove it, and its key if lapel keeps the key.
    Remove(String),
    /// Check its key with its service. Keeps nothing.
    Test(String),
}

/// The new place of a secret, and the secret. Without it, lapel finds it in that place.
pub type GivenSecret = (KeyStore, Option<SecretString>);

#[derive(Clone, Debug)]
pub struct ProfileChange {
    pub name: String,
    /// All changes except the secrets.
    pub change: ProfileEdit,
    pub key: Option<GivenSecret>,
    pub journal_password: Option<GivenSecret>,
    /// Pin the current key in place of an earlier pin.
    pub pin: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ProfileSession {
        pub(in crate::tui) fn for_test(environment: Environment, organisation: &str) -> Self {
            let key = crate::api::ApiKey::new("dmu_test_0123456789abcdef").expect("a key");
            Self {
                connection: Connection::new("https://b.example/api/v1/ext", key).expect("an address"),
                name: "uni".to_owned(),
                environment,
                organisation: Some(organisation.to_owned()),
                short_name: None,
                data_dir: None,
                journal: JournalPlace::Memory,
                index: None,
                jobs: crate::jobs::JobConfig::default(),
                view: None,
                files: Vec::new(),
                remark: None,
            }
        }
    }
}
