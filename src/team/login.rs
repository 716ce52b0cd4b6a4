//! What is needed to connect to a team's database, and how long lapel waits for it.

use super::error::TeamError;
use super::server::Server;
use secrecy::SecretString;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
#[cfg(feature = "team")]
use tokio::sync::MutexGuard;

/// Maximum wait for the answer to an earlier attempt to log in.
#[cfg(feature = "team")]
const EARLIER_ATTEMPT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Login {
    pub server: Server,
    pub password: Option<SecretString>,
    /// Certificates (PEM) that are trusted in addition to the system's.
    pub ca: Option<Arc<[u8]>>,
    pub limits: &'static DatabaseLimits,
    /// Why the server refused it. Shared by all copies: none of them is tried again.
    pub refused: Arc<LoginRefusal>,
}

/// Why the server refused a login, once it has.
#[derive(Default)]
pub struct LoginRefusal {
    why: OnceLock<TeamError>,
    /// Held while a connection with the login is being opened.
    #[cfg(feature = "team")]
    opening: tokio::sync::Mutex<()>,
}

impl LoginRefusal {
    pub fn get(&self) -> Option<&TeamError> {
        self.why.get()
    }
}

#[cfg(feature = "team")]
impl LoginRefusal {
    pub(super) fn set(&self, why: &TeamError) {
        self.why.get_or_init(|| why.clone());
    }

    /// Waits for the answer to an earlier attempt, so that a wrong password is not tried twice at the same time. Not for
    /// long, since a server that hangs says nothing of the login: a slow server may hear a wrong password twice. Hold the result until this attempt has its answer.
    pub(super) async fn attempt(&self) -> Result<Option<MutexGuard<'_, ()>>, TeamError> {
        let opening = tokio::time::timeout(EARLIER_ATTEMPT, self.opening.lock()).await.ok();
        self.get().map_or(Ok(opening), |why| Err(why.clone()))
    }
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

#[cfg(all(test, feature = "team"))]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_login_waits_for_the_answer_to_an_earlier_attempt_but_not_for_a_server_that_hangs() {
        let refusal = LoginRefusal::default();
        let earlier = refusal.attempt().await.expect("not refused");
        assert!(earlier.is_some());
        assert!(refusal.attempt().await.expect("not refused").is_none(), "the earlier one has no answer");
        let mut later = std::pin::pin!(refusal.attempt());
        tokio::select! {
            biased;
            _ = &mut later => panic!("the server has not answered"),
            () = std::future::ready(()) => {}
        }
        refusal.set(&TeamError::LoginRefused(localizable!("the user name or the password is wrong")));
        drop(earlier);
        assert!(matches!(later.await, Err(TeamError::LoginRefused(_))), "it is not tried again");
        assert!(matches!(refusal.attempt().await, Err(TeamError::LoginRefused(_))));
    }
}
