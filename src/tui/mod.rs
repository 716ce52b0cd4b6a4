//! The terminal UI: one loop, one message type, one worker, screens, modals, widgets.
//!
//! The TUI sends requests to the service only through the worker. It sends issue and revoke requests only through
//! [`crate::jobs`]. It never waits for the network, never draws when nothing changed, and never shows untrusted text
//! unscrubbed.
//!
//! ```text
//! key press -> Action (keymap) -> component -> Effects -> worker -> api -> service
//!                                                  |
//! draw <- component <- Message::Response <---------+      (bounded channels both ways)
//! ```
//!
//! ```text
//! run_loop, message     the loop: read everything that is queued, draw once, sleep
//! app, component        the shell (tabs, modals, messages); the trait of screens and modals
//! connection            everything that belongs to one connection
//! needs                 what a person has to do about a job
//! terminal_abilities    pictures and widths that the terminal can show
//! initial_view          what the command line asks to show first
//! prelude               names that nearly every screen and modal uses
//! context, effects      state that handling and drawing may read; effects of handling
//! request, worker/      requests; the worker that runs them
//! tab, screens/, tour/  the tabs, with one screen for each; the tour
//! modals/               components over a screen: forms, menus, palette, help, log, JSON
//! widgets/              lists, columns, fields, text
//! input/                keys, keymap, Hangul, mouse, pasted paths
//! draw, header, footer, theme/
//!                       the frame around the screen
//! hold, refresh         rate limit wait; automatic refresh
//! platform/             terminal, clipboard, editor, browser, notifications, images, crash reports
//! persist/              saved views, saved filters, recent input
//! shutdown              saving and stopping jobs at the end
//! ```

mod app;
mod component;
mod connection;
mod context;
mod draw;
mod effects;
mod footer;
mod header;
mod hold;
mod initial_view;
mod input;
mod message;
mod modals;
mod needs;
mod persist;
mod platform;
mod prelude;
mod refresh;
mod request;
mod run_loop;
mod screens;
mod shutdown;
mod tab;
mod terminal_abilities;
mod theme;
mod tour;
mod widgets;
mod worker;

pub use app::{FirstConnection, LoopCounts};
pub use context::UiContext;
pub use initial_view::InitialView;
pub use input::action::Action;
pub use input::keymap::{KeyContext, Keymap, Press};
pub use message::Message;
pub use persist::app_paths::AppPaths;
pub use persist::saved_layout::ViewUse;
pub use platform::canvas::{Canvas, Surface};
pub use platform::crash::file_in as crash_file;
pub use platform::host::{AppOptions, Desktop, HostTerminal};
pub use platform::pager::PagerText;
pub use request::{GivenSecret, IndexUse, ProfileChange, ProfileRequest, ProfileSession};
pub use run_loop::{LoopStep, Start, TerminalRelease, Tui, run};
pub use shutdown::close;
pub use tab::Tab;
pub use theme::Glyphs;
pub use widgets::filtered_list::filters_file::filters_file;
pub use worker::Helpers;
