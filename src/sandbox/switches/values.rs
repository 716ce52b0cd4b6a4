//! Switches with a free value.

use std::net::IpAddr;

/// The client addresses that the organisation allows. Empty means any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowList(Vec<IpAddr>);

impl AllowList {
    pub fn admits(&self, address: IpAddr) -> bool {
        self.0.is_empty() || self.0.contains(&address)
    }
}

pub(super) fn read_zone(text: &str) -> Option<i32> {
    if matches!(text, "Z" | "z" | "UTC" | "utc") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let sound = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    (sound && hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

pub(super) fn show_zone(offset: &i32) -> String {
    let sign = if *offset < 0 { '-' } else { '+' };
    let minutes = offset.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

pub(super) fn read_max_rows(text: &str) -> Option<u32> {
    text.parse().ok().filter(|rows| (1..=100).contains(rows))
}

pub(super) fn read_allow(text: &str) -> Option<AllowList> {
    if text == "any" {
        return Some(AllowList::default());
    }
    let list: Option<Vec<IpAddr>> = text.split(',').map(|one| one.trim().parse().ok()).collect();
    list.filter(|list| !list.is_empty()).map(AllowList)
}

pub(super) fn show_allow(list: &AllowList) -> String {
    if list.0.is_empty() {
        return "any".to_owned();
    }
    list.0.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(",")
}

// The table needs this signature for every free value.
#[allow(clippy::unnecessary_wraps)]
pub(super) fn read_text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
