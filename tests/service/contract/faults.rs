//! Faults: what the rules do to the wire, and what was committed anyway.

use std::time::{Duration, Instant};

use lapel::sandbox::{FaultRule, Options};
use serde_json::{Value, json};

use crate::contract::kit::{self, Kit};

async fn faulty(rules: &[&str]) -> Kit {
    let faults = rules.iter().map(|rule| rule.parse::<FaultRule>().unwrap()).collect();
    kit::start(Options { faults, ..kit::options() }).await
}

fn person(mail: &str) -> Value {
    json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": mail})
}

fn batch() -> Value {
    let recipients: Vec<Value> = (0..3)
        .map(|at| json!({"recipient_name": "A", "recipient_email": format!("P{at}@example.org")}))
        .collect();
    json!({"template_id": "TPL-001", "recipients": recipients})
}

/// Waits (in real time) until so many badges are committed.
async fn accepted(kit: &Kit, count: u64) {
    for _ in 0..500 {
        if kit.ledger().accepted_total() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} were accepted, not {count}", kit.ledger().accepted_total());
}

#[tokio::test]
async fn every_seventh_request_fails_with_500() {
    let kit = faulty(&["get /badges/history every=7 status=500"]).await;
    for at in 1..=21 {
        let reply = kit.get("/badges/history").await;
        assert_eq!(reply.status, if at % 7 == 0 { 500 } else { 200 }, "{at}");
    }
    kit.get("/ping").await.ok();
    assert_eq!(kit.ledger().faults, 3);
}

#[tokio::test]
async fn a_post_is_committed_and_the_connection_dropped() {
    for rule in ["post /badges commit-drop", "post /badges commit-reset", "post /badges commit garbage"] {
        let kit = faulty(&[rule]).await;
        assert!(kit.try_post("/badges", person("lost@example.org")).await.is_err(), "{rule}");
        assert_eq!(kit.ledger().accepted_for("TPL-001", "lost@example.org"), 1, "{rule}");
    }
}

#[tokio::test]
async fn a_post_is_dropped_before_it_is_committed() {
    for rule in ["post /badges drop", "post /badges reset", "post garbage"] {
        let kit = faulty(&[rule]).await;
        assert!(kit.try_post("/badges", person("lost@example.org")).await.is_err(), "{rule}");
        assert_eq!(kit.ledger().accepted_total(), 0, "{rule}");
    }
}

#[tokio::test]
async fn an_error_comes_before_or_after_the_commit() {
    for (rule, accepted) in [
        ("post /badges status=500", 0),
        ("post /badges commit status=500", 1),
        ("post /badges commit html=502", 1),
        ("post /badges html=502", 0),
        ("post /badges commit 204", 1),
        ("post /badges redirect=http://127.0.0.1:9/x status=307", 0),
        ("post /badges commit redirect=http://127.0.0.1:9/x status=308", 1),
    ] {
        let kit = faulty(&[rule]).await;
        let (status, _) = kit.try_post("/badges", person("x@example.org")).await.unwrap();
        assert!(rule.contains(&status.to_string()), "{rule}: {status}");
        assert_eq!(kit.ledger().accepted_total(), accepted, "{rule}");
    }
}

#[tokio::test]
async fn bodies_are_cut_short_or_have_the_wrong_length() {
    for rule in [
        "get /badges/history truncate",
        "get /badges/history truncate=0",
        "get /badges/history wrong-length=+10",
    ] {
        let kit = faulty(&[rule]).await;
        assert!(kit.try_get("/badges/history").await.is_err(), "{rule}");
    }
    let kit = faulty(&["get /badges/history wrong-length=-10"]).await;
    let (_, _, text) = kit.try_get("/badges/history").await.unwrap();
    assert!(serde_json::from_str::<Value>(&text).is_err());
    let kit = faulty(&["get /ping empty"]).await;
    assert_eq!(kit.try_get("/ping").await.unwrap().2, "");
    let kit = faulty(&["post /badges truncate=20"]).await;
    assert!(kit.try_post("/badges", person("cut@example.org")).await.is_err());
    assert_eq!(kit.ledger().accepted_total(), 1);
}

#[tokio::test]
async fn too_many_requests_with_every_kind_of_retry_after() {
    for (word, wanted) in [("5", Some("5")), ("none", None), ("nonsense", Some("soon")), ("-3", Some("-3"))] {
        let kit = faulty(&[&format!("any status=429 retry-after={word}")]).await;
        let reply = kit.get("/ping").await;
        assert_eq!(reply.refused(429).code(), "4011");
        assert_eq!(reply.header("retry-after"), wanted);
    }
    let kit = faulty(&["any status=429 retry-after=http-date times=1"]).await;
    assert!(kit.get("/ping").await.header("retry-after").unwrap().ends_with("GMT"));
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn redirects_name_another_place() {
    let kit = faulty(&["get /ping redirect=https://login.example/?a=b status=303"]).await;
    let (status, headers, _) = kit.try_get("/ping").await.unwrap();
    assert_eq!((status, headers["location"].to_str().unwrap()), (303, "https://login.example/?a=b"));
}

#[tokio::test]
async fn answers_are_late_before_or_after_the_commit() {
    let kit = faulty(&["post /badges delay=150ms", "post /badges/batch commit hold"]).await;
    let begun = Instant::now();
    assert_eq!(kit.issue("TPL-001", "late@example.org").await.status, 202);
    assert!(begun.elapsed() >= Duration::from_millis(150));
    let waiting = kit.try_post("/badges/batch", batch());
    assert!(tokio::time::timeout(Duration::from_millis(400), waiting).await.is_err());
    // Committed, although nobody waits for the answer any more.
    accepted(&kit, 4).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_does_not_undo_what_it_asked_for() {
    let kit = faulty(&["post /badges hold"]).await;
    let waiting = kit.try_post("/badges", person("gone@example.org"));
    assert!(tokio::time::timeout(Duration::from_millis(400), waiting).await.is_err());
    assert_eq!(kit.ledger().accepted_total(), 0);
    kit.control().clear_faults();
    accepted(&kit, 1).await;
}

#[tokio::test]
async fn a_slow_body_arrives_whole() {
    let kit = faulty(&["get /badge-templates slow-body=200ms"]).await;
    let begun = Instant::now();
    assert_eq!(kit.get("/badge-templates").await.ok().list().len(), 20);
    assert!(begun.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn the_items_of_a_batch_lie() {
    let mails = |reply: &kit::Reply| -> Vec<String> {
        let items = reply.data()["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["recipient_email"].as_str().unwrap().to_owned()).collect()
    };
    for (lie, wanted) in [
        ("reversed", vec!["P2", "P1", "P0"]),
        ("lower", vec!["p0", "p1", "p2"]),
        ("missing", vec!["P0", "P1"]),
        ("extra", vec!["P0", "P1", "P2", "stranger"]),
        ("doubled", vec!["P0", "P1", "P2", "P0", "P1", "P2"]),
        ("none", vec![]),
    ] {
        let kit = faulty(&[&format!("post /badges/batch items={lie}")]).await;
        let reply = kit.post("/badges/batch", batch()).await;
        let wanted: Vec<String> = wanted.into_iter().map(|name| format!("{name}@example.org")).collect();
        assert_eq!((reply.status, mails(&reply)), (202, wanted), "{lie}");
        assert_eq!(kit.ledger().accepted_total(), 3);
    }
    let kit = faulty(&["get match=page=2 items=empty", "get match=page=3 items=null"]).await;
    kit.set("waiting-history", "visible");
    let reply = kit.get("/badges/history?page=2").await;
    assert!(reply.ok().list().is_empty() && reply.total() == 300);
    assert!(kit.get("/badges/history?page=3").await.ok().data().is_null());
    let kit = faulty(&["post /badges/batch accepted=99"]).await;
    assert_eq!(kit.post("/badges/batch", batch()).await.data()["accepted_count"], 99);
}

#[tokio::test]
async fn a_message_and_a_code_can_be_given() {
    let kit = faulty(&["post /badges status=422 code=9999 message=이름은 20자까지"]).await;
    let reply = kit.post("/badges", person("x@example.org")).await;
    assert_eq!((reply.refused(422).code(), reply.message()), ("9999", "이름은 20자까지"));
}

#[tokio::test]
async fn a_rule_can_match_the_query_or_the_body() {
    let kit = faulty(&["get match=page=3 status=500", "post /badges/batch match=P1@ status=503"]).await;
    kit.get("/badges/history?page=2").await.ok();
    assert_eq!(kit.get("/badges/history?page=3").await.status, 500);
    assert_eq!(kit.post("/badges/batch", batch()).await.status, 503);
}
