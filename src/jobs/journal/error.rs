//! What can be wrong with the journal, in words that say what is safe.

use rusqlite::ErrorCode;

/// Why the journal cannot be used. Whatever it is: what was written before stays, and nothing is sent that
/// could not be written down first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// No room.
    #[error(
        "{}",
        t!(
            "The disk of the journal is full ({file}). Nothing is sent that cannot be written down first; what was written is safe. Make room, then resume.",
            file
        )
    )]
    Full {
        /// Its file.
        file: String,
    },
    /// Not writable.
    #[error(
        "{}",
        t!(
            "The journal cannot be written ({file}): {why}. Nothing is sent without it. Make the file and its folder writable, or set LAPEL_DATA_DIR to a folder that is.",
            file,
            why
        )
    )]
    NotWritable {
        /// Its file.
        file: String,
        /// What the system says.
        why: String,
    },
    /// Damaged, or something else.
    #[error(
        "{}",
        t!(
            "The journal is damaged, or is no journal ({file}): {why}. Nothing is sent, and the file is left as it is. Move it aside to begin a new one; jobs that were under way are then known only to the service's history.",
            file,
            why
        )
    )]
    Corrupt {
        /// Its file.
        file: String,
        /// What the system says.
        why: String,
    },
    /// Written by a later version.
    #[error(
        "{}",
        t!(
            "The journal was written by a newer lapel ({file}, schema {found}; this one knows {known}). Nothing was changed. Use the newer lapel.",
            file,
            found,
            known
        )
    )]
    Newer {
        /// Its file.
        file: String,
        /// Its schema.
        found: i64,
        /// The newest that this lapel knows.
        known: i64,
    },
    /// Another process held it for too long.
    #[error(
        "{}",
        t!(
            "The journal is busy ({file}): another program has held it for too long. Nothing was changed. Try again.",
            file
        )
    )]
    Busy {
        /// Its file.
        file: String,
    },
    /// A part of lapel that keeps it has ended.
    #[error("{}", t!("The journal is closed: lapel is ending. Nothing was changed."))]
    Closed,
}

impl JournalError {
    pub(super) fn of(error: &rusqlite::Error, file: &str) -> Self {
        let file = file.to_owned();
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::NotWritable { file, why }
            }
            Some(ErrorCode::SystemIoFailure) => Self::NotWritable { file, why },
            _ => Self::Corrupt { file, why },
        }
    }

    pub(super) fn io(error: &std::io::Error, file: &str) -> Self {
        let file = file.to_owned();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { file },
            _ => Self::NotWritable { file, why: error.to_string() },
        }
    }
}
