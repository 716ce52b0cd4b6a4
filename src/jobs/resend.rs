//! Decisions of a person about many rows at once: resending never seen rows, leaving rows, cancelling rows.

use super::core::JobsCore;
use super::error::JobError;
use super::handle::Jobs;
use super::job::{Job, JobId, Phase};
use super::journal::RecentLoss;
use super::journal::decisions::ResendRows;
use super::journal::jobs::{Actor, SeenJob};
use super::row_groups::NeverSeen;
use super::rules::{self, Step};
use crate::i18n::number;

impl Jobs {
    /// Polls a job's never seen rows once more, and counts the rows that can be sent again together: of these rows, or of
    /// all.
    pub async fn never_seen(&self, id: JobId, among: Option<Vec<u64>>) -> Result<NeverSeen, JobError> {
        Ok(self.never_seen_now(id, among).await?.1)
    }

    async fn never_seen_now(
        &self,
        id: JobId,
        among: Option<Vec<u64>>,
    ) -> Result<(SeenJob, NeverSeen), JobError> {
        let (job, seen) = self.core.my_job_to_send(id).await?;
        has_no_rest(&job)?;
        self.poll_now(Some(id)).await.assure_complete(|failed| {
            localizable!(
                "lapel could not check the never seen rows again: {failed} Nothing was sent. Try again later.",
                failed
            )
        })?;
        let latest = self.core.latest_intent();
        Ok((seen, self.core.store.never_seen(id, among, latest).await?))
    }

    /// Resends never seen rows: exactly those that a person reviewed. The journal stores the reason with each row.
    pub async fn resend_never_seen(
        &self,
        id: JobId,
        rows: Vec<u64>,
        who: &str,
        why: &str,
    ) -> Result<(), JobError> {
        JobError::unless_key(why)?;
        let expected = rows.len() as u64;
        let (seen, now) = self.never_seen_now(id, Some(rows.clone())).await?;
        let (actor, why, latest) = (Actor::now(who), why.to_owned(), self.core.latest_intent());
        let resend = ResendRows { id, rows: rows.clone(), latest, actor, why, seen };
        let done = if now.ready == rows && !rows.is_empty() {
            self.core.written(id, self.core.store.resend_rows(resend).await)?
        } else {
            Ok(false)
        };
        if !done.map_err(|loss| lost(&self.core, id, loss))? {
            let now = self.never_seen(id, Some(rows)).await?.ready.len();
            return Err(JobError::no(localizable!(
                "You reviewed {expected} rows of job {id} to send again, but now {now} can be sent. Nothing was sent. Review them again.",
                expected,
                id,
                now
            )));
        }
        self.core.begun(id);
        Ok(())
    }

    /// Leaves rows as they are, with a reason: a person resolved them in another way.
    pub async fn leave_rows(&self, id: JobId, rows: Vec<u64>, who: &str, why: &str) -> Result<u64, JobError> {
        self.core.writer()?;
        JobError::unless_key(why)?;
        self.core.my_job(id).await?;
        let all = rows.len() as u64;
        let (actor, why) = (Actor::now(who), why.to_owned());
        let left = self.core.store.leave_rows(id, rows, actor, why, self.core.me()).await?;
        self.core.changed(id, []);
        if left.is_err() {
            return Err(JobError::no(localizable!(
                "Some of these rows of job {id} have nothing to resolve any more. Nothing was changed. Mark the rows again.",
                id
            )));
        }
        self.core.wake.notify_one();
        Ok(all)
    }

    /// Cancels rows of a paused or stopped job before they are sent.
    ///
    /// # Errors
    /// The job is sending, there are no rows, or one of them was sent, may have been sent, or needs no cancelling. No
    /// row was cancelled. Rows of a refusal that could not be proven may be in doubt now.
    pub async fn cancel_rows(&self, id: JobId, rows: Vec<u64>, who: &str) -> Result<u64, JobError> {
        let job = self.core.my_job(id).await?;
        if !matches!(job.phase, Phase::Paused | Phase::Stopped) {
            return Err(JobError::no(localizable!(
                "Job {id} ({state}): single rows can be cancelled while the job is paused or stopped. Nothing was changed.",
                id,
                state = job.state()
            )));
        }
        // The rows of an uncertain refusal may exist, and then stay in doubt.
        let _ = self.prove_refusal(id).await;
        let (all, kind, actor) = (rows.len() as u64, job.kind, Actor::now(who));
        let cancelled = self.core.store.cancel_rows(id, kind, rows, actor, self.core.me()).await?;
        self.core.changed(id, []);
        if !cancelled {
            return Err(JobError::no(localizable!(
                "Some of these rows of job {id} cannot be cancelled: they were sent, or may have been. No row was cancelled.",
                id
            )));
        }
        Ok(all)
    }
}

impl JobsCore {
    /// The latest request time for which the doubt window has ended.
    fn latest_intent(&self) -> i64 {
        self.moment().0.as_second() - self.settings.doubt_window.as_secs()
    }
}

/// Nothing is sent before a person knows of a loss of writes. The same command sends the rows then.
pub(super) fn lost(core: &JobsCore, id: JobId, loss: RecentLoss) -> JobError {
    core.changed(id, []);
    let clock = core.reader().clock();
    JobError::NeedsReview(localizable!(
        "{loss} Nothing was sent. If nobody has sent these badges, do the same again.",
        loss = loss.with_times(&|at| clock.short(at))
    ))
}

/// Refuses a decision that would send the unsent rows of the job, too.
pub(super) fn has_no_rest(job: &Job) -> Result<(), JobError> {
    let waiting = rules::count(Step::Resume, job);
    if waiting > 0 {
        return Err(JobError::no(localizable!(
            "Job {id} still has unsent rows ({n}): first resume it or cancel the rest. Nothing was sent.",
            id = job.id,
            n = number(waiting)
        )));
    }
    Ok(())
}
