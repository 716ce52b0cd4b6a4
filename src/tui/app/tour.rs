//! The running tour: its start, its end, and the state that it watches.

use super::App;
use crate::tui::persist::app_paths::AppPaths;
use crate::tui::prelude::*;
use crate::tui::tour::{self, Tour, TourState};

/// The text of the file that marks the tour as taken.
const NOTE: &str = "The tour of lapel was taken here; lapel tour shows it again. This file can be removed.\n";

impl App {
    pub fn set_app_paths(&mut self, app_paths: AppPaths) {
        self.tour_wanted = app_paths.begins_tour;
        if let Some(welcome) = &mut self.welcome {
            welcome.tour = app_paths.offers_tour;
        }
        self.app_paths = app_paths;
        if self.welcome.is_some() {
            self.with_effects(Self::read_recents);
        }
    }

    pub(super) fn begin_tour(&mut self, effects: &mut Effects<'_>) {
        self.connection.tour = Some(Tour::new(self.screens.activity.jobs()));
        self.changed = true;
        self.app_paths.offers_tour = false;
        if let Some(to) = self.app_paths.tour_note.take() {
            // Nobody waits for it: if the write fails, the tour is only offered again.
            effects.request(Request::Note(to, NOTE));
        }
    }

    pub(super) fn act_tour(&mut self, action: Action, effects: &mut Effects<'_>) {
        match action {
            Action::Tour if self.cx.may_tour() => self.begin_tour(effects),
            Action::Tour => effects.say(t!("The tour runs in the sandbox: lapel tour.")),
            Action::TourSkip => {
                let jobs = self.screens.activity.jobs();
                let went_on = self.connection.tour.as_mut().is_some_and(|tour| tour.skip(jobs));
                if !went_on {
                    self.connection.tour = None;
                }
            }
            Action::TourLeave => {
                self.connection.tour = None;
                let key = self.cx.key(&self.screen().key_contexts(), Action::Tour);
                effects.say(t!("The tour has ended. {key} starts it again.", key));
            }
            _ => {}
        }
    }

    pub(in crate::tui) fn tour_rows(&self) -> u16 {
        if self.connection.tour.is_some() && self.welcome.is_none() { tour::ROWS } else { 0 }
    }

    pub(in crate::tui) fn tour_sees(&self) -> TourState<'_> {
        TourState {
            place: self.front().tour_place(),
            found: self.screens.wallet.has_found(),
            jobs: self.screens.activity.jobs(),
        }
    }
}
