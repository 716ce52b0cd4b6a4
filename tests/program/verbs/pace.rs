//! Several processes on one computer share one limit and one `Retry-After`; the sandbox's own count is the judge.

use crate::texts::msg_part;
use crate::verbs::kit::{BOUND, Bench};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The window of the limit in these tests.
const WINDOW: Duration = Duration::from_millis(1500);

/// A sandbox with a limit, and a profile that knows it.
fn sandbox(limit: u32) -> Bench {
    let bench = Bench::new();
    bench.control().set_rate_limit(limit);
    bench.control().set_rate_window(WINDOW);
    bench.write(
        "config/config.toml",
        format!(
            "[profiles.uni]\nbase_url = \"{}\"\nenvironment = \"demo\"\nkey = {{ env = \"BADGE_KEY\" }}\n\
             rate_limit = {limit}\n",
            bench.sandbox.base_url()
        ),
    );
    bench
}

/// `lapel` with that profile.
fn lapel(bench: &Bench, args: &[&str]) -> Command {
    let mut command = bench.lapel(args);
    command
        .env_remove("LAPEL_BASE_URL")
        .env_remove("LAPEL_API_KEY")
        .env("BADGE_KEY", bench.sandbox.api_key())
        .env("LAPEL_TEST_WINDOW_MS", WINDOW.as_millis().to_string());
    command
}

/// How many requests have arrived.
fn requests(bench: &Bench) -> u64 {
    bench.control().ledger().requests.values().sum()
}

fn busiest(bench: &Bench) -> usize {
    bench.control().ledger().busiest_minute.values().map(|minute| minute.arrived).max().unwrap_or(0)
}

/// Waits for a condition, with a bound.
fn until(mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < BOUND, "it never came");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

fn ended(mut child: Child) -> Option<i32> {
    let mut status = None;
    until(|| {
        status = child.try_wait().expect("a child");
        status.is_some()
    });
    status.expect("ended").code()
}

#[test]
fn six_processes_never_pass_the_limit_even_when_some_are_killed() {
    const LIMIT: u32 = 12;
    let bench = sandbox(LIMIT);
    let file = bench.write("people.csv", "name,email\n김하나,hana@naru.example\n이두리,duri@naru.example\n");
    let (over, kills, ended_well) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let issue = ["issue", "--template", "TPL-001", "--recipients", &file, "--yes"];
    let said = bench.home.path().join("said");
    let run = |args: &[&str]| {
        let mut command = lapel(&bench, args);
        let said = std::fs::OpenOptions::new().create(true).append(true).open(&said).expect("a file");
        command.stdout(Stdio::null()).stderr(said);
        command.spawn().expect("it starts")
    };
    // Four of a person, one of background work, one that issues.
    let jobs: [&[&str]; 6] =
        [&["ping"], &["ping"], &["ping"], &["ping"], &["history", "--all", "--json"], &issue];
    std::thread::scope(|scope| {
        for (number, args) in jobs.into_iter().enumerate() {
            let (over, kills, ended_well, bench) = (&over, &kills, &ended_well, &bench);
            scope.spawn(move || {
                let mut turns = 0;
                while !over.load(Ordering::Relaxed) {
                    turns += 1;
                    let mut child = run(args);
                    // Its own request is under way, or waits for its turn: somebody else's count decides when.
                    if number == 0 && turns % 6 == 0 && kills.load(Ordering::Relaxed) < 4 {
                        let before = requests(bench);
                        until(|| requests(bench) > before);
                        child.kill().expect("killed");
                        child.wait().expect("gone");
                        kills.fetch_add(1, Ordering::Relaxed);
                    } else if ended(child) == Some(0) {
                        ended_well.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        until(|| requests(&bench) >= 60 && kills.load(Ordering::Relaxed) >= 2);
        over.store(true, Ordering::Relaxed);
    });
    let said = std::fs::read_to_string(&said).expect("text");
    assert!(!said.contains(msg_part("a quarter of the limit")), "one cannot share the limit: {said}");
    let ledger = bench.control().ledger();
    assert!(busiest(&bench) <= LIMIT as usize, "{:?}", ledger.busiest_minute);
    assert_eq!(ledger.violations.rate_limited, 0, "{:?}", ledger.requests);
    // The limit was worth waiting for.
    assert!(busiest(&bench) >= LIMIT as usize - 4, "{:?}", ledger.busiest_minute);
    assert!(ended_well.load(Ordering::Relaxed) > 10);
    // What is kept names neither the key nor the service.
    let kept = std::fs::read(bench.home.path().join("data/pace.sqlite")).expect("the file");
    let kept = String::from_utf8_lossy(&kept);
    assert!(!kept.contains(bench.sandbox.api_key()) && !kept.contains("127.0.0.1"));
}

/// How many waits are kept.
fn holds(bench: &Bench) -> Option<u32> {
    let db = rusqlite::Connection::open(bench.path("data/pace.sqlite")).ok()?;
    db.query_row("SELECT count(*) FROM hold WHERE pace NOT LIKE '% outside a team'", [], |row| row.get(0)).ok()
}

#[test]
fn a_long_retry_after_is_obeyed_after_a_restart() {
    let bench = sandbox(100);
    bench.control().add_fault("any status=429 retry-after=3540 times=1").expect("a rule");
    let waits = |bench: &Bench| {
        let mut child =
            lapel(bench, &["ping"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        // It waits, and others can know why. (It is killed a moment after the answer came.)
        until(|| holds(bench) == Some(1));
        assert!(child.try_wait().expect("a child").is_none(), "{line}");
        child.kill().expect("killed");
        child.wait().expect("gone");
        said.read_to_string(&mut line).expect("the rest");
        line
    };
    let first = waits(&bench);
    assert!(first.contains("59 min"), "{first}");
    let before = requests(&bench);
    for _ in 0..2 {
        let again = waits(&bench);
        assert!(again.contains("59 min"), "{again}");
    }
    assert_eq!(requests(&bench), before, "nothing was sent");
}

#[test]
fn without_a_usable_file_lapel_takes_a_quarter_of_the_limit_and_says_so_once() {
    let bench = sandbox(40);
    bench.write("data/pace.sqlite", vec![b'x'; 4096]);
    let said = bench.said(lapel(&bench, &["ping"]).output().expect("it runs")).ended(0);
    assert_eq!(said.err.matches("pace.sqlite").count(), 1, "{}", said.err);
    assert!(said.err.contains(msg_part("at most 10 requests a minute")), "{}", said.err);
    // What is there is left as it is.
    let path: PathBuf = bench.home.path().join("data/pace.sqlite");
    assert_eq!(std::fs::read(path).expect("the file"), vec![b'x'; 4096]);
}
