//! The list of failed mails: by domain, from the index or from the journal.

use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::index::IndexConfig;
use lapel::tui::{IndexUse, ProfileSession};

fn with_index(mut session: ProfileSession) -> ProfileSession {
    session.index = Some(IndexUse {
        folder: None,
        settings: IndexConfig { max_age_days: 36_500, refresh_minutes: 15 },
        reads_at_start: false,
    });
    session
}

/// The line with the cursor.
fn here(screen: &str) -> &str {
    screen.lines().find(|line| line.starts_with('▌')).unwrap_or_default()
}

/// Home with an index that was read, and the list of its failed mails.
async fn listed(columns: u16, rows: u16) -> Harness {
    let mut h = Harness::with(frozen(), columns, rows, with_index).await;
    h.settled().await;
    h.press("0 r");
    h.until("read", |s| s.contains(msg_part("mails of issued badges failed"))).await;
    h.settled().await;
    h.press("G k enter");
    h.settled().await;
    h
}

#[tokio::test]
async fn failed_mails_are_a_list_by_domain() {
    let mut h = listed(80, 24).await;
    let before = all_requests(&h);
    let screen = h.screen();
    assert!(screen.contains(msg_part("from the index, read")), "{screen}");
    let head = screen.lines().skip(2).take_while(|line| !line.contains(msg("Holder")));
    assert!(head.into_iter().all(|line| !line.contains('…')), "the age of the figures is whole: {screen}");
    let clock_after_year = |rest: &str| rest.as_bytes().get(8) == Some(&b':');
    assert!(!screen.split("2025-").skip(1).any(clock_after_year), "the addresses have the room: {screen}");
    assert!(screen.contains("▾ @strictgate.example: 43 of 45 failed (29 FAIL, 14 BOUNCE)"), "{screen}");
    h.press("j");
    let badge = here(&h.screen()).to_owned();
    assert!(badge.contains("FAIL"), "{badge}");
    // A domain folds, so that the next one is near.
    h.press("k enter");
    let screen = h.screen();
    assert!(here(&screen).contains("▸ @strictgate.example"), "{screen}");
    h.press("enter j");
    assert_eq!(here(&h.screen()), badge);
    // A search narrows; n goes to the next badge, not to a domain.
    h.press("/");
    h.type_text("bounce");
    h.press("enter g n");
    let screen = h.screen();
    assert!(here(&screen).contains("BOUNCE") && screen.contains(msg_part("row 2 of 41")), "{screen}");
    assert_eq!(all_requests(&h), before, "all of it comes from the index");
    h.press("e");
    let screen = h.settled().await;
    assert!(screen.contains("bounce") && screen.contains("lapel-mail-failures-"), "{screen}");
    h.press("esc y");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("with failed mails")), "{screen}");
    h.press("esc");
    let at = here(&h.screen()).to_owned();
    h.press("enter");
    h.shows(msg("Cert. no.")).await;
    h.press("esc");
    assert_eq!(here(&h.settled().await), at, "back in the list");
    h.press("w");
    h.until("the wallet", |s| s.contains(msg_part("in the wallet"))).await;
    h.press("esc");
    assert_eq!(here(&h.settled().await), at, "back in the list");
    h.press("esc esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("mails of issued badges failed")), "home again: {screen}");
}

#[tokio::test]
async fn a_list_behind_home_says_why_it_has_no_filter_by_status_and_no_order() {
    let mut h = listed(100, 30).await;
    h.press("f");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("All these mails failed.")), "{screen}");
    for key in ["s", "C"] {
        h.press("backspace");
        h.press(key);
        let screen = h.settled().await;
        assert!(screen.contains(msg_part("The order and the columns of this list are fixed.")), "{screen}");
    }
}

#[tokio::test]
async fn without_an_index_the_failed_mails_are_those_of_the_jobs() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    let before = all_requests(&h);
    h.press("M");
    let screen = h.settled().await;
    assert!(screen.contains(msg("from lapel's own jobs (no index)")), "{screen}");
    assert!(screen.contains(msg("No issued badges, no mails")) && !screen.contains("0 of 0"), "{screen}");
    assert!(screen.contains(msg_part("lapel knows of no failed mail")), "{screen}");
    h.press("e");
    assert!(h.settled().await.contains(msg("There are no failed mails here to export.")), "{}", h.screen());
    assert_eq!(all_requests(&h), before);
    h.press("esc");
    assert!(h.settled().await.contains(msg("Soon")), "{}", h.screen());
}

#[tokio::test]
async fn back_from_the_failed_mails_returns_to_the_counts_that_opened_them() {
    let mut h = Harness::with(frozen(), 80, 24, with_index).await;
    h.settled().await;
    h.press("0 r");
    h.until("read", |s| s.contains(msg_part("mails of issued badges failed"))).await;
    // The counts, with the section of mails; its last bar holds the domains with one failure each.
    h.press("G enter");
    h.settled().await;
    h.press("{");
    let counts = h.settled().await;
    assert!(counts.contains(msg("SENT means that a mail was sent, not that it arrived")), "{counts}");
    h.press("G enter");
    let list = h.settled().await;
    assert!(
        list.contains('▾') && !list.contains(msg("SENT means that a mail was sent, not that it arrived")),
        "{list}"
    );
    h.press("esc");
    let back = h.settled().await;
    assert!(back.contains(msg("SENT means that a mail was sent, not that it arrived")), "{back}");
}
