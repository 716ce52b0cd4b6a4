//! The sandbox as it is without switches, held against the whole contract: every endpoint, every organisation,
//! through a badge's whole life. What the contract leaves open is a switch; a default may not depart from what
//! it says.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::contract::kit::{self, Kit, Reply};
use crate::contract::shapes::{
    BADGE, BATCH, BATCH_ITEM, CATEGORY, ENVELOPE, HISTORY, ISSUE_ACCEPTED, LEVEL, PAGE, PING, REVOKE,
    TEMPLATE, TEMPLATE_ITEM, WALLET, fields,
};

/// An answer that the contract describes for success.
#[track_caller]
fn accepted<'r>(reply: &'r Reply, status: u16, code: &str, shape: &str) -> &'r Value {
    fields(&reply.body, ENVELOPE);
    assert_eq!((reply.status, reply.code()), (status, code), "{}", reply.body);
    fields(reply.data(), shape);
    reply.data()
}

fn text<'v>(record: &'v Value, name: &str) -> &'v str {
    record[name].as_str().unwrap()
}

/// All rows of a paged list of one organisation, each page checked.
async fn list(kit: &Kit, org: &str, path: &str, shape: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    for page in 1_i64.. {
        let mark = if path.contains('?') { '&' } else { '?' };
        let reply = kit.get_as(org, &format!("{path}{mark}page={page}&rows_per_page=100")).await;
        let data = accepted(&reply, 200, "0001", PAGE);
        assert_eq!((data["page"].as_i64(), data["rows_per_page"].as_i64()), (Some(page), Some(100)));
        let list = data["list"].as_array().unwrap();
        assert!(list.len() <= 100);
        for row in list {
            fields(row, shape);
            rows.push(row.clone());
            assert_eq!(row["rnum"].as_i64(), Some(rows.len() as i64), "rnum is the position in the result");
        }
        if rows.len() as i64 >= data["total_count"].as_i64().unwrap() {
            assert_eq!(rows.len() as i64, data["total_count"].as_i64().unwrap());
            return rows;
        }
        assert_eq!(list.len(), 100, "a page before the last one is full");
    }
    rows
}

/// A badge's record, its state, and whether it has a revocation.
async fn detail(kit: &Kit, id: &str) -> Value {
    let reply = kit.get(&format!("/badges/{id}")).await;
    let revoked = reply.data().get("revoke_at").is_some();
    let shape = if revoked { format!("{BADGE} revoke_at:t revoke_reason:s") } else { BADGE.to_owned() };
    let data = accepted(&reply, 200, "0001", &shape).clone();
    assert_eq!(text(&data, "badge_id"), id);
    for name in ["front_image_url", "back_image_url"] {
        assert!(text(&data, name).starts_with("http"), "an absolute URL: {data}");
    }
    data
}

#[tokio::test]
async fn every_read_of_every_organisation_conforms() {
    let kit = kit::demo().await;
    let orgs: Vec<String> = kit.sandbox.keys().iter().map(|key| key.org.clone()).collect();
    for org in &orgs {
        let ping = kit.get_as(org, "/ping").await;
        let ping = accepted(&ping, 200, "0001", PING);
        let key = &kit.sandbox.keys().iter().find(|key| key.org == *org).unwrap().key;
        assert!(ping["status"] == "ok" && key.starts_with(text(ping, "apikey_prefix")));

        let reply = kit.get_as(org, "/categories").await;
        fields(&reply.body, ENVELOPE);
        for one in reply.ok().data().as_array().unwrap() {
            fields(one, CATEGORY);
            one["levels"].as_array().unwrap().iter().for_each(|level| fields(level, LEVEL));
            let alone = kit.get_as(org, &format!("/categories/{}", text(one, "category_id"))).await;
            assert_eq!(accepted(&alone, 200, "0001", CATEGORY), one);
        }
        for row in list(&kit, org, "/badge-templates", TEMPLATE_ITEM).await {
            let alone = kit.get_as(org, &format!("/badge-templates/{}", text(&row, "template_id"))).await;
            let one = accepted(&alone, 200, "0001", TEMPLATE);
            let types = ["COMPLETE", "COMPETENCY", "ACHIEVE", "PARTICIPATE", "CERTIFICATE"];
            assert!(types.contains(&text(one, "badge_type")));
        }
        let rows = list(&kit, org, "/badges/history", HISTORY).await;
        let ids: BTreeSet<&str> = rows.iter().map(|row| text(row, "badge_id")).collect();
        assert_eq!(ids.len(), rows.len(), "each badge is listed once");
        let holders: BTreeSet<&str> = rows.iter().map(|row| text(row, "recipient_email")).collect();
        for holder in holders.iter().step_by(29) {
            for held in list(&kit, org, &format!("/wallet/badges?email={}", kit::enc(holder)), WALLET).await {
                for name in ["front_image_url", "back_image_url"] {
                    assert!(text(&held, name).starts_with('/'), "a relative path: {held}");
                }
            }
        }
    }
    for row in list(&kit, "sandbox", "/badges/history", HISTORY).await.iter().step_by(7) {
        detail(&kit, text(row, "badge_id")).await;
    }
}

#[tokio::test]
async fn a_badge_conforms_from_acceptance_to_revocation() {
    let kit = kit::small().await;
    let mail = "life@example.org";
    let reply = kit.issue("TPL-034", mail).await;
    let single = accepted(&reply, 202, "0002", ISSUE_ACCEPTED).clone();
    assert_eq!(single["status_cd"], "ISSUE_WAIT");
    let recipients = json!([
        {"recipient_name": "하나", "recipient_email": "one@example.org"},
        {"recipient_name": "둘", "recipient_email": "two@example.org"},
    ]);
    let body = json!({"template_id": "TPL-034", "recipients": recipients});
    let reply = kit.post("/badges/batch", body).await;
    let batch = accepted(&reply, 202, "0002", BATCH).clone();
    assert_eq!((batch["total_count"].as_i64(), batch["accepted_count"].as_i64()), (Some(2), Some(2)));
    for item in batch["items"].as_array().unwrap() {
        fields(item, BATCH_ITEM);
        assert_eq!(item["status_cd"], "ISSUE_WAIT");
    }

    // It waits: not in the history before it is Issued ("Transitions"); its record has all of its times.
    let id = text(&single, "badge_id");
    let history = format!("/badges/history?recipient_email={mail}");
    assert!(list(&kit, "sandbox", &history, HISTORY).await.is_empty());
    let waiting = detail(&kit, id).await;
    let revoke = async || {
        let reply = kit.post("/badges/revoke", json!({"badge_ids": [id], "reason": "시험"})).await;
        accepted(&reply, 202, "0003", REVOKE).clone()
    };
    assert_eq!(revoke().await, json!({"total_count": 1, "accepted_count": 0}), "only Issued badges");
    assert_eq!(detail(&kit, id).await, waiting, "unchanged");

    kit.minutes(24 * 60);
    let rows = list(&kit, "sandbox", &history, HISTORY).await;
    assert_eq!(rows.len(), 1);
    let issued = detail(&kit, id).await;
    assert_ne!(issued["status_name"], waiting["status_name"]);
    assert_eq!(rows[0]["status_name"], issued["status_name"]);
    assert_eq!(list(&kit, "sandbox", &format!("/wallet/badges?email={mail}"), WALLET).await.len(), 1);

    assert_eq!(revoke().await, json!({"total_count": 1, "accepted_count": 1}));
    let revoking = detail(&kit, id).await;
    assert_eq!(revoking["revoke_reason"], "시험");
    kit.minutes(60);
    let revoked = detail(&kit, id).await;
    assert_ne!(revoked["status_name"], revoking["status_name"]);
    assert_eq!(revoked["revoke_at"], revoking["revoke_at"]);
    let row = &list(&kit, "sandbox", &history, HISTORY).await[0];
    assert_eq!(row["revoke_at"], revoked["revoke_at"]);
}

#[tokio::test]
async fn every_refusal_conforms() {
    let kit = kit::start(lapel::sandbox::Options { quota: Some(1), ..kit::options() }).await;
    for key in [None, Some("nobody's key")] {
        let reply = kit.send(Method::GET, "/ping", key, None).await;
        assert!(matches!(reply.status, 401 | 403), "{}", reply.body);
        let reply = kit.send(Method::GET, "/badges/history", key, None).await;
        fields(reply.refused(reply.status).body(), ENVELOPE);
        assert_eq!(reply.code(), "4001");
    }
    for wrong in ["page=-1", "rows_per_page=-1", "rows_per_page=101"] {
        let reply = kit.get(&format!("/badges/history?{wrong}")).await;
        fields(reply.refused(400).body(), ENVELOPE);
    }
    let people: Vec<Value> = (0..2)
        .map(|n| json!({"recipient_name": "사람", "recipient_email": format!("q{n}@example.org")}))
        .collect();
    let reply = kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": people})).await;
    fields(reply.refused(422).body(), ENVELOPE);

    let limited = kit::start(lapel::sandbox::Options { rate_limit: 1, ..kit::options() }).await;
    limited.get("/ping").await.ok();
    let reply = limited.get("/ping").await;
    fields(reply.refused(429).body(), ENVELOPE);
    assert_eq!(reply.code(), "4011");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
}
