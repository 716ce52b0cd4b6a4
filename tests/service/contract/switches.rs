//! Every switch: it can be set, and with it the service still answers.

use lapel::sandbox::GAPS;
use serde_json::{Value, json};

use crate::contract::kit;

/// What a client does in a day, in requests.
const DAY: [&str; 12] = [
    "/ping",
    "/badge-types",
    "/categories",
    "/badge-templates?sort_by=title&sort_type=DESC",
    "/badge-templates/TPL-001",
    "/badge-templates/TPL-033",
    "/badges/history?page=0&rows_per_page=0",
    "/badges/history?page=9999&title=a&recipient_email=e&recipient_name=a&issue_start_date=2020-01-01",
    "/badges/history?sort_by=status_name&sort_type=ASC",
    "/badges/none",
    "/wallet/badges?email=haneul.lim@example.net",
    "/wallet/badges?email=seoyun.han@naru.example",
];

#[tokio::test]
async fn with_any_value_of_any_switch_the_service_answers_json() {
    let kit = kit::small().await;
    kit.control().set_rate_limit(u32::MAX);
    kit.set("waiting-history", "visible");
    let rows = kit.all("/badges/history").await;
    let id = rows[0]["badge_id"].as_str().unwrap().to_owned();
    for gap in GAPS {
        for (value, _) in gap.values {
            kit.set(gap.name, value);
            for path in DAY {
                let reply = kit.get(path).await;
                assert!(reply.status < 500, "{}={value} {path}: {}", gap.name, reply.body);
            }
            kit.get(&format!("/badges/{id}")).await;
            let reply = kit.issue("TPL-001", "Switch@Example.org").await;
            assert_eq!(reply.status, 202, "{}={value}: {}", gap.name, reply.body);
        }
        kit.set(gap.name, gap.default);
    }
    kit.set("waiting-history", "visible");
    let words: usize = GAPS.iter().map(|gap| gap.values.len()).sum();
    assert_eq!(kit.ledger().accepted_total() as usize, words);
    assert_eq!(kit.get("/badges/history").await.ok().total() as usize, rows.len() + words);
}

#[tokio::test]
async fn the_answers_bend_as_the_switches_say() {
    let kit = kit::demo().await;
    let history = "/badges/history?recipient_email=taeo.yoon@bluewhale.example";
    let valid = "/badges/history?recipient_email=hong.c@naru.example";
    let row = async |path: &str| kit.get(path).await.body["data"]["list"][0].clone();
    let cases: [(&str, &str, &str, &str, Value); 34] = [
        ("no-expiry", "9999", valid, "/data/list/0/valid_until", json!("9999-12-31 23:59:59")),
        (
            "no-expiry",
            "0000",
            "/wallet/badges?email=hong.c@naru.example",
            "/data/list/0/valid_until",
            json!("0000-00-00"),
        ),
        ("numbers", "string", valid, "/data/total_count", json!("1")),
        ("numbers", "string", valid, "/data/list/0/rnum", json!("1")),
        ("code-form", "number", "/ping", "/code", json!(1)),
        ("code-form", "unknown", "/ping", "/code", json!("0777")),
        ("yes-no", "lower", "/categories", "/data/0/use_yn", json!("y")),
        ("yes-no", "bool", "/categories", "/data/8/use_yn", json!(false)),
        ("yes-no", "null", "/categories", "/data/8/use_yn", json!(null)),
        ("nulls", "empty", valid, "/data/list/0/revoke_at", json!("")),
        ("total-count", "null", valid, "/data/total_count", json!(null)),
        ("total-count", "short", valid, "/data/total_count", json!(0)),
        ("total-count", "huge", valid, "/data/total_count", json!(9_001_000)),
        ("total-count", "negative", valid, "/data/total_count", json!(-1)),
        ("rnum", "desc", "/badge-templates", "/data/list/0/rnum", json!(40)),
        ("rnum", "page", "/badge-templates?page=2", "/data/list/0/rnum", json!(1)),
        ("max-rows", "50", "/badges/history?rows_per_page=100", "/data/rows_per_page", json!(50)),
        ("beyond-end", "last", "/badge-templates?page=99", "/data/page", json!(2)),
        ("beyond-end", "404", "/badge-templates?page=99", "/data", json!(null)),
        ("rows-zero", "empty", "/badge-templates?rows_per_page=0", "/data/list", json!([])),
        ("page-zero", "400", "/badge-templates?page=0", "/data", json!(null)),
        ("bad-number", "default", "/badge-templates?page=x", "/data/page", json!(1)),
        ("unknown-id", "200-null", "/badges/none", "/code", json!("0001")),
        ("not-found-code", "X1", "/badges/none", "/code", json!("X1")),
        ("badge-types", "paged", "/badge-types", "/data/total_count", json!(5)),
        ("badge-types", "names", "/badge-types", "/data/0", json!("COMPLETE")),
        (
            "template-skills",
            "comma",
            "/badge-templates/TPL-001",
            "/data/skills_tag",
            json!("문서 작성, 정보 검색"),
        ),
        ("no-level", "null", "/badge-templates/TPL-033", "/data/level", json!(null)),
        ("zone", "Z", history, "/data/list/0/revoke_at", json!("")),
        (
            "image-urls",
            "relative",
            "/badge-templates/TPL-001",
            "/data/image_url",
            json!("/images/TPL-001/front.png"),
        ),
        ("image-urls", "null", "/badge-templates/TPL-001", "/data/image_url", json!(null)),
        ("email-status", "null", valid, "/data/list/0/email_status", json!(null)),
        ("email-status", "other", valid, "/data/list/0/email_status", json!("중계서버 위탁")),
        ("labels", "codes", valid, "/data/list/0/status_name", json!("ISSUED")),
    ];
    for (name, value, path, pointer, wanted) in cases {
        let before = kit.get(path).await.body.pointer(pointer).cloned();
        kit.set(name, value);
        let after = kit.get(path).await.body.pointer(pointer).cloned();
        kit.set(name, GAPS.iter().find(|gap| gap.name == name).unwrap().default);
        if name == "zone" {
            assert_ne!(before, after, "times are in the service's zone");
        } else {
            assert_eq!(after, Some(wanted), "{name}={value}");
            assert_ne!(before, after, "{name}={value} changes nothing");
        }
    }
    for (name, value, gone) in [
        ("no-revoke-history", "absent", "revoke_at"),
        ("email-status", "absent", "email_status"),
        ("rnum", "absent", "rnum"),
        ("nulls", "absent", "revoke_at"),
    ] {
        assert!(row(valid).await.get(gone).is_some());
        kit.set(name, value);
        assert!(row(valid).await.get(gone).is_none(), "{name}={value}");
        kit.set(name, GAPS.iter().find(|gap| gap.name == name).unwrap().default);
    }
    kit.set("extra-fields", "some");
    assert!(row(valid).await.get("x_later_field").is_some());
}

#[tokio::test]
async fn the_envelope_can_be_incomplete_or_missing() {
    let kit = kit::small().await;
    for (value, gone) in [("no-code", "code"), ("no-message", "message"), ("no-data", "data")] {
        kit.set("envelope", value);
        let body = kit.get("/ping").await.body;
        assert!(body.get(gone).is_none() && body.as_object().unwrap().len() == 2, "{value}");
    }
    kit.set("envelope", "bare");
    assert_eq!(kit.get("/ping").await.body, json!({"status": "ok", "apikey_prefix": "dmu_test_"}));
}

#[tokio::test]
async fn issuing_bends_too() {
    let kit = kit::small().await;
    kit.set("stored-mail", "lower");
    let reply = kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": [{"recipient_name": "A", "recipient_email": "BIG@Example.org"}]})).await;
    assert_eq!(reply.data()["items"][0]["recipient_email"], "big@example.org");
    kit.set("twin-rows", "first");
    let twins = json!([{"recipient_name": "A", "recipient_email": "t@example.org"}, {"recipient_name": "B", "recipient_email": "T@example.org"}]);
    let reply = kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": twins})).await;
    assert_eq!((&reply.data()["total_count"], &reply.data()["accepted_count"]), (&json!(2), &json!(1)));
    kit.set("retired-template", "accept");
    assert_eq!(kit.issue("TPL-018", "old@example.org").await.status, 202);
    kit.set("unknown-template", "400");
    kit.issue("TPL-999", "x@example.org").await.refused(400);
    kit.set("email-check", "none");
    assert_eq!(kit.issue("TPL-001", "not an address").await.status, 202);
    kit.set("empty-batch", "accept");
    let reply = kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": []})).await;
    assert_eq!((reply.status, &reply.data()["accepted_count"]), (202, &json!(0)));
    kit.set("issue-time", "never");
    let id = kit.issued("never@example.org").await;
    assert_eq!(kit.get(&format!("/badges/{id}")).await.data()["status_name"], "발급대기");
    kit.set("issue-time", "1d");
    let id = kit.issued("slow@example.org").await;
    assert_eq!(kit.get(&format!("/badges/{id}")).await.data()["issued_at"], "2026-03-13 10:30:00");
    kit.set("revoke-time", "instant");
    kit.post("/badges/revoke", json!({"badge_ids": [id], "reason": "r"})).await;
    assert_eq!(kit.get(&format!("/badges/{id}")).await.data()["status_name"], "회수완료");
}
