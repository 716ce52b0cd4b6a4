//! Why a connection cannot be encrypted safely, in plain words. Never a library's own text.

use super::text::scrub;
use crate::i18n::{Localizable, list};
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

/// Maximum certificate names that are shown.
const NAMES: usize = 3;

/// `setting` names a file of more certificates that lapel trusts.
pub fn words(error: &rustls::Error, host: &str, setting: &str) -> Localizable {
    match error {
        rustls::Error::InvalidCertificate(error) => of_certificate(error, host, setting),
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

fn of_certificate(error: &CertificateError, host: &str, setting: &str) -> Localizable {
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
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => no_name(host),
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
            "this computer does not trust the authority that issued the certificate of {host}. If it is your organisation's own authority, set {setting} in the profile to its certificate file (PEM)",
            host,
            setting
        ),
        CertificateError::Revoked => {
            localizable!("the authority has revoked the certificate of {host}", host)
        }
        CertificateError::BadEncoding => {
            localizable!("the certificate of {host} is damaged, or not an X.509 certificate", host)
        }
        // The library gives these two no name of their own. The usual ways to make a certificate by hand lead to them.
        CertificateError::Other(other) => match &*other.0.to_string() {
            "CaUsedAsEndEntity" => localizable!(
                "the certificate of {host} is that of an authority (CA:TRUE), which no server can use. Let an authority sign one for the server, with subjectAltName",
                host
            ),
            "UnsupportedCertVersion" => no_name(host),
            _ => unusable(host),
        },
        _ => unusable(host),
    }
}

/// Old certificates, of version 1, cannot have the names that are checked.
fn no_name(host: &str) -> Localizable {
    localizable!(
        "the certificate of {host} names no host that lapel can check. Make one of X.509 version 3, with the host name as subjectAltName",
        host
    )
}

fn unusable(host: &str) -> Localizable {
    localizable!("the certificate of {host} cannot be used", host)
}

/// A time from a certificate, in UTC.
fn moment(time: UnixTime) -> String {
    let time = i64::try_from(time.as_secs()).ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    time.map_or_else(|| "?".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// The library formats a name as `DnsName("host")` or `IpAddress(192.0.2.1)`.
fn plain_name(presented: &str) -> String {
    let inner = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(presented);
    let inner = inner.trim_matches('"');
    scrub(inner).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::client::WebPkiServerVerifier;
    use rustls::client::danger::ServerCertVerifier;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName};
    use std::sync::Arc;
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
            let words = of_certificate(&error, "badges.naru.example", "ca_file").to_string();
            assert!(words.contains("badges.naru.example"), "{words}");
            assert!(said.iter().all(|part| words.contains(part)), "{words}");
        }
        assert_eq!(plain_name("DnsName(\"a.example\")"), "a.example");
        assert_eq!(plain_name("IpAddress(192.0.2.1)"), "192.0.2.1");
    }

    /// With openssl's defaults: an authority's own certificate, one of version 1, and one without names. The first one
    /// has signed the others, and is trusted.
    #[test]
    fn certificates_made_by_hand_are_refused_with_what_to_do() {
        let made = CertificateDer::pem_slice_iter(include_bytes!("tls_error/made_by_hand.pem"));
        let made: Vec<_> = made.collect::<Result<_, _>>().expect("certificates");
        let mut roots = rustls::RootCertStore::empty();
        roots.add(made[0].clone()).expect("an authority");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier.build().expect("a verifier");
        // In the year 2033. They are valid until 2126.
        let now = UnixTime::since_unix_epoch(Duration::from_secs(2_000_000_000));
        let host = "db.example";
        let said: Vec<_> = made
            .iter()
            .map(|made| {
                let name = ServerName::try_from(host).expect("a name");
                let error = verifier.verify_server_cert(made, &[], &name, &[], now).expect_err("refused");
                words(&error, host, "ca_file")
            })
            .collect();
        assert_eq!(said[1..], [no_name(host), no_name(host)]);
        let own = said[0].to_string();
        assert!(own.contains("CA:TRUE") && own.contains("subjectAltName") && own.contains(host), "{own}");
    }
}
