//! Drawing of the request log.

use super::{RequestLog, has_failed};
use crate::api::LogEntry;
use crate::tui::connection::Client;
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::paged_list::draw_row;
use crate::tui::widgets::text_layout::{ColumnLayout, cells, layout, line_of_cells};

/// Rows for the selected request.
pub(in crate::tui::modals) const DETAIL: u16 = 5;
/// Each column with its minimum width, its share of the free width and its drop priority.
const COLUMNS: [(&str, (usize, usize, u8)); 9] = [
    (tr_noop!("Sent"), (8, 0, 0)),
    ("", (4, 0, 0)),
    (tr_noop!("Path"), (22, 5, 0)),
    (tr_noop!("Answer"), (12, 1, 0)),
    (tr_noop!("Try"), (4, 0, 1)),
    (tr_noop!("Waited"), (7, 0, 2)),
    (tr_noop!("Took"), (7, 0, 0)),
    (tr_noop!("Bytes"), (9, 0, 3)),
    (tr_noop!("Minute"), (9, 0, 0)),
];

/// The index of the column that takes the free width, as far as its content needs it.
const PATH: usize = 2;

impl RequestLog {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let line = |y: u16| Rect { y: (area.y + y).min(area.bottom() - 1), height: 1, ..area };
        let entries = self.shown();
        let all = count!(entries.len() as u64, "request", "requests");
        let head = match self.only_failed {
            Some(failed) => {
                let status =
                    if failed { t!("requests that failed") } else { t!("requests answered with success") };
                let key = cx.key(&[KeyContext::Requests], Action::Only);
                let showing = t!("showing {status} ({key}: next)", status, key);
                format!("{all} {} {showing}", cx.glyphs.dot)
            }
            None => t!("{all}, newest first; names and e-mails masked", all),
        };
        let head = Line::styled(format!("  {head}"), theme.strong());
        let head = self.search.line(usize::from(area.width), cx).unwrap_or(head);
        let right = t!(
            "row {at} of {entries}",
            at = number(self.at() as u64 + 1),
            entries = number(entries.len() as u64)
        );
        let right = if entries.is_empty() { String::new() } else { right };
        two_sided(frame, line(0), (head, Span::styled(right, theme.dim())), true, cx);
        let layouts = COLUMNS.map(|(_, (min_width, weight, drop_order))| ColumnLayout {
            min_width,
            weight,
            drop_order,
        });
        let mut widths = layout(&layouts, usize::from(area.width).saturating_sub(3));
        let base = cx.client().map(Client::base_path).unwrap_or_default();
        let longest = entries.iter().map(|entry| width(&target(entry, &base))).max().unwrap_or(0);
        widths[PATH] = widths[PATH].min(longest.max(COLUMNS[PATH].1.0));
        let heads = COLUMNS.map(|(head, _)| (i18n::tr(head).to_owned(), theme.dim()));
        frame.render_widget(line_of_cells("  ", &heads, &widths, cx.glyphs.ellipsis), line(1));
        let at = self.at();
        // Without the headings, the line above them and the details below.
        let place = Rect { height: area.height.saturating_sub(DETAIL + 3), ..line(2) };
        let shown = self.sight.lay(place, at, entries.len());
        let rows = entries.iter().enumerate().skip(shown.start).take(shown.len());
        for (y, (i, entry)) in (place.y..).zip(rows) {
            let mut spans = vec![Span::raw(" ")];
            spans.extend(cells(&row(entry, &base, cx), &widths, cx.glyphs.ellipsis));
            draw_row(frame, Rect { y, height: 1, ..place }, i == at, spans, cx);
        }
        let below = Rect { y: area.bottom().saturating_sub(DETAIL), height: DETAIL, ..area };
        if let Some(entry) = entries.get(at) {
            frame.render_widget(detail(entry, &base, below, cx), below);
        }
    }
}

fn detail(entry: &LogEntry, base: &str, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
    let room = usize::from(area.width).saturating_sub(4);
    let status = match (entry.status, &entry.code) {
        (Some(status), Some(code)) => t!("HTTP {status}, code {code}", status, code),
        (Some(status), None) => t!("HTTP {status}", status),
        (None, _) => t!("no answer").to_owned(),
    };
    let bytes = entry.bytes.map(|n| count!(n, "byte", "bytes"));
    let failed = has_failed(entry).then(|| entry.outcome.to_owned());
    let answer = list([status].into_iter().chain(failed).chain(bytes));
    let facts = t!(
        "{answer}; attempt {attempt}; waited {waited}, took {took}; {used} of {limit} requests in that minute",
        answer,
        attempt = entry.attempt,
        waited = time(entry.waited),
        took = time(entry.duration),
        used = number(u64::from(entry.used)),
        limit = number(u64::from(entry.limit)),
    );
    let mut lines: Vec<Line<'static>> = vec![Line::raw("")];
    let shown = format!("{} {}", entry.method, target(entry, base));
    lines.extend(
        wrap(&shown, room).into_iter().take(2).map(|l| Line::styled(format!("  {l}"), cx.theme.strong())),
    );
    lines.extend(wrap(&facts, room).into_iter().map(|l| Line::styled(format!("  {l}"), cx.theme.dim())));
    lines
}

/// Path and query, without the common base path.
fn target(entry: &LogEntry, base: &str) -> String {
    let path = entry.path.strip_prefix(base).unwrap_or(&entry.path);
    if entry.query.is_empty() { path.to_owned() } else { format!("{path}?{}", entry.query) }
}

fn row(entry: &LogEntry, base: &str, cx: &UiContext) -> Vec<(String, Style)> {
    let theme = &cx.theme;
    let sent = cx.clock().offset().to_datetime(entry.started_at).strftime("%H:%M:%S").to_string();
    let good = !has_failed(entry);
    let answer = match entry.status {
        Some(status) if good => status.to_string(),
        Some(status) => format!("{status} {}", entry.outcome),
        None => entry.outcome.to_owned(),
    };
    let waited = if entry.waited < Duration::from_millis(1) { String::new() } else { time(entry.waited) };
    vec![
        (sent, theme.dim()),
        (entry.method.to_owned(), theme.text()),
        (target(entry, base), theme.text()),
        (answer, if good { theme.good() } else { theme.error() }),
        (entry.attempt.to_string(), if entry.attempt > 1 { theme.warning() } else { theme.dim() }),
        (waited, theme.warning()),
        (time(entry.duration), theme.text()),
        (entry.bytes.map_or_else(String::new, number), theme.dim()),
        (format!("{}/{}", entry.used, entry.limit), theme.dim()),
    ]
}

/// Examples: `0.12 s`, `34 s`.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let digits = if seconds < 10.0 { 2 } else { 0 };
    t!("{n} s", n = format_args!("{seconds:.digits$}"))
}
