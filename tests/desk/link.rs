//! The link: slow, failing, refusing, hostile.

use super::*;

#[tokio::test]
async fn a_key_is_never_held_up_by_the_network() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history delay=30s").expect("a rule");
    h.press("2 j j");
    let screen = h.screen();
    assert!(screen.contains("reading badges"), "{screen}");
    h.press("1 j");
    let screen = h.screen();
    assert!(screen.contains("row 2 of"), "{screen}");
    h.press("?");
    assert!(h.screen().contains("Keys of this screen"));
}

#[tokio::test]
async fn answers_reach_their_screen_whatever_is_open_over_it() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("2 ?");
    h.settled().await;
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains("600 badges"), "{screen}");
    assert!(!screen.contains("reading"), "{screen}");
    // Under a form that waits for answers of its own.
    h.press("G 1 i");
    h.settled().await;
    h.press("esc 2");
    let screen = h.settled().await;
    assert!(screen.contains("row 600 of 600") && !screen.contains("reading"), "{screen}");
}

#[tokio::test]
async fn a_failing_page_says_so_and_is_read_again_on_demand() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    h.press("2");
    let screen = h.shows("The service failed").await;
    assert!(screen.contains("r reads again"), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("r");
    h.shows("600 badges").await;
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
            s.contains("key refused") && s.contains("issuer back office")
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
    let screen = h.shows("▲ waits").await;
    assert!(screen.contains("reading badges"), "{screen}");
    h.press("1 j");
    assert!(h.screen().contains("row 2 of"), "keys go on");
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
