//! The six tabs and the first screen. Each keeps its state, updates, drawing and tests together.
//!
//! ```text
//! home/        what needs a person, what runs, and counts          activity/    jobs and their rows
//! templates    the badge templates                                 history      issued badges
//! wallet       a holder's badges, for a support call               badge        one badge
//! welcome      without a profile
//! badge_head, badge_preview, lookup_box, picture   parts that several screens show
//! destinations    where a navigation leads               shared    what screens tell each other
//! ```

pub mod activity;
pub mod badge;
mod badge_head;
mod badge_preview;
mod destinations;
pub mod history;
pub mod home;
mod lookup_box;
mod picture;
mod shared;
pub mod templates;
pub mod wallet;
pub mod welcome;

#[cfg(test)]
mod tests;

use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::prelude::*;
use crate::tui::tab::{Tab, each_screen};
pub(in crate::tui) use destinations::Destination;

macro_rules! screens {
    ($($tab:ident, $name:expr, $action:ident, $field:ident: $screen:ty;)+) => {
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
        }
    };
}

each_screen!(screens);

impl Screens {
    pub(in crate::tui) fn all(&self) -> impl DoubleEndedIterator<Item = &dyn Screen> {
        Tab::ALL.iter().map(|(tab, _)| self.of(*tab))
    }

    /// Every screen owns the requests that the closure makes for it. The last one is first: a badge is read before a list.
    pub(in crate::tui) fn each(
        &mut self,
        effects: &mut Effects<'_>,
        mut run: impl FnMut(&mut dyn Screen, &mut Effects<'_>),
    ) {
        for (tab, _) in Tab::ALL.iter().rev() {
            self.on(*tab, effects, &mut run);
        }
    }

    /// The screen owns the requests that the closure makes.
    pub(in crate::tui) fn on<T>(
        &mut self,
        tab: Tab,
        effects: &mut Effects<'_>,
        run: impl FnOnce(&mut dyn Screen, &mut Effects<'_>) -> T,
    ) -> T {
        effects.owned_by(RequestOwner::Screen(tab), |effects| run(self.of_mut(tab), effects))
    }

    /// The layout of every list. The TUI starts on Home anyway, so a user who changes nothing gets no file.
    pub(in crate::tui) fn layout(&self, tab: Tab) -> SavedLayout {
        let tab = Some(tab).filter(|tab| *tab != Tab::Home);
        let mut view = SavedLayout { tab, ..SavedLayout::default() };
        self.all().for_each(|screen| screen.save_layout(&mut view));
        view
    }

    pub(in crate::tui) fn layout_changes(&self) -> u64 {
        self.all().map(Screen::layout_changes).sum()
    }
}
