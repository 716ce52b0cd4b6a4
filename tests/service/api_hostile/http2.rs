//! HTTP/2 over TLS against a real server: reads share a connection, and no layer below lapel repeats a request.

use super::authorities::{AUTHORITY, CERTIFICATE, access, server_config};
use axum::http::{Response, StatusCode, Version};
use bytes::Bytes;
use h2::Reason;
use h2::server::SendResponse;
use lapel::api::{Call, IssueRequest, Reader, Writer};
use lapel::domain::TemplateId;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const PONG: &str = r#"{"code":"0001","message":"OK","data":{"status":"ok","apikey_prefix":"k-"}}"#;
const ISSUED: &str = r#"{"code":"0002","message":"OK","data":{"badge_id":"B1","status_cd":"ISSUE_WAIT"}}"#;

/// What the server does with a request over HTTP/2.
#[derive(Clone, Copy)]
enum Move {
    Answer,
    /// Says that it did not process it. A library may repeat such a request by itself.
    Refuse,
    /// Answers, and takes no more requests on this connection.
    AnswerAndLeave,
    /// Says that it takes no requests, and closes the connection without an answer.
    Leave,
    /// Begins an answer and resets the stream.
    HalfAnAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    connection: usize,
    version: Version,
    line: String,
    /// Values of the key's header.
    keys: Vec<String>,
    /// Where else the key is in the request, and headers that must not be there.
    leaks: Vec<String>,
}

#[derive(Clone, Default)]
struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// `moves` are of the requests over HTTP/2, in their order; all later ones are answered.
    async fn start(moves: &'static [Move]) -> Self {
        let mut config = server_config(CERTIFICATE);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = Self { port, seen: Arc::default() };
        let seen = server.seen.clone();
        tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), seen.clone());
                tokio::spawn(async move {
                    let Ok(tls) = acceptor.accept(stream).await else { return };
                    if tls.get_ref().1.alpn_protocol() == Some(b"h2") {
                        let _ = serve_2(tls, connection, &seen, moves).await;
                    } else {
                        let _ = serve_1(tls, connection, &seen).await;
                    }
                });
                connection += 1;
            }
        });
        server
    }

    fn writer(&self) -> Writer {
        access(self.port, Some(AUTHORITY)).expect("a client").writer().expect("may write").clone()
    }

    fn reader(&self) -> Reader {
        self.writer().reader().clone()
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("not poisoned").clone()
    }
}

async fn serve_2(
    tls: TlsStream<TcpStream>,
    number: usize,
    seen: &Mutex<Vec<Seen>>,
    moves: &[Move],
) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(tls).await?;
    while let Some(stream) = connection.accept().await {
        let (request, mut respond) = stream?;
        let headers = request.headers();
        let mut leaks = Vec::new();
        for (name, value) in headers {
            let (name, value) = (name.as_str(), String::from_utf8_lossy(value.as_bytes()).into_owned());
            if name != "x-api-key" && value.contains("k-0123456789") || ["cookie", "referer"].contains(&name)
            {
                leaks.push(format!("{name}: {value}"));
            }
        }
        let all = headers.get_all("x-api-key").iter();
        let keys = all.map(|value| value.to_str().expect("text").to_owned()).collect();
        let line = format!("{} {}", request.method(), request.uri().path());
        let place = {
            let mut seen = seen.lock().expect("not poisoned");
            seen.push(Seen { connection: number, version: request.version(), line, keys, leaks });
            seen.iter().filter(|seen| seen.version == Version::HTTP_2).count() - 1
        };
        match moves.get(place).copied().unwrap_or(Move::Answer) {
            Move::Answer => answer(&mut respond)?,
            Move::Refuse => respond.send_reset(Reason::REFUSED_STREAM),
            Move::AnswerAndLeave => {
                answer(&mut respond)?;
                connection.graceful_shutdown();
            }
            Move::Leave => connection.abrupt_shutdown(Reason::NO_ERROR),
            Move::HalfAnAnswer => {
                let mut body = respond.send_response(head(), false)?;
                body.send_data(Bytes::from_static(&PONG.as_bytes()[..20]), false)?;
                body.send_reset(Reason::INTERNAL_ERROR);
            }
        }
    }
    Ok(())
}

fn head() -> Response<()> {
    let head = Response::builder().status(StatusCode::OK).header("content-type", "application/json");
    head.body(()).expect("a response")
}

fn answer(respond: &mut SendResponse<Bytes>) -> Result<(), h2::Error> {
    respond.send_response(head(), false)?.send_data(Bytes::from_static(PONG.as_bytes()), true)
}

/// One request over HTTP/1.1, which is all that lapel sends on such a connection.
async fn serve_1(
    mut tls: TlsStream<TcpStream>,
    connection: usize,
    seen: &Mutex<Vec<Seen>>,
) -> std::io::Result<()> {
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    let text = loop {
        let n = tls.read(&mut piece).await?;
        request.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&request).into_owned();
        if n == 0 || text.ends_with('}') {
            break text;
        }
    };
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().replace(" HTTP/1.1", "");
    let (keys, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("x-api-key:"));
    let keys = keys.iter().map(|line| line["x-api-key:".len()..].trim().to_owned()).collect();
    let leaks = rest.into_iter().chain([body]).filter(|line| line.contains("k-0123456789"));
    let leaks = leaks.map(str::to_owned).collect();
    seen.lock().expect("not poisoned").push(Seen {
        connection,
        version: Version::HTTP_11,
        line,
        keys,
        leaks,
    });
    let answer = format!(
        "HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ISSUED}",
        ISSUED.len()
    );
    tls.write_all(answer.as_bytes()).await?;
    tls.shutdown().await
}

#[tokio::test]
async fn reads_share_a_connection_and_each_post_has_its_own_over_http_1() {
    let server = Server::start(&[]).await;
    let writer = server.writer();
    let (reader, call) = (writer.reader(), Call::interactive());
    reader.ping(&call).await.expect("an answer");
    let (one, other, third) = tokio::join!(reader.ping(&call), reader.ping(&call), reader.ping(&call));
    assert!(one.is_ok() && other.is_ok() && third.is_ok());
    for _ in 0..2 {
        let request = IssueRequest {
            template_id: TemplateId::new("T1").expect("an id"),
            recipient_name: "Lea".into(),
            recipient_email: "lea@x.example".into(),
        };
        assert_eq!(writer.issue(&request, &call).await.expect("accepted").badge_id.wire(), "B1");
    }
    reader.ping(&call).await.expect("an answer");
    let seen = server.seen();
    let of = |version| seen.iter().filter(|seen| seen.version == version).collect::<Vec<_>>();
    let (reads, posts) = (of(Version::HTTP_2), of(Version::HTTP_11));
    assert!(
        reads.iter().all(|seen| seen.connection == 0 && seen.line == "GET /api/v1/ext/ping"),
        "{seen:#?}"
    );
    assert!(posts.iter().all(|seen| seen.line == "POST /api/v1/ext/badges"), "{seen:#?}");
    assert_eq!((reads.len(), posts.len()), (5, 2));
    assert!(posts[0].connection != 0 && posts[1].connection != 0, "{seen:#?}");
    assert_ne!(posts[0].connection, posts[1].connection);
    for seen in seen {
        assert_eq!((seen.keys, seen.leaks), (vec!["k-0123456789".to_owned()], Vec::new()));
    }
}

/// A read is asked again once if there was no answer, by lapel alone: its pace counts each.
#[tokio::test]
async fn nothing_below_lapel_repeats_a_read() {
    for moves in [
        &[Move::Refuse, Move::Refuse, Move::Refuse][..],
        &[Move::Leave, Move::Leave, Move::Leave],
        &[Move::HalfAnAnswer, Move::HalfAnAnswer, Move::HalfAnAnswer],
    ] {
        let server = Server::start(moves).await;
        let error = server.reader().ping(&Call::interactive()).await.expect_err("no answer");
        assert_eq!(error.word(), "no answer", "{error}");
        assert_eq!(server.seen().len(), 2, "{:#?}", server.seen());
    }
}

#[tokio::test]
async fn a_connection_that_the_server_ends_costs_no_read() {
    let server = Server::start(&[Move::AnswerAndLeave; 5]).await;
    let reader = server.reader();
    for _ in 0..5 {
        reader.ping(&Call::interactive()).await.expect("an answer");
    }
    let connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    assert!(connections.len() == 5 && connections[4] > 0, "{connections:?}");
}
