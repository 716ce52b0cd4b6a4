//! Everything that belongs to one connection. Opening another profile, or connecting again, replaces it whole.

use super::effects::{ModalId, Owner};
use super::modals::export::ExportForm;
use super::request::{Request, RequestId};
use super::worker::WorkerCommand;
use crate::api::Reader;
use crate::jobs::Jobs;
use std::collections::HashMap;

#[derive(Default)]
pub(in crate::tui) struct ConnectionState {
    /// Messages of a connection with another number are dropped.
    pub(in crate::tui) number: u64,
    /// The client of a connection that is being made. Use it for its status only.
    pub(in crate::tui) connecting: Option<Reader>,
    pub(in crate::tui) failure: Option<String>,
    /// `None` until the journal is open.
    pub(in crate::tui) jobs: Option<Jobs>,
    /// The journal cannot be used, so there can be no jobs.
    pub(in crate::tui) has_no_journal: bool,
    pub(in crate::tui) pending: Pending,
    /// The form of a file that lapel writes in the background.
    pub(in crate::tui) export: Option<(ModalId, Box<ExportForm>)>,
}

#[derive(Default)]
pub(in crate::tui) struct Pending(HashMap<RequestId, PendingRequest>);

struct PendingRequest {
    owner: Owner,
    /// Whether the screen shows that it waits for the response.
    is_shown: bool,
    /// A watch, which may never be answered.
    is_watch: bool,
    is_command: bool,
    /// It reads from the service for the user, who can stop it.
    is_read: bool,
}

impl Pending {
    pub(in crate::tui) fn insert(&mut self, id: RequestId, request: &Request, owner: Owner) {
        let request = PendingRequest {
            owner,
            is_shown: !request.is_quiet(),
            is_watch: request.is_left_alone(),
            is_command: matches!(request, Request::Do(_)),
            is_read: request.is_read(),
        };
        self.0.insert(id, request);
    }

    pub(in crate::tui) fn remove(&mut self, id: RequestId) -> Option<Owner> {
        self.0.remove(&id).map(|request| request.owner)
    }

    pub(in crate::tui) fn owner(&self, id: RequestId) -> Option<Owner> {
        self.0.get(&id).map(|request| request.owner)
    }

    /// Sets whether the screen shows that it waits for a response.
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
