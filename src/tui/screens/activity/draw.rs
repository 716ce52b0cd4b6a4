//! Drawing of the jobs: one line each with a bar and counts, and the selected job in full.

use super::{Activity, columns, is_mine};
use crate::jobs::{AcceptedCount, Job, JobRow, Kind, Phase, RowStatus, StopKind};
use crate::tui::context::Env;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::list_hit::below;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::job_rows::{RowList, bucket_style, moment, row_lines};
use crate::tui::widgets::list::{draw_row, draw_texts};
use crate::tui::widgets::needs::{by_weight, counted, shares, word};
use crate::tui::widgets::text_layout::{fit, width, wrap};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Minimum screen width, in columns, for showing the selected job beside the list.
const BESIDE: u16 = 140;
/// Height of the detail of a row below the rows, in lines.
const ROW_DETAIL: u16 = 5;

fn detail_area(area: Rect, list: Rect) -> Rect {
    if area.width >= BESIDE {
        let x = list.right() + 2;
        Rect { x, width: area.right().saturating_sub(x + 1), ..area }
    } else {
        let y = list.bottom() + 1;
        Rect {
            x: area.x + 2,
            y,
            width: area.width.saturating_sub(4),
            height: area.bottom().saturating_sub(y),
        }
    }
}

/// The area of a job's rows, including headings and footer.
pub fn rows_area(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(2 + ROW_DETAIL), ..area }
}

fn joined(shares: Vec<(u64, RowStatus, String)>, env: &Env) -> String {
    let all: Vec<String> = shares.into_iter().map(|(n, _, word)| counted(n, &word)).collect();
    all.join(&format!(" {} ", env.glyphs.dot))
}

/// Whether a row in this status is finished and needs nothing more.
fn is_done(bucket: RowStatus) -> bool {
    matches!(bucket, RowStatus::Issued | RowStatus::Revoked | RowStatus::LeftOut)
}

/// The finished part of a job, on a scale from 0 to `parts`.
pub(super) fn done_of(job: &Job, parts: u64) -> u64 {
    let done = job.counts.sum(is_done);
    u64::try_from(u128::from(done) * u128::from(parts) / u128::from(job.counts.total().max(1)))
        .unwrap_or(parts)
}

pub(super) fn state(job: &Job) -> &'static str {
    match (&job.stop, job.phase) {
        (_, Phase::Moved) => job.phase.word(),
        (Some(stop), _) => stop.kind.word(),
        (None, Phase::Running) if !job.is_sending() && job.is_open() => t!("still open"),
        (None, Phase::Running) if !job.is_sending() => t!("ended"),
        (None, phase) => phase.word(),
    }
}

/// The row counts of a job, problems first, so that a short line never cuts a problem before a result.
pub(super) fn standing(job: &Job, env: &Env) -> String {
    let words = joined(by_weight(job), env);
    if is_mine(job) || job.owner.is_none() { words } else { t!("elsewhere: {words}", words) }
}

/// The style of the row counts: a warning if the job stopped or a row needs a person.
pub(super) fn standing_style(job: &Job, env: &Env) -> Style {
    let alarming = job.stop.is_some() || job.counts.sum(RowStatus::needs_a_person) > 0;
    if alarming { env.theme.warning() } else { env.theme.text() }
}

/// The progress bar of a job: finished, open, and the rest (not sent or failed). Finished rows count in eighths
/// of a column.
pub fn bar(job: &Job, columns: usize, env: &Env) -> String {
    let total = job.counts.total().max(1);
    let done = job.counts.sum(is_done);
    let open = job.counts.sum(RowStatus::is_open);
    let part = |n: u64, parts: usize| {
        usize::try_from(u128::from(n) * parts as u128 / u128::from(total)).unwrap_or(0)
    };
    let (full, eighths) = (part(done, columns * 8) / 8, part(done, columns * 8) % 8);
    let half = part(done + open, columns).saturating_sub(full);
    let mut out = env.glyphs.full.repeat(full);
    // A part of a column needs a column that has nothing else to show.
    let begun =
        eighths.checked_sub(1).and_then(|at| env.glyphs.eighths.get(at)).filter(|_| half > 0 || open == 0);
    out.extend(begun.copied());
    let half = half.saturating_sub(usize::from(begun.is_some()));
    out.push_str(&env.glyphs.half.repeat(half));
    let used = full + half + usize::from(begun.is_some());
    out.push_str(&env.glyphs.empty.repeat(columns.saturating_sub(used)));
    out
}

impl Activity {
    /// The area of the list of jobs, without its first line and its headings.
    pub(super) fn list_area(&self, area: Rect) -> Rect {
        let jobs = u16::try_from(self.jobs.len()).unwrap_or(u16::MAX).max(1);
        let head = 1 + u16::from(self.has_headings());
        let below = Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area };
        if area.width >= BESIDE {
            Rect { width: area.width * 3 / 5, ..below }
        } else if self.heading.over().is_some() {
            below
        } else {
            Rect { height: jobs.min((area.height / 2).saturating_sub(head)).max(1), ..below }
        }
    }

    /// Whether the columns have headings. The default columns need none: each cell explains itself.
    fn has_headings(&self) -> bool {
        !self.jobs.is_empty() && !self.heading.is_usual()
    }

    pub(super) fn draw_jobs(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let top = Rect { height: 1, ..area };
        let line = match (&self.read, self.jobs.is_empty()) {
            (_, false) => {
                let jobs = count!(self.jobs.len() as u64, "job", "jobs");
                let open = t!("{n} open", n = self.open());
                let mut said = vec![jobs, open];
                said.extend(self.heading.words());
                Line::styled(format!("  {}", said.join(&format!(" {} ", env.glyphs.dot))), theme.strong())
            }
            (Some(Err(why)), true) => Line::styled(format!("  {} {why}", env.glyphs.alert), theme.error()),
            (Some(Ok(())), true) => Line::styled(format!("  {}", t!("no jobs yet")), theme.strong()),
            (None, true) => {
                Line::styled(format!("  {} {}", env.spinner(), t!("reading the journal")), theme.dim())
            }
        };
        frame.render_widget(line, top);
        let list = self.list_area(area);
        if self.jobs.is_empty() {
            if matches!(self.read, Some(Ok(()))) {
                let mut text =
                    t!("Issue and revoke jobs sent with lapel appear here, with the outcome of every row.")
                        .to_owned();
                if !env.read_only() {
                    text.push_str(&t!(
                        " {issue} on a template issues badges; {revoke} on a badge revokes it.",
                        issue = env.key(&[Context::Templates], Action::Issue),
                        revoke = env.key(&[Context::History], Action::Revoke)
                    ));
                }
                draw_texts(frame, below(area, 2), &[text], theme.dim());
            }
            return;
        }
        let widths = self.heading.widths(usize::from(list.width).saturating_sub(3));
        if self.has_headings() {
            let line = Rect { y: list.y.saturating_sub(1), height: 1, ..list };
            frame.render_widget(self.heading.line(&widths, 2, env), line);
        }
        let mut built = 0;
        if !self.heading.draw_menu(frame, list, &widths, env) {
            let selected = self.at();
            let visible = (self.top..self.jobs.len()).take(usize::from(list.height));
            for (y, (at, job)) in (list.y..).zip(visible.filter_map(|at| Some((at, self.job_at(at)?)))) {
                built += 1;
                let mut spans = vec![Span::raw(" ")];
                let cells = columns::cells(job, &self.heading, &widths, env);
                spans.extend(self.heading.cells(cells, &widths, env));
                draw_row(frame, Rect { y, height: 1, ..list }, at == selected, spans, env);
            }
        }
        self.built.set(built);
        let detail = detail_area(area, list);
        if area.width >= BESIDE {
            for y in area.y..area.bottom() {
                frame.render_widget(
                    Span::styled(env.glyphs.bar, theme.dim()),
                    Rect { x: list.right(), y, width: 1, height: 1 },
                );
            }
        } else if list.bottom() < area.bottom() {
            let rule = env.glyphs.rule.repeat(usize::from(area.width).saturating_sub(2));
            let at = Rect { y: list.bottom(), height: 1, ..area };
            frame.render_widget(Line::styled(format!(" {rule}"), theme.dim()), at);
        }
        if let Some(job) = self.job() {
            let lines = self.detail_lines(job, usize::from(detail.width), env);
            frame.render_widget(ratatui::text::Text::from(lines), detail);
        }
    }

    fn detail_lines(&self, job: &Job, room: usize, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let dot = format!(" {} ", env.glyphs.dot);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let mut put = |text: &str, style: Style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(l, style)));
        };
        let planned = env.clock().offset().to_datetime(job.created).strftime("%Y-%m-%d %H:%M");
        put(
            &[
                t!("job {id}", id = job.id),
                job.kind.word().to_owned(),
                job.title.to_string(),
                t!("created {planned}", planned),
            ]
            .join(&dot),
            theme.strong(),
        );
        let total = job.counts.total();
        put(&format!("{} = {}", joined(shares(job), env), count!(total, "row", "rows")), theme.text());
        if let Some(owner) = job.owner.as_ref().filter(|owner| !owner.is_me) {
            put(
                &t!(
                    "{alert} it belongs to another running lapel ({owner}); only that one can change it",
                    alert = env.glyphs.alert,
                    owner = owner.label
                ),
                theme.warning(),
            );
        }
        if let Some(stop) = job.stop.as_ref().filter(|_| job.phase != Phase::Moved) {
            put(&format!("{} {}: {}", env.glyphs.alert, stop.kind.word(), stop.why), theme.error());
            if job.can_resume() && stop.kind == StopKind::Quota && is_mine(job) {
                // The keys of the list, even while a menu covers it.
                let key = |action| env.key(&[Context::Activity], action);
                let text = t!(
                    "{resume} resumes when there is quota again; {use_up} uses up the remaining quota; {redo} saves the unsent rows in a file.",
                    resume = key(Action::Resume),
                    use_up = key(Action::UseUp),
                    redo = key(Action::Redo)
                );
                put(&text, theme.text());
            }
        } else if matches!(job.phase, Phase::Paused | Phase::Cancelled | Phase::Moved) {
            put(job.phase.word(), theme.warning());
        }
        if let Some(AcceptedCount { accepted, sent }) =
            job.accepted.filter(|count| count.accepted < count.sent)
        {
            put(&t!("the service reports {accepted} of {sent} accepted", accepted, sent), theme.warning());
        }
        if let Some(note) = job.note_besides() {
            put(&note.to_string(), theme.warning());
        }
        let waiting = job.counts.of(RowStatus::Waiting) + job.counts.of(RowStatus::Overdue);
        if job.kind == Kind::Issue && waiting > 0 && job.counts.of(RowStatus::Issued) == 0 {
            put(t!("accepted, not issued yet: issuing takes 5 min to 24 h"), theme.dim());
        }
        let mut facts: Vec<String> = Vec::new();
        if job.in_flight > 0 {
            facts.push(plural!(job.in_flight, "{n} request in progress", "{n} requests in progress"));
        }
        if let Some(at) = job.next_look {
            facts.push(t!("next check {time}", time = moment(at, env)));
        }
        if let Some(other) = job.follows {
            facts.push(t!("after job {id}", id = other));
        }
        if let Some(origin) = &job.origin {
            let read =
                if origin.read_as.is_empty() { String::new() } else { format!(" ({})", origin.read_as) };
            facts.push(format!("{}{read}", t!("from {file}", file = origin.name)));
        }
        if !facts.is_empty() {
            put(&facts.join(&dot), theme.dim());
        }
        if self.peek.of == Some(job.id) {
            for row in &self.peek.rows {
                lines.extend(row_lines(row, job, room, env));
            }
        }
        lines
    }

    pub(super) fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, env: &Env, rows: &RowList) {
        let Some(job) = self.jobs.iter().find(|job| job.id == rows.job()) else { return };
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let name = t!("job {id}", id = job.id);
        let dot = env.glyphs.dot;
        let by = self.rows_heading.words().map_or(String::new(), |by| format!(" {dot} {by}"));
        let head = format!("  {name} {} {dot} {}{by}", job.kind.word(), job.title);
        let head = fit(&head, usize::from(area.width).saturating_sub(1), env.glyphs.ellipsis);
        frame.render_widget(Line::styled(head, theme.strong()), Rect { height: 1, ..area });
        let chosen = rows.buckets().first().copied();
        let mut spans = vec![Span::raw("  ")];
        let all = count!(job.counts.total(), "row", "rows");
        spans.push(Span::styled(all, if chosen.is_none() { theme.tab() } else { theme.dim() }));
        let mut left = usize::from(area.width)
            .saturating_sub(width(&spans[1].content) + 2 + width(env.glyphs.ellipsis) + 2);
        for (n, bucket, word) in shares(job) {
            let text = counted(n, &word);
            if width(&text) + 3 > left {
                // A cut number would show a wrong value.
                spans.push(Span::styled(format!(" {}", env.glyphs.ellipsis), theme.dim()));
                break;
            }
            left -= width(&text) + 3;
            let style = if chosen == Some(bucket) {
                bucket_style(bucket, env).add_modifier(ratatui::style::Modifier::UNDERLINED)
            } else {
                theme.dim()
            };
            spans.push(Span::styled(format!(" {} ", env.glyphs.dot), theme.dim()));
            spans.push(Span::styled(text, style));
        }
        frame.render_widget(Line::from(spans), Rect { y: area.y + 1, height: 1, ..area });
        let words = |row: &JobRow| word(row.bucket, job);
        rows.draw(frame, rows_area(area), env, &self.rows_heading, &words);
        if let Some(row) = rows.list.selected() {
            let at = rows_area(area).bottom();
            let detail = Rect {
                x: area.x + 2,
                y: at,
                width: area.width.saturating_sub(4),
                height: area.bottom().saturating_sub(at),
            };
            frame.render_widget(ratatui::text::Text::from(row_lines(row, job, room, env)), detail);
        }
    }
}
