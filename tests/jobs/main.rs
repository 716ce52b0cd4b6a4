//! Jobs: from a file to rows, over a sandbox, and through crashes.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

#[cfg(feature = "team")]
mod again_on_postgresql;
#[path = "../common/service.rs"]
mod common;
mod crash;
mod intake;
#[cfg(feature = "team")]
#[path = "../common/proxy.rs"]
mod proxy;
mod sandbox;
#[path = "../common/team.rs"]
mod team;
#[cfg(feature = "team")]
mod team_tls;
#[path = "../common/texts.rs"]
mod texts;
