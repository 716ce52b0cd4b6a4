//! One decision of a person about several rows: all of them, or nothing.

use super::*;

/// Four never seen rows: their answer was lost, and nothing was accepted.
async fn never_seen() -> (Bench, JobId) {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.fault("post /badges/batch drop times=1");
    let id = begin(&bench, people(0..4)).await;
    bench.until("in doubt", id, |job| rests(job) && job.counts.of(RowStatus::InDoubt) == 4).await;
    bench.advance(27 * 60);
    bench.poll(id).await;
    bench.until("never seen", id, |job| job.counts.of(RowStatus::NeverSeen) == 4).await;
    (bench, id)
}

#[tokio::test]
async fn some_of_the_never_seen_rows_are_sent_again_and_no_others() {
    let (mut bench, id) = never_seen().await;
    let some = Some(vec![2, 4]);
    let found = bench.jobs.never_seen(id, some).await.expect("looked for");
    assert_eq!((found.ready.as_slice(), found.held), ([2, 4].as_slice(), 0));
    // A row that was reviewed is decided otherwise, so that another number of rows would be sent, or others.
    bench.jobs.leave_rows(id, vec![3], "me", "on paper").await.expect("left");
    let other = bench.jobs.resend_never_seen(id, vec![2, 3], "me", "these").await;
    assert!(other.is_err() && bench.accepted() == 0, "other rows than the reviewed ones send nothing");
    bench.jobs.resend_never_seen(id, found.ready.clone(), "me", "asked them").await.expect("sent");
    bench.until("accepted", id, |job| rests(job) && job.counts.of(RowStatus::NeverSeen) == 1).await;
    let ledger = bench.sandbox.control().ledger();
    let sent: Vec<String> = ledger.accepted.iter().map(|one| one.recipient_email.clone()).collect();
    assert_eq!(sent, ["person1@naru.example", "person3@naru.example"]);
    // What was sent is not never seen any more, so the same decision does not send it twice.
    assert!(bench.jobs.resend_never_seen(id, found.ready, "me", "once more").await.is_err());
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (2, 2));
}

#[tokio::test]
async fn rows_are_left_as_they_are_together_or_not_at_all() {
    let (mut bench, id) = never_seen().await;
    bench.jobs.leave_rows(id, vec![1, 2], "me", "they got it on paper").await.expect("left");
    bench.until("two are left", id, |job| job.counts.of(RowStatus::Skipped) == 2).await;
    // The second row has nothing to resolve any more.
    let refused = bench.jobs.leave_rows(id, vec![2, 3], "me", "these, too").await;
    assert!(refused.is_err());
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::Skipped), job.counts.of(RowStatus::NeverSeen)), (2, 2));
    assert_eq!(bench.accepted(), 0);
}

#[tokio::test]
async fn rows_are_cancelled_together_while_nothing_is_sent_and_never_one_that_was_sent() {
    let mut bench = Bench::new(Options { quota: Some(2), ..small() }).await;
    let id = begin(&bench, people(0..2)).await;
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 2).await;
    assert!(bench.jobs.cancel_rows(id, vec![1], "me").await.is_err(), "it was sent");
    let id = begin(&bench, people(2..5)).await;
    let job = bench.until("the quota", id, |job| rests(job) && job.stop.is_some()).await;
    assert_eq!(job.counts.of(RowStatus::Ready), 3);
    bench.advance(10);
    assert!(bench.jobs.cancel_rows(id, vec![3, 4], "me").await.is_err(), "there is no fourth row");
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.of(RowStatus::Ready), 3);
    assert_eq!(bench.jobs.cancel_rows(id, vec![1, 3], "me").await.expect("cancelled"), 2);
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.phase, job.counts.of(RowStatus::Ready)), (Phase::Stopped, 1));
    assert_eq!(bench.jobs.cancel_rows(id, vec![2], "me").await.expect("cancelled"), 1);
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.phase, job.counts.of(RowStatus::Skipped)), (Phase::Cancelled, 3));
    bench.sandbox.control().set_quota(None);
    assert!(bench.jobs.resume(id, "me").await.is_err(), "a cancelled job does not resume");
    assert_eq!(bench.accepted(), 2);
}

#[tokio::test]
async fn a_sent_row_is_not_cancelled_with_an_unsent_one() {
    let settings = JobConfig { absence_after: jiff::SignedDuration::ZERO, ..JobConfig::default() };
    let mut bench =
        Bench::set(Options { quota: Some(2), ..small() }, |connection| connection, settings).await;
    // The last row has the address of another one, so it goes in a request of its own.
    let mut all = people(0..2);
    all.push(PlannedRecipient { name: "형제".into(), email: "person0@naru.example".into() });
    let id = bench.jobs.draft_people(template(), all).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    bench.jobs.allow(id, lapel::jobs::RowSelection::Asked).await.expect("allowed");
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("the quota", id, |job| rests(job) && job.stop.is_some()).await;
    let rows = bench.rows(id).await;
    let of =
        |status| rows.iter().filter(|row| row.row_status == status).map(|row| row.no).collect::<Vec<_>>();
    let (sent, unsent) = (of(RowStatus::Waiting), of(RowStatus::Ready));
    assert!(!sent.is_empty() && !unsent.is_empty(), "{rows:?}");
    let before = bench.jobs.job(id).await.expect("a job");
    for wrong in [vec![sent[0], unsent[0]], vec![sent[0]], Vec::new()] {
        assert!(bench.jobs.cancel_rows(id, wrong.clone(), "me").await.is_err(), "{wrong:?}");
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, &job.counts), (before.phase, &before.counts), "{wrong:?}");
    }
    bench.jobs.cancel_rows(id, unsent, "me").await.expect("cancelled");
    assert_eq!(bench.accepted(), sent.len() as u64);
}
