//! Validates base URLs and proxies in the settings. The API client checks them again before it sends.

use crate::domain::is_loopback;
use url::Url;

/// Checks a base URL: https, or http to this computer only, without user, query and fragment. Returns it
/// without slashes at the end.
///
/// # Errors
/// The mistake. The message never repeats the address, which may contain a password.
pub(super) fn check_base_url(raw: &str) -> Result<String, &'static str> {
    let raw = raw.trim();
    if raw.is_empty() {
        return Err(t!("is empty: give the whole address, such as https://host/api/v1/ext"));
    }
    let url = parse(raw)?;
    check_parts(&url)?;
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(t!(
            "plain http:// would show the API key to the network: use https:// (http is allowed for this computer only: 127.0.0.1, ::1, localhost)"
        ));
    }
    // The parser's own form: it contains no control characters, and a host in non-ASCII letters becomes
    // visible.
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Whether a base URL ends in the path prefix of the contract.
pub(super) fn has_usual_path(base_url: &str) -> bool {
    base_url.trim_end_matches('/').ends_with("/api/v1/ext")
}

/// Whether two addresses have the same scheme, host and port.
pub(super) fn same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

pub(super) fn check_proxy(raw: &str) -> Result<String, &'static str> {
    let raw = raw.trim();
    let url = parse(raw)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(t!("must begin with http:// or https://, such as http://proxy.example:8080"));
    }
    Ok(raw.to_owned())
}

/// Checks the base address of pictures: http or https, without user, query and fragment. lapel sends no
/// secret to it.
pub(super) fn check_picture_base(raw: &str) -> Result<String, &'static str> {
    let url = parse(raw.trim())?;
    check_parts(&url)?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Checks that it is http or https, without user, query and fragment.
fn check_parts(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(t!("must begin with https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(t!("must not contain a user name or password: remove the part before the @"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(t!("must end before ? or #: remove the rest"));
    }
    Ok(())
}

fn parse(raw: &str) -> Result<Url, &'static str> {
    match Url::parse(raw) {
        Ok(url) if url.host().is_none() && matches!(url.scheme(), "http" | "https") => {
            Err(t!("has no host: give the whole address, such as https://host/api/v1/ext"))
        }
        Ok(url) => Ok(url),
        Err(url::ParseError::RelativeUrlWithoutBase) => Err(t!("lacks https:// in front")),
        Err(_) => Err(t!("is not an address: give it whole, such as https://host/api/v1/ext")),
    }
}
