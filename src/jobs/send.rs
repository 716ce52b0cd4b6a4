//! Sending what is ready: one task per job, a few requests at a time, each written down before it leaves and
//! its answer before anybody is told. A request is written down only when it has its turn: it never waits for the pace
//! or for a `Retry-After` while its rows may have left.

mod issue;
mod revoke;

use super::core::{Core, lock};
use super::job::{JobId, Kind, Phase, StopKind};
use super::journal::requests::{self, Chunk, Ended};
use super::journal::{JournalError, jobs};
use super::reason::{Code, Reason};
use crate::api::{ApiError, Call, MAX_ENTRIES, Turn, Writer};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// So many requests in a row that end in doubt stop a job: the next ones would fare no better.
const DOUBTS: u32 = 3;
/// How long to wait before a journal that could not be written is tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// A job's task.
pub(super) struct Sender {
    /// Stops it before its next request; one that waits for its turn is given up.
    pause: CancellationToken,
    /// Whether there is new work for it, or was when it was looking for the last time.
    again: bool,
}

/// Sees to it that what is ready of a job is sent. Does nothing for a job that may not.
pub(super) fn ensure_sender(core: &Arc<Core>, id: JobId) {
    let Some(writer) = core.access.writer().cloned() else { return };
    let mut senders = lock(&core.senders);
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

/// The same for every job of which something is ready: what one job has settled may have held up another,
/// since no two requests of one template have the same address while one of them is open.
pub(super) async fn kick_ready(core: &Arc<Core>, but: Option<JobId>) {
    let me = core.me();
    let ready = core.journal.read(move |db| jobs::ready(db, &me)).await;
    for id in ready.unwrap_or_default() {
        if Some(id) != but {
            ensure_sender(core, id);
        }
    }
}

/// Stops a job's task before its next request. What is on its way is waited for by the task itself.
pub(super) fn pause(core: &Core, id: JobId) {
    if let Some(sender) = lock(&core.senders).get(&id) {
        sender.pause.cancel();
    }
}

/// Waits until a job's task has ended.
pub(super) async fn idle(core: &Core, id: JobId) {
    loop {
        let idle = core.idle.notified();
        tokio::pin!(idle);
        idle.as_mut().enable();
        if !lock(&core.senders).contains_key(&id) {
            return;
        }
        idle.await;
    }
}

/// Stops all tasks, and waits for what is on its way.
pub(super) async fn stop_all(core: &Core) {
    for sender in lock(&core.senders).values() {
        sender.pause.cancel();
    }
    loop {
        let idle = core.idle.notified();
        tokio::pin!(idle);
        idle.as_mut().enable();
        if lock(&core.senders).is_empty() {
            return;
        }
        idle.await;
    }
}

/// What an answer means for the job.
enum Next {
    /// Go on.
    GoOn,
    /// Go on, but not for ever.
    Doubt,
    /// Send nothing more of this job.
    Stop(StopKind, Reason),
}

async fn run(core: Arc<Core>, writer: Writer, id: JobId, pause: CancellationToken) {
    loop {
        if send_all(&core, &writer, id, &pause).await {
            kick_ready(&core, Some(id)).await;
        }
        let mut senders = lock(&core.senders);
        match senders.get_mut(&id) {
            Some(sender) if sender.again && !pause.is_cancelled() => sender.again = false,
            _ => {
                let again = senders.remove(&id).is_some_and(|s| s.again);
                drop(senders);
                core.idle.notify_waiters();
                // It was asked for after it had been paused.
                if again && !core.ending.is_cancelled() {
                    ensure_sender(&core, id);
                }
                return;
            }
        }
    }
}

/// Sends what can be sent; whether it was anything.
async fn send_all(core: &Arc<Core>, writer: &Writer, id: JobId, pause: &CancellationToken) -> bool {
    let Ok(job) = core.job(id).await else { return false };
    if job.phase != Phase::Running {
        return false;
    }
    if let Err(why) = core.journal.assure_whole().await {
        // Nothing is written into a file that is damaged, not even that the job has stopped.
        core.trouble(id, &why);
        return false;
    }
    // A person waits for a few requests; more than that is work in the background.
    let call =
        if job.counts.total() <= MAX_ENTRIES as u64 { Call::interactive() } else { Call::background() }
            .cancelled_by(pause.clone());
    // Doubts are judged by the service's clock; who reviewed the job has usually heard it already.
    if !core.moment().1 {
        let _ = core.reader().ping(&call).await;
    }
    let mut flying: JoinSet<Next> = JoinSet::new();
    let mut unwritten = None;
    let mut doubts = 0;
    let (mut stopped, mut sent, mut blocked) = (false, false, false);
    // Kept while answers come in, so that it keeps its place in the queue.
    let mut turn: Option<Pin<Box<dyn Future<Output = Option<Turn>> + Send>>> = None;
    loop {
        let may_send = !stopped
            && !blocked
            && !pause.is_cancelled()
            && !core.ending.is_cancelled()
            && flying.len() < core.settings.in_flight.max(1);
        if !may_send || !has_ready(core, id, pause).await {
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
                // What is ready may be held up by another request of its people.
                let chunk = match record_intent(core, id).await {
                    Ok(Some(chunk)) => chunk,
                    Ok(None) => {
                        blocked = true;
                        continue;
                    }
                    Err(why) => {
                        // Nothing is sent that is not written down.
                        pause.cancel();
                        unwritten = stopped_by(core, id, why).await;
                        continue;
                    }
                };
                core.changed(id, []);
                let (core, writer, job) = (core.clone(), writer.clone(), job.clone());
                let call = call.clone().in_turn(taken);
                flying.spawn(async move {
                    match job.kind {
                        Kind::Issue => issue::send(&core, &writer, &job, chunk, &call).await,
                        Kind::Revoke => revoke::send(&core, &writer, &job, chunk, &call).await,
                    }
                });
                continue;
            }
            else => {
                // An answer may have found room since, and with it this.
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
        let stop = match next {
            Next::GoOn => {
                doubts = 0;
                None
            }
            Next::Doubt if doubts + 1 < DOUBTS => {
                doubts += 1;
                None
            }
            Next::Doubt => Some((StopKind::Doubt, Reason::from(Code::DoubtsInARow).with("n", DOUBTS))),
            Next::Stop(kind, why) => Some((kind, why)),
        };
        if let Some((kind, why)) = stop {
            stopped = true;
            let _ = core.journal.write("stop", move |db| jobs::stop(db, id, kind, &why)).await;
            core.changed(id, []);
        }
    }
}

/// Whether something of a job may be sent now. Where that cannot be read, the job stops.
async fn has_ready(core: &Arc<Core>, id: JobId, pause: &CancellationToken) -> bool {
    let me = core.me();
    match core.journal.read(move |db| requests::has_ready(db, id, &me)).await {
        Ok(ready) => ready,
        Err(why) => {
            core.trouble(id, &why);
            pause.cancel();
            false
        }
    }
}

/// Writes the next request down. `None` when there is nothing to send, or nothing may be.
async fn record_intent(core: &Arc<Core>, id: JobId) -> Result<Option<Chunk>, JournalError> {
    let (me, most) = (core.me(), core.settings.batch.clamp(1, MAX_ENTRIES));
    let (now, heard) = core.moment();
    let chunk = core
        .journal
        .write("intent", move |db| requests::take(db, id, &me, most, (now.as_second(), heard)))
        .await?;
    core.no_trouble(id);
    Ok(chunk)
}

/// Stops a job whose next request could not be written down. Gives the reason back when not even the stop can
/// be written: then it is only shown.
async fn stopped_by(core: &Arc<Core>, id: JobId, why: JournalError) -> Option<JournalError> {
    core.trouble(id, &why);
    let said = Reason::from(&why);
    let stopped = core.journal.write("stop", move |db| jobs::stop(db, id, StopKind::Journal, &said)).await;
    stopped.is_err().then_some(why)
}

/// Writes an answer down, however long that takes: nobody is told before it is durable.
async fn record_answer<T: Send + 'static>(
    core: &Core,
    id: JobId,
    work: impl Fn(&rusqlite::Transaction<'_>) -> rusqlite::Result<T> + Send + Clone + 'static,
) -> Option<T> {
    loop {
        match core.journal.write("answer", work.clone()).await {
            Ok(value) => {
                core.no_trouble(id);
                return Some(value);
            }
            Err(JournalError::Closed) => return None,
            Err(why) => {
                core.trouble(id, &why);
                tokio::select! {
                    () = tokio::time::sleep(AGAIN) => {}
                    // The next lapel finds the request without an answer, and looks.
                    () = core.closing.cancelled() => return None,
                    () = core.ending.cancelled() => return None,
                }
            }
        }
    }
}

/// Stops a job in the same write that gives its rows back: otherwise they would be sent again before the stop
/// is written.
fn halt(db: &rusqlite::Connection, id: JobId, stop: Option<&(StopKind, Reason)>) -> rusqlite::Result<()> {
    match stop {
        Some((kind, why)) => jobs::stop(db, id, *kind, why),
        None => Ok(()),
    }
}

impl Next {
    fn stop(&self) -> Option<(StopKind, Reason)> {
        match self {
            Self::Stop(kind, why) => Some((*kind, why.clone())),
            Self::GoOn | Self::Doubt => None,
        }
    }
}

/// How an error is kept, and what it means for the job. `None`: the fate of the request is not known.
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

fn ended(outcome: &'static str, error: Option<&ApiError>) -> Ended {
    Ended {
        outcome,
        status: error.and_then(|e| match e {
            ApiError::InDoubt { status, .. } => *status,
            other => other.refusal().map(|r| r.status),
        }),
        accepted: None,
        why: error.map(Reason::from),
    }
}
