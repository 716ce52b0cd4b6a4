//! Ctrl-C while something is being sent, and two at the same job.
#![cfg(unix)]

use super::kit::{Bench, Running, count};
use crate::team;
use crate::texts::{msg, msg_part, msg_with};
use lapel::sandbox::RowState;
use rustix::process::Signal;
use serde_json::Value;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

/// Six people, two in a request, never two requests at once. None is answered until the faults are cleared.
fn stalled(bench: &Bench) -> Running {
    bench.settings("[jobs]\nbatch = 2\nin_flight = 1\n");
    let names = ["하나", "두리", "세나", "네모", "다솜", "여름"];
    let rows: Vec<String> =
        names.iter().zip(1..).map(|(name, n)| format!("김{name},person{n}@naru.example")).collect();
    let file = bench.write("people.csv", format!("name,email\n{}\n", rows.join("\n")));
    bench.fault("post /badges/batch commit hold");
    let running = Running::start(bench.lapel(&[
        "issue",
        "--template",
        "TPL-001",
        "--recipients",
        &file,
        "--yes",
        "--json",
    ]));
    bench.until("the first request", |b| b.requests_to("POST /badges/batch") > 0);
    running
}

fn only_job(bench: &Bench) -> Value {
    bench.json(&["jobs"], 0)["jobs"][0].clone()
}

#[test]
fn ctrl_c_stops_after_what_is_on_its_way_and_resuming_sends_the_rest_once() {
    stops_cleanly(Signal::INT);
}

#[test]
fn so_does_the_machine_that_ends_it() {
    stops_cleanly(Signal::TERM);
}

#[test]
fn so_does_a_terminal_that_closes() {
    stops_cleanly(Signal::HUP);
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_keeps_it_running() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let inner = bench.lapel(&[
        "issue",
        "--template",
        "TPL-001",
        "--to",
        "홍길동 <gildong@naru.example>",
        "--yes",
        "--wait",
        "--json",
    ]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(inner.get_program()).args(inner.get_args());
    command.env_clear().current_dir(bench.home.path());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command);
    running.says("done: ");
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).expect("its state");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("the ignored signals");
    assert_eq!(u64::from_str_radix(ignored.trim(), 16).map(|mask| mask & 1), Ok(1), "{status}");
    running.signal(Signal::INT);
    bench.said(running.output()).ended(4);
}

fn stops_cleanly(signal: Signal) {
    let bench = Bench::new();
    let mut running = stalled(&bench);
    running.signal(signal);
    running.says("stopping");
    bench.control().clear_faults();
    let said = bench.said(running.output()).ended(4);
    assert!(said.err.contains("stopping"), "{}", said.err);
    let job = &said.json()["jobs"][0];
    assert_eq!((count(job, "waiting"), count(job, "ready"), bench.accepted()), (2, 4, 2), "{job}");
    assert_eq!((&job["can_resume"], &job["owner"]), (&true.into(), &Value::Null));

    let id = job["id"].to_string();
    let said = bench.json(&["jobs", "resume", &id, "--yes"], 0);
    assert_eq!(count(&said["jobs"][0], "waiting"), 6, "{said}");
    assert_eq!((bench.accepted(), bench.most_for_one(), bench.posts()), (6, 1, 3));
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_nothing_is_lost_or_repeated() {
    let bench = Bench::new();
    let mut running = stalled(&bench);
    running.signal(Signal::INT);
    // Two signals that come together are one to the system.
    running.says("stopping");
    let first = bench.requests_to("POST /badges/batch");
    running.signal(Signal::INT);
    let said = bench.said(running.output()).ended(5);
    assert!(said.err.contains(msg_part("exited. Requests without an answer are in doubt")), "{}", said.err);
    assert_eq!(said.json()["error"]["kind"], "given_up");
    assert_eq!(bench.requests_to("POST /badges/batch"), first);
    bench.until("the service has done it", |b| b.accepted() == 2);
    bench.control().clear_faults();
    team::end_leases(bench.home.path());
    let said = bench.run(&["jobs", "follow", "--json"]).ended(4).json();
    assert_eq!(
        (count(&said["changed"][0], "waiting"), count(&said["changed"][0], "ready")),
        (2, 4),
        "{said}"
    );
    let id = said["changed"][0]["id"].to_string();
    bench.run(&["jobs", "resume", &id, "--yes"]).ended(0);
    assert_eq!((bench.accepted(), bench.most_for_one()), (6, 1));
}

#[test]
fn ctrl_c_while_waiting_leaves_the_job_to_whoever_follows_it_next() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let one = ["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>"];
    let mut running = Running::start(bench.lapel(&[&one[..], &["--yes", "--wait", "--json"]].concat()));
    running.says("done: ");
    running.signal(Signal::INT);
    let said = bench.said(running.output()).ended(4).json();
    assert_eq!((&said["interrupted"], count(&said["jobs"][0], "waiting")), (&true.into(), 1), "{said}");
    bench.advance(10);
    let said = bench.json(&["jobs", "follow", "--wait"], 0);
    assert_eq!((count(&said["changed"][0], "issued"), bench.posts()), (1, 1), "{said}");
}

#[test]
fn ctrl_c_before_anything_is_sent_says_so() {
    let bench = Bench::new();
    let ids = bench.insert(&[("one@naru.example", RowState::Issued)]);
    let to = ["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>"];
    let revoke = ["revoke", &ids[0], "--reason", "issued twice", "--yes"];
    for (args, fault, route) in [
        ([&to[..], &["--yes"]].concat(), "get /badges/history hold", "GET /badges/history"),
        ([&to[..], &["--dry-run"]].concat(), "get /badges/history hold", "GET /badges/history"),
        (revoke.to_vec(), "get /badges/{id} hold", "GET /badges/{badge_id}"),
    ] {
        let before = bench.requests_to(route);
        bench.fault(fault);
        let mut running = Running::start(bench.lapel(&args));
        bench.until("the check", |b| b.requests_to(route) > before);
        running.signal(Signal::INT);
        running.says(msg("stopping. Ctrl-C again exits now."));
        let said = bench.said(running.output()).ended(4);
        assert!(said.err.contains(msg("Stopped. Nothing was sent.")), "{args:?}: {}", said.err);
        bench.control().clear_faults();
    }
    assert_eq!((bench.posts(), bench.json(&["jobs"], 0)["jobs"].as_array().map(Vec::len)), (0, Some(0)));
}

/// As when it was suspended, and a colleague's lapel took it for one that had ended.
#[test]
fn a_verb_whose_draft_is_gone_names_no_job_that_nobody_knows() {
    let bench = Bench::new();
    bench.fault("get /badges/history hold");
    let to = ["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"];
    let running = Running::start(bench.lapel(&to));
    bench.until("the check", |b| b.requests_to("GET /badges/history") > 0);
    bench.change("DELETE FROM job WHERE phase = 'draft'");
    bench.control().clear_faults();
    let said = bench.said(running.output()).ended(1);
    assert!(said.err.contains(msg_part("Another lapel removed this draft")), "{}", said.err);
    assert_eq!(bench.posts(), 0);
}

#[test]
fn ctrl_c_stops_the_building_of_an_index() {
    let bench = Bench::new();
    bench.settings("[index]\nenabled = true\n");
    bench.fault("get /badges/history hold after=1");
    let running = Running::start(bench.lapel(&["index", "build"]));
    bench.until("the second page", |b| b.requests_to("GET /badges/history") >= 2);
    running.signal(Signal::INT);
    bench.said(running.output()).ended(4);
}

#[test]
fn what_another_lapel_follows_counts_too() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.fault("post /badges drop");
    let one = ["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes", "--wait"];
    let mut running = Running::start(bench.lapel(&one));
    running.says("done: ");
    assert_eq!(count(&only_job(&bench), "in_doubt"), 1);
    bench.run(&["jobs", "follow"]).ended(5);
    running.signal(Signal::INT);
    bench.said(running.output()).ended(5);
}

#[test]
fn a_job_belongs_to_one_lapel_at_a_time() {
    let bench = Bench::new();
    let mut running = stalled(&bench);
    let job = only_job(&bench);
    let owner = format!("process {}", running.id());
    assert_eq!(job["owner"], owner.as_str(), "{job}");
    let listed = bench.run(&["jobs"]).ended(0).out;
    assert!(listed.contains(&msg_with("in another lapel ({owner})", &[&owner])), "{listed}");
    let id = job["id"].to_string();
    for verb in [&["pause"][..], &["cancel"], &["resume", "--yes"], &["retry", "--yes"], &["use-up", "--yes"]]
    {
        let said = bench.run(&[&["jobs"], verb, &[&id]].concat()).ended(1);
        assert!(
            said.err.contains(msg_part("another running lapel")) && said.err.contains(&owner),
            "{verb:?}: {}",
            said.err
        );
    }
    let said = bench.json(&["jobs", "follow"], 0);
    assert_eq!((&said["elsewhere"][0], &said["followed"]), (&job["id"], &Value::Array(Vec::new())));
    let said = bench.run(&["jobs", "follow"]).ended(0).out;
    assert!(said.contains(msg_part("1 open job checked by another lapel")), "{said}");
    running.signal(Signal::INT);
    running.says("stopping");
    bench.control().clear_faults();
    let said = bench.said(running.output()).ended(4).json();
    assert_eq!((bench.accepted(), bench.most_for_one()), (count(&said["jobs"][0], "waiting"), 1), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_key_is_not_among_the_arguments() {
    let bench = Bench::new();
    let running = stalled(&bench);
    let arguments = std::fs::read(format!("/proc/{}/cmdline", running.id())).expect("the arguments");
    let arguments = String::from_utf8_lossy(&arguments);
    assert!(arguments.contains(msg("issue")) && !arguments.contains(bench.sandbox.api_key()), "{arguments}");
}

#[test]
fn what_a_process_has_left_behind_that_is_gone_is_told_at_once() {
    let bench = Bench::new();
    let running = stalled(&bench);
    running.signal(Signal::KILL);
    running.output();
    team::end_leases(bench.home.path());
    let said = bench.run(&["jobs"]).ended(0).out;
    let state = if team::is_team() { "ended or cut off; {n} in doubt" } else { "ended; {n} in doubt" };
    assert!(said.contains(&msg_with(state, &[&2])) && !said.contains(msg("sending")), "{said}");
    let job = only_job(&bench);
    assert_eq!((count(&job, "in_doubt"), count(&job, "sending")), (2, 0), "{job}");
    // Also in a file.
    bench.run(&["jobs", "receipt", &job["id"].to_string(), "--to", "left.csv"]).ended(0);
    let receipt = std::fs::read_to_string(bench.path("left.csv")).expect("a receipt");
    assert_eq!(
        (receipt.matches(",in doubt,").count(), receipt.matches("being sent").count()),
        (2, 0),
        "{receipt}"
    );
}
