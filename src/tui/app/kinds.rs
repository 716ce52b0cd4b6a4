//! The names of what can be open over a tab. A test that claims to have opened everything is held to them.

use super::App;
use crate::tui::modals::ALL;

impl App {
    /// Every modal.
    pub const MODALS: &'static [&'static str] = ALL;

    /// Which of [`App::MODALS`] is on top.
    pub fn modal(&self) -> Option<&'static str> {
        self.modals.last().map(|modal| modal.name())
    }
}
