//! Resends many rows that were never seen, after one decision of a person.

use super::commands::set_free;
use super::core::Jobs;
use super::error::JobError;
use super::job::{JobId, Kind, Phase, RowStatus};
use super::journal::{claims, jobs};
use super::reason::{Code, Reason};
use super::rules::{self, Step};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// Number of rows that were sent, looked for and never seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeverSeen {
    /// Rows that can be sent again together.
    pub ready: u64,
    /// Rows that cannot: lapel still looks for them, or another row was sent to the same recipient.
    pub held: u64,
}

/// SQL condition for rows that may be sent again together: a slow service can no longer show them. `?1` is the
/// job, `?2` the latest request time that is old enough.
fn old_enough() -> String {
    let may = rules::condition(Step::ResendAll, Kind::Issue, Phase::Running);
    format!(
        "row.job = ?1 AND {may} AND (SELECT kind FROM job WHERE id = ?1) = 'issue'
         AND (SELECT intent FROM request WHERE id = row.request) <= ?2"
    )
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
            return Err(JobError::no(t!(
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
            return Err(JobError::no(t!(
                "lapel could not check the never seen rows again: {failed} Nothing was sent. Try again later.",
                failed
            )));
        }
        let latest = self.latest_intent();
        Ok(self.core.journal.read(move |db| count(db, id, latest)).await?)
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
        let (who, why, latest) = (who.to_owned(), why.to_owned(), self.latest_intent());
        let sent = if now.ready == expected && expected > 0 {
            self.core
                .journal
                .write("decide", move |db| {
                    // Checks again, since rows may have changed after the poll.
                    let rows = ready(db, id, latest)?;
                    if rows.len() as u64 != expected {
                        return Ok(false);
                    }
                    for no in rows {
                        jobs::decide(db, id, Some(no), "send again", &who, &why)?;
                        db.prepare_cached(
                            "UPDATE row SET bucket = 'ready', why = ?3, guarded = 0,
                                            allowed = coalesce(class, 'new')
                             WHERE job = ?1 AND no = ?2",
                        )?
                        .execute(params![
                            id.0,
                            no as i64,
                            Reason::from(Code::SentAgain)
                        ])?;
                    }
                    jobs::set_batch(db, id, None)?;
                    set_free(db, id, &who)?;
                    Ok(true)
                })
                .await?
        } else {
            false
        };
        if !sent {
            let now = self.never_seen(id).await?.ready;
            return Err(JobError::no(t!(
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

/// Rows that can be sent again together: no other row has served their recipients since.
fn ready(db: &Connection, id: JobId, latest: i64) -> rusqlite::Result<Vec<u64>> {
    let served: HashSet<i64> =
        claims::rivals(db, id, "row.bucket = 'not_seen'")?.into_iter().map(|(no, ..)| no).collect();
    let old: Vec<i64> = db
        .prepare(&format!("SELECT no FROM row WHERE {} ORDER BY no", old_enough()))?
        .query_map(params![id.0, latest], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(old.into_iter().filter(|no| !served.contains(no)).map(i64::unsigned_abs).collect())
}

fn count(db: &Connection, id: JobId, latest: i64) -> rusqlite::Result<NeverSeen> {
    let ready = ready(db, id, latest)?.len() as u64;
    let all = jobs::counts(db, id)?.of(RowStatus::NotSeen);
    Ok(NeverSeen { ready, held: all.saturating_sub(ready) })
}
