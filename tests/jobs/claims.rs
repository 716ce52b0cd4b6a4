//! One person, two jobs, by every way of sending.

use super::*;
use lapel::jobs::{Class, Guarding, JobError, Rows as Which};

async fn drafted(bench: &Bench, people: Vec<Person>) -> (JobId, lapel::jobs::Guarded) {
    let id = bench.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(Guarding::default());
    let cancel = tokio_util::sync::CancellationToken::new();
    (id, bench.jobs.guard(id, &progress, cancel).await.expect("a guard"))
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
    bench.look(first).await;
    assert_eq!(bench.row(first).await.bucket, Bucket::NotSeen);
    let gildong = vec![Person { name: "홍길동".into(), email: "GILDONG@naru.example".into() }];
    let (second, guarded) = drafted(&bench, gildong).await;
    assert_eq!(guarded.classes, vec![(Class::Sent, 1)], "it may exist");
    bench.jobs.allow(second, Which::Class(Class::Sent)).await.expect("allowed");
    bench.jobs.begin(second, "me").await.expect("begun");
    bench.until("accepted", second, |j| j.counts.of(Bucket::Waiting) == 1).await;

    let refused = bench.jobs.resend(first, 1, "me", "hurry").await.expect_err("somebody has to see that");
    assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
    let row = bench.row(first).await;
    assert_eq!((row.bucket, row.was_sent, bench.accepted()), (Bucket::Ask, true, 1));
    assert!(row.why.is_some_and(|why| why.to_string().contains(&format!("job {second}"))));
    // It may exist, so it is not called off, and a file of the rows to do again has no such row.
    assert_eq!(bench.jobs.job(first).await.expect("a job").held, 0);
    bench.jobs.resend(first, 1, "me", "two are wanted").await.expect("now it was seen");
    bench.until("accepted", first, |j| j.counts.of(Bucket::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 2);
}

#[tokio::test]
async fn a_badge_that_was_revoked_makes_room_for_the_next_and_a_correction_for_itself() {
    let mut bench = Bench::new(small()).await;
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", first, |j| j.counts.of(Bucket::Waiting) == 1).await;
    bench.advance(25 * 60);
    bench.look(first).await;
    // A corrected badge takes the place of this one: nobody has to allow it.
    let badge = bench.row(first).await.badge_id.expect("a badge");
    let old = Victim {
        badge_id: badge.clone(),
        holder: "홍길동".into(),
        email: "gildong@naru.example".into(),
        title: TITLE.into(),
        state: State::Issued,
    };
    let corrected = plan(Some(vec![badge]));
    let (issue, revoke) = bench.jobs.replace(corrected, old, "성명 정정", "me").await.expect("planned");
    bench.until("accepted", issue, |j| j.counts.of(Bucket::Waiting) == 1).await;
    bench.advance(25 * 60);
    bench.look(issue).await;
    bench.look(revoke).await;
    bench.until("revoking", revoke, |j| j.counts.of(Bucket::Revoking) == 1).await;
    // Undone, and issued again after that: the review says that it was revoked, and not that it was sent.
    let undo = bench.jobs.undo(issue, "착오 발급").await.expect("a draft");
    bench.jobs.begin(undo, "me").await.expect("begun");
    bench.until("revoking", undo, |j| j.counts.of(Bucket::Revoking) == 1).await;
    bench.advance(25 * 60);
    bench.look(undo).await;
    bench.look(revoke).await;
    let gildong = vec![Person { name: "홍길동".into(), email: "gildong@naru.example".into() }];
    let (again, guarded) = drafted(&bench, gildong).await;
    assert_eq!(guarded.classes, vec![(Class::Revoked, 1)]);
    bench.jobs.allow(again, Which::Class(Class::Revoked)).await.expect("allowed");
    bench.jobs.begin(again, "me").await.expect("begun");
    bench.until("accepted", again, |j| j.counts.of(Bucket::Waiting) == 1).await;
    assert_eq!(bench.accepted(), 3);
}

#[tokio::test]
async fn an_approval_holds_for_what_was_shown_and_not_for_what_came_since() {
    let mut bench =
        Bench::new(Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() }).await;
    let first = begin(&bench, people(0..3)).await;
    bench.until("accepted", first, |j| j.counts.of(Bucket::Waiting) == 3).await;
    // Two people review the same file, and both allow what was sent once.
    let (one, _) = drafted(&bench, people(0..3)).await;
    let (two, _) = drafted(&bench, people(0..3)).await;
    for id in [one, two] {
        bench.jobs.allow(id, Which::Class(Class::Sent)).await.expect("allowed");
    }
    bench.jobs.begin(one, "me").await.expect("begun");
    bench.until("accepted", one, |j| j.counts.of(Bucket::Waiting) == 3).await;
    bench.jobs.begin(two, "me").await.expect("begun");
    let job = bench.until("held", two, |j| j.held == 3).await;
    assert!(job.note.is_some());
    assert_eq!((bench.accepted(), most(&bench)), (6, 2), "two each, as one of them has allowed");
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
        rows.into_iter().filter(|r| r.bucket == Bucket::Ready).map(|r| r.no).collect()
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
    assert!(refused.to_string().contains("have changed"), "{refused}");
    assert_eq!((ready(bench.rows(id).await), bench.accepted()), (vec![2], 0));
}
