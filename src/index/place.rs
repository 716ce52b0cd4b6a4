//! The path of an index, and removing it.

use super::Result;
use super::error::IndexError;
use crate::api::Connection;
use crate::domain::text::scrub;
use crate::fs::beside;
use rusqlite::OpenFlags;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum wait for another process that locks the file.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A service and one of its keys. Two accounts never share an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexAccount(String);

impl IndexAccount {
    /// Does not reveal the key.
    pub fn of(connection: &Connection) -> Self {
        let url = connection.base_url.trim_end_matches('/');
        let sum = ring::digest::digest(&ring::digest::SHA256, url.as_bytes());
        let host = sum.as_ref().iter().take(4).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        Self(format!("{host:08x}-{}", connection.key.fingerprint()))
    }

    #[cfg(test)]
    pub(super) fn test(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

pub fn folder(data: &Path) -> PathBuf {
    data.join("index")
}

pub fn file_of(data: &Path, account: &IndexAccount) -> PathBuf {
    folder(data).join(format!("{}.sqlite", account.name()))
}

/// The file itself, SQLite's files beside it, and its lock.
fn with_companions(file: &Path) -> Vec<PathBuf> {
    ["", "-wal", "-shm", "-journal", ".lock"].map(|ending| beside(file, ending)).into()
}

/// In bytes, with its other files.
pub(super) fn size(file: &Path) -> u64 {
    with_companions(file).iter().map(|path| size_of(path)).sum()
}

fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

pub(super) fn lock_of(file: &Path) -> PathBuf {
    beside(file, ".lock")
}

/// Removes an index in any state. A lapel that has it open continues with an empty one. Returns the
/// bytes freed; 0 when there was none.
pub fn purge(data: &Path, account: &IndexAccount) -> Result<u64> {
    remove(&file_of(data, account))
}

/// Returns the number of indexes and the bytes freed. On an error, the indexes before it are removed.
pub fn purge_all(data: &Path) -> Result<(u64, u64)> {
    let folder = folder(data);
    let shown = scrub(&folder.to_string_lossy()).into_owned();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok((0, 0)),
        Err(why) => return Err(IndexError::io(&why, &shown)),
    };
    let (mut files, mut bytes) = (0, 0);
    for entry in entries {
        let path = entry.map_err(|why| IndexError::io(&why, &shown))?.path();
        if path.extension().is_some_and(|ending| ending == "sqlite") {
            bytes += remove(&path)?;
            files += 1;
        }
    }
    Ok((files, bytes))
}

fn remove(file: &Path) -> Result<u64> {
    // A process that has the index open must see it empty. Fails for a damaged file.
    let _ = empty(file);
    let mut bytes = 0;
    for path in with_companions(file) {
        let size = size_of(&path);
        match std::fs::remove_file(&path) {
            Ok(()) => bytes += size,
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => return Err(IndexError::io(&why, &scrub(&path.to_string_lossy()))),
        }
    }
    Ok(bytes)
}

/// For processes that have the index open.
fn empty(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(
        "PRAGMA secure_delete = ON; DELETE FROM badge; DELETE FROM detail;
         DELETE FROM meta WHERE name <> 'account';",
    )
}
