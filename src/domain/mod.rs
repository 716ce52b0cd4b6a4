//! The domain: records, badge states and verdicts, e-mail keys, service time, untrusted text, and advice for
//! support calls.
//!
//! This module is pure. It uses only the contract's vocabulary. It never does I/O, waits, or uses a terminal.
//! Every string from the service or a file is a [`Text`], whose only display form is scrubbed.

pub mod address_search;
pub mod call_advice;
pub mod confirm_text;
pub mod edit_distance;
pub mod email;
pub mod holder;
pub mod ids;
pub mod look_alike;
pub mod mask;
pub mod name_search;
pub mod narrowing;
pub mod query;
pub mod record_fields;
pub mod records;
pub mod screen_text;
pub mod spelling;
pub mod summary;
pub mod text;
pub mod time;
pub mod validity;
pub mod verdict;
pub mod web_address;

pub use email::{Address, EmailKey, EmailProblem};
pub use holder::Held;
pub use ids::{BadgeId, CategoryId, CategoryLevelId, TemplateId};
pub use narrowing::{HistoryNarrowing, MailIs, StateIs};
pub use query::Query;
pub use record_fields::{Field, FieldValue, ServiceRecord};
pub use records::{
    Accepted, Badge, BadgeType, BadgeTypeCode, BatchAccepted, Category, HistoryItem, Level, Page, Ping,
    RecordProblem, RevokeAccepted, Template, TemplateDetail, WalletBadge,
};
pub use text::Text;
pub use time::{ServiceClock, ServiceTime};
pub use verdict::{State, Verdict, issue_time};
pub use web_address::is_loopback;
