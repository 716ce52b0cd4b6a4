//! Behaviour of the service that lapel observes in its responses, and what lapel never guesses.

use super::*;
use crate::texts::msg_part;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn the_services_zone_is_learned_from_the_first_badge() {
    let options = Options { switches: vec![("zone".into(), "-03:30".into())], ..small() };
    let mut bench = Bench::with(options, |mut connection| {
        connection.utc_offset = None;
        connection
    })
    .await;
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the service's clock is heard");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::ThisComputer);
    bench.advance(25 * 60);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::Issued);
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::Learned);
    assert_eq!(bench.access.reader().clock().offset().seconds(), -(3 * 3600 + 1800));
    let facts = bench.jobs.observed_behaviour().await.expect("facts");
    assert!(facts.iter().any(|f| f.name == "utc_offset" && f.value == "-03:30"), "{facts:?}");
}

/// A program that is started again with the same journal.
async fn again(
    folder: &std::path::Path,
    connection: &lapel::api::Connection,
) -> (Access, Jobs, mpsc::Receiver<lapel::jobs::JobChange>) {
    let access = connect(connection).expect("connected");
    let journal = team::open(folder, None).expect("a journal");
    let account = Account::of("demo", connection);
    let (jobs, events) =
        Jobs::start(access.clone(), journal, account, JobConfig::default()).await.expect("jobs");
    (access, jobs, events)
}

#[tokio::test]
async fn a_zone_that_was_learned_is_known_the_next_time() {
    // Before the service is heard, how long ago that was goes by this computer's clock: theirs agree, on any day.
    let zone = jiff::tz::Offset::from_seconds(-(3 * 3600 + 1800)).expect("a zone");
    let start = Some(zone.to_datetime(jiff::Timestamp::now()));
    let options = Options { start, switches: vec![("zone".into(), "-03:30".into())], ..small() };
    let sandbox = Sandbox::start(options.showing_waiting()).await.expect("the sandbox starts");
    let mut connection = session(&sandbox, Environment::Demo).connection;
    connection.utc_offset = None;
    let folder = tempfile::tempdir().expect("a folder");
    let (access, jobs, events) = again(folder.path(), &connection).await;
    let mut first = Bench { sandbox, access, jobs, events };
    first.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the service's clock is heard");
    let id = first.issue(Some(Vec::new())).await;
    first.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    first.advance(25 * 60);
    first.poll(id).await;
    first.jobs.close().await;

    let (access, jobs, _) = again(folder.path(), &connection).await;
    let clock = access.reader().clock();
    assert_eq!((clock.basis(), clock.offset().seconds()), (OffsetBasis::Learned, -(3 * 3600 + 1800)));
    jobs.close().await;
    // What a person has set is better.
    connection.utc_offset = Some(jiff::tz::offset(9));
    let (access, ..) = again(folder.path(), &connection).await;
    assert_eq!(access.reader().clock().basis(), OffsetBasis::Setting);
}

/// Before a zone is learned, the next session and the commands beside it show the same one.
#[tokio::test]
async fn a_zone_that_is_only_limited_is_the_same_the_next_time() {
    // Further ahead than nearly every computer.
    let start = Some(jiff::tz::offset(14).to_datetime(jiff::Timestamp::now()));
    let options = Options { start, switches: vec![("zone".into(), "+14:00".into())], ..small() };
    let sandbox = Sandbox::start(options.showing_waiting()).await.expect("the sandbox starts");
    let mut connection = session(&sandbox, Environment::Demo).connection;
    connection.utc_offset = None;
    let folder = tempfile::tempdir().expect("a folder");
    let (access, jobs, _) = again(folder.path(), &connection).await;
    let call = lapel::api::Call::interactive();
    access.reader().history(&lapel::api::HistoryQuery::default(), &call).await.expect("the history");
    let limited = access.reader().clock();
    assert_eq!(limited.basis(), OffsetBasis::AtLeast);
    jobs.close().await;
    let (access, jobs, _) = again(folder.path(), &connection).await;
    let clock = access.reader().clock();
    assert_eq!((clock.basis(), clock.offset()), (OffsetBasis::AtLeast, limited.offset()));
    jobs.close().await;
}

#[tokio::test]
async fn unknown_words_never_end_a_job_by_a_guess() {
    let options = Options { switches: vec![("labels".into(), "other".into())], ..small() };
    let mut bench = Bench::new(options).await;
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, rests).await;
    bench.advance(25 * 60);
    bench.poll(id).await;
    let (row, job) = (bench.row(id).await, bench.jobs.job(id).await.expect("a job"));
    assert_eq!(row.row_status, RowStatus::UnknownState);
    assert!(row.why.is_some(), "the service's word is told");
    assert!(job.is_open(), "a word that lapel does not know is no end");
    assert_eq!(bench.posts("/badges"), 1);
}

#[tokio::test]
async fn a_failed_poll_is_reported_until_one_succeeds() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 1);
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Revoking) == 1).await;
    bench.fault("get /badges/{id} status=500");
    let polled = bench.jobs.poll_now(Some(id)).await;
    assert!(polled.failed.is_some());
    let note = bench.jobs.job(id).await.expect("a job").trouble;
    assert!(note.is_some_and(|n| n.to_string().contains(msg_part("last check failed"))));
    bench.sandbox.control().clear_faults();
    bench.poll(id).await;
    assert_eq!(bench.jobs.job(id).await.expect("a job").trouble, None);
}

/// Of two badges one cannot be read: the other one is checked as usual, and the job says what is not known.
#[tokio::test]
async fn a_badge_that_cannot_be_read_is_named_and_does_not_stop_the_check() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 2);
    let broken = all[0].badge_id.clone();
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Revoking) == 2).await;
    bench.fault(&format!("get /badges/{} items=null", broken.wire()));
    bench.advance(60);
    let polled = bench.jobs.poll_now(Some(id)).await;
    assert_eq!((polled.failed.clone(), polled.complete), (None, true));
    let why = polled.why_partial().expect("what is not known").to_string();
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::Revoking), job.counts.of(RowStatus::Revoked)), (1, 1));
    let note = job.trouble.expect("what is not known");
    assert!(note.is(Code::PollUnread) && note.to_string().contains("(1)"), "{note}");
    // The other badge has changed.
    assert!(why == note.to_string() && !why.contains(msg_part("Nothing was changed")), "{why}");
    bench.sandbox.control().clear_faults();
    assert_eq!(bench.jobs.poll_now(Some(id)).await.why_partial(), None);
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::Revoked), job.trouble), (2, None));
}

/// It may be issued: only what was read as waiting is late.
#[tokio::test]
async fn a_badge_that_cannot_be_read_is_not_called_overdue() {
    let mut bench = Bench::new(small()).await;
    let id = bench.issue(None).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    // The history, too.
    bench.fault("get /badges/{id} items=null");
    bench.advance(25 * 60);
    assert!(bench.jobs.poll_now(Some(id)).await.why_partial().is_some());
    assert_eq!(bench.row(id).await.row_status, RowStatus::Waiting);
    bench.sandbox.control().clear_faults();
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::Issued);
}

/// Neither by their ids nor in the history, whose pages show nothing readable.
#[tokio::test]
async fn more_badges_than_are_read_one_by_one_are_not_called_overdue_unread() {
    const MANY: u64 = 230;
    let mut bench = Bench::new(small()).await;
    let id = bench.jobs.draft_people(template(), people(0..MANY as usize)).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    bench.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("checked");
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == MANY).await;
    bench.fault("get /badges/history items=null");
    bench.advance(26 * 60);
    assert!(bench.jobs.poll_now(Some(id)).await.why_partial().is_some());
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Overdue), 0, "{job:?}");
    assert!(job.trouble.expect("what is not known").is(Code::PollUnread));
    bench.sandbox.control().clear_faults();
    bench.poll(id).await;
    assert_eq!(bench.jobs.job(id).await.expect("a job").counts.of(RowStatus::Issued), MANY);
}

/// A service may refuse to read an id that it does not know yet. That is an answer.
#[tokio::test]
async fn a_waiting_badge_that_the_service_refuses_to_read_is_overdue_after_a_day() {
    let switches = [
        ("unknown-id", "400"),
        ("waiting-detail", "hidden"),
        ("waiting-history", "hidden"),
        ("issue-time", "never"),
    ];
    let switches = switches.map(|(name, value)| (name.into(), value.into())).to_vec();
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    let id = bench.issue(None).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    assert_eq!(bench.jobs.poll_now(Some(id)).await.why_partial(), None);
    bench.advance(26 * 60);
    assert_eq!(bench.jobs.poll_now(Some(id)).await.why_partial(), None);
    assert_eq!(bench.row(id).await.row_status, RowStatus::Overdue);
}

/// A command that ends while it checks has not failed, and the next lapel checks when it was due.
#[tokio::test]
async fn a_check_that_ends_with_its_program_did_not_fail() {
    let mut bench = Bench::new(small()).await;
    let id = bench.issue(Some(Vec::new())).await;
    let before = bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.fault("get hold");
    let asked = bench.requests();
    let ending = async {
        while bench.requests() == asked {
            tokio::task::yield_now().await;
        }
        bench.jobs.close().await;
    };
    let (polled, ()) =
        tokio::time::timeout(BOUND, async { tokio::join!(bench.jobs.poll_now(Some(id)), ending) })
            .await
            .expect("it ends");
    assert!(polled.failed.is_some(), "it found nothing out");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.trouble, job.next_poll), (None, before.next_poll));
}

#[tokio::test]
async fn a_lying_count_is_noticed() {
    let mut bench = Bench::new(small()).await;
    let all = targets(&bench, 3);
    bench.fault("post /badges/revoke accepted=5");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false), "me").await.expect("can send");
    let job = bench.until("sent", id, |j| j.note.is_some()).await;
    assert!(job.note.is_some_and(|n| n.to_string().contains(msg_part("Tell the provider"))));
}

#[tokio::test]
async fn a_word_whose_meaning_the_service_has_proven_is_believed() {
    let options = Options { switches: vec![("labels".into(), "other".into())], ..small() };
    let mut bench = Bench::new(options).await;
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    // Nothing is issued within five minutes: the word that is there now is the one for waiting.
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::Waiting);
    bench.advance(25 * 60);
    bench.poll(id).await;
    assert_eq!(bench.row(id).await.row_status, RowStatus::Issued);
    let facts = bench.jobs.observed_behaviour().await.expect("facts");
    let means: Vec<&str> =
        facts.iter().filter(|f| f.name.starts_with(msg_part("means "))).map(|f| f.value.as_str()).collect();
    assert_eq!(means.len(), 2, "{facts:?}");
    assert!(means.contains(&"waiting") && means.contains(&"issued"), "{facts:?}");
}

/// The requests of each poll of a schedule, after so many minutes on the service's clock.
async fn costs(bench: &Bench, steps: &[u64]) -> Vec<u64> {
    let mut costs = Vec::new();
    for minutes in steps {
        bench.advance(*minutes);
        bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
        let before = bench.requests();
        assert_eq!(bench.jobs.poll_due().await.failed, None);
        costs.push(bench.requests() - before);
    }
    costs
}

#[tokio::test]
async fn where_a_count_is_known_to_be_current_a_poll_costs_one_request() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    let first = begin(&bench, people(0..900)).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 900).await;
    let learning = costs(&bench, &[5, 2]).await;
    let facts = bench.jobs.observed_behaviour().await.expect("facts");
    assert!(facts.iter().any(|f| f.name == "issued_count" && f.value == "follows"), "{facts:?} {learning:?}");
    // From now on issuing takes a day, and in between nothing happens.
    let rest = costs(&bench, &[24 * 60]).await;
    assert!(!bench.jobs.job(first).await.expect("a job").is_open(), "{rest:?}");
    bench.sandbox.control().set("issue-time", "1d").expect("a switch");
    let second = begin(&bench, people(900..1800)).await;
    bench.until("accepted", second, |j| j.counts.of(RowStatus::Waiting) == 900).await;
    let day = costs(&bench, &[5, 2, 3, 5, 15, 30, 60, 120, 240, 240, 240, 240, 240]).await;
    assert!(day[1..12].iter().all(|n| *n <= 1), "a count each: {day:?}");
    let job = bench.jobs.job(second).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Issued), 900, "and everything at the end: {day:?}");
}

#[tokio::test]
async fn how_the_services_filters_match_is_learned_from_ordinary_answers() {
    let switches = vec![
        ("title-match".into(), "partial".into()),
        ("email-match".into(), "partial".into()),
        ("filter-case".into(), "insensitive".into()),
    ];
    let bench = Bench::new(Options { switches, ..small() }).await;
    // A title that another template's title contains.
    let python = (TemplateId::new("TPL-005").expect("an id"), Text::from("파이썬 데이터 분석 수료"));
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    let check_duplicates = async |people: Vec<PlannedRecipient>| {
        let id = bench.jobs.draft_people(python.clone(), people).await.expect("a draft");
        bench
            .jobs
            .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
            .await
            .expect("a duplicate check");
    };
    check_duplicates(people(0..50)).await;
    let row = |email: &str| RowSpec { recipient_email: email.into(), ..RowSpec::default() };
    let insert = vec![row("annlee@naru.example"), row("LEE@naru.example")];
    bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    check_duplicates(vec![PlannedRecipient { name: "Lee".into(), email: "lee@naru.example".into() }]).await;
    let facts = bench.jobs.observed_behaviour().await.expect("facts");
    for (name, value) in [
        ("title_filter", "partial"),
        ("recipient_email_filter", "partial"),
        ("recipient_email_filter_case", "folded"),
    ] {
        assert!(facts.iter().any(|f| f.name == name && f.value == value), "{name}: {facts:?}");
    }
}

#[tokio::test]
async fn a_word_that_says_that_issuing_failed_is_not_waiting_and_needs_a_person() {
    let mut bench = Bench::new(small()).await;
    let row = RowSpec {
        label: Some("발급실패".into()),
        recipient_email: "gildong@naru.example".into(),
        ..RowSpec::default()
    };
    bench.fault("post /badges commit-drop");
    bench.fault("get /badges/history drop times=40");
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("a doubt", id, rests).await;
    let failed =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    let failed = BadgeId::new(failed[0].clone()).expect("an id");
    bench.advance(27 * 60);
    bench.sandbox.control().clear_faults();
    bench.poll(id).await;
    bench.jobs.resolve_row(id, 1, Decision::IsThis(failed), "me", "it is this one").await.expect("decided");
    bench.poll(id).await;
    let row = bench.row(id).await;
    assert_eq!(row.row_status, RowStatus::NeedsReview, "{row:?}");
    assert!(row.why.is_some_and(|why| why.is(Code::IssuingFailed)));
    assert_eq!(bench.accepted(), 1);
}
