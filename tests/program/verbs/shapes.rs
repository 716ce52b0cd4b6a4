//! The fields of the JSON of those verbs that are not about badges, and of an answer that says what went wrong.
//! Programs rely on them: one more is fine, one less or another name is not.

use super::kit::{Bench, Said, shape};
use serde_json::Value;

/// What is another on every computer, besides what [`shape`] takes out.
fn told(mut value: Value, bench: &Bench) -> String {
    redact(&mut value);
    let origin = bench.sandbox.base_url().split("/api").next().expect("an origin").to_owned();
    shape(value, bench).replace(&origin, "ORIGIN")
}

fn redact(value: &mut Value) {
    const VARIES: &[&str] = &["target", "features", "mode", "debug_assertions", "read_at", "all_read_at"];
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if VARIES.contains(&name.as_str()) && !value.is_null() {
                    *value = "…".into();
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(redact),
        // The fingerprint of a key.
        Value::String(text) if text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit()) => {
            "…".clone_into(text);
        }
        // The file of an index is named after the service, whose port is another one each time.
        Value::String(text) if text.ends_with(".sqlite") && text.contains("/index/") => {
            let folder = text.rfind('/').map_or(0, |at| at + 1);
            text.replace_range(folder.., "….sqlite");
        }
        _ => {}
    }
}

/// `lapel` with no service in its environment and a key on standard input.
fn with_key(bench: &Bench, args: &[&str], key: &str) -> Said {
    let mut command = bench.lapel(args);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").stdin(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // One that asks for nothing may have ended by now.
    let _ = std::io::Write::write_all(&mut stdin, key.as_bytes());
    drop(stdin);
    bench.said(child.wait_with_output().expect("it ends"))
}

#[test]
fn the_json_of_the_verbs_keeps_its_fields() {
    let bench = Bench::new();
    insta::assert_snapshot!("ping", told(bench.json(&["ping"], 0), &bench));
    insta::assert_snapshot!("info_environment", told(bench.json(&["info"], 0), &bench));
    let add = ["profile", "add", "uni", "--base-url", bench.sandbox.base_url(), "--key-stdin", "--json"];
    let added = with_key(&bench, &add, bench.sandbox.api_key()).ended(0).json();
    insta::assert_snapshot!("profile_add", told(added, &bench));
    for (name, args) in [
        ("profile_list", &["profile", "list", "--json"][..]),
        ("profile_test", &["profile", "test", "uni", "--json"]),
        ("info_profile", &["info", "--json"]),
    ] {
        insta::assert_snapshot!(name, told(with_key(&bench, args, "").ended(0).json(), &bench));
    }
}

#[test]
fn the_index_answers_programs_in_fields_that_stay() {
    let bench = Bench::new();
    insta::assert_snapshot!("index_status_off", told(bench.json(&["index", "status"], 0), &bench));
    bench.settings("[index]\nenabled = true\nmax_age_days = 36500\n");
    bench.json(&["index", "build"], 0);
    insta::assert_snapshot!("index_status", told(bench.json(&["index", "status"], 0), &bench));
}

/// Not tried (2), refused by the service (1), and a profile that cannot be used (2): one shape.
#[test]
fn what_went_wrong_is_told_to_programs_in_fields_that_stay() {
    let bench = Bench::new();
    insta::assert_snapshot!("error_usage", told(bench.json(&["index", "build"], 2), &bench));
    insta::assert_snapshot!("error_service", told(bench.json(&["badge", "no-such-badge"], 1), &bench));
    bench.settings("[profiles.uni]\nbase_url = 7\n");
    insta::assert_snapshot!("error_settings", told(bench.json(&["ping", "--profile", "uni"], 2), &bench));
}
