//! A row that was sent before is sent again only after a look for its badge that found nothing the person was not shown.

use super::*;
use crate::texts::msg;
use lapel::jobs::JobError;
use lapel::sandbox::RowState;

/// Three people in requests of one: nobody heard the answer to the first one, and the key was refused for the second.
/// The first row was never seen, and the others are not sent. An hour later.
async fn never_seen() -> (Bench, JobId) {
    let settings = JobConfig { batch: 1, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    bench.fault("post /badges drop times=1");
    bench.fault("post /badges status=401 after=1 times=1");
    let id = begin(&bench, people(0..3)).await;
    bench.until("stopped", id, |job| rests(job) && job.stop.is_some()).await;
    bench.advance(27 * 60);
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::NeverSeen), job.counts.of(RowStatus::Ready)), (1, 2), "{job:?}");
    bench.advance(60);
    (bench, id)
}

/// A badge of the first person that the service shows late, registered so many minutes after the request.
fn late(bench: &Bench, name: &str, minutes_after: i64) -> String {
    let row = RowSpec {
        recipient_name: name.into(),
        recipient_email: "person0@naru.example".into(),
        state: RowState::Issued,
        minutes_ago: 28 * 60 - minutes_after,
        ..RowSpec::default()
    };
    bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted").remove(0)
}

/// Refuses to send a row before a person has seen this badge, and sends it afterwards.
async fn assert_shown(bench: &mut Bench, id: JobId, no: u64, badge: &str) {
    let before = bench.accepted();
    let refused = bench.jobs.resend(id, no, "me", "hurry").await.expect_err(badge);
    assert!(matches!(refused, JobError::NeedsReview(_)), "{refused}");
    assert!(refused.to_string().contains(badge), "{refused}");
    bench.jobs.sent(id).await;
    let row = bench.rows(id).await.remove(no as usize - 1);
    assert_eq!((row.row_status, bench.accepted()), (RowStatus::NeedsReview, before), "{row:?}");
    bench.jobs.resend(id, no, "me", "this one, too").await.expect("the person knows of it");
    bench.jobs.sent(id).await;
    assert_eq!(bench.accepted(), before + 1);
}

#[tokio::test]
async fn a_badge_that_the_look_before_sending_again_finds_is_shown_first() {
    for (name, minutes_after) in [("사람 0", -10), ("형제", 5)] {
        let (mut bench, id) = never_seen().await;
        bench.jobs.cancel(id, "me").await.expect("cancelled");
        let badge = late(&bench, name, minutes_after);
        assert_shown(&mut bench, id, 1, &badge).await;
    }
    let (mut bench, id) = never_seen().await;
    bench.jobs.cancel(id, "me").await.expect("cancelled");
    let (_, second) = (late(&bench, "사람 0", 5), late(&bench, "사람 0", 7));
    assert_shown(&mut bench, id, 1, &second).await;
}

/// A check of the rows that were not sent says nothing about the others.
#[tokio::test]
async fn a_row_that_was_sent_is_looked_for_although_the_job_was_just_checked() {
    let (mut bench, id) = never_seen().await;
    let badge = late(&bench, "사람 0", 5);
    bench.jobs.resume(id, "me").await.expect("resumed");
    bench.until("sent", id, |job| job.counts.of(RowStatus::Waiting) == 2).await;
    let refused = bench.jobs.resend(id, 1, "me", "hurry").await.expect_err("its badge is there");
    assert!(refused.to_string().contains(msg("issued")), "{refused}");
    assert_eq!(bench.row(id).await.badge_id.as_ref().map(BadgeId::wire), Some(badge.as_str()));
    assert_eq!(bench.accepted(), 2);

    let (mut bench, id) = never_seen().await;
    bench.jobs.resume(id, "me").await.expect("resumed");
    bench.until("sent", id, |job| job.counts.of(RowStatus::Waiting) == 2).await;
    let badge = late(&bench, "형제", 5);
    bench.poll(id).await;
    assert!(bench.row(id).await.why.is_some_and(|why| why.is(Code::Ambiguous)));
    assert_shown(&mut bench, id, 1, &badge).await;
}

#[tokio::test]
async fn a_row_that_was_not_accepted_is_looked_for_although_the_job_was_just_checked() {
    for is_checked in [false, true] {
        let settings = JobConfig { batch: 4, in_flight: 1, ..JobConfig::default() };
        let switches = vec![("over-quota".into(), "partial-202".into())];
        let mut bench = Bench::set(Options { switches, ..small() }, |connection| connection, settings).await;
        bench.sandbox.control().set_quota(Some(3));
        bench.fault("post /badges status=401 times=1");
        let id = begin(&bench, people(0..5)).await;
        bench.until("stopped", id, |job| rests(job) && job.stop.is_some()).await;
        bench.poll(id).await;
        let left = bench.rows(id).await.into_iter().find(|row| row.row_status == RowStatus::NotAccepted);
        let left = left.expect("one was not accepted");
        bench.sandbox.control().set_quota(None);
        if is_checked {
            bench.advance(16);
        } else {
            bench.jobs.cancel(id, "me").await.expect("cancelled");
        }
        let row = RowSpec {
            recipient_name: left.holder.wire().into(),
            recipient_email: left.address.wire().into(),
            ..RowSpec::default()
        };
        let badge =
            bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
        if is_checked {
            bench.jobs.resume(id, "me").await.expect("resumed");
            bench.until("sent", id, |job| job.counts.of(RowStatus::Ready) == 0 && rests(job)).await;
        }
        assert_shown(&mut bench, id, left.no, &badge[0]).await;
    }
}
