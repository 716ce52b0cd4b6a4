//! The pages of a list: which ones it needs, what their responses change, and where the selected row is then.

use super::{KEPT, ListEntry, ListNote, ListRow, PageSlot, PagedList};
use crate::tui::prelude::*;

/// Distance to the end of the loaded rows at which the list fetches the next page, in rows.
const AHEAD: u64 = 20;
/// How often a list that changes while it is read is read again. After that the list only says so.
const SETTLES: u8 = 3;

impl<T: ListRow> PagedList<T> {
    fn needed(&self) -> BTreeSet<u64> {
        let mut needed: BTreeSet<u64> = self.pinned.clone();
        let last = self.page_of(self.last_place());
        let bottom = (self.top + self.height).saturating_sub(1);
        needed.extend(self.page_of(self.top)..=self.page_of(bottom).min(last));
        needed.insert(self.page_of(self.cursor));
        // Far from the loaded rows, load the page before too. It shows whether the service repeats its last page.
        if self.solid > 0 && self.page_of(self.top) > self.page_of(self.solid) {
            needed.insert(self.page_of(self.top).saturating_sub(1).max(1));
        }
        // Fetch the next page when the screen comes near it, once there are rows.
        if self.answered && !self.is_empty() {
            if self.top > 0 {
                needed.insert(self.page_of(self.top.saturating_sub(AHEAD)));
            }
            if self.top > 0 || bottom >= self.per_page {
                needed.insert(self.page_of(bottom + AHEAD).min(last));
            }
        }
        if let Some(looked) = &self.looking
            && !looked.is_empty()
        {
            let here = self.page_of(self.cursor);
            needed.insert((here + 1).min(last));
            needed.insert(here.saturating_sub(1).max(1));
        }
        needed
    }

    /// Starts the fetches that are needed now. `ask` requests a page and returns the request id. Returns the ids
    /// of running fetches that are no longer needed, for cancelling.
    pub fn load_visible(&mut self, mut ask: impl FnMut(u64) -> RequestId) -> Vec<RequestId> {
        let needed = self.needed();
        let mut dropped = Vec::new();
        self.slots.retain(|page, slot| match slot {
            PageSlot::Loading(request) if !needed.contains(page) => {
                dropped.push(*request);
                false
            }
            PageSlot::Wanted => needed.contains(page),
            _ => true,
        });
        for page in &needed {
            let slot = self.slots.entry(*page).or_insert(PageSlot::Wanted);
            if matches!(slot, PageSlot::Wanted) {
                *slot = PageSlot::Loading(ask(*page));
            }
        }
        self.evict(&needed);
        dropped
    }

    fn evict(&mut self, needed: &BTreeSet<u64>) {
        let here = self.page_of(self.cursor);
        while self.slots.len() > KEPT.max(needed.len()) {
            let furthest =
                self.slots.keys().copied().filter(|p| !needed.contains(p)).max_by_key(|p| p.abs_diff(here));
            match furthest {
                Some(page) => self.slots.remove(&page),
                None => break,
            };
        }
    }

    pub fn awaits(&self, request: RequestId) -> bool {
        self.slots.values().any(|s| matches!(s, PageSlot::Loading(t) if *t == request))
    }

    /// Takes the response to a fetch. Returns `None` if the list no longer waits for it. Otherwise returns the
    /// page number, and the ids of fetches that are no longer needed.
    pub fn on_response(
        &mut self,
        request: RequestId,
        answer: Result<Page<T>, String>,
    ) -> Option<(u64, Vec<RequestId>)> {
        let page = self.slots.iter().find_map(|(page, slot)| match slot {
            PageSlot::Loading(t) if *t == request => Some(*page),
            _ => None,
        })?;
        match answer {
            Err(error) => {
                self.slots.insert(page, PageSlot::Failed(error));
                self.answered = true;
                Some((page, Vec::new()))
            }
            Ok(answer) => Some((page, self.take(page, answer))),
        }
    }

    fn take(&mut self, page: u64, answer: Page<T>) -> Vec<RequestId> {
        self.answered = true;
        if let Some(size) = self.smaller_pages(page, &answer) {
            // The service gives fewer rows per page than requested. Count places in its page size from now on.
            let dropped = self.requests();
            self.per_page = size;
            self.adopted += 1;
            self.slots.clear();
            self.old.clear();
            self.total = answer.total_count;
            self.solid = 0;
            if page == 1 {
                self.store(1, answer);
            }
            self.settle_cursor();
            return dropped;
        }
        let before = std::mem::replace(&mut self.said, answer.total_count);
        if self.is_repeated(page, before, &answer) {
            return self.end_before(page, answer.total_count);
        }
        let moved = matches!((before, answer.total_count), (Some(b), Some(n)) if b != n && self.held_besides(page))
            || self.doubles(page, &answer);
        if self.disproved.is_none() && (answer.total_count.is_some() || self.total.is_none()) {
            self.total = answer.total_count;
        }
        let mut dropped = Vec::new();
        if moved {
            if self.settles < SETTLES {
                // The other loaded pages are from before the change.
                self.settles += 1;
                dropped = self.requests();
                self.slots.clear();
                self.old.clear();
                self.seen = 0;
                self.looking = self.selected.is_some().then(BTreeSet::new);
                let now = self.total.unwrap_or_default();
                self.note = Some(ListNote::Changed { before: before.unwrap_or(now), now });
            } else {
                self.note = Some(ListNote::KeepsMoving);
            }
        }
        self.store(page, answer);
        self.settle_cursor();
        dropped
    }

    /// Whether a page only repeats the rows of another page, with an unchanged count. The service then returns its
    /// last page for every higher number.
    fn is_repeated(&self, page: u64, before: Option<u64>, answer: &Page<T>) -> bool {
        if self.solid == 0 || page == 1 || before != answer.total_count || answer.items.is_empty() {
            return false;
        }
        let held = self.held_ids(page);
        let place = |row: &T| held.get(&row.id()).map(|place| self.page_of(*place));
        let Some(other) = answer.items.first().and_then(|(_, row)| place(row)) else { return false };
        self.page_rows(other).len() == answer.items.len()
            && answer.items.iter().all(|(_, row)| place(row) == Some(other))
    }

    /// Ends the list after the rows read without a gap: later rows are repetitions. Returns the fetches that are
    /// no longer needed.
    fn end_before(&mut self, page: u64, said: Option<u64>) -> Vec<RequestId> {
        let after = self.solid / self.per_page + 1;
        let dropped = self.requests();
        self.slots.retain(|page, slot| *page < after && matches!(slot, PageSlot::Loaded(_)));
        self.old.clear();
        self.disproved = Some(said.unwrap_or(0));
        self.seen = self.solid;
        // If pages in between are unknown, the next page decides.
        self.total = (page <= after || !self.solid.is_multiple_of(self.per_page)).then_some(self.solid);
        (self.selected, self.looking, self.note) = (None, None, None);
        self.settle_cursor();
        dropped
    }

    fn held_besides(&self, page: u64) -> bool {
        self.slots.iter().any(|(p, s)| *p != page && matches!(s, PageSlot::Loaded(_)))
    }

    fn doubles(&self, page: u64, answer: &Page<T>) -> bool {
        let held: BTreeSet<T::Id> = self.held_ids(page).into_keys().collect();
        answer.items.iter().any(|(_, row)| held.contains(&row.id()))
    }

    fn held_ids(&self, besides: u64) -> BTreeMap<T::Id, u64> {
        let within = |place: u64| self.page_of(place) != besides;
        self.loaded().filter(|(place, _)| within(*place)).map(|(place, row)| (row.id(), place)).collect()
    }

    /// The service's real page size, if it is smaller than requested.
    fn smaller_pages(&self, page: u64, answer: &Page<T>) -> Option<u64> {
        if self.adopted >= 2 {
            return None;
        }
        let given = answer.list_len as u64;
        let said = answer.rows_per_page.filter(|r| (1..self.per_page).contains(r) && given <= *r);
        // The service names no page size, but the first page is short and there are more rows.
        let shown = (page == 1
            && given > 0
            && given < self.per_page
            && answer.total_count.is_some_and(|t| t > self.per_page))
        .then_some(given);
        said.or(shown)
    }

    fn store(&mut self, page: u64, mut answer: Page<T>) {
        if let Some(order) = &self.order {
            // Sort only the records. Places without a record stay where they are.
            let places: Vec<usize> = answer.items.iter().map(|(place, _)| *place).collect();
            answer.items.sort_by(|(_, a), (_, b)| order(a, b));
            for (place, item) in places.into_iter().zip(&mut answer.items) {
                item.0 = place;
            }
        }
        let held = self.held_ids(page);
        let mut entries: Vec<ListEntry<T>> = Vec::with_capacity(answer.list_len);
        let first = (page - 1) * self.per_page;
        let mut own: BTreeMap<T::Id, u64> = BTreeMap::new();
        let mut problems = answer.problems.into_iter();
        let mut items = answer.items.into_iter().peekable();
        // Drop rows beyond the page size: they belong to the next page, and would move its rows.
        for place in 0..answer.list_len.min(usize::try_from(self.per_page).unwrap_or(usize::MAX)) {
            let entry = match items.next_if(|(at, _)| *at == place) {
                Some((_, row)) => {
                    let id = row.id();
                    match held.get(&id).or_else(|| own.get(&id)) {
                        Some(other) => ListEntry::Double(*other),
                        None => {
                            own.insert(id, first + place as u64);
                            ListEntry::Row(row)
                        }
                    }
                }
                None => problems.next().map_or(ListEntry::Missing, ListEntry::Unreadable),
            };
            entries.push(entry);
        }
        // An empty page does not prove that there are rows before it.
        if !entries.is_empty() {
            self.seen = self.seen.max(first + entries.len() as u64);
        }
        if first <= self.solid {
            self.solid = self.solid.max(first + entries.len() as u64);
        }
        let counted = self.total.is_some_and(|t| t >= self.seen);
        if !counted && (entries.len() as u64) < self.per_page {
            // Without a trusted count, a page that is not full is the last one.
            self.total = Some(self.seen);
        }
        self.old.remove(&page);
        self.slots.insert(page, PageSlot::Loaded(entries));
        // Once all pages are loaded, the old pages are no longer needed.
        if !self.slots.values().any(|s| !matches!(s, PageSlot::Loaded(_))) {
            self.old.clear();
        }
    }

    /// Shows these rows and no others. The selected row stays selected if it is among them.
    pub fn hold(&mut self, rows: Vec<T>) {
        let all = rows.len() as u64;
        self.per_page = all.max(1);
        (self.total, self.said, self.seen, self.solid) = (Some(all), Some(all), all, all);
        self.answered = true;
        self.slots = BTreeMap::from([(1, PageSlot::Loaded(rows.into_iter().map(ListEntry::Row).collect()))]);
        self.settle_cursor();
    }

    /// Only if the row is loaded.
    pub fn select(&mut self, id: Option<T::Id>) {
        self.selected = id;
        self.settle_cursor();
    }

    /// Moves the cursor to the selected id, or selects the record under the cursor.
    fn settle_cursor(&mut self) {
        self.cursor = self.cursor.min(self.last_place());
        let Some(id) = self.selected.clone() else {
            self.select_at_cursor();
            self.follow_cursor();
            return;
        };
        let found = self.loaded().find(|(_, row)| row.id() == id).map(|(place, _)| place);
        let here = self.page_of(self.cursor);
        let loaded = |page: u64| matches!(self.slots.get(&page), Some(PageSlot::Loaded(_)));
        if let Some(place) = found {
            // Scroll too, so that the row keeps its position on the screen.
            let into = self.cursor - self.top.min(self.cursor);
            self.cursor = place;
            // At the very top, show the new rows above too.
            self.top = if self.top == 0 && place < self.height { 0 } else { place.saturating_sub(into) };
            self.looking = None;
        } else if let Some(looked) = &mut self.looking {
            looked.insert(here);
            let last = self.len().saturating_sub(1) / self.per_page + 1;
            let around = [here, (here + 1).min(last), here.saturating_sub(1).max(1)];
            if around.into_iter().all(loaded) {
                self.looking = None;
                self.note = Some(ListNote::SelectedGone);
                self.select_at_cursor();
            }
        } else if loaded(here) {
            self.select_at_cursor();
        }
        self.follow_cursor();
    }
}
