//! The status of each row of a job, and how many rows have each.

use super::coded::coded;
use crate::jobs::prelude::*;

coded! {
    /// The status of one row of a job. Every row has exactly one, so the counts add up to the job.
    RowStatus {
        /// Checked and free to send. Nothing was sent.
        Ready = "ready", tr_noop!("not sent");
        NeedsReview = "ask", tr_noop!("needs review");
        /// Invalid: the row must be corrected before it can be sent.
        Invalid = "invalid", tr_noop!("invalid");
        Skipped = "left_out", tr_noop!("skipped");
        /// The intent is in the journal, and the request may be on its way.
        Sending = "sending", tr_noop!("sending");
        /// The service refused the row: certainly nothing was done.
        Refused = "not_done", tr_noop!("refused");
        /// Unknown whether the service acted. lapel looks for the badge and never resends the row by itself.
        InDoubt = "in_doubt", tr_noop!("in doubt");
        /// Accepted, but the service has not shown which badge it is.
        NotVisibleYet = "unbound", tr_noop!("accepted, not visible yet");
        /// Looked for until the window ended, and never seen. lapel offers to send it again.
        NeverSeen = "not_seen", tr_noop!("never seen");
        /// Accepted, and the badge has an id. Accepted is not issued.
        Waiting = "waiting", tr_noop!("waiting");
        /// Accepted more than 24 hours ago and still waiting (contract, "Limits" rule 3).
        Overdue = "overdue", tr_noop!("overdue");
        Issued = "issued", tr_noop!("issued");
        /// The service shows a state that lapel does not know.
        UnknownState = "other", tr_noop!("unknown state");
        /// Revoke the badge as soon as it is Issued.
        ToRevoke = "queued", tr_noop!("to revoke when issued");
        /// Sent in a revoke request of which the service accepted only some. lapel reads which ones.
        BeingChecked = "unproven", tr_noop!("being checked");
        /// The revocation was accepted or is under way.
        Revoking = "revoking", tr_noop!("revoking");
        Revoked = "revoked", tr_noop!("revoked");
        /// The service did not accept the row, although it accepted others of the request: of a revocation, or of an issue
        /// request. The reason says more.
        NotAccepted = "dropped", tr_noop!("not accepted");
    }
}

impl RowStatus {
    /// The column `lapel bucket` of a receipt, in files and JSON. Programs compare it, so it never changes.
    pub const fn receipt_value(self) -> &'static str {
        match self {
            Self::Ready => "not sent yet",
            Self::NeedsReview => "to be decided",
            Self::Invalid => "not valid",
            Self::Skipped => "left out",
            Self::Sending => "being sent",
            Self::Refused => "refused",
            Self::InDoubt => "in doubt",
            Self::NotVisibleYet => "accepted, not visible yet",
            Self::NeverSeen => "never seen",
            Self::Waiting => "waiting",
            Self::Overdue => "overdue",
            Self::Issued => "issued",
            Self::UnknownState => "in another state",
            Self::ToRevoke => "to be revoked when issued",
            Self::BeingChecked => "being checked",
            Self::Revoking => "being revoked",
            Self::Revoked => "revoked",
            Self::NotAccepted => "not accepted",
        }
    }

    /// Whether the service may still change the row, so that polling makes sense.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::Sending
                | Self::InDoubt
                | Self::NotVisibleYet
                | Self::NeverSeen
                | Self::Waiting
                | Self::Overdue
                | Self::UnknownState
                | Self::ToRevoke
                | Self::BeingChecked
                | Self::Revoking
        )
    }

    /// Whether the row waits for the service. An unknown state, and a badge that was never seen, may stay as they are.
    pub fn awaits_service(self) -> bool {
        self.is_open() && !matches!(self, Self::NeverSeen | Self::UnknownState)
    }

    /// Whether the badge is known and not issued yet.
    pub fn awaits_issue(self) -> bool {
        matches!(self, Self::Waiting | Self::Overdue)
    }

    /// Whether the row has what the job was for.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Issued | Self::Revoked)
    }

    /// Whether the service has accepted the revocation.
    pub fn is_revocation(self) -> bool {
        matches!(self, Self::Revoking | Self::Revoked)
    }

    /// Whether the row will be sent, now or when its badge is issued.
    pub fn is_to_send(self) -> bool {
        matches!(self, Self::Ready | Self::ToRevoke)
    }

    /// Whether the row is kept from being sent, by a check or by a person.
    pub fn is_held_back(self) -> bool {
        matches!(self, Self::NeedsReview | Self::Invalid | Self::Skipped)
    }

    pub fn needs_a_person(self) -> bool {
        matches!(
            self,
            Self::NeedsReview
                | Self::Invalid
                | Self::Refused
                | Self::InDoubt
                | Self::NeverSeen
                | Self::Overdue
                | Self::NotAccepted
        )
    }
}

coded! {
    /// A row's claim on its recipient and template, in an issue job. Only a row with a claim may be sent.
    Claim {
        /// The row may be sent and was not sent yet.
        Reserved = "reserved", tr_noop!("may be sent");
        /// The row was sent. Its badge is unknown, and may not exist.
        Open = "open", tr_noop!("sent, badge unknown");
        /// The row's badge is known, or a person resolved the row in another way.
        Kept = "kept", tr_noop!("badge known");
    }
}

/// Rows per status, in the order of [`RowStatus::ALL`], without statuses that have no rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub(super) Vec<(RowStatus, u64)>);

impl FromIterator<(RowStatus, u64)> for Counts {
    fn from_iter<I: IntoIterator<Item = (RowStatus, u64)>>(counts: I) -> Self {
        Self(counts.into_iter().collect())
    }
}

impl Counts {
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut all: BTreeMap<RowStatus, u64> = self.iter().collect();
        for (status, n) in other.iter() {
            *all.entry(status).or_default() += n;
        }
        all.into_iter().collect()
    }

    pub fn of(&self, row_status: RowStatus) -> u64 {
        self.0.iter().find(|(b, _)| *b == row_status).map_or(0, |(_, n)| *n)
    }

    pub fn sum(&self, which: impl Fn(RowStatus) -> bool) -> u64 {
        self.0.iter().filter(|(b, _)| which(*b)).map(|(_, n)| n).sum()
    }

    pub fn total(&self) -> u64 {
        self.sum(|_| true)
    }

    pub fn iter(&self) -> impl Iterator<Item = (RowStatus, u64)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::derivable_impls, reason = "a macro makes the enum")]
    impl Default for RowStatus {
        fn default() -> Self {
            Self::NeedsReview
        }
    }

    /// Every status is in at most one of these sets, except the revocation of a badge that is not issued yet.
    #[test]
    fn the_sets_of_statuses_fit_together() {
        for status in RowStatus::ALL.iter().copied() {
            let sets = [
                status.is_to_send(),
                status.is_held_back(),
                status.is_done(),
                status.awaits_service() && status != RowStatus::ToRevoke,
            ];
            assert!(sets.iter().filter(|is_in| **is_in).count() <= 1, "{status:?}: {sets:?}");
            assert!(!status.awaits_service() || status.is_open(), "{status:?}");
            assert!(!status.awaits_issue() || status.awaits_service(), "{status:?}");
            assert!(!status.is_revocation() || status.is_done() || status.awaits_service(), "{status:?}");
        }
    }
}
