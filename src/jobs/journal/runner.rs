//! The journal's thread: runs one operation after the other, each write in one durable transaction.

use super::owner::Me;
use super::tx::{self, Tx};
use super::{Claim, JournalError, Result, erase};
use rusqlite::{Connection, TransactionBehavior, TransactionState, ffi};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use tokio::sync::oneshot;

/// What a watcher does to a write. Tests use it to simulate a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// End here and never answer.
    Crash,
    /// Undo the write and run it again with the same arguments. Only before the commit.
    Replay,
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

pub(super) type JournalTask = Run<()>;
type Run<T> = Box<dyn FnOnce(&mut JournalState) -> T + Send>;

pub(super) struct JournalState {
    pub(super) connection: Connection,
    pub(super) me: Me,
    pub(super) file: Arc<str>,
    pub(super) watcher: Option<Watcher>,
    pub(super) dead: bool,
    /// Whether the write-ahead log may contain removed data.
    pub(super) log_is_dirty: bool,
    // Last field: dropped after the file is closed and the owner is gone.
    pub(super) claim: Option<Claim>,
}

/// An operation that has not started yet. Await it, or call [`Pending::wait`] on a thread that may block.
#[must_use = "the operation starts when it is awaited"]
pub(in crate::jobs) struct Pending<T> {
    work: Sender<JournalTask>,
    run: Run<Result<T>>,
}

impl<T: Send + 'static> Pending<T> {
    pub(super) fn new(
        work: &Sender<JournalTask>,
        run: impl FnOnce(&mut JournalState) -> Result<T> + Send + 'static,
    ) -> Self {
        Self { work: work.clone(), run: Box::new(run) }
    }

    /// Runs the operation and blocks until it is done.
    pub(in crate::jobs) fn wait(self) -> Result<T> {
        let (answer, answered) = channel();
        let run = self.run;
        let job: JournalTask = Box::new(move |state| drop(answer.send(run(state))));
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        answered.recv().map_err(|_| JournalError::Closed)?
    }
}

impl<T: Send + 'static> IntoFuture for Pending<T> {
    type Output = Result<T>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let run = self.run;
            let job: JournalTask = Box::new(move |state| {
                let result = run(state);
                if state.dead {
                    // After a simulated power cut, nobody gets an answer.
                    std::mem::forget(answer);
                } else {
                    let _ = answer.send(result);
                }
            });
            self.work.send(job).map_err(|_| JournalError::Closed)?;
            answered.await.map_err(|_| JournalError::Closed)?
        })
    }
}

impl JournalState {
    pub(super) fn failed(&self) -> impl Fn(rusqlite::Error) -> JournalError + use<> {
        let file = self.file.clone();
        move |why| JournalError::of(&why, &file)
    }

    /// Runs an operation on one snapshot.
    ///
    /// # Errors
    /// As every operation; and if it writes, which is undone.
    pub(super) fn read<A, T>(&mut self, args: &A, op: Operation<A, T>) -> Result<T> {
        let (failed, file) = (self.failed(), self.file.clone());
        // Never committed. `PRAGMA query_only` would make SQLite prepare every statement again.
        let reading =
            self.connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(&failed)?;
        let value = op(&Tx::on(&reading), args).map_err(|why| JournalError::failed(&why, &file))?;
        if reading.transaction_state(None::<&str>).map_err(&failed)? == TransactionState::Write {
            let why = ffi::Error::new(ffi::SQLITE_READONLY);
            return Err(failed(rusqlite::Error::SqliteFailure(why, None)));
        }
        Ok(value)
    }

    /// Runs an operation in one transaction, which is durable on return. `step` is the write's name for watchers.
    pub(super) fn write<A, T>(&mut self, step: &'static str, args: &A, op: Operation<A, T>) -> Result<T> {
        let (failed, file) = (self.failed(), self.file.clone());
        let fault = |moment| self.watcher.as_ref().map_or(Fault::None, |watch| watch(moment));
        let value = loop {
            let writing =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&failed)?;
            let value = op(&Tx::on(&writing), args).map_err(|why| JournalError::failed(&why, &file))?;
            match fault(Moment::Before(step)) {
                Fault::None => {}
                Fault::Replay => continue,
                Fault::Crash => {
                    drop(writing);
                    self.dead = true;
                    return Err(JournalError::Closed);
                }
            }
            writing.commit().map_err(&failed)?;
            break value;
        };
        if fault(Moment::After(step)) == Fault::Crash {
            self.dead = true;
            return Err(JournalError::Closed);
        }
        if erase::removes(step) {
            let is_purge = step == erase::PURGE;
            if is_purge {
                erase::rewrite(&self.connection);
            }
            // Nobody waits for the rest; the thread does it when it is idle.
            self.log_is_dirty = !erase::empty_log(&self.connection) || !is_purge;
        }
        Ok(value)
    }
}

pub(super) fn run(mut state: JournalState, queue: &Receiver<JournalTask>) {
    loop {
        let work = if state.log_is_dirty {
            match queue.recv_timeout(erase::AGAIN) {
                Ok(work) => work,
                Err(RecvTimeoutError::Timeout) => {
                    erase::rewrite(&state.connection);
                    state.log_is_dirty = !erase::empty_log(&state.connection);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        } else {
            let Ok(work) = queue.recv() else { break };
            work
        };
        work(&mut state);
        if state.dead {
            // Close the file and release the lock, as the end of the process would. Answer nothing more.
            let JournalState { connection, me, claim, .. } = state;
            drop((connection, me, claim));
            while let Ok(work) = queue.recv() {
                std::mem::forget(work);
            }
            return;
        }
    }
    if state.log_is_dirty {
        erase::rewrite(&state.connection);
        erase::empty_log(&state.connection);
    }
}
