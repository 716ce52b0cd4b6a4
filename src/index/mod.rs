//! The local index: a copy of the issuance history for questions that the service cannot answer. It counts
//! issued badges by period, and finds badges that wait too long or expire soon, failing mails, and the badge
//! of a certificate number.
//!
//! This module uses the API client and the domain. It reads at the background share of the key's rate limit,
//! and only when the user has turned the index on, because it contains names and addresses. It never mixes
//! two services or keys. No action with consequences depends on it without a person's review. It never holds more than one page of the
//! history in memory. Its file is its own, and can be deleted at any time.
//!
//! ```text
//! store   the file and its thread                   place   the path of the file, and removing it
//! sync    reads the history: sometimes all of it, otherwise the new rows      -> state, stored_rows
//! stored_rows  a stored row of the history, and the values derived from it
//! state   how far the history was read              status  what the index has
//! sums    counts                                    lists   the badges behind a count
//! detail  data that only the badge detail has       sql_functions  functions for the conditions of lists
//! ```

mod detail;
mod error;
mod lists;
mod place;
mod sql_functions;
mod state;
mod status;
mod store;
mod stored_rows;
mod sums;
mod sync;

pub use detail::{Cert, DetailsRead, FoundPeople};
pub use error::IndexError;
pub use lists::{Coverage, HistorySelection, IndexQuery, IndexedList, LONGEST_PAGE, Renewal, Renewals};
pub use place::{IndexAccount, file_of, folder, purge, purge_all};
pub use status::IndexStatus;
pub use store::{Index, IndexConfig};
pub use sums::{MailSums, Period, Series, Sums, TemplateSum, Waits};
pub use sync::{SyncProgress, SyncScope, Synced};

type Result<T> = std::result::Result<T, IndexError>;

#[cfg(test)]
mod tests;
