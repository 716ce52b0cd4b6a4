//! Issue and revoke requests: recorded with their rows before the first byte leaves, and answered afterwards.

use super::jobs::Actor;
use super::sending::RefusalCheck;
use super::tx::{self, Tx, values};
use super::{claims, conditions, facts, jobs};
use crate::jobs::intake::hex;
use crate::jobs::job::{JobId, Kind, Phase};
use crate::jobs::journal::prelude::*;
use crate::jobs::prelude::*;
use crate::jobs::reason::{Code, Reason};
use crate::jobs::row_status::RowStatus;
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
    db.execute(
        "UPDATE request SET answered = ?2, outcome = ?3, status = ?4, accepted = ?5, why = ?6 WHERE id = ?1",
        values![request, at, how.outcome, how.status, how.accepted.map(|n| n as i64), how.why,],
    )?;
    Ok(())
}

/// Whether the job was taken over from the process that sent this request, before it recorded an answer; or the
/// database has lost the request.
pub(super) fn is_lost(db: &Tx<'_>, request: i64) -> tx::Result<bool> {
    let is_open = "SELECT 1 FROM request WHERE id = ?1 AND outcome IS DISTINCT FROM 'lost'";
    Ok(!db.exists(is_open, values![request])?)
}

/// Keeps an answer that came after the job was taken over. It is evidence; its rows stay in doubt, and the new owner
/// looks for their badges.
pub(super) fn record_late(db: &Tx<'_>, job: JobId, at: i64, what: &str) -> tx::Result<()> {
    jobs::decide(db, job, None, "late answer", &Actor::lapel(at.saturating_mul(1000)), what)?;
    jobs::set_next_poll(db, job, Timestamp::from_second(at).ok())
}

/// Sets the status of a request's rows that are still sending.
pub(super) fn set_sending(
    db: &Tx<'_>,
    request: i64,
    row_status: RowStatus,
    why: Option<&Reason>,
) -> tx::Result<()> {
    db.execute(
        "UPDATE row SET bucket = ?2, why = ?3 WHERE request = ?1 AND bucket = 'sending'",
        values![request, row_status.code(), why],
    )?;
    Ok(())
}

pub(super) fn accepted_at(db: &Tx<'_>, request: i64, at: i64) -> tx::Result<()> {
    db.execute("UPDATE row SET accepted = ?2 WHERE request = ?1", values![request, at])?;
    Ok(())
}

/// Marks the rows of an accepted request as accepted without a known badge.
pub(super) fn accepted_unbound(db: &Tx<'_>, request: i64, at: i64, why: &Reason) -> tx::Result<()> {
    db.execute("UPDATE row SET bucket = 'unbound', why = ?3, accepted = ?2 WHERE request = ?1 AND bucket = 'sending'", values![request, at, why])?;
    Ok(())
}

/// Records an uncertain refusal (422). A poll must prove that nothing of it was accepted before anything else is
/// sent. If several requests were refused, the job stores only the first, for all later ones. If a person
/// cancelled the rest, the rows are put in doubt, since they may exist.
pub(super) fn keep_unproven(
    db: &Tx<'_>,
    job: JobId,
    request: i64,
    (at, next_poll): (i64, Timestamp),
) -> tx::Result<()> {
    set_sending(db, request, RowStatus::Ready, None)?;
    let cancelled: bool = db.row(
        "UPDATE job SET unproven = CASE WHEN unproven < ?2 THEN unproven ELSE ?2 END WHERE id = ?1
             RETURNING phase = 'cancelled'",
        values![job.0, request],
        |r| r.get(0),
    )?;
    jobs::poll_by(db, job, next_poll)?;
    // The answer is not recorded yet, so the condition for refused requests does not match this one.
    if cancelled {
        rows_in_doubt(db, job, &format!("request = {request}"), at)?;
    }
    Ok(())
}

/// Puts rows of uncertain refusals in doubt and polls at once. Skips rows that a person has since decided to send
/// again.
fn rows_in_doubt(db: &Tx<'_>, job: JobId, which: &str, at: i64) -> tx::Result<()> {
    let moved = db.execute(
        &format!(
            "UPDATE row SET bucket = 'in_doubt', why = ?2
             WHERE job = ?1 AND {which} AND bucket = 'ready'
               AND reason_code(why) IS DISTINCT FROM ?3"
        ),
        values![job.0, Reason::from(Code::BeingProven), Code::SentAgain.name()],
    )?;
    if moved > 0 {
        claims::claim_doubts(db, job, at)?;
        jobs::set_next_poll(db, job, None)?;
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
pub(super) fn back(db: &Tx<'_>, job: JobId, request: i64) -> tx::Result<()> {
    set_sending(db, request, RowStatus::Ready, None)?;
    let (cancelled, kind): (bool, String) =
        db.row("SELECT phase = 'cancelled', kind FROM job WHERE id = ?1", values![job.0], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?;
    if cancelled {
        cancel_unsent(db, job, Kind::from_code(&kind).unwrap_or(Kind::Revoke))?;
    }
    Ok(())
}

/// The first uncertain refusal (422) of a job.
pub(super) fn first_unproven(db: &Tx<'_>, job: JobId) -> tx::Result<Option<i64>> {
    Ok(db.optional("SELECT unproven FROM job WHERE id = ?1", values![job.0], |r| r.get(0))?.flatten())
}

/// The jobs among these with uncertain refusals. `halted`: also paused and stopped ones.
pub(super) fn with_unproven(db: &Tx<'_>, jobs: &[JobId], halted: &bool) -> tx::Result<Vec<JobId>> {
    let sql = "SELECT 1 FROM job WHERE id = ?1 AND unproven IS NOT NULL AND (?2 OR phase NOT IN ('paused', 'stopped'))";
    let mut found = Vec::new();
    for job in jobs {
        if db.exists(sql, values![job.0, *halted])? {
            found.push(*job);
        }
    }
    Ok(found)
}

/// Puts the rows of uncertain refusals (422) in doubt, so that a poll looks for them. `at` is this computer's time, in
/// milliseconds.
pub(super) fn doubt_refusals(db: &Tx<'_>, jobs: &[JobId], at: &i64) -> tx::Result<()> {
    jobs.iter().try_for_each(|job| doubt_refusal(db, *job, *at))
}

/// As [`doubt_refusals`], for one job.
pub(super) fn doubt_refusal(db: &Tx<'_>, job: JobId, at: i64) -> tx::Result<()> {
    match first_unproven(db, job)? {
        Some(request) => rows_in_doubt(db, job, &format!("request IN {}", unproven(request)), at),
        None => Ok(()),
    }
}

/// From when on a poll that finds nothing more proves that the refused requests had no effect: as for every other doubt, some
/// time after them if the service shows waiting badges, since it may show them late; else after the doubt window. Where a
/// part of a request was found, nothing is left to prove.
/// Without the service's clock, nobody knows when that is: then a person decides.
pub(super) fn provable_from(
    db: &Tx<'_>,
    (job, request): (JobId, i64),
    proof: &RefusalCheck,
) -> tx::Result<Option<i64>> {
    let shown = facts::settled(db, &proof.account, "waiting_in_history")?.as_deref() == Some("shown");
    let wait = if shown { proof.absence_after } else { proof.doubt_window };
    let (last, heard): (i64, bool) = db.row(
        &format!(
            "SELECT coalesce(max(intent), 0), coalesce(min(CASE WHEN heard THEN 1 ELSE 0 END), 1) = 1
             FROM request WHERE id IN {}
               AND EXISTS (SELECT 1 FROM row WHERE row.request = request.id
                           AND bucket IN ('ready', 'in_doubt', 'not_seen'))
               AND NOT EXISTS (SELECT 1 FROM row AS other
                               WHERE other.request = request.id AND other.badge IS NOT NULL)",
            unproven(request)
        ),
        values![job.0],
        |r| Ok((r.get(0)?, r.get(1)?)),
    )?;
    Ok(heard.then_some(last.saturating_add(wait.as_secs())))
}

/// Accepts a refusal after nothing of its requests was found. If something of a request was found, the rest of
/// that request stays in doubt.
pub(super) fn refusal_proven(db: &Tx<'_>, job: JobId, request: i64, at: i64) -> tx::Result<()> {
    let refused = unproven(request);
    // This poll proves nothing about requests that were refused after it began.
    let next: Option<i64> = db.row(
        &format!("SELECT min(request) FROM row WHERE job = ?1 AND request IN {refused} AND bucket = 'ready'"),
        values![job.0],
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
            values![job.0, from, to],
        )?;
    }
    let (cancelled, kind): (bool, String) = db.row(
        "UPDATE job SET unproven = ?2, note = CASE WHEN reason_code(note) IN (?3, ?4) THEN NULL ELSE note END
         WHERE id = ?1 RETURNING phase = 'cancelled', kind",
        values![job.0, next, Code::NotProvable.name(), Code::ProvableSoon.name()],
        |r| Ok((r.get(0)?, r.get(1)?)),
    )?;
    if cancelled {
        cancel_unsent(db, job, Kind::from_code(&kind).unwrap_or(Kind::Issue))?;
    }
    // A running job sends these rows next. Another job may have taken over some of them meanwhile.
    claims::claim_again(db, job, at)
}

/// Makes the rows of a halted job ready again after a poll that found nothing of their requests, but proves nothing yet.
/// Whatever sends or cancels them later puts them in doubt first.
pub(super) fn refusal_unproven(db: &Tx<'_>, job: JobId, request: i64, at: i64) -> tx::Result<()> {
    let restored = db.execute(
        &format!(
            "UPDATE row SET bucket = 'ready', why = NULL, absent = NULL
             WHERE job = ?1 AND request IN {} AND bucket = 'in_doubt'
               AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase IN ('paused', 'stopped'))
               AND NOT EXISTS (SELECT 1 FROM row AS other
                               WHERE other.request = row.request AND other.badge IS NOT NULL)",
            unproven(request)
        ),
        values![job.0],
    )?;
    if restored > 0 { claims::claim_again(db, job, at) } else { Ok(()) }
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

#[cfg(test)]
mod tests {
    use super::super::rows::NewRow;
    use super::*;
    use crate::jobs::journal::tests::statements::{draft_of, journal};

    /// A service that shows waiting badges late and accepted a part of what it refused would get a second request.
    #[test]
    fn a_refusal_is_provable_some_time_after_it_and_by_the_services_clock_only() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = |email: &str| NewRow { email: email.into(), ..NewRow::default() };
        let job = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
        for (id, intent, outcome) in [(7, 1000, "refused"), (8, 1060, "refused"), (9, 2000, "accepted")] {
            db.script(&format!(
                "INSERT INTO request (id, job, rows, sha256, intent, heard, answered, outcome, status)
                 SELECT {id}, id, 1, '', {intent}, TRUE, {intent}, '{outcome}', 422 FROM job"
            ))
            .expect("a request");
        }
        db.script("UPDATE row SET bucket = 'in_doubt', request = 6 + no").expect("in doubt");
        let check = RefusalCheck {
            account: "k a".into(),
            now: 0,
            doubt_window: SignedDuration::from_hours(26),
            absence_after: SignedDuration::from_mins(10),
            at: 0,
        };
        let from = || provable_from(&db, (job, 7), &check).expect("read");
        assert_eq!(from(), Some(1060 + 26 * 3600), "not known whether waiting badges are shown");
        let shown = facts::FactObservation::once("waiting_in_history", "shown", Code::Told);
        facts::learn(&db, &check.account, &[shown], &1).expect("learned");
        assert_eq!(from(), Some(1060 + 600), "they are shown, perhaps late");
        db.script("UPDATE request SET heard = FALSE WHERE id = 8").expect("not heard");
        assert_eq!(from(), None);
        db.script("UPDATE row SET bucket = 'waiting' WHERE request = 8").expect("found");
        assert_eq!(from(), Some(1000 + 600), "the later one is known");
    }
}
