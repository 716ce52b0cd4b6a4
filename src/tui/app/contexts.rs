//! Where one is on the desk: in which contexts a key is looked up, and what an action would do there.

use super::{App, Over, Tab};
use crate::tui::action::Action;
use crate::tui::copy_menu::CopyMenu;
use crate::tui::forms::key_question::KeyQuestion;
use crate::tui::forms::mark_all::MarkAllForm;
use crate::tui::forms::ping::PingForm;
use crate::tui::json_view::RawPane;
use crate::tui::keymap::Context;
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
            Some(Over::Issue(form)) => form.stack(),
            Some(Over::Revoke(form)) => form.stack(),
            Some(Over::Question(form)) => form.stack(),
            Some(Over::Again(form)) => form.stack(),
            Some(Over::Draft(form)) => form.stack(),
            Some(Over::Correct(form)) => form.stack(),
            Some(Over::File(form)) => form.stack(),
            Some(Over::Ids(form)) => form.stack(),
            Some(Over::Export(form)) => form.stack(),
            Some(Over::Replace(form)) => form.stack(),
            Some(Over::Commands(_)) => vec![Context::Palette, Context::Always],
            Some(Over::Profiles(list)) => list.stack(),
            Some(Over::Pin(form)) => form.stack(),
            Some(Over::Help(_)) => vec![Context::Help, Context::Always],
            Some(Over::Copy(_)) => CopyMenu::stack(),
            Some(Over::Raw(_)) => RawPane::stack(),
            Some(Over::Log(log)) => log.stack(),
            Some(Over::Filters(form)) => form.stack(),
            Some(Over::MarkAll(_)) => MarkAllForm::stack(),
            Some(Over::Ping(_)) => PingForm::stack(),
            Some(Over::Key(_)) => KeyQuestion::stack(),
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
            Some(Over::Revoke(_) | Over::Question(_) | Over::Ids(_) | Over::Replace(_))
        );
        if action == Action::Editor && !has_reason {
            return false;
        }
        match self.over.last() {
            Some(Over::Question(form)) => form.offers(action),
            Some(Over::Again(form)) => form.offers(action),
            Some(Over::Draft(form)) => form.offers(action),
            Some(Over::Revoke(form)) => form.offers(action),
            Some(Over::Issue(form)) => form.offers(action),
            Some(Over::File(form)) => form.offers(action),
            Some(Over::Ids(form)) => form.offers(action),
            Some(Over::Export(form)) => form.offers(action),
            Some(Over::Replace(form)) => form.offers(action),
            Some(Over::Profiles(list)) => list.offers(action),
            Some(Over::Pin(form)) => form.offers(action),
            Some(Over::Log(log)) => log.offers(action),
            Some(Over::Raw(pane)) => pane.offers(action),
            Some(Over::Filters(form)) => form.offers(action, &self.env),
            Some(Over::MarkAll(_)) => MarkAllForm::offers(action),
            Some(Over::Ping(_)) => PingForm::offers(action),
            Some(Over::Key(_)) => KeyQuestion::offers(action),
            None if action == Action::Reload && self.broken.is_some() => true,
            None if matches!(action, Action::Earlier | Action::Later) => self.offers_earlier(action),
            None if self.welcome.is_some() => self.welcome.as_ref().is_some_and(|w| w.offers(action)),
            None if matches!(action, Action::Picture | Action::TurnOver) => self.offers_picture(action),
            None if self.tab == Tab::Templates => self.templates.offers(action),
            None if self.tab == Tab::Activity => self.activity.offers(action),
            None if self.tab == Tab::Wallet => self.wallet.offers(action),
            None if self.tab == Tab::Badge => self.badge.offers(action, &self.env),
            None if self.tab == Tab::Overview => self.overview.offers(action, &self.env),
            Some(Over::Correct(_) | Over::Commands(_) | Over::Help(_) | Over::Copy(_)) | None => true,
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
