//! Where the service is and how it is spoken to; and the one place where a client that can write is made.

use super::address::Base;
use super::error::Result;
use super::identity::Pin;
use super::key::ApiKey;
use super::reader::Reader;
use super::writer::Writer;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Requests a minute that the contract allows a key (contract, "Limits").
pub const DEFAULT_RATE_LIMIT: u32 = 1000;

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until a connection stands. Default 10 s.
    pub connect: Duration,
    /// Until the next piece of an answer to a GET. Default 30 s.
    pub read: Duration,
    /// All attempts of a GET together, to the last byte of the answer. The waits for its turn and for a
    /// `Retry-After` do not count. Default 30 s.
    pub total: Duration,
    /// A POST as a whole: long, so that doubt is rare. Default 150 s.
    pub total_post: Duration,
    /// The first pause before something is tried again; later ones are longer. Default 300 ms.
    pub pause: Duration,
    /// The shortest wait after a 429, whatever it asks for; doubled with every 429 in a row. Default 1 s.
    pub refused: Duration,
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
        }
    }
}

/// Certificates of authorities, such as a company's own.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorities {
    /// Where they come from, for messages.
    pub name: String,
    /// One or more certificates as text (PEM).
    pub pem: Arc<[u8]>,
}

/// Where the service is and how it is spoken to.
#[derive(Clone)]
pub struct Connection {
    /// Ends in the path prefix (contract, preamble); a slash at the end makes no difference.
    pub base_url: String,
    /// The organisation's key.
    pub key: ApiKey,
    /// No client that can write is made.
    pub read_only: bool,
    /// Requests in any 60 s; shared by everything in this process that uses the same key and origin.
    pub rate_limit: u32,
    /// The folder through which the limit is shared with other lapel processes of this computer, and in which a
    /// `Retry-After` is kept. `None`: this process shares with nobody.
    pub pace_folder: Option<PathBuf>,
    /// The window of the limit: 60 s but in tests.
    #[doc(hidden)]
    pub window: Duration,
    /// The only proxy that is ever used; never for this computer itself.
    pub proxy: Option<String>,
    /// Where pictures are whose addresses are only paths (contract, "Wallet"), where the profile knows it.
    pub picture_base: Option<String>,
    /// Certificates that are trusted besides those of this computer.
    pub authorities: Option<Authorities>,
    /// What the key was when it was checked; see [`super::recognise`].
    pub pin: Option<Pin>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// The offset of the service's zone-less times, where the profile knows it.
    pub utc_offset: Option<jiff::tz::Offset>,
    /// How many service seconds pass in a real one: 1, but for a sandbox.
    pub clock_speed: f64,
}

impl Connection {
    /// A connection with the defaults.
    ///
    /// # Errors
    /// [`super::ApiError::BadInput`] naming `base_url` when it is not https (or http on this computer), or
    /// holds a user, a query or a fragment.
    pub fn new(base_url: &str, key: ApiKey) -> Result<Self> {
        Base::new(base_url)?;
        Ok(Self {
            base_url: base_url.trim().to_owned(),
            key,
            read_only: false,
            rate_limit: DEFAULT_RATE_LIMIT,
            pace_folder: None,
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
}

impl Connection {
    /// Whether the service is on this computer.
    pub fn is_loopback(&self) -> bool {
        Base::new(&self.base_url).is_ok_and(|base| base.is_loopback())
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither a base URL that was set without a check nor a proxy may show a password.
        f.debug_struct("Connection")
            .field("origin", &Base::new(&self.base_url).map_or_else(|_| "unchecked".into(), |b| b.origin()))
            .field("key", &self.key)
            .field("read_only", &self.read_only)
            .field("rate_limit", &self.rate_limit)
            .field("pace_folder", &self.pace_folder)
            .field("window", &self.window)
            .field("proxy", &self.proxy.as_ref().map(|_| "[set]"))
            .field("picture_base", &self.picture_base)
            .field("authorities", &self.authorities.as_ref().map(|a| &a.name))
            .field("pin", &self.pin)
            .field("timeouts", &self.timeouts)
            .field("utc_offset", &self.utc_offset)
            .field("clock_speed", &self.clock_speed)
            .finish()
    }
}

/// What a profile may do.
///
/// Read-only is a matter of types, not of a flag that somebody has to look at: only a [`Writer`] has methods
/// that send a POST and the client to send it with, and only [`connect`] makes one, from a connection that is
/// not read-only. Nothing turns a [`Reader`] into one, so whatever a screen, a job or a verb does with a
/// read-only profile, there is nothing to send with:
///
/// ```compile_fail,E0624
/// # use lapel::api::{Connection, Reader, Writer};
/// fn forge(reader: Reader, connection: &Connection) -> Writer {
///     Writer::new(reader, connection).expect("this function is private to the room")
/// }
/// ```
#[derive(Clone, Debug)]
pub enum Access {
    /// Look only. There is no way from here to a [`Writer`].
    ReadOnly(Reader),
    /// Look, issue and revoke.
    ReadWrite(Writer),
}

impl Access {
    /// The reading half, which is always there.
    pub fn reader(&self) -> &Reader {
        match self {
            Self::ReadOnly(reader) => reader,
            Self::ReadWrite(writer) => writer.reader(),
        }
    }

    /// The writing half, unless the profile is read-only.
    pub fn writer(&self) -> Option<&Writer> {
        match self {
            Self::ReadOnly(_) => None,
            Self::ReadWrite(writer) => Some(writer),
        }
    }
}

/// Prepares the clients of a connection; nothing is sent. For https this reads the computer's certificate
/// store (some 20 ms), and it opens the file of the shared pace, so a desk calls it off its loop.
///
/// This is the one place where a [`Writer`] is made.
///
/// # Errors
/// [`super::ApiError::BadInput`] for a wrong `base_url`, `proxy` or `ca_file`; [`super::ApiError::NotReached`] when this
/// computer has no certificate store.
pub fn connect(connection: &Connection) -> Result<Access> {
    let base = Base::new(&connection.base_url)?;
    let reader = Reader::new(connection, base)?;
    if connection.read_only {
        Ok(Access::ReadOnly(reader))
    } else {
        Ok(Access::ReadWrite(Writer::new(reader, connection)?))
    }
}
