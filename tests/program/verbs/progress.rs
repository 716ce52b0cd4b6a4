//! What the verbs say of a job while they work and afterwards: rows, not requests or bytes, and the words of the app.

use super::kit::{Bench, count};
use crate::texts::{msg, msg_with};
use lapel::sandbox::RowState;

const FILE: &str = "\
이름,이메일\n\
김하나,hana@naru.example\n\
이두리,duri@naru.example\n\
박세나,\n\
최네모,nemo@naru.example\n";

fn counted(what: &str, done: u64, all: u64) -> String {
    msg_with("{what}: {done} of {all}", &[&msg(what), &done, &all])
}

#[test]
fn progress_counts_rows_and_ends_with_the_numbers_of_the_report() {
    let bench = Bench::new();
    let file = bench.write("people.csv", FILE);
    let said =
        bench.run(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes", "--json"]).ended(3);
    let err = said.err.clone();
    let job = &said.json()["jobs"][0];
    let (rows, sent) = (job["rows"].as_u64().expect("a number"), count(job, "waiting"));
    assert_eq!((rows, sent), (4, 3));
    for line in [
        counted("checking rows", rows, rows),
        counted("checking for duplicates", sent, sent),
        counted("sent", sent, sent),
    ] {
        assert!(err.contains(&line), "{line} is missing: {err}");
    }

    let ids = bench.insert(&[("one@naru.example", RowState::Issued), ("two@naru.example", RowState::Issued)]);
    let revoke = ["revoke", &ids[0], "no-such-id", &ids[1], "--reason", "x", "--yes"];
    let said = bench.run(&revoke);
    assert!(said.err.contains(&counted("checking each badge", 3, 3)), "{}", said.err);
    assert!(said.err.contains(&counted("sent", 2, 2)), "{}", said.err);
}

/// A command that sends nothing counts nothing as sent, and a refused row was not sent.
#[test]
fn progress_calls_only_what_was_sent_sent() {
    let bench = Bench::new();
    let one = |who| ["issue", "--template", "TPL-001", "--to", who, "--yes"];
    bench.run(&one("김하나 <hana@naru.example>")).ended(0);
    let said = bench.run(&["jobs", "follow"]).ended(0);
    assert!(!said.err.contains("sent:") && said.err.contains(msg("checking the results")), "{}", said.err);
    bench.fault("post /badges status=400 code=4000 times=1");
    let said = bench.run(&one("이두리 <duri@naru.example>")).ended(3);
    assert!(!said.err.contains(&counted("sent", 1, 1)), "{}", said.err);
    bench.fault("post /badges drop times=1");
    let said = bench.run(&one("박세나 <sena@naru.example>")).ended(5);
    assert_eq!(said.err.matches(&counted("sent", 1, 1)).count(), 1, "{}", said.err);
}

/// The zone appears once, in the heading; the form of the times is that of the app.
#[test]
fn a_list_of_jobs_names_its_zone_once() {
    let bench = Bench::new();
    for who in ["김하나 <hana@naru.example>", "이두리 <duri@naru.example>"] {
        bench.run(&["issue", "--template", "TPL-001", "--to", who, "--yes"]).ended(0);
    }
    let listed = bench.run(&["jobs"]).ended(0).out;
    assert_eq!(listed.matches("UTC").count(), 1, "{listed}");
    assert!(listed.lines().next().is_some_and(|head| head.contains("CREATED (UTC")), "{listed}");
    for line in listed.lines().skip(1) {
        let is_time = |words: &[&str]| {
            let form: String =
                words.join(" ").chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            form == "0000-00-00 00:00"
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(is_time(&words[1..3]) && is_time(&words[3..5]), "created and updated: {line}");
        assert!(line.contains(msg("checking")) && line.contains(msg("waiting")), "{line}");
    }
    let shown = bench.run(&["jobs", "show", "1"]).ended(0).out;
    assert!(shown.contains(msg("checking")) && shown.matches("UTC").count() == 1, "{shown}");
    let refused = bench.run(&["jobs", "resume", "1", "--yes"]).ended(1).err;
    assert!(refused.contains(&format!("“{}”", msg("checking"))), "the same word: {refused}");
}
