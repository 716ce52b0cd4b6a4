//! The command line: what can be typed, what is said back, and the verbs that need no screen.
//!
//! This room may know jobs, api, config and domain, and of the sandbox its flags. It must never draw a
//! screen, never take a key as an argument, and never print one. Results go to standard output, everything
//! else to standard error; a reader that stops reading is no error.

mod args;
mod connection;
mod help;
pub mod logging;
mod ping;
mod say;

pub use args::{Cli, Command, DemoFlags, LookFlags, ProfileFlags, parse};
pub use connection::connection;
pub use ping::{ping, ping_without_settings};
pub use say::{complain, complain_of_settings, how_to_begin};

/// Exit codes, as the help names them.
pub mod exit {
    /// Done.
    pub const OK: u8 = 0;
    /// It was tried and did not work: the service refused or could not be reached.
    pub const FAILED: u8 = 1;
    /// It was not tried: the command line or the settings are wrong, or no profile is configured.
    pub const USAGE: u8 = 2;
}
