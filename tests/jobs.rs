//! Sending, looking and following through the journal, over a real sandbox; its ledger says what really
//! happened.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod common;

use common::{frozen, session};
use lapel::api::{Access, connect};
use lapel::config::Environment;
use lapel::domain::time::OffsetBasis;
use lapel::domain::{Address, BadgeId, State, TemplateId, Text};
use lapel::jobs::{
    Account, Bucket, Changed, Decision, IssuePlan, Job, JobId, JobRow, Jobs, Journal, Person, Phase,
    RevokePlan, RowFilter, Settings, StopKind, Victim,
};
use lapel::sandbox::RowState::Waiting;
use lapel::sandbox::{Options, RowSpec, Rows, Sandbox};
use std::time::Duration;
use tokio::sync::mpsc;

/// No condition of a test takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(30);

struct Bench {
    sandbox: Sandbox,
    access: Access,
    jobs: Jobs,
    events: mpsc::Receiver<Changed>,
}

impl Bench {
    async fn new(options: Options) -> Self {
        Self::with(options, |connection| connection).await
    }

    async fn with(
        options: Options,
        change: impl FnOnce(lapel::api::Connection) -> lapel::api::Connection,
    ) -> Self {
        let sandbox = Sandbox::start(options).await.expect("the sandbox starts");
        let connection = change(session(&sandbox, Environment::Demo).connection);
        let account = Account::of("demo", &connection);
        let access = connect(&connection).expect("connected");
        let journal = Journal::in_memory().expect("a journal");
        let (jobs, events) =
            Jobs::start(access.clone(), journal, account, Settings::default()).await.expect("jobs");
        Self { sandbox, access, jobs, events }
    }

    /// How a job stands as soon as it fulfils a condition.
    async fn until(&mut self, what: &str, id: JobId, fulfilled: impl Fn(&Job) -> bool) -> Job {
        let waiting = async {
            loop {
                let job = self.jobs.job(id).await.expect("a job");
                if fulfilled(&job) {
                    return job;
                }
                self.events.recv().await.expect("the job goes on");
            }
        };
        let Ok(job) = tokio::time::timeout(BOUND, waiting).await else {
            panic!("in vain: {what}: {:?}", self.jobs.job(id).await);
        };
        job
    }

    async fn rows(&self, id: JobId) -> Vec<JobRow> {
        self.jobs.rows(id, RowFilter::default(), 10_000).await.expect("rows")
    }

    async fn row(&self, id: JobId) -> JobRow {
        self.rows(id).await.remove(0)
    }

    async fn issue(&self, held_before: Option<Vec<BadgeId>>) -> JobId {
        self.jobs.issue(plan(held_before)).await.expect("it is written down")
    }

    async fn look(&self, id: JobId) {
        let looked = self.jobs.look_now(Some(id)).await;
        assert_eq!(looked.failed, None);
    }

    fn advance(&self, minutes: u64) {
        self.sandbox.control().advance(Duration::from_secs(minutes * 60));
    }

    fn fault(&self, rule: &str) {
        self.sandbox.control().add_fault(rule).expect(rule);
    }

    fn requests(&self) -> u64 {
        self.sandbox.control().ledger().requests.values().sum()
    }

    fn posts(&self, path: &str) -> u64 {
        self.sandbox.control().ledger().requests.get(&format!("POST {path}")).copied().unwrap_or(0)
    }

    fn accepted(&self) -> u64 {
        self.sandbox.control().ledger().accepted_total()
    }
}

fn small() -> Options {
    Options { history: Some(300), ..frozen() }
}

const TITLE: &str = "디지털 리터러시 기초 과정 수료";

fn template() -> (TemplateId, Text) {
    (TemplateId::new("TPL-001").expect("an id"), TITLE.into())
}

fn plan(held_before: Option<Vec<BadgeId>>) -> IssuePlan {
    IssuePlan {
        template_id: template().0,
        title: TITLE.into(),
        recipient_name: "홍길동".into(),
        recipient_email: Address::check("gildong@naru.example").expect("an address"),
        held_before,
    }
}

/// Whether nothing of it is on its way.
fn rests(job: &Job) -> bool {
    !job.is_sending()
}

fn people(range: std::ops::Range<usize>) -> Vec<Person> {
    range.map(|n| Person { name: format!("사람 {n}"), email: format!("person{n}@naru.example") }).collect()
}

async fn begin(bench: &Bench, people: Vec<Person>) -> JobId {
    let id = bench.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Guarding::default());
    bench.jobs.guard(id, &progress, tokio_util::sync::CancellationToken::new()).await.expect("a guard");
    bench.jobs.begin(id, "test").await.expect("begun");
    id
}

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
async fn a_service_that_is_gone_stops_the_job_and_nothing_is_lost() {
    let Bench { sandbox, jobs, mut events, .. } = Bench::new(small()).await;
    sandbox.stop().await;
    let id = jobs.issue(plan(Some(Vec::new()))).await.expect("written down");
    let job = loop {
        let changed = events.recv().await.expect("the job goes on");
        if changed.job.stop.is_some() {
            break changed.job;
        }
    };
    assert_eq!(job.stop.expect("a reason").kind, StopKind::NotReached);
    assert_eq!((job.id, job.counts.of(Bucket::Ready), job.phase), (id, 1, Phase::Stopped));
}

#[tokio::test]
async fn a_read_only_connection_has_nothing_to_send_with() {
    let bench = Bench::with(small(), |mut connection| {
        connection.read_only = true;
        connection
    })
    .await;
    assert!(!bench.jobs.can_send());
    let refused = bench.jobs.issue(plan(None)).await.expect_err("read-only");
    assert!(refused.to_string().contains("read-only"), "{refused}");
    assert_eq!(bench.posts("/badges"), 0);
}

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
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 1).await;
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::ThisComputer);
    bench.advance(25 * 60);
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::Issued);
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::Learned);
    assert_eq!(bench.access.reader().clock().offset().seconds(), -(3 * 3600 + 1800));
    let facts = bench.jobs.facts().await.expect("facts");
    assert!(facts.iter().any(|f| f.name == "utc_offset" && f.value == "-03:30"), "{facts:?}");
}

#[tokio::test]
async fn a_zone_that_was_learned_is_known_the_next_time() {
    let options = Options { switches: vec![("zone".into(), "-03:30".into())], ..small() };
    let sandbox = Sandbox::start(options).await.expect("the sandbox starts");
    let mut connection = session(&sandbox, Environment::Demo).connection;
    connection.utc_offset = None;
    let folder = tempfile::tempdir().expect("a folder");
    let start = async |connection: &lapel::api::Connection| {
        let access = connect(connection).expect("connected");
        let journal = Journal::open(folder.path()).expect("a journal");
        let account = Account::of("demo", connection);
        let (jobs, events) =
            Jobs::start(access.clone(), journal, account, Settings::default()).await.expect("jobs");
        (access, jobs, events)
    };
    let (access, jobs, events) = start(&connection).await;
    let mut first = Bench { sandbox, access, jobs, events };
    first.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the service's clock is heard");
    let id = first.issue(Some(Vec::new())).await;
    first.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 1).await;
    first.advance(25 * 60);
    first.look(id).await;
    first.jobs.close().await;

    let (access, jobs, _) = start(&connection).await;
    let clock = access.reader().clock();
    assert_eq!((clock.basis(), clock.offset().seconds()), (OffsetBasis::Learned, -(3 * 3600 + 1800)));
    jobs.close().await;
    // What a person has set is better.
    connection.utc_offset = Some(jiff::tz::offset(9));
    let (access, ..) = start(&connection).await;
    assert_eq!(access.reader().clock().basis(), OffsetBasis::Setting);
}

#[tokio::test]
async fn unknown_words_never_end_a_job_by_a_guess() {
    let options = Options { switches: vec![("labels".into(), "other".into())], ..small() };
    let mut bench = Bench::new(options).await;
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, rests).await;
    bench.advance(25 * 60);
    bench.look(id).await;
    let (row, job) = (bench.row(id).await, bench.jobs.job(id).await.expect("a job"));
    assert_eq!(row.bucket, Bucket::Other);
    assert!(row.why.is_some(), "the service's word is told");
    assert!(job.is_open(), "a word that lapel does not know is no end");
    assert_eq!(bench.posts("/badges"), 1);
}

#[tokio::test]
async fn many_go_in_full_requests_and_are_followed_to_the_end_with_few() {
    let mut bench = Bench::new(small()).await;
    let id = begin(&bench, people(0..2500)).await;
    let guard = bench.requests();
    let job = bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 2500).await;
    assert_eq!(job.counts.total(), 2500);
    assert_eq!((bench.posts("/badges/batch"), bench.posts("/badges")), (3, 0));
    assert_eq!(bench.accepted(), 2500);
    assert!(guard <= 1 + 3, "the guard's scan is title pages of a small history: {guard}");
    bench.advance(25 * 60);
    let before = bench.requests();
    bench.look(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(Bucket::Issued), 2500, "{:?}", job.counts);
    assert!(!job.is_open());
    assert!(bench.requests() - before <= 30, "2,500 badges are some 25 pages");
}

#[tokio::test]
async fn two_rows_of_one_address_are_never_in_one_request() {
    let mut bench = Bench::new(small()).await;
    let mut all = people(0..50);
    all.push(Person { name: "형제".into(), email: "PERSON7@naru.example".into() });
    let id = bench.jobs.draft_people(template(), all).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Guarding::default());
    let guarded =
        bench.jobs.guard(id, &progress, tokio_util::sync::CancellationToken::new()).await.expect("a guard");
    assert_eq!(guarded.classes, vec![(lapel::jobs::Class::SharedAddress, 1)]);
    bench.jobs.allow(id, lapel::jobs::Rows::Asked).await.expect("allowed");
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 51).await;
    assert_eq!((bench.posts("/badges/batch"), bench.posts("/badges")), (1, 1));
    let rows = bench.rows(id).await;
    let ids: std::collections::HashSet<_> = rows.iter().filter_map(|r| r.badge_id.clone()).collect();
    assert_eq!(ids.len(), 51, "each has a badge of its own");
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

#[tokio::test]
async fn the_quota_stops_a_job_and_the_rest_of_it_is_used_up_by_halving() {
    let mut bench = Bench::new(small()).await;
    bench.sandbox.control().set_quota(Some(1300));
    let id = begin(&bench, people(0..3000)).await;
    let job = bench.until("the quota", id, |j| j.stop.is_some() && j.in_flight == 0).await;
    assert_eq!(job.stop.as_ref().map(|s| s.kind), Some(StopKind::Quota));
    assert_eq!((job.counts.of(Bucket::Waiting), job.counts.of(Bucket::Ready)), (1000, 2000));
    bench.jobs.use_up_quota(id, "me").await.expect("it can be used up");
    let job = bench
        .until("used up", id, |j| {
            j.counts.of(Bucket::Waiting) == 1300 && j.stop.is_some() && j.in_flight == 0
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
    bench.until("everything", id, |j| j.counts.of(Bucket::Waiting) == 3000).await;
    let ledger = bench.sandbox.control().ledger();
    assert_eq!(ledger.accepted_total(), 3000);
    assert!(ledger.accepted.iter().all(|a| a.count == 1), "nobody got two");
}

#[tokio::test]
async fn a_422_that_accepted_some_after_all_is_found_out_before_anything_else_is_sent() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch commit status=422 times=1");
    let id = begin(&bench, people(0..60)).await;
    let job = bench.until("stopped", id, |j| j.stop.is_some()).await;
    assert_eq!(job.stop.map(|s| s.kind), Some(StopKind::Quota));
    bench.jobs.resume(id, "me").await.expect("resumed");
    let job = bench.until("found", id, |j| j.counts.of(Bucket::Waiting) == 60).await;
    assert_eq!(job.counts.total(), 60);
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (60, 1));
}

#[tokio::test]
async fn a_paused_job_sends_nothing_more_and_a_resumed_one_the_rest() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch delay=300ms");
    let id = begin(&bench, people(0..5000)).await;
    bench.until("on its way", id, |j| j.in_flight > 0).await;
    bench.jobs.pause(id).await.expect("paused");
    let job = bench.until("at rest", id, |j| j.in_flight == 0).await;
    assert_eq!(job.phase, Phase::Paused);
    assert!(job.counts.of(Bucket::Ready) >= 3000, "{:?}", job.counts);
    assert_eq!(job.counts.total(), 5000);
    bench.sandbox.control().clear_faults();
    bench.jobs.resume(id, "me").await.expect("resumed");
    bench.until("everything", id, |j| j.counts.of(Bucket::Waiting) == 5000).await;
    assert_eq!((bench.accepted(), bench.posts("/badges/batch")), (5000, 5));
}

#[tokio::test]
async fn what_was_not_sent_can_be_called_off() {
    let mut bench = Bench::new(small()).await;
    bench.fault("post /badges/batch delay=200ms");
    let id = begin(&bench, people(0..4000)).await;
    bench.until("on its way", id, |j| j.in_flight > 0).await;
    bench.jobs.cancel(id, "me").await.expect("called off");
    let job = bench.until("at rest", id, |j| j.in_flight == 0 && j.counts.of(Bucket::Sending) == 0).await;
    assert_eq!(job.counts.of(Bucket::Waiting) + job.counts.of(Bucket::LeftOut), 4000, "{:?}", job.counts);
    assert!(job.counts.of(Bucket::LeftOut) >= 2000);
    assert_eq!(bench.accepted(), job.counts.of(Bucket::Waiting));
}

#[tokio::test]
async fn the_guard_knows_what_each_person_holds() {
    use lapel::jobs::Class;
    use lapel::sandbox::RowState;
    let bench = Bench::new(small()).await;
    let row = |email: &str, state: RowState| RowSpec {
        recipient_email: email.into(),
        state,
        minutes_ago: 90,
        ..RowSpec::default()
    };
    let rows = vec![
        row("valid@naru.example", RowState::Issued),
        row("waiting@naru.example", RowState::Waiting),
        row("revoked@naru.example", RowState::Revoked),
        row("revoking@naru.example", RowState::Revoking),
        row("expired@naru.example", RowState::Expired),
        row("Case@Naru.example", RowState::Issued),
        row("d.o.t+tag@naru.example", RowState::Issued),
        // Another template with a title that contains this one's, and the same person: no duplicate.
        RowSpec { template_id: "TPL-002".into(), ..row("other@naru.example", RowState::Issued) },
    ];
    bench.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted");
    let names = ["valid", "waiting", "revoked", "revoking", "expired", "case", "dot", "other", "new", "new"];
    let person = |name: &&str| Person { name: (*name).into(), email: format!("{name}@naru.example") };
    let id = bench.jobs.draft_people(template(), names.iter().map(person).collect()).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Guarding::default());
    let guarded =
        bench.jobs.guard(id, &progress, tokio_util::sync::CancellationToken::new()).await.expect("a guard");
    assert!(guarded.complete);
    let classes: Vec<(String, Option<Class>, Bucket)> =
        bench.rows(id).await.into_iter().map(|r| (r.holder.wire().to_owned(), r.class, r.bucket)).collect();
    let expected = [
        ("valid", Some(Class::Valid), Bucket::Ask),
        ("waiting", Some(Class::Waiting), Bucket::LeftOut),
        ("revoked", Some(Class::Revoked), Bucket::Ask),
        ("revoking", Some(Class::Revoked), Bucket::Ask),
        ("expired", Some(Class::Expired), Bucket::Ready),
        ("case", Some(Class::Valid), Bucket::Ask),
        ("dot", Some(Class::LookAlike), Bucket::Ask),
        ("other", None, Bucket::Ready),
        ("new", None, Bucket::Ready),
        ("new", Some(Class::Twin), Bucket::LeftOut),
    ];
    for (row, (name, class, bucket)) in classes.iter().zip(expected) {
        assert_eq!((row.0.as_str(), row.1, row.2), (name, class, bucket));
    }
    assert_eq!(classes.len(), expected.len());
}

#[tokio::test]
async fn what_an_earlier_job_has_sent_counts_though_the_service_does_not_show_it() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    let first = begin(&bench, people(0..5)).await;
    bench.until("accepted", first, |j| j.counts.of(Bucket::Waiting) == 5).await;
    let id = bench.jobs.draft_people(template(), people(3..8)).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Guarding::default());
    let guarded =
        bench.jobs.guard(id, &progress, tokio_util::sync::CancellationToken::new()).await.expect("a guard");
    assert_eq!(guarded.classes, vec![(lapel::jobs::Class::Sent, 2)]);
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 3).await;
    assert_eq!(bench.accepted(), 8);
}

fn victims(bench: &Bench, count: usize) -> Vec<Victim> {
    let row = RowSpec { recipient_email: "many@naru.example".into(), ..RowSpec::default() };
    let ids = bench
        .sandbox
        .control()
        .rows(&Rows { insert: vec![row; count], ..Rows::default() })
        .expect("inserted");
    ids.into_iter()
        .filter_map(BadgeId::new)
        .map(|badge_id| Victim {
            badge_id,
            holder: "h".into(),
            email: "e".into(),
            title: "t".into(),
            state: State::Issued,
        })
        .collect()
}

#[tokio::test]
async fn many_dropped_badges_are_named_with_few_requests() {
    let mut bench = Bench::new(small()).await;
    let victims = victims(&bench, 250);
    // Meanwhile 30 of them have been revoked, and 5 more are being revoked by someone else.
    let earlier = RevokePlan::new(victims[..30].to_vec(), "earlier", false);
    let earlier = bench.jobs.revoke(earlier).await.expect("can send");
    bench.until("the earlier ones", earlier, |j| j.counts.of(Bucket::Revoking) == 30).await;
    bench.advance(120);
    let before = bench.requests();
    let id = bench.jobs.revoke(RevokePlan::new(victims, "중복 발급", false)).await.expect("can send");
    let job = bench.until("named", id, |j| rests(j) && j.counts.of(Bucket::Revoked) == 30).await;
    assert_eq!(job.counts.total(), 250);
    assert_eq!(job.counts.of(Bucket::Revoking), 220, "{:?}", job.counts);
    let took = bench.requests() - before;
    assert!(took <= 1 + 4, "1 revoke and the pages of 250 badges: {took}");
}

#[tokio::test]
async fn badges_that_were_left_out_without_a_word_are_named() {
    let mut bench = Bench::new(small()).await;
    let all = victims(&bench, 4);
    // They wait: the service drops them, whatever the plan thought.
    let row = RowSpec { state: Waiting, ..RowSpec::default() };
    let waiting =
        bench.sandbox.control().rows(&Rows { insert: vec![row; 2], ..Rows::default() }).expect("inserted");
    let stale =
        waiting.into_iter().filter_map(BadgeId::new).map(|badge_id| Victim { badge_id, ..all[0].clone() });
    let plan = RevokePlan::new(all.iter().cloned().chain(stale).collect(), "중복 발급", false);
    let id = bench.jobs.revoke(plan).await.expect("can send");
    bench.until("looked", id, |j| j.counts.of(Bucket::Unproven) == 2).await;
    bench.advance(1);
    bench.look(id).await;
    bench.advance(1);
    bench.look(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(Bucket::Dropped), 2, "{:?}", job.counts);
    assert_eq!(job.counts.of(Bucket::Revoking) + job.counts.of(Bucket::Revoked), 4);
    assert_eq!(bench.posts("/badges/revoke"), 1);
}

#[tokio::test]
async fn more_than_one_request_is_sent_for_more_than_a_thousand() {
    let mut bench = Bench::new(small()).await;
    let mut all = victims(&bench, 1001);
    all.push(all[0].clone());
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false)).await.expect("can send");
    let job = bench.until("sent", id, |j| j.counts.of(Bucket::Revoking) == 1001).await;
    assert_eq!(job.counts.total(), 1001, "each counts once");
    assert_eq!(bench.posts("/badges/revoke"), 2);
    assert_eq!(bench.sandbox.control().ledger().revokes_accepted(), 1001);
}

#[tokio::test]
async fn a_lost_answer_to_a_revocation_is_settled_by_looking() {
    let mut bench = Bench::new(small()).await;
    let all = victims(&bench, 3);
    bench.fault("post /badges/revoke commit-drop");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false)).await.expect("can send");
    bench.until("seen", id, |j| j.counts.of(Bucket::Revoking) == 3).await;
    assert_eq!(bench.posts("/badges/revoke"), 1);
}

#[tokio::test]
async fn a_revocation_that_never_arrived_is_sent_again_by_itself() {
    let mut bench = Bench::new(small()).await;
    let all = victims(&bench, 3);
    bench.fault("post /badges/revoke drop times=1");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false)).await.expect("can send");
    bench.until("a doubt", id, |j| j.counts.of(Bucket::InDoubt) == 3).await;
    for minutes in [0, 11] {
        bench.advance(minutes);
        bench.look(id).await;
    }
    bench.until("sent again", id, |j| j.counts.of(Bucket::Revoking) == 3).await;
    assert_eq!(bench.posts("/badges/revoke"), 2);
}

#[tokio::test]
async fn what_waits_is_revoked_when_it_is_issued() {
    let mut bench = Bench::new(small()).await;
    let id = begin(&bench, people(0..30)).await;
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 30).await;
    let undo = bench.jobs.undo(id, "잘못 발급").await.expect("a plan");
    let job = bench.jobs.job(undo).await.expect("a job");
    assert_eq!((job.phase, job.counts.of(Bucket::Queued)), (Phase::Draft, 30));
    bench.jobs.begin(undo, "me").await.expect("begun");
    bench.look(undo).await;
    assert_eq!(bench.posts("/badges/revoke"), 0, "they would be dropped without a word");
    bench.advance(25 * 60);
    bench.jobs.look_now(None).await;
    bench.until("revoked", undo, |j| j.counts.of(Bucket::Revoking) == 30).await;
    assert_eq!(bench.posts("/badges/revoke"), 1);
    assert_eq!(bench.sandbox.control().ledger().revokes_dropped(), 0);
}

#[tokio::test]
async fn a_corrected_badge_comes_before_the_old_one_goes() {
    let mut bench = Bench::new(small()).await;
    let old = victims(&bench, 1).remove(0);
    let (issue, revoke) =
        bench.jobs.replace(plan(Some(Vec::new())), old, "재발급: 성명 정정").await.expect("planned");
    bench.until("accepted", issue, |j| j.counts.of(Bucket::Waiting) == 1).await;
    bench.jobs.look_now(None).await;
    let job = bench.jobs.job(revoke).await.expect("a job");
    assert_eq!((job.counts.of(Bucket::Queued), bench.posts("/badges/revoke")), (1, 0));
    bench.advance(25 * 60);
    bench.look(issue).await;
    bench.look(revoke).await;
    bench.until("revoked", revoke, |j| j.counts.of(Bucket::Revoking) == 1).await;
    assert_eq!(bench.sandbox.control().ledger().revokes_accepted(), 1);
}

#[tokio::test]
async fn a_look_that_failed_is_told_until_one_succeeds() {
    let mut bench = Bench::new(small()).await;
    let all = victims(&bench, 1);
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false)).await.expect("can send");
    bench.until("accepted", id, |j| j.counts.of(Bucket::Revoking) == 1).await;
    bench.fault("get /badges/{id} status=500");
    let looked = bench.jobs.look_now(Some(id)).await;
    assert!(looked.failed.is_some());
    let note = bench.jobs.job(id).await.expect("a job").note;
    assert!(note.is_some_and(|n| n.wire().contains("last look failed")));
    bench.sandbox.control().clear_faults();
    bench.look(id).await;
    assert_eq!(bench.jobs.job(id).await.expect("a job").note, None);
}

#[tokio::test]
async fn a_lying_count_is_noticed() {
    let mut bench = Bench::new(small()).await;
    let all = victims(&bench, 3);
    bench.fault("post /badges/revoke accepted=5");
    let id = bench.jobs.revoke(RevokePlan::new(all, "중복 발급", false)).await.expect("can send");
    let job = bench.until("sent", id, |j| j.note.is_some()).await;
    assert!(job.note.is_some_and(|n| n.wire().contains("tell the provider")));
}

#[tokio::test]
async fn a_word_whose_meaning_the_service_has_proven_is_believed() {
    let options = Options { switches: vec![("labels".into(), "other".into())], ..small() };
    let mut bench = Bench::new(options).await;
    let id = bench.issue(Some(Vec::new())).await;
    bench.until("accepted", id, |j| j.counts.of(Bucket::Waiting) == 1).await;
    // Nothing is issued within five minutes: the word that is there now is the one for waiting.
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::Waiting);
    bench.advance(25 * 60);
    bench.look(id).await;
    assert_eq!(bench.row(id).await.bucket, Bucket::Issued);
    let facts = bench.jobs.facts().await.expect("facts");
    let means: Vec<&str> =
        facts.iter().filter(|f| f.name.starts_with("means ")).map(|f| f.value.as_str()).collect();
    assert_eq!(means.len(), 2, "{facts:?}");
    assert!(means.contains(&"waiting") && means.contains(&"issued"), "{facts:?}");
}

/// What each look of a schedule cost in requests, as the service's clock goes on by so many minutes.
async fn costs(bench: &Bench, steps: &[u64]) -> Vec<u64> {
    let mut costs = Vec::new();
    for minutes in steps {
        bench.advance(*minutes);
        bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
        let before = bench.requests();
        assert_eq!(bench.jobs.look_due().await.failed, None);
        costs.push(bench.requests() - before);
    }
    costs
}

#[tokio::test]
async fn where_a_count_is_proven_to_follow_a_look_costs_one_request() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    let first = begin(&bench, people(0..900)).await;
    bench.until("accepted", first, |j| j.counts.of(Bucket::Waiting) == 900).await;
    let learning = costs(&bench, &[5, 2]).await;
    let facts = bench.jobs.facts().await.expect("facts");
    assert!(facts.iter().any(|f| f.name == "issued_count" && f.value == "follows"), "{facts:?} {learning:?}");
    // From now on issuing takes a day, and in between nothing happens.
    let rest = costs(&bench, &[24 * 60]).await;
    assert!(!bench.jobs.job(first).await.expect("a job").is_open(), "{rest:?}");
    bench.sandbox.control().set("issue-time", "1d").expect("a switch");
    let second = begin(&bench, people(900..1800)).await;
    bench.until("accepted", second, |j| j.counts.of(Bucket::Waiting) == 900).await;
    let day = costs(&bench, &[5, 2, 3, 5, 15, 30, 60, 120, 240, 240, 240, 240, 240]).await;
    assert!(day[1..12].iter().all(|n| *n <= 1), "a count each: {day:?}");
    let job = bench.jobs.job(second).await.expect("a job");
    assert_eq!(job.counts.of(Bucket::Issued), 900, "and everything at the end: {day:?}");
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
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::Guarding::default());
    let guard = async |people: Vec<Person>| {
        let id = bench.jobs.draft_people(python.clone(), people).await.expect("a draft");
        bench.jobs.guard(id, &progress, tokio_util::sync::CancellationToken::new()).await.expect("a guard");
    };
    guard(people(0..50)).await;
    let row = |email: &str| RowSpec { recipient_email: email.into(), ..RowSpec::default() };
    let insert = vec![row("annlee@naru.example"), row("LEE@naru.example")];
    bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    guard(vec![Person { name: "Lee".into(), email: "lee@naru.example".into() }]).await;
    let facts = bench.jobs.facts().await.expect("facts");
    for (name, value) in [
        ("title_filter", "partial"),
        ("recipient_email_filter", "partial"),
        ("recipient_email_filter_case", "folded"),
    ] {
        assert!(facts.iter().any(|f| f.name == name && f.value == value), "{name}: {facts:?}");
    }
}
