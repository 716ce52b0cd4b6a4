//! The terminal and the computer that lapel runs on.
//!
//! ```text
//! terminal, canvas           the terminal; frames that do not rely on its character widths
//! cells                      how many cells of the terminal a text takes
//! host                       what this computer can do
//! clipboard, external        the clipboard; other programs
//! editor, pager              the user's editor and pager
//! notifications, crash       bell and desktop notifications; crash reports
//! file_preview               a file before it is opened
//! images/                    pictures
//! ```

pub(in crate::tui) mod canvas;
pub(in crate::tui) mod cells;
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
