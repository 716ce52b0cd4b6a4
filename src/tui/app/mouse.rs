//! The mouse: clicks, the wheel, and dragging over rows.

use super::App;
use crate::tui::prelude::*;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

impl App {
    fn drag(&mut self, mouse: MouseEvent, effects: &mut Effects<'_>) -> bool {
        let here = self.modals.is_empty() && self.fits();
        let drag = match mouse.kind {
            MouseEventKind::Drag(MouseButton::Left) if here => Drag::To(mouse.row),
            MouseEventKind::Up(MouseButton::Left) if here => Drag::End,
            MouseEventKind::Drag(_) | MouseEventKind::Up(_) => Drag::Cancel,
            _ => return false,
        };
        self.on_drag(drag, effects);
        // Only when the button is released: a second press may also begin to drag.
        let at = Position { x: mouse.column, y: mouse.row };
        let is_second =
            drag == Drag::End && self.input.clicked.is_some_and(|(_, there, second)| second && there == at);
        if is_second && self.cx.keymap.has(&self.key_contexts(), Action::Open) {
            self.input.clicked = None;
            self.command(Action::Open, effects);
        } else if drag != Drag::End {
            self.input.clicked = None;
        }
        true
    }

    pub(super) fn on_drag(&mut self, drag: Drag, effects: &mut Effects<'_>) {
        let (area, cx, tab) = (self.body(), &self.cx, self.navigation.tab);
        let screen = self.screens.of_mut(tab);
        self.changed |=
            effects.owned_by(RequestOwner::Screen(tab), |effects| screen.on_drag(drag, area, cx, effects));
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent, effects: &mut Effects<'_>) {
        let is_press = mouse.kind == MouseEventKind::Down(MouseButton::Left);
        if is_press && self.fits() && mouse.row + 1 == self.size.1 {
            if let Some(action) = self.hint_at(self.size.0, mouse.column) {
                self.command(action, effects);
            }
            return;
        }
        if self.welcome.is_none() && self.drag(mouse, effects) {
            return;
        }
        self.changed |= self.input.drop_chord();
        let step = match mouse.kind {
            MouseEventKind::ScrollDown => Some(Action::Down),
            MouseEventKind::ScrollUp => Some(Action::Up),
            _ => None,
        };
        if let Some(action) = step {
            let rows = self.key_contexts().into_iter().find_map(KeyContext::wheel_rows).unwrap_or(0);
            self.changed |= rows > 0;
            for _ in 0..rows {
                self.act_inside(action, effects);
            }
            return;
        }
        if !is_press {
            return;
        }
        let has_tabs = self.modals.is_empty() || self.key_contexts().contains(&KeyContext::Covering);
        if mouse.row == 0 && has_tabs && self.welcome.is_none() {
            if let Some(tab) = self.header().tab_at(self.size.0, mouse.column) {
                // Close the menu first, so that it is not open when the user returns to this tab.
                let is_menu =
                    |context: &KeyContext| matches!(context, KeyContext::SortMenu | KeyContext::ColumnMenu);
                if self.key_contexts().iter().any(is_menu) {
                    self.act_inside(Action::Back, effects);
                }
                self.open_tab(tab, effects);
                self.changed = true;
            }
            return;
        }
        if self.fits() {
            self.click(Position { x: mouse.column, y: mouse.row }, effects);
        }
    }

    fn click(&mut self, at: Position, effects: &mut Effects<'_>) {
        if self.modals.confirm().is_some() {
            return;
        }
        let area = self.body();
        let clicked = self
            .with(self.focus(), effects, |component, cx, effects| component.on_click(at, area, cx, effects));
        let before = self.input.clicked.take();
        match clicked {
            None | Some(Clicked::Nothing) => {}
            Some(Clicked::Changed) => {
                self.changed = true;
                self.toasts.on_key();
                let now = Instant::now();
                let is_second =
                    before.is_some_and(|(then, there, _)| there == at && now - then < DOUBLE_CLICK);
                self.input.clicked = Some((now, at, is_second));
            }
            Some(Clicked::Chosen(action)) => self.command(action, effects),
        }
    }
}

/// Longest time between the two clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);
