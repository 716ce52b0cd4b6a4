//! Strict parsing of query strings and JSON bodies.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::clock;
use super::response::EndpointResponse;
use super::store::OrderDirection;
use super::switches::{
    BadDate, BadNumber, DateEnd, PageZero, RowsZero, SortType, Sorting, Switches, UnknownSort,
};

/// The parameters of a request in order, including repetitions.
#[derive(Debug)]
pub(super) struct Params(Vec<(String, String)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageParams {
    pub page: u64,
    pub rows: u64,
}

impl Params {
    pub fn read(raw: Option<&str>, switches: &Switches) -> Result<Self, EndpointResponse> {
        let raw = raw.unwrap_or("");
        let mut pairs = Vec::new();
        for part in raw.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let plain = |text: &str| {
                decode(&text.replace('+', " ")).ok_or_else(|| {
                    EndpointResponse::bad(switches, "The query string is not percent-encoded UTF-8.")
                })
            };
            pairs.push((plain(name)?, plain(value)?));
        }
        Ok(Self(pairs))
    }

    /// `None` when the parameter is missing or empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).next().filter(|value| !value.is_empty())
    }

    fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Bounds of a date filter in seconds: the start is included, the end is excluded.
    pub fn dates(
        &self,
        start: &str,
        end: &str,
        switches: &Switches,
    ) -> Result<(Option<i64>, Option<i64>), EndpointResponse> {
        let read = |name: &str| -> Result<Option<i64>, EndpointResponse> {
            let Some(text) = self.text(name) else { return Ok(None) };
            match clock::read_day(text, switches.zone) {
                Some(day) => Ok(Some(day)),
                None if switches.bad_date == BadDate::Ignore => Ok(None),
                None => {
                    Err(EndpointResponse::bad(switches, format!("{name} must be a date such as 2026-01-31.")))
                }
            }
        };
        let day = if switches.date_end == DateEnd::Inclusive { 86_400 } else { 0 };
        Ok((read(start)?, read(end)?.map(|end| end + day)))
    }

    pub fn yes_no(&self, name: &str, switches: &Switches) -> Result<Option<bool>, EndpointResponse> {
        match self.text(name) {
            None => Ok(None),
            Some("Y") => Ok(Some(true)),
            Some("N") => Ok(Some(false)),
            Some(_) => Err(EndpointResponse::bad(switches, format!("{name} must be Y or N."))),
        }
    }

    /// With the limits of the contract.
    pub fn paging(&self, switches: &Switches) -> Result<PageParams, EndpointResponse> {
        let refused = |message: &'static str| Err(EndpointResponse::bad(switches, message));
        let page = match self.number("page", switches)? {
            None => 1,
            Some(0) if switches.page_zero == PageZero::Refuse => return refused("page must be at least 1."),
            Some(page) => page.max(1),
        };
        let rows = match self.number("rows_per_page", switches)? {
            None => 20,
            Some(0) => match switches.rows_zero {
                RowsZero::Default => 20,
                RowsZero::Empty => 0,
                RowsZero::Refuse => return refused("rows_per_page must be at least 1."),
            },
            Some(rows) if rows > 100 => return refused("rows_per_page must be at most 100."),
            Some(rows) => rows,
        };
        Ok(PageParams { page, rows: rows.min(switches.max_rows.into()) })
    }

    fn number(&self, name: &str, switches: &Switches) -> Result<Option<u64>, EndpointResponse> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return match switches.bad_number {
                BadNumber::Refuse => {
                    Err(EndpointResponse::bad(switches, format!("{name} must be a whole number.")))
                }
                BadNumber::Default => Ok(None),
            };
        }
        let number = digits.parse().unwrap_or(u64::MAX);
        if negative && number != 0 {
            return Err(EndpointResponse::bad(switches, format!("{name} must not be negative.")));
        }
        Ok(Some(number))
    }

    pub fn sorting(
        &self,
        known: &[&'static str],
        switches: &Switches,
    ) -> Result<Vec<(&'static str, OrderDirection)>, EndpointResponse> {
        let refused = |message: &'static str| Err(EndpointResponse::bad(switches, message));
        let columns: Vec<&str> = self.all("sort_by").filter(|name| !name.is_empty()).collect();
        match switches.sorting {
            Sorting::Full => {}
            Sorting::Ignored => return Ok(Vec::new()),
            Sorting::Refused if columns.is_empty() => return Ok(Vec::new()),
            Sorting::Refused => return refused("This list cannot be sorted."),
        }
        let refuse = switches.unknown_sort == UnknownSort::Refuse;
        let mut types = self.all("sort_type");
        let mut order = Vec::new();
        for column in columns {
            let word = types.next().unwrap_or("");
            let direction = direction(word, switches.sort_type);
            let column = known.iter().find(|name| **name == column);
            match (column, direction) {
                (Some(column), Some(direction)) => order.push((*column, direction)),
                (None, _) if refuse => return refused("sort_by names an unknown column."),
                (_, None) if refuse => return refused("sort_type must be ASC or DESC."),
                _ => {}
            }
        }
        Ok(order)
    }
}

fn direction(word: &str, accepted: SortType) -> Option<OrderDirection> {
    let folded = match accepted {
        SortType::Upper => word.to_owned(),
        SortType::Lower if word.bytes().any(|byte| byte.is_ascii_uppercase()) => return None,
        SortType::Any | SortType::Lower => word.to_ascii_uppercase(),
    };
    match folded.as_str() {
        "" | "ASC" => Some(OrderDirection::Ascending),
        "DESC" => Some(OrderDirection::Descending),
        _ => None,
    }
}

/// Decodes percent-encoding; `None` when it is invalid or not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let is_code = |rest: &str| rest.get(..2).is_some_and(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
    let decoded = || percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned);
    text.split('%').skip(1).all(is_code).then(decoded)?
}

/// A required text field of a body that must not be blank.
pub(super) fn text_field<'a>(body: &'a Value, name: &str) -> Result<&'a str, String> {
    match body.get(name) {
        None | Some(Value::Null) => Err(format!("{name} is missing.")),
        Some(Value::String(text)) if text.trim().is_empty() => Err(format!("{name} is empty.")),
        Some(Value::String(text)) if text.contains('\0') => Err(format!("{name} contains a NUL character.")),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("{name} must be a text.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(raw: &str) -> Params {
        Params::read(Some(raw), &Switches::default()).unwrap()
    }

    #[test]
    fn pluses_are_spaces_and_percents_are_bytes() {
        let read = params("a=x+y%2Bz&b=%EA%B9%80&c&a=2&&=");
        assert_eq!(read.text("a"), Some("x y+z"));
        assert_eq!(read.text("b"), Some("김"));
        assert_eq!(read.text("c"), None);
        assert_eq!(read.all("a").count(), 2);
        for broken in ["a=%", "a=%4", "a=%zz", "a=%ff", "%C3=1"] {
            assert_eq!(Params::read(Some(broken), &Switches::default()).unwrap_err().status, 400, "{broken}");
        }
    }

    #[test]
    fn paging_keeps_to_the_contract() {
        let paging = |raw: &str| params(raw).paging(&Switches::default()).map_err(|answer| answer.status);
        assert_eq!(paging(""), Ok(PageParams { page: 1, rows: 20 }));
        assert_eq!(paging("page=3&rows_per_page=100"), Ok(PageParams { page: 3, rows: 100 }));
        assert_eq!(paging("page=0&rows_per_page=0"), Ok(PageParams { page: 1, rows: 20 }));
        assert_eq!(paging("page=99999999999999999999999"), Ok(PageParams { page: u64::MAX, rows: 20 }));
        for wrong in
            ["page=-1", "rows_per_page=-1", "rows_per_page=101", "page=x", "page=1.5", "page=-", "page=٣"]
        {
            assert_eq!(paging(wrong), Err(400), "{wrong}");
        }
    }

    #[test]
    fn sorting_keeps_pairs_in_order() {
        let sort = |raw: &str| params(raw).sorting(&["a", "b"], &Switches::default()).map_err(|no| no.status);
        assert_eq!(
            sort("sort_by=b&sort_type=desc&sort_by=a&sort_type=ASC"),
            Ok(vec![("b", OrderDirection::Descending), ("a", OrderDirection::Ascending)])
        );
        assert_eq!(sort("sort_by=a"), Ok(vec![("a", OrderDirection::Ascending)]));
        assert_eq!(sort("sort_by=c"), Err(400));
        assert_eq!(sort("sort_by=a&sort_type=up"), Err(400));
        assert_eq!(sort("sort_type=DESC"), Ok(vec![]));
    }
}
