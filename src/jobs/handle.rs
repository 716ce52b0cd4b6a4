//! The [`Jobs`] handle: starting, reading, polling and closing.

use super::batch::{RequestsNeeded, full_request};
use super::core::{JobsCore, PollResult, RequestedPolls, lock, report_changes};
use super::error::JobError;
use super::job::{Job, JobChange, JobId, JobRow};
use super::journal::behaviour::{KeptValue, ObservedBehaviour};
use super::journal::rows::RowFilter;
use super::journal::sent_here::{SentAlike, SentHere};
use super::journal::{Account, Journal, JournalError, JournalWatch, RecentLoss};
use super::reason::{Code, Reason};
use super::row_groups::RowGroup;
use super::row_status::RowStatus;
use super::senders::{OpenAnswers, Senders};
use super::settings::JobConfig;
use super::{follow, send};
use crate::api::Access;
use crate::jobs::prelude::*;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::DropGuard;

const MOST_JOBS: usize = 10_000;
/// Longest wait for the last writes to a journal that says nothing.
const LAST_WRITES: Duration = Duration::from_secs(10);

/// Plans, watches and controls jobs. The work ends with [`Jobs::close`], or when the last clone is dropped.
#[derive(Clone)]
pub struct Jobs {
    pub(super) core: Arc<JobsCore>,
    _last: Arc<DropGuard>,
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
            senders: Senders::default(),
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
        tokio::spawn(report_changes(core.clone(), changed));
        let follower = tokio::spawn(follow::run(core.clone()));
        *lock(&core.follower) = Some(follower);
        Ok((Self { core, _last: Arc::new(ending.drop_guard()) }, receiver))
    }

    /// For a team's database, which may be away.
    pub fn journal_watch(&self) -> JournalWatch {
        self.core.journal.watch()
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
        let found = self.core.store.rows_page(id, filter, most, window).await?;
        Ok(found.into_iter().map(row_of_abandoned).collect())
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

    /// A loss of writes of a team's database, for which every row to issue needs review now.
    pub async fn recent_loss(&self) -> Result<Option<RecentLoss>, JobError> {
        Ok(self.core.store.recent_loss().await?)
    }

    pub async fn observed_behaviour(&self) -> Result<Vec<ObservedBehaviour>, JobError> {
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

    /// The jobs that revoke these badges as soon as they are issued.
    pub async fn planned_revocations(
        &self,
        badges: Vec<BadgeId>,
    ) -> Result<HashMap<BadgeId, JobId>, JobError> {
        Ok(self.core.journal.planned_revocations(&self.core.account, badges).await?)
    }

    /// The domains of earlier recipients, each once, with their numbers of addresses: of the newest rows of this account's
    /// issue jobs that have begun, and those of the index. A badge sent from here is in both.
    pub async fn known_domains(&self, indexed: &[(String, u64)]) -> Result<Vec<(String, u64)>, JobError> {
        let mut domains: HashMap<String, u64> = indexed.iter().cloned().collect();
        for (domain, n) in self.core.store.domains(self.core.account.clone()).await? {
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
            .map(|(n, file)| KeptValue::of(kind.clone(), &file.to_string_lossy(), now - n));
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
        Ok(self.core.purge(days).await?)
    }

    /// Sends nothing new, waits for requests on their way, and releases every job. After the last answer, a journal that
    /// refuses to record hardly delays the end, and one that says nothing delays it for a limited time.
    pub async fn close(&self) {
        self.core.closing.cancel();
        let closing = self.core.close();
        tokio::pin!(closing);
        tokio::select! {
            biased;
            () = &mut closing => return,
            () = self.core.answered() => self.core.journal.reconnect.begin_last_writes(),
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

/// A row of a job whose lapel has ended, as after a takeover.
pub(super) fn row_of_abandoned(row: JobRow) -> JobRow {
    match row.row_status {
        RowStatus::Sending => JobRow { row_status: RowStatus::InDoubt, why: Some(Code::Lost.into()), ..row },
        _ => row,
    }
}
