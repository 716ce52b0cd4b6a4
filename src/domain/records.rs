//! The service's records (contract, "Resources and their fields").
//!
//! Every field but the id may be absent. The contract does not say which fields a service leaves out, and an
//! incomplete record is still worth showing.

use super::email::EmailKey;
use super::ids::{BadgeId, CategoryId, CategoryLevelId, TemplateId};
use super::record_fields::{BadgeTypeCode, FieldValue, Level, record};
use super::text::Text;
use super::time::ServiceTime;
use crate::i18n::Localizable;
use jiff::civil::DateTime;

record! {
    /// The answer of `GET /ping`.
    Ping {
        /// `ok` when the key is valid.
        status: Option<Text>,
        /// Leading characters of the key, as the service sees it.
        apikey_prefix: Option<Text>
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// With 0-based positions in the answer's `list`. An unreadable record leaves a visible gap.
    pub items: Vec<(usize, T)>,
    /// Readable or not.
    pub list_len: usize,
    pub total_count: Option<u64>,
    pub page: Option<u64>,
    pub rows_per_page: Option<u64>,
    pub problems: Vec<RecordProblem>,
}

impl<T> Page<T> {
    pub fn without_rows(problems: Vec<RecordProblem>) -> Self {
        Self { items: Vec::new(), list_len: 0, total_count: None, page: None, rows_per_page: None, problems }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    pub place: String,
    pub why: Localizable,
}

record! {
    /// A badge template in a list (contract, "Badge template (list item)").
    Template {
        template_id: TemplateId,
        title: Option<Text>,
        badge_type_name: Option<Text>,
        category_name: Option<Text>,
        level: Option<i64>,
        level_name: Option<Text>,
        image_url: Option<Text>,
        use_yn: Option<bool>,
        reg_date: Option<ServiceTime>;
        rnum: Option<i64>
    }
}

record! {
    /// A badge template in full (contract, "Badge template (detail)").
    TemplateDetail {
        template_id: TemplateId,
        title: Option<Text>,
        badge_type: Option<BadgeTypeCode>,
        badge_type_name: Option<Text>,
        category_id: Option<CategoryId>,
        category_name: Option<Text>,
        category_level_id: Option<CategoryLevelId>,
        level: Option<i64>,
        level_name: Option<Text>,
        description: Option<Text>,
        criteria: Option<Text>,
        skills_tag: Vec<Text>,
        card_color_cd: Option<Text>,
        validity_type_cd: Option<Text>,
        fixed_expire_date: Option<ServiceTime>,
        validity_value: Option<i64>,
        validity_unit_cd: Option<Text>,
        image_url: Option<Text>,
        use_yn: Option<bool>,
        reg_date: Option<ServiceTime>,
        upd_date: Option<ServiceTime>
    }
}

record! {
    /// A category (contract, "Category").
    Category {
        category_id: CategoryId,
        category_cd: Option<Text>,
        category_name: Option<Text>,
        description: Option<Text>,
        level_yn: Option<bool>,
        use_yn: Option<bool>,
        reg_date: Option<ServiceTime>,
        upd_date: Option<ServiceTime>,
        levels: Vec<Level>
    }
}

/// The contract does not show the fields, so lapel keeps all of them in the service's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadgeType {
    pub fields: Vec<(Text, Text)>,
}

record! {
    /// A badge in full (contract, "Badge (detail)").
    Badge {
        badge_id: BadgeId,
        source_cd: Option<Text>,
        issuing_org: Option<Text>,
        company_name: Option<Text>,
        cert_no: Option<Text>,
        title: Option<Text>,
        category_name: Option<Text>,
        badge_type_name: Option<Text>,
        level_name: Option<Text>,
        description: Option<Text>,
        criteria: Option<Text>,
        front_image_url: Option<Text>,
        back_image_url: Option<Text>,
        // The contract has one comma-separated text here, unlike in a template.
        skills_tag: Vec<Text> = |badge| FieldValue::Joined(&badge.skills_tag),
        status_name: Option<Text>,
        recipient_name: Option<Text>,
        recipient_email: Option<Text>,
        email_status: Option<Text>,
        valid_from: Option<ServiceTime>,
        valid_until: Option<ServiceTime>,
        issued_at: Option<ServiceTime>,
        revoke_at: Option<ServiceTime>,
        revoke_reason: Option<Text>;
        /// Not a field of this record in the contract. Read when a service sends it.
        reg_date: Option<ServiceTime>
    }
}

record! {
    /// A badge in a holder's wallet (contract, "Wallet badge").
    WalletBadge {
        badge_id: BadgeId,
        front_image_url: Option<Text>,
        back_image_url: Option<Text>,
        recipient_name: Option<Text>,
        title: Option<Text>,
        issuing_org: Option<Text>,
        status_name: Option<Text>,
        valid_from: Option<ServiceTime>,
        valid_until: Option<ServiceTime>,
        issued_at: Option<ServiceTime>,
        reg_date: Option<ServiceTime>
    }
}

record! {
    /// A row of the issuance history (contract, "Issuance history item").
    HistoryItem {
        badge_id: BadgeId,
        template_id: Option<TemplateId>,
        title: Option<Text>,
        badge_type_name: Option<Text>,
        category_name: Option<Text>,
        level: Option<i64>,
        level_name: Option<Text>,
        recipient_name: Option<Text>,
        recipient_email: Option<Text>,
        status_name: Option<Text>,
        email_status: Option<Text>,
        issuing_org: Option<Text>,
        valid_until: Option<ServiceTime>,
        issued_at: Option<ServiceTime>,
        reg_date: Option<ServiceTime>,
        revoke_at: Option<ServiceTime>;
        rnum: Option<i64>,
        /// For a row of the index, the service's time when the index was read. Its state is that of then.
        read_at: Option<DateTime>
    }
}

impl HistoryItem {
    pub fn is_of(&self, key: &EmailKey) -> bool {
        self.recipient_email.as_ref().is_some_and(|address| key.is(address.wire()))
    }
}

record! {
    /// One accepted issue (contract, "Issue-accepted item"). Accepted does not mean issued.
    Accepted {
        badge_id: BadgeId,
        /// `ISSUE_WAIT` on acceptance.
        status_cd: Option<Text>,
        /// Only in batch answers.
        recipient_email: Option<Text>
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchAccepted {
    pub total_count: Option<u64>,
    pub accepted_count: Option<u64>,
    pub items: Vec<Accepted>,
    /// Accepted, but without a known badge id.
    pub problems: Vec<RecordProblem>,
}

/// The answer has two numbers and no ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevokeAccepted {
    pub total_count: Option<u64>,
    /// The ids that were Issued and are now being revoked.
    pub accepted_count: Option<u64>,
}

#[cfg(test)]
mod tests;
