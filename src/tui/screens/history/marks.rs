//! Marks, stored by badge id: single badges, a range between two ends, and rows that the mouse is dragged over.

use super::History;
use crate::domain::{BadgeId, HistoryItem};
use crate::tui::component::Component;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::widgets::list::Row;
use ratatui::layout::Rect;

/// Maximum number of rows that a user may mark at once, because each marked row is kept in memory.
/// For more rows, use a file of badge ids.
pub const LARGEST_RANGE: u64 = 10_000;

impl History {
    /// Removes the marks of these badges, because they have been processed.
    pub fn unmark(&mut self, ids: impl IntoIterator<Item = BadgeId>) {
        for id in ids {
            self.marks.remove(&id);
        }
    }

    pub(super) fn mark(&mut self, rows: impl IntoIterator<Item = HistoryItem>) {
        self.marks.extend(rows.into_iter().map(|row| (row.badge_id.clone(), row)));
    }

    pub(super) fn flip(&mut self, row: HistoryItem) {
        if self.marks.remove(&row.badge_id).is_none() {
            self.mark([row]);
        }
    }

    pub(super) fn loaded(&self) -> Vec<HistoryItem> {
        self.browser.list.loaded().map(|(_, row)| row.clone()).collect()
    }

    pub(super) fn toggle_mark(&mut self, out: &mut Effects<'_>) {
        let Some(row) = self.browser.list.selected().cloned() else {
            out.say(t!("This row has no badge to mark."));
            return;
        };
        self.flip(row);
        self.browser.list.move_by(1);
    }

    pub(super) fn range(&mut self, env: &Env, out: &mut Effects<'_>) {
        let Some(here) = self.here() else {
            out.say(t!("This row has no badge, so a range cannot start or end here."));
            return;
        };
        match self.range_from.take() {
            None => {
                self.range_from = Some(here);
                let key = |action| env.key(&self.key_contexts(), action);
                out.say(t!(
                    "The range starts here. Go to its other end and press {key} again. {esc} cancels.",
                    key = key(Action::Range),
                    esc = key(Action::Back)
                ));
            }
            Some(from) if from.0.abs_diff(here.0) >= LARGEST_RANGE => {
                out.warn(t!(
                    "lapel marks at most {most} rows at once, and this range has more. Nothing was marked. To revoke more, use a file of badge ids on the Activity tab.",
                    most = LARGEST_RANGE
                ));
            }
            Some(from) => {
                let mut ends = [from, here];
                ends.sort();
                self.browser.list.pin(ends[0].0, ends[1].0);
                self.ranging = Some(ends);
            }
        }
    }

    /// Marks a range once all its rows are loaded and both ends still hold the same badges.
    /// Marks belong to badges. If an end has changed, the rows between may be others as well.
    pub(super) fn finish_range(&mut self, out: &mut Effects<'_>) {
        let Some([first, last]) = self.ranging.clone() else { return };
        if !self.browser.list.pins_settled() {
            return;
        }
        self.ranging = None;
        let list = &self.browser.list;
        let stands = |end: &(u64, BadgeId)| list.row_at(end.0).is_some_and(|row| row.badge_id == end.1);
        if !stands(&first) || !stands(&last) {
            self.browser.list.unpin();
            out.warn(t!(
                "The list changed while lapel read the range. Nothing was marked. Start the range again."
            ));
            return;
        }
        let rows: Vec<HistoryItem> =
            (first.0..=last.0).filter_map(|place| list.row_at(place).cloned()).collect();
        self.browser.list.unpin();
        let (wanted, got) = (last.0 - first.0 + 1, rows.len() as u64);
        self.mark(rows);
        if got == wanted {
            out.say(plural!(got, "Marked {n} row.", "Marked {n} rows."));
        } else {
            out.warn(t!(
                "Marked {got} of {wanted} rows. The others could not be read and are not marked.",
                got,
                wanted
            ));
        }
    }

    /// Handles a mouse press on the selected row. A drag may start there.
    pub fn drag_start(&mut self) {
        self.held = self.here().map(|here| (here, false));
    }

    /// Cancels the drag. Nothing is marked.
    pub fn drag_cancel(&mut self) {
        self.held = None;
    }

    /// Handles a drag to a screen row; beyond the list's edges it scrolls. Returns whether anything changed.
    pub fn drag_to(&mut self, area: Rect, row: u16) -> bool {
        let Some((from, moved)) = &mut self.held else { return false };
        let before = self.browser.list.cursor();
        match self.browser.place_at(area, row) {
            Some(place) => self.browser.list.move_to(place),
            None if row < area.y + area.height / 2 => self.browser.list.move_by(-1),
            None => self.browser.list.move_by(1),
        }
        *moved |= self.browser.list.cursor() != from.0;
        before != self.browser.list.cursor()
    }

    /// Handles the mouse release and marks the dragged rows. Returns whether a drag took place.
    pub fn drag_end(&mut self, env: &Env, out: &mut Effects<'_>) -> bool {
        let Some((from, true)) = self.held.take() else { return false };
        if self.here().is_none() {
            return false;
        }
        self.range_from = Some(from);
        self.range(env, out);
        true
    }

    fn here(&self) -> Option<(u64, BadgeId)> {
        self.browser.list.selected().map(|row| (self.browser.list.cursor(), row.id()))
    }
}
