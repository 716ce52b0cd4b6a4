//! Reading a paged list to its end. Every such reading goes through here: `--all`, exports, marking all, the
//! duplicate check, the search for rows in doubt, look-ups of a holder; the index shares [`Pass`].
//!
//! One page is never taken for all: people were left out of mailings because a list call used its default page
//! size. The contract gives no cursor, so a list may change while it is read: rows that come in push others
//! from one page to the next. Every record is known by its id and given out once, the count is compared with
//! what was seen, and where the two differ the list is read again from its beginning, a few times.
//!
//! While a list has only grown, it cannot hold more than the ids that are known and the ones that are not: as
//! soon as there are as many known ones as the service counts, all are known. Where rows have left it, only a
//! whole pass during which the count did not change proves that.
//!
//! Pages may lie. A page in the middle may be empty, the last page may be repeated for ever, rows may come in
//! faster than pages are read, and the count may be wrong. The rules of [`Pass`] end every reading; a reading
//! that ended without proof is incomplete and says so, and what it found is used.

use super::error::{ApiError, Result};
use super::filters::{MAX_ROWS_PER_PAGE, Paging};
use crate::domain::{Page, RecordProblem};
use serde::{Deserialize, Serialize};
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::hash::{BuildHasher, Hash};

/// Pages in a row without a new id after which a pass ends.
const MOST_BARREN: u64 = 3;
/// Requests that a pass may take beyond the pages that the count asks for.
const MOST_EXTRA: u64 = 5;
/// A `total_count` above this is read as this.
const MOST_ROWS: u64 = 10_000_000;
/// Rows that a pass reads at most where the service gives no count that can be believed.
const MOST_UNCOUNTED: u64 = 1_000_000;
/// A list may double while it is read, or grow by this many rows; beyond it the pass ends.
const MOST_GROWTH: u64 = 1_000;
/// Passes over a list that keeps changing.
const PASSES: u16 = 5;
/// Empty or short pages that are asked for again in halves.
const MOST_GAPS: usize = 2;
/// Records that could not be read are named up to this number; beyond it they are counted.
const MOST_NAMED: usize = 20;

/// What one page brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// Entries of its list, readable or not.
    pub len: u64,
    /// Ids among them that this pass had not seen.
    pub fresh: u64,
    /// Entries that could not be read.
    pub unreadable: u64,
    /// Its `total_count`.
    pub total: Option<u64>,
    /// Whether there was no list that could be read: not even that it is empty is known.
    pub is_hole: bool,
}

/// Why a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// As many entries were read as the service counts.
    Counted,
    /// An empty page, where there is no count.
    Empty,
    /// All pages that the count asks for were read; some of them were empty.
    Covered,
    /// Three pages in a row had no new id.
    Barren,
    /// The most requests that the count allows were made, and pages still brought something new.
    Limit,
}

/// One pass over the pages of a list, from the first on, and the rules by which it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pass {
    /// Pages that were read.
    pages: u64,
    /// Entries up to the last page that had a new id.
    entries: u64,
    /// Entries of the pages after that one.
    trailing: u64,
    /// Those of them that could not be read.
    trailing_unreadable: u64,
    /// The longest page.
    largest: u64,
    /// The last page that was not empty.
    last_len: u64,
    /// Whether a page was shorter than others although more followed.
    ragged: bool,
    /// Pages that were empty.
    empty: u64,
    /// Pages in a row without a new id.
    barren: u64,
    first_total: Option<u64>,
    last_total: Option<u64>,
    /// The largest count.
    most_total: u64,
    /// Whether the count changed.
    moved: bool,
    /// Whether a page had more entries than the service counted in all: its counts say nothing.
    lies: bool,
    stop: Option<Stop>,
}

impl Pass {
    /// The 1-based number of the page to be read next; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        self.stop.is_none().then_some(self.pages.saturating_add(1))
    }

    /// Why it ended; `None` before.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Pages that were read.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Entries that were gone over, without those of pages at the end that had nothing new.
    pub fn entries(&self) -> u64 {
        self.entries.saturating_add(self.trailing_unreadable)
    }

    /// The first `total_count`.
    pub fn first_total(&self) -> Option<u64> {
        self.first_total
    }

    /// The last `total_count`.
    pub fn last_total(&self) -> Option<u64> {
        self.last_total
    }

    /// Entries of the longest page: the service may give fewer than it is asked for.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether the count changed meanwhile, as far as it can be believed.
    pub fn is_moved(&self) -> bool {
        self.moved && !self.lies
    }

    /// The count, where it can be believed.
    fn believed(&self) -> Option<u64> {
        self.last_total.filter(|_| !self.lies)
    }

    fn rows(&self) -> u64 {
        if self.largest == 0 { MAX_ROWS_PER_PAGE.into() } else { self.largest }
    }

    /// Whether an end without a count is certain. Empty pages may hide records: one that follows a full page is no
    /// end. A page is full that has as many entries as the longest, or as were asked for where it is the only one.
    fn is_surely_over(&self) -> bool {
        let is_only = self.pages.saturating_sub(self.empty) <= 1;
        let full = if is_only { MAX_ROWS_PER_PAGE.into() } else { self.largest };
        let nothing_new_before = self.barren > 1;
        self.stop != Some(Stop::Empty) || nothing_new_before || !self.ragged && self.last_len < full
    }

    /// How many rows have come in during this pass.
    fn grown(&self) -> u64 {
        self.believed().unwrap_or(0).saturating_sub(self.first_total.unwrap_or(0))
    }

    /// Requests that the pass may take.
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

    /// Requests that are left of what the pass may take.
    fn spare(&self) -> u64 {
        self.limit().saturating_sub(self.pages)
    }

    /// Pages that are left, as far as the count tells.
    pub fn left(&self) -> u64 {
        if self.stop.is_some() {
            return 0;
        }
        let rows = self.believed().unwrap_or(0).min(MOST_ROWS).saturating_sub(self.entries());
        rows.div_ceil(self.rows()).max(1)
    }

    /// Takes the page that was asked for.
    pub fn take(&mut self, page: Brought) {
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

    fn judge(&self, is_empty: bool) -> Option<Stop> {
        let total = self.believed();
        let covered = self.empty > 0
            && !self.ragged
            && self.largest > 0
            && total.is_some_and(|total| self.pages.saturating_mul(self.largest) >= total);
        if total == Some(self.entries()) {
            Some(Stop::Counted)
        } else if total.is_none() && is_empty {
            Some(Stop::Empty)
        } else if self.barren >= MOST_BARREN.saturating_add(self.grown() / self.rows()) {
            // What came in above pushed known rows onto this many of the next pages.
            Some(Stop::Barren)
        } else if covered {
            Some(Stop::Covered)
        } else if self.pages >= self.limit() {
            Some(Stop::Limit)
        } else {
            None
        }
    }
}

/// How a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything that the service counts was given out.
    Complete,
    /// It was read to its end without a count: the list is empty from the first page on, its last page was short, or
    /// nothing new came before the end.
    Uncounted,
    /// It was read to an empty page behind a full one, and the service gives no count: the empty page may hide more.
    Unconfirmed,
    /// Records or pages could not be read; everything else was given out.
    Unreadable,
    /// It was read until nothing new came, and the service counts more, or fewer.
    Disagrees,
    /// It moved each time it was read.
    Moving,
    /// It was given up: pages brought more than the service counts, or rows came in faster than they were read.
    Stopped,
}

impl End {
    /// Whether everything is known to have been given out, as far as the service can tell.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::Complete | Self::Uncounted)
    }
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Distinct records that were given out.
    pub rows: u64,
    /// The service's last `total_count`.
    pub total_count: Option<u64>,
    /// Requests that it took.
    pub requests: u64,
    /// How it ended.
    pub end: End,
    /// Records that were given out and had left the list by the last pass.
    pub gone: u64,
    /// Records that could not be read, in the last whole pass.
    pub unreadable: u64,
    /// The first of them by page and place, and what else was odd in that pass.
    pub problems: Vec<RecordProblem>,
}

/// A page that a reading asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its 1-based number.
    pub page: u64,
    /// Rows a page.
    pub rows: u32,
}

impl Wanted {
    /// In the service's own order.
    pub fn paging(self) -> Paging {
        Paging { page: self.page, rows_per_page: self.rows, sort: Vec::new() }
    }
}

/// Reads a list until nothing is missing: hand in the answer for each page that [`PageReader::next`] asks for.
///
/// Memory: 16 bytes a record and what a hash table adds. Ids are known by a fingerprint; should two ever have
/// the same one, a record would look missing, and the count would say so.
#[derive(Debug)]
pub struct PageReader {
    /// Fingerprints, with the pass in which each was last seen.
    known: HashMap<u64, u16>,
    hasher: RandomState,
    requests: u64,
    /// Passes at most.
    passes: u16,
    number: u16,
    pass: Pass,
    seen: Seen,
    /// Parts of empty pages, to be asked for again.
    again: VecDeque<Wanted>,
    /// What the pass before had found, at its end.
    before: Option<(u64, Option<u64>)>,
    total_count: Option<u64>,
    /// Whether the count has ever become smaller.
    shrank: bool,
    /// Why the first page could not be read that could not.
    trouble: Option<ApiError>,
    problems: Vec<RecordProblem>,
    end: Option<(End, u64)>,
}

/// What a pass has seen.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Distinct records.
    distinct: u64,
    unreadable: u64,
    /// Pages that could not be read at all.
    holes: u64,
    /// Entries of each page.
    lens: Vec<u64>,
    /// Entries of records that this pass had already seen, on pages that had something new, or before such.
    doubles: u64,
    /// The same on the pages since then.
    trailing_doubles: u64,
    /// Records that no pass had seen before.
    new: u64,
}

impl Default for PageReader {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            hasher: RandomState::new(),
            requests: 0,
            passes: PASSES,
            number: 1,
            pass: Pass::default(),
            seen: Seen::default(),
            again: VecDeque::new(),
            before: None,
            total_count: None,
            shrank: false,
            trouble: None,
            problems: Vec::new(),
            end: None,
        }
    }
}

impl PageReader {
    /// The same with so many passes over a list that changes meanwhile.
    #[must_use]
    pub fn passes(mut self, most: u16) -> Self {
        self.passes = most.max(1);
        self
    }

    /// The page to be read next; `None` after the end.
    pub fn next(&self) -> Option<Wanted> {
        if self.end.is_some() {
            return None;
        }
        let page = self.pass.pages().saturating_add(1);
        Some(self.again.front().copied().unwrap_or(Wanted { page, rows: MAX_ROWS_PER_PAGE }))
    }

    /// Whether the next page is the first of the first pass.
    pub fn is_first(&self) -> bool {
        self.requests == 0
    }

    /// Distinct records so far.
    pub fn rows(&self) -> u64 {
        self.known.len() as u64
    }

    /// The service's last `total_count`.
    pub fn total_count(&self) -> Option<u64> {
        self.total_count
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Whether it is being read again, since it moved.
    pub fn is_again(&self) -> bool {
        self.number > 1
    }

    /// Pages that are left of this pass, as far as the count tells.
    pub fn left(&self) -> u64 {
        if self.end.is_some() { 0 } else { self.pass.left().max(self.again.len() as u64) }
    }

    /// How it ended; `None` before the end.
    pub fn end(&self) -> Option<End> {
        self.end.map(|(end, _)| end)
    }

    /// Records that the service counts and that were not given out.
    pub fn missing(&self) -> u64 {
        self.total_count.unwrap_or(0).saturating_sub(self.rows())
    }

    /// Why nothing at all was read, where the service gave no page that could be read.
    pub fn failure(&self) -> Option<&ApiError> {
        self.trouble.as_ref().filter(|_| self.known.is_empty() && self.end.is_some())
    }

    /// Takes the answer for the page that was asked for, and gives back the records that were not there before.
    /// A page that is there and cannot be read is passed over; one beyond the end that is refused is empty.
    ///
    /// # Errors
    /// Any other error of the call: the reading cannot go on.
    pub fn take<T, I: Hash>(&mut self, answer: Result<Page<T>>, id: impl Fn(&T) -> I) -> Result<Vec<T>> {
        let number = self.next().map_or(1, |wanted| wanted.page);
        let (page, is_hole) = match answer {
            Ok(page) => (page, false),
            Err(ApiError::NotFound(_)) if number > 1 => (without_rows(Vec::new()), false),
            Err(ApiError::Unreadable { status, what, fewer }) => {
                let problems = vec![RecordProblem { place: "data".to_owned(), why: what.clone() }];
                self.trouble.get_or_insert(ApiError::Unreadable { status, what, fewer });
                (without_rows(problems), true)
            }
            Err(error) => return Err(error),
        };
        Ok(self.take_page(number, page, is_hole, id))
    }

    fn take_page<T, I: Hash>(
        &mut self,
        number: u64,
        page: Page<T>,
        is_hole: bool,
        id: impl Fn(&T) -> I,
    ) -> Vec<T> {
        self.requests += 1;
        self.seen.holes += u64::from(is_hole);
        if let Some(total) = page.total_count {
            self.shrank |= self.total_count.is_some_and(|before| total < before);
            self.total_count = Some(total);
        }
        let unreadable = page.list_len.saturating_sub(page.items.len()) as u64;
        self.seen.unreadable += unreadable;
        let told = MOST_NAMED.saturating_sub(self.problems.len());
        let place =
            |p: RecordProblem| RecordProblem { place: format!("page {number}, {}", p.place), why: p.why };
        self.problems.extend(page.problems.into_iter().take(told).map(place));
        let (mut fresh, mut doubles, mut new) = (0, 0, Vec::new());
        for (_, item) in page.items {
            match self.known.insert(self.hasher.hash_one(id(&item)), self.number) {
                None => {
                    fresh += 1;
                    self.seen.new += 1;
                    new.push(item);
                }
                Some(last) if last == self.number => doubles += 1,
                Some(_) => fresh += 1,
            }
        }
        self.seen.distinct += fresh;
        if self.again.pop_front().is_none() {
            self.seen.trailing_doubles += doubles;
            if fresh > 0 {
                // Pages of nothing but known records came before this one: the list has moved.
                self.seen.doubles += std::mem::take(&mut self.seen.trailing_doubles);
            }
            let len = page.list_len as u64;
            self.seen.lens.push(len);
            self.pass.take(Brought { len, fresh, unreadable, total: page.total_count, is_hole });
            if self.pass.stop().is_some() {
                self.ask_again();
            }
        }
        let is_all = !self.shrank && self.total_count == Some(self.rows()) && !self.pass.lies;
        if is_all && (self.rows() > 0 || self.seen.holes == 0) {
            self.end = Some((End::Complete, 0));
        } else if self.pass.stop().is_some() && self.again.is_empty() {
            self.conclude();
        }
        new
    }

    /// Pages with fewer rows than there should be are asked for once more, in halves, so that offsets stay the
    /// same: where they explain what is missing, and within the requests that the pass may take.
    fn ask_again(&mut self) {
        let total = self.pass.believed().unwrap_or(0);
        let missing = total.saturating_sub(self.seen.distinct + self.seen.unreadable);
        let is_one = self.seen.lens.iter().skip(1).all(|len| *len == 0);
        let rows = if is_one { MAX_ROWS_PER_PAGE.into() } else { self.pass.largest() };
        let short = |(before, len): (u64, &u64)| {
            let expected = rows.min(total.saturating_sub(before.saturating_mul(rows)));
            (expected.saturating_sub(*len), before + 1)
        };
        let mut gaps: Vec<(u64, u64)> =
            (0..).zip(&self.seen.lens).map(short).filter(|gap| gap.0 > 0).collect();
        gaps.sort_by_key(|(short, page)| (std::cmp::Reverse(*short), *page));
        let explained = missing > 0 && missing <= gaps.iter().map(|(short, _)| short).sum();
        let half = u32::try_from(rows / 2).unwrap_or(0);
        if !explained || self.pass.is_moved() || half == 0 || !rows.is_multiple_of(2) {
            return;
        }
        let most = usize::try_from(self.pass.spare() / 2).unwrap_or(MOST_GAPS).min(MOST_GAPS);
        for (_, page) in gaps.into_iter().take(most) {
            self.again.extend([page * 2 - 1, page * 2].map(|page| Wanted { page, rows: half }));
        }
    }

    fn conclude(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        let pass = std::mem::take(&mut self.pass);
        let gone = self.rows().saturating_sub(seen.distinct);
        let still = !pass.is_moved() && seen.doubles == 0;
        let counted = pass.last_total();
        let missing = counted.map_or(0, |total| total.saturating_sub(seen.distinct));
        let as_counted = counted.is_none_or(|total| total == seen.distinct + seen.unreadable);
        let found = (seen.distinct, counted);
        // The same records as the time before: it is the count that is wrong, however often it is read.
        let same = self.before == Some(found) && seen.new == 0 && seen.doubles == 0;
        let last = self.number >= self.passes;
        let end = if pass.stop() == Some(Stop::Limit) {
            Some(End::Stopped)
        } else if still && as_counted && seen.holes == 0 {
            Some(match (seen.unreadable, counted) {
                (1.., _) => End::Unreadable,
                (0, Some(_)) => End::Complete,
                (0, None) if pass.is_surely_over() => End::Uncounted,
                (0, None) => End::Unconfirmed,
            })
        } else if still || same {
            Some(if seen.holes > 0 { End::Unreadable } else { End::Disagrees })
        } else if last {
            Some(End::Moving)
        } else {
            None
        };
        self.before = Some(found);
        self.end = end.map(|end| (end, gone));
        if self.end.is_some() {
            self.seen.unreadable =
                if seen.holes > 0 { missing.max(seen.unreadable) } else { seen.unreadable };
        } else {
            self.number += 1;
            self.problems.clear();
        }
    }

    /// What was read; `None` before the end.
    pub fn finish(self) -> Option<Gathered> {
        let (end, gone) = self.end?;
        Some(Gathered {
            rows: self.rows(),
            total_count: self.total_count,
            requests: self.requests,
            end,
            gone,
            unreadable: self.seen.unreadable,
            problems: self.problems,
        })
    }
}

/// A page of which nothing came.
fn without_rows<T>(problems: Vec<RecordProblem>) -> Page<T> {
    Page { items: Vec::new(), list_len: 0, total_count: None, page: None, rows_per_page: None, problems }
}

/// A list read to its end, or to a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole<T> {
    /// The records, each once, in the order of the first page that gave them.
    pub items: Vec<T>,
    /// Whether the end was reached and the count agrees.
    pub complete: bool,
    /// Requests that it took (contract, "Limits": they come off the key's 1000 a minute).
    pub requests: u32,
}

/// Reads a list that is short enough to be held, with at most `most` requests. `fetch` is given each page that
/// is wanted.
///
/// # Errors
/// The first error of `fetch` that [`PageReader::take`] gives back; what was read until then is dropped, since
/// half a list misleads. The same where not one page could be read.
pub async fn whole<T, I: Hash, F: Future<Output = Result<Page<T>>>>(
    most: u64,
    id: impl Fn(&T) -> I,
    mut fetch: impl FnMut(Wanted) -> F,
) -> Result<Whole<T>> {
    let (mut reader, mut items) = (PageReader::default(), Vec::new());
    while let Some(wanted) = reader.next().filter(|_| reader.requests() < most) {
        items.extend(reader.take(fetch(wanted).await, &id)?);
    }
    match reader.failure() {
        Some(error) => Err(error.clone()),
        None => Ok(Whole {
            items,
            complete: reader.end().is_some_and(End::is_complete),
            requests: u32::try_from(reader.requests()).unwrap_or(u32::MAX),
        }),
    }
}

#[cfg(test)]
mod tests;
