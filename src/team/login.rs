//! What is needed to connect to a team's database, and how long lapel waits for it.

use super::error::TeamError;
use super::server::Server;
use secrecy::SecretString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
    /// Why the server refused it. Shared by all copies: none of them is tried again before [`Login::renew`].
    pub refused: Arc<LoginRefusal>,
}

impl Login {
    /// Lets all copies try a refused login again, with the password of one that was read later. Returns false, and does
    /// nothing, if that one is for another server or user.
    pub fn renew(&self, later: &Self) -> bool {
        if self.server != later.server {
            return false;
        }
        let mut known = self.refused.known();
        *known = Known { why: None, password: later.password.clone(), times: known.times + 1 };
        true
    }

    /// The password that was read last.
    #[cfg(feature = "team")]
    pub(super) fn newest_password(&self) -> Option<SecretString> {
        let known = self.refused.known();
        if known.times == 0 { self.password.clone() } else { known.password.clone() }
    }
}

/// Why the server refused a login, once it has.
#[derive(Default)]
pub struct LoginRefusal {
    known: Mutex<Known>,
    /// Held while a connection with the login is being opened.
    #[cfg(feature = "team")]
    opening: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    why: Option<TeamError>,
    /// Instead of that of the login, once it was read again.
    #[cfg_attr(not(feature = "team"), expect(dead_code, reason = "only a team's journal needs a login"))]
    password: Option<SecretString>,
    /// How often it was read again.
    times: u64,
}

impl LoginRefusal {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self) -> Option<TeamError> {
        self.known().why.clone()
    }
}

#[cfg(feature = "team")]
impl LoginRefusal {
    /// How often the password was read again.
    pub(super) fn times(&self) -> u64 {
        self.known().times
    }

    /// Notes the refusal of an attempt, unless the password was read again since. `times` is [`Self::times`] before it.
    pub(super) fn set(&self, why: &TeamError, times: u64) {
        let mut known = self.known();
        if known.times == times {
            known.why.get_or_insert_with(|| why.clone());
        }
    }

    /// Waits for the answer to an earlier attempt, so that a wrong password is not tried twice at the same time. Not for
    /// long, since a server that hangs says nothing of the login: a slow server may hear a wrong password twice. Hold the
    /// result until this attempt has its answer.
    pub(super) async fn attempt(&self) -> Result<Option<tokio::sync::MutexGuard<'_, ()>>, TeamError> {
        let opening = tokio::time::timeout(EARLIER_ATTEMPT, self.opening.lock()).await.ok();
        self.get().map_or(Ok(opening), Err)
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
    use secrecy::ExposeSecret;

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
        refusal.set(&TeamError::LoginRefused(localizable!("the user name or the password is wrong")), 0);
        drop(earlier);
        assert!(matches!(later.await, Err(TeamError::LoginRefused(_))), "it is not tried again");
        assert!(matches!(refusal.attempt().await, Err(TeamError::LoginRefused(_))));
    }

    #[test]
    fn all_copies_of_a_login_use_the_password_that_was_read_again() {
        let login = |url: &str, password: &str| Login {
            server: Server::parse(url).expect("a server"),
            password: Some(password.to_owned().into()),
            ca: None,
            limits: &DatabaseLimits::USUAL,
            refused: Arc::default(),
        };
        let url = "postgres://kim@localhost/badges";
        let refused = TeamError::LoginRefused(localizable!("the user name or the password is wrong"));
        let first = login(url, "old");
        let copy = first.clone();
        first.refused.set(&refused, 0);
        assert!(!copy.renew(&login("postgres://lee@localhost/badges", "new")), "another user");
        assert_eq!(copy.refused.get(), Some(refused.clone()));
        assert!(copy.renew(&login(url, "new")));
        assert_eq!(first.refused.get(), None, "it is tried again");
        assert_eq!(first.newest_password().expect("a password").expose_secret(), "new");
        first.refused.set(&refused, 0);
        assert_eq!(first.refused.get(), None, "an answer to the old password");
        first.refused.set(&refused, first.refused.times());
        assert_eq!(copy.refused.get(), Some(refused), "the new one is wrong, too");
    }
}
