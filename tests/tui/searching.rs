//! `/` in lists and texts that are not filtered by the service, and the way through the matches.

use super::*;
use crate::common::texts::msg;
use lapel::tui::Action;
use ratatui::style::Modifier;

/// The line with the match that the user is at.
fn marked_line(h: &mut Harness) -> String {
    h.screen();
    let buffer = h.tui.surface.buffer();
    let lit = |y: &u16| {
        let cell = &buffer[(4, *y)];
        cell.modifier.contains(Modifier::REVERSED) || cell.bg != ratatui::style::Color::Reset
    };
    let line = (3..buffer.area.height - 2).find(lit).expect("a marked line");
    (0..buffer.area.width).map(|x| buffer[(x, line)].symbol()).collect()
}

#[tokio::test]
async fn the_help_shows_what_is_searched_for() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("? /");
    h.type_text("refresh");
    let screen = h.screen();
    assert!(
        screen.contains(Action::Reload.help()) && !screen.contains(msg("mark all loaded rows")),
        "{screen}"
    );
    // Esc closes the box, ends the search, and closes the help.
    h.press("esc");
    assert!(!h.screen().contains(msg("mark all loaded rows")), "{}", h.screen());
    h.press("esc");
    assert!(h.screen().contains(msg("Keys of this screen")), "{}", h.screen());
    assert!(h.tui.app.modal().is_some());
    h.press("esc");
    assert_eq!(h.tui.app.modal(), None);
    h.press("? /");
    h.type_text("mark");
    h.press("enter");
    let first = marked_in_popup(&mut h);
    h.press("n");
    assert_ne!(marked_in_popup(&mut h), first, "{}", h.screen());
    h.press("N");
    assert_eq!(marked_in_popup(&mut h), first);
    assert!(!first.is_empty(), "{}", h.screen());
}

#[tokio::test]
async fn matches_in_json_are_visited() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("J");
    h.settled().await;
    h.press("/");
    h.type_text("email");
    h.press("enter");
    let first = marked_line(&mut h);
    assert!(first.contains("email"), "{}", h.screen());
    h.press("n");
    let second = marked_line(&mut h);
    assert!(second.contains("email") && second != first, "{}", h.screen());
    h.press("N");
    assert_eq!(marked_line(&mut h), first);
    h.press("/ ctrl-u");
    h.type_text("no such text");
    assert!(h.screen().contains(msg("not found")), "{}", h.screen());
    h.press("esc esc");
    assert!(h.screen().contains("\"code\""), "{}", h.screen());
}

#[tokio::test]
async fn the_request_log_is_narrowed() {
    let mut h = Harness::new(small(), 120, 36).await;
    for key in ["1", "2", "r"] {
        h.press(key);
        h.settled().await;
    }
    h.press("L /");
    h.type_text("history");
    h.press("enter");
    let screen = h.screen();
    assert!(screen.contains("/badges/history") && !screen.contains("/badge-templates"), "{screen}");
    for (key, row) in [("n", "row 2 of"), ("N", "row 1 of")] {
        h.press(key);
        assert!(h.screen().contains(row), "{key}: {}", h.screen());
    }
    h.press("esc");
    assert!(h.screen().contains("/badge-templates"), "{}", h.screen());
    assert!(h.tui.app.modal().is_some());
}

#[tokio::test]
async fn a_menu_goes_to_what_is_searched_for_and_hides_nothing() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    for (menu, wanted, other) in [("s", msg("Holder"), msg("Mail")), ("C", msg("Template id"), msg("Holder"))]
    {
        h.press(&format!("{menu} /"));
        h.type_text(wanted);
        let line = marked_in_popup(&mut h);
        assert!(line.contains(wanted), "{line}: {}", h.screen());
        assert!(h.screen().contains(other), "{}", h.screen());
        // A letter of the search is no command, and Enter only closes its box.
        h.press("enter n N");
        assert!(h.screen().contains(&format!("/{wanted}")), "{}", h.screen());
        // Esc ends the search first, and then the menu.
        h.press("esc");
        assert!(!h.screen().contains(&format!("/{wanted}")), "{}", h.screen());
        h.press("esc");
    }
    h.press("1 b");
    h.settled().await;
    h.press("/");
    h.type_text("C03");
    let line = marked_in_popup(&mut h);
    assert!(line.contains("C03"), "{line}: {}", h.screen());
    h.press("esc esc esc");
    assert!(!h.screen().contains(msg("Categories and badge types")), "{}", h.screen());
}

/// The row with the cursor of the open popup.
fn marked_in_popup(h: &mut Harness) -> String {
    let cursor = lapel::tui::Glyphs::UNICODE.cursor;
    let screen = h.screen();
    let is_row = |line: &&str| line.contains(cursor) && line.contains('│');
    screen.lines().rfind(is_row).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_badges_behind_a_count_are_narrowed_and_only_those_are_acted_on() {
    let mut h = overview::opened(small(), 100, 30).await;
    h.press("enter");
    let all = h.settled().await;
    h.press("/");
    h.type_text("naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert_ne!(all, screen);
    let rows = |screen: &str| screen.lines().filter(|line| line.contains('@')).count();
    assert!(rows(&screen) > 0, "{screen}");
    assert!(screen.lines().filter(|line| line.contains('@')).all(|line| line.contains("@n")), "{screen}");
    assert!(screen.contains("/ naru.example"), "{screen}");
    h.press("e");
    let screen = h.settled().await;
    assert!(screen.contains("· naru.example"), "the file has what is listed: {screen}");
    h.press("esc esc");
    assert!(!h.settled().await.contains("/ naru.example"), "{}", h.screen());
}
