//! The picture on the screen: which screen has space for it, and when it is requested.

use super::App;
use crate::tui::platform::cells::set_ambiguous;
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::Ambiguous;
use crate::tui::theme::Glyphs;

impl App {
    /// Requests the picture. While a modal is open the picture does not change, because the user returns to
    /// it.
    pub(super) fn want_picture(&mut self, effects: &mut Effects<'_>) {
        if self.modals.is_empty() {
            let is_ready = self.welcome.is_none() && self.cx.client().is_some() && self.fits();
            let is_shown = is_ready && self.cx.pictures.is_on();
            let want = is_shown.then(|| self.screen().picture(self.body(), &self.cx)).flatten();
            self.cx.pictures.want(want.as_ref(), effects);
        }
    }

    /// Takes how wide the terminal draws characters of ambiguous width. If they are two cells wide, signs
    /// like `●` and `─` would break every line. lapel then uses ASCII signs and no pictures made of
    /// characters.
    pub(super) fn found_widths(&mut self, ambiguous: Ambiguous) {
        set_ambiguous(ambiguous);
        if ambiguous == Ambiguous::Wide {
            self.cx.glyphs = Glyphs::ASCII;
            self.cx.keymap = std::mem::take(&mut self.cx.keymap).named(&Glyphs::ASCII);
            self.cx.pictures.without_blocks();
            self.repaint();
        }
    }
}
