//! How far the history was read, kept beside its rows so that a crash goes on where it was.

use super::Result;
use super::store::Index;
use crate::api::Pass;
use crate::domain::ServiceTime;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What is known of the history as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    /// The number of the last reading of all of it.
    pub reading: i64,
    /// The service's `total_count` at the last look.
    pub total: Option<u64>,
    /// When all of it was read for the last time: seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// When it was looked at for the last time.
    pub read_at: Option<i64>,
    /// Whether the last reading of all of it added up.
    pub complete: bool,
    /// Whether the service gives the newest first; only then is what is new found without reading all.
    pub newest_first: bool,
    /// Rows that the service gives on a full page: it may give fewer than it is asked for.
    pub per_page: u64,
    /// Whether the service has refused to sort.
    pub sort_refused: bool,
}

/// A reading of the whole history that is not at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Scan {
    /// Its number.
    pub reading: i64,
    /// Its pages.
    pub pass: Pass,
    /// Records that could not be read.
    pub skipped: u64,
    /// Pages that could not be read.
    pub holes: u64,
    /// Records that are too old to be kept.
    pub old: u64,
    /// Whether it ended where everything further is too old.
    pub cut: bool,
    /// Whether every row so far was older than the one before it.
    pub newest_first: bool,
    /// The last row's acceptance.
    pub last_reg: Option<String>,
    /// Readings before this one that did not add up.
    pub tries: u8,
}

impl Scan {
    pub fn new(reading: i64, tries: u8) -> Self {
        Self { reading, newest_first: true, tries, ..Self::default() }
    }

    /// The page to be read next; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        self.pass.next().filter(|_| !self.cut)
    }
}

/// What a reading of the whole history is kept under. Not the name of the first version, whose numbers meant
/// something else.
pub(super) const SCAN: &str = "pass";

/// Keeps a value under a name.
pub(super) fn put<T: Serialize>(db: &Connection, name: &str, value: &T) -> rusqlite::Result<()> {
    // Nothing that is kept here can fail to be written as JSON; null reads as nothing known.
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    db.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?.execute(params![name, text])?;
    Ok(())
}

/// What was kept under a name; what cannot be read counts as never kept.
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

/// How the index stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Badges that it has.
    pub badges: u64,
    /// Badges whose own record was read, and those of them that have a certificate number.
    pub details: u64,
    /// See [`Status::details`].
    pub certs: u64,
    /// The service's `total_count` at the last look; with an age limit there may be more than is kept.
    pub total: Option<u64>,
    /// When the oldest and the newest of its badges were accepted.
    pub oldest: Option<ServiceTime>,
    /// See [`Status::oldest`].
    pub newest: Option<ServiceTime>,
    /// When all of the history was read for the last time: seconds of the service's UTC.
    pub full_at: Option<i64>,
    /// When the history was looked at for the last time: seconds of the service's UTC.
    pub read_at: Option<i64>,
    /// Whether the last reading of all of it added up.
    pub complete: bool,
    /// Whether a reading of all of it was begun and is not at its end: places gone over, and of how many.
    pub scanning: Option<(u64, Option<u64>)>,
    /// Bytes that it takes on the disk.
    pub bytes: u64,
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
    /// How the index stands. Asks the service nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn status(&self) -> Result<Status> {
        let bytes = self.bytes();
        self.read(move |db| status(db, bytes)).await
    }
}
