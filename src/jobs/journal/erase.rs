//! Removes personal data from the journal's files for good: SQLite overwrites it, rewrites the file after whole
//! jobs were removed, and empties the write-ahead log.

use super::PATIENCE;
use crate::fs::pragma;
use crate::jobs::journal::prelude::*;
use rusqlite::OptionalExtension;

/// The write after which its removed data must no longer be in the files.
pub(super) const PURGE: &str = "purge";
/// The writes that remove personal data.
pub(super) const REMOVING: [&str; 6] = [PURGE, "discard", "correct", "undo review", "begin", "take over"];
/// Pause before emptying the log again, while another process reads it.
pub(super) const AGAIN: Duration = Duration::from_secs(2);
/// Maximum size of a journal that is rewritten in memory, in bytes. A larger one uses an unnamed file of SQLite.
const IN_MEMORY: i64 = 64 << 20;

/// Makes SQLite overwrite removed data, and keep temporary tables in memory.
pub(super) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    // The pragma returns the value in force.
    db.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
    db.execute_batch("PRAGMA temp_store = MEMORY")
}

/// Empties the write-ahead log. Returns whether that worked; it fails while another process reads.
pub(super) fn empty_log(db: &Connection) -> bool {
    // Do not wait here; the caller tries again.
    let emptied = db
        .busy_timeout(Duration::ZERO)
        .and_then(|()| db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |r| r.get::<_, i64>(0)));
    let _ = db.busy_timeout(PATIENCE);
    emptied == Ok(0)
}

/// Notes that the whole file must be rewritten once. Data that was removed earlier remains in free pages, and in
/// unused parts of index pages, where SQLite leaves copies when it moves entries. The files of a team's database are
/// its administrator's.
pub(super) fn want_rewrite(db: &Tx<'_>) -> tx::Result<()> {
    if db.is_team() {
        return Ok(());
    }
    db.script("INSERT INTO kept VALUES ('task', 'rewrite', '', 0) ON CONFLICT DO NOTHING")
}

/// A new journal does not need a rewrite.
pub(super) fn want_no_rewrite(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch("DELETE FROM kept WHERE what = 'task' AND key = 'rewrite'")
}

/// Rewrites the file if that was noted. A failure (another process, a full disk) does not stop lapel: the next
/// start tries again.
pub(super) fn rewrite(db: &Connection) {
    let wanted = || {
        db.query_row("SELECT 1 FROM kept WHERE what = 'task' AND key = 'rewrite'", [], |_| Ok(())).optional()
    };
    if !matches!(wanted(), Ok(Some(()))) {
        return;
    }
    let rewritten = (|| {
        if pragma(db, "page_count")?.saturating_mul(pragma(db, "page_size")?) > IN_MEMORY {
            db.execute_batch("PRAGMA temp_store = FILE")?;
        }
        db.execute_batch("VACUUM")
    })();
    let _ = db.execute_batch("PRAGMA temp_store = MEMORY");
    if rewritten.is_ok() {
        let _ = want_no_rewrite(db);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::journal::tx::values;
    use crate::jobs::journal::{Journal, schema};
    use std::path::PathBuf;

    /// Maximum wait in these tests, for slow machines.
    const BOUND: Duration = Duration::from_secs(30);
    const PERSON: &str = "한서윤-to-be-forgotten";

    /// The files of a folder that contain the name.
    fn holding(folder: &Path) -> Vec<PathBuf> {
        let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
        files
            .filter(|path| {
                let bytes = std::fs::read(path).unwrap_or_default();
                bytes.windows(PERSON.len()).any(|part| part == PERSON.as_bytes())
            })
            .collect()
    }

    fn until_forgotten(folder: &Path) {
        let end = Instant::now() + BOUND;
        while !holding(folder).is_empty() {
            assert!(Instant::now() < end, "still there: {:?}", holding(folder));
            // The loop ends by condition; this only saves CPU time.
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    fn insert_people(db: &Tx<'_>) -> tx::Result<()> {
        db.script(
            "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
             VALUES (1, 'issue', 'done', 0, 'p', 'u', 'a', 't')",
        )?;
        for no in 0..2_000_i64 {
            db.execute(
                "INSERT INTO row (job, no, cells, name, email, email_key, bucket)
                 VALUES (1, ?1, ?2, ?2, ?2, ?2, 'issued')",
                values![no, format!("{PERSON}{no}{}", "x".repeat(no as usize % 300))],
            )?;
        }
        Ok(())
    }

    #[test]
    fn an_older_journal_is_rewritten_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Journal::file_in(folder.path());
        let db = Connection::open(&path).expect("a database");
        db.execute_batch(include_str!("schema.sql")).expect("the first schema");
        insert_people(&Tx::on(&db)).expect("rows");
        db.execute_batch(&format!(
            "DELETE FROM job; DELETE FROM row; PRAGMA user_version = 1; PRAGMA application_id = {}",
            super::super::schema::APPLICATION
        ))
        .expect("an old journal");
        drop(db);
        assert_eq!(
            holding(folder.path()),
            std::slice::from_ref(&path),
            "what was deleted is still in the file"
        );
        let journal = Journal::open(folder.path()).expect("the journal");
        until_forgotten(folder.path());
        drop(journal);
        let db = Connection::open(&path).expect("a database");
        let wanted: i64 = db.query_row("SELECT count(*) FROM kept", [], |r| r.get(0)).expect("a number");
        assert_eq!(wanted, 0, "it is done");
    }

    #[tokio::test]
    async fn removed_data_leaves_the_files_after_the_last_reader() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::open(folder.path()).expect("the journal");
        journal.store().write("rows", (), |db, ()| insert_people(db)).await.expect("written");
        let mut other = Connection::open(Journal::file_in(folder.path())).expect("another program");
        let reading = other.transaction().expect("a transaction");
        let rows = |db: &Connection| -> i64 {
            db.query_row("SELECT count(*) FROM row", [], |r| r.get(0)).expect("a number")
        };
        assert_eq!(rows(&reading), 2_000);
        journal
            .store()
            .write("purge", (), |db, ()| {
                db.script("UPDATE row SET name = '', email = '', email_key = '', cells = NULL")?;
                want_rewrite(db)
            })
            .await
            .expect("purged");
        assert!(!holding(folder.path()).is_empty(), "somebody still reads it");
        assert_eq!(rows(&reading), 2_000);
        drop(reading);
        until_forgotten(folder.path());
        // The journal and the other program continue.
        journal.store().write("rows", (), |db, ()| db.script("DELETE FROM row")).await.expect("written");
        assert_eq!(rows(&other), 0);
    }

    #[test]
    fn a_copy_does_not_change_the_journal() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(
            schema::copy(&folder.path().join("none.sqlite"), "none").is_ok(),
            "there need not be a journal"
        );
        let journal = Journal::open(folder.path()).expect("the journal");
        journal.store().write("rows", (), |db, ()| insert_people(db)).wait().expect("written");
        let copied = Journal::copy_of(folder.path()).expect("a copy");
        let count = |db: &Tx<'_>, (): &()| db.row("SELECT count(*) FROM row", values![], |r| r.get::<i64>(0));
        assert_eq!(copied.store().read((), count).wait(), Ok(2_000));
        copied.store().write("rows", (), |db, ()| db.script("DELETE FROM row")).wait().expect("written");
        assert_eq!(journal.store().read((), count).wait(), Ok(2_000));
    }
}
