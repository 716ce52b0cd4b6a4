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

/// An observation of a fact.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Seen {
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) value: String,
    pub(in crate::jobs) evidence: Code,
    /// How many times.
    pub(in crate::jobs) times: i64,
}

impl Seen {
    /// A fact that was seen once.
    pub(in crate::jobs) fn once(name: &str, value: &str, evidence: Code) -> Self {
        Self { name: name.to_owned(), value: value.to_owned(), evidence, times: 1 }
    }
}

/// Records observed facts. Keeps the first evidence; later observations only count. `at` is the service's time, in
/// seconds.
pub(super) fn learn(db: &Connection, account: &str, seen: &[Seen], at: &i64) -> rusqlite::Result<()> {
    let mut learn = db.prepare_cached(
        "INSERT INTO fact VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
         ON CONFLICT DO UPDATE SET last = ?5, times = times + ?6",
    )?;
    for fact in seen {
        learn.execute(params![
            account,
            fact.name,
            fact.value,
            Reason::from(fact.evidence),
            at,
            fact.times
        ])?;
    }
    Ok(())
}

pub(super) fn all(db: &Connection, account: &str) -> rusqlite::Result<Vec<Fact>> {
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
pub(super) fn settled(db: &Connection, account: &str, name: &str) -> rusqlite::Result<Option<String>> {
    let mut found = db.prepare_cached("SELECT value FROM fact WHERE account = ?1 AND name = ?2 LIMIT 2")?;
    let values: Vec<String> =
        found.query_map([account, name], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(match values.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    })
}

/// A value to offer again.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Kept {
    pub(in crate::jobs) what: &'static str,
    pub(in crate::jobs) key: String,
    pub(in crate::jobs) value: String,
    /// The service's time, in seconds.
    pub(in crate::jobs) at: i64,
}

impl Kept {
    /// A value that is its own key.
    pub(in crate::jobs) fn of(what: &'static str, value: &str, at: i64) -> Self {
        Self { what, key: value.to_owned(), value: value.to_owned(), at }
    }
}

/// Stores a value to offer again.
pub(super) fn keep(db: &Connection, kept: &Kept) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO kept VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        kept.what,
        redact(&kept.key),
        redact(&kept.value),
        kept.at
    ])?;
    Ok(())
}

/// Stores values to offer again.
pub(super) fn keep_all(db: &Connection, kept: &[Kept]) -> rusqlite::Result<()> {
    kept.iter().try_for_each(|kept| keep(db, kept))
}

pub(super) fn kept(db: &Connection, what: &str, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 AND key = ?2")?
        .query_row([what, key], |r| r.get(0))
        .optional()
}

/// The newest values of a kind.
pub(super) fn newest(db: &Connection, what: &str, most: &usize) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT value FROM kept WHERE what = ?1 ORDER BY at DESC, key LIMIT ?2")?
        .query_map(params![what, *most as i64], |r| r.get(0))?
        .collect()
}
