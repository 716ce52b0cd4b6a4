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
//! it through `pace.sqlite`, which sends no more than that in any window. It takes its seat with its first connection,
//! before any request. Without the database, a computer uses only its seat. Without a seat, it sends nothing.
//!
//! Assumptions. A process that is suspended between its last check and the network sends few requests late:
//! `limit - pool` requests are reserved for them. The database loses no commit. Its clock does not jump forward: if a
//! process notices a jump, all wait until everything that was granted has ended.

mod blocks;
mod database;
mod grants;
mod holds;

use super::queue::ByPriority;
use super::shared::{PaceProblem, Shared};
use super::slots::{SharedUse, Slot, SlotOrigin, SlotReply, SlotRequest, millis};
use super::{Priority, SlotTimes};
use crate::api::prelude::*;
use crate::boot_clock::boot_ms;
use crate::team::{Login, TeamError};
use blocks::{Division, GrantedBlocks};
use database::DatabaseLink;
use holds::Holds;
use std::path::Path;
use std::sync::MutexGuard;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use tokio::sync::oneshot;

/// Maximum wait for an answer of the database.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection that is replaced within this time counts as never lost.
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

type Task = Box<dyn FnOnce(&mut PaceKeeper) + Send>;
type OnChange = Box<dyn Fn() + Send>;

#[derive(Debug)]
pub(super) struct TeamShare {
    work: Sender<Task>,
    /// Only the first waiter of each priority requests a slot. The others wait here, in order.
    heads: ByPriority<tokio::sync::Mutex<()>>,
    /// The file through which this computer's processes share its seat. `None`: it cannot be used.
    own: Option<Arc<Shared>>,
    away: Arc<Mutex<Option<Away>>>,
    pause: Duration,
}

/// Why the database cannot be used, and how much this computer sends without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Away {
    pub(super) why: PaceProblem,
    pub(super) is_login_refused: bool,
    pub(super) server: String,
    /// 0: it has no seat.
    pub(super) limit: u32,
}

/// What the rest of the process sees of the database.
struct AwayStatus {
    away: Arc<Mutex<Option<Away>>>,
    changed: OnChange,
}

impl AwayStatus {
    fn set(&self, now: Option<Away>) {
        let mut away = lock(&self.away);
        if *away != now {
            *away = now;
            drop(away);
            (self.changed)();
        }
    }
}

enum TeamTurn {
    Reply(SlotReply),
    /// The database is away.
    Own(SharedUse),
}

impl TeamShare {
    /// Connects in the background, and then takes the own share of this computer, for which `folder` is. `first` says
    /// how the limit is divided, and how long requests take at most. `changed` is called when the database is away, and
    /// when it is back.
    pub(super) fn start(
        login: Login,
        folder: Option<&Path>,
        pace: &str,
        first: &SlotRequest,
        changed: OnChange,
    ) -> (Self, SharedUse) {
        let server = login.server.to_string();
        // Also for processes of this key without a team: they share the holds and this computer's seat.
        let opened = folder.and_then(|folder| {
            let opened = Shared::open(folder, pace.to_owned(), first.window, true);
            opened.inspect_err(|why| tracing::warn!(%why, "this computer has no own share")).ok()
        });
        let (own, seen) = opened.map_or_else(Default::default, |(own, seen)| (Some(Arc::new(own)), seen));
        let seen = SharedUse { others: 0, ..seen };
        let (work, queue) = channel();
        let away = Arc::new(Mutex::new(None));
        let shown = AwayStatus { away: away.clone(), changed };
        let keeper = PaceKeeper::new(login, pace, first, own.clone(), shown, work.clone(), &seen);
        let pause = keeper.pause;
        let started = std::thread::Builder::new().name("team pace".into()).spawn(move || keeper.run(&queue));
        if let Err(why) = started {
            // Nothing is sent then.
            *lock(&away) = Some(Away {
                why: Localizable::verbatim(why.to_string()),
                is_login_refused: false,
                server,
                limit: 0,
            });
        }
        (Self { work, heads: ByPriority::default(), own, away, pause }, seen)
    }

    pub(super) async fn head(&self, priority: Priority) -> tokio::sync::MutexGuard<'_, ()> {
        self.heads.get(priority).lock().await
    }

    pub(super) async fn take(&self, want: SlotRequest) -> SlotReply {
        // A process of this computer without a team may have been refused.
        if let Some(own) = &self.own
            && !want.through
            && let Ok(seen @ SharedUse { held: Some(held), refusals, .. }) = own.peek_outside_team().await
        {
            self.queue(move |keeper| keeper.hear_hold(held, refusals));
            return SlotReply::Later(held, seen);
        }
        let (answer, asked) = oneshot::channel();
        let wanted = want.clone();
        self.queue(move |keeper| {
            let turn = keeper.take(&wanted);
            // The waiter is gone and cannot return the slot itself.
            if let Err(TeamTurn::Reply(SlotReply::Granted(slot, _))) = answer.send(turn) {
                keeper.take_back(slot.id, false);
            }
        });
        match asked.await {
            Ok(TeamTurn::Reply(reply)) => reply,
            Ok(TeamTurn::Own(seen)) => self.take_own(want, seen).await,
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
            SlotOrigin::OwnShare => {
                if let Some(own) = &self.own {
                    own.give(slot, sent);
                }
            }
            SlotOrigin::Block | SlotOrigin::Computer => {
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

    pub(super) fn leave(&self) {
        let (answer, asked) = channel();
        self.queue(move |keeper| {
            keeper.leave();
            let _ = answer.send(());
        });
        let _ = asked.recv_timeout(FAREWELL);
    }

    /// A person has opened the profile anew, perhaps with another password.
    pub(super) fn use_login(&self, login: Login) {
        self.queue(move |keeper| keeper.link.use_login(login));
    }

    pub(super) fn away(&self) -> Option<Away> {
        lock(&self.away).clone()
    }

    fn queue(&self, work: impl FnOnce(&mut PaceKeeper) + Send + 'static) {
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
        let Self { why, server, limit, .. } = self;
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
        TeamError::Away(why)
        | TeamError::Refused(why)
        | TeamError::Unsafe(why)
        | TeamError::LoginRefused(why) => why.clone(),
        TeamError::NoFeature | TeamError::NoJournal | TeamError::Schema { .. } => {
            localizable!("the database has no journal of this version")
        }
        TeamError::Pooled => localizable!("there is a pooler in transaction mode"),
        TeamError::Forbidden => localizable!("the user may not use it"),
        TeamError::Full => localizable!("its disk is full"),
        // Only a job is refused for its rows.
        TeamError::Busy
        | TeamError::Unsearched { .. }
        | TeamError::Changed { .. }
        | TeamError::Elsewhere(_) => {
            localizable!("no response in time")
        }
        TeamError::Other(code) => localizable!("error {code}", code),
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The database did not do it. The connection is gone.
struct DatabaseLost;

/// The thread's state.
struct PaceKeeper {
    link: DatabaseLink,
    pace: String,
    process: String,
    window: Duration,
    /// Longest wait before another attempt, and how long a block is open.
    pause: Duration,
    blocks: GrantedBlocks,
    /// The longest request of this process.
    span: SlotTimes,
    division: Division,
    holds: Holds,
    others: Option<(u32, Instant)>,
    /// A time of the database's clock, and one of this computer that was before it.
    clocks: Option<(i64, i64)>,
    own: Option<Arc<Shared>>,
    seat_at: i64,
    shown: AwayStatus,
    /// The seats of the computers use the whole limit of this process.
    is_crowded: bool,
    has_ended: bool,
}

fn int(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

impl PaceKeeper {
    fn new(
        login: Login,
        pace: &str,
        first: &SlotRequest,
        own: Option<Arc<Shared>>,
        shown: AwayStatus,
        work: Sender<Task>,
        seen: &SharedUse,
    ) -> Self {
        let mut random = fastrand::Rng::new();
        let window = first.window;
        let mut holds = Holds::default();
        holds.read(seen.held, seen.refusals);
        Self {
            link: DatabaseLink::new(login, work),
            pace: pace.to_owned(),
            process: format!("{:016x}", random.u64(..)),
            window,
            pause: (window / 20).min(Duration::from_secs(3)),
            blocks: GrantedBlocks::new(),
            span: SlotTimes::of(first),
            division: Division::of(first.limit, first.background),
            holds,
            others: None,
            clocks: None,
            own,
            seat_at: i64::MIN,
            shown,
            is_crowded: false,
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
        let has_seat = self.link.session.is_some() && self.own.is_some() && self.division.own > 0;
        let seat = has_seat.then_some(self.seat_at);
        [self.blocks.due(), self.link.due(), seat].into_iter().flatten().min()
    }

    fn work_due(&mut self) {
        let now = boot_ms();
        self.blocks.close_ended(now, self.division);
        self.blocks.collect(now, millis(self.pause));
        self.link.connect(now);
        let _ = self.write();
        self.renew_seat(now);
    }

    /// How long a block counts in the database at most. The clocks have whole milliseconds.
    fn lasts(&self) -> i64 {
        millis(self.pause + self.span.usable + self.span.reach + self.window) + 2
    }

    fn seen(&self, used: u32) -> SharedUse {
        let (others, end) = self.others.unwrap_or((0, Instant::now()));
        let left = end.saturating_duration_since(Instant::now());
        SharedUse {
            used,
            others: if left.is_zero() { 0 } else { others },
            others_end_in: left,
            held: self.holds.left(),
            refusals: self.holds.refusals(),
            own_share: None,
        }
    }
}

#[cfg(test)]
mod tests;
