//! How the link to the service stands: what a header line shows.

use tokio::time::Instant;

/// The state of the traffic of one key, as of its last change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkStatus {
    /// Requests of this key that count against its minute, under way or completed less than 60 s ago: those of
    /// this process, and those of other lapel processes as far as this one has seen them.
    pub used_last_minute: u32,
    /// How many there may be.
    pub limit: u32,
    /// How many of them may be background work: less than that after somebody else used the key up.
    pub background: u32,
    /// Requests that wait for their turn.
    pub waiting: u32,
    /// Nothing is sent before this moment, because the service asked for it (`Retry-After`).
    pub held_until: Option<Instant>,
    /// What went wrong last, until something goes right again.
    pub last_error: Option<LinkTrouble>,
    /// When the service last answered in its own words.
    pub last_ok: Option<Instant>,
    /// Whether this process keeps to a share of the limit, since it cannot see what others send; see
    /// `Reader::alone`.
    pub is_alone: bool,
    /// When this status next changes by the mere passing of time; a timer on it and another look at
    /// `Reader::link_now` keep a display right.
    pub next_change: Option<Instant>,
}

/// A read that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// When it began. The waits for its turn and for a `Retry-After` do not count: the moment is moved by them.
    pub since: Instant,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

/// What is wrong with the link as a whole, not with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkTrouble {
    /// The key is not accepted.
    KeyRefused,
    /// This computer's address is not accepted.
    AddressRefused,
    /// No connection, or no answer.
    Unreachable,
    /// Something else answers.
    NotThisService,
    /// 5xx.
    ServiceFailing,
}

impl LinkTrouble {
    /// A few words for it.
    pub fn words(self) -> &'static str {
        match self {
            Self::KeyRefused => t!("key refused"),
            Self::AddressRefused => t!("address refused"),
            Self::Unreachable => t!("unreachable"),
            Self::NotThisService => t!("not this service"),
            Self::ServiceFailing => t!("service failing"),
        }
    }
}
