//! The real binary in a real terminal: a pty on one side, an emulator on the other.
//!
//! Nothing here sleeps for a result: every wait is for a condition, with a bound.

mod background;
mod clipboard_and_browser;
mod confirm;
mod counts;
mod ends;
mod first_run;
#[cfg(feature = "images")]
mod graphics;
mod input;
mod kit;
mod look;
mod newcomer;
mod pager;
mod panics;
#[cfg(feature = "images")]
mod pictures;
mod profiles;
#[cfg(target_os = "linux")]
mod soak;
mod stops;
mod story;
#[cfg(feature = "images")]
mod svg;
mod terminals;
mod titles;
mod tmux;
mod tour;
mod widths;
mod zones;
