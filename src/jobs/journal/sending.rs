//! Records requests before they are sent, and their answers. The answers of a request are applied in the write that
//! records them.

use super::claims::{HELD_UP, HOLDS};
use super::requests::{self, Chunk, Ended, RequestEntry};
use super::rows::{self, Binding};
use super::{jobs, lost_writes, refusals, transfer};
use crate::jobs::batch::{RequestsNeeded, request_count};
use crate::jobs::job::StopKind;
use crate::jobs::journal::prelude::*;
use crate::jobs::schedule::{self, Polling, Schedule};

/// Whether [`record_intent`] may find rows to send.
pub(super) fn has_ready(db: &Tx<'_>, job: &JobId, me: &str) -> tx::Result<bool> {
    db.one(
        "SELECT EXISTS (SELECT 1 FROM tally WHERE job = ?1 AND bucket = 'ready' AND n > 0)
            AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2)",
        values![job.0, me],
    )
}

/// This process's running jobs with ready rows.
pub(super) fn ready_jobs(db: &Tx<'_>, me: &str) -> tx::Result<Vec<JobId>> {
    db.all(
        "SELECT id FROM job JOIN tally ON tally.job = job.id
         WHERE owner = ?1 AND phase = 'running' AND bucket = 'ready' AND n > 0",
        values![me],
    )
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct RecordIntent {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) me: String,
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
///
/// # Errors
/// Another journal sends for the account. Or a team's database lost writes, and the history was not searched since.
pub(super) fn record_intent(db: &Tx<'_>, args: &RecordIntent) -> tx::Result<Option<Chunk>> {
    let RecordIntent { job, me, most, at, heard } = args;
    let found: Option<(Kind, Option<i64>)> = db.first(
        "SELECT kind, batch FROM job WHERE id = ?1 AND phase = 'running' AND owner = ?2",
        values![job.0, me],
    )?;
    let Some((kind, batch)) = found else { return Ok(None) };
    let most = batch.map_or(*most, |b| (*most).min(usize::try_from(b).unwrap_or(1))).max(1);
    transfer::assure_here(db, *job, true)?;
    lost_writes::assure_searched(db, *job)?;
    let entries = loop {
        let (entries, unclaimed) = if kind == Kind::Issue {
            recipients(db, *job, most)?
        } else {
            (badges(db, *job, most)?, Vec::new())
        };
        if !unclaimed.is_empty() {
            db.execute(
                "UPDATE row SET bucket = 'ask', why = ?3
                 WHERE job = ?1 AND no IN json_list(?2, bigint)",
                values![job.0, super::json(&unclaimed), Reason::from(Code::NoClaim)],
            )?;
        }
        if !entries.is_empty() {
            break entries;
        }
        // Another row with the address of one of these may have a claim.
        if unclaimed.is_empty() {
            return Ok(None);
        }
    };
    let request: i64 = db.one(
        "INSERT INTO request (job, rows, sha256, intent, heard) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![job.0, entries.len() as i64, requests::sum(&entries), at, heard],
    )?;
    let places: Vec<u64> = entries.iter().map(|entry| entry.no).collect();
    db.execute(
        "UPDATE row SET bucket = 'sending', why = NULL, request = ?3, absent = NULL, accepted = NULL,
                        tries = tries + 1
         WHERE job = ?1 AND no IN json_list(?2, bigint)",
        values![job.0, super::json(&places), request],
    )?;
    Ok(Some(Chunk { request, entries }))
}

/// Undoes [`record_intent`], for a request of which certainly nothing was sent.
pub(super) fn withdraw_intent(db: &Tx<'_>, request: i64) -> tx::Result<()> {
    let of: Option<(JobId, i64)> =
        db.first("SELECT job, intent FROM request WHERE id = ?1 AND answered IS NULL", values![request])?;
    let Some((job, at)) = of else { return Ok(()) };
    requests::back(db, job, request)?;
    requests::ended(db, request, at, &Ended { outcome: "not_sent", status: None, accepted: None, why: None })
}

/// Ready rows, in the order of the index of statuses. PostgreSQL may believe that all rows are ready, and would then read
/// the sent ones again for every request.
const IN_ORDER: &str = "bucket BETWEEN 'ready' AND 'ready'";
/// Ready rows that are read at once, after the first ones did not fill a request.
const MORE: usize = 10_000;

/// The next recipients that may be sent, and the rows before them that have no valid claim.
fn recipients(db: &Tx<'_>, job: JobId, most: usize) -> tx::Result<(Vec<RequestEntry>, Vec<i64>)> {
    let (mut entries, mut keys, mut unclaimed) = (Vec::new(), HashSet::new(), Vec::new());
    let (mut after, mut limit) = (0, most);
    loop {
        let ready = format!(
            "SELECT no, email_key FROM row WHERE job = ?1 AND {IN_ORDER} AND no > ?2 ORDER BY bucket, no LIMIT ?3"
        );
        let (mut firsts, mut last, mut read) = (Vec::new(), after, 0);
        db.each(&ready, values![job.0, after, limit as i64], |row| {
            let no: i64 = row.get(0)?;
            (last, read) = (no, read + 1);
            // The claims of the others count when it is their turn: an address may have thousands.
            if keys.insert(row.get::<String>(1)?) {
                firsts.push(no);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        // Most claims are the only one on their recipient: then nothing else has to be looked up.
        let checked = format!(
            "WITH own AS MATERIALIZED (
                 SELECT row.job, row.no, name, email, email_key, badge, mine.state,
                        (SELECT count(*) FROM claim AS other
                         WHERE other.account = mine.account AND other.template = mine.template
                           AND other.person = mine.person) AS claims
                 FROM row LEFT JOIN claim AS mine ON mine.job = row.job AND mine.no = row.no
                 WHERE row.job = ?1 AND row.no IN json_list(?2, bigint))
             SELECT no, name, email, email_key, CASE WHEN claims = 1 THEN state = 'reserved' ELSE {HOLDS} END,
                    claims > 1 AND {HELD_UP}, badge
             FROM own AS row ORDER BY no"
        );
        db.each(&checked, values![job.0, super::json(&firsts)], |row| {
            let no: i64 = row.get(0)?;
            if !row.get::<bool>(4)? {
                unclaimed.push(no);
            } else if !row.get::<bool>(5)? {
                entries.push(RequestEntry {
                    no: no.unsigned_abs(),
                    name: row.get(1)?,
                    email: row.get(2)?,
                    key: row.get(3)?,
                    badge: row.get::<Option<String>>(6)?.and_then(BadgeId::new),
                });
            }
            let is_full = entries.len() == most;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if entries.len() == most || read < limit {
            return Ok((entries, unclaimed));
        }
        (after, limit) = (last, MORE);
    }
}

/// The requests that [`record_intent`] makes of a draft's ready rows, of at most `most` entries each. Which rows fill the
/// further requests of a recipient who is there twice depends on the answers.
pub(super) fn requests_needed(db: &Tx<'_>, id: &JobId, most: &usize) -> tx::Result<RequestsNeeded> {
    let sql = format!(
        "SELECT coalesce((SELECT n FROM tally WHERE job = ?1 AND bucket = 'ready'), 0),
                CASE WHEN kind = ?2 AND EXISTS (SELECT 1 FROM row INDEXED BY row_class
                                                WHERE job = ?1 AND class IS NOT NULL AND repeats IS NOT NULL
                                                  AND bucket = 'ready')
                     THEN (SELECT max(n) FROM (SELECT count(*) AS n FROM row WHERE job = ?1 AND {IN_ORDER}
                                               GROUP BY email_key) AS recipient)
                     ELSE 1 END
         FROM job WHERE id = ?1"
    );
    db.row(&sql, values![id.0, Kind::Issue.code()], |r| {
        let (ready, of_one): (u64, u64) = (r.get(0)?, r.get(1)?);
        let is_exact = of_one <= 1;
        let least = request_count(ready, *most);
        Ok(RequestsNeeded { least: if is_exact { least } else { least.max(of_one) }, is_exact })
    })
}

fn badges(db: &Tx<'_>, job: JobId, most: usize) -> tx::Result<Vec<RequestEntry>> {
    db.rows(
        &format!(
            "SELECT no, name, email, email_key, badge FROM row
             WHERE job = ?1 AND {IN_ORDER} AND badge <> '' ORDER BY bucket, no LIMIT ?2"
        ),
        values![job.0, most as i64],
        |r| {
            Ok(RequestEntry {
                no: r.get::<i64>(0)?.unsigned_abs(),
                name: r.get(1)?,
                email: r.get(2)?,
                key: r.get(3)?,
                badge: BadgeId::new(r.get::<String>(4)?),
            })
        },
    )
}

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
    pub(in crate::jobs) badges: Vec<(u64, BadgeId)>,
    pub(in crate::jobs) schedule: Schedule,
}

/// Records the answer to an issue request. Returns the badges that were bound to rows.
pub(super) fn record_issue_answer(db: &Tx<'_>, args: &IssueAnswer) -> tx::Result<Vec<BadgeId>> {
    let IssueAnswer { job, request, now, sent, accepted, named, badges, schedule } = args;
    let at = now.as_second();
    let bindings: Vec<_> = badges
        .iter()
        .map(|(no, badge)| Binding { job: *job, no: *no, badge, at, request: Some(*request) })
        .collect();
    let bound = rows::bind(db, &bindings)?;
    if requests::is_lost(db, *request)? {
        let named: Vec<&str> = badges.iter().map(|(_, badge)| badge.wire()).collect();
        let what = format!("request {request}: accepted {accepted:?} of {sent}: {}", named.join(" "));
        requests::record_late(db, *job, at, &what)?;
        return Ok(bound);
    }
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
        jobs::set_note(db, *job, &note)?;
    }
    let next = if bound.len() as u64 == *sent {
        schedule::next(schedule, Polling::Issue, *sent, *now, *now)
    } else if all {
        schedule::next(schedule, Polling::Doubt, *sent, *now, *now)
    } else {
        *now
    };
    jobs::poll_by(db, *job, next)?;
    Ok(bound)
}

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
pub(super) fn record_revoke_answer(db: &Tx<'_>, args: &RevokeAnswer) -> tx::Result<RowStatus> {
    let RevokeAnswer { job, request, now, sent, accepted, schedule } = args;
    let all = *accepted == Some(*sent);
    if requests::is_lost(db, *request)? {
        let what = format!("request {request}: accepted {accepted:?} of {sent}");
        requests::record_late(db, *job, now.as_second(), &what)?;
        return Ok(RowStatus::InDoubt);
    }
    let row_status = if all { RowStatus::Revoking } else { RowStatus::Unproven };
    // If some were not accepted, it is unknown which.
    if all {
        requests::accepted_at(db, *request, now.as_second())?;
    }
    requests::set_sending(db, *request, row_status, None)?;
    let how = Ended { outcome: "accepted", status: Some(202), accepted: *accepted, why: None };
    requests::ended(db, *request, now.as_second(), &how)?;
    if let Some(note) = note(*accepted, *sent) {
        jobs::set_note(db, *job, &note)?;
    }
    // If the count shows that some were not accepted, poll now.
    let next = if all { schedule::next(schedule, Polling::Revoke, *sent, *now, *now) } else { *now };
    jobs::poll_by(db, *job, next)?;
    Ok(row_status)
}

fn note(accepted: Option<u64>, sent: u64) -> Option<Reason> {
    let sent_of = |code: Code| Reason::from(code).with("sent", sent);
    match accepted {
        None => Some(sent_of(Code::RevokeUncounted)),
        // The job adds up what the service reports of all its requests.
        Some(n) if n <= sent => None,
        Some(n) => Some(sent_of(Code::RevokeAcceptedMore).with("n", n)),
    }
}

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

#[derive(Clone, Debug)]
pub(in crate::jobs) struct RequestFailure {
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
    /// When to look for what a refused request may have done all the same.
    pub(in crate::jobs) next_poll: Timestamp,
}

pub(super) fn record_failure(db: &Tx<'_>, args: &RequestFailure) -> tx::Result<()> {
    let RequestFailure { job, request, now, at, rows, why, how, stop, next_poll } = args;
    if requests::is_lost(db, *request)? {
        let what = format!("request {request}: {} ({:?})", how.outcome, how.status);
        return requests::record_late(db, *job, now.as_second(), &what);
    }
    match rows {
        FailedRows::Unbound => requests::accepted_unbound(db, *request, now.as_second(), why)?,
        FailedRows::InDoubt => requests::set_sending(db, *request, RowStatus::InDoubt, Some(why))?,
        FailedRows::Refused => requests::set_sending(db, *request, RowStatus::NotDone, Some(why))?,
        FailedRows::Unproven => refusals::record(db, *job, *request, (*at, *next_poll))?,
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

/// Number of rows in the last refused request.
pub(super) fn refused_size(db: &Tx<'_>, id: &JobId) -> tx::Result<i64> {
    db.one(
        "SELECT coalesce((SELECT rows FROM request WHERE job = ?1 AND outcome = 'refused' AND status = 422
                          ORDER BY id DESC LIMIT 1), batch, 1000) FROM job WHERE id = ?1",
        values![id.0],
    )
}

pub(super) fn set_batch(db: &Tx<'_>, id: &JobId, most: &i64) -> tx::Result<()> {
    jobs::set_batch(db, *id, Some(*most))
}
