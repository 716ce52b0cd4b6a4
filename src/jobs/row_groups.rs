//! What a person decides about rows, and rows that a person decides about together.

use super::duplicate_kind::DuplicateKind;
use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use crate::jobs::prelude::*;

/// A person's decision about a row that was sent and that lapel cannot resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    IsThis(BadgeId),
    /// The person resolved the row elsewhere. lapel does nothing more.
    Skip,
    /// Send again: the person knows that the first request did nothing, or accepts two badges.
    SendAgain,
}

/// Rows that were sent, looked for and never seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeverSeen {
    /// Rows that can be sent again together.
    pub ready: Vec<u64>,
    /// Number of rows that cannot: lapel still looks for them, or another row was sent to the same recipient.
    pub held: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSelection {
    One(u64),
    /// One row as a person sees it: with this kind of duplicate as its reason, or with another reason.
    Shown(u64, Option<DuplicateKind>),
    /// Rows of a range, each as a person sees it. Rows that are no recipients are never allowed together.
    ShownTogether(Vec<(u64, Option<DuplicateKind>)>),
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
    /// Whether these are badges in an unknown state that the job would revoke.
    pub fn is_of_unknown_state(&self) -> bool {
        self.row_status == RowStatus::Ready && self.why.is(Code::UnknownState)
    }
}
