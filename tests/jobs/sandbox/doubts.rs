//! Answers that are lost or lie: a badge is issued at most once, and what is in doubt is settled by looking.

use super::*;
use crate::texts::{msg, msg_part};
use lapel::sandbox::RowState;

#[tokio::test]
async fn whatever_happens_to_the_answer_a_badge_is_issued_at_most_once() {
    for (rule, committed, rests_in, stopped) in [
        ("commit-drop", true, RowStatus::InDoubt, None),
        ("commit-reset", true, RowStatus::InDoubt, None),
        ("commit status=500", true, RowStatus::InDoubt, None),
        ("commit html=502", true, RowStatus::InDoubt, None),
        ("commit garbage", true, RowStatus::InDoubt, None),
        ("commit empty", true, RowStatus::InDoubt, None),
        ("commit empty=204", true, RowStatus::InDoubt, None),
        ("truncate=5", true, RowStatus::InDoubt, None),
        ("wrong-length=+50", true, RowStatus::InDoubt, None),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=307", true, RowStatus::InDoubt, None),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=302", true, RowStatus::InDoubt, None),
        ("drop", false, RowStatus::InDoubt, None),
        ("reset", false, RowStatus::InDoubt, None),
        ("status=500", false, RowStatus::InDoubt, None),
        ("html=503", false, RowStatus::InDoubt, None),
        ("status=400", false, RowStatus::Refused, Some(StopKind::BadRequest)),
        ("status=403", false, RowStatus::Ready, Some(StopKind::Refused)),
        ("status=404", false, RowStatus::Refused, Some(StopKind::BadRequest)),
        ("status=422", false, RowStatus::Ready, Some(StopKind::Quota)),
    ] {
        // What is found at once is settled at once: here nothing is found before the test looks.
        let switches = vec![("waiting-history".into(), "hidden".into())];
        let mut bench = Bench::new(Options { switches, ..small() }).await;
        bench.fault(&format!("post /badges {rule}"));
        let id = bench.issue(Some(Vec::new())).await;
        let job = bench.until(rule, id, rests).await;
        let rested = bench.row(id).await.row_status;
        // Where the status could be read, it is certain that the request was accepted.
        let accepted = committed && rested == RowStatus::NotVisibleYet;
        assert!(rested == rests_in || accepted, "{rule}: {job:?}");
        assert_eq!(job.stop.map(|s| s.kind), stopped, "{rule}");
        assert_eq!(bench.posts("/badges"), 1, "{rule}");
        assert_eq!(bench.accepted(), u64::from(committed), "{rule}");
        if rests_in == RowStatus::InDoubt {
            bench.advance(25 * 60);
            bench.poll(id).await;
            let row = bench.row(id).await;
            let found = if committed { RowStatus::Issued } else { RowStatus::InDoubt };
            assert_eq!((row.row_status, row.badge_id.is_some()), (found, committed), "{rule}");
            // The day and two hours are over: what is not there now will not come, and a person may decide.
            bench.advance(90);
            bench.poll(id).await;
            let over = if committed { RowStatus::Issued } else { RowStatus::NeverSeen };
            assert_eq!(bench.row(id).await.row_status, over, "{rule}");
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
    assert!(refused.to_string().contains(msg("in doubt")), "{refused}");
    bench.advance(26 * 60 + 1);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::NeverSeen);
    bench.jobs.resend(id, 1, "me", "looked in the back office").await.expect("now");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!((bench.posts("/badges"), bench.accepted()), (2, 1));
}

/// The job says so, too, and not only who asked for the check. A job without a doubt needs no history.
#[tokio::test]
async fn a_job_says_that_the_history_was_not_read_to_its_end() {
    let mut bench = Bench::new(small()).await;
    let known = begin(&bench, people(0..1)).await;
    bench.until("accepted", known, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.fault("post /badges drop times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    bench.fault("get /badges/history items=null");
    let polled = bench.jobs.poll_now(None).await;
    assert_eq!((&polled.failed, &polled.unread, polled.complete), (&None, &None, false));
    let note = async |id| bench.jobs.job(id).await.expect("a job").trouble;
    assert!(note(id).await.is_some_and(|note| note.is(Code::PartOfHistory)), "{:?}", note(id).await);
    assert_eq!(note(known).await, None);
    bench.sandbox.control().clear_faults();
    assert!(bench.jobs.poll_now(None).await.complete);
    assert_eq!(note(id).await, None);
    assert_eq!(bench.row(id).await.row_status, RowStatus::InDoubt);
}

#[tokio::test]
async fn where_waiting_badges_are_listed_two_polls_prove_an_absence() {
    let mut bench = Bench::new(small()).await;
    // That they are shown has to be seen first: by a badge that is known to wait.
    let known = begin(&bench, people(0..5)).await;
    bench.until("accepted", known, |j| j.counts.of(RowStatus::Waiting) == 5).await;
    bench.poll(known).await;
    let fact = bench.jobs.observed_behaviour().await.expect("facts");
    assert!(fact.iter().any(|f| f.name == "waiting_in_history" && f.value == "shown"), "{fact:?}");
    bench.fault("post /badges drop times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::InDoubt, "a slow server may still be at work");
    bench.advance(10);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::InDoubt, "one look may come too early");
    bench.advance(1);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::NeverSeen);
}

#[tokio::test]
async fn a_refusal_for_the_pace_is_waited_out_and_sent_again() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges status=429 retry-after=1 times=1");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
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
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::InDoubt);
    // The request was slow rather than lost: its badge turns up.
    let row = RowSpec {
        recipient_name: "홍길동".into(),
        recipient_email: "Gildong@naru.example".into(),
        state: Waiting,
        ..RowSpec::default()
    };
    let ours =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    bench.poll(id).await;
    let row = bench.row(id).await;
    assert_eq!(row.badge_id.as_ref().map(BadgeId::wire), ours.first().map(String::as_str));
    assert_eq!(row.row_status, RowStatus::Waiting);
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
    bench.poll(id).await;
    let row = bench.row(id).await;
    assert_eq!(row.row_status, RowStatus::NeedsReview);
    assert!(
        row.why.as_ref().is_some_and(|w| w.to_string().contains(msg_part("before this request"))),
        "{:?}",
        row.why
    );
    bench.jobs.resolve_row(id, 1, Decision::Skip, "me", "enough").await.expect("a decision");
    assert_eq!(bench.row(id).await.row_status, RowStatus::Skipped);
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
    bench.poll(id).await;
    let row = bench.row(id).await;
    assert_eq!((row.row_status, row.badge_id), (RowStatus::NeedsReview, None));
    // A person looked: it is the other one.
    let ours = bench.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
    assert_ne!(ours, theirs[0]);
    let this = Decision::IsThis(BadgeId::new(ours.clone()).expect("an id"));
    bench.jobs.resolve_row(id, 1, this, "me", "seen in the wallet").await.expect("a decision");
    let row = bench.row(id).await;
    assert_eq!((row.row_status, row.badge_id), (RowStatus::Waiting, BadgeId::new(ours)));
}

#[tokio::test]
async fn only_a_badge_that_the_service_shows_as_the_rows_can_be_named() {
    let hidden = ["waiting-history", "waiting-detail"].map(|switch| (switch.into(), "hidden".into()));
    let mut bench = Bench::new(Options { switches: hidden.into(), ..small() }).await;
    bench.fault("post /badges drop");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    bench.advance(27 * 60);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::NeverSeen);
    let row = |template: &str, email: &str, state| RowSpec {
        template_id: template.into(),
        recipient_email: email.into(),
        state,
        ..RowSpec::default()
    };
    let (template, _) = template();
    let insert = vec![
        row(template.wire(), "gildong@naru.example", Waiting),
        row(template.wire(), "stranger@naru.example", RowState::Issued),
        row("TPL-002", "gildong@naru.example", RowState::Issued),
        row(template.wire(), "gildong@naru.example", RowState::Issued),
    ];
    let ids = bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    let this = |id: &String| Decision::IsThis(BadgeId::new(id.clone()).expect("an id"));
    for (badge, why) in
        [(&ids[0], "does not show badge"), (&ids[1], "stranger@naru.example"), (&ids[2], "TPL-002")]
    {
        let refused = bench.jobs.resolve_row(id, 1, this(badge), "me", "a guess").await.expect_err(why);
        assert!(refused.to_string().contains(why), "{refused}");
        assert_eq!(
            (bench.row(id).await.row_status, bench.row(id).await.badge_id),
            (RowStatus::NeverSeen, None)
        );
    }
    bench.jobs.resolve_row(id, 1, this(&ids[3]), "me", "seen in the wallet").await.expect("a decision");
    assert_eq!(bench.row(id).await.badge_id.as_ref().map(BadgeId::wire), Some(ids[3].as_str()));
}

#[tokio::test]
async fn no_badge_is_claimed_by_two_jobs() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges drop times=1");
    let first = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", first, rests).await;
    let refused = bench.jobs.issue(plan(Some(Vec::new())), "test").await.expect_err("nobody was told");
    assert!(refused.to_string().contains(&format!("job {first}")), "{refused}");
    let (template, _) = template();
    let rival = bench.jobs.sent_before(&template, "Gildong@naru.example").await.expect("a journal");
    let rival = rival.expect("the first");
    assert_eq!((rival.job, rival.row_status), (first, RowStatus::InDoubt));
    let told = IssuePlan { allows: Some(rival.claim_id()), ..plan(Some(Vec::new())) };
    let second = bench.jobs.issue(told, "test").await.expect("somebody allows it");
    // The second waits until the first is settled: an answer names addresses only.
    bench.poll(first).await;
    let waiting = bench.jobs.job(second).await.expect("a job");
    assert_eq!((waiting.counts.of(RowStatus::Ready), bench.posts("/badges")), (1, 1));
    bench.advance(27 * 60);
    bench.poll(first).await;
    bench.until("sent after all", second, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.poll(first).await;
    assert_eq!(bench.row(first).await.badge_id, None, "the second's badge is not the first's");
    assert_eq!(bench.accepted(), 1);
}

#[tokio::test]
async fn without_an_earlier_read_finding_nothing_proves_nothing() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges commit-drop");
    let id = bench.issue(None).await;
    bench.until("asked about", id, |j| j.counts.of(RowStatus::NeedsReview) == 1).await;
    let row = bench.row(id).await;
    assert!(row.why.is_some_and(|w| w.is(Code::Ambiguous)));
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
        assert_eq!(job.counts.of(RowStatus::Waiting), bound_at_once, "{rule}: {:?}", job.counts);
        let looked_for = job.counts.of(RowStatus::NotVisibleYet) + job.counts.of(RowStatus::InDoubt);
        assert_eq!(looked_for, 40 - bound_at_once, "{rule}: {:?}", job.counts);
        bench.advance(25 * 60);
        bench.poll(id).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::Issued), 40, "{rule}: {:?}", job.counts);
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

fn switched(pairs: &[(&str, &str)]) -> Options {
    let switches = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Options { switches, ..small() }
}

#[tokio::test]
async fn of_a_batch_that_was_accepted_in_part_the_rest_is_in_doubt_and_then_known() {
    for waiting in ["visible", "hidden"] {
        let options = switched(&[("over-quota", "partial-202"), ("waiting-history", waiting)]);
        let mut bench = Bench::new(options).await;
        bench.sandbox.control().set_quota(Some(90));
        let draft = bench.jobs.draft_people(template(), people(0..100)).await.expect("a draft");
        let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
        let token = tokio_util::sync::CancellationToken::new();
        bench.jobs.check_duplicates(draft, &progress, token).await.expect("a duplicate check");
        bench.fault("post /badges/batch delay=1s times=1");
        bench.jobs.begin(draft, "test").await.expect("begun");
        // Nothing can be looked for at first.
        bench.fault("get /badges/history drop times=40");
        let job = bench.until("answered", draft, |j| rests(j) && j.accepted.is_some()).await;
        assert_eq!(
            (job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::InDoubt)),
            (90, 10),
            "{waiting}"
        );
        let said = job.accepted.expect("the service has said");
        assert_eq!((said.accepted, said.sent), (90, 100));
        bench.sandbox.control().clear_faults();
        bench.poll(draft).await;
        let job = bench.jobs.job(draft).await.expect("a job");
        assert_eq!(
            (job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::NotAccepted)),
            (90, 10),
            "{waiting}"
        );
        let rows = bench.rows(draft).await;
        let left = rows.iter().find(|row| row.row_status == RowStatus::NotAccepted).expect("one of them");
        assert!(left.why.as_ref().is_some_and(|why| why.is(Code::NotAmongThem)), "{left:?}");
        assert_eq!((bench.posts("/badges/batch"), bench.accepted()), (1, 90));
    }
}

#[tokio::test]
async fn of_a_refused_batch_of_which_some_is_there_the_rest_is_in_doubt_and_never_sent_by_itself() {
    let mut bench =
        Bench::new(switched(&[("over-quota", "partial-422"), ("waiting-history", "visible")])).await;
    bench.sandbox.control().set_quota(Some(90));
    let id = begin(&bench, people(0..100)).await;
    bench.until("the quota", id, |j| j.stop.is_some() && j.in_flight == 0).await;
    bench.sandbox.control().set_quota(None);
    // What is there is bound, and with it the rest is no longer certain to have been refused.
    let _ = bench.jobs.resume(id, "me").await;
    bench.jobs.sent(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::InDoubt)), (90, 10), "{job:?}");
    let rows = bench.rows(id).await;
    let left = rows.iter().find(|row| row.row_status == RowStatus::InDoubt).expect("one of them");
    assert!(left.why.as_ref().is_some_and(|why| why.is(Code::PartlyThere)), "{left:?}");
    assert_eq!((bench.posts("/badges/batch"), bench.accepted()), (1, 90));
}

#[tokio::test]
async fn what_happened_to_an_answer_is_kept_with_the_row() {
    for (rule, code, said) in [
        ("commit redirect=http://127.0.0.1:9/elsewhere status=307", Code::DoubtRedirect, "redirect"),
        ("commit status=504", Code::DoubtServer, "504"),
        ("commit-reset", Code::DoubtNoResponse, "connection"),
    ] {
        let mut bench = Bench::new(switched(&[("waiting-history", "hidden")])).await;
        bench.fault(&format!("post /badges {rule}"));
        let id = bench.issue(Some(Vec::new())).await;
        bench.until(rule, id, rests).await;
        let why = bench.row(id).await.why.expect("a reason");
        assert_eq!(why.code(), code, "{rule}: {why}");
        assert!(why.cause().contains(said), "{rule}: {}", why.cause());
    }
}

#[tokio::test]
async fn a_second_badge_of_the_same_moment_is_reported_when_the_job_is_done() {
    for (count, minutes_before, told) in [(1, 0, true), (6, 0, true), (1, 60, false)] {
        let mut bench = Bench::new(switched(&[("waiting-history", "visible")])).await;
        let id = if count == 1 {
            bench.issue(Some(Vec::new())).await
        } else {
            begin(&bench, people(0..count)).await
        };
        bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == count as u64).await;
        let twin = RowSpec {
            recipient_email: bench.row(id).await.address.wire().to_owned(),
            minutes_ago: minutes_before,
            ..RowSpec::default()
        };
        let twin = bench.sandbox.control().rows(&Rows { insert: vec![twin], ..Rows::default() });
        let twin = twin.expect("inserted").remove(0);
        bench.advance(25 * 60);
        bench.poll(id).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::Issued), count as u64, "{job:?}");
        let is_told = job.note.as_ref().is_some_and(|note| note.is(Code::SomeIssuedTwice));
        assert_eq!(is_told, told, "{count} {minutes_before}: {job:?}");
        let why = bench.row(id).await.why;
        assert_eq!(why.is_some_and(|why| why.is(Code::IssuedTwice) && why.english().contains(&twin)), told);
    }
}

#[tokio::test]
async fn what_was_sent_and_is_not_visible_is_told_from_the_journal() {
    let mut bench = Bench::new(switched(&[("waiting-history", "hidden")])).await;
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    let badge = bench.row(id).await.badge_id.expect("an id");
    let by_address = bench.jobs.sent_to("Gildong@naru.example").await.expect("read");
    let by_id = bench.jobs.sent_badge(&badge).await.expect("read");
    assert_eq!(by_address, by_id);
    assert_eq!((by_id[0].job, by_id[0].badge_id.as_ref()), (id, Some(&badge)));
    assert!(bench.jobs.sent_to("nobody@naru.example").await.expect("read").is_empty());
    bench.advance(25 * 60);
    bench.poll(id).await;
    assert!(bench.jobs.sent_to("gildong@naru.example").await.expect("read").is_empty(), "it is visible");
}

#[tokio::test]
async fn a_process_that_is_gone_does_not_send_and_its_rows_are_in_doubt_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox =
        Sandbox::start(switched(&[("waiting-history", "visible")])).await.expect("the sandbox starts");
    let connection = session(&sandbox, Environment::Demo).connection;
    let account = Account::of("demo", &connection);
    let access = connect(&connection).expect("connected");
    let journal = team::open(folder.path(), None).expect("a journal");
    let (jobs, events) =
        Jobs::start(access.clone(), journal, account.clone(), JobConfig::default()).await.expect("jobs");
    let id = jobs.issue(plan(Some(Vec::new())), "me").await.expect("planned");
    jobs.sent(id).await;
    jobs.close().await;
    drop((jobs, events));
    // As a process leaves it that is killed between its intent and the answer.
    team::change(
        folder.path(),
        "UPDATE row SET bucket = 'ready', badge = NULL, accepted = NULL;
         UPDATE row SET bucket = 'sending';
         UPDATE request SET answered = NULL, outcome = NULL;
         UPDATE job SET owner = '00000000000000aa', phase = 'running', next_look = 32503680000;",
    );
    // A process that only reads takes nothing over.
    let reading = lapel::api::Connection { read_only: true, ..connection };
    let journal = team::open(folder.path(), None).expect("a journal");
    let (watching, events) =
        Jobs::start(connect(&reading).expect("connected"), journal, account.clone(), JobConfig::default())
            .await
            .expect("jobs");
    let job = watching.list().await.expect("listed").remove(0);
    assert!(job.is_abandoned() && !job.is_sending() && job.in_flight == 0, "{job:?}");
    assert_eq!((job.counts.of(RowStatus::InDoubt), job.counts.of(RowStatus::Sending)), (1, 0));
    let filter = RowFilter { row_statuses: vec![RowStatus::InDoubt], ..RowFilter::default() };
    let row = watching.rows(id, filter, 10).await.expect("rows").remove(0);
    assert!(row.row_status == RowStatus::InDoubt && row.why.is_some_and(|why| why.is(Code::Lost)));
    watching.close().await;
    drop((watching, events));
    // A process that may send takes it over and polls at once, without waiting for the earlier time.
    let journal = team::open(folder.path(), None).expect("a journal");
    let (jobs, mut events) = Jobs::start(access, journal, account, JobConfig::default()).await.expect("jobs");
    let found = async {
        while jobs.job(id).await.expect("a job").counts.of(RowStatus::InDoubt) > 0 {
            events.recv().await.expect("it goes on");
        }
    };
    tokio::time::timeout(BOUND, found).await.expect("it is looked for at once");
    assert_eq!(sandbox.control().ledger().accepted_total(), 1);
}

#[tokio::test]
async fn of_a_batch_without_an_answer_the_rows_that_are_not_found_stay_in_doubt() {
    for rule in ["commit-drop", "truncate", "items=null"] {
        let options = switched(&[("over-quota", "partial-202"), ("waiting-history", "visible")]);
        let mut bench = Bench::new(options).await;
        bench.sandbox.control().set_quota(Some(3));
        bench.fault(&format!("post /badges/batch {rule} times=1"));
        let id = begin(&bench, people(0..6)).await;
        bench.until(rule, id, rests).await;
        bench.poll(id).await;
        let job = bench.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::NotVisibleYet), 0, "{rule}: nobody said so: {:?}", job.counts);
        assert_eq!((job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::InDoubt)), (3, 3), "{rule}");
        if rule == "commit-drop" {
            let rows = bench.rows(id).await;
            let left = rows.iter().find(|row| row.row_status == RowStatus::InDoubt).expect("one of them");
            assert!(left.why.as_ref().is_some_and(|why| why.is(Code::SomeThere)), "{left:?}");
        }
        assert_eq!((bench.posts("/badges/batch"), bench.accepted()), (1, 3), "{rule}");
    }
}

#[tokio::test]
async fn what_another_key_of_the_organisation_has_sent_is_told_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox =
        Sandbox::start(switched(&[("waiting-history", "hidden")])).await.expect("the sandbox starts");
    let connection = session(&sandbox, Environment::Demo).connection;
    let account = Account::of("demo", &connection).of_organisation(Some("나루 대학교"));
    let access = connect(&connection).expect("connected");
    let journal = team::open(folder.path(), None).expect("a journal");
    let (jobs, _events) =
        Jobs::start(access, journal, account.clone(), JobConfig::default()).await.expect("jobs");
    let id = jobs.issue(plan(Some(Vec::new())), "me").await.expect("planned");
    jobs.sent(id).await;
    let badge =
        jobs.rows(id, RowFilter::default(), 1).await.expect("rows").remove(0).badge_id.expect("an id");
    jobs.close().await;
    let journal = team::open(folder.path(), None).expect("a journal");
    let same =
        Account { key: "another key".into(), organisation: Some("나루  대학교 ".into()), ..account };
    let by_address = journal.sent_to(&same, "gildong@naru.example").await.expect("read");
    assert_eq!(by_address.first().map(|sent| sent.job), Some(id));
    assert_eq!(journal.sent_badge(&same, &badge).await.expect("read"), by_address);
    let other = Account { organisation: None, ..same };
    assert!(journal.sent_badge(&other, &badge).await.expect("read").is_empty(), "a stranger's key");
}

/// What the first pages did not show may be there when the last one arrives: the computer slept in between.
#[tokio::test]
async fn absence_counts_for_the_time_of_the_first_answer() {
    for n in [5, 250] {
        let switches = vec![("waiting-history".into(), "hidden".into())];
        let mut bench = Bench::new(Options { switches, ..small() }).await;
        bench.fault("post /badges/batch commit-drop times=1");
        let id = begin(&bench, people(0..n)).await;
        bench.until("in doubt", id, |job| rests(job) && job.counts.of(RowStatus::InDoubt) == n as u64).await;
        bench.poll(id).await;
        // The next poll reads the first two pages.
        bench.fault("get /badges/history hold after=2");
        let before = bench.requests();
        let jobs = bench.jobs.clone();
        let poll = tokio::spawn(async move { jobs.poll_now(Some(id)).await });
        let reads = async {
            while bench.requests() < before + 3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(BOUND, reads).await.expect("it reads the history");
        bench.advance(27 * 60);
        bench.sandbox.control().clear_faults();
        assert_eq!(poll.await.expect("it ends").failed, None);
        let counts = bench.jobs.job(id).await.expect("a job").counts;
        assert_eq!(counts.of(RowStatus::NeverSeen), 0, "{n}: {counts:?}");
        bench.poll(id).await;
        let counts = bench.jobs.job(id).await.expect("a job").counts;
        assert_eq!(counts.of(RowStatus::Issued), n as u64, "{n}: {counts:?}");
    }
}
