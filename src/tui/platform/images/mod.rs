//! Pictures of badges and templates in the TUI.
//!
//! A picture never delays anything. It is requested when the cursor has rested, by a client without the API key.
//! It is decoded outside the loop, and cancelled when the user moves on. Without a picture, a message says why.
//!
//! ```text
//! picture_url  addresses to URLs            questions  questions to the terminal about its abilities
//! store     wanted and loaded pictures      protocol   the ways in which a terminal shows pictures
//! gallery   the worker's part of pictures   render     picture files to terminal output
//! cache     files of downloaded pictures
//! ```
//!
//! Only `render` needs the feature `images`. Without it pictures are off.

mod cache;
mod gallery;
mod picture_url;
mod protocol;
#[cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "nobody is asked there"))]
mod questions;
#[cfg(feature = "images")]
mod render;
#[cfg(not(feature = "images"))]
#[path = "no_render.rs"]
mod render;
mod store;

pub use gallery::{Gallery, PictureOnScreen};
pub use protocol::{KITTY_IDS, PictureOutput};
pub use questions::{ASKED_ROW, TerminalQueries};
pub use render::{OFF, Packed};
pub use store::{PictureOf, PictureRequest, PictureStore};
