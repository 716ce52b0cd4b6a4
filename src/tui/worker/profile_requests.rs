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

#[derive(Clone, Debug)]
pub struct ProfileChange {
    pub name: String,
    /// All changes except the key.
    pub change: ProfileEdit,
    /// The new place of the key, and the key. Without a key, lapel finds it in that place.
    pub key: Option<(KeyStore, Option<SecretString>)>,
    /// Pin the current key in place of an earlier pin.
    pub pin: bool,
}
