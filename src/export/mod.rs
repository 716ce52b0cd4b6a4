//! Lists of the service, taken away: records as columns and as JSON, lists read until nothing is missing,
//! and both of them as a file.
//!
//! What a record's columns are is said here and nowhere else, under the contract's names: the tables of the
//! command line, CSV, Excel and JSON Lines all come from it. This module knows the typed client and the
//! writers of files. It must never know a screen or a command line, never change anything at the service,
//! and never give out half a list as a whole one.
//!
//! ```text
//! record   a record as cells and as JSON          list   what can be asked of each paged list
//! walk     a list, page by page, to its end       file   rows into a file, off the loop
//! ```

mod file;
mod list;
mod record;
mod walk;

pub use file::{ExportError, Exported, Kind, Order, What, write};
pub use list::List;
pub use record::{Record, Row, Shape, badge_types};
pub use walk::{Progress, Walk, cost, counted, first_page, summary};
