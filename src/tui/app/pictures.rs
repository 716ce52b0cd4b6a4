//! The one picture that is looked at: which screen has a place for it, and when it is asked for.

use super::App;
use crate::config::{Ground, Palette};
use crate::tui::effects::Effects;
use crate::tui::platform::images::{Want, Way};
use crate::tui::platform::terminal::gives_kitty_pictures;
use crate::tui::theme::Glyphs;
use crate::tui::widgets::cells::{Ambiguous, set_ambiguous};

/// What is said about a picture where there are none.
pub(super) const OFF: &str = tr_noop!(
    "Pictures are off here: pictures = \"none\", no colours, or plain ASCII. --pictures halfblocks shows them."
);

impl App {
    /// The picture that the screen has a place for now.
    fn wanted_picture(&self) -> Option<Want> {
        let ready = self.welcome.is_none() && self.env.reader.is_some() && self.fits();
        if !ready || !self.env.pictures.is_on() {
            return None;
        }
        self.screen().picture(self.body())
    }

    /// Asks for it. What is open over the tab changes nothing: one comes back from there.
    pub(super) fn want_picture(&mut self, out: &mut Effects<'_>) {
        if self.modals.is_empty() {
            let want = self.wanted_picture();
            self.env.pictures.want(want.as_ref(), out);
        }
    }

    /// Takes what the terminal has said.
    pub(super) fn found(&mut self, way: Way) {
        self.changed |= self.env.pictures.found(way);
        if let Some(way) = self.env.pictures.kitty() {
            gives_kitty_pictures(&way);
        }
    }

    /// Takes what the terminal's background is. Where the theme depends on it and was taken for the other one,
    /// the screen is drawn again.
    pub(super) fn found_ground(&mut self, ground: Ground) {
        let palette = Palette { ground, ..self.palette };
        if palette.drawn() != self.palette.drawn() {
            self.set_theme(palette);
        }
    }

    /// Takes how wide the terminal draws characters of ambiguous width. Where it is two cells, signs such as `●` and
    /// `─` would break every line: there are plain ones, and no pictures made of characters.
    pub(super) fn found_widths(&mut self, ambiguous: Ambiguous) {
        set_ambiguous(ambiguous);
        if ambiguous == Ambiguous::Wide {
            self.env.glyphs = Glyphs::ASCII;
            self.env.keymap = std::mem::take(&mut self.env.keymap).named(&Glyphs::ASCII);
            self.env.pictures.without_blocks();
            self.repaint();
        }
    }
}
