//! The mouse: hints that are clicked, rows that are dragged over.

use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use lapel::tui::{FirstConnection, Helpers};
use std::sync::Arc;

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> Message {
    Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

fn click(h: &mut Harness, column: u16, row: u16) {
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), column, row));
    h.tui.app.update(mouse(MouseEventKind::Up(MouseButton::Left), column, row));
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
    assert!(h.screen().contains(&format!("Tab {}", msg("complete"))), "{}", h.screen());
    assert!(click_hint(&mut h, "back"));
    assert!(click_hint(&mut h, "help"));
    assert!(h.screen().contains(msg_part("Keys of this screen")), "{}", h.screen());
    assert!(click_hint(&mut h, "back"));
    // Between two hints there is nothing.
    let before = h.screen();
    click(&mut h, 0, 29);
    assert_eq!(h.screen(), before);
    assert!(click_hint(&mut h, "quit"));
    assert!(h.tui.app.take_loop_command().is_some());
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
    assert!(screen.contains(&asks("1")), "{screen}");
    assert!(!click_hint(&mut h, "next"), "{screen}");
    // Nor anywhere else on the screen.
    for row in 0..30 {
        click(&mut h, 4, row);
    }
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    h.confirm("1");
    h.shows("waiting 1").await;
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
    h.tui.app.update(mouse(down, 10, 5));
    h.tui.app.update(mouse(drag, 10, 6));
    h.tui.app.update(mouse(drag, 30, 8));
    assert!(h.screen().contains(&msg_with("range from row {row}", &[&2])), "{}", h.screen());
    h.tui.app.update(mouse(up, 30, 8));
    let screen = h.settled().await;
    assert_eq!(h.tui.app.marked().len(), 4, "{screen}");
    assert!(screen.contains(msg_part("Marked 4 rows")), "{screen}");
    // A click marks nothing; a key ends a drag.
    click(&mut h, 10, 12);
    h.tui.app.update(mouse(down, 10, 12));
    h.tui.app.update(mouse(drag, 10, 20));
    h.press("j");
    h.tui.app.update(mouse(up, 10, 20));
    h.settled().await;
    assert_eq!(h.tui.app.marked().len(), 4);
    // Beyond the edge the list moves on.
    h.tui.app.update(mouse(down, 10, 25));
    for _ in 0..10 {
        h.tui.app.update(mouse(drag, 10, 29));
    }
    h.settled().await;
    h.tui.app.update(mouse(up, 10, 29));
    h.settled().await;
    assert!(h.tui.app.marked().len() >= 14, "{}", h.screen());
    assert!(!h.screen().contains(msg("Reason")));
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

#[tokio::test]
async fn the_wheel_goes_through_a_menu_choice_by_choice() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    let wheel = |h: &mut Harness| h.tui.app.update(mouse(MouseEventKind::ScrollDown, 10, 10));
    for (open, second) in [("s", "Holder"), ("C", "Holder")] {
        h.press(open);
        wheel(&mut h);
        if open == "s" {
            wheel(&mut h);
        }
        let screen = h.screen();
        let chosen = screen.lines().rfind(|line| line.contains('▌')).expect("a choice");
        assert!(chosen.contains(second), "{open}: {screen}");
        h.press("esc");
    }
    h.press("C");
    click(&mut h, 9, 0);
    h.press("2");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("Columns, from left (top) to")), "a menu is not met again: {screen}");
    h.press("ctrl-p");
    let before = h.screen();
    wheel(&mut h);
    assert_ne!(h.screen(), before);
}

/// The screen's row with these words, below the head of a menu.
fn row_of(screen: &str, head: &str, words: &str) -> u16 {
    let menu = screen.lines().position(|line| line.contains(head)).unwrap_or_else(|| panic!("{screen}"));
    let below = screen.lines().skip(menu + 1).position(|line| line.contains(words));
    let row = below.unwrap_or_else(|| panic!("no {words} below {head}: {screen}")) + menu + 1;
    u16::try_from(row).expect("a row")
}

/// The line that the cursor of a menu is on.
fn cursor(screen: &str) -> &str {
    screen.lines().rfind(|line| line.contains('▌')).unwrap_or_default()
}

/// The words of a line, without its cursor.
fn words(line: &str) -> String {
    line.replace('▌', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Clicks a row of a menu that is not selected yet, and gives what is on the screen then: the row, still where it
/// was.
fn choose(h: &mut Harness, head: &str, what: &str) -> (u16, String) {
    let before = h.screen();
    let row = row_of(&before, head, what);
    let line = |screen: &str| words(screen.lines().nth(row.into()).unwrap_or_default());
    click(h, 8, row);
    let after = h.screen();
    assert!(cursor(&after).contains(what), "{what} is not selected: {after}");
    assert_eq!(line(&after), line(&before), "it has moved: {after}");
    (row, after)
}

#[tokio::test]
async fn a_click_selects_a_row_of_a_heading_s_menu_and_another_one_chooses_it() {
    for (columns, rows) in [(90, 24), (60, 16)] {
        let mut h = Harness::new(small(), columns, rows).await;
        h.press("2");
        h.settled().await;
        h.press("s");
        let (row, screen) = choose(&mut h, "Sort by", "Holder");
        // Beside the rows there is nothing.
        for row in [row_of(&screen, "600 badges", "Sort by"), rows - 2, 1] {
            click(&mut h, 8, row);
            assert_eq!(h.screen(), screen, "row {row}");
        }
        click(&mut h, 8, row);
        let screen = h.settled().await;
        assert!(screen.contains(&ordered_by("holder")) && !screen.contains(msg("Sort by")), "{screen}");
        // Further down than there is room for: the rows stay under the pointer.
        h.press("C k");
        let screen = h.screen();
        assert_eq!(screen.contains(msg_part("more above")), rows == 16, "{screen}");
        let (row, _) = choose(&mut h, "Columns, from left (top) to", "[ ] Issuer");
        click(&mut h, 8, row);
        let switched = h.screen();
        assert!(cursor(&switched).contains("[x] Issuer"), "{switched}");
        click(&mut h, 8, row);
        assert!(cursor(&h.screen()).contains("[ ] Issuer"), "{}", h.screen());
    }
}

#[tokio::test]
async fn the_menus_of_the_other_lists_are_clicked_too() {
    let mut h = Harness::with(small(), 80, 24, |mut session| {
        session.jobs.batch = 1000;
        session
    })
    .await;
    super::activity::issue(&mut h, 0..4).await;
    h.shows("waiting 4 = 4").await;
    let head = "Columns, from left (top) to";
    // More columns than there is room for, and it says so.
    h.press("C");
    let menu = h.screen();
    assert!(menu.contains(msg_part("more below")), "{menu}");
    let (row, _) = choose(&mut h, head, "[x] Progress");
    click(&mut h, 8, row);
    assert!(cursor(&h.screen()).contains("[ ] Progress"), "{}", h.screen());
    h.press("esc enter");
    h.shows(msg_part("row 1 of 4")).await;
    h.press("s");
    let (row, _) = choose(&mut h, "Sort by", "E-mail");
    click(&mut h, 8, row);
    h.shows(msg_part("by e-mail")).await;
    // A holder's badges.
    h.press("3");
    h.paste("safety@moondeck.example");
    h.press("enter");
    h.settled().await;
    h.press("C");
    let (row, _) = choose(&mut h, head, "[x] Remarks");
    click(&mut h, 8, row);
    assert!(cursor(&h.screen()).contains("[ ] Remarks"), "{}", h.screen());
    // The categories, which a second click filters by.
    h.press("esc 1 b");
    h.settled().await;
    let (row, _) = choose(&mut h, "categories", "LANG");
    click(&mut h, 8, row);
    let screen = h.settled().await;
    assert!(screen.contains("category “외국어 / Languages”"), "{screen}");
}

#[tokio::test]
async fn a_click_in_the_palette_runs_an_action_but_never_one_that_sends() {
    let options = Options { quota: Some(1), ..small() };
    let mut h = Harness::with(options, 80, 24, |mut session| {
        (session.jobs.batch, session.jobs.in_flight) = (1, 1);
        session
    })
    .await;
    super::activity::issue(&mut h, 0..3).await;
    h.shows("not sent 2").await;
    h.sandbox.control().set_quota(None);
    let before = requests(&h, "POST /badges/batch") + requests(&h, "POST /badges");
    // What is not in sight at first, in a list that has moved.
    h.press("ctrl-p up");
    let screen = h.screen();
    assert!(screen.contains(msg_part("more above")), "{screen}");
    choose(&mut h, "  Do  ", "rebuild index");
    h.type_text("use up");
    let (row, _) = choose(&mut h, "  Do  ", "use up the quota");
    assert!(
        !h.screen().contains(msg_part("A click sends nothing")),
        "the first click only selects: {}",
        h.screen()
    );
    click(&mut h, 8, row);
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("A click sends nothing")), "{screen}");
    assert_eq!(requests(&h, "POST /badges/batch") + requests(&h, "POST /badges"), before);
    h.press("ctrl-u");
    h.type_text("request log");
    let screen = h.screen();
    let row = row_of(&screen, "  Do  ", "▌");
    click(&mut h, 8, row);
    assert_eq!(h.screen(), screen, "what stood there before is forgotten: one click only selects");
    click(&mut h, 8, row);
    assert!(h.settled().await.contains(msg_part("newest first; names and e-mails masked")), "{}", h.screen());
    h.press("esc ctrl-p");
    h.type_text("resume");
    h.press("enter r");
    h.shows(msg_part("resumes with the rows not sent yet")).await;
}

#[tokio::test]
async fn a_click_in_a_draft_or_in_the_log_of_requests_selects_a_row_and_does_no_more() {
    let mut h = Harness::new(small(), 80, 24).await;
    let review = super::activity::people(&mut h, 0..5).await;
    let before = (all_requests(&h), h.tui.app.counts.asks);
    let row = row_of(&review, "Row", "person3@");
    for _ in 0..3 {
        click(&mut h, 8, row);
        let screen = h.screen();
        assert!(screen.lines().any(|l| l.starts_with('▌') && l.contains("person3@")), "{screen}");
    }
    // The line that confirms is none of its rows.
    let screen = h.screen();
    click(&mut h, 8, row_of(&screen, "Row", msg_part("Nothing is sent until you confirm. ")));
    assert_eq!(h.screen(), screen);
    assert_eq!((all_requests(&h), h.tui.app.counts.asks), before);
    h.press("esc esc esc 2");
    h.settled().await;
    h.press("L");
    let screen = h.settled().await;
    let row = row_of(&screen, "newest first", "/TPL-001");
    for _ in 0..2 {
        click(&mut h, 8, row);
        assert!(cursor(&h.screen()).contains("/TPL-001"), "{}", h.screen());
    }
}

#[tokio::test]
async fn saved_filters_and_what_is_copied_are_clicked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("filters.toml");
    let filters: Vec<_> = (0..20).map(|n| format!("[history.'f{n:02}']\ntitle = 't{n}'\n")).collect();
    std::fs::write(&path, filters.concat()).expect("written");
    let mut h = Harness::new(small(), 60, 16).await;
    h.tui
        .app
        .set_options(lapel::tui::AppOptions { filters: Some(path), ..lapel::tui::AppOptions::default() });
    h.press("2");
    h.settled().await;
    h.press("y");
    let (row, _) = choose(&mut h, "─ Copy ─", "e-mail address");
    click(&mut h, 8, row);
    assert!(!h.screen().contains("  Copy\n"), "{}", h.screen());
    h.press("f G");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("more above")) && cursor(&screen).contains("f19"), "{screen}");
    // While a name is typed there is nothing to choose, and what was asked before is forgotten.
    h.press("f2");
    let naming = h.screen();
    click(&mut h, 8, row_of(&naming, "Saved filters", "f17"));
    assert_eq!(h.screen(), naming);
    h.press("esc X");
    let asking = h.screen();
    assert!(asking.contains(&asks("1")), "{asking}");
    click(&mut h, 8, row_of(&asking, "Saved filters", "f1"));
    assert_eq!(h.screen(), asking, "a click behind the question does nothing");
    h.press("esc");
    let row = row_of(&h.screen(), "Saved filters", "f17");
    click(&mut h, 8, row);
    assert!(cursor(&h.screen()).contains("f17"), "{}", h.screen());
    let (row, _) = choose(&mut h, "Saved filters", "f16");
    click(&mut h, 8, row);
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("title “t16”")), "{screen}");
}

#[tokio::test]
async fn a_suggestion_of_the_filter_is_clicked_and_no_row_behind_it() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    h.press("/");
    let opened = h.settled().await;
    assert!(opened.contains(msg_part("row 1 of")), "{opened}");
    click(&mut h, 8, 2);
    assert_eq!(h.screen(), opened, "the line has its cursor already");
    let (row, _) = choose(&mut h, "/▌", "state:");
    assert!(h.screen().contains(msg_part("row 1 of")), "{}", h.screen());
    click(&mut h, 8, row);
    let line = |screen: &str| screen.lines().nth(2).unwrap_or_default().to_owned();
    assert!(line(&h.screen()).contains("/▌state:"), "{}", h.screen());
    let (row, screen) = choose(&mut h, "/▌", "state:revoked");
    assert!(!line(&screen).contains("revoked"), "the first click only selects: {screen}");
    click(&mut h, 8, row);
    assert!(line(&h.screen()).contains("/▌state:revoked"), "{}", h.screen());
    // The rows of the list are clicked where nothing hides them.
    h.press("ctrl-u");
    h.type_text("x");
    h.press("ctrl-u enter");
    h.settled().await;
    click(&mut h, 8, 6);
    assert!(h.screen().contains(msg_part("row 3 of")), "{}", h.screen());
}

#[tokio::test]
async fn profiles_are_clicked_also_before_there_is_one() {
    let names = (0..9).map(|n| super::profiles::line(&format!("p{n}"), Environment::Demo));
    let lines: Vec<_> = names.collect();
    let opened = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = opened.clone();
    let helpers = Helpers {
        profiles: Arc::new(move || {
            let lines = lines.clone();
            Box::pin(async move { Ok(lines) })
        }),
        open_profile: Arc::new(move |name| {
            noted.lock().expect("notes").push(name);
            Box::pin(async { Err("the keyring is locked".to_owned()) })
        }),
        ..Helpers::default()
    };
    let first = Harness::welcome(60, 16).await;
    let mut h = Harness::of(super::common::tui(FirstConnection::Welcome, helpers, 60, 16), first.sandbox);
    h.press("P");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("more below")), "{screen}");
    h.press("k k k");
    let (row, _) = choose(&mut h, "Profiles", "p7");
    assert!(opened.lock().expect("notes").is_empty());
    click(&mut h, 8, row);
    h.shows("the keyring is locked").await;
    assert_eq!(*opened.lock().expect("notes"), [Some("p7".to_owned())]);
}

#[tokio::test]
async fn the_column_mapping_is_changed_by_clicks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("odd.csv");
    std::fs::write(&file, "who,contact,code\n김민수,kim@naru.example,1\n이영희,lee@naru.example,2\n")
        .expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste(&format!("'{}'", file.display()));
    h.press("enter");
    h.shows(msg("Which columns are the name and the e-mail address?")).await;
    // The first click selects the field, the second one changes it. Nothing else happens.
    let row = row_of(&h.screen(), "Which column", "< contact");
    click(&mut h, 8, row);
    assert!(h.screen().contains("< contact"), "{}", h.screen());
    click(&mut h, 8, row);
    assert!(h.screen().contains("< code"), "{}", h.screen());
    let row = row_of(&h.screen(), "Which column", "< who");
    click(&mut h, 8, row);
    assert!(h.screen().contains("< who"), "{}", h.screen());
    h.press("down left enter");
    let screen = h.shows(msg_part("check every row")).await;
    assert!(screen.contains(msg_part("name = who, e-mail = contact")), "{screen}");
}

#[tokio::test]
async fn what_begins_beside_the_rows_drags_nothing() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    let drag = |h: &mut Harness, from: u16| {
        h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 8, from));
        for row in [from + 1, from + 2] {
            h.tui.app.update(mouse(MouseEventKind::Drag(MouseButton::Left), 8, row));
        }
        h.tui.app.update(mouse(MouseEventKind::Up(MouseButton::Left), 8, from + 2));
    };
    // The headings; the rule below the rows; a menu's own head.
    drag(&mut h, 3);
    drag(&mut h, 21);
    h.press("s");
    let head = row_of(&h.screen(), "600 badges", "Sort by");
    drag(&mut h, head);
    h.press("esc");
    assert!(h.tui.app.marked().is_empty(), "{}", h.screen());
    drag(&mut h, 5);
    assert_eq!(h.tui.app.marked().len(), 3, "{}", h.screen());
}

#[tokio::test]
async fn a_message_is_not_clicked_through() {
    let mut h = Harness::new(small(), 60, 16).await;
    h.press("2");
    h.settled().await;
    let covered = 16 - 2 - 2;
    h.tui.app.update(Message::Odd("many words ".repeat(20)));
    let screen = h.settled().await;
    assert!(screen.lines().nth(covered).expect("a row").contains("many words"), "{screen}");
    click(&mut h, 8, u16::try_from(covered).expect("a row"));
    assert_eq!(h.screen(), screen);
    h.press("backspace");
    h.settled().await;
    click(&mut h, 8, u16::try_from(covered).expect("a row"));
    assert!(!h.screen().contains(msg_part("row 1 of")), "{}", h.screen());
}

#[tokio::test]
async fn the_first_screen_has_a_help_and_comes_back() {
    let mut h = Harness::welcome(80, 24).await;
    let first = h.settled().await;
    for key in ["?", "f1"] {
        h.press(key);
        let help = h.settled().await;
        assert!(
            help.contains(msg_part("Keys of this screen")) && help.contains(msg_part("start the sandbox")),
            "{help}"
        );
        h.press("esc");
        assert_eq!(h.settled().await, first);
    }
}

/// Every cell of a range is highlighted while it is drawn, and none of it before and after.
#[tokio::test]
async fn a_range_is_highlighted_while_it_is_drawn() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    let tinted = |h: &mut Harness| -> Vec<u16> {
        h.screen();
        let buffer = h.tui.surface.buffer();
        let is_tinted = |y: &u16| buffer[(20, *y)].bg != ratatui::style::Color::Reset;
        (3..buffer.area.height - 2).filter(is_tinted).collect()
    };
    assert_eq!(tinted(&mut h).len(), 1, "the selected row");
    h.press("v j j");
    assert_eq!(tinted(&mut h).len(), 3);
    h.press("esc");
    assert_eq!(tinted(&mut h).len(), 1);
}

#[tokio::test]
async fn a_click_chooses_how_one_row_is_resolved() {
    let mut h = super::marked_rows::never_seen().await;
    h.press("d");
    let screen = h.shows(msg("send all again")).await;
    let row = row_of(&screen, "▲ never seen", msg("leave as it is"));
    // The first click selects, the second one chooses.
    click(&mut h, 20, row);
    click(&mut h, 20, row);
    h.type_text("확인함");
    h.press("enter");
    h.shows(&msg_with("Leave row {no} of job {job} as it is", &[&1, &1])).await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}
