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
    pub fn stack(&self) -> Vec<Context> {
        let mut stack = self.own_stack();
        if self.tour_rows() > 0 {
            stack.push(Context::Tour);
        }
        stack
    }

    fn own_stack(&self) -> Vec<Context> {
        match self.over.last() {
            Some(Modal::Issue(form)) => form.stack(),
            Some(Modal::Revoke(form)) => form.stack(),
            Some(Modal::Question(form)) => form.stack(),
            Some(Modal::Again(form)) => form.stack(),
            Some(Modal::Draft(form)) => form.stack(),
            Some(Modal::Correct(form)) => form.stack(),
            Some(Modal::File(form)) => form.stack(),
            Some(Modal::Ids(form)) => form.stack(),
            Some(Modal::Export(form)) => form.stack(),
            Some(Modal::Replace(form)) => form.stack(),
            Some(Modal::Commands(_)) => vec![Context::Palette, Context::Always],
            Some(Modal::Profiles(list)) => list.stack(),
            Some(Modal::Pin(form)) => form.stack(),
            Some(Modal::Help(_)) => vec![Context::Help, Context::Always],
            Some(Modal::Copy(_)) => CopyMenu::stack(),
            Some(Modal::Raw(_)) => RawPane::stack(),
            Some(Modal::Log(log)) => log.stack(),
            Some(Modal::Filters(form)) => form.stack(),
            Some(Modal::MarkAll(_)) => MarkAllForm::stack(),
            Some(Modal::Ping(_)) => PingForm::stack(),
            Some(Modal::Key(_)) => KeyQuestion::stack(),
            None => self.welcome.as_ref().map_or_else(|| self.tab_stack(), Welcome::stack),
        }
    }

    pub(super) fn tab_stack(&self) -> Vec<Context> {
        match self.tab {
            Tab::Templates => self.templates.stack(),
            Tab::History => self.history.stack(),
            Tab::Wallet => self.wallet.stack(),
            Tab::Badge => self.badge.stack(),
            Tab::Activity => self.activity.stack(),
            Tab::Overview => self.overview.stack(),
        }
    }

    /// Whether an action is one that this profile cannot do: it is not shown either.
    pub fn is_forbidden(&self, action: Action) -> bool {
        (self.env.read_only() && is_acting(action)) || (action == Action::Tour && !self.may_tour_from_here())
    }

    /// Whether an action does something where one is now: the footer offers nothing else.
    pub(in crate::tui) fn offers(&self, action: Action) -> bool {
        let has_reason = matches!(
            self.over.last(),
            Some(Modal::Revoke(_) | Modal::Question(_) | Modal::Ids(_) | Modal::Replace(_))
        );
        if action == Action::Editor && !has_reason {
            return false;
        }
        match self.over.last() {
            Some(Modal::Question(form)) => form.offers(action),
            Some(Modal::Again(form)) => form.offers(action),
            Some(Modal::Draft(form)) => form.offers(action),
            Some(Modal::Revoke(form)) => form.offers(action),
            Some(Modal::Issue(form)) => form.offers(action),
            Some(Modal::File(form)) => form.offers(action),
            Some(Modal::Ids(form)) => form.offers(action),
            Some(Modal::Export(form)) => form.offers(action),
            Some(Modal::Replace(form)) => form.offers(action),
            Some(Modal::Profiles(list)) => list.offers(action),
            Some(Modal::Pin(form)) => form.offers(action),
            Some(Modal::Log(log)) => log.offers(action),
            Some(Modal::Raw(pane)) => pane.offers(action),
            Some(Modal::Filters(form)) => form.offers(action, &self.env),
            Some(Modal::MarkAll(_)) => MarkAllForm::offers(action),
            Some(Modal::Ping(_)) => PingForm::offers(action),
            Some(Modal::Key(_)) => KeyQuestion::offers(action),
            None if action == Action::Reload && self.broken.is_some() => true,
            None if matches!(action, Action::Earlier | Action::Later) => self.offers_earlier(action),
            None if self.welcome.is_some() => self.welcome.as_ref().is_some_and(|w| w.offers(action)),
            None if matches!(action, Action::Picture | Action::TurnOver) => self.offers_picture(action),
            None if self.tab == Tab::Templates => self.templates.offers(action),
            None if self.tab == Tab::Activity => self.activity.offers(action),
            None if self.tab == Tab::Wallet => self.wallet.offers(action),
            None if self.tab == Tab::Badge => self.badge.offers(action, &self.env),
            None if self.tab == Tab::Overview => self.overview.offers(action, &self.env),
            Some(Modal::Correct(_) | Modal::Commands(_) | Modal::Help(_) | Modal::Copy(_)) | None => true,
        }
    }

    /// Whether an action belongs to what is out of sight here.
    pub(in crate::tui) fn is_behind(&self, action: Action) -> bool {
        self.over.is_empty() && self.tab == Tab::Templates && self.templates.is_behind(action)
    }

    /// Whether back would do something that a person can see.
    pub(in crate::tui) fn can_go_back(&self) -> bool {
        let inside = !self.over.is_empty() || !self.stack().contains(&Context::Global);
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
