//! The journal: the intent, the answer and later observations of every row. It contains a request before its first
//! byte leaves, and an answer before anybody sees it.
//!
//! SQLite with a write-ahead log, synced on every commit, on a thread of its own. Only writers wait for the disk,
//! never a screen.

pub(super) mod accounts;
mod adopt;
pub(super) mod claims;
pub mod copy;
mod erase;
mod error;
pub(super) mod facts;
pub(super) mod jobs;
mod owner;
mod place;
pub(super) mod purge;
pub(super) mod requests;
pub(super) mod rows;
#[cfg(test)]
mod tests;

pub use adopt::Adopted;
pub use error::JournalError;
pub(super) use jobs::Account;

use crate::disk::{create_private_dir, open_private_append};
use owner::Me;
use place::{Files, Site};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

const SCHEMA: i64 = MIGRATIONS.len() as i64;
/// SQLite application id of a journal ("lapl").
const APPLICATION: i64 = 0x6c61_706c;
/// SQLite application id of a backup ("lapb"), so that it is not used as a journal.
const BACKUP: i64 = 0x6c61_7062;
/// Maximum wait for another process's lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// A commit watcher's answer. Tests use it to simulate a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Live,
    /// End here and never answer.
    Die,
}

/// A point in a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is written but not committed.
    Before(&'static str),
    /// Durable, but not reported yet.
    After(&'static str),
}

/// Called for every write, with the write's name.
pub type Watcher = Arc<dyn Fn(Moment) -> Fate + Send + Sync>;

/// A handle to the journal. Clones share it; dropping the last one closes it.
#[derive(Clone)]
pub struct Journal {
    work: Sender<Work>,
    me: Arc<(String, String)>,
    file: Arc<str>,
    shared: bool,
    /// Checks the file before the first request leaves.
    proof: Arc<Proof>,
    is_copy: bool,
}

type Work = Box<dyn FnOnce(&mut JournalState) + Send>;

/// The state of the journal's thread.
struct JournalState {
    connection: Connection,
    me: Me,
    file: Arc<str>,
    watcher: Option<Watcher>,
    dead: bool,
    /// Whether the write-ahead log may contain removed data.
    log_is_dirty: bool,
    // Last field: dropped after the file is closed and the owner is gone.
    claim: Option<Claim>,
}

/// Number of journals on network drives that this process holds, with a signal for releases.
static CLAIMS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// This computer's claim to a journal on a network drive.
struct Claim {
    files: Files,
    site: Site,
}

impl Claim {
    fn take(files: Files, site: &Site) -> Result<Self> {
        files.claim(site)?;
        if site.is_shared() {
            *CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
        Ok(Self { files, site: site.clone() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.files.release(&self.site);
        if self.site.is_shared() {
            *CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            CLAIMS.1.notify_all();
        }
    }
}

/// Waits until every journal on a network drive is released for other computers, at most two seconds. Called at
/// the very end of the program.
pub fn wait_for_release() {
    let claims = CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = CLAIMS.1.wait_timeout_while(claims, Duration::from_secs(2), |all| *all > 0);
}

/// Whether the journal's file was checked and is intact.
#[derive(Default)]
struct Proof {
    whole: tokio::sync::OnceCell<()>,
    /// The file's path, if a second connection may read it.
    path: Option<PathBuf>,
}

type Result<T> = std::result::Result<T, JournalError>;

impl Journal {
    pub fn file_in(folder: &Path) -> PathBuf {
        folder.join("journal.sqlite")
    }

    /// Opens the journal of a data folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// Any [`JournalError`] except `Closed`. Nothing was changed.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_watched(folder, None)
    }

    /// As [`Self::open`], with a watcher of every write.
    #[doc(hidden)]
    pub fn open_watched(folder: &Path, watcher: Option<Watcher>) -> Result<Self> {
        Self::open_at(folder, &Site::of(folder), watcher)
    }

    /// As [`Self::open`], on a file system and a computer that a test may choose.
    fn open_at(folder: &Path, site: &Site, watcher: Option<Watcher>) -> Result<Self> {
        let files = Files::in_folder(folder);
        let file: Arc<str> = shown(&files.journal).into();
        let io = |why: std::io::Error| JournalError::io(&why, &file);
        create_private_dir(folder).map_err(io)?;
        let alone = files.alone(PATIENCE)?;
        files.not_emptied()?;
        let claim = Claim::take(files, site)?;
        let files = &claim.files;
        // SQLite creates its other files with this file's mode.
        drop(open_private_append(&files.journal).map_err(io)?);
        let mut connection = connect(&files.journal, OpenFlags::SQLITE_OPEN_READ_WRITE, &file)?;
        prepare(&mut connection, site, &file)?;
        // After `prepare`: the owners folder shows that a journal exists.
        let me = Me::appear(Some(&files.owners)).map_err(io)?;
        drop(alone);
        let path = (!site.is_shared()).then(|| files.journal.clone());
        let proof = Proof { path, ..Proof::default() };
        Self::start(connection, me, file, watcher, proof, Some(claim))
    }

    /// A journal in memory, for an in-memory sandbox.
    pub fn in_memory() -> Result<Self> {
        let file: Arc<str> = t!("in memory").into();
        let mut connection = Connection::open_in_memory().map_err(|why| JournalError::of(&why, &file))?;
        let me = Me::appear(None).map_err(|why| JournalError::io(&why, &file))?;
        prepare(&mut connection, &Site::none(), &file)?;
        Self::start(connection, me, file, None, Proof::default(), None)
    }

    /// A copy of a data folder's current journal, for trial plans. It has no file name, and disappears with the
    /// last handle or the process.
    ///
    /// # Errors
    /// Any [`JournalError`] except `Closed`. The journal itself is not changed.
    pub fn copy_of(folder: &Path) -> Result<Self> {
        let files = Files::in_folder(folder);
        let file: Arc<str> = shown(&files.journal).into();
        files.not_emptied()?;
        let mut connection = if files.journal.exists() {
            let alone = files.alone(PATIENCE)?;
            let _claim = Claim::take(files, &Site::of(folder))?;
            let copied = erase::copy(&Self::file_in(folder), &file);
            // Releasing the claim takes the lock again.
            drop(alone);
            copied?
        } else {
            erase::copy(&files.journal, &file)?
        };
        let me = Me::appear(None).map_err(|why| JournalError::io(&why, &file))?;
        prepare(&mut connection, &Site::none(), &file)?;
        Ok(Self { is_copy: true, ..Self::start(connection, me, file, None, Proof::default(), None)? })
    }

    fn start(
        connection: Connection,
        me: Me,
        file: Arc<str>,
        watcher: Option<Watcher>,
        proof: Proof,
        claim: Option<Claim>,
    ) -> Result<Self> {
        let known = Arc::new((me.id.clone(), me.label.clone()));
        let shared = me.can_have_company();
        let (work, queue) = channel();
        // Data removed before a crash may still be in the log.
        let state = JournalState {
            connection,
            me,
            file: file.clone(),
            watcher,
            dead: false,
            log_is_dirty: shared,
            claim,
        };
        std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || keep(state, &queue))
            .map_err(|why| JournalError::io(&why, &file))?;
        Ok(Self { work, me: known, file, shared, proof: Arc::new(proof), is_copy: false })
    }

    /// Checks once per process that the file is intact. A damaged file may have lost what was sent. A second
    /// connection checks, so that other reads and writes do not wait.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] with the damage. The next call checks again.
    pub(super) async fn assure_whole(&self) -> Result<()> {
        let look = async {
            let wrong = match self.proof.path.clone() {
                Some(path) => {
                    let file = self.file.clone();
                    let look = move || {
                        let second = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY, &file)?;
                        second.busy_timeout(PATIENCE).map_err(|why| JournalError::of(&why, &file))?;
                        look_through(&second, "quick_check").map_err(|why| JournalError::of(&why, &file))
                    };
                    tokio::task::spawn_blocking(look).await.map_err(|_| JournalError::Closed)??
                }
                None => self.read(|db| look_through(db, "quick_check")).await?,
            };
            if wrong.is_empty() {
                return Ok(());
            }
            let why = crate::domain::text::scrub(&wrong.join("; ")).into_owned();
            Err(JournalError::Corrupt { file: self.file.to_string(), why })
        };
        self.proof.whole.get_or_try_init(|| look).await.copied()
    }

    /// Limits the database to `pages` more pages, or removes the limit. Simulates a full disk in tests.
    #[doc(hidden)]
    pub async fn leave_room(&self, pages: Option<u32>) -> Result<()> {
        self.ask(move |state| {
            let failed = |why: rusqlite::Error| JournalError::of(&why, &state.file);
            let used: i64 =
                state.connection.query_row("PRAGMA page_count", [], |r| r.get(0)).map_err(failed)?;
            let most = pages.map_or(i64::from(u32::MAX - 1), |more| used + i64::from(more));
            let limit = format!("PRAGMA max_page_count = {most}");
            state.connection.query_row(&limit, [], |_| Ok(())).map_err(failed)
        })
        .await
    }

    pub fn place(&self) -> &str {
        &self.file
    }

    /// Whether another process may have the journal open, too.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Whether this is a temporary copy. Nothing is sent from it.
    pub(super) fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// The id under which this process owns jobs.
    pub(super) fn my_id(&self) -> &str {
        &self.me.0
    }

    /// Id and label of this process.
    pub(super) fn me(&self) -> Arc<(String, String)> {
        self.me.clone()
    }

    pub(super) fn my_label(&self) -> &str {
        &self.me.1
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |state| work(&state.connection).map_err(|why| JournalError::of(&why, &state.file)))
            .await
    }

    /// Writes in one transaction, which is durable on return. `step` is the write's name for watchers.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |state| state.write(step, work)).await
    }

    /// As [`Self::write`], from a thread that may block.
    pub(super) fn write_blocking<T: Send + 'static>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = channel();
        let job: Work = Box::new(move |state| {
            let _ = answer.send(state.write(step, work));
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.recv().map_err(|_| JournalError::Closed)?
    }

    /// As [`Self::read`], from a thread that may block.
    pub(super) fn read_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = channel();
        let job: Work = Box::new(move |state| {
            let _ = answer.send(work(&state.connection).map_err(|why| JournalError::of(&why, &state.file)));
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.recv().map_err(|_| JournalError::Closed)?
    }

    /// The owners among these that are alive, including the caller.
    pub(super) async fn living(&self, owners: Vec<String>) -> Result<Vec<String>> {
        self.ask(move |state| Ok(owners.into_iter().filter(|o| state.me.is_alive(o)).collect())).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut JournalState) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, asked) = oneshot::channel();
        let job: Work = Box::new(move |state| {
            let result = work(state);
            if state.dead {
                // After a simulated power cut, nobody gets an answer.
                std::mem::forget(answer);
            } else {
                let _ = answer.send(result);
            }
        });
        self.work.send(job).map_err(|_| JournalError::Closed)?;
        asked.await.map_err(|_| JournalError::Closed)?
    }
}

impl JournalState {
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
        if erase::removes(step) {
            let is_purge = step == erase::PURGE;
            if is_purge {
                erase::rewrite(&self.connection);
            }
            // Nobody waits for the rest; the thread does it when it is idle.
            self.log_is_dirty = !erase::empty_log(&self.connection) || !is_purge;
        }
        Ok(value)
    }
}

fn keep(mut state: JournalState, queue: &Receiver<Work>) {
    loop {
        let work = if state.log_is_dirty {
            match queue.recv_timeout(erase::AGAIN) {
                Ok(work) => work,
                Err(RecvTimeoutError::Timeout) => {
                    erase::rewrite(&state.connection);
                    state.log_is_dirty = !erase::empty_log(&state.connection);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        } else {
            let Ok(work) = queue.recv() else { break };
            work
        };
        work(&mut state);
        if state.dead {
            // Close the file and release the lock, as the end of the process would. Answer nothing more.
            let JournalState { connection, me, claim, .. } = state;
            drop((connection, me, claim));
            while let Ok(work) = queue.recv() {
                std::mem::forget(work);
            }
            return;
        }
    }
    if state.log_is_dirty {
        erase::rewrite(&state.connection);
        erase::empty_log(&state.connection);
    }
}

fn shown(path: &Path) -> String {
    crate::domain::text::scrub(&path.to_string_lossy()).into_owned()
}

fn connect(path: &Path, how: OpenFlags, file: &str) -> Result<Connection> {
    let opened = Connection::open_with_flags(path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.map_err(|why| JournalError::of(&why, file))
}

fn prepare(connection: &mut Connection, site: &Site, file: &str) -> Result<()> {
    let failed = |why: rusqlite::Error| JournalError::of(&why, file);
    let no_journal = |why: &str| JournalError::Corrupt { file: file.to_owned(), why: why.to_owned() };
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // Check the application id first: switching to the write-ahead log changes the file.
    let number = |name: &str| -> Result<i64> {
        connection.query_row(&format!("PRAGMA {name}"), [], |r| r.get(0)).map_err(failed)
    };
    // Read the tables before the marks: another process may be creating the journal now.
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(failed)?;
    let (found, application) = (number("user_version")?, number("application_id")?);
    let is_new = application == 0 && found == 0 && tables == 0;
    if application == BACKUP {
        return Err(JournalError::Backup { file: file.to_owned() });
    }
    if application != APPLICATION && !is_new {
        return Err(no_journal(t!("it is the database of another program")));
    }
    if found > SCHEMA {
        return Err(JournalError::Newer { file: file.to_owned(), found, known: SCHEMA });
    }
    if found < 1 && !is_new {
        return Err(no_journal(t!("it does not name the lapel version that wrote it")));
    }
    // Only processes of one computer can share a write-ahead log.
    let (wanted, is) = if site.is_shared() { ("TRUNCATE", "truncate") } else { ("WAL", "wal") };
    let mode = format!("PRAGMA journal_mode = {wanted}");
    let mode: String = connection.query_row(&mode, [], |r| r.get(0)).map_err(failed)?;
    if site.is_shared() && mode != is {
        return Err(JournalError::Busy { file: file.to_owned() });
    }
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")
        .map_err(failed)?;
    erase::prepare(connection).map_err(failed)?;
    // Without QPSG, SQLite prepares a statement again whenever certain bound values change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    // A current journal is not written, so it can be read on a full disk.
    if found < SCHEMA {
        migrate(connection).map_err(failed)?;
    }
    erase::rewrite(connection);
    Ok(())
}

/// Migrates the schema in one transaction.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = writing.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    for (n, step) in MIGRATIONS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        step(&writing)?;
        writing.execute_batch(&format!("PRAGMA user_version = {}", n + 1))?;
    }
    if found == 0 {
        erase::want_no_rewrite(&writing)?;
    }
    writing.execute_batch(&format!("PRAGMA application_id = {APPLICATION}"))?;
    writing.commit()
}

/// SQLite's messages about damage; empty if the file is intact.
pub(super) fn check(db: &Connection) -> rusqlite::Result<Vec<String>> {
    look_through(db, "integrity_check")
}

/// Runs one of SQLite's two checks and returns its messages.
fn look_through(db: &Connection, how: &str) -> rusqlite::Result<Vec<String>> {
    let said: Vec<String> = db
        .prepare(&format!("PRAGMA {how}(20)"))?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

const MIGRATIONS: &[fn(&Connection) -> rusqlite::Result<()>] = &[
    |db| db.execute_batch(include_str!("schema.sql")),
    claims::migrate,
    super::reason::migrate,
    erase::want_rewrite,
    |db| db.execute_batch(copy::SCHEMA_OF_BACKUPS),
];
