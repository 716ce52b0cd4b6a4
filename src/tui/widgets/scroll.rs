//! The position in a text that is longer than its area. Keys move it by lines and pages.

use crate::tui::input::list_hit::moved;
use crate::tui::prelude::*;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Scroll {
    top: usize,
}

impl Scroll {
    /// The index of the first line shown.
    pub fn top(&self) -> usize {
        self.top
    }

    pub fn go_to(&mut self, top: usize) {
        self.top = top;
    }

    pub fn reset(&mut self) {
        self.top = 0;
    }

    /// Handles the keys that move in a list or scroll a preview. `height` is the height of the area. The position may
    /// be beyond the text until the next layout limits it. Returns false for other actions.
    pub fn on_action(&mut self, action: Action, height: impl Into<usize>) -> bool {
        let action = match action {
            Action::PreviewDown => Action::PageDown,
            Action::PreviewUp => Action::PageUp,
            action => action,
        };
        let to = moved(action, self.top, usize::MAX, height.into());
        self.top = to.unwrap_or(self.top);
        to.is_some()
    }

    /// Stays within the text, which may be shorter than before.
    pub fn limit(&mut self, lines: usize, height: impl Into<usize>) {
        self.top = self.shown(lines, height.into()).start;
    }

    /// As [`Scroll::limit`], for a text that [`Scroll::draw`] draws.
    pub fn limit_noted(&mut self, lines: usize, height: u16) {
        self.limit(lines, rows_beside_note(lines, height));
    }

    /// Whether the text is not at its beginning, so that [`Scroll::limit`] has something to do.
    pub fn is_scrolled(&self) -> bool {
        self.top > 0
    }

    pub fn shown(&self, lines: usize, height: usize) -> Range<usize> {
        let top = self.top.min(lines.saturating_sub(height));
        top..lines.min(top + height)
    }

    /// Draws the text. If it is longer than the area, the last line says how much is below, and which keys scroll.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        mut lines: Vec<Line<'static>>,
        keys: &[KeyContext],
        cx: &UiContext,
    ) {
        let rows = rows_beside_note(lines.len(), area.height);
        let shown = self.shown(lines.len(), rows);
        let below = lines.len() - shown.end;
        lines.truncate(shown.end);
        lines.drain(..shown.start);
        if rows < usize::from(area.height) {
            let key = |action| cx.key(keys, action);
            let (down, up) = (key(Action::PreviewDown), key(Action::PreviewUp));
            let text = match below {
                0 => t!("end of the preview: {up} scrolls up", up),
                _ => plural!(
                    below as u64,
                    "{n} more line: {down} {up} scroll",
                    "{n} more lines: {down} {up} scroll",
                    down,
                    up
                ),
            };
            let text = fit(&text, usize::from(area.width), cx.glyphs.ellipsis);
            lines.push(Line::styled(text, cx.theme.dim()));
        }
        frame.render_widget(lines, area);
    }
}

/// The rows of an area that show a text. If the text is too long, the last row is for the note.
fn rows_beside_note(lines: usize, height: u16) -> usize {
    let rows = usize::from(height);
    if lines > rows && rows > 1 { rows - 1 } else { rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_by_lines_and_pages_and_stop_at_the_ends() {
        let mut scroll = Scroll::default();
        for (action, top) in [
            (Action::Up, 0),
            (Action::Down, 1),
            (Action::PageDown, 4),
            (Action::PreviewDown, 7),
            (Action::PreviewUp, 4),
            (Action::Last, 16),
            (Action::Down, 16),
            (Action::PageDown, 16),
            (Action::PageUp, 13),
            (Action::First, 0),
            (Action::PageUp, 0),
        ] {
            assert!(scroll.on_action(action, 4_usize), "{action:?}");
            scroll.limit(20, 4_usize);
            assert_eq!((scroll.top(), scroll.is_scrolled()), (top, top > 0), "{action:?}");
        }
        assert!(!scroll.on_action(Action::Accept, 4_usize));
    }

    #[test]
    fn a_text_that_fits_or_is_empty_does_not_scroll() {
        let mut scroll = Scroll::default();
        for (lines, height) in [(0, 0), (0, 5), (5, 5), (3, 5)] {
            scroll.on_action(Action::Last, height);
            assert_eq!(scroll.shown(lines, height), 0..lines);
            scroll.limit(lines, height);
            assert!(!scroll.is_scrolled(), "{lines} {height}");
        }
        scroll.go_to(7);
        assert_eq!(scroll.shown(9, 0), 7..7, "an area without rows");
        assert_eq!(scroll.shown(9, 1), 7..8);
    }

    #[test]
    fn every_line_can_be_scrolled_to_and_nothing_is_cut_without_a_note() {
        let cx = UiContext::for_test();
        let area = Rect::new(0, 0, 30, 6);
        let text: Vec<Line<'static>> = (1..=23).map(|line| Line::raw(format!("line {line} "))).collect();
        let (mut scroll, mut seen) = (Scroll::default(), Vec::new());
        for _ in 0..20 {
            let mut buffer = Buffer::empty(area);
            scroll.draw(&mut Frame::new(&mut buffer), area, text.clone(), &[KeyContext::History], &cx);
            seen.push(format!("{buffer:?}"));
            scroll.on_action(Action::PreviewDown, area.height);
            scroll.limit_noted(text.len(), area.height);
        }
        for line in 1..=23 {
            assert!(seen.iter().any(|shown| shown.contains(&format!("line {line} "))), "line {line}");
        }
        assert!(seen[0].contains("18 more lines"), "{}", seen[0]);
        scroll.limit_noted(3, area.height);
        assert!(!scroll.is_scrolled(), "a shorter text starts at its beginning");
    }
}
