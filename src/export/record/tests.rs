use super::*;
use crate::domain::holder::HeldBadge;
use crate::domain::{
    BadgeId, BadgeType, Category, CategoryId, HistoryItem, Level, ServiceTime, Template, TemplateDetail,
    WalletBadge,
};

fn keys(fields: &Map<String, Value>) -> Vec<&str> {
    fields.keys().map(String::as_str).collect()
}

fn wallet_badge(id: &str) -> WalletBadge {
    WalletBadge {
        badge_id: BadgeId::new(id).expect("an id"),
        front_image_url: None,
        back_image_url: None,
        recipient_name: Some("한서윤".into()),
        title: Some("=1+1".into()),
        issuing_org: None,
        status_name: Some("발급완료".into()),
        valid_from: ServiceTime::new("2026-01-02"),
        valid_until: ServiceTime::new("9999-12-31"),
        issued_at: ServiceTime::new("2026-01-02 09:41:00"),
        reg_date: None,
    }
}

#[test]
fn the_columns_are_the_fields_in_their_order() {
    let badge = wallet_badge("00123");
    assert_eq!(keys(&badge.fields()), WalletBadge::SHAPE.columns);
    for shape in
        [Template::SHAPE, Category::SHAPE, WalletBadge::SHAPE, HistoryItem::SHAPE, TemplateDetail::SHAPE]
    {
        assert!(shape.first.iter().all(|name| shape.columns.contains(name)), "{shape:?}");
    }
    for shape in [Template::SHAPE, Category::SHAPE, WalletBadge::SHAPE, HistoryItem::SHAPE] {
        assert_eq!(shape.first.len(), shape.columns.len(), "each column has its place: {shape:?}");
    }
}

#[test]
fn a_row_is_as_the_service_wrote_it() {
    let now = jiff::civil::date(2026, 11, 21).at(10, 0, 0, 0);
    let row = ExportRow::of(&wallet_badge("00123"), now);
    assert_eq!(
        row.cells,
        [
            "00123",
            "",
            "",
            "한서윤",
            "=1+1",
            "",
            "발급완료",
            "2026-01-02",
            "9999-12-31",
            "2026-01-02 09:41:00",
            ""
        ]
    );
    assert_eq!((row.id.as_str(), row.state), ("00123", Some(State::Issued)));
    assert_eq!((&row.json["badge_id"], &row.json["reg_date"]), (&"00123".into(), &Value::Null));
}

#[test]
fn levels_and_truth_values_are_written_out() {
    let category = Category {
        category_id: CategoryId::new("C01").expect("an id"),
        category_cd: None,
        category_name: None,
        description: None,
        level_yn: Some(true),
        use_yn: Some(false),
        reg_date: None,
        upd_date: None,
        levels: vec![
            Level { level: Some(1), level_name: Some("기초".into()) },
            Level { level: Some(2), level_name: None },
        ],
    };
    let row = ExportRow::of(&category, jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0));
    assert_eq!(row.cells, ["C01", "", "", "", "Y", "N", "", "", "1 기초, 2"]);
    assert_eq!(row.json["levels"][1], json!({ "level": 2, "level_name": null }));
}

#[test]
fn a_holders_badge_has_what_either_list_says() {
    let mut held = HeldBadge::new(BadgeId::new("B").expect("an id"));
    held.wallet = Some(wallet_badge("B"));
    let row = ExportRow::of(&held, jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0));
    let at = |name| &row.cells[HeldBadge::SHAPE.columns.iter().position(|c| *c == name).expect(name)];
    assert_eq!(
        (at("title").as_str(), at("in_wallet").as_str(), at("in_history").as_str()),
        ("=1+1", "Y", "N")
    );
    assert_eq!((&row.json["history"], &row.json["wallet"]["title"]), (&Value::Null, &"=1+1".into()));
}

#[test]
fn badge_types_of_any_shape_have_columns() {
    let one = |fields: &[(&str, &str)]| BadgeType {
        fields: fields.iter().map(|(name, value)| (Text::from(*name), Text::from(*value))).collect(),
    };
    let (names, rows) =
        badge_types(&[one(&[("code", "A"), ("name", "완료")]), one(&[("note", "x"), ("code", "B")])]);
    assert_eq!(names, ["code", "name", "note"]);
    assert_eq!(rows[1].cells, ["B", "", "x"]);
    assert_eq!(rows[1].json, json!({ "note": "x", "code": "B" }));
}
