//! Plans: what is to be done, written down before anybody reviews it. A draft sends nothing.

use super::core::Jobs;
use super::error::JobError;
use super::job::{Bucket, JobId, JobRow, Kind, Origin, Phase};
use super::journal::jobs::{self, NewJob};
use super::journal::rows::{self, NewRow};
use super::journal::{facts, requests};
use super::send;
use crate::domain::{Address, BadgeId, EmailKey, State, TemplateId, Text};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// One badge to be issued to one person, who was looked at before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuePlan {
    /// The template to issue from.
    pub template_id: TemplateId,
    /// Its title, for people, and for finding its badges in the history.
    pub title: Text,
    /// `recipient_name`, as it will be printed.
    pub recipient_name: String,
    /// `recipient_email`.
    pub recipient_email: Address,
    /// Badges of this template that the person had before: what is found later and is none of these is
    /// this job's. `None` when that could not be read, so that nothing found later proves anything.
    pub held_before: Option<Vec<BadgeId>>,
}

/// One person of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `recipient_name`, as it will be printed.
    pub name: String,
    /// `recipient_email`.
    pub email: String,
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

/// Badges to be revoked for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokePlan {
    victims: Vec<Victim>,
    reason: String,
    when_issued: bool,
}

impl RevokePlan {
    /// Plans a revocation. Each badge counts once, however often it is named. `when_issued`: those that still
    /// wait are revoked when they become Issued, instead of being left out.
    pub fn new(victims: Vec<Victim>, reason: &str, when_issued: bool) -> Self {
        let mut seen = HashSet::new();
        let victims = victims.into_iter().filter(|v| seen.insert(v.badge_id.clone())).collect();
        Self { victims, reason: reason.trim().to_owned(), when_issued }
    }

    /// All of them.
    pub fn victims(&self) -> &[Victim] {
        &self.victims
    }

    /// Those that will be sent: the service accepts Issued badges only.
    pub fn sent(&self) -> impl Iterator<Item = &Victim> {
        self.victims.iter().filter(|v| v.state.may_be_revoked())
    }

    /// Those that wait until they are Issued.
    pub fn queued(&self) -> impl Iterator<Item = &Victim> {
        self.victims.iter().filter(|v| self.when_issued && v.state == State::Waiting)
    }

    /// Those that are left out, since the service would drop them without a word.
    pub fn left_out(&self) -> impl Iterator<Item = &Victim> {
        self.victims.iter().filter(|v| placed(&v.state, self.when_issued).0 == Bucket::LeftOut)
    }

    /// The reason that goes with the request; the holder may see it.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    fn rows(&self) -> Vec<NewRow> {
        let row = |v: &Victim| {
            let (bucket, why) = placed(&v.state, self.when_issued);
            NewRow {
                name: v.holder.wire().to_owned(),
                email: v.email.wire().to_owned(),
                title: Some(v.title.wire().to_owned()),
                badge: Some(v.badge_id.clone()),
                bucket: Some(bucket),
                why,
                status: own_word(&v.state),
                ..NewRow::default()
            }
        };
        self.victims.iter().map(row).collect()
    }
}

/// The service's own word for a state, where that is all that is known of it. Any other has its word with the first
/// look: what lapel calls it is not what the service says.
pub(super) fn own_word(state: &State) -> Option<String> {
    match state {
        State::Other(word) => Some(word.wire().to_owned()),
        _ => None,
    }
}

/// Where a badge of a state belongs that is to be revoked, and why.
pub(super) fn placed(state: &State, when_issued: bool) -> (Bucket, Option<String>) {
    if state.may_be_revoked() {
        (Bucket::Ready, None)
    } else if *state == State::Waiting && when_issued {
        (Bucket::Queued, None)
    } else {
        let why = t!("its state is {state}; only Issued badges can be revoked", state = state.word());
        (Bucket::LeftOut, Some(why))
    }
}

/// What a new issue job begins with.
pub(super) fn issue_job(template_id: &TemplateId, title: &Text, origin: Option<Origin>) -> NewJob {
    NewJob {
        kind: Kind::Issue,
        template: Some(template_id.clone()),
        title: title.wire().to_owned(),
        origin,
        follows: None,
        after: false,
    }
}

pub(super) fn revoke_job(
    reason: &str,
    follows: Option<JobId>,
    after: bool,
    origin: Option<Origin>,
) -> NewJob {
    NewJob { kind: Kind::Revoke, template: None, title: reason.to_owned(), origin, follows, after }
}

/// What goes with one person, who was looked at before.
fn one(db: &Connection, id: JobId, plan: &IssuePlan, now: jiff::Timestamp) -> rusqlite::Result<()> {
    let row = NewRow {
        name: plan.recipient_name.clone(),
        email: plan.recipient_email.as_str().to_owned(),
        ..NewRow::default()
    };
    rows::insert(db, id, &[row])?;
    if let Some(held) = &plan.held_before {
        let key = EmailKey::of(plan.recipient_email.as_str());
        for badge in held {
            db.execute(
                "INSERT OR IGNORE INTO baseline VALUES (?1, ?2, ?3)",
                params![id.0, key.as_str(), badge.wire()],
            )?;
        }
        jobs::set_guarded(db, id, now)?;
    }
    Ok(())
}

impl Jobs {
    /// Issues one badge to a person whom somebody has reviewed: written down and begun in one step.
    ///
    /// # Errors
    /// With a read-only profile, or when the journal cannot be used; nothing was sent then.
    pub async fn issue(&self, plan: IssuePlan) -> Result<JobId, JobError> {
        self.core.writer()?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let id = self
            .core
            .journal
            .write("plan", move |db| {
                let new = issue_job(&plan.template_id, &plan.title, None);
                let id = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                one(db, id, &plan, now)?;
                jobs::set_phase(db, id, Phase::Running)?;
                Ok(id)
            })
            .await?;
        self.begun(id);
        Ok(id)
    }

    /// Writes a job for several people down, for the guard and for review. They are taken as they are: whoever
    /// calls has checked them.
    ///
    /// # Errors
    /// With a read-only profile, or when the journal cannot be used.
    pub async fn draft_people(
        &self,
        (template_id, title): (TemplateId, Text),
        people: Vec<Person>,
    ) -> Result<JobId, JobError> {
        self.core.writer()?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let row = |p: Person| NewRow { name: p.name, email: p.email, ..NewRow::default() };
        let new_rows: Vec<NewRow> = people.into_iter().map(row).collect();
        Ok(self
            .core
            .journal
            .write("plan", move |db| {
                let id = jobs::insert(db, &account, (&me.0, &me.1), &issue_job(&template_id, &title, None))?;
                rows::insert(db, id, &new_rows)?;
                Ok(id)
            })
            .await?)
    }

    /// Issues a corrected badge, and revokes the old one when the new one is Issued: the holder is never
    /// without one, and has two for a while. Both are written down in one step. Gives back the two jobs.
    ///
    /// # Errors
    /// As [`Jobs::issue`].
    pub async fn replace(
        &self,
        plan: IssuePlan,
        old: Victim,
        reason: &str,
    ) -> Result<(JobId, JobId), JobError> {
        self.core.writer()?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let reason = reason.trim().to_owned();
        let ids = self
            .core
            .journal
            .write("plan", move |db| {
                let new = issue_job(&plan.template_id, &plan.title, None);
                let issue = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                one(db, issue, &plan, now)?;
                let new = revoke_job(&reason, Some(issue), true, None);
                let revoke = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                let mut rows = RevokePlan::new(vec![old], &reason, true).rows();
                for row in &mut rows {
                    row.bucket = Some(Bucket::Queued);
                    row.why = Some(t!("revoked when the corrected badge (job {issue}) is Issued", issue));
                }
                rows::insert(db, revoke, &rows)?;
                facts::keep(db, "reason", &reason, &reason, now.as_second())?;
                for id in [issue, revoke] {
                    jobs::set_phase(db, id, Phase::Running)?;
                }
                Ok((issue, revoke))
            })
            .await?;
        self.begun(ids.0);
        self.begun(ids.1);
        Ok(ids)
    }

    /// Revokes badges that somebody has reviewed: written down and begun in one step.
    ///
    /// # Errors
    /// With a read-only profile, without a reason, or when the journal cannot be used; nothing was sent then.
    pub async fn revoke(&self, plan: RevokePlan) -> Result<JobId, JobError> {
        let id = self.draft_revoke(plan, None).await?;
        self.begin_now(id).await?;
        Ok(id)
    }

    /// Writes a revocation down for review.
    ///
    /// # Errors
    /// As [`Jobs::revoke`].
    pub async fn draft_revoke(&self, plan: RevokePlan, origin: Option<Origin>) -> Result<JobId, JobError> {
        self.core.writer()?;
        if plan.reason.is_empty() {
            return Err(JobError::no(t!(
                "A reason is required: the service asks for one. Nothing was sent."
            )));
        }
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        Ok(self
            .core
            .journal
            .write("plan", move |db| {
                let new = revoke_job(&plan.reason, None, false, origin);
                let id = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                rows::insert(db, id, &plan.rows())?;
                facts::keep(db, "reason", &plan.reason, &plan.reason, now.as_second())?;
                Ok(id)
            })
            .await?)
    }

    /// Plans to undo an issue job: what it has not sent is called off, what is Issued is to be revoked, and
    /// what still waits is to be revoked when it becomes Issued. The revocation is a draft, for review.
    ///
    /// # Errors
    /// When the job is no issue job of this process, or has nothing to undo.
    pub async fn undo(&self, id: JobId, reason: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        let job = self.core.my_job(id).await?;
        let reason = reason.trim().to_owned();
        if job.kind != Kind::Issue {
            return Err(JobError::no(t!(
                "Job {id} is a revocation; the service offers no way to undo one.",
                id
            )));
        }
        if reason.is_empty() {
            return Err(JobError::no(t!(
                "A reason is required: the service asks for one. Nothing was sent."
            )));
        }
        self.cancel(id, "undo").await?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let undone = self
            .core
            .journal
            .write("plan", move |db| {
                let new = revoke_job(&reason, Some(id), false, None);
                let undo = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                let copied = db.execute(
                    "INSERT INTO row (job, no, line, name, email, email_key, title, badge, bucket, why, of_job,
                                      of_no, status)
                     SELECT ?2, row_number() OVER (ORDER BY no), line, name, email, email_key, ?3, badge,
                            CASE bucket WHEN 'issued' THEN 'ready' WHEN 'other' THEN 'ready'
                                        WHEN 'revoking' THEN 'left_out' WHEN 'revoked' THEN 'left_out'
                                        ELSE 'queued' END,
                            CASE bucket WHEN 'revoking' THEN ?4 WHEN 'revoked' THEN ?5 END,
                            job, no, status
                     FROM row WHERE job = ?1
                       AND bucket IN ('issued', 'other', 'waiting', 'overdue', 'unbound', 'in_doubt', 'not_seen',
                                      'sending', 'revoking', 'revoked')",
                    params![
                        id.0,
                        undo.0,
                        job.title.wire(),
                        t!("being revoked already"),
                        t!("revoked already")
                    ],
                )?;
                facts::keep(db, "reason", &reason, &reason, now.as_second())?;
                if copied == 0 {
                    jobs::discard(db, undo)?;
                }
                Ok((copied > 0).then_some(undo))
            })
            .await?;
        undone.ok_or_else(|| {
            JobError::no(t!(
                "Job {id} has nothing to undo: nothing of it was accepted. What was not sent is called off.",
                id
            ))
        })
    }

    /// A row of an earlier job that may have given this person such a badge, or may still: the service may not
    /// show it yet.
    ///
    /// # Errors
    /// When the journal cannot be used.
    pub async fn sent_before(
        &self,
        template_id: &TemplateId,
        email: &str,
    ) -> Result<Option<JobRow>, JobError> {
        let (account, template) = (self.core.account.clone(), template_id.clone());
        let (key, window) = (EmailKey::of(email), self.core.settings.doubt_window.as_secs());
        Ok(self.core.journal.read(move |db| rows::sent_before(db, &account, &template, &key, window)).await?)
    }

    /// Lets a draft that somebody has reviewed go, without a guard.
    pub(super) async fn begin_now(&self, id: JobId) -> Result<(), JobError> {
        self.core.journal.write("begin", move |db| jobs::set_phase(db, id, Phase::Running)).await?;
        self.begun(id);
        Ok(())
    }

    /// Something may be sent, and something is to be followed.
    pub(super) fn begun(&self, id: JobId) {
        self.core.changed(id, []);
        send::kick(&self.core, id);
        self.core.wake.notify_one();
    }

    /// Removes a draft; what was begun stays.
    ///
    /// # Errors
    /// When the journal cannot be used.
    pub async fn discard(&self, id: JobId) -> Result<(), JobError> {
        self.core.journal.write("discard", move |db| jobs::discard(db, id)).await?;
        Ok(())
    }

    /// Calls off what a job has not sent. What was sent is followed all the same.
    ///
    /// # Errors
    /// When the job is not this process's, or the journal cannot be used.
    pub async fn cancel(&self, id: JobId, who: &str) -> Result<u64, JobError> {
        self.core.my_job(id).await?;
        send::pause(&self.core, id);
        // A refusal that is not certain is looked into first: its rows may exist, and then stay in doubt.
        let _ = self.prove_refusal(id).await;
        let who = who.to_owned();
        let called_off = self
            .core
            .journal
            .write("call off", move |db| {
                jobs::set_phase(db, id, Phase::Cancelled)?;
                let mut all = 0;
                for bucket in [Bucket::Ready, Bucket::Ask, Bucket::Queued] {
                    all += requests::call_off(db, id, bucket)?;
                }
                jobs::decide(db, id, None, "call off", &who, "")?;
                Ok(all)
            })
            .await?;
        self.core.changed(id, []);
        Ok(called_off)
    }
}
