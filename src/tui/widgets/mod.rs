//! Widgets for screens and modals: lists, fields, text.

pub(in crate::tui) mod cells;
pub(in crate::tui) mod columns;
pub(in crate::tui) mod confirm;
pub(in crate::tui) mod copying;
pub(in crate::tui) mod field;
pub(in crate::tui) mod fields;
pub(in crate::tui) mod filter;
pub(in crate::tui) mod form;
pub(in crate::tui) mod frame;
pub(in crate::tui) mod highlight_email;
pub(in crate::tui) mod job_rows;
pub(in crate::tui) mod label;
pub(in crate::tui) mod list;
pub(in crate::tui) mod marks;
pub(in crate::tui) mod needs;
pub(in crate::tui) mod paged_list;
pub(in crate::tui) mod path_field;
pub(in crate::tui) mod popup;
pub(in crate::tui) mod preview;
pub(in crate::tui) mod reason_field;
pub(in crate::tui) mod record_field;
pub(in crate::tui) mod save_file;
pub(in crate::tui) mod search;
pub(in crate::tui) mod table_header;
pub(in crate::tui) mod text_layout;
pub(in crate::tui) mod timeline;
