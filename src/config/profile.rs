//! A profile: the service, its key, and how careful lapel must be.

use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key::Key;
use super::ui::Words;
use jiff::tz::Offset;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The kind of service. The TUI always shows it, and asks for more confirmations with LIVE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// A sandbox without real data.
    Demo,
    /// A test installation of the service.
    Staging,
    /// Real badges of real people. The default when a profile sets no environment.
    Live,
}

impl Environment {
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }

    /// The word in the settings file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Staging => "staging",
            Self::Live => "live",
        }
    }
}

impl Words for Environment {
    const WORDS: &'static [(&'static str, Self)] =
        &[("demo", Self::Demo), ("staging", Self::Staging), ("live", Self::Live)];
}

impl fmt::Display for Environment {
    /// The label in the TUI: `DEMO`, `STAGING`, `LIVE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Demo => "DEMO",
            Self::Staging => "STAGING",
            Self::Live => "LIVE",
        })
    }
}

#[derive(Clone)]
pub struct Profile {
    /// Its name. `environment` when the environment variables alone define the profile.
    pub name: String,
    pub environment: Environment,
    /// The base URL without a slash at the end.
    pub base_url: String,
    pub organisation: Option<String>,
    /// Whether the profile may neither issue nor revoke.
    pub read_only: bool,
    /// The API key, or its source.
    pub key: Key,
    /// The source of the key as text, which never contains the key.
    pub key_from: String,
    pub pin: Option<Pin>,
    /// Requests per minute, when the profile sets them (contract, "Limits": 1000).
    pub rate_limit: Option<u32>,
    /// The UTC offset of the service's timestamps, when the profile sets it. The contract does not define it.
    pub utc_offset: Option<Offset>,
    /// The proxy of this profile; may contain a password. Proxies in environment variables are not used.
    pub proxy: Option<String>,
    /// The base address of pictures with a relative path, as in the wallet (contract, "Wallet badge").
    pub picture_base: Option<String>,
    /// Extra certificates to trust.
    pub ca: Option<CaFile>,
    /// Job settings of the profile, with those for all profiles as fallback.
    pub jobs: JobSettings,
    /// Index settings of the profile, with those for all profiles as fallback.
    pub index: IndexSettings,
    /// The source of the profile as text for the user.
    pub from: String,
}

impl Profile {
    /// The organisation's name, or else the host. To send with a LIVE profile, the user types it.
    pub fn label(&self) -> String {
        let host = || url::Url::parse(&self.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        self.organisation.clone().or_else(host).unwrap_or_else(|| self.base_url.clone())
    }
}

impl fmt::Debug for Profile {
    /// Leaves out the key and the proxy, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("name", &self.name)
            .field("environment", &self.environment)
            .field("base_url", &self.base_url)
            .field("organisation", &self.organisation)
            .field("read_only", &self.read_only)
            .field("key", &self.key)
            .field("key_from", &self.key_from)
            .field("pin", &self.pin)
            .field("rate_limit", &self.rate_limit)
            .field("utc_offset", &self.utc_offset)
            .field("proxy", &self.proxy.as_ref().map(|_| "[redacted]"))
            .field("picture_base", &self.picture_base)
            .field("ca", &self.ca.as_ref().map(|ca| &ca.path))
            .field("jobs", &self.jobs)
            .field("index", &self.index)
            .field("from", &self.from)
            .finish()
    }
}

/// The identity of a profile's key when lapel tested it. A key with another identity may belong to another
/// organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The first characters of the key, as the service reported them.
    pub prefix: String,
    /// A short hash that identifies the key without revealing it, when it was saved.
    pub fingerprint: Option<String>,
}

impl Pin {
    /// Whether a text can be the prefix of a key: 1 to 24 visible ASCII characters.
    pub fn is_prefix(text: &str) -> bool {
        (1..=24).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    }

    /// Whether a text can be a fingerprint: eight hexadecimal digits.
    pub fn is_fingerprint(text: &str) -> bool {
        text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit())
    }
}

/// A loaded file of certificates (PEM).
#[derive(Clone, PartialEq, Eq)]
pub struct CaFile {
    pub path: PathBuf,
    pub pem: Arc<[u8]>,
}

impl fmt::Debug for CaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaFile({}, {} bytes)", self.path.display(), self.pem.len())
    }
}

/// Whether a profile may have this name. It becomes a file name and a table name, so it has 1 to 40 of the
/// characters `A`–`Z`, `a`–`z`, `0`–`9`, `_` and `-`.
pub fn is_profile_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

pub(super) const NAME_RULE: &str = tr_noop!("a profile name has 1 to 40 letters (A-Z, a-z), digits, - or _");
