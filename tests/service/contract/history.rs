//! "GET /badges/history" and its filters.

use crate::contract::kit::{self, enc};

#[tokio::test]
async fn the_history_is_filtered_by_name_address_and_title() {
    let kit = kit::demo().await;
    kit.set("waiting-history", "visible");
    let total = async |query: &str| kit.get(&format!("/badges/history?{query}")).await.ok().total();
    assert_eq!(total(&format!("recipient_name={}", enc("윤태오"))).await, 1);
    assert_eq!(total("recipient_email=seoyun.han%40naru.example").await, 1);
    assert_eq!(total("recipient_email=SEOYUN.HAN@naru.example").await, 1);
    assert_eq!(total("recipient_email=seoyun").await, 0);
    assert_eq!(total("recipient_email=%25").await, 0, "a percent sign is a percent sign");
    assert_eq!(total("recipient_name=_").await, 0, "an underscore is an underscore");
    let both = total(&format!("title={}", enc("파이썬 데이터 분석 수료"))).await;
    let deep = total(&format!("title={}", enc("파이썬 데이터 분석 수료 (심화)"))).await;
    assert!(deep > 0 && deep < both, "a title inside another title");
    assert_eq!(total("title=no+such+title").await, 0);
    assert_eq!(total(&format!("title={}&recipient_name={}", enc("총장"), enc("없는 사람"))).await, 0);
}

#[tokio::test]
async fn a_plus_in_an_address_must_be_encoded() {
    let kit = kit::small().await;
    kit.set("waiting-history", "visible");
    kit.issue("TPL-001", "a+b@example.org").await;
    assert_eq!(kit.get("/badges/history?recipient_email=a%2Bb@example.org").await.total(), 1);
    assert_eq!(kit.get("/badges/history?recipient_email=a+b@example.org").await.total(), 0);
}

#[tokio::test]
async fn filters_are_exact_or_partial_and_mind_case_or_not() {
    let kit = kit::demo().await;
    let total = async |query: &str| kit.get(&format!("/badges/history?{query}")).await.ok().total();
    assert!(total("recipient_name=o%27connor").await > 0);
    kit.set("filter-case", "sensitive");
    assert_eq!(total("recipient_name=o%27connor").await, 0);
    assert!(total("recipient_name=O%27Connor").await > 0);
    assert_eq!(total("recipient_email=LEA@example.org").await, 0);
    kit.set("name-match", "exact");
    assert_eq!(total("recipient_name=O%27Connor").await, 0);
    assert_eq!(total("recipient_name=Lea+O%27Connor-Kim").await, 1);
    kit.set("email-match", "partial");
    assert_eq!(total("recipient_email=strictgate.example").await, 45);
    assert!(total("recipient_email=a%40example.org").await >= 1);
    let part = total("title=Machine").await;
    kit.set("title-match", "exact");
    assert!(part > 0 && total("title=Machine").await == 0);
    assert_eq!(total("title=Machine+Learning+Practitioner").await, part);
}

#[tokio::test]
async fn the_issue_range_includes_both_days() {
    let kit = kit::demo().await;
    let rows = kit.all("/badges/history").await;
    let total = async |query: &str| kit.get(&format!("/badges/history?{query}")).await.ok().total() as usize;
    let day = |row: &serde_json::Value| row["issued_at"].as_str().map(|at| at[..10].to_owned());
    let (from, to) = ("2026-01-10", "2026-02-20");
    let count = |keep: &dyn Fn(&str) -> bool| {
        rows.iter().filter(|row| day(row).is_some_and(|day| keep(&day))).count()
    };
    assert_eq!(total(&format!("issue_start_date={from}")).await, count(&|day| day >= from));
    assert_eq!(total(&format!("issue_end_date={to}")).await, count(&|day| day <= to));
    let both = count(&|day| day >= from && day <= to);
    assert!(both > 50);
    assert_eq!(total(&format!("issue_start_date={from}&issue_end_date={to}")).await, both);
    assert_eq!(total(&format!("issue_start_date={to}&issue_end_date={from}")).await, 0);
    kit.set("date-end", "exclusive");
    let less = count(&|day| day >= from && day < to);
    assert_eq!(total(&format!("issue_start_date={from}&issue_end_date={to}")).await, less);
    kit.set("issue-date-on", "reg_date");
    let registered = rows.iter().filter(|row| &row["reg_date"].as_str().unwrap()[..10] >= from).count();
    assert_eq!(total(&format!("issue_start_date={from}")).await, registered);
    for wrong in [
        "issue_start_date=2026-02-30",
        "issue_end_date=20260101",
        "revoke_start_date=x",
        "revoke_end_date=2026-1-1",
    ] {
        kit.get(&format!("/badges/history?{wrong}")).await.refused(400);
    }
    kit.set("bad-date", "ignore");
    assert_eq!(total("issue_start_date=x").await, rows.len());
}

#[tokio::test]
async fn waiting_badges_are_visible_or_hidden() {
    let kit = kit::demo().await;
    let jiho = "/badges/history?recipient_email=jiho.oh@naru.example";
    assert_eq!(kit.get(jiho).await.total(), 0, "hidden is the default");
    kit.set("waiting-history", "visible");
    let row = kit.get(jiho).await.list()[0].clone();
    assert_eq!((row["status_name"].as_str(), &row["issued_at"]), (Some("발급대기"), &row["reg_date"]));
    let detail = format!("/badges/{}", row["badge_id"].as_str().unwrap());
    kit.get(&detail).await.ok();
    kit.set("waiting-issued-at", "null");
    assert!(kit.get(jiho).await.list()[0]["issued_at"].is_null());
    kit.set("waiting-history", "hidden");
    assert_eq!(kit.get("/badges/history").await.total(), 4300 - 172);
    kit.set("waiting-detail", "hidden");
    kit.get(&detail).await.refused(404);
    let reply = kit.issue("TPL-001", "hidden@example.org").await;
    let mine = "/badges/history?recipient_email=hidden@example.org";
    assert_eq!(kit.get(mine).await.total(), 0);
    kit.minutes(24 * 60);
    assert_eq!(kit.get(mine).await.list()[0]["badge_id"], reply.data()["badge_id"]);
    assert_eq!(kit.get("/badges/history").await.total(), 4300 - 4 + 1, "only the overdue ones are left");
}

#[tokio::test]
async fn a_jump_of_the_clock_moves_badges_on_in_lists_that_were_read_before() {
    let kit = kit::demo().await;
    kit.set("waiting-history", "visible");
    let list = "/badges/history?sort_by=status_name&sort_type=ASC&recipient_email=seoyun.han@naru.example";
    assert_eq!(kit.get(list).await.list()[0]["status_name"], "발급대기");
    let waiting = async || {
        let rows = kit.all("/badges/history?sort_by=status_name&sort_type=ASC").await;
        rows.iter().filter(|row| row["status_name"] == "발급대기").count()
    };
    assert_eq!(waiting().await, 172);
    kit.minutes(20 * 60);
    assert_eq!(kit.get(list).await.list()[0]["status_name"], "발급완료");
    let later = waiting().await;
    assert!(later < 100, "{later}");
    kit.minutes(24 * 60);
    assert_eq!(waiting().await, 4);
}

#[tokio::test]
async fn labels_are_korean_english_mixed_or_unknown() {
    let kit = kit::demo().await;
    kit.set("waiting-history", "visible");
    let labels = async || -> std::collections::BTreeSet<String> {
        let rows = kit.all("/badges/history").await;
        rows.iter().map(|row| row["status_name"].as_str().unwrap().to_owned()).collect()
    };
    let odd = ["발급보류", "심사중", "이의신청중", "SUSPENDED"];
    let with = |words: &[&str]| words.iter().chain(&odd).map(|word| (*word).to_owned()).collect();
    assert_eq!(labels().await, with(&["발급대기", "발급완료", "회수중", "회수완료"]));
    kit.set("labels", "en");
    assert_eq!(labels().await, with(&["Waiting", "Issued", "Revoking", "Revoked"]));
    kit.set("labels", "mixed");
    assert_eq!(labels().await.len(), 12);
    kit.set("labels", "other");
    assert!(!labels().await.contains("발급완료"));
}
