//! The review of what lapel is about to send, for users and programs, and the confirmation.

use super::json::fields;
use super::sending::SendingOutcome;
use super::session::VerbSession;
use super::{confirm, job_text};
use crate::cli::prelude::*;
use crate::domain::confirm_text::ConfirmText;
use crate::jobs::{Code, DuplicateResult, JobPart, JobRow, Kind, RowFilter, RowGroup, request_count};

/// The review lists at most this many rows one by one.
const FEW: u64 = 10;
const PAGE: usize = 1000;

fn is_held_back(part: &JobPart) -> bool {
    part.status.is_held_back()
}

#[derive(Clone, Debug)]
pub(super) struct Drafted {
    pub job: Job,
    pub checked: Option<DuplicateResult>,
}

impl Drafted {
    /// Rows that will be sent, now or when their badge is Issued.
    pub fn to_send(&self) -> u64 {
        self.job.counts.sum(RowStatus::is_to_send)
    }

    /// Whether the duplicate check could read everything. If not, a recipient may already hold the badge.
    pub fn is_complete(&self) -> bool {
        self.checked.as_ref().is_none_or(|g| g.complete)
    }

    /// `requests`: at least as many send the rows.
    fn described(&self, requests: u64) -> Map<String, Value> {
        let mut described = super::json::job(&self.job);
        let classes: Map<String, Value> = self
            .checked
            .iter()
            .flat_map(|g| &g.classes)
            .map(|(class, n)| (class.code().to_owned(), (*n).into()))
            .collect();
        let unsent: Vec<Value> = self
            .checked
            .iter()
            .flat_map(|g| &g.unsent)
            .map(|(job, n)| json!({ "job": job.0, "rows": n }))
            .collect();
        described.extend(fields(json!({
            "would_send": self.to_send(),
            "requests": requests,
            "classes": classes,
            "guard_complete": self.is_complete(),
            "unsent_elsewhere": unsent,
        })));
        described
    }
}

impl VerbSession {
    /// Rows that need review, are invalid, or that the duplicate check skipped; no blank lines and totals, and no rows
    /// that a person skipped.
    pub async fn held_back(&self, job: &Job) -> Result<u64, Failure> {
        let mut all = job.counts.of(RowStatus::NeedsReview) + job.counts.of(RowStatus::Invalid);
        if job.kind == Kind::Revoke {
            return Ok(all + job.counts.of(RowStatus::Skipped));
        }
        let mut after = 0;
        loop {
            let filter = RowFilter { row_statuses: vec![RowStatus::Skipped], after, ..RowFilter::default() };
            let rows = self.jobs.rows(job.id, filter, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(all) };
            after = last.no;
            let by_hand = [Code::LeftOutByHand, Code::CancelledUnsent, Code::SettledOtherwise];
            let is_by_hand = |row: &JobRow| row.why.as_ref().is_some_and(|why| by_hand.contains(&why.code()));
            all += rows.iter().filter(|row| row.class.is_some() && !is_by_hand(row)).count() as u64;
        }
    }

    /// The badges in an unknown state that a drafted revocation would send.
    pub async fn unknown_states(&self, job: &Job) -> Result<Option<RowGroup>, Failure> {
        if job.kind != Kind::Revoke {
            return Ok(None);
        }
        Ok(self.jobs.groups(job.id).await?.into_iter().find(RowGroup::is_of_unknown_state))
    }

    pub async fn review(&self, what: &[String], drafts: &[Drafted]) -> Result<String, Failure> {
        let mut lines = vec![format!(
            "{}  {}  {}",
            self.profile.environment,
            scrub(&self.profile.label()),
            self.profile.base_url
        )];
        lines.extend(what.iter().cloned());
        for draft in drafts {
            let job = &draft.job;
            lines.push(match (job.kind, &job.template_id) {
                (Kind::Issue, Some(id)) => t!("Issue {title} ({id})", title = job.title, id),
                (Kind::Issue, None) => t!("Issue {title}", title = job.title),
                (Kind::Revoke, _) => t!("Revoke, reason: {title}", title = job.title),
            });
            // The ids of a command come from no file.
            if let (Kind::Revoke, Some(origin)) =
                (job.kind, job.origin.as_ref().filter(|it| it.file.is_some()))
            {
                lines.push(format!("  {}", origin.words()));
            }
            let ready = job.counts.of(RowStatus::Ready);
            let needed = self.jobs.requests_needed(job.id).await?;
            let mut requests = count!(needed.least, "request", "requests");
            if !needed.is_exact {
                requests = t!("at least {count}", count = requests);
            }
            lines.push(format!("  {}  {}", number(ready), t!("will be sent in {requests}", requests)));
            let unknown = self.unknown_states(job).await?;
            if let Some(group) = &unknown {
                let of_these = t!("of these in a state that lapel does not know: the service decides");
                lines.push(format!("  {}  {of_these}", number(group.rows)));
            }
            for (row_status, n) in job.counts.iter().filter(|(b, _)| *b != RowStatus::Ready) {
                let (n, word) = (number(n), tr(row_status.name()));
                lines.push(match row_status {
                    RowStatus::NeedsReview => format!("  {n}  {}", t!("{word}: not sent", word)),
                    _ => format!("  {n}  {word}"),
                });
            }
            let (heading, group) = if draft.to_send() <= FEW {
                (t!("Will be sent:"), None)
            } else {
                (t!("Will be sent, state unknown:"), unknown)
            };
            if draft.to_send() <= FEW || group.is_some() {
                lines.extend(job_text::under(
                    &format!("  {heading}"),
                    job_text::indented(&self.some_rows(job, |part| part.status.is_to_send(), group).await?),
                ));
            }
            let found: Vec<String> = draft
                .checked
                .iter()
                .flat_map(|g| &g.classes)
                .map(|(class, n)| t!("{n} {word}", n = number(*n), word = tr(class.name())))
                .collect();
            if !found.is_empty() {
                lines.push(format!("  {}", t!("found: {what}", what = list(found))));
            }
            for warning in draft.checked.iter().flat_map(|d| d.warnings(&self.reader.clock())) {
                lines.push(format!("  {warning}"));
            }
            if !draft.is_complete() {
                let said =
                    t!("lapel could not read the whole history: some recipients may already hold the badge.");
                lines.push(format!("  {said}"));
            }
            let rows = self.some_rows(job, is_held_back, None).await?;
            lines.extend(job_text::under(&format!("  {}", t!("Not sent:")), job_text::indented(&rows)));
        }
        Ok(lines.join("\n"))
    }

    /// What a `--dry-run` answers. `more` are fields of the JSON.
    pub async fn preview(
        &self,
        what: &[String],
        drafts: &[Drafted],
        (code, held_back): (u8, u64),
        more: Value,
    ) -> Result<(), Failure> {
        if !self.json {
            let review = self.review(what, drafts).await?;
            return Ok(output::answer(&format!("{review}\n{}", t!("Nothing was sent (--dry-run).")))?);
        }
        let batch = self.jobs.settings().batch;
        let mut described: Vec<Value> = Vec::new();
        for draft in drafts {
            let requests = match draft.job.kind {
                Kind::Issue => self.jobs.requests_needed(draft.job.id).await?.least,
                Kind::Revoke => request_count(draft.to_send(), batch),
            };
            described.push(draft.described(requests).into());
        }
        let would_send: u64 = drafts.iter().map(Drafted::to_send).sum();
        let mut all = fields(json!({ "ok": code == exit::OK, "exit_code": code, "dry_run": true }));
        all.extend(fields(more));
        all.extend(fields(json!({ "would_send": would_send, "held_back": held_back, "jobs": described })));
        let jobs: Vec<Job> = drafts.iter().map(|draft| draft.job.clone()).collect();
        self.answer_with_rows(all, &jobs, is_held_back).await
    }

    /// The user types the number and, for LIVE, the organisation's short name.
    pub async fn confirmed(&mut self, review: &str, kind: Kind, n: u64) -> Result<(), Failure> {
        self.progress.clear();
        let badges = count!(n, "badge", "badges");
        let wanted = self.wanted(n);
        let question = match kind {
            Kind::Issue => t!("Type {n} to issue {badges}; anything else sends nothing:", n = wanted, badges),
            Kind::Revoke => {
                t!("Type {n} to revoke {badges}; anything else sends nothing:", n = wanted, badges)
            }
        };
        self.typed(review, &question, wanted).await
    }

    /// For LIVE, the user confirms that a reviewed job sends this many rows (again). `resumes`: the rows not sent yet.
    pub async fn confirmed_again(&mut self, job: &Job, rows: u64, resumes: bool) -> Result<(), Failure> {
        if rows == 0 || !self.is_live() {
            return Ok(());
        }
        confirm::somebody_is_there_again(false)?;
        self.progress.clear();
        let resume = job.resume_words().filter(|_| resumes);
        let review = [job_text::head(job)].into_iter().chain(resume.map(|words| words.to_string()));
        self.confirmed_group(&review.collect::<Vec<_>>().join("\n"), job.id, rows).await
    }

    /// In every environment, the user types the number of rows to send again.
    pub async fn confirmed_group(&mut self, review: &str, id: JobId, rows: u64) -> Result<(), Failure> {
        let what = count!(rows, "row", "rows");
        let wanted = self.wanted(rows);
        let question = t!(
            "Type {rows} to send {what} of job {id}; anything else sends nothing:",
            rows = wanted,
            what,
            id
        );
        self.typed(review, &question, wanted).await
    }

    fn wanted(&self, n: u64) -> ConfirmText {
        if self.is_live() {
            ConfirmText::live(n, self.profile.short_name.as_deref(), &self.profile.label())
        } else {
            ConfirmText::number(n)
        }
    }

    async fn typed(&self, review: &str, question: &str, wanted: ConfirmText) -> Result<(), Failure> {
        if confirm::asked(review, question, move |typed| wanted.is_typed(typed), &self.interrupt).await {
            return Ok(());
        }
        Err(Failure::usage(t!("Not confirmed. Nothing was sent.")).of_kind("not_confirmed"))
    }

    /// Removes drafts that did not become jobs.
    pub async fn discard(&self, drafts: &[Drafted]) {
        for draft in drafts {
            // The next start of lapel removes a draft that is still there.
            let _ = self.jobs.discard(draft.job.id).await;
        }
    }
}

/// Asks for confirmation unless `yes`, begins the revocation, and waits for the answers.
pub(super) async fn begin_revoking(
    session: &mut VerbSession,
    id: JobId,
    yes: bool,
    wait: bool,
) -> Result<SendingOutcome, Failure> {
    let done = revoked(session, id, yes, wait).await;
    session.of_draft(id, done).await
}

async fn revoked(
    session: &mut VerbSession,
    id: JobId,
    yes: bool,
    wait: bool,
) -> Result<SendingOutcome, Failure> {
    let draft = Drafted { job: session.jobs.job(id).await?, checked: None };
    if draft.to_send() == 0 {
        let shares = crate::jobs::shares(&draft.job);
        return Err(Failure::new("nothing_to_send", t!("There is nothing to revoke: {shares}.", shares)));
    }
    if !yes {
        let review = session.review(&[], std::slice::from_ref(&draft)).await?;
        session.confirmed(&review, Kind::Revoke, draft.to_send()).await?;
    }
    session.interrupt.will_send();
    let who = session.who.clone();
    session.jobs.begin(id, &who).await?;
    Ok(session.see_through(&[id], wait).await)
}
