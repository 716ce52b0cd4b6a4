//! The words for a job and its rows, for the app and the verbs.

use super::job::{Job, Phase, RowStatus};

impl Job {
    /// The job's state in a word or two.
    pub fn state_word(&self) -> &'static str {
        match (&self.stop, self.phase) {
            (_, Phase::Moved) => self.phase.word(),
            (Some(stop), _) => stop.kind.word(),
            (None, Phase::Running) if self.is_sending() => t!("sending"),
            (None, Phase::Running) if self.is_open() => t!("checking"),
            (None, Phase::Running) => t!("finished"),
            (None, Phase::Cancelled) if self.is_open() => t!("cancelled, checking"),
            (None, phase) => phase.word(),
        }
    }

    /// The same. A job whose lapel has ended names the rows in doubt.
    pub fn state(&self) -> String {
        match self.counts.of(RowStatus::InDoubt) {
            n if n > 0 && self.is_abandoned() => t!("ended; {n} in doubt", n),
            _ => self.state_word().to_owned(),
        }
    }

    /// The status of the job's rows. The words for unsent rows say why they were not sent.
    pub fn row_word(&self, status: RowStatus) -> String {
        match (status, self.phase, &self.stop) {
            (RowStatus::Ready, Phase::Stopped, Some(stop)) => {
                t!("not sent: {why}", why = stop.kind.word())
            }
            (RowStatus::Ready, Phase::Paused, _) => t!("not sent: paused").to_owned(),
            (RowStatus::Ready, Phase::Running, _) => t!("queued").to_owned(),
            (status, ..) => status.word().to_owned(),
        }
    }
}
