//! What every list does with keys, clicks and the screen.

use super::{ListRow, PagedList, RowSlot};
use crate::tui::input::list_hit::moved;
use crate::tui::prelude::*;

impl<T: ListRow> PagedList<T> {
    pub fn on_action(&mut self, action: Action) -> bool {
        let to_usize = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let (at, height) = (to_usize(self.cursor()), usize::from(self.height()));
        let to = moved(action, at, to_usize(self.last_place() + 1), height);
        if let Some(to) = to {
            self.move_to(to as u64);
        }
        to.is_some()
    }

    /// The place at a line of the screen. `rows` is the area of the rows in the last draw.
    pub fn place_at(&self, rows: Rect, line: u16) -> Option<u64> {
        let place = self.top() + u64::from(line.checked_sub(rows.y)?);
        (line < rows.bottom() && place < self.len()).then_some(place)
    }

    pub fn on_click(&mut self, rows: Rect, line: u16) -> bool {
        let place = self.place_at(rows, line);
        if let Some(place) = place {
            self.move_to(place);
        }
        place.is_some()
    }

    /// Empty if there are no rows.
    pub fn counter(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        t!("row {at} of {all}", at = number(self.cursor() + 1), all = number(self.len()))
    }

    pub fn rows_built(&self) -> u64 {
        self.built.get()
    }

    /// Draws the visible rows. `spans` builds the row at a place without its cursor.
    pub fn draw_rows(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
        spans: impl Fn(u64, RowSlot<'_, T>) -> Vec<Span<'static>>,
    ) {
        self.built.set(0);
        for (y, (place, row)) in (area.y..area.bottom()).zip(self.visible()) {
            self.built.set(self.built.get() + 1);
            draw_row(frame, Rect { y, height: 1, ..area }, place == self.cursor(), spans(place, row), cx);
        }
        draw_position(frame, area, self.top(), self.len(), cx);
    }

    /// Draws why there are no rows: `nothing` if there are none, `reading` while they are read. Returns false if
    /// there are rows.
    pub fn draw_empty(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        (nothing, reading): (&str, &str),
        cx: &UiContext,
    ) -> bool {
        let (text, style) = match self.error() {
            _ if !self.is_empty() => return false,
            Some(error) => (format!("{} {error}", cx.glyphs.alert), cx.theme.error()),
            None if self.is_answered() => (nothing.to_owned(), cx.theme.dim()),
            None => (format!("{} {reading}", cx.spinner()), cx.theme.dim()),
        };
        self.built.set(0);
        draw_texts(frame, area, &[text], style);
        true
    }
}

/// Draws which part of a list of `all` rows is visible, in the right edge. Nothing if all of it is.
pub fn draw_position(frame: &mut Frame<'_>, area: Rect, top: u64, all: u64, cx: &UiContext) {
    let height = u64::from(area.height);
    if all <= height || height < 3 {
        return;
    }
    let long = (height * height / all).clamp(1, height - 1);
    // The last position is reached at the end of the list only, and the first one at its beginning only.
    let (last, most) = (height - long, all - height);
    let at = match top {
        0 => 0,
        top if top >= most => last,
        top => (top * last / most).clamp(1.min(last), last.saturating_sub(1).max(1)),
    };
    let (first, long) = (u16::try_from(at).unwrap_or(0), u16::try_from(long).unwrap_or(1));
    let x = area.right().saturating_sub(1);
    for y in (area.y + first..area.bottom()).take(usize::from(long)) {
        let at = Rect { x, y, width: 1, height: 1 };
        frame.render_widget(Span::styled(cx.glyphs.position, cx.theme.dim()), at);
    }
}

pub fn draw_row(frame: &mut Frame<'_>, area: Rect, selected: bool, row: Vec<Span<'static>>, cx: &UiContext) {
    frame.render_widget(std::iter::once(cx.cursor(selected)).chain(row).collect::<Line<'_>>(), area);
    if selected {
        frame.buffer_mut().set_style(area, cx.theme.selected());
    }
}

pub fn draw_texts(frame: &mut Frame<'_>, area: Rect, texts: &[String], style: Style) {
    let room = usize::from(area.width).saturating_sub(4);
    let lines = texts.iter().flat_map(|text| wrap(text, room));
    let lines: Vec<Line<'_>> = lines.map(|line| Line::styled(format!("  {line}"), style)).collect();
    frame.render_widget(lines, area);
}
