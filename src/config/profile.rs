//! A profile: which service, as whom, and how careful.

use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key::Key;
use super::ui::Words;
use jiff::tz::Offset;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What stands at the other end. The desk shows it everywhere and asks more questions the more it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// A sandbox: nothing is real.
    Demo,
    /// A trial installation of the service.
    Staging,
    /// Real badges of real people. Whatever is not said to be something else is this.
    Live,
}

impl Environment {
    /// Reads `demo`, `staging` or `live`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }

    /// The word as it stands in the settings file.
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
    /// As the desk marks it: `DEMO`, `STAGING`, `LIVE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Demo => "DEMO",
            Self::Staging => "STAGING",
            Self::Live => "LIVE",
        })
    }
}

/// A profile with everything that a connection needs.
#[derive(Clone)]
pub struct Profile {
    /// Its name; `environment` for one that the environment variables alone make up.
    pub name: String,
    /// What stands at the other end.
    pub environment: Environment,
    /// The base URL, without a slash at its end.
    pub base_url: String,
    /// What the person calls the organisation.
    pub organisation: Option<String>,
    /// Whether nothing may be issued or revoked with it.
    pub read_only: bool,
    /// The API key, or where it is to be asked for.
    pub key: Key,
    /// Where the key comes from, in words that never hold the key.
    pub key_from: String,
    /// What the key was when it was checked, where it was.
    pub pin: Option<Pin>,
    /// Requests per minute, where the profile sets them (contract, "Limits": 1000).
    pub rate_limit: Option<u32>,
    /// The offset of the service's timestamps, which the contract leaves open, where the profile sets it.
    pub utc_offset: Option<Offset>,
    /// The proxy for this profile's requests; may hold a password. Proxies of the environment are not used.
    pub proxy: Option<String>,
    /// Where pictures are whose addresses are only paths, as the wallet's (contract, "Wallet").
    pub picture_base: Option<String>,
    /// Certificates that are trusted besides those of this computer.
    pub ca: Option<CaFile>,
    /// How jobs work: what the profile says, else what the file says for all.
    pub jobs: JobSettings,
    /// Whether a copy of the history is kept: what the profile says, else what the file says for all.
    pub index: IndexSettings,
    /// Where it came from, in words: for a person who wonders why.
    pub from: String,
}

impl Profile {
    /// What the organisation is called: by the person, or else by its host. Where a live profile is used to send,
    /// this is what has to be typed.
    pub fn label(&self) -> String {
        let host = || url::Url::parse(&self.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        self.organisation.clone().or_else(host).unwrap_or_else(|| self.base_url.clone())
    }
}

impl fmt::Debug for Profile {
    /// The key and the proxy, which may hold a password, are not shown.
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

/// What the key of a profile was when it was checked. Whatever else it turns out to be later may belong to
/// another organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its first characters, as the service said them.
    pub prefix: String,
    /// What tells this key from every other one and says nothing of it, where it was kept.
    pub fingerprint: Option<String>,
}

impl Pin {
    /// Whether this can be the beginning of a key: 1 to 24 plain signs.
    pub fn is_prefix(text: &str) -> bool {
        (1..=24).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    }

    /// Whether this can be a fingerprint: eight hexadecimal digits.
    pub fn is_fingerprint(text: &str) -> bool {
        text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit())
    }
}

/// A file of certificates (PEM), read.
#[derive(Clone, PartialEq, Eq)]
pub struct CaFile {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub pem: Arc<[u8]>,
}

impl fmt::Debug for CaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaFile({}, {} bytes)", self.path.display(), self.pem.len())
    }
}

/// Whether a profile may have this name: it becomes a file name and a table name, so only `A`–`Z`, `a`–`z`,
/// `0`–`9`, `_` and `-`, 1 to 40 of them.
pub fn is_profile_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// What a profile name may be, for messages.
pub(super) const NAME_RULE: &str = tr_noop!("a profile name has 1 to 40 letters (A-Z, a-z), digits, - or _");
