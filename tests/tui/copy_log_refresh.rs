//! Copying, the JSON of a record, the request log, refreshing without a key, and notices when work ends.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use base64::Engine;
use lapel::config::{AppSettings, ClipboardChoice, NoticeChoice, RefreshChoice};
use lapel::tui::{AppOptions, HostTerminal};
use std::time::Duration;

/// What the terminal was asked to put on its clipboard, and nothing else was said to it.
pub fn copied(h: &mut Harness) -> String {
    let spoken = h.tui.app.take_spoken();
    let inner = spoken
        .strip_prefix("\x1b]52;c;")
        .and_then(|rest| rest.strip_suffix("\x1b\\"))
        .unwrap_or_else(|| panic!("one sequence for the clipboard: {spoken:?}"));
    let bytes = base64::engine::general_purpose::STANDARD.decode(inner).expect("base64");
    String::from_utf8(bytes).expect("UTF-8")
}

fn behave(h: &mut Harness, settings: AppSettings, around: HostTerminal) {
    h.tui.app.set_options(AppOptions { settings, host: around, ..AppOptions::default() });
}

fn refreshing(choice: RefreshChoice) -> AppSettings {
    AppSettings { refresh: choice, ..AppSettings::default() }
}

/// Lets time pass for everything that waits, without waiting for it.
pub async fn pass(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

fn insert(h: &Harness, rows: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

fn story(name: &str) -> RowSpec {
    RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        ..RowSpec::default()
    }
}

/// The history of one address only.
async fn history_of(h: &mut Harness, email: &str) -> String {
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text(email);
    h.settled().await;
    h.press("esc");
    h.settled().await
}

#[tokio::test]
async fn single_values_rows_and_marked_tables_are_copied() {
    let mut h = Harness::new(small(), 80, 24).await;
    let ids = insert(&h, vec![story("한서윤"), story("=1+1\u{1b}[2J\tx\ny"), story("오지호")]);
    history_of(&mut h, "story@naru.example").await;
    h.press("y");
    let screen = h.screen();
    assert!(
        screen.contains(&format!("i  {}", msg("badge id")))
            && screen.contains(&format!("t  {}", msg_part("table"))),
        "{screen}"
    );
    h.press("i");
    let screen = h.screen();
    assert!(
        screen.contains(msg_part("Sent to the terminal's clipboard: badge id. It may refuse")),
        "{screen}"
    );
    assert_eq!(copied(&mut h), ids[2], "the newest is the first");
    h.press("y down enter");
    assert_eq!(copied(&mut h), "story@naru.example");
    h.press("j y r");
    let row = copied(&mut h);
    let cells: Vec<&str> = row.split('\t').collect();
    assert_eq!((cells[1], cells.len()), ("=1+1␛[2J␉x␊y", 9), "{row:?}");
    let screen = h.screen();
    let words: Vec<&str> = screen.split_whitespace().collect();
    let said = words.join(" ");
    assert!(said.contains("1 cell ") && said.contains(msg_part("like a formula.")), "{screen}");
    h.press("k space j space y t");
    let table = copied(&mut h);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].starts_with("State\tHolder\tE-mail"), "{table}");
    assert!(
        lines[1..].iter().all(|line| line.contains("story@naru.example") && line.split('\t').count() == 9)
    );
    assert!(h.screen().contains(&format!("2 {}", msg_part("rows that are marked"))));
}

#[tokio::test]
async fn every_tab_offers_what_it_has() {
    let mut h = Harness::new(small(), 100, 40).await;
    let row = RowSpec { template_id: "TPL-004".into(), ..story("한서윤") };
    let ids = insert(&h, vec![row]);
    h.settled().await;
    h.press("y");
    let screen = h.screen();
    assert!(screen.contains(msg("template id")) && screen.contains("http://127.0.0.1"), "{screen}");
    h.press("i");
    assert!(copied(&mut h).starts_with("TPL-"));
    h.press("b");
    h.settled().await;
    h.press("y i");
    assert_eq!(copied(&mut h), "C01");
    h.press("esc 3");
    h.type_text("story@naru.example");
    h.press("enter");
    h.settled().await;
    h.press("y l");
    assert!(copied(&mut h).ends_with("/front.png"));
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("y c");
    assert!(copied(&mut h).starts_with("DMU-2026-"));
    h.press("y b");
    assert!(copied(&mut h).ends_with("/back.png"));
    h.press("5");
    h.settled().await;
    h.press("y");
    assert!(h.screen().contains(msg_part("nothing here to copy")));
    assert_eq!(h.tui.app.take_spoken(), "");
}

#[tokio::test]
async fn what_is_too_long_or_switched_off_is_not_copied_and_said() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("v G");
    h.settled().await;
    h.press("v");
    h.settled().await;
    h.press("y t");
    let screen = h.screen();
    assert!(
        screen.contains(&format!(
            "{} (600 {}): ",
            msg_part("Too long for the clipboard"),
            msg_part("rows that are marked")
        )) && screen.contains(msg_part("Nothing was copied")),
        "{screen}"
    );
    let off = AppSettings { clipboard: ClipboardChoice::Off, ..AppSettings::default() };
    behave(&mut h, off, HostTerminal::default());
    h.press("y i");
    let screen = h.screen();
    assert!(screen.contains(msg_part("copying is off")), "{screen}");
    behave(&mut h, AppSettings::default(), HostTerminal { is_plain: true, ..HostTerminal::default() });
    h.press("y i");
    assert!(h.screen().contains(msg_part("this terminal has no clipboard")));
    // A missing program has a message, too.
    let native = AppSettings { clipboard: ClipboardChoice::Native, ..AppSettings::default() };
    behave(&mut h, native, HostTerminal::default());
    h.press("y i");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Not copied (badge id)")), "{screen}");
    assert_eq!(h.tui.app.take_spoken(), "");
}

#[tokio::test]
async fn over_ssh_the_link_is_copied_in_place_of_a_browser() {
    let mut h = Harness::new(small(), 80, 24).await;
    let ids = insert(&h, vec![RowSpec { template_id: "TPL-004".into(), ..story("한서윤") }]);
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    behave(&mut h, AppSettings::default(), HostTerminal { ssh: true, ..HostTerminal::default() });
    h.press("o");
    let screen = h.screen();
    assert!(screen.contains(msg_part("browser over ssh")) && screen.contains("/front.png"), "{screen}");
    let words: Vec<&str> = screen.split_whitespace().collect();
    assert!(words.join(" ").contains(msg_part("Sent to the terminal's clipboard: link")), "{screen}");
    assert!(copied(&mut h).starts_with("http://127.0.0.1"));
    behave(&mut h, AppSettings::default(), HostTerminal::default());
    h.press("o");
    assert!(h.screen().contains(msg_part("There is no desktop")));
    // Elsewhere there is no picture yet.
    h.press("3 esc o");
    assert!(h.screen().contains(msg_part("no picture here")), "{}", h.screen());
}

#[tokio::test]
async fn a_record_is_shown_and_copied_as_it_was_sent() {
    let mut h = Harness::new(small(), 80, 24).await;
    let ids = insert(&h, vec![story("evil\u{1b}[2J\u{202e}"), story("한서윤"), story("오지호")]);
    history_of(&mut h, "story@naru.example").await;
    let before = all_requests(&h);
    h.press("j j J");
    let screen = h.settled().await;
    assert_eq!(all_requests(&h), before + 1);
    assert!(screen.contains(&format!("GET /badges/{}", ids[0])), "{screen}");
    assert!(
        screen.contains("\"code\": \"0001\"") && screen.contains(msg_part("bytes from the service")),
        "{screen}"
    );
    h.press("y");
    let sent: serde_json::Value = serde_json::from_str(&copied(&mut h)).expect("the JSON as it was sent");
    assert_eq!(sent["data"]["badge_id"], ids[0].as_str());
    h.press("G");
    let end = h.screen();
    assert!(end.contains("  }\n") && end != screen, "{end}");
    // The same badge as the history and the wallet tell it, each at one request.
    h.press("g enter");
    let screen = h.settled().await;
    assert!(screen.contains("GET /badges/history?recipient_email=story@naru.example"), "{screen}");
    assert!(screen.contains(&format!("\"badge_id\": \"{}\"", ids[0])), "{screen}");
    h.press("l");
    let screen = h.settled().await;
    assert!(screen.contains("GET /wallet/badges?email=story@naru.example"), "{screen}");
    assert_eq!(all_requests(&h), before + 3);
    h.press("J");
    assert!(h.screen().contains(msg_part("row 3 of 3")));
    h.sandbox.control().add_fault("get /badges/* status=500").expect("a rule");
    h.press("J");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("{} Service error", msg_part("Not read:"))), "{screen}");
}

#[tokio::test]
async fn the_log_of_requests_is_filtered_by_result() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=503 times=1").expect("a rule");
    h.press("2");
    h.settled().await;
    h.press("L f");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("requests that failed")) && screen.contains(msg_part("row 1 of 1")),
        "{screen}"
    );
    h.press("f");
    let screen = h.settled().await;
    assert!(screen.contains(msg("requests answered with success")) && !screen.contains("503"), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("newest first")), "all of them again: {}", h.screen());
    h.press("esc");
    assert_eq!(h.tui.app.modal(), None);
}

#[tokio::test]
async fn the_log_of_requests_grows_while_it_is_open_and_is_masked() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.press("3");
    h.type_text("haneul.lim@example.net");
    h.press("enter");
    h.settled().await;
    h.press("L");
    let screen = h.screen();
    assert!(screen.contains("/wallet/badges?email=‹…›"), "{screen}");
    let requests = all_requests(&h);
    assert!(screen.contains(&format!("{requests} requests, newest first")), "{screen}");
    assert!(!screen.contains("haneul"), "{screen}");
    h.press("esc");
    h.sandbox.control().add_fault("get /wallet/badges status=500 times=1 delay=200ms").expect("a rule");
    // The one that is selected stays so while others come in above it.
    h.press("r L j");
    let selected = |s: &str| s.lines().find(|l| l.starts_with('▌')).unwrap_or_default().to_owned();
    let before = selected(&h.screen());
    let screen = h.shows(msg_part("500 failed")).await;
    assert_eq!(selected(&screen), before);
    h.until("the second attempt", |s| {
        s.lines().any(|l| l.contains("/wallet/badges") && l.contains(" 200 ") && l.contains("  2 "))
    })
    .await;
    // Watching is no loading: otherwise this would never come back.
    h.settled().await;
    // Each time it grows it is watched anew; once it is closed nothing is.
    h.press("esc");
    h.settled().await;
    let asks = h.tui.app.counts.asks;
    h.press("r");
    h.settled().await;
    assert_eq!(h.tui.app.counts.asks, asks + 1, "the holder, and no watching");
}

#[tokio::test]
async fn the_log_is_saved_for_its_owner_only_and_replaces_nothing_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.tsv");
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("3");
    h.type_text("haneul.lim@example.net");
    h.press("enter");
    h.settled().await;
    h.press("L e");
    assert!(h.screen().contains("lapel-requests-"));
    h.press("ctrl-u");
    h.paste(path.to_str().expect("UTF-8"));
    h.press("enter");
    let screen = h.shows("Saved").await;
    assert!(screen.contains(msg_part("Only you can read it")), "{screen}");
    let text = std::fs::read_to_string(&path).expect("written");
    assert_eq!(text.lines().count() as u64, all_requests(&h) + 2, "{text}");
    assert!(text.lines().skip(1).all(|line| line.split('\t').count() == 14), "{text}");
    assert!(!text.contains(h.sandbox.api_key()) && !text.contains("haneul"), "{text}");
    assert!(text.contains("/wallet/badges\temail=‹…›&page=1"), "{text}");
    std::fs::write(&path, "somebody else's").expect("written");
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("set");
    h.press("e ctrl-u");
    h.paste(path.to_str().expect("UTF-8"));
    h.press("enter");
    h.shows(msg_part("A file with this name already exists")).await;
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "somebody else's");
    h.confirm("1");
    h.shows("Saved").await;
    let replaced = std::fs::read_to_string(&path).expect("there");
    // The first line tells when it was written.
    assert!(replaced.lines().skip(1).eq(text.lines().skip(1)), "{replaced}");
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("there").permissions())
            & 0o777,
        0o600
    );
}

#[tokio::test]
async fn the_screen_is_read_again_and_everything_stays_in_its_place() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("j j j space j");
    h.run_in_palette(Action::AutoRefresh);
    let before = h.screen();
    assert!(before.contains(msg_part("lapel refreshes the screen every 30 s")), "{before}");
    // Without the preview.
    let selected = |screen: &str| {
        let row = screen.lines().find(|l| l.starts_with('▌')).unwrap_or_default();
        row.split('┃').next().unwrap_or_default().to_owned()
    };
    let (row, marked, pages) = (selected(&before), h.tui.app.marked(), requests(&h, "GET /badges/history"));
    insert(&h, vec![story("새로 온 사람")]);
    pass(31).await;
    h.until("the new one", |s| s.contains(msg_part("601 badges"))).await;
    let after = h.settled().await;
    assert!(after.contains("새로 온 사") && after.contains(msg_part("row 7 of 601")), "{after}");
    assert_eq!(selected(&after), row);
    assert_eq!(h.tui.app.marked(), marked);
    assert_eq!(requests(&h, "GET /badges/history"), pages + 1, "only what is on the screen");
    assert!(after.contains(msg_part("refresh every 30 s")), "{after}");
    // Once more, and only then.
    pass(31).await;
    let message = h.tui.next().await;
    assert!(matches!(message, Message::Tick), "{message:?}");
    h.tui.app.update(message);
    assert!(!h.tui.app.is_loading(), "no spinner turns for it");
    h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history"), pages + 2);
}

#[tokio::test]
async fn what_fails_is_tried_further_apart_and_the_screen_stays() {
    let mut h = Harness::new(small(), 120, 36).await;
    let ids = insert(&h, vec![story("한서윤")]);
    h.settled().await;
    h.press("3");
    h.type_text("story@naru.example");
    h.press("enter");
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    behave(&mut h, refreshing(RefreshChoice::HalfMinute), HostTerminal::default());
    h.sandbox.control().add_fault("get status=500").expect("a rule");
    for (tab, shown, minutes) in [("4", "Cert. no.", 1), ("3", "한서윤 · 1 badge", 2)] {
        // From the box to the list: nothing is refreshed while somebody types.
        h.press(tab);
        h.press("esc");
        let before = all_requests(&h);
        pass(60 * minutes).await;
        let screen = h.shows(&format!("refresh failed; next try in {minutes} min")).await;
        assert!(screen.contains(shown) && !screen.contains(msg_part("Service error")), "{screen}");
        assert!(all_requests(&h) > before);
    }
    h.sandbox.control().clear_faults();
    pass(240).await;
    let screen = h.shows(msg_part("refresh every 30 s")).await;
    assert!(screen.contains(msg_part("한서윤 · 1 badge")), "{screen}");
}

#[tokio::test]
async fn nothing_is_read_again_while_one_types_or_the_service_asks_to_wait() {
    let mut h = Harness::new(held(), 120, 36).await;
    behave(&mut h, refreshing(RefreshChoice::HalfMinute), HostTerminal::default());
    h.press("2");
    h.settled().await;
    h.press("/");
    // The filter offers the names of types and categories.
    h.settled().await;
    let before = all_requests(&h);
    pass(90).await;
    h.tui.app.update(Message::Tick);
    h.settled().await;
    assert!(h.tui.app.next_tick().is_none(), "nothing wakes a TUI that one types at");
    assert_eq!(all_requests(&h), before);
    // As soon as the field is left, what is due is done.
    h.press("esc");
    h.until("another reading", |_| true).await;
    let message = h.tui.next().await;
    h.tui.app.update(message);
    h.settled().await;
    assert_eq!(all_requests(&h), before + 1);
    h.sandbox.control().add_fault("any status=429 retry-after=3600 times=1").expect("a rule");
    h.press("r");
    h.shows(msg_part("▲ wait ")).await;
    // What waits for its turn is on its way, so nothing more is asked in between.
    let asked = all_requests(&h);
    pass(31).await;
    assert_eq!(all_requests(&h), asked);
}

#[tokio::test]
async fn while_the_service_asks_to_wait_it_is_tried_further_apart() {
    let mut h = Harness::new(held(), 80, 24).await;
    behave(&mut h, refreshing(RefreshChoice::HalfMinute), HostTerminal::default());
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3600 times=1").expect("a rule");
    h.press("b");
    h.shows(msg_part("▲ wait ")).await;
    h.press("esc");
    h.settled().await;
    let asked = all_requests(&h);
    pass(31).await;
    let screen = h.shows(&msg_with("refresh failed; next try in {minutes} min", &[&1])).await;
    assert!(screen.contains(msg_part("40 templates")) && screen.contains(msg_part("▲ wait ")), "{screen}");
    h.settled().await;
    assert_eq!(all_requests(&h), asked);
}

#[tokio::test]
async fn a_list_that_is_scrolled_stays_where_the_eye_is() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("pagedown pagedown k k k");
    h.run_in_palette(Action::AutoRefresh);
    h.settled().await;
    let place = |screen: &str| screen.lines().position(|l| l.starts_with('▌'));
    let before = h.screen();
    let row = before.lines().find(|l| l.starts_with('▌')).expect("a selected row").to_owned();
    insert(&h, vec![story("하나"), story("둘"), story("셋")]);
    pass(31).await;
    h.until("the new ones", |s| s.contains(msg_part("603 badges"))).await;
    let after = h.settled().await;
    assert!(after.contains(&row), "{after}");
    assert_eq!(place(&after), place(&before), "{after}");
}

#[tokio::test]
async fn automatic_refresh_has_no_timer_while_it_is_off() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    // The minute of the requests is over.
    pass(61).await;
    h.tui.app.update(Message::Tick);
    h.settled().await;
    assert!(h.tui.app.next_tick().is_none());
    h.run_in_palette(Action::AutoRefresh);
    assert!(h.tui.app.next_tick().is_some());
    h.run_in_palette(Action::AutoRefresh);
    h.run_in_palette(Action::AutoRefresh);
    assert!(h.screen().contains(msg_part("Auto refresh is off")));
    // The toast goes away, and nothing is left that moves.
    pass(20).await;
    h.tui.app.update(Message::Tick);
    assert!(!h.screen().contains(msg_part("Auto refresh is off")));
    assert!(h.tui.app.next_tick().is_none());
}

#[tokio::test]
async fn the_person_is_called_once_when_followed_work_ends() {
    let mut h = Harness::new(small(), 80, 24).await;
    let desktop = AppSettings { notice: NoticeChoice::Desktop, ..AppSettings::default() };
    behave(&mut h, desktop, HostTerminal { term: "xterm-kitty".into(), ..HostTerminal::default() });
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.shows(msg_part("accepted, not issued yet")).await;
    h.settled().await;
    assert_eq!(h.tui.app.take_spoken(), "", "what one has just sent is on the screen");
    h.sandbox.control().advance(Duration::from_secs(25 * 3600));
    h.press("r");
    // The row may be read before the change of the job arrives.
    h.shows(msg_part("issued 1 = 1")).await;
    h.settled().await;
    assert_eq!(h.tui.app.take_spoken(), "\x1b]9;lapel: job 1 (issue) has ended\x1b\\");
}

#[tokio::test]
async fn the_bell_rings_when_sending_stops() {
    let mut h = Harness::new(small(), 80, 24).await;
    let bell = AppSettings { notice: NoticeChoice::Bell, ..AppSettings::default() };
    behave(&mut h, bell, HostTerminal::default());
    h.settled().await;
    h.sandbox.control().set_quota(Some(0));
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.shows("not sent: quota exceeded").await;
    h.settled().await;
    assert_eq!(h.tui.app.take_spoken(), "\x07");
}
