//! Requests of the screens, and the worker's responses. A screen never waits: it keeps the id of its request
//! and drops a response with another id.
//!
//! ```text
//! job_command   commands for jobs, and reads of their rows
//! profiles      the session of a profile, and changes to profiles
//! results       results of reads
//! ```

mod job_command;
mod profiles;
mod results;

use crate::api::{BadgeTypes, CategoryFilter, Listed, RawBody, TemplateQuery};
use crate::config::ProfileLine;
use crate::domain::TemplateDetail;
use crate::domain::address_search::HistoryProbe;
use crate::export::{ExportError, ExportRequest, Exported};
use crate::index::{self, Cert, Coverage, DetailsRead, FoundPeople, Renewals, Synced};
use crate::jobs::intake::Choices;
use crate::jobs::receipt::{FailedMails, TableFormat};
use crate::jobs::{
    DuplicateResult, FileRequest, FileState, Holdings, IdsRequest, JobError, Opened, RecentLoss,
    RequestsNeeded, Rival, RowGroup, SentAlike,
};
use crate::table::TableError;
use crate::tui::persist::input_history::{Lists, RecentsRequest};
use crate::tui::persist::saved_filters::{FiltersRead, FiltersRequest};
use crate::tui::persist::saved_layout::layout_file::{ViewRequest, ViewResponse};
use crate::tui::platform::external::ProgramCall;
use crate::tui::platform::file_preview::FilePreview;
use crate::tui::platform::images::{Packed, PictureOnScreen};
use crate::tui::prelude::*;
pub use job_command::{JobCommand, JobFile, JobReply, RowsQuery, RowsToFile};
pub use profiles::{GivenSecret, IndexUse, ProfileCandidate, ProfileChange, ProfileRequest, ProfileSession};
pub use results::{
    FoundRows, HolderInJournal, HolderLists, IndexOverview, IndexRows, MatchingRows, NotMarked, NotSearched,
    Remaining, TriedPictures,
};

/// The id of a request. A run of lapel never uses an id twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

#[derive(Debug)]
pub struct Reply {
    pub id: RequestId,
    pub response: Response,
}

impl Reply {
    /// The response, if it answers this request. The request is over then.
    pub fn to(self, request: &mut Option<RequestId>) -> Result<Response, Self> {
        match request.take_if(|own| *own == self.id) {
            Some(_) => Ok(self.response),
            None => Err(self),
        }
    }
}

#[derive(Debug, Default)]
pub struct NewDrafts {
    pub jobs: Vec<Job>,
    /// Number of rows of the drafts that they replace whose decisions apply to no row.
    pub lost: u64,
}

/// Whether a component took a response; otherwise the response again.
pub type Handled = Result<(), Reply>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// It reads from the service. The user can stop it at any time.
    Read,
    /// An automatic refresh may make it. It is then a background request.
    Refresh,
    /// The screen shows no spinner for it.
    Quiet,
    /// It needs no connection.
    Local,
    /// It needs the journal.
    Journal,
    /// It always runs to its end, even after a cancellation.
    Finish,
    /// It handles its own cancellation and ends cleanly. The worker does not abort it.
    OwnEnd,
}

/// Declares the requests, each in one line: its arguments, its response and its flags. `worker.rs` runs them.
///
/// When a request fails, [`FromFailure`] makes its response. A request whose response depends on its arguments gives that
/// response after `else`.
macro_rules! requests {
    (
        with_own_response {$(
            $(#[$doc:meta])*
            $name:ident $(($($arg:ident: $type:ty),+))? -> $response:ident $(($($result:ty),+))?
                $([$($flag:ident),+])? $(else |$why:ident| $failed:expr)?;
        )+}
        with_response_of_another {$(
            $(#[$also_doc:meta])*
            $also:ident $(($($also_arg:ident: $also_type:ty),+))? -> $also_answer:ident $(($($also_result:ty),+))?
                $([$($also_flag:ident),+])?;
        )+}
    ) => {
        #[derive(Clone, Debug)]
        pub enum Request {
            $($(#[$doc])* $name $(($($type),+))?,)+
            $($(#[$also_doc])* $also $(($($also_type),+))?,)+
            /// A request in the background share of the rate limit. Nobody waits for its response.
            Quiet(Box<Request>),
        }

        #[derive(Debug)]
        pub enum Response {
            $($response $(($($result),+))?,)+
        }

        impl Request {
            pub fn has(&self, flag: Flag) -> bool {
                let flags: &[Flag] = match self {
                    $(Self::$name { .. } => &[$($(Flag::$flag),+)?],)+
                    $(Self::$also { .. } => &[$($(Flag::$also_flag),+)?],)+
                    Self::Quiet(_) => &[Flag::Quiet],
                };
                flags.contains(&flag)
            }

            #[allow(unused_variables, reason = "few responses need the arguments of the request")]
            fn response_to(&self, failure: &ApiFailure<'_>) -> Response {
                match self {
                    $(Self::$name $(($($arg),+))? => {
                        requests!(@failed failure, $response $(($($result),+))? $(, $why, $failed)?)
                    })+
                    $(Self::$also { .. } => requests!(@failed failure, $also_answer $(($($also_result),+))?),)+
                    Self::Quiet(request) => request.response_to(failure),
                }
            }
        }
    };
    (@failed $failure:ident, $response:ident $(($($result:ty),+))?) => {
        Response::$response $(($(<$result>::failed($failure)),+))?
    };
    (@failed $failure:ident, $response:ident $(($($result:ty),+))?, $why:ident, $failed:expr) => {{
        let $why = $failure;
        $failed
    }};
}

requests! {
    with_own_response {
        Templates(query: TemplateQuery) -> Templates(Result<Page<Template>, ApiError>) [Read, Refresh];
        Template(id: TemplateId) -> Template(Box<Result<TemplateDetail, ApiError>>) [Read, Refresh];
        Categories(filter: CategoryFilter) -> Categories(Result<Listed<Category>, ApiError>) [Read];
        BadgeTypes -> BadgeTypes(Result<BadgeTypes, ApiError>) [Read];
        History(query: HistoryQuery) -> History(Result<Page<HistoryItem>, ApiError>) [Read, Refresh];
        Badge(id: BadgeId) -> Badge(Box<Result<Badge, ApiError>>) [Read, Refresh];
        /// The journal's entries for a badge that the service does not show.
        SentBadge(id: BadgeId) -> SentBadge(Result<HolderInJournal, String>);
        /// The journal's entries for a name or an address like these, of which the service has no badge.
        SentAlike(address: Option<String>, name: Option<String>) -> SentAlike(Result<Vec<SentAlike>, String>);
        /// A holder's wallet and history, read in parallel: at most this many pages of each.
        Holder(email: String, pages: u64) -> Holder(Box<HolderLists>) [Read, Refresh];
        /// The badges of these names and addresses: one request for each.
        Leads(leads: Vec<HistoryProbe>) -> Leads(FoundRows) [Read, Refresh]
            else |why| Response::Leads(FoundRows { trouble: Some(why.error.clone()), ..FoundRows::default() });
        /// Check whether the front and back pictures of a badge open: two requests without the API key. If the
        /// addresses are unknown, one more request reads the badge.
        TryPictures(id: BadgeId, urls: [Option<Text>; 2]) -> TriedPictures(TriedPictures) [Read, Refresh]
            else |_why| Response::TriedPictures(TriedPictures::not_tried(t!("not checked: a part of lapel failed")));
        /// The badges of a template that a recipient already has, the same badge in another job, and a recent loss of writes.
        Holdings(id: TemplateId, email: String) -> Holdings(Result<Holdings, ApiError>, Option<Box<Rival>>, Option<RecentLoss>) [Read];
        /// The domains of the addresses in the index and in the journal, with their numbers.
        Domains -> Domains(Vec<(String, u64)>);
        /// The template of a badge, from its holder's history: its id and title. The badge's own record does not contain it.
        TemplateOf(id: BadgeId, email: String) -> TemplateOf(Result<(TemplateId, Text), String>) [Read];
        Raw(of: RawOf) -> Raw(Result<RawBody, ApiError>) [Read];
        Matching(filter: HistoryFilter) -> Matching(Box<Result<MatchingRows, NotMarked>>) [Quiet];
        Export(request: Box<ExportRequest>) -> Export(Box<Result<Exported, NotSaved>>) [OwnEnd]
            else |why| Response::Export(Box::new(Err(ExportError::Service(why.error.clone()).into())));
        /// The picture, ready to draw, or a short explanation for the user.
        Picture(request: Box<PictureOnScreen>) -> Picture(Result<Packed, String>) [Quiet]
            else |_why| Response::Picture(Err(t!("The picture was not loaded.").to_owned()));
        /// Answered when a request with a higher number in the log has ended. `None` if there is no connection whose log
        /// can be watched.
        LogBeyond(number: u64) -> LogBeyond(Option<()>);
        /// One ping during a rate limit wait, on the connection in use or the one being made.
        Ping(reader: Reader) -> Pinged(Result<(), ApiError>) [Local];

        // Jobs.
        Jobs -> Jobs(Result<Vec<Job>, String>) [Journal];
        /// The drafts that are kept for review, the newest first.
        KeptDrafts -> KeptDrafts(Result<Vec<Job>, String>) [Journal];
        /// A loss of writes of a team's database that still matters.
        RecentLoss -> RecentLoss(Option<RecentLoss>) [Journal];
        Rows(query: RowsQuery) -> Rows(Result<Page<JobRow>, String>) [Journal];
        SavedRows(query: RowsQuery, to_file: RowsToFile) -> SavedRows(Result<Vec<ExportRow>, String>) [Journal];
        /// The place of a row in a list of rows, from 0. `None` if it is not there.
        PlaceOfRow(query: RowsQuery, row: u64) -> PlaceOfRow(Option<u64>) [Journal];
        /// How many rows before this one have its name and address. `None` if the journal could not be read.
        EqualBefore(job: JobId, row: u64) -> EqualBefore(Option<u64>) [Journal];
        /// The draft of these with the last decision that can be undone.
        LastDecided(drafts: Vec<JobId>) -> LastDecided(Result<Option<JobId>, String>) [Journal];
        /// The rows of a draft that need review, are invalid or are skipped, grouped by their reason: the largest group
        /// first. Empty if they could not be read. And the requests that send all these drafts.
        Groups(draft: JobId, all: Vec<JobId>) -> Groups(Vec<RowGroup>, Option<RequestsNeeded>) [Journal];
        /// Reasons of earlier revocations, the newest first.
        Reasons -> Reasons(Vec<String>) [Journal];
        /// Files that recipients were read from, the newest first.
        Files -> Files(Vec<String>) [Journal];
        /// Open a file and detect its format.
        OpenFile(source: ImportSource, choices: Choices) -> Opened(Box<Result<Opened, String>>) [Journal, OwnEnd];
        /// Write every row of a file into drafts, with the decisions of the drafts that they replace.
        DraftFile(request: Box<FileRequest>, replaced: Vec<JobId>) -> Drafted(Result<NewDrafts, String>) [Journal, OwnEnd];
        /// Compare drafts of one file with the file as it is now.
        CompareFile(drafts: Vec<JobId>) -> Compared(Box<Result<FileState, String>>) [Journal];
        /// Check drafts for recipients who already have the badge: the drafts as they are now, and the duplicates of each.
        CheckDuplicates(drafts: Vec<JobId>)
            -> DuplicateResult(Result<(Vec<Job>, Vec<DuplicateResult>), String>) [Journal, OwnEnd];
        /// The issued badges of a job, or of all jobs, whose mail failed.
        Mail(job: Option<JobId>) -> Mail(Result<FailedMails, String>) [Journal];
        Do(command: Box<JobCommand>) -> Done(Result<JobReply, String>) [Journal, Finish, OwnEnd];

        // The local index of the history.
        /// Keep an index in memory until lapel ends.
        TurnOnIndex -> IndexOn(Result<(), String>);
        Sync(want: SyncScope) -> Synced(Result<Synced, String>) [Quiet];
        Sums(period: Period) -> Sums(Result<Box<IndexOverview>, String>);
        /// The coverage of the index, if it has every badge that may match this filter of the service.
        IndexCoverage(filter: HistoryFilter) -> IndexCoverage(Option<Coverage>);
        IndexList(query: index::IndexQuery) -> IndexList(Result<Page<HistoryItem>, String>);
        FindCert(number: String) -> FoundCerts(Result<Vec<Cert>, NotSearched>);
        /// The badges that may be a caller's, by address, by name or by both.
        People(email: Option<String>, name: Option<String>) -> People(Result<FoundPeople, NotSearched>);
        WithoutDetails(list: IndexedList) -> WithoutDetails(Result<Vec<BadgeId>, String>);
        /// Read the details of these badges, up to the one with this certificate number.
        Details(badges: Vec<BadgeId>, number: Option<String>) -> Details(Result<DetailsRead, String>) [Quiet];
        Renewals(list: IndexedList) -> Renewals(Result<Renewals, String>);
        IndexMails -> IndexMails(Result<FailedMails, String>);
        IndexExport(list: IndexedList) -> IndexExport(Result<IndexRows, String>);

        // Files and programs of this computer.
        /// Completions of a typed path: every match.
        Complete(typed: String) -> Completed(Vec<String>) [Local];
        /// Size, date and first rows of a file.
        Preview(file: PathBuf) -> Previewed(Box<Result<FilePreview, String>>) [Local, Quiet];
        /// Write a file that only its owner may read.
        Save(saving: Box<Saving>) -> Saved(Result<PathBuf, NotSaved>) [Local];
        /// Pass data to an external program. The response is the program that took it, or the reason why none did.
        RunProgram(call: ProgramCall) -> RanProgram(Result<&'static str, String>) [Local, Quiet]
            else |_why| Response::RanProgram(Err(t!("internal lapel error").to_owned()));
        /// Read or write the file with the saved layout of the lists.
        View(request: ViewRequest) -> View(ViewResponse) [Local, Quiet, Finish]
            else |_why| Response::View(ViewResponse::failed(request, t!("internal lapel error")));
        /// Read, write or delete the recent lookups. The response is the lists as they are now.
        Recents(request: Box<RecentsRequest>) -> Recents(Result<Lists, String>) [Local, Quiet, Finish];
        /// Read or change the saved filters. The response is the filters as they are now, and the request.
        Filters(request: Box<FiltersRequest>) -> Filters(Result<FiltersRead, String>, Box<FiltersRequest>) [Local, Quiet, Finish]
            else |why| Response::Filters(Err(why.text.clone()), request.clone());
        /// Answered after this time: the end of a typing pause.
        Pause(time: Duration) -> Paused [Local, Quiet];

        // Profiles. An error is text for the user.
        Profiles -> Profiles(Result<Vec<ProfileLine>, String>) [Local];
        Profile(request: Box<ProfileRequest>) -> Profile(Result<String, String>) [Local];
        /// Open a profile and find its key. Without a name: the profile that lapel was started with.
        OpenProfile(name: Option<String>) -> Connected(Result<Box<ProfileSession>, String>) [Local];
    }
    with_response_of_another {
        /// Open a file of badge ids and detect its format.
        OpenIds(source: ImportSource, choices: Choices) -> Opened(Box<Result<Opened, String>>) [Journal, OwnEnd];
        /// Write a draft revocation of the badges whose ids are in a file.
        DraftIds(request: Box<IdsRequest>) -> Drafted(Result<NewDrafts, String>) [Journal, OwnEnd];
        /// Write a receipt or a redo file. The last argument: overwrite an existing file.
        JobFile(job_file: JobFile, file: PathBuf, format: TableFormat, overwrite: bool)
            -> Export(Box<Result<Exported, NotSaved>>) [Journal, OwnEnd];
        /// Write a small private marker file. Nobody waits for the response.
        Note(file: PathBuf, text: &'static str) -> Paused [Local, Quiet];
        StartSandbox -> Connected(Result<Box<ProfileSession>, String>) [Local];
        /// Check a base URL and a key. If they work, keep them as a profile.
        TryProfile(candidate: Box<ProfileCandidate>) -> Connected(Result<Box<ProfileSession>, String>) [Local];
        /// Pin the current key of a profile. The second argument: the prefix of the key that the user was shown.
        Pin(profile: String, prefix: String) -> Connected(Result<Box<ProfileSession>, String>) [Local];
    }
}

impl Request {
    /// Time that the cursor must rest on a row before lapel reads more about it: its preview, and its picture.
    pub const CURSOR_REST: Duration = Duration::from_millis(150);

    /// Makes a read that refreshes the screen a background request. Other requests stay as they are.
    pub fn quietly(self) -> Self {
        if self.has(Flag::Refresh) { Self::Quiet(Box::new(self)) } else { self }
    }

    /// Whether nobody waits for its response, which may never come.
    pub fn is_left_alone(&self) -> bool {
        matches!(self, Self::LogBeyond(_) | Self::View(ViewRequest::Keep(..) | ViewRequest::Forget(_)))
    }

    /// The response to the request if its task failed, or if it has no connection.
    pub(in crate::tui) fn failed(&self) -> Response {
        let why = localizable!("internal error in lapel before an answer came");
        self.failed_by(&ApiError::NoResponse { why })
    }

    pub(in crate::tui) fn failed_by(&self, error: &ApiError) -> Response {
        let text = match self {
            _ if self.has(Flag::Journal) => tr(NO_JOBS).to_owned(),
            _ if self.has(Flag::Local) => t!("Internal error in lapel.").to_owned(),
            _ => error.to_string(),
        };
        self.response_to(&ApiFailure { error, text })
    }
}

const NO_JOBS: &str =
    tr_noop!("The journal cannot be used: lapel can neither send nor show jobs. Nothing was changed.");

struct ApiFailure<'a> {
    error: &'a ApiError,
    text: String,
}

/// A result that can say that its request failed. A list is then empty.
trait FromFailure {
    fn failed(why: &ApiFailure<'_>) -> Self;
}

macro_rules! errors {
    ($($error:ty = |$why:ident| $failed:expr;)+) => {
        $(impl<T> FromFailure for Result<T, $error> {
            fn failed($why: &ApiFailure<'_>) -> Self {
                Err($failed)
            }
        })+
    };
}

errors! {
    ApiError = |why| why.error.clone();
    String = |why| why.text.clone();
    NotSaved = |why| NotSaved::Failed(why.text.clone());
    NotMarked = |why| NotMarked::Service(why.error.clone());
    NotSearched = |why| NotSearched::Failed(why.text.clone());
}

impl<T> FromFailure for Vec<T> {
    fn failed(_: &ApiFailure<'_>) -> Self {
        Self::new()
    }
}

impl<T> FromFailure for Option<T> {
    fn failed(_: &ApiFailure<'_>) -> Self {
        None
    }
}

impl<T: FromFailure> FromFailure for Box<T> {
    fn failed(why: &ApiFailure<'_>) -> Self {
        Self::new(T::failed(why))
    }
}

impl FromFailure for HolderLists {
    fn failed(why: &ApiFailure<'_>) -> Self {
        Self::of(FromFailure::failed(why), FromFailure::failed(why))
    }
}

/// Maximum number of rows that a user may mark at once, because each marked row is kept in memory.
pub const LARGEST_RANGE: u64 = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    pub text: String,
    pub to: PathBuf,
    pub overwrite: bool,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    impl RequestId {
        pub fn test(n: u64) -> Self {
            Self(n)
        }
    }
}
