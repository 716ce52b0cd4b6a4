//! Records requests before they are sent: which rows may be sent now, and which of them a request has.

use super::claims::{HELD_UP, HOLDS};
use super::requests::{self, Chunk, Ended, RequestEntry};
use super::{jobs, lost_writes, transfer};
use crate::jobs::batch::{RequestsNeeded, request_count};
use crate::jobs::journal::prelude::*;

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

/// Undoes [`record_intent`], for a request of which certainly nothing was sent. Does nothing if its job was taken over since:
/// the request is answered then, as lost.
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
             SELECT {ENTRY}, CASE WHEN claims = 1 THEN state = 'reserved' ELSE {HOLDS} END, claims > 1 AND {HELD_UP}
             FROM own AS row ORDER BY no"
        );
        db.each(&checked, values![job.0, super::json(&firsts)], |row| {
            if !row.get::<bool>(5)? {
                unclaimed.push(row.get(0)?);
            } else if !row.get::<bool>(6)? {
                entries.push(entry(row)?);
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
    let sql = format!(
        "SELECT {ENTRY} FROM row WHERE job = ?1 AND {IN_ORDER} AND badge <> '' ORDER BY bucket, no LIMIT ?2"
    );
    db.rows(&sql, values![job.0, most as i64], entry)
}

/// The columns of [`entry`].
const ENTRY: &str = "no, name, email, email_key, badge";

fn entry(r: &SqlRow<'_>) -> tx::Result<RequestEntry> {
    let badge = r.get::<Option<String>>(4)?.and_then(BadgeId::new);
    Ok(RequestEntry { no: r.get(0)?, name: r.get(1)?, email: r.get(2)?, key: r.get(3)?, badge })
}

/// Number of rows in the last refused request.
pub(super) fn refused_size(db: &Tx<'_>, id: &JobId) -> tx::Result<i64> {
    db.one(
        "SELECT coalesce((SELECT rows FROM request WHERE job = ?1 AND outcome = 'refused' AND status = 422
                          ORDER BY id DESC LIMIT 1), batch, 1000) FROM job WHERE id = ?1",
        values![id.0],
    )
}

/// # Errors
/// Another process owns the job now.
pub(super) fn set_batch(db: &Tx<'_>, id: &JobId, me: &str, most: &i64) -> tx::Result<()> {
    jobs::assure_owned(db, *id, me)?;
    jobs::set_batch(db, *id, Some(*most))
}
