//! A list over the service's pages. Its cost does not depend on the number of rows: a hundred or ten million.
//!
//! The list holds only pages near the visible rows. The selection is an id, not a row number: it stays on its
//! badge when the service inserts or removes rows. The list shows no row twice and leaves none out silently. It
//! marks a place if the service gave no row, an unreadable row, or a row that is already shown elsewhere.

use crate::api::MAX_ROWS_PER_PAGE;
use crate::domain::{Page, RecordProblem};
use crate::tui::request::RequestId;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

/// Maximum number of pages held at once, unless more are needed.
const KEPT: usize = 8;
/// Distance to the end of the loaded rows at which the list fetches the next page, in rows.
const AHEAD: u64 = 20;
/// How often a list that changes while it is read is read again. After that the list only says so.
const SETTLES: u8 = 3;

pub trait Row: Clone {
    type Id: Clone + Eq + Hash + Ord;
    fn id(&self) -> Self::Id;
}

#[derive(Clone, Debug, PartialEq)]
pub enum Entry<T> {
    Row(T),
    Unreadable(RecordProblem),
    /// The service counted a row here but gave none.
    Missing,
    /// The same record is already shown at this other place (0-based).
    Double(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowState<'a, T> {
    Entry(&'a Entry<T>),
    Loading,
    Failed(&'a str),
}

enum Slot<T> {
    Wanted,
    Loading(RequestId),
    Loaded(Vec<Entry<T>>),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Rows moved while they were read, so they were read again.
    Changed {
        /// `total_count` before.
        before: u64,
        /// `total_count` now.
        now: u64,
    },
    /// Rows keep moving. Duplicates are marked.
    KeepsMoving,
    /// The selected row is no longer in the list.
    SelectedGone,
}

pub type Comparison<T> = Box<dyn Fn(&T, &T) -> std::cmp::Ordering + Send>;

pub struct PagedList<T: Row> {
    slots: BTreeMap<u64, Slot<T>>,
    /// Pages from before a reload. They are shown until the new pages arrive, and if those fail.
    old: BTreeMap<u64, Vec<Entry<T>>>,
    per_page: u64,
    total: Option<u64>,
    /// The last `total_count` of the service, trusted or not. A change means that rows moved.
    said: Option<u64>,
    /// One past the last place that ever had a row. A smaller `total_count` is wrong.
    seen: u64,
    /// One past the last place without a gap: every page from the first to here was loaded.
    solid: u64,
    /// The `total_count` of a service that repeats its rows on several pages. The list ignores it.
    disproved: Option<u64>,
    cursor: u64,
    top: u64,
    height: u64,
    selected: Option<T::Id>,
    /// The pages already searched for the selected id after rows moved. The search covers neighbouring pages.
    looking: Option<BTreeSet<u64>>,
    pinned: BTreeSet<u64>,
    settles: u8,
    adopted: u8,
    note: Option<Note>,
    answered: bool,
    /// The order within each page, if the service does not sort.
    order: Option<Comparison<T>>,
}

impl<T: Row> Default for PagedList<T> {
    fn default() -> Self {
        Self {
            slots: BTreeMap::new(),
            old: BTreeMap::new(),
            per_page: u64::from(MAX_ROWS_PER_PAGE),
            total: None,
            said: None,
            seen: 0,
            solid: 0,
            disproved: None,
            cursor: 0,
            top: 0,
            height: 1,
            selected: None,
            looking: None,
            pinned: BTreeSet::new(),
            settles: 0,
            adopted: 0,
            note: None,
            answered: false,
            order: None,
        }
    }
}

impl<T: Row> PagedList<T> {
    /// The number of rows as far as known: the trusted count, or more if more rows were seen.
    pub fn len(&self) -> u64 {
        self.total.unwrap_or(0).max(self.seen)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the service gave a count that the rows seen do not contradict.
    pub fn is_counted(&self) -> bool {
        self.total.is_some_and(|t| t >= self.seen)
    }

    /// The service's count, if the service repeats rows on pages beyond its last one.
    pub fn disproved(&self) -> Option<u64> {
        self.disproved
    }

    /// Whether a response has arrived since the last restart. An error counts.
    pub fn is_answered(&self) -> bool {
        self.answered
    }

    /// Whether a fetch is running or about to start.
    pub fn is_loading(&self) -> bool {
        self.slots.values().any(|s| matches!(s, Slot::Loading(_) | Slot::Wanted))
    }

    /// The first error among the loaded pages.
    pub fn error(&self) -> Option<&str> {
        self.slots.values().find_map(|s| match s {
            Slot::Failed(e) => Some(e.as_str()),
            _ => None,
        })
    }

    /// The place of the cursor, from 0.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    pub fn top(&self) -> u64 {
        self.top
    }

    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// Rows per page: the requested number, or the smaller number that the service gives.
    pub fn per_page(&self) -> u64 {
        self.per_page
    }

    /// Starts again for another filter or order. The cursor goes to the first row. The order within pages stays.
    pub fn restart(&mut self) -> Vec<RequestId> {
        let dropped = self.tickets();
        let (order, adopted) = (self.order.take(), self.adopted);
        *self = Self { per_page: self.per_page, height: self.height, adopted, order, ..Self::default() };
        dropped
    }

    /// Reads everything again and keeps the selected id. The old rows are shown until then.
    pub fn reload(&mut self) -> Vec<RequestId> {
        let dropped = self.tickets();
        for (page, slot) in std::mem::take(&mut self.slots) {
            if let Slot::Loaded(entries) = slot {
                self.old.insert(page, entries);
            }
        }
        while self.old.len() > KEPT {
            self.old.pop_first();
        }
        self.settles = 0;
        self.note = None;
        // A reload trusts the service's count again.
        self.seen = 0;
        self.disproved = None;
        self.looking = self.selected.is_some().then(BTreeSet::new);
        dropped
    }

    fn tickets(&self) -> Vec<RequestId> {
        let loading = |slot: &Slot<T>| match slot {
            Slot::Loading(ticket) => Some(*ticket),
            _ => None,
        };
        self.slots.values().filter_map(loading).collect()
    }

    pub fn set_height(&mut self, rows: u16) {
        self.height = u64::from(rows).max(1);
        self.follow_cursor();
    }

    pub fn move_by(&mut self, rows: i64) {
        self.move_to(self.cursor.saturating_add_signed(rows));
    }

    pub fn page_by(&mut self, screens: i64) {
        let step = i64::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(i64::MAX);
        self.move_by(step.saturating_mul(screens));
    }

    /// Moves the cursor to a place, at most to the last one.
    pub fn move_to(&mut self, place: u64) {
        self.cursor = place.min(self.last_place());
        self.looking = None;
        self.note = None;
        self.settles = 0;
        self.select_at_cursor();
        self.follow_cursor();
    }

    /// The last place that the cursor can reach. Without a trusted count, that is the first place after a full
    /// last page, so that the next page is fetched.
    fn last_place(&self) -> u64 {
        match self.total {
            _ if !self.is_counted()
                && self.answered
                && self.seen > 0
                && self.seen.is_multiple_of(self.per_page) =>
            {
                self.seen
            }
            _ => self.len().saturating_sub(1),
        }
    }

    fn follow_cursor(&mut self) {
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + self.height {
            self.top = self.cursor + 1 - self.height;
        }
        self.top = self
            .top
            .min(self.len().saturating_sub(self.height).max(self.cursor.saturating_sub(self.height - 1)));
    }

    fn select_at_cursor(&mut self) {
        self.selected = self.row_at(self.cursor).map(Row::id);
    }

    pub fn selected(&self) -> Option<&T> {
        self.row_at(self.cursor)
    }

    /// The record at a place, if its page is loaded and has one there.
    pub fn row_at(&self, place: u64) -> Option<&T> {
        match self.place(place) {
            RowState::Entry(Entry::Row(row)) => Some(row),
            _ => None,
        }
    }

    pub fn place(&self, place: u64) -> RowState<'_, T> {
        match self.slots.get(&self.page_of(place)) {
            Some(Slot::Loaded(entries)) => {
                let within = usize::try_from(place % self.per_page).unwrap_or(usize::MAX);
                entries.get(within).map_or(RowState::Entry(&Entry::Missing), RowState::Entry)
            }
            other => {
                let within = usize::try_from(place % self.per_page).unwrap_or(usize::MAX);
                match (self.old.get(&self.page_of(place)).and_then(|old| old.get(within)), other) {
                    (Some(entry), _) => RowState::Entry(entry),
                    (None, Some(Slot::Failed(error))) => RowState::Failed(error),
                    (None, _) => RowState::Loading,
                }
            }
        }
    }

    /// The visible places with their states, at most as many as the list is high.
    pub fn visible(&self) -> impl Iterator<Item = (u64, RowState<'_, T>)> {
        (self.top..(self.top + self.height).min(self.len())).map(|place| (place, self.place(place)))
    }

    pub fn loaded(&self) -> impl Iterator<Item = (u64, &T)> {
        self.slots.iter().flat_map(move |(page, slot)| {
            let entries: &[Entry<T>] = if let Slot::Loaded(entries) = slot { entries } else { &[] };
            entries.iter().enumerate().filter_map(move |(i, entry)| match entry {
                Entry::Row(row) => Some(((page - 1) * self.per_page + i as u64, row)),
                _ => None,
            })
        })
    }

    fn page_of(&self, place: u64) -> u64 {
        place / self.per_page + 1
    }

    /// Keeps the pages between two places loaded, whether they are visible or not.
    pub fn pin(&mut self, from: u64, to: u64) {
        self.pinned = (self.page_of(from)..=self.page_of(to)).collect();
    }

    pub fn unpin(&mut self) {
        self.pinned.clear();
    }

    /// Whether every pinned page is loaded or has failed.
    pub fn pins_settled(&self) -> bool {
        self.pinned.iter().all(|p| matches!(self.slots.get(p), Some(Slot::Loaded(_) | Slot::Failed(_))))
    }

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
            Slot::Loading(ticket) if !needed.contains(page) => {
                dropped.push(*ticket);
                false
            }
            Slot::Wanted => needed.contains(page),
            _ => true,
        });
        for page in &needed {
            let slot = self.slots.entry(*page).or_insert(Slot::Wanted);
            if matches!(slot, Slot::Wanted) {
                *slot = Slot::Loading(ask(*page));
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

    pub fn awaits(&self, ticket: RequestId) -> bool {
        self.slots.values().any(|s| matches!(s, Slot::Loading(t) if *t == ticket))
    }

    /// Takes the response to a fetch. Returns `None` if the list no longer waits for it. Otherwise returns the
    /// page number, and the ids of fetches that are no longer needed.
    pub fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Result<Page<T>, String>,
    ) -> Option<(u64, Vec<RequestId>)> {
        let page = self.slots.iter().find_map(|(page, slot)| match slot {
            Slot::Loading(t) if *t == ticket => Some(*page),
            _ => None,
        })?;
        match answer {
            Err(error) => {
                self.slots.insert(page, Slot::Failed(error));
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
            let dropped = self.tickets();
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
                dropped = self.tickets();
                self.slots.clear();
                self.old.clear();
                self.seen = 0;
                self.looking = self.selected.is_some().then(BTreeSet::new);
                let now = self.total.unwrap_or_default();
                self.note = Some(Note::Changed { before: before.unwrap_or(now), now });
            } else {
                self.note = Some(Note::KeepsMoving);
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
        let dropped = self.tickets();
        self.slots.retain(|page, slot| *page < after && matches!(slot, Slot::Loaded(_)));
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
        self.slots.iter().any(|(p, s)| *p != page && matches!(s, Slot::Loaded(_)))
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
        let mut entries: Vec<Entry<T>> = Vec::with_capacity(answer.list_len);
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
                        Some(other) => Entry::Double(*other),
                        None => {
                            own.insert(id, first + place as u64);
                            Entry::Row(row)
                        }
                    }
                }
                None => problems.next().map_or(Entry::Missing, Entry::Unreadable),
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
        self.slots.insert(page, Slot::Loaded(entries));
        // Once all pages are loaded, the old pages are no longer needed.
        if !self.slots.values().any(|s| !matches!(s, Slot::Loaded(_))) {
            self.old.clear();
        }
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
        let loaded = |page: u64| matches!(self.slots.get(&page), Some(Slot::Loaded(_)));
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
                self.note = Some(Note::SelectedGone);
                self.select_at_cursor();
            }
        } else if loaded(here) {
            self.select_at_cursor();
        }
        self.follow_cursor();
    }

    /// Sets the order within pages that arrive from now on, if the service cannot sort.
    pub fn order_by(&mut self, order: Option<Comparison<T>>) {
        self.order = order;
    }

    pub fn page_rows(&self, page: u64) -> Vec<&T> {
        match self.slots.get(&page) {
            Some(Slot::Loaded(entries)) => entries
                .iter()
                .filter_map(|e| if let Entry::Row(row) = e { Some(row) } else { None })
                .collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
