//! The arguments of `lapel profile`.

use super::super::completion;
use super::whole;
use crate::cli::prelude::*;
use crate::config::{Input, KeyStore, ProfileInput, ProfileSettings, SecretKind};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueHint};

/// The id of the flag that reads the key from standard input.
const KEY_STDIN: &str = "key_stdin";
/// The same for the journal's password.
const PASSWORD_STDIN: &str = "journal_password_stdin";

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
        #[arg(value_name = "NAME", add = completion::of_profiles())]
        name: String,
        /// Skip the confirmation; required without a terminal
        #[arg(long)]
        yes: bool,
    },
    /// Check a profile's key with the service and compare it with the pinned key
    Test {
        /// The profile; if omitted, the default profile
        #[arg(value_name = "NAME", add = completion::of_profiles())]
        name: Option<String>,
    },
}

#[derive(Clone, Debug, Default, Args)]
pub struct AddFlags {
    /// The name of the new profile
    #[arg(value_name = "NAME", conflicts_with = "name_flag")]
    pub name: Option<String>,
    /// Same as the NAME argument
    #[arg(long = "name", value_name = "NAME", id = "name_flag")]
    pub name_flag: Option<String>,
    #[command(flatten)]
    pub settings: SettingFlags,
}

#[derive(Clone, Debug, Default, Args)]
pub struct EditFlags {
    /// The profile
    #[arg(value_name = "NAME", add = completion::of_profiles())]
    pub name: String,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// Allow issuing and revoking again
    #[arg(long, conflicts_with = "read_only")]
    pub read_write: bool,
    /// Replace the current key
    #[arg(long)]
    pub new_key: bool,
    /// Set or replace the journal password
    #[arg(long)]
    pub new_journal_password: bool,
    /// Pin the current key; jobs of the replaced key continue with it
    #[arg(long)]
    pub pin: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub struct SettingFlags {
    #[command(flatten)]
    pub values: ValueFlags,
    /// Make this the default profile
    #[arg(long)]
    pub default: bool,
    /// The command that prints the key or the journal password, for --key-from or --journal-password-from command; run without a shell
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The flags of the settings that users edit, made from their declarations.
#[derive(Clone, Debug, Default)]
pub struct ValueFlags {
    pub input: ProfileInput,
    pub key_from: Option<KeyStore>,
    pub key_stdin: bool,
    pub password_from: Option<KeyStore>,
    pub password_stdin: bool,
}

impl Args for ValueFlags {
    fn augment_args(command: Command) -> Command {
        let mut all = ProfileSettings::editable();
        // Flags without a value come last.
        all.sort_by_key(|(_, edit)| matches!(edit.input, Input::Switch(_)));
        all.into_iter().fold(command, |command, (key, edit)| {
            let flag = Arg::new(key).long(edit.flag).help(edit.help);
            let with_value = |flag: Arg| flag.value_name(edit.value_name);
            match edit.input {
                Input::Text => command.arg(with_value(flag)),
                Input::Path => command.arg(with_value(flag).value_hint(ValueHint::AnyPath)),
                Input::Words(words) => {
                    let words = PossibleValuesParser::new(words.iter().rev());
                    command.arg(with_value(flag).value_parser(words))
                }
                Input::Switch(_) => command.arg(switch(key, edit.flag, edit.help)),
                Input::Secret(kind) => command.arg(with_value(flag).value_parser(key_place)).arg(stdin(kind)),
            }
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ValueFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self {
            key_stdin: matches.get_flag(KEY_STDIN),
            password_stdin: matches.get_flag(PASSWORD_STDIN),
            ..Self::default()
        };
        for (key, edit) in ProfileSettings::editable() {
            match edit.input {
                Input::Text | Input::Words(_) | Input::Path => {
                    if let Some(text) = matches.get_one::<String>(key) {
                        let path = || whole(Path::new(text)).to_string_lossy().into_owned();
                        let text = if edit.input == Input::Path { path() } else { text.clone() };
                        flags.input.set(key, text);
                    }
                }
                Input::Switch(_) if matches.get_flag(key) => flags.input.set(key, "true"),
                Input::Switch(_) => {}
                Input::Secret(kind) => {
                    let from = matches.get_one::<KeyStore>(key).cloned();
                    match kind {
                        SecretKind::ApiKey => flags.key_from = from,
                        SecretKind::JournalPassword => flags.password_from = from,
                    }
                }
            }
        }
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag that reads a secret from standard input.
fn stdin(kind: SecretKind) -> Arg {
    match kind {
        SecretKind::ApiKey => switch(KEY_STDIN, "key-stdin", "Read the key from standard input"),
        SecretKind::JournalPassword => {
            switch(PASSWORD_STDIN, "journal-password-stdin", "Read the journal password from standard input")
                .conflicts_with(KEY_STDIN)
        }
    }
}

fn switch(id: &'static str, flag: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(flag).help(help).action(ArgAction::SetTrue)
}

/// The message never repeats an invalid text, because it may be the key itself. The words of a command come
/// at the end of the line and are added later.
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
