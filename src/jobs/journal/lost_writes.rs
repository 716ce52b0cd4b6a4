//! A team's database that lost writes which it had confirmed: after a failover to a standby that was behind, or after
//! a backup was restored. It may not know rows that were sent.
//!
//! The process that notices it puts every unsent row in doubt that could be sent, in one transaction. They belong to a
//! request that was never sent, with the outcome [`UNSEARCHED`]. The account sends no badge until a poll has searched
//! the history for all of them: then the outcome is [`SEARCHED`]. From then on they are rows in doubt as all others.
//!
//! Of a job that is gone, or that had not begun as far as the database knows, there is nothing to search for. So for some
//! time, every row to issue needs a person who knows of this loss: [`suspect`] and [`review_unaware`].

use super::tx::Bind;
use super::{Process, claims, conditions, jobs, takeover};
use crate::jobs::duplicate_kind::{DuplicateKind, Policy};
use crate::jobs::journal::prelude::*;

/// The outcome of a placeholder for lost requests, until the history was searched for its rows.
pub(super) const UNSEARCHED: &str = "unsearched";
/// The same afterwards.
const SEARCHED: &str = "searched";
/// In a decision: a process noticed the loss.
const NOTICED: &str = "lost writes";
/// A duplicate check is that much older than it says, so that every step of a person repeats it. In seconds.
const OUTDATED: i64 = 86_400;

/// How long after a loss a job that the database no longer knows may have sent a badge that nobody sees yet: as long as the
/// default doubt window. It is the same for everybody of a team.
const UNSEEN_FOR: SignedDuration = SignedDuration::from_hours(26);

/// A loss of writes that somebody noticed a short time ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentLoss {
    pub noticed: Timestamp,
    /// Until then, every row to issue needs review.
    pub until: Timestamp,
}

impl RecentLoss {
    /// `None` if it is too long ago.
    pub(super) fn of(noticed: Timestamp, now: Timestamp) -> Option<Self> {
        let until = noticed.checked_add(UNSEEN_FOR).ok().filter(|until| now < *until)?;
        Some(Self { noticed, until })
    }

    /// Names it. Two losses may be noticed in one minute.
    fn id(self) -> String {
        self.noticed.as_millisecond().to_string()
    }

    pub(super) fn why(self) -> Reason {
        Reason::from(Code::LostWritesPerhaps).with("when", utc_minute(self.noticed)).with("loss", self.id())
    }

    /// With its times as `shown` writes them.
    pub fn with_times(&self, shown: &dyn Fn(Timestamp) -> String) -> Localizable {
        localizable!(
            "On {when}, lapel noticed that the team's database lost writes. A job that it no longer knows may have sent the same badges, so every row to issue needs review until {until}. Ask your colleagues before you send it.",
            when = shown(self.noticed),
            until = shown(self.until)
        )
    }
}

/// The last loss, unless it is too long ago. Never of a file.
pub(super) fn recent(db: &Tx<'_>) -> tx::Result<Option<RecentLoss>> {
    if !db.is_team() {
        return Ok(None);
    }
    let (noticed, now) = db.row(
        "SELECT CAST(extract(epoch FROM noticed) * 1000 AS BIGINT),
                CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) FROM store",
        values![],
        |r| Ok((r.get::<Option<i64>>(0)?, r.get::<i64>(1)?)),
    )?;
    let noticed = noticed.and_then(|at| Timestamp::from_millisecond(at).ok());
    let now = Timestamp::from_millisecond(now).unwrap_or(Timestamp::MIN);
    Ok(noticed.and_then(|noticed| RecentLoss::of(noticed, now)))
}

/// Whether the finding of a row names a loss, as an SQL expression on the table `row`. `?2` is the loss.
const NAMES_LOSS: &str = "(class IS NOT NULL AND instr(coalesce(class_why, ''), ?2) > 0)";

/// The rows that a job would send although the person who allowed them did not know of a loss.
const UNAWARE: &str = "job = ?1 AND bucket = 'ready' AND (SELECT kind FROM job WHERE id = ?1) = 'issue'
    AND NOT coalesce(allowed = class AND instr(coalesce(class_why, ''), ?2) > 0, FALSE)";

/// The finding of a row, with the loss. `?3` is its reason.
const WITH_LOSS: &str = "CASE WHEN class IS NULL OR class_why IS NULL THEN ?3
                              WHEN instr(class_why, ?2) > 0 THEN class_why
                              ELSE reason_both('findings', class_why, ?3) END";

/// A permission ends if the person who gave it did not know of a recent loss. Before the findings of a check are made
/// again, for the rows that `which` matches.
pub(super) fn end_permissions(db: &Tx<'_>, job: JobId, which: &str) -> tx::Result<()> {
    let Some(loss) = recent(db)? else { return Ok(()) };
    db.run(
        &format!(
            "UPDATE row SET allowed = NULL
             WHERE job = ?1 AND allowed IS NOT NULL AND allowed <> 'new' AND NOT {NAMES_LOSS} AND {which}"
        ),
        values![job.0, loss.id()],
    )
}

/// Adds a recent loss to the findings of a duplicate check, for the rows that `which` matches, and returns it. A row of a
/// kind that needs a decision anyway keeps its kind: its reason names both.
pub(super) fn suspect(
    db: &Tx<'_>,
    job: JobId,
    which: &str,
    policies: &Policies,
) -> tx::Result<Option<RecentLoss>> {
    let Some(loss) = recent(db)? else { return Ok(None) };
    let held = DuplicateKind::ALL.iter().filter(|kind| policies.of(**kind) != Policy::Allow);
    let held: Vec<&str> = held.map(|kind| kind.code()).collect();
    db.execute(
        &format!(
            "UPDATE row SET class_why = {WITH_LOSS},
                            class = CASE WHEN class IN json_list(?4, text) THEN class ELSE 'lost_writes' END
             WHERE job = ?1 AND {which}"
        ),
        values![job.0, loss.id(), loss.why(), super::json(&held)],
    )?;
    Ok(Some(loss))
}

/// Whether the job would send rows although the person who allowed them did not know of a recent loss.
pub(super) fn has_unaware(db: &Tx<'_>, job: JobId) -> tx::Result<bool> {
    let Some(loss) = recent(db)? else { return Ok(false) };
    db.exists(&format!("SELECT 1 FROM row WHERE {UNAWARE}"), values![job.0, loss.id()])
}

/// # Errors
/// The database lost writes a short time ago. A journal to which its jobs go would not know that.
pub(super) fn assure_none_recent(db: &Tx<'_>) -> tx::Result<()> {
    let Some(loss) = recent(db)? else { return Ok(()) };
    Err(tx::Error::Elsewhere(localizable!(
        "{loss} The journal on this computer does not know that, so nothing was moved. Move the jobs after that.",
        loss = loss.with_times(&utc_minute)
    )))
}

/// Such rows need review, also those that a person reviewed before. A permission for another reason stays beside it: rows
/// of one address were reviewed together.
pub(super) fn review_unaware(db: &Tx<'_>, job: JobId) -> tx::Result<()> {
    let Some(loss) = recent(db)? else { return Ok(()) };
    db.run(
        &format!(
            "UPDATE row SET bucket = 'ask', guarded = FALSE, allowed = nullif(allowed, 'lost_writes'), class = 'lost_writes',
                            class_why = {WITH_LOSS}, why = reason_with(?4, 'why', {WITH_LOSS})
             WHERE {UNAWARE}"
        ),
        values![job.0, loss.id(), loss.why(), Reason::class(DuplicateKind::LostWrites)],
    )
}

/// Adds a recent loss to the findings of sent rows that a person wants to send again, and returns it, unless the findings of
/// all of them name it already. The rows keep their status, so that the same decision sends them when the person knows.
pub(super) fn name_in_sent(db: &Tx<'_>, job: JobId, rows: &[u64]) -> tx::Result<Option<RecentLoss>> {
    let Some(loss) = recent(db)? else { return Ok(None) };
    let named = db.execute(
        &format!(
            "UPDATE row SET class = 'lost_writes', class_why = {WITH_LOSS}
             WHERE job = ?1 AND no IN json_list(?4, bigint) AND NOT {NAMES_LOSS}"
        ),
        values![job.0, loss.id(), loss.why(), super::json(rows)],
    )?;
    Ok((named > 0).then_some(loss))
}

/// The same for refused rows that `which` matches: the same decision allows them for this reason only. Returns none if
/// the policies allow them.
pub(super) fn name_in_refused(
    db: &Tx<'_>,
    job: JobId,
    which: &str,
    policies: &Policies,
) -> tx::Result<Option<RecentLoss>> {
    end_permissions(db, job, which)?;
    let Some(loss) = suspect(db, job, which, policies)? else { return Ok(None) };
    let named = db.execute(
        &format!(
            "UPDATE row SET allowed = class
             WHERE job = ?1 AND {which} AND class = 'lost_writes' AND allowed IS DISTINCT FROM class"
        ),
        values![job.0],
    )?;
    Ok((named > 0 && !policies.allows(DuplicateKind::LostWrites)).then_some(loss))
}

/// A write that this process knows to be durable: its number, and how long it has been durable, in milliseconds.
pub(super) type KnownWrite = (String, i64);

/// What a database shows of the writes that it must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteHistory {
    /// It has another history of writes than before, or lacks one of them. A loss that somebody noticed after such a
    /// write was confirmed is the same loss.
    pub(super) has_lost: bool,
    /// It is a standby, which may only be late. When it takes over, its connections stay open.
    pub(super) is_standby: bool,
}

pub(super) fn write_history(db: &Tx<'_>, known: &[KnownWrite]) -> tx::Result<WriteHistory> {
    db.row(
        "SELECT has_other_origin() OR NOT pg_is_in_recovery() AND EXISTS (
             SELECT 1 FROM json_rows(?1, op text, age bigint) AS known
             WHERE NOT EXISTS (SELECT 1 FROM applied WHERE applied.op = known.op)
               AND coalesce(noticed < clock_timestamp() - known.age * interval '1 millisecond', TRUE)),
                pg_is_in_recovery()
         FROM store",
        values![super::json(known)],
        |r| Ok(WriteHistory { has_lost: r.get(0)?, is_standby: r.get(1)? }),
    )
}

/// Puts all rows in doubt that could be sent, and stops revocations.
pub(super) fn notice(db: &Tx<'_>, by: &Process, at: Timestamp) -> tx::Result<()> {
    let (actor, seconds) = (Actor::of(by, at.as_millisecond()), at.as_second());
    jobs::record_decision(db, JobId(0), None, NOTICED, &actor, "")?;
    doubt_unanswered(db, seconds)?;
    // Also those that a person would have to resume: somebody may have done that.
    let unsent: Vec<(JobId, i64)> = db.all(
        "SELECT job.id, tally.n FROM job JOIN tally ON tally.job = job.id
         WHERE job.kind = 'issue' AND job.phase NOT IN ('draft', 'moved') AND NOT job.purged
           AND tally.bucket = 'ready' AND tally.n > 0 ORDER BY job.id",
        values![],
    )?;
    outdate_checks(db)?;
    for (job, rows) in unsent {
        doubt_unsent(db, job, rows, by, &actor)?;
    }
    stop_revocations(db, &actor)?;
    db.row("SELECT 1 FROM note_loss()", values![], |_| Ok(()))
}

/// The answer to a request on its way may have been recorded and lost. If it comes now, it is evidence.
fn doubt_unanswered(db: &Tx<'_>, at: i64) -> tx::Result<()> {
    let open: Vec<(i64, JobId)> = db.all(
        "SELECT request.id, request.job FROM request JOIN job ON job.id = request.job
         WHERE request.answered IS NULL AND job.phase <> 'moved' ORDER BY request.id",
        values![],
    )?;
    let why = Reason::from(Code::LostWrites);
    for (request, job) in open {
        takeover::lose(db, request, &why, at)?;
        jobs::set_next_poll(db, job, None)?;
    }
    Ok(())
}

/// The readings of the history are from before the loss. A draft needs a new one before it begins, and so does a
/// person who sends single rows.
fn outdate_checks(db: &Tx<'_>) -> tx::Result<()> {
    db.run(
        &format!(
            "UPDATE job SET guarded_at = CASE WHEN phase <> 'draft' THEN guarded_at - ?1 END
             WHERE kind = 'issue' AND guarded_at IS NOT NULL AND phase <> 'moved'
               AND EXISTS (SELECT 1 FROM tally WHERE tally.job = job.id AND n > 0 AND {})",
            conditions::may_be_sent()
        ),
        values![OUTDATED],
    )
}

fn doubt_unsent(db: &Tx<'_>, job: JobId, rows: i64, by: &Process, actor: &Actor) -> tx::Result<()> {
    let why = Reason::from(Code::LostWrites);
    doubt_rows(db, job, ("job = ?1 AND bucket = 'ready'", rows), UNSEARCHED, &why, actor.at)?;
    jobs::set_next_poll(db, job, None)?;
    let when = Timestamp::from_second(actor.at / 1_000).map_or_else(|_| String::new(), utc_minute);
    let who = Reason::read(&by.label);
    let note = Reason::from(Code::LostWritesNoticed).because("who", who).with("when", when).with("n", rows);
    jobs::set_note(db, job, &note)?;
    jobs::record_decision(db, job, None, NOTICED, actor, &format!("{rows} unsent rows in doubt"))?;
    Ok(())
}

/// Puts rows of a job in doubt, given by a condition and their number, with a placeholder for the requests that may
/// have been sent. Gives them claims. `at` is this computer's time, in milliseconds.
pub(super) fn doubt_rows(
    db: &Tx<'_>,
    job: JobId,
    (which, rows): (&str, i64),
    outcome: &str,
    why: &Reason,
    at: i64,
) -> tx::Result<()> {
    // The time is not the service's, so no badge counts as older than this request.
    let request: i64 = db.one(
        "INSERT INTO request (job, rows, sha256, intent, heard, answered, outcome, why)
         VALUES (?1, ?2, '', ?3, FALSE, ?3, ?4, ?5) RETURNING id",
        values![job.0, rows, at / 1_000, outcome, why],
    )?;
    db.execute(
        &format!(
            "UPDATE row SET bucket = 'in_doubt', request = ?2, why = ?3, absent = NULL, accepted = NULL,
                            tries = tries + 1
             WHERE {which}"
        ),
        values![job.0, request, why],
    )?;
    claims::claim_doubts(db, job, at)
}

/// A revocation that is sent twice does no harm, so its rows need no search. But a person may have paused or cancelled
/// it since, and a revocation cannot be undone.
fn stop_revocations(db: &Tx<'_>, actor: &Actor) -> tx::Result<()> {
    let running: Vec<JobId> = db.all(
        "SELECT id FROM job WHERE kind = 'revoke' AND phase = 'running'
           AND EXISTS (SELECT 1 FROM tally WHERE tally.job = job.id AND n > 0 AND bucket IN ('ready', 'queued'))",
        values![],
    )?;
    for job in running {
        jobs::stop(db, &job, &StopKind::Interrupted, &Code::LostWritesStopped.into())?;
        jobs::record_decision(db, job, None, NOTICED, actor, "stopped")?;
    }
    Ok(())
}

/// # Errors
/// The database lost writes, and the history was not searched for all rows of the account. The job may not send
/// badges. Never for a file. A job of another key counts while a process follows it: nobody may have that key any more.
/// Its claims hold in any case.
pub(super) fn assure_searched(db: &Tx<'_>, job: JobId) -> tx::Result<()> {
    let of_account = "EXISTS (
        SELECT 1 FROM job AS mine WHERE mine.id = ?1 AND mine.kind = 'issue' AND other.base_url = mine.base_url
          AND (other.account = mine.account
               OR other.owner IN (SELECT id FROM process WHERE until > clock_timestamp())
               AND EXISTS (SELECT 1 FROM account_key AS ours JOIN account_key AS theirs ON theirs.account = ours.account
                           WHERE ours.base_url = mine.base_url AND ours.key = mine.account
                             AND theirs.base_url = other.base_url AND theirs.key = other.account)))";
    assure_none_unsearched(db, of_account, values![job.0])
}

/// # Errors
/// The database lost writes, and the history was not searched for all rows of these jobs. Never for a file.
pub(super) fn assure_all_searched(db: &Tx<'_>, jobs: &[JobId]) -> tx::Result<()> {
    assure_none_unsearched(db, "other.id IN json_list(?1, bigint)", values![super::json(jobs)])
}

/// # Errors
/// Among the jobs that `which` matches is one with rows that nobody has looked for since.
fn assure_none_unsearched(db: &Tx<'_>, which: &str, values: &[&dyn Bind]) -> tx::Result<()> {
    if !db.is_team() {
        return Ok(());
    }
    let found = db.first(
        &format!(
            "SELECT other.id FROM request JOIN job AS other ON other.id = request.job
             WHERE request.outcome = 'unsearched' AND {which}
               AND EXISTS (SELECT 1 FROM row WHERE row.request = request.id
                             AND row.bucket IN ('in_doubt', 'unbound', 'not_seen'))
             ORDER BY other.id LIMIT 1"
        ),
        values,
    )?;
    found.map_or(Ok(()), |job| Err(tx::Error::Team(TeamError::Unsearched { job })))
}

/// Records that a poll has searched the history for all rows of these requests. `requests` has each request with
/// rows in doubt, and whether the poll read everything that could contain their badges. From now on, the absence of a badge
/// counts, by the service's clock.
pub(super) fn searched(db: &Tx<'_>, requests: &BTreeMap<i64, bool>, now: Timestamp) -> tx::Result<()> {
    let done: Vec<i64> = requests.iter().filter(|(_, complete)| **complete).map(|(id, _)| *id).collect();
    if done.is_empty() {
        return Ok(());
    }
    db.run(
        "UPDATE request SET outcome = ?2, intent = ?3, answered = ?3
         WHERE outcome = ?4 AND id IN json_list(?1, bigint)",
        values![super::json(&done), SEARCHED, now.as_second(), UNSEARCHED],
    )
}

/// Whether a request is a placeholder for lost ones.
pub(super) fn is_stand_in(outcome: Option<&str>) -> bool {
    matches!(outcome, Some(UNSEARCHED | SEARCHED))
}
