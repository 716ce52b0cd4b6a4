//! Errors of the index. Each message says that nothing else is affected.

use crate::api::ApiError;
use crate::domain::email::ended;
use crate::domain::io_error;
use rusqlite::ErrorCode;

/// Why the index cannot be used. The index is only a copy; nothing else depends on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    #[error(
        "{}",
        t!("lapel cannot use the index ({file}): {why}. It is only a copy; nothing else is affected. Free disk space, or make the file and its folder writable.", file, why)
    )]
    Store { file: String, why: String },
    /// Damaged, of another version, or no index.
    #[error(
        "{}",
        t!("The index is damaged, or it is not an index of this lapel ({file}): {why}. It is only a copy; nothing else is affected. `lapel index purge` removes it; then lapel builds a new one.", file, why)
    )]
    Corrupt { file: String, why: String },
    #[error(
        "{}",
        t!("Another lapel is reading the history into this index ({file}). Nothing was changed. Try again when it has finished.", file)
    )]
    Busy { file: String },
    #[error("{}", t!("The index is closed: lapel is quitting."))]
    Closed,
    /// The service failed or the reading was cancelled. The rows read so far are kept.
    #[error(
        "{}",
        t!("Reading stopped: {why} lapel keeps what it has read. Read again to continue with the rest.", why = ended(&_0.to_string()))
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
        Self::Store { file: file.to_owned(), why: io_error::words(error).to_string() }
    }

    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Service(ApiError::Cancelled))
    }
}
