//! Certificates that a profile trusts besides those of this computer: a company's own authority.

use crate::texts::msg_part;
use lapel::api::{Access, ApiError, ApiKey, Authorities, Call, Connection, Reader, connect, install_crypto};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

pub(super) const AUTHORITY: &[u8] = include_bytes!("certificates/authority.pem");
pub(super) const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
/// Another authority, and what it has certified.
const SECOND: &[u8] = include_bytes!("certificates/second-authority.pem");
const EXPIRED: &[u8] = include_bytes!("certificates/expired.pem");
const FUTURE: &[u8] = include_bytes!("certificates/future.pem");
const OTHER_NAME: &[u8] = include_bytes!("certificates/other-name.pem");
/// The key of a certificate for `localhost` that nobody but this test trusts.
const KEY: &[u8] = include_bytes!("certificates/server-key.pem");

pub(super) fn server_config(certificate: &[u8]) -> ServerConfig {
    install_crypto();
    let chain = vec![CertificateDer::from_pem_slice(certificate).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(KEY).expect("a key");
    ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).expect("usable")
}

/// A service over TLS with the certificate of an authority that no computer knows.
fn service(certificate: &[u8]) -> u16 {
    let config = Arc::new(server_config(certificate));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
            let connection = ServerConnection::new(config.clone()).expect("a connection");
            let mut tls = StreamOwned::new(connection, stream);
            let (mut request, mut piece) = (Vec::new(), [0; 1024]);
            // A client that does not trust it says nothing more.
            while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                match tls.read(&mut piece) {
                    Ok(n) if n > 0 => request.extend_from_slice(&piece[..n]),
                    _ => break,
                }
            }
            let body = r#"{"code":"0001","message":"OK","data":{"status":"ok","apikey_prefix":"k-"}}"#;
            let _ = write!(
                tls,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = tls.flush();
        }
    });
    port
}

pub(super) fn access(port: u16, authorities: Option<&[u8]>) -> Result<Access, ApiError> {
    let key = ApiKey::new("k-0123456789").expect("a key");
    let mut connection = Connection::new(&format!("https://localhost:{port}/api/v1/ext"), key)?;
    connection.timeouts.pause = Duration::from_millis(1);
    connection.authorities =
        authorities.map(|pem| Authorities { name: "/etc/company.pem".to_owned(), pem: pem.into() });
    connect(&connection)
}

fn reader(port: u16, authorities: Option<&[u8]>) -> Result<Reader, ApiError> {
    access(port, authorities).map(|access| access.reader().clone())
}

#[tokio::test]
async fn a_company_certificate_is_trusted_where_the_profile_says_so_and_nowhere_else() {
    let port = service(CERTIFICATE);
    let ping = reader(port, Some(AUTHORITY)).expect("a client").ping(&Call::interactive()).await;
    assert_eq!(ping.expect("trusted").apikey_prefix.expect("said").wire(), "k-");
    match reader(port, None) {
        Ok(reader) => {
            let refused = reader.ping(&Call::interactive()).await.expect_err("not trusted");
            let ApiError::NotReached { why } = &refused else { panic!("{refused}") };
            assert!(why.to_string().contains("ca_file") && why.to_string().contains("localhost"), "{why}");
        }
        // A computer without any certificates says so at once.
        Err(error) => assert!(matches!(error, ApiError::NotReached { .. }), "{error}"),
    }
}

#[tokio::test]
async fn certificates_that_cannot_be_used_are_named_by_file_and_field() {
    install_crypto();
    for pem in [
        &b"nothing"[..],
        b"",
        b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n",
        b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
        KEY,
    ] {
        match reader(1, Some(pem)) {
            Err(ApiError::BadInput { field: "ca_file", why }) => {
                assert!(why.to_string().contains("/etc/company.pem"), "{why}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_said_in_plain_words() {
    for (certificate, said) in [
        (EXPIRED, &["the certificate of localhost expired on 2021-02-03 04:05 UTC"][..]),
        (FUTURE, &["the certificate of localhost is valid only from 2150-01-01 00:00 UTC", "clock"]),
        (
            OTHER_NAME,
            &["localhost presented a certificate for another name: badges.naru.example, www.naru.example"],
        ),
        (CERTIFICATE, &["does not trust the authority", "localhost", "ca_file"]),
    ] {
        let reader = reader(service(certificate), Some(SECOND)).expect("a client");
        let error = reader.ping(&Call::interactive()).await.expect_err("refused");
        let ApiError::NotReached { why } = &error else { panic!("{error}") };
        assert!(said.iter().all(|part| why.to_string().contains(part)), "{why}");
        for library in ["invalid peer", "UnknownIssuer", "webpki", "DnsName", "UNIX", "error:"] {
            assert!(!error.to_string().contains(library), "{error}");
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let error = reader(port, Some(SECOND)).expect("a client").ping(&Call::interactive()).await;
    let error = error.expect_err("plain http");
    let ApiError::NotReached { why } = &error else { panic!("{error}") };
    assert!(why.to_string().contains(msg_part("localhost does not use TLS")), "{why}");
}

/// What the client offers, of which the server chooses: TLS 1.3 and 1.2, and HTTP/2 and 1.1 within.
#[tokio::test]
async fn nothing_older_than_tls_1_2_is_offered_or_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (tell, offered) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut hello = vec![0; 4096];
            let length = stream.read(&mut hello).unwrap_or(0);
            hello.truncate(length);
            let _ = tell.send(hello);
            // A server that has nothing newer than TLS 1.1: a fatal alert about the version.
            let _ = stream.write_all(&[21, 3, 2, 0, 2, 2, 70]);
        }
    });
    let error = reader(port, Some(SECOND)).expect("a client").ping(&Call::interactive()).await;
    let error = error.expect_err("too old");
    let ApiError::NotReached { why } = &error else { panic!("{error}") };
    assert!(why.to_string().contains("localhost"), "{why}");
    let hello = offered.recv().expect("a client hello");
    let has = |part: &[u8]| hello.windows(part.len()).any(|window| window == part);
    // The extension with the versions (43) has these two and no other.
    assert!(has(&[0, 43, 0, 5, 4, 3, 4, 3, 3]), "{hello:02x?}");
    assert!(has(b"\x02h2\x08http/1.1"), "{hello:02x?}");
}
