//! Records in the form of the contract.

use serde_json::{Value, json};

use super::clock::{day, stamp};
use super::demo::catalogue::{
    self, CATEGORIES, COMPANIES, Category, DemoValidity, ORGS, PRACTICE, TYPES, Template,
};
use super::service::EndpointRequest;
use super::store::{Badge, BadgeState, BadgeStore};
use super::switches::{
    BadgeSkills, EmailStatus, ImageUrls, Labels, NoExpiry, NoLevel, NoRevokeDetail, NoRevokeHistory,
    Switches, TemplateSkills, WaitingIssuedAt, WalletValidUntil,
};

const DAY: i64 = 86_400;

const KOREAN: [&str; 4] = ["발급대기", "발급완료", "회수중", "회수완료"];
const ENGLISH: [&str; 4] = ["Waiting", "Issued", "Revoking", "Revoked"];
const CODES: [&str; 4] = ["ISSUE_WAIT", "ISSUED", "REVOKING", "REVOKED"];
const UNHEARD: [&str; 4] = ["심의 1단계", "교부", "효력 정지 심의", "말소"];
const SWAPPED: [&str; 4] = ["발급완료", "회수중", "회수완료", "발급대기"];

pub(super) fn label(switches: &Switches, state: BadgeState, seq: i64) -> &'static str {
    let words = match switches.labels {
        Labels::Ko => KOREAN,
        Labels::En => ENGLISH,
        Labels::Mixed => [KOREAN, ENGLISH][usize::from(seq % 2 != 0)],
        Labels::Codes => CODES,
        Labels::Other => UNHEARD,
        Labels::Swapped => SWAPPED,
    };
    words[state as usize]
}

fn status_name(ask: &EndpointRequest, badge: &Badge) -> String {
    let state = badge.state(ask.now);
    match &badge.label {
        Some(label) if state == BadgeState::Issued => label.clone(),
        _ => label(&ask.switches, state, badge.seq).to_owned(),
    }
}

fn email_status(ask: &EndpointRequest, badge: &Badge) -> Value {
    match ask.switches.email_status {
        EmailStatus::Seen if badge.mail == "발송대기" => Value::from("발송대기"),
        EmailStatus::Seen if badge.state(ask.now) == BadgeState::Waiting => Value::from("WAIT"),
        // `email_status` is never null in the contract.
        EmailStatus::Seen => Value::from(badge.mail.as_str()),
        EmailStatus::Other => Value::from("중계서버 위탁"),
        EmailStatus::Null | EmailStatus::Absent => Value::Null,
    }
}

fn issuing_org(ask: &EndpointRequest, badge: &Badge) -> &'static str {
    let org = if ask.caller.0 == PRACTICE { PRACTICE } else { badge.org };
    ORGS.get(org).map_or("", |org| org.name)
}

fn image(ask: &EndpointRequest, template: usize, side: &str, wallet: bool) -> Value {
    let path = super::pictures::path(template + 1, side);
    let here = format!("{}{path}", ask.service.origin);
    match ask.switches.image_urls {
        ImageUrls::Contract if wallet => Value::from(path),
        ImageUrls::Relative => Value::from(path),
        ImageUrls::Contract | ImageUrls::Absolute => Value::from(here),
        ImageUrls::Foreign => Value::from(format!("https://images.example{path}")),
        ImageUrls::Null => Value::Null,
    }
}

/// The switch decides the form of missing levels and validity.
fn blanks(mut record: Value, fields: &[&str], form: NoLevel) -> Value {
    let Some(map) = record.as_object_mut() else { return record };
    for name in fields {
        let blank = map.get(*name).is_some_and(|value| *value == 0 || *value == "");
        match form {
            NoLevel::Null if blank => {
                map.insert((*name).to_owned(), Value::Null);
            }
            NoLevel::Absent if blank => {
                map.remove(*name);
            }
            _ => {}
        }
    }
    record
}

/// Without these fields, and those that a switch leaves out.
fn without(mut record: Value, absent: &[&str], ask: &EndpointRequest) -> Value {
    let mail = (ask.switches.email_status == EmailStatus::Absent).then_some(&"email_status");
    if let Some(map) = record.as_object_mut() {
        absent.iter().chain(mail).for_each(|name| drop(map.remove(*name)));
    }
    record
}

fn category_of(template: &Template) -> &'static Category {
    &CATEGORIES[template.category]
}

fn type_of(template: &Template) -> (&'static str, &'static str) {
    let (code, name, _) = TYPES[template.kind];
    (code, name)
}

fn skills(template: &Template, as_array: bool) -> Value {
    let skills: Vec<&str> = template.skills.split(',').filter(|skill| !skill.is_empty()).collect();
    if as_array { json!(skills) } else { json!(skills.join(", ")) }
}

fn yn(yes: bool) -> &'static str {
    if yes { "Y" } else { "N" }
}

pub(super) fn registered(store: &BadgeStore, template: &Template) -> i64 {
    store.epoch - template.registered * DAY - 3_725
}

pub(super) fn template_item(ask: &EndpointRequest, store: &BadgeStore, at: usize, one: &Template) -> Value {
    let record = json!({
        "template_id": Template::id(at + 1),
        "title": one.title,
        "badge_type_name": type_of(one).1,
        "category_name": category_of(one).name,
        "level": one.level,
        "level_name": one.level_name(),
        "image_url": image(ask, at, "front", false),
        "use_yn": yn(one.in_use),
        "reg_date": stamp(registered(store, one), ask.switches.zone),
    });
    blanks(record, &["level", "level_name"], ask.switches.no_level)
}

pub(super) fn template_detail(ask: &EndpointRequest, store: &BadgeStore, at: usize, one: &Template) -> Value {
    let zone = ask.switches.zone;
    let (validity, value, unit) = match one.validity {
        DemoValidity::None => ("NONE", 0, ""),
        DemoValidity::Months(months) => ("PERIOD", months, "MONTH"),
        DemoValidity::Years(years) => ("PERIOD", years, "YEAR"),
        DemoValidity::EndOfYear(_) => ("FIXED", 0, ""),
    };
    let fixed = matches!(one.validity, DemoValidity::EndOfYear(_))
        .then(|| store.validity(at, store.epoch).map(|until| day(until, zone)));
    let updated = (at % 3 == 1).then(|| stamp(registered(store, one) + 200 * DAY, zone));
    let record = json!({
        "template_id": Template::id(at + 1),
        "title": one.title,
        "badge_type": type_of(one).0,
        "badge_type_name": type_of(one).1,
        "category_id": category_of(one).id,
        "category_name": category_of(one).name,
        "category_level_id": one.level_id(),
        "level": one.level,
        "level_name": one.level_name(),
        "description": catalogue::description(at + 1, one),
        "criteria": catalogue::criteria(one),
        "skills_tag": skills(one, ask.switches.template_skills == TemplateSkills::Array),
        "card_color_cd": one.color,
        "validity_type_cd": validity,
        "fixed_expire_date": fixed.flatten(),
        "validity_value": value,
        "validity_unit_cd": unit,
        "image_url": image(ask, at, "front", false),
        "use_yn": yn(one.in_use),
        "reg_date": stamp(registered(store, one), zone),
        "upd_date": updated,
    });
    let fields = ["category_level_id", "level", "level_name", "validity_value", "validity_unit_cd"];
    blanks(record, &fields, ask.switches.no_level)
}

pub(super) fn category(ask: &EndpointRequest, store: &BadgeStore, at: usize, one: &Category) -> Value {
    let zone = ask.switches.zone;
    let made = store.epoch - (2_600 - 40 * at as i64) * DAY - 7_264;
    let levels: Vec<Value> =
        one.levels.iter().zip(1..).map(|(name, level)| json!({"level": level, "level_name": name})).collect();
    json!({
        "category_id": one.id,
        "category_cd": one.code,
        "category_name": one.name,
        "description": one.description,
        "level_yn": yn(!one.levels.is_empty()),
        "use_yn": yn(one.in_use),
        "reg_date": stamp(made, zone),
        "upd_date": (!one.in_use).then(|| stamp(made + 1_500 * DAY, zone)),
        "levels": levels,
    })
}

/// Issue time, which is also the begin of validity, and its end, as far as they are known at this time.
fn times(ask: &EndpointRequest, badge: &Badge) -> (Option<i64>, Option<i64>) {
    let waiting = badge.state(ask.now) == BadgeState::Waiting;
    match ask.switches.waiting_issued_at {
        _ if !waiting => (Some(badge.issue_at), badge.valid_until),
        WaitingIssuedAt::Null => (None, None),
        WaitingIssuedAt::Set => (Some(badge.reg_at), badge.valid_until),
    }
}

fn until(
    ask: &EndpointRequest,
    badge: &Badge,
    at: Option<i64>,
    write: fn(i64, i32) -> String,
) -> Option<String> {
    let endless = badge.valid_until.is_none() && badge.state(ask.now) != BadgeState::Waiting;
    // As long as a date or a timestamp is.
    let cut = |text: &str| text.get(..write(0, 0).len()).map(str::to_owned);
    match (at, ask.switches.no_expiry) {
        (Some(at), _) => Some(write(at, ask.switches.zone)),
        (None, NoExpiry::Far) if endless => cut("9999-12-31 23:59:59"),
        (None, NoExpiry::Zero) if endless => cut("0000-00-00 00:00:00"),
        (None, _) => None,
    }
}

/// The revocation time, once it is in the past.
fn revoked(ask: &EndpointRequest, badge: &Badge) -> Option<String> {
    badge.revoke_at.filter(|at| *at <= ask.now).map(|at| stamp(at, ask.switches.zone))
}

pub(super) fn history_item(
    ask: &EndpointRequest,
    template: &Template,
    badge_id: &str,
    badge: &Badge,
) -> Value {
    let zone = ask.switches.zone;
    let (issued_at, valid_until) = times(ask, badge);
    let revoke_at = revoked(ask, badge);
    let absent = revoke_at.is_none() && ask.switches.no_revoke_history == NoRevokeHistory::Absent;
    let record = json!({
        "badge_id": badge_id,
        "template_id": Template::id(badge.template + 1),
        "title": template.title,
        "badge_type_name": type_of(template).1,
        "category_name": category_of(template).name,
        "level": template.level,
        "level_name": template.level_name(),
        "recipient_name": badge.name,
        "recipient_email": badge.email,
        "status_name": status_name(ask, badge),
        "email_status": email_status(ask, badge),
        "issuing_org": issuing_org(ask, badge),
        "valid_until": until(ask, badge, valid_until, stamp),
        "issued_at": issued_at.map(|at| stamp(at, zone)),
        "reg_date": stamp(badge.reg_at, zone),
        "revoke_at": revoke_at,
    });
    let record = without(record, if absent { &["revoke_at"] } else { &[] }, ask);
    blanks(record, &["level", "level_name"], ask.switches.no_level)
}

pub(super) fn wallet_item(
    ask: &EndpointRequest,
    template: &Template,
    badge_id: &str,
    badge: &Badge,
) -> Value {
    let zone = ask.switches.zone;
    let (issued_at, valid_until) = times(ask, badge);
    let date = ask.switches.wallet_valid_until == WalletValidUntil::Date;
    let write: fn(i64, i32) -> String = if date { day } else { stamp };
    json!({
        "badge_id": badge_id,
        "front_image_url": image(ask, badge.template, "front", true),
        "back_image_url": image(ask, badge.template, "back", true),
        "recipient_name": badge.name,
        "title": template.title,
        "issuing_org": issuing_org(ask, badge),
        "status_name": status_name(ask, badge),
        "valid_from": issued_at.map(|at| write(at, zone)),
        "valid_until": until(ask, badge, valid_until, write),
        "issued_at": issued_at.map(|at| stamp(at, zone)),
        "reg_date": stamp(badge.reg_at, zone),
    })
}

pub(super) fn badge_detail(
    ask: &EndpointRequest,
    template: &Template,
    badge_id: &str,
    badge: &Badge,
) -> Value {
    let zone = ask.switches.zone;
    let (issued_at, valid_until) = times(ask, badge);
    let company = COMPANIES[(badge.recipient.unsigned_abs() % 5) as usize];
    let mark = ORGS.get(badge.org).map_or("", |org| org.prefix).get(..3).unwrap_or("").to_uppercase();
    let year = day(badge.reg_at, zone).get(..4).unwrap_or("").to_owned();
    let revoke_at = revoked(ask, badge);
    let absent = revoke_at.is_none() && ask.switches.no_revoke_detail == NoRevokeDetail::Absent;
    let record = json!({
        "badge_id": badge_id,
        "source_cd": if badge.internal { "INTERNAL" } else { "BACKOFFICE" },
        "issuing_org": issuing_org(ask, badge),
        "company_name": company,
        "cert_no": format!("{mark}-{year}-{:06}", badge.seq),
        "title": template.title,
        "category_name": category_of(template).name,
        "badge_type_name": type_of(template).1,
        "level_name": template.level_name(),
        "description": catalogue::description(badge.template + 1, template),
        "criteria": catalogue::criteria(template),
        "front_image_url": image(ask, badge.template, "front", false),
        "back_image_url": image(ask, badge.template, "back", false),
        "skills_tag": skills(template, ask.switches.badge_skills == BadgeSkills::Array),
        "status_name": status_name(ask, badge),
        "recipient_name": badge.name,
        "recipient_email": badge.email,
        "email_status": email_status(ask, badge),
        "valid_from": issued_at.map(|at| stamp(at, zone)),
        "valid_until": until(ask, badge, valid_until, stamp),
        "issued_at": issued_at.map(|at| stamp(at, zone)),
        "revoke_at": revoke_at,
        "revoke_reason": badge.reason.as_deref().filter(|_| revoke_at.is_some()),
    });
    let record = without(record, if absent { &["revoke_at", "revoke_reason"] } else { &[] }, ask);
    blanks(record, &["level_name"], ask.switches.no_level)
}
