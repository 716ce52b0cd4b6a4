//! Sends ready rows: one task per job, with a few concurrent requests. The journal records each request
//! before it leaves, and its answer before anybody sees it.
//!
//! The sender takes a turn at the rate limiter before it records a request. So no row is marked as sending
//! while it only waits for the rate limit or a `Retry-After`.

mod issue;
mod revoke;

use super::batch::full_request;
use super::core::{JobsCore, lock};
use super::job::{Job, JobId, Kind, Phase, StopKind};
use super::journal::record_response::{FailedRows, RequestFailure};
use super::journal::requests::{Chunk, Ended};
use super::journal::sending::RecordIntent;
use super::journal::{JournalError, PendingOperation, Store};
use super::reason::{Code, Reason};
use super::schedule::{self, Polling};
use super::senders::Sender;
use crate::api::{MAX_ENTRIES, MaySend, Turn, Writer};
use crate::jobs::prelude::*;
use std::pin::Pin;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Maximum number of consecutive requests that end in doubt. Then the job stops, since the next would fail, too.
const DOUBTS: u32 = 3;
/// Pause before writing to a failed journal again.
const AGAIN: Duration = Duration::from_secs(2);
/// Pause before a journal that is away is read again.
const READ_AGAIN: Duration = Duration::from_millis(250);

/// Does nothing for a job that may not send.
pub(super) fn ensure_sender(core: &Arc<JobsCore>, id: JobId) {
    let Some(writer) = core.access.writer().cloned() else { return };
    let mut senders = lock(&core.senders.all);
    if core.ending.is_cancelled() || core.closing.is_cancelled() {
        return;
    }
    if let Some(sender) = senders.get_mut(&id) {
        sender.again = true;
        return;
    }
    let pause = CancellationToken::new();
    senders.insert(id, Sender { pause: pause.clone(), again: false });
    tokio::spawn(run(core.clone(), writer, id, pause));
}

/// A finished request may have blocked another job: while a request is open, no other request of the same
/// template may contain its addresses.
pub(super) async fn start_senders(core: &Arc<JobsCore>, but: Option<JobId>) {
    let ready = core.store.ready_jobs(core.me()).await;
    for id in ready.unwrap_or_default() {
        if Some(id) != but {
            ensure_sender(core, id);
        }
    }
}

/// The task itself waits for requests on their way.
pub(super) fn pause(core: &JobsCore, id: JobId) {
    if let Some(sender) = lock(&core.senders.all).get(&id) {
        sender.pause.cancel();
    }
}

pub(super) async fn idle(core: &JobsCore, id: JobId) {
    until(core, |senders| !senders.contains_key(&id)).await;
}

/// Stops all tasks and waits for requests on their way.
pub(super) async fn stop_all(core: &JobsCore) {
    for sender in lock(&core.senders.all).values() {
        sender.pause.cancel();
    }
    until(core, HashMap::is_empty).await;
}

async fn until(core: &JobsCore, is_reached: impl Fn(&HashMap<JobId, Sender>) -> bool) {
    loop {
        let idle = core.senders.idle.notified();
        tokio::pin!(idle);
        idle.as_mut().enable();
        if is_reached(&lock(&core.senders.all)) {
            return;
        }
        idle.await;
    }
}

enum Next {
    GoOn,
    /// The request is in doubt: continue, up to [`DOUBTS`] in a row.
    Doubt,
    Stop(StopKind, Reason),
}

impl Next {
    /// Whether the job stops now, and why. Counts the requests in doubt in a row.
    fn stop(self, doubts: &mut u32) -> Option<(StopKind, Reason)> {
        match self {
            Self::GoOn => {
                *doubts = 0;
                None
            }
            Self::Doubt if *doubts + 1 < DOUBTS => {
                *doubts += 1;
                None
            }
            Self::Doubt => Some((StopKind::Doubt, Reason::from(Code::DoubtsInARow).with("n", DOUBTS))),
            Self::Stop(kind, why) => Some((kind, why)),
        }
    }
}

async fn run(core: Arc<JobsCore>, writer: Writer, id: JobId, pause: CancellationToken) {
    loop {
        if send_all(&core, &writer, id, &pause).await {
            start_senders(&core, Some(id)).await;
        }
        let mut senders = lock(&core.senders.all);
        match senders.get_mut(&id) {
            Some(sender) if sender.again && !pause.is_cancelled() => sender.again = false,
            _ => {
                let again = senders.remove(&id).is_some_and(|s| s.again);
                drop(senders);
                core.senders.idle.notify_waiters();
                // The job was started again after it was paused.
                if again && !core.ending.is_cancelled() {
                    ensure_sender(&core, id);
                }
                return;
            }
        }
    }
}

/// Like a write, waits for a team's database that is away, so that a short outage stops no job.
async fn read_soon<T, R>(
    core: &JobsCore,
    pause: &CancellationToken,
    read: impl Fn() -> R,
) -> Result<T, JournalError>
where
    R: IntoFuture<Output = Result<T, JournalError>>,
{
    let begun = Instant::now();
    loop {
        match read().await {
            Err(why) if why.is_away() && begun.elapsed() < core.journal.reconnect.limit => {
                tokio::select! {
                    () = tokio::time::sleep(READ_AGAIN) => {}
                    () = pause.cancelled() => return Err(why),
                    () = core.ending.cancelled() => return Err(why),
                }
            }
            other => return other,
        }
    }
}

/// The job, if it runs and the journal can record what is sent.
async fn sendable(core: &Arc<JobsCore>, id: JobId, pause: &CancellationToken) -> Option<Job> {
    let job = match read_soon(core, pause, || core.find_job(id)).await {
        Ok(job) => job?,
        Err(why) => {
            let _ = unreadable(core, id, why).await;
            return None;
        }
    };
    if job.phase != Phase::Running {
        return None;
    }
    if let Err(why) = core.journal.assure_whole().await {
        // Nothing is written to a damaged file, not even the stop.
        core.trouble(id, &why);
        return None;
    }
    Some(job)
}

/// Returns whether anything was sent.
async fn send_all(core: &Arc<JobsCore>, writer: &Writer, id: JobId, pause: &CancellationToken) -> bool {
    let Some(job) = sendable(core, id, pause).await else { return false };
    // A person waits for a few requests; more run in the background.
    let call =
        if job.counts.total() <= MAX_ENTRIES as u64 { Call::interactive() } else { Call::background() }
            .cancelled_by(pause.clone());
    // Doubts are judged by the service's clock, so hear it once. After a review it is usually known.
    if !core.moment().1 {
        let _ = core.reader().ping(&call).await;
    }
    let mut flying: JoinSet<Next> = JoinSet::new();
    let mut unwritten = None;
    let mut doubts = 0;
    let (mut stopped, mut sent, mut blocked) = (false, false, false);
    // Kept while answers arrive, so that the task keeps its place in the queue.
    let mut turn: Option<Pin<Box<dyn Future<Output = Option<Turn>> + Send>>> = None;
    loop {
        let may_send = !stopped
            && !blocked
            && !pause.is_cancelled()
            && !core.ending.is_cancelled()
            && flying.len() < core.settings.in_flight.max(1);
        let has_ready = || core.store.has_ready(id, core.me());
        let mut ready = if may_send { has_ready().await } else { Ok(false) };
        if ready.as_ref().is_err_and(JournalError::is_away) {
            // Others may send meanwhile.
            turn = None;
            ready = read_soon(core, pause, has_ready).await;
        }
        if let Err(why) = &ready {
            pause.cancel();
            unwritten = unreadable(core, id, why.clone()).await;
        }
        if !matches!(ready, Ok(true)) {
            turn = None;
        } else if turn.is_none() {
            let (writer, call) = (writer.clone(), call.clone());
            turn = Some(Box::pin(async move { writer.turn(&call).await.ok() }));
        }
        let done = tokio::select! {
            biased;
            Some(done) = flying.join_next() => done,
            () = core.ending.cancelled(), if turn.is_some() => continue,
            taken = async { turn.as_mut()?.await }, if turn.is_some() => {
                turn = None;
                let Some(taken) = taken else { continue };
                // Ready rows may wait for another request to the same recipients.
                let (chunk, may_send) = match record_intent(core, id, pause).await {
                    Ok(Some(recorded)) => recorded,
                    Ok(None) => {
                        blocked = true;
                        continue;
                    }
                    Err(why) => {
                        // A request that is not recorded is not sent.
                        pause.cancel();
                        unwritten = stopped_by(core, id, why).await;
                        continue;
                    }
                };
                core.changed(id, []);
                let (core, writer, job) = (core.clone(), writer.clone(), job.clone());
                let mut call = call.clone().in_turn(taken);
                if let Some(may_send) = may_send {
                    call = call.while_allowed(may_send);
                }
                flying.spawn(async move {
                    match job.kind {
                        Kind::Issue => issue::send(&core, &writer, &job, chunk, &call).await,
                        Kind::Revoke => revoke::send(&core, &writer, &job, chunk, &call).await,
                    }
                });
                continue;
            }
            else => {
                // The journal may be writable again, so record the stop now.
                if let Some(why) = unwritten {
                    stopped_by(core, id, why).await;
                }
                return sent;
            }
        };
        blocked = false;
        sent = true;
        core.changed(id, []);
        core.wake.notify_one();
        let next = done.unwrap_or_else(|failed| {
            Next::Stop(StopKind::Interrupted, Reason::from(Code::PartFailed).with("failed", failed))
        });
        if let Some((kind, why)) = next.stop(&mut doubts) {
            stopped = true;
            let _ = core.store.stop_job(id, core.me(), kind, why).await;
            core.changed(id, []);
        }
    }
}

/// Also returns the right to send the request, if that may end. `None` if there is nothing to send, or nothing may be
/// sent.
async fn record_intent(
    core: &Arc<JobsCore>,
    id: JobId,
    pause: &CancellationToken,
) -> Result<Option<(Chunk, Option<MaySend>)>, JournalError> {
    tokio::select! {
        assured = core.journal.assure_lease() => assured?,
        () = pause.cancelled() => return Ok(None),
        () = core.ending.cancelled() => return Ok(None),
    }
    let (me, most) = (core.me(), full_request(core.settings.batch));
    let (now, heard) = core.moment();
    let intent = RecordIntent { job: id, me, most, at: now.as_second(), heard };
    // Before the record, which shows that the job still has this owner.
    let may_send = core.journal.may_send();
    let chunk = core.store.record_intent(intent).await?;
    core.no_trouble(id);
    Ok(chunk.map(|chunk| (chunk, may_send)))
}

/// As [`stopped_by`], for a journal that cannot be read. Nothing is written to a damaged file, not even the stop.
async fn unreadable(core: &Arc<JobsCore>, id: JobId, why: JournalError) -> Option<JournalError> {
    if matches!(why, JournalError::Corrupt { .. }) {
        core.trouble(id, &why);
        return None;
    }
    stopped_by(core, id, why).await
}

/// Returns the reason if the journal cannot record the stop either; then only the snapshot shows it.
async fn stopped_by(core: &Arc<JobsCore>, id: JobId, why: JournalError) -> Option<JournalError> {
    core.trouble(id, &why);
    let stopped = core.store.stop_job(id, core.me(), StopKind::Journal, Reason::from(&why)).await;
    if stopped.is_ok() {
        core.no_trouble(id);
    }
    stopped.is_err().then_some(why)
}

/// The service's answer to a request, which [`record_response`] records.
async fn answer_to<T>(core: &JobsCore, request: impl Future<Output = T>) -> T {
    core.senders.answers.send_modify(|open| open.awaited += 1);
    let answer = request.await;
    core.senders.answers.send_modify(|open| {
        open.awaited -= 1;
        open.unrecorded += 1;
    });
    answer
}

/// Retries until the response is durable. Nobody sees it earlier.
async fn record_response<T: Send + 'static>(
    core: &JobsCore,
    id: JobId,
    record: impl Fn(&Store) -> PendingOperation<T>,
) -> Option<T> {
    loop {
        match record(&core.store).await {
            Ok(value) => {
                core.no_trouble(id);
                core.senders.answers.send_modify(|open| open.note(id, Ok(())));
                return Some(value);
            }
            Err(JournalError::Closed) => return None,
            Err(why) => {
                core.trouble(id, &why);
                core.senders.answers.send_modify(|open| open.note(id, Err(&why)));
                tokio::select! {
                    () = tokio::time::sleep(AGAIN) => {}
                    // The next lapel process finds the request without an answer and polls.
                    () = core.closing.cancelled() => return None,
                    () = core.ending.cancelled() => return None,
                }
            }
        }
    }
}

/// The stored outcome of an error, and what the job does next. `None`: the request is in doubt.
fn certain(error: &ApiError) -> Option<(&'static str, Next)> {
    let why = Reason::from(error);
    Some(match error {
        ApiError::InDoubt { .. } => return None,
        ApiError::Cancelled => ("not_sent", Next::GoOn),
        ApiError::RateLimited { .. } => ("rate_limited", Next::GoOn),
        ApiError::NotReached { .. } => ("not_sent", Next::Stop(StopKind::NotReached, why)),
        ApiError::KeyRefused(_) | ApiError::AddressRefused(_) => {
            ("refused", Next::Stop(StopKind::Refused, why))
        }
        ApiError::Quota(_) => ("refused", Next::Stop(StopKind::Quota, why)),
        _ => ("refused", Next::Stop(StopKind::BadRequest, why)),
    })
}

/// Records the error of a request with so many entries, and returns what the job does next. If another process has taken
/// it over, that one decides.
async fn failed(core: &JobsCore, job: &Job, (request, entries): (i64, usize), error: &ApiError) -> Next {
    let (id, issues, why) = (job.id, job.kind == Kind::Issue, Reason::from(error));
    let is_accepted = issues && matches!(error, ApiError::InDoubt { accepted: true, .. });
    let doubt = (if is_accepted { "accepted" } else { "in_doubt" }, Next::Doubt);
    let (outcome, next) = certain(error).unwrap_or(doubt);
    let rows = match next {
        // Of several rows, the service may have accepted a part.
        Next::Doubt if is_accepted && entries == 1 => FailedRows::Unbound,
        Next::Doubt => FailedRows::InDoubt,
        // The service would refuse an invalid request again. Other errors did nothing, and the rows stay ready.
        Next::Stop(StopKind::BadRequest, _) => FailedRows::Refused,
        Next::Stop(StopKind::Quota, _) if issues => FailedRows::Unproven,
        Next::Stop(..) | Next::GoOn => FailedRows::Ready,
    };
    let status = match error {
        ApiError::InDoubt { status, .. } => *status,
        other => other.refusal().map(|r| r.status),
    };
    let (now, _) = core.moment();
    let failure = RequestFailure {
        job: id,
        request,
        now,
        next_poll: schedule::next(&core.settings.schedule, Polling::Doubt, 1, now, now),
        at: Timestamp::now().as_millisecond(),
        rows,
        how: Ended { outcome, status, accepted: None, why: Some(why.clone()) },
        why,
        stop: match &next {
            Next::Stop(kind, why) => Some((*kind, why.clone())),
            Next::GoOn | Next::Doubt => None,
        },
    };
    let recorded = record_response(core, id, |store| store.record_failure(failure.clone())).await;
    if recorded == Some(false) { Next::GoOn } else { next }
}
