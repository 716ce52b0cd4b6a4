//! The measurements, and their table.

use crate::files;
use crate::process::Process;
use crate::service::Service;
use crate::terminal::{COLUMNS, ROWS, Terminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The argument that makes this program the floor.
pub const BARE: &str = "bare";
const STARTS: usize = 15;
const KEYS: usize = 300;
const PAGES: usize = 300;
/// Recipients of the job, and of the files of the import unless `LAPEL_TEST_ROWS` says another number.
const RECIPIENTS: u32 = 100_000;

/// `LAPEL_TEST_PROGRAM` names another build to measure.
fn program() -> PathBuf {
    std::env::var_os("LAPEL_TEST_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_lapel").into(), PathBuf::from)
}

pub fn measure(parts: &[String]) {
    let all: [(&str, fn()); 6] =
        [("start", start), ("keys", keys), ("slow", slow), ("job", job), ("import", import), ("size", size)];
    println!(
        "\nOn {} processors, {COLUMNS}x{ROWS}.\n",
        std::thread::available_parallelism().expect("a number")
    );
    println!("| Measured | lapel | Floor | Ratio |\n|---|---|---|---|");
    for (name, part) in all {
        if parts.is_empty() || parts.iter().any(|part| part == name) {
            part();
        }
    }
}

/// One line of the table. `floor` is `None` where the bare program does nothing of the kind.
fn line(what: &str, unit: &str, lapel: f64, floor: Option<f64>) {
    let number =
        |value: f64| if value < 100.0 { format!("{value:.2} {unit}") } else { format!("{value:.0} {unit}") };
    let (of, ratio) = match floor {
        Some(floor) => (number(floor), format!("{:.2}", lapel / floor)),
        None => ("–".to_owned(), "–".to_owned()),
    };
    println!("| {what} | {} | {of} | {ratio} |", number(lapel));
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn percentile(times: &mut [f64], of: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * of / 100).min(times.len() - 1)]
}

/// Of a million rows. Some wait, and the service does not show these.
const MILLION: &str = "of 999,";

/// A history of a million rows.
fn million() -> Service {
    Service::start(&program(), &["--history", "1000000"])
}

struct Opened {
    terminal: Terminal,
    home: TempDir,
}

/// With a profile, as a person has one. In STAGING, so that the number alone confirms.
fn lapel(service: &Service, tab: &str) -> Opened {
    let home = tempfile::tempdir().expect("a folder");
    let config = home.path().join("config");
    std::fs::create_dir(&config).expect("a folder");
    let profile = format!(
        "[profiles.bench]\nbase_url = \"{}\"\nenvironment = \"staging\"\nkey = {{ env = \"BENCH_KEY\" }}\n",
        service.base_url
    );
    std::fs::write(config.join("config.toml"), profile).expect("written");
    let env = [("BENCH_KEY", &*service.api_key)];
    let terminal = Terminal::start(&program(), &["--tab", tab], &env, home.path());
    Opened { terminal, home }
}

fn bare() -> Opened {
    let home = tempfile::tempdir().expect("a folder");
    let own = std::env::current_exe().expect("this program");
    let terminal = Terminal::start(&own, &[BARE], &[], home.path());
    Opened { terminal, home }
}

/// First frame and first rows, in milliseconds.
fn one_start(mut opened: Opened) -> (f64, f64) {
    let rows = opened.terminal.shows("row 1 of ");
    let since = |at: Instant| milliseconds(at - opened.terminal.started);
    (since(opened.terminal.first_frame.expect("a frame")), since(rows))
}

fn start() {
    let service = million();
    let (mut own, mut floor) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..STARTS {
        for (times, opened) in [(&mut own, lapel(&service, "history")), (&mut floor, bare())] {
            let (frame, rows) = one_start(opened);
            times[0].push(frame);
            times[1].push(rows);
        }
    }
    for (at, what) in [(0, "start to first frame, median"), (1, "start to first rows, median")] {
        line(what, "ms", percentile(&mut own[at], 50), Some(percentile(&mut floor[at], 50)));
    }
}

/// What keys cost that go down one row: times in milliseconds, processor time and bytes of each.
struct KeyCost {
    times: Vec<f64>,
    cpu: f64,
    bytes: f64,
}

fn go_down(terminal: &mut Terminal, from: usize, keys: usize) -> KeyCost {
    terminal.quiet(Duration::from_millis(300));
    let (cpu, bytes) = (terminal.process.cpu(), terminal.bytes);
    let times = (from + 1..=from + keys).map(|row| milliseconds(terminal.key("j", &format!("row {row} of"))));
    let times = times.collect();
    let each = |all: f64| all / keys as f64;
    KeyCost {
        times,
        cpu: each(milliseconds(terminal.process.cpu().saturating_sub(cpu))),
        bytes: each((terminal.bytes - bytes) as f64),
    }
}

fn print(situation: &str, mut own: KeyCost, floor: &mut KeyCost) {
    for of in [50, 99] {
        let (own, floor) = (percentile(&mut own.times, of), percentile(&mut floor.times, of));
        line(&format!("key to last byte, {situation}, p{of}"), "ms", own, Some(floor));
    }
    line(&format!("processor time per key, {situation}"), "ms", own.cpu, Some(floor.cpu));
    line(&format!("bytes per key, {situation}"), "B", own.bytes, Some(floor.bytes));
}

fn floor_of_keys() -> KeyCost {
    let mut opened = bare();
    opened.terminal.shows("row 1 of");
    go_down(&mut opened.terminal, 1, KEYS)
}

fn resident(process: Process) -> f64 {
    process.memory().expect("a running process").0
}

fn keys() {
    let service = million();
    let mut own = lapel(&service, "history");
    own.terminal.shows("row 1 of ");
    own.terminal.quiet(Duration::from_secs(1));
    let mut floor = bare();
    floor.terminal.shows("row 1 of");
    let at_rest = resident(own.terminal.process);
    line("resident at rest on a list", "MiB", at_rest, Some(resident(floor.terminal.process)));
    let cost = go_down(&mut own.terminal, 1, KEYS);
    print("a million rows", cost, &mut floor_of_keys());
    // The other tab and back, both loaded.
    let mut times = Vec::new();
    own.terminal.send("1");
    own.terminal.shows("row 1 of 40");
    own.terminal.quiet(Duration::from_secs(1));
    let before = own.terminal.bytes;
    for _ in 0..30 {
        times.push(milliseconds(own.terminal.key("2", MILLION)));
        times.push(milliseconds(own.terminal.key("1", "of 40")));
    }
    line("change of tab, median", "ms", percentile(&mut times, 50), None);
    line("bytes of a change of tab", "B", (own.terminal.bytes - before) as f64 / 60.0, None);
    own.terminal.key("2", MILLION);
    let mut times: Vec<f64> = Vec::new();
    let mut row = place(&own.terminal.text());
    for _ in 0..PAGES {
        own.terminal.quiet(Duration::from_millis(20));
        let begin = Instant::now();
        own.terminal.send("\x1b[6~");
        let at = own.terminal.until("the next page", |text| place(text) != row && has_row(text));
        times.push(milliseconds(at - begin));
        row = place(&own.terminal.text());
    }
    line("page down, median", "ms", percentile(&mut times, 50), None);
    line("page down, p95", "ms", percentile(&mut times, 95), None);
    own.terminal.quiet(Duration::from_secs(1));
    line(&format!("resident after {} rows", row.unwrap_or(0)), "MiB", resident(own.terminal.process), None);
}

/// The number of the selected row.
fn place(text: &str) -> Option<u64> {
    let number = text.rsplit_once("row ")?.1.split_once(" of ")?.0;
    number.replace(',', "").parse().ok()
}

/// Whether the selected row has been read.
fn has_row(text: &str) -> bool {
    let selected = text.lines().find(|line| line.starts_with('▌'));
    selected.is_some_and(|line| line.split('┃').next().unwrap_or_default().split_whitespace().count() > 4)
}

fn slow() {
    let service = Service::start(&program(), &["--history", "1000000", "--fault", "get /** delay=3s"]);
    let mut own = lapel(&service, "history");
    own.terminal.shows("row 1 of ");
    let cost = go_down(&mut own.terminal, 1, KEYS);
    print("a service that takes 3 s", cost, &mut floor_of_keys());
}

/// A job for many recipients, with a service that takes a second for each request.
fn job() {
    let service = Service::start(&program(), &["--fault", "post /badges/batch delay=1s"]);
    let mut own = lapel(&service, "templates");
    files::csv(own.home.path(), RECIPIENTS);
    let terminal = &mut own.terminal;
    terminal.shows("row 1 of 40");
    terminal.send("i");
    terminal.shows("one recipient");
    terminal.send("\t\t");
    terminal.shows("(\u{2022}) a file");
    terminal.send("people.csv");
    terminal.quiet(Duration::from_millis(300));
    terminal.send("\r");
    terminal.shows("check every row");
    let begin = Instant::now();
    terminal.send("\r");
    let checked = terminal.until("the review", |text| {
        text.contains("Nothing is sent until you confirm")
            && text.contains("100,000 ready")
            && !is_loading(text)
    });
    line("100,000 rows in the app, to the review", "s", (checked - begin).as_secs_f64(), None);
    terminal.type_slowly("\r");
    terminal.shows("Type 100000 and press");
    terminal.type_slowly("100000");
    terminal.shows("▌100000");
    terminal.type_slowly("\r");
    terminal.until("the first answers", |text| text.contains("= 100,000") && text.contains("waiting "));
    // Closes the job.
    terminal.type_slowly("\x1b");
    terminal.quiet(Duration::from_millis(500));
    terminal.send("2");
    terminal.shows("row 1 of");
    let cost = go_down(terminal, 1, 100);
    print("a job of 100,000 rows is being sent", cost, &mut floor_of_keys());
    let (now, most) = terminal.process.memory().expect("a running process");
    line("resident while the job is sent", "MiB", now, None);
    line("resident at most, with the check of the file", "MiB", most, None);
}

fn is_loading(text: &str) -> bool {
    text.contains(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'])
}

/// Seconds, seconds of processor time, and the most memory in MiB, of a command that ends by itself.
fn run(service: &Service, home: &Path, args: &[&str]) -> (f64, f64, f64) {
    let begin = Instant::now();
    let mut child = Command::new(program())
        .args(args)
        .env("LAPEL_BASE_URL", &service.base_url)
        .env("LAPEL_API_KEY", &service.api_key)
        .env("LAPEL_CONFIG_DIR", home.join("config"))
        .env("LAPEL_DATA_DIR", home.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("lapel starts");
    let process = Process::of(child.id());
    let (mut cpu, mut most) = (Duration::ZERO, 0.0_f64);
    let status = loop {
        cpu = cpu.max(process.cpu_of_all().unwrap_or_default());
        most = most.max(process.memory().map_or(0.0, |(_, most)| most));
        if let Some(status) = child.try_wait().expect("its status") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{args:?}: {status}");
    (begin.elapsed().as_secs_f64(), cpu.as_secs_f64(), most)
}

fn import() {
    let rows = std::env::var("LAPEL_TEST_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(RECIPIENTS);
    let service = Service::start(&program(), &["--history", "0"]);
    let home = tempfile::tempdir().expect("a folder");
    // A sheet has no more rows than a million.
    let in_sheet = rows.min(RECIPIENTS);
    let kinds: [(&str, PathBuf, u32, &str); 3] = [
        ("check a CSV file", files::csv(home.path(), rows), rows, "--dry-run"),
        ("check an XLSX file", files::xlsx(home.path(), in_sheet), in_sheet, "--dry-run"),
        ("issue a CSV file", files::csv(home.path(), rows), rows, "--yes"),
    ];
    for (what, file, rows, flag) in kinds {
        let file = file.to_str().expect("a path");
        let args = ["issue", "--template", "TPL-001", "--recipients", file, flag];
        let (time, cpu, most) = run(&service, home.path(), &args);
        line(&format!("{what} of {rows} rows"), "s", time, None);
        line(&format!("{what} of {rows} rows: processor time"), "s", cpu, None);
        line(&format!("{what} of {rows} rows: resident at most"), "MiB", most, None);
    }
}

fn size() {
    let size = |path: &Path| std::fs::metadata(path).expect("a program").len() as f64 / f64::from(1 << 20);
    let own = std::env::current_exe().expect("this program");
    line(
        "size of the program (floor: this program of measurements)",
        "MiB",
        size(&program()),
        Some(size(&own)),
    );
}
