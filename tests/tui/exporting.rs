//! Taking lists away: what is listed or marked, as a file that is whole or not there.

use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use calamine::Reader;
use lapel::sandbox::RowState;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const HISTORY: &str = "GET /badges/history";

/// A TUI on the History tab.
async fn history() -> (Harness, TempDir) {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    (h, tempfile::tempdir().expect("a folder"))
}

/// Opens the form and names the file.
fn open(h: &mut Harness, folder: &TempDir, name: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    h.press("e ctrl-u");
    h.type_text(path.to_str().expect("UTF-8"));
    path
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Waits until the folder is empty: what was given up is taken away by the side that writes.
async fn emptied(h: &mut Harness, folder: &TempDir) {
    // The TUI's next turn hands out that it was given up.
    h.sandbox.control().clear_faults();
    h.press("r");
    h.settled().await;
    let empty = async {
        while !names(folder).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), empty).await.expect("nothing is left of it");
}

fn sheet(path: &Path) -> Vec<Vec<String>> {
    let mut book = calamine::open_workbook::<calamine::Xlsx<_>, _>(path).expect("an Excel file");
    let (_, range) = book.worksheets().remove(0);
    range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

#[tokio::test]
async fn a_typed_name_replaces_the_proposed_one_unless_the_cursor_was_moved() {
    let (mut h, _folder) = history().await;
    h.press("e");
    let proposed = h.settled().await;
    assert!(proposed.contains("lapel-history-2026-11-21.xlsx"), "{proposed}");
    // Another kind of file is still a proposal.
    h.press("pagedown");
    assert!(h.settled().await.contains("lapel-history-2026-11-21.csv"), "{}", h.screen());
    h.type_text("all.csv");
    let screen = h.settled().await;
    assert!(screen.contains("all.csv") && !screen.contains("lapel-history"), "{screen}");
    h.press("esc e left backspace");
    h.type_text("l");
    let screen = h.settled().await;
    assert!(screen.contains("lapel-history-2026-11-21.xllx"), "{screen}");
}

#[tokio::test]
async fn the_whole_list_goes_as_its_filter_and_its_order_say() {
    let (mut h, folder) = history().await;
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬");
    h.press("esc s down down enter");
    let listed = h.settled().await;
    let path = open(&mut h, &folder, "파이썬.xlsx");
    let form = h.screen();
    let head =
        form.lines().find(|line| line.contains(msg_part("Export "))).expect("a head").trim().to_owned();
    assert!(head.contains(msg_part("title “파이썬”")) && head.contains(&ordered_by("holder")), "{form}");
    let number =
        |text: &str| text.split_whitespace().find_map(|word| word.parse::<u64>().ok()).expect("a number");
    let rows = number(&head);
    assert!(
        listed.contains(&format!("{rows} badges")) && form.contains(msg("It takes 1 request.")),
        "{form}"
    );
    let before = all_requests(&h);
    h.press("enter");
    let screen = h.shows(&format!("Saved {rows} rows")).await;
    assert!(screen.contains(msg("State")), "the form is closed: {screen}");
    assert_eq!(all_requests(&h) - before, rows.div_ceil(100), "as much as was said");
    let sheet = sheet(&path);
    assert_eq!(sheet.len() as u64, rows + 1);
    let column = |name: &str| sheet[0].iter().position(|known| known == name).expect(name);
    assert!(sheet[1..].iter().all(|row| row[column("title")].contains("파이썬")));
    let holders: Vec<&String> = sheet[1..].iter().map(|row| &row[column("recipient_name")]).collect();
    assert!(holders.is_sorted(), "{holders:?}");
    #[cfg(unix)]
    assert_eq!(lapel::fs::mode_of(&std::fs::metadata(&path).expect("metadata")), 0o600);
}

#[tokio::test]
async fn a_long_list_is_complete_and_says_how_far_it_is() {
    let (mut h, folder) = history().await;
    let path = open(&mut h, &folder, "a.jsonl");
    let form = h.screen();
    assert!(form.contains("(•) JSON Lines") && form.contains(msg_part("It takes 6 requests.")), "{form}");
    h.press("enter");
    assert!(h.screen().contains(msg_part("0 of 600 rows")), "{}", h.screen());
    h.shows(msg_part("Saved 600 rows")).await;
    let text = std::fs::read_to_string(path).expect("a file");
    let mut ids: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["badge_id"].as_str().expect("an id").to_owned()
        })
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 600);
}

#[tokio::test]
async fn marked_rows_go_alone_and_cost_nothing() {
    let (mut h, folder) = history().await;
    h.press("space j space");
    let mut marked = h.tui.app.marked();
    marked.sort();
    let path = open(&mut h, &folder, "marked.csv");
    let form = h.screen();
    assert!(
        form.contains(&msg_with("{n} marked badges", &[&2])) && form.contains(msg_part("No requests needed")),
        "{form}"
    );
    let before = all_requests(&h);
    h.press("enter");
    h.shows(msg_part("Saved 2 rows")).await;
    assert_eq!(all_requests(&h), before);
    let text = std::fs::read_to_string(path).expect("a file");
    let text = text.strip_prefix('\u{feff}').expect("the mark by which Excel knows UTF-8");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let mut ids: Vec<String> = csv.records().map(|row| row.expect("a row")[0].to_owned()).collect();
    ids.sort();
    assert_eq!(ids, marked);
}

#[tokio::test]
async fn templates_and_a_holders_badges_go_too() {
    let mut h = Harness::new(small(), 120, 36).await;
    let folder = tempfile::tempdir().expect("a folder");
    h.settled().await;
    let path = open(&mut h, &folder, "templates.xlsx");
    h.press("enter");
    h.shows(msg_part("Saved 40 rows")).await;
    assert_eq!(sheet(&path).len(), 41);

    let insert = [RowState::Revoked, RowState::Waiting].map(|state| RowSpec {
        recipient_name: "=HYPERLINK(1)".into(),
        recipient_email: "twice@naru.example".into(),
        state,
        ..RowSpec::default()
    });
    h.sandbox.control().rows(&Rows { insert: insert.into(), ..Rows::default() }).expect("inserted");
    h.press("3 e");
    h.press("ctrl-u");
    h.type_text("twice@naru.example");
    h.press("enter");
    h.settled().await;
    let path = open(&mut h, &folder, "wallet.csv");
    assert!(
        h.screen().contains(&msg_with(
            "{badges} of {email}, from wallet and history",
            &[&"2 badges", &"twice@naru.example"]
        )),
        "{}",
        h.screen()
    );
    h.press("enter");
    h.shows(msg_part("Saved 2 rows")).await;
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains("in_wallet,in_history") && text.contains(",'=HYPERLINK(1),"), "{text}");
    assert!(text.contains(",Y,Y") && text.contains(",N,Y"), "waiting badges are in the history only: {text}");
}

#[tokio::test]
async fn the_kind_is_chosen_or_typed_and_the_name_follows() {
    let (mut h, folder) = history().await;
    h.press("e");
    assert!(h.screen().contains("lapel-history-2026-11-21.xlsx"), "{}", h.screen());
    h.press("pagedown");
    assert!(h.screen().contains("lapel-history-2026-11-21.csv") && h.screen().contains("(•) CSV "));
    h.press("pageup pageup");
    assert!(h.screen().contains("lapel-history-2026-11-21.jsonl") && h.screen().contains("(•) JSON Lines"));
    h.press("esc");
    h.settled().await;
    let path = open(&mut h, &folder, "a.csv");
    h.press("pagedown");
    assert!(h.screen().contains("(•) CSV, CP949"), "{}", h.screen());
    h.press("enter");
    h.shows(msg_part("Saved 600 rows")).await;
    let bytes = std::fs::read(path).expect("a file");
    let (text, _, damaged) = encoding_rs::EUC_KR.decode(&bytes);
    assert!(!damaged && text.contains("수료"));
}

#[tokio::test]
async fn a_file_that_is_there_is_replaced_only_when_that_is_said() {
    let (mut h, folder) = history().await;
    std::fs::write(folder.path().join("a.jsonl"), "mine").expect("written");
    let path = open(&mut h, &folder, "a.jsonl");
    let before = all_requests(&h);
    h.press("enter");
    h.shows(msg("A file with this name already exists. Nothing was saved.")).await;
    h.press("enter");
    h.settled().await;
    assert_eq!((std::fs::read(&path).expect("a file"), all_requests(&h)), (b"mine".to_vec(), before));
    h.press("esc");
    assert!(!h.screen().contains("already"), "one can type another name");
    h.press("enter");
    h.shows(&asks("1")).await;
    h.confirm("1");
    h.shows(msg_part("Saved 600 rows")).await;
    assert_eq!(std::fs::read_to_string(&path).expect("a file").lines().count(), 600);
    assert_eq!(names(&folder), ["a.jsonl"]);
}

#[tokio::test]
async fn esc_gives_it_up_and_nothing_is_left() {
    let (mut h, folder) = history().await;
    h.sandbox.control().add_fault("get /badges/history hold after=2").expect("a rule");
    open(&mut h, &folder, "a.xlsx");
    h.press("enter");
    h.shows(msg_part("200 of 600 rows")).await;
    assert_eq!(names(&folder).len(), 1, "it is being written beside its place");
    h.press("esc");
    assert!(h.screen().contains(msg("Export cancelled. Nothing was saved.")), "{}", h.screen());
    h.press("esc");
    emptied(&mut h, &folder).await;
    assert!(h.screen().contains(msg_part("600 badges")), "the TUI goes on");
}

#[tokio::test]
async fn another_tab_does_not_take_it_away() {
    let (mut h, folder) = history().await;
    h.sandbox.control().add_fault("get /badges/history hold after=2").expect("a rule");
    open(&mut h, &folder, "a.xlsx");
    h.press("enter");
    h.shows(msg_part("200 of 600 rows")).await;
    h.press("f1 1");
    assert!(h.screen().contains(msg_part("lapel is still writing the file.")), "{}", h.screen());
    h.press("esc");
    assert!(h.screen().contains(msg_part("of 600 rows")), "{}", h.screen());
}

#[tokio::test]
async fn an_export_continues_in_the_background_and_reports_its_end() {
    let (mut h, folder) = history().await;
    h.sandbox.control().add_fault("get /badges/history hold after=3 times=1").expect("a rule");
    let path = open(&mut h, &folder, "a.xlsx");
    h.press("enter");
    h.shows(msg_part("300 of 600 rows")).await;
    h.press("ctrl-o j j");
    let screen = h.screen();
    assert!(screen.contains(msg_part("row 3 of 600")) && !screen.contains(msg_part("Export ")), "{screen}");
    assert!(!h.tui.app.is_loading(), "nothing turns for what cannot be seen");
    h.press("e");
    assert!(h.screen().contains(msg_part("of 600 rows")), "the same one comes back: {}", h.screen());
    h.press("f1 esc ctrl-o");
    h.sandbox.control().clear_faults();
    let screen = h.shows(msg_part("Saved 600 rows")).await;
    assert!(screen.contains(msg_part("600 badges")) && !screen.contains(msg_part("Export ")), "{screen}");
    assert_eq!(sheet(&path).len(), 601);
    assert_eq!(requests(&h, HISTORY), 7);
    crate::copy_log_refresh::pass(20).await;
    h.tui.app.update(Message::Tick);
    assert!(!h.screen().contains("Saved"), "it goes by itself: {}", h.screen());
}

#[tokio::test]
async fn an_export_ends_also_while_the_help_is_open() {
    let (mut h, folder) = history().await;
    open(&mut h, &folder, "a.csv");
    h.press("enter f1");
    let screen = h.shows(msg_part("Saved 600 rows")).await;
    assert!(screen.contains(msg("show this screen's keys")), "{screen}");
    h.press("esc");
    assert!(
        h.screen().contains(msg_part("600 badges")) && !h.screen().contains(msg_part("Export ")),
        "{}",
        h.screen()
    );
}

#[tokio::test]
async fn a_list_that_cannot_be_read_to_its_end_is_no_file() {
    let (mut h, folder) = history().await;
    h.sandbox.control().add_fault("get /badges/history status=401 code=4001 after=2").expect("a rule");
    open(&mut h, &folder, "a.xlsx");
    h.press("enter");
    let screen = h.shows(msg_part("Nothing was saved")).await;
    assert!(screen.contains(msg_part("refused the API key")) && screen.contains(msg("File")), "{screen}");
    h.press("esc");
    emptied(&mut h, &folder).await;
}

#[tokio::test]
async fn where_one_wrote_earlier_is_offered() {
    let (mut h, folder) = history().await;
    h.press("e");
    assert!(!h.screen().contains("↑ earlier"), "{}", h.screen());
    h.press("esc space");
    for name in ["one.csv", "two.jsonl"] {
        open(&mut h, &folder, name);
        h.press("enter");
        h.shows(msg_part("Saved 1 row")).await;
        h.press("backspace");
    }
    // What was not written is not among them.
    open(&mut h, &folder, "none/three.csv");
    h.press("enter");
    h.settled().await;
    h.press("esc e");
    assert!(h.screen().contains("↑ earlier"), "{}", h.screen());
    h.press("up");
    let screen = h.screen();
    assert!(screen.contains("/two.jsonl") && screen.contains("(•) JSON Lines"), "{screen}");
    h.press("up");
    assert!(h.screen().contains("/one.csv") && h.screen().contains("(•) CSV "), "{}", h.screen());
    h.press("up down down");
    assert!(h.screen().contains("lapel-history-2026-11-21.xlsx"), "{}", h.screen());
    assert!(h.screen().contains("(•) Excel"), "{}", h.screen());
}

#[tokio::test]
async fn leaving_asks_about_the_file_first_and_leaves_nothing_of_it() {
    let (mut h, folder) = history().await;
    h.sandbox.control().add_fault("get /badges/history hold after=2").expect("a rule");
    open(&mut h, &folder, "a.xlsx");
    h.press("enter");
    h.shows(msg_part("200 of 600 rows")).await;
    let asks = "lapel is writing a.xlsx. Quit again to leave: this cancels the export. No file is left.";
    h.press("ctrl-c");
    assert!(h.screen().contains(asks), "{}", h.screen());
    // No letter is typed while it is written, so that the usual keys work in sight of it too.
    h.press("?");
    let help = h.screen();
    assert!(help.contains(msg("show this screen's keys")), "{help}");
    h.press("esc q");
    assert!(h.screen().contains(asks), "{}", h.screen());
    h.press("ctrl-o q");
    assert!(h.screen().contains(asks), "{}", h.screen());
    assert!(h.tui.app.take_loop_command().is_none());
    // It continues until a person repeats the key.
    h.press("e");
    assert!(h.screen().contains(msg_part("200 of 600 rows")), "{}", h.screen());
    h.press("ctrl-o q q");
    assert!(h.tui.app.take_loop_command().is_some());
    emptied(&mut h, &folder).await;
}

#[tokio::test]
async fn there_is_nothing_to_export_where_nothing_is() {
    let (mut h, _folder) = history().await;
    h.press("/");
    h.type_text("no such holder");
    h.settled().await;
    h.press("esc e");
    assert!(h.screen().contains(msg("There are no badges here to export.")), "{}", h.screen());
    h.press("3 esc e");
    assert!(h.screen().contains(msg("There are no badges here to export.")), "{}", h.screen());
}

#[tokio::test]
async fn a_folder_is_not_offered_for_replacement() {
    let (mut h, folder) = history().await;
    let path = open(&mut h, &folder, "here.csv");
    std::fs::create_dir(&path).expect("a folder");
    h.press("enter");
    // The popup wraps the sentence.
    let screen = h.shows(msg("the path is not a file").trim_end_matches(" file")).await;
    assert!(!screen.contains(msg("Replace the file")), "{screen}");
    assert_eq!(names(&folder), ["here.csv"]);
}
