//! Automatic refresh of the screen, in the background, and when lapel wakes up by itself: while something moves, and when
//! a text on the screen changes with the time.

use super::App;
use crate::tui::hold;
use crate::tui::prelude::*;
use crate::tui::refresh::has_failed;

impl App {
    /// The time of the next automatic refresh. There is none while it is off, a modal is open, the user
    /// types, or a request is pending.
    pub(super) fn refresh_due(&self) -> Option<Instant> {
        let free = self.welcome.is_none()
            && self.cx.client().is_some()
            && self.modals.is_empty()
            && self.connection.pending.is_empty()
            && !self.screen().shows_jobs()
            && self.fits()
            && self.screen().key_contexts().contains(&KeyContext::Global);
        self.refresh.due().filter(|_| free)
    }

    pub(super) fn refresh(&mut self, effects: &mut Effects<'_>) {
        let now = Instant::now();
        if self.refresh_due().is_none() || !self.refresh.is_due(now) {
            return;
        }
        if self.cx.link().is_some_and(|link| link.held_until.is_some()) {
            self.refresh.held(now);
            self.changed = true;
            return;
        }
        effects.quiet = true;
        self.screens.on(self.navigation.tab, effects, |screen, effects| screen.refresh(&self.cx, effects));
    }

    /// Whether a response is a failed automatic refresh. If so, the screen keeps its content.
    pub(super) fn is_quiet_failure(
        &mut self,
        reply: &Reply,
        owner: RequestOwner,
        effects: &mut Effects<'_>,
    ) -> bool {
        let Reply { id, response } = reply;
        if !self.refresh.takes(*id, response, Instant::now()) {
            return false;
        }
        // Requests that follow from it are background requests too.
        effects.quiet = true;
        if !has_failed(response) || matches!(response, Response::Templates(_) | Response::History(_)) {
            return false;
        }
        if let RequestOwner::Screen(tab) = owner {
            self.screens.of_mut(tab).give_up(*id);
        }
        self.changed = true;
        true
    }

    /// The time of the next [`crate::tui::message::Message::Tick`]. A tick comes soon while something is loading. It
    /// also comes when the connection's numbers change, when a shown waiting time reaches the next minute, when a
    /// toast goes away, and when a refresh, a reading of the history or a write of saved data is due. Otherwise there
    /// is none.
    pub fn next_tick(&self) -> Option<Instant> {
        let held = hold::next_change(&self.cx);
        // During a rate limit wait only the remaining time changes.
        let spins = held.is_none() && self.is_loading();
        let spin = spins.then(|| Instant::now() + Duration::from_millis(120));
        let link = self.cx.link().and_then(|l| l.next_change);
        let shows_age = self.modals.is_empty() && self.screen().shows_age(&self.cx);
        let age = shows_age.then(|| self.cx.next_minute()).flatten().map(|left| Instant::now() + left);
        [
            spin,
            held,
            link,
            age,
            self.toasts.next_end(),
            self.refresh_due(),
            self.screens.all().filter_map(Screen::due).min(),
            self.views.due(),
            self.cx.connection.recents.due(),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
