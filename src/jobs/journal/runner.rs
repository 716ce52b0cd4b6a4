//! The journal's thread: runs one operation after the other, each write in one durable transaction.

use super::operation::{Fault, Moment, Operation, Undo, Watcher};
use super::owner::ThisProcess;
#[cfg(feature = "team")]
use super::team_store::TeamStore;
use super::{Claim, Result, erase};
use crate::jobs::journal::prelude::*;
use rusqlite::{TransactionBehavior, TransactionState, ffi};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use tokio::sync::oneshot;

pub(super) type JournalTask = Run<()>;
type Run<T> = Box<dyn FnOnce(&mut JournalState) -> T + Send>;

pub(super) struct JournalState {
    pub(super) backend: Backend,
    pub(super) file: Arc<str>,
    pub(super) watcher: Option<Watcher>,
    pub(super) dead: bool,
    // Last field: dropped after the file is closed.
    pub(super) claim: Option<Claim>,
}

pub(super) enum Backend {
    File(Box<FileStore>),
    #[cfg(feature = "team")]
    Team(Box<TeamStore>),
}

pub(super) struct FileStore {
    pub(super) connection: Connection,
    pub(super) me: ThisProcess,
    /// Whether the write-ahead log may contain removed data.
    pub(super) log_is_dirty: bool,
}

/// An operation that has not started yet. Await it, or call [`PendingOperation::wait`] on a thread that may block.
#[must_use = "the operation starts when it is awaited"]
pub(in crate::jobs) struct PendingOperation<T> {
    work: Sender<JournalTask>,
    run: Run<Result<T>>,
}

impl<T: Send + 'static> PendingOperation<T> {
    pub(super) fn new(
        work: &Sender<JournalTask>,
        run: impl FnOnce(&mut JournalState) -> Result<T> + Send + 'static,
    ) -> Self {
        Self { work: work.clone(), run: Box::new(run) }
    }

    /// Runs the operation and blocks until it is done.
    pub(in crate::jobs) fn wait(self) -> Result<T> {
        self.start()?.wait()
    }

    /// Starts the operation, and does not wait for it.
    pub(in crate::jobs) fn start(self) -> Result<Started<T>> {
        let (answer, answered) = channel();
        let run = self.run;
        let job: JournalTask = Box::new(move |state| drop(answer.send(run(state))));
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        Ok(Started(answered))
    }
}

/// An operation that has started. It runs to its end, also if this is dropped.
pub(in crate::jobs) struct Started<T>(Receiver<Result<T>>);

impl<T> Started<T> {
    /// Blocks until it is done.
    pub(in crate::jobs) fn wait(self) -> Result<T> {
        self.0.recv().map_err(|_| JournalError::Closed)?
    }
}

impl<T: Send + 'static> IntoFuture for PendingOperation<T> {
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
    /// Runs an operation on one snapshot.
    ///
    /// # Errors
    /// As every operation; and if it writes, which is undone.
    pub(super) fn read<A, T>(&mut self, args: &A, op: Operation<A, T>, is_long: bool) -> Result<T> {
        match &mut self.backend {
            // Nothing but the system ends a wait for a file.
            Backend::File(store) => store.read(args, op, &self.file),
            #[cfg(feature = "team")]
            Backend::Team(store) => store.read(args, op, is_long),
        }
    }

    /// Runs an operation in one transaction, which is durable on return. `step` is the write's name for watchers.
    pub(super) fn write<A, T>(
        &mut self,
        step: &'static str,
        args: &A,
        op: Operation<A, T>,
        undo: Option<Undo<A, T>>,
    ) -> Result<T> {
        let fault = |moment| self.watcher.as_ref().map_or(Fault::None, |watch| watch(moment));
        let written = match &mut self.backend {
            // A file's commit either worked or did not.
            Backend::File(store) => store.write(step, args, op, &fault, &self.file),
            #[cfg(feature = "team")]
            Backend::Team(store) => store.write(step, args, op, undo, &fault),
        };
        let Some(value) = written? else {
            self.dead = true;
            return Err(JournalError::Closed);
        };
        if let Backend::File(store) = &mut self.backend
            && erase::REMOVING.contains(&step)
        {
            let is_purge = step == erase::PURGE;
            if is_purge {
                erase::rewrite(&store.connection);
            }
            // Nobody waits for the rest; the thread does it when it is idle.
            store.log_is_dirty = !erase::empty_log(&store.connection) || !is_purge;
        }
        Ok(value)
    }

    /// The owners among these that are alive, including the caller.
    pub(super) fn living(&mut self, owners: Vec<String>) -> Result<Vec<String>> {
        match &mut self.backend {
            Backend::File(store) => Ok(owners.into_iter().filter(|owner| store.me.is_alive(owner)).collect()),
            #[cfg(feature = "team")]
            Backend::Team(store) => store.read(&owners, super::team_store::living, false),
        }
    }

    /// Connects again for writes, and undoes those that may be durable although their callers got an error. A file
    /// has none.
    pub(super) fn recover(&mut self) -> Result<()> {
        match &mut self.backend {
            Backend::File(_) => Ok(()),
            #[cfg(feature = "team")]
            Backend::Team(store) => store.recover(),
        }
    }
}

impl FileStore {
    fn read<A, T>(&mut self, args: &A, op: Operation<A, T>, file: &str) -> Result<T> {
        let failed = |why: rusqlite::Error| JournalError::of(&why, file);
        // Never committed. `PRAGMA query_only` would make SQLite prepare every statement again.
        let reading =
            self.connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(failed)?;
        let value = op(&Tx::on(&reading), args).map_err(|why| JournalError::failed(&why, file))?;
        if reading.transaction_state(None::<&str>).map_err(failed)? == TransactionState::Write {
            let why = ffi::Error::new(ffi::SQLITE_READONLY);
            return Err(failed(rusqlite::Error::SqliteFailure(why, None)));
        }
        Ok(value)
    }

    /// `None` after a simulated power cut.
    fn write<A, T>(
        &mut self,
        step: &'static str,
        args: &A,
        op: Operation<A, T>,
        fault: &dyn Fn(Moment) -> Fault,
        file: &str,
    ) -> Result<Option<T>> {
        let failed = |why: rusqlite::Error| JournalError::of(&why, file);
        loop {
            let writing =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let value = op(&Tx::on(&writing), args).map_err(|why| JournalError::failed(&why, file))?;
            match fault(Moment::Before(step)) {
                Fault::None | Fault::Disconnect => {}
                Fault::Replay => continue,
                Fault::Crash => return Ok(None),
            }
            writing.commit().map_err(failed)?;
            return Ok((fault(Moment::After(step)) != Fault::Crash).then_some(value));
        }
    }

    /// Cleans up, if the last write left something to clean. Not while another process reads the log.
    fn clean(&mut self) {
        if self.log_is_dirty {
            erase::rewrite(&self.connection);
            self.log_is_dirty = !erase::empty_log(&self.connection);
        }
    }
}

pub(super) fn run(mut state: JournalState, queue: &Receiver<JournalTask>) {
    loop {
        let work = match &mut state.backend {
            Backend::File(store) if store.log_is_dirty => match queue.recv_timeout(erase::AGAIN) {
                Ok(work) => work,
                Err(RecvTimeoutError::Timeout) => {
                    store.clean();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            },
            _ => {
                let Ok(work) = queue.recv() else { break };
                work
            }
        };
        work(&mut state);
        if state.dead {
            // Close the file and release the lock, as the end of the process would. Answer nothing more.
            let JournalState { backend, claim, .. } = state;
            drop((backend, claim));
            while let Ok(work) = queue.recv() {
                std::mem::forget(work);
            }
            return;
        }
    }
    if let Backend::File(store) = &mut state.backend {
        store.clean();
    }
}
