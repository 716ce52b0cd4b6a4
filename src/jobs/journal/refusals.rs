//! Refusals with HTTP 422. They mean that probably nothing was accepted, so the rows are ready again; but a poll must prove
//! it before anything of them is sent, and until then lapel looks for them as for rows in doubt.

use super::observe::ObserveContext;
use super::{behaviour, claims, jobs, requests};
use crate::jobs::journal::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::jobs) enum RefusalProof {
    /// Nothing of the requests was accepted, or everything accepted is bound.
    Proven,
    /// Nothing was found, but only a poll from this time on (the service's, in seconds) is a proof.
    Soon(i64),
    /// Nothing was found, but this service can show accepted badges much later, so there is no proof.
    NotProvable,
}

/// Of the rows whose request has a badge, the service accepted some: the others stay in doubt.
const NOTHING_FOUND: &str = "NOT EXISTS (SELECT 1 FROM row AS other
                                         WHERE other.request = row.request AND other.badge IS NOT NULL)";

/// Records a refusal. If several requests were refused, the job stores only the first, for all later ones. If a person
/// cancelled the rest, the rows are put in doubt, since they may exist. `at` is this computer's time, in milliseconds.
pub(super) fn record(
    db: &Tx<'_>,
    job: JobId,
    request: i64,
    (at, next_poll): (i64, Timestamp),
) -> tx::Result<()> {
    requests::set_sending(db, request, RowStatus::Ready, None)?;
    let cancelled: bool = db.one(
        "UPDATE job SET unproven = CASE WHEN unproven < ?2 THEN unproven ELSE ?2 END WHERE id = ?1
             RETURNING phase = 'cancelled'",
        values![job.0, request],
    )?;
    jobs::poll_by(db, job, next_poll)?;
    // The answer is not recorded yet, so the condition for refused requests does not match this one.
    if cancelled {
        put_in_doubt(db, job, "TRUE", Some(request), at)?;
    }
    Ok(())
}

/// Puts rows in doubt and polls at once. Skips rows that a person has since decided to send again.
fn put_in_doubt(db: &Tx<'_>, job: JobId, which: &str, request: Option<i64>, at: i64) -> tx::Result<()> {
    let moved = db.execute(
        &format!(
            "UPDATE row SET bucket = 'in_doubt', why = ?2
             WHERE job = ?1 AND {which} AND (?4 IS NULL OR request = ?4) AND bucket = 'ready'
               AND reason_code(why) IS DISTINCT FROM ?3"
        ),
        values![job.0, Reason::from(Code::BeingProven), Code::SentAgain.name(), request],
    )?;
    if moved > 0 {
        claims::claim_doubts(db, job, at)?;
        jobs::set_next_poll(db, job, None)?;
    }
    Ok(())
}

/// SQL for rows of unproven refusals of a job. `?1` is the job. `None`: it has none.
pub(super) fn rows_of(db: &Tx<'_>, job: JobId) -> tx::Result<Option<&'static str>> {
    let has_any = db.exists("SELECT 1 FROM job WHERE id = ?1 AND unproven IS NOT NULL", values![job.0])?;
    Ok(has_any.then_some(
        "request IN (SELECT id FROM request WHERE job = ?1 AND outcome = 'refused' AND status = 422
                         AND id >= (SELECT unproven FROM job WHERE id = ?1))",
    ))
}

/// The rows of a job's unproven refusals of which nothing was found: those that are ready, and those in doubt or never seen.
pub(super) fn counts(db: &Tx<'_>, job: JobId) -> tx::Result<[u64; 2]> {
    let Some(refused) = rows_of(db, job)? else { return Ok([0; 2]) };
    db.row(
        &format!(
            "SELECT count(CASE WHEN bucket = 'ready' THEN 1 END), count(CASE WHEN bucket <> 'ready' THEN 1 END)
             FROM row WHERE job = ?1 AND {refused} AND bucket IN ('ready', 'in_doubt', 'not_seen') AND {NOTHING_FOUND}"
        ),
        values![job.0],
        |r| Ok([r.get(0)?, r.get(1)?]),
    )
}

/// SQL for a ready row of a job's unproven refusals of which nothing was found. `?1` is the job.
pub(super) fn is_unproven(db: &Tx<'_>, job: JobId) -> tx::Result<String> {
    let refused = rows_of(db, job)?;
    Ok(refused.map_or_else(
        || "FALSE".to_owned(),
        |refused| format!("coalesce({refused} AND bucket = 'ready' AND {NOTHING_FOUND}, FALSE)"),
    ))
}

/// Puts the rows of a job's unproven refusals in doubt, before the job resumes or is cancelled.
pub(super) fn doubt(db: &Tx<'_>, job: JobId, at: i64) -> tx::Result<()> {
    match rows_of(db, job)? {
        Some(refused) => put_in_doubt(db, job, refused, None, at),
        None => Ok(()),
    }
}

/// From when on a poll that finds nothing more proves that the refused requests had no effect: as for every other doubt,
/// some time after them if the service shows waiting badges, since it may show them late; else after the doubt window.
/// Where a part of a request was found, nothing is left to prove. Without the service's clock, nobody knows when that is:
/// then a person decides.
fn provable_from(
    db: &Tx<'_>,
    job: JobId,
    refused: &str,
    context: &ObserveContext,
) -> tx::Result<Option<i64>> {
    let shown = behaviour::shows_waiting(db, &context.account)?;
    let settings = &context.settings;
    let wait = if shown { settings.absence_after } else { settings.doubt_window };
    let (last, heard): (i64, bool) = db.one(
        &format!(
            "SELECT coalesce(max(intent), 0), coalesce(min(CASE WHEN heard THEN 1 ELSE 0 END), 1) = 1
             FROM request WHERE id IN
                 (SELECT request FROM row WHERE job = ?1 AND {refused}
                    AND bucket IN ('ready', 'in_doubt', 'not_seen') AND {NOTHING_FOUND})"
        ),
        values![job.0],
    )?;
    Ok(heard.then_some(last.saturating_add(wait.as_secs())))
}

pub(super) fn proof(db: &Tx<'_>, job: &JobId, context: &ObserveContext) -> tx::Result<RefusalProof> {
    let Some(refused) = rows_of(db, *job)? else { return Ok(RefusalProof::Proven) };
    let latest = context.now.as_second().saturating_add(context.settings.absence_after.as_secs());
    Ok(match provable_from(db, *job, refused, context)? {
        Some(from) if from <= latest => RefusalProof::Soon(from),
        _ => RefusalProof::NotProvable,
    })
}

/// The addresses of rows whose absence proves a refusal, if a poll that began at the context's time does not find them.
pub(super) fn due(db: &Tx<'_>, job: JobId, context: &ObserveContext) -> tx::Result<Vec<EmailKey>> {
    let Some(refused) = rows_of(db, job)? else { return Ok(Vec::new()) };
    if provable_from(db, job, refused, context)?.is_none_or(|from| from > context.now.as_second()) {
        return Ok(Vec::new());
    }
    db.rows(
        &format!(
            "SELECT email FROM row WHERE job = ?1 AND {refused} AND bucket IN ('ready', 'in_doubt', 'not_seen')
               AND {NOTHING_FOUND}"
        ),
        values![job.0],
        |r| Ok(EmailKey::of(&r.get::<String>(0)?)),
    )
}

/// After a poll that began at the context's time: accepts the refusals if it proves them, else keeps them unproven.
/// `is_complete`: it read everything that could show a badge of their rows, which are in doubt now.
pub(super) fn settle(
    db: &Tx<'_>,
    job: JobId,
    context: &ObserveContext,
    is_complete: bool,
    at: i64,
) -> tx::Result<()> {
    let Some(refused) = rows_of(db, job)? else { return Ok(()) };
    let from = provable_from(db, job, refused, context)?;
    if is_complete && from.is_some_and(|from| from <= context.now.as_second()) {
        return accept(db, job, refused, at);
    }
    let note = match (proof(db, &job, context)?, from) {
        (RefusalProof::Soon(_), Some(from)) => {
            let when = Timestamp::from_second(from).map_or_else(|_| String::new(), utc_minute);
            Reason::from(Code::ProvableSoon).with("when", when)
        }
        _ => Code::NotProvable.into(),
    };
    jobs::set_note(db, job, &note)?;
    db.execute("UPDATE job SET not_provable = ?2 WHERE id = ?1", values![job.0, note.is(Code::NotProvable)])?;
    // Every later operation that sends or cancels the rows of a halted job puts them in doubt first.
    let ready = db.execute(
        &format!(
            "UPDATE row SET bucket = 'ready', why = NULL, absent = NULL
             WHERE job = ?1 AND {refused} AND bucket = 'in_doubt' AND {NOTHING_FOUND}
               AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase IN ('paused', 'stopped'))"
        ),
        values![job.0],
    )?;
    if ready > 0 { claims::claim_again(db, job, at) } else { Ok(()) }
}

/// The rows can be sent, or are cancelled with their job.
fn accept(db: &Tx<'_>, job: JobId, refused: &str, at: i64) -> tx::Result<()> {
    // Change the status through "in doubt" for the claim triggers: this is not a resend, since the rows were never
    // sent.
    for (from, to) in [("not_seen", "in_doubt"), ("in_doubt", "ready")] {
        db.execute(
            &format!(
                "UPDATE row SET bucket = ?3, why = NULL, absent = NULL
                 WHERE job = ?1 AND {refused} AND bucket = ?2 AND {NOTHING_FOUND}"
            ),
            values![job.0, from, to],
        )?;
    }
    let (cancelled, kind): (bool, Kind) = db.one(
        "UPDATE job SET unproven = NULL, not_provable = FALSE,
                        note = CASE WHEN reason_code(note) IN (?2, ?3) THEN NULL ELSE note END
         WHERE id = ?1 RETURNING phase = 'cancelled', kind",
        values![job.0, Code::NotProvable.name(), Code::ProvableSoon.name()],
    )?;
    if cancelled {
        requests::cancel_unsent(db, job, kind)?;
    }
    // A running job sends these rows next. Another job may have taken over some of them meanwhile.
    claims::claim_again(db, job, at)
}

#[cfg(test)]
mod tests {
    use super::super::rows::{self, NewRow, RowField, RowFilter};
    use super::super::{schema, snapshots};
    use super::*;
    use crate::jobs::journal::tests::statements::{context, draft_of, journal};

    /// A job with two requests that were refused at 1000 and 1060, and one that was accepted at 2000.
    fn refused(db: &Tx<'_>) -> JobId {
        let row = |email: &str| NewRow { email: email.into(), ..NewRow::default() };
        let job = draft_of(db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
        for (id, intent, outcome) in [(7, 1000, "refused"), (8, 1060, "refused"), (9, 2000, "accepted")] {
            db.script(&format!(
                "INSERT INTO request (id, job, rows, sha256, intent, heard, answered, outcome, status)
                 SELECT {id}, id, 1, '', {intent}, TRUE, {intent}, '{outcome}', 422 FROM job"
            ))
            .expect("a request");
        }
        db.script("UPDATE row SET bucket = 'in_doubt', request = 6 + no").expect("in doubt");
        db.script("UPDATE job SET unproven = 7").expect("unproven");
        job
    }

    fn at(second: i64) -> ObserveContext {
        context(Timestamp::from_second(second).expect("a time"))
    }

    fn learn_that_waiting_badges_are_shown(db: &Tx<'_>) {
        let shown = behaviour::BehaviourObservation::once("waiting_in_history", "shown", Code::Told);
        behaviour::learn(db, &at(0).account, &[shown], &1).expect("learned");
    }

    /// A service that shows waiting badges late and accepted a part of what it refused would get a second request.
    #[test]
    fn a_refusal_is_provable_some_time_after_it_and_by_the_services_clock_only() {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = refused(&db);
        let from = || {
            let refused = rows_of(&db, job).expect("read").expect("refused");
            provable_from(&db, job, refused, &at(0)).expect("read")
        };
        assert_eq!(from(), Some(1060 + 26 * 3600), "not known whether waiting badges are shown");
        learn_that_waiting_badges_are_shown(&db);
        assert_eq!(from(), Some(1060 + 600), "they are shown, perhaps late");
        db.script("UPDATE request SET heard = FALSE WHERE id = 8").expect("not heard");
        assert_eq!(from(), None);
        db.script("UPDATE row SET bucket = 'waiting' WHERE request = 8").expect("found");
        assert_eq!(from(), Some(1000 + 600), "the later one is known");
    }

    /// Activity lists rows in doubt and these in one page, without the ready rows that were certainly not sent.
    #[test]
    fn a_filter_takes_of_the_ready_rows_only_those_of_a_refused_request() {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = refused(&db);
        let chosen = |unproven: Option<bool>| -> Vec<u64> {
            let row_statuses = vec![RowStatus::InDoubt, RowStatus::Ready];
            let order = Some((RowField::Filter, false));
            let filter = RowFilter { row_statuses, unproven, order, ..RowFilter::default() };
            let rows = rows::page(&db, &job, &filter, &9, &0).expect("read");
            rows.iter().map(|row| row.no).collect()
        };
        db.script("UPDATE row SET bucket = 'ready' WHERE no = 1").expect("refused");
        assert_eq!((chosen(Some(true)), chosen(Some(false))), (vec![2, 1], vec![2]));
        db.script("UPDATE row SET request = NULL WHERE no = 1").expect("not sent");
        assert_eq!((chosen(Some(true)), chosen(Some(false))), (vec![2], vec![2, 1]));
    }

    #[test]
    fn a_greater_note_does_not_hide_that_a_refusal_is_not_provable() {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = refused(&db);
        let twice = Reason::from(Code::SomeIssuedTwice).with("n", 1).with("id", "B1");
        jobs::set_note(&db, job, &twice).expect("noted");
        let after = |second, is_complete| {
            settle(&db, job, &at(second), is_complete, 0).expect("settled");
            let job = snapshots::job(&db, &job, "me").expect("read").expect("a job");
            assert_eq!(job.note, Some(twice.clone()));
            (job.refusals.awaits_proof, job.refusals.is_not_provable)
        };
        assert_eq!(after(1100, true), (true, true));
        learn_that_waiting_badges_are_shown(&db);
        assert_eq!(after(1100, true), (true, false), "in a few minutes");
        db.script("UPDATE job SET not_provable = TRUE").expect("as before");
        assert_eq!(after(1700, true), (false, false), "proven");
    }

    #[test]
    fn in_an_older_journal_the_note_says_that_a_refusal_is_not_provable() {
        let mut connection = Connection::open_in_memory().expect("a database");
        for step in &schema::MIGRATIONS[..14] {
            step(&connection).expect("schema 14");
        }
        let sql =
            "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title, unproven, note)
                   VALUES (?1, 'issue', 'stopped', 0, 'p', 'u', 'a', 't', ?2, ?3)";
        let jobs =
            [(Some(1_i64), Code::NotProvable), (Some(1), Code::ProvableSoon), (None, Code::NotProvable)];
        for (id, (unproven, note)) in (1_i64..).zip(jobs) {
            Tx::on(&connection).execute(sql, values![id, unproven, Reason::from(note)]).expect("a job");
        }
        connection.execute_batch("PRAGMA user_version = 14").expect("schema 14");
        schema::migrate(&mut connection).expect("migrated");
        let known: Vec<bool> =
            Tx::on(&connection).all("SELECT not_provable FROM job ORDER BY id", values![]).expect("jobs");
        assert_eq!(known, [true, false, false]);
    }
}
