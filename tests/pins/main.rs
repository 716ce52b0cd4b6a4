//! The names that users have: flags, settings, keys, JSON fields, columns, exit codes, the journal's schema and words.
//!
//! Scripts, settings files and journals rely on these names, so a change of the code must keep them. Each test takes
//! a list of names from the program itself and compares it with a file in `lists`. A name that is gone fails, and so
//! does a new one: add it with `UPDATE_PINS=1 cargo test --test pins`, and read the difference before you commit it.
//! Where a better name is introduced, the old one stays readable; the samples are files as users have them today.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod answers;
mod columns;
mod command_line;
mod journal;
mod json_shape;
#[path = "../verbs/kit.rs"]
#[allow(dead_code, reason = "the tests of the verbs use the rest")]
mod kit;
mod pinned;
mod settings;
