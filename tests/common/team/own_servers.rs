//! Servers of one test: with a standby, with a pooler, or with TLS.

use super::server::{
    Cluster, DATABASES, PORT, as_user, connected, copy_data, folder_with_journal, login_of, new_folder, own,
    program, route, run, serve, stop,
};
use lapel::team::{DatabaseLimits, Host, Login};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server of one test, which may stop it and exchange its data.
pub struct OwnServer {
    folder: tempfile::TempDir,
    watch: Option<Child>,
}

impl OwnServer {
    /// Starts a server with a journal in place of the journal of a data folder.
    pub fn of(data_folder: &Path) -> Self {
        let data_folder = data_folder.to_owned();
        let started = move || {
            let mut server = Self { folder: folder_with_journal(), watch: None };
            server.start();
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
        if let Some(watch) = self.watch.take() {
            stop(watch);
        }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies the data of a server that is stopped.
    pub fn copy(&self, from: &str, to: &str) {
        let _ = std::fs::remove_dir_all(self.place(to));
        copy_data(&self.place(from), &self.place(to));
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
            let folder = tempfile::Builder::new().prefix("lapel-pg-").tempdir_in("/tmp").expect("a folder");
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

    /// Starts a stopped server as a standby without a primary.
    pub fn start_as_standby(&mut self) {
        let mut mark = Command::new("cp");
        // A copy has the owner of the server.
        mark.args(["-a", "data/PG_VERSION", "data/standby.signal"]).current_dir(&self.folder);
        assert!(mark.status().is_ok_and(|status| status.success()), "cp");
        self.start();
    }

    /// Lets a standby take over.
    pub fn promote(&self) {
        let login = self.login("postgres");
        std::thread::spawn(move || run(&login, "SELECT pg_promote()")).join().expect("promoted");
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.stop();
    }
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
