//! Templates, categories and badge types as rows.

use super::{ExportRow, Record, Shape, map, text, time, with_place, yes_no};
use crate::domain::{
    BadgeType, BadgeTypeCode, Category, CategoryId, CategoryLevelId, Template, TemplateDetail, Text,
};
use serde_json::{Map, Value, json};

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
            "badge_type": self.badge_type.as_ref().map(BadgeTypeCode::wire),
            "badge_type_name": text(self.badge_type_name.as_ref()),
            "category_id": self.category_id.as_ref().map(CategoryId::wire),
            "category_name": text(self.category_name.as_ref()),
            "category_level_id": self.category_level_id.as_ref().map(CategoryLevelId::wire),
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

/// Badge types as rows. The contract does not show their fields, so the columns are all fields that occur, in
/// order of appearance.
pub fn badge_types(types: &[BadgeType]) -> (Vec<String>, Vec<ExportRow>) {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in types.iter().flat_map(|one| &one.fields) {
        if !names.iter().any(|known| known == name.wire()) {
            names.push(name.wire().to_owned());
        }
    }
    let row = |one: &BadgeType| {
        let value = |name: &String| one.fields.iter().find(|f| f.0.wire() == name).map(|f| f.1.wire());
        ExportRow {
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
