//! What is needed to connect to a team's database, and how long lapel waits for it.

use super::error::TeamError;
use super::server::Server;
use secrecy::SecretString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
#[cfg(feature = "team")]
use std::time::Instant;

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
    #[cfg(feature = "team")]
    opening: tokio::sync::Mutex<LastSuccess>,
}

/// Held while a connection with the login is being opened. It has the time of the last login that worked.
#[cfg(feature = "team")]
pub(super) type LastSuccess = Option<Instant>;

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

    /// Waits for the answer to an earlier attempt, so that a wrong password is not tried twice. Hold the result until this
    /// attempt has its answer. `None` if the login has worked meanwhile: then the others need not wait for this attempt.
    pub(super) async fn attempt(
        &self,
    ) -> Result<Option<tokio::sync::MutexGuard<'_, LastSuccess>>, TeamError> {
        let begun = Instant::now();
        let opening = self.opening.lock().await;
        match self.get() {
            Some(why) => Err(why),
            None => Ok(Some(opening).filter(|worked| worked.is_none_or(|at| at < begun))),
        }
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
    async fn a_login_waits_for_the_answer_to_an_earlier_attempt_however_long_that_takes() {
        let refusal = LoginRefusal::default();
        let earlier = refusal.attempt().await.expect("not refused");
        let mut later = std::pin::pin!(refusal.attempt());
        let waited = tokio::time::timeout(Duration::from_secs(3600), &mut later).await;
        assert!(waited.is_err(), "the server has not answered");
        refusal.set(&TeamError::LoginRefused(localizable!("the user name or the password is wrong")), 0);
        drop(earlier);
        assert!(matches!(later.await, Err(TeamError::LoginRefused(_))), "it is not tried again");
        assert!(matches!(refusal.attempt().await, Err(TeamError::LoginRefused(_))));
    }

    /// On a slow server, four connections would otherwise be opened one after the other.
    #[tokio::test]
    async fn attempts_that_waited_for_a_login_that_worked_do_not_wait_for_each_other() {
        let refusal = LoginRefusal::default();
        let mut first = refusal.attempt().await.expect("not refused").expect("none was before it");
        let waiting = async {
            let both = tokio::join!(refusal.attempt(), refusal.attempt());
            [both.0, both.1].map(|attempt| attempt.expect("not refused").is_none())
        };
        let working = async {
            *first = Some(Instant::now());
            drop(first);
        };
        let (all_go, ()) = tokio::join!(waiting, working);
        assert_eq!(all_go, [true, true]);
        // It may have changed since.
        assert!(refusal.attempt().await.expect("not refused").is_some());
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
