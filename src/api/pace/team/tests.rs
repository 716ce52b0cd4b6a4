//! Tests with a real database. The window is a second, so that they take seconds.

use super::super::{Pace, Permit, SlotTimes};
use super::*;
use crate::api::error::ApiError;
use crate::team::DatabaseSession;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[path = "../../../../tests/common/team.rs"]
mod database;

const WINDOW: Duration = Duration::from_secs(1);
const SPAN: SlotTimes = SlotTimes { usable: Duration::from_millis(100), reach: Duration::from_millis(100) };
const PACE: &str = "one key at one origin";
/// The reserve is 1, and so is the share of a computer.
const LIMIT: u32 = 60;
const BOUND: Duration = Duration::from_secs(60);

/// The processes of one computer have one folder.
fn process(login: &Login, folder: Option<&Path>, limit: u32) -> Arc<Pace> {
    let pace = Pace::with_window(limit, WINDOW);
    pace.share_in_team(login.clone(), folder, PACE, SPAN);
    pace
}

async fn turn(pace: &Arc<Pace>, priority: Priority) -> Permit {
    pace.turn_within(priority, SPAN, &CancellationToken::new()).await.expect("a turn")
}

async fn person(pace: &Arc<Pace>) -> Permit {
    turn(pace, Priority::Interactive).await
}

/// For an hour.
async fn is_held(pace: &Arc<Pace>) -> bool {
    let cancel = CancellationToken::new();
    let asking = pace.turn_within(Priority::Interactive, SPAN, &cancel);
    let asked = tokio::time::timeout(Duration::from_millis(200), asking).await;
    asked.is_err() && pace.held_for() > Duration::from_secs(3500)
}

fn waits(pace: &Arc<Pace>, priority: Priority) -> JoinHandle<Permit> {
    let pace = pace.clone();
    tokio::spawn(async move { turn(&pace, priority).await })
}

async fn until(what: &str, mut is_true: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + BOUND;
    while !is_true().await {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// An issuer may not touch the tables of the pace.
fn as_administrator(login: &Login) -> Login {
    let mut login = login.clone();
    "lapel".clone_into(&mut login.server.user);
    login
}

/// The number that a query returns.
async fn number(login: &Login, sql: &'static str) -> i64 {
    let login = as_administrator(login);
    let asked = tokio::task::spawn_blocking(move || {
        let session = DatabaseSession::open(&login).expect("connected");
        let path = session.client.batch_execute("SET search_path = lapel");
        session.runtime.block_on(path).expect("a schema");
        session.runtime.block_on(session.client.query_one(sql, &[])).expect(sql).get(0)
    });
    asked.await.expect("no panic")
}

async fn used(login: &Login) -> i64 {
    number(login, "SELECT (lapel.pace_peek(id, '')).used::bigint FROM pace").await
}

async fn change(login: &Login, sql: String) {
    let login = as_administrator(login);
    let changed = tokio::task::spawn_blocking(move || {
        let session = DatabaseSession::open(&login).expect("connected");
        session.runtime.block_on(session.client.batch_execute(&sql)).expect(&sql);
    });
    changed.await.expect("no panic");
}

/// As a server that is stopped: it ends all connections and accepts no other.
async fn stop(login: &Login) {
    let (admin, name) = (admin(login), &login.server.database);
    change(&admin, format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
    disconnect(login).await;
}

async fn start(login: &Login) {
    let name = &login.server.database;
    change(&admin(login), format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await;
}

async fn disconnect(login: &Login) {
    let name = &login.server.database;
    let sql = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    change(&admin(login), sql).await;
}

fn admin(login: &Login) -> Login {
    let mut admin = login.clone();
    admin.server.database = "postgres".to_owned();
    admin
}

impl Pace {
    fn keeper(&self, work: impl FnOnce(&mut PaceKeeper) + Send + 'static) {
        self.team.get().expect("a team").queue(work);
    }

    /// Ends the thread, which returns nothing.
    fn crash(&self) {
        self.keeper(|keeper| {
            keeper.link.session = None;
            keeper.has_ended = true;
        });
    }

    /// Stops the thread until the sender is dropped.
    fn freeze(&self) -> Sender<()> {
        let (end, wait) = channel();
        self.keeper(move |_| {
            let _ = wait.recv();
        });
        end
    }
}

/// The service, which counts.
#[derive(Default)]
struct Service {
    seen: Mutex<Vec<(Instant, Priority)>>,
    ended: AtomicBool,
}

impl Service {
    fn count(&self) -> usize {
        lock(&self.seen).len()
    }

    fn fullest(&self, of: Option<Priority>) -> usize {
        let seen = lock(&self.seen);
        let seen: Vec<_> =
            seen.iter().filter(|(_, p)| of.is_none_or(|of| of == *p)).map(|(at, _)| *at).collect();
        let within = |from: &Instant| seen.iter().filter(|at| *at >= from && **at < *from + WINDOW).count();
        seen.iter().map(within).max().unwrap_or(0)
    }

    async fn reaches(&self, count: usize) {
        until("enough requests", async || self.count() >= count).await;
    }
}

/// A process that sends all the time, until it is killed or the service has ended.
struct Sending {
    pace: Arc<Pace>,
    is_running: watch::Sender<bool>,
    workers: Vec<JoinHandle<()>>,
}

impl Sending {
    fn new(pace: Arc<Pace>, people: usize, background: usize, service: &Arc<Service>) -> Self {
        let (is_running, gate) = watch::channel(true);
        let priorities = std::iter::repeat_n(Priority::Interactive, people)
            .chain(std::iter::repeat_n(Priority::Background, background));
        let work = |(n, priority)| {
            let (pace, service, mut gate) = (pace.clone(), service.clone(), gate.clone());
            tokio::spawn(async move {
                while !service.ended.load(Ordering::Relaxed) {
                    let mut permit = turn(&pace, priority).await;
                    // Suspended here, the worst place.
                    gate.wait_for(|runs| *runs).await.expect("open");
                    if !permit.is_fresh() {
                        continue;
                    }
                    permit.sent();
                    if n % 2 == 0 {
                        // On the way to the service.
                        tokio::time::sleep(Duration::from_millis(fastrand::u64(0..40))).await;
                    }
                    lock(&service.seen).push((Instant::now(), priority));
                    drop(permit);
                    pace.flush().await;
                }
            })
        };
        let workers = priorities.enumerate().map(work).collect();
        Self { pace, is_running, workers }
    }

    fn kill(self) {
        self.pace.crash();
        self.workers.iter().for_each(JoinHandle::abort);
    }

    fn suspend(&self) -> Sender<()> {
        self.is_running.send_replace(false);
        self.pace.freeze()
    }

    fn resume(&self, suspended: Sender<()>) {
        drop(suspended);
        self.is_running.send_replace(true);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn computers_share_one_limit_and_use_it_up() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let service = Arc::new(Service::default());
    let begun = Instant::now();
    let all: Vec<_> = (0..5).map(|_| Sending::new(process(&login, None, LIMIT), 2, 1, &service)).collect();
    service.reaches(240).await;
    service.ended.store(true, Ordering::Relaxed);
    for one in all {
        one.workers.iter().for_each(JoinHandle::abort);
    }
    let division = Division::of(LIMIT, LIMIT / 4);
    assert!(service.fullest(None) <= division.pool as usize, "{}", service.fullest(None));
    let background = service.fullest(Some(Priority::Background));
    assert!(background <= LIMIT as usize / 4, "{background}");
    // Four windows would be enough.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_and_suspended_processes_and_lost_connections_never_exceed_the_limit() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folder = tempfile::tempdir().expect("a folder");
    let service = Arc::new(Service::default());
    let begin = || Sending::new(process(&login, Some(folder.path()), LIMIT), 3, 1, &service);
    let (mut all, frozen) = (vec![begin(), begin(), begin()], begin());
    for round in 0..3 {
        service.reaches(service.count() + 20).await;
        all.remove(0).kill();
        let suspended = frozen.suspend();
        all.push(begin());
        if round == 1 {
            disconnect(&login).await;
        }
        // More than a window: its blocks have ended, and others have their slots.
        service.reaches(service.count() + 2 * LIMIT as usize).await;
        frozen.resume(suspended);
    }
    service.reaches(service.count() + LIMIT as usize).await;
    service.ended.store(true, Ordering::Relaxed);
    for one in all.into_iter().chain([frozen]) {
        one.workers.iter().for_each(JoinHandle::abort);
    }
    assert!(service.fullest(None) <= LIMIT as usize, "{}", service.fullest(None));
    let background = service.fullest(Some(Priority::Background));
    assert!(background <= LIMIT as usize / 4, "{background}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_go_before_the_background_of_every_computer() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let [a, b, c] = [(); 3].map(|()| process(&login, None, 10));
    let mut permits = Vec::new();
    for _ in 0..9 {
        permits.push(person(&a).await);
    }
    let background = waits(&b, Priority::Background);
    let marks = "SELECT count(*) FROM pace_waiter WHERE background";
    until("the background waits", async || number(&login, marks).await == 1).await;
    let people = waits(&c, Priority::Interactive);
    let marks = "SELECT count(*) FROM pace_waiter WHERE NOT background";
    until("a person waits", async || number(&login, marks).await == 1).await;
    assert!(!background.is_finished() && !people.is_finished());
    // Nothing was sent, so the slot is free at once.
    permits.pop();
    let granted = people.await.expect("no panic");
    assert!(!background.is_finished(), "the only free slot is a person's");
    drop(granted);
    drop(background.await.expect("no panic"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unused_slots_come_back() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let pace = process(&login, None, 200);
    let mut sent = Vec::new();
    // Blocks of 1, 2 and 4 slots.
    for _ in 0..4 {
        let mut permit = person(&pace).await;
        permit.sent();
        sent.push(permit);
    }
    drop(person(&pace).await);
    assert!(used(&login).await >= 4);
    until("only sent ones count", async || used(&login).await == 4).await;
    drop(sent);
    pace.flush().await;
    assert_eq!(used(&login).await, 4, "for one window more");
    until("the window has passed", async || used(&login).await == 0).await;
    drop(person(&pace).await);
    pace.leave();
    assert_eq!(used(&login).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_is_known_to_every_computer_also_if_the_database_was_away() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let [a, b] = [(); 2].map(|()| process(&login, None, 100));
    drop(person(&a).await);
    drop(person(&b).await);
    let shortest = Duration::from_secs(1);
    a.hold(Some(Duration::from_secs(3600)), shortest);
    a.flush().await;
    // The other may use up its block, which is open for a moment.
    until("the other is held", async || is_held(&b).await).await;
    let new = process(&login, None, 100);
    until("a new one is held", async || is_held(&new).await).await;
    // Only a ping that a person asked for goes through. Its answer ends the hold for all.
    assert!(b.turn_through(SPAN).await.is_some());
    b.lift();
    b.flush().await;
    drop(person(&new.team_of(&login)).await);

    stop(&login).await;
    a.lift();
    a.hold(Some(Duration::from_secs(3600)), shortest);
    a.flush().await;
    start(&login).await;
    until("it is written", async || {
        number(&login, "SELECT count(*) FROM pace WHERE held_until > last").await == 1
    })
    .await;
    until("the other is held", async || is_held(&b).await).await;
}

impl Pace {
    /// Another process with the same limit.
    fn team_of(&self, login: &Login) -> Arc<Self> {
        process(login, None, self.budget().1)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computer_has_its_own_share_before_its_first_request() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folder = tempfile::tempdir().expect("a folder");
    let pace = process(&login, Some(folder.path()), 100);
    let seats = "SELECT count(*) FROM pace_block WHERE seat AND slots = 2";
    until("it has a seat", async || number(&login, seats).await == 1).await;
    assert_eq!(used(&login).await, 2, "and nothing else");
    stop(&login).await;
    pace.check_sharing().await;
    until("that is known without a request", async || pace.alone().is_some()).await;
    assert_eq!(pace.status_now().limit, 2);
    drop(person(&pace).await);
    start(&login).await;
    until("and that it is back", async || pace.watch().borrow().limit == 100).await;
    assert_eq!(pace.alone(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_database_a_computer_uses_its_own_share_or_nothing() {
    let limit = 100;
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folder = tempfile::tempdir().expect("a folder");
    let with_seat = process(&login, Some(folder.path()), limit);
    let without = process(&login, None, limit);
    drop(person(&with_seat).await);
    drop(person(&without).await);
    let seats = "SELECT count(*) FROM pace_block WHERE seat AND slots = 2";
    until("it has a seat", async || number(&login, seats).await == 1).await;
    stop(&login).await;

    // Another process of the same computer, which never reached the database.
    let second = process(&login, Some(folder.path()), limit);
    let service = Arc::new(Service::default());
    let all = [&with_seat, &second].map(|pace| Sending::new(pace.clone(), 2, 1, &service));
    let nothing = waits(&without, Priority::Interactive);
    service.reaches(6).await;
    assert!(service.fullest(None) <= 2, "{}", service.fullest(None));
    for pace in [&with_seat, &second] {
        let status = pace.status_now();
        assert!(status.alone.is_some() && status.limit == 2, "{status:?}");
        let why = pace.alone().expect("a reason").to_string();
        assert!(why.contains("at most 2 requests"), "{why}");
    }
    assert!(!nothing.is_finished());
    let why = without.alone().expect("a reason").to_string();
    assert!(why.contains("sends nothing") && without.status_now().limit == 0, "{why}");

    start(&login).await;
    drop(nothing.await.expect("no panic"));
    let before = service.count();
    service.reaches(before + 100).await;
    service.ended.store(true, Ordering::Relaxed);
    for one in all {
        one.workers.iter().for_each(JoinHandle::abort);
    }
    assert!(service.fullest(None) <= 100, "{}", service.fullest(None));
    for pace in [&with_seat, &second, &without] {
        assert_eq!((pace.alone(), pace.status_now().limit), (None, limit));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_without_the_team_shares_the_seat_and_the_holds_of_its_computer() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folder = tempfile::tempdir().expect("a folder");
    let team = process(&login, Some(folder.path()), 100);
    let seats = "SELECT count(*) FROM pace_block WHERE seat AND slots = 2";
    until("it has a seat", async || number(&login, seats).await == 1).await;
    let without_team = || {
        let pace = Pace::with_window(100, WINDOW);
        pace.share_in(folder.path(), PACE.to_owned());
        pace
    };
    let alone = without_team();
    let both = [person(&alone).await, person(&alone).await];
    let third = alone.turn_through(SPAN).await;
    assert!(third.is_none() && alone.budget() == (100, 100), "the team has the rest: {:?}", alone.budget());
    assert_eq!((alone.status_now().own_share, team.status_now().own_share), (Some(2), None));
    assert!(alone.own_share().is_some() && team.own_share().is_none());
    assert_eq!(without_team().status_now().own_share, Some(2), "before its first request");
    drop(both);
    // A refusal of either holds the other, and the team on other computers.
    let elsewhere = process(&login, None, 100);
    alone.hold(Some(Duration::from_secs(3600)), Duration::ZERO);
    alone.flush().await;
    let waiting = waits(&team, Priority::Interactive);
    until("the team is held", async || is_held(&team).await && is_held(&elsewhere).await).await;
    // A lift elsewhere does not end what this computer was asked to wait.
    elsewhere.lift();
    elsewhere.flush().await;
    until("it is lifted there", async || !is_held(&elsewhere).await).await;
    assert!(!waiting.is_finished());
    team.lift();
    drop(waiting.await.expect("no panic"));
    drop(person(&without_team()).await);
    team.hold(Some(Duration::from_secs(3600)), Duration::ZERO);
    team.flush().await;
    until("a process without the team is held", async || is_held(&without_team()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_goes_back_or_jumps_forward_frees_nothing_early() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let pace = process(&login, None, 10);
    let mut permits = Vec::new();
    for _ in 0..9 {
        permits.push(person(&pace).await);
    }
    // As if the clock had gone back by an hour.
    let back =
        "UPDATE lapel.pace SET last = last + 3600000; UPDATE lapel.pace_block SET ends = ends + 3600000";
    change(&login, back.to_owned()).await;
    assert_eq!(used(&login).await, 9);
    let longest = number(&login, "SELECT max(ends - last) FROM pace_block, pace").await;
    assert!(longest <= 1_252, "{longest}");
    permits.clear();
    until("all are free", async || used(&login).await == 0).await;

    // As if it had jumped forward by ten seconds.
    pace.keeper(|keeper| {
        keeper.clocks = keeper.clocks.map(|(time, before)| (time - 10_000, before));
    });
    let waiting = waits(&pace, Priority::Interactive);
    until("nobody gets a slot", async || used(&login).await == 9).await;
    assert!(!waiting.is_finished());
    drop(waiting.await.expect("no panic"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_the_queue_returns_the_slot() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let pace = process(&login, None, 10);
    let mut permits = Vec::new();
    for _ in 0..9 {
        permits.push(person(&pace).await);
    }
    let cancel = CancellationToken::new();
    let waiting = tokio::spawn({
        let (pace, cancel) = (pace.clone(), cancel.clone());
        async move { pace.turn_within(Priority::Interactive, SPAN, &cancel).await.map(drop) }
    });
    let marks = "SELECT count(*) FROM pace_waiter";
    until("it waits", async || number(&login, marks).await == 1).await;
    cancel.cancel();
    assert_eq!(waiting.await.expect("no panic"), Err(ApiError::Cancelled));
    drop(permits);
    until("all are free", async || used(&login).await == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_process_uses_nothing_of_a_block_that_has_ended() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let pace = process(&login, None, 100);
    let mut permits = Vec::new();
    // Blocks of 1, 2 and 4 slots. Three are left.
    for _ in 0..4 {
        permits.push(person(&pace).await);
    }
    let suspended = pace.freeze();
    // Others have all slots now.
    let all = "DELETE FROM lapel.pace_block; INSERT INTO lapel.pace_block
                   SELECT id, 1, 0, 'another', FALSE, FALSE, 98, last + 3600000 FROM lapel.pace";
    change(&login, all.to_owned()).await;
    until("its permits have ended", async || permits.iter().all(|permit| !permit.is_fresh())).await;
    drop(suspended);
    let waiting = waits(&pace, Priority::Interactive);
    until("it waits", async || number(&login, "SELECT count(*) FROM pace_waiter").await == 1).await;
    assert!(!waiting.is_finished());
    // A request that was sent before, and completes only now, counts again.
    permits[0].sent();
    permits.clear();
    pace.flush().await;
    assert_eq!(used(&login).await, 99);
    waiting.abort();
}

/// Until the sender is dropped, the database answers nothing that concerns the pace.
async fn hang(login: &Login) -> (Sender<()>, std::thread::JoinHandle<()>) {
    let (locked, end) = (channel(), channel::<()>());
    let locking = as_administrator(login);
    let hung = std::thread::spawn(move || {
        let session = DatabaseSession::open(&locking).expect("connected");
        let lock = session.client.batch_execute("BEGIN; SELECT FROM lapel.pace FOR UPDATE");
        session.runtime.block_on(lock).expect("locked");
        locked.0.send(()).expect("heard");
        let _ = end.1.recv();
    });
    tokio::task::spawn_blocking(move || locked.1.recv().expect("locked")).await.expect("no panic");
    (end.0, hung)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_does_not_answer_stops_only_what_needs_it() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folder = tempfile::tempdir().expect("a folder");
    let pace = process(&login, Some(folder.path()), 100);
    drop(person(&pace).await);
    let seats = "SELECT count(*) FROM pace_block WHERE seat";
    until("it has a seat", async || number(&login, seats).await == 1).await;
    pace.leave();
    let (end, hung) = hang(&login).await;
    drop(person(&pace).await);
    assert_eq!(pace.status_now().limit, 2);
    drop(end);
    hung.join().expect("no panic");
    until("it shares again", async || {
        drop(person(&pace).await);
        pace.alone().is_none()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_a_sent_request_does_not_wait_for_the_database() {
    use crate::api::{ApiKey, Call, Connection, IssueRequest, connect};
    use crate::sandbox::{Options, Sandbox};
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let options = Options { history: Some(0), ..Options::default() };
    let sandbox = Sandbox::start(options).await.expect("a sandbox");
    let key = ApiKey::new(sandbox.api_key()).expect("a key");
    let mut connection = Connection::new(sandbox.base_url(), key).expect("a connection");
    connection.pace_team = Some(login.clone());
    let access = connect(&connection).expect("clients");
    let writer = access.writer().expect("it may write").clone();
    let call = Call::interactive();
    let turn = writer.turn(&call).await.expect("a turn");
    let (end, hung) = hang(&login).await;
    let (greedy, call_of_greedy) = (writer.clone(), call.clone());
    let taking = tokio::spawn(async move {
        let mut taken = Vec::new();
        while let Ok(turn) = greedy.turn(&call_of_greedy).await {
            taken.push(turn);
        }
    });
    let waiting = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                   WHERE NOT granted AND datname = current_database()";
    until("another turn waits for it", async || number(&login, waiting).await > 0).await;
    let request = IssueRequest {
        template_id: crate::domain::TemplateId::new("TPL-001").expect("an id"),
        recipient_name: "Kim".to_owned(),
        recipient_email: "kim@wait.example".to_owned(),
    };
    writer.issue(&request, &call.in_turn(turn)).await.expect("accepted");
    // It still waits: otherwise the database would be away.
    assert!(access.reader().link_now().alone.is_none());
    taking.abort();
    drop(end);
    hung.join().expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_with_a_team_takes_its_turns_from_it() {
    use crate::api::{ApiKey, Call, Connection, connect, leave_paces};
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    // Nobody listens there. An attempt still counts.
    let key = ApiKey::new("a_key_of_this_test_only").expect("a key");
    let mut connection = Connection::new("http://127.0.0.1:1/", key).expect("a connection");
    connection.timeouts.pause = Duration::from_millis(1);
    connection.pace_team = Some(login.clone());
    let access = connect(&connection).expect("clients");
    access.reader().ping(&Call::interactive()).await.expect_err("not reached");
    let (tries, seat) = (used(&login).await, "SELECT count(*) FROM pace_block WHERE seat");
    assert_eq!((tries >= 3, number(&login, seat).await), (true, 0), "no folder, no seat");
    leave_paces();
    assert_eq!(used(&login).await, 3);
}

/// As when the service lowers the limit of the key, and every computer gets the new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lower_limit_makes_the_shares_of_the_computers_smaller() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let seats = "SELECT count(*) FROM pace_block WHERE seat AND slots = 20";
    for (before, folder) in folders.iter().enumerate() {
        let pace = process(&login, Some(folder.path()), 1000);
        until("it has a seat", async || number(&login, seats).await == before as i64 + 1).await;
        drop(pace);
    }
    // Their seats alone are more than the new limit.
    let paces = folders.each_ref().map(|folder| process(&login, Some(folder.path()), 55));
    for pace in &paces {
        drop(person(pace).await);
        assert_eq!(pace.alone(), None);
    }
    let seats = "SELECT count(*) FROM pace_block WHERE seat AND slots = 1";
    until("each has a smaller seat", async || number(&login, seats).await == 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computer_without_room_beside_the_shares_of_others_says_so() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let others = folders.each_ref().map(|folder| process(&login, Some(folder.path()), 1000));
    until("each has a seat", async || {
        number(&login, "SELECT count(*) FROM pace_block WHERE seat AND slots = 20").await == 3
    })
    .await;
    let own = tempfile::tempdir().expect("a folder");
    let low = process(&login, Some(own.path()), 60);
    let waiting = waits(&low, Priority::Interactive);
    until("it says why", async || low.alone().is_some()).await;
    let why = low.alone().expect("a reason").to_string();
    assert!(why.contains("rate_limit") && why.contains("sends nothing"), "{why}");
    assert!(!waiting.is_finished());
    waiting.abort();
    // Who watches the connection hears of each reason, although nothing else changes.
    let shown = low.watch();
    stop(&login).await;
    let is_other = || shown.borrow().alone_words().is_some_and(|now| now != why);
    until("it says what is wrong now", async || is_other()).await;
    start(&login).await;
    until("without the database's answer, nobody says so", async || shown.borrow().alone.is_none()).await;
    drop(others);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_login_is_tried_again_only_when_the_profile_is_opened_anew() {
    if !database::is_installed() {
        return;
    }
    let login = database::new_database();
    let anew = || {
        let mut stranger = Login { refused: Arc::default(), ..login.clone() };
        stranger.server.user = format!("{}_stranger", login.server.database);
        stranger
    };
    let pace = process(&anew(), None, LIMIT);
    until("it is refused", async || pace.status_now().is_login_refused).await;
    assert!(pace.status_now().alone.is_some() && pace.status_now().limit == 0);
    let user = anew().server.user;
    change(&admin(&login), format!("CREATE ROLE {user} LOGIN; GRANT lapel_issuer TO {user}")).await;
    let (told, asked) = oneshot::channel();
    pace.keeper(move |keeper| {
        let _ = told.send((keeper.next_work(), keeper.link.connecting));
    });
    assert_eq!(asked.await, Ok((None, None)), "it waits for no time and no connection");
    pace.share_in_team(anew(), None, PACE, SPAN);
    drop(person(&pace).await);
    let status = pace.status_now();
    assert!(status.alone.is_none() && !status.is_login_refused, "{status:?}");
}
