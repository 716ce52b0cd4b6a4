//! What comes in that no person typed as keys: pastes, late answers of the terminal.

use super::kit::{by_hand, lapel, pasted, still_demo};
use crate::texts::{msg, msg_part};

#[test]
fn a_paste_into_the_app_is_no_key_press() {
    let mut term = still_demo().start();
    let before = term.shows(msg_part("row 1 of"));
    term.send(pasted("q\nq\nix\u{3}\u{1b}\n2y"));
    // The first key after it shows that everything before it has been dealt with.
    term.send("j");
    let after = term.shows(msg_part("row 2 of"));
    assert_eq!(after.line(2), before.line(2), "the same list: {}", after.text);
    term.send("2");
    term.until("the history", |s| s.has("Issued") && s.has("row 1 of"));
    term.send(pasted("xaq\ny"));
    term.send("j");
    let after = term.until("the second row", |s| s.has("row 2 of"));
    assert!(!after.has("marked") && !after.has("Revoke"), "{}", after.text);
}

#[test]
fn a_paste_into_a_field_is_text_whatever_it_holds() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("i");
    term.shows(msg("Name"));
    term.send(pasted("홍길동\r\n"));
    term.until("the name", |s| s.has("홍길동"));
    term.send("\t");
    term.send(pasted("gildong@naru.example\ny"));
    let shown = term.until("the address", |s| s.has("gildong@naru.example y"));
    assert!(!shown.has(msg_part("and press")), "a line break in a paste does not go on: {}", shown.text);
    term.send("\x15");
    term.send(pasted("gildong@naru.example"));
    term.send("\r");
    term.shows(msg_part("No badge of this template"));
    // Nor does a pasted letter confirm.
    term.send(pasted("y"));
    term.send("\x1b");
    let shown = term.until("the form again", |s| !s.has(msg_part("and press")));
    assert!(!shown.has("1 job"), "{}", shown.text);
}

/// A terminal multiplexer can paste without brackets: the text and Enter arrive together.
#[test]
fn a_paste_without_brackets_confirms_nothing() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("i");
    term.shows(msg("Name"));
    term.send("홍길동");
    term.shows("홍길동");
    term.send("\r");
    term.send("gildong@naru.example");
    term.shows("gildong@naru.example");
    term.send("\r");
    term.shows(msg_part("No badge of this template"));
    for piece in ["1\r", "\x151\r\n", "\x7f1\r\r"] {
        term.send(piece);
        let shown = term.shows(msg_part("arrived at once, as from a paste"));
        assert!(shown.has("▌1") && shown.has(msg_part("No badge of this template")), "{}", shown.text);
        // Text leaves an error where it is. This key removes it, so that the next piece has to bring its own.
        term.send(by_hand("\x15"));
        term.until("no text and no message", |s| !s.has("▌1") && !s.has(msg_part("arrived at once")));
        term.send(by_hand("1"));
        term.until("the text again", |s| s.has("▌1"));
    }
    term.send(by_hand("\r"));
    term.shows("1 job ·");
}

/// Most terminals send CR between the lines of a paste, some CR LF.
#[test]
fn lines_of_a_paste_are_lines_however_they_end() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    for (end, more) in [("\r", 2), ("\r\n", 3), ("\n", 4)] {
        let people: Vec<String> = (0..more).map(|n| format!("홍길동{n}\tgildong{n}@naru.example")).collect();
        term.send("i");
        term.shows(msg("Name"));
        term.send(pasted(&people.join(end)));
        term.shows(&format!("{more} lines pasted"));
        term.send("\x1b");
        term.shows(msg("one recipient"));
        term.send("\x1b");
        term.shows(msg_part("row 1 of"));
        term.send("2");
        term.until("the history", |s| s.has("Issued") && s.has("row 1 of"));
        term.send("F");
        term.shows(msg("Revoke badges by id"));
        term.send(pasted(&vec!["B-000000001-AA"; more].join(end)));
        term.shows(&format!("{more} lines pasted"));
        term.send("\x1b");
        term.shows(msg_part("row 1 of"));
        term.send("1");
        term.shows(msg_part("40 templates"));
    }
}

/// `ESC ESC [ A` is Esc and an arrow key; the library reads Esc, `[` and `A`.
#[test]
fn an_arrow_key_right_after_esc_is_no_command() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("Issued") && s.has("row 1 of"));
    term.send("jj");
    term.shows(msg_part("row 3 of"));
    for (keys, row) in [("\x1b\x1b[A", 2), ("\x1b\x1bOA", 1), ("\x1b\x1b[B", 2), ("\x1b\x1b[1;5Aj", 3)] {
        term.send(keys);
        let shown = term.shows(&format!("row {row} of"));
        assert!(!shown.has("marked") && !shown.has("Columns"), "{keys:?}: {}", shown.text);
    }
    // A paste and the mouse, begun in the same moment, press no keys.
    term.send("\x1b\x1b[200~xq1\x1b[201~");
    term.send("\x1b\x1b[<64;10;10M");
    term.resize(100, 30);
    let shown = term.until("the same screen", |s| s.line(29).contains(msg("quit")) && s.has("row 3 of"));
    assert!(shown.has("4,300 badges") && !shown.has("marked"), "{}", shown.text);
}

#[test]
fn a_dumb_terminal_is_refused_like_none() {
    let mut term = still_demo().env("TERM", "dumb").start();
    assert_eq!(term.exit().exit_code(), 2);
    assert!(term.shown().has(msg("lapel needs a terminal")), "{}", term.shown().text);
    assert!(!term.raw().contains(&b'\x1b'), "nothing else was written: {}", term.shown().text);
}

/// Answers to questions that somebody asked the terminal before lapel, and that come late over a slow line.
const LATE: &[&str] = &[
    // What the background is, ended either way.
    "\x1b]11;rgb:1a1a/1b1b/2626\x1b\\",
    "\x1b]11;rgb:1a1a/1b1b/2626\x07",
    // Kitty graphics, a capability string, a version.
    "\x1b_Gi=31;OK\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP>|XTerm(388)\x1b\\",
    // All is well, the size of a cell, the size of the window.
    "\x1b[0n",
    "\x1b[6;20;10t",
    "\x1b[8;24;80t",
    // Where the cursor is, what the terminal is.
    "\x1b[12;40R",
    "\x1b[?62;22c",
];

#[test]
fn late_answers_of_the_terminal_do_nothing() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    for (tab, count) in [("1", "40 templates"), ("2", "4,300 badges")] {
        term.send(tab);
        let mut before = term.until("a list", |s| s.has(count) && s.has("row 1 of"));
        for late in LATE {
            term.send(late);
            term.send("j");
            let after = term.until(&format!("one row further after {late:?}"), |s| {
                s.text != before.text && s.has("row 2 of")
            });
            assert!(!after.has("marked") && !after.has("Issue "), "{late:?}: {}", after.text);
            assert_eq!(after.line(2), before.line(2), "{late:?}");
            term.send("k");
            before = term.until("back", |s| s.has("row 1 of"));
        }
    }
    // In a field they are no text either.
    term.send("/");
    term.shows("title:");
    for late in LATE {
        term.send(late);
    }
    term.send("한");
    let shown = term.shows("한");
    assert!(!shown.has("rgb") && !shown.has("OK") && !shown.has("XTerm"), "{}", shown.text);
}

/// `ESC[?2026;2$y` is not understood by the library that reads the terminal: it takes what follows for a
/// part of it, up to the next `u` or `c`. The TUI itself continues.
#[test]
fn an_answer_that_is_not_understood_does_not_stop_the_app() {
    // Without pictures and with a theme in the settings lapel asks the terminal nothing, and only the library reads its input.
    let mut term =
        lapel(&["demo", "--seed", "7", "--speed", "0", "--theme", "dark", "--pictures", "none"]).start();
    term.shows(msg_part("row 1 of"));
    term.send("\x1b[?2026;2$y");
    term.resize(100, 30);
    term.until("alive", |s| s.line(29).contains(msg("quit")));
    // The library takes a `u` for the answer's end, where it has read the whole of the answer in one piece.
    term.send("ju");
    term.send("?");
    term.shows(msg_part("Keys of this screen"));
    term.send("?");
    term.until("the help closed", |s| !s.has(msg_part("Keys of this screen")));
    term.send("q");
    term.exit_restored();
}

#[test]
fn the_cursor_of_a_field_is_seen_to_move() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("/ab");
    let line = |s: &super::kit::Shown| s.text.lines().position(|l| l.starts_with("  /") && l.contains("ab"));
    let shown = term.until("the field", |s| line(s).is_some());
    let row = line(&shown).and_then(|y| u16::try_from(y).ok()).expect("the field's line");
    let reversed =
        |s: &super::kit::Shown| (0..80).find(|x| s.screen.cell(row, *x).is_some_and(vt100::Cell::inverse));
    let at = reversed(&shown).expect("a cursor");
    term.send("\x1b[D");
    term.until("the cursor further left", |s| reversed(s) == Some(at - 1));
}
