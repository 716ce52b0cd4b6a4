//! A journal on a team's database.
//!
//! Writes of all computers happen one after the other, as those of a file do: the first statement of each locks the
//! one row of the table `store`. So every rule that holds on a file holds here.
//!
//! There are two of them in a process: one for writes, and one for reads, which do not wait for a write that hangs.
//!
//! A commit whose answer is lost may have worked. The write is then repeated with the same number, which the database
//! refuses if it has it.

use super::confirmed_writes::ConfirmedWrites;
use super::connection_report::{ConnectionReport, ReconnectTime};
use super::lease::Lease;
use super::operation::{Fault, Moment, Operation, Undo, Undoing};
use super::owner::ThisProcess;
use super::team_admin::SCHEMA;
use super::tx::team::{Statements, TeamTx, assure_own, connected, schema};
use super::{erase, lost_writes, random_number};
use crate::jobs::journal::prelude::*;
use crate::team::{DatabaseSession, LONG_STATEMENTS, Login, Waiter};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_postgres::IsolationLevel;

/// Pause between two attempts.
const AGAIN: Duration = Duration::from_millis(100);
/// After a failed attempt to connect, reads fail at once for this time, so that they do not wait in a row.
const AWAY: Duration = Duration::from_secs(1);
/// Writes of a whole job. One of their statements can take long.
const LONG: [&str; 17] = [
    "plan",
    "rows",
    "keep draft",
    "discard",
    "guard",
    "baseline",
    "guarded",
    "review",
    "undo review",
    "begin",
    "decide",
    "call off",
    "take over",
    "adopt",
    "begin move",
    "take copy",
    erase::PURGE,
];

pub(super) struct TeamStore {
    login: Login,
    session: Option<DatabaseSession>,
    statements: Statements,
    /// The last attempt to connect, if it failed.
    away: Option<AwayNote>,
    /// How many writes have worked. Shared by both connections.
    writes: Arc<AtomicU64>,
    unsure: Vec<Unsure>,
    /// Whether [`Self::recover`] has something to do.
    pub(super) is_unsure: Arc<AtomicBool>,
    pub(super) reconnect: ReconnectTime,
    /// Shared by both connections. `None` for a process that only reads.
    confirmed: Option<Arc<Mutex<ConfirmedWrites>>>,
    pub(super) connection: ConnectionReport,
    /// Whether the database was a standby when this connection looked for lost writes. It may have taken over since.
    is_standby: bool,
    /// Ends after everything else. `None` for a process that only reads, and for the connection for reads.
    pub(super) lease: Option<Lease>,
}

/// A failed attempt to connect.
struct AwayNote {
    at: Instant,
    why: TeamError,
    /// The value of [`TeamStore::writes`] then.
    writes: u64,
}

/// A write that may be durable, although its caller got an error.
struct Unsure {
    op: String,
    undo: Undoing,
}

fn assure_schema(found: i64) -> Result<(), TeamError> {
    if found == SCHEMA { Ok(()) } else { Err(TeamError::Schema { found, known: SCHEMA }) }
}

fn check_schema(session: &DatabaseSession) -> Result<(), TeamError> {
    assure_schema(schema(session)?)
}

/// The owners among these that are alive.
pub(super) fn living(db: &Tx<'_>, owners: &Vec<String>) -> tx::Result<Vec<String>> {
    db.all(
        "SELECT id FROM process WHERE id IN json_list(?1, text) AND until > clock_timestamp()",
        values![super::json(owners)],
    )
}

impl TeamStore {
    /// Opens a connection for writes, and prepares one for reads. Without `me` the process only reads. With it, its data
    /// folder may have the last request of an earlier process.
    ///
    /// # Errors
    /// The database cannot be used, or its journal is of another version.
    pub(super) fn open(
        login: Login,
        me: Option<(&ThisProcess, Option<&Path>)>,
    ) -> Result<(Self, Self), JournalError> {
        let failed = |why: TeamError| JournalError::team(why, &login.server);
        let session = connected(&login).map_err(failed)?;
        check_schema(&session).map_err(failed)?;
        let tidy = "DELETE FROM applied WHERE at < now() - interval '7 days';
                    DELETE FROM process WHERE until < now() - interval '1 day'";
        let [of_writes, of_reads, of_lease] = ConnectionReport::all();
        let lease = match me {
            Some((me, _)) => {
                // Somebody else may do the same now.
                let _ = session.runtime.block_on(session.client.batch_execute(tidy));
                Some(Lease::take(&login, &me.process, of_lease).map_err(failed)?)
            }
            None => None,
        };
        if let Some(lease) = &lease {
            lease.notified.set_own(&session);
            if lease.pid == Some(session.pid) {
                // Both connections are open.
                return Err(failed(TeamError::Pooled));
            }
        }
        // A migration waits for this process from now on. It may have ended just before.
        check_schema(&session).map_err(failed)?;
        let confirmed =
            me.map(|(me, data_dir)| Arc::new(Mutex::new(ConfirmedWrites::new(me, &login.server, data_dir))));
        let writes = Arc::<AtomicU64>::default();
        let of = |login: Login, connection, session, lease| Self {
            reconnect: ReconnectTime::of(login.limits.reconnect),
            login,
            session,
            statements: Statements::default(),
            away: None,
            writes: writes.clone(),
            unsure: Vec::new(),
            is_unsure: Arc::default(),
            confirmed: confirmed.clone(),
            connection,
            is_standby: false,
            lease,
        };
        let reading = of(login.clone(), of_reads, None, None);
        let mut writing = of(login, of_writes, Some(session), lease);
        writing.notice_loss().map_err(|why| writing.failed(why))?;
        Ok((writing, reading))
    }

    fn confirmed(&self) -> Option<MutexGuard<'_, ConfirmedWrites>> {
        self.confirmed.as_ref().map(|confirmed| confirmed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn failed(&self, why: TeamError) -> JournalError {
        // A user who lost its rights finds no table. The journal is there, and nobody needs to create it.
        let why = match (why, &self.session) {
            (TeamError::NoJournal, Some(session)) if may_not_use(session) => TeamError::Forbidden,
            (why, _) => why,
        };
        JournalError::team(why, &self.login.server)
    }

    fn connect(&mut self) -> Result<(), TeamError> {
        if self.session.as_ref().is_some_and(|session| !session.is_closed()) {
            return Ok(());
        }
        self.session = None;
        self.statements.get_mut().clear();
        let opened = connected(&self.login).and_then(|session| {
            if let Some(lease) = &self.lease {
                lease.notified.set_own(&session);
            }
            self.session = Some(session);
            // It may be another server than before, or another copy of the database, or a newer lapel migrated it.
            check_schema(self.session.as_ref().ok_or_else(no_session)?)?;
            self.notice_loss()
        });
        self.connection.note(&opened, &self.login);
        match opened {
            Ok(()) => {
                self.away = None;
                Ok(())
            }
            Err(why) => {
                self.session = None;
                let writes = self.writes.load(Ordering::Acquire);
                self.away = Some(AwayNote { at: Instant::now(), why: why.clone(), writes });
                Err(why)
            }
        }
    }

    /// Why an attempt to connect failed a moment ago. After a write that worked, the database is back.
    fn just_failed(&self) -> Option<TeamError> {
        let is_away =
            |note: &&AwayNote| note.at.elapsed() < AWAY && note.writes == self.writes.load(Ordering::Acquire);
        self.away.as_ref().filter(is_away).map(|note| note.why.clone())
    }

    /// The same for a read. A write always looks for lost writes.
    fn connect_to_read(&mut self) -> Result<(), TeamError> {
        self.connect()?;
        if self.is_standby { self.notice_loss() } else { Ok(()) }
    }

    /// Finds out whether the database has lost writes, and records that before anything else is written. See
    /// [`lost_writes`].
    fn notice_loss(&mut self) -> Result<(), TeamError> {
        let Some((known, process)) =
            self.confirmed().map(|confirmed| (confirmed.known(), confirmed.process.clone()))
        else {
            return Ok(());
        };
        let history = self.read_once(&known, |db, known| lost_writes::write_history(db, known), false)?;
        self.is_standby = history.is_standby;
        if !history.has_lost {
            return Ok(());
        }
        let Some(session) = &mut self.session else { return Err(no_session()) };
        let DatabaseSession { client, runtime, pid, .. } = session;
        runtime.set_limit(self.login.limits.long);
        let transaction = runtime.block_on(client.transaction())?;
        runtime.block_on(transaction.batch_execute(LONG_STATEMENTS))?;
        let tx = Tx::Team(TeamTx { runtime, transaction: &transaction, statements: &self.statements });
        begin(&tx, *pid, &random_number()).map_err(of_operation)?;
        // Another process may have noticed it meanwhile.
        if lost_writes::write_history(&tx, &known).map_err(of_operation)?.has_lost {
            tracing::warn!("the team's database has lost writes");
            lost_writes::notice(&tx, &process, Timestamp::now()).map_err(of_operation)?;
        }
        runtime.block_on(transaction.commit())?;
        if let Some(mut confirmed) = self.confirmed() {
            confirmed.forget();
        }
        Ok(())
    }

    pub(super) fn read<A, T>(
        &mut self,
        args: &A,
        op: Operation<A, T>,
        is_long: bool,
    ) -> Result<T, JournalError> {
        if let Some(why) = self.just_failed() {
            return Err(self.failed(why));
        }
        // A connection that was idle may have ended meanwhile.
        let first = self.connect_to_read().and_then(|()| self.read_once(args, op, is_long));
        let read = match first {
            Err(why) if is_passing(&why) => {
                if matches!(why, TeamError::Away(_)) {
                    // The connection may not know yet that it has ended.
                    self.session = None;
                }
                self.connect_to_read().and_then(|()| self.read_once(args, op, is_long))
            }
            other => other,
        };
        let read = read.map_err(|why| self.failed(why));
        match &read {
            Ok(_) => self.connection.note_reading(None),
            // What the screens show is then from the past, as it is while the database is away.
            Err(why) if why.is_forbidden() && self.session.as_ref().is_some_and(may_not_use) => {
                self.connection.note_reading(Some(why.clone()));
            }
            Err(_) => {}
        }
        read
    }

    fn read_once<A, T>(&mut self, args: &A, op: Operation<A, T>, is_long: bool) -> Result<T, TeamError> {
        let Some(session) = &mut self.session else { return Err(no_session()) };
        let DatabaseSession { client, runtime, .. } = session;
        let limits = self.login.limits;
        runtime.set_limit(limits.read);
        let begin = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start();
        let transaction = runtime.block_on(begin)?;
        if is_long {
            runtime.block_on(transaction.batch_execute(LONG_STATEMENTS))?;
            runtime.set_limit(limits.long);
        }
        let tx = TeamTx { runtime, transaction: &transaction, statements: &self.statements };
        let value = op(&Tx::Team(tx), args).map_err(of_operation)?;
        let _ = runtime.block_on(transaction.rollback());
        Ok(value)
    }

    /// See [`super::runner::JournalState::write`]. `None` after a simulated power cut.
    pub(super) fn write<A, T>(
        &mut self,
        step: &'static str,
        args: &A,
        op: Operation<A, T>,
        undo: Option<Undo<A, T>>,
        fault: &dyn Fn(Moment) -> Fault,
    ) -> Result<Option<T>, JournalError> {
        // The last writes do not wait in a row either.
        if let Some(why) = self.just_failed().filter(|_| self.reconnect.is_over()) {
            return Err(self.failed(why));
        }
        let number = random_number();
        // From the first failure on: what failed may have taken long.
        let mut end: Option<Instant> = None;
        let mut maybe: Option<T> = None;
        let why = loop {
            let connected = self.connect();
            let is_connected = connected.is_ok();
            let attempt = connected
                .and_then(|()| self.settle())
                .and_then(|()| self.write_once(step, &number, args, op, &mut maybe, fault));
            let (is_first, is_away) = (end.is_none(), matches!(attempt, Err(TeamError::Away(_))));
            let is_in_time = attempt.is_ok()
                || Instant::now() < *end.get_or_insert_with(|| Instant::now() + self.reconnect.limit)
                    && !(is_away && self.reconnect.is_over());
            match attempt {
                // A new connection may work at once.
                Err(TeamError::Away(_)) if is_connected && (is_in_time || is_first) => {}
                Ok(Attempt::Done(value)) => {
                    if let Some(mut confirmed) = self.confirmed() {
                        confirmed.saw(number, step);
                    }
                    self.writes.fetch_add(1, Ordering::Release);
                    self.note_unsure();
                    return Ok(Some(value));
                }
                Ok(Attempt::Crashed) => return Ok(None),
                Ok(Attempt::Again) => {}
                Ok(Attempt::OtherOrigin) => {
                    if let Err(why) = self.notice_loss() {
                        break why;
                    }
                }
                Err(why) if is_passing(&why) && is_in_time => std::thread::sleep(AGAIN),
                Err(why) => break why,
            }
        };
        // Nobody knows whether an earlier attempt worked.
        let why = if maybe.is_some() && matches!(why, TeamError::Busy) { no_session() } else { why };
        let why = self.failed(why);
        if let Some(undo) = undo.zip(maybe.as_ref()).and_then(|(undo, value)| undo(args, value, &why)) {
            self.unsure.push(Unsure { op: number, undo });
        }
        self.note_unsure();
        Err(why)
    }

    fn note_unsure(&self) {
        self.is_unsure.store(self.away.is_some() || !self.unsure.is_empty(), Ordering::Release);
    }

    pub(super) fn recover(&mut self) -> Result<(), JournalError> {
        let recovered = self.connect().and_then(|()| self.settle());
        self.note_unsure();
        recovered.map_err(|why| self.failed(why))
    }

    fn write_once<A, T>(
        &mut self,
        step: &'static str,
        number: &str,
        args: &A,
        op: Operation<A, T>,
        maybe: &mut Option<T>,
        fault: &dyn Fn(Moment) -> Fault,
    ) -> Result<Attempt<T>, TeamError> {
        let Some(session) = &mut self.session else { return Err(no_session()) };
        let DatabaseSession { client, runtime, pid, .. } = session;
        let limits = self.login.limits;
        runtime.set_limit(limits.write);
        let transaction = runtime.block_on(client.transaction())?;
        let tx = Tx::Team(TeamTx { runtime, transaction: &transaction, statements: &self.statements });
        let is_writer = self.confirmed.is_some();
        let mut work = || {
            let (is_new, has_other_origin) = begin(&tx, *pid, number).map_err(of_operation)?;
            if has_other_origin && is_writer {
                return Ok(Err(Attempt::OtherOrigin));
            }
            if !is_new {
                // An earlier attempt worked.
                return maybe.take().map(|value| Err(Attempt::Done(value))).ok_or_else(no_session);
            }
            // An earlier attempt did nothing: its number was free.
            *maybe = None;
            if LONG.contains(&step) {
                runtime.block_on(transaction.batch_execute(LONG_STATEMENTS))?;
                runtime.set_limit(limits.long);
            }
            op(&tx, args).map(Ok).map_err(of_operation)
        };
        let worked = work();
        runtime.set_limit(limits.write);
        let value = match worked {
            Ok(Ok(value)) => value,
            Ok(Err(attempt)) => {
                roll_back(runtime, transaction);
                return Ok(attempt);
            }
            Err(why) => {
                if !matches!(why, TeamError::Away(_)) {
                    roll_back(runtime, transaction);
                }
                return Err(why);
            }
        };
        match fault(Moment::Before(step)) {
            Fault::None => {}
            Fault::Replay => {
                roll_back(runtime, transaction);
                return Ok(Attempt::Again);
            }
            Fault::Crash => return Ok(Attempt::Crashed),
            Fault::Disconnect => {
                drop(transaction);
                self.session = None;
                return Err(no_session());
            }
        }
        let committed = runtime.block_on(transaction.commit());
        let disconnected = fault(Moment::After(step));
        match (committed, disconnected) {
            (Ok(()), Fault::Crash) => Ok(Attempt::Crashed),
            (Ok(()), Fault::Disconnect) => {
                *maybe = Some(value);
                self.session = None;
                Err(no_session())
            }
            (Ok(()), _) => Ok(Attempt::Done(value)),
            (Err(why), _) => {
                *maybe = Some(value);
                Err(why)
            }
        }
    }

    /// Finds out about writes that may be durable although their callers got an error, and undoes them.
    fn settle(&mut self) -> Result<(), TeamError> {
        while let Some(unsure) = self.unsure.last() {
            let Some(session) = &mut self.session else { return Err(no_session()) };
            let DatabaseSession { client, runtime, pid, .. } = session;
            runtime.set_limit(self.login.limits.write);
            let transaction = runtime.block_on(client.transaction())?;
            let tx = Tx::Team(TeamTx { runtime, transaction: &transaction, statements: &self.statements });
            // Takes the number, so that the write cannot become durable later.
            let (is_new, _) = begin(&tx, *pid, &unsure.op).map_err(of_operation)?;
            if !is_new {
                (unsure.undo)(&tx).map_err(of_operation)?;
            }
            runtime.block_on(transaction.commit())?;
            self.unsure.pop();
        }
        Ok(())
    }
}

/// Ends a transaction that changed nothing. Dropped, it ends with the next use of the connection, and until then all
/// other writes wait.
fn roll_back(runtime: &Waiter, transaction: tokio_postgres::Transaction<'_>) {
    let _ = runtime.block_on(transaction.rollback());
}

enum Attempt<T> {
    Done(T),
    /// A watcher asked for a replay.
    Again,
    /// The database is another copy than before. Nothing was written.
    OtherOrigin,
    /// A simulated power cut.
    Crashed,
}

/// Waits for all other writes. Returns whether the number is new, and whether the database is another copy than
/// before: a backup may replace the tables while a connection is open.
///
/// # Errors
/// The journal is of another version: while this process slept, its lease ended and another one migrated it.
fn begin(tx: &Tx<'_>, pid: i32, number: &str) -> tx::Result<(bool, bool)> {
    let sql = "SELECT begin_write(?1), has_other_origin(), pg_backend_pid(), schema_now()";
    tx.row(sql, values![number], |r| {
        let works = i32::try_from(r.get::<i64>(2)?).unwrap_or(0);
        assure_own(pid, works)?;
        assure_schema(r.get(3)?)?;
        Ok((r.get(0)?, r.get(1)?))
    })
}

/// Whether the journal exists, and the user has no right to see what is in it.
fn may_not_use(session: &DatabaseSession) -> bool {
    let sql = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'lapel' AND NOT has_schema_privilege(oid, 'USAGE'))";
    session.runtime.block_on(session.client.query_one(sql, &[])).is_ok_and(|row| row.get(0))
}

/// Whether the same write may work if it is repeated.
fn is_passing(why: &TeamError) -> bool {
    matches!(why, TeamError::Away(_) | TeamError::Busy)
}

fn no_session() -> TeamError {
    TeamError::Away(localizable!("the connection was lost"))
}

fn of_operation(why: tx::Error) -> TeamError {
    match why {
        tx::Error::Team(why) => why,
        tx::Error::Changed(job) => TeamError::Changed { job: job.0 },
        tx::Error::Elsewhere(why) => TeamError::Elsewhere(why),
        other => TeamError::Other(other.to_string()),
    }
}
