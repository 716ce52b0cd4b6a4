//! The arguments of `lapel profile`.

use crate::config::{Environment, KeyStore};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What `lapel profile` takes.
#[derive(Clone, Debug, Args)]
pub struct ProfileVerbs {
    /// What to do; without it, list
    #[command(subcommand)]
    pub verb: Option<ProfileVerb>,
    /// Print one line of JSON, also on failure
    #[arg(long, global = true)]
    pub json: bool,
}

impl ProfileVerbs {
    /// Typed texts that become the name of a profile.
    pub fn texts(&self) -> Vec<&str> {
        match &self.verb {
            Some(ProfileVerb::Add(add)) => {
                add.name.iter().chain(&add.name_flag).map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What can be done with profiles.
#[derive(Clone, Debug, Subcommand)]
pub enum ProfileVerb {
    /// List the profiles in config.toml; reads no keys
    List,
    /// Set up a service; the key is checked before anything is saved
    Add(Box<AddFlags>),
    /// Change a profile, replace its key or pin its key again
    Edit(Box<EditFlags>),
    /// Remove a profile, and its key if lapel stores it
    Remove {
        /// The profile
        #[arg(value_name = "NAME")]
        name: String,
        /// Skip the confirmation; required without a terminal
        #[arg(long)]
        yes: bool,
    },
    /// Check a profile's key with the service and compare it with the pinned key
    Test {
        /// The profile; if omitted, the default profile
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}

/// What `lapel profile add` takes. What is missing is asked for, where there is a terminal.
#[derive(Clone, Debug, Default, Args)]
pub struct AddFlags {
    /// The name of the new profile
    #[arg(value_name = "NAME", conflicts_with = "name_flag")]
    pub name: Option<String>,
    /// Same as the NAME argument
    #[arg(long = "name", value_name = "NAME", id = "name_flag")]
    pub name_flag: Option<String>,
    /// What is said of it.
    #[command(flatten)]
    pub said: Said,
}

/// What `lapel profile edit` takes.
#[derive(Clone, Debug, Default, Args)]
pub struct EditFlags {
    /// The profile
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What is said of it.
    #[command(flatten)]
    pub said: Said,
    /// Allow issuing and revoking again
    #[arg(long, conflicts_with = "read_only")]
    pub read_write: bool,
    /// Replace the current key
    #[arg(long)]
    pub new_key: bool,
    /// Pin the current key; jobs of the replaced key continue with it
    #[arg(long)]
    pub pin: bool,
}

/// What can be said of a profile.
#[derive(Clone, Debug, Default, Args)]
pub struct Said {
    /// Environment of the service: demo, staging or live
    #[arg(long, value_name = "WORD", value_parser = environments())]
    pub environment: Option<Environment>,
    /// Base URL of the service, up to and including /api/v1/ext
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Name of the organisation; if omitted, the name from the service. "" removes it
    #[arg(long, value_name = "NAME")]
    pub organisation: Option<String>,
    /// Where the key is.
    #[arg(long, value_name = "PLACE", value_parser = key_place,
          help = "Key source: file (lapel's own), keyring, env:VARIABLE, file:PATH, or command")]
    pub key_from: Option<KeyStore>,
    /// Read the key from standard input
    #[arg(long)]
    pub key_stdin: bool,
    /// A PEM file of certificates to trust in addition to this computer's. "" removes it
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// The proxy for this profile's requests.
    #[arg(
        long,
        value_name = "URL",
        help = "Proxy for this profile, such as http://proxy.example:8080. \"\" removes it"
    )]
    pub proxy: Option<String>,
    /// Read-only: issuing and revoking are disabled for this profile
    #[arg(long)]
    pub read_only: bool,
    /// Make this the default profile
    #[arg(long)]
    pub default: bool,
    /// The command that prints the key, for --key-from command; run without a shell
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

fn environments() -> impl TypedValueParser<Value = Environment> {
    PossibleValuesParser::new(["demo", "staging", "live"])
        .map(|word| Environment::from_word(&word).unwrap_or(Environment::Live))
}

/// Parses a key store. The message never repeats an invalid text, because it may be the key itself. The words
/// of a command come at the end of the line and are added later.
fn key_place(text: &str) -> Result<KeyStore, String> {
    match text.split_once(':') {
        None if text == "file" => Ok(KeyStore::File),
        None if text == "keyring" => Ok(KeyStore::Keyring),
        None if text == "command" => Ok(KeyStore::Command(Vec::new())),
        Some(("env", name)) if !name.is_empty() => Ok(KeyStore::Variable(name.to_owned())),
        Some(("file", path)) if !path.is_empty() => Ok(KeyStore::OtherFile(path.into())),
        _ => Err(t!("use file, keyring, env:VARIABLE, file:PATH or command").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_keys_is_one_of_five() {
        for (text, place) in [
            ("file", KeyStore::File),
            ("keyring", KeyStore::Keyring),
            ("command", KeyStore::Command(Vec::new())),
            ("env:UNI_KEY", KeyStore::Variable("UNI_KEY".into())),
            ("file:/run/secrets/a:b", KeyStore::OtherFile("/run/secrets/a:b".into())),
        ] {
            assert_eq!(key_place(text), Ok(place));
        }
        for wrong in ["", "env:", "file:", "dmu_live_0123456789", "Keyring", "env"] {
            let said = key_place(wrong).expect_err(wrong);
            assert!(wrong.is_empty() || !said.contains("dmu"), "{said}");
        }
    }
}
