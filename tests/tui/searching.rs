//! `/` in lists and texts that are not filtered by the service, and the way through the matches.

use super::*;
use crate::common::texts::msg;
use lapel::tui::Action;
use ratatui::style::Modifier;

/// The line with the match that the user is at.
fn marked_line(h: &mut Harness) -> String {
    h.screen();
    let buffer = h.tui.terminal.backend().buffer();
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
    for tab in ["1", "2"] {
        h.press(tab);
        h.settled().await;
    }
    h.press("L /");
    h.type_text("history");
    h.press("enter");
    let screen = h.screen();
    assert!(screen.contains("/badges/history") && !screen.contains("/badge-templates"), "{screen}");
    h.press("esc");
    assert!(h.screen().contains("/badge-templates"), "{}", h.screen());
    assert!(h.tui.app.modal().is_some());
}
