//! Drafts that are kept: a review continues where a person left it.

use super::activity::{issue, people};
use super::common::{released, session, tui_of, tui_opening};
use super::narrow::flat;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::jobs::JobId;
use lapel::tui::{FirstConnection, InitialView};

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

async fn is_there(h: &Harness, id: i64) -> bool {
    h.tui.app.jobs().expect("jobs").job(JobId(id)).await.is_ok()
}

pub const KEPT: &str = "Kept drafts";

#[tokio::test]
async fn a_kept_draft_without_a_decision_offers_no_undo() {
    let mut h = Harness::new(small(), 140, 30).await;
    people(&mut h, 0..3).await;
    h.press("esc");
    h.settled().await;
    for decided in [false, true] {
        h.press("esc 0");
        h.shows(msg(KEPT)).await;
        h.settled().await;
        h.press("enter");
        h.shows(msg_part("Nothing is sent until you confirm. ")).await;
        let screen = h.settled().await;
        let undo = format!("u {}", msg("undo"));
        let footer = screen.trim_end().lines().last().unwrap_or_default();
        assert_eq!(footer.contains(&undo), decided, "{screen}");
        if !decided {
            h.press("-");
            h.shows("1 skipped").await;
            h.press("esc");
            h.settled().await;
        }
    }
}

#[tokio::test]
async fn a_closed_review_goes_on_from_home_with_its_decisions() {
    let mut h = Harness::new(small(), 140, 30).await;
    people(&mut h, 0..3).await;
    h.press("-");
    h.shows("1 skipped").await;
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Draft kept. Nothing was sent. Home shows it.")), "{screen}");
    h.press("esc 5");
    let screen = h.settled().await;
    let offered = "1 draft is kept: 0 shows it on Home";
    assert!(screen.contains(msg("no jobs yet")) && screen.contains(offered), "{screen}");
    h.press("0");
    let screen = h.shows(msg(KEPT)).await;
    assert!(screen.contains("2 ready") && screen.contains("1 skipped"), "{screen}");
    // The clock of the service, like every time beside it.
    assert!(screen.contains(&msg_with("kept {time}", &[&"11-21 10:00"])), "{screen}");
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.settled().await;
    h.press("u");
    h.shows("3 ready").await;
    h.settled().await;
    h.press("u");
    let screen = h.shows(msg("There is no decision to undo.")).await;
    assert!(!screen.contains("u undo"), "the key does nothing any more: {screen}");
    h.confirm_draft("3").await;
    h.shows("waiting 3 = 3").await;
    assert_eq!(accepted(&h), 3);
    let screen = h.settled().await;
    assert!(!screen.contains("draft"), "there is none any more: {screen}");
    h.press("0");
    assert!(!h.settled().await.contains(msg(KEPT)));
}

#[tokio::test]
async fn a_draft_is_discarded_only_after_its_number_is_confirmed() {
    let mut h = Harness::new(small(), 100, 30).await;
    people(&mut h, 0..3).await;
    h.press("delete");
    h.press("enter esc esc");
    h.settled().await;
    assert!(is_there(&h, 1).await, "Enter alone discards nothing");
    h.press("esc 0");
    h.shows(msg(KEPT)).await;
    h.settled().await;
    h.press("delete");
    h.confirm("3");
    h.until("it is gone", |s| !s.contains(msg(KEPT))).await;
    h.gone(JobId(1)).await;
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn a_file_that_is_opened_again_offers_its_draft() {
    let mut h = Harness::new(small(), 100, 30).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    std::fs::write(&file, "name,email\n가나,one@naru.example\n다라,two@naru.example\n").expect("written");
    let path = format!("'{}'", file.to_str().expect("UTF-8"));
    let drop = async |h: &mut Harness| {
        h.press("1");
        h.settled().await;
        h.press("i");
        h.settled().await;
        h.paste(&path);
        h.press("enter");
        h.settled().await;
    };
    drop(&mut h).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("-");
    h.shows("1 skipped").await;
    h.press("esc esc");
    // The draft of the file, with what was decided.
    drop(&mut h).await;
    let screen = h.shows(msg("There is a draft of this file. Continue with it?")).await;
    assert!(screen.contains("1 ready") && screen.contains("1 skipped"), "{screen}");
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    let screen = h.settled().await;
    assert!(screen.contains("1 skipped") && !screen.contains(msg_part("The file has changed")), "{screen}");
    h.press("esc esc");
    let changes = msg_with("The file has changed since the draft: {change}.", &[&"1 row removed"]);
    // A changed file is offered its draft, too, and may become a new one.
    std::fs::write(&file, "name,email\n가나,one@naru.example\n").expect("written");
    drop(&mut h).await;
    h.shows(msg_part("before the file changed")).await;
    let screen = h.shows("(1 row removed)").await;
    assert!(screen.contains(&format!("{}: 다라.", msg("Removed"))), "{screen}");
    assert!(screen.contains(msg("There is a draft of this file. Continue with it?")), "{screen}");
    // The review of that draft says it, too, from here and from Home.
    h.press("enter");
    h.shows(&changes).await;
    h.settled().await;
    h.press("esc esc 0");
    h.shows(msg(KEPT)).await;
    h.settled().await;
    h.press("enter");
    h.shows(&changes).await;
    h.settled().await;
    // While the file is compared, the confirmation does not open: the columns would open over it.
    h.press("G m enter");
    h.shows(msg_part("lapel is still comparing the file with the draft.")).await;
    h.settled().await;
    assert_eq!(accepted(&h), 0);
    h.press("esc esc esc");
    drop(&mut h).await;
    h.shows(msg_part("before the file changed")).await;
    h.press("j enter");
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("1 row").await;
    h.settled().await;
    h.confirm_draft("1").await;
    h.shows("waiting 1 = 1").await;
    assert!(is_there(&h, 1).await, "the earlier draft waits for a person");
}

#[tokio::test]
async fn a_draft_that_was_open_when_lapel_ended_is_told_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let here = move |mut session: lapel::tui::ProfileSession| {
        session = session.kept_in(place.clone());
        session
    };
    let mut h = Harness::with(small(), 100, 30, here.clone()).await;
    people(&mut h, 0..3).await;
    h.press("-");
    h.shows("1 skipped").await;
    h.settled().await;
    // No word of farewell: as after a crash.
    let mut h = h.reopened(here, 100, 30).await;
    let told = h.shows("1 draft is kept: ").await;
    assert!(told.contains(msg_part("0 shows it on Home")), "{told}");
    h.settled().await;
    h.press("0");
    h.shows(msg(KEPT)).await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    assert!(h.settled().await.contains("1 skipped"));
    assert_eq!(accepted(&h), 0);
}

/// Home shows the drafts, so that a message about Home would say nothing new there, or later.
#[tokio::test]
async fn a_start_on_home_shows_the_kept_drafts_without_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let mut h = Harness::with(small(), 100, 30, |session| session.kept_in(place.clone())).await;
    people(&mut h, 0..3).await;
    h.press("esc");
    h.settled().await;
    let Harness { tui, sandbox, .. } = h;
    drop(tui);
    released(&place).await;
    let first_connection =
        FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo).kept_in(place)));
    let mut h = Harness::of(tui_opening(InitialView::default(), first_connection, 100, 30), sandbox);
    h.shows(msg(KEPT)).await;
    let told = msg_part("draft is kept");
    assert!(!h.settled().await.contains(told), "{}", h.screen());
    h.press("1");
    assert!(!h.settled().await.contains(told), "{}", h.screen());
}

#[tokio::test]
async fn a_review_that_is_left_for_another_tab_is_kept_with_its_decisions() {
    let mut h = Harness::new(small(), 140, 30).await;
    people(&mut h, 0..3).await;
    h.press("-");
    h.shows("1 skipped").await;
    h.settled().await;
    for keys in ["2", "tab", "backtab", "[", "]", "alt-5", "/ alt-1", "/ tab", "? 2", "L 5"] {
        h.press(keys);
        let screen = h.settled().await;
        assert_eq!(h.tui.app.modal(), None, "{keys}: {screen}");
        assert!(screen.contains(msg("Draft kept. Nothing was sent. Home shows it.")), "{keys}: {screen}");
        h.press("alt-0");
        h.shows(msg(KEPT)).await;
        h.settled().await;
        h.press("enter");
        h.shows(msg_part("Nothing is sent until you confirm. ")).await;
        let screen = h.settled().await;
        assert!(screen.contains("2 ready") && screen.contains("1 skipped"), "{keys}: {screen}");
    }
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn home_shows_which_drafts_another_lapel_keeps_and_sends() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let here = |mut session: lapel::tui::ProfileSession| {
        session.jobs.others = std::time::Duration::from_millis(20);
        session.kept_in(place.clone())
    };
    let mut h = Harness::with(small(), 100, 30, here).await;
    h.press("0");
    assert!(!h.settled().await.contains(msg(KEPT)));
    let mut other = Box::new(tui_of(here(session(&h.sandbox, Environment::Demo)), 100, 30));
    std::mem::swap(&mut h.tui, &mut other);
    people(&mut h, 0..3).await;
    std::mem::swap(&mut h.tui, &mut other);
    h.shows(msg(KEPT)).await;
    h.settled().await;
    // The other one has it open: Home says so and does not offer it.
    let process = format!("process {}", std::process::id());
    let open = msg_with("open in another lapel ({owner})", &[&process]);
    // A line that wraps has the sign of the selection before each part.
    let screen = h.until(&open, |s| flat(&s.replace('▌', " ")).contains(&open)).await;
    assert!(!screen.contains(&format!("⏎ {}", msg("open"))), "{screen}");
    // The refusal answers the key, so it goes like every message. It names the one cause.
    let refusal = format!("is {open}. ");
    h.press("enter");
    let screen = h.until("refused", |s| flat(s).contains(&refusal)).await;
    assert!(!screen.contains(msg_part("was discarded")), "{screen}");
    h.press("j j");
    assert!(!flat(&h.settled().await).contains(&refusal));
    std::mem::swap(&mut h.tui, &mut other);
    h.press("esc");
    h.settled().await;
    std::mem::swap(&mut h.tui, &mut other);
    h.press("0");
    h.shows(msg(KEPT)).await;
    h.settled().await;
    let is_on_draft =
        |h: &mut Harness| h.screen().lines().any(|line| line.contains('▌') && line.contains("3 ready"));
    h.press("home");
    for _ in 0..9 {
        if !is_on_draft(&mut h) {
            h.press("j");
        }
    }
    assert!(is_on_draft(&mut h), "{}", h.screen());
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.settled().await;
    h.confirm_draft("3").await;
    h.shows("waiting 3 = 3").await;
    std::mem::swap(&mut h.tui, &mut other);
    let screen = h.until("it is no draft", |s| !s.contains(msg(KEPT))).await;
    assert!(!screen.contains("3 ready"), "{screen}");
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn the_palette_says_that_a_job_belongs_to_another_lapel() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let here = |mut session: lapel::tui::ProfileSession| {
        session.jobs.others = std::time::Duration::from_millis(20);
        session.kept_in(place.clone())
    };
    let mut h = Harness::with(small(), 100, 30, here).await;
    h.settled().await;
    let mut other = Box::new(tui_of(here(session(&h.sandbox, Environment::Demo)), 100, 30));
    std::mem::swap(&mut h.tui, &mut other);
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    std::mem::swap(&mut h.tui, &mut other);
    h.press("5");
    h.shows("1 job").await;
    h.settled().await;
    h.press(":");
    h.type_text(Action::Pause.hint());
    let why = msg("this job belongs to another lapel");
    let screen = flat(&h.screen().replace('│', " "));
    assert!(screen.contains(&msg_with("not now: {why}", &[&why])), "{screen}");
    h.press("enter");
    let said = msg_with("Not now: {why}. Nothing was done.", &[&why]);
    assert!(flat(&h.screen()).contains(&said), "{}", h.screen());
}
