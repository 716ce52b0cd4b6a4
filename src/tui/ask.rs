//! Questions that the screens hand out, and the answers that come back. A screen never waits: it keeps the
//! ticket of its question and drops an answer whose ticket is not the current one.

use super::deed::{Deed, Done, RowsQuery};
use super::index::{IndexAnswer, IndexAsk, IndexUse};
use crate::api::{ApiError, BadgeTypes, CategoryFilter, Connection, HistoryQuery, Listed, TemplateQuery};
use crate::config::{Environment, NewProfile};
use crate::domain::{
    Badge, BadgeId, Category, HistoryItem, Page, Template, TemplateDetail, TemplateId, Text, WalletBadge,
};
use crate::jobs::intake::{Choices, Source};
use crate::jobs::receipt::{MailReport, Written};
use crate::jobs::{FileRequest, Guarded, Holdings, IdsRequest, Job, JobError, JobId, JobRow, Opened};
use secrecy::SecretString;
use std::path::PathBuf;

/// What a question is known by. Never used twice in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

impl Ticket {
    /// A ticket with a number of the test's choice.
    #[cfg(test)]
    pub fn test(n: u64) -> Self {
        Self(n)
    }
}

/// Something for the worker to do.
#[derive(Clone, Debug)]
pub enum Ask {
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
    /// What a holder has: wallet and history, side by side.
    Holder(String),
    /// What a person already has of a template.
    Holdings(TemplateId, String),
    /// Nothing, after a while: the end of a pause in typing.
    Pause(std::time::Duration),
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
    /// Read who has the badges of these drafts already.
    Guard(Vec<JobId>),
    /// Something to be done with jobs. Not cancelled by anything.
    Do(Box<Deed>),
    /// Something for the local index.
    Index(Box<IndexAsk>),
    /// Try a base URL and a key, and keep them as a profile if they are good.
    TryProfile(Candidate),
    /// Start the sandbox and connect to it.
    StartSandbox,
}

impl Ask {
    /// Whether the screen does not wait for it: a pause in typing, or something that goes on behind.
    pub fn is_behind(&self) -> bool {
        matches!(self, Self::Pause(_)) || matches!(self, Self::Index(ask) if ask.is_behind())
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

/// What the first screen asks for.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The profile.
    pub profile: NewProfile,
    /// Its key.
    pub key: SecretString,
}

/// What came of a question.
#[derive(Debug)]
pub enum Answer {
    /// To [`Ask::Templates`].
    Templates(Result<Page<Template>, ApiError>),
    /// To [`Ask::Template`].
    Template(Box<Result<TemplateDetail, ApiError>>),
    /// To [`Ask::Categories`].
    Categories(Result<Listed<Category>, ApiError>),
    /// To [`Ask::BadgeTypes`].
    BadgeTypes(Result<BadgeTypes, ApiError>),
    /// To [`Ask::History`].
    History(Result<Page<HistoryItem>, ApiError>),
    /// To [`Ask::Badge`].
    Badge(Box<Result<Badge, ApiError>>),
    /// To [`Ask::Holder`].
    Holder(Box<Holder>),
    /// To [`Ask::Holdings`].
    Holdings(Result<Holdings, ApiError>, Option<Box<JobRow>>),
    /// To [`Ask::Jobs`].
    Jobs(Result<Vec<Job>, String>),
    /// To [`Ask::Rows`].
    Rows(Result<Page<JobRow>, String>),
    /// To [`Ask::Reasons`]; the newest first.
    Reasons(Vec<String>),
    /// To [`Ask::TemplateOf`]: its id and title, or why it is not known.
    TemplateOf(Result<(TemplateId, Text), String>),
    /// To [`Ask::Files`]; the newest first.
    Files(Vec<String>),
    /// To [`Ask::Complete`]: every path that fits.
    Completed(Vec<String>),
    /// To [`Ask::OpenFile`] and [`Ask::OpenIds`].
    Opened(Box<Result<Opened, String>>),
    /// To [`Ask::DraftFile`] and [`Ask::DraftIds`].
    Drafted(Result<Vec<Job>, String>),
    /// To [`Ask::Paper`].
    Paper(Result<Written, JobError>),
    /// To [`Ask::Mail`].
    Mail(Result<MailReport, String>),
    /// To [`Ask::Guard`]: the drafts as they stand now, and what was found for each.
    Guarded(Result<(Vec<Job>, Vec<Guarded>), String>),
    /// To [`Ask::Do`].
    Done(Result<Done, String>),
    /// To [`Ask::Index`].
    Index(IndexAnswer),
    /// To [`Ask::Pause`].
    Paused,
    /// To [`Ask::TryProfile`] and [`Ask::StartSandbox`]: how to connect, or why not, in words.
    Connected(Result<Box<Session>, String>),
}

/// What a holder has, as two lists that know different things: the wallet hides what is revoked or waiting.
#[derive(Debug)]
pub struct Holder {
    /// The wallet's badges and whether they are all.
    pub wallet: Result<(Vec<WalletBadge>, bool), ApiError>,
    /// The history's rows for exactly this address, and whether they are all.
    pub history: Result<(Vec<HistoryItem>, bool), ApiError>,
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
    /// Files of recipients that are offered from the beginning: a demo's.
    pub files: Vec<std::path::PathBuf>,
}

/// Gives out tickets.
#[derive(Debug, Default)]
pub struct Tickets {
    last: u64,
}

impl Tickets {
    /// A new one.
    pub fn next(&mut self) -> Ticket {
        self.last += 1;
        Ticket(self.last)
    }
}
