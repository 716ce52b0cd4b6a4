//! The job table of the journal.

use super::Process;
use super::tx::Bind;
use crate::jobs::job::JobOrigin;
use crate::jobs::journal::prelude::*;
use crate::jobs::row_status::Counts;

#[derive(Clone, Debug)]
pub(in crate::jobs) struct NewJob {
    /// When the job is planned: this computer's time, in milliseconds.
    pub(in crate::jobs) created: i64,
    pub(in crate::jobs) kind: Kind,
    pub(in crate::jobs) template: Option<TemplateId>,
    pub(in crate::jobs) title: String,
    pub(in crate::jobs) origin: Option<JobOrigin>,
    pub(in crate::jobs) follows: Option<JobId>,
    pub(in crate::jobs) after: bool,
}

/// Inserts a job as a draft that this process owns.
pub(super) fn insert(db: &Tx<'_>, account: &Account, owner: &Process, new: &NewJob) -> tx::Result<JobId> {
    let origin = new.origin.as_ref().map(stored_origin);
    db.one(
        "INSERT INTO job (kind, phase, created, profile, base_url, account, template, title, origin, follows,
                          after, owner, owner_label)
         VALUES (?1, 'draft', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        values![
            new.kind.code(),
            new.created,
            account.profile,
            account.base_url,
            account.key,
            new.template.as_ref().map(TemplateId::wire),
            redact(&new.title),
            origin,
            new.follows,
            new.after,
            owner.id,
            owner.label,
        ],
    )
}

pub(super) fn stored_origin(o: &JobOrigin) -> String {
    let columns: Vec<&str> = o.columns.iter().map(Text::wire).collect();
    let origin = serde_json::json!({
        "name": o.file.as_ref().map_or("", Text::wire), "sha256": o.sha256, "columns": columns, "read_as": o.read_as, "map": o.map,
        "source": o.source,
    });
    redact(&origin.to_string()).into_owned()
}

/// A number of rows. A damaged one is limited, so that a sum does not overflow.
pub(super) fn possible(rows: u64) -> u64 {
    rows.min(u64::from(u32::MAX))
}

pub(super) fn counts(db: &Tx<'_>, id: JobId) -> tx::Result<Counts> {
    let mut counts: BTreeMap<RowStatus, u64> = BTreeMap::new();
    let sql = "SELECT bucket, n FROM tally WHERE job = ?1 AND n > 0";
    db.each(sql, values![id.0], |r| {
        *counts.entry(row_status(r, "bucket")?).or_default() += possible(r.get("n")?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(counts.into_iter().collect())
}

/// Counts rows that a job got now, by status. A team's database counts them itself; SQLite would count each row alone.
pub(super) fn count_added(db: &Tx<'_>, id: JobId, added: &BTreeMap<&'static str, i64>) -> tx::Result<()> {
    if db.is_team() {
        return Ok(());
    }
    for (bucket, n) in added {
        db.execute(
            "INSERT INTO tally (job, bucket, n, changed) VALUES (?1, ?2, ?3, unixepoch())
             ON CONFLICT (job, bucket) DO UPDATE SET n = n + excluded.n, changed = excluded.changed",
            values![id.0, *bucket, n],
        )?;
    }
    Ok(())
}

pub(super) fn count_rows(db: &Tx<'_>, id: JobId) -> tx::Result<()> {
    if !db.is_team() {
        db.execute(
            "INSERT INTO tally (job, bucket, n, changed)
             SELECT job, bucket, count(*), unixepoch() FROM row WHERE job = ?1 GROUP BY job, bucket
             ON CONFLICT (job, bucket) DO UPDATE SET n = excluded.n, changed = excluded.changed",
            values![id.0],
        )?;
    }
    Ok(())
}

/// Reads a status. Every stored word is known, since the schema version was checked.
pub(super) fn row_status(r: &SqlRow<'_>, column: &'static str) -> tx::Result<RowStatus> {
    Ok(RowStatus::from_code(r.text(column)?).unwrap_or(RowStatus::UnknownState))
}

pub(super) fn moment(r: &SqlRow<'_>, column: &'static str) -> tx::Result<Option<Timestamp>> {
    Ok(r.get::<Option<i64>>(column)?.and_then(|s| Timestamp::from_second(s).ok()))
}

/// Pauses a running job. Its stop reason has the time, and names the process, and so the person if a team shares the
/// journal.
pub(super) fn pause(db: &Tx<'_>, id: &JobId, by: &Process, at: &i64) -> tx::Result<()> {
    let sql =
        "UPDATE job SET phase = 'paused', stop = NULL, stop_why = ?2 WHERE id = ?1 AND phase = 'running'";
    db.run(sql, values![id.0, halted_by(by, *at)])
}

/// Cancels a job. Its stop reason names the process, as that of a paused job.
pub(super) fn cancel(db: &Tx<'_>, id: JobId, by: &Process, at: i64) -> tx::Result<()> {
    let sql = "UPDATE job SET phase = 'cancelled', stop = NULL, stop_why = ?2 WHERE id = ?1";
    db.run(sql, values![id.0, halted_by(by, at)])
}

/// `at` is this computer's time, in milliseconds.
fn halted_by(by: &Process, at: i64) -> Reason {
    let at = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    Reason::read(&by.label).with("when", utc_minute(at))
}

/// Sets the phase and clears the stop reason.
pub(super) fn set_phase(db: &Tx<'_>, id: &JobId, phase: &Phase) -> tx::Result<()> {
    let sql = "UPDATE job SET phase = ?2, stop = NULL, stop_why = NULL WHERE id = ?1";
    db.run(sql, values![id.0, phase.code()])
}

/// Turns jobs into records: they continue elsewhere. The first value is what they went with.
pub(super) fn set_aside(db: &Tx<'_>, which: &str, values: &[&dyn Bind]) -> tx::Result<()> {
    let sql = format!(
        "UPDATE job SET was = phase, phase = 'moved', handover = ?1, owner = NULL, owner_label = NULL,
                        next_look = NULL WHERE {which}"
    );
    db.run(&sql, values)
}

pub(super) fn stop(db: &Tx<'_>, id: &JobId, kind: &StopKind, why: &Reason) -> tx::Result<()> {
    let sql =
        "UPDATE job SET phase = 'stopped', stop = ?2, stop_why = ?3 WHERE id = ?1 AND phase = 'running'";
    db.run(sql, values![id.0, kind.code(), why])
}

/// The same for a process that may have lost the job: then its new owner decides.
pub(super) fn stop_own(db: &Tx<'_>, id: &JobId, me: &str, kind: &StopKind, why: &Reason) -> tx::Result<()> {
    if is_owned(db, *id, me)? { stop(db, id, kind, why) } else { Ok(()) }
}

/// Sets when the duplicate check read the whole history.
pub(super) fn set_checked(db: &Tx<'_>, id: JobId, at: Timestamp) -> tx::Result<()> {
    db.run("UPDATE job SET guarded_at = ?2 WHERE id = ?1", values![id.0, at.as_second()])
}

/// Records an incomplete reading, so that the next step repeats it. A begun job keeps the time of its last
/// complete reading: the badges that its recipients had before sending are known.
pub(super) fn unset_checked(db: &Tx<'_>, id: JobId) -> tx::Result<()> {
    db.run("UPDATE job SET guarded_at = NULL WHERE id = ?1 AND phase = 'draft'", values![id.0])
}

/// Sets the maximum entries per request; `None` for the default.
pub(super) fn set_batch(db: &Tx<'_>, id: JobId, most: Option<i64>) -> tx::Result<()> {
    db.run("UPDATE job SET batch = ?2 WHERE id = ?1", values![id.0, most])
}

/// A job has one note. These stay when a lesser one comes, the most important first: second badges, other numbers than
/// those sent, and what keeps rows from being sent.
const LASTING_NOTES: [&[Code]; 3] = [
    &[Code::SomeIssuedTwice],
    &[Code::AcceptedMore, Code::RevokeAcceptedMore],
    &[Code::NotProvable, Code::ProvableSoon],
];

pub(super) fn set_note(db: &Tx<'_>, id: JobId, note: &Reason) -> tx::Result<()> {
    let greater = LASTING_NOTES.iter().take_while(|codes| !codes.contains(&note.code()));
    let greater: Vec<&str> = greater.copied().flatten().map(|code| code.name()).collect();
    db.run(
        "UPDATE job SET note = ?2
         WHERE id = ?1 AND coalesce(reason_code(note), '') NOT IN json_list(?3, text)",
        values![id.0, note, super::json(&greater)],
    )
}

/// Sets the result of the last poll; `None` after success. Does not change the other note.
pub(super) fn set_poll_note(db: &Tx<'_>, id: JobId, note: Option<&Reason>) -> tx::Result<()> {
    db.run("UPDATE job SET look_note = ?2 WHERE id = ?1", values![id.0, note])
}

pub(super) fn set_next_poll(db: &Tx<'_>, id: JobId, at: Option<Timestamp>) -> tx::Result<()> {
    db.run("UPDATE job SET next_look = ?2 WHERE id = ?1", values![id.0, at.map(Timestamp::as_second)])
}

/// Moves the next poll to an earlier time, never to a later one.
pub(super) fn poll_by(db: &Tx<'_>, id: JobId, at: Timestamp) -> tx::Result<()> {
    db.run(
        "UPDATE job SET next_look = ?2 WHERE id = ?1 AND (next_look IS NULL OR next_look > ?2)",
        values![id.0, at.as_second()],
    )
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct Actor {
    pub(super) who: String,
    /// This computer's time, in milliseconds.
    pub(super) at: i64,
}

impl Actor {
    pub(in crate::jobs) fn now(who: &str) -> Self {
        Self { who: who.to_owned(), at: Timestamp::now().as_millisecond() }
    }

    /// The person at a process of a team.
    pub(super) fn of(process: &Process, at: i64) -> Self {
        let label = Reason::read(&process.label);
        Self { who: label.argument("who").unwrap_or(&process.label).to_owned(), at }
    }

    pub(super) fn lapel(at: i64) -> Self {
        Self { who: LAPEL.to_owned(), at }
    }
}

/// Who decided what no person decided.
const LAPEL: &str = "lapel";

/// A job as a command saw it before it read the history, which can take minutes.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SeenJob {
    /// The process that acts on the job.
    pub(in crate::jobs) owner: String,
    /// Its phase. Several if the journal could not be written: it may not know that the job stopped.
    pub(in crate::jobs) phases: Vec<Phase>,
    /// The newest decision of the whole journal at that time.
    pub(in crate::jobs) decision: i64,
}

impl SeenJob {
    /// A draft that nobody else knows.
    pub(in crate::jobs) fn new_draft(owner: &Process) -> Self {
        Self { owner: owner.id.clone(), phases: vec![Phase::Draft], decision: i64::MAX }
    }
}

pub(super) fn newest_decision(db: &Tx<'_>) -> tx::Result<i64> {
    db.one("SELECT coalesce(max(id), 0) FROM decision", values![])
}

/// A decision that was checked before this transaction must still be right in it: the checks read the history, and a
/// person may decide otherwise meanwhile.
///
/// # Errors
/// The job has another owner or phase now, or a person decided about it as a whole: it may have its phase again.
pub(super) fn assure_unchanged(db: &Tx<'_>, id: JobId, seen: &SeenJob) -> tx::Result<()> {
    let phases: Vec<&str> = seen.phases.iter().map(|phase| phase.code()).collect();
    let is_same = db.exists(
        "SELECT 1 FROM job WHERE id = ?1 AND owner = ?2 AND phase IN json_list(?3, text)
           AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.id > ?4 AND decision.job = ?1 AND decision.no IS NULL
                             AND decision.who <> ?5 AND decision.what <> 'take over')",
        values![id.0, seen.owner, super::json(&phases), seen.decision, LAPEL],
    )?;
    if is_same { Ok(()) } else { Err(tx::Error::Changed(id)) }
}

/// Writes come one after the other, so this holds until the end of the write that asks.
pub(super) fn is_owned(db: &Tx<'_>, id: JobId, me: &str) -> tx::Result<bool> {
    db.exists("SELECT 1 FROM job WHERE id = ?1 AND owner = ?2", values![id.0, me])
}

/// Those of a check's jobs that this process still owns. The check may have taken minutes, and a team's database may not have
/// heard the process meanwhile.
pub(super) fn owned<J: serde::Serialize + ?Sized>(db: &Tx<'_>, jobs: &J, me: &str) -> tx::Result<Vec<JobId>> {
    db.all(
        "SELECT id FROM job WHERE owner = ?2 AND id IN json_list(?1, bigint) ORDER BY id",
        values![super::json(jobs), me],
    )
}

/// # Errors
/// Another process owns the job now.
pub(super) fn assure_owned(db: &Tx<'_>, id: JobId, me: &str) -> tx::Result<()> {
    if is_owned(db, id, me)? { Ok(()) } else { Err(tx::Error::Changed(id)) }
}

/// # Errors
/// The job has begun, or is no draft any more although a caller takes it for one, or the other way round. Or another process
/// owns it now. Or its names and addresses were removed, which no write may bring back.
pub(super) fn assure_draft(db: &Tx<'_>, id: JobId, me: &str, is_draft: bool) -> tx::Result<()> {
    let is_so = "SELECT 1 FROM job WHERE id = ?1 AND owner = ?2 AND (phase = 'draft') = ?3 AND NOT purged";
    if db.exists(is_so, values![id.0, me, is_draft])? { Ok(()) } else { Err(tx::Error::Changed(id)) }
}

/// Returns the number of the decision.
pub(super) fn record_decision(
    db: &Tx<'_>,
    id: JobId,
    no: Option<u64>,
    what: &str,
    actor: &Actor,
    why: &str,
) -> tx::Result<i64> {
    db.one(
        "INSERT INTO decision (at, job, no, what, who, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
        values![actor.at, id.0, no, what, actor.who, redact(why)],
    )
}

pub(super) fn record_row_decisions(
    db: &Tx<'_>,
    id: JobId,
    rows: &[u64],
    what: &str,
    actor: &Actor,
    why: &str,
) -> tx::Result<()> {
    db.run(
        "INSERT INTO decision (at, job, no, what, who, why)
         SELECT ?1, ?2, value, ?4, ?5, ?6 FROM json_values(?3, bigint) AS list ORDER BY place",
        values![actor.at, id.0, super::json(rows), what, actor.who, redact(why)],
    )
}

pub(super) fn discard(db: &Tx<'_>, id: &JobId, me: &str) -> tx::Result<()> {
    let sql = "DELETE FROM job WHERE id = ?1 AND phase = 'draft' AND owner = ?2";
    let gone = db.execute(sql, values![id.0, me])?;
    tidy_after_discard(db, gone)
}

pub(super) fn tidy_after_discard(db: &Tx<'_>, drafts: usize) -> tx::Result<()> {
    if drafts > 0 {
        db.execute("DELETE FROM tally WHERE job NOT IN (SELECT id FROM job)", values![])?;
        super::erase::want_rewrite(db)?;
    }
    Ok(())
}
