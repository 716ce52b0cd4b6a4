//! The journal: what was meant, what came of it, and what was seen since, for every row. An intent is here
//! before its first byte leaves, and an answer is here before anybody is told.
//!
//! SQLite with a write-ahead log, synced on every commit, on a thread of its own: whoever writes waits for
//! the disk, and no screen does.

mod adopt;
mod error;
pub(super) mod facts;
pub(super) mod jobs;
mod owner;
pub(super) mod purge;
pub(super) mod requests;
pub(super) mod rows;

pub use adopt::Adopted;
pub use error::JournalError;
pub(super) use jobs::Account;

use crate::disk::{create_private_dir, open_private_append};
use owner::Me;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tokio::sync::oneshot;

/// The schema that this lapel writes.
const SCHEMA: i64 = 1;
/// Marks the file as a journal of lapel ("lapl").
const APPLICATION: i64 = 0x6c61_706c;
/// How long another process may hold the journal.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a watcher of commits says: a test uses it to end the journal as a power cut would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Go on.
    Live,
    /// End here, and never answer.
    Die,
}

/// A moment of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is written, and not committed.
    Before(&'static str),
    /// It is durable, and nobody knows yet.
    After(&'static str),
}

/// Watches every write, by its name.
pub type Watcher = Arc<dyn Fn(Moment) -> Fate + Send + Sync>;

/// The journal. Clones share it; it is closed with the last of them.
#[derive(Clone)]
pub struct Journal {
    work: Sender<Work>,
    me: Arc<(String, String)>,
    file: Arc<str>,
    shared: bool,
}

type Work = Box<dyn FnOnce(&mut Desk) + Send>;

/// What the journal's thread has.
struct Desk {
    connection: Connection,
    me: Me,
    file: Arc<str>,
    watcher: Option<Watcher>,
    dead: bool,
}

type Result<T> = std::result::Result<T, JournalError>;

impl Journal {
    /// The journal's file in a data folder.
    pub fn file_in(folder: &Path) -> PathBuf {
        folder.join("journal.sqlite")
    }

    /// Opens the journal of a data folder, and makes it if there is none.
    ///
    /// # Errors
    /// Any [`JournalError`] but `Closed`. Nothing is changed then.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_watched(folder, None)
    }

    /// The same, with somebody who watches every write.
    #[doc(hidden)]
    pub fn open_watched(folder: &Path, watcher: Option<Watcher>) -> Result<Self> {
        let path = Self::file_in(folder);
        let file: Arc<str> = crate::domain::text::scrub(&path.to_string_lossy()).into_owned().into();
        let io = |why: std::io::Error| JournalError::io(&why, &file);
        create_private_dir(folder).map_err(io)?;
        // SQLite makes its other files with the mode of this one.
        drop(open_private_append(&path).map_err(io)?);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags);
        let connection = opened.map_err(|why| JournalError::of(&why, &file))?;
        let me = Me::appear(Some(&folder.join("owners"))).map_err(io)?;
        Self::start(connection, me, file, watcher)
    }

    /// A journal that lives as long as the program: for a sandbox that does, too.
    pub fn in_memory() -> Result<Self> {
        let file: Arc<str> = t!("in memory").into();
        let connection = Connection::open_in_memory().map_err(|why| JournalError::of(&why, &file))?;
        let me = Me::appear(None).map_err(|why| JournalError::io(&why, &file))?;
        Self::start(connection, me, file, None)
    }

    fn start(mut connection: Connection, me: Me, file: Arc<str>, watcher: Option<Watcher>) -> Result<Self> {
        prepare(&mut connection, &file)?;
        let known = Arc::new((me.id.clone(), me.label.clone()));
        let shared = me.can_have_company();
        let (work, queue) = channel();
        let desk = Desk { connection, me, file: file.clone(), watcher, dead: false };
        std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || keep(desk, &queue))
            .map_err(|why| JournalError::io(&why, &file))?;
        Ok(Self { work, me: known, file, shared })
    }

    /// Leaves room for so many pages more, or for as many as there is: a disk that fills up, for tests.
    #[doc(hidden)]
    pub async fn leave_room(&self, pages: Option<u32>) -> Result<()> {
        self.ask(move |desk| {
            let failed = |why: rusqlite::Error| JournalError::of(&why, &desk.file);
            let used: i64 =
                desk.connection.query_row("PRAGMA page_count", [], |r| r.get(0)).map_err(failed)?;
            let most = pages.map_or(i64::from(u32::MAX - 1), |more| used + i64::from(more));
            let limit = format!("PRAGMA max_page_count = {most}");
            desk.connection.query_row(&limit, [], |_| Ok(())).map_err(failed)
        })
        .await
    }

    /// Where it is, for people.
    pub fn place(&self) -> &str {
        &self.file
    }

    /// Whether another process can have it open, too.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// The id that this process owns jobs by.
    pub(super) fn my_id(&self) -> &str {
        &self.me.0
    }

    /// The same, and the words for it.
    pub(super) fn me(&self) -> Arc<(String, String)> {
        self.me.clone()
    }

    /// The words for it.
    pub(super) fn my_label(&self) -> &str {
        &self.me.1
    }

    /// Reads.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |desk| work(&desk.connection).map_err(|why| JournalError::of(&why, &desk.file))).await
    }

    /// Writes in one transaction, durable when this comes back. `step` names it, for those who watch.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |desk| desk.write(step, work)).await
    }

    /// The same from a thread that may wait.
    pub(super) fn write_blocking<T: Send + 'static>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = channel();
        let job: Work = Box::new(move |desk| {
            let _ = answer.send(desk.write(step, work));
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.recv().map_err(|_| JournalError::Closed)?
    }

    /// The same for reading.
    pub(super) fn read_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = channel();
        let job: Work = Box::new(move |desk| {
            let _ = answer.send(work(&desk.connection).map_err(|why| JournalError::of(&why, &desk.file)));
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.recv().map_err(|_| JournalError::Closed)?
    }

    /// Which of these owners live; the caller is one of them.
    pub(super) async fn living(&self, owners: Vec<String>) -> Result<Vec<String>> {
        self.ask(move |desk| Ok(owners.into_iter().filter(|o| desk.me.is_alive(o)).collect())).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = oneshot::channel();
        let job: Work = Box::new(move |desk| {
            let result = work(desk);
            if desk.dead {
                // As after a power cut: nobody hears of it.
                std::mem::forget(answer);
            } else {
                let _ = answer.send(result);
            }
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.await.map_err(|_| JournalError::Closed)?
    }
}

impl Desk {
    fn write<T>(
        &mut self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let file = self.file.clone();
        let failed = |why: rusqlite::Error| JournalError::of(&why, &file);
        let fate = |moment| self.watcher.as_ref().map_or(Fate::Live, |watch| watch(moment));
        let writing =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let value = work(&writing).map_err(failed)?;
        if fate(Moment::Before(step)) == Fate::Die {
            drop(writing);
            self.dead = true;
            return Err(JournalError::Closed);
        }
        writing.commit().map_err(failed)?;
        if fate(Moment::After(step)) == Fate::Die {
            self.dead = true;
            return Err(JournalError::Closed);
        }
        Ok(value)
    }
}

/// The journal's thread.
fn keep(mut desk: Desk, queue: &Receiver<Work>) {
    while let Ok(work) = queue.recv() {
        work(&mut desk);
        if desk.dead {
            // Closes the file and lets go of the lock, as the end of the process would; then nothing more is
            // answered.
            let Desk { connection, me, .. } = desk;
            drop((connection, me));
            while let Ok(work) = queue.recv() {
                std::mem::forget(work);
            }
            return;
        }
    }
}

/// Sets the connection up, and brings the schema to this version.
fn prepare(connection: &mut Connection, file: &str) -> Result<()> {
    let failed = |why: rusqlite::Error| JournalError::of(&why, file);
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // Whose it is comes first: changing to the write-ahead log changes the file.
    let number = |name: &str| -> Result<i64> {
        connection.query_row(&format!("PRAGMA {name}"), [], |r| r.get(0)).map_err(failed)
    };
    // The tables before the marks: another process may be making the journal just now.
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(failed)?;
    let (found, application) = (number("user_version")?, number("application_id")?);
    let is_new = application == 0 && found == 0 && tables == 0;
    if application != APPLICATION && !is_new {
        return Err(JournalError::Corrupt {
            file: file.to_owned(),
            why: t!("it is a database of another program").to_owned(),
        });
    }
    if found > SCHEMA {
        return Err(JournalError::Newer { file: file.to_owned(), found, known: SCHEMA });
    }
    // A network home may not be able to: then the rollback journal it is.
    let _: String = connection.query_row("PRAGMA journal_mode = WAL", [], |r| r.get(0)).map_err(failed)?;
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")
        .map_err(failed)?;
    // Otherwise a statement is prepared anew each time that one of its values changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let found: i64 = writing.query_row("PRAGMA user_version", [], |r| r.get(0)).map_err(failed)?;
    for (n, step) in MIGRATIONS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        writing.execute_batch(step).map_err(failed)?;
        writing.execute_batch(&format!("PRAGMA user_version = {}", n + 1)).map_err(failed)?;
    }
    writing.execute_batch(&format!("PRAGMA application_id = {APPLICATION}")).map_err(failed)?;
    writing.commit().map_err(failed)
}

/// What is wrong with the file; nothing when it is whole.
pub(super) fn check(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let said: Vec<String> = db
        .prepare("PRAGMA integrity_check(20)")?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// What brings a journal from one schema to the next, in order.
const MIGRATIONS: [&str; SCHEMA as usize] = [include_str!("schema.sql")];
