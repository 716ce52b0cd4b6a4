//! The state of a rate limiter: slots in use, the queues of waiting requests, and who goes next.

use super::super::link::{LinkStatus, LinkTrouble, UnderWay};
use crate::api::prelude::*;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Counted from the last 429.
pub(super) const HALVED_FOR: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Priority {
    /// A person waits. Goes before all background calls.
    Interactive,
    /// Nobody waits: a scan or a poll. Limited to a quarter of the key's rate limit.
    Background,
}

#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) limit: u32,
    pub(super) under_way: ByPriority<u32>,
    /// In order.
    pub(super) done: VecDeque<(Instant, Priority)>,
    pub(super) done_in_background: u32,
    pub(super) queues: ByPriority<VecDeque<Arc<QueuedCall>>>,
    pub(super) held_until: Option<Instant>,
    pub(super) refusals: u32,
    /// Set by this process. A reading from before the last hold must not end it.
    pub(super) holds: u64,
    /// How often the background share was halved, and when last: a 429 means that others use the key too.
    pub(super) halvings: u32,
    pub(super) halved: Option<Instant>,
    pub(super) trouble: Option<LinkTrouble>,
    pub(super) last_ok: Option<Instant>,
    pub(super) window: Duration,
    /// Requests with a turn in this process that wait for a shared slot.
    pub(super) outside: u32,
    /// Slots of other processes at the last check, and until when they count at most.
    pub(super) others: Option<(u32, Instant)>,
    pub(super) alone: Option<Localizable>,
    /// This computer's share of a limit that a team shares without this process, and until when.
    pub(super) own_share: Option<(u32, Instant)>,
    /// While the team's database is away.
    #[cfg(feature = "team")]
    pub(super) away: Option<super::team::Away>,
    /// The oldest first.
    pub(super) reads: Vec<(u64, UnderWay)>,
    pub(super) reads_so_far: u64,
}

#[derive(Debug, Default)]
pub(super) struct ByPriority<T> {
    pub(super) interactive: T,
    pub(super) background: T,
}

impl<T> ByPriority<T> {
    pub(super) fn get(&self, priority: Priority) -> &T {
        match priority {
            Priority::Interactive => &self.interactive,
            Priority::Background => &self.background,
        }
    }

    pub(super) fn of(&mut self, priority: Priority) -> &mut T {
        match priority {
            Priority::Interactive => &mut self.interactive,
            Priority::Background => &mut self.background,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct QueuedCall {
    pub(super) wake: Notify,
    pub(super) granted: std::sync::atomic::AtomicBool,
}

impl QueuedCall {
    pub(super) fn is_granted(&self) -> bool {
        self.granted.load(std::sync::atomic::Ordering::Acquire)
    }
}

impl QueueState {
    pub(super) fn used(&self) -> u32 {
        self.under_way.interactive + self.under_way.background + self.done.len() as u32
    }

    pub(super) fn waiting(&self) -> u32 {
        (self.queues.interactive.len() + self.queues.background.len()) as u32 + self.outside
    }

    /// Includes those of other processes.
    pub(super) fn used_by_all(&self) -> u32 {
        self.used().saturating_sub(self.outside) + self.others.map_or(0, |(count, _)| count)
    }

    /// A quarter of the limit, so that interactive calls always have room. Halved for a while after each 429.
    pub(super) fn background_limit(&self) -> u32 {
        (self.limit / 4 / (1 << self.halvings)).max(1)
    }

    pub(super) fn expire(&mut self, now: Instant) {
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
        if self.others.is_some_and(|(_, until)| until <= now) {
            self.others = None;
        }
        if self.own_share.is_some_and(|(_, until)| until <= now) {
            self.own_share = None;
        }
        if self.halved.is_some_and(|at| now.saturating_duration_since(at) >= HALVED_FOR) {
            self.halvings = 0;
            self.halved = None;
        }
    }

    pub(super) fn may_go(&self, priority: Priority) -> bool {
        self.held_until.is_none()
            && self.used() < self.limit
            && (priority == Priority::Interactive
                || self.under_way.background + self.done_in_background < self.background_limit())
    }

    /// Interactive waiters go first.
    pub(super) fn grant(&mut self, now: Instant) {
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

    /// Only the first waiter of each queue has a timer. It must check again when its deadline changes.
    pub(super) fn wake_heads(&self) {
        for queue in [&self.queues.interactive, &self.queues.background] {
            if let Some(head) = queue.front() {
                head.wake.notify_one();
            }
        }
    }

    /// `None` for a waiter that is not the first of its queue, or if only the end of a request can help.
    pub(super) fn deadline_of(&self, waiter: &Arc<QueuedCall>, priority: Priority) -> Option<Instant> {
        if !self.queues.get(priority).front().is_some_and(|head| Arc::ptr_eq(head, waiter)) {
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

    pub(super) fn limit_now(&self) -> u32 {
        #[cfg(feature = "team")]
        if let Some(away) = &self.away {
            return away.limit.min(self.limit);
        }
        self.limit
    }

    /// Why the limit is not shared although it should be, as a message.
    pub(super) fn why_alone(&self) -> Option<Localizable> {
        #[cfg(feature = "team")]
        if let Some(away) = &self.away {
            return Some(away.words());
        }
        let why = self.alone.as_ref()?;
        Some(localizable!(
            "lapel cannot see what other lapel programs on this computer send with this key ({why}). It sends at most {limit} requests a minute, a quarter of the limit.",
            why,
            limit = self.limit
        ))
    }

    pub(super) fn status(&self) -> LinkStatus {
        let frees = self.done.front().map(|(frees, _)| *frees);
        let own_share = self.own_share.map(|(limit, _)| limit);
        LinkStatus {
            used_last_minute: self.used_by_all(),
            limit: self.limit_now(),
            is_busy: self.waiting() + self.under_way.interactive + self.under_way.background > 0,
            background: own_share.map_or(u32::MAX, |own| (own / 4).max(1)).min(self.background_limit()),
            waiting: self.waiting(),
            held_until: self.held_until,
            last_error: self.trouble,
            last_ok: self.last_ok,
            alone: self.why_alone(),
            own_share,
            #[cfg(feature = "team")]
            is_login_refused: self.away.as_ref().is_some_and(|away| away.is_login_refused),
            #[cfg(not(feature = "team"))]
            is_login_refused: false,
            next_change: [frees, self.held_until]
                .into_iter()
                .chain([self.others, self.own_share].map(|of| of.map(|(_, until)| until)))
                .flatten()
                .min(),
        }
    }
}
