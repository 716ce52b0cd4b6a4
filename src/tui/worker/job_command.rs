//! Runs job commands, which cannot be cancelled, and reads of a job's rows.

use super::index::IndexSlot;
use super::text_error;
use crate::jobs::{
    CheckProgress, DuplicateResult, JobError, PlannedRecipient, RequestsNeeded, RowField, RowFilter,
    RowSelection,
};
use crate::tui::needs;
use crate::tui::prelude::*;
use crate::tui::request::{JobReply, RowsQuery, RowsToFile};
use tokio::sync::watch;

/// An error is text for the user, which also says whether anything was changed.
/// `who` is the acting user.
pub async fn run(command: JobCommand, jobs: &Jobs, index: &IndexSlot, who: &str) -> Result<JobReply, String> {
    let done = match command {
        JobCommand::Issue(plan) => fine(jobs.issue(plan, who).await),
        JobCommand::Replace(plan, old, reason) => fine(jobs.replace(plan, old, &reason, who).await),
        JobCommand::Revoke(plan) => fine(jobs.revoke(plan, who).await),
        JobCommand::Plan(plans) => return plan(plans, jobs).await.map(JobReply::Drafts),
        JobCommand::Undo(id, reason) => match jobs.undo(id, &reason, who).await {
            Ok(draft) => return keep(jobs, vec![draft]).await.map(JobReply::Drafts),
            Err(why) => Err(why),
        },
        JobCommand::Begin(ids) => {
            for (at, id) in ids.iter().enumerate() {
                if let Err(why) = jobs.begin(*id, who).await {
                    if at == 0 {
                        return Err(why.to_string());
                    }
                    let begun = t!("{at} of {all} started before.", at, all = ids.len());
                    return Err(format!("{why} {begun}"));
                }
            }
            Ok(JobReply::Fine)
        }
        JobCommand::OpenDrafts(ids) => jobs.open_drafts(&ids).await.map(JobReply::Drafts),
        JobCommand::CloseDrafts(ids) => fine(jobs.close_drafts(&ids).await),
        JobCommand::Discard(ids) => fine(discard(jobs, &ids).await),
        JobCommand::Pause(id) => fine(jobs.pause(id).await),
        JobCommand::Resume(id) => fine(jobs.resume(id, who).await),
        JobCommand::UseUp(id) => fine(jobs.use_up_quota(id, who).await.map(|rest| drop(tokio::spawn(rest)))),
        JobCommand::Retry(id) => jobs.retry_refused(id, who).await.map(|n| {
            if n == 0 {
                return JobReply::Said(t!("Nothing was sent again: these rows need review.").to_owned());
            }
            JobReply::Said(plural!(
                n,
                "lapel is sending {n} refused row again.",
                "lapel is sending {n} refused rows again."
            ))
        }),
        JobCommand::CancelRest(id) => jobs.cancel(id, who).await.map(|n| {
            if n == 0 {
                let still = t!("lapel keeps checking what was sent, and cancels the rows that the service certainly refused.");
                return JobReply::Said(still.to_owned());
            }
            JobReply::Said(plural!(
                n,
                "{n} row was not sent and will not be. lapel keeps checking what was sent.",
                "{n} rows were not sent and will not be. lapel keeps checking what was sent."
            ))
        }),
        JobCommand::NeverSeen(id, among) => jobs.never_seen(id, among).await.map(JobReply::NeverSeen),
        JobCommand::ResendAll(id, rows, why) => {
            let sent = jobs.resend_never_seen(id, rows.clone(), who, &why).await;
            sent.map(|()| JobReply::Processed(id, rows, None))
        }
        JobCommand::LeaveRows(id, rows, why) => jobs
            .leave_rows(id, rows.clone(), who, &why)
            .await
            .map(|n| plural!(n, "{n} row is left as it is.", "{n} rows are left as they are."))
            .map(|said| JobReply::Processed(id, rows, Some(said))),
        JobCommand::CancelRows(id, rows) => jobs
            .cancel_rows(id, rows.clone(), who)
            .await
            .map(|n| plural!(n, "{n} row is cancelled.", "{n} rows are cancelled."))
            .map(|said| JobReply::Processed(id, rows, Some(said))),
        JobCommand::Resolve(id, row, decision, why) => jobs
            .resolve_row(id, row, decision, who, &why)
            .await
            .map(|()| JobReply::Processed(id, vec![row], None)),
        JobCommand::Opened(what) => fine(jobs.note_opening(&what, who).await),
        JobCommand::Look(id) => return Ok(poll_now(jobs, id).await),
        JobCommand::Allow(id, rows) => allow(jobs, id, rows).await,
        JobCommand::Skip(id, rows) => {
            let one = is_one(&rows);
            jobs.skip_rows(id, rows).await.map(|n| {
                if one {
                    JobReply::Fine
                } else {
                    JobReply::Said(plural!(n, "{n} row is skipped.", "{n} rows are skipped."))
                }
            })
        }
        JobCommand::TakeSuggestions(id, rows) => {
            jobs.take_suggestions(id, rows, &index.domains().await).await.map(JobReply::Corrected)
        }
        JobCommand::UndoDecision(id, others) => match jobs.undo_decision(id).await {
            Ok(Some(undone)) => Ok(JobReply::Undone(undone)),
            Ok(None) => jobs.last_decided(&others).await.map(JobReply::NothingUndone),
            Err(why) => Err(why),
        },
        JobCommand::Correct(id, row, name, email) => {
            fine(jobs.correct(id, row, &name, &email, &index.domains().await).await)
        }
    };
    text_error(done)
}

async fn allow(jobs: &Jobs, id: JobId, rows: RowSelection) -> Result<JobReply, JobError> {
    let one = is_one(&rows);
    let n = jobs.allow(id, rows).await?;
    if one && n == 0 {
        let text = t!(
            "This row needs review for one more reason: read it before you send the row. Nothing was sent."
        );
        return Ok(JobReply::Said(text.to_owned()));
    }
    Ok(if one { JobReply::Fine } else { JobReply::Allowed(n) })
}

/// Checks a job, or every open job.
async fn poll_now(jobs: &Jobs, id: Option<JobId>) -> JobReply {
    let polled = jobs.poll_now(id).await;
    let is_idle = polled.jobs == 0;
    match polled.why_partial() {
        Some(why) => JobReply::Warned(match id {
            Some(id) => t!("Job {id}: the check is incomplete: {why}", id, why),
            None => t!("The check is incomplete: {why}", why),
        }),
        None if is_idle => JobReply::Said(t!("There is nothing left to check.").to_owned()),
        None => JobReply::Fine,
    }
}

fn fine<T>(result: Result<T, JobError>) -> Result<JobReply, JobError> {
    result.map(|_| JobReply::Fine)
}

fn is_one(rows: &RowSelection) -> bool {
    matches!(rows, RowSelection::One(_) | RowSelection::Shown(..))
}

/// Removes each draft by itself: one that has begun meanwhile stays, and does not keep the others.
async fn discard(jobs: &Jobs, ids: &[JobId]) -> Result<(), JobError> {
    for id in ids {
        let is_draft = jobs.job(*id).await.is_ok_and(|job| job.phase == Phase::Draft);
        if is_draft {
            jobs.open_drafts(&[*id]).await?;
            jobs.discard(*id).await?;
        }
    }
    Ok(())
}

/// Writes all drafts or none.
async fn plan(
    plans: Vec<((TemplateId, Text), Vec<PlannedRecipient>)>,
    jobs: &Jobs,
) -> Result<Vec<Job>, String> {
    let mut ids = Vec::with_capacity(plans.len());
    for (template, people) in plans {
        match jobs.draft_people(template, people).await {
            Ok(id) => ids.push(id),
            Err(why) => {
                for id in ids {
                    // A draft that remains does no harm: it sends nothing.
                    let _ = jobs.discard(id).await;
                }
                return Err(why.to_string());
            }
        }
    }
    keep(jobs, ids).await
}

/// One draft after the other. After an error the drafts are unchanged.
pub async fn check_duplicates(
    jobs: &Jobs,
    ids: Vec<JobId>,
    progress: &watch::Sender<CheckProgress>,
    cancel: &CancellationToken,
) -> Result<(Vec<Job>, Vec<DuplicateResult>), String> {
    let mut found = Vec::with_capacity(ids.len());
    for id in &ids {
        found.push(text_error(jobs.check_duplicates(*id, progress, cancel.clone()).await)?);
    }
    Ok((drafts(jobs, ids).await?, found))
}

pub async fn keep(jobs: &Jobs, ids: Vec<JobId>) -> Result<Vec<Job>, String> {
    text_error(jobs.keep_drafts(&ids).await)?;
    drafts(jobs, ids).await
}

async fn drafts(jobs: &Jobs, ids: Vec<JobId>) -> Result<Vec<Job>, String> {
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        all.push(text_error(jobs.job(id).await)?);
    }
    Ok(all)
}

pub async fn saved_rows(
    jobs: &Jobs,
    query: RowsQuery,
    to_file: RowsToFile,
    clock: ServiceClock,
) -> Result<Vec<ExportRow>, String> {
    let job = text_error(jobs.job(query.job).await)?;
    let page = rows(jobs, query).await?;
    let saved = move || {
        let rows: Vec<JobRow> = page.items.into_iter().map(|(_, row)| row).collect();
        to_file(&rows, &job, &clock)
    };
    tokio::task::spawn_blocking(saved).await.map_err(|_| t!("Internal error in lapel.").to_owned())
}

/// The journal's filter of a query, for a job as it is.
fn filter_of(query: RowsQuery, snapshot: &Job) -> RowFilter {
    let RowsQuery { mut filter, page, per_page, .. } = query;
    // Rows that need a person are not hidden behind all others. A review has an order of its own.
    if filter.row_statuses.is_empty() && filter.order.is_none() && snapshot.phase != Phase::Draft {
        filter.row_statuses = needs::most_urgent_first(snapshot);
    }
    filter.skip = page.saturating_sub(1).saturating_mul(per_page);
    // Of several statuses, the one that is named first needs a person most.
    let by_status = (filter.row_statuses.len() > 1).then_some((RowField::Filter, false));
    filter.order = filter.order.or(by_status);
    filter
}

/// The place of a row in the list of a query, from 0. `None` if the list does not have it, or could not be read.
pub async fn place_of(jobs: &Jobs, query: RowsQuery, no: u64) -> Option<u64> {
    let job = query.job;
    let snapshot = jobs.job(job).await.ok()?;
    jobs.before_in_list(job, filter_of(query, &snapshot), no).await.ok()?
}

/// The requests that send these drafts. `None` if their number could not be read.
pub async fn requests_needed(jobs: &Jobs, drafts: &[JobId]) -> Option<RequestsNeeded> {
    let mut all = RequestsNeeded { least: 0, is_exact: true };
    for draft in drafts {
        let needed = jobs.requests_needed(*draft).await.ok()?;
        all.least += needed.least;
        all.is_exact &= needed.is_exact;
    }
    Some(all)
}

pub async fn rows(jobs: &Jobs, query: RowsQuery) -> Result<Page<JobRow>, String> {
    let (job, page, per_page) = (query.job, query.page, query.per_page);
    let snapshot = text_error(jobs.job(job).await)?;
    let most = usize::try_from(per_page).unwrap_or(usize::MAX);
    let filter = filter_of(query, &snapshot);
    let rows = text_error(jobs.rows(job, filter.clone(), most).await)?;
    let is_last = rows.len() < most && (filter.skip == 0 || !rows.is_empty());
    let total = if filter.text.is_none() {
        snapshot.counts.sum(|b| filter.row_statuses.is_empty() || filter.row_statuses.contains(&b))
    } else if is_last {
        // A search in a large job need not read it twice.
        filter.skip + rows.len() as u64
    } else {
        text_error(jobs.count_rows(job, &filter).await)?
    };
    Ok(Page {
        list_len: rows.len(),
        items: rows.into_iter().enumerate().collect(),
        total_count: Some(total),
        page: Some(page),
        rows_per_page: None,
        problems: Vec::new(),
    })
}
