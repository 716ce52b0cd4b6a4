//! Where the key goes, and where it never does.

use crate::server::{After, JSON, KEY, Move, Server, answer, enveloped, pong, writer};
use crate::texts::msg_part;
use Move::Send;
use lapel::api::{
    ApiKey, BatchRequest, Call, CategoryFilter, Connection, Direction, HistoryFilter, HistoryQuery,
    IssueRequest, Paging, PictureClient, PictureError, RawOf, Recipient, RevokeRequest, Sort, TemplateQuery,
    WalletQuery, connect,
};
use lapel::domain::{BadgeId, TemplateId, Text};
use std::process::Command;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn request() -> IssueRequest {
    IssueRequest {
        template_id: TemplateId::new("T1").expect("an id"),
        recipient_name: "한서윤".into(),
        recipient_email: "seoyun.han@naru.example".into(),
    }
}

fn connection(server: &Server) -> Connection {
    Connection::new(&server.base_url(), ApiKey::new(KEY).expect("a key")).expect("a URL")
}

#[tokio::test]
async fn the_key_goes_in_one_header_to_the_service_and_nowhere_else() {
    let server = Server::always(vec![Send(pong())]).await;
    let writer = server.writer();
    writer.reader().ping(&Call::interactive()).await.expect("an answer");
    let _ = writer.issue(&request(), &Call::interactive()).await;
    for seen in server.seen() {
        assert_eq!(seen.headers.iter().filter(|(_, v)| v.contains(KEY)).count(), 1);
        assert_eq!(seen.header("x-api-key"), Some(server.key()));
        assert!(
            !seen.target.contains(KEY) && seen.header("referer").is_none() && seen.header("cookie").is_none()
        );
        assert_eq!(seen.header("user-agent"), Some(concat!("lapel/", env!("CARGO_PKG_VERSION"))));
        assert_eq!(seen.header("accept-encoding"), Some("gzip"));
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let trap = Server::always(vec![Send(pong())]).await;
    for status in [301, 302, 303, 307, 308] {
        let to = format!("Location: http://127.0.0.1:{}/api/v1/ext/ping?k=v", trap.port);
        let server = Server::always(vec![Send(answer(&format!("{status} Away"), &[&to], "<html>"))]).await;
        let writer = server.writer();
        let error = writer.reader().ping(&Call::interactive()).await.expect_err("a redirect");
        assert!(error.to_string().contains(msg_part("redirect to 127.0.0.1")), "{error}");
        assert!(!error.to_string().contains("k=v"), "{error}");
        let error = writer.issue(&request(), &Call::interactive()).await.expect_err("a redirect");
        assert!(error.may_have_changed(), "{error:?}");
        assert_eq!(server.seen().len(), 2);
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn a_cookie_is_not_kept() {
    let cookie = answer(
        "200 OK",
        &["Set-Cookie: session=1; Path=/", JSON],
        r#"{"code":"0001","message":"","data":{}}"#,
    );
    let server = Server::always(vec![Send(cookie)]).await;
    let reader = server.reader();
    for _ in 0..2 {
        reader.ping(&Call::interactive()).await.expect("an answer");
    }
    assert!(server.seen().iter().all(|seen| seen.header("cookie").is_none()));
}

#[tokio::test]
async fn nothing_that_can_be_printed_shows_the_key() {
    // A service that shouts the key, and the address, from every field of its envelope.
    let body = format!(r#"{{"code":"{KEY}","message":"{KEY} of seoyun.han@naru.example","data":null}}"#);
    for status in [
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "422 Unprocessable Entity",
        "500 Oops",
        "200 OK",
    ] {
        let server = Server::always(vec![Send(answer(status, &[JSON], &body))]).await;
        let writer = writer(&server.base_url(), |_| {});
        let errors = [
            writer.reader().ping(&Call::interactive()).await.expect_err(status),
            writer.issue(&request(), &Call::interactive()).await.expect_err(status),
        ];
        for error in errors {
            for shown in [error.to_string(), format!("{error:?}"), format!("{error:#?}")] {
                assert!(!shown.contains(KEY) && !shown.contains("naru.example"), "{status}: {shown}");
            }
            let message = error.refusal().and_then(|r| r.message.clone());
            assert!(message.is_none_or(|m| !m.text().wire().contains(KEY)), "{status}");
        }
        let connection = connection(&server);
        let access = connect(&connection).expect("a client");
        let pictures = PictureClient::new(&connection).expect("a client");
        let shown = format!(
            "{connection:?} {access:?} {writer:?} {:?} {:?} {:?} {pictures:?} {:?} {:?} {:?}",
            writer.reader(),
            writer.reader().log(),
            writer.reader().link_now(),
            request(),
            Recipient {
                recipient_name: "한서윤".into(), recipient_email: "seoyun.han@naru.example".into()
            },
            Call::interactive(),
        );
        for secret in [KEY, "naru.example", "한서윤", &KEY[9..20]] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
    }
}

/// The part that runs in a process of its own, with proxies in its environment: see the next test.
#[tokio::test]
async fn in_a_process_with_proxies() {
    let Ok(base_url) = std::env::var("LAPEL_TEST_BASE_URL") else { return };
    let mut connection = Connection::new(&base_url, ApiKey::new(KEY).expect("a key")).expect("a URL");
    connection.timeouts.connect = Duration::from_secs(2);
    let access = connect(&connection).expect("a client");
    access.reader().ping(&Call::interactive()).await.expect("an answer, straight from the service");
    let writer = access.writer().expect("a writer");
    writer.issue(&request(), &Call::interactive()).await.expect_err("that answer is no acceptance");
    let picture = base_url.replace("/api/v1/ext", "/picture.png");
    let pictures = PictureClient::new(&connection).expect("a client");
    pictures.fetch(&picture, &CancellationToken::new()).await.expect("a picture");
    // A proxy of the environment is not asked for a host elsewhere either.
    connection.base_url = "https://badges.invalid/api/v1/ext".into();
    connection.timeouts.pause = Duration::from_millis(1);
    let away = connect(&connection).expect("a client");
    away.reader().ping(&Call::interactive()).await.expect_err("no such host");
    println!("all of it was done");
}

#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let server = Server::always(vec![Send(pong())]).await;
    let trap = Server::always(vec![Send(pong())]).await;
    let proxy = format!("http://127.0.0.1:{}", trap.port);
    let base_url = server.base_url();
    let output = tokio::task::spawn_blocking(move || {
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "api_hostile::secrets::in_a_process_with_proxies", "--nocapture"]);
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
            child.env(name, &proxy);
        }
        child.env_remove("NO_PROXY").env_remove("no_proxy").env("LAPEL_TEST_BASE_URL", base_url).output()
    })
    .await
    .expect("no panic")
    .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("all of it was done"), "{said}");
    assert_eq!((server.seen().len(), trap.connections()), (3, 0));
}

#[tokio::test]
async fn a_proxy_of_the_profile_is_used_but_never_for_this_computer() {
    let server = Server::always(vec![Send(pong())]).await;
    let proxy = Server::always(vec![Send(answer("502 Bad Gateway", &[], ""))]).await;
    let mut connection = connection(&server);
    connection.proxy = Some(format!("http://127.0.0.1:{}", proxy.port));
    connection.timeouts.pause = Duration::from_millis(1);
    connect(&connection).expect("a client").reader().ping(&Call::interactive()).await.expect("straight");
    assert_eq!(proxy.connections(), 0);
    connection.base_url = "https://badges.example/api/v1/ext".into();
    let error = connect(&connection).expect("a client").reader().ping(&Call::interactive()).await;
    assert_eq!(error.expect_err("the proxy refuses").word(), "not reached");
    assert_eq!(proxy.seen()[0].method, "CONNECT");
    assert!(proxy.seen().iter().all(|seen| seen.header("x-api-key").is_none()), "a tunnel carries no key");
    connection.proxy = Some("::nonsense::".into());
    let error = connect(&connection).expect_err("no proxy URL").to_string();
    assert!(error.starts_with("proxy:") && !error.contains("nonsense"), "{error}");
}

#[tokio::test]
async fn pictures_are_fetched_without_the_key() {
    let elsewhere = Server::start(|_, seen| match seen.target.as_str() {
        "/a.png?sig=1" => vec![Send(answer("200 OK", &["Content-Type: image/png"], b"\x89PNG"))],
        "/huge" => vec![Send(answer("200 OK", &[], vec![0; 6 * 1024 * 1024]))],
        "/cut" => vec![Send(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nxx".to_vec()), Move::Close],
        "/file" => vec![Send(answer("302 Found", &["Location: file:///etc/passwd"], ""))],
        "/loop" => vec![Send(answer("302 Found", &["Location: /loop"], ""))],
        "/hop" => vec![Send(answer("302 Found", &["Location: /a.png?sig=1"], ""))],
        "/leak" => vec![Send(answer("302 Found", &[&format!("Location: /a.png?k={KEY}")], ""))],
        "/hang" => vec![Move::Hang],
        _ => vec![Send(enveloped("404 Not Found", "4040", "", "null"))],
    })
    .await;
    let service = Server::always(vec![Send(pong())]).await;
    let mut connection = connection(&service);
    connection.timeouts.read = Duration::from_millis(300);
    connect(&connection).expect("a connection, which makes the key known");
    let pictures = PictureClient::new(&connection).expect("a client");
    let cancel = CancellationToken::new();
    let at = |path: &str| format!("http://127.0.0.1:{}{path}", elsewhere.port);
    for path in ["/a.png?sig=1", "/hop"] {
        let picture = pictures.fetch(&at(path), &cancel).await.expect(path);
        assert_eq!(
            (picture.bytes.as_slice(), picture.content_type.as_deref()),
            (&b"\x89PNG"[..], Some("image/png"))
        );
    }
    assert_eq!(pictures.fetch(&at("/huge"), &cancel).await, Err(PictureError::TooLong));
    assert_eq!(pictures.fetch(&at("/gone"), &cancel).await, Err(PictureError::Status(404)));
    assert!(matches!(pictures.fetch(&at("/cut"), &cancel).await, Err(PictureError::Unreadable(_))));
    assert!(pictures.fetch(&at("/file"), &cancel).await.is_err());
    assert!(pictures.fetch(&at("/loop"), &cancel).await.is_err());
    assert!(matches!(pictures.fetch(&at("/hang"), &cancel).await, Err(PictureError::NotReached(_))));
    for refused in [
        "file:///etc/passwd",
        "data:image/png;base64,AA",
        "ftp://x.example/a",
        "a.png",
        "http://u:p@127.0.0.1/",
    ] {
        assert!(matches!(pictures.fetch(refused, &cancel).await, Err(PictureError::Refused(_))), "{refused}");
    }
    let with_key = pictures.fetch(&at(&format!("/a.png?k={KEY}")), &cancel).await;
    assert!(matches!(with_key, Err(PictureError::Refused(_))), "{with_key:?}");
    assert!(matches!(pictures.fetch(&at("/leak"), &cancel).await, Err(PictureError::Status(302))));
    let seen = elsewhere.seen();
    assert!(seen.iter().all(|s| !s.target.contains(KEY)), "{seen:?}");
    assert!(seen.iter().filter(|s| s.target == "/loop").count() <= 7, "a loop ends");
    for seen in seen {
        assert!(
            seen.headers.iter().all(|(_, v)| !v.contains(KEY)) && seen.header("referer").is_none(),
            "{seen:?}"
        );
    }
    cancel.cancel();
    assert_eq!(pictures.fetch(&at("/hang"), &cancel).await, Err(PictureError::Cancelled));
    // A service elsewhere cannot make us knock at this computer's doors.
    connection.base_url = "https://badges.example/api/v1/ext".into();
    let pictures = PictureClient::new(&connection).expect("a client");
    let before = elsewhere.connections();
    let knock = pictures.fetch(&at("/a.png?sig=1"), &CancellationToken::new()).await;
    assert!(matches!(knock, Err(PictureError::Refused(_))), "{knock:?}");
    assert_eq!(elsewhere.connections(), before);
}

#[tokio::test]
async fn a_key_in_an_address_is_refused_before_anything_is_sent() {
    let server = Server::always(vec![Send(pong())]).await;
    let mut of_service = connection(&server);
    of_service.base_url = of_service.base_url.replace("/api", &format!("/{KEY}/api"));
    let mut of_pictures = connection(&server);
    of_pictures.picture_base = Some(format!("{}/{KEY}/", server.base_url()));
    for (field, wrong) in [("base_url", of_service), ("picture_base", of_pictures)] {
        let error = connect(&wrong).expect_err(field);
        assert!(
            matches!(error, lapel::api::ApiError::BadInput { field: said, .. } if said == field),
            "{error:?}"
        );
        assert!(!error.to_string().contains(KEY), "{error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn whether_a_picture_is_there_is_asked_without_the_key_and_without_reading_it() {
    let elsewhere = Server::start(|_, seen| match seen.target.as_str() {
        "/a.png" => vec![Send(answer("200 OK", &["Content-Type: image/png"], ""))],
        "/hop" => vec![Send(answer("302 Found", &["Location: /a.png"], ""))],
        "/file" => vec![Send(answer("302 Found", &["Location: file:///etc/passwd"], ""))],
        "/hang" => vec![Move::Hang],
        _ => vec![Send(answer("404 Not Found", &[], ""))],
    })
    .await;
    let service = Server::always(vec![Send(pong())]).await;
    let mut connection = connection(&service);
    connection.timeouts.read = Duration::from_millis(300);
    let pictures = PictureClient::new(&connection).expect("a client");
    let at = |path: &str| format!("http://127.0.0.1:{}{path}", elsewhere.port);
    for path in ["/a.png", "/hop"] {
        let probe = pictures.probe(&at(path)).await.expect(path);
        assert_eq!(probe.status, 200, "{path}");
        assert_eq!(probe.content_type.map(|kind| kind.to_string()).as_deref(), Some("image/png"));
    }
    assert_eq!(pictures.probe(&at("/gone")).await.map(|probe| probe.status), Ok(404));
    assert_eq!(pictures.probe(&at("/file")).await.map(|probe| probe.status), Ok(302), "not followed astray");
    assert!(matches!(pictures.probe(&at("/hang")).await, Err(PictureError::NotReached(_))));
    for refused in ["file:///etc/passwd", "data:image/png;base64,AA", "a.png", "http://u:p@127.0.0.1/"] {
        assert!(matches!(pictures.probe(refused).await, Err(PictureError::Refused(_))), "{refused}");
    }
    for seen in elsewhere.seen() {
        assert_eq!(seen.method, "HEAD");
        assert!(seen.headers.iter().all(|(_, v)| !v.contains(KEY)), "{seen:?}");
    }
}

#[tokio::test]
async fn a_server_without_tls_receives_only_a_handshake() {
    // Five bytes are enough to see what it is; then it answers as no TLS server does.
    let server = Server::start_after(After::Bytes(5), |_, _| vec![Send(pong()), Move::Close]).await;
    let writer = writer(&server.base_url().replace("http:", "https:"), |_| {});
    for error in [
        writer.reader().ping(&Call::interactive()).await.expect_err("no TLS"),
        writer.issue(&request(), &Call::interactive()).await.expect_err("no TLS"),
    ] {
        // Provably nothing was sent: so both were tried again.
        assert_eq!(error.word(), "not reached", "{error:?}");
    }
    assert_eq!(server.connections(), 6);
    assert!(server.seen().iter().all(|seen| seen.body[..2] == [0x16, 0x03]), "a handshake and nothing else");
}

/// The part that runs in a process of its own, on a computer without certificates: see the next test.
#[tokio::test]
async fn in_a_process_without_certificates() {
    let Ok(base_url) = std::env::var("LAPEL_TEST_NO_CERTIFICATES") else { return };
    let mut connection = Connection::new(&base_url, ApiKey::new(KEY).expect("a key")).expect("a URL");
    let access = connect(&connection).expect("this computer needs no certificates to talk to itself");
    access.reader().ping(&Call::interactive()).await.expect("an answer");
    PictureClient::new(&connection).expect("nor do pictures of a service on it");
    connection.base_url = "https://badges.example/api/v1/ext".into();
    let error = connect(&connection).expect_err("no certificates");
    assert_eq!(error.word(), "not reached");
    assert!(error.to_string().contains(msg_part("cannot set up secure connections")), "{error}");
    println!("all of it was done");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_certificates_there_is_an_error_and_no_panic() {
    let server = Server::always(vec![Send(pong())]).await;
    let base_url = server.base_url();
    let output = tokio::task::spawn_blocking(move || {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "api_hostile::secrets::in_a_process_without_certificates", "--nocapture"])
            .env("SSL_CERT_FILE", "/nonexistent")
            .env("SSL_CERT_DIR", "/nonexistent")
            .env("LAPEL_TEST_NO_CERTIFICATES", base_url)
            .output()
    })
    .await
    .expect("no panic")
    .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("all of it was done"), "{said}");
}

#[tokio::test]
async fn no_text_that_is_a_key_leaves_this_computer() {
    let server = Server::always(vec![Send(pong())]).await;
    let writer = server.writer();
    let (reader, call) = (writer.reader(), Call::interactive());
    // Another key of the same kind, the key itself, and a part of it in a longer text.
    for text in
        [KEY.to_owned(), "dmu_test_another_key_of_it".to_owned(), format!("the key {} is used", &KEY[..24])]
    {
        let history = |filter| HistoryQuery { filter, paging: Paging::full(1) };
        let name = HistoryFilter { recipient_name: Some(text.clone()), ..HistoryFilter::default() };
        let title = HistoryFilter { title: Some(text.clone()), ..HistoryFilter::default() };
        let category = CategoryFilter { category_name: Some(text.clone()), ..CategoryFilter::default() };
        let paging = Paging { sort: vec![Sort::new(text.clone(), Direction::Asc)], ..Paging::full(1) };
        let sorted = TemplateQuery { paging, ..TemplateQuery::default() };
        let wallet = WalletQuery { email: text.clone(), paging: Paging::full(1) };
        let id = |raw: &str| BadgeId::new(raw).expect("an id");
        let template = TemplateId::new(text.clone()).expect("an id");
        let person = |name: &str| Recipient {
            recipient_name: name.to_owned(),
            recipient_email: "a@naru.example".into(),
        };
        let batch = BatchRequest {
            template_id: TemplateId::new("T1").expect("an id"),
            recipients: vec![person("한서윤"), person(&text)],
        };
        let revoke = |ids: &[&str], reason: &str| RevokeRequest {
            badge_ids: ids.iter().map(|raw| id(raw)).collect(),
            reason: reason.to_owned(),
        };
        let refused = [
            reader.badge(&id(&text), &call).await.expect_err("an id"),
            reader.template(&template, &call).await.expect_err("an id"),
            reader.raw(&RawOf::Badge(id(&text)), &call).await.expect_err("an id"),
            reader.raw(&RawOf::Wallet(Text::new(text.clone())), &call).await.expect_err("an address"),
            reader.history(&history(name), &call).await.expect_err("a name"),
            reader.history(&history(title), &call).await.expect_err("a title"),
            reader.categories(&category, &call).await.expect_err("a name"),
            reader.templates(&sorted, &call).await.expect_err("a column"),
            reader.wallet(&wallet, &call).await.expect_err("an address"),
            writer
                .issue(&IssueRequest { template_id: template.clone(), ..request() }, &call)
                .await
                .expect_err("id"),
            writer.issue_batch(&batch, &call).await.expect_err("a name in a batch"),
            writer.revoke(&revoke(&["B-1", &text], "twice"), &call).await.expect_err("an id in a list"),
            writer.revoke(&revoke(&["B-1"], &text), &call).await.expect_err("a reason"),
        ];
        for error in refused {
            let said = error.to_string();
            assert!(
                said.contains(msg_part("looks like an API key"))
                    && said.contains(msg_part("Nothing was sent")),
                "{said}"
            );
            assert!(!said.contains(&text) && !error.may_have_changed(), "{said}");
        }
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    assert!(reader.log().is_empty(), "{:?}", reader.log());
}
