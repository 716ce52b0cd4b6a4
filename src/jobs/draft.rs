//! Drafts: planned jobs, written to the journal before the review. A draft sends nothing.

use super::commands::set_free;
use super::core::Jobs;
use super::error::JobError;
use super::job::{JobId, Kind, Origin, Phase, RowStatus};
use super::journal::claims::{self, Rival};
use super::journal::jobs::{self, NewJob};
use super::journal::rows::{self, NewRow};
use super::journal::{Account, accounts, facts, requests};
use super::reason::{Code, Reason};
use super::rules::{self, Step};
use super::send;
use crate::domain::{Address, BadgeId, EmailKey, State, TemplateId, Text};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// One badge for one recipient, after a review of that recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuePlan {
    pub template_id: TemplateId,
    /// The template's title, for people and for finding its badges in the history.
    pub title: Text,
    /// `recipient_name` as it is printed on the badge.
    pub recipient_name: String,
    pub recipient_email: Address,
    /// Badges of this template that the recipient had before. A badge that is found later and is not one of these
    /// belongs to this job. `None` if they could not be read; then a badge found later proves nothing.
    pub held_before: Option<Vec<BadgeId>>,
    /// The slot of the [`Rival`] that the reviewer saw. It allows a second badge. A later rival needs another
    /// review.
    pub allows: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `recipient_name` as it is printed on the badge.
    pub name: String,
    pub email: String,
}

/// A badge to revoke, as last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokeTarget {
    pub badge_id: BadgeId,
    pub holder: Text,
    /// The holder's e-mail address: two people may have one name.
    pub email: Text,
    pub title: Text,
    /// The state when the badge was last seen.
    pub state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokePlan {
    victims: Vec<RevokeTarget>,
    reason: String,
    when_issued: bool,
}

impl RevokePlan {
    /// Drops repeated badges. With `when_issued`, waiting badges are revoked when they become Issued, instead of
    /// being skipped.
    pub fn new(victims: Vec<RevokeTarget>, reason: &str, when_issued: bool) -> Self {
        let mut seen = HashSet::new();
        let victims = victims.into_iter().filter(|v| seen.insert(v.badge_id.clone())).collect();
        Self { victims, reason: reason.trim().to_owned(), when_issued }
    }

    pub fn victims(&self) -> &[RevokeTarget] {
        &self.victims
    }

    /// The badges that are sent: the service accepts only Issued badges.
    pub fn sent(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.victims.iter().filter(|v| v.state.may_be_revoked())
    }

    /// The badges that wait until they are Issued.
    pub fn queued(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.victims.iter().filter(|v| self.when_issued && v.state == State::Waiting)
    }

    /// The skipped badges. The service would drop them without notice.
    pub fn left_out(&self) -> impl Iterator<Item = &RevokeTarget> {
        self.victims.iter().filter(|v| placed(&v.state, self.when_issued).0 == RowStatus::LeftOut)
    }

    /// The reason in the request. The holder may see it.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    fn rows(&self) -> Vec<NewRow> {
        let row = |v: &RevokeTarget| {
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

/// The service's word for an unknown state. Known states get their word from the next poll, since lapel's name for
/// them is not the service's word.
pub(super) fn own_word(state: &State) -> Option<String> {
    match state {
        State::Other(word) => Some(word.wire().to_owned()),
        _ => None,
    }
}

/// The status of a row that revokes a badge in this state, with the reason.
pub(super) fn placed(state: &State, when_issued: bool) -> (RowStatus, Option<Reason>) {
    if state.may_be_revoked() {
        (RowStatus::Ready, None)
    } else if *state == State::Waiting && when_issued {
        (RowStatus::Queued, None)
    } else {
        let why = Reason::from(Code::NotRevocable).because("state", Reason::state(state));
        (RowStatus::LeftOut, Some(why))
    }
}

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

/// Creates a job for one reviewed recipient. Returns a rival instead if the reviewer did not see it.
fn one(
    db: &Connection,
    account: &Account,
    me: &(String, String),
    plan: &IssuePlan,
    now: jiff::Timestamp,
) -> rusqlite::Result<Result<JobId, Rival>> {
    let key = EmailKey::of(plan.recipient_email.as_str());
    let known = accounts::of(db, &account.base_url, &account.key)?;
    if let Some(rival) = claims::of_person(db, known, plan.template_id.wire(), &key)?
        && plan.allows.is_none_or(|seen| seen < rival.slot)
    {
        return Ok(Err(rival));
    }
    let id = jobs::insert(db, account, (&me.0, &me.1), &issue_job(&plan.template_id, &plan.title, None))?;
    let row = NewRow {
        name: plan.recipient_name.clone(),
        email: plan.recipient_email.as_str().to_owned(),
        ..NewRow::default()
    };
    rows::insert(db, id, &[row])?;
    if plan.allows.is_some() {
        db.execute("UPDATE row SET allowed = 'sent', seen = ?2 WHERE job = ?1", params![id.0, plan.allows])?;
    }
    if let Some(held) = &plan.held_before {
        for badge in held {
            db.execute(
                "INSERT OR IGNORE INTO baseline (job, email_key, badge) VALUES (?1, ?2, ?3)",
                params![id.0, key.as_str(), badge.wire()],
            )?;
        }
        jobs::set_guarded(db, id, now)?;
    }
    Ok(Ok(id))
}

fn changed(rival: &Rival) -> JobError {
    JobError::review(t!(
        "The situation has changed since the review: {why}. Nothing was sent. Review it again.",
        why = rival.why()
    ))
}

impl Jobs {
    /// Issues one badge to a reviewed recipient: writes the job and begins it in one step.
    ///
    /// # Errors
    /// The profile is read-only, the journal cannot be used, or another row has served the recipient and the
    /// reviewer did not see that. Nothing was sent.
    pub async fn issue(&self, plan: IssuePlan, who: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(&plan.recipient_name)?;
        JobError::unless_key(plan.recipient_email.as_str())?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let who = who.to_owned();
        let id = self
            .core
            .journal
            .write("plan", move |db| {
                let id = one(db, &account, &me, &plan, now)?;
                if let Ok(id) = id {
                    set_free(db, id, &who)?;
                }
                Ok(id)
            })
            .await?
            .map_err(|rival| changed(&rival))?;
        self.begun(id);
        Ok(id)
    }

    /// Writes a job for several recipients, for the duplicate check and the review. The caller has checked the
    /// recipients.
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

    /// Issues a corrected badge, and revokes the old one when the new one is Issued. So the holder always has a
    /// badge, and for a while two. Writes both jobs in one step and returns them.
    pub async fn replace(
        &self,
        plan: IssuePlan,
        old: RevokeTarget,
        reason: &str,
        who: &str,
    ) -> Result<(JobId, JobId), JobError> {
        self.core.writer()?;
        for text in [&plan.recipient_name, plan.recipient_email.as_str(), reason] {
            JobError::unless_key(text)?;
        }
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let (reason, who) = (reason.trim().to_owned(), who.to_owned());
        let ids = self
            .core
            .journal
            .write("plan", move |db| {
                let mut plan = plan;
                // The replaced badge does not block its replacement.
                let known = accounts::of(db, &account.base_url, &account.key)?;
                let key = EmailKey::of(plan.recipient_email.as_str());
                if let Some(rival) = claims::of_person(db, known, plan.template_id.wire(), &key)?
                    && rival.badge_id.as_ref() == Some(&old.badge_id)
                {
                    plan.allows = plan.allows.max(Some(rival.slot));
                }
                let issue = match one(db, &account, &me, &plan, now)? {
                    Ok(issue) => issue,
                    Err(rival) => return Ok(Err(rival)),
                };
                let new = revoke_job(&reason, Some(issue), true, None);
                let revoke = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                let mut rows = RevokePlan::new(vec![old], &reason, true).rows();
                for row in &mut rows {
                    row.bucket = Some(RowStatus::Queued);
                    row.why = Some(Reason::from(Code::WhenIssued).with("issue", issue));
                }
                rows::insert(db, revoke, &rows)?;
                facts::keep(db, "reason", &reason, &reason, now.as_second())?;
                for id in [issue, revoke] {
                    set_free(db, id, &who)?;
                }
                Ok(Ok((issue, revoke)))
            })
            .await?
            .map_err(|rival| changed(&rival))?;
        self.begun(ids.0);
        self.begun(ids.1);
        Ok(ids)
    }

    /// Revokes reviewed badges: writes the job and begins it in one step.
    ///
    /// # Errors
    /// The profile is read-only, the reason is empty, or the journal cannot be used. Nothing was sent.
    pub async fn revoke(&self, plan: RevokePlan) -> Result<JobId, JobError> {
        let id = self.draft_revoke(plan, None).await?;
        self.begin_now(id, "").await?;
        Ok(id)
    }

    /// Writes a draft of a revocation for review.
    ///
    /// # Errors
    /// As [`Jobs::revoke`].
    pub async fn draft_revoke(&self, plan: RevokePlan, origin: Option<Origin>) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(&plan.reason)?;
        if plan.reason.is_empty() {
            return Err(JobError::no(t!("Enter a reason: the service requires one. Nothing was sent.")));
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

    /// Plans to undo an issue job: cancels unsent rows, revokes Issued badges, and revokes waiting badges when
    /// they become Issued. The revocation is a draft for review.
    ///
    /// # Errors
    /// The job is not an issue job of this process, or has nothing to undo.
    pub async fn undo(&self, id: JobId, reason: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(reason)?;
        let job = self.core.my_job(id).await?;
        let reason = reason.trim().to_owned();
        if job.kind != Kind::Issue {
            return Err(JobError::no(t!("Job {id} is a revocation; the service cannot undo one.", id)));
        }
        if reason.is_empty() {
            return Err(JobError::no(t!("Enter a reason: the service requires one. Nothing was sent.")));
        }
        self.cancel(id, "undo").await?;
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let undone = rules::condition(Step::Undo, job.kind, Phase::Cancelled);
        let undone = self
            .core
            .journal
            .write("plan", move |db| {
                let new = revoke_job(&reason, Some(id), false, None);
                let undo = jobs::insert(db, &account, (&me.0, &me.1), &new)?;
                let copied = db.execute(
                    &format!(
                        "INSERT INTO row (job, no, line, name, email, email_key, title, badge, bucket, why,
                                          of_job, of_no, status)
                         SELECT ?2, row_number() OVER (ORDER BY no), line, name, email, email_key, ?3, badge,
                                CASE bucket WHEN 'issued' THEN 'ready' WHEN 'other' THEN 'ready'
                                            WHEN 'revoking' THEN 'left_out' WHEN 'revoked' THEN 'left_out'
                                            ELSE 'queued' END,
                                CASE bucket WHEN 'revoking' THEN ?4 WHEN 'revoked' THEN ?5 END,
                                job, no, status
                         FROM row WHERE job = ?1 AND ({undone} OR bucket IN ('revoking', 'revoked'))"
                    ),
                    params![
                        id.0,
                        undo.0,
                        job.title.wire(),
                        Reason::from(Code::RevokingAlready),
                        Reason::from(Code::RevokedAlready)
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
                "Job {id} has nothing to undo: none of its rows was accepted. The unsent rows are cancelled.",
                id
            ))
        })
    }

    /// The row of an earlier job that gave this recipient the badge, or may have. The service may not show it
    /// yet. The reviewer can allow a second badge ([`IssuePlan::allows`]).
    pub async fn sent_before(
        &self,
        template_id: &TemplateId,
        email: &str,
    ) -> Result<Option<Rival>, JobError> {
        let (account, template, key) = (self.core.account.clone(), template_id.clone(), EmailKey::of(email));
        let read = move |db: &Connection| match accounts::known(db, &account.base_url, &account.key)? {
            Some(known) => claims::of_person(db, known, template.wire(), &key),
            None => Ok(None),
        };
        Ok(self.core.journal.read(read).await?)
    }

    pub(super) async fn begin_now(&self, id: JobId, who: &str) -> Result<(), JobError> {
        let who = who.to_owned();
        self.core.journal.write("begin", move |db| set_free(db, id, &who)).await?;
        self.begun(id);
        Ok(())
    }

    /// Wakes the sender and the follower after a job began.
    pub(super) fn begun(&self, id: JobId) {
        // The journal was just written, so earlier journal errors are cleared. A new one shows at once.
        self.core.no_trouble(id);
        self.core.changed(id, []);
        send::ensure_sender(&self.core, id);
        self.core.wake.notify_one();
    }

    /// Removes a draft. Does nothing to a job that began.
    pub async fn discard(&self, id: JobId) -> Result<(), JobError> {
        self.core.journal.write("discard", move |db| jobs::discard(db, id)).await?;
        Ok(())
    }

    /// Cancels the unsent rows of a job and returns their number. Sent rows are still followed.
    ///
    /// # Errors
    /// Another process owns the job, or the journal cannot be used.
    pub async fn cancel(&self, id: JobId, who: &str) -> Result<u64, JobError> {
        let kind = self.core.my_job(id).await?.kind;
        send::pause(&self.core, id);
        // Check an uncertain refusal first: its rows may exist, and then stay in doubt.
        let _ = self.prove_refusal(id).await;
        let who = who.to_owned();
        let called_off = self
            .core
            .journal
            .write("call off", move |db| {
                jobs::set_phase(db, id, Phase::Cancelled)?;
                let all = requests::call_off(db, id, kind)?;
                jobs::decide(db, id, None, "call off", &who, "")?;
                Ok(all)
            })
            .await?;
        self.core.changed(id, []);
        Ok(called_off)
    }
}
