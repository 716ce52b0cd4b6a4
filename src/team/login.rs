//! What is needed to connect to a team's database.

use super::limits::DatabaseLimits;
use super::server::Server;
use secrecy::SecretString;
use std::fmt;
use std::sync::Arc;

#[derive(Clone)]
pub struct Login {
    pub server: Server,
    pub password: Option<SecretString>,
    /// Certificates (PEM) that are trusted in addition to the system's.
    pub ca: Option<Arc<[u8]>>,
    pub limits: &'static DatabaseLimits,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("server", &self.server).finish_non_exhaustive()
    }
}
