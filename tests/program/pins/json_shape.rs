//! JSON as a list of its fields with their types.

use serde_json::Value;
use std::collections::BTreeSet;

/// The fields of an answer: `jobs[].stop.kind: string`. All elements of a list count together.
pub fn fields(value: &Value, path: &str, out: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(all) => {
            for one in all {
                fields(one, &format!("{path}[]"), out);
            }
            "list"
        }
        Value::Object(all) => {
            for (name, value) in all {
                let dot = if path.is_empty() { "" } else { "." };
                fields(value, &format!("{path}{dot}{name}"), out);
            }
            "object"
        }
    };
    if !path.is_empty() {
        out.insert(format!("{path}: {kind}"));
    }
}

#[test]
fn all_elements_of_a_list_count_together() {
    let value = serde_json::json!({ "rows": [{ "id": 1 }, { "id": null, "why": { "code": "x" } }] });
    let mut out = BTreeSet::new();
    fields(&value, "", &mut out);
    let out: Vec<&str> = out.iter().map(String::as_str).collect();
    assert_eq!(
        out,
        [
            "rows: list",
            "rows[].id: null",
            "rows[].id: number",
            "rows[].why.code: string",
            "rows[].why: object",
            "rows[]: object"
        ]
    );
}
