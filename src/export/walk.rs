//! Reads a list page by page until it is complete.

use super::paged_lists::List;
use super::record::{ExportRow, RecordNoun};
use crate::api::{ApiError, Call, ListEnd, MAX_ROWS_PER_PAGE, PageReader, Paging, ReadTotals, Reader, Sort};
use crate::domain::{Page, RecordProblem};
use crate::i18n::number;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub rows: u64,
    /// When the service gives a count.
    pub all: Option<u64>,
    pub again: bool,
}

pub struct Walk<'r> {
    reader: &'r Reader,
    call: &'r Call,
    list: List,
    pages: PageReader,
}

impl<'r> Walk<'r> {
    /// Starts at the first page and ignores the page that `list` asks for.
    pub fn new(reader: &'r Reader, list: List, call: &'r Call) -> Self {
        Self { reader, call, list, pages: PageReader::default() }
    }

    /// No duplicates; `None` after the end. The rows returned before an error are not the whole list.
    pub async fn next(&mut self) -> Result<Option<Vec<ExportRow>>, ApiError> {
        let Some(wanted) = self.pages.next() else { return Ok(None) };
        self.list = self.list.clone().at(wanted.page, wanted.rows);
        let page = if self.pages.is_first() {
            first_accepted(self.list.clone(), self.reader, self.call).await.map(|(list, page)| {
                self.list = list;
                page
            })
        } else {
            self.list.read(self.reader, self.call).await
        };
        Ok(Some(self.pages.take(page, |row: &ExportRow| row.id.clone())?))
    }

    pub fn progress(&self) -> Progress {
        Progress { rows: self.pages.rows(), all: self.pages.total_count(), again: self.pages.is_again() }
    }

    pub fn failure(&self) -> Option<&ApiError> {
        self.pages.failure()
    }

    pub fn finish(self) -> Option<ReadTotals> {
        self.pages.finish()
    }
}

/// The page that `list` asks for, and the list with the accepted values of its sort order.
pub async fn first_page(
    list: List,
    reader: &Reader,
    call: &Call,
) -> Result<(List, Page<ExportRow>), ApiError> {
    let (list, page) = first_accepted(list, reader, call).await?;
    let page = as_counted(page, list.paging());
    Ok((list, page))
}

/// Tries the forms of [`crate::api::DirectionStyle::after_refusal`], since the contract does not show the
/// `sort_type` values. Returns the list with the accepted values. When the service refuses all, the error is
/// its answer to the first request.
async fn first_accepted(
    list: List,
    reader: &Reader,
    call: &Call,
) -> Result<(List, Page<ExportRow>), ApiError> {
    let next = list.paging().sort.first().and_then(|sort| sort.style.after_refusal());
    let (refused, style) = match (list.read(reader, call).await, next) {
        (Err(why @ ApiError::BadRequest(_)), Some(style)) => (why, style),
        (page, _) => return Ok((list, page?)),
    };
    let sort = list.paging().sort.iter().map(|sort| Sort { style, ..sort.clone() }).collect();
    let list = list.sorted(sort);
    match list.read(reader, call).await {
        Ok(page) => Ok((list, page)),
        Err(ApiError::BadRequest(_)) => Err(refused),
        Err(why) => Err(why),
    }
}

/// A page with another number of rows than its own count gives it has a problem: rows are missing, or the count is wrong.
fn as_counted<T>(mut page: Page<T>, asked: &Paging) -> Page<T> {
    let rows = page.rows_per_page.unwrap_or(asked.rows_per_page.into());
    let before = page.page.unwrap_or(asked.page).saturating_sub(1).saturating_mul(rows);
    if let Some(total) = page.total_count
        && page.list_len as u64 != total.saturating_sub(before).min(rows)
    {
        let why = localizable!(
            "{rows} rows on this page, but total_count is {total}",
            rows = number(page.list_len as u64),
            total = number(total)
        );
        page.problems.push(RecordProblem { place: "list".to_owned(), why });
    }
    page
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    pub requests: u64,
    /// Minutes of waiting for the rate limit. The first minute's requests need no wait.
    pub waits: u64,
}

impl Cost {
    pub fn of(rows: u64, a_minute: u32) -> Self {
        let requests = rows.div_ceil(u64::from(MAX_ROWS_PER_PAGE)).max(1);
        Self { requests, waits: (requests - 1) / u64::from(a_minute).max(1) }
    }
}

/// How much longer the reading of a list waits for the rate limit, in words: `about 3 minutes left`. `None` for less than a
/// minute. `a_minute` is what background calls may use, as lapel reads lists in the background.
pub fn time_left(done: u64, all: u64, a_minute: u32) -> Option<String> {
    let Cost { waits, .. } = Cost::of(all.saturating_sub(done), a_minute);
    (waits > 0).then(|| plural!(waits, "about {n} minute left", "about {n} minutes left"))
}

/// The cost of reading a list as text: the requests, and the minutes when one minute is not enough.
pub fn cost(rows: u64, a_minute: u32) -> String {
    let Cost { requests, waits } = Cost::of(rows, a_minute);
    match (requests, waits) {
        (1, 0) => t!("It takes 1 request.").to_owned(),
        (_, 0) => t!("It takes {requests} requests.", requests = number(requests)),
        _ => t!(
            "It takes {requests} requests at {pace} a minute: about {minutes} minutes.",
            requests = number(requests),
            pace = number(a_minute.max(1).into()),
            minutes = number(waits + 1)
        ),
    }
}

/// The cost of reading the whole history as a phrase: the requests, and the minutes when one minute is not enough.
/// `badges` is the length of the history, if lapel knows it.
pub fn history_cost(badges: Option<u64>, a_minute: u32) -> String {
    match badges.map(|badges| Cost::of(badges, a_minute)) {
        Some(Cost { requests, waits: 0 }) => plural!(requests, "about {n} request", "about {n} requests"),
        Some(Cost { requests, waits }) => t!(
            "about {requests} requests in {minutes} minutes",
            requests = number(requests),
            minutes = number(waits + 1)
        ),
        None => t!("1 request for every 100 badges of the history").to_owned(),
    }
}

pub fn summary(read: &ReadTotals, noun: RecordNoun) -> String {
    let total = read.total_count.map_or_else(|| t!("(none)").to_owned(), number);
    let rows = noun.counted(read.rows);
    let mut said = match read.end {
        ListEnd::Complete => t!("{rows}, complete (total_count {total}).", rows, total),
        ListEnd::Uncounted => {
            t!("{rows}, read until nothing new came: the service gives no total_count.", rows)
        }
        ListEnd::Unconfirmed => t!(
            "{rows}, possibly incomplete: an empty page followed a full one, and the service gives no total_count. Try again, or use the filters to read a part of the list.",
            rows
        ),
        ListEnd::Unreadable => {
            let said = if read.unreadable == 0 {
                t!("{rows}, incomplete: lapel could not read a part of the list. Try again later.", rows)
            } else {
                t!(
                    "{rows}; lapel could not read {unreadable} of total_count {total}. The service sends them in a form that lapel does not understand. Tell the operator of the service.",
                    rows,
                    unreadable = number(read.unreadable),
                    total
                )
            };
            let first = read.problems.first();
            let first = first.map(|p| t!("First error, at {place}: {why}.", place = p.place, why = p.why));
            [Some(said), first].into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        ListEnd::Disagrees => t!(
            "{rows}, but total_count is {total}. lapel read the list until nothing new came. It is not known whether anything is missing. Ask the operator of the service.",
            rows,
            total
        ),
        ListEnd::Stopped => t!(
            "{rows} of total_count {total}, incomplete: lapel stopped after {requests} requests because the pages did not end. Use the filters to read a part of the list, or try again when the list changes less.",
            rows,
            total,
            requests = number(read.requests)
        ),
        ListEnd::Moving => t!(
            "{rows} of total_count {total}, incomplete: the list changed each time lapel read it. Try again when it changes less, or use the filters to read a part of it.",
            rows,
            total
        ),
    };
    if read.gone > 0 {
        said.push(' ');
        said.push_str(&t!("{rows} left the list during reading.", rows = noun.counted(read.gone)));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_said_before() {
        assert_eq!(cost(0, 250), "It takes 1 request.");
        assert_eq!(cost(4_312, 250), "It takes 44 requests.");
        assert_eq!(cost(100_001, 250), "It takes 1,001 requests at 250 a minute: about 5 minutes.");
        assert_eq!(cost(101, 1), "It takes 2 requests at 1 a minute: about 2 minutes.");
    }

    #[test]
    fn what_is_missing_is_said() {
        let read = ReadTotals {
            rows: 250,
            total_count: Some(250),
            requests: 3,
            end: ListEnd::Complete,
            gone: 0,
            unreadable: 0,
            problems: Vec::new(),
        };
        let noun = RecordNoun::Badge;
        assert_eq!(summary(&read, noun), "250 badges, complete (total_count 250).");
        let left = ReadTotals { total_count: Some(249), gone: 1, ..read.clone() };
        assert_eq!(
            summary(&left, noun),
            "250 badges, complete (total_count 249). 1 badge left the list during reading."
        );
        let none = ReadTotals { total_count: None, end: ListEnd::Uncounted, ..read.clone() };
        assert!(summary(&none, noun).contains("gives no total_count"));
        let moving = ReadTotals { end: ListEnd::Moving, ..read };
        assert!(summary(&moving, noun).contains("incomplete"));
    }

    #[test]
    fn a_page_that_contradicts_its_count_has_a_problem() {
        let problems = |page: u64, len: usize, total: Option<u64>, stated: Option<u64>| {
            let read = Page::<()> {
                items: Vec::new(),
                list_len: len,
                total_count: total,
                page: Some(page),
                rows_per_page: stated,
                problems: Vec::new(),
            };
            as_counted(read, &Paging { page, rows_per_page: 20, ..Paging::default() }).problems.len()
        };
        for (page, len, total, stated) in [
            (1, 20, Some(45), None),
            (3, 5, Some(45), None),
            (4, 0, Some(45), None),
            (1, 0, Some(0), None),
            (1, 3, None, None),
            // The service gives fewer rows a page than asked for.
            (2, 7, Some(45), Some(7)),
        ] {
            assert_eq!(problems(page, len, total, stated), 0, "{page} {len} {total:?} {stated:?}");
        }
        for (page, len, total) in [(1, 0, Some(14)), (1, 19, Some(45)), (1, 20, Some(19)), (3, 4, Some(45))] {
            assert_eq!(problems(page, len, total, None), 1, "{page} {len} {total:?}");
        }
    }

    #[test]
    fn the_cost_of_the_history_has_minutes_when_one_is_not_enough() {
        let costs = [None, Some(0), Some(4_300), Some(430_000)].map(|badges| history_cost(badges, 600));
        assert_eq!(
            costs,
            [
                "1 request for every 100 badges of the history",
                "about 1 request",
                "about 43 requests",
                "about 4,300 requests in 8 minutes"
            ]
        );
    }

    #[test]
    fn the_rest_of_a_reading_waits_for_the_rate_limit() {
        let left = |done| time_left(done, 1_000_000, 100).unwrap_or_default();
        assert_eq!(
            [left(0), left(980_000), left(990_001)],
            ["about 99 minutes left", "about 1 minute left", ""]
        );
    }
}
