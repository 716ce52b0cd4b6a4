//! What a failure of a database means for the journal.

use crate::jobs::journal::prelude::*;
use rusqlite::ErrorCode;

impl JournalError {
    pub(super) fn of(error: &rusqlite::Error, file: &str) -> Self {
        let file = file.to_owned();
        let why = Localizable::verbatim(scrub(&message(error)));
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::NotWritable { file, why }
            }
            Some(ErrorCode::SystemIoFailure) => Self::NotWritable {
                file,
                why: localizable!("{why}: the disk may be damaged or your disk quota used up", why),
            },
            _ => Self::Corrupt { file, why },
        }
    }

    pub(super) fn failed(error: &tx::Error, file: &str) -> Self {
        match error {
            tx::Error::Sqlite(error) => Self::of(error, file),
            tx::Error::Changed(job) => Self::Changed { job: job.0 },
            tx::Error::Elsewhere(why) => Self::TwoPlaces { why: why.clone() },
            other => Self::Corrupt { file: file.to_owned(), why: Localizable::verbatim(other.to_string()) },
        }
    }

    pub(super) fn io(error: &std::io::Error, file: &str) -> Self {
        let file = file.to_owned();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { file },
            _ => Self::NotWritable { file, why: io_error::words(error) },
        }
    }
}

/// SQLite's message without the SQL statement, which users did not write.
fn message(error: &rusqlite::Error) -> String {
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
    fn messages_contain_no_sql() {
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
