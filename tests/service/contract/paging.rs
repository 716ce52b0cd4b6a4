//! "Common list query parameters" and the paging limits, on all three paged lists.

use serde_json::{Value, json};

use crate::contract::kit::{self, Kit};

/// The paged lists, each with more than one page.
const LISTS: [&str; 3] = ["/badge-templates?", "/badges/history?", "/wallet/badges?email=busy@example.org&"];

async fn kit_with_a_busy_holder() -> Kit {
    let kit = kit::small().await;
    let recipients: Vec<Value> = (0..130)
        .map(|at| json!({"recipient_name": format!("N{at:03}"), "recipient_email": "busy@example.org"}))
        .collect();
    kit.post("/badges/batch", json!({"template_id": "TPL-001", "recipients": recipients})).await;
    kit.minutes(24 * 60);
    kit
}

#[tokio::test]
async fn page_defaults_to_1_and_rows_per_page_to_20() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        let plain = kit.get(list.trim_end_matches(['?', '&'])).await;
        assert_eq!(plain.ok().list().len(), 20, "{list}");
        assert_eq!((&plain.data()["page"], &plain.data()["rows_per_page"]), (&json!(1), &json!(20)));
        assert_eq!(plain.data().as_object().unwrap().len(), 4);
        let same = kit.get(&format!("{list}page=1&rows_per_page=20")).await;
        assert_eq!(same.data(), plain.data());
    }
}

#[tokio::test]
async fn pages_cover_the_whole_result_once_and_rnum_is_the_position() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        let whole = kit.all(list.trim_end_matches(['?', '&'])).await;
        let total = kit.get(list.trim_end_matches(['?', '&'])).await.total();
        assert_eq!(whole.len() as i64, total, "{list}");
        for rows in [1, 7, 33, 100] {
            let mut at = 0;
            for page in 1..=(total + rows - 1) / rows {
                if page > 6 && page + 2 < total / rows {
                    at += rows as usize;
                    continue;
                }
                let reply = kit.get(&format!("{list}page={page}&rows_per_page={rows}")).await;
                assert_eq!(reply.total(), total);
                for row in reply.list() {
                    assert_eq!(row, &whole[at]);
                    assert_eq!(row["rnum"], json!(at + 1));
                    at += 1;
                }
            }
            assert_eq!(at as i64, total, "{list} {rows}");
        }
    }
}

#[tokio::test]
async fn negative_paging_values_and_rows_per_page_above_100_are_400() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        for wrong in [
            "page=-1",
            "page=-99999999999999999999",
            "rows_per_page=-1",
            "rows_per_page=101",
            "rows_per_page=1000000",
            "rows_per_page=99999999999999999999999",
            "page=abc",
            "page=1.5",
            "rows_per_page=ten",
            "page=%00",
            "page=0x1",
        ] {
            kit.get(&format!("{list}{wrong}")).await.refused(400);
        }
        kit.get(&format!("{list}rows_per_page=100")).await.ok();
    }
    assert_eq!(kit.ledger().violations.bad_paging, 33);
}

#[tokio::test]
async fn a_page_beyond_the_end_is_empty() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        for page in ["1000", "999999999999", "18446744073709551615", "99999999999999999999999999"] {
            let reply = kit.get(&format!("{list}page={page}")).await;
            assert!(reply.ok().list().is_empty(), "{list} {page}");
            assert!(reply.total() > 20);
        }
    }
}

#[tokio::test]
async fn page_zero_rows_zero_and_empty_values_are_the_defaults() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        let reply = kit.get(&format!("{list}page=0&rows_per_page=0")).await;
        assert_eq!((reply.ok().list().len(), &reply.data()["page"]), (20, &json!(1)));
        let reply = kit.get(&format!("{list}page=&rows_per_page=&sort_by=&title=")).await;
        assert_eq!(reply.ok().list().len(), 20);
    }
}

/// Sort keys: numbers as numbers, texts by their bytes, null first.
fn key(value: &Value) -> (bool, i64, String) {
    (!value.is_null(), value.as_i64().unwrap_or(0), value.as_str().unwrap_or("").to_owned())
}

#[tokio::test]
async fn every_column_of_every_list_can_be_sorted_by_in_both_directions() {
    let kit = kit_with_a_busy_holder().await;
    for list in LISTS {
        let rows = kit.all(list.trim_end_matches(['?', '&'])).await;
        let columns: Vec<String> =
            rows[0].as_object().unwrap().keys().filter(|name| *name != "rnum").cloned().collect();
        for column in columns {
            if column == "issuing_org" {
                continue;
            }
            for direction in ["ASC", "desc"] {
                let sorted = kit.all(&format!("{list}sort_by={column}&sort_type={direction}")).await;
                assert_eq!(sorted.len(), rows.len());
                let keys: Vec<_> = sorted.iter().map(|row| key(&row[&column])).collect();
                let right =
                    if direction == "ASC" { keys.is_sorted() } else { keys.is_sorted_by(|a, b| a >= b) };
                assert!(right, "{list} {column} {direction}");
            }
        }
    }
}

#[tokio::test]
async fn repeated_sort_by_and_sort_type_are_pairs_in_order() {
    let kit = kit::small().await;
    let rows = kit
        .all("/badges/history?sort_by=category_name&sort_type=DESC&sort_by=recipient_name&sort_type=ASC&sort_by=badge_id")
        .await;
    let keys: Vec<_> = rows
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (std::cmp::Reverse(text("category_name")), text("recipient_name"), text("badge_id"))
        })
        .collect();
    assert!(keys.is_sorted());
    let encoded = kit.all("/badges/history?sort_by=category%5Fname&sort_type=DES%43").await;
    assert_eq!(encoded[0]["category_name"], rows[0]["category_name"]);
}

#[tokio::test]
async fn an_unknown_column_or_direction_is_refused_or_ignored() {
    let kit = kit::small().await;
    for wrong in
        ["sort_by=nothing", "sort_by=title&sort_type=sideways", "sort_by=b.seq", "sort_by=title;drop"]
    {
        kit.get(&format!("/badges/history?{wrong}")).await.refused(400);
        kit.get(&format!("/badge-templates?{wrong}")).await.refused(400);
    }
    let plain = kit.get("/badges/history").await;
    kit.set("unknown-sort", "ignored");
    assert_eq!(kit.get("/badges/history?sort_by=nothing").await.data(), plain.data());
    kit.set("sorting", "ignored");
    assert_eq!(kit.get("/badges/history?sort_by=title").await.data(), plain.data());
    kit.set("sorting", "refused");
    kit.get("/badges/history?sort_by=title").await.refused(400);
    assert_eq!(kit.get("/badges/history").await.data(), plain.data());
}

#[tokio::test]
async fn the_order_is_newest_first_unless_the_switch_says_otherwise() {
    let kit = kit_with_a_busy_holder().await;
    let ids = async |path: &str| -> Vec<String> {
        kit.all(path).await.iter().map(|row| row["badge_id"].as_str().unwrap().to_owned()).collect()
    };
    let newest = ids("/badges/history").await;
    kit.set("default-order", "oldest");
    let mut oldest = ids("/badges/history").await;
    oldest.reverse();
    assert_eq!(newest, oldest);
}

#[tokio::test]
async fn rows_that_come_and_go_while_paging_shift_the_pages() {
    let kit = kit::small().await;
    let first = kit.get("/badges/history?rows_per_page=10").await;
    let rows =
        lapel::sandbox::Rows { insert: vec![lapel::sandbox::RowSpec::default(); 3], ..Default::default() };
    kit.control().rows(&rows).unwrap();
    let second = kit.get("/badges/history?rows_per_page=10&page=2").await;
    assert_eq!(second.list()[2]["badge_id"], first.list()[9]["badge_id"], "three rows are seen twice");
    assert_eq!(second.total(), first.total() + 3);
    let gone = first.list()[5]["badge_id"].as_str().unwrap().to_owned();
    let rows = lapel::sandbox::Rows { delete: vec![gone.clone()], delete_newest: 1, ..Default::default() };
    kit.control().rows(&rows).unwrap();
    assert_eq!(kit.get("/badges/history").await.total(), first.total() + 1);
    kit.get(&format!("/badges/{gone}")).await.refused(404);
    let all = kit.all("/badges/history").await;
    assert_eq!(all.len() as i64, first.total() + 1);
}
