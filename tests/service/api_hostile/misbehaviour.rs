//! The ways to misbehave, each once for a GET and once for a POST.
//!
//! A GET may be asked again; the table says how often it may reach the service. A POST may reach it once.

use crate::server::{After, JSON, KEY, Move, Server, answer, enveloped, gzip, hurried};
use Move::{Close, Hang, Reset, Send, Trickle};
use lapel::api::{ApiError, Call, IssueRequest};
use lapel::domain::TemplateId;
use std::time::Duration;

struct Case {
    name: &'static str,
    after: After,
    moves: Vec<Move>,
    /// The kind of error of a GET, and how often it asks.
    get: (&'static str, usize),
    /// The kind of error of a POST. It always asks once.
    post: &'static str,
    /// Waits for a time-out.
    slow: bool,
}

fn case(name: &'static str, moves: Vec<Move>, get: (&'static str, usize), post: &'static str) -> Case {
    Case { name, after: After::Request, moves, get, post, slow: false }
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn cases() -> Vec<Case> {
    const DOUBT: &str = "in doubt";
    const BROKEN: (&str, usize) = ("no answer", 2);
    const FOREIGN: (&str, usize) = ("not this service", 1);
    const FAILED: (&str, usize) = ("service failed", 3);
    let head = |status: &str, rest: &str| Send(format!("HTTP/1.1 {status}\r\n{rest}").into_bytes());
    let page = "<html><body>Bad Gateway</body></html>";
    let ok = |code: &str, data: &str| Send(enveloped("200 OK", code, "m", data));
    let plain = |bytes: &[u8]| Send(answer("200 OK", &[JSON], bytes));
    let mut deep = "[".repeat(100_000);
    deep.push_str(&"]".repeat(100_000));
    let mut all = vec![
        Case { after: After::Accept, ..case("closes at once", vec![Close], BROKEN, DOUBT) },
        Case { after: After::Bytes(90), ..case("resets in the request", vec![Reset], BROKEN, DOUBT) },
        case("closes after the request", vec![Close], BROKEN, DOUBT),
        case("resets after the request", vec![Reset], BROKEN, DOUBT),
        case("half a head", vec![head("200 OK", "Content-Le"), Close], BROKEN, DOUBT),
        case("half a head and reset", vec![head("202 Acc", ""), Reset], BROKEN, DOUBT),
        case("a head and no body", vec![head("200 OK", "Content-Length: 50\r\n\r\n"), Close], BROKEN, DOUBT),
        case(
            "half a body",
            vec![head("200 OK", "Content-Length: 50\r\n\r\n{\"code\":\"0001\""), Close],
            BROKEN,
            DOUBT,
        ),
        case(
            "half a body and reset",
            vec![head("200 OK", "Content-Length: 50\r\n\r\n{\"code\""), Reset],
            BROKEN,
            DOUBT,
        ),
        case(
            "a length too short",
            vec![head("200 OK", "Content-Length: 9\r\n\r\n{\"code\":\"0001\",\"data\":{}}")],
            FOREIGN,
            DOUBT,
        ),
        case(
            "two lengths",
            vec![head("200 OK", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x")],
            BROKEN,
            DOUBT,
        ),
        case(
            "a length that is no number",
            vec![head("200 OK", "Content-Length: many\r\n\r\n{}")],
            BROKEN,
            DOUBT,
        ),
        case(
            "chunks cut off",
            vec![head("200 OK", "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"code\":\"0001\",\r\n"), Close],
            BROKEN,
            DOUBT,
        ),
        case(
            "chunks of nonsense",
            vec![head("200 OK", "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")],
            BROKEN,
            DOUBT,
        ),
        case("garbage", vec![Send((0..=255).cycle().take(4096).collect())], BROKEN, DOUBT),
        case("no head at all", vec![Send(b"hello there\r\n".to_vec()), Close], BROKEN, DOUBT),
        case(
            "a head without end",
            vec![head("200 OK", &"X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(40_000))],
            BROKEN,
            DOUBT,
        ),
        case(
            "switching protocols",
            vec![head("101 Switching Protocols", "Connection: upgrade\r\nUpgrade: x\r\n\r\n"), Close],
            FOREIGN,
            DOUBT,
        ),
        case("a web page", vec![Send(answer("200 OK", &["Content-Type: text/html"], page))], FOREIGN, DOUBT),
        case("a web page that says JSON", vec![plain(page.as_bytes())], FOREIGN, DOUBT),
        case(
            "a packed web page",
            vec![Send(answer("200 OK", &["Content-Encoding: gzip"], gzip(page.as_bytes())))],
            FOREIGN,
            DOUBT,
        ),
        case(
            "packed, it says",
            vec![Send(answer("200 OK", &["Content-Encoding: gzip", JSON], "{\"code\":\"0001\"}"))],
            BROKEN,
            DOUBT,
        ),
        case(
            "a network that wants a login",
            vec![Send(answer("511 Network Authentication Required", &[], page))],
            FOREIGN,
            DOUBT,
        ),
        case("nothing at all", vec![plain(b"")], FOREIGN, DOUBT),
        case("JSON of somebody else", vec![plain(br#"{"timestamp":1,"status":200}"#)], FOREIGN, DOUBT),
        case("a bare list", vec![plain(b"[]")], FOREIGN, DOUBT),
        case("JSON cut off", vec![plain(br#"{"code":"0001","data":{"st"#)], FOREIGN, DOUBT),
        case("JSON far too deep", vec![plain(deep.as_bytes())], FOREIGN, DOUBT),
        case("a huge answer", vec![plain(&padded(17))], FOREIGN, DOUBT),
        case(
            "a small answer that unpacks to a huge one",
            vec![Send(answer("200 OK", &["Content-Encoding: gzip"], gzip(&padded(64))))],
            FOREIGN,
            DOUBT,
        ),
        case("a success that refuses the key", vec![ok("4001", "null")], ("key refused", 1), DOUBT),
        case("a success that refuses", vec![ok("9999", "null")], ("bad request", 1), DOUBT),
        case("a success that failed", vec![ok("5001", "null")], ("service failed", 1), DOUBT),
        case(
            "a refusal that succeeds",
            vec![Send(enveloped("400 Bad Request", "0001", "m", "{}"))],
            ("bad request", 1),
            DOUBT,
        ),
        case("500", vec![Send(enveloped("500 Internal Server Error", "5000", "m", "null"))], FAILED, DOUBT),
        case("502 with a page", vec![Send(answer("502 Bad Gateway", &[], page))], FAILED, DOUBT),
        case(
            "503 with a wait",
            vec![Send(answer("503 Service Unavailable", &["Retry-After: 0"], page))],
            FAILED,
            DOUBT,
        ),
        case(
            "503 with a long wait",
            vec![Send(answer("503 Service Unavailable", &["Retry-After: 600"], page))],
            ("service failed", 1),
            DOUBT,
        ),
        case("504 of nobody", vec![Send(answer("504 Gateway Timeout", &[], ""))], FAILED, DOUBT),
        case("501", vec![Send(answer("501 Not Implemented", &[], ""))], ("service failed", 1), DOUBT),
        case(
            "408",
            vec![Send(enveloped("408 Request Timeout", "4080", "m", "null"))],
            ("bad request", 1),
            DOUBT,
        ),
        case("408 of a proxy", vec![Send(answer("408 Request Timeout", &[], ""))], FOREIGN, DOUBT),
        case("421 of a proxy", vec![Send(answer("421 Misdirected Request", &[], ""))], FOREIGN, DOUBT),
        case("425 of a proxy", vec![Send(answer("425 Too Early", &[], ""))], FOREIGN, DOUBT),
        case("404 of a proxy", vec![Send(answer("404 Not Found", &[], page))], FOREIGN, DOUBT),
        case(
            "404",
            vec![Send(enveloped("404 Not Found", "4040", "m", "null"))],
            ("not found", 1),
            "not found",
        ),
        case(
            "400",
            vec![Send(enveloped("400 Bad Request", "4000", "m", "null"))],
            ("bad request", 1),
            "bad request",
        ),
        case(
            "400 with the key's code",
            vec![Send(enveloped("400 Bad Request", "4001", "m", "null"))],
            ("key refused", 1),
            "key refused",
        ),
        case(
            "422",
            vec![Send(enveloped("422 Unprocessable Entity", "4220", "m", "null"))],
            ("bad request", 1),
            "quota",
        ),
        case("422 of a proxy", vec![Send(answer("422 Unprocessable Entity", &[], page))], FOREIGN, DOUBT),
        case(
            "401",
            vec![Send(enveloped("401 Unauthorized", "4001", "m", "null"))],
            ("key refused", 1),
            "key refused",
        ),
        case(
            "401 of a proxy",
            vec![Send(answer("401 Unauthorized", &[], page))],
            ("key refused", 1),
            "key refused",
        ),
        case(
            "403 with the key's code",
            vec![Send(enveloped("403 Forbidden", "4001", "m", "null"))],
            ("key refused", 1),
            "key refused",
        ),
        case(
            "403",
            vec![Send(enveloped("403 Forbidden", "4003", "m", "null"))],
            ("address refused", 1),
            "address refused",
        ),
        case(
            "403 with a page",
            vec![Send(answer("403 Forbidden", &[], page))],
            ("address refused", 1),
            "address refused",
        ),
        case(
            "403 cut off",
            vec![head("403 Forbidden", "Content-Length: 50\r\n\r\n<html"), Close],
            ("address refused", 1),
            "address refused",
        ),
    ];
    for (status, reason) in
        [(301, "Moved"), (302, "Found"), (303, "See Other"), (307, "Temporary"), (308, "Permanent")]
    {
        let moves = vec![Send(answer(&format!("{status} {reason}"), &["Location: /elsewhere"], page))];
        all.push(case("a redirect", moves, FOREIGN, DOUBT));
    }
    let body = br#"{"code":"0001","message":"","data":{}}"#;
    for (name, moves) in [
        ("never answers", vec![Hang]),
        ("stops in the head", vec![head("200 OK", "Content-"), Hang]),
        ("stops in the body", vec![head("200 OK", "Content-Length: 50\r\n\r\n{"), Hang]),
        ("trickles", vec![Trickle(answer("200 OK", &[], body), Duration::from_millis(50))]),
    ] {
        // All attempts of a read have one deadline, which the first one uses up.
        all.push(Case { slow: true, ..case(name, moves, (BROKEN.0, 1), DOUBT) });
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_get_says_what_happened_and_asks_no_more_than_it_may() {
    let mut tasks = Vec::new();
    for Case { name, after, moves, get: (word, times), slow, .. } in cases() {
        tasks.push(tokio::spawn(async move {
            let server = Server::start_after(after, move |_, _| moves.clone()).await;
            let writer = server.writer_with(|c| {
                if slow {
                    hurried(c);
                    // The first attempt takes all the time that there is.
                    c.timeouts.total = c.timeouts.read;
                }
            });
            let error = writer.reader().ping(&Call::interactive()).await.expect_err(name);
            assert_eq!(error.word(), word, "{name}: {error}");
            assert_eq!(server.seen().len(), times, "{name}: asked that often");
            assert!(!error.may_have_changed(), "{name}");
            assert_eq!(writer.reader().log().len(), times, "{name}: every request is in the log");
            clean(name, &error);
        }));
    }
    all(tasks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_is_never_sent_twice_and_doubt_is_said() {
    let mut tasks = Vec::new();
    for Case { name, after, moves, post, slow, .. } in cases() {
        tasks.push(tokio::spawn(async move {
            let server = Server::start_after(after, move |_, _| moves.clone()).await;
            let writer = server.writer_with(|c| {
                if slow {
                    hurried(c);
                }
            });
            let error = writer.issue(&request(), &Call::interactive()).await.expect_err(name);
            assert_eq!(error.word(), post, "{name}: {error}");
            assert_eq!(server.seen().len(), 1, "{name}: sent once");
            assert_eq!(server.connections(), 1, "{name}: connected once");
            assert_eq!(error.may_have_changed(), post == "in doubt", "{name}");
            assert!(!matches!(error, ApiError::InDoubt { accepted: true, .. }), "{name}");
            clean(name, &error);
        }));
    }
    all(tasks).await;
}

/// A reset before the first byte: whether the connection counts as having stood is a race. If it did not,
/// nothing was sent, and trying again is right; if it did, there is doubt, and nothing is sent again.
#[tokio::test]
async fn a_reset_at_once_is_doubt_or_provably_nothing() {
    let server = Server::start_after(After::Accept, |_, _| vec![Reset]).await;
    let writer = server.writer();
    let error = writer.issue(&request(), &Call::interactive()).await.expect_err("reset");
    assert!(matches!(error, ApiError::InDoubt { .. } | ApiError::NotReached { .. }), "{error:?}");
    assert!(writer.reader().log().iter().rev().skip(1).all(|entry| entry.outcome == "not reached"));
    let error = server.reader().ping(&Call::interactive()).await.expect_err("reset");
    assert!(matches!(error, ApiError::NoResponse { .. } | ApiError::NotReached { .. }), "{error:?}");
}

/// The same, for a service that said 202: accepted, though nothing else can be read.
#[tokio::test(flavor = "multi_thread")]
async fn a_202_means_accepted_also_with_a_damaged_body() {
    let head = |rest: &str| Send(format!("HTTP/1.1 202 Accepted\r\n{rest}").into_bytes());
    let body = |body: &[u8]| Send(answer("202 Accepted", &[JSON], body));
    let cases: Vec<(&'static str, Vec<Move>, bool)> = vec![
        ("nothing", vec![body(b"")], true),
        ("half a body", vec![head("Content-Length: 50\r\n\r\n{\"co"), Close], true),
        ("half a body and reset", vec![head("Content-Length: 50\r\n\r\n{\"co"), Reset], true),
        ("a body that stops", vec![head("Content-Length: 50\r\n\r\n{\"co"), Hang], true),
        ("a web page", vec![body(b"<html>")], true),
        (
            "no badge_id",
            vec![Send(enveloped("202 Accepted", "0002", "m", r#"{"status_cd":"ISSUE_WAIT"}"#))],
            true,
        ),
        ("no data", vec![Send(enveloped("202 Accepted", "0002", "m", "null"))], true),
        ("a damaged id", vec![body(b"{\"code\":\"0002\",\"data\":{\"badge_id\":\"\xff\xfe\"}}")], true),
        ("a huge answer", vec![body(&padded(17))], true),
        // It says yes and no: nothing may be taken from that.
        ("a refusal inside", vec![Send(enveloped("202 Accepted", "4001", "m", "null"))], false),
    ];
    let mut tasks = Vec::new();
    for (name, moves, said) in cases {
        tasks.push(tokio::spawn(async move {
            let server = Server::always(moves).await;
            let writer = server.writer_with(|c| c.timeouts.total_post = Duration::from_millis(400));
            let error = writer.issue(&request(), &Call::interactive()).await.expect_err(name);
            let ApiError::InDoubt { accepted, status, .. } = &error else { panic!("{name}: {error:?}") };
            assert_eq!((*accepted, *status), (said, Some(202)), "{name}: {error}");
            assert_eq!((server.seen().len(), server.connections()), (1, 1), "{name}");
            clean(name, &error);
        }));
    }
    all(tasks).await;
}

/// An answer that would do, if it were not that long.
fn padded(megabytes: usize) -> Vec<u8> {
    let mut body = br#"{"code":"0002","message":"","data":{"badge_id":"B1","status":"ok"}}"#.to_vec();
    body.resize(megabytes * 1024 * 1024, b' ');
    body
}

fn request() -> IssueRequest {
    IssueRequest {
        template_id: TemplateId::new("T1").expect("an id"),
        recipient_name: "한서윤".into(),
        recipient_email: "seoyun.han@naru.example".into(),
    }
}

async fn all(tasks: Vec<tokio::task::JoinHandle<()>>) {
    let mut failed = Vec::new();
    for task in tasks {
        failed.extend(task.await.err().map(|error| error.to_string()));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// No error shows a key, a query, an address or a URL.
fn clean(name: &str, error: &ApiError) {
    for shown in [error.to_string(), format!("{error:?}")] {
        for secret in [KEY, "naru.example", "seoyun", "?", "http://"] {
            assert!(!shown.contains(secret), "{name}: {secret} in {shown}");
        }
        assert!(shown.len() < 1000, "{name}: {shown}");
    }
    let said = error.to_string();
    let tells = ["hanged", "changes nothing", "not known", "accepted", "issued"];
    assert!(tells.iter().any(|words| said.contains(words)), "{name}: {said}");
}
