//! What the service has shown of itself, with evidence and date; and what is offered again.

use crate::jobs::reason::{Code, Reason};
use crate::secrets::redact;
use rusqlite::{Connection, OptionalExtension, params};

/// Something that the service has shown of itself (the contract leaves it open).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about, such as `waiting_in_history`.
    pub name: String,
    /// What was seen, such as `shown`.
    pub value: String,
    /// On what that rests, without names or addresses.
    pub evidence: Reason,
    /// When it was first seen: seconds of the service's UTC.
    pub first: i64,
    /// When it was last seen.
    pub last: i64,
    /// How often.
    pub times: u64,
}

/// Notes a fact that was seen so many times. The first evidence is kept; later ones count.
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

/// All facts of a service and key.
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

/// The one value of a fact; `None` when it was never seen, or seen to be one thing and another.
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

/// Keeps something to be offered again.
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

/// What was kept under a key.
pub(in crate::jobs) fn kept(db: &Connection, what: &str, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 AND key = ?2")?
        .query_row([what, key], |r| r.get(0))
        .optional()
}

/// The newest that were kept of a kind.
pub(in crate::jobs) fn newest(db: &Connection, what: &str, most: usize) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 ORDER BY at DESC, key LIMIT ?2")?
        .query_map(params![what, most as i64], |r| r.get(0))?
        .collect()
}
