//! Where there is little room: nothing that matters is cut without a sign.

use super::*;
use lapel::sandbox::RowState;
use lapel::tui::Session;

fn resize(h: &mut Harness, columns: u16, rows: u16) {
    h.desk.terminal.backend_mut().resize(columns, rows);
    h.desk.app.update(Message::Resize(columns, rows));
}

/// The words of a screen, as if it had one line only.
fn flat(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn forms_say_all_that_they_say_at_60x16() {
    const PLACE: &str = "DEMO 연습용 기관 · Practice Organisation";
    let named = |session| Session { organisation: Some(PLACE.replacen("DEMO ", "", 1)), ..session };
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
    h.press("/ tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc a x");
    let screen = h.settled().await;
    let said = flat(&screen);
    assert!(screen.lines().any(|line| line.trim() == PLACE), "on a line of its own: {screen}");
    assert!(said.contains("left out: cannot be revoked before it is Issued"), "{screen}");
    assert!(said.contains("[ ] those that wait: revoke them when they become Issued"), "{screen}");
    assert!(said.contains("None of these can be revoked now."), "{screen}");
    h.press("esc 5 F");
    let screen = h.settled().await;
    assert!(screen.lines().any(|line| line.trim() == PLACE), "{screen}");
    h.press("esc 2");
    h.settled().await;
    h.press("e");
    let screen = h.settled().await;
    assert!(screen.contains(PLACE) && screen.contains("Excel"), "{screen}");
    let said = flat(&screen);
    assert!(said.contains("that lapel was started in.") || said.contains("need a larger window"), "{screen}");
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
    assert!(flat(&screen).contains("1 person · 1 request · the holder is mailed"), "{screen}");
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
    assert!(head.contains(" badge") && head.trim_end().ends_with("requests"), "{head:?}");
    resize(&mut h, 80, 24);
    h.press("1 c");
    let screen = h.settled().await;
    assert!(screen.contains("… 1 ") && !screen.contains("…1 "), "a gap before the levels: {screen}");
    assert!(screen.contains("Type code: COMPLETE  Type: ") && !screen.contains("badge_type"), "{screen}");
}
