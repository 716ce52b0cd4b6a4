//! What a request holds of the rate limiter. Dropping it gives that back.

use super::Pace;
use super::queue::QueuedCall;
use super::shared::is_fresh;
use super::slots::{Slot, SlotOrigin};
use crate::api::pace::Priority;
use crate::api::prelude::*;
use tokio::time::Instant;

/// Dropping it leaves the queue.
pub(super) struct QueuePlace<'p> {
    pub(super) pace: &'p Arc<Pace>,
    pub(super) waiter: Option<Arc<QueuedCall>>,
    pub(super) priority: Priority,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        let mut state = self.pace.lock();
        if waiter.is_granted() {
            // The turn was granted at the same moment but not used, so the next waiter gets it.
            *state.under_way.of(self.priority) -= 1;
        } else {
            state.queues.of(self.priority).retain(|w| !Arc::ptr_eq(w, &waiter));
        }
        state.grant(Instant::now());
        state.wake_heads();
        self.pace.publish(&state);
    }
}

pub(super) struct Outside<'p>(&'p Pace);

impl<'p> Outside<'p> {
    pub(super) fn new(pace: &'p Pace) -> Self {
        let mut state = pace.lock();
        state.outside += 1;
        pace.publish(&state);
        Self(pace)
    }
}

impl Drop for Outside<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.outside -= 1;
        self.0.publish(&state);
    }
}

/// Dropping it removes the record.
pub(in crate::api) struct ReadGuard<'p> {
    pub(super) pace: &'p Pace,
    pub(super) no: u64,
}

impl Drop for ReadGuard<'_> {
    fn drop(&mut self) {
        self.pace.lock().reads.retain(|(no, _)| *no != self.no);
    }
}

/// The right to send one request. Dropping it frees its slot after 60 s, or at once if nothing was sent.
#[derive(Debug)]
pub(in crate::api) struct Permit {
    pub(super) pace: Arc<Pace>,
    pub(super) priority: Priority,
    pub(super) sent: bool,
    pub(super) slot: Option<Slot>,
}

impl Permit {
    /// False if this process was suspended for too long: other processes no longer wait for the slot.
    pub(in crate::api) fn is_fresh(&self) -> bool {
        self.slot.is_none_or(is_fresh)
    }

    /// Call this just before the request is passed to the network.
    pub(in crate::api) fn sent(&mut self) {
        self.sent = true;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut state = self.pace.lock();
        *state.under_way.of(self.priority) -= 1;
        if self.sent {
            let window = state.window;
            state.done.push_back((now + window, self.priority));
            if self.priority == Priority::Background {
                state.done_in_background += 1;
            }
            // A first waiter without a deadline (everything was under way) has one now.
            state.wake_heads();
        }
        state.grant(now);
        self.pace.publish(&state);
        drop(state);
        let Some(slot) = self.slot.take() else { return };
        let sent = self.sent.then_some(self.priority);
        match slot.origin {
            SlotOrigin::Computer => {
                if let Some(shared) = self.pace.shared.get() {
                    shared.give(slot, sent);
                }
            }
            #[cfg(feature = "team")]
            SlotOrigin::Block | SlotOrigin::OwnShare => {
                if let Some(team) = self.pace.team.get() {
                    team.give(slot, sent);
                }
            }
        }
    }
}
