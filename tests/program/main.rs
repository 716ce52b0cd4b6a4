//! The program as users have it: its commands, its settings, its files and their names, and its TUI in a real terminal.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod cli;
#[path = "../common/closed_port.rs"]
mod closed_port;
mod config;
mod demo_files;
mod package;
mod pins;
#[cfg(unix)]
mod pty;
mod readme;
#[path = "../common/team.rs"]
mod team;
#[path = "../common/texts.rs"]
mod texts;
mod verbs;
