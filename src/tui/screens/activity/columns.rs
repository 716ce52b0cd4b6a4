//! The columns of the list of jobs: facts about a job, its progress, and the number of rows in each status.

use super::draw::{bar, done_of, standing, standing_style, state};
use crate::jobs::{Job, Kind, RowStatus};
use crate::tui::context::Env;
use crate::tui::widgets::job_rows::moment;
use crate::tui::widgets::table_header::{Head, Heading, SortKey, Table};
use crate::tui::widgets::text_layout::{Column, number, width};
use ratatui::style::Style;

/// Indexes of the columns whose widths depend on the width of the list or on the language.
const KIND: usize = 0;
const TITLE: usize = 1;
const BAR: usize = 3;

/// The facts about a job. The columns with the number of rows in each status follow them.
const FACTS: [Head; 14] = [
    head(tr_noop!("Kind"), "kind", 6, 0, 0),
    head(tr_noop!("Title or reason"), "title", 20, 0, 0),
    // Both columns are one cell wider than their content, to leave a gap.
    head(tr_noop!("Rows"), "rows", 8, 0, 0),
    head(tr_noop!("Progress"), "progress", 11, 0, 0),
    head(tr_noop!("Row statuses"), "standing", 1, 1, 0),
    head(tr_noop!("Job"), "job", 5, 0, 4),
    head(tr_noop!("State"), "state", 12, 1, 4),
    head(tr_noop!("Created"), "created", 16, 0, 4),
    head(tr_noop!("Next check"), "next_look", 11, 0, 4),
    head(tr_noop!("File"), "file", 12, 1, 4),
    head(tr_noop!("Template id"), "template_id", 10, 0, 4),
    head(tr_noop!("Profile"), "profile", 8, 0, 4),
    head(tr_noop!("After job"), "follows", 5, 0, 4),
    head(tr_noop!("Owner"), "owner", 12, 1, 4),
];
const COUNT: usize = FACTS.len() + RowStatus::ALL.len();

static HEADS: [Head; COUNT] = {
    let mut all = [FACTS[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < FACTS.len() {
            FACTS[at]
        } else {
            let bucket = RowStatus::ALL[at - FACTS.len()];
            head(bucket.name(), bucket.code(), 5, 0, 4)
        };
        at += 1;
    }
    all
};

/// Columns with right-aligned numbers: rows, job id, previous job id, and the rows in each status.
static RIGHT: [usize; 3 + RowStatus::ALL.len()] = {
    let mut all = [2; 3 + RowStatus::ALL.len()];
    (all[1], all[2]) = (5, 12);
    let mut at = 0;
    while at < RowStatus::ALL.len() {
        all[3 + at] = FACTS.len() + at;
        at += 1;
    }
    all
};

const fn head(title: &'static str, sort_by: &'static str, least: usize, share: usize, goes: u8) -> Head {
    Head { title, column: Column { least, share, goes }, sort_by }
}

pub fn heading() -> Heading {
    Heading::new(Table { heads: &HEADS, usual: 5, right: &RIGHT, own_order: tr_noop!("newest first") })
}

/// The columns for a list that is `columns` cells wide.
pub fn own(columns: usize) -> Vec<Column> {
    let mut own: Vec<Column> = HEADS.iter().map(|head| head.column).collect();
    own[KIND].least =
        [Kind::Issue, Kind::Revoke].map(|kind| width(kind.word())).into_iter().fold(6, usize::max);
    own[TITLE].least = (columns / 4).clamp(10, 30);
    own[BAR].least = if columns >= 90 { 21 } else { 11 };
    own
}

pub fn cells(job: &Job, heading: &Heading, widths: &[usize], env: &Env) -> Vec<(String, Style)> {
    let (theme, dash) = (&env.theme, || env.glyphs.dash.to_owned());
    let minute = |at| env.clock().offset().to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string();
    let bar_room = heading.width_of(BAR, widths).saturating_sub(1);
    let mut cells = vec![
        (job.kind.word().to_owned(), theme.dim()),
        (job.title.to_string(), Style::default()),
        (format!("{} ", number(job.counts.total())), Style::default()),
        (bar(job, bar_room, env), if job.is_open() { theme.accent() } else { theme.dim() }),
        (standing(job, env), standing_style(job, env)),
        (job.id.to_string(), theme.dim()),
        (state(job).to_owned(), standing_style(job, env)),
        (minute(job.created), theme.dim()),
        (job.next_look.map_or_else(dash, |at| moment(at, env)), theme.dim()),
        (job.origin.as_ref().map_or_else(dash, |origin| origin.name.to_string()), theme.text()),
        (job.template_id.as_ref().map_or_else(dash, ToString::to_string), theme.dim()),
        (crate::domain::text::scrub(&job.profile).into_owned(), theme.dim()),
        (job.follows.map_or_else(dash, |id| id.to_string()), theme.dim()),
        (job.owner.as_ref().map_or_else(dash, |owner| owner.label.to_string()), theme.dim()),
    ];
    cells.extend(RowStatus::ALL.iter().map(|bucket| match job.counts.of(*bucket) {
        0 => (dash(), theme.dim()),
        n => (number(n), theme.text()),
    }));
    cells
}

/// The sort key of a job in a column. The status column sorts by the number of rows that need a person.
pub fn sort_key(job: &Job, column: usize) -> SortKey {
    let count = |n: u64| SortKey::Number(i64::try_from(n).unwrap_or(i64::MAX));
    let text = |text: &str| SortKey::Text(text.to_lowercase());
    let maybe = |text: Option<&str>| text.map_or(SortKey::None, |text| SortKey::Text(text.to_lowercase()));
    match column {
        KIND => text(job.kind.word()),
        TITLE => text(job.title.wire()),
        2 => count(job.counts.total()),
        BAR => count(done_of(job, 1_000_000)),
        4 => count(job.counts.sum(RowStatus::needs_a_person)),
        5 => SortKey::Number(job.id.0),
        6 => text(state(job)),
        7 => SortKey::Number(job.created.as_second()),
        8 => job.next_look.map_or(SortKey::None, |at| SortKey::Number(at.as_second())),
        9 => maybe(job.origin.as_ref().map(|origin| origin.name.wire())),
        10 => maybe(job.template_id.as_ref().map(crate::domain::TemplateId::wire)),
        11 => text(&job.profile),
        12 => job.follows.map_or(SortKey::None, |id| SortKey::Number(id.0)),
        13 => maybe(job.owner.as_ref().map(|owner| owner.label.to_string()).as_deref()),
        other => {
            let bucket = other.checked_sub(FACTS.len()).and_then(|at| RowStatus::ALL.get(at));
            bucket.map_or(SortKey::None, |bucket| count(job.counts.of(*bucket)))
        }
    }
}
