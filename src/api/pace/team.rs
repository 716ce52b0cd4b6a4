//! The pace of a key that all computers of a team share, through the team's database.
//!
//! The database grants blocks of slots for a short time. A thread with a connection of its own takes them, hands
//! their slots out, and returns them. Most requests therefore wait for no database.
//!
//! Proof of the limit. A block is open for a short time, measured from before it was requested and by a clock that
//! counts sleep. It counts in the database for that time, plus the time to use a slot, plus the longest request, plus
//! one window; or, when its process returns it, for one window after its last request completed. So a request reaches
//! the service at least one window before its block ends. Of all blocks and seats whose requests the service sees
//! within some window, take the one that was granted last: none of the others had ended at that time. The database
//! locks the key and then adds up, so together they had at most `pool` slots, and each slot serves one request.
//!
//! A seat is a block that a computer keeps for hours, and for which it never needs the database: its processes share
//! it through `pace.sqlite`, which sends no more than that in any window. Without the database, a computer uses only
//! its seat. Without a seat, it sends nothing.
//!
//! Assumptions. A process that is suspended between its last check and the network sends few requests late:
//! `limit - pool` requests are reserved for them. The database loses no commit. Its clock does not jump forward: if a
//! process notices a jump, all wait until everything that was granted has ended.

mod blocks;

use super::Priority;
use super::queue::ByPriority;
use super::shared::{PaceProblem, Shared};
use super::slots::{Origin, SharedUse, Slot, SlotReply, SlotRequest};
use crate::boot_clock::boot_ms;
use crate::i18n::Localizable;
use crate::team::{Login, Session, TeamError};
use blocks::{Block, Division, Give, Reach, SEATS};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

/// Maximum wait for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(5);
/// A lost connection is replaced within this time before anybody hears of it.
const GRACE_MS: i64 = 2_000;
/// Pause between attempts to connect.
const AGAIN_MS: i64 = 1_000;
/// An attempt to connect that takes longer is replaced by another one.
const LONGEST_ATTEMPT_MS: i64 = 30_000;
/// Wait of a request while the connection is made.
const CONNECTING: Duration = Duration::from_millis(25);
/// Maximum wait at the end of the process.
const FAREWELL: Duration = Duration::from_secs(1);
/// A difference of the clocks that is not due to rounding or correction.
const JUMP_MS: i64 = 2_000;

type Task = Box<dyn FnOnce(&mut Keeper) + Send>;

#[derive(Debug)]
pub(super) struct TeamShare {
    work: Sender<Task>,
    /// Only the first waiter of each priority requests a slot. The others wait here, in order.
    people: tokio::sync::Mutex<()>,
    background: tokio::sync::Mutex<()>,
    /// The file through which this computer's processes share its seat. `None`: it cannot be used.
    own: Option<Arc<Shared>>,
    away: Arc<Mutex<Option<Away>>>,
    pause: Duration,
}

/// Why the database cannot be used, and how much this computer sends without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Away {
    pub(super) why: PaceProblem,
    pub(super) server: String,
    /// 0: it has no seat.
    pub(super) limit: u32,
}

enum Turn {
    Reply(SlotReply),
    /// The database is away.
    Own(SharedUse),
}

impl TeamShare {
    /// Connects in the background. `folder` is for the own share of this computer.
    pub(super) fn start(
        login: Login,
        folder: Option<&Path>,
        pace: &str,
        window: Duration,
    ) -> (Self, SharedUse) {
        let server = login.server.to_string();
        let opened = folder.map(|folder| Shared::open(folder, format!("{pace}@{server}"), window));
        let (own, seen) = match opened {
            Some(Ok((own, seen))) => (Some(Arc::new(own)), seen),
            Some(Err(why)) => {
                tracing::warn!(%why, "this computer has no own share");
                (None, SharedUse::default())
            }
            None => (None, SharedUse::default()),
        };
        let seen = SharedUse { others: 0, ..seen };
        let (work, queue) = channel();
        let away = Arc::new(Mutex::new(None));
        let keeper = Keeper::new(login, pace, window, own.clone(), away.clone(), work.clone(), &seen);
        let pause = keeper.pause;
        let started = std::thread::Builder::new().name("team pace".into()).spawn(move || keeper.run(&queue));
        if let Err(why) = started {
            // Nothing is sent then.
            *lock(&away) = Some(Away { why: Localizable::verbatim(why.to_string()), server, limit: 0 });
        }
        let (people, background) = Default::default();
        (Self { work, people, background, own, away, pause }, seen)
    }

    pub(super) async fn head(&self, priority: Priority) -> tokio::sync::MutexGuard<'_, ()> {
        match priority {
            Priority::Interactive => self.people.lock().await,
            Priority::Background => self.background.lock().await,
        }
    }

    pub(super) async fn take(&self, want: SlotRequest) -> SlotReply {
        let (answer, asked) = oneshot::channel();
        let wanted = want.clone();
        self.queue(move |keeper| {
            let turn = keeper.take(&wanted);
            // The waiter is gone and cannot return the slot itself.
            if let Err(Turn::Reply(SlotReply::Granted(slot, _))) = answer.send(turn) {
                keeper.take_back(slot.id, false);
            }
        });
        match asked.await {
            Ok(Turn::Reply(reply)) => reply,
            Ok(Turn::Own(seen)) => self.take_own(want, seen).await,
            Err(_) => SlotReply::Later(self.pause, SharedUse::default()),
        }
    }

    /// `seen` is what this process knows without the database.
    async fn take_own(&self, want: SlotRequest, seen: SharedUse) -> SlotReply {
        if let Some(held) = seen.held
            && !want.through
        {
            return SlotReply::Later(held, seen);
        }
        let taken = match &self.own {
            Some(own) => own.take_own(want).await,
            None => Ok(None),
        };
        let (limit, reply) = match taken {
            Ok(Some((limit, reply))) => (limit, reply),
            Ok(None) => (0, SlotReply::Later(self.pause, seen)),
            Err(why) => {
                tracing::warn!(%why, "the own share cannot be used");
                (0, SlotReply::Later(self.pause, seen))
            }
        };
        if let Some(away) = lock(&self.away).as_mut() {
            away.limit = limit;
        }
        reply
    }

    /// Returns at once; the thread returns the slot.
    pub(super) fn give(&self, slot: Slot, sent: Option<Priority>) {
        match slot.origin {
            Origin::OwnShare => {
                if let Some(own) = &self.own {
                    own.give(slot, sent);
                }
            }
            Origin::Block | Origin::Computer => {
                self.queue(move |keeper| keeper.take_back(slot.id, sent.is_some()));
            }
        }
    }

    pub(super) fn hold(&self, wait: Duration, refusals: u32) {
        if let Some(own) = &self.own {
            own.hold(wait, refusals);
        }
        self.queue(move |keeper| keeper.hold(wait, refusals));
    }

    pub(super) fn calm(&self, lift: bool) {
        if let Some(own) = &self.own {
            own.calm(lift);
        }
        self.queue(move |keeper| keeper.calm(lift));
    }

    pub(super) async fn peek(&self) -> Result<SharedUse, PaceProblem> {
        let (answer, asked) = oneshot::channel();
        self.queue(move |keeper| {
            let _ = answer.send(keeper.peek());
        });
        asked.await.ok().flatten().ok_or_else(|| localizable!("the connection was lost"))
    }

    pub(super) async fn flush(&self) {
        if let Some(own) = &self.own {
            own.flush().await;
        }
        let (answer, asked) = oneshot::channel();
        self.queue(move |keeper| {
            keeper.work_due();
            let _ = answer.send(());
        });
        let _ = asked.await;
    }

    /// Returns unused slots, at the end of the process. Blocks, for 1 s at most.
    pub(super) fn leave(&self) {
        let (answer, asked) = channel();
        self.queue(move |keeper| {
            keeper.leave();
            let _ = answer.send(());
        });
        let _ = asked.recv_timeout(FAREWELL);
    }

    pub(super) fn away(&self) -> Option<Away> {
        lock(&self.away).clone()
    }

    fn queue(&self, work: impl FnOnce(&mut Keeper) + Send + 'static) {
        let _ = self.work.send(Box::new(work));
    }
}

impl Drop for TeamShare {
    fn drop(&mut self) {
        self.queue(|keeper| {
            keeper.leave();
            keeper.has_ended = true;
        });
    }
}

impl Away {
    pub(super) fn words(&self) -> Localizable {
        let Self { why, server, limit } = self;
        if *limit == 0 {
            return localizable!(
                "lapel cannot share the rate limit through the team's journal ({server}): {why}. Until it can, this computer sends nothing: it has no share of its own.",
                server,
                why
            );
        }
        localizable!(
            "lapel cannot share the rate limit through the team's journal ({server}): {why}. Until it can, this computer sends at most {limit} requests a minute, its own share.",
            server,
            why,
            limit
        )
    }
}

fn words(why: &TeamError) -> PaceProblem {
    match why {
        TeamError::Away(why) | TeamError::Refused(why) => why.clone(),
        TeamError::NoFeature | TeamError::NoJournal => {
            localizable!("the database has no journal of this version")
        }
        TeamError::Forbidden => localizable!("the user may not use it"),
        TeamError::Full => localizable!("its disk is full"),
        TeamError::Busy => localizable!("no response in time"),
        TeamError::Other(code) => localizable!("error {code}", code),
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The database did not do it. The connection is gone.
struct Lost;

/// The thread's state.
struct Keeper {
    login: Login,
    pace: String,
    process: String,
    window: Duration,
    /// Longest wait before another attempt, and how long a block is open.
    pause: Duration,
    session: Option<Session>,
    /// Since when the database does not answer, and why.
    lost_at: Option<i64>,
    failed: Option<TeamError>,
    connecting: Option<i64>,
    connect_at: i64,
    work: Sender<Task>,
    open: ByPriority<Option<Block>>,
    sizes: ByPriority<u32>,
    closed: Vec<Block>,
    /// Changes that the database does not know yet, in order.
    gives: VecDeque<Give>,
    /// The longest request of this process.
    reach: Option<Reach>,
    division: Option<Division>,
    /// The known hold: its end and its number of refusals.
    held: Option<(Instant, u32)>,
    /// Not written yet.
    unwritten: Option<(Instant, u32)>,
    others: Option<(u32, Instant)>,
    /// A time of the database's clock, and one of this computer that was before it.
    clocks: Option<(i64, i64)>,
    own: Option<Arc<Shared>>,
    seat_at: i64,
    away: Arc<Mutex<Option<Away>>>,
    has_ended: bool,
}

/// An answer of the database.
struct View {
    granted: u32,
    time: i64,
    used: u32,
    others: u32,
    others_end: Option<i64>,
    next: Option<i64>,
    next_of_background: Option<i64>,
    held_until: Option<i64>,
    refusals: u32,
}

impl View {
    fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let count = |at: usize| row.try_get::<_, i32>(at).map(i32::unsigned_abs);
        Ok(Self {
            granted: count(0)?,
            time: row.try_get(1)?,
            used: count(2)?,
            others: count(4)?,
            others_end: row.try_get(5)?,
            next: row.try_get(6)?,
            next_of_background: row.try_get(7)?,
            held_until: row.try_get(8)?,
            refusals: count(9)?,
        })
    }

    fn left(&self, until: Option<i64>) -> Option<Duration> {
        until.map(|until| Duration::from_millis(u64::try_from(until - self.time).unwrap_or(0)))
    }
}

fn millis(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}

fn int(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

impl Keeper {
    fn new(
        login: Login,
        pace: &str,
        window: Duration,
        own: Option<Arc<Shared>>,
        away: Arc<Mutex<Option<Away>>>,
        work: Sender<Task>,
        seen: &SharedUse,
    ) -> Self {
        let mut random = fastrand::Rng::new();
        Self {
            login,
            pace: pace.to_owned(),
            process: format!("{:016x}", random.u64(..)),
            window,
            pause: (window / 20).min(Duration::from_secs(3)),
            session: None,
            lost_at: Some(boot_ms()),
            failed: None,
            connecting: None,
            connect_at: i64::MIN,
            work,
            open: ByPriority::default(),
            sizes: ByPriority { interactive: 1, background: 1 },
            closed: Vec::new(),
            gives: VecDeque::new(),
            reach: None,
            division: None,
            held: seen.held.map(|left| (Instant::now() + left, seen.refusals)),
            unwritten: None,
            others: None,
            clocks: None,
            own,
            seat_at: i64::MIN,
            away,
            has_ended: false,
        }
    }

    fn run(mut self, queue: &Receiver<Task>) {
        while !self.has_ended {
            self.work_due();
            let task = match self.next_work() {
                Some(at) => {
                    let wait = u64::try_from(at.saturating_sub(boot_ms())).unwrap_or(0);
                    queue.recv_timeout(Duration::from_millis(wait))
                }
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match task {
                Ok(task) => task(&mut self),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn next_work(&self) -> Option<i64> {
        let open = [&self.open.interactive, &self.open.background].into_iter().flatten();
        let blocks = open.chain(&self.closed).filter_map(Block::due).min();
        let connection = match (&self.session, self.connecting) {
            (Some(_), _) => self.division.and(self.own.as_ref()).map(|_| self.seat_at),
            (None, None) => Some(self.connect_at),
            (None, Some(since)) => Some(since.saturating_add(LONGEST_ATTEMPT_MS)),
        };
        blocks.into_iter().chain(connection).min()
    }

    /// Everything whose time has come.
    fn work_due(&mut self) {
        let now = boot_ms();
        for priority in [Priority::Interactive, Priority::Background] {
            if self
                .open
                .of(priority)
                .as_ref()
                .is_some_and(|block| now > block.open_until || block.is_used_up())
            {
                self.close(priority);
            }
        }
        self.collect_gives(now);
        self.connect(now);
        let _ = self.write();
        self.renew_seat(now);
    }

    fn collect_gives(&mut self, now: i64) {
        let pause = millis(self.pause);
        for block in &mut self.closed {
            if block.due().is_some_and(|at| at <= now) {
                self.gives.extend(block.give(now, pause));
            }
        }
        self.closed.retain(|block| !block.is_finished());
    }

    fn connect(&mut self, now: i64) {
        let is_hanging = self.connecting.is_some_and(|since| now - since >= LONGEST_ATTEMPT_MS);
        if self.session.is_some() || (self.connecting.is_some() && !is_hanging) || now < self.connect_at {
            return;
        }
        self.connecting = Some(now);
        let (login, work) = (self.login.clone(), self.work.clone());
        // On a thread of its own: it may take long, and requests must not wait for it.
        let connecting = std::thread::Builder::new().name("team pace".into()).spawn(move || {
            let opened = Session::open(&login);
            let _ = work.send(Box::new(move |keeper: &mut Self| keeper.connected(opened)));
        });
        if connecting.is_err() {
            self.connecting = None;
            self.connect_at = now + AGAIN_MS;
        }
    }

    fn connected(&mut self, opened: Result<Session, TeamError>) {
        if self.session.is_some() {
            return;
        }
        self.connecting = None;
        match opened {
            Ok(session) => {
                self.session = Some(session);
                self.seat_at = i64::MIN;
            }
            Err(why) => {
                self.fail(why);
                self.connect_at = boot_ms() + AGAIN_MS;
            }
        }
    }

    fn fail(&mut self, why: TeamError) {
        if self.failed.as_ref() != Some(&why) {
            tracing::warn!(?why, "the team's database cannot share the pace");
        }
        self.failed = Some(why);
    }

    /// The first row of an answer.
    fn call(&mut self, sql: &str, values: &[(&(dyn ToSql + Sync), Type)]) -> Result<Option<Row>, Lost> {
        let Some(session) = &self.session else { return Err(Lost) };
        let why = match session.runtime.within(PATIENCE, session.client.query_typed(sql, values)) {
            Ok(Ok(rows)) => {
                self.failed = None;
                self.lost_at = None;
                *lock(&self.away) = None;
                return Ok(rows.into_iter().next());
            }
            Ok(Err(why)) => TeamError::from(&why),
            Err(_) => TeamError::Busy,
        };
        let now = boot_ms();
        self.session = None;
        if matches!(why, TeamError::Away(_)) && self.failed.is_none() {
            // It is probably only this connection.
            tracing::info!(?why, "the connection for the pace was lost");
            self.connect_at = now;
        } else {
            self.fail(why);
            self.connect_at = now + AGAIN_MS;
        }
        self.lost_at.get_or_insert(now);
        self.connect(now);
        Err(Lost)
    }

    fn view(&mut self, sql: &str, values: &[(&(dyn ToSql + Sync), Type)]) -> Result<View, Lost> {
        let before = boot_ms();
        let row = self.call(sql, values)?;
        let Some(Ok(view)) = row.as_ref().map(View::of) else { return Err(Lost) };
        let now = Instant::now();
        self.held = view.left(view.held_until).map(|left| (now + left, view.refusals));
        self.others = view.left(view.others_end).map(|left| (view.others, now + left));
        if self.has_jumped(view.time, before) { Err(Lost) } else { Ok(view) }
    }

    /// After a jump of the database's clock, nobody gets a slot until everything that was granted has ended.
    fn has_jumped(&mut self, time: i64, before: i64) -> bool {
        let jumped = self.clocks.is_some_and(|(then, before_then)| {
            let passed = boot_ms().saturating_sub(before_then);
            time.saturating_sub(then) > passed.saturating_add(passed / 1000).saturating_add(JUMP_MS)
        });
        self.clocks = Some((time, before));
        if let (true, Some(division)) = (jumped, self.division) {
            tracing::warn!("the clock of the team's database has jumped forward");
            let id = fastrand::Rng::new().i64(..);
            let (pool, lasts) = (int(division.pool), self.lasts());
            let _ = self.call(
                "SELECT lapel.pace_pause($1, $2, $3, $4, $5)",
                &[
                    (&self.pace.clone(), Type::TEXT),
                    (&self.process.clone(), Type::TEXT),
                    (&id, Type::INT8),
                    (&pool, Type::INT4),
                    (&lasts, Type::INT8),
                ],
            );
            self.seat_at = i64::MIN;
        }
        jumped
    }

    /// How long a block counts in the database at most. The clocks have whole milliseconds.
    fn lasts(&self) -> i64 {
        let reach = self.reach.map_or(Duration::ZERO, |reach| reach.usable + reach.request);
        millis(self.pause + reach + self.window) + 2
    }

    /// Until this succeeds, nothing is read, since the database would not show a hold of this process.
    fn write(&mut self) -> Result<(), Lost> {
        if self.session.is_none() {
            return Err(Lost);
        }
        let pace = self.pace.clone();
        if let Some((until, refusals)) = self.unwritten {
            let wait = millis(until.saturating_duration_since(Instant::now()));
            self.call(
                "SELECT lapel.pace_hold($1, $2, $3)",
                &[(&pace, Type::TEXT), (&wait, Type::INT8), (&int(refusals), Type::INT4)],
            )?;
            self.unwritten = None;
        }
        while let Some(give) = self.gives.front().copied() {
            let window = millis(self.window) + 1;
            self.call(
                "SELECT lapel.pace_give($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    (&pace, Type::TEXT),
                    (&self.process.clone(), Type::TEXT),
                    (&give.block, Type::INT8),
                    (&give.part, Type::INT4),
                    (&(give.priority == Priority::Background), Type::BOOL),
                    (&int(give.answered), Type::INT4),
                    (&int(give.remaining), Type::INT4),
                    (&window, Type::INT8),
                ],
            )?;
            self.gives.pop_front();
        }
        Ok(())
    }

    fn held_for(&self) -> Option<Duration> {
        let (until, _) = self.held?;
        Some(until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn seen(&self, used: u32) -> SharedUse {
        let (others, end) = self.others.unwrap_or((0, Instant::now()));
        let left = end.saturating_duration_since(Instant::now());
        SharedUse {
            used,
            others: if left.is_zero() { 0 } else { others },
            others_end_in: left,
            held: self.held_for(),
            refusals: self.held.map_or(0, |(_, refusals)| refusals),
        }
    }

    fn take(&mut self, want: &SlotRequest) -> Turn {
        let reach = self.reach.map_or(Reach::of(want), |known| known.max(Reach::of(want)));
        self.reach = Some(reach);
        let division = Division::of(want.limit, want.background);
        self.division = Some(division);
        if (want.through || self.held_for().is_none())
            && let Some(slot) = self.hand_out(want.priority, want)
        {
            return Turn::Reply(SlotReply::Granted(slot, self.seen(0)));
        }
        self.close(want.priority);
        self.collect_gives(boot_ms());
        let Ok(view) = self.take_block(want, division) else { return self.without_database() };
        let seen = self.seen(view.used);
        if let Some(slot) = self.hand_out(want.priority, want) {
            return Turn::Reply(SlotReply::Granted(slot, seen));
        }
        if let Some(held) = seen.held
            && !want.through
        {
            return Turn::Reply(SlotReply::Later(held, seen));
        }
        // A person goes before this process's own background work.
        if want.priority == Priority::Interactive
            && let Some(slot) = self.hand_out(Priority::Background, want)
        {
            return Turn::Reply(SlotReply::Granted(slot, seen));
        }
        let next = match want.priority {
            Priority::Background if view.used < division.pool => view.next_of_background,
            _ => view.next,
        };
        let (shortest, longest) = (Duration::from_millis(2), self.pause.min(Duration::from_secs(1)));
        let wait = view.left(next).unwrap_or(longest).clamp(shortest.min(longest), longest);
        Turn::Reply(SlotReply::Later(wait, seen))
    }

    fn without_database(&self) -> Turn {
        let why = match &self.failed {
            Some(why) => words(why),
            None if self.lost_at.is_none_or(|since| boot_ms() - since < GRACE_MS) => {
                return Turn::Reply(SlotReply::Later(CONNECTING, self.seen(0)));
            }
            None => localizable!("no response in time"),
        };
        let mut away = lock(&self.away);
        let limit = away.as_ref().map_or(0, |away| away.limit);
        *away = Some(Away { why, server: self.login.server.to_string(), limit });
        Turn::Own(self.seen(0))
    }

    fn hand_out(&mut self, from: Priority, want: &SlotRequest) -> Option<Slot> {
        let now = boot_ms();
        let block = self.open.of(from).as_mut()?;
        if !block.can_serve(Reach::of(want), now) {
            return None;
        }
        block.hand_out();
        Some(Slot { id: block.id, origin: Origin::Block, begin_by: now.saturating_add(millis(want.usable)) })
    }

    /// Nothing is granted if the answer says so.
    fn take_block(&mut self, want: &SlotRequest, division: Division) -> Result<View, Lost> {
        self.write()?;
        let reach = self.reach.unwrap_or(Reach::of(want));
        let is_background = want.priority == Priority::Background;
        let most = if is_background { division.largest_of_background } else { division.largest };
        let size = if want.through { 1 } else { (*self.sizes.of(want.priority)).clamp(1, most) };
        let id = fastrand::Rng::new().i64(..);
        let open_until = boot_ms().saturating_add(millis(self.pause));
        let waits = millis(self.pause.min(Duration::from_secs(1)) * 3).max(50);
        let taken = self.view(
            "SELECT * FROM lapel.pace_take($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                (&self.pace.clone(), Type::TEXT),
                (&self.process.clone(), Type::TEXT),
                (&id, Type::INT8),
                (&is_background, Type::BOOL),
                (&int(size), Type::INT4),
                (&int(division.pool), Type::INT4),
                (&int(want.background), Type::INT4),
                (&self.lasts(), Type::INT8),
                (&waits, Type::INT8),
                (&want.through, Type::BOOL),
            ],
        );
        match taken {
            Ok(view) => {
                if view.granted > 0 {
                    let block = Block::new(id, want.priority, reach, view.granted, open_until);
                    *self.open.of(want.priority) = Some(block);
                }
                Ok(view)
            }
            Err(lost) => {
                // The database may have granted it all the same.
                let (priority, answered, remaining) = (want.priority, 0, 0);
                self.gives.push_back(Give { block: id, part: 0, priority, answered, remaining });
                Err(lost)
            }
        }
    }

    fn close(&mut self, priority: Priority) {
        let Some(mut block) = self.open.of(priority).take() else { return };
        let most = self.division.map_or(1, |division| match priority {
            Priority::Interactive => division.largest,
            Priority::Background => division.largest_of_background,
        });
        *self.sizes.of(priority) = block.next_size(most);
        block.close();
        self.closed.push(block);
    }

    fn take_back(&mut self, id: i64, sent: bool) {
        let open = [&mut self.open.interactive, &mut self.open.background].into_iter().flatten();
        if let Some(block) = open.chain(&mut self.closed).find(|block| block.id == id) {
            block.take_back(sent);
        }
    }

    fn hold(&mut self, wait: Duration, refusals: u32) {
        let until = Instant::now() + wait;
        let later = |known: Option<(Instant, u32)>| {
            known.map_or((until, refusals), |(before, times)| (before.max(until), times.max(refusals)))
        };
        self.held = Some(later(self.held));
        self.unwritten = Some(later(self.unwritten));
        let _ = self.write();
    }

    fn calm(&mut self, lift: bool) {
        if lift {
            self.held = None;
            self.unwritten = None;
        }
        let pace = self.pace.clone();
        let _ = self.call("SELECT lapel.pace_calm($1, $2)", &[(&pace, Type::TEXT), (&lift, Type::BOOL)]);
    }

    /// `None` without the database.
    fn peek(&mut self) -> Option<SharedUse> {
        self.write().ok()?;
        let (pace, process) = (self.pace.clone(), self.process.clone());
        let sql = "SELECT * FROM lapel.pace_peek($1, $2)";
        let view = self.view(sql, &[(&pace, Type::TEXT), (&process, Type::TEXT)]).ok()?;
        Some(self.seen(view.used))
    }

    /// Gets or extends the seat of this computer.
    fn renew_seat(&mut self, now: i64) {
        let (Some(own), Some(division), Some(reach)) = (self.own.clone(), self.division, self.reach) else {
            return;
        };
        if self.session.is_none() || now < self.seat_at || division.own == 0 {
            return;
        }
        // Four hours.
        let lease = self.window * 240;
        self.seat_at = now.saturating_add(millis(self.window));
        let mut seat = match own.seat() {
            Ok(seat) => seat,
            Err(why) => {
                tracing::warn!(%why, "the seat of this computer is unknown");
                return;
            }
        };
        let until = boot_ms().saturating_add(millis(lease));
        let lasts = millis(lease + reach.request + self.window) + 2;
        let id = fastrand::Rng::new().i64(..);
        let given = self.call(
            "SELECT lapel.pace_seat($1, $2, $3, $4, $5, $6, $7)",
            &[
                (&self.pace.clone(), Type::TEXT),
                (&seat.owner, Type::TEXT),
                (&id, Type::INT8),
                (&int(division.own), Type::INT4),
                (&int(SEATS), Type::INT4),
                (&int(division.pool), Type::INT4),
                (&lasts, Type::INT8),
            ],
        );
        let Ok(Some(row)) = given else { return };
        let Ok(slots) = row.try_get::<_, i32>(0) else { return };
        seat.slots = slots.unsigned_abs();
        seat.reach = reach.request;
        seat.until = until;
        if seat.slots > 0 {
            self.seat_at = now.saturating_add(millis(lease / 4));
        }
        own.keep_seat(seat, lease);
    }

    /// Returns what can be returned. Open slots of requests under way end by themselves.
    fn leave(&mut self) {
        self.close(Priority::Interactive);
        self.close(Priority::Background);
        let pause = millis(self.pause);
        for block in &mut self.closed {
            self.gives.extend(block.give(boot_ms(), pause));
        }
        self.closed.retain(|block| !block.is_finished());
        let _ = self.write();
    }
}

#[cfg(test)]
mod tests;
