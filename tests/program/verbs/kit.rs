//! A sandbox, a home, and the binary between them.

use crate::team;
use lapel::sandbox::{Control, Options, RowSpec, RowState, Rows, Sandbox};
use serde_json::Value;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// No condition of a test takes longer than this, however slow the machine.
pub const BOUND: Duration = Duration::from_secs(60);

/// The profile whose journal is on PostgreSQL: it has the name of the one that it replaces.
const TEAM: &str = "environment";

/// With `LAPEL_TEST_JOURNAL=postgresql` its journal is a database of its own; see [`team`].
pub struct Bench {
    // Before the runtime, so that it ends first.
    pub sandbox: Sandbox,
    _runtime: Runtime,
    pub home: TempDir,
}

/// What a run said, and with which exit code it ended.
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// A workbook that makes its library panic: the row of its only cell is too large a number. Only a build that checks
/// overflows panics, as one for tests does.
pub fn panicking_workbook() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    book.add_worksheet().write_string(0, 0, "name").expect("written");
    let bytes = book.save_to_buffer().expect("saved");
    let mut parts = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut spoilt = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..parts.len() {
        let mut part = parts.by_index(at).expect("a part");
        let mut text = String::new();
        part.read_to_string(&mut text).expect("XML");
        let name = part.name().expect("a name");
        spoilt.start_file(name.as_ref(), zip::write::SimpleFileOptions::default()).expect("started");
        let text = text.replace("r=\"A1\"", "r=\"A99999999999999\"");
        spoilt.write_all(text.as_bytes()).expect("written");
    }
    spoilt.finish().expect("finished").into_inner()
}

impl Said {
    /// The one line of JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one line: {}\n{}", self.out, self.err);
        serde_json::from_str(&self.out).expect("JSON")
    }

    /// Ended with this exit code.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        self
    }
}

/// A sandbox frozen at a moment.
pub fn frozen() -> Options {
    Options {
        seed: 7,
        history: Some(300),
        speed: 0.0,
        start: Some(jiff::civil::datetime(2026, 11, 21, 10, 0, 0, 0)),
        ..Options::default()
    }
}

impl Bench {
    pub fn new() -> Self {
        Self::with(frozen())
    }

    pub fn with(options: Options) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let sandbox =
            runtime.block_on(Sandbox::start(options.showing_waiting())).expect("the sandbox starts");
        let bench = Self { sandbox, _runtime: runtime, home: tempfile::tempdir().expect("a home") };
        if team::is_team() {
            bench.settings("");
        }
        bench
    }

    /// A sandbox with something switched.
    pub fn switched(switches: &[(&str, &str)]) -> Self {
        let switches = switches.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Self::with(Options { switches, ..frozen() })
    }

    pub fn control(&self) -> Control {
        self.sandbox.control()
    }

    /// `lapel` in a clean environment, with this sandbox as its service.
    pub fn lapel(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lapel"));
        command
            .args(args)
            .env_clear()
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env("USER", "tester")
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("LAPEL_CONFIG_DIR", self.home.path().join("config"))
            .env("LAPEL_DATA_DIR", self.home.path().join("data"))
            .env("LAPEL_BASE_URL", self.sandbox.base_url())
            .env("LAPEL_API_KEY", self.sandbox.api_key())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if team::is_team() {
            command.env("LAPEL_PROFILE", TEAM);
        }
        command
    }

    /// Runs it to its end. It must never print the key.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Said {
        self.said(self.lapel(args).output().expect("it runs"))
    }

    /// The same, with JSON as the answer.
    #[track_caller]
    pub fn json(&self, args: &[&str], code: i32) -> Value {
        self.run(&[args, &["--json"]].concat()).ended(code).json()
    }

    /// The same, with something on standard input.
    #[track_caller]
    pub fn run_with(&self, args: &[&str], input: &str) -> Said {
        let mut child = self.lapel(args).stdin(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        self.said(child.wait_with_output().expect("it ends"))
    }

    #[track_caller]
    pub fn said(&self, output: Output) -> Said {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let code = output.status.code().expect("no signal");
        let said = Said { out: text(output.stdout), err: text(output.stderr), code };
        for text in [&said.out, &said.err] {
            assert!(!text.contains(self.sandbox.api_key()), "the key was said: {text}");
            assert!(!text.contains('\u{1b}'), "no terminal, no escape sequences: {text}");
        }
        said
    }

    /// A file in the home, by its full name.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// What the settings file says, besides the environment.
    pub fn settings(&self, text: &str) {
        let profile = team::url_of(self.home.path()).map(|url| {
            let base = self.sandbox.base_url();
            format!("\n[profiles.{TEAM}]\nbase_url = '{base}'\n[profiles.{TEAM}.journal]\nurl = '{url}'\n")
        });
        self.write("config/config.toml", text.to_owned() + &profile.unwrap_or_default());
    }

    /// Changes the journal.
    pub fn change(&self, sql: &str) {
        team::change(&self.journal(), sql);
    }

    /// The number that a query of the journal returns.
    pub fn number(&self, sql: &str) -> u64 {
        team::number(&self.journal(), sql)
    }

    /// The folder of the journal, or the one whose name the database has.
    fn journal(&self) -> PathBuf {
        if team::is_team() { self.home.path().to_owned() } else { self.path("data") }
    }

    /// How many requests of a kind came in, such as `POST /badges`.
    pub fn requests_to(&self, route: &str) -> u64 {
        self.control().ledger().requests_to(route)
    }

    /// How many requests that act came in.
    pub fn posts(&self) -> u64 {
        let ledger = self.control().ledger();
        ledger.requests.iter().filter(|(route, _)| route.starts_with("POST ")).map(|(_, n)| n).sum()
    }

    /// How many requests came in at all.
    pub fn requests(&self) -> u64 {
        self.control().ledger().requests.values().sum()
    }

    /// How many issues were accepted.
    pub fn accepted(&self) -> u64 {
        self.control().ledger().accepted_total()
    }

    /// The most issues that one person has got of one template.
    pub fn most_for_one(&self) -> u64 {
        self.control().ledger().accepted.iter().map(|a| a.count).max().unwrap_or(0)
    }

    /// Puts badges of the template TPL-001 into the history, as if somebody else had issued them.
    pub fn insert(&self, people: &[(&str, RowState)]) -> Vec<String> {
        let insert = people
            .iter()
            .map(|(email, state)| RowSpec {
                recipient_email: (*email).to_owned(),
                recipient_name: "먼저 온 사람".to_owned(),
                state: *state,
                minutes_ago: 60,
                ..RowSpec::default()
            })
            .collect();
        self.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted")
    }

    pub fn fault(&self, rule: &str) {
        self.control().add_fault(rule).expect(rule);
    }

    /// Moves the service's clock forward.
    pub fn advance(&self, minutes: u64) {
        self.control().advance(Duration::from_secs(minutes * 60));
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn until(&self, what: &str, fulfilled: impl Fn(&Self) -> bool) {
        let end = Instant::now() + BOUND;
        while !fulfilled(self) {
            assert!(Instant::now() < end, "waited in vain for: {what}");
            // The bound is what counts; this only leaves the machine to those who work.
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

/// A running `lapel`, which does not outlive its test.
pub struct Running {
    child: Option<Child>,
    /// What it has said on standard error so far, as it was read.
    heard: String,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        Self::of(command.spawn().expect("it starts"))
    }

    pub fn of(child: Child) -> Self {
        Self { child: Some(child), heard: String::new() }
    }

    fn child(&self) -> &Child {
        self.child.as_ref().expect("it runs")
    }

    /// Waits until it says something on standard error.
    #[track_caller]
    pub fn says(&mut self, what: &str) {
        let err = self.child.as_mut().and_then(|child| child.stderr.as_mut()).expect("piped");
        let mut byte = [0];
        while !self.heard.contains(what) {
            let read = err.read(&mut byte).expect("standard error");
            assert!(read > 0, "it ended without saying {what}: {}", self.heard);
            self.heard.push(char::from(byte[0]));
        }
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child().id().cast_signed()).expect("a process");
        rustix::process::kill_process(pid, signal).expect("the signal is sent");
    }

    pub fn id(&self) -> u32 {
        self.child().id()
    }

    /// Waits for its end; what was heard before is part of what it said.
    pub fn output(mut self) -> Output {
        let mut output = self.child.take().expect("it runs").wait_with_output().expect("it ends");
        output.stderr.splice(0..0, self.heard.bytes());
        output
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What `--json` says, a field a line, without what is different in every run.
pub fn shape(mut value: Value, bench: &Bench) -> String {
    redact(&mut value, bench.home.path(), bench.sandbox.base_url());
    let mut text = serde_json::to_string_pretty(&value).expect("JSON");
    text.push('\n');
    text
}

fn redact(value: &mut Value, home: &Path, base_url: &str) {
    const VARIES: &[&str] = &[
        "created",
        "updated",
        "guarded",
        "next_look",
        "accepted",
        "looked_for_until",
        "owner",
        "round_trip_ms",
        "service_utc",
        "ahead_of_this_computer_s",
        "first",
        "last",
        "times",
        "bytes",
        "version",
        "badge_id",
    ];
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // Only a team's journal has it.
                if name == "begun_by" {
                    *value = Value::Null;
                }
                if VARIES.contains(&name.as_str()) && !value.is_null() {
                    *value = "…".into();
                } else {
                    redact(value, home, base_url);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| redact(value, home, base_url)),
        Value::String(text) => {
            let home = home.to_str().expect("UTF-8");
            *text = text.replace(home, "HOME").replace(base_url, "BASE_URL");
        }
        _ => {}
    }
}

/// One field of a job's counts; 0 when it is not there.
pub fn count(job: &Value, row_status: &str) -> u64 {
    job["counts"][row_status].as_u64().unwrap_or(0)
}

/// Rows whose badges are waiting or issued.
pub fn accepted_rows(job: &Value) -> u64 {
    count(job, "waiting") + count(job, "issued")
}
