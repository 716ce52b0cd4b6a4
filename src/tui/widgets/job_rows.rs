//! The rows of a job as a list. lapel reads them from the journal page by page, and again after a change of the
//! job.

pub mod columns;

use crate::jobs::{Job, JobId, JobRow, Kind, Reason, RowStatus, SentHere};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::list::{Entry, PagedList, Row, RowState};
use crate::tui::widgets::paged_list::two_sided;
use crate::tui::widgets::table_header::Heading;
use crate::tui::widgets::text_layout::{number, wrap};
use crate::tui::worker::job_command::RowsQuery;
use jiff::Timestamp;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::cell::Cell;

impl Row for JobRow {
    type Id = u64;
    fn id(&self) -> u64 {
        self.no
    }
}

pub struct RowList {
    pub list: PagedList<JobRow>,
    job: JobId,
    buckets: Vec<RowStatus>,
    /// Whether the job has changed since its rows were read.
    stale: bool,
    /// Whether rows can have badge ids. Rows of a draft to issue have none.
    ids: bool,
    built: Cell<u64>,
}

impl RowList {
    /// The rows of a job with these statuses; an empty `buckets` means all rows.
    pub fn new(job: JobId, buckets: Vec<RowStatus>) -> Self {
        Self { list: PagedList::default(), job, buckets, stale: false, ids: true, built: Cell::new(0) }
    }

    /// The same for a draft. A draft to issue has no column for badge ids.
    pub fn of_draft(job: &Job, buckets: Vec<RowStatus>) -> Self {
        Self { ids: job.kind == Kind::Revoke, ..Self::new(job.id, buckets) }
    }

    pub fn job(&self) -> JobId {
        self.job
    }

    /// The shown statuses; empty for all.
    pub fn buckets(&self) -> &[RowStatus] {
        &self.buckets
    }

    pub fn only(&mut self, buckets: Vec<RowStatus>, out: &mut Effects<'_>) {
        self.buckets = buckets;
        out.cancel(self.list.restart());
    }

    /// Notes that the job has changed. Several changes lead to one read at a time.
    pub fn changed(&mut self) {
        self.stale = true;
    }

    /// Number of rows that the last draw built, for tests.
    pub fn rows_built(&self) -> u64 {
        self.built.get()
    }

    /// Moves the cursor. Returns false if the action does not belong to a list.
    pub fn on_action(&mut self, action: Action) -> bool {
        match action {
            Action::Down => self.list.move_by(1),
            Action::Up => self.list.move_by(-1),
            Action::PageDown => self.list.page_by(1),
            Action::PageUp => self.list.page_by(-1),
            Action::First => self.list.move_to(0),
            Action::Last => self.list.move_to(u64::MAX),
            _ => return false,
        }
        true
    }

    /// Takes a response, or returns one that is not for this list.
    pub fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Rows(page) if self.list.awaits(ticket) => {
                if let Some((_, dropped)) = self.list.on_response(ticket, page) {
                    out.cancel(dropped);
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Lays out the list and requests missing pages, in the sort order of the heading.
    pub fn load_visible(&mut self, area: Rect, heading: &mut Heading, out: &mut Effects<'_>) {
        self.list.set_height(area.height.saturating_sub(2));
        let room = usize::from(area.width).saturating_sub(3);
        heading.set_own(columns::own(self.ids, room));
        heading.set_room(room);
        let order = columns::order(heading);
        if self.stale && !self.list.is_loading() {
            self.stale = false;
            out.cancel(self.list.reload());
        }
        let (job, buckets) = (self.job, &self.buckets);
        let per_page = self.list.per_page();
        let dropped = self.list.load_visible(|page| {
            out.ask(Request::Rows(RowsQuery { job, buckets: buckets.clone(), page, per_page, order }))
        });
        out.cancel(dropped);
    }

    /// The list position at a screen row, for the mouse. `area` is the area of the last draw.
    pub fn place_at(&self, area: Rect, row: u16) -> Option<u64> {
        let first = area.y + 1;
        let last = area.bottom().saturating_sub(1);
        (first..last)
            .contains(&row)
            .then(|| self.list.top() + u64::from(row - first))
            .filter(|place| *place < self.list.len())
    }

    /// Draws the headings, the rows and the row counter. The list has two lines less than the area.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        env: &Env,
        heading: &Heading,
        words: &dyn Fn(&JobRow) -> String,
    ) {
        if area.height < 3 {
            return;
        }
        let widths = heading.widths(usize::from(area.width).saturating_sub(3));
        frame.render_widget(heading.line(&widths, 2, env), Rect { height: 1, ..area });
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        let foot = Rect { y: area.bottom() - 1, height: 1, ..area };
        if heading.draw_menu(frame, body, &widths, env) {
            return;
        }
        if self.list.is_empty() {
            let text = match self.list.error() {
                Some(error) => format!("{} {error}", env.glyphs.alert),
                None if self.list.is_answered() => t!("No rows match.").to_owned(),
                None => format!("{} {}", env.spinner(), t!("reading rows")),
            };
            let style = if self.list.error().is_some() { env.theme.error() } else { env.theme.dim() };
            let lines: Vec<Line<'_>> = wrap(&text, usize::from(area.width).saturating_sub(4))
                .into_iter()
                .map(|l| Line::styled(format!("  {l}"), style))
                .collect();
            frame.render_widget(ratatui::text::Text::from(lines), body);
            return;
        }
        let mut built = 0;
        for (i, (place, what)) in self.list.visible().enumerate() {
            let Ok(i) = u16::try_from(i) else { break };
            if i >= body.height {
                break;
            }
            built += 1;
            let selected = place == self.list.cursor();
            let mut spans = vec![
                Span::styled(if selected { env.glyphs.cursor } else { " " }, env.theme.accent()),
                Span::raw(" "),
            ];
            match what {
                RowState::Entry(Entry::Row(row)) => {
                    spans.extend(heading.cells(columns::cells(row, env, words), &widths, env));
                }
                RowState::Failed(error) => spans.push(Span::styled(
                    format!("{} {}", env.glyphs.alert, t!("not read: {error}", error)),
                    env.theme.error(),
                )),
                // A row whose status changed meanwhile: the list reloads soon.
                RowState::Loading | RowState::Entry(_) => {
                    spans.push(Span::styled(format!("{} {}", env.spinner(), t!("reading")), env.theme.dim()));
                }
            }
            let mut line = Line::from(spans);
            if selected {
                line = line.patch_style(env.theme.selected());
            }
            let at = Rect { y: body.y + i, height: 1, ..body };
            frame.render_widget(line, at);
            if selected {
                frame.buffer_mut().set_style(at, env.theme.selected());
            }
        }
        self.built.set(built);
        let right =
            t!("row {at} of {all}", at = number(self.list.cursor() + 1), all = number(self.list.len()));
        two_sided(frame, foot, Line::raw(""), Span::styled(right, env.theme.dim()), true);
    }
}

/// The glyph of a status. It is always shown beside the word.
pub fn bucket_glyph(bucket: RowStatus, env: &Env) -> &'static str {
    let glyphs = &env.glyphs;
    match bucket {
        RowStatus::Ready | RowStatus::Sending => glyphs.dot,
        RowStatus::Ask | RowStatus::InDoubt | RowStatus::NotSeen | RowStatus::Other => glyphs.other,
        RowStatus::Invalid | RowStatus::NotDone | RowStatus::Dropped => glyphs.alert,
        RowStatus::LeftOut => glyphs.dash,
        RowStatus::Unbound | RowStatus::Waiting | RowStatus::Overdue | RowStatus::Queued => glyphs.waiting,
        RowStatus::Issued => glyphs.issued,
        RowStatus::Unproven | RowStatus::Revoking => glyphs.revoking,
        RowStatus::Revoked => glyphs.revoked,
    }
}

pub fn bucket_style(bucket: RowStatus, env: &Env) -> Style {
    let theme = &env.theme;
    match bucket {
        RowStatus::Invalid | RowStatus::NotDone | RowStatus::Dropped => theme.error(),
        RowStatus::Ask | RowStatus::InDoubt | RowStatus::NotSeen | RowStatus::Overdue => theme.warning(),
        RowStatus::Issued | RowStatus::Revoked => theme.good(),
        RowStatus::LeftOut => theme.dim(),
        _ => theme.text(),
    }
}

/// A time in the time zone of the service: `11-03 11:10`.
pub fn moment(at: Timestamp, env: &Env) -> String {
    env.clock().offset().to_datetime(at).strftime("%m-%d %H:%M").to_string()
}

/// The journal's entry about a badge that the service does not show yet.
pub fn sent_here(sent: &SentHere, env: &Env) -> String {
    let time = moment(sent.at, env);
    t!(
        "sent by lapel at {time} in job {id} ({state}); not visible yet",
        time,
        id = sent.job,
        state = sent.bucket.word()
    )
}

/// Explains the status of a row in whole sentences.
pub fn explain(row: &JobRow, kind: Kind, env: &Env) -> String {
    let until = row.until.map_or_else(|| t!("the deadline").to_owned(), |at| moment(at, env));
    let why = row.why.as_ref().map_or(String::new(), ToString::to_string);
    let cause = row.why.as_ref().map_or_else(|| t!("no answer").to_owned(), Reason::cause);
    let cause = cause.trim_end_matches('.');
    match (row.bucket, kind) {
        (RowStatus::InDoubt, Kind::Issue) => t!(
            "In doubt: {cause}. This badge may exist. lapel checks until {until}, and does not send it again unless you say so.",
            cause,
            until
        ),
        (RowStatus::InDoubt, Kind::Revoke) => t!(
            "In doubt: {cause}. This badge may already be revoked. lapel checks it. A second request does no harm: a badge is revoked only once.",
            cause
        ),
        (RowStatus::Unbound, _) => t!(
            "The service accepted this row, but its badge is not visible yet. lapel checks until {until} and does not send it again.",
            until
        ),
        (RowStatus::NotSeen, _) => t!(
            "The result was unknown. lapel checked until {until} and did not see this badge. It is sent again only if you decide so. {why}",
            until,
            why
        ),
        _ if why.is_empty() => row.bucket.word().to_owned(),
        _ => format!("{}: {why}", row.bucket.word()),
    }
}

/// The details of a row: recipient, status with reason, and the service's data.
pub fn row_lines(row: &JobRow, job: &Job, room: usize, env: &Env) -> Vec<Line<'static>> {
    let dot = format!(" {} ", env.glyphs.dot);
    let id = row.badge_id.as_ref().map(|id| t!("badge {id}", id));
    let mut who: Vec<String> = [
        Some(t!("row {no}", no = row.number())),
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
    lines.extend(wrap(&who.join(&dot), room).into_iter().map(|l| Line::styled(l, env.theme.strong())));
    let text = format!("{} {}", bucket_glyph(row.bucket, env), explain(row, job.kind, env));
    lines.extend(wrap(&text, room).into_iter().map(|l| Line::styled(l, bucket_style(row.bucket, env))));
    let said =
        |what: &str, text: Option<String>| text.filter(|t| !t.is_empty()).map(|t| format!("{what} {t}"));
    let facts: Vec<String> = [
        said(t!("accepted"), row.accepted.map(|at| moment(at, env))),
        said(t!("service state"), row.status.as_ref().map(ToString::to_string)),
        said(t!("issued"), row.issued_at.as_ref().map(ToString::to_string)),
        said(t!("until"), row.valid_until.as_ref().map(ToString::to_string)),
        said(t!("revoked"), row.revoke_at.as_ref().map(ToString::to_string)),
        said(t!("mail"), row.mail_status.as_ref().map(ToString::to_string)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        lines.extend(wrap(&facts.join(&dot), room).into_iter().map(|l| Line::styled(l, env.theme.dim())));
    }
    lines
}
