//! The five tabs and the first screen. Each has its state, its update, its drawing and its tests in one place.

pub mod activity;
pub mod badge;
pub mod history;
pub mod overview;
mod picture;
pub mod templates;
pub mod wallet;
pub mod welcome;

use crate::tui::app::Tab;
use crate::tui::component::Screen;

/// The screens, one for each tab.
#[derive(Default)]
pub(in crate::tui) struct Screens {
    pub(in crate::tui) templates: templates::Templates,
    pub(in crate::tui) history: history::History,
    pub(in crate::tui) wallet: wallet::Wallet,
    pub(in crate::tui) badge: badge::BadgeScreen,
    pub(in crate::tui) activity: activity::Activity,
    pub(in crate::tui) overview: overview::Overview,
}

impl Screens {
    pub(in crate::tui) fn of(&self, tab: Tab) -> &dyn Screen {
        match tab {
            Tab::Templates => &self.templates,
            Tab::History => &self.history,
            Tab::Wallet => &self.wallet,
            Tab::Badge => &self.badge,
            Tab::Activity => &self.activity,
            Tab::Overview => &self.overview,
        }
    }

    pub(in crate::tui) fn of_mut(&mut self, tab: Tab) -> &mut dyn Screen {
        match tab {
            Tab::Templates => &mut self.templates,
            Tab::History => &mut self.history,
            Tab::Wallet => &mut self.wallet,
            Tab::Badge => &mut self.badge,
            Tab::Activity => &mut self.activity,
            Tab::Overview => &mut self.overview,
        }
    }
}
