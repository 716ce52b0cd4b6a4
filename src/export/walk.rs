//! A list, page by page, until nothing is missing.

use super::list::List;
use super::record::Row;
use crate::api::{
    ApiError, Call, DirectionStyle, End, Gathered, MAX_ROWS_PER_PAGE, PageReader, Reader, Sort,
};
use crate::domain::Page;
use crate::i18n::{Language, language};

/// How far a list is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Records that are there.
    pub rows: u64,
    /// How many there are, as far as the service says.
    pub all: Option<u64>,
    /// Whether it is being read again, since it moved.
    pub again: bool,
}

/// Reads a list to its end.
pub struct Walk<'r> {
    reader: &'r Reader,
    call: &'r Call,
    list: List,
    pages: PageReader,
}

impl<'r> Walk<'r> {
    /// Of this list; which page it asks for does not matter.
    pub fn new(reader: &'r Reader, list: List, call: &'r Call) -> Self {
        Self { reader, call, list, pages: PageReader::default() }
    }

    /// The next rows, none of which was there before; `None` after the end.
    ///
    /// # Errors
    /// The client's; what was given out until then is not all.
    pub async fn next(&mut self) -> Result<Option<Vec<Row>>, ApiError> {
        let Some(wanted) = self.pages.next() else { return Ok(None) };
        self.list = self.list.clone().at(wanted.page, wanted.rows);
        let page = if self.pages.is_first() {
            first_page(self.list.clone(), self.reader, self.call).await.map(|(list, page)| {
                self.list = list;
                page
            })
        } else {
            self.list.read(self.reader, self.call).await
        };
        Ok(Some(self.pages.take(page, |row: &Row| row.id.clone())?))
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress { rows: self.pages.rows(), all: self.pages.total_count(), again: self.pages.is_again() }
    }

    /// Why nothing at all was read, where the service gave no page that could be read.
    pub fn failure(&self) -> Option<&ApiError> {
        self.pages.failure()
    }

    /// What was read; `None` before the end.
    pub fn finish(self) -> Option<Gathered> {
        self.pages.finish()
    }
}

/// Reads a page whose order the service has not been asked for before: the contract does not show in which
/// letters it takes a direction, so that small ones are tried where it refuses capital ones. Gives back the
/// list as the service takes it.
///
/// # Errors
/// The client's; where both are refused, what the service said to the first.
pub async fn first_page(list: List, reader: &Reader, call: &Call) -> Result<(List, Page<Row>), ApiError> {
    let refused = match list.read(reader, call).await {
        Err(why @ ApiError::BadRequest(_)) if !list.paging().sort.is_empty() => why,
        page => return Ok((list, page?)),
    };
    let small = |sort: &Sort| Sort { style: DirectionStyle::Lower, ..sort.clone() };
    let sort = list.paging().sort.iter().map(small).collect();
    let list = list.sorted(sort);
    match list.read(reader, call).await {
        Ok(page) => Ok((list, page)),
        Err(ApiError::BadRequest(_)) => Err(refused),
        Err(why) => Err(why),
    }
}

/// What reading a list costs, in words: how many requests, and how long that takes where it is more than the
/// background may send in a minute.
pub fn cost(rows: u64, a_minute: u32) -> String {
    let requests = rows.div_ceil(u64::from(MAX_ROWS_PER_PAGE)).max(1);
    let pace = u64::from(a_minute).max(1);
    if requests <= pace {
        return if requests == 1 {
            t!("It takes 1 request.").to_owned()
        } else {
            t!("It takes {requests} requests.", requests)
        };
    }
    // More than fit into one minute take two at least.
    let minutes = requests.div_ceil(pace);
    t!("It takes {requests} requests, {pace} a minute: about {minutes} minutes.", requests, pace, minutes)
}

/// `1 badge`, `2 badges`: records of a kind, by its [`super::Shape::noun`]. The number has no commas.
pub fn counted(n: u64, noun: (&str, &str)) -> String {
    if n == 1 && language() == Language::English {
        return format!("1 {}", noun.0);
    }
    match noun.1 {
        "badges" => t!("{n} badges", n),
        "categories" => t!("{n} categories", n),
        "templates" => t!("{n} templates", n),
        "rows" => t!("{n} rows", n),
        other => format!("{n} {other}"),
    }
}

/// What was read, in a sentence or a few: how much, whether that is all, and what is missing and why.
pub fn summary(read: &Gathered, noun: (&str, &str)) -> String {
    let total = read.total_count.map_or_else(|| t!("(none)").to_owned(), |n| n.to_string());
    let rows = counted(read.rows, noun);
    let mut said = match read.end {
        End::Complete => t!("{rows}, complete to total_count {total}.", rows, total),
        End::Uncounted => t!("{rows}, read until nothing new came: the service gives no total_count.", rows),
        End::Unconfirmed => t!(
            "{rows}, not complete for certain: an empty page came behind a full one, and the service gives no total_count. \
             Try again, or take a part of the list with the filters.",
            rows
        ),
        End::Unreadable => {
            let first = read
                .problems
                .first()
                .map_or(String::new(), |p| t!(" (first: {place}: {why})", place = p.place, why = p.why));
            if read.unreadable == 0 {
                t!(
                    "{rows}, not complete: a part of the list could not be read{first}. Try again later.",
                    rows,
                    first
                )
            } else {
                t!(
                    "{rows}, and {unreadable} of total_count {total} that could not be read{first}. The service gives them in a form \
                     that lapel does not understand: tell whoever runs it.",
                    rows,
                    unreadable = read.unreadable,
                    total,
                    first
                )
            }
        }
        End::Disagrees => t!(
            "{rows}, but total_count is {total}. The list was read until nothing new came: what is missing, if anything, \
             is not known. Ask the people who run the service.",
            rows,
            total
        ),
        End::Stopped => t!(
            "{rows} of total_count {total}, not complete: the reading was stopped after {requests} requests, since pages \
             went on without an end. Take a part of the list with the filters, or try again when less is going on.",
            rows,
            total,
            requests = read.requests
        ),
        End::Moving => t!(
            "{rows} of total_count {total}, not complete: the list changed each time it was read. Try again when less \
             is going on, or take a part of it with the filters.",
            rows,
            total
        ),
    };
    if read.gone > 0 {
        said.push_str(&t!(" {rows} left the list while it was read.", rows = counted(read.gone, noun)));
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
        assert_eq!(cost(100_001, 250), "It takes 1001 requests, 250 a minute: about 5 minutes.");
        assert_eq!(cost(101, 1), "It takes 2 requests, 1 a minute: about 2 minutes.");
    }

    #[test]
    fn what_is_missing_is_said() {
        let read = Gathered {
            rows: 250,
            total_count: Some(250),
            requests: 3,
            end: End::Complete,
            gone: 0,
            unreadable: 0,
            problems: Vec::new(),
        };
        let noun = ("badge", "badges");
        assert_eq!(summary(&read, noun), "250 badges, complete to total_count 250.");
        let left = Gathered { total_count: Some(249), gone: 1, ..read.clone() };
        assert_eq!(
            summary(&left, noun),
            "250 badges, complete to total_count 249. 1 badge left the list while it was read."
        );
        let none = Gathered { total_count: None, end: End::Uncounted, ..read.clone() };
        assert!(summary(&none, noun).contains("gives no total_count"));
        let moving = Gathered { end: End::Moving, ..read };
        assert!(summary(&moving, noun).contains("not complete"));
    }
}
