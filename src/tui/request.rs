//! Questions that the screens hand out, and the answers that come back. A screen never waits: it keeps the
//! ticket of its question and drops an answer whose ticket is not the current one.

use crate::api::{
    ApiError, BadgeTypes, CategoryFilter, Connection, HistoryQuery, Listed, Raw, RawOf, Reader, TemplateQuery,
};
use crate::config::{Environment, NewProfile, ProfileLine};
use crate::domain::{
    Badge, BadgeId, Category, HistoryItem, Page, Template, TemplateDetail, TemplateId, Text, WalletBadge,
};
use crate::export::{ExportError, ExportRequest, Exported};
use crate::jobs::intake::{Choices, Source};
use crate::jobs::receipt::{MailReport, Written};
use crate::jobs::{
    FileRequest, Guarded, Holdings, IdsRequest, Job, JobError, JobId, JobRow, Opened, Rival, SentHere,
};
use crate::tui::persist::input_history::{Lists, RecentsAsk};
use crate::tui::persist::saved_filters::{FiltersAsk, FiltersRead};
use crate::tui::persist::saved_layout::ViewUse;
use crate::tui::persist::saved_layout::file::{ViewAnswer, ViewAsk};
use crate::tui::platform::external::Handing;
use crate::tui::platform::images::{Packed, PictureAsk};
use crate::tui::worker::index::{IndexAnswer, IndexAsk, IndexUse};
use crate::tui::worker::job_command::{Done, JobCommand, RowsQuery};
use crate::tui::worker::lookup::{LookupQuery, LookupReply};
use crate::tui::worker::profile_requests::ProfileAsk;
use crate::tui::worker::select_all::{MarkAsk, Matching, NotMarked};
use secrecy::SecretString;
use std::path::PathBuf;

/// What a question is known by. Never used twice in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

impl RequestId {
    /// A ticket with a number of the test's choice.
    #[cfg(test)]
    pub fn test(n: u64) -> Self {
        Self(n)
    }
}

/// Something for the worker to do.
#[derive(Clone, Debug)]
pub enum Request {
    /// A page of templates.
    Templates(TemplateQuery),
    /// One template in full.
    Template(TemplateId),
    /// All categories.
    Categories(CategoryFilter),
    /// All badge types.
    BadgeTypes,
    /// A page of history.
    History(HistoryQuery),
    /// One badge in full.
    Badge(BadgeId),
    /// What the journal knows of a badge that the service does not show.
    SentBadge(BadgeId),
    /// What a holder has: wallet and history, side by side.
    Holder(String),
    /// What else a support call asks.
    Call(LookupQuery),
    /// What a person already has of a template.
    Holdings(TemplateId, String),
    /// One ping although the service asks to wait; of the connection in use, or of the one that is being made.
    Ping(Reader),
    /// Nothing, after a while: the end of a pause in typing.
    Pause(std::time::Duration),
    /// A picture.
    Picture(Box<PictureAsk>),
    /// Every job of the profile.
    Jobs,
    /// A page of a job's rows.
    Rows(RowsQuery),
    /// Reasons of earlier revocations.
    Reasons,
    /// Which template a badge is of, by its holder's history: its own record does not say.
    TemplateOf(BadgeId, String),
    /// Files that recipients were read from.
    Files,
    /// What a typed path can go on as.
    Complete(String),
    /// Open a file and find out how it is to be read.
    OpenFile(Source, Choices),
    /// Open a file of badge ids and find out how it is to be read.
    OpenIds(Source, Choices),
    /// Write every row of a file into drafts.
    DraftFile(Box<FileRequest>),
    /// Write a revocation of the badges whose ids stand in a file.
    DraftIds(Box<IdsRequest>),
    /// Write a receipt or a redo file.
    Paper(Paper),
    /// Whom the mail of a job's badges did not reach.
    Mail(JobId),
    /// Write a list, or rows of one, into a file.
    Export(Box<ExportRequest>),
    /// Read who has the badges of these drafts already.
    Guard(Vec<JobId>),
    /// Something to be done with jobs. Not cancelled by anything.
    Do(Box<JobCommand>),
    /// Nobody in particular waits for the answer: in the background share of the pace.
    Quiet(Box<Request>),
    /// One record as the service sends it.
    Raw(RawOf),
    /// Nothing, until a request has ended whose number in the log is higher.
    LogBeyond(u64),
    /// Hand something to a program of this computer.
    Hand(Handing),
    /// Write a file that only its owner may read.
    Save(Box<Saving>),
    /// Something for the local index.
    Index(Box<IndexAsk>),
    /// Write a small private file that says that something was seen here; nobody waits for it.
    Note(PathBuf, &'static str),
    /// Something for the file of how the lists are shown.
    View(ViewAsk),
    /// Every badge that matches a filter.
    Matching(MarkAsk),
    /// What was looked up earlier.
    Recents(Box<RecentsAsk>),
    /// Filters with names.
    Filters(Box<FiltersAsk>),
    /// Try a base URL and a key, and keep them as a profile if they are good.
    TryProfile(Box<Candidate>),
    /// Start the sandbox and connect to it.
    StartSandbox,
    /// The profiles that there are.
    Profiles,
    /// Open a profile: its key is asked for. Without a name, the one that lapel was started with.
    OpenProfile(Option<String>),
    /// Something about a profile of the settings.
    Profile(Box<ProfileAsk>),
    /// Pin the key of a profile, which begins like this now.
    Pin {
        /// The profile's name.
        profile: String,
        /// How the key begins, as a person was shown it.
        prefix: String,
    },
}

impl Request {
    /// The same as a question that nobody in particular waits for, where it is one to the service.
    pub fn quietly(self) -> Self {
        let reads = matches!(
            self,
            Self::Templates(_)
                | Self::Template(_)
                | Self::History(_)
                | Self::Badge(_)
                | Self::Holder(_)
                | Self::Call(_)
        );
        if reads { Self::Quiet(Box::new(self)) } else { self }
    }

    /// Whether it reads something from the service, so that it can be stopped at any time.
    pub fn is_read(&self) -> bool {
        matches!(
            self,
            Self::Templates(_)
                | Self::Template(_)
                | Self::Categories(_)
                | Self::BadgeTypes
                | Self::History(_)
                | Self::Badge(_)
                | Self::Holder(_)
                | Self::Call(_)
                | Self::Holdings(..)
                | Self::TemplateOf(..)
                | Self::Raw(_)
        )
    }

    /// Whether nothing on the screen moves while this is on its way.
    pub fn is_quiet(&self) -> bool {
        matches!(
            self,
            Self::Pause(_)
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

    /// Whether it needs no connection.
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

    /// Whether nobody waits for its answer, which may never come.
    pub fn is_left_alone(&self) -> bool {
        matches!(self, Self::LogBeyond(_) | Self::View(ViewAsk::Keep(..) | ViewAsk::Forget(_)))
    }

    /// Whether it goes on to its end, whoever has stopped waiting for it.
    pub fn goes_on(&self) -> bool {
        matches!(self, Self::Do(_) | Self::View(_))
    }

    /// Whether it ends by itself when it is cancelled, in good order, rather than being broken off.
    pub fn ends_by_itself(&self) -> bool {
        matches!(
            self,
            Self::Guard(_)
                | Self::OpenFile(..)
                | Self::OpenIds(..)
                | Self::DraftFile(_)
                | Self::DraftIds(_)
                | Self::Paper(_)
                | Self::Export(_)
                | Self::Do(_)
        )
    }
}

/// A file about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// The job.
    pub job: JobId,
    /// The rows to be done again, rather than the receipt of all.
    pub redo: bool,
    /// Where it goes; its ending says what it is.
    pub to: PathBuf,
    /// Whether a file of that name may be replaced.
    pub overwrite: bool,
}

/// A text that is written to a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// What is written.
    pub text: String,
    /// Where it goes.
    pub to: PathBuf,
    /// Whether a file of that name may be replaced.
    pub overwrite: bool,
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSaved {
    /// Something of that name is there.
    Exists,
    /// Why, in words.
    Failed(String),
}

/// What the first screen asks for.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The profile.
    pub profile: NewProfile,
    /// Its key; without one it is to be found where the profile says.
    pub key: Option<SecretString>,
}

/// What came of a question.
#[derive(Debug)]
pub enum Response {
    /// To [`Request::Templates`].
    Templates(Result<Page<Template>, ApiError>),
    /// To [`Request::Template`].
    Template(Box<Result<TemplateDetail, ApiError>>),
    /// To [`Request::Categories`].
    Categories(Result<Listed<Category>, ApiError>),
    /// To [`Request::BadgeTypes`].
    BadgeTypes(Result<BadgeTypes, ApiError>),
    /// To [`Request::History`].
    History(Result<Page<HistoryItem>, ApiError>),
    /// To [`Request::Badge`].
    Badge(Box<Result<Badge, ApiError>>),
    /// To [`Request::SentBadge`].
    SentBadge(Vec<SentHere>),
    /// To [`Request::Holder`].
    Holder(Box<Holder>),
    /// To [`Request::Call`].
    Call(Box<LookupReply>),
    /// To [`Request::Holdings`].
    Holdings(Result<Holdings, ApiError>, Option<Box<Rival>>),
    /// To [`Request::Jobs`].
    Jobs(Result<Vec<Job>, String>),
    /// To [`Request::Rows`].
    Rows(Result<Page<JobRow>, String>),
    /// To [`Request::Reasons`]; the newest first.
    Reasons(Vec<String>),
    /// To [`Request::TemplateOf`]: its id and title, or why it is not known.
    TemplateOf(Result<(TemplateId, Text), String>),
    /// To [`Request::Files`]; the newest first.
    Files(Vec<String>),
    /// To [`Request::Complete`]: every path that fits.
    Completed(Vec<String>),
    /// To [`Request::OpenFile`] and [`Request::OpenIds`].
    Opened(Box<Result<Opened, String>>),
    /// To [`Request::DraftFile`] and [`Request::DraftIds`].
    Drafted(Result<Vec<Job>, String>),
    /// To [`Request::Paper`].
    Paper(Result<Written, JobError>),
    /// To [`Request::Mail`].
    Mail(Result<MailReport, String>),
    /// To [`Request::Export`].
    Export(Box<Result<Exported, ExportError>>),
    /// To [`Request::Guard`]: the drafts as they stand now, and what was found for each.
    Guarded(Result<(Vec<Job>, Vec<Guarded>), String>),
    /// To [`Request::Do`].
    Done(Result<Done, String>),
    /// To [`Request::Picture`]: ready to be drawn, or a calm line that says why there is none.
    Picture(Result<Packed, String>),
    /// To [`Request::Raw`].
    Raw(Result<Raw, ApiError>),
    /// To [`Request::LogBeyond`].
    LogBeyond {
        /// Whether there is a connection whose log can be watched.
        watched: bool,
    },
    /// To [`Request::Hand`]: which program took it, or why none did.
    Handed(Result<&'static str, String>),
    /// To [`Request::Save`]: where it was written.
    Saved(Result<PathBuf, NotSaved>),
    /// To [`Request::Index`].
    Index(IndexAnswer),
    /// To [`Request::View`].
    View(ViewAnswer),
    /// To [`Request::Matching`].
    Matching(Box<Result<Matching, NotMarked>>),
    /// To [`Request::Recents`]: what is kept now.
    Recents(Result<Lists, String>),
    /// To [`Request::Filters`]: what there is now, and what was asked.
    Filters(Result<FiltersRead, String>, Box<FiltersAsk>),
    /// To [`Request::Ping`].
    Pinged(Result<(), ApiError>),
    /// To [`Request::Pause`].
    Paused,
    /// To [`Request::Profiles`].
    Profiles(Result<Vec<ProfileLine>, String>),
    /// To [`Request::Profile`]: what was done, or why not, in words.
    Profile(Result<String, String>),
    /// To [`Request::TryProfile`], [`Request::StartSandbox`], [`Request::OpenProfile`] and [`Request::Pin`]: how to connect, or
    /// why not, in words.
    Connected(Result<Box<Session>, String>),
}

/// What a holder has, as two lists that know different things: the wallet hides what is revoked or waiting.
#[derive(Debug)]
pub struct Holder {
    /// The wallet's badges and whether they are all.
    pub wallet: Result<(Vec<WalletBadge>, bool), ApiError>,
    /// The history's rows for exactly this address, and whether they are all.
    pub history: Result<(Vec<HistoryItem>, bool), ApiError>,
    /// What the journal has sent to this address and was not seen to be issued.
    pub sent: Vec<SentHere>,
    /// How many requests it took.
    pub requests: u32,
}

/// A profile in use: how to connect, and what the header says of it.
#[derive(Clone, Debug)]
pub struct Session {
    /// How to connect.
    pub connection: Connection,
    /// The profile's name.
    pub name: String,
    /// Demo, staging or live.
    pub environment: Environment,
    /// The organisation's label, where the profile has one.
    pub organisation: Option<String>,
    /// The folder of the journal; without one it lives as long as the program, as a sandbox does.
    pub journal: Option<PathBuf>,
    /// The copy of the history that is kept; none unless somebody has asked for it.
    pub index: Option<IndexUse>,
    /// How jobs work.
    pub jobs: crate::jobs::Settings,
    /// Where it is kept how the lists are shown; nowhere for a demo.
    pub view: Option<ViewUse>,
    /// Files of recipients that are offered from the beginning: a demo's.
    pub files: Vec<std::path::PathBuf>,
    /// What a person should know about it, once it is open.
    pub remark: Option<String>,
}

#[cfg(test)]
impl Session {
    /// For tests of a single widget: nobody is there.
    pub(in crate::tui) fn for_test(environment: Environment, organisation: &str) -> Self {
        let key = crate::api::ApiKey::new("dmu_test_0123456789abcdef").expect("a key");
        Self {
            connection: Connection::new("https://b.example/api/v1/ext", key).expect("an address"),
            name: "uni".to_owned(),
            environment,
            organisation: Some(organisation.to_owned()),
            journal: None,
            index: None,
            jobs: crate::jobs::Settings::default(),
            view: None,
            files: Vec::new(),
            remark: None,
        }
    }
}

/// Gives out tickets.
#[derive(Debug, Default)]
pub struct RequestIds {
    last: u64,
}

impl RequestIds {
    /// A new one.
    pub fn next(&mut self) -> RequestId {
        self.last += 1;
        RequestId(self.last)
    }
}
