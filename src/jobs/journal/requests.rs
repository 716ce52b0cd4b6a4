//! Requests and the status of their rows. `sending` records a request, `record_response` its response.

use super::{conditions, jobs};
use crate::jobs::intake::hex;
use crate::jobs::journal::prelude::*;
use crate::jobs::rules::Step;
use ring::digest::Context;

#[derive(Clone, Debug)]
pub(in crate::jobs) struct RequestEntry {
    pub(in crate::jobs) no: u64,
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) email: String,
    pub(in crate::jobs) key: String,
    pub(in crate::jobs) badge: Option<BadgeId>,
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct Chunk {
    pub(in crate::jobs) request: i64,
    pub(in crate::jobs) entries: Vec<RequestEntry>,
}

/// SHA-256 of the rows' contents, in hex.
pub(super) fn sum(entries: &[RequestEntry]) -> String {
    let mut sum = Context::new(&SHA256);
    for entry in entries {
        for part in [entry.name.as_str(), &entry.email, entry.badge.as_ref().map_or("", BadgeId::wire)] {
            sum.update(part.as_bytes());
            sum.update(&[0]);
        }
    }
    hex(sum.finish().as_ref())
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct Ended {
    /// `accepted`, `refused`, `not_sent`, `in_doubt`, `lost`.
    pub(in crate::jobs) outcome: &'static str,
    pub(in crate::jobs) status: Option<u16>,
    pub(in crate::jobs) accepted: Option<u64>,
    pub(in crate::jobs) why: Option<Reason>,
}

pub(super) fn ended(db: &Tx<'_>, request: i64, at: i64, how: &Ended) -> tx::Result<()> {
    db.run(
        "UPDATE request SET answered = ?2, outcome = ?3, status = ?4, accepted = ?5, why = ?6 WHERE id = ?1",
        values![request, at, how.outcome, how.status, how.accepted.map(|n| n as i64), how.why,],
    )
}

/// Whether the job was taken over from the process that sent this request, before it recorded an answer; or the
/// database has lost the request. A job gets another owner only when all of its requests are answered or lost, so the sender of
/// any other request still owns the job.
pub(super) fn is_lost(db: &Tx<'_>, request: i64) -> tx::Result<bool> {
    let is_open = "SELECT 1 FROM request WHERE id = ?1 AND outcome IS DISTINCT FROM 'lost'";
    Ok(!db.exists(is_open, values![request])?)
}

/// Keeps an answer that came after the job was taken over. It is evidence: people read `why` with the job, and the new owner
/// looks for the badges of the rows that are still in doubt.
pub(super) fn record_late(
    db: &Tx<'_>,
    job: JobId,
    request: i64,
    at: i64,
    (what, why): (&str, Reason),
) -> tx::Result<()> {
    let why = Reason::from(Code::LateAnswer).because("why", why);
    if db.execute("UPDATE request SET why = ?2 WHERE id = ?1", values![request, why])? == 0 {
        // The database lost the request, and may have lost the job. No row belongs to this one.
        db.run(
            "INSERT INTO request (job, rows, sha256, intent, heard, answered, outcome, why)
             SELECT id, 0, '', ?2, FALSE, ?2, 'lost', ?3 FROM job WHERE id = ?1",
            values![job.0, at, why],
        )?;
    }
    jobs::record_decision(db, job, None, "late answer", &Actor::lapel(at.saturating_mul(1000)), what)?;
    // Only earlier: the new owner's schedule holds.
    Timestamp::from_second(at).map_or(Ok(()), |at| jobs::poll_by(db, job, at))
}

/// Applies a late answer which says that the service certainly did nothing. Its rows are refused, not ready: the sender no
/// longer decides about the job, so nothing of them is sent before a person retries. Skips rows about which somebody decided
/// meanwhile, or that were sent again; and all rows if a badge of the request was found, since one of the two is wrong then.
pub(super) fn refuse_late(db: &Tx<'_>, job: JobId, request: i64, why: &Reason) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = 'not_done', why = ?3, absent = NULL
         WHERE job = ?1 AND request = ?2 AND bucket IN ('in_doubt', 'not_seen')
           AND NOT EXISTS (SELECT 1 FROM row AS other JOIN job ON job.id = other.job
                           WHERE other.request = ?2 AND other.badge IS NOT NULL AND job.kind = 'issue')",
        values![job.0, request, why],
    )
}

/// Sets the status of a request's rows that are still sending.
pub(super) fn set_sending(
    db: &Tx<'_>,
    request: i64,
    row_status: RowStatus,
    why: Option<&Reason>,
) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = ?2, why = ?3 WHERE request = ?1 AND bucket = 'sending'",
        values![request, row_status.code(), why],
    )
}

pub(super) fn accepted_at(db: &Tx<'_>, request: i64, at: i64) -> tx::Result<()> {
    db.run("UPDATE row SET accepted = ?2 WHERE request = ?1", values![request, at])
}

/// Marks the rows of an accepted request as accepted without a known badge.
pub(super) fn accepted_unbound(db: &Tx<'_>, request: i64, at: i64, why: &Reason) -> tx::Result<()> {
    db.run("UPDATE row SET bucket = 'unbound', why = ?3, accepted = ?2 WHERE request = ?1 AND bucket = 'sending'", values![request, at, why])
}

/// Makes rows of a refused request ready again, since certainly nothing was done. Cancels them if the job is
/// cancelled.
pub(super) fn back(db: &Tx<'_>, job: JobId, request: i64) -> tx::Result<()> {
    set_sending(db, request, RowStatus::Ready, None)?;
    let sql = "SELECT phase = 'cancelled', kind FROM job WHERE id = ?1";
    let (cancelled, kind): (bool, Kind) = db.one(sql, values![job.0])?;
    if cancelled {
        cancel_unsent(db, job, kind)?;
    }
    Ok(())
}

/// Returns the number of cancelled rows.
pub(super) fn cancel_unsent(db: &Tx<'_>, job: JobId, kind: Kind) -> tx::Result<u64> {
    let unsent = conditions::condition(Step::CancelRest, kind, Phase::Cancelled);
    let moved = db.execute(
        &format!("UPDATE row SET bucket = 'left_out', why = ?2 WHERE job = ?1 AND {unsent}"),
        values![job.0, Reason::from(Code::CancelledUnsent)],
    )?;
    Ok(moved as u64)
}

pub(super) fn has_cancelled(db: &Tx<'_>, job: JobId) -> tx::Result<bool> {
    db.exists(
        "SELECT 1 FROM row WHERE job = ?1 AND bucket = 'left_out' AND reason_code(why) = ?2",
        values![job.0, Code::CancelledUnsent.name()],
    )
}
