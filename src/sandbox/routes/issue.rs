//! Issuing and revoking.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::sandbox::demo::catalogue::Template;
use crate::sandbox::lock;
use crate::sandbox::params::text_field;
use crate::sandbox::response::{EndpointResponse, ISSUE, Outcome, REVOKE};
use crate::sandbox::service::EndpointRequest;
use crate::sandbox::store::{Issuing, NewBadge, Refused};
use crate::sandbox::switches::{
    BadRow, ContentType, EmailCheck, EmptyBatch, LongText, OverLimit, OverQuota, RetiredTemplate, StoredMail,
    Switches, TwinRows, UnknownTemplate,
};

/// Maximum entries of a batch or a revocation.
const MOST: usize = 1000;
const LONGEST_BODY: usize = 4 * 1024 * 1024;

fn body(ask: &EndpointRequest) -> Result<Value, EndpointResponse> {
    let switches = &ask.switches;
    if ask.body.len() > LONGEST_BODY {
        return Err(EndpointResponse {
            status: 413,
            ..EndpointResponse::bad(switches, "The body is too large.")
        });
    }
    if !ask.json && switches.content_type == ContentType::Refuse {
        let message = "The body must be announced as application/json.";
        return Err(EndpointResponse { status: 415, ..EndpointResponse::bad(switches, message) });
    }
    let value: Value = serde_json::from_slice(&ask.body)
        .map_err(|_| EndpointResponse::bad(switches, "The body is not JSON that can be read."))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(EndpointResponse::bad(switches, "The body must be a JSON object."))
    }
}

fn fit(text: &str, most: usize, name: &str, switches: &Switches) -> Result<String, String> {
    match switches.long_text {
        LongText::Keep => Ok(text.to_owned()),
        LongText::Cut => Ok(text.chars().take(most).collect()),
        LongText::Refuse if text.chars().count() <= most => Ok(text.to_owned()),
        LongText::Refuse => Err(format!("{name} is longer than {most} characters.")),
    }
}

fn recipient(entry: &Value, switches: &Switches) -> Result<NewBadge, String> {
    if !entry.is_object() {
        return Err("a recipient must be an object.".to_owned());
    }
    let name = fit(text_field(entry, "recipient_name")?, 500, "recipient_name", switches)?;
    let email = text_field(entry, "recipient_email")?;
    let sound = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.is_empty()
            && !domain.contains('@')
            && !email.contains(char::is_whitespace)
    });
    if switches.email_check == EmailCheck::Loose && !sound {
        return Err("recipient_email is not an e-mail address.".to_owned());
    }
    let email = fit(email, 320, "recipient_email", switches)?;
    let email = if switches.stored_mail == StoredMail::Lower { email.to_lowercase() } else { email };
    Ok(NewBadge { name, email })
}

fn template(ask: &EndpointRequest, body: &Value) -> Result<usize, EndpointResponse> {
    let switches = &ask.switches;
    let id = text_field(body, "template_id").map_err(|message| EndpointResponse::bad(switches, message))?;
    let store = ask.service.store();
    let found = store.templates_of(ask.caller.scope()).find(|(at, _)| Template::id(at + 1) == id);
    let Some((at, template)) = found else {
        let status = if switches.unknown_template == UnknownTemplate::NotFound { 404 } else { 400 };
        return Err(EndpointResponse {
            status,
            ..EndpointResponse::not_found(switches, "There is no such template.")
        });
    };
    if !template.in_use && switches.retired_template == RetiredTemplate::Refuse {
        return Err(EndpointResponse::bad(switches, "The template is not in use any more (use_yn N)."));
    }
    Ok(at)
}

/// Commits, and updates the ledger before any other request can read.
fn commit(
    ask: &EndpointRequest,
    template: usize,
    rows: &[NewBadge],
    whole: bool,
) -> Result<Vec<String>, Refused> {
    let when = Issuing {
        now: ask.now,
        quota: ask.service.limits().quota,
        all_or_nothing: whole,
        issue_time: ask.switches.issue_time,
    };
    let mut store = ask.service.store();
    let issued = store.issue(ask.caller.0, template, rows, when)?;
    let ids: Vec<String> = issued.iter().map(|seq| store.badge_id(*seq)).collect();
    let template_id = Template::id(template + 1);
    let mut books = lock(&ask.service.books);
    for (row, id) in rows.iter().zip(&ids) {
        books.accept(&template_id, &row.email, id);
    }
    Ok(ids)
}

fn quota(switches: &Switches) -> EndpointResponse {
    EndpointResponse::refused(422, switches.quota_code.clone(), switches.quota_message.clone())
}

fn failed(refused: Refused, switches: &Switches) -> EndpointResponse {
    match refused {
        Refused::Quota => quota(switches),
        Refused::Store(error) => error.into(),
    }
}

pub(super) fn one(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let body = body(ask)?;
    let row = recipient(&body, switches).map_err(|message| EndpointResponse::bad(switches, message));
    let template = template(ask, &body)?;
    let ids = commit(ask, template, &[row?], true).map_err(|refused| failed(refused, switches))?;
    let id = ids.first().ok_or_else(EndpointResponse::broken)?;
    Ok(EndpointResponse::accepted(ISSUE, json!({"badge_id": id, "status_cd": "ISSUE_WAIT"})))
}

/// At most `MOST` entries of a list in a body, and the number sent.
fn entries<'a>(
    ask: &EndpointRequest,
    body: &'a Value,
    name: &str,
) -> Result<(&'a [Value], usize), EndpointResponse> {
    let switches = &ask.switches;
    let list = match body.get(name) {
        Some(Value::Array(list)) => list,
        None | Some(Value::Null) => {
            return Err(EndpointResponse::bad(switches, format!("{name} is missing.")));
        }
        Some(_) => return Err(EndpointResponse::bad(switches, format!("{name} must be an array."))),
    };
    if list.is_empty() && switches.empty_batch == EmptyBatch::Refuse {
        return Err(EndpointResponse::bad(switches, format!("{name} is empty.")));
    }
    if list.len() > MOST {
        lock(&ask.service.books).ledger.violations.over_limit += 1;
        if switches.over_limit == OverLimit::Refuse {
            return Err(EndpointResponse::bad(switches, format!("{name} holds more than {MOST} entries.")));
        }
    }
    Ok((list.get(..MOST).unwrap_or(list), list.len()))
}

pub(super) fn batch(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let body = body(ask)?;
    let template = template(ask, &body)?;
    let (list, total) = entries(ask, &body, "recipients")?;
    let mut rows = Vec::with_capacity(list.len());
    let mut seen = HashSet::new();
    for (at, entry) in list.iter().enumerate() {
        match recipient(entry, switches) {
            Ok(row) => {
                if seen.insert(row.email.to_lowercase()) || switches.twin_rows == TwinRows::Both {
                    rows.push(row);
                }
            }
            Err(_) if switches.bad_row == BadRow::Skip => {}
            Err(message) => {
                return Err(EndpointResponse::bad(switches, format!("recipients[{at}]: {message}")));
            }
        }
    }
    let whole = switches.over_quota == OverQuota::Nothing;
    let ids = commit(ask, template, &rows, whole).map_err(|refused| failed(refused, switches))?;
    if ids.len() < rows.len() && switches.over_quota == OverQuota::Partial422 {
        return Err(quota(switches));
    }
    let items: Vec<Value> = ids
        .iter()
        .zip(&rows)
        .map(|(id, row)| json!({"badge_id": id, "status_cd": "ISSUE_WAIT", "recipient_email": row.email}))
        .collect();
    let data = json!({"total_count": total, "accepted_count": ids.len(), "items": items});
    Ok(EndpointResponse::accepted(ISSUE, data))
}

pub(super) fn revoke(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let body = body(ask)?;
    let (list, total) = entries(ask, &body, "badge_ids")?;
    let ids: Vec<String> = list
        .iter()
        .map(|id| id.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or_else(|| EndpointResponse::bad(switches, "badge_ids must be texts."))?;
    let reason = text_field(&body, "reason")
        .and_then(|reason| fit(reason, 2000, "reason", switches))
        .map_err(|message| EndpointResponse::bad(switches, message))?;
    let mut store = ask.service.store();
    let accepted = store.revoke(ask.caller.scope(), &ids, &reason, ask.now, switches.revoke_time)?;
    let mut books = lock(&ask.service.books);
    for (id, accepted) in ids.iter().zip(&accepted) {
        books.revoke(id, *accepted);
    }
    let count = accepted.iter().filter(|accepted| **accepted).count();
    Ok(EndpointResponse::accepted(REVOKE, json!({"total_count": total, "accepted_count": count})))
}
