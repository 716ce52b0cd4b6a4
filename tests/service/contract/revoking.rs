//! "POST /badges/revoke" and the states after it.

use serde_json::{Value, json};

use crate::contract::kit::{self, Kit};

async fn revoke(kit: &Kit, ids: &[&str]) -> (i64, i64) {
    let reply = kit.post("/badges/revoke", json!({"badge_ids": ids, "reason": "본인 요청"})).await;
    assert_eq!((reply.status, reply.code()), (202, "0003"), "{}", reply.body);
    assert_eq!(reply.data().as_object().unwrap().len(), 2);
    (reply.data()["total_count"].as_i64().unwrap(), reply.data()["accepted_count"].as_i64().unwrap())
}

async fn detail(kit: &Kit, id: &str) -> Value {
    kit.get(&format!("/badges/{id}")).await.ok().data().clone()
}

#[tokio::test]
async fn an_issued_badge_goes_through_revoking_to_revoked_with_time_and_reason() {
    let kit = kit::small().await;
    let id = kit.issued("r@example.org").await;
    assert!(detail(&kit, &id).await.get("revoke_at").is_none());
    assert_eq!(revoke(&kit, &[&id]).await, (1, 1));
    let now = detail(&kit, &id).await;
    assert_eq!(
        (&now["status_name"], &now["revoke_at"], &now["revoke_reason"]),
        (&json!("회수중"), &json!("2026-03-12 10:30:00"), &json!("본인 요청"))
    );
    kit.minutes(31);
    let later = detail(&kit, &id).await;
    assert_eq!((&later["status_name"], &later["revoke_at"]), (&json!("회수완료"), &now["revoke_at"]));
    let row = kit.get("/badges/history?recipient_email=r@example.org").await.list()[0].clone();
    assert_eq!((&row["status_name"], &row["revoke_at"]), (&json!("회수완료"), &now["revoke_at"]));
}

#[tokio::test]
async fn badges_that_are_not_issued_are_left_out_silently_and_unchanged() {
    let kit = kit::small().await;
    let issued = kit.issued("a@example.org").await;
    let gone = kit.issued("b@example.org").await;
    revoke(&kit, &[&gone]).await;
    kit.minutes(40);
    let reply = kit.issue("TPL-001", "c@example.org").await;
    let waiting = reply.data()["badge_id"].as_str().unwrap();
    let before = detail(&kit, &gone).await;
    assert_eq!(revoke(&kit, &[waiting, &gone, &issued, "B-1", "", "없음"]).await, (6, 1));
    assert_eq!(detail(&kit, waiting).await["status_name"], "발급대기");
    assert_eq!(detail(&kit, &gone).await, before);
    assert_eq!(detail(&kit, &issued).await["status_name"], "회수중");
    let ledger = kit.ledger();
    assert_eq!((ledger.revokes_accepted(), ledger.revokes_dropped()), (2, 5));
}

#[tokio::test]
async fn the_classic_accident_revoking_what_was_just_issued_is_accepted_zero_times() {
    let kit = kit::small().await;
    let reply = kit.issue("TPL-001", "oops@example.org").await;
    assert_eq!(revoke(&kit, &[reply.data()["badge_id"].as_str().unwrap()]).await, (1, 0));
    kit.minutes(24 * 60);
    assert_eq!(detail(&kit, reply.data()["badge_id"].as_str().unwrap()).await["status_name"], "발급완료");
}

#[tokio::test]
async fn the_same_id_twice_counts_twice_and_is_accepted_once() {
    let kit = kit::small().await;
    let id = kit.issued("twice@example.org").await;
    assert_eq!(revoke(&kit, &[&id, &id]).await, (2, 1));
    assert_eq!(revoke(&kit, &[&id]).await, (1, 0));
    let of = kit.ledger().revokes.into_iter().find(|row| row.badge_id == id).unwrap();
    assert_eq!((of.accepted, of.dropped), (1, 2));
}

#[tokio::test]
async fn a_revocation_holds_at_most_1000_badge_ids() {
    let kit = kit::small().await;
    let id = kit.issued("last@example.org").await;
    let mut ids = vec!["B-none".to_owned(); 1000];
    ids.push(id);
    let body = json!({"badge_ids": ids, "reason": "r"});
    kit.post("/badges/revoke", body.clone()).await.refused(400);
    kit.set("over-limit", "cut");
    let reply = kit.post("/badges/revoke", body).await;
    assert_eq!((&reply.data()["total_count"], &reply.data()["accepted_count"]), (&json!(1001), &json!(0)));
    let reply = kit.post("/badges/revoke", json!({"badge_ids": vec!["x"; 1000], "reason": "r"})).await;
    assert_eq!(reply.status, 202);
}

#[tokio::test]
async fn malformed_revocations_are_refused() {
    let kit = kit::small().await;
    let id = kit.issued("keep@example.org").await;
    for body in [
        json!({"badge_ids": [id]}),
        json!({"badge_ids": [id], "reason": ""}),
        json!({"badge_ids": [id], "reason": "   "}),
        json!({"badge_ids": [id], "reason": 5}),
        json!({"badge_ids": [id], "reason": "x".repeat(2001)}),
        json!({"badge_ids": [], "reason": "r"}),
        json!({"badge_ids": id, "reason": "r"}),
        json!({"badge_ids": [id, 7], "reason": "r"}),
        json!({"badge_ids": [id, null], "reason": "r"}),
        json!({"reason": "r"}),
        json!([]),
    ] {
        kit.post("/badges/revoke", body).await.refused(400);
    }
    assert_eq!(kit.ledger().revokes_accepted(), 0);
}

#[tokio::test]
async fn an_expired_badge_is_still_issued_and_can_be_revoked() {
    let kit = kit::demo().await;
    let row = kit.get("/badges/history?recipient_email=lea@example.org").await.list()[0].clone();
    assert_eq!(row["status_name"], "발급완료");
    assert!(row["valid_until"].as_str().unwrap() < kit::START);
    assert_eq!(revoke(&kit, &[row["badge_id"].as_str().unwrap()]).await, (1, 1));
}

#[tokio::test]
async fn a_badge_of_another_organisation_cannot_be_revoked() {
    let kit = kit::small().await;
    let id = kit.issued("ours@example.org").await;
    let key = kit.sandbox.keys()[0].key.clone();
    let body = serde_json::to_vec(&json!({"badge_ids": [id], "reason": "r"})).unwrap();
    let reply = kit.send(reqwest::Method::POST, "/badges/revoke", Some(&key), Some(body)).await;
    assert_eq!(reply.data()["accepted_count"], 0);
}

#[tokio::test]
async fn the_history_is_filtered_by_the_day_of_revocation() {
    let kit = kit::small().await;
    let id = kit.issued("day@example.org").await;
    revoke(&kit, &[&id]).await;
    let ids = async |from: &str, to: &str| {
        let rows = kit.all(&format!("/badges/history?revoke_start_date={from}&revoke_end_date={to}")).await;
        rows.iter().filter(|row| row["badge_id"] == *id).count()
    };
    assert_eq!(ids("2026-03-12", "2026-03-12").await, 1);
    assert_eq!(ids("2026-03-11", "2026-03-12").await, 1);
    assert_eq!(ids("2026-03-13", "2026-03-14").await, 0);
    assert_eq!(ids("2026-03-10", "2026-03-11").await, 0);
}
