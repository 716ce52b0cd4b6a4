//! The five tabs, the overview and the first screen. Each keeps its state, updates, drawing and tests together.

pub mod activity;
pub mod badge;
mod badge_head;
pub mod history;
pub mod overview;
mod picture;
pub mod templates;
pub mod wallet;
pub mod welcome;

use crate::tui::component::Screen;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

/// Declares the screens: tab, field and type, name in the header. On the command line and in files the tab is in
/// lower case.
macro_rules! screens {
    ($($tab:ident, $field:ident: $screen:ty, $name:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
        #[serde(rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase")]
        pub enum Tab { $($tab),+ }

        impl Tab {
            /// Every tab, with its name if the header shows it.
            pub const ALL: &'static [(Self, Option<&'static str>)] = &[$((Self::$tab, $name)),+];
        }

        #[derive(Default)]
        pub(in crate::tui) struct Screens {
            $(pub(in crate::tui) $field: $screen),+
        }

        impl Screens {
            pub(in crate::tui) fn of(&self, tab: Tab) -> &dyn Screen {
                match tab { $(Tab::$tab => &self.$field),+ }
            }

            pub(in crate::tui) fn of_mut(&mut self, tab: Tab) -> &mut dyn Screen {
                match tab { $(Tab::$tab => &mut self.$field),+ }
            }
        }
    };
}

screens! {
    Templates, templates: templates::Templates, Some(tr_noop!("Templates"));
    History, history: history::History, Some(tr_noop!("History"));
    Wallet, wallet: wallet::Wallet, Some(tr_noop!("Wallet"));
    Badge, badge: badge::BadgeScreen, Some(tr_noop!("Badge"));
    Activity, activity: activity::Activity, Some(tr_noop!("Activity"));
    // Not in the header: it opens over the other tabs.
    Overview, overview: overview::Overview, None;
}

impl Tab {
    /// The tabs of the header in order, with their names.
    pub fn header() -> impl Iterator<Item = (Self, &'static str)> {
        Self::ALL.iter().filter_map(|(tab, name)| Some((*tab, (*name)?)))
    }

    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// Moves `by` tabs in the header and wraps around. A negative number moves back.
    pub(in crate::tui) fn step(self, by: isize) -> Self {
        let tabs: Vec<Self> = Self::header().map(|(tab, _)| tab).collect();
        let at = tabs.iter().position(|tab| *tab == self).unwrap_or(0);
        let to = (at as isize + by).rem_euclid(tabs.len() as isize);
        tabs[to as usize]
    }
}
