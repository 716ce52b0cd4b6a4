//! A place between lapel and PostgreSQL where a connection breaks or hangs. It reads enough of the protocol to know
//! a commit and its answer.

use std::io::{self, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Where a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A commit has arrived here, and not at the server.
    BeforeCommit,
    /// The server has committed, and lapel has no answer.
    AfterCommit,
    /// lapel has the first half of that answer.
    InAnswer,
    /// A statement of a transaction that writes has arrived here, and not at the server.
    InWrite,
    /// The same of a transaction that reads.
    InRead,
}

/// What happens, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    pub point: Point,
    /// At which commit, or transaction that writes or reads: counted from 0 over all connections.
    pub nth: usize,
    pub then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The connection is lost. Others work.
    Cut,
    /// All connections are lost, and new ones too, until [`Proxy::come_back`].
    Away,
    /// The connection stays open, and nothing more arrives at either end.
    Hang,
}

pub struct Proxy {
    folder: tempfile::TempDir,
    shared: Arc<Shared>,
}

struct Shared {
    /// The folder of the server's socket.
    server: PathBuf,
    strike: Mutex<Option<Strike>>,
    commits: AtomicUsize,
    writes: AtomicUsize,
    reads: AtomicUsize,
    is_away: AtomicBool,
    has_ended: AtomicBool,
    struck: watch::Sender<bool>,
    /// All open ends.
    ends: Mutex<Vec<UnixStream>>,
}

/// What happens to the server's next messages on a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    Pass,
    /// The answer to a commit is kept here until it is whole.
    Keep(Strike),
    Drop,
}

const NAME: &str = ".s.PGSQL.5432";

impl Proxy {
    /// In front of the server whose socket is in a folder.
    pub fn start(server: &Path, strike: Option<Strike>) -> Self {
        // Short, since the path of a socket is limited.
        let folder = tempfile::Builder::new().prefix("lapel-px-").tempdir_in("/tmp").expect("a folder");
        let listener = UnixListener::bind(folder.path().join(NAME)).expect("a socket");
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            strike: Mutex::new(strike),
            commits: AtomicUsize::new(0),
            writes: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
            is_away: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            struck: watch::Sender::new(false),
            ends: Mutex::default(),
        });
        let accepting = shared.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if accepting.has_ended.load(Ordering::Acquire) {
                    return;
                }
                accepting.accept(client);
            }
        });
        Self { folder, shared }
    }

    /// The folder of its socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How many commits have arrived.
    pub fn commits(&self) -> usize {
        self.shared.commits.load(Ordering::Acquire)
    }

    /// Strikes before the next commit.
    pub fn strike_next(&self, then: Then) {
        let strike = Strike { point: Point::BeforeCommit, nth: self.commits(), then };
        *self.shared.strike.lock().unwrap_or_else(PoisonError::into_inner) = Some(strike);
    }

    /// How many transactions that read have begun.
    pub fn reads(&self) -> usize {
        self.shared.reads.load(Ordering::Acquire)
    }

    pub fn has_struck(&self) -> bool {
        *self.shared.struck.borrow()
    }

    /// Waits until it strikes.
    pub async fn struck(&self) {
        let _ = self.shared.struck.subscribe().wait_for(|struck| *struck).await;
    }

    /// Closes all connections, also those that hang. New ones work.
    pub fn cut(&self) {
        self.shared.close_all();
    }

    /// New connections work again.
    pub fn come_back(&self) {
        self.shared.is_away.store(false, Ordering::Release);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::Release);
        self.shared.close_all();
        // Wakes the thread that accepts.
        let _ = UnixStream::connect(self.folder.path().join(NAME));
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, client: UnixStream) {
        if self.is_away.load(Ordering::Acquire) {
            return;
        }
        let Ok(server) = UnixStream::connect(self.server.join(NAME)) else { return };
        let (Ok(client_end), Ok(server_end)) = (client.try_clone(), server.try_clone()) else { return };
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).extend([client_end, server_end]);
        // It may have gone away meanwhile.
        if self.is_away.load(Ordering::Acquire) {
            self.close_all();
        }
        let answers = Arc::new(Mutex::new(Answers::Pass));
        let forth = (self.clone(), client.try_clone(), server.try_clone(), answers.clone());
        let back = self.clone();
        std::thread::spawn(move || {
            let (shared, Ok(client), Ok(server), answers) = forth else { return };
            let _ = shared.requests(&client, &server, &answers);
        });
        std::thread::spawn(move || {
            let _ = back.answers(&client, &server, &answers);
        });
    }

    fn close_all(&self) {
        for end in self.ends.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Whether it strikes here.
    fn strikes(&self, points: &[Point], nth: usize) -> Option<Strike> {
        let strike = *self.strike.lock().unwrap_or_else(PoisonError::into_inner);
        let strike = strike.filter(|strike| strike.nth == nth && points.contains(&strike.point))?;
        (!self.struck.borrow().to_owned()).then_some(strike)
    }

    /// Does what happens at a strike, other than to hang.
    fn strike(&self, strike: Strike, client: &UnixStream, server: &UnixStream) {
        if strike.then == Then::Away {
            self.is_away.store(true, Ordering::Release);
        }
        // Before the connections end, so that a process that ends here never sees an error.
        self.struck.send_replace(true);
        match strike.then {
            Then::Away => self.close_all(),
            Then::Cut => close(client, server),
            Then::Hang => {}
        }
    }

    fn requests(&self, client: &UnixStream, server: &UnixStream, answers: &Mutex<Answers>) -> io::Result<()> {
        let mut from = BufReader::new(client);
        let mut to = server;
        let passed = (|| {
            // Only the first message has no kind.
            let mut length = [0; 4];
            from.read_exact(&mut length)?;
            let mut first = vec![0; length_of(length)?];
            from.read_exact(&mut first)?;
            to.write_all(&[&length[..], &first].concat())?;
            // The transaction that is open, and the number of its requests so far.
            let mut open: Option<(Point, usize, usize)> = None;
            // Messages that the server answers together: lapel sends them together, too.
            let mut together = Vec::new();
            loop {
                let message = message(&mut from)?;
                let query = if message[0] == b'Q' { &message[5..] } else { &[] };
                let mut strike = None;
                if query.starts_with(b"COMMIT") {
                    open = None;
                    let nth = self.commits.fetch_add(1, Ordering::AcqRel);
                    let after = self.strikes(&[Point::AfterCommit, Point::InAnswer], nth);
                    if let Some(after) = after {
                        *answers.lock().unwrap_or_else(PoisonError::into_inner) = Answers::Keep(after);
                    }
                    strike = self.strikes(&[Point::BeforeCommit], nth);
                } else if query.starts_with(b"START TRANSACTION") {
                    let is_read = query.windows(9).any(|part| part == b"READ ONLY");
                    let (point, count) =
                        if is_read { (Point::InRead, &self.reads) } else { (Point::InWrite, &self.writes) };
                    open = Some((point, count.fetch_add(1, Ordering::AcqRel), 0));
                } else if message[0] == b'S'
                    && let Some((point, nth, requests)) = &mut open
                {
                    *requests += 1;
                    // The first one of a write is its number, or the preparation of that.
                    if (*point, *requests) != (Point::InWrite, 1) {
                        strike = self.strikes(&[*point], *nth);
                    }
                }
                if let Some(strike) = strike {
                    *answers.lock().unwrap_or_else(PoisonError::into_inner) = Answers::Drop;
                    self.strike(strike, client, server);
                    return Ok(true);
                }
                together.extend(&message);
                if !matches!(message[0], b'P' | b'B' | b'D' | b'E' | b'C') {
                    to.write_all(&together)?;
                    together.clear();
                }
            }
        })();
        if !matches!(passed, Ok(true)) {
            close(client, server);
        }
        passed.map(drop)
    }

    fn answers(&self, client: &UnixStream, server: &UnixStream, answers: &Mutex<Answers>) -> io::Result<()> {
        let mut from = BufReader::new(server);
        let mut to = client;
        let mut kept = Vec::new();
        let passed = (|| {
            loop {
                let message = message(&mut from)?;
                let now = *answers.lock().unwrap_or_else(PoisonError::into_inner);
                let strike = match now {
                    Answers::Pass => None,
                    // The server does not notice.
                    Answers::Drop => continue,
                    Answers::Keep(strike) => Some(strike),
                };
                // An answer to an earlier request may come before that of the commit.
                let is_commit = message[0] == b'C' && message[5..].starts_with(b"COMMIT");
                match strike {
                    Some(strike) if is_commit || !kept.is_empty() => {
                        kept.extend(&message);
                        if message[0] != b'Z' {
                            continue;
                        }
                        if strike.point == Point::InAnswer {
                            to.write_all(&kept[..kept.len() / 2])?;
                        }
                        *answers.lock().unwrap_or_else(PoisonError::into_inner) = Answers::Drop;
                        self.strike(strike, client, server);
                    }
                    _ => to.write_all(&message)?,
                }
            }
        })();
        let is_hanging = *answers.lock().unwrap_or_else(PoisonError::into_inner) == Answers::Drop;
        if !is_hanging {
            close(client, server);
        }
        passed
    }
}

fn close(client: &UnixStream, server: &UnixStream) {
    for end in [client, server] {
        let _ = end.shutdown(Shutdown::Both);
    }
}

/// The length of what follows it.
fn length_of(bytes: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_be_bytes(bytes) as usize;
    length.checked_sub(4).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A message with its kind and its length.
fn message(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = length_of([head[1], head[2], head[3], head[4]])?;
    let mut all = head.to_vec();
    all.resize(5 + length, 0);
    from.read_exact(&mut all[5..])?;
    Ok(all)
}
