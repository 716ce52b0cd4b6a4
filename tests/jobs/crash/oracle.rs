//! What must be true, by the service's ledger.

use crate::crash::person::{JobInput, Script, TEMPLATE, rows};
use crate::crash::world::{Session, World};
use lapel::jobs::{Job, JobRow, RowStatus};
use lapel::sandbox::Ledger;
use std::collections::{BTreeMap, HashSet};

/// How many badges each address is to have.
fn wanted(input: &JobInput) -> BTreeMap<String, u64> {
    let mut wanted = BTreeMap::new();
    if let JobInput::Issue(people) = input {
        for person in people {
            *wanted.entry(person.email.to_lowercase()).or_default() += 1;
        }
    }
    wanted
}

fn given(ledger: &Ledger) -> BTreeMap<String, u64> {
    let mut given = BTreeMap::new();
    for accepted in &ledger.accepted {
        assert_eq!(accepted.template_id, TEMPLATE);
        *given.entry(accepted.recipient_email.to_lowercase()).or_default() += accepted.count;
    }
    given
}

/// At any moment: nobody has a badge too many.
pub fn meanwhile(world: &World, script: &Script) {
    let wanted = wanted(&script.input);
    for (address, count) in given(&world.control().ledger()) {
        let most = wanted.get(&address).copied().unwrap_or(0);
        assert!(count <= most, "{address} was issued {count} badges instead of {most}");
    }
}

/// Every row that needs a person says why.
pub fn explained(rows: &[JobRow]) {
    for row in rows {
        let open = matches!(
            row.row_status,
            RowStatus::NotVisibleYet | RowStatus::Skipped | RowStatus::UnknownState | RowStatus::NotAccepted
        );
        if open || row.row_status.needs_a_person() {
            assert!(row.why.as_ref().is_some_and(|why| !why.english().is_empty()), "without a word: {row:?}");
        }
    }
}

/// At the end: everybody has what they should, and lapel knows it.
pub async fn finally(session: &Session, world: &World, script: &Script) {
    let jobs = session.jobs.list().await.expect("a list");
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    let job = &jobs[0];
    let rows = rows(session, job.id).await;
    let ledger = world.control().ledger();
    assert_eq!(job.in_flight, 0);
    assert_eq!(job.counts.total(), rows.len() as u64, "the buckets add up");
    for row_status in RowStatus::ALL {
        let there = rows.iter().filter(|row| row.row_status == *row_status).count() as u64;
        assert_eq!(job.counts.of(*row_status), there, "{row_status:?}");
    }
    explained(&rows);
    match &script.input {
        JobInput::Issue(people) => {
            assert_eq!(rows.len(), people.len());
            let mut issued = issued(job, &rows, &ledger);
            if script.strangers.is_empty() {
                assert_eq!(issued, wanted(&script.input), "{:?}", job.counts);
            }
            issued.retain(|_, count| *count > 0);
            assert_eq!(given(&ledger), issued, "one each, and nobody else: {:?}", job.counts);
        }
        JobInput::Revoke(targets) => {
            assert_eq!(rows.len(), targets.len());
            revoked(&rows, &ledger);
        }
    }
}

/// How many badges the rows say that each address has, each of them in the ledger.
fn issued(job: &Job, rows: &[JobRow], ledger: &Ledger) -> BTreeMap<String, u64> {
    let (mut seen, mut all) = (HashSet::new(), BTreeMap::new());
    for row in rows {
        let count: &mut u64 = all.entry(row.address.wire().to_lowercase()).or_default();
        if row.row_status == RowStatus::NeedsReview && !row.was_sent {
            // Another operator was faster, and nobody has decided: nothing was sent.
            continue;
        }
        *count += 1;
        assert_eq!(row.row_status, RowStatus::Issued, "{row:?} of {job:?}");
        let badge = row.badge_id.as_ref().expect("an id").wire();
        assert!(seen.insert(badge), "{badge} is two rows'");
        let theirs = |a: &&lapel::sandbox::AcceptedBadges| {
            a.recipient_email.eq_ignore_ascii_case(row.address.wire())
                && a.badge_ids.iter().any(|id| id == badge)
        };
        assert!(ledger.accepted.iter().any(|a| theirs(&a)), "not of our making: {row:?}");
    }
    all
}

fn revoked(rows: &[JobRow], ledger: &Ledger) {
    for row in rows {
        let badge = row.badge_id.as_ref().expect("an id").wire();
        let accepted = ledger.revokes.iter().find(|r| r.badge_id == badge).map_or(0, |r| r.accepted);
        assert_eq!((row.row_status, accepted), (RowStatus::Revoked, 1), "{row:?}");
    }
}
