//! Reads a paged list to its end, for `--all`, exports, selecting all, the duplicate check, rows in doubt and
//! lookups. The index has a loop of its own around [`Pass`], since it saves each page to continue later.
//!
//! One page is never taken for the whole list. The contract has no cursor, so a list may change while it is
//! read: new rows move others to the next page. So every record is identified by its id and returned once. If
//! the service's count differs from the number of records, the reader reads the list again, a few times.
//!
//! While a list only grows, all records are known as soon as their number equals the service's count. If rows
//! have left the list, only a whole pass with an unchanged count proves that.
//!
//! Pages may be wrong: a middle page may be empty, the last page may repeat forever, rows may arrive faster
//! than pages are read, and the count may be wrong. The rules of [`Pass`] end every reading. A reading that
//! ended without proof is reported as incomplete, and its records are used.

mod pass;

pub use pass::{Pass, PassPage, PassStop};

use super::error::{ApiError, ApiResult};
use super::filters::{MAX_ROWS_PER_PAGE, Paging};
use crate::api::prelude::*;
use crate::domain::{Page, RecordProblem};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hash};

/// Maximum passes over a list that keeps changing.
const PASSES: u16 = 5;
/// Maximum empty or short pages that are requested again in halves.
const MOST_GAPS: usize = 2;
/// Maximum unreadable records that are listed. More are only counted.
const MOST_NAMED: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// All records that the service counts were returned.
    Complete,
    /// Read to the end, without a count: the list was empty from the first page, the last page was short, or
    /// nothing new came before the end.
    Uncounted,
    /// Read to an empty page after a full one, without a count: the empty page may hide more.
    Unconfirmed,
    /// Records or pages were unreadable. Everything else was returned.
    Unreadable,
    /// Read until nothing new came, but the service's count is higher or lower.
    Disagrees,
    /// The list changed during every pass.
    Moving,
    /// Stopped: pages had more records than the count, or rows arrived faster than they were read.
    Stopped,
}

impl ListEnd {
    pub fn is_complete(self) -> bool {
        matches!(self, Self::Complete | Self::Uncounted)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTotals {
    /// Distinct records.
    pub rows: u64,
    pub total_count: Option<u64>,
    pub requests: u64,
    pub end: ListEnd,
    /// Returned records that had left the list by the last pass.
    pub gone: u64,
    /// Unreadable records in the last whole pass.
    pub unreadable: u64,
    /// By page and place, with other problems of that pass.
    pub problems: Vec<RecordProblem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u64,
    pub rows: u32,
}

impl PageRequest {
    pub fn paging(self) -> Paging {
        Paging { page: self.page, rows_per_page: self.rows, sort: Vec::new() }
    }
}

/// Reads a list until nothing is missing. Pass the response for each page that [`PageReader::next`] requests to
/// [`PageReader::take`].
///
/// Memory: 16 bytes per record and the overhead of a hash table. Ids are stored as fingerprints. If two were
/// equal, a record would seem missing, and the count would show that.
#[derive(Debug, Default)]
pub struct PageReader {
    /// Fingerprints, with the pass that last saw each.
    known: HashMap<u64, u16>,
    hasher: RandomState,
    requests: u64,
    /// Maximum passes, if it is another than [`PASSES`].
    passes: Option<u16>,
    /// Of the pass, from 0.
    number: u16,
    pass: Pass,
    seen: PageCounts,
    /// Parts of short pages.
    again: VecDeque<PageRequest>,
    /// Distinct records and count of the previous pass.
    before: Option<(u64, Option<u64>)>,
    total_count: Option<u64>,
    shrank: bool,
    /// The error of the first unreadable page.
    trouble: Option<ApiError>,
    problems: Vec<RecordProblem>,
    end: Option<(ListEnd, u64)>,
}

#[derive(Clone, Debug, Default)]
struct PageCounts {
    distinct: u64,
    unreadable: u64,
    /// Unreadable pages.
    holes: u64,
    lens: Vec<u64>,
    /// Repeated entries on pages with something new, or before one of those.
    doubles: u64,
    /// Repeated entries on pages after the last one with something new.
    trailing_doubles: u64,
    /// Not seen by any earlier pass.
    new: u64,
}

impl PageReader {
    #[must_use]
    pub fn passes(mut self, most: u16) -> Self {
        self.passes = Some(most.max(1));
        self
    }

    /// `None` after the end.
    pub fn next(&self) -> Option<PageRequest> {
        if self.end.is_some() {
            return None;
        }
        let page = self.pass.pages().saturating_add(1);
        Some(self.again.front().copied().unwrap_or(PageRequest { page, rows: MAX_ROWS_PER_PAGE }))
    }

    pub fn is_first(&self) -> bool {
        self.requests == 0
    }

    pub fn rows(&self) -> u64 {
        self.known.len() as u64
    }

    pub fn total_count(&self) -> Option<u64> {
        self.total_count
    }

    pub fn requests(&self) -> u64 {
        self.requests
    }

    pub fn is_again(&self) -> bool {
        self.number > 0
    }

    /// Remaining pages of this pass, according to the count.
    pub fn left(&self) -> u64 {
        if self.end.is_some() { 0 } else { self.pass.left().max(self.again.len() as u64) }
    }

    pub fn end(&self) -> Option<ListEnd> {
        self.end.map(|(end, _)| end)
    }

    /// The error, if no page was readable.
    pub fn failure(&self) -> Option<&ApiError> {
        self.trouble.as_ref().filter(|_| self.known.is_empty() && self.end.is_some())
    }

    /// Returns the new records of the page that [`PageReader::next`] named. Skips an unreadable
    /// page. A page beyond the end that the service refuses counts as empty.
    /// Any other error of the call ends the reading.
    pub fn take<T, I: Hash>(
        &mut self,
        response: ApiResult<Page<T>>,
        id: impl Fn(&T) -> I,
    ) -> ApiResult<Vec<T>> {
        let number = self.next().map_or(1, |wanted| wanted.page);
        let (page, is_hole) = match response {
            Ok(page) => (page, false),
            Err(ApiError::NotFound(_)) if number > 1 => (Page::without_rows(Vec::new()), false),
            Err(ApiError::Unreadable { status, what, fewer }) => {
                let problems = vec![RecordProblem { place: "data".to_owned(), why: what.clone() }];
                self.trouble.get_or_insert(ApiError::Unreadable { status, what, fewer });
                (Page::without_rows(problems), true)
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
                // Pages with only known records came before this one, so the list has changed.
                self.seen.doubles += std::mem::take(&mut self.seen.trailing_doubles);
            }
            let len = page.list_len as u64;
            self.seen.lens.push(len);
            self.pass.take(PassPage { len, fresh, unreadable, total: page.total_count, is_hole });
            if self.pass.stop().is_some() {
                self.ask_again();
            }
        }
        let is_all = !self.shrank && self.total_count == Some(self.rows()) && !self.pass.lies;
        if is_all && (self.rows() > 0 || self.seen.holes == 0) {
            self.end = Some((ListEnd::Complete, 0));
        } else if self.pass.stop().is_some() && self.again.is_empty() {
            self.end_pass();
        }
        new
    }

    /// Requests short pages in halves so that offsets stay the same. Only if they explain the
    /// missing records, and within the request limit of the pass.
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
            self.again.extend([page * 2 - 1, page * 2].map(|page| PageRequest { page, rows: half }));
        }
    }

    fn end_pass(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        let pass = std::mem::take(&mut self.pass);
        let gone = self.rows().saturating_sub(seen.distinct);
        let still = !pass.is_moved() && seen.doubles == 0;
        let counted = pass.last_total();
        let missing = counted.map_or(0, |total| total.saturating_sub(seen.distinct));
        let as_counted = counted.is_none_or(|total| total == seen.distinct + seen.unreadable);
        let found = (seen.distinct, counted);
        // The same records as in the previous pass, so the count is wrong and another pass does not help.
        let same = self.before == Some(found) && seen.new == 0 && seen.doubles == 0;
        let last = self.number + 1 >= self.passes.unwrap_or(PASSES);
        let end = if pass.stop() == Some(PassStop::Limit) {
            Some(ListEnd::Stopped)
        } else if still && as_counted && seen.holes == 0 {
            Some(match (seen.unreadable, counted) {
                (1.., _) => ListEnd::Unreadable,
                (0, Some(_)) => ListEnd::Complete,
                (0, None) if pass.is_surely_over() => ListEnd::Uncounted,
                (0, None) => ListEnd::Unconfirmed,
            })
        } else if still || same {
            Some(if seen.holes > 0 { ListEnd::Unreadable } else { ListEnd::Disagrees })
        } else if last {
            Some(ListEnd::Moving)
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

    /// `None` before the end.
    pub fn finish(self) -> Option<ReadTotals> {
        let (end, gone) = self.end?;
        Some(ReadTotals {
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadList<T> {
    /// Each once, in the order in which they were first returned.
    pub items: Vec<T>,
    /// The end was reached and the count matches.
    pub complete: bool,
    pub total_count: Option<u64>,
    /// They count against the key's 1000 per minute (contract, "Limits").
    pub requests: u32,
}

/// Calls `goes_on` before each page; it may end the reading.
/// Fails with the first error of `fetch` that [`PageReader::take`] returns, also if no page was readable,
/// and drops the records read so far, since half a list misleads.
pub async fn read_all<T, I: Hash, F: Future<Output = ApiResult<Page<T>>>>(
    id: impl Fn(&T) -> I,
    mut fetch: impl FnMut(PageRequest) -> F,
    mut goes_on: impl FnMut(&PageReader) -> bool,
) -> ApiResult<(Vec<T>, PageReader)> {
    let (mut reader, mut items) = (PageReader::default(), Vec::new());
    while let Some(wanted) = reader.next().filter(|_| goes_on(&reader)) {
        items.extend(reader.take(fetch(wanted).await, &id)?);
    }
    match reader.trouble.as_ref().filter(|_| reader.known.is_empty()) {
        Some(error) => Err(error.clone()),
        None => Ok((items, reader)),
    }
}

/// Sends at most `most` requests. Errors are those of [`read_all`].
pub async fn read_at_most<T, I: Hash, F: Future<Output = ApiResult<Page<T>>>>(
    most: u64,
    id: impl Fn(&T) -> I,
    fetch: impl FnMut(PageRequest) -> F,
) -> ApiResult<ReadList<T>> {
    let (items, reader) = read_all(id, fetch, |reader| reader.requests() < most).await?;
    Ok(ReadList {
        items,
        complete: reader.end().is_some_and(ListEnd::is_complete),
        total_count: reader.total_count(),
        requests: u32::try_from(reader.requests()).unwrap_or(u32::MAX),
    })
}

#[cfg(test)]
mod tests;
