//! "GET /wallet/badges".

use serde_json::json;

use crate::contract::kit::{self, enc};

#[tokio::test]
async fn the_wallet_is_looked_up_by_email_which_is_required() {
    let kit = kit::demo().await;
    kit.get("/wallet/badges").await.refused(400);
    kit.get("/wallet/badges?email=").await.refused(400);
    kit.get("/wallet/badges?mail=lea@example.org").await.refused(400);
    let reply = kit.get("/wallet/badges?email=lea%40example.org").await;
    assert_eq!((reply.ok().total(), &reply.list()[0]["recipient_name"]), (1, &json!("Lea O'Connor-Kim")));
    for nobody in ["lea", "@", "lea%25", "nobody@example.org", "lea@example.org%20", "%00", &"x".repeat(5000)]
    {
        assert_eq!(kit.get(&format!("/wallet/badges?email={nobody}")).await.ok().total(), 0, "{nobody}");
    }
}

#[tokio::test]
async fn a_shared_mailbox_holds_the_badges_of_fourteen_people() {
    let kit = kit::demo().await;
    let rows = kit.all("/wallet/badges?email=safety@moondeck.example").await;
    let names: std::collections::HashSet<&str> =
        rows.iter().map(|row| row["recipient_name"].as_str().unwrap()).collect();
    assert_eq!((rows.len(), names.len()), (14, 14));
}

#[tokio::test]
async fn what_the_wallet_hides_is_switched() {
    let kit = kit::demo().await;
    let total = async |mail: &str| kit.get(&format!("/wallet/badges?email={mail}")).await.ok().total();
    assert_eq!(total("seoyun.han@naru.example").await, 0, "waiting");
    assert_eq!(total("taeo.yoon@bluewhale.example").await, 1, "revoked");
    assert_eq!(total("lea@example.org").await, 1, "expired");
    for (name, value) in
        [("wallet-waiting", "shown"), ("wallet-revoked", "hidden"), ("wallet-expired", "hidden")]
    {
        kit.set(name, value);
    }
    assert_eq!(total("seoyun.han@naru.example").await, 1);
    assert_eq!(total("taeo.yoon@bluewhale.example").await, 0);
    assert_eq!(total("lea@example.org").await, 0);
    assert_eq!(total("haneul.lim@example.net").await, 1, "the valid copy is left");
    assert_eq!(total("min.ng@example.com").await, 1);
    kit.minutes(10 * 24 * 60);
    assert_eq!(total("min.ng@example.com").await, 0, "it expires while one looks");
}

#[tokio::test]
async fn letter_case_and_the_form_of_dates_are_switched() {
    let kit = kit::demo().await;
    let total = async |mail: &str| kit.get(&format!("/wallet/badges?email={mail}")).await.ok().total();
    assert_eq!(total("LEA@Example.ORG").await, 1);
    kit.set("wallet-case", "sensitive");
    assert_eq!(total("LEA@Example.ORG").await, 0);
    assert_eq!(total("lea@example.org").await, 1);
    let until =
        async || kit.get("/wallet/badges?email=lea@example.org").await.list()[0]["valid_until"].clone();
    assert_eq!(until().await, "2026-02-27");
    kit.set("wallet-valid-until", "timestamp");
    assert_eq!(until().await, "2026-02-27 10:30:00");
}

#[tokio::test]
async fn badges_of_other_organisations_are_hidden_or_shown() {
    let kit = kit::demo().await;
    let path = format!("/wallet/badges?email={}", enc("safety@moondeck.example"));
    assert_eq!(kit.get_as("dalmuri", &path).await.ok().total(), 0);
    kit.set("wallet-other-orgs", "shown");
    let reply = kit.get_as("dalmuri", &path).await;
    assert_eq!(reply.total(), 14);
    assert!(reply.list()[0]["issuing_org"].as_str().unwrap().starts_with("너른별"));
}
