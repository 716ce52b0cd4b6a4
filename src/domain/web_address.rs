//! Web addresses in the settings: the base URL of a service, and the base address of pictures.

use crate::i18n::Localizable;
use std::net::Ipv4Addr;
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

/// Whether the URL's host leads to this computer or to its own link, in any spelling. A name that the network resolves to
/// this computer is not recognised.
pub fn may_be_local(url: &Url) -> bool {
    let v4 = |ip: Ipv4Addr| ip.is_loopback() || ip.is_unspecified() || ip.is_link_local();
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(ip)) => v4(ip),
        Some(Host::Ipv6(ip)) => match ip.to_ipv4_mapped() {
            Some(ip) => v4(ip),
            None => ip.is_loopback() || ip.is_unspecified() || ip.is_unicast_link_local(),
        },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_computer_is_recognised_in_every_spelling() {
        let local = |host: &str| may_be_local(&Url::parse(&format!("https://{host}/x.png")).expect("a URL"));
        let spellings = [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "127.0.0.1",
            "127.9.9.9",
            "2130706433",
            "0x7f.1",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:0.0.0.0]",
            "169.254.169.254",
            "[fe80::1]",
        ];
        assert!(spellings.iter().all(|host| local(host)), "{:?}", spellings.map(local));
        let others = ["localhost.example", "badges.example", "10.0.0.1", "128.0.0.1", "[2001:db8::1]"];
        assert!(!others.iter().any(|host| local(host)), "{:?}", others.map(local));
    }
}
