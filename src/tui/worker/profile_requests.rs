//! Changes to configured profiles that the TUI asks for. The layer above runs them.

use crate::config::{KeyStore, ProfileEdit};
use secrecy::SecretString;

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
