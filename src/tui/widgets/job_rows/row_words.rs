//! A row of a job in words: its status, its times, and why it is as it is.

use crate::jobs::{Code, Reason};
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::styled;

/// It is always shown beside the word.
pub fn row_status_glyph(row_status: RowStatus, cx: &UiContext) -> &'static str {
    let glyphs = &cx.glyphs;
    match row_status {
        RowStatus::Ready | RowStatus::Sending => glyphs.dot,
        RowStatus::NeedsReview | RowStatus::UnknownState => glyphs.other,
        RowStatus::Invalid
        | RowStatus::Refused
        | RowStatus::NotAccepted
        | RowStatus::InDoubt
        | RowStatus::NeverSeen
        | RowStatus::Overdue => glyphs.alert,
        RowStatus::Skipped => glyphs.dash,
        RowStatus::NotVisibleYet | RowStatus::Waiting | RowStatus::ToRevoke => glyphs.waiting,
        RowStatus::Issued => glyphs.issued,
        RowStatus::BeingChecked | RowStatus::Revoking => glyphs.revoking,
        RowStatus::Revoked => glyphs.revoked,
    }
}

pub fn row_status_style(row_status: RowStatus, cx: &UiContext) -> Style {
    let theme = &cx.theme;
    match row_status {
        RowStatus::Invalid | RowStatus::Refused | RowStatus::NotAccepted => theme.error(),
        RowStatus::NeedsReview | RowStatus::InDoubt | RowStatus::NeverSeen | RowStatus::Overdue => {
            theme.warning()
        }
        RowStatus::Issued | RowStatus::Revoked => theme.good(),
        RowStatus::Skipped => theme.dim(),
        _ => theme.text(),
    }
}

/// A time of lapel for a column: `2026-11-03 11:10` in the time zone of the service, as [`ServiceTime::to_minute`].
pub fn to_minute(at: Option<Timestamp>, cx: &UiContext) -> String {
    at.map_or_else(|| cx.glyphs.dash.to_owned(), |at| cx.clock().to_minute(at))
}

/// A time of lapel for a sentence: `11-03 11:10` in the time zone of the service, in another year `2025-11-03`.
pub fn moment(at: Timestamp, cx: &UiContext) -> String {
    cx.clock().short(at)
}

/// A time of this computer for a sentence: by the clock of the service, like the times beside it.
pub fn own_moment(at: Timestamp, cx: &UiContext) -> String {
    moment(cx.clock().of_this_computer(at), cx)
}

/// A time that the journal keeps as the service wrote it.
pub(super) fn service_time(text: Option<&Text>, cx: &UiContext) -> String {
    match text.and_then(|text| ServiceTime::new(text.wire())) {
        Some(time) => time.to_minute(),
        None => text.map_or_else(|| cx.glyphs.dash.to_owned(), ToString::to_string),
    }
}

/// The journal's entry about a badge that the service does not show yet, or of which lapel does not know the id.
pub fn sent_here(sent: &SentHere, cx: &UiContext) -> String {
    let (time, id, state) = (moment(sent.at, cx), sent.job, tr(sent.row_status.name()));
    match (&sent.badge_id, &sent.by) {
        (Some(_), Some(who)) => {
            t!("sent by {who} at {time} in job {id} ({state}); not visible yet", who, time, id, state)
        }
        (None, Some(who)) => t!(
            "sent by {who} at {time} in job {id} ({state}); lapel has not found its badge yet",
            who,
            time,
            id,
            state
        ),
        (Some(_), None) => {
            t!("sent by lapel at {time} in job {id} ({state}); not visible yet", time, id, state)
        }
        (None, None) => t!(
            "sent by lapel at {time} in job {id} ({state}); lapel has not found its badge yet",
            time,
            id,
            state
        ),
    }
}

pub fn explain(row: &JobRow, kind: Kind, cx: &UiContext) -> String {
    let until = row.until.map_or_else(|| t!("the deadline").to_owned(), |at| moment(at, cx));
    let why = row.why.as_ref().map_or(String::new(), |why| why.in_zone_of(&cx.clock()).to_string());
    let cause = row.why.as_ref().map_or_else(|| t!("no answer").to_owned(), Reason::cause);
    let cause = cause.trim_end_matches('.');
    match (row.row_status, kind) {
        (RowStatus::InDoubt, Kind::Issue) => t!(
            "In doubt: {cause}. This badge may exist. lapel checks until {until}, and does not send it again meanwhile.",
            cause,
            until
        ),
        (RowStatus::InDoubt, Kind::Revoke) => t!(
            "In doubt: {cause}. This badge may already be revoked. lapel checks it. A second request does no harm: a badge is revoked only once.",
            cause
        ),
        (RowStatus::NotVisibleYet, _) => t!(
            "The service accepted this row, but its badge is not visible yet. lapel checks until {until} and does not send it again.",
            until
        ),
        (RowStatus::NeverSeen, _) => {
            let code = row.why.as_ref().map(Reason::code);
            let said = match code {
                Some(Code::Absent) => t!(
                    "The result was unknown. lapel checked twice where the service shows waiting badges, and did not see this badge. It is sent again only if you decide so."
                )
                .to_owned(),
                _ => t!(
                    "The result was unknown. lapel checked until {until} and did not see this badge. It is sent again only if you decide so.",
                    until
                ),
            };
            // The reason of a row that is looked for to the end says the same again.
            match code {
                None | Some(Code::Absent | Code::WindowOver) => said,
                Some(_) => t!("{text} Why: {why}.", text = said, why = why.trim_end_matches('.')),
            }
        }
        _ if why.is_empty() => tr(row.row_status.name()).to_owned(),
        _ => format!("{}: {why}", tr(row.row_status.name())),
    }
}

pub fn draft_words(row_status: RowStatus, kind: Kind) -> &'static str {
    match (row_status, kind) {
        (RowStatus::Ready, Kind::Issue) => t!("ready"),
        (RowStatus::Ready, Kind::Revoke) => t!("to revoke now"),
        (RowStatus::ToRevoke, _) => t!("to revoke when issued"),
        (row_status, _) => tr(row_status.name()),
    }
}

pub fn row_lines(row: &JobRow, job: &Job, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let dot = format!(" {} ", cx.glyphs.dot);
    let id = row.badge_id.as_ref().map(|id| t!("badge {id}", id));
    let mut who: Vec<String> = [
        Some(t!("row {no}", no = number(row.number()))),
        Some(row.holder.to_string()),
        Some(row.address.to_string()),
        id,
    ]
    .into_iter()
    .flatten()
    .filter(|t| !t.is_empty())
    .collect();
    let mut lines: Vec<Line<'static>> = Vec::new();
    if row.holder.looks_empty() && row.address.looks_empty() && row.badge_id.is_none() {
        // Recipient and id are unknown, so show the cells of the file.
        who.extend(row.cells.iter().map(ToString::to_string).filter(|cell| !cell.trim().is_empty()));
    }
    lines.extend(styled(&who.join(&dot), room, cx.theme.strong()));
    // Nobody checks the rows of a moved job here.
    let is_plain = job.is_held(row) || job.phase == Phase::Moved;
    let status = match &row.why {
        None if job.phase == Phase::Draft => draft_words(row.row_status, job.kind).to_owned(),
        Some(why) if job.phase == Phase::Draft && row.row_status == RowStatus::Ready => {
            format!("{}: {why}", draft_words(row.row_status, job.kind))
        }
        Some(why) if is_plain => format!("{}: {}", job.state_of(row), why.in_zone_of(&cx.clock())),
        None if is_plain => job.state_of(row).to_string(),
        _ => explain(row, job.kind, cx),
    };
    let text = format!("{} {status}", row_status_glyph(row.row_status, cx));
    lines.extend(styled(&text, room, row_status_style(row.row_status, cx)));
    if let Some(also) = &row.also {
        let text = format!("{} {}", cx.glyphs.alert, also.in_zone_of(&cx.clock()));
        lines.extend(styled(&text, room, cx.theme.warning()));
    }
    let said =
        |what: &str, text: Option<String>| text.filter(|t| !t.is_empty()).map(|t| format!("{what} {t}"));
    // In a sentence, all times have the form of a moment.
    let short_time = |text: &Option<Text>| {
        let text = text.as_ref()?;
        let time = ServiceTime::new(text.wire());
        Some(time.map_or_else(|| text.to_string(), |time| time.short(Some(cx.now()))))
    };
    // The service names this time from the request on.
    let revoked = if row.row_status == RowStatus::Revoked { t!("revoked") } else { t!("revocation") };
    let facts: Vec<String> = [
        said(t!("accepted"), row.accepted.map(|at| moment(at, cx))),
        said(t!("service state"), row.status.as_ref().map(ToString::to_string)),
        said(t!("issued"), short_time(&row.issued_at)),
        said(t!("until"), short_time(&row.valid_until)),
        said(revoked, short_time(&row.revoke_at)),
        said(t!("mail"), row.mail_status.as_ref().map(ToString::to_string)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        lines.extend(styled(&facts.join(&dot), room, cx.theme.dim()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::needs::tests::job;

    #[test]
    fn only_a_revoked_badge_was_revoked() {
        let cx = UiContext::for_test();
        let last = |row_status| {
            let revoke_at = Some(Text::new("2026-11-30 02:01:00"));
            let row = JobRow { revoke_at, ..JobRow::for_test(1, row_status) };
            row_lines(&row, &job(Phase::Running, &[]), 80, &cx).pop().expect("its times").to_string()
        };
        assert!(last(RowStatus::Revoking).trim().starts_with("revocation "), "{}", last(RowStatus::Revoking));
        assert!(last(RowStatus::Revoked).trim().starts_with("revoked "), "{}", last(RowStatus::Revoked));
    }
}
