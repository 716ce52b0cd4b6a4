//! The tasks that send jobs, and the answers to their requests.

use super::job::JobId;
use super::journal::JournalError;
use crate::jobs::prelude::*;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// What the service still has to answer, and what the journal still has to record of its answers.
#[derive(Clone, Debug, Default)]
pub struct OpenAnswers {
    /// Requests on their way.
    pub awaited: u64,
    /// Answers that arrived, and are not in the journal.
    pub unrecorded: u64,
    /// Since when the journal has not accepted one for a job, and why.
    refused: BTreeMap<JobId, (Instant, JournalError)>,
}

impl OpenAnswers {
    /// Why the journal does not accept one of them.
    pub fn why(&self) -> Option<&JournalError> {
        self.refused.values().next().map(|(_, why)| why)
    }

    /// Whether only the journal keeps them open.
    pub fn is_refused(&self) -> bool {
        self.awaited == 0 && !self.refused.is_empty()
    }

    /// Why the journal has not accepted an answer to one of these jobs for at least `time`, if so.
    pub fn refused_for(&self, ids: &[JobId], time: Duration) -> Option<JournalError> {
        let mut all = ids.iter().filter_map(|id| self.refused.get(id));
        all.find(|(since, _)| since.elapsed() >= time).map(|(_, why)| why.clone())
    }

    pub(super) fn note(&mut self, id: JobId, recorded: Result<(), &JournalError>) {
        match recorded {
            Ok(()) => {
                self.unrecorded -= 1;
                self.refused.remove(&id);
            }
            Err(why) => {
                let since = self.refused.get(&id).map_or_else(Instant::now, |(since, _)| *since);
                self.refused.insert(id, (since, why.clone()));
            }
        }
    }
}

#[derive(Default)]
pub(super) struct Senders {
    pub(super) all: Mutex<HashMap<JobId, Sender>>,
    /// Notified whenever the task of a job ends.
    pub(super) idle: Notify,
    pub(super) answers: watch::Sender<OpenAnswers>,
}

/// The task that sends the rows of a job.
pub(super) struct Sender {
    /// Stops the task before its next request. Also cancels waiting for a turn.
    pub(super) pause: CancellationToken,
    /// Whether new work arrived since the task last checked.
    pub(super) again: bool,
}
