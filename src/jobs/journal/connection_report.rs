//! Whether a team's database is away, as the last attempts to connect have shown, and how long writes wait for it. A file
//! never is.

use crate::jobs::journal::prelude::*;
use crate::team::{Login, TeamError};
use std::sync::OnceLock;

/// At the end of lapel, the time to reach a team's database again, for all last writes together.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Why the journal's connections, for writes and for reads, and that of the lease could not be made.
type Failures = [Option<JournalError>; 3];

/// Reports when a team's database is away, and when it is back.
#[derive(Clone, Debug)]
pub struct JournalWatch {
    failures: watch::Receiver<Failures>,
    /// What it reported last.
    away: Option<JournalError>,
}

impl JournalWatch {
    /// Never reports anything.
    pub(super) fn of_file() -> Self {
        Self::of(watch::channel(Failures::default()).1)
    }

    fn of(failures: watch::Receiver<Failures>) -> Self {
        Self { failures, away: None }
    }

    /// Waits for a change: why the database is away, or `None` if it is back. Returns `None` at the end of the journal.
    pub async fn changed(&mut self) -> Option<Option<JournalError>> {
        loop {
            self.failures.changed().await.ok()?;
            let away = self.failures.borrow_and_update().iter().flatten().next().cloned();
            if away != self.away {
                self.away.clone_from(&away);
                return Some(away);
            }
        }
    }
}

/// What one of the connections reports.
pub(super) struct ConnectionReport {
    failures: watch::Sender<Failures>,
    at: usize,
}

impl ConnectionReport {
    /// Those for writes, for reads and for the lease.
    pub(super) fn all() -> [Self; 3] {
        let (failures, _) = watch::channel(Failures::default());
        [0, 1, 2].map(|at| Self { failures: failures.clone(), at })
    }

    pub(super) fn watch(&self) -> JournalWatch {
        JournalWatch::of(self.failures.subscribe())
    }

    pub(super) fn note<T>(&self, connected: &Result<T, TeamError>, login: &Login) {
        self.note_reading(connected.as_ref().err().map(|why| JournalError::team(why.clone(), &login.server)));
    }

    /// The same for an open connection, which may have lost its rights.
    pub(super) fn note_reading(&self, why: Option<JournalError>) {
        self.failures.send_if_modified(|failures| match failures.get_mut(self.at) {
            Some(known) if *known != why => {
                *known = why;
                true
            }
            _ => false,
        });
    }
}

/// How long writes wait for a team's database that is away. Clones share the end of lapel.
#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct ReconnectTime {
    /// From the first failure of a write on. Zero for a file.
    pub(in crate::jobs) limit: Duration,
    /// Until when the last writes wait.
    last: Arc<OnceLock<Instant>>,
}

impl ReconnectTime {
    pub(super) fn of(limit: Duration) -> Self {
        Self { limit, ..Self::default() }
    }

    /// From now on, this process makes its last writes.
    pub(in crate::jobs) fn begin_last_writes(&self) {
        self.last.get_or_init(|| Instant::now() + LAST_WAIT);
    }

    /// Whether the last writes wait no more.
    pub(super) fn is_over(&self) -> bool {
        self.last.get().is_some_and(|end| Instant::now() >= *end)
    }
}
