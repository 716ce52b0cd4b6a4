//! A private PostgreSQL for tests: in a temporary folder, on a Unix socket, and gone with the test process.
//!
//! With `LAPEL_TEST_JOURNAL=postgresql` the tests that open a journal through [`open`] use a database of it.

#![allow(dead_code, unused_imports, reason = "each program of tests uses a part of it")]

use lapel::jobs::{Journal, JournalError, Watcher};
use std::path::Path;

/// Whether the tests run on a team's journal.
pub fn is_team() -> bool {
    std::env::var("LAPEL_TEST_JOURNAL").is_ok_and(|name| name == "postgresql")
}

/// The journal of a data folder, or the database that stands for it.
pub fn open(folder: &Path, watcher: Option<Watcher>) -> Result<Journal, JournalError> {
    #[cfg(feature = "team")]
    if is_team() {
        return Journal::open_team_watched(server::database_of(folder), "tester", watcher);
    }
    Journal::open_watched(folder, watcher)
}

/// A journal of its own.
pub fn in_memory() -> Journal {
    #[cfg(feature = "team")]
    if is_team() {
        return Journal::open_team(server::new_database(), "tester", None).expect("a journal");
    }
    Journal::in_memory().expect("a journal")
}

/// The values of a query of the journal of a folder. Numbers are in decimal, bytes in hexadecimal, true is `1`.
pub fn query(folder: &Path, sql: &str) -> Vec<Vec<Option<String>>> {
    #[cfg(feature = "team")]
    if is_team() {
        return server::query(folder, sql);
    }
    let db = rusqlite::Connection::open(Journal::file_in(folder)).expect("the journal");
    let mut statement = db.prepare(sql).expect(sql);
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns)
            .map(|at| {
                Ok(match row.get_ref(at)? {
                    rusqlite::types::ValueRef::Null => None,
                    rusqlite::types::ValueRef::Integer(n) => Some(n.to_string()),
                    rusqlite::types::ValueRef::Real(n) => Some(n.to_string()),
                    rusqlite::types::ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                    rusqlite::types::ValueRef::Blob(bytes) => {
                        let hex =
                            |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
                        Some(hex(bytes).concat())
                    }
                })
            })
            .collect()
    });
    rows.expect(sql).collect::<rusqlite::Result<_>>().expect(sql)
}

/// The number that a query returns.
pub fn number(folder: &Path, sql: &str) -> u64 {
    let value = query(folder, sql).remove(0).remove(0);
    value.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("no number: {sql}"))
}

/// Changes the journal of a folder.
pub fn change(folder: &Path, sql: &str) {
    #[cfg(feature = "team")]
    if is_team() {
        return drop(server::query(folder, sql));
    }
    let db = rusqlite::Connection::open(Journal::file_in(folder)).expect("the journal");
    db.execute_batch(sql).expect(sql);
}

/// The address of the database of a folder, for a profile. `None` unless the tests run on a team's journal.
pub fn url_of(folder: &Path) -> Option<String> {
    #[cfg(feature = "team")]
    if is_team() {
        return Some(server::url_of(folder));
    }
    let _ = folder;
    None
}

/// As time does with the leases of processes that do not renew them.
pub fn end_leases(folder: &Path) {
    if is_team() {
        change(folder, "UPDATE process SET until = clock_timestamp() - interval '1 second'");
    }
}

/// Whether a process has the journal of a folder open.
pub fn is_held(folder: &Path) -> bool {
    #[cfg(feature = "team")]
    if is_team() {
        return server::has_processes(folder);
    }
    let Ok(owners) = std::fs::read_dir(folder.join("owners")) else { return false };
    // A process that was killed leaves its file behind, and nobody holds that.
    let held =
        |path: std::path::PathBuf| std::fs::File::open(path).is_ok_and(|file| file.try_lock().is_err());
    owners.flatten().any(|owner| held(owner.path()))
}

#[cfg(feature = "team")]
pub use server::{
    OwnServer, Pooler, TlsServer, close_to_all, cut_connections, database_of, drop_database, empty_database,
    is_installed, new_database, open_to_all, processor_time, restart_server, route, run_in, url,
};

#[cfg(feature = "team")]
mod server {
    use lapel::jobs::Journal;
    use lapel::team::{DatabaseLimits, DatabaseSession, Host, Login, Server, TeamError};
    use std::collections::HashMap;
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::sync::{LazyLock, Mutex};

    /// The server ends when the test process does, however that ends: it closes the pipe.
    struct Cluster {
        folder: PathBuf,
        port: u16,
        _watch: Child,
    }

    /// The name of a socket has it, so servers with folders of their own can share it.
    const PORT: u16 = 5432;
    static CLUSTER: LazyLock<Cluster> = LazyLock::new(Cluster::with_journal);
    /// One at a time: a database that is copied must not be in use.
    static DATABASES: LazyLock<Mutex<(usize, HashMap<PathBuf, Login>)>> = LazyLock::new(Mutex::default);

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

    fn program(name: &str) -> Option<PathBuf> {
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
    fn as_user(program: &Path) -> Command {
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
        if !is_root {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
        command
    }

    /// A folder for a server, in which it has its data. The name is short, since the path of a socket is limited.
    fn new_folder() -> tempfile::TempDir {
        // In memory if there is room: each database has 300 files.
        let memory =
            rustix::fs::statvfs("/dev/shm").is_ok_and(|room| room.f_bavail * room.f_frsize > 4 << 30);
        let place = if memory { "/dev/shm" } else { "/tmp" };
        let folder = tempfile::Builder::new().prefix("lapel-pg-").tempdir_in(place).expect("a folder");
        own(folder.path());
        let mut made = as_user(&program("initdb").expect("PostgreSQL is installed"));
        made.args(["--no-sync", "-A", "trust", "-U", "lapel", "-E", "UTF8", "--locale=C", "-D"])
            .arg(folder.path().join("data"));
        let made = made.current_dir(&folder).output().expect("initdb");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        folder
    }

    /// Starts the server of a folder, which listens on its socket there and on an address. It ends when the returned
    /// process loses its standard input, which then runs a command.
    fn serve(folder: &Path, port: u16, address: &str, after: &str) -> Child {
        let server = as_user(&program("postgres").expect("PostgreSQL is installed"));
        let mut watch = Command::new("sh");
        watch.args(["-c", WATCH, "sh"]).arg(server.get_program()).args(server.get_args());
        watch.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        // As in use, to measure. A test never cuts the power.
        let safe = if std::env::var_os("LAPEL_TEST_FSYNC").is_some() { "on" } else { "off" };
        for setting in [
            &*format!("fsync={safe}"),
            &*format!("full_page_writes={safe}"),
            "max_connections=400",
            "shared_buffers=64MB",
            "autovacuum=off",
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
    fn connected(login: &Login) -> DatabaseSession {
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
    fn login_of(folder: &Path, port: u16, database: &str) -> Login {
        let server = Server {
            host: Host::Socket(folder.to_owned()),
            port,
            user: "lapel".to_owned(),
            database: database.to_owned(),
        };
        Login { server, password: None, ca: None, limits: &DatabaseLimits::USUAL }
    }

    /// Creates roles, a login for each, and a journal.
    fn create_journal(owner: &Login) {
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

    /// A server of one test, which may stop it and exchange its data.
    pub struct OwnServer {
        folder: tempfile::TempDir,
        watch: Option<Child>,
    }

    impl OwnServer {
        /// Starts a server with a journal that stands for the journal of a data folder.
        pub fn of(data_folder: &Path) -> Self {
            let data_folder = data_folder.to_owned();
            let started = move || {
                let mut server = Self { folder: new_folder(), watch: None };
                server.start();
                run(&server.login("postgres"), "CREATE DATABASE journal");
                create_journal(&server.login("journal"));
                let mut databases = DATABASES.lock().expect("databases");
                databases.1.insert(data_folder, server.login("journal"));
                server
            };
            std::thread::spawn(started).join().expect("a server")
        }

        fn login(&self, database: &str) -> Login {
            login_of(self.folder.path(), PORT, database)
        }

        pub fn start(&mut self) {
            let folder = self.folder.path().to_owned();
            self.watch =
                Some(std::thread::spawn(move || serve(&folder, PORT, "", ":")).join().expect("a server"));
        }

        /// Ends all connections and the server, which writes everything to its disk.
        pub fn stop(&mut self) {
            let Some(mut watch) = self.watch.take() else { return };
            drop(watch.stdin.take());
            watch.wait().expect("it ends");
        }

        fn place(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// Copies the data of a server that is stopped.
        pub fn copy(&self, from: &str, to: &str) {
            let _ = std::fs::remove_dir_all(self.place(to));
            let copied = Command::new("cp").arg("-a").args([self.place(from), self.place(to)]).status();
            assert!(copied.is_ok_and(|status| status.success()), "cp");
        }

        /// Runs a program of PostgreSQL on the database of the journal, or on another one.
        fn client(&self, name: &str, database: &str, arguments: &[&str]) {
            let mut client = as_user(&program(name).expect("PostgreSQL is installed"));
            client.arg("-h").arg(self.folder.path()).args(["-U", "lapel", "-d", database]).args(arguments);
            let done = client.current_dir(&self.folder).output().expect(name);
            assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        }

        fn psql(&self, database: &str, arguments: &[&str]) {
            let quiet = ["-q", "-v", "ON_ERROR_STOP=1"];
            self.client("psql", database, &[&quiet, arguments].concat());
        }

        /// A backup of the journal, as docs/team.md has it.
        pub fn dump(&self) {
            self.client("pg_dump", "journal", &["--schema=lapel", "--file=data/dump"]);
        }

        /// Replaces the tables by those of the backup, or the whole database by another one with them.
        pub fn restore(&self, in_other: bool) {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'journal'";
            if in_other {
                self.psql("postgres", &["-c", "CREATE DATABASE restored"]);
                self.psql("restored", &["-f", "data/dump"]);
                self.psql("postgres", &["-c", "ALTER DATABASE journal ALLOW_CONNECTIONS false", "-c", end]);
                self.psql("postgres", &["-c", "ALTER DATABASE journal RENAME TO earlier"]);
                self.psql("postgres", &["-c", "ALTER DATABASE restored RENAME TO journal"]);
            } else {
                self.psql("journal", &["-c", "DROP SCHEMA lapel CASCADE", "-f", "data/dump"]);
                self.psql("postgres", &["-c", end]);
            }
        }

        /// Copies the running server, and starts the copy as its standby. Returns when it follows.
        pub fn standby(&self, is_synchronous: bool) -> Standby {
            let (primary, login) = (self.folder.path().to_owned(), self.login("postgres"));
            let started = move || {
                let folder =
                    tempfile::Builder::new().prefix("lapel-pg-").tempdir_in("/tmp").expect("a folder");
                own(folder.path());
                let mut copy = as_user(&program("pg_basebackup").expect("PostgreSQL is installed"));
                copy.args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-U", "lapel", "-h"]);
                copy.arg(primary).arg("-D").arg(folder.path().join("data"));
                let copied = copy.current_dir(&folder).output().expect("pg_basebackup");
                assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
                let watch = serve(folder.path(), PORT, "", ":");
                if is_synchronous {
                    run(&login, "ALTER SYSTEM SET synchronous_standby_names = '*'");
                    run(&login, "SELECT pg_reload_conf()");
                }
                let follows = if is_synchronous { "sync_state = 'sync'" } else { "state = 'streaming'" };
                until(&login, &format!("EXISTS (SELECT FROM pg_stat_replication WHERE {follows})"));
                Standby { folder, watch }
            };
            std::thread::spawn(started).join().expect("a standby")
        }

        /// As a power cut of the server. The standby takes over, and then its address.
        pub fn fail_over(&mut self, standby: &Standby) {
            let id = std::fs::read_to_string(self.place("data/postmaster.pid")).expect("it runs");
            let id = id.lines().next().expect("a number");
            assert!(Command::new("kill").args(["-KILL", id]).status().is_ok_and(|killed| killed.success()));
            self.stop();
            let login = standby.login();
            std::thread::spawn(move || run(&login, "SELECT pg_promote()")).join().expect("promoted");
            let socket = format!(".s.PGSQL.{PORT}");
            let _ = std::fs::remove_file(self.place(&socket));
            std::os::unix::fs::symlink(standby.folder.path().join(&socket), self.place(&socket))
                .expect("the address");
        }

        /// Starts a stopped server as a standby without a primary, and lets it take over.
        pub fn start_promoted(&mut self) {
            let mut mark = Command::new("cp");
            // A copy has the owner of the server.
            mark.args(["-a", "data/PG_VERSION", "data/standby.signal"]).current_dir(&self.folder);
            assert!(mark.status().is_ok_and(|status| status.success()), "cp");
            self.start();
            let login = self.login("postgres");
            std::thread::spawn(move || run(&login, "SELECT pg_promote()")).join().expect("promoted");
        }
    }

    impl Drop for OwnServer {
        fn drop(&mut self) {
            self.stop();
        }
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

    /// Waits until a condition is true in a database.
    fn until(login: &Login, condition: &str) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let sql = format!("SELECT {condition}");
        let session = connected(login);
        while !session.runtime.block_on(session.client.query_one(&sql, &[])).expect(&sql).get::<_, bool>(0) {
            assert!(std::time::Instant::now() < end, "never: {condition}");
            std::thread::park_timeout(std::time::Duration::from_millis(10));
        }
    }

    /// A server that follows another one.
    pub struct Standby {
        folder: tempfile::TempDir,
        watch: Child,
    }

    impl Standby {
        fn login(&self) -> Login {
            login_of(self.folder.path(), PORT, "postgres")
        }

        /// Cuts it off: from now on it gets no writes.
        pub fn cut_off(&self) {
            let login = self.login();
            let cut = move || {
                run(&login, "ALTER SYSTEM SET primary_conninfo = ''");
                run(&login, "SELECT pg_reload_conf()");
                until(&login, "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)");
            };
            std::thread::spawn(cut).join().expect("cut off");
        }
    }

    impl Drop for Standby {
        fn drop(&mut self) {
            drop(self.watch.stdin.take());
            let _ = self.watch.wait();
        }
    }

    /// `PgBouncer`, between a data folder's journal and its database.
    pub struct Pooler {
        _folder: tempfile::TempDir,
        process: Child,
    }

    impl Pooler {
        pub fn is_installed() -> bool {
            program("pgbouncer").is_some()
        }

        /// Starts it with these settings, one a line. From now on, sessions of the folder go through it.
        pub fn start(data_folder: &Path, settings: &str) -> Self {
            let folder = tempfile::Builder::new().prefix("lapel-pg-").tempdir_in("/tmp").expect("a folder");
            own(folder.path());
            let (own, server) = (folder.path(), route(data_folder, None));
            let file = |name: &str, text: String| {
                std::fs::write(own.join(name), text).expect("written");
                self::own(&own.join(name));
            };
            file("users", "\"issuer\" \"\"\n\"reader\" \"\"\n".to_owned());
            file(
                "settings",
                format!(
                    "[databases]\n* = host={} port={PORT}\n[pgbouncer]\nunix_socket_dir = {}\nlisten_port = {PORT}\n\
                     auth_type = trust\nauth_file = {}\n{settings}\n",
                    server.display(),
                    own.display(),
                    own.join("users").display(),
                ),
            );
            let mut pooler = as_user(&program("pgbouncer").expect("PgBouncer is installed"));
            let log = std::fs::File::create(own.join("log")).expect("a log");
            let process = pooler.arg(own.join("settings")).stderr(log).stdin(Stdio::null()).spawn();
            let process = process.expect("it starts");
            let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
            while std::os::unix::net::UnixStream::connect(own.join(format!(".s.PGSQL.{PORT}"))).is_err() {
                assert!(std::time::Instant::now() < end, "PgBouncer does not start");
                std::thread::park_timeout(std::time::Duration::from_millis(10));
            }
            route(data_folder, Some((own, &DatabaseLimits::USUAL)));
            Self { _folder: folder, process }
        }
    }

    impl Drop for Pooler {
        fn drop(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    /// A server of its own with TLS. On TCP, each user needs a password.
    pub struct TlsServer(Cluster);

    impl TlsServer {
        pub fn start(certificate: &[u8], key: &[u8]) -> Self {
            // Not one of those that the system gives to the other tests.
            let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
            let port = std::iter::repeat_with(|| fastrand::u16(20_000..30_000)).find(free).expect("a port");
            let prepare = |data: &Path| {
                let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
                // Not on the command line, so that it can change.
                let settings = b"ssl = on\n";
                let files = [
                    ("server.crt", certificate),
                    ("server.key", key),
                    ("pg_hba.conf", access.as_bytes()),
                    ("postgresql.conf", settings),
                ];
                for (name, bytes) in files {
                    let path = data.join(name);
                    std::fs::write(&path, bytes).expect("written");
                    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                    std::fs::set_permissions(&path, private).expect("private");
                    own(&path);
                }
            };
            let folder = new_folder();
            prepare(&folder.path().join("data"));
            Self(Cluster::start(folder, port, "127.0.0.1"))
        }

        /// As a user without a password, on TCP.
        pub fn login(&self, user: &str, host: &str) -> Login {
            let mut login = self.0.login("postgres");
            user.clone_into(&mut login.server.user);
            login.server.host = Host::Tcp(host.to_owned());
            login
        }

        /// As the administrator, on the server's socket.
        pub fn run(&self, sql: &str) {
            self.0.run(sql);
        }
    }

    /// Gives a file to the user who runs the server.
    fn own(path: &Path) {
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

        fn start(folder: tempfile::TempDir, port: u16, address: &str) -> Self {
            let folder = folder.keep();
            let watch = serve(&folder, port, address, &format!("rm -rf {}", folder.display()));
            Self { folder, port, _watch: watch }
        }

        fn wait(&self) {
            drop(connected(&self.login("postgres")));
        }

        /// As the administrator of the server.
        fn login(&self, database: &str) -> Login {
            login_of(&self.folder, self.port, database)
        }

        fn run(&self, sql: &str) {
            run(&self.login("postgres"), sql);
        }
    }

    fn run(login: &Login, sql: &str) {
        with_session(login, |session| session.runtime.block_on(session.client.batch_execute(sql)))
            .expect(sql);
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

    /// Removes the database of a folder, with whatever is connected to it.
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

    pub fn has_processes(folder: &Path) -> bool {
        let login = owned_database_of(folder);
        let held = move || {
            let sql = "SELECT FROM lapel.process WHERE until > clock_timestamp()";
            let held = |session: &DatabaseSession| session.runtime.block_on(session.client.query(sql, &[]));
            !with_session(&login, held).expect(sql).is_empty()
        };
        std::thread::spawn(held).join().expect("asked")
    }
}
