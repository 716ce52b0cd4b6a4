//! A read-only profile: no key sends anything, and nothing offers to send.

use super::*;
use crate::common::texts::msg;

async fn only_looking(columns: u16, rows: u16) -> Harness {
    Harness::with(small(), columns, rows, |mut session| {
        session.connection.read_only = true;
        session
    })
    .await
}

fn posts(h: &Harness) -> u64 {
    let requests = h.sandbox.control().ledger().requests;
    requests.iter().filter(|(what, _)| what.starts_with("POST")).map(|(_, n)| n).sum()
}

/// What only those see who may act.
const ACTING: [&str; 9] = [
    "issue this badge",
    "revoke marked badges",
    "revoke badges whose ids",
    "corrected name",
    "pause or resume this job",
    "use up the quota, or cancel the rest",
    "revoke the badges that this job",
    "type the number",
    "on a badge revokes",
];

#[tokio::test]
async fn every_screen_of_every_size_says_that_it_is_read_only() {
    for (columns, rows) in [(60, 16), (80, 24), (100, 30), (160, 50)] {
        let mut h = only_looking(columns, rows).await;
        for tab in ["1", "2", "3", "4", "5"] {
            h.press("esc");
            h.press(tab);
            let screen = h.settled().await;
            assert!(screen.contains(msg("read-only")), "{columns}x{rows} {tab}:\n{screen}");
        }
    }
}

#[tokio::test]
async fn who_may_act_is_offered_it() {
    let mut h = Harness::new(small(), 120, 60).await;
    let mut seen = String::new();
    for tab in ["1", "2", "5"] {
        h.press(tab);
        h.settled().await;
        h.press("?");
        seen += &h.settled().await;
        h.press("esc");
    }
    h.press("2 enter");
    h.settled().await;
    h.press("?");
    seen += &h.settled().await;
    for said in &ACTING[..7] {
        assert!(seen.contains(said), "the tests below look for words that nobody says: {said}");
    }
}

#[tokio::test]
async fn no_key_of_any_tab_sends_anything_if_read_only() {
    let mut h = only_looking(120, 60).await;
    let holder = "haneul.lim@example.net";
    for tab in ["1", "2", "3", "4", "5"] {
        h.press("esc");
        h.press(tab);
        h.settled().await;
        if tab == "3" {
            h.paste(holder);
            h.press("enter");
            h.settled().await;
        }
        if tab == "4" {
            h.press("esc 2");
            h.settled().await;
            h.press("enter");
            h.settled().await;
        }
        h.press("?");
        let help = h.settled().await;
        for said in ACTING {
            assert!(!help.contains(said), "{tab}: {said}\n{help}");
        }
        h.press("esc");
        for key in ('a'..='z').chain('A'..='Z').filter(|key| !matches!(key, 'q' | 'L' | 'P' | 'K')) {
            let here = h.tui.app.key_contexts();
            h.press(&key.to_string());
            let screen = h.settled().await;
            for said in ACTING {
                assert!(!screen.contains(said), "{tab} {key}: {said}\n{screen}");
            }
            // Closes what it has opened: a field, a menu, another tab.
            for _ in 0..3 {
                if h.tui.app.key_contexts() != here {
                    h.press("esc");
                    h.settled().await;
                }
            }
        }
    }
    assert_eq!(posts(&h), 0);
}
