//! The labels of facts for users. Programs get the same names as JSON fields, which never change.

use super::job_text;
use crate::cli::prelude::*;
use crate::i18n::{Language, language};

/// Names of settings and environment variables are not translated, because users type them.
const LABELS: &[&str] = &[
    tr_noop!("ahead of this computer s"),
    tr_noop!("background"),
    tr_noop!("background asked"),
    tr_noop!("base url"),
    tr_noop!("bytes"),
    tr_noop!("can write"),
    tr_noop!("clock ahead ms"),
    tr_noop!("columns"),
    tr_noop!("config file"),
    tr_noop!("data dir"),
    tr_noop!("debug assertions"),
    tr_noop!("encryption"),
    tr_noop!("environment"),
    tr_noop!("error"),
    tr_noop!("exists"),
    tr_noop!("features"),
    tr_noop!("from"),
    tr_noop!("heard"),
    tr_noop!("images"),
    tr_noop!("jobs"),
    tr_noop!("key from"),
    tr_noop!("keys dir"),
    tr_noop!("kind"),
    tr_noop!("known schema"),
    tr_noop!("locale"),
    tr_noop!("log file"),
    tr_noop!("lost writes"),
    tr_noop!("missing rights"),
    tr_noop!("name"),
    tr_noop!("network drive"),
    tr_noop!("offset from"),
    tr_noop!("organisation"),
    tr_noop!("path"),
    tr_noop!("pooled"),
    tr_noop!("process count"),
    tr_noop!("profile"),
    tr_noop!("program"),
    tr_noop!("proxy"),
    tr_noop!("reached"),
    tr_noop!("read only"),
    tr_noop!("review until"),
    tr_noop!("round trip ms"),
    tr_noop!("rows"),
    tr_noop!("rows to search"),
    tr_noop!("schema"),
    tr_noop!("service utc"),
    tr_noop!("standbys"),
    tr_noop!("synchronous standby"),
    tr_noop!("target"),
    tr_noop!("user"),
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

/// An object as lines of names and values.
pub(super) fn fields(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Object(object)) = value else { return vec![format!("  {}", t!("none"))] };
    let row = |(name, value): (&String, &Value)| Some(vec![format!("  {}", label(name)), shown(value)?]);
    job_text::align(&object.iter().filter_map(row).collect::<Vec<_>>())
}

/// `None` if there is nothing to show.
pub(super) fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::Array(all) if all.is_empty() => return None,
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().all(Value::is_string) => {
            all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Object(inner) => inline(inner),
        Value::Bool(true) => t!("yes").to_owned(),
        Value::Bool(false) => t!("no").to_owned(),
        other => other.to_string(),
    };
    Some(scrub(&text).into_owned())
}

fn inline(object: &Map<String, Value>) -> String {
    let pairs: Vec<String> = object
        .iter()
        // Schedules are too long for a line.
        .filter(|(_, value)| !value.is_null() && !value.is_array())
        .map(|(name, value)| {
            let name = label(name);
            match value {
                Value::Object(inner) => format!("{name} ({})", inline(inner)),
                Value::String(text) => format!("{name} {text}"),
                plain => format!("{name} {plain}"),
            }
        })
        .collect();
    pairs.join(", ")
}
