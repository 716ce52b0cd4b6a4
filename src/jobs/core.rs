//! What everything in this room shares: the connection, the journal, and who wants to know.

use super::error::JobError;
use super::history_scan::{Lesson, Scan};
use super::job::{Changed, Job, JobId, JobRow, Phase, RowStatus, Stop, StopKind, Touched};
use super::journal::facts::{self, Fact};
use super::journal::rows::{self, RowFilter, SentHere};
use super::journal::{self, Account, Journal, JournalError, accounts, jobs, purge, requests};
use super::reason::{Code, Reason};
use super::settings::Settings;
use super::{follow, send};
use crate::api::{Access, Reader, Writer};
use crate::domain::BadgeId;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the zone of the service's times is believed without being seen again.
const RECALLED: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Jobs listed at most.
const MOST_JOBS: usize = 10_000;

/// Where plans are handed in, and jobs are watched and steered. Clones share everything; the work ends with
/// [`Jobs::close`], or with the last of them.
#[derive(Clone)]
pub struct Jobs {
    pub(super) core: Arc<Core>,
    _last: Arc<Last>,
}

/// Ends the work when the last handle is dropped.
struct Last(CancellationToken);

impl Drop for Last {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

pub(super) struct Core {
    pub(super) access: Access,
    pub(super) journal: Journal,
    pub(super) account: Account,
    pub(super) settings: Settings,
    /// Jobs that have changed since somebody was told.
    dirty: Mutex<BTreeMap<JobId, Vec<Touched>>>,
    news: Notify,
    /// Wakes the follower.
    pub(super) wake: Notify,
    /// Jobs that somebody wants to be looked at now.
    pub(super) asked: Mutex<Asked>,
    /// Told whenever a job's task has ended.
    pub(super) idle: Notify,
    pub(super) senders: Mutex<HashMap<JobId, send::Sender>>,
    /// How many badges of a template the service counted as issued, at the last look.
    pub(super) counts: Mutex<HashMap<crate::domain::TemplateId, u64>>,
    /// What could not even be written into the journal.
    troubles: Mutex<HashMap<JobId, JournalError>>,
    /// Nothing new is begun any more.
    pub(super) closing: CancellationToken,
    pub(super) ending: CancellationToken,
    /// Waited for before the jobs are let go of: it would take them back.
    follower: Mutex<Option<JoinHandle<()>>>,
}

/// What somebody wants to be looked at.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) all: bool,
    /// Only what is due by the service's clock.
    pub(super) due: bool,
    pub(super) jobs: HashSet<JobId>,
    /// Told when the look is over.
    pub(super) done: Vec<tokio::sync::oneshot::Sender<Looked>>,
}

/// What came of a look that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Jobs that had something to look for.
    pub jobs: usize,
    /// Why some could not be looked at.
    pub failed: Option<String>,
    /// Whether everything was read that could hold a badge in doubt.
    pub complete: bool,
}

impl Jobs {
    /// Begins: takes what nobody has over from processes that have ended, follows what is open. Snapshots of
    /// jobs arrive on the channel whenever one has changed.
    ///
    /// # Errors
    /// What is wrong with the journal. Nothing was changed then.
    pub async fn start(
        access: Access,
        journal: Journal,
        account: Account,
        settings: Settings,
    ) -> Result<(Self, mpsc::Receiver<Changed>), JournalError> {
        let ending = CancellationToken::new();
        let core = Arc::new(Core {
            access,
            journal,
            account,
            settings,
            dirty: Mutex::default(),
            news: Notify::new(),
            wake: Notify::new(),
            asked: Mutex::default(),
            idle: Notify::new(),
            senders: Mutex::default(),
            counts: Mutex::default(),
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
        Ok((Self { core, _last: Arc::new(Last(ending)) }, receiver))
    }

    /// Whether anything can be sent at all; not with a read-only profile.
    pub fn can_send(&self) -> bool {
        self.core.access.writer().is_some()
    }

    /// How jobs work here.
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// Where the journal is, for people.
    pub fn journal_place(&self) -> &str {
        self.core.journal.place()
    }

    /// All jobs of this profile's service and key, the newest first; drafts are not among them.
    pub async fn list(&self) -> Result<Vec<Job>, JobError> {
        let (account, me) = (self.core.account.clone(), self.core.me());
        let found = self.core.journal.read(move |db| jobs::list(db, &account, &me, false, MOST_JOBS)).await?;
        let abandoned = self.core.abandoned().await?;
        Ok(found.into_iter().map(|job| self.core.as_it_is(job, &abandoned)).collect())
    }

    /// One job.
    ///
    /// # Errors
    /// [`JobError::NotPossible`] when this profile has none of this number.
    pub async fn job(&self, id: JobId) -> Result<Job, JobError> {
        self.core.job(id).await
    }

    /// Rows of a job, at most `most`, in the order that the filter says.
    pub async fn rows(&self, id: JobId, filter: RowFilter, most: usize) -> Result<Vec<JobRow>, JobError> {
        let window = self.core.settings.doubt_window.as_secs();
        if !self.core.abandoned().await?.contains(&id) {
            return Ok(self.core.journal.read(move |db| rows::page(db, id, &filter, most, window)).await?);
        }
        // Nobody sends it: what was on its way is in doubt, before anybody has taken it over.
        let mut filter = filter;
        if filter.buckets.contains(&RowStatus::InDoubt) {
            filter.buckets.push(RowStatus::Sending);
        } else if filter.buckets == [RowStatus::Sending] {
            return Ok(Vec::new());
        }
        let mut found = self.core.journal.read(move |db| rows::page(db, id, &filter, most, window)).await?;
        for row in found.iter_mut().filter(|row| row.bucket == RowStatus::Sending) {
            row.bucket = RowStatus::InDoubt;
            row.why = Some(Code::Lost.into());
        }
        Ok(found)
    }

    /// The place of the row that people know by a number: its line in the file, or its place where there is no
    /// file. See [`JobRow::number`].
    ///
    /// # Errors
    /// When no row of the job has this number.
    pub async fn place_of(&self, id: JobId, number: u64) -> Result<u64, JobError> {
        self.core.job(id).await?;
        let found = move |db: &rusqlite::Connection| {
            Ok((rows::place_of(db, id, number)?, rows::numbers(db, id)?.unwrap_or_default()))
        };
        let (place, (first, last)) = self.core.journal.read(found).await?;
        place.ok_or_else(|| {
            JobError::no(t!(
                "Job {id} has no row {number}: its rows are {first} to {last}. Nothing was changed.",
                id,
                number,
                first,
                last
            ))
        })
    }

    /// What the service has shown of itself.
    pub async fn facts(&self) -> Result<Vec<Fact>, JobError> {
        let account = self.core.account.key.clone();
        Ok(self.core.journal.read(move |db| facts::all(db, &account)).await?)
    }

    /// The badge of an id that a job of this service and key has sent, as far as the journal knows.
    pub async fn sent_badge(&self, badge: &BadgeId) -> Result<Vec<SentHere>, JobError> {
        Ok(self.core.journal.sent_badge(&self.core.account, badge).await?)
    }

    /// What was sent to an address and was not seen to be issued, the newest first.
    pub async fn sent_to(&self, email: &str) -> Result<Vec<SentHere>, JobError> {
        Ok(self.core.journal.sent_to(&self.core.account, email).await?)
    }

    /// Reasons of earlier revocations, the newest first.
    pub async fn reasons(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.journal.read(|db| facts::newest(db, "reason", 20)).await?)
    }

    /// Files that recipients were read from, the newest first.
    pub async fn files(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.journal.read(|db| facts::newest(db, "file", 20)).await?)
    }

    /// Offers files of recipients, the first one first, as if they had been used before.
    ///
    /// # Errors
    /// When the journal cannot be used.
    pub async fn offer_files(&self, files: &[std::path::PathBuf]) -> Result<(), JobError> {
        if files.is_empty() {
            return Ok(());
        }
        let files: Vec<String> = files.iter().map(|f| f.to_string_lossy().into_owned()).collect();
        let now = self.core.moment().0.as_second();
        let offer = move |db: &rusqlite::Transaction<'_>| {
            (0_i64..).zip(&files).try_for_each(|(n, file)| facts::keep(db, "file", file, file, now - n))
        };
        Ok(self.core.journal.write("keep", offer).await?)
    }

    /// Looks now at a job, or at everything that is open, whatever the schedule says; comes back when that is
    /// done.
    pub async fn look_now(&self, job: Option<JobId>) -> Looked {
        let (done, told) = tokio::sync::oneshot::channel();
        {
            let mut asked = lock(&self.core.asked);
            match job {
                Some(id) => {
                    asked.jobs.insert(id);
                }
                None => asked.all = true,
            }
            asked.done.push(done);
        }
        self.core.wake.notify_one();
        told.await.unwrap_or_default()
    }

    /// Waits until nothing of a job is on its way and nothing more of it can be sent now: every answer is in
    /// the journal. What cannot be sent may still be [`super::RowStatus::Ready`]: the job has stopped, or an
    /// earlier request to the same address is in doubt.
    pub async fn sent(&self, id: JobId) {
        send::idle(&self.core, id).await;
    }

    /// What is wrong with the journal's file, in the words of SQLite; nothing when it is whole.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub async fn check_journal(&self) -> Result<Vec<String>, JobError> {
        Ok(self.core.journal.read(journal::check).await?)
    }

    /// Looks at what is due by the service's clock, as the schedule says; comes back when that is done. For a
    /// program that runs now and then.
    pub async fn look_due(&self) -> Looked {
        let (done, told) = tokio::sync::oneshot::channel();
        {
            let mut asked = lock(&self.core.asked);
            asked.due = true;
            asked.done.push(done);
        }
        self.core.wake.notify_one();
        told.await.unwrap_or_default()
    }

    /// Removes names, addresses and cells of finished jobs that are older than so many days; numbers and badge
    /// ids stay.
    pub async fn purge(&self, days: u32) -> Result<Vec<JobId>, JobError> {
        let before = Timestamp::now().as_millisecond() - i64::from(days) * 86_400_000;
        let account = self.core.account.key.clone();
        let purged =
            self.core.journal.write("purge", move |db| purge::purge(db, before, Some(&account))).await?;
        for id in &purged {
            self.core.changed(*id, []);
        }
        Ok(purged)
    }

    /// Ends in good order: nothing new is sent, what is on its way is waited for, and every job is let go of.
    /// What was not sent waits to be resumed.
    pub async fn close(&self) {
        self.core.closing.cancel();
        send::stop_all(&self.core).await;
        self.core.ending.cancel();
        let follower = lock(&self.core.follower).take();
        if let Some(follower) = follower {
            // One that has panicked has ended, too.
            let _ = follower.await;
        }
        let me = self.core.me();
        let _ = self
            .core
            .journal
            .write("let go", move |db| {
                requests::interrupt(db, &me, &Code::Closed.into())?;
                jobs::let_go(db, &me)
            })
            .await;
    }
}

impl Core {
    pub(super) fn reader(&self) -> &Reader {
        self.access.reader()
    }

    /// The writing half.
    ///
    /// # Errors
    /// With a read-only profile.
    pub(super) fn writer(&self) -> Result<&Writer, JobError> {
        self.access
            .writer()
            .ok_or_else(|| JobError::no(t!("This profile is read-only: nothing can be sent with it.")))
    }

    /// Whether something may be planned: where it can be sent, and in a copy of the journal, which is gone before
    /// anything could be.
    ///
    /// # Errors
    /// With a read-only profile.
    pub(super) fn planner(&self) -> Result<(), JobError> {
        if self.journal.is_copy() { Ok(()) } else { self.writer().map(|_| ()) }
    }

    pub(super) fn me(&self) -> String {
        self.journal.my_id().to_owned()
    }

    /// The service's now, and whether it is by its own clock.
    pub(super) fn moment(&self) -> (Timestamp, bool) {
        let clock = self.reader().clock();
        (clock.utc(), clock.is_heard())
    }

    pub(super) async fn job(&self, id: JobId) -> Result<Job, JobError> {
        let me = self.me();
        let found = self.journal.read(move |db| jobs::load(db, id, &me)).await?;
        let abandoned = match &found {
            Some(job) if job.owner.as_ref().is_some_and(|owner| !owner.is_me) => self.abandoned().await?,
            _ => HashSet::new(),
        };
        found.map(|job| self.as_it_is(job, &abandoned)).ok_or_else(|| {
            JobError::no(t!("There is no job {id} in the journal ({file}).", id, file = self.journal.place()))
        })
    }

    /// A job of this process, which alone may act on it.
    pub(super) async fn my_job(&self, id: JobId) -> Result<Job, JobError> {
        let job = self.job(id).await?;
        match &job.owner {
            Some(owner) if owner.is_me => Ok(job),
            Some(owner) => Err(JobError::no(t!(
                "Job {id} belongs to another lapel that is running ({owner}). Nothing was changed. Use that one, or end it first.",
                id,
                owner = owner.label
            ))),
            None if job.phase == Phase::Moved => Err(JobError::no(t!(
                "Job {id} goes on on another computer. Nothing was changed. {note}",
                id,
                note = job.note.as_ref().map(ToString::to_string).unwrap_or_default()
            ))),
            None => Err(JobError::no(t!(
                "Job {id} was planned for another key or service (profile {profile}). Nothing was changed. Use that profile.",
                id,
                profile = job.profile
            ))),
        }
    }

    /// The same, where rows of it are to be sent.
    ///
    /// # Errors
    /// With a read-only profile, too, and when its names and addresses were removed.
    pub(super) async fn my_job_to_send(&self, id: JobId) -> Result<Job, JobError> {
        self.writer()?;
        let job = self.my_job(id).await?;
        if job.is_purged {
            return Err(JobError::no(t!(
                "The names and addresses of job {id} were removed, so nothing of it can be sent. Nothing was changed. Issue from the file again.",
                id
            )));
        }
        Ok(job)
    }

    /// Keys of one organisation are of one account.
    async fn join_account(&self) -> Result<(), JournalError> {
        if self.access.writer().is_none() {
            return Ok(());
        }
        let account = self.account.clone();
        let known = account.clone();
        if self.journal.read(move |db| accounts::is_joined(db, &known)).await? {
            return Ok(());
        }
        self.journal.write("account", move |db| accounts::join(db, &account).map(drop)).await
    }

    /// Takes over what nobody living has.
    pub(super) async fn take_over(&self) -> Result<(), JournalError> {
        if self.access.writer().is_none() {
            return Ok(());
        }
        let (account, me) = (self.account.clone(), self.me());
        let (a, m) = (account.clone(), me.clone());
        let others = self.journal.read(move |db| jobs::other_owners(db, &a, &m)).await?;
        let all = others.len();
        let living = self.journal.living(others).await?;
        let (a, m) = (account.clone(), me.clone());
        if living.len() == all && !self.journal.read(move |db| jobs::has_orphans(db, &a, &m)).await? {
            return Ok(());
        }
        let (now, _) = self.moment();
        let label = self.journal.my_label().to_owned();
        let taken = self
            .journal
            .write("take over", move |db| {
                let taken = jobs::take_over(db, &account, (&me, &label), &living)?;
                requests::recover(db, &taken, now.as_second())?;
                jobs::discard_orphans(db, &account, &living, &me)?;
                Ok(taken)
            })
            .await?;
        for id in taken {
            self.changed(id, []);
        }
        Ok(())
    }

    /// Reads the service's times in the zone that they were seen in, if that is not long ago: zones change in
    /// spring and autumn.
    async fn recall_offset(&self) -> Result<(), JournalError> {
        let account = self.account.key.clone();
        let since = self.moment().0.as_second() - RECALLED.as_secs();
        let facts = self.journal.read(move |db| facts::all(db, &account)).await?;
        let newest =
            facts.iter().filter(|f| f.name == "utc_offset" && f.last >= since).max_by_key(|f| f.last);
        if let Some(offset) = newest.and_then(|f| crate::domain::time::read_offset(&f.value)) {
            self.reader().recall_offset(offset);
        }
        Ok(())
    }

    /// Removes the personal data of jobs that have been finished for long, where the settings say so.
    async fn forget_old(&self) -> Result<(), JournalError> {
        let Some(days) = self.settings.keep_days else { return Ok(()) };
        let before = Timestamp::now().as_millisecond() - i64::from(days) * 86_400_000;
        let account = self.account.key.clone();
        self.journal.write("purge", move |db| purge::purge(db, before, Some(&account))).await?;
        Ok(())
    }

    /// Looks after jobs of other processes: takes over those whose owner has ended or has let go, and tells of
    /// what has changed. Whether there are such processes now; `None` when there can be none.
    pub(super) async fn neighbours(&self, version: &mut i64) -> Option<bool> {
        if !self.journal.is_shared() {
            return None;
        }
        let (account, me) = (self.account.clone(), self.me());
        let found = self
            .journal
            .read(move |db| {
                let version: i64 = db.query_row("PRAGMA data_version", [], |r| r.get(0))?;
                Ok((jobs::other_owners(db, &account, &me)?, version))
            })
            .await;
        let Ok((others, now)) = found else { return Some(true) };
        if *version != now {
            *version = now;
            let (account, me) = (self.account.clone(), self.me());
            let theirs = self.journal.read(move |db| jobs::of_others(db, &account, &me)).await;
            for id in theirs.unwrap_or_default() {
                self.changed(id, []);
            }
        }
        // A journal that is busy now is looked at again soon.
        let _ = self.take_over().await;
        Some(!others.is_empty())
    }

    /// Keeps what a scan has shown of the service's filters.
    pub(super) async fn learn_filters(&self, scan: &Scan<'_>) -> Result<(), JournalError> {
        let lessons: Vec<Lesson> = scan.lessons().collect();
        if lessons.is_empty() {
            return Ok(());
        }
        let (account, now) = (self.account.key.clone(), self.moment().0.as_second());
        self.journal
            .write("fact", move |db| {
                lessons.into_iter().try_for_each(|lesson| {
                    let (name, value, evidence) = lesson.fact();
                    facts::learn(db, &account, name, value, evidence, now, 1)
                })
            })
            .await
    }

    /// Somebody will be told how a job stands now.
    pub(super) fn changed(&self, id: JobId, touched: impl IntoIterator<Item = Touched>) {
        let mut dirty = lock(&self.dirty);
        let all = dirty.entry(id).or_default();
        let room = Changed::MOST.saturating_sub(all.len());
        all.extend(touched.into_iter().take(room));
        drop(dirty);
        self.news.notify_one();
    }

    /// Something could not be written into the journal: it is shown all the same.
    pub(super) fn trouble(&self, id: JobId, why: &JournalError) {
        lock(&self.troubles).insert(id, why.clone());
        self.changed(id, []);
    }

    /// Writing works again.
    pub(super) fn no_trouble(&self, id: JobId) {
        lock(&self.troubles).remove(&id);
    }

    /// Jobs whose process has ended without letting go of them, and which nobody has taken over yet.
    async fn abandoned(&self) -> Result<HashSet<JobId>, JournalError> {
        let (account, me) = (self.account.clone(), self.me());
        let others = self.journal.read(move |db| jobs::other_owners(db, &account, &me)).await?;
        if others.is_empty() {
            return Ok(HashSet::new());
        }
        let living = self.journal.living(others).await?;
        let (account, me) = (self.account.clone(), self.me());
        let found = self.journal.read(move |db| jobs::not_of(db, &account, &living, &me)).await?;
        Ok(found.into_iter().collect())
    }

    /// A snapshot as things are: not as a process left them that is gone.
    fn as_it_is(&self, mut job: Job, abandoned: &HashSet<JobId>) -> Job {
        if abandoned.contains(&job.id) {
            if let Some(owner) = &mut job.owner {
                owner.is_alive = false;
            }
            job = job.into_abandoned();
        }
        self.with_trouble(job)
    }

    /// What could not be written into the journal stands in the snapshot all the same: nothing more of such a
    /// job is sent until the journal can be written again.
    fn with_trouble(&self, mut job: Job) -> Job {
        if let Some(trouble) = lock(&self.troubles).get(&job.id) {
            let why = Reason::from(trouble);
            job.note = Some(why.clone());
            if job.phase == Phase::Running {
                job.phase = Phase::Stopped;
                job.stop = Some(Stop { kind: StopKind::Journal, why });
            }
        }
        job
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A row for [`Changed::touched`].
pub(super) fn touched(badge_id: &crate::domain::BadgeId, bucket: RowStatus) -> Touched {
    Touched { badge_id: badge_id.clone(), bucket }
}

/// Tells how jobs stand. However fast they change, each is told once per reading.
async fn tell(core: Arc<Core>, changed: mpsc::Sender<Changed>) {
    loop {
        let next = lock(&core.dirty).pop_first();
        match next {
            Some((id, touched)) => {
                if let Ok(job) = core.job(id).await
                    && changed.send(Changed { job, touched }).await.is_err()
                {
                    return;
                }
            }
            None => tokio::select! {
                () = core.news.notified() => {}
                () = core.ending.cancelled() => {
                    // What changed last is told, too.
                    if lock(&core.dirty).is_empty() {
                        return;
                    }
                }
            },
        }
    }
}
