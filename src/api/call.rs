//! How a call is made: how urgent it is, and what gives it up.

use super::pace::Permit;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Priority {
    /// A person: goes before everything in the background.
    Interactive,
    /// Nobody in particular: a scan, a follow-up. Takes at most a quarter of the key's pace.
    Background,
}

/// How one call is made.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who waits for it.
    pub priority: Priority,
    /// Gives the call up. A GET is given up at once. A POST is given up only while it waits for its turn:
    /// once its first byte may have left, it runs to its end, since its fate must be known.
    pub cancel: CancellationToken,
    turn: Option<Turn>,
}

/// A turn that was taken before the request was made: the right to send one request now. Given back when the last
/// copy is dropped.
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
    /// A call that a person waits for.
    pub fn interactive() -> Self {
        Self { priority: Priority::Interactive, cancel: CancellationToken::new(), turn: None }
    }

    /// A call that nobody waits for.
    pub fn background() -> Self {
        Self { priority: Priority::Background, cancel: CancellationToken::new(), turn: None }
    }

    /// The same call, given up when `token` is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// The same call, of which a POST uses this turn. It then never waits for another one: after a 429 it ends with
    /// [`super::ApiError::RateLimited`] at once.
    #[must_use]
    pub fn in_turn(mut self, turn: Turn) -> Self {
        self.turn = Some(turn);
        self
    }

    pub(super) fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }
}
