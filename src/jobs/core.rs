//! Shared state of the jobs module: connection, journal, change notification, and the [`Jobs`] handle.

use super::batch::{RequestsNeeded, full_request};
use super::error::JobError;
use super::follow;
use super::history_scan::HistoryScan;
use super::job::{Job, JobChange, JobId, JobRow, Touched};
use super::journal::facts::{self, Fact, FactObservation, KeptFact, LEAST_OFFSET};
use super::journal::observe::ObserveContext;
use super::journal::rows::RowFilter;
use super::journal::sent_here::{SentAlike, SentHere};
use super::journal::{Account, Journal, JournalError, JournalWatch, Store};
use super::reason::{Code, Reason};
use super::row_groups::RowGroup;
use super::row_status::RowStatus;
use super::send::{self, OpenAnswers};
use super::settings::JobConfig;
use crate::api::{Access, Reader, Writer};
use crate::domain::email::ended;
use crate::domain::time::OffsetBasis;
use crate::jobs::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

const MOST_JOBS: usize = 10_000;
/// Longest wait for the last writes to a journal that says nothing.
const LAST_WRITES: Duration = Duration::from_secs(10);
/// Wait before a changed job that could not be read is read again.
const AGAIN: Duration = Duration::from_secs(1);

/// Plans, watches and controls jobs. The work ends with [`Jobs::close`], or when the last clone is dropped.
#[derive(Clone)]
pub struct Jobs {
    pub(super) core: Arc<JobsCore>,
    _last: Arc<DropGuard>,
}

pub(super) struct JobsCore {
    pub(super) access: Access,
    pub(super) journal: Journal,
    pub(super) store: Store,
    pub(super) account: Account,
    pub(super) settings: JobConfig,
    /// Jobs with changes that were not reported yet.
    dirty: Mutex<BTreeMap<JobId, Vec<Touched>>>,
    news: Notify,
    /// Wakes the follower.
    pub(super) wake: Notify,
    pub(super) asked: Mutex<RequestedPolls>,
    pub(super) senders: send::Senders,
    /// The service's count of issued badges per template, at the last poll.
    pub(super) counts: Mutex<HashMap<crate::domain::TemplateId, u64>>,
    /// The service's offset as the journal has it, or as this session saw it last.
    kept_offset: Mutex<Option<Offset>>,
    pub(super) troubles: Mutex<HashMap<JobId, JournalError>>,
    /// Cancelled on closing: nothing new is sent.
    pub(super) closing: CancellationToken,
    pub(super) ending: CancellationToken,
    /// [`Jobs::close`] awaits it before it releases the jobs. Otherwise the follower would take them back.
    follower: Mutex<Option<JoinHandle<()>>>,
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

impl Jobs {
    /// Takes over jobs whose process has ended, and follows open jobs. The channel receives a snapshot of
    /// each job that changed.
    ///
    /// # Errors
    /// The journal cannot be used. Nothing was changed.
    pub async fn start(
        access: Access,
        journal: Journal,
        account: Account,
        settings: JobConfig,
    ) -> Result<(Self, mpsc::Receiver<JobChange>), JournalError> {
        let ending = CancellationToken::new();
        let core = Arc::new(JobsCore {
            access,
            store: journal.store().clone(),
            journal,
            account,
            settings,
            dirty: Mutex::default(),
            news: Notify::new(),
            wake: Notify::new(),
            asked: Mutex::default(),
            senders: send::Senders::default(),
            counts: Mutex::default(),
            kept_offset: Mutex::default(),
            troubles: Mutex::default(),
            closing: CancellationToken::new(),
            ending: ending.clone(),
            follower: Mutex::default(),
        });
        core.join_account().await?;
        core.take_over().await?;
        core.forget_old().await?;
        core.recall_offset().await?;
        let (changed, receiver) = mpsc::channel(64);
        tokio::spawn(tell(core.clone(), changed));
        let follower = tokio::spawn(follow::run(core.clone()));
        *lock(&core.follower) = Some(follower);
        Ok((Self { core, _last: Arc::new(ending.drop_guard()) }, receiver))
    }

    /// For a team's database, which may be away.
    pub fn journal_watch(&self) -> JournalWatch {
        self.core.journal.watch()
    }

    /// False for a read-only profile.
    pub fn can_send(&self) -> bool {
        self.core.access.writer().is_some()
    }

    pub fn settings(&self) -> &JobConfig {
        &self.core.settings
    }

    /// All jobs of this profile's service and key except drafts, newest first.
    pub async fn list(&self) -> Result<Vec<Job>, JobError> {
        let (account, me) = (self.core.account.clone(), self.core.me());
        let found = self.core.store.jobs(account, me, MOST_JOBS).await?;
        let abandoned = self.core.abandoned().await?;
        Ok(found.into_iter().map(|job| self.core.as_it_is(job, &abandoned)).collect())
    }

    pub async fn job(&self, id: JobId) -> Result<Job, JobError> {
        self.core.job(id).await
    }

    /// The jobs that had this number in another journal, from which they were moved.
    pub async fn came_as(&self, old: JobId) -> Result<Vec<JobId>, JobError> {
        Ok(self.core.store.came_as(old).await?)
    }

    /// Whether the journal is certain to have no such job.
    pub async fn is_gone(&self, id: JobId) -> bool {
        matches!(self.core.find_job(id).await, Ok(None))
    }

    pub async fn count_rows(&self, id: JobId, filter: &RowFilter) -> Result<u64, JobError> {
        Ok(self.core.store.rows_count(id, filter.clone()).await?)
    }

    /// Number of rows before a row with the same name and address.
    pub async fn equal_before(&self, id: JobId, no: u64) -> Result<u64, JobError> {
        Ok(self.core.store.equal_before(id, no).await?)
    }

    pub async fn rows(&self, id: JobId, filter: RowFilter, most: usize) -> Result<Vec<JobRow>, JobError> {
        let window = self.core.settings.doubt_window.as_secs();
        if !self.core.abandoned().await?.contains(&id) {
            return Ok(self.core.store.rows_page(id, filter, most, window).await?);
        }
        let Some(filter) = of_abandoned(filter) else { return Ok(Vec::new()) };
        let mut found = self.core.store.rows_page(id, filter, most, window).await?;
        for row in found.iter_mut().filter(|row| row.row_status == RowStatus::Sending) {
            row.row_status = RowStatus::InDoubt;
            row.why = Some(Code::Lost.into());
        }
        Ok(found)
    }

    /// Number of rows before a row in the list that [`Jobs::rows`] gives for a filter, wherever the filter begins.
    /// `None` if the list does not have it.
    ///
    /// # Errors
    /// The journal could not be read.
    pub async fn before_in_list(
        &self,
        id: JobId,
        mut filter: RowFilter,
        no: u64,
    ) -> Result<Option<u64>, JobError> {
        if self.core.abandoned().await?.contains(&id) {
            let Some(shown) = of_abandoned(filter) else { return Ok(None) };
            filter = shown;
        }
        Ok(self.core.store.before_in_list(id, filter, no).await?)
    }

    /// The groups of a draft's rows that need review, are invalid or were skipped, and of badges in an unknown state
    /// that the job would revoke, the largest first.
    pub async fn groups(&self, id: JobId) -> Result<Vec<RowGroup>, JobError> {
        Ok(self.core.store.groups(id).await?)
    }

    /// Two rows of one recipient are never in one request.
    pub async fn requests_needed(&self, id: JobId) -> Result<RequestsNeeded, JobError> {
        Ok(self.core.store.requests_needed(id, full_request(self.core.settings.batch)).await?)
    }

    /// See [`JobRow::number`].
    pub async fn place_of(&self, id: JobId, number: u64) -> Result<u64, JobError> {
        self.core.job(id).await?;
        let (places, (first, last)) = self.core.store.places_of(id, number).await?;
        match places[..] {
            [place] => Ok(place),
            [] => Err(JobError::no(localizable!(
                "Job {id} has no row {number}: its rows are {first} to {last}. Nothing was changed.",
                id,
                number,
                first,
                last
            ))),
            _ => Err(JobError::no(localizable!(
                "Job {id} has several rows {number}: choose the row in the app. Nothing was changed.",
                id,
                number
            ))),
        }
    }

    pub async fn facts(&self) -> Result<Vec<Fact>, JobError> {
        Ok(self.core.store.facts(self.core.account.of_facts()).await?)
    }

    /// Rows with this badge id that jobs of this service and key have sent, according to the journal.
    pub async fn sent_badge(&self, badge: &BadgeId) -> Result<Vec<SentHere>, JobError> {
        Ok(self.core.journal.sent_badge(&self.core.account, badge).await?)
    }

    /// Rows sent to an address whose badge was not seen as issued, newest first.
    pub async fn sent_to(&self, email: &str) -> Result<Vec<SentHere>, JobError> {
        Ok(self.core.journal.sent_to(&self.core.account, email).await?)
    }

    /// Rows sent to a name or an address like these, whose badge was not seen as issued.
    pub async fn sent_alike(
        &self,
        address: Option<String>,
        name: Option<String>,
    ) -> Result<Vec<SentAlike>, JobError> {
        Ok(self.core.store.sent_alike(self.core.account.clone(), address, name).await?)
    }

    /// Rows sent to an address whose badge ids are known, newest first.
    pub async fn requested(&self, email: &str) -> Result<Vec<SentHere>, JobError> {
        Ok(self.core.store.requested(self.core.account.clone(), EmailKey::of(email)).await?)
    }

    /// The domains of earlier recipients, each once, with their numbers of addresses: of the newest rows of this account's
    /// issue jobs that have begun, and those of the index. A badge sent from here is in both.
    pub async fn known_domains(&self, indexed: &[(String, u64)]) -> Result<Vec<(String, u64)>, JobError> {
        let mut domains: HashMap<String, u64> = indexed.iter().cloned().collect();
        for (domain, n) in self.core.journal.domains(&self.core.account).await? {
            let most = domains.entry(domain).or_default();
            *most = n.max(*most);
        }
        Ok(domains.into_iter().collect())
    }

    /// Reasons of earlier revocations, newest first.
    pub async fn reasons(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.store.newest("reason".into(), 20).await?)
    }

    /// Files that recipients were read from, newest first.
    pub async fn files(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.store.newest(self.core.store.kind_of_files(), 20).await?)
    }

    /// Offers files of recipients as recently used, in this order.
    pub async fn offer_files(&self, files: &[std::path::PathBuf]) -> Result<(), JobError> {
        if files.is_empty() {
            return Ok(());
        }
        let now = self.core.moment().0.as_second();
        let kind = self.core.store.kind_of_files();
        let files = (0_i64..)
            .zip(files)
            .map(|(n, file)| KeptFact::of(kind.clone(), &file.to_string_lossy(), now - n));
        Ok(self.core.store.keep(files.collect()).await?)
    }

    /// Ignores the schedule. `None` polls everything that is open. Returns when the poll is complete.
    pub async fn poll_now(&self, job: Option<JobId>) -> PollResult {
        self.poll(|asked| {
            asked.all |= job.is_none();
            asked.jobs.extend(job);
        })
        .await
    }

    /// Polls by the schedule, for programs that run now and then. Returns when the poll is complete.
    pub async fn poll_due(&self) -> PollResult {
        self.poll(|asked| asked.due = true).await
    }

    async fn poll(&self, ask: impl FnOnce(&mut RequestedPolls)) -> PollResult {
        let (done, polled) = tokio::sync::oneshot::channel();
        {
            let mut asked = lock(&self.core.asked);
            ask(&mut asked);
            asked.done.push(done);
        }
        self.core.wake.notify_one();
        polled.await.unwrap_or_default()
    }

    /// Waits until all answers for this job are in the journal and nothing more can be sent now. Rows may
    /// still be [`super::RowStatus::Ready`]: the job has stopped, or a request to the same address is in
    /// doubt.
    pub async fn sent(&self, id: JobId) {
        send::idle(&self.core, id).await;
    }

    /// Answers that were not recorded when the jobs were closed never will be: their rows are in doubt.
    pub fn open_answers(&self) -> OpenAnswers {
        self.core.senders.answers.borrow().clone()
    }

    /// SQLite's integrity messages about the journal file; empty if the file is intact.
    pub async fn check_journal(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.store.check().await?)
    }

    /// Removes names, addresses and cells of finished jobs older than `days`. Numbers and badge ids remain.
    pub async fn purge(&self, days: u32) -> Result<Vec<JobId>, JobError> {
        let purged = self.core.journal.purge(&self.core.account, days).await?;
        for id in &purged {
            self.core.changed(*id, []);
        }
        Ok(purged)
    }

    /// Sends nothing new, waits for requests on their way, and releases every job. After the last answer, a journal that
    /// refuses to record hardly delays the end, and one that says nothing delays it for a limited time.
    pub async fn close(&self) {
        self.core.closing.cancel();
        self.core.journal.reconnect.begin_last_writes();
        let closing = self.core.close();
        tokio::pin!(closing);
        tokio::select! {
            biased;
            () = &mut closing => return,
            () = self.core.answered() => {}
        }
        if tokio::time::timeout(LAST_WRITES, closing).await.is_err() {
            tracing::warn!("the journal did not take the last writes in time");
            self.core.ending.cancel();
        }
    }
}

impl JobsCore {
    /// Waits until no request is on its way to the service.
    async fn answered(&self) {
        let mut answers = self.senders.answers.subscribe();
        let _ = answers.wait_for(|open| open.awaited == 0).await;
    }

    async fn close(&self) {
        send::stop_all(self).await;
        self.ending.cancel();
        let follower = lock(&self.follower).take();
        if let Some(follower) = follower {
            // A follower that panicked has ended, too.
            let _ = follower.await;
        }
        let _ = self.keep_least_offset().await;
        let failed = lock(&self.troubles).iter().map(|(id, why)| (*id, Reason::from(why))).collect();
        let _ = self.store.release(self.me(), failed).await;
    }

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
    async fn recall_offset(&self) -> Result<(), JournalError> {
        let since = self.moment().0.as_second() - facts::RECALLED.as_secs();
        let mut found = self.store.facts(self.account.of_facts()).await?;
        found.retain(|fact| fact.last >= since);
        found.sort_by_key(|fact| std::cmp::Reverse(fact.last));
        let seen = found.iter().map(|fact| (fact.name.as_str(), fact.value.as_str()));
        if let Some(known) = facts::known_offset(seen) {
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
        self.learn(vec![FactObservation::once(LEAST_OFFSET, &offset, Code::ReadInBadges)]).await
    }

    /// Removes personal data of jobs that finished `keep_days` ago, if that is set.
    async fn forget_old(&self) -> Result<(), JournalError> {
        let Some(days) = self.settings.keep_days else { return Ok(()) };
        if self.journal.reads_only {
            return Ok(());
        }
        self.journal.purge(&self.account, days).await.map(drop)
    }

    pub(super) async fn learn_filters(&self, scan: &HistoryScan<'_>) -> Result<(), JournalError> {
        let observed: Vec<FactObservation> = scan.observed_behavior().collect();
        if observed.is_empty() {
            return Ok(());
        }
        self.learn(observed).await
    }

    pub(super) async fn learn(&self, seen: Vec<FactObservation>) -> Result<(), JournalError> {
        if self.journal.reads_only {
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

    pub(super) fn trouble_of(&self, id: JobId) -> Option<JournalError> {
        lock(&self.troubles).get(&id).cloned()
    }
}

/// The filter for a job that no process sends: its requests are in doubt, even before a takeover. `None` if no row is
/// left.
fn of_abandoned(mut filter: RowFilter) -> Option<RowFilter> {
    if filter.row_statuses.contains(&RowStatus::InDoubt) {
        filter.row_statuses.retain(|row_status| *row_status != RowStatus::Sending);
        let behind = 1 + filter
            .row_statuses
            .iter()
            .take_while(|row_status| **row_status != RowStatus::InDoubt)
            .count();
        filter.row_statuses.insert(behind, RowStatus::Sending);
    } else if filter.row_statuses == [RowStatus::Sending] {
        return None;
    }
    Some(filter)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Many changes between two receives give one snapshot per job.
async fn tell(core: Arc<JobsCore>, changed: mpsc::Sender<JobChange>) {
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
