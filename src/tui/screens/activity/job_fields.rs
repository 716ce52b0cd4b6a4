//! The fields of a job: facts, its progress, and the number of rows in each status.

use super::draw::{Finished, bar, done_of, finished, standing, standing_style};
use crate::export::FieldValue;
use crate::jobs::{JobPart, shares};
use crate::tui::needs::{concerns, has_problem, needs, short_words, urgency};
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::to_minute;
use crate::tui::widgets::record_field::{self, RecordField};
use crate::tui::widgets::table_header::{ColumnDef, Heading, SortKey};
use crate::tui::widgets::text_layout::ColumnLayout;

type ListField = RecordField<Job, CellRoom>;

/// The widths of a job's cells that fit their text into them, in columns.
#[derive(Default)]
pub(super) struct CellRoom {
    progress: usize,
    needs: usize,
}

/// Indexes of the columns whose widths depend on the width of the list, on the jobs or on the language.
const KIND: usize = 1;
const TITLE: usize = 2;
const PROGRESS: usize = 4;
const NEEDS: usize = 5;
const STANDING: usize = 7;
const WIDE_PROGRESS: usize = 18;
const PERCENT: usize = " 100 %".len();

/// The fields of a job. The columns with the number of rows in each status follow them.
pub(super) const FIELDS: [ListField; 16] = [
    ListField::own("job", tr_noop!("Job"), (6, 0, 0))
        .value(|job| FieldValue::Number(Some(job.id.0)))
        .shown(|job, _, cx| format!("#{} {}", job.id, sign(job, cx)))
        .styled(|job, cx| if job.is_unfinished() { cx.theme.text() } else { cx.theme.dim() }),
    ListField::own("kind", tr_noop!("Kind"), (6, 0, 2))
        .value(|job| FieldValue::Code(Some(tr(job.kind_name()))))
        .dim(),
    ListField::named("title", (20, 1, 0)).value(|job| Some(&job.title).into()).styled(|_, _| Style::new()),
    ListField::own("rows", tr_noop!("Rows"), (6, 0, 4))
        .value(|job| count(job.counts.total()))
        .styled(|_, _| Style::new())
        .right(),
    ListField::own("progress", tr_noop!("Progress"), (12, 0, 1))
        .value(|job| count(done_of(job, 1_000_000)))
        .shown(|job, room, cx| progress(job, room.progress, cx))
        .whole(|job, _, _| percent(job))
        .styled(|job, cx| if job.is_unfinished() { cx.theme.accent() } else { cx.theme.dim() }),
    // "Needs you" is the heading of Home, which has nothing that lapel checks by itself. Sorted by [`sort_key`].
    ListField::own("needs", tr_noop!("Problem"), (10, 0, 0))
        .shown(needed)
        .styled(needed_style)
        .whole(|job, _, clock| list(problem_words(job, clock.utc())).to_string()),
    ListField::own("updated", tr_noop!("Updated"), (11, 0, 3))
        .value(|job| FieldValue::Number(Some(job.updated.as_second())))
        .shown(|job, _, cx| to_minute(Some(cx.clock().of_this_computer(job.updated)), cx))
        .whole(|job, _, _| job.updated.to_string())
        .time()
        .dim(),
    // Sorted by [`sort_key`].
    ListField::own("standing", tr_noop!("Row statuses"), (20, 2, 5))
        .shown(|job, _, cx| standing(job, cx))
        .styled(standing_style)
        .whole(|job, _, _| shares(job).to_string()),
    ListField::own("state", tr_noop!("State"), (12, 1, 5))
        .value(|job| FieldValue::Code(Some(tr(job.state_name()))))
        .shown(|job, _, _| job.state().to_string())
        .styled(standing_style)
        .state(),
    ListField::own("created", tr_noop!("Created"), (11, 0, 5))
        .value(|job| FieldValue::Number(Some(job.created.as_second())))
        .shown(|job, _, cx| to_minute(Some(cx.clock().of_this_computer(job.created)), cx))
        .whole(|job, _, _| job.created.to_string())
        .time()
        .dim(),
    ListField::own("next_look", tr_noop!("Next check"), (11, 0, 5))
        .value(|job| FieldValue::Number(job.next_poll.map(Timestamp::as_second)))
        .shown(|job, _, cx| to_minute(job.next_poll, cx))
        .whole(|job, _, _| job.next_poll.map_or_else(String::new, |at| at.to_string()))
        .time()
        .dim(),
    ListField::own("file", tr_noop!("File"), (12, 1, 5))
        .value(|job| job.origin.as_ref().and_then(|origin| origin.file.as_ref()).into())
        .shown(|job, _, cx| {
            job.origin.as_ref().map_or_else(|| cx.glyphs.dash.to_owned(), |origin| origin.name().to_string())
        }),
    ListField::named("template_id", (10, 0, 5)).value(|job| (&job.template_id).into()).dim(),
    ListField::own("profile", tr_noop!("Profile"), (8, 0, 5))
        .value(|job| FieldValue::Code(Some(&job.profile)))
        .dim(),
    ListField::own("follows", tr_noop!("After job"), (5, 0, 5))
        .value(|job| FieldValue::Number(job.follows.map(|id| id.0)))
        .shown(|job, _, cx| job.follows.map_or_else(|| cx.glyphs.dash.to_owned(), |id| id.to_string()))
        .dim()
        .right(),
    ListField::own("owner", tr_noop!("Owner"), (12, 1, 5))
        .shown(|job, _, cx| owner(job).unwrap_or_else(|| cx.glyphs.dash.to_owned()))
        .sorted(|job, _| SortKey::text(owner(job).as_deref()))
        .whole(|job, _, _| owner(job).unwrap_or_default())
        .dim(),
];

pub(super) const COPIED: [&str; 5] = ["job", "kind", "title", "rows", "standing"];

fn owner(job: &Job) -> Option<String> {
    job.owner.as_ref().map(|owner| owner.label.to_string())
}

fn count(rows: u64) -> FieldValue<'static> {
    FieldValue::Number(Some(i64::try_from(rows).unwrap_or(i64::MAX)))
}

pub fn heading() -> Heading {
    Heading::new(defs(), 7, tr_noop!("newest first"))
}

fn sign(job: &Job, cx: &UiContext) -> &'static str {
    match finished(job) {
        _ if has_problem(job, cx.clock().utc()) => cx.glyphs.alert,
        Some(Finished::Done) => cx.glyphs.done,
        _ => "",
    }
}

fn percent(job: &Job) -> String {
    t!("{n} %", n = done_of(job, 100))
}

/// The bar of a job and the finished part in percent. A finished job has neither.
fn progress(job: &Job, columns: usize, cx: &UiContext) -> String {
    match finished(job) {
        Some(Finished::Otherwise) => tr(job.state_name()).to_owned(),
        Some(Finished::Done) => t!("done").to_owned(),
        Some(Finished::NothingDone) => t!("nothing done").to_owned(),
        None => format!("{} {:>5}", bar(job, columns.saturating_sub(PERCENT), cx), percent(job)),
    }
}

fn problem_words(job: &Job, now: Timestamp) -> Vec<String> {
    concerns(job, now).into_iter().map(|need| short_words(need, job)[0].clone()).collect()
}

/// The most urgent concern in the fewest words. The pane has all of them.
fn shortest(concerns: &[JobPart], job: &Job) -> Option<String> {
    concerns.first().map(|need| short_words(*need, job)[1].clone())
}

/// What a job needs from a person, or else which rows lapel checks: what its sign is for. The most urgent first. What
/// does not fit is counted, never cut. A colleague who runs the job is no problem: see the column of the owner.
fn needed(job: &Job, room: &CellRoom, cx: &UiContext) -> String {
    let concerns = concerns(job, cx.clock().utc());
    let all = problem_words(job, cx.clock().utc());
    let more =
        |shown: usize| if shown < all.len() { format!(" +{}", all.len() - shown) } else { String::new() };
    let texts = (1..=all.len()).rev();
    let texts = texts.map(|shown| cx.dotted(&all[..shown]) + &more(shown));
    let texts: Vec<String> = texts.chain(shortest(&concerns, job).map(|text| text + &more(1))).collect();
    let fitting = texts.iter().find(|text| width(text) <= room.needs);
    if let Some(text) = fitting.or(texts.last()) {
        return text.clone();
    }
    elsewhere(job).unwrap_or(cx.glyphs.dash).to_owned()
}

/// Dimmed where lapel checks, and nobody has to act.
fn needed_style(job: &Job, cx: &UiContext) -> Style {
    let now = cx.clock().utc();
    if needs(job, now).is_empty() && has_problem(job, now) { cx.theme.dim() } else { standing_style(job, cx) }
}

/// For an unfinished job of another lapel of this person.
fn elsewhere(job: &Job) -> Option<&'static str> {
    let owner = job.owner.as_ref()?;
    (!owner.is_me && !owner.is_colleague && job.is_unfinished()).then(|| t!("in another lapel"))
}

/// The width of the longest of the most urgent problems in the fewest words, in columns.
pub(super) fn needs_width<'a>(jobs: impl Iterator<Item = &'a Job>, cx: &UiContext) -> usize {
    let now = cx.clock().utc();
    let heaviest = |job| {
        let concerns = concerns(job, now);
        let more = if concerns.len() > 1 { " +9".len() } else { 0 };
        let words = shortest(&concerns, job);
        words.map_or_else(|| elsewhere(job).map_or(0, width), |words| width(&words) + more)
    };
    jobs.map(heaviest).max().unwrap_or(0)
}

pub(in crate::tui::screens) fn defs() -> impl Iterator<Item = ColumnDef> {
    let of_status = |row_status: RowStatus| ColumnDef {
        key: row_status.code(),
        title: row_status.name(),
        layout: ColumnLayout { min_width: 5, weight: 0, drop_order: 5 },
        right: true,
        is_time: false,
        is_state: false,
    };
    FIELDS.iter().map(|field| field.column).chain(RowStatus::ALL.iter().copied().map(of_status))
}

/// The columns of a list that is `columns` wide, with `needs` columns for the needs.
pub(super) fn own(columns: usize, needs: usize) -> Vec<ColumnLayout> {
    let mut own: Vec<ColumnLayout> = defs().map(|def| def.layout).collect();
    own[KIND].min_width =
        [Kind::Issue, Kind::Revoke].map(|kind| width(tr(kind.name()))).into_iter().fold(6, usize::max);
    own[TITLE].min_width = (columns / 6).clamp(10, 30);
    own[PROGRESS].min_width = if columns >= 90 { WIDE_PROGRESS } else { 12 };
    // The number of the job, a part of its title and the needs always have room.
    own[NEEDS].min_width = needs.clamp(10, columns.saturating_sub(22).max(10));
    own
}

pub(super) fn widest(job: &Job, cx: &UiContext) -> Vec<(String, Style)> {
    all_cells(job, &CellRoom { progress: WIDE_PROGRESS, needs: usize::MAX }, cx)
}

pub(super) fn cells(job: &Job, heading: &Heading, widths: &[usize], cx: &UiContext) -> Vec<(String, Style)> {
    let width_of = |column| heading.width_of(column, widths);
    all_cells(job, &CellRoom { progress: width_of(PROGRESS), needs: width_of(NEEDS) }, cx)
}

fn all_cells(job: &Job, room: &CellRoom, cx: &UiContext) -> Vec<(String, Style)> {
    let mut cells = record_field::cells(&FIELDS, job, room, cx);
    cells.extend(RowStatus::ALL.iter().map(|row_status| match job.counts.of(*row_status) {
        0 => (cx.glyphs.dash.to_owned(), cx.theme.dim()),
        n => (number(n), cx.theme.text()),
    }));
    cells
}

pub(super) fn saved(job: &Job, clock: &ServiceClock) -> ExportRow {
    let mut fields = record_field::saved(&FIELDS, job, &CellRoom::default(), clock);
    fields.extend(
        RowStatus::ALL.iter().map(|row_status| (row_status.code(), job.counts.of(*row_status).into())),
    );
    ExportRow::with(job.id.to_string(), fields)
}

pub(super) fn saved_names() -> Vec<String> {
    defs().map(|def| def.key.to_owned()).collect()
}

/// By what the column shows: the most urgent first, and of equal urgency most rows. Without anything, last.
fn by_urgency(heaviest: Option<&JobPart>, job: &Job) -> SortKey {
    /// More than a job has rows.
    const STEP: i64 = 1 << 40;
    SortKey::Number(heaviest.map_or(i64::MAX, |part| {
        urgency(*part, job) as i64 * STEP - i64::try_from(part.rows).unwrap_or(STEP).min(STEP)
    }))
}

pub fn sort_key(job: &Job, column: usize, now: Timestamp) -> SortKey {
    match column {
        NEEDS => return by_urgency(concerns(job, now).first(), job),
        STANDING => return by_urgency(job.parts().first(), job),
        _ => {}
    }
    let of_status = |at: usize| RowStatus::ALL.get(at).map(|row_status| job.counts.of(*row_status));
    match (FIELDS.get(column), column.checked_sub(FIELDS.len()).and_then(of_status)) {
        (Some(field), _) => field.sort_key(job, &CellRoom::default()),
        (None, Some(rows)) => SortKey::Number(i64::try_from(rows).unwrap_or(i64::MAX)),
        (None, None) => SortKey::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Owner, Reason};
    use crate::tui::needs::tests::job;

    /// The column of the owner has the person.
    #[test]
    fn a_colleague_who_sends_a_job_is_no_problem() {
        let cx = UiContext::for_test();
        let label = Reason::of_process("lee", "lab-pc");
        let owner = Owner { label: label.clone(), is_me: false, is_alive: true, is_colleague: true };
        let job = Job { owner: Some(owner), ..job(Phase::Running, &[(RowStatus::Ready, 2)]) };
        assert!(job.is_unfinished());
        let room = CellRoom { progress: WIDE_PROGRESS, needs: usize::MAX };
        assert_eq!(needed(&job, &room, &cx), cx.glyphs.dash);
        assert_eq!(super::owner(&job), Some(label.to_string()));
    }
}
