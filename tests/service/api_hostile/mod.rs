//! The client against raw sockets that misbehave: what it says, how often it asks, and where its key goes.
//!
//! Nothing here sleeps for a result: every wait is for a condition, within the client's own time-outs.

mod authorities;
mod http2;
mod limits;
mod misbehaviour;
mod pages;
mod reading;
mod secrets;
mod writing;
