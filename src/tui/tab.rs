//! The tabs. On the command line and in files a tab is in lower case.

use crate::tui::prelude::*;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Tab {
    Home,
    Templates,
    History,
    Wallet,
    Badge,
    Activity,
}

impl Tab {
    /// Every tab with its name, in the order of the header and of the digit keys from 0.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Home, tr_noop!("Home")),
        (Self::Templates, tr_noop!("Templates")),
        (Self::History, tr_noop!("History")),
        (Self::Wallet, tr_noop!("Wallet")),
        (Self::Badge, tr_noop!("Badge")),
        (Self::Activity, tr_noop!("Activity")),
    ];

    pub(in crate::tui) fn of(action: Action) -> Option<Self> {
        Some(match action {
            Action::Home => Self::Home,
            Action::Templates => Self::Templates,
            Action::History => Self::History,
            Action::WalletTab => Self::Wallet,
            Action::BadgeTab => Self::Badge,
            Action::Activity => Self::Activity,
            _ => return None,
        })
    }

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
