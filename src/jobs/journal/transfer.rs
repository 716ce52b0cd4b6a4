//! Moving an account's jobs between the journal in a file and a team's journal, in either direction.
//!
//! The jobs never may send in both: (1) the target expects them; (2) the source turns all of them into records, in one
//! transaction; (3) the target takes each in a transaction of its own; (4) the source notes that all were taken; (5) so
//! does the target, and may send. `marks` has what each notes. Running the same again after a crash goes on. In the
//! target nothing is sent before a person resumes a job, and the duplicate check runs again.
//!
//! A job is known by its contents, not by its number: two journals that were one before a backup give the same number to
//! two jobs, and both may have a copy of one.

mod marks;
#[cfg(test)]
mod tests;

use super::claims::{self, NamedSalt, RecipientHasher};
use super::jobs::{Account, Actor};
use super::tx::{self, Bind, ReadColumn, SqlRow, SqlType, SqlValue, Tx, values};
use super::{Journal, JournalError, accounts, backup, jobs, lost_writes, takeover};
use crate::jobs::error::JobError;
use crate::jobs::job::JobId;
use crate::jobs::journal::prelude::*;
use SqlType::{Bool, Bytes, Int, Text};
use marks::MarkState;
#[cfg(feature = "team")]
pub(super) use marks::TEAM_SCHEMA;
pub(in crate::jobs) use marks::{JournalBeside, OtherJournal};
pub(super) use marks::{assure_here, beside, elsewhere, expect, merge};

/// Schema 9: jobs that came from another journal.
pub(super) const SCHEMA: &str = "
    CREATE TABLE imported (
        -- The other journal, and the number of the job there.
        source TEXT NOT NULL,
        old    INTEGER NOT NULL,
        job    INTEGER NOT NULL,
        PRIMARY KEY (source, old)
    ) WITHOUT ROWID;";

/// Migrates a journal in a file to schema 14.
pub(super) fn migrate(db: &Tx<'_>) -> tx::Result<()> {
    db.script(marks::SCHEMA)?;
    // So other journals named it so far.
    db.execute("UPDATE store SET name = ?1", values![claims::name_of_salt(db)?])?;
    Ok(())
}

/// Gives a copy of a journal a name of its own.
pub(super) fn rename(db: &Tx<'_>) -> tx::Result<()> {
    db.execute("UPDATE store SET name = ?1", values![random()])?;
    Ok(())
}

fn random() -> String {
    format!("{:032x}", fastrand::u128(..))
}

type SqlColumns = &'static [(&'static str, SqlType)];

const JOB: SqlColumns = &[
    ("kind", Text),
    ("created", Int),
    ("profile", Text),
    ("base_url", Text),
    ("account", Text),
    ("template", Text),
    ("title", Text),
    ("origin", Text),
    ("stop", Text),
    ("stop_why", Text),
    ("note", Text),
    ("look_note", Text),
    ("guarded_at", Int),
    ("batch", Int),
    ("after", Bool),
    ("purged", Bool),
    ("begun_by", Text),
];
const REQUEST: SqlColumns = &[
    ("rows", Int),
    ("sha256", Text),
    ("intent", Int),
    ("heard", Bool),
    ("answered", Int),
    ("outcome", Text),
    ("status", Int),
    ("accepted", Int),
    ("why", Text),
];
const ROW: SqlColumns = &[
    ("no", Int),
    ("line", Int),
    ("cells", Text),
    ("name", Text),
    ("email", Text),
    ("email_key", Text),
    ("title", Text),
    ("badge", Text),
    ("bucket", Text),
    ("why", Text),
    ("class", Text),
    ("class_why", Text),
    ("repeats", Text),
    ("guarded", Bool),
    ("allowed", Text),
    ("of_no", Int),
    ("accepted", Int),
    ("status", Text),
    ("mail", Text),
    ("issued_at", Text),
    ("valid_until", Text),
    ("revoke_at", Text),
    ("absent", Int),
    ("tries", Int),
    ("seen", Int),
];
const BASELINE: SqlColumns = &[("email_key", Text), ("badge", Text), ("over", Bool)];
const DECISION: SqlColumns = &[("at", Int), ("no", Int), ("what", Text), ("who", Text), ("why", Text)];

/// A value of any column.
#[derive(Clone, Debug)]
struct Cell {
    of: SqlType,
    value: CellValue,
}

#[derive(Clone, Debug)]
enum CellValue {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Cell {
    fn read(row: &SqlRow<'_>, column: &'static str, of: SqlType) -> tx::Result<Self> {
        fn of_type<T: ReadColumn>(
            row: &SqlRow<'_>,
            column: &'static str,
            value: impl Fn(T) -> CellValue,
        ) -> tx::Result<CellValue> {
            Ok(row.get::<Option<T>>(column)?.map_or(CellValue::Null, value))
        }
        let value = match of {
            Bool => of_type(row, column, CellValue::Bool)?,
            Int => of_type(row, column, CellValue::Int)?,
            Text => of_type(row, column, CellValue::Text)?,
            Bytes => of_type(row, column, CellValue::Bytes)?,
        };
        Ok(Self { of, value })
    }

    fn int(n: Option<i64>) -> Self {
        Self { of: Int, value: n.map_or(CellValue::Null, CellValue::Int) }
    }

    fn text(text: &str) -> Self {
        Self { of: Text, value: CellValue::Text(text.to_owned()) }
    }

    fn bytes(bytes: Option<Vec<u8>>) -> Self {
        Self { of: Bytes, value: bytes.map_or(CellValue::Null, CellValue::Bytes) }
    }

    fn as_text(&self) -> &str {
        match &self.value {
            CellValue::Text(text) => text,
            _ => "",
        }
    }
}

impl Bind for Cell {
    fn bind(&self) -> SqlValue<'_> {
        match &self.value {
            CellValue::Null => SqlValue::Null,
            CellValue::Bool(is) => SqlValue::Bool(*is),
            CellValue::Int(n) => SqlValue::Int(*n),
            CellValue::Text(text) => text.as_str().into(),
            CellValue::Bytes(bytes) => SqlValue::Bytes(bytes),
        }
    }

    fn sql_type(&self) -> SqlType {
        self.of
    }
}

type Cells = Vec<Cell>;

/// A job with everything that the journal has of it.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct JobCopy {
    id: i64,
    phase: String,
    /// What is known of the backup that the job went with, if it is only a record in the source.
    record: Option<Cells>,
    /// All jobs of its move had arrived in the target, so it may have sent more rows than this copy knows.
    is_doubtful: bool,
    follows: Option<i64>,
    unproven: Option<i64>,
    job: Cells,
    /// With their numbers in the source.
    requests: Vec<(i64, Cells)>,
    decisions: Vec<(i64, Cells)>,
    rows: Vec<RowCopy>,
    baseline: Vec<Cells>,
    claims: Vec<ClaimCopy>,
}

impl JobCopy {
    fn column(&self, name: &str) -> &dyn Bind {
        let at = JOB.iter().position(|(column, _)| *column == name).unwrap_or_default();
        self.job.get(at).map_or(&None::<i64>, |cell| cell as &dyn Bind)
    }

    fn text(&self, name: &str) -> &str {
        let at = JOB.iter().position(|(column, _)| *column == name).unwrap_or_default();
        self.job.get(at).map(Cell::as_text).unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
struct RowCopy {
    cells: Cells,
    request: Option<i64>,
    of_job: Option<i64>,
    person: Option<Vec<u8>>,
}

impl RowCopy {
    fn email_key(&self) -> &str {
        let at = ROW.iter().position(|(name, _)| *name == "email_key").unwrap_or_default();
        self.cells.get(at).map(Cell::as_text).unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
struct ClaimCopy {
    no: i64,
    slot: i64,
    state: String,
    decision: Option<i64>,
    again: bool,
}

fn listed(columns: SqlColumns) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn cells(row: &SqlRow<'_>, columns: SqlColumns) -> tx::Result<Cells> {
    columns.iter().map(|(name, of)| Cell::read(row, name, *of)).collect()
}

/// The jobs of an account, with any of its keys.
fn of_account(db: &Tx<'_>, account: &Account, which: &str) -> tx::Result<Vec<JobId>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        &format!(
            "SELECT job.id FROM job
             JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
             WHERE account_key.account IN (?1, ?2) AND job.phase <> 'draft' AND {which} ORDER BY job.id"
        ),
        values![by_key, by_name],
        |r| r.get(0).map(JobId),
    )
}

/// The number of an account's jobs that are not records.
pub(super) fn count_here(db: &Tx<'_>, account: &Account) -> tx::Result<u64> {
    Ok(of_account(db, account, "job.phase <> 'moved'")?.len() as u64)
}

/// The processes that own jobs or drafts of an account, with any of its keys, except this one.
pub(super) fn owners(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<Vec<String>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        "SELECT DISTINCT owner FROM job
         JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
         WHERE account_key.account IN (?1, ?2) AND owner IS NOT NULL AND owner <> ?3",
        values![by_key, by_name, me],
        |r| r.get(0),
    )
}

/// Handovers to another journal, and not to a backup.
const MOVES: &str = "(file LIKE 'team %' OR file LIKE 'file %')";

/// The records of an account that went to another journal in a move of this state.
fn records(db: &Tx<'_>, account: &Account, to: &OtherJournal, state: &str) -> tx::Result<Vec<JobId>> {
    let handovers: Vec<String> = db.rows(
        // Earlier versions kept only the place.
        &format!(
            "SELECT id FROM handover WHERE {MOVES} AND coalesce(taken_by = ?2, file = ?1) AND state = ?3"
        ),
        values![to.file, to.name, state],
        |r| r.get(0),
    )?;
    let moved: HashSet<JobId> = of_account(db, account, "job.phase = 'moved'")?.into_iter().collect();
    let records: Vec<JobId> = db.rows(
        "SELECT id FROM job WHERE handover IN json_list(?1, text) ORDER BY id",
        values![super::json(&handovers)],
        |r| r.get(0).map(JobId),
    )?;
    Ok(records.into_iter().filter(|job| moved.contains(job)).collect())
}

/// The records that a journal must have to which the jobs of an account go: all but those of jobs that came back. They
/// show whom this journal has served. Where an earlier target is lost, they are all that is left.
pub(super) fn known_there(db: &Tx<'_>, account: &Account) -> tx::Result<Vec<JobId>> {
    let is_back = format!("handover.id = job.handover AND {MOVES} AND handover.state = 'returned'");
    let which = format!("job.phase = 'moved' AND NOT EXISTS (SELECT 1 FROM handover WHERE {is_back})");
    of_account(db, account, &which)
}

/// Those jobs of another journal that never came here.
pub(super) fn missing(db: &Tx<'_>, source: &str, jobs: &[JobId]) -> tx::Result<Vec<JobId>> {
    let ids: Vec<i64> = jobs.iter().map(|id| id.0).collect();
    let known: HashSet<i64> = db.rows(
        "SELECT old FROM imported WHERE source = ?1 AND old IN json_list(?2, bigint)",
        values![source, super::json(&ids)],
        |r| r.get(0),
    )?;
    Ok(jobs.iter().copied().filter(|id| !known.contains(&id.0)).collect())
}

/// An account that has no job here is sent for by another journal from now on. Returns the number of its jobs.
pub(super) fn leave(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<u64> {
    let jobs = count_here(db, account)?;
    if jobs == 0 && marks::of(db, account)?.is_empty() {
        marks::set(db, account, to, MarkState::Gone)?;
    }
    Ok(jobs)
}

/// # Errors
/// The jobs of an account may not leave this journal for another one: some still come here or go to a third one, or the
/// database lost writes and nobody has looked for them.
pub(super) fn assure_may_go(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<()> {
    marks::assure_may_go(db, account, to)?;
    lost_writes::assure_all_searched(db, &of_account(db, account, "job.phase <> 'moved'")?)
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct BeginMove {
    account: Account,
    /// A number for the move.
    id: String,
    to: OtherJournal,
    computer: String,
    actor: Actor,
}

/// Turns an account's jobs into records, and returns all that have to go, also those of the same move before a crash.
pub(super) fn begin_move(db: &Tx<'_>, args: &BeginMove) -> tx::Result<Vec<JobId>> {
    let BeginMove { account, id, to, computer, actor } = args;
    accounts::join(db, account)?;
    assure_may_go(db, account, to)?;
    marks::set(db, account, to, MarkState::Going)?;
    let here = of_account(db, account, "job.phase <> 'moved'")?;
    if !here.is_empty() {
        db.execute(
            "INSERT INTO handover (id, at, computer, file, moves, state, taken_by)
             VALUES (?1, ?2, ?3, ?4, TRUE, 'begun', ?5)",
            values![id, actor.at, computer, to.file, to.name],
        )?;
    }
    takeover::recover(db, &here, actor.at / 1000)?;
    let list = super::json(&here.iter().map(|id| id.0).collect::<Vec<_>>());
    db.execute(
        "UPDATE job SET was = phase, phase = 'moved', handover = ?1, owner = NULL, owner_label = NULL,
                        next_look = NULL
         WHERE id IN json_list(?2, bigint)",
        values![id, list],
    )?;
    for job in &here {
        jobs::decide(db, *job, None, "move", actor, &to.file)?;
    }
    records(db, account, to, "begun")
}

/// All jobs of an account are in another journal.
pub(super) fn end_move(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<()> {
    set_handovers(db, &records(db, account, to, "begun")?, "taken")?;
    marks::set(db, account, to, MarkState::Gone)
}

/// All jobs of an account are here. Its records of jobs that went to that journal came back.
pub(super) fn end_return(db: &Tx<'_>, account: &Account, from: &OtherJournal) -> tx::Result<()> {
    set_handovers(db, &records(db, account, from, "taken")?, "returned")?;
    marks::remove(db, account, from)
}

fn set_handovers(db: &Tx<'_>, records: &[JobId], state: &str) -> tx::Result<()> {
    let ids: Vec<i64> = records.iter().map(|id| id.0).collect();
    db.execute(
        "UPDATE handover SET state = ?2
         WHERE id IN (SELECT handover FROM job WHERE job.id IN json_list(?1, bigint))",
        values![super::json(&ids), state],
    )?;
    Ok(())
}

/// What another journal must know of this one.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SourceJournal {
    name: String,
    salts: Vec<NamedSalt>,
}

pub(super) fn name(db: &Tx<'_>) -> tx::Result<String> {
    db.row("SELECT name FROM store", values![], |r| r.get(0))
}

pub(super) fn source(db: &Tx<'_>) -> tx::Result<SourceJournal> {
    Ok(SourceJournal { name: name(db)?, salts: claims::salts(db)? })
}

/// What the table `handover` has of a backup.
const HANDOVER: SqlColumns =
    &[("id", Text), ("at", Int), ("computer", Text), ("file", Text), ("moves", Bool), ("state", Text)];

/// The backup that a record went with, and whether the job went to another journal that had all of it.
fn handover(db: &Tx<'_>, id: &JobId) -> tx::Result<(Option<Cells>, bool)> {
    let sql = format!(
        "SELECT {}, {MOVES} AS is_move FROM handover
         WHERE id = (SELECT handover FROM job WHERE job.id = ?1 AND phase = 'moved')",
        listed(HANDOVER)
    );
    let found = db.optional(&sql, values![id.0], |r| {
        Ok((cells(r, HANDOVER)?, r.get::<bool>("is_move")?, r.get::<String>("state")? == "taken"))
    })?;
    Ok(match found {
        Some((_, true, is_taken)) => (None, is_taken),
        Some((backup, false, _)) => (Some(backup), false),
        None => (None, false),
    })
}

pub(super) fn copy(db: &Tx<'_>, id: &JobId) -> tx::Result<JobCopy> {
    let (record, is_doubtful) = handover(db, id)?;
    let sql = format!(
        "SELECT CASE WHEN phase = 'moved' THEN coalesce(was, 'stopped') ELSE phase END AS was_phase, follows,
                unproven, {} FROM job WHERE id = ?1",
        listed(JOB)
    );
    let (phase, follows, unproven, job) = db.row(&sql, values![id.0], |r| {
        Ok((r.get::<String>("was_phase")?, r.get("follows")?, r.get("unproven")?, cells(r, JOB)?))
    })?;
    let requests = format!("SELECT id, {} FROM request WHERE job = ?1 ORDER BY id", listed(REQUEST));
    let decisions = format!("SELECT id, {} FROM decision WHERE job = ?1 ORDER BY id", listed(DECISION));
    let rows = format!("SELECT request, of_job, person, {} FROM row WHERE job = ?1 ORDER BY no", listed(ROW));
    let baseline = format!("SELECT {} FROM baseline WHERE job = ?1", listed(BASELINE));
    Ok(JobCopy {
        id: id.0,
        phase,
        record,
        is_doubtful,
        follows,
        unproven,
        job,
        requests: db.rows(&requests, values![id.0], |r| Ok((r.get("id")?, cells(r, REQUEST)?)))?,
        decisions: db.rows(&decisions, values![id.0], |r| Ok((r.get("id")?, cells(r, DECISION)?)))?,
        rows: db.rows(&rows, values![id.0], |r| {
            Ok(RowCopy {
                cells: cells(r, ROW)?,
                request: r.get("request")?,
                of_job: r.get("of_job")?,
                person: r.get("person")?,
            })
        })?,
        baseline: db.rows(&baseline, values![id.0], |r| cells(r, BASELINE))?,
        claims: db.rows(
            "SELECT no, slot, state, decision, again FROM claim WHERE job = ?1 ORDER BY no",
            values![id.0],
            |r| {
                Ok(ClaimCopy {
                    no: r.get("no")?,
                    slot: r.get("slot")?,
                    state: r.get("state")?,
                    decision: r.get("decision")?,
                    again: r.get("again")?,
                })
            },
        )?,
    })
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct TakeCopy {
    source: SourceJournal,
    copy: JobCopy,
    account: Account,
    actor: Actor,
}

/// Takes a job from another journal, unless it is here. Returns whether it was not.
pub(super) fn take(db: &Tx<'_>, args: &TakeCopy) -> tx::Result<bool> {
    let TakeCopy { source: SourceJournal { name: source, salts }, copy, account, actor } = args;
    let twins = twins(db, copy)?;
    if let Some(known) = twins.iter().find(|twin| twin.has_all && (!twin.is_record || copy.record.is_some()))
    {
        note_import(db, source, copy.id, known.job)?;
        return Ok(false);
    }
    // The job comes back with the claims of the record that it left here, and maybe more.
    for record in twins.iter().filter(|twin| twin.is_record && twin.has_no_more && copy.record.is_none()) {
        db.execute("DELETE FROM claim WHERE job = ?1", values![record.job])?;
    }
    let id = insert_job(db, source, copy)?;
    let mut requests = HashMap::new();
    for (old, cells) in &copy.requests {
        requests.insert(*old, insert(db, "request", REQUEST, id, cells)?);
    }
    let mut decisions = HashMap::new();
    for (old, cells) in &copy.decisions {
        decisions.insert(*old, insert(db, "decision", DECISION, id, cells)?);
    }
    if let Some(unproven) = copy.unproven.and_then(|old| requests.get(&old)) {
        db.execute("UPDATE job SET unproven = ?2 WHERE id = ?1", values![id, *unproven])?;
    }
    let people = insert_rows(db, source, copy, id, &requests)?;
    let columns = columns_of(BASELINE, &["job"]);
    db.append("baseline", &columns, copy.baseline.len(), |add| {
        for cells in &copy.baseline {
            add(&with(cells, &[&id as &dyn Bind]))?;
        }
        Ok(())
    })?;
    let is_purged = copy.rows.iter().any(|row| row.person.is_some() && row.email_key().is_empty());
    // Only where it is needed: with the salt, a known address can be looked for.
    if is_purged {
        claims::keep_salts(db, salts)?;
    }
    let joined = join(db, account, copy)?;
    insert_claims(db, copy, (id, joined), &people, &decisions, actor)?;
    if is_purged {
        recognise_running(db)?;
    }
    jobs::decide(db, JobId(id), None, "import", actor, &format!("job {} of journal {source}", copy.id))?;
    note_import(db, source, copy.id, id)?;
    if let Some(backup) = &copy.record {
        set_aside(db, id, backup)?;
    } else if copy.is_doubtful {
        backup::doubt(db, JobId(id), actor.at)?;
    }
    Ok(true)
}

fn note_import(db: &Tx<'_>, source: &str, old: i64, job: i64) -> tx::Result<()> {
    db.execute(
        "INSERT INTO imported (source, old, job) VALUES (?1, ?2, ?3)
         ON CONFLICT (source, old) DO UPDATE SET job = excluded.job",
        values![source, old, job],
    )?;
    Ok(())
}

/// Keeps a job that went with a backup as a record: it shows whom it has served, and cannot send.
fn set_aside(db: &Tx<'_>, job: i64, backup: &Cells) -> tx::Result<()> {
    db.execute(
        &format!(
            "INSERT INTO handover ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
            listed(HANDOVER)
        ),
        &with(backup, &[]),
    )?;
    let id = backup.first().map(Cell::as_text).unwrap_or_default();
    db.execute(
        "UPDATE job SET was = phase, phase = 'moved', handover = ?2, next_look = NULL WHERE id = ?1",
        values![job, id],
    )?;
    Ok(())
}

/// A job here that is the same as one of another journal.
struct Twin {
    job: i64,
    is_record: bool,
    /// Whether it has every request of the other one.
    has_all: bool,
    /// Whether the other one has every request of it.
    has_no_more: bool,
}

/// The jobs here that were planned at the same time for the same people.
fn twins(db: &Tx<'_>, copy: &JobCopy) -> tx::Result<Vec<Twin>> {
    let planned: Vec<(i64, bool)> = db.rows(
        "SELECT id, phase = 'moved' FROM job
         WHERE created = ?1 AND kind = ?2 AND base_url = ?3 AND title = ?4 AND template IS NOT DISTINCT FROM ?5
           AND phase <> 'draft' ORDER BY id",
        &["created", "kind", "base_url", "title", "template"].map(|name| copy.column(name)),
        |r| Ok((r.get(0)?, r.get(1)?)),
    )?;
    let mut theirs: HashMap<i64, &str> = HashMap::new();
    for row in &copy.rows {
        if let Some(CellValue::Int(no)) = row.cells.first().map(|cell| &cell.value) {
            theirs.insert(*no, row.email_key());
        }
    }
    let all = requests_of(&copy.requests);
    let mut twins = Vec::new();
    for (job, is_record) in planned {
        let mut is_same = true;
        let mut rows = 0;
        db.each("SELECT no, email_key FROM row WHERE job = ?1", values![job], |r| {
            let mine = r.text(1)?;
            rows += 1;
            // An address may have been removed in one of the journals.
            is_same =
                theirs.get(&r.get(0)?).is_some_and(|key| key.is_empty() || mine.is_empty() || *key == mine);
            Ok(if is_same { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) })
        })?;
        if is_same && rows == theirs.len() {
            let sql = format!("SELECT id, {} FROM request WHERE job = ?1", listed(REQUEST));
            let here: Vec<(i64, Cells)> =
                db.rows(&sql, values![job], |r| Ok((r.get("id")?, cells(r, REQUEST)?)))?;
            let here = requests_of(&here);
            let (has_all, has_no_more) = (here.is_superset(&all), here.is_subset(&all));
            twins.push(Twin { job, is_record, has_all, has_no_more });
        }
    }
    Ok(twins)
}

/// The time and the contents of each request, without those that stand for lost ones.
fn requests_of(requests: &[(i64, Cells)]) -> HashSet<(i64, &str)> {
    let at = |name| REQUEST.iter().position(|(column, _)| *column == name).unwrap_or_default();
    let (intent, sum) = (at("intent"), at("sha256"));
    requests
        .iter()
        .filter_map(|(_, cells)| match (&cells.get(intent)?.value, cells.get(sum)?.as_text()) {
            (CellValue::Int(at), sum) if !sum.is_empty() => Some((*at, sum)),
            _ => None,
        })
        .collect()
}

/// Finds the recipients of purged rows in jobs that run. All others look for them when they begin or are resumed.
fn recognise_running(db: &Tx<'_>) -> tx::Result<()> {
    let running: Vec<JobId> = db.rows(
        "SELECT id FROM job WHERE kind = 'issue' AND phase = 'running'
           AND EXISTS (SELECT 1 FROM tally WHERE tally.job = job.id AND n > 0 AND bucket = 'ready')",
        values![],
        |r| r.get(0).map(JobId),
    )?;
    running.into_iter().try_for_each(|job| claims::recognise(db, job, "row.bucket = 'ready'"))
}

/// The number here of a job of another journal.
fn here(db: &Tx<'_>, source: &str, old: Option<i64>) -> tx::Result<Option<i64>> {
    db.optional("SELECT job FROM imported WHERE source = ?1 AND old = ?2", values![source, old], |r| r.get(0))
}

fn columns_of(columns: SqlColumns, more: &[&'static str]) -> Vec<&'static str> {
    more.iter().copied().chain(columns.iter().map(|(name, _)| *name)).collect()
}

fn with<'a>(cells: &'a Cells, before: &[&'a dyn Bind]) -> Vec<&'a dyn Bind> {
    before.iter().copied().chain(cells.iter().map(|cell| cell as &dyn Bind)).collect()
}

fn insert(db: &Tx<'_>, table: &str, columns: SqlColumns, job: i64, cells: &Cells) -> tx::Result<i64> {
    let places: Vec<String> = (2..=columns.len() + 1).map(|n| format!("?{n}")).collect();
    let (names, places) = (listed(columns), places.join(", "));
    let sql = format!("INSERT INTO {table} (job, {names}) VALUES (?1, {places}) RETURNING id");
    db.row(&sql, &with(cells, &[&job]), |r| r.get(0))
}

fn insert_job(db: &Tx<'_>, source: &str, copy: &JobCopy) -> tx::Result<i64> {
    let follows = match copy.follows {
        Some(old) => here(db, source, Some(old))?,
        None => None,
    };
    let places: Vec<String> = (3..JOB.len() + 3).map(|n| format!("?{n}")).collect();
    // It is polled first. Whoever takes it over stops it if rows are left to send.
    let sql = format!(
        "INSERT INTO job (phase, follows, next_look, {}) VALUES (?1, ?2, 0, {}) RETURNING id",
        listed(JOB),
        places.join(", ")
    );
    let id: i64 = db.row(&sql, &with(&copy.job, &[&copy.phase, &follows]), |r| r.get(0))?;
    // The duplicate check runs again before anything is sent.
    db.execute("UPDATE job SET guarded_at = 0 WHERE id = ?1 AND guarded_at IS NOT NULL", values![id])?;
    Ok(id)
}

/// Returns the recipient of each row, as this journal names it.
fn insert_rows(
    db: &Tx<'_>,
    source: &str,
    copy: &JobCopy,
    id: i64,
    requests: &HashMap<i64, i64>,
) -> tx::Result<HashMap<i64, Vec<u8>>> {
    let hashes = RecipientHasher::of(db)?;
    let mut of_jobs: HashMap<i64, Option<i64>> = HashMap::new();
    for old in copy.rows.iter().filter_map(|row| row.of_job).collect::<HashSet<_>>() {
        of_jobs.insert(old, here(db, source, Some(old))?);
    }
    let mut people = HashMap::new();
    let columns = columns_of(ROW, &["job", "request", "of_job", "person"]);
    db.append("row", &columns, copy.rows.len(), |add| {
        for row in &copy.rows {
            // A removed address has only the hash of the other journal, which is found with its salt.
            let person = hashes.person(&EmailKey::of(row.email_key())).or_else(|| row.person.clone());
            if let (Some(CellValue::Int(no)), Some(person)) = (row.cells.first().map(|c| &c.value), &person) {
                people.insert(*no, person.clone());
            }
            let request = Cell::int(row.request.and_then(|old| requests.get(&old).copied()));
            let of_job = Cell::int(row.of_job.and_then(|old| of_jobs.get(&old).copied().flatten()));
            let person = Cell::bytes(person);
            add(&with(&row.cells, &[&id, &request, &of_job, &person]))?;
        }
        Ok(())
    })?;
    jobs::count_rows(db, JobId(id))?;
    Ok(people)
}

/// The account here of the job's key, joined with that of the profile.
fn join(db: &Tx<'_>, account: &Account, copy: &JobCopy) -> tx::Result<i64> {
    let of_job = accounts::of(db, copy.text("base_url"), copy.text("account"))?;
    let joined = accounts::join(db, account)?;
    // Never two services.
    if copy.text("base_url") != account.base_url {
        return Ok(of_job);
    }
    accounts::merge(db, of_job, joined)?;
    Ok(joined)
}

fn insert_claims(
    db: &Tx<'_>,
    copy: &JobCopy,
    (job, account): (i64, i64),
    people: &HashMap<i64, Vec<u8>>,
    decisions: &HashMap<i64, i64>,
    actor: &Actor,
) -> tx::Result<()> {
    let template = copy.text("template");
    let mut taken: HashMap<Vec<u8>, i64> = HashMap::new();
    db.each(
        "SELECT person, max(slot) FROM claim WHERE account = ?1 AND template = ?2 GROUP BY person",
        values![account, template],
        |r| {
            taken.insert(r.get(0)?, r.get(1)?);
            Ok(std::ops::ControlFlow::Continue(()))
        },
    )?;
    let mut shared = None;
    let columns = ["account", "template", "person", "slot", "job", "no", "state", "decision", "again"];
    let mut claims: Vec<(&ClaimCopy, &Vec<u8>, i64, Option<i64>)> = Vec::new();
    for claim in &copy.claims {
        let Some(person) = people.get(&claim.no) else { continue };
        let decision = claim.decision.and_then(|old| decisions.get(&old).copied());
        let (slot, decision) = match taken.get(person) {
            None => (claim.slot, decision),
            // Nobody compared an unsent row with what was sent from here. It is judged when its job is resumed.
            Some(_) if claim.state == "reserved" => continue,
            Some(last) => {
                let both = match shared {
                    Some(known) => known,
                    None => jobs::decide(db, JobId(job), None, "imported beside others", actor, "")?,
                };
                shared = Some(both);
                (last + 1, decision.or(Some(both)))
            }
        };
        taken.insert(person.clone(), slot);
        claims.push((claim, person, slot, decision));
    }
    db.append("claim", &columns, claims.len(), |add| {
        for (claim, person, slot, decision) in claims {
            let state = Cell::text(&claim.state);
            let decision = Cell::int(decision);
            add(values![account, template, person, slot, job, claim.no, state, decision, claim.again])?;
        }
        Ok(())
    })
}

/// What a move did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedJobs {
    pub jobs: u64,
    /// Where they are now.
    pub to: String,
}

impl Journal {
    /// Moves the jobs of an account from this journal into another one.
    ///
    /// # Errors
    /// Another process owns one of the jobs, or a journal cannot be used. If the move began, neither journal sends; the
    /// same call goes on.
    pub async fn move_to(&self, to: &Self, account: &Account, who: &str) -> Result<MovedJobs, JobError> {
        let (here, there) = (self.store(), to.store());
        let owners = here.owners(account.clone(), here.me().to_owned()).await?;
        if !self.living(owners).await?.is_empty() {
            return Err(JobError::no(localizable!(
                "Another running lapel has jobs of this profile. Nothing was moved. Close every lapel first."
            )));
        }
        let (source, target) = (self.for_other().await?, to.for_other().await?);
        here.assure_may_go(account.clone(), target.clone()).await?;
        there.expect(account.clone(), source.clone()).await?;
        let jobs = self.go_to(to, account, (source, target), who).await.map_err(|why| {
            JobError::no(localizable!(
                "The move is not complete. Until it is, lapel sends nothing for this profile from either journal, so nobody gets a badge twice. Run the same command again. The reason: {why}",
                why = why.localizable()
            ))
        })?;
        Ok(MovedJobs { jobs, to: to.place().to_owned() })
    }

    /// Returns the number of jobs that went.
    async fn go_to(
        &self,
        to: &Self,
        account: &Account,
        (from, target): (OtherJournal, OtherJournal),
        who: &str,
    ) -> Result<u64, JournalError> {
        let (here, there) = (self.store(), to.store());
        let actor = Actor::now(who);
        let begin = BeginMove {
            account: account.clone(),
            id: random(),
            to: target.clone(),
            computer: super::place::computer(),
            actor: actor.clone(),
        };
        let mut going = here.begin_move(begin).await?;
        let mut moved = going.len() as u64;
        let source = here.source().await?;
        let mut known = here.known_there(account.clone()).await?;
        known.retain(|job| !going.contains(job));
        let records: HashSet<JobId> = there.missing(source.name.clone(), known).await?.into_iter().collect();
        going.extend(&records);
        for job in going {
            let copy = here.copy(job).await?;
            let take =
                TakeCopy { source: source.clone(), copy, account: account.clone(), actor: actor.clone() };
            let is_new = there.take_copy(take).await?;
            moved += u64::from(is_new && records.contains(&job));
        }
        here.end_move(account.clone(), target).await?;
        // What an earlier move took from there has come back.
        there.end_return(account.clone(), from).await?;
        Ok(moved)
    }

    /// This journal, as others name it.
    async fn for_other(&self) -> Result<OtherJournal, JournalError> {
        let (name, place) = (self.store().name().await?, self.place());
        Ok(if self.is_of_team() {
            OtherJournal { name, place: place.to_owned(), file: format!("team {place}") }
        } else {
            let computer = super::place::first_line(&super::place::computer());
            OtherJournal { name, place: format!("{computer}: {place}"), file: format!("file {place}") }
        })
    }

    /// Checks that an account has its jobs in this journal only. `beside` is the journal's file on this computer, or
    /// its place if there are two. That one sends nothing for the account from now on.
    ///
    /// # Errors
    /// [`JournalError::TwoPlaces`] with what to do.
    pub(in crate::jobs) async fn assure_only(
        &self,
        beside: Option<&Self>,
        account: &Account,
    ) -> Result<(), JournalError> {
        let refused = |why: Localizable| Err(JournalError::TwoPlaces { why });
        if let Some(why) = self.store().elsewhere(account.clone()).await? {
            return refused(why);
        }
        let Some(file) = beside else { return Ok(()) };
        let me = self.for_other().await?;
        let is_left = match file.store().beside(account.clone(), me.clone()).await? {
            JournalBeside::Elsewhere(why) => return refused(why),
            JournalBeside::Here => false,
            JournalBeside::There => true,
        };
        let jobs = if is_left || self.reads_only() {
            file.store().count_here(account.clone()).await?
        } else {
            file.store().leave(account.clone(), me).await?
        };
        if jobs > 0 {
            return refused(localizable_plural!(
                jobs,
                "{n} job of this profile is in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move it once: lapel journal move",
                "{n} jobs of this profile are in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move them once: lapel journal move",
                file = file.place(),
                server = self.place()
            ));
        }
        let known = file.store().known_there(account.clone()).await?;
        if known.is_empty() {
            return Ok(());
        }
        let missing = self.store().missing(file.store().name().await?, known).await?.len() as u64;
        if missing > 0 {
            return refused(localizable_plural!(
                missing,
                "The team's journal ({server}) does not know {n} job that the journal on this computer ({file}) has as a record. lapel sends nothing: somebody could get a badge twice. Copy it there: lapel journal move",
                "The team's journal ({server}) does not know {n} jobs that the journal on this computer ({file}) has as records. lapel sends nothing: somebody could get a badge twice. Copy them there: lapel journal move",
                file = file.place(),
                server = self.place()
            ));
        }
        Ok(())
    }
}
