//! Web addresses in the settings: the base URL of a service, and the base address of pictures.

use crate::i18n::Localizable;
use url::{Host, ParseError, Url};

/// Plain http is allowed only on this computer.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// https, or http to this computer only. No user, query or fragment; removes slashes at the end. The error
/// never repeats the address, which may contain a password.
pub fn base_url(raw: &str) -> Result<Url, Localizable> {
    if raw.trim().is_empty() {
        return Err(localizable!("is empty: give the whole URL, such as https://host/api/v1/ext"));
    }
    let url = bare_url(raw)?;
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(localizable!(
            "plain http:// would show the API key to the network: use https:// (http is allowed for this computer only: 127.0.0.1, ::1, localhost)"
        ));
    }
    Ok(url)
}

/// http or https. No user, query or fragment; removes slashes at the end. The error never repeats the
/// address.
pub fn bare_url(raw: &str) -> Result<Url, Localizable> {
    let mut url = parse_url(raw)?;
    if !is_http(&url) {
        return Err(localizable!("must begin with https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(localizable!("must not contain a user name or password: remove the part before the @"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(localizable!("must end before ? or #: remove the rest"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// The error never repeats the address.
pub fn parse_url(raw: &str) -> Result<Url, Localizable> {
    match Url::parse(raw.trim()) {
        Ok(url) if url.host().is_none() && is_http(&url) => {
            Err(localizable!("has no host: give the whole URL, such as https://host/api/v1/ext"))
        }
        Ok(url) => Ok(url),
        Err(ParseError::RelativeUrlWithoutBase) => Err(localizable!("lacks https:// in front")),
        Err(_) => Err(localizable!("is not a URL: give the whole URL, such as https://host/api/v1/ext")),
    }
}

pub fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}
