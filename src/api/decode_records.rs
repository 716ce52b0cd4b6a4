//! Decodes the responses to issue and revoke requests.

use super::decode::{JsonObject, count};
use crate::api::prelude::*;
use crate::domain::{Accepted, BatchAccepted, RecordProblem, RevokeAccepted, ServiceRecord};

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
    let mut accepted = BatchAccepted {
        total_count: count(fields, "total_count"),
        accepted_count: count(fields, "accepted_count"),
        items: Vec::new(),
        problems: Vec::new(),
    };
    let Some(Value::Array(items)) = items else {
        accepted.problems.push(RecordProblem {
            place: "items".to_owned(),
            why: localizable!("{name} is missing", name = "items"),
        });
        return Ok(accepted);
    };
    for (index, item) in items.iter().enumerate() {
        match item.as_object().map_or_else(|| Err(localizable!("not a record")), Accepted::read) {
            Ok(item) => accepted.items.push(item),
            Err(why) => accepted.problems.push(RecordProblem { place: format!("items[{index}]"), why }),
        }
    }
    Ok(accepted)
}

pub(super) fn revoke_accepted(data: &Value) -> RevokeAccepted {
    let number = |name| data.as_object().and_then(|fields| count(fields, name));
    RevokeAccepted { total_count: number("total_count"), accepted_count: number("accepted_count") }
}
