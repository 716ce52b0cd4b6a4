//! The tour guides a new user through lapel's main tasks. A strip above the footer says what to do next. The tour
//! presses no key: it sees in the TUI's state that a step is done, and continues.
//!
//! The tour runs only in lapel's own sandbox, because its steps issue and revoke badges.

use crate::tui::prelude::*;
use strum::VariantArray;

mod draw;
mod step_texts;

pub use draw::{ROWS, draw};

/// Holder for the first step. The sandbox's demo data contains her.
pub const HOLDER: &str = "seoyun.han@naru.example";

/// In order. Each but the last has a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum TourStep {
    /// Look up a holder's badges.
    #[default]
    Find,
    Issue,
    /// Watch the badge until it is Issued.
    Watch,
    Revoke,
    Receipt,
    /// The last step only says what to try next.
    End,
}

impl TourStep {
    fn next(self) -> Self {
        Self::VARIANTS.get(self as usize + 1).copied().unwrap_or(Self::End)
    }
}

/// Place of the focus, as far as the tour gives directions from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourPlace {
    Templates,
    History,
    WalletBox,
    Wallet,
    Badge,
    Activity,
    JobRows,
    IssueForm,
    IssueReview,
    RevokeForm,
    RevokeReview,
    Files,
    JobFile,
    /// Any other place. The user leaves it with Back.
    Elsewhere,
}

#[derive(Clone, Copy, Debug)]
pub struct TourState<'a> {
    pub place: TourPlace,
    pub found: bool,
    /// Newest first.
    pub jobs: &'a [Job],
}

#[derive(Clone, Debug, Default)]
pub struct Tour {
    step: TourStep,
    /// Newest job when the step began. Newer jobs belong to this step.
    newest: Option<JobId>,
    issued: Option<JobId>,
    revoked: Option<JobId>,
    /// Whether a receipt was saved in this step.
    written: bool,
}

impl Tour {
    pub fn new(jobs: &[Job]) -> Self {
        Self { newest: jobs.first().map(|job| job.id), ..Self::default() }
    }

    /// Moves to the next step, even if this one is not done. Returns false after the last step.
    pub fn skip(&mut self, jobs: &[Job]) -> bool {
        if self.step == TourStep::End {
            return false;
        }
        self.begin(self.step.next(), jobs);
        true
    }

    /// Learns that a receipt was saved. The form of a job's file is open.
    pub fn learn(&mut self, response: &Response) {
        self.written |= matches!(response, Response::Export(done) if done.is_ok());
    }

    /// Checks whether the step is done and moves on. Returns whether the step changed.
    pub fn update(&mut self, seen: &TourState<'_>) -> bool {
        let before = self.step;
        // One action may complete several steps.
        while self.is_done(seen) {
            self.begin(self.step.next(), seen.jobs);
        }
        before != self.step
    }

    fn begin(&mut self, step: TourStep, jobs: &[Job]) {
        self.step = step;
        self.newest = jobs.first().map(|job| job.id);
        self.written = false;
    }

    fn is_done(&mut self, seen: &TourState<'_>) -> bool {
        match self.step {
            TourStep::Find => seen.found && seen.place == TourPlace::Wallet,
            TourStep::Issue => {
                let new = self.new_job(Kind::Issue, seen.jobs);
                self.issued = new.or(self.issued);
                new.is_some()
            }
            TourStep::Watch => {
                job(self.issued, seen.jobs).is_some_and(|job| job.counts.of(RowStatus::Issued) > 0)
            }
            TourStep::Revoke => {
                let new = self.new_job(Kind::Revoke, seen.jobs);
                self.revoked = new.or(self.revoked);
                new.is_some()
            }
            TourStep::Receipt => self.written,
            TourStep::End => false,
        }
    }

    /// Started, and newer than the step.
    fn new_job(&self, kind: Kind, jobs: &[Job]) -> Option<JobId> {
        let new = |job: &&Job| job.kind == kind && job.phase != Phase::Draft && Some(job.id) > self.newest;
        jobs.iter().find(new).map(|job| job.id)
    }

    pub(super) fn issued<'a>(&self, seen: &TourState<'a>) -> Option<&'a Job> {
        job(self.issued, seen.jobs)
    }

    pub(super) fn revoked<'a>(&self, seen: &TourState<'a>) -> Option<&'a Job> {
        job(self.revoked, seen.jobs)
    }
}

fn job(id: Option<JobId>, jobs: &[Job]) -> Option<&Job> {
    id.and_then(|id| jobs.iter().find(|job| job.id == id))
}
