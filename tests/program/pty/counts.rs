//! What it costs: counted and printed (`--nocapture`), with bounds that only a mistake exceeds.

#[cfg(feature = "images")]
use super::kit::Shown;
use super::kit::{LAPEL, Term, lapel, program, still_demo};
use crate::texts::{msg, msg_part};
use lapel::sandbox::{Options, Sandbox};
use std::time::Duration;
use tokio::runtime::Runtime;

/// What the terminal shows in each cell after these bytes.
fn cells(raw: &[u8], (columns, rows): (u16, u16)) -> Vec<Option<vt100::Cell>> {
    let mut parser = vt100::Parser::new(super::kit::some(rows), super::kit::some(columns), 0);
    parser.process(raw);
    let cell = |y, x| parser.screen().cell(y, x).cloned();
    (0..rows).flat_map(|y| (0..columns).map(move |x| cell(y, x)).collect::<Vec<_>>()).collect()
}

/// The bytes that one more row down costs, and the cells that it changes.
fn one_move(term: &mut Term, size: (u16, u16), row: u64) -> (usize, usize) {
    let before = term.raw();
    term.send("j");
    term.shows(&format!("row {row} of"));
    let after = term.raw();
    let changed =
        cells(&before, size).iter().zip(cells(&after, size)).filter(|(old, new)| *old != new).count();
    (after.len() - before.len(), changed)
}

/// A demo on a terminal that has said that it draws signs of ambiguous width in one cell, as most do.
fn on_a_usual_terminal((columns, rows): (u16, u16)) -> Term {
    let mut term = still_demo().ahead("\x1b[2;2R\x1b[?62;22c").size(columns, rows).start();
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    term
}

#[test]
fn one_cursor_move_writes_what_it_changes() {
    // Without a preview there is a limit. The text of the two rows needs two thirds of it; 109 columns are the most.
    let limit = |size| match size {
        (100, 40) => 350,
        (109, 40) => 365,
        _ => usize::MAX,
    };
    for size in [(80, 24), (100, 40), (109, 40), (120, 40), (160, 50)] {
        let mut term = on_a_usual_terminal(size);
        // The first requests of the tabs also change the header.
        term.rests(Duration::from_millis(500));
        // Something else may be drawn meanwhile, such as the count of requests. So the median counts.
        let mut all: Vec<(usize, usize)> = (2..=8).map(|row| one_move(&mut term, size, row)).collect();
        println!("{}x{}: (bytes, cells) {all:?}", size.0, size.1);
        all.sort_by_key(|(bytes, changed)| bytes.saturating_sub(changed * 3 / 2));
        let (bytes, changed) = all[all.len() / 2];
        assert!(bytes <= changed * 3 / 2 + 200, "{size:?}: {bytes} bytes for {changed} cells");
        assert!(bytes <= limit(size), "{size:?}: {bytes} bytes");
    }
}

#[test]
fn another_tab_writes_what_it_changes() {
    let size = (120, 40);
    let mut term = on_a_usual_terminal(size);
    let tabs = [("1", "row 1 of 40"), ("2", "row 1 of 4,300"), ("5", msg("no jobs yet"))];
    let mut least = [usize::MAX; 3];
    // On a slow machine a frame with the loading list comes between. It does not when the tab is opened again.
    for _ in 0..5 {
        for ((key, shows), least) in tabs.iter().zip(&mut least) {
            let before = term.raw();
            term.send(key);
            term.until(shows, |s| s.has(shows) && !s.is_loading());
            let after = term.raw();
            let changed =
                cells(&before, size).iter().zip(cells(&after, size)).filter(|(old, new)| *old != new).count();
            let bytes = after.len() - before.len();
            println!("{key}: {bytes} bytes for {changed} cells");
            *least = bytes.min(*least);
        }
    }
    assert!(least.iter().all(|bytes| *bytes < 5_600), "{least:?}");
}

#[cfg(feature = "images")]
type IsDone = Box<dyn Fn(&Shown, &[u8]) -> bool>;

/// What the keys of the table in docs/habits.md write, in its order, each with everything that it loads.
#[cfg(feature = "images")]
fn bytes_of_keys(pictures: &str) -> Vec<usize> {
    const CLEARED: &[u8] = b"\x1b[2J";
    let has_blocks = |s: &Shown| pictures == "none" || super::graphics::blocks(s).len() > 40;
    // A terminal that answers nothing, and has all colours: it is written most.
    let demo = lapel(&["demo", "--seed", "7", "--speed", "0", "--pictures", pictures]);
    let mut term = demo.env("COLORTERM", "truecolor").size(120, 40).start();
    term.until("the templates", |s| s.has("row 1 of 40") && !s.is_loading());
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    term.send("j");
    term.until("the next row", |s| s.has("row 2 of 4,300") && !s.is_loading() && has_blocks(s));
    let palette = msg("Command palette");
    let cleared = |raw: &[u8]| raw.windows(CLEARED.len()).filter(|bytes| *bytes == CLEARED).count();
    let before = cleared(&term.raw());
    // The space marks a row, and moves on.
    let near = ["row 3 of 4,300", "row 4 of 4,300"];
    let is_far = move |s: &Shown| s.has(" of 4,300") && !near.iter().any(|row| s.has(row));
    let keys: [(&str, IsDone); 8] = [
        ("j", Box::new(|s, _| s.has("row 3 of 4,300"))),
        (" ", Box::new(move |s, _| s.has("1 marked") && s.has(near[1]))),
        ("\x1b[6~", Box::new(move |s, _| is_far(s))),
        ("1", Box::new(|s, _| s.has("row 1 of 40") && !s.has("4,300"))),
        ("2", Box::new(move |s, _| is_far(s))),
        (":", Box::new(move |s, _| s.has(palette))),
        ("\x1b", Box::new(move |s, _| is_far(s) && !s.has(palette))),
        ("\x0c", Box::new(move |s, raw| is_far(s) && cleared(raw) > before)),
    ];
    let count = |(key, is_done): (&str, IsDone)| {
        let before = term.raw().len();
        term.send(key);
        // The palette may stand over the picture.
        let is_whole = |s: &Shown| !s.is_loading() && (key == ":" || has_blocks(s));
        term.until_seen(key, |s, raw| is_done(s, raw) && is_whole(s));
        term.raw().len() - before
    };
    keys.into_iter().map(count).collect()
}

/// Compares the columns of a real terminal in docs/habits.md with what is counted, or writes them again.
#[cfg(feature = "images")]
#[test]
fn a_key_writes_the_bytes_that_the_documentation_says_of_a_terminal() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/habits.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    // Something else may be drawn meanwhile, such as a list that still loads. So the least of some runs counts.
    let counted = ["none", "halfblocks"].map(|pictures| {
        let runs = [(); 3].map(|()| bytes_of_keys(pictures));
        println!("{pictures}: {runs:?}");
        (0..runs[0].len()).map(|at| runs.iter().map(|run| run[at]).min().unwrap_or(0)).collect::<Vec<_>>()
    });
    let (before, rest) = page.split_once("## Bytes per key").expect("the section");
    let (section, after) = rest.split_once("\n## ").expect("its end");
    let mut wrong = Vec::new();
    let mut at = 0;
    let line = |line: &str| {
        let mut cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
        if cells.len() != 7 || !cells[1].starts_with("<kbd>") {
            return line.to_owned();
        }
        let key = cells[1].clone();
        for (cell, counted) in cells[4..6].iter_mut().zip(&counted) {
            let bytes = counted[at];
            let documented: usize = cell.replace(',', "").parse().unwrap_or(0);
            if bytes > documented || bytes * 2 < documented {
                wrong.push(format!("{key}: {bytes} bytes, documented {cell}"));
                // A quarter for other data, in hundreds.
                *cell = lapel::i18n::number((bytes * 5 / 4).next_multiple_of(100) as u64);
            }
        }
        at += 1;
        format!("| {} |", cells[1..6].join(" | "))
    };
    let section: Vec<String> = section.split('\n').map(line).collect();
    assert_eq!(at, counted[0].len(), "the table has the keys of this test");
    if std::env::var_os("UPDATE_README").is_some() {
        let section = section.join("\n");
        std::fs::write(&path, format!("{before}## Bytes per key{section}\n## {after}")).expect("written");
        return;
    }
    assert!(wrong.is_empty(), "run UPDATE_README=1 cargo test --test program a_key_writes: {wrong:#?}");
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    // Something else may be drawn meanwhile, such as the count of requests. What the pointer drew would come each time.
    let since = (2..=8).map(|row| {
        let before = term.raw().len();
        // A pointer that moves goes all the way through, and there is nothing to draw for it; the answer to the key
        // after it is the next that is written.
        term.send("\x1b[<35;5;5M");
        let (one, _) = one_move(&mut term, (80, 24), row);
        (one, String::from_utf8_lossy(&term.raw()[before..]).into_owned())
    });
    let all: Vec<(usize, String)> = since.collect();
    assert!(all.iter().any(|(one, since)| since.len() == *one), "{all:?}");
}

/// A moved cursor begins two short pauses, of the preview and of its picture. The UI's own thread counts them.
#[cfg(target_os = "linux")]
#[test]
fn a_move_of_the_cursor_wakes_no_other_thread() {
    let mut term = on_a_usual_terminal((120, 40));
    term.rests(Duration::from_millis(500));
    let of_workers = |name: &str| name == "tokio-rt-worker";
    let before = sleeps(term.pid(), of_workers);
    for row in 2..=21 {
        one_move(&mut term, (120, 40), row);
    }
    let woken = sleeps(term.pid(), of_workers) - before;
    // The clock of the runtime wakes one of them now and then. A message for each pause would wake them twice a move.
    assert!(woken < 20, "{woken} times in twenty moves");
}

/// How often the threads with such a name went to sleep, which they do once after each timer.
#[cfg(target_os = "linux")]
fn sleeps(pid: rustix::process::Pid, of: impl Fn(&str) -> bool) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).expect("its threads");
    let of_task = |task: std::io::Result<std::fs::DirEntry>| -> Option<u64> {
        // A thread may end meanwhile.
        let task = task.ok()?.path();
        if !of(std::fs::read_to_string(task.join("comm")).ok()?.trim_end()) {
            return None;
        }
        let status = std::fs::read_to_string(task.join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
    };
    tasks.filter_map(of_task).sum()
}

/// With a journal in a file, which the system watches: lapel itself looks once a minute.
#[test]
fn ten_seconds_of_rest_write_no_byte() {
    let runtime = Runtime::new().expect("a runtime");
    let options = Options { seed: 7, speed: 0.0, history: Some(40), ..Options::default() };
    let sandbox = runtime.block_on(Sandbox::start(options)).expect("the sandbox starts");
    let mut term = program(LAPEL, &["--tab", "history"])
        .env("LAPEL_BASE_URL", sandbox.base_url())
        .env("LAPEL_API_KEY", sandbox.api_key())
        .start();
    term.until("the history", |s| s.has(msg_part("row 1 of ")) && !s.is_loading());
    term.rests(Duration::from_secs(10));
    #[cfg(target_os = "linux")]
    {
        let before = sleeps(term.pid(), |_| true);
        term.rests(Duration::from_secs(10));
        let woken = sleeps(term.pid(), |_| true) - before;
        // That look needs about 16. A timer of 5 s needs twice as many.
        assert!(woken <= 20, "{woken} times in ten seconds");
    }
    term.send("j");
    term.shows("row 2 of ");
}

#[test]
fn the_first_frame_waits_for_nothing() {
    let term = still_demo().start();
    // With or without rows: they may be there before the test looks.
    term.until("the first frame", |s| !s.text.trim().is_empty());
    let frame = term.started.elapsed();
    let first = term.first_byte().unwrap_or_default();
    term.until("the first rows", |s| s.has("row 1 of 40") && !s.selected().is_empty());
    let rows = term.started.elapsed();
    println!("from start to first byte {first:.0?}, first frame {frame:.0?}, first rows {rows:.0?}");
    // With two million rows to make up first, the frame is still there at once.
    let term = lapel(&["demo", "--history", "2000000"]).start();
    term.until("the first frame", |s| s.has(msg("starting the sandbox")));
    println!("with 2,000,000 rows: first frame {:.0?}", term.started.elapsed());
}

/// Needs strace, which not every computer has or allows.
#[cfg(target_os = "linux")]
#[test]
fn nothing_slow_is_opened_before_the_first_frame() {
    let traced = ["-f", "-o", "trace", "-e", "trace=openat,connect,execve,write"];
    let can_trace = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !can_trace.is_ok_and(|status| status.success()) {
        return crate::team::say_skipped("strace cannot trace a program");
    }
    let start = || program("strace", &[&traced[..], &[LAPEL, "--tab", "history"]].concat());
    let with_key = start()
        .env("LAPEL_BASE_URL", "https://127.0.0.1:9")
        .env("LAPEL_API_KEY", "not-a-real-key-of-anybody");
    let in_keyring = start().env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    in_keyring.write(
        "config/config.toml",
        "default_profile = 'p'\n[profiles.p]\nbase_url = 'https://127.0.0.1:9'\nkey = { keyring = true }\n",
    );
    // Without its key, a profile opens no database.
    let cases = [(with_key, ".sqlite"), (in_keyring, "/nowhere/bus")];
    for (setup, later) in cases.into_iter().take(1 + usize::from(cfg!(feature = "keyring"))) {
        let trace = setup.home().join("trace");
        let mut term = setup.start();
        term.until("the first frame", |s| !s.text.trim().is_empty());
        term.until("the end of the start", |s| !s.is_loading());
        term.send("q");
        term.exit();
        let trace = std::fs::read_to_string(trace).expect("a trace");
        let (before, after) = trace.split_once(r"\33[?2026h").expect("a frame");
        let slow = |lines: &str| {
            let marks =
                ["connect(", ".sqlite", "cert", "/ssl", "resolv.conf", "nsswitch", "/etc/hosts", "dbus"];
            let is_slow = |line: &&str| marks.iter().any(|mark| line.contains(mark));
            lines.lines().filter(is_slow).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(slow(before), [""; 0]);
        // Nor is the terminal asked anything first: a slow line would hold its answer up.
        let questions = [r"\33[6n", r"\33[c", r"\33]11", r"\33_G"];
        assert_eq!(questions.map(|question| before.matches(question).count()), [0; 4], "{before}");
        // No other program: strace starts the only one.
        assert_eq!(before.matches("execve(").count(), 1, "{before}");
        assert!(slow(after).iter().any(|line| line.contains(later)), "the walk finds {later}");
    }
}
