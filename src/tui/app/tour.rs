//! The running tour: its start, its end, and the state that it watches.

use super::App;
use crate::tui::persist::app_paths::AppPaths;
use crate::tui::prelude::*;
use crate::tui::tour::{self, Tour, TourPlace, TourState};

/// The text of the file that marks the tour as taken.
const NOTE: &str = "The tour of lapel was taken here; lapel tour shows it again. This file can be removed.\n";

impl App {
    /// Whether the tour is possible. It needs lapel's own sandbox, where its steps change nothing real.
    pub(super) fn may_tour(&self) -> bool {
        self.cx.environment() == Environment::Demo && !self.keeps_jobs() && !self.cx.read_only()
    }

    /// Whether the tour is possible on this screen. The welcome screen offers it until the user has taken it.
    pub(super) fn may_tour_from_here(&self) -> bool {
        if self.welcome.is_some() { self.app_paths.offers_tour } else { self.may_tour() }
    }

    pub fn set_app_paths(&mut self, app_paths: AppPaths) {
        self.tour_wanted = app_paths.begins_tour;
        if let Some(welcome) = &mut self.welcome {
            welcome.offer_tour(app_paths.offers_tour);
        }
        self.app_paths = app_paths;
        if self.welcome.is_some() {
            self.with_effects(Self::read_recents);
        }
    }

    /// Begins the tour in the sandbox that was started for it.
    pub(super) fn tour_if_wanted(&mut self, effects: &mut Effects<'_>) {
        if std::mem::take(&mut self.tour_wanted) && self.may_tour() {
            self.begin_tour(effects);
        }
    }

    pub(super) fn begin_tour(&mut self, effects: &mut Effects<'_>) {
        self.connection.tour = Some(Tour::new(self.screens.jobs()));
        self.changed = true;
        self.app_paths.offers_tour = false;
        if let Some(to) = self.app_paths.tour_note.take() {
            // Nobody waits for it: if the write fails, the tour is only offered again.
            effects.request(Request::Note(to, NOTE));
        }
    }

    pub(super) fn act_tour(&mut self, action: Action, effects: &mut Effects<'_>) {
        match action {
            Action::Tour if self.may_tour() => self.begin_tour(effects),
            Action::Tour => effects.say(t!("The tour runs in the sandbox: lapel tour.")),
            Action::TourSkip => {
                let jobs = self.screens.jobs();
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

    pub(super) fn tour_hears(&mut self, answer: &Response) {
        // The help may be over the form.
        let receipt = self.modals.iter().any(|modal| modal.tour_place() == TourPlace::JobFile);
        if let (Response::Export(done), true, Some(tour)) = (answer, receipt, &mut self.connection.tour)
            && done.is_ok()
        {
            tour.wrote();
        }
    }

    pub(super) fn tour_looks(&mut self) {
        let Some(mut tour) = self.connection.tour.take() else { return };
        if tour.update(&self.tour_sees()) {
            self.changed = true;
        }
        self.connection.tour = Some(tour);
    }

    pub(in crate::tui) fn tour_rows(&self) -> u16 {
        if self.connection.tour.is_some() && self.welcome.is_none() { tour::ROWS } else { 0 }
    }

    pub(in crate::tui) fn draw_tour(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Some(tour) = &self.connection.tour {
            tour::draw(tour, &self.tour_sees(), &self.key_contexts(), frame, area, &self.cx);
        }
    }

    fn tour_sees(&self) -> TourState<'_> {
        TourState {
            place: self.front().tour_place(),
            found: self.screens.has_found_holder(),
            jobs: self.screens.jobs(),
        }
    }
}
