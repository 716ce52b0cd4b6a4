//! Describes network failures in plain words, with host, port and dates. Never shows a library's own text.

use crate::domain::text::scrub;
use crate::i18n::{Localizable, list};
use rustls::CertificateError;
use rustls::pki_types::UnixTime;
use std::error::Error;
use std::io::ErrorKind;
use url::Url;

/// Maximum certificate names that are shown.
const NAMES: usize = 3;

/// `via` is the host and port of the proxy in use. The library's text goes only to the log.
pub(super) fn why(error: reqwest::Error, via: Option<&str>) -> Localizable {
    let (host, place) = error.url().map_or_else(Default::default, place_of);
    // The query of a URL may contain a name or an e-mail address.
    let error = error.without_url();
    tracing::debug!(kind = ?kind_of(&error), words = super::error::mask(&scrub(&deepest(&error))), "a request failed");
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
        return of_tls(tls, &host);
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

fn deepest(error: &(dyn Error + 'static)) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}

fn kind_of(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    chain(error).filter_map(|error| error.downcast_ref::<std::io::Error>()).map(std::io::Error::kind).last()
}

fn of_tls(error: &rustls::Error, host: &str) -> Localizable {
    match error {
        rustls::Error::InvalidCertificate(error) => of_certificate(error, host),
        rustls::Error::InvalidMessage(_) => {
            localizable!(
                "{host} does not use TLS: the URL may belong to plain http or to another program",
                host
            )
        }
        rustls::Error::PeerIncompatible(_) => {
            localizable!("{host} supports no TLS version that lapel uses (1.2, 1.3)", host)
        }
        _ => localizable!("{host} closed the secure connection", host),
    }
}

fn of_certificate(error: &CertificateError, host: &str) -> Localizable {
    match error {
        CertificateError::ExpiredContext { time, not_after } => localizable!(
            "the certificate of {host} expired on {date} (this computer's clock: {now})",
            host,
            date = moment(*not_after),
            now = moment(*time)
        ),
        CertificateError::Expired => localizable!("the certificate of {host} has expired", host),
        CertificateError::NotValidYetContext { time, not_before } => localizable!(
            "the certificate of {host} is valid only from {date} (check this computer's clock: {now})",
            host,
            date = moment(*not_before),
            now = moment(*time)
        ),
        CertificateError::NotValidYet => {
            localizable!("the certificate of {host} is not valid yet: check this computer's clock", host)
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<String> = presented.iter().take(NAMES).map(|name| plain_name(name)).collect();
            localizable!(
                "{host} presented a certificate for another name: {names}",
                host,
                names = list(names)
            )
        }
        CertificateError::NotValidForName => {
            localizable!("{host} presented a certificate for another name", host)
        }
        CertificateError::UnknownIssuer => localizable!(
            "this computer does not trust the authority that issued the certificate of {host}. If it is your organisation's own authority, set ca_file in the profile to its certificate file (PEM)",
            host
        ),
        CertificateError::Revoked => {
            localizable!("the authority has revoked the certificate of {host}", host)
        }
        _ => localizable!("the certificate of {host} cannot be used", host),
    }
}

/// A time from a certificate, in UTC.
fn moment(time: UnixTime) -> String {
    let time = i64::try_from(time.as_secs()).ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    time.map_or_else(|| "?".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// The library formats a name as `DnsName("host")`.
fn plain_name(presented: &str) -> String {
    let inner = presented.split('"').nth(1).unwrap_or(presented);
    scrub(inner).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_wrong_with_a_certificate_is_said_with_dates_and_names() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let (now, then) = (at(1_800_000_000), at(1_700_000_000));
        for (error, said) in [
            (
                CertificateError::ExpiredContext { time: now, not_after: then },
                &["2023-11-14 22:13 UTC", "2027-01-15"][..],
            ),
            (
                CertificateError::NotValidYetContext { time: then, not_before: now },
                &["2027-01-15", "2023-11-14", "clock"],
            ),
            (CertificateError::UnknownIssuer, &["ca_file", "authority"]),
        ] {
            let words = of_certificate(&error, "badges.naru.example").to_string();
            assert!(words.contains("badges.naru.example"), "{words}");
            assert!(said.iter().all(|part| words.contains(part)), "{words}");
        }
        assert_eq!(plain_name("DnsName(\"a.example\")"), "a.example");
        assert_eq!(
            proxy_place("http://kim:secret@proxy.example:3128").as_deref(),
            Some("proxy.example:3128")
        );
    }
}
