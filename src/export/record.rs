//! Records as rows: each field under the contract's name ("Resources and their fields"), in its order.

mod badges;
mod catalogue;
#[cfg(test)]
mod tests;

pub use catalogue::badge_types;

use crate::domain::{ServiceTime, State, Text};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

/// The columns of one kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub columns: &'static [&'static str],
    /// The most important columns, most important first, for a narrow table.
    pub first: &'static [&'static str],
    /// The singular and the plural.
    pub noun: (&'static str, &'static str),
}

impl Shape {
    /// The column names for a table header.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// A record for export. Its texts are unscrubbed; the code that writes them scrubs them.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportRow {
    pub id: String,
    /// One cell for each column.
    pub cells: Vec<String>,
    /// The record in the service's structure.
    pub json: Value,
    /// The state of a badge, `None` for other records.
    pub state: Option<State>,
}

impl ExportRow {
    /// Converts a record. `now` is the service's time, which decides whether a badge has expired.
    pub fn of<R: Record>(record: &R, now: DateTime) -> Self {
        let fields = record.fields();
        let cells = R::SHAPE.columns.iter().map(|name| fields.get(*name).map_or(String::new(), cell));
        Self {
            id: record.id().to_owned(),
            cells: cells.collect(),
            state: record.state(now),
            json: Value::Object(record.json(fields)),
        }
    }
}

pub trait Record {
    const SHAPE: Shape;
    /// The id as the service sent it.
    fn id(&self) -> &str;
    /// The fields under the contract's names. A missing or empty field is null.
    fn fields(&self) -> Map<String, Value>;
    /// The record as JSON, when that has more than the fields.
    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
    }
    /// The state of a badge, `None` for other records.
    fn state(&self, _now: DateTime) -> Option<State> {
        None
    }
}

/// The cell for a value: null is empty, a boolean is Y or N, a list is joined with commas.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join(", "),
        // A level of a category: number and name.
        Value::Object(fields) => {
            fields.values().map(cell).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

fn text(text: Option<&Text>) -> Value {
    text.map_or(Value::Null, |t| t.wire().into())
}

fn time(time: Option<&ServiceTime>) -> Value {
    text(time.map(ServiceTime::raw))
}

/// Y or N, as in the contract.
fn yes_no(value: Option<bool>) -> Value {
    value.map_or(Value::Null, |yes| if yes { "Y" } else { "N" }.into())
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Adds `rnum` to the JSON. It is a position in the result, not a field of the record, so tables leave it
/// out.
fn with_place(mut fields: Map<String, Value>, rnum: Option<i64>) -> Map<String, Value> {
    fields.insert("rnum".to_owned(), rnum.into());
    fields
}
