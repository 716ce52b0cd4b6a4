//! Validates base URLs and proxies in the settings. The API client checks them again before it sends.

use crate::domain::web_address::{bare_url, base_url, is_http, parse_url};
use url::Url;

/// The error never repeats the address, which may contain a password.
pub(super) fn check_base_url(raw: &str) -> Result<String, String> {
    let url = base_url(raw).map_err(|why| why.to_string())?;
    Ok(normal(&url))
}

pub(super) fn has_usual_path(base_url: &str) -> bool {
    base_url.trim_end_matches('/').ends_with("/api/v1/ext")
}

pub(super) fn same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

pub(super) fn check_proxy(raw: &str) -> Result<String, String> {
    let url = parse_url(raw).map_err(|why| why.to_string())?;
    if !is_http(&url) {
        return Err(t!("must begin with http:// or https://, such as http://proxy.example:8080").to_owned());
    }
    Ok(raw.trim().to_owned())
}

/// lapel sends no secret to this address.
pub(super) fn check_picture_base(raw: &str) -> Result<String, String> {
    let url = bare_url(raw).map_err(|why| why.to_string())?;
    Ok(normal(&url))
}

/// The parser's own form has no control characters, and shows a host in non-ASCII letters.
fn normal(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}
