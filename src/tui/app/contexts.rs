//! Where one is on the desk: in which contexts a key is looked up, and what an action would do there.

use super::{App, Modal, Tab};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::copy_menu::CopyMenu;
use crate::tui::modals::json_view::RawPane;
use crate::tui::modals::key_question::KeyQuestion;
use crate::tui::modals::mark_all::MarkAllForm;
use crate::tui::modals::ping::PingForm;
use crate::tui::screens::welcome::Welcome;

impl App {
    /// The contexts in which a key is looked up now, innermost first.
    pub fn key_contexts(&self) -> Vec<Context> {
        let mut stack = self.own_stack();
        if self.tour_rows() > 0 {
            stack.push(Context::Tour);
        }
        stack
    }

    fn own_stack(&self) -> Vec<Context> {
        match self.over.last() {
            Some(Modal::Issue(form)) => form.key_contexts(),
            Some(Modal::Revoke(form)) => form.key_contexts(),
            Some(Modal::Question(form)) => form.key_contexts(),
            Some(Modal::Again(form)) => form.key_contexts(),
            Some(Modal::Draft(form)) => form.key_contexts(),
            Some(Modal::Correct(form)) => form.key_contexts(),
            Some(Modal::File(form)) => form.key_contexts(),
            Some(Modal::Ids(form)) => form.key_contexts(),
            Some(Modal::Export(form)) => form.key_contexts(),
            Some(Modal::Replace(form)) => form.key_contexts(),
            Some(Modal::Commands(_)) => vec![Context::Palette, Context::Always],
            Some(Modal::Profiles(list)) => list.key_contexts(),
            Some(Modal::Pin(form)) => form.key_contexts(),
            Some(Modal::Help(_)) => vec![Context::Help, Context::Always],
            Some(Modal::Copy(_)) => CopyMenu::key_contexts(),
            Some(Modal::Raw(_)) => RawPane::key_contexts(),
            Some(Modal::Log(log)) => log.key_contexts(),
            Some(Modal::Filters(form)) => form.key_contexts(),
            Some(Modal::MarkAll(_)) => MarkAllForm::key_contexts(),
            Some(Modal::Ping(_)) => PingForm::key_contexts(),
            Some(Modal::Key(_)) => KeyQuestion::key_contexts(),
            None => self.welcome.as_ref().map_or_else(|| self.tab_stack(), Welcome::key_contexts),
        }
    }

    pub(super) fn tab_stack(&self) -> Vec<Context> {
        match self.tab {
            Tab::Templates => self.templates.key_contexts(),
            Tab::History => self.history.key_contexts(),
            Tab::Wallet => self.wallet.key_contexts(),
            Tab::Badge => self.badge.key_contexts(),
            Tab::Activity => self.activity.key_contexts(),
            Tab::Overview => self.overview.key_contexts(),
        }
    }

    /// Whether an action is one that this profile cannot do: it is not shown either.
    pub fn is_forbidden(&self, action: Action) -> bool {
        (self.env.read_only() && is_acting(action)) || (action == Action::Tour && !self.may_tour_from_here())
    }

    /// Whether an action does something where one is now: the footer offers nothing else.
    pub(in crate::tui) fn is_enabled(&self, action: Action) -> bool {
        let has_reason = matches!(
            self.over.last(),
            Some(Modal::Revoke(_) | Modal::Question(_) | Modal::Ids(_) | Modal::Replace(_))
        );
        if action == Action::Editor && !has_reason {
            return false;
        }
        match self.over.last() {
            Some(Modal::Question(form)) => form.is_enabled(action),
            Some(Modal::Again(form)) => form.is_enabled(action),
            Some(Modal::Draft(form)) => form.is_enabled(action),
            Some(Modal::Revoke(form)) => form.is_enabled(action),
            Some(Modal::Issue(form)) => form.is_enabled(action),
            Some(Modal::File(form)) => form.is_enabled(action),
            Some(Modal::Ids(form)) => form.is_enabled(action),
            Some(Modal::Export(form)) => form.is_enabled(action),
            Some(Modal::Replace(form)) => form.is_enabled(action),
            Some(Modal::Profiles(list)) => list.is_enabled(action),
            Some(Modal::Pin(form)) => form.is_enabled(action),
            Some(Modal::Log(log)) => log.is_enabled(action),
            Some(Modal::Raw(pane)) => pane.is_enabled(action),
            Some(Modal::Filters(form)) => form.is_enabled(action, &self.env),
            Some(Modal::MarkAll(_)) => MarkAllForm::is_enabled(action),
            Some(Modal::Ping(_)) => PingForm::is_enabled(action),
            Some(Modal::Key(_)) => KeyQuestion::is_enabled(action),
            None if action == Action::Reload && self.broken.is_some() => true,
            None if matches!(action, Action::Earlier | Action::Later) => self.offers_earlier(action),
            None if self.welcome.is_some() => self.welcome.as_ref().is_some_and(|w| w.is_enabled(action)),
            None if matches!(action, Action::Picture | Action::TurnOver) => self.offers_picture(action),
            None if self.tab == Tab::Templates => self.templates.is_enabled(action),
            None if self.tab == Tab::Activity => self.activity.is_enabled(action),
            None if self.tab == Tab::Wallet => self.wallet.is_enabled(action),
            None if self.tab == Tab::Badge => self.badge.is_enabled(action, &self.env),
            None if self.tab == Tab::Overview => self.overview.is_enabled(action, &self.env),
            Some(Modal::Correct(_) | Modal::Commands(_) | Modal::Help(_) | Modal::Copy(_)) | None => true,
        }
    }

    /// Whether an action belongs to what is out of sight here.
    pub(in crate::tui) fn is_behind(&self, action: Action) -> bool {
        self.over.is_empty() && self.tab == Tab::Templates && self.templates.is_behind(action)
    }

    /// Whether back would do something that a person can see.
    pub(in crate::tui) fn can_go_back(&self) -> bool {
        let inside = !self.over.is_empty() || !self.key_contexts().contains(&Context::Global);
        let filtered = match self.tab {
            Tab::Templates => self.templates.can_go_back(),
            Tab::History => self.history.can_go_back(),
            Tab::Activity => self.activity.can_go_back(),
            Tab::Overview => self.overview.can_go_back(),
            Tab::Badge => self.badge.can_go_back(),
            Tab::Wallet => self.wallet.can_go_back(),
        };
        inside || filtered || !self.came_from.is_empty() || self.news.is_some()
    }
}

/// Whether an action has consequences at the service, or prepares some.
fn is_acting(action: Action) -> bool {
    matches!(
        action,
        Action::Issue
            | Action::Revoke
            | Action::Pause
            | Action::Resume
            | Action::UseUp
            | Action::Retry
            | Action::CallOff
            | Action::Undo
            | Action::Decide
            | Action::Ids
            | Action::Replace
            | Action::Renew
    )
}
