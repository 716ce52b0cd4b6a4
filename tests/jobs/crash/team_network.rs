//! Connections to a team's database that break or hang at any commit, or within a statement. `on_postgresql` runs
//! these tests.

use crate::crash::drafts;
use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script};
use crate::crash::world::{BOUND, Session, World};
use crate::proxy::{Point, Proxy, Strike, Then};
use crate::team;
use lapel::jobs::{JobId, Opening};
use lapel::team::Limits;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

/// Of a network that breaks: lapel gives up soon.
static SHORT: Limits = Limits { reconnect: Duration::from_millis(300), ..Limits::USUAL };
/// Of a network that hangs, where nobody holds the lock of the journal.
static IMPATIENT: Limits =
    Limits { read: Duration::from_secs(2), write: Duration::from_secs(3), ..Limits::USUAL };
/// As usual, but for the lock: it is held for 10 s by the server's side of the connection that hangs.
static LOCKED: Limits = Limits { write: Duration::from_secs(6), ..Limits::USUAL };

/// A world whose sessions connect through a proxy.
struct Routed {
    world: World,
    proxy: Proxy,
    script: Script,
}

impl Routed {
    fn new(revokes: bool, strike: Option<Strike>, limits: &'static Limits) -> Self {
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
        // The first read opens the journal. If that fails, a person is told, and nothing has begun.
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
    let mut cases = cases(false, &points, Then::Cut, 1);
    cases.extend(self::cases(false, &[Point::InWrite], Then::Cut, 4));
    cases.extend(self::cases(true, &points, Then::Cut, 5));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(case.revokes, Some(case.strike), &Limits::USUAL);
        routed.session(false, async |session| routed.live(session).await);
        routed.assure_clean();
        routed.proxy.has_struck()
    });
    assure_struck(&struck);
}

/// The database stays away, and lapel ends. It goes on later, from what is in the database.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_process_that_ends_without_its_database_loses_nothing() {
    let points = [Point::BeforeCommit, Point::AfterCommit];
    let mut cases = cases(false, &points, Then::Away, 2);
    cases.extend(self::cases(true, &points, Then::Away, 6));
    let struck = many::all(&cases, |case| {
        let routed = Routed::new(case.revokes, Some(case.strike), &SHORT);
        let lived = routed.session(true, async |session| routed.live(session).await);
        let has_struck = routed.proxy.has_struck();
        assert!(has_struck || lived.is_some());
        routed.proxy.come_back();
        if lived.is_none() {
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
                session.jobs.note_opening(&Opening::Match, "kim").await.expect_err("it is away");
                oracle::meanwhile(&routed.world, &routed.script);
                routed.proxy.come_back();
                // For a moment, reads do not try.
                let end = Instant::now() + BOUND;
                while session.jobs.list().await.is_err() {
                    assert!(Instant::now() < end, "it is never back");
                    tokio::task::yield_now().await;
                }
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
