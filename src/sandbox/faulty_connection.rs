//! Connections of the service that can be made to fail.
//!
//! Some failures are below HTTP: a reset, a body that ends too early. So every connection has a wrapper that
//! can send other bytes than the HTTP library, and then end the connection.

use std::future::Future as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

use super::lock;

const PIECES: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    Close,
    Reset,
}

#[derive(Debug)]
struct Cut {
    bytes: Vec<u8>,
    sent: usize,
    end: ConnectionEnd,
    /// For slow sending: bytes per piece, and the wait after each.
    pace: Option<(usize, Pin<Box<Sleep>>, Duration)>,
}

#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub address: SocketAddr,
    cut: Arc<Mutex<Option<Cut>>>,
}

impl Peer {
    /// Drops everything that the HTTP library writes, sends only these bytes, then ends the connection.
    pub fn cut(&self, bytes: Vec<u8>, end: ConnectionEnd) {
        self.put(Cut { bytes, sent: 0, end, pace: None });
    }

    /// Like [`Self::cut`], but sends the bytes after the first `head` slowly, over `time`.
    pub fn trickle(&self, bytes: Vec<u8>, head: usize, time: Duration) {
        let piece = (bytes.len().saturating_sub(head) / PIECES as usize).max(1);
        let wait = time / PIECES;
        let pace = Some((piece, Box::pin(tokio::time::sleep(Duration::ZERO)), wait));
        self.put(Cut { bytes, sent: 0, end: ConnectionEnd::Close, pace });
    }

    fn put(&self, cut: Cut) {
        *lock(&self.cut) = Some(cut);
    }
}

impl Connected<IncomingStream<'_, FaultyListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, FaultyListener>) -> Self {
        stream.remote_addr().clone()
    }
}

#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub opened: AtomicU64,
    pub closed: AtomicU64,
}

#[derive(Debug)]
pub(super) struct FaultyListener {
    listener: TcpListener,
    traffic: Arc<Traffic>,
}

impl FaultyListener {
    pub fn new(listener: TcpListener, traffic: Arc<Traffic>) -> Self {
        Self { listener, traffic }
    }
}

impl Listener for FaultyListener {
    type Io = FaultyConnection;
    type Addr = Peer;

    async fn accept(&mut self) -> (FaultyConnection, Peer) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let _ = stream.set_nodelay(true);
                    self.traffic.opened.fetch_add(1, Ordering::Relaxed);
                    let peer = Peer { address, cut: Arc::default() };
                    let line =
                        FaultyConnection { stream, cut: peer.cut.clone(), traffic: self.traffic.clone() };
                    return (line, peer);
                }
                // No file handles left, or the client left during the accept: try again.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Peer> {
        Ok(Peer { address: self.listener.local_addr()?, cut: Arc::default() })
    }
}

#[derive(Debug)]
pub(super) struct FaultyConnection {
    stream: TcpStream,
    cut: Arc<Mutex<Option<Cut>>>,
    traffic: Arc<Traffic>,
}

impl Drop for FaultyConnection {
    fn drop(&mut self) {
        self.traffic.closed.fetch_add(1, Ordering::Relaxed);
    }
}

impl AsyncRead for FaultyConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for FaultyConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let held = self.cut.clone();
        let mut held = lock(&held);
        if held.is_none() && refused_below(buf) {
            *held = Some(Cut { bytes: unreadable(), sent: 0, end: ConnectionEnd::Close, pace: None });
        }
        let Some(cut) = held.as_mut() else { return Pin::new(&mut self.stream).poll_write(cx, buf) };
        while cut.sent < cut.bytes.len() {
            let mut bytes = cut.bytes.get(cut.sent..).unwrap_or_default();
            if let Some((piece, sleep, wait)) = cut.pace.as_mut() {
                ready!(sleep.as_mut().poll(cx));
                sleep.as_mut().reset(tokio::time::Instant::now() + *wait);
                bytes = bytes.get(..*piece).unwrap_or(bytes);
            }
            cut.sent += ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        }
        if cut.end == ConnectionEnd::Reset {
            let _ = self.stream.set_zero_linger();
        } else {
            let _ = ready!(Pin::new(&mut self.stream).poll_shutdown(cx));
        }
        Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The HTTP library refuses bytes that are no request with an empty body, so without a content type.
fn refused_below(head: &[u8]) -> bool {
    head.starts_with(b"HTTP/1.1 4")
        && !head.windows(13).any(|part| part.eq_ignore_ascii_case(b"content-type:"))
}

fn unreadable() -> Vec<u8> {
    let body =
        r#"{"code":"4000","message":"This is not an HTTP request that the service can read.","data":null}"#;
    format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
