//! What stops a job, what is in doubt, and how each resumes.

use super::kit::{Bench, accepted_rows, count};
use crate::team;
use crate::texts::{msg, msg_part};
use lapel::sandbox::{RowSpec, RowState, Rows};

const ONE: &[&str] = &["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"];

fn people(count: usize) -> String {
    let rows: Vec<String> = (0..count).map(|n| format!("{},person{n}@naru.example", name(n))).collect();
    format!("name,email\n{}\n", rows.join("\n"))
}

/// That the service shows waiting badges is learned from one that was accepted.
fn learned(bench: &Bench) {
    bench.run(&["issue", "--template", "TPL-001", "--to", "먼저 <first@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
}

/// A name like those that people have: a number at its end would be asked about.
fn name(n: usize) -> String {
    let given = ["하나", "두리", "세나", "네모", "다솜"];
    format!("김{}", given[n % given.len()])
}

fn issue(file: &str) -> Vec<&str> {
    vec!["issue", "--template", "TPL-001", "--recipients", file, "--yes"]
}

#[test]
fn the_quota_stops_it_and_more_quota_lets_it_go_on() {
    let bench = Bench::new();
    learned(&bench);
    bench.control().set_quota(Some(3));
    let file = bench.write("people.csv", people(3));
    let said = bench.json(&issue(&file), 4);
    let job = &said["jobs"][0];
    assert_eq!((&job["stop"]["kind"], &job["can_resume"]), (&"quota".into(), &true.into()), "{said}");
    assert_eq!((count(job, "ready"), bench.accepted()), (3, 1));
    let id = job["id"].to_string();
    let said = bench.run(&["jobs", "show", &id]).ended(0);
    assert!(
        said.out.contains(&format!("lapel jobs resume {id}")) && said.out.contains("use-up"),
        "{}",
        said.out
    );
    assert!(said.out.contains(msg("sends the unsent rows after a check")), "{}", said.out);

    // A service may show late what it accepted after all.
    for verb in ["use-up", "resume"] {
        let said = bench.run(&["jobs", verb, &id, "--yes"]).ended(1);
        assert!(said.err.contains(msg_part("and may show badges late")), "{}", said.err);
    }
    assert_eq!(bench.accepted(), 1);
    bench.advance(10);
    let said = bench.json(&["jobs", "use-up", &id, "--yes"], 4);
    assert_eq!((count(&said["jobs"][0], "waiting"), bench.accepted()), (2, 3), "{said}");

    bench.control().set_quota(None);
    bench.advance(10);
    let said = bench.json(&["jobs", "resume", &id, "--yes"], 0);
    assert_eq!(accepted_rows(&said["jobs"][0]), 3, "{said}");
    assert_eq!((bench.accepted(), bench.most_for_one()), (4, 1));
    let said = bench.run(&["jobs", "resume", &id, "--yes"]).ended(1);
    assert!(said.err.contains(msg_part("Nothing was changed")), "{}", said.err);
}

/// A program that looks now and then finds what the service accepted of a refused request.
#[test]
fn follow_finds_what_a_refused_request_did_all_the_same() {
    let bench = Bench::new();
    learned(&bench);
    bench.fault("post /badges/batch commit status=422 times=1");
    let file = bench.write("people.csv", people(3));
    let said = bench.json(&issue(&file), 4);
    let (job, id) = (&said["jobs"][0], said["jobs"][0]["id"].to_string());
    assert_eq!((count(job, "ready"), &job["open"]), (3, &true.into()), "{said}");
    bench.advance(2);
    bench.run(&["jobs", "follow"]).ended(0);
    let said = bench.json(&["jobs", "show", &id], 0);
    assert_eq!((count(&said["job"], "waiting"), bench.accepted()), (3, 4), "{said}");
    assert_eq!(bench.requests_to("POST /badges/batch"), 1);
}

#[test]
fn skipped_rows_count_when_the_rest_is_sent_later() {
    let bench = Bench::new();
    learned(&bench);
    bench.insert(&[("person0@naru.example", RowState::Issued)]);
    bench.control().set_quota(Some(0));
    let file = bench.write("people.csv", people(3));
    let id = bench.json(&issue(&file), 4)["jobs"][0]["id"].to_string();
    bench.control().set_quota(None);
    bench.advance(10);
    let said = bench.json(&["jobs", "resume", &id, "--yes"], 3);
    assert_eq!((count(&said["jobs"][0], "waiting"), &said["rows"][0]["bucket"]), (2, &"left_out".into()));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_does_not_hide_what_was_sent() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.fault("post /badges drop");
    for json in [&[][..], &["--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let to = if json.is_empty() { "a <a@naru.example>" } else { "b <b@naru.example>" };
        let args = [&["issue", "--template", "TPL-001", "--to", to, "--yes"], json].concat();
        let said = bench.said(bench.lapel(&args).stdout(full).output().expect("it runs")).ended(5);
        let id = if json.is_empty() { 1 } else { 2 };
        assert!(said.err.contains(&format!("lapel jobs show {id}")), "{}", said.err);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let follow = bench.lapel(&[&["jobs", "follow"], json].concat()).stdout(full).output();
        bench.said(follow.expect("it runs")).ended(5);
    }
}

#[test]
fn rows_of_a_refusal_that_cannot_be_proven_are_in_doubt_and_are_sent_once_it_is_proven() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.control().set_quota(Some(0));
    let id = bench.json(ONE, 4)["jobs"][0]["id"].to_string();
    bench.control().set_quota(None);
    let said = bench.run(&["jobs", "resume", &id, "--yes"]).ended(5);
    assert!(said.out.contains(msg("in doubt")), "{}", said.out);
    assert_eq!(bench.accepted(), 0);
    // The job's note is about the proof, and goes with it.
    let about = msg_part("before the check window ends");
    assert!(bench.run(&["jobs", "show", &id]).ended(0).out.contains(about));
    bench.advance(27 * 60);
    bench.run(&["jobs", "follow"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (1, 1));
    let said = bench.run(&["jobs", "show", &id]).ended(0);
    assert!(!said.out.contains(about), "{}", said.out);
}

/// Somebody who works from one of these lists must not send to these people again.
#[test]
fn rows_that_were_refused_and_perhaps_accepted_are_named_in_every_list() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.control().set_quota(Some(0));
    let id = bench.json(ONE, 4)["jobs"][0]["id"].to_string();
    // This check finds that nothing proves soon what became of them.
    bench.advance(2);
    bench.run(&["jobs", "follow"]).ended(4);
    let held = msg("refused, perhaps accepted");
    let text = bench.run(&["jobs", "show", &id]).ended(0).out;
    let row = text.lines().find(|line| line.contains("row 1  ")).expect("the row");
    assert!(row.contains("gildong@naru.example") && row.contains(held), "{text}");
    for rows in [&[][..], &["--rows", "ready"]] {
        let said = bench.json(&[&["jobs", "show", &id], rows].concat(), 0);
        let row = &said["rows"][0];
        assert_eq!((&row["bucket"], &row["why_code"]), (&"ready".into(), &"being_proven".into()), "{said}");
        assert_eq!(said["rows"].as_array().map(Vec::len), Some(1), "{said}");
    }
}

#[test]
fn a_list_that_is_cut_names_the_most_urgent_rows() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.fault("post /badges drop");
    bench.fault("post /badges/batch drop");
    let invalid: Vec<String> = (0..60).map(|n| format!("{},", name(n))).collect();
    let last = "김두리7,review@naru.example\n홍길동,gildong@naru.example";
    let file = bench.write("people.csv", format!("name,email\n{}\n{last}\n", invalid.join("\n")));
    let listed = |text: &str| {
        let rows = text.lines().map(str::trim_start).filter(|line| line.starts_with("row "));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    // Nothing is in doubt before it is sent.
    let dry = ["issue", "--template", "TPL-001", "--recipients", &file, "--dry-run"];
    let dry = bench.run(&dry).ended(3).out;
    let unsent = dry.split_once(msg("Not sent:")).expect("rows that are not sent").1;
    assert!(listed(unsent)[0].contains("review@naru.example"), "{dry}");
    let sent = bench.run(&issue(&file)).ended(5).out;
    let (id, _) = sent.trim_start_matches("Job ").split_once(':').expect("the job");
    let shown = bench.run(&["jobs", "show", id]).ended(0).out;
    for text in [&sent, &shown] {
        let rows = listed(text);
        assert!(rows[0].contains("gildong@naru.example"), "{text}");
        assert_eq!(rows.len(), 50, "{text}");
        assert!(text.contains("12 more: --json"), "{text}");
    }
}

#[test]
fn a_refused_key_stops_it_and_a_good_one_lets_it_go_on() {
    let bench = Bench::new();
    bench.fault("post /badges status=401 code=4001");
    let said = bench.run(ONE).ended(4);
    assert!(
        said.out.contains(msg("access refused")) && said.out.contains(msg_part("lapel jobs resume 1")),
        "{}",
        said.out
    );
    bench.control().clear_faults();
    bench.run(&["jobs", "resume", "1", "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (1, 1));
}

#[test]
fn a_refused_request_needs_a_person_and_can_be_retried() {
    let bench = Bench::new();
    bench.fault("post /badges status=400 code=4000 times=1");
    let said = bench.json(ONE, 3);
    assert_eq!(said["rows"][0]["bucket"], "not_done");
    let id = said["jobs"][0]["id"].to_string();
    bench.run(&["jobs", "retry", &id, "--yes"]).ended(0);
    bench.run(&["jobs", "retry", &id, "--yes"]).ended(1);
    assert_eq!((bench.accepted(), bench.most_for_one()), (1, 1));
}

#[test]
fn a_lost_response_is_in_doubt_until_the_service_confirms_it_or_rules_it_out() {
    let bench = Bench::switched(&[("waiting-history", "hidden"), ("issue-time", "5m")]);
    bench.fault("post /badges commit-drop");
    let said = bench.json(ONE, 5);
    assert_eq!((&said["rows"][0]["bucket"], bench.accepted()), (&"in_doubt".into(), 1), "{said}");
    bench.control().clear_faults();
    let id = said["jobs"][0]["id"].to_string();
    bench.run(&["jobs", "follow"]).ended(5);
    let said = bench.run(&["jobs", "resend", &id, "--row", "1", "--why", "impatience", "--yes"]).ended(1);
    assert!(
        said.err.contains(msg_part("nothing to resolve")),
        "what is in doubt is not sent again: {}",
        said.err
    );
    bench.advance(10);
    let said = bench.json(&["jobs", "follow"], 0);
    assert_eq!(count(&said["changed"][0], "issued"), 1, "{said}");
    assert_eq!((bench.posts(), bench.accepted()), (1, 1));
}

#[test]
fn a_lost_answer_is_resolved_at_once_where_waiting_badges_are_listed() {
    let bench = Bench::new();
    bench.fault("post /badges commit-drop");
    let said = bench.json(ONE, 0);
    assert_eq!(count(&said["jobs"][0], "waiting"), 1, "{said}");
    assert_eq!((bench.posts(), bench.accepted()), (1, 1));
}

/// One row that was looked for until the end and never seen.
fn never_seen() -> (Bench, String) {
    let bench = Bench::new();
    learned(&bench);
    bench.fault("post /badges drop times=1");
    let said = bench.json(ONE, 5);
    let id = said["jobs"][0]["id"].to_string();
    for minutes in [11, 2] {
        bench.advance(minutes);
        bench.run(&["jobs", "follow"]).ended(5);
    }
    let said = bench.json(&["jobs", "show", &id], 0);
    assert_eq!(said["rows"][0]["bucket"], "not_seen", "{said}");
    assert_eq!(bench.accepted(), 1);
    (bench, id)
}

#[test]
fn what_was_never_seen_is_resolved_as_a_person_says() {
    let (bench, id) = never_seen();
    let settle =
        |how: &[&str], code| bench.json(&[&["jobs", "settle", &id, "--row", "1"], how].concat(), code);
    // The one badge that there is belongs to the row of another job.
    let taken = bench.control().ledger().accepted[0].badge_ids[0].clone();
    let said = settle(&["--is", &taken, "--why", "seen in the back office"], 1);
    assert_eq!(said["ok"], false, "{said}");
    for how in [&["--leave", "--why", " "][..], &["--is", " ", "--why", "x"]] {
        settle(how, 2);
    }
    // Undoing the job would revoke the badge: only one of the row's template and address is the row's.
    let elsewhere = |template: &str, email: &str| {
        let (template_id, recipient_email) = (template.to_owned(), email.to_owned());
        let insert = vec![RowSpec { template_id, recipient_email, minutes_ago: 60, ..RowSpec::default() }];
        bench.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted").remove(0)
    };
    let [strangers, others, right] = [
        ("TPL-001", "stranger@naru.example"),
        ("TPL-002", "gildong@naru.example"),
        ("TPL-001", "gildong@naru.example"),
    ]
    .map(|(template, email)| elsewhere(template, email));
    for (id, whose) in [(&strangers, "stranger@naru.example"), (&others, "TPL-002"), (&"B-0".into(), "B-0")] {
        let said = settle(&["--is", id, "--why", "a mistake"], 1);
        assert!(said["error"]["message"].as_str().is_some_and(|why| why.contains(whose)), "{said}");
    }
    let said = settle(&["--is", &right, "--why", "issued by the back office"], 0);
    assert_eq!(count(&said["job"], "not_seen"), 0, "{said}");
    // The command may already have seen that it is Issued.
    let named = ["waiting", "issued"].map(|status| {
        let said = bench.json(&["jobs", "show", &id, "--rows", status], 0);
        said["rows"][0]["badge_id"].clone()
    });
    assert!(named.contains(&right.as_str().into()), "{named:?}");
    assert!(
        settle(&["--leave", "--why", "too late"], 1)["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains(msg_part("nothing to resolve")))
    );

    let (bench, id) = never_seen();
    let said = bench.json(&["jobs", "settle", &id, "--row", "1", "--leave", "--why", "she has left"], 0);
    assert_eq!(count(&said["job"], "left_out"), 1, "{said}");
    assert_eq!(bench.accepted(), 1, "nothing was sent");
}

/// The badges that a late answer names may be second ones, and nothing else shows them.
#[test]
fn each_late_answer_is_in_the_json_also_of_a_job_with_another_note() {
    let bench = Bench::new();
    let id = bench.json(ONE, 0)["jobs"][0]["id"].to_string();
    bench.change(
        r#"UPDATE job SET note = '{"code":"issued_twice","args":{}}';
           UPDATE request SET outcome = 'lost', why = '{"code":"late_answer","args":{"why":{"code":"late_badges",
               "args":{"accepted":"1","sent":"1","ids":"B-9"}}}}'"#,
    );
    let job = &bench.json(&["jobs", "show", &id], 0)["job"];
    assert_eq!(job["note_code"], "issued_twice", "{job}");
    let late = &job["late_answers"][0];
    assert_eq!(late["why_code"], "late_badges", "{job}");
    assert!(late["why"].as_str().is_some_and(|why| why.contains("B-9")), "{job}");
}

#[test]
fn what_was_never_seen_is_sent_again_only_when_a_person_says_why() {
    let (bench, id) = never_seen();
    let text = bench.run(&["jobs", "show", &id]).ended(0).out;
    assert!(text.contains("lapel jobs resend"), "{text}");
    bench.run(&["jobs", "resend", &id, "--row", "1", "--why", "the line was cut", "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (2, 1));
}

#[test]
fn a_history_that_cannot_be_read_means_that_nothing_is_sent() {
    let bench = Bench::new();
    bench.fault("get /badges/history status=500");
    let said = bench.json(ONE, 3);
    assert_eq!(said["error"]["kind"], "guard_incomplete", "{said}");
    assert_eq!(bench.posts(), 0);
    assert_eq!(bench.json(&["jobs"], 0)["jobs"].as_array().map(Vec::len), Some(0));
}

/// As when it is issued: nobody knows who already has the badge.
#[test]
fn nor_is_anything_sent_again_without_the_history() {
    let bench = Bench::new();
    bench.fault("post /badges status=401 code=4001 times=1");
    let id = bench.json(ONE, 4)["jobs"][0]["id"].to_string();
    // The reading before the first attempt is old.
    bench.advance(16);
    for rule in ["items=null", "status=500"] {
        bench.fault(&format!("get /badges/history {rule}"));
        let said = bench.json(&["jobs", "resume", &id, "--yes"], 3);
        assert_eq!(said["error"]["kind"], "guard_incomplete", "{rule}: {said}");
        bench.control().clear_faults();
    }
    assert_eq!(bench.posts(), 1);
    bench.run(&["jobs", "resume", &id, "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (1, 1));
}

/// A refused request is proven with the history, too.
#[test]
fn a_refusal_is_not_proven_without_the_history() {
    let bench = Bench::new();
    learned(&bench);
    bench.control().set_quota(Some(1));
    let file = bench.write("people.csv", people(3));
    let id = bench.json(&issue(&file), 4)["jobs"][0]["id"].to_string();
    bench.advance(10);
    for rule in ["items=null", "status=500"] {
        bench.fault(&format!("get /badges/history {rule}"));
        for verb in ["use-up", "resume"] {
            let said = bench.json(&["jobs", verb, &id, "--yes"], 3);
            assert_eq!(said["error"]["kind"], "guard_incomplete", "{verb}, {rule}: {said}");
        }
        bench.control().clear_faults();
    }
    assert_eq!(bench.accepted(), 1);
}

#[test]
fn rows_that_were_never_seen_are_sent_again_together_once_their_time_is_over() {
    let bench = Bench::switched(&[("waiting-history", "hidden"), ("waiting-detail", "hidden")]);
    bench.fault("post /badges/batch drop times=1");
    let file = bench.write("people.csv", people(5));
    let id = bench.json(&issue(&file), 5)["jobs"][0]["id"].to_string();
    let all = |number: &str, code: i32| {
        let args =
            ["jobs", "resend", &id, "--all-never-seen", "--number", number, "--why", "lost at noon", "--yes"];
        bench.run(&args).ended(code)
    };
    let said = all("5", 1);
    assert!(said.err.contains(msg_part("has no never seen rows")), "they are still looked for: {}", said.err);
    bench.run(&["jobs", "resend", &id, "--all-never-seen", "--why", "x", "--yes"]).ended(2);
    bench.run(&["jobs", "resend", &id, "--row", "1", "--all-never-seen", "--why", "x", "--yes"]).ended(2);
    bench.advance(27 * 60);
    bench.run(&["jobs", "follow"]).ended(5);
    bench.fault("get /badges/history status=500");
    let said = all("5", 3);
    assert_eq!(said.err.matches(msg("Nothing was sent.")).count(), 1, "{}", said.err);
    bench.control().clear_faults();
    // Somebody else of this office has served one of them meanwhile.
    let one = format!("{} <person0@naru.example>", name(0));
    bench.run(&["issue", "--template", "TPL-001", "--to", &one, "--on-duplicate", "allow", "--yes"]);
    let served = bench.accepted();
    let posts = bench.posts();
    for wrong in ["1", "6"] {
        all(wrong, 1);
    }
    assert_eq!(bench.posts(), posts, "something was sent");
    let ready = 5 - served;
    let said = all(&ready.to_string(), if served == 0 { 0 } else { 5 });
    assert_eq!(bench.requests_to("POST /badges/batch"), 2, "in one batch: {}", said.out);
    assert_eq!((bench.accepted(), bench.most_for_one()), (5, 1));
    let decided = bench.number(
        "SELECT count(*) FROM decision WHERE what = 'send again' AND why = 'lost at noon' AND no > 0",
    );
    assert_eq!(decided, ready, "each row has its decision");
}

#[test]
fn what_just_was_accepted_shows_whether_waiting_badges_are_in_the_history() {
    for shown in ["visible", "hidden"] {
        let bench = Bench::switched(&[("waiting-history", shown)]);
        bench.run(ONE).ended(0);
        // Another job has a doubt, and nothing of its own that was accepted.
        bench.fault("post /badges/batch drop times=1");
        let file = bench.write("people.csv", people(5));
        bench.run(&issue(&file)).ended(5);
        // The private server of the tests does not wait for its disk, which is a problem.
        let problems = i32::from(team::is_team());
        let learned = bench.json(&["doctor"], problems)["learned"].clone();
        let all = learned.as_array().expect("a list");
        let fact = all.iter().find(|one| one["name"] == "waiting_in_history").expect("it is there");
        let is = if shown == "visible" { "shown" } else { "hidden" };
        assert_eq!(fact["values"][0]["value"], is, "{fact}");
    }
}

#[test]
fn a_row_is_named_by_the_number_that_the_list_shows() {
    let bench = Bench::switched(&[("over-quota", "partial-202"), ("waiting-history", "visible")]);
    bench.control().set_quota(Some(2));
    let file = bench.write("people.csv", people(4));
    let id = bench.json(&issue(&file), 3)["jobs"][0]["id"].to_string();
    bench.control().set_quota(None);
    let said = bench.run(&["jobs", "show", &id]).ended(0).out;
    let listed = said.lines().find(|line| line.contains("person2@")).expect("it is not accepted");
    assert!(listed.trim_start().starts_with("row 4 "), "{said}");
    let row = &bench.json(&["jobs", "show", &id], 0)["rows"][0];
    assert_eq!((&row["row"], &row["line"], &row["row_number"]), (&3.into(), &4.into(), &4.into()), "{row}");
    let resend = |number: &str, code| {
        bench.run(&["jobs", "resend", &id, "--row", number, "--why", "asked for", "--yes"]).ended(code)
    };
    for none in ["1", "6"] {
        let said = resend(none, 1);
        assert!(said.err.contains(msg_part("its rows are 2 to 5")), "{}", said.err);
    }
    resend("4", 3);
    let ledger = bench.control().ledger();
    let to = |email: &str| ledger.accepted.iter().any(|a| a.recipient_email == email);
    assert!(to("person2@naru.example") && !to("person3@naru.example"), "{:?}", ledger.accepted);
    let settled = bench.json(&["jobs", "settle", &id, "--row", "5", "--leave", "--why", "has left"], 0);
    assert_eq!(count(&settled["job"], "left_out"), 1, "{settled}");
    let left = &bench.json(&["jobs", "show", &id, "--rows", "left_out"], 0)["rows"][0];
    assert_eq!(left["email"], "person3@naru.example", "{left}");
}

#[test]
fn a_refusal_that_is_not_proven_ends_with_4_and_then_with_5() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.control().set_quota(Some(0));
    let file = bench.write("people.csv", people(4));
    let id = bench.json(&issue(&file), 4)["jobs"][0]["id"].to_string();
    bench.control().set_quota(None);
    let said = bench.json(&["jobs", "resume", &id, "--yes"], 5);
    assert_eq!((&said["exit_code"], count(&said["jobs"][0], "in_doubt")), (&5.into(), 4), "{said}");
    bench.run(&["jobs", "follow"]).ended(5);
    assert_eq!(bench.accepted(), 0);
}

#[test]
fn a_badge_that_was_issued_twice_ends_with_3() {
    let bench = Bench::switched(&[("waiting-history", "visible"), ("issue-time", "5m")]);
    bench.run(ONE).ended(0);
    let twin = RowSpec { recipient_email: "gildong@naru.example".into(), ..RowSpec::default() };
    bench.control().rows(&Rows { insert: vec![twin], ..Rows::default() }).expect("inserted");
    bench.advance(25 * 60);
    let said = bench.json(&["jobs", "follow"], 3);
    assert_eq!(said["changed"][0]["note_code"], "some_issued_twice", "{said}");
}
