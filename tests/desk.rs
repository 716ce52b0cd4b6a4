//! The desk as a whole, over a real sandbox, on a test terminal, with scripted keys.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod common;

use common::{Harness, frozen, key_event};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use lapel::config::Environment;
use lapel::sandbox::{Options, RowSpec, Rows};
use lapel::tui::{Action, Keymap, Message};

fn requests(harness: &Harness, what: &str) -> u64 {
    harness.sandbox.control().ledger().requests.get(what).copied().unwrap_or(0)
}

fn all_requests(harness: &Harness) -> u64 {
    harness.sandbox.control().ledger().requests.values().sum()
}

fn small() -> Options {
    Options { history: Some(600), ..frozen() }
}

#[tokio::test]
async fn each_tab_opens_with_few_requests() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    assert_eq!(
        all_requests(&h),
        1,
        "Templates, no room for the detail: {:?}",
        h.sandbox.control().ledger().requests
    );
    h.press("2");
    h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history"), 1);
    h.press("enter");
    h.settled().await;
    assert_eq!(requests(&h, "GET /badges/{badge_id}"), 1);
    h.press("w");
    h.settled().await;
    assert_eq!(requests(&h, "GET /wallet/badges"), 1);
    assert_eq!(requests(&h, "GET /badges/history"), 2);
    assert_eq!(all_requests(&h), 5);
}

#[tokio::test]
async fn a_million_rows_scroll_like_a_hundred() {
    let mut h = Harness::new(Options { history: Some(1_000_000), ..frozen() }, 120, 36).await;
    h.press("2");
    h.settled().await;
    let before = all_requests(&h);
    h.press("G");
    let screen = h.settled().await;
    assert!(screen.contains("row 1,000,000 of 1,000,000"), "{screen}");
    h.press("#");
    h.type_text("500,000");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("row 500,000 of 1,000,000"), "{screen}");
    assert!(all_requests(&h) - before <= 5, "only pages near what was shown: {}", all_requests(&h) - before);
    assert!(h.desk.app.rows_built() <= 36);
}

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
async fn marks_are_kept_across_pages_and_filters_and_hold_ids() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("space space");
    let screen = h.settled().await;
    assert!(screen.contains("2 marked (0 not in view)"), "{screen}");
    h.press("G");
    h.settled().await;
    h.press("space");
    let screen = h.settled().await;
    assert!(screen.contains("3 marked (2 not in view)"), "{screen}");
    let marked = h.desk.app.marked();
    h.press("/");
    h.type_text("한서윤");
    let screen = h.settled().await;
    assert!(screen.contains("3 marked (3 not in view)"), "{screen}");
    assert_eq!(h.desk.app.marked(), marked);
    h.press("esc u");
    assert!(!h.settled().await.contains("marked"));
}

#[tokio::test]
async fn a_range_over_unread_pages_is_read_and_marked_whole() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("v #");
    h.type_text("350");
    h.press("enter v");
    assert!(h.screen().contains("no badge on this row"), "a range ends at a badge that one sees");
    h.settled().await;
    h.press("v");
    let screen = h.shows("350 marked").await;
    assert!(screen.contains("Marked 350 rows."), "{screen}");
    h.press("t");
    assert!(!h.screen().contains("350 marked"), "inverted among the loaded rows");
}

#[tokio::test]
async fn a_range_whose_list_moved_marks_nothing() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("j j j v j j");
    let rows = Rows { insert: vec![RowSpec::default(); 5], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("r");
    h.settled().await;
    h.press("v");
    let screen = h.settled().await;
    assert!(screen.contains("The list moved while the range was read"), "{screen}");
    assert!(h.desk.app.marked().is_empty());
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
}

#[tokio::test]
async fn back_returns_to_where_one_came_from() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("j enter");
    h.settled().await;
    h.press("w");
    let screen = h.settled().await;
    assert!(screen.contains("2 requests"), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains("Cert. no."));
    h.press("esc");
    assert!(h.settled().await.contains("row 2 of 600"));
}

#[tokio::test]
async fn someone_who_was_sent_the_badge_a_moment_ago_is_named_even_if_the_service_hides_it() {
    let options = Options {
        switches: vec![
            ("waiting-history".into(), "hidden".into()),
            ("waiting-detail".into(), "hidden".into()),
        ],
        ..small()
    };
    let mut h = Harness::new(options, 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.press("y");
    h.shows("1 waiting").await;
    h.press("esc");
    let screen = to_review(&mut h, "홍길동", "Gildong@naru.example").await;
    assert!(screen.contains("you sent this badge to this address in this session already"), "{screen}");
    h.press("y");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges"), 1, "one key is not enough this time");
}

#[tokio::test]
async fn what_cannot_be_seen_is_not_confirmed() {
    let mut h = Harness::new(small(), 80, 24).await;
    to_review(&mut h, &"긴이름".repeat(200), "gildong@naru.example").await;
    h.desk.app.update(Message::Resize(50, 10));
    h.press("y");
    h.desk.app.update(Message::Resize(60, 16));
    h.desk.terminal.backend_mut().resize(60, 16);
    let screen = h.settled().await;
    assert!(screen.contains("gildong@naru.example") && screen.contains("y to issue"), "{screen}");
    assert_eq!(requests(&h, "POST /badges"), 0);
}

#[tokio::test]
async fn a_request_that_waits_for_its_turn_can_be_given_up() {
    let mut h = Harness::new(small(), 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.sandbox.control().add_fault("any status=429 retry-after=3600 times=1").expect("a rule");
    h.press("y");
    h.shows("c gives it up").await;
    h.shows("▲ waits").await;
    h.press("c");
    let screen = h.shows("1 not done").await;
    assert!(screen.contains("Given up"), "{screen}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

#[tokio::test]
async fn a_wallet_that_failed_is_not_an_empty_one() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /wallet/badges status=500").expect("a rule");
    h.press("3");
    h.type_text("haneul.lim@example.net");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("the wallet could not be read"), "{screen}");
    assert!(!screen.contains("0 badges") && !screen.contains("not in the wallet"), "{screen}");
    h.press("e ctrl-u");
    h.type_text("nobody@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("not everything could be read"), "{screen}");
}

#[tokio::test]
async fn typing_a_filter_asks_once_and_korean_is_found() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.press("2");
    h.settled().await;
    let before = requests(&h, "GET /badges/history");
    h.press("/ tab tab");
    h.type_text("파이썬 데이터");
    let screen = h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history") - before, 1, "a pause in typing asks once");
    assert!(screen.contains("title “파이썬 데이터”"), "{screen}");
    assert!(screen.contains("파이썬 데이터"), "{screen}");
    h.press("tab");
    h.type_text("2026-13-40");
    let screen = h.settled().await;
    assert!(screen.contains("Issued from: 2026-13-40 is not a day"), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history") - before, 1, "what is wrong is not asked");
    h.press("esc esc");
    let screen = h.settled().await;
    assert!(!screen.contains("title “"), "esc takes the filter away: {screen}");
}

#[tokio::test]
async fn an_address_with_a_plus_is_found_exactly() {
    let mut h = Harness::new(small(), 80, 24).await;
    let rows = Rows {
        insert: vec![RowSpec {
            recipient_email: "kim+tag@naru.example".into(),
            recipient_name: "김태그".into(),
            ..RowSpec::default()
        }],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("3");
    h.type_text("kim+tag@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("김태그 · 1 badge in the wallet"), "{screen}");
}

#[tokio::test]
async fn the_wallet_shows_what_it_hides() {
    let options = Options { switches: vec![("wallet-revoked".into(), "hidden".into())], ..frozen() };
    let mut h = Harness::new(options, 120, 36).await;
    h.press("3");
    h.desk.app.update(Message::Paste("<haneul.lim@example.net>\n".into()));
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("임하늘"), "{screen}");
    assert!(screen.contains("not in the wallet"), "{screen}");
    assert!(screen.contains("REVOKED"), "{screen}");
    assert!(screen.contains("2 requests"), "{screen}");
}

#[tokio::test]
async fn a_wrong_address_is_named_and_nothing_is_asked() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    let before = all_requests(&h);
    h.press("3");
    h.type_text("ㅏㅑㅡ@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("Hangul"), "{screen}");
    assert_eq!(all_requests(&h), before);
}

/// Opens the issue form on the first template in use and fills it in, up to the review.
async fn to_review(h: &mut Harness, name: &str, email: &str) -> String {
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text(name);
    h.press("enter");
    h.type_text(email);
    h.press("enter");
    h.settled().await
}

#[tokio::test]
async fn a_badge_is_issued_once_and_followed_until_it_is_issued() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains("y to issue"), "{screen}");
    assert!(screen.contains("gildong@naru.example"), "{screen}");
    assert!(screen.contains("DEMO 연습용 기관"), "{screen}");
    // Neither Enter nor the key that opened the form, nor a paste, confirms.
    h.press("enter i");
    h.desk.app.update(Message::Paste("y".into()));
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    h.press("y");
    let screen = h.shows("accepted, not issued yet").await;
    assert!(screen.contains("1 waiting"), "{screen}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 1);
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    let screen = h.shows("1 issued").await;
    assert!(screen.contains("● Issued"), "{screen}");
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn the_form_checks_as_one_types_and_warns_before_spending_quota() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("/");
    h.type_text("정보화");
    h.settled().await;
    h.press("esc");
    let screen = to_review(&mut h, "홍길동", "gildong@gmial.example").await;
    assert!(screen.contains("not in use"), "{screen}");
    assert!(screen.contains("already be expired"), "{screen}");
    assert!(screen.contains("did you mean gmail.example?"), "{screen}");
    h.press("esc ctrl-u");
    h.type_text("nobody");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("the e-mail address has no @"), "{screen}");
    assert!(!screen.contains("y to issue"), "{screen}");
}

#[tokio::test]
async fn someone_who_has_the_badge_already_is_named_in_the_review() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = h.settled().await;
    let rows = Rows {
        insert: (1..=40)
            .map(|n| RowSpec {
                template_id: format!("TPL-{n:03}"),
                recipient_email: "Holder@naru.example".into(),
                ..RowSpec::default()
            })
            .collect(),
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    assert!(screen.contains("templates"));
    let screen = to_review(&mut h, "한번더", "holder@naru.example").await;
    assert!(screen.contains("this address has 1 badge of this template already"), "{screen}");
}

#[tokio::test]
async fn a_lost_answer_is_a_doubt_that_is_looked_at_and_never_sent_again() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.sandbox.control().add_fault("post /badges commit-drop times=1").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.press("y");
    let screen = h.shows("1 in doubt").await;
    assert!(screen.contains("This badge may exist"), "{screen}");
    assert!(screen.contains("will not send it again"), "{screen}");
    h.press("r");
    let screen = h.shows("1 waiting").await;
    assert!(!screen.contains("in doubt"), "{screen}");
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.accepted_total(), 1);
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn a_doubt_stays_one_while_waiting_badges_are_hidden() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 80, 24).await;
    h.sandbox.control().add_fault("post /badges commit-drop times=1").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.press("y");
    h.shows("1 in doubt").await;
    let before = requests(&h, "GET /badges/history");
    h.press("r");
    h.until("another look", |_| true).await;
    while requests(&h, "GET /badges/history") == before {
        let message = h.desk.next().await;
        h.desk.app.update(message);
    }
    assert!(h.screen().contains("1 in doubt"));
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    h.shows("1 issued").await;
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn a_used_up_quota_is_told_in_the_services_words() {
    let mut h = Harness::new(Options { quota: Some(0), ..small() }, 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.press("y");
    let screen = h.shows("1 not done").await;
    assert!(screen.contains("422"), "{screen}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

/// Inserts one badge of each state for an address and marks them all in the history.
async fn mark_one_of_each(h: &mut Harness) {
    use lapel::sandbox::RowState::{Issued, Revoked, Waiting};
    let row = |state, name: &str| RowSpec {
        state,
        recipient_name: name.into(),
        recipient_email: "mixed@naru.example".into(),
        ..RowSpec::default()
    };
    let rows = Rows {
        insert: vec![
            row(Issued, "가나다"),
            row(Issued, "라마바"),
            row(Waiting, "사아자"),
            row(Revoked, "차카타"),
        ],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ tab");
    h.type_text("mixed@naru.example");
    h.settled().await;
    h.press("esc a");
    let screen = h.settled().await;
    assert!(screen.contains("4 marked (0 not in view)"), "{screen}");
}

#[tokio::test]
async fn a_revocation_says_before_what_is_left_out_and_after_what_was_accepted() {
    let mut h = Harness::new(small(), 100, 30).await;
    mark_one_of_each(&mut h).await;
    h.press("x");
    let screen = h.settled().await;
    assert!(screen.contains("Revoke 2 badges"), "{screen}");
    assert!(screen.contains("left out: cannot be revoked before it is Issued"), "{screen}");
    assert!(screen.contains("left out: revoked already"), "{screen}");
    h.press("enter");
    assert!(h.screen().contains("the reason is empty"));
    h.type_text("중복 발급");
    h.press("enter");
    // The number is typed, exactly; y alone does nothing.
    h.press("y 2 2 y");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges/revoke"), 0);
    h.press("backspace y");
    let screen = h.shows("2 of 2 accepted").await;
    assert!(screen.contains("2 being revoked"), "{screen}");
    assert!(screen.contains("2 left out"), "{screen}");
    h.sandbox.control().advance(std::time::Duration::from_secs(3600));
    h.press("r");
    h.shows("2 revoked").await;
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.revokes.iter().map(|r| r.accepted).sum::<u64>(), 2);
    assert_eq!(
        ledger.revokes.iter().map(|r| r.dropped).sum::<u64>(),
        0,
        "only what could be accepted was sent"
    );
    h.press("esc");
    assert!(h.settled().await.contains("2 marked"), "what was dealt with is not marked any more");
}

#[tokio::test]
async fn a_badge_that_somebody_else_revokes_meanwhile_is_told_apart() {
    let mut h = Harness::new(small(), 100, 30).await;
    mark_one_of_each(&mut h).await;
    // Somebody else revokes one of them between the look and the request.
    let id = h.desk.app.marked();
    let key = h.sandbox.api_key().to_owned();
    let client =
        reqwest::Client::builder().no_proxy().tls_certs_only(std::iter::empty()).build().expect("a client");
    let list: serde_json::Value = client
        .get(format!("{}/badges/history?recipient_name=%EA%B0%80%EB%82%98%EB%8B%A4", h.sandbox.base_url()))
        .header("X-API-Key", &key)
        .send()
        .await
        .expect("answered")
        .bytes()
        .await
        .map(|b| serde_json::from_slice(&b).expect("JSON"))
        .expect("a body");
    let first = list["data"]["list"][0]["badge_id"].as_str().expect("an id").to_owned();
    assert!(id.contains(&first));
    let body = serde_json::json!({"badge_ids": [first], "reason": "elsewhere"}).to_string();
    let answered = client
        .post(format!("{}/badges/revoke", h.sandbox.base_url()))
        .header("X-API-Key", &key)
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await
        .expect("answered");
    assert_eq!(answered.status(), 202);
    h.press("x");
    h.type_text("중복 발급");
    h.press("enter 2 y");
    // It is being revoked, though not by this request: what counts is that nothing is left unsaid.
    let screen = h.shows("the rest by another request").await;
    assert!(screen.contains("1 of 2 accepted"), "{screen}");
    assert!(screen.contains("2 being revoked"), "{screen}");
}

#[tokio::test]
async fn a_dropped_badge_is_found_by_name() {
    let mut h = Harness::new(small(), 100, 30).await;
    // A label that lapel does not know hides that the badge only waits: it is sent, and silently left out.
    let rows = Rows {
        insert: vec![
            RowSpec {
                recipient_name: "가나다".into(),
                recipient_email: "odd@naru.example".into(),
                ..RowSpec::default()
            },
            RowSpec {
                recipient_name: "라마바".into(),
                recipient_email: "odd@naru.example".into(),
                label: Some("심사중".into()),
                ..RowSpec::default()
            },
        ],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ tab");
    h.type_text("odd@naru.example");
    h.settled().await;
    h.press("esc a x");
    let screen = h.settled().await;
    assert!(screen.contains("an unknown word, the service decides"), "{screen}");
    h.type_text("중복 발급");
    h.press("enter 2 y");
    h.shows("1 being revoked").await;
    // One look is not enough: the service may not have acted yet.
    h.sandbox.control().advance(std::time::Duration::from_secs(120));
    h.press("r");
    let screen = h.shows("1 not accepted").await;
    assert!(screen.contains("1 of 2 accepted"), "{screen}");
    assert!(screen.contains("심사중"), "{screen}");
}

#[tokio::test]
async fn a_read_only_profile_cannot_act() {
    let mut h = Harness::with(small(), 120, 36, |mut session| {
        session.connection.read_only = true;
        session
    })
    .await;
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains("read-only"), "{screen}");
    assert!(!screen.contains("revoke"), "{screen}");
    h.press("x");
    assert!(h.screen().contains("neither issue nor revoke"));
    h.press("1 i ? ");
    let screen = h.settled().await;
    assert!(!screen.contains("issue this badge"), "{screen}");
    let posts: u64 = h
        .sandbox
        .control()
        .ledger()
        .requests
        .iter()
        .filter(|(k, _)| k.starts_with("POST"))
        .map(|(_, n)| n)
        .sum();
    assert_eq!(posts, 0);
}

#[tokio::test]
async fn live_always_asks_for_the_number() {
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session.environment = Environment::Live;
        session
    })
    .await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains("LIVE"), "{screen}");
    h.press("y");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges"), 0);
    h.press("1 y");
    h.shows("1 waiting").await;
}

#[tokio::test]
async fn a_service_that_refuses_to_sort_is_sorted_page_by_page() {
    for (value, said) in
        [("refused", "the service refuses to sort by it"), ("ignored", "the service does not sort by it")]
    {
        let options = Options { switches: vec![("sorting".into(), value.into())], ..small() };
        let mut h = Harness::new(options, 120, 36).await;
        h.press("2");
        h.settled().await;
        h.press("s down down enter");
        let screen = h.settled().await;
        assert!(screen.contains(said), "{value}: {screen}");
        assert!(screen.contains("600 badges"), "{screen}");
    }
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("s down down d enter");
    let screen = h.settled().await;
    assert!(screen.contains("by holder") && !screen.contains("each page only"), "{screen}");
}

#[tokio::test]
async fn rows_that_come_in_while_one_scrolls_are_noticed() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("#");
    h.type_text("75");
    h.press("enter");
    h.settled().await;
    let rows = Rows { insert: vec![RowSpec::default(); 30], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("pagedown");
    let screen = h.settled().await;
    assert!(screen.contains("the list changed while it was read (600 → 630)"), "{screen}");
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
    let mut h = Harness::new(small(), 120, 36).await;
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

#[tokio::test]
async fn pasted_text_never_acts_as_keys() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.desk.app.update(Message::Paste("q2ix?".into()));
    let screen = h.settled().await;
    assert!(screen.contains("40 templates"), "{screen}");
    assert!(h.desk.app.take_wish().is_none());
}

#[tokio::test]
async fn the_mouse_selects_scrolls_and_changes_tabs() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    let mouse =
        |kind, column, row| Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    h.desk.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 20, 0));
    let screen = h.settled().await;
    assert!(screen.contains("600 badges"), "{screen}");
    h.desk.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 10, 8));
    assert!(h.screen().contains("row 5 of 600"), "{}", h.screen());
    h.desk.app.update(mouse(MouseEventKind::ScrollDown, 10, 8));
    assert!(h.screen().contains("row 8 of 600"));
}

#[tokio::test]
async fn any_size_can_be_drawn() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    for screen in ["", "?", "esc x", "esc s", "esc /", "esc 1 i", "esc c", "esc 3", "esc 4", "esc A"] {
        h.press(screen);
        h.settled().await;
        for (columns, rows) in
            [(1, 1), (300, 100), (60, 16), (59, 15), (80, 3), (3, 80), (61, 17), (200, 16), (80, 24)]
        {
            h.desk.terminal.backend_mut().resize(columns, rows);
            h.desk.app.update(Message::Resize(columns, rows));
            let shown = h.screen();
            if columns < 60 || rows < 16 {
                assert!(!shown.contains("lapel  Templates"), "{shown}");
            }
        }
    }
}

#[tokio::test]
async fn the_help_shows_every_action_of_its_screen() {
    let mut h = Harness::new(small(), 120, 60).await;
    h.settled().await;
    for tab in ["1", "2", "4"] {
        h.press(tab);
        h.settled().await;
        h.press("esc");
        let stack = h.desk.app.stack();
        if !stack.contains(&lapel::tui::Context::Global) {
            continue;
        }
        h.press("?");
        let screen = h.settled().await;
        for (keys, action) in Keymap::default().help(&stack) {
            assert!(
                screen.contains(action.help()),
                "{action:?} ({keys}) is missing from the help:\n{screen}"
            );
        }
        h.press("esc");
    }
    assert!(Action::ALL.len() > 30);
}

#[tokio::test]
async fn nothing_is_drawn_when_nothing_changed() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.screen();
    let before = h.desk.app.counts;
    // Keys without a meaning, a link that is the same.
    h.desk.app.update(Message::Key(key_event("Z")));
    h.desk.app.update(Message::Link);
    assert!(!h.desk.draw().expect("drawn"), "nothing has changed");
    assert_eq!(h.desk.app.counts.draws, before.draws);
}

#[tokio::test]
async fn an_idle_desk_is_woken_only_when_the_minute_of_its_requests_ends() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.screen();
    let tick = h.desk.app.next_tick().expect("the header's count of the last minute will fall");
    let away = tick.saturating_duration_since(tokio::time::Instant::now());
    assert!(away > std::time::Duration::from_secs(20), "{away:?}");
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_dropped() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("3");
    h.settled().await;
    h.sandbox.control().add_fault("get /wallet/badges delay=1s match=slow times=1").expect("a rule");
    h.type_text("slow@naru.example");
    h.press("enter e ctrl-u");
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("한서윤"), "{screen}");
    assert!(!screen.contains("slow@"), "{screen}");
}

#[tokio::test]
async fn quitting_while_a_request_is_on_its_way_asks_first() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.sandbox.control().add_fault("post /badges delay=30s").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.press("y");
    h.shows("being sent").await;
    h.press("ctrl-c");
    assert!(h.desk.app.take_wish().is_none());
    assert!(h.screen().contains("a request is not answered yet"));
    h.press("ctrl-c");
    assert!(h.desk.app.take_wish().is_some());
}
