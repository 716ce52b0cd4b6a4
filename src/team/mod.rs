//! The database of a team: a journal on PostgreSQL that several computers share.
//!
//! ```text
//! server   its address, from the setting `profiles.NAME.journal.url`
//! login    with whom and what lapel connects
//! client   a connection to it (feature `team`)
//! limits   how long lapel waits for it
//! error    why it cannot be used
//! ```

#[cfg(feature = "team")]
mod client;
mod error;
mod limits;
mod login;
mod server;

#[cfg(feature = "team")]
pub use client::{DatabaseSession, LONG_STATEMENTS, Waiter};
pub use error::TeamError;
pub use limits::DatabaseLimits;
pub use login::Login;
pub use server::{Host, Server};
