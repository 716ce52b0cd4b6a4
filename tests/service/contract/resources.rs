//! "Resources and their fields", and the endpoints that read one thing or a short list.

use serde_json::Value;

use crate::contract::kit::{self, enc};
use crate::contract::shapes::{BADGE, CATEGORY, HISTORY, LEVEL, TEMPLATE, TEMPLATE_ITEM, WALLET, fields};

#[tokio::test]
async fn every_response_has_code_message_and_data() {
    let kit = kit::small().await;
    for path in ["/ping", "/categories", "/badge-templates", "/badges/history", "/nowhere", "/badges/none"] {
        let reply = kit.get(path).await;
        let mut names: Vec<&String> = reply.body.as_object().unwrap().keys().collect();
        names.sort();
        assert_eq!(names, ["code", "data", "message"], "{path}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn badge_template_list_items_have_the_fields_of_the_contract() {
    let kit = kit::small().await;
    let rows = kit.all("/badge-templates").await;
    assert_eq!(rows.len(), 40);
    for row in &rows {
        fields(row, TEMPLATE_ITEM);
    }
}

#[tokio::test]
async fn badge_template_details_have_the_fields_of_the_contract() {
    let kit = kit::small().await;
    let mut kinds = std::collections::HashSet::new();
    for row in kit.all("/badge-templates").await {
        let reply = kit.get(&format!("/badge-templates/{}", row["template_id"].as_str().unwrap())).await;
        fields(reply.ok().data(), TEMPLATE);
        for name in ["title", "level", "level_name", "use_yn", "reg_date", "image_url", "category_name"] {
            assert_eq!(reply.data()[name], row[name]);
        }
        assert!(reply.data()["skills_tag"].as_array().unwrap().iter().all(Value::is_string));
        kinds.insert(reply.data()["badge_type"].as_str().unwrap().to_owned());
    }
    let all = ["COMPLETE", "COMPETENCY", "ACHIEVE", "PARTICIPATE", "CERTIFICATE"];
    assert_eq!(kinds, all.map(str::to_owned).into());
}

#[tokio::test]
async fn the_template_detail_carries_the_validity_policy() {
    let kit = kit::small().await;
    let policy = async |id: &str| {
        let reply = kit.get(&format!("/badge-templates/{id}")).await;
        let one = |name: &str| reply.data()[name].to_string().replace('"', "");
        [one("validity_type_cd"), one("validity_value"), one("validity_unit_cd"), one("fixed_expire_date")]
            .join(" ")
    };
    assert_eq!(policy("TPL-033").await, "PERIOD 3 MONTH null");
    assert_eq!(policy("TPL-007").await, "PERIOD 2 YEAR null");
    assert_eq!(policy("TPL-040").await, "FIXED 0  2027-12-31");
    assert_eq!(policy("TPL-018").await, "FIXED 0  2024-12-31");
    assert_eq!(policy("TPL-001").await, "NONE 0  null");
}

#[tokio::test]
async fn the_categories_list_is_a_plain_array_of_all_nine() {
    let kit = kit::small().await;
    let reply = kit.get("/categories?page=2&rows_per_page=2").await;
    let list = reply.ok().data().as_array().unwrap().clone();
    assert_eq!(list.len(), 9);
    for one in &list {
        fields(one, CATEGORY);
        assert_eq!(one["levels"].as_array().unwrap().is_empty(), one["level_yn"] == "N");
        for level in one["levels"].as_array().unwrap() {
            fields(level, LEVEL);
        }
        let alone = kit.get(&format!("/categories/{}", one["category_id"].as_str().unwrap())).await;
        assert_eq!(alone.ok().data(), one);
    }
    assert_eq!(list[1]["levels"][3]["level_name"], "Expert");
}

#[tokio::test]
async fn categories_are_filtered_by_use_yn_category_name_and_level_yn() {
    let kit = kit::small().await;
    let count = async |query: &str| {
        kit.get(&format!("/categories?{query}")).await.ok().data().as_array().unwrap().len()
    };
    assert_eq!(count("use_yn=N").await, 1);
    assert_eq!(count("use_yn=Y").await, 8);
    assert_eq!(count("level_yn=N").await, 3);
    assert_eq!(count("level_yn=Y&use_yn=Y").await, 5);
    assert_eq!(count(&format!("category_name={}", enc("디지털"))).await, 1);
    assert_eq!(count("category_name=cloud+%26").await, 1);
    assert_eq!(count("category_name=none").await, 0);
    kit.get("/categories?use_yn=maybe").await.refused(400);
}

#[tokio::test]
async fn templates_are_filtered_by_eight_parameters() {
    let kit = kit::small().await;
    let ids = async |query: &str| -> Vec<String> {
        let rows = kit.all(&format!("/badge-templates?{query}")).await;
        rows.iter().map(|row| row["template_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("template_id=TPL-004").await, ["TPL-004"]);
    assert_eq!(ids("template_id=TPL-00").await.len(), 0);
    assert_eq!(ids(&format!("title={}", enc("파이썬 데이터"))).await, ["TPL-005", "TPL-006"]);
    assert_eq!(ids("use_yn=N").await, ["TPL-018", "TPL-032"]);
    assert_eq!(ids("category_id=C08").await, ["TPL-016", "TPL-017"]);
    assert_eq!(ids("badge_type=COMPETENCY").await.len(), 5);
    assert_eq!(ids("category_level_id=C04-L2").await, ["TPL-007"]);
    assert_eq!(ids("badge_type=CERTIFICATE&category_id=C04&use_yn=Y").await, ["TPL-007", "TPL-008"]);
    let all = kit.all("/badge-templates").await;
    let days: Vec<&str> = all.iter().map(|row| &row["reg_date"].as_str().unwrap()[..10]).collect();
    let from = ids(&format!("reg_str_date={}", days[10])).await;
    assert_eq!(from.len(), days.iter().filter(|day| **day >= days[10]).count());
    let one = ids(&format!("reg_str_date={0}&reg_end_date={0}", days[10])).await;
    assert_eq!(one.len(), days.iter().filter(|day| **day == days[10]).count());
    kit.get("/badge-templates?reg_str_date=yesterday").await.refused(400);
}

#[tokio::test]
async fn badge_details_have_the_fields_of_the_contract() {
    let kit = kit::demo().await;
    let rows = kit.all("/badges/history").await;
    let mut revoked = 0;
    for row in rows.iter().step_by(13) {
        fields(row, HISTORY);
        let reply = kit.get(&format!("/badges/{}", row["badge_id"].as_str().unwrap())).await;
        let detail = reply.ok().data();
        if row["revoke_at"].is_null() {
            fields(detail, BADGE);
            assert!(detail["front_image_url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
        } else {
            fields(detail, &format!("{BADGE} revoke_at:t revoke_reason:s"));
            revoked += 1;
        }
        for name in [
            "title",
            "status_name",
            "recipient_name",
            "recipient_email",
            "valid_until",
            "issued_at",
            "issuing_org",
        ] {
            assert_eq!(detail[name], row[name], "{name}");
        }
    }
    assert!(revoked > 10, "{revoked}");
}

#[tokio::test]
async fn history_items_have_the_fields_of_the_contract() {
    let kit = kit::demo().await;
    for row in kit.all("/badges/history").await {
        fields(&row, HISTORY);
    }
}

#[tokio::test]
async fn wallet_items_have_dates_for_validity_and_relative_image_paths() {
    let kit = kit::demo().await;
    let rows = kit.all("/wallet/badges?email=haneul.lim@example.net").await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        fields(&row, WALLET);
        assert!(row["front_image_url"].as_str().unwrap().starts_with("/images/"));
    }
}

#[tokio::test]
async fn an_unknown_id_is_refused_in_the_envelope() {
    let kit = kit::small().await;
    for path in ["/badges/B-000000001-ZZ", "/badges/x", "/badge-templates/TPL-041", "/categories/C99"] {
        assert_eq!(kit.get(path).await.refused(404).code(), "4004");
    }
}

#[tokio::test]
async fn ids_are_path_segments_and_lead_nowhere_else() {
    let kit = kit::small().await;
    for id in ["../ping", "..", ".", "a/b", "ping?x", "B 1", "%", "\u{0}", "배지", "history/"] {
        let reply = kit.get(&format!("/badges/{}", enc(id).replace('.', "%2E"))).await;
        assert!(matches!(reply.status, 404 | 405), "{id}: {}", reply.body);
        assert_eq!(reply.data(), &Value::Null);
    }
}

#[tokio::test]
async fn badge_types_can_be_read() {
    let kit = kit::small().await;
    let reply = kit.get("/badge-types").await;
    assert_eq!(reply.ok().data().as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn the_date_header_is_the_service_s_own_time() {
    let kit = kit::small().await;
    kit.set("waiting-history", "visible");
    assert_eq!(kit.get("/ping").await.header("date"), Some("Wed, 11 Mar 2026 01:30:00 GMT"));
    kit.minutes(60);
    assert_eq!(kit.get("/ping").await.header("date"), Some("Wed, 11 Mar 2026 02:30:00 GMT"));
    let reply = kit.issue("TPL-001", "clock@example.org").await;
    let id = reply.data()["badge_id"].as_str().unwrap().to_owned();
    let row = &kit.get("/badges/history?recipient_email=clock@example.org").await.list()[0].clone();
    assert_eq!(
        (row["badge_id"].as_str(), row["reg_date"].as_str()),
        (Some(&*id), Some("2026-03-11 11:30:00"))
    );
}
