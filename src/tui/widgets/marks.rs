//! The marks of a list, stored by the ids of its rows: single rows, and a range between two ends. Each change can be
//! undone.

use crate::tui::prelude::*;
use crate::tui::request::LARGEST_RANGE;
use crate::tui::widgets::paged_list::{ListRow, PagedList};
use std::ops::{Deref, RangeInclusive};

const UNDONE: usize = 100;

/// A row with its place in the list.
type RangeEnd<T> = (u64, <T as ListRow>::Id);

/// The marked rows, each as lapel last read it, and the last changes.
pub struct Marks<T: ListRow> {
    rows: BTreeMap<T::Id, T>,
    changes: VecDeque<MarkChange<T>>,
    range_from: Option<RangeEnd<T>>,
    /// The rows to mark once they are read.
    ranging: Option<Ranging<T>>,
    /// The row where the mouse was pressed, and whether it was dragged to another row since.
    held: Option<(RangeEnd<T>, bool)>,
}

#[derive(Clone)]
enum Ranging<T: ListRow> {
    /// The rows between two ends.
    Between([RangeEnd<T>; 2]),
    /// All rows of the list, of which there are this many.
    All(u64),
}

/// What one key or click changed.
struct MarkChange<T: ListRow> {
    added: Vec<T::Id>,
    removed: Vec<T>,
}

impl<T: ListRow> Default for Marks<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), changes: VecDeque::new(), range_from: None, ranging: None, held: None }
    }
}

impl<T: ListRow> Deref for Marks<T> {
    type Target = BTreeMap<T::Id, T>;
    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}

impl<T: ListRow> Marks<T> {
    /// Marks rows that are not marked yet, and removes the marks of others, as one change.
    fn change(&mut self, add: Vec<T>, remove: &[T::Id]) {
        let removed = remove.iter().filter_map(|id| self.rows.remove(id)).collect();
        let mut added = Vec::new();
        for row in add {
            let id = row.id();
            if self.rows.insert(id.clone(), row).is_none() {
                added.push(id);
            }
        }
        let change = MarkChange { added, removed };
        if !change.added.is_empty() || !change.removed.is_empty() {
            self.changes.push_back(change);
            if self.changes.len() > UNDONE {
                self.changes.pop_front();
            }
        }
    }

    pub fn add(&mut self, rows: Vec<T>) {
        self.change(rows, &[]);
    }

    fn flip(&mut self, rows: Vec<T>) {
        let (marked, unmarked): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| self.rows.contains_key(&row.id()));
        let marked: Vec<T::Id> = marked.into_iter().map(|row| row.id()).collect();
        self.change(unmarked, &marked);
    }

    fn clear(&mut self) {
        self.range_from = None;
        let all: Vec<T::Id> = self.rows.keys().cloned().collect();
        self.change(Vec::new(), &all);
    }

    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Undoes the last change. Returns the number of marks that came back and that went, or `None` if there is none.
    fn take_back(&mut self) -> Option<(u64, u64)> {
        let MarkChange { added, removed } = self.changes.pop_back()?;
        let counts = (removed.len() as u64, added.len() as u64);
        for id in added {
            self.rows.remove(&id);
        }
        self.rows.extend(removed.into_iter().map(|row| (row.id(), row)));
        Some(counts)
    }

    fn undo(&mut self, effects: &mut Effects<'_>) {
        match self.take_back() {
            None => effects.say(t!("There is no mark to undo.")),
            Some((back, 0)) => effects.say(plural!(back, "Restored {n} mark.", "Restored {n} marks.")),
            Some((0, gone)) => effects.say(plural!(gone, "Removed {n} mark.", "Removed {n} marks.")),
            Some((back, gone)) => effects.say(t!(
                "Marks restored: {back}, removed: {gone}.",
                back = number(back),
                gone = number(gone)
            )),
        }
    }

    /// Takes rows out for good, because they were processed: undoing must not mark them again.
    pub fn processed(&mut self, ids: impl IntoIterator<Item = T::Id>) {
        for id in ids {
            self.rows.remove(&id);
            for change in &mut self.changes {
                change.removed.retain(|row| row.id() != id);
                change.added.retain(|added| *added != id);
            }
        }
        self.changes.retain(|change| !change.added.is_empty() || !change.removed.is_empty());
    }

    pub fn refresh(&mut self, row: &T)
    where
        T: PartialEq,
    {
        let id = row.id();
        let removed = self.changes.iter_mut().flat_map(|change| &mut change.removed);
        let kept = removed.filter(|kept| kept.id() == id);
        for kept in kept.chain(self.rows.get_mut(&id)).filter(|kept| *kept != row) {
            kept.clone_from(row);
        }
    }

    /// `stack` has the keys of the actions.
    pub fn on_action(
        &mut self,
        action: Action,
        list: &mut PagedList<T>,
        stack: &[KeyContext],
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> bool {
        match action {
            Action::Mark => match list.selected().cloned() {
                Some(row) => {
                    self.flip(vec![row]);
                    list.move_by(1);
                }
                None => effects.say(t!("This row cannot be marked.")),
            },
            Action::Range => self.range(list, stack, cx, effects),
            Action::RangeDown | Action::RangeUp => {
                if !self.is_in_range() {
                    self.range(list, stack, cx, effects);
                }
                list.move_by(if action == Action::RangeDown { 1 } else { -1 });
            }
            Action::MarkLoaded => self.add_loaded(list, effects),
            Action::InvertMarks => self.flip_loaded(list, effects),
            Action::UndoLast => self.undo(effects),
            Action::ClearMarks => self.clear(),
            _ => return false,
        }
        true
    }

    /// The number of marked rows that the list does not show because a filter may hide them, as `hides` says.
    pub fn hidden(&self, list: &PagedList<T>, hides: &dyn Fn(&T) -> bool) -> usize {
        let hidden: Vec<_> = self.rows.iter().filter(|(_, row)| hides(row)).collect();
        if hidden.is_empty() {
            return 0;
        }
        let loaded: BTreeSet<T::Id> = list.loaded().map(|(_, row)| row.id()).collect();
        hidden.into_iter().filter(|(id, _)| !loaded.contains(id)).count()
    }

    /// The range that is drawn, the number of marks, and how many of them are hidden: see [`Self::hidden`].
    pub fn in_words(&self, list: &PagedList<T>, hides: &dyn Fn(&T) -> bool) -> String {
        let marked = number(self.rows.len() as u64);
        let marked = match self.hidden(list, hides) {
            _ if self.rows.is_empty() => None,
            0 => Some(t!("{marked} marked", marked)),
            hidden => Some(t!("{marked} marked ({hidden} hidden)", marked, hidden = number(hidden as u64))),
        };
        let range = self.range_start().map(|from| match T::shown_number(list.row_at(from), from) {
            Some(row) => t!("range from row {row}", row = number(row)),
            None => t!("a range has begun").to_owned(),
        });
        range.into_iter().chain(marked).collect::<Vec<_>>().join("  ")
    }

    /// Handles a mouse press on the selected row. A drag may start there.
    pub fn hold(&mut self, list: &PagedList<T>) {
        self.held = end(list).map(|here| (here, false));
    }

    /// Handles a drag over the rows, which marks them; beyond the list's edges it scrolls. Returns whether anything
    /// changed.
    pub fn on_drag(
        &mut self,
        drag: Drag,
        rows: Rect,
        list: &mut PagedList<T>,
        stack: &[KeyContext],
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> bool {
        match (drag, self.held.take()) {
            (Drag::To(line), Some((from, moved))) => {
                let before = list.cursor();
                match list.place_at(rows, line) {
                    Some(place) => list.move_to(place),
                    None if line < rows.y + rows.height / 2 => list.move_by(-1),
                    None => list.move_by(1),
                }
                let here = list.cursor();
                self.held = Some((from.clone(), moved || here != from.0));
                before != here
            }
            (Drag::End, Some((from, true))) if list.selected().is_some() => {
                self.range_from = Some(from);
                self.range(list, stack, cx, effects);
                true
            }
            (_, held) => held.is_some_and(|(_, moved)| moved),
        }
    }

    fn add_loaded(&mut self, list: &PagedList<T>, effects: &mut Effects<'_>) {
        let rows = loaded(list);
        effects.say(plural!(
            rows.len() as u64,
            "Marked the {n} loaded row, of {all} in the list.",
            "Marked all {n} loaded rows, of {all} in the list.",
            all = number(list.len())
        ));
        self.add(rows);
    }

    fn flip_loaded(&mut self, list: &PagedList<T>, effects: &mut Effects<'_>) {
        let rows = loaded(list);
        effects.say(plural!(
            rows.len() as u64,
            "Inverted the mark of {n} loaded row.",
            "Inverted the marks of {n} loaded rows.",
        ));
        self.flip(rows);
    }

    /// Begins a range at the selected row, or ends it there. Its rows are marked once they are read: see
    /// [`Marks::finish_range`].
    fn range(
        &mut self,
        list: &mut PagedList<T>,
        stack: &[KeyContext],
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) {
        let Some(here) = end(list) else {
            effects.say(t!("A range cannot start or end at this row."));
            return;
        };
        match self.range_from.take() {
            None => {
                self.range_from = Some(here);
                let key = |action| cx.key(stack, action);
                effects.say(t!(
                    "The range starts here. Go to its other end and press {key} again. {esc} cancels.",
                    key = key(Action::Range),
                    esc = key(Action::Back)
                ));
            }
            Some(from) if from.0.abs_diff(here.0) >= LARGEST_RANGE => effects.warn(t!(
                "lapel marks at most {most} rows at once, and this range has more. Nothing was marked. To revoke more, use a file of badge ids on the Activity tab.",
                most = number(LARGEST_RANGE)
            )),
            Some(from) => {
                let mut ends = [from, here];
                ends.sort();
                list.pin(ends[0].0, ends[1].0);
                self.ranging = Some(Ranging::Between(ends));
                self.finish_range(list, effects);
            }
        }
    }

    /// Begins a range at the selected row, for a list that does something else with its rows than marking them.
    pub fn begin_range(&mut self, list: &PagedList<T>) {
        self.range_from = end(list);
    }

    /// The place where a range begins, unless another row is there now. A row far away may not be loaded.
    pub fn range_start_in(&self, list: &PagedList<T>) -> Option<u64> {
        let (place, id) = self.range_from.as_ref().filter(|(place, _)| *place < list.len())?;
        list.row_at(*place).is_none_or(|row| row.id() == *id).then_some(*place)
    }

    /// Marks all rows of the list once they are read. Returns false if these are more than lapel marks at once.
    pub fn add_all(&mut self, list: &mut PagedList<T>) -> bool {
        let all = list.len();
        self.range_from = None;
        if (1..=LARGEST_RANGE).contains(&all) {
            list.pin(0, all - 1);
            self.ranging = Some(Ranging::All(all));
        }
        all <= LARGEST_RANGE
    }

    /// Forgets rows to mark that are not read yet, because the list shows others from now on.
    pub fn forget_reading(&mut self) {
        self.ranging = None;
    }

    pub fn forget_range(&mut self) {
        (self.range_from, self.ranging, self.held) = (None, None, None);
    }

    pub fn cancel_range(&mut self) -> bool {
        self.range_from.take().is_some()
    }

    pub fn is_in_range(&self) -> bool {
        self.range_from.is_some()
    }

    /// The place where a range begins, while it is drawn, dragged or read.
    pub fn range_start(&self) -> Option<u64> {
        let reading = match &self.ranging {
            Some(Ranging::Between([from, _])) => Some(from),
            _ => None,
        };
        let dragged = self.held.as_ref().filter(|(_, moved)| *moved).map(|(from, _)| from);
        dragged.or(self.range_from.as_ref()).or(reading).map(|(place, _)| *place)
    }

    /// Marks a range once all its rows are loaded and both ends still hold the same rows.
    /// Marks belong to rows. If an end has changed, the rows between may be others as well.
    pub fn finish_range(&mut self, list: &mut PagedList<T>, effects: &mut Effects<'_>) {
        let Some(ranging) = self.ranging.clone() else { return };
        if !list.pins_settled() {
            return;
        }
        self.ranging = None;
        let stands = |end: &RangeEnd<T>| list.row_at(end.0).is_some_and(|row| row.id() == end.1);
        let (is_same, places) = match &ranging {
            Ranging::Between([first, last]) => (stands(first) && stands(last), first.0..last.0 + 1),
            Ranging::All(all) => (list.len() == *all, 0..*all),
        };
        if !is_same {
            list.unpin();
            effects.warn(t!(
                "The list changed while lapel read the range. Nothing was marked. Start the range again."
            ));
            return;
        }
        let wanted = places.end - places.start;
        let rows: Vec<T> = places.filter_map(|place| list.row_at(place).cloned()).collect();
        list.unpin();
        let got = rows.len() as u64;
        self.add(rows);
        if got == wanted {
            effects.say(plural!(got, "Marked {n} row.", "Marked {n} rows."));
        } else {
            effects.warn(t!(
                "Marked {got} of {wanted} rows. The others could not be read and are not marked.",
                got,
                wanted
            ));
        }
    }
}

fn end<T: ListRow>(list: &PagedList<T>) -> Option<(u64, T::Id)> {
    list.selected().map(|row| (list.cursor(), row.id()))
}

pub fn between(from: u64, here: u64) -> RangeInclusive<u64> {
    from.min(here)..=from.max(here)
}

fn loaded<T: ListRow>(list: &PagedList<T>) -> Vec<T> {
    list.loaded().map(|(_, row)| row.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BadgeId, HistoryItem};
    use proptest::prelude::*;

    fn row(id: &str) -> HistoryItem {
        HistoryItem::for_test(BadgeId::new(id).expect("an id"))
    }

    proptest! {
        /// Undoing step by step goes back through every state.
        #[test]
        fn every_change_can_be_undone(changes in prop::collection::vec((0u8..3, prop::collection::vec(0u8..6, 0..4)), 0..30)) {
            let numbered = |id: &u8| row(&format!("B-{id}"));
            let (mut marks, mut states) = (Marks::default(), Vec::new());
            let ids = |marks: &Marks<HistoryItem>| marks.keys().cloned().collect::<Vec<_>>();
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
                prop_assert!(marks.take_back().is_some());
                prop_assert_eq!(ids(&marks), before);
            }
            prop_assert!(marks.take_back().is_none());
        }
    }

    #[test]
    fn what_was_processed_does_not_come_back() {
        let rows: Vec<HistoryItem> = ["B-1", "B-2"].map(row).into();
        let mut marks = Marks::default();
        marks.add(rows.clone());
        marks.clear();
        marks.processed([rows[0].badge_id.clone()]);
        assert_eq!(marks.take_back(), Some((1, 0)));
        assert_eq!(marks.keys().collect::<Vec<_>>(), [&rows[1].badge_id]);
    }
}
