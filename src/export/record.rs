//! Records as rows: each field under the contract's name ("Resources and their fields"), in its order.

use crate::domain::holder::Held;
use crate::domain::{
    Badge, BadgeType, Category, HistoryItem, ServiceTime, State, Template, TemplateDetail, Text, Verdict,
    WalletBadge,
};
use jiff::civil::DateTime;
use serde_json::{Map, Value, json};

/// What the rows of a kind of record look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The names of the columns, in their order.
    pub columns: &'static [&'static str],
    /// Those of them that say most, the first of them first: for where there is not room for all.
    pub first: &'static [&'static str],
    /// What one and many are called.
    pub noun: (&'static str, &'static str),
}

impl Shape {
    /// The names of the columns as they head a table.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// A record as it is taken away. Its texts are as they came, for whoever writes them to scrub.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is known by.
    pub id: String,
    /// One for each column.
    pub cells: Vec<String>,
    /// The record as the service structures it.
    pub json: Value,
    /// The state of the badge, where it is one.
    pub state: Option<State>,
}

impl Row {
    /// A record as a row; `now` is the service's, for whether a badge has expired.
    pub fn of<R: Record>(record: &R, now: DateTime) -> Self {
        let fields = record.fields();
        let cells = R::SHAPE.columns.iter().map(|name| fields.get(*name).map_or(String::new(), cell));
        Self {
            id: record.id().to_owned(),
            cells: cells.collect(),
            state: record.state(now),
            json: Value::Object(record.json(fields)),
        }
    }
}

/// A record of the service that can be taken away.
pub trait Record {
    /// Its columns.
    const SHAPE: Shape;
    /// Its id, as it came.
    fn id(&self) -> &str;
    /// Its fields, under the contract's names. What the service left out or left empty is null.
    fn fields(&self) -> Map<String, Value>;
    /// The record as JSON, where that is more than its fields.
    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
    }
    /// The state of the badge, where it is one.
    fn state(&self, _now: DateTime) -> Option<State> {
        None
    }
}

/// A value in a cell: no value is empty, truth is Y or N, lists are joined.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join(", "),
        // A level of a category: its number and its name.
        Value::Object(fields) => {
            fields.values().map(cell).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

fn text(text: Option<&Text>) -> Value {
    text.map_or(Value::Null, |t| t.wire().into())
}

fn time(time: Option<&ServiceTime>) -> Value {
    text(time.map(ServiceTime::raw))
}

/// As the contract writes it.
fn yes_no(value: Option<bool>) -> Value {
    value.map_or(Value::Null, |yes| if yes { "Y" } else { "N" }.into())
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// `rnum` is a place in the result, not a part of the record: only JSON has it.
fn with_place(mut fields: Map<String, Value>, rnum: Option<i64>) -> Map<String, Value> {
    fields.insert("rnum".to_owned(), rnum.into());
    fields
}

impl Record for Template {
    const SHAPE: Shape = Shape {
        columns: &[
            "template_id",
            "title",
            "badge_type_name",
            "category_name",
            "level",
            "level_name",
            "image_url",
            "use_yn",
            "reg_date",
        ],
        first: &[
            "template_id",
            "title",
            "use_yn",
            "badge_type_name",
            "category_name",
            "level_name",
            "reg_date",
            "level",
            "image_url",
        ],
        noun: ("template", "templates"),
    };

    fn id(&self) -> &str {
        self.template_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "template_id": self.template_id.wire(),
            "title": text(self.title.as_ref()),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "level": self.level,
            "level_name": text(self.level_name.as_ref()),
            "image_url": text(self.image_url.as_ref()),
            "use_yn": yes_no(self.use_yn),
            "reg_date": time(self.reg_date.as_ref()),
        }))
    }

    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        with_place(fields, self.rnum)
    }
}

impl Record for TemplateDetail {
    const SHAPE: Shape = Shape {
        columns: &[
            "template_id",
            "title",
            "badge_type",
            "badge_type_name",
            "category_id",
            "category_name",
            "category_level_id",
            "level",
            "level_name",
            "description",
            "criteria",
            "skills_tag",
            "card_color_cd",
            "validity_type_cd",
            "fixed_expire_date",
            "validity_value",
            "validity_unit_cd",
            "image_url",
            "use_yn",
            "reg_date",
            "upd_date",
        ],
        first: &["template_id", "title"],
        noun: ("template", "templates"),
    };

    fn id(&self) -> &str {
        self.template_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "template_id": self.template_id.wire(),
            "title": text(self.title.as_ref()),
            "badge_type": self.badge_type.as_ref().map(crate::domain::BadgeTypeCode::wire),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "category_id": self.category_id.as_ref().map(crate::domain::CategoryId::wire),
            "category_name": text(self.category_name.as_ref()),
            "category_level_id": self.category_level_id.as_ref().map(crate::domain::CategoryLevelId::wire),
            "level": self.level,
            "level_name": text(self.level_name.as_ref()),
            "description": text(self.description.as_ref()),
            "criteria": text(self.criteria.as_ref()),
            "skills_tag": self.skills_tag.iter().map(Text::wire).collect::<Vec<_>>(),
            "card_color_cd": text(self.card_color_cd.as_ref()),
            "validity_type_cd": text(self.validity_type_cd.as_ref()),
            "fixed_expire_date": time(self.fixed_expire_date.as_ref()),
            "validity_value": self.validity_value,
            "validity_unit_cd": text(self.validity_unit_cd.as_ref()),
            "image_url": text(self.image_url.as_ref()),
            "use_yn": yes_no(self.use_yn),
            "reg_date": time(self.reg_date.as_ref()),
            "upd_date": time(self.upd_date.as_ref()),
        }))
    }
}

impl Record for Category {
    const SHAPE: Shape = Shape {
        columns: &[
            "category_id",
            "category_cd",
            "category_name",
            "description",
            "level_yn",
            "use_yn",
            "reg_date",
            "upd_date",
            "levels",
        ],
        first: &[
            "category_id",
            "category_name",
            "use_yn",
            "levels",
            "category_cd",
            "level_yn",
            "reg_date",
            "upd_date",
            "description",
        ],
        noun: ("category", "categories"),
    };

    fn id(&self) -> &str {
        self.category_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        let levels: Vec<Value> = self
            .levels
            .iter()
            .map(|l| json!({ "level": l.level, "level_name": text(l.level_name.as_ref()) }))
            .collect();
        map(json!({
            "category_id": self.category_id.wire(),
            "category_cd": text(self.category_cd.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "description": text(self.description.as_ref()),
            "level_yn": yes_no(self.level_yn),
            "use_yn": yes_no(self.use_yn),
            "reg_date": time(self.reg_date.as_ref()),
            "upd_date": time(self.upd_date.as_ref()),
            "levels": levels,
        }))
    }
}

impl Record for Badge {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "source_cd",
            "issuing_org",
            "company_name",
            "cert_no",
            "title",
            "category_name",
            "badge_type_name",
            "level_name",
            "description",
            "criteria",
            "front_image_url",
            "back_image_url",
            "skills_tag",
            "status_name",
            "recipient_name",
            "recipient_email",
            "email_status",
            "valid_from",
            "valid_until",
            "issued_at",
            "revoke_at",
            "revoke_reason",
        ],
        first: &["badge_id", "status_name", "title"],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        // One text with commas, as the contract has it here (and not in a template).
        let tags = self.skills_tag.iter().map(Text::wire).collect::<Vec<_>>().join(", ");
        map(json!({
            "badge_id": self.badge_id.wire(),
            "source_cd": text(self.source_cd.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "company_name": text(self.company_name.as_ref()),
            "cert_no": text(self.cert_no.as_ref()),
            "title": text(self.title.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "level_name": text(self.level_name.as_ref()),
            "description": text(self.description.as_ref()),
            "criteria": text(self.criteria.as_ref()),
            "front_image_url": text(self.front_image_url.as_ref()),
            "back_image_url": text(self.back_image_url.as_ref()),
            "skills_tag": (!tags.is_empty()).then_some(tags),
            "status_name": text(self.status_name.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "recipient_email": text(self.recipient_email.as_ref()),
            "email_status": text(self.email_status.as_ref()),
            "valid_from": time(self.valid_from.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "revoke_at": time(self.revoke_at.as_ref()),
            "revoke_reason": text(self.revoke_reason.as_ref()),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

impl Record for WalletBadge {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "front_image_url",
            "back_image_url",
            "recipient_name",
            "title",
            "issuing_org",
            "status_name",
            "valid_from",
            "valid_until",
            "issued_at",
            "reg_date",
        ],
        first: &[
            "badge_id",
            "status_name",
            "title",
            "recipient_name",
            "valid_until",
            "issued_at",
            "reg_date",
            "valid_from",
            "issuing_org",
            "front_image_url",
            "back_image_url",
        ],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "front_image_url": text(self.front_image_url.as_ref()),
            "back_image_url": text(self.back_image_url.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "title": text(self.title.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "status_name": text(self.status_name.as_ref()),
            "valid_from": time(self.valid_from.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "reg_date": time(self.reg_date.as_ref()),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

impl Record for HistoryItem {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "template_id",
            "title",
            "badge_type_name",
            "category_name",
            "level",
            "level_name",
            "recipient_name",
            "recipient_email",
            "status_name",
            "email_status",
            "issuing_org",
            "valid_until",
            "issued_at",
            "reg_date",
            "revoke_at",
        ],
        first: &[
            "badge_id",
            "status_name",
            "recipient_name",
            "title",
            "recipient_email",
            "email_status",
            "issued_at",
            "reg_date",
            "valid_until",
            "revoke_at",
            "template_id",
            "badge_type_name",
            "category_name",
            "level_name",
            "level",
            "issuing_org",
        ],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "template_id": self.template_id.as_ref().map(crate::domain::TemplateId::wire),
            "title": text(self.title.as_ref()),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "category_name": text(self.category_name.as_ref()),
            "level": self.level,
            "level_name": text(self.level_name.as_ref()),
            "recipient_name": text(self.recipient_name.as_ref()),
            "recipient_email": text(self.recipient_email.as_ref()),
            "status_name": text(self.status_name.as_ref()),
            "email_status": text(self.email_status.as_ref()),
            "issuing_org": text(self.issuing_org.as_ref()),
            "valid_until": time(self.valid_until.as_ref()),
            "issued_at": time(self.issued_at.as_ref()),
            "reg_date": time(self.reg_date.as_ref()),
            "revoke_at": time(self.revoke_at.as_ref()),
        }))
    }

    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        with_place(fields, self.rnum)
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(Verdict::of(self, now).state())
    }
}

/// A badge of a holder, from wallet and history: what either of them says, the history first, since only it
/// knows of revocations. JSON has both records.
impl Record for Held {
    const SHAPE: Shape = Shape {
        columns: &[
            "badge_id",
            "template_id",
            "title",
            "badge_type_name",
            "category_name",
            "level",
            "level_name",
            "recipient_name",
            "recipient_email",
            "status_name",
            "email_status",
            "issuing_org",
            "valid_from",
            "valid_until",
            "issued_at",
            "reg_date",
            "revoke_at",
            "in_wallet",
            "in_history",
        ],
        first: &["badge_id", "status_name", "title"],
        noun: ("badge", "badges"),
    };

    fn id(&self) -> &str {
        self.badge_id.wire()
    }

    fn fields(&self) -> Map<String, Value> {
        let mut fields = self.history.as_ref().map(HistoryItem::fields).unwrap_or_default();
        for (name, value) in self.wallet.iter().flat_map(WalletBadge::fields) {
            if fields.get(&name).is_none_or(Value::is_null) {
                fields.insert(name, value);
            }
        }
        fields.insert("in_wallet".to_owned(), yes_no(Some(self.wallet.is_some())));
        fields.insert("in_history".to_owned(), yes_no(Some(self.history.is_some())));
        fields
    }

    fn json(&self, _: Map<String, Value>) -> Map<String, Value> {
        map(json!({
            "badge_id": self.badge_id.wire(),
            "wallet": self.wallet.as_ref().map(WalletBadge::fields),
            "history": self.history.as_ref().map(|item| item.json(item.fields())),
        }))
    }

    fn state(&self, now: DateTime) -> Option<State> {
        Some(self.verdict(now).state())
    }
}

/// Badge types, whose fields the contract does not show: the columns are all that any of them has, in the
/// order in which they come up.
pub fn badge_types(types: &[BadgeType]) -> (Vec<String>, Vec<Row>) {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in types.iter().flat_map(|one| &one.fields) {
        if !names.iter().any(|known| known == name.wire()) {
            names.push(name.wire().to_owned());
        }
    }
    let row = |one: &BadgeType| {
        let value = |name: &String| one.fields.iter().find(|f| f.0.wire() == name).map(|f| f.1.wire());
        Row {
            id: one.fields.first().map_or(String::new(), |f| f.1.wire().to_owned()),
            cells: names.iter().map(|name| value(name).unwrap_or_default().to_owned()).collect(),
            json: Value::Object(
                one.fields.iter().map(|(name, v)| (name.wire().to_owned(), v.wire().into())).collect(),
            ),
            state: None,
        }
    };
    let rows = types.iter().map(row).collect();
    (names, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BadgeId, CategoryId, Level};

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
        let row = Row::of(&wallet_badge("00123"), now);
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
        let row = Row::of(&category, jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0));
        assert_eq!(row.cells, ["C01", "", "", "", "Y", "N", "", "", "1 기초, 2"]);
        assert_eq!(row.json["levels"][1], json!({ "level": 2, "level_name": null }));
    }

    #[test]
    fn a_holders_badge_has_what_either_list_says() {
        let held = Held {
            badge_id: BadgeId::new("B").expect("an id"),
            wallet: Some(wallet_badge("B")),
            history: None,
        };
        let row = Row::of(&held, jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0));
        let at = |name| &row.cells[Held::SHAPE.columns.iter().position(|c| *c == name).expect(name)];
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
}
