//! The journal's error type, with messages that say what is safe.

use rusqlite::ErrorCode;

/// Why the journal cannot be used. In every case, earlier data stays, and lapel sends nothing that it could not
/// record first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The disk is full.
    #[error(
        "{}",
        t!(
            "The disk of the journal is full ({file}). Nothing is sent that cannot be written down first; what was written is safe. Make room, then resume.",
            file
        )
    )]
    Full {
        /// Path of the journal, for people.
        file: String,
    },
    #[error(
        "{}",
        t!(
            "The journal cannot be written ({file}): {why}. Nothing is sent without it. Make the file and its folder writable, or set LAPEL_DATA_DIR to a folder that is.",
            file,
            why
        )
    )]
    NotWritable {
        file: String,
        /// The system's message.
        why: String,
    },
    /// Damaged, or not a journal.
    #[error(
        "{}",
        t!(
            "The journal is damaged, or is no journal ({file}): {why}. Nothing is sent, and the file is left as it is. Move it aside to begin a new one; jobs that were under way are then known only to the service's history.",
            file,
            why
        )
    )]
    Corrupt {
        file: String,
        /// SQLite's message.
        why: String,
    },
    /// Empty or gone, although it contained jobs.
    #[error(
        "{}",
        t!(
            "The journal is empty or gone ({file}), but lapel has kept jobs in it. Nothing is sent: these jobs could be sent twice. Put a backup back (lapel journal restore FILE). To begin a new journal without these jobs, close every lapel first, then remove {file} and the files beside it whose names begin the same.",
            file
        )
    )]
    Emptied {
        /// Path of the journal, for people.
        file: String,
    },
    /// On a network drive, and in use by another computer.
    #[error(
        "{}",
        t!(
            "The journal is on a network drive ({file}), and lapel uses it on the computer {computer}. Two computers must not use one journal at the same time. Nothing was changed. Close lapel there first. If lapel does not run there any more, remove {mark} and start again. Or set LAPEL_DATA_DIR to a folder on this computer.",
            file,
            computer,
            mark
        )
    )]
    Elsewhere {
        file: String,
        /// Name of the other computer.
        computer: String,
        /// The file that names it.
        mark: String,
    },
    /// A backup in the place of a journal.
    #[error(
        "{}",
        t!(
            "{file} is a backup of a journal, not a journal. Nothing was changed. Move it out of the data folder, then type: lapel journal restore FILE",
            file
        )
    )]
    Backup {
        /// Path of the journal, for people.
        file: String,
    },
    /// Written by a newer version of lapel.
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
        file: String,
        /// Schema of the file.
        found: i64,
        /// Newest schema that this version knows.
        known: i64,
    },
    /// Another process held the lock for too long.
    #[error(
        "{}",
        t!(
            "The journal is busy ({file}): another program has held it for too long. Nothing was changed. Try again.",
            file
        )
    )]
    Busy {
        /// Path of the journal, for people.
        file: String,
    },
    /// The journal's thread has ended.
    #[error("{}", t!("The journal is closed: lapel is ending. Nothing was changed."))]
    Closed,
}

impl JournalError {
    pub(super) fn of(error: &rusqlite::Error, file: &str) -> Self {
        let file = file.to_owned();
        let why = crate::domain::text::scrub(&said(error)).into_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::NotWritable { file, why }
            }
            Some(ErrorCode::SystemIoFailure) => Self::NotWritable {
                file,
                why: t!("{why}: the disk may be damaged, or your share of it used up", why),
            },
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

/// SQLite's message without the SQL statement, which users did not write.
fn said(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => {
            msg.clone()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_statement_is_in_what_people_read() {
        let db = rusqlite::Connection::open_in_memory().expect("a database");
        db.execute_batch("CREATE TABLE job (x)").expect("a table");
        for wrong in ["SELECT secret FROM job", "SELECT 1 FROM nowhere", "CREATE TABLE job (secret)"] {
            let error = db.execute_batch(wrong).expect_err(wrong);
            let said = JournalError::of(&error, "journal.sqlite").to_string();
            for word in ["SELECT", "CREATE", "FROM", "offset"] {
                assert!(!said.contains(word), "{wrong}: {said}");
            }
        }
    }
}
