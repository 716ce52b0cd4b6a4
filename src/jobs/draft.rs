//! Drafts: planned jobs, written to the journal before the review. A draft sends nothing.

use super::core::JobsCore;
use super::error::JobError;
use super::handle::Jobs;
use super::job::{Job, JobId, JobOrigin, Kind, Phase};
use super::journal::JournalError;
use super::journal::behaviour::KeptValue;
use super::journal::claims::Rival;
use super::journal::drafts::{CreateJob, IssueOne, PlanUndo, Replace};
use super::journal::jobs::{Actor, NewJob, SeenJob};
use super::journal::rows::NewRow;
use super::plan::{IssuePlan, PlannedRecipient, RevokePlan, RevokeTarget, own_word, placed};
use super::row_status::RowStatus;
use super::rules::{Step, count};
use super::send;
use crate::jobs::prelude::*;

fn revoked_rows(plan: &RevokePlan) -> Vec<NewRow> {
    let row = |v: &RevokeTarget| {
        let (row_status, why) = placed(&v.state, plan.when_issued);
        NewRow {
            name: v.holder.wire().to_owned(),
            email: v.email.wire().to_owned(),
            title: Some(v.title.wire().to_owned()),
            badge: Some(v.badge_id.clone()),
            row_status: Some(row_status),
            why,
            status: own_word(&v.state),
            ..NewRow::default()
        }
    };
    plan.targets().iter().map(row).collect()
}

fn new_job(kind: Kind, title: &str, origin: Option<JobOrigin>) -> NewJob {
    NewJob {
        kind,
        template: None,
        title: title.to_owned(),
        origin,
        follows: None,
        after: false,
        created: Timestamp::now().as_millisecond(),
    }
}

pub(super) fn issue_job(template_id: &TemplateId, title: &Text, origin: Option<JobOrigin>) -> NewJob {
    NewJob { template: Some(template_id.clone()), ..new_job(Kind::Issue, title.wire(), origin) }
}

fn changed(rival: &Rival) -> JobError {
    JobError::NeedsReview(localizable!(
        "The situation has changed since the review: {why}. Nothing was sent. Review it again.",
        why = rival.why()
    ))
}

impl Jobs {
    /// Writes the job and begins it in one step.
    ///
    /// # Errors
    /// The profile is read-only, the journal cannot be used, or another row has served the recipient and the
    /// reviewer did not see that. Nothing was sent.
    pub async fn issue(&self, plan: IssuePlan, who: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(&plan.recipient_name)?;
        JobError::unless_key(plan.recipient_email.as_str())?;
        let issued = self.core.store.issue_one(self.core.issue_one(plan, who)).await;
        let issued = issued.map_err(|why| JobError::from(why).of_draft())?;
        let id = issued.map_err(|rival| changed(&rival))?;
        self.core.begun(id);
        Ok(id)
    }

    /// Writes one draft for several recipients. The caller has checked the recipients.
    pub async fn draft_people(
        &self,
        (template_id, title): (TemplateId, Text),
        people: Vec<PlannedRecipient>,
    ) -> Result<JobId, JobError> {
        self.core.writer()?;
        let row = |one: PlannedRecipient| NewRow { name: one.name, email: one.email, ..NewRow::default() };
        let rows = people.into_iter().map(row).collect();
        self.core.create_job(issue_job(&template_id, &title, None), rows, None).await
    }

    /// Issues a corrected badge, and revokes the old one when the new one is Issued. So the holder always has
    /// a badge, and for a while two. One step writes both jobs.
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
        let reason = reason.trim();
        let replace = Replace {
            issue: self.core.issue_one(plan, who),
            old: old.badge_id.clone(),
            revoke: new_job(Kind::Revoke, reason, None),
            rows: revoked_rows(&RevokePlan::new(vec![old], reason, true)),
            reason: self.core.kept_reason(reason),
        };
        let replaced = self.core.store.replace(replace).await;
        let replaced = replaced.map_err(|why| JobError::from(why).of_draft())?;
        let ids = replaced.map_err(|rival| changed(&rival))?;
        self.core.begun(ids.0);
        self.core.begun(ids.1);
        Ok(ids)
    }

    /// Writes the job of a reviewed revocation and begins it in one step.
    ///
    /// # Errors
    /// The profile is read-only, the reason is empty, or the journal cannot be used. Nothing was sent.
    pub async fn revoke(&self, plan: RevokePlan, who: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(plan.reason())?;
        JobError::unless_empty(plan.reason())?;
        let id = self.core.create_revocation(plan.reason(), revoked_rows(&plan), None).await?;
        self.core.begin_now(id, who, SeenJob::new_draft(&self.core.store.process())).await?;
        Ok(id)
    }

    /// Cancels unsent rows, revokes Issued badges, and revokes waiting badges when they become Issued. The
    /// revocation is a draft for review. Changes nothing if no row was accepted and none is unsent.
    pub async fn undo(&self, id: JobId, reason: &str, who: &str) -> Result<JobId, JobError> {
        self.core.writer()?;
        JobError::unless_key(reason)?;
        let job = self.core.my_job(id).await?;
        let reason = reason.trim().to_owned();
        if job.kind != Kind::Issue {
            return Err(JobError::no(localizable!(
                "Job {id} is a revocation; the service cannot undo one.",
                id
            )));
        }
        JobError::unless_empty(&reason)?;
        let of = |status| job.counts.of(status);
        let accepted = count(Step::Undo, &job) + of(RowStatus::Revoking) + of(RowStatus::Revoked);
        if accepted == 0 && !job.has_rest() {
            return Err(JobError::no(localizable!(
                "{why} Nothing was changed.",
                why = job.nothing_to_undo()
            )));
        }
        // Also with nothing unsent: a retry that reads the history now would send rows that the draft does not have.
        let cancelled = self.cancel_unsent(id, job.kind, who).await?;
        let undo = PlanUndo {
            account: self.core.account.clone(),
            owner: self.core.store.process(),
            issue: id,
            kind: job.kind,
            title: job.title,
            revoke: NewJob { follows: Some(id), ..new_job(Kind::Revoke, &reason, None) },
            reason: self.core.kept_reason(&reason),
        };
        if let Some(undone) = self.core.store.plan_undo(undo).await? {
            return Ok(undone);
        }
        // Rows that were on their way may have their answers now.
        let why = self.core.my_job(id).await?.nothing_to_undo();
        Err(JobError::no(if cancelled == 0 {
            localizable!("{why} The job is cancelled.", why)
        } else {
            localizable_plural!(
                cancelled,
                "{why} {n} unsent row is cancelled.",
                "{why} {n} unsent rows are cancelled.",
                why
            )
        }))
    }

    /// A row of an earlier job that gave this recipient the badge, or may have. The service may not show it
    /// yet. The reviewer can allow a second badge ([`IssuePlan::allows`]).
    pub async fn sent_before(
        &self,
        template_id: &TemplateId,
        email: &str,
    ) -> Result<Option<Rival>, JobError> {
        let key = EmailKey::of(email);
        Ok(self.core.store.sent_before(self.core.account.clone(), template_id.clone(), key).await?)
    }

    /// Keeps complete drafts, so that a review can continue after it was closed, or after the process ended.
    pub async fn keep_drafts(&self, ids: &[JobId]) -> Result<(), JobError> {
        Ok(self.core.store.keep_drafts(ids.to_vec()).await?)
    }

    /// The kept drafts of this profile's service and key, newest first. Some may be open in another process.
    pub async fn kept_drafts(&self) -> Result<Vec<Job>, JobError> {
        let abandoned = self.core.abandoned().await?;
        let (account, me) = (self.core.account.clone(), self.core.me());
        let kept = self.core.store.kept_drafts(account, me).await?;
        Ok(kept.into_iter().map(|draft| self.core.as_it_is(draft, &abandoned)).collect())
    }

    pub async fn open_drafts(&self, ids: &[JobId]) -> Result<Vec<Job>, JobError> {
        self.core.writer()?;
        let (account, owner) = (self.core.account.clone(), self.core.store.process());
        let owners = self.core.store.other_owners(account.clone(), self.core.me()).await?;
        let living = self.core.store.living(owners).await?;
        if !self.core.store.open_drafts(ids.to_vec(), account, owner, living).await? {
            return Err(self.core.why_not_open(ids).await?);
        }
        let mut all = Vec::with_capacity(ids.len());
        for id in ids {
            all.push(self.core.job(*id).await?);
        }
        Ok(all)
    }

    /// Any process may then open them again.
    pub async fn close_drafts(&self, ids: &[JobId]) -> Result<(), JobError> {
        Ok(self.core.store.close_drafts(ids.to_vec(), self.core.me()).await?)
    }

    /// Does nothing to a job that began, nor in a copy of the journal, which ends with this process.
    pub async fn discard(&self, id: JobId) -> Result<(), JobError> {
        // Removing a million rows first would take seconds.
        if self.core.journal.is_temporary() {
            return Ok(());
        }
        Ok(self.core.store.discard(id, self.core.me()).await?)
    }

    /// Sent rows are still followed. Returns the number of cancelled rows.
    pub async fn cancel(&self, id: JobId, who: &str) -> Result<u64, JobError> {
        let job = self.core.my_job(id).await?;
        if !job.has_rest() {
            return Err(JobError::no(localizable!(
                "Job {id} has nothing left to cancel. Nothing was changed.",
                id
            )));
        }
        self.cancel_unsent(id, job.kind, who).await
    }

    async fn cancel_unsent(&self, id: JobId, kind: Kind, who: &str) -> Result<u64, JobError> {
        send::pause(&self.core, id);
        // The rows of an uncertain refusal may exist, and then stay in doubt.
        let _ = self.prove_refusal(id).await;
        let cancelled = self.core.store.cancel(id, kind, Actor::now(who), self.core.store.process()).await?;
        self.core.changed(id, []);
        Ok(cancelled)
    }
}

impl JobsCore {
    pub(super) async fn begin_now(
        self: &Arc<Self>,
        id: JobId,
        who: &str,
        seen: SeenJob,
    ) -> Result<(), JobError> {
        self.written(id, self.store.start(id, Actor::now(who), seen).await)?;
        self.begun(id);
        Ok(())
    }

    pub(super) fn begun(self: &Arc<Self>, id: JobId) {
        // The journal was just written, so earlier journal errors are over. A new one shows at once.
        self.no_trouble(id);
        self.changed(id, []);
        send::ensure_sender(self, id);
        self.wake.notify_one();
    }

    fn issue_one(&self, plan: IssuePlan, who: &str) -> IssueOne {
        IssueOne {
            account: self.account.clone(),
            owner: self.store.process(),
            job: issue_job(&plan.template_id, &plan.title, None),
            plan,
            now: self.moment().0,
            actor: Actor::now(who),
        }
    }

    async fn create_job(
        &self,
        job: NewJob,
        rows: Vec<NewRow>,
        reason: Option<KeptValue>,
    ) -> Result<JobId, JobError> {
        let (account, owner) = (self.account.clone(), self.store.process());
        let create = CreateJob { account, owner, job, rows, reason };
        self.store.create_job(create).await.map_err(|why| JobError::from(why).of_draft())
    }

    pub(super) async fn create_revocation(
        &self,
        reason: &str,
        rows: Vec<NewRow>,
        origin: Option<JobOrigin>,
    ) -> Result<JobId, JobError> {
        self.create_job(new_job(Kind::Revoke, reason, origin), rows, Some(self.kept_reason(reason))).await
    }

    /// The reason of a revocation, to offer again.
    fn kept_reason(&self, reason: &str) -> KeptValue {
        KeptValue::of("reason", reason, self.moment().0.as_second())
    }

    /// The result of a write that may let a job run. Without the answer of a team's database nobody knows whether it
    /// does: the snapshot then shows it as stopped, so that a person can resume it.
    pub(super) fn written<T>(&self, id: JobId, done: Result<T, JournalError>) -> Result<T, JobError> {
        Ok(done.inspect_err(|why| {
            if why.is_away() {
                self.trouble(id, why);
            }
        })?)
    }

    /// Why these drafts cannot be opened.
    async fn why_not_open(&self, ids: &[JobId]) -> Result<JobError, JobError> {
        for &id in ids {
            let Some(job) = self.find_job(id).await? else {
                return Ok(JobError::no(localizable!("Draft {id} was discarded. Nothing was changed.", id)));
            };
            if job.phase != Phase::Draft {
                return Ok(JobError::no(localizable!(
                    "Draft {id} was started: it is a job now. Nothing was changed. Activity shows it.",
                    id
                )));
            }
            if let Some(owner) = job.open_elsewhere() {
                return Ok(JobError::no(localizable!(
                    "Draft {id} is open in another lapel ({owner}). Nothing was changed. Close it there first.",
                    id,
                    owner = owner.label
                )));
            }
        }
        Ok(JobError::no(localizable!(
            "The draft was open in another lapel a moment ago. Nothing was changed. Try again."
        )))
    }
}
