//! `lapel revoke`: which badges, which not, and when.

use super::kit::{Bench, count, shape};
use lapel::sandbox::RowState;

const STATES: &[(&str, RowState)] = &[
    ("one@naru.example", RowState::Issued),
    ("two@naru.example", RowState::Issued),
    ("three@naru.example", RowState::Waiting),
    ("four@naru.example", RowState::Revoked),
];

fn revoked(bench: &Bench) -> u64 {
    bench.control().ledger().revokes.iter().map(|r| r.accepted).sum()
}

#[test]
fn only_issued_badges_are_revoked_and_the_rest_is_listed() {
    let bench = Bench::new();
    let ids = bench.insert(STATES);
    let mut args = vec!["revoke"];
    args.extend(ids.iter().map(String::as_str));
    args.extend(["B-000", "--reason", "잘못 발급"]);
    let dry = bench.json(&[&args[..], &["--dry-run"]].concat(), 3);
    assert_eq!((&dry["would_send"], &dry["held_back"], bench.posts()), (&2.into(), &3.into(), 0), "{dry}");
    bench.run(&args).ended(2);
    assert_eq!(bench.posts(), 0, "nobody has confirmed");

    let said = bench.json(&[&args[..], &["--yes"]].concat(), 3);
    assert_eq!((revoked(&bench), bench.posts()), (2, 1));
    assert_eq!(count(&said["jobs"][0], "left_out"), 3);
    insta::assert_snapshot!("revoke", shape(said, &bench));
}

#[test]
fn what_waits_is_revoked_when_it_is_issued_if_that_is_asked_for() {
    let bench = Bench::switched(&[("revoke-time", "instant")]);
    let ids = bench.insert(&[("three@naru.example", RowState::Waiting)]);
    let revoke = ["revoke", &ids[0], "--reason", "x", "--yes"];
    bench.run(&revoke).ended(3);
    assert_eq!(bench.posts(), 0);
    let said = bench.json(&[&revoke[..], &["--when-issued"]].concat(), 0);
    assert_eq!((count(&said["jobs"][0], "queued"), bench.posts()), (1, 0), "{said}");
    // It is issued 30 minutes after it was put there.
    bench.advance(31);
    let said = bench.json(&["jobs", "follow"], 0);
    assert_eq!(revoked(&bench), 1, "{said}");
    bench.advance(5);
    bench.run(&["jobs", "follow", "--wait"]).ended(0);
    let jobs = bench.json(&["jobs"], 0);
    assert_eq!(count(&jobs["jobs"][0], "revoked"), 1, "{jobs}");
}

#[test]
fn a_file_of_ids_is_read_and_damaged_ones_are_listed() {
    let bench = Bench::switched(&[("revoke-time", "instant")]);
    let ids = bench.insert(STATES);
    let file = bench.write(
        "revoke.csv",
        format!("badge_id,memo\n{},a\n1.23E+15,b\n{},c\n{},again\n", ids[0], ids[1], ids[0]),
    );
    let revoke = ["revoke", "--ids", &file, "--reason", "issued twice", "--yes", "--wait"];
    let said = bench.json(&revoke, 3);
    assert_eq!((count(&said["jobs"][0], "revoked"), count(&said["jobs"][0], "invalid")), (2, 2), "{said}");
    assert_eq!(revoked(&bench), 2);
    let odd = bench.write("odd.csv", format!("memo;number\nx;{}\n", ids[2]));
    bench.run(&["revoke", "--ids", &odd, "--reason", "x", "--yes"]).ended(1);
    let by_name = ["revoke", "--ids", &odd, "--id-column", "number", "--reason", "x", "--dry-run"];
    let said = bench.run(&by_name).ended(2);
    assert!(said.err.contains("--header-row"), "{}", said.err);
    let said = bench.json(&[&by_name[..], &["--header-row", "1"]].concat(), 3);
    assert_eq!(said["rows"][0]["badge_id"], ids[2].as_str());
}

#[test]
fn a_lost_answer_to_a_revocation_is_resolved_by_reading() {
    let bench = Bench::switched(&[("revoke-time", "instant")]);
    let ids = bench.insert(&STATES[..1]);
    bench.fault("post /badges/revoke commit-drop");
    bench.run(&["revoke", &ids[0], "--reason", "x", "--yes"]).ended(0);
    assert_eq!((revoked(&bench), bench.posts()), (1, 1));
}
