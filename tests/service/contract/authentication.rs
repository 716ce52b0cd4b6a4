//! "Authentication" of the contract.

use reqwest::Method;
use serde_json::json;

use crate::contract::kit::{self, Reply};

#[tokio::test]
async fn get_ping_is_used_to_confirm_that_a_key_works() {
    let kit = kit::small().await;
    let reply = kit.get("/ping").await;
    reply.ok();
    assert_eq!(reply.data(), &json!({"status": "ok", "apikey_prefix": "dmu_test_"}));
    assert!(kit.sandbox.api_key().starts_with("dmu_test_"));
}

/// Every endpoint, with a request that would work.
fn endpoints() -> Vec<(Method, &'static str, Option<Vec<u8>>)> {
    let body = |value: serde_json::Value| Some(serde_json::to_vec(&value).unwrap());
    let person = json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": "a@example.org"});
    vec![
        (Method::GET, "/ping", None),
        (Method::GET, "/badge-types", None),
        (Method::GET, "/categories", None),
        (Method::GET, "/categories/C01", None),
        (Method::GET, "/badge-templates", None),
        (Method::GET, "/badge-templates/TPL-001", None),
        (Method::POST, "/badges", body(person.clone())),
        (Method::POST, "/badges/batch", body(json!({"template_id": "TPL-001", "recipients": [person]}))),
        (Method::GET, "/badges/history", None),
        (Method::GET, "/wallet/badges?email=a@example.org", None),
        (Method::POST, "/badges/revoke", body(json!({"badge_ids": ["x"], "reason": "r"}))),
    ]
}

#[tokio::test]
async fn every_request_carries_the_key_and_a_missing_or_invalid_one_is_4001_with_data_null() {
    let kit = kit::small().await;
    for (method, path, body) in endpoints() {
        for key in [None, Some(""), Some("dmu_test_"), Some("wrong"), Some("dmu_test_0000")] {
            let reply = kit.send(method.clone(), path, key, body.clone()).await;
            reply.refused(401);
            assert_eq!(reply.code(), "4001", "{method} {path}");
        }
    }
    let violations = kit.ledger().violations;
    assert_eq!((violations.no_key, violations.bad_key), (11, 44));
    assert_eq!(kit.ledger().accepted_total(), 0);
}

#[tokio::test]
async fn no_per_endpoint_permission_exists_a_valid_key_may_call_every_endpoint() {
    let kit = kit::small().await;
    for (method, path, body) in endpoints() {
        let reply = kit.send(method, path, Some(kit.sandbox.api_key()), body).await;
        assert!(matches!(reply.status, 200 | 202), "{path}: {}", reply.body);
    }
}

#[tokio::test]
async fn a_key_twice_in_one_request_is_no_key() {
    let kit = kit::small().await;
    let key = kit.sandbox.api_key();
    let url = format!("{}/ping", kit.sandbox.base_url());
    let reply = kit.http.get(url).header("X-API-Key", key).header("X-API-Key", key).send().await.unwrap();
    assert_eq!(reply.status().as_u16(), 401);
}

#[tokio::test]
async fn keys_are_per_organisation_and_see_what_is_theirs() {
    let kit = kit::demo().await;
    kit.set("waiting-history", "visible");
    let total = async |org: &str, path: &str| -> i64 {
        let reply: Reply = kit.get_as(org, path).await;
        reply.ok().total()
    };
    assert_eq!(total("sandbox", "/badge-templates").await, 40);
    assert_eq!(total("dalmuri", "/badge-templates").await, 18);
    assert_eq!(total("saebyeok", "/badge-templates").await, 14);
    assert_eq!(total("neoreun", "/badge-templates").await, 8);
    let all = total("sandbox", "/badges/history").await;
    assert_eq!(all, 4300);
    let mut parts = 0;
    for org in ["dalmuri", "saebyeok", "neoreun"] {
        let part = total(org, "/badges/history").await;
        assert!(part > 400, "{org} {part}");
        parts += part;
    }
    assert_eq!(parts, all);
    let foreign = kit.get_as("dalmuri", "/badge-templates/TPL-033").await;
    foreign.refused(404);
    let prefix = kit.get_as("neoreun", "/ping").await;
    assert_eq!(prefix.data()["apikey_prefix"], "nrb_live_");
}

#[tokio::test]
async fn calls_from_addresses_that_are_not_on_the_allow_list_are_rejected() {
    let kit = kit::with(&[("allow", "127.0.0.9, ::1")]).await;
    kit.get("/ping").await.refused(403);
    kit.set("blocked-answer", "html403");
    let (status, headers, text) = kit.try_get("/ping").await.unwrap();
    assert_eq!(status, 403);
    assert!(headers["content-type"].to_str().unwrap().starts_with("text/html") && text.contains("<html>"));
    kit.set("blocked-answer", "reset");
    assert!(kit.try_get("/ping").await.is_err());
    assert_eq!(kit.ledger().violations.blocked_address, 3);
    kit.set("allow", "127.0.0.1");
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn the_status_that_goes_with_4001_is_a_switch() {
    let kit = kit::with(&[("bad-key-ping", "403"), ("bad-key-other", "200")]).await;
    let ping = kit.send(Method::GET, "/ping", None, None).await;
    ping.refused(403);
    let other = kit.send(Method::GET, "/categories", Some("x"), None).await;
    other.refused(200);
    assert_eq!((ping.code(), other.code()), ("4001", "4001"));
}

#[tokio::test]
async fn keys_are_stable_for_a_seed() {
    let (one, two) = (kit::small().await, kit::small().await);
    assert_eq!(one.sandbox.keys(), two.sandbox.keys());
    let options = lapel::sandbox::Options { seed: 2, ..kit::options() };
    assert_ne!(one.sandbox.api_key(), kit::start(options).await.sandbox.api_key());
}

#[tokio::test]
async fn a_key_where_it_does_not_belong_is_a_violation() {
    let kit = kit::small().await;
    let key = kit.sandbox.api_key();
    kit.get(&format!("/ping?api_key={key}")).await.ok();
    let outside = kit.sandbox.base_url().replace("/api/v1/ext", "/elsewhere");
    let reply = kit.http.get(outside).header("X-API-Key", key).send().await.unwrap();
    assert_eq!(reply.status().as_u16(), 404);
    let violations = kit.ledger().violations;
    assert_eq!((violations.key_in_url, violations.key_outside_api), (1, 1));
}
