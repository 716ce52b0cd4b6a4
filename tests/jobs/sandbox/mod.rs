//! Sending, looking and following through the journal, over a real sandbox; its ledger says what really
//! happened.

mod claims;
mod doubts;
mod meanwhile;
mod observed_behaviour;
mod pages;
mod renamed;
mod resend;
mod review;
mod revoking;
mod several_rows;
mod stops;

use crate::common::{frozen, session};
use crate::team;
use lapel::api::{Access, connect};
use lapel::config::Environment;
use lapel::domain::time::OffsetBasis;
use lapel::domain::{Address, BadgeId, State, TemplateId, Text};
use lapel::jobs::{
    Account, Code, Decision, IssuePlan, Job, JobChange, JobConfig, JobId, JobRow, Jobs, Phase,
    PlannedRecipient, RevokePlan, RevokeTarget, RowFilter, RowStatus, StopKind,
};
use lapel::sandbox::RowState::Waiting;
use lapel::sandbox::{Options, RowSpec, Rows, Sandbox};
use std::time::Duration;
use tokio::sync::mpsc;

/// No condition of a test takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(60);

struct Bench {
    sandbox: Sandbox,
    access: Access,
    jobs: Jobs,
    events: mpsc::Receiver<JobChange>,
}

impl Bench {
    async fn new(options: Options) -> Self {
        Self::with(options, |connection| connection).await
    }

    async fn with(
        options: Options,
        change: impl FnOnce(lapel::api::Connection) -> lapel::api::Connection,
    ) -> Self {
        Self::set(options, change, JobConfig::default()).await
    }

    async fn set(
        options: Options,
        change: impl FnOnce(lapel::api::Connection) -> lapel::api::Connection,
        settings: JobConfig,
    ) -> Self {
        let sandbox = Sandbox::start(options.showing_waiting()).await.expect("the sandbox starts");
        let connection = change(session(&sandbox, Environment::Demo).connection);
        let account = Account::of("demo", &connection);
        let access = connect(&connection).expect("connected");
        let journal = team::in_memory();
        let (jobs, events) = Jobs::start(access.clone(), journal, account, settings).await.expect("jobs");
        // As a program does when it connects, so that times are the service's. It continues without an answer, too.
        let _ = access.reader().ping(&lapel::api::Call::interactive()).await;
        Self { sandbox, access, jobs, events }
    }

    /// The state of a job as soon as it fulfils a condition.
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
        self.jobs.issue(plan(held_before), "test").await.expect("it is written down")
    }

    async fn poll(&self, id: JobId) {
        let polled = self.jobs.poll_now(Some(id)).await;
        assert_eq!(polled.failed, None);
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
        allows: None,
    }
}

/// Whether nothing of it is on its way.
fn rests(job: &Job) -> bool {
    !job.is_sending()
}

fn people(range: std::ops::Range<usize>) -> Vec<PlannedRecipient> {
    range
        .map(|n| PlannedRecipient { name: format!("사람 {n}"), email: format!("person{n}@naru.example") })
        .collect()
}

fn targets(bench: &Bench, count: usize) -> Vec<RevokeTarget> {
    let row = RowSpec { recipient_email: "many@naru.example".into(), ..RowSpec::default() };
    let ids = bench
        .sandbox
        .control()
        .rows(&Rows { insert: vec![row; count], ..Rows::default() })
        .expect("inserted");
    ids.into_iter()
        .filter_map(BadgeId::new)
        .map(|badge_id| RevokeTarget {
            badge_id,
            holder: "h".into(),
            email: "e".into(),
            title: "t".into(),
            state: State::Issued,
            is_of_index: false,
        })
        .collect()
}

async fn begin(bench: &Bench, people: Vec<PlannedRecipient>) -> JobId {
    let id = bench.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    bench.jobs.begin(id, "test").await.expect("begun");
    id
}

#[tokio::test]
async fn many_go_in_full_requests_and_are_followed_to_the_end_with_few() {
    let mut bench = Bench::new(small()).await;
    let id = begin(&bench, people(0..2500)).await;
    let checking = bench.requests();
    let job = bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 2500).await;
    assert_eq!(job.counts.total(), 2500);
    assert_eq!((bench.posts("/badges/batch"), bench.posts("/badges")), (3, 0));
    assert_eq!(bench.accepted(), 2500);
    // Twice, since the first reading began before the service's clock was heard.
    assert!(checking <= 2 * (2 + 20), "pages of a small history, and a few people by address: {checking}");
    bench.advance(25 * 60);
    let before = bench.requests();
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Issued), 2500, "{:?}", job.counts);
    assert!(!job.is_open());
    assert!(bench.requests() - before <= 30, "2,500 badges are some 25 pages");
}

#[tokio::test]
async fn a_twin_names_the_row_that_it_repeats() {
    let bench = Bench::new(small()).await;
    let all = ["형제", "가나", "가나"]
        .map(|name| PlannedRecipient { name: name.into(), email: "one@naru.example".into() });
    let id = bench.jobs.draft_people(template(), all.to_vec()).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    let rows = bench.rows(id).await;
    let why = rows[2].why.as_ref().map(ToString::to_string).unwrap_or_default();
    let second = crate::texts::msg_with("row {row} has the same e-mail address", &[&2]);
    assert!(why.contains(&second), "{why}");
}

#[tokio::test]
async fn two_rows_of_one_address_are_never_in_one_request() {
    let mut bench = Bench::new(small()).await;
    let mut all = people(0..50);
    all.push(PlannedRecipient { name: "형제".into(), email: "PERSON7@naru.example".into() });
    let id = bench.jobs.draft_people(template(), all).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    let checked = bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    assert_eq!(checked.classes, vec![(lapel::jobs::DuplicateKind::SharedAddress, 1)]);
    bench.jobs.allow(id, lapel::jobs::RowSelection::Asked).await.expect("allowed");
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 51).await;
    assert_eq!((bench.posts("/badges/batch"), bench.posts("/badges")), (1, 1));
    let rows = bench.rows(id).await;
    let ids: std::collections::HashSet<_> = rows.iter().filter_map(|r| r.badge_id.clone()).collect();
    assert_eq!(ids.len(), 51, "each has a badge of its own");
}

#[tokio::test]
async fn the_duplicate_check_knows_what_each_person_holds() {
    use lapel::jobs::DuplicateKind;
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
    let person =
        |name: &&str| PlannedRecipient { name: (*name).into(), email: format!("{name}@naru.example") };
    let id = bench.jobs.draft_people(template(), names.iter().map(person).collect()).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    let checked = bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    assert!(checked.complete);
    let classes: Vec<(String, Option<DuplicateKind>, RowStatus)> = bench
        .rows(id)
        .await
        .into_iter()
        .map(|r| (r.holder.wire().to_owned(), r.class, r.row_status))
        .collect();
    let expected = [
        ("valid", Some(DuplicateKind::Valid), RowStatus::NeedsReview),
        ("waiting", Some(DuplicateKind::Waiting), RowStatus::Skipped),
        ("revoked", Some(DuplicateKind::Revoked), RowStatus::NeedsReview),
        ("revoking", Some(DuplicateKind::Revoked), RowStatus::NeedsReview),
        ("expired", Some(DuplicateKind::Expired), RowStatus::Ready),
        ("case", Some(DuplicateKind::Valid), RowStatus::NeedsReview),
        ("dot", Some(DuplicateKind::LookAlike), RowStatus::NeedsReview),
        ("other", None, RowStatus::Ready),
        ("new", None, RowStatus::Ready),
        ("new", Some(DuplicateKind::Twin), RowStatus::Skipped),
    ];
    for (row, (name, class, row_status)) in classes.iter().zip(expected) {
        assert_eq!((row.0.as_str(), row.1, row.2), (name, class, row_status));
    }
    assert_eq!(classes.len(), expected.len());
}

#[tokio::test]
async fn what_an_earlier_job_has_sent_counts_though_the_service_does_not_show_it() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    let first = begin(&bench, people(0..5)).await;
    bench.until("accepted", first, |j| j.counts.of(RowStatus::Waiting) == 5).await;
    let id = bench.jobs.draft_people(template(), people(3..8)).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(lapel::jobs::CheckProgress::default());
    let checked = bench
        .jobs
        .check_duplicates(id, &progress, tokio_util::sync::CancellationToken::new())
        .await
        .expect("a duplicate check");
    assert_eq!(checked.classes, vec![(lapel::jobs::DuplicateKind::Sent, 2)]);
    bench.jobs.begin(id, "test").await.expect("begun");
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 3).await;
    assert_eq!(bench.accepted(), 8);
}
