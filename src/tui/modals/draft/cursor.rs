//! The cursor of a review: on a row, on the heading of a group, or on the line that sends.

use super::DraftForm;
use super::groups::GroupPart;
use crate::tui::prelude::*;

impl DraftForm {
    pub(super) fn has_suggestion(&self) -> bool {
        self.selected().is_some_and(|row| row.suggested_address().is_some() || row.suggested_name().is_some())
    }

    /// `None` on a heading.
    pub(super) fn selected(&self) -> Option<&JobRow> {
        let is_row = self.rows.has_search() || self.outline.is_on_row(&self.rows.list);
        self.rows.list.selected().filter(|_| is_row)
    }

    pub(super) fn heading_here(&self) -> Option<&GroupPart> {
        if self.rows.has_search() { None } else { self.outline.heading_here(&self.rows.list) }
    }

    pub(super) fn move_by(&mut self, lines: i64) {
        if self.rows.has_search() {
            self.rows.list.move_by(lines);
        } else {
            self.outline.move_by(lines, &mut self.rows.list);
        }
    }

    /// Moves the cursor over headings and rows, and opens and closes groups.
    pub(super) fn on_outline(&mut self, action: Action) -> bool {
        let (outline, list) = (&mut self.outline, &mut self.rows.list);
        outline.touch();
        match action {
            Action::Down => outline.move_by(1, list),
            Action::Up => outline.move_by(-1, list),
            Action::PageDown => outline.page_by(1, list),
            Action::PageUp => outline.page_by(-1, list),
            Action::First => outline.move_to(0, list),
            Action::Last => outline.move_to(u64::MAX, list),
            Action::Only => outline.next_part(list),
            Action::Open => outline.fold(Some(true), list),
            Action::Fold => outline.fold(Some(false), list),
            Action::Accept if outline.heading_here(list).is_some() => outline.fold(None, list),
            _ => return false,
        }
        self.rows.forget_sought();
        true
    }
}
