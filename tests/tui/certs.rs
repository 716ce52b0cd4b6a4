//! Certificate numbers in the boxes of Wallet and Badge: found by the index, without a request of their own.

use super::*;
use crate::common::texts::{msg_part, msg_with};
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

/// The screen's words, however they are broken into lines.
fn flowing(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A TUI that has read the record of a badge; and the number on it.
async fn with_cert() -> (Harness, String) {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    let spec = RowSpec {
        recipient_name: "문채원".into(),
        recipient_email: "moon@naru.example".into(),
        ..RowSpec::default()
    };
    let ids = h.sandbox.control().rows(&Rows { insert: vec![spec], ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("4");
    h.type_text(&ids[0]);
    h.press("enter");
    let screen = h.settled().await;
    let after = screen.split("Cert. no.").nth(1).expect("a number");
    let cert = after.split_whitespace().next().expect("a number").to_owned();
    (h, cert)
}

#[tokio::test]
async fn a_certificate_number_in_the_wallets_box_finds_its_holder() {
    let (mut h, cert) = with_cert().await;
    let before = all_requests(&h);
    h.press("3");
    h.paste(&format!(" [{}] \n", cert.to_lowercase()));
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("문***") && !screen.contains("문채원"), "{screen}");
    assert_eq!(all_requests(&h) - before, 1, "its record, and no more");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("문채원") && screen.contains(msg_part("in the wallet")), "{screen}");
    assert_eq!(all_requests(&h) - before, 3, "the badge, and what its holder has");
    h.press("/ ctrl-u");
    h.type_text("DMU-1999-000001");
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        flowing(&screen).contains(msg_part("only the index has them, and it is not read yet")),
        "{screen}"
    );
}

#[tokio::test]
async fn a_number_that_the_index_lacks_is_found_in_one_confirmed_step() {
    let (h, cert) = with_cert().await;
    // Another index: it has the rows, and no record of a badge.
    let mut h = h.reopened(with_index, 80, 24).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("3");
    h.paste(&cert);
    h.press("enter");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains(msg_part("reads the records that are missing")), "{screen}");
    let before = all_requests(&h);
    h.press("+");
    let screen = h.settled().await;
    assert!(
        screen.contains(&cert) && flowing(&screen).contains(msg_part("at most 601 requests")),
        "{screen}"
    );
    assert_eq!(all_requests(&h), before, "nothing is read before the confirmation");
    h.confirm("1");
    let screen = h.settled().await;
    assert!(screen.contains("문***") && !screen.contains("문채원"), "{screen}");
    assert_eq!(all_requests(&h) - before, 2, "the newest has the number; then its record is shown");
}

#[tokio::test]
async fn while_the_history_is_read_nothing_says_that_it_is_not_read_yet() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    h.press("3");
    h.paste("DMU-2026-999999");
    h.press("enter");
    let screen = h.settled().await;
    let unread = msg_part("and it is not read yet");
    assert!(flowing(&screen).contains(unread), "{screen}");
    h.press("+");
    h.settled().await;
    h.confirm("1");
    let screen = h.screen();
    assert!(
        flowing(&screen).contains(msg_part("stops it.")) && !flowing(&screen).contains(unread),
        "{screen}"
    );
}

#[tokio::test]
async fn a_number_that_no_record_has_ends_with_the_last_record() {
    let history = Some(40);
    let mut h = Harness::with(Options { history, ..small() }, 80, 24, with_index).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("3");
    h.paste("DMU-2026-999999");
    h.press("enter");
    h.settled().await;
    let before = all_requests(&h);
    h.press("+");
    h.settled().await;
    h.confirm("1");
    let screen = h.settled().await;
    let none = msg_part("No record in the index has the certificate number");
    assert!(flowing(&screen).contains(none), "{screen}");
    assert_eq!(all_requests(&h) - before, 40, "each record once");
}

#[tokio::test]
async fn an_address_in_the_badge_box_is_looked_up_in_the_wallet() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("4");
    h.paste("seoyun.han@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("한서윤") && screen.contains("seoyun.han@naru.example"), "{screen}");
    let asked = h.sandbox.control().ledger().requests;
    assert!(!asked.keys().any(|request| request.contains('@')), "no request for a badge: {asked:?}");
}

#[tokio::test]
async fn a_certificate_number_in_the_badge_box_opens_its_badge() {
    let (mut h, cert) = with_cert().await;
    h.press("/");
    let before = all_requests(&h);
    h.paste(&cert);
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("문채원") && screen.contains(&cert), "{screen}");
    assert_eq!(all_requests(&h) - before, 1);
    h.press("/");
    h.type_text("DMU-1999-000001");
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        flowing(&screen).contains(msg_part("only the index has them, and it is not read yet")),
        "{screen}"
    );
}

/// The palette opens what was typed as the box of the Badge tab does.
#[tokio::test]
async fn a_certificate_number_in_the_palette_opens_its_badge() {
    let (mut h, cert) = with_cert().await;
    for (typed, words) in [
        (cert.as_str(), "문채원"),
        ("DMU-1999-000001", msg_part("only the index has them, and it is not read yet")),
    ] {
        h.press("1 ctrl-p");
        h.paste(typed);
        assert!(h.screen().contains(&msg_with("open badge {id}", &[&typed])), "{}", h.screen());
        h.press("enter");
        let screen = h.settled().await;
        assert!(flowing(&screen).contains(words), "{screen}");
    }
}

/// An id with spaces may be a name: both are searched for.
#[tokio::test]
async fn the_box_says_that_a_text_with_a_number_may_be_an_id() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("3");
    h.type_text("b 000004301 jd");
    assert!(flowing(&h.screen()).contains(msg_part("then for a badge with this id")), "{}", h.screen());
    h.press("ctrl-u");
    h.type_text("Amara");
    assert!(!flowing(&h.screen()).contains(msg_part("then for a badge with this id")), "{}", h.screen());
}

#[tokio::test]
async fn without_an_index_it_is_said_how_to_have_one() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("4");
    h.type_text("DMU-1999-000001");
    h.press("enter");
    let screen = h.settled().await;
    let said = flowing(&screen);
    assert!(
        said.contains(msg_part("there is no index here"))
            && said.contains(msg_part("“turn on index” turns the index on")),
        "{screen}"
    );
    assert_eq!(requests(&h, "GET /badges/{badge_id}"), 1);
}

/// A number that lapel cannot search for is not called unknown, and no index in memory stands in its place.
#[tokio::test]
async fn an_index_that_cannot_be_read_is_said_in_both_boxes() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("index"), "no folder").expect("written");
    let data = folder.path().to_owned();
    let unreadable = |session| {
        let mut session = with_index(session);
        session.index = session.index.map(|index| IndexUse { folder: Some(data), ..index });
        session
    };
    let mut h = Harness::with(small(), 80, 24, unreadable).await;
    for tab in ["3", "4"] {
        h.press(tab);
        h.type_text("DMU-1999-000001");
        h.press("enter");
        let screen = h.settled().await;
        let said = flowing(&screen);
        assert!(said.contains(msg_part("only the index has them, and lapel cannot read it")), "{screen}");
        assert!(!said.contains(msg_part("turns an index on")), "{screen}");
        h.press("esc");
    }
}
