//! Options of a call: its priority and its cancellation.

use super::pace::{Permit, Priority};
use crate::api::prelude::*;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub struct Call {
    pub priority: Priority,
    /// Cancels a GET at once, and a POST only while it waits for its turn: the result of a sent
    /// POST must be known.
    pub cancel: CancellationToken,
    pub(super) turn: Option<Turn>,
    pub(super) may_send: Option<MaySend>,
}

/// Whether a POST may still be sent, asked when the first byte of its body is due.
#[derive(Clone)]
pub struct MaySend(Arc<dyn Fn() -> bool + Send + Sync>);

impl MaySend {
    pub fn new(is_allowed: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_allowed))
    }

    pub(crate) fn is_allowed(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for MaySend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MaySend")
    }
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
        Self { priority: Priority::Interactive, cancel: CancellationToken::new(), turn: None, may_send: None }
    }

    pub fn background() -> Self {
        Self { priority: Priority::Background, cancel: CancellationToken::new(), turn: None, may_send: None }
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

    /// A POST that may no longer be sent ends with [`super::ApiError::Cancelled`].
    #[must_use]
    pub fn while_allowed(mut self, may_send: MaySend) -> Self {
        self.may_send = Some(may_send);
        self
    }
}
