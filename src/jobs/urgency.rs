//! How urgent the rows of a job are. Screens and verbs list them in this order.

use super::job::{Job, Phase};
use super::row_status::RowStatus;
use std::cmp::Reverse;

/// How urgent a part of a job is, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The service may have acted, and no answer says whether it did.
    InDoubt,
    Refused,
    Stopped,
    NeedsReview,
    Error,
    Waiting,
    /// Issued, revoked or skipped.
    Settled,
}

impl Urgency {
    pub fn of(status: RowStatus, job: &Job) -> Self {
        match status {
            RowStatus::InDoubt | RowStatus::NeverSeen | RowStatus::BeingChecked => Self::InDoubt,
            RowStatus::Refused | RowStatus::NotAccepted => Self::Refused,
            RowStatus::Ready if job.phase == Phase::Stopped => Self::Stopped,
            RowStatus::NeedsReview => Self::NeedsReview,
            RowStatus::Invalid => Self::Error,
            RowStatus::Ready
            | RowStatus::Sending
            | RowStatus::NotVisibleYet
            | RowStatus::Waiting
            | RowStatus::Overdue
            | RowStatus::UnknownState
            | RowStatus::ToRevoke
            | RowStatus::Revoking => Self::Waiting,
            RowStatus::Issued | RowStatus::Revoked | RowStatus::Skipped => Self::Settled,
        }
    }
}

impl Job {
    /// The number of rows in each status, the most urgent first. Of equal urgency, the status with most rows comes first.
    pub fn by_urgency(&self) -> Vec<(RowStatus, u64)> {
        let mut all: Vec<(RowStatus, u64)> = self.counts.iter().collect();
        all.sort_by_key(|(status, n)| (Urgency::of(*status, self), Reverse(*n)));
        all
    }
}
