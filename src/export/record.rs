//! Records as rows: each field under the contract's name ("Resources and their fields"), in its order.

mod badges;
mod catalogue;
#[cfg(test)]
mod tests;

pub use catalogue::badge_types;

use crate::domain::{Field, FieldValue, State, Text};
use jiff::civil::DateTime;
use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordShape {
    pub columns: &'static [&'static str],
    /// For a narrow table, most important first.
    pub first: &'static [&'static str],
    pub noun: RecordNoun,
}

/// The kind of a record, for texts that count records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordNoun {
    Badge,
    Template,
    Category,
    Row,
}

impl RecordNoun {
    /// `1 badge`, `1,200 badges`.
    pub fn counted(self, n: u64) -> String {
        match self {
            Self::Badge => count!(n, "badge", "badges"),
            Self::Template => count!(n, "template", "templates"),
            Self::Category => count!(n, "category", "categories"),
            Self::Row => count!(n, "row", "rows"),
        }
    }
}

impl RecordShape {
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// Its texts are unscrubbed; the code that writes them scrubs them.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportRow {
    pub id: String,
    pub cells: Vec<String>,
    /// In the service's structure.
    pub json: Value,
    /// `None` for other records than badges.
    pub state: Option<State>,
}

impl ExportRow {
    /// For records that are not the service's.
    pub fn with(id: String, fields: Vec<(&'static str, Value)>) -> Self {
        let cells = fields.iter().map(|(_, value)| cell(value)).collect();
        let json = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { id, cells, json: Value::Object(json), state: None }
    }

    /// `now` is the service's time, which decides whether a badge has expired.
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

/// A record of the service has its own fields. For another record, the function before the colon
/// finds a field by its name, or the field has its own function. The first field of a narrow table is the id.
macro_rules! fields {
    (first: $id:ident $(, $first:ident)*) => {
        const FIELDS: &'static [Field<Self>] = <Self as ServiceRecord>::FIELDS;
        const COLUMNS: &'static [&'static str] = <Self as ServiceRecord>::NAMES;
        fields!(@ $id $(, $first)*);
    };
    (badge first: $($first:ident),*) => {
        fields!(first: $($first),*);

        fn state(&self, now: DateTime) -> Option<State> {
            Some(Verdict::of(self, now).state())
        }
    };
    ($by:ident: $($name:ident),*; $($own:ident = $value:expr),*; first: $id:ident $(, $first:ident)*) => {
        const FIELDS: &'static [Field<Self>] = &[
            $(Field { name: stringify!($name), value: |record| $by(record, stringify!($name)) },)*
            $(Field { name: stringify!($own), value: $value }),*
        ];
        const COLUMNS: &'static [&'static str] = &[$(stringify!($name),)* $(stringify!($own)),*];
        fields!(@ $id $(, $first)*);
    };
    (@ $id:ident $(, $first:ident)*) => {
        const FIRST: &'static [&'static str] = &[stringify!($id) $(, stringify!($first))*];

        fn id(&self) -> &str {
            self.$id.wire()
        }
    };
}
use fields;

pub trait Record: Sized + 'static {
    const FIELDS: &'static [Field<Self>];
    const COLUMNS: &'static [&'static str];
    /// For a narrow table, most important first.
    const FIRST: &'static [&'static str];
    const NOUN: RecordNoun = RecordNoun::Badge;
    const SHAPE: RecordShape = RecordShape { columns: Self::COLUMNS, first: Self::FIRST, noun: Self::NOUN };
    fn id(&self) -> &str;
    /// Under the contract's names. A missing or empty field is null.
    fn fields(&self) -> Map<String, Value> {
        Self::FIELDS.iter().map(|field| (field.name.to_owned(), (field.value)(self).into())).collect()
    }
    /// `None` if the record has no field of that name.
    fn value(&self, name: &str) -> Option<FieldValue<'_>> {
        Some((Self::FIELDS.iter().find(|field| field.name == name)?.value)(self))
    }
    /// For records whose JSON has more than the fields.
    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
    }
    /// `None` for other records than badges.
    fn state(&self, _now: DateTime) -> Option<State> {
        None
    }
}

/// For constants: a name that the record does not have fails to compile.
pub const fn field_value<R: Record>(name: &str) -> fn(&R) -> FieldValue<'_> {
    let mut at = 0;
    while !same_name(R::FIELDS[at].name, name) {
        at += 1;
    }
    R::FIELDS[at].value
}

/// `==` cannot be used in constants.
pub const fn same_name(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Null is empty, a boolean is Y or N, a list is joined with commas.
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

/// `rnum` is a position in the result, not a field of the record, so only the JSON has it.
fn with_place(mut fields: Map<String, Value>, rnum: Option<i64>) -> Map<String, Value> {
    fields.insert("rnum".to_owned(), rnum.into());
    fields
}
