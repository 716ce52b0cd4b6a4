//! Fetches badge pictures from any host, with a separate client: it has no key, sends no referrer, and limits what
//! it reads.

use super::connection::{Connection, Timeouts};
use super::error::ApiResult;
use super::unreached::why;
use super::wire;
use crate::api::prelude::*;
use crate::domain::web_address::is_http;
use crate::domain::{is_loopback, may_be_local};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, redirect};
use tokio_util::sync::CancellationToken;

/// In bytes.
pub const LONGEST_PICTURE: usize = 5 * 1024 * 1024;
const MAX_REDIRECTS: usize = 5;

/// Not decoded and not trusted.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// At most [`LONGEST_PICTURE`] bytes.
    pub bytes: Vec<u8>,
    /// For example `image/png`; it may be wrong.
    pub content_type: Option<String>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({} bytes, {:?})", self.bytes.len(), self.content_type)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureProbe {
    pub status: u16,
    /// For example `image/png`; it may be wrong.
    pub content_type: Option<Text>,
}

/// Shows no URL, since a picture's URL may contain a signature.
#[derive(thiserror::Error, Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    #[error("the picture's address is not fetched: {0}")]
    Refused(Localizable),
    #[error("the picture's server answered HTTP {0}")]
    Status(u16),
    #[error("the picture could not be read: {0}")]
    Unreadable(Localizable),
    #[error("the picture is longer than 5 MB")]
    TooLong,
    #[error("the picture's server could not be reached: {0}")]
    NotReached(Localizable),
    #[error("given up")]
    Cancelled,
}

#[derive(Clone)]
pub struct PictureClient {
    client: Client,
    loopback_too: bool,
}

impl fmt::Debug for PictureClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pictures")
    }
}

impl PictureClient {
    /// Fetches pictures from this computer only if the service is on it: another service must not
    /// reach local servers.
    pub fn new(connection: &Connection) -> ApiResult<Self> {
        wire::install_crypto();
        let loopback_too = Url::parse(connection.base_url.trim()).is_ok_and(|url| is_loopback(&url));
        let Timeouts { connect, read, .. } = connection.timeouts;
        let build = |bare: bool| -> ApiResult<Client> {
            let mut builder = Client::builder()
                .no_proxy()
                .referer(false)
                .gzip(true)
                .retry(reqwest::retry::never())
                .redirect(redirect::Policy::custom(move |attempt| follow(attempt, loopback_too)))
                .user_agent(concat!("lapel/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(connect)
                .read_timeout(read)
                .timeout(read.saturating_add(Duration::from_secs(1)).saturating_mul(2))
                .pool_max_idle_per_host(2);
            if let Some(proxy) = connection.proxy.as_deref().filter(|p| !p.is_empty()) {
                builder = builder.proxy(
                    wire::proxy(proxy)?.no_proxy(reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1")),
                );
            }
            if bare {
                builder = builder.tls_certs_only(std::iter::empty());
            } else {
                builder = wire::trusting(builder, connection)?;
            }
            builder.build().map_err(wire::no_tls)
        };
        // With a sandbox on this computer, pictures also work without a certificate store.
        let client = build(false).or_else(|error| if loopback_too { build(true) } else { Err(error) })?;
        Ok(Self { client, loopback_too })
    }

    /// Takes an absolute URL; see [`super::Reader::picture_url`] for relative ones. Dropping the
    /// future or cancelling the token cancels it.
    pub async fn fetch(&self, url: &str, cancel: &CancellationToken) -> Result<Picture, PictureError> {
        let url = self.allowed(url)?;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(PictureError::Cancelled),
            picture = self.read(url) => picture,
        }
    }

    /// Sends a HEAD request without a key. A status other than 200 is not an error here.
    pub async fn probe(&self, url: &str) -> Result<PictureProbe, PictureError> {
        let url = self.allowed(url)?;
        let response =
            self.client.head(url).send().await.map_err(|error| PictureError::NotReached(why(error, None)))?;
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
        Ok(PictureProbe { status: response.status().as_u16(), content_type: content_type.map(Text::from) })
    }

    fn allowed(&self, url: &str) -> Result<Url, PictureError> {
        let url =
            Url::parse(url.trim()).map_err(|_| PictureError::Refused(localizable!("it is not a URL")))?;
        refused(&url, self.loopback_too).map_or(Ok(url), |why| Err(PictureError::Refused(why)))
    }

    async fn read(&self, url: Url) -> Result<Picture, PictureError> {
        let response =
            self.client.get(url).send().await.map_err(|error| PictureError::NotReached(why(error, None)))?;
        if response.status().as_u16() != 200 {
            return Err(PictureError::Status(response.status().as_u16()));
        }
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let bytes = wire::bounded(response, LONGEST_PICTURE).await.map_err(|unread| match unread {
            wire::Unread::TooLong => PictureError::TooLong,
            wire::Unread::Broken(why) => PictureError::Unreadable(why),
        })?;
        Ok(Picture { bytes, content_type })
    }
}

fn refused(url: &Url, loopback_too: bool) -> Option<Localizable> {
    if !is_http(url) {
        return Some(localizable!("only http and https URLs are allowed"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some(localizable!("the URL contains a user name or password"));
    }
    if crate::secrets::is_key(url.as_str()) {
        return Some(localizable!("the URL contains an API key"));
    }
    if !loopback_too && may_be_local(url) {
        return Some(localizable!("the URL points to this computer"));
    }
    None
}

/// Follows a few redirects, and never from https to http: a URL may contain a signature. A refused
/// redirect ends as the redirect itself.
fn follow(attempt: redirect::Attempt<'_>, loopback_too: bool) -> redirect::Action {
    if leads_astray(attempt.previous(), attempt.url(), loopback_too) {
        attempt.stop()
    } else {
        attempt.follow()
    }
}

fn leads_astray(previous: &[Url], next: &Url, loopback_too: bool) -> bool {
    let downhill = next.scheme() == "http" && previous.iter().any(|url| url.scheme() == "https");
    downhill || previous.len() > MAX_REDIRECTS || refused(next, loopback_too).is_some()
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_to_a_picture_or_nowhere() {
        let url = |raw: &str| Url::parse(raw).expect("a URL");
        let astray = |from: &str, to: &str| leads_astray(&[url(from)], &url(to), false);
        assert!(!astray("https://a.example/x", "https://cdn.example/x"));
        assert!(!astray("http://a.example/x", "http://cdn.example/x"));
        assert!(!astray("http://a.example/x", "https://cdn.example/x"));
        assert!(astray("https://a.example/x", "http://cdn.example/x"), "from https to http");
        assert!(astray("https://a.example/x", "file:///etc/passwd"));
        assert!(astray("https://a.example/x", "https://kim:pw@cdn.example/x"));
        assert!(astray("https://a.example/x", "https://127.0.0.1/x"), "what listens on this computer");
        assert!(astray("https://a.example/x", "https://[::ffff:127.0.0.1]/x"), "the same, spelled otherwise");
        let up = [url("http://a.example/"), url("https://b.example/")];
        assert!(leads_astray(&up, &url("http://c.example/"), false), "up, and down again");
        let many = vec![url("https://a.example/"); MAX_REDIRECTS + 1];
        assert!(leads_astray(&many, &url("https://b.example/"), false));
    }
}
