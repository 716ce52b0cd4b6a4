//! Lists: pages, marks, ranges, filters, order.

use super::columns::{ended, keeping};
use super::*;
use crate::common::texts::{msg_part, msg_with};

#[tokio::test]
async fn each_tab_opens_with_few_requests() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    assert_eq!(
        all_requests(&h),
        1,
        "Templates, no room for the detail: {:?}",
        h.sandbox.control().ledger().requests
    );
    h.press("2");
    h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history"), 1);
    h.press("enter");
    h.settled().await;
    assert_eq!(requests(&h, "GET /badges/{badge_id}"), 1);
    h.press("w");
    h.settled().await;
    assert_eq!(requests(&h, "GET /wallet/badges"), 1);
    assert_eq!(requests(&h, "GET /badges/history"), 2);
    assert_eq!(all_requests(&h), 5);
}

#[tokio::test]
async fn a_million_rows_scroll_like_a_hundred() {
    let mut h = Harness::new(Options { history: Some(1_000_000), ..frozen() }, 120, 36).await;
    h.press("2");
    h.settled().await;
    let before = all_requests(&h);
    h.press("G");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1,000,000 of 1,000,000")), "{screen}");
    h.press("#");
    h.type_text("500,000");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 500,000 of 1,000,000")), "{screen}");
    let moved = all_requests(&h);
    h.press("j j down k up j j j");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 500,004 of 1,000,000")), "{screen}");
    assert!(all_requests(&h) - moved <= 2, "no request for each row: {}", all_requests(&h) - moved);
    assert!(all_requests(&h) - before <= 5, "only pages near what was shown: {}", all_requests(&h) - before);
    assert!(h.tui.app.rows_built() <= 36);
}

#[tokio::test]
async fn marks_are_kept_across_pages_and_filters_and_hold_ids() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("space space");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{marked} marked", &[&2])), "{screen}");
    h.press("G");
    h.settled().await;
    h.press("space");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{marked} marked", &[&3])), "{screen}");
    let marked = h.tui.app.marked();
    h.press("/");
    h.type_text("한서윤");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{marked} marked ({hidden} hidden)", &[&3, &3])), "{screen}");
    assert_eq!(h.tui.app.marked(), marked);
    h.press("esc * n");
    assert_eq!(h.tui.app.marked(), [""; 0]);
    h.press("u");
    assert_eq!(h.tui.app.marked(), marked, "marks come back after clearing");
    h.press("u");
    assert_eq!(h.tui.app.marked().len(), 2, "and go one after the other");
}

#[tokio::test]
async fn a_range_over_unread_pages_is_read_and_marked_whole() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("v #");
    h.type_text("350");
    h.press("enter v");
    assert!(
        h.screen().contains(msg_part("A range cannot start or end")),
        "a range ends at a badge that one sees"
    );
    h.settled().await;
    h.press("v");
    let screen = h.shows(msg_part("350 marked")).await;
    assert!(screen.contains(msg_part("Marked 350 rows.")), "{screen}");
    h.press("* i");
    assert!(!h.screen().contains(msg_part("350 marked")), "inverted among the loaded rows");
    h.press("u");
    assert_eq!(h.tui.app.marked().len(), 350);
}

#[tokio::test]
async fn a_range_whose_list_moved_marks_nothing() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("2");
    h.settled().await;
    h.press("j j j v j j");
    let rows = Rows { insert: vec![RowSpec::default(); 5], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("r");
    h.settled().await;
    h.press("v");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("The list changed while lapel read the range")), "{screen}");
    assert!(h.tui.app.marked().is_empty());
}

#[tokio::test]
async fn typing_a_filter_asks_once_and_korean_is_found() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.press("2");
    h.settled().await;
    let before = requests(&h, "GET /badges/history");
    h.press("/ ctrl-f tab tab");
    h.type_text("파이썬 데이터");
    let screen = h.settled().await;
    assert_eq!(requests(&h, "GET /badges/history") - before, 1, "a pause in typing asks once");
    assert!(screen.contains(msg_part("title “파이썬 데이터”")), "{screen}");
    assert!(screen.contains("파이썬 데이터"), "{screen}");
    h.press("tab");
    h.type_text("2026-13-40");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Issued from: 2026-13-40 is not a date")), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history") - before, 1, "what is wrong is not asked");
    h.press("esc esc");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("title “")), "esc takes the filter away: {screen}");
}

#[tokio::test]
async fn a_service_that_refuses_to_sort_is_sorted_page_by_page() {
    for (value, said) in
        [("refused", "the service refuses to sort by it"), ("ignored", "the service does not sort by it")]
    {
        let options = Options { switches: vec![("sorting".into(), value.into())], ..small() };
        let mut h = Harness::new(options, 120, 36).await;
        h.press("2");
        h.settled().await;
        h.press("s down down enter");
        let screen = h.settled().await;
        assert!(screen.contains(msg_part(said)), "{value}: {screen}");
        assert!(screen.contains(msg_part("600 badges")), "{screen}");
    }
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("s down down space enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(&ordered_by("holder")) && !screen.contains(msg_part("each page only")),
        "{screen}"
    );
}

#[tokio::test]
async fn rows_that_come_in_while_one_scrolls_are_noticed() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.press("2");
    h.settled().await;
    h.press("#");
    h.type_text("75");
    h.press("enter");
    h.settled().await;
    let rows = Rows { insert: vec![RowSpec::default(); 30], ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("pagedown");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("the list changed during reading (600 → 630)")), "{screen}");
}

#[tokio::test]
async fn an_order_under_which_the_service_fails_is_given_up_and_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 120, 36, keeping(folder.path(), "one")).await;
    h.press("2");
    h.settled().await;
    h.press("s down down enter");
    h.shows(&ordered_by("holder")).await;
    ended(&h).await;
    let fails = "get /badges/history match=sort_by status=500";
    // The message that the order is gone also names it.
    let in_heading = format!("· {}", ordered_by("holder"));
    let mut h = h.reopened(keeping(folder.path(), "one"), 120, 36).await;
    h.sandbox.control().add_fault(fails).expect("a rule");
    h.press("2");
    let screen = h.shows(msg_part("now in the service's own order")).await;
    assert!(screen.contains(msg_part("600 badges")) && !screen.contains(&in_heading), "{screen}");
    ended(&h).await;
    h.sandbox.control().clear_faults();
    let mut h = h.reopened(keeping(folder.path(), "one"), 120, 36).await;
    h.press("2");
    let screen = h.shows(msg_part("600 badges")).await;
    assert!(!screen.contains(&ordered_by("holder")), "it is not restored: {screen}");
    // Where the service fails without an order, too, the order is not to blame.
    h.press("s down down enter");
    h.shows(&ordered_by("holder")).await;
    ended(&h).await;
    let mut h = h.reopened(keeping(folder.path(), "one"), 120, 36).await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    h.press("2");
    let screen = h.shows(msg_part("badges not read")).await;
    assert!(screen.contains(&ordered_by("holder")), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("r");
    let screen = h.shows(msg_part("600 badges")).await;
    assert!(screen.contains(&ordered_by("holder")), "{screen}");
}

#[tokio::test]
async fn a_last_page_that_is_given_for_ever_makes_no_rows() {
    let switches = [("beyond-end", "last"), ("total-count", "huge")];
    let switches = switches.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec();
    let mut h = Harness::new(Options { switches, ..small() }, 100, 36).await;
    h.press("2");
    h.settled().await;
    for _ in 0..8 {
        h.press("G");
        h.settled().await;
    }
    let screen = h.screen();
    assert!(
        screen.contains(msg_part("600 badges")) && screen.contains(msg_part("row 600 of 600")),
        "{screen}"
    );
    assert!(screen.contains(msg_part("repeats its last page")), "{screen}");
}

#[tokio::test]
async fn what_was_not_read_is_not_called_nothing() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    for rule in ["get /badges/history items=null", "get /wallet/badges items=null"] {
        h.sandbox.control().add_fault(rule).expect("a rule");
    }
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("badges not read")), "{screen}");
    h.press("3");
    h.settled().await;
    h.paste("nobody@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("could not be read")), "{screen}");
    assert!(
        !screen.contains(msg_part("No badge for"))
            && !screen.contains(&msg_with("{n} possible matches", &[&"no"])),
        "{screen}"
    );
}

#[tokio::test]
async fn the_preview_follows_the_cursor_and_scrolls_to_its_end() {
    let mut h = Harness::new(small(), 110, 16).await;
    h.press("2");
    let screen = h.settled().await;
    let preview = |screen: &str| {
        let lines = screen.lines().filter_map(|line| line.split_once('┃'));
        lines.map(|(_, right)| right.to_owned()).collect::<Vec<_>>().join("\n")
    };
    let first = preview(&screen);
    h.press("j");
    let second = h.screen();
    assert_ne!(first, preview(&second), "another badge");
    assert!(second.contains(msg_part("more lines")), "{second}");
    h.press("} } } } } } } }");
    let end = preview(&h.screen());
    assert!(end.contains("TPL-") && !end.contains(msg_part("more lines")), "{end}");
    h.press("k");
    assert_eq!(preview(&h.screen()), first, "another row begins at its first line");
    assert_eq!(requests(&h, "GET /badges/history"), 1, "the preview shows what the list has read");
    h.tui.surface.resize(109, 16);
    h.tui.app.update(Message::Resize(109, 16));
    h.settled().await;
    assert!(preview(&h.screen()).is_empty(), "{}", h.screen());
}
