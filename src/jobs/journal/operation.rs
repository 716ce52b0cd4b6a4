//! An operation on the journal, and what a test does to it.

use crate::jobs::journal::prelude::*;

/// What a watcher does to a write. Tests use it to simulate a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// End here and never answer.
    Crash,
    /// Undo the write and run it again with the same arguments. Only before the commit.
    Replay,
    /// Lose the connection to a team's database: its answer to the commit does not arrive.
    Disconnect,
}

/// A point in a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is written but not committed.
    Before(&'static str),
    /// Durable, but not reported yet.
    After(&'static str),
}

/// Called for every write, with the write's name.
pub type Watcher = Arc<dyn Fn(Moment) -> Fault + Send + Sync>;

/// An operation's body. It changes nothing but the database and reads neither clock nor random numbers, so it can
/// run again with the same arguments.
pub(super) type Operation<A, T> = fn(&Tx<'_>, &A) -> tx::Result<T>;

/// What undoes a write that is durable although its caller got an error, from the write's arguments, its result and the
/// error.
pub(super) type Undo<A, T> = fn(&A, &T, &JournalError) -> Option<Undoing>;
pub(super) type Undoing = Box<dyn Fn(&Tx<'_>) -> tx::Result<()> + Send>;
