//! Looking somebody or something up.

use super::narrow::flat;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::domain::email::sentence;

#[tokio::test]
async fn back_returns_to_where_one_came_from() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("j enter");
    h.settled().await;
    h.press("w");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("2 requests")), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg("Cert. no.")));
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("row 2 of 600")));
}

/// The lines between the header and the footer.
fn body(screen: &str) -> Vec<&str> {
    let lines: Vec<&str> = screen.lines().collect();
    lines[2..lines.len() - 2].to_vec()
}

#[tokio::test]
async fn back_shows_again_the_badge_that_another_one_has_replaced() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |template: &str| RowSpec {
        template_id: template.into(),
        recipient_email: "two.badges@naru.example".into(),
        recipient_name: "김둘".into(),
        ..RowSpec::default()
    };
    let insert = vec![row("TPL-004"), row("TPL-005")];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("3");
    h.type_text("two.badges@naru.example");
    h.press("enter");
    h.settled().await;
    h.press("enter");
    let first = h.settled().await;
    h.press("w");
    h.settled().await;
    h.press("j enter");
    let second = h.settled().await;
    assert_ne!(body(&first), body(&second), "another badge:\n{second}");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("2 badges")), "{}", h.screen());
    let before = requests(&h, "GET /badges/{id}");
    h.press("esc");
    let screen = h.settled().await;
    assert_eq!(body(&screen), body(&first), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("2 badges")), "{}", h.screen());
    h.press("esc");
    h.press("esc");
    assert!(requests(&h, "GET /badges/{id}") <= before + 1, "the wallet still shows the same holder");
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
    assert!(screen.contains(msg_part("the wallet could not be read")), "{screen}");
    assert!(screen.contains(msg_part("(the wallet was not read)")), "{screen}");
    assert!(!screen.contains(msg_part("0 badges")) && !screen.contains(msg("not in the wallet")), "{screen}");
    h.press("/ ctrl-u");
    h.type_text("nobody@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("not everything could be read")), "{screen}");
}

/// Not read is not empty: what was read stays, with its time and the error, but never for another person.
#[tokio::test]
async fn a_wallet_that_cannot_be_read_again_stays() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    h.settled().await;
    let look_up = |h: &mut Harness, address: &str| {
        h.press("3");
        h.paste(address);
        h.press("enter");
    };
    let shows_both = |screen: &str| screen.contains("● VALID") && screen.contains("✕ REVOKED");
    look_up(&mut h, "haneul.lim@example.net");
    let screen = h.settled().await;
    assert!(screen.contains("임하늘") && shows_both(&screen), "{screen}");

    for (fault, words) in [
        ("get /wallet/badges status=500", msg_part("the wallet could not be read")),
        ("get /badges/history status=500", msg_part("the wallet and the history could not be read")),
    ] {
        h.sandbox.control().add_fault(fault).expect("a rule");
        for _ in 0..2 {
            h.press("r");
            let screen = h.settled().await;
            assert!(screen.contains("임하늘") && shows_both(&screen), "{screen}");
            assert!(screen.contains(msg_part("as of")) && flat(&screen).contains(words), "{screen}");
        }
        // The file says so, too. All badges were read then.
        h.press("e");
        let screen = flat(&h.settled().await.replace('│', " "));
        assert!(screen.contains(msg_part("The refresh failed. The file has the badges as of")), "{screen}");
        assert!(!screen.contains(msg_part("There may be more badges.")), "{screen}");
        h.press("esc");
    }
    look_up(&mut h, "seoyun.han@naru.example");
    let screen = h.settled().await;
    assert!(!screen.contains("임하늘") && !screen.contains("지역사회 봉사"), "another person: {screen}");
    assert!(
        screen.contains(msg_part("could not be read")) && !screen.contains(msg_part("as of")),
        "{screen}"
    );

    h.sandbox.control().clear_faults();
    look_up(&mut h, "haneul.lim@example.net");
    let screen = h.settled().await;
    assert!(shows_both(&screen) && !screen.contains(msg_part("as of")), "{screen}");
}

#[tokio::test]
async fn the_advice_about_a_wallet_that_was_read_whole_says_of_when_it_is() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    let copy = |minutes_ago| RowSpec {
        recipient_name: "나두벌".into(),
        recipient_email: "twice@naru.example".into(),
        minutes_ago,
        ..RowSpec::default()
    };
    let rows = Rows { insert: vec![copy(60), copy(90)], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.settled().await;
    h.press("3");
    h.paste("twice@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(flat(&screen).contains(msg_part("They have 2 valid copies")), "{screen}");
    h.sandbox.control().add_fault("any status=500").expect("a rule");
    h.press("r");
    let screen = h.settled().await;
    assert!(flat(&screen).contains(msg_part("they had 2 valid copies")), "{screen}");
    assert!(!flat(&screen).contains(msg_part("not all badges were read")), "{screen}");
    assert!(!screen.contains(msg_part("not all was read")), "{screen}");
}

#[tokio::test]
async fn a_list_of_people_and_a_record_that_cannot_be_read_again_stay() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    h.settled().await;
    h.press("3");
    h.paste("김민준");
    h.press("enter");
    let screen = h.settled().await;
    assert_eq!(screen.matches("m***@").count(), 2, "{screen}");
    h.sandbox.control().add_fault("any status=500").expect("a rule");
    for _ in 0..2 {
        h.press("r");
        let screen = h.settled().await;
        assert_eq!(screen.matches("m***@").count(), 2, "{screen}");
        assert!(screen.contains(msg_part("as of")), "{screen}");
        assert!(flat(&screen).contains(msg_part("could not be searched for this name")), "{screen}");
    }
    h.sandbox.control().clear_faults();
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.matches("m***@").count() == 2 && !screen.contains(msg_part("as of")), "{screen}");

    let row = RowSpec { recipient_name: "김하나".into(), ..RowSpec::default() };
    let rows = Rows { insert: vec![row], ..Rows::default() };
    let id = h.sandbox.control().rows(&rows).expect("inserted").remove(0);
    h.press("3");
    h.paste(&id);
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg("The record of one badge")), "{screen}");
    h.sandbox.control().add_fault("any status=500").expect("a rule");
    for _ in 0..2 {
        h.press("r");
        let screen = h.settled().await;
        assert!(screen.contains(msg("The record of one badge")) && screen.contains(&id), "{screen}");
        assert!(screen.contains(msg_part("as of")), "{screen}");
        assert!(flat(&screen).contains(msg_part("could not be read")), "{screen}");
    }
}

#[tokio::test]
async fn what_a_screen_has_read_stays_if_it_cannot_be_read_again() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    let refused = "any status=500";
    // A template beside its list, the lists over it, a badge, and the JSON of it.
    for (tab, open, kept) in [
        ("1", "", "TPL-001"),
        ("1", "b", msg_part("9 categories")),
        ("2", "enter", msg("Cert. no.")),
        ("2", "enter J", "\"badge_id\""),
    ] {
        h.press(tab);
        h.settled().await;
        for key in open.split_whitespace() {
            h.press(key);
            h.settled().await;
        }
        let before = h.screen();
        assert!(before.contains(kept) && !before.contains(msg_part("as of")), "{tab} {open}: {before}");
        h.sandbox.control().add_fault(refused).expect("a rule");
        h.press("r");
        let screen = h.settled().await;
        assert!(screen.contains(kept), "{tab} {open}: {screen}");
        assert!(screen.contains(msg_part("as of")), "{tab} {open}: {screen}");
        h.sandbox.control().clear_faults();
        h.press("r");
        let screen = h.settled().await;
        assert!(screen.contains(kept) && !screen.contains(msg_part("as of")), "{tab} {open}: {screen}");
        h.press("esc esc");
        h.settled().await;
    }
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
    assert!(screen.contains(&msg_with("{badges} in the wallet", &[&"김태그 · 1 badge"])), "{screen}");
}

#[tokio::test]
async fn the_wallet_shows_what_it_hides() {
    let options = Options { switches: vec![("wallet-revoked".into(), "hidden".into())], ..frozen() };
    let mut h = Harness::new(options, 120, 36).await;
    h.press("3");
    h.tui.app.update(Message::Paste("<haneul.lim@example.net>\n".into()));
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("임하늘"), "{screen}");
    assert!(screen.contains(msg("not in the wallet")), "{screen}");
    assert!(screen.contains("REVOKED"), "{screen}");
    assert!(screen.contains(msg_part("2 requests")), "{screen}");
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

#[tokio::test]
async fn an_answer_that_comes_too_late_is_dropped() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("3");
    h.settled().await;
    h.sandbox.control().add_fault("get /wallet/badges hold match=slow").expect("a rule");
    h.type_text("slow@naru.example");
    h.press("enter / ctrl-u");
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    h.sandbox.control().clear_faults();
    let screen = h.settled().await;
    assert!(screen.contains("한서윤"), "{screen}");
    assert!(!screen.contains("slow@"), "{screen}");
}

#[tokio::test]
async fn how_long_a_badge_waits_goes_on_while_one_looks() {
    let options = Options { speed: 60.0, ..small() };
    let mut h = Harness::with(options, 100, 30, |mut session| {
        session.connection.clock_speed = 60.0;
        session
    })
    .await;
    let row = RowSpec {
        recipient_email: "waits@naru.example".into(),
        state: lapel::sandbox::RowState::Overdue,
        minutes_ago: 40,
        ..RowSpec::default()
    };
    h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.type_text("waits@naru.example");
    h.press("enter");
    let screen = h.shows("WAITING").await;
    let waits = |screen: &str| {
        let words = screen.split("WAITING ").nth(1).unwrap_or_default();
        words.split(' ').next().unwrap_or_default().to_owned()
    };
    let first = waits(&screen);
    h.until("another minute", |screen| waits(screen) != first).await;
}

#[tokio::test]
async fn a_name_in_the_box_for_a_badge_id_is_offered_as_a_name_and_the_log_masks_it() {
    let mut h = Harness::new(small(), 120, 36).await;
    let row = RowSpec {
        recipient_name: "Vesmirek".into(),
        recipient_email: "one.word@naru.example".into(),
        ..RowSpec::default()
    };
    h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.settled().await;
    let before = all_requests(&h);
    h.press("4");
    h.type_text("010-1234-5678");
    h.press("enter");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("looks up its holders")), "no name: {screen}");
    let number = sentence(msg_part("this is a telephone number"));
    assert!(screen.contains(number.trim_end_matches('.')), "{screen}");
    assert_eq!(all_requests(&h), before, "no badge has it as its id");
    h.press("ctrl-u");
    h.type_text("Vesmirek");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("looks up its holders")), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("one.word@naru.example"), "{screen}");
    h.press("L");
    let screen = h.settled().await;
    assert!(screen.contains("/badges/‹…›"), "{screen}");
    assert!(!screen.contains("Vesmirek") && !screen.contains("1234-5678"), "{screen}");
}

#[tokio::test]
async fn a_telephone_number_in_the_wallet_sends_no_request() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("3");
    h.settled().await;
    let before = all_requests(&h);
    h.type_text("010-1234-5678");
    let number = msg_part("this is a telephone number");
    assert!(h.screen().contains(number), "it is told while it is typed: {}", h.screen());
    h.press("enter");
    let screen = h.settled().await;
    let number = sentence(number);
    let number = number.trim_end_matches('.');
    assert!(screen.contains(number) && !screen.contains(msg_part("No badge has the id")), "{screen}");
    assert_eq!(all_requests(&h), before);
}
