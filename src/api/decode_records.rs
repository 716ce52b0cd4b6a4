//! Decodes the contract's records ("Resources and their fields").

use super::decode::{JsonObject, count, id, integer, tags, text, yes_no};
use crate::api::prelude::*;
use crate::domain::record_fields::FieldSource;
use crate::domain::records::Level;
use crate::domain::{Accepted, BatchAccepted, RecordProblem, RevokeAccepted, ServiceRecord};

fn missing(name: &str) -> Localizable {
    localizable!("{name} is missing", name)
}

impl FieldSource for JsonObject {
    fn id(&self, name: &str) -> Result<String, Localizable> {
        id(self, name)
    }

    fn text(&self, name: &str) -> Option<Text> {
        text(self, name)
    }

    fn integer(&self, name: &str) -> Option<i64> {
        integer(self, name)
    }

    fn yes_no(&self, name: &str) -> Option<bool> {
        yes_no(self, name)
    }

    fn tags(&self, name: &str) -> Vec<Text> {
        tags(self, name)
    }

    fn levels(&self, name: &str) -> Vec<Level> {
        let levels = self.get(name).and_then(Value::as_array);
        levels.into_iter().flatten().filter_map(level).collect()
    }
}

/// Also accepts a plain name or number.
fn level(value: &Value) -> Option<Level> {
    match value {
        Value::Object(f) => Some(Level { level: integer(f, "level"), level_name: text(f, "level_name") }),
        Value::String(name) => Some(Level { level: None, level_name: Some(name.as_str().into()) }),
        Value::Number(number) => Some(Level { level: number.as_i64(), level_name: None }),
        _ => None,
    }
}

/// `Err` says why there is no badge id.
pub(super) fn accepted(data: &Value) -> Result<Accepted, Localizable> {
    match data {
        Value::Object(fields) => Accepted::read(fields),
        Value::Array(list) if list.len() == 1 => accepted(&list[0]),
        _ => Err(localizable!("there was no badge_id")),
    }
}

/// An unreadable item counts as accepted without a known badge.
pub(super) fn batch_accepted(data: &Value) -> Result<BatchAccepted, Localizable> {
    let empty = JsonObject::new();
    let (fields, items) = match data {
        Value::Object(fields) => (fields, fields.get("items")),
        Value::Array(_) => (&empty, Some(data)),
        _ => return Err(localizable!("there were no items")),
    };
    let mut answer = BatchAccepted {
        total_count: count(fields, "total_count"),
        accepted_count: count(fields, "accepted_count"),
        items: Vec::new(),
        problems: Vec::new(),
    };
    let Some(Value::Array(items)) = items else {
        answer.problems.push(RecordProblem { place: "items".to_owned(), why: missing("items") });
        return Ok(answer);
    };
    for (index, item) in items.iter().enumerate() {
        match item.as_object().map_or_else(|| Err(localizable!("not a record")), Accepted::read) {
            Ok(item) => answer.items.push(item),
            Err(why) => answer.problems.push(RecordProblem { place: format!("items[{index}]"), why }),
        }
    }
    Ok(answer)
}

pub(super) fn revoke_accepted(data: &Value) -> RevokeAccepted {
    let number = |name| data.as_object().and_then(|fields| count(fields, name));
    RevokeAccepted { total_count: number("total_count"), accepted_count: number("accepted_count") }
}
