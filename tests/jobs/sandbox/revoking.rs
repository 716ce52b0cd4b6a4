//! Revoking: what was left out without a word is named, and nothing is revoked in vain.

use super::*;
use crate::texts::msg_with;

#[tokio::test]
async fn many_dropped_badges_are_named_with_few_requests() {
    let mut bench = Bench::new(small()).await;
    let targets = targets(&bench, 250);
    // Meanwhile 30 of them have been revoked, and 5 more are being revoked by someone else.
    let earlier = RevokePlan::new(targets[..30].to_vec(), "earlier", false);
    let earlier = bench.jobs.revoke(earlier, "me").await.expect("can send");
    bench.until("the earlier ones", earlier, |j| j.counts.of(RowStatus::Revoking) == 30).await;
    bench.advance(120);
    let before = bench.requests();
    let id = bench.jobs.revoke(RevokePlan::new(targets, "중복 발급", false), "me").await.expect("can send");
    let job = bench.until("named", id, |j| rests(j) && j.counts.of(RowStatus::Revoked) == 30).await;
    assert_eq!(job.counts.total(), 250);
    assert_eq!(job.counts.of(RowStatus::Revoking), 220, "{:?}", job.counts);
    let took = bench.requests() - before;
    assert!(took <= 1 + 4, "1 revoke and the pages of 250 badges: {took}");
}

#[tokio::test]
async fn badges_that_were_left_out_without_a_word_are_named() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 4);
    // They wait: the service drops them, against the plan.
    let row = RowSpec { state: Waiting, ..RowSpec::default() };
    let waiting =
        bench.sandbox.control().rows(&Rows { insert: vec![row; 2], ..Rows::default() }).expect("inserted");
    let stale = waiting
        .into_iter()
        .filter_map(BadgeId::new)
        .map(|badge_id| RevokeTarget { badge_id, ..all[0].clone() });
    let plan = RevokePlan::new(all.iter().cloned().chain(stale).collect(), "중복 발급", false);
    let id = bench.jobs.revoke(plan, "me").await.expect("can send");
    let absent = |job: &Job| job.counts.of(RowStatus::BeingChecked) + job.counts.of(RowStatus::NotAccepted);
    bench.until("looked", id, |job| absent(job) == 2).await;
    bench.advance(1);
    bench.poll(id).await;
    bench.advance(1);
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::NotAccepted), 2, "{:?}", job.counts);
    assert_eq!(job.counts.of(RowStatus::Revoking) + job.counts.of(RowStatus::Revoked), 4);
    assert_eq!(bench.posts("/badges/revoke"), 1);
}

#[tokio::test]
async fn more_than_one_request_is_sent_for_more_than_a_thousand() {
    let mut bench = Bench::new(small()).await;
    let mut all = targets(&bench, 1001);
    all.push(all[0].clone());
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    let job = bench.until("sent", id, |j| j.counts.of(RowStatus::Revoking) == 1001).await;
    assert_eq!(job.counts.total(), 1001, "each counts once");
    assert_eq!(bench.posts("/badges/revoke"), 2);
    assert_eq!(bench.sandbox.control().ledger().revokes_accepted(), 1001);
}

#[tokio::test]
async fn a_lost_answer_to_a_revocation_is_resolved_by_reading() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 3);
    bench.fault("post /badges/revoke commit-drop");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    bench.until("seen", id, |j| j.counts.of(RowStatus::Revoking) == 3).await;
    assert_eq!(bench.posts("/badges/revoke"), 1);
}

#[tokio::test]
async fn a_revocation_that_never_arrived_is_sent_again_by_itself() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 3);
    bench.fault("post /badges/revoke drop times=1");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    bench.until("a doubt", id, |j| j.counts.of(RowStatus::InDoubt) == 3).await;
    for minutes in [0, 11] {
        bench.advance(minutes);
        bench.poll(id).await;
    }
    bench.until("sent again", id, |j| j.counts.of(RowStatus::Revoking) == 3).await;
    assert_eq!(bench.posts("/badges/revoke"), 2);
}

#[tokio::test]
async fn what_waits_is_revoked_when_it_is_issued() {
    let mut bench = Bench::new(small()).await;
    let id = begin(&bench, people(0..30)).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 30).await;
    let undo = bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
    let job = bench.jobs.job(undo).await.expect("a job");
    assert_eq!((job.phase, job.counts.of(RowStatus::ToRevoke)), (Phase::Draft, 30));
    bench.jobs.begin(undo, "me").await.expect("begun");
    bench.poll(undo).await;
    assert_eq!(bench.posts("/badges/revoke"), 0, "they would be dropped without a word");
    bench.advance(25 * 60);
    bench.jobs.poll_now(None).await;
    bench.until("revoked", undo, |j| j.counts.of(RowStatus::Revoking) == 30).await;
    assert_eq!(bench.posts("/badges/revoke"), 1);
    assert_eq!(bench.sandbox.control().ledger().revokes_dropped(), 0);
}

/// Otherwise the list would say "issued" of the badges that it says are being revoked.
#[tokio::test]
async fn an_undone_job_is_revoking_before_the_service_shows_it() {
    for polls_undo in [true, false] {
        let mut bench = Bench::new(small()).await;
        let id = begin(&bench, people(0..4)).await;
        bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 4).await;
        bench.advance(25 * 60);
        bench.poll(id).await;
        let undo = bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
        bench.fault("get /** status=500");
        bench.jobs.begin(undo, "me").await.expect("begun");
        bench.until("accepted", undo, |j| j.counts.of(RowStatus::Revoking) == 4).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(
            (job.counts.of(RowStatus::Revoking), job.state_name()),
            (4, "checking"),
            "{:?}",
            job.counts
        );
        bench.sandbox.control().clear_faults();
        bench.advance(60);
        // Each of the two jobs may be another process's.
        bench.poll(if polls_undo { undo } else { id }).await;
        let job = bench.until("revoked", id, |j| j.counts.of(RowStatus::Revoked) == 4).await;
        assert_eq!(job.state_name(), "undone");
    }
}

/// A count that lies is believed until the service has shown the badges without a revocation for a day.
#[tokio::test]
async fn a_dropped_revocation_leaves_the_rows_of_the_issue_job() {
    for lies in [false, true] {
        let mut bench = Bench::new(small()).await;
        let like = targets(&bench, 1).remove(0);
        let id = begin(&bench, people(0..2)).await;
        bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 2).await;
        if lies {
            bench.fault("post /badges/revoke accepted=2");
        }
        // They wait: the service drops them, against the plan.
        let badges = bench.rows(id).await.into_iter().filter_map(|row| row.badge_id);
        let waiting = badges.map(|badge_id| RevokeTarget { badge_id, ..like.clone() }).collect();
        let plan = RevokePlan::new(waiting, "중복 발급", false);
        let revoke = bench.jobs.revoke(plan, "me").await.expect("can send");
        bench.until("answered", revoke, |j| rests(j) && j.counts.of(RowStatus::Ready) == 0).await;
        bench.poll(revoke).await;
        let (job, other) = (bench.jobs.job(id).await, bench.jobs.job(revoke).await);
        let (job, other) = (job.expect("a job"), other.expect("a job"));
        let (mine, revoking) = if lies { (RowStatus::Revoking, 2) } else { (RowStatus::Waiting, 0) };
        assert_eq!((job.counts.of(mine), other.counts.of(RowStatus::Revoking)), (2, revoking), "{job:?}");
        bench.advance(27 * 60);
        bench.poll(id).await;
        if lies {
            bench.poll(revoke).await;
        }
        let (job, other) = (bench.jobs.job(id).await, bench.jobs.job(revoke).await);
        let (job, other) = (job.expect("a job"), other.expect("a job"));
        assert_eq!(job.counts.of(RowStatus::Issued), 2, "{lies}: {:?}", job.counts);
        assert_eq!(
            (other.counts.of(RowStatus::NotAccepted), other.is_open()),
            (2, false),
            "{lies}: {other:?}"
        );
        assert_eq!(bench.sandbox.control().ledger().revokes_accepted(), 0);
    }
}

#[tokio::test]
async fn rows_of_an_undo_do_not_wait_for_badges_that_will_not_come() {
    for is_refused in [false, true] {
        let mut bench = Bench::new(small()).await;
        let fault = if is_refused { "status=400 hold" } else { "drop" };
        bench.fault(&format!("post /badges/batch {fault} times=1"));
        let id = begin(&bench, people(0..2)).await;
        let sent = if is_refused { RowStatus::Sending } else { RowStatus::InDoubt };
        bench.until("sent", id, |job| job.counts.of(sent) == 2).await;
        let undo = bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
        bench.jobs.begin(undo, "me").await.expect("begun");
        bench.poll(undo).await;
        assert_eq!(
            bench.jobs.job(undo).await.expect("a job").counts.of(RowStatus::ToRevoke),
            2,
            "it may come"
        );
        bench.sandbox.control().clear_faults();
        if is_refused {
            bench.until("refused", id, |job| job.counts.of(RowStatus::Refused) == 2).await;
        } else {
            bench.advance(27 * 60);
            bench.poll(id).await;
            bench.jobs.leave_rows(id, vec![1, 2], "me", "they do not have it").await.expect("left");
        }
        bench.poll(undo).await;
        let job = bench.jobs.job(undo).await.expect("a job");
        assert_eq!((job.counts.of(RowStatus::Skipped), job.is_open()), (2, false), "{is_refused}: {job:?}");
        assert!(bench.row(undo).await.why.is_some_and(|why| why.is(Code::NoBadge)));
        assert_eq!(bench.accepted(), 0);
    }
}

#[tokio::test]
async fn a_corrected_badge_comes_before_the_old_one_goes() {
    let mut bench = Bench::new(small()).await;
    let old = targets(&bench, 1).remove(0);
    let (before, corrected) = (old.holder.clone(), plan(Some(Vec::new())));
    let after = corrected.recipient_name.clone();
    let (issue, revoke) =
        bench.jobs.replace(corrected, old, "재발급: 성명 정정", "test").await.expect("planned");
    bench.until("accepted", issue, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.jobs.poll_now(None).await;
    let job = bench.jobs.job(revoke).await.expect("a job");
    let names = job.replaced.as_ref().map(|names| (names.old.wire(), names.new.wire()));
    assert_eq!(names, Some((before.wire(), after.as_str())));
    let issued = bench.jobs.job(issue).await.expect("a job");
    assert_eq!(issued.replaced, None);
    let both = job.with_issue(&issued);
    assert_eq!((both.counts.of(RowStatus::Waiting), both.counts.of(RowStatus::ToRevoke)), (1, 1));
    assert_ne!(both.kind_name(), job.kind_name(), "the list says that it is a replacement");
    assert_eq!((job.counts.of(RowStatus::ToRevoke), bench.posts("/badges/revoke")), (1, 0));
    bench.advance(25 * 60);
    bench.poll(issue).await;
    bench.poll(revoke).await;
    bench.until("revoked", revoke, |j| j.counts.of(RowStatus::Revoking) == 1).await;
    assert_eq!(bench.sandbox.control().ledger().revokes_accepted(), 1);
}

#[tokio::test]
async fn when_all_that_was_accepted_is_proven_the_rest_is_known_without_being_seen() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 2);
    let row = RowSpec { state: Waiting, ..RowSpec::default() };
    let stale =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    // The one that was left out can never be read by its id.
    bench.fault(&format!("get /badges/{} status=404", stale[0]));
    let stale =
        stale.into_iter().filter_map(BadgeId::new).map(|id| RevokeTarget { badge_id: id, ..all[0].clone() });
    let plan = RevokePlan::new(all.iter().cloned().chain(stale).collect(), "중복 발급", false);
    let id = bench.jobs.revoke(plan, "me").await.expect("can send");
    let job = bench.until("known", id, |j| j.counts.of(RowStatus::NotAccepted) == 1).await;
    assert_eq!(job.counts.of(RowStatus::Revoking), 2, "{:?}", job.counts);
    assert_eq!(job.accepted.map(|count| (count.accepted, count.sent)), Some((2, 3)));
    assert!(job.note.is_none(), "the counts of all requests say it: {:?}", job.note);
    let rows = bench.rows(id).await;
    let left = rows.iter().find(|row| row.row_status == RowStatus::NotAccepted).expect("one");
    assert!(
        left.why.as_ref().is_some_and(|why| why.is(Code::NotAmongThem)) && left.accepted.is_none(),
        "{left:?}"
    );
    assert!(
        rows.iter().filter(|row| row.row_status == RowStatus::Revoking).all(|row| row.accepted.is_some())
    );
}

#[tokio::test]
async fn a_count_that_no_read_confirms_excludes_nothing() {
    for (lie, sent) in [("accepted=0", 2), ("accepted=1", 3)] {
        let mut bench = Bench::new(small()).await;
        let all = targets(&bench, sent);
        bench.fault(&format!("post /badges/revoke {lie}"));
        // All are revoked, but only the first can be read for now.
        for target in &all[1..] {
            bench.fault(&format!("get /badges/{} status=400 times=1", target.badge_id.wire()));
        }
        if lie == "accepted=0" {
            bench.fault(&format!("get /badges/{} status=400 times=1", all[0].badge_id.wire()));
        }
        let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
        bench.until("sent", id, rests).await;
        // lapel may or may not have looked by itself.
        bench.poll(id).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::NotAccepted), 0, "{lie}: {:?}", job.counts);
        bench.poll(id).await;
        bench.until("seen", id, |j| j.counts.of(RowStatus::Revoking) == sent as u64).await;
    }
}

#[tokio::test]
async fn an_old_badge_stays_where_the_corrected_one_does_not_come() {
    for (fault, called_off) in [("status=403", true), ("status=400", false)] {
        let mut bench = Bench::new(small()).await;
        let old = targets(&bench, 1).remove(0);
        bench.fault(&format!("post /badges {fault} times=1"));
        let (issue, revoke) =
            bench.jobs.replace(plan(Some(Vec::new())), old, "재발급", "test").await.expect("planned");
        bench.until("stopped", issue, |j| rests(j) && j.stop.is_some()).await;
        if called_off {
            bench.jobs.cancel(issue, "me").await.expect("cancelled");
        }
        bench.jobs.poll_now(None).await;
        bench.advance(25 * 60);
        bench.jobs.poll_now(None).await;
        let job = bench.jobs.job(revoke).await.expect("a job");
        assert_eq!((job.counts.of(RowStatus::Skipped), bench.posts("/badges/revoke")), (1, 0), "{fault}");
        let why = bench.row(revoke).await.why;
        assert!(why.is_some_and(|why| why.is(Code::NotReplaced)), "{fault}");
        if called_off {
            continue;
        }
        // Where it is sent after all, it takes the old one's place.
        bench.jobs.retry_refused(issue, "me").await.expect("retried");
        bench.until("accepted", issue, |j| j.counts.of(RowStatus::Waiting) == 1).await;
        assert_eq!(bench.jobs.job(revoke).await.expect("a job").counts.of(RowStatus::ToRevoke), 1);
        bench.advance(25 * 60);
        bench.poll(issue).await;
        bench.poll(revoke).await;
        bench.until("revoked", revoke, |j| j.counts.of(RowStatus::Revoking) == 1).await;
        assert_eq!(bench.posts("/badges/revoke"), 1);
    }
}

#[tokio::test]
async fn an_undo_of_a_job_of_which_nothing_was_accepted_changes_only_what_is_unsent() {
    let nothing = "Job {id} has nothing to undo: no row was accepted.";
    for (rows, unsent) in [(2, 0), (6, 4)] {
        let settings = JobConfig { batch: 2, in_flight: 1, ..JobConfig::default() };
        let mut bench = Bench::set(small(), |connection| connection, settings).await;
        bench.fault("post /badges/batch status=400 times=1");
        let id = begin(&bench, people(0..rows)).await;
        let before = bench.until("refused", id, |job| rests(job) && job.stop.is_some()).await;
        assert_eq!(before.left_to_send(), unsent);
        let why = bench.jobs.undo(id, "잘못 발급", "me").await.expect_err("nothing to undo").to_string();
        let job = bench.jobs.job(id).await.expect("a job");
        let nothing = msg_with(nothing, &[&id]);
        if unsent == 0 {
            assert_eq!(why, msg_with("{why} Nothing was changed.", &[&nothing]));
            assert_eq!((job.phase, &job.stop, &job.counts), (Phase::Stopped, &before.stop, &before.counts));
        } else {
            assert_eq!(why, msg_with("{why} {n} unsent rows are cancelled.", &[&nothing, &unsent]));
            assert_eq!((job.phase, job.counts.of(RowStatus::Skipped)), (Phase::Cancelled, unsent));
        }
        assert_eq!(bench.jobs.list().await.expect("jobs").len(), 1, "and there is no draft");
    }
}

#[tokio::test]
async fn an_undone_job_is_cancelled_only_if_rows_of_it_were() {
    let mut bench = Bench::new(small()).await;
    // The duplicate check skips the third.
    let id = begin(&bench, [people(0..2), people(1..2)].concat()).await;
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 2).await;
    bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.phase, job.counts.of(RowStatus::Skipped)), (Phase::Cancelled, 1));
    assert_eq!((job.is_cancelled(), job.state_name()), (false, "checking"));

    let settings = JobConfig { batch: 2, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    bench.fault("post /badges/batch status=400 after=1 times=1");
    let id = begin(&bench, people(0..6)).await;
    bench.until("stopped", id, |job| rests(job) && job.stop.is_some()).await;
    bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.is_cancelled(), job.state_name()), (true, "cancelled, checking"));
}
