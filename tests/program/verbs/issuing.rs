//! `lapel issue`: who gets a badge, who does not, and the texts about it.

use super::kit::{Bench, count, frozen, shape};
use crate::closed_port::ClosedPort;
use crate::texts::{msg, msg_part};
use lapel::sandbox::{Options, RowState};

const ONE: &[&str] = &["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>"];

#[test]
fn one_person_gets_one_badge_however_often_it_is_asked_for() {
    let bench = Bench::new();
    let said = bench.json(&[ONE, &["--yes"]].concat(), 0);
    assert_eq!(bench.accepted(), 1);
    insta::assert_snapshot!("issue", shape(said, &bench));

    let again = bench.json(&[ONE, &["--yes"]].concat(), 3);
    assert_eq!((&again["ok"], &again["exit_code"]), (&false.into(), &3.into()), "{again}");
    let again = bench.run(&[ONE, &["--yes"]].concat()).ended(3);
    assert!(again.err.contains(msg_part("nothing to send")), "{}", again.err);
    assert!(!again.out.contains("jobs redo"), "a draft is discarded: {}", again.out);
    assert!(again.out.contains(msg("already waiting")), "{}", again.out);
    assert_eq!((bench.posts(), bench.accepted()), (1, 1));
    let jobs = bench.json(&["jobs"], 0);
    assert_eq!(jobs["jobs"].as_array().map(Vec::len), Some(1), "what is not begun is no job");
}

#[test]
fn progress_goes_to_standard_error_and_the_result_to_standard_output() {
    let bench = Bench::new();
    let said = bench.run(&[ONE, &["--yes"]].concat()).ended(0);
    assert!(said.err.lines().all(|line| line.starts_with(msg_part("lapel: "))), "{}", said.err);
    assert!(said.err.contains(msg_part("sent: 1 of 1")), "{}", said.err);
    assert!(
        said.out.starts_with("Job 1: issue ") && said.out.contains(msg_part("1  waiting")),
        "{}",
        said.out
    );
    assert!(
        said.out.contains(msg_part("Accepted is not issued"))
            && said.out.contains(msg_part("lapel jobs follow")),
        "{}",
        said.out
    );
}

const FILE: &str = "\
이름,이메일\n\
김하나,hana@naru.example\n\
이두리,duri@naru.example\n\
박세나,\n\
김하나,HANA@naru.example\n\
최네모,nemo@naru.example\n";

#[test]
fn rows_that_cannot_be_sent_are_listed_and_the_rest_is_sent() {
    let bench = Bench::new();
    let file = bench.write("people.csv", FILE);
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file];
    let said = bench.json(&[&issue[..], &["--yes"]].concat(), 3);
    assert_eq!((bench.accepted(), bench.most_for_one(), bench.posts()), (3, 1, 1));
    assert_eq!(said["held_back"], 2);
    let job = &said["jobs"][0];
    assert_eq!((count(job, "waiting"), count(job, "invalid"), count(job, "left_out")), (3, 1, 1));
    let rows: Vec<(u64, &str)> = said["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["line"].as_u64().expect("a line"), row["bucket"].as_str().expect("a bucket")))
        .collect();
    assert_eq!(rows, [(4, "invalid"), (5, "left_out")]);
    assert!(said["rows"][1]["why"].as_str().is_some_and(|why| why.contains("row 2")), "{}", said["rows"][1]);
    // `jobs show` lists the same rows.
    let id = job["id"].to_string();
    assert_eq!(bench.json(&["jobs", "show", &id], 0)["rows"], said["rows"]);

    let again = bench.run(&[&issue[..], &["--yes"]].concat()).ended(3);
    assert_eq!((bench.accepted(), bench.posts()), (3, 1), "the second time, nobody is left");
    assert!(again.out.contains("row 4  박세나  invalid"), "{}", again.out);
}

#[test]
fn every_person_of_a_line_has_a_number_of_their_own() {
    let bench = Bench::new();
    let two = "A Kim <ra1@naru.example>, B Lee <ra2@naru.example>";
    bench.fault("post /badges/batch status=401 code=4001 times=1");
    let said = bench.json(&["issue", "--template", "TPL-001", "--to", two, "--yes"], 4);
    let id = said["jobs"][0]["id"].to_string();
    let rows = bench.json(&["jobs", "show", &id, "--rows", "ready"], 0)["rows"].clone();
    for (row, number) in rows.as_array().expect("rows").iter().zip(1..) {
        assert_eq!((&row["row"], &row["row_number"]), (&number.into(), &number.into()), "{row}");
    }
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
    // A job of an earlier version: its rows cannot be told apart by their numbers.
    bench.change("UPDATE row SET line = 1");
    let said = bench.run(&["jobs", "resolve", &id, "--row", "1", "--leave", "--why", "x"]).ended(1);
    assert!(said.err.contains(msg_part("choose the row in the app")), "{}", said.err);
}

#[test]
fn a_row_never_gets_another_template_than_it_names() {
    let bench = Bench::new();
    let rows = "김하나,hana@naru.example,TPL-001\n이두리,duri@naru.example,tpl-001\n";
    let title = bench.json(&["template", "TPL-001"], 0)["template"]["title"].clone();
    let title = title.as_str().expect("a title");
    let one =
        bench.write("one.csv", format!("name,email,template\n{rows}박세나,sena@naru.example,{title}\n"));
    let mixed =
        bench.write("mixed.csv", format!("name,email,template\n{rows}박세나,sena@naru.example,nope\n"));
    let issue = |file: &str, more: &[&str], code| {
        let all = ["issue", "--template", "TPL-001", "--recipients", file, "--yes"];
        bench.run(&[&all[..], more].concat()).ended(code)
    };
    issue(&one, &["--map", "template=3"], 2);
    let said = issue(&mixed, &[], 1);
    assert!(said.err.contains("nope") && said.err.contains('4'), "{}", said.err);
    assert_eq!(bench.posts(), 0);
    issue(&one, &[], 0);
    assert_eq!(bench.accepted(), 3);
}

#[test]
fn a_dry_run_shows_everything_and_sends_nothing() {
    let bench = Bench::new();
    let file = bench.write("people.csv", FILE);
    bench.insert(&[("duri@naru.example", RowState::Issued)]);
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"];
    let said = bench.json(&issue, 3);
    insta::assert_snapshot!("issue_dry_run", shape(said, &bench));
    let text = bench.run(&issue).ended(3).out;
    for part in [
        "2  will be sent in 1 request",
        "1  needs review",
        "row 4",
        "row 5",
        "already has it",
        "Nothing was sent",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let (_, listed) = text.split_once(msg("Will be sent:")).expect("the rows to send");
    let (sent, unsent) = listed.split_once(msg("Not sent:")).expect("the other rows");
    assert!(sent.matches("row ").count() == 2 && !sent.contains(msg("not sent")), "{text}");
    assert!(unsent.contains("row 4") && unsent.contains("row 5"), "{text}");
    assert_eq!((bench.posts(), bench.accepted()), (0, 0));
    assert_eq!(bench.json(&["jobs"], 0)["jobs"].as_array().map(Vec::len), Some(0));
    // Where everything is as it should be, a dry run ends like that.
    bench.run(&[ONE, &["--dry-run"]].concat()).ended(0);
}

#[test]
fn duplicates_are_left_out_unless_they_are_allowed() {
    let bench = Bench::new();
    bench.insert(&[("gildong@naru.example", RowState::Issued)]);
    let asked = bench.json(&[ONE, &["--yes"]].concat(), 3);
    assert_eq!(asked["rows"][0]["class"], "valid");
    let why = bench.json(&[ONE, &["--yes", "--on-duplicate", "block"]].concat(), 3);
    assert_eq!(why["rows"][0]["bucket"], "left_out");
    assert_eq!(bench.posts(), 0);
    bench.run(&[ONE, &["--yes", "--on-duplicate", "allow"]].concat()).ended(0);
    assert_eq!(bench.accepted(), 1);
}

#[test]
fn the_settings_say_what_happens_with_each_class() {
    let bench = Bench::new();
    bench.insert(&[("gildong@naru.example", RowState::Issued)]);
    bench.settings("[jobs.policies]\nvalid = \"allow\"\n");
    bench.run(&[ONE, &["--yes"]].concat()).ended(0);
    assert_eq!(bench.accepted(), 1);
    bench.settings("[jobs.policies]\nvalid = \"perhaps\"\n");
    let said = bench.run(&[ONE, &["--yes"]].concat()).ended(2);
    assert!(said.err.contains("config.toml, line 2: jobs.policies.valid"), "{}", said.err);
}

#[test]
fn without_a_terminal_somebody_has_to_say_yes_first() {
    let bench = Bench::new();
    let said = bench.run(ONE).ended(2);
    assert!(said.err.contains("--yes") && said.err.contains(msg_part("Nothing was sent")), "{}", said.err);
    assert_eq!(bench.json(ONE, 2)["error"]["kind"], "not_confirmed");
    let said =
        bench.run_with(&["issue", "--template", "TPL-001", "--recipients", "-"], "a <a@naru.example>\n");
    assert!(said.code == 2 && said.err.contains("--yes"), "{}", said.err);
    assert_eq!(bench.requests(), 0, "not even a question");
}

/// With LIVE, sending again needs a confirmation. Where nothing is left to send, there is nothing to confirm.
#[test]
fn a_live_job_with_nothing_left_to_send_says_so_and_asks_nothing() {
    let bench = Bench::new();
    let profile = format!(
        "[profiles.live]\nbase_url = \"{}\"\nenvironment = \"live\"\nkey = {{ env = \"LIVE_KEY\" }}\n",
        bench.sandbox.base_url()
    );
    bench.write("config/config.toml", profile);
    let live = |args: &[&str]| {
        let mut command = bench.lapel(&[args, &["--profile", "live"]].concat());
        command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
        command.env("LIVE_KEY", bench.sandbox.api_key());
        bench.said(command.output().expect("it runs"))
    };
    let issue = |to: &str| live(&["issue", "--template", "TPL-001", "--to", to, "--yes"]);
    issue("하나 <one@naru.example>").ended(0);
    bench.control().set_quota(Some(1));
    issue("두리 <two@naru.example>").ended(4);
    let posts = bench.posts();
    for (verb, why) in [
        ("resume", "Only a paused or stopped job can be resumed"),
        ("retry", "has no refused rows"),
        ("use-up", "did not stop at the quota"),
    ] {
        let said = live(&["jobs", verb, "1"]).ended(1);
        assert!(said.err.contains(msg_part(why)) && !said.err.contains("--yes"), "{verb}: {}", said.err);
    }
    for verb in ["resume", "use-up"] {
        let said = live(&["jobs", verb, "2"]).ended(2);
        assert!(
            said.err.contains("--yes") && said.err.contains(msg_part("Nothing was sent")),
            "{}",
            said.err
        );
    }
    assert_eq!(bench.posts(), posts);
}

#[test]
fn a_read_only_profile_refuses_before_anything_is_read() {
    let bench = Bench::new();
    let issue = ["issue", "--template", "TPL-001", "--recipients", "no-such-file.csv", "--yes"];
    let revoke = ["revoke", "--ids", "no-such-file.csv", "--reason", "x", "--yes"];
    for verb in [
        &issue[..],
        &revoke,
        &["jobs", "resume", "1", "--yes"],
        &["jobs", "pause", "1"],
        &["jobs", "cancel", "1"],
        &["jobs", "retry", "1", "--yes"],
        &["jobs", "resend", "1", "--row", "1", "--why", "x", "--yes"],
        &["jobs", "use-up", "1", "--yes"],
        &["jobs", "undo", "1", "--reason", "x", "--yes"],
        &["jobs", "settle", "1", "--row", "1", "--leave", "--why", "x"],
        &["jobs", "follow"],
        &["issue", "--dry-run", "--template", "T", "--to", "x"],
    ] {
        let said = bench.run(&[verb, &["--read-only"]].concat()).ended(2);
        assert!(
            said.err.contains(msg("read-only")) && !said.err.contains(msg_part(msg_part("file not found"))),
            "{}",
            said.err
        );
        let said = bench.json(&[verb, &["--read-only"]].concat(), 2);
        assert_eq!(said["error"]["kind"], "read_only");
    }
    assert_eq!(bench.requests(), 0);
    assert!(!bench.path("data").exists(), "nor was a journal made");
}

#[test]
fn a_profile_that_its_file_makes_read_only_is_so_for_every_verb_and_no_spelling_undoes_it() {
    let bench = Bench::new();
    let revoke = ["revoke", "--ids", "no-such-file.csv", "--reason", "x", "--yes", "--profile", "desk"];
    let profile = |line: &str| {
        let text = format!(
            "[profiles.desk]\nbase_url = \"{}\"\nenvironment = \"demo\"\nkey = {{ env = \"DESK_KEY\" }}\n{line}\n",
            bench.sandbox.base_url()
        );
        bench.write("config/config.toml", text);
        let mut command = bench.lapel(&revoke);
        command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
        command.env("DESK_KEY", bench.sandbox.api_key());
        bench.said(command.output().expect("it runs"))
    };
    let said = profile("read_only = true").ended(2);
    assert!(said.err.contains(msg_part("Profile desk is read-only")), "{}", said.err);
    // A slip of the hand is named; it never means that one may write.
    for line in ["read_only = \"true\"", "readonly = true", "read-only = true", "read_only = yes"] {
        let said = profile(line).ended(2);
        assert!(!said.err.contains("no-such-file"), "{line}: {}", said.err);
    }
    assert_eq!(bench.requests(), 0);
    // Only where it is not read-only is the file looked for.
    let said = profile("read_only = false").ended(1);
    assert!(said.err.contains("no-such-file"), "{}", said.err);
}

#[test]
fn what_cannot_be_tried_is_told_with_its_reason() {
    let bench = Bench::new();
    for (args, code, said) in [
        (
            &["issue", "--template", "TPL-999", "--to", "a <a@naru.example>", "--yes"][..],
            2,
            msg_part("No template has the id"),
        ),
        (
            &["issue", "--template", "TPL-001", "--recipients", "nowhere.csv", "--yes"],
            1,
            msg_part("file not found"),
        ),
        (&["issue", "--template", "TPL-001", "--yes"], 2, "--to"),
        (&["issue", "--to", "a <a@naru.example>", "--yes"], 2, "--template"),
        (&["issue", "--template", "T", "--to", "a", "--recipients", "b", "--yes"], 2, "cannot be used with"),
        (&["issue", "--template", "T", "--to", "a\nb", "--yes"], 2, "not one recipient"),
        (&["issue", "--template", "T", "--to", "a", "--encoding", "latin-1"], 2, "cp949"),
        (&["issue", "--template", "T", "--to", "a", "--header-row", "0"], 2, "(from 1) or none"),
        (&["issue", "--template", "T", "--to", "a", "--map", "phone=1"], 2, "the fields are"),
        (&["issue", "--template", "T", "--to", "a", "--on-duplicate", "maybe"], 2, "block"),
        (&["revoke", "--reason", "x", "--yes"], 2, "ID"),
        (&["revoke", "B-1", "--yes"], 2, "--reason"),
        (&["revoke", "B-1", "--reason", " ", "--yes"], 2, "--reason"),
        (&["revoke", "B 1", "--reason", "x", "--yes"], 2, "not a badge id"),
        (&["jobs", "show", "0"], 2, "0"),
        (&["jobs", "show", "7"], 1, "no job 7"),
        (&["jobs", "resume", "7", "--yes"], 1, "no job 7"),
        (&["jobs", "dance"], 2, "dance"),
        (&["jobs", "resend", "1", "--row", "1", "--why", " ", "--yes"], 2, "--why"),
        (&["jobs", "settle", "1", "--row", "1", "--why", "x"], 2, "--is"),
        (&["jobs", "settle", "1", "--row", "1", "--why", "x"], 2, "--leave"),
        (&["jobs", "settle", "1", "--row", "1", "--is", "B", "--leave", "--why", "x"], 2, "--leave"),
        (&["jobs", "purge"], 2, "--older-than"),
    ] {
        let ended = bench.run(args).ended(code);
        assert!(ended.err.contains(said), "{args:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{args:?}");
    }
    assert_eq!(bench.posts(), 0);
}

#[test]
fn a_service_that_is_not_there_is_told() {
    let bench = Bench::new();
    let nobody = ClosedPort::new();
    let output = bench
        .lapel(&[ONE, &["--yes", "--json"]].concat())
        .env("LAPEL_BASE_URL", format!("http://{}/api/v1/ext", nobody.address()))
        .output()
        .expect("it runs");
    let said = bench.said(output).ended(1);
    assert_eq!(said.json()["error"]["kind"], "not_reached");
    // The key of somebody else.
    let output =
        bench.lapel(&[ONE, &["--yes", "--json"]].concat()).env("LAPEL_API_KEY", "dmu_test_nobody").output();
    let said = bench.said(output.expect("it runs")).ended(1);
    assert_eq!(said.json()["error"]["kind"], "key_refused");
    assert_eq!(bench.accepted(), 0);
}

#[test]
fn waiting_follows_it_until_it_is_issued() {
    let switches = vec![("issue-time".to_owned(), "5m".to_owned())];
    // An hour of the service passes in less than a millisecond.
    let bench = Bench::with(Options { speed: 1e7, switches, ..frozen() });
    let said = bench.json(&[ONE, &["--yes", "--wait"]].concat(), 0);
    assert_eq!(count(&said["jobs"][0], "issued"), 1, "{said}");
    assert_eq!(said["jobs"][0]["open"], false);
    assert_eq!(bench.posts(), 1);
}

#[test]
fn several_people_and_pasted_lines_are_taken_too() {
    let bench = Bench::new();
    let both = [
        "issue",
        "--template",
        "TPL-001",
        "--to",
        "a <a@naru.example>",
        "--to",
        "b <b@naru.example>",
        "--yes",
    ];
    let said = bench.json(&both, 0);
    assert_eq!((count(&said["jobs"][0], "waiting"), bench.accepted()), (2, 2));
    let lines = "강하늘\tsky@naru.example\r\n\"Kim, Minsu\" <minsu@naru.example>\n";
    let said =
        bench.run_with(&["issue", "--template", "TPL-001", "--recipients", "-", "--yes", "--json"], lines);
    assert_eq!(count(&said.ended(0).json()["jobs"][0], "waiting"), 2);
    assert_eq!(bench.accepted(), 4);
}

#[test]
fn the_key_is_in_no_file_whatever_is_logged() {
    let bench = Bench::new();
    bench.fault("post /badges commit-drop times=1");
    for verb in
        [&[ONE, &["--yes"]].concat()[..], &["jobs", "follow"], &["jobs", "receipt", "1", "--to", "r.csv"]]
    {
        let output = bench.lapel(verb).env("LAPEL_LOG", "trace").output().expect("it runs");
        bench.said(output).ended(0);
    }
    let (mut folders, mut files) = (vec![bench.home.path().to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            files += 1;
            let bytes = std::fs::read(entry.path()).expect("a file");
            let key = bench.sandbox.api_key().as_bytes();
            assert!(!bytes.windows(key.len()).any(|part| part == key), "{}", entry.path().display());
        }
    }
    assert!(files >= 3, "a journal, a log and a receipt at least: {files}");
    // Each request is there, with nobody's name or address.
    let log = std::fs::read_to_string(bench.path("data/lapel.log")).expect("the log");
    assert!(log.contains("method=\"POST\" path=\"/api/v1/ext/badges\""), "{log}");
    assert!(log.contains("status=200") && log.contains("took_ms=") && !log.contains('@'), "{log}");
}

#[test]
fn hostile_text_steers_no_terminal_and_reaches_programs_as_it_is() {
    let bench = Bench::new();
    let file = bench
        .write("people.csv", "name,email\nevil\u{202e}\u{9b}31mname,x@naru.example\nfine,y@naru.example\n");
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"];
    let said = bench.run(&issue).ended(3);
    assert!(!said.out.contains(['\u{202e}', '\u{9b}']), "{}", said.out);
    let json = bench.run(&[&issue[..], &["--json"]].concat()).ended(3);
    assert!(!json.out.contains(['\u{202e}', '\u{9b}']), "{}", json.out);
    assert_eq!(json.json()["rows"][0]["name"], "evil\u{202e}\u{9b}31mname");
}

/// The journal still says "waiting" where the service shows the badge: the service is right.
#[test]
fn a_badge_in_the_wallet_is_not_said_to_be_invisible() {
    let bench = Bench::new();
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    let before = bench.run(&["wallet", "hana@naru.example"]).ended(0);
    assert!(before.err.contains(msg_part("sent in job")), "{}", before.err);
    bench.advance(25 * 60);
    let after = bench.run(&["wallet", "hana@naru.example"]).ended(0);
    assert!(after.out.contains(msg("Issued")) && !after.err.contains(msg_part("in job")), "{}", after.err);
    let all = bench.run(&["wallet", "hana@naru.example", "--all"]).ended(0);
    assert!(!all.err.contains(msg_part("in job")), "{}", all.err);
}
