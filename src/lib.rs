//! lapel: a terminal client for a Digital Badge Issuing Service.
//!
//! Issuer staff browse templates and history, issue badges and revoke them. Support staff look up a holder's
//! wallet. lapel talks to the service's REST API. The [`sandbox`] simulates that service, so that lapel runs
//! and is tested without an account.
//!
//! The modules, from the bottom up. The table in `docs/architecture.md` says which of them a module may use, and a test
//! compares it with the code.
//!
//! ```text
//! i18n/      texts in English and Korean
//! domain/    records, states, verdicts, e-mail keys, service time, untrusted text
//! secrets    API keys of all profiles: refused in input, redacted in output
//! job_control  job control of the shell: stopping and continuing
//! boot_clock   a clock that counts sleep
//! costs        what operations cost, for tests
//! fuzz         changed bytes, for the tests of parsers
//! fs/        private files, atomic writes
//! table/     tables as files: Excel, CSV, JSON lines
//! team/      the database of a team's shared journal
//! config/    profiles, paths, key storage, settings
//! api/       one method per endpoint, one error type, one rate limit per key
//! index/     optional local copy of the history
//! jobs/      issue and revoke jobs: import, journal, sender, poller, reports
//! export/    lists written to files
//! sandbox/   the simulated service; shares no code with api/, on purpose
//! tui/       the terminal UI
//! cli/       the verbs
//! main.rs    parses the command line and starts the TUI, a verb or the sandbox
//! ```

// The tests of this crate and those in `tests/` share some code, which names the crate.
#[cfg(test)]
extern crate self as lapel;

#[macro_use]
pub mod i18n;

pub mod api;
mod boot_clock;
pub mod cli;
pub mod config;
#[cfg(test)]
mod costs;
pub mod domain;
pub mod export;
pub mod fs;
#[cfg(test)]
mod fuzz;
pub mod index;
mod job_control;
pub mod jobs;
pub mod sandbox;
pub mod secrets;
pub mod table;
pub mod team;
pub mod tui;
