//! The job table of the journal.

use super::Process;
use super::accounts::Account;
use super::place::first_line;
use super::tx::{self, SqlRow, Tx, values};
use crate::i18n::{self, Language};
use crate::jobs::intake::PASTED;
use crate::jobs::job::{AcceptedCount, Job, JobId, JobOrigin, Kind, Owner, Phase, Replaced, Stop, StopKind};
use crate::jobs::journal::prelude::*;
use crate::jobs::reason::{Code, Reason};
use crate::jobs::row_status::{Counts, RowStatus};
use serde_json::Value;

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
    let origin = new.origin.as_ref().map(|o| {
        let columns: Vec<&str> = o.columns.iter().map(Text::wire).collect();
        let origin = serde_json::json!({
            "name": o.file.as_ref().map_or("", Text::wire), "sha256": o.sha256, "columns": columns, "read_as": o.read_as, "map": o.map,
            "source": o.source,
        });
        redact(&origin.to_string()).into_owned()
    });
    db.row(
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
        |r| r.get(0),
    )
}

const COLUMNS: &str = "id, kind, phase, created, profile, template, title, origin, stop, stop_why, \
                       coalesce(look_note, note) AS note, \
                       unproven IS NOT NULL AND NOT purged AS awaits_proof, \
                       unproven IS NOT NULL AND coalesce(reason_code(note) = 'not_provable', FALSE) AS not_provable, guarded_at, purged, follows, next_look, owner, owner_label, begun_by, \
                       (SELECT CAST(sum(accepted) AS BIGINT) FROM request WHERE job = job.id AND outcome = 'accepted') AS accepted, \
                       (SELECT CAST(sum(rows) AS BIGINT) FROM request WHERE job = job.id AND outcome = 'accepted' \
                        AND accepted IS NOT NULL) AS accepted_of, \
                       (SELECT count(*) FROM request WHERE job = job.id AND answered IS NULL) AS in_flight, \
                       (SELECT max(changed) FROM tally WHERE job = job.id) AS changed, \
                       (SELECT CASE WHEN moves THEN file END FROM handover WHERE id = job.handover) AS went_with, \
                       (SELECT computer FROM handover WHERE id = job.handover) AS left_on, \
                       CASE WHEN after THEN (SELECT json_array(old.name, new.name, old.email, new.email) \
                                             FROM row AS old JOIN row AS new ON new.job = job.follows \
                                             WHERE old.job = job.id LIMIT 1) END AS replaced";

pub(super) fn job(db: &Tx<'_>, id: &JobId, me: &str) -> tx::Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM job WHERE id = ?1");
    let job = db.optional(&sql, values![id.0], |r| read(r, me, db.is_team()))?;
    job.map(|job| with_counts(db, job)).transpose()
}

/// The jobs of a service and key except drafts, newest first.
pub(super) fn jobs(db: &Tx<'_>, account: &Account, me: &str, most: &usize) -> tx::Result<Vec<Job>> {
    // A record of a job that came back says nothing that the job does not say.
    let shown = "phase <> 'draft' AND (phase <> 'moved' OR handover IS NULL
                   OR NOT EXISTS (SELECT 1 FROM handover WHERE id = job.handover AND state = 'returned'))";
    matching(db, account, me, shown, *most)
}

/// The jobs of a service and key that meet a condition, newest first.
pub(super) fn matching(
    db: &Tx<'_>,
    account: &Account,
    me: &str,
    condition: &str,
    most: usize,
) -> tx::Result<Vec<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job WHERE account = ?1 AND base_url = ?2 AND {condition}
         ORDER BY id DESC LIMIT ?3"
    );
    let values = values![account.key, account.base_url, most as i64];
    let jobs: Vec<Job> = db.rows(&sql, values, |r| read(r, me, db.is_team()))?;
    jobs.into_iter().map(|job| with_counts(db, job)).collect()
}

fn with_counts(db: &Tx<'_>, mut job: Job) -> tx::Result<Job> {
    job.counts = counts(db, job.id)?;
    if job.counts.of(RowStatus::Ask) > 0 {
        job.held = super::claims::held(db, job.id)?;
    }
    if job.awaits_proof {
        [job.unproven_ready, job.unproven] = super::refusals::counts(db, job.id)?;
    }
    // The badges that it waited for may have been seen by another poll.
    job.next_poll = job.next_poll.filter(|_| job.is_open());
    Ok(job)
}

pub(super) fn counts(db: &Tx<'_>, id: JobId) -> tx::Result<Counts> {
    let mut counts: Vec<(RowStatus, u64)> =
        db.rows("SELECT bucket, n FROM tally WHERE job = ?1 AND n > 0", values![id.0], |r| {
            Ok((row_status(r, "bucket")?, r.get("n")?))
        })?;
    counts.sort_unstable();
    Ok(Counts(counts))
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
    Ok(RowStatus::from_code(r.text(column)?).unwrap_or(RowStatus::Other))
}

pub(super) fn moment(r: &SqlRow<'_>, column: &'static str) -> tx::Result<Option<Timestamp>> {
    Ok(r.get::<Option<i64>>(column)?.and_then(|s| Timestamp::from_second(s).ok()))
}

fn read(r: &SqlRow<'_>, me: &str, is_team: bool) -> tx::Result<Job> {
    let told = |why: Option<Reason>| why.unwrap_or_else(|| Code::Told.into());
    let stop = r.get::<Option<String>>("stop")?.and_then(|s| StopKind::from_code(&s));
    let owner = r.get::<Option<String>>("owner")?;
    let label = told(r.get("owner_label")?);
    let phase = Phase::from_code(r.text("phase")?).unwrap_or(Phase::Stopped);
    let created = Timestamp::from_millisecond(r.get("created")?).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(Job {
        id: r.get("id")?,
        kind: Kind::from_code(r.text("kind")?).unwrap_or(Kind::Issue),
        phase,
        stop: match stop {
            Some(kind) => Some(Stop { kind, why: told(r.get("stop_why")?) }),
            None => None,
        },
        title: r.get::<Option<Text>>("title")?.unwrap_or_default(),
        template_id: r.get::<Option<String>>("template")?.and_then(TemplateId::new),
        origin: r.get::<Option<String>>("origin")?.and_then(|raw| origin(&raw)),
        created,
        // Journals of earlier schemas do not know when a row changed.
        updated: moment(r, "changed")?.map_or(created, |changed| changed.max(created)),
        counts: Counts::default(),
        held: 0,
        note: if phase == Phase::Moved { Some(elsewhere(r)?) } else { r.get("note")? },
        accepted: match (r.get("accepted")?, r.get("accepted_of")?) {
            (Some(accepted), Some(sent)) => Some(AcceptedCount { accepted, sent }),
            _ => None,
        },
        in_flight: r.get("in_flight")?,
        next_poll: moment(r, "next_look")?,
        owner: owner.map(|id| Owner {
            is_me: id == me,
            is_alive: true,
            is_colleague: is_team && id != me,
            label,
        }),
        profile: r.get("profile")?,
        follows: r.get("follows")?,
        replaced: r.get::<Option<String>>("replaced")?.and_then(|names| replaced(&names)),
        checked: moment(r, "guarded_at")?,
        is_purged: r.get("purged")?,
        unproven: 0,
        unproven_ready: 0,
        is_not_provable: r.get("not_provable")?,
        awaits_proof: r.get("awaits_proof")?,
        begun_by: r.get::<Option<Text>>("begun_by")?.filter(|_| is_team),
        halted_by: match phase {
            Phase::Paused | Phase::Cancelled if is_team => {
                r.get::<Option<Reason>>("stop_why")?.filter(|by| by.is(Code::ProcessOn))
            }
            _ => None,
        },
    })
}

/// The replaced names, or the addresses if the names are the same. `None` if either was removed.
fn replaced(names: &str) -> Option<Replaced> {
    let [old, new, old_email, new_email]: [Option<String>; 4] = serde_json::from_str(names).ok()?;
    let is_name = old != new;
    let (old, new) = if is_name { (old, new) } else { (old_email, new_email) };
    let known = |text: Option<String>| text.filter(|text| !text.is_empty()).map(Text::new);
    Some(Replaced { old: known(old)?, new: known(new)?, is_whole: false })
}

/// Where a moved job continues.
fn elsewhere(r: &SqlRow<'_>) -> tx::Result<Reason> {
    if let Some(file) = r.get::<Option<String>>("went_with")? {
        return Ok(Reason::from(Code::WentWith).with("file", file));
    }
    let computer = first_line(&r.get::<Option<String>>("left_on")?.unwrap_or_default());
    Ok(Reason::from(Code::StayedOn).with("computer", computer))
}

/// The name of the file; `None` for pasted text. Earlier versions stored the translated name of pasted text.
fn origin_file(kept: String) -> Option<Text> {
    let is_pasted = kept.is_empty() || Language::ALL.iter().any(|l| i18n::in_language(*l, PASTED) == kept);
    (!is_pasted).then(|| Text::new(kept))
}

fn origin(raw: &str) -> Option<JobOrigin> {
    let value: Value = serde_json::from_str(raw).ok()?;
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let columns = value.get("columns").and_then(Value::as_array).into_iter().flatten();
    Some(JobOrigin {
        file: origin_file(field("name")),
        sha256: field("sha256"),
        columns: columns.filter_map(Value::as_str).map(Text::from).collect(),
        read_as: value
            .get("read_as")
            .and_then(|kept| serde_json::from_value(kept.clone()).ok())
            .unwrap_or_else(|| Reason::list(Code::ReadAs, Vec::new())),
        map: value.get("map").and_then(|map| serde_json::from_value(map.clone()).ok()),
        source: value.get("source").and_then(|source| serde_json::from_value(source.clone()).ok()),
    })
}

/// Pauses a running job. Its stop reason names the process, and so the person if a team shares the journal.
pub(super) fn pause(db: &Tx<'_>, id: &JobId, by: &Process) -> tx::Result<()> {
    db.run(
        "UPDATE job SET phase = 'paused', stop = NULL, stop_why = ?2 WHERE id = ?1 AND phase = 'running'",
        values![id.0, by.label],
    )
}

/// Cancels a job. Its stop reason names the process, as that of a paused job.
pub(super) fn cancel(db: &Tx<'_>, id: JobId, by: &Process) -> tx::Result<()> {
    db.run(
        "UPDATE job SET phase = 'cancelled', stop = NULL, stop_why = ?2 WHERE id = ?1",
        values![id.0, by.label],
    )
}

/// Sets the phase and clears the stop reason.
pub(super) fn set_phase(db: &Tx<'_>, id: &JobId, phase: &Phase) -> tx::Result<()> {
    db.run(
        "UPDATE job SET phase = ?2, stop = NULL, stop_why = NULL WHERE id = ?1",
        values![id.0, phase.code()],
    )
}

pub(super) fn stop(db: &Tx<'_>, id: &JobId, kind: &StopKind, why: &Reason) -> tx::Result<()> {
    db.run(
        "UPDATE job SET phase = 'stopped', stop = ?2, stop_why = ?3 WHERE id = ?1 AND phase = 'running'",
        values![id.0, kind.code(), why],
    )
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

pub(super) fn set_note(db: &Tx<'_>, id: JobId, note: Option<&Reason>) -> tx::Result<()> {
    db.run("UPDATE job SET note = ?2 WHERE id = ?1", values![id.0, note])
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

    /// The person at a process, as others see it.
    pub(super) fn of(process: &Process, at: i64) -> Self {
        Self { who: process.place.clone().unwrap_or_else(|| process.label.clone()), at }
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
    db.row("SELECT coalesce(max(id), 0) FROM decision", values![], |r| r.get(0))
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

/// # Errors
/// Another process owns the job now.
pub(super) fn assure_owned(db: &Tx<'_>, id: JobId, me: &str) -> tx::Result<()> {
    let is_mine = db.exists("SELECT 1 FROM job WHERE id = ?1 AND owner = ?2", values![id.0, me])?;
    if is_mine { Ok(()) } else { Err(tx::Error::Changed(id)) }
}

/// # Errors
/// The job has begun, or is no draft any more although a caller takes it for one, or the other way round.
pub(super) fn assure_draft(db: &Tx<'_>, id: JobId, is_draft: bool) -> tx::Result<()> {
    let is_so = "SELECT 1 FROM job WHERE id = ?1 AND (phase = 'draft') = ?2";
    if db.exists(is_so, values![id.0, is_draft])? { Ok(()) } else { Err(tx::Error::Changed(id)) }
}

/// Returns the number of the decision.
pub(super) fn decide(
    db: &Tx<'_>,
    id: JobId,
    no: Option<u64>,
    what: &str,
    actor: &Actor,
    why: &str,
) -> tx::Result<i64> {
    db.row(
        "INSERT INTO decision (at, job, no, what, who, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
        values![actor.at, id.0, no, what, actor.who, redact(why)],
        |r| r.get(0),
    )
}

pub(super) fn decide_rows(
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

pub(super) fn discard(db: &Tx<'_>, id: &JobId) -> tx::Result<()> {
    let gone = db.execute("DELETE FROM job WHERE id = ?1 AND phase = 'draft'", values![id.0])?;
    tidy_after_discard(db, gone)
}

pub(super) fn tidy_after_discard(db: &Tx<'_>, drafts: usize) -> tx::Result<()> {
    if drafts > 0 {
        db.execute("DELETE FROM tally WHERE job NOT IN (SELECT id FROM job)", values![])?;
        super::erase::want_rewrite(db)?;
    }
    Ok(())
}
