//! What the index has, and how far the history was read.

use super::state::{self, ReadingState, SCAN, SyncState};
use super::store::Index;
use super::{Result, stored_rows};
use crate::domain::ServiceTime;
use rusqlite::{Connection, OptionalExtension};

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

pub(super) fn of(db: &Connection, bytes: u64) -> rusqlite::Result<IndexStatus> {
    let known: SyncState = state::get(db, "known")?.unwrap_or_default();
    let scan: Option<ReadingState> = state::get(db, SCAN)?;
    let reg = |order: &str| -> rusqlite::Result<Option<ServiceTime>> {
        let sql = format!("SELECT reg_date FROM badge WHERE reg IS NOT NULL ORDER BY reg {order} LIMIT 1");
        let raw: Option<String> = db.prepare_cached(&sql)?.query_row([], |r| r.get(0)).optional()?;
        Ok(raw.as_deref().and_then(ServiceTime::new))
    };
    let badges = stored_rows::count(db, "badge", [])?;
    Ok(IndexStatus {
        badges,
        details: stored_rows::count(db, "detail", [])?,
        certs: stored_rows::count(db, "detail WHERE cert_key IS NOT NULL", [])?,
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
        self.read(|db| Ok(state::get::<SyncState>(db, "known")?.and_then(|known| known.read_at))).await
    }

    /// Sends no request to the service.
    pub async fn status(&self) -> Result<IndexStatus> {
        let bytes = self.bytes();
        self.read(move |db| of(db, bytes)).await
    }
}
