//! Draws a filtered list. Only visible rows are built.

use crate::domain::RecordProblem;
use crate::domain::look_alike::{foreign_letter, letter_name};
use crate::index::Coverage;
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::{
    ComparedPart, FilteredList, ListRecord, MARGINS, SortedBy, narrowed,
};
use crate::tui::widgets::paged_list::{ListEntry, ListNote, RowSlot, draw_texts};
use crate::tui::widgets::record_field::{add_note, cells_of};
use crate::tui::widgets::text_layout::line_width;
use jiff::tz::Offset;
use ratatui::layout::{Constraint, Layout};

#[derive(Clone, Default)]
pub struct RowMark {
    /// The longest text first. The first one that leaves room for the title is shown before it, or the last one.
    pub notes: Vec<String>,
    pub is_marked: bool,
    pub is_in_range: bool,
}

impl<T: ListRecord> FilteredList<T> {
    /// Draws the list. `mark` says what is special about a row at a place. `right` is at the right of the top line, and is
    /// never cut.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
        mark: &dyn Fn(u64, &T) -> RowMark,
        right: &str,
    ) {
        let bar = self.bar.height(area.width);
        let note = self.foot_lines(area);
        let [line, filter, head, body, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(bar),
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(foot_height(&note)),
        ])
        .areas(area);
        let summary = self.summary(usize::from(area.width).saturating_sub(width(right) + 2), cx);
        two_sided(frame, line, (summary, Span::styled(right.to_owned(), cx.theme.mark())), true, cx);
        if bar > 0 {
            self.bar.draw_form(frame, filter, cx);
        }
        let widths = self.heading.widths(usize::from(body.width).saturating_sub(MARGINS));
        frame.render_widget(self.heading.line(&widths, 3, cx), head);
        self.draw_rows(frame, body, cx, &widths, mark);
        self.heading.draw_menu(frame, body, &widths, cx);
        self.draw_foot(frame, foot, note, cx);
        let source = self.source_words(cx).pop().unwrap_or_default();
        let count = self.count_words(cx).trim_start().to_owned();
        let all = if source.is_empty() { count } else { format!("{count} {} {source}", cx.glyphs.dot) };
        let with_right = |text: &str| format!("{text}  {right}").trim().to_owned();
        self.bar.draw_over(frame, area, &[&with_right(&all), &with_right(&source), right, &all], cx);
    }

    /// The number of rows.
    fn count_words(&self, cx: &UiContext) -> String {
        if self.list.is_empty() && self.pages().error().is_some() {
            return format!("  {} {}", cx.glyphs.alert, tr(T::TEXTS.not_read));
        }
        if !self.list.is_answered() {
            return format!("  {} {}", cx.spinner(), tr(T::TEXTS.reading));
        }
        let count = if self.list.is_counted() {
            T::count(self.list.len())
        } else if self.list.is_empty() {
            tr(T::TEXTS.none).to_owned()
        } else {
            t!("at least {count}", count = T::count(self.list.len()))
        };
        format!("  {count}")
    }

    /// What lapel has filtered, the longest text first: the rows of the index, and of when they are, or loaded rows. Empty
    /// if the service has filtered all.
    fn source_words(&self, cx: &UiContext) -> Vec<String> {
        if !self.list.is_answered() || self.list.is_empty() && self.pages().error().is_some() {
            return Vec::new();
        }
        if let Some(ComparedPart { loaded, all, .. }) = self.part().filter(|part| !part.is_whole) {
            let (loaded, all) = (number(loaded), number(all));
            let long = t!("within {loaded} loaded of {all}", loaded, all);
            let short = t!("within {loaded} of {all}", loaded, all);
            return vec![long, short, t!("within {loaded}", loaded)];
        }
        let Some(Coverage { read_at, full_at, .. }) = self.index() else { return Vec::new() };
        let offset = cx.clock().offset();
        let read = |full_at| t!("from the index, {read}", read = read_words(read_at, full_at, offset));
        let short = t!("index {time}", time = read_time(read_at, offset));
        vec![read(full_at), read(None), short, t!("index").to_owned()]
    }

    /// The number of rows, the filter, the order and the source. The source is as short as `room` needs, and never cut: without
    /// it, no rows of an index look like the answer of the service. A long filter is cut before it.
    fn summary(&self, room: usize, cx: &UiContext) -> Line<'static> {
        let mut text = self.count_words(cx);
        for words in &self.applied {
            text.push_str(&format!(" {} {words}", cx.glyphs.dot));
        }
        if let Some(by) = self.heading.words() {
            let words = match self.by {
                _ if self.index().is_some() => by,
                SortedBy::Service(_) => by,
                SortedBy::Page { refused: true } => {
                    t!("{by}, each page only (the service refuses to sort by it)", by)
                }
                SortedBy::Page { refused: false } => {
                    t!("{by}, each page only (the service does not sort by it)", by)
                }
            };
            text.push_str(&format!(" {} {words}", cx.glyphs.dot));
        }
        let sources = self.source_words(cx);
        let left = room.saturating_sub(width(&text) + 3);
        if let Some(words) = sources.iter().find(|words| width(words) <= left).or(sources.last()) {
            let before = room.saturating_sub(width(words) + 3);
            let text_width = width(&text).min(before);
            text = format!("{} {} {words}", fit(&text, text_width, cx.glyphs.ellipsis), cx.glyphs.dot);
        }
        Line::styled(text, cx.theme.strong())
    }

    fn draw_rows(
        &self,
        frame: &mut Frame<'_>,
        body: Rect,
        cx: &UiContext,
        widths: &[usize],
        mark: &dyn Fn(u64, &T) -> RowMark,
    ) {
        if self.list.is_empty() {
            let text = match self.pages().error() {
                Some(error) => {
                    let key = cx.key(&OF_LISTS, Action::Reload);
                    vec![error.to_string(), t!("Press {key} to refresh.", key)]
                }
                None if !self.list.is_answered() => return,
                None if self.applied.is_empty() => vec![tr(T::TEXTS.empty).to_owned()],
                None if self.part().is_some_and(|part| !part.is_whole) => {
                    let text = t!(
                        "No loaded row matches this filter. {down} loads more, {esc} clears it.",
                        down = cx.key(&OF_LISTS, Action::Down),
                        esc = cx.key(&OF_LISTS, Action::Back)
                    );
                    std::iter::once(text)
                        .chain(T::may_be_hidden(&self.narrowing).map(str::to_owned))
                        .collect()
                }
                None => {
                    let esc = cx.key(&OF_LISTS, Action::Back);
                    let mut text = vec![i18n::fill(tr(T::TEXTS.no_match), &[("esc", &esc)])];
                    // lapel has compared the rest of the filter itself.
                    if T::compares_text(&self.filter) && self.index().is_none() {
                        text.push(
                            t!("Some fields may need the whole value, depending on the service.").to_owned(),
                        );
                    }
                    let compared = self.part().filter(|part| part.all > 0).map(|part| T::count(part.all));
                    text.extend(compared.map(|all| t!("lapel compared {all} itself.", all)));
                    text.extend(T::may_be_hidden(&self.narrowing).map(str::to_owned));
                    let letter = self.bar.texts().find_map(foreign_letter).map(letter_name);
                    text.extend(
                        letter.map(|letter| t!("The filter has a {letter} among Latin letters.", letter)),
                    );
                    text
                }
            };
            let style = if self.pages().error().is_some() { cx.theme.error() } else { cx.theme.dim() };
            draw_texts(frame, below(body, 1), &text, style);
            return;
        }
        let columns = self.heading.with_room(widths);
        self.list.draw_rows(frame, body, cx, |place, state| match state {
            RowSlot::Entry(ListEntry::Row(row)) => {
                let RowMark { notes, is_marked, is_in_range } = mark(place, row);
                let sign = if is_marked { cx.glyphs.mark } else { " " };
                let edge = if is_in_range { cx.glyphs.bar } else { " " };
                let mut spans = vec![Span::styled(format!("{sign}{edge}"), cx.theme.mark())];
                let mut cells = cells_of(T::FIELDS, &columns, row, &(), cx);
                add_note(&notes, T::FIELDS, &mut cells, |at| self.heading.width_of(at, widths));
                spans.extend(self.heading.cells(cells, widths, cx));
                if is_in_range {
                    for span in &mut spans {
                        span.style = span.style.patch(cx.theme.in_range());
                    }
                }
                spans
            }
            other => {
                let (text, style) = stand_in(&other, cx);
                vec![Span::styled(format!("  {text}"), style)]
            }
        });
    }

    /// The message about the list, or about the selected place if it has no row. It is shown below the list,
    /// wrapped over several lines.
    fn note(&self) -> Option<(String, Tone)> {
        if let Some(note) = self.pages().note() {
            let text = match note {
                ListNote::Changed { before, now } if before == now => {
                    t!("the list changed during reading and was refreshed").to_owned()
                }
                ListNote::Changed { before, now } => t!(
                    "the list changed during reading ({before} {arrow} {now}) and was refreshed",
                    before = number(*before),
                    arrow = "→",
                    now = number(*now)
                ),
                ListNote::KeepsMoving => {
                    t!("the list keeps changing during reading; repeated rows are labelled").to_owned()
                }
                ListNote::SelectedGone => t!("the selected row is no longer in this list").to_owned(),
            };
            return Some((text, Tone::Warning));
        }
        let has_more =
            |part: &ComparedPart| !part.is_whole && self.list.is_answered() && !self.list.is_empty();
        let more = self.part().filter(has_more).map(|_| {
            let text = t!(
                "Only loaded rows are compared. Going down from the last one loads {more} more.",
                more = narrowed::MORE
            );
            (text, Tone::Plain)
        });
        if self.list.is_empty() {
            return None;
        }
        if let Some(error) = self.pages().error() {
            return Some((error.to_string(), Tone::Error));
        }
        let selected = self.list.visible().find(|(place, _)| *place == self.list.cursor());
        if let Some((_, RowSlot::Entry(ListEntry::Unreadable(problem)))) = selected {
            // The row itself shows only the beginning of this text.
            return Some((unreadable(problem), Tone::Warning));
        }
        if let Some(said) = self.pages().disproved() {
            let text = t!(
                "the service reports {said} rows but repeats its last page: there are no more rows to read",
                said = number(said)
            );
            return Some((text, Tone::Warning));
        }
        let uncounted = (!self.pages().is_counted()).then(|| {
            (t!("the service's count is missing or too low; there may be more").to_owned(), Tone::Warning)
        });
        uncounted.or_else(|| self.aside.clone().map(|text| (text, Tone::Plain))).or(more)
    }

    /// The message as lines beside the counter, with room for its glyph. At most half of the area's height, so
    /// that rows stay visible.
    pub(super) fn foot_lines(&self, area: Rect) -> Vec<(String, Tone)> {
        let Some((text, tone)) = self.note() else { return Vec::new() };
        // A spinner may precede the counter.
        let room = usize::from(area.width).saturating_sub(width(&self.list.counter()) + 6);
        let text = if tone == Tone::Error { format!("  {text}") } else { text };
        let most = usize::from(area.height / 2).max(1);
        wrap(&text, room).into_iter().take(most).map(|line| (line, tone)).collect()
    }

    fn draw_foot(&self, frame: &mut Frame<'_>, area: Rect, note: Vec<(String, Tone)>, cx: &UiContext) {
        let mut lines: Vec<Line<'_>> = note
            .into_iter()
            .enumerate()
            .map(|(at, (text, tone))| match tone {
                Tone::Error if at == 0 => {
                    Line::styled(format!("  {} {}", cx.glyphs.alert, text.trim_start()), cx.theme.error())
                }
                Tone::Error => Line::styled(format!("  {text}"), cx.theme.error()),
                Tone::Plain => Line::styled(format!("  {text}"), cx.theme.dim()),
                Tone::Warning => Line::styled(format!("  {text}"), cx.theme.warning()),
            })
            .collect();
        let mut last = lines.pop().unwrap_or_default();
        if let Some(field) = &self.row_box {
            let mut spans = vec![Span::styled(format!("  {} ", t!("Go to row")), cx.theme.strong())];
            spans.extend(field.spans(14, true, cx));
            let key = |action| cx.key(&[KeyContext::Prompt, KeyContext::Always], action);
            let hint = t!("{enter} go  {esc} back", enter = key(Action::Accept), esc = key(Action::Back));
            spans.push(Span::styled(format!("  {hint}"), cx.theme.dim()));
            last = Line::from(spans);
        }
        let loading = if self.pages().is_loading() { format!("{} ", cx.spinner()) } else { String::new() };
        let right = Span::styled(format!("{loading}{}", self.list.counter()), cx.theme.dim());
        let above = u16::try_from(lines.len()).unwrap_or(0);
        frame.render_widget(lines, Rect { height: above.min(area.height), ..area });
        let foot = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
        two_sided(frame, foot, (last, right), true, cx);
    }
}

/// What a list draws for a row that it does not have.
fn stand_in<T>(place: &RowSlot<'_, T>, cx: &UiContext) -> (String, Style) {
    match place {
        RowSlot::Loading => (cx.busy(t!("reading")), cx.theme.dim()),
        RowSlot::Failed(error) => (cx.alert(t!("not read: {error}", error)), cx.theme.error()),
        RowSlot::Entry(ListEntry::Unreadable(problem)) => (cx.alert(unreadable(problem)), cx.theme.warning()),
        RowSlot::Entry(ListEntry::Double(other)) => (
            t!("same as row {row}: the list changed while it was read", row = number(other + 1)),
            cx.theme.warning(),
        ),
        RowSlot::Entry(_) => {
            let key = cx.key(&OF_LISTS, Action::First);
            let text = t!(
                "the service counts this row but did not return it: its count may be too high ({key} first row)",
                key
            );
            (text, cx.theme.warning())
        }
    }
}

/// When the index was read. Mail states and ends of validity of most badges are as old as the last full reading.
pub fn read_words(read_at: i64, full_at: Option<i64>, offset: Offset) -> String {
    let time = read_time(read_at, offset);
    match full_at.map(|at| read_time(at, offset)).filter(|full| *full != time) {
        Some(full) => t!("read {time}, in full {full}", time, full),
        None => t!("read {time}", time),
    }
}

fn read_time(at: i64, offset: Offset) -> String {
    let at = Timestamp::from_second(at).unwrap_or_default();
    offset.to_datetime(at).strftime("%m-%d %H:%M").to_string()
}

fn unreadable(problem: &RecordProblem) -> String {
    t!("the service's record {place} cannot be read: {why}", place = problem.place, why = problem.why)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Warning,
    Error,
}

pub(super) fn foot_height(note: &[(String, Tone)]) -> u16 {
    u16::try_from(note.len()).unwrap_or(u16::MAX).max(1)
}

/// The contexts of every list, after its own context.
const OF_LISTS: [KeyContext; 3] = [KeyContext::List, KeyContext::Global, KeyContext::Always];

/// Draws a line with another text at its right end. If both do not fit, the left text is cut if `right_stays`;
/// otherwise the right text is left out.
pub fn two_sided(
    frame: &mut Frame<'_>,
    area: Rect,
    (left, right): (Line<'_>, Span<'_>),
    right_stays: bool,
    cx: &UiContext,
) {
    let room = usize::from(area.width).saturating_sub(width(&right.content) + 1);
    if right_stays || line_width(&left) < room {
        let wide =
            u16::try_from(width(&right.content)).unwrap_or(area.width).min(area.width.saturating_sub(1));
        let split = area.width.saturating_sub(wide + 1);
        draw_cut(frame, Rect { width: split.saturating_sub(u16::from(wide > 0)), ..area }, left, cx);
        frame.render_widget(Line::from(right), Rect { x: area.x + split, width: wide, ..area });
    } else {
        draw_cut(frame, area, left, cx);
    }
}

fn draw_cut(frame: &mut Frame<'_>, area: Rect, line: Line<'_>, cx: &UiContext) {
    let is_cut = line_width(&line) > usize::from(area.width) && area.width > 0;
    let room = Rect { width: area.width - u16::from(is_cut), ..area };
    frame.render_widget(line, room);
    if is_cut {
        let end = Rect { x: room.right(), width: 1, ..area };
        frame.render_widget(Line::styled(cx.glyphs.ellipsis, cx.theme.dim()), end);
    }
}
