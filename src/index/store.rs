//! The index file and its thread. Only this thread waits for the disk, so that no screen does.

use super::error::IndexError;
use super::place::{self, IndexAccount, PATIENCE, file_of, folder, lock_of};
use super::stored_rows::{KeepLimits, LATELY};
use super::{Result, sql_functions, state, stored_rows};
use crate::config::IndexSettings;
use crate::domain::text::scrub;
use crate::fs::{create_private_dir, open_private_append, pragma, set_journal_mode};
use jiff::ToSpan;
use jiff::civil::DateTime;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;

/// The schema version. An index of a later version is refused; `lapel index purge` removes it.
const SCHEMA: i64 = 2;
/// Marks the file as an index of lapel ("lapi").
const APPLICATION: i64 = 0x6c61_7069;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexConfig {
    /// In days, from acceptance. Badges that expired lately or will expire are kept longer.
    pub max_age_days: u32,
    pub refresh_minutes: u32,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self::of(&IndexSettings::default())
    }
}

impl IndexConfig {
    fn of(settings: &IndexSettings) -> Self {
        Self { max_age_days: settings.max_age_days(), refresh_minutes: settings.refresh_minutes() }
    }

    /// `None` when the index is off.
    pub fn if_enabled(settings: &IndexSettings) -> Option<Self> {
        settings.enabled().then(|| Self::of(settings))
    }
}

/// The index of one service and key. Clones share it; dropping the last one closes it.
#[derive(Clone, Debug)]
pub struct Index {
    work: Sender<IndexTask>,
    file: Arc<str>,
    /// `None` for an index in memory.
    path: Option<Arc<Path>>,
    pub(super) settings: IndexConfig,
    /// A task of this process is reading the history.
    reading: Arc<AtomicBool>,
}

type IndexTask = Box<dyn FnOnce(&mut Connection) + Send>;

/// The exclusive right to read the history into an index.
pub(super) struct SyncLock {
    reading: Arc<AtomicBool>,
    lock: Option<File>,
}

impl Drop for SyncLock {
    fn drop(&mut self) {
        // Releases the lock between processes first, because a task of this process may wait for the flag.
        drop(self.lock.take());
        self.reading.store(false, Ordering::Release);
    }
}

impl Index {
    /// Creates a missing index, and removes rows that are older than the settings allow. An index of another
    /// account is an error.
    pub fn open(data: &Path, account: &IndexAccount, settings: IndexConfig) -> Result<Self> {
        let path = file_of(data, account);
        let file: Arc<str> = scrub(&path.to_string_lossy()).into_owned().into();
        let io = |why: std::io::Error| IndexError::io(&why, &file);
        create_private_dir(&folder(data)).map_err(io)?;
        // SQLite creates its other files with the permissions of this one.
        drop(open_private_append(&path).map_err(io)?);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags).map_err(|why| IndexError::of(&why, &file))?;
        Self::start(opened, account, file, Some(path.into()), settings)
    }

    /// Leaves nothing on the disk. Fails without memory or a thread for it.
    pub fn in_memory(account: &IndexAccount, settings: IndexConfig) -> Result<Self> {
        let file: Arc<str> = t!("in memory").into();
        let opened = Connection::open_in_memory().map_err(|why| IndexError::of(&why, &file))?;
        Self::start(opened, account, file, None, settings)
    }

    fn start(
        mut connection: Connection,
        account: &IndexAccount,
        file: Arc<str>,
        path: Option<Arc<Path>>,
        settings: IndexConfig,
    ) -> Result<Self> {
        prepare(&mut connection, account, &file)?;
        let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).datetime();
        stored_rows::forget(&connection, &kept(now, settings)).map_err(|why| IndexError::of(&why, &file))?;
        let (work, queue) = channel();
        std::thread::Builder::new()
            .name("index".into())
            .spawn(move || queue.into_iter().for_each(|work: IndexTask| work(&mut connection)))
            .map_err(|why| IndexError::io(&why, &file))?;
        Ok(Self { work, file, path, settings, reading: Arc::default() })
    }

    pub fn place(&self) -> &str {
        &self.file
    }

    /// With SQLite's other files; 0 in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.path.as_deref().map_or(0, place::size)
    }

    pub(super) fn sync_lock(&self) -> Result<SyncLock> {
        let busy = || IndexError::Busy { file: self.file.to_string() };
        if self.reading.swap(true, Ordering::AcqRel) {
            return Err(busy());
        }
        // From here on, dropping `sync_lock` resets the flag.
        let mut sync_lock = SyncLock { reading: self.reading.clone(), lock: None };
        if let Some(path) = &self.path {
            let file = open_private_append(&lock_of(path)).map_err(|why| IndexError::io(&why, &self.file))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(busy()),
                // Some network file systems have no locks; lapel then works without one.
                Ok(()) | Err(TryLockError::Error(_)) => sync_lock.lock = Some(file),
            }
        }
        Ok(sync_lock)
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |db| work(db)).await
    }

    /// In one transaction.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |db| written(db, work)).await
    }

    /// In one transaction, without waiting for it.
    pub(super) fn write_soon(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) {
        let job: IndexTask = Box::new(move |db| {
            if let Err(why) = written(db, work) {
                tracing::warn!("the index was not written: {why}");
            }
        });
        // Fails only when the thread has ended; then there is nothing to write to.
        let _ = self.work.send(job);
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = oneshot::channel();
        let job: IndexTask = Box::new(move |db| {
            let _ = answer.send(work(db));
        });
        self.work.send(job).map_err(|_| IndexError::Closed)?;
        asked.await.map_err(|_| IndexError::Closed)?.map_err(|why| IndexError::of(&why, &self.file))
    }
}

fn written<T>(
    db: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let writing = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&writing)?;
    writing.commit()?;
    Ok(value)
}

pub(super) fn kept(now: DateTime, settings: IndexConfig) -> KeepLimits {
    let ago = |days: i64| stored_rows::moment(now.checked_sub(days.days()).unwrap_or(DateTime::MIN));
    KeepLimits { accepted: ago(settings.max_age_days.into()), ends: ago(LATELY) }
}

pub(super) fn prepare(connection: &mut Connection, account: &IndexAccount, file: &str) -> Result<()> {
    let failed = |why: rusqlite::Error| IndexError::of(&why, file);
    let corrupt = |why: &str| IndexError::Corrupt { file: file.to_owned(), why: why.to_owned() };
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    let number = |db: &Connection, name: &str| pragma(db, name).map_err(failed);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(failed)?;
    let (found, application) = (number(connection, "user_version")?, number(connection, "application_id")?);
    if application != APPLICATION && (application, found, tables) != (0, 0, 0) {
        return Err(corrupt(t!("it is the database of another program")));
    }
    // On a network home, WAL may be impossible, and SQLite keeps the rollback journal. A power cut may lose
    // the last pages read; they are read again.
    set_journal_mode(connection, "WAL", PATIENCE).map_err(failed)?;
    connection
        .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;")
        .map_err(failed)?;
    sql_functions::add(connection).map_err(failed)?;
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have created the schema meanwhile.
    match number(&writing, "user_version")? {
        0 => {
            let marks = format!("PRAGMA user_version = {SCHEMA}; PRAGMA application_id = {APPLICATION}");
            writing.execute_batch(&(include_str!("schema.sql").to_owned() + &marks)).map_err(failed)?;
            state::put(&writing, "account", &account.name()).map_err(failed)?;
        }
        1 => {
            writing.execute_batch(include_str!("schema_2.sql")).map_err(failed)?;
            writing.execute_batch(&format!("PRAGMA user_version = {SCHEMA}")).map_err(failed)?;
        }
        SCHEMA => {}
        _ => return Err(corrupt(t!("another version of lapel wrote it"))),
    }
    let owner: Option<String> = state::get(&writing, "account").map_err(failed)?;
    if owner.as_deref() != Some(account.name()) {
        return Err(corrupt(t!("it belongs to another service or key")));
    }
    writing.commit().map_err(failed)
}
