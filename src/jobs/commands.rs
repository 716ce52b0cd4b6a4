//! Commands of a person on a job: begin, pause, resume, correct, resolve, retry.

use super::core::JobsCore;
use super::duplicate_check::{self, CheckProgress};
use super::error::JobError;
use super::handle::Jobs;
use super::intake::{CheckOutcome, DomainCounts, Finding, check_person};
use super::job::{Job, JobId, JobRow, Kind, Phase};
use super::job_words::JobPart;
use super::journal::decisions::{ResolveRow, Retry, ReviewedRow, Unresolved};
use super::journal::drafts::{ReadyRow, ReviewRows};
use super::journal::earlier_drafts::EarlierRow;
use super::journal::jobs::Actor;
use super::journal::rows::{CorrectRow, RowFilter};
use super::reason::{Code, Reason};
use super::row_groups::{Decision, RowSelection, SuggestedRows};
use super::row_status::RowStatus;
use super::rules::{self, RowFacts, Step};
use super::{files, history_scan, resend, send};
use crate::i18n::number;
use crate::jobs::prelude::*;
use crate::secrets::redact;

const ROWS_AT_ONCE: usize = 1_000;

/// A person opened something that shows a masked name and address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disclosure {
    /// A possible match for an address or a name.
    Match,
    /// The wallet of this badge's holder. The person gave the id.
    WalletOf(BadgeId),
}

impl Jobs {
    /// Repeats an old duplicate check first. If that changes what would be sent, the job does not begin, and
    /// the draft needs another review.
    pub async fn begin(&self, id: JobId, who: &str) -> Result<(), JobError> {
        self.core.writer()?;
        let (job, seen) = self.core.my_job_seen(id).await?;
        if job.phase != Phase::Draft {
            return Err(JobError::no(localizable!("Job {id} has already started. Nothing was changed.", id)));
        }
        let reviewed = self.core.store.last_decision(id).await?.map(|last| last.id);
        self.core.check_again(&job, |before, now| before == now).await?;
        let open = job.counts.sum(RowStatus::is_to_send);
        if open == 0 {
            return Err(JobError::no(localizable!(
                "Job {id} has nothing to send: {rows}. Nothing was sent.",
                id,
                rows = shares(&job)
            )));
        }
        let policies = self.core.settings.policies.clone();
        let begin = self.core.store.begin(id, policies, Actor::now(who), seen, reviewed);
        self.core.written(id, begin.await).map_err(JobError::of_draft)?;
        self.core.begun(id);
        Ok(())
    }

    /// Pauses a job before its next request.
    pub async fn pause(&self, id: JobId) -> Result<(), JobError> {
        let at = Timestamp::now().as_millisecond();
        let mut job = self.core.job(id).await?;
        let is_colleagues = job.owner.as_ref().is_some_and(|owner| owner.is_colleague && owner.is_alive);
        if is_colleagues && job.can_pause() {
            self.core.writer()?;
            self.core.store.pause_of_colleague(id, self.core.store.process(), at).await?;
            self.core.changed(id, []);
            return Ok(());
        }
        job = self.core.my_job(id).await?;
        if !job.can_pause() {
            return Err(JobError::no(localizable!("Job {id} is not sending. Nothing was changed.", id)));
        }
        self.core.store.pause(id, self.core.store.process(), at).await?;
        send::pause(&self.core, id);
        self.core.changed(id, []);
        Ok(())
    }

    /// Records when, who and which key; no address and no name. Works with a read-only profile, too.
    pub async fn note_opening(&self, what: &Disclosure, who: &str) -> Result<(), JobError> {
        let account = &self.core.account.key;
        let (what, why) = match what {
            Disclosure::Match => ("open a possible match", account.clone()),
            Disclosure::WalletOf(id) => ("open the wallet of a badge id", format!("{account} {}", id.wire())),
        };
        Ok(self.core.store.note(what.to_owned(), why, Actor::now(who)).await?)
    }

    /// After a refusal that may have been the quota, first checks whether the service accepted any of the
    /// request. Also repeats an old duplicate check.
    pub async fn resume(&self, id: JobId, who: &str) -> Result<(), JobError> {
        let (job, seen) = self.core.my_job_to_send(id).await?;
        if !matches!(job.phase, Phase::Paused | Phase::Stopped) {
            return Err(JobError::no(localizable!(
                "The state of job {id} is “{state}”. Only a paused or stopped job can be resumed. Nothing was changed.",
                id,
                state = job.state()
            )));
        }
        self.prove_refusal_now(id).await?;
        self.core.same_or_fewer(&job).await?;
        self.core.written(id, self.core.store.resume(id, None, Actor::now(who), seen).await)?;
        self.core.begun(id);
        Ok(())
    }

    /// Sends refused rows again, in smaller requests, so that one bad row does not delay the others. Returns
    /// the number of rows sent; the other rows need review. After a refusal that may have been the quota,
    /// checks first as in [`Jobs::resume`].
    ///
    /// # Errors
    /// A team's database lost writes, and the person did not know of it: the error names the loss, and the same command
    /// sends the rows then.
    pub async fn retry_refused(&self, id: JobId, who: &str) -> Result<u64, JobError> {
        let (job, seen) = self.core.my_job_to_send(id).await?;
        self.prove_refusal_now(id).await?;
        self.core.read_again(&job).await?;
        let (kind, phase, actor) = (job.kind, job.phase, Actor::now(who));
        let policies = self.core.settings.policies.clone();
        let retry = self.core.store.retry(Retry { id, kind, phase, policies, actor, seen });
        let sent = self.core.written(id, retry.await)?.map_err(|loss| resend::lost(&self.core, id, loss))?;
        let Some(sent) = sent else {
            return Err(JobError::no(localizable!("Job {id} has no refused rows. Nothing was changed.", id)));
        };
        self.core.begun(id);
        Ok(sent)
    }

    /// The journal records the person and the reason.
    ///
    /// # Errors
    /// The row has another status. lapel looks for a row in doubt and does not resend it.
    pub async fn resend(&self, id: JobId, no: u64, who: &str, why: &str) -> Result<(), JobError> {
        self.resolve_row(id, no, Decision::SendAgain, who, why).await
    }

    /// For a row that was never seen, or whose found badge may belong to another row. Reads the badge that a person
    /// names: undoing the job would revoke it.
    ///
    /// # Errors
    /// The row needs no decision, or the badge is not of the row's template and address, belongs to another row, or
    /// cannot be read.
    pub async fn resolve_row(
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
        let (seen, shown) = if sends {
            let (job, seen) = self.core.my_job_to_send(id).await?;
            (seen, self.poll_before_sending(&job, no).await?)
        } else {
            let (job, seen) = self.core.my_job_seen(id).await?;
            if let Decision::IsThis(badge) = &decision {
                self.is_of_row(&job, no, badge).await?;
            }
            (seen, None)
        };
        let number = self.core.store.number_of(id, no).await?;
        let (actor, why, now) = (Actor::now(who), why.to_owned(), self.core.moment().0.as_second());
        let decide =
            self.core.store.resolve_row(ResolveRow { id, no, decision, actor, why, now, seen, shown });
        let done = self.core.written(id, decide.await)?;
        self.core.changed(id, []);
        let no = number;
        match done {
            Ok(()) if sends => {
                self.core.begun(id);
                Ok(())
            }
            Ok(()) => {
                self.core.wake.notify_one();
                Ok(())
            }
            Err(Unresolved::Review(Some(why))) => Err(JobError::NeedsReview(localizable!(
                "Row {no} of job {id} needs review: {why}. Nothing was sent. Send it again if a second badge is right.",
                no,
                id,
                why
            ))),
            Err(Unresolved::Review(None)) => Err(JobError::NeedsReview(localizable!(
                "The situation has changed. Nothing was sent. Check row {no} of job {id} again.",
                no,
                id
            ))),
            Err(Unresolved::RowStatus(row_status)) => Err(JobError::no(localizable!(
                "Row {no} of job {id} is {state}: there is nothing to resolve now. Nothing was changed.",
                no,
                id,
                state = Localizable::of(row_status.name())
            ))),
            Err(Unresolved::NoRow) => Err(JobError::no(localizable!(
                "Row {no} of job {id} was not sent, or the badge belongs to another row. Nothing was changed.",
                no,
                id
            ))),
        }
    }

    /// Allows rows that need review or that the duplicate check skipped. If another row has the same address, a
    /// group decision about another reason allows neither. A row whose reason does not say that it is a duplicate
    /// needs review once more. Returns the number of rows that will be sent.
    pub async fn allow(&self, id: JobId, which: RowSelection) -> Result<u64, JobError> {
        if let RowSelection::One(no) | RowSelection::Shown(no, _) = which {
            // A blank line, a total or a repeated header is no recipient.
            let is_no_recipient = |row: JobRow| {
                let (.., outcome, _) = check_person(row.holder.wire(), row.address.wire());
                outcome == CheckOutcome::Refused
            };
            if self.row_at(id, no).await?.is_some_and(is_no_recipient) {
                return Err(JobError::no(localizable!(
                    "This row has no valid name and address, so it cannot be sent. Nothing was changed."
                )));
            }
        }
        self.review(id, which, RowStatus::Ready, None).await
    }

    pub async fn skip_rows(&self, id: JobId, which: RowSelection) -> Result<u64, JobError> {
        self.review(id, which, RowStatus::Skipped, Some(Code::LeftOutByHand)).await
    }

    async fn review(
        &self,
        id: JobId,
        which: RowSelection,
        to: RowStatus,
        why: Option<Code>,
    ) -> Result<u64, JobError> {
        self.core.draft(id).await?;
        let why = why.map(Reason::from);
        let policies = self.core.settings.policies.clone();
        let moved = self
            .core
            .store
            .review_rows(ReviewRows { id, me: self.core.me(), which, to, why, policies })
            .await?;
        self.core.changed(id, []);
        Ok(moved)
    }

    /// Corrects and checks a row, and returns the findings. The duplicate check must run again, since the
    /// recipient may be another person now. `indexed` are the domains of the index: see [`Jobs::known_domains`].
    pub async fn correct(
        &self,
        id: JobId,
        no: u64,
        name: &str,
        email: &str,
        indexed: &[(String, u64)],
    ) -> Result<Vec<Finding>, JobError> {
        self.core.draft(id).await?;
        let (row, findings) = corrected(no, name, email, &self.domains_beside(id, indexed).await?);
        self.core.store.correct_rows(id, self.core.me(), vec![row]).await?;
        self.core.changed(id, []);
        Ok(findings)
    }

    /// The domains of earlier recipients and of the rows of a draft that may be sent.
    async fn domains_beside(&self, id: JobId, indexed: &[(String, u64)]) -> Result<DomainCounts, JobError> {
        let known = self.known_domains(indexed).await?;
        let own = self.core.store.domains_of_draft(id).await?;
        Ok(DomainCounts::new(known.into_iter().chain(own)))
    }

    /// By one decision, addresses get the domain that was probably meant, and names get the letters that they
    /// lost in a conversion. Returns the number of rows. The duplicate check must run again. `indexed` is as in
    /// [`Jobs::correct`].
    pub async fn take_suggestions(
        &self,
        id: JobId,
        rows: SuggestedRows,
        indexed: &[(String, u64)],
    ) -> Result<u64, JobError> {
        self.core.draft(id).await?;
        let domains = self.domains_beside(id, indexed).await?;
        let suggested = |row: &JobRow| {
            let (name, email) = (row.suggested_name(), row.suggested_address());
            if name.is_none() && email.is_none() {
                return None;
            }
            let name = name.unwrap_or_else(|| row.holder.wire().to_owned());
            let email = email.unwrap_or_else(|| row.address.wire().to_owned());
            let (mut correct, _) = corrected(row.no, &name, &email, &domains);
            let others = row.why.as_ref().and_then(Reason::without_suggestions);
            if correct.row_status == RowStatus::Ready && others.is_some() {
                (correct.row_status, correct.why) = (RowStatus::NeedsReview, others);
            }
            Some(correct)
        };
        let mut taken = Vec::new();
        match rows {
            SuggestedRows::One(no) => taken.extend(self.row_at(id, no).await?.as_ref().and_then(suggested)),
            SuggestedRows::Group(key) => {
                let row_statuses = vec![RowStatus::NeedsReview];
                let mut filter = RowFilter { row_statuses, group: Some(key), ..RowFilter::default() };
                loop {
                    let page = self.rows(id, filter.clone(), ROWS_AT_ONCE).await?;
                    taken.extend(page.iter().filter_map(suggested));
                    match page.last() {
                        Some(last) if page.len() == ROWS_AT_ONCE => filter.after = last.no,
                        _ => break,
                    }
                }
            }
        }
        let n = taken.len() as u64;
        if n > 0 {
            self.core.store.correct_rows(id, self.core.me(), taken).await?;
            self.core.changed(id, []);
        }
        Ok(n)
    }

    /// Repeats the decisions of earlier drafts of a file in new ones, one by one in their order, as far as they apply to
    /// the same rows with the same fields. A permission to send a second badge does not apply: the duplicate check asks
    /// again. Returns the number of rows with a decision that no longer applies. `indexed` is as in [`Jobs::correct`].
    pub async fn keep_decisions(
        &self,
        earlier: &[JobId],
        new: &[JobId],
        indexed: &[(String, u64)],
    ) -> Result<u64, JobError> {
        if earlier.is_empty() {
            return Ok(0);
        }
        let mut earlier = earlier.to_vec();
        earlier.sort_unstable();
        // A decision applies in one of the new drafts, or in none.
        let mut lost: Option<BTreeSet<EarlierRow>> = None;
        for id in new {
            let found = self.core.store.earlier_decisions(earlier.clone(), *id).await?;
            let domains = self.domains_beside(*id, indexed).await?;
            let again = |(no, name, email): &(u64, String, String)| corrected(*no, name, email, &domains).0;
            for rows in found.by_decision.into_values() {
                if !rows.corrected.is_empty() {
                    let rows = rows.corrected.iter().map(again).collect();
                    self.core.store.correct_rows(*id, self.core.me(), rows).await?;
                }
                if !rows.skipped.is_empty() {
                    self.skip_rows(*id, RowSelection::These(rows.skipped)).await?;
                }
                if !rows.allowed.is_empty() {
                    self.allow(*id, RowSelection::These(rows.allowed)).await?;
                }
            }
            lost = Some(match lost {
                Some(lost) => &lost & &found.lost,
                None => found.lost,
            });
        }
        Ok(lost.unwrap_or_default().len() as u64)
    }

    /// Undoes the last decision of a draft's review. `None` if there is none. After an undone correction, the
    /// duplicate check must run again.
    pub async fn undo_decision(&self, id: JobId) -> Result<Option<Undone>, JobError> {
        self.core.draft(id).await?;
        let Some(last) = self.core.store.last_decision(id).await? else { return Ok(None) };
        let policies = self.core.settings.policies.clone();
        let undone = self.core.store.undo_decision(id, self.core.me(), last, policies).await?;
        self.core.changed(id, []);
        let is_last = self.core.store.last_decision(id).await.is_ok_and(|earlier| earlier.is_none());
        Ok(undone.then_some(Undone { rows: last.rows, first: last.first, corrected: last.corrects, is_last }))
    }

    /// The draft of these with the last decision that can be undone.
    pub async fn last_decided(&self, drafts: &[JobId]) -> Result<Option<JobId>, JobError> {
        let mut last = None;
        for draft in drafts {
            let decision = self.core.store.last_decision(*draft).await?;
            last = last.max(decision.map(|decision| (decision.id, *draft)));
        }
        Ok(last.map(|(_, draft)| draft))
    }

    async fn row_at(&self, id: JobId, no: u64) -> Result<Option<JobRow>, JobError> {
        let filter = RowFilter { after: no.saturating_sub(1), ..RowFilter::default() };
        Ok(self.rows(id, filter, 1).await?.pop().filter(|row| row.no == no))
    }

    /// Refuses a badge that is not of the row's template and address.
    async fn is_of_row(&self, job: &Job, no: u64, badge: &BadgeId) -> Result<(), JobError> {
        // The decision refuses such a row, and says why.
        let is_open = |row: &JobRow| rules::may(Step::Resolve, RowFacts::of(job, row));
        let Some(row) = self.row_at(job.id, no).await?.filter(is_open) else { return Ok(()) };
        let email = row.address.wire();
        let call = Call::interactive();
        let seen = match history_scan::badge_for(self.core.reader(), badge, email, &call).await {
            Err(ApiError::BadRequest(_) | ApiError::BadInput { .. }) => None,
            seen => seen?,
        };
        let Some(seen) = seen else {
            return Err(JobError::no(localizable!(
                "The service does not show badge {badge}, so lapel cannot check whose it is. It may still be waiting: try again when it is Issued. Nothing was changed.",
                badge
            )));
        };
        let is_template = match &seen.template_id {
            Some(template) => job.template_id.as_ref() == Some(template),
            None => seen.title.as_ref() == Some(&job.title),
        };
        if is_template && seen.key().is_some_and(|key| !email.is_empty() && key.is(email)) {
            return Ok(());
        }
        let title = seen.title.unwrap_or_default();
        Err(JobError::no(localizable!(
            "Badge {badge} is not of row {no} of job {id}: it is “{title}” of {holder} {address}. Nothing was changed.",
            badge,
            no = row.number(),
            id = job.id,
            title = seen.template_id.map_or_else(|| title.to_string(), |id| format!("{title} ({id})")),
            holder = seen.holder.unwrap_or_default(),
            address = seen.email.unwrap_or_default()
        )))
    }

    /// Looks for the badges of a row that a person wants to send, whenever the job was checked: a duplicate check does
    /// not read rows that were sent before, and what it found is old as soon as a late badge may have come. Returns what
    /// the person was shown before that; what changes it needs another decision. Refuses if other rows of the job would
    /// be sent, too.
    async fn poll_before_sending(&self, job: &Job, no: u64) -> Result<Option<ReviewedRow>, JobError> {
        let id = job.id;
        resend::has_no_rest(job)?;
        let shown = self.core.store.reviewed_row(id, no).await?;
        let Some(row) = &shown else { return Ok(None) };
        if row.row_status == RowStatus::NeverSeen {
            self.poll_now(Some(id)).await.assure_complete(|why| {
                localizable!(
                    "lapel could not read the history again: {why} Nothing was sent. Try again.",
                    why
                )
            })?;
        } else {
            self.core.read_again(job).await?;
        }
        // Of a row that needs review now, it names the badge.
        duplicate_check::look_up(&self.core, job, no).await?;
        Ok(shown)
    }
}

impl JobsCore {
    async fn draft(&self, id: JobId) -> Result<Job, JobError> {
        let job = self.my_job(id).await?;
        if job.phase == Phase::Draft {
            Ok(job)
        } else {
            Err(JobError::no(localizable!("Job {id} has started; its rows can no longer be changed.", id)))
        }
    }

    /// `None` if the duplicate check is not old, otherwise the job after it was repeated.
    async fn read_again(self: &Arc<Self>, job: &Job) -> Result<Option<Job>, JobError> {
        let job = self.job(job.id).await?;
        if job.kind != Kind::Issue || !duplicate_check::is_stale(self, &job) {
            return Ok(None);
        }
        let (progress, _) = watch::channel(CheckProgress::default());
        let checked =
            duplicate_check::check_duplicates(self, &job, &progress, CancellationToken::new()).await?;
        self.changed(job.id, []);
        if !checked.complete && !self.settings.policies.allows_duplicates() {
            return Err(duplicate_check::incomplete());
        }
        Ok(Some(self.job(job.id).await?))
    }

    /// Repeats an old duplicate check, and compares the rows that the job would send before and after it.
    ///
    /// # Errors
    /// They differ in a way that a person must review.
    async fn check_again(
        self: &Arc<Self>,
        job: &Job,
        is_fine: impl FnOnce(&[ReadyRow], &[ReadyRow]) -> bool,
    ) -> Result<(), JobError> {
        if job.kind != Kind::Issue || !duplicate_check::is_stale(self, job) {
            return Ok(());
        }
        let before = self.store.ready_rows(job.id).await?;
        let Some(now) = self.read_again(job).await? else { return Ok(()) };
        if is_fine(&before, &self.store.ready_rows(job.id).await?) {
            return Ok(());
        }
        Err(JobError::no(localizable!(
            "The situation has changed since the review: {rows}. Nothing was sent. Review the rows again.",
            rows = shares(&now)
        )))
    }

    /// Rows that now need review are not sent, but none that nobody has seen among those to send.
    pub(super) async fn same_or_fewer(self: &Arc<Self>, job: &Job) -> Result<(), JobError> {
        self.check_again(job, |before, now| now.iter().all(|row| before.binary_search(row).is_ok())).await
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undone {
    pub rows: u64,
    pub first: u64,
    pub corrected: bool,
    /// Whether there is no earlier decision to undo.
    pub is_last: bool,
}

/// A row whose domain looks mistyped needs review, as it does in a file.
fn corrected(no: u64, name: &str, email: &str, domains: &DomainCounts) -> (CorrectRow, Vec<Finding>) {
    let (name, email, outcome, findings) = check_person(name, email);
    let (mut row_status, mut why) = files::placed(outcome, &findings);
    if matches!(row_status, RowStatus::Ready | RowStatus::NeedsReview)
        && let Some(meant) = EmailKey::of(&email).domain().and_then(|domain| domains.meant(domain))
    {
        why = Some(Reason::domain_slip(why.filter(|_| row_status == RowStatus::NeedsReview), &meant));
        row_status = RowStatus::NeedsReview;
    }
    let (name, email) = (redact(&name).into_owned(), redact(&email).into_owned());
    (CorrectRow { no, name, email, row_status, why }, findings)
}

/// Rows per status: `3 skipped, 2 invalid`.
pub fn shares(job: &Job) -> Localizable {
    if job.counts.total() == 0 {
        return localizable!("it has no rows");
    }
    let held = JobPart { status: RowStatus::Ready, rows: job.held_by_refusal(), is_held: true };
    let perhaps = (held.rows > 0).then(|| (held.rows, job.part_words(held)));
    let certain = job.counts.iter().map(|(status, n)| {
        let n = if status == RowStatus::Ready { n.saturating_sub(held.rows) } else { n };
        (n, Localizable::of(status.name()))
    });
    let all = perhaps.into_iter().chain(certain.filter(|(n, _)| *n > 0));
    list(all.map(|(n, word)| localizable!("{n} {word}", n = number(n), word)))
}
