//! The contract's tables as shapes, written from the specification: "Resources and their fields" and the
//! responses of "Endpoints". Only what the tables call nullable may be null.

use serde_json::Value;

pub const TEMPLATE_ITEM: &str = "template_id:s title:s badge_type_name:s category_name:s level:i level_name:s \
    image_url:s use_yn:y reg_date:t rnum:i";
pub const TEMPLATE: &str = "template_id:s title:s badge_type:s badge_type_name:s category_id:s category_name:s \
    category_level_id:s level:i level_name:s description:s criteria:s skills_tag:a card_color_cd:s \
    validity_type_cd:s fixed_expire_date:d? validity_value:i validity_unit_cd:s image_url:s use_yn:y reg_date:t \
    upd_date:t?";
pub const CATEGORY: &str = "category_id:s category_cd:s category_name:s description:s level_yn:y use_yn:y \
    reg_date:t upd_date:t? levels:a";
pub const LEVEL: &str = "level:i level_name:s";
/// `revoke_at` and `revoke_reason` are there where a revocation exists.
pub const BADGE: &str = "badge_id:s source_cd:s issuing_org:s company_name:s cert_no:s title:s category_name:s \
    badge_type_name:s level_name:s description:s criteria:s front_image_url:s back_image_url:s skills_tag:s \
    status_name:s recipient_name:s recipient_email:s email_status:s valid_from:t valid_until:t? issued_at:t";
pub const WALLET: &str = "badge_id:s front_image_url:s back_image_url:s recipient_name:s title:s issuing_org:s \
    status_name:s valid_from:d valid_until:d? issued_at:t reg_date:t rnum:i";
pub const HISTORY: &str = "badge_id:s template_id:s title:s badge_type_name:s category_name:s level:i \
    level_name:s recipient_name:s recipient_email:s status_name:s email_status:s issuing_org:s valid_until:t? \
    issued_at:t reg_date:t revoke_at:t? rnum:i";
pub const PAGE: &str = "list:a total_count:i page:i rows_per_page:i";
pub const ENVELOPE: &str = "code:s message:s data:*";
pub const PING: &str = "status:s apikey_prefix:s";
pub const ISSUE_ACCEPTED: &str = "badge_id:s status_cd:s";
pub const BATCH_ITEM: &str = "badge_id:s status_cd:s recipient_email:s";
pub const BATCH: &str = "total_count:i accepted_count:i items:a";
pub const REVOKE: &str = "total_count:i accepted_count:i";

/// Checks the fields of a record against a line such as `title:s level:i upd_date:t?`: s text, i integer,
/// t timestamp, d date, y Y or N, a array, * anything; `?` may be null. No other fields may be there.
#[track_caller]
pub fn fields(record: &Value, shape: &str) {
    let mut known = Vec::new();
    for field in shape.split_whitespace() {
        let (name, kind) = field.split_once(':').unwrap();
        known.push(name);
        let value = record.get(name).unwrap_or_else(|| panic!("{name} is missing in {record}"));
        if kind == "*" {
            continue;
        }
        let (kind, nullable) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
        if value.is_null() {
            assert!(nullable, "{name} is null in {record}");
            continue;
        }
        let right = match kind {
            "i" => value.is_i64(),
            "a" => value.is_array(),
            "y" => value == "Y" || value == "N",
            "t" => value.as_str().is_some_and(|text| shaped(text, "0000-00-00 00:00:00")),
            "d" => value.as_str().is_some_and(|text| shaped(text, "0000-00-00")),
            _ => value.is_string(),
        };
        assert!(right, "{name}: {value}");
    }
    for name in record.as_object().unwrap().keys() {
        assert!(known.contains(&name.as_str()), "{name} is not in the contract: {record}");
    }
}

fn shaped(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.chars().zip(pattern.chars()).all(|(c, p)| if p == '0' { c.is_ascii_digit() } else { c == p })
}
