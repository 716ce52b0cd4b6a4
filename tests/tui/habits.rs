//! Keys and clicks that people bring from other programs: they work, or the screen says what does.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::tui::{Action, KeyContext};

#[tokio::test]
async fn a_key_that_does_nothing_says_what_is_near() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.settled().await;
    let near = |name: &str, near: &str, action: Action| {
        msg_with("{name} does nothing here. {near}: {help}", &[&name, &near, &action.help()])
    };
    let elsewhere = |name: &str, place: &str, action: Action| {
        let key = "{name} does nothing here. Elsewhere: {help} ({places})";
        msg_with(key, &[&name, &action.help(), &place])
    };
    let unknown = |name: &str| msg_with("{name} does nothing here. {keys} shows the keys.", &[&name, &"?"]);
    for (keys, said) in [
        ("2 V", near("V", "v", Action::Range)),
        ("ctrl-s", near("ctrl-s", "e", Action::Export)),
        ("E", near("E", "e", Action::Export)),
        ("ctrl-r", near("ctrl-r", "r", Action::Reload)),
        ("o", elsewhere("o", "Templates, Wallet, Badge", Action::OpenPicture)),
        ("f10", near("f10", "q", Action::Quit)),
        ("1 space", elsewhere("space", "History, Job rows", Action::Mark)),
        ("1 %", unknown("%")),
        ("0 J", elsewhere("J", "Templates, Categories, History, …", Action::Raw)),
    ] {
        h.press(keys);
        let screen = h.settled().await;
        let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&said), "{keys}: {said}\n{screen}");
    }
    assert!(h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn lists_have_the_keys_of_other_programs() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.press("2");
    h.settled().await;
    for (key, row) in [
        (">", "600"),
        ("<", "1"),
        (".", "23"),
        (",", "1"),
        ("G", "600"),
        ("g", "1"),
        ("pagedown", "23"),
        ("pageup", "1"),
    ] {
        h.press(key);
        let screen = h.settled().await;
        assert!(screen.contains(&format!("row {row} of 600")), "{key}: {screen}");
    }
    // A range is drawn with shift and an arrow, and ends as one that was begun with its key.
    h.press("shift-down shift-down shift-down shift-up");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("range from row {row}", &[&1])), "{screen}");
    assert!(screen.contains("row 3 of 600") && h.tui.app.marked().is_empty(), "{screen}");
    h.press("v");
    h.settled().await;
    assert_eq!(h.tui.app.marked().len(), 3, "{}", h.screen());
    h.press("u a");
    h.settled().await;
    assert_eq!(h.tui.app.marked().len(), 300, "all loaded rows: {}", h.screen());
    h.press("]");
    assert!(h.screen().contains("Holder ▌"), "{}", h.screen());
    h.press("esc [");
    assert!(h.settled().await.contains(msg_part("300 marked")));
}

#[tokio::test]
async fn a_badge_has_the_page_keys_of_lists() {
    let mut h = Harness::new(small(), 80, 16).await;
    h.press("2");
    h.settled().await;
    h.press("enter");
    let top = h.settled().await;
    let more = msg_part("more lines below");
    assert!(top.contains(more), "{top}");
    for (down, up) in [("pagedown", "pageup"), ("ctrl-d", "ctrl-u"), ("ctrl-f", ","), (".", ",")] {
        h.press(down);
        assert_ne!(h.settled().await, top, "{down}");
        h.press(up);
        assert_eq!(h.settled().await, top, "{up}");
    }
    for (end, start) in [("end", "home"), ("G", "g"), (">", "<")] {
        h.press(end);
        assert!(!h.settled().await.contains(more), "{end}: {}", h.screen());
        h.press(start);
        assert_eq!(h.settled().await, top, "{start}");
    }
}

#[tokio::test]
async fn q_closes_what_is_on_top_before_it_quits() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.settled().await;
    for (open, title) in [
        ("2 s", msg_part("Sort by")),
        ("2 C", msg_part("Columns, from left")),
        ("2 f", msg_part("Saved filters of")),
        ("2 y", msg("Copy")),
        ("P", msg("Profiles")),
        ("1 b", msg("Categories")),
        ("2 ?", msg("Keys of this screen")),
        ("L", msg_part("newest first; names and e-mails masked")),
    ] {
        h.press(open);
        let screen = h.settled().await;
        assert!(screen.contains(title), "{open}\n{screen}");
        h.press("q");
        let screen = h.settled().await;
        assert!(!screen.contains(title), "{open}\n{screen}");
        assert!(h.tui.app.take_loop_command().is_none(), "{open}");
    }
    // A badge that was opened from a list goes back to the list.
    h.press("2 j enter");
    assert!(h.settled().await.contains(msg("Cert. no.")));
    h.press("q");
    assert!(h.settled().await.contains(msg_part("row 2 of 600")));
    assert!(h.tui.app.take_loop_command().is_none());
    h.press("q");
    assert!(h.tui.app.take_loop_command().is_some());
}

#[tokio::test]
async fn the_palette_and_the_look_up_box_have_the_keys_of_other_programs() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.press("2");
    h.settled().await;
    h.press("ctrl-k");
    assert_eq!(h.tui.app.modal(), Some("CommandPalette"));
    h.press("esc");
    h.press("3");
    h.type_text("임하늘");
    h.press("enter");
    h.settled().await;
    h.press("3 ctrl-u ctrl-r");
    assert!(h.screen().contains("Holder ▌임하늘"), "{}", h.screen());
}

#[tokio::test]
async fn the_filter_line_brings_earlier_filters_back() {
    let mut h = Harness::new(small(), 120, 30).await;
    h.press("2");
    h.settled().await;
    let line = |h: &mut Harness| h.screen().lines().nth(2).unwrap_or_default().to_owned();
    h.press("/ ctrl-r");
    assert!(h.screen().contains(msg("There is no earlier filter yet.")), "{}", h.screen());
    for filter in ["title:파이썬", "name:한"] {
        h.press("ctrl-u");
        h.type_text(filter);
        h.press("enter");
        h.settled().await;
        h.press("/");
    }
    h.press("ctrl-u up");
    assert!(line(&mut h).contains("/▌name:한"), "{}", h.screen());
    h.press("up");
    assert!(line(&mut h).contains("/▌title:파이썬"), "{}", h.screen());
    h.press("enter");
    assert!(h.settled().await.contains("title “파이썬”"), "{}", h.screen());
    h.press("/ ctrl-u up down");
    assert!(!line(&mut h).contains(':'), "what was typed comes back: {}", h.screen());
    // Down in a line that recalls nothing chooses a suggestion.
    h.press("down enter");
    assert!(line(&mut h).contains("/▌name:"), "{}", h.screen());
    h.press("esc");
    h.run_in_palette(Action::ForgetRecent);
    h.confirm("1");
    h.settled().await;
    h.press("/ ctrl-u ctrl-r");
    assert!(h.screen().contains(msg("There is no earlier filter yet.")), "{}", h.screen());
}

#[tokio::test]
async fn a_double_click_opens_the_row_and_two_slow_ones_select_it() {
    let click = |h: &mut Harness, row| {
        for kind in [MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left)] {
            let event = MouseEvent { kind, column: 10, row, modifiers: KeyModifiers::NONE };
            h.tui.app.update(Message::Mouse(event));
        }
    };
    let mut h = Harness::new(small(), 120, 30).await;
    h.press("2");
    h.settled().await;
    // Two different rows, then one row twice.
    click(&mut h, 7);
    click(&mut h, 8);
    assert!(h.settled().await.contains(msg_part("row 5 of 600")));
    click(&mut h, 9);
    click(&mut h, 9);
    assert!(h.settled().await.contains(msg("Cert. no.")), "{}", h.screen());
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("row 6 of 600")));
}

/// In a popup without a text field, the keys of the help, the palette and the request log work as on a screen.
#[tokio::test]
async fn help_palette_and_log_open_over_every_popup() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    let mut popups = vec!["1 J", "1 s", "1 C", "1 f", "1 y", "1 P", "2 * a"];
    crate::activity::people(&mut h, 0..2).await;
    popups.insert(0, "");
    for popup in popups {
        h.press(popup);
        h.settled().await;
        let (below, stack) = (h.tui.app.modal(), h.tui.app.key_contexts());
        for (key, modal) in [("?", "Help"), (":", "CommandPalette"), ("L", "RequestLog")] {
            h.press(key);
            h.settled().await;
            assert_eq!(h.tui.app.modal(), Some(modal), "{popup:?} {key}\n{}", h.screen());
            h.press("esc");
            assert_eq!(
                (h.tui.app.modal(), h.tui.app.key_contexts()),
                (below, stack.clone()),
                "{popup} {key}"
            );
        }
        h.press("esc esc");
        h.settled().await;
        h.press("esc");
    }
}

#[tokio::test]
async fn alt_digits_leave_every_field_whose_text_is_kept() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    for (keys, text) in
        [("1 /", "cloud"), ("1 / ctrl-f", "cloud"), ("2 #", "12"), ("1 i", "가나다"), ("2 x", "이유")]
    {
        h.press(keys);
        h.settled().await;
        h.type_text(text);
        h.press("alt-5");
        let screen = h.settled().await;
        assert_eq!(h.tui.app.modal(), None, "{keys}\n{screen}");
        assert_eq!(h.tui.app.key_contexts().first(), Some(&lapel::tui::KeyContext::Activity), "{keys}");
        h.press("1 esc esc esc 2 esc esc esc");
        h.settled().await;
    }
    h.press("1 i");
    assert!(h.settled().await.contains("가나다"), "{}", h.screen());
}

#[tokio::test]
async fn the_palette_finds_what_the_lists_show() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("1");
    h.settled().await;
    h.press(":");
    h.type_text("cloud");
    let screen = h.screen();
    let first = |screen: &str| {
        let entries = screen.lines().skip_while(|line| !line.contains(msg("Command palette")));
        entries.skip(3).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    for (line, title) in first(&screen).iter().zip(["Cloud Associate", "Cloud Professional"]) {
        assert!(line.contains(&msg_with("template: {title}", &[&title])), "{screen}");
    }
    // It is narrower than the screen, and as low as its list.
    assert!(screen.lines().filter(|line| line.contains('│')).all(|line| !line.starts_with('│')), "{screen}");
    let rows = screen.lines().filter(|line| line.trim_start().starts_with('│')).count();
    assert!(rows < 16, "{rows} rows\n{screen}");
    h.press("ctrl-u");
    h.type_text("한서윤");
    let screen = h.screen();
    let lines = first(&screen);
    assert!(lines[0].contains(msg_part("holder: ")) && lines[0].contains("seoyun.han@"), "{screen}");
    h.press("enter");
    assert!(h.settled().await.contains("seoyun.han@naru.example"), "{}", h.screen());
}

#[tokio::test]
async fn a_badge_is_issued_again_and_left_with_one_key() {
    let mut h = Harness::new(small(), 100, 24).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("i");
    let form = h.settled().await;
    assert!(form.contains(msg("one recipient")), "the form, and nothing is sent: {form}");
    h.press("esc enter");
    h.shows(msg("Cert. no.")).await;
    h.press("G");
    let end = h.settled().await;
    h.press("g");
    assert_ne!(h.settled().await, end, "the text scrolls");
    h.press("h");
    assert!(h.settled().await.contains(msg("Holder")), "back in the history: {}", h.screen());
    h.press("enter");
    h.shows(msg("Cert. no.")).await;
    h.press("i");
    let form = h.settled().await;
    assert!(form.contains(msg("one recipient")), "the form for its template: {form}");
    h.press("esc");
    // Opened again by its id, it keeps what the list knows of it.
    let screen = h.settled().await;
    let id = screen.split_whitespace().find(|word| word.starts_with("B-0")).expect("an id").to_owned();
    h.press("/");
    h.paste(&id);
    h.press("enter");
    h.settled().await;
    h.press("i");
    let form = h.settled().await;
    assert!(form.contains(msg("one recipient")), "the form for its template: {form}");
    // A badge that no list opened since another one: its record does not name its template.
    h.press("esc 2 j enter");
    h.settled().await;
    h.press("/");
    h.paste(&id);
    h.press("enter");
    h.settled().await;
    h.press("i");
    h.shows(&msg_with("Select a template. {key} issues its badge.", &[&"i"])).await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    // The key that opened the categories closes them.
    h.press("1 b");
    assert!(h.settled().await.contains(msg("Categories and badge types")), "{}", h.screen());
    h.press("b");
    assert!(!h.settled().await.contains(msg("Categories and badge types")), "{}", h.screen());
}

#[tokio::test]
async fn the_palette_finds_every_word_that_it_shows() {
    let mut h = Harness::new(small(), 100, 24).await;
    h.settled().await;
    h.press("3 esc ctrl-p");
    h.type_text("text");
    let screen = h.screen();
    let here = screen.lines().find(|line| line.contains("│  ▌")).unwrap_or_default();
    assert!(here.contains(msg("save screen as text")), "{screen}");
}

#[tokio::test]
async fn digits_and_tab_change_the_tab_from_every_screen_over_it() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    let over = [("J", "JsonView"), ("L", "RequestLog"), ("?", "Help"), ("P", "Profiles")];
    let plain = over.map(|(open, modal)| (open, modal, ["1", "alt-1", "[", "backtab"].as_slice()));
    let searched = ("J /", "JsonView", ["alt-1", "backtab"].as_slice());
    for (open, modal, keys) in plain.into_iter().chain([searched]) {
        for key in keys {
            h.press("2");
            h.settled().await;
            h.press(open);
            h.settled().await;
            assert_eq!(h.tui.app.modal(), Some(modal), "{open}: {}", h.screen());
            h.press(key);
            let screen = h.settled().await;
            assert_eq!(h.tui.app.modal(), None, "{open} {key}: {screen}");
            assert_eq!(
                h.tui.app.key_contexts().first(),
                Some(&KeyContext::Templates),
                "{open} {key}: {screen}"
            );
        }
    }
    // In the box of a small popup, Tab does nothing.
    h.press("2");
    h.settled().await;
    h.press("s / tab");
    assert!(h.screen().contains(msg_part("Sort by")), "{}", h.screen());
}

#[tokio::test]
async fn on_the_first_screen_there_are_no_tabs_to_go_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::welcome_in(folder.path(), 100, 40).await;
    h.settled().await;
    let before = h.tui.app.key_contexts();
    h.press("? 2");
    let screen = h.settled().await;
    assert_eq!(h.tui.app.modal(), Some("Help"), "{screen}");
    h.press("esc");
    assert_eq!(h.tui.app.key_contexts(), before);
}
