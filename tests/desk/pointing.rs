//! The mouse: hints that are clicked, rows that are dragged over.

use super::*;

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> Message {
    Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

fn click(h: &mut Harness, column: u16, row: u16) {
    h.desk.app.update(mouse(MouseEventKind::Down(MouseButton::Left), column, row));
    h.desk.app.update(mouse(MouseEventKind::Up(MouseButton::Left), column, row));
}

/// Clicks a hint of the footer by its words; whether it is there.
fn click_hint(h: &mut Harness, words: &str) -> bool {
    let screen = h.screen();
    let footer = screen.lines().last().unwrap_or_default();
    let Some(at) = footer.find(words) else { return false };
    let column = unicode_width::UnicodeWidthStr::width(&footer[..at]);
    let row = u16::try_from(screen.lines().count() - 1).expect("a row");
    click(h, u16::try_from(column).expect("a column"), row);
    true
}

#[tokio::test]
async fn a_click_on_a_hint_does_what_it_says() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.settled().await;
    assert!(click_hint(&mut h, "filter"));
    assert!(h.screen().contains("ctrl-x clear all"), "{}", h.screen());
    assert!(click_hint(&mut h, "back"));
    assert!(click_hint(&mut h, "help"));
    assert!(h.screen().contains("Keys of this screen"), "{}", h.screen());
    assert!(click_hint(&mut h, "back"));
    // Between two hints there is nothing.
    let before = h.screen();
    click(&mut h, 0, 29);
    assert_eq!(h.screen(), before);
    assert!(click_hint(&mut h, "quit"));
    assert!(h.desk.app.take_wish().is_some());
}

#[tokio::test]
async fn nothing_is_sent_by_a_click() {
    let mut h = Harness::new(small(), 160, 30).await;
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("y to issue"), "{screen}");
    assert!(click_hint(&mut h, "send it"), "{screen}");
    // Nor anywhere else on the screen.
    for row in 0..30 {
        click(&mut h, 4, row);
    }
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    h.press("y");
    h.shows("1 waiting").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 1, "the key does it");
}

#[tokio::test]
async fn dragging_over_rows_marks_them_and_does_nothing_else() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    let (down, up) = (MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left));
    let drag = MouseEventKind::Drag(MouseButton::Left);
    // The rows begin below the header, its rule, the list's head and the columns' names.
    h.desk.app.update(mouse(down, 10, 5));
    h.desk.app.update(mouse(drag, 10, 6));
    h.desk.app.update(mouse(drag, 30, 8));
    assert!(h.screen().contains("range from row 2"), "{}", h.screen());
    h.desk.app.update(mouse(up, 30, 8));
    let screen = h.settled().await;
    assert_eq!(h.desk.app.marked().len(), 4, "{screen}");
    assert!(screen.contains("Marked 4 rows"), "{screen}");
    // A click marks nothing; a key lets go of what is being dragged.
    click(&mut h, 10, 12);
    h.desk.app.update(mouse(down, 10, 12));
    h.desk.app.update(mouse(drag, 10, 20));
    h.press("j");
    h.desk.app.update(mouse(up, 10, 20));
    h.settled().await;
    assert_eq!(h.desk.app.marked().len(), 4);
    // Beyond the edge the list moves on.
    h.desk.app.update(mouse(down, 10, 25));
    for _ in 0..10 {
        h.desk.app.update(mouse(drag, 10, 29));
    }
    h.settled().await;
    h.desk.app.update(mouse(up, 10, 29));
    h.settled().await;
    assert!(h.desk.app.marked().len() >= 14, "{}", h.screen());
    assert!(!h.screen().contains("Reason"));
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

#[tokio::test]
async fn the_wheel_goes_through_a_menu_choice_by_choice() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    let wheel = |h: &mut Harness| h.desk.app.update(mouse(MouseEventKind::ScrollDown, 10, 10));
    for (open, second) in [("s", "Holder"), ("C", "Holder")] {
        h.press(open);
        wheel(&mut h);
        if open == "s" {
            wheel(&mut h);
        }
        let screen = h.screen();
        let chosen = screen.lines().find(|line| line.contains('▌')).expect("a choice");
        assert!(chosen.contains(second), "{open}: {screen}");
        h.press("esc");
    }
    h.press("C");
    click(&mut h, 9, 0);
    h.press("2");
    let screen = h.settled().await;
    assert!(!screen.contains("Columns, the upper"), "a menu is not met again: {screen}");
    h.press("ctrl-p");
    let before = h.screen();
    wheel(&mut h);
    assert_ne!(h.screen(), before);
}
