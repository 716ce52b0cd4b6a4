//! Moving an account's jobs between the journal in a file and a team's journal, in either direction.
//!
//! The jobs never may send in both: (1) the source turns all of them into records, in one transaction; (2) the target
//! takes each in a transaction of its own; (3) the source notes that all were taken. Running the same again after a
//! crash goes on. In the target nothing is sent before a person resumes a job, and the duplicate check runs again.

use super::claims::{self, NamedSalt, RecipientHasher};
use super::jobs::{Account, Actor};
use super::tx::{self, Bind, ReadColumn, SqlRow, SqlType, SqlValue, Tx, values};
use super::{Journal, JournalError, accounts, jobs, takeover};
use crate::domain::EmailKey;
use crate::i18n::Localizable;
use crate::jobs::error::JobError;
use crate::jobs::job::JobId;
use std::collections::{HashMap, HashSet};

/// Schema 9: jobs that came from another journal.
pub(super) const SCHEMA: &str = "
    CREATE TABLE imported (
        -- The other journal, and the number of the job there.
        source TEXT NOT NULL,
        old    INTEGER NOT NULL,
        job    INTEGER NOT NULL,
        PRIMARY KEY (source, old)
    ) WITHOUT ROWID;";

use SqlType::{Bool, Bytes, Int, Text};

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
    follows: Option<i64>,
    unproven: Option<i64>,
    job: Cells,
    /// With their numbers in the source.
    requests: Vec<(i64, Cells)>,
    decisions: Vec<(i64, Cells)>,
    rows: Vec<RowCopy>,
    baseline: Vec<Cells>,
    claims: Vec<ClaimCopy>,
    /// The journals that it came from, and its number there.
    origins: Vec<(String, i64)>,
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

/// The team's journal that the account's jobs were moved to, if any was and none came back.
pub(super) fn moved_to(db: &Tx<'_>, account: &Account) -> tx::Result<Option<String>> {
    let moved = of_account(db, account, "job.phase = 'moved'")?;
    let file: Option<String> = db.optional(
        "SELECT file FROM handover WHERE state IN ('begun', 'taken') AND file LIKE 'team %'
           AND id IN (SELECT handover FROM job WHERE id IN json_list(?1, bigint)) LIMIT 1",
        values![super::json(&moved.iter().map(|id| id.0).collect::<Vec<_>>())],
        |r| r.get(0),
    )?;
    Ok(file.map(|file| file.trim_start_matches("team ").to_owned()))
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct BeginMove {
    account: Account,
    /// The number of the move, unless an earlier one to the same place is not complete.
    id: String,
    /// Where to.
    to: String,
    computer: String,
    actor: Actor,
}

/// Turns an account's jobs into records, and returns the number of the move and all jobs that belong to it.
pub(super) fn begin_move(db: &Tx<'_>, args: &BeginMove) -> tx::Result<(String, Vec<JobId>)> {
    let BeginMove { account, id, to, computer, actor } = args;
    let begun: Option<String> = db.optional(
        "SELECT id FROM handover WHERE file = ?1 AND state = 'begun' ORDER BY at DESC LIMIT 1",
        values![to],
        |r| r.get(0),
    )?;
    let id = begun.as_ref().unwrap_or(id);
    if begun.is_none() {
        db.execute(
            "INSERT INTO handover (id, at, computer, file, moves, state) VALUES (?1, ?2, ?3, ?4, TRUE, 'begun')",
            values![id, actor.at, computer, to],
        )?;
    }
    let here = of_account(db, account, "job.phase <> 'moved'")?;
    takeover::recover(db, &here, actor.at / 1000)?;
    let list = super::json(&here.iter().map(|id| id.0).collect::<Vec<_>>());
    db.execute(
        "UPDATE job SET was = phase, phase = 'moved', handover = ?1, owner = NULL, owner_label = NULL,
                        next_look = NULL
         WHERE id IN json_list(?2, bigint)",
        values![id, list],
    )?;
    for job in &here {
        jobs::decide(db, *job, None, "move", actor, to)?;
    }
    let all =
        db.rows("SELECT id FROM job WHERE handover = ?1 ORDER BY id", values![id], |r| r.get(0).map(JobId))?;
    Ok((id.clone(), all))
}

pub(super) fn end_move(db: &Tx<'_>, id: &str) -> tx::Result<()> {
    db.execute("UPDATE handover SET state = 'taken' WHERE id = ?1", values![id])?;
    Ok(())
}

/// What another journal must know of this one.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SourceJournal {
    name: String,
    salts: Vec<NamedSalt>,
}

pub(super) fn source(db: &Tx<'_>) -> tx::Result<SourceJournal> {
    Ok(SourceJournal { name: claims::name_of_journal(db)?, salts: claims::salts(db)? })
}

pub(super) fn copy(db: &Tx<'_>, id: &JobId) -> tx::Result<JobCopy> {
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
        origins: db.rows("SELECT source, old FROM imported WHERE job = ?1", values![id.0], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?,
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

/// Takes a job from another journal, unless it was taken already. Returns its number here.
pub(super) fn take(db: &Tx<'_>, args: &TakeCopy) -> tx::Result<JobId> {
    let TakeCopy { source: SourceJournal { name: source, salts }, copy, account, actor } = args;
    if let Some(known) = here(db, source, Some(copy.id))? {
        return Ok(JobId(known));
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
    free_record(db, copy)?;
    insert_claims(db, copy, (id, joined), &people, &decisions, actor)?;
    if is_purged {
        recognise_running(db)?;
    }
    jobs::decide(db, JobId(id), None, "import", actor, &format!("job {} of journal {source}", copy.id))?;
    db.execute("INSERT INTO imported (source, old, job) VALUES (?1, ?2, ?3)", values![source, copy.id, id])?;
    Ok(JobId(id))
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

/// Removes the claims of the record that a job left here when it went: the job comes back with its own.
fn free_record(db: &Tx<'_>, copy: &JobCopy) -> tx::Result<()> {
    let mine = claims::name_of_journal(db)?;
    for (_, job) in copy.origins.iter().filter(|(name, _)| *name == mine) {
        db.execute(
            "DELETE FROM claim WHERE job = ?1 AND (SELECT phase FROM job WHERE id = ?1) = 'moved'",
            values![job],
        )?;
    }
    Ok(())
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
    let column = |name: &str| {
        let at = JOB.iter().position(|(column, _)| *column == name).unwrap_or_default();
        copy.job.get(at).map(Cell::as_text).unwrap_or_default()
    };
    let of_job = accounts::of(db, column("base_url"), column("account"))?;
    let joined = accounts::join(db, account)?;
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
    let at = JOB.iter().position(|(column, _)| *column == "template").unwrap_or_default();
    let template = copy.job.get(at).map(Cell::as_text).unwrap_or_default();
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
    /// Another process owns one of the jobs, or a journal cannot be used. Jobs that are not yet in the other journal
    /// can send in neither; the same call goes on.
    pub async fn move_to(&self, to: &Self, account: &Account, who: &str) -> Result<MovedJobs, JobError> {
        let (here, there) = (self.store(), to.store());
        let owners = here.other_owners(account.clone(), here.me().to_owned()).await?;
        if !self.living(owners).await?.is_empty() {
            return Err(JobError::no(localizable!(
                "Another running lapel has jobs of this profile. Nothing was moved. Close every lapel first."
            )));
        }
        let actor = Actor::now(who);
        let begin = BeginMove {
            account: account.clone(),
            id: format!("{:032x}", fastrand::u128(..)),
            to: to.name_for_moves(),
            computer: super::place::computer(),
            actor: actor.clone(),
        };
        let (id, all) = here.begin_move(begin).await?;
        let source = here.source().await?;
        for job in &all {
            let copy = here.copy(*job).await?;
            let take =
                TakeCopy { source: source.clone(), copy, account: account.clone(), actor: actor.clone() };
            there.take_copy(take).await?;
        }
        here.end_move(id).await?;
        // What an earlier move took from there has come back.
        there.end_return(self.name_for_moves()).await?;
        Ok(MovedJobs { jobs: all.len() as u64, to: to.place().to_owned() })
    }

    fn name_for_moves(&self) -> String {
        if self.is_of_team() { format!("team {}", self.place()) } else { format!("file {}", self.place()) }
    }

    /// Checks that an account has its jobs in this journal only. `beside` is the journal's file on this computer, or
    /// its place if there are two.
    ///
    /// # Errors
    /// [`JournalError::TwoPlaces`] with what to do.
    pub(in crate::jobs) async fn assure_only(
        &self,
        beside: Option<&Self>,
        account: &Account,
    ) -> Result<(), JournalError> {
        if let Some(file) = beside {
            let jobs = file.store().count_here(account.clone()).await?;
            if jobs > 0 {
                return Err(JournalError::TwoPlaces {
                    why: localizable_plural!(
                        jobs,
                        "{n} job of this profile is in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move it once: lapel journal move",
                        "{n} jobs of this profile are in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move them once: lapel journal move",
                        file = file.place(),
                        server = self.place()
                    ),
                });
            }
        } else if let Some(server) = self.store().moved_to(account.clone()).await? {
            let why: Localizable = localizable!(
                "The jobs of this profile are in the team's journal ({server}). lapel sends nothing from here: somebody could get a badge twice. Set journal.url of the profile again, or move them back first: lapel journal move --back",
                server
            );
            return Err(JournalError::TwoPlaces { why });
        }
        Ok(())
    }
}

/// The jobs that were moved to this place are back.
pub(super) fn end_return(db: &Tx<'_>, from: &str) -> tx::Result<()> {
    db.execute("UPDATE handover SET state = 'returned' WHERE file = ?1 AND state = 'taken'", values![from])?;
    Ok(())
}
