//! The API client, the sandbox, and one against the other.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod api_hostile;
mod api_sandbox;
#[path = "../common/closed_port.rs"]
mod closed_port;
#[path = "../common/service.rs"]
mod common;
mod contract;
mod files;
#[path = "../common/server.rs"]
mod server;
#[path = "../common/texts.rs"]
mod texts;
