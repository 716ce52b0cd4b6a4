//! The help: the keys of the screen it was opened on, made from the keymap.

use super::action::Action;
use super::env::{Env, Go, Out};
use super::fit::{fit, width};
use super::house::House;
use crate::domain::text::scrub;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::cell::Cell;

/// The help, open.
pub struct Help {
    lines: Vec<(String, Action)>,
    /// Files of lapel, with what they are.
    files: Vec<(&'static str, String)>,
    scroll: usize,
    /// The furthest that there is something to scroll to, as it was drawn last.
    most: Cell<usize>,
}

impl Help {
    /// For the lines of the keymap that apply.
    pub fn new(lines: Vec<(String, Action)>) -> Self {
        Self { lines, files: Vec::new(), scroll: 0, most: Cell::new(usize::MAX) }
    }

    /// With the places of lapel's files below the keys.
    #[must_use]
    pub fn with_files(mut self, house: &House) -> Self {
        let shown = |path: &std::path::Path| scrub(&path.to_string_lossy()).into_owned();
        self.files = house.files.iter().map(|(shelf, path)| (shelf.word(), shown(path))).collect();
        self
    }

    /// How many lines there are below the heading.
    fn len(&self) -> usize {
        self.lines.len() + if self.files.is_empty() { 0 } else { self.files.len() + 2 }
    }

    /// Does an action; false when it is none of the help's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        let last = self.len().saturating_sub(1).min(self.most.get());
        // A window that was made larger meanwhile shows more of it.
        self.scroll = self.scroll.min(last);
        match action {
            Action::Down => self.scroll = (self.scroll + 1).min(last),
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::PageDown => self.scroll = (self.scroll + 10).min(last),
            Action::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Action::First => self.scroll = 0,
            Action::Last => self.scroll = last,
            Action::Back => out.go.push(Go::Close),
            _ => return false,
        }
        true
    }

    /// Draws it, in two columns where there is room.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut lines = vec![Line::styled(t!("  Keys of this screen"), env.theme.strong()), Line::raw("")];
        let keys = self.lines.iter().map(|(k, _)| width(k)).max().unwrap_or(0) + 2;
        let room = usize::from(area.width).saturating_sub(keys + 4);
        let height = usize::from(area.height.saturating_sub(3));
        let most = self.len().saturating_sub(height);
        self.most.set(most);
        let top = self.scroll.min(most);
        for (key, action) in self.lines.iter().skip(top).take(height) {
            lines.push(Line::from(vec![
                Span::raw("  "),
                Span::styled(fit(key, keys, ""), env.theme.key()),
                Span::raw(fit(action.help(), room, env.glyphs.ellipsis)),
            ]));
        }
        let shown = self.lines.len().saturating_sub(top).min(height);
        let above = top.saturating_sub(self.lines.len());
        lines.extend(self.file_lines(room + keys, env).into_iter().skip(above).take(height - shown));
        if top + height < self.len() {
            lines.push(Line::styled(
                t!("  {more} more below", more = self.len() - top - height),
                env.theme.dim(),
            ));
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }

    /// Where lapel's files are.
    fn file_lines(&self, room: usize, env: &Env) -> Vec<Line<'static>> {
        if self.files.is_empty() {
            return Vec::new();
        }
        let words = self.files.iter().map(|(word, _)| width(word)).max().unwrap_or(0) + 2;
        let mut lines = vec![Line::raw(""), Line::styled(format!("  {}", t!("Files")), env.theme.strong())];
        lines.extend(self.files.iter().map(|(word, path)| {
            Line::from(vec![
                Span::raw("  "),
                Span::styled(fit(word, words, ""), env.theme.dim()),
                Span::raw(fit_end(path, room.saturating_sub(words), env.glyphs.ellipsis)),
            ])
        }));
        lines
    }
}

/// A path in at most so many columns: of one that is too long the end, which tells most.
fn fit_end(path: &str, columns: usize, ellipsis: &str) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let room = columns.saturating_sub(width(ellipsis));
    let mut from = path.len();
    for (at, _) in path.char_indices().rev() {
        if width(&path[at..]) > room {
            break;
        }
        from = at;
    }
    format!("{ellipsis}{}", &path[from..])
}
