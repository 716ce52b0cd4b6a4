//! The client against raw sockets that misbehave: what it says, how often it asks, and where its key goes.
//!
//! Nothing here sleeps for a result: every wait is for a condition, within the client's own time-outs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod authorities;
mod limits;
mod misbehaviour;
mod pages;
mod reading;
mod secrets;
mod server;
mod writing;
