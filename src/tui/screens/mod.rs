//! The five tabs, the overview and the first screen. Each keeps its state, updates, drawing and tests together.

pub mod activity;
pub mod badge;
pub mod history;
pub mod overview;
mod picture;
pub mod templates;
pub mod wallet;
pub mod welcome;

use crate::tui::component::Screen;

/// Declares the screens: tab, field and type, word on the command line and in files, name in the header.
macro_rules! screens {
    ($($tab:ident, $field:ident: $screen:ty, $word:literal, $name:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Tab { $($tab),+ }

        impl Tab {
            /// Every tab with its word, and with its name if the header shows it.
            pub const ALL: &'static [(Self, &'static str, Option<&'static str>)] =
                &[$((Self::$tab, $word, $name)),+];
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
    Templates, templates: templates::Templates, "templates", Some(tr_noop!("Templates"));
    History, history: history::History, "history", Some(tr_noop!("History"));
    Wallet, wallet: wallet::Wallet, "wallet", Some(tr_noop!("Wallet"));
    Badge, badge: badge::BadgeScreen, "badge", Some(tr_noop!("Badge"));
    Activity, activity: activity::Activity, "activity", Some(tr_noop!("Activity"));
    // Not in the header: it opens over the other tabs.
    Overview, overview: overview::Overview, "overview", None;
}

impl Tab {
    /// The tabs of the header in order, with their names.
    pub fn header() -> impl Iterator<Item = (Self, &'static str)> {
        Self::ALL.iter().filter_map(|(tab, _, name)| Some((*tab, (*name)?)))
    }

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(tab, ..)| *tab == self).map_or("", |(_, word, _)| word)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == word).map(|(tab, ..)| *tab)
    }

    /// Moves `by` tabs in the header and wraps around. A negative number moves back.
    pub(in crate::tui) fn step(self, by: isize) -> Self {
        let tabs: Vec<Self> = Self::header().map(|(tab, _)| tab).collect();
        let at = tabs.iter().position(|tab| *tab == self).unwrap_or(0);
        let to = (at as isize + by).rem_euclid(tabs.len() as isize);
        tabs[to as usize]
    }
}
