//! The filter line: the same filter as the form, with suggestions, and what lapel compares itself.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::sandbox::RowState;
use lapel::tui::AppOptions;

const HISTORY: &str = "GET /badges/history";
const TEMPLATES: &str = "GET /badge-templates";

async fn tab(options: Options, tab: &str) -> Harness {
    let mut h = Harness::new(options, 120, 36).await;
    h.press(tab);
    h.settled().await;
    h
}

/// The first line of the list.
fn heading(screen: &str) -> String {
    screen.lines().nth(2).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_line_and_the_form_are_one_filter() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("title:파이썬 from:2026-01-01 한");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("/▌title:파이썬 from:2026-01-01 한"), "{screen}");
    h.press("ctrl-f");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Issued from")) && screen.contains("2026-01-01"), "{screen}");
    // What the form sets is in the line.
    h.press("tab tab ctrl-u");
    h.type_text("데이터 분석");
    h.press("ctrl-f");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("name:한 title:\"데이터 분석\" from:2026-01-01"), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("holder “한” · title “데이터 분석”"), "{screen}");
    h.press("esc");
    assert!(heading(&h.settled().await).contains(msg_part("600 badges")), "esc clears it");
}

#[tokio::test]
async fn the_form_has_a_key_of_its_own() {
    for place in ["1", "2"] {
        let mut h = tab(small(), place).await;
        h.press("=");
        assert!(h.screen().contains(msg("Title")), "{}", h.screen());
        h.press(if place == "1" { "ctrl-u" } else { "tab tab" });
        h.type_text("파이썬");
        h.press("enter");
        assert!(heading(&h.settled().await).contains("title “파이썬”"), "{}", h.screen());
    }
}

/// The suggestions of the line are those of the form, and an unfinished word that has one is completed.
#[tokio::test]
async fn the_form_has_the_suggestions_of_the_line() {
    let mut h = tab(small(), "2").await;
    // The state is the eighth field.
    h.press("= tab tab tab tab tab tab tab");
    let screen = h.settled().await;
    assert!(screen.contains("waiting") && screen.contains("revoking"), "all states: {screen}");
    h.press("down down down enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("state Issued"), "the third is taken: {screen}");
    h.press("ctrl-u");
    h.type_text("revoked");
    h.press("ctrl-u");
    h.type_text("wai");
    h.press("tab");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("state Waiting"), "completed: {screen}");
    assert!(screen.contains("failed"), "the words of the next field: {screen}");
    // Back to the first date.
    h.press("esc =");
    h.press("backtab backtab backtab backtab backtab");
    h.type_text("this m");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("issued from 20"), "completed and applied: {screen}");
    assert!(!screen.contains(msg_part("is not a date")), "{screen}");
}

#[tokio::test]
async fn enter_completes_an_unfinished_word_of_the_line() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("state:wai");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("state Waiting"), "{screen}");
    // A word that has several stays, with its mistake.
    h.press("/ ctrl-u");
    h.type_text("state:revo");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("/▌state:revo"), "{screen}");
    assert!(screen.contains(msg_part("is none of")), "{screen}");
}

#[tokio::test]
async fn what_a_list_shows_can_be_typed() {
    let mut h = tab(small(), "2").await;
    let waiting = |minutes_ago| RowSpec { minutes_ago, ..one("기다림", RowState::Waiting) };
    h.sandbox
        .control()
        .rows(&Rows { insert: vec![waiting(31 * 60 + 30), waiting(8 * 60 + 30)], ..Rows::default() })
        .expect("inserted");
    for (line, words, badges) in [
        ("state:overdue name:기다림", "state Overdue", "1 badge"),
        ("state:발급 지연 name:기다림", "state Overdue", "1 badge"),
        ("state:발급 대기 기다림", "state Waiting", "2 badges"),
        ("state:waiting name:기다림", "state Waiting", "2 badges"),
    ] {
        h.press("/ ctrl-u");
        h.type_text(line);
        h.press("enter");
        let screen = h.settled().await;
        assert!(heading(&screen).contains(words) && heading(&screen).contains(badges), "{line}: {screen}");
        assert!(screen.contains("31h/24h"), "{line}: {screen}");
        assert_eq!(screen.contains("8h/24h"), badges == "2 badges", "{line}: {screen}");
    }
}

#[tokio::test]
async fn a_waiting_mail_is_a_filter_of_its_own() {
    let mut h = tab(small(), "2").await;
    let with = |word: &str| RowSpec { email_status: word.into(), ..one("기다림", RowState::Issued) };
    h.sandbox
        .control()
        .rows(&Rows { insert: vec![with("WAIT"), with("FAIL"), with("opened")], ..Rows::default() })
        .expect("inserted");
    for (line, word, hidden) in [
        ("mail:waiting name:기다림", "WAIT", "FAIL"),
        ("mail:failed name:기다림", "FAIL", "WAIT"),
        ("mail:opened name:기다림", "opened", "FAIL"),
    ] {
        h.press("/ ctrl-u");
        h.type_text(line);
        h.press("enter");
        let screen = h.settled().await;
        assert!(heading(&screen).contains("1 badge"), "{line}: {screen}");
        assert!(screen.contains(word) && !screen.contains(hidden), "{line}: {screen}");
    }
}

#[tokio::test]
async fn titles_are_suggested_and_stand_for_their_templates() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("title:파이썬");
    let screen = h.settled().await;
    let suggested = screen.lines().filter(|line| line.contains("title:") && line.contains("파이썬")).count();
    assert!(suggested > 1, "the titles of loaded badges: {screen}");
    h.press("esc esc 1");
    h.settled().await;
    let before = requests(&h, TEMPLATES);
    h.press("/");
    h.type_text("id:파이썬");
    let screen = h.settled().await;
    assert!(screen.contains("TPL-"), "the id is beside its title: {screen}");
    h.press("down enter enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("1 template") && heading(&screen).contains("파이썬"), "{screen}");
    assert!(requests(&h, TEMPLATES) > before, "the service filters by the id");
}

#[tokio::test]
async fn a_wrong_word_is_named_and_its_text_stays() {
    let mut h = tab(small(), "2").await;
    let before = requests(&h, HISTORY);
    h.press("/");
    h.type_text("titel:파이썬 state:waiting");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("unknown field")) && screen.contains(msg_part("did you mean")),
        "{screen}"
    );
    h.press("ctrl-f");
    assert!(
        heading(&h.screen()).contains("titel:파이썬"),
        "the form waits for its correction: {}",
        h.screen()
    );
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        heading(&screen).contains(msg_part("600 badges")) && screen.contains(msg_part("unknown field")),
        "{screen}"
    );
    assert_eq!(requests(&h, HISTORY), before);
    h.press("/");
    assert!(heading(&h.screen()).contains("titel:파이썬 state:waiting"), "{}", h.screen());
    // Esc takes what is wrong away too.
    h.press("esc esc /");
    assert!(!heading(&h.screen()).contains("titel"), "{}", h.screen());
    h.type_text("from:2026-13-01");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("2026-13-01 is not a date")), "{screen}");
}

#[tokio::test]
async fn suggestions_complete_fields_and_values() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("sta");
    let screen = h.screen();
    assert!(screen.contains(msg("state:")), "{screen}");
    h.press("tab");
    let screen = h.screen();
    assert!(screen.contains("state:waiting") && screen.contains("state:revoked"), "{screen}");
    h.press("down down down enter");
    assert!(heading(&h.screen()).contains("/▌state:issued"), "{}", h.screen());
    h.type_text("from:");
    let screen = h.screen();
    assert!(screen.contains(msg("this week")) && screen.contains(msg("today")), "{screen}");
    h.press("tab enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("state Issued")), "{screen}");
}

#[tokio::test]
async fn a_category_is_named_and_the_service_gets_its_id() {
    let mut h = tab(small(), "1").await;
    h.press("/");
    h.settled().await;
    h.type_text("category:");
    let screen = h.settled().await;
    let names: Vec<&str> = screen.lines().filter_map(|line| line.trim().strip_prefix("category:")).collect();
    assert!(!names.is_empty(), "{screen}");
    h.press("tab");
    let screen = h.settled().await;
    let before = requests(&h, TEMPLATES);
    assert!(before > 0, "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("category “"), "{screen}");
    let shown: u64 =
        heading(&screen).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    assert!((1..40).contains(&shown), "{screen}");
    // The form has the id that is sent.
    h.press("/ ctrl-f");
    assert!(h.screen().contains("C01"), "{}", h.screen());
    h.press("esc esc /");
    h.type_text("type:수료");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("type ")), "{screen}");
    assert!(!screen.contains(msg_part("is none of")), "{screen}");
}

/// The table shows the names, never the codes.
#[tokio::test]
async fn the_form_names_badge_types_as_the_list_does() {
    let mut h = tab(small(), "1").await;
    h.press("=");
    let screen = h.settled().await;
    assert!(screen.contains("수료, ") && !screen.contains("COMPLETE,"), "{screen}");
    // The third field. A beginning that has a suggestion is no mistake yet.
    h.press("tab tab");
    h.type_text("수");
    let screen = h.screen();
    assert!(screen.contains("수료") && !screen.contains(msg_part("is none of")), "{screen}");
    h.type_text("xx");
    let screen = h.screen();
    let (_, named) = screen.split_once(msg_part("is none of")).expect("a mistake");
    let line = named.lines().next().unwrap_or_default();
    assert!(line.contains("수료") && !line.contains("COMPLETE"), "{screen}");
}

fn one(name: &str, state: RowState) -> RowSpec {
    RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        ..RowSpec::default()
    }
}

#[tokio::test]
async fn a_state_narrows_what_is_loaded_and_says_so() {
    let mut h = tab(small(), "2").await;
    let insert = vec![one("한서윤", RowState::Waiting), one("오지호", RowState::Revoked)];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("r /");
    h.type_text("state:revoked");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("within 300 loaded of 602")), "{screen}");
    assert!(screen.contains("오지호") && !screen.contains("Issued  "), "{screen}");
    // Beyond the last match, the rest is loaded.
    h.press("G j");
    let screen = h.settled().await;
    assert!(!heading(&screen).contains("within"), "all were compared: {screen}");
    // Marks are those that are shown.
    h.press("a");
    let marked = h.tui.app.marked().len();
    let shown: usize =
        heading(&h.settled().await).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    assert_eq!(marked, shown);
    assert!(marked < 602 && marked > 0);
    h.press("esc");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("602 badges")), "{screen}");
    assert_eq!(h.tui.app.marked().len(), marked, "they stay marked");
}

#[tokio::test]
async fn marking_all_that_match_respects_what_lapel_compares() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("state:revoked");
    h.press("enter");
    h.settled().await;
    h.press("* a");
    let screen = h.screen();
    assert!(screen.contains(&msg_with("Read {n} badges and mark those that match?", &[&600])), "{screen}");
    h.press("enter");
    h.settled().await;
    let marked = h.tui.app.marked().len();
    assert!(marked > 0 && marked < 300, "only the revoked ones: {marked}");
    h.press("G j G j");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(&format!("{marked} badges")), "as many as there are: {screen}");
    assert!(!screen.contains(msg_part("hidden)")), "{screen}");
    h.press("/ ctrl-u");
    h.type_text("state:issued");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("({marked} hidden)")), "{screen}");
}

#[tokio::test]
async fn a_range_marks_no_row_that_is_hidden() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("state:revoked");
    h.press("enter");
    h.settled().await;
    h.press("v j j v");
    h.settled().await;
    assert_eq!(h.tui.app.marked().len(), 3);
    h.press("x");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{n} already revoked", &[&3])), "all three are revoked: {screen}");
}

#[tokio::test]
async fn a_narrowed_filter_is_saved_and_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("filters.toml");
    let mut h = Harness::new(small(), 80, 24).await;
    h.tui.app.set_options(AppOptions { filters: Some(path.clone()), ..AppOptions::default() });
    h.settled().await;
    h.press("2 /");
    h.type_text("state:revoked mail:failed");
    h.press("f2");
    h.settled().await;
    h.type_text("to check");
    h.press("enter");
    h.shows(msg_part("Saved as")).await;
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(text.contains("state = \"revoked\"\nmail = \"failed\""), "the same in every language: {text}");
    h.press("esc esc");
    assert!(heading(&h.settled().await).contains(msg_part("600 badges")));
    h.press("f");
    h.settled().await;
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("state Revoked · mail failed"), "{screen}");
}

#[tokio::test]
async fn an_export_has_the_rows_that_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("revoked.csv");
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("state:revoked");
    h.press("enter");
    let screen = h.settled().await;
    let shown: usize =
        heading(&screen).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    h.press("e ctrl-u");
    h.type_text(file.to_str().expect("UTF-8"));
    h.press("enter");
    h.settled().await;
    let text = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(text.lines().count(), shown + 1, "{text}");
}

#[tokio::test]
async fn copies_of_a_badge_are_counted_in_the_loaded_rows() {
    let mut h = Harness::new(small(), 80, 24).await;
    let again = || one("한서윤", RowState::Waiting);
    let insert = vec![again(), again(), one("한서윤", RowState::Issued)];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    let screen = h.settled().await;
    let words = msg_with("{copies} copies among the loaded rows: {states}", &[&3, &"1 Issued, 2 Waiting"]);
    assert!(screen.contains(&words), "below the list: {screen}");
    resize_to(&mut h, 120, 30);
    let screen = h.settled().await;
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(msg_part("3 copies among")), "in the preview: {screen}");
}

/// A note about copies takes no cell of a title while there are free ones.
#[tokio::test]
async fn a_title_is_whole_beside_the_note_about_its_copies() {
    let mut h = Harness::new(small(), 109, 30).await;
    let again = || one("한서윤", RowState::Issued);
    let insert = vec![again(), again(), again()];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2 /");
    h.type_text("email:story@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("story@")).collect();
    assert!(rows.iter().filter(|row| row.contains("한서윤")).count() >= 3, "{screen}");
    assert!(rows.iter().any(|row| row.contains("3 copies")), "there is room for the long note: {screen}");
    assert!(rows.iter().all(|row| !row.contains('…')), "{screen}");
}

pub fn resize_to(h: &mut Harness, columns: u16, rows: u16) {
    h.tui.surface.resize(columns, rows);
    h.tui.app.update(Message::Resize(columns, rows));
}

#[tokio::test]
async fn a_line_with_a_mistake_is_not_closed_as_if_it_filtered() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("/");
    h.type_text("state:zz");
    h.press("enter");
    assert!(h.settled().await.contains("state:zz"), "{}", h.screen());
    h.press("esc");
    assert!(!h.settled().await.contains("state:zz"), "{}", h.screen());
}

#[tokio::test]
async fn an_index_that_has_every_badge_answers_for_the_whole_history() {
    let mut h = Harness::with(small(), 120, 36, overview::with_index).await;
    let insert = vec![one("한서윤", RowState::Waiting), one("오지호", RowState::Revoked)];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("2");
    h.settled().await;
    let before = requests(&h, HISTORY);
    h.press("/");
    h.type_text("state:revoked");
    h.press("enter");
    let screen = h.settled().await;
    // At 120 columns in its short form, beside a long filter.
    let source = msg("index {time}").split(' ').next().expect("a word");
    assert!(heading(&screen).contains(source) && !heading(&screen).contains(msg_part("within")), "{screen}");
    assert!(screen.contains("오지호") && !screen.contains("한서윤"), "{screen}");
    assert_eq!(requests(&h, HISTORY), before, "nothing was read from the service");
    let shown: u64 =
        heading(&screen).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(shown > 1 && shown < 602, "{screen}");
    // The service is asked again without the filter, and what it filters is kept.
    h.press("/");
    h.type_text(" title:없는제목");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(source) && screen.contains(msg_part("No badges match")), "{screen}");
    h.press("esc");
    let screen = h.settled().await;
    assert!(
        heading(&screen).contains(msg_part("602 badges")) && !heading(&screen).contains(source),
        "{screen}"
    );
}

#[tokio::test]
async fn a_type_and_a_category_are_taken_by_the_names_that_are_shown() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.settled().await;
    h.type_text("category:");
    let screen = h.settled().await;
    let name = screen
        .lines()
        .find_map(|line| Some(line.trim().strip_prefix("category:")?.trim().to_owned()))
        .expect("the names of the categories");
    h.type_text(name.split_whitespace().next().unwrap_or_default());
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("category “"), "{screen}");
    assert!(heading(&screen).contains(msg_part("within 300 loaded of 600")), "{screen}");
    h.press("esc /");
    // The code of the contract means the name in the rows.
    h.type_text("type:COMPLETE");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("type “") && !heading(&screen).contains("COMPLETE"), "{screen}");
    assert!(!heading(&screen).trim_start().starts_with('0'), "{screen}");
}

#[tokio::test]
async fn what_the_index_lists_is_saved_and_marked_as_it_is_listed_without_a_request() {
    let mut h = Harness::with(small(), 120, 36, overview::with_index).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("/");
    h.type_text("state:issued");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("from the index")), "{screen}");
    let shown: usize =
        heading(&screen).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(shown > 100, "more than one page of the service: {screen}");
    let before = requests(&h, HISTORY);
    h.press("* a");
    h.shows(&msg_with("Marked {n} rows.", &[&shown])).await;
    assert_eq!((h.tui.app.marked().len(), requests(&h, HISTORY)), (shown, before));
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for (keys, name) in [("e ctrl-u", "marked.csv"), ("* n e ctrl-u", "list.csv")] {
        let file = folder.path().join(name);
        h.press(keys);
        h.settled().await;
        h.paste(&file.display().to_string());
        h.press("enter");
        h.shows(&format!("Saved {shown} rows")).await;
        let mut written = csv::Reader::from_path(&file).expect("a file");
        let mut ids: Vec<String> = written.records().map(|row| row.expect("a row")[0].to_owned()).collect();
        ids.sort();
        files.push(ids);
    }
    assert_eq!(files[0], files[1], "the marked rows are those of the list");
    assert_eq!(files[0].len(), shown);
    assert_eq!(requests(&h, HISTORY), before, "files are made of what lapel has");
    // The service compares whole addresses, the index parts of them.
    h.press("/");
    h.type_text(" email:example");
    h.press("enter");
    let screen = h.settled().await;
    let shown: usize =
        heading(&screen).split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(shown > 100, "{screen}");
    h.press("* a");
    h.shows(&msg_with("Marked {n} rows.", &[&shown])).await;
    assert_eq!(h.tui.app.marked().len(), shown);
}

#[tokio::test]
async fn a_refresh_finds_an_index_that_was_read_after_the_filter_was_applied() {
    let mut h = Harness::with(small(), 120, 36, overview::with_index).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("/");
    h.type_text("state:issued");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("within")), "{screen}");
    h.press("0 G enter");
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("r");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("from the index")), "{screen}");
}

/// The badges have changed since the index was read: a refresh reads them, as in any other list.
#[tokio::test]
async fn a_refresh_of_a_list_from_the_index_reads_the_history_first() {
    let mut h = Harness::with(small(), 120, 36, overview::with_index).await;
    let waits = RowSpec { minutes_ago: 1, ..one("한서윤", RowState::Waiting) };
    h.sandbox.control().rows(&Rows { insert: vec![waits], ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("/");
    h.type_text("state:waiting");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("from the index")) && screen.contains("한서윤"), "{screen}");
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    // Another tab hears the service's clock. The row may be issued by now, so it is not called overdue.
    h.press("1 r");
    h.settled().await;
    h.press("2");
    let screen = h.settled().await;
    let row = screen.lines().find(|line| line.contains("한서윤")).expect("the row");
    assert!(!row.contains("25h/24h") && row.contains("m/24h"), "{screen}");
    let before = requests(&h, HISTORY);
    h.press("r");
    assert!(
        h.screen().contains(msg("lapel reads the history into the index, and then shows this list again."))
    );
    let screen = h.settled().await;
    assert!(requests(&h, HISTORY) > before, "{screen}");
    assert!(heading(&screen).contains(msg_part("from the index")) && !screen.contains("한서윤"), "{screen}");
    // A reading that fails leaves the rows, and says why.
    h.sandbox.control().add_fault("get /badges/history status=500 times=50").expect("a fault");
    let before = heading(&screen);
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Service error (HTTP 500")), "{screen}");
    assert_eq!(heading(&screen), before, "{screen}");
}

#[tokio::test]
async fn a_narrowed_list_that_cannot_be_read_is_no_part_of_anything() {
    let mut h = tab(small(), "2").await;
    h.sandbox.control().add_fault("get /badges/history status=500 times=50").expect("a fault");
    h.press("r");
    h.settled().await;
    h.press("/");
    h.type_text("state:waiting");
    h.press("enter");
    let screen = h.settled().await;
    let first = heading(&screen);
    assert!(first.contains(msg("badges not read")) && !first.contains(msg_part("within")), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("r");
    let screen = h.settled().await;
    assert!(heading(&screen).contains(msg_part("within")), "{screen}");
}

#[tokio::test]
async fn a_filter_that_is_too_long_for_its_line_ends_in_an_ellipsis() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("2 /");
    h.type_text("title:데이터 email:naru.example from:2020-01-01 to:2030-01-01");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).trim_end().ends_with('…'), "{screen}");
}

/// Otherwise a "0" of the index or of the loaded rows looks like the answer of the service.
#[tokio::test]
async fn a_filter_that_is_too_long_for_its_line_does_not_hide_the_source_of_the_rows() {
    for source in [msg("index"), msg_part("within 300")] {
        let mut h = Harness::with(small(), 80, 36, overview::with_index).await;
        h.settled().await;
        if source == msg("index") {
            h.press("0 G enter");
            h.settled().await;
        }
        h.press("2");
        h.settled().await;
        h.press("/");
        h.type_text("state:issued mail:failed from:2020-01-01 to:2030-12-31");
        h.press("enter");
        let screen = h.settled().await;
        assert!(heading(&screen).trim_end().ends_with(&format!("… · {source}")), "{screen}");
        h.press("/");
        let screen = h.screen();
        assert!(heading(&screen).contains(&format!(" · {source}")), "the line is open: {screen}");
    }
}

#[tokio::test]
async fn the_column_that_a_filter_is_about_stays_and_the_widths_follow_the_rows() {
    let mut h = tab(frozen(), "2").await;
    let columns = |screen: &str| screen.lines().nth(3).unwrap_or_default().to_owned();
    let before = columns(&h.screen());
    assert!(before.contains(msg("Mail")), "{before}");
    for (filter, column) in
        [("mail:failed", "Mail"), ("state:revoked mail:failed", "Mail"), ("type:COMPLETE", "Type")]
    {
        h.press("/ ctrl-u");
        h.type_text(filter);
        h.press("enter");
        let screen = h.settled().await;
        assert!(columns(&screen).contains(msg(column)), "{filter}:\n{screen}");
        h.press("esc g");
        let screen = h.settled().await;
        assert_eq!(columns(&screen), before, "{filter}:\n{screen}");
    }
}

#[tokio::test]
async fn a_hidden_mark_leaves_room_for_the_filter() {
    let mut h = tab(frozen(), "2").await;
    h.press("space /");
    h.type_text("state:revoked");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("state Revoked"), "{screen}");
    assert!(heading(&screen).contains(&msg_with("{marked} marked ({hidden} hidden)", &[&1, &1])), "{screen}");
    // A longer filter leaves less room for what lapel has filtered, and all of it for the marks.
    h.press("/");
    h.type_text(" title:데이터");
    h.press("enter");
    let screen = h.settled().await;
    assert!(heading(&screen).contains("title “데이터” · state Revoked"), "{screen}");
    assert!(heading(&screen).contains(&msg_with("{marked} marked ({hidden} hidden)", &[&1, &1])), "{screen}");
}

/// A person who revokes marked badges must know of those that the list does not show.
#[tokio::test]
async fn hidden_marks_are_counted_beside_a_filter_of_the_index_and_before_they_are_revoked() {
    for columns in [80, 120] {
        let mut h = Harness::with(small(), columns, 36, overview::with_index).await;
        // The newest rows. Their mails were sent.
        let insert = vec![one("한서윤", RowState::Issued), one("오지호", RowState::Issued)];
        h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
        h.settled().await;
        h.press("0 G enter");
        h.settled().await;
        h.press("2");
        h.settled().await;
        h.press("/");
        h.type_text("state:issued");
        h.press("enter");
        h.settled().await;
        h.press("space space x");
        let hidden = msg_part("Hidden by the filter");
        assert!(!h.settled().await.contains(hidden), "all marked rows are shown: {}", h.screen());
        h.press("esc /");
        h.type_text(" mail:failed");
        h.press("enter");
        let screen = h.settled().await;
        let heading = heading(&screen);
        assert!(heading.contains("state Issued · mail failed · "), "{screen}");
        assert!(heading.contains(&msg_with("{marked} marked ({hidden} hidden)", &[&2, &2])), "{screen}");
        h.press("x");
        let screen = h.settled().await;
        let words = msg_with("Hidden by the filter: {n} of {all} marked badges.", &[&2, &2]);
        assert!(screen.contains(&words), "{screen}");
    }
}

#[tokio::test]
async fn a_misspelt_mail_word_is_refused_with_the_known_ones() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("mail:sennt");
    h.press("enter");
    let screen = h.settled().await;
    let words = msg_with(
        "{label}: {shown} is none of {all}",
        &[&"Mail", &"sennt", &"sent, failed, waiting, none, WAIT"],
    );
    assert!(screen.contains(&words), "{screen}");
    assert!(heading(&screen).contains("/▌mail:sennt"), "{screen}");
    h.press("ctrl-u");
    h.type_text("mail:SENT");
    h.press("enter");
    assert!(heading(&h.settled().await).contains(msg_part("mail sent")), "{}", h.screen());
}

/// The contract does not list the words, so one that no loaded row has may be right.
#[tokio::test]
async fn a_mail_word_that_no_loaded_row_has_is_accepted() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    h.type_text("mail:DEFERRED");
    h.press("enter");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("is none of")), "{screen}");
    assert!(heading(&screen).contains("mail DEFERRED"), "{screen}");
}

#[tokio::test]
async fn a_suggested_field_has_an_example() {
    let mut h = tab(small(), "2").await;
    h.press("/");
    let screen = h.settled().await;
    for example in [
        msg_with("e.g. {value}", &[&"waiting"]),
        msg_with("{label}, e.g. {value}", &[&"Issued from", &"2026-11-01"]),
    ] {
        assert!(screen.contains(&example), "{example}:\n{screen}");
    }
}

#[tokio::test]
async fn the_preview_keeps_its_place_behind_the_categories() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    h.settled().await;
    let pane = |screen: &str| {
        let lines: Vec<String> = screen.lines().skip(2).take(8).map(str::to_owned).collect();
        lines.iter().filter_map(|line| Some(line.split_once('┃')?.1.to_owned())).collect::<Vec<_>>()
    };
    let before = pane(&h.screen());
    assert!(!before.is_empty(), "{}", h.screen());
    h.press("b");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Categories and badge types")), "{screen}");
    assert_eq!(pane(&screen), before, "{screen}");
}
