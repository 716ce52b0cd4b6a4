//! The command line: arguments, output, and the verbs that need no TUI.
//!
//! This module uses jobs, export, index, api, config, domain, and the sandbox's flags. It never draws a
//! screen, never takes a key as an argument, and never prints one. Results go to standard output, everything
//! else to standard error. A reader that closes the pipe is no error.

mod args;
mod clap_errors;
mod completion;
mod confirm;
mod connection;
mod doctor;
pub mod exit;
mod failure;
mod help;
mod help_i18n;
mod index;
mod info;
mod interrupt;
mod issue;
mod jobs;
mod journal;
mod json;
mod key_check;
mod label;
pub mod logging;
mod man;
mod output;
mod ping;
mod profile;
mod progress;
mod prompt;
mod read;
mod review;
mod revoke;
mod sending;
mod session;
mod source;
mod template;
mod verbs;
mod words;

pub use args::{Cli, Command, DemoFlags, parse};
pub use completion::{complete, completions};
pub use connection::connection;
pub use doctor::doctor;
pub use failure::settings_are_wrong;
#[cfg(test)]
pub(crate) use help_i18n::texts as help_texts;
pub use index::{index, index_settings};
pub use info::info;
pub use issue::issue;
pub use jobs::jobs;
pub use journal::journal;
pub use key_check::{ask_about_keys, refuse_keys};
pub use man::man;
pub use output::{complain, complain_of_settings, how_to_begin};
pub use ping::{ping, ping_without_settings};
pub use profile::{change_profile, pin_profile, profile, remove_profile_in_words, test_profile};
pub use read::read;
pub use revoke::revoke;
pub use session::{Asker, job_settings};
pub use verbs::Field;
