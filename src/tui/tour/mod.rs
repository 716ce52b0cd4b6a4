//! The tour: a first day at the desk, on the desk itself. A strip above the footer says what to do next, sees by
//! what the desk shows that it was done, and goes on. It presses no key, and holds nobody up: every step can be
//! skipped, and all of it left, at any time.
//!
//! It is there in lapel's own sandbox only: its steps issue and revoke.

mod draw;
mod words;

pub use draw::{ROWS, draw};

use crate::jobs::{Job, JobId, Kind, Phase, RowStatus};

/// The holder whom the first step looks up: she is in the sandbox's stories.
pub const HOLDER: &str = "seoyun.han@naru.example";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Look up what somebody holds.
    Find,
    /// Issue a badge to one person.
    Issue,
    /// See how it becomes Issued.
    Watch,
    /// Revoke a badge.
    Revoke,
    /// Write the receipt of a job.
    Receipt,
    /// Nothing more: where to go from here.
    End,
}

impl Step {
    /// Those in which there is something to do.
    pub const ALL: [Self; 5] = [Self::Find, Self::Issue, Self::Watch, Self::Revoke, Self::Receipt];

    fn next(self) -> Self {
        let at = Self::ALL.iter().position(|step| *step == self);
        at.and_then(|at| Self::ALL.get(at + 1)).copied().unwrap_or(Self::End)
    }

    /// Its number, from 1.
    fn no(self) -> usize {
        Self::ALL.iter().position(|step| *step == self).map_or(Self::ALL.len(), |at| at + 1)
    }
}

/// What has the focus, as far as the tour can tell the way from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourPlace {
    /// The list of templates.
    Templates,
    /// The history.
    History,
    /// The Wallet's box.
    WalletBox,
    /// What the Wallet has found.
    Wallet,
    /// The Badge tab.
    Badge,
    /// The list of jobs.
    Activity,
    /// The rows of a job.
    JobRows,
    /// The issue form.
    IssueForm,
    /// The review of the issue form.
    IssueReview,
    /// The revoke form.
    RevokeForm,
    /// The review of the revoke form.
    RevokeReview,
    /// Where a receipt goes.
    Paper,
    /// Something else that one goes back from.
    Elsewhere,
}

/// What the tour sees of the desk.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What has the focus.
    pub place: TourPlace,
    /// Whether the Wallet shows badges of somebody.
    pub found: bool,
    /// The jobs, the newest first.
    pub jobs: &'a [Job],
}

/// The tour, while it is taken.
#[derive(Clone, Debug)]
pub struct Tour {
    step: Step,
    /// The newest job when the step began: what is newer was made in it.
    newest: Option<JobId>,
    /// The badge that is being issued.
    issued: Option<JobId>,
    /// The revocation.
    revoked: Option<JobId>,
    /// Whether a receipt was written.
    written: bool,
}

impl Tour {
    /// From its beginning.
    pub fn new(jobs: &[Job]) -> Self {
        Self {
            step: Step::Find,
            newest: jobs.first().map(|job| job.id),
            issued: None,
            revoked: None,
            written: false,
        }
    }

    /// What is to be done now.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Goes on to the next step, whether or not this one was done; false after the last one.
    pub fn skip(&mut self, jobs: &[Job]) -> bool {
        if self.step == Step::End {
            return false;
        }
        self.begin(self.step.next(), jobs);
        true
    }

    /// Takes note that a receipt was written.
    pub fn wrote(&mut self) {
        self.written = true;
    }

    /// Looks at the desk, and goes on where a step was done; whether it has.
    pub fn look(&mut self, seen: &Seen<'_>) -> bool {
        let before = self.step;
        // A step that is done may have done the next one too: whoever is quick is not held up.
        while self.is_done(seen) {
            self.begin(self.step.next(), seen.jobs);
        }
        before != self.step
    }

    fn begin(&mut self, step: Step, jobs: &[Job]) {
        self.step = step;
        self.newest = jobs.first().map(|job| job.id);
        self.written = false;
    }

    fn is_done(&mut self, seen: &Seen<'_>) -> bool {
        match self.step {
            Step::Find => seen.found && seen.place == TourPlace::Wallet,
            Step::Issue => {
                self.issued = self.new_job(Kind::Issue, seen.jobs).or(self.issued);
                self.new_job(Kind::Issue, seen.jobs).is_some()
            }
            Step::Watch => {
                job(self.issued, seen.jobs).is_some_and(|job| job.counts.of(RowStatus::Issued) > 0)
            }
            Step::Revoke => {
                self.revoked = self.new_job(Kind::Revoke, seen.jobs).or(self.revoked);
                self.new_job(Kind::Revoke, seen.jobs).is_some()
            }
            Step::Receipt => self.written,
            Step::End => false,
        }
    }

    /// A job that was begun in this step.
    fn new_job(&self, kind: Kind, jobs: &[Job]) -> Option<JobId> {
        let new = |job: &&Job| job.kind == kind && job.phase != Phase::Draft && Some(job.id) > self.newest;
        jobs.iter().find(new).map(|job| job.id)
    }

    /// The badge that was issued on this tour, as its job stands.
    pub(super) fn issued<'a>(&self, seen: &Seen<'a>) -> Option<&'a Job> {
        job(self.issued, seen.jobs)
    }

    /// The revocation of this tour, as its job stands.
    pub(super) fn revoked<'a>(&self, seen: &Seen<'a>) -> Option<&'a Job> {
        job(self.revoked, seen.jobs)
    }
}

fn job(id: Option<JobId>, jobs: &[Job]) -> Option<&Job> {
    id.and_then(|id| jobs.iter().find(|job| job.id == id))
}
