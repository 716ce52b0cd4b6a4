//! Keys in the wrong place, and what must not be left behind: in arguments, files of recipients, logs, child
//! processes, the journal, and a core dump.

use super::kit::{Bench, Running, count};
use crate::texts::msg_part;
use std::fs;
use std::path::Path;

/// Of another profile, in a file; and one that is in a keyring, of which the settings have the fingerprint.
const OTHER: &str = "uni_prod_99887766554433221100";
const IN_KEYRING: &str = "Zq8vT1mWc5YxQq";
/// Of the shape of a key, and not one.
const SHAPED: &str = "bdg_live_0011223344556677";
/// What is searched for in files.
const PEOPLE: [&str; 3] = ["김하나별", "person1@naru.example", "person2@naru.example"];

/// All files below a folder that hold one of these texts.
fn holding(folder: &Path, texts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, texts));
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let has = |text: &&str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        if texts.iter().any(has) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn with_profiles(bench: &Bench) {
    bench.settings(&format!(
        "[profiles.file]\nbase_url = \"https://a.example/api/v1/ext\"\n\
         [profiles.variable]\nbase_url = \"https://b.example/api/v1/ext\"\nkey = {{ env = \"B_KEY\" }}\n\
         [profiles.ring]\nbase_url = \"https://c.example/api/v1/ext\"\nkey = {{ keyring = true }}\n\
         key_prefix = \"Zq8\"\nkey_fingerprint = \"{}\"\n",
        lapel::secrets::fingerprint(IN_KEYRING)
    ));
    bench.write("config/keys/file", OTHER);
}

#[test]
fn an_argument_that_is_a_key_is_refused_before_anything_is_asked() {
    let bench = Bench::new();
    with_profiles(&bench);
    let own = bench.sandbox.api_key();
    let in_variable = "variable-key-of-b-00112233";
    for key in [own, &own[..24], OTHER, "uni_prod_another_key_of_them", in_variable, IN_KEYRING] {
        let pasted = format!("  {key}\n");
        let person = format!("{key} <a@naru.example>");
        let reason = format!("the key {key} was used");
        let filter = format!("title={key}");
        let [pasted, person, reason, filter] = [&pasted, &person, &reason, &filter].map(String::as_str);
        for args in [
            &["badge", key][..],
            &["badge", pasted],
            &["wallet", key],
            &["template", key],
            &["category", key],
            &["history", "--title", key],
            &["history", "--recipient-name", key],
            &["templates", "--template-id", key],
            &["categories", "--category-name", key],
            &["issue", "--template", key, "--to", "a <a@naru.example>", "--yes"],
            &["issue", "--template", "TPL-001", "--to", person, "--yes"],
            &["revoke", key, "--reason", "twice", "--yes"],
            &["revoke", "B-1", "--reason", reason, "--yes"],
            &["jobs", "show", key],
            &["--filter", filter],
            &["--tab", key],
            &["profile", "add", key],
            // What is no command at all is repeated by nobody.
            &[key],
            &["badge", "--no-such-flag", key],
        ] {
            let mut command = bench.lapel(args);
            command.env("B_KEY", in_variable).env("LAPEL_LOG", "trace");
            let said = bench.said(command.output().expect("it runs")).ended(2);
            assert!(
                said.err.contains(msg_part("looks like an API key. Nothing was sent.")),
                "{args:?}: {}",
                said.err
            );
            assert!(!said.err.contains(key) && said.out.is_empty(), "{args:?}: {}{}", said.err, said.out);
        }
        let mut command = bench.lapel(&["badge", key, "--json"]);
        command.env("B_KEY", in_variable);
        let answer = bench.said(command.output().expect("it runs")).ended(2).json();
        assert_eq!(answer["error"]["kind"], "api_key", "{answer}");
        assert_eq!(holding(&bench.path("data"), &[key]), [""; 0]);
    }
    assert_eq!(bench.requests(), 0);
}

#[test]
fn mere_shape_is_refused_where_nobody_can_be_asked_and_a_flag_allows_it() {
    let bench = Bench::new();
    for args in [&["badge", SHAPED][..], &["history", "--title", SHAPED], &["--filter", SHAPED]] {
        let said = bench.run(args).ended(2);
        assert!(
            said.err.contains(msg_part("begins with bdg_…")) && said.err.contains("--not-a-key"),
            "{}",
            said.err
        );
        assert!(!said.err.contains(SHAPED), "{}", said.err);
    }
    assert_eq!(bench.json(&["badge", SHAPED], 2)["error"]["kind"], "api_key");
    assert_eq!(bench.requests(), 0);
    bench.run(&["badge", SHAPED, "--not-a-key"]).ended(1);
    bench.run(&["--not-a-key", "history", "--title", SHAPED]).ended(0);
    assert!(bench.requests() > 1);
    let own = bench.sandbox.api_key();
    bench.run(&["badge", own, "--not-a-key"]).ended(2);
}

#[test]
fn a_key_in_a_file_is_a_row_that_is_not_sent_and_is_written_nowhere() {
    let bench = Bench::new();
    let key = bench.sandbox.api_key().to_owned();
    let file = bench.write(
        "people.csv",
        format!("name,email,note\n{key},a@naru.example,x\n김하나,hana@naru.example,{key}\n이두리,{key},y\n"),
    );
    let said = bench.json(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"], 3);
    assert_eq!((count(&said["jobs"][0], "waiting"), count(&said["jobs"][0], "invalid")), (1, 2), "{said}");
    assert!(
        said["rows"][0]["why"].as_str().is_some_and(|why| why.contains(msg_part("looks like an API key"))),
        "{said}"
    );
    let id = said["jobs"][0]["id"].to_string();
    for verb in ["receipt", "redo"] {
        let to = bench.path(&format!("{verb}.csv"));
        bench.run(&["jobs", verb, &id, "--to", to.to_str().expect("UTF-8")]).ended(0);
        assert!(fs::read_to_string(&to).expect("text").contains("[key]"));
        #[cfg(unix)]
        assert_eq!(lapel::fs::mode_of(&fs::metadata(&to).expect("there")), 0o600, "{verb}");
    }
    let ids = bench.write("ids.csv", format!("badge_id\nB-1\n{key}\n"));
    let said = bench.json(&["revoke", "--ids", &ids, "--reason", "twice", "--yes"], 3);
    assert_eq!(count(&said["jobs"][0], "invalid"), 1, "{said}");
    let left: Vec<String> = holding(bench.home.path(), &[&key]);
    assert!(left.iter().all(|file| file.ends_with("people.csv") || file.ends_with("ids.csv")), "{left:?}");
}

/// Issues to two people, and waits until their badges are Issued.
fn finished(bench: &Bench) -> String {
    let issue = ["issue", "--template", "TPL-001", "--to", "김하나별 <person1@naru.example>"];
    let issue = [&issue[..], &["--to", "김두리 <person2@naru.example>", "--yes"]].concat();
    let said = bench.json(&issue, 0);
    bench.advance(10);
    bench.run(&["jobs", "follow"]).ended(0);
    said["jobs"][0]["id"].to_string()
}

#[test]
fn what_is_purged_is_in_no_file_of_the_journal() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    finished(&bench);
    assert!(!holding(&bench.path("data"), &PEOPLE).is_empty(), "the journal has them until then");
    bench.run(&["jobs", "purge", "--older-than", "0"]).ended(0);
    assert_eq!(holding(&bench.path("data"), &PEOPLE), [""; 0]);
}

#[test]
fn what_is_purged_is_gone_while_another_program_has_the_journal_open() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    finished(&bench);
    let db = rusqlite::Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
    let rows: i64 = db.query_row("SELECT count(*) FROM row", [], |r| r.get(0)).expect("rows");
    assert_eq!(rows, 2);
    bench.run(&["jobs", "purge", "--older-than", "0"]).ended(0);
    // The log is there, since it is open, and is empty.
    assert!(bench.path("data/journal.sqlite-wal").exists());
    assert_eq!(holding(&bench.path("data"), &PEOPLE), [""; 0]);
}

#[test]
fn a_dry_run_leaves_nothing_and_says_what_the_real_run_says() {
    let bench = Bench::new();
    let scratch = bench.path("scratch");
    fs::create_dir(&scratch).expect("a folder");
    let rows: Vec<String> = (0..3000).map(|n| format!("김하나별,person{n}@naru.example")).collect();
    let file = bench.write("people.csv", format!("name,email\n{}\n", rows.join("\n")));
    let dry = || {
        let mut command =
            bench.lapel(&["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run", "--json"]);
        command.env("TMPDIR", &scratch).env("SQLITE_TMPDIR", &scratch);
        bench.said(command.output().expect("it runs"))
    };
    let said = dry().ended(0).json();
    assert_eq!(said["would_send"], 3000, "{said}");
    assert!(!bench.path("data/journal.sqlite").exists(), "there was no journal, and there is none now");
    assert_eq!(holding(bench.home.path(), &PEOPLE), std::slice::from_ref(&file));
    // What the journal knows counts in a dry run as it does in a real one.
    bench
        .run(&["issue", "--template", "TPL-001", "--to", "김하나별 <person1@naru.example>", "--yes"])
        .ended(0);
    let before = fs::read(bench.path("data/journal.sqlite")).expect("the journal");
    let said = dry().ended(3).json();
    assert_eq!((&said["would_send"], &said["held_back"]), (&2999.into(), &1.into()), "{said}");
    let after = fs::read(bench.path("data/journal.sqlite")).expect("the journal");
    assert!(after == before, "a byte of the journal has changed");
    assert_eq!(holding(bench.home.path(), &["person2@naru.example"]), std::slice::from_ref(&file));
    assert_eq!(bench.json(&["jobs"], 0)["jobs"].as_array().map(Vec::len), Some(1));
    assert_eq!(bench.posts(), 1);
}

#[cfg(unix)]
#[test]
fn a_dry_run_that_is_killed_leaves_nothing_either() {
    let bench = Bench::new();
    let scratch = bench.path("scratch");
    fs::create_dir(&scratch).expect("a folder");
    let rows: Vec<String> = (0..20_000).map(|n| format!("김하나별,person{n}@naru.example")).collect();
    let file = bench.write("people.csv", format!("name,email\n{}\n", rows.join("\n")));
    // The rows are written down before it is asked who holds the badge.
    bench.fault("get /badges/history hold");
    let mut command = bench.lapel(&["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"]);
    command.env("TMPDIR", &scratch).env("SQLITE_TMPDIR", &scratch);
    let running = Running::start(command);
    bench.until("the question who holds it", |b| b.requests_to("GET /badges/history") > 0);
    running.signal(rustix::process::Signal::KILL);
    drop(running);
    assert_eq!(holding(bench.home.path(), &PEOPLE), [file]);
    assert_eq!(fs::read_dir(&scratch).expect("a folder").count(), 0, "no file under any name");
}

#[cfg(unix)]
#[test]
fn a_program_that_prints_the_key_gets_no_other_key() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let (seen, script) = (bench.path("seen"), bench.path("print-key"));
    let key = bench.sandbox.api_key();
    bench.write("print-key", format!("#!/bin/sh\nenv > '{}'\necho '{key}'\n", seen.display()));
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("a program");
    bench.settings(&format!(
        "[profiles.one]\nbase_url = \"{}\"\nkey_command = [\"{}\"]\n\
         [profiles.two]\nbase_url = \"https://b.example/api/v1/ext\"\nkey = {{ env = \"B_KEY\" }}\n",
        bench.sandbox.base_url(),
        script.display()
    ));
    let mut command = bench.lapel(&["--profile", "one", "ping"]);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
    command.env("B_KEY", "variable-key-of-b-00112233").env("HARMLESS", "kept");
    bench.said(command.output().expect("it runs")).ended(0);
    let seen = fs::read_to_string(&seen).expect("the command was run");
    assert!(
        seen.contains("HARMLESS=kept") && !seen.contains("B_KEY") && !seen.contains("00112233"),
        "{seen}"
    );
}

/// The owner of the files of a process below `/proc` may read its memory and its environment.
#[cfg(target_os = "linux")]
#[test]
fn no_core_dump_is_written_and_no_other_process_of_the_user_reads_the_memory() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let bench = Bench::new();
    let is_root = rustix::process::geteuid().is_root();
    let mut command = bench.lapel(&["sandbox", "--listen", "127.0.0.1:0", "--history", "0"]);
    if is_root {
        // Where everything belongs to root, it cannot be told to whom a process belongs.
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    command.stdout(std::process::Stdio::null());
    let running = match command.spawn() {
        Ok(child) => Running::of(child),
        // The folder of the program is closed to everybody else here.
        Err(why) if is_root && why.kind() == std::io::ErrorKind::PermissionDenied => return,
        Err(why) => panic!("it does not start: {why}"),
    };
    let proc = format!("/proc/{}", running.id());
    bench.until("it begins", |_| {
        let limits = fs::read_to_string(format!("{proc}/limits")).unwrap_or_default();
        let core: Vec<&str> = limits
            .lines()
            .find_map(|l| l.strip_prefix("Max core file size"))
            .map(|l| l.split_whitespace().collect())
            .unwrap_or_default();
        core.starts_with(&["0", "0"])
    });
    bench.until("its memory is its own", |_| {
        fs::metadata(format!("{proc}/environ")).is_ok_and(|about| about.uid() == 0)
    });
}
