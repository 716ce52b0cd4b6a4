//! The footer: the possible actions with their keys, and clicks on them.

use super::app::{App, Tab};
use super::draw::HINTS;
use crate::tui::input::action::Action;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::width;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

struct Hint {
    key: String,
    words: &'static str,
    action: Action,
    at: usize,
}

impl Hint {
    /// Its width in columns, including the gap to the next hint.
    fn wide(&self) -> usize {
        width(&self.key) + 1 + width(self.words) + 2
    }
}

impl App {
    /// The action of the hint at a column of the footer, for a click. A click never runs an action that
    /// sends: the user must press its key.
    pub(super) fn hint_at(&self, columns: u16, column: u16) -> Option<Action> {
        let (_, hints) = self.hints(columns);
        let column = usize::from(column);
        let hint = hints.iter().find(|hint| (hint.at..hint.at + hint.wide() - 2).contains(&column))?;
        Some(hint.action).filter(|action| !sends(*action))
    }

    /// The keys of an incomplete chord, and the hints of the footer.
    fn hints(&self, columns: u16) -> (Option<String>, Vec<Hint>) {
        let stack = self.key_contexts();
        let room = usize::from(columns).saturating_sub(2);
        let hint = |action: Action| {
            if self.is_forbidden(action) || !self.is_enabled(action) || self.is_behind(action) {
                return None;
            }
            let key = self.env.keymap.key(&stack, action)?;
            Some(Hint { key, words: action.hint(), action, at: 0 })
        };
        // Back, Help and Quit are always offered. The other hints fill the remaining space.
        let fixed: Vec<Hint> = [Action::Back, Action::Help, Action::Quit]
            .into_iter()
            .filter(|a| *a != Action::Back || self.can_go_back())
            .filter_map(hint)
            .collect();
        let mut left = room.saturating_sub(fixed.iter().map(Hint::wide).sum());
        let mut shown: Vec<Hint> = Vec::new();
        // On these tabs the lists are short, so actions on a badge or a job come before sorting.
        let late =
            |action: &&Action| **action == Action::Sort && matches!(self.tab, Tab::Wallet | Tab::Activity);
        let hints = HINTS.iter().filter(|a| !late(a)).chain(HINTS.iter().filter(late));
        for action in hints.filter(|a| !matches!(a, Action::Back | Action::Help | Action::Quit)) {
            if let Some(h) = hint(*action)
                && h.wide() <= left
            {
                left -= h.wide();
                shown.push(h);
            }
        }
        let mut begun = None;
        if !self.begun.1.is_empty() && self.begun.0 == stack {
            let follows = self.env.keymap.follows(&stack, &self.begun.1);
            shown = follows
                .into_iter()
                .map(|(key, action)| Hint { key, words: action.hint(), action, at: 0 })
                .collect();
            left = room;
            shown.retain(|h| {
                let fits = h.wide() <= left;
                left = left.saturating_sub(h.wide());
                fits
            });
            begun = Some(self.env.keymap.name(&self.begun.1));
        }
        shown.extend(fixed);
        let mut at = 2 + begun.as_deref().map_or(0, |name| width(name) + 2);
        for hint in &mut shown {
            hint.at = at;
            at += hint.wide();
        }
        (begun, shown)
    }

    pub(super) fn draw_footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let (begun, hints) = self.hints(area.width);
        let mut spans = vec![Span::raw("  ")];
        spans.extend(begun.map(|name| Span::styled(format!("{name}  "), self.env.theme.key())));
        for hint in hints {
            spans.push(Span::styled(hint.key, self.env.theme.key()));
            spans.push(Span::styled(format!(" {}  ", hint.words), self.env.theme.dim()));
        }
        frame.render_widget(Line::from(spans), area);
    }
}

/// Whether an action sends, revokes, cancels or deletes something, at once or after a confirmation.
pub(super) fn is_destructive(action: Action) -> bool {
    sends(action)
        || matches!(
            action,
            Action::Revoke
                | Action::Ids
                | Action::Replace
                | Action::Undo
                | Action::CallOff
                | Action::Remove
                | Action::RemoveProfile
                | Action::ForgetRecent
        )
}

/// Whether an action starts sending.
pub(super) fn sends(action: Action) -> bool {
    matches!(action, Action::Resume | Action::Retry | Action::UseUp)
}
