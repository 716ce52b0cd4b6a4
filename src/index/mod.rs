//! The local index: a copy of the issuance history, for what the service cannot filter, count or sort by:
//! how much was issued when, what waits for too long, what expires soon, whose mails fail, and which badge a
//! certificate number belongs to.
//!
//! This module knows the typed client and the words of the domain. It reads in the background share of the
//! key's pace, and only where somebody has asked for an index: it holds names and addresses. It must never
//! mix two services or keys, never be needed for anything that has consequences, and never hold more of the
//! history in memory than a page. Its file is its own and may be thrown away at any time.
//!
//! ```text
//! sync    reads the history: all of it now and then, what is new in between   -> state, rows
//! rows    a row of history as it is kept, and what is derived from it
//! sums    what there is, counted                    lists   the badges behind a number
//! detail  what only a badge's own record says       place   where the file is, and removing it
//! ```

mod detail;
mod error;
mod lists;
mod place;
mod rows;
mod state;
mod store;
mod sums;
mod sync;

pub use detail::{Cert, DetailsRead};
pub use error::IndexError;
pub use lists::{Query, Renewal, Renewals, Which};
pub use place::{Account, file_of, folder, purge, purge_all};
pub use state::Status;
pub use store::{Index, Settings};
pub use sums::{Mails, Period, Series, Span, Sums, TemplateSum, Waits};
pub use sync::{Reading, Synced, Want};

type Result<T> = std::result::Result<T, IndexError>;

#[cfg(test)]
mod tests;
