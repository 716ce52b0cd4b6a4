//! A job: what was asked for, and where each of its rows stands.

use super::duplicate_check::DuplicateKind;
use super::intake::ColumnMap;
use super::reason::Reason;
use super::rules::{self, Claim, Step};
use crate::domain::{BadgeId, TemplateId, Text};
use jiff::Timestamp;
use std::fmt;

/// Number of a job in the journal. Never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A closed set of words: as they stand in the journal, and as people read them.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal, $word:expr;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As it stands in the journal, and in JSON.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// As a person reads it, in the language that is spoken.
            pub fn word(self) -> &'static str {
                $crate::i18n::tr(self.name())
            }

            /// The same in English, whatever is spoken: for what goes into a file.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads what [`Self::code`] writes.
            pub fn from_code(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
pub(super) use words;

words! {
    /// What a job does.
    Kind {
        /// Issues badges.
        Issue = "issue", tr_noop!("issue");
        /// Revokes badges.
        Revoke = "revoke", tr_noop!("revoke");
    }
}

words! {
    /// What a job may do next. Whether it is finished is not kept: its rows say so.
    Phase {
        /// Planned, and nothing may be sent: it is checked, reviewed, corrected.
        Draft = "draft", tr_noop!("draft");
        /// What is ready may be sent.
        Running = "running", tr_noop!("running");
        /// A person has paused it.
        Paused = "paused", tr_noop!("paused");
        /// It has stopped by itself; [`Job::stop`] says why.
        Stopped = "stopped", tr_noop!("stopped");
        /// A person has called off what was not sent.
        Cancelled = "cancelled", tr_noop!("called off");
        /// It goes on in the journal of another computer, and is only a record here.
        Moved = "moved", tr_noop!("on another computer");
    }
}

words! {
    /// Why a job has stopped by itself. All of them can be resumed.
    StopKind {
        /// 422: most likely the issue quota (contract, "Errors": 422 is tied to it, without a code).
        Quota = "quota", tr_noop!("stopped at the quota");
        /// The key, or this computer's address, was refused.
        Refused = "refused_key", tr_noop!("the key was refused");
        /// The service refused the request itself.
        BadRequest = "bad_request", tr_noop!("the service refused the request");
        /// The service could not be reached.
        NotReached = "not_reached", tr_noop!("the service could not be reached");
        /// Several requests in a row ended in doubt.
        Doubt = "doubt", tr_noop!("too many answers were lost");
        /// lapel ended before everything was sent.
        Interrupted = "interrupted", tr_noop!("interrupted");
        /// The journal could not be written.
        Journal = "journal", tr_noop!("the journal could not be written");
    }
}

/// Why a job has stopped by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The kind.
    pub kind: StopKind,
    /// What happened, what was changed, what to do.
    pub why: Reason,
}

words! {
    /// Where one row of a job stands. Every row is in exactly one of these, and they add up to the job.
    RowStatus {
        /// Checked and free to be sent; nothing has left.
        Ready = "ready", tr_noop!("not sent yet");
        /// A person has to decide first.
        Ask = "ask", tr_noop!("to be decided");
        /// Not valid as it stands; it cannot be sent before it is corrected.
        Invalid = "invalid", tr_noop!("not valid");
        /// Left out, with the reason.
        LeftOut = "left_out", tr_noop!("left out");
        /// Written down, and on its way.
        Sending = "sending", tr_noop!("being sent");
        /// The service refused it: certainly nothing was done.
        NotDone = "not_done", tr_noop!("refused");
        /// Nobody knows whether the service acted. It is looked for, and never sent again by itself.
        InDoubt = "in_doubt", tr_noop!("in doubt");
        /// Accepted, but the service has not shown which badge it is.
        Unbound = "unbound", tr_noop!("accepted, not visible yet");
        /// Looked for until the window was over, and never seen. Sending again is offered.
        NotSeen = "not_seen", tr_noop!("never seen");
        /// Accepted; the badge has an id. Accepted is not issued.
        Waiting = "waiting", tr_noop!("waiting");
        /// Accepted more than 24 hours ago, and still waiting (contract, "Limits" rule 3).
        Overdue = "overdue", tr_noop!("overdue");
        /// The service shows the badge as Issued.
        Issued = "issued", tr_noop!("issued");
        /// The service's own word, which lapel does not know.
        Other = "other", tr_noop!("in another state");
        /// To be revoked as soon as it is Issued.
        Queued = "queued", tr_noop!("to be revoked when issued");
        /// Sent to be revoked with others of which the service accepted some; which ones is looked at.
        Unproven = "unproven", tr_noop!("being checked");
        /// The revocation was accepted, or is under way.
        Revoking = "revoking", tr_noop!("being revoked");
        /// The service shows the badge as Revoked.
        Revoked = "revoked", tr_noop!("revoked");
        /// The service left it out of the revocation, with its state.
        Dropped = "dropped", tr_noop!("not accepted");
    }
}

impl RowStatus {
    /// Whether the service may still change it, so that it is worth looking at.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::Sending
                | Self::InDoubt
                | Self::Unbound
                | Self::NotSeen
                | Self::Waiting
                | Self::Overdue
                | Self::Other
                | Self::Queued
                | Self::Unproven
                | Self::Revoking
        )
    }

    /// Whether a person has to look at it.
    pub fn needs_a_person(self) -> bool {
        matches!(
            self,
            Self::Ask
                | Self::Invalid
                | Self::NotDone
                | Self::InDoubt
                | Self::NotSeen
                | Self::Overdue
                | Self::Dropped
        )
    }
}

/// How many rows are in each bucket; only those with rows, in the order of [`RowStatus::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub(super) Vec<(RowStatus, u64)>);

impl Counts {
    /// How many are in a bucket.
    pub fn of(&self, bucket: RowStatus) -> u64 {
        self.0.iter().find(|(b, _)| *b == bucket).map_or(0, |(_, n)| *n)
    }

    /// How many are in buckets that fulfil a condition.
    pub fn sum(&self, which: impl Fn(RowStatus) -> bool) -> u64 {
        self.0.iter().filter(|(b, _)| which(*b)).map(|(_, n)| n).sum()
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.sum(|_| true)
    }

    /// The buckets that have rows.
    pub fn iter(&self) -> impl Iterator<Item = (RowStatus, u64)> + '_ {
        self.0.iter().copied()
    }
}

/// Where a job's rows came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file's name; what pasted text is called in the language that is spoken; empty in the journal.
    pub name: Text,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its columns, in their order.
    pub columns: Vec<Text>,
    /// How it was read: encoding, delimiter, header row.
    pub read_as: Reason,
    /// Which column is what.
    pub map: Option<ColumnMap>,
}

/// The process that a job belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// What it is called: `process 4711`.
    pub label: Reason,
    /// Whether it is this one.
    pub is_me: bool,
    /// Whether it still runs.
    pub is_alive: bool,
}

/// What the service said to the requests of a job that it accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedCount {
    /// Its `accepted_count`, in all.
    pub accepted: u64,
    /// How many were sent with those requests.
    pub sent: u64,
}

/// A job as it stands: a snapshot, without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it does.
    pub kind: Kind,
    /// What it may do next.
    pub phase: Phase,
    /// Why it has stopped, if it has by itself.
    pub stop: Option<Stop>,
    /// The template's title, or the reason of the revocation.
    pub title: Text,
    /// The template that is issued from; none for a revocation.
    pub template_id: Option<TemplateId>,
    /// The file, if there was one.
    pub origin: Option<Origin>,
    /// When it was planned, by this computer's clock.
    pub created: Timestamp,
    /// How its rows stand. They add up to the job.
    pub counts: Counts,
    /// Rows that need review and were certainly not sent.
    pub held: u64,
    /// What a person should know about the whole of it.
    pub note: Option<Reason>,
    /// How many the service says that it accepted; `None` where it has not said.
    pub accepted: Option<AcceptedCount>,
    /// Requests on their way whose answers are not here yet.
    pub in_flight: u64,
    /// When it is looked at next, in the service's UTC; `None` when nothing is open.
    pub next_look: Option<Timestamp>,
    /// Whose it is, while somebody has it.
    pub owner: Option<Owner>,
    /// The profile that it was planned with.
    pub profile: String,
    /// The job whose badges this one revokes, or whose end it waits for.
    pub follows: Option<JobId>,
    /// When its guard last read the whole history, in the service's UTC; `None` before that.
    pub guarded: Option<Timestamp>,
    /// Whether its names and addresses were removed: nothing of it can be sent any more.
    pub is_purged: bool,
}

impl Job {
    /// Whether the process that had it has ended without letting go of it.
    pub fn is_abandoned(&self) -> bool {
        self.phase != Phase::Draft && self.owner.as_ref().is_some_and(|owner| !owner.is_alive)
    }

    /// How it stands once it is taken over: what was on its way is in doubt, and what is left is not sent.
    pub(super) fn into_abandoned(mut self) -> Self {
        let lost = self.counts.of(RowStatus::Sending);
        if lost > 0 {
            let doubts = lost + self.counts.of(RowStatus::InDoubt);
            self.counts.0.retain(|(bucket, _)| !matches!(bucket, RowStatus::Sending | RowStatus::InDoubt));
            self.counts.0.push((RowStatus::InDoubt, doubts));
            self.counts.0.sort_unstable();
        }
        self.in_flight = 0;
        if self.phase == Phase::Running && self.left_to_send() > 0 {
            self.phase = Phase::Stopped;
            self.stop =
                Some(Stop { kind: StopKind::Interrupted, why: super::reason::Code::Interrupted.into() });
        }
        self
    }

    /// Whether any row may still change by itself.
    pub fn is_open(&self) -> bool {
        if self.phase == Phase::Moved {
            return false;
        }
        self.counts.sum(RowStatus::is_open) > 0 || (self.phase == Phase::Running && self.left_to_send() > 0)
    }

    /// Whether something is being sent, or may be at any moment.
    pub fn is_sending(&self) -> bool {
        self.phase != Phase::Moved && self.in_flight > 0
            || (self.phase == Phase::Running && self.left_to_send() > 0)
    }

    /// What a person should know about the whole of it, where its stop does not say just that.
    pub fn note_besides(&self) -> Option<&Reason> {
        self.note.as_ref().filter(|note| self.stop.as_ref().is_none_or(|stop| stop.why != **note))
    }

    /// How many rows are sent when it goes on.
    pub fn left_to_send(&self) -> u64 {
        self.counts.of(RowStatus::Ready)
    }

    /// Whether it can be paused: something of it is being sent, or will be.
    pub fn can_pause(&self) -> bool {
        self.phase == Phase::Running && self.left_to_send() + self.counts.of(RowStatus::Sending) > 0
    }

    /// Whether what is left of the quota can be used up.
    pub fn can_use_up(&self) -> bool {
        self.can_resume() && self.stop.as_ref().is_some_and(|stop| stop.kind == StopKind::Quota)
    }

    /// Whether something of it can be called off before it is sent.
    pub fn can_call_off(&self) -> bool {
        self.phase != Phase::Cancelled
            && rules::count(Step::CallOff, self) + self.counts.of(RowStatus::Sending) > 0
    }

    /// How many rows are sent when what was refused is tried again.
    pub fn left_to_retry(&self) -> u64 {
        rules::count(Step::Retry, self)
    }

    /// Whether it can be resumed: it has stopped or was paused with something left to send.
    pub fn can_resume(&self) -> bool {
        rules::count(Step::Resume, self) > 0
    }
}

/// One row of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Its place in the job, from 1.
    pub no: u64,
    /// Its line in the file, from 1.
    pub line: Option<u64>,
    /// The original cells, where it came from a file.
    pub cells: Vec<Text>,
    /// Whose it is: `recipient_name` as it is sent.
    pub holder: Text,
    /// `recipient_email` as it is sent.
    pub address: Text,
    /// What the badge is called, for a revocation.
    pub title: Option<Text>,
    /// Its id, once the service has given one.
    pub badge_id: Option<BadgeId>,
    /// Where it stands.
    pub bucket: RowStatus,
    /// Why.
    pub why: Option<Reason>,
    /// What it holds of its person: only a row with a claim may be sent. Nothing for a revocation.
    pub claim: Option<Claim>,
    /// Whether the service may have acted on it.
    pub was_sent: bool,
    /// What the guard found.
    pub class: Option<DuplicateKind>,
    /// When its request was accepted, in the service's UTC.
    pub accepted: Option<Timestamp>,
    /// Until when it is looked for, where it is in doubt: in the service's UTC.
    pub until: Option<Timestamp>,
    /// The service's word for its state, when it was last seen.
    pub status: Option<Text>,
    /// The service's word for the mail's state.
    pub mail_status: Option<Text>,
    /// `issued_at`, as the service gave it.
    pub issued_at: Option<Text>,
    /// `valid_until`, as the service gave it.
    pub valid_until: Option<Text>,
    /// `revoke_at`, as the service gave it.
    pub revoke_at: Option<Text>,
}

impl JobRow {
    /// The number by which people know it: its line in the file, or its place in the job where there is no file.
    pub fn number(&self) -> u64 {
        self.line.unwrap_or(self.no)
    }
}

/// A row that has just changed: for a screen that shows the badge elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The badge.
    pub badge_id: BadgeId,
    /// Where its row stands now.
    pub bucket: RowStatus,
}

/// A job has changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// How it stands now.
    pub job: Job,
    /// Badges whose rows have changed since the last such message; at most [`Changed::MOST`].
    pub touched: Vec<Touched>,
}

impl Changed {
    /// The most badges that are named; beyond that, read the rows.
    pub const MOST: usize = 1000;
}
