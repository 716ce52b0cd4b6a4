//! One pass over the pages of a list, with the rules that end it. It only counts: the caller keeps the records.

use crate::api::filters::MAX_ROWS_PER_PAGE;
use serde::{Deserialize, Serialize};

/// Consecutive pages without a new id after which a pass ends.
const MOST_BARREN: u64 = 3;
/// Maximum requests of a pass beyond the pages that the count requires.
const MOST_EXTRA: u64 = 5;
/// A larger `total_count` is read as this.
const MOST_ROWS: u64 = 10_000_000;
/// Maximum rows of a pass if the service gives no credible count.
const MOST_UNCOUNTED: u64 = 1_000_000;
/// Growth allowed during a pass, in rows; doubling is allowed, too. Beyond it the pass ends.
const MOST_GROWTH: u64 = 1_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassPage {
    /// Readable or not.
    pub len: u64,
    /// Ids that this pass had not seen.
    pub fresh: u64,
    pub unreadable: u64,
    pub total: Option<u64>,
    /// No readable list, so it is unknown whether the page is empty.
    pub is_hole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassStop {
    /// It read as many entries as the service counts.
    Counted,
    /// An empty page, without a count.
    Empty,
    /// It read all pages that the count requires, and some were empty.
    Covered,
    /// Three consecutive pages had no new id, or more if rows arrived meanwhile.
    Barren,
    /// It used all requests that the count allows, and pages still had new ids.
    Limit,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pass {
    pages: u64,
    /// Entries up to the last page with a new id.
    entries: u64,
    /// Entries on pages after that one.
    trailing: u64,
    /// Unreadable entries among those.
    trailing_unreadable: u64,
    /// Entries of the longest page.
    largest: u64,
    last_len: u64,
    /// Whether a page was shorter than others although more followed.
    ragged: bool,
    empty: u64,
    /// Consecutive pages without a new id.
    barren: u64,
    first_total: Option<u64>,
    last_total: Option<u64>,
    most_total: u64,
    moved: bool,
    /// A page had more entries than the count, so the count is not credible.
    pub(super) lies: bool,
    stop: Option<PassStop>,
}

impl Pass {
    /// From 1; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        self.stop.is_none().then_some(self.pages.saturating_add(1))
    }

    pub fn stop(&self) -> Option<PassStop> {
        self.stop
    }

    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Entries read so far, without final pages that had nothing new.
    pub fn entries(&self) -> u64 {
        self.entries.saturating_add(self.trailing_unreadable)
    }

    pub fn first_total(&self) -> Option<u64> {
        self.first_total
    }

    pub fn last_total(&self) -> Option<u64> {
        self.last_total
    }

    /// The service may return fewer than requested.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Only a credible count counts.
    pub fn is_moved(&self) -> bool {
        self.moved && !self.lies
    }

    /// `None` if it is not credible.
    pub(super) fn believed(&self) -> Option<u64> {
        self.last_total.filter(|_| !self.lies)
    }

    fn rows(&self) -> u64 {
        if self.largest == 0 { MAX_ROWS_PER_PAGE.into() } else { self.largest }
    }

    /// An empty page may hide records, so it proves no end after a full page. A page is full if it
    /// is as long as the longest one, or as long as requested if it is the only one.
    pub(super) fn is_surely_over(&self) -> bool {
        let is_only = self.pages.saturating_sub(self.empty) <= 1;
        let full = if is_only { MAX_ROWS_PER_PAGE.into() } else { self.largest };
        let nothing_new_before = self.barren > 1;
        self.stop != Some(PassStop::Empty) || nothing_new_before || !self.ragged && self.last_len < full
    }

    fn grown(&self) -> u64 {
        self.believed().unwrap_or(0).saturating_sub(self.first_total.unwrap_or(0))
    }

    fn limit(&self) -> u64 {
        let rows = match (self.believed(), self.first_total) {
            (Some(_), Some(first)) => {
                let most = first.saturating_mul(2).max(first.saturating_add(MOST_GROWTH)).min(MOST_ROWS);
                self.most_total.min(most)
            }
            _ => MOST_UNCOUNTED,
        };
        rows.div_ceil(self.rows()).saturating_add(MOST_EXTRA)
    }

    pub(super) fn spare(&self) -> u64 {
        self.limit().saturating_sub(self.pages)
    }

    /// According to the count.
    pub fn left(&self) -> u64 {
        if self.stop.is_some() {
            return 0;
        }
        let rows = self.believed().unwrap_or(0).min(MOST_ROWS).saturating_sub(self.entries());
        rows.div_ceil(self.rows()).max(1)
    }

    pub fn take(&mut self, page: PassPage) {
        self.pages = self.pages.saturating_add(1);
        if let Some(total) = page.total {
            self.moved |= *self.first_total.get_or_insert(total) != total;
            self.last_total = Some(total);
            self.most_total = self.most_total.max(total);
            self.lies |= page.len > total;
        }
        if page.len == 0 {
            self.empty = self.empty.saturating_add(1);
        } else {
            self.ragged |= self.last_len > 0 && self.last_len < self.largest.max(page.len);
            self.last_len = page.len;
            self.largest = self.largest.max(page.len);
        }
        if page.fresh > 0 {
            self.entries = self.entries.saturating_add(self.trailing).saturating_add(page.len);
            (self.trailing, self.trailing_unreadable, self.barren) = (0, 0, 0);
        } else {
            self.trailing = self.trailing.saturating_add(page.len);
            self.trailing_unreadable = self.trailing_unreadable.saturating_add(page.unreadable);
            self.barren = self.barren.saturating_add(1);
        }
        self.stop = self.judge(page.len == 0 && !page.is_hole);
    }

    fn judge(&self, is_empty: bool) -> Option<PassStop> {
        let total = self.believed();
        let covered = self.empty > 0
            && !self.ragged
            && self.largest > 0
            && total.is_some_and(|total| self.pages.saturating_mul(self.largest) >= total);
        if total == Some(self.entries()) {
            Some(PassStop::Counted)
        } else if total.is_none() && is_empty {
            Some(PassStop::Empty)
        } else if self.barren >= MOST_BARREN.saturating_add(self.grown() / self.rows()) {
            // New rows at the top moved known rows to this many of the next pages.
            Some(PassStop::Barren)
        } else if covered {
            Some(PassStop::Covered)
        } else if self.pages >= self.limit() {
            Some(PassStop::Limit)
        } else {
            None
        }
    }
}
