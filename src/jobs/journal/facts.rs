//! Observed behaviour of the service, with evidence and date; and values to offer again.

use super::reasons::stored;
use crate::jobs::reason::{Code, Reason};
use crate::secrets::redact;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::json;
use std::collections::{HashMap, HashSet};

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
    if seen.is_empty() {
        return Ok(());
    }
    let list: Vec<_> =
        seen.iter().map(|s| json!([s.name, s.value, stored(&s.evidence.into()), s.times])).collect();
    db.prepare_cached(
        "INSERT INTO fact (account, name, value, evidence, first, last, times)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?3, ?3, value ->> 3 FROM json_each(?2)
         WHERE TRUE ORDER BY key
         ON CONFLICT DO UPDATE SET last = excluded.last, times = fact.times + excluded.times",
    )?
    .execute(params![account, super::json(&list), at])?;
    Ok(())
}

/// The facts of an account in memory, for an operation that uses what it learns.
pub(super) struct Facts {
    values: HashMap<String, HashSet<String>>,
    learned: Vec<Seen>,
}

impl Facts {
    pub(super) fn read(db: &Connection, account: &str) -> rusqlite::Result<Self> {
        let mut facts = Self { values: HashMap::new(), learned: Vec::new() };
        let mut found = db.prepare_cached("SELECT name, value FROM fact WHERE account = ?1")?;
        let mut rows = found.query([account])?;
        while let Some(row) = rows.next()? {
            facts.values.entry(row.get(0)?).or_default().insert(row.get(1)?);
        }
        Ok(facts)
    }

    /// As [`settled`].
    pub(super) fn settled(&self, name: &str) -> Option<&str> {
        let values = self.values.get(name)?;
        if values.len() == 1 { values.iter().next().map(String::as_str) } else { None }
    }

    pub(super) fn learn(&mut self, name: &str, value: &str, evidence: Code) {
        self.values.entry(name.to_owned()).or_default().insert(value.to_owned());
        match self.learned.iter_mut().find(|seen| seen.name == name && seen.value == value) {
            Some(seen) => seen.times += 1,
            None => self.learned.push(Seen::once(name, value, evidence)),
        }
    }

    /// Records what was learned.
    pub(super) fn write(&self, db: &Connection, account: &str, at: i64) -> rusqlite::Result<()> {
        learn(db, account, &self.learned, &at)
    }
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
