//! How wide the terminal draws signs of ambiguous width: asked once, after the first frame.

use super::kit::{Shown, contains, still_demo};
use crate::texts::msg_part;

/// The question, at the beginning of the second row.
const ASKED: &[u8] = "\x1b[2;1H●\x1b[6n".as_bytes();
const DONE: &str = "\x1b[?62;22c";

fn count(raw: &[u8], what: &[u8]) -> usize {
    raw.windows(what.len()).filter(|window| *window == what).count()
}

/// Whether the line below the header consists of this sign, with the zone at its end.
fn is_rule(shown: &Shown, sign: char, width: usize) -> bool {
    let line = shown.line(1);
    let (rule, end) = line.trim().split_once(" UTC+9 ").unwrap_or_default();
    let signs = format!("{rule}{end}");
    signs.chars().all(|c| c == sign) && signs.chars().count() + " UTC+9 ".len() == width
}

fn odd(shown: &Shown) -> String {
    shown.text.chars().filter(|c| "●◌◍✕▌◆─┃▲—…•↑↓“”▀▄█".contains(*c)).collect()
}

#[test]
fn two_cells_mean_plain_signs() {
    // With pictures in characters, which there are none of then either.
    let mut term = still_demo().ahead(format!("\x1b[2;3R{DONE}")).size(120, 36).start();
    let shown = term.until("plain signs", |s| {
        s.has("row 1 of 40") && !s.is_loading() && is_rule(s, '-', 118) && odd(s).is_empty()
    });
    assert!(shown.text.lines().any(|line| line.starts_with('>')), "{}", shown.text);
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading() && odd(s).is_empty());
    assert_eq!(count(&term.raw(), ASKED), 1, "asked once");
    term.send("q");
    term.exit_restored();
}

#[test]
fn one_cell_and_no_answer_leave_the_screen_as_it_is() {
    // The last one is shift and F3, which is no answer.
    for said in [format!("\x1b[2;2R{DONE}"), DONE.to_owned(), String::new(), format!("\x1b[1;2R{DONE}")] {
        let mut term = still_demo().ahead(&said).start();
        // Nothing is left of the question.
        term.until("its signs", |s| {
            s.has("row 1 of 40") && !s.is_loading() && is_rule(s, '─', 78) && s.line(1).starts_with(" ─")
        });
        term.until_seen("the question", |_, raw| contains(raw, ASKED));
        let raw = term.raw();
        let at = |what: &[u8]| raw.windows(what.len()).position(|w| w == what).expect("written");
        assert!(at(b"lapel") < at(ASKED), "{said:?}");
        assert!(!term.shown().selected().is_empty());
        term.send("q");
        term.exit_restored();
    }
}

#[test]
fn where_there_are_only_plain_signs_nobody_is_asked() {
    for setup in [still_demo().env("LANG", "C"), still_demo().env("TERM", "linux")] {
        let mut term = setup.start();
        term.shows(msg_part("row 1 of 40"));
        term.send("q");
        term.exit_restored();
        assert!(!contains(&term.raw(), b"\x1b[6n"));
    }
}

#[test]
fn everything_is_drawn_again_by_ctrl_l() {
    const CLEARED: &[u8] = b"\x1b[2J";
    let mut term = still_demo().start();
    term.until("the rows", |s| s.has("row 1 of 40") && !s.is_loading());
    let cleared = count(&term.raw(), CLEARED);
    term.send("j");
    let before = term.until("the next row", |s| s.has("row 2 of 40") && !s.is_loading());
    assert_eq!(count(&term.raw(), CLEARED), cleared);
    term.send("\x0c");
    let after = term.until_seen("all of it", |_, raw| count(raw, CLEARED) == cleared + 1);
    let below = |shown: &Shown| shown.text.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_eq!(below(&before), below(&after));
    // In a field it is no letter.
    term.send("/x\x0c");
    term.until_seen("all of it", |s, raw| count(raw, CLEARED) == cleared + 2 && s.has("x"));
    term.send("\x03");
    term.exit_restored();
}
