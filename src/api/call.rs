//! Options of a call: its priority and its cancellation.

use super::pace::Permit;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Priority {
    /// A person waits. Goes before all background calls.
    Interactive,
    /// Nobody waits: a scan or a poll. Limited to a quarter of the key's rate limit.
    Background,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub priority: Priority,
    /// Cancels a GET at once, and a POST only while it waits for its turn: the result of a sent
    /// POST must be known.
    pub cancel: CancellationToken,
    turn: Option<Turn>,
}

/// A turn taken in advance: the right to send one request now. Dropping the last copy returns it.
#[derive(Clone, Debug)]
pub struct Turn(Arc<Mutex<Option<Permit>>>);

impl Turn {
    pub(super) fn new(permit: Permit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    pub(super) fn take(&self) -> Option<Permit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Call {
    pub fn interactive() -> Self {
        Self { priority: Priority::Interactive, cancel: CancellationToken::new(), turn: None }
    }

    pub fn background() -> Self {
        Self { priority: Priority::Background, cancel: CancellationToken::new(), turn: None }
    }

    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// The POST then never waits for another turn: a 429 ends it with [`super::ApiError::RateLimited`].
    #[must_use]
    pub fn in_turn(mut self, turn: Turn) -> Self {
        self.turn = Some(turn);
        self
    }

    pub(super) fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }
}
