//! Texts of two questions about a job: failed mails, and the effect of undoing it.

use crate::jobs::receipt::MailReport;
use crate::jobs::{Job, RowStatus};
use crate::tui::context::Env;
use crate::tui::widgets::form::FormText;

/// Failed mails, worst first.
pub(super) fn mail_lines(report: &MailReport, form: &mut FormText<'_>, env: &Env) {
    if report.is_empty() {
        let text = plural!(
            report.issued,
            "No mail is known to have failed for {n} Issued badge. SENT does not mean “delivered”: the service does not say more.",
            "No mail is known to have failed for {n} Issued badges. SENT does not mean “delivered”: the service does not say more."
        );
        form.text(&text, env.theme.text());
        return;
    }
    form.text(
        &t!("{failed} of {issued} mails are not SENT.", failed = report.failed, issued = report.issued),
        env.theme.warning(),
    );
    form.blank();
    for group in &report.groups {
        form.warning(&group.to_string());
    }
    if report.scattered > 0 {
        form.dim(&t!("other failures: {n}", n = report.scattered));
    }
    form.blank();
    form.dim(t!("The service cannot send a mail again."));
}

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
        parts.push(plural!(unsent, "{n} row is not sent: cancelled.", "{n} rows are not sent: cancelled."));
    }
    parts.push(plural!(
        issued,
        "{n} badge is Issued: revoked after the review.",
        "{n} badges are Issued: revoked after the review."
    ));
    parts.push(plural!(
        later,
        "{n} badge is not Issued yet: revoked when issued, while lapel runs.",
        "{n} badges are not Issued yet: revoked when issued, while lapel runs."
    ));
    parts.push(t!("Mails already sent cannot be recalled.").to_owned());
    parts.join(" ")
}
