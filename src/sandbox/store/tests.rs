use super::*;
use crate::sandbox::switches::{IssueTime, RevokeTime};

const NOW: i64 = 1_773_192_600;

fn store(history: u64) -> BadgeStore {
    BadgeStore::open(StoreOptions { data: None, seed: 3, history, now: NOW, zone: 32_400 }).unwrap()
}

fn seqs(store: &mut BadgeStore, listing: &ListQuery, now: i64, start: u64, rows: u64) -> (u64, Vec<i64>) {
    let (total, _, rows) = store.list(listing, now, |_| start..start + rows).unwrap();
    (total, rows.iter().map(|badge| badge.seq).collect())
}

/// Pages computed from numbers and pages read with SQL agree, also after rows are removed.
#[test]
fn the_short_way_and_the_long_way_to_a_page_agree() {
    let mut store = store(3_000);
    let mut long = ListQuery::default();
    long.only("b.seq > 0", []);
    for round in 0..3 {
        for oldest_first in [false, true] {
            let mut plain = ListQuery::default();
            plain.oldest_first = oldest_first;
            let mut long = long.clone();
            long.oldest_first = oldest_first;
            for (start, rows) in
                [(0, 20), (7, 1), (1480, 100), (2_950, 100), (2_999, 10), (3_000, 10), (9_000, 5)]
            {
                let short = seqs(&mut store, &plain, NOW, start, rows);
                assert_eq!(short, seqs(&mut store, &long, NOW, start, rows), "round {round}, from {start}");
            }
        }
        assert!(store.delete([1500, 3000, 1][round]).unwrap());
    }
}

#[test]
fn a_kept_list_is_not_used_after_a_badge_has_moved_on() {
    let mut store = store(0);
    let people = [NewBadge { name: "A".into(), email: "a@example.org".into() }];
    let when = Issuing { now: NOW, quota: None, all_or_nothing: true, issue_time: IssueTime::Short };
    let seq = store.issue(0, 0, &people, when).unwrap()[0];
    let mut issued = ListQuery::default();
    issued.only("b.issue_at <= $now", []);
    assert_eq!(seqs(&mut store, &issued, NOW, 0, 9).0, 0);
    assert_eq!(seqs(&mut store, &issued, NOW + 299, 0, 9).0, 0);
    assert_eq!(seqs(&mut store, &issued, NOW + 300, 0, 9), (1, vec![seq]));
    let id = store.badge_id(seq);
    assert_eq!(store.revoke(None, &[id], "r", NOW + 400, RevokeTime::Spread).unwrap(), [true]);
    let badge = store.badge(seq).unwrap().unwrap();
    assert_eq!(badge.state(NOW + 299), BadgeState::Waiting);
    assert_eq!(badge.state(NOW + 399), BadgeState::Issued);
    assert_eq!(badge.state(NOW + 400), BadgeState::Revoking);
    assert_eq!(badge.state(NOW + 400 + 1800), BadgeState::Revoked);
}

#[test]
fn a_number_is_never_given_twice() {
    let mut store = store(5);
    let people = vec![NewBadge { name: "A".into(), email: "a@example.org".into() }; 2];
    let when = Issuing { now: NOW, quota: None, all_or_nothing: true, issue_time: IssueTime::Short };
    assert_eq!(store.issue(0, 0, &people, when).unwrap(), [6, 7]);
    assert!(store.delete(7).unwrap());
    assert_eq!(store.issue(0, 0, &people, when).unwrap(), [8, 9]);
}

#[test]
fn ids_are_read_back_and_wrong_ones_are_not() {
    let store = store(0);
    for seq in [1, 42, 999_999_999] {
        assert_eq!(store.seq_of(&store.badge_id(seq)), Some(seq));
    }
    let id = store.badge_id(42);
    assert_eq!(id.len(), 14);
    let letters = id.char_indices().map(|(at, letter)| {
        let mut wrong = id.clone();
        wrong.replace_range(at..=at, if letter == '7' { "8" } else { "7" });
        wrong
    });
    for wrong in letters.chain([
        id.to_lowercase(),
        format!(" {id}"),
        format!("{id}X"),
        "배지배지배지".into(),
        String::new(),
    ]) {
        assert_eq!(store.seq_of(&wrong), None, "{wrong}");
    }
}
