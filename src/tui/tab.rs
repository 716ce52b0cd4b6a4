//! The tabs. On the command line and in files a tab is in lower case.

use crate::tui::prelude::*;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

/// One line for each screen, in the order of the header and of the digit keys from 0: the tab, its name in the header, the
/// action that opens it, its field in `Screens` and its type.
macro_rules! each_screen {
    ($declare:ident) => {
        $declare! {
            Home, tr_noop!("Home"), Home, home: home::Home;
            Templates, tr_noop!("Templates"), Templates, templates: templates::Templates;
            History, tr_noop!("History"), History, history: history::History;
            Wallet, tr_noop!("Wallet"), WalletTab, wallet: wallet::Wallet;
            Badge, tr_noop!("Badge"), BadgeTab, badge: badge::BadgeScreen;
            Activity, tr_noop!("Activity"), Activity, activity: activity::Activity;
        }
    };
}

pub(in crate::tui) use each_screen;

macro_rules! tabs {
    ($($tab:ident, $name:expr, $action:ident, $field:ident: $screen:ty;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
        #[serde(rename_all = "lowercase")]
        #[strum(serialize_all = "lowercase")]
        pub enum Tab {
            $($tab),+
        }

        impl Tab {
            /// Every tab with its name.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$tab, $name)),+];

            pub(in crate::tui) fn of(action: Action) -> Option<Self> {
                match action {
                    $(Action::$action => Some(Self::$tab),)+
                    _ => None,
                }
            }
        }
    };
}

each_screen!(tabs);

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
