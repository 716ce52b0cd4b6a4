//! Opens the journal's database, brings it to the current schema, and checks it.

use super::place::{Site, beside};
use super::{PATIENCE, Result, claims, dialect, duplicates, erase, reasons, transfer};
use crate::fs::{pragma, set_journal_mode};
use crate::jobs::journal::prelude::*;
use rusqlite::TransactionBehavior;
use rusqlite::backup::{Backup, StepResult};

/// The schema of a journal in a file.
pub(super) const SCHEMA: i64 = MIGRATIONS.len() as i64;
/// SQLite application id of a journal ("lapl").
pub(super) const APPLICATION: i64 = 0x6c61_706c;
/// SQLite application id of a backup ("lapb"), so that it is not used as a journal.
pub(super) const BACKUP: i64 = 0x6c61_7062;

/// Number of prepared statements to keep: all that the journal has. rusqlite keeps 16, and preparing one costs more
/// than running it.
const STATEMENTS: usize = 256;
/// Pause between two attempts to copy while another process writes.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn connect(path: &Path, how: OpenFlags, file: &str) -> Result<Connection> {
    let opened = Connection::open_with_flags(path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.map_err(|why| JournalError::of(&why, file))
}

/// A journal's database beside a running lapel, for reading. Reading a log requires write access to the file of shared
/// memory beside it.
pub(super) fn connect_beside(
    journal: &Path,
    access: OpenFlags,
    patience: Duration,
) -> rusqlite::Result<Connection> {
    // SQLite removes its files beside the journal only for a connection that may write.
    let has_log = beside(journal, "-wal").exists();
    let db = Connection::open_with_flags(journal, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(patience)?;
    // The log of a crash is for the lapel that opens the journal next.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    db.execute_batch("PRAGMA query_only = ON")?;
    Ok(db)
}

/// Copies a journal into an unnamed temporary file of SQLite. Only this user can read it, and it ends with the
/// process, even after a kill. Without a journal the copy is empty.
pub(super) fn copy(path: &Path, file: &str) -> Result<Connection> {
    let failed = |why: rusqlite::Error| JournalError::of(&why, file);
    // SQLite deletes a database with an empty name as soon as it is open.
    let mut copy = Connection::open("").map_err(failed)?;
    match std::fs::metadata(path) {
        Ok(about) if about.len() > 0 => {}
        _ => return Ok(copy),
    }
    let journal = connect_beside(path, OpenFlags::SQLITE_OPEN_READ_WRITE, PATIENCE).map_err(failed)?;
    let end = Instant::now() + PATIENCE;
    let backup = Backup::new(&journal, &mut copy).map_err(failed)?;
    loop {
        match backup.step(-1).map_err(failed)? {
            StepResult::Done => break,
            _ if Instant::now() >= end => {
                return Err(JournalError::Busy { file: file.to_owned() });
            }
            _ => std::thread::sleep(PAUSE),
        }
    }
    drop(backup);
    Ok(copy)
}

pub(super) fn prepare(connection: &mut Connection, site: &Site, file: &str) -> Result<()> {
    let failed = |why: rusqlite::Error| JournalError::of(&why, file);
    let no_journal = |why: Localizable| JournalError::Corrupt { file: file.to_owned(), why };
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // Check the application id first: switching to the write-ahead log changes the file.
    let number = |name: &str| pragma(connection, name).map_err(failed);
    // Read the tables before the marks: another process may be creating the journal now.
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(failed)?;
    let (found, application) = (number("user_version")?, number("application_id")?);
    let is_new = application == 0 && found == 0 && tables == 0;
    if application == BACKUP {
        return Err(JournalError::Backup { file: file.to_owned() });
    }
    if application != APPLICATION && !is_new {
        return Err(no_journal(localizable!("it is the database of another program")));
    }
    if found > SCHEMA {
        return Err(JournalError::Newer { file: file.to_owned(), found, known: SCHEMA });
    }
    if found < 1 && !is_new {
        return Err(no_journal(localizable!("it does not name the lapel version that wrote it")));
    }
    // Only processes of one computer can share a write-ahead log.
    let (wanted, is) = if site.is_shared() { ("TRUNCATE", "truncate") } else { ("WAL", "wal") };
    let mode = set_journal_mode(connection, wanted, PATIENCE).map_err(failed)?;
    if site.is_shared() && mode != is {
        return Err(JournalError::Busy { file: file.to_owned() });
    }
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")
        .map_err(failed)?;
    erase::prepare(connection).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without QPSG, SQLite prepares a statement again whenever certain bound values change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    // A current journal is not written, so it can be read on a full disk.
    if found < SCHEMA {
        migrate(connection).map_err(|why| JournalError::failed(&why, file))?;
    }
    erase::rewrite(connection);
    Ok(())
}

pub(super) fn migrate(connection: &mut Connection) -> tx::Result<()> {
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = pragma(&writing, "user_version")?;
    for (n, step) in MIGRATIONS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        step(&writing)?;
        writing.execute_batch(&format!("PRAGMA user_version = {}", n + 1))?;
    }
    if found == 0 {
        erase::want_no_rewrite(&writing)?;
    }
    writing.execute_batch(&format!("PRAGMA application_id = {APPLICATION}"))?;
    Ok(writing.commit()?)
}

/// Messages about damage; empty if the journal is intact.
pub(super) fn check(db: &Tx<'_>) -> tx::Result<Vec<String>> {
    // The server checks its files.
    let mut messages = if db.is_team() { Vec::new() } else { run_check(db, "integrity_check")? };
    messages.extend(check_counts(db)?);
    Ok(messages)
}

/// As [`check`], without the indexes' contents: faster.
pub(super) fn quick_check(db: &Tx<'_>) -> tx::Result<Vec<String>> {
    if db.is_team() {
        // The server checks its files.
        return Ok(Vec::new());
    }
    run_check(db, "quick_check")
}

pub(super) fn assure_whole(db: &Connection, file: &str) -> Result<()> {
    assure_none(&quick_check(&Tx::on(db)).map_err(|why| JournalError::failed(&why, file))?, file)
}

pub(super) fn assure_none(messages: &[String], file: &str) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    let why = Localizable::verbatim(crate::domain::text::scrub(&messages.join("; ")));
    Err(JournalError::Corrupt { file: file.to_owned(), why })
}

/// The jobs whose counts differ from their rows, and the sent rows without a claim.
fn check_counts(db: &Tx<'_>) -> tx::Result<Vec<String>> {
    db.all(
        "SELECT 'job ' || job || ': ' || sum(counted) || ' rows are counted as ' || bucket
         FROM (SELECT job, bucket, n AS counted, n AS difference FROM tally
               UNION ALL SELECT job, bucket, 0, -count(*) FROM row GROUP BY job, bucket) AS compared
         GROUP BY job, bucket HAVING sum(difference) <> 0
         UNION ALL
         SELECT 'job ' || row.job || ': row ' || row.no || ' has no claim' FROM row JOIN job ON job.id = row.job
         WHERE job.kind = 'issue' AND job.phase <> 'moved'
           AND row.bucket IN ('sending', 'in_doubt', 'unbound', 'waiting')
           AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)
         LIMIT 20",
        values![],
    )
}

/// Runs one of SQLite's two checks and returns its messages.
fn run_check(db: &Tx<'_>, how: &str) -> tx::Result<Vec<String>> {
    let messages: Vec<String> = db.all(&format!("PRAGMA {how}(20)"), values![])?;
    Ok(messages.into_iter().filter(|line| line != "ok").collect())
}

/// The step to each schema.
pub(super) const MIGRATIONS: &[fn(&Connection) -> tx::Result<()>] = &[
    |db| Tx::on(db).script(include_str!("schema.sql")),
    |db| claims::migrate(&Tx::on(db)),
    |db| Ok(reasons::migrate(db)?),
    |db| erase::want_rewrite(&Tx::on(db)),
    |db| Tx::on(db).script(include_str!("handovers.sql")),
    |db| Tx::on(db).script(include_str!("review.sql")),
    // A kept draft outlives its process. Drafts without this mark may be incomplete.
    |db| Tx::on(db).script("ALTER TABLE job ADD COLUMN kept INTEGER NOT NULL DEFAULT 0"),
    |db| Tx::on(db).script(include_str!("changed.sql")),
    |db| Tx::on(db).script(concat!(include_str!("begun_by.sql"), include_str!("imported.sql"))),
    |db| Tx::on(db).script(include_str!("repeats.sql")),
    // Schema 11 changes only the journal of a team, and schema 12 only one in a file.
    |_| Ok(()),
    |db| {
        claims::sort_by_row(&Tx::on(db))?;
        Tx::on(db).script(duplicates::SCHEMA)
    },
    // Nearly every request wrote the whole of this index of addresses. The claims have one of recipients.
    |db| Tx::on(db).script("DROP INDEX row_key;"),
    |db| transfer::migrate(&Tx::on(db)),
    |db| Tx::on(db).script(&dialect::sqlite(include_str!("refusals.sql"))),
];
