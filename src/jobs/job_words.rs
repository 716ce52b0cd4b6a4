//! The words for a job and its rows, for the app and the verbs.

use super::job::{Job, Kind, Phase, Replaced, person};
use super::reason::Reason;
use super::row_status::RowStatus;
use crate::domain::ServiceClock;
use crate::i18n::number;
use crate::jobs::prelude::*;

/// Said with what is known of a holder or a badge without the journal. `why` is a complete message.
pub fn not_read(why: &str) -> Localizable {
    localizable!(
        "The job journal could not be read, so badges that lapel sent may be missing here. {why}",
        why
    )
}

impl Job {
    /// The job's state in a word or two: the English name, for translation.
    pub fn state_name(&self) -> &'static str {
        match (&self.stop, self.phase) {
            (_, Phase::Moved) => self.phase.name(),
            (Some(stop), _) => stop.kind.name(),
            (None, Phase::Running) if self.is_sending() => tr_noop!("sending"),
            (None, Phase::Running) if self.is_open() => tr_noop!("checking"),
            (None, Phase::Running) => tr_noop!("finished"),
            (None, Phase::Cancelled) if !self.is_cancelled() && self.is_open() => tr_noop!("checking"),
            (None, Phase::Cancelled) if !self.is_cancelled() => tr_noop!("finished"),
            (None, Phase::Cancelled) if self.is_open() => tr_noop!("cancelled, checking"),
            (None, phase) => phase.name(),
        }
    }

    /// Like [`Self::state_name`]. A job whose lapel has ended names the rows in doubt.
    pub fn state(&self) -> Localizable {
        match self.counts.of(RowStatus::InDoubt) {
            n if n > 0 && self.is_abandoned() => localizable!("ended; {n} in doubt", n = number(n)),
            _ if self.is_halted() && (self.phase == Phase::Paused || !self.is_open()) => self.phase_words(),
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
        let who = self.begun_by.as_ref()?.to_string();
        let who = person(&who);
        Some(match &self.begun_on {
            Some(computer) => {
                localizable!("begun by {who}", who = &Reason::of_process(who, &computer.to_string()))
            }
            None => localizable!("begun by {who}", who),
        })
    }

    /// For unsent rows, the words say why they were not sent.
    pub fn row_state(&self, status: RowStatus) -> Localizable {
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
