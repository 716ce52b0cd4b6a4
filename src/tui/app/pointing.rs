//! The mouse outside lists: clicks on hints, and dragging over rows.

use super::App;
use crate::tui::component::Drag;
use crate::tui::effects::{Effects, Owner};
use crate::tui::input::action::Action;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

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

    /// Passes a mouse drag to the screen. Returns whether the event was a drag.
    pub(super) fn drag(&mut self, mouse: MouseEvent, out: &mut Effects<'_>) -> bool {
        let here = self.modals.is_empty() && self.fits();
        let drag = match mouse.kind {
            MouseEventKind::Drag(MouseButton::Left) if here => Drag::To(mouse.row),
            MouseEventKind::Up(MouseButton::Left) if here => Drag::End,
            MouseEventKind::Drag(_) | MouseEventKind::Up(_) => Drag::Cancel,
            _ => return false,
        };
        self.on_drag(drag, out);
        // Only when the button is released: a second press may also begin to drag.
        let at = Position { x: mouse.column, y: mouse.row };
        let is_second =
            drag == Drag::End && self.clicked.is_some_and(|(_, there, second)| second && there == at);
        if is_second && self.env.keymap.has(&self.key_contexts(), Action::Open) {
            self.clicked = None;
            self.command(Action::Open, out);
        } else if drag != Drag::End {
            self.clicked = None;
        }
        true
    }

    pub(super) fn on_drag(&mut self, drag: Drag, out: &mut Effects<'_>) {
        let (area, env, tab) = (self.body(), &self.env, self.tab);
        let screen = self.screens.of_mut(tab);
        self.changed |= out.owned_by(Owner::Screen(tab), |out| screen.on_drag(drag, area, env, out));
    }
}
