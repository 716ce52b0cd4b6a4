//! The control address: the same powers over HTTP.

use std::time::Duration;

use lapel::sandbox::{Options, Sandbox};
use serde_json::{Value, json};

use crate::contract::kit::{self, Kit};

async fn call(kit: &Kit, method: &str, path: &str, body: Value) -> (u16, Value) {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let url = format!("{}{path}", kit.sandbox.control_url());
    let reply = kit.http.request(method, url).body(body.to_string()).send().await.unwrap();
    (reply.status().as_u16(), reply.json().await.unwrap())
}

#[tokio::test]
async fn the_clock_is_read_advanced_and_sped_up() {
    let kit = kit::small().await;
    let (_, clock) = call(&kit, "GET", "/clock", json!(null)).await;
    assert_eq!((&clock["now"], &clock["speed"]), (&json!(kit::START), &json!(0.0)));
    let (_, clock) = call(&kit, "POST", "/clock", json!({"advance": "3h"})).await;
    assert_eq!(clock["now"], "2026-03-11 13:30:00");
    let (_, clock) = call(&kit, "POST", "/clock", json!({"advance": 61, "speed": 0})).await;
    assert_eq!(clock["now"], "2026-03-11 13:31:01");
    assert_eq!(kit.control().now().to_string(), "2026-03-11T13:31:01");
    for wrong in
        [json!({"advance": "soon"}), json!({"advance": -1}), json!({"speed": -1}), json!({"x": 1}), json!(7)]
    {
        assert_eq!(call(&kit, "POST", "/clock", wrong).await.0, 400);
    }
    kit.control().set_speed(1e6);
    tokio::time::sleep(Duration::from_millis(5)).await;
    kit.control().set_speed(0.0);
    assert!(kit.control().now().to_string().as_str() > "2026-03-11T13:31:01");
}

#[tokio::test]
async fn switches_are_read_and_set_all_or_none() {
    let kit = kit::small().await;
    let (status, all) = call(&kit, "PUT", "/switches", json!({"labels": "en", "max-rows": 7})).await;
    assert_eq!((status, &all["labels"], &all["max-rows"]), (200, &json!("en"), &json!("7")));
    let (status, error) = call(&kit, "PUT", "/switches", json!({"zone": "Z", "labels": "jp"})).await;
    assert!(status == 400 && error["error"].as_str().unwrap().contains("jp"));
    assert_eq!(call(&kit, "GET", "/switches", json!(null)).await.1["zone"], "+09:00");
    let (_, gaps) = call(&kit, "GET", "/gaps", json!(null)).await;
    assert_eq!(gaps.as_array().unwrap().len(), lapel::sandbox::GAPS.len());
}

#[tokio::test]
async fn faults_are_added_listed_and_removed() {
    let kit = kit::small().await;
    let (status, list) =
        call(&kit, "POST", "/faults", json!(["get /ping status=500", {"rule": "get /x drop"}])).await;
    assert_eq!((status, list.as_array().unwrap().len()), (200, 2));
    assert_eq!(kit.get("/ping").await.status, 500);
    let (_, list) = call(&kit, "GET", "/faults", json!(null)).await;
    assert_eq!(list[0], json!({"rule": "get /ping status=500", "fired": 1}));
    let (status, error) = call(&kit, "POST", "/faults", json!(["get /ping drop", "explode"])).await;
    assert!(status == 400 && error["error"].as_str().unwrap().contains("explode"));
    assert_eq!(call(&kit, "DELETE", "/faults", json!(null)).await.1, json!([]));
    kit.get("/ping").await.ok();
}

#[tokio::test]
async fn limits_can_be_moved() {
    let kit = kit::small().await;
    let (_, limits) = call(&kit, "PUT", "/limits", json!({"quota": 0})).await;
    assert_eq!(limits, json!({"rate_limit": 1000, "quota": 0}));
    kit.issue("TPL-001", "x@example.org").await.refused(422);
    call(&kit, "PUT", "/limits", json!({"quota": null, "rate_limit": 5})).await;
    assert_eq!(kit.issue("TPL-001", "x@example.org").await.status, 202);
}

#[tokio::test]
async fn the_ledger_counts_what_was_committed() {
    let kit = kit::small().await;
    let id = kit.issued("l@example.org").await;
    kit.post("/badges/revoke", json!({"badge_ids": [id, "no"], "reason": "r"})).await;
    kit.get("/badges/x").await;
    let (_, ledger) = call(&kit, "GET", "/ledger", json!(null)).await;
    assert_eq!(
        ledger["accepted"],
        json!([{"template_id": "TPL-001", "recipient_email": "l@example.org", "count": 1, "badge_ids": [id]}])
    );
    assert_eq!(ledger["revokes"].as_array().unwrap().len(), 2);
    assert_eq!(
        ledger["requests"],
        json!({"POST /badges": 1, "POST /badges/revoke": 1, "GET /badges/{badge_id}": 1})
    );
    assert_eq!(ledger["statuses"], json!({"202": 2, "404": 1}));
    assert_eq!(ledger["busiest_minute"]["dmu_test_"], json!({"admitted": 3, "arrived": 3}));
    assert!(ledger["connections"]["opened"].as_u64().unwrap() >= 1);
    assert_eq!(kit.ledger().requests_to("POST /badges"), 1);
}

#[tokio::test]
async fn rows_are_put_in_and_taken_out_in_any_state() {
    let kit = kit::small().await;
    kit.set("waiting-history", "visible");
    let states = ["issued", "waiting", "overdue", "revoking", "revoked", "expired"];
    let insert: Vec<Value> = states
        .iter()
        .map(|state| json!({"state": state, "recipient_email": format!("{state}@example.org")}))
        .collect();
    let (status, done) = call(&kit, "POST", "/rows", json!({"insert": insert})).await;
    assert_eq!((status, done["inserted"].as_array().unwrap().len()), (200, 6));
    let label = async |state: &str| {
        kit.get(&format!("/badges/history?recipient_email={state}@example.org")).await.list()[0]["status_name"].clone()
    };
    for (state, wanted) in
        states.iter().zip(["발급완료", "발급대기", "발급대기", "회수중", "회수완료", "발급완료"])
    {
        assert_eq!(label(state).await, wanted, "{state}");
    }
    kit.minutes(60);
    assert_eq!(
        (label("waiting").await, label("overdue").await, label("revoking").await),
        (json!("발급완료"), json!("발급대기"), json!("회수완료"))
    );
    let (status, _) = call(&kit, "POST", "/rows", json!({"delete": ["B-1"]})).await;
    assert_eq!(status, 400);
    assert_eq!(call(&kit, "POST", "/rows", json!({"insert": [{"template_id": "none"}]})).await.0, 400);
    assert_eq!(kit.ledger().accepted_total(), 0, "nobody issued these");
}

#[tokio::test]
async fn nonsense_is_answered_in_json() {
    let kit = kit::small().await;
    for (method, path) in [("GET", "/nothing"), ("PATCH", "/clock"), ("POST", "/ledger"), ("PUT", "/gaps")] {
        assert_eq!(call(&kit, method, path, json!(null)).await.0, 404, "{method} {path}");
    }
    for (method, path) in [("PUT", "/switches"), ("POST", "/faults"), ("POST", "/rows"), ("PUT", "/limits")] {
        assert_eq!(call(&kit, method, path, json!(7)).await.0, 400, "{method} {path}");
    }
    assert!(call(&kit, "GET", "/", json!(null)).await.1["paths"].is_array());
}

#[tokio::test]
async fn only_loopback_is_listened_on() {
    let options = Options { listen: "0.0.0.0:0".parse().unwrap(), ..kit::options() };
    let error = Sandbox::start(options).await.unwrap_err().to_string();
    assert!(error.contains("0.0.0.0:0") && error.contains("loopback"), "{error}");
    let first = kit::small().await;
    let taken =
        first.sandbox.base_url().strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let options = Options { listen: taken.parse().unwrap(), ..kit::options() };
    assert!(Sandbox::start(options).await.unwrap_err().to_string().contains(&taken));
}

#[tokio::test]
async fn wrong_switches_stop_the_start() {
    let options = Options { switches: vec![("labels".into(), "jp".into())], ..kit::options() };
    assert!(Sandbox::start(options).await.unwrap_err().to_string().contains("jp"));
}

#[tokio::test]
async fn a_stopped_or_dropped_sandbox_answers_no_more() {
    for drop_it in [false, true] {
        let kit = kit::small().await;
        kit.get("/ping").await.ok();
        let Kit { sandbox, http } = kit;
        let url = format!("{}/ping", sandbox.base_url());
        if drop_it {
            drop(sandbox);
        } else {
            sandbox.stop().await;
        }
        let mut gone = false;
        for _ in 0..100 {
            gone = http.get(&url).send().await.is_err();
            if gone {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(gone, "dropped: {drop_it}");
    }
}

#[tokio::test]
async fn a_data_file_keeps_everything_and_never_goes_back_in_time() {
    let place = tempfile::tempdir().unwrap();
    let options = Options { data: Some(place.path().join("kept.db")), ..kit::options() };
    let kit = kit::start(options.clone()).await;
    let id = kit.issued("kept@example.org").await;
    let before = kit.get(&format!("/badges/{id}")).await;
    let (key, total) = (kit.sandbox.api_key().to_owned(), kit.get("/badges/history").await.total());
    let templates = kit.all("/badge-templates").await;
    kit.sandbox.stop().await;

    let kit = kit::start(Options { seed: 99, start: None, ..options.clone() }).await;
    assert_eq!(kit.sandbox.api_key(), key, "the file knows its seed");
    assert_eq!(kit.get("/badges/history").await.total(), total);
    kit.sandbox.stop().await;

    let kit = kit::start(Options { quota: Some(2), ..options.clone() }).await;
    assert!(kit.control().now().to_string().as_str() >= "2026-03-12T10:30:00");
    let text = |reply: &kit::Reply| {
        reply
            .body
            .to_string()
            .replace(&reply.body["data"]["front_image_url"].to_string(), "")
            .replace(&reply.body["data"]["back_image_url"].to_string(), "")
    };
    assert_eq!(text(&kit.get(&format!("/badges/{id}")).await), text(&before));
    assert_eq!(kit.all("/badge-templates").await[0]["reg_date"], templates[0]["reg_date"]);
    let second = Sandbox::start(options.clone()).await.unwrap_err();
    assert!(format!("{second:#}").contains("kept.db"), "one sandbox per file: {second:#}");
    let reply = kit.issue("TPL-001", "second@example.org").await;
    assert_ne!(reply.data()["badge_id"], json!(id));
    kit.issue("TPL-001", "third@example.org").await.refused(422);

    let wrong = place.path().join("wrong.db");
    std::fs::write(&wrong, b"this is not a database, it is a text of some length, repeated".repeat(50))
        .unwrap();
    let error = Sandbox::start(Options { data: Some(wrong), ..kit::options() }).await.unwrap_err();
    assert!(format!("{error:#}").contains("wrong.db"), "{error:#}");
}
