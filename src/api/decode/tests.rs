//! Tests: decoding records from all kinds of JSON.

use super::super::decode_records::{accepted, batch_accepted, revoke_accepted};
use super::super::envelope::ResponseBody;
use super::super::key::ApiKey;
use super::super::lenient;
use super::*;
use crate::costs::costs;
use crate::domain::{
    Badge, BadgeTypeCode, Category, HistoryItem, ServiceTime, Template, TemplateDetail, WalletBadge,
};
use proptest::prelude::*;
use serde_json::json;

fn raw(text: Option<&Text>) -> &str {
    text.map_or("", Text::wire)
}

#[test]
fn a_page_as_the_contract_shows_it() {
    let data = json!({
        "list": [{"badge_id": "B1", "template_id": "T1", "title": "수료", "level": 2, "status_name": "발급완료",
                  "valid_until": null, "issued_at": "2026-11-02 09:41:00", "revoke_at": null, "rnum": 1}],
        "total_count": 41, "page": 1, "rows_per_page": 20
    });
    let page: Page<HistoryItem> = page(&data).expect("a page");
    assert_eq!(
        (page.total_count, page.page, page.rows_per_page, page.list_len),
        (Some(41), Some(1), Some(20), 1)
    );
    let (index, item) = &page.items[0];
    assert_eq!((*index, item.badge_id.wire(), item.level, item.rnum), (0, "B1", Some(2), Some(1)));
    assert_eq!(raw(item.title.as_ref()), "수료");
    assert!(item.valid_until.is_none() && item.revoke_at.is_none());
}

#[test]
fn an_unreadable_record_leaves_a_gap_and_takes_nothing_down() {
    let data = json!({"list": [{"badge_id": "B0"}, {"title": "no id"}, null, "x", {"badge_id": 7}, {"badge_id": 1.5e20}],
                      "total_count": "6", "page": "1", "rows_per_page": -20});
    let page: Page<HistoryItem> = page(&data).expect("a page");
    assert_eq!(
        page.items.iter().map(|(i, b)| (*i, b.badge_id.wire())).collect::<Vec<_>>(),
        [(0, "B0"), (4, "7")]
    );
    let places: Vec<_> = page.problems.iter().map(|p| format!("{}: {}", p.place, p.why)).collect();
    assert_eq!(
        places,
        [
            "list[1]: badge_id is missing",
            "list[2]: no value instead of a record",
            "list[3]: text instead of a record",
            "list[5]: badge_id is a number with missing digits",
        ]
    );
    assert_eq!((page.total_count, page.page, page.rows_per_page, page.list_len), (Some(6), Some(1), None, 6));
}

#[test]
fn values_are_read_whatever_their_type() {
    let data = json!({"template_id": 12, "title": 2026, "level": "3", "validity_value": 24.0, "use_yn": true,
        "badge_type": "complete", "skills_tag": "a, b ,,c", "category_id": 5, "fixed_expire_date": "2026-12-31",
        "description": {"ko": "x"}, "level_name": "", "unknown": [1, 2]});
    let detail: TemplateDetail = single(&data, ("template_id", "12")).expect("a record").expect("there");
    assert_eq!((detail.template_id.wire(), raw(detail.title.as_ref())), ("12", "2026"));
    assert_eq!((detail.level, detail.validity_value, detail.use_yn), (Some(3), Some(24), Some(true)));
    assert_eq!(detail.badge_type, Some(BadgeTypeCode::Complete));
    assert_eq!(detail.skills_tag.iter().map(Text::wire).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(detail.fixed_expire_date.is_some_and(|d| d.is_date_only()));
    assert_eq!(raw(detail.description.as_ref()), r#"{"ko":"x"}"#);
    assert!(detail.level_name.is_none());
    for (value, flag) in [
        (json!("Y"), Some(true)),
        (json!("y"), Some(true)),
        (json!(" n "), Some(false)),
        (json!(0), Some(false)),
        (json!(false), Some(false)),
        (json!("maybe"), None),
        (json!(null), None),
        (json!([]), None),
    ] {
        let Value::Object(fields) = json!({ "use_yn": value }) else { unreachable!() };
        assert_eq!(FieldSource::yes_no(&fields, "use_yn"), flag, "{value}");
    }
    for (value, number) in [
        (json!(9_007_199_254_740_993_i64), Some(9_007_199_254_740_993)),
        (json!("12.0"), Some(12)),
        (json!(1.5), None),
        (json!(1e300), None),
        (json!("NaN"), None),
        (json!("inf"), None),
        (json!(true), None),
    ] {
        let Value::Object(fields) = json!({ "level": value }) else { unreachable!() };
        assert_eq!(FieldSource::integer(&fields, "level"), number, "{value}");
    }
}

#[test]
fn tags_come_as_a_list_or_as_text() {
    for (value, tags_read) in [
        (json!(["a", " b ", "", null, 3]), vec!["a", "b", "3"]),
        (json!("a, b"), vec!["a", "b"]),
        (json!(""), vec![]),
        (json!(null), vec![]),
        (json!(7), vec![]),
    ] {
        let badge: Badge = single(&json!({"badge_id": "B", "skills_tag": value}), ("badge_id", "B"))
            .expect("a record")
            .expect("there");
        assert_eq!(badge.skills_tag.iter().map(Text::wire).collect::<Vec<_>>(), tags_read);
    }
}

#[test]
fn valid_until_is_a_date_or_a_timestamp() {
    for (value, date_only) in [("2028-11-21", true), ("2028-11-21 23:59:59", false)] {
        let data = json!({"list": [{"badge_id": "B", "valid_until": value}]});
        let page: Page<WalletBadge> = page(&data).expect("a page");
        assert_eq!(page.items[0].1.valid_until.as_ref().map(ServiceTime::is_date_only), Some(date_only));
    }
}

#[test]
fn shapes_that_are_no_page_are_no_empty_page() {
    for (data, list_len, problems) in [
        (json!([{"badge_id": "B"}]), 1, 0),
        (json!({"list": null, "total_count": 0}), 0, 0),
        (json!({"total_count": 0}), 0, 0),
        (json!({"list": []}), 0, 0),
    ] {
        let page: Page<HistoryItem> = page(&data).expect("a page");
        assert_eq!((page.list_len, page.problems.len()), (list_len, problems), "{data}");
    }
    for data in [
        json!(null),
        json!("x"),
        json!(5),
        json!({}),
        json!({"badge_id": "B"}),
        json!({"list": {"a": 1}}),
        json!({"list": null}),
        json!({"list": null, "total_count": null}),
        json!({"list": null, "total_count": 5}),
        json!({"total_count": 5}),
        json!({"list": "x", "total_count": 5}),
        json!({"list": "x", "total_count": 0}),
        json!(true),
    ] {
        assert!(page::<HistoryItem>(&data).is_err(), "{data}");
    }
}

#[test]
fn one_record_in_its_shapes() {
    let asked = ("badge_id", "B9");
    let read = |data: &Value| single::<Badge>(data, asked);
    assert_eq!(read(&json!([])), Ok(None));
    for data in [json!({"badge_id": "B9"}), json!([{"badge_id": "B9"}]), json!({"title": "left out its id"})]
    {
        assert_eq!(read(&data).expect("a record").expect("there").badge_id.wire(), "B9", "{data}");
    }
    for data in [
        json!(null),
        json!({}),
        json!("x"),
        json!([1, 2]),
        json!({"badge_id": {}}),
        json!({"badge_id": "a\u{fffd}"}),
    ] {
        assert!(read(&data).is_err(), "{data}");
    }
}

#[test]
fn categories_with_levels() {
    let data = json!([
        {"category_id": "C1", "level_yn": "Y", "levels": [{"level": 1, "level_name": "기초"}, {"level": "2"}, "고급", 4, null]},
        {"category_id": "C2", "level_yn": "N", "levels": null},
        {"category_cd": "lost"},
    ]);
    let read: Listed<Category> = listed(&data).expect("a list");
    assert_eq!(read.items.len(), 2);
    assert_eq!(
        read.items[0].levels.iter().map(|l| l.level).collect::<Vec<_>>(),
        [Some(1), Some(2), None, Some(4)]
    );
    assert_eq!(read.problems[0].place, "list[2]");
}

#[test]
fn badge_types_in_every_shape() {
    let fields =
        |t: &BadgeType| t.fields.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" ");
    let record = json!({"type_cd": "COMPLETE", "a_name": "수료", "order": 1, "none": null});
    for data in [json!([record]), json!({"list": [record], "total_count": 1}), record.clone()] {
        let read = badge_types(&data);
        assert_eq!(
            read.types.iter().map(fields).collect::<Vec<_>>(),
            ["type_cd=COMPLETE a_name=수료 order=1 none="]
        );
        assert!(read.note.is_none());
    }
    let read = badge_types(&json!(["COMPLETE", "ACHIEVE", null, [], 5]));
    assert_eq!(
        read.types.iter().map(fields).collect::<Vec<_>>(),
        ["badge_type=COMPLETE", "badge_type=ACHIEVE", "badge_type=5"]
    );
    assert_eq!(read.problems.iter().map(|p| p.place.as_str()).collect::<Vec<_>>(), ["list[2]", "list[3]"]);
    assert!(badge_types(&json!([])).note.is_some());
    assert_eq!(badge_types(&json!(null)).problems.len(), 1);
}

#[test]
fn acceptance_is_bound_as_far_as_it_can_be_read() {
    assert!(accepted(&json!({"badge_id": "B", "status_cd": "ISSUE_WAIT"})).is_ok());
    assert!(accepted(&json!({"status_cd": "ISSUE_WAIT"})).is_err());
    assert!(accepted(&json!(null)).is_err());
    let batch = batch_accepted(&json!({"total_count": 3, "accepted_count": "2",
        "items": [{"badge_id": "B", "recipient_email": "a@x.example"}, {"recipient_email": "b@x.example"}]}))
    .expect("items");
    assert_eq!((batch.total_count, batch.accepted_count, batch.items.len()), (Some(3), Some(2), 1));
    assert_eq!(batch.problems[0].place, "items[1]");
    assert_eq!(batch_accepted(&json!({"total_count": 3})).expect("unbound").problems[0].place, "items");
    assert!(batch_accepted(&json!(null)).is_err());
    let counts = revoke_accepted(&json!({"total_count": 5, "accepted_count": -1}));
    assert_eq!((counts.total_count, counts.accepted_count), (Some(5), None));
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "list",
        "total_count",
        "page",
        "rows_per_page",
        "badge_id",
        "template_id",
        "category_id",
        "title",
        "levels",
        "level",
        "skills_tag",
        "use_yn",
        "valid_until",
        "issued_at",
        "items",
        "recipient_email",
        "code",
        "data",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}|-?[0-9]{1,25}|[YyNn]|2026-1[0-2]-[0-3][0-9]( [0-9:]{0,8})?".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..8).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()
            )),
        ]
    })
}

fn adds_up<T: ServiceRecord>(data: &Value) {
    if let Ok(page) = page::<T>(data) {
        let unreadable = page.problems.iter().filter(|p| p.place.starts_with("list[")).count();
        assert_eq!(page.items.len() + unreadable, page.list_len);
        let list = data.as_array().or_else(|| data.get("list").and_then(Value::as_array));
        assert_eq!(page.list_len, list.map_or(0, Vec::len));
        assert!(page.items.iter().all(|(index, _)| *index < page.list_len));
    }
    let _ = single::<T>(data, ("badge_id", "B"));
    let _ = listed::<T>(data);
}

proptest! {
    #[test]
    fn no_json_is_lost_or_makes_it_panic(data in any_json()) {
        for data in [data.clone(), serde_json::json!({"list": data, "total_count": 3}), serde_json::json!([data])] {
            adds_up::<HistoryItem>(&data);
            adds_up::<WalletBadge>(&data);
            adds_up::<Template>(&data);
            adds_up::<TemplateDetail>(&data);
            adds_up::<Category>(&data);
            adds_up::<Badge>(&data);
            let types = badge_types(&data);
            prop_assert!(!types.types.is_empty() || !types.problems.is_empty() || types.note.is_some());
            let _ = accepted(&data);
            let _ = revoke_accepted(&data);
            if let Ok(batch) = batch_accepted(&data) {
                let items = data.as_array().or_else(|| data.get("items").and_then(Value::as_array));
                prop_assert_eq!(batch.items.len() + batch.problems.len(), items.map_or(1, Vec::len));
            }
        }
    }
}

#[test]
fn no_bytes_of_a_response_do_harm() {
    let history = br#"{"code":"0001","message":"ok","data":{"list":[{"badge_id":"B1","template_id":"T1","title":"x",
        "level":2,"status_name":"y","valid_until":null,"issued_at":"2026-11-02 09:41:00","rnum":1}],"total_count":41,
        "page":1,"rows_per_page":20}}"#;
    let batch = br#"{"code":"0002","message":"","data":{"items":[{"index":0,"badge_id":"B-9","status":"ACCEPTED"}]}}"#;
    let page = b"<html><title>502</title></html>";
    let words: [&[u8]; 9] = [
        b"null",
        b"{}",
        b"[]",
        b"-1",
        b"1e999",
        b"\"\\ud800\"",
        b"\"list\":",
        "\u{202e}".as_bytes(),
        b"9223372036854775808",
    ];
    let key = ApiKey::new("dmu_test_0123456789").expect("a key");
    crate::fuzz::fuzz("a response", &[history, batch, page], &words, |bytes| {
        let text = lenient::text(bytes.to_vec(), Some("application/json; charset=utf-8"));
        if let ResponseBody::Envelope(envelope) = ResponseBody::read(&text, &key) {
            let data = envelope.data;
            let _ =
                (page_of::<HistoryItem>(&data), page_of::<WalletBadge>(&data), page_of::<Template>(&data));
            let _ = (
                single::<Badge>(&data, ("badge_id", "B")),
                single::<TemplateDetail>(&data, ("template_id", "T")),
            );
            let _ = (listed::<Category>(&data), badge_types(&data));
            let _ = (accepted(&data), revoke_accepted(&data), batch_accepted(&data));
        }
    });
}

fn page_of<T: ServiceRecord>(data: &Value) -> Result<Page<T>, Localizable> {
    page(data)
}

/// The body of a page of the history.
fn body_of_a_page(rows: u64) -> String {
    let row = |n: u64| {
        json!({"badge_id": format!("BDG-2026-{n:06}"), "template_id": "TPL-004", "title": "파이썬 데이터 분석",
               "recipient_name": "김하나", "recipient_email": format!("hana{n}@naru.example"), "level": 2,
               "status_name": "발급완료", "email_status": "발송완료", "issued_at": "2026-11-02 09:41:00",
               "valid_until": "2028-11-02 23:59:59", "revoke_at": null, "reg_date": "2026-11-01 09:41:00", "rnum": n})
    };
    let list: Vec<Value> = (1..=rows).map(row).collect();
    json!({"code": "0000", "message": "OK",
           "data": {"list": list, "total_count": 1_000_000, "page": 1, "rows_per_page": rows}})
    .to_string()
}

#[test]
fn costs_of_decoding_a_page() {
    let key = ApiKey::new("live_0123456789abcdef0123456789abcdef").expect("a key");
    let text = body_of_a_page(100);
    let decode = || {
        let ResponseBody::Envelope(envelope) = ResponseBody::read(&text, &key) else { panic!("an envelope") };
        page::<HistoryItem>(&envelope.data).expect("a page").items.len()
    };
    assert_eq!(decode(), 100);
    costs("decode a page of 100 rows", || {
        std::hint::black_box(decode());
    });
}
