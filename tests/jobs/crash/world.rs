//! A service, a folder with a journal, and sessions of lapel over both, one after the other.

use crate::common::{frozen, session};
use crate::team;
use lapel::api::{Access, Call, Connection, connect};
use lapel::config::Environment;
use lapel::jobs::{Account, Fault, JobChange, JobConfig, Jobs, Journal, Moment, Watcher};
use lapel::sandbox::{Control, Options, Sandbox};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};

/// Where the services run: they outlive every session.
static SERVICES: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a place for the services")
});

/// Every service has keys of its own: ports come round again, and the pace of a key is shared.
static SEED: AtomicU64 = AtomicU64::new(1);

/// No condition of a test takes longer than this, however slow the machine.
pub const BOUND: Duration = Duration::from_secs(300);

pub struct World {
    sandbox: Sandbox,
    folder: tempfile::TempDir,
    connection: Connection,
    pub settings: JobConfig,
    /// The fingerprint under which the next session's jobs are filed, if it is not that of the key.
    pub former: Option<String>,
    /// Times that a person came to look, over all sessions.
    pub round: AtomicUsize,
}

impl World {
    /// A service with switches and a small history, whose clock moves only when it is pushed.
    pub fn new(switches: &[(&str, &str)]) -> Self {
        let switches = switches.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self::with(Options { switches, history: Some(40), ..frozen() })
    }

    pub fn with(options: Options) -> Self {
        let seed = SEED.fetch_add(1, Ordering::Relaxed);
        let options = Options { seed, ..options };
        let sandbox =
            SERVICES.block_on(Sandbox::start(options.showing_waiting())).expect("the sandbox starts");
        let mut connection = session(&sandbox, Environment::Demo).connection;
        connection.timeouts.pause = Duration::from_millis(2);
        Self {
            sandbox,
            folder: tempfile::tempdir().expect("a folder"),
            connection,
            settings: JobConfig { batch: 5, ..JobConfig::default() },
            former: None,
            round: AtomicUsize::new(0),
        }
    }

    pub fn control(&self) -> Control {
        self.sandbox.control()
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The values of a query of the journal; see [`team::query`].
    pub fn query(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        team::query(self.folder(), sql)
    }

    pub fn number(&self, sql: &str) -> u64 {
        team::number(self.folder(), sql)
    }

    pub fn change(&self, sql: &str) {
        team::change(self.folder(), sql);
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub fn account(&self) -> Account {
        Account::of("demo", &self.connection)
    }

    pub fn key(&self) -> &str {
        self.sandbox.api_key()
    }

    pub fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub fn advance(&self, minutes: u64) {
        self.control().advance(Duration::from_secs(minutes * 60));
    }

    pub fn fault(&self, rule: &str) {
        self.control().add_fault(rule).expect(rule);
    }

    /// A session that begins now, in a runtime that somebody else keeps going.
    pub async fn begin(&self, watcher: Option<Watcher>) -> Session {
        self.begin_over(team::open(self.folder(), watcher).expect("a journal")).await
    }

    pub async fn begin_over(&self, journal: Journal) -> Session {
        let kept = journal.clone();
        let mut account = self.account();
        if let Some(former) = &self.former {
            account.key.clone_from(former);
        }
        let access = connect(&self.connection).expect("connected");
        let (jobs, events) =
            Jobs::start(access.clone(), journal, account, self.settings.clone()).await.expect("jobs");
        Session { jobs, events, access, journal: kept }
    }

    /// Lives through one session. It ends with `life`, or where the trap says: then everything of it is gone at
    /// once, with what was on its way. `None` when it was cut short.
    pub fn session<T>(&self, trap: &Arc<Trap>, life: impl AsyncFnOnce(&mut Session) -> T) -> Option<T> {
        let lived = self.session_beside(trap, life);
        self.let_go();
        lived
    }

    /// The same beside another session over the same folder.
    pub fn session_beside<T>(
        &self,
        trap: &Arc<Trap>,
        life: impl AsyncFnOnce(&mut Session) -> T,
    ) -> Option<T> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let watcher = trap.watcher();
        let lived = runtime.block_on(async {
            let fallen = trap.fallen();
            let living = async {
                let mut session = self.begin(Some(watcher)).await;
                life(&mut session).await
            };
            tokio::select! {
                biased;
                () = fallen => None,
                lived = living => Some(lived),
            }
        });
        drop(runtime);
        lived
    }

    /// Works on the journal without a session. `None` when the trap cut it short.
    pub fn journal<T>(&self, trap: &Arc<Trap>, work: impl AsyncFnOnce(Journal) -> T) -> Option<T> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let journal = team::open(self.folder(), Some(trap.watcher())).expect("a journal");
        let done = runtime.block_on(async {
            tokio::select! {
                biased;
                () = trap.fallen() => None,
                done = work(journal) => Some(done),
            }
        });
        drop(runtime);
        self.let_go();
        done
    }

    /// Waits until nobody holds the journal any more: its thread is not the runtime's.
    pub fn let_go(&self) {
        let until = Instant::now() + BOUND;
        while self.is_held() {
            assert!(Instant::now() < until, "the journal is still held");
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    fn is_held(&self) -> bool {
        team::is_held(self.folder())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        #[cfg(feature = "team")]
        if team::is_team() {
            team::drop_database(self.folder());
        }
    }
}

/// lapel, as long as it lives.
pub struct Session {
    pub jobs: Jobs,
    pub events: mpsc::Receiver<JobChange>,
    pub access: Access,
    pub journal: Journal,
}

impl Session {
    /// Hears what the service's clock shows: it moves only when the test pushes it.
    pub async fn hear(&self) {
        // A service that fails just now is heard later.
        let _ = self.access.reader().ping(&Call::interactive()).await;
    }
}

/// When a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In its own time.
    Lives,
    /// Before the commit of its n-th write, counted from 0.
    Before(usize),
    /// After that commit, before anybody hears of it.
    After(usize),
    /// In the same ways, at its first write of this name.
    BeforeFirst(&'static str),
    AfterFirst(&'static str),
    /// So long after it began, wherever that is.
    Within(Duration),
    /// In its own time. Every write is undone once and run again.
    Replays,
    /// In its own time. Every write loses its connection before its commit, and again before the commit's answer.
    Disconnects,
}

/// Ends a session, and keeps which writes it made.
pub struct Trap {
    end: End,
    writes: Mutex<Vec<&'static str>>,
    /// Whether the current write was undone.
    undone: AtomicBool,
    disconnects: AtomicUsize,
    fallen: watch::Sender<bool>,
}

impl Trap {
    pub fn new(end: End) -> Arc<Self> {
        Arc::new(Self {
            end,
            writes: Mutex::default(),
            undone: AtomicBool::new(false),
            disconnects: AtomicUsize::new(0),
            fallen: watch::Sender::new(false),
        })
    }

    /// The names of the writes so far, in order.
    pub fn writes(&self) -> Vec<&'static str> {
        self.writes.lock().expect("a list").clone()
    }

    pub fn watcher(self: &Arc<Self>) -> Watcher {
        let trap = self.clone();
        Arc::new(move |moment| {
            let is_before = matches!(moment, Moment::Before(_));
            if trap.end == End::Replays && is_before && !trap.undone.fetch_xor(true, Ordering::Relaxed) {
                return Fault::Replay;
            }
            if trap.end == End::Disconnects {
                // In turn: before the commit, not before it the second time, and after it.
                let nth = trap.disconnects.fetch_add(1, Ordering::Relaxed);
                return if nth % 3 == 1 { Fault::None } else { Fault::Disconnect };
            }
            let mut writes = trap.writes.lock().expect("a list");
            let dies = match moment {
                Moment::Before(step) => {
                    writes.push(step);
                    trap.end == End::Before(writes.len() - 1) || trap.end == End::BeforeFirst(step)
                }
                Moment::After(step) => {
                    trap.end == End::After(writes.len() - 1) || trap.end == End::AfterFirst(step)
                }
            };
            if dies {
                trap.fallen.send_replace(true);
                Fault::Crash
            } else {
                Fault::None
            }
        })
    }

    pub async fn fallen(&self) {
        let mut fallen = self.fallen.subscribe();
        let fell = async { drop(fallen.wait_for(|fell| *fell).await) };
        match self.end {
            End::Within(time) => drop(tokio::time::timeout(time, fell).await),
            _ => fell.await,
        }
    }
}
