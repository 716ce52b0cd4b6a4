//! The tour, walked by keys to its end, skipped, left, and never in a real profile.

use super::*;
use crate::common::texts::{msg, msg_part};
use crate::common::{session, tui};
use lapel::tui::{AppPaths, FirstConnection, Helpers};
use std::sync::Arc;

/// The three lines above the footer.
fn strip(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    // What is broken over two lines is one sentence.
    let said: Vec<&str> = lines[lines.len() - 4..lines.len() - 1].iter().map(|l| l.trim()).collect();
    said.join(" ")
}

async fn on_tour(columns: u16, rows: u16) -> Harness {
    let mut h = Harness::new(small(), columns, rows).await;
    h.settled().await;
    h.press("T");
    h.settled().await;
    h
}

/// The strip once it says something.
async fn says(h: &mut Harness, text: &str) -> String {
    strip(&h.until(text, |screen| strip(screen).contains(text)).await)
}

#[tokio::test]
async fn the_tour_is_walked_to_its_end_on_the_smallest_usual_screen() {
    let mut h = on_tour(80, 24).await;
    let said = says(&mut h, "Tour 1 of 5: find a holder").await;
    assert!(
        said.contains(msg_part("3 opens the Wallet")) && said.contains(msg_part("ctrl-n skip")),
        "{said}"
    );
    assert!(
        h.screen().contains(msg_part("row 1 of 40")),
        "the list is whole above the strip: {}",
        h.screen()
    );
    h.press("3");
    says(&mut h, "Type seoyun.han@naru.example and press").await;
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    says(&mut h, "Tour 2 of 5: issue a badge").await;
    assert!(h.settled().await.contains("한서윤"));
    says(&mut h, "1 opens Templates").await;
    h.press("1");
    says(&mut h, "i issues the selected one").await;
    h.press("i");
    h.settled().await;
    says(&mut h, "Enter any name and e-mail address").await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    says(&mut h, "and press ⏎").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    h.confirm("1");
    says(&mut h, "Tour 3 of 5: watch it being issued").await;
    says(&mut h, "r checks now").await;
    h.shows("waiting 1").await;
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    says(&mut h, "Tour 4 of 5: revoke it").await;
    h.press("enter");
    says(&mut h, "opens the badge of this row").await;
    h.settled().await;
    h.press("enter");
    says(&mut h, "x revokes the badge").await;
    h.settled().await;
    h.press("x");
    says(&mut h, "A reason is required").await;
    h.type_text("중복 발급");
    h.press("enter");
    says(&mut h, "This cannot be undone").await;
    h.confirm("1");
    says(&mut h, "Tour 5 of 5: save the receipt").await;
    says(&mut h, "e saves its receipt").await;
    h.shows("revoking 1").await;
    h.sandbox.control().advance(std::time::Duration::from_secs(3600));
    h.press("r");
    says(&mut h, "The badge is revoked, and no row is missing").await;
    h.press("e");
    says(&mut h, "e is the receipt").await;
    h.press("e");
    says(&mut h, "saves it in this folder").await;
    let folder = tempfile::tempdir().expect("a folder");
    let receipt = folder.path().join("receipt.csv");
    h.press("ctrl-u");
    h.paste(&receipt.display().to_string());
    h.press("enter");
    let said = says(&mut h, "Tour: all steps done").await;
    assert!(
        said.contains(msg_part("? shows the keys")) && said.contains(msg_part("lapel profile add")),
        "{said}"
    );
    let written = std::fs::read_to_string(&receipt).expect("the receipt");
    assert!(written.contains(msg("revoked")) && written.lines().count() == 2, "{written}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 1);
    h.press("ctrl-g");
    let screen = h.settled().await;
    assert!(!screen.contains("Tour:") && screen.contains(msg_part("T starts it again")), "{screen}");
}

#[tokio::test]
async fn every_step_can_be_skipped_and_all_of_it_left() {
    let mut h = on_tour(60, 16).await;
    for no in 1..=5 {
        says(&mut h, &format!("Tour {no} of 5")).await;
        h.press("ctrl-n");
    }
    says(&mut h, "Tour: all steps done").await;
    h.press("ctrl-n");
    assert!(!h.settled().await.contains("Tour"));
    // From the palette, and left from within a field, where letters are typed.
    h.press(":");
    h.type_text("the tour");
    h.press("enter");
    says(&mut h, "Tour 1 of 5").await;
    h.press("i");
    h.settled().await;
    says(&mut h, "alt-3 opens the Wallet").await;
    h.press("ctrl-n ctrl-n");
    says(&mut h, "No badge was issued on this tour, so there is none to watch").await;
    h.press("ctrl-g");
    let screen = h.settled().await;
    assert!(
        !screen.contains(msg_part("Tour ")) && screen.contains(msg("one recipient")),
        "the form stays open: {screen}"
    );
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

#[tokio::test]
async fn the_tour_names_rebound_keys() {
    let mut h = on_tour(80, 24).await;
    let text = "[global]\nwallet-tab = 'W'\n[tour]\ntour-skip = 'ctrl-t'\ntour-leave = []\n";
    h.tui.app.cx.keymap = input_and_palette::keys(text);
    h.press("j");
    let said = strip(&h.screen());
    assert!(
        said.contains(msg_part("W opens the Wallet")) && said.contains(msg_part("ctrl-t skip")),
        "{said}"
    );
    h.press("ctrl-n");
    assert!(strip(&h.screen()).contains("1 of 5"), "the former key is none any more");
    h.press("ctrl-t");
    assert!(strip(&h.screen()).contains("2 of 5"));
}

#[tokio::test]
async fn a_real_profile_has_no_tour() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().to_owned();
    let with = |session: lapel::tui::ProfileSession| session.kept_in(journal);
    let mut h = Harness::with(small(), 80, 24, with).await;
    h.settled().await;
    h.press("T");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("Tour ")) && screen.contains(msg_part("lapel tour")), "{screen}");
    h.press(":");
    h.type_text("the tour");
    assert!(!h.screen().contains(msg_part("start the tour: your first")), "{}", h.screen());
}

/// A TUI on its first screen that starts the sandbox of a test.
async fn first_screen(app_paths: AppPaths) -> Harness {
    let h = Harness::welcome(80, 24).await;
    let session = session(&h.sandbox, Environment::Demo);
    let helpers = Helpers {
        start_sandbox: Arc::new(move || {
            let session = session.clone();
            Box::pin(async move { Ok(session) })
        }),
        ..Helpers::default()
    };
    let mut tui = tui(FirstConnection::Welcome, helpers, 80, 24);
    tui.app.set_app_paths(app_paths);
    Harness::of(tui, h.sandbox)
}

#[tokio::test]
async fn the_first_screen_offers_it_until_it_was_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let note = folder.path().join("data/tour-taken");
    let app_paths = AppPaths { offers_tour: true, tour_note: Some(note.clone()), ..AppPaths::default() };
    let mut h = first_screen(app_paths.clone()).await;
    assert!(h.screen().contains("t  take the tour"), "{}", h.screen());
    // A person who only looks around is on no tour, and may take it another time.
    h.press("s");
    assert!(!h.settled().await.contains(msg_part("Tour ")) && !note.exists());
    let mut h = first_screen(app_paths).await;
    h.press("t");
    says(&mut h, "Tour 1 of 5").await;
    h.settled().await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&note).expect("noted").permissions().mode() & 0o777, 0o600);
    }
    let mut h = first_screen(AppPaths::default()).await;
    h.press("t");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Welcome to lapel")) && !screen.contains(msg("tour")), "{screen}");
}
