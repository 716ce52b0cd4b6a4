//! The mouse beyond the lists: hints that are clicked, rows that are dragged over.

use super::{App, Modal, Tab};
use crate::tui::context::Effects;
use crate::tui::footer::sends;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::list_hit::Click;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

impl App {
    /// Does what the clicked hint of the footer says; whether the click was there at all.
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

    /// Selects the row of a menu that is clicked; one that was selected already is chosen, as its key would. Whether
    /// there was a row.
    pub(super) fn click_menu(&mut self, mouse: MouseEvent, out: &mut Effects<'_>) -> bool {
        if mouse.kind != MouseEventKind::Down(MouseButton::Left) || !self.fits() {
            return false;
        }
        let at = Position { x: mouse.column, y: mouse.row };
        match self.menu_at(at) {
            None | Some((Click::Beside, _)) => return false,
            Some((Click::Selected, _)) => self.changed = true,
            Some((Click::Again, _)) if self.is_sent_by_the_palette() => {
                self.changed = true;
                let enter = self.env.key(&[Context::Palette, Context::Always], Action::Accept);
                out.say(t!("A click sends nothing; {enter} does this.", enter));
            }
            Some((Click::Again, then)) => self.command(then, out),
        }
        self.begun.1.clear();
        true
    }

    /// What a click was on in the menu that is open, if one is, and what a click on its selected row does. What is
    /// confirmed, or typed into, is no menu.
    fn menu_at(&mut self, at: Position) -> Option<(Click, Action)> {
        if let Some(welcome) = self.welcome.as_mut().filter(|_| self.over.is_empty()) {
            return Some((welcome.on_click(at), Action::Accept));
        }
        let click = match self.over.last_mut() {
            Some(Modal::Commands(palette)) => palette.on_click(at),
            Some(Modal::Profiles(list)) => list.on_click(at),
            Some(Modal::Filters(form)) => form.on_click(at),
            Some(Modal::Copy(menu)) => menu.on_click(at),
            Some(Modal::File(form)) => form.on_click(at),
            Some(_) => return None,
            None => {
                return match self.tab {
                    Tab::Templates => self.templates.click_menu(at),
                    Tab::History => self.history.browser.click_menu(at),
                    Tab::Wallet => self.wallet.click_menu(at),
                    Tab::Activity => self.activity.click_menu(at),
                    Tab::Badge | Tab::Overview => None,
                };
            }
        };
        Some((click, Action::Accept))
    }

    /// Whether the palette is open, and would send what was reviewed before: as in the footer, that is not clicked.
    fn is_sent_by_the_palette(&self) -> bool {
        match self.over.last() {
            Some(Modal::Commands(palette)) => palette.selected().is_some_and(sends),
            _ => false,
        }
    }

    /// Marks the rows of the history that the mouse is dragged over; whether this was such a movement.
    pub(super) fn drag(&mut self, mouse: MouseEvent, out: &mut Effects<'_>) -> bool {
        let here = self.tab == Tab::History && self.over.is_empty() && self.fits();
        match mouse.kind {
            MouseEventKind::Drag(MouseButton::Left) if here => {
                let area = self.body();
                self.changed |= self.history.drag_to(area, mouse.row);
                true
            }
            MouseEventKind::Up(MouseButton::Left) if here => {
                self.changed |= self.history.drag_end(&self.env, out);
                true
            }
            MouseEventKind::Drag(_) | MouseEventKind::Up(_) => {
                self.history.drag_cancel();
                true
            }
            _ => false,
        }
    }
}
