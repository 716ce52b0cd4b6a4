//! Draws the filter line with its suggestions, and the form.

use super::line::{Suggestion, values_with};
use super::value::read;
use super::{FilterBar, FilterField, FilterFieldKind, FilterView, OpenLine};
use crate::tui::prelude::*;
use crate::tui::widgets::preview;
use crate::tui::widgets::text_layout::{fit, width};
use ratatui::widgets::Clear;

/// Maximum number of lines below the filter line.
const POPUP: u16 = 9;
/// Maximum width of a suggestion, in cells.
const WIDEST: usize = 60;

impl FilterBar {
    fn per_row(columns: u16) -> usize {
        if columns >= 110 { 3 } else { 2 }
    }

    /// Lines of the form, with one for errors; 0 while it is closed. The line takes the place of the heading.
    pub fn height(&self, columns: u16) -> u16 {
        if self.view != FilterView::Form {
            return 0;
        }
        u16::try_from(self.specs.len().div_ceil(Self::per_row(columns))).unwrap_or(4) + 1
    }

    /// Draws the line at the top of `area`, and its suggestions or its mistake below it. At its right is the first
    /// of `rights` for which there is room. Below the form, draws the suggestions for its field.
    pub fn draw_over(&self, frame: &mut Frame<'_>, area: Rect, rights: &[&str], cx: &UiContext) {
        match (self.view, &self.line) {
            (FilterView::Line, Some(line)) => self.draw_line(line, frame, area, rights, cx),
            (FilterView::Form, _) => {
                let form = (1 + self.height(area.width)).min(area.height);
                let below = Rect { y: area.y + form, height: area.height - form, ..area };
                self.covered.set(Rect::default());
                self.draw_suggestions(None, &self.suggestions().1, frame, below, cx);
            }
            _ => {}
        }
    }

    fn draw_line(&self, line: &OpenLine, frame: &mut Frame<'_>, area: Rect, rights: &[&str], cx: &UiContext) {
        let theme = &cx.theme;
        let top = Rect { height: 1.min(area.height), ..area };
        frame.render_widget(Clear, top);
        let mut spans =
            vec![Span::styled("  /", theme.strong()), Span::styled(cx.glyphs.cursor, theme.accent())];
        let room = usize::from(area.width).saturating_sub(6);
        // The text that is typed goes first.
        let right = rights.iter().find(|text| width(text) <= room / 2).copied().unwrap_or_default();
        let room = room.saturating_sub(width(right) + 1);
        spans.extend(line.field.spans(room, true, cx));
        spans.push(Span::styled(format!(" {right}"), theme.dim()));
        frame.render_widget(Line::from(spans), top);
        let (_, found) = self.suggestions();
        let error = self.error.as_ref().filter(|_| found.is_empty() || line.wrong.is_some());
        self.covered.set(top);
        let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        self.draw_suggestions(error, &found, frame, below, cx);
    }

    /// Draws the suggestions at the top of an area, below a mistake.
    fn draw_suggestions(
        &self,
        error: Option<&String>,
        found: &[Suggestion],
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
    ) {
        let theme = &cx.theme;
        let errors = u16::from(error.is_some());
        let rows = u16::try_from(found.len()).unwrap_or(POPUP) + errors;
        let height = rows.min(POPUP).min(area.height);
        let below = Rect { height, ..area };
        if height > 0 {
            // The rule separates them from the rows of the list.
            let edge = Rect { y: below.bottom(), height: 1, ..area }.intersection(area);
            let covered = self.covered.get();
            let all = below.union(edge);
            self.covered.set(if covered.is_empty() { all } else { covered.union(all) });
            frame.render_widget(Clear, all);
            preview::draw_rule(frame, edge, cx);
        }
        let mut lines: Vec<Line<'static>> = Vec::new();
        lines.extend(error.map(|error| {
            let room = usize::from(area.width).saturating_sub(4);
            Line::styled(format!("    {}", fit(error, room, cx.glyphs.ellipsis)), theme.error())
        }));
        let list = Rect { y: below.y + errors, height: height.saturating_sub(errors), ..below };
        let at = self.chosen().unwrap_or(0);
        let (shown, rest) = self.sight.lay_all(list, at..=at, found.len(), cx);
        let words = found.iter().map(|one| width(&scrub(&one.word))).max().unwrap_or(0).min(WIDEST) + 2;
        for (at, one) in found.iter().enumerate().skip(shown.start).take(shown.len()) {
            let chosen = self.chosen() == Some(at);
            let room = usize::from(area.width).saturating_sub(words + 5);
            lines.push(Line::from(vec![
                Span::raw("   "),
                cx.cursor(chosen),
                Span::styled(fit(&scrub(&one.word), words, cx.glyphs.ellipsis), theme.entry(chosen)),
                Span::styled(fit(&scrub(&one.note), room.min(WIDEST), cx.glyphs.ellipsis), theme.dim()),
            ]));
        }
        lines.extend(rest);
        frame.render_widget(lines, below);
    }

    pub fn draw_form(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let per_row = Self::per_row(area.width);
        let cell = usize::from(area.width.saturating_sub(2)) / per_row;
        let label = self.specs.iter().map(|s| width(tr(s.label))).max().unwrap_or(0);
        for (row, chunk) in self.specs.chunks(per_row).enumerate() {
            let mut spans = vec![Span::raw("  ")];
            for (i, spec) in chunk.iter().enumerate() {
                let at = row * per_row + i;
                let focused = at == self.focus.at;
                let style = if focused { cx.theme.strong() } else { cx.theme.dim() };
                spans.push(Span::styled(fit(tr(spec.label), label, cx.glyphs.ellipsis), style));
                spans.push(cx.cursor(focused));
                let room = cell.saturating_sub(label + 3);
                if self.fields[at].value().is_empty() && !focused {
                    let hint = self.hint(*spec);
                    spans.push(Span::styled(fit(&hint, room, cx.glyphs.ellipsis), cx.theme.dim()));
                } else {
                    spans.extend(self.fields[at].spans(room, focused, cx));
                }
                spans.push(Span::raw("  "));
            }
            let Ok(row) = u16::try_from(row) else { break };
            if row + 1 < area.height {
                frame.render_widget(Line::from(spans), Rect { y: area.y + row, height: 1, ..area });
            }
        }
        if area.height > 0 {
            let last = Rect { y: area.y + area.height - 1, height: 1, ..area };
            // What is typed may still become one of the suggestions.
            let (spec, typed) = (self.specs[self.focus.at], self.fields[self.focus.at].value());
            let is_unfinished =
                || read(spec, typed, &self.known).is_err() && !self.suggestions().1.is_empty();
            let line = match self.error.as_ref().filter(|_| !is_unfinished()) {
                Some(error) => Line::styled(format!("  {error}"), cx.theme.error()),
                None => Line::raw(""),
            };
            frame.render_widget(line, last);
        }
    }

    fn hint(&self, spec: FilterField) -> String {
        let text = match spec.takes {
            FilterFieldKind::Text | FilterFieldKind::Mail => "",
            FilterFieldKind::Category => t!("name or id"),
            FilterFieldKind::Template => t!("title or id"),
            FilterFieldKind::Date => "YYYY-MM-DD",
            FilterFieldKind::YesNo => t!("Y or N"),
            FilterFieldKind::BadgeType => {
                let names = values_with(spec, "", &self.known).take(2).map(|one| one.word);
                return format!("{} ...", list(names));
            }
            FilterFieldKind::State => t!("Waiting, Issued ..."),
        };
        text.to_owned()
    }
}
