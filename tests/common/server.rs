//! A raw socket that does what a script says, and keeps count of what it was sent.
#![allow(dead_code, reason = "each test binary uses its part")]

use lapel::api::{Access, ApiKey, Connection, Reader, Timeouts, Writer, connect};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub const KEY: &str = "dmu_test_0123456789abcdefghijklmnop";

/// What the socket does next.
#[derive(Clone)]
pub enum Move {
    Send(Vec<u8>),
    /// Single bytes, with this much time between them.
    Trickle(Vec<u8>, Duration),
    /// Keeps the connection open and never says anything again.
    Hang,
    Close,
    /// Closes with a reset.
    Reset,
    /// Gives the request to the service at a port of this computer, and its answer back, and closes.
    Forward(u16),
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Which connection it came on, from 0.
    pub connection: usize,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

type Script = dyn Fn(usize, &Seen) -> Vec<Move> + Send + Sync;

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: watch::Receiver<usize>,
    task: tokio::task::JoinHandle<()>,
    key: String,
}

/// When the script takes over.
#[derive(Clone, Copy)]
pub enum After {
    /// As soon as there is a connection.
    Accept,
    /// After so many bytes of the request.
    Bytes(usize),
    /// After a whole request.
    Request,
}

/// Servers so far. A pace outlives its server, and a free port may have been another one's: a key of its own
/// keeps what one server asked for (such as `Retry-After: 600`) from holding back the client of the next.
static STARTED: AtomicUsize = AtomicUsize::new(0);

impl Server {
    /// A server whose script is asked for each request (its number from 0, and what it was).
    pub async fn start(script: impl Fn(usize, &Seen) -> Vec<Move> + Send + Sync + 'static) -> Self {
        Self::start_after(After::Request, script).await
    }

    /// A server that makes the same moves on every request.
    pub async fn always(moves: Vec<Move>) -> Self {
        Self::start(move |_, _| moves.clone()).await
    }

    pub async fn start_after(
        after: After,
        script: impl Fn(usize, &Seen) -> Vec<Move> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (count, connections) = watch::channel(0);
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn({
            let seen = seen.clone();
            async move {
                loop {
                    let Ok((stream, _)) = listener.accept().await else { return };
                    let connection = *count.borrow();
                    count.send_modify(|n| *n += 1);
                    tokio::spawn(talk(stream, connection, after, script.clone(), seen.clone()));
                }
            }
        });
        let key = format!("{KEY}{}", STARTED.fetch_add(1, Ordering::Relaxed));
        Self { port, seen, connections, task, key }
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/api/v1/ext", self.port)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("lock").clone()
    }

    pub fn connections(&self) -> usize {
        *self.connections.borrow()
    }

    /// The key that its clients send; it begins with [`KEY`].
    pub fn key(&self) -> &str {
        &self.key
    }

    /// A client of it with short pauses.
    pub fn writer(&self) -> Writer {
        self.writer_with(|_| {})
    }

    pub fn writer_with(&self, change: impl FnOnce(&mut Connection)) -> Writer {
        writer_as(&self.key, &self.base_url(), change)
    }

    pub fn reader(&self) -> Reader {
        self.writer().reader().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub fn writer(base_url: &str, change: impl FnOnce(&mut Connection)) -> Writer {
    writer_as(KEY, base_url, change)
}

fn writer_as(key: &str, base_url: &str, change: impl FnOnce(&mut Connection)) -> Writer {
    let mut connection = Connection::new(base_url, ApiKey::new(key).expect("a key")).expect("a base URL");
    connection.timeouts = Timeouts {
        connect: Duration::from_secs(10),
        read: Duration::from_secs(10),
        total: Duration::from_secs(10),
        total_post: Duration::from_secs(10),
        pause: Duration::from_millis(1),
        refused: Duration::from_millis(1),
        unshared: None,
    };
    change(&mut connection);
    match connect(&connection).expect("a client") {
        Access::ReadWrite(writer) => writer,
        Access::ReadOnly(_) => panic!("the connection is not read-only"),
    }
}

/// Time-outs for tests that wait for them.
pub fn hurried(connection: &mut Connection) {
    let soon = Duration::from_millis(200);
    connection.timeouts.read = soon;
    connection.timeouts.total = soon * 2;
    connection.timeouts.total_post = soon;
}

async fn talk(
    mut stream: TcpStream,
    connection: usize,
    after: After,
    script: Arc<Script>,
    all: Arc<Mutex<Vec<Seen>>>,
) {
    loop {
        let seen = match after {
            After::Accept => Some(Seen::nothing(connection)),
            After::Bytes(count) => {
                let mut part = vec![0; count];
                let whole = stream.read_exact(&mut part).await.is_ok();
                whole.then(|| Seen { body: part, ..Seen::nothing(connection) })
            }
            After::Request => read_request(&mut stream, connection).await,
        };
        let Some(seen) = seen else { return };
        let number = {
            let mut all = all.lock().expect("lock");
            all.push(seen.clone());
            all.len() - 1
        };
        for step in script(number, &seen) {
            match step {
                Move::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Move::Trickle(bytes, between) => {
                    for byte in bytes {
                        if stream.write_all(&[byte]).await.is_err() {
                            return;
                        }
                        tokio::time::sleep(between).await;
                    }
                }
                Move::Hang => {
                    // Until the other side has enough.
                    let mut rest = [0; 1024];
                    while matches!(stream.read(&mut rest).await, Ok(n) if n > 0) {}
                    return;
                }
                Move::Close => {
                    let _ = stream.shutdown().await;
                    return;
                }
                Move::Reset => {
                    stream.set_zero_linger().expect("linger");
                    return;
                }
                Move::Forward(port) => {
                    let _ = forward(&seen, port, &mut stream).await;
                    let _ = stream.shutdown().await;
                    return;
                }
            }
        }
    }
}

async fn forward(seen: &Seen, port: u16, stream: &mut TcpStream) -> std::io::Result<()> {
    let mut service = TcpStream::connect(("127.0.0.1", port)).await?;
    let kept = seen.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("connection"));
    let headers: Vec<String> = kept.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let head = format!("{} {} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n", seen.method, seen.target);
    service.write_all(head.as_bytes()).await?;
    service.write_all(&seen.body).await?;
    tokio::io::copy(&mut service, stream).await?;
    Ok(())
}

impl Seen {
    fn nothing(connection: usize) -> Self {
        Self {
            method: String::new(),
            target: String::new(),
            headers: Vec::new(),
            body: Vec::new(),
            connection,
        }
    }
}

async fn read_request(stream: &mut TcpStream, connection: usize) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).expect("a text head");
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut seen = Seen { method, target, headers, body: bytes.split_off(head_end), connection };
    let length = seen.header("content-length").map_or(0, |l| l.parse().expect("a length"));
    while seen.body.len() < length {
        if stream.read_buf(&mut seen.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(seen)
}

/// An answer with a right length.
pub fn answer(status: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len()).into_bytes();
    for header in headers {
        bytes.extend_from_slice(format!("{header}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

pub const JSON: &str = "Content-Type: application/json";

pub fn enveloped(status: &str, code: &str, message: &str, data: &str) -> Vec<u8> {
    let body = format!(r#"{{"code":"{code}","message":"{message}","data":{data}}}"#);
    answer(status, &[JSON], body)
}

/// The answer to a ping.
pub fn pong() -> Vec<u8> {
    enveloped("200 OK", "0001", "ok", r#"{"status":"ok","apikey_prefix":"dmu_test_"}"#)
}

/// The answer to an issue request.
pub fn issued() -> Vec<u8> {
    enveloped("202 Accepted", "0002", "accepted", r#"{"badge_id":"B1","status_cd":"ISSUE_WAIT"}"#)
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}
