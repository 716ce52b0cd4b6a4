//! Decodes the contract's records ("Resources and their fields").

use super::decode::{Fields, Record, count, id, integer, tags, text, time, yes_no};
use crate::domain::{
    Accepted, Badge, BadgeId, BadgeTypeCode, BatchAccepted, Category, CategoryId, CategoryLevelId,
    HistoryItem, Level, Ping, RecordProblem, RevokeAccepted, Template, TemplateDetail, TemplateId,
    WalletBadge,
};
use crate::i18n::Localizable;
use serde_json::Value;

fn missing(name: &str) -> Localizable {
    localizable!("{name} is missing", name)
}

impl Record for Ping {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self { status: text(f, "status"), apikey_prefix: text(f, "apikey_prefix") })
    }
}

impl Record for Template {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            template_id: TemplateId::new(id(f, "template_id")?).ok_or_else(|| missing("template_id"))?,
            title: text(f, "title"),
            badge_type_name: text(f, "badge_type_name"),
            category_name: text(f, "category_name"),
            level: integer(f, "level"),
            level_name: text(f, "level_name"),
            image_url: text(f, "image_url"),
            use_yn: yes_no(f, "use_yn"),
            reg_date: time(f, "reg_date"),
            rnum: integer(f, "rnum"),
        })
    }
}

impl Record for TemplateDetail {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            template_id: TemplateId::new(id(f, "template_id")?).ok_or_else(|| missing("template_id"))?,
            title: text(f, "title"),
            badge_type: text(f, "badge_type").map(|t| BadgeTypeCode::new(t.wire())),
            badge_type_name: text(f, "badge_type_name"),
            category_id: id(f, "category_id").ok().and_then(CategoryId::new),
            category_name: text(f, "category_name"),
            category_level_id: id(f, "category_level_id").ok().and_then(CategoryLevelId::new),
            level: integer(f, "level"),
            level_name: text(f, "level_name"),
            description: text(f, "description"),
            criteria: text(f, "criteria"),
            skills_tag: tags(f, "skills_tag"),
            card_color_cd: text(f, "card_color_cd"),
            validity_type_cd: text(f, "validity_type_cd"),
            fixed_expire_date: time(f, "fixed_expire_date"),
            validity_value: integer(f, "validity_value"),
            validity_unit_cd: text(f, "validity_unit_cd"),
            image_url: text(f, "image_url"),
            use_yn: yes_no(f, "use_yn"),
            reg_date: time(f, "reg_date"),
            upd_date: time(f, "upd_date"),
        })
    }
}

impl Record for Category {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        let levels = match f.get("levels") {
            Some(Value::Array(levels)) => levels.iter().filter_map(level).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            category_id: CategoryId::new(id(f, "category_id")?).ok_or_else(|| missing("category_id"))?,
            category_cd: text(f, "category_cd"),
            category_name: text(f, "category_name"),
            description: text(f, "description"),
            level_yn: yes_no(f, "level_yn"),
            use_yn: yes_no(f, "use_yn"),
            reg_date: time(f, "reg_date"),
            upd_date: time(f, "upd_date"),
            levels,
        })
    }
}

/// A level. Also accepts a plain name or number.
fn level(value: &Value) -> Option<Level> {
    match value {
        Value::Object(f) => Some(Level { level: integer(f, "level"), level_name: text(f, "level_name") }),
        Value::String(name) => Some(Level { level: None, level_name: Some(name.as_str().into()) }),
        Value::Number(number) => Some(Level { level: number.as_i64(), level_name: None }),
        _ => None,
    }
}

impl Record for Badge {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            badge_id: BadgeId::new(id(f, "badge_id")?).ok_or_else(|| missing("badge_id"))?,
            source_cd: text(f, "source_cd"),
            issuing_org: text(f, "issuing_org"),
            company_name: text(f, "company_name"),
            cert_no: text(f, "cert_no"),
            title: text(f, "title"),
            category_name: text(f, "category_name"),
            badge_type_name: text(f, "badge_type_name"),
            level_name: text(f, "level_name"),
            description: text(f, "description"),
            criteria: text(f, "criteria"),
            front_image_url: text(f, "front_image_url"),
            back_image_url: text(f, "back_image_url"),
            skills_tag: tags(f, "skills_tag"),
            status_name: text(f, "status_name"),
            recipient_name: text(f, "recipient_name"),
            recipient_email: text(f, "recipient_email"),
            email_status: text(f, "email_status"),
            valid_from: time(f, "valid_from"),
            valid_until: time(f, "valid_until"),
            issued_at: time(f, "issued_at"),
            revoke_at: time(f, "revoke_at"),
            revoke_reason: text(f, "revoke_reason"),
            reg_date: time(f, "reg_date"),
        })
    }
}

impl Record for WalletBadge {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            badge_id: BadgeId::new(id(f, "badge_id")?).ok_or_else(|| missing("badge_id"))?,
            front_image_url: text(f, "front_image_url"),
            back_image_url: text(f, "back_image_url"),
            recipient_name: text(f, "recipient_name"),
            title: text(f, "title"),
            issuing_org: text(f, "issuing_org"),
            status_name: text(f, "status_name"),
            valid_from: time(f, "valid_from"),
            valid_until: time(f, "valid_until"),
            issued_at: time(f, "issued_at"),
            reg_date: time(f, "reg_date"),
        })
    }
}

impl Record for HistoryItem {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            badge_id: BadgeId::new(id(f, "badge_id")?).ok_or_else(|| missing("badge_id"))?,
            template_id: id(f, "template_id").ok().and_then(TemplateId::new),
            title: text(f, "title"),
            badge_type_name: text(f, "badge_type_name"),
            category_name: text(f, "category_name"),
            level: integer(f, "level"),
            level_name: text(f, "level_name"),
            recipient_name: text(f, "recipient_name"),
            recipient_email: text(f, "recipient_email"),
            status_name: text(f, "status_name"),
            email_status: text(f, "email_status"),
            issuing_org: text(f, "issuing_org"),
            valid_until: time(f, "valid_until"),
            issued_at: time(f, "issued_at"),
            reg_date: time(f, "reg_date"),
            revoke_at: time(f, "revoke_at"),
            rnum: integer(f, "rnum"),
        })
    }
}

impl Record for Accepted {
    fn read(f: &Fields) -> Result<Self, Localizable> {
        Ok(Self {
            badge_id: BadgeId::new(id(f, "badge_id")?).ok_or_else(|| missing("badge_id"))?,
            status_cd: text(f, "status_cd"),
            recipient_email: text(f, "recipient_email"),
        })
    }
}

/// The response to an issue request. `Err` says why it has no badge id.
pub(super) fn accepted(data: &Value) -> Result<Accepted, Localizable> {
    match data {
        Value::Object(fields) => Accepted::read(fields),
        Value::Array(list) if list.len() == 1 => accepted(&list[0]),
        _ => Err(localizable!("there was no badge_id")),
    }
}

/// The response to a batch. An unreadable item counts as accepted without a known badge.
pub(super) fn batch_accepted(data: &Value) -> Result<BatchAccepted, Localizable> {
    let empty = Fields::new();
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

/// The response to a revoke request: two numbers, if readable.
pub(super) fn revoke_accepted(data: &Value) -> RevokeAccepted {
    let number = |name| data.as_object().and_then(|fields| count(fields, name));
    RevokeAccepted { total_count: number("total_count"), accepted_count: number("accepted_count") }
}
