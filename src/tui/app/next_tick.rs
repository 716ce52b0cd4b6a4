//! When lapel wakes up by itself: while something moves, and when a text on the screen changes with the time.

use super::App;
use crate::tui::hold;
use crate::tui::prelude::*;

impl App {
    /// The time of the next [`crate::tui::message::Message::Tick`]. A tick comes soon while something is loading. It
    /// also comes when the connection's numbers change, when a shown waiting time reaches the next minute, when a
    /// toast goes away, and when a refresh, a reading of the history or a write of saved data is due. Otherwise there
    /// is none.
    pub fn next_tick(&self) -> Option<Instant> {
        let held = hold::next_change(&self.cx);
        // During a rate limit wait only the remaining time changes.
        let spins = held.is_none() && self.is_loading();
        let spin = spins.then(|| Instant::now() + std::time::Duration::from_millis(120));
        let link = self.cx.link().and_then(|l| l.next_change);
        let age = self.shows_age().then(|| self.cx.next_minute()).flatten().map(|left| Instant::now() + left);
        [
            spin,
            held,
            link,
            age,
            self.toasts.next_end(),
            self.refresh_due(),
            self.screens.home.due(),
            self.views.due(),
            self.cx.connection.recents.due(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    pub(super) fn shows_age(&self) -> bool {
        self.modals.is_empty() && self.screen().shows_age(&self.cx)
    }
}
