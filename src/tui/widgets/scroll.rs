//! The position in a text that is longer than its area. Keys move it by lines and pages.

use crate::tui::input::list_hit::moved;
use crate::tui::prelude::*;
use std::cell::Cell;
use std::ops::Range;

/// Drawing code lays out the text here, so keys move by the lines that were drawn.
#[derive(Debug, Default)]
pub struct Scroll {
    top: usize,
    lines: Cell<usize>,
    height: Cell<usize>,
}

impl Scroll {
    pub fn go_to(&mut self, top: usize) {
        self.top = top;
    }

    pub fn reset(&mut self) {
        self.top = 0;
    }

    /// Handles the keys that move in a list or scroll a preview. Returns false for other actions.
    pub fn on_action(&mut self, action: Action) -> bool {
        let action = match action {
            Action::PreviewDown => Action::PageDown,
            Action::PreviewUp => Action::PageUp,
            action => action,
        };
        let to = moved(action, self.shown().start, self.last_top() + 1, self.height.get());
        self.top = to.unwrap_or(self.top);
        to.is_some()
    }

    /// Whether not all lines fit.
    pub fn is_long(&self) -> bool {
        self.last_top() > 0
    }

    fn last_top(&self) -> usize {
        self.lines.get().saturating_sub(self.height.get())
    }

    /// The lines on the screen. The text may be shorter than before.
    pub fn shown(&self) -> Range<usize> {
        let top = self.top.min(self.last_top());
        top..self.lines.get().min(top + self.height.get())
    }

    /// Returns the lines to draw of a text of so many lines, in so many rows.
    pub fn lay(&self, lines: usize, height: usize) -> Range<usize> {
        self.lines.set(lines);
        self.height.set(height);
        self.shown()
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
        // The last row is for the note, unless it is the only one.
        let all = usize::from(area.height);
        let rows = if lines.len() > all && all > 1 { all - 1 } else { all };
        let shown = self.lay(lines.len(), rows);
        let below = lines.len() - shown.end;
        lines.truncate(shown.end);
        lines.drain(..shown.start);
        if rows < all {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_by_lines_and_pages_and_stop_at_the_ends() {
        let mut scroll = Scroll::default();
        assert!(scroll.on_action(Action::PageDown) && scroll.shown() == (0..0), "nothing was drawn");
        scroll.lay(20, 4);
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
            assert!(scroll.on_action(action), "{action:?}");
            assert_eq!(scroll.shown(), top..top + 4, "{action:?}");
        }
        assert!(!scroll.on_action(Action::Accept));
    }

    #[test]
    fn a_text_that_became_shorter_is_shown_to_its_end_and_scrolls_from_there() {
        let mut scroll = Scroll::default();
        scroll.lay(20, 4);
        scroll.on_action(Action::Last);
        assert_eq!(scroll.lay(9, 4), 5..9);
        scroll.on_action(Action::Up);
        assert_eq!(scroll.shown(), 4..8);
        scroll.go_to(7);
        assert_eq!(scroll.lay(9, 4), 5..9, "beyond the end");
        for (lines, height) in [(0, 0), (0, 5), (5, 5), (3, 5)] {
            scroll.on_action(Action::Last);
            assert_eq!(scroll.lay(lines, height), 0..lines);
            assert!(!scroll.is_long(), "{lines} {height}");
        }
        assert!(scroll.lay(9, 0).is_empty() && scroll.is_long(), "an area without rows");
    }

    #[test]
    fn every_line_can_be_scrolled_to_and_nothing_is_cut_without_a_note() {
        let cx = UiContext::for_test();
        let text: Vec<Line<'static>> = (1..=23).map(|line| Line::raw(format!("line {line} "))).collect();
        for height in [1, 2, 6, 22, 23] {
            let area = Rect::new(0, 0, 30, height);
            let (mut scroll, mut seen) = (Scroll::default(), Vec::new());
            for _ in 0..30 {
                let mut buffer = Buffer::empty(area);
                scroll.draw(&mut Frame::new(&mut buffer), area, text.clone(), &[KeyContext::History], &cx);
                seen.push(format!("{buffer:?}"));
                scroll.on_action(Action::PreviewDown);
            }
            for line in 1..=23 {
                assert!(seen.iter().any(|shown| shown.contains(&format!("line {line} "))), "line {line}");
            }
            let (first, last) = (&seen[0], &seen[29]);
            assert_eq!(first.contains("more lines"), (2..23).contains(&height), "{first}");
            assert_eq!(last.contains("end of the preview"), (2..23).contains(&height), "{last}");
        }
    }
}
