//! The menu of a browsed list's columns: which are shown, in which order, how wide.

use super::{Browse, Browser, Top};
use crate::tui::action::Action;
use crate::tui::columns::Choice;
use crate::tui::env::{Env, Out};
use crate::tui::fit::{Column, fit, width};
use crate::words::say;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

impl<T: Browse> Browser<T> {
    /// The widths of the columns that are shown, in their order; 0 for one that has no room.
    pub(super) fn widths(&self, room: usize) -> Vec<usize> {
        let all: Vec<Column> = T::HEADS.iter().map(|head| head.column.titled(say(head.title))).collect();
        self.columns.widths(&all, room)
    }

    /// The columns that can be sorted by: those that are shown, and the one that is sorted by.
    pub(super) fn sortable(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.columns.shown().collect();
        columns.extend(self.order.as_ref().map(|o| o.column).filter(|c| !columns.contains(c)));
        columns
    }

    pub(super) fn act_columns(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        let Top::Columns { at } = self.top else { return false };
        let count = self.columns.choices().len();
        let mut next = at;
        match action {
            Action::Down => next = (at + 1) % count,
            Action::Up => next = (at + count - 1) % count,
            Action::Toggle => {
                if !self.columns.toggle(at) {
                    out.say(t!("At least one column stays."));
                }
            }
            Action::ColumnLeft => next = self.columns.shift(at, false),
            Action::ColumnRight => next = self.columns.shift(at, true),
            Action::Narrower | Action::Wider => self.resize(at, action == Action::Wider, out),
            Action::ResetColumns => self.columns.reset(),
            Action::Back => {
                self.top = Top::Nothing;
                return true;
            }
            _ => return false,
        }
        if !matches!(action, Action::Down | Action::Up) {
            self.changes += 1;
        }
        self.top = Top::Columns { at: next };
        true
    }

    /// Makes a column one cell narrower or wider than it is now.
    fn resize(&mut self, at: usize, wider: bool, out: &mut Out<'_>) {
        let widths = self.widths(self.room);
        let Some(choice) = self.columns.choices().get(at) else { return };
        if !choice.shown {
            out.say(t!("This column is not shown, so it has no width to change."));
            return;
        }
        let place = self.columns.choices()[..at].iter().filter(|c| c.shown).count();
        let now = match widths.get(place) {
            Some(0) | None => choice.width.unwrap_or(T::HEADS[choice.column].column.least),
            Some(now) => *now,
        };
        self.columns.resize(at, if wider { now + 1 } else { now.saturating_sub(1) });
    }

    /// The menu in the place of the rows; the line of headings above it shows what comes of it.
    pub(super) fn draw_columns(&self, frame: &mut Frame<'_>, body: Rect, env: &Env, at: usize) {
        let widths = self.widths(usize::from(body.width).saturating_sub(4));
        let names: usize = T::HEADS.iter().map(|head| width(say(head.title))).max().unwrap_or(0);
        let mut lines = vec![Line::styled(
            format!("  {}", t!("Columns, the upper ones further to the left")),
            env.theme.strong(),
        )];
        let mut left_out = false;
        let mut place = 0;
        for (i, choice) in self.columns.choices().iter().enumerate() {
            let wide = choice.shown.then(|| {
                place += 1;
                widths.get(place - 1).copied().unwrap_or(0)
            });
            left_out |= wide == Some(0);
            let cursor = if i == at { env.glyphs.cursor } else { " " };
            let style = if i == at { env.theme.selected() } else { env.theme.text() };
            let sign = if choice.shown { "[x]" } else { "[ ]" };
            let name = fit(say(T::HEADS[choice.column].title), names, env.glyphs.ellipsis);
            let (note, note_style) = match wide {
                Some(0) => (t!("no room at this width").to_owned(), env.theme.warning()),
                Some(wide) => (wide_words(wide, choice), env.theme.dim()),
                None => (String::new(), env.theme.dim()),
            };
            lines.push(Line::from(vec![
                Span::styled(format!(" {cursor} "), env.theme.accent()),
                Span::styled(format!("{sign} {name} "), style),
                Span::styled(format!(" {note}"), note_style),
            ]));
        }
        // The line under the cursor is always in sight.
        let room = usize::from(body.height);
        let first = (at + 2).saturating_sub(room.max(1));
        let mut shown: Vec<Line<'_>> = lines.drain(..).skip(first).take(room).collect();
        if left_out && shown.len() < room {
            let words = t!("Where there is no room for all, the lowest ones are left out.");
            shown.push(Line::styled(format!("  {words}"), env.theme.dim()));
        }
        frame.render_widget(ratatui::text::Text::from(shown), body);
    }
}

fn wide_words(wide: usize, choice: &Choice) -> String {
    match choice.width {
        Some(_) => t!("{wide} wide, set by hand", wide),
        None => t!("{wide} wide", wide),
    }
}
