//! The database of a team: a journal on PostgreSQL that several computers share.
//!
//! ```text
//! server   its address, from the setting `profiles.NAME.journal.url`
//! login    with whom and what lapel connects, and how long it waits
//! client   a connection to it (feature `team`)
//! error    why it cannot be used
//! ```

#[cfg(feature = "team")]
mod client;
mod error;
mod login;
mod server;

#[cfg(feature = "team")]
pub use client::{DatabaseSession, LONG_STATEMENTS, Waiter};
pub use error::TeamError;
pub use login::{DatabaseLimits, Login, LoginRefusal};
pub use server::{Host, Server};
