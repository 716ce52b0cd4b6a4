//! Observed behaviour of the service, with evidence and date; and values to offer again.

use crate::domain::time::{KnownOffset, read_offset};
use crate::jobs::journal::prelude::*;

/// Maximum age of a stored UTC offset of the service: zones change in spring and autumn.
pub(in crate::jobs) const RECALLED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The fact that tells whether the history shows waiting badges.
pub(in crate::jobs) const WAITING: &str = "waiting_in_history";

/// The offset that a record with a known time showed.
pub(in crate::jobs) const OFFSET: &str = "utc_offset";
/// The smallest offset by which no past event lies in the future, until a better one is known.
pub(in crate::jobs) const LEAST_OFFSET: &str = "utc_offset_at_least";

/// The service's offset by these facts, each a name and a value, the newest first.
pub(in crate::jobs) fn known_offset<'f>(
    facts: impl Iterator<Item = (&'f str, &'f str)>,
) -> Option<KnownOffset> {
    let mut least = None;
    for (name, value) in facts {
        match (name, read_offset(value)) {
            (OFFSET, Some(offset)) => return Some(KnownOffset::Learned(offset)),
            (LEAST_OFFSET, Some(offset)) => least = least.max(Some(offset)),
            _ => {}
        }
    }
    least.map(KnownOffset::AtLeast)
}

/// [`Account::of_facts`](super::Account::of_facts) of a row of the table `job`.
pub(super) const OF_JOB: &str = "(job.account || ' ' || job.base_url)";

/// Under which earlier versions kept facts: the key alone. The service that showed them is unknown, so they can only
/// contradict others.
fn of_any_service(account: &str) -> &str {
    account.split(' ').next().unwrap_or(account)
}

/// An observed behaviour that the contract leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedBehaviour {
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

#[derive(Clone, Debug)]
pub(in crate::jobs) struct BehaviourObservation {
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) value: String,
    pub(in crate::jobs) evidence: Code,
    pub(in crate::jobs) times: i64,
}

impl BehaviourObservation {
    pub(in crate::jobs) fn once(name: &str, value: &str, evidence: Code) -> Self {
        Self { name: name.to_owned(), value: value.to_owned(), evidence, times: 1 }
    }
}

/// Records observed facts of an account: see [`Account::of_facts`](super::Account::of_facts). Keeps the first evidence; later observations only count. `at` is the service's time, in
/// seconds.
pub(super) fn learn(db: &Tx<'_>, account: &str, seen: &[BehaviourObservation], at: &i64) -> tx::Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let list: Vec<_> =
        seen.iter().map(|s| json!([s.name, s.value, stored(&s.evidence.into()), s.times])).collect();
    db.run(
        "INSERT INTO fact (account, name, value, evidence, first, last, times)
         SELECT ?1, name, value, evidence, ?3, ?3, times
         FROM json_rows(?2, name text, value text, evidence text, times bigint) AS seen WHERE TRUE ORDER BY place
         ON CONFLICT (account, name, value) DO UPDATE SET last = excluded.last, times = fact.times + excluded.times",
        values![account, super::json(&list), at],
    )
}

/// The facts of an account in memory, for an operation that uses what it learns.
pub(super) struct AccountBehaviour {
    /// Values by name, and whether this service showed them.
    values: HashMap<String, HashMap<String, bool>>,
    learned: Vec<BehaviourObservation>,
}

impl AccountBehaviour {
    pub(super) fn read(db: &Tx<'_>, account: &str) -> tx::Result<Self> {
        let mut facts = Self { values: HashMap::new(), learned: Vec::new() };
        let sql = "SELECT name, value, account = ?1 FROM fact WHERE account IN (?1, ?2)";
        let known: Vec<(String, String, bool)> = db.all(sql, values![account, of_any_service(account)])?;
        for (name, value, is_here) in known {
            *facts.values.entry(name).or_default().entry(value).or_default() |= is_here;
        }
        Ok(facts)
    }

    pub(super) fn settled(&self, name: &str) -> Option<&str> {
        let values = self.values.get(name)?;
        let (value, is_here) = values.iter().next()?;
        (values.len() == 1 && *is_here).then_some(value.as_str())
    }

    pub(super) fn learn(&mut self, name: &str, value: &str, evidence: Code) {
        self.values.entry(name.to_owned()).or_default().insert(value.to_owned(), true);
        match self.learned.iter_mut().find(|seen| seen.name == name && seen.value == value) {
            Some(seen) => seen.times += 1,
            None => self.learned.push(BehaviourObservation::once(name, value, evidence)),
        }
    }

    pub(super) fn write(&self, db: &Tx<'_>, account: &str, at: i64) -> tx::Result<()> {
        learn(db, account, &self.learned, &at)
    }
}

pub(super) fn all(db: &Tx<'_>, account: &str) -> tx::Result<Vec<ObservedBehaviour>> {
    db.rows(
        "SELECT name, value, evidence, first, last, times FROM fact WHERE account = ?1
         ORDER BY name, last DESC, value",
        values![account],
        |r| {
            Ok(ObservedBehaviour {
                name: r.get(0)?,
                value: r.get(1)?,
                evidence: r.get(2)?,
                first: r.get(3)?,
                last: r.get(4)?,
                times: r.get(5)?,
            })
        },
    )
}

/// The single value of a fact; `None` if it was never seen or has contradictory values.
pub(super) fn settled(db: &Tx<'_>, account: &str, name: &str) -> tx::Result<Option<String>> {
    let facts = AccountBehaviour::read(db, account)?;
    Ok(facts.settled(name).map(str::to_owned))
}

/// Whether the history shows waiting badges.
pub(super) fn shows_waiting(db: &Tx<'_>, account: &str) -> tx::Result<bool> {
    Ok(settled(db, account, WAITING)?.as_deref() == Some("shown"))
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct KeptValue {
    pub(in crate::jobs) what: Cow<'static, str>,
    pub(in crate::jobs) key: String,
    pub(in crate::jobs) value: String,
    /// The service's time, in seconds.
    pub(in crate::jobs) at: i64,
}

impl KeptValue {
    /// A value that is its own key.
    pub(in crate::jobs) fn of(what: impl Into<Cow<'static, str>>, value: &str, at: i64) -> Self {
        Self { what: what.into(), key: value.to_owned(), value: value.to_owned(), at }
    }
}

pub(super) fn keep(db: &Tx<'_>, kept: &KeptValue) -> tx::Result<()> {
    db.run(
        "INSERT INTO kept VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (what, key) DO UPDATE SET value = excluded.value, at = excluded.at",
        values![kept.what, redact(&kept.key), redact(&kept.value), kept.at],
    )
}

pub(super) fn keep_all(db: &Tx<'_>, kept: &[KeptValue]) -> tx::Result<()> {
    kept.iter().try_for_each(|kept| keep(db, kept))
}

pub(super) fn kept(db: &Tx<'_>, what: &str, key: &str) -> tx::Result<Option<String>> {
    db.first("SELECT value FROM kept WHERE what = ?1 AND key = ?2", values![what, key])
}

pub(super) fn newest(db: &Tx<'_>, what: &str, most: &usize) -> tx::Result<Vec<String>> {
    db.all(
        "SELECT value FROM kept WHERE what = ?1 ORDER BY at DESC, key LIMIT ?2",
        values![what, *most as i64],
    )
}

#[cfg(test)]
mod tests {
    use super::super::Account;
    use super::*;
    use crate::jobs::journal::tests::statements::journal;

    #[test]
    fn a_fact_counts_for_its_service_and_one_of_an_earlier_version_only_contradicts() {
        let connection = journal();
        let db = Tx::on(&connection);
        let of = |url: &str| {
            let account =
                Account { profile: "p".into(), base_url: url.into(), key: "k".into(), organisation: None };
            account.of_facts()
        };
        let learn = |account: &str, value: &str| {
            learn(&db, account, &[BehaviourObservation::once("n", value, Code::Told)], &1).expect("learned");
        };
        let known = |url: &str| settled(&db, &of(url), "n").expect("read");
        learn("k", "shown");
        assert_eq!(known("a"), None, "nobody knows of which service");
        learn(&of("a"), "shown");
        assert_eq!((known("a").as_deref(), known("b")), (Some("shown"), None));
        learn(&of("b"), "hidden");
        assert_eq!((known("a").as_deref(), known("b")), (Some("shown"), None), "the earlier one contradicts");
        learn(&of("a"), "hidden");
        assert_eq!(known("a"), None);
    }
}
