//! Columns and order of the lists that are here as a whole: a holder's badges, the jobs, the rows of a job.

use super::activity::issue;
use super::columns::{ended, keeping, line_with};
use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::tui::ProfileSession;
use std::path::Path;

/// Looks somebody up whose mailbox several people share, on the Wallet tab.
async fn look_up(h: &mut Harness) -> String {
    h.settled().await;
    h.paste("safety@moondeck.example");
    h.press("enter");
    h.settled().await
}

/// The words at the left end of the lines of a list, below its headings.
fn firsts(screen: &str, count: usize) -> Vec<String> {
    let below = screen.lines().skip_while(|line| !line.contains(msg("Badge id")));
    let first =
        |line: &str| line[line.find("B-").unwrap_or(0)..].split_whitespace().next().map(str::to_owned);
    below.skip(1).take(count).filter_map(first).collect()
}

#[tokio::test]
async fn the_badges_of_a_holder_keep_their_columns_and_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 160, 40, keeping(folder.path(), "one")).await;
    h.press("3");
    let screen = look_up(&mut h).await;
    assert!(!screen.contains(msg("Remarks")), "as it comes it has no headings: {screen}");
    let before = all_requests(&h);
    // Ids first, three cells wider, and no remarks.
    h.press("C j j j space k k k");
    for _ in 0..17 {
        h.press("j");
    }
    h.press("space");
    for _ in 0..17 {
        h.press("K");
    }
    h.press("+ + + esc j j");
    let screen = h.screen();
    let heads = line_with(&screen, "Badge id").to_owned();
    assert!(
        heads.contains(msg("State")) && heads.contains(msg("Holder")) && !heads.contains(msg("Remarks")),
        "{screen}"
    );
    let own = firsts(&screen, 14);
    assert_eq!(own.len(), 14, "{screen}");
    let selected = |screen: &str| line_with(screen, "▌").split_whitespace().nth(1).map(str::to_owned);
    assert_eq!(selected(&screen).as_ref(), own.get(2), "{screen}");

    h.press("s j space enter");
    let screen = h.screen();
    assert!(screen.contains(&ordered_by("badge id")) && screen.contains(msg_part("Badge id↓")), "{screen}");
    let mut sorted = own.clone();
    sorted.sort();
    sorted.reverse();
    assert_ne!(own, sorted, "it comes in another order");
    assert_eq!(firsts(&screen, 14), sorted, "{screen}");
    assert_eq!(selected(&screen).as_ref(), own.get(2), "the same badge is selected: {screen}");
    h.press("g");
    let screen = h.screen();
    assert_eq!(selected(&screen), sorted.first().cloned(), "one goes through them as they stand: {screen}");
    // What is opened, and looked at again, is what the line says.
    h.press("r");
    let screen = h.settled().await;
    assert_eq!(firsts(&screen, 14), sorted, "{screen}");
    h.press("j enter");
    let id = sorted.get(1).expect("a second one").clone();
    h.shows(&id).await;
    assert!(all_requests(&h) - before <= 6, "sorting asks for nothing");
    ended(&h).await;

    let mut h = h.reopened(keeping(folder.path(), "one"), 160, 40).await;
    let screen = look_up(&mut h).await;
    assert_eq!(firsts(&screen, 14), sorted, "{screen}");
    assert_eq!(
        line_with(&screen, "Badge id").split('┃').next(),
        heads.replace("Badge id ", "Badge id↓").split('┃').next()
    );
    let mut h = h.reopened(keeping(folder.path(), "two"), 160, 40).await;
    h.settled().await;
    h.press("3");
    let screen = look_up(&mut h).await;
    assert!(!screen.contains(msg("Badge id")) && !screen.contains(&ordered_by("badge id")), "{screen}");
    h.press("C 0 esc");
    assert!(!h.screen().contains(msg("Remarks")), "taken back, it is as it comes: {}", h.screen());
}

/// How many rows the jobs of the list have, from top to bottom.
fn sizes(screen: &str) -> Vec<u64> {
    let rows = screen.lines().filter(|line| line.contains('#') && line.contains(msg_part(" issue ")));
    let size = |line: &str| line.split_whitespace().filter_map(|word| word.parse().ok()).find(|n| *n < 10);
    rows.filter_map(size).collect()
}

fn with_journal(folder: &Path, name: &str) -> impl Fn(ProfileSession) -> ProfileSession + use<> {
    let (journal, keeping) = (folder.join("journal"), keeping(folder, name));
    move |session| keeping(session.kept_in(journal.clone()))
}

/// Ends it with jobs that are followed the next time.
async fn left_open(h: &Harness) {
    let mut said = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    assert!(said.iter().all(|line| line.starts_with(msg_part("unfinished: job"))), "{said:?}");
}

#[tokio::test]
async fn jobs_and_their_rows_keep_their_columns_and_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 120, 30, with_journal(folder.path(), "one")).await;
    for people in [0..3, 3..5, 5..9] {
        issue(&mut h, people).await;
    }
    h.shows("waiting 4 = 4").await;
    let screen = h.settled().await;
    assert_eq!(sizes(&screen), [4, 2, 3], "the newest first: {screen}");

    h.press("s j j j j enter");
    let screen = h.screen();
    assert!(screen.contains(&format!("3 jobs · 3 open · {}", ordered_by("rows"))), "{screen}");
    assert_eq!(sizes(&screen), [2, 3, 4], "{screen}");
    assert!(line_with(&screen, "▌").contains("  4 "), "the same job is selected: {screen}");
    h.press("k");
    assert!(h.screen().contains("waiting 3 = 3"), "what is above it is next: {}", h.screen());
    // A new one comes where it belongs, and is the one that is shown.
    issue(&mut h, 9..14).await;
    let screen = h.shows("waiting 5 = 5").await;
    assert_eq!(sizes(&screen), [2, 3, 4, 5], "{screen}");
    // No bar; how many wait has a column of its own.
    h.press("C j j j j space");
    while !line_with(&h.screen(), "▌").contains(msg_part("[ ] waiting")) {
        h.press("j");
    }
    let menu = h.screen();
    assert!(line_with(&menu, "▌").contains(msg_part("[ ] waiting")), "{menu}");
    h.press("space esc");
    let screen = h.settled().await;
    assert!(
        line_with(&screen, "Rows↑").contains(msg("waiting")) && !screen.contains(msg("Progress")),
        "{screen}"
    );

    // The rows have an order of their own, which holds for all of them.
    h.press("enter");
    h.shows(msg_part("row 1 of 5")).await;
    h.press("j s j j j j space enter");
    let screen = h
        .until("the last first", |s| s.contains(msg_part("by e-mail")) && s.contains(msg_part("row 5 of 5")))
        .await;
    let at = |who: &str| screen.find(who).unwrap_or_else(|| panic!("no {who}: {screen}"));
    assert!(at("person9@") < at("person13@") && at("person13@") < at("person11@"), "{screen}");
    assert!(line_with(&screen, "▌").contains("person10@"), "the same row is selected: {screen}");
    h.press("C space esc esc");
    h.settled().await;
    left_open(&h).await;

    let mut h = h.reopened(with_journal(folder.path(), "one"), 120, 30).await;
    h.settled().await;
    h.press("5");
    let screen = h.until("the jobs", |s| s.contains(msg_part("4 jobs"))).await;
    assert_eq!(sizes(&screen), [2, 3, 4, 5], "{screen}");
    assert!(
        line_with(&screen, "Rows↑").contains(msg("waiting")) && !screen.contains(msg("Progress")),
        "{screen}"
    );
    h.press("enter");
    let screen = h.shows(msg_part("row 1 of 5")).await;
    assert!(screen.contains("E-mail↓") && !line_with(&screen, "E-mail↓").contains("Row"), "{screen}");
    left_open(&h).await;
    let mut h = h.reopened(with_journal(folder.path(), "two"), 120, 30).await;
    h.settled().await;
    h.press("5");
    let screen = h.until("the jobs", |s| s.contains(msg_part("4 jobs"))).await;
    assert!(!screen.contains(msg_part("by rows")) && screen.contains("waiting 5 = 5"), "{screen}");
}

#[tokio::test]
async fn the_whole_of_a_jobs_rows_is_sorted_and_not_a_page() {
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session.jobs.batch = 1000;
        session
    })
    .await;
    issue(&mut h, 0..130).await;
    h.shows("waiting 130 = 130").await;
    h.press("enter");
    h.shows(msg_part("row 1 of 130")).await;
    h.press("s j j j j space enter g");
    let first = |s: &str| s.lines().any(|line| line.contains('▌') && line.contains("person9@"));
    h.until("the last address", first).await;
    h.press("G");
    let screen = h
        .until("the first address", |s| s.contains(msg_part("row 130 of 130")) && s.contains("person0@"))
        .await;
    assert!(line_with(&screen, "▌").contains("person0@"), "{screen}");
    let places: Vec<_> = ["person10@", "person101@", "person100@", "person0@"]
        .map(|who| screen.find(who).unwrap_or_else(|| panic!("no {who}: {screen}")))
        .into();
    assert!(places.is_sorted(), "{screen}");
}

#[tokio::test]
async fn a_menu_has_the_room_of_the_list_and_takes_the_keys() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("5");
    h.settled().await;
    for key in ["C", "s"] {
        h.press(key);
        let screen = h.screen();
        assert!(screen.contains(msg("There are no jobs here to sort.")), "{key}: {screen}");
        h.press("backspace");
        assert!(!h.screen().contains(msg_part("There are no jobs")), "{}", h.screen());
    }
    h.press("3");
    look_up(&mut h).await;
    h.press("C k");
    let screen = h.screen();
    assert!(screen.contains(&format!("▌ [ ] {}", msg("Template id"))), "{screen}");
    h.press("x");
    assert!(h.screen().contains(msg("Template id")), "other keys do nothing: {}", h.screen());
    // Every paste goes into the box, and the menu is gone.
    h.paste("seoyun.han@naru.example");
    assert!(!h.screen().contains(msg_part("Columns, from left")), "{}", h.screen());
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("WAITING") && !screen.contains(msg("Remarks")), "{screen}");
}

#[tokio::test]
async fn the_wallet_counts_copies_and_shows_each_of_them() {
    use lapel::sandbox::RowState;
    let mut h = Harness::new(small(), 200, 50).await;
    let one = |name: &str, state| RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        ..RowSpec::default()
    };
    let insert = vec![
        one("한서윤", RowState::Issued),
        one("한서윤", RowState::Waiting),
        one("오지호", RowState::Issued),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.paste("story@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    let copies = crate::common::texts::msg_with("{n} copies", &[&2]);
    assert_eq!(screen.matches(&copies).count(), 1, "said once, where it does not cut the reason: {screen}");
    // Each copy has its row, and a revocation is about that one only.
    h.press("x");
    let screen = h.settled().await;
    let both = crate::common::texts::msg_with("Revoke {n} badges", &[&2]);
    assert!(h.tui.app.modal().is_some() && !screen.contains(&both), "{screen}");
}

/// One of the badges of one person.
fn copy(minutes_ago: i64, state: lapel::sandbox::RowState) -> RowSpec {
    RowSpec {
        recipient_name: "한서윤".into(),
        recipient_email: "story@naru.example".into(),
        minutes_ago,
        state,
        ..RowSpec::default()
    }
}

/// Where the list cuts the words about copies, the answer has them.
#[tokio::test]
async fn the_words_about_copies_are_seen_whole_on_a_small_screen() {
    use lapel::sandbox::RowState;
    let mut h = Harness::new(small(), 80, 24).await;
    let insert = vec![
        copy(9000, RowState::Issued),
        copy(600, RowState::Revoked),
        copy(500, RowState::Waiting),
        copy(60, RowState::Waiting),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.paste("story@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let copies = crate::common::texts::msg_with("{n} copies", &[&4]);
    assert!(
        flat.contains(&format!("{copies}, 1 Revoked, 2 Waiting"))
            || flat.contains(&format!("{copies}, 2 Waiting, 1 Revoked")),
        "{screen}"
    );
}

#[tokio::test]
async fn three_copies_are_one_row_that_opens_to_each_of_them() {
    use lapel::sandbox::RowState;
    let mut h = Harness::new(small(), 120, 36).await;
    let insert =
        vec![copy(9000, RowState::Issued), copy(600, RowState::Revoked), copy(60, RowState::Waiting)];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.paste("story@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    let copies = crate::common::texts::msg_with("{n} copies", &[&3]);
    assert_eq!(screen.matches(&copies).count(), 2, "the row cuts the states, the answer has them: {screen}");
    let row = |screen: &str| line_with(screen, "▌").to_owned();
    // The badge that counts represents the others, though it is the oldest.
    assert!(row(&screen).contains("VALID") && row(&screen).contains("▸"), "{screen}");
    h.press("y");
    assert!(h.screen().contains(ids[0].as_str()), "{}", h.screen());
    h.press("esc");
    // A revocation needs one of them.
    h.press("x");
    let screen = h.settled().await;
    assert!(h.tui.app.modal().is_none(), "{screen}");
    assert!(row(&screen).contains("▾"), "{screen}");
    assert_eq!(screen.matches(&copies).count(), 3, "in its row, in the answer and in the toast: {screen}");
    h.press("j x");
    let screen = h.settled().await;
    assert!(h.tui.app.modal().is_some() && screen.contains(ids[2].as_str()), "{screen}");
    h.press("esc esc");
    let screen = h.settled().await;
    assert!(row(&screen).contains("▸"), "esc folds them again: {screen}");
    // A search finds the folded ones, too.
    h.press("/");
    h.paste(ids[1].as_str());
    h.press("enter");
    let screen = h.settled().await;
    assert!(row(&screen).contains("REVOKED"), "{screen}");
    h.press("esc esc e");
    let screen = h.settled().await;
    assert!(screen.contains("3 badges of story@"), "an export has all of them: {screen}");
}
