//! The journal: the intent, the answer and later observations of every row. It contains a request before its first
//! byte leaves, and an answer before anybody sees it.
//!
//! SQLite with a write-ahead log, synced on every commit, on a thread of its own. Only writers wait for the disk,
//! never a screen.

//! [`Store`] names every operation that the rest of `jobs` uses; no SQL is outside this folder.
//!
//! ```text
//! store         the operations and their step names   operation, runner   the thread that runs them
//! drafts        plan, review, begin                   duplicates   the duplicate check
//! sending       record requests                       decisions    pause, resume, retry, resolve
//! record_response   record the response to a request, or its failure
//! polling       what to poll, and when                observe, doubts   apply what a poll found
//! refusals      what was refused with 422, until a poll proves that nothing of it was accepted
//! jobs, rows, requests, claims, behaviour, accounts   the tables   conditions   the rules as SQL
//! snapshots     the jobs as they are shown
//! earlier_drafts   decisions of earlier drafts of a file
//! row_parts     the order of the rows in a review     repeats      rows with one address
//! sent_here     what was sent to an address or a name
//! schema, place, owner, erase, purge, adopt, backup   the file, its owners, its removal and its copies
//! tx, dialect   a transaction of the database, and its SQL
//! team_store, lease   a journal on a team's PostgreSQL, and which of its processes are alive
//! lost_writes, confirmed_writes   notices that a team's database lost writes, and what follows
//! connection_report   whether that database can be reached   file_watch   notices writes of others into a file
//! prelude       names that many of these files use
//! team_admin, team_status   creates, migrates and examines it; `file_status` examines a file
//! recent        what a shell's completion offers        transfer   moves jobs between a file and a team
//! ```

#![cfg_attr(
    not(feature = "team"),
    allow(
        dead_code,
        unused_variables,
        irrefutable_let_patterns,
        clippy::match_wildcard_for_single_variants,
        clippy::unnecessary_wraps,
        reason = "what a team's journal needs is there without it, too"
    )
)]
#![allow(clippy::ref_option, reason = "an operation takes its arguments by reference")]

pub(super) mod accounts;
mod adopt;
pub mod backup;
pub(super) mod behaviour;
pub(super) mod claims;
mod conditions;
#[cfg(feature = "team")]
mod confirmed_writes;
mod connection_report;
pub(super) mod decisions;
mod dialect;
pub(super) mod doubts;
pub(super) mod drafts;
pub(super) mod duplicates;
pub(super) mod earlier_drafts;
mod erase;
mod error;
mod file_status;
mod file_watch;
pub(super) mod jobs;
#[cfg(feature = "team")]
mod lease;
mod lost_writes;
pub(super) mod observe;
mod operation;
mod owner;
mod place;
pub(super) mod polling;
mod prelude;
pub(super) mod purge;
mod reasons;
mod recent;
pub(super) mod record_response;
pub(super) mod refusals;
mod repeats;
pub(super) mod requests;
pub(super) mod review;
mod row_parts;
pub(super) mod rows;
mod runner;
mod schema;
pub(super) mod sending;
pub(super) mod sent_here;
mod snapshots;
mod store;
pub(super) mod takeover;
#[cfg(feature = "team")]
mod team_admin;
mod team_status;
#[cfg(feature = "team")]
mod team_store;
#[cfg(test)]
mod tests;
pub(super) mod transfer;
mod tx;

pub use crate::jobs::error::JournalError;
pub(super) use accounts::Account;
pub use adopt::Adopted;
pub use connection_report::JournalWatch;
use connection_report::ReconnectTime;
pub use file_status::FileStatus;
pub(super) use file_watch::FileWatch;
pub use lost_writes::RecentLoss;
pub use operation::{Fault, Moment, Watcher};
pub(super) use owner::Process;
pub use recent::{RecentEntry, known_offset, recent_jobs, recent_templates};
pub(super) use runner::{PendingOperation, Started};
pub(super) use store::Store;
pub use team_status::{Creation, Migration, ROLES, TeamStatus};

use crate::api::MaySend;
use crate::fs::{create_private_dir, open_private_append, pragma};
use crate::jobs::journal::prelude::*;
#[cfg(feature = "team")]
use lease::LeaseTime;
use owner::ThisProcess;
use place::{Files, Site};
use runner::{Backend, FileStore, JournalState, JournalTask};
use schema::{assure_none, assure_whole, connect, prepare};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, PoisonError};
#[cfg(feature = "team")]
use team_store::TeamStore;
use tokio::sync::Notify;

/// Maximum wait for another process's lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes of others within this time are looked at together.
const TOGETHER: Duration = Duration::from_millis(250);

/// A handle to the journal. Clones share it; dropping the last one closes it.
#[derive(Clone)]
pub struct Journal {
    store: Store,
    file: Arc<str>,
    /// Whether another process may have the journal open, too.
    pub(super) is_shared: bool,
    /// Checks the file before the first request leaves.
    proof: Arc<Proof>,
    /// Whether this is for trial plans. Nothing is sent from it.
    pub(super) is_copy: bool,
    /// Whether this process has no right to write a team's journal, other than to record an opening.
    pub(super) reads_only: bool,
    is_team: bool,
    pub(super) reconnect: ReconnectTime,
    watch: JournalWatch,
    /// Writes of other processes, if the database notifies them.
    notified: Option<Arc<Notify>>,
    /// Whether [`Store::recover`] has something to do.
    is_unsure: Arc<AtomicBool>,
    #[cfg(feature = "team")]
    lease: Option<LeaseTime>,
}

/// Number of journals on network drives and of leases that this process holds, with a signal for releases.
static CLAIMS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// Counts in [`CLAIMS`] until dropped.
struct Held;

impl Held {
    fn count() -> Self {
        *CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *CLAIMS.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        CLAIMS.1.notify_all();
    }
}

/// This computer's claim to a journal on a network drive.
struct Claim {
    files: Files,
    // Dropped after the release.
    held: Option<Held>,
}

impl Claim {
    fn take(files: Files, site: &Site) -> Result<Self> {
        let claimed = site.is_shared().then(|| files.claim(&site.computer)).transpose()?;
        Ok(Self { files, held: claimed.map(|()| Held::count()) })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.held.is_some() {
            self.files.release();
        }
    }
}

/// Waits until every journal on a network drive and every lease is released for other computers, at most two seconds.
/// Called at the very end of the program.
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
        let me = ThisProcess::appear(Some(&files.owners)).map_err(io)?;
        drop(alone);
        let path = (!site.is_shared()).then(|| files.journal.clone());
        let proof = Proof { path, ..Proof::default() };
        Self::start(connection, me, file, watcher, proof, Some(claim))
    }

    /// A journal in memory, for an in-memory sandbox.
    pub fn in_memory() -> Result<Self> {
        let file: Arc<str> = ":memory:".into();
        let mut connection = Connection::open_in_memory().map_err(|why| JournalError::of(&why, &file))?;
        let me = ThisProcess::appear(None).map_err(|why| JournalError::io(&why, &file))?;
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
            let copied = schema::copy(&Self::file_in(folder), &file);
            // Releasing the claim takes the lock again.
            drop(alone);
            copied?
        } else {
            schema::copy(&files.journal, &file)?
        };
        let me = ThisProcess::appear(None).map_err(|why| JournalError::io(&why, &file))?;
        prepare(&mut connection, &Site::none(), &file)?;
        Ok(Self { is_copy: true, ..Self::start(connection, me, file, None, Proof::default(), None)? })
    }

    /// # Errors
    /// This process has lost its lease on a team's journal: another one may have taken over its jobs. Never for a
    /// file.
    #[cfg_attr(
        not(feature = "team"),
        expect(clippy::unused_async, reason = "only a team's journal has a lease")
    )]
    pub(super) async fn assure_lease(&self) -> Result<()> {
        #[cfg(feature = "team")]
        if let Some(lease) = &self.lease
            && !lease.is_valid_soon().await
        {
            let why = TeamError::Away(localizable!("this lapel was not heard for too long"));
            return Err(JournalError::Team { server: self.file.to_string(), why });
        }
        Ok(())
    }

    /// For a request that is recorded afterwards: this process may send it only until its lease ends. `None` for a file.
    pub(super) fn may_send(&self) -> Option<MaySend> {
        #[cfg(feature = "team")]
        return self.lease.as_ref().map(LeaseTime::may_send);
        #[cfg(not(feature = "team"))]
        None
    }

    fn start(
        connection: Connection,
        me: ThisProcess,
        file: Arc<str>,
        watcher: Option<Watcher>,
        proof: Proof,
        claim: Option<Claim>,
    ) -> Result<Self> {
        let (is_shared, process) = (me.can_have_company(), me.process.clone());
        // Data removed before a crash may still be in the log.
        let backend = Backend::File(Box::new(FileStore { connection, me, log_is_dirty: is_shared }));
        let state = JournalState { backend, file: file.clone(), watcher, dead: false, claim };
        let work = spawn("journal", state)?;
        Ok(Self {
            is_shared,
            ..Self::over(Store { writes: work.clone(), reads: work, process }, file, proof)
        })
    }

    /// The same journal, from which nothing is sent.
    pub(super) fn for_trial(self) -> Self {
        Self { is_copy: true, ..self }
    }

    /// A journal on a file that nobody else uses.
    fn over(store: Store, file: Arc<str>, proof: Proof) -> Self {
        Self {
            store,
            file,
            is_shared: false,
            proof: Arc::new(proof),
            is_copy: false,
            reads_only: false,
            is_team: false,
            reconnect: ReconnectTime::default(),
            watch: JournalWatch::of_file(),
            notified: None,
            is_unsure: Arc::default(),
            #[cfg(feature = "team")]
            lease: None,
        }
    }

    /// Checks once per process that the file is intact. A damaged file may have lost what was sent. A second
    /// connection checks, so that other reads and writes do not wait.
    ///
    /// # Errors
    /// [`JournalError::Corrupt`] with the damage. The next call checks again.
    pub(super) async fn assure_whole(&self) -> Result<()> {
        let check = async {
            let file = self.file.clone();
            let Some(path) = self.proof.path.clone() else {
                return assure_none(&self.store.quick_check().await?, &file);
            };
            let check = move || {
                let second = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY, &file)?;
                second.busy_timeout(PATIENCE).map_err(|why| JournalError::of(&why, &file))?;
                assure_whole(&second, &file)
            };
            tokio::task::spawn_blocking(check).await.map_err(|_| JournalError::Closed)?
        };
        self.proof.whole.get_or_try_init(|| check).await.copied()
    }

    /// Limits the database to `pages` more pages, or removes the limit. Simulates a full disk in tests.
    #[doc(hidden)]
    pub async fn leave_room(&self, pages: Option<u32>) -> Result<()> {
        self.store
            .run(move |state| {
                let Backend::File(store) = &state.backend else { return Ok(()) };
                let failed = |why| JournalError::of(&why, &state.file);
                let used = pragma(&store.connection, "page_count").map_err(failed)?;
                let most = pages.map_or(i64::from(u32::MAX - 1), |more| used + i64::from(more));
                let limit = format!("PRAGMA max_page_count = {most}");
                store.connection.query_row(&limit, [], |_| Ok(())).map_err(failed)
            })
            .await
    }

    pub fn place(&self) -> &str {
        &self.file
    }

    /// For a team's database, which may be away.
    pub(super) fn watch(&self) -> JournalWatch {
        self.watch.clone()
    }

    /// For a file that other processes of this computer may write.
    pub(super) fn watch_file(&self) -> Option<FileWatch> {
        let path = self.proof.path.as_deref().filter(|_| self.is_shared)?;
        FileWatch::of(path)
    }

    /// Waits until another process has written, if the database notifies that, and for what follows at once.
    pub(super) async fn others_wrote(&self) {
        match &self.notified {
            Some(notified) => notified.notified().await,
            None => std::future::pending().await,
        }
        tokio::time::sleep(TOGETHER).await;
    }

    /// Whether everything in it ends with this process. A team's database keeps the drafts of a trial.
    pub(super) fn is_temporary(&self) -> bool {
        self.is_copy && !self.is_team
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Whether the connection for writes has failed, or a write may be durable although its caller got an error:
    /// [`Store::recover`] may help. Never for a file.
    pub(super) fn is_unsure(&self) -> bool {
        self.is_unsure.load(Ordering::Acquire)
    }
}

#[cfg(feature = "team")]
impl Journal {
    /// Opens the journal of a team. `who` is this person's name for the others. In the data folder `data_dir` this
    /// process notes its last request, so that the next one notices if the database lost it.
    ///
    /// # Errors
    /// Any [`JournalError`] except `Closed`. Nothing was changed.
    pub fn open_team(login: crate::team::Login, who: &str, data_dir: Option<&Path>) -> Result<Self> {
        Self::open_team_as(login, who, None, Some(data_dir))
    }

    /// Opens the journal of a team without a lease: this process owns no jobs, and others do not see it.
    pub fn read_team(login: crate::team::Login, who: &str) -> Result<Self> {
        Self::open_team_as(login, who, None, None)
    }

    #[doc(hidden)]
    pub fn open_team_watched(login: crate::team::Login, who: &str, watcher: Option<Watcher>) -> Result<Self> {
        Self::open_team_as(login, who, watcher, Some(None))
    }

    /// `writes` is the data folder of a process that writes.
    #[allow(clippy::option_option, reason = "a process that writes may have no folder")]
    fn open_team_as(
        login: crate::team::Login,
        who: &str,
        watcher: Option<Watcher>,
        writes: Option<Option<&Path>>,
    ) -> Result<Self> {
        let reads_only = writes.is_none();
        let file: Arc<str> = login.server.to_string().into();
        let me = ThisProcess::of_team(who, &place::computer());
        // On a thread of its own: the caller's may not block, since it may run other tasks.
        let opening = std::thread::scope(|scope| {
            let me = writes.map(|data_dir| (&me, data_dir));
            scope.spawn(move || TeamStore::open(login, me)).join().map_err(|_| JournalError::Closed)
        });
        let (store, reading) = opening??;
        let (watch, is_unsure) = (store.connection.watch(), store.is_unsure.clone());
        let reconnect = store.reconnect.clone();
        let lease = store.lease.as_ref().map(|lease| (lease.time.clone(), lease.notified.others.clone()));
        // A process that only reads looks for writes of others now and then.
        let (lease, notified) = lease.unzip();
        let state = |store, watcher| JournalState {
            backend: Backend::Team(Box::new(store)),
            file: file.clone(),
            watcher,
            dead: false,
            claim: None,
        };
        let reads = spawn("journal reads", state(reading, None))?;
        let writes = spawn("journal", state(store, watcher))?;
        let store = Store { writes, reads, process: me.process.clone() };
        let opened = Self::over(store, file, Proof::default());
        let opened = Self { is_shared: true, reads_only, is_team: true, reconnect, ..opened };
        Ok(Self { watch, notified, is_unsure, lease, ..opened })
    }

    /// Creates the tables of a team's journal in a database, unless it has them.
    pub fn create_team(login: &crate::team::Login) -> Result<Creation> {
        on_a_thread(|| team_admin::create(login))
    }

    /// Brings the tables of a team's journal to this version's schema.
    ///
    /// # Errors
    /// The database cannot be used, its schema is newer, its user may not change tables, or another process uses it.
    pub fn migrate_team(login: &crate::team::Login) -> Result<Migration> {
        on_a_thread(|| team_admin::migrate(login, team_admin::STEPS, team_admin::SCHEMA))
    }

    /// As [`Self::migrate_team`], with steps of a test: the schema that each leads to, and its SQL.
    #[doc(hidden)]
    pub fn migrate_team_by(login: &crate::team::Login, steps: &[(i64, &str)]) -> Result<Migration> {
        let newest = steps.last().map_or(team_admin::SCHEMA, |(schema, _)| *schema);
        on_a_thread(|| team_admin::migrate(login, steps, newest))
    }

    pub fn team_status(login: &crate::team::Login) -> Result<TeamStatus> {
        on_a_thread(|| team_admin::status(login).map_err(|why| JournalError::team(why, &login.server)))
    }

    /// Ends the lease and renews it, as a computer does that has slept: for tests.
    #[doc(hidden)]
    pub fn sleep(&self) {
        self.end_lease();
        if let Some(lease) = &self.lease {
            lease.renew(crate::boot_clock::boot_ms());
        }
    }

    /// Ends the time for which this process relies on its lease, as an outage of the database does: for tests.
    #[doc(hidden)]
    pub fn end_lease(&self) {
        if let Some(lease) = &self.lease {
            lease.end();
        }
    }
}

/// Starts a thread that runs operations, until nobody can send it more.
fn spawn(name: &str, state: JournalState) -> Result<Sender<JournalTask>> {
    let (work, queue) = channel();
    let file = state.file.clone();
    std::thread::Builder::new()
        .name(name.into())
        .spawn(move || runner::run(state, &queue))
        .map_err(|why| JournalError::io(&why, &file))?;
    Ok(work)
}

/// A team's connection needs a thread that runs no other tasks.
fn on_a_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| scope.spawn(work).join()).map_err(|_| JournalError::Closed)?
}

/// Random and unique.
fn random_number() -> String {
    format!("{:032x}", fastrand::u128(..))
}

fn shown(path: &Path) -> String {
    crate::domain::text::scrub(&path.to_string_lossy()).into_owned()
}

/// A digest of parts. The length of each comes first, so that no two lists of parts are the same bytes.
fn digest<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> [u8; 16] {
    let mut sum = ring::digest::Context::new(&SHA256);
    for part in parts {
        sum.update(&(part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    sum.finish().as_ref().first_chunk().copied().unwrap_or_default()
}

/// The ids of badges as the JSON parameter of a set statement.
fn json_ids<'b>(badges: impl IntoIterator<Item = &'b BadgeId>) -> String {
    json(&badges.into_iter().map(BadgeId::wire).collect::<Vec<_>>())
}

/// A list as the JSON parameter of a set statement.
fn json<T: serde::Serialize + ?Sized>(list: &T) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}
