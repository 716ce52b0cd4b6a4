//! The help: the keys of the screen it was opened on, made from the keymap.

use super::action::Action;
use super::env::{Env, Go, Out};
use super::fit::{fit, width};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The help, open.
pub struct Help {
    lines: Vec<(String, Action)>,
    scroll: usize,
}

impl Help {
    /// For the lines of the keymap that apply.
    pub fn new(lines: Vec<(String, Action)>) -> Self {
        Self { lines, scroll: 0 }
    }

    /// Does an action; false when it is none of the help's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        let last = self.lines.len().saturating_sub(1);
        match action {
            Action::Down => self.scroll = (self.scroll + 1).min(last),
            Action::Up => self.scroll = self.scroll.saturating_sub(1),
            Action::PageDown => self.scroll = (self.scroll + 10).min(last),
            Action::PageUp => self.scroll = self.scroll.saturating_sub(10),
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
        let top = self.scroll.min(self.lines.len().saturating_sub(height));
        for (key, action) in self.lines.iter().skip(top).take(height) {
            lines.push(Line::from(vec![
                Span::raw("  "),
                Span::styled(fit(key, keys, ""), env.theme.key()),
                Span::raw(fit(action.help(), room, env.glyphs.ellipsis)),
            ]));
        }
        if top + height < self.lines.len() {
            lines.push(Line::styled(
                t!("  {more} more below", more = self.lines.len() - top - height),
                env.theme.dim(),
            ));
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}
