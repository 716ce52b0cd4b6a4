//! The settings of a connection.

use super::error::ApiResult;
use super::key::ApiKey;
use super::service_url::Base;
use crate::api::prelude::*;
use std::path::PathBuf;

/// Default rate limit per key, in requests per minute (contract, "Limits").
pub const DEFAULT_RATE_LIMIT: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until a connection is established. Default 10 s.
    pub connect: Duration,
    /// Until the next part of a GET response. Default 30 s.
    pub read: Duration,
    /// All attempts of a GET together. Waiting for a turn or for a `Retry-After` does not count.
    /// Default 30 s.
    pub total: Duration,
    /// A whole POST. Long, so that few requests end in doubt. Default 150 s.
    pub total_post: Duration,
    /// The first pause before a retry; later pauses are longer. Default 300 ms.
    pub pause: Duration,
    /// Minimum wait after a 429, even if its `Retry-After` is shorter. Doubles with each consecutive 429. Default
    /// 1 s.
    pub refused: Duration,
    /// How long a GET waits while this computer has no share of its team's limit. Default `None`: without end.
    pub unshared: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            total: Duration::from_secs(30),
            total_post: Duration::from_secs(150),
            pause: Duration::from_millis(300),
            refused: Duration::from_secs(1),
            unshared: None,
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Authorities {
    /// Their source, for messages.
    pub name: String,
    pub pem: Arc<[u8]>,
}

/// The identity of a key when a person checked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedIdentity {
    pub profile: String,
    /// As the service reported it.
    pub prefix: String,
    /// [`ApiKey::fingerprint`], if stored.
    pub fingerprint: Option<String>,
    /// Compared with the issuing organisation of badges.
    pub organisation: Option<String>,
    pub is_live: bool,
}

#[derive(Clone)]
pub struct Connection {
    /// Ends in the path prefix (contract, preamble). A final slash makes no difference.
    pub base_url: String,
    pub key: ApiKey,
    pub read_only: bool,
    /// Requests in any 60 s. Shared by everything in this process with the same key and origin.
    pub rate_limit: u32,
    /// Lapel processes on this computer share the limit and a `Retry-After` through this folder.
    /// `None`: no sharing.
    pub pace_folder: Option<PathBuf>,
    /// All computers of a team share the limit and a `Retry-After` through this database. The folder then only
    /// serves this computer's own share, for the time when the database is away.
    pub pace_team: Option<crate::team::Login>,
    /// The window of the limit: 60 s except in tests.
    #[doc(hidden)]
    pub window: Duration,
    /// The only proxy that lapel uses. Never used for loopback hosts.
    pub proxy: Option<String>,
    /// Base URL of pictures with a relative path, if the profile has one.
    pub picture_base: Option<String>,
    pub authorities: Option<Authorities>,
    /// The key's identity when a person checked it; see [`super::recognise`].
    pub pin: Option<PinnedIdentity>,
    pub timeouts: Timeouts,
    /// UTC offset of the service's timestamps, if the profile has it.
    pub utc_offset: Option<jiff::tz::Offset>,
    /// Service seconds per real second: 1 except for a sandbox.
    pub clock_speed: f64,
}

impl Connection {
    pub fn new(base_url: &str, key: ApiKey) -> ApiResult<Self> {
        Base::new(base_url)?;
        Ok(Self {
            base_url: base_url.trim().to_owned(),
            key,
            read_only: false,
            rate_limit: DEFAULT_RATE_LIMIT,
            pace_folder: None,
            pace_team: None,
            window: super::pace::WINDOW,
            proxy: None,
            picture_base: None,
            authorities: None,
            pin: None,
            timeouts: Timeouts::default(),
            utc_offset: None,
            clock_speed: 1.0,
        })
    }

    pub fn is_loopback(&self) -> bool {
        Base::new(&self.base_url).is_ok_and(|base| base.is_loopback())
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An unchecked base URL or a proxy may contain a password.
        f.debug_struct("Connection")
            .field("origin", &Base::new(&self.base_url).map_or_else(|_| "unchecked".into(), |b| b.origin()))
            .field("key", &self.key)
            .field("read_only", &self.read_only)
            .field("rate_limit", &self.rate_limit)
            .field("pace_folder", &self.pace_folder)
            .field("pace_team", &self.pace_team)
            .field("pin", &self.pin)
            .finish_non_exhaustive()
    }
}
