//! One issue request, and what its answer means for each of its rows.

use super::{Next, certain, ended, halt, record_answer};
use crate::api::{ApiError, BatchRequest, Call, IssueRequest, Recipient, Writer};
use crate::domain::{Accepted, BatchAccepted, EmailKey, TemplateId, Text};
use crate::jobs::core::{Core, touched};
use crate::jobs::job::{Job, RowStatus, StopKind};
use crate::jobs::journal::requests::{self, Chunk, Ended};
use crate::jobs::journal::{jobs, rows};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::schedule::{self, Looking};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) async fn send(core: &Arc<Core>, writer: &Writer, job: &Job, chunk: Chunk, call: &Call) -> Next {
    let Some(template_id) = job.template_id.clone() else {
        return Next::Stop(StopKind::BadRequest, Code::NoTemplate.into());
    };
    let answer = ask(writer, template_id, &chunk, call).await;
    let (now, _) = core.moment();
    let at = now.as_second();
    let (id, request, rows_sent) = (job.id, chunk.request, chunk.entries.len());
    match answer {
        Ok(accepted) => {
            let looks = core.settings.schedule.clone();
            let bound = record_answer(core, id, move |db| {
                let by_key = by_address(&accepted);
                let mut bound = Vec::new();
                for entry in &chunk.entries {
                    let item = match (by_key.get(entry.key.as_str()), chunk.entries.as_slice()) {
                        (Some(Some(item)), _) => Some(*item),
                        // The response to a single issue has no address (contract, "POST /badges").
                        (_, [_]) => accepted.items.first().filter(|i| i.recipient_email.is_none()),
                        _ => None,
                    };
                    if let Some(item) = item
                        && rows::bind(db, id, entry.no, &item.badge_id, at)?
                    {
                        bound.push(touched(&item.badge_id, RowStatus::Waiting));
                    }
                }
                let (count, sent) = (accepted.accepted_count, chunk.entries.len() as u64);
                if count.is_some_and(|n| n >= sent) {
                    requests::accepted_unbound(db, request, at, &Code::NotNamed.into())?;
                } else {
                    // The service did not name some of the rows, so lapel checks whether they were accepted.
                    let said = count.unwrap_or(accepted.items.len() as u64);
                    let why = Reason::from(Code::NotNamedOf).with("accepted", said).with("sent", sent);
                    requests::settle(db, request, RowStatus::InDoubt, Some(&why))?;
                }
                let how = Ended { outcome: "accepted", status: Some(202), accepted: count, why: None };
                requests::ended(db, request, at, &how)?;
                if count.is_some_and(|n| n > sent) {
                    let note = Reason::from(Code::AcceptedMore)
                        .with("accepted", count.unwrap_or(0))
                        .with("sent", sent);
                    jobs::set_note(db, id, Some(&note))?;
                }
                let next = if bound.len() == chunk.entries.len() {
                    schedule::next(&looks, Looking::Issue, now, now)
                } else if count.is_some_and(|n| n >= sent) {
                    schedule::next(&looks, Looking::Doubt, now, now)
                } else {
                    now
                };
                jobs::look_by(db, id, next)?;
                Ok(bound)
            })
            .await;
            if let Some(bound) = bound {
                core.changed(id, bound);
            }
            Next::GoOn
        }
        Err(error) => failed(core, job, (request, rows_sent), error).await,
    }
}

async fn ask(
    writer: &Writer,
    template_id: TemplateId,
    chunk: &Chunk,
    call: &Call,
) -> Result<BatchAccepted, ApiError> {
    if let [one] = chunk.entries.as_slice() {
        let request = IssueRequest {
            template_id,
            recipient_name: one.name.clone(),
            recipient_email: one.email.clone(),
        };
        let item = writer.issue(&request, call).await?;
        return Ok(BatchAccepted {
            total_count: Some(1),
            accepted_count: Some(1),
            items: vec![item],
            problems: Vec::new(),
        });
    }
    let recipients = chunk
        .entries
        .iter()
        .map(|e| Recipient { recipient_name: e.name.clone(), recipient_email: e.email.clone() })
        .collect();
    writer.issue_batch(&BatchRequest { template_id, recipients }, call).await
}

/// The items of a response by e-mail key; `None` if two items have the same address.
fn by_address(accepted: &BatchAccepted) -> HashMap<String, Option<&Accepted>> {
    let mut by_key: HashMap<String, Option<&Accepted>> = HashMap::new();
    for item in &accepted.items {
        let Some(address) = item.recipient_email.as_ref().map(Text::wire) else { continue };
        by_key
            .entry(EmailKey::of(address).as_str().to_owned())
            .and_modify(|known| {
                if known.is_none_or(|k| k.badge_id != item.badge_id) {
                    *known = None;
                }
            })
            .or_insert(Some(item));
    }
    by_key
}

async fn failed(core: &Arc<Core>, job: &Job, (request, rows): (i64, usize), error: ApiError) -> Next {
    let id = job.id;
    let (now, _) = core.moment();
    let at = now.as_second();
    let Some((outcome, next)) = certain(&error) else {
        let accepted = matches!(error, ApiError::InDoubt { accepted: true, .. });
        record_answer(core, id, move |db| {
            let why = Reason::from(&error);
            // Of several rows, the service may have accepted a part.
            if accepted && rows == 1 {
                requests::accepted_unbound(db, request, at, &why)?;
            } else {
                requests::settle(db, request, RowStatus::InDoubt, Some(&why))?;
            }
            let outcome = if accepted { "accepted" } else { "in_doubt" };
            requests::ended(db, request, at, &ended(outcome, Some(&error)))?;
            // Poll a doubt at once. Where the service shows waiting badges, that resolves it.
            jobs::set_next_look(db, id, Some(now))
        })
        .await;
        return Next::Doubt;
    };
    // A request that the service refused as invalid would be refused again, so its rows are refused. Other errors
    // did nothing, and the rows stay ready.
    let refused = matches!(next, Next::Stop(StopKind::BadRequest, _));
    let quota = matches!(next, Next::Stop(StopKind::Quota, _));
    let stop = next.stop();
    record_answer(core, id, move |db| {
        let why = Reason::from(&error);
        if refused {
            requests::settle(db, request, RowStatus::NotDone, Some(&why))?;
        } else if quota {
            requests::keep_unproven(db, id, request)?;
        } else {
            requests::back(db, id, request)?;
        }
        halt(db, id, stop.as_ref())?;
        requests::ended(db, request, at, &ended(outcome, Some(&error)))
    })
    .await;
    next
}
