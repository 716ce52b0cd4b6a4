//! The server of this process of tests, with a database for each test that wants one, and what starts a server.

use lapel::jobs::Journal;
use lapel::team::{DatabaseLimits, DatabaseSession, Host, Login, Server, TeamError};
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};

/// The server ends when the test process does, however that ends: it closes the pipe.
pub(super) struct Cluster {
    folder: PathBuf,
    port: u16,
    _watch: Child,
}

/// The name of a socket has it, so servers with folders of their own can share it.
pub(super) const PORT: u16 = 5432;
static CLUSTER: LazyLock<Cluster> = LazyLock::new(Cluster::with_journal);
/// Never two at once: a database that is copied must not be in use.
pub(super) static DATABASES: LazyLock<Mutex<(usize, HashMap<PathBuf, Login>)>> =
    LazyLock::new(Mutex::default);

/// By folder: the folder of the socket to which its sessions connect instead of the server, and their limits.
static ROUTES: LazyLock<Mutex<HashMap<PathBuf, (PathBuf, &'static DatabaseLimits)>>> =
    LazyLock::new(Mutex::default);

/// Open connections of the administrator, the last used one at the end. To connect costs a server much more than a
/// query.
static SESSIONS: Mutex<Vec<(Login, DatabaseSession)>> = Mutex::new(Vec::new());
const MOST_SESSIONS: usize = 48;

const WATCH: &str = r#"
    "$@" & server=$!
    cat >/dev/null
    kill -INT $server; wait $server; $AFTER"#;

pub(super) fn program(name: &str) -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = installed.map(|version| version.path().join("bin")).collect();
    places.sort();
    places.push("/usr/sbin".into());
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    places.into_iter().rev().map(|place| place.join(name)).find(|path| path.is_file())
}

pub fn is_installed() -> bool {
    program("initdb").is_some() && program("postgres").is_some()
}

/// PostgreSQL refuses to run as root.
pub(super) fn as_user(program: &Path) -> Command {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    command
}

/// Whether the server waits for its disk, as in use: to measure. A test never cuts the power.
fn is_durable() -> bool {
    std::env::var_os("LAPEL_TEST_FSYNC").is_some()
}

/// An empty folder for a server. The name is short, since the path of a socket is limited.
fn empty_folder() -> tempfile::TempDir {
    // In memory if there is room: each database has 300 files. Not to measure, since memory needs no wait.
    let memory = !is_durable()
        && rustix::fs::statvfs("/dev/shm").is_ok_and(|room| room.f_bavail * room.f_frsize > 4 << 30);
    let place = if memory { "/dev/shm" } else { "/tmp" };
    let folder = tempfile::Builder::new().prefix("lapel-pg-").tempdir_in(place).expect("a folder");
    own(folder.path());
    folder
}

/// Makes the data of a server without databases in a folder.
fn make_data(folder: &Path) {
    let mut made = as_user(&program("initdb").expect("PostgreSQL is installed"));
    made.args(["--no-sync", "-A", "trust", "-U", "lapel", "-E", "UTF8", "--locale=C", "-D"])
        .arg(folder.join("data"));
    let made = made.current_dir(folder).output().expect("initdb");
    assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
}

/// A folder for a server, in which it has its data.
pub(super) fn new_folder() -> tempfile::TempDir {
    let folder = empty_folder();
    make_data(folder.path());
    folder
}

/// The same with a journal in the database `journal`. It is made once, within the folder of the shared server.
pub(super) fn folder_with_journal() -> tempfile::TempDir {
    static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
        let made = CLUSTER.folder.join("own");
        std::fs::create_dir(&made).expect("a folder");
        own(&made);
        make_data(&made);
        let watch = serve(&made, PORT, "", ":");
        run(&login_of(&made, PORT, "postgres"), "CREATE DATABASE journal");
        create_journal(&login_of(&made, PORT, "journal"));
        stop(watch);
        made
    });
    let folder = empty_folder();
    copy_data(&MADE.join("data"), &folder.path().join("data"));
    folder
}

/// Copies the data of a server that is stopped. The copy has the same owner.
pub(super) fn copy_data(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.is_ok_and(|status| status.success()), "cp");
}

/// Ends a server, which writes everything to its disk.
pub(super) fn stop(mut watch: Child) {
    drop(watch.stdin.take());
    watch.wait().expect("it ends");
}

/// Starts the server of a folder, which listens on its socket there and on an address. It ends when the returned
/// process loses its standard input, which then runs a command.
pub(super) fn serve(folder: &Path, port: u16, address: &str, after: &str) -> Child {
    let server = as_user(&program("postgres").expect("PostgreSQL is installed"));
    let mut watch = Command::new("sh");
    watch.args(["-c", WATCH, "sh"]).arg(server.get_program()).args(server.get_args());
    watch.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    let safe = if is_durable() { "on" } else { "off" };
    for setting in [
        &*format!("fsync={safe}"),
        &*format!("full_page_writes={safe}"),
        "max_connections=400",
        "shared_buffers=64MB",
        // In its folder, so that nothing is left of a server that is killed.
        "dynamic_shared_memory_type=mmap",
        "autovacuum=off",
        // Most sessions of tests are short: a plan for each value costs them more than what it plans.
        &*format!("plan_cache_mode={}", if is_durable() { "auto" } else { "force_generic_plan" }),
    ] {
        watch.args(["-c", setting]);
    }
    watch.args(["-c", &format!("listen_addresses={address}"), "-p", &port.to_string()]);
    let log = std::env::var_os("LAPEL_TEST_POSTGRESQL_LOG").map_or(folder.join("log"), PathBuf::from);
    let log = std::fs::File::create(log).expect("a log");
    watch.env("AFTER", after).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null());
    let watch = watch.stderr(log).spawn().expect("the server starts");
    drop(connected(&login_of(folder, port, "postgres")));
    watch
}

/// Waits until a server accepts connections: it may be starting, or recovering from a crash.
pub(super) fn connected(login: &Login) -> DatabaseSession {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        match DatabaseSession::open(login) {
            Ok(session) => return session,
            Err(lapel::team::TeamError::Away(_)) if std::time::Instant::now() < end => {}
            Err(why) => {
                let Host::Socket(folder) = &login.server.host else { panic!("{why:?}") };
                let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
                panic!("not connected: {why:?}\n{log}");
            }
        }
        std::thread::park_timeout(std::time::Duration::from_millis(10));
    }
}

/// As the administrator of a server.
pub(super) fn login_of(folder: &Path, port: u16, database: &str) -> Login {
    let server = Server {
        host: Host::Socket(folder.to_owned()),
        port,
        user: "lapel".to_owned(),
        database: database.to_owned(),
    };
    Login { server, password: None, ca: None, limits: &DatabaseLimits::USUAL, refused: Arc::default() }
}

/// Creates roles, a login for each, and a journal.
pub(super) fn create_journal(owner: &Login) {
    let logins = "CREATE ROLE issuer LOGIN; GRANT lapel_issuer TO issuer;
                  CREATE ROLE reader LOGIN; GRANT lapel_reader TO reader;
                  CREATE ROLE keeper LOGIN; GRANT lapel_owner TO keeper; CREATE ROLE nobody LOGIN";
    // Not kept: a database that is copied must not be in use.
    let session = connected(owner);
    for sql in [lapel::jobs::ROLES, logins] {
        session.runtime.block_on(session.client.batch_execute(sql)).expect(sql);
    }
    Journal::create_team(owner).expect("a journal is created");
}

/// What all processes of the shared server have used.
pub fn processor_time() -> std::time::Duration {
    let data = std::fs::canonicalize(CLUSTER.folder.join("data")).expect("its folder");
    let processes = std::fs::read_dir("/proc").expect("processes").flatten().filter_map(|process| {
        let path = process.path();
        let is_ours = std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == data);
        is_ours.then(|| std::fs::read_to_string(path.join("stat")).ok()).flatten()
    });
    // In hundredths of a second. Those of its children that have ended count, too.
    let ticks = processes.map(|stat| {
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(4);
        fields.filter_map(|n| n.parse::<u64>().ok()).sum::<u64>()
    });
    std::time::Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Gives a file to the user who runs the server.
pub(super) fn own(path: &Path) {
    if std::fs::metadata(path).is_ok_and(|about| about.uid() == 0) {
        let owned = Command::new("chown").arg("nobody:nogroup").arg(path).status();
        assert!(owned.is_ok_and(|status| status.success()), "chown");
    }
}

impl Cluster {
    fn with_journal() -> Self {
        let cluster = Self::start(new_folder(), PORT, "");
        cluster.run("CREATE DATABASE empty_journal");
        create_journal(&cluster.login("empty_journal"));
        cluster
    }

    pub(super) fn start(folder: tempfile::TempDir, port: u16, address: &str) -> Self {
        let folder = folder.keep();
        let watch = serve(&folder, port, address, &format!("rm -rf {}", folder.display()));
        Self { folder, port, _watch: watch }
    }

    fn wait(&self) {
        drop(connected(&self.login("postgres")));
    }

    /// As the administrator of the server.
    pub(super) fn login(&self, database: &str) -> Login {
        login_of(&self.folder, self.port, database)
    }

    pub(super) fn run(&self, sql: &str) {
        run(&self.login("postgres"), sql);
    }
}

pub(super) fn run(login: &Login, sql: &str) {
    with_session(login, |session| session.runtime.block_on(session.client.batch_execute(sql))).expect(sql);
}

/// Runs a request on a connection that was used before, or on a new one. Only for requests that do the same if they
/// are repeated: a connection may turn out to be closed.
fn with_session<T>(
    login: &Login,
    request: impl Fn(&DatabaseSession) -> Result<T, TeamError>,
) -> Result<T, TeamError> {
    let mut sessions = SESSIONS.lock().expect("connections");
    let kept = sessions.iter().position(|(other, _)| other.server == login.server);
    let kept = kept.map(|at| sessions.remove(at).1);
    drop(sessions);
    let mut session = kept.filter(|kept| !kept.is_closed()).unwrap_or_else(|| connected(login));
    let mut done = request(&session);
    // The connection may not know yet that the server has ended it.
    if matches!(done, Err(TeamError::Away(_))) {
        session = connected(login);
        done = request(&session);
    }
    if !session.is_closed() {
        let mut sessions = SESSIONS.lock().expect("connections");
        sessions.push((login.clone(), session));
        if sessions.len() > MOST_SESSIONS {
            drop(sessions.remove(0));
        }
    }
    done
}

fn named(folder: Option<&Path>) -> Login {
    let mut databases = DATABASES.lock().expect("databases");
    if let Some(known) = folder.and_then(|folder| databases.1.get(folder)) {
        return known.clone();
    }
    databases.0 += 1;
    let name = format!("journal_{}", databases.0);
    CLUSTER.run(&format!("CREATE DATABASE {name} TEMPLATE empty_journal STRATEGY file_copy"));
    let login = CLUSTER.login(&name);
    if let Some(folder) = folder {
        databases.1.insert(folder.to_owned(), login.clone());
    }
    login
}

/// Removes the database of a folder, and ends its connections.
pub fn drop_database(folder: &Path) {
    let folder = folder.to_owned();
    let dropped = move || {
        let Some(login) = DATABASES.lock().expect("databases").1.remove(&folder) else { return };
        if login.server.host == Host::Socket(CLUSTER.folder.clone()) {
            SESSIONS.lock().expect("connections").retain(|(other, _)| other.server != login.server);
            CLUSTER.run(&format!("DROP DATABASE {} WITH (FORCE)", login.server.database));
        }
    };
    std::thread::spawn(dropped).join().expect("dropped");
}

/// The least rights that are enough for everything that lapel does with jobs.
fn as_issuer(mut login: Login) -> Login {
    "issuer".clone_into(&mut login.server.user);
    login
}

/// A database with an empty journal.
pub fn new_database() -> Login {
    // Its own thread: the caller may be in a runtime.
    as_issuer(std::thread::spawn(|| named(None)).join().expect("a database"))
}

/// The name of a database without a journal, on a server that has the roles.
pub fn empty_database() -> String {
    let made = || {
        let mut databases = DATABASES.lock().expect("databases");
        databases.0 += 1;
        let name = format!("empty_{}", databases.0);
        CLUSTER.run(&format!("CREATE DATABASE {name}"));
        name
    };
    std::thread::spawn(made).join().expect("a database")
}

/// The address of a database for a user, such as `issuer`, `reader`, or `lapel`, the administrator.
pub fn url(user: &str, database: &str) -> String {
    format!("postgres://{user}@/{database}?host={}", CLUSTER.folder.display())
}

/// Runs SQL in a database as the administrator.
pub fn run_in(database: &str, sql: &str) {
    let (login, sql) = (CLUSTER.login(database), sql.to_owned());
    std::thread::spawn(move || run(&login, &sql)).join().expect("done");
}

pub fn database_of(folder: &Path) -> Login {
    let mut login = as_issuer(owned_database_of(folder));
    if let Some((socket, limits)) = ROUTES.lock().expect("routes").get(folder).cloned() {
        (login.server.host, login.limits) = (Host::Socket(socket), limits);
    }
    login
}

/// From now on the sessions of a folder connect to a socket in another folder, and have limits of their own.
/// Returns the folder of the server's socket.
pub fn route(folder: &Path, through: Option<(&Path, &'static DatabaseLimits)>) -> PathBuf {
    let mut routes = ROUTES.lock().expect("routes");
    match through {
        Some((socket, limits)) => {
            drop(routes.insert(folder.to_owned(), (socket.to_owned(), limits)));
        }
        None => drop(routes.remove(folder)),
    }
    CLUSTER.folder.clone()
}

fn owned_database_of(folder: &Path) -> Login {
    let folder = folder.to_owned();
    std::thread::spawn(move || named(Some(&folder))).join().expect("a database")
}

pub fn url_of(folder: &Path) -> String {
    let login = database_of(folder);
    url(&login.server.user, &login.server.database)
}

pub fn query(folder: &Path, sql: &str) -> Vec<Vec<Option<String>>> {
    use tokio_postgres::SimpleQueryMessage::Row;
    let (login, sql) = (owned_database_of(folder), format!("SET search_path = lapel; {sql}"));
    let asked = move || {
        let rows =
            with_session(&login, |session| session.runtime.block_on(session.client.simple_query(&sql)));
        let value = |text: &str| match text {
            "t" => "1".to_owned(),
            "f" => "0".to_owned(),
            text => text.strip_prefix("\\x").unwrap_or(text).to_owned(),
        };
        let of_row = |message| match message {
            Row(row) => Some((0..row.len()).map(|at| row.get(at).map(value)).collect()),
            _ => None,
        };
        rows.expect(&sql).into_iter().filter_map(of_row).collect()
    };
    std::thread::spawn(asked).join().expect("asked")
}

/// Ends all connections to the database of a folder, and accepts no more.
pub fn close_to_all(folder: &Path) {
    let name = database_of(folder).server.database;
    let close = move || {
        CLUSTER.run(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
        let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname";
        CLUSTER.run(&format!("{all} = '{name}'"));
    };
    std::thread::spawn(close).join().expect("closed");
}

/// Ends all connections to the database of a folder. Processes connect again.
pub fn cut_connections(folder: &Path) {
    let name = database_of(folder).server.database;
    let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname";
    let cut = move || CLUSTER.run(&format!("{all} = '{name}'"));
    std::thread::spawn(cut).join().expect("cut");
}

/// As a crash of the server: its processes are killed, and it recovers.
pub fn restart_server() {
    let restart = || {
        // One backend that dies in this way takes all others with it.
        let session = connected(&CLUSTER.login("postgres"));
        let pid: i32 = session
            .runtime
            .block_on(session.client.query_one("SELECT pg_backend_pid()", &[]))
            .expect("a pid")
            .get(0);
        let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()), "kill");
        CLUSTER.wait();
    };
    std::thread::spawn(restart).join().expect("restarted");
}

pub fn open_to_all(folder: &Path) {
    let name = database_of(folder).server.database;
    let open = move || CLUSTER.run(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    std::thread::spawn(open).join().expect("opened");
}

/// No process of a folder can renew its lease until this is dropped.
pub struct HeldLeases(Option<DatabaseSession>);

pub fn hold_leases(folder: &Path) -> HeldLeases {
    let login = owned_database_of(folder);
    let hold = move || {
        let session = connected(&login);
        let sql = "BEGIN; SELECT FROM lapel.process FOR UPDATE";
        session.runtime.block_on(session.client.batch_execute(sql)).expect(sql);
        HeldLeases(Some(session))
    };
    std::thread::spawn(hold).join().expect("held")
}

impl Drop for HeldLeases {
    fn drop(&mut self) {
        // Its own thread: the caller may be in a runtime.
        let session = self.0.take();
        let _ = std::thread::spawn(move || drop(session)).join();
    }
}

pub fn has_processes(folder: &Path) -> bool {
    let login = owned_database_of(folder);
    let held = move || {
        let sql = "SELECT FROM lapel.process WHERE until > clock_timestamp()";
        let held = |session: &DatabaseSession| session.runtime.block_on(session.client.query(sql, &[]));
        !with_session(&login, held).expect(sql).is_empty()
    };
    std::thread::spawn(held).join().expect("asked")
}
