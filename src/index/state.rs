//! The progress of reading the history, saved with its rows, so that reading continues after a crash.

use super::store::Index;
use super::{Result, rows};
use crate::api::Pass;
use crate::domain::ServiceTime;
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    pub badges: u64,
    pub details: u64,
    pub certs: u64,
    /// Of the service. With an age limit, the index may hold fewer badges.
    pub total: Option<u64>,
    pub older: u64,
    pub oldest: Option<ServiceTime>,
    pub newest: Option<ServiceTime>,
    /// In seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// In seconds of the service's UTC.
    pub read_at: Option<i64>,
    /// The last full reading added up.
    pub complete: bool,
    /// The entries read, and the total if known.
    pub scanning: Option<(u64, Option<u64>)>,
    pub bytes: u64,
}

impl IndexStatus {
    pub fn is_empty(&self) -> bool {
        self.badges == 0 && self.read_at.is_none()
    }
}

pub(super) fn status(db: &Connection, bytes: u64) -> rusqlite::Result<IndexStatus> {
    let known: SyncState = get(db, "known")?.unwrap_or_default();
    let scan: Option<ReadingState> = get(db, SCAN)?;
    let reg = |order: &str| -> rusqlite::Result<Option<ServiceTime>> {
        let sql = format!("SELECT reg_date FROM badge WHERE reg IS NOT NULL ORDER BY reg {order} LIMIT 1");
        let raw: Option<String> = db.prepare_cached(&sql)?.query_row([], |r| r.get(0)).optional()?;
        Ok(raw.as_deref().and_then(ServiceTime::new))
    };
    let badges = rows::count(db, "badge", [])?;
    Ok(IndexStatus {
        badges,
        details: rows::count(db, "detail", [])?,
        certs: rows::count(db, "detail WHERE cert_key IS NOT NULL", [])?,
        total: known.total,
        older: known.total.filter(|_| known.complete).map_or(known.old, |all| all.saturating_sub(badges)),
        oldest: reg("ASC")?,
        newest: reg("DESC")?,
        full_at: known.full_at,
        read_at: known.read_at,
        complete: known.complete,
        scanning: scan.map(|scan| (scan.pass.entries(), scan.pass.last_total())),
        bytes,
    })
}

impl Index {
    /// When the history was read last, in seconds of the service's UTC. Unlike [`Index::status`] it counts nothing.
    pub async fn read_at(&self) -> Result<Option<i64>> {
        self.read(|db| Ok(get::<SyncState>(db, "known")?.and_then(|known| known.read_at))).await
    }

    /// Sends no request to the service.
    pub async fn status(&self) -> Result<IndexStatus> {
        let bytes = self.bytes();
        self.read(move |db| status(db, bytes)).await
    }
}
