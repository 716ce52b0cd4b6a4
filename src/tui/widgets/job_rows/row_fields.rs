//! The fields of a job's row. Besides the row, a list gives the words for its status.

use crate::jobs::{Reason, RowField};
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::{
    row_status_glyph, row_status_style, service_time, short_reason, to_minute,
};
use crate::tui::widgets::record_field::{self, BADGE_TITLE, RecordField, field_title};
use crate::tui::widgets::table_header::{Heading, TO_MINUTE};
use crate::tui::widgets::text_layout::ColumnLayout;
use crate::tui::widgets::timeline::of_24_h;
use jiff::SignedDuration;

type ListField = RecordField<JobRow, String>;

/// The column of badge ids, which are unknown before issuing.
const BADGE_IDS: usize = 4;
const STATE: usize = 1;
const HOLDER: usize = 2;
const EMAIL: usize = 3;
const WHY: usize = 5;
/// The order of the first columns in a review: the reason decides what to do, so it comes before the recipient.
const REVIEW: [usize; 6] = [0, STATE, WHY, HOLDER, EMAIL, BADGE_IDS];

/// A time that the journal keeps as the service wrote it.
macro_rules! service_time {
    ($field:ident) => {
        ListField::named(stringify!($field), (TO_MINUTE, 0, 4))
            .value(|row| (&row.$field).into())
            .shown(|row, _, cx| service_time(row.$field.as_ref(), cx))
            .dim()
    };
}

/// The fields, each with its sort field in the journal.
const FIELDS: [(ListField, RowField); 15] = [
    (
        ListField::own("row", tr_noop!("Row"), (6, 0, 0))
            .shown(|row, _, _| number(row.number()))
            .whole(|row, _, _| row.number().to_string())
            .dim()
            .right(),
        RowField::Line,
    ),
    (
        ListField::own("state", tr_noop!("Status"), (15, 1, 0))
            .shown(|row, words, cx| format!("{} {words}", row_status_glyph(row.row_status, cx)))
            .styled(|row, cx| row_status_style(row.row_status, cx))
            .whole(|_, words, _| words.clone())
            .state(),
        RowField::RowStatus,
    ),
    (
        // A recipient in an issue job, a holder in a revoke job.
        ListField::named("recipient_name", (9, 2, 0))
            .titled(tr_noop!("Name"))
            .value(|row| Some(&row.holder).into()),
        RowField::Holder,
    ),
    (
        ListField::named("recipient_email", (16, 3, 0)).value(|row| Some(&row.address).into()),
        RowField::Address,
    ),
    (ListField::named("badge_id", (11, 1, 3)).value(|row| (&row.badge_id).into()).dim(), RowField::Badge),
    (
        ListField::own("why", tr_noop!("Why"), (12, 5, 1))
            .shown(|row, _, _| short_why(row))
            .whole(|row, _, _| why(row))
            .dim(),
        RowField::Why,
    ),
    (
        ListField::own("no", tr_noop!("Position in job"), (6, 0, 4))
            .shown(|row, _, _| number(row.no))
            .whole(|row, _, _| row.no.to_string())
            .dim()
            .right(),
        RowField::No,
    ),
    (
        ListField::named("title", (14, 2, 4)).titled(BADGE_TITLE).value(|row| (&row.title).into()),
        RowField::Title,
    ),
    (
        ListField::own("class", tr_noop!("Duplicate check"), (14, 1, 4))
            .shown(|row, _, cx| row.class.map_or(cx.glyphs.dash, |class| tr(class.name())).to_owned())
            .whole(|row, _, _| row.class.map_or("", |class| tr(class.name())).to_owned()),
        RowField::Class,
    ),
    (
        ListField::own("accepted", field_title("reg_date"), (TO_MINUTE, 0, 4))
            .shown(|row, _, cx| to_minute(row.accepted, cx))
            .whole(|row, _, _| row.accepted.map_or_else(String::new, |at| at.to_string()))
            .dim(),
        RowField::Accepted,
    ),
    (
        // The row has a status of lapel, too.
        ListField::named("status_name", (10, 0, 4))
            .titled(tr_noop!("Service state"))
            .value(|row| (&row.status).into()),
        RowField::Status,
    ),
    (
        ListField::named("email_status", (5, 1, 4)).value(|row| (&row.mail_status).into()).dim(),
        RowField::Mail,
    ),
    (service_time!(issued_at), RowField::IssuedAt),
    (service_time!(valid_until), RowField::ValidUntil),
    (service_time!(revoke_at), RowField::RevokeAt),
];

pub const COPIED: [&str; 6] = ["row", "state", "recipient_name", "recipient_email", "badge_id", "why"];

/// The status of a row in a list: that of a waiting badge is how long it waits, as in the history.
pub fn words_in_list(row: &JobRow, job: Option<&Job>, cx: &UiContext) -> String {
    waited(row, job, cx.clock().utc()).unwrap_or_else(|| words(row, job))
}

/// Nobody checks here whether a badge of a moved job still waits.
fn waited(row: &JobRow, job: Option<&Job>, now: Timestamp) -> Option<String> {
    let has_moved = job.is_some_and(|job| job.phase == Phase::Moved);
    let is_waiting = row.row_status.awaits_issue() && !has_moved;
    let since = now.duration_since(row.accepted.filter(|_| is_waiting)?);
    Some(of_24_h(since.max(SignedDuration::ZERO)))
}

fn why(row: &JobRow) -> String {
    row.why.as_ref().map_or_else(String::new, Reason::to_string)
}

/// The reason for the column: of a mistyped address, only the correct one.
fn short_why(row: &JobRow) -> String {
    match row.suggested_address() {
        Some(address) => t!("did you mean {meant}?", meant = Text::from(address)),
        None => row.why.as_ref().map_or_else(String::new, short_reason::of),
    }
}

/// In a review: the short reason, and what lapel suggests.
fn why_in_review(row: &JobRow) -> String {
    let short = short_reason::of_row(row);
    match suggested_domain(row).or_else(|| row.suggested_name()) {
        Some(meant) => t!("{short}: {meant}?", short, meant = Text::from(meant)),
        None => short,
    }
}

/// With the @.
fn suggested_domain(row: &JobRow) -> Option<String> {
    let address = row.suggested_address()?;
    address.rfind('@').map(|at| address[at..].to_owned())
}

/// Leaves out what does not fit. A suggested domain says alone what the only reason is; otherwise the reason counts more.
pub(super) fn fit_suggestion(
    cells: &mut [(String, Style)],
    row: &JobRow,
    heading: &Heading,
    widths: &[usize],
) {
    let at = REVIEW.iter().position(|column| *column == WHY).unwrap_or(WHY);
    let room = heading.width_of(at, widths);
    if let Some((text, _)) = cells.get_mut(at).filter(|(text, _)| width(text) > room) {
        let is_only = row.also.is_none() && row.why.iter().flat_map(Reason::texts).count() == 1;
        let domain = suggested_domain(row).filter(|_| is_only).map(|meant| format!("{}?", Text::from(meant)));
        let fitting = domain.filter(|domain| width(domain) <= room);
        *text = fitting.unwrap_or_else(|| short_reason::of_row(row));
    }
}

pub fn fields() -> [ListField; FIELDS.len()] {
    FIELDS.map(|(field, _)| field)
}

/// The fields of a list. In a review, the reason is short: the selected row has the whole sentence.
fn fields_of(is_review: bool) -> Vec<ListField> {
    if !is_review {
        return fields().to_vec();
    }
    let why = |row: &JobRow, _: &String, _: &UiContext| why_in_review(row);
    in_review(fields().map(|field| if field.column.key == "why" { field.shown(why) } else { field }))
}

fn in_review<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    all.sort_by_key(|(at, _)| REVIEW.iter().position(|column| column == at).unwrap_or(*at));
    all.into_iter().map(|(_, item)| item).collect()
}

pub fn heading(is_review: bool) -> Heading {
    let columns = fields_of(is_review).into_iter().map(|field| field.column);
    let own = if is_review {
        tr_noop!("groups first, then by row")
    } else {
        tr_noop!("problems first, then by row")
    };
    Heading::new(columns, 6, own)
}

pub fn saved<'r>(
    rows: impl Iterator<Item = &'r JobRow>,
    job: Option<&Job>,
    clock: &ServiceClock,
) -> Vec<ExportRow> {
    let fields = fields();
    let saved = |row: &JobRow| {
        let values = record_field::saved(&fields, row, &words(row, job), clock);
        ExportRow::with(row.number().to_string(), values)
    };
    rows.map(saved).collect()
}

/// For the worker, which converts rows off the loop.
pub fn to_file(rows: &[JobRow], job: &Job, clock: &ServiceClock) -> Vec<ExportRow> {
    saved(rows.iter(), Some(job), clock)
}

pub fn saved_names() -> Vec<String> {
    FIELDS.iter().map(|(field, _)| field.column.key.to_owned()).collect()
}

/// The status of a row for copies and files. `job` is `None` if the journal does not have it any more.
pub fn words(row: &JobRow, job: Option<&Job>) -> String {
    job.map_or_else(|| tr(row.row_status.name()).to_owned(), |job| job.state_of(row).to_string())
}

pub(super) fn order(heading: &Heading) -> Option<(RowField, bool)> {
    let (key, down) = heading.sorted_by()?;
    let (_, sort) = FIELDS.iter().find(|(field, _)| field.column.key == key)?;
    Some((*sort, down))
}

/// The columns. `has_ids` says whether rows have badge ids.
pub(super) fn own(has_ids: bool, is_review: bool) -> Vec<ColumnLayout> {
    let mut own: Vec<ColumnLayout> = FIELDS.iter().map(|(field, _)| field.column.layout).collect();
    if !has_ids {
        own[BADGE_IDS].min_width = 0;
    }
    if is_review {
        // The statuses of a draft are short, and so are its reasons.
        own[STATE] = ColumnLayout { min_width: 14, weight: 0, ..own[STATE] };
        own[WHY] = ColumnLayout { min_width: 15, weight: 1, drop_order: 0 };
        own[HOLDER] = ColumnLayout { min_width: 8, weight: 1, ..own[HOLDER] };
        own[EMAIL] = ColumnLayout { min_width: 22, weight: 2, ..own[EMAIL] };
    }
    if is_review { in_review(own) } else { own }
}

pub(super) fn cells(
    row: &JobRow,
    is_review: bool,
    cx: &UiContext,
    words: &dyn Fn(&JobRow) -> String,
) -> Vec<(String, Style)> {
    record_field::cells(&fields_of(is_review), row, &words(row), cx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Refusals;
    use crate::tui::needs::tests::job;

    #[test]
    fn a_waiting_row_shows_its_age_as_the_history_does() {
        let now = Timestamp::from_second(1_000_000).expect("a time");
        let of = |row_status, minutes: i64| {
            let accepted = now.checked_sub(SignedDuration::from_mins(minutes)).ok();
            waited(&JobRow { accepted, ..JobRow::for_test(1, row_status) }, None, now)
        };
        assert_eq!(of(RowStatus::Waiting, 9).as_deref().map(str::trim_end), Some("9m/24h"));
        assert_eq!(of(RowStatus::Overdue, 31 * 60).as_deref(), Some("31h/24h"));
        assert_eq!(of(RowStatus::Waiting, -5).as_deref().map(str::trim_end), Some("0m/24h"));
        assert_eq!(of(RowStatus::Issued, 9), None);
        assert_eq!(
            waited(&JobRow::for_test(1, RowStatus::Waiting), None, now),
            None,
            "its time is not known"
        );
    }

    /// Another journal checks it, so here it may be issued for a long time.
    #[test]
    fn a_waiting_row_of_a_moved_job_has_its_status_and_no_age() {
        let cx = UiContext::for_test();
        let row = JobRow { accepted: Some(Timestamp::UNIX_EPOCH), ..JobRow::for_test(1, RowStatus::Waiting) };
        let status = tr(RowStatus::Waiting.name());
        assert_eq!(words_in_list(&row, Some(&job(Phase::Moved, &[])), &cx), status);
        assert_ne!(words_in_list(&row, Some(&job(Phase::Running, &[])), &cx), status, "an age");
    }

    #[test]
    fn files_and_copies_have_the_status_that_the_screen_shows() {
        let refusals = Refusals { is_not_provable: true, unproven_ready: 1, ..Refusals::default() };
        let held = Job { refusals, ..job(Phase::Stopped, &[(RowStatus::Ready, 1)]) };
        let row = JobRow { is_unproven: true, ..JobRow::for_test(1, RowStatus::Ready) };
        let state = held.state_of(&row).to_string();
        assert_ne!(state, tr(RowStatus::Ready.name()), "it may have been sent");
        assert_eq!(words(&row, Some(&held)), state);
        let saved = saved(std::iter::once(&row), Some(&held), &UiContext::for_test().clock());
        let status = &fields()[STATE];
        assert_eq!(status.text(&row, &words(&row, Some(&held)), &UiContext::for_test().clock()), state);
        assert!(format!("{saved:?}").contains(&state), "{saved:?}");
    }
}
