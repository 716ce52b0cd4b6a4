//! Completion of the command line: the shell runs lapel, which answers with words and says nothing else.

use super::kit::Bench;
use std::fs;
use std::process::Output;

/// What lapel offers for the last word, a line each, as it answers fish.
fn offered(bench: &Bench, words: &[&str]) -> Vec<String> {
    let mut command = bench.lapel(&[&["--", "lapel"], words].concat());
    command.env("_LAPEL_COMPLETE", "fish").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    quiet(bench, command.output().expect("it runs"))
}

#[track_caller]
fn quiet(bench: &Bench, output: Output) -> Vec<String> {
    let said = bench.said(output).ended(0);
    assert_eq!(said.err, "", "a completion is no place for a message");
    said.out.lines().map(str::to_owned).collect()
}

fn words(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split('\t').next().unwrap_or_default()).collect()
}

fn issued(bench: &Bench) {
    for template in ["TPL-001", "TPL-004"] {
        let issue = ["issue", "--template", template, "--to", "홍길동 <gildong@naru.example>", "--yes"];
        bench.run(&issue).ended(0);
    }
}

#[test]
fn jobs_and_templates_of_the_journal_are_offered_with_their_titles() {
    let bench = Bench::new();
    issued(&bench);
    let requests = bench.requests();
    let jobs = offered(&bench, &["jobs", "show", ""]);
    assert_eq!(words(&jobs).iter().filter(|word| !word.starts_with('-')).collect::<Vec<_>>(), [&"2", &"1"]);
    assert!(jobs.iter().any(|line| line == "2\t데이터 시각화 역량 인증"), "{jobs:?}");
    assert_eq!(words(&offered(&bench, &["issue", "--template", ""])), ["TPL-004", "TPL-001"]);
    assert_eq!(words(&offered(&bench, &["issue", "--template", "TPL-001"])), ["TPL-001"]);
    assert!(words(&offered(&bench, &["template", ""])).contains(&"TPL-004"));
    // The jobs of another profile are not its own.
    assert!(!words(&offered(&bench, &["--profile", "uni", "jobs", "show", ""])).contains(&"1"));
    assert_eq!(bench.requests(), requests, "no completion sends a request");
}

#[test]
fn a_verb_is_offered_only_jobs_that_it_can_do_something_with() {
    let bench = Bench::new();
    issued(&bench);
    // So lapel learns that the service shows waiting badges, and can prove what the refusal did.
    bench.run(&["jobs", "follow"]).ended(0);
    bench.control().set_quota(Some(0));
    bench.run(&["issue", "--template", "TPL-001", "--to", "하나 <hana@naru.example>", "--yes"]).ended(4);
    let requests = bench.requests();
    let jobs = |verb: &str| -> Vec<String> {
        let all = offered(&bench, &["jobs", verb, ""]);
        words(&all).into_iter().filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
    };
    for (verb, offers) in [
        ("show", &["3", "2", "1"][..]),
        ("receipt", &["3", "2", "1"]),
        ("undo", &["2", "1"]),
        ("resume", &["3"]),
        ("use-up", &["3"]),
        ("cancel", &["3"]),
        ("redo", &["3"]),
        ("pause", &[]),
        ("retry", &[]),
        ("resend", &[]),
        ("resolve", &[]),
    ] {
        assert_eq!(jobs(verb), offers, "{verb}");
    }
    assert_eq!(bench.requests(), requests, "no completion sends a request");
}

#[test]
fn a_title_is_completed_as_well_as_an_id() {
    let bench = Bench::new();
    issued(&bench);
    for verb in [&["issue", "--template"][..], &["template"]] {
        let all = offered(&bench, &[verb, &["데이터"]].concat());
        assert_eq!(all, ["데이터 시각화 역량 인증\tTPL-004"], "{verb:?}");
    }
    assert!(offered(&bench, &["history", "--template", "데이터"]).is_empty(), "its filter takes only ids");
}

#[test]
fn templates_that_were_read_are_offered_before_the_first_issue() {
    let bench = Bench::new();
    let templates = |words_before: &[&str]| {
        let all = offered(&bench, &[words_before, &["issue", "--template", "TPL"]].concat());
        words(&all).len()
    };
    assert_eq!(templates(&[]), 0);
    bench.run(&["history"]).ended(0);
    assert_eq!(templates(&[]), 0, "it is no list of templates");
    bench.run(&["templates", "--rows", "7"]).ended(0);
    let requests = bench.requests();
    assert_eq!(templates(&[]), 7);
    assert!(offered(&bench, &["template", "TPL-004"]).iter().any(|line| line.starts_with("TPL-004\t")));
    assert_eq!(templates(&["--profile", "uni"]), 0, "another profile has not read them");
    assert_eq!(bench.requests(), requests, "no completion sends a request");
    issued(&bench);
    let all = offered(&bench, &["issue", "--template", ""]);
    assert_eq!(words(&all)[..2], ["TPL-004", "TPL-001"], "those that were issued come first");
    bench.run(&["templates", "--all"]).ended(0);
    assert!(templates(&[]) > 7);
    bench.run(&["jobs", "purge", "--older-than", "1"]).ended(0);
    assert!(templates(&[]) > 7, "they are not old");
    bench.run(&["jobs", "purge", "--older-than", "0"]).ended(0);
    assert!(templates(&[]) <= 2);
    bench.settings("recent = false\n");
    bench.run(&["templates", "--all"]).ended(0);
    assert!(templates(&[]) <= 2, "nothing is kept");
}

#[test]
fn profiles_verbs_and_files_are_offered() {
    let bench = Bench::new();
    bench.settings("[profiles.uni]\nbase_url = \"https://a.example/api\"\n[profiles.\"$(reboot)\"]\nbase_url = \"https://b.example/api\"\n");
    assert_eq!(
        words(&offered(&bench, &["ping", "--profile", ""])),
        ["uni"],
        "nothing that a shell would run"
    );
    assert_eq!(words(&offered(&bench, &["profile", "edit", "u"])), ["uni"]);
    assert!(words(&offered(&bench, &["jobs", "re"])).contains(&"resume"));
    bench.write("people.csv", "");
    assert!(words(&offered(&bench, &["issue", "--recipients", "peo"])).contains(&"people.csv"));
    assert!(!bench.path("data").exists(), "a completion creates nothing");
}

#[test]
fn a_journal_that_cannot_be_read_offers_nothing_and_says_nothing() {
    let bench = Bench::new();
    issued(&bench);
    let journal = bench.path("data/journal.sqlite");
    let state = || {
        let mut names: Vec<_> =
            fs::read_dir(bench.path("data")).expect("a folder").flatten().map(|e| e.file_name()).collect();
        names.sort();
        (fs::read(&journal).expect("the journal"), names)
    };
    let is_offered = || words(&offered(&bench, &["jobs", "show", ""])).contains(&"1");
    {
        let held = rusqlite::Connection::open(&journal).expect("opened");
        held.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("locked");
        assert!(!is_offered(), "it is locked");
    }
    // With and without SQLite's files beside it.
    for holds in [true, false] {
        let held = holds.then(|| {
            let held = rusqlite::Connection::open(&journal).expect("opened");
            held.query_row("SELECT count(*) FROM job", [], |row| row.get::<_, i64>(0)).expect("read");
            held
        });
        let before = state();
        assert!(is_offered());
        assert!(state() == before, "it is only read");
        drop(held);
    }
    for damage in
        ["this is no journal, and it is long enough to be looked at by somebody who reads the header", ""]
    {
        bench.write("data/journal.sqlite", damage);
        assert!(!is_offered());
    }
    bench.settings("[profiles.uni\nbase_url = 7\n");
    offered(&bench, &["ping", "--profile", ""]);
    offered(&bench, &["no-such-verb", "--no-such-flag", ""]);
    let mut command = bench.lapel(&["--", "lapel", ""]);
    quiet(&bench, command.env("_LAPEL_COMPLETE", "tcsh").output().expect("it runs"));
}

/// A key that was typed by mistake is not repeated.
#[test]
fn no_completion_repeats_what_was_typed() {
    let bench = Bench::new();
    let key = bench.sandbox.api_key().to_owned();
    for words in [["issue", "--template", &key], ["jobs", "show", &key], ["ping", "--profile", &key]] {
        offered(&bench, &words);
    }
}

/// The real shell, where it is installed.
#[test]
fn bash_completes_a_job() {
    let bench = Bench::new();
    issued(&bench);
    let script = bench.write("completion.bash", bench.run(&["completions", "bash"]).ended(0).out);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_lapel")).parent().expect("a folder").to_owned();
    let typed = format!(
        "source '{script}'; COMP_WORDS=(lapel jobs show ''); COMP_CWORD=3; COMP_TYPE=9; \
         _clap_complete_lapel lapel '' show; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let lapel = bench.lapel(&[]);
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", &typed]).current_dir(bench.home.path()).env_clear();
    for (name, value) in lapel.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        bash.env(name, value);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program).chain(std::env::split_paths(&path));
    bash.env("PATH", std::env::join_paths(folders).expect("a path"));
    match bash.output() {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            crate::team::say_skipped("bash is not installed");
        }
        output => assert!(quiet(&bench, output.expect("it runs")).contains(&"1".to_owned())),
    }
}
