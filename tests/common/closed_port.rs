//! An address where nobody listens.

use std::net::SocketAddr;
use tokio::net::TcpSocket;

/// A port of this computer that refuses every connection while this is kept. (A port that was only
/// free a moment ago may be the sandbox of the next test by now.)
pub struct ClosedPort {
    held: TcpSocket,
}

impl ClosedPort {
    pub fn new() -> Self {
        let held = TcpSocket::new_v4().expect("a socket");
        held.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
        Self { held }
    }

    pub fn address(&self) -> SocketAddr {
        self.held.local_addr().expect("an address")
    }
}
