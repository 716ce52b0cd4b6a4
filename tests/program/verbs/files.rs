//! How a file is read: what is found out, what is asked, and which flag answers.

use super::kit::{Bench, count, panicking_workbook};
use crate::texts::{msg, msg_part};

#[test]
fn what_cannot_be_known_is_asked_for_by_its_flag() {
    let bench = Bench::new();
    let odd =
        bench.write("odd.csv", "누구,어디로,비고\n김하나,hana@naru.example,x\n이두리,duri@naru.example,y\n");
    let issue = ["issue", "--template", "TPL-001", "--recipients", &odd, "--yes"];
    let said = bench.run(&issue).ended(2);
    assert!(said.err.contains("--map") && said.err.contains("1 누구"), "{}", said.err);
    let said = bench.run(&[&issue[..], &["--map", "name=누구,email=9"]].concat()).ended(2);
    assert!(said.err.contains(msg_part("no column 9")), "{}", said.err);
    assert_eq!(bench.requests_to("POST /badges/batch"), 0);
    let said = bench.json(&[&issue[..], &["--map", "name=누구,email=2"]].concat(), 0);
    assert_eq!(count(&said["jobs"][0], "waiting"), 2);
    // A person has said so once: the same columns are known from now on.
    let more = bench.write("more.csv", "누구,어디로,비고\n박세나,sena@naru.example,z\n");
    let said = bench.json(&["issue", "--template", "TPL-001", "--recipients", &more, "--yes"], 0);
    assert_eq!(count(&said["jobs"][0], "waiting"), 1);
}

/// The file's one name is CP949 and, by accident, also valid UTF-8.
#[test]
fn an_encoding_that_cannot_be_told_is_never_guessed() {
    let bench = Bench::new();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/one-line-cp949.csv");
    let issue = ["issue", "--template", "TPL-001", "--recipients", demo, "--yes"];
    let said = bench.run(&issue).ended(2);
    for flag in ["--encoding utf-8", "--encoding cp949"] {
        assert!(said.err.contains(flag), "{}", said.err);
    }
    assert_eq!(bench.json(&issue, 2)["error"]["kind"], "question");
    assert_eq!(bench.posts(), 0);
    let said = bench.json(&[&issue[..], &["--encoding", "euc-kr"]].concat(), 0);
    assert_eq!(said["source"]["encoding"], "CP949");
    assert_eq!(bench.accepted(), 1);
}

#[test]
fn delimiter_header_row_and_two_name_columns_can_be_said() {
    let bench = Bench::new();
    let file =
        bench.write("people.txt", "list of 2026\n김;하나;hana@naru.example\nLee;Duri;duri@naru.example\n");
    let said = bench.json(
        &[
            "issue",
            "--template",
            "TPL-001",
            "--recipients",
            &file,
            "--delimiter",
            "semicolon",
            "--header-row",
            "none",
            "--map",
            "family=1,given=2,email=3",
            "--dry-run",
        ],
        3,
    );
    assert_eq!(said["source"]["delimiter"], "semicolon");
    assert_eq!(said["would_send"], 2, "{said}");
    let halves =
        ["issue", "--template", "TPL-001", "--recipients", &file, "--map", "family=1,email=3", "--dry-run"];
    bench.run(&halves).ended(2);
}

#[test]
fn a_template_column_makes_a_job_for_each_template() {
    let bench = Bench::new();
    let file = bench.write(
        "many.csv",
        "name,email,template\na,a@naru.example,TPL-001\nb,b@naru.example,TPL-002\nc,c@naru.example,TPL-001\nd,d@naru.example,TPL-777\n",
    );
    let said = bench.json(&["issue", "--recipients", &file, "--yes"], 3);
    let jobs = said["jobs"].as_array().expect("jobs");
    let of = |id: &str| jobs.iter().find(|job| job["template_id"] == id).expect(id);
    assert_eq!((count(of("TPL-001"), "waiting"), count(of("TPL-002"), "waiting")), (2, 1));
    assert_eq!(said["rows"].as_array().map(Vec::len), Some(1));
    assert!(said["rows"][0]["why"].as_str().is_some_and(|why| why.contains("TPL-777")), "{said}");
    assert_eq!(bench.accepted(), 3);
    // Without such a column, somebody has to name the template.
    let plain = bench.write("plain.csv", "name,email\na,a@naru.example\n");
    let said = bench.run(&["issue", "--recipients", &plain, "--yes"]).ended(2);
    assert!(said.err.contains("--template"), "{}", said.err);
}

#[test]
fn what_only_has_the_name_of_a_spreadsheet_is_called_that() {
    let bench = Bench::new();
    let file = bench.write("junk.xlsx", b"junk\x00\x01\x02 no sheet");
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"];
    let said = bench.run(&issue).ended(1);
    assert!(said.err.contains(msg_part("is not a spreadsheet")), "{}", said.err);
}

#[test]
fn a_spreadsheet_is_read_with_everything_that_is_odd_in_it_listed() {
    let bench = Bench::new();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/safety-2025-h2.xlsx");
    let issue = ["issue", "--template", "TPL-001", "--recipients", demo, "--dry-run"];
    let said = bench.json(&issue, 3);
    let job = &said["jobs"][0];
    let all: u64 =
        job["counts"].as_object().expect("counts").values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(Some(all), job["rows"].as_u64(), "every row is somewhere");
    assert_eq!(count(job, "left_out"), 1, "{said}");
    assert_eq!(said["held_back"], count(job, "ask"), "a total means nobody");
    assert!(!said["source"]["notes"].as_array().expect("notes").is_empty());
    let said = bench.run(&[&issue[..], &["--sheet", "no such sheet"]].concat()).ended(1);
    assert!(said.err.contains("no such sheet") && said.err.contains("safety-2025-h2.xlsx"), "{}", said.err);
}

#[test]
fn a_damaged_file_is_refused_with_the_reason() {
    let bench = Bench::new();
    for (name, bytes, said) in [
        ("empty.csv", &b""[..], "empty"),
        ("quote.csv", b"name,email\n\"a,a@naru.example\nb,b@naru.example\n", msg_part("never closed")),
    ] {
        let file = bench.write(name, bytes);
        let ended = bench.run(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"]).ended(1);
        assert!(ended.err.contains(said) && ended.err.contains(name), "{}", ended.err);
    }
    assert_eq!(bench.posts(), 0);
}

/// The library that reads it panics. Nothing on standard error speaks of that.
#[test]
fn a_panic_within_a_spreadsheet_is_only_an_error_of_the_file() {
    let bench = Bench::new();
    let file = bench.write("p.xlsx", panicking_workbook());
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"];
    let said = bench.run(&issue).ended(1);
    assert!(said.err.contains(msg("a sheet cannot be read")), "{}", said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
}
