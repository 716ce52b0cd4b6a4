//! The progress of reading the history, saved with its rows, so that reading continues after a crash.

use crate::api::Pass;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SyncState {
    pub reading: i64,
    /// `total_count` at the last full reading, with the new rows since then.
    pub total: Option<u64>,
    /// In seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// In seconds of the service's UTC.
    pub read_at: Option<i64>,
    /// The last full reading added up.
    pub complete: bool,
    /// Otherwise only a full reading can find new rows.
    pub newest_first: bool,
    /// On a full page. The service may send fewer rows than requested.
    pub per_page: u64,
    pub sort_refused: bool,
    /// Revoked badges were read up to then, in seconds of the service's UTC. `None` if the service cannot
    /// list them.
    pub revoked_at: Option<i64>,
    /// A reading went to the end of the history, so the index has the old badges that still expire.
    pub to_end: bool,
    pub old: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ReadingState {
    pub reading: i64,
    pub pass: Pass,
    /// In seconds of the service's UTC. Rows may have changed since then.
    pub began: Option<i64>,
    pub skipped: u64,
    pub holes: u64,
    /// Too old to keep. One that moved to the next page counts twice.
    pub old: u64,
    /// Whether to read also where all rows are too old: some of them still expire.
    pub to_end: bool,
    /// The reading ended early because all further rows are too old.
    pub cut: bool,
    /// No row so far was newer than the one before it.
    pub newest_first: bool,
    /// Acceptance time.
    pub last_reg: Option<String>,
    /// Earlier readings that did not add up.
    pub tries: u8,
}

impl ReadingState {
    pub fn new(reading: i64, to_end: bool) -> Self {
        Self { reading, to_end, newest_first: true, ..Self::default() }
    }

    pub fn next(&self) -> Option<u64> {
        self.pass.next().filter(|_| !self.cut)
    }
}

/// The first version used another name for numbers with another meaning.
pub(super) const SCAN: &str = "pass";

pub(super) fn put<T: Serialize>(db: &Connection, name: &str, value: &T) -> rusqlite::Result<()> {
    // Serialising these values cannot fail. `null` would read as unknown.
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    db.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?.execute(params![name, text])?;
    Ok(())
}

/// An unreadable value counts as missing.
pub(super) fn get<T: DeserializeOwned>(db: &Connection, name: &str) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = db
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([name], |r| r.get(0))
        .optional()?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) fn remove(db: &Connection, name: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM meta WHERE name = ?1")?.execute([name])?;
    Ok(())
}
