//! Small files that lapel keeps for the next start.
//!
//! ```text
//! saved_layout     the layout of the lists, per profile
//! saved_filters    filters with a name
//! input_history    recent input, per profile
//! unfinished       typed input of forms
//! app_paths        the paths of lapel's files, and whether the tour was taken
//! ```

pub(in crate::tui) mod app_paths;
pub(in crate::tui) mod input_history;
pub(in crate::tui) mod saved_filters;
pub(in crate::tui) mod saved_layout;
pub(in crate::tui) mod unfinished;
