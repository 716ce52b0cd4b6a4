//! Templates, categories and badge types as rows.

use super::{ExportRow, Record, RecordNoun, fields, with_place};
use crate::domain::{BadgeType, Category, Field, ServiceRecord, Template, TemplateDetail};
use serde_json::{Map, Value};

impl Record for Template {
    fields! {
        first: template_id, title, use_yn, badge_type_name, category_name, level_name, reg_date,
        level, image_url
    }
    const NOUN: RecordNoun = RecordNoun::Template;

    fn json(&self, fields: Map<String, Value>) -> Map<String, Value> {
        with_place(fields, self.rnum)
    }
}

impl Record for TemplateDetail {
    fields! {
        first: template_id, title
    }
    const NOUN: RecordNoun = RecordNoun::Template;
}

impl Record for Category {
    fields! {
        first: category_id, category_name, use_yn, levels, category_cd, level_yn, reg_date,
        upd_date, description
    }
    const NOUN: RecordNoun = RecordNoun::Category;
}

/// The contract does not show the fields of badge types, so the columns are all fields that occur,
/// in order of appearance.
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
