//! Resends many rows that were never seen, after one decision of a person.

use super::core::Jobs;
use super::error::JobError;
use super::job::JobId;
use super::journal::decisions::ResendRows;
use super::journal::jobs::Actor;
use super::rules::{self, Step};

/// Number of rows that were sent, looked for and never seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeverSeen {
    /// Rows that can be sent again together.
    pub ready: u64,
    /// Rows that cannot: lapel still looks for them, or another row was sent to the same recipient.
    pub held: u64,
}

impl Jobs {
    /// Polls a job's never seen rows once more, and counts the rows that can be sent again together.
    ///
    /// # Errors
    /// Another process owns the job, or not everything could be read.
    pub async fn never_seen(&self, id: JobId) -> Result<NeverSeen, JobError> {
        let job = self.core.my_job_to_send(id).await?;
        let waiting = rules::count(Step::Resume, &job);
        if waiting > 0 {
            return Err(JobError::no(localizable!(
                "Job {id} still has unsent rows ({n}): first resume it or cancel the rest. Nothing was sent.",
                id,
                n = waiting
            )));
        }
        let looked = self.look_now(Some(id)).await;
        let failed = looked.failed.or_else(|| {
            (!looked.complete).then(|| t!("the history changed while lapel read it.").to_owned())
        });
        if let Some(failed) = failed {
            return Err(JobError::no(localizable!(
                "lapel could not check the never seen rows again: {failed} Nothing was sent. Try again later.",
                failed
            )));
        }
        Ok(self.core.store.never_seen(id, self.latest_intent()).await?)
    }

    /// Resends every never seen row that may be resent: exactly the `expected` number that a person reviewed. The
    /// journal stores the reason with each row.
    ///
    /// # Errors
    /// The number has changed. Nothing was sent.
    pub async fn resend_never_seen(
        &self,
        id: JobId,
        expected: u64,
        who: &str,
        why: &str,
    ) -> Result<(), JobError> {
        JobError::unless_key(why)?;
        let now = self.never_seen(id).await?;
        let (actor, why, latest) = (Actor::now(who), why.to_owned(), self.latest_intent());
        let sent = now.ready == expected
            && expected > 0
            && self.core.store.resend_rows(ResendRows { id, expected, latest, actor, why }).await?;
        if !sent {
            let now = self.never_seen(id).await?.ready;
            return Err(JobError::no(localizable!(
                "You reviewed {expected} rows of job {id} to send again, but now {now} can be sent. Nothing was sent. Review them again.",
                expected,
                id,
                now
            )));
        }
        self.begun(id);
        Ok(())
    }

    /// The latest request time for which the doubt window has ended.
    fn latest_intent(&self) -> i64 {
        self.core.moment().0.as_second() - self.core.settings.doubt_window.as_secs()
    }
}
