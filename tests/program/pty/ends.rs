//! Every kind of end gives the terminal back.

use super::kit::{BOUND, LAPEL, Term, contains, lapel, program, still_demo};
use crate::texts::{asks, msg, msg_part, msg_with};
use lapel::sandbox::{Options, Sandbox};
use rustix::process::Signal;
use std::time::Instant;
use tokio::runtime::Runtime;

fn open() -> Term {
    let term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term
}

#[test]
fn by_q() {
    let mut term = open();
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn by_ctrl_c_also_inside_a_field() {
    let mut term = open();
    term.send("/q");
    term.shows(msg("Title"));
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn by_a_signal() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT, Signal::ALARM, Signal::USR1] {
        let mut term = open();
        term.signal(signal);
        assert_eq!(term.exit_restored().exit_code(), 0, "{signal:?}");
    }
}

/// What is being written is asked about, and said to be given up; nothing of it stays on the disk.
#[test]
fn while_a_file_is_being_written() {
    for by_key in [true, false] {
        // More than the background may read in a minute.
        let setup = lapel(&["demo", "--seed", "7", "--speed", "0", "--history", "40000"]);
        let home = setup.home.clone();
        let mut term = setup.start();
        term.shows(msg_part("row 1 of"));
        term.send("2");
        term.shows(msg_part("row 1 of 40,000"));
        term.send("e\x15all.csv\r");
        term.until("rows", |s| s.has(" of 40,000 rows") && !s.has(" 0 of 40,000"));
        let names = || -> Vec<String> {
            let entries = std::fs::read_dir(home.path()).expect("a folder");
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        };
        assert!(names().iter().any(|name| name.contains("all.csv")), "{:?}", names());
        if by_key {
            term.send("\x03");
            term.shows(msg_part("lapel is writing all.csv. Quit again to leave"));
            term.send("\x03");
        } else {
            term.signal(Signal::TERM);
        }
        assert_eq!(term.exit_restored().exit_code(), 0);
        let said = String::from_utf8_lossy(&term.raw()).into_owned();
        assert!(
            said.contains(&msg_with("The export to {file} was cancelled.", &[&"all.csv"]))
                && said.contains(msg("No file is left.")),
            "{said}"
        );
        assert!(!names().iter().any(|name| name.contains("all.csv")), "{:?}", names());
    }
}

/// lapel waits for the answer, and the next ctrl-c or signal ends that at once.
#[test]
fn while_a_request_waits_for_its_answer() {
    let runtime = Runtime::new().expect("a runtime");
    for by_key in [true, false] {
        let options = Options { seed: 7, speed: 0.0, history: Some(40), ..Options::default() };
        let sandbox = runtime.block_on(Sandbox::start(options)).expect("the sandbox starts");
        let sent = || sandbox.control().ledger().requests_to("POST /badges");
        let setup = lapel(&[]).env("BADGE_KEY", sandbox.api_key());
        setup.write(
            "config/config.toml",
            format!(
                "default_profile = 'p'\n[profiles.p]\nenvironment = 'demo'\nbase_url = '{}'\nkey = {{ env = 'BADGE_KEY' }}\n",
                sandbox.base_url()
            ),
        );
        let mut term = setup.start();
        term.until("templates", |s| s.has("row 1 of 40") && !s.is_loading());
        sandbox.control().add_fault("post /badges hold").expect("a rule");
        term.send("i");
        term.shows(msg("one recipient"));
        term.send("홍길동");
        term.shows("홍길동");
        term.send("\tgildong@naru.example");
        term.shows("gildong@naru.example");
        term.send("\r");
        // Nothing is confirmed while the duplicate check runs.
        let is_checked = msg_part("No badge of this template found");
        term.until("the check", |s| s.has(&asks("1")) && s.has(is_checked) && !s.is_loading());
        term.confirm("1");
        term.shows(msg_part("sending 1"));
        let end = Instant::now() + BOUND;
        while sent() == 0 {
            assert!(Instant::now() < end, "nothing was sent\n{}", term.shown().text);
            std::thread::yield_now();
        }
        let again = |term: &mut Term| if by_key { term.send("\x03") } else { term.signal(Signal::TERM) };
        if by_key {
            term.send("\x03");
            term.shows(msg_part("lapel is sending. Quit again to leave"));
        }
        again(&mut term);
        let waits = msg_part("from the service; ctrl-c quits at once").as_bytes();
        term.until_written("that lapel waits", |raw| contains(raw, waits));
        again(&mut term);
        assert_eq!(term.exit_restored().exit_code(), 0);
        let unanswered = msg_part("next time, lapel checks the unanswered ones");
        assert!(contains(&term.raw(), unanswered.as_bytes()), "{}", term.shown().text);
        assert_eq!(sent(), 1, "never sent again");
    }
}

#[test]
fn by_a_signal_before_the_sandbox_has_started() {
    let mut term = lapel(&["demo", "--history", "2000000"]).start();
    term.shows(msg("starting the sandbox"));
    term.signal(Signal::TERM);
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn by_closing_the_window() {
    let mut term = open();
    term.close("j");
    // The signal ends it as a key would; a drawing that fails before the signal has come is an error. It
    // never ends in a panic.
    let status = term.exit();
    assert!(status.signal().is_none() && status.exit_code() <= 1, "{status:?}");
    assert!(!term.home.path().join("data/crash.txt").exists(), "no report of a failure");
}

/// The screen without the header, which counts the requests of the last minute.
fn below(text: &str) -> Option<&str> {
    text.split_once('\n').map(|(_, rest)| rest)
}

/// A shell with job control in the terminal, and lapel in the shell. In a terminal without one there is
/// nobody who could bring lapel back, and the system does not stop it.
#[test]
fn ctrl_z_puts_it_away_and_fg_brings_it_back() {
    let mut term = program("/bin/sh", &["-i"]).env("PS1", "ready> ").start();
    let before = term.until("a prompt", |s| s.text.starts_with("ready>"));
    let modes = term.modes();
    term.send(format!("{LAPEL} demo --seed 7 --speed 0 --tab templates\n"));
    let open = term.shows(msg_part("row 1 of"));
    assert_ne!(term.modes(), modes);
    for _ in 0..3 {
        term.send("\x1a");
        let away = term.until("the shell again", |s| {
            !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>")
        });
        assert!(away.text.to_lowercase().contains(msg("stopped")), "{}", away.text);
        assert!(away.text.starts_with(before.text.trim_end()), "what was there is there: {}", away.text);
        assert!(!away.screen.hide_cursor() && !away.screen.bracketed_paste());
        assert_eq!(away.screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert_eq!(term.modes(), modes);
        term.send("fg\n");
        let back =
            term.until("lapel again", |s| s.screen.alternate_screen() && below(&s.text) == below(&open.text));
        assert!(back.screen.hide_cursor() && back.screen.bracketed_paste());
        assert_ne!(term.modes(), modes, "raw again");
    }
    // The keys and the size are lapel's again.
    term.send("j");
    term.shows(msg_part("row 2 of"));
    term.resize(120, 30);
    term.until("a larger screen", |s| s.line(29).contains(msg("quit")) && s.has("row 2 of"));
    // A window that changed its size meanwhile.
    term.send("\x1a");
    term.until("the shell again", |s| !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>"));
    term.resize(90, 26);
    term.send("fg\n");
    term.until("the new size", |s| s.screen.alternate_screen() && s.line(25).contains(msg("quit")));
    term.send("q");
    term.until("the shell again", |s| !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>"));
    term.send("exit\n");
    term.exit();
}
