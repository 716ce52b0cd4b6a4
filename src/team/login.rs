//! What is needed to connect to a team's database, and how long lapel waits for it.

use super::error::TeamError;
use super::server::Server;
use secrecy::SecretString;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[derive(Clone)]
pub struct Login {
    pub server: Server,
    pub password: Option<SecretString>,
    /// Certificates (PEM) that are trusted in addition to the system's.
    pub ca: Option<Arc<[u8]>>,
    pub limits: &'static DatabaseLimits,
    /// Why the server refused it. Shared by all copies: none of them is tried again.
    pub refused: Arc<OnceLock<TeamError>>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("server", &self.server).finish_non_exhaustive()
    }
}

/// The server's own limits do not end a wait if the server, or the network to it, hangs. Each limit is for one answer,
/// not for a whole operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseLimits {
    pub read: Duration,
    /// More than the server lets a write wait for another one.
    pub write: Duration,
    /// Within an operation on a whole job. More than the server's limit for a statement.
    pub long: Duration,
    /// For the creation and the migration of the tables, with all their statements.
    pub tables: Duration,
    /// After the first failure of a write, the time to reach the database again.
    pub reconnect: Duration,
}

impl DatabaseLimits {
    pub const USUAL: Self = Self {
        read: Duration::from_secs(10),
        write: Duration::from_secs(20),
        long: Duration::from_secs(130),
        tables: Duration::from_secs(600),
        reconnect: Duration::from_secs(10),
    };
}
