//! "POST /badges", "POST /badges/batch" and the life of a badge until it is issued.

use serde_json::{Value, json};

use crate::contract::kit::{self, Kit, enc};

fn people(count: usize) -> Vec<Value> {
    (0..count)
        .map(|at| json!({"recipient_name": format!("사람 {at}"), "recipient_email": format!("p{at}@example.org")}))
        .collect()
}

async fn state(kit: &Kit, id: &str) -> String {
    let reply = kit.get(&format!("/badges/{id}")).await;
    reply.ok().data()["status_name"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_issue_request_is_accepted_with_202_code_0002_an_id_and_issue_wait() {
    let kit = kit::small().await;
    let reply = kit.issue("TPL-001", "one@example.org").await;
    assert_eq!((reply.status, reply.code()), (202, "0002"));
    assert_eq!(reply.data()["status_cd"], "ISSUE_WAIT");
    assert_eq!(reply.data().as_object().unwrap().len(), 2);
    let ledger = kit.ledger();
    assert_eq!(ledger.accepted_for("TPL-001", "one@example.org"), 1);
    assert_eq!(ledger.accepted[0].badge_ids[0], reply.data()["badge_id"].as_str().unwrap());
}

#[tokio::test]
async fn issuing_takes_between_5_minutes_and_1_day_after_acceptance() {
    let kit = kit::small().await;
    let mut waiting = Vec::new();
    for chunk in people(300).chunks(100) {
        let reply = kit.post("/badges/batch", json!({"template_id": "TPL-019", "recipients": chunk})).await;
        waiting.extend(reply.data()["items"].as_array().unwrap().iter().map(|item| item["badge_id"].clone()));
    }
    let issued = async || {
        let rows = kit.all("/badges/history?title=Python+Foundations").await;
        rows.iter()
            .filter(|row| waiting.contains(&row["badge_id"]) && row["status_name"] == "발급완료")
            .count()
    };
    kit.control().advance(std::time::Duration::from_secs(299));
    assert_eq!(issued().await, 0, "nothing is issued within five minutes");
    kit.minutes(5);
    let early = issued().await;
    assert!(early > 100 && early < 300, "{early}");
    kit.minutes(24 * 60);
    assert_eq!(issued().await, 300, "everything is issued after a day");
}

#[tokio::test]
async fn an_issued_badge_is_visible_in_detail_and_history_with_its_times() {
    let kit = kit::with(&[("issue-time", "5m")]).await;
    let reply = kit.issue("TPL-034", "times@example.org").await;
    let id = reply.data()["badge_id"].as_str().unwrap().to_owned();
    assert_eq!(state(&kit, &id).await, "발급대기");
    let waiting = kit.get(&format!("/badges/{id}")).await;
    assert_eq!(waiting.data()["issued_at"], "2026-03-11 10:30:00", "never null: the time of acceptance");
    kit.minutes(5);
    assert_eq!(state(&kit, &id).await, "발급완료");
    let row = kit.get("/badges/history?recipient_email=times@example.org").await.list()[0].clone();
    assert_eq!(row["issued_at"], "2026-03-11 10:35:00");
    assert_eq!(row["reg_date"], "2026-03-11 10:30:00");
    assert_eq!(row["valid_until"], "2027-03-11 23:59:59");
}

#[tokio::test]
async fn a_batch_answers_totals_and_an_item_per_recipient() {
    let kit = kit::small().await;
    let reply =
        kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": people(1000)})).await;
    assert_eq!((reply.status, reply.code()), (202, "0002"));
    assert_eq!((&reply.data()["total_count"], &reply.data()["accepted_count"]), (&json!(1000), &json!(1000)));
    let items = reply.data()["items"].as_array().unwrap();
    assert_eq!(items.len(), 1000);
    for (at, item) in items.iter().enumerate() {
        assert_eq!(item["recipient_email"], format!("p{at}@example.org"));
        assert_eq!(item["status_cd"], "ISSUE_WAIT");
        assert_eq!(item.as_object().unwrap().len(), 3);
    }
    assert_eq!(kit.ledger().accepted_total(), 1000);
}

#[tokio::test]
async fn completion_is_checked_through_the_history_by_recipient_email_and_title() {
    let kit = kit::small().await;
    kit.post("/badges/batch", json!({"template_id": "TPL-012", "recipients": people(3)})).await;
    kit.minutes(24 * 60);
    let path = format!("/badges/history?recipient_email=p1%40example.org&title={}", enc("신입생 캠프 참여"));
    let reply = kit.get(&path).await;
    assert_eq!((reply.total(), &reply.list()[0]["status_name"]), (1, &json!("발급완료")));
}

#[tokio::test]
async fn the_same_request_twice_makes_two_badges() {
    let kit = kit::small().await;
    let ids: Vec<Value> =
        [kit.issue("TPL-001", "t@example.org").await, kit.issue("TPL-001", "t@example.org").await]
            .iter()
            .map(|reply| reply.data()["badge_id"].clone())
            .collect();
    assert_ne!(ids[0], ids[1]);
    assert_eq!(kit.ledger().accepted_for("TPL-001", "T@example.org"), 2);
}

#[tokio::test]
async fn a_batch_holds_at_most_1000_entries() {
    let kit = kit::small().await;
    let body = json!({"template_id": "TPL-001", "recipients": people(1001)});
    kit.post("/badges/batch", body.clone()).await.refused(400);
    assert_eq!(kit.ledger().accepted_total(), 0);
    kit.set("over-limit", "cut");
    let reply = kit.post("/badges/batch", body).await;
    assert_eq!((&reply.data()["total_count"], &reply.data()["accepted_count"]), (&json!(1001), &json!(1000)));
    assert_eq!((kit.ledger().accepted_total(), kit.ledger().violations.over_limit), (1000, 2));
}

#[tokio::test]
async fn missing_and_malformed_fields_are_refused_and_nothing_is_issued() {
    let kit = kit::small().await;
    let good = json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": "a@example.org"});
    for name in ["template_id", "recipient_name", "recipient_email"] {
        for wrong in [
            None,
            Some(json!(null)),
            Some(json!("")),
            Some(json!("  ")),
            Some(json!(7)),
            Some(json!([])),
            Some(json!("a\u{0}b")),
        ] {
            let mut body = good.clone();
            let fields = body.as_object_mut().unwrap();
            match &wrong {
                None => fields.remove(name),
                Some(value) => fields.insert(name.to_owned(), value.clone()),
            };
            let reply = kit.post("/badges", body).await;
            reply.refused(400);
            assert!(reply.message().contains(name), "{name} {wrong:?}: {}", reply.message());
        }
    }
    for mail in ["none", "a@", "@b", "a b@example.org", "a@b@c"] {
        kit.issue("TPL-001", mail).await.refused(400);
    }
    kit.issue("TPL-999", "a@example.org").await.refused(404);
    kit.issue("TPL-018", "a@example.org").await.refused(400);
    assert_eq!(kit.ledger().accepted_total(), 0);
}

#[tokio::test]
async fn unknown_fields_of_a_body_are_ignored() {
    let kit = kit::small().await;
    let body = json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": "a@example.org", "extra": {"x": [1]}});
    assert_eq!(kit.post("/badges", body).await.status, 202);
}

#[tokio::test]
async fn a_bad_row_refuses_the_batch_or_is_skipped() {
    let kit = kit::small().await;
    let mut recipients = people(3);
    recipients[1] = json!({"recipient_name": "B"});
    let body = json!({"template_id": "TPL-001", "recipients": recipients});
    let reply = kit.post("/badges/batch", body.clone()).await;
    assert!(reply.refused(400).message().contains("recipients[1]"));
    assert_eq!(kit.ledger().accepted_total(), 0);
    kit.set("bad-row", "skip");
    let reply = kit.post("/badges/batch", body).await;
    assert_eq!((&reply.data()["total_count"], &reply.data()["accepted_count"]), (&json!(3), &json!(2)));
    assert_eq!(reply.data()["items"][1]["recipient_email"], "p2@example.org");
}

#[tokio::test]
async fn names_and_addresses_come_back_as_they_were_sent() {
    let kit = kit::small().await;
    kit.set("waiting-history", "visible");
    let people = [
        ("김 민수", "Kim.Min+a@Example.org"),
        ("علي حسن", "ali@example.org"),
        ("👩‍🚀 Eve \u{202e}x", "o'neil@example.org"),
        ("\u{1b}[31mRed", "홍길동@예시.example"),
    ];
    for (name, mail) in people {
        let body = json!({"template_id": "TPL-001", "recipient_name": name, "recipient_email": mail});
        let reply = kit.post("/badges", body).await;
        let detail = kit.get(&format!("/badges/{}", reply.data()["badge_id"].as_str().unwrap())).await;
        assert_eq!(
            (&detail.data()["recipient_name"], &detail.data()["recipient_email"]),
            (&json!(name), &json!(mail))
        );
        let row = kit.get(&format!("/badges/history?recipient_email={}", enc(mail))).await;
        assert_eq!(row.total(), 1, "{mail}");
    }
}

#[tokio::test]
async fn a_badge_of_one_organisation_is_not_seen_by_another() {
    let kit = kit::small().await;
    let id = kit.issued("mine@example.org").await;
    kit.get_as("dalmuri", &format!("/badges/{id}")).await.refused(404);
    assert_eq!(kit.get_as("dalmuri", "/badges/history?recipient_email=mine@example.org").await.total(), 0);
}

#[tokio::test]
async fn concurrent_issues_are_all_counted_once() {
    let kit = kit::small().await;
    let mut tasks = Vec::new();
    for at in 0..40 {
        let (http, url, key) = (
            kit.http.clone(),
            format!("{}/badges", kit.sandbox.base_url()),
            kit.sandbox.api_key().to_owned(),
        );
        tasks.push(tokio::spawn(async move {
            let body = json!({"template_id": "TPL-001", "recipient_name": "A", "recipient_email": format!("c{at}@example.org")});
            let reply = http.post(url).header("X-API-Key", key).json(&body).send().await.unwrap();
            let body: Value = reply.json().await.unwrap();
            body["data"]["badge_id"].as_str().unwrap().to_owned()
        }));
    }
    let mut ids = std::collections::HashSet::new();
    for task in tasks {
        ids.insert(task.await.unwrap());
    }
    assert_eq!((ids.len(), kit.ledger().accepted_total()), (40, 40));
}
