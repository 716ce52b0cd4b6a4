//! The main story: somebody opens the demo, issues a badge and sees it issued, revokes some, and leaves.

use super::kit::{Shown, Term, contains, lapel};
use crate::texts::{asks, msg, msg_part, msg_with};

/// Goes down until the selected row is an issued badge that nobody marked yet, and marks it.
fn mark_an_issued_one(term: &mut Term) {
    loop {
        let shown = term.shown();
        let row = place(&shown.text);
        if shown.selected().contains("● Issued") && !shown.selected().contains('◆') {
            let marked = marks(&shown.text);
            term.send(" ");
            term.until("one mark more", |s| marks(&s.text) == marked + 1);
            return;
        }
        term.send("j");
        term.until("the next row", |s| place(&s.text) == row.map(|n| n + 1));
    }
}

/// Whether the rows have come. What is in them is another from day to day.
fn shows_badges(shown: &Shown) -> bool {
    !shown.is_loading() && !shown.selected().is_empty()
}

/// The number after `row`, as in `row 3 of 4,301`.
fn place(text: &str) -> Option<u64> {
    let at = text.rsplit_once("row ")?.1.split_once(" of ")?.0;
    at.replace(',', "").parse().ok()
}

/// The number before `marked`.
fn marks(text: &str) -> u64 {
    let number = text.split_once(msg_part(" marked")).and_then(|(before, _)| before.rsplit(' ').next());
    number.and_then(|n| n.replace(',', "").parse().ok()).unwrap_or(0)
}

#[test]
fn a_badge_is_issued_others_are_revoked_and_the_terminal_is_given_back() {
    // A day of the service, which is the longest that issuing takes, passes in some four seconds.
    let mut term = lapel(&["demo", "--seed", "7", "--speed", "20000"]).start();
    let shown = term.until("templates with the first selected", |s| s.selected().contains('Y'));
    assert!(shown.has("DEMO"), "{}", shown.text);
    assert!(shown.screen.alternate_screen() && shown.screen.hide_cursor() && shown.screen.bracketed_paste());
    assert_ne!(term.modes(), term.modes_before, "raw while the TUI is open");

    // Browse: down, up, the detail and back, the other tabs.
    term.send("j");
    term.shows(msg_part("row 2 of"));
    term.send("\r");
    term.shows(msg("Criteria"));
    term.send("\x1b");
    term.shows(msg_part("row 2 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,3") && s.has("Issued"));
    term.send("1");
    term.shows(msg_part("row 2 of"));

    // Issue.
    term.send("i");
    term.shows(msg("Name"));
    term.send("홍길동");
    term.shows("홍길동");
    term.send("\r");
    term.send("gildong@naru.example");
    term.shows("gildong@naru.example");
    term.send("\r");
    term.shows(msg_part("No badge of this template"));
    term.confirm("1");
    term.shows("1 job ·");
    term.until("the badge issued", |s| s.has("● issued") && s.has("issued 1 = 1"));
    term.send("\x1b");
    // Escape and a key at once would be that key with Alt.
    term.until("the list behind", |s| !s.has("· created"));

    // Mark two badges on different pages, and revoke both.
    term.send("2");
    term.until("the history", |s| place(&s.text).is_some() && shows_badges(s));
    for row in [150, 350] {
        term.send(format!("#{row}\r"));
        term.until("the row", |s| place(&s.text) == Some(row) && shows_badges(s));
        mark_an_issued_one(&mut term);
    }
    let shown = term.shows(&msg_with("{marked} marked", &[&2]));
    assert_eq!(marks(&shown.text), 2);
    term.send("x");
    term.shows(msg_part("Revoke 2 badges"));
    term.send("중복 발급");
    term.shows("중복 발급");
    term.send("\r");
    term.shows(&asks("2"));
    // Neither the confirmation without the number, nor with a wrong one.
    term.confirm("");
    term.shows(&format!("{}. {}", asks("2"), msg("Nothing has been sent.")));
    term.confirm("3");
    term.until("the wrong number", |s| s.has("▌3"));
    term.send(super::kit::by_hand("\x7f2"));
    term.until("the number", |s| s.has("▌2"));
    term.confirm("");
    term.until("both revoked", |s| s.has("revoked 2 = 2"));

    // Leave.
    term.send("\x1b");
    term.until("the list behind", |s| !s.has("· created") && place(&s.text).is_some());
    term.send("q");
    let status = term.exit_restored();
    assert_eq!(status.exit_code(), 0);
    let raw = term.raw();
    for end in ["\x1b[?1049l", "\x1b[?1000l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?25h"] {
        assert!(contains(&raw, end.as_bytes()), "{end:?} was not written");
    }
}
