//! The real binary in a real terminal: a pty on one side, an emulator on the other.
//!
//! Nothing here sleeps for a result: every wait is for a condition, with a bound.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod background;
#[path = "../common/mod.rs"]
mod common;
mod confirm;
mod counts;
mod ends;
mod first_run;
mod graphics;
mod hands;
mod input;
mod kit;
mod look;
mod panics;
mod pictures;
mod profiles;
mod stops;
mod story;
mod svg;
mod tmux;
mod tour;
mod widths;
