//! The labels of facts for users. Programs get the same names as JSON fields, which never change.

use crate::i18n::{Language, language, tr};
use unicode_width::UnicodeWidthStr;

/// Names of settings and environment variables are not translated, because users type them.
const LABELS: &[&str] = &[
    tr_noop!("ahead of this computer s"),
    tr_noop!("background"),
    tr_noop!("background asked"),
    tr_noop!("base url"),
    tr_noop!("bytes"),
    tr_noop!("columns"),
    tr_noop!("config file"),
    tr_noop!("data dir"),
    tr_noop!("debug assertions"),
    tr_noop!("environment"),
    tr_noop!("error"),
    tr_noop!("exists"),
    tr_noop!("features"),
    tr_noop!("from"),
    tr_noop!("heard"),
    tr_noop!("images"),
    tr_noop!("jobs"),
    tr_noop!("keys dir"),
    tr_noop!("locale"),
    tr_noop!("log file"),
    tr_noop!("name"),
    tr_noop!("offset from"),
    tr_noop!("organisation"),
    tr_noop!("path"),
    tr_noop!("program"),
    tr_noop!("proxy"),
    tr_noop!("reached"),
    tr_noop!("read only"),
    tr_noop!("round trip ms"),
    tr_noop!("rows"),
    tr_noop!("service utc"),
    tr_noop!("target"),
    tr_noop!("utc offset"),
    tr_noop!("version"),
    tr_noop!("wrong"),
];

/// Turns `base_url` into `base url`.
pub(super) fn label(name: &str) -> String {
    let plain = name.replace('_', " ");
    match LABELS.iter().find(|known| **known == plain) {
        Some(known) => tr(known).to_owned(),
        None => plain,
    }
}

/// The JSON field name in English, and for names without a translation.
pub(super) fn field(name: &str) -> String {
    let known = LABELS.iter().find(|known| **known == name.replace('_', " "));
    match known {
        Some(known) if language() != Language::English => tr(known).to_owned(),
        _ => name.to_owned(),
    }
}

pub(super) fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(text.width())))
}
