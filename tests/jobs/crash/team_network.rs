//! Connections to a team's database that break or hang at any commit, or within a statement. `again_on_postgresql` runs
//! these tests.

use crate::crash::drafts;
use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script};
use crate::crash::team_wait;
use crate::crash::world::{Session, World};
use crate::proxy::{Point, Proxy, Strike, Then};
use crate::team;
use lapel::domain::Address;
use lapel::jobs::{Disclosure, Fault, IssuePlan, JobId, Moment, Phase, RowFilter};
use lapel::team::DatabaseLimits;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

/// For a network that breaks: lapel stops waiting soon.
static SHORT: DatabaseLimits =
    DatabaseLimits { reconnect: Duration::from_millis(300), ..DatabaseLimits::USUAL };
/// Of a network that hangs, where nobody holds the lock of the journal.
static IMPATIENT: DatabaseLimits =
    DatabaseLimits { read: Duration::from_secs(2), write: Duration::from_secs(3), ..DatabaseLimits::USUAL };
/// As usual, but for the lock: it is held for 10 s by the server's side of the connection that hangs.
static LOCKED: DatabaseLimits = DatabaseLimits { write: Duration::from_secs(6), ..DatabaseLimits::USUAL };

/// A world whose sessions connect through a proxy.
struct Routed {
    world: World,
    proxy: Proxy,
    script: Script,
}

impl Routed {
    fn new(revokes: bool, strike: Option<Strike>, limits: &'static DatabaseLimits) -> Self {
        let mut world = World::new(&[("waiting-history", "visible"), ("waiting-detail", "visible")]);
        world.settings.batch = 2;
        let script = Script::of(if revokes {
            JobInput::Revoke(person::targets(&world, 3))
        } else {
            JobInput::Issue(person::people(3))
        });
        let server = team::route(world.folder(), None);
        let proxy = Proxy::start(&server, strike);
        team::route(world.folder(), Some((proxy.folder(), limits)));
        Self { world, proxy, script }
    }

    /// Lives through a session. `None` if it ends where the connection breaks.
    fn session<T>(&self, ends: bool, life: impl AsyncFnOnce(&mut Session) -> T) -> Option<T> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let lived = runtime.block_on(async {
            let living = async { life(&mut self.world.begin(None).await).await };
            let ending =
                async { if ends { self.proxy.struck().await } else { std::future::pending().await } };
            tokio::select! {
                biased;
                () = ending => None,
                lived = living => Some(lived),
            }
        });
        drop(runtime);
        lived
    }

    async fn live(&self, session: &mut Session) {
        person::live(session, &self.world, &self.script).await;
        oracle::finally(session, &self.world, &self.script).await;
    }

    /// No lease is left behind.
    fn assure_clean(&self) {
        self.world.let_go();
        oracle::meanwhile(&self.world, &self.script);
        let open = "SELECT count(*) FROM request WHERE outcome IS NULL";
        assert_eq!(self.world.number(open), 0, "a request without an end");
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        team::route(self.world.folder(), None);
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    revokes: bool,
    strike: Strike,
}

/// How many commits and reads a session has that nothing disturbs.
fn counts(revokes: bool) -> (usize, usize) {
    let routed = Routed::new(revokes, None, &SHORT);
    routed.session(false, async |session| routed.live(session).await);
    routed.assure_clean();
    (routed.proxy.commits(), routed.proxy.reads())
}

/// One strike at every commit, or at every `step`-th of them; with `LAPEL_RUNS` at every one.
fn cases(revokes: bool, points: &[Point], then: Then, step: usize) -> Vec<Case> {
    let step = if std::env::var_os("LAPEL_RUNS").is_some() { 1 } else { step };
    let (commits, reads) = counts(revokes);
    assert!(commits > 10 && reads > 10, "{commits} {reads}");
    let of_point = |point: &Point| {
        // The first read opens the journal. If that fails, lapel shows an error, and nothing has begun.
        let (first, count) = if *point == Point::InRead { (1, reads) } else { (0, commits) };
        let strike = |point, nth| Strike { point, nth, then };
        let point = *point;
        (first..count).step_by(step).map(move |nth| Case { revokes, strike: strike(point, nth) })
    };
    points.iter().flat_map(of_point).collect()
}

/// Enough of them must have struck: the order of the writes is not always the same.
fn assure_struck(struck: &[bool]) {
    let count = struck.iter().filter(|struck| **struck).count();
    println!("{} runs, {count} of them struck", struck.len());
    assert!(count * 10 >= struck.len() * 8, "{count} of {}", struck.len());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_connection_that_breaks_at_any_commit_changes_nothing() {
    let points = [Point::BeforeCommit, Point::AfterCommit, Point::InAnswer];
    let mut cases = cases(false, &points, Then::Cut, 2);
    cases.extend(self::cases(false, &[Point::InWrite], Then::Cut, 4));
    cases.extend(self::cases(true, &points, Then::Cut, 5));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(case.revokes, Some(case.strike), &DatabaseLimits::USUAL);
        routed.session(false, async |session| routed.live(session).await);
        routed.assure_clean();
        routed.proxy.has_struck()
    });
    assure_struck(&struck);
}

/// The database stays away, and lapel ends. It continues later, from what is in the database.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_process_that_ends_without_its_database_loses_nothing() {
    let points = [Point::BeforeCommit, Point::AfterCommit];
    let mut cases = cases(false, &points, Then::Away, 3);
    cases.extend(self::cases(true, &points, Then::Away, 6));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(case.revokes, Some(case.strike), &SHORT);
        let lived = routed.session(true, async |session| routed.live(session).await);
        let has_struck = routed.proxy.has_struck();
        assert!(has_struck || lived.is_some());
        if lived.is_some() {
            routed.proxy.come_back();
        } else {
            // A write that it still tries never arrives: the next process takes another way.
            team::route(routed.world.folder(), None);
            oracle::meanwhile(&routed.world, &routed.script);
            // Its lease ends in its own time.
            team::end_leases(routed.world.folder());
            routed.session(false, async |session| routed.live(session).await);
        }
        routed.assure_clean();
        has_struck
    });
    assure_struck(&struck);
}

/// A job of which nobody waits for a draft any more.
async fn begun(session: &mut Session) -> JobId {
    let id = drafts::drafted(session, 3).await;
    drafts::checked(session, id).await;
    // Its answer may be lost.
    let _ = session.jobs.begin(id, "kim").await;
    id
}

/// The database stays away for longer than a write waits, while the job is sent: at its begin, its intents and answers.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_that_loses_its_database_goes_on_when_that_is_back() {
    let points = [Point::AfterCommit, Point::InWrite];
    let mut cases = Vec::new();
    let (before, after) = {
        let routed = Routed::new(false, None, &SHORT);
        routed
            .session(false, async |session| {
                let id = drafts::drafted(session, 3).await;
                drafts::checked(session, id).await;
                let before = routed.proxy.commits();
                let _ = session.jobs.begin(id, "kim").await;
                person::rest(session, id).await;
                (before, routed.proxy.commits())
            })
            .expect("it lived")
    };
    assert!(after >= before + 5, "a begin, two intents and two answers: {before} to {after}");
    for point in points {
        let strike = |nth| Strike { point, nth, then: Then::Away };
        cases.extend((before..after).map(|nth| Case { revokes: false, strike: strike(nth) }));
    }
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(false, Some(case.strike), &SHORT);
        routed.session(false, async |session| {
            let id = begun(session).await;
            tokio::select! {
                () = routed.proxy.struck() => {}
                () = session.jobs.sent(id) => {}
            }
            if routed.proxy.has_struck() {
                // It waits behind the write that was struck, and that one is given up.
                session.jobs.note_opening(&Disclosure::Match, "kim").await.expect_err("it is away");
                oracle::meanwhile(&routed.world, &routed.script);
                routed.proxy.come_back();
                team_wait::back(&session.jobs).await;
            }
            routed.live(session).await;
        });
        routed.assure_clean();
        routed.proxy.has_struck()
    });
    assure_struck(&struck);
}

/// The connection stays open. The server has committed, or a read waits.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_connection_that_hangs_is_replaced() {
    let mut cases = cases(false, &[Point::AfterCommit], Then::Hang, 4);
    cases.extend(self::cases(false, &[Point::InRead], Then::Hang, 24));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(case.revokes, Some(case.strike), &IMPATIENT);
        routed.session(false, async |session| routed.live(session).await);
        routed.assure_clean();
        routed.proxy.has_struck()
    });
    assure_struck(&struck);
}

/// What Home, Activity and Wallet show has a connection of its own.
#[test]
#[ignore = "needs PostgreSQL"]
fn reads_do_not_wait_for_a_write_that_hangs() {
    let writes = |routed: &Routed| {
        let start = async |session: &mut Session| {
            session.hear().await;
            session.jobs.list().await.expect("a list");
            routed.proxy.commits()
        };
        routed.session(false, start).expect("it lived")
    };
    let nth = writes(&Routed::new(false, None, &DatabaseLimits::USUAL));
    let strike = Strike { point: Point::BeforeCommit, nth, then: Then::Hang };
    let routed = Routed::new(false, Some(strike), &DatabaseLimits::USUAL);
    routed.session(false, async |session| {
        session.hear().await;
        session.jobs.list().await.expect("a list");
        let mut writing = pin!(session.jobs.note_opening(&Disclosure::Match, "kim"));
        tokio::select! {
            biased;
            done = &mut writing => panic!("it does not hang: {done:?}"),
            () = routed.proxy.struck() => {}
        }
        let reading = async {
            session.jobs.list().await.expect("Activity");
            session.jobs.kept_drafts().await.expect("Home");
            session.jobs.sent_to("p0@naru.example").await.expect("Wallet");
            session.jobs.count_rows(JobId(1), &RowFilter::default()).await.expect("rows");
        };
        tokio::select! {
            biased;
            done = &mut writing => panic!("reads have waited for the write: {done:?}"),
            () = reading => {}
        }
        routed.proxy.cut();
        writing.await.expect("written on another connection");
        assert_eq!(
            routed.world.number("SELECT count(*) FROM decision WHERE what = 'open a possible match'"),
            1
        );
    });
    routed.assure_clean();
}

/// What a person asks for in one step, and the answer to its commit is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OneStep {
    Issue,
    Replace,
    Undo,
}

fn plan() -> IssuePlan {
    let (template_id, title) = person::template();
    IssuePlan {
        template_id,
        title,
        recipient_name: "사람 0".into(),
        recipient_email: Address::check("p0@naru.example").expect("an address"),
        held_before: Some(Vec::new()),
        allows: None,
    }
}

/// The database stays away for longer than a write waits. Nobody knows the number of the job, so nobody sends it.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_whose_number_nobody_learned_is_stopped_and_a_draft_is_discarded() {
    many::all(&[OneStep::Issue, OneStep::Replace, OneStep::Undo], |step| {
        let mut routed = Routed::new(false, None, &SHORT);
        routed.world.settings.others = Duration::from_millis(100);
        let world = &routed.world;
        let is_armed = Arc::new(AtomicBool::new(false));
        let (armed, folder) = (is_armed.clone(), world.folder().to_owned());
        let watcher = Arc::new(move |moment| match moment {
            Moment::After("plan") if armed.swap(false, Ordering::AcqRel) => {
                team::close_to_all(&folder);
                Fault::Disconnect
            }
            _ => Fault::None,
        });
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut session = world.begin(Some(watcher)).await;
            session.hear().await;
            let earlier = if *step == OneStep::Undo {
                let id = person::begin(&mut session, world, &routed.script).await;
                person::rest(&mut session, id).await;
                Some(id)
            } else {
                None
            };
            let sent = world.control().ledger().accepted_total();
            is_armed.store(true, Ordering::Release);
            let old = person::targets(world, 1).remove(0);
            let jobs = session.jobs.clone();
            let done = match (step, earlier) {
                (OneStep::Undo, Some(id)) => jobs.undo(id, "a mistake", "me").await.map(drop),
                (OneStep::Replace, _) => jobs.replace(plan(), old, "a mistake", "kim").await.map(drop),
                _ => jobs.issue(plan(), "kim").await.map(drop),
            };
            done.expect_err("the answer is lost");
            assert!(!is_armed.load(Ordering::Acquire), "the commit was answered");
            team::open_to_all(world.folder());
            let count =
                |phase: &str| world.number(&format!("SELECT count(*) FROM job WHERE phase = '{phase}'"));
            let stopped = match step {
                OneStep::Issue => 1,
                OneStep::Replace => 2,
                OneStep::Undo => 0,
            };
            team_wait::until(|| count("stopped") == stopped && count("draft") == 0).await;
            assert_eq!(world.control().ledger().accepted_total(), sent, "nobody sends it");
            let mut listed = team_wait::back(&jobs).await;
            if let Some(id) = earlier {
                jobs.undo(id, "a mistake", "me").await.expect("the same again works");
                return;
            }
            let issue = listed.pop().expect("the first job");
            assert_eq!(issue.phase, Phase::Stopped, "{issue:?}");
            jobs.resume(issue.id, "kim").await.expect("a person resumes it");
            person::rest(&mut session, issue.id).await;
            assert_eq!(world.control().ledger().accepted_total(), 1);
        });
        drop(runtime);
        routed.world.let_go();
    });
}

/// The server waits, too, and holds the lock of the journal meanwhile.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_connection_that_hangs_with_the_lock_is_replaced_when_the_server_ends_it() {
    let (commits, _) = counts(false);
    let strike = |point, nth| Case { revokes: false, strike: Strike { point, nth, then: Then::Hang } };
    let mut cases = vec![strike(Point::InWrite, commits / 2)];
    cases.extend([3, 5, 7, 9].map(|part| strike(Point::BeforeCommit, commits * part / 10)));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(false, Some(case.strike), &LOCKED);
        let begun = Instant::now();
        routed.session(false, async |session| routed.live(session).await);
        assert!(begun.elapsed() < Duration::from_secs(60), "it took {:?}", begun.elapsed());
        routed.assure_clean();
        routed.proxy.has_struck()
    });
    assure_struck(&struck);
}

/// The write that releases the jobs hangs. It may take as long as any write, and nobody waits for that.
#[test]
#[ignore = "needs PostgreSQL"]
fn lapel_ends_although_its_journal_hangs() {
    let routed = Routed::new(false, None, &DatabaseLimits::USUAL);
    routed.session(false, async |session| {
        let id = person::begin(session, &routed.world, &routed.script).await;
        person::rest(session, id).await;
        routed.proxy.strike_next(Then::Hang);
        let quit = Instant::now();
        session.jobs.close().await;
        assert!(quit.elapsed() < DatabaseLimits::USUAL.write, "it took {:?}", quit.elapsed());
        assert!(routed.proxy.has_struck(), "nothing was written at the end");
    });
    // It has ended. Its last write fails, and its lease ends in its own time.
    routed.proxy.cut();
    team::end_leases(routed.world.folder());
    routed.session(false, async |session| routed.live(session).await);
    routed.assure_clean();
}
