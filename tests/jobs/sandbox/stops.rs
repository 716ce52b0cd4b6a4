//! What stops a job, and how it resumes.

use super::*;
use crate::texts::{msg, msg_part};
use calamine::Reader;
use lapel::jobs::receipt::TableFormat;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_service_that_is_gone_stops_the_job_and_nothing_is_lost() {
    let Bench { sandbox, jobs, mut events, .. } = Bench::new(small()).await;
    sandbox.stop().await;
    let id = jobs.issue(plan(Some(Vec::new())), "test").await.expect("written down");
    let job = loop {
        let changed = events.recv().await.expect("the job goes on");
        if let Some(job) = changed.job.filter(|job| job.stop.is_some()) {
            break job;
        }
    };
    assert_eq!(job.stop.expect("a reason").kind, StopKind::NotReached);
    assert_eq!((job.id, job.counts.of(RowStatus::Ready), job.phase), (id, 1, Phase::Stopped));
}

/// A request that is written down counts as sent. While the service asks to wait, none is.
#[tokio::test]
async fn nothing_is_written_down_while_the_service_asks_to_wait() {
    let mut bench = Bench::with(Options { seed: 5400, ..small() }, |connection| connection).await;
    bench.fault("post /badges status=429 retry-after=3600 times=1");
    let id = bench.issue(Some(Vec::new())).await;
    let mut link = bench.access.reader().link();
    let held = link.wait_for(|link| link.held_until.is_some() && link.waiting > 0);
    tokio::time::timeout(BOUND, held).await.expect("in time").expect("a hold");
    let job = bench.until("not sent", id, |job| job.in_flight == 0).await;
    assert_eq!((job.phase, job.counts.of(RowStatus::Ready)), (Phase::Running, 1));
    assert_eq!((bench.posts("/badges"), bench.accepted()), (1, 0));
    // A stop now leaves nothing in doubt.
    bench.jobs.pause(id).await.expect("paused");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::Ready), job.counts.of(RowStatus::InDoubt)), (1, 0));
}

#[tokio::test]
async fn a_read_only_connection_has_nothing_to_send_with() {
    let bench = Bench::with(small(), |mut connection| {
        connection.read_only = true;
        connection
    })
    .await;
    let refused = bench.jobs.issue(plan(None), "test").await.expect_err("read-only");
    assert!(refused.to_string().contains(msg("read-only")), "{refused}");
    assert_eq!(bench.posts("/badges"), 0);
}

#[tokio::test]
async fn the_quota_stops_a_job_and_the_rest_of_it_is_used_up_by_halving() {
    let settings = JobConfig { absence_after: jiff::SignedDuration::ZERO, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    bench.sandbox.control().set_quota(Some(1300));
    let id = begin(&bench, people(0..3000)).await;
    let job = bench.until("the quota", id, |j| j.stop.is_some() && j.in_flight == 0).await;
    assert_eq!(job.stop.as_ref().map(|s| s.kind), Some(StopKind::Quota));
    assert_eq!((job.counts.of(RowStatus::Waiting), job.counts.of(RowStatus::Ready)), (1000, 2000));
    tokio::spawn(bench.jobs.use_up_quota(id, "me").await.expect("it can be used up"));
    let job = bench
        .until("used up", id, |j| {
            j.counts.of(RowStatus::Waiting) == 1300 && j.stop.is_some() && j.in_flight == 0
        })
        .await;
    assert_eq!(job.counts.total(), 3000);
    assert_eq!(bench.accepted(), 1300);
    // The quota was raised.
    bench.sandbox.control().set_quota(None);
    let resumed = async {
        while bench.jobs.resume(id, "me").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, resumed).await.expect("resumed");
    bench.until("everything", id, |j| j.counts.of(RowStatus::Waiting) == 3000).await;
    let ledger = bench.sandbox.control().ledger();
    assert_eq!(ledger.accepted_total(), 3000);
    assert!(ledger.accepted.iter().all(|a| a.count == 1), "nobody got two");
}

/// That the service shows waiting badges is learned from one that was accepted.
async fn shows_waiting(bench: &mut Bench) {
    let known = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", known, |j| j.counts.of(RowStatus::Waiting) == 1).await;
    bench.poll(known).await;
}

/// Each halving waits for its proof, since the service may show badges late.
#[tokio::test]
async fn using_up_waits_for_the_proof_of_each_refusal() {
    let settings = JobConfig { batch: 4, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    shows_waiting(&mut bench).await;
    bench.sandbox.control().set_quota(Some(4));
    let id = begin(&bench, people(0..6)).await;
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    let why = bench.jobs.use_up_quota(id, "me").await.map(drop).expect_err("too early");
    assert!(why.to_string().contains(msg_part("may show badges late")), "{why}");
    let job = bench.jobs.job(id).await.expect("a job");
    assert!(job.notes().any(|note| note.is(Code::ProvableSoon)), "{job:?}");
    assert_eq!((bench.posts("/badges/batch"), bench.accepted()), (1, 1));
}

/// Each halving waits for its proof.
#[tokio::test]
async fn using_up_goes_on_as_soon_as_a_refusal_is_proven() {
    let settings = JobConfig { batch: 4, in_flight: 1, ..JobConfig::default() };
    // It asks as often as this computer can, until ten minutes of the service have passed.
    let options = Options { speed: 1200.0, quota: Some(4), rate_limit: 1_000_000, ..small() };
    let fast = |mut connection: lapel::api::Connection| {
        (connection.clock_speed, connection.rate_limit) = (1200.0, 1_000_000);
        connection
    };
    let mut bench = Bench::set(options, fast, settings).await;
    shows_waiting(&mut bench).await;
    let id = begin(&bench, people(0..6)).await;
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    let used_up = async {
        loop {
            match bench.jobs.use_up_quota(id, "me").await {
                Ok(rest) => return rest.await,
                Err(_) => drop(bench.events.recv().await.expect("the clock runs")),
            }
        }
    };
    tokio::time::timeout(BOUND, used_up).await.expect("used up");
    // Four are refused, two accepted, two refused, one accepted, one refused. One was accepted before.
    let posts = [bench.posts("/badges/batch"), bench.posts("/badges")];
    assert_eq!((posts, bench.accepted()), ([3, 1 + 2], 4));
}

/// What a service shows late is found before anything is sent again.
#[tokio::test]
async fn a_part_of_a_refused_request_that_is_shown_late_is_not_sent_twice() {
    let settings = JobConfig { batch: 2, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    shows_waiting(&mut bench).await;
    bench.fault("post /badges/batch status=422 times=1");
    let id = begin(&bench, people(0..2)).await;
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    bench.jobs.resume(id, "me").await.expect_err("the service may show it late");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.left_to_send(), job.left_to_resume(), job.can_resume()), (2, 2, true), "{job:?}");
    // Nor does another job send to them.
    bench.advance(5);
    let again = bench.jobs.draft_people(template(), people(0..2)).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    let checking = tokio_util::sync::CancellationToken::new();
    bench.jobs.check_duplicates(again, &progress, checking).await.expect("a duplicate check");
    bench.jobs.begin(again, "me").await.expect_err("both need review");
    bench.advance(5);
    let late = people(0..1).remove(0);
    let late = RowSpec {
        recipient_name: late.name,
        recipient_email: late.email,
        state: Waiting,
        ..RowSpec::default()
    };
    bench.sandbox.control().rows(&Rows { insert: vec![late], ..Rows::default() }).expect("shown");
    bench.jobs.resume(id, "me").await.expect("the rest is in doubt");
    bench.jobs.sent(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.left_to_resume(), 0, "the rest may have been accepted, too: {job:?}");
    let counts = job.counts;
    assert_eq!((counts.of(RowStatus::Waiting), counts.of(RowStatus::InDoubt)), (1, 1), "{counts:?}");
    assert_eq!((bench.posts("/badges/batch"), bench.accepted()), (1, 1));
}

/// Where waiting badges are hidden, only the end of the check window proves that a refused request did nothing.
#[tokio::test]
async fn using_up_is_not_offered_while_the_refusal_is_not_proven() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let settings = JobConfig { batch: 2, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(Options { switches, ..small() }, |connection| connection, settings).await;
    bench.sandbox.control().set_quota(Some(1));
    let id = begin(&bench, people(0..6)).await;
    let job = bench.until("the quota", id, |j| j.stop.is_some() && j.in_flight == 0).await;
    assert!(job.can_resume());
    let why = bench.jobs.use_up_quota(id, "me").await.map(drop).expect_err("not proven");
    assert!(why.to_string().contains(msg_part("cannot prove")), "{why}");
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::InDoubt), job.counts.of(RowStatus::Ready)), (0, 6));
    assert!(!job.can_use_up() && job.can_resume());
    assert_eq!((job.left_to_resume(), job.held_by_refusal()), (6, 2), "{job:?}");
    let rows = bench.jobs.rows(id, RowFilter::default(), 10).await.expect("rows");
    let held: Vec<u64> = rows.iter().filter(|row| job.is_held(row)).map(|row| row.no).collect();
    assert_eq!(held, [1, 2], "each row says so, too");
    let said = job.state_of(&rows[0]).to_string();
    assert_eq!(said, msg("refused, perhaps accepted"));
    assert_ne!(job.state_of(&rows[5]).to_string(), said);
    a_receipt_tells_them_apart(&bench, id).await;
    // Once the others are sent, nothing can be resumed before the window ends.
    bench.sandbox.control().set_quota(None);
    bench.jobs.resume(id, "me").await.expect("the others are sent");
    bench.until("sent", id, |j| rests(j) && j.counts.of(RowStatus::Waiting) == 4).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::InDoubt), 2, "{job:?}");
    assert!(!Job { phase: Phase::Stopped, ..job }.can_resume());
    // Then the proof lets them go, without a person.
    bench.advance(27 * 60);
    // The first poll hears what time it is.
    bench.poll(id).await;
    bench.poll(id).await;
    let job = bench.until("sent, too", id, |j| rests(j) && j.counts.of(RowStatus::InDoubt) == 0).await;
    assert_eq!((job.counts.of(RowStatus::NeverSeen), bench.accepted()), (0, 6), "{job:?}");
    assert_eq!(job.notes().next(), None);
}

/// Of 6 rows, the first 2 were refused and perhaps accepted. The others are certainly not sent, since the job stopped.
async fn a_receipt_tells_them_apart(bench: &Bench, id: JobId) {
    let folder = tempfile::tempdir().expect("a folder");
    let [csv, xlsx] = ["receipt.csv", "receipt.xlsx"].map(|name| folder.path().join(name));
    for (to, format) in [(&csv, TableFormat::CsvUtf8), (&xlsx, TableFormat::Xlsx)] {
        let never = CancellationToken::new();
        bench.jobs.receipt(id, None, to.clone(), format, false, never).await.expect("a receipt");
    }
    let text = std::fs::read_to_string(&csv).expect("a receipt");
    let perhaps = format!(",not sent yet,\"{}\",", msg("refused, perhaps accepted; lapel is checking"));
    let unsent = ",not sent yet,not sent: quota exceeded,";
    for (line, number) in text.lines().skip(1).zip(1..) {
        assert!(line.contains(if number <= 2 { &perhaps } else { unsent }), "{number}: {line}");
    }
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(&xlsx).expect("a workbook");
    let facts = book.worksheet_range("receipt").expect("the facts");
    let fact = |name: &str| {
        let mut rows = facts.rows().map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>());
        rows.find(|row| row.first().is_some_and(|first| first == name)).map(|row| row[1].clone())
    };
    assert_eq!(fact("refused, perhaps accepted").as_deref(), Some("2"));
    assert_eq!(fact("not sent yet").as_deref(), Some("4"), "the facts add up to the rows");
}

/// What the service accepted of a refused request is found without a person, and the rest is not called unsent any more.
#[tokio::test]
async fn what_a_refused_request_did_all_the_same_is_found_by_itself() {
    let settings = JobConfig { batch: 4, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    bench.fault("post /badges/batch commit status=422 times=1");
    let id = begin(&bench, people(0..6)).await;
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    // A minute later, by the service's clock. To ask is to hear it.
    bench.advance(1);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    bench.jobs.poll_due().await;
    let job = bench.until("found", id, |j| rests(j) && j.counts.of(RowStatus::Waiting) == 4).await;
    assert_eq!((job.phase, job.counts.of(RowStatus::Ready)), (Phase::Stopped, 2), "{job:?}");
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (4, 1));
    assert_eq!(
        (job.refusals.awaits_proof, job.notes().next()),
        (false, None),
        "there is nothing left to prove"
    );
}

/// Its rows are in doubt until the refusal is proven. Then they are cancelled, too, and nobody has to resolve them.
#[tokio::test]
async fn a_refused_request_of_a_cancelled_job_ends_as_cancelled() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let settings = JobConfig { batch: 4, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(Options { switches, ..small() }, |connection| connection, settings).await;
    bench.sandbox.control().set_quota(Some(1));
    let id = begin(&bench, people(0..6)).await;
    bench.until("the quota", id, |j| rests(j) && j.stop.is_some()).await;
    assert_eq!(bench.jobs.cancel(id, "me").await.expect("cancelled"), 2);
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!((job.counts.of(RowStatus::InDoubt), job.counts.of(RowStatus::Skipped)), (4, 2), "{job:?}");
    bench.advance(27 * 60);
    // The first poll hears what time it is.
    bench.poll(id).await;
    bench.poll(id).await;
    let job = bench.until("cancelled", id, |j| j.counts.of(RowStatus::Skipped) == 6).await;
    assert_eq!((job.phase, job.notes().next(), bench.accepted()), (Phase::Cancelled, None, 0));
}

#[tokio::test]
async fn a_422_that_accepted_some_after_all_is_found_out_before_anything_else_is_sent() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch commit status=422 times=1");
    let id = begin(&bench, people(0..60)).await;
    let job = bench.until("stopped", id, |j| j.stop.is_some()).await;
    assert_eq!(job.stop.map(|s| s.kind), Some(StopKind::Quota));
    bench.jobs.resume(id, "me").await.expect("resumed");
    let job = bench.until("found", id, |j| j.counts.of(RowStatus::Waiting) == 60).await;
    assert_eq!(job.counts.total(), 60);
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (60, 1));
}

/// A verb ends although rows are left that wait for an earlier request to the same recipient.
#[tokio::test]
async fn a_job_that_is_held_up_says_so_when_its_program_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let sandbox = Sandbox::start(options).await.expect("the sandbox starts");
    let connection = session(&sandbox, Environment::Demo).connection;
    let account = Account::of("demo", &connection);
    let start = async |connection: &lapel::api::Connection| {
        let journal = team::open(folder.path(), None).expect("a journal");
        let access = connect(connection).expect("connected");
        Jobs::start(access, journal, account.clone(), JobConfig::default()).await.expect("jobs")
    };
    let (jobs, events) = start(&connection).await;
    sandbox.control().add_fault("post /badges drop times=1").expect("a fault");
    let first = jobs.issue(plan(Some(Vec::new())), "me").await.expect("planned");
    jobs.sent(first).await;
    let (template, _) = template();
    let rival = jobs.sent_before(&template, "gildong@naru.example").await.expect("read").expect("the first");
    let told = IssuePlan { allows: Some(rival.claim_id()), ..plan(Some(Vec::new())) };
    let second = jobs.issue(told, "me").await.expect("planned");
    jobs.sent(second).await;
    jobs.close().await;
    drop((jobs, events));
    let reading = lapel::api::Connection { read_only: true, ..connection };
    let (jobs, _events) = start(&reading).await;
    let stop = jobs.job(second).await.expect("a job").stop.expect("it is stopped");
    assert!(stop.kind == StopKind::Interrupted && stop.why.is(Code::HeldUp), "{stop:?}");
}

#[tokio::test]
async fn a_paused_job_sends_nothing_more_and_a_resumed_one_the_rest() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch hold");
    let id = begin(&bench, people(0..5000)).await;
    bench.until("on its way", id, |j| j.in_flight > 0).await;
    bench.jobs.pause(id).await.expect("paused");
    bench.sandbox.control().clear_faults();
    let job = bench.until("at rest", id, |j| j.in_flight == 0).await;
    assert_eq!(job.phase, Phase::Paused);
    assert!(job.counts.of(RowStatus::Ready) >= 3000, "{:?}", job.counts);
    assert_eq!(job.counts.total(), 5000);
    bench.jobs.resume(id, "me").await.expect("resumed");
    bench.until("everything", id, |j| j.counts.of(RowStatus::Waiting) == 5000).await;
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (5000, 5));
}

#[tokio::test]
async fn what_was_not_sent_can_be_called_off() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch hold");
    let id = begin(&bench, people(0..4000)).await;
    bench.until("on its way", id, |j| j.in_flight > 0).await;
    bench.jobs.cancel(id, "me").await.expect("cancelled");
    bench.sandbox.control().clear_faults();
    let job = bench.until("at rest", id, |j| j.in_flight == 0 && j.counts.of(RowStatus::Sending) == 0).await;
    assert_eq!(
        job.counts.of(RowStatus::Waiting) + job.counts.of(RowStatus::Skipped),
        4000,
        "{:?}",
        job.counts
    );
    assert!(job.counts.of(RowStatus::Skipped) >= 2000);
    assert_eq!(bench.accepted(), job.counts.of(RowStatus::Waiting));
}
