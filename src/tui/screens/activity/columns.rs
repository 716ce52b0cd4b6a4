//! The fields of a job: facts, its progress, and the number of rows in each status.

use super::draw::{bar, done_of, standing, standing_style, state};
use crate::export::FieldValue;
use crate::jobs::{Job, Kind, RowStatus, shares};
use crate::tui::context::Env;
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::record_field::{self, RecordField};
use crate::tui::widgets::table_header::{ColumnDef, Heading, SortKey};
use crate::tui::widgets::text_layout::{Column, number, width};
use ratatui::style::Style;

type Field = RecordField<Job, usize>;

/// Indexes of the columns whose widths depend on the width of the list or on the language.
const KIND: usize = 0;
const TITLE: usize = 1;
const BAR: usize = 3;

/// The fields of a job. The columns with the number of rows in each status follow them.
/// Besides the job, a list gives the width of the bar.
pub(super) const FIELDS: [Field; 14] = [
    Field::with_value("kind", tr_noop!("Kind"), (6, 0, 0), |job| FieldValue::Code(Some(job.kind.word())))
        .dim(),
    Field::with_value("title", tr_noop!("Title or reason"), (20, 0, 0), |job| Some(&job.title).into())
        .styled(|_, _| Style::new()),
    // Both columns are one cell wider than their content, to leave a gap.
    Field::with_value("rows", tr_noop!("Rows"), (8, 0, 0), |job| count(job.counts.total()))
        .shown(|job, _, _| format!("{} ", number(job.counts.total())))
        .styled(|_, _| Style::new())
        .right(),
    Field::with_value("progress", tr_noop!("Progress"), (11, 0, 0), |job| count(done_of(job, 1_000_000)))
        .shown(|job, room, env| bar(job, *room, env))
        .styled(|job, env| if job.is_open() { env.theme.accent() } else { env.theme.dim() }),
    // Sorted by the number of rows that need a person.
    Field::with_value("standing", tr_noop!("Row statuses"), (1, 1, 0), |job| {
        count(job.counts.sum(RowStatus::needs_a_person))
    })
    .shown(|job, _, env| standing(job, env))
    .styled(standing_style)
    .whole(|job, _, _| shares(job)),
    Field::with_value("job", tr_noop!("Job"), (5, 0, 4), |job| FieldValue::Number(Some(job.id.0)))
        .shown(|job, _, _| job.id.to_string())
        .dim()
        .right(),
    Field::with_value("state", tr_noop!("State"), (12, 1, 4), |job| FieldValue::Code(Some(state(job))))
        .styled(standing_style),
    Field::with_value("created", tr_noop!("Created"), (16, 0, 4), |job| {
        FieldValue::Number(Some(job.created.as_second()))
    })
    .shown(|job, _, env| env.clock().offset().to_datetime(job.created).strftime("%Y-%m-%d %H:%M").to_string())
    .dim(),
    Field::with_value("next_look", tr_noop!("Next check"), (11, 0, 4), |job| {
        FieldValue::Number(job.next_look.map(jiff::Timestamp::as_second))
    })
    .shown(|job, _, env| job.next_look.map_or_else(|| env.glyphs.dash.to_owned(), |at| moment(at, env)))
    .dim(),
    Field::with_value("file", tr_noop!("File"), (12, 1, 4), |job| {
        job.origin.as_ref().map(|origin| &origin.name).into()
    }),
    Field::with_value("template_id", tr_noop!("Template id"), (10, 0, 4), |job| (&job.template_id).into())
        .dim(),
    Field::with_value("profile", tr_noop!("Profile"), (8, 0, 4), |job| FieldValue::Code(Some(&job.profile)))
        .dim(),
    Field::with_value("follows", tr_noop!("After job"), (5, 0, 4), |job| {
        FieldValue::Number(job.follows.map(|id| id.0))
    })
    .shown(|job, _, env| job.follows.map_or_else(|| env.glyphs.dash.to_owned(), |id| id.to_string()))
    .dim()
    .right(),
    Field::computed("owner", tr_noop!("Owner"), (12, 1, 4))
        .shown(|job, _, env| owner(job).unwrap_or_else(|| env.glyphs.dash.to_owned()))
        .sorted(|job, _| SortKey::text(owner(job).as_deref()))
        .dim(),
];

/// The fields of a copied job.
pub(super) const COPIED: [&str; 5] = ["job", "kind", "title", "rows", "standing"];

fn owner(job: &Job) -> Option<String> {
    job.owner.as_ref().map(|owner| owner.label.to_string())
}

fn count(rows: u64) -> FieldValue<'static> {
    FieldValue::Number(Some(i64::try_from(rows).unwrap_or(i64::MAX)))
}

pub fn heading() -> Heading {
    Heading::new(defs(), 5, tr_noop!("newest first"))
}

fn defs() -> impl Iterator<Item = ColumnDef> {
    let of_status = |bucket: RowStatus| ColumnDef {
        key: bucket.code(),
        title: bucket.name(),
        layout: Column { least: 5, share: 0, goes: 4 },
        right: true,
    };
    FIELDS.iter().map(|field| field.column).chain(RowStatus::ALL.iter().copied().map(of_status))
}

/// The columns for a list that is `columns` cells wide.
pub fn own(columns: usize) -> Vec<Column> {
    let mut own: Vec<Column> = defs().map(|def| def.layout).collect();
    own[KIND].least =
        [Kind::Issue, Kind::Revoke].map(|kind| width(kind.word())).into_iter().fold(6, usize::max);
    own[TITLE].least = (columns / 4).clamp(10, 30);
    own[BAR].least = if columns >= 90 { 21 } else { 11 };
    own
}

pub fn cells(job: &Job, heading: &Heading, widths: &[usize], env: &Env) -> Vec<(String, Style)> {
    let room = heading.width_of(BAR, widths).saturating_sub(1);
    let mut cells = record_field::cells(&FIELDS, job, &room, env);
    cells.extend(RowStatus::ALL.iter().map(|bucket| match job.counts.of(*bucket) {
        0 => (env.glyphs.dash.to_owned(), env.theme.dim()),
        n => (number(n), env.theme.text()),
    }));
    cells
}

pub fn sort_key(job: &Job, column: usize) -> SortKey {
    let of_status = |at: usize| RowStatus::ALL.get(at).map(|bucket| job.counts.of(*bucket));
    match (FIELDS.get(column), column.checked_sub(FIELDS.len()).and_then(of_status)) {
        (Some(field), _) => field.sort_key(job, &0),
        (None, Some(rows)) => SortKey::Number(i64::try_from(rows).unwrap_or(i64::MAX)),
        (None, None) => SortKey::None,
    }
}
