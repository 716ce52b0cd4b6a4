//! Observed behaviour of the service, with evidence and date; and values to offer again.

use crate::jobs::reason::{Code, Reason};
use crate::secrets::redact;
use rusqlite::{Connection, OptionalExtension, params};

/// An observed behaviour that the contract leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Name, for example `waiting_in_history`.
    pub name: String,
    /// Observed value, for example `shown`.
    pub value: String,
    /// The evidence, without names or addresses.
    pub evidence: Reason,
    /// When it was first seen: the service's UTC, in seconds.
    pub first: i64,
    /// When it was last seen: the service's UTC, in seconds.
    pub last: i64,
    pub times: u64,
}

/// Records a fact that was seen `times` times. Keeps the first evidence; later observations only count.
pub(in crate::jobs) fn learn(
    db: &Connection,
    account: &str,
    name: &str,
    value: &str,
    evidence: Code,
    at: i64,
    times: i64,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO fact VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
         ON CONFLICT DO UPDATE SET last = ?5, times = times + ?6",
    )?
    .execute(params![account, name, value, Reason::from(evidence), at, times])?;
    Ok(())
}

pub(in crate::jobs) fn all(db: &Connection, account: &str) -> rusqlite::Result<Vec<Fact>> {
    db.prepare_cached(
        "SELECT name, value, evidence, first, last, times FROM fact WHERE account = ?1
         ORDER BY name, last DESC, value",
    )?
    .query_map([account], |r| {
        Ok(Fact {
            name: r.get(0)?,
            value: r.get(1)?,
            evidence: r.get(2)?,
            first: r.get(3)?,
            last: r.get(4)?,
            times: r.get::<_, i64>(5)?.unsigned_abs(),
        })
    })?
    .collect()
}

/// The single value of a fact; `None` if it was never seen or has contradictory values.
pub(in crate::jobs) fn settled(
    db: &Connection,
    account: &str,
    name: &str,
) -> rusqlite::Result<Option<String>> {
    let mut found = db.prepare_cached("SELECT value FROM fact WHERE account = ?1 AND name = ?2 LIMIT 2")?;
    let values: Vec<String> =
        found.query_map([account, name], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(match values.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    })
}

/// Stores a value to offer again.
pub(in crate::jobs) fn keep(
    db: &Connection,
    what: &str,
    key: &str,
    value: &str,
    at: i64,
) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO kept VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        what,
        redact(key),
        redact(value),
        at
    ])?;
    Ok(())
}

pub(in crate::jobs) fn kept(db: &Connection, what: &str, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 AND key = ?2")?
        .query_row([what, key], |r| r.get(0))
        .optional()
}

/// The newest values of a kind.
pub(in crate::jobs) fn newest(db: &Connection, what: &str, most: usize) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 ORDER BY at DESC, key LIMIT ?2")?
        .query_map(params![what, most as i64], |r| r.get(0))?
        .collect()
}
