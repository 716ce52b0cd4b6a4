//! Effects of handling a key or a response: requests, navigation, messages, texts for the clipboard.

use super::request::{JobFile, ProfileSession, RequestIds};
use super::tab::Tab;
use super::worker::WorkerCommand;
use crate::config::ThemeChoice;
use crate::domain::call_advice::CallerQuestion;
use crate::export::{ExportContent, Record};
use crate::tui::input::paths;
use crate::tui::persist::input_history::InputKind;
use crate::tui::platform::clipboard::CopiedText;
use crate::tui::platform::pager::PagerText;
use crate::tui::prelude::*;
use crate::tui::request::IndexRows;

#[derive(Clone, Debug)]
pub enum Content {
    List(ExportContent),
    JobFile(JobFile),
}

/// A list, or the receipt or redo file of a job, that can be saved to a file.
#[derive(Clone, Debug)]
pub struct ExportSource {
    pub content: Content,
    /// A part of the file name.
    pub name: String,
    /// The description for the user: the number of rows, the kind, filter and order.
    pub head: String,
    pub rows: Option<u64>,
    pub note: Option<String>,
}

impl ExportSource {
    pub fn of_badges<'r>(
        name: &'static str,
        head: String,
        note: String,
        badges: impl IntoIterator<Item = &'r HistoryItem>,
        cx: &UiContext,
    ) -> Self {
        let now = cx.now();
        let rows = badges.into_iter().map(|badge| ExportRow::of(badge, now)).collect();
        Self::of_rows(name, head, Some(note), <HistoryItem as Record>::SHAPE.names(), rows)
    }

    pub fn of_index(title: &str, found: IndexRows, cx: &UiContext) -> Self {
        let rows = found.rows.len() as u64;
        let badges = count!(rows, "badge", "badges");
        let note = if rows < found.all {
            t!(
                "lapel saves only the first {rows} of the {all} badges in this list, from the index.",
                rows = number(rows),
                all = number(found.all)
            )
        } else {
            t!("lapel saves the rows from the index.").to_owned()
        };
        let head = format!("{title} {} {badges}", cx.glyphs.dot);
        Self::of_rows("badges", head, Some(note), <HistoryItem as Record>::SHAPE.names(), found.rows)
    }

    pub fn of_rows(
        name: impl Into<String>,
        head: String,
        note: Option<String>,
        columns: Vec<String>,
        rows: Vec<ExportRow>,
    ) -> Self {
        Self {
            rows: Some(rows.len() as u64),
            content: Content::List(ExportContent::Rows(columns, rows)),
            name: name.into(),
            head,
            note,
        }
    }

    /// The receipt of a job, or with `redo` its redo file: of these rows, or of all.
    pub fn of_job(job: &Job, redo: bool, among: Option<BTreeSet<u64>>) -> Self {
        let id = job.id;
        let marked = among.as_ref().map(|rows| rows.len() as u64);
        let head = match (redo, marked) {
            (false, None) => t!("Receipt of job {job}: the outcome of every row", job = id),
            (true, None) if job.phase == Phase::Draft => {
                t!("Redo file of draft {id}: original rows that are not ready", id)
            }
            (true, None) => {
                t!("Redo file of job {job}: original rows that were invalid or not sent", job = id)
            }
            (false, Some(n)) => {
                plural!(
                    n,
                    "Receipt of job {job}: {n} marked row",
                    "Receipt of job {job}: {n} marked rows",
                    job = id
                )
            }
            (true, Some(n)) => {
                plural!(
                    n,
                    "Redo file of job {job}: {n} marked row",
                    "Redo file of job {job}: {n} marked rows",
                    job = id
                )
            }
        };
        let name = if redo { "redo" } else { "receipt" };
        Self {
            content: Content::JobFile(JobFile { job: id, redo, among }),
            name: paths::file_name(name, id.0, job.title.wire()),
            head,
            rows: None,
            note: None,
        }
    }
}

/// What to do when a text that looks like an API key may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterKeyWarning {
    /// Do what Enter does in the form below.
    Accept,
    /// Apply the filter of the list below.
    Filter,
}

#[derive(Debug)]
pub enum Navigate {
    Badge(ListedBadge),
    /// The badge with this id or certificate number.
    FindBadge(BadgeId),
    /// The templates whose title contains this text.
    TemplatesTitled(String),
    Holder(String),
    /// Look up a holder on the Wallet tab and select this badge.
    HolderOf(String, BadgeId),
    /// Look up the holders with this name on the Wallet tab.
    HolderNamed(String),
    /// Read the records of these badges on the Wallet tab, up to the one with this certificate number. Without badges:
    /// of all, after reading the history into the index. The user confirmed it.
    FindCert(String, Option<Vec<BadgeId>>),
    /// Answer this question of the caller on the Wallet tab.
    Question(Option<CallerQuestion>),
    /// Use this theme until lapel closes.
    Theme(ThemeChoice),
    /// Show the jobs and select the newest one.
    Activity,
    /// Show a job: its rows with these statuses, or the list of jobs if there are none.
    Job(JobId, Vec<RowStatus>),
    /// Open the review of these kept drafts.
    Drafts(Vec<JobId>),
    Mails(JobId),
    /// Run a command that sends rows of this job again or resumes sending. The user confirms it first.
    Again(JobId, Box<JobCommand>),
    Export(Box<ExportSource>),
    /// Choose a file, beginning with the typed path. The paths are those of recent files.
    PickFile(String, Vec<String>),
    /// The user has chosen this file for the form below.
    Picked(String),
    /// Continue the export of the form on top in the background.
    Aside,
    /// The user corrected a row of the draft below.
    Corrected,
    /// The input of the open forms was sent, or is in a draft.
    InputUsed,
    /// The saved filters of a list, and its filter and order. With `naming`, save these.
    SavedFilters {
        list: &'static str,
        current: Option<Box<NamedFilter>>,
        naming: bool,
    },
    UseFilter(Box<NamedFilter>),
    MarkAll,
    /// The user confirmed that lapel deletes the recent inputs.
    ForgetRecents,
    /// Ask whether the list's filter may be sent. It looks like an API key.
    AskAboutFilter,
    /// The user has confirmed that the typed text is not an API key.
    KeyAllowed(AfterKeyWarning),
    Open(OpenModal),
    Run(Action),
    /// Close a modal at any position of the stack.
    Close(ModalId),
    CloseAll,
    Connect(Box<ProfileSession>),
    Quit,
}

/// Builds a modal when the shell opens it. Returns `None` when there is nothing to open.
type Build = dyn FnOnce(&UiContext, &mut Effects<'_>) -> Option<Box<dyn Modal>>;

pub struct OpenModal(pub(in crate::tui) Box<Build>);

impl std::fmt::Debug for OpenModal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OpenModal")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum RequestOwner {
    /// The shell owns requests that belong to no screen: images, saved views, the clipboard.
    Shell,
    Welcome,
    Screen(Tab),
    Modal(ModalId),
}

/// The number of a modal. A run of lapel never uses a number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModalId(pub(in crate::tui) u64);

/// A message that the user did not ask for. An error stays until the user closes it, or until its jobs change or are shown.
pub struct News {
    pub text: String,
    pub bad: bool,
    pub jobs: Vec<JobId>,
}

/// The effects that a component collects while it handles something.
pub struct Effects<'a> {
    requests: &'a mut RequestIds,
    owner: RequestOwner,
    pub(in crate::tui) owners: Vec<(RequestId, RequestOwner)>,
    pub commands: Vec<WorkerCommand>,
    pub go: Vec<Navigate>,
    /// A line for the user, and whether it is an error.
    pub notice: Option<(String, bool)>,
    pub news: Option<News>,
    pub copies: Vec<CopiedText>,
    pub page: Option<PagerText>,
    pub typed: Vec<(InputKind, String)>,
    /// Make requests in the background, without a spinner. The user did not ask for them.
    pub quiet: bool,
    /// Whose forms that wait to open are about something else now.
    pub(in crate::tui) begins_anew: Option<RequestOwner>,
}

impl<'a> Effects<'a> {
    pub fn new(requests: &'a mut RequestIds) -> Self {
        Self {
            requests,
            owner: RequestOwner::Shell,
            owners: Vec::new(),
            commands: Vec::new(),
            go: Vec::new(),
            notice: None,
            news: None,
            copies: Vec::new(),
            page: None,
            typed: Vec::new(),
            quiet: false,
            begins_anew: None,
        }
    }

    /// Opens a modal on top. The shell builds it after it has run the effects of this handler.
    pub(in crate::tui) fn open<M: Modal>(
        &mut self,
        build: impl FnOnce(&UiContext, &mut Effects<'_>) -> M + 'static,
    ) {
        self.open_some(|cx, effects| Some(build(cx, effects)));
    }

    pub(in crate::tui) fn open_some<M: Modal>(
        &mut self,
        build: impl FnOnce(&UiContext, &mut Effects<'_>) -> Option<M> + 'static,
    ) {
        let build = move |cx: &UiContext, effects: &mut Effects<'_>| {
            build(cx, effects).map(|modal| Box::new(modal) as Box<dyn Modal>)
        };
        self.go.push(Navigate::Open(OpenModal(Box::new(build))));
    }

    /// Opens a modal that makes no request while it is built.
    pub(in crate::tui) fn show(&mut self, modal: impl Modal) {
        self.open(|_, _| modal);
    }

    pub fn export(&mut self, source: ExportSource) {
        self.go.push(Navigate::Export(Box::new(source)));
    }

    /// Runs a job command. Nothing cancels it.
    pub fn command(&mut self, command: JobCommand) -> RequestId {
        self.request(Request::Do(Box::new(command)))
    }

    /// Begins the job that the user has confirmed in the form that makes these effects, and shows the jobs.
    pub(in crate::tui) fn begin_job(&mut self, command: JobCommand) {
        self.command(command);
        self.go.push(Navigate::InputUsed);
        self.close();
        self.go.push(Navigate::Activity);
    }

    /// Closes the modal that makes these effects.
    pub(in crate::tui) fn close(&mut self) {
        if let RequestOwner::Modal(id) = self.owner {
            self.go.push(Navigate::Close(id));
        }
    }

    pub fn request(&mut self, request: Request) -> RequestId {
        let id = self.requests.next();
        let request = if self.quiet { request.quietly() } else { request };
        self.commands.push(WorkerCommand::Request(id, request));
        self.owners.push((id, self.owner));
        id
    }

    pub(in crate::tui) fn owned_by<T>(&mut self, owner: RequestOwner, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.owner, owner);
        let result = run(self);
        self.owner = before;
        result
    }

    pub fn request_instead(&mut self, earlier: &mut Option<RequestId>, request: Request) {
        self.cancel(earlier.take());
        *earlier = Some(self.request(request));
    }

    /// Drops the forms of the same owner that wait to open.
    pub fn begin_anew(&mut self) {
        self.begins_anew = Some(self.owner);
    }

    pub fn cancel(&mut self, requests: impl IntoIterator<Item = RequestId>) {
        self.commands.extend(requests.into_iter().map(WorkerCommand::Cancel));
    }

    /// Scrubs the text, except line breaks and tabs. `what` is its label: `masked summary`.
    pub fn copy(&mut self, text: String, what: &str) {
        self.copies.push(CopiedText { text, what: what.to_owned(), before: None, after: None });
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), false));
    }

    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), true));
    }

    /// Tells what the user did not ask for, and whether it is an error.
    pub fn tell(&mut self, text: String, bad: bool) {
        self.news = Some(News { text, bad, jobs: Vec::new() });
    }
}
