//! The confirmation over the modal on top. The modal says what it asks; the rest is the same for all.

use super::App;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::Confirm;

impl App {
    pub(super) fn confirm(&self) -> Option<&Confirm> {
        self.modals.last()?.confirm.as_ref()
    }

    /// Opens and closes the confirmations that the modals ask for. If the number changes, the user types again.
    pub(super) fn fit_confirms(&mut self, effects: &mut Effects<'_>) {
        for opened in &mut self.modals {
            let asks = opened.modal.asks();
            if opened.confirm.as_ref().map(Confirm::ask) == asks {
                continue;
            }
            let changed = opened.confirm.as_ref().zip(asks).and_then(|(confirm, now)| confirm.changed(now));
            if let Some(text) = changed {
                effects.warn(text);
            }
            opened.confirm = asks.map(|ask| Confirm::new(ask, &self.cx));
            self.changed = true;
        }
    }

    pub(super) fn act_confirm(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        // In a terminal that is too small, the user cannot see what they confirm.
        let fits = self.fits();
        let is_at_once = self.input.is_at_once;
        let cx = &self.cx;
        let Some(opened) = self.modals.last_mut() else { return false };
        let Some(confirm) = &mut opened.confirm else { return false };
        match action {
            Action::ClearField => confirm.clear(),
            Action::Accept if !fits => {}
            Action::Accept if confirm.is_right() && confirm.may_be_paste(is_at_once) => {
                effects.warn(confirm.once_more(cx));
            }
            Action::Accept if confirm.is_right() => {
                effects.owned_by(RequestOwner::Modal(opened.id), |effects| {
                    opened.modal.on_confirmed(cx, effects)
                });
            }
            Action::Accept => effects.warn(confirm.missing(cx)),
            _ => return false,
        }
        true
    }
}
