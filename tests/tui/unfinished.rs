//! Input of a form that was not sent is there again when the same form opens, also after the end of the program.

use super::*;
use crate::activity::people;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use lapel::tui::{KeyContext, ProfileSession};
use std::path::Path;

const FILLED: &str = "Filled with your unfinished input. {key} clears it.";

fn kept_in(folder: &Path) -> impl FnOnce(ProfileSession) -> ProfileSession + use<> {
    let folder = folder.to_owned();
    move |session| ProfileSession { name: "uni".into(), ..session }.kept_in(folder)
}

fn filled() -> String {
    msg_with(FILLED, &[&"f8"])
}

/// Opens the issue form of the first template.
async fn issue(h: &mut Harness) -> String {
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await
}

async fn type_person(h: &mut Harness) {
    issue(h).await;
    h.type_text("가나다");
    h.press("tab");
    h.type_text("gana@naru.example");
}

#[tokio::test]
async fn a_closed_form_is_filled_again_until_it_is_cleared() {
    let mut h = Harness::new(small(), 100, 30).await;
    type_person(&mut h).await;
    h.press("esc j i");
    let screen = h.settled().await;
    assert!(!screen.contains("가나다"), "another template:\n{screen}");
    h.press("esc");
    h.press("k i");
    let screen = h.settled().await;
    assert!(screen.contains("가나다") && screen.contains("gana@naru.example"), "{screen}");
    assert!(screen.contains(&filled()), "{screen}");
    h.press("f8");
    assert!(!h.screen().contains("가나다"), "{}", h.screen());
    h.press("esc i");
    let screen = h.settled().await;
    assert!(!screen.contains("가나다") && !screen.contains(&filled()), "{screen}");
}

#[tokio::test]
async fn typed_input_survives_ctrl_c_and_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 100, 30, kept_in(folder.path())).await;
    type_person(&mut h).await;
    h.press("ctrl-c");
    assert!(h.tui.app.unsaved_input().is_some(), "written at the end of the program");
    h.settled().await;
    // As after a crash: nothing is written at the end.
    let mut h = h.reopened(kept_in(folder.path()), 100, 30).await;
    h.settled().await;
    let screen = issue(&mut h).await;
    assert!(screen.contains("가나다") && screen.contains("gana@naru.example"), "{screen}");
    assert!(h.tui.app.unsaved_input().is_none(), "nothing has changed");
    // A pause is enough.
    h.type_text("하");
    let file = folder.path().join("recent/uni.json");
    let has = |text: &str| std::fs::read_to_string(&file).is_ok_and(|file| file.contains(text));
    h.until("the input is written", |_| has("가나다하")).await;
    #[cfg(unix)]
    assert_eq!(lapel::fs::mode_of(&std::fs::metadata(&file).expect("there")), 0o600);
    // Sent input goes.
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    assert!(h.screen().contains(&asks("1")), "{}", h.screen());
    h.confirm("1");
    h.settled().await;
    assert!(!has("가나다"));
    let screen = issue(&mut h).await;
    assert!(!screen.contains("가나다") && !screen.contains(&filled()), "{screen}");
}

#[tokio::test]
async fn an_api_key_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 100, 30, kept_in(folder.path())).await;
    issue(&mut h).await;
    h.type_text("가나다");
    h.press("tab");
    let key = h.sandbox.api_key().to_owned();
    h.type_text(&key);
    h.press("esc");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("lapel did not keep a text that may be an API key or a password.")),
        "{screen}"
    );
    let file = std::fs::read_to_string(folder.path().join("recent/uni.json")).expect("the file");
    assert!(file.contains("가나다") && !file.contains(&key), "{file}");
    let screen = issue(&mut h).await;
    assert!(screen.contains("가나다") && !screen.contains(&key), "{screen}");
}

#[tokio::test]
async fn pasted_recipients_are_there_again_until_they_are_in_a_draft() {
    let mut h = Harness::new(small(), 100, 30).await;
    issue(&mut h).await;
    h.paste("가나, one@naru.example\n다라, two@naru.example\n");
    h.shows(msg_part("check every row")).await;
    h.press("esc");
    let pasted = msg_with("{n} lines pasted", &[&2]);
    assert!(h.screen().contains(&pasted), "{}", h.screen());
    h.press("esc i");
    let screen = h.settled().await;
    assert!(screen.contains(&pasted) && screen.contains(&filled()), "{screen}");
    h.press("enter");
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("esc esc i");
    let screen = h.settled().await;
    assert!(!screen.contains(&pasted), "{screen}");
}

#[tokio::test]
async fn reasons_and_corrections_are_there_again() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.press("2");
    h.settled().await;
    h.press("G");
    h.settled().await;
    h.press("x");
    h.settled().await;
    h.type_text("잘못 보냄");
    h.press("esc");
    assert_eq!(h.tui.app.modal(), None);
    h.press("x");
    let screen = h.settled().await;
    assert!(screen.contains("잘못 보냄") && screen.contains(&filled()), "{screen}");
    h.press("esc enter");
    h.settled().await;
    h.press("c");
    h.settled().await;
    assert_eq!(h.tui.app.modal(), Some("ReplaceForm"), "{}", h.screen());
    h.type_text("님");
    h.press("tab tab");
    h.type_text("개명");
    h.press("esc c");
    let screen = h.settled().await;
    assert!(screen.contains("개명") && screen.contains(&filled()), "{screen}");
    h.press("f8 esc c");
    let screen = h.settled().await;
    assert!(!screen.contains("개명") && !screen.contains(&filled()), "{screen}");
    h.press("esc");
    people(&mut h, 0..2).await;
    h.press("c");
    assert_eq!(h.tui.app.modal(), Some("EditRow"), "{}", h.screen());
    h.type_text("x");
    h.press("esc c");
    assert!(h.screen().contains(&filled()), "{}", h.screen());
}

/// Moves to a field of a form.
fn focus(h: &mut Harness, field: &str) {
    for _ in 0..20 {
        if h.screen().lines().any(|line| line.contains(field) && line.contains('▌')) {
            return;
        }
        h.press("tab");
    }
    panic!("no field {field}:\n{}", h.screen());
}

/// A key that no other one is like.
const MISPLACED: &str = "key2026inthewrongfield";

/// Types an address and an API key into the form of a new profile, and returns the key.
async fn type_profile(h: &mut Harness) -> String {
    let key = h.sandbox.api_key().to_owned();
    h.shows(msg("Base URL")).await;
    h.press("ctrl-u");
    h.type_text("https://badges.naru.example/api/v1/ext");
    // A key in the wrong field. lapel does not know its form.
    focus(h, msg("Organisation"));
    h.type_text(MISPLACED);
    assert!(h.screen().contains(MISPLACED), "{}", h.screen());
    focus(h, msg("API key"));
    h.type_text(&key);
    key
}

#[tokio::test]
async fn a_new_profile_is_there_again_without_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::welcome_in(folder.path(), 100, 40).await;
    h.settled().await;
    h.press("u");
    let key = type_profile(&mut h).await;
    let file = folder.path().join("recent/new profile.json");
    let text = || std::fs::read_to_string(&file).unwrap_or_default();
    h.until("a pause is enough, as before a crash", |_| text().contains("badges.naru.example")).await;
    h.press("esc");
    h.settled().await;
    assert!(!text().contains(&key) && !text().contains(MISPLACED), "{}", text());
    h.press("u");
    let screen = h.settled().await;
    assert!(screen.contains("badges.naru.example") && screen.contains(&filled()), "{screen}");
    // Another start, after ctrl-c.
    h.press("esc ctrl-c");
    let mut h = Harness::welcome_in(folder.path(), 100, 40).await;
    h.settled().await;
    h.press("u");
    let screen = h.settled().await;
    let line = screen.lines().find(|line| line.contains(msg("API key"))).expect("the field");
    assert!(screen.contains("badges.naru.example") && line.trim() == msg("API key"), "no key:\n{screen}");
    h.press("f8 esc u");
    let screen = h.settled().await;
    assert!(!screen.contains("badges.naru.example") && !screen.contains(&filled()), "{screen}");
}

/// Opens the form of a new profile and types a team's journal and its password.
async fn type_journal(h: &mut Harness, password: &str) {
    h.settled().await;
    h.press("u");
    h.shows(msg("Base URL")).await;
    h.press("ctrl-u");
    let (base_url, key) = (h.sandbox.base_url().to_owned(), h.sandbox.api_key().to_owned());
    h.type_text(&base_url);
    focus(h, msg("API key"));
    h.type_text(&key);
    focus(h, msg("Journal"));
    h.type_text("postgres://kim@db.example/badges");
    focus(h, msg("Password from"));
    // From "none" to the file.
    h.press("right tab");
    h.type_text(password);
}

#[tokio::test]
async fn a_typed_journal_password_is_neither_shown_nor_kept() {
    const PASSWORD: &str = "pa55 of kim";
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::welcome_in(folder.path(), 100, 40).await;
    type_journal(&mut h, PASSWORD).await;
    let screen = h.screen();
    let line = screen.lines().find(|line| line.contains('▌')).unwrap_or_default();
    assert!(line.trim_end().ends_with(&"*".repeat(PASSWORD.len())) && !screen.contains("pa55"), "{screen}");
    let file = folder.path().join("recent/new profile.json");
    let text = || std::fs::read_to_string(&file).unwrap_or_default();
    h.until("the input is written", |_| text().contains("db.example")).await;
    focus(&mut h, msg("API key"));
    // The first one asks for the time zone.
    h.press("enter enter");
    let screen = h.shows("is kept here").await;
    assert!(!screen.contains("pa55"), "an error: {screen}");
    let kept = format!("{:?}", h.tui.app.unsaved_input());
    assert!(!text().contains("pa55") && !kept.contains("pa55"), "{} {kept}", text());
    h.press("esc u");
    let screen = h.settled().await;
    assert!(screen.contains("db.example") && screen.contains(&filled()), "{screen}");
    assert!(screen.contains(msg("Password from")) && !screen.contains('*'), "no password: {screen}");
    // A password in the address is not kept either.
    focus(&mut h, msg("Journal"));
    h.press("end");
    h.type_text("?password=hunter3");
    assert!(h.screen().contains("hunter3"), "{}", h.screen());
    h.press("esc u");
    let screen = h.settled().await;
    assert!(screen.contains(&filled()) && !screen.contains("hunter3"), "{screen}");
    h.press("esc ctrl-c");
    assert!(!text().is_empty() && !text().contains("hunter3"), "{}", text());
    let kept = format!("{:?}", h.tui.app.unsaved_input());
    assert!(!kept.contains("hunter3"), "{kept}");
}

/// What is typed next must be seen.
#[tokio::test]
async fn a_cleared_profile_form_has_its_focus_on_a_line_that_is_shown() {
    let mut h = Harness::welcome(100, 40).await;
    type_journal(&mut h, "pa55 of kim").await;
    h.press("f8");
    h.type_text("zzz");
    let screen = h.screen();
    let line = screen.lines().find(|line| line.contains('▌')).unwrap_or_default();
    assert!(line.contains(msg("Journal")) && line.contains("zzz"), "{screen}");
}

#[tokio::test]
async fn a_profile_added_in_the_list_is_there_again_until_it_is_saved() {
    let mut h = Harness::new(small(), 100, 40).await;
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("enter");
    type_profile(&mut h).await;
    // esc closes the form and then the list.
    h.press("esc esc P");
    h.settled().await;
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("badges.naru.example") && screen.contains(&filled()), "{screen}");
    // A password in an address is not kept.
    h.press("ctrl-u");
    h.type_text("https://me:secret@naru.example");
    h.press("esc enter");
    let screen = h.settled().await;
    assert!(!screen.contains("secret"), "{screen}");
}

#[tokio::test]
async fn the_choices_of_an_import_are_there_again_after_another_tab() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    std::fs::write(&file, "별명,성명,이메일\n미나,김하나,kim@naru.example\n영이,이영희,lee@naru.example\n")
        .expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    super::files::drop_file(&mut h, &file.display().to_string()).await;
    h.shows("name = 성명, e-mail = 이메일").await;
    h.settled().await;
    // Opens the import again: the form of the template still has the name of the file.
    let again = async |h: &mut Harness| {
        let screen = issue(h).await;
        assert!(screen.contains(&filled()), "{screen}");
        h.press("enter");
        h.settled().await
    };
    h.press("m");
    h.shows("< 성명").await;
    h.press("left 2");
    h.settled().await;
    assert_eq!(h.tui.app.modal(), None, "{}", h.screen());
    let screen = again(&mut h).await;
    assert!(screen.contains("< 별명") && screen.contains(&filled()), "not accepted yet: {screen}");
    h.press("enter");
    h.shows("name = 별명, e-mail = 이메일").await;
    h.settled().await;
    h.press("tab");
    h.settled().await;
    assert_eq!(h.tui.app.modal(), None, "{}", h.screen());
    let screen = again(&mut h).await;
    assert!(screen.contains("name = 별명, e-mail = 이메일"), "{screen}");
    h.press("f8");
    let screen = h.settled().await;
    assert!(screen.contains("name = 성명, e-mail = 이메일"), "{screen}");
    h.press("alt-5");
    h.settled().await;
    let screen = again(&mut h).await;
    assert!(screen.contains("name = 성명, e-mail = 이메일"), "nothing is left to fill in: {screen}");
    // A file that cannot be read for a moment takes nothing away.
    h.press("m");
    h.shows("< 성명").await;
    h.press("left enter");
    h.shows("name = 별명, e-mail = 이메일").await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    let aside = file.with_extension("aside");
    std::fs::rename(&file, &aside).expect("moved");
    let screen = again(&mut h).await;
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(msg_part("lapel used what you chose before.")), "{screen}");
    std::fs::rename(&aside, &file).expect("moved back");
    h.press("enter");
    h.shows("name = 별명, e-mail = 이메일").await;
    h.settled().await;
    h.press("f8");
    h.shows("name = 성명, e-mail = 이메일").await;
    h.settled().await;
    // Back drops what was chosen.
    h.press("m");
    h.shows("< 성명").await;
    h.press("left enter");
    h.shows("name = 별명, e-mail = 이메일").await;
    h.settled().await;
    h.press("esc esc");
    h.settled().await;
    let screen = again(&mut h).await;
    assert!(screen.contains("name = 성명, e-mail = 이메일"), "{screen}");
    // A draft keeps the choices from now on.
    h.press("m");
    h.shows("< 성명").await;
    h.press("left enter");
    h.shows("name = 별명, e-mail = 이메일").await;
    h.settled().await;
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    // The columns of the draft, too, are there again when its review is.
    h.press("m");
    h.shows("< 별명").await;
    h.settled().await;
    h.press("right 4");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Draft kept. Nothing was sent. Home shows it.")), "{screen}");
    h.press("alt-0");
    h.shows("Kept drafts").await;
    h.settled().await;
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("m");
    let screen = h.shows("< 성명").await;
    assert!(screen.contains(&filled()), "{screen}");
    // A draft with new columns that nobody has decided about stays, too.
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.shows("name = 성명, e-mail = 이메일").await;
    h.shows("2 ready").await;
    h.settled().await;
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Draft kept. Nothing was sent. Home shows it.")), "{screen}");
    h.press("0 enter");
    h.shows("name = 성명, e-mail = 이메일").await;
}

/// The answer of a slow journal, which tells the row from others, comes while somebody types, or after the last key.
#[tokio::test]
async fn a_saved_correction_is_not_offered_again() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    people(&mut h, 0..2).await;
    for answered in [true, false] {
        h.settled().await;
        h.press("c");
        h.type_text("x");
        if answered {
            h.settled().await;
        }
        h.press("enter");
        h.settled().await;
        assert_eq!(h.tui.app.modal(), Some("DraftForm"), "{}", h.screen());
        h.press("u");
        h.settled().await;
        h.press("c");
        let screen = h.settled().await;
        assert_eq!(h.tui.app.modal(), Some("EditRow"), "{screen}");
        assert!(!screen.contains(&filled()), "{screen}");
        h.press("esc");
    }
}

#[tokio::test]
async fn alt_with_a_digit_leaves_every_field_and_what_was_typed_is_there_again() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    let forms = [("e", "ExportForm"), (":", "CommandPalette"), ("i", "IssueForm"), ("P", "Profiles")];
    for (open, modal) in forms {
        h.press("1");
        h.settled().await;
        h.press(open);
        h.settled().await;
        if modal == "Profiles" {
            h.press("enter");
            h.settled().await;
        }
        assert_eq!(h.tui.app.modal(), Some(modal), "{}", h.screen());
        h.press("alt-2");
        let screen = h.settled().await;
        assert_eq!(h.tui.app.modal(), None, "{modal}: {screen}");
        assert_eq!(h.tui.app.key_contexts().first(), Some(&KeyContext::History), "{modal}: {screen}");
    }
    people(&mut h, 0..2).await;
    h.press("c");
    h.settled().await;
    h.type_text("x");
    h.press("alt-0");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Draft kept. Nothing was sent. Home shows it.")), "{screen}");
    h.shows("Kept drafts").await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.settled().await;
    h.press("c");
    let screen = h.settled().await;
    assert!(screen.contains(&filled()), "{screen}");
}
