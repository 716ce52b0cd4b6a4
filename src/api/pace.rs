//! The pace of a key: never more than `limit` requests in any sliding 60 s, as the service sees them
//! (contract, "Limits").
//!
//! A request holds a slot from just before it is sent until 60 s after it completed. That is enough whatever
//! the latency: of all requests that the service sees within some 60 s, take the one granted last. Every
//! other one reached the service at most 60 s before it, so completed at most 60 s before it or is still
//! under way; so each still held its slot when the last was granted, and no more than `limit` slots exist.
//! (A request that was given up counts as completed then. One that reaches the service only after that can
//! break the proof; the network would have to hold it back longer than our own time-outs.)

use super::call::Priority;
use super::error::{ApiError, Result};
use super::link::{LinkStatus, LinkTrouble};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The window of the contract's limit.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// What stands for a `Retry-After` that is absent or nonsense; it doubles with every 429 in a row.
const BLIND_WAIT: Duration = Duration::from_secs(5);
const LONGEST_BLIND_WAIT: Duration = Duration::from_secs(60);
/// The share of background work is halved so often at most.
const MOST_HALVINGS: u32 = 4;
/// How long it stays halved after the last 429.
const HALVED_FOR: Duration = Duration::from_secs(600);
/// Half of the first wait where the service says that none is needed, and refuses again.
const SHORTEST_WAIT_AGAIN: Duration = Duration::from_millis(50);
/// A `Retry-After` beyond this is as good as for ever; it keeps moments within what a clock can hold.
const LONGEST_HOLD: Duration = Duration::from_secs(366 * 24 * 3600);

/// The pace of one key at one origin, shared by everything in this process that uses them.
#[derive(Debug)]
pub(super) struct Pace {
    state: Mutex<State>,
    status: watch::Sender<LinkStatus>,
}

#[derive(Debug)]
struct State {
    limit: u32,
    under_way: Class<u32>,
    /// When completed requests free their slots, in order.
    done: VecDeque<(Instant, Priority)>,
    done_in_background: u32,
    queues: Class<VecDeque<Arc<Waiter>>>,
    held_until: Option<Instant>,
    /// 429 answers in a row, for growing blind waits.
    refusals: u32,
    /// How often the share of background work was halved, and when for the last time: somebody else uses the
    /// key, too.
    halvings: u32,
    halved: Option<Instant>,
    trouble: Option<LinkTrouble>,
    last_ok: Option<Instant>,
}

#[derive(Debug, Default)]
struct Class<T> {
    interactive: T,
    background: T,
}

impl<T> Class<T> {
    fn of(&mut self, priority: Priority) -> &mut T {
        match priority {
            Priority::Interactive => &mut self.interactive,
            Priority::Background => &mut self.background,
        }
    }
}

#[derive(Debug, Default)]
struct Waiter {
    wake: Notify,
    granted: std::sync::atomic::AtomicBool,
}

impl Waiter {
    fn is_granted(&self) -> bool {
        self.granted.load(std::sync::atomic::Ordering::Acquire)
    }
}

impl Pace {
    pub(super) fn new(limit: u32) -> Arc<Self> {
        let limit = limit.max(1);
        let state = State {
            limit,
            under_way: Class::default(),
            done: VecDeque::new(),
            done_in_background: 0,
            queues: Class::default(),
            held_until: None,
            refusals: 0,
            halvings: 0,
            halved: None,
            trouble: None,
            last_ok: None,
        };
        let (status, _) = watch::channel(state.status());
        Arc::new(Self { state: Mutex::new(state), status })
    }

    /// Two users of one key with different limits get the smaller one.
    pub(super) fn limit_to(&self, limit: u32) {
        let mut state = self.lock();
        state.limit = state.limit.min(limit.max(1));
        self.publish(&state);
    }

    /// Whether nothing is remembered that a later user of the key would have to respect.
    pub(super) fn is_idle(&self) -> bool {
        let mut state = self.lock();
        state.expire(Instant::now());
        state.used() == 0 && state.waiting() == 0 && state.held_until.is_none()
    }

    pub(super) fn watch(&self) -> watch::Receiver<LinkStatus> {
        self.status.subscribe()
    }

    /// Requests that count against the minute now, and how many may.
    pub(super) fn budget(&self) -> (u32, u32) {
        let state = self.lock();
        (state.used(), state.limit)
    }

    /// The status as of now; also brings the watched one up to date.
    pub(super) fn status_now(&self) -> LinkStatus {
        let mut state = self.lock();
        state.expire(Instant::now());
        self.publish(&state);
        state.status()
    }

    /// Waits for a turn. Dropping the future, or cancelling the token, leaves no hole in the queue.
    pub(super) async fn turn(
        self: &Arc<Self>,
        priority: Priority,
        cancel: &CancellationToken,
    ) -> Result<Permit> {
        if cancel.is_cancelled() {
            return Err(ApiError::Cancelled);
        }
        let waiter = Arc::new(Waiter::default());
        let mut place = Place { pace: self, waiter: Some(waiter.clone()), priority };
        {
            let mut state = self.lock();
            state.queues.of(priority).push_back(waiter.clone());
            state.grant(Instant::now());
            self.publish(&state);
        }
        loop {
            if waiter.is_granted() {
                place.waiter = None;
                return Ok(Permit { pace: self.clone(), priority, sent: false });
            }
            let deadline = self.lock().deadline_of(&waiter, priority);
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ApiError::Cancelled),
                () = waiter.wake.notified() => {}
                () = sleep_until(deadline) => {
                    let mut state = self.lock();
                    state.grant(Instant::now());
                    self.publish(&state);
                }
            }
        }
    }

    /// Holds everything of the key, people too, because the service answered 429. `asked` is its
    /// `Retry-After`; without one the hold grows with every such answer in a row. Returns the wait.
    pub(super) fn hold(&self, asked: Option<Duration>) -> Duration {
        let now = Instant::now();
        let mut state = self.lock();
        // Several requests that were under way together are refused together: that is one refusal.
        if state.held_until.is_none_or(|until| until <= now) {
            state.refusals = state.refusals.saturating_add(1);
            state.halvings = (state.halvings + 1).min(MOST_HALVINGS);
            state.halved = Some(now);
        }
        let grown = |first: Duration| first.saturating_mul(1 << state.refusals.saturating_sub(1).min(10));
        let wait = match asked {
            // `Retry-After: 0` time after time must not become a hammer.
            Some(asked) if state.refusals > 1 => {
                asked.max(grown(SHORTEST_WAIT_AGAIN).min(LONGEST_BLIND_WAIT))
            }
            Some(asked) => asked,
            None => grown(BLIND_WAIT).min(LONGEST_BLIND_WAIT),
        }
        .min(LONGEST_HOLD);
        let until = now + wait;
        state.held_until = Some(state.held_until.map_or(until, |held| held.max(until)));
        state.trouble = None;
        state.wake_heads();
        self.publish(&state);
        wait
    }

    /// How long the hold still lasts.
    pub(super) fn held_for(&self) -> Duration {
        let now = Instant::now();
        self.lock().held_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Notes how a request went, for the link's status. `None` is an answer in the service's own words.
    pub(super) fn note(&self, trouble: Option<LinkTrouble>) {
        let mut state = self.lock();
        state.trouble = trouble;
        if trouble.is_none() {
            state.refusals = 0;
            state.last_ok = Some(Instant::now());
        }
        self.publish(&state);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, state: &State) {
        let now = state.status();
        self.status.send_if_modified(|shown| {
            let changed = *shown != now;
            if changed {
                *shown = now;
            }
            changed
        });
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

impl State {
    fn used(&self) -> u32 {
        self.under_way.interactive + self.under_way.background + self.done.len() as u32
    }

    fn waiting(&self) -> u32 {
        (self.queues.interactive.len() + self.queues.background.len()) as u32
    }

    /// Background work gets a quarter, so that people always find room; after a 429 half of that, for a while.
    fn background_limit(&self) -> u32 {
        (self.limit / 4 / (1 << self.halvings)).max(1)
    }

    fn expire(&mut self, now: Instant) {
        while let Some((frees, priority)) = self.done.front().copied() {
            if frees > now {
                break;
            }
            self.done.pop_front();
            if priority == Priority::Background {
                self.done_in_background -= 1;
            }
        }
        if self.held_until.is_some_and(|until| until <= now) {
            self.held_until = None;
        }
        if self.halved.is_some_and(|at| now.saturating_duration_since(at) >= HALVED_FOR) {
            self.halvings = 0;
            self.halved = None;
        }
    }

    fn may_go(&self, priority: Priority) -> bool {
        self.held_until.is_none()
            && self.used() < self.limit
            && (priority == Priority::Interactive
                || self.under_way.background + self.done_in_background < self.background_limit())
    }

    /// Gives turns to whoever may go now: people first.
    fn grant(&mut self, now: Instant) {
        self.expire(now);
        let mut granted = false;
        for priority in [Priority::Interactive, Priority::Background] {
            while self.may_go(priority) {
                let Some(waiter) = self.queues.of(priority).pop_front() else { break };
                *self.under_way.of(priority) += 1;
                waiter.granted.store(true, std::sync::atomic::Ordering::Release);
                waiter.wake.notify_one();
                granted = true;
            }
        }
        if granted {
            self.wake_heads();
        }
    }

    /// Only the first of each queue keeps a timer; it must look again when what it waits for has moved.
    fn wake_heads(&self) {
        for queue in [&self.queues.interactive, &self.queues.background] {
            if let Some(head) = queue.front() {
                head.wake.notify_one();
            }
        }
    }

    /// When a waiter should look again by itself: `None` when it is not the first of its queue, or when
    /// only the end of a request can help.
    fn deadline_of(&self, waiter: &Arc<Waiter>, priority: Priority) -> Option<Instant> {
        let queue = match priority {
            Priority::Interactive => &self.queues.interactive,
            Priority::Background => &self.queues.background,
        };
        if !queue.front().is_some_and(|head| Arc::ptr_eq(head, waiter)) {
            return None;
        }
        if let Some(until) = self.held_until {
            return Some(until);
        }
        if self.used() >= self.limit {
            return self.done.front().map(|(frees, _)| *frees);
        }
        self.done.iter().find(|(_, p)| *p == Priority::Background).map(|(frees, _)| *frees)
    }

    fn status(&self) -> LinkStatus {
        let frees = self.done.front().map(|(frees, _)| *frees);
        LinkStatus {
            used_last_minute: self.used(),
            limit: self.limit,
            background: self.background_limit(),
            waiting: self.waiting(),
            held_until: self.held_until,
            last_error: self.trouble,
            last_ok: self.last_ok,
            next_change: [frees, self.held_until].into_iter().flatten().min(),
        }
    }
}

/// A place in the queue; leaves it when dropped.
struct Place<'p> {
    pace: &'p Arc<Pace>,
    waiter: Option<Arc<Waiter>>,
    priority: Priority,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        let mut state = self.pace.lock();
        if waiter.is_granted() {
            // The turn came at the same moment: nothing was sent, so it goes to the next.
            *state.under_way.of(self.priority) -= 1;
        } else {
            state.queues.of(self.priority).retain(|w| !Arc::ptr_eq(w, &waiter));
        }
        state.grant(Instant::now());
        state.wake_heads();
        self.pace.publish(&state);
    }
}

/// A turn: the right to send one request. Its slot is freed 60 s after it is dropped, or at once if
/// nothing was sent.
#[derive(Debug)]
pub(super) struct Permit {
    pace: Arc<Pace>,
    priority: Priority,
    sent: bool,
}

impl Permit {
    /// To be called just before the request is handed to the network.
    pub(super) fn sent(&mut self) {
        self.sent = true;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut state = self.pace.lock();
        *state.under_way.of(self.priority) -= 1;
        if self.sent {
            state.done.push_back((now + WINDOW, self.priority));
            if self.priority == Priority::Background {
                state.done_in_background += 1;
            }
            // A head that had no deadline (everything was under way) has one now.
            state.wake_heads();
        }
        state.grant(now);
        self.pace.publish(&state);
    }
}

#[cfg(test)]
mod tests;
