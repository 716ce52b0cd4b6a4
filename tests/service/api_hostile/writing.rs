//! What a POST sends, and the two cases in which it is sent again.

use crate::closed_port::ClosedPort;
use crate::server::{JSON, Move, Server, answer, enveloped, issued, writer};
use crate::texts::msg_part;
use Move::{Close, Hang, Send};
use lapel::api::{
    Access, ApiError, ApiKey, BatchRequest, Call, Connection, IssueRequest, MaySend, Recipient,
    RevokeRequest, connect,
};
use lapel::domain::{BadgeId, TemplateId};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn now() -> Call {
    Call::interactive()
}

fn request() -> IssueRequest {
    IssueRequest {
        template_id: TemplateId::new("T1").expect("an id"),
        recipient_name: "Lea \"O'Connor\"-Kim 한".into(),
        recipient_email: "Lea+x@example.org".into(),
    }
}

fn batch(count: usize) -> BatchRequest {
    let recipients = (0..count)
        .map(|i| Recipient { recipient_name: format!("N{i}"), recipient_email: format!("n{i}@x.example") })
        .collect();
    BatchRequest { template_id: TemplateId::new("T1").expect("an id"), recipients }
}

fn revoke(count: usize) -> RevokeRequest {
    let badge_ids = (0..count).filter_map(|i| BadgeId::new(format!("B/{i}"))).collect();
    RevokeRequest { badge_ids, reason: "중복 발급".into() }
}

#[tokio::test]
async fn the_three_posts_send_what_the_contract_says() {
    let server = Server::start(|number, _| {
        vec![Send(match number {
            0 => issued(),
            1 => enveloped("202 Accepted", "0002", "", r#"{"total_count":2,"accepted_count":1,"items":[
                {"recipient_email":"n0@x.example","badge_id":"B1","status_cd":"ISSUE_WAIT"}, {"recipient_email":"n1@x.example"}]}"#),
            _ => enveloped("202 Accepted", "0003", "", r#"{"total_count":2,"accepted_count":0}"#),
        })]
    })
    .await;
    let writer = server.writer();
    let one = writer.issue(&request(), &now()).await.expect("accepted");
    assert_eq!(one.badge_id.wire(), "B1");
    let many = writer.issue_batch(&batch(2), &now()).await.expect("accepted");
    assert_eq!((many.items.len(), many.problems.len(), many.accepted_count), (1, 1, Some(1)));
    let revoked = writer.revoke(&revoke(2), &now()).await.expect("accepted");
    assert_eq!((revoked.total_count, revoked.accepted_count), (Some(2), Some(0)));
    let seen = server.seen();
    let bodies: Vec<serde_json::Value> =
        seen.iter().map(|s| serde_json::from_slice(&s.body).expect("JSON")).collect();
    assert_eq!(
        bodies,
        [
            serde_json::json!({"template_id": "T1", "recipient_name": "Lea \"O'Connor\"-Kim 한", "recipient_email": "Lea+x@example.org"}),
            serde_json::json!({"template_id": "T1", "recipients": [
                {"recipient_name": "N0", "recipient_email": "n0@x.example"},
                {"recipient_name": "N1", "recipient_email": "n1@x.example"}]}),
            serde_json::json!({"badge_ids": ["B/0", "B/1"], "reason": "중복 발급"}),
        ]
    );
    for (seen, path) in seen.iter().zip(["/badges", "/badges/batch", "/badges/revoke"]) {
        assert_eq!(
            (seen.method.as_str(), seen.target.as_str()),
            ("POST", format!("/api/v1/ext{path}").as_str())
        );
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("expect"), None);
    }
    assert_eq!(server.connections(), 3, "every POST has a connection of its own");
}

#[tokio::test]
async fn a_get_leaves_no_connection_that_a_post_could_die_on() {
    // The server kills every second request on a connection: a POST must not meet that.
    let server = Server::start(|_, seen| match seen.method.as_str() {
        "GET" => vec![Send(crate::server::pong())],
        _ if seen.connection == 0 => vec![Close],
        _ => vec![Send(issued())],
    })
    .await;
    let writer = server.writer();
    writer.reader().ping(&now()).await.expect("an answer");
    for _ in 0..3 {
        writer.issue(&request(), &now()).await.expect("accepted");
    }
    assert_eq!(server.connections(), 4);
}

#[tokio::test]
async fn limits_are_kept_before_anything_is_sent() {
    let server = Server::always(vec![Send(issued())]).await;
    let writer = server.writer();
    for count in [0, 1001] {
        let error = writer.issue_batch(&batch(count), &now()).await.expect_err("refused here");
        assert!(matches!(error, ApiError::BadInput { field: "recipients", .. }), "{error:?}");
        let error = writer.revoke(&revoke(count), &now()).await.expect_err("refused here");
        assert!(matches!(error, ApiError::BadInput { field: "badge_ids", .. }), "{error:?}");
    }
    let error = writer.revoke(&RevokeRequest { reason: " ".into(), ..revoke(1) }, &now()).await;
    assert!(matches!(error, Err(ApiError::BadInput { field: "reason", .. })), "{error:?}");
    let error = writer.issue(&IssueRequest { recipient_email: String::new(), ..request() }, &now()).await;
    assert!(matches!(error, Err(ApiError::BadInput { field: "recipient_email", .. })), "{error:?}");
    assert_eq!(server.connections(), 0);
    writer.issue_batch(&batch(1000), &now()).await.expect("a thousand are allowed");
}

#[tokio::test]
async fn quota_says_it_in_the_services_words() {
    let message = "발급 한도 초과: kim@naru.example 님의 계약";
    let body = enveloped("422 Unprocessable Entity", "4220", message, "null");
    let server = Server::always(vec![Send(body)]).await;
    let error = server.writer().issue(&request(), &now()).await.expect_err("quota");
    let ApiError::Quota(refusal) = &error else { panic!("{error:?}") };
    assert_eq!(refusal.message.as_ref().map(|m| m.text().wire()), Some(message));
    let said = error.to_string();
    assert!(
        said.contains("발급 한도 초과") && said.contains("usually") && !said.contains("naru.example"),
        "{said}"
    );
}

#[tokio::test]
async fn after_429_a_post_is_sent_again_and_only_then() {
    let server = Server::start(|number, _| match number {
        0 => vec![Send(answer("429 Too Many Requests", &["Retry-After: 0"], "<html>"))],
        1 => vec![Send(answer(
            "429 Too Many Requests",
            &["Retry-After: 0", JSON],
            r#"{"code":"4011","message":"","data":null}"#,
        ))],
        2 => vec![Send(issued())],
        _ => vec![Close],
    })
    .await;
    let writer = server.writer();
    writer.issue(&request(), &now()).await.expect("accepted the third time");
    assert_eq!(server.seen().len(), 3);
    let bodies: Vec<_> = server.seen().into_iter().map(|s| s.body).collect();
    assert!(bodies.iter().all(|b| *b == bodies[0]));
    assert_eq!(
        writer.reader().log().iter().map(|e| (e.attempt, e.outcome)).collect::<Vec<_>>(),
        [(1, "rate limited"), (2, "rate limited"), (3, "ok")]
    );
}

#[tokio::test]
async fn a_429_without_end_ends_as_rate_limited() {
    let refusing = || Server::always(vec![Send(answer("429 Too Many Requests", &["Retry-After: 0"], ""))]);
    let (posts, gets) = (refusing().await, refusing().await);
    let (writer, reader) = (posts.writer(), gets.reader());
    let (post, call) = (request(), now());
    let (issued, pinged) = tokio::join!(writer.issue(&post, &call), reader.ping(&call));
    for error in [issued.expect_err("never"), pinged.expect_err("never")] {
        assert!(matches!(error, ApiError::RateLimited { .. }), "{error:?}");
    }
    assert_eq!((posts.seen().len(), gets.seen().len()), (6, 6));
    assert!(reader.link_now().held_until.is_some());
}

#[tokio::test]
async fn a_4011_under_another_status_holds_everything_as_a_429_does() {
    let limited = |status| enveloped(status, "4011", "", "null");
    let server = Server::start(move |number, _| match number {
        0 => vec![Send(limited("400 Bad Request"))],
        _ => vec![Send(issued())],
    })
    .await;
    server.writer().issue(&request(), &now()).await.expect("accepted the second time");
    assert_eq!(server.seen().len(), 2);
    // Under a success it may have been accepted, and all wait just the same.
    for (status, code) in [("200 OK", "4011"), ("429 Too Many Requests", "0002")] {
        let body = format!(r#"{{"code":"{code}","message":"","data":{{"badge_id":"B7"}}}}"#);
        let server = Server::always(vec![Send(answer(status, &["Retry-After: 600", JSON], &body))]).await;
        let writer = server.writer();
        let error = writer.issue(&request(), &now()).await.expect_err("in doubt");
        assert!(matches!(error, ApiError::InDoubt { .. }), "{status}: {error:?}");
        let held = writer.reader().link_now().held_until.expect("held");
        assert!(held > tokio::time::Instant::now() + Duration::from_secs(500), "{status}");
        assert_eq!(server.seen().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn while_a_post_waits_out_a_429_it_can_be_given_up() {
    let server =
        Server::always(vec![Send(answer("429 Too Many Requests", &["Retry-After: 86400"], ""))]).await;
    let writer = server.writer();
    let token = CancellationToken::new();
    let sending = tokio::spawn({
        let (writer, call) = (writer.clone(), now().cancelled_by(token.clone()));
        async move { writer.issue(&request(), &call).await }
    });
    let mut link = writer.reader().link();
    let status = link.wait_for(|l| l.waiting == 1 && l.held_until.is_some()).await.expect("held").clone();
    assert!(status.held_until.is_some_and(|u| u > tokio::time::Instant::now() + Duration::from_secs(80_000)));
    token.cancel();
    assert_eq!(sending.await.expect("no panic"), Err(ApiError::Cancelled));
    assert_eq!(server.seen().len(), 1);
    assert_eq!(writer.reader().link_now().waiting, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_under_way_is_not_given_up() {
    let (release, released) = tokio::sync::watch::channel(false);
    let (arrived, mut arrives) = tokio::sync::watch::channel(false);
    let server = Server::start(move |_, _| {
        arrived.send_replace(true);
        // Answers only after the token was cancelled.
        while !*released.borrow() {
            std::thread::yield_now();
        }
        vec![Send(issued())]
    });
    let server = server.await;
    let writer = server.writer();
    let token = CancellationToken::new();
    let sending = std::thread::spawn({
        let (writer, call) = (writer.clone(), now().cancelled_by(token.clone()));
        move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move { writer.issue(&request(), &call).await })
        }
    });
    arrives.wait_for(|arrived| *arrived).await.expect("under way");
    token.cancel();
    release.send(true).expect("the server waits");
    let accepted =
        tokio::task::spawn_blocking(move || sending.join()).await.expect("no panic").expect("no panic");
    assert_eq!(accepted.expect("accepted").badge_id.wire(), "B1");
    // And one that was cancelled before its turn is never sent.
    let call = now().cancelled_by(token);
    assert_eq!(writer.issue(&request(), &call).await, Err(ApiError::Cancelled));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_post_that_certainly_was_not_sent_is_tried_again_and_then_reported() {
    let nobody = ClosedPort::new();
    let writer = writer(&format!("http://{}/x", nobody.address()), |_| {});
    let error = writer.issue(&request(), &now()).await.expect_err("nobody listens");
    assert!(matches!(error, ApiError::NotReached { .. }), "{error:?}");
    assert!(error.to_string().contains(msg_part("Nothing was sent")) && !error.may_have_changed());
    assert_eq!(writer.reader().log().len(), 3);
}

#[tokio::test]
async fn a_slow_service_has_the_time_of_a_post() {
    let server = Server::always(vec![Hang]).await;
    let writer = server.writer_with(|c| {
        c.timeouts.read = Duration::from_millis(1);
        c.timeouts.total = Duration::from_millis(1);
        c.timeouts.total_post = Duration::from_millis(300);
    });
    let start = std::time::Instant::now();
    let error = writer.issue_batch(&batch(1000), &now()).await.expect_err("never answered");
    assert!(start.elapsed() >= Duration::from_millis(290));
    assert!(matches!(error, ApiError::InDoubt { accepted: false, status: None, .. }), "{error:?}");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_read_only_profile_has_no_writer() {
    let mut connection =
        Connection::new("http://127.0.0.1:9/x", ApiKey::new("abcdefgh").expect("a key")).expect("a URL");
    connection.read_only = true;
    let access = connect(&connection).expect("a client");
    assert!(access.writer().is_none());
    assert!(matches!(access, Access::ReadOnly(_)));
    connection.read_only = false;
    assert!(connect(&connection).expect("a client").writer().is_some());
}

/// As for a process of a team whose lease ends while the connection is being made.
#[tokio::test]
async fn a_post_that_may_no_longer_be_sent_sends_no_body_and_is_not_in_doubt() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base_url = format!("http://{}/x", listener.local_addr().expect("an address"));
    let hearing = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut heard = Vec::new();
        // Everything that arrives until the client stops.
        let _ = std::io::Read::read_to_end(&mut stream, &mut heard);
        String::from_utf8_lossy(&heard).into_owned()
    });
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counts = asked.clone();
    let may_send = MaySend::new(move || {
        counts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        false
    });
    let writer = writer(&base_url, |_| {});
    let call = now().while_allowed(may_send);
    assert_eq!(writer.issue(&request(), &call).await, Err(ApiError::Cancelled));
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
    let heard = tokio::task::spawn_blocking(move || hearing.join()).await.expect("no panic").expect("heard");
    assert!(!heard.contains("recipient"), "{heard}");
}

#[tokio::test]
async fn only_a_revocation_may_be_repeated_after_a_lost_answer() {
    let server = Server::always(vec![Close]).await;
    let writer = server.writer();
    let revoked = writer.revoke(&revoke(2), &now()).await.expect_err("no answer").to_string();
    assert!(
        revoked.contains("A second request does no harm") && !revoked.contains("Do not send"),
        "{revoked}"
    );
    let issued = writer.issue(&request(), &now()).await.expect_err("no answer").to_string();
    assert!(issued.contains("Do not send it again before the history shows the result"), "{issued}");
}
