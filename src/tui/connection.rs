//! Everything that belongs to one connection. Opening another profile, or connecting again, replaces it whole.

use super::component::OpenedModal;
use super::request::Flag;
use super::tour::Tour;
use super::worker::WorkerCommand;
use crate::api::{LinkStatus, LogEntry, UnderWay};
use crate::tui::prelude::*;

#[derive(Default)]
pub(in crate::tui) struct ConnectionState {
    /// Messages of a connection with another number are dropped.
    pub(in crate::tui) number: u64,
    /// The client of a connection that is being made.
    pub(in crate::tui) connecting: Option<Client>,
    pub(in crate::tui) failure: Option<String>,
    /// `None` until the journal is open.
    pub(in crate::tui) jobs: Option<Jobs>,
    /// Why the journal cannot be used. There can be no jobs then.
    pub(in crate::tui) journal_failure: Option<String>,
    /// The message that this process uses only its own share of the rate limit, as it was shown.
    pub(in crate::tui) told_alone: Option<String>,
    pub(in crate::tui) pending: PendingRequests,
    pub(in crate::tui) background: Option<OpenedModal>,
    pub(in crate::tui) tour: Option<Tour>,
    /// Forms that answers open, while a text is being typed, and who asked for them.
    pub(in crate::tui) held_back: Vec<(RequestOwner, Navigate)>,
}

impl ConnectionState {
    pub(in crate::tui) fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    /// Drops the forms of a look-up that was replaced: they are about another caller.
    pub(in crate::tui) fn drop_forms(&mut self, effects: &mut Effects<'_>) {
        let Some(owner) = effects.begins_anew.take() else { return };
        let before = self.held_back.len();
        self.held_back.retain(|(of, _)| *of != owner);
        if self.held_back.len() < before {
            effects.say(t!("The waiting form was dropped, because a new look-up began."));
        }
    }

    /// Continues to write a file without its form. The screen shows no spinner for it.
    pub(in crate::tui) fn write_in_background(&mut self, form: OpenedModal) {
        if let Some(request) = form.writes() {
            self.pending.show(request, false);
        }
        self.background = Some(form);
    }

    pub(in crate::tui) fn on_background_response(
        &mut self,
        reply: Reply,
        effects: &mut Effects<'_>,
    ) -> Handled {
        let Some(form) = &mut self.background else { return Err(reply) };
        if let Some((text, bad)) = form.on_written(reply, effects)? {
            effects.tell(text, bad);
        }
        self.background.take_if(|form| form.writes().is_none());
        Ok(())
    }
}

/// The client of a connection without its requests. Only the worker makes requests.
#[derive(Clone)]
pub struct Client(Reader);

impl Client {
    pub(in crate::tui) fn new(reader: Reader) -> Self {
        Self(reader)
    }

    /// One ping during a rate limit wait.
    pub(in crate::tui) fn ping(&self) -> Request {
        Request::Ping(self.0.clone())
    }

    pub fn clock(&self) -> ServiceClock {
        self.0.clock()
    }

    pub fn link_now(&self) -> LinkStatus {
        self.0.link_now()
    }

    pub fn longest_read(&self) -> Option<UnderWay> {
        self.0.longest_read()
    }

    /// The request log, oldest first.
    pub fn log(&self) -> Vec<LogEntry> {
        self.0.log()
    }

    pub fn base_path(&self) -> String {
        self.0.base_path()
    }

    pub fn origin(&self) -> String {
        self.0.origin()
    }

    pub fn picture_url(&self, raw: &Text) -> Option<String> {
        self.0.picture_url(raw)
    }
}

#[derive(Default)]
pub(in crate::tui) struct PendingRequests(HashMap<RequestId, PendingRequest>);

struct PendingRequest {
    owner: RequestOwner,
    is_shown: bool,
    /// A watch, which may never be answered.
    is_watch: bool,
    is_command: bool,
    finishes: bool,
    /// It reads from the service for the user, who can stop it.
    is_read: bool,
}

impl PendingRequests {
    pub(in crate::tui) fn insert(&mut self, id: RequestId, request: &Request, owner: RequestOwner) {
        let request = PendingRequest {
            owner,
            is_shown: !request.has(Flag::Quiet),
            is_watch: request.is_left_alone(),
            is_command: matches!(request, Request::Do(_)),
            finishes: request.has(Flag::Finish),
            is_read: request.has(Flag::Read),
        };
        self.0.insert(id, request);
    }

    pub(in crate::tui) fn remove(&mut self, id: RequestId) -> Option<RequestOwner> {
        self.0.remove(&id).map(|request| request.owner)
    }

    /// Whose response nobody waits for once this owner is gone. A request that must run to its end does so.
    pub(in crate::tui) fn of(&self, owner: RequestOwner) -> Vec<RequestId> {
        let is_of = |request: &PendingRequest| request.owner == owner && !request.finishes;
        self.0.iter().filter(|(_, request)| is_of(request)).map(|(id, _)| *id).collect()
    }

    pub(in crate::tui) fn owner(&self, id: RequestId) -> Option<RequestOwner> {
        self.0.get(&id).map(|request| request.owner)
    }

    pub(in crate::tui) fn show(&mut self, id: RequestId, is_shown: bool) {
        if let Some(request) = self.0.get_mut(&id) {
            request.is_shown = is_shown;
        }
    }

    /// Whether only watches are left.
    pub(in crate::tui) fn is_empty(&self) -> bool {
        self.0.values().all(|request| request.is_watch)
    }

    pub(in crate::tui) fn is_loading(&self) -> bool {
        self.0.values().any(|request| request.is_shown && !request.is_watch)
    }

    pub(in crate::tui) fn has_commands(&self) -> bool {
        self.0.values().any(|request| request.is_command)
    }

    pub(in crate::tui) fn has_reads(&self) -> bool {
        self.0.values().any(|request| request.is_read)
    }

    /// The commands that stop every read. The worker still answers each read.
    pub(in crate::tui) fn stop_reads(&mut self) -> Vec<WorkerCommand> {
        let stop = |(id, request): (&RequestId, &mut PendingRequest)| {
            std::mem::take(&mut request.is_read).then(|| WorkerCommand::Stop(*id))
        };
        self.0.iter_mut().filter_map(stop).collect()
    }
}
