//! Modals, one file or folder each. A form that issues or revokes shows exactly what it will send and where.
//! The user confirms it with the number of badges and Enter: see `widgets/confirm.rs`.
//!
//! ```text
//! issue, replace, person_form     issue to one person; correct and replace; the fields and the review of both
//! revoke, revoke_ids              revoke badges; those whose ids are in a file
//! file/, draft/, edit_row         a file of recipients, the review of its drafts, one row of them
//! confirm_resend, resolve_rows    sending rows again; rows in doubt
//! job_actions, job_menu           what is possible with a job; its menus
//! undo_job                        revoking all badges of a job
//! export, screen_text             lists and the screen written to files
//! file_picker                     chooses a file
//! filters, menu                   saved filters; a small menu
//! palette, help                   every action; every key
//! profiles, profile, key_source   the profiles, the form of one, and its key
//! repin_key, ping, confirm_action questions: another key, a ping, anything else
//! json_view, request_log          a record as JSON; the requests
//! ```

pub(in crate::tui) mod confirm_action;
pub(in crate::tui) mod confirm_resend;
pub(in crate::tui) mod draft;
pub(in crate::tui) mod edit_row;
pub(in crate::tui) mod export;
pub(in crate::tui) mod file;
pub(in crate::tui) mod file_picker;
pub(in crate::tui) mod filters;
pub(in crate::tui) mod help;
pub(in crate::tui) mod issue;
pub(in crate::tui) mod job_actions;
pub(in crate::tui) mod job_menu;
pub(in crate::tui) mod json_view;
pub(in crate::tui) mod key_source;
pub(in crate::tui) mod menu;
pub(in crate::tui) mod palette;
mod person_form;
pub(in crate::tui) mod ping;
pub(in crate::tui) mod profile;
pub(in crate::tui) mod profiles;
pub(in crate::tui) mod repin_key;
pub(in crate::tui) mod replace;
pub(in crate::tui) mod request_log;
pub(in crate::tui) mod resolve_rows;
pub(in crate::tui) mod revoke;
pub(in crate::tui) mod revoke_ids;
pub(in crate::tui) mod screen_text;
pub(in crate::tui) mod undo_job;
