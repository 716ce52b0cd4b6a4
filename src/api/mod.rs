//! The service as typed calls: one method per endpoint, one error type, one rate limit per key.
//!
//! This module knows HTTP, the contract's paths, fields and codes, and [`crate::domain`]. It turns every response
//! into records or into one [`ApiError`]. The error says what happened, whether anything was changed, and what to
//! do. The module never uses a screen or a job. Its rules:
//!
//! * It never follows a redirect, and never uses a proxy that the profile does not name.
//! * The key never goes to another origin.
//! * It repeats a POST only if the first one certainly did nothing.
//! * Nothing printable contains a key, a name or an e-mail address.
//!
//! ```text
//! connection   settings                      access    connect(), the only place that creates a Writer
//! reader       the GET endpoints            writer    the POST endpoints
//! identity     compares a key at every connect with the one that a person checked
//! retry        which requests are repeated, and which never
//! pace         rate limit for all lapel processes of a computer or a team; holds after 429; people first
//! wire         one exchange                 envelope  the meaning of a response
//! pages        reads a paged list to its end, even if it changes or its pages are wrong
//! parts        reads an unreadable page in smaller parts
//! raw          one record as the service sent it
//! decode       JSON to records              lenient   damaged bytes to JSON
//! service_url  safe URLs
//! pictures     a client without a key       log, link traffic data for screens
//! prelude      names that many of these files use
//! ```

mod access;
mod call;
mod connection;
mod decode;
mod decode_records;
mod envelope;
mod error;
mod filters;
mod identity;
mod key;
mod lenient;
mod link;
mod log;
mod pace;
mod pages;
mod parts;
mod pictures;
mod prelude;
mod raw;
mod reader;
mod retry;
mod retry_after;
mod service_url;
mod unreached;
mod wire;
mod writer;

pub use access::{Access, connect};
pub use call::{Call, MaySend, Turn};
pub use connection::{Authorities, Connection, DEFAULT_RATE_LIMIT, PinnedIdentity, Timeouts};
pub use decode::{BadgeTypes, Listed};
pub use error::{ApiError, ApiResult, Refusal, ServiceMessage};
pub use filters::{
    CategoryFilter, DEFAULT_ROWS_PER_PAGE, Direction, DirectionStyle, HOLDER_PAGES, HistoryFilter,
    HistoryQuery, MAX_ROWS_PER_PAGE, Paging, Sort, TemplateFilter, TemplateQuery, WalletQuery,
};
pub use identity::{Identity, compare_ping, identify, recognise};
pub use key::ApiKey;
pub use link::{LinkStatus, LinkTrouble, UnderWay};
pub use log::LogEntry;
pub use pace::{Priority, pace_file};
pub use pages::{
    ListEnd, PageReader, PageRequest, Pass, PassPage, PassStop, ReadList, ReadTotals, read_all, read_at_most,
};
pub use pictures::{LONGEST_PICTURE, Picture, PictureClient, PictureError, PictureProbe};
pub use raw::{RawBody, RawOf};
pub use reader::Reader;
#[cfg(feature = "team")]
pub use retry::leave_paces;
pub use wire::install_crypto;
pub use writer::{BatchRequest, IssueRequest, MAX_ENTRIES, Recipient, RevokeRequest, Writer};
