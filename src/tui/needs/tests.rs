use super::*;
use crate::jobs::{Code, JobId, Kind, Refusals, Stop, StopKind};

/// A job with these rows, planned an hour ago.
pub fn job(phase: Phase, rows: &[(RowStatus, u64)]) -> Job {
    Job {
        id: JobId(3),
        kind: Kind::Issue,
        phase,
        stop: (phase == Phase::Stopped)
            .then(|| Stop { kind: StopKind::Quota, why: Code::Interrupted.into() }),
        title: "a title".into(),
        template_id: None,
        origin: None,
        created: now() - SignedDuration::from_hours(1),
        updated: now(),
        counts: rows.iter().copied().collect(),
        held: 0,
        left_in_doubt: false,
        has_cancelled_rows: false,
        note: None,
        trouble: None,
        accepted: None,
        in_flight: 0,
        next_poll: Some(now()),
        owner: None,
        profile: String::new(),
        follows: None,
        replaced: None,
        checked: None,
        is_purged: false,
        begun: None,
        refusals: Refusals::default(),
        late_answers: Vec::new(),
        halted_by: None,
    }
}

pub fn now() -> Timestamp {
    Timestamp::from_second(1_790_000_000).expect("a time")
}

#[test]
fn the_most_urgent_comes_first() {
    use RowStatus::{Issued, NeedsReview, NeverSeen, Ready, Refused, Waiting};
    let rows = [(Ready, 476), (NeedsReview, 74), (Refused, 2), (NeverSeen, 1), (Waiting, 564), (Issued, 136)];
    let stopped = job(Phase::Stopped, &rows);
    let found: Vec<(Urgency, u64)> =
        needs(&stopped, now()).into_iter().map(|need| (urgency(need, &stopped), need.rows)).collect();
    let expected =
        [(Urgency::InDoubt, 1), (Urgency::Refused, 2), (Urgency::Stopped, 476), (Urgency::NeedsReview, 74)];
    assert_eq!(found, expected, "and what waits or is issued needs nobody");
}

#[test]
fn a_pause_has_its_time() {
    let by = |when: &str| {
        let raw = format!(r#"{{"code":"process_on","args":{{"who":"lee","computer":"lab-pc"{when}}}}}"#);
        Job { halted_by: serde_json::from_str(&raw).expect("a reason"), ..job(Phase::Paused, &[]) }
    };
    let clock = ServiceClock::new(None, 1.0);
    let words = |when| by(when).halted_words(&clock).to_string();
    let paused = t!("paused by {who}", who = "lee on lab-pc");
    let time = clock.short("2026-11-27T09:41:00Z".parse().expect("a time"));
    assert_eq!(
        words(r#","when":"2026-11-27 09:41 UTC""#),
        t!("{what} at {time}", what = paused.clone(), time)
    );
    assert_eq!(words(""), paused, "of an earlier version");
}

/// `lapel jobs` and Activity take these words.
#[test]
fn a_job_has_one_word_for_its_state() {
    use RowStatus::{InDoubt, Issued, Ready, Revoked, Skipped, Waiting};
    let words = |phase, rows: &[(RowStatus, u64)]| job(phase, rows).state().to_string();
    let cancelled = |rows: &[(RowStatus, u64)]| {
        Job { has_cancelled_rows: true, ..job(Phase::Cancelled, rows) }.state().to_string()
    };
    for (state, word) in [
        (words(Phase::Running, &[(Ready, 1)]), t!("sending")),
        (words(Phase::Running, &[(Waiting, 1)]), t!("checking")),
        (words(Phase::Running, &[(Issued, 1)]), t!("finished")),
        (cancelled(&[(Waiting, 1), (Skipped, 1)]), t!("cancelled, checking")),
        (cancelled(&[(Issued, 1), (Skipped, 1)]), tr(Phase::Cancelled.name())),
        // Undone, when nothing was left to cancel. A review, or the duplicate check, may have skipped rows.
        (words(Phase::Cancelled, &[(Waiting, 1)]), t!("checking")),
        (words(Phase::Cancelled, &[(Waiting, 1), (Skipped, 1)]), t!("checking")),
        (words(Phase::Cancelled, &[(Issued, 1)]), t!("finished")),
        (words(Phase::Cancelled, &[(Issued, 1), (Skipped, 1)]), t!("finished")),
        (words(Phase::Cancelled, &[(Revoked, 1)]), t!("undone")),
        (words(Phase::Cancelled, &[(Revoked, 1), (Skipped, 1)]), t!("undone")),
        (cancelled(&[(Revoked, 1), (Issued, 1), (Skipped, 1)]), tr(Phase::Cancelled.name())),
        (words(Phase::Stopped, &[(Ready, 1)]), tr(StopKind::Quota.name())),
        (words(Phase::Paused, &[(Ready, 1)]), tr(Phase::Paused.name())),
    ] {
        assert_eq!(state, word);
    }
    let owner = crate::jobs::Owner {
        label: Code::Interrupted.into(),
        is_me: false,
        is_alive: false,
        is_colleague: false,
    };
    let of_team = crate::jobs::Owner { is_colleague: true, ..owner.clone() };
    for (owner, state) in
        [(owner, t!("ended; {n} in doubt", n = 2)), (of_team, t!("ended or cut off; {n} in doubt", n = 2))]
    {
        let left = Job { owner: Some(owner), ..job(Phase::Running, &[(InDoubt, 2)]) };
        assert_eq!(left.state().to_string(), state);
    }
}

#[test]
fn every_status_has_its_place_and_none_is_lost() {
    let rows: Vec<(RowStatus, u64)> = RowStatus::ALL.iter().map(|status| (*status, 1)).collect();
    let stopped = job(Phase::Stopped, &rows);
    let sorted = counts_in_words(&stopped);
    assert_eq!(sorted.len(), RowStatus::ALL.len());
    let urgencies: Vec<Urgency> =
        sorted.iter().map(|(_, status, _)| Urgency::of(*status, &stopped)).collect();
    assert!(urgencies.is_sorted(), "{urgencies:?}");
    let all = [
        Urgency::InDoubt,
        Urgency::Refused,
        Urgency::Stopped,
        Urgency::NeedsReview,
        Urgency::Error,
        Urgency::Waiting,
        Urgency::Settled,
    ];
    assert!(all.is_sorted() && all.iter().all(|urgency| urgencies.contains(urgency)));
}

#[test]
fn what_lapel_checks_or_was_moved_needs_nobody() {
    let doubt = job(Phase::Running, &[(RowStatus::InDoubt, 1), (RowStatus::Overdue, 2)]);
    assert_eq!(needs(&doubt, now()), []);
    assert_eq!(count(std::slice::from_ref(&doubt), now()), 1, "but it is a problem from the start");
    let said: Vec<u64> = concerns(&doubt, now()).into_iter().map(|need| need.rows).collect();
    assert_eq!(said, [1, 2], "and it says which");
    let both = job(Phase::Running, &[(RowStatus::InDoubt, 1), (RowStatus::NeverSeen, 4)]);
    assert_eq!(concerns(&both, now()), needs(&both, now()), "what needs a person counts more");
    let nobody_checks = Job { next_poll: None, ..doubt.clone() };
    assert_eq!(needs(&nobody_checks, now()).len(), 2, "rows that nobody checks");
    for phase in [Phase::Draft, Phase::Moved] {
        let job = job(phase, &[(RowStatus::NeverSeen, 1), (RowStatus::InDoubt, 1)]);
        assert_eq!((needs(&job, now()), count(&[job], now())), (vec![], 0), "{phase:?}");
    }
    assert_eq!(needs(&job(Phase::Paused, &[(RowStatus::Ready, 1)]), now()), [], "a person paused it");
    // A revocation that stopped while its badges were not issued continues when a person resumes it.
    for (phase, is_halted) in [(Phase::Stopped, true), (Phase::Running, false)] {
        let waits = job(phase, &[(RowStatus::ToRevoke, 2)]);
        assert_eq!((needs(&waits, now()).len(), waits.can_resume()), (usize::from(is_halted), is_halted));
    }
}

#[test]
fn a_refusal_that_nothing_can_change_does_not_count_forever() {
    let refused = job(Phase::Running, &[(RowStatus::Refused, 1), (RowStatus::NotAccepted, 1)]);
    assert_eq!(needs(&refused, now()).len(), 2);
    let later = now() + RECENT;
    assert_eq!(needs(&refused, later), []);
    let unseen = job(Phase::Running, &[(RowStatus::NeverSeen, 1)]);
    assert_eq!(needs(&unseen, later).len(), 1, "a person can resolve it, so it stays");
    assert_eq!(count(&[refused, unseen], later), 1);
}

#[test]
fn rows_of_a_refused_request_need_nobody_while_lapel_checks_them() {
    let stopped = |ready| Job {
        refusals: Refusals { unproven_ready: 5, is_not_provable: true, ..Refusals::default() },
        ..job(Phase::Stopped, &[(RowStatus::Ready, ready)])
    };
    let (all, some) = (stopped(5), stopped(8));
    assert_eq!((needs(&all, now()), all.can_resume()), (Vec::new(), true));
    assert_eq!(words(concerns(&all, now())[0], &all), "5 refused, perhaps accepted");
    assert_eq!(short_words(concerns(&all, now())[0], &all)[1], "5 perhaps accepted");
    // Everywhere, and for each row.
    assert_eq!(sum(&all, "·"), "refused, perhaps accepted 5 = 5");
    assert_eq!(sum(&some, "·"), "refused, perhaps accepted 5 · not sent 3 = 8");
    let said: Vec<(u64, String)> = counts_in_words(&some).into_iter().map(|(n, _, word)| (n, word)).collect();
    assert_eq!(said[0], (5, "refused, perhaps accepted".to_owned()));
    assert_eq!(
        said[1],
        (3, some.row_state(RowStatus::Ready).to_string()),
        "the others are certainly not sent"
    );
    let row = |is_unproven| JobRow { row_status: RowStatus::Ready, is_unproven, ..JobRow::default() };
    assert_eq!(some.state_of(&row(true)).to_string(), "refused, perhaps accepted");
    assert_eq!(some.state_of(&row(false)), some.row_state(RowStatus::Ready));
    assert_eq!(all.row_state(RowStatus::Ready).to_string(), "refused, perhaps accepted");
    assert!(words(needs(&some, now())[0], &some).starts_with("3 of 8 not sent"));
    assert_eq!((some.held_by_refusal(), checked(&some).len()), (5, 1));
    let refusals = Refusals { is_not_provable: false, ..some.refusals };
    let provable = Job { refusals, ..some };
    assert_eq!(sum(&provable, "·"), "not sent 8 = 8", "resuming checks them first");
    assert_eq!((needs(&provable, now())[0].rows, checked(&provable)), (8, Vec::new()));
}

#[test]
fn a_note_about_lost_writes_ends_when_all_were_found() {
    let note = Some(Code::LostWritesNoticed.into());
    let of =
        |status| Job { note: note.clone(), ..job(Phase::Running, &[(RowStatus::Issued, 2), (status, 1)]) };
    for status in [RowStatus::InDoubt, RowStatus::NeverSeen] {
        assert!(of(status).notes().next().is_some(), "{status:?}");
    }
    for status in [RowStatus::Issued, RowStatus::Waiting] {
        assert!(of(status).notes().next().is_none(), "{status:?}");
    }
}

#[test]
fn a_note_about_rows_under_review_ends_with_the_last_of_them() {
    let of = |status| Job {
        note: Some(Code::NeedReview.into()),
        ..job(Phase::Running, &[(RowStatus::Waiting, 1), (status, 1)])
    };
    assert!(of(RowStatus::NeedsReview).notes().next().is_some());
    for status in [RowStatus::Sending, RowStatus::InDoubt, RowStatus::Waiting] {
        assert!(of(status).notes().next().is_none(), "{status:?}");
    }
}
