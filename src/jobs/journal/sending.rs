//! Records requests before they are sent, and their answers. The answers of a request are applied in the write that
//! records them.

use super::claims::{HELD_UP, HOLDS};
use super::jobs;
use super::requests::{self, Chunk, Ended, Entry};
use super::rows::{self, Binding};
use crate::domain::BadgeId;
use crate::jobs::job::{JobId, Kind, RowStatus, StopKind};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::schedule::{self, Polling, Schedule};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// Whether [`record_intent`] may find rows to send.
pub(super) fn has_ready(db: &Connection, job: &JobId, me: &str) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM row WHERE job = ?1 AND bucket = 'ready')
            AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2)",
    )?
    .query_row(params![job.0, me], |r| r.get(0))
}

/// This process's running jobs with ready rows.
pub(super) fn ready_jobs(db: &Connection, me: &str) -> rusqlite::Result<Vec<JobId>> {
    db.prepare_cached(
        "SELECT id FROM job JOIN tally ON tally.job = job.id
         WHERE owner = ?1 AND phase = 'running' AND bucket = 'ready' AND n > 0",
    )?
    .query_map([me], |r| r.get(0).map(JobId))?
    .collect()
}

/// A request to record.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct RecordIntent {
    pub(in crate::jobs) job: JobId,
    /// The owner of the job.
    pub(in crate::jobs) me: String,
    /// Maximum number of entries.
    pub(in crate::jobs) most: usize,
    /// The service's time, in seconds, and whether it comes from the service's own clock.
    pub(in crate::jobs) at: i64,
    pub(in crate::jobs) heard: bool,
}

/// Takes the next rows that may be sent and records the request. From now on the rows may have been sent. `None` if
/// nothing may be sent now.
///
/// Responses to a batch identify rows by address only. So a request contains no address twice, and no address of
/// another open request of the same template. A row of an issue job without a valid claim needs review and is not
/// sent.
pub(super) fn record_intent(db: &Connection, args: &RecordIntent) -> rusqlite::Result<Option<Chunk>> {
    let RecordIntent { job, me, most, at, heard } = args;
    let found: Option<(String, Option<i64>)> = db
        .prepare_cached("SELECT kind, batch FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2")?
        .query_row(params![job.0, me], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let Some((kind, batch)) = found else { return Ok(None) };
    let most = batch.map_or(*most, |b| (*most).min(usize::try_from(b).unwrap_or(1))).max(1);
    let (entries, unclaimed) = if kind == Kind::Issue.code() {
        recipients(db, *job, most)?
    } else {
        (badges(db, *job, most)?, Vec::new())
    };
    if !unclaimed.is_empty() {
        db.prepare_cached(
            "UPDATE row SET bucket = 'ask', why = ?3
             WHERE job = ?1 AND no IN (SELECT value FROM json_each(?2))",
        )?
        .execute(params![job.0, super::json(&unclaimed), Reason::from(Code::NoClaim)])?;
    }
    if entries.is_empty() {
        return Ok(None);
    }
    let mut insert = db.prepare_cached(
        "INSERT INTO request (job, rows, sha256, intent, heard) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    insert.execute(params![job.0, entries.len() as i64, requests::sum(&entries), at, heard])?;
    let request = db.last_insert_rowid();
    let places: Vec<u64> = entries.iter().map(|entry| entry.no).collect();
    db.prepare_cached(
        "UPDATE row SET bucket = 'sending', why = NULL, request = ?3, absent = NULL, accepted = NULL,
                        tries = tries + 1
         WHERE job = ?1 AND no IN (SELECT value FROM json_each(?2))",
    )?
    .execute(params![job.0, super::json(&places), request])?;
    Ok(Some(Chunk { request, entries }))
}

/// The next recipients that may be sent, and the rows before them that have no valid claim.
fn recipients(db: &Connection, job: JobId, most: usize) -> rusqlite::Result<(Vec<Entry>, Vec<i64>)> {
    let mut ready = db.prepare_cached(&format!(
        "SELECT no, name, email, email_key, {HOLDS}, {HELD_UP}, badge FROM row
         WHERE job = ?1 AND bucket = 'ready' ORDER BY no"
    ))?;
    let mut rows = ready.query([job.0])?;
    let (mut entries, mut keys, mut unclaimed) = (Vec::new(), HashSet::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let no: i64 = row.get(0)?;
        if !row.get::<_, bool>(4)? {
            unclaimed.push(no);
            continue;
        }
        let key: String = row.get(3)?;
        if !keys.insert(key.clone()) || row.get(5)? {
            continue;
        }
        entries.push(Entry {
            no: no.unsigned_abs(),
            name: row.get(1)?,
            email: row.get(2)?,
            key,
            badge: row.get::<_, Option<String>>(6)?.and_then(BadgeId::new),
        });
        if entries.len() == most {
            break;
        }
    }
    Ok((entries, unclaimed))
}

/// The next badges to revoke.
fn badges(db: &Connection, job: JobId, most: usize) -> rusqlite::Result<Vec<Entry>> {
    db.prepare_cached(
        "SELECT no, name, email, email_key, badge FROM row
         WHERE job = ?1 AND bucket = 'ready' AND badge <> '' ORDER BY no LIMIT ?2",
    )?
    .query_map(params![job.0, most as i64], |r| {
        Ok(Entry {
            no: r.get::<_, i64>(0)?.unsigned_abs(),
            name: r.get(1)?,
            email: r.get(2)?,
            key: r.get(3)?,
            badge: BadgeId::new(r.get::<_, String>(4)?),
        })
    })?
    .collect()
}

/// The answer to an issue request that the service accepted.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct IssueAnswer {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// Number of entries of the request.
    pub(in crate::jobs) sent: u64,
    /// The service's `accepted_count`.
    pub(in crate::jobs) accepted: Option<u64>,
    /// Number of entries in the answer.
    pub(in crate::jobs) named: u64,
    /// The rows that the answer names, and their badges.
    pub(in crate::jobs) badges: Vec<(u64, BadgeId)>,
    pub(in crate::jobs) schedule: Schedule,
}

/// Records the answer to an issue request. Returns the badges that were bound to rows.
pub(super) fn record_issue_answer(db: &Connection, args: &IssueAnswer) -> rusqlite::Result<Vec<BadgeId>> {
    let IssueAnswer { job, request, now, sent, accepted, named, badges, schedule } = args;
    let at = now.as_second();
    let bindings: Vec<_> =
        badges.iter().map(|(no, badge)| Binding { job: *job, no: *no, badge, at }).collect();
    let bound = rows::bind(db, &bindings)?;
    let all = accepted.is_some_and(|n| n >= *sent);
    if all {
        requests::accepted_unbound(db, *request, at, &Code::NotNamed.into())?;
    } else {
        // The service did not name some of the rows, so lapel checks whether they were accepted.
        let accepted = accepted.unwrap_or(*named);
        let why = Reason::from(Code::NotNamedOf).with("accepted", accepted).with("sent", sent);
        requests::set_sending(db, *request, RowStatus::InDoubt, Some(&why))?;
    }
    let how = Ended { outcome: "accepted", status: Some(202), accepted: *accepted, why: None };
    requests::ended(db, *request, at, &how)?;
    if let Some(more) = accepted.filter(|n| n > sent) {
        let note = Reason::from(Code::AcceptedMore).with("accepted", more).with("sent", sent);
        jobs::set_note(db, *job, Some(&note))?;
    }
    let next = if bound.len() as u64 == *sent {
        schedule::next(schedule, Polling::Issue, *now, *now)
    } else if all {
        schedule::next(schedule, Polling::Doubt, *now, *now)
    } else {
        *now
    };
    jobs::poll_by(db, *job, next)?;
    Ok(bound)
}

/// The answer to a revoke request that the service accepted.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct RevokeAnswer {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// Number of entries of the request.
    pub(in crate::jobs) sent: u64,
    /// The service's `accepted_count`.
    pub(in crate::jobs) accepted: Option<u64>,
    pub(in crate::jobs) schedule: Schedule,
}

/// Records the answer to a revoke request. Returns the new status of its rows.
pub(super) fn record_revoke_answer(db: &Connection, args: &RevokeAnswer) -> rusqlite::Result<RowStatus> {
    let RevokeAnswer { job, request, now, sent, accepted, schedule } = args;
    let all = *accepted == Some(*sent);
    let row_status = if all { RowStatus::Revoking } else { RowStatus::Unproven };
    // If some were not accepted, it is unknown which.
    if all {
        requests::accepted_at(db, *request, now.as_second())?;
    }
    requests::set_sending(db, *request, row_status, None)?;
    let how = Ended { outcome: "accepted", status: Some(202), accepted: *accepted, why: None };
    requests::ended(db, *request, now.as_second(), &how)?;
    jobs::set_note(db, *job, note(*accepted, *sent).as_ref())?;
    // If the count shows that some were not accepted, poll now.
    let next = if all { schedule::next(schedule, Polling::Revoke, *now, *now) } else { *now };
    jobs::poll_by(db, *job, next)?;
    Ok(row_status)
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

/// What a failed request means for its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::jobs) enum FailedRows {
    /// Accepted, but their badges are unknown.
    Unbound,
    /// Unknown whether they were accepted. lapel polls at once.
    InDoubt,
    /// Refused: certainly nothing was done.
    Refused,
    /// Refused, but a poll must prove that nothing was done.
    Unproven,
    /// Certainly nothing was done, and they may be sent again.
    Ready,
}

/// The failure of a request.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Failure {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// This computer's time, in milliseconds.
    pub(in crate::jobs) at: i64,
    pub(in crate::jobs) rows: FailedRows,
    pub(in crate::jobs) why: Reason,
    pub(in crate::jobs) how: Ended,
    /// Stops the job in the same write that makes its rows ready again. Otherwise they could be sent again before the
    /// stop is written.
    pub(in crate::jobs) stop: Option<(StopKind, Reason)>,
}

/// Records that a request failed.
pub(super) fn record_failure(db: &Connection, args: &Failure) -> rusqlite::Result<()> {
    let Failure { job, request, now, at, rows, why, how, stop } = args;
    match rows {
        FailedRows::Unbound => requests::accepted_unbound(db, *request, now.as_second(), why)?,
        FailedRows::InDoubt => requests::set_sending(db, *request, RowStatus::InDoubt, Some(why))?,
        FailedRows::Refused => requests::set_sending(db, *request, RowStatus::NotDone, Some(why))?,
        FailedRows::Unproven => requests::keep_unproven(db, *job, *request, *at)?,
        FailedRows::Ready => requests::back(db, *job, *request)?,
    }
    if let Some((kind, why)) = stop {
        jobs::stop(db, job, kind, why)?;
    }
    requests::ended(db, *request, now.as_second(), how)?;
    if matches!(rows, FailedRows::Unbound | FailedRows::InDoubt) {
        // Poll a doubt at once. Where the service shows waiting badges, that resolves it.
        jobs::set_next_poll(db, *job, Some(*now))?;
    }
    Ok(())
}

/// A check whether an uncertain refusal had an effect, after a poll that found nothing more.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct ProveRefusal {
    pub(in crate::jobs) job: JobId,
    /// The first of the refused requests.
    pub(in crate::jobs) request: i64,
    pub(in crate::jobs) account: String,
    /// The service's time, in seconds.
    pub(in crate::jobs) now: i64,
    /// The doubt window, in seconds.
    pub(in crate::jobs) window: i64,
    /// This computer's time, in milliseconds.
    pub(in crate::jobs) at: i64,
}

/// Makes the refused rows ready if the poll proves that nothing was accepted. Returns whether it does.
pub(super) fn prove_refusal(db: &Connection, args: &ProveRefusal) -> rusqlite::Result<bool> {
    let ProveRefusal { job, request, account, now, window, at } = args;
    if !requests::is_provable(db, account, (*job, *request), *now, *window)? {
        jobs::set_note(db, *job, Some(&Code::NotProvable.into()))?;
        return Ok(false);
    }
    requests::refusal_proven(db, *job, *request, *at)?;
    Ok(true)
}

/// Number of rows in the last refused request.
pub(super) fn refused_size(db: &Connection, id: &JobId) -> rusqlite::Result<i64> {
    db.query_row(
        "SELECT coalesce((SELECT rows FROM request WHERE job = ?1 AND id >= job.unproven AND status = 422
                          ORDER BY id DESC LIMIT 1), batch, 1000) FROM job WHERE id = ?1",
        [id.0],
        |r| r.get(0),
    )
}

/// Limits the entries per request.
pub(super) fn set_batch(db: &Connection, id: &JobId, most: &i64) -> rusqlite::Result<()> {
    jobs::set_batch(db, *id, Some(*most))
}
