//! Input from the terminal: keys, mouse and pastes, and the actions that they start.
//!
//! ```text
//! action              every action, with its texts
//! keymap              which key does what, where; Hangul; keys.toml
//! escapes, pause      keys that the user did not press; no input while another program runs
//! typed               keys between the terminal's answers at the start
//! list_hit            clicks on rows
//! paths               typed, pasted and dropped paths
//! ```

pub(in crate::tui) mod action;
pub(in crate::tui) mod escapes;
pub(in crate::tui) mod keymap;
pub(in crate::tui) mod list_hit;
pub(in crate::tui) mod paths;
pub(in crate::tui) mod pause;
pub(in crate::tui) mod typed;
