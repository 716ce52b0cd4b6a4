//! Badges as rows: badge detail, wallet badges, history items, and a holder's badges from both lists.

use super::{Record, Shape, map, text, time, with_place, yes_no};
use crate::domain::holder::Held;
use crate::domain::{Badge, HistoryItem, State, TemplateId, Text, Verdict, WalletBadge};
use jiff::civil::DateTime;
use serde_json::{Map, Value, json};

impl Record for Badge {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "source_cd",
            "issuing_org",
            "company_name",
            "cert_no",
            "title",
            "category_name",
            "badge_type_name",
            "level_name",
            "description",
            "criteria",
            "front_image_url",
            "back_image_url",
            "skills_tag",
            "status_name",
            "recipient_name",
            "recipient_email",
            "email_status",
            "valid_from",
            "valid_until",
            "issued_at",
            "revoke_at",
            "revoke_reason",
        ],
        first: &["badge_id", "status_name", "title"],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        // The contract has one comma-separated text here, unlike in a template.
        let tags = self.skills_tag.iter().map(Text::wire).collect::<Vec<_>>().join(", ");
        map(json!({
            "badge_id": self.badge_id.wire(),
            "source_cd": text(self.source_cd.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "company_name": text(self.company_name.as_ref()),
            "cert_no": text(self.cert_no.as_ref()),
            "title": text(self.title.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "level_name": text(self.level_name.as_ref()),
            "description": text(self.description.as_ref()),
            "criteria": text(self.criteria.as_ref()),
            "front_image_url": text(self.front_image_url.as_ref()),
            "back_image_url": text(self.back_image_url.as_ref()),
            "skills_tag": (!tags.is_empty()).then_some(tags),
            "status_name": text(self.status_name.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "recipient_email": text(self.recipient_email.as_ref()),
            "email_status": text(self.email_status.as_ref()),
            "valid_from": time(self.valid_from.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "revoke_at": time(self.revoke_at.as_ref()),
            "revoke_reason": text(self.revoke_reason.as_ref()),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

impl Record for WalletBadge {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "front_image_url",
            "back_image_url",
            "recipient_name",
            "title",
            "issuing_org",
            "status_name",
            "valid_from",
            "valid_until",
            "issued_at",
            "reg_date",
        ],
        first: &[
            "badge_id",
            "status_name",
            "title",
            "recipient_name",
            "valid_until",
            "issued_at",
            "reg_date",
            "valid_from",
            "issuing_org",
            "front_image_url",
            "back_image_url",
        ],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "front_image_url": text(self.front_image_url.as_ref()),
            "back_image_url": text(self.back_image_url.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "title": text(self.title.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "status_name": text(self.status_name.as_ref()),
            "valid_from": time(self.valid_from.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "reg_date": time(self.reg_date.as_ref()),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

impl Record for HistoryItem {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "template_id",
            "title",
            "badge_type_name",
            "category_name",
            "level",
            "level_name",
            "recipient_name",
            "recipient_email",
            "status_name",
            "email_status",
            "issuing_org",
            "valid_until",
            "issued_at",
            "reg_date",
            "revoke_at",
        ],
        first: &[
            "badge_id",
            "status_name",
            "recipient_name",
            "title",
            "recipient_email",
            "email_status",
            "issued_at",
            "reg_date",
            "valid_until",
            "revoke_at",
            "template_id",
            "badge_type_name",
            "category_name",
            "level_name",
            "level",
            "issuing_org",
        ],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "template_id": self.template_id.as_ref().map(TemplateId::wire),
            "title": text(self.title.as_ref()),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "level": self.level,
            "level_name": text(self.level_name.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "recipient_email": text(self.recipient_email.as_ref()),
            "status_name": text(self.status_name.as_ref()),
            "email_status": text(self.email_status.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "reg_date": time(self.reg_date.as_ref()),
            "revoke_at": time(self.revoke_at.as_ref()),
        }))
    }

    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        with_place(fields, self.rnum)
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

/// A holder's badge from wallet and history. The history takes precedence, since only it has revocations. The
/// JSON has both records.
impl Record for Held {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "template_id",
            "title",
            "badge_type_name",
            "category_name",
            "level",
            "level_name",
            "recipient_name",
            "recipient_email",
            "status_name",
            "email_status",
            "issuing_org",
            "valid_from",
            "valid_until",
            "issued_at",
            "reg_date",
            "revoke_at",
            "in_wallet",
            "in_history",
        ],
        first: &["badge_id", "status_name", "title"],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        let mut fields = self.history.as_ref().map(HistoryItem::fields).unwrap_or_default();
        for (name, value) in self.wallet.iter().flat_map(WalletBadge::fields) {
            if fields.get(&name).is_none_or(Value::is_null) {
                fields.insert(name, value);
            }
        }
        fields.insert("in_wallet".to_owned(), yes_no(Some(self.wallet.is_some())));
        fields.insert("in_history".to_owned(), yes_no(Some(self.history.is_some())));
        fields
    }

    fn json(&self, _: Map<String, Value>) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "wallet": self.wallet.as_ref().map(WalletBadge::fields),
            "history": self.history.as_ref().map(|item| item.json(item.fields())),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(self.verdict(now).state())
    }
}
