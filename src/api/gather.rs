//! A paged list read until nothing is missing, although it moves while it is read.
//!
//! [`super::Pages`] reads a list once, which is right for one person's badges. A hundred thousand rows take
//! minutes, and the contract gives no cursor: rows that come in meanwhile push others from one page to the
//! next. So every record is known by its id and given out once, the count is compared with what was seen, and
//! where the two differ the list is read again from its beginning: as far as needed and no further.
//!
//! While a list has only grown, it cannot hold more than the ids that are known and the ones that are not: as
//! soon as there are as many known ones as the service counts, all are known. Where rows have left it, only a
//! whole reading during which the count stood still proves that.

use crate::domain::{Page, RecordProblem};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

/// Whole readings of a list that keeps moving.
const READINGS: u16 = 5;
/// Records that could not be read are told of so many at most; beyond it they are counted.
const TOLD: usize = 20;

/// How a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything that the service counts was given out.
    Complete,
    /// It was read to an empty page; the service gives no count that could confirm it.
    Uncounted,
    /// Records could not be read; everything else was given out.
    Unreadable,
    /// It was read to its end, and the service's count says otherwise each time.
    Disagrees,
    /// It moved each time it was read.
    Moving,
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
    /// Records that were given out and had left the list by the last reading.
    pub gone: u64,
    /// Records that could not be read, in the last whole reading.
    pub unreadable: u64,
    /// The first of them by page and place, and what else was odd in that reading.
    pub problems: Vec<RecordProblem>,
}

/// Reads a list until nothing is missing: hand in each page that [`Gather::next`] asks for.
///
/// Memory: 16 bytes a record and what a hash table adds. Ids are known by a fingerprint; should two ever have the same
/// one, a record would look missing, and the count would say so.
#[derive(Debug)]
pub struct Gather {
    /// Fingerprints, with the reading in which each was last seen.
    known: HashMap<u64, u16>,
    hasher: RandomState,
    requests: u64,
    reading: Reading,
    /// What the reading before had found, at its end.
    before: Option<(u64, Option<u64>)>,
    total_count: Option<u64>,
    /// Whether the count has ever become smaller.
    shrank: bool,
    problems: Vec<RecordProblem>,
    end: Option<(End, u64)>,
}

/// One reading from the beginning.
#[derive(Clone, Debug, Default)]
struct Reading {
    number: u16,
    /// Pages of it that were read.
    pages: u64,
    /// Entries, readable or not, doubles among them.
    entries: u64,
    /// Distinct records.
    distinct: u64,
    unreadable: u64,
    /// Entries of records that this reading had already seen.
    doubles: u64,
    /// Records that no reading had seen before.
    new: u64,
    first_total: Option<u64>,
    moved: bool,
}

impl Default for Gather {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            hasher: RandomState::new(),
            requests: 0,
            reading: Reading { number: 1, ..Reading::default() },
            before: None,
            total_count: None,
            shrank: false,
            problems: Vec::new(),
            end: None,
        }
    }
}

impl Gather {
    /// The 1-based number of the page to be read next; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        self.end.is_none().then_some(self.reading.pages + 1)
    }

    /// Whether the next page is the first of the first reading.
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

    /// Whether it is being read again, since it moved.
    pub fn is_again(&self) -> bool {
        self.reading.number > 1
    }

    /// Takes the page that was asked for, and gives back the records that were not there before.
    pub fn take<T, I: Hash>(&mut self, page: Page<T>, id: impl Fn(&T) -> I) -> Vec<T> {
        self.requests += 1;
        self.count(page.total_count);
        let grown = self.grown();
        let reading = &mut self.reading;
        reading.pages += 1;
        reading.entries += page.list_len as u64;
        let unreadable = page.list_len.saturating_sub(page.items.len()) as u64;
        reading.unreadable += unreadable;
        let told = TOLD.saturating_sub(self.problems.len());
        let place = |p: RecordProblem| RecordProblem {
            place: format!("page {}, {}", reading.pages, p.place),
            why: p.why,
        };
        self.problems.extend(page.problems.into_iter().take(told).map(place));
        let distinct_before = reading.distinct;
        let mut new = Vec::new();
        for (_, item) in page.items {
            match self.known.insert(self.hasher.hash_one(id(&item)), reading.number) {
                None => {
                    reading.distinct += 1;
                    reading.new += 1;
                    new.push(item);
                }
                Some(last) if last == reading.number => reading.doubles += 1,
                Some(_) => reading.distinct += 1,
            }
        }
        // A page of nothing but what this reading has had is the last one given again; unless as much has come
        // in before it as pushes what was read onto it, which the count tells.
        let is_old = reading.distinct == distinct_before && unreadable == 0;
        let is_last = page.list_len == 0 || (is_old && reading.doubles > grown);
        if is_last {
            reading.doubles = reading.doubles.saturating_sub(page.list_len as u64);
            reading.entries = reading.entries.saturating_sub(page.list_len as u64);
        }
        let is_counted = self.total_count == Some(self.reading.entries);
        if self.is_all_known() {
            self.end = Some((End::Complete, 0));
        } else if is_last || is_counted {
            self.finish_reading();
        }
        new
    }

    /// The service says that there is no such page: the list ends before it.
    pub fn beyond_the_end(&mut self) {
        self.requests += 1;
        self.finish_reading();
    }

    fn count(&mut self, total: Option<u64>) {
        let Some(total) = total else { return };
        self.shrank |= self.total_count.is_some_and(|before| total < before);
        self.reading.moved |= *self.reading.first_total.get_or_insert(total) != total;
        self.total_count = Some(total);
    }

    /// How many rows have come in during this reading.
    fn grown(&self) -> u64 {
        let (now, first) = (self.total_count.unwrap_or(0), self.reading.first_total.unwrap_or(0));
        now.saturating_sub(first)
    }

    /// Whether a list that has only grown cannot hold anything that is not known.
    fn is_all_known(&self) -> bool {
        !self.shrank && self.total_count == Some(self.rows())
    }

    fn finish_reading(&mut self) {
        let reading = std::mem::take(&mut self.reading);
        let gone = self.rows().saturating_sub(reading.distinct);
        let still = !reading.moved && reading.doubles == 0;
        let as_counted = self.total_count.is_none_or(|total| total == reading.distinct + reading.unreadable);
        let found = (reading.distinct, self.total_count);
        // The same records as the time before: it is the count that is wrong, however often it is read.
        let same = self.before == Some(found) && reading.new == 0;
        self.end = if still && as_counted {
            Some(match (reading.unreadable, self.total_count) {
                (1.., _) => End::Unreadable,
                (0, Some(_)) => End::Complete,
                (0, None) => End::Uncounted,
            })
        } else if same && reading.doubles == 0 {
            Some(End::Disagrees)
        } else if reading.number >= READINGS {
            Some(if still { End::Disagrees } else { End::Moving })
        } else {
            None
        }
        .map(|end| (end, gone));
        self.before = Some(found);
        let unreadable = reading.unreadable;
        self.reading = Reading { number: reading.number + 1, ..Reading::default() };
        if self.end.is_some() {
            self.reading.unreadable = unreadable;
        } else {
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
            unreadable: self.reading.unreadable,
            problems: self.problems,
        })
    }
}

#[cfg(test)]
mod tests;
