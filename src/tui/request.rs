//! Requests of the screens, and the worker's responses. A screen never waits: it keeps the id of its request
//! and drops a response with another id.

use crate::api::{
    ApiError, BadgeTypes, CategoryFilter, Connection, HistoryQuery, Listed, Raw, RawOf, Reader, TemplateQuery,
};
use crate::config::{Environment, NewProfile, ProfileLine};
use crate::domain::{
    Badge, BadgeId, Category, HistoryItem, Page, Template, TemplateDetail, TemplateId, Text, WalletBadge,
};
use crate::export::{ExportError, ExportRequest, ExportRow, Exported};
use crate::jobs::intake::{Choices, Source};
use crate::jobs::receipt::{FailedMails, Format};
use crate::jobs::{
    DuplicateResult, FileRequest, Holdings, IdsRequest, Job, JobError, JobId, JobRow, Opened, Rival,
    RowGroup, SentHere,
};
use crate::table::TableError;
use crate::tui::persist::input_history::{Lists, RecentsAsk};
use crate::tui::persist::saved_filters::{FiltersAsk, FiltersRead};
use crate::tui::persist::saved_layout::ViewUse;
use crate::tui::persist::saved_layout::file::{ViewAnswer, ViewAsk};
use crate::tui::platform::external::Handing;
use crate::tui::platform::file_preview::FilePreview;
use crate::tui::platform::images::{Packed, PictureAsk};
use crate::tui::worker::index::{IndexAnswer, IndexAsk, IndexUse};
use crate::tui::worker::job_command::{Done, JobCommand, RowsQuery};
use crate::tui::worker::lookup::{LookupQuery, LookupReply};
use crate::tui::worker::profile_requests::ProfileAsk;
use crate::tui::worker::select_all::{MarkAsk, Matching, NotMarked};
use secrecy::SecretString;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The id of a request. A run of lapel never uses an id twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

impl RequestId {
    #[cfg(test)]
    pub fn test(n: u64) -> Self {
        Self(n)
    }
}

#[derive(Clone, Debug)]
pub enum Request {
    Templates(TemplateQuery),
    /// A template with all details.
    Template(TemplateId),
    Categories(CategoryFilter),
    BadgeTypes,
    History(HistoryQuery),
    /// A badge with all details.
    Badge(BadgeId),
    /// The journal's entries for a badge that the service does not show.
    SentBadge(BadgeId),
    /// A holder's wallet and history, read in parallel: at most this many pages of each.
    Holder(String, u64),
    /// Further reads for a support call.
    Call(LookupQuery),
    /// The badges of a template that a recipient already has.
    Holdings(TemplateId, String),
    /// One ping during a rate limit wait, on the connection in use or the one being made.
    Ping(Reader),
    /// Answered after this time: the end of a typing pause.
    Pause(std::time::Duration),
    Picture(Box<PictureAsk>),
    Jobs,
    /// The drafts that are kept for review.
    KeptDrafts,
    Rows(RowsQuery),
    /// Rows of a job for a file.
    SavedRows(RowsQuery),
    /// The rows of a draft that need review, are invalid or are skipped, grouped by their reason.
    Groups(JobId),
    /// Reasons of earlier revocations.
    Reasons,
    /// The template of a badge, from its holder's history. The badge's own record does not contain it.
    TemplateOf(BadgeId, String),
    /// Files that recipients were read from.
    Files,
    /// Completions of a typed path.
    Complete(String),
    /// Size, date and first rows of a file.
    Preview(PathBuf),
    /// Open a file and detect its format.
    OpenFile(Source, Choices),
    /// Open a file of badge ids and detect its format.
    OpenIds(Source, Choices),
    /// Write every row of a file into drafts.
    DraftFile(Box<FileRequest>),
    /// Write a draft revocation of the badges whose ids are in a file.
    DraftIds(Box<IdsRequest>),
    /// Write a receipt or a redo file.
    Paper {
        paper: Paper,
        to: PathBuf,
        format: Format,
        overwrite: bool,
    },
    /// The issued badges of a job, or of all jobs, whose mail failed.
    Mail(Option<JobId>),
    /// Write a list, or some of its rows, to a file.
    Export(Box<ExportRequest>),
    /// Check drafts for recipients who already have the badge.
    CheckDuplicates(Vec<JobId>),
    /// Nothing cancels a job command.
    Do(Box<JobCommand>),
    /// A request in the background share of the rate limit. Nobody waits for its response.
    Quiet(Box<Request>),
    /// A record as JSON, as the service sends it.
    Raw(RawOf),
    /// Answered when a request with a higher number in the log has ended.
    LogBeyond(u64),
    /// Pass data to an external program.
    Hand(Handing),
    /// Write a file that only its owner may read.
    Save(Box<Saving>),
    Index(Box<IndexAsk>),
    /// Write a small private marker file. Nobody waits for the response.
    Note(PathBuf, &'static str),
    /// Read or write the file with the saved layout of the lists.
    View(ViewAsk),
    /// Every badge that matches a filter.
    Matching(MarkAsk),
    /// Read, write or delete the recent lookups.
    Recents(Box<RecentsAsk>),
    Filters(Box<FiltersAsk>),
    /// Check a base URL and a key. If they work, keep them as a profile.
    TryProfile(Box<Candidate>),
    StartSandbox,
    Profiles,
    /// Open a profile and find its key. Without a name: the profile that lapel was started with.
    OpenProfile(Option<String>),
    /// Change, remove or test a configured profile.
    Profile(Box<ProfileAsk>),
    /// Pin the current key of a profile.
    Pin {
        profile: String,
        /// The prefix of the key that the user was shown.
        prefix: String,
    },
}

impl Request {
    /// Makes a read from the service a background request. Other requests stay as they are.
    pub fn quietly(self) -> Self {
        let reads = matches!(
            self,
            Self::Templates(_)
                | Self::Template(_)
                | Self::History(_)
                | Self::Badge(_)
                | Self::Holder(..)
                | Self::Call(_)
        );
        if reads { Self::Quiet(Box::new(self)) } else { self }
    }

    /// Whether it reads from the service, so that the user can stop it at any time.
    pub fn is_read(&self) -> bool {
        matches!(
            self,
            Self::Templates(_)
                | Self::Template(_)
                | Self::Categories(_)
                | Self::BadgeTypes
                | Self::History(_)
                | Self::Badge(_)
                | Self::Holder(..)
                | Self::Call(_)
                | Self::Holdings(..)
                | Self::TemplateOf(..)
                | Self::Raw(_)
        )
    }

    /// Whether the screen shows no spinner for it.
    pub fn is_quiet(&self) -> bool {
        matches!(
            self,
            Self::Pause(_)
                | Self::Preview(_)
                | Self::Picture(_)
                | Self::Quiet(_)
                | Self::Hand(_)
                | Self::Note(..)
                | Self::View(_)
                | Self::Matching(_)
                | Self::Recents(_)
                | Self::Filters(_)
        ) || matches!(self, Self::Index(ask) if ask.is_behind())
    }

    pub fn needs_no_link(&self) -> bool {
        matches!(
            self,
            Self::Pause(_)
                | Self::Ping(_)
                | Self::Note(..)
                | Self::TryProfile(_)
                | Self::StartSandbox
                | Self::Profiles
                | Self::OpenProfile(_)
                | Self::Profile(_)
                | Self::Pin { .. }
                | Self::View(_)
                | Self::Recents(_)
                | Self::Filters(_)
        )
    }

    /// Whether nobody waits for its response, which may never come.
    pub fn is_left_alone(&self) -> bool {
        matches!(self, Self::LogBeyond(_) | Self::View(ViewAsk::Keep(..) | ViewAsk::Forget(_)))
    }

    /// Whether it always runs to its end, even after a cancellation.
    pub fn goes_on(&self) -> bool {
        matches!(self, Self::Do(_) | Self::View(_))
    }

    /// Whether it handles its own cancellation and ends cleanly. The worker does not abort it.
    pub fn ends_by_itself(&self) -> bool {
        matches!(
            self,
            Self::CheckDuplicates(_)
                | Self::OpenFile(..)
                | Self::OpenIds(..)
                | Self::DraftFile(_)
                | Self::DraftIds(_)
                | Self::Paper { .. }
                | Self::Export(_)
                | Self::Do(_)
        )
    }
}

/// A receipt or a redo file of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    pub job: JobId,
    /// Whether to write the redo file instead of the receipt.
    pub redo: bool,
    /// Only these rows; `None` for all.
    pub among: Option<BTreeSet<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    pub text: String,
    pub to: PathBuf,
    pub overwrite: bool,
}

/// The reason why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSaved {
    Exists,
    /// Another error, as text for the user.
    Failed(String),
}

impl From<ExportError> for NotSaved {
    fn from(why: ExportError) -> Self {
        match why {
            ExportError::File(TableError::Exists(_)) => Self::Exists,
            why => Self::Failed(why.to_string()),
        }
    }
}

impl From<JobError> for NotSaved {
    fn from(why: JobError) -> Self {
        match why {
            JobError::Exists(_) => Self::Exists,
            why => Self::Failed(why.to_string()),
        }
    }
}

/// A new profile from the welcome screen.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub profile: NewProfile,
    /// Without a key, lapel finds it where the profile says.
    pub key: Option<SecretString>,
}

/// The result of a request. Each variant names its request if the names differ.
#[derive(Debug)]
pub enum Response {
    Templates(Result<Page<Template>, ApiError>),
    Template(Box<Result<TemplateDetail, ApiError>>),
    Categories(Result<Listed<Category>, ApiError>),
    BadgeTypes(Result<BadgeTypes, ApiError>),
    History(Result<Page<HistoryItem>, ApiError>),
    Badge(Box<Result<Badge, ApiError>>),
    SentBadge(Vec<SentHere>),
    Holder(Box<Holder>),
    Call(Box<LookupReply>),
    Holdings(Result<Holdings, ApiError>, Option<Box<Rival>>),
    Jobs(Result<Vec<Job>, String>),
    /// The newest first.
    KeptDrafts(Result<Vec<Job>, String>),
    Rows(Result<Page<JobRow>, String>),
    SavedRows(Result<Vec<ExportRow>, String>),
    /// The largest group first. Empty if they could not be read.
    Groups(Vec<RowGroup>),
    /// The newest first.
    Reasons(Vec<String>),
    /// The template's id and title, or the reason why they are unknown.
    TemplateOf(Result<(TemplateId, Text), String>),
    /// The newest first.
    Files(Vec<String>),
    /// To [`Request::Complete`]: every matching path.
    Completed(Vec<String>),
    /// To [`Request::Preview`].
    Previewed(Box<Result<FilePreview, String>>),
    /// To [`Request::OpenFile`] and [`Request::OpenIds`].
    Opened(Box<Result<Opened, String>>),
    /// To [`Request::DraftFile`] and [`Request::DraftIds`].
    Drafted(Result<Vec<Job>, String>),
    Mail(Result<FailedMails, String>),
    /// To [`Request::Export`] and [`Request::Paper`].
    Export(Box<Result<Exported, NotSaved>>),
    /// To [`Request::CheckDuplicates`]: the drafts as they are now, and the duplicates of each.
    DuplicateResult(Result<(Vec<Job>, Vec<DuplicateResult>), String>),
    Done(Result<Done, String>),
    /// The picture, ready to draw, or a short explanation for the user.
    Picture(Result<Packed, String>),
    Raw(Result<Raw, ApiError>),
    LogBeyond {
        /// Whether there is a connection whose log can be watched.
        watched: bool,
    },
    /// To [`Request::Hand`]: the program that took the data, or the reason why none did.
    Handed(Result<&'static str, String>),
    /// To [`Request::Save`]: the path of the file.
    Saved(Result<PathBuf, NotSaved>),
    Index(IndexAnswer),
    View(ViewAnswer),
    Matching(Box<Result<Matching, NotMarked>>),
    /// The lists as they are now.
    Recents(Result<Lists, String>),
    /// The filters as they are now, and the request.
    Filters(Result<FiltersRead, String>, Box<FiltersAsk>),
    Pinged(Result<(), ApiError>),
    Paused,
    Profiles(Result<Vec<ProfileLine>, String>),
    /// The result or the error, as text for the user.
    Profile(Result<String, String>),
    /// To [`Request::TryProfile`], [`Request::StartSandbox`], [`Request::OpenProfile`] and [`Request::Pin`]:
    /// the session, or the error as text for the user.
    Connected(Result<Box<Session>, String>),
}

/// A holder's badges, as two lists. The wallet does not contain revoked or waiting badges.
#[derive(Debug)]
pub struct Holder {
    /// The wallet's badges, and whether the list is complete.
    pub wallet: Result<(Vec<WalletBadge>, bool), ApiError>,
    /// The history's rows for exactly this address, and whether the list is complete.
    pub history: Result<(Vec<HistoryItem>, bool), ApiError>,
    /// Badges that the journal has sent to this address and that were not seen as issued.
    pub sent: Vec<SentHere>,
    /// The number of badges that the service counts in the wallet.
    pub total_count: Option<u64>,
    /// The domains of the addresses in the index and in the journal, if neither list has a badge.
    pub domains: BTreeSet<String>,
    pub requests: u32,
}

impl Holder {
    /// Whether both lists were read and have no badge.
    pub fn has_nothing(&self) -> bool {
        self.wallet.as_ref().is_ok_and(|(badges, _)| badges.is_empty())
            && self.history.as_ref().is_ok_and(|(rows, _)| rows.is_empty())
    }
}

/// A profile in use: its connection, and the labels for the header.
#[derive(Clone, Debug)]
pub struct Session {
    pub connection: Connection,
    pub name: String,
    pub environment: Environment,
    pub organisation: Option<String>,
    /// What the user types after the number in LIVE. `None`: it is made of the organisation's name.
    pub short_name: Option<String>,
    /// The folder of the journal. Without one, the journal lives as long as the program, as in a sandbox.
    pub journal: Option<PathBuf>,
    /// The local index of the history. `None` unless the user has turned it on.
    pub index: Option<IndexUse>,
    pub jobs: crate::jobs::Settings,
    /// The place of the saved layout. `None` for a demo.
    pub view: Option<ViewUse>,
    /// Recipient files that are offered from the start. Only a demo has them.
    pub files: Vec<std::path::PathBuf>,
    /// A message for the user when the session opens.
    pub remark: Option<String>,
}

#[cfg(test)]
impl Session {
    /// A session without a service, for tests of a single widget.
    pub(in crate::tui) fn for_test(environment: Environment, organisation: &str) -> Self {
        let key = crate::api::ApiKey::new("dmu_test_0123456789abcdef").expect("a key");
        Self {
            connection: Connection::new("https://b.example/api/v1/ext", key).expect("an address"),
            name: "uni".to_owned(),
            environment,
            organisation: Some(organisation.to_owned()),
            short_name: None,
            journal: None,
            index: None,
            jobs: crate::jobs::Settings::default(),
            view: None,
            files: Vec::new(),
            remark: None,
        }
    }
}

#[derive(Debug, Default)]
pub struct RequestIds {
    last: u64,
}

impl RequestIds {
    pub fn next(&mut self) -> RequestId {
        self.last += 1;
        RequestId(self.last)
    }
}
