//! The domain: records, badge states and verdicts, e-mail keys, service time, untrusted text, and advice for
//! support calls.
//!
//! This module is pure. It uses only the contract's vocabulary. It never does I/O, waits, or uses a terminal.
//! Every string from the service or a file is a [`Text`], whose only display form is scrubbed.
//!
//! ```text
//! text, ids, email, time      untrusted text; identifiers; addresses; the service's time
//! records, verdict, validity  the service's records; the state of a badge; how long it is valid
//! holder                      wallet and history of one person, joined
//! query                       what a lookup means: an address, an id or a name
//! address_search, name_search finding a caller's badges by a wrong address or a name
//! edit_distance, look_alike   how likely a word is a misspelling; letters that look alike
//! narrowing                   filters that the service does not have
//! call_advice, summary        what to tell a caller, and the summary for a request
//! spelling, mask, screen_text an address to read aloud; personal data masked
//! tls_error                   why a connection cannot be encrypted safely
//! io_error                    why the computer refuses to read, write or start something
//! confirm_text, web_address   the text that confirms; addresses in the settings
//! ```

pub mod address_search;
pub mod call_advice;
pub mod confirm_text;
pub mod edit_distance;
pub mod email;
pub mod holder;
pub mod ids;
pub mod io_error;
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
pub mod tls_error;
pub mod validity;
pub mod verdict;
pub mod web_address;

pub use email::{Address, EmailKey, EmailProblem};
pub use holder::HeldBadge;
pub use ids::{BadgeId, CategoryId, CategoryLevelId, TemplateId};
pub use narrowing::{HistoryNarrowing, MailIs, StateIs};
pub use query::Query;
pub use record_fields::{BadgeTypeCode, Field, FieldValue, Level, ServiceRecord};
pub use records::{
    Accepted, Badge, BadgeType, BatchAccepted, Category, HistoryItem, Page, Ping, RecordProblem,
    RevokeAccepted, Template, TemplateDetail, WalletBadge,
};
pub use text::Text;
pub use time::{ServiceClock, ServiceTime};
pub use verdict::{State, Verdict, issue_time};
pub use web_address::{is_loopback, may_be_local};
