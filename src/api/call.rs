//! How a call is made: how urgent it is, and what gives it up.

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
}

impl Call {
    /// A call that a person waits for.
    pub fn interactive() -> Self {
        Self { priority: Priority::Interactive, cancel: CancellationToken::new() }
    }

    /// A call that nobody waits for.
    pub fn background() -> Self {
        Self { priority: Priority::Background, cancel: CancellationToken::new() }
    }

    /// The same call, given up when `token` is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }
}
