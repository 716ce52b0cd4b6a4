//! Pictures of badges and templates in the TUI.
//!
//! A picture never delays anything. It is requested when the cursor has rested, by a client without the API key.
//! It is decoded outside the loop, and cancelled when the user moves on. Without a picture, a message says why.
//!
//! ```text
//! picture_url       addresses to URLs             store    wanted and loaded pictures
//! terminal_queries  questions to the terminal     render   picture files to terminal output
//! gallery           the worker's part             cache    files of downloaded pictures
//! ```
//!
//! Only `render` needs the feature `images`. Without it pictures are off.

mod cache;
mod gallery;
mod picture_url;
#[cfg(feature = "images")]
mod render;
#[cfg(not(feature = "images"))]
#[path = "no_render.rs"]
mod render;
mod store;
#[cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "nobody is asked there"))]
mod terminal_queries;

pub use gallery::{Gallery, PictureOnScreen};
pub use render::{OFF, Packed};
pub use store::{PictureOf, PictureRequest, PictureStore};
pub use terminal_queries::{ASKED_ROW, TerminalQueries};
