//! All that match a filter, across pages: said before what it costs, marked whole or not at all.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};

const HISTORY: &str = "GET /badges/history";

/// The screen's words, however they are broken into lines.
fn flowing(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

async fn history(options: Options) -> Harness {
    let mut h = Harness::new(options, 80, 24).await;
    h.press("2");
    h.settled().await;
    h
}

#[tokio::test]
async fn all_that_match_are_marked_for_what_was_said() {
    let mut h = history(small()).await;
    h.press("space j *");
    assert!(h.screen().contains(Action::MarkAll.short()), "what can follow is shown:\n{}", h.screen());
    h.press("a");
    let screen = h.screen();
    assert!(screen.contains(&msg_with("Mark all {n} badges that match?", &[&600])), "{screen}");
    assert!(screen.contains(&msg_with("It takes {requests} requests.", &[&6])), "{screen}");
    let before = requests(&h, HISTORY);
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("1 marked")));
    assert_eq!(requests(&h, HISTORY), before, "nothing before it is confirmed");
    h.press("* a enter");
    assert!(
        h.screen().contains(&msg_with("marking all: {done} of {all} read", &[&"0", &600])),
        "{}",
        h.screen()
    );
    let screen = h.shows(&msg_with("Marked all {n} matching badges.", &[&600])).await;
    assert!(screen.contains(msg_part("600 marked")), "{screen}");
    assert_eq!(requests(&h, HISTORY) - before, 6, "as much as was said");
    assert_eq!(h.tui.app.marked().len(), 600);
    // Marks only: the review shows what can be revoked, and nothing is sent before it.
    h.press("x");
    assert!(h.screen().contains(msg("skipped: already revoked")), "{}", h.screen());
    let posts = h.sandbox.control().ledger().requests.keys().filter(|r| r.starts_with("POST")).count();
    assert_eq!(posts, 0);
}

#[tokio::test]
async fn what_is_loaded_is_marked_without_a_request() {
    let mut h = history(small()).await;
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬");
    let screen = h.settled().await;
    let rows = h.tui.app.rows_built();
    assert!(rows > 1 && rows < 100, "{screen}");
    h.press("esc");
    h.settled().await;
    let before = all_requests(&h);
    h.press("* a");
    let screen = h.screen();
    assert!(flowing(&screen).contains(msg_part("matching badges. They were already loaded.")), "{screen}");
    assert_eq!(all_requests(&h), before);
    assert!(!h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn esc_gives_it_up_and_nothing_is_marked() {
    let mut h = history(small()).await;
    h.sandbox.control().add_fault("get /badges/history hold after=2").expect("a rule");
    h.press("* a enter");
    h.shows(&msg_with("marking all: {done} of {all} read", &[&200, &600])).await;
    h.press("j j");
    assert!(h.screen().contains(msg_part("row 3 of 600")), "one works on meanwhile");
    h.press("esc");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("Stopped. Nothing was marked.")) && screen.contains(msg_part("600 badges")),
        "{screen}"
    );
    assert!(h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn another_filter_ends_it() {
    let mut h = history(small()).await;
    h.sandbox.control().add_fault("get /badges/history hold after=1 times=1").expect("a rule");
    h.press("* a enter");
    h.shows(&msg_with("marking all: {done} of {all} read", &[&100, &600])).await;
    h.press("/");
    h.type_text("한서윤");
    let screen = h.shows(msg_part("because the filter changed")).await;
    assert!(flowing(&screen).contains(msg("Nothing was marked.")), "{screen}");
    h.settled().await;
    assert!(h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn what_breaks_off_marks_nothing_and_leaving_waits_for_nothing() {
    let mut h = history(small()).await;
    h.sandbox.control().add_fault("get /badges/history status=401 code=4001 after=3").expect("a rule");
    h.press("space * a enter");
    let screen = h.shows(msg_part("Not all matching badges could")).await;
    assert!(
        flowing(&screen).contains(msg("Nothing was marked.")) && screen.contains(msg_part("1 marked")),
        "{screen}"
    );
    h.sandbox.control().clear_faults();
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("* a enter");
    h.screen();
    h.press("q");
    assert!(h.tui.app.take_loop_command().is_some());
}

#[tokio::test]
async fn rows_that_come_in_meanwhile_are_marked_too_and_none_twice() {
    let mut h = history(small()).await;
    h.sandbox.control().add_fault("get /badges/history hold after=2 times=1").expect("a rule");
    h.press("* a enter");
    h.shows(&msg_with("marking all: {done} of {all} read", &[&200, &600])).await;
    let rows = Rows { insert: vec![RowSpec::default(); 30], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.sandbox.control().clear_faults();
    let screen = h.shows(&msg_with("Marked all {n} matching badges.", &[&630])).await;
    assert!(screen.contains(msg_part("630 marked")), "{screen}");
    assert_eq!(h.tui.app.marked().len(), 630);
}

#[tokio::test]
async fn where_nothing_matches_nothing_is_said_to_be_marked() {
    let mut h = history(small()).await;
    h.press("/");
    h.type_text("mail:deferred");
    h.press("enter");
    h.settled().await;
    h.press("* a enter");
    h.shows(msg("No badge matches, so there is nothing to mark.")).await;
    assert!(h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn thousands_of_marks_have_their_separators() {
    let mut h = history(Options { history: Some(1_100), ..frozen() }).await;
    h.press("* a enter");
    let screen = h.shows(&msg_with("Marked all {n} matching badges.", &[&"1,100"])).await;
    assert!(screen.contains(msg_part("1,100 marked")), "{screen}");
}

#[tokio::test]
async fn more_than_can_be_held_are_not_read() {
    let mut h = history(Options { history: Some(10_001), ..frozen() }).await;
    let before = all_requests(&h);
    h.press("* a");
    let screen = h.settled().await;
    assert!(
        flowing(&screen).contains(msg_part("10,001 badges match, but lapel marks at most 10,000.")),
        "{screen}"
    );
    assert_eq!(all_requests(&h), before);
}

#[tokio::test]
async fn without_a_count_all_are_read_to_an_empty_page() {
    let switches = vec![("total-count".into(), "missing".into())];
    let mut h = history(Options { history: Some(250), switches, ..frozen() }).await;
    h.press("* a");
    assert!(
        flowing(&h.screen()).contains(msg_part("The service does not report how many.")),
        "{}",
        h.screen()
    );
    h.press("enter");
    h.shows(&msg_with("Marked all {n} matching badges.", &[&250])).await;
    assert_eq!(h.tui.app.marked().len(), 250);
}
