//! Kinds of terminals, and none. The other ends are in `ends.rs`, `stops.rs` and `panics.rs`; the table of all is in
//! docs/troubleshooting.md.

use super::kit::{LAPEL, Setup, contains, program, still_demo};
use crate::texts::{msg, msg_part};
use rustix::process::Signal;

/// Terminals as `TERM` names them; one says nothing.
const KINDS: [Option<&str>; 5] = [Some("xterm"), Some("tmux-256color"), Some("screen"), Some("linux"), None];

fn on(kind: Option<&str>) -> Setup {
    match kind {
        Some(term) => still_demo().env("TERM", term),
        None => still_demo().without("TERM"),
    }
}

/// How the strings begin that a terminal is written: its title, and the questions for its background and for pictures. They
/// show as text where a terminal does not know strings. Within tmux and screen, the last question would become a title.
fn strings_for(kind: Option<&str>) -> &'static [&'static [u8]] {
    match kind {
        Some("linux") | None => &[],
        Some("xterm") => &[b"\x1b]0;", b"\x1b]11;?\x07", b"\x1b_Gi=31,"],
        Some(_) => &[b"\x1b]0;", b"\x1b]11;?\x07"],
    }
}

/// Shown with the smallest window on the way, and ended by a key and by a signal.
#[test]
fn every_kind_of_terminal_is_given_back_as_it_was() {
    for kind in KINDS {
        for end in [None, Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT), Some(Signal::QUIT)] {
            let mut term = on(kind).start();
            term.until("templates", |s| s.has("row 1 of 40") && !s.is_loading());
            term.resize_drawn(1, 1);
            term.resize_drawn(80, 24);
            // When the help has opened, all sizes before it have been dealt with.
            term.send("?");
            term.shows(msg_part("Keys of this screen"));
            match end {
                None => term.send("\x03"),
                Some(signal) => term.signal(signal),
            }
            assert_eq!(term.exit_restored().exit_code(), 0, "{kind:?} {end:?}");
            let shown = term.shown();
            assert_eq!(shown.text.trim(), "", "nothing is left on the screen of {kind:?} after {end:?}");
            let raw = term.raw();
            for (at, begin) in raw.windows(2).enumerate() {
                if matches!(begin, b"\x1b]" | b"\x1bP" | b"\x1b_" | b"\x1b^" | b"\x1bX") {
                    let is_known = strings_for(kind).iter().any(|string| raw[at..].starts_with(string));
                    let string = &raw[at..raw.len().min(at + 40)];
                    assert!(is_known, "{kind:?} is written \"{}\"", string.escape_ascii());
                }
            }
        }
    }
}

#[test]
fn in_the_smallest_window_every_end_gives_the_terminal_back() {
    for end in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::QUIT), Some(Signal::HUP)] {
        let mut term = still_demo().size(1, 1).start();
        term.until_written("the first frame", |raw| contains(raw, b"\x1b[?2026l"));
        match end {
            None => term.send("\x03"),
            Some(signal) => term.signal(signal),
        }
        assert_eq!(term.exit_restored().exit_code(), 0, "{end:?}");
    }
}

/// The app has nothing to do without both; its message goes where messages go.
#[test]
fn where_input_or_output_is_no_terminal_nothing_is_drawn() {
    for place in ["<in", ">out", "<in >out", "<in >out 2>err", ">out 2>err"] {
        let script = format!("touch in out err; \"$0\" demo {place}; echo code $?; cat err");
        let mut term = program("/bin/sh", &["-c", &script, LAPEL]).start();
        term.exit_restored();
        let shown = term.shown();
        assert!(shown.has("code 2") && shown.has(msg("lapel needs a terminal")), "{place}: {}", shown.text);
        assert!(!contains(&term.raw(), b"\x1b"), "{place}: {}", shown.text);
        let out = std::fs::read(term.home.path().join("out")).expect("a file");
        assert_eq!(out, b"", "{place}");
    }
}
