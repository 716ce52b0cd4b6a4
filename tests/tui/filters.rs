//! Filters with names: saved, used, found in the palette, renamed, removed; and the file that they stand in.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::tui::AppOptions;
use std::path::PathBuf;
use tempfile::TempDir;

async fn with_file(text: Option<&str>) -> (Harness, PathBuf, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("filters.toml");
    if let Some(text) = text {
        std::fs::write(&path, text).expect("written");
    }
    let mut h = Harness::new(small(), 80, 24).await;
    h.tui.app.set_options(AppOptions { filters: Some(path.clone()), ..AppOptions::default() });
    h.settled().await;
    (h, path, folder)
}

fn text(path: &PathBuf) -> String {
    std::fs::read_to_string(path).expect("the file")
}

#[tokio::test]
async fn a_filter_is_saved_and_used_again_with_its_order() {
    let (mut h, path, _folder) = with_file(None).await;
    h.press("2");
    h.run_in_palette(Action::SaveFilter);
    assert!(h.screen().contains(msg_part("There is no filter or sort order to save.")), "{}", h.screen());
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬");
    h.press("esc s down down space enter");
    h.run_in_palette(Action::SaveFilter);
    let screen = h.settled().await;
    assert!(screen.contains(msg("Filter name")) && screen.contains("title 파이썬"), "{screen}");
    h.type_text("expiring 2026");
    h.press("enter");
    let screen = h.shows(msg_part("Saved as “expiring 2026”.")).await;
    assert!(screen.contains(&ordered_by("holder")), "the list is where it was: {screen}");
    assert!(
        text(&path)
            .ends_with("[history.\"expiring 2026\"]\ntitle = \"파이썬\"\nsort = \"recipient_name:desc\"\n"),
        "{}",
        text(&path)
    );
    let filtered = h.settled().await;
    h.press("esc esc s up up enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && !screen.contains(&ordered_by("holder")), "{screen}");
    let before = requests(&h, "GET /badges/history");
    h.press("f");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("expiring 2026  title 파이썬 · {}↓", ordered_by("holder"))), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history") - before, 1, "filter and order in one request");
    assert_eq!(screen.lines().nth(2), filtered.lines().nth(2), "as it was");
}

#[tokio::test]
async fn the_result_of_saving_reaches_the_form_below_the_help() {
    let (mut h, path, _folder) = with_file(None).await;
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬");
    h.press("f2");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Filter name")), "{screen}");
    h.type_text("mine");
    // The help is opened before the file is written.
    h.press("enter f1");
    h.settled().await;
    assert!(text(&path).contains("[history.mine]"), "{}", text(&path));
    h.press("esc");
    h.settled().await;
    assert_eq!(
        h.tui.app.modal(),
        None,
        "the form has closed itself, and the help was closed: {}",
        h.screen()
    );
}

#[tokio::test]
async fn a_saved_filter_is_an_entry_of_the_palette_from_every_tab() {
    let file = "[history.'seoyun']\nrecipient_name = '한서윤'\n[templates.\"in use\"]\nuse_yn = true\n";
    let (mut h, _path, _folder) = with_file(Some(file)).await;
    h.press("3 esc :");
    h.type_text("filter seo");
    let screen = h.screen();
    assert!(screen.contains(msg_part("filter: seoyun")), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("holder “한서윤”"), "{screen}");
    h.press(":");
    h.type_text("in use");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("templates · in use Y"), "{screen}");
}

#[tokio::test]
async fn one_is_renamed_replaced_and_removed_only_when_asked_twice() {
    let file = "# ours\n[history.a]\ntitle = 'x' # why\n\n[history.b]\ntitle = 'y'\n";
    let (mut h, path, _folder) = with_file(Some(file)).await;
    h.press("2");
    h.settled().await;
    h.press("f");
    h.settled().await;
    h.press("j f2 ctrl-u");
    h.type_text("만료 예정");
    h.press("enter");
    let screen = h.shows("만료 예정").await;
    assert!(screen.contains(msg("Saved filters of History")), "{screen}");
    assert!(text(&path).contains("# ours\n[history.a]\ntitle = 'x' # why"), "{}", text(&path));
    h.settled().await;
    h.press("X X enter esc k X");
    let screen = h.screen();
    assert!(
        screen.contains(msg_part("Remove the filter “a”")) && text(&path).contains("history.a"),
        "{screen}"
    );
    h.confirm("1");
    h.shows(msg_part("Removed “a”")).await;
    assert!(!text(&path).contains("history.a") && text(&path).contains("만료 예정"), "{}", text(&path));
    h.press("esc / ctrl-f tab tab");
    h.type_text("z");
    h.press("esc");
    h.run_in_palette(Action::SaveFilter);
    h.type_text("만료 예정");
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("Replace the filter “만료 예정”")) && text(&path).contains("'y'"),
        "{screen}"
    );
    h.press("enter esc enter");
    assert!(text(&path).contains("'y'"), "Enter alone replaces nothing: {}", h.screen());
    h.confirm("1");
    h.shows(msg_part("Saved as")).await;
    assert!(text(&path).contains("title = \"z\"") && !text(&path).contains("'y'"), "{}", text(&path));
}

#[tokio::test]
async fn a_damaged_file_is_told_by_line_and_never_overwritten() {
    let wrong = "[history.a]\ntitle = 'x'\nissue_start_date = 'tomorrow'\n[templates.b]\nuse_yn = 'maybe'\n";
    let (mut h, ..) = with_file(Some(wrong)).await;
    let screen = h.settled().await.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        screen.contains(msg_part("line 3")) && screen.contains(msg_part("tomorrow is not a date")),
        "{screen}"
    );
    assert!(screen.contains(msg_part("(and 1 more)")), "{screen}");
    // All of it is on the page where filters are chosen.
    h.press("f");
    let screen = h.settled().await.replace('│', " ");
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains(msg_part("line 3")) && screen.contains(msg_part("line 5")), "{screen}");
    assert!(screen.contains(msg_part("maybe is not Y or N")), "{screen}");
    let damaged = "[history.a]\ntitl = 'x'\n";
    let (mut h, path, _folder) = with_file(Some(damaged)).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("line 2")) && screen.contains(msg_part("did you mean")), "{screen}");
    let told = msg_part("Some saved filters cannot be used.");
    assert!(screen.contains(told), "{screen}");
    assert!(screen.contains(msg_part("40 templates")), "lapel goes on: {screen}");
    h.press("/");
    h.type_text("파이썬");
    h.press("esc");
    h.run_in_palette(Action::SaveFilter);
    h.type_text("b");
    h.press("enter");
    let screen = h.settled().await.replace('│', " ");
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains(&msg_with("did you mean {meant}?", &[&"title"])), "{screen}");
    assert_eq!(text(&path), damaged);
    // It is mended by hand while lapel runs.
    std::fs::write(&path, "[history.a]\ntitle = 'x'\n").expect("written");
    h.press("enter");
    h.shows(msg_part("Saved as “b”")).await;
    assert!(text(&path).contains("[templates.b]"), "{}", text(&path));
    h.press("j");
    assert!(!h.settled().await.contains(told), "it is mended: {}", h.screen());
}

#[tokio::test]
async fn what_is_not_typed_right_is_not_saved_and_hostile_names_are_scrubbed() {
    let file = "[history.\"a\u{202e}b\"]\ntitle = \"x\u{202e}\u{200b}\"\nissue_start_date = 2026-10-02\nissue_end_date = \
                2026-10-01\n";
    let (mut h, _path, _folder) = with_file(Some(file)).await;
    h.press("2");
    h.settled().await;
    h.press("f");
    let screen = h.settled().await;
    assert!(screen.contains("a⟨U+202E⟩b") && !screen.contains('\u{202e}'), "{screen}");
    let before = requests(&h, "GET /badges/history");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("wrong order: Issued from 2026-10-02, Issued to 2026-10-01"), "{screen}");
    h.run_in_palette(Action::SaveFilter);
    let screen = h.settled().await;
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(msg_part("Nothing was saved.")), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history"), before, "what is wrong is not asked");
}

/// A few short filters need no popup as wide as the screen.
#[tokio::test]
async fn the_popup_is_as_wide_as_its_filters() {
    let (mut h, _path, _folder) = with_file(Some("[history.\"a\"]\ntitle = \"파이썬\"\n")).await;
    let width = |screen: &str| {
        let edge =
            screen.lines().find(|line| line.contains(msg("Saved filters of History"))).expect("the popup");
        let (from, to) = (edge.find('┌').expect("an edge"), edge.find('┐').expect("another"));
        edge[from..to].chars().count()
    };
    h.press("2 f");
    let narrow = width(&h.settled().await);
    assert!(narrow < 60, "{}", h.screen());
    let long = "x".repeat(40);
    let (mut h, _path, _folder) = with_file(Some(&format!("[history.\"a\"]\ntitle = \"{long}\"\n"))).await;
    h.press("2 f");
    let screen = h.settled().await;
    assert!(width(&screen) > narrow && screen.contains(&long), "{screen}");
}
