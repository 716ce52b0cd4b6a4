//! The command line: arguments, output, and the verbs that need no TUI.
//!
//! This module never draws a screen, never takes a key as an argument, and never prints one. Results go to
//! standard output, everything else to standard error. A reader that closes the pipe is no error.
//!
//! ```text
//! args, verbs, flags    the definition of the command line     clap_errors   mistakes in it
//! help, help_i18n, man  help and the manual page               completion    for shells
//! session, connection   the profile of a verb, its service and its jobs
//! read/, ping, index    verbs that read from the service
//! issue, revoke         verbs that send: source (files), template, review, confirm, sending
//! jobs, journal         verbs about the jobs in the journal
//! profile/, info        profiles and settings                  doctor        checks service and files
//! job_text, json, label jobs and facts as text, and as JSON for scripts
//! output, progress      standard output and standard error     exit, failure exit codes and errors
//! prompt, key_check     typed input; keys in the wrong place
//! interrupt, logging    Ctrl-C; the log file
//! prelude               names that many of these files use
//! ```

mod args;
mod clap_errors;
mod completion;
mod confirm;
mod connection;
mod doctor;
pub mod exit;
mod failure;
mod flags;
mod help;
mod help_i18n;
mod index;
mod info;
mod interrupt;
mod issue;
mod job_text;
mod jobs;
mod journal;
mod json;
mod key_check;
mod label;
pub mod logging;
mod man;
mod output;
mod ping;
mod prelude;
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

pub use args::{Cli, Command, DemoFlags, complete, parse};
pub use completion::completions;
pub use connection::{connection, journal_place, journal_place_of};
pub use doctor::doctor;
pub use failure::{Failure, command_line_is_wrong, settings_are_wrong};
#[cfg(test)]
pub(crate) use help_i18n::texts as help_texts;
pub use index::index;
pub use info::info;
pub use issue::issue;
pub use jobs::jobs;
pub use journal::journal;
pub use key_check::{ask_about_keys, refuse_keys};
pub use man::man;
pub use output::complain;
pub use ping::ping;
pub use profile::{ProfileContext, profile};
pub use read::read;
pub use revoke::revoke;
pub use session::Asker;
pub use verbs::MappedField;
