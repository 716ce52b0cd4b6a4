//! Several jobs over overlapping people: issued, corrected, done again, paused, resumed, retried, called off,
//! undone, purged in any order, and killed, over a service that refuses what it has accepted in part and a
//! history that cannot be read to its end. The ledger is the judge: nobody has two badges of the template unless
//! a recorded decision covers that row.

use crate::crash::person::{TEMPLATE, template};
use crate::crash::random;
use crate::crash::world::{BOUND, End, Session, Trap, World};
use lapel::jobs::{
    CheckProgress, Decision, DuplicateKind, Job, JobError, JobId, JobRow, Kind, PlannedRecipient, Policy,
    RowFacts, RowFilter, RowSelection, RowStatus, Step, may,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The people there are.
const NAMES: [&str; 8] = ["김하나", "이두리", "박세나", "최네모", "정다솜", "강여울", "조일곱", "윤여덟"];
const PEOPLE: usize = NAMES.len();

/// What is issued, and what a reviewer allows.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// So many people from the n-th on.
    from: usize,
    count: usize,
    /// The first of them is there once more, under another name.
    shares: bool,
    /// The last row is corrected to the n-th person: before the review, or after it.
    corrected: Option<(usize, bool)>,
    allows: Allows,
    /// The draft is reviewed, and begun with a later step.
    later: bool,
}

#[derive(Clone, Copy, Debug)]
enum Allows {
    Nothing,
    /// What the review says of other jobs and of badges that were revoked.
    Known,
    Asked,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Issue(Plan),
    /// The n-th draft that was reviewed before.
    Begin(usize),
    /// The same with a key that is refused just now: certainly nothing is sent, and the job waits to be resumed.
    Stop {
        from: usize,
        count: usize,
    },
    /// The rows to do again of the n-th job, as a new one.
    Redo(usize),
    Pause(usize),
    Resume(usize),
    UseUp(usize),
    Retry(usize),
    /// The first row of the n-th job that a person may decide about is sent, without a look at what is known of it.
    Resend(usize),
    Cancel(usize),
    /// What the n-th job has issued is revoked, and what it will have.
    Undo(usize),
    Purge,
    Look,
    Minutes(u64),
    /// So many more badges, or any number.
    Quota(Option<u64>),
    /// The next reading of the history fails, or comes incomplete.
    Reading(&'static str),
    Calm,
}

#[derive(Clone, Debug)]
struct Case {
    batch: usize,
    in_flight: usize,
    shown: bool,
    /// A request over the quota is refused, and a part of it accepted.
    partial: bool,
    /// A setting lets two names at one address pass.
    shared: bool,
    faults: Vec<String>,
    sessions: Vec<(Vec<Move>, End)>,
}

/// What happened in all runs: without any of these they prove nothing.
static BADGES: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicU64 = AtomicU64::new(0);
static SECOND: AtomicU64 = AtomicU64::new(0);
static REVOKED: AtomicU64 = AtomicU64::new(0);
static PURGED: AtomicU64 = AtomicU64::new(0);

fn person(n: usize) -> PlannedRecipient {
    PlannedRecipient { name: NAMES[n % PEOPLE].into(), email: format!("p{n}@naru.example") }
}

/// Refusing to act is lapel's right; a journal that fails is not.
fn fine<T>(done: Result<T, JobError>) -> Option<T> {
    match done {
        Err(JobError::Journal(why)) => panic!("the journal: {why}"),
        other => other.ok(),
    }
}

async fn rows(session: &Session, id: JobId) -> Vec<JobRow> {
    session.jobs.rows(id, RowFilter::default(), 10_000).await.expect("rows")
}

/// Waits until nothing is on its way.
async fn rest(session: &Session) {
    let resting = async {
        loop {
            let jobs = session.jobs.list().await.expect("a list");
            for job in &jobs {
                session.jobs.sent(job.id).await;
            }
            let sending = |job: &Job| job.in_flight > 0 || job.counts.of(RowStatus::Sending) > 0;
            if !session.jobs.list().await.expect("a list").iter().any(sending) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, resting).await.expect("it rests");
}

fn people(range: std::ops::Range<usize>) -> Vec<PlannedRecipient> {
    range.map(|n| person(n % PEOPLE)).collect()
}

/// Whether the history was read, and what the reviewer allows is allowed.
async fn reviewed(session: &Session, id: JobId, allows: Allows) -> bool {
    let (progress, _) = watch::channel(CheckProgress::default());
    let checked = fine(session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await);
    let which: &[RowSelection] = match allows {
        Allows::Nothing => &[],
        Allows::Known => {
            &[RowSelection::Class(DuplicateKind::Sent), RowSelection::Class(DuplicateKind::Revoked)]
        }
        Allows::Asked => &[RowSelection::Asked],
    };
    for rows in which {
        fine(session.jobs.allow(id, rows.clone()).await);
    }
    checked.is_some_and(|checked| checked.complete)
}

/// A draft that was reviewed. `None` where it could not be.
async fn draft(session: &Session, people: Vec<PlannedRecipient>, plan: &Plan) -> Option<JobId> {
    if people.is_empty() {
        return None;
    }
    let last = people.len() as u64;
    let id = fine(session.jobs.draft_people(template(), people).await)?;
    let correct = async |when| {
        if let Some((n, after)) = plan.corrected
            && after == when
        {
            let PlannedRecipient { name, email } = person(n);
            fine(session.jobs.correct(id, last, &name, &email, &[]).await);
        }
    };
    correct(false).await;
    let is_read = reviewed(session, id, plan.allows).await;
    correct(true).await;
    if is_read {
        return Some(id);
    }
    fine(session.jobs.discard(id).await);
    None
}

/// Begins a draft; where things have changed since the review, it is begun with the changes.
async fn begin(session: &Session, id: JobId) {
    for _ in 0..2 {
        if fine(session.jobs.begin(id, "somebody").await).is_some() {
            return;
        }
    }
    fine(session.jobs.discard(id).await);
}

async fn issue(session: &Session, people: Vec<PlannedRecipient>, allows: Allows) {
    let plan = Plan { from: 0, count: 0, shares: false, corrected: None, allows, later: false };
    if let Some(id) = draft(session, people, &plan).await {
        begin(session, id).await;
    }
}

async fn act(session: &Session, world: &World, drafts: &mut Vec<JobId>, step: Move) {
    let jobs = session.jobs.list().await.expect("a list");
    let nth = |n: usize| (!jobs.is_empty()).then(|| &jobs[n % jobs.len()]);
    match step {
        Move::Issue(plan) => {
            let mut people = people(plan.from..plan.from + plan.count);
            if plan.shares {
                people
                    .push(PlannedRecipient { name: "형제".into(), email: people[0].email.to_uppercase() });
            }
            match draft(session, people, &plan).await {
                Some(id) if plan.later => drafts.push(id),
                Some(id) => begin(session, id).await,
                None => {}
            }
        }
        Move::Begin(n) => {
            if !drafts.is_empty() {
                begin(session, drafts.remove(n % drafts.len())).await;
            }
        }
        Move::Stop { from, count } => {
            world.fault("post status=403 times=1");
            issue(session, people(from..from + count), Allows::Nothing).await;
        }
        Move::Redo(n) => {
            let Some(job) = nth(n).filter(|job| job.kind == Kind::Issue) else { return };
            let again =
                rows(session, job.id).await.into_iter().filter(|r| may(Step::Redo, RowFacts::of(job, r)));
            let again = again.map(|r| PlannedRecipient {
                name: r.holder.wire().to_owned(),
                email: r.address.wire().to_owned(),
            });
            issue(session, again.collect(), Allows::Nothing).await;
        }
        Move::Pause(n) => {
            if let Some(job) = nth(n) {
                fine(session.jobs.pause(job.id).await);
            }
        }
        Move::Resume(n) => {
            if let Some(job) = nth(n) {
                fine(session.jobs.resume(job.id, "somebody").await);
            }
        }
        Move::UseUp(n) => {
            if let Some(job) = nth(n)
                && let Some(rest) = fine(session.jobs.use_up_quota(job.id, "somebody").await)
            {
                rest.await;
            }
        }
        Move::Retry(n) => {
            if let Some(job) = nth(n) {
                fine(session.jobs.retry_refused(job.id, "somebody").await);
            }
        }
        Move::Resend(n) => {
            let Some(job) = nth(n) else { return };
            let rows = rows(session, job.id).await;
            if let Some(row) = rows.iter().find(|r| may(Step::Resolve, RowFacts::of(job, r))) {
                let again = Decision::SendAgain;
                fine(session.jobs.resolve_row(job.id, row.no, again, "somebody", "is wanted").await);
            }
        }
        Move::Cancel(n) => {
            if let Some(job) = nth(n) {
                fine(session.jobs.cancel(job.id, "somebody").await);
            }
        }
        Move::Undo(n) => {
            if let Some(job) = nth(n)
                && let Some(undo) = fine(session.jobs.undo(job.id, "is wrong", "somebody").await)
            {
                fine(session.jobs.begin(undo, "somebody").await);
            }
        }
        Move::Purge => {
            let purged = fine(session.jobs.purge(0).await).unwrap_or_default();
            PURGED.fetch_add(purged.len() as u64, Ordering::Relaxed);
        }
        Move::Look => drop(session.jobs.poll_now(None).await),
        Move::Minutes(minutes) => {
            world.advance(minutes);
            session.hear().await;
        }
        Move::Quota(more) => {
            let issued = world.control().ledger().accepted_total();
            world.control().set_quota(more.map(|more| issued + more));
        }
        Move::Reading(fault) => world.fault(&format!("get /badges/history {fault}")),
        Move::Calm => world.control().clear_faults(),
    }
}

/// A claim and its row.
struct Claimed {
    slot: i64,
    job: i64,
    badge: Option<String>,
    allowed: Option<String>,
    /// Whether it was in a request, with any answer: a refusal may be none.
    was_sent: bool,
    /// Whether it has its slot because a person knew of the others.
    is_decided: bool,
    /// How often a person has named it to be sent again, and whether a request before that may have worked.
    named: u64,
    again: bool,
}

/// Knows whose a row was after its address was removed.
#[derive(Default)]
struct Judge {
    addresses: BTreeMap<String, String>,
}

impl Judge {
    fn claims(&mut self, world: &World) -> BTreeMap<String, Vec<Claimed>> {
        let people = world
            .query("SELECT DISTINCT person, email_key FROM row WHERE person IS NOT NULL AND email_key <> ''");
        for row in people {
            let [person, address] = <[_; 2]>::try_from(row).expect("two columns");
            self.addresses.extend(person.zip(address));
        }
        let found = world.query(
            "SELECT claim.person, claim.slot, claim.job, row.badge, row.allowed,
                    row.request IS NOT NULL, claim.decision IS NOT NULL, claim.again,
                    (SELECT count(*) FROM decision WHERE decision.job = claim.job AND decision.no = claim.no
                     AND decision.what = 'send again')
             FROM claim JOIN row ON row.job = claim.job AND row.no = claim.no ORDER BY claim.slot",
        );
        let mut claims: BTreeMap<String, Vec<Claimed>> = BTreeMap::new();
        for row in found {
            let [person, slot, job, badge, allowed, was_sent, is_decided, again, named] =
                <[_; 9]>::try_from(row).expect("nine columns");
            let number =
                |value: Option<String>| -> i64 { value.expect("a value").parse().expect("a number") };
            let claimed = Claimed {
                slot: number(slot),
                job: number(job),
                badge,
                allowed,
                was_sent: number(was_sent) == 1,
                is_decided: number(is_decided) == 1,
                again: number(again) == 1,
                named: number(named).unsigned_abs(),
            };
            claims.entry(self.addresses[&person.expect("a person")].clone()).or_default().push(claimed);
        }
        claims
    }

    /// Whom the ledger says has too many, and what the journal must never say.
    fn judge(&mut self, world: &World) {
        let claims = self.claims(world);
        let ledger = world.control().ledger();
        let over: BTreeSet<&str> =
            ledger.revokes.iter().filter(|r| r.accepted > 0).map(|r| r.badge_id.as_str()).collect();
        let mut badges: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for accepted in &ledger.accepted {
            assert_eq!(accepted.template_id, TEMPLATE);
            let all = badges.entry(accepted.recipient_email.to_lowercase()).or_default();
            all.extend(accepted.badge_ids.iter().map(String::as_str));
        }
        for (email, badges) in badges {
            let covered: u64 = claims.get(&email).map_or(0, |claims| covered(claims, &over));
            let revoked = badges.iter().filter(|badge| over.contains(**badge)).count() as u64;
            let (count, most) = (badges.len() as u64, 1 + revoked + covered);
            assert!(count <= most, "{email} has {count} badges, {revoked} revoked, {covered} covered");
            SECOND.fetch_add(count - 1, Ordering::Relaxed);
        }
        never(world);
    }
}

/// How many badges of a person are covered by decisions: about other jobs, about other rows of the same job, or
/// about the row itself.
fn covered(claims: &[Claimed], over: &BTreeSet<&str>) -> u64 {
    let is_over = |claim: &Claimed| claim.badge.as_deref().is_some_and(|badge| over.contains(badge));
    let cover = |claim: &Claimed| {
        let before: Vec<&Claimed> =
            claims.iter().filter(|other| other.was_sent && other.slot < claim.slot).collect();
        let class = claim.allowed.as_deref().unwrap_or_default();
        let knew = matches!(class, "sent" | "valid" | "waiting" | "expiring") || claim.named > 0;
        let of_others = claim.is_decided && knew;
        let of_file = claim.allowed.is_some()
            && before.iter().any(|other| other.job == claim.job)
            && before.iter().all(|other| other.job == claim.job || is_over(other));
        u64::from(of_others || of_file) + if claim.again { claim.named } else { 0 }
    };
    claims.iter().filter(|claim| claim.was_sent).map(cover).sum()
}

fn judge(world: &World) {
    Judge::default().judge(world);
}

fn never(world: &World) {
    for (what, sql) in [
        (
            "sent without a claim",
            "SELECT count(*) FROM row JOIN job ON job.id = row.job
             WHERE job.kind = 'issue' AND row.bucket IN ('sending', 'unbound', 'not_seen', 'waiting', 'issued')
               AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)",
        ),
        (
            "a claim unknown state than its row",
            "SELECT count(*) FROM claim JOIN row ON row.job = claim.job AND row.no = claim.no
             WHERE (claim.state = 'reserved') <> (row.bucket = 'ready')",
        ),
        (
            "sent by two rows at a time",
            "SELECT count(*) FROM (SELECT 1 FROM claim JOIN row ON row.job = claim.job AND row.no = claim.no
                                   WHERE row.bucket = 'sending' GROUP BY claim.account, claim.template, claim.person
                                   HAVING count(*) > 1) AS twice",
        ),
        (
            "a row of another person than its address",
            "SELECT count(*) FROM row AS one JOIN row AS two ON one.email_key = two.email_key
             WHERE one.email_key <> '' AND one.person <> two.person",
        ),
    ] {
        assert_eq!(world.number(sql), 0, "{what}");
    }
}

fn run(case: &Case) {
    let waiting = if case.shown { "visible" } else { "hidden" };
    let quota = if case.partial { "partial-422" } else { "nothing" };
    let mut world =
        World::new(&[("waiting-history", waiting), ("waiting-detail", waiting), ("over-quota", quota)]);
    (world.settings.batch, world.settings.in_flight) = (case.batch, case.in_flight);
    if case.shared {
        world.settings.policies.set(DuplicateKind::SharedAddress, Policy::Allow);
    }
    let mut judge = Judge::default();
    for rule in &case.faults {
        world.fault(rule);
    }
    for (moves, end) in &case.sessions {
        world.session(&Trap::new(*end), async |session| {
            session.hear().await;
            let mut drafts = Vec::new();
            for step in moves {
                act(session, &world, &mut drafts, *step).await;
                rest(session).await;
                judge.judge(&world);
            }
        });
        judge.judge(&world);
    }
    let held = "SELECT count(*) FROM row WHERE bucket = 'ask' AND seen IS NOT NULL";
    HELD.fetch_add(world.number(held), Ordering::Relaxed);
    let ledger = world.control().ledger();
    BADGES.fetch_add(ledger.accepted_total(), Ordering::Relaxed);
    REVOKED.fetch_add(ledger.revokes_accepted(), Ordering::Relaxed);
}

fn plan() -> impl Strategy<Value = Plan> {
    let allows = prop_oneof![8 => Just(Allows::Nothing), 1 => Just(Allows::Known), 1 => Just(Allows::Asked)];
    (
        (0..PEOPLE, 1..=PEOPLE),
        prop::bool::weighted(0.3),
        prop::option::weighted(0.2, (0..PEOPLE, any::<bool>())),
        allows,
        prop::bool::weighted(0.2),
    )
        .prop_map(|((from, count), shares, corrected, allows, later)| Plan {
            from,
            count,
            shares,
            corrected,
            allows,
            later,
        })
}

fn step() -> impl Strategy<Value = Move> {
    prop_oneof![
        6 => plan().prop_map(Move::Issue),
        1 => (0_usize..3).prop_map(Move::Begin),
        4 => (0..PEOPLE, 1..=PEOPLE).prop_map(|(from, count)| Move::Stop { from, count }),
        2 => (0_usize..6).prop_map(Move::Redo),
        1 => (0_usize..6).prop_map(Move::Pause),
        5 => (0_usize..6).prop_map(Move::Resume),
        2 => (0_usize..6).prop_map(Move::UseUp),
        3 => (0_usize..6).prop_map(Move::Retry),
        2 => (0_usize..6).prop_map(Move::Resend),
        1 => (0_usize..6).prop_map(Move::Cancel),
        2 => (0_usize..6).prop_map(Move::Undo),
        1 => Just(Move::Purge),
        2 => Just(Move::Look),
        3 => prop::sample::select(vec![1_u64, 11, 20, 60, 1441, 1600]).prop_map(Move::Minutes),
        3 => prop::option::of(0_u64..5).prop_map(Move::Quota),
        2 => prop::sample::select(vec!["status=500 times=1", "items=none times=1", "items=missing times=2"])
            .prop_map(Move::Reading),
        1 => Just(Move::Calm),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let end = prop_oneof![
        (0_usize..60).prop_map(End::Before),
        (0_usize..60).prop_map(End::After),
        Just(End::Lives)
    ];
    let session = (prop::collection::vec(step(), 3..10), end);
    (
        (1_usize..9, 1_usize..4),
        (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3)),
        prop::collection::vec(random::fault(), 0..3),
        prop::collection::vec(session, 2..5),
    )
        .prop_map(|((batch, in_flight), (shown, partial, shared), faults, sessions)| Case {
            batch,
            in_flight,
            shown,
            partial,
            shared,
            faults,
            sessions,
        })
}

/// Runs so many cases side by side, the same in every run for a seed.
fn check(cases: u32, seed: u8) {
    const SIDE_BY_SIDE: u32 = 4;
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..SIDE_BY_SIDE)
            .map(|n| {
                scope.spawn(move || {
                    let config = Config {
                        cases: cases.div_ceil(SIDE_BY_SIDE),
                        max_shrink_iters: 60,
                        failure_persistence: None,
                        ..Config::default()
                    };
                    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed ^ n as u8; 32]);
                    TestRunner::new_with_rng(config, rng)
                        .run(&case(), |case| {
                            run(&case);
                            Ok(())
                        })
                        .inspect_err(|why| eprintln!("{why}"))
                })
            })
            .collect();
        for one in all {
            if let Err(why) = one.join().expect("a thread") {
                panic!("{why}");
            }
        }
    });
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let (badges, held, second) = (of(&BADGES), of(&HELD), of(&SECOND));
    let (revoked, purged) = (of(&REVOKED), of(&PURGED));
    println!(
        "{cases} runs: {badges} badges, {held} rows under review, second ones seen {second} times, \
         {revoked} revoked, {purged} jobs purged"
    );
    let all = [held, second, revoked, purged];
    assert!(badges >= u64::from(cases) && all.iter().all(|n| *n > 0), "the runs prove nothing");
}

#[test]
fn nobody_gets_two_whatever_several_jobs_do() {
    check(if crate::team::is_team() { 12 } else { 40 }, 3);
}

#[test]
#[ignore = "LAPEL_RUNS of them, 1000 unless said otherwise"]
fn thousands_of_runs_of_several_jobs() {
    let (runs, seed) = random::wanted(1000);
    check(runs, seed);
}

/// A session that dies right after its first write of this name.
fn dies_after(world: &World, step: &'static str, people: Vec<PlannedRecipient>) {
    let lived = world.session(&Trap::new(End::AfterFirst(step)), async |session| {
        session.hear().await;
        issue(session, people, Allows::Nothing).await;
        rest(session).await;
    });
    assert!(lived.is_none(), "it died");
}

#[test]
fn a_job_that_died_before_it_sent_leaves_its_people_to_a_second_one_or_goes_on_itself() {
    for second in [true, false] {
        let world = World::new(&[]);
        dies_after(&world, "begin", people(0..PEOPLE));
        world.session(&Trap::new(End::Lives), async |session| {
            session.hear().await;
            let first = session.jobs.list().await.expect("a list")[0].id;
            if second {
                issue(session, people(0..PEOPLE), Allows::Nothing).await;
                rest(session).await;
                assert_eq!(world.control().ledger().accepted_total(), PEOPLE as u64);
            }
            session.jobs.resume(first, "somebody").await.expect("resumed");
            rest(session).await;
            let job = session.jobs.job(first).await.expect("a job");
            let held = if second { PEOPLE as u64 } else { 0 };
            assert_eq!((job.held, job.counts.of(RowStatus::NeedsReview)), (held, held));
        });
        assert_eq!(world.control().ledger().accepted_total(), PEOPLE as u64, "{second}");
        judge(&world);
    }
}

#[test]
fn of_two_processes_that_confirm_the_same_people_one_sends() {
    let world = World::new(&[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let (one, two) = (world.begin(None).await, world.begin(None).await);
        let mut drafts = Vec::new();
        for session in [&one, &two] {
            session.hear().await;
            let people: Vec<PlannedRecipient> = (0..200).map(person).collect();
            let id = session.jobs.draft_people(template(), people).await.expect("a draft");
            let (progress, _) = watch::channel(CheckProgress::default());
            session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("read");
            drafts.push(id);
        }
        let (first, second) =
            tokio::join!(one.jobs.begin(drafts[0], "one"), two.jobs.begin(drafts[1], "two"));
        first.expect("begun");
        second.expect("begun");
        for session in [&one, &two] {
            rest(session).await;
        }
        let held = [one.jobs.job(drafts[0]).await, two.jobs.job(drafts[1]).await];
        let mut held: Vec<u64> = held.into_iter().map(|job| job.expect("a job").held).collect();
        held.sort_unstable();
        assert_eq!(held, [0, 200]);
        let ledger = world.control().ledger();
        assert_eq!(ledger.accepted_total(), 200);
        assert!(ledger.accepted.iter().all(|accepted| accepted.count == 1));
    });
}
