//! Reading a paged list to its end. One page is never trusted to be all: people were left out of mailings
//! because a list call used its default page size.

use super::{ApiError, MAX_ROWS_PER_PAGE};
use crate::domain::{Page, RecordProblem};
use std::collections::HashSet;
use std::future::Future;
use std::hash::Hash;

/// A list read to its end, or to a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole<T> {
    /// The records, each once, in the order of the first page that gave them.
    pub items: Vec<T>,
    /// Records that could not be read.
    pub problems: Vec<RecordProblem>,
    /// The service's last `total_count`.
    pub total_count: Option<u64>,
    /// Whether the end was reached and the count agrees.
    pub complete: bool,
    /// Requests that it took (contract, "Limits": they come off the key's 1000 a minute).
    pub requests: u32,
}

/// A paged list that is read page by page, to its end: what of it has been read, and whether that is all.
#[derive(Clone, Debug)]
pub struct Pages<I> {
    known: HashSet<I>,
    rows: u64,
    requests: u32,
    first_total: Option<u64>,
    total_count: Option<u64>,
    over: bool,
}

impl<I: Eq + Hash> Default for Pages<I> {
    fn default() -> Self {
        Self {
            known: HashSet::new(),
            rows: 0,
            requests: 0,
            first_total: None,
            total_count: None,
            over: false,
        }
    }
}

impl<I: Eq + Hash> Pages<I> {
    /// The 1-based number of the page to be read next; `None` after the end.
    pub fn next(&self) -> Option<u64> {
        (!self.over).then(|| u64::from(self.requests) + 1)
    }

    /// Takes the page that was asked for, and gives back the records that no earlier page had.
    pub fn take<T>(&mut self, page: Page<T>, id: impl Fn(&T) -> I) -> Vec<T> {
        self.requests += 1;
        self.rows += page.list_len as u64;
        if self.requests == 1 {
            self.first_total = page.total_count;
        }
        self.total_count = page.total_count.or(self.total_count);
        // More rows than were counted mean that the count is wrong, not that this is all.
        let counted = self.total_count.is_some_and(|total| self.rows == total);
        // Without a count, or with one that is wrong, only an empty page is the end for certain; a short
        // first page that nothing contradicts is taken as the end too, for the common case's sake.
        let short =
            page.list_len == 0 || (self.total_count.is_none() && page.list_len < MAX_ROWS_PER_PAGE as usize);
        self.over = counted || short;
        page.items.into_iter().map(|(_, item)| item).filter(|item| self.known.insert(id(item))).collect()
    }

    /// Whether the end was reached and the count agrees.
    pub fn is_complete(&self) -> bool {
        self.over && self.total_count.is_none_or(|total| self.rows >= total)
    }

    /// Whether the count changed while it was read: records may have slipped from one page to another.
    pub fn drifted(&self) -> bool {
        self.first_total != self.total_count
    }

    /// The service's last `total_count`.
    pub fn total_count(&self) -> Option<u64> {
        self.total_count
    }

    /// How many pages are left to be read, as far as the count tells.
    pub fn left(&self) -> u64 {
        let rows = self.total_count.unwrap_or(0).saturating_sub(self.rows);
        if self.over { 0 } else { rows.div_ceil(u64::from(MAX_ROWS_PER_PAGE)).max(1) }
    }

    /// Requests that it took.
    pub fn requests(&self) -> u32 {
        self.requests
    }
}

/// Reads pages of 100 until the end, at most `most` of them. `fetch` is given a 1-based page number.
///
/// # Errors
/// The first error of `fetch`; what was read until then is dropped, since half a list misleads.
pub async fn whole<T, I: Eq + Hash, F: Future<Output = Result<Page<T>, ApiError>>>(
    most: u64,
    id: impl Fn(&T) -> I,
    mut fetch: impl FnMut(u64) -> F,
) -> Result<Whole<T>, ApiError> {
    let mut pages = Pages::default();
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    while let Some(number) = pages.next().filter(|n| *n <= most) {
        let mut page = fetch(number).await?;
        problems.append(&mut page.problems);
        items.extend(pages.take(page, &id));
    }
    Ok(Whole {
        items,
        problems,
        total_count: pages.total_count(),
        complete: pages.is_complete(),
        requests: pages.requests(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(rows: u64, size: u64, count: Option<u64>, most: u64) -> Whole<u64> {
        whole(
            most,
            |n| *n,
            |page| async move {
                let list: Vec<u64> = ((page - 1) * size..(page * size).min(rows)).collect();
                Ok(Page {
                    list_len: list.len(),
                    items: list.into_iter().enumerate().collect(),
                    total_count: count,
                    page: Some(page),
                    rows_per_page: Some(size),
                    problems: Vec::new(),
                })
            },
        )
        .await
        .expect("no page fails")
    }

    #[tokio::test]
    async fn reads_to_the_count_whatever_the_page_size() {
        for size in [1, 20, 100] {
            let all = read(250, size, Some(250), 1000).await;
            assert_eq!(all.items, (0..250).collect::<Vec<_>>());
            assert!(all.complete);
            assert_eq!(u64::from(all.requests), 250_u64.div_ceil(size));
        }
    }

    #[tokio::test]
    async fn says_when_it_is_not_complete() {
        let bounded = read(1000, 100, Some(1000), 3).await;
        assert_eq!((bounded.items.len(), bounded.complete), (300, false));
        let lied_to = read(30, 100, Some(40), 10).await;
        assert_eq!((lied_to.items.len(), lied_to.complete, lied_to.requests), (30, false, 2));
        let counted_low = read(250, 100, Some(50), 10).await;
        assert_eq!((counted_low.items.len(), counted_low.complete, counted_low.requests), (250, true, 4));
        let uncounted = read(130, 100, None, 10).await;
        assert_eq!((uncounted.items.len(), uncounted.complete), (130, true));
    }
}
