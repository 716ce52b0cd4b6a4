//! `lapel revoke`: which badges, which not, and when.

use super::kit::{Bench, count, shape};
use lapel::sandbox::{RowSpec, RowState, Rows};
use rust_xlsxwriter::Workbook;

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
fn badges_in_an_unknown_state_are_counted_and_named_before_they_are_sent() {
    let bench = Bench::new();
    let odd = |label: &str| RowSpec { label: Some(label.into()), minutes_ago: 60, ..RowSpec::default() };
    let insert = vec![odd("심사중"), odd("SUSPENDED")];
    let odd = bench.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    let ids = [bench.insert(&[("one@naru.example", RowState::Issued); 9]), odd.clone()].concat();
    let mut args = vec!["revoke", "--reason", "x", "--dry-run"];
    args.extend(ids.iter().map(String::as_str));
    let said = bench.run(&args).ended(0).out;
    assert!(said.contains("  11  will be sent") && said.contains("  2  of these in a state that"), "{said}");
    let rows: Vec<&str> = said.lines().filter(|line| line.contains("  row ")).collect();
    assert_eq!(rows.len(), 2, "only these: {said}");
    for (row, id) in rows.iter().zip(&odd) {
        assert!(row.contains(id) && row.contains("unknown state, so the service decides"), "{said}");
    }
    assert!(rows[0].contains("row 10 "), "the ids of a command count from 1: {said}");
    let said = bench.json(&args, 0);
    assert_eq!((&said["would_send"], &said["unknown_state"]), (&11.into(), &2.into()), "{said}");
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
    let said = bench.run(&["revoke", "--ids", &odd, "--reason", "x", "--yes"]).ended(2);
    assert!(said.err.contains("--id-column"), "{}", said.err);
    let two = bench.path("two.xlsx");
    let mut book = Workbook::new();
    for id in &ids[..2] {
        let sheet = book.add_worksheet();
        sheet.write(0, 0, "badge_id").and_then(|sheet| sheet.write(1, 0, id)).expect("written");
    }
    book.save(&two).expect("saved");
    let two = ["revoke", "--ids", two.to_str().expect("UTF-8"), "--reason", "x", "--dry-run"];
    let said = bench.run(&two).ended(2);
    assert!(said.err.contains("--sheet 'Sheet2'"), "{}", said.err);
    bench.run(&[&two[..], &["--sheet", "Sheet2"]].concat()).ended(3);
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

/// The screens make a replacement; it is one row of the table, with both jobs, and two in JSON.
#[test]
fn a_replacement_is_one_row_in_the_list_of_jobs() {
    let bench = Bench::new();
    let ids = bench.insert(&[("old@naru.example", RowState::Issued)]);
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    bench.run(&["revoke", &ids[0], "--reason", "wrong name", "--yes"]).ended(0);
    let separate = bench.run(&["jobs"]).ended(0).out;
    let ids = |table: &str| -> Vec<String> {
        let rows = table.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        rows.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    assert_eq!(ids(&separate), ["2", "1"], "{separate}");
    bench.change("UPDATE job SET follows = 1, after = TRUE WHERE id = 2");
    let together = bench.run(&["jobs"]).ended(0).out;
    assert_eq!(ids(&together), ["1+2"], "{together}");
    let row = together.lines().find(|line| line.starts_with("1+2")).expect("the row");
    assert!(row.contains("1 waiting") && row.contains("1 revoking"), "both parts are counted: {row}");
    assert_eq!(bench.json(&["jobs"], 0)["jobs"].as_array().map(Vec::len), Some(2));
}
