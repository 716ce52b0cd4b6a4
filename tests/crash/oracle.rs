//! What must be true, by the service's ledger.

use crate::person::{TEMPLATE, Wish, rows};
use crate::world::{Session, World};
use lapel::jobs::{Bucket, JobRow};
use lapel::sandbox::Ledger;
use std::collections::{BTreeMap, HashSet};

/// How many badges each address is to have.
fn wanted(wish: &Wish) -> BTreeMap<String, u64> {
    let mut wanted = BTreeMap::new();
    if let Wish::Issue(people) = wish {
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
pub fn meanwhile(world: &World, wish: &Wish) {
    let wanted = wanted(wish);
    for (address, count) in given(&world.control().ledger()) {
        let most = wanted.get(&address).copied().unwrap_or(0);
        assert!(count <= most, "{address} was issued {count} badges instead of {most}");
    }
}

/// At the end: everybody has what they should, and lapel knows it.
pub async fn finally(session: &Session, world: &World, wish: &Wish) {
    let jobs = session.jobs.list().await.expect("a list");
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    let job = &jobs[0];
    let rows = rows(session, job.id).await;
    let ledger = world.control().ledger();
    assert_eq!(job.in_flight, 0);
    assert_eq!(job.counts.total(), rows.len() as u64, "the buckets add up");
    for bucket in Bucket::ALL {
        let there = rows.iter().filter(|row| row.bucket == *bucket).count() as u64;
        assert_eq!(job.counts.of(*bucket), there, "{bucket:?}");
    }
    match wish {
        Wish::Issue(people) => {
            assert_eq!(rows.len(), people.len());
            assert_eq!(given(&ledger), wanted(wish), "one each, and nobody else: {:?}", job.counts);
            issued(&rows, &ledger);
        }
        Wish::Revoke(victims) => {
            assert_eq!(rows.len(), victims.len());
            revoked(&rows, &ledger);
        }
    }
}

fn issued(rows: &[JobRow], ledger: &Ledger) {
    let mut seen = HashSet::new();
    for row in rows {
        assert_eq!(row.bucket, Bucket::Issued, "{row:?}");
        let badge = row.badge_id.as_ref().expect("an id").wire();
        assert!(seen.insert(badge), "{badge} is two rows'");
        let theirs = |a: &&lapel::sandbox::Accepted| {
            a.recipient_email.eq_ignore_ascii_case(row.address.wire())
                && a.badge_ids.iter().any(|id| id == badge)
        };
        assert!(ledger.accepted.iter().any(|a| theirs(&a)), "{badge} is not {:?}'s", row.address);
    }
}

fn revoked(rows: &[JobRow], ledger: &Ledger) {
    for row in rows {
        let badge = row.badge_id.as_ref().expect("an id").wire();
        let accepted = ledger.revokes.iter().find(|r| r.badge_id == badge).map_or(0, |r| r.accepted);
        assert_eq!((row.bucket, accepted), (Bucket::Revoked, 1), "{row:?}");
    }
}
