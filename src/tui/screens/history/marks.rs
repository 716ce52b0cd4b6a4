//! Marks, stored by badge id: single badges, a range between two ends, and rows that the mouse is dragged over.

use super::History;
use crate::api::HistoryFilter;
use crate::domain::{BadgeId, HistoryItem, ServiceTime, Text, issue_time};
use crate::i18n::number;
use crate::tui::component::Component;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::widgets::list::Row;
use jiff::civil::Date;
use ratatui::layout::Rect;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Deref;

/// Maximum number of rows that a user may mark at once, because each marked row is kept in memory.
/// For more rows, use a file of badge ids.
pub const LARGEST_RANGE: u64 = 10_000;

/// Maximum number of changes that can be undone.
const UNDONE: usize = 100;

/// The marked badges, each as lapel last read it, and the last changes.
#[derive(Default)]
pub struct Marks {
    rows: BTreeMap<BadgeId, HistoryItem>,
    changes: VecDeque<Change>,
}

/// What one key or click changed.
struct Change {
    added: Vec<BadgeId>,
    removed: Vec<HistoryItem>,
}

impl Deref for Marks {
    type Target = BTreeMap<BadgeId, HistoryItem>;
    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}

impl Marks {
    /// Marks rows that are not marked yet, and removes the marks of others, as one change.
    fn change(&mut self, add: Vec<HistoryItem>, remove: &[BadgeId]) {
        let removed = remove.iter().filter_map(|id| self.rows.remove(id)).collect();
        let mut added = Vec::new();
        for row in add {
            let id = row.badge_id.clone();
            if self.rows.insert(id.clone(), row).is_none() {
                added.push(id);
            }
        }
        let change = Change { added, removed };
        if !change.added.is_empty() || !change.removed.is_empty() {
            self.changes.push_back(change);
            if self.changes.len() > UNDONE {
                self.changes.pop_front();
            }
        }
    }

    pub(super) fn add(&mut self, rows: Vec<HistoryItem>) {
        self.change(rows, &[]);
    }

    /// Marks the rows that are not marked, and removes the marks of the others.
    pub(super) fn flip(&mut self, rows: Vec<HistoryItem>) {
        let (marked, unmarked): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| self.rows.contains_key(&row.badge_id));
        let marked: Vec<BadgeId> = marked.into_iter().map(|row| row.badge_id).collect();
        self.change(unmarked, &marked);
    }

    pub(super) fn clear(&mut self) {
        let all: Vec<BadgeId> = self.rows.keys().cloned().collect();
        self.change(Vec::new(), &all);
    }

    /// Whether there is a change to undo.
    pub(super) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Undoes the last change. Returns the number of marks that came back and that went, or `None` if there is none.
    pub(super) fn undo(&mut self) -> Option<(u64, u64)> {
        let Change { added, removed } = self.changes.pop_back()?;
        let counts = (removed.len() as u64, added.len() as u64);
        for id in added {
            self.rows.remove(&id);
        }
        self.rows.extend(removed.into_iter().map(|row| (row.badge_id.clone(), row)));
        Some(counts)
    }

    /// Takes badges out for good, because they were processed: undoing must not mark them again.
    fn processed(&mut self, ids: impl IntoIterator<Item = BadgeId>) {
        for id in ids {
            self.rows.remove(&id);
            for change in &mut self.changes {
                change.removed.retain(|row| row.badge_id != id);
            }
        }
    }

    /// Takes the newest state of a badge.
    pub(super) fn refresh(&mut self, row: &HistoryItem) {
        let removed = self.changes.iter_mut().flat_map(|change| &mut change.removed);
        let kept = removed.filter(|kept| kept.badge_id == row.badge_id);
        for kept in kept.chain(self.rows.get_mut(&row.badge_id)).filter(|kept| *kept != row) {
            kept.clone_from(row);
        }
    }
}

/// Whether a filter may match a row. Only the service knows how it compares, so a text matches wherever it contains the
/// filter's text, in any case.
fn may_match(filter: &HistoryFilter, row: &HistoryItem) -> bool {
    let contains = |wanted: &Option<String>, text: &Option<Text>| {
        let text = text.as_ref().map_or("", Text::wire).to_lowercase();
        wanted.as_ref().is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
    };
    let within = |from: Option<Date>, to: Option<Date>, time: Option<&ServiceTime>| {
        let day = time.and_then(ServiceTime::day);
        from.is_none_or(|from| day.is_some_and(|day| day >= from))
            && to.is_none_or(|to| day.is_some_and(|day| day <= to))
    };
    contains(&filter.recipient_name, &row.recipient_name)
        && contains(&filter.recipient_email, &row.recipient_email)
        && contains(&filter.title, &row.title)
        && within(filter.issue_start_date, filter.issue_end_date, issue_time(row))
        && within(filter.revoke_start_date, filter.revoke_end_date, row.revoke_at.as_ref())
}

impl History {
    /// Removes the marks of these badges, because they have been processed.
    pub fn unmark(&mut self, ids: impl IntoIterator<Item = BadgeId>) {
        self.marks.processed(ids);
    }

    /// The number of marks, and how many of them the filter hides.
    pub(super) fn marks_in_words(&self, env: &Env) -> String {
        let filter = self.browser.filter();
        let now = env.now();
        let hidden = if self.browser.is_filtered() {
            // What the list shows is not hidden, however the service compares.
            let loaded: BTreeSet<&BadgeId> =
                self.browser.list.loaded().map(|(_, row)| &row.badge_id).collect();
            let fits = |row: &HistoryItem| may_match(filter, row) && self.browser.fits(row, now);
            let is_hidden = |row: &&HistoryItem| !fits(row) && !loaded.contains(&row.badge_id);
            self.marks.values().filter(is_hidden).count()
        } else {
            0
        };
        let marked = number(self.marks.len() as u64);
        match hidden {
            _ if self.marks.is_empty() => String::new(),
            0 => t!("{marked} marked", marked),
            hidden => {
                t!("{marked} marked ({hidden} hidden by the filter)", marked, hidden = number(hidden as u64))
            }
        }
    }

    pub(super) fn undo_mark(&mut self, out: &mut Effects<'_>) {
        match self.marks.undo() {
            None => out.say(t!("There is no mark to undo.")),
            Some((back, 0)) => out.say(plural!(back, "{n} mark is back.", "{n} marks are back.")),
            Some((0, gone)) => out.say(plural!(gone, "{n} mark removed.", "{n} marks removed.")),
            Some((back, gone)) => out.say(t!(
                "{back} marks are back, {gone} removed.",
                back = number(back),
                gone = number(gone)
            )),
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
        self.marks.flip(vec![row]);
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
        self.marks.add(rows);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(id: &str) -> HistoryItem {
        HistoryItem::for_test(BadgeId::new(id).expect("an id"))
    }

    proptest! {
        /// Whatever is marked and unmarked, undoing it step by step goes back through every state.
        #[test]
        fn every_change_can_be_undone(changes in prop::collection::vec((0u8..3, prop::collection::vec(0u8..6, 0..4)), 0..30)) {
            let numbered = |id: &u8| row(&format!("B-{id}"));
            let (mut marks, mut states) = (Marks::default(), Vec::new());
            let ids = |marks: &Marks| marks.keys().cloned().collect::<Vec<_>>();
            for (what, rows) in changes {
                let before = ids(&marks);
                let rows: BTreeSet<u8> = rows.into_iter().collect();
                let rows: Vec<HistoryItem> = rows.iter().map(numbered).collect();
                match what {
                    0 => marks.add(rows),
                    1 => marks.flip(rows),
                    _ => marks.clear(),
                }
                if ids(&marks) != before {
                    states.push(before);
                }
            }
            while let Some(before) = states.pop() {
                prop_assert!(marks.undo().is_some());
                prop_assert_eq!(ids(&marks), before);
            }
            prop_assert!(marks.undo().is_none());
        }
    }

    #[test]
    fn only_what_the_filter_cannot_match_counts_as_hidden() {
        let mut row = row("B-1");
        row.recipient_name = Some(Text::new("José Müller"));
        row.issued_at = ServiceTime::new("2026-11-02 09:41:00");
        let name =
            |name: &str| HistoryFilter { recipient_name: Some(name.to_owned()), ..HistoryFilter::default() };
        assert!(may_match(&HistoryFilter::default(), &row));
        assert!(may_match(&name("MÜLL"), &row) && !may_match(&name("Kim"), &row));
        let from =
            |day: &str| HistoryFilter { issue_start_date: day.parse().ok(), ..HistoryFilter::default() };
        assert!(may_match(&from("2026-11-02"), &row) && !may_match(&from("2026-11-03"), &row));
    }

    #[test]
    fn what_was_processed_does_not_come_back() {
        let rows: Vec<HistoryItem> = ["B-1", "B-2"].map(row).into();
        let mut marks = Marks::default();
        marks.add(rows.clone());
        marks.clear();
        marks.processed([rows[0].badge_id.clone()]);
        assert_eq!(marks.undo(), Some((1, 0)));
        assert_eq!(marks.keys().collect::<Vec<_>>(), [&rows[1].badge_id]);
    }
}
