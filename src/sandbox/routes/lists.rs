//! The paged lists: templates, history, wallet.

use std::cmp::Ordering;
use std::ops::Range;

use rusqlite::types::Value as Sql;
use serde_json::{Value, json};

use super::reads::has;
use crate::sandbox::demo::catalogue::{CATEGORIES, TYPES, Template};
use crate::sandbox::params::{PageParams, Params};
use crate::sandbox::records;
use crate::sandbox::response::{EndpointResponse, Outcome};
use crate::sandbox::service::EndpointRequest;
use crate::sandbox::store::{Badge, BadgeState, BadgeStore, ListQuery, OrderBy, OrderDirection};
use crate::sandbox::switches::{
    BeyondEnd, DefaultOrder, EmailMatch, FilterCase, IssueDateOn, NameMatch, Rnum, Switches, TitleMatch,
    TotalCount, WaitingHistory, WaitingIssuedAt, WalletCase, WalletExpired, WalletOtherOrgs, WalletRevoked,
    WalletWaiting,
};

const TEMPLATE_COLUMNS: &str =
    "template_id title badge_type_name category_name level level_name image_url use_yn reg_date";
const HISTORY_COLUMNS: &str = "badge_id template_id title badge_type_name category_name level level_name recipient_name \
    recipient_email status_name email_status issuing_org valid_until issued_at reg_date \
    revoke_at";
const WALLET_COLUMNS: &str = "badge_id front_image_url back_image_url recipient_name title issuing_org status_name \
    valid_from valid_until issued_at reg_date";

fn columns(names: &'static str) -> Vec<&'static str> {
    names.split(' ').collect()
}

/// Positions of a page, by the `beyond-end` switch.
fn window(paging: PageParams, total: u64, switches: &Switches) -> (u64, Range<u64>) {
    let last = total.div_ceil(paging.rows.max(1)).max(1);
    let page = if switches.beyond_end == BeyondEnd::Last { paging.page.min(last) } else { paging.page };
    let start = (page - 1).saturating_mul(paging.rows);
    (page, start..start.saturating_add(paging.rows))
}

/// `start` is the position of the first row.
fn paged(mut list: Vec<Value>, start: u64, total: u64, paging: PageParams, ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let (page, _) = window(paging, total, switches);
    if switches.beyond_end == BeyondEnd::NotFound && list.is_empty() && paging.page > 1 && paging.rows > 0 {
        return Err(EndpointResponse::not_found(switches, "There is no such page."));
    }
    for (row, at) in list.iter_mut().zip(start..) {
        let number = match switches.rnum {
            Rnum::Asc => at + 1,
            Rnum::Desc => total.saturating_sub(at),
            Rnum::Page => at - start + 1,
            Rnum::Absent => continue,
        };
        if let Some(fields) = row.as_object_mut() {
            fields.insert("rnum".to_owned(), Value::from(number));
        }
    }
    let total = match switches.total_count {
        TotalCount::Right | TotalCount::Missing => Value::from(total),
        TotalCount::Null => Value::Null,
        TotalCount::Short => Value::from(list.len().saturating_sub(1)),
        TotalCount::Huge => Value::from(total.saturating_mul(1000) + 9_000_000),
        TotalCount::Negative => Value::from(-1),
    };
    let mut data = json!({"list": list, "total_count": total, "page": page, "rows_per_page": paging.rows});
    if switches.total_count == TotalCount::Missing
        && let Some(fields) = data.as_object_mut()
    {
        fields.remove("total_count");
    }
    Ok(EndpointResponse::read(data))
}

pub(super) fn templates(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let params = Params::read(ask.query.as_deref(), switches)?;
    let paging = params.paging(switches)?;
    let order = params.sorting(&columns(TEMPLATE_COLUMNS), switches)?;
    let in_use = params.yes_no("use_yn", switches)?;
    let (from, to) = params.dates("reg_str_date", "reg_end_date", switches)?;
    let store = ask.service.store();
    let mut rows: Vec<Value> = store
        .templates_of(ask.caller.scope())
        .filter(|(at, _)| params.text("template_id").is_none_or(|id| Template::id(at + 1) == id))
        .filter(|(_, one)| params.text("title").is_none_or(|part| has(one.title, part, switches)))
        .filter(|(_, one)| in_use.is_none_or(|yes| one.in_use == yes))
        .filter(|(_, one)| params.text("category_id").is_none_or(|id| CATEGORIES[one.category].id == id))
        .filter(|(_, one)| params.text("badge_type").is_none_or(|kind| TYPES[one.kind].0 == kind))
        .filter(|(_, one)| params.text("category_level_id").is_none_or(|id| one.level_id() == id))
        .filter(|(_, one)| {
            let at = records::registered(&store, one);
            from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to)
        })
        .map(|(at, one)| records::template_item(ask, &store, at, one))
        .collect();
    for (column, direction) in order.iter().rev() {
        rows.sort_by(|a, b| {
            let ordering = compare(&a[*column], &b[*column]);
            if *direction == OrderDirection::Descending { ordering.reverse() } else { ordering }
        });
    }
    let total = rows.len() as u64;
    let (_, range) = window(paging, total, switches);
    let start = range.start.min(total);
    let list: Vec<Value> = rows.drain(start as usize..range.end.min(total) as usize).collect();
    paged(list, start, total, paging, ask)
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_i64().cmp(&b.as_i64()),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => b.is_null().cmp(&a.is_null()),
    }
}

/// The SQL expression of a column in the history or the wallet.
fn expression(column: &str, switches: &Switches) -> String {
    let early = if switches.waiting_issued_at == WaitingIssuedAt::Set { "b.reg_at" } else { "NULL" };
    let issued = format!("(CASE WHEN b.issue_at <= $now THEN b.issue_at ELSE {early} END)");
    match column {
        "template_id" | "front_image_url" | "back_image_url" => "b.template".to_owned(),
        "title" => "t.title".to_owned(),
        "badge_type_name" => "t.type_name".to_owned(),
        "category_name" => "t.category_name".to_owned(),
        "level" => "t.level".to_owned(),
        "level_name" => "t.level_name".to_owned(),
        "recipient_name" => "r.name".to_owned(),
        "recipient_email" => "r.email".to_owned(),
        "status_name" => {
            let word = |state| records::label(switches, state, 0);
            format!(
                "(CASE WHEN b.issue_at > $now THEN '{}' WHEN b.revoke_at IS NULL OR b.revoke_at > $now \
                 THEN coalesce(b.label, '{}') WHEN b.revoked_at > $now THEN '{}' ELSE '{}' END)",
                word(BadgeState::Waiting),
                word(BadgeState::Issued),
                word(BadgeState::Revoking),
                word(BadgeState::Revoked)
            )
        }
        "email_status" => {
            "(CASE WHEN b.mail = '발송대기' THEN b.mail WHEN b.issue_at > $now THEN 'WAIT' ELSE nullif(b.mail, '') END)"
                .to_owned()
        }
        "issuing_org" => "b.org".to_owned(),
        "valid_until" => "(CASE WHEN b.issue_at <= $now THEN b.valid_until END)".to_owned(),
        "issued_at" | "valid_from" => issued,
        "reg_date" => "b.reg_at".to_owned(),
        "revoke_at" => "(CASE WHEN b.revoke_at <= $now THEN b.revoke_at END)".to_owned(),
        _ => "b.seq".to_owned(),
    }
}

fn ordered(
    listing: &mut ListQuery,
    params: &Params,
    names: &'static str,
    switches: &Switches,
) -> Result<(), EndpointResponse> {
    listing.oldest_first = switches.default_order == DefaultOrder::Oldest;
    for (column, direction) in params.sorting(&columns(names), switches)? {
        listing.order.push(OrderBy { expression: expression(column, switches), direction });
    }
    Ok(())
}

/// Searches the recipient table, which has far fewer rows.
fn text(listing: &mut ListQuery, column: &str, value: &str, partial: bool, sensitive: bool) {
    let (column, value) = if sensitive {
        (column.to_owned(), value.to_owned())
    } else {
        (format!("{column}_fold"), value.to_lowercase())
    };
    let test = if partial { format!("instr({column}, ?) > 0") } else { format!("{column} = ?") };
    listing.only(format!("b.recipient IN (SELECT id FROM recipient WHERE {test})"), [Sql::from(value)]);
}

pub(super) fn history(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let params = Params::read(ask.query.as_deref(), switches)?;
    let paging = params.paging(switches)?;
    let mut listing = ListQuery::default();
    ordered(&mut listing, &params, HISTORY_COLUMNS, switches)?;
    let issue = params.dates("issue_start_date", "issue_end_date", switches)?;
    let revoke = params.dates("revoke_start_date", "revoke_end_date", switches)?;
    let sensitive = switches.filter_case == FilterCase::Sensitive;
    let mut store = ask.service.store();
    if let Some(name) = params.text("recipient_name") {
        text(&mut listing, "name", name, switches.name_match == NameMatch::Partial, sensitive);
    }
    if let Some(email) = params.text("recipient_email") {
        text(&mut listing, "email", email, switches.email_match == EmailMatch::Partial, sensitive);
    }
    if let Some(title) = params.text("title") {
        let same = |known: &str| match switches.title_match {
            TitleMatch::Partial => has(known, title, switches),
            TitleMatch::Exact if sensitive => known == title,
            TitleMatch::Exact => known.to_lowercase() == title.to_lowercase(),
        };
        let numbers: Vec<String> = store
            .templates
            .iter()
            .enumerate()
            .filter(|(_, one)| same(one.title))
            .map(|(at, _)| at.to_string())
            .collect();
        listing.only(format!("b.template IN ({})", numbers.join(",")), []);
    }
    if let Some(org) = ask.caller.scope() {
        listing.only("b.org = ?", [Sql::from(org as i64)]);
    }
    if switches.waiting_history == WaitingHistory::Hidden {
        listing.only("b.issue_at <= $now", []);
    }
    let column = match switches.issue_date_on {
        IssueDateOn::RegDate => "b.reg_at",
        IssueDateOn::IssuedAt if switches.waiting_issued_at == WaitingIssuedAt::Set => {
            "(CASE WHEN b.issue_at <= $now THEN b.issue_at ELSE b.reg_at END)"
        }
        IssueDateOn::IssuedAt => "b.issue_at",
    };
    if column == "b.issue_at" && (issue.0.is_some() || issue.1.is_some()) {
        listing.only("b.issue_at <= $now", []);
    }
    for (column, (from, to)) in [(column, issue), ("b.revoke_at", revoke)] {
        if let Some(from) = from {
            listing.only(format!("{column} >= ?"), [Sql::from(from)]);
        }
        if let Some(to) = to {
            listing.only(format!("{column} < ?"), [Sql::from(to)]);
        }
    }
    badges(&mut store, &listing, paging, ask, records::history_item)
}

fn badges(
    store: &mut BadgeStore,
    listing: &ListQuery,
    paging: PageParams,
    ask: &EndpointRequest,
    item: fn(&EndpointRequest, &Template, &str, &Badge) -> Value,
) -> Outcome {
    let (total, range, rows) =
        store.list(listing, ask.now, |total| window(paging, total, &ask.switches).1)?;
    let item = |badge: &Badge| {
        Some(item(ask, store.templates.get(badge.template)?, &store.badge_id(badge.seq), badge))
    };
    paged(rows.iter().filter_map(item).collect(), range.start, total, paging, ask)
}

pub(super) fn wallet(ask: &EndpointRequest) -> Outcome {
    let switches = &ask.switches;
    let params = Params::read(ask.query.as_deref(), switches)?;
    let paging = params.paging(switches)?;
    let Some(email) = params.text("email") else {
        return Err(EndpointResponse::bad(switches, "email is required."));
    };
    let mut listing = ListQuery::default();
    ordered(&mut listing, &params, WALLET_COLUMNS, switches)?;
    text(&mut listing, "email", email, false, switches.wallet_case == WalletCase::Sensitive);
    if let Some(org) = ask.caller.scope().filter(|_| switches.wallet_other_orgs == WalletOtherOrgs::Hidden) {
        listing.only("b.org = ?", [Sql::from(org as i64)]);
    }
    if switches.wallet_waiting == WalletWaiting::Hidden {
        listing.only("b.issue_at <= $now", []);
    }
    if switches.wallet_revoked == WalletRevoked::Hidden {
        listing.only("b.revoke_at IS NULL OR b.revoke_at > $now", []);
    }
    if switches.wallet_expired == WalletExpired::Hidden {
        listing.fleeting = true;
        listing.only("b.valid_until IS NULL OR b.valid_until >= $now", []);
    }
    badges(&mut ask.service.store(), &listing, paging, ask, records::wallet_item)
}
