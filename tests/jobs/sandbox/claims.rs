//! One person, two jobs, by every way of sending.

use super::*;
use crate::texts::{msg_part, msg_with};
use lapel::jobs::{CheckProgress, DuplicateKind, JobError, Policy, RowSelection, Schedule};
use tokio_util::sync::CancellationToken;

async fn drafted(bench: &Bench, people: Vec<PlannedRecipient>) -> (JobId, lapel::jobs::DuplicateResult) {
    let id = bench.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    let cancel = tokio_util::sync::CancellationToken::new();
    (id, bench.jobs.check_duplicates(id, &progress, cancel).await.expect("a duplicate check"))
}

fn most(bench: &Bench) -> u64 {
    bench.sandbox.control().ledger().accepted.iter().map(|a| a.count).max().unwrap_or(0)
}

#[tokio::test]
async fn a_row_that_was_never_seen_is_not_sent_again_unseen_where_another_job_has_served_its_person() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges drop times=1");
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", first, rests).await;
    bench.advance(26 * 60 + 1);
    bench.poll(first).await;
    assert_eq!(bench.row(first).await.row_status, RowStatus::NeverSeen);
    let gildong = vec![PlannedRecipient { name: "홍길동".into(), email: "GILDONG@naru.example".into() }];
    let (second, checked) = drafted(&bench, gildong).await;
    assert_eq!(checked.classes, vec![(DuplicateKind::Sent, 1)], "it may exist");
    bench.jobs.allow(second, RowSelection::Class(DuplicateKind::Sent)).await.expect("allowed");
    bench.jobs.begin(second, "me").await.expect("begun");
    bench.until("accepted", second, |j| j.counts.of(RowStatus::Waiting) == 1).await;

    let refused = bench.jobs.resend(first, 1, "me", "hurry").await.expect_err("somebody has to see that");
    assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
    let row = bench.row(first).await;
    assert_eq!((row.row_status, row.was_sent, bench.accepted()), (RowStatus::NeedsReview, true, 1));
    assert!(row.why.is_some_and(|why| why.to_string().contains(&format!("job {second}"))));
    // It may exist, so it is not called off, and a file of the rows to do again has no such row.
    assert_eq!(bench.jobs.job(first).await.expect("a job").held, 0);
    bench.jobs.resend(first, 1, "me", "two are wanted").await.expect("now it was seen");
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 2);
}

/// Rows of a range are allowed as they were shown. What is a duplicate since, or of another kind, needs review again.
#[tokio::test]
async fn a_range_allows_a_duplicate_only_if_its_kind_was_shown() {
    let mut bench = Bench::new(small()).await;
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    let gildong = vec![PlannedRecipient { name: "홍길동".into(), email: "gildong@naru.example".into() }];
    let (second, checked) = drafted(&bench, gildong).await;
    let [(kind, 1)] = checked.classes[..] else { panic!("{:?}", checked.classes) };
    assert_ne!(kind, DuplicateKind::Revoked);
    for (shown, is_allowed) in [(None, false), (Some(DuplicateKind::Revoked), false), (Some(kind), true)] {
        let range = RowSelection::ShownTogether(vec![(1, shown)]);
        bench.jobs.allow(second, range).await.expect("an answer");
        let is_ready = bench.row(second).await.row_status == RowStatus::Ready;
        assert_eq!(is_ready, is_allowed, "{shown:?}");
    }
}

#[tokio::test]
async fn a_badge_that_was_revoked_makes_room_for_the_next_and_a_correction_for_itself() {
    let mut bench = Bench::new(small()).await;
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.advance(25 * 60);
    bench.poll(first).await;
    // A corrected badge takes the place of this one: nobody has to allow it.
    let badge = bench.row(first).await.badge_id.expect("a badge");
    let old = RevokeTarget {
        badge_id: badge.clone(),
        holder: "홍길동".into(),
        email: "gildong@naru.example".into(),
        title: TITLE.into(),
        state: State::Issued,
        is_of_index: false,
    };
    let corrected = plan(Some(vec![badge]));
    let (issue, revoke) = bench.jobs.replace(corrected, old, "성명 정정", "me").await.expect("planned");
    bench.until("accepted", issue, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.advance(25 * 60);
    bench.poll(issue).await;
    bench.poll(revoke).await;
    bench.until("revoking", revoke, |j| j.counts.of(RowStatus::Revoking) == 1).await;
    // Undone, and issued again after that: the review says that it was revoked, and not that it was sent.
    let undo = bench.jobs.undo(issue, "착오 발급", "me").await.expect("a draft");
    bench.jobs.begin(undo, "me").await.expect("begun");
    bench.until("revoking", undo, |j| j.counts.of(RowStatus::Revoking) == 1).await;
    bench.advance(25 * 60);
    bench.poll(undo).await;
    bench.poll(revoke).await;
    let gildong = vec![PlannedRecipient { name: "홍길동".into(), email: "gildong@naru.example".into() }];
    let (again, checked) = drafted(&bench, gildong).await;
    assert_eq!(checked.classes, vec![(DuplicateKind::Revoked, 1)]);
    bench.jobs.allow(again, RowSelection::Class(DuplicateKind::Revoked)).await.expect("allowed");
    bench.jobs.begin(again, "me").await.expect("begun");
    bench.until("accepted", again, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 3);
}

#[tokio::test]
async fn an_approval_holds_for_what_was_shown_and_not_for_what_came_since() {
    let mut bench =
        Bench::new(Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() }).await;
    let first = begin(&bench, people(0..3)).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 3).await;
    // Two people review the same file, and both allow what was sent once.
    let (one, _) = drafted(&bench, people(0..3)).await;
    let (two, _) = drafted(&bench, people(0..3)).await;
    for id in [one, two] {
        bench.jobs.allow(id, RowSelection::Class(DuplicateKind::Sent)).await.expect("allowed");
    }
    bench.jobs.begin(one, "me").await.expect("begun");
    bench.until("accepted", one, |j| j.counts.of(RowStatus::Waiting) == 3).await;
    bench.jobs.begin(two, "me").await.expect("begun");
    let job = bench.until("held", two, |j| j.held == 3).await;
    assert!(job.note.is_some());
    assert_eq!((bench.accepted(), most(&bench)), (6, 2), "two each, as one of them has allowed");
}

#[tokio::test]
async fn an_approval_beside_a_claim_that_went_is_none_beside_the_next_one() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.fault("post /badges/batch hold status=400 times=1");
    let refused = begin(&bench, people(0..2)).await;
    bench.until("on its way", refused, Job::is_sending).await;
    let (approved, checked) = drafted(&bench, people(0..2)).await;
    assert_eq!(checked.classes, vec![(DuplicateKind::Sent, 2)]);
    bench.jobs.allow(approved, RowSelection::Class(DuplicateKind::Sent)).await.expect("allowed");
    bench.sandbox.control().clear_faults();
    bench.until("refused", refused, |j| !j.is_sending() && j.counts.of(RowStatus::Refused) == 2).await;
    // Nobody has served them, so another job needs no approval. The one that was given is not about this job.
    let next = begin(&bench, people(0..2)).await;
    bench.until("accepted", next, |j| j.counts.of(RowStatus::Waiting) == 2).await;
    bench.jobs.begin(approved, "me").await.expect("begun");
    bench.until("held", approved, |j| j.held == 2).await;
    assert_eq!((bench.accepted(), most(&bench)), (2, 1));
}

#[tokio::test]
async fn a_badge_that_was_sent_counts_beside_a_valid_one_that_the_history_shows() {
    for hidden in ["visible", "hidden"] {
        let mut settings = JobConfig::default();
        settings.policies.set(DuplicateKind::Valid, Policy::Allow);
        let switches = vec![("waiting-history".into(), hidden.into())];
        let mut bench = Bench::set(Options { switches, ..small() }, |connection| connection, settings).await;
        let held = |n: usize| RowSpec {
            recipient_email: format!("person{n}@naru.example"),
            minutes_ago: 90 * 24 * 60,
            ..RowSpec::default()
        };
        let insert = vec![held(0), held(1)];
        bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("rows");
        let first = begin(&bench, people(0..2)).await;
        bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 2).await;
        let (second, checked) = drafted(&bench, people(0..2)).await;
        let class = if hidden == "hidden" { DuplicateKind::Sent } else { DuplicateKind::Waiting };
        assert_eq!(checked.classes, vec![(class, 2)], "{hidden}");
        for row in bench.rows(second).await {
            let why = row.why.as_ref().map(ToString::to_string).unwrap_or_default();
            assert_eq!(row.row_status, RowStatus::Skipped, "{hidden}: {why}");
            assert!(why.contains(&format!("job {first}")), "{hidden}: {why}");
            // What is not visible yet is not called valid.
            let kinds = [class, DuplicateKind::Valid].map(|kind| why.contains(&format!("{}: ", kind.name())));
            assert_eq!(kinds, [true, hidden == "hidden"], "{hidden}: {why}");
        }
    }
}

#[tokio::test]
async fn a_permission_ends_with_a_badge_that_came_since() {
    let mut bench = Bench::new(small()).await;
    let row =
        || RowSpec { recipient_email: "person0@naru.example".into(), minutes_ago: 90, ..RowSpec::default() };
    let insert =
        |bench: &Bench| bench.sandbox.control().rows(&Rows { insert: vec![row()], ..Rows::default() });
    insert(&bench).expect("a row");
    let (id, _) = drafted(&bench, people(0..1)).await;
    bench.jobs.allow(id, RowSelection::Class(DuplicateKind::Valid)).await.expect("allowed");
    bench.fault("post /badges status=401 times=1");
    bench.jobs.begin(id, "me").await.expect("begun");
    bench.until("stopped", id, |j| j.phase == Phase::Stopped).await;
    // Somebody else gives the person another badge.
    insert(&bench).expect("a row");
    bench.advance(30);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    bench.jobs.resume(id, "me").await.expect("nothing is left to send");
    assert_eq!((bench.row(id).await.row_status, bench.accepted()), (RowStatus::NeedsReview, 0));
    bench.jobs.resend(id, 1, "me", "two are wanted").await.expect("now it was seen");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 1);
}

#[tokio::test]
async fn a_review_that_is_old_is_not_valid_where_one_row_went_and_another_came() {
    let bench = Bench::new(small()).await;
    let row = |email: &str| RowSpec { recipient_email: email.into(), minutes_ago: 90, ..RowSpec::default() };
    let insert =
        |rows| bench.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("rows");
    let held = insert(vec![row("person1@naru.example")]);
    let (id, _) = drafted(&bench, people(0..2)).await;
    let ready = |rows: Vec<JobRow>| -> Vec<u64> {
        rows.into_iter().filter(|r| r.row_status == RowStatus::Ready).map(|r| r.no).collect()
    };
    assert_eq!(ready(bench.rows(id).await), [1]);
    // The badge of one is taken out, and the other gets one: as many are ready as before.
    bench
        .sandbox
        .control()
        .rows(&Rows { delete: held, insert: vec![row("person0@naru.example")], ..Rows::default() })
        .expect("changed");
    bench.advance(16);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    let refused = bench.jobs.begin(id, "me").await.expect_err("another row than the one that was reviewed");
    assert!(refused.to_string().contains(msg_part("has changed since the review")), "{refused}");
    assert_eq!((ready(bench.rows(id).await), bench.accepted()), (vec![2], 0));
}

/// A service that answers 422 after it has accepted a part, and requests of two.
async fn partial() -> Bench {
    // It would find what was accepted by itself.
    let schedule = Schedule { doubt: vec![10_000], ..Schedule::default() };
    let settings = JobConfig { batch: 2, in_flight: 1, schedule, ..JobConfig::default() };
    let switches = vec![("over-quota".into(), "partial-422".into())];
    Bench::set(Options { switches, ..small() }, |connection| connection, settings).await
}

#[tokio::test]
async fn a_retry_sends_nothing_of_another_request_that_was_refused_and_may_have_worked() {
    let mut bench = partial().await;
    bench.fault("post /badges/batch status=400 times=1");
    let id = begin(&bench, people(0..4)).await;
    bench.until("refused", id, |j| rests(j) && j.counts.of(RowStatus::Refused) == 2).await;
    bench.sandbox.control().set_quota(Some(1));
    bench.jobs.resume(id, "me").await.expect("resumed");
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    assert_eq!(bench.accepted(), 1, "of a request that was refused");
    bench.sandbox.control().set_quota(None);
    bench.advance(10);
    assert_eq!(bench.jobs.retry_refused(id, "me").await.expect("retried"), 2);
    bench.until("accepted", id, |j| rests(j) && j.counts.of(RowStatus::Refused) == 0).await;
    bench.jobs.sent(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((bench.accepted(), most(&bench)), (3, 1), "{:?}", job.counts);
    assert_eq!((job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::InDoubt)), (3, 1));
}

#[tokio::test]
async fn a_refusal_that_comes_after_the_rest_was_called_off_is_looked_into() {
    let mut bench = partial().await;
    bench.sandbox.control().set_quota(Some(1));
    bench.fault("post /badges/batch commit hold");
    let first = begin(&bench, people(0..2)).await;
    bench.until("on its way", first, |j| j.in_flight == 1).await;
    bench.jobs.cancel(first, "me").await.expect("cancelled");
    bench.sandbox.control().clear_faults();
    bench.until("answered", first, |j| j.in_flight == 0).await;
    bench.poll(first).await;
    let counts = bench.jobs.job(first).await.expect("a job").counts;
    assert_eq!((counts.of(RowStatus::Waiting), counts.of(RowStatus::InDoubt)), (1, 1), "{counts:?}");
    bench.sandbox.control().set_quota(None);
    let (second, checked) = drafted(&bench, people(0..2)).await;
    assert_eq!(checked.classes.iter().map(|(_, n)| n).sum::<u64>(), 2, "{checked:?}");
    bench.jobs.begin(second, "me").await.expect_err("nothing to send");
    assert_eq!((bench.accepted(), most(&bench)), (1, 1));
}

#[tokio::test]
async fn a_row_that_took_over_a_refused_one_needs_review_once_a_part_of_that_request_is_found() {
    let mut bench = partial().await;
    // That the service shows waiting badges is learned from one that was accepted.
    let known = begin(&bench, people(7..8)).await;
    bench.until("accepted", known, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.poll(known).await;
    bench.sandbox.control().set_quota(Some(2));
    let first = begin(&bench, people(0..2)).await;
    bench.until("the quota", first, |j| rests(j) && j.stop.is_some()).await;
    // A reading some time after the refusal shows one of them, so only the other one becomes ready.
    bench.advance(10);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    let second = begin(&bench, people(0..2)).await;
    bench.until("the quota again", second, |j| rests(j) && j.stop.is_some()).await;
    assert_eq!(bench.jobs.job(second).await.expect("a job").counts.of(RowStatus::Ready), 1);
    let _ = bench.jobs.retry_refused(first, "me").await;
    let doubts = bench.jobs.job(first).await.expect("a job").counts.of(RowStatus::InDoubt);
    assert_eq!(doubts, 1, "a part of its request was accepted");
    bench.sandbox.control().set_quota(None);
    bench.advance(10);
    let resumed = bench.jobs.resume(second, "me").await;
    bench.until("held", second, |j| rests(j) && j.held >= 1).await;
    assert_eq!((bench.accepted(), most(&bench)), (2, 1), "{resumed:?}");
}

#[tokio::test]
async fn a_reading_from_before_a_refusal_does_not_prove_it() {
    let mut bench = partial().await;
    // That the service shows waiting badges is learned from one that was accepted.
    let known = begin(&bench, people(7..8)).await;
    bench.until("accepted", known, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.poll(known).await;
    let (second, checked) = drafted(&bench, people(0..2)).await;
    assert!(checked.classes.is_empty(), "{checked:?}");
    bench.sandbox.control().set_quota(Some(2));
    let first = begin(&bench, people(0..2)).await;
    bench.until("the quota", first, |j| rests(j) && j.stop.is_some()).await;
    bench.sandbox.control().set_quota(None);
    bench.jobs.begin(second, "me").await.expect("begun");
    bench.until("held", second, |j| rests(j) && j.held == 2).await;
    assert_eq!((bench.accepted(), most(&bench)), (2, 1));
}

#[tokio::test]
async fn a_row_that_is_corrected_to_another_person_is_judged_by_that_person() {
    let mut bench =
        Bench::new(Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() }).await;
    let first = begin(&bench, people(0..1)).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    let nobody = PlannedRecipient { name: "사람 3".into(), email: String::new() };
    let (second, _) = drafted(&bench, vec![people(1..2).remove(0), nobody]).await;
    bench.jobs.correct(second, 1, "김하나", "person0@naru.example", &[]).await.expect("corrected");
    bench.jobs.correct(second, 2, "김세나", "person3@naru.example", &[]).await.expect("corrected");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    let cancel = tokio_util::sync::CancellationToken::new();
    let checked = bench.jobs.check_duplicates(second, &progress, cancel).await.expect("a duplicate check");
    assert_eq!(checked.classes, vec![(DuplicateKind::Sent, 1)]);
    bench.jobs.begin(second, "me").await.expect("begun");
    bench.until("accepted", second, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!((bench.accepted(), most(&bench)), (2, 1));
    // Nobody has served the person of before.
    let (third, checked) = drafted(&bench, people(1..4)).await;
    assert_eq!(checked.classes, vec![(DuplicateKind::Sent, 1)]);
    bench.jobs.begin(third, "me").await.expect("begun");
    bench.until("accepted", third, |j| j.counts.of(RowStatus::Waiting) == 2).await;
    assert_eq!((bench.accepted(), most(&bench)), (4, 1));
}

#[tokio::test]
async fn one_address_with_two_names_hides_nothing_that_another_job_has_sent() {
    let shared = || {
        let mut all = people(0..2);
        all.insert(1, PlannedRecipient { name: "형제".into(), email: "PERSON0@naru.example".into() });
        all
    };
    for hidden in ["visible", "hidden"] {
        let mut settings = JobConfig::default();
        settings.policies.set(DuplicateKind::SharedAddress, Policy::Allow);
        let switches = vec![("waiting-history".into(), hidden.into())];
        let mut bench = Bench::set(Options { switches, ..small() }, |connection| connection, settings).await;
        let first = begin(&bench, shared()).await;
        bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 3).await;

        let (second, checked) = drafted(&bench, shared()).await;
        let class = if hidden == "hidden" { DuplicateKind::Sent } else { DuplicateKind::Waiting };
        assert_eq!(checked.classes, vec![(class, 3)]);
        let rows = bench.rows(second).await;
        assert!(rows.iter().all(|row| row.row_status == RowStatus::Skipped), "{rows:?}");
        let why = rows[1].why.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(
            why.contains(&msg_with("row {row} has the same e-mail address", &[&1])),
            "both reasons are said: {why}"
        );
        // Allowed together: those of one reason. By name: any.
        assert_eq!(bench.jobs.allow(second, RowSelection::Class(class)).await.expect("allowed"), 2);
        bench.jobs.begin(second, "me").await.expect("begun");
        bench.until("accepted", second, |j| j.counts.of(RowStatus::Waiting) == 2).await;
        bench.jobs.sent(second).await;
        assert_eq!((bench.accepted(), most(&bench)), (5, 2), "{hidden}: one spelling of the address, twice");
    }
}

#[tokio::test]
async fn of_two_reasons_the_stricter_policy_counts() {
    let mut settings = JobConfig::default();
    settings.policies.set(DuplicateKind::Valid, Policy::Allow);
    let bench = Bench::set(small(), |connection| connection, settings).await;
    let held =
        RowSpec { recipient_email: "person0@naru.example".into(), minutes_ago: 90, ..RowSpec::default() };
    bench.sandbox.control().rows(&Rows { insert: vec![held], ..Rows::default() }).expect("a row");
    let (id, _) = drafted(&bench, [people(0..1), people(0..1)].concat()).await;
    let row_statuses: Vec<RowStatus> = bench.rows(id).await.into_iter().map(|row| row.row_status).collect();
    assert_eq!(
        row_statuses,
        [RowStatus::Ready, RowStatus::Skipped],
        "a setting allows one more, and not two"
    );
}

#[tokio::test]
async fn a_row_that_was_not_accepted_is_looked_up_before_it_is_sent_again() {
    let switches = vec![("over-quota".into(), "partial-202".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.sandbox.control().set_quota(Some(2));
    let id = begin(&bench, people(0..4)).await;
    bench.until("not accepted", id, |j| j.counts.of(RowStatus::NotAccepted) == 2).await;
    bench.sandbox.control().set_quota(None);
    // Another computer issues to one of them.
    let row = RowSpec { recipient_email: "person3@naru.example".into(), ..RowSpec::default() };
    bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("a row");
    bench.advance(16);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    let refused = bench.jobs.resend(id, 4, "me", "hurry").await.expect_err("somebody has to see that");
    assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
    let row = bench.rows(id).await.remove(3);
    assert_eq!(
        (row.row_status, row.class, bench.accepted()),
        (RowStatus::NeedsReview, Some(DuplicateKind::Valid), 2)
    );
    bench.jobs.resend(id, 3, "me", "nobody has served this one").await.expect("sent");
    let there = |n| move |j: &Job| j.counts.of(RowStatus::Waiting) + j.counts.of(RowStatus::Issued) == n;
    bench.until("accepted", id, there(3)).await;
    bench.jobs.resend(id, 4, "me", "two are wanted").await.expect("now it was seen");
    bench.until("accepted", id, there(4)).await;
    assert_eq!((bench.accepted(), most(&bench)), (4, 1));
}

#[tokio::test]
async fn a_row_that_was_sent_and_is_to_be_decided_is_looked_up_before_it_is_sent_again() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges drop times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    let row = || RowSpec { recipient_email: "gildong@naru.example".into(), ..RowSpec::default() };
    let insert = |n| bench.sandbox.control().rows(&Rows { insert: vec![row(); n], ..Rows::default() });
    insert(2).expect("rows");
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::NeedsReview);
    bench.advance(16);
    insert(1).expect("a row");
    let refused = bench.jobs.resend(id, 1, "me", "none of the two").await.expect_err("there is a third");
    assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
    assert_eq!((bench.row(id).await.row_status, bench.accepted()), (RowStatus::NeedsReview, 0));
    bench.jobs.resend(id, 1, "me", "one more is wanted").await.expect("now it was seen");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 1);
}

#[tokio::test]
async fn nothing_of_a_job_is_sent_whose_names_were_removed() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch status=400 times=1");
    let id = begin(&bench, people(0..4)).await;
    bench.until("refused", id, |j| rests(j) && j.counts.of(RowStatus::Refused) == 4).await;
    bench.sandbox.control().clear_faults();
    let before = bench.posts("/badges") + bench.posts("/badges/batch");
    let purged = async {
        // Only what was planned in an earlier millisecond is old enough.
        while bench.jobs.purge(0).await.expect("purged").is_empty() {}
    };
    tokio::time::timeout(BOUND, purged).await.expect("in time");
    let job = bench.jobs.job(id).await.expect("a job");
    assert!(job.is_purged && job.left_to_retry() == 0);
    for refused in [
        bench.jobs.retry_refused(id, "me").await.map(drop),
        bench.jobs.resume(id, "me").await,
        bench.jobs.use_up_quota(id, "me").await.map(drop),
        bench.jobs.resend(id, 1, "me", "again").await,
        bench.jobs.never_seen(id, None).await.map(drop),
    ] {
        let refused = refused.expect_err("there are no addresses");
        assert!(refused.to_string().contains("removed"), "{refused}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("redo.csv");
    bench
        .jobs
        .redo(id, None, to.clone(), lapel::jobs::receipt::TableFormat::Xlsx, false, CancellationToken::new())
        .await
        .expect_err("nothing to write");
    assert!(!to.exists());
    assert_eq!(bench.posts("/badges") + bench.posts("/badges/batch"), before);
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.of(RowStatus::Refused), 4);
}
