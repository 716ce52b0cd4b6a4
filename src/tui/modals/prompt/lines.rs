//! The text of a question about a job: the effect of undoing it.

use crate::jobs::{Job, RowStatus};

/// Effect of undoing a job in its current state.
pub(super) fn undo_words(job: &Job) -> String {
    let of = |which: &dyn Fn(RowStatus) -> bool| job.counts.sum(which);
    let issued = of(&|b| matches!(b, RowStatus::Issued | RowStatus::Other));
    let later = of(&|b| {
        matches!(
            b,
            RowStatus::Waiting
                | RowStatus::Overdue
                | RowStatus::Unbound
                | RowStatus::InDoubt
                | RowStatus::NotSeen
                | RowStatus::Sending
        )
    });
    let unsent = of(&|b| b == RowStatus::Ready);
    let mut parts = Vec::new();
    if unsent > 0 {
        parts.push(plural!(
            unsent,
            "{n} unsent row will be cancelled.",
            "{n} unsent rows will be cancelled."
        ));
    }
    parts.push(plural!(
        issued,
        "{n} Issued badge will be revoked after the review.",
        "{n} Issued badges will be revoked after the review."
    ));
    parts.push(plural!(
        later,
        "{n} badge not Issued yet will be revoked when issued, while lapel runs.",
        "{n} badges not Issued yet will be revoked when issued, while lapel runs."
    ));
    parts.push(t!("Mails already sent cannot be recalled.").to_owned());
    parts.join(" ")
}
