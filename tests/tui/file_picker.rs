//! Choosing a file: recent files, folders, a narrowed list, and what a file holds before it is opened.

use super::*;
use crate::common::texts::{msg, msg_part};
use std::path::Path;

const ROWS: &str = "name,email\n한서윤,seoyun.han@naru.example\n\u{1b}[2J임하늘,haneul.lim@naru.example\n";

/// On the file field of the issue form, with this path typed.
async fn at_field(h: &mut Harness, path: &Path) {
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.paste(path.to_str().expect("UTF-8"));
    h.settled().await;
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("sub")).expect("made");
    for (name, text) in [
        ("attendees.csv", ROWS),
        ("other.csv", "name,email\nother,o@naru.example\n"),
        ("sub/inner.csv", ROWS),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let large = std::fs::File::create(folder.path().join("large.csv")).expect("made");
    large.set_len(5 * 1024 * 1024).expect("long");
    folder
}

#[tokio::test]
async fn a_file_is_found_previewed_and_taken() {
    let folder = folder();
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    at_field(&mut h, &folder.path().join("none")).await;
    h.press("ctrl-o");
    h.shows("other.csv").await;
    let screen = h.settled().await;
    assert!(screen.contains("../") && screen.contains("sub/") && !screen.contains(msg("recent")), "{screen}");
    // Letters that follow each other are enough.
    h.type_text("atdcsv");
    let screen = h.shows("한서윤 | seoyun.han@naru.example").await;
    assert!(screen.contains("␛[2J임하늘") && !screen.contains("other.csv"), "{screen}");
    assert!(screen.contains(msg("no job has used it")) && screen.contains("CSV"), "{screen}");
    h.press("ctrl-u");
    h.type_text("large");
    h.shows(msg("The file is too large for a preview.")).await;
    h.press("ctrl-u");
    h.type_text("zzz");
    assert!(h.screen().contains(msg_part("no match")), "{}", h.screen());
    h.press("enter");
    assert_eq!(h.tui.app.modal(), Some("FilePicker"));
    // Into a folder and out of it.
    h.press("ctrl-u");
    h.type_text("sub");
    h.press("enter");
    h.shows("inner.csv").await;
    h.press("backspace");
    h.shows("attendees.csv").await;
    h.type_text("atdcsv");
    h.press("enter");
    assert_eq!(h.tui.app.modal(), Some("IssueForm"));
    let screen = h.screen();
    assert!(screen.contains("attendees.csv"), "{screen}");
}

#[tokio::test]
async fn a_file_that_a_job_has_used_is_recent_and_says_so() {
    let folder = folder();
    let path = folder.path().join("attendees.csv");
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    at_field(&mut h, &path).await;
    h.press("enter");
    h.shows("columns").await;
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
    h.confirm_draft("1").await;
    h.shows(msg("Problem")).await;
    at_field(&mut h, &folder.path().join("sub/none")).await;
    h.press("ctrl-o");
    h.shows("inner.csv").await;
    h.until("the recent file", |s| s.contains(msg("recent")) && s.contains(msg_part("used by job"))).await;
    h.press("enter");
    assert!(h.screen().contains("attendees.csv"), "{}", h.screen());
    // A picker that is left changes nothing.
    h.press("ctrl-o");
    h.shows("other.csv").await;
    h.press("esc");
    assert_eq!(h.tui.app.modal(), Some("IssueForm"));
    assert!(h.screen().contains("attendees.csv"), "{}", h.screen());
}

#[tokio::test]
async fn a_long_path_is_cut_in_the_middle_and_whole_in_the_preview() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("a-folder-with-a-long-name/and-another-one-in-it/and-one-more");
    std::fs::create_dir_all(&deep).expect("made");
    let path = deep.join("attendees-of-the-course.csv");
    std::fs::write(&path, ROWS).expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    at_field(&mut h, &path).await;
    h.press("enter");
    h.shows("columns").await;
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
    h.press("esc esc");
    at_field(&mut h, &folder.path().join("none")).await;
    h.press("ctrl-o");
    let shows = |s: &str| s.contains(msg("recent")) && s.contains("byte");
    let screen = h.until("the recent file", shows).await;
    let listed = screen.lines().find(|line| line.contains(msg("recent"))).expect("the recent file");
    assert!(listed.contains('…') && listed.contains("/attendees-of-the-course.csv"), "{screen}");
    let whole: String = screen.chars().filter(|c| !c.is_whitespace() && *c != '│').collect();
    assert!(whole.contains(path.to_str().expect("UTF-8")), "{screen}");
}

/// Where a new file is named, there is nothing to choose.
#[tokio::test]
async fn a_field_for_a_new_file_has_no_picker() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("L e");
    assert!(!h.screen().contains(Action::ChooseFile.hint()), "{}", h.screen());
    h.press("ctrl-o");
    assert_eq!(h.tui.app.modal(), Some("SaveText"));
}

#[tokio::test]
async fn in_a_folder_with_very_many_names_a_typed_beginning_finds_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    for n in 0..2_100 {
        std::fs::write(folder.path().join(format!("a{n:04}.csv")), "").expect("written");
    }
    std::fs::write(folder.path().join("zebra.csv"), ROWS).expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    at_field(&mut h, &folder.path().join("none")).await;
    h.press("ctrl-o");
    h.shows("a0000.csv").await;
    h.type_text("zeb");
    h.shows("한서윤 | seoyun.han@naru.example").await;
    // What was listed before stays listed.
    h.press("ctrl-u");
    h.type_text("a0001");
    h.shows("a0001.csv").await;
}
