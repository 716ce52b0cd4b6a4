//! Small files that lapel keeps for the next start.

pub(in crate::tui) mod app_paths;
pub(in crate::tui) mod input_history;
pub(in crate::tui) mod saved_filters;
pub(in crate::tui) mod saved_layout;
pub(in crate::tui) mod unfinished;
