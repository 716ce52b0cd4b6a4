//! Whose a job is: only its owner acts on it, and a job without a living owner is taken over.

use super::core::{JobsCore, lock};
use super::error::JobError;
use super::job::{Job, JobId, Phase, Stop, StopKind};
use super::journal::JournalError;
use super::journal::jobs::SeenJob;
use super::reason::Reason;
use crate::jobs::prelude::*;

impl JobsCore {
    pub(super) async fn find_job(&self, id: JobId) -> Result<Option<Job>, JournalError> {
        let found = self.store.job(id, self.me()).await?;
        let abandoned = match &found {
            Some(job) if !job.is_mine() || self.ending.is_cancelled() => self.abandoned().await?,
            _ => HashSet::new(),
        };
        Ok(found.map(|job| self.as_it_is(job, &abandoned)))
    }

    pub(super) async fn job(&self, id: JobId) -> Result<Job, JobError> {
        if let Some(job) = self.find_job(id).await? {
            return Ok(job);
        }
        let (file, moved) = (self.journal.place(), self.store.came_as(id).await?);
        Err(JobError::no(if moved.is_empty() {
            localizable!("There is no job {id} in the journal ({file}).", id, file)
        } else {
            localizable!(
                "There is no job {id} in the journal ({file}). In another journal, job {jobs} had this number.",
                id,
                file,
                jobs = list(moved.iter().map(ToString::to_string))
            )
        }))
    }

    /// Only the owning process may act on a job.
    pub(super) async fn my_job(&self, id: JobId) -> Result<Job, JobError> {
        let job = self.job(id).await?;
        match &job.owner {
            Some(owner) if owner.is_me => Ok(job),
            Some(owner) if owner.is_colleague && owner.is_alive && job.phase != Phase::Draft => {
                self.take_from_colleague(&job, &owner.label).await
            }
            Some(owner) => Err(JobError::no(localizable!(
                "Job {id} belongs to another running lapel ({owner}). Nothing was changed. Use that lapel, or quit it first.",
                id,
                owner = owner.label
            ))),
            // While this computer slept, a colleague's lapel may have released its drafts.
            None if job.phase == Phase::Draft => Err(JobError::no(localizable!(
                "Job {id} is a draft that is not open in this lapel. Nothing was changed. Open it on Home; if you see it, close it first.",
                id
            ))),
            None if job.phase == Phase::Moved => Err(JobError::no(localizable!(
                "Job {id} is only a record here. Nothing was changed. {note}",
                id,
                note = job.note.as_ref().map(ToString::to_string).unwrap_or_default()
            ))),
            None => Err(JobError::no(localizable!(
                "Job {id} is for another key or service (profile {profile}). Nothing was changed. Use that profile.",
                id,
                profile = job.profile
            ))),
        }
    }

    /// As [`Self::my_job`], with what must still hold when a command acts that first reads the history.
    pub(super) async fn my_job_seen(&self, id: JobId) -> Result<(Job, SeenJob), JobError> {
        // First, so that no decision after the job was read goes unnoticed.
        let decision = self.store.newest_decision().await?;
        let job = self.my_job(id).await?;
        let seen = self.seen(&job, decision);
        Ok((job, seen))
    }

    pub(super) fn seen(&self, job: &Job, decision: i64) -> SeenJob {
        let mut phases = vec![job.phase];
        // The journal may not know of this stop.
        if job.stop.as_ref().is_some_and(|stop| stop.kind == StopKind::Journal) {
            phases.push(Phase::Running);
        }
        SeenJob { owner: self.me(), phases, decision }
    }

    /// Takes a job from a colleague's process, which does not send it: the process that acts on a job follows it from then
    /// on. The journal keeps who did that.
    async fn take_from_colleague(&self, job: &Job, owner: &Reason) -> Result<Job, JobError> {
        self.writer()?;
        let now = Timestamp::now().as_millisecond();
        if self.store.take_job(job.id, self.store.process(), now).await? {
            return self.job(job.id).await;
        }
        Err(JobError::no(localizable!(
            "{owner} is sending job {id}. Nothing was changed. Pause it first.",
            id = job.id,
            owner
        )))
    }

    /// For commands that send rows.
    pub(super) async fn my_job_to_send(&self, id: JobId) -> Result<(Job, SeenJob), JobError> {
        self.writer()?;
        let (job, seen) = self.my_job_seen(id).await?;
        if job.is_purged {
            return Err(JobError::no(localizable!(
                "The names and e-mail addresses of job {id} were removed, so it cannot send anything. Nothing was changed. Issue from the file again.",
                id
            )));
        }
        Ok((job, seen))
    }

    /// All keys of one organisation share one account.
    pub(super) async fn join_account(&self) -> Result<(), JournalError> {
        if self.access.writer().is_none() {
            return Ok(());
        }
        if self.store.is_joined(self.account.clone()).await? {
            return Ok(());
        }
        self.store.join_account(self.account.clone()).await.map(drop)
    }

    /// Takes over jobs that no living process owns.
    pub(super) async fn take_over(&self) -> Result<(), JournalError> {
        if self.access.writer().is_none() {
            return Ok(());
        }
        let others = self.store.other_owners(self.account.clone(), self.me()).await?;
        let all = others.len();
        let living = self.store.living(others).await?;
        if living.len() == all && !self.store.has_orphans(self.account.clone(), self.me()).await? {
            return Ok(());
        }
        let (account, owner) = (self.account.clone(), self.store.process());
        let now = self.moment().0.as_second();
        let taken = self.store.take_over(account, owner, living, now).await?;
        for id in taken {
            self.changed(id, []);
        }
        Ok(())
    }

    /// Takes over released and abandoned jobs of other processes, and reports changes, also of kept drafts. Returns whether other
    /// processes exist now; `None` if there can be none.
    pub(super) async fn neighbours(&self, known: &mut HashMap<JobId, i64>) -> Option<bool> {
        if !self.journal.is_shared {
            return None;
        }
        let found = self.store.changes(self.account.clone(), self.me()).await;
        let Ok(found) = found else { return Some(true) };
        for (id, stamp) in &found.jobs {
            if known.get(id) != Some(stamp) {
                self.changed(*id, []);
            }
        }
        let before = std::mem::replace(known, found.jobs.into_iter().collect());
        // Moved to another journal, or lost with a restored backup.
        for id in before.keys().filter(|id| !known.contains_key(id)) {
            self.changed(*id, []);
        }
        // A busy journal is tried again soon.
        let _ = self.take_over().await;
        if self.journal.is_unsure() && self.store.recover().await.is_ok() {
            // It may have stopped a job.
            self.wake.notify_one();
        }
        Some(!found.owners.is_empty())
    }

    /// Their process ended without releasing them, or without all answers, and no process has taken them over yet.
    pub(super) async fn abandoned(&self) -> Result<HashSet<JobId>, JournalError> {
        // A journal that failed does not know that this process has let its jobs go.
        let me = if self.ending.is_cancelled() { String::new() } else { self.me() };
        let others = self.store.other_owners(self.account.clone(), me.clone()).await?;
        let mut living = if others.is_empty() { others } else { self.store.living(others).await? };
        living.retain(|owner| owner != self.store.me());
        let found = self.store.abandoned(self.account.clone(), living, me).await?;
        Ok(found.into_iter().collect())
    }

    /// A snapshot corrected for an owner that has ended.
    pub(super) fn as_it_is(&self, job: Job, abandoned: &HashSet<JobId>) -> Job {
        let mut job = self.with_trouble(job);
        if abandoned.contains(&job.id) {
            if let Some(owner) = &mut job.owner {
                owner.is_alive = false;
            }
            job = job.into_abandoned();
        }
        job
    }

    /// The journal cannot contain its own error, so only the snapshot shows it. Nothing more of the job is
    /// sent until the journal can be written again. A colleague who has taken the job over can write the journal.
    fn with_trouble(&self, mut job: Job) -> Job {
        if job.is_mine()
            && let Some(why) = lock(&self.troubles).get(&job.id).map(Reason::from)
        {
            if job.phase == Phase::Running {
                job.phase = Phase::Stopped;
                job.stop = Some(Stop { kind: StopKind::Journal, why });
            } else {
                job.trouble = Some(why);
            }
        }
        job
    }
}
