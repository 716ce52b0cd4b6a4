//! What a connection to the journal's database in a file needs beside its schema.

use super::place::Files;
use super::schema::quick_check;
use super::{JournalError, Result};
use crate::jobs::journal::prelude::*;

/// The number that a pragma tells.
pub(super) fn pragma(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    db.query_row(&format!("PRAGMA {name}"), [], |r| r.get(0))
}

/// A journal's database beside a running lapel, for reading.
pub(super) fn connect_beside(
    files: &Files,
    access: OpenFlags,
    patience: Duration,
) -> rusqlite::Result<Connection> {
    // SQLite removes its files beside the journal only for a connection that may write.
    let has_log = files.beside("-wal").exists();
    let db = Connection::open_with_flags(&files.journal, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(patience)?;
    // The log of a crash is for the lapel that opens the journal next.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    db.execute_batch("PRAGMA query_only = ON")?;
    Ok(db)
}

pub(super) fn assure_whole(db: &Connection, file: &str) -> Result<()> {
    assure_none(&quick_check(&Tx::on(db)).map_err(|why| JournalError::failed(&why, file))?, file)
}

/// # Errors
/// [`JournalError::Corrupt`] if there are messages about damage.
pub(super) fn assure_none(messages: &[String], file: &str) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    let why = Localizable::verbatim(crate::domain::text::scrub(&messages.join("; ")));
    Err(JournalError::Corrupt { file: file.to_owned(), why })
}
