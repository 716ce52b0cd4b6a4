//! Reads the headers `Retry-After` and `Date`.

use crate::api::prelude::*;
use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::SystemTime;

pub(super) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let moment = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
    Timestamp::try_from(moment).ok()
}

/// Seconds (contract, "Errors" rule 1), or an HTTP date relative to the response's own `Date`,
/// since the clocks may differ. `None` if absent or invalid; the longest of several.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all(RETRY_AFTER)
        .iter()
        .filter_map(|v| v.to_str().ok())
        // A proxy may join several into one, but a date has a comma, too.
        .filter_map(|v| one(v, headers).or_else(|| v.split(',').filter_map(|part| one(part, headers)).max()))
        .max()
}

fn one(value: &str, headers: &HeaderMap) -> Option<Duration> {
    let value = value.trim();
    let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    if is_number {
        // A number with too many digits is a very long time, not an error.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    if let Some((whole, fraction)) = value.split_once('.')
        && !fraction.is_empty()
        && [whole, fraction].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    {
        let whole: u64 = whole.parse().ok()?;
        return Some(Duration::from_secs(whole.saturating_add(1)));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = date(headers).map_or_else(SystemTime::now, SystemTime::from);
    Some(until.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn every_form_is_read_and_nonsense_is_not() {
        const DATE: &str = "Sat, 21 Nov 2026 08:00:00 GMT";
        for (value, wait) in [
            ("7", Some(7)),
            ("0", Some(0)),
            (" 12 ", Some(12)),
            ("1.5", Some(2)),
            ("Sat, 21 Nov 2026 08:00:30 GMT", Some(30)),
            ("Sat, 21 Nov 2026 07:00:00 GMT", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("120, 7", Some(120)),
            ("soon, 7", Some(7)),
            ("Sat, 21 Nov 2026 08:00:30 GMT, Sat, 21 Nov 2026 08:00:30 GMT", None),
            ("-5", None),
            ("soon", None),
            ("", None),
            ("5s", None),
            (".", None),
        ] {
            let map = headers(&[("date", DATE), ("retry-after", value)]);
            assert_eq!(retry_after(&map), wait.map(Duration::from_secs), "{value:?}");
        }
        assert_eq!(retry_after(&headers(&[])), None);
        let twice = headers(&[("retry-after", "3"), ("retry-after", "9"), ("retry-after", "x")]);
        assert_eq!(retry_after(&twice), Some(Duration::from_secs(9)));
    }

    #[test]
    fn no_bytes_of_the_headers_do_harm() {
        let seeds: [&[u8]; 4] =
            [b"7", b"1.5", b"Sat, 21 Nov 2026 08:00:07 GMT", b"Saturday, 21-Nov-26 08:00:07 GMT"];
        crate::fuzz::fuzz("Retry-After", &seeds, &[b"99999999999999999999", b"31 Dec 9999"], |bytes| {
            let Ok(value) = HeaderValue::from_bytes(bytes) else { return };
            for name in [RETRY_AFTER, DATE] {
                let mut map = headers(&[("date", "Sat, 21 Nov 2026 08:00:00 GMT"), ("retry-after", "3")]);
                map.insert(name, value.clone());
                let _ = retry_after(&map);
            }
        });
    }
}
