//! Faults on the way, with the ledger as the judge: what was said against what was done.

use super::kit::{people, person, revocation, small, word, writer};
use lapel::api::{ApiError, HistoryQuery, Paging};
use std::time::Duration;

#[tokio::test]
async fn a_post_under_every_fault_is_sent_once_and_its_doubt_is_true() {
    let kit = small().await;
    // The rule, the error, and how many were really issued.
    let cases = [
        ("post /badges drop", "in doubt", 0),
        ("post /badges reset", "in doubt", 0),
        ("post /badges commit-drop", "in doubt", 1),
        ("post /badges commit-reset", "in doubt", 1),
        ("post /badges commit status=500", "in doubt", 1),
        ("post /badges status=500", "in doubt", 0),
        ("post /badges status=503", "in doubt", 0),
        ("post /badges commit html=502", "in doubt", 1),
        ("post /badges html=502", "in doubt", 0),
        ("post /badges commit html=200", "in doubt", 1),
        ("post /badges commit empty", "in doubt", 1),
        ("post /badges commit empty=204", "in doubt", 1),
        ("post /badges commit empty=202", "in doubt", 1),
        ("post /badges commit garbage", "in doubt", 1),
        ("post /badges truncate", "in doubt", 1),
        ("post /badges truncate=0", "in doubt", 1),
        ("post /badges wrong-length=+10", "in doubt", 1),
        ("post /badges wrong-length=-5", "in doubt", 1),
        ("post /badges commit redirect=http://127.0.0.1:9/x status=307", "in doubt", 1),
        ("post /badges redirect=http://127.0.0.1:9/x status=308", "in doubt", 0),
        ("post /badges status=408", "in doubt", 0),
        ("post /badges status=400", "bad request", 0),
        ("post /badges status=422", "quota", 0),
        ("post /badges slow-body=200ms", "ok", 1),
        ("post /badges delay=100ms", "ok", 1),
    ];
    for (number, (rule, said, done)) in cases.into_iter().enumerate() {
        kit.fault(rule);
        let before = kit.ledger().requests_to("POST /badges");
        let email = format!("case{number}@x.example");
        let issued = kit.writer.issue(&person("TPL-001", &email), &kit.call).await;
        assert_eq!(word(&issued), said, "{rule}: {issued:?}");
        let ledger = kit.ledger();
        assert_eq!(ledger.accepted_for("TPL-001", &email), done, "{rule}");
        assert_eq!(ledger.requests_to("POST /badges"), before + 1, "{rule}: sent once");
        if let Err(ApiError::InDoubt { accepted, status, .. }) = issued {
            assert_eq!(accepted, status == Some(202), "{rule}");
            assert!(!accepted || done == 1, "{rule}: accepted means accepted");
        }
    }
}

#[tokio::test]
async fn a_get_survives_what_passes_and_says_what_does_not() {
    let kit = small().await;
    for (rule, said, asked) in [
        ("get /ping drop times=1", "ok", 2),
        ("get /ping reset times=1", "ok", 2),
        ("get /ping garbage times=1", "ok", 2),
        ("get /ping truncate times=1", "ok", 2),
        ("get /ping status=500 times=2", "ok", 3),
        ("get /ping html=502 times=2", "ok", 3),
        ("get /ping status=503 retry-after=0 times=1", "ok", 2),
        ("get /ping status=429 retry-after=0 times=2", "ok", 3),
        ("get /ping status=500", "service failed", 3),
        ("get /ping drop", "no answer", 2),
        ("get /ping html=200", "not this service", 1),
        ("get /ping redirect=http://127.0.0.1:9/login", "not this service", 1),
        ("get /ping delay=100ms", "ok", 1),
        ("get /ping slow-body=200ms", "ok", 1),
    ] {
        kit.fault(rule);
        let before = kit.ledger().requests_to("GET /ping");
        let ping = kit.reader.ping(&kit.call).await;
        assert_eq!(word(&ping), said, "{rule}: {ping:?}");
        assert_eq!(kit.ledger().requests_to("GET /ping") - before, asked, "{rule}");
    }
}

#[tokio::test]
async fn a_body_that_trickles_has_no_more_time_than_any_other_answer() {
    let kit = small().await;
    kit.fault("get /ping slow-body=120s");
    // The pieces come often enough: only the time for all of it runs out.
    let patient =
        writer(&kit.sandbox, kit.sandbox.api_key(), |c| c.timeouts.total = Duration::from_millis(300));
    let ping = tokio::time::timeout(Duration::from_secs(30), patient.reader().ping(&kit.call));
    let ping = ping.await.expect("it is given up long before the body has come");
    assert_eq!(word(&ping), "no answer", "{ping:?}");
}

#[tokio::test]
async fn every_seventh_answer_fails_and_a_scan_does_not_notice() {
    let kit = small().await;
    kit.fault("get /badges/history every=7 status=500");
    let mut rows = 0;
    for page in 1..=15 {
        let paging = Paging { page, ..Paging::default() };
        let page = kit.reader.history(&HistoryQuery { paging, ..HistoryQuery::default() }, &kit.call).await;
        rows += page.expect("a page").items.len();
    }
    assert_eq!(rows, 300);
    assert!(kit.ledger().faults >= 2);
}

#[tokio::test]
async fn a_list_of_accepted_items_that_lies_is_passed_on_as_it_came() {
    let kit = small().await;
    let emails = ["A@x.example", "b@x.example", "c@x.example"];
    for (lie, items) in
        [("reversed", 3), ("lower", 3), ("missing", 2), ("extra", 4), ("doubled", 6), ("none", 0)]
    {
        kit.fault(&format!("post /badges/batch items={lie}"));
        let batch = kit.writer.issue_batch(&people("TPL-001", &emails), &kit.call).await.expect("accepted");
        let count = batch.items.len();
        assert!(count == items || (lie == "doubled" && count > 3), "{lie}: {count}");
    }
    kit.fault("post /badges/batch accepted=999");
    let batch = kit.writer.issue_batch(&people("TPL-001", &emails), &kit.call).await.expect("accepted");
    assert_eq!((batch.accepted_count, batch.items.len()), (Some(999), 3));
}

#[tokio::test]
async fn a_revocation_in_doubt_says_so() {
    let kit = small().await;
    kit.set("issue-time", "5m");
    let issued = kit.writer.issue(&person("TPL-001", "a@x.example"), &kit.call).await.expect("accepted");
    kit.sandbox.control().advance(Duration::from_secs(301));
    kit.fault("post /badges/revoke commit-drop times=1");
    let revoked = kit.writer.revoke(&revocation(&[&issued.badge_id]), &kit.call).await;
    assert_eq!(word(&revoked), "in doubt");
    assert_eq!(kit.ledger().revokes_accepted(), 1);
    assert!(kit.reader.badge(&issued.badge_id, &kit.call).await.expect("a badge").revoke_at.is_some());
}
