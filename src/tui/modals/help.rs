//! Help: the keys of the screen below it, from the keymap.

use crate::domain::text::scrub;
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::persist::app_paths::AppPaths;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::cell::Cell;

pub struct Help {
    lines: Vec<(String, Action)>,
    /// Status message that did not fit below the screen.
    message: Option<String>,
    /// Kind and path of lapel's files.
    files: Vec<(&'static str, String)>,
    scroll: usize,
    /// Largest scroll offset, from the last drawing.
    most: Cell<usize>,
}

impl Help {
    pub fn new(lines: Vec<(String, Action)>) -> Self {
        Self { lines, message: None, files: Vec::new(), scroll: 0, most: Cell::new(usize::MAX) }
    }

    /// Adds the paths of lapel's files below the keys.
    #[must_use]
    pub fn with_files(mut self, app_paths: &AppPaths) -> Self {
        let shown = |path: &std::path::Path| scrub(&path.to_string_lossy()).into_owned();
        self.files = app_paths.files.iter().map(|(shelf, path)| (shelf.word(), shown(path))).collect();
        self
    }

    /// Adds the status message that did not fit below the screen.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.message = message;
        self
    }

    pub fn has_message(&self) -> bool {
        self.message.is_some()
    }

    fn all_lines(&self, columns: usize, env: &Env) -> Vec<Line<'static>> {
        let keys = self.lines.iter().map(|(k, _)| width(k)).max().unwrap_or(0) + 2;
        let room = columns.saturating_sub(keys + 4);
        let mut lines = Vec::new();
        if let Some(message) = &self.message {
            let said = message.lines().flat_map(|line| wrap(line, columns.saturating_sub(4)));
            lines.extend(said.map(|line| Line::raw(format!("  {line}"))));
            lines.extend(["", t!("  Keys of this screen"), ""].map(|l| Line::styled(l, env.theme.strong())));
        }
        for (key, action) in &self.lines {
            for (n, part) in wrap(action.help(), room).into_iter().enumerate() {
                let key = if n == 0 { key.as_str() } else { "" };
                lines.push(Line::from(vec![
                    Span::raw("  "),
                    Span::styled(fit(key, keys, ""), env.theme.key()),
                    Span::raw(part),
                ]));
            }
        }
        lines.extend(self.file_lines(room + keys, env));
        lines
    }

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

impl Component for Help {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Help, Context::Always]
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        let last = self.most.get();
        // A larger window has a smaller maximum offset.
        self.scroll = self.scroll.min(last);
        match action {
            Action::Down => self.scroll = self.scroll.saturating_add(1).min(last),
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::PageDown => self.scroll = self.scroll.saturating_add(10).min(last),
            Action::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Action::First => self.scroll = 0,
            Action::Last => self.scroll = last,
            Action::Back => out.close(),
            _ => return false,
        }
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let keys = t!("  Keys of this screen");
        let head = if self.message.is_some() { t!("  Full message") } else { keys };
        let mut lines = vec![Line::styled(head, env.theme.strong()), Line::raw("")];
        let all = self.all_lines(usize::from(area.width), env);
        let height = usize::from(area.height.saturating_sub(3));
        self.most.set(all.len().saturating_sub(height));
        let top = self.scroll.min(self.most.get());
        let more = all.len().saturating_sub(top + height);
        lines.extend(all.into_iter().skip(top).take(height));
        if more > 0 {
            lines.push(Line::styled(t!("  {more} more below", more), env.theme.dim()));
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for Help {}

/// Fits a path into `columns` columns. It cuts the start of a long path, because the end tells more.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::input::keymap::Context;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn every_sentence_can_be_read_whole() {
        let env = Env::for_test();
        let mut is_cut = false;
        for (columns, rows) in [(60, 12), (80, 20)] {
            for stack in [
                [Context::History, Context::List, Context::Global, Context::Always],
                [Context::Activity, Context::List, Context::Global, Context::Always],
            ] {
                let mut help = Help::new(env.keymap.help(&stack));
                let area = Rect::new(0, 0, columns, rows);
                let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
                let mut seen = String::new();
                loop {
                    terminal.draw(|frame| help.draw(&mut Frame::new(frame), area, &env)).expect("drawn");
                    let buffer = terminal.backend().buffer();
                    // Read one line for each scroll step, and all remaining lines at the end.
                    let is_last = help.scroll >= help.most.get();
                    for y in 2..if is_last { rows } else { 3 } {
                        seen.extend((0..columns).map(|x| buffer[(x, y)].symbol()));
                        seen.push(' ');
                    }
                    if is_last {
                        break;
                    }
                    help.scroll += 1;
                }
                assert!(!seen.contains("more below"), "{seen}");
                let seen = seen.split_whitespace().collect::<Vec<_>>().join(" ");
                for (_, action) in &help.lines {
                    assert!(seen.contains(action.help()), "{action:?} at {columns}x{rows}: {seen}");
                    is_cut |= width(action.help()) > usize::from(columns);
                }
            }
        }
        assert!(is_cut, "none was too long for its line");
    }
}
