//! `lapel profile`, and the guard against another organisation's key, on the real binary.

use super::kit::{Bench, Said};
use crate::texts::{msg, msg_part, msg_with};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

/// `lapel` with nothing of a service in its environment.
fn run(bench: &Bench, args: &[&str], input: &str) -> Said {
    let mut command = bench.lapel(args);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").stdin(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // One that asks for nothing has ended by now.
    let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    drop(stdin);
    let said = bench.said(child.wait_with_output().expect("it ends"));
    for key in bench.sandbox.keys() {
        assert!(!said.out.contains(&key.key) && !said.err.contains(&key.key), "{}{}", said.out, said.err);
    }
    said
}

fn json(bench: &Bench, args: &[&str], input: &str, code: i32) -> Value {
    run(bench, &[args, &["--json"]].concat(), input).ended(code).json()
}

/// The key of an organisation of the sandbox.
fn key(bench: &Bench, org: &str) -> String {
    bench.sandbox.keys().iter().find(|key| key.org == org).expect(org).key.clone()
}

fn add(bench: &Bench, name: &str, more: &[&str], key: &str, code: i32) -> Said {
    let base = ["profile", "add", name, "--base-url", bench.sandbox.base_url(), "--key-stdin"];
    run(bench, &[&base[..], more].concat(), &format!("{key}\n")).ended(code)
}

fn config(bench: &Bench) -> String {
    fs::read_to_string(bench.path("config/config.toml")).unwrap_or_default()
}

#[test]
fn a_profile_is_checked_kept_listed_tested_and_removed() {
    let bench = Bench::new();
    let key = key(&bench, "dalmuri");
    let said = add(&bench, "uni", &["--environment", "live"], &key, 0);
    assert!(
        said.out.contains(msg_part("Saved profile uni: LIVE")) && said.out.contains("dmu_live_"),
        "{}",
        said.out
    );
    assert!(said.out.contains("달무리대학교"), "the issuer is shown: {}", said.out);
    assert!(said.err.contains("profile edit uni --utc-offset"), "nobody was asked: {}", said.err);
    assert_eq!(bench.posts(), 0);
    let text = config(&bench);
    assert!(text.contains("key_prefix = \"dmu_live_\"") && text.contains("key_fingerprint = "), "{text}");
    assert!(text.contains("organisation = \"달무리대학교"), "what the service calls it: {text}");
    assert_eq!(fs::read_to_string(bench.path("config/keys/uni")).expect("kept").trim(), key);

    let list = json(&bench, &["profile"], "", 0);
    assert_eq!(list["profiles"][0]["name"], "uni");
    assert_eq!(
        (&list["profiles"][0]["default"], &list["profiles"][0]["key_prefix"]),
        (&true.into(), &"dmu_live_".into())
    );
    let shown = run(&bench, &["profile", "list"], "").ended(0);
    assert!(shown.out.contains("* uni") && shown.out.contains("keys/uni"), "{}", shown.out);

    let tested = json(&bench, &["profile", "test", "uni"], "", 0);
    assert_eq!(tested["said_prefix"], "dmu_live_");
    assert_eq!(tested["warnings"], Value::Array(Vec::new()));
    run(&bench, &["ping", "--profile", "uni"], "").ended(0);

    let refused = run(&bench, &["profile", "remove", "uni"], "uni\n").ended(2);
    assert!(refused.err.contains("--yes") && bench.path("config/keys/uni").exists(), "{}", refused.err);
    let removed = json(&bench, &["profile", "remove", "uni", "--yes"], "", 0);
    assert_eq!((&removed["removed"], &removed["was_default"]), (&"uni".into(), &true.into()));
    assert!(!bench.path("config/keys/uni").exists() && !config(&bench).contains("uni"));
}

#[test]
fn a_profile_that_fails_its_check_is_not_saved() {
    let bench = Bench::new();
    for (more, key, code, said) in [
        (&[][..], "no_such_key_0123456789", 1, msg_part("refused the API key")),
        (&["--environment", "live"][..], "", 2, msg_part("contains no key")),
        (&["--proxy", "not an address"][..], "k-1234", 2, "proxy"),
        (&["--ca-file", "/no/such.pem"][..], "k-1234", 2, "ca_file"),
        (&["--utc-offset", "25:99"][..], "k-1234", 2, "utc_offset"),
        (&["--key-from", "env:NOT_SET_HERE"][..], "", 2, "--key-stdin needs --key-from"),
    ] {
        let answer = add(&bench, "uni", more, key, code);
        assert!(answer.err.contains(said), "{said}: {}", answer.err);
        assert_eq!(answer.err.matches(msg_part("Nothing was saved.")).count(), 1, "{}", answer.err);
        assert!(!bench.path("config/config.toml").exists() && !bench.path("config/keys/uni").exists());
    }
    let no_key = run(&bench, &["profile", "add", "uni", "--base-url", bench.sandbox.base_url()], "").ended(2);
    assert!(no_key.err.contains("--key-stdin"), "{}", no_key.err);
    let nothing = run(&bench, &["profile", "add"], "").ended(2);
    assert!(nothing.err.contains(&msg_with("{name} is missing", &[&"name"])), "{}", nothing.err);
    let flag = run(&bench, &["profile", "add", "uni", "--key", "dmu_live_s3cret"], "").ended(2);
    assert!(flag.err.contains(msg_part("no flag takes an API key")), "{}", flag.err);
    // Without a bus there is no keyring, and nothing hangs.
    let place = ["--key-from", "keyring"];
    let good = key(&bench, "dalmuri");
    let answer = add(&bench, "uni", &place, &good, 2);
    assert!(answer.err.contains(msg("keyring")) && answer.err.contains(msg("file")), "{}", answer.err);
    assert!(answer.err.contains(msg_part("Nothing was saved.")), "{}", answer.err);
    assert!(!answer.err.contains("profile edit"), "there is no such profile: {}", answer.err);
    assert!(!config(&bench).contains("uni"));
}

#[test]
fn keys_that_are_elsewhere_are_found_there() {
    let bench = Bench::new();
    let key = key(&bench, "saebyeok");
    let file = bench.write("secret", format!("{key}\n"));
    #[cfg(unix)]
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("chmod");
    let base = ["profile", "add", "--base-url", bench.sandbox.base_url(), "--environment", "demo"];
    let place = format!("file:{file}");
    run(&bench, &[&base[..], &["one", "--key-from", &place]].concat(), "").ended(0);
    let command = ["--name", "two", "--key-from", "command", "--", "/bin/cat", &file];
    let said = run(&bench, &[&base[..], &command].concat(), "").ended(0);
    assert!(said.err.contains(msg_part("Badges issued with it may be real")), "a live key: {}", said.err);
    assert!(!bench.path("config/keys/one").exists() && !bench.path("config/keys/two").exists());
    for name in ["one", "two"] {
        assert_eq!(json(&bench, &["profile", "test", name], "", 0)["said_prefix"], "sbg_live_");
        run(&bench, &["ping", "--profile", name], "").ended(0);
        run(&bench, &["profile", "remove", name, "--yes"], "").ended(0);
    }
    assert_eq!(fs::read_to_string(&file).expect("there").trim(), key, "it is not lapel's");
}

#[test]
fn another_organisations_key_is_asked_nothing_until_it_is_pinned() {
    let bench = Bench::new();
    add(&bench, "uni", &["--organisation", "달무리"], &key(&bench, "dalmuri"), 0);
    let issue = ["issue", "--template", "TPL-004", "--to", "a <a@naru.example>", "--yes", "--profile", "uni"];
    run(&bench, &issue, "").ended(0);
    assert_eq!(bench.accepted(), 1);

    // The key file is another organisation's now.
    fs::write(bench.path("config/keys/uni"), key(&bench, "saebyeok")).expect("written");
    let (before, posts) = (bench.requests(), bench.posts());
    let said = run(&bench, &[&issue[..], &["--json"]].concat(), "").ended(1);
    assert_eq!(said.json()["error"]["kind"], "other_key");
    for part in ["Profile uni", "dmu_live_", "sbg_live_", "lapel profile edit uni --pin"] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert_eq!((bench.requests() - before, bench.posts()), (1, posts), "one ping, and nothing else");
    for args in
        [&["ping", "--profile", "uni"][..], &["profile", "test", "uni"], &["doctor", "--profile", "uni"]]
    {
        let said = run(&bench, args, "").ended(1);
        assert!(format!("{}{}", said.out, said.err).contains("sbg_live_"), "{args:?}: {}", said.err);
    }
    // A swapped variable is noticed as well.
    fs::write(bench.path("config/keys/uni"), key(&bench, "dalmuri")).expect("written");
    let mut swapped = bench.lapel(&["ping", "--profile", "uni"]);
    swapped.env("LAPEL_API_KEY", key(&bench, "neoreun"));
    let said = bench.said(swapped.output().expect("it runs")).ended(1);
    assert!(said.err.contains("nrb_live_"), "{}", said.err);

    // A new key is refused as well, unless a person says that it is the right one; then the jobs continue with it.
    let new = format!("{}\n", key(&bench, "saebyeok"));
    let said = run(&bench, &["profile", "edit", "uni", "--key-stdin"], &new).ended(1);
    assert!(
        said.err.contains("sbg_live_") && said.err.contains(msg_part("Nothing was saved")),
        "{}",
        said.err
    );
    let pinned = json(&bench, &["profile", "edit", "uni", "--key-stdin", "--pin"], &new, 0);
    assert_eq!(
        (&pinned["profile"]["key_prefix"], &pinned["jobs_taken_over"]),
        (&"sbg_live_".into(), &1.into())
    );
    let jobs = json(&bench, &["jobs", "--profile", "uni"], "", 0);
    assert_eq!(jobs["jobs"].as_array().map(Vec::len), Some(1), "{jobs}");
    let theirs =
        ["issue", "--template", "TPL-019", "--to", "b <b@naru.example>", "--yes", "--profile", "uni"];
    let said = run(&bench, &theirs, "").ended(0);
    assert!(said.err.contains("새벽강"), "the label is another organisation's: {}", said.err);
}

#[test]
fn a_profile_is_changed_and_keeps_its_pin() {
    let bench = Bench::new();
    add(&bench, "uni", &[], &key(&bench, "dalmuri"), 0);
    let nothing = run(&bench, &["profile", "edit", "uni"], "").ended(2);
    assert!(nothing.err.contains("--help"), "{}", nothing.err);
    let before = bench.requests();
    let args =
        ["profile", "edit", "uni", "--environment", "staging", "--read-only", "--organisation", "우리"];
    run(&bench, &args, "").ended(0);
    assert_eq!(bench.requests(), before, "what leads nowhere else is not tried");
    let refused = run(&bench, &["revoke", "1", "--reason", "x", "--yes", "--profile", "uni"], "").ended(2);
    assert!(refused.err.contains(msg("read-only")), "{}", refused.err);
    let moved =
        run(&bench, &["profile", "edit", "uni", "--base-url", "http://127.0.0.1:9/api/v1/ext"], "").ended(1);
    assert!(
        moved.err.contains(msg_part("could not be reached"))
            && config(&bench).contains(bench.sandbox.base_url())
    );
    let nobody = run(&bench, &["profile", "edit", "nobody", "--pin"], "").ended(2);
    assert!(nobody.err.contains(msg_part("Profiles: uni")), "{}", nobody.err);
    assert!(config(&bench).contains("key_prefix = \"dmu_live_\""));
}

#[test]
fn a_profile_names_the_journal_of_its_team_and_its_password_is_never_shown() {
    const PASSWORD: &str = "w0rd of the journal";
    let bench = Bench::new();
    let run = |args: &[&str], input: &str, code: i32| {
        let said = run(&bench, args, input).ended(code);
        for hidden in [PASSWORD, "hunter2"] {
            assert!(!said.out.contains(hidden) && !said.err.contains(hidden), "{}{}", said.out, said.err);
        }
        said
    };
    let edit = |more: &[&str], input: &str, code: i32| {
        run(&[&["profile", "edit", "uni"], more].concat(), input, code)
    };
    add(&bench, "uni", &[], &key(&bench, "dalmuri"), 0);
    assert!(!run(&["profile", "list"], "", 0).out.contains(msg("JOURNAL")));
    assert!(json(&bench, &["profile", "list"], "", 0)["profiles"][0]["journal"].is_null());

    let before = bench.requests();
    for (more, said) in [
        (
            &["--journal-url", "postgres://kim:hunter2@db.example/badges"][..],
            msg_part("must not contain a password"),
        ),
        (&["--journal-password-stdin"], "--journal-url"),
        (&["--journal-url", "", "--journal-password-stdin"], "--journal-url"),
        (&["--journal-password-from", "command"], msg_part("needs the command at the end")),
        (
            &["--journal-password-from", "command", "--key-from", "command", "--", "pass"],
            msg_part("Only one of"),
        ),
        (
            &["--journal-url", "postgres://kim@db.example/badges", "--new-journal-password"],
            "--journal-password-stdin",
        ),
        (&["--journal-password-stdin", "--key-stdin"], "--key-stdin"),
        (&["--journal-ca-file", "team.pem"], "journal.url: "),
    ] {
        let refused = edit(more, "hunter2\n", 2);
        assert!(refused.err.contains(said), "{more:?}: {}", refused.err);
        assert!(!config(&bench).contains("journal"), "{more:?}");
    }
    edit(&["--journal-url", "postgres://kim@db.example/badges"], "", 0);
    edit(&["--journal-password-stdin"], &format!("{PASSWORD}\n"), 0);
    assert_eq!(bench.requests(), before, "its service is asked nothing");
    let file = bench.path("config/keys/uni.journal");
    assert_eq!(fs::read_to_string(&file).expect("stored"), format!("{PASSWORD}\n"));
    assert!(!config(&bench).contains(PASSWORD));
    let printed = bench.write("printed", "the w0rd of a command\n");
    edit(&["--journal-password-from", "command", "--", "cat", &printed], "", 0);
    assert!(config(&bench).contains("password_command"), "{}", config(&bench));
    edit(&["--journal-password-from", "file", "--journal-password-stdin"], &format!("{PASSWORD}\n"), 0);

    let team = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
    let team = bench.write("team.pem", team);
    let said = edit(&["--journal-ca-file", "no.pem"], "", 2);
    assert!(said.err.contains("journal.ca_file: ") && !config(&bench).contains("ca_file"), "{}", said.err);
    edit(&["--journal-ca-file", &team], "", 0);
    assert!(config(&bench).contains(&format!("ca_file = \"{team}\"\n")), "{}", config(&bench));
    edit(&["--journal-ca-file", ""], "", 0);
    assert!(!config(&bench).contains("ca_file"), "{}", config(&bench));

    let list = run(&["profile", "list"], "", 0).out;
    assert!(list.contains("db.example/badges") && !list.contains("kim"), "{list}");
    assert_eq!(json(&bench, &["profile", "list"], "", 0)["profiles"][0]["journal"], "db.example/badges");
    assert_eq!(json(&bench, &["profile", "test", "uni"], "", 0)["profile"]["journal"], "db.example/badges");
    let info = run(&["info"], "", 0).out;
    assert!(info.contains("db.example/badges") && info.contains("keys/uni.journal"), "{info}");
    assert!(!info.contains("kim@"), "{info}");
    let told = json(&bench, &["info"], "", 0)["profile"].clone();
    assert_eq!(told["journal.url"], "db.example/badges");
    assert!(told["journal.password_from"].as_str().expect("a text").contains("keys/uni.journal"), "{told}");

    // It is a secret wherever it is typed.
    let said = edit(&["--organisation", PASSWORD], "", 2);
    assert!(said.err.contains(msg_part("looks like an API key")), "{}", said.err);

    let removed = json(&bench, &["profile", "remove", "uni", "--yes"], "", 0);
    assert_eq!(removed["journal_password"], msg("Removed its journal password."));
    assert!(!file.exists());

    let new = [
        "--journal-url",
        "postgres://kim@/badges?host=/run/pg",
        "--journal-password-from",
        "env:DB_PASSWORD",
    ];
    let said = add(&bench, "uni", &new, &key(&bench, "dalmuri"), 2);
    assert!(said.err.contains(msg_part("is not set")) && !config(&bench).contains("uni"), "{}", said.err);
    let with_ca = |file| [&new[..2], &["--journal-ca-file", file]].concat();
    let said = add(&bench, "uni", &with_ca("no.pem"), &key(&bench, "dalmuri"), 2);
    assert!(said.err.contains("journal.ca_file: ") && !config(&bench).contains("uni"), "{}", said.err);
    add(&bench, "uni", &with_ca(&team), &key(&bench, "dalmuri"), 0);
    assert!(config(&bench).contains(&format!("ca_file = \"{team}\"\n")), "{}", config(&bench));
    assert_eq!(json(&bench, &["profile", "list"], "", 0)["profiles"][0]["journal"], "/run/pg/badges");
}

#[test]
fn info_tells_where_everything_is_and_no_key() {
    let bench = Bench::new();
    add(&bench, "uni", &["--default"], &key(&bench, "dalmuri"), 0);
    let before = bench.requests();
    let said = json(&bench, &["info"], "", 0);
    assert_eq!(bench.requests(), before, "it asks nobody");
    assert_eq!(
        (&said["profile"]["name"], &said["profile"]["key_prefix"]),
        (&"uni".into(), &"dmu_live_".into())
    );
    let settings = said["paths"].as_array().expect("paths").iter().find(|p| p["name"] == "settings");
    assert_eq!(settings.expect("it is there")["exists"], true);
    assert_eq!(said["lapel"]["version"], env!("CARGO_PKG_VERSION"));
    let text = bench.run(&["info"]).ended(0).out;
    for part in [
        "config.toml",
        "journal.sqlite",
        "LAPEL_API_KEY",
        "UTF-8",
        "config folder",
        "data/desk",
        "data/recent",
        "default ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Every mistake has a message, and stops nothing.
    bench.settings("theme = 7\n[profiles.uni]\n");
    let said = json(&bench, &["info"], "", 0);
    assert!(said["remarks"].to_string().contains("config.toml, line 1"), "{said}");
    // Without a home, too.
    let mut homeless = bench.lapel(&["info"]);
    homeless.env_clear();
    assert!(homeless.output().expect("it runs").status.success());
}

#[test]
fn completions_and_the_manual_page_are_printed() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = bench.run(&["completions", shell]).ended(0);
        assert!(said.out.contains("_LAPEL_COMPLETE"), "{shell}: {}", said.out);
        assert_eq!(said.err, "");
    }
    bench.run(&["completions", "tcsh"]).ended(2);
    let page = bench.run(&["man"]).ended(0).out;
    assert!(page.contains(".TH lapel 1") && page.contains(msg_part("profile add")), "{page}");
    assert!(!bench.path("config").exists() && !bench.path("data").exists());
}

#[test]
fn the_zone_of_a_profile_counts_on_a_computer_in_another_zone() {
    let bench = Bench::new();
    let key = key(&bench, "dalmuri");
    let said = add(&bench, "bad", &["--environment", "demo", "--utc-offset", "KST"], &key, 2);
    assert!(said.err.contains(msg("must be the offset from UTC, such as \"+09:00\"")), "{}", said.err);
    assert!(config(&bench).is_empty());
    add(&bench, "known", &["--environment", "demo", "--utc-offset", "+09:00"], &key, 0);
    add(&bench, "unknown", &["--environment", "demo"], &key, 0);
    assert_eq!(config(&bench).matches("utc_offset = \"+09:00\"").count(), 1);
    let abroad = |args: &[&str]| {
        let mut command = bench.lapel(args);
        command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").env("TZ", "EST5");
        bench.said(command.output().expect("it runs")).ended(0).out
    };
    let issue = ["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"];
    abroad(&[&["--profile", "known"], &issue[..]].concat());
    for (profile, zone) in [("known", "(UTC+9)"), ("unknown", "(UTC-5 assumed)")] {
        let listed = abroad(&["--profile", profile, "jobs"]);
        assert_eq!(listed.matches("UTC").count(), 1, "{listed}");
        assert!(listed.contains(zone), "{profile}: {listed}");
    }
}
