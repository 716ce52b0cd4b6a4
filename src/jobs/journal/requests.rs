//! Issue and revoke requests: recorded with their rows before the first byte leaves, and answered afterwards.

use super::{claims, jobs, rows};
use crate::domain::BadgeId;
use crate::jobs::intake::hex;
use crate::jobs::job::{JobId, Kind, Phase, RowStatus, StopKind};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::rules::{self, Step};
use jiff::Timestamp;
use ring::digest::{Context, SHA256};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

#[derive(Clone, Debug)]
pub(in crate::jobs) struct Entry {
    pub(in crate::jobs) no: u64,
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) email: String,
    pub(in crate::jobs) key: String,
    pub(in crate::jobs) badge: Option<BadgeId>,
}

/// The rows of one recorded request.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Chunk {
    pub(in crate::jobs) request: i64,
    pub(in crate::jobs) entries: Vec<Entry>,
}

/// Whether [`take`] may find rows to send.
pub(in crate::jobs) fn has_ready(db: &Connection, job: JobId, me: &str) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM row WHERE job = ?1 AND bucket = 'ready')
            AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2)",
    )?
    .query_row(params![job.0, me], |r| r.get(0))
}

/// Takes the next rows that may be sent, at most `most`, and records the request. From now on the rows may have
/// been sent. `None` if nothing may be sent now.
///
/// Responses to a batch identify rows by address only. So a request contains no address twice, and no address of
/// another open request of the same template. A row of an issue job without a valid claim needs review and is not
/// sent.
pub(in crate::jobs) fn take(
    db: &Connection,
    job: JobId,
    me: &str,
    most: usize,
    (at, heard): (i64, bool),
) -> rusqlite::Result<Option<Chunk>> {
    let found: Option<(String, Option<i64>)> = db
        .prepare_cached("SELECT kind, batch FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2")?
        .query_row(params![job.0, me], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let Some((kind, batch)) = found else { return Ok(None) };
    let most = batch.map_or(most, |b| most.min(usize::try_from(b).unwrap_or(1))).max(1);
    let issues = kind == Kind::Issue.code();
    let mut ready = db.prepare_cached(
        "SELECT no, name, email, email_key, badge FROM row WHERE job = ?1 AND bucket = 'ready' ORDER BY no",
    )?;
    let mut rows = ready.query([job.0])?;
    let (mut entries, mut keys, mut unclaimed) = (Vec::new(), HashSet::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let no: i64 = row.get(0)?;
        let entry = Entry {
            no: no.unsigned_abs(),
            name: row.get(1)?,
            email: row.get(2)?,
            key: row.get(3)?,
            badge: row.get::<_, Option<String>>(4)?.and_then(BadgeId::new),
        };
        if issues {
            if !claims::holds(db, job, no)? {
                unclaimed.push(no);
                continue;
            }
            if !keys.insert(entry.key.clone()) || claims::is_held_up(db, job, no)? {
                continue;
            }
        }
        if !issues && entry.badge.is_none() {
            continue;
        }
        entries.push(entry);
        if entries.len() == most {
            break;
        }
    }
    drop(rows);
    for no in unclaimed {
        rows::set(db, job, no.unsigned_abs(), RowStatus::Ask, Some(&Code::NoClaim.into()))?;
    }
    if entries.is_empty() {
        return Ok(None);
    }
    let mut insert = db.prepare_cached(
        "INSERT INTO request (job, rows, sha256, intent, heard) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    insert.execute(params![job.0, entries.len() as i64, sum(&entries), at, heard])?;
    let request = db.last_insert_rowid();
    let mut send = db.prepare_cached(
        "UPDATE row SET bucket = 'sending', why = NULL, request = ?3, absent = NULL, accepted = NULL,
                        tries = tries + 1
         WHERE job = ?1 AND no = ?2",
    )?;
    for entry in &entries {
        send.execute(params![job.0, entry.no as i64, request])?;
    }
    Ok(Some(Chunk { request, entries }))
}

/// SHA-256 of the rows' contents, in hex.
fn sum(entries: &[Entry]) -> String {
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

pub(in crate::jobs) fn ended(db: &Connection, request: i64, at: i64, how: &Ended) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE request SET answered = ?2, outcome = ?3, status = ?4, accepted = ?5, why = ?6 WHERE id = ?1",
    )?
    .execute(params![request, at, how.outcome, how.status, how.accepted.map(|n| n as i64), how.why,])?;
    Ok(())
}

/// Sets the status of a request's rows that are still sending.
pub(in crate::jobs) fn settle(
    db: &Connection,
    request: i64,
    bucket: RowStatus,
    why: Option<&Reason>,
) -> rusqlite::Result<u64> {
    let moved = db
        .prepare_cached("UPDATE row SET bucket = ?2, why = ?3 WHERE request = ?1 AND bucket = 'sending'")?
        .execute(params![request, bucket.code(), why])?;
    Ok(moved as u64)
}

/// Marks the rows of an accepted request as accepted without a known badge.
pub(in crate::jobs) fn accepted_unbound(
    db: &Connection,
    request: i64,
    at: i64,
    why: &Reason,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE row SET bucket = 'unbound', why = ?3, accepted = ?2 WHERE request = ?1 AND bucket = 'sending'",
    )?
    .execute(params![request, at, why])?;
    Ok(())
}

/// Records an uncertain refusal (422). A poll must prove that nothing of it was accepted before anything else is
/// sent. If several requests were refused, the job stores only the first, for all later ones. If a person
/// cancelled the rest, the rows are put in doubt, since they may exist.
pub(in crate::jobs) fn keep_unproven(db: &Connection, job: JobId, request: i64) -> rusqlite::Result<()> {
    settle(db, request, RowStatus::Ready, None)?;
    let cancelled: bool = db
        .prepare_cached(
            "UPDATE job SET unproven = min(coalesce(unproven, ?2), ?2) WHERE id = ?1
             RETURNING phase = 'cancelled'",
        )?
        .query_row(params![job.0, request], |r| r.get(0))?;
    // The answer is not recorded yet, so the condition for refused requests does not match this one.
    if cancelled {
        rows_in_doubt(db, job, &format!("request = {request}"))?;
    }
    Ok(())
}

/// Puts rows of uncertain refusals in doubt and polls at once. Skips rows that a person has since decided to send
/// again.
fn rows_in_doubt(db: &Connection, job: JobId, which: &str) -> rusqlite::Result<()> {
    let moved = db.execute(
        &format!(
            "UPDATE row SET bucket = 'in_doubt', why = ?2
             WHERE job = ?1 AND {which} AND bucket = 'ready'
               AND NOT (json_valid(coalesce(why, '')) AND json_extract(why, '$.code') = ?3)"
        ),
        params![job.0, Reason::from(Code::BeingProven), Code::SentAgain.name()],
    )?;
    if moved > 0 {
        claims::claim_doubts(db, job)?;
        jobs::set_next_look(db, job, None)?;
    }
    Ok(())
}

/// SQL for the uncertain refusals of a job, from the first unproven one. `?1` is the job.
fn unproven(first: i64) -> String {
    format!(
        "(SELECT id FROM request WHERE job = ?1 AND id >= {first} AND outcome = 'refused' AND status = 422)"
    )
}

/// Makes rows of a refused request ready again, since certainly nothing was done. Cancels them if the job is
/// cancelled.
pub(in crate::jobs) fn back(db: &Connection, job: JobId, request: i64) -> rusqlite::Result<()> {
    settle(db, request, RowStatus::Ready, None)?;
    let (cancelled, kind): (bool, String) = db
        .prepare_cached("SELECT phase = 'cancelled', kind FROM job WHERE id = ?1")?
        .query_row([job.0], |r| Ok((r.get(0)?, r.get(1)?)))?;
    if cancelled {
        call_off(db, job, Kind::from_code(&kind).unwrap_or(Kind::Revoke))?;
    }
    Ok(())
}

/// Puts the rows of uncertain refusals (422) in doubt. Returns the first of their requests.
pub(in crate::jobs) fn doubt_refusal(db: &Connection, job: JobId) -> rusqlite::Result<Option<i64>> {
    let request: Option<i64> =
        db.query_row("SELECT unproven FROM job WHERE id = ?1", [job.0], |r| r.get(0)).optional()?.flatten();
    if let Some(request) = request {
        rows_in_doubt(db, job, &format!("request IN {}", unproven(request)))?;
    }
    Ok(request)
}

/// Whether a poll that found nothing proves that a refused request had no effect: if the service shows waiting
/// badges, or after the doubt window.
pub(in crate::jobs) fn is_provable(
    db: &Connection,
    account: &str,
    (job, request): (JobId, i64),
    now: i64,
    window: i64,
) -> rusqlite::Result<bool> {
    if super::facts::settled(db, account, "waiting_in_history")?.as_deref() == Some("shown") {
        return Ok(true);
    }
    let last: Option<i64> = db.query_row(
        &format!("SELECT max(intent) FROM request WHERE id IN {}", unproven(request)),
        [job.0],
        |r| r.get(0),
    )?;
    Ok(last.is_none_or(|intent| now.saturating_sub(intent) >= window))
}

/// Accepts a refusal after nothing of its requests was found. If something of a request was found, the rest of
/// that request stays in doubt.
pub(in crate::jobs) fn refusal_proven(db: &Connection, job: JobId, request: i64) -> rusqlite::Result<()> {
    let refused = unproven(request);
    // This poll proves nothing about requests that were refused after it began.
    let next: Option<i64> = db.query_row(
        &format!("SELECT min(request) FROM row WHERE job = ?1 AND request IN {refused} AND bucket = 'ready'"),
        [job.0],
        |r| r.get(0),
    )?;
    // Change the status through "in doubt" for the claim triggers: this is not a resend, since the rows were never
    // sent.
    for (from, to) in [("not_seen", "in_doubt"), ("in_doubt", "ready")] {
        db.execute(
            &format!(
                "UPDATE row SET bucket = ?3, why = NULL, absent = NULL
                 WHERE job = ?1 AND request IN {refused} AND bucket = ?2
                   AND NOT EXISTS (SELECT 1 FROM row AS other
                                   WHERE other.request = row.request AND other.badge IS NOT NULL)"
            ),
            params![job.0, from, to],
        )?;
    }
    db.execute(
        "UPDATE job SET unproven = ?3 WHERE id = ?1 AND unproven = ?2",
        params![job.0, request, next],
    )?;
    // A running job sends these rows next. Another job may have taken over some of them meanwhile.
    claims::ask_again(db, job)
}

/// Recovers jobs whose sending process has ended: requests without an answer are in doubt, and jobs with unsent
/// rows stop until a person resumes them.
pub(in crate::jobs) fn recover(db: &Connection, taken: &[JobId], at: i64) -> rusqlite::Result<()> {
    let lost = Reason::from(Code::Lost);
    for job in taken {
        let open: Vec<i64> = db
            .prepare_cached("SELECT id FROM request WHERE job = ?1 AND answered IS NULL")?
            .query_map([job.0], |r| r.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for request in open {
            settle(db, request, RowStatus::InDoubt, Some(&lost))?;
            let how = Ended { outcome: "lost", status: None, accepted: None, why: Some(lost.clone()) };
            ended(db, request, at, &how)?;
            // Poll rows in doubt before anything else.
            jobs::set_next_look(db, *job, Timestamp::from_second(at).ok())?;
        }
        let left = jobs::counts(db, *job)?.of(RowStatus::Ready);
        if left > 0 {
            jobs::stop(db, *job, StopKind::Interrupted, &Code::Interrupted.into())?;
        }
    }
    Ok(())
}

/// Cancels the unsent rows of a job and returns their number.
pub(in crate::jobs) fn call_off(db: &Connection, job: JobId, kind: Kind) -> rusqlite::Result<u64> {
    let unsent = rules::condition(Step::CallOff, kind, Phase::Cancelled);
    let moved = db
        .prepare_cached(&format!("UPDATE row SET bucket = 'left_out', why = ?2 WHERE job = ?1 AND {unsent}"))?
        .execute(params![job.0, Reason::from(Code::CalledOff)])?;
    Ok(moved as u64)
}

/// Stops this process's jobs that have rows left to send, until a person resumes them.
pub(in crate::jobs) fn interrupt(db: &Connection, me: &str, why: &Reason) -> rusqlite::Result<()> {
    for id in jobs::ready(db, me)? {
        jobs::stop(db, id, StopKind::Interrupted, why)?;
    }
    Ok(())
}
