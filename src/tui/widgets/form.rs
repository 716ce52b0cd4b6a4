//! The text of a form: heading, fields, notes and keys, fitted to the width. In small windows a text that is cut is
//! marked as cut.

use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::line_width;

/// Cells between the operation and its target.
const GAP: usize = 3;
/// Cells on both sides of the text.
const MARGINS: usize = 4;
/// Maximum number of lines of a heading, and for the environment and the organisation.
pub const HEADING: usize = 2;

/// The lines of a form, with a margin of two cells on both sides.
pub struct FormText<'e> {
    cx: &'e UiContext,
    room: usize,
    lines: Vec<Line<'static>>,
    focused: Option<usize>,
}

impl<'e> FormText<'e> {
    pub fn new(area: Rect, cx: &'e UiContext) -> Self {
        Self { cx, room: usize::from(area.width).saturating_sub(MARGINS), lines: Vec::new(), focused: None }
    }

    pub fn in_popup(area: Rect, cx: &'e UiContext) -> Self {
        Self::new(popup::inside(area, popup::FORM), cx)
    }

    pub fn room(&self) -> usize {
        self.room
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    /// The heading of a form: operation and target. Both share a line if they fit; otherwise the target follows
    /// below.
    pub fn head(&mut self, what: &str, place: &str) {
        let (strong, accent) = (self.cx.theme.strong(), self.cx.theme.accent());
        if width(what) + GAP + width(place) <= self.room {
            self.lines.push(Line::from(vec![
                Span::styled(format!("  {what}"), strong),
                Span::styled(format!("{}{place}", " ".repeat(GAP)), accent),
            ]));
        } else {
            self.text(what, strong);
            self.text(place, accent);
        }
    }

    /// The first lines of a confirmation: the operation with its number, and the environment. Only their ends are cut.
    pub fn asks(&mut self, what: &str, place: &str, cx: &UiContext) {
        self.heading(what, cx.theme.strong());
        self.heading(place, cx.theme.accent());
    }

    /// A text with a name that may be long, on few lines. Only its end is cut.
    pub fn heading(&mut self, text: &str, style: Style) {
        for line in wrapped(text, self.room, HEADING, self.cx) {
            self.text(&line, style);
        }
    }

    pub fn blank(&mut self) {
        self.lines.push(Line::raw(""));
    }

    pub fn line(&mut self, line: Line<'static>) {
        self.lines.push(line);
    }

    pub fn extend(&mut self, lines: impl IntoIterator<Item = Line<'static>>) {
        self.lines.extend(lines);
    }

    pub fn text(&mut self, text: &str, style: Style) {
        self.lines
            .extend(wrap(text, self.room).into_iter().map(|line| Line::styled(format!("  {line}"), style)));
    }

    /// An explanation, and the hints after it. Two spaces precede each hint, which is not broken.
    pub fn dim(&mut self, text: &str) {
        let mut lines: Vec<String> = Vec::new();
        for part in text.split("  ") {
            match lines.last_mut() {
                Some(last) if width(last) + 2 + width(part) <= self.room => last.extend(["  ", part]),
                _ => lines.extend(wrap(part, self.room)),
            }
        }
        let style = self.cx.theme.dim();
        self.lines.extend(lines.into_iter().map(|line| Line::styled(format!("  {line}"), style)));
    }

    pub fn cut(&mut self, text: &str, style: Style) {
        self.lines.push(Line::styled(format!("  {}", fit(text, self.room, self.cx.glyphs.ellipsis)), style));
    }

    pub fn warning(&mut self, text: &str) {
        self.text(&format!("{} {text}", self.cx.glyphs.alert), self.cx.theme.warning());
    }

    pub fn error(&mut self, text: &str) {
        self.text(&format!("{} {text}", self.cx.glyphs.alert), self.cx.theme.error());
    }

    pub fn busy(&mut self, text: &str) {
        self.dim(&format!("{} {text}", self.cx.spinner()));
    }

    /// A label and an input. `input` gets the cells that are left for it.
    pub fn labelled(&mut self, label: &str, focused: bool, input: impl FnOnce(usize) -> Vec<Span<'static>>) {
        let style = if focused { self.cx.theme.strong() } else { self.cx.theme.dim() };
        let mut spans = vec![Span::styled(format!("  {label} "), style), self.cx.cursor(focused)];
        spans.extend(input(self.room.saturating_sub(width(label) + 3)));
        if focused {
            self.focused = Some(self.lines.len());
        }
        self.lines.push(Line::from(spans));
    }

    pub fn field(&mut self, label: &str, field: &TextField, focused: bool) {
        let cx = self.cx;
        self.labelled(label, focused, |columns| field.spans(columns, focused, cx));
    }

    pub fn choice(&mut self, words: &str, chosen: bool) {
        let cx = self.cx;
        let (sign, style) =
            if chosen { (cx.glyphs.on, cx.theme.strong()) } else { (cx.glyphs.off, cx.theme.dim()) };
        self.cut(&format!("{sign} {words}"), style);
    }

    /// Draws the form. Where it is too high for the area, see [`squeezed`].
    pub fn draw(self, frame: &mut Frame<'_>, area: Rect) {
        let lines = squeezed(self.lines, area.height, self.cx);
        frame.render_widget(lines, area);
    }

    /// Draws a form with many fields. Where it is too high for the area, the focused field is in sight, or with `to_end`
    /// what follows the fields.
    pub fn draw_scrolled(mut self, frame: &mut Frame<'_>, area: Rect, to_end: bool) {
        let (rows, all) = (usize::from(area.height), self.lines.len());
        let last = all.saturating_sub(rows);
        // The line below the focused field may say how many lines are missing.
        let to_focus = self.focused.map_or(0, |at| (at + 2).saturating_sub(rows)).min(last);
        self.lines.drain(..if to_end { last } else { to_focus });
        frame.render_widget(cut_to(self.lines, rows, self.cx), area);
    }

    /// Draws the form as a popup at the bottom of the screen. Begin it with [`FormText::in_popup`].
    pub fn draw_popup(self, frame: &mut Frame<'_>, area: Rect, title: &str) {
        let outer = popup::at_bottom(area, popup::FORM, self.lines.len());
        let inner = popup::open(frame, outer, area, title, self.cx);
        self.draw(frame, inner);
    }
}

/// Wraps text into at most `most` lines. If it is longer, the last line ends with an ellipsis.
pub fn wrapped(text: &str, room: usize, most: usize, cx: &UiContext) -> Vec<String> {
    let mut lines = wrap(text, room);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(fit(&rest, room, cx.glyphs.ellipsis).trim_end().to_owned());
    }
    lines
}

/// Reduces the lines to `rows`. Empty lines are dropped first, from the bottom up. If that is not enough, the last
/// line says how many lines are missing.
pub fn squeezed(mut lines: Vec<Line<'static>>, rows: u16, cx: &UiContext) -> Vec<Line<'static>> {
    let rows = usize::from(rows);
    while lines.len() > rows {
        let Some(empty) = lines.iter().rposition(|line| line_width(line) == 0) else { break };
        lines.remove(empty);
    }
    cut_to(lines, rows, cx)
}

/// The first lines. If there are more, the last of them says how many are missing.
fn cut_to(mut lines: Vec<Line<'static>>, rows: usize, cx: &UiContext) -> Vec<Line<'static>> {
    if lines.len() > rows && rows > 0 {
        let left = lines.len() - rows + 1;
        lines.truncate(rows - 1);
        let text = t!("{left} more lines: enlarge the window", left);
        lines.push(Line::styled(format!("  {text}"), cx.theme.dim()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line<'_>]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_place_that_does_not_fit_beside_has_its_own_line() {
        let cx = UiContext::for_test();
        let head = |columns| {
            let mut form = FormText::new(Rect::new(0, 0, columns, 9), &cx);
            form.head("Revoke 2 badges", "DEMO 기관");
            texts(&form.into_lines())
        };
        assert_eq!(head(31), ["  Revoke 2 badges   DEMO 기관"]);
        assert_eq!(head(30), ["  Revoke 2 badges", "  DEMO 기관"]);
    }

    #[test]
    fn text_that_is_too_long_ends_in_a_sign() {
        let cx = UiContext::for_test();
        assert_eq!(wrapped("one two three", 7, 2, &cx), ["one two", "three"]);
        let cut = wrapped("one two three four five", 7, 2, &cx);
        assert_eq!((cut.len(), cut[0].as_str()), (2, "one two"));
        assert!(cut[1].ends_with(cx.glyphs.ellipsis), "{cut:?}");
    }

    #[test]
    fn a_hint_is_not_broken() {
        let cx = UiContext::for_test();
        let dim = |columns| {
            let mut form = FormText::new(Rect::new(0, 0, columns, 9), &cx);
            form.dim("Nothing is sent.  ⏎ open the file  esc back");
            texts(&form.into_lines())
        };
        assert_eq!(dim(48), ["  Nothing is sent.  ⏎ open the file  esc back"]);
        assert_eq!(dim(38), ["  Nothing is sent.  ⏎ open the file", "  esc back"]);
        assert_eq!(dim(30), ["  Nothing is sent.", "  ⏎ open the file  esc back"]);
        assert_eq!(dim(14), ["  Nothing is", "  sent.", "  ⏎ open the", "  file", "  esc back"]);
    }

    #[test]
    fn empty_lines_go_before_text_does() {
        let cx = UiContext::for_test();
        let lines = || ["a", "", "b", "", "c"].map(Line::raw).to_vec();
        assert_eq!(texts(&squeezed(lines(), 5, &cx)), ["a", "", "b", "", "c"]);
        assert_eq!(texts(&squeezed(lines(), 4, &cx)), ["a", "", "b", "c"]);
        assert_eq!(texts(&squeezed(lines(), 2, &cx)), ["a", "  2 more lines: enlarge the window"]);
        assert!(squeezed(lines(), 0, &cx).len() <= 3);
    }
}
