//! Issue and revoke jobs that survive a crash: import, journal, sender, poller and reports.
//!
//! This module never repeats an issue request by itself: to resolve a row in doubt it reads from the service.
//! The journal records a job before its review, a request before its first byte leaves, and a response before
//! a screen shows it. The TUI and the verbs pass jobs to [`Jobs`] and watch each [`Job`].
//!
//! ```text
//! draft -> duplicate_check -> (a person reviews) -> send -> follow/poll -> receipt
//!                |                                   |         |
//!                +--------------- history_scan ------+---------+       everything through the journal
//!
//! intake/             reads files of recipients     rules       which rows may be sent, resent, retried, undone
//! commands            what a person does with a job resend      one decision for many rows
//! journal/            the operations on the file    reason      why a row has its status, as a code
//! history_scan        reads from the service        reports     receipts and redo files
//! template_names      finds a template by its title job_words   the words for a job, for app and verbs
//! known_templates     the templates read last, for  row_status  the status of a row, and counts
//!                     completion                    urgency     what needs a person first
//! duplicate_kind      what the duplicate check finds, and what happens then
//! coded               enums with a code and a word      journal_place  a file, or a team's database
//! ownership           who may act on a job, and taking it over
//! batch               how rows are divided into requests
//! plan, row_groups    what a person plans, and decides about rows
//! seen_badge          a badge as the service showed it
//! refusal             proves that a refusal with 422 accepted nothing, and uses up the quota
//! judge_doubt         what the found badges say about a row in doubt
//! core, handle, senders  the state that all of it shares, `Jobs`, and the tasks that send
//! prelude             names that many of these files use
//! ```

mod batch;
mod coded;
mod commands;
mod core;
mod draft;
mod duplicate_check;
mod duplicate_kind;
mod error;
mod files;
mod follow;
mod handle;
mod history_scan;
pub mod intake;
mod job;
mod job_words;
mod journal;
mod journal_place;
mod judge_doubt;
mod known_templates;
mod ownership;
mod plan;
mod prelude;
mod reason;
pub mod receipt;
mod refusal;
mod reports;
mod resend;
mod row_groups;
mod row_status;
mod rules;
mod schedule;
mod seen_badge;
mod send;
mod senders;
mod settings;
mod template_names;
mod urgency;

pub use self::batch::{RequestsNeeded, request_count};
pub use self::commands::{Disclosure, Undone, shares};
pub use self::core::PollResult;
pub use self::duplicate_check::{CheckProgress, DuplicateResult};
pub use self::duplicate_kind::{DuplicateKind, Policy};
pub use self::error::JobError;
pub use self::files::{FileChange, FileRequest, FileState, IdsRequest, Reading};
pub use self::handle::Jobs;
pub use self::history_scan::{Holdings, holdings};
pub use self::intake::{Opened, Preview};
pub use self::job::{
    AcceptedCount, BegunBy, FileSource, Job, JobChange, JobId, JobRow, Kind, Owner, Phase, Refusals,
    Replaced, Stop, StopKind, Touched,
};
pub use self::job_words::{JobPart, not_read};
pub use self::journal::accounts::Account;
pub use self::journal::backup::{BackedUp, OpenJobs, Restored, back_up, restore};
pub use self::journal::behaviour::ObservedBehaviour;
pub use self::journal::claims::Rival;
pub use self::journal::rows::{RowField, RowFilter, RowPart};
pub use self::journal::sent_here::{SentAlike, SentHere};
pub use self::journal::transfer::MovedJobs;
pub use self::journal::{
    Adopted, Creation, Fault, FileStatus, Journal, JournalError, JournalWatch, Migration, Moment, ROLES,
    RecentEntry, RecentLoss, TeamStatus, Watcher, recent_jobs, recent_templates, wait_for_release,
};
pub use self::journal_place::JournalPlace;
pub use self::known_templates::{forget_templates, known_templates, remember_templates, with_read_templates};
pub use self::plan::{IssuePlan, PlannedRecipient, RevokePlan, RevokeTarget};
pub use self::reason::{Code, Reason};
pub use self::reports::issued_badge;
pub use self::row_groups::{Decision, NeverSeen, RowGroup, RowSelection, SuggestedRows};
pub use self::row_status::{Claim, Counts, RowStatus};
pub use self::rules::{RowFacts, Step, count, may};
pub use self::schedule::Schedule;
pub use self::senders::OpenAnswers;
pub use self::settings::JobConfig;
pub use self::template_names::{NamedTemplate, TemplateNames};
pub use self::urgency::Urgency;
