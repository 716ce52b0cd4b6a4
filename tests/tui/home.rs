//! Home: what needs a person comes first, the service is asked for no more than a number, and Enter never sends.

use super::activity::issue;
use super::columns::{ended, keeping};
use super::common::{session, tui_opening};
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::sandbox::{RowState, Sandbox};
use lapel::tui::{FirstConnection, IndexUse, InitialView, ProfileSession};
use std::time::Duration;

const CALM: &str = "Nothing needs you, and no job is running.";

fn with_index(mut session: ProfileSession) -> ProfileSession {
    let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
    session.index = Some(IndexUse { folder: None, settings, reads_at_start: false });
    session
}

/// A TUI that was started without flags and without a saved layout.
async fn first_start(options: Options, columns: u16, rows: u16) -> Harness {
    let sandbox = Sandbox::start(options.showing_waiting()).await.expect("a sandbox");
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    Harness::of(tui_opening(InitialView::default(), first_connection, columns, rows), sandbox)
}

/// The line of the screen that begins with these words, after the cursor and the sign.
fn line(screen: &str, words: &str) -> String {
    let found = screen.lines().find(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("no line with {words}: {screen}")).to_owned()
}

/// The words of the screen in one line. The sign of the selection is in every row of a line.
fn words(screen: &str) -> String {
    super::narrow::flat(&screen.replace('▌', " "))
}

fn posts(h: &Harness) -> u64 {
    let ledger = h.sandbox.control().ledger();
    ledger.requests.iter().filter(|(route, _)| route.starts_with("POST")).map(|(_, n)| n).sum()
}

#[tokio::test]
async fn the_wallet_of_a_holder_is_opened_from_the_rows_of_a_line() {
    let mut h = stopped(100, 30, |session| session).await;
    h.press("0 g w");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("These are the rows of the job.")), "{screen}");
    h.press("w");
    h.settled().await;
    assert_eq!(requests(&h, "GET /wallet/badges"), 1, "{}", h.screen());
    h.press("0 G w");
    assert!(h.settled().await.contains(msg("This line names no holder.")), "{}", h.screen());
}

/// A job of five that the quota stopped after two.
pub async fn stopped(
    columns: u16,
    rows: u16,
    change: impl FnOnce(ProfileSession) -> ProfileSession,
) -> Harness {
    let options = Options { quota: Some(2), ..small() };
    let mut h = Harness::with(options, columns, rows, |mut session| {
        session.jobs.batch = 2;
        session.jobs.in_flight = 1;
        // A refusal is proven at once.
        session.jobs.absence_after = jiff::SignedDuration::ZERO;
        change(session)
    })
    .await;
    issue(&mut h, 0..5).await;
    h.shows("not sent 3").await;
    h.settled().await;
    h
}

#[tokio::test]
async fn the_first_start_opens_home_and_asks_only_for_the_number_of_badges() {
    let mut h = first_start(small(), 80, 24).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg(CALM)), "{screen}");
    assert!(screen.starts_with(" Home  1  2  3  4  5 "), "{screen}");
    assert!(screen.contains(" DEMO  연습용 기관"), "{screen}");
    assert_eq!((all_requests(&h), requests(&h, "GET /badges/history")), (1, 1), "to say what an index costs");
    h.press("j k G g r z R");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.press("esc 5 0");
    h.settled().await;
    assert_eq!(all_requests(&h), 1, "and no key asks again");
}

#[tokio::test]
async fn lapel_opens_where_it_was_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 80, 24, keeping(folder.path(), "one")).await;
    assert!(h.settled().await.contains(msg(CALM)), "the first time on Home");
    h.press("2");
    h.settled().await;
    ended(&h).await;
    let mut h = h.reopened(keeping(folder.path(), "one"), 80, 24).await;
    assert!(h.settled().await.contains(msg_part("600 badges")), "then in the history");
    h.press("0");
    h.settled().await;
    ended(&h).await;
    let mut h = h.reopened(keeping(folder.path(), "one"), 80, 24).await;
    assert!(h.settled().await.contains(msg(CALM)), "then on Home");
}

#[tokio::test]
async fn its_keys_work_on_every_tab_and_in_the_box_of_a_tab() {
    let mut h = first_start(small(), 80, 24).await;
    h.settled().await;
    let at = |h: &mut Harness| h.screen().lines().next().map(str::to_owned).unwrap_or_default();
    h.press("backtab");
    assert!(at(&mut h).contains(msg("Activity")), "{}", at(&mut h));
    h.press("tab");
    assert!(at(&mut h).contains(msg("Home")));
    h.press("tab");
    assert!(at(&mut h).contains(msg("Templates")));
    // The Wallet has its box open: digits are text there, alt and Tab are not.
    h.press("3");
    h.settled().await;
    h.press("0");
    assert!(at(&mut h).contains(msg("Wallet")), "typed");
    h.press("alt-0");
    assert!(at(&mut h).contains(msg("Home")));
    for (key, name) in
        [("1", "Templates"), ("2", "History"), ("5", "Activity"), ("4", "Badge"), ("alt-3", "Wallet")]
    {
        h.press(key);
        assert!(at(&mut h).contains(name), "{key}: {}", at(&mut h));
    }
}

#[tokio::test]
async fn what_can_be_done_next_is_one_key_away() {
    let mut h = first_start(small(), 100, 30).await;
    h.settled().await;
    h.press("i");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("40 templates")) && screen.contains(msg_part("issues its badge.")),
        "{screen}"
    );
    h.press("0 /");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Type or paste an e-mail address")), "{screen}");
}

/// The command line names a tab: no frame shows another one.
#[tokio::test]
async fn the_first_frame_shows_the_wanted_tab() {
    let sandbox = Sandbox::start(small()).await.expect("the sandbox starts");
    let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
    let wanted = InitialView::of(Some("activity"), &[]).expect("flags");
    let mut h = Harness::of(tui_opening(wanted, first_connection, 80, 24), sandbox);
    assert!(h.screen().starts_with(" 0  1  2  3  4  Activity"), "{}", h.screen());
    let screen = h.settled().await;
    assert!(screen.starts_with(" 0  1  2  3  4  Activity"), "{screen}");
}

#[tokio::test]
async fn a_stopped_job_stays_in_sight_until_it_is_resumed() {
    let mut h = stopped(80, 24, |session| session).await;
    h.press("0");
    let screen = h.settled().await;
    assert!(screen.starts_with(" Home ▲1  1  2  3  4  5 ▲1"), "{screen}");
    let need = msg_with("{n} of {all} not sent: {why}", &[&3, &5, &msg("quota exceeded")]);
    let line = line(&screen, &need);
    assert!(line.starts_with("▌▲ Job 1") && line.ends_with("R run"), "{screen}");
    assert!(
        screen.contains(&msg_with("{done} of {all} issued", &[&0, &2])),
        "what it sent runs on: {screen}"
    );
    // Enter shows; it never sends.
    let before = posts(&h);
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("= 5") && screen.contains("R run"), "the job itself: {screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg("Needs you")), "and back");
    assert_eq!(posts(&h), before);
    h.sandbox.control().set_quota(None);
    h.press("R r");
    h.confirm("3");
    h.until("nothing needs a person", |s| s.starts_with(" Home  1  2  3  4  5 ")).await;
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 5);
}

#[tokio::test]
async fn the_sign_is_there_from_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().to_owned();
    let keep = move |session: ProfileSession| session.kept_in(journal.clone());
    let h = stopped(120, 36, keep.clone()).await;
    let mut said = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    let mut h = h.reopened(keep, 120, 36).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("40 templates")), "on another tab: {screen}");
    let head = screen.lines().next().unwrap_or_default();
    assert!(head.contains("Home ▲1") && head.contains("Activity ▲1"), "{screen}");
}

#[tokio::test]
async fn a_doubt_is_lapels_until_its_time_is_over_and_then_a_persons() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 100, 30).await;
    h.sandbox.control().add_fault("post /badges commit-drop times=1").expect("a rule");
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("tab");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.shows("in doubt 1").await;
    let screen = h.settled().await;
    let job = line(&screen, "#1 ▲");
    assert!(job.contains("1 in doubt"), "the column says what the sign is for: {screen}");
    h.press("0");
    let screen = h.settled().await;
    assert!(screen.contains(msg("lapel is checking")), "{screen}");
    assert!(line(&screen, "1 in doubt").contains(msg_part("next check")), "{screen}");
    assert!(line(&screen, "1 in doubt").contains("▲ Job 1"), "{screen}");
    assert!(screen.contains("Home ▲1") && screen.contains("Activity ▲1"), "from the start: {screen}");
    assert!(line(&screen, msg("nothing")).trim() == msg("nothing"), "it needs nobody yet: {screen}");
    h.press("g enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1 of 1")), "its rows: {screen}");
    h.press("esc esc");
    assert!(h.settled().await.contains(msg("lapel is checking")), "and back");
}

#[tokio::test]
async fn a_running_job_shows_how_far_it_is() {
    let mut h = Harness::new(small(), 100, 30).await;
    issue(&mut h, 0..8).await;
    h.shows("waiting 8 = 8").await;
    h.press("0");
    let screen = h.settled().await;
    let run = line(&screen, &msg_with("{done} of {all} issued", &[&0, &8]));
    assert!(run.contains("▒▒▒▒") && run.contains("Job 1"), "{screen}");
    assert!(screen.contains(msg("Running")) && !screen.contains(msg(CALM)), "{screen}");
    h.sandbox.control().advance(Duration::from_secs(25 * 3600));
    h.press("5 r");
    h.shows(msg_part("issued 8 = 8")).await;
    h.press("0");
    assert!(h.settled().await.contains(msg(CALM)), "what is done is gone");
}

#[tokio::test]
async fn without_an_index_it_says_what_one_costs_and_asks_for_none() {
    let mut h = first_start(small(), 130, 30).await;
    let screen = h.settled().await;
    assert!(words(&screen).contains(&msg_with("about {n} requests", &[&6])), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg("The counts need an index, and there is none.")), "{screen}");
    assert!(words(&screen).contains(&msg_with("about {n} requests", &[&6])), "{screen}");
    h.press("esc");
    let before = all_requests(&h);
    h.run_in_palette(Action::IndexOn);
    let screen = h
        .until("counted", |s| s.contains(msg_part("Issued per week")) && s.contains(msg_part("read 11-21")))
        .await;
    assert!(all_requests(&h) > before, "turned on, it is built: {screen}");
}

#[tokio::test]
async fn the_badges_are_counted_neither_for_another_tab_nor_again_after_the_history_was_read() {
    let mut h = Harness::new(small(), 130, 30).await;
    h.settled().await;
    for tab in ["3", "alt-4", "alt-5", "alt-1"] {
        h.press(tab);
        h.settled().await;
    }
    assert_eq!(requests(&h, "GET /badges/history"), 0, "only Home shows the number");
    h.press("2");
    h.settled().await;
    let before = requests(&h, "GET /badges/history");
    h.press("0");
    let screen = h.settled().await;
    assert!(words(&screen).contains(&msg_with("about {n} requests", &[&6])), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history"), before, "it is known");
    // A service that fails is asked once.
    let mut h = first_start(small(), 130, 30).await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    let screen = h.settled().await;
    assert!(words(&screen).contains(msg_part("request for every 100 badges")), "{screen}");
    let before = all_requests(&h);
    h.press("5 0");
    h.settled().await;
    assert_eq!(all_requests(&h), before);
}

#[tokio::test]
async fn the_next_reading_is_told_by_the_clock_of_the_service() {
    let mut h = Harness::with(Options { speed: 96.0, ..small() }, 120, 36, |mut session| {
        session.connection.clock_speed = 96.0;
        with_index(session)
    })
    .await;
    let late = RowSpec { state: RowState::Overdue, minutes_ago: 60 * 24 * 9, ..RowSpec::default() };
    h.sandbox.control().rows(&Rows { insert: vec![late], ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("0 r");
    // A quarter of an hour is a day of the service.
    h.shows(&msg_with("next reading {time}", &[&"11-22 "])).await;
}

#[tokio::test]
async fn with_an_index_it_reads_nothing_until_it_is_told_to() {
    let mut h = Harness::with(small(), 100, 40, with_index).await;
    let ends = |email: &str| RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: "남궁 민".into(),
        recipient_email: email.into(),
        minutes_ago: 60 * 24 * (730 - 9),
        ..RowSpec::default()
    };
    let late = RowSpec { state: RowState::Overdue, minutes_ago: 60 * 24 * 9, ..RowSpec::default() };
    let insert = vec![ends("one@naru.example"), ends("two@naru.example"), late];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    let before = requests(&h, "GET /badges/history");
    h.press("0");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("The index is empty.")), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history"), before, "it reads nothing by itself");
    h.press("r");
    let screen =
        h.until("read", |s| s.contains(msg_part("read 11-21")) && s.contains(msg_part("30 days"))).await;
    let expiring = line(&screen, msg_part("badges expire within 30 days"));
    assert!(expiring.contains(msg_part("⏎ list")), "{screen}");
    assert!(
        screen.contains(msg("Issued per week")) && screen.contains(msg_part("week of 11-16: ")),
        "{screen}"
    );
    let late = line(&screen, msg_part("over 24 h"));
    assert!(late.starts_with('▌'), "the first line is selected: {screen}");
    // Enter lists the badges, and esc comes back to the line.
    let before = all_requests(&h);
    h.press("enter");
    assert!(h.settled().await.contains(msg("waiting over 24 h")), "{}", h.screen());
    h.press("esc j enter");
    let screen = h.settled().await;
    assert!(screen.contains("two@naru.example") && screen.contains(msg("Valid until")), "{screen}");
    h.press("esc");
    let screen = h.settled().await;
    assert!(line(&screen, msg_part("badges expire within 30 days")).starts_with('▌'), "{screen}");
    h.press("z");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Issued per month")) && screen.contains("2026-11: "), "{screen}");
    h.press("G enter");
    assert!(h.settled().await.contains(msg("Counts")), "the counts behind the plot");
    assert_eq!(all_requests(&h), before, "what was read is counted without a request");
    h.press("0");
    assert!(h.settled().await.contains(msg("Soon")), "0 comes back to the lines");
}

#[tokio::test]
async fn a_read_only_profile_reads_and_resumes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().to_owned();
    let keep = move |session: ProfileSession| session.kept_in(journal.clone());
    let h = stopped(100, 30, keep.clone()).await;
    let mut said = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    let read_only = move |session| {
        let mut session = keep(session);
        session.connection.read_only = true;
        session
    };
    let mut h = h.reopened(read_only, 100, 30).await;
    h.settled().await;
    let before = posts(&h);
    h.press("0");
    let screen = h.settled().await;
    assert!(line(&screen, "not sent").ends_with(msg_part("⏎ show")), "{screen}");
    assert!(!screen.contains(msg_part("i issue")) && !screen.contains("R run"), "{screen}");
    assert!(screen.contains(msg("read-only")), "{screen}");
    h.press("R i");
    assert!(h.settled().await.contains(msg_part("cannot issue or revoke")), "{}", h.screen());
    assert_eq!(posts(&h), before);
    h.press("5");
    let screen = super::narrow::flat(&h.settled().await);
    assert!(screen.contains(msg_part("People who issue can act on it.")), "{screen}");
}

#[tokio::test]
async fn a_long_text_wraps_and_a_long_list_scrolls() {
    let mut h = stopped(60, 16, |session| session).await;
    h.sandbox.control().set_quota(None);
    for people in [5..7, 7..9, 9..11, 11..13, 13..15, 15..17] {
        issue(&mut h, people).await;
    }
    h.shows("waiting 2 = 2").await;
    h.press("0");
    let screen = h.settled().await;
    let said = super::narrow::flat(&screen);
    for word in ["3 of 5", msg_part("not sent:"), msg_part("exceeded")] {
        assert!(said.contains(word), "nothing of a problem is cut: {word}: {screen}");
    }
    assert!(screen.contains("↓ "), "how much is below: {screen}");
    h.press("G");
    let screen = h.settled().await;
    assert!(screen.contains("↑ ") && screen.contains(msg_part("need an index")), "{screen}");
    h.press("g");
    assert!(h.settled().await.contains(msg("Needs you")), "the heading of the first line is there again");
}

#[tokio::test]
async fn pages_of_home_pass_no_line_unseen() {
    let mut h = stopped(60, 16, |session| session).await;
    h.sandbox.control().set_quota(None);
    for people in [5..7, 7..9, 9..11, 11..13, 13..15, 15..17] {
        issue(&mut h, people).await;
    }
    h.shows("waiting 2 = 2").await;
    h.press("0");
    h.settled().await;
    for (end, page) in [("g", "pagedown"), ("G", "pageup")] {
        h.press(end);
        let mut seen = h.settled().await;
        for _ in 0..9 {
            h.press(page);
            seen.push_str(&h.settled().await);
        }
        for job in 1..=7 {
            let words = msg_with("Job {id}", &[&job]);
            assert!(seen.contains(&words), "{page}: {words}: {seen}");
        }
        assert!(seen.contains(msg_part("need an index")), "{page}: {seen}");
        let other_end = if page == "pageup" { msg("Needs you") } else { msg_part("need an index") };
        assert!(h.screen().contains(other_end), "{page}: nine pages are enough: {seen}");
    }
}

#[tokio::test]
async fn the_mouse_selects_a_line_and_a_tab() {
    let mut h = stopped(100, 30, |session| session).await;
    h.press("0");
    let screen = h.settled().await;
    let click = |column: usize, row: usize| {
        let (column, row) = (u16::try_from(column).expect("small"), u16::try_from(row).expect("small"));
        let kind = MouseEventKind::Down(MouseButton::Left);
        Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
    };
    let row = screen.lines().position(|line| line.contains(msg_part("0 of 2 issued"))).expect("a line");
    h.tui.app.update(click(8, row));
    assert!(line(&h.screen(), "0 of 2 issued").starts_with('▌'), "{}", h.screen());
    h.tui.app.update(click(8, 2));
    assert!(line(&h.screen(), "0 of 2 issued").starts_with('▌'), "a heading is no line: {}", h.screen());
    let head = screen.lines().next().expect("a header");
    let tab = head[..head.find(msg("History")).expect("a tab")].chars().count();
    h.tui.app.update(click(tab, 0));
    assert!(h.settled().await.contains(msg_part("602 badges")), "{}", h.screen());
}

#[tokio::test]
async fn an_idle_home_draws_nothing() {
    let mut h = stopped(80, 24, with_index).await;
    h.press("0");
    h.settled().await;
    let (draws, wakeups) = super::idle::ten_idle_seconds(&mut h).await;
    assert!(draws == 0 && wakeups <= 2, "{draws} draws, {wakeups} wakeups, the end included");
}

#[tokio::test]
async fn what_matters_stays_in_the_header_at_80_columns() {
    for environment in [Environment::Demo, Environment::Staging, Environment::Live] {
        let mut h = Harness::with(held(), 80, 24, |session| {
            let organisation = Some("달무리대학교 평생교육원 디지털 역량 인증 운영 지원 센터".to_owned());
            let mut session = ProfileSession { environment, organisation, ..session };
            session.connection.read_only = true;
            session
        })
        .await;
        let screen = h.settled().await;
        let head = screen.lines().next().unwrap_or_default().to_owned();
        for part in [&format!(" {environment} "), " read-only ", "● "] {
            assert!(head.contains(part), "{part}: {head}");
        }
        assert!(head.contains("달무리"), "the organisation shortens first: {head}");
        h.sandbox.control().add_fault("any status=429 retry-after=30 times=1").expect("a rule");
        h.press("2");
        let screen = h.shows(msg_part("▲ wait ")).await;
        let head = screen.lines().next().unwrap_or_default();
        assert!(
            head.contains(&format!(" {environment} ")) && head.contains(msg_part(" read-only")),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_long_need_leaves_the_other_columns_their_room() {
    let mut h = stopped(120, 36, |session| session).await;
    h.press("5");
    let screen = h.settled().await;
    for title in ["Job", "Kind", "Title", "Progress", "Problem", "Updated"] {
        assert!(
            screen.lines().nth(3).is_some_and(|heading| heading.contains(msg(title))),
            "{title}: {screen}"
        );
    }
    // The pane has the whole reason.
    assert!(screen.contains(msg("not sent")), "{screen}");
}
