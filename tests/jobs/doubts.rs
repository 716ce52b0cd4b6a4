//! Answers that are lost or lie: a badge is issued at most once, and what is in doubt is settled by looking.

use super::*;

#[tokio::test]
async fn whatever_happens_to_the_answer_a_badge_is_issued_at_most_once() {
    for (rule, committed, rests_in, stopped) in [
        ("commit-drop", true, Bucket::InDoubt, None),
        ("commit-reset", true, Bucket::InDoubt, None),
        ("commit status=500", true, Bucket::InDoubt, None),
        ("commit html=502", true, Bucket::InDoubt, None),
        ("commit garbage", true, Bucket::InDoubt, None),
        ("commit empty", true, Bucket::InDoubt, None),
        ("commit empty=204", true, Bucket::InDoubt, None),
        ("truncate=5", true, Bucket::InDoubt, None),
        ("wrong-length=+50", true, Bucket::InDoubt, None),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=307", true, Bucket::InDoubt, None),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=302", true, Bucket::InDoubt, None),
        ("drop", false, Bucket::InDoubt, None),
        ("reset", false, Bucket::InDoubt, None),
        ("status=500", false, Bucket::InDoubt, None),
        ("html=503", false, Bucket::InDoubt, None),
        ("status=400", false, Bucket::NotDone, Some(StopKind::BadRequest)),
        ("status=403", false, Bucket::Ready, Some(StopKind::Refused)),
        ("status=404", false, Bucket::NotDone, Some(StopKind::BadRequest)),
        ("status=422", false, Bucket::Ready, Some(StopKind::Quota)),
    ] {
        // What is found at once is settled at once: here nothing is found before the test looks.
        let switches = vec![("waiting-history".into(), "hidden".into())];
        let mut bench = Bench::new(Options { switches, ..small() }).await;
        bench.fault(&format!("post /badges {rule}"));
        let id = bench.issue(Some(Vec::new())).await;
        let job = bench.until(rule, id, rests).await;
        let rested = bench.row(id).await.bucket;
        // Where the status could be read, it is certain that the request was accepted.
        let accepted = committed && rested == Bucket::Unbound;
        assert!(rested == rests_in || accepted, "{rule}: {job:?}");
        assert_eq!(job.stop.map(|s| s.kind), stopped, "{rule}");
        assert_eq!(bench.posts("/badges"), 1, "{rule}");
        assert_eq!(bench.accepted(), u64::from(committed), "{rule}");
        if rests_in == Bucket::InDoubt {
            bench.advance(25 * 60);
            bench.look(id).await;
            let row = bench.row(id).await;
            let found = if committed { Bucket::Issued } else { Bucket::InDoubt };
            assert_eq!((row.bucket, row.badge_id.is_some()), (found, committed), "{rule}");
            // The day and two hours are over: what is not there now will not come, and a person may decide.
            bench.advance(90);
            bench.look(id).await;
            let over = if committed { Bucket::Issued } else { Bucket::NotSeen };
            assert_eq!(bench.row(id).await.bucket, over, "{rule}");
            assert_eq!(bench.posts("/badges"), 1, "never by itself: {rule}");
        }
    }
}

#[tokio::test]
async fn what_was_never_seen_is_sent_again_only_when_a_person_says_so() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges drop times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    let refused = bench.jobs.resend(id, 1, "me", "hurry").await.expect_err("it is still looked for");
    assert!(refused.to_string().contains("in doubt"), "{refused}");
    bench.advance(26 * 60 + 1);
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::NotSeen);
    bench.jobs.resend(id, 1, "me", "looked in the back office").await.expect("now");
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 1).await;
    assert_eq!((bench.posts("/badges"), bench.accepted()), (2, 1));
}

#[tokio::test]
async fn where_waiting_badges_are_shown_two_looks_settle_an_absence() {
    let mut bench = Bench::new(small()).await;
    // That they are shown has to be seen first: by a badge that is known to wait.
    let known = begin(&bench, people(0..5)).await;
    bench.until("accepted", known, |j| j.counts.of(Bucket::Waiting) == 5).await;
    bench.look(known).await;
    let fact = bench.jobs.facts().await.expect("facts");
    assert!(fact.iter().any(|f| f.name == "waiting_in_history" && f.value == "shown"), "{fact:?}");
    bench.fault("post /badges drop times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::InDoubt, "a slow server may still be at work");
    bench.advance(10);
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::InDoubt, "one look may come too early");
    bench.advance(1);
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::NotSeen);
}

#[tokio::test]
async fn a_refusal_for_the_pace_is_waited_out_and_sent_again() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges status=429 retry-after=1 times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 1).await;
    assert_eq!((bench.posts("/badges"), bench.accepted()), (2, 1));
}

#[tokio::test]
async fn what_was_there_before_is_not_taken_for_ours() {
    let mut bench = Bench::new(small()).await;
    let row = RowSpec { recipient_email: "gildong@naru.example".into(), ..RowSpec::default() };
    let before =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    let before: Vec<BadgeId> = before.into_iter().filter_map(BadgeId::new).collect();
    bench.fault("post /badges drop");
    let id = bench.issue(Some(before)).await;
    bench.until("a doubt", id, rests).await;
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::InDoubt);
    // The request was slow rather than lost: its badge turns up.
    let row = RowSpec {
        recipient_name: "홍길동".into(),
        recipient_email: "Gildong@naru.example".into(),
        state: Waiting,
        ..RowSpec::default()
    };
    let ours =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    bench.look(id).await;
    let row = bench.row(id).await;
    assert_eq!(row.badge_id.as_ref().map(BadgeId::wire), ours.first().map(String::as_str));
    assert_eq!(row.bucket, Bucket::Waiting);
}

#[tokio::test]
async fn an_older_badge_that_was_hidden_before_is_asked_about() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut bench = Bench::new(options).await;
    let row = RowSpec {
        recipient_email: "gildong@naru.example".into(),
        state: Waiting,
        minutes_ago: 60,
        ..RowSpec::default()
    };
    bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the service's clock is heard");
    bench.fault("post /badges drop");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    bench.advance(25 * 60);
    bench.look(id).await;
    let row = bench.row(id).await;
    assert_eq!(row.bucket, Bucket::Ask);
    assert!(row.why.as_ref().is_some_and(|w| w.wire().contains("before this request")), "{:?}", row.why);
    bench.jobs.decide(id, 1, Decision::LeaveOut, "me", "enough").await.expect("a decision");
    assert_eq!(bench.row(id).await.bucket, Bucket::LeftOut);
    assert_eq!((bench.accepted(), bench.posts("/badges")), (0, 1));
}

#[tokio::test]
async fn two_badges_that_nobody_knew_of_are_asked_about() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges commit-drop");
    bench.fault("get /badges/history drop times=20");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    let row = RowSpec { recipient_email: "gildong@naru.example".into(), ..RowSpec::default() };
    let theirs =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    bench.sandbox.control().clear_faults();
    bench.look(id).await;
    let row = bench.row(id).await;
    assert_eq!((row.bucket, row.badge_id), (Bucket::Ask, None));
    // A person looked: it is the other one.
    let ours = bench.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
    assert_ne!(ours, theirs[0]);
    let this = Decision::IsThis(BadgeId::new(ours.clone()).expect("an id"));
    bench.jobs.decide(id, 1, this, "me", "seen in the wallet").await.expect("a decision");
    let row = bench.row(id).await;
    assert_eq!((row.bucket, row.badge_id), (Bucket::Waiting, BadgeId::new(ours)));
}

#[tokio::test]
async fn no_badge_is_claimed_by_two_jobs() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges drop times=1");
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", first, rests).await;
    let second = bench.issue(Some(Vec::new())).await;
    // The second waits until the first is settled: an answer names addresses only.
    bench.look(first).await;
    let waiting = bench.jobs.job(second).await.expect("a job");
    assert_eq!((waiting.counts.of(Bucket::Ready), bench.posts("/badges")), (1, 1));
    bench.advance(27 * 60);
    bench.look(first).await;
    bench.until("sent after all", second, |j| j.counts.of(Bucket::Waiting) == 1).await;
    bench.look(first).await;
    assert_eq!(bench.row(first).await.badge_id, None, "the second's badge is not the first's");
    assert_eq!(bench.accepted(), 1);
}

#[tokio::test]
async fn without_a_look_before_nothing_found_proves_anything() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges commit-drop");
    let id = bench.issue(None).await;
    bench.until("asked about", id, |j| j.counts.of(Bucket::Ask) == 1).await;
    let row = bench.row(id).await;
    assert!(row.why.is_some_and(|w| w.wire().contains("cannot be told")));
}

#[tokio::test]
async fn answers_that_lie_about_their_items_bind_nothing_wrong_and_nothing_is_sent_twice() {
    for (rule, bound_at_once) in [
        ("items=reversed", 40),
        ("items=lower", 40),
        ("items=missing", 39),
        ("items=extra", 40),
        ("items=doubled", 40),
        ("items=empty", 0),
        ("items=none", 0),
        ("items=null", 0),
        ("truncate=400", 0),
        ("commit status=500", 0),
        ("commit-drop", 0),
    ] {
        let switches = vec![("waiting-history".into(), "hidden".into())];
        let mut bench = Bench::new(Options { switches, ..small() }).await;
        bench.fault(&format!("post /badges/batch {rule}"));
        let id = begin(&bench, people(0..40)).await;
        let job = bench.until(rule, id, rests).await;
        assert_eq!(job.counts.of(Bucket::Waiting), bound_at_once, "{rule}: {:?}", job.counts);
        let looked_for = job.counts.of(Bucket::Unbound) + job.counts.of(Bucket::InDoubt);
        assert_eq!(looked_for, 40 - bound_at_once, "{rule}: {:?}", job.counts);
        bench.advance(25 * 60);
        bench.look(id).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(Bucket::Issued), 40, "{rule}: {:?}", job.counts);
        let ledger = bench.sandbox.control().ledger();
        assert_eq!((ledger.accepted_total(), bench.posts("/badges/batch")), (40, 1), "{rule}");
        for row in bench.rows(id).await {
            let theirs = ledger.accepted.iter().find(|a| a.recipient_email == row.address.wire());
            let badge = row.badge_id.expect("bound");
            assert!(
                theirs.is_some_and(|a| a.badge_ids.contains(&badge.wire().to_owned())),
                "{rule}: {}",
                row.no
            );
        }
    }
}
