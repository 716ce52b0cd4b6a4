//! Texts of two questions about a job: failed mails, and the effect of undoing it.

use crate::jobs::receipt::MailReport;
use crate::jobs::{Job, RowStatus};
use crate::tui::context::Env;
use ratatui::text::Line;

/// Failed mails, worst first.
pub(super) fn mail_lines(
    report: &MailReport,
    lines: &mut Vec<Line<'static>>,
    put: &dyn Fn(&mut Vec<Line<'static>>, &str, ratatui::style::Style),
    env: &Env,
) {
    let theme = &env.theme;
    if report.is_empty() {
        let text = plural!(
            report.issued,
            "No mail is known to have failed for {n} Issued badge. SENT does not mean “delivered”: the service does not say more.",
            "No mail is known to have failed for {n} Issued badges. SENT does not mean “delivered”: the service does not say more."
        );
        put(lines, &text, theme.text());
        return;
    }
    put(
        lines,
        &t!("{failed} of {issued} mails are not SENT.", failed = report.failed, issued = report.issued),
        theme.warning(),
    );
    lines.push(Line::raw(""));
    for group in &report.groups {
        put(lines, &format!("{} {group}", env.glyphs.alert), theme.warning());
    }
    if report.scattered > 0 {
        put(lines, &t!("other failures: {n}", n = report.scattered), theme.dim());
    }
    lines.push(Line::raw(""));
    put(lines, t!("The service cannot send a mail again."), theme.dim());
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
        parts.push(plural!(unsent, "{n} row is not sent: cancelled", "{n} rows are not sent: cancelled"));
    }
    parts.push(plural!(
        issued,
        "{n} badge is Issued: revoked after the review",
        "{n} badges are Issued: revoked after the review"
    ));
    parts.push(plural!(
        later,
        "{n} badge is not Issued yet: revoked when issued, while lapel runs",
        "{n} badges are not Issued yet: revoked when issued, while lapel runs"
    ));
    t!("{what}. Mails already sent cannot be recalled.", what = parts.join("; "))
}
