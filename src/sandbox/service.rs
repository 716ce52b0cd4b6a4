//! The running service: the state that the routes and the control address share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use super::clock::{self, Clock};
use super::demo::catalogue::{ORGS, PRACTICE};
use super::fault::FaultRule;
use super::faulty_connection::Traffic;
use super::ledger::{Books, Connections, Ledger};
use super::limiter::Limiter;
use super::pictures::DrawnPictures;
use super::response::{EndpointResponse, Outcome};
use super::store::BadgeStore;
use super::switches::Switches;
use super::{OrgKey, lock, mix};

#[derive(Debug, Clone, Copy)]
pub(super) struct ServiceLimits {
    pub rate: u32,
    pub quota: Option<u64>,
}

pub(super) struct Service {
    pub clock: Clock,
    pub keys: Vec<OrgKey>,
    /// Such as `http://127.0.0.1:8080`.
    pub origin: String,
    pub traffic: Arc<Traffic>,
    pub pictures: DrawnPictures,
    pub switches: RwLock<Switches>,
    pub faults: Mutex<Vec<FaultRule>>,
    pub books: Mutex<Books>,
    pub limiter: Mutex<Limiter>,
    pub limits: Mutex<ServiceLimits>,
    pub store: Mutex<BadgeStore>,
}

pub(super) type SharedService = Arc<Service>;

/// The organisation whose key was used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller(pub usize);

impl Caller {
    /// The organisation whose rows the caller sees; `None` means all.
    pub fn scope(self) -> Option<usize> {
        (self.0 != PRACTICE).then_some(self.0)
    }
}

pub(super) struct EndpointRequest {
    pub service: SharedService,
    pub caller: Caller,
    pub switches: Switches,
    pub now: i64,
    /// The last segment of the path, decoded.
    pub id: String,
    pub query: Option<String>,
    pub json: bool,
    pub body: axum::body::Bytes,
}

pub(super) type Handler = fn(&EndpointRequest) -> Outcome;

pub(super) fn keys(seed: u64) -> Vec<OrgKey> {
    ORGS.iter()
        .zip(0..)
        .map(|(org, at)| OrgKey {
            org: org.profile.to_owned(),
            name: org.name.to_owned(),
            key: format!("{}{:016x}{:016x}", org.prefix, mix(seed, at, 11), mix(seed, at, 12)),
        })
        .collect()
}

impl Service {
    pub fn switches(&self) -> Switches {
        self.switches.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, name: &str, value: &str) -> Result<(), String> {
        self.switches.write().unwrap_or_else(PoisonError::into_inner).set(name, value)
    }

    pub fn limits(&self) -> ServiceLimits {
        *lock(&self.limits)
    }

    pub fn store(&self) -> MutexGuard<'_, BadgeStore> {
        lock(&self.store)
    }

    /// Also saves the time in the data file.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
        self.remember_time();
    }

    pub fn remember_time(&self) {
        // A lost time costs a data file some minutes and nothing else.
        let _ = self.store().remember_time(self.clock.now());
    }

    pub fn ledger(&self) -> Ledger {
        let mut ledger = lock(&self.books).ledger();
        ledger.now = clock::stamp(self.clock.now(), self.switches().zone);
        let opened = self.traffic.opened.load(std::sync::atomic::Ordering::Relaxed);
        let closed = self.traffic.closed.load(std::sync::atomic::Ordering::Relaxed);
        ledger.connections = Connections { opened, open: opened.saturating_sub(closed) };
        let limiter = lock(&self.limiter);
        let store = self.store();
        for (at, org) in ORGS.iter().enumerate() {
            let busiest = limiter.busiest(at);
            if busiest.arrived > 0 {
                ledger.busiest_minute.insert(org.prefix.to_owned(), busiest);
            }
            if let Ok(issued @ 1..) = store.issued_by_api(at) {
                ledger.issued.insert(org.prefix.to_owned(), issued);
            }
        }
        ledger
    }
}

/// A failing database is the service's fault, not the client's.
impl From<rusqlite::Error> for EndpointResponse {
    fn from(_: rusqlite::Error) -> Self {
        EndpointResponse::broken()
    }
}
