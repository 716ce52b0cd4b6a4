//! "Limits" and "Errors": the request rate and the issue quota.

use lapel::sandbox::Options;
use serde_json::{Value, json};

use crate::contract::kit;

fn people(count: usize) -> Vec<Value> {
    (0..count)
        .map(|at| json!({"recipient_name": "A", "recipient_email": format!("q{at}@example.org")}))
        .collect()
}

#[tokio::test]
async fn more_than_1000_requests_in_a_minute_are_429_with_code_4011_and_retry_after() {
    let kit = kit::small().await;
    // All methods together: reads, and posts that are refused.
    for at in 0..1000 {
        let reply = if at % 10 == 0 { kit.post("/badges", json!({})).await } else { kit.get("/ping").await };
        assert_ne!(reply.status, 429, "request {at}");
    }
    let reply = kit.get("/ping").await;
    assert_eq!(reply.refused(429).code(), "4011");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    kit.get_as("dalmuri", "/ping").await.ok();
    let ledger = kit.ledger();
    assert_eq!(ledger.violations.rate_limited, 1);
    assert_eq!(
        (ledger.busiest_minute["dmu_test_"].admitted, ledger.busiest_minute["dmu_test_"].arrived),
        (1000, 1001)
    );
}

#[tokio::test]
async fn a_refused_request_is_not_carried_out() {
    let kit = kit::start(Options { rate_limit: 2, ..kit::options() }).await;
    for _ in 0..2 {
        assert_eq!(kit.issue("TPL-001", "r@example.org").await.status, 202);
    }
    kit.issue("TPL-001", "r@example.org").await.refused(429);
    assert_eq!(kit.ledger().accepted_total(), 2);
    // The virtual clock does not help: the limit is about real time.
    kit.minutes(10);
    kit.get("/ping").await.refused(429);
    kit.control().set_rate_limit(1000);
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn retry_after_is_seconds_a_date_zero_an_hour_nothing_or_nonsense() {
    let kit = kit::start(Options { rate_limit: 0, ..kit::options() }).await;
    let header = async |form: &str| {
        kit.set("retry-after", form);
        kit.get("/ping").await.refused(429).header("retry-after").map(str::to_owned)
    };
    assert_eq!(header("seconds").await.as_deref(), Some("60"));
    assert_eq!(header("zero").await.as_deref(), Some("0"));
    assert_eq!(header("hour").await.as_deref(), Some("3600"));
    assert_eq!(header("none").await, None);
    assert_eq!(header("nonsense").await.as_deref(), Some("soon"));
    assert!(header("http-date").await.unwrap().ends_with("GMT"));
}

#[tokio::test]
async fn an_exceeded_issue_quota_is_422_and_separate_from_the_rate_limit() {
    let kit = kit::start(Options { quota: Some(5), ..kit::options() }).await;
    let batch = |count| json!({"template_id": "TPL-001", "recipients": people(count)});
    assert_eq!(kit.post("/badges/batch", batch(4)).await.status, 202);
    let reply = kit.post("/badges/batch", batch(2)).await;
    assert!(reply.refused(422).message().contains("quota"));
    assert_eq!(kit.issue("TPL-001", "last@example.org").await.status, 202);
    kit.issue("TPL-001", "over@example.org").await.refused(422);
    assert_eq!((kit.ledger().accepted_total(), kit.ledger().issued["dmu_test_"]), (5, 5));
    kit.control().set_quota(Some(6));
    assert_eq!(kit.issue("TPL-001", "more@example.org").await.status, 202);
    let body = serde_json::to_vec(&batch(5)).unwrap();
    let other = kit.sandbox.keys()[0].key.clone();
    let reply = kit.send(reqwest::Method::POST, "/badges/batch", Some(&other), Some(body)).await;
    assert_eq!(reply.status, 202, "every organisation has its own");
}

#[tokio::test]
async fn a_batch_over_the_quota_is_refused_whole_or_taken_in_part() {
    let kit = kit::start(Options { quota: Some(3), ..kit::options() }).await;
    let batch = json!({"template_id": "TPL-001", "recipients": people(5)});
    kit.post("/badges/batch", batch.clone()).await.refused(422);
    assert_eq!(kit.ledger().accepted_total(), 0);
    kit.set("over-quota", "partial-422");
    kit.post("/badges/batch", batch.clone()).await.refused(422);
    assert_eq!(kit.ledger().accepted_total(), 3, "422, and yet");
    kit.set("over-quota", "partial-202");
    kit.control().set_quota(Some(5));
    kit.set("quota-message", "이번 달 한도를 넘었습니다");
    let reply = kit.post("/badges/batch", batch.clone()).await;
    assert_eq!(
        (reply.status, &reply.data()["accepted_count"], &reply.data()["total_count"]),
        (202, &json!(2), &json!(5))
    );
    assert_eq!(
        kit.issue("TPL-001", "x@example.org").await.refused(422).message(),
        "이번 달 한도를 넘었습니다"
    );
}
