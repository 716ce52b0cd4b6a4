//! The service as typed calls: one method per endpoint, one error type, one pace for all traffic of a key.
//!
//! This module knows HTTP, the contract's paths, fields and codes, and [`crate::domain`]. It turns whatever a
//! network brings into records or into one [`ApiError`] that says what happened, whether anything was
//! changed, and what to do. It must never know a screen, a file or a job; never follow a redirect, use a
//! proxy that the profile does not name, or let the key leave for another origin; never send a POST twice
//! unless the first one provably did nothing; and never show a key, a name or an e-mail address in anything
//! that can be printed.
//!
//! ```text
//! connection   where the service is; connect(), the one place where a Writer is made
//! reader       the GET endpoints            writer    the POST endpoints
//! identity     whose key it is: what was checked once is compared at every connect
//! retry        which request is tried again, and which never
//! pace         at most N requests in any 60 s, by all lapel processes of a computer; holds; people first
//! wire         one exchange                 envelope  what an answer means
//! pages        a paged list, to its end, though it moves and its pages lie
//! parts        a page in smaller parts, where it cannot be read as a whole
//! raw          one record, as it is sent
//! decode       JSON to records              lenient   bytes to JSON, whatever is damaged
//! address      URLs that cannot go astray
//! pictures     a client without a key       log, link what a screen shows of the traffic
//! ```

mod address;
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
mod raw;
mod reader;
mod retry;
mod retry_after;
mod unreached;
mod wire;
mod writer;

pub use call::{Call, Priority, Turn};
pub use connection::{Access, Authorities, Connection, DEFAULT_RATE_LIMIT, Timeouts, connect};
pub use decode::{BadgeTypes, Listed};
pub use error::{ApiError, Refusal, Result, Said};
pub use filters::{
    CategoryFilter, DEFAULT_ROWS_PER_PAGE, Direction, DirectionStyle, HistoryFilter, HistoryQuery,
    MAX_ROWS_PER_PAGE, Paging, Sort, TemplateFilter, TemplateQuery, WalletQuery,
};
pub use identity::{Identity, Pin, compare_ping, identify, recognise};
pub use key::ApiKey;
pub use link::{LinkStatus, LinkTrouble, UnderWay};
pub use log::{LOG_LENGTH, LogEntry};
pub use pace::pace_file;
pub use pages::{Brought, End, Gathered, PageReader, Pass, Stop, Wanted, Whole, whole};
pub use pictures::{LONGEST_PICTURE, Picture, PictureError, Pictures, Probe};
pub use raw::{Raw, RawOf};
pub use reader::Reader;
pub use wire::install_crypto;
pub use writer::{BatchRequest, IssueRequest, MAX_ENTRIES, Recipient, RevokeRequest, Writer};
