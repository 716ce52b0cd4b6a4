//! The names of facts as people read them. Programs get the same names as fields of JSON, which stay as they are.

use crate::words::{Language, language, say};
use unicode_width::UnicodeWidthStr;

/// The names that are said in other languages. Names of settings and of environment variables are not among
/// them: they are typed.
const LABELS: &[&str] = &[
    mark!("ahead of this computer s"),
    mark!("background"),
    mark!("background asked"),
    mark!("base url"),
    mark!("bytes"),
    mark!("columns"),
    mark!("config file"),
    mark!("data dir"),
    mark!("debug assertions"),
    mark!("environment"),
    mark!("error"),
    mark!("exists"),
    mark!("features"),
    mark!("from"),
    mark!("heard"),
    mark!("images"),
    mark!("jobs"),
    mark!("key from"),
    mark!("key prefix"),
    mark!("keys dir"),
    mark!("locale"),
    mark!("log file"),
    mark!("name"),
    mark!("offset from"),
    mark!("organisation"),
    mark!("overrides"),
    mark!("path"),
    mark!("program"),
    mark!("proxy"),
    mark!("reached"),
    mark!("read only"),
    mark!("round trip ms"),
    mark!("rows"),
    mark!("service utc"),
    mark!("target"),
    mark!("utc offset"),
    mark!("version"),
    mark!("wrong"),
];

/// A name in words: `base_url` is `base url`.
pub(super) fn label(name: &str) -> String {
    let plain = name.replace('_', " ");
    match LABELS.iter().find(|known| **known == plain) {
        Some(known) => say(known).to_owned(),
        None => plain,
    }
}

/// A name as programs get it, in English and where it has no other.
pub(super) fn field(name: &str) -> String {
    let known = LABELS.iter().find(|known| **known == name.replace('_', " "));
    match known {
        Some(known) if language() != Language::English => say(known).to_owned(),
        _ => name.to_owned(),
    }
}

/// A text with what it lacks of so many cells.
pub(super) fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(text.width())))
}
