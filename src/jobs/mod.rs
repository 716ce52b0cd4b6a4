//! Consequential work: what is sent, what came of it for every single badge, and following it until the
//! service has shown its hand.
//!
//! This room knows the typed client and the words of the domain. It must never draw, and never send a
//! request that issues a badge twice: what is in doubt is resolved by looking, not by sending again. The
//! desk hands a plan to [`Jobs`] and only watches the [`Job`] snapshots that come back.
//!
//! For now a job is one request's worth and lives as long as the program does; the journal that makes it
//! survive a crash takes its place behind the same interface.

mod follow;
mod issue;
mod job;
mod look;
pub mod receipt;
mod revoke;

pub use job::{Job, JobId, JobRow, Kind, RowState};
pub use look::{Holdings, holdings};
pub use revoke::TooMany;

use crate::api::{Access, Call, MAX_ENTRIES, Writer};
use crate::domain::{Address, BadgeId, State, TemplateId, Text};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// One badge to be issued to one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuePlan {
    /// The template to issue from.
    pub template_id: TemplateId,
    /// Its title, for people.
    pub title: Text,
    /// `recipient_name`, as it will be printed.
    pub recipient_name: String,
    /// `recipient_email`.
    pub recipient_email: Address,
    /// Badges of this template that the person had before: what is found later and is none of these is
    /// this job's. `None` when that could not be read, so that nothing found later proves anything.
    pub held_before: Option<Vec<BadgeId>>,
}

/// A badge that somebody wants revoked, as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Its id.
    pub badge_id: BadgeId,
    /// Whose it is.
    pub holder: Text,
    /// The holder's address: two people may have one name.
    pub email: Text,
    /// What it is.
    pub title: Text,
    /// Where it stood when it was last seen.
    pub state: State,
}

/// Badges to be revoked for one reason: one request's worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokePlan {
    victims: Vec<Victim>,
    reason: String,
}

impl RevokePlan {
    /// Plans a revocation. Each badge counts once, however often it is named.
    ///
    /// # Errors
    /// [`TooMany`] when more than [`MAX_ENTRIES`] badges would have to be sent.
    pub fn new(victims: Vec<Victim>, reason: &str) -> Result<Self, TooMany> {
        let mut seen = HashSet::new();
        let victims: Vec<Victim> = victims.into_iter().filter(|v| seen.insert(v.badge_id.clone())).collect();
        let plan = Self { victims, reason: reason.trim().to_owned() };
        match plan.sent().count() {
            n if n > MAX_ENTRIES => Err(TooMany { wanted: n }),
            _ => Ok(plan),
        }
    }

    /// All of them.
    pub fn victims(&self) -> &[Victim] {
        &self.victims
    }

    /// Those that will be sent: the service accepts Issued badges only.
    pub fn sent(&self) -> impl Iterator<Item = &Victim> {
        self.victims.iter().filter(|v| v.state.may_be_revoked())
    }

    /// Those that are left out, since the service would drop them without a word.
    pub fn left_out(&self) -> impl Iterator<Item = &Victim> {
        self.victims.iter().filter(|v| !v.state.may_be_revoked())
    }

    /// The reason that goes with the request; the holder may see it.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Where plans are handed in.
#[derive(Clone)]
pub struct Jobs {
    access: Access,
    events: mpsc::Sender<Arc<Job>>,
    look: Arc<watch::Sender<u64>>,
    ids: Arc<AtomicU64>,
    claimed: Claimed,
    tokens: Arc<Mutex<HashMap<JobId, CancellationToken>>>,
}

/// The badges that jobs of this session know to be theirs: none is claimed twice.
type Claimed = Arc<Mutex<HashSet<BadgeId>>>;

impl Jobs {
    /// Begins. Snapshots of jobs arrive on the channel whenever one has changed.
    pub fn new(access: Access) -> (Self, mpsc::Receiver<Arc<Job>>) {
        let (events, receiver) = mpsc::channel(256);
        let (look, _) = watch::channel(0);
        let jobs = Self {
            access,
            events,
            look: Arc::new(look),
            ids: Arc::new(AtomicU64::new(1)),
            claimed: Arc::default(),
            tokens: Arc::default(),
        };
        (jobs, receiver)
    }

    /// Whether anything can be sent at all; not with a read-only profile.
    pub fn can_send(&self) -> bool {
        self.access.writer().is_some()
    }

    /// Issues one badge. The task goes on by itself; the first snapshot comes before the first byte leaves.
    pub fn issue(&self, plan: IssuePlan) -> Option<JobId> {
        let desk = self.desk()?;
        let id = desk.id;
        tokio::spawn(issue::run(plan, desk));
        Some(id)
    }

    /// Revokes badges. The task goes on by itself; the first snapshot comes before the first byte leaves.
    pub fn revoke(&self, plan: RevokePlan) -> Option<JobId> {
        let desk = self.desk()?;
        let id = desk.id;
        tokio::spawn(revoke::run(plan, desk));
        Some(id)
    }

    /// Looks at everything that is followed, now.
    pub fn look_now(&self) {
        self.look.send_modify(|n| *n += 1);
    }

    /// Gives up a job's request if it has not left yet; one that has runs to its end.
    pub fn give_up(&self, id: JobId) {
        if let Ok(mut tokens) = self.tokens.lock()
            && let Some(token) = tokens.remove(&id)
        {
            token.cancel();
        }
    }

    fn desk(&self) -> Option<Desk> {
        let writer = self.access.writer()?.clone();
        let id = JobId(self.ids.fetch_add(1, Ordering::Relaxed));
        let token = CancellationToken::new();
        if let Ok(mut tokens) = self.tokens.lock() {
            tokens.insert(id, token.clone());
        }
        Some(Desk {
            id,
            writer,
            events: self.events.clone(),
            look: self.look.subscribe(),
            claimed: self.claimed.clone(),
            token,
        })
    }
}

/// What a job's task works with.
struct Desk {
    id: JobId,
    writer: Writer,
    events: mpsc::Sender<Arc<Job>>,
    look: watch::Receiver<u64>,
    claimed: Claimed,
    token: CancellationToken,
}

impl Desk {
    /// The call that sends: it can be given up while it waits for its turn, and not after.
    fn call(&self) -> Call {
        Call::interactive().cancelled_by(self.token.clone())
    }

    /// Whether a job of the session has this badge.
    fn is_claimed(&self, id: &BadgeId) -> bool {
        self.claimed.lock().is_ok_and(|claimed| claimed.contains(id))
    }

    /// Claims a badge for this job; false when another job of the session has it.
    fn claim(&self, id: &BadgeId) -> bool {
        self.claimed.lock().is_ok_and(|mut claimed| claimed.insert(id.clone()))
    }

    /// Shows how the job stands. False when nobody listens any more: the program is ending.
    async fn show(&self, job: &Job) -> bool {
        self.events.send(Arc::new(job.clone())).await.is_ok()
    }
}
