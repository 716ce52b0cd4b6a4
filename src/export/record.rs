//! Records as rows: each field under the contract's name ("Resources and their fields"), in its order.

mod badges;
mod catalogue;
#[cfg(test)]
mod tests;

pub use catalogue::badge_types;

use crate::domain::{
    BadgeId, BadgeTypeCode, CategoryId, CategoryLevelId, Level, ServiceTime, State, TemplateId, Text,
};
use jiff::civil::DateTime;
use serde_json::{Map, Value, json};

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
    /// A row with these fields, for records that are not the service's.
    pub fn with(id: String, fields: Vec<(&'static str, Value)>) -> Self {
        let cells = fields.iter().map(|(_, value)| cell(value)).collect();
        let json = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { id, cells, json: Value::Object(json), state: None }
    }

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

/// The value of a field, as the service sent it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'a> {
    Text(Option<&'a Text>),
    /// An id or a code, unchanged.
    Code(Option<&'a str>),
    Time(Option<&'a ServiceTime>),
    Number(Option<i64>),
    /// Y or N, as in the contract.
    YesNo(Option<bool>),
    Texts(&'a [Text]),
    /// Texts that the contract joins with commas.
    Joined(&'a [Text]),
    Levels(&'a [Level]),
}

/// Implements `From` for references to the types of the records' fields.
macro_rules! values {
    ($($from:ty, $value:ident => $to:expr;)*) => {
        $(impl<'a> From<&'a $from> for FieldValue<'a> {
            fn from($value: &'a $from) -> Self {
                $to
            }
        })*
    };
}

values! {
    Option<Text>, text => Self::Text(text.as_ref());
    Option<ServiceTime>, time => Self::Time(time.as_ref());
    Option<i64>, number => Self::Number(*number);
    Option<bool>, yes => Self::YesNo(*yes);
    Vec<Text>, texts => Self::Texts(texts);
    Vec<Level>, levels => Self::Levels(levels);
    BadgeId, id => Self::Code(Some(id.wire()));
    Option<BadgeId>, id => Self::Code(id.as_ref().map(BadgeId::wire));
    TemplateId, id => Self::Code(Some(id.wire()));
    CategoryId, id => Self::Code(Some(id.wire()));
    Option<TemplateId>, id => Self::Code(id.as_ref().map(TemplateId::wire));
    Option<CategoryId>, id => Self::Code(id.as_ref().map(CategoryId::wire));
    Option<CategoryLevelId>, id => Self::Code(id.as_ref().map(CategoryLevelId::wire));
    Option<BadgeTypeCode>, code => Self::Code(code.as_ref().map(BadgeTypeCode::wire));
}

impl<'a> From<Option<&'a Text>> for FieldValue<'a> {
    fn from(text: Option<&'a Text>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<Option<&'a TemplateId>> for FieldValue<'a> {
    fn from(id: Option<&'a TemplateId>) -> Self {
        Self::Code(id.map(TemplateId::wire))
    }
}

impl<'a> From<Option<&'a ServiceTime>> for FieldValue<'a> {
    fn from(time: Option<&'a ServiceTime>) -> Self {
        Self::Time(time)
    }
}

impl From<FieldValue<'_>> for Value {
    fn from(value: FieldValue<'_>) -> Self {
        let wires = |texts: &[Text]| texts.iter().map(|text| text.wire().to_owned()).collect::<Vec<_>>();
        match value {
            FieldValue::Text(text) => text.map(Text::wire).into(),
            FieldValue::Code(code) => code.into(),
            FieldValue::Time(time) => time.map(|time| time.raw().wire()).into(),
            FieldValue::Number(number) => number.into(),
            FieldValue::YesNo(yes) => yes.map(|yes| if yes { "Y" } else { "N" }).into(),
            FieldValue::Texts(texts) => wires(texts).into(),
            FieldValue::Joined(texts) => Some(wires(texts).join(", ")).filter(|all| !all.is_empty()).into(),
            FieldValue::Levels(levels) => levels
                .iter()
                .map(|l| json!({ "level": l.level, "level_name": l.level_name.as_ref().map(Text::wire) }))
                .collect(),
        }
    }
}

/// A field of a record: its name in the contract, and how to get its value.
pub struct Field<R> {
    pub name: &'static str,
    pub value: fn(&R) -> FieldValue<'_>,
}

/// Declares the fields of a record in order, each with its name in the contract, and the most important ones for a
/// narrow table. A field whose value is not the record's own field of that name has its own function, or the function
/// before the colon finds it by its name.
macro_rules! fields {
    ($($name:ident $(= $value:expr)?),*; first: $($first:ident),*) => {
        const FIELDS: &'static [Field<Self>] =
            &[$(Field { name: stringify!($name), value: fields!(@ $name $($value)?) }),*];
        const COLUMNS: &'static [&'static str] = &[$(stringify!($name)),*];
        const FIRST: &'static [&'static str] = &[$(stringify!($first)),*];
    };
    ($by:ident: $($name:ident),*; $($own:ident = $value:expr),*; first: $($first:ident),*) => {
        fields! {
            $($name = |record| $by(record, stringify!($name)),)* $($own = $value),*;
            first: $($first),*
        }
    };
    (@ $name:ident) => { |record| FieldValue::from(&record.$name) };
    (@ $name:ident $value:expr) => { $value };
}
use fields;

pub trait Record: Sized + 'static {
    const FIELDS: &'static [Field<Self>];
    /// The names of all fields.
    const COLUMNS: &'static [&'static str];
    /// The most important columns, most important first, for a narrow table.
    const FIRST: &'static [&'static str];
    /// The singular and the plural.
    const NOUN: (&'static str, &'static str);
    const SHAPE: Shape = Shape { columns: Self::COLUMNS, first: Self::FIRST, noun: Self::NOUN };
    /// The id as the service sent it.
    fn id(&self) -> &str;
    /// The fields under the contract's names. A missing or empty field is null.
    fn fields(&self) -> Map<String, Value> {
        Self::FIELDS.iter().map(|field| (field.name.to_owned(), (field.value)(self).into())).collect()
    }
    /// The value of a field; `None` if the record has no field of that name.
    fn value(&self, name: &str) -> Option<FieldValue<'_>> {
        Some((Self::FIELDS.iter().find(|field| field.name == name)?.value)(self))
    }
    /// The record as JSON, when that has more than the fields.
    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
    }
    /// The state of a badge, `None` for other records.
    fn state(&self, _now: DateTime) -> Option<State> {
        None
    }
}

/// How to get the value of a field. For constants: a name that the record does not have fails to compile.
pub const fn field_value<R: Record>(name: &str) -> fn(&R) -> FieldValue<'_> {
    let mut at = 0;
    while !same(R::FIELDS[at].name, name) {
        at += 1;
    }
    R::FIELDS[at].value
}

/// Whether two texts are equal. `==` cannot be used in constants.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
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

/// Adds `rnum` to the JSON. It is a position in the result, not a field of the record, so tables leave it
/// out.
fn with_place(mut fields: Map<String, Value>, rnum: Option<i64>) -> Map<String, Value> {
    fields.insert("rnum".to_owned(), rnum.into());
    fields
}
