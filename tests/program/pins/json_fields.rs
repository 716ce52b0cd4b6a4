//! The JSON of every verb: which fields it has, of which types. The verbs run against a sandbox of their own.

use super::json_shape::fields;
use super::pinned::pin;
use super::schema;
use crate::verbs::kit::{Bench, Said, frozen};
use lapel::sandbox::{Options, RowState};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Stdio;

const PEOPLE: &str = "번호,이름,이메일\n1,김하나,hana@naru.example\n2,이두리,duri@naru.example\n3,박세나,\n";
const ONE: &[&str] = &["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"];

/// The fields that were seen, by verb.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    fn take(&mut self, verb: &str, answer: &Value) {
        schema::check(verb, answer);
        let mut found = BTreeSet::new();
        fields(answer, "", &mut found);
        for (path, kind) in found.iter().filter_map(|field| field.split_once(": ")) {
            let path = with_any_status(path);
            self.0.insert(format!("{verb} | {path}"));
            self.0.insert(format!("{}: {kind}", within_its_record(&path)));
        }
        // Programs compare these with words of their own.
        if let Some(kind) = answer["error"]["kind"].as_str() {
            self.0.insert(format!("error.kind = {kind}"));
        }
    }

    /// Runs a verb with `--json`, and takes its answer.
    #[track_caller]
    fn ask(&mut self, bench: &Bench, verb: &str, args: &[&str], code: i32) -> Value {
        let answer = bench.json(args, code);
        self.take(verb, &answer);
        answer
    }
}

/// Which statuses rows have at a moment depends on the moment. Their words have a list of their own.
fn with_any_status(path: &str) -> String {
    for counts in ["counts.", "classes."] {
        if let Some(at) = path.find(counts) {
            return format!("{}*", &path[..at + counts.len()]);
        }
    }
    path.to_owned()
}

/// A job has the same fields everywhere; what is null in one of them may be a text in the next.
fn within_its_record(path: &str) -> String {
    for (list, record) in [("jobs[].", "job."), ("changed[].", "job."), ("followed[].", "job.")] {
        if let Some(field) = path.strip_prefix(list) {
            return format!("{record}{field}");
        }
    }
    path.to_owned()
}

/// `lapel` without a service in its environment, with something on standard input.
fn alone(bench: &Bench, args: &[&str], input: &str) -> Said {
    let mut command = bench.lapel(args);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY").stdin(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // One that asks for nothing may have ended by now.
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), input.as_bytes());
    bench.said(child.wait_with_output().expect("it ends"))
}

/// The number of the job in an answer.
fn id(answer: &Value) -> String {
    answer["jobs"][0]["id"].to_string()
}

#[test]
fn json_of_reading() {
    let bench = Bench::new();
    bench.run(ONE).ended(0);
    let badge = bench.insert(&[("gildong@naru.example", RowState::Revoked)]).remove(0);
    let mut seen = Seen::default();
    let email = ["--recipient-email", "gildong@naru.example"];
    for (verb, args) in [
        ("templates", &["templates", "--rows", "3"][..]),
        ("templates --all", &["templates", "--all"]),
        ("template", &["template", "TPL-004"]),
        ("categories", &["categories"]),
        ("category", &["category", "C08"]),
        ("badge-types", &["badge-types"]),
        ("history", &[&["history"], &email[..]].concat()),
        ("history --all", &[&["history", "--all"], &email[..]].concat()),
        ("wallet", &["wallet", "gildong@naru.example"]),
        ("badge", &["badge", &badge]),
    ] {
        seen.ask(&bench, verb, args, 0);
    }
    for (verb, args) in [
        ("templates --jsonl", &["templates", "--rows", "3", "--jsonl"][..]),
        ("history --jsonl", &[&["history", "--jsonl"], &email[..]].concat()),
        ("wallet --jsonl", &["wallet", "gildong@naru.example", "--jsonl"]),
        ("badge --jsonl", &["badge", &badge, "--jsonl"]),
        ("categories --jsonl", &["categories", "--jsonl"]),
    ] {
        let said = bench.run(args).ended(0);
        assert!(!said.out.is_empty(), "{verb}");
        for line in said.out.lines() {
            seen.take(verb, &serde_json::from_str(line).expect("JSON"));
        }
    }
    let known = ["history | list[].badge_id", "badge --jsonl | badge_id", "wallet | ok"];
    pin("json-reading", &known, seen.0);
}

#[test]
fn json_of_issuing_and_jobs() {
    let bench = Bench::switched(&[("issue-time", "5m"), ("revoke-time", "instant")]);
    let mut seen = Seen::default();
    let file = bench.write("people.csv", PEOPLE);
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file];
    bench.insert(&[("duri@naru.example", RowState::Issued)]);
    seen.ask(&bench, "issue --dry-run", &[&issue[..], &["--dry-run"]].concat(), 3);
    let answer = seen.ask(&bench, "issue", &[&issue[..], &["--yes"]].concat(), 3);
    let job = id(&answer);
    seen.ask(&bench, "jobs list", &["jobs", "list"], 0);
    seen.ask(&bench, "jobs show", &["jobs", "show", &job, "--rows", "waiting"], 0);
    seen.ask(&bench, "jobs show", &["jobs", "show", &job, "--rows", "ask"], 0);
    bench.advance(10);
    seen.ask(&bench, "jobs follow", &["jobs", "follow"], 0);
    seen.ask(&bench, "jobs show", &["jobs", "show", &job, "--rows", "issued"], 0);
    seen.ask(&bench, "jobs receipt", &["jobs", "receipt", &job, "--to", "receipt.csv"], 0);
    seen.ask(&bench, "jobs redo", &["jobs", "redo", &job, "--to", "redo.csv"], 0);
    seen.ask(&bench, "error", &["jobs", "redo", &job, "--to", "redo.csv"], 1);
    seen.ask(&bench, "jobs undo", &["jobs", "undo", &job, "--reason", "x", "--yes", "--wait"], 0);
    let ids =
        bench.insert(&[("one@naru.example", RowState::Issued), ("two@naru.example", RowState::Waiting)]);
    let revoke = ["revoke", &ids[0], &ids[1], "--reason", "x"];
    seen.ask(&bench, "revoke --dry-run", &[&revoke[..], &["--dry-run"]].concat(), 3);
    seen.ask(&bench, "revoke", &[&revoke[..], &["--yes", "--wait"]].concat(), 3);
    seen.ask(&bench, "doctor", &["doctor"], 0);
    seen.ask(&bench, "jobs purge", &["jobs", "purge", "--older-than", "0"], 0);
    let known = [
        "issue | jobs[].counts.*",
        "issue --dry-run | jobs[].would_send",
        "revoke | rows[].bucket",
        "error.kind = exists",
    ];
    pin("json-jobs", &known, seen.0);
}

/// Everything that stops a job, and how each resumes.
#[test]
fn json_of_jobs_that_have_stopped() {
    let bench = Bench::new();
    let mut seen = Seen::default();
    // That the service shows waiting badges is learned from one that was accepted.
    bench.run(&["issue", "--template", "TPL-001", "--to", "먼저 <first@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    bench.control().set_quota(Some(2));
    let people = "name,email\n김하나,hana@naru.example\n이두리,duri@naru.example\n최네모,nemo@naru.example\n";
    let file = bench.write("people.csv", people);
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--yes"];
    let job = id(&seen.ask(&bench, "issue, stopped", &issue, 4));
    seen.ask(&bench, "jobs show, stopped", &["jobs", "show", &job], 0);
    bench.advance(10);
    seen.ask(&bench, "jobs use-up", &["jobs", "use-up", &job, "--yes"], 4);
    bench.control().set_quota(None);
    bench.advance(10);
    seen.ask(&bench, "jobs resume", &["jobs", "resume", &job, "--yes"], 0);
    seen.ask(&bench, "error", &["jobs", "resume", &job, "--yes"], 1);

    bench.fault("post /badges status=400 code=4000 times=1");
    let job = id(&seen.ask(&bench, "issue, refused", ONE, 3));
    seen.ask(&bench, "jobs retry", &["jobs", "retry", &job, "--yes"], 0);

    bench.fault("post /badges drop times=2");
    let one = |who: &'static str| ["issue", "--template", "TPL-002", "--to", who, "--yes"];
    let resent = id(&seen.ask(&bench, "issue, in doubt", &one("김하나 <hana@naru.example>"), 5));
    let settled = id(&seen.ask(&bench, "issue, in doubt", &one("이두리 <duri@naru.example>"), 5));
    for minutes in [11, 2] {
        bench.advance(minutes);
        seen.ask(&bench, "jobs follow, in doubt", &["jobs", "follow"], 5);
    }
    seen.ask(&bench, "jobs show, never seen", &["jobs", "show", &resent], 0);
    let why = ["--row", "1", "--why", "the line was cut"];
    seen.ask(&bench, "jobs resend", &[&["jobs", "resend", &resent, "--yes"], &why[..]].concat(), 0);
    seen.ask(&bench, "jobs resolve", &[&["jobs", "resolve", &settled, "--leave"], &why[..]].concat(), 0);

    bench.fault("post /badges status=401 code=4001");
    let job = id(&seen.ask(&bench, "issue, stopped", &one("최네모 <nemo@naru.example>"), 4));
    seen.ask(&bench, "jobs cancel", &["jobs", "cancel", &job], 0);
    seen.ask(&bench, "error", &["jobs", "pause", &job], 1);
    bench.control().clear_faults();

    let backup = bench.path("lapel.backup");
    let backup = backup.to_str().expect("UTF-8");
    seen.ask(&bench, "journal status", &["journal", "status"], 0);
    seen.ask(&bench, "journal init", &["journal", "init", "--print"], 0);
    seen.ask(&bench, "error", &["journal", "migrate"], 2);
    seen.ask(&bench, "journal backup", &["journal", "backup", backup], 0);
    seen.ask(&bench, "jobs list, moved", &["jobs", "list"], 0);
    seen.ask(&bench, "journal restore", &["journal", "restore", backup], 0);
    let known =
        ["jobs resolve | job.id", "jobs show, stopped | job.stop.why_code", "error.kind = not_possible"];
    pin("json-stopped-jobs", &known, seen.0);
}

#[test]
fn json_of_profiles_and_settings() {
    let bench = Bench::new();
    let mut seen = Seen::default();
    seen.ask(&bench, "ping", &["ping"], 0);
    seen.ask(&bench, "info", &["info"], 0);
    let url = bench.sandbox.base_url().to_owned();
    let key = format!("{}\n", bench.sandbox.api_key());
    for (verb, args, code) in [
        ("error", &["ping"][..], 2),
        ("profile add", &["profile", "add", "uni", "--base-url", &url, "--key-stdin"], 0),
        ("profile list", &["profile", "list"], 0),
        ("profile test", &["profile", "test", "uni"], 0),
        ("profile edit", &["profile", "edit", "uni", "--organisation", "Uni"], 0),
        ("info", &["info"], 0),
        ("error", &["jobs", "resume", "1", "--read-only", "--yes"], 2),
        ("profile remove", &["profile", "remove", "uni", "--yes"], 0),
    ] {
        let said = alone(&bench, &[args, &["--json"]].concat(), &key).ended(code);
        seen.take(verb, &said.json());
    }
    pin("json-profiles", &["ping | ok", "profile list | profiles[].name"], seen.0);
}

#[test]
fn json_of_the_index() {
    let start = Some(jiff::civil::datetime(2041, 3, 1, 10, 0, 0, 0));
    let bench = Bench::with(Options { start, ..frozen() });
    let mut seen = Seen::default();
    seen.ask(&bench, "index status, off", &["index", "status"], 0);
    seen.ask(&bench, "error", &["index", "build"], 2);
    bench.settings("[index]\nenabled = true\nmax_age_days = 36500\n");
    seen.ask(&bench, "index build", &["index", "build"], 0);
    seen.ask(&bench, "index status", &["index", "status"], 0);
    seen.ask(&bench, "index purge", &["index", "purge"], 0);
    pin("json-index", &["index status | index.badges"], seen.0);
}

/// The one shape of an answer that says what went wrong, and the words for what it was.
#[test]
fn json_of_errors() {
    let bench = Bench::new();
    let mut seen = Seen::default();
    seen.ask(&bench, "error", &["badge", "no-such-badge"], 1);
    seen.ask(&bench, "error", &ONE[..5], 2);
    seen.ask(&bench, "error", &["jobs", "show", "7"], 1);
    seen.ask(&bench, "error", &["issue", "--template", "T", "--recipients", "no-such-file.csv", "--yes"], 2);
    let odd = bench.write("odd.csv", "누구,어디로\n김하나,hana@naru.example\n");
    seen.ask(&bench, "error", &["issue", "--template", "TPL-001", "--recipients", &odd, "--yes"], 2);
    for (rule, code) in [
        ("get /badges/history status=500", 1),
        ("get /badges/history status=401 code=4001", 1),
        ("get /badges/history status=403 code=4003", 1),
        ("get /badges/history status=400 code=4000", 1),
    ] {
        bench.fault(rule);
        seen.ask(&bench, "error", &["history"], code);
        bench.control().clear_faults();
    }
    bench.write(
        "data/journal.sqlite",
        "this is no journal, and it is long enough to be looked at by somebody",
    );
    seen.ask(&bench, "error", ONE, 1);
    bench.settings("[profiles.uni]\nbase_url = 7\n");
    seen.ask(&bench, "error", &["ping", "--profile", "uni"], 2);
    let known = ["error | error.kind", "error | error.message", "error.kind = not_found"];
    pin("json-errors", &known, seen.0);
}
