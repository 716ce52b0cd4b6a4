//! The progress of reading the history, saved with its rows, so that reading continues after a crash.

use super::Result;
use super::store::Index;
use crate::api::Pass;
use crate::domain::ServiceTime;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Facts about the history as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    /// The number of the last full reading.
    pub reading: i64,
    /// The service's `total_count` at the last check.
    pub total: Option<u64>,
    /// The time of the last full reading: seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// The time of the last check: seconds of the service's UTC.
    pub read_at: Option<i64>,
    /// Whether the last full reading added up.
    pub complete: bool,
    /// Whether the service lists the newest rows first. Otherwise new rows can only be found by a full
    /// reading.
    pub newest_first: bool,
    /// Rows on a full page. The service may send fewer than requested.
    pub per_page: u64,
    /// Whether the service has refused to sort.
    pub sort_refused: bool,
}

/// A full reading that has not finished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Scan {
    pub reading: i64,
    pub pass: Pass,
    /// Records that could not be read.
    pub skipped: u64,
    /// Pages that could not be read.
    pub holes: u64,
    /// Records that are too old to keep.
    pub old: u64,
    /// Whether the reading ended early because all further rows are too old.
    pub cut: bool,
    /// Whether no row so far was newer than the one before it.
    pub newest_first: bool,
    /// The acceptance time of the last row.
    pub last_reg: Option<String>,
    /// Readings before this one that did not add up.
    pub tries: u8,
}

impl Scan {
    pub fn new(reading: i64, tries: u8) -> Self {
        Self { reading, newest_first: true, tries, ..Self::default() }
    }

    /// The next page to read; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        self.pass.next().filter(|_| !self.cut)
    }
}

/// The name of the saved `Scan`. The first version used another name for numbers with another meaning.
pub(super) const SCAN: &str = "pass";

pub(super) fn put<T: Serialize>(db: &Connection, name: &str, value: &T) -> rusqlite::Result<()> {
    // Serialising these values cannot fail. `null` would read as unknown.
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    db.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?.execute(params![name, text])?;
    Ok(())
}

/// The value saved under a name. An unreadable value counts as missing.
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
pub struct Status {
    pub badges: u64,
    /// Badges whose detail was read.
    pub details: u64,
    /// Badges whose detail has a certificate number.
    pub certs: u64,
    /// The service's `total_count` at the last check. With an age limit, the index may hold fewer badges.
    pub total: Option<u64>,
    /// The acceptance time of the oldest badge.
    pub oldest: Option<ServiceTime>,
    /// The acceptance time of the newest badge.
    pub newest: Option<ServiceTime>,
    /// The time of the last full reading: seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// The time of the last check: seconds of the service's UTC.
    pub read_at: Option<i64>,
    /// Whether the last full reading added up.
    pub complete: bool,
    /// An unfinished full reading: the entries read, and the total if known.
    pub scanning: Option<(u64, Option<u64>)>,
    pub bytes: u64,
}

impl Status {
    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.badges == 0 && self.read_at.is_none()
    }
}

pub(super) fn status(db: &Connection, bytes: u64) -> rusqlite::Result<Status> {
    let known: Known = get(db, "known")?.unwrap_or_default();
    let scan: Option<Scan> = get(db, SCAN)?;
    let count = |sql: &str| db.prepare_cached(sql)?.query_row([], |r| r.get::<_, i64>(0));
    let reg = |order: &str| -> rusqlite::Result<Option<ServiceTime>> {
        let sql = format!("SELECT reg_date FROM badge WHERE reg IS NOT NULL ORDER BY reg {order} LIMIT 1");
        let raw: Option<String> = db.prepare_cached(&sql)?.query_row([], |r| r.get(0)).optional()?;
        Ok(raw.as_deref().and_then(ServiceTime::new))
    };
    Ok(Status {
        badges: count("SELECT count(*) FROM badge")?.unsigned_abs(),
        details: count("SELECT count(*) FROM detail")?.unsigned_abs(),
        certs: count("SELECT count(*) FROM detail WHERE cert_key IS NOT NULL")?.unsigned_abs(),
        total: known.total,
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
    /// The state of the index. Sends no request to the service.
    pub async fn status(&self) -> Result<Status> {
        let bytes = self.bytes();
        self.read(move |db| status(db, bytes)).await
    }
}
