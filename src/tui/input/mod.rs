//! Input from the terminal: keys, mouse and pastes, and the actions that they start.

pub(in crate::tui) mod action;
pub(in crate::tui) mod escapes;
pub(in crate::tui) mod keymap;
pub(in crate::tui) mod list_hit;
pub(in crate::tui) mod paths;
pub(in crate::tui) mod pause;
