//! Job commands that the TUI sends to [`Jobs`], and reads of a job's rows.

use crate::jobs::{
    Decision, Disclosure, IssuePlan, NeverSeen, PlannedRecipient, RevokePlan, RowFilter, RowSelection,
    SuggestedRows, Undone,
};
use crate::tui::prelude::*;

#[derive(Clone, Debug)]
pub enum JobCommand {
    Issue(IssuePlan),
    /// Issue a corrected badge, and revoke the old one with this reason when the new one is issued.
    Replace(IssuePlan, RevokeTarget, String),
    Revoke(RevokePlan),
    /// One draft for each template. Returns the drafts.
    Plan(Vec<((TemplateId, Text), Vec<PlannedRecipient>)>),
    /// Write a draft that undoes an issue job, with a reason. Returns the draft.
    Undo(JobId, String),
    Begin(Vec<JobId>),
    OpenDrafts(Vec<JobId>),
    CloseDrafts(Vec<JobId>),
    /// Remove drafts. A draft that is not open in this process must not be open in another one.
    Discard(Vec<JobId>),
    Pause(JobId),
    Resume(JobId),
    UseUp(JobId),
    Retry(JobId),
    /// Cancel the rows that are not sent yet.
    CancelRest(JobId),
    /// Resolve a row in doubt, with a reason.
    Resolve(JobId, u64, Decision, String),
    /// Check the never-seen rows of a job again, and count the rows that can be resent together: these or all.
    NeverSeen(JobId, Option<Vec<u64>>),
    /// Resend these never-seen rows, with a reason.
    ResendAll(JobId, Vec<u64>, String),
    LeaveRows(JobId, Vec<u64>, String),
    CancelRows(JobId, Vec<u64>),
    /// Record in the journal that a masked name and address were shown.
    Opened(Disclosure),
    /// Check a job now, or every open job.
    Look(Option<JobId>),
    Allow(JobId, RowSelection),
    Skip(JobId, RowSelection),
    TakeSuggestions(JobId, SuggestedRows),
    /// Undo the last decision about a draft. The others are those of the same review.
    UndoDecision(JobId, Vec<JobId>),
    /// Correct the name and the address of a row of a draft.
    Correct(JobId, u64, String, String),
}

#[derive(Debug)]
pub enum JobReply {
    /// No message: the job shows the result.
    Fine,
    Said(String),
    /// What a command could not do.
    Warned(String),
    /// A person's decision about these rows of a job was carried out.
    Processed(JobId, Vec<u64>, Option<String>),
    Drafts(Vec<Job>),
    NeverSeen(NeverSeen),
    Corrected(u64),
    /// Rows of a group that will be sent now.
    Allowed(u64),
    Undone(Undone),
    /// There was nothing to undo about a draft. The last decision is about this other one, if there is any.
    NothingUndone(Option<JobId>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsQuery {
    pub job: JobId,
    /// Without an order, the statuses of a job are sorted by weight, those of `row_statuses` as they are named, and a
    /// draft by row number.
    pub filter: RowFilter,
    /// Counted from 1.
    pub page: u64,
    pub per_page: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFile {
    pub job: JobId,
    /// Whether to write the redo file instead of the receipt.
    pub redo: bool,
    /// Only these rows; `None` for all.
    pub among: Option<BTreeSet<u64>>,
}

/// Makes rows of a file from rows of a job.
pub type RowsToFile = fn(&[JobRow], &Job, &ServiceClock) -> Vec<ExportRow>;
