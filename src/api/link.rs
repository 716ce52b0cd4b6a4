//! The state of the connection to the service, for a header line.

use crate::api::prelude::*;
use tokio::time::Instant;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// Under way, or completed less than 60 s ago. Includes other lapel processes as far as this
    /// one knows them.
    pub used_last_minute: u32,
    pub limit: u32,
    /// Whether this process has a request under way or waiting.
    pub is_busy: bool,
    /// Maximum for background calls. Lower for a while after the service returned 429.
    pub background: u32,
    pub waiting: u32,
    /// lapel sends nothing before this time (`Retry-After`).
    pub held_until: Option<Instant>,
    /// Kept until a request succeeds.
    pub last_error: Option<LinkTrouble>,
    /// Only responses of the service itself count.
    pub last_ok: Option<Instant>,
    /// Why this process uses only a share of the limit, as a message: it cannot see other processes' requests.
    pub alone: Option<Localizable>,
    /// The requests a minute that this computer may send, while a team shares the limit without this process.
    pub own_share: Option<u32>,
    /// Whether [`Self::alone`] is because the team's database refused the login.
    pub is_login_refused: bool,
    /// When this status next changes just by passing time: a display sets a timer and calls
    /// `Reader::link_now` again.
    pub next_change: Option<Instant>,
}

impl LinkStatus {
    pub fn alone_words(&self) -> Option<String> {
        self.alone.as_ref().map(ToString::to_string)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// Moved later by waiting for a turn or for a `Retry-After`, which does not count.
    pub since: Instant,
    /// From 1.
    pub attempt: u32,
}

/// A problem of the whole connection, not of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkTrouble {
    KeyRefused,
    AddressRefused,
    Unreachable,
    NotThisService,
    ServiceFailing,
}

impl LinkTrouble {
    pub fn words(self) -> Localizable {
        match self {
            Self::KeyRefused => localizable!("key refused"),
            Self::AddressRefused => localizable!("IP refused"),
            Self::Unreachable => localizable!("unreachable"),
            Self::NotThisService => localizable!("wrong service"),
            Self::ServiceFailing => localizable!("service error"),
        }
    }
}
