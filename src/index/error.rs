//! What can be wrong with the index, in words that say that nothing else is.

use crate::api::ApiError;
use rusqlite::ErrorCode;

/// Why the index cannot be used, or was not read on. Whatever it is: it is only a copy, and nothing else
/// depends on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// The file cannot be written or read.
    #[error(
        "{}",
        t!("The index cannot be used ({file}): {why}. It is only a copy; nothing else is affected. Make room, or make the file and its folder writable.", file, why)
    )]
    Store {
        /// Its file.
        file: String,
        /// What the system says.
        why: String,
    },
    /// Damaged, of another version, or something else.
    #[error(
        "{}",
        t!("The index is damaged, or is no index of this lapel ({file}): {why}. It is only a copy; nothing else is affected. `lapel index purge` removes it, and it is then built anew.", file, why)
    )]
    Corrupt {
        /// Its file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// Another process reads the history into it.
    #[error(
        "{}",
        t!("Another lapel is reading the history into this index at this moment ({file}). Nothing was changed. Try again when it is done.", file)
    )]
    Busy {
        /// Its file.
        file: String,
    },
    /// The part of lapel that keeps it has ended.
    #[error("{}", t!("The index is closed: lapel is ending."))]
    Closed,
    /// The service did not give what was asked for. What was read until then is kept, and is gone on from.
    #[error(
        "{}",
        t!("Reading was broken off: {why} What was read is kept; reading again goes on with the rest.", why = _0)
    )]
    Service(#[from] ApiError),
}

impl IndexError {
    pub(super) fn of(error: &rusqlite::Error, file: &str) -> Self {
        let (file, why) = (file.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DiskFull
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure,
            ) => Self::Store { file, why },
            _ => Self::Corrupt { file, why },
        }
    }

    pub(super) fn io(error: &std::io::Error, file: &str) -> Self {
        Self::Store { file: file.to_owned(), why: error.to_string() }
    }

    /// Whether it was given up rather than failed.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Service(ApiError::Cancelled))
    }
}
