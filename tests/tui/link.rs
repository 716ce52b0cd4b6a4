//! The link: slow, failing, refusing, hostile.

use super::narrow::flat;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::tui::ProfileSession;
use std::time::Duration;

#[tokio::test]
async fn a_key_is_never_held_up_by_the_network() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("2 j j");
    let screen = h.screen();
    assert!(screen.contains(msg_part("reading badges")), "{screen}");
    h.press("1 j");
    let screen = h.screen();
    assert!(screen.contains(msg_part("row 2 of")), "{screen}");
    h.press("?");
    assert!(h.screen().contains(msg_part("Keys of this screen")));
}

#[tokio::test]
async fn answers_reach_their_screen_whatever_is_open_over_it() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("2 ?");
    h.settled().await;
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")), "{screen}");
    assert!(!screen.contains(msg("reading")), "{screen}");
    // Under a form that waits for answers of its own.
    h.press("G 1 i");
    h.settled().await;
    h.press("esc 2");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 600 of 600")) && !screen.contains(msg("reading")), "{screen}");
}

#[tokio::test]
async fn a_failing_page_says_so_and_is_read_again_on_demand() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    h.press("2");
    let screen = h.shows(msg_part("Service error (HTTP 500")).await;
    assert!(screen.contains(&msg_with("Press {key} to refresh.", &[&"r"])), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("r");
    h.shows(msg_part("600 badges")).await;
}

#[tokio::test]
async fn a_refused_key_is_shown_in_the_header() {
    let mut h = Harness::with(small(), 120, 36, |mut session| {
        session.connection.key = lapel::api::ApiKey::new("dmu_test_not_the_key_at_all").expect("a key");
        session
    })
    .await;
    let screen = h
        .until("the refusal, in both places", |s| {
            s.contains(msg("key refused")) && s.contains(msg_part("issuer back office"))
        })
        .await;
    assert!(!screen.contains("not_the_key"), "{screen}");
}

#[tokio::test]
async fn retry_after_holds_everything_and_is_shown() {
    let mut h = Harness::new(held(), 120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=30 times=1").expect("a rule");
    h.press("2");
    let screen = h.shows(msg_part("▲ wait ")).await;
    assert!(screen.contains(msg_part("reading badges")), "{screen}");
    h.press("1 j");
    assert!(h.screen().contains(msg_part("row 2 of")), "keys go on");
}

#[tokio::test]
async fn within_a_short_wait_nothing_is_sent_and_no_ping_is_offered() {
    let mut h = Harness::new(held(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=540 times=1").expect("a rule");
    h.press("2");
    h.shows(msg_part("▲ wait 9 min")).await;
    let before = all_requests(&h);
    assert!(!flat(&h.screen()).contains(msg_part("sends one ping")), "{}", h.screen());
    h.press("r");
    h.shows(msg_part("lapel sends nothing before that.")).await;
    h.press("enter");
    assert_eq!(all_requests(&h), before);
}

/// Requests by their method and path.
fn requests_of(h: &Harness, what: &str) -> u64 {
    h.sandbox.control().ledger().requests.get(what).copied().unwrap_or(0)
}

#[tokio::test]
async fn a_long_wait_is_explained_at_every_width_and_one_ping_that_is_answered_ends_it() {
    let mut h = Harness::new(held(), 120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3540 times=1").expect("a rule");
    h.press("2");
    h.shows(msg_part("▲ wait 59 min")).await;
    let told = "Rate limit wait: 59 min (Retry-After).";
    for (columns, rows) in [(120, 36), (79, 24), (60, 16)] {
        h.tui.surface.resize(columns, rows);
        h.tui.app.update(Message::Resize(columns, rows));
        let screen = h.screen();
        assert!(flat(&screen).contains(told), "{columns}: {screen}");
    }
    // The minutes change, and nothing else moves.
    let tick = h.tui.app.next_tick().expect("the minutes run");
    let wait = tick.saturating_duration_since(tokio::time::Instant::now());
    assert!(wait > Duration::from_secs(1) && wait <= Duration::from_secs(60), "{wait:?}");
    let before = all_requests(&h);
    h.press("r");
    let screen = h.screen();
    assert!(flat(&screen).contains(msg_part("Send one ping now?")), "{screen}");
    h.press("esc r");
    assert_eq!(all_requests(&h), before, "a question sends nothing");
    h.press("enter");
    let screen = h.shows(msg_part("600 badges")).await;
    assert!(
        !screen.contains(msg_part("▲ wait")) && !screen.contains(msg_part("Rate limit wait")),
        "{screen}"
    );
    assert_eq!(requests_of(&h, "GET /ping"), 1);
}

#[tokio::test]
async fn a_ping_that_is_refused_leaves_the_wait_and_sends_nothing_more() {
    let mut h = Harness::new(held(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3540 times=2").expect("a rule");
    h.press("2");
    h.shows(msg_part("▲ wait 59 min")).await;
    let before = all_requests(&h);
    h.press("r enter");
    h.shows(msg_part("over its rate limit")).await;
    assert!(h.screen().contains(msg_part("▲ wait 59 min")));
    assert_eq!((all_requests(&h) - before, requests_of(&h, "GET /ping")), (1, 1));
}

#[tokio::test]
async fn the_key_that_is_named_asks_for_the_ping_on_every_tab_and_none_is_named_elsewhere() {
    let mut h = Harness::new(held(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3540 times=1").expect("a rule");
    h.press("2");
    h.shows(msg_part("▲ wait 59 min")).await;
    let before = all_requests(&h);
    for tab in ["1", "2", "3", "4", "5"] {
        h.press(tab);
        // The box of the Wallet and of the Badge takes letters.
        if matches!(tab, "3" | "4") {
            h.press("esc");
        }
        assert!(
            flat(&h.screen()).contains(&msg_with("{ping} sends one ping.", &[&"r"])),
            "{tab}: {}",
            h.screen()
        );
        h.press("r");
        assert!(flat(&h.screen()).contains(msg_part("Send one ping now?")), "{tab}: {}", h.screen());
        assert!(!flat(&h.screen()).contains(msg_part("sends one ping")), "{tab}: {}", h.screen());
        h.press("esc");
    }
    h.press("1 i");
    let screen = h.screen();
    assert!(
        flat(&screen).contains(msg_part("▲ wait 59 min"))
            && !flat(&screen).contains(msg_part("sends one ping")),
        "{screen}"
    );
    assert_eq!(all_requests(&h), before);
}

#[tokio::test]
async fn a_wait_that_lasts_at_the_start_is_explained_before_there_is_a_connection() {
    let mut h = Harness::new(held(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3540 times=1").expect("a rule");
    h.press("2");
    h.shows(msg_part("▲ wait 59 min")).await;
    let checked = |mut session: ProfileSession| {
        session.connection.pin = Some(super::profiles::pinned("dmu_test_"));
        session
    };
    let mut h = h.reopened(checked, 80, 24).await;
    let before = all_requests(&h);
    h.shows(msg_part("Rate limit wait: 59 min")).await;
    h.press("r");
    h.shows(msg_part("Send one ping now?")).await;
    assert_eq!(all_requests(&h), before);
    h.press("enter");
    h.shows(msg_part("40 templates")).await;
}

#[tokio::test]
async fn a_slow_read_says_how_long_it_takes_and_esc_stops_it() {
    let mut h = Harness::new(small(), 60, 16).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("2");
    h.until("the request has arrived", |_| true).await;
    h.shows(&msg_with("reading for {seconds} s, attempt {attempt}; {esc} stops it", &[&3, &1, &"esc"])).await;
    h.press("esc");
    let screen = h.shows(msg("Cancelled. Nothing was changed.")).await;
    assert!(screen.contains(&msg_with("Press {key} to refresh.", &[&"r"])), "{screen}");
    assert!(!screen.contains(msg_part("reading for")), "{screen}");
    assert!(!h.tui.app.is_busy(), "nothing is on its way");
    h.sandbox.control().clear_faults();
    h.press("r");
    h.shows(msg_part("600 badges")).await;
}

#[tokio::test]
async fn hostile_text_from_the_service_reaches_the_screen_scrubbed() {
    let mut h = Harness::new(small(), 120, 36).await;
    let rows = Rows {
        insert: vec![RowSpec {
            recipient_name: "evil\u{1b}]52;c;aGk=\u{7}\u{202e}x".into(),
            recipient_email: "evil@naru.example".into(),
            ..RowSpec::default()
        }],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains("evil␛]52"), "{screen}");
    assert!(!screen.chars().any(|c| c != '\n' && c.is_control()), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("⟨U+202E⟩"), "{screen}");
}
