//! Recipients from anywhere: files as people have them, every trap with its verdict.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod encodings;
mod ids;
mod kit;
mod properties;
mod rows;
mod sheets;
mod tables;
