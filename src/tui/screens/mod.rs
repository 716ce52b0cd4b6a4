//! The six tabs and the first screen. Each keeps its state, updates, drawing and tests together.
//!
//! ```text
//! home/        what needs a person, what runs, and counts          activity/    jobs and their rows
//! templates    the badge templates                                 history      issued badges
//! wallet       a holder's badges, for a support call               badge        one badge
//! welcome      without a profile
//! badge_head, badge_preview, picture   parts that several screens show
//! ```

pub mod activity;
pub mod badge;
mod badge_head;
mod badge_preview;
pub mod history;
pub mod home;
mod picture;
pub mod templates;
pub mod wallet;
pub mod welcome;

use crate::tui::effects::RequestOwner;
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::prelude::*;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

/// Declares the screens: tab, field and type, the action that opens it, name in the header. On the command line and in
/// files the tab is in lower case.
macro_rules! screens {
    ($($tab:ident, $field:ident: $screen:ty, $action:ident, $name:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
        #[serde(rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase")]
        pub enum Tab { $($tab),+ }

        impl Tab {
            /// Every tab with its name, in the order of the header and of the digit keys from 0.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$tab, $name)),+];

            pub(in crate::tui) fn of(action: Action) -> Option<Self> {
                match action {
                    $(Action::$action => Some(Self::$tab),)+
                    _ => None,
                }
            }
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

            pub(in crate::tui) fn layout_changes(&self) -> u64 {
                0 $(+ self.$field.layout_changes())+
            }

            pub(in crate::tui) fn save_layout(&self, view: &mut SavedLayout) {
                $(self.$field.save_layout(view);)+
            }

            pub(in crate::tui) fn restore_layout(&mut self, view: &SavedLayout, out: &mut Effects<'_>) {
                $(out.owned_by(RequestOwner::Screen(Tab::$tab), |out| self.$field.restore_layout(view, out));)+
            }
        }
    };
}

screens! {
    Home, home: home::Home, Home, tr_noop!("Home");
    Templates, templates: templates::Templates, Templates, tr_noop!("Templates");
    History, history: history::History, History, tr_noop!("History");
    Wallet, wallet: wallet::Wallet, WalletTab, tr_noop!("Wallet");
    Badge, badge: badge::BadgeScreen, BadgeTab, tr_noop!("Badge");
    Activity, activity: activity::Activity, Activity, tr_noop!("Activity");
}

impl Tab {
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        // Home was the overview.
        if word == "overview" { Some(Self::Home) } else { word.parse().ok() }
    }

    /// Moves `by` tabs in the header and wraps around. A negative number moves back.
    pub(in crate::tui) fn step(self, by: isize) -> Self {
        let at = Self::ALL.iter().position(|(tab, _)| *tab == self).unwrap_or(0);
        let to = (at as isize + by).rem_euclid(Self::ALL.len() as isize);
        Self::ALL[to as usize].0
    }
}
