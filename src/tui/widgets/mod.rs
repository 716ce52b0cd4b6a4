//! Widgets for screens and modals: lists, fields, text.
//!
//! ```text
//! paged_list, filtered_list    a list over pages; the one of Templates and History, with filter and order
//! columns, table_header        the columns of a list; their heading and its menus
//! filter, search, marks        the filter line and form; search; marks
//! record_field                 the fields of a record: columns, copied texts, sorting
//! job_rows                     the rows of a job
//! colleagues                   who of a team began a job and follows it
//! field, text_fields           a text field; those of a form, with one focus
//! path_field, reason_field     a file name; a revoke reason
//! form, popup, confirm         the text of a form; a popup; the confirmation
//! copying                      texts to copy
//! preview, timeline            beside a list: the selected row; the times of a badge
//! scroll                       the position in a long text
//! column_chart                 counts over time
//! last_read                    what was read last, if a later reading fails
//! text_layout, frame           fitting text; writing it to the screen
//! ```

pub(in crate::tui) mod colleagues;
pub(in crate::tui) mod column_chart;
pub(in crate::tui) mod columns;
pub(in crate::tui) mod confirm;
pub(in crate::tui) mod copying;
pub(in crate::tui) mod field;
pub(in crate::tui) mod filter;
pub(in crate::tui) mod filtered_list;
pub(in crate::tui) mod form;
pub(in crate::tui) mod frame;
pub(in crate::tui) mod job_rows;
pub(in crate::tui) mod last_read;
pub(in crate::tui) mod marks;
pub(in crate::tui) mod paged_list;
pub(in crate::tui) mod path_field;
pub(in crate::tui) mod popup;
pub(in crate::tui) mod preview;
pub(in crate::tui) mod reason_field;
pub(in crate::tui) mod record_field;
pub(in crate::tui) mod scroll;
pub(in crate::tui) mod search;
pub(in crate::tui) mod table_header;
pub(in crate::tui) mod text_fields;
pub(in crate::tui) mod text_layout;
pub(in crate::tui) mod timeline;
