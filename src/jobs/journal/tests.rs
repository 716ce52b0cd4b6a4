//! Tests for opening a journal: emptied, damaged, or shared by two computers. A test cannot mount a network drive,
//! so the tests choose the file system and the computer.

mod damage;
mod foreign_owner;
pub(super) mod statements;

use super::place::Site;
use super::tx::{Tx, values};
use super::*;
use crate::fs::FileSystem;
use crate::jobs::row_status::RowStatus;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn on(system: FileSystem, computer: &str) -> Site {
    Site { system, computer: format!("{computer}\nid-of-{computer}") }
}

fn open(folder: &TempDir, site: &Site) -> Result<Journal> {
    Journal::open_at(folder.path(), site, None)
}

/// A journal with one job, closed cleanly.
async fn with_a_job(folder: &TempDir) -> PathBuf {
    let journal = Journal::open(folder.path()).expect("a journal");
    add_job(&journal).await;
    let file = Journal::file_in(folder.path());
    closed(journal, folder);
    file
}

async fn add_job(journal: &Journal) {
    let add = |db: &Tx<'_>, (): &()| {
        db.execute(
            "INSERT INTO job (kind, phase, created, profile, base_url, account, title)
             VALUES ('issue', 'stopped', 0, 'p', 'u', 'a', 't')",
            values![],
        )
    };
    journal.store().write("test", (), add).await.expect("a job");
}

async fn jobs_in(journal: &Journal) -> i64 {
    let count = |db: &Tx<'_>, (): &()| db.row("SELECT count(*) FROM job", values![], |r| r.get(0));
    journal.store().read((), count).await.expect("counted")
}

/// Closes the journal, and waits until its thread has released the files.
pub(super) fn closed(journal: Journal, folder: &TempDir) {
    drop(journal);
    let files = Files::in_folder(folder.path());
    let end = std::time::Instant::now() + Duration::from_secs(20);
    // The computer's mark is removed last.
    while files.has_owners() || folder.path().join("journal.computer").exists() {
        assert!(std::time::Instant::now() < end, "it is never released");
        std::thread::yield_now();
    }
    drop(files.alone(PATIENCE).expect("released"));
}

#[tokio::test]
async fn an_emptied_journal_is_refused_until_it_is_removed() {
    for left in [0, 1, 50] {
        let folder = folder();
        let file = with_a_job(&folder).await;
        std::fs::OpenOptions::new().write(true).open(&file).expect("open").set_len(left).expect("cut");
        for _ in 0..2 {
            let why = Journal::open(folder.path()).map(drop).expect_err("it held a job");
            assert!(matches!(why, JournalError::Emptied { .. }), "{left}: {why:?}");
            assert!(why.to_string().contains("journal.sqlite"), "{why}");
            assert_eq!(std::fs::metadata(&file).expect("there").len(), left, "it was changed");
        }
        std::fs::remove_file(&file).expect("removed");
        let journal = Journal::open(folder.path()).expect("a new one");
        assert_eq!(jobs_in(&journal).await, 0);
    }
}

#[tokio::test]
async fn an_interrupted_first_start_is_not_an_emptied_journal() {
    let folder = folder();
    // As after kill -9 between creating the file and writing its first page.
    std::fs::write(Journal::file_in(folder.path()), "").expect("written");
    let journal = Journal::open(folder.path()).expect("a journal");
    assert_eq!(jobs_in(&journal).await, 0);
}

#[tokio::test]
async fn a_journal_moved_away_while_open_is_not_replaced() {
    let folder = folder();
    let journal = Journal::open(folder.path()).expect("a journal");
    add_job(&journal).await;
    let file = Journal::file_in(folder.path());
    let aside = folder.path().join("aside.sqlite");
    std::fs::rename(&file, &aside).expect("moved");
    let why = Journal::open(folder.path()).map(drop).expect_err("somebody has it");
    assert!(matches!(why, JournalError::Emptied { .. }), "{why:?}");
    assert!(!file.exists(), "a second journal was begun");
    std::fs::rename(&aside, &file).expect("moved back");
    assert_eq!(jobs_in(&Journal::open(folder.path()).expect("the same")).await, 1);
}

#[tokio::test]
async fn the_log_of_an_emptied_journal_is_kept() {
    let folder = folder();
    let file = with_a_job(&folder).await;
    std::fs::remove_dir_all(folder.path().join("owners")).expect("removed");
    let beside = Files::in_folder(folder.path()).beside("-wal");
    std::fs::write(&beside, "what was committed last").expect("written");
    for gone in [false, true] {
        if gone {
            std::fs::remove_file(&file).expect("removed");
        } else {
            std::fs::write(&file, "").expect("emptied");
        }
        let why = Journal::open(folder.path()).map(drop).expect_err("it held a job");
        assert!(matches!(why, JournalError::Emptied { .. }), "{why:?}");
        assert!(beside.exists(), "SQLite has removed the log");
    }
}

#[tokio::test]
async fn tables_without_a_version_are_damage() {
    for version in [0, -1] {
        let folder = folder();
        let file = with_a_job(&folder).await;
        let other = Connection::open(&file).expect("a database");
        other.execute_batch(&format!("PRAGMA user_version = {version}")).expect("set");
        drop(other);
        let before = std::fs::read(&file).expect("bytes");
        let why = Journal::open(folder.path()).map(drop).expect_err("no version");
        assert!(matches!(why, JournalError::Corrupt { .. }), "{why:?}");
        for word in ["CREATE", "TABLE", "INTEGER", "\n"] {
            assert!(!why.to_string().contains(word), "{why}");
        }
        assert!(std::fs::read(&file).expect("bytes") == before, "it was changed");
    }
}

#[tokio::test]
async fn damage_is_found_before_sending() {
    let folder = folder();
    let file = with_a_job(&folder).await;
    let journal = Journal::open(folder.path()).expect("a journal");
    journal.assure_whole().await.expect("whole");
    closed(journal, &folder);
    let mut all = std::fs::read(&file).expect("bytes");
    let last = all.len() - 4096;
    all[last..last + 512].fill(0xa5);
    std::fs::write(&file, &all).expect("spoiled");
    let journal = Journal::open(folder.path()).expect("its first pages are whole");
    for _ in 0..2 {
        let why = journal.assure_whole().await.expect_err("damaged");
        assert!(matches!(why, JournalError::Corrupt { .. }), "{why:?}");
    }
    Journal::in_memory().expect("a journal").assure_whole().await.expect("nothing can damage it");
}

#[tokio::test]
async fn on_a_network_drive_one_computer_owns_the_journal() {
    let folder = folder();
    let (one, two) = (on(FileSystem::Network, "lab-1"), on(FileSystem::Network, "lab-2"));
    let first = open(&folder, &one).expect("the first");
    let second = open(&folder, &one).expect("another process of the same computer");
    add_job(&first).await;
    assert_eq!(jobs_in(&second).await, 1, "both see it");
    let mode = |db: &Tx<'_>, (): &()| db.row("PRAGMA journal_mode", values![], |r| r.get::<String>(0));
    assert_eq!(
        first.store().read((), mode).await.expect("asked"),
        "truncate",
        "no log that computers cannot share"
    );
    first.assure_whole().await.expect("whole");
    let before = std::fs::read(Journal::file_in(folder.path())).expect("bytes");
    for _ in 0..2 {
        let why = open(&folder, &two).map(drop).expect_err("another computer");
        assert!(
            matches!(&why, JournalError::Elsewhere { computer, .. } if computer.to_string() == "lab-1"),
            "{why:?}"
        );
        assert!(why.to_string().contains("journal.computer"), "{why}");
    }
    assert!(std::fs::read(Journal::file_in(folder.path())).expect("bytes") == before);
    drop(first);
    let why = open(&folder, &two).map(drop).expect_err("the second process still has it");
    assert!(matches!(why, JournalError::Elsewhere { .. }), "{why:?}");
    closed(second, &folder);
    let moved = open(&folder, &two).expect("free again");
    assert_eq!(jobs_in(&moved).await, 1);
    let back = open(&folder, &one).map(drop).expect_err("now it is there");
    assert!(
        matches!(&back, JournalError::Elsewhere { computer, .. } if computer.to_string() == "lab-2"),
        "{back:?}"
    );
}

#[tokio::test]
async fn after_a_crash_only_the_same_computer_may_continue() {
    let folder = folder();
    let (one, two) = (on(FileSystem::Network, "lab-1"), on(FileSystem::Network, "lab-2"));
    closed(open(&folder, &one).expect("the first"), &folder);
    // As after kill -9: the mark exists, but no lock.
    std::fs::write(folder.path().join("journal.computer"), &one.computer).expect("the mark");
    closed(open(&folder, &one).expect("the same computer"), &folder);
    std::fs::write(folder.path().join("journal.computer"), &one.computer).expect("the mark");
    open(&folder, &two).map(drop).expect_err("lapel may still run on lab-1");
    std::fs::remove_file(folder.path().join("journal.computer")).expect("a person has looked");
    open(&folder, &two).expect("free");
}

#[tokio::test]
async fn a_journal_moves_between_disk_and_network_drive() {
    let folder = folder();
    with_a_job(&folder).await;
    let mode = |db: &Tx<'_>, (): &()| db.row("PRAGMA journal_mode", values![], |r| r.get::<String>(0));
    for (system, is) in [(FileSystem::Network, "truncate"), (FileSystem::Local, "wal")] {
        let journal = open(&folder, &on(system, "lab-1")).expect("opened");
        assert_eq!(journal.store().read((), mode).await.expect("asked"), is);
        assert_eq!(jobs_in(&journal).await, 1);
        closed(journal, &folder);
        assert!(!folder.path().join("journal.computer").exists(), "released");
    }
    // While the write-ahead log is in use, the journal cannot be opened as on a network drive.
    let local = open(&folder, &on(FileSystem::Local, "lab-1")).expect("opened");
    let why = open(&folder, &on(FileSystem::Network, "lab-1")).map(drop).expect_err("in use");
    assert!(matches!(why, JournalError::Busy { .. }), "{why:?}");
    assert_eq!(jobs_in(&local).await, 1);
}

#[tokio::test]
async fn a_read_sees_one_snapshot() {
    let folder = folder();
    let journal = Journal::open(folder.path()).expect("a journal");
    let path = Journal::file_in(folder.path());
    // Another process writes between the statements of the read.
    let read = |db: &Tx<'_>, path: &PathBuf| {
        let count = |db: &Tx<'_>| db.row("SELECT count(*) FROM job", values![], |r| r.get::<i64>(0));
        let before = count(db)?;
        let other = Connection::open(path)?;
        let other = Tx::on(&other);
        other.execute(
            "INSERT INTO job (kind, phase, created, profile, base_url, account, title)
             VALUES ('issue', 'stopped', 0, 'p', 'u', 'a', 't')",
            values![],
        )?;
        Ok((before, count(&other)?, count(db)?))
    };
    assert_eq!(journal.store().read(path, read).await.expect("read"), (0, 1, 0));
    assert_eq!(jobs_in(&journal).await, 1, "the next read sees it");
}

#[tokio::test]
async fn a_read_cannot_write() {
    let journal = Journal::in_memory().expect("a journal");
    let write = |db: &Tx<'_>, (): &()| db.execute("INSERT INTO account DEFAULT VALUES", values![]);
    journal.store().read((), write).await.expect_err("it writes");
    let count = |db: &Tx<'_>, (): &()| db.row("SELECT count(*) FROM account", values![], |r| r.get::<i64>(0));
    assert_eq!(journal.store().read((), count).await.expect("counted"), 0, "nothing was written");
    add_job(&journal).await;
    assert_eq!(jobs_in(&journal).await, 1, "the next write works");
}

/// A page begins anywhere, within one status or at the next one.
#[tokio::test]
async fn pages_of_rows_by_status_follow_each_other() {
    const STATUSES: [RowStatus; 4] =
        [RowStatus::Refused, RowStatus::Invalid, RowStatus::Waiting, RowStatus::Issued];
    let folder = folder();
    let journal = Journal::open(folder.path()).expect("a journal");
    add_job(&journal).await;
    let add = |db: &Tx<'_>, (): &()| {
        db.execute(
            "WITH RECURSIVE n(no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM n WHERE no < 400)
             INSERT INTO row (job, no, name, email, email_key, bucket)
             SELECT 1, no, 'name', 'email', 'key',
                    CASE WHEN no % 133 = 0 THEN 'invalid' WHEN no % 3 = 0 THEN 'waiting' ELSE 'issued' END FROM n",
            values![],
        )?;
        let count =
            "INSERT INTO tally (job, bucket, n) SELECT job, bucket, count(*) FROM row GROUP BY job, bucket";
        db.execute(count, values![])
    };
    journal.store().write("test", (), add).await.expect("rows");
    let order = Some((rows::RowField::Filter, false));
    let mut found = Vec::new();
    loop {
        let skip = found.len() as u64;
        let filter = rows::RowFilter { row_statuses: STATUSES.to_vec(), skip, order, ..Default::default() };
        let page = journal.store().rows_page(crate::jobs::JobId(1), filter, 7, 0).await.expect("a page");
        found.extend(page.iter().map(|row| (STATUSES.iter().position(|it| *it == row.row_status), row.no)));
        if page.len() < 7 {
            break;
        }
    }
    assert_eq!(found.len(), 400, "each row once");
    assert!(found.is_sorted(), "{found:?}");
    assert_eq!(found[..3], [(Some(1), 133), (Some(1), 266), (Some(1), 399)]);
    // Also where the rows to skip are not counted, since only few have another status.
    for statuses in [&STATUSES[..], &STATUSES[1..], &STATUSES[2..], &STATUSES[..1], &[]] {
        let rows = |skip, most| {
            let filter = rows::RowFilter { row_statuses: statuses.to_vec(), skip, ..Default::default() };
            journal.store().rows_page(crate::jobs::JobId(1), filter, most, 0)
        };
        let places = |rows: Vec<crate::jobs::JobRow>| rows.iter().map(|row| row.no).collect::<Vec<_>>();
        let all = places(rows(0, 400).await.expect("rows"));
        for skip in [1, 130, 131, 132, 133, 200, 265, 390, 400] {
            let page = places(rows(skip as u64, 5).await.expect("rows"));
            let expected: Vec<u64> = all.iter().copied().skip(skip).take(5).collect();
            assert_eq!(page, expected, "{statuses:?} {skip}");
        }
    }
    // A row is found where the pages have it.
    let part = |row_status| rows::RowPart { row_status, key: None };
    let parts = vec![part(RowStatus::Waiting), part(RowStatus::Invalid)];
    let with_key = rows::RowPart { row_status: RowStatus::Invalid, key: Some("none".to_owned()) };
    let keyed = vec![with_key, part(RowStatus::Waiting)];
    for filter in [
        rows::RowFilter { row_statuses: STATUSES.to_vec(), order, ..Default::default() },
        rows::RowFilter { row_statuses: STATUSES[2..].to_vec(), ..Default::default() },
        rows::RowFilter { parts, ..Default::default() },
        rows::RowFilter { parts: keyed, ..Default::default() },
        rows::RowFilter::default(),
    ] {
        let job = crate::jobs::JobId(1);
        let all = journal.store().rows_page(job, filter.clone(), 400, 0).await.expect("rows");
        for no in [1, 3, 133, 399, 400] {
            let place = all.iter().position(|row| row.no == no).map(|place| place as u64);
            let found = journal.store().before_in_list(job, filter.clone(), no).await.expect("a place");
            assert_eq!(found, place, "{no} in {filter:?}");
        }
    }
    // A text is found without its accents, a row by its number. Row 3 waits, row 400 is issued.
    let name = |db: &Tx<'_>, (): &()| {
        db.execute("UPDATE row SET name = 'Zoë Ångström Иван' WHERE no IN (3, 400)", values![])
    };
    journal.store().write("test", (), name).await.expect("names");
    let texts = [
        ("zoe ANGSTROM", vec![3, 400]),
        ("Zoë Å", vec![3, 400]),
        ("Иван", vec![3, 400]),
        ("ИВАН", vec![3, 400]),
        ("#400", vec![400]),
        ("400", Vec::new()),
    ];
    for (text, places) in texts {
        for statuses in [&[][..], &STATUSES] {
            let (text, row_statuses) = (Some(text.to_owned()), statuses.to_vec());
            let filter = rows::RowFilter { row_statuses, text, order, ..Default::default() };
            let filter = if statuses.is_empty() { rows::RowFilter { order: None, ..filter } } else { filter };
            let (job, store) = (crate::jobs::JobId(1), journal.store());
            let page = store.rows_page(job, filter.clone(), 7, 0).await.expect("a page");
            assert_eq!(page.iter().map(|row| row.no).collect::<Vec<_>>(), places, "{filter:?}");
            assert_eq!(store.rows_count(job, filter.clone()).await.expect("a count"), places.len() as u64);
            let before = store.before_in_list(job, filter, 400).await.expect("a place");
            assert_eq!(before, places.iter().position(|no| *no == 400).map(|place| place as u64));
        }
    }
}

/// SQLite refuses to change the journal mode of a file that another process is just creating. Here the lock on the
/// owners keeps them apart.
#[test]
fn processes_that_begin_at_once_all_open_a_new_journal() {
    for _ in 0..5 {
        let folder = folder();
        let begin = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    begin.wait();
                    Journal::open(folder.path()).map(drop).expect("it opens");
                });
            }
        });
    }
}
