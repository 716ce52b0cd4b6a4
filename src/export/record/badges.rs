//! Badges as rows: badge detail, wallet badges, history items, and a holder's badges from both lists.

use super::{Record, fields, with_place};
use crate::domain::holder::HeldBadge;
use crate::domain::{Badge, Field, FieldValue, HistoryItem, ServiceRecord, State, Verdict, WalletBadge};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

impl Record for Badge {
    fields! {
        badge first: badge_id, status_name, title
    }
}

impl Record for WalletBadge {
    fields! {
        badge first: badge_id, status_name, title, recipient_name, valid_until, issued_at, reg_date,
        valid_from, issuing_org, front_image_url, back_image_url
    }
}

impl Record for HistoryItem {
    fields! {
        badge first: badge_id, status_name, recipient_name, title, recipient_email, email_status,
        issued_at, reg_date, valid_until, revoke_at, template_id, badge_type_name, category_name,
        level_name, level, issuing_org
    }

    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        with_place(fields, self.rnum)
    }
}

/// The history takes precedence, since only it has revocations. The JSON has both records.
impl Record for HeldBadge {
    fields! {
        either:
        badge_id, template_id, title, badge_type_name, category_name, level, level_name,
        recipient_name, recipient_email, status_name, email_status, issuing_org, valid_from,
        valid_until, issued_at, reg_date, revoke_at;
        in_wallet = |held| FieldValue::YesNo(Some(held.wallet.is_some())),
        in_history = |held| FieldValue::YesNo(Some(held.history.is_some()));
        first: badge_id, status_name, title
    }

    fn json(&self, _: Map<String, Value>) -> Map<String, Value> {
        let wallet = self.wallet.as_ref().map(WalletBadge::fields);
        let history = self.history.as_ref().map(|item| item.json(item.fields()));
        let all = [
            ("badge_id", self.badge_id.wire().into()),
            ("wallet", wallet.into()),
            ("history", history.into()),
        ];
        all.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect()
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(self.verdict(now).state())
    }
}

fn either<'a>(held: &'a HeldBadge, name: &str) -> FieldValue<'a> {
    let history = held.history.as_ref().and_then(|item| item.value(name));
    let wallet = held.wallet.as_ref().and_then(|badge| badge.value(name));
    let given = |value: &FieldValue<'_>| !Value::from(*value).is_null();
    history.into_iter().chain(wallet).find(given).unwrap_or(FieldValue::Text(None))
}
