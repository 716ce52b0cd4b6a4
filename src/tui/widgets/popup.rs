//! The frame of a popup: a component over the list that it is about.

use crate::tui::prelude::*;
use ratatui::widgets::Clear;

/// Minimum height of the area in rows for a frame around the popup.
const FRAMED: u16 = 9;

/// Rows or columns that the frame takes on each side.
pub fn edge(area: Rect) -> u16 {
    u16::from(area.height >= FRAMED)
}

/// Maximum width of a form in a popup, in columns.
pub const FORM: u16 = 100;

/// The widest popup: centred, and as wide as the area up to `most` columns.
pub fn centred(area: Rect, most: u16) -> Rect {
    let width = area.width.min(most);
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// The area of a popup with this number of rows inside, at the bottom of `area`.
pub fn at_bottom(area: Rect, most: u16, rows: usize) -> Rect {
    let around = 2 * edge(area);
    let rows = u16::try_from(rows).unwrap_or(area.height).min(area.height.saturating_sub(around)) + around;
    Rect { y: area.bottom() - rows, height: rows, ..centred(area, most) }
}

pub fn inside(area: Rect, most: u16) -> Rect {
    let (edge, outer) = (edge(area), centred(area, most));
    Rect { x: outer.x + edge, width: outer.width.saturating_sub(2 * edge), ..outer }
}

/// Clears a popup, draws its frame with a title in the upper edge, and returns the area inside.
pub fn open(frame: &mut Frame<'_>, outer: Rect, area: Rect, title: &str, cx: &UiContext) -> Rect {
    frame.render_widget(Clear, outer);
    let edge = edge(area);
    if edge == 0 {
        return outer;
    }
    let [top_left, top_right, bottom_left, bottom_right, side] = cx.glyphs.frame;
    let room = usize::from(outer.width).saturating_sub(2);
    let rule = cx.glyphs.rule.repeat(room);
    let between = format!("{side}{}{side}", " ".repeat(room));
    let dim = cx.theme.dim();
    let mut sides = vec![Line::styled(between, dim); usize::from(outer.height)];
    if let [first, .., last] = sides.as_mut_slice() {
        *first = Line::styled(format!("{top_left}{rule}{top_right}"), dim);
        *last = Line::styled(format!("{bottom_left}{rule}{bottom_right}"), dim);
    }
    frame.render_widget(sides, outer);
    if !title.is_empty() {
        let title = fit(title, width(title).min(room.saturating_sub(4)), cx.glyphs.ellipsis);
        let wide = u16::try_from(width(&title) + 2).unwrap_or(outer.width);
        let at = Rect { x: outer.x + 2, width: wide, height: 1, ..outer };
        frame.render_widget(Span::styled(format!(" {title} "), cx.theme.strong()), at);
    }
    let inner = Rect {
        x: outer.x + edge,
        y: outer.y + edge,
        width: outer.width.saturating_sub(2 * edge),
        height: outer.height.saturating_sub(2 * edge),
    };
    frame.render_widget(Clear, inner);
    inner
}
