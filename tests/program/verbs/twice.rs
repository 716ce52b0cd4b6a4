//! One person, two jobs: no job sends a badge again to a person who got it from another job.

use super::kit::{Bench, count};
use crate::texts::{msg, msg_part};
use std::time::Duration;

fn people(count: usize) -> String {
    let given = ["하나", "두리", "세나", "네모", "다솜"];
    let row = |n: usize| format!("김{},person{n}@naru.example", given[n % given.len()]);
    let rows: Vec<String> = (0..count).map(row).collect();
    format!("name,email\n{}\n", rows.join("\n"))
}

fn issue(file: &str) -> Vec<&str> {
    vec!["issue", "--template", "TPL-001", "--recipients", file, "--yes"]
}

/// That the service shows waiting badges is learned from one that was accepted.
fn learned(bench: &Bench) {
    bench.run(&["issue", "--template", "TPL-001", "--to", "먼저 <first@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
}

fn visible() -> Bench {
    Bench::switched(&[("waiting-history", "visible"), ("waiting-detail", "visible")])
}

#[test]
fn a_job_that_stopped_at_the_quota_does_not_send_what_a_second_one_has_sent() {
    for (days, by_redo) in [(0, false), (0, true), (3, false)] {
        let bench = visible();
        learned(&bench);
        bench.control().set_quota(Some(1));
        let file = bench.write("people.csv", people(5));
        let first = bench.json(&issue(&file), 4)["jobs"][0]["id"].to_string();
        bench.control().set_quota(None);
        // A reading proves a refusal that came ten minutes before it.
        bench.advance(10);
        let again = if by_redo {
            let redo = bench.home.path().join("redo.csv").to_string_lossy().into_owned();
            // Before that reading, the rows may exist.
            let said = bench.run(&["jobs", "redo", &first, "--to", &redo]).ended(0);
            assert!(said.err.contains(msg_part("5 rows were refused")), "{}", said.err);
            let lines = std::fs::read_to_string(&redo).expect("the file");
            assert_eq!(
                lines.matches(msg("refused, perhaps accepted; lapel is checking")).count(),
                5,
                "{lines}"
            );
            redo
        } else {
            file
        };
        let said = bench.run(&issue(&again)).ended(0);
        assert!(said.err.contains(&format!("Job {first} has not sent to 5 of these")), "{}", said.err);
        assert_eq!((bench.accepted(), bench.most_for_one()), (6, 1));

        bench.control().advance(Duration::from_secs(days * 86_400));
        let said = bench.json(&["jobs", "resume", &first, "--yes"], 3);
        assert_eq!(count(&said["jobs"][0], "ask"), 5, "{said}");
        assert!(
            said["jobs"][0]["note"].as_str().is_some_and(|note| note.contains(msg_part("need review"))),
            "{said}"
        );
        assert!(said["rows"][0]["why"].to_string().contains("job 3"), "{said}");
        assert_eq!((bench.accepted(), bench.most_for_one()), (6, 1), "{days} {by_redo}");

        // A person looks, and still wants one of them: that is sent, and nothing else.
        let why = ["--row", "2", "--why", "asked for a second one", "--yes"];
        let resend = [&["jobs", "resend", &first][..], &why].concat();
        // The first time it may have to be read again what is known of it, and to be shown.
        for _ in 0..2 {
            if bench.accepted() == 6 {
                bench.run(&resend).ended(3);
            }
        }
        assert_eq!((bench.accepted(), bench.most_for_one()), (7, 2), "{days} {by_redo}");
    }
}

#[test]
fn a_refusal_that_is_not_certain_keeps_its_people_until_somebody_allows_them() {
    let bench = visible();
    bench.control().set_quota(Some(0));
    let file = bench.write("people.csv", people(4));
    bench.json(&issue(&file), 4);
    bench.control().set_quota(None);
    // Nobody knows yet whether this service shows what waits, so the refusal may have been none.
    let said = bench.json(&issue(&file), 3);
    assert_eq!((&said["held_back"], bench.accepted()), (&4.into(), 0), "{said}");
    let allowed = [issue(&file), vec!["--on-duplicate", "allow"]].concat();
    bench.run(&allowed).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (4, 1));
    bench.advance(10);
    bench.run(&["jobs", "resume", "1", "--yes"]).ended(3);
    assert_eq!((bench.accepted(), bench.most_for_one()), (4, 1));
}

#[test]
fn what_was_refused_is_not_tried_again_for_people_whom_another_job_has_served() {
    for days in [0, 3] {
        let bench = visible();
        bench.control().add_fault("post /badges/batch status=400 times=1").expect("a fault");
        let file = bench.write("people.csv", people(4));
        bench.json(&issue(&file), 3);
        bench.run(&issue(&file)).ended(0);
        bench.control().advance(Duration::from_secs(days * 86_400));
        let said = bench.json(&["jobs", "retry", "1", "--yes"], 3);
        assert_eq!(count(&said["jobs"][0], "ask"), 4, "{said}");
        assert_eq!((bench.accepted(), bench.most_for_one()), (4, 1));
    }
}
