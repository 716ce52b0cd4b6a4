//! SQLite files that several processes open at once.

use rusqlite::{Connection, ErrorCode};
use std::time::{Duration, Instant};

/// The number that a pragma tells.
pub fn pragma(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    db.query_row(&format!("PRAGMA {name}"), [], |r| r.get(0))
}

/// Sets the journal mode and returns the mode in force, which differs where the file system cannot do it.
///
/// SQLite asks no busy handler while it changes this mode. So where several processes open a new file, it refuses
/// all but one at once. This tries again for as long as `patience`.
pub fn set_journal_mode(db: &Connection, mode: &str, patience: Duration) -> rusqlite::Result<String> {
    let pragma = format!("PRAGMA journal_mode = {mode}");
    let until = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    loop {
        match db.query_row(&pragma, [], |row| row.get(0)) {
            Err(why) if is_busy(&why) && Instant::now() < until => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            done => return done,
        }
    }
}

fn is_busy(why: &rusqlite::Error) -> bool {
    matches!(
        why.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed)
    )
}
