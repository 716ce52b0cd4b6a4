//! What handling a key or a response may ask for: requests, navigation, messages, texts for the clipboard.

use super::app::Tab;
use super::context::Env;
use super::request::{Request, RequestId, RequestIds, Session};
use super::worker::WorkerCommand;
use crate::config::NamedFilter;
use crate::domain::{BadgeId, ServiceTime};
use crate::export::What;
use crate::tui::component::Modal;
use crate::tui::input::action::Action;
use crate::tui::persist::input_history::Typed;
use crate::tui::platform::clipboard::Clip;

/// What a screen has for a file.
#[derive(Clone, Debug)]
pub struct ExportSource {
    /// What is in it.
    pub what: What,
    /// What it is, for the file's name.
    pub name: &'static str,
    /// What it is, in words: how many of what, filtered and ordered how.
    pub head: String,
    /// How many rows it has, where that is known.
    pub rows: Option<u64>,
    /// What else a person should know of it.
    pub note: Option<String>,
}

/// Where a screen wants to go.
#[derive(Debug)]
pub enum Navigate {
    /// Open one badge on the Badge tab; with the time of its acceptance, which its own record lacks.
    Badge(BadgeId, Option<ServiceTime>),
    /// The templates whose title has this in it.
    TemplatesTitled(String),
    /// Look up a holder on the Wallet tab.
    Holder(String),
    /// The same, with this badge of theirs selected.
    HolderOf(String, BadgeId),
    /// Look up on the Wallet tab whoever has this name.
    HolderNamed(String),
    /// The jobs; the newest one selected.
    Activity,
    /// Do what sends again, or goes on sending; where it is live, after a confirmation.
    Again(Box<crate::tui::worker::job_command::JobCommand>),
    /// Write a list, or rows of one, into a file.
    Export(Box<ExportSource>),
    /// Let the file of the form on top be written out of sight.
    Aside,
    /// A row of the draft below was corrected.
    Corrected,
    /// Filter and order a list so.
    UseFilter(Box<NamedFilter>),
    /// Mark all that match on the History tab.
    MarkAll,
    /// Ask whether the list's filter, which has the shape of an API key, may be sent.
    AskAboutFilter,
    /// A person has said that what is typed is no API key.
    KeyAllowed(crate::tui::modals::key_question::Then),
    /// Open a modal.
    Open(OpenModal),
    /// Do an action as its key would.
    Run(Action),
    /// Close a modal, wherever it is in the stack.
    Close(ModalId),
    /// Close all that is open over the tab.
    CloseAll,
    /// Use this connection.
    Connect(Box<Session>),
    /// Leave lapel.
    Quit,
}

/// Builds a modal when the shell opens it; `None` where there is nothing to open.
type Build = dyn FnOnce(&Env, &mut Effects<'_>) -> Option<Box<dyn Modal>>;

/// A modal that is to be opened.
pub struct OpenModal(pub(in crate::tui) Box<Build>);

impl std::fmt::Debug for OpenModal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OpenModal")
    }
}

/// Who gets the response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Owner {
    /// What belongs to no screen: images, saved views, the clipboard.
    Shell,
    Welcome,
    Screen(Tab),
    Modal(ModalId),
}

/// The number of a modal. No two modals of a run have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModalId(pub(in crate::tui) u64);

/// What a screen hands out while it updates.
pub struct Effects<'a> {
    tickets: &'a mut RequestIds,
    /// Who makes the requests now.
    owner: Owner,
    /// The requests that were made, with their owners.
    pub(in crate::tui) owners: Vec<(RequestId, Owner)>,
    /// For the worker.
    pub orders: Vec<WorkerCommand>,
    /// Where to go.
    pub go: Vec<Navigate>,
    /// One line for the person, and whether it is bad news.
    pub notice: Option<(String, bool)>,
    /// The same, staying until it is closed: what nobody has asked for.
    pub news: Option<(String, bool)>,
    /// For the clipboard.
    pub copies: Vec<Clip>,
    /// What was typed and is offered again.
    pub typed: Vec<(Typed, String)>,
    /// Nobody has asked for what is asked now: it is read in the background, and no spinner turns for it.
    pub quiet: bool,
}

impl<'a> Effects<'a> {
    /// With tickets from here.
    pub fn new(tickets: &'a mut RequestIds) -> Self {
        Self {
            tickets,
            owner: Owner::Shell,
            owners: Vec::new(),
            orders: Vec::new(),
            go: Vec::new(),
            notice: None,
            news: None,
            copies: Vec::new(),
            typed: Vec::new(),
            quiet: false,
        }
    }

    /// Opens a modal over what is open. The shell builds it, after what is asked here was done.
    pub(in crate::tui) fn open<M: Modal>(
        &mut self,
        build: impl FnOnce(&Env, &mut Effects<'_>) -> M + 'static,
    ) {
        self.open_some(|env, out| Some(build(env, out)));
    }

    /// The same for a modal that may have nothing to show.
    pub(in crate::tui) fn open_some<M: Modal>(
        &mut self,
        build: impl FnOnce(&Env, &mut Effects<'_>) -> Option<M> + 'static,
    ) {
        let build = move |env: &Env, out: &mut Effects<'_>| {
            build(env, out).map(|modal| Box::new(modal) as Box<dyn Modal>)
        };
        self.go.push(Navigate::Open(OpenModal(Box::new(build))));
    }

    /// Closes the modal that makes these effects.
    pub(in crate::tui) fn close(&mut self) {
        if let Owner::Modal(id) = self.owner {
            self.go.push(Navigate::Close(id));
        }
    }

    /// Asks something.
    pub fn ask(&mut self, ask: Request) -> RequestId {
        let ticket = self.tickets.next();
        let ask = if self.quiet { ask.quietly() } else { ask };
        self.orders.push(WorkerCommand::Request(ticket, ask));
        self.owners.push((ticket, self.owner));
        ticket
    }

    /// Runs something whose requests belong to `owner`.
    pub(in crate::tui) fn owned_by<T>(&mut self, owner: Owner, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.owner, owner);
        let result = run(self);
        self.owner = before;
        result
    }

    /// Asks something in place of an earlier question, which is cancelled.
    pub fn ask_instead(&mut self, earlier: &mut Option<RequestId>, ask: Request) {
        self.cancel(earlier.take());
        *earlier = Some(self.ask(ask));
    }

    /// Cancels questions that nobody waits for any more.
    pub fn cancel(&mut self, tickets: impl IntoIterator<Item = RequestId>) {
        self.orders.extend(tickets.into_iter().map(WorkerCommand::Cancel));
    }

    /// Puts a text on its way to the clipboard; the desk says what became of it. `what` it is stands in the
    /// middle of a sentence: `the badge id`. Lines and tabs of the text keep their meaning, everything else is
    /// scrubbed.
    pub fn copy(&mut self, text: String, what: &str) {
        self.copies.push(Clip { text, what: what.to_owned(), before: None, after: None });
    }

    /// Says something at the bottom of the screen.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), false));
    }

    /// Says something that is bad news.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some((text.into(), true));
    }
}
