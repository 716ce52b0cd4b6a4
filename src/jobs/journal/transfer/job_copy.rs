//! A copy of a job for another journal: taken from one, and given to the other, where it may be known already.

use super::super::accounts;
use super::super::claims::{self, NamedSalt, RecipientHasher};
use super::super::tx::Bind;
use super::super::{backup, jobs};
use super::{MOVES, name};
use crate::jobs::journal::prelude::*;

/// The name of each column, and how it is read.
type SqlColumns = &'static [(&'static str, fn(&SqlRow<'_>, &'static str) -> tx::Result<Cell>)];

macro_rules! columns {
    ($($of:ident: $($name:ident)+;)+) => {
        &[$($((stringify!($name), |row, column| Ok(Cell::$of(row.get(column)?)))),+),+]
    };
}

const JOB: SqlColumns = columns! {
    Text: kind profile base_url account template title origin stop stop_why note look_note begun_by;
    Int: created guarded_at batch;
    Bool: after purged not_provable;
};
const REQUEST: SqlColumns = columns! {
    Int: rows intent answered status accepted;
    Text: sha256 outcome why;
    Bool: heard;
};
/// The place is the first.
const ROW: SqlColumns = columns! {
    Int: no line of_no accepted absent tries seen;
    Text: cells name email email_key title badge bucket why class class_why repeats allowed status mail issued_at
        valid_until revoke_at;
    Bool: guarded;
};
const BASELINE: SqlColumns = columns! { Text: email_key badge; Bool: over; };
const DECISION: SqlColumns = columns! { Int: at no; Text: what who why; };

/// A value of a column.
#[derive(Clone, Debug)]
enum Cell {
    Bool(Option<bool>),
    Int(Option<i64>),
    Text(Option<String>),
}

impl Cell {
    fn value(&self) -> &dyn Bind {
        match self {
            Self::Bool(is) => is,
            Self::Int(n) => n,
            Self::Text(text) => text,
        }
    }
}

type Cells = Vec<Cell>;

fn cell<'a>(cells: &'a Cells, columns: SqlColumns, name: &str) -> Option<&'a Cell> {
    cells.get(columns.iter().position(|(column, _)| *column == name)?)
}

fn text<'a>(cells: &'a Cells, columns: SqlColumns, name: &str) -> &'a str {
    match cell(cells, columns, name) {
        Some(Cell::Text(Some(text))) => text,
        _ => "",
    }
}

/// A job with everything that the journal has of it.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct JobCopy {
    id: i64,
    phase: String,
    /// The journals that it came from, and its numbers there.
    came_from: Vec<(String, i64)>,
    departure: Departure,
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

/// How a job left the source.
#[derive(Clone, Debug)]
enum Departure {
    Now,
    /// In a move whose jobs had all arrived in the target, so it may have sent more rows than this copy knows.
    Before,
    /// With this backup. In the source it is only a record.
    WithBackup(Cells),
}

impl JobCopy {
    fn is_record(&self) -> bool {
        matches!(self.departure, Departure::WithBackup(_))
    }

    fn text(&self, name: &str) -> &str {
        text(&self.job, JOB, name)
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
    fn no(&self) -> Option<i64> {
        match self.cells.first() {
            Some(Cell::Int(no)) => *no,
            _ => None,
        }
    }

    fn email_key(&self) -> &str {
        text(&self.cells, ROW, "email_key")
    }
}

/// The place, slot, state and decision of a claim, and whether its row was sent again.
type ClaimCopy = (i64, i64, String, Option<i64>, bool);

fn listed(columns: SqlColumns) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn cells(row: &SqlRow<'_>, columns: SqlColumns) -> tx::Result<Cells> {
    columns.iter().map(|(name, read)| read(row, name)).collect()
}

/// What another journal must know of this one.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SourceJournal {
    pub(super) name: String,
    salts: Vec<NamedSalt>,
}

pub(in crate::jobs::journal) fn source(db: &Tx<'_>) -> tx::Result<SourceJournal> {
    Ok(SourceJournal { name: name(db)?, salts: claims::salts(db)? })
}

/// What the table `handover` has of a backup.
const HANDOVER: SqlColumns = columns! { Text: id computer file state; Int: at; Bool: moves; };

fn departure(db: &Tx<'_>, id: &JobId) -> tx::Result<Departure> {
    let sql = format!(
        "SELECT {}, {MOVES} AS is_move FROM handover
         WHERE id = (SELECT handover FROM job WHERE job.id = ?1 AND phase = 'moved')",
        listed(HANDOVER)
    );
    let found = db.optional(&sql, values![id.0], |r| {
        Ok((cells(r, HANDOVER)?, r.get::<bool>("is_move")?, r.get::<String>("state")? == "taken"))
    })?;
    Ok(match found {
        Some((backup, false, _)) => Departure::WithBackup(backup),
        Some((_, true, true)) => Departure::Before,
        _ => Departure::Now,
    })
}

pub(in crate::jobs::journal) fn copy(db: &Tx<'_>, id: &JobId) -> tx::Result<JobCopy> {
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
        departure: departure(db, id)?,
        came_from: db.all("SELECT source, old FROM imported WHERE job = ?1", values![id.0])?,
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
        claims: db.all(
            "SELECT no, slot, state, decision, again FROM claim WHERE job = ?1 ORDER BY no",
            values![id.0],
        )?,
    })
}

/// Takes a job from another journal, unless it is here. Returns whether it was not.
pub(in crate::jobs::journal) fn take(
    db: &Tx<'_>,
    SourceJournal { name: source, salts }: &SourceJournal,
    copy: &JobCopy,
    account: &Account,
    actor: &Actor,
) -> tx::Result<bool> {
    let twins = twins(db, copy)?;
    if let Some(known) = twins.iter().find(|twin| twin.has_all && (!twin.is_record || copy.is_record())) {
        note_import(db, source, copy, known.job)?;
        return Ok(false);
    }
    // The job comes back with the claims of the record that it left here, and maybe more.
    for record in twins.iter().filter(|twin| twin.is_record && twin.has_no_more && !copy.is_record()) {
        db.execute("DELETE FROM claim WHERE job = ?1", values![record.job])?;
    }
    let id = insert_job(db, source, copy)?;
    let mut requests = HashMap::new();
    for (old, cells) in &copy.requests {
        requests.insert(*old, insert(db, "request", "job", REQUEST, &with(cells, &[&id]))?);
    }
    let mut decisions = HashMap::new();
    for (old, cells) in &copy.decisions {
        decisions.insert(*old, insert(db, "decision", "job", DECISION, &with(cells, &[&id]))?);
    }
    if let Some(unproven) = copy.unproven.and_then(|old| requests.get(&old)) {
        db.execute("UPDATE job SET unproven = ?2 WHERE id = ?1", values![id, *unproven])?;
    }
    let people = insert_rows(db, source, copy, id, &requests)?;
    db.append("baseline", &format!("job, {}", listed(BASELINE)), copy.baseline.len(), |add| {
        for cells in &copy.baseline {
            add(&with(cells, &[&id]))?;
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
    let origin = format!("job {} of journal {source}", copy.id);
    jobs::record_decision(db, JobId(id), None, "import", actor, &origin)?;
    note_import(db, source, copy, id)?;
    match &copy.departure {
        Departure::Now => {}
        Departure::Before => backup::doubt(db, JobId(id), actor.at)?,
        Departure::WithBackup(backup) => set_aside(db, id, backup)?,
    }
    Ok(true)
}

/// Keeps the number here of a job of another journal; also for the records here of a job that came back.
fn note_import(db: &Tx<'_>, source: &str, copy: &JobCopy, job: i64) -> tx::Result<()> {
    let mine = name(db)?;
    let records = copy.came_from.iter().filter(|(from, old)| *from == mine && *old != job);
    let records: Vec<i64> = records.map(|(_, old)| *old).collect();
    for record in &records {
        // It may have come back before, as a job that is a record now.
        db.execute("UPDATE imported SET job = ?2 WHERE source = '' AND job = ?1", values![record, job])?;
    }
    for (source, old) in records.iter().map(|old| ("", old)).chain([(source, &copy.id)]) {
        db.execute(
            "INSERT INTO imported (source, old, job) VALUES (?1, ?2, ?3)
             ON CONFLICT (source, old) DO UPDATE SET job = excluded.job",
            values![source, old, job],
        )?;
    }
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
    jobs::set_aside(db, "id = ?2", values![text(backup, HANDOVER, "id"), job])
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
    let planned: Vec<(i64, bool)> = db.all(
        "SELECT id, phase = 'moved' FROM job
         WHERE created = ?1 AND kind = ?2 AND base_url = ?3 AND title = ?4 AND template IS NOT DISTINCT FROM ?5
           AND phase <> 'draft' ORDER BY id",
        &["created", "kind", "base_url", "title", "template"]
            .map(|name| cell(&copy.job, JOB, name).map_or(&None::<i64> as &dyn Bind, Cell::value)))?;
    let theirs: HashMap<i64, &str> =
        copy.rows.iter().filter_map(|row| Some((row.no()?, row.email_key()))).collect();
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
            Ok(if is_same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
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

/// The time and the contents of each request, without placeholders for lost ones.
fn requests_of(requests: &[(i64, Cells)]) -> HashSet<(i64, &str)> {
    requests
        .iter()
        .filter_map(|(_, cells)| match (cell(cells, REQUEST, "intent"), text(cells, REQUEST, "sha256")) {
            (Some(Cell::Int(Some(at))), sum) if !sum.is_empty() => Some((*at, sum)),
            _ => None,
        })
        .collect()
}

/// Finds the recipients of purged rows in jobs that run. All others look for them when they begin or are resumed.
fn recognise_running(db: &Tx<'_>) -> tx::Result<()> {
    let running: Vec<JobId> = db.all(
        "SELECT id FROM job WHERE kind = 'issue' AND phase = 'running'
           AND EXISTS (SELECT 1 FROM tally WHERE tally.job = job.id AND n > 0 AND bucket = 'ready')",
        values![],
    )?;
    running.into_iter().try_for_each(|job| claims::recognise(db, job, "row.bucket = 'ready'"))
}

/// The number here of a job of another journal.
fn here(db: &Tx<'_>, source: &str, old: i64) -> tx::Result<Option<i64>> {
    db.first("SELECT job FROM imported WHERE source = ?1 AND old = ?2", values![source, old])
}

fn with<'a>(cells: &'a Cells, before: &[&'a dyn Bind]) -> Vec<&'a dyn Bind> {
    before.iter().copied().chain(cells.iter().map(Cell::value)).collect()
}

/// Inserts cells after the values of `first`, which are columns, too.
fn insert(
    db: &Tx<'_>,
    table: &str,
    first: &str,
    columns: SqlColumns,
    values: &[&dyn Bind],
) -> tx::Result<i64> {
    let places: Vec<String> = (1..=values.len()).map(|n| format!("?{n}")).collect();
    let (names, places) = (listed(columns), places.join(", "));
    db.one(&format!("INSERT INTO {table} ({first}, {names}) VALUES ({places}) RETURNING id"), values)
}

fn insert_job(db: &Tx<'_>, source: &str, copy: &JobCopy) -> tx::Result<i64> {
    let follows = copy.follows.map(|old| here(db, source, old)).transpose()?.flatten();
    // The process that takes it over stops it if rows are left to send.
    let id = insert(db, "job", "phase, follows", JOB, &with(&copy.job, &[&copy.phase, &follows]))?;
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
        of_jobs.insert(old, here(db, source, old)?);
    }
    let mut people = HashMap::new();
    db.append("row", &format!("job, request, of_job, person, {}", listed(ROW)), copy.rows.len(), |add| {
        for row in &copy.rows {
            // A removed address has only the hash of the other journal, which is found with its salt.
            let person = hashes.person(&EmailKey::of(row.email_key())).or_else(|| row.person.clone());
            if let (Some(no), Some(person)) = (row.no(), &person) {
                people.insert(no, person.clone());
            }
            let request = row.request.and_then(|old| requests.get(&old).copied());
            let of_job = row.of_job.and_then(|old| of_jobs.get(&old).copied().flatten());
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
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let mut shared = None;
    let columns = "account, template, person, slot, job, no, state, decision, again";
    let mut claims = Vec::new();
    for (no, slot, state, decision, again) in &copy.claims {
        let Some(person) = people.get(no) else { continue };
        let decision = decision.and_then(|old| decisions.get(&old).copied());
        let (slot, decision) = match taken.get(person) {
            None => (*slot, decision),
            // Nobody compared an unsent row with what was sent from here. It is judged when its job is resumed.
            Some(_) if state == "reserved" => continue,
            Some(last) => {
                let both = match shared {
                    Some(known) => known,
                    None => jobs::record_decision(db, JobId(job), None, "imported beside others", actor, "")?,
                };
                shared = Some(both);
                (last + 1, decision.or(Some(both)))
            }
        };
        taken.insert(person.clone(), slot);
        claims.push((no, person, slot, state, decision, again));
    }
    db.append("claim", columns, claims.len(), |add| {
        for (no, person, slot, state, decision, again) in claims {
            add(values![account, template, person, slot, job, no, state, decision, again])?;
        }
        Ok(())
    })
}
