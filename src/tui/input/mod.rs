//! Keys, mouse and pastes: what arrives from the terminal, and which action it means.

pub(in crate::tui) mod action;
pub(in crate::tui) mod escapes;
pub(in crate::tui) mod keymap;
pub(in crate::tui) mod list_hit;
pub(in crate::tui) mod paths;
pub(in crate::tui) mod pause;
