//! The mouse outside lists: clicks on hints, and dragging over rows.

use super::{App, Tab};
use crate::tui::effects::{Effects, Owner};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

impl App {
    /// Runs the action of a clicked hint. Returns whether the click was on the footer.
    pub(super) fn click_hint(&mut self, mouse: MouseEvent, out: &mut Effects<'_>) -> bool {
        let left = mouse.kind == MouseEventKind::Down(MouseButton::Left);
        if !left || !self.fits() || mouse.row + 1 != self.size.1 {
            return false;
        }
        if let Some(action) = self.hint_at(self.size.0, mouse.column) {
            self.command(action, out);
        }
        true
    }

    /// Marks the rows of the history under a mouse drag. Returns whether the event was a drag.
    pub(super) fn drag(&mut self, mouse: MouseEvent, out: &mut Effects<'_>) -> bool {
        let here = self.tab == Tab::History && self.modals.is_empty() && self.fits();
        match mouse.kind {
            MouseEventKind::Drag(MouseButton::Left) if here => {
                let area = self.body();
                self.changed |= self.screens.history.drag_to(area, mouse.row);
                true
            }
            MouseEventKind::Up(MouseButton::Left) if here => {
                let env = &self.env;
                self.changed |=
                    out.owned_by(Owner::Screen(Tab::History), |out| self.screens.history.drag_end(env, out));
                true
            }
            MouseEventKind::Drag(_) | MouseEventKind::Up(_) => {
                self.screens.history.drag_cancel();
                true
            }
            _ => false,
        }
    }
}
