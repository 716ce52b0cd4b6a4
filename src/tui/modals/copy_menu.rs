//! Menu of values that can be copied from the current screen.

use crate::tui::component::{Clicked, Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::list_hit::{Sight, below};
use crate::tui::widgets::copying::{Copyable, Copyables};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{fit, width};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

pub struct CopyMenu {
    list: Vec<Copyable>,
    at: usize,
    sight: Sight,
}

impl CopyMenu {
    /// Returns `None` if there is nothing to copy.
    pub fn new(all: Copyables) -> Option<Self> {
        (!all.list.is_empty()).then_some(Self { list: all.list, at: 0, sight: Sight::default() })
    }

    fn pick(&self, at: usize, out: &mut Effects<'_>) {
        if let Some(entry) = self.list.get(at) {
            out.copies.push(entry.clip.clone());
        }
        out.close();
    }
}

impl Component for CopyMenu {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Menu, Context::Always]
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Down => self.at = (self.at + 1) % self.list.len().max(1),
            Action::Up => self.at = (self.at + self.list.len().max(1) - 1) % self.list.len().max(1),
            Action::Accept => self.pick(self.at, out),
            Action::Back => out.close(),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, out: &mut Effects<'_>) -> bool {
        let KeyCode::Char(letter) = key.code else { return false };
        // With Hangul input on, use the Latin letter of the same key.
        let letter = crate::tui::input::keymap::hangul::latin(letter).unwrap_or(letter);
        let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
        match self.list.iter().position(|entry| plain && entry.key == letter) {
            Some(at) => {
                self.pick(at, out);
                true
            }
            None => false,
        }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &Env, _: &mut Effects<'_>) -> Clicked {
        Clicked::in_menu(self.sight.click(at, &mut self.at), Action::Accept)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let rows = u16::try_from(self.list.len() + 2).unwrap_or(area.height).min(area.height);
        let area = Rect { y: area.bottom() - rows, height: rows, ..area };
        frame.render_widget(Clear, area);
        let room = usize::from(area.width).saturating_sub(2);
        let mut lines = vec![
            Line::styled(format!(" {}", env.glyphs.rule.repeat(room)), env.theme.dim()),
            Line::styled(t!("  Copy"), env.theme.strong()),
        ];
        let labels = self.list.iter().map(|entry| width(&entry.label)).max().unwrap_or(0) + 2;
        let rows = below(area, lines.len());
        let (shown, rest) = self.sight.lay_all(rows, self.at, self.list.len(), env);
        let mut cursor = None;
        for (i, entry) in self.list.iter().enumerate().skip(shown.start).take(shown.len()) {
            let selected = i == self.at;
            if selected {
                cursor = Some(Rect { height: 1, ..below(area, lines.len()) });
            }
            let left = usize::from(area.width).saturating_sub(labels + 8);
            lines.push(Line::from(vec![
                Span::styled(if selected { env.glyphs.cursor } else { " " }, env.theme.accent()),
                Span::raw("   "),
                Span::styled(entry.key.to_string(), env.theme.key()),
                Span::raw("  "),
                Span::raw(fit(&entry.label, labels, "")),
                Span::styled(fit(&entry.shown, left, env.glyphs.ellipsis), env.theme.dim()),
            ]));
        }
        lines.extend(rest);
        frame.render_widget(ratatui::text::Text::from(lines), area);
        if let Some(selected) = cursor {
            frame.buffer_mut().set_style(selected, env.theme.selected());
        }
    }
}

impl Modal for CopyMenu {
    fn is_popup(&self) -> bool {
        true
    }
}
