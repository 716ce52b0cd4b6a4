//! What was looked up is offered again: newest first, per profile, in a private file, or not at all.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::config::AppSettings;
use lapel::tui::{AppOptions, ProfileSession};
use std::path::Path;

fn kept_in(folder: &Path) -> impl FnOnce(ProfileSession) -> ProfileSession + use<> {
    let folder = folder.to_owned();
    move |session| ProfileSession { name: "uni".into(), ..session }.kept_in(folder)
}

async fn look_up(h: &mut Harness, text: &str) {
    h.press("3");
    h.paste(text);
    h.press("enter");
    h.settled().await;
}

#[tokio::test]
async fn the_palette_finds_templates_that_an_earlier_run_has_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 80, 24, kept_in(folder.path())).await;
    h.settled().await;
    h.press("1");
    h.settled().await;
    let mut h = h.reopened(kept_in(folder.path()), 80, 24).await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    let before = all_requests(&h);
    h.press(":");
    h.type_text("TPL-004");
    let screen = h.screen();
    let found = msg_with("template: {title}", &[&""]);
    assert!(screen.lines().any(|line| line.contains('▌') && line.contains(found.trim())), "{screen}");
    assert_eq!(all_requests(&h), before, "it is known without a request");
}

#[tokio::test]
async fn what_was_looked_up_is_offered_newest_first_and_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recent/uni.json");
    let mut h = Harness::with(small(), 80, 24, kept_in(folder.path())).await;
    h.settled().await;
    h.press("3");
    assert!(!h.screen().contains(msg("Looked up earlier")), "{}", h.screen());
    look_up(&mut h, "<Seoyun.Han@naru.example>").await;
    look_up(&mut h, "임하늘").await;
    // The key of the profile, in the wrong box.
    let key = h.sandbox.api_key().to_owned();
    look_up(&mut h, &key).await;
    h.press("esc 4");
    h.type_text("B-1");
    h.press("enter");
    h.settled().await;
    let text = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(
        text,
        r#"{"look_ups":["임하늘","Seoyun.Han@naru.example"],"badges":["B-1"],"ids_files":[],"exports":[]}"#
    );
    #[cfg(unix)]
    assert_eq!(lapel::fs::mode_of(&std::fs::metadata(&file).expect("there")), 0o600);

    let mut h = h.reopened(kept_in(folder.path()), 80, 24).await;
    h.settled().await;
    h.press("3");
    let screen = h.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(at("Looked up earlier  ↑") < at("임하늘") && at("임하늘") < at("Seoyun.Han"), "{screen}");
    assert!(screen.contains("↑ earlier"), "{screen}");
    let before = all_requests(&h);
    h.press("up up");
    assert!(h.screen().contains(msg_part("looks up this e-mail address")), "{}", h.screen());
    assert_eq!(all_requests(&h), before, "going through them asks nothing");
    h.press("enter");
    assert!(h.settled().await.contains("한서윤"));
    h.press("4");
    assert!(h.screen().contains(msg("Opened earlier")), "{}", h.screen());
    h.press("up");
    assert!(h.screen().contains("B-1"), "{}", h.screen());

    // Forgotten by the palette, with the file.
    h.press("esc :");
    h.type_text("forget");
    h.press("down enter");
    assert!(file.exists() && h.screen().contains(msg_part("cannot be undone")), "{}", h.screen());
    h.confirm("1");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("Forgot {n} recent inputs of this profile.", &[&3])), "{screen}");
    assert!(!file.exists());
    h.press("3 / ctrl-u up");
    assert!(!h.screen().contains("Seoyun"), "{}", h.screen());
}

#[tokio::test]
async fn a_half_typed_badge_id_is_offered_when_the_box_was_left() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("4");
    h.type_text("B-77");
    h.press("esc");
    assert!(!h.screen().contains("B-77"), "{}", h.screen());
    h.press("/");
    let screen = h.screen();
    let title = msg("Not opened yet, then opened earlier");
    assert!(screen.contains(title) && screen.contains("B-77"), "{screen}");
    h.press("up");
    let screen = h.screen();
    let is_in_box = |line: &str| line.contains(msg("Badge id")) && line.contains("B-77");
    assert!(screen.lines().any(is_in_box), "{screen}");
    // What is opened is not offered as half typed any more.
    h.press("enter");
    h.settled().await;
    h.press("esc / ctrl-u up");
    let screen = h.settled().await;
    assert!(screen.lines().any(is_in_box) && !screen.contains(title), "{screen}");
}

#[tokio::test]
async fn nothing_is_kept_where_it_is_off_and_what_was_kept_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recent/uni.json");
    std::fs::create_dir(folder.path().join("recent")).expect("a folder");
    std::fs::write(&file, r#"{"look_ups":["a@naru.example"]}"#).expect("written");
    let mut h = Harness::with(small(), 80, 24, kept_in(folder.path())).await;
    let settings = AppSettings { recent: false, ..AppSettings::default() };
    h.tui.app.set_options(AppOptions { settings, ..AppOptions::default() });
    h.settled().await;
    assert!(!file.exists());
    look_up(&mut h, "b@naru.example").await;
    h.press("/ ctrl-u up");
    let screen = h.settled().await;
    assert!(!screen.contains(msg("Looked up earlier")) && !screen.contains("@naru"), "{screen}");
    assert!(!file.exists());
}

#[tokio::test]
async fn a_demo_keeps_them_in_memory_and_another_profile_does_not_see_them() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    look_up(&mut h, "a@naru.example").await;
    h.press("/ ctrl-u");
    assert!(h.screen().contains(msg("Looked up earlier")), "{}", h.screen());
    let mut h = h.reopened(|session| session, 80, 24).await;
    h.settled().await;
    h.press("3");
    assert!(!h.screen().contains(msg("Looked up earlier")), "{}", h.screen());
}

#[tokio::test]
async fn a_damaged_file_or_a_folder_that_cannot_be_written_stops_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("recent"), "not a folder").expect("written");
    let mut h = Harness::with(small(), 80, 24, kept_in(folder.path())).await;
    h.settled().await;
    look_up(&mut h, "a@naru.example").await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("cannot save recent look-ups")), "{screen}");
    h.press("/ ctrl-u");
    assert!(h.screen().contains("a@naru.example"), "still offered:\n{}", h.screen());
}

#[tokio::test]
async fn a_file_of_ids_is_offered_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids = folder.path().join("ids.csv");
    std::fs::write(&ids, "B-1\n").expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("F");
    h.paste(ids.to_str().expect("UTF-8"));
    h.press("enter");
    h.type_text("중복 발급");
    h.press("enter");
    h.settled().await;
    h.press("esc esc esc esc F");
    let screen = h.settled().await;
    assert!(screen.contains("ids.csv"), "{screen}");
    h.press("up");
    assert!(h.screen().contains("File   ▌/") || h.screen().contains("ids.csv"), "{}", h.screen());
}
