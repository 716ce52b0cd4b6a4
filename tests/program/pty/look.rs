//! What is drawn, on terminals of every size and kind.

use super::kit::{Shown, lapel, still_demo};
use crate::texts::{msg, msg_part};

/// Header, rule, list, rule, footer: nothing missing, nothing left over.
fn is_whole(shown: &Shown, rows: usize) -> bool {
    shown.line(0).contains("  3  4  5 ")
        && shown.line(1).starts_with(" ───")
        && shown.line(rows - 2).starts_with(" ───")
        && shown.line(rows - 1).trim_end().ends_with("q quit")
}

/// Without the header, which counts requests.
fn below_header(shown: &Shown) -> String {
    shown.text.lines().skip(1).map(|l| l.to_owned() + "\n").collect()
}

#[test]
fn a_storm_of_sizes_leaves_the_screen_whole() {
    let mut term = still_demo().start();
    term.shows(msg_part("40 templates"));
    term.send("2");
    term.shows(msg_part("row 1 of 4,300"));
    term.send("#2000\r");
    let is_still = |s: &Shown| is_whole(s, 24) && !s.is_loading() && s.has("row 2,000 of");
    let before = term.until("the row", |s| is_still(s) && !s.selected().is_empty());
    // The same storm every time.
    let mut random = fastrand::Rng::with_seed(7);
    for turn in 0..60 {
        let (columns, rows) = match turn {
            0 => (1, 1),
            1 => (300, 100),
            _ => (random.u16(1..=300), random.u16(1..=100)),
        };
        if turn == 0 {
            // Else the next size may come first, and the smallest window is never drawn.
            term.resize_drawn(columns, rows);
        } else {
            term.resize(columns, rows);
        }
        if turn % 3 == 0 {
            // Keys and answers come in between.
            term.send(if turn % 2 == 0 { "j" } else { "k" });
        }
    }
    term.resize(80, 24);
    // When the help has opened, all keys before it have been dealt with.
    term.send("?");
    term.shows(msg_part("Keys of this screen"));
    term.send("?");
    let after = term.until("all of it", |s| is_still(s) && s.line(1).chars().count() == 79);
    // The list may have scrolled; the row is the same.
    assert_eq!(after.selected(), before.selected());
    // What is there is what a fresh drawing of all of it shows.
    term.resize(81, 24);
    term.until("another size", |s| is_still(s) && s.line(1).chars().count() == 80);
    term.resize(80, 24);
    let fresh = term.until("the size again", |s| is_still(s) && s.line(1).chars().count() == 79);
    assert_eq!(below_header(&after), below_header(&fresh));
    term.send("q");
    term.exit_restored();
}

#[test]
fn the_language_is_that_of_the_locale_until_another_is_chosen() {
    let mut term = still_demo().env("LANG", "ko_KR.UTF-8").start();
    term.until("Korean", |s| s.line(0).starts_with(" 0  템플릿  2  3  4  5 "));
    term.send(":언어");
    term.until("its entry", |s| s.has("표시 언어 바꾸기"));
    term.send("\r");
    term.until("English", |s| s.line(0).starts_with(" 0  Templates  2 ") && s.has("English"));
    term.send(":language");
    term.until("its entry", |s| s.has("switch language"));
    term.send("\r");
    term.until("Korean again", |s| s.line(0).starts_with(" 0  템플릿 ") && s.has("한국어"));
    term.send("q");
    term.exit_restored();
}

#[test]
fn a_key_that_comes_together_with_a_change_of_size_is_not_held_back() {
    let mut term = still_demo().start();
    term.until("the rows", |s| s.has("row 1 of") && !s.is_loading());
    for turn in 0..40 {
        let columns = 80 + 20 * (turn % 2);
        term.resize(columns, 24);
        let (key, row) = if turn % 2 == 0 { ("j", "row 2 of") } else { ("k", "row 1 of") };
        term.send(key);
        term.shows(row);
    }
}

#[test]
fn a_terminal_that_is_too_small_says_so_and_recovers() {
    let mut term = still_demo().size(40, 10).start();
    term.shows(msg_part("lapel needs 60 columns"));
    term.resize(80, 24);
    term.until("the TUI", |s| is_whole(s, 24) && s.has("row 1 of"));
    term.resize_drawn(1, 1);
    term.resize(60, 16);
    term.until("the smallest desk", |s| is_whole(s, 16) && s.has("row 1 of"));
}

/// The parameters of every SGR sequence.
fn styles(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let sgr = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
        part[end..].starts_with('m').then(|| part[..end].to_owned())
    };
    text.split("\x1b[").skip(1).filter_map(sgr).collect()
}

#[test]
fn without_colours_nothing_is_coloured() {
    let browse = |no_color: Option<&str>| {
        let setup = still_demo();
        let setup = match no_color {
            Some(value) => setup.env("NO_COLOR", value),
            None => setup,
        };
        let mut term = setup.start();
        term.shows(msg_part("row 1 of"));
        term.send("2");
        term.shows(msg_part("row 1 of 4,300"));
        term.send("  ");
        term.shows(msg_part("2 marked"));
        term.send("\r");
        term.shows(msg("Badge id"));
        term.send("?");
        term.shows(msg_part("Keys of this screen"));
        styles(&term.raw())
    };
    let plain = ["", "0", "1", "2", "4", "7", "22", "24", "27"];
    let styles = browse(Some("1"));
    let has = |code| styles.iter().any(|style| style.split(';').any(|s| s == code));
    assert!(has("7") && has("1"), "weight and reverse are left");
    for style in &styles {
        // Resetting a colour that was never set is allowed; setting one is not.
        assert!(
            style.split(';').all(|s| plain.contains(&s) || ["39", "49", "59"].contains(&s)),
            "{style:?} sets a colour"
        );
    }
    assert!(browse(Some("")).iter().any(|s| s.contains("38;5")), "empty counts as not set");
    assert!(browse(None).iter().any(|s| s.contains("38;5")));
}

#[test]
fn without_unicode_the_app_itself_is_ascii() {
    let mut term = lapel(&[]).env("LANG", "C").start();
    term.shows(msg("Welcome to lapel"));
    term.send("u");
    term.shows(msg("Base URL"));
    let beyond = |shown: &Shown| shown.text.chars().filter(|c| !c.is_ascii()).collect::<String>();
    assert_eq!(beyond(&term.shown()), "");

    let mut term = still_demo().env("LANG", "C").size(110, 40).start();
    let at_home = |s: &Shown| s.text.trim_end().ends_with("q quit");
    // What comes from the service stays what it is; these are the signs that lapel itself draws.
    let own = |shown: &Shown| {
        let odd = |line: &&str| line.contains(|c| "◌●◍✕◔▌◆─┃▲—…•⏎↑↓←→“”‘’‹›".contains(c));
        shown.text.lines().filter(odd).collect::<Vec<_>>().join("\n")
    };
    let mut seen = vec![own(&term.shows(msg_part("row 1 of")))];
    for (key, what) in [
        ("/", "registered-from:"),
        ("\x1b", ""),
        ("s", "Sort by"),
        ("\x1b", ""),
        ("b", "9 categories"),
        ("\x1b", "row 1 of"),
        ("i", "  E-mail"),
        ("\x1b", ""),
        ("2", "row 1 of 4,300"),
        (" ", "1 marked"),
        ("x", "skipped"),
        ("\x1b", ""),
        ("w", "in the wallet"),
        ("2", "row 2 of"),
        ("\r", "Badge id"),
        ("?", "Keys of this screen"),
    ] {
        term.send(key);
        let shown = term.until(what, |s| match what {
            "" => at_home(s),
            _ => s.text.to_lowercase().contains(&what.to_lowercase()),
        });
        seen.push(own(&shown));
    }
    let odd: Vec<String> = seen.into_iter().filter(|s| !s.is_empty()).collect();
    assert!(odd.is_empty(), "{}", odd.join("\n--\n"));
}
