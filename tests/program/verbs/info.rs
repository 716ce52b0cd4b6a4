//! `lapel info`: every setting with its value and where it comes from, every path, and nothing secret.

use super::kit::Bench;
use lapel::config::{former_settings, known_settings};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// A setting's name, its text in the file, and its text in `info`. None gives the default.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("default_profile", "'uni'", "uni"),
    ("theme", "'high-contrast'", "high-contrast"),
    ("glyphs", "'ascii'", "ascii"),
    ("pictures", "'halfblocks'", "halfblocks"),
    ("clipboard", "'osc52'", "osc52"),
    ("notice", "'bell'", "bell"),
    ("refresh", "'2m'", "2m"),
    ("restore", "false", "false"),
    ("recent", "false", "false"),
    ("language", "'ko'", "ko"),
    ("jobs.in_flight", "3", "3"),
    ("jobs.batch", "70", "70"),
    ("jobs.doubt_window_hours", "48", "48"),
    ("jobs.issue_checks", "[7, 21]", "7, 21"),
    ("jobs.revoke_checks", "[2, 4]", "2, 4"),
    ("jobs.doubt_checks", "[3, 9]", "3, 9"),
    ("jobs.duplicate_check_minutes", "12", "12"),
    ("jobs.expiring_days", "45", "45"),
    ("jobs.keep_days", "90", "90"),
    ("joined_text", "'replace'", "replace"),
    ("jobs.policies.twin", "'ask'", "ask"),
    ("jobs.policies.shared_address", "'block'", "block"),
    ("jobs.policies.valid", "'block'", "block"),
    ("jobs.policies.expiring", "'ask'", "ask"),
    ("jobs.policies.expired", "'ask'", "ask"),
    ("jobs.policies.revoked", "'block'", "block"),
    ("jobs.policies.waiting", "'ask'", "ask"),
    ("jobs.policies.sent", "'ask'", "ask"),
    ("jobs.policies.look_alike", "'allow'", "allow"),
    ("index.enabled", "true", "true"),
    ("index.max_age_days", "400", "400"),
    ("index.refresh_minutes", "45", "45"),
    ("profile.environment", "'staging'", "staging"),
    ("profile.base_url", "'https://one.example/api/v1/ext'", "https://one.example/api/v1/ext"),
    ("profile.organisation", "'달무리 2026'", "달무리 2026"),
    ("profile.short_name", "'달무리'", "달무리"),
    ("profile.read_only", "true", "true"),
    ("profile.key", "{ env = 'UNI_KEY' }", "the variable UNI_KEY"),
    ("profile.key_command", "['pass', 'show', 'hidden-word']", "set"),
    ("profile.key_command_timeout", "77", "77"),
    ("profile.key_prefix", "'dmu_live_'", "dmu_live_"),
    ("profile.key_fingerprint", "'0a1b2c3d'", "0a1b2c3d"),
    ("profile.rate_limit", "600", "600"),
    ("profile.utc_offset", "'-03:30'", "-03:30"),
    ("profile.proxy", "'http://somebody:hidden-word@proxy.example:8080'", "http://…@proxy.example:8080"),
    ("profile.picture_base", "'https://pictures.example'", "https://pictures.example"),
    ("profile.ca_file", "'own.pem'", "own.pem"),
    ("profile.journal.url", "'postgres://somebody@db.example/badges'", "db.example/badges"),
    ("profile.journal.password", "{ env = 'UNI_DATABASE' }", "the variable UNI_DATABASE"),
    ("profile.journal.password_command", "['pass', 'show', 'hidden-word']", "set"),
    ("profile.journal.password_command_timeout", "66", "66"),
    ("profile.journal.ca_file", "'team.pem'", "team.pem"),
];

/// The profile of a setting: a key comes from a variable or from a command, never from both. So does a password.
fn profile_of(name: &str) -> &'static str {
    if name.contains("_command") { "other" } else { "uni" }
}

/// Settings that say every word that there is.
fn all() -> String {
    let mut text = "profiles.other.base_url = 'https://other.example/api/v1/ext'\n\
         profiles.other.journal.url = 'postgres://somebody@db.example/badges'\n"
        .to_owned();
    for (name, said, _) in SETTINGS {
        let name = name.replace("profile.", &format!("profiles.{}.", profile_of(name)));
        text.push_str(&format!("{name} = {said}\n"));
    }
    text
}

/// `lapel info` with a key of a profile, and nothing of a service, in its environment.
fn info(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.lapel(&[&["info"], args].concat());
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").env("UNI_KEY", "hidden-word-0123456789");
    command.env("UNI_DATABASE", "hidden-word of the journal");
    command
}

#[track_caller]
fn json(bench: &Bench, mut command: Command) -> Value {
    let said = bench.said(command.arg("--json").output().expect("it runs")).ended(0);
    assert!(!said.out.contains("hidden-word") && !said.out.contains("somebody"), "{}", said.out);
    said.json()
}

/// A setting's value, in words, and its source.
#[track_caller]
fn told(info: &Value, name: &str) -> (String, String) {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(name) = name.strip_prefix("profile.") {
        let field = match name {
            "key" => "key_from",
            "journal.password" => "journal.password_from",
            name => name,
        };
        return (text(&info["profile"][field]), text(&info["profile"]["sources"][name]));
    }
    let settings = info["settings"].as_array().expect("settings");
    let found = settings.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}"));
    (text(&found["value"]), text(&found["source"]))
}

fn pair(value: &str, source: &str) -> (String, String) {
    (value.to_owned(), source.to_owned())
}

#[test]
fn every_setting_that_the_file_knows_is_told_with_its_value_and_source() {
    let names: BTreeSet<&str> = SETTINGS.iter().map(|(name, ..)| *name).collect();
    let known = known_settings();
    assert_eq!(names, known.iter().map(String::as_str).collect(), "this test says a value for each");
    let bench = Bench::new();
    bench.settings(&all());
    let default = json(&bench, info(&bench, &[]));
    let other = json(&bench, info(&bench, &["--profile", "other"]));
    for (name, _, value) in SETTINGS {
        let info = if profile_of(name) == "other" { &other } else { &default };
        assert_eq!(told(info, name), pair(value, "config.toml"), "{name}");
    }
    // Scripts may know the names of settings before they were renamed.
    for (former, now) in former_settings() {
        assert_eq!(told(&default, &former), told(&default, &now), "{former}");
    }
    assert_eq!(told(&default, "profile"), pair("uni", "config.toml"));
    assert_eq!(told(&other, "profile"), pair("other", "flag"));
    let for_people = bench.said(info(&bench, &[]).output().expect("it runs")).ended(0).out;
    assert!(!for_people.contains("hidden-word") && !for_people.contains("somebody"), "{for_people}");
    for name in known.iter().map(|name| name.trim_start_matches("profile.")) {
        let is_there = |line: &str| line.split_whitespace().next() == Some(name);
        assert!(for_people.lines().any(is_there), "{name} is missing:\n{for_people}");
    }
}

#[test]
fn info_shows_the_defaults_of_settings_that_nobody_set() {
    let bench = Bench::new();
    bench.settings("[profiles.uni]\nbase_url = 'https://one.example/api/v1/ext'\n");
    let info = json(&bench, info(&bench, &[]));
    for (name, value) in [
        ("theme", "auto"),
        ("clipboard", "auto"),
        ("notice", "off"),
        ("refresh", "off"),
        ("restore", "true"),
        ("recent", "true"),
        ("jobs.in_flight", "2"),
        ("jobs.batch", "1000"),
        ("jobs.doubt_window_hours", "26"),
        ("jobs.policies.valid", "ask"),
        ("index.enabled", "false"),
        ("index.max_age_days", "730"),
        ("profile.environment", "live"),
        ("profile.read_only", "false"),
        ("profile.rate_limit", "1000"),
        ("profile.proxy", "null"),
    ] {
        assert_eq!(told(&info, name), pair(value, "default"), "{name}");
    }
    assert_eq!(told(&info, "language"), pair("en", "environment"), "LANG");
}

#[test]
fn info_names_the_source_that_wins() {
    let bench = Bench::new();
    bench.settings(&format!(
        "{}[profiles.uni.jobs]\nin_flight = 5\npolicies = {{ valid = 'allow' }}\n[profiles.uni.index]\nenabled = false\n",
        all().replace("profiles.uni.read_only = true", "profiles.uni.read_only = false")
    ));
    let flags =
        ["--theme", "light", "--glyphs", "unicode", "--pictures", "none", "--profile", "uni", "--read-only"];
    let said = json(&bench, info(&bench, &flags));
    for (name, value) in [
        ("theme", "light"),
        ("glyphs", "unicode"),
        ("pictures", "none"),
        ("profile", "uni"),
        ("profile.read_only", "true"),
    ] {
        assert_eq!(told(&said, name), pair(value, "flag"), "{name}");
    }
    for (name, value) in
        [("jobs.in_flight", "5"), ("jobs.policies.valid", "allow"), ("index.enabled", "false")]
    {
        assert_eq!(told(&said, name), pair(value, "profile"), "{name}");
    }
    assert_eq!(told(&said, "jobs.batch"), pair("70", "config.toml"));

    // An address in the environment is another service, of which the file says nothing.
    let mut elsewhere = info(&bench, &["--profile", "uni"]);
    elsewhere.env("LAPEL_BASE_URL", "https://two.example/api/v1/ext").env("LAPEL_API_KEY", "hidden-word-01");
    let said = json(&bench, elsewhere);
    assert_eq!(told(&said, "profile.base_url"), pair("https://two.example/api/v1/ext", "environment"));
    assert_eq!(told(&said, "profile.key"), pair("LAPEL_API_KEY", "environment"));
    assert_eq!(told(&said, "profile.environment"), pair("live", "default"));
    assert_eq!(told(&said, "profile.key_prefix"), pair("null", "default"));
    assert_eq!(told(&said, "profile.rate_limit"), pair("600", "config.toml"));
}

#[test]
fn the_profile_of_the_environment_is_told_in_full() {
    let bench = Bench::new();
    let said = json(&bench, bench.lapel(&["info", "--read-only"]));
    assert_eq!(told(&said, "profile"), pair("environment", "environment"));
    assert_eq!(told(&said, "profile.base_url"), pair(bench.sandbox.base_url(), "environment"));
    assert_eq!(told(&said, "profile.environment"), pair("live", "default"));
    assert_eq!(told(&said, "profile.read_only"), pair("true", "flag"));
    assert_eq!(said["profile"]["overrides"], serde_json::json!(["LAPEL_BASE_URL", "LAPEL_API_KEY"]));
    let mut named = bench.lapel(&["info"]);
    named.env("LAPEL_PROFILE", "ours");
    assert_eq!(told(&json(&bench, named), "profile"), pair("ours", "environment"));
}

#[test]
fn what_is_kept_for_later_is_among_the_paths() {
    let bench = Bench::new();
    bench.settings("theme = 'none'\n");
    bench.write("data/pictures/one", "");
    bench.write("data/index/one.sqlite", "");
    let said = json(&bench, bench.lapel(&["info"]));
    let paths = said["paths"].as_array().expect("paths");
    for folder in ["pictures", "index"] {
        let path = bench.path(&format!("data/{folder}"));
        let found = paths.iter().find(|one| one["path"] == path.to_string_lossy().as_ref());
        assert_eq!(found.unwrap_or_else(|| panic!("{folder}: {said}"))["kind"], "folder");
    }
}

#[test]
fn mistakes_in_the_files_of_the_app_are_reported_in_full() {
    let bench = Bench::new();
    bench.settings("");
    for (file, text) in [
        ("keys.toml", "[list]\ndown = 5\nnothing = 'x'\n[nowhere]\nquit = 'q'\n"),
        ("filters.toml", "[history.mine]\nnobody = 'x'\n"),
    ] {
        std::fs::write(bench.path("config").join(file), text).expect("written");
    }
    let told = json(&bench, info(&bench, &[]));
    let remarks: Vec<&str> =
        told["remarks"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    for part in [
        "keys.toml, line 2: list.down",
        "keys.toml, line 3: list.nothing",
        "keys.toml, line 5: nowhere",
        "filters.toml, line 2",
    ] {
        assert_eq!(remarks.iter().filter(|remark| remark.contains(part)).count(), 1, "{part}: {remarks:?}");
    }
}
