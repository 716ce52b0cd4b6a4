//! Reads a page in smaller parts if its response is too long or damaged.
//!
//! Each part size divides the offset of the part's first row. So each part is a page of its own, and no row is
//! skipped or repeated. A single row that is still unreadable is reported.

use super::error::{ApiError, ApiResult};
use super::filters::Paging;
use crate::domain::{Page, RecordProblem};

/// Rows per part, the largest first.
const SIZES: [u32; 6] = [50, 25, 20, 10, 5, 1];
/// Maximum requests for one page. Its other rows are reported as not read.
const MOST_PARTS: u32 = 40;
/// The same while no part was readable: then the service is broken, and not a row.
const MOST_BARREN: u32 = 12;

/// Pass the response for each part that [`PageParts::next`] requests to [`PageParts::take`].
pub(super) struct PageParts<T> {
    paging: Paging,
    whole: ApiError,
    page: Page<T>,
    /// Finished rows.
    done: u32,
    /// Parts of this many rows or more were unreadable.
    too_many: u32,
    requests: u32,
    is_any_readable: bool,
    over: bool,
}

impl<T> PageParts<T> {
    pub(super) fn of(paging: &Paging, whole: ApiError) -> Self {
        let rows_per_page = Some(paging.rows_per_page.into());
        let page = Page { page: Some(paging.page), rows_per_page, ..Page::without_rows(Vec::new()) };
        let too_many = paging.rows_per_page;
        Self {
            paging: paging.clone(),
            whole,
            page,
            done: 0,
            too_many,
            requests: 0,
            is_any_readable: false,
            over: false,
        }
    }

    /// Offset in the list, from 0.
    fn at(&self) -> u64 {
        let rows = u64::from(self.paging.rows_per_page);
        self.paging.page.saturating_sub(1).saturating_mul(rows).saturating_add(self.done.into())
    }

    fn size(&self) -> u32 {
        let left = self.paging.rows_per_page - self.done;
        let fits =
            |size: &u32| *size < self.too_many && *size <= left && self.at().is_multiple_of((*size).into());
        SIZES.into_iter().find(fits).unwrap_or(1)
    }

    /// `None` after the end.
    pub(super) fn next(&self) -> Option<Paging> {
        let most = if self.is_any_readable { MOST_PARTS } else { MOST_BARREN };
        let is_over = self.over || self.done >= self.paging.rows_per_page || self.requests >= most;
        let size = self.size();
        (!is_over).then(|| Paging {
            page: self.at() / u64::from(size) + 1,
            rows_per_page: size,
            sort: self.paging.sort.clone(),
        })
    }

    /// Fails with an error that smaller parts do not solve, and with the whole page's error if the service
    /// sends more rows than requested.
    pub(super) fn take(&mut self, response: ApiResult<Page<T>>) -> ApiResult<()> {
        let size = self.size();
        self.requests += 1;
        match response {
            Ok(part) if part.list_len > size as usize => return Err(self.whole.clone()),
            Ok(part) => {
                self.is_any_readable = true;
                let base = self.done as usize;
                self.page.total_count = part.total_count.or(self.page.total_count);
                self.page.items.extend(part.items.into_iter().map(|(place, item)| (base + place, item)));
                self.page.problems.extend(part.problems.into_iter().map(|problem| moved(problem, base)));
                self.page.list_len = base + part.list_len;
                self.over = part.list_len < size as usize;
                self.done += size;
            }
            Err(ApiError::Unreadable { fewer: true, .. }) if size > 1 => self.too_many = size,
            Err(error @ ApiError::Unreadable { fewer: true, .. }) => {
                self.page.problems.push(unread(self.done, &error));
                self.done += 1;
                self.page.list_len = self.done as usize;
                self.too_many = self.paging.rows_per_page;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Fails if none of the rows was readable.
    pub(super) fn finish(self) -> ApiResult<Page<T>> {
        let Self { mut page, whole, done, over, paging, .. } = self;
        if !over && done < paging.rows_per_page {
            page.problems.extend((done..paging.rows_per_page).map(|row| unread(row, &whole)));
            page.list_len = paging.rows_per_page as usize;
        }
        if page.items.is_empty() && !page.problems.is_empty() { Err(whole) } else { Ok(page) }
    }
}

fn unread(row: u32, why: &ApiError) -> RecordProblem {
    let what = if let ApiError::Unreadable { what, .. } = why { what.clone() } else { why.localizable() };
    RecordProblem { place: format!("list[{row}]"), why: what }
}

/// Changes the place to that in the whole page.
fn moved(problem: RecordProblem, base: usize) -> RecordProblem {
    let place = problem.place.strip_prefix("list[").and_then(|rest| {
        let (index, rest) = rest.split_once(']')?;
        Some(format!("list[{}]{rest}", base + index.parse::<usize>().ok()?))
    });
    RecordProblem { place: place.unwrap_or(problem.place), why: problem.why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_long() -> ApiError {
        ApiError::Unreadable { status: 200, what: localizable!("no value"), fewer: true }
    }

    /// A list of `rows` rows, some of them unreadable, with at most `most` rows per response.
    fn parts(paging: &Paging, rows: u64, bad: &[u64], most: u64) -> (ApiResult<Page<u64>>, Vec<(u64, u32)>) {
        let (mut parts, mut asked) = (PageParts::of(paging, too_long()), Vec::new());
        while let Some(part) = parts.next() {
            asked.push((part.page, part.rows_per_page));
            let size = u64::from(part.rows_per_page);
            let list: Vec<u64> = ((part.page - 1) * size..(part.page * size).min(rows)).collect();
            let is_bad = size > most || list.iter().any(|row| bad.contains(row));
            let response = if is_bad {
                Err(too_long())
            } else {
                Ok(Page {
                    list_len: list.len(),
                    items: list.into_iter().enumerate().collect(),
                    total_count: Some(rows),
                    page: None,
                    rows_per_page: None,
                    problems: Vec::new(),
                })
            };
            parts.take(response).expect("fewer rows may help");
        }
        (parts.finish(), asked)
    }

    #[test]
    fn rows_keep_their_places_whatever_the_size_of_the_parts() {
        for most in [50, 25, 20, 10, 5] {
            let (page, asked) = parts(&Paging::full(3), 1_000, &[], most);
            let page = page.expect("a page");
            let rows: Vec<(usize, u64)> = (0..100).map(|n| (n as usize, 200 + n)).collect();
            assert_eq!((page.items, page.list_len, page.total_count), (rows, 100, Some(1_000)), "{asked:?}");
        }
        let (page, asked) = parts(&Paging::full(3), 230, &[], 50);
        let page = page.expect("a page");
        assert_eq!((page.items.len(), page.list_len, asked), (30, 30, vec![(5, 50)]));
    }

    #[test]
    fn one_row_that_cannot_be_read_hides_no_other() {
        for bad in [200, 237, 240, 299] {
            let (page, asked) = parts(&Paging::full(3), 1_000, &[bad], 100);
            let page = page.expect("a page");
            let rows: Vec<u64> = page.items.iter().map(|(_, row)| *row).collect();
            assert_eq!(rows, (200..300).filter(|row| *row != bad).collect::<Vec<_>>());
            assert_eq!((page.list_len, page.problems.len()), (100, 1));
            assert_eq!(page.problems[0].place, format!("list[{}]", bad - 200));
            assert!(asked.len() <= 20, "{bad}: {asked:?}");
        }
    }

    #[test]
    fn a_page_of_nothing_but_damage_ends() {
        let bad: Vec<u64> = (0..1_000).collect();
        let (page, asked) = parts(&Paging::full(1), 1_000, &bad, 100);
        assert_eq!((page, asked.len()), (Err(too_long()), 12));
        let half: Vec<u64> = (0..1_000).step_by(2).collect();
        let (page, asked) = parts(&Paging::full(1), 1_000, &half, 100);
        let page = page.expect("a page");
        assert_eq!((page.list_len, asked.len()), (100, 40));
        assert!(!page.items.is_empty() && page.items.len() + page.problems.len() == 100);
    }
}
