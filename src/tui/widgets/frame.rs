//! Writes text into the cells of a frame.
//!
//! ratatui positions text after a cluster by its own width of that cluster. This module positions it after all
//! reserved cells, which are blank.

use crate::tui::platform::cells::{cluster, clusters};
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::line_width;
use ratatui::buffer::Cell;
use ratatui::layout::Alignment;
use ratatui::widgets::Clear;
use std::ops::Range;

pub struct Frame<'a> {
    buffer: &'a mut Buffer,
}

impl<'a> Frame<'a> {
    pub fn new(buffer: &'a mut Buffer) -> Self {
        Self { buffer }
    }

    pub fn area(&self) -> Rect {
        self.buffer.area
    }

    pub fn buffer_mut(&mut self) -> &mut Buffer {
        self.buffer
    }

    /// Cuts off the part of `area` that is outside the frame.
    pub fn render_widget(&mut self, widget: impl Drawn, area: Rect) {
        let area = area.intersection(self.buffer.area);
        if !area.is_empty() {
            widget.draw(area, self.buffer);
        }
    }
}

/// The text of a buffer, line by line. Cells behind a wide cluster have no text of their own, and cells of a picture
/// none at all.
pub fn text_of(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in buffer.area.rows() {
        let mut line = String::new();
        let mut x = row.x;
        while x < row.right() {
            let symbol = buffer[(x, row.y)].symbol();
            let is_picture = symbol.chars().any(|c| c.is_control() || c > '\u{f0000}');
            line.push_str(if is_picture { " " } else { symbol });
            x += u16::try_from(width(symbol)).unwrap_or(1).max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A widget that can be drawn into a part of a frame. The area is not empty.
pub trait Drawn {
    fn draw(self, area: Rect, buffer: &mut Buffer);
}

impl Drawn for Clear {
    fn draw(self, area: Rect, buffer: &mut Buffer) {
        for y in area.rows() {
            part(buffer, y.x, y.y);
            part(buffer, y.right(), y.y);
        }
        ratatui::widgets::Widget::render(self, area, buffer);
    }
}

impl Drawn for Vec<Line<'_>> {
    fn draw(self, area: Rect, buffer: &mut Buffer) {
        for (line, area) in self.into_iter().zip(area.rows()) {
            line.draw(area, buffer);
        }
    }
}

impl Drawn for Line<'_> {
    fn draw(self, area: Rect, buffer: &mut Buffer) {
        put_line(&self, Rect { height: 1, ..area }, buffer);
    }
}

impl Drawn for Span<'_> {
    fn draw(self, area: Rect, buffer: &mut Buffer) {
        part(buffer, area.x, area.y);
        put(&self.content, self.style, Rect { height: 1, ..area }, buffer);
    }
}

/// Draws a line. If there is not enough room, its end is cut, for every alignment.
fn put_line(line: &Line<'_>, area: Rect, buffer: &mut Buffer) {
    if line.spans.iter().all(|span| span.content.is_empty()) {
        return;
    }
    if line.style != Style::default() {
        buffer.set_style(area, line.style);
    }
    let spare = || area.width.saturating_sub(u16::try_from(line_width(line)).unwrap_or(u16::MAX));
    let mut x = area.x
        + match line.alignment {
            Some(Alignment::Center) => spare() / 2,
            Some(Alignment::Right) => spare(),
            Some(Alignment::Left) | None => 0,
        };
    part(buffer, x, area.y);
    for span in &line.spans {
        let room = Rect { x, width: area.right().saturating_sub(x), ..area };
        x = put(&span.content, line.style.patch(span.style), room, buffer);
        if x >= area.right() {
            break;
        }
    }
}

/// Writes a text into a row of cells, cluster by cluster, until the next one has no room. Returns the column behind the
/// text, or the end of the area for a text that was cut.
fn put(text: &str, style: Style, area: Rect, buffer: &mut Buffer) -> u16 {
    let (mut x, y) = (area.x, area.y);
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        let end = area.right().min(x.saturating_add(u16::try_from(text.len()).unwrap_or(u16::MAX)));
        for (cell, byte) in cells_of(buffer, x..end, y).iter_mut().zip(text.bytes()) {
            cell.set_char(char::from(byte)).set_style(style);
        }
        return end;
    }
    for cluster in clusters(text).filter(|cluster| cluster.cells > 0) {
        // A row cannot hold a line break.
        if cluster.text.contains(char::is_control) {
            continue;
        }
        let end = x.saturating_add(u16::try_from(cluster.cells).unwrap_or(u16::MAX));
        if end > area.right() {
            return area.right();
        }
        for (at, cell) in cells_of(buffer, x..end, y).iter_mut().enumerate() {
            cell.set_symbol(if at == 0 { &cluster.text } else { " " }).set_style(style);
        }
        x = end;
    }
    x
}

/// Cells of a row, which are in the frame.
fn cells_of(buffer: &mut Buffer, columns: Range<u16>, row: u16) -> &mut [Cell] {
    if columns.is_empty() || !buffer.area.contains(Position { x: columns.start, y: row }) {
        return &mut [];
    }
    let from = buffer.index_of(columns.start, row);
    buffer.content.get_mut(from..from + columns.len()).unwrap_or_default()
}

/// Removes a cluster that reaches into this cell from the left, because half of it is overwritten.
fn part(buffer: &mut Buffer, x: u16, y: u16) {
    for left in (x.saturating_sub(8)..x).rev() {
        let Some(cell) = buffer.cell_mut((left, y)) else { return };
        if cell.symbol() == " " {
            continue;
        }
        let reaches = cell.symbol().len() > 1
            && !cell.symbol().contains('\u{1b}')
            && usize::from(x - left) < cluster(cell.symbol()).cells;
        if reaches {
            cell.set_symbol(" ");
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Modifier, Stylize};

    impl Drawn for &str {
        fn draw(self, area: Rect, buffer: &mut Buffer) {
            Span::raw(self).draw(area, buffer);
        }
    }

    fn row(buffer: &Buffer) -> Vec<&str> {
        buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    fn frame(columns: u16, draw: impl FnOnce(&mut Frame<'_>)) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, 1));
        draw(&mut Frame { buffer: &mut buffer });
        buffer
    }

    #[test]
    fn text_after_a_wide_cluster_begins_behind_all_its_cells() {
        let area = Rect::new(0, 0, 8, 1);
        let buffer = frame(8, |frame| frame.render_widget(Line::from(vec!["காx".into(), "한y".red()]), area));
        assert_eq!(row(&buffer), ["கா", " ", "x", "한", " ", "y", " ", " "]);
        let buffer = frame(8, |frame| frame.render_widget("🇰🇷👩\u{200d}👧a", area));
        assert_eq!(row(&buffer), ["K", "R", "👩", " ", "a", " ", " ", " "]);
        // The cells after it have its style.
        let buffer = frame(8, |frame| frame.render_widget(Span::from("கா").reversed(), area));
        assert!(buffer[(1, 0)].modifier.contains(Modifier::REVERSED));
    }

    #[test]
    fn a_cluster_is_there_whole_or_not_at_all() {
        let area = Rect::new(0, 0, 3, 1);
        assert_eq!(row(&frame(3, |f| f.render_widget("aகாb", area))), ["a", "கா", " "]);
        assert_eq!(row(&frame(3, |f| f.render_widget("abகா", area))), ["a", "b", " "]);
        let right = Line::from("காb").right_aligned();
        assert_eq!(row(&frame(4, |f| f.render_widget(right, Rect::new(0, 0, 4, 1)))), [" ", "கா", " ", "b"]);
        // Text over half of a cluster removes the whole cluster.
        let over = frame(4, |f| {
            f.render_widget("한கா", Rect::new(0, 0, 4, 1));
            f.render_widget("xy", Rect::new(1, 0, 2, 1));
        });
        assert_eq!(row(&over), [" ", "x", "y", " "]);
        let cleared = frame(4, |f| {
            f.render_widget("한கா", Rect::new(0, 0, 4, 1));
            f.render_widget(Clear, Rect::new(1, 0, 2, 1));
        });
        assert_eq!(row(&cleared), [" ", " ", " ", " "]);
    }
}
