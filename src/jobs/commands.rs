//! What a person does with a job: begin, pause, resume, correct a row, decide about one, send again.

use super::apply_observation;
use super::core::{Core, Jobs};
use super::duplicate_check::{self, DuplicateKind, Guarding};
use super::error::JobError;
use super::files;
use super::intake::{Finding, check_person};
use super::job::{Job, JobId, Kind, Phase, RowStatus, StopKind};
use super::journal::claims::{self, Rival};
use super::journal::{jobs, requests, rows};
use super::reason::{Code, Reason};
use super::rules::{self, Claim, Stand, Step};
use super::send;
use crate::domain::BadgeId;
use crate::secrets::redact;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Entries of a request that is retried after the service had refused a larger one.
const SMALLER: i64 = 10;

/// What a person decides about one row that was sent and about which lapel cannot tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is this badge.
    IsThis(BadgeId),
    /// It is settled otherwise; nothing more is done about it.
    LeaveOut,
    /// It is sent again: the person says that the first one did nothing, or accepts two.
    SendAgain,
}

/// What was opened that shows a name and an address which were masked before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// A possible match for an address or a name.
    Match,
    /// The wallet of the holder of this badge, whose id was given.
    WalletOf(BadgeId),
}

impl Jobs {
    /// Begins a reviewed draft. What the guard read is read again if it is old; if that changes what would be
    /// sent, nothing is begun and the draft is to be reviewed once more.
    ///
    /// # Errors
    /// With a read-only profile; when the review is not valid any more; when nothing is left to be sent.
    pub async fn begin(&self, id: JobId, who: &str) -> Result<(), JobError> {
        self.core.writer()?;
        let job = self.core.my_job(id).await?;
        if job.phase != Phase::Draft {
            return Err(JobError::no(t!("Job {id} was begun before. Nothing was changed.", id)));
        }
        let before = self.ready_rows(id).await?;
        if let Some(now) = self.read_again(&job).await?
            && self.ready_rows(id).await? != before
        {
            return Err(JobError::no(t!(
                "Things have changed since the review: {rows}. Nothing was sent. Look through it again.",
                rows = shares(&now)
            )));
        }
        let open = job.counts.of(RowStatus::Ready) + job.counts.of(RowStatus::Queued);
        if open == 0 {
            return Err(JobError::no(t!(
                "Job {id} has nothing to send: {rows}. Nothing was sent.",
                id,
                rows = shares(&job)
            )));
        }
        let (who, policies) = (who.to_owned(), self.core.settings.policies.clone());
        self.core
            .journal
            .write("begin", move |db| {
                db.execute(
                    "UPDATE row SET bucket = 'left_out',
                                    why = CASE WHEN why IS NULL THEN ?2
                                               ELSE json_set(?2, '$.args', json_object('why', json(why))) END
                     WHERE job = ?1 AND bucket = 'ask'",
                    params![id.0, Reason::from(Code::NotAllowed)],
                )?;
                duplicate_check::allow_by_setting(db, id, &policies)?;
                jobs::decide(db, id, None, "begin", &who, "")?;
                set_free(db, id, &who)
            })
            .await?;
        self.begun(id);
        Ok(())
    }

    /// Pauses a job before its next request.
    ///
    /// # Errors
    /// When the job is not this process's, or does not run.
    pub async fn pause(&self, id: JobId) -> Result<(), JobError> {
        let job = self.core.my_job(id).await?;
        if !job.can_pause() {
            return Err(JobError::no(t!("Job {id} is not sending anything. Nothing was changed.", id)));
        }
        self.core.journal.write("pause", move |db| jobs::set_phase(db, id, Phase::Paused)).await?;
        send::pause(&self.core, id);
        self.core.changed(id, []);
        Ok(())
    }

    /// Notes that somebody has seen a name and an address that were masked: when, who, and with whose key. Neither
    /// the address nor the name is noted. Also where nothing may be sent.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn note_opening(&self, what: &Opening, who: &str) -> Result<(), JobError> {
        let (who, account) = (who.to_owned(), &self.core.account.key);
        let (what, why) = match what {
            Opening::Match => ("open a possible match", account.clone()),
            Opening::WalletOf(id) => ("open the wallet of a badge id", format!("{account} {}", id.wire())),
        };
        // It is about no job.
        let note = move |db: &rusqlite::Transaction<'_>| {
            jobs::decide(db, JobId(0), None, what, &who, &why).map(drop)
        };
        self.core.journal.write("note", note).await?;
        Ok(())
    }

    /// Lets a job that was paused or has stopped go on. After a refusal that may have been the quota, it is
    /// first looked whether anything of the refused request is there after all; what the guard read is read
    /// again if it is old.
    ///
    /// # Errors
    /// When the job is not this process's or cannot go on, or when a look that has to come first failed.
    pub async fn resume(&self, id: JobId, who: &str) -> Result<(), JobError> {
        let job = self.core.my_job_to_send(id).await?;
        if !matches!(job.phase, Phase::Paused | Phase::Stopped) {
            return Err(JobError::no(t!(
                "Job {id} is {state}; only one that was paused or has stopped can be resumed. Nothing was changed.",
                id,
                state = job.phase.word()
            )));
        }
        let before = self.before(&job).await?;
        self.prove_refusal(id).await?;
        self.same_or_fewer(&job, before).await?;
        let who = who.to_owned();
        self.core
            .journal
            .write("decide", move |db| {
                jobs::set_batch(db, id, None)?;
                jobs::decide(db, id, None, "resume", &who, "")?;
                set_free(db, id, &who)
            })
            .await?;
        self.begun(id);
        Ok(())
    }

    /// After a stop at the quota: uses up what is left of it with ever smaller requests, each only after it is
    /// proven that the one before did nothing. Comes back at once; the job shows how it goes.
    ///
    /// # Errors
    /// When the job did not stop at the quota, or a look that has to come first failed.
    pub async fn use_up_quota(&self, id: JobId, who: &str) -> Result<(), JobError> {
        self.begin_using_up(id, who).await?;
        tokio::spawn(halve(self.clone(), id, who.to_owned()));
        Ok(())
    }

    /// The same, and comes back when the quota is used up, or nothing is left to be sent.
    ///
    /// # Errors
    /// As [`Jobs::use_up_quota`].
    pub async fn use_up_quota_to_its_end(&self, id: JobId, who: &str) -> Result<(), JobError> {
        self.begin_using_up(id, who).await?;
        halve(self.clone(), id, who.to_owned()).await;
        Ok(())
    }

    async fn begin_using_up(&self, id: JobId, who: &str) -> Result<(), JobError> {
        let job = self.core.my_job_to_send(id).await?;
        if job.stop.as_ref().is_none_or(|s| s.kind != StopKind::Quota) {
            return Err(JobError::no(t!("Job {id} did not stop at the quota. Nothing was changed.", id)));
        }
        let rows = self.core.journal.read(move |db| refused_rows(db, id)).await?;
        let before = self.before(&job).await?;
        if self.prove_refusal(id).await? == Refusal::NotProvable {
            return Err(JobError::no(t!(
                "{why} Nothing more was sent.",
                why = Reason::from(Code::NotProvable)
            )));
        }
        self.same_or_fewer(&job, before).await?;
        let who = who.to_owned();
        self.core
            .journal
            .write("decide", move |db| {
                jobs::decide(db, id, None, "use up the quota", &who, "")?;
                jobs::set_batch(db, id, Some((rows / 2).max(1)))?;
                set_free(db, id, &who)
            })
            .await?;
        self.begun(id);
        Ok(())
    }

    /// Sends rows again that the service refused: certainly nothing was done for them. They go in smaller
    /// requests, so that one bad row does not hold up the others. Says how many are sent; the others need review.
    /// After a refusal that may have been the quota, it is looked first as in [`Jobs::resume`].
    ///
    /// # Errors
    /// When the job is not this process's, nothing of it was refused, or a look that has to come first failed.
    pub async fn retry_refused(&self, id: JobId, who: &str) -> Result<u64, JobError> {
        let job = self.core.my_job_to_send(id).await?;
        self.prove_refusal(id).await?;
        self.read_again(&job).await?;
        let (who, policies) = (who.to_owned(), self.core.settings.policies.clone());
        let refused = rules::condition(Step::Retry, job.kind, job.phase);
        let sent = self
            .core
            .journal
            .write("decide", move |db| {
                let last: Option<i64> = db
                    .query_row(
                        "SELECT max(request.rows) FROM row JOIN request ON request.id = row.request
                         WHERE row.job = ?1 AND row.bucket = 'not_done'",
                        [id.0],
                        |r| r.get(0),
                    )
                    .optional()?
                    .flatten();
                let moved = db.execute(
                    &format!("UPDATE row SET bucket = 'ready', why = NULL WHERE job = ?1 AND {refused}"),
                    [id.0],
                )?;
                if moved == 0 {
                    return Ok(None);
                }
                apply_observation::replace_again(db, id)?;
                jobs::set_batch(db, id, last.map(|n| (n / SMALLER).max(1)))?;
                jobs::decide(db, id, None, "retry what was refused", &who, "")?;
                let ready = |db| Ok::<_, rusqlite::Error>(jobs::counts(db, id)?.of(RowStatus::Ready));
                let before = ready(db)?;
                if job.kind == Kind::Issue {
                    duplicate_check::place(db, id, job.phase, &policies)?;
                }
                set_free(db, id, &who)?;
                Ok(Some((moved as u64).saturating_sub(before.saturating_sub(ready(db)?))))
            })
            .await?;
        let Some(sent) = sent else {
            return Err(JobError::no(t!("Nothing of job {id} was refused. Nothing was changed.", id)));
        };
        self.begun(id);
        Ok(sent)
    }

    /// Sends a row again that was looked for and never seen. A person says so, and why; that is kept.
    ///
    /// # Errors
    /// When the row is in any other bucket: what is in doubt is looked for, not sent again.
    pub async fn resend(&self, id: JobId, no: u64, who: &str, why: &str) -> Result<(), JobError> {
        self.decide(id, no, Decision::SendAgain, who, why).await
    }

    /// Decides about a row that lapel cannot tell about: one that was never seen, or one of which something was
    /// found that may be another's.
    ///
    /// # Errors
    /// When there is nothing to decide about the row, or the badge is another row's.
    pub async fn decide(
        &self,
        id: JobId,
        no: u64,
        decision: Decision,
        who: &str,
        why: &str,
    ) -> Result<(), JobError> {
        self.core.writer()?;
        JobError::unless_key(why)?;
        let sends = decision == Decision::SendAgain;
        if sends {
            let job = self.core.my_job_to_send(id).await?;
            self.one_by_one(&job, no).await?;
        } else {
            self.core.my_job(id).await?;
        }
        let number = self.core.journal.read(move |db| rows::number_of(db, id, no)).await?;
        let (who, why, now) = (who.to_owned(), why.to_owned(), self.core.moment().0.as_second());
        let done = self
            .core
            .journal
            .write("decide", move |db| {
                let Some((stand, seen)) = stand(db, id, no)? else { return Ok(Err(Refused::NoRow)) };
                if !rules::may(Step::Decide, stand) {
                    return Ok(Err(if stand.claim.is_some() || stand.bucket != RowStatus::Ready {
                        Refused::RowStatus(stand.bucket)
                    } else {
                        Refused::NoRow
                    }));
                }
                match decision {
                    Decision::IsThis(badge) => {
                        if !stand.may_exist() || !rows::bind(db, id, no, &badge, now)? {
                            return Ok(Err(Refused::NoRow));
                        }
                        jobs::decide(db, id, Some(no), "it is this badge", &who, &why)?;
                    }
                    Decision::LeaveOut => {
                        rows::set(db, id, no, RowStatus::LeftOut, Some(&Code::SettledOtherwise.into()))?;
                        jobs::decide(db, id, Some(no), "leave it", &who, &why)?;
                    }
                    Decision::SendAgain => {
                        // Only what the person was told of is allowed.
                        let seen = seen.filter(|_| stand.bucket == RowStatus::Ask);
                        if let Some(rival) = claims::rival_of(db, id, no)?
                            && seen.is_none_or(|seen| seen < rival.slot)
                        {
                            claims::review(db, id, no, &rival)?;
                            return Ok(Err(Refused::Rival(rival)));
                        }
                        rows::forget_failed(db, id, no)?;
                        db.execute(
                            "UPDATE row SET bucket = 'ready', why = ?3, guarded = 0,
                                            allowed = coalesce(class, 'new')
                             WHERE job = ?1 AND no = ?2",
                            params![id.0, no as i64, Reason::from(Code::SentAgain)],
                        )?;
                        apply_observation::replace_again(db, id)?;
                        jobs::decide(db, id, Some(no), "send again", &who, &why)?;
                        set_free(db, id, &who)?;
                    }
                }
                Ok(Ok(()))
            })
            .await?;
        self.core.changed(id, []);
        let no = number;
        match done {
            Ok(()) if sends => {
                self.begun(id);
                Ok(())
            }
            Ok(()) => {
                self.core.wake.notify_one();
                Ok(())
            }
            Err(Refused::Rival(rival)) => Err(JobError::review(t!(
                "Row {no} of job {id} needs review: {why}. Nothing was sent. Send it again if a second badge is right.",
                no,
                id,
                why = rival.why()
            ))),
            Err(Refused::RowStatus(bucket)) => Err(JobError::no(t!(
                "Row {no} of job {id} is {state}: there is nothing to decide about it now. Nothing was changed.",
                no,
                id,
                state = bucket.word()
            ))),
            Err(Refused::NoRow) => Err(JobError::no(t!(
                "Row {no} of job {id} was not sent, or the badge is another row's. Nothing was changed.",
                no,
                id
            ))),
        }
    }

    /// Allows the rows of a draft that were asked about, or left out by the guard: one, or all of a class. Where
    /// the address of a row also stands in a row before it, only [`Rows::One`] and [`Rows::Asked`] allow both.
    ///
    /// # Errors
    /// When the job is no draft of this process.
    pub async fn allow(&self, id: JobId, which: Rows) -> Result<u64, JobError> {
        self.review(id, which, RowStatus::Ready, None).await
    }

    /// Leaves rows of a draft out: one, or all of a class.
    ///
    /// # Errors
    /// When the job is no draft of this process.
    pub async fn leave_out(&self, id: JobId, which: Rows) -> Result<u64, JobError> {
        self.review(id, which, RowStatus::LeftOut, Some(Code::LeftOutByHand)).await
    }

    async fn review(
        &self,
        id: JobId,
        which: Rows,
        to: RowStatus,
        why: Option<Code>,
    ) -> Result<u64, JobError> {
        self.draft(id).await?;
        let which = match which {
            Rows::One(no) => format!("no = {no}"),
            Rows::Class(class) if to == RowStatus::Ready => duplicate_check::only_of(class),
            Rows::Class(class) => format!("class = '{}'", class.code()),
            Rows::Asked => "bucket = 'ask'".to_owned(),
        };
        let step = if to == RowStatus::Ready { Step::Allow } else { Step::LeaveOut };
        let may = rules::condition(step, Kind::Issue, Phase::Draft);
        let why = why.map(Reason::from);
        let moved = self
            .core
            .journal
            .write("review", move |db| {
                db.execute(
                    &format!(
                        "UPDATE row SET bucket = ?2, why = ?3, guarded = 0,
                                        allowed = CASE ?2 WHEN 'ready' THEN coalesce(class, 'new') END
                         WHERE job = ?1 AND request IS NULL AND {may} AND {which}"
                    ),
                    params![id.0, to.code(), why],
                )
            })
            .await?;
        self.core.changed(id, []);
        Ok(moved as u64)
    }

    /// Corrects a row of a draft, and checks it. The guard has to read again, since the person may be another
    /// one now. Gives back what was found.
    ///
    /// # Errors
    /// When the job is no draft of this process.
    pub async fn correct(
        &self,
        id: JobId,
        no: u64,
        name: &str,
        email: &str,
    ) -> Result<Vec<Finding>, JobError> {
        self.draft(id).await?;
        let (name, email, standing, findings) = check_person(name, email);
        let (bucket, why) = files::placed(standing, &findings);
        let (name, email) = (redact(&name).into_owned(), redact(&email).into_owned());
        self.core
            .journal
            .write("correct", move |db| {
                rows::correct(db, (id, no), (&name, &email), bucket, why.as_ref())?;
                db.execute("UPDATE job SET guarded_at = NULL WHERE id = ?1", [id.0])
            })
            .await?;
        self.core.changed(id, []);
        Ok(findings)
    }

    async fn draft(&self, id: JobId) -> Result<Job, JobError> {
        let job = self.core.my_job(id).await?;
        if job.phase == Phase::Draft {
            Ok(job)
        } else {
            Err(JobError::no(t!("Job {id} was begun; its rows cannot be changed any more.", id)))
        }
    }

    /// What would be sent of a job: who, and what is known of each.
    async fn ready_rows(&self, id: JobId) -> Result<BTreeSet<ReadyRow>, JobError> {
        Ok(self.core.journal.read(move |db| ready_rows(db, id)).await?)
    }

    /// Reads what the guard read again, where that is old: how the job stands then. `None` where it is not old.
    async fn read_again(&self, job: &Job) -> Result<Option<Job>, JobError> {
        let job = self.core.job(job.id).await?;
        if job.kind != Kind::Issue || !duplicate_check::is_stale(&self.core, &job) {
            return Ok(None);
        }
        let (progress, _) = watch::channel(Guarding::default());
        let guarded = duplicate_check::guard(&self.core, &job, &progress, CancellationToken::new()).await?;
        self.core.changed(job.id, []);
        if !guarded.complete && !self.core.settings.policies.allows_duplicates() {
            return Err(duplicate_check::incomplete());
        }
        Ok(Some(self.core.job(job.id).await?))
    }

    /// What would be sent of a job that goes on, where its reading is old and has to be compared with a new one.
    async fn before(&self, job: &Job) -> Result<Option<BTreeSet<ReadyRow>>, JobError> {
        if job.kind != Kind::Issue || !duplicate_check::is_stale(&self.core, job) {
            return Ok(None);
        }
        self.ready_rows(job.id).await.map(Some)
    }

    /// The same for a job that goes on: rows that need review now are not sent, but none may be sent that was not
    /// among those before.
    async fn same_or_fewer(&self, job: &Job, before: Option<BTreeSet<ReadyRow>>) -> Result<(), JobError> {
        let Some(before) = before else { return Ok(()) };
        let Some(now) = self.read_again(job).await? else { return Ok(()) };
        if self.ready_rows(job.id).await?.is_subset(&before) {
            return Ok(());
        }
        Err(JobError::no(t!(
            "Things have changed since the review: {rows}. Nothing was sent. Look through it again.",
            rows = shares(&now)
        )))
    }

    /// Before one row is sent by name: the history is read again where that was long ago, and nothing else of the
    /// job may be set free with it.
    async fn one_by_one(&self, job: &Job, no: u64) -> Result<(), JobError> {
        let id = job.id;
        let waiting = rules::count(Step::Resume, job);
        if waiting > 0 {
            return Err(JobError::no(t!(
                "Job {id} has {n} rows that were not sent: resume it first, or call them off. Nothing was sent.",
                id,
                n = waiting
            )));
        }
        let before = self.core.journal.read(move |db| known_of(db, id, no)).await?;
        let Some((bucket, _, _)) = &before else { return Ok(()) };
        if *bucket == RowStatus::NotSeen.code() && duplicate_check::is_stale(&self.core, job) {
            let looked = self.look_now(Some(id)).await;
            if let Some(why) = looked.failed {
                return Err(JobError::no(t!(
                    "The history could not be read again: {why} Nothing was sent. Try again.",
                    why
                )));
            }
            if !looked.complete {
                return Err(duplicate_check::incomplete());
            }
            return Ok(());
        }
        self.read_again(job).await?;
        // What was sent once is no part of that reading.
        if duplicate_check::is_stale(&self.core, job) {
            duplicate_check::look_up(&self.core, job, no).await?;
        }
        if self.core.journal.read(move |db| known_of(db, id, no)).await? == before {
            return Ok(());
        }
        let no = self.core.journal.read(move |db| rows::number_of(db, id, no)).await?;
        Err(JobError::review(t!(
            "Things have changed: see row {no} of job {id} again. Nothing was sent.",
            no,
            id
        )))
    }

    /// After a 422: looks whether anything of the refused request is there after all. What is there is bound;
    /// if anything is, the rest of that request was accepted too; otherwise its rows can be sent, unless the
    /// look proves nothing: then they stay in doubt.
    pub(super) async fn prove_refusal(&self, id: JobId) -> Result<Refusal, JobError> {
        let doubted = self.core.journal.write("doubt", move |db| requests::doubt_refusal(db, id)).await?;
        let Some(request) = doubted else { return Ok(Refusal::Proven) };
        let looked = self.look_now(Some(id)).await;
        let failed = looked
            .failed
            .or_else(|| (!looked.complete).then(|| t!("the history changed while it was read.").to_owned()));
        if let Some(failed) = failed {
            // It stays in doubt, and is looked for like any other.
            return Err(JobError::no(t!(
                "It could not be proven that the refused request did nothing: {failed} Nothing was sent. Its rows are looked for; try again later.",
                failed
            )));
        }
        let (account, now) = (self.core.account.key.clone(), self.core.moment().0.as_second());
        let window = self.core.settings.doubt_window.as_secs();
        let proven = self
            .core
            .journal
            .write("proven", move |db| {
                if !requests::is_provable(db, &account, (id, request), now, window)? {
                    jobs::set_note(db, id, Some(&Code::NotProvable.into()))?;
                    return Ok(Refusal::NotProvable);
                }
                requests::refusal_proven(db, id, request)?;
                Ok(Refusal::Proven)
            })
            .await?;
        self.core.changed(id, []);
        Ok(proven)
    }
}

/// What is known of a refusal that is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nothing of it was accepted, or what was is bound.
    Proven,
    /// Nothing is to be seen, which proves nothing here.
    NotProvable,
}

/// Which rows of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// The row at this place.
    One(u64),
    /// All of a class.
    Class(DuplicateKind),
    /// All that are asked about.
    Asked,
}

/// How a job's rows stand, in words: `3 left out, 2 not valid`.
pub fn shares(job: &Job) -> String {
    let all: Vec<String> =
        job.counts.iter().map(|(bucket, n)| t!("{n} {state}", n, state = bucket.word())).collect();
    if all.is_empty() { t!("it has no rows").to_owned() } else { all.join(", ") }
}

/// Why a decision about a row was not taken.
enum Refused {
    /// Where it stands, there is nothing to decide.
    RowStatus(RowStatus),
    /// It was not sent, or the badge is another row's.
    NoRow,
    /// Another row has served its person, which nobody has seen yet.
    Rival(Rival),
}

/// A row that would be sent: its place, name and address, and what is known of its person.
type ReadyRow = (i64, String, String, Option<String>, Option<i64>);

fn ready_rows(db: &Connection, id: JobId) -> rusqlite::Result<BTreeSet<ReadyRow>> {
    db.prepare_cached(
        "SELECT no, name, email, class, seen FROM row WHERE job = ?1 AND bucket IN ('ready', 'queued')",
    )?
    .query_map([id.0], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?)))?
    .collect()
}

/// What a person was told of a row: where it stands, what was found, and up to which claim.
type Known = (String, Option<String>, Option<i64>);

fn known_of(db: &Connection, id: JobId, no: u64) -> rusqlite::Result<Option<Known>> {
    db.prepare_cached("SELECT bucket, class, seen FROM row WHERE job = ?1 AND no = ?2")?
        .query_row(params![id.0, no as i64], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
        .optional()
}

/// Where a row of a job stands, and up to which claim a person knows of the others.
fn stand(db: &Connection, id: JobId, no: u64) -> rusqlite::Result<Option<(Stand, Option<i64>)>> {
    db.prepare_cached(
        "SELECT job.kind, job.phase, row.bucket, claim.state, row.seen, job.purged
         FROM row JOIN job ON job.id = row.job
         LEFT JOIN claim ON claim.job = row.job AND claim.no = row.no
         WHERE row.job = ?1 AND row.no = ?2",
    )?
    .query_row(params![id.0, no as i64], |r| {
        let stand = Stand {
            kind: Kind::from_code(r.get_ref(0)?.as_str()?).unwrap_or(Kind::Revoke),
            phase: Phase::from_code(r.get_ref(1)?.as_str()?).unwrap_or(Phase::Stopped),
            bucket: jobs::bucket(r, "bucket")?,
            claim: r.get::<_, Option<String>>(3)?.and_then(|code| Claim::from_code(&code)),
            is_purged: r.get(5)?,
        };
        Ok((stand, r.get(4)?))
    })
    .optional()
}

/// Lets what is ready of a job be sent: the job goes on, and its rows ask for their claims. Those whose person
/// another row has served need review, and are not sent. Those of a refusal that nobody has proven are in doubt.
pub(super) fn set_free(db: &Connection, id: JobId, who: &str) -> rusqlite::Result<()> {
    jobs::set_phase(db, id, Phase::Running)?;
    requests::doubt_refusal(db, id)?;
    claims::ask(db, id, who)?;
    let held = claims::held(db, id)?;
    if held > 0 {
        jobs::set_note(db, id, Some(&Reason::from(Code::NeedReview).with("n", held)))?;
    }
    Ok(())
}

/// How many rows the request had that was refused last.
fn refused_rows(db: &Connection, id: JobId) -> rusqlite::Result<i64> {
    db.query_row(
        "SELECT coalesce((SELECT rows FROM request WHERE job = ?1 AND id >= job.unproven AND status = 422
                          ORDER BY id DESC LIMIT 1), batch, 1000) FROM job WHERE id = ?1",
        [id.0],
        |r| r.get(0),
    )
}

/// Goes on with half of what was refused, until a single row is refused or everything is sent.
async fn halve(all: Jobs, id: JobId, who: String) {
    let core: Arc<Core> = all.core.clone();
    loop {
        send::idle(&core, id).await;
        let Ok(job) = core.job(id).await else { return };
        let at_the_quota = job.stop.as_ref().is_some_and(|s| s.kind == StopKind::Quota);
        let Ok(rows) = core.journal.read(move |db| refused_rows(db, id)).await else { return };
        if !at_the_quota || rows <= 1 || core.ending.is_cancelled() {
            return;
        }
        let half = core.journal.write("halve", move |db| jobs::set_batch(db, id, Some(rows / 2))).await;
        let Ok(before) = all.before(&job).await else { return };
        let proven = matches!(all.prove_refusal(id).await, Ok(Refusal::Proven));
        if half.is_err()
            || !proven
            || all.same_or_fewer(&job, before).await.is_err()
            || all.begin_now(id, &who).await.is_err()
        {
            return;
        }
    }
}
