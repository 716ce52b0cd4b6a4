//! Drawing of the jobs: one line each with a bar and counts, and the selected job in full.

use super::rows_preview::{FEW, previewed_rows};
use super::{Activity, job_fields};
use crate::jobs::{AcceptedCount, StopKind, Urgency, count};
use crate::tui::input::list_hit::below;
use crate::tui::needs::{counted, counts_in_words, needs, sum, urgency, words};
use crate::tui::platform::images::PictureOf;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::colleagues::{everybody, involved};
use crate::tui::widgets::job_rows::row_fields::words_in_list;
use crate::tui::widgets::job_rows::{RowList, moment, row_lines, row_status_style};
use crate::tui::widgets::paged_list::{draw_position, draw_row, draw_texts};
use crate::tui::widgets::preview;
use crate::tui::widgets::timeline::timeline_of_row;

/// Columns of a list that no column takes: the cursor and the gaps around it.
const MARGINS: usize = 4;
/// Height of the pane below a list of rows, in lines, with the rule above it.
const ROW_PANE: u16 = 6;

pub(super) struct Panes {
    pub list: Rect,
    pub text: Rect,
    /// The whole pane beside the list; `None` if the text is below.
    beside: Option<Rect>,
}

impl Panes {
    /// Splits the area below the first `head` lines. Below a list, the text has a rule above it.
    fn of(area: Rect, head: u16, wanted: Option<usize>, below: impl FnOnce(u16) -> u16) -> Self {
        let (left, beside) = preview::split(area, wanted);
        let body = Rect { y: left.y + head, height: left.height.saturating_sub(head), ..left };
        if let Some(pane) = beside {
            return Self { list: body, text: preview::inside(pane), beside };
        }
        let rows = below(body.height).min(body.height);
        let list = Rect { height: rows, ..body };
        let text = Rect {
            x: area.x + 2,
            y: (list.bottom() + 1).min(area.bottom()),
            width: area.width.saturating_sub(4),
            height: area.bottom().saturating_sub(list.bottom() + 1),
        };
        Self { list, text, beside: None }
    }

    /// Draws the edge of the pane, with the title if the pane is below.
    fn draw_edge(&self, frame: &mut Frame<'_>, title: &str, cx: &UiContext) {
        let theme = &cx.theme;
        match self.beside {
            Some(pane) => preview::draw_edge(frame, pane, cx),
            None if self.text.height > 0 => {
                let room = usize::from(self.list.width).saturating_sub(2);
                let title = fit(title, width(title).min(room.saturating_sub(6)), cx.glyphs.ellipsis);
                let rest = cx.glyphs.rule.repeat(room.saturating_sub(width(&title) + 4));
                let line = Line::from(vec![
                    Span::styled(format!(" {} ", cx.glyphs.rule.repeat(2)), theme.dim()),
                    Span::styled(title, theme.strong()),
                    Span::styled(format!(" {rest}"), theme.dim()),
                ]);
                frame.render_widget(line, Rect { y: self.list.bottom(), height: 1, ..self.list });
            }
            None => {}
        }
    }

    /// The first lines of the text: the title, if it is not in the edge.
    fn head(&self, title: &str, cx: &UiContext) -> Vec<Line<'static>> {
        let room = usize::from(self.text.width);
        let shown = self.beside.map(|_| wrap(title, room)).unwrap_or_default();
        shown.into_iter().map(|line| Line::styled(line, cx.theme.strong())).collect()
    }
}

/// The rows that a job may send: skipped and invalid ones are no part of its progress.
fn wanted(job: &Job) -> u64 {
    job.counts.sum(|status| !matches!(status, RowStatus::Skipped | RowStatus::Invalid))
}

/// How a job ended.
pub(super) enum Finished {
    /// Something of it was issued or revoked.
    Done,
    /// Certainly nothing was.
    NothingDone,
    /// As its state says: cancelled, undone, moved, or ended with rows that a person resolved and that may have been sent.
    Otherwise,
}

/// `None`: something is left to do.
pub(super) fn finished(job: &Job) -> Option<Finished> {
    match job.counts.sum(RowStatus::is_done) {
        _ if job.is_unfinished() => None,
        _ if job.is_cancelled() || job.is_undone() || job.phase == Phase::Moved => Some(Finished::Otherwise),
        0 if job.left_in_doubt => Some(Finished::Otherwise),
        0 => Some(Finished::NothingDone),
        _ => Some(Finished::Done),
    }
}

/// The finished part of a job, on a scale from 0 to `parts`.
pub(super) fn done_of(job: &Job, parts: u64) -> u64 {
    let (done, wanted) = (job.counts.sum(RowStatus::is_done), wanted(job));
    // Of a job without rows to send, nothing was issued.
    let part = (u128::from(done) * u128::from(parts)).checked_div(u128::from(wanted)).unwrap_or(0);
    u64::try_from(part).unwrap_or(parts)
}

/// The row counts of a job, problems first, so that a short line never cuts a problem before a result.
pub(super) fn standing(job: &Job, cx: &UiContext) -> String {
    let counts = counts_in_words(job).into_iter().map(|(n, _, word)| counted(n, &word));
    let words = cx.dotted(&counts.collect::<Vec<_>>());
    match &job.owner {
        Some(owner) if !owner.is_me && !owner.is_colleague => t!("in another lapel: {words}", words),
        _ => words,
    }
}

pub(super) fn standing_style(job: &Job, cx: &UiContext) -> Style {
    let alarming = job.stop.is_some() || job.counts.sum(RowStatus::needs_a_person) > 0;
    if alarming { cx.theme.warning() } else { cx.theme.text() }
}

/// The progress bar of a job: finished, open, and the rest (not sent or failed). Finished rows count in eighths
/// of a column: a small step of a large job shows. They are as high as the row, so there is no gap between rows.
pub fn bar(job: &Job, columns: usize, cx: &UiContext) -> String {
    let total = wanted(job);
    if total == 0 {
        // As `done_of` counts it.
        return cx.glyphs.empty.repeat(columns);
    }
    let done = job.counts.sum(RowStatus::is_done);
    let open = job.counts.sum(RowStatus::is_open);
    let part = |n: u64, parts: usize| {
        usize::try_from(u128::from(n) * parts as u128 / u128::from(total)).unwrap_or(0)
    };
    let (full, eighths) = (part(done, columns * 8) / 8, part(done, columns * 8) % 8);
    let half = part(done + open, columns).saturating_sub(full);
    let mut out = cx.glyphs.full.repeat(full);
    // A part of a column needs a column that has nothing else to show.
    let begun =
        eighths.checked_sub(1).and_then(|at| cx.glyphs.eighths.get(at)).filter(|_| half > 0 || open == 0);
    out.extend(begun.copied());
    let half = half.saturating_sub(usize::from(begun.is_some()));
    out.push_str(&cx.glyphs.half.repeat(half));
    let used = full + half + usize::from(begun.is_some());
    out.push_str(&cx.glyphs.empty.repeat(columns.saturating_sub(used)));
    out
}

impl Activity {
    pub(super) fn panes(&self, area: Rect) -> Panes {
        let jobs = u16::try_from(self.listed_jobs().count()).unwrap_or(u16::MAX).saturating_add(1);
        let wanted = self.heading.wanted(area.width).map(|cells| cells + MARGINS);
        Panes::of(area, 1, wanted, |height| jobs.min(height / 2).max(2))
    }

    fn shown_panes(&self, area: Rect) -> Panes {
        if self.rows.is_some() { self.row_panes(area) } else { self.panes(area) }
    }

    pub(super) fn row_panes(&self, area: Rect) -> Panes {
        let wanted = self.rows_heading.wanted(area.width).map(|cells| cells + MARGINS);
        let (left, _) = preview::split(area, wanted);
        let head = 1 + self.row_counts(left.width).len() as u16;
        Panes::of(area, head, wanted, |height| height.saturating_sub(ROW_PANE))
    }

    /// The number of rows of the open job and of each status, the most urgent first, in lines of this
    /// width.
    fn row_counts(&self, columns: u16) -> Vec<Vec<(String, Option<RowStatus>)>> {
        let Some(job) = self.job() else { return Vec::new() };
        let total = (count!(job.counts.total(), "row", "rows"), None);
        let counts =
            counts_in_words(job).into_iter().map(|(n, status, word)| (counted(n, &word), Some(status)));
        let room = usize::from(columns).saturating_sub(4);
        let (mut lines, mut used): (Vec<Vec<_>>, usize) = (Vec::new(), 0);
        for count in std::iter::once(total).chain(counts) {
            // Three cells are before a count.
            let wide = width(&count.0) + 3;
            match lines.last_mut().filter(|_| used + wide <= room) {
                Some(line) => line.push(count),
                None => {
                    lines.push(vec![count]);
                    used = 0;
                }
            }
            used += wide;
        }
        lines
    }

    fn title(&self, cx: &UiContext) -> String {
        let of = |job: &Job| {
            let file = job.origin.as_ref().map(|origin| origin.name().to_string());
            [Some(format!("#{}", job.id)), file]
        };
        let parts = self.selected_jobs().into_iter().flat_map(of);
        cx.dotted(&parts.flatten().collect::<Vec<_>>())
    }

    pub(super) fn text_and_picture(
        &self,
        area: Rect,
        lines: usize,
        cx: &UiContext,
    ) -> (Rect, Option<PictureRequest>) {
        let panes = self.shown_panes(area);
        let of = self.job().and_then(|job| job.template_id.clone()).filter(|_| panes.beside.is_some());
        let Some(of) = of.filter(|_| cx.pictures.is_on()) else { return (panes.text, None) };
        let (text, place) = picture::below(panes.text, lines);
        (text, place.map(|area| PictureRequest { of: PictureOf::Template(of), area }))
    }

    pub(super) fn pane_lines(&self, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let panes = self.shown_panes(area);
        let room = usize::from(panes.text.width);
        let Some(job) = self.job() else { return Vec::new() };
        let Some(rows) = &self.rows else {
            let mut lines = panes.head(&self.title(cx), cx);
            for (at, part) in self.selected_jobs().into_iter().enumerate() {
                lines.extend((at > 0).then(Line::default));
                let height = usize::from(panes.text.height).saturating_sub(lines.len());
                lines.extend(self.detail_lines(part, (room, height), cx));
            }
            return lines;
        };
        let Some(row) = rows.list.selected() else { return Vec::new() };
        let mut lines = row_lines(row, job, room, cx);
        // Below a list, there is only room for the text, which has the same times.
        let times = panes.beside.map(|_| timeline_of_row(row, job, room, cx)).unwrap_or_default();
        if !times.is_empty() {
            lines.push(Line::default());
            lines.extend(times);
        }
        lines
    }

    pub(super) fn draw_jobs(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let top = Rect { height: 1, ..area };
        let head = |said: &str| {
            let mut line = Line::styled(format!("  {said}"), theme.strong());
            line.extend(as_of(cx).map(|time| Span::styled(format!("  {time}"), theme.warning())));
            line
        };
        let drafts = (self.drafts > 0).then(|| {
            plural!(
                self.drafts as u64,
                "{n} draft is kept: {key} shows it on Home",
                "{n} drafts are kept: {key} shows them on Home",
                key = cx.key(&[KeyContext::Global, KeyContext::Always], Action::Home)
            )
        });
        let line = match (&self.read, self.jobs.is_empty()) {
            (_, false) => {
                let jobs = count!(self.listed_jobs().count() as u64, "job", "jobs");
                // It counts all jobs, also those that a filter hides.
                let open = self.only.is_none().then(|| t!("{n} open", n = self.open()));
                let mut said: Vec<String> = [Some(jobs), open].into_iter().flatten().collect();
                said.extend(self.only.map(|only| {
                    let key = cx.key(&[KeyContext::Activity], Action::Only);
                    t!("showing {status} ({key}: next)", status = tr(only.words()), key)
                }));
                said.extend(self.heading.words());
                said.extend(drafts);
                let line = head(&cx.dotted(&said));
                self.search.line(usize::from(area.width), cx).unwrap_or(line)
            }
            (Some(Err(why)), true) => {
                draw_texts(frame, area, &[cx.alert(why)], theme.error());
                return;
            }
            (Some(Ok(())), true) => {
                let said: Vec<String> = [t!("no jobs yet").to_owned()].into_iter().chain(drafts).collect();
                head(&cx.dotted(&said))
            }
            (None, true) => Line::styled(format!("  {}", cx.busy(t!("reading the journal"))), theme.dim()),
        };
        frame.render_widget(line, top);
        if self.jobs.is_empty() {
            if matches!(self.read, Some(Ok(()))) {
                let mut text =
                    t!("Issue and revoke jobs sent with lapel appear here, with the outcome of every row.")
                        .to_owned();
                if !cx.read_only() {
                    text.push(' ');
                    text.push_str(&t!(
                        "{issue} on a template issues badges; {revoke} on a badge revokes it.",
                        issue = cx.key(&[KeyContext::Templates], Action::Issue),
                        revoke = cx.key(&[KeyContext::History], Action::Revoke)
                    ));
                }
                draw_texts(frame, below(area, 2), &[text], theme.dim());
            }
            return;
        }
        let panes = self.panes(area);
        let list = below(panes.list, 1);
        let widths = self.heading.widths(usize::from(list.width).saturating_sub(3));
        frame.render_widget(self.heading.line(&widths, 2, cx), Rect { height: 1, ..panes.list });
        let mut built = 0;
        let selected = self.at();
        let visible = self.sight.shown();
        draw_position(frame, list, visible.start as u64, self.listed_jobs().count() as u64, cx);
        let visible = self.listed_jobs().enumerate().skip(visible.start).take(visible.len());
        for (y, (at, job)) in (list.y..).zip(visible) {
            built += 1;
            let mut spans = vec![Span::raw(" ")];
            let cells = job_fields::cells(&self.shown(job), &self.heading, &widths, cx);
            spans.extend(self.heading.cells(cells, &widths, cx));
            draw_row(frame, Rect { y, height: 1, ..list }, at == selected, spans, cx);
        }
        self.built.set(built);
        if self.job().is_some() {
            panes.draw_edge(frame, &self.title(cx), cx);
            let lines = self.pane_lines(area, cx);
            let (text, want) = self.text_and_picture(area, lines.len(), cx);
            picture::draw(want, frame, cx);
            self.scroll.draw(frame, text, lines, &[KeyContext::Activity], cx);
        }
        let menu = below(Rect { width: panes.list.width, ..area }, 2);
        self.heading.draw_menu(frame, menu, &widths, cx);
    }

    /// The lines of a job in this width and height. If its rows do not fit, the last line counts the others.
    fn detail_lines(&self, job: &Job, (room, height): (usize, usize), cx: &UiContext) -> Vec<Line<'static>> {
        let theme = &cx.theme;
        let mut lines: Vec<Line<'static>> = Vec::new();
        let mut put = |text: &str, style: Style| {
            lines.extend(styled(text, room, style));
        };
        put(&cx.dotted(&[tr(job.kind.name()).to_owned(), job.title.to_string()]), theme.strong());
        put(&sum(job, cx.glyphs.dot), theme.text());
        for (text, style) in advice(job, cx) {
            put(&text, style);
        }
        if let Some(AcceptedCount { accepted, sent }) =
            job.accepted.filter(|count| count.accepted < count.sent)
        {
            put(&t!("the service reports {accepted} of {sent} accepted", accepted, sent), theme.warning());
        }
        for note in job.notes() {
            put(&note.in_zone_of(&cx.clock()).to_string(), theme.warning());
        }
        let waiting = job.counts.sum(RowStatus::awaits_issue);
        let is_followed = job.kind == Kind::Issue && job.phase != Phase::Moved;
        if is_followed && waiting > 0 && job.counts.of(RowStatus::Issued) == 0 {
            put(t!("accepted, not issued yet: issuing usually takes 5 min to 24 h"), theme.dim());
        }
        let mut facts = everybody(job);
        if job.in_flight > 0 {
            facts.push(plural!(job.in_flight, "{n} request in progress", "{n} requests in progress"));
        }
        if let Some(at) = job.next_poll {
            facts.push(t!("next check {time}", time = moment(at, cx)));
        }
        if let Some(other) = job.follows {
            facts.push(t!("after job {id}", id = other));
        }
        facts.extend(
            self.jobs
                .iter()
                .filter(|other| other.follows == Some(job.id))
                .map(|other| t!("job {id} follows ({what})", id = other.id, what = tr(other.kind.name()))),
        );
        facts.extend(job.origin.as_ref().map(|origin| origin.words().to_string()));
        if !facts.is_empty() {
            put(&cx.dotted(&facts), theme.dim());
        }
        if self.rows_preview.of == Some(job.id) {
            let mut left = previewed_rows(job);
            for (at, row) in self.rows_preview.rows.iter().enumerate() {
                let row = row_lines(row, job, room, cx);
                // A blank line is before a row, and the last line counts the others.
                if at >= FEW as usize && lines.len() + 1 + row.len() + usize::from(left > 1) > height {
                    break;
                }
                lines.push(Line::raw(""));
                lines.extend(row);
                left = left.saturating_sub(1);
            }
            if left > 0 && !self.rows_preview.rows.is_empty() {
                let open = cx.key(&[KeyContext::Activity, KeyContext::JobRows], Action::Open);
                let text =
                    plural!(left, "{n} more row: {open} shows it", "{n} more rows: {open} shows them", open);
                lines.extend(styled(&text, room, theme.dim()));
            }
        }
        lines
    }

    pub(super) fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext, rows: &RowList) {
        let Some(job) = self.find(rows.job()) else { return };
        let theme = &cx.theme;
        let (panes, whole) = (self.row_panes(area), area);
        let area = Rect { width: panes.list.width, ..area };
        let dot = cx.glyphs.dot;
        let chosen = rows.row_statuses().first().copied();
        let filtered = chosen.map(|status| {
            let key = cx.key(&[KeyContext::JobRows], Action::Only);
            t!("showing {status} ({key}: next)", status = job.row_state(status), key)
        });
        let head = format!("  #{} {dot} {} {dot} {}", job.id, tr(job.kind.name()), job.title);
        let as_of = as_of(cx);
        let mut said: Vec<String> =
            involved(job, cx.person()).into_iter().chain(self.rows_heading.words()).collect();
        let ends = |said: &[String]| {
            said.iter().chain(&as_of).fold(String::new(), |ends, by| format!("{ends} {dot} {by}"))
        };
        let mut end = ends(&said);
        // A long title counts more, but not than who paused or cancelled the job: the arrow of a column shows the order,
        // and the list of jobs who else is involved.
        let kept = usize::from(job.is_halted());
        while width(&head) + width(&end) + 1 > usize::from(area.width) && said.len() > kept {
            said.pop();
            end = ends(&said);
        }
        let room = usize::from(area.width).saturating_sub(width(&end) + 1);
        let head = fit(&head, width(&head).min(room), cx.glyphs.ellipsis);
        frame.render_widget(Line::styled(head + &end, theme.strong()), Rect { height: 1, ..area });
        let mut marked = rows.marks_in_words();
        for (y, counts) in (area.y + 1..panes.list.y).zip(self.row_counts(area.width)) {
            let wide = counts.iter().map(|(text, _)| width(text) + 3).sum::<usize>();
            let row = Rect { y, height: 1, ..area };
            if !marked.is_empty() && wide + width(&marked) < usize::from(area.width) {
                let marked = Span::styled(std::mem::take(&mut marked), theme.dim());
                frame.render_widget(Line::from(marked).right_aligned(), Rect { width: row.width - 1, ..row });
            }
            let mut spans = vec![Span::raw("  ")];
            for (at, (text, status)) in counts.into_iter().enumerate() {
                if at > 0 {
                    spans.push(Span::styled(format!(" {} ", cx.glyphs.dot), theme.dim()));
                }
                let style = match status {
                    None if chosen.is_none() => theme.tab(),
                    Some(status) if chosen == Some(status) => {
                        row_status_style(status, cx).add_modifier(ratatui::style::Modifier::UNDERLINED)
                    }
                    _ => theme.dim(),
                };
                spans.push(Span::styled(text, style));
            }
            frame.render_widget(Line::from(spans), row);
        }
        let words = |row: &JobRow| words_in_list(row, Some(job), cx);
        // Not in the first line, which a list of few columns needs for the title. The marks are there if no line of counts
        // had room for them.
        rows.draw(frame, panes.list, cx, &self.rows_heading, &words, (filtered.as_deref(), &marked));
        if rows.list.selected().is_some() {
            panes.draw_edge(frame, t!("Row"), cx);
            let lines = self.pane_lines(whole, cx);
            let (text, want) = self.text_and_picture(whole, lines.len(), cx);
            picture::draw(want, frame, cx);
            self.scroll.draw(frame, text, lines, &[KeyContext::JobRows], cx);
        }
        let widths = self.rows_heading.widths(usize::from(area.width).saturating_sub(3));
        self.rows_heading.draw_menu(frame, below(area, usize::from(panes.list.y + 1 - area.y)), &widths, cx);
    }
}

/// While the team's database is away.
fn as_of(cx: &UiContext) -> Option<String> {
    let time = cx.journal_time()?;
    Some(t!("{alert} as of {time}", alert = cx.glyphs.alert, time))
}

fn stop_words(job: &Job, cx: &UiContext) -> Option<String> {
    let stop = job.stop.as_ref()?;
    Some(format!("{}: {}", tr(stop.kind.name()), stop.why.in_zone_of(&cx.clock())))
}

/// What a person can do about a job, and why, the most urgent first. Each sentence names its key.
fn advice(job: &Job, cx: &UiContext) -> Vec<(String, Style)> {
    let theme = &cx.theme;
    let may_run = !cx.read_only();
    // The keys of the list, even while a menu covers it.
    let key = |action| cx.key(&[KeyContext::Activity, KeyContext::JobRows], action);
    if let Some(owner) = job.owner.as_ref().filter(|_| !job.may_act()) {
        if owner.is_colleague {
            let owner = &owner.label;
            let sending = if may_run {
                t!("{owner} is sending it. {run}: pause.", owner, run = key(Action::Run))
            } else {
                t!("{owner} is sending it.", owner)
            };
            return vec![(sending, theme.text())];
        }
        let text = t!(
            "{alert} It belongs to another running lapel ({owner}). Only that one can change it.",
            alert = cx.glyphs.alert,
            owner = owner.label
        );
        let stop = stop_words(job, cx).map(|text| (text, theme.text()));
        return [(text, theme.warning())].into_iter().chain(stop).collect();
    }
    let (run, open, export) = (key(Action::Run), key(Action::Open), key(Action::Export));
    let mut all: Vec<(String, Style)> = Vec::new();
    for need in needs(job, cx.clock().utc()) {
        // A redo file has the rows of all statuses that can be done again.
        let redo = count(Step::Redo, job);
        let rows = count!(redo, "row", "rows");
        let text = match urgency(need, job) {
            _ if !may_run => t!("People who issue can act on it. {open}: show the rows.", open),
            Urgency::InDoubt | Urgency::NeedsReview => t!(
                "{open}: show the rows. {resolve} there resolves each one.",
                open,
                resolve = cx.key(&[KeyContext::JobRows], Action::Resolve)
            ),
            Urgency::Refused if job.offers_retry() => {
                t!("{run}: send the refused rows again.", run)
            }
            Urgency::Stopped => match job.stop.as_ref().map(|stop| stop.kind) {
                Some(StopKind::Quota) if job.can_use_up() => {
                    t!(
                        "{run}: resume later, or use up the quota in smaller requests. {export}: save {rows}.",
                        run,
                        export,
                        rows
                    )
                }
                _ => t!("{run}: resume, or cancel the rest. {export}: save {rows}.", run, export, rows),
            },
            Urgency::Refused if redo > 0 => plural!(
                redo,
                "{export}: save {n} row to correct it.",
                "{export}: save {n} rows to correct them.",
                export
            ),
            _ => t!("{open}: show the rows.", open),
        };
        all.push((format!("{} {}. {text}", cx.glyphs.alert, words(need, job)), theme.warning()));
    }
    if let Some(text) = stop_words(job, cx) {
        // What to do is in the line above.
        let style = if all.is_empty() { theme.error() } else { theme.text() };
        all.push((text, style));
    } else if job.phase == Phase::Paused && job.can_resume() && may_run {
        let state = job.halted_words(&cx.clock());
        all.push((t!("{state}. {run}: resume.", state, run), theme.warning()));
    } else if job.phase == Phase::Moved {
        all.push((job.state().to_string(), theme.warning()));
    } else if job.phase == Phase::Paused && !job.is_halt_over() || job.is_cancelled() {
        all.push((job.halted_words(&cx.clock()).to_string(), theme.warning()));
    }
    all
}
