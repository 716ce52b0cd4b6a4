//! Modals, one file or folder each. A form that issues or revokes shows exactly what it will send and where.
//! The user confirms it with the number of badges and Enter: see `widgets/confirm.rs`.

pub(in crate::tui) mod confirm_resend;
pub(in crate::tui) mod draft;
pub(in crate::tui) mod edit_row;
pub(in crate::tui) mod export;
pub(in crate::tui) mod file;
pub(in crate::tui) mod file_picker;
pub(in crate::tui) mod filters;
pub(in crate::tui) mod help;
pub(in crate::tui) mod issue;
pub(in crate::tui) mod job_menu;
pub(in crate::tui) mod json_view;
pub(in crate::tui) mod key_source;
pub(in crate::tui) mod mark_all;
pub(in crate::tui) mod menu;
pub(in crate::tui) mod palette;
mod person_review;
pub(in crate::tui) mod ping;
pub(in crate::tui) mod profile;
pub(in crate::tui) mod profiles;
pub(in crate::tui) mod prompt;
pub(in crate::tui) mod question;
pub(in crate::tui) mod repin_key;
pub(in crate::tui) mod replace;
pub(in crate::tui) mod request_log;
pub(in crate::tui) mod resolve_rows;
pub(in crate::tui) mod revoke;
pub(in crate::tui) mod revoke_ids;
pub(in crate::tui) mod screen_text;
