//! The database of a team: a journal on PostgreSQL that several computers share.
//!
//! ```text
//! server   its address, from the setting `profiles.NAME.journal.url`
//! ```

mod server;

pub use server::{Host, Server};
