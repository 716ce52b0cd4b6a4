//! Sending and following, over a real sandbox; its ledger says what really happened.
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
use lapel::domain::{Address, BadgeId, State, TemplateId};
use lapel::jobs::{IssuePlan, Job, Jobs, RevokePlan, RowState, Victim};
use lapel::sandbox::RowState::Waiting;
use lapel::sandbox::{Options, RowSpec, Rows, Sandbox};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

struct Bench {
    sandbox: Sandbox,
    access: Access,
    jobs: Jobs,
    events: mpsc::Receiver<Arc<Job>>,
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
        let access = connect(&change(session(&sandbox, Environment::Demo).connection)).expect("connected");
        let (jobs, events) = Jobs::new(access.clone());
        Self { sandbox, access, jobs, events }
    }

    /// The next snapshot that fulfils a condition; everything else that comes before it is passed over.
    async fn until(&mut self, what: &str, fulfilled: impl Fn(&Job) -> bool) -> Arc<Job> {
        let waiting = async {
            loop {
                let job = self.events.recv().await.expect("the job goes on");
                if fulfilled(&job) {
                    return job;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting)
            .await
            .unwrap_or_else(|_| panic!("in vain: {what}"))
    }

    fn requests(&self) -> u64 {
        self.sandbox.control().ledger().requests.values().sum()
    }

    /// Has everything looked at, and waits until the service has been asked and has answered.
    async fn look(&self) {
        let before = self.requests();
        self.jobs.look_now();
        let answered = |bench: &Self| {
            let log = bench.access.reader().log();
            log.len() as u64 == bench.requests() && bench.requests() > before
        };
        let waiting = async {
            while !answered(self) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("a look");
    }

    fn posts(&self, path: &str) -> u64 {
        self.sandbox.control().ledger().requests.get(&format!("POST {path}")).copied().unwrap_or(0)
    }
}

fn small() -> Options {
    Options { history: Some(300), ..frozen() }
}

fn plan(held_before: Option<Vec<BadgeId>>) -> IssuePlan {
    IssuePlan {
        template_id: TemplateId::new("TPL-001").expect("an id"),
        title: "디지털 리터러시 기초 과정 수료".into(),
        recipient_name: "홍길동".into(),
        recipient_email: Address::check("gildong@naru.example").expect("an address"),
        held_before,
    }
}

/// The states that a row may rest in after its request has ended.
fn rests(job: &Job) -> bool {
    !job.sending
}

#[tokio::test]
async fn whatever_happens_to_the_answer_a_badge_is_issued_at_most_once() {
    for (rule, committed, in_doubt) in [
        ("commit-drop", true, true),
        ("commit-reset", true, true),
        ("commit status=500", true, true),
        ("commit html=502", true, true),
        ("commit garbage", true, true),
        ("commit empty", true, true),
        ("commit empty=204", true, true),
        ("truncate=5", true, true),
        ("wrong-length=+50", true, true),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=307", true, true),
        ("commit redirect=http://127.0.0.1:9/elsewhere status=302", true, true),
        ("drop", false, true),
        ("reset", false, true),
        ("status=500", false, true),
        ("html=503", false, true),
        ("status=400", false, false),
        ("status=403", false, false),
        ("status=404", false, false),
        ("status=422", false, false),
    ] {
        let mut bench = Bench::new(small()).await;
        bench.sandbox.control().add_fault(&format!("post /badges {rule}")).expect(rule);
        bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
        let job = bench.until(rule, rests).await;
        let state = &job.rows[0].state;
        if in_doubt {
            assert!(matches!(state, RowState::InDoubt(_)), "{rule}: {state:?}");
        } else {
            assert!(matches!(state, RowState::NotDone(_)), "{rule}: {state:?}");
        }
        assert_eq!(bench.posts("/badges"), 1, "{rule}");
        let accepted = bench.sandbox.control().ledger().accepted_total();
        assert_eq!(accepted, u64::from(committed), "{rule}");
        if committed {
            bench.jobs.look_now();
            let job = bench.until(rule, |j| j.rows[0].state == RowState::Waiting).await;
            assert!(job.rows[0].badge_id.is_some(), "{rule}");
            assert_eq!(bench.posts("/badges"), 1, "{rule}");
        }
    }
}

#[tokio::test]
async fn a_refusal_for_the_pace_is_waited_out_and_sent_again() {
    let mut bench = Bench::new(small()).await;
    bench.sandbox.control().add_fault("post /badges status=429 retry-after=1 times=1").expect("a rule");
    bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    let job = bench.until("accepted", rests).await;
    assert_eq!(job.rows[0].state, RowState::Waiting);
    assert_eq!(bench.posts("/badges"), 2);
    assert_eq!(bench.sandbox.control().ledger().accepted_total(), 1);
}

#[tokio::test]
async fn what_was_there_before_is_not_taken_for_ours() {
    let mut bench = Bench::new(small()).await;
    let row = RowSpec { recipient_email: "gildong@naru.example".into(), ..RowSpec::default() };
    let before =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    let before: Vec<BadgeId> = before.into_iter().filter_map(BadgeId::new).collect();
    bench.sandbox.control().add_fault("post /badges drop").expect("a rule");
    bench.jobs.issue(plan(Some(before.clone()))).expect("can send");
    bench.until("a doubt", rests).await;
    bench.look().await;
    // The request was slow rather than lost: its badge turns up.
    let row =
        RowSpec { recipient_email: "Gildong@naru.example".into(), state: Waiting, ..RowSpec::default() };
    let ours =
        bench.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    bench.jobs.look_now();
    let job = bench.until("found", |j| !matches!(j.rows[0].state, RowState::InDoubt(_))).await;
    assert_eq!(job.rows[0].badge_id.as_ref().map(BadgeId::wire), ours.first().map(String::as_str));
    assert_eq!(job.rows[0].state, RowState::Waiting);
}

#[tokio::test]
async fn an_older_badge_that_was_hidden_before_is_not_taken_for_ours() {
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
    bench.sandbox.control().add_fault("post /badges drop").expect("a rule");
    bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    bench.until("a doubt", rests).await;
    bench.sandbox.control().advance(Duration::from_secs(25 * 3600));
    bench.jobs.look_now();
    let job = bench.until("a note", |j| j.note.is_some()).await;
    assert!(matches!(job.rows[0].state, RowState::InDoubt(_)), "{:?}", job.rows[0].state);
    assert_eq!(bench.sandbox.control().ledger().accepted_total(), 0);
}

#[tokio::test]
async fn no_badge_is_claimed_by_two_jobs() {
    let mut bench = Bench::new(small()).await;
    bench.sandbox.control().add_fault("post /badges drop times=1").expect("a rule");
    let first = bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    bench.until("a doubt", rests).await;
    bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    bench.until("accepted", |j| j.id != first && rests(j)).await;
    bench.look().await;
    let third = bench.jobs.issue(plan(None)).expect("can send");
    // By the time that a later request is answered, the look is long over.
    let until_third = async {
        loop {
            let job = bench.events.recv().await.expect("the jobs go on");
            assert!(job.id != first || job.rows[0].badge_id.is_none(), "the second job's badge was taken");
            if job.id == third && rests(&job) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), until_third).await.expect("the third is answered");
}

#[tokio::test]
async fn without_a_look_before_nothing_found_proves_anything() {
    let mut bench = Bench::new(small()).await;
    bench.sandbox.control().add_fault("post /badges commit-drop").expect("a rule");
    bench.jobs.issue(plan(None)).expect("can send");
    bench.until("a doubt", rests).await;
    bench.jobs.look_now();
    let job = bench.until("a note", |j| j.note.is_some()).await;
    assert!(matches!(job.rows[0].state, RowState::InDoubt(_)));
    assert!(job.note.as_deref().is_some_and(|n| n.contains("cannot tell")), "{:?}", job.note);
}

#[tokio::test]
async fn a_service_that_is_gone_is_certainly_not_done() {
    let Bench { sandbox, jobs, mut events, .. } = Bench::new(small()).await;
    sandbox.stop().await;
    jobs.issue(plan(Some(Vec::new()))).expect("can send");
    let job = loop {
        let job = events.recv().await.expect("the job goes on");
        if rests(&job) {
            break job;
        }
    };
    assert!(matches!(job.rows[0].state, RowState::NotDone(_)), "{:?}", job.rows[0].state);
}

#[tokio::test]
async fn a_read_only_connection_has_nothing_to_send_with() {
    let bench = Bench::with(small(), |mut connection| {
        connection.read_only = true;
        connection
    })
    .await;
    assert!(!bench.jobs.can_send());
    assert!(bench.jobs.issue(plan(None)).is_none());
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
    bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    bench.until("accepted", rests).await;
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::ThisComputer);
    bench.sandbox.control().advance(Duration::from_secs(25 * 3600));
    bench.jobs.look_now();
    bench.until("issued", |j| j.rows[0].state == RowState::Issued).await;
    assert_eq!(bench.access.reader().clock().basis(), OffsetBasis::Learned);
    assert_eq!(bench.access.reader().clock().offset().seconds(), -(3 * 3600 + 1800));
}

#[tokio::test]
async fn unknown_words_never_end_a_job_by_a_guess() {
    let options = Options { switches: vec![("labels".into(), "other".into())], ..small() };
    let mut bench = Bench::new(options).await;
    bench.jobs.issue(plan(Some(Vec::new()))).expect("can send");
    bench.until("accepted", rests).await;
    // The first word seen after acceptance is taken for waiting's; the next one is shown as it is.
    bench.look().await;
    bench.sandbox.control().advance(Duration::from_secs(25 * 3600));
    bench.jobs.look_now();
    let job = bench.until("another word", |j| j.rows[0].state != RowState::Waiting).await;
    assert!(matches!(job.rows[0].state, RowState::Other(_)), "{:?}", job.rows[0].state);
    assert!(job.is_open(), "a word that lapel does not know is no end");
    assert_eq!(bench.posts("/badges"), 1);
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
    // Meanwhile 30 of them have been revoked by someone else.
    let earlier = RevokePlan::new(victims[..30].to_vec(), "earlier").expect("few");
    bench.jobs.revoke(earlier).expect("can send");
    bench.until("the earlier ones", |j| rests(j) && j.rows.len() == 30).await;
    bench.sandbox.control().advance(Duration::from_secs(7200));
    let before: u64 = bench.sandbox.control().ledger().requests.values().sum();
    bench.jobs.revoke(RevokePlan::new(victims, "중복 발급").expect("250")).expect("can send");
    let job = bench
        .until("named", |j| {
            j.rows.len() == 250
                && rests(j)
                && j.rows.iter().all(|r| !matches!(r.state, RowState::Unproven | RowState::Sending))
        })
        .await;
    let after: u64 = bench.sandbox.control().ledger().requests.values().sum();
    assert_eq!(job.counts().iter().map(|(_, n)| n).sum::<usize>(), 250);
    assert!(job.rows.iter().filter(|r| r.state == RowState::Revoked).count() >= 30, "{:?}", job.counts());
    assert!(after - before <= 1 + 4, "1 revoke and the pages of 250 badges: {}", after - before);
}

#[tokio::test]
async fn a_lost_answer_to_a_revocation_is_settled_by_looking() {
    let mut bench = Bench::new(small()).await;
    let victims = victims(&bench, 3);
    bench.sandbox.control().add_fault("post /badges/revoke commit-drop").expect("a rule");
    bench.jobs.revoke(RevokePlan::new(victims, "중복 발급").expect("3")).expect("can send");
    let job = bench.until("seen", |j| j.rows.iter().all(|r| r.state == RowState::Revoking)).await;
    assert_eq!(job.rows.len(), 3);
    assert_eq!(bench.posts("/badges/revoke"), 1);
}

#[tokio::test]
async fn a_look_that_failed_is_told_until_one_succeeds() {
    let mut bench = Bench::new(small()).await;
    let victims = victims(&bench, 1);
    bench.jobs.revoke(RevokePlan::new(victims, "중복 발급").expect("1")).expect("can send");
    bench.until("accepted", |j| rests(j) && j.rows[0].state == RowState::Revoking).await;
    bench.sandbox.control().add_fault("get /badges/{id} status=500").expect("a rule");
    bench.jobs.look_now();
    let failed = |j: &Job| j.note.as_deref().is_some_and(|n| n.contains("the last look failed"));
    bench.until("a look that fails", failed).await;
    bench.sandbox.control().clear_faults();
    bench.jobs.look_now();
    let job = bench.until("a look that succeeds", |j| !failed(j)).await;
    assert_eq!(job.note.as_deref(), Some("1 of 1 accepted"));
}

#[tokio::test]
async fn a_lying_count_is_noticed() {
    let mut bench = Bench::new(small()).await;
    let victims = victims(&bench, 3);
    bench.sandbox.control().add_fault("post /badges/revoke accepted=5").expect("a rule");
    bench.jobs.revoke(RevokePlan::new(victims, "중복 발급").expect("3")).expect("can send");
    let job = bench.until("sent", rests).await;
    assert!(job.note.as_deref().is_some_and(|n| n.contains("tell the provider")), "{:?}", job.note);
}

#[tokio::test]
async fn more_than_one_request_is_refused_before_anything_is_sent() {
    let victim = |n: usize| Victim {
        badge_id: BadgeId::new(format!("B{n}")).expect("an id"),
        holder: "h".into(),
        email: "e".into(),
        title: "t".into(),
        state: State::Issued,
    };
    assert!(RevokePlan::new((0..1000).map(victim).collect(), "r").is_ok());
    let error = RevokePlan::new((0..1001).map(victim).collect(), "r").expect_err("too many");
    assert!(error.to_string().contains("1001"), "{error}");
    let twice =
        RevokePlan::new((0..1000).chain(0..1000).map(victim).collect(), "r").expect("each counts once");
    assert_eq!(twice.victims().len(), 1000);
}
