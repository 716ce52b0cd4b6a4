//! Describes network failures in plain words, with host, port and dates. Never shows a library's own text.

use crate::api::prelude::*;
use crate::domain::tls_error;
use std::error::Error;
use std::io::ErrorKind;

/// `via` is the host and port of the proxy in use. The library's text goes only to the log.
pub(super) fn why(error: reqwest::Error, via: Option<&str>) -> Localizable {
    let (host, place) = error.url().map_or_else(Default::default, place_of);
    // The query of a URL may contain a name or an e-mail address.
    let error = error.without_url();
    let deepest = chain(&error).last().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(kind = ?kind_of(&error), words = super::error::mask(&scrub(&deepest)), "a request failed");
    let place = match via {
        Some(proxy) => localizable!("the proxy {proxy}", proxy),
        None => Localizable::verbatim(place),
    };
    if error.is_timeout() {
        return if error.is_connect() {
            localizable!("the connection to {place} timed out", place)
        } else {
            localizable!("no response in time")
        };
    }
    if error.is_dns() {
        return match via {
            Some(_) => localizable!("the host name of {place} was not found", place),
            None => localizable!("the host name {host} was not found", host),
        };
    }
    if let Some(tls) = chain(&error).find_map(|error| error.downcast_ref::<rustls::Error>()) {
        return tls_error::words(tls, &host, "ca_file");
    }
    match kind_of(&error) {
        Some(ErrorKind::ConnectionRefused) => localizable!("{place} refused the connection", place),
        Some(
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof,
        ) => localizable!("the connection was lost"),
        Some(ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable | ErrorKind::NetworkDown) => {
            localizable!("no network route to {place}", place)
        }
        Some(ErrorKind::PermissionDenied) => {
            localizable!("this computer does not allow connections to {place}", place)
        }
        Some(ErrorKind::TimedOut) => localizable!("the connection to {place} timed out", place),
        _ if error.is_builder() => localizable!("this computer has no usable certificates"),
        _ if error.is_decode() => localizable!("the response is damaged"),
        _ if error.is_connect() => localizable!("could not connect to {place}", place),
        // For example, the connection closed before the response, or the response is not HTTP.
        _ => localizable!("the connection was lost"),
    }
}

/// Also returns the host with the port.
fn place_of(url: &Url) -> (String, String) {
    let host = scrub(url.host_str().unwrap_or_default()).into_owned();
    let port = url.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
    (host.clone(), format!("{host}{port}"))
}

/// Without user and password.
pub(super) fn proxy_place(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| place_of(&url).1)
}

/// An error and its causes. `source()` skips the error inside an `io::Error`, so that one is added.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let within = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        within.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn kind_of(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    chain(error).filter_map(|error| error.downcast_ref::<std::io::Error>()).map(std::io::Error::kind).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_without_its_password() {
        assert_eq!(
            proxy_place("http://kim:secret@proxy.example:3128").as_deref(),
            Some("proxy.example:3128")
        );
    }
}
