//! The journal: what was meant, what came of it, and what was seen since, for every row. An intent is here
//! before its first byte leaves, and an answer is here before anybody is told.
//!
//! SQLite with a write-ahead log, synced on every commit, on a thread of its own: whoever writes waits for
//! the disk, and no screen does.

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

/// The schema that this lapel writes.
const SCHEMA: i64 = MIGRATIONS.len() as i64;
/// Marks the file as a journal of lapel ("lapl").
const APPLICATION: i64 = 0x6c61_706c;
/// Marks a file as a backup of a journal ("lapb"), so that nobody takes it for one.
const BACKUP: i64 = 0x6c61_7062;
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
    /// Where it is looked through before the first request leaves.
    proof: Arc<Proof>,
    is_copy: bool,
}

type Work = Box<dyn FnOnce(&mut Desk) + Send>;

/// What the journal's thread has.
struct Desk {
    connection: Connection,
    me: Me,
    file: Arc<str>,
    watcher: Option<Watcher>,
    dead: bool,
    /// The write-ahead log may hold what was removed.
    log_is_dirty: bool,
    // Behind the others: released when the file is closed and the owner is gone.
    claim: Option<Claim>,
}

/// Journals on network drives that this process has, and whoever waits until they are released.
static CLAIMS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// This computer's right to a journal on a network drive.
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

/// Waits until every journal on a network drive is released, so that another computer may use it; for two seconds
/// at most. Called when nothing of the program works any more.
pub fn wait_for_release() {
    let claims = CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = CLAIMS.1.wait_timeout_while(claims, Duration::from_secs(2), |all| *all > 0);
}

/// Whether the journal's file was found whole, and where to look.
#[derive(Default)]
struct Proof {
    whole: tokio::sync::OnceCell<()>,
    /// The file, where a second connection may read it.
    path: Option<PathBuf>,
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
        Self::open_at(folder, &Site::of(folder), watcher)
    }

    /// The same, on a file system and a computer that a test may choose.
    fn open_at(folder: &Path, site: &Site, watcher: Option<Watcher>) -> Result<Self> {
        let files = Files::in_folder(folder);
        let file: Arc<str> = shown(&files.journal).into();
        let io = |why: std::io::Error| JournalError::io(&why, &file);
        create_private_dir(folder).map_err(io)?;
        let alone = files.alone(PATIENCE)?;
        files.not_emptied()?;
        let claim = Claim::take(files, site)?;
        let files = &claim.files;
        // SQLite makes its other files with the mode of this one.
        drop(open_private_append(&files.journal).map_err(io)?);
        let mut connection = connect(&files.journal, OpenFlags::SQLITE_OPEN_READ_WRITE, &file)?;
        prepare(&mut connection, site, &file)?;
        // Only now: a folder of owners says that there is a journal.
        let me = Me::appear(Some(&files.owners)).map_err(io)?;
        drop(alone);
        let path = (!site.is_shared()).then(|| files.journal.clone());
        let proof = Proof { path, ..Proof::default() };
        Self::start(connection, me, file, watcher, proof, Some(claim))
    }

    /// A journal that lives as long as the program: for a sandbox that does, too.
    pub fn in_memory() -> Result<Self> {
        let file: Arc<str> = t!("in memory").into();
        let mut connection = Connection::open_in_memory().map_err(|why| JournalError::of(&why, &file))?;
        let me = Me::appear(None).map_err(|why| JournalError::io(&why, &file))?;
        prepare(&mut connection, &Site::none(), &file)?;
        Self::start(connection, me, file, None, Proof::default(), None)
    }

    /// A copy of the journal of a data folder, as it is now, for plans that are only tried out. It has a temporary
    /// file without a name, and nothing of it is left when the last handle, or the process, ends.
    ///
    /// # Errors
    /// Any [`JournalError`] but `Closed`. The journal itself is not changed.
    pub fn copy_of(folder: &Path) -> Result<Self> {
        let files = Files::in_folder(folder);
        let file: Arc<str> = shown(&files.journal).into();
        files.not_emptied()?;
        let mut connection = if files.journal.exists() {
            let alone = files.alone(PATIENCE)?;
            let _claim = Claim::take(files, &Site::of(folder))?;
            let copied = erase::copy(&Self::file_in(folder), &file);
            // Releasing the claim takes it again.
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
        // What was removed before a crash may still be in the log.
        let desk =
            Desk { connection, me, file: file.clone(), watcher, dead: false, log_is_dirty: shared, claim };
        std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || keep(desk, &queue))
            .map_err(|why| JournalError::io(&why, &file))?;
        Ok(Self { work, me: known, file, shared, proof: Arc::new(proof), is_copy: false })
    }

    /// Sees to it that the file is whole, once in a process: what is damaged within may have forgotten what was
    /// sent. A second connection looks, so that nobody waits for it who only reads or writes.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] with what is wrong. It is looked again the next time.
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

    /// Whether it is a copy, which ends with this process: nothing is sent from it.
    pub(super) fn is_copy(&self) -> bool {
        self.is_copy
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
        if erase::removes(step) {
            let is_purge = step == erase::PURGE;
            if is_purge {
                erase::rewrite(&self.connection);
            }
            // Nobody waits for the rest: it is done once there is nothing else to do.
            self.log_is_dirty = !erase::empty_log(&self.connection) || !is_purge;
        }
        Ok(value)
    }
}

/// The journal's thread.
fn keep(mut desk: Desk, queue: &Receiver<Work>) {
    loop {
        let work = if desk.log_is_dirty {
            match queue.recv_timeout(erase::AGAIN) {
                Ok(work) => work,
                Err(RecvTimeoutError::Timeout) => {
                    erase::rewrite(&desk.connection);
                    desk.log_is_dirty = !erase::empty_log(&desk.connection);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        } else {
            let Ok(work) = queue.recv() else { break };
            work
        };
        work(&mut desk);
        if desk.dead {
            // Closes the file and lets go of the lock, as the end of the process would; then nothing more is
            // answered.
            let Desk { connection, me, claim, .. } = desk;
            drop((connection, me, claim));
            while let Ok(work) = queue.recv() {
                std::mem::forget(work);
            }
            return;
        }
    }
    if desk.log_is_dirty {
        erase::rewrite(&desk.connection);
        erase::empty_log(&desk.connection);
    }
}

/// A path, for people.
fn shown(path: &Path) -> String {
    crate::domain::text::scrub(&path.to_string_lossy()).into_owned()
}

fn connect(path: &Path, how: OpenFlags, file: &str) -> Result<Connection> {
    let opened = Connection::open_with_flags(path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    opened.map_err(|why| JournalError::of(&why, file))
}

/// Sets the connection up, and brings the schema to this version.
fn prepare(connection: &mut Connection, site: &Site, file: &str) -> Result<()> {
    let failed = |why: rusqlite::Error| JournalError::of(&why, file);
    let no_journal = |why: &str| JournalError::Corrupt { file: file.to_owned(), why: why.to_owned() };
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
    if application == BACKUP {
        return Err(JournalError::Backup { file: file.to_owned() });
    }
    if application != APPLICATION && !is_new {
        return Err(no_journal(t!("it is a database of another program")));
    }
    if found > SCHEMA {
        return Err(JournalError::Newer { file: file.to_owned(), found, known: SCHEMA });
    }
    if found < 1 && !is_new {
        return Err(no_journal(t!("it does not say which version of lapel has written it")));
    }
    // The write-ahead log is for processes of one computer.
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
    // Otherwise a statement is prepared anew each time that one of its values changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    // What is up to date is not written: it can be read on a full disk.
    if found < SCHEMA {
        migrate(connection).map_err(failed)?;
    }
    erase::rewrite(connection);
    Ok(())
}

/// Brings the schema to this version, in one transaction.
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

/// What is wrong with the file; nothing when it is whole.
pub(super) fn check(db: &Connection) -> rusqlite::Result<Vec<String>> {
    look_through(db, "integrity_check")
}

/// What SQLite finds wrong with the file, by one of its two ways of looking.
fn look_through(db: &Connection, how: &str) -> rusqlite::Result<Vec<String>> {
    let said: Vec<String> = db
        .prepare(&format!("PRAGMA {how}(20)"))?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// Each step brings a journal from one schema to the next.
const MIGRATIONS: &[fn(&Connection) -> rusqlite::Result<()>] = &[
    |db| db.execute_batch(include_str!("schema.sql")),
    claims::migrate,
    super::reason::migrate,
    erase::want_rewrite,
    |db| db.execute_batch(copy::SCHEMA_OF_BACKUPS),
];
