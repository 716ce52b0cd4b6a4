//! The service's records (contract, "Resources and their fields").
//!
//! Every field but the id may be absent: the contract leaves open what a service leaves out, and a record
//! with a hole in it is still worth showing.

use super::ids::{BadgeId, CategoryId, CategoryLevelId, TemplateId};
use super::text::Text;
use super::time::ServiceTime;

/// The answer of `GET /ping`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ping {
    /// `ok` when the key is valid.
    pub status: Option<Text>,
    /// Leading characters of the key, as the service sees it.
    pub apikey_prefix: Option<Text>,
}

/// One page of a paged list, as the service gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The records that could be read, each with its place in the answer's `list` (0-based), so that a
    /// record that could not be read leaves a visible gap.
    pub items: Vec<(usize, T)>,
    /// How many entries the answer's `list` had, readable or not.
    pub list_len: usize,
    /// `total_count`, where the service gave one.
    pub total_count: Option<u64>,
    /// `page` as the service gave it back, where it did.
    pub page: Option<u64>,
    /// `rows_per_page` as the service gave it back, where it did.
    pub rows_per_page: Option<u64>,
    /// Records that could not be read, with their place.
    pub problems: Vec<RecordProblem>,
}

/// A record that could not be read: where it stood and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    /// Such as `list[3]`.
    pub place: String,
    /// Such as `badge_id is missing`.
    pub why: String,
}

/// One of the contract's five badge types, or the service's own word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BadgeTypeCode {
    /// COMPLETE
    Complete,
    /// COMPETENCY
    Competency,
    /// ACHIEVE
    Achieve,
    /// PARTICIPATE
    Participate,
    /// CERTIFICATE
    Certificate,
    /// A code that the contract does not name.
    Other(Text),
}

impl BadgeTypeCode {
    /// The five codes that the contract names.
    pub const KNOWN: [Self; 5] =
        [Self::Complete, Self::Competency, Self::Achieve, Self::Participate, Self::Certificate];

    /// Reads a code; letter case is forgiven.
    pub fn new(raw: &str) -> Self {
        match raw.trim().to_ascii_uppercase().as_str() {
            "COMPLETE" => Self::Complete,
            "COMPETENCY" => Self::Competency,
            "ACHIEVE" => Self::Achieve,
            "PARTICIPATE" => Self::Participate,
            "CERTIFICATE" => Self::Certificate,
            _ => Self::Other(Text::new(raw)),
        }
    }

    /// The code as the service writes it.
    pub fn wire(&self) -> &str {
        match self {
            Self::Complete => "COMPLETE",
            Self::Competency => "COMPETENCY",
            Self::Achieve => "ACHIEVE",
            Self::Participate => "PARTICIPATE",
            Self::Certificate => "CERTIFICATE",
            Self::Other(text) => text.wire(),
        }
    }
}

/// A badge template as a list gives it (contract, "Badge template (list item)").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct Template {
    pub template_id: TemplateId,
    pub title: Option<Text>,
    pub badge_type_name: Option<Text>,
    pub category_name: Option<Text>,
    pub level: Option<i64>,
    pub level_name: Option<Text>,
    pub image_url: Option<Text>,
    pub use_yn: Option<bool>,
    pub reg_date: Option<ServiceTime>,
    pub rnum: Option<i64>,
}

/// A badge template in full (contract, "Badge template (detail)").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct TemplateDetail {
    pub template_id: TemplateId,
    pub title: Option<Text>,
    pub badge_type: Option<BadgeTypeCode>,
    pub badge_type_name: Option<Text>,
    pub category_id: Option<CategoryId>,
    pub category_name: Option<Text>,
    pub category_level_id: Option<CategoryLevelId>,
    pub level: Option<i64>,
    pub level_name: Option<Text>,
    pub description: Option<Text>,
    pub criteria: Option<Text>,
    pub skills_tag: Vec<Text>,
    pub card_color_cd: Option<Text>,
    pub validity_type_cd: Option<Text>,
    pub fixed_expire_date: Option<ServiceTime>,
    pub validity_value: Option<i64>,
    pub validity_unit_cd: Option<Text>,
    pub image_url: Option<Text>,
    pub use_yn: Option<bool>,
    pub reg_date: Option<ServiceTime>,
    pub upd_date: Option<ServiceTime>,
}

/// A level of a category.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct Level {
    pub level: Option<i64>,
    pub level_name: Option<Text>,
}

/// A category (contract, "Category").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct Category {
    pub category_id: CategoryId,
    pub category_cd: Option<Text>,
    pub category_name: Option<Text>,
    pub description: Option<Text>,
    pub level_yn: Option<bool>,
    pub use_yn: Option<bool>,
    pub reg_date: Option<ServiceTime>,
    pub upd_date: Option<ServiceTime>,
    pub levels: Vec<Level>,
}

/// A badge type. The contract does not show its fields, so all of them are kept, in their order, as the
/// service named them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadgeType {
    /// Field name and value, as they came.
    pub fields: Vec<(Text, Text)>,
}

/// A badge in full (contract, "Badge (detail)").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct Badge {
    pub badge_id: BadgeId,
    pub source_cd: Option<Text>,
    pub issuing_org: Option<Text>,
    pub company_name: Option<Text>,
    pub cert_no: Option<Text>,
    pub title: Option<Text>,
    pub category_name: Option<Text>,
    pub badge_type_name: Option<Text>,
    pub level_name: Option<Text>,
    pub description: Option<Text>,
    pub criteria: Option<Text>,
    pub front_image_url: Option<Text>,
    pub back_image_url: Option<Text>,
    pub skills_tag: Vec<Text>,
    pub status_name: Option<Text>,
    pub recipient_name: Option<Text>,
    pub recipient_email: Option<Text>,
    pub email_status: Option<Text>,
    pub valid_from: Option<ServiceTime>,
    pub valid_until: Option<ServiceTime>,
    pub issued_at: Option<ServiceTime>,
    pub revoke_at: Option<ServiceTime>,
    pub revoke_reason: Option<Text>,
    /// Not in the contract's list of fields for a badge; read where a service gives it.
    pub reg_date: Option<ServiceTime>,
}

/// A badge in a holder's wallet (contract, "Wallet badge").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct WalletBadge {
    pub badge_id: BadgeId,
    pub front_image_url: Option<Text>,
    pub back_image_url: Option<Text>,
    pub recipient_name: Option<Text>,
    pub title: Option<Text>,
    pub issuing_org: Option<Text>,
    pub status_name: Option<Text>,
    pub valid_from: Option<ServiceTime>,
    pub valid_until: Option<ServiceTime>,
    pub issued_at: Option<ServiceTime>,
    pub reg_date: Option<ServiceTime>,
}

/// A row of the issuance history (contract, "Issuance history item").
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the contract's")]
pub struct HistoryItem {
    pub badge_id: BadgeId,
    pub template_id: Option<TemplateId>,
    pub title: Option<Text>,
    pub badge_type_name: Option<Text>,
    pub category_name: Option<Text>,
    pub level: Option<i64>,
    pub level_name: Option<Text>,
    pub recipient_name: Option<Text>,
    pub recipient_email: Option<Text>,
    pub status_name: Option<Text>,
    pub email_status: Option<Text>,
    pub issuing_org: Option<Text>,
    pub valid_until: Option<ServiceTime>,
    pub issued_at: Option<ServiceTime>,
    pub reg_date: Option<ServiceTime>,
    pub revoke_at: Option<ServiceTime>,
    pub rnum: Option<i64>,
}

/// One accepted issue (contract, "Issue-accepted item"). Accepted is not issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The id of the badge to come.
    pub badge_id: BadgeId,
    /// `ISSUE_WAIT` on acceptance.
    pub status_cd: Option<Text>,
    /// Only in batch answers.
    pub recipient_email: Option<Text>,
}

/// The answer to a batch issue request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchAccepted {
    /// How many recipients the service counted, where it said.
    pub total_count: Option<u64>,
    /// How many it accepted, where it said.
    pub accepted_count: Option<u64>,
    /// The items that could be read.
    pub items: Vec<Accepted>,
    /// Items that could not be read: accepted, but unbound.
    pub problems: Vec<RecordProblem>,
}

/// The answer to a revoke request: two numbers, and no names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevokeAccepted {
    /// How many ids the service counted, where it said.
    pub total_count: Option<u64>,
    /// How many of them were Issued and are now being revoked, where it said.
    pub accepted_count: Option<u64>,
}
