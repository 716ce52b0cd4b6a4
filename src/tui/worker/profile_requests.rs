//! What the desk has done with the profiles of the settings, besides opening one: it is done by those above.

use crate::config::{Change, KeyStore};
use secrecy::SecretString;
use std::pin::Pin;

/// Something to be done with a profile of the settings. Its answer is a line for the person; an error says whether
/// anything was changed.
#[derive(Clone, Debug)]
pub enum ProfileAsk {
    /// Change it; what leads elsewhere or is another key is tried before it is kept.
    Change(Box<ProfileChange>),
    /// Remove it, and its key where lapel keeps it.
    Remove(String),
    /// Ask its service about its key, and keep nothing.
    Test(String),
}

/// A change of a profile.
#[derive(Clone, Debug)]
pub struct ProfileChange {
    /// The profile's name.
    pub name: String,
    /// What is changed, but for the key.
    pub change: Change,
    /// Another place of the key, and the key; without one it is to be found there.
    pub key: Option<(KeyStore, Option<SecretString>)>,
    /// Pin the key as it is then, whatever was pinned before.
    pub pin: bool,
}

/// A future that answers with a line for the person.
pub type Managing = Pin<Box<dyn Future<Output = Result<String, String>> + Send>>;
