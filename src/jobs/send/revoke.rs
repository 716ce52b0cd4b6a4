//! One revoke request. The response has only two numbers, so lapel polls which badges were not accepted.

use super::{Next, answer_to, failed, record_response};
use crate::api::{RevokeRequest, Writer};
use crate::jobs::core::JobsCore;
use crate::jobs::job::{Job, Touched};
use crate::jobs::journal::record_response::RevokeResponse;
use crate::jobs::journal::requests::Chunk;
use crate::jobs::prelude::*;

pub(super) async fn send(
    core: &Arc<JobsCore>,
    writer: &Writer,
    job: &Job,
    chunk: Chunk,
    call: &Call,
) -> Next {
    let id = job.id;
    let badge_ids: Vec<BadgeId> = chunk.entries.iter().filter_map(|e| e.badge.clone()).collect();
    let sent = badge_ids.len() as u64;
    let request = RevokeRequest { badge_ids: badge_ids.clone(), reason: job.title.wire().to_owned() };
    let result = answer_to(core, writer.revoke(&request, call)).await;
    let (now, _) = core.moment();
    match result {
        Ok(accepted) => {
            let response = RevokeResponse {
                job: id,
                request: chunk.request,
                now,
                sent,
                accepted: accepted.accepted_count,
                schedule: core.settings.schedule.clone(),
            };
            let recorded =
                record_response(core, id, |store| store.record_revoke_response(response.clone())).await;
            if let Some((status, issued_by)) = recorded {
                core.changed(id, badge_ids.iter().map(|badge| Touched::of(badge, status)));
                for job in issued_by {
                    core.changed(job, []);
                }
            }
            Next::GoOn
        }
        Err(error) => failed(core, job, (chunk.request, badge_ids.len()), &error).await,
    }
}
