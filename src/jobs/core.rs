//! Shared state of the jobs module: connection, journal, change notification.

use super::error::JobError;
use super::history_scan::HistoryScan;
use super::job::{JobChange, JobId, Touched};
use super::journal::behaviour::{self, BehaviourObservation, LEAST_OFFSET};
use super::journal::observe::ObserveContext;
use super::journal::{Account, Journal, JournalError, Store};
use super::reason::{Code, Reason};
use super::senders::Senders;
use super::settings::JobConfig;
use crate::api::{Access, Reader, Writer};
use crate::domain::email::ended;
use crate::domain::time::OffsetBasis;
use crate::jobs::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// Wait before a changed job that could not be read is read again.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) struct JobsCore {
    pub(super) access: Access,
    pub(super) journal: Journal,
    pub(super) store: Store,
    pub(super) account: Account,
    pub(super) settings: JobConfig,
    /// Jobs with changes that were not reported yet.
    pub(super) dirty: Mutex<BTreeMap<JobId, Vec<Touched>>>,
    pub(super) news: Notify,
    /// Wakes the follower.
    pub(super) wake: Notify,
    pub(super) asked: Mutex<RequestedPolls>,
    pub(super) senders: Senders,
    /// The service's count of issued badges per template, at the last poll.
    pub(super) counts: Mutex<HashMap<crate::domain::TemplateId, u64>>,
    /// The service's offset as the journal has it, or as this session saw it last.
    pub(super) kept_offset: Mutex<Option<Offset>>,
    pub(super) troubles: Mutex<HashMap<JobId, JournalError>>,
    /// Cancelled on closing: nothing new is sent.
    pub(super) closing: CancellationToken,
    pub(super) ending: CancellationToken,
    /// [`super::Jobs::close`] awaits it before it releases the jobs. Otherwise the follower would take them back.
    pub(super) follower: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
pub(super) struct RequestedPolls {
    pub(super) all: bool,
    /// Poll only what is due by the service's clock.
    pub(super) due: bool,
    pub(super) jobs: HashSet<JobId>,
    pub(super) done: Vec<tokio::sync::oneshot::Sender<PollResult>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PollResult {
    /// Jobs that had something to poll.
    pub jobs: usize,
    /// Why some jobs could not be polled.
    pub failed: Option<JobError>,
    /// Why single badges could not be read: nothing is known of them.
    pub unread: Option<Reason>,
    /// Whether lapel read everything that could contain a badge in doubt.
    pub complete: bool,
}

impl PollResult {
    /// Why a badge in doubt may exist although the poll did not find it.
    pub fn why_not_complete(&self) -> Option<Localizable> {
        let part = || Code::PartOfHistory.text().map(Localizable::of).filter(|_| !self.complete);
        self.failed.as_ref().map(JobError::cause).or_else(part)
    }

    /// For an action that needs all of the history. `say` makes the message of the reason.
    pub(super) fn assure_complete(
        self,
        say: impl FnOnce(Localizable) -> Localizable,
    ) -> Result<(), JobError> {
        let Some(why) = self.why_not_complete() else { return Ok(()) };
        Err(match self.failed {
            Some(error @ JobError::Service(_)) => error.not_read(say),
            // Of the journal, which may end with a command.
            Some(_) => JobError::no(say(Localizable::verbatim(ended(&why.to_string())))),
            None => JobError::NotRead(say(why)),
        })
    }

    /// Why the poll does not tell all of what it was for.
    pub fn why_partial(&self) -> Option<Localizable> {
        let unread = self.unread.as_ref().map(|why| Localizable::verbatim(why.to_string()));
        self.why_not_complete().or(unread)
    }
}

impl JobsCore {
    pub(super) fn reader(&self) -> &Reader {
        self.access.reader()
    }

    pub(super) fn writer(&self) -> Result<&Writer, JobError> {
        self.access
            .writer()
            .ok_or_else(|| JobError::no(localizable!("This profile is read-only: it cannot send anything.")))
    }

    /// Needs a profile that can write, or a temporary copy of the journal, from which nothing can be sent.
    pub(super) fn planner(&self) -> Result<(), JobError> {
        if self.journal.is_copy { Ok(()) } else { self.writer().map(|_| ()) }
    }

    pub(super) fn me(&self) -> String {
        self.store.me().to_owned()
    }

    /// The service's time, and whether it comes from the service's own clock.
    pub(super) fn moment(&self) -> (Timestamp, bool) {
        let clock = self.reader().clock();
        (clock.utc(), clock.is_heard())
    }

    pub(super) fn observe_context(&self) -> ObserveContext {
        let (now, _) = self.moment();
        ObserveContext {
            me: self.me(),
            account: self.account.of_facts(),
            now,
            settings: self.settings.clone(),
        }
    }

    /// Restores the service's UTC offset from the journal unless it is old.
    pub(super) async fn recall_offset(&self) -> Result<(), JournalError> {
        let since = self.moment().0.as_second() - behaviour::RECALLED.as_secs();
        let mut found = self.store.facts(self.account.of_facts()).await?;
        found.retain(|fact| fact.last >= since);
        found.sort_by_key(|fact| std::cmp::Reverse(fact.last));
        let seen = found.iter().map(|fact| (fact.name.as_str(), fact.value.as_str()));
        if let Some(known) = behaviour::known_offset(seen) {
            self.reader().recall_offset(known);
        }
        *lock(&self.kept_offset) = Some(self.reader().clock().offset());
        Ok(())
    }

    /// Keeps the smallest possible offset, so that the next session, and commands, show the times of a job in the same
    /// zone.
    pub(super) async fn keep_least_offset(&self) -> Result<(), JournalError> {
        let clock = self.reader().clock();
        let is_new = lock(&self.kept_offset).replace(clock.offset()) != Some(clock.offset());
        if !is_new || clock.basis() != OffsetBasis::AtLeast {
            return Ok(());
        }
        let offset = clock.offset().to_string();
        self.learn(vec![BehaviourObservation::once(LEAST_OFFSET, &offset, Code::ReadInBadges)]).await
    }

    /// Removes personal data of jobs that finished `keep_days` ago, if that is set.
    pub(super) async fn forget_old(&self) -> Result<(), JournalError> {
        let Some(days) = self.settings.keep_days else { return Ok(()) };
        if self.journal.reads_only {
            return Ok(());
        }
        self.purge(days).await.map(drop)
    }

    pub(super) async fn purge(&self, days: u32) -> Result<Vec<JobId>, JournalError> {
        let purged = self.journal.purge(&self.account, days).await?;
        for id in &purged {
            self.changed(*id, []);
        }
        Ok(purged)
    }

    pub(super) async fn learn_filters(&self, scan: &HistoryScan<'_>) -> Result<(), JournalError> {
        self.learn(scan.observed_behavior().collect()).await
    }

    pub(super) async fn learn(&self, seen: Vec<BehaviourObservation>) -> Result<(), JournalError> {
        if self.journal.reads_only || seen.is_empty() {
            return Ok(());
        }
        self.store.learn_facts(self.account.of_facts(), seen, self.moment().0.as_second()).await
    }

    /// Reports the job's new state soon.
    pub(super) fn changed(&self, id: JobId, touched: impl IntoIterator<Item = Touched>) {
        let mut dirty = lock(&self.dirty);
        let all = dirty.entry(id).or_default();
        let room = JobChange::MOST.saturating_sub(all.len());
        all.extend(touched.into_iter().take(room));
        drop(dirty);
        self.news.notify_one();
    }

    /// Records a journal error, so that snapshots show it.
    pub(super) fn trouble(&self, id: JobId, why: &JournalError) {
        lock(&self.troubles).insert(id, why.clone());
        self.changed(id, []);
    }

    pub(super) fn no_trouble(&self, id: JobId) {
        lock(&self.troubles).remove(&id);
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Many changes between two receives give one snapshot per job.
pub(super) async fn report_changes(core: Arc<JobsCore>, changed: mpsc::Sender<JobChange>) {
    // Reported when the journal can be read.
    let mut unread = Vec::new();
    loop {
        let next = lock(&core.dirty).pop_first();
        match next {
            Some((id, touched)) => {
                let Ok(job) = core.find_job(id).await else {
                    unread.push((id, touched));
                    continue;
                };
                if changed.send(JobChange { id, job, touched }).await.is_err() {
                    return;
                }
            }
            None => tokio::select! {
                () = core.news.notified() => {}
                () = tokio::time::sleep(AGAIN), if !unread.is_empty() => {
                    for (id, touched) in unread.drain(..) {
                        core.changed(id, touched);
                    }
                }
                () = core.ending.cancelled() => {
                    // Changes before the end are reported, too.
                    if lock(&core.dirty).is_empty() {
                        return;
                    }
                }
            },
        }
    }
}
