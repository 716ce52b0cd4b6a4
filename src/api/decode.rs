//! Decodes JSON leniently: pages, lists and single records.
//!
//! Accepts nulls, missing and unknown fields, numbers as text, text as numbers, and booleans for Y and N.
//! Reports an unreadable record with its place and keeps all others. Never panics, for any JSON.

use crate::api::prelude::*;
use crate::domain::record_fields::FieldSource;
use crate::domain::{BadgeType, Level, Page, RecordProblem, ServiceRecord};
use serde_json::Map;

pub(super) type JsonObject = Map<String, Value>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    pub items: Vec<T>,
    pub problems: Vec<RecordProblem>,
}

/// The contract does not show the shape of badge types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadgeTypes {
    pub types: Vec<BadgeType>,
    pub problems: Vec<RecordProblem>,
    /// For a person, for example that the service has no badge types.
    pub note: Option<Localizable>,
}

fn problem(place: impl Into<String>, why: Localizable) -> RecordProblem {
    RecordProblem { place: place.into(), why }
}

fn read_one<T: ServiceRecord>(value: &Value) -> Result<T, Localizable> {
    match value {
        Value::Object(fields) => T::read(fields),
        other => Err(localizable!("{what} instead of a record", what = kind(other))),
    }
}

fn kind(value: &Value) -> Localizable {
    match value {
        Value::Null => localizable!("no value"),
        Value::Bool(_) => localizable!("a true/false value"),
        Value::Number(_) => localizable!("a number"),
        Value::String(_) => localizable!("text"),
        Value::Array(_) => localizable!("a list"),
        Value::Object(_) => localizable!("a record"),
    }
}

/// `Err` describes other data: a missing answer is not an empty page.
pub(super) fn page<T: ServiceRecord>(data: &Value) -> Result<Page<T>, Localizable> {
    let mut page = Page::without_rows(Vec::new());
    let list = match data {
        Value::Array(list) => Some(list),
        Value::Object(fields) => {
            page.total_count = count(fields, "total_count");
            page.page = count(fields, "page");
            page.rows_per_page = count(fields, "rows_per_page");
            match fields.get("list") {
                Some(Value::Array(list)) => Some(list),
                // Zero rows without a list is a valid empty page.
                None | Some(Value::Null) if page.total_count == Some(0) => None,
                None | Some(Value::Null) => return Err(localizable!("a page without a list")),
                Some(other) => return Err(localizable!("{what} instead of a list", what = kind(other))),
            }
        }
        other => return Err(localizable!("{what} instead of a list", what = kind(other))),
    };
    for (index, value) in list.into_iter().flatten().enumerate() {
        page.list_len += 1;
        match read_one(value) {
            Ok(item) => page.items.push((index, item)),
            Err(why) => page.problems.push(problem(format!("list[{index}]"), why)),
        }
    }
    Ok(page)
}

/// Also accepts a paged list.
pub(super) fn listed<T: ServiceRecord>(data: &Value) -> Result<Listed<T>, Localizable> {
    let page = page(data)?;
    Ok(Listed { items: page.items.into_iter().map(|(_, item)| item).collect(), problems: page.problems })
}

/// Also accepts a list of one. `Ok(None)` for an empty list. No data and no fields are errors: they do not
/// show whether the record exists. `asked` is the requested id, used if the service left it out.
pub(super) fn single<T: ServiceRecord>(data: &Value, asked: (&str, &str)) -> Result<Option<T>, Localizable> {
    let record = match data {
        Value::Null => return Err(localizable!("a success response without a record")),
        Value::Array(list) if list.is_empty() => return Ok(None),
        Value::Array(list) if list.len() == 1 => &list[0],
        other => other,
    };
    match record {
        Value::Object(fields) if fields.is_empty() => {
            Err(localizable!("a success response without a record"))
        }
        Value::Object(fields) if matches!(fields.get(asked.0), None | Some(Value::Null)) => {
            let mut fields = fields.clone();
            fields.insert(asked.0.to_owned(), Value::from(asked.1));
            T::read(&fields).map(Some)
        }
        other => read_one(other).map(Some),
    }
}

/// Badge types: a list of records or texts, a paged object, or a single record.
pub(super) fn badge_types(data: &Value) -> BadgeTypes {
    let mut read = BadgeTypes { types: Vec::new(), problems: Vec::new(), note: None };
    let list = match data {
        Value::Array(list) => list.as_slice(),
        Value::Object(fields) => match fields.get("list") {
            Some(Value::Array(list)) => list.as_slice(),
            _ if fields.contains_key("total_count") => &[],
            _ => std::slice::from_ref(data),
        },
        Value::Null => {
            read.problems.push(problem("data", localizable!("{what} instead of a list", what = kind(data))));
            &[]
        }
        _ => std::slice::from_ref(data),
    };
    for (index, value) in list.iter().enumerate() {
        let fields = match value {
            Value::Object(fields) if !fields.is_empty() => fields
                .iter()
                .map(|(name, value)| (Text::new(name.clone()), shown(value).unwrap_or_default()))
                .collect(),
            Value::Object(_) | Value::Null | Value::Array(_) => {
                let why = localizable!("{what} instead of a badge type", what = kind(value));
                read.problems.push(problem(format!("list[{index}]"), why));
                continue;
            }
            plain => vec![(Text::from("badge_type"), shown(plain).unwrap_or_default())],
        };
        read.types.push(BadgeType { fields });
    }
    if read.types.is_empty() && read.problems.is_empty() {
        read.note = Some(localizable!("The service lists no badge types."));
    }
    read
}

/// Nested values become JSON.
fn shown(value: &Value) -> Option<Text> {
    match value {
        Value::Null => None,
        Value::String(s) if s.is_empty() => None,
        Value::String(s) => Some(Text::from(s.as_str())),
        other => Some(Text::from(other.to_string())),
    }
}

impl FieldSource for JsonObject {
    /// Text or a whole number. A fraction, an exponent or a replacement character means that digits or
    /// bytes were lost, so the id could identify another record.
    fn id(&self, name: &str) -> Result<String, Localizable> {
        match self.get(name) {
            None | Some(Value::Null) => Err(localizable!("{name} is missing", name)),
            Some(Value::String(s)) if s.is_empty() => Err(localizable!("{name} is empty", name)),
            Some(Value::String(s)) if s.contains('\u{fffd}') => Err(localizable!("{name} is damaged", name)),
            Some(Value::String(s)) => Ok(s.clone()),
            Some(Value::Number(n)) if n.is_i64() || n.is_u64() => Ok(n.to_string()),
            Some(Value::Number(_)) => Err(localizable!("{name} is a number with missing digits", name)),
            Some(Value::Bool(_)) => Err(localizable!("{name} is a true/false value", name)),
            Some(Value::Array(_)) => Err(localizable!("{name} is a list", name)),
            Some(Value::Object(_)) => Err(localizable!("{name} is a record", name)),
        }
    }

    fn text(&self, name: &str) -> Option<Text> {
        shown(self.get(name)?)
    }

    fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Number(n) => n.as_i64().or_else(|| whole(n.as_f64()?)),
            Value::String(s) => s.trim().parse().ok().or_else(|| whole(s.trim().parse().ok()?)),
            _ => None,
        }
    }

    fn yes_no(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Value::Bool(b) => Some(*b),
            Value::Number(n) => match n.as_i64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Value::String(s) => match s.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" | "1" => Some(true),
                "n" | "no" | "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// From a list or from comma-separated text; there, a tag that contains a comma is split.
    fn tags(&self, name: &str) -> Vec<Text> {
        let tag = |s: &str| Some(s.trim()).filter(|s| !s.is_empty()).map(Text::from);
        match self.get(name) {
            Some(Value::Array(list)) => list.iter().filter_map(shown).filter_map(|t| tag(t.wire())).collect(),
            Some(Value::String(s)) => s.split(',').filter_map(tag).collect(),
            _ => Vec::new(),
        }
    }

    fn levels(&self, name: &str) -> Vec<Level> {
        let levels = self.get(name).and_then(Value::as_array);
        levels.into_iter().flatten().filter_map(level).collect()
    }
}

/// Also accepts a plain name or number.
fn level(value: &Value) -> Option<Level> {
    match value {
        Value::Object(f) => Some(Level { level: f.integer("level"), level_name: f.text("level_name") }),
        Value::String(name) => Some(Level { level: None, level_name: Some(name.as_str().into()) }),
        Value::Number(number) => Some(Level { level: number.as_i64(), level_name: None }),
        _ => None,
    }
}

fn whole(n: f64) -> Option<i64> {
    // Above 2^53, a float is not exact.
    (n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_992.0).then_some(n as i64)
}

/// A count; `None` for negative numbers and for text that is not a number.
pub(super) fn count(fields: &JsonObject, name: &str) -> Option<u64> {
    fields.integer(name).and_then(|n| u64::try_from(n).ok())
}

#[cfg(test)]
mod tests;
