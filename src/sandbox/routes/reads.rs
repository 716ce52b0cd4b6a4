//! Single records, and the short lists without pages.

use serde_json::json;

use crate::sandbox::demo::catalogue::{CATEGORIES, ORGS, TYPES, Template};
use crate::sandbox::params::Params;
use crate::sandbox::records;
use crate::sandbox::response::{EndpointResponse, Outcome};
use crate::sandbox::service::EndpointRequest;
use crate::sandbox::store::BadgeState;
use crate::sandbox::switches::{BadgeTypes, FilterCase, Switches, UnknownId, WaitingDetail};

fn unknown(switches: &Switches, what: &str) -> EndpointResponse {
    let code = switches.not_found_code.clone();
    let message = format!("There is no such {what}.");
    match switches.unknown_id {
        UnknownId::NotFound => EndpointResponse::refused(404, code, message),
        UnknownId::BadRequest => EndpointResponse::refused(400, code, message),
        UnknownId::Null => EndpointResponse::read(serde_json::Value::Null),
    }
}

// All routes have the same signature.
#[allow(clippy::unnecessary_wraps)]
pub(super) fn ping(ask: &EndpointRequest) -> Outcome {
    let prefix = ORGS.get(ask.caller.0).map_or("", |org| org.prefix);
    Ok(EndpointResponse::read(json!({"status": "ok", "apikey_prefix": prefix})))
}

pub(super) fn badge_types(ask: &EndpointRequest) -> Outcome {
    let list: Vec<_> = TYPES
        .iter()
        .map(|(code, name, whom)| json!({"badge_type": code, "badge_type_name": name, "description": whom}))
        .collect();
    Ok(EndpointResponse::read(match ask.switches.badge_types {
        BadgeTypes::List => json!(list),
        BadgeTypes::Paged => {
            json!({"total_count": list.len(), "page": 1, "rows_per_page": 20, "list": list})
        }
        BadgeTypes::Names => json!(TYPES.map(|kind| kind.0)),
        BadgeTypes::NotFound => {
            return Err(EndpointResponse::not_found(&ask.switches, "There is nothing here."));
        }
    }))
}

pub(super) fn categories(ask: &EndpointRequest) -> Outcome {
    let params = Params::read(ask.query.as_deref(), &ask.switches)?;
    let in_use = params.yes_no("use_yn", &ask.switches)?;
    let levels = params.yes_no("level_yn", &ask.switches)?;
    let store = ask.service.store();
    let list: Vec<_> = CATEGORIES
        .iter()
        .enumerate()
        .filter(|(_, one)| in_use.is_none_or(|yes| one.in_use == yes))
        .filter(|(_, one)| levels.is_none_or(|yes| one.levels.is_empty() != yes))
        .filter(|(_, one)| params.text("category_name").is_none_or(|part| has(one.name, part, &ask.switches)))
        .map(|(at, one)| records::category(ask, &store, at, one))
        .collect();
    Ok(EndpointResponse::read(json!(list)))
}

pub(super) fn has(text: &str, part: &str, switches: &Switches) -> bool {
    match switches.filter_case {
        FilterCase::Sensitive => text.contains(part),
        FilterCase::Insensitive => text.to_lowercase().contains(&part.to_lowercase()),
    }
}

pub(super) fn category(ask: &EndpointRequest) -> Outcome {
    let found = CATEGORIES.iter().enumerate().find(|(_, one)| one.id == ask.id);
    let (at, one) = found.ok_or_else(|| unknown(&ask.switches, "category"))?;
    Ok(EndpointResponse::read(records::category(ask, &ask.service.store(), at, one)))
}

pub(super) fn template(ask: &EndpointRequest) -> Outcome {
    let store = ask.service.store();
    let found = store.templates_of(ask.caller.scope()).find(|(at, _)| Template::id(at + 1) == ask.id);
    let (at, one) = found.ok_or_else(|| unknown(&ask.switches, "template"))?;
    Ok(EndpointResponse::read(records::template_detail(ask, &store, at, one)))
}

pub(super) fn badge(ask: &EndpointRequest) -> Outcome {
    let store = ask.service.store();
    let seq = store.seq_of(&ask.id).ok_or_else(|| unknown(&ask.switches, "badge"))?;
    let badge = store
        .badge(seq)?
        .filter(|badge| ask.caller.scope().is_none_or(|org| badge.org == org))
        .filter(|badge| {
            ask.switches.waiting_detail == WaitingDetail::Visible
                || badge.state(ask.now) != BadgeState::Waiting
        })
        .ok_or_else(|| unknown(&ask.switches, "badge"))?;
    let template = store.templates.get(badge.template).ok_or_else(EndpointResponse::broken)?;
    Ok(EndpointResponse::read(records::badge_detail(ask, template, &ask.id, &badge)))
}
