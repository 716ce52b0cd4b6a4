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

#[cfg(test)]
mod tests;

use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::prelude::*;
use crate::tui::tab::Tab;

/// Declares the screens: tab, field and type.
macro_rules! screens {
    ($($tab:ident, $field:ident: $screen:ty;)+) => {
        pub(in crate::tui) struct Screens {
            $(pub(in crate::tui) $field: $screen),+
        }

        impl Default for Screens {
            fn default() -> Self {
                Self { $($field: <$screen>::begin()),+ }
            }
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

            pub(in crate::tui) fn restore_layout(&mut self, view: &SavedLayout, effects: &mut Effects<'_>) {
                $(effects.owned_by(RequestOwner::Screen(Tab::$tab), |effects| self.$field.restore_layout(view, effects));)+
            }
        }
    };
}

screens! {
    Home, home: home::Home;
    Templates, templates: templates::Templates;
    History, history: history::History;
    Wallet, wallet: wallet::Wallet;
    Badge, badge: badge::BadgeScreen;
    Activity, activity: activity::Activity;
}
