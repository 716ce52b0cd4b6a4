//! Judges a row in doubt by the badges that a poll found. Pure functions.

use super::settings::JobConfig;
use crate::jobs::prelude::*;

/// Largest difference between two clocks. Beyond it, one time counts as earlier.
const SKEW: SignedDuration = SignedDuration::from_mins(5);

/// A found badge with the row's template and address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadgeCandidate {
    pub(super) badge_id: BadgeId,
    /// When the service accepted it, if that and the service's UTC offset are known.
    pub(super) accepted: Option<Timestamp>,
    /// Whether its name differs from the row's. The address may be shared.
    pub(super) other_name: bool,
}

/// Letter case, spaces and Unicode normalization do not count, nor does a missing or masked name (`홍*동`).
pub(super) fn names_differ(ours: &str, theirs: &str) -> bool {
    let plain = |name: &str| -> String {
        name.nfc().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
    };
    let (ours, theirs) = (plain(ours), plain(theirs));
    !theirs.is_empty() && !theirs.contains('*') && ours != theirs
}

#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// When the journal recorded its request, by the service's clock.
    pub(super) intent: Timestamp,
    /// Whether that time came from the service's own clock.
    pub(super) heard: bool,
    /// Whether that time tells how long ago the request was. Otherwise the first poll that found nothing does: the
    /// computer's clock may have been set since.
    pub(super) timed: bool,
    /// Whether the service certainly accepted its request.
    pub(super) accepted: bool,
    /// Whether the recipient's earlier badges are known. Without them, a found badge proves nothing.
    pub(super) baseline: bool,
    /// Whether as many badges of its request were found as the service accepted, without this row's.
    pub(super) ruled_out: bool,
    /// When a poll first found nothing.
    pub(super) absent: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ScanResult {
    pub(super) now: Timestamp,
    /// Whether everything was read that could contain the badge.
    pub(super) complete: bool,
    /// Whether the service is known to show waiting badges.
    pub(super) shows_waiting: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    Bind(BadgeId),
    /// The found badge may be this row's or have another origin. A person must decide.
    Ambiguous,
    /// The recipient has a badge that is certainly older than the request, so it has another origin.
    HoldsAlready(BadgeId),
    /// The accepted badges of its request are all bound to other rows.
    NotAccepted,
    /// A poll found nothing for the first time.
    Absent,
    /// Nothing was found, and nothing will come. lapel can offer to send again.
    NotSeen,
    Open,
}

/// `found` contains badges that the recipient did not have before and that no other row has.
pub(super) fn judge(
    doubt: &Doubt,
    found: &[BadgeCandidate],
    scan: ScanResult,
    settings: &JobConfig,
) -> Judgement {
    let is_older = |c: &BadgeCandidate| {
        doubt.heard && c.accepted.is_some_and(|at| doubt.intent.duration_since(at) > SKEW)
    };
    let ours: Vec<&BadgeCandidate> = found.iter().filter(|c| !is_older(c)).collect();
    match (ours.as_slice(), found) {
        ([one], _) if doubt.baseline && !one.other_name => return Judgement::Bind(one.badge_id.clone()),
        ([_, ..], _) => return Judgement::Ambiguous,
        // The older badge was hidden while it waited, and shows only now.
        ([], [older, ..]) if !doubt.accepted => return Judgement::HoldsAlready(older.badge_id.clone()),
        ([], _) => {}
    }
    if !scan.complete {
        return Judgement::Open;
    }
    if doubt.ruled_out {
        return Judgement::NotAccepted;
    }
    let since = if doubt.timed { Some(doubt.intent) } else { doubt.absent };
    let Some(since) = since else {
        return Judgement::Absent;
    };
    let passed = scan.now.duration_since(since);
    if passed >= settings.doubt_window {
        // A person must see it before the row is sent again.
        let older = found.first().map(|older| Judgement::HoldsAlready(older.badge_id.clone()));
        return older.unwrap_or(Judgement::NotSeen);
    }
    // Absence counts only where the service shows waiting badges. A slow server may still be working, and one
    // poll may come too early.
    if doubt.accepted || !scan.shows_waiting || passed < settings.absence_after {
        return Judgement::Open;
    }
    match doubt.absent {
        None => Judgement::Absent,
        Some(first) if scan.now.duration_since(first) >= settings.scans_apart => Judgement::NotSeen,
        Some(_) => Judgement::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minutes * 60).expect("a moment")
    }

    fn candidate(id: &str, accepted: Option<i64>) -> BadgeCandidate {
        BadgeCandidate {
            badge_id: BadgeId::new(id).expect("an id"),
            accepted: accepted.map(at),
            other_name: false,
        }
    }

    fn doubt() -> Doubt {
        Doubt {
            intent: at(0),
            heard: true,
            timed: true,
            accepted: false,
            baseline: true,
            ruled_out: false,
            absent: None,
        }
    }

    fn scan(minutes: i64) -> ScanResult {
        ScanResult { now: at(minutes), complete: true, shows_waiting: true }
    }

    fn judged(doubt: &Doubt, found: &[BadgeCandidate], scan: ScanResult) -> Judgement {
        judge(doubt, found, scan, &JobConfig::default())
    }

    #[test]
    fn rows_beyond_the_accepted_count_were_not_accepted() {
        let out = Doubt { ruled_out: true, ..doubt() };
        let settings = JobConfig::default();
        assert_eq!(judge(&out, &[], scan(1), &settings), Judgement::NotAccepted);
        // An incomplete poll proves nothing. A found badge counts more than a number.
        assert_eq!(judge(&out, &[], ScanResult { complete: false, ..scan(1) }, &settings), Judgement::Open);
        assert!(matches!(judge(&out, &[candidate("b", None)], scan(1), &settings), Judgement::Bind(_)));
    }

    #[test]
    fn a_single_new_badge_matches() {
        for accepted in [None, Some(0), Some(-4), Some(900)] {
            let found = [candidate("b", accepted)];
            assert_eq!(judged(&doubt(), &found, scan(1)), Judgement::Bind(found[0].badge_id.clone()));
        }
        let partial = ScanResult { complete: false, ..scan(1) };
        assert!(matches!(judged(&doubt(), &[candidate("b", None)], partial), Judgement::Bind(_)));
    }

    #[test]
    fn an_ambiguous_badge_needs_a_decision() {
        let two = [candidate("b", None), candidate("c", None)];
        assert_eq!(judged(&doubt(), &two, scan(1)), Judgement::Ambiguous);
        let blind = Doubt { baseline: false, ..doubt() };
        assert_eq!(judged(&blind, &two[..1], scan(1)), Judgement::Ambiguous);
    }

    #[test]
    fn a_badge_with_another_name_needs_a_decision() {
        let mut found = [candidate("b", None)];
        found[0].other_name = true;
        assert_eq!(judged(&doubt(), &found, scan(1)), Judgement::Ambiguous);
        for (ours, theirs, differ) in [
            ("홍길동", "홍길순", true),
            ("홍길동", "홍 길동", false),
            ("홍길동", "홍길동", false),
            ("Lea Kim", "LEA  KIM", false),
            ("홍길동", "", false),
            ("홍길동", "홍*동", false),
        ] {
            assert_eq!(names_differ(ours, theirs), differ, "{ours} {theirs}");
        }
    }

    #[test]
    fn an_older_badge_does_not_match() {
        let older = [candidate("b", Some(-30))];
        assert!(matches!(judged(&doubt(), &older, scan(1)), Judgement::HoldsAlready(_)));
        let unheard = Doubt { heard: false, ..doubt() };
        assert!(matches!(judged(&unheard, &older, scan(1)), Judgement::Bind(_)));
        let both = [candidate("b", Some(-30)), candidate("c", Some(1))];
        assert!(matches!(judged(&doubt(), &both, scan(1)), Judgement::Bind(id) if id.wire() == "c"));
    }

    #[test]
    fn absence_needs_two_polls_and_visible_waiting_badges() {
        assert_eq!(judged(&doubt(), &[], scan(9)), Judgement::Open);
        assert_eq!(judged(&doubt(), &[], scan(10)), Judgement::Absent);
        let once = Doubt { absent: Some(at(10)), ..doubt() };
        assert_eq!(judged(&once, &[], scan(10)), Judgement::Open);
        assert_eq!(judged(&once, &[], scan(11)), Judgement::NotSeen);
        let hidden = ScanResult { shows_waiting: false, ..scan(11) };
        assert_eq!(judged(&once, &[], hidden), Judgement::Open);
        let accepted = Doubt { accepted: true, ..once.clone() };
        assert_eq!(judged(&accepted, &[], scan(11)), Judgement::Open);
        assert_eq!(judged(&once, &[], ScanResult { complete: false, ..scan(11) }), Judgement::Open);
    }

    #[test]
    fn without_the_services_clock_the_first_poll_counts() {
        let days_off = Doubt { intent: at(-3 * 24 * 60), heard: false, timed: false, ..doubt() };
        assert_eq!(judged(&days_off, &[], scan(0)), Judgement::Absent);
        let once = Doubt { absent: Some(at(0)), ..days_off };
        assert_eq!(judged(&once, &[], scan(9)), Judgement::Open);
        assert_eq!(judged(&once, &[], scan(10)), Judgement::NotSeen);
        let hidden = ScanResult { shows_waiting: false, ..scan(10) };
        assert_eq!(judged(&once, &[], hidden), Judgement::Open);
        assert_eq!(judged(&once, &[], ScanResult { now: at(26 * 60), ..hidden }), Judgement::NotSeen);
    }

    #[test]
    fn after_the_window_the_row_was_never_seen() {
        let hidden = ScanResult { shows_waiting: false, ..scan(26 * 60) };
        for accepted in [false, true] {
            assert_eq!(judged(&Doubt { accepted, ..doubt() }, &[], hidden), Judgement::NotSeen);
        }
        let (accepted, older) = (Doubt { accepted: true, ..doubt() }, [candidate("b", Some(-30))]);
        assert!(matches!(judged(&accepted, &older, hidden), Judgement::HoldsAlready(_)));
        assert_eq!(judged(&accepted, &older, scan(60)), Judgement::Open, "its own badge may still come");
        assert_eq!(judged(&doubt(), &[], ScanResult { now: at(26 * 60 - 1), ..hidden }), Judgement::Open);
        assert_eq!(judged(&doubt(), &[], ScanResult { complete: false, ..hidden }), Judgement::Open);
    }
}
