//! The contexts in which the keymap looks up a key, and the actions that are possible there.

use super::App;
use crate::tui::input::action::ActionKind;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::CONTEXTS;

impl App {
    pub fn key_contexts(&self) -> Vec<KeyContext> {
        let is_asked = self.modals.confirm().is_some();
        let mut stack = if is_asked { CONTEXTS.to_vec() } else { self.front().key_contexts() };
        if self.tour_rows() > 0 {
            stack.push(KeyContext::Tour);
        }
        stack
    }

    /// Whether this profile may not run an action. Such an action is hidden too.
    pub fn is_forbidden(&self, action: Action) -> bool {
        // The welcome screen offers the tour until the user has taken it.
        let may_tour = if self.welcome.is_some() { self.app_paths.offers_tour } else { self.cx.may_tour() };
        (self.cx.read_only() && action.is(ActionKind::Acts)) || (action == Action::Tour && !may_tour)
    }

    pub(in crate::tui) fn is_enabled(&self, action: Action) -> bool {
        if self.modals.confirm().is_some() {
            // The confirmation shows its own keys.
            return !matches!(action, Action::Accept | Action::Editor | Action::PageDown | Action::PageUp);
        }
        if let Some(modal) = self.modals.last() {
            let is_for_others = match action {
                Action::Editor => !modal.has(ModalFlag::TakesEditor),
                Action::ClearForm => modal.input().is_none(),
                _ => false,
            };
            return !is_for_others && modal.is_enabled(action, &self.cx);
        }
        match action {
            Action::Editor | Action::ClearForm => false,
            Action::Reload if self.connection.failure.is_some() => true,
            Action::Picture | Action::TurnOver if self.welcome.is_none() => {
                self.cx.pictures.is_on() && self.screen().has_picture(action)
            }
            _ => self.front().is_enabled(action, &self.cx),
        }
    }

    pub(in crate::tui) fn can_go_back(&self) -> bool {
        let inside = !self.modals.is_empty() || !self.key_contexts().contains(&KeyContext::Global);
        let filtered = self.screen().can_go_back();
        inside || filtered || self.navigation.can_go_back() || self.toasts.has_news()
    }
}
