//! Copies of filled databases in memory: a copy is far faster than making the same demo data again.

use std::sync::Mutex;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::StoreOptions;
use crate::sandbox::lock;

/// Maximum number of copies. The oldest one goes first.
const MOST_COPIES: usize = 4;

const ALL_PAGES: std::ffi::c_int = std::ffi::c_int::MAX;

static COPIES: Mutex<Vec<(StoreOptions<'static>, Connection)>> = Mutex::new(Vec::new());

pub(super) fn fill(db: &mut Connection, how: StoreOptions<'_>) -> rusqlite::Result<()> {
    let contents = StoreOptions { data: None, ..how };
    if how.history > super::DEMO_ROWS {
        return super::fill(db, how);
    }
    {
        let copies = lock(&COPIES);
        if let Some((_, copy)) = copies.iter().find(|(known, _)| *known == contents) {
            return copy_all(copy, db);
        }
    }
    super::fill(db, how)?;
    let mut copy = Connection::open_in_memory()?;
    copy_all(db, &mut copy)?;
    let mut copies = lock(&COPIES);
    if copies.len() == MOST_COPIES {
        copies.remove(0);
    }
    copies.push((contents, copy));
    Ok(())
}

fn copy_all(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    Backup::new(from, to)?.run_to_completion(ALL_PAGES, Duration::ZERO, None)
}
