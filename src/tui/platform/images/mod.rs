//! Pictures on the desk: badges and templates as they look.
//!
//! This room knows which picture a screen has a place for, how the terminal shows pictures, and how one is
//! fetched, bounded, decoded, packed and kept. A picture never holds anything up: it is fetched after a rest
//! of the cursor, by a client without a key, decoded off the loop, and given up when one moves on. Where
//! there is none, a calm line says why.
//!
//! ```text
//! address   which URL is meant              questions  what the terminal can do, asked once
//! store     what is wanted and what is here typed      keys that came in between its answers
//! gallery   the worker's side: fetch, keep  decode     bytes to pixels, within bounds
//! cache     files of fetched pictures       pack       pixels to what the terminal is sent
//! ```

mod address;
mod blocks;
mod cache;
mod decode;
mod gallery;
mod pack;
#[cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "nobody is asked there"))]
mod questions;
mod store;
mod typed;

pub use gallery::{Gallery, PictureAsk};
pub use pack::{KITTY_IDS, Packed, Way};
pub use questions::{ASKED_ROW, TerminalQueries};
pub use store::{Store, Want};
pub use typed::messages as typed_messages;
