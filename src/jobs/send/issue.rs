//! One issue request, and what its answer means for each of its rows.

use super::{Next, answer_to, failed, record_response};
use crate::api::{BatchRequest, IssueRequest, Recipient, Writer};
use crate::domain::{Accepted, BatchAccepted};
use crate::jobs::core::JobsCore;
use crate::jobs::job::{Job, StopKind, Touched};
use crate::jobs::journal::record_response::IssueResponse;
use crate::jobs::journal::requests::{Chunk, RequestEntry};
use crate::jobs::prelude::*;
use crate::jobs::reason::Code;
use crate::jobs::row_status::RowStatus;

pub(super) async fn send(
    core: &Arc<JobsCore>,
    writer: &Writer,
    job: &Job,
    chunk: Chunk,
    call: &Call,
) -> Next {
    let Some(template_id) = job.template_id.clone() else {
        return Next::Stop(StopKind::BadRequest, Code::NoTemplate.into());
    };
    let result = answer_to(core, ask(writer, template_id, &chunk, call)).await;
    let (now, _) = core.moment();
    let (id, request, sent) = (job.id, chunk.request, chunk.entries.len());
    match result {
        Ok(accepted) => {
            let response = IssueResponse {
                job: id,
                request,
                now,
                sent: sent as u64,
                accepted: accepted.accepted_count,
                named: accepted.items.len() as u64,
                badges: named(&accepted, &chunk),
                schedule: core.settings.schedule.clone(),
            };
            let bound =
                record_response(core, id, |store| store.record_issue_response(response.clone())).await;
            if let Some(bound) = bound {
                core.changed(id, bound.iter().map(|badge| Touched::of(badge, RowStatus::Waiting)));
            }
            Next::GoOn
        }
        Err(error) => failed(core, job, (request, sent), &error).await,
    }
}

fn named(accepted: &BatchAccepted, chunk: &Chunk) -> Vec<(u64, BadgeId)> {
    let by_key = by_address(accepted);
    let item = |entry: &RequestEntry| match (by_key.get(entry.key.as_str()), chunk.entries.as_slice()) {
        (Some(Some(item)), _) => Some(*item),
        // The response to a single issue has no address (contract, "POST /badges").
        (_, [_]) => accepted.items.first().filter(|i| i.recipient_email.is_none()),
        _ => None,
    };
    let badge = |entry: &RequestEntry| Some((entry.no, item(entry)?.badge_id.clone()));
    chunk.entries.iter().filter_map(badge).collect()
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

/// `None` if two items have the same address.
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
