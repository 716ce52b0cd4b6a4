//! The text of a form: heading, fields, notes and keys, fitted to the width. In small windows a text that is cut is
//! marked as cut.

use crate::tui::context::UiContext;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::popup;
use crate::tui::widgets::text_layout::{fit, line_width, width, wrap};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Cells between the operation and its target.
const GAP: usize = 3;
/// Cells on both sides of the text.
const MARGINS: usize = 4;
/// Maximum number of lines for the environment and the organisation.
const PLACE: usize = 2;

/// The lines of a form, with a margin of two cells on both sides.
pub struct FormText<'e> {
    env: &'e UiContext,
    room: usize,
    lines: Vec<Line<'static>>,
}

impl<'e> FormText<'e> {
    pub fn new(area: Rect, env: &'e UiContext) -> Self {
        Self { env, room: usize::from(area.width).saturating_sub(MARGINS), lines: Vec::new() }
    }

    pub fn in_popup(area: Rect, env: &'e UiContext) -> Self {
        Self::new(popup::inside(area, popup::FORM), env)
    }

    /// The width without margins, in cells.
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
        let (strong, accent) = (self.env.theme.strong(), self.env.theme.accent());
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
    pub fn asks(&mut self, what: &str, place: &str, env: &UiContext) {
        self.cut(what, env.theme.strong());
        for line in wrapped(place, self.room, PLACE, env) {
            self.text(&line, env.theme.accent());
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

    /// Text that is wrapped.
    pub fn text(&mut self, text: &str, style: Style) {
        self.lines
            .extend(wrap(text, self.room).into_iter().map(|line| Line::styled(format!("  {line}"), style)));
    }

    pub fn dim(&mut self, text: &str) {
        self.text(text, self.env.theme.dim());
    }

    /// One line of text, cut if it is too long.
    pub fn cut(&mut self, text: &str, style: Style) {
        self.lines.push(Line::styled(format!("  {}", fit(text, self.room, self.env.glyphs.ellipsis)), style));
    }

    pub fn warning(&mut self, text: &str) {
        self.text(&format!("{} {text}", self.env.glyphs.alert), self.env.theme.warning());
    }

    pub fn error(&mut self, text: &str) {
        self.text(&format!("{} {text}", self.env.glyphs.alert), self.env.theme.error());
    }

    pub fn busy(&mut self, text: &str) {
        self.dim(&format!("{} {text}", self.env.spinner()));
    }

    /// A label and an input. `input` gets the cells that are left for it.
    pub fn labelled(&mut self, label: &str, focused: bool, input: impl FnOnce(usize) -> Vec<Span<'static>>) {
        let (theme, glyphs) = (&self.env.theme, &self.env.glyphs);
        let style = if focused { theme.strong() } else { theme.dim() };
        let cursor = if focused { glyphs.cursor } else { " " };
        let mut spans =
            vec![Span::styled(format!("  {label} "), style), Span::styled(cursor, theme.accent())];
        spans.extend(input(self.room.saturating_sub(width(label) + 3)));
        self.lines.push(Line::from(spans));
    }

    pub fn field(&mut self, label: &str, field: &TextField, focused: bool) {
        let env = self.env;
        self.labelled(label, focused, |columns| field.spans(columns, focused, env));
    }

    pub fn choice(&mut self, words: &str, chosen: bool) {
        let env = self.env;
        let (sign, style) =
            if chosen { (env.glyphs.on, env.theme.strong()) } else { (env.glyphs.off, env.theme.dim()) };
        self.cut(&format!("{sign} {words}"), style);
    }

    /// Draws the form. Where it is too high for the area, see [`squeezed`].
    pub fn draw(self, frame: &mut Frame<'_>, area: Rect) {
        let lines = squeezed(self.lines, area.height, self.env);
        frame.render_widget(Text::from(lines), area);
    }

    /// Draws the form as a popup at the bottom of the screen. Begin it with [`FormText::in_popup`].
    pub fn draw_popup(self, frame: &mut Frame<'_>, area: Rect, title: &str) {
        let outer = popup::at_bottom(area, popup::FORM, self.lines.len());
        let inner = popup::open(frame, outer, area, title, self.env);
        self.draw(frame, inner);
    }
}

/// Wraps text into at most `most` lines. If it is longer, the last line ends with an ellipsis.
pub fn wrapped(text: &str, room: usize, most: usize, env: &UiContext) -> Vec<String> {
    let mut lines = wrap(text, room);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(fit(&rest, room, env.glyphs.ellipsis).trim_end().to_owned());
    }
    lines
}

/// Reduces the lines to `rows`. Empty lines are dropped first, from the bottom up. If that is not enough, the last
/// line says how many lines are missing.
pub fn squeezed(mut lines: Vec<Line<'static>>, rows: u16, env: &UiContext) -> Vec<Line<'static>> {
    let rows = usize::from(rows);
    while lines.len() > rows {
        let Some(empty) = lines.iter().rposition(|line| line_width(line) == 0) else { break };
        lines.remove(empty);
    }
    if lines.len() > rows && rows > 0 {
        let left = lines.len() - rows + 1;
        lines.truncate(rows - 1);
        let text = t!("{left} more lines: enlarge the window", left);
        lines.push(Line::styled(format!("  {text}"), env.theme.dim()));
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
        let env = UiContext::for_test();
        let head = |columns| {
            let mut form = FormText::new(Rect::new(0, 0, columns, 9), &env);
            form.head("Revoke 2 badges", "DEMO 기관");
            texts(&form.into_lines())
        };
        assert_eq!(head(31), ["  Revoke 2 badges   DEMO 기관"]);
        assert_eq!(head(30), ["  Revoke 2 badges", "  DEMO 기관"]);
    }

    #[test]
    fn text_that_is_too_long_ends_in_a_sign() {
        let env = UiContext::for_test();
        assert_eq!(wrapped("one two three", 7, 2, &env), ["one two", "three"]);
        let cut = wrapped("one two three four five", 7, 2, &env);
        assert_eq!((cut.len(), cut[0].as_str()), (2, "one two"));
        assert!(cut[1].ends_with(env.glyphs.ellipsis), "{cut:?}");
    }

    #[test]
    fn empty_lines_go_before_text_does() {
        let env = UiContext::for_test();
        let lines = || ["a", "", "b", "", "c"].map(Line::raw).to_vec();
        assert_eq!(texts(&squeezed(lines(), 5, &env)), ["a", "", "b", "", "c"]);
        assert_eq!(texts(&squeezed(lines(), 4, &env)), ["a", "", "b", "c"]);
        assert_eq!(texts(&squeezed(lines(), 2, &env)), ["a", "  2 more lines: enlarge the window"]);
        assert!(squeezed(lines(), 0, &env).len() <= 3);
    }
}
