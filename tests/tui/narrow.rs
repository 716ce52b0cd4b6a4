//! Where there is little room: nothing that matters is cut without a sign.

use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::sandbox::RowState;
use lapel::tui::ProfileSession;

fn resize(h: &mut Harness, columns: u16, rows: u16) {
    h.tui.surface.resize(columns, rows);
    h.tui.app.update(Message::Resize(columns, rows));
}

/// The words of a screen, as if it had one line only.
pub fn flat(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn forms_say_all_that_they_say_at_60x16() {
    const PLACE: &str = "DEMO 연습용 기관 · Practice Organisation";
    let named = |session| ProfileSession { organisation: Some(PLACE.replacen("DEMO ", "", 1)), ..session };
    let mut h = Harness::with(small(), 60, 16, named).await;
    let row = |name: &str, state| RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        ..RowSpec::default()
    };
    let insert = vec![row("한서윤", RowState::Waiting), row("윤태오", RowState::Revoked)];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc a x");
    let screen = h.settled().await;
    let said = flat(&screen.replace('│', " "));
    assert!(
        screen.lines().any(|line| line.trim_matches([' ', '│']) == PLACE),
        "on a line of its own: {screen}"
    );
    assert!(said.contains(msg("skipped: cannot be revoked before it is Issued")), "{screen}");
    assert!(said.contains(&format!("[ ] {}", msg_part("waiting badges: revoke when issued"))), "{screen}");
    assert!(said.contains(msg_part("No badge here can be revoked now.")), "{screen}");
    h.press("esc 5 F");
    let screen = h.settled().await;
    assert!(screen.lines().any(|line| line.trim() == PLACE), "{screen}");
    h.press("esc 2");
    h.settled().await;
    h.press("e");
    let screen = h.settled().await;
    assert!(screen.contains(PLACE) && screen.contains("Excel"), "{screen}");
    let said = flat(&screen);
    assert!(
        said.contains(msg_part("where lapel was started.")) || said.contains(msg_part("enlarge the window")),
        "{screen}"
    );
    resize(&mut h, 80, 24);
    h.press("esc 1");
    h.settled().await;
    h.press("home i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(flat(&screen).contains(msg_part("1 recipient (gets a mail) · 1 request")), "{screen}");
}

#[tokio::test]
async fn lists_keep_names_and_gaps() {
    let mut h = Harness::new(small(), 60, 16).await;
    h.press("3");
    h.paste("seoyun.han@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    let head = screen.lines().nth(4).expect("the line under the rule");
    assert!(head.trim_start().starts_with("한서윤 · "), "{head:?} of {screen}");
    assert!(head.contains(msg_part(" badge")) && head.trim_end().ends_with(msg("requests")), "{head:?}");
    resize(&mut h, 80, 24);
    h.press("1 b");
    let screen = h.settled().await;
    assert!(screen.contains("… 1 ") && !screen.contains("…1 "), "a gap before the levels: {screen}");
    assert!(
        screen.matches(msg("Type code")).count() == 1
            && screen.contains("COMPLETE")
            && !screen.contains("badge_type"),
        "{screen}"
    );
}

/// The session of a profile that nobody may send with, on a service that must be told from others.
fn staging(session: ProfileSession) -> ProfileSession {
    let mut session = ProfileSession {
        environment: lapel::config::Environment::Staging,
        organisation: Some("나루대학교 디지털배지센터".to_owned()),
        ..session
    };
    session.connection.read_only = true;
    session
}

#[tokio::test]
async fn in_trouble_the_header_says_what_matters_at_any_width() {
    for columns in [60, 62, 66, 70, 75, 79, 80] {
        let mut h = Harness::with(held(), columns, 16, staging).await;
        h.settled().await;
        h.sandbox.control().add_fault("any status=429 retry-after=30 times=1").expect("a rule");
        h.press("2");
        let screen = h.shows(msg_part("▲ wait ")).await;
        let head = screen.lines().next().unwrap_or_default();
        assert!(
            head.contains(msg_part("STAGING  read-only")) && head.contains(msg_part("▲ wait ")),
            "{columns}: {screen}"
        );
        assert!(head.contains(msg("History")), "the open tab: {screen}");
        // The others are where their numbers or names are.
        let at = screen.lines().next().and_then(|l| l.find(['3', 'W'])).expect("the wallet");
        let click = crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column: u16::try_from(at).expect("small"),
            row: 0,
            modifiers: crossterm::event::KeyModifiers::NONE,
        };
        h.tui.app.update(Message::Mouse(click));
        assert!(h.screen().contains(msg("Holder")), "{columns}: {}", h.screen());
    }
}

#[tokio::test]
async fn what_is_said_of_a_list_is_said_whole() {
    let mut h = Harness::new(small(), 60, 20).await;
    h.press("2");
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    h.press("G");
    let screen = h.until("why", |s| flat(s).contains(msg_part("Try again later."))).await;
    assert!(
        flat(&screen).contains("▲ Service error") && screen.contains(msg_part("row 600 of 600")),
        "{screen}"
    );
    let selected = screen.lines().filter(|line| line.starts_with('▌')).count();
    assert_eq!(selected, 1, "the selected row is in sight: {screen}");
    h.press("3");
    h.paste("nobody.of.this.name@department.naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(flat(&screen).contains("department.naru.example"), "{screen}");
    assert!(flat(&screen).contains(msg_part("No badge found for")), "{screen}");
    assert!(flat(&screen).contains(msg_part("but not everything could be read.")), "{screen}");
}

/// What was pasted by mistake is long; what is wrong with it is short, and in sight.
#[tokio::test]
async fn an_error_about_a_long_paste_is_in_sight() {
    let long = "가나다x".repeat(1_500);
    let mut h = Harness::new(small(), 60, 20).await;
    h.settled().await;
    h.press("3");
    h.paste(&long);
    h.press("enter");
    let screen = h.settled().await;
    assert!(flat(&screen).contains(msg_part("No badge has the name")), "{screen}");
    h.press("esc 3");
    h.paste(&format!("{}@naru.example", "x".repeat(1_500)));
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("Holder")) && screen.lines().filter(|l| l.contains("xxxxx")).count() < 6,
        "{screen}"
    );
    h.press("esc 4");
    // Without a number it would be looked up as a name.
    h.paste(&format!("1{long}"));
    h.press("enter");
    let screen = h.settled().await;
    assert!(flat(&screen).contains(msg_part("could not be read")), "{screen}");
    h.press("esc esc 2");
    h.settled().await;
    h.press("F");
    h.paste(&format!("/tmp/{long}"));
    h.press("enter");
    h.type_text("no reason");
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        flat(&screen).contains(msg_part("too long")) || flat(&screen).contains(msg_part("Check the path")),
        "{screen}"
    );
}
