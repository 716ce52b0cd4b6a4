//! Refusals with HTTP 422: proves that the service accepted none of the rows, and uses up the rest of the quota.

use super::core::JobsCore;
use super::error::JobError;
use super::handle::Jobs;
use super::job::{JobId, StopKind};
use super::journal::jobs::Actor;
use super::journal::refusals::RefusalProof;
use super::{follow, send};
use crate::i18n::number;
use crate::jobs::prelude::*;

impl Jobs {
    /// After a 422: checks whether the service accepted any of the refused request. If a badge is found, the
    /// rest of the request was perhaps accepted, too, and stays in doubt. If the reading proves nothing, only other rows
    /// can be sent.
    pub(super) async fn prove_refusal(&self, id: JobId) -> Result<RefusalProof, JobError> {
        let core = &self.core;
        let proof = async || core.store.refusal_proof(id, core.observe_context()).await;
        if proof().await? == RefusalProof::Proven {
            return Ok(RefusalProof::Proven);
        }
        self.poll_now(Some(id)).await.assure_complete(|failed| {
            localizable!(
                "lapel could not prove that the refused request did nothing: {failed} Nothing was sent. lapel checks its rows; try again later.",
                failed
            )
        })?;
        Ok(proof().await?)
    }

    /// As [`Jobs::prove_refusal`]. Where a proof is near, it is worth the wait: then all rows can be sent.
    ///
    /// # Errors
    /// A proof is near, or the history could not be read.
    pub(super) async fn prove_refusal_now(&self, id: JobId) -> Result<RefusalProof, JobError> {
        let proof = self.prove_refusal(id).await?;
        let RefusalProof::Soon(from) = proof else { return Ok(proof) };
        let seconds = from - self.core.moment().0.as_second();
        Err(JobError::no(localizable!(
            "The service refused a request (HTTP 422), and may show badges late. Only a check in {minutes} min proves that it accepted nothing. Nothing was sent. Try again then.",
            minutes = number((seconds.max(1) as u64).div_ceil(60))
        )))
    }

    /// After a stop at the quota, sends ever smaller requests, each only after proof that the one before did
    /// nothing. This begins the first one. The future sends the others; the job shows the progress.
    pub async fn use_up_quota(
        &self,
        id: JobId,
        who: &str,
    ) -> Result<impl Future<Output = ()> + Send + use<>, JobError> {
        let (job, seen) = self.core.my_job_to_send(id).await?;
        if job.stop.as_ref().is_none_or(|s| s.kind != StopKind::Quota) {
            return Err(JobError::no(localizable!(
                "Job {id} did not stop at the quota. Nothing was changed.",
                id
            )));
        }
        let rows = self.core.store.refused_size(id).await?;
        if self.prove_refusal_now(id).await? == RefusalProof::NotProvable {
            let job = self.core.job(id).await?;
            return Err(JobError::no(if job.held_by_refusal() < job.left_to_send() {
                localizable!(
                    "lapel cannot prove yet that the refused request (HTTP 422) did nothing: the service may not show waiting badges. lapel checks it until the check window ends. Nothing was sent. Resume sends the other rows."
                )
            } else {
                localizable!(
                    "lapel cannot prove yet that the refused request (HTTP 422) did nothing: the service may not show waiting badges. lapel checks it until the check window ends. Nothing was sent. After resume, lapel sends its rows as soon as that is proven."
                )
            }));
        }
        self.core.same_or_fewer(&job).await?;
        let using_up = self.core.store.resume(id, Some((rows / 2).max(1)), Actor::now(who), seen);
        self.core.written(id, using_up.await)?;
        self.core.begun(id);
        Ok(Box::pin(halve(self.clone(), id, who.to_owned())))
    }
}

/// Halves the request size until the service refuses a single row or everything is sent.
async fn halve(all: Jobs, id: JobId, who: String) {
    let core: Arc<JobsCore> = all.core.clone();
    loop {
        send::idle(&core, id).await;
        let Ok(decision) = core.store.newest_decision().await else { return };
        let Ok(job) = core.job(id).await else { return };
        let seen = core.seen(&job, decision);
        let at_the_quota = job.stop.as_ref().is_some_and(|s| s.kind == StopKind::Quota);
        let Ok(rows) = core.store.refused_size(id).await else { return };
        if !at_the_quota || rows <= 1 || core.ending.is_cancelled() {
            return;
        }
        let half = core.store.set_batch(id, core.me(), rows / 2).await;
        if half.is_err()
            || !is_proven_in_the_end(&all, id).await
            || core.same_or_fewer(&job).await.is_err()
            || core.begin_now(id, &who, seen).await.is_err()
        {
            return;
        }
    }
}

/// Waits for the proof of a refusal, if it is near.
async fn is_proven_in_the_end(all: &Jobs, id: JobId) -> bool {
    loop {
        let from = match all.prove_refusal(id).await {
            Ok(RefusalProof::Soon(from)) => from,
            proof => return matches!(proof, Ok(RefusalProof::Proven)),
        };
        let Ok(from) = Timestamp::from_second(from) else { return false };
        let wait = follow::wait(&all.core, all.core.moment().0, from);
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = all.core.ending.cancelled() => return false,
        }
    }
}
