//! The TUI as a whole, over a real sandbox, on a test terminal, with scripted keys.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod activity;
mod arranged;
mod badge_to_wallet;
mod call;
mod certs;
mod columns;
#[path = "../common/mod.rs"]
mod common;
mod copy_log_refresh;
mod costs;
mod drafts;
mod editing;
mod exporting;
mod file_picker;
mod files;
mod filter_line;
mod filters;
mod frames;
mod habits;
mod hints;
mod home;
mod idle;
mod input_and_palette;
mod job_files;
mod keys;
mod link;
mod lists;
mod live;
mod lookups;
mod mails;
mod mark_all;
mod marked_rows;
mod messages;
mod misbehaving;
mod narrow;
mod overview;
#[cfg(feature = "images")]
mod pictures;
mod pointing;
mod profiles;
mod read_only;
mod recents;
mod repaint;
mod review;
mod screen_text;
mod screens;
mod searching;
mod secrets;
mod sending;
mod storm;
mod support;
mod tasks;
#[cfg(feature = "team")]
mod team;
#[cfg(feature = "team")]
#[path = "../common/team.rs"]
mod team_server;
mod times;
mod tour;
mod unfinished;

use common::{Harness, frozen, key_event};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use lapel::config::Environment;
use lapel::sandbox::{Options, RowSpec, Rows};
use lapel::tui::{Action, Keymap, Message};

fn requests(harness: &Harness, what: &str) -> u64 {
    harness.sandbox.control().ledger().requests.get(what).copied().unwrap_or(0)
}

/// How the heading of a list names its order.
#[track_caller]
fn ordered_by(column: &str) -> String {
    common::texts::msg_with("by {column}", &[&column])
}

fn all_requests(harness: &Harness) -> u64 {
    harness.sandbox.control().ledger().requests.values().sum()
}

fn small() -> Options {
    Options { history: Some(600), ..frozen() }
}

/// A sandbox whose key is nobody else's: what it holds back lasts longer than the test, and its port may
/// come round again.
fn held() -> Options {
    Options { seed: 3600, ..small() }
}
