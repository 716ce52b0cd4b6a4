//! Exports lists of the service: records as columns and JSON, complete lists, and files.
//!
//! The fields come from the declarations in `domain`, under the contract's names. The tables of the command line,
//! CSV, Excel and JSON Lines all use them, and the TUI's lists take their values. The module uses the typed
//! API client and the file writers. It never uses the TUI or the command line, never changes anything at the
//! service, and never presents half a list as a whole one.
//!
//! ```text
//! record   a record as cells and as JSON          paged_lists  the lists that can be exported
//! walk     a list, page by page, to its end       file   rows written to a file
//! ```

mod file;
mod paged_lists;
mod record;
mod walk;

pub use crate::domain::{Field, FieldValue};
pub use file::{ExportContent, ExportError, ExportFormat, ExportRequest, Exported, write};
pub use paged_lists::List;
pub use record::{ExportRow, Record, RecordNoun, RecordShape, badge_types, field_value, same_name};
pub use walk::{Cost, Progress, Walk, cost, first_page, history_cost, summary, time_left};
