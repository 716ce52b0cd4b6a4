//! Consequential work that survives a crash: recipients from files, the journal, sending, looking,
//! following, receipts.
//!
//! This room knows the typed client and the words of the domain. It must never draw, and never send a
//! request that issues a badge twice: what is in doubt is resolved by looking, not by sending again. A plan
//! is written down before it is reviewed, an intent before its first byte leaves, and an answer before
//! anybody is told. The desk and the command line hand plans to [`Jobs`] and watch the [`Job`]s.
//!
//! ```text
//! draft -> guard -> (a person reviews) -> send -> follow -> receipt
//!            |                             |        |
//!            +------------- look ----------+--------+        everything through the journal
//! ```

mod apply_observation;
mod commands;
mod core;
mod draft;
mod duplicate_check;
mod error;
mod files;
mod follow;
mod history_scan;
pub mod intake;
mod job;
mod journal;
mod reason;
pub mod receipt;
mod reports;
mod resend;
mod resolve;
mod rules;
mod schedule;
mod send;
mod settings;

pub use self::commands::{Decision, Opening, Rows, shares};
pub use self::core::{Jobs, Looked};
pub use self::draft::{IssuePlan, Person, RevokePlan, RevokeTarget};
pub use self::duplicate_check::{DuplicateKind, Guarded, Guarding, Policy};
pub use self::error::JobError;
pub use self::files::{FileRequest, IdsRequest, Opened, Preview, Reading};
pub use self::history_scan::{Holdings, holdings};
pub use self::job::{
    AcceptedCount, Changed, Counts, Job, JobId, JobRow, Kind, Origin, Owner, Phase, RowStatus, Stop,
    StopKind, Touched,
};
pub use self::journal::claims::Rival;
pub use self::journal::copy::{BackedUp, OpenJobs, Restored, back_up, restore};
pub use self::journal::facts::Fact;
pub use self::journal::jobs::Account;
pub use self::journal::rows::{RowField, RowFilter, SentHere};
pub use self::journal::{Adopted, Fate, Journal, JournalError, Moment, Watcher, wait_for_release};
pub use self::reason::{Code, Reason};
pub use self::resend::NeverSeen;
pub use self::rules::{Claim, Stand, Step, count, may};
pub use self::schedule::Schedule;
pub use self::settings::{Policies, Settings};
