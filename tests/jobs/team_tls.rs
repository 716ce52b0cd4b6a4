//! Encrypted connections to a team's database, on a private PostgreSQL with a certificate.

use crate::team::TlsServer;
use crate::team::is_left_out;
use crate::texts::msg_part;
use lapel::team::{DatabaseSession, Login, TeamError};
use std::time::{Duration, Instant};

const AUTHORITY: &[u8] = include_bytes!("../service/api_hostile/certificates/authority.pem");
const SECOND: &[u8] = include_bytes!("../service/api_hostile/certificates/second-authority.pem");
const CERTIFICATE: &[u8] = include_bytes!("../service/api_hostile/certificates/server.pem");
const KEY: &[u8] = include_bytes!("../service/api_hostile/certificates/server-key.pem");

/// This computer, in a spelling that lapel does not take for it: so it wants TLS. The certificate is for this name.
const FAR: &str = "Localhost";
/// The same. The certificate is not for this one.
const OTHER_NAME: &str = "::ffff:127.0.0.1";

/// The version of TLS, and how the password was checked.
fn connected(login: &Login) -> Result<Option<String>, TeamError> {
    let session = DatabaseSession::open(login)?;
    let sql = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";
    let row = session.runtime.block_on(session.client.query_opt(sql, &[]))?;
    Ok(row.map(|row| row.get(0)))
}

/// Why lapel does not connect.
#[track_caller]
fn refused(login: &Login) -> String {
    match connected(login) {
        Err(TeamError::Unsafe(why) | TeamError::LoginRefused(why)) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_connection_to_another_computer_is_encrypted_with_a_certificate_that_is_trusted() {
    if is_left_out() {
        return;
    }
    let server = TlsServer::start(CERTIFICATE, KEY);
    server.run("CREATE ROLE kim LOGIN PASSWORD 'right'");
    let login = |host: &str, ca: &[u8], password: Option<&str>| Login {
        password: password.map(Into::into),
        ca: Some(ca.into()),
        ..server.login("kim", host)
    };
    let tls = connected(&login(FAR, AUTHORITY, Some("right"))).expect("connected");
    assert_eq!(tls.as_deref(), Some("TLSv1.3"));
    let wrong = login(FAR, AUTHORITY, Some("wrong"));
    assert_eq!(refused(&wrong), msg_part("the user name or the password is wrong"));
    // The server does not see another attempt of it.
    server.run("ALTER ROLE kim PASSWORD 'wrong'");
    assert_eq!(refused(&wrong.clone()), msg_part("the user name or the password is wrong"));
    assert!(connected(&login(FAR, AUTHORITY, Some("wrong"))).is_ok(), "opened anew");
    server.run("ALTER ROLE kim PASSWORD 'right'");
    let missing = msg_part("it asks for a password, and the profile has none");
    assert_eq!(refused(&login(FAR, AUTHORITY, None)), missing);

    for (host, ca, part) in [
        (FAR, SECOND, msg_part("this computer does not trust the authority")),
        (OTHER_NAME, AUTHORITY, msg_part("presented a certificate for another name")),
    ] {
        let why = refused(&login(host, ca, Some("right")));
        assert!(why.contains(part) && why.contains(host), "{why}");
        for library in ["invalid peer", "UnknownIssuer", "webpki", "DnsName", "IpAddress", "error:"] {
            assert!(!why.contains(library), "{why}");
        }
    }
    // On the same computer, nobody can listen.
    for host in ["localhost", "127.0.0.1"] {
        assert_eq!(connected(&login(host, SECOND, Some("right"))), Ok(None), "{host}");
    }

    server.run("ALTER SYSTEM SET ssl = off");
    server.run("SELECT pg_reload_conf()");
    let end = Instant::now() + Duration::from_secs(60);
    let far = login(FAR, AUTHORITY, Some("right"));
    while connected(&far).is_ok() {
        assert!(Instant::now() < end, "it still encrypts");
    }
    assert_eq!(refused(&far), msg_part("the server does not encrypt connections"));
    assert_eq!(connected(&login("127.0.0.1", SECOND, Some("right"))), Ok(None));
}
