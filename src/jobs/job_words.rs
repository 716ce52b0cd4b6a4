//! The words for a job and its rows, for the app and the verbs.

use super::job::{BegunBy, Job, JobRow, Kind, Phase, Replaced};
use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use super::urgency::Urgency;
use crate::domain::ServiceClock;
use crate::i18n::number;
use crate::jobs::prelude::*;

/// Rows that the service refused (HTTP 422), until a check proves that it accepted none of them.
pub(super) const PERHAPS_ACCEPTED: &str = tr_noop!("refused, perhaps accepted");

/// Rows of one status, or those of them that [`Job::held_by_refusal`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPart {
    pub status: RowStatus,
    pub rows: u64,
    pub is_held: bool,
}

/// The warning beside the badges of a holder when the journal could not be read. `why` is a complete message.
pub fn not_read(why: &str) -> Localizable {
    localizable!(
        "The job journal could not be read, so badges that lapel sent may be missing here. {why}",
        why
    )
}

/// Whether the note of a record says that its job is in this journal again.
fn is_back(note: &Reason) -> bool {
    matches!(note.code(), Code::CameBack | Code::CameBackHere)
}

impl Job {
    /// The job's state in a word or two: the English name, for translation.
    pub fn state_name(&self) -> &'static str {
        match (&self.stop, self.phase) {
            (_, Phase::Moved) if self.note.as_ref().is_some_and(is_back) => tr_noop!("came back"),
            (_, Phase::Moved) => self.phase.name(),
            _ if self.is_halt_over() && self.is_open() => tr_noop!("checking"),
            _ if self.is_halt_over() => tr_noop!("finished"),
            (Some(stop), _) => stop.kind.name(),
            (None, Phase::Running) if self.is_sending() => tr_noop!("sending"),
            (None, Phase::Running) if self.is_open() => tr_noop!("checking"),
            (None, Phase::Running) => tr_noop!("finished"),
            (None, Phase::Cancelled) if self.is_undone() => tr_noop!("undone"),
            (None, Phase::Cancelled) if !self.is_cancelled() && self.is_open() => tr_noop!("checking"),
            (None, Phase::Cancelled) if !self.is_cancelled() => tr_noop!("finished"),
            (None, Phase::Cancelled) if self.is_open() => tr_noop!("cancelled, checking"),
            (None, phase) => phase.name(),
        }
    }

    /// Why an undo would revoke nothing. Only rows that were certainly not sent were certainly not accepted.
    pub fn nothing_to_undo(&self) -> Localizable {
        let id = self.id;
        let perhaps = self.counts.of(RowStatus::NeedsReview).saturating_sub(self.held);
        if perhaps > 0 {
            localizable_plural!(
                perhaps,
                "Job {id} has nothing that lapel can undo, but {n} row may have been accepted. Resolve it first.",
                "Job {id} has nothing that lapel can undo, but {n} rows may have been accepted. Resolve them first.",
                id
            )
        } else if self.left_in_doubt {
            localizable!(
                "Job {id} has nothing that lapel can undo, but a row of it may have been accepted. Look for its badge in the history.",
                id
            )
        } else if self.counts.sum(RowStatus::is_revocation) > 0 {
            localizable!(
                "Job {id} has nothing left to undo: its accepted badges are revoked or being revoked.",
                id
            )
        } else {
            localizable!("Job {id} has nothing to undo: no row was accepted.", id)
        }
    }

    /// Like [`Self::state_name`]. A job whose lapel has ended, or was not heard, names the rows in doubt.
    pub fn state(&self) -> Localizable {
        match self.counts.of(RowStatus::InDoubt) {
            n if n > 0 && self.is_abandoned() && self.is_of_colleague() => {
                localizable!("ended or cut off; {n} in doubt", n = number(n))
            }
            n if n > 0 && self.is_abandoned() => localizable!("ended; {n} in doubt", n = number(n)),
            _ if self.is_halted() && (self.phase == Phase::Paused || !self.is_open()) => self.phase_words(),
            _ if self.is_halted() && self.phase == Phase::Cancelled => {
                localizable!("{cancelled}, checking", cancelled = self.phase_words())
            }
            _ => Localizable::of(self.state_name()),
        }
    }

    /// The title, where nothing else names the kind of the job. That of a revocation is its reason.
    pub fn title_words(&self) -> Localizable {
        let title = self.title.to_string();
        match (self.kind, &self.replaced) {
            (Kind::Revoke, None | Some(Replaced { is_whole: false, .. })) => {
                localizable!("revocation: {reason}", reason = title)
            }
            _ => Localizable::verbatim(title),
        }
    }

    /// What resuming does, where it does not send all rows at once.
    pub fn resume_words(&self) -> Option<Localizable> {
        let held = Some(self.held_by_refusal()).filter(|held| *held > 0)?;
        Some(match self.left_to_resume() - held {
            0 => localizable!(
                "Nothing is sent at once: the service refused these rows (HTTP 422), and may have accepted some. They are then in doubt, and sent only when a check proves that it accepted none. That may take until the check window ends."
            ),
            now => localizable!(
                "Rows sent at once: {now}. The service refused the other {held} (HTTP 422), and may have accepted some. They are then in doubt, and sent only when a check proves that it accepted none. That may take until the check window ends.",
                now = number(now),
                held = number(held)
            ),
        })
    }

    /// The phase, and who paused or cancelled the job if that is known.
    pub fn phase_words(&self) -> Localizable {
        match &self.halted_by {
            Some(who) if self.phase == Phase::Cancelled => localizable!("cancelled by {who}", who),
            Some(who) => localizable!("paused by {who}", who),
            None => Localizable::of(self.phase.name()),
        }
    }

    /// The phase, with who paused or cancelled the job, where, and when. Earlier versions kept no time.
    pub fn halted_words(&self, clock: &ServiceClock) -> Localizable {
        let what = self.phase_words();
        let by = self.halted_by.as_ref().map(|by| by.in_zone_of(clock));
        match by.as_ref().and_then(|by| by.argument("when")) {
            Some(time) => localizable!("{what} at {time}", what, time),
            None => what,
        }
    }

    /// Who began the job, and where, if a team shares the journal.
    pub fn begun_by_words(&self) -> Option<Localizable> {
        let BegunBy { who, computer } = self.begun.as_ref()?;
        Some(match computer {
            Some(computer) => {
                let who = Reason::of_process(&who.to_string(), &computer.to_string());
                localizable!("begun by {who}", who)
            }
            None => localizable!("begun by {who}", who),
        })
    }

    /// Its rows of each status, the most urgent first. They add up to the job.
    pub fn parts(&self) -> Vec<JobPart> {
        let held = self.held_by_refusal();
        let part = |(status, rows): (RowStatus, u64)| {
            let rows = if status == RowStatus::Ready { rows.saturating_sub(held) } else { rows };
            JobPart { status, rows, is_held: false }
        };
        let mut all: Vec<JobPart> = self.by_urgency().into_iter().map(part).collect();
        let is_doubt = |part: &JobPart| Urgency::of(part.status, self) == Urgency::InDoubt;
        let doubts = all.iter().take_while(|part| is_doubt(part)).count();
        all.insert(doubts, JobPart { status: RowStatus::Ready, rows: held, is_held: true });
        all.retain(|part| part.rows > 0);
        all
    }

    pub fn part_words(&self, part: JobPart) -> Localizable {
        if part.is_held { Localizable::of(PERHAPS_ACCEPTED) } else { self.row_state(part.status) }
    }

    /// Like [`Self::row_state`], of one row.
    pub fn state_of(&self, row: &JobRow) -> Localizable {
        self.part_words(JobPart { status: row.row_status, rows: 1, is_held: self.is_held(row) })
    }

    /// For unsent rows, the words say why they were not sent.
    pub fn row_state(&self, status: RowStatus) -> Localizable {
        let held = self.held_by_refusal();
        if status == RowStatus::Ready && held > 0 && held == self.left_to_send() {
            return Localizable::of(PERHAPS_ACCEPTED);
        }
        match (status, self.phase, &self.stop) {
            (RowStatus::Ready, Phase::Stopped, Some(stop)) => {
                localizable!("not sent: {why}", why = Localizable::of(stop.kind.name()))
            }
            (RowStatus::Ready, Phase::Paused, _) => localizable!("not sent: paused"),
            (RowStatus::Ready, Phase::Running, _) => localizable!("queued"),
            (status, ..) => Localizable::of(status.name()),
        }
    }
}
