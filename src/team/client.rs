//! A blocking connection to a team's database, for a thread of its own.

use super::error::TeamError;
use super::login::Login;
use super::server::Host;
use crate::domain::tls_error;
use crate::i18n::Localizable;
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use secrecy::ExposeSecret;
use std::cell::Cell;
use std::error::Error as _;
use std::fmt;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For the connection with its login and its first requests.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection whose peer is silently gone is noticed after this time, also while it waits for an answer.
const PEER_TIMEOUT: Duration = Duration::from_secs(20);
/// `PostgreSQL` 14, the oldest version with everything that the journal uses.
const OLDEST: i32 = 140_000;

impl From<&tokio_postgres::Error> for TeamError {
    fn from(error: &tokio_postgres::Error) -> Self {
        // Messages and details of the database may repeat values. Only its code is shown.
        let Some(code) = error.code() else {
            if let Some(why) = error.source().and_then(|why| why.downcast_ref()) {
                return Self::Away(words_of(why));
            }
            if error.is_closed() {
                return Self::Away(localizable!("the connection was lost"));
            }
            if error.source().is_some_and(|why| why.to_string() == "password missing") {
                return Self::LoginRefused(localizable!("it asks for a password, and the profile has none"));
            }
            return Self::Other(crate::domain::text::scrub(&error.to_string()).into_owned());
        };
        match code.code() {
            // The server does not say which of them.
            "28P01" => Self::LoginRefused(localizable!("the user name or the password is wrong")),
            "28000" => Self::LoginRefused(localizable!("the user may not log in from here")),
            "3D000" => Self::Refused(localizable!("there is no such database")),
            "53100" => Self::Full,
            "53300" => Self::Away(localizable!(
                "all connections that the database allows are in use (each running lapel needs four)"
            )),
            "55000" | "57P03" => Self::Away(localizable!("the database accepts no connection now")),
            "57P01" | "57P02" | "57P05" | "25P03" => {
                Self::Away(localizable!("the database ended the connection"))
            }
            "40001" | "40P01" | "55P03" | "57014" => Self::Busy,
            // A statement that another connection has prepared, or this one's that it does not know.
            "26000" | "42P05" => Self::Pooled,
            "42P01" | "3F000" | "42703" | "42883" => Self::NoJournal,
            "42501" => Self::Forbidden,
            "25006" => Self::Refused(localizable!("the database is read-only, such as a standby")),
            other if other.starts_with("08") => Self::Away(localizable!("the connection was lost")),
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Why the network or a socket fails.
fn words_of(error: &std::io::Error) -> Localizable {
    match error.kind() {
        ErrorKind::ConnectionRefused => localizable!("the connection was refused"),
        ErrorKind::NotFound => localizable!("its socket does not exist"),
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable | ErrorKind::NetworkDown => {
            localizable!("there is no network route to it")
        }
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => localizable!("the connection was lost"),
        ErrorKind::TimedOut => localizable!("no response in time"),
        ErrorKind::PermissionDenied => localizable!("this computer does not allow the connection"),
        // The standard library has no kind for it.
        _ if error.to_string().starts_with("failed to lookup address") => {
            localizable!("its host name was not found")
        }
        _ => crate::domain::io_error::words(error),
    }
}

/// An open connection. Its requests block the calling thread.
pub struct DatabaseSession {
    // Declared first: the connection's task needs the runtime.
    pub client: Client,
    /// The server's processes that sent the notifications that this connection listens to. Ends with the connection.
    pub notified: UnboundedReceiver<i32>,
    /// The server's process for this connection. With a pooler in transaction mode, another one may do the work.
    pub pid: i32,
    driver: JoinHandle<()>,
    pub runtime: Waiter,
}

/// Waits for the answers of a connection, each for a limited time.
pub struct Waiter {
    runtime: Runtime,
    limit: Cell<Duration>,
    has_expired: Cell<bool>,
}

impl Waiter {
    /// Blocks until the database has answered.
    ///
    /// # Errors
    /// The database refuses, the connection is lost, or the answer does not come in time. After that, the connection
    /// is of no use: nobody knows what the database has done.
    pub fn block_on<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, TeamError> {
        self.within(self.limit.get(), answer)?.map_err(|why| TeamError::from(&why))
    }

    /// The same with a limit of its own, and with errors of its own.
    pub fn within<T>(&self, limit: Duration, answer: impl Future<Output = T>) -> Result<T, TeamError> {
        let late = || TeamError::Away(localizable!("no response in time"));
        if self.has_expired.get() {
            return Err(late());
        }
        self.runtime.block_on(async { tokio::time::timeout(limit, answer).await }).map_err(|_| {
            self.has_expired.set(true);
            late()
        })
    }

    /// Blocks on something that is no answer of the database, without a limit.
    pub fn idle<T>(&self, news: impl Future<Output = T>) -> T {
        self.runtime.block_on(news)
    }

    pub fn set_limit(&self, limit: Duration) {
        self.limit.set(limit);
    }
}

impl fmt::Debug for DatabaseSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

impl Drop for DatabaseSession {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl DatabaseSession {
    /// Connects, in at most 10 s. A login that the server refused is not tried again before its password was read again.
    pub fn open(login: &Login) -> Result<Self, TeamError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|why| TeamError::Other(why.to_string()))?;
        let logging_in = async {
            let (sender, notified) = unbounded_channel();
            let (client, driver) = connect(login, sender).await?;
            match prepare(&client).await {
                Ok(pid) => Ok((client, notified, pid, driver)),
                Err(why) => {
                    driver.abort();
                    Err(why)
                }
            }
        };
        let opening = async {
            let mut attempt = login.refused.attempt().await?;
            let times = login.refused.times();
            let opened = logging_in.await;
            match (&opened, &mut attempt) {
                (Err(why @ TeamError::LoginRefused(_)), _) => login.refused.set(why, times),
                (Ok(_), Some(last)) => **last = Some(Instant::now()),
                _ => {}
            }
            opened
        };
        // A server that hangs accepts connections and says nothing.
        let opened = runtime.block_on(async { tokio::time::timeout(OPEN_TIMEOUT, opening).await });
        let (client, notified, pid, driver) =
            opened.map_err(|_| TeamError::Away(localizable!("no response in time")))??;
        let limit = Cell::new(login.limits.read);
        let runtime = Waiter { runtime, limit, has_expired: Cell::new(false) };
        Ok(Self { client, notified, pid, driver, runtime })
    }

    /// Whether the connection is lost, or an answer did not come in time.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed() || self.runtime.has_expired.get()
    }
}

/// For statements of the current transaction that work on a whole job or journal.
pub const LONG_STATEMENTS: &str = "SET LOCAL statement_timeout = '120s'";

/// Checks and prepares a new connection. Returns the server's process.
async fn prepare(client: &Client) -> Result<i32, TeamError> {
    let failed = |why| TeamError::from(&why);
    let server =
        client.query_one("SELECT current_setting('server_version_num')::int4, pg_backend_pid()", &[]);
    let server = server.await.map_err(failed)?;
    if server.get::<_, i32>(0) < OLDEST {
        return Err(TeamError::Refused(localizable!("PostgreSQL 14 or newer is required")));
    }
    // A transaction of a process that hangs must not hold the journal's lock: not between two statements, not within
    // one, and not if its computer sleeps while it sends one.
    let limits = "SET lock_timeout = '5s'; SET statement_timeout = '8s';
                  SET idle_in_transaction_session_timeout = '10s'; SET client_min_messages = 'error';
                  SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
                  SET synchronous_commit = 'on'; SET standard_conforming_strings = 'on'";
    client.batch_execute(limits).await.map_err(failed)?;
    Ok(server.get(1))
}

/// Runs a connection until it ends.
async fn drive<S, T>(mut connection: Connection<S, T>, notified: UnboundedSender<i32>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message {
            let _ = notified.send(notification.process_id());
        }
    }
}

async fn connect(
    login: &Login,
    notified: UnboundedSender<i32>,
) -> Result<(Client, JoinHandle<()>), TeamError> {
    let mut config = Config::new();
    config
        .user(&login.server.user)
        .dbname(&login.server.database)
        .port(login.server.port)
        .application_name("lapel")
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(PEER_TIMEOUT)
        .keepalives_idle(PEER_TIMEOUT);
    let addresses: Vec<Option<IpAddr>> = match &login.server.host {
        Host::Tcp(name) => {
            config.host(name);
            let found = tokio::net::lookup_host((name.as_str(), login.server.port)).await;
            found.map_err(|why| TeamError::Away(words_of(&why)))?.map(|address| Some(address.ip())).collect()
        }
        #[cfg(unix)]
        Host::Socket(path) => {
            config.host_path(path);
            vec![None]
        }
        #[cfg(not(unix))]
        Host::Socket(_) => return Err(TeamError::Refused(localizable!("this system has no Unix sockets"))),
    };
    if let Some(password) = login.newest_password() {
        config.password(password.expose_secret());
    }
    let needs_tls = login.server.needs_tls();
    config.ssl_mode(if needs_tls { SslMode::Require } else { SslMode::Disable });
    let at = |address: Option<IpAddr>| {
        let mut config = config.clone();
        if let Some(address) = address {
            config.hostaddr(address);
        }
        config
    };
    if needs_tls {
        let host = match &login.server.host {
            Host::Tcp(name) => crate::domain::text::scrub(name).into_owned(),
            Host::Socket(_) => String::new(),
        };
        let tls = MakeRustlsConnect::new(tls(login)?);
        let (client, connection) = at_one_of(addresses, async |address| {
            at(address).connect(tls.clone()).await.map_err(|why| of_tls(&why, &host))
        })
        .await?;
        Ok((client, tokio::spawn(drive(connection, notified))))
    } else {
        let (client, connection) = at_one_of(addresses, async |address| {
            at(address).connect(NoTls).await.map_err(|why| TeamError::from(&why))
        })
        .await?;
        Ok((client, tokio::spawn(drive(connection, notified))))
    }
}

/// Connects to the first address that works. The library would try a refused login at each of them.
async fn at_one_of<T>(
    addresses: Vec<Option<IpAddr>>,
    connect: impl AsyncFn(Option<IpAddr>) -> Result<T, TeamError>,
) -> Result<T, TeamError> {
    let mut failed = TeamError::Away(localizable!("its host name was not found"));
    for address in addresses {
        match connect(address).await {
            Err(why) if !matches!(why, TeamError::LoginRefused(_)) => failed = why,
            ended => return ended,
        }
    }
    Err(failed)
}

/// As any other error, but for a handshake that failed: its reason matters to people.
fn of_tls(error: &tokio_postgres::Error, host: &str) -> TeamError {
    let mut cause = error.source();
    while let Some(why) = cause {
        if let Some(why) = why.downcast_ref::<rustls::Error>() {
            let why = tls_error::words(why, host, "journal.ca_file");
            return TeamError::Unsafe(why);
        }
        let inner = why.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = match inner {
            Some(inner) => Some(inner),
            None => why.source(),
        };
    }
    if error.code().is_some() {
        return TeamError::from(error);
    }
    match TeamError::from(error) {
        TeamError::Other(why) if why.contains("TLS") => {
            TeamError::Unsafe(localizable!("the server does not encrypt connections"))
        }
        other => other,
    }
}

/// TLS 1.2 or newer. The profile's certificates are trusted in addition to the system's.
fn tls(login: &Login) -> Result<ClientConfig, TeamError> {
    fn broken(why: impl fmt::Display) -> TeamError {
        TeamError::Unsafe(Localizable::verbatim(crate::domain::text::scrub(&why.to_string())))
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let pem = login.ca.as_deref().unwrap_or_default();
    let roots: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(broken)?;
    let verifier = Verifier::new_with_extra_roots(roots, provider.clone()).map_err(broken)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_refused_login_is_tried_at_one_address_of_its_server() {
        let away = || TeamError::Away(localizable!("the connection was refused"));
        let refused = || TeamError::LoginRefused(localizable!("the user may not log in from here"));
        for (answers, tried, ends) in [
            ([Err(refused()), Ok(())], 1, Err(refused())),
            ([Err(away()), Err(refused())], 2, Err(refused())),
            ([Err(away()), Ok(())], 2, Ok(())),
            ([Err(away()), Err(away())], 2, Err(away())),
        ] {
            let count = Cell::new(0);
            let connected = at_one_of(vec![None; 2], async |_| {
                let at: usize = count.replace(count.get() + 1);
                answers[at].clone()
            });
            assert_eq!((connected.await, count.get()), (ends, tried), "{answers:?}");
        }
    }

    /// The name of a server that does not exist is looked up by the system, so its error is made here.
    #[test]
    fn why_the_network_fails_is_said_in_our_words() {
        let lookup = "failed to lookup address information: Name or service not known";
        for (error, words) in [
            (ErrorKind::ConnectionRefused.into(), "the connection was refused"),
            (ErrorKind::NotFound.into(), "its socket does not exist"),
            (ErrorKind::HostUnreachable.into(), "there is no network route to it"),
            (ErrorKind::BrokenPipe.into(), "the connection was lost"),
            (ErrorKind::TimedOut.into(), "no response in time"),
            (std::io::Error::other(lookup), "its host name was not found"),
            (std::io::Error::other("something\u{1b}[31m"), "unexpected error (something"),
        ] {
            let said = words_of(&error).to_string();
            assert!(said.starts_with(words) && !said.contains('\u{1b}'), "{said}");
        }
    }
}
