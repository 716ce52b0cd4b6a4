//! Rows of a draft that a person decides about together.

use super::core::Jobs;
use super::duplicate_kind::DuplicateKind;
use super::error::JobError;
use super::job::JobId;
use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use crate::jobs::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSelection {
    One(u64),
    /// One row as a person sees it: with this kind of duplicate as its reason, or with another reason.
    Shown(u64, Option<DuplicateKind>),
    Class(DuplicateKind),
    /// The rows of a [`RowGroup`]: this status, and the key of this reason.
    Group(RowStatus, String),
    /// Rows by their places.
    These(Vec<u64>),
    Asked,
}

/// Rows of a draft whose addresses or names become the suggested ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuggestedRows {
    One(u64),
    /// The key of a [`RowGroup`].
    Group(String),
}

/// Rows of a draft with the same status for the same reason. Arguments of the reason may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowGroup {
    pub row_status: RowStatus,
    /// The same as [`super::job::JobRow::group`] of its rows.
    pub key: String,
    /// Of its first row, as are the name and the address.
    pub why: Reason,
    pub holder: Text,
    pub address: Text,
    pub rows: u64,
    /// Rows that a decision about the group allows. A row with a second finding needs its own decision.
    pub allows: u64,
}

impl RowGroup {
    /// Whether these badges are in an unknown state, and are to be revoked.
    pub fn is_of_unknown_state(&self) -> bool {
        self.row_status == RowStatus::Ready && self.why.is(Code::UnknownState)
    }
}

impl Jobs {
    /// The groups of a draft's rows that need review, are invalid or were skipped, and of badges in an unknown state
    /// that are to be revoked, the largest first.
    pub async fn groups(&self, id: JobId) -> Result<Vec<RowGroup>, JobError> {
        Ok(self.core.store.groups(id).await?)
    }
}
