//! A list over the service's pages. Its cost does not depend on the number of rows: a hundred or ten million.
//!
//! The list holds only pages near the visible rows. The selection is an id, not a row number: it stays on its
//! badge when the service inserts or removes rows. The list shows no row twice and leaves none out silently. It
//! marks a place if the service gave no row, an unreadable row, or a row that is already shown elsewhere.

mod draw;
mod pages;

pub use draw::{draw_position, draw_row, draw_texts};

use crate::api::MAX_ROWS_PER_PAGE;
use crate::domain::RecordProblem;
use crate::tui::prelude::*;
use std::cell::Cell;
use std::hash::Hash;

/// Maximum number of pages held at once, unless more are needed.
const KEPT: usize = 8;

pub trait ListRow: Clone {
    type Id: Clone + Eq + Hash + Ord;
    fn id(&self) -> Self::Id;
    /// The number that the list shows for the row at a place. `None` if the row has to be loaded for it.
    fn shown_number(_row: Option<&Self>, place: u64) -> Option<u64> {
        Some(place + 1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ListEntry<T> {
    Row(T),
    Unreadable(RecordProblem),
    /// The service counted a row here but gave none.
    Missing,
    /// The same record is already shown at this other place (0-based).
    Double(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowSlot<'a, T> {
    Entry(&'a ListEntry<T>),
    Loading,
    Failed(&'a str),
}

enum PageSlot<T> {
    Wanted,
    Loading(RequestId),
    Loaded(Vec<ListEntry<T>>),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListNote {
    /// Rows moved while they were read, so they were read again.
    Changed {
        before: u64,
        now: u64,
    },
    /// Rows keep moving. Duplicates are marked.
    KeepsMoving,
    SelectedGone,
}

pub type Comparison<T> = Box<dyn Fn(&T, &T) -> std::cmp::Ordering + Send>;

pub struct PagedList<T: ListRow> {
    slots: BTreeMap<u64, PageSlot<T>>,
    /// Pages from before a reload. They are shown until the new pages arrive, and if those fail.
    old: BTreeMap<u64, Vec<ListEntry<T>>>,
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
    note: Option<ListNote>,
    answered: bool,
    /// The order within each page, if the service does not sort.
    order: Option<Comparison<T>>,
    built: Cell<u64>,
}

impl<T: ListRow> Default for PagedList<T> {
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
            built: Cell::new(0),
        }
    }
}

impl<T: ListRow> PagedList<T> {
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
        self.slots.values().any(|s| matches!(s, PageSlot::Loading(_) | PageSlot::Wanted))
    }

    pub fn error(&self) -> Option<&str> {
        self.slots.values().find_map(|s| match s {
            PageSlot::Failed(e) => Some(e.as_str()),
            _ => None,
        })
    }

    /// From 0.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    pub fn top(&self) -> u64 {
        self.top
    }

    pub fn note(&self) -> Option<&ListNote> {
        self.note.as_ref()
    }

    /// Rows per page: the requested number, or the smaller number that the service gives.
    pub fn per_page(&self) -> u64 {
        self.per_page
    }

    /// Starts again for another filter or order. The cursor goes to the first row. The order within pages stays.
    pub fn restart(&mut self) -> Vec<RequestId> {
        let dropped = self.requests();
        let (order, adopted) = (self.order.take(), self.adopted);
        *self = Self { per_page: self.per_page, height: self.height, adopted, order, ..Self::default() };
        dropped
    }

    /// Reads everything again and keeps the selected id. The old rows are shown until then.
    pub fn reload(&mut self) -> Vec<RequestId> {
        let dropped = self.requests();
        for (page, slot) in std::mem::take(&mut self.slots) {
            if let PageSlot::Loaded(entries) = slot {
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

    fn requests(&self) -> Vec<RequestId> {
        let loading = |slot: &PageSlot<T>| match slot {
            PageSlot::Loading(request) => Some(*request),
            _ => None,
        };
        self.slots.values().filter_map(loading).collect()
    }

    pub fn height(&self) -> u16 {
        u16::try_from(self.height).unwrap_or(u16::MAX)
    }

    pub fn set_height(&mut self, rows: u16) {
        self.height = u64::from(rows).max(1);
        self.follow_cursor();
    }

    pub fn move_by(&mut self, rows: i64) {
        self.move_to(self.cursor.saturating_add_signed(rows));
    }

    /// At most to the last place.
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
        self.selected = self.row_at(self.cursor).map(ListRow::id);
    }

    pub fn selected(&self) -> Option<&T> {
        self.row_at(self.cursor)
    }

    pub fn row_at(&self, place: u64) -> Option<&T> {
        match self.place(place) {
            RowSlot::Entry(ListEntry::Row(row)) => Some(row),
            _ => None,
        }
    }

    pub fn place(&self, place: u64) -> RowSlot<'_, T> {
        let page = self.page_of(place);
        let within = usize::try_from(place % self.per_page).unwrap_or(usize::MAX);
        let slot = self.slots.get(&page);
        if let Some(PageSlot::Loaded(entries)) = slot {
            return entries.get(within).map_or(RowSlot::Entry(&ListEntry::Missing), RowSlot::Entry);
        }
        match (self.old.get(&page).and_then(|old| old.get(within)), slot) {
            (Some(entry), _) => RowSlot::Entry(entry),
            (None, Some(PageSlot::Failed(error))) => RowSlot::Failed(error),
            (None, _) => RowSlot::Loading,
        }
    }

    pub fn visible(&self) -> impl Iterator<Item = (u64, RowSlot<'_, T>)> {
        (self.top..(self.top + self.height).min(self.len())).map(|place| (place, self.place(place)))
    }

    pub fn loaded(&self) -> impl Iterator<Item = (u64, &T)> {
        self.slots.iter().flat_map(move |(page, slot)| {
            let entries: &[ListEntry<T>] = if let PageSlot::Loaded(entries) = slot { entries } else { &[] };
            entries.iter().enumerate().filter_map(move |(i, entry)| match entry {
                ListEntry::Row(row) => Some(((page - 1) * self.per_page + i as u64, row)),
                _ => None,
            })
        })
    }

    pub fn visible_pages(&self) -> std::ops::RangeInclusive<u64> {
        self.page_of(self.top)..=self.page_of((self.top + self.height).min(self.len()).saturating_sub(1))
    }

    fn page_of(&self, place: u64) -> u64 {
        place / self.per_page + 1
    }

    /// Keeps the pages between two places loaded, whether they are visible or not.
    pub fn pin(&mut self, from: u64, to: u64) {
        self.pinned = (self.page_of(from)..=self.page_of(to)).collect();
    }

    /// Keeps the pages between two places loaded, too.
    pub fn pin_also(&mut self, from: u64, to: u64) {
        self.pinned.extend(self.page_of(from)..=self.page_of(to));
    }

    /// Keeps the pages of these places loaded, and no other pages that are not visible.
    pub fn pin_all(&mut self, places: impl Iterator<Item = u64>) {
        self.pinned = places.map(|place| self.page_of(place)).collect();
    }

    pub fn unpin(&mut self) {
        self.pinned.clear();
    }

    /// Whether every pinned page is loaded or has failed.
    pub fn pins_settled(&self) -> bool {
        self.pinned
            .iter()
            .all(|p| matches!(self.slots.get(p), Some(PageSlot::Loaded(_) | PageSlot::Failed(_))))
    }

    /// Sets the order within pages that arrive from now on, if the service cannot sort.
    pub fn order_by(&mut self, order: Option<Comparison<T>>) {
        self.order = order;
    }

    pub fn is_page_loaded(&self, page: u64) -> bool {
        matches!(self.slots.get(&page), Some(PageSlot::Loaded(entries)) if !entries.is_empty())
    }

    pub fn page_rows(&self, page: u64) -> Vec<&T> {
        match self.slots.get(&page) {
            Some(PageSlot::Loaded(entries)) => entries
                .iter()
                .filter_map(|e| if let ListEntry::Row(row) = e { Some(row) } else { None })
                .collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
