//! The terminal and the computer that lapel runs on.

pub(in crate::tui) mod canvas;
pub(in crate::tui) mod clipboard;
pub(in crate::tui) mod crash;
pub(in crate::tui) mod editor;
pub(in crate::tui) mod external;
pub(in crate::tui) mod file_preview;
pub(in crate::tui) mod host;
pub(in crate::tui) mod images;
pub(in crate::tui) mod notifications;
pub(in crate::tui) mod pager;
pub(in crate::tui) mod terminal;
