//! The JSON schema of `--json`, docs/output.schema.json, compared with what the verbs print.
//!
//! The schema allows later versions to add fields. This check does not: a new field must be described.

use clap::{Command, CommandFactory};
use lapel::cli::Cli;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/output.schema.json")).expect("the schema is JSON")
});

fn definition(name: &str) -> Option<&'static Value> {
    SCHEMA["$defs"].get(name)
}

/// The name of a verb's definition: `jobs show, stopped` is a jobs-show, and `history --all` is a history.
fn name_of(verb: &str, answer: &Value) -> String {
    if answer["ok"] == false && answer.get("error").is_some() {
        return "error".to_owned();
    }
    let verb = verb.split(',').next().unwrap_or_default();
    let record = match verb.split_once(" --jsonl") {
        Some(("templates", _)) => Some("template-item"),
        Some(("history", _)) => Some("history-item"),
        Some(("wallet", _)) => Some("wallet-item"),
        Some(("badge", _)) => Some("badge-record"),
        Some(("categories", _)) => Some("category-record"),
        _ => None,
    };
    record.map_or_else(|| verb.replace(" --all", "").replace(" --", "-").replace(' ', "-"), str::to_owned)
}

/// Compares an answer with the definition of its verb.
#[track_caller]
pub fn check(verb: &str, answer: &Value) {
    let name = name_of(verb, answer);
    let definition = definition(&name).unwrap_or_else(|| panic!("the schema has no definition {name}"));
    let mut wrong = Vec::new();
    compare(definition, answer, &name, &mut wrong);
    assert!(wrong.is_empty(), "docs/output.schema.json and lapel differ: {wrong:#?}");
}

/// The keywords that the schema uses, and no others.
fn compare(schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    const KEYWORDS: [&str; 8] =
        ["$ref", "type", "description", "properties", "required", "additionalProperties", "items", "enum"];
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return compare(
            definition(name).unwrap_or_else(|| panic!("no definition {name}")),
            value,
            path,
            wrong,
        );
    }
    // Only for "this definition, or null".
    if let Some([one, null]) = schema["anyOf"].as_array().map(Vec::as_slice) {
        assert_eq!(null, &json!({ "type": "null" }), "{path}");
        if !value.is_null() {
            compare(one, value, path, wrong);
        }
        return;
    }
    let none = Map::new();
    let fields = schema.as_object().unwrap_or_else(|| panic!("{path}: no schema: {schema}"));
    let unknown: Vec<&String> = fields.keys().filter(|word| !KEYWORDS.contains(&word.as_str())).collect();
    assert!(unknown.is_empty(), "{path}: this check does not know {unknown:?}");
    if fields.is_empty() {
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => vec![one.as_str().unwrap_or_else(|| panic!("{path}: no type"))],
    };
    if !types.contains(&kind) {
        wrong.push(format!("{path} is {kind}, not {}", types.join(" or ")));
        return;
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        wrong.push(format!("{path} is {value}"));
    }
    for one in value.as_array().into_iter().flatten() {
        compare(&schema["items"], one, &format!("{path}[]"), wrong);
    }
    let Some(object) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            wrong.push(format!("{path}.{name} is missing"));
        }
    }
    let described = schema["properties"].as_object().unwrap_or(&none);
    for (name, one) in object {
        match (described.get(name), schema.get("additionalProperties")) {
            (Some(field), _) => compare(field, one, &format!("{path}.{name}"), wrong),
            (None, Some(any)) => compare(any, one, &format!("{path}.{name}"), wrong),
            (None, None) => wrong.push(format!("{path}.{name} is not described")),
        }
    }
}

fn walk(command: &Command, path: &str, verbs: &mut Vec<String>) {
    let inner: Vec<&Command> = command.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    let prints = |flag: &str| command.get_arguments().any(|argument| argument.get_long() == Some(flag));
    if prints("json") && inner.is_empty() {
        verbs.push(path.to_owned());
        if prints("dry-run") {
            verbs.push(format!("{path}-dry-run"));
        }
    }
    for verb in inner {
        let name = verb.get_name();
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}-{name}") };
        walk(verb, &path, verbs);
    }
}

#[test]
fn every_verb_with_json_is_in_the_schema() {
    let mut command = Cli::command();
    command.build();
    let mut verbs = Vec::new();
    walk(&command, "", &mut verbs);
    let missing: Vec<&String> = verbs.iter().filter(|verb| definition(verb).is_none()).collect();
    assert_eq!(missing, Vec::<&String>::new());
    assert!(verbs.len() > 30, "{verbs:?}");
}

#[test]
fn a_field_that_is_new_renamed_or_of_another_type_is_noticed() {
    let right =
        json!({ "ok": true, "status": "ok", "apikey_prefix": null, "round_trip_ms": 3, "base_url": "x" });
    check("ping", &right);
    let changes: [fn(&mut Map<String, Value>); 4] = [
        |answer| drop(answer.insert("more".to_owned(), 1.into())),
        |answer| drop(answer.remove("status")),
        |answer| drop(answer.insert("ok".to_owned(), "yes".into())),
        |answer| drop(answer.insert("base_url".to_owned(), Value::Null)),
    ];
    for change in changes {
        let mut answer = right.clone();
        change(answer.as_object_mut().expect("an object"));
        let mut wrong = Vec::new();
        compare(&SCHEMA["$defs"]["ping"], &answer, "ping", &mut wrong);
        assert_eq!(wrong.len(), 1, "{answer}: {wrong:?}");
    }
}

#[test]
fn every_code_is_in_the_schema() {
    for (name, _, codes) in crate::readme::codes() {
        let listed = definition(name).unwrap_or_else(|| panic!("no definition {name}"))["enum"].clone();
        let codes: Vec<&str> = codes.into_iter().map(|(code, _)| code).collect();
        assert_eq!(listed, json!(codes), "{name}");
    }
}
