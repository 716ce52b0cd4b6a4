//! One revoke request. The response has only two numbers, so lapel polls which badges were not accepted.

use super::{Next, certain, ended, halt, record_answer};
use crate::api::{ApiError, Call, RevokeRequest, Writer};
use crate::jobs::core::{Core, touched};
use crate::jobs::job::{Job, RowStatus, StopKind};
use crate::jobs::journal::requests::{self, Chunk, Ended};
use crate::jobs::journal::{jobs, rows};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::schedule::{self, Looking};
use std::sync::Arc;

pub(super) async fn send(core: &Arc<Core>, writer: &Writer, job: &Job, chunk: Chunk, call: &Call) -> Next {
    let id = job.id;
    let badge_ids: Vec<_> = chunk.entries.iter().filter_map(|e| e.badge.clone()).collect();
    let sent = badge_ids.len() as u64;
    let request = RevokeRequest { badge_ids, reason: job.title.wire().to_owned() };
    let answer = writer.revoke(&request, call).await;
    let (now, _) = core.moment();
    let at = now.as_second();
    match answer {
        Ok(answer) => {
            let all = answer.accepted_count == Some(sent);
            let looks = core.settings.schedule.clone();
            let done = record_answer(core, id, move |db| {
                let bucket = if all { RowStatus::Revoking } else { RowStatus::Unproven };
                requests::settle(db, chunk.request, bucket, None)?;
                // If some were not accepted, it is unknown which.
                for entry in chunk.entries.iter().filter(|_| all) {
                    rows::accepted_at(db, id, entry.no, at)?;
                }
                let how = Ended {
                    outcome: "accepted",
                    status: Some(202),
                    accepted: answer.accepted_count,
                    why: None,
                };
                requests::ended(db, chunk.request, at, &how)?;
                jobs::set_note(db, id, note(answer.accepted_count, sent).as_ref())?;
                // If the count shows that some were not accepted, poll now.
                let next = if all { schedule::next(&looks, Looking::Revoke, now, now) } else { now };
                jobs::look_by(db, id, next)?;
                Ok(chunk
                    .entries
                    .iter()
                    .filter_map(|e| Some(touched(e.badge.as_ref()?, bucket)))
                    .collect::<Vec<_>>())
            })
            .await;
            if let Some(done) = done {
                core.changed(id, done);
            }
            Next::GoOn
        }
        Err(error) => failed(core, job, chunk.request, error).await,
    }
}

fn note(accepted: Option<u64>, sent: u64) -> Option<Reason> {
    let sent_of = |code: Code| Reason::from(code).with("sent", sent);
    match accepted {
        None => Some(sent_of(Code::RevokeUncounted)),
        Some(n) if n == sent => None,
        Some(n) if n > sent => Some(sent_of(Code::RevokeAcceptedMore).with("n", n)),
        Some(n) => Some(sent_of(Code::RevokeShort).with("n", n)),
    }
}

async fn failed(core: &Arc<Core>, job: &Job, request: i64, error: ApiError) -> Next {
    let id = job.id;
    let (now, _) = core.moment();
    let at = now.as_second();
    let (outcome, next, bucket) = match certain(&error) {
        None => ("in_doubt", Next::Doubt, RowStatus::InDoubt),
        Some((outcome, next @ Next::Stop(StopKind::BadRequest, _))) => (outcome, next, RowStatus::NotDone),
        Some((outcome, next)) => (outcome, next, RowStatus::Ready),
    };
    let stop = next.stop();
    record_answer(core, id, move |db| {
        let why = Reason::from(&error);
        halt(db, id, stop.as_ref())?;
        match bucket {
            RowStatus::Ready => requests::back(db, id, request)?,
            _ => drop(requests::settle(db, request, bucket, Some(&why))?),
        }
        requests::ended(db, request, at, &ended(outcome, Some(&error)))?;
        if bucket == RowStatus::InDoubt { jobs::set_next_look(db, id, Some(now)) } else { Ok(()) }
    })
    .await;
    next
}
