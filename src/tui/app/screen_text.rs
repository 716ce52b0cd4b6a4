//! The screen as text, to be saved for a ticket.

use super::App;
use crate::tui::modals::screen_text::ScreenText;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::screens::Tab;

impl App {
    pub(super) fn save_screen(&self, out: &mut Effects<'_>) {
        let plain = self.screen_text();
        let masked = self.known_words().mask(&plain);
        out.open(|cx, _| ScreenText::new(masked, plain, cx));
    }

    /// The words that masking can rely on: from all screens, because one may show what another has read.
    fn known_words(&self) -> KnownWords {
        let mut known = KnownWords::default();
        known.plain_text(&self.cx.place());
        for (tab, _) in Tab::ALL {
            let screen = self.screens.of(*tab);
            screen.know(&mut known);
            screen.typed().into_iter().for_each(|text| known.typed(text));
        }
        for modal in &self.modals {
            modal.know(&mut known);
            modal.typed().into_iter().for_each(|text| known.typed(text));
        }
        self.cx.recent(InputKind::LookUp).iter().for_each(|text| known.typed(text));
        known
    }
}
