//! Records as rows: each field under the contract's name ("Resources and their fields"), in its order.

mod badges;
mod catalogue;
#[cfg(test)]
mod tests;

pub use catalogue::badge_types;

use crate::domain::{ServiceTime, State, Text};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

/// What the rows of a kind of record look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The names of the columns, in their order.
    pub columns: &'static [&'static str],
    /// Those of them that say most, the first of them first: for where there is not room for all.
    pub first: &'static [&'static str],
    /// What one and many are called.
    pub noun: (&'static str, &'static str),
}

impl Shape {
    /// The names of the columns as they head a table.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// A record as it is taken away. Its texts are as they came, for whoever writes them to scrub.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is known by.
    pub id: String,
    /// One for each column.
    pub cells: Vec<String>,
    /// The record as the service structures it.
    pub json: Value,
    /// The state of the badge, where it is one.
    pub state: Option<State>,
}

impl Row {
    /// A record as a row; `now` is the service's, for whether a badge has expired.
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

/// A record of the service that can be taken away.
pub trait Record {
    /// Its columns.
    const SHAPE: Shape;
    /// Its id, as it came.
    fn id(&self) -> &str;
    /// Its fields, under the contract's names. What the service left out or left empty is null.
    fn fields(&self) -> Map<String, Value>;
    /// The record as JSON, where that is more than its fields.
    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
    }
    /// The state of the badge, where it is one.
    fn state(&self, _now: DateTime) -> Option<State> {
        None
    }
}

/// A value in a cell: no value is empty, truth is Y or N, lists are joined.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join(", "),
        // A level of a category: its number and its name.
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

/// As the contract writes it.
fn yes_no(value: Option<bool>) -> Value {
    value.map_or(Value::Null, |yes| if yes { "Y" } else { "N" }.into())
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// `rnum` is a place in the result, not a part of the record: only JSON has it.
fn with_place(mut fields: Map<String, Value>, rnum: Option<i64>) -> Map<String, Value> {
    fields.insert("rnum".to_owned(), rnum.into());
    fields
}
