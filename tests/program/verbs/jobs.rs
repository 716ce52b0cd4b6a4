//! `lapel jobs`: what is in the journal, and what can be done with it.

use super::kit::{Bench, count, shape};
use crate::texts::{msg, msg_part, msg_with};

/// Two accepted, one not valid, one left out.
fn sent(bench: &Bench) -> String {
    let file = bench.write(
        "people.csv",
        "번호,이름,이메일\n1,김하나,hana@naru.example\n2,이두리,duri@naru.example\n3,박세나,\n4,김하나,hana@naru.example\n",
    );
    let said = bench.json(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"], 3);
    said["jobs"][0]["id"].to_string()
}

#[test]
fn a_redo_file_without_rows_is_called_empty() {
    let bench = Bench::new();
    bench.run(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"]).ended(0);
    let said = bench.run(&["jobs", "redo", "1", "--to", "again.csv"]).ended(0);
    assert!(said.err.contains(msg_part("has no rows to do again")), "{}", said.err);
}

#[test]
fn jobs_are_listed_and_shown_without_asking_the_service() {
    let bench = Bench::new();
    assert!(bench.run(&["jobs"]).ended(0).out.contains(msg_part("no jobs")));
    let id = sent(&bench);
    let asked = bench.requests();
    insta::assert_snapshot!("jobs_list", shape(bench.json(&["jobs", "list"], 0), &bench));
    insta::assert_snapshot!("jobs_show", shape(bench.json(&["jobs", "show", &id], 0), &bench));
    let waiting = bench.json(&["jobs", "show", &id, "--rows", "waiting"], 0);
    assert_eq!(waiting["rows"].as_array().map(Vec::len), Some(2));
    assert!(waiting["rows"][0]["badge_id"].is_string());
    let text = bench.run(&["jobs"]).ended(0).out;
    assert!(text.starts_with("JOB") && text.contains(msg_part("2 waiting")), "{text}");
    let text = bench.run(&["jobs", "show", &id]).ended(0).out;
    assert!(text.contains("people.csv") && text.contains("row 4  박세나  invalid"), "{text}");
    assert_eq!(bench.requests(), asked);
    // Looking needs no right to write.
    bench.run(&["jobs", "--read-only"]).ended(0);
}

#[test]
fn a_receipt_holds_every_row_and_a_redo_file_can_be_issued() {
    let bench = Bench::new();
    let id = sent(&bench);
    let said = bench.json(&["jobs", "receipt", &id, "--to", "receipt.csv"], 0);
    assert_eq!(said["rows"], 4);
    let receipt = std::fs::read_to_string(bench.path("receipt.csv")).expect("a receipt");
    assert_eq!(receipt.lines().count(), 5, "{receipt}");
    assert!(receipt.starts_with("\u{feff}번호,이름,이메일,lapel row"), "{receipt}");

    let there = bench.json(&["jobs", "receipt", &id, "--to", "receipt.csv"], 1);
    assert_eq!(there["error"]["kind"], "exists");
    bench.run(&["jobs", "receipt", &id, "--to", "receipt.csv", "--force"]).ended(0);
    bench.run(&["jobs", "receipt", &id, "--to", "receipt.xlsx"]).ended(0);
    bench.run(&["jobs", "receipt", &id, "--to", "old.dat", "--format", "csv-cp949"]).ended(0);
    // Not even with --force: lapel's own files, whichever it has made, and its settings.
    let mut own = vec!["config/config.toml".to_owned(), "config/keys.toml".to_owned()];
    for entry in std::fs::read_dir(bench.path("data")).expect("its folder") {
        let entry = entry.expect("an entry");
        let name = format!("data/{}", entry.file_name().to_string_lossy());
        own.push(if entry.path().is_dir() { format!("{name}/file") } else { name });
    }
    assert!(own.len() > 3, "{own:?}");
    for own in own {
        // A journal that is read may move its pages, so only its beginning stays.
        let start =
            || std::fs::read(bench.path(&own)).ok().map(|bytes| bytes[..bytes.len().min(16)].to_vec());
        let before = start();
        for verb in [
            &["jobs", "receipt", &id, "--to", &own, "--format", "csv"][..],
            &["jobs", "redo", &id, "--to", &own, "--format", "csv", "--force"],
            &["templates", "--xlsx", &own, "--force"],
        ] {
            let said = bench.run(verb).ended(1);
            assert!(said.err.contains(msg_part("one of lapel's own files")), "{own}: {}", said.err);
            assert!(!said.err.contains("--force"), "{own}: {}", said.err);
        }
        // SQLite makes and removes its log by itself.
        assert!(own.contains("-wal") || own.contains("-shm") || start() == before, "{own}");
    }
    bench.run(&["jobs", "show", &id]).ended(0);
    let said = bench.run(&["jobs", "receipt", &id, "--to", "-", "--format", "csv"]).ended(2);
    assert!(
        said.err.contains(msg_part("--to needs a file name")) && !bench.path("-").exists(),
        "{}",
        said.err
    );
    let said = bench.run(&["jobs", "receipt", &id, "--to", "receipt.pdf"]).ended(2);
    assert!(said.err.contains("--format"), "{}", said.err);
    let said = bench.run(&["jobs", "receipt", &id, "--to", "nowhere/receipt.csv"]).ended(1);
    assert!(said.err.contains(msg("nowhere")), "{}", said.err);

    bench.run(&["jobs", "redo", &id, "--to", "again.csv"]).ended(0);
    let redo = std::fs::read_to_string(bench.path("again.csv")).expect("a redo file");
    assert!(redo.starts_with("\u{feff}번호,이름,이메일,lapel reason\r\n3,박세나"), "{redo}");
    let reasons: Vec<&str> = redo.lines().skip(1).filter_map(|row| row.rsplit(',').next()).collect();
    // The rows that a reason names are those of the first file.
    let twin =
        format!("{}: {}", msg("twice in the file"), msg_with("row {row} has the same e-mail address", &[&2]));
    let of_file =
        |reason: &str, row: u64| msg_with("{reason} (row {row} of {file})", &[&reason, &row, &"people.csv"]);
    assert_eq!(reasons, [of_file(msg("the e-mail address is empty"), 4), of_file(&twin, 5)], "{redo}");
    let korean = ["jobs", "redo", &id, "--to", "korean.csv"];
    let output = bench.lapel(&korean).env("LANG", "ko_KR.UTF-8").output().expect("it runs");
    bench.said(output).ended(0);
    let redo_korean = std::fs::read_to_string(bench.path("korean.csv")).expect("a redo file");
    assert!(redo_korean.contains("이메일,lapel reason\r\n3,박세나,,이메일"), "{redo_korean}");
    let mended = redo.replace("박세나,", "박세나,sena@naru.example");
    let file = bench.write("mended.csv", mended);
    let said = bench.json(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"], 3);
    assert_eq!(count(&said["jobs"][0], "waiting"), 1, "{said}");
    assert_eq!((bench.accepted(), bench.most_for_one()), (3, 1));
}

#[test]
fn what_a_redo_file_has_instead_of_a_name_is_issued_to_nobody() {
    let bench = Bench::new();
    let names = ["\u{1b}[2J", "A\u{202e}B", bench.sandbox.api_key()];
    let rows: Vec<String> =
        names.iter().enumerate().map(|(n, name)| format!("\"{name}\",person{n}@naru.example\n")).collect();
    let file = bench.write("people.csv", format!("name,email\nLea Kim,lea@naru.example\n{}", rows.concat()));
    let issue = |file: &str| {
        let all =
            ["issue", "--template", "TPL-001", "--recipients", file, "--map", "name=1,email=2", "--yes"];
        let said = bench.json(&all, 3);
        assert_eq!(said["held_back"], 3, "{said}");
        said
    };
    let id = issue(&file)["jobs"][0]["id"].to_string();
    for redo in ["redo.csv", "redo.xlsx"] {
        bench.run(&["jobs", "redo", &id, "--to", redo]).ended(0);
        issue(redo);
    }
    assert_eq!(bench.accepted(), 1);
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_error() {
    let bench = Bench::new();
    let id = sent(&bench);
    for args in [&["jobs"][..], &["jobs", "--json"], &["jobs", "show", &id, "--json"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = bench.lapel(args).stdout(writer).output().expect("it runs");
        let said = bench.said(output).ended(0);
        assert_eq!(said.err, "", "{args:?}");
    }
}

#[test]
fn what_has_stopped_can_be_called_off() {
    let bench = Bench::new();
    bench.fault("post /badges status=401 code=4001");
    let said = bench.json(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"], 4);
    let id = said["jobs"][0]["id"].to_string();
    let said = bench.run(&["jobs", "pause", &id]).ended(1);
    assert!(said.err.contains(msg_part("not sending")), "{}", said.err);
    let said = bench.json(&["jobs", "cancel", &id], 0);
    assert_eq!((&said["job"]["phase"], count(&said["job"], "left_out")), (&"cancelled".into(), 1));
    bench.control().clear_faults();
    bench.run(&["jobs", "resume", &id, "--yes"]).ended(1);
    assert_eq!(bench.accepted(), 0);
}

/// The head of the job has the reason, and to send the same row again is no help.
#[test]
fn a_refusal_is_said_once_and_the_same_request_is_not_offered_again() {
    let bench = Bench::new();
    bench.fault("post /badges status=400 code=4000");
    let said = bench.run(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"]).ended(3);
    assert_eq!(said.out.matches(msg_part("Change the request")).count(), 1, "{}", said.out);
    assert!(said.out.contains(msg("refused")) && !said.out.contains("jobs retry"), "{}", said.out);
    // Of several rows, one may be at fault.
    bench.fault("post /badges/batch status=400 code=4000");
    let file = bench.write("people.csv", "name,email\n가나,b@naru.example\n다라,c@naru.example\n");
    let said = bench.run(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"]).ended(3);
    assert_eq!(said.out.matches(msg_part("Change the request")).count(), 1, "{}", said.out);
    assert!(said.out.contains("jobs retry 2"), "{}", said.out);
    let jobs = bench.json(&["jobs", "list"], 0);
    let open = |at: usize| jobs["jobs"][at]["open"].as_bool();
    assert_eq!(
        (open(0), open(1)),
        (Some(true), Some(false)),
        "somebody may still send the several rows: {jobs}"
    );
}

/// It is not called cancelled, since its badge will be issued.
#[test]
fn a_job_that_is_sent_cannot_be_cancelled() {
    let bench = Bench::new();
    let said = bench.json(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"], 0);
    let id = said["jobs"][0]["id"].to_string();
    let said = bench.run(&["jobs", "cancel", &id]).ended(1);
    assert!(said.err.contains(msg_part("nothing left to cancel")), "{}", said.err);
    assert_eq!(bench.json(&["jobs", "show", &id], 0)["job"]["phase"], "running");
}

#[test]
fn an_issue_job_can_be_undone() {
    let bench = Bench::switched(&[("issue-time", "5m"), ("revoke-time", "instant")]);
    let id = sent(&bench);
    bench.advance(10);
    bench.run(&["jobs", "follow"]).ended(0);
    let undo = ["jobs", "undo", &id, "--reason", "the wrong list"];
    bench.run(&undo).ended(2);
    assert_eq!(bench.requests_to("POST /badges/revoke"), 0, "nobody has confirmed");
    let said = bench.json(&[&undo[..], &["--yes", "--wait"]].concat(), 0);
    assert_eq!((said["undoes"].to_string(), count(&said["jobs"][0], "revoked")), (id, 2), "{said}");
    let revoked: u64 = bench.control().ledger().revokes.iter().map(|r| r.accepted).sum();
    assert_eq!(revoked, 2);
}

/// The check of an undo shows what became of the rows of the job that it undoes.
#[test]
fn following_tells_of_a_job_that_another_one_undoes() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let id = sent(&bench);
    bench.advance(10);
    bench.run(&["jobs", "follow"]).ended(0);
    // The service does not say that it revokes all of them, so the issue job is finished until a check shows it.
    bench.fault("post /badges/revoke accepted=1");
    bench.fault("get /badges/{id} status=400");
    bench.json(&["jobs", "undo", &id, "--reason", "the wrong list", "--yes"], 5);
    bench.control().clear_faults();
    let said = bench.json(&["jobs", "follow"], 0);
    let changed = said["changed"].as_array().expect("jobs");
    let id: u64 = id.parse().expect("a number");
    assert!(changed.iter().any(|job| job["id"] == id), "{said}");
}

/// Every command is a program of its own, so the next one has only the journal.
#[test]
fn the_list_after_an_undo_says_revoking_of_both_jobs() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let id = sent(&bench);
    bench.advance(10);
    bench.run(&["jobs", "follow"]).ended(0);
    bench.json(&["jobs", "undo", &id, "--reason", "the wrong list", "--yes"], 0);
    let asked = bench.requests();
    let said = bench.json(&["jobs", "list"], 0);
    let revoking: Vec<u64> =
        said["jobs"].as_array().expect("jobs").iter().map(|job| count(job, "revoking")).collect();
    assert_eq!(revoking, [2, 2], "{said}");
    let job = bench.json(&["jobs", "show", &id], 0)["job"].clone();
    assert_eq!((job["open"].as_bool(), count(&job, "issued")), (Some(true), 0), "{job}");
    let undo =
        said["jobs"].as_array().expect("jobs").iter().find(|job| job["kind"] == "revoke").expect("the undo");
    let follows = format!("job {} follows (revoke)", undo["id"]);
    for (job, is_undone) in [(&id, true), (&undo["id"].to_string(), false)] {
        let said = bench.run(&["jobs", "show", job]).ended(0).out;
        assert_eq!(said.contains(&follows), is_undone, "{said}");
    }
    assert_eq!(bench.requests(), asked);
}

/// Rows need somebody who looks again: the badges may be issued.
#[test]
fn following_ends_with_3_where_badges_could_not_be_read() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    sent(&bench);
    bench.advance(10);
    bench.fault("get /badges/{id} items=null");
    let said = bench.run(&["jobs", "follow"]).ended(3);
    for part in ["the check is incomplete", "could not read some badges (2)"] {
        assert!(said.err.contains(msg_part(part)), "{part}: {}", said.err);
    }
    assert!(
        said.out.contains(msg_part("Nothing new was found, but the check is incomplete")),
        "{}",
        said.out
    );
    bench.control().clear_faults();
    bench.fault("get /badges/{id} status=500");
    bench.run(&["jobs", "follow"]).ended(3);
    bench.control().clear_faults();
    bench.run(&["jobs", "follow"]).ended(0);
}

#[test]
fn following_says_what_has_changed() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let text = bench.run(&["jobs", "follow"]).ended(0).out;
    assert!(text.contains(msg_part("No open jobs")), "{text}");
    let id = sent(&bench);
    let text = bench.run(&["jobs", "follow"]).ended(0).out;
    assert!(text.contains(msg_part("Nothing has changed")), "{text}");
    bench.advance(10);
    let said = bench.json(&["jobs", "follow"], 0);
    assert_eq!((said["changed"][0]["id"].to_string(), count(&said["changed"][0], "issued")), (id, 2));
    insta::assert_snapshot!("jobs_follow", shape(said, &bench));
}

#[test]
fn personal_data_of_finished_jobs_can_be_removed() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let id = sent(&bench);
    let open = bench.json(&["jobs", "purge", "--older-than", "0"], 0);
    assert_eq!(open["purged"].as_array().map(Vec::len), Some(0), "an open job keeps its names");
    bench.advance(10);
    bench.run(&["jobs", "follow"]).ended(0);
    bench.settings("[jobs]\nkeep_days = 3650\n");
    assert_eq!(bench.json(&["jobs", "purge"], 0)["older_than_days"], 3650);
    let purged = bench.json(&["jobs", "purge", "--older-than", "0"], 0);
    assert_eq!(purged["purged"][0].to_string(), id);
    let rows = bench.json(&["jobs", "show", &id, "--rows", "issued"], 0);
    assert_eq!((&rows["rows"][0]["name"], &rows["rows"][0]["email"]), (&"".into(), &"".into()));
    assert!(rows["rows"][0]["badge_id"].is_string());
}

#[test]
fn a_journal_that_cannot_be_used_means_that_nothing_is_sent() {
    let bench = Bench::new();
    bench.write(
        "data/journal.sqlite",
        "this is no journal, and it is long enough to be looked at by somebody",
    );
    let said = bench.json(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"], 1);
    assert_eq!(said["error"]["kind"], "journal", "{said}");
    assert_eq!(bench.requests(), 0);
}

/// The app says the same: see `Action::Undo`.
#[test]
fn an_undo_of_a_job_of_which_nothing_was_accepted_changes_nothing() {
    let bench = Bench::new();
    bench.fault("post /badges status=400 code=4000 times=1");
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(3);
    let show = ["jobs", "show", "1"];
    let before = bench.run(&show).out;
    assert!(before.contains(msg("request refused")), "{before}");
    let said = bench.run(&["jobs", "undo", "1", "--reason", "x", "--yes"]).ended(1);
    let nothing = msg_with("Job {id} has nothing to undo: no row was accepted.", &[&1]);
    assert!(said.err.contains(&msg_with("{why} Nothing was changed.", &[&nothing])), "{}", said.err);
    assert_eq!(bench.run(&show).out, before);
}
