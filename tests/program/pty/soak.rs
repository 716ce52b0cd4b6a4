//! Days of work at 600 times the usual speed: what lapel needs does not grow, and its journal and the service's ledger
//! agree in the end. The command and the last figures are in docs/CONTRIBUTING.md.

use super::kit::{BOUND, LAPEL, Shown, Term, lapel_at};
use crate::texts::{asks, msg, msg_part};
use lapel::sandbox::{Control, Options, Sandbox};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Service seconds per second.
const SPEED: f64 = 600.0;
/// A day of the service, in seconds of ours.
const DAY: Duration = Duration::from_secs(144);
/// People in each day's file.
const ROWS: usize = 40;
/// The days in which caches fill.
const WARM_UP: usize = 2;

/// What the process has at one moment.
#[derive(Clone, Copy)]
struct Sample {
    /// Resident memory, in kB.
    memory: u64,
    descriptors: usize,
    threads: usize,
    files: usize,
    /// Size of these files, in bytes.
    bytes: u64,
    /// Processor time so far, in ticks of 10 ms.
    ticks: u64,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} MiB, {} descriptors, {} threads, {} files of {} kB, {:.1} s of processor time",
            self.memory as f64 / 1024.0,
            self.descriptors,
            self.threads,
            self.files,
            self.bytes / 1000,
            self.ticks as f64 / 100.0
        )
    }
}

fn count(folder: impl AsRef<Path>) -> usize {
    std::fs::read_dir(folder).expect("a folder of the process").count()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn sample(term: &Term) -> Sample {
    let process = PathBuf::from(format!("/proc/{}", term.pid().as_raw_nonzero()));
    let status = std::fs::read_to_string(process.join("status")).expect("its status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let files = files(term.home.path());
    // A file may go while its size is asked for.
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    let stat = std::fs::read_to_string(process.join("stat")).expect("its times");
    let after_name: Vec<u64> = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect())
        .expect("its times");
    Sample {
        memory: memory.trim().trim_end_matches(" kB").parse().expect("a number"),
        descriptors: count(process.join("fd")),
        threads: count(process.join("task")),
        files: files.len(),
        bytes: files.iter().map(size).sum(),
        ticks: after_name[11] + after_name[12],
    }
}

/// Waits for something that the terminal does not show.
#[track_caller]
fn wait(term: &Term, what: &str, bound: Duration, fulfilled: impl Fn() -> bool) {
    let end = Instant::now() + bound;
    while !fulfilled() {
        assert!(Instant::now() < end, "waited in vain for: {what}\n{}", term.shown().text);
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

/// Whether a process is stopped.
fn is_stopped(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).expect("its state");
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}

/// A given name for each number.
fn given(n: usize) -> String {
    let syllable = |n: usize| char::from_u32(0xac00 + (n % 11_000) as u32).expect("Hangul");
    [syllable(n * 28), syllable(n * 588 + 16)].iter().collect()
}

struct Soak {
    term: Term,
    service: Control,
    /// Badges that were confirmed so far, and badges whose revocation was.
    issued: u64,
    revoked: u64,
}

impl Soak {
    fn is_still(shown: &Shown) -> bool {
        !shown.is_loading() && shown.has("row ")
    }

    /// Opens a tab with a list that has rows.
    fn list(&mut self, key: &str, of: &str) {
        self.term.send(key);
        self.term.until(of, |s| s.has(of) && Self::is_still(s));
    }

    fn fault(&self, rule: &str) {
        self.service.add_fault(rule).expect(rule);
    }

    /// Goes to the first row and reads the list again. While the service asks to wait, this opens a question, which the next one closes.
    fn refresh(&mut self) {
        for key in ["\x1b", "gr"] {
            self.term.send(key);
            std::thread::park_timeout(Duration::from_millis(250));
        }
    }

    /// Makes requests until so many more of them have failed, and waits for the end of it.
    fn through_faults(&mut self, rules: &[&str], times: u64) {
        let before = self.service.ledger().faults;
        for rule in rules {
            self.fault(rule);
        }
        let end = Instant::now() + 3 * BOUND;
        while self.service.ledger().faults < before + times {
            assert!(Instant::now() < end, "not enough requests fail\n{}", self.term.shown().text);
            self.refresh();
        }
        self.service.clear_faults();
        let end = Instant::now() + 3 * BOUND;
        while !self.term.shown().has("row 1 of 4,") || self.term.shown().is_loading() {
            assert!(Instant::now() < end, "the list does not come back\n{}", self.term.shown().text);
            self.refresh();
        }
    }

    /// Waits until what was confirmed has arrived, and leaves the job.
    fn sent(&mut self) {
        self.term.shows("── #");
        let (issued, revoked, service) = (self.issued, self.revoked, self.service.clone());
        wait(&self.term, "the requests of a job", 3 * BOUND, || {
            let ledger = service.ledger();
            ledger.accepted_total() >= issued && ledger.revokes_accepted() >= revoked
        });
        self.term.send("\x1b");
        self.term.until("the list behind", |s| !s.has("── #"));
    }

    fn browse(&mut self, day: usize) {
        self.list("1", "of 40");
        self.term.send("Gg");
        self.term.until("the first template", |s| s.has("row 1 of 40") && Self::is_still(s));
        self.term.send("\r");
        self.term.shows(msg("Criteria"));
        // Escape and a key at once would be that key with Alt.
        self.list("\x1b", "row 1 of 40");
        self.list("2", "of 4,");
        for _ in 0..20 {
            self.term.send("\x1b[6~");
            self.term.until("a page", Self::is_still);
        }
        for row in ["4,000", "2,500", "700"] {
            self.term.send(format!("#{row}\r"));
            self.term.until("the row", |s| s.has(&format!("row {row} of")) && Self::is_still(s));
        }
        self.term.resize(60 + (day % 5) as u16 * 20, 16 + (day % 5) as u16 * 8);
        self.term.send("g");
        self.term.until("the first row", |s| s.has("row 1 of 4,") && Self::is_still(s));
        self.term.resize(100, 30);
        self.term.until("the usual size", |s| s.line(29).contains(msg("quit")) && Self::is_still(s));
        // A list into a file. One request: after a storm of 429 the background share is small for ten minutes.
        self.list("1", "row 1 of 40");
        let file = self.term.home.path().join("all.csv");
        self.term.send("e\x15all.csv");
        self.term.shows("all.csv");
        self.term.send("\r");
        wait(&self.term, "the file", 3 * BOUND, || file.exists());
        std::fs::remove_file(file).expect("removed");
        self.term.until("the list again", |s| !s.has("all.csv  ") && s.has("row 1 of 40"));
        // A caller.
        self.term.send("3");
        self.term.shows("Holder ▌");
        self.term.send("\x15seoyun.han@naru.example");
        self.term.shows("seoyun.han@naru.example");
        self.term.send("\r");
        self.term.until("the holder's badges", |s| s.has(msg("Say")) && !s.is_loading());
        self.term.send("0");
        self.term.until("Home", |s| s.has(msg("Soon")) && !s.is_loading());
    }

    /// Opens the form on a template, from every list.
    fn open_form(&mut self, template: usize) {
        self.list("1", "of 40");
        self.term.send("g");
        self.term.until("the first template", |s| s.has("row 1 of 40") && Self::is_still(s));
        for row in 2..=template {
            self.term.send("j");
            self.term.shows(&format!("row {row} of 40"));
        }
        self.term.send("i");
        self.term.shows(msg("one recipient"));
    }

    fn issue_one(&mut self, day: usize) {
        // Its answer is lost now and then: lapel finds it in the history.
        if day % 3 == 2 {
            self.fault("post /badges commit-drop times=1");
        }
        self.open_form(1);
        self.term.send(given(day * (ROWS + 1)));
        self.term.shows(&given(day * (ROWS + 1)));
        self.term.send(format!("\tsolo{day}@naru.example"));
        self.term.shows(&format!("solo{day}@naru.example"));
        self.term.send("\r");
        self.term.shows(msg_part("No badge of this template"));
        self.term.shows(&asks("1"));
        self.term.confirm("1");
        self.issued += 1;
        self.sent();
    }

    fn issue_file(&mut self, day: usize) {
        if day % 2 == 1 {
            self.fault("post /badges/batch commit-reset times=1");
        }
        // No two are similar, with or without dots.
        let person = |n: usize| format!("김{},day{day}x{n}@naru.example", given(day * (ROWS + 1) + n));
        let rows: Vec<String> = (1..=ROWS).map(person).collect();
        let file = self.term.home.path().join("people.csv");
        std::fs::write(&file, format!("name,email\n{}\n", rows.join("\n"))).expect("written");
        self.open_form(2);
        self.term.send("\t\t");
        self.term.shows("(\u{2022}) a file");
        self.term.send("people.csv");
        self.term.shows("people.csv");
        self.term.send("\r");
        self.term.shows(msg_part("check every row"));
        self.term.send("\r");
        self.term.until("the review", |s| {
            s.has(msg_part("Nothing is sent until you confirm. "))
                && s.has(&format!("{ROWS} ready"))
                && !s.is_loading()
        });
        self.term.send("\x1b[F\r");
        self.term.shows(&asks(&ROWS.to_string()));
        self.term.confirm(&ROWS.to_string());
        self.issued += ROWS as u64;
        self.sent();
    }

    /// Revokes the badge of the day before, which is issued by now.
    fn revoke(&mut self, day: usize) {
        self.list("2", "of 4,");
        self.term.send(format!("/\x15email:solo{day}@naru.example"));
        self.term.shows(&format!("email:solo{day}@naru.example"));
        self.term.send("\r");
        self.term
            .until("its badge", |s| s.selected().contains("solo") && s.has("row 1 of 1") && !s.is_loading());
        let end = Instant::now() + 3 * BOUND;
        while !self.term.shown().selected().contains("● Issued") {
            assert!(Instant::now() < end, "it is not issued\n{}", self.term.shown().text);
            self.refresh();
        }
        self.term.send("x");
        self.term.shows(msg_part("Revoke 1 badge"));
        self.term.send("중복 발급");
        self.term.shows("중복 발급");
        self.term.send("\r");
        self.term.shows(&asks("1"));
        self.term.confirm("1");
        self.revoked += 1;
        self.sent();
        self.term.send("/\x15\r");
        self.term.until("the whole history", |s| s.has("of 4,") && Self::is_still(s));
    }

    /// The computer sleeps for hours, while the service runs.
    fn sleep(&mut self) {
        let pid = self.term.pid();
        self.term.signal(Signal::STOP);
        wait(&self.term, "it is stopped", BOUND, || is_stopped(pid));
        self.service.advance(Duration::from_secs(6 * 3600));
        let until = self.service.now() + jiff::Span::new().hours(1);
        wait(&self.term, "the night is over", BOUND, || self.service.now() >= until);
        self.term.signal(Signal::CONT);
        self.list("2", "of 4,");
    }

    fn day(&mut self, day: usize) {
        self.browse(day);
        self.issue_one(day);
        self.issue_file(day);
        self.list("2", "of 4,");
        self.through_faults(&["any status=429 retry-after=2 every=2"], 4);
        self.through_faults(&["any drop"], 6);
        self.through_faults(&["any every=2 html=502", "get /badges/* slow-body=1s"], 5);
        self.sleep();
        if day > 0 {
            self.revoke(day - 1);
        }
        self.term.send("5");
        self.term.until("Activity", |s| s.has(" jobs") && !s.is_loading());
        self.term.send("\r");
        self.term.until("a job", Self::is_still);
        self.term.send("\x1b");
        self.term.until("the jobs", |s| s.has(" jobs") && !s.is_loading());
        self.term.send("0");
        self.term.until("Home", |s| s.has(msg("Soon")) && !s.is_loading());
    }

    /// Nobody has two badges, and nobody has one that was not confirmed.
    fn is_even(&self) {
        let ledger = self.service.ledger();
        let twice: Vec<_> = ledger.accepted.iter().filter(|one| one.count != 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert_eq!((ledger.accepted_total(), ledger.revokes_accepted()), (self.issued, self.revoked));
    }
}

/// What a verb says in the home of the app.
fn verb(program: &str, home: &Path, key: &str, args: &[&str]) -> Value {
    let output = Command::new(program)
        .args(args)
        .arg("--json")
        .env_clear()
        .current_dir(home)
        .env("HOME", home)
        .env("BADGE_KEY", key)
        .env("LAPEL_CONFIG_DIR", home.join("config"))
        .env("LAPEL_DATA_DIR", home.join("data"))
        .output()
        .expect("the verb runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Every row of the journal has its badge in the ledger, and every badge of the ledger its row.
fn compare(program: &str, home: &Path, key: &str, service: &Control) {
    let jobs = verb(program, home, key, &["jobs", "list"]);
    let ledger = service.ledger();
    let mut given: BTreeMap<String, &str> =
        ledger.accepted.iter().map(|one| (one.badge_ids[0].clone(), one.recipient_email.as_str())).collect();
    let mut revoked: Vec<&str> = ledger.revokes.iter().map(|one| one.badge_id.as_str()).collect();
    for job in jobs["jobs"].as_array().expect("jobs") {
        let id = job["id"].to_string();
        for (bucket, count) in job["counts"].as_object().expect("counts") {
            let shown = verb(program, home, key, &["jobs", "show", &id, "--rows", bucket]);
            let rows = shown["rows"].as_array().expect("rows");
            assert_eq!(rows.len() as u64, count.as_u64().expect("a number"), "{bucket} of {job}");
            for row in rows {
                let badge = row["badge_id"].as_str().unwrap_or_else(|| panic!("without a badge: {row}"));
                if job["kind"] == "issue" {
                    assert!(["issued", "revoked"].contains(&bucket.as_str()), "{row}");
                    let email = given.remove(badge).unwrap_or_else(|| panic!("not in the ledger: {row}"));
                    assert_eq!(row["email"], email, "{row}");
                } else {
                    assert_eq!(bucket, "revoked", "{row}");
                    let at = revoked.iter().position(|one| *one == badge);
                    revoked.swap_remove(at.unwrap_or_else(|| panic!("not in the ledger: {row}")));
                }
            }
        }
    }
    assert!(given.is_empty() && revoked.is_empty(), "not in the journal: {given:?} {revoked:?}");
}

#[test]
#[ignore = "days of 144 seconds: LAPEL_TEST_SOAK_DAYS=13 cargo test --test program soak:: -- --ignored --nocapture"]
fn days_of_work_leave_nothing_behind() {
    let days: usize =
        std::env::var("LAPEL_TEST_SOAK_DAYS").map_or(13, |days| days.parse().expect("a number of days"));
    // Another build of the program, such as the one for release.
    let program = std::env::var("LAPEL_TEST_PROGRAM").unwrap_or_else(|_| LAPEL.to_owned());
    let runtime = Runtime::new().expect("a runtime");
    let options = Options { seed: 600, speed: SPEED, ..Options::default() };
    let sandbox = runtime.block_on(Sandbox::start(options.showing_waiting())).expect("the sandbox starts");
    let key = sandbox.api_key().to_owned();
    let setup = lapel_at(&program, &["--tab", "templates"]).env("BADGE_KEY", &key).size(100, 30);
    setup.write(
        "config/config.toml",
        format!(
            "default_profile = 'soak'\n[profiles.soak]\nenvironment = 'demo'\nutc_offset = '+09:00'\nbase_url = '{}'\n\
             key = {{ env = 'BADGE_KEY' }}\n[index]\nenabled = true\n",
            sandbox.base_url()
        ),
    );
    let term = setup.start();
    term.until("templates", |s| s.has("row 1 of 40") && !s.is_loading());
    let mut soak = Soak { term, service: sandbox.control(), issued: 0, revoked: 0 };
    let begin = Instant::now();
    let mut samples = Vec::new();
    for day in 0..days {
        soak.day(day);
        let end = DAY * (day as u32 + 1);
        wait(&soak.term, "the end of the day", 2 * DAY, || begin.elapsed() >= end);
        soak.is_even();
        let sample = sample(&soak.term);
        println!("day {} ({:.0} s): {sample}", day + 1, begin.elapsed().as_secs_f64());
        samples.push(sample);
    }
    let ledger = sandbox.control().ledger();
    println!(
        "{} requests, {} faults, {} refused for the rate limit, {} connections, {} issued, {} revoked",
        ledger.requests.values().sum::<u64>(),
        ledger.faults,
        ledger.violations.rate_limited,
        ledger.connections.opened,
        soak.issued,
        soak.revoked
    );
    assert_eq!(ledger.violations.rate_limited, 0);
    soak.term.send("q");
    assert_eq!(soak.term.exit_restored().exit_code(), 0);
    let home = soak.term.home.clone();
    // All that waits is followed to its end.
    sandbox.control().advance(Duration::from_secs(3 * 86_400));
    verb(&program, home.path(), &key, &["jobs", "follow", "--wait"]);
    compare(&program, home.path(), &key, &sandbox.control());
    let rest: Vec<PathBuf> = files(home.path());
    println!("files in the end: {rest:?}");
    if let Some((warm, later)) = samples.get(..WARM_UP).zip(samples.get(WARM_UP..)) {
        let warm = warm.last().expect("a day");
        for sample in later {
            assert!(sample.memory <= warm.memory + warm.memory / 4, "memory: {warm} then {sample}");
            assert!(sample.descriptors <= warm.descriptors + 8, "descriptors: {warm} then {sample}");
            assert!(sample.threads <= warm.threads + 4, "threads: {warm} then {sample}");
            assert!(sample.files <= warm.files + 2, "files: {warm} then {sample}");
        }
    }
}
