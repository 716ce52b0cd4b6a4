//! Replaces `keyring` in a build without the feature `keyring`: every call fails with the same message.

use crate::config::prelude::*;

#[derive(Clone, Debug)]
pub struct Keyring;

impl Keyring {
    pub fn system() -> Self {
        Self
    }

    pub fn none() -> Self {
        Self
    }

    pub fn read(&self, _profile: &str) -> Result<Option<SecretString>, String> {
        Err(missing())
    }

    pub fn write(&self, _profile: &str, _key: &SecretString) -> Result<(), String> {
        Err(missing())
    }

    pub fn replace(&self, _profile: &str, _key: &SecretString) -> Result<(), String> {
        Err(missing())
    }

    pub fn forget(&self, _profile: &str) -> Result<bool, String> {
        Err(missing())
    }
}

fn missing() -> String {
    t!("this build of lapel has no keyring: keep the key in a file, or name a variable or a command")
        .to_owned()
}
