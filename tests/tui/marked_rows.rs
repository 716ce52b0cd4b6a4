//! The marked rows of a job: one decision for all of them, and files of them.

use super::activity::issue;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::jobs::RowStatus;

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

fn batches(h: &Harness) -> u64 {
    h.sandbox.control().ledger().requests_to("POST /badges/batch")
}

/// A job of three rows that were never seen, with its rows on the screen.
pub async fn never_seen() -> Harness {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 100, 30).await;
    h.sandbox.control().add_fault("post /badges/batch drop times=1").expect("a rule");
    issue(&mut h, 0..3).await;
    h.shows(msg_part("This badge may exist")).await;
    h.sandbox.control().advance(std::time::Duration::from_secs(27 * 3600));
    h.press("enter");
    h.shows("row 1 of 3").await;
    h.press("r");
    h.shows("▲ never seen").await;
    h.shows("3 never seen").await;
    let screen = h.settled().await;
    // One text says that a person decides.
    assert!(!screen.contains(msg_part("You can decide to send it again")), "{screen}");
    h
}

/// A job of five rows that stopped at the quota after two, with its rows on the screen.
async fn at_the_quota() -> Harness {
    stopped_after_two(5).await
}

async fn stopped_after_two(rows: usize) -> Harness {
    let mut h = Harness::with(Options { quota: Some(2), ..small() }, 100, 30, |mut session| {
        session.jobs.batch = 2;
        session.jobs.in_flight = 1;
        // A refusal is proven at once.
        session.jobs.absence_after = jiff::SignedDuration::ZERO;
        session
    })
    .await;
    issue(&mut h, 0..rows).await;
    h.shows(msg_part(&format!("{} of {rows} not sent: quota exceeded", rows - 2))).await;
    h.press("5");
    h.settled().await;
    h.press("enter");
    h.shows(&format!("row 1 of {rows}")).await;
    h.settled().await;
    h
}

#[tokio::test]
async fn only_the_marked_rows_are_sent_again() {
    let mut h = never_seen().await;
    h.press("space space");
    let marked = msg_with("{marked} marked", &[&2]);
    let screen = h.shows(&marked).await;
    // In the heading, as in History.
    let counts = screen.lines().find(|line| line.contains(&marked)).expect("a line");
    assert!(counts.contains(msg_part("3 rows")) && screen.matches(&marked).count() == 1, "{screen}");
    h.press("d");
    h.shows(msg("never seen, may be sent again together")).await;
    h.press("down enter enter");
    assert!(h.screen().contains(msg_part("type a short reason")), "{}", h.screen());
    h.type_text("서비스 장애");
    h.press("enter");
    h.shows(&msg_with("{n} rows to send", &[&2])).await;
    h.confirm("3");
    h.settled().await;
    assert_eq!((accepted(&h), batches(&h)), (0, 1), "another number confirms nothing");
    h.press("backspace");
    h.confirm("2");
    h.shows("1 never seen").await;
    h.shows("2 waiting").await;
    assert_eq!((accepted(&h), batches(&h)), (2, 2), "in one request");
}

#[tokio::test]
async fn the_marked_rows_are_left_as_they_are_and_nothing_is_sent() {
    let mut h = never_seen().await;
    h.press("a");
    h.shows(&msg_with("{marked} marked", &[&3])).await;
    h.press("j * n u");
    h.shows(&msg_with("Restored {n} marks.", &[&3])).await;
    h.press("d");
    h.shows(msg("never seen, may be sent again together")).await;
    h.press("enter");
    h.type_text("직접 확인함");
    h.press("enter");
    h.shows(&msg_with("Leave {n} rows of job {job} as they are", &[&3, &1])).await;
    h.press("enter");
    assert!(
        h.settled().await.contains(&format!("3 {}", msg("never seen"))),
        "Enter confirms nothing: {}",
        h.screen()
    );
    h.confirm("3");
    h.shows(&msg_with("{n} rows are left as they are.", &[&3])).await;
    h.shows("3 skipped").await;
    assert_eq!((accepted(&h), batches(&h)), (0, 1));
    // Nothing of them is marked any more, and undoing a mark does not bring them back.
    let screen = h.settled().await;
    assert!(!screen.contains(&msg_with("{marked} marked", &[&3])), "{screen}");
    h.press("u");
    assert!(!h.settled().await.contains(msg_part(" marked")), "{}", h.screen());
}

/// The message about it names the key that clears a field, so it is shown beside a field only.
#[tokio::test]
async fn what_was_chosen_for_a_row_is_selected_when_it_is_resolved_again() {
    let mut h = never_seen().await;
    let filled = msg_with("Filled with your unfinished input. {key} clears it.", &[&"f8"]);
    let unfinished = msg_part("Filled with your unfinished input.");
    let selected = |screen: &str, choice: &str| {
        let line = screen.lines().find(|line| line.contains(choice)).expect("the choice");
        line.contains("(•)")
    };
    let leave = msg("leave as it is");
    h.press("d");
    let screen = h.shows(msg("send all again")).await;
    assert!(!selected(&screen, leave), "{screen}");
    h.press("down down");
    // Another row has its own choice.
    h.press("esc j d");
    let screen = h.settled().await;
    assert!(!selected(&screen, leave), "{screen}");
    h.press("esc k d");
    let screen = h.settled().await;
    assert!(selected(&screen, leave) && !screen.contains(unfinished), "{screen}");
    h.press("enter");
    h.type_text("직접 확인함");
    h.press("esc esc d");
    let screen = h.settled().await;
    assert!(selected(&screen, leave) && screen.contains("직접 확인함"), "{screen}");
    assert!(screen.contains(&filled), "{screen}");
    // Cleared, the popup is as at the beginning.
    h.press("f8");
    let screen = h.screen();
    assert!(!selected(&screen, leave) && !screen.contains("직접 확인함"), "{screen}");
    h.press("esc d");
    let screen = h.settled().await;
    assert!(!selected(&screen, leave) && !screen.contains(unfinished), "{screen}");
}

#[tokio::test]
async fn marks_stay_with_their_job_while_its_rows_are_closed() {
    let mut h = never_seen().await;
    h.press("a");
    let marked = msg_with("{marked} marked", &[&3]);
    h.shows(&marked).await;
    h.press("esc");
    h.shows(&msg_with("{n} rows stay marked.", &[&3])).await;
    h.press("enter");
    h.shows(&marked).await;
    h.press("u");
    h.shows(&msg_with("Removed {n} marks.", &[&3])).await;
    h.press("esc enter");
    h.shows("row 1 of 3").await;
    assert!(!h.settled().await.contains(&marked), "{}", h.screen());
}

#[tokio::test]
async fn only_marked_rows_that_are_not_sent_are_cancelled() {
    let mut h = at_the_quota().await;
    let sent = accepted(&h);
    // The last two were accepted: cancelling them is not offered.
    h.press("G v k v");
    h.shows(&msg_with("{marked} marked", &[&2])).await;
    h.press("R");
    let menu = h.settled().await;
    assert!(!menu.contains(msg("cancel marked rows")), "{menu}");
    h.press("esc g v j v");
    h.shows(&msg_with("{marked} marked", &[&4])).await;
    h.press("R");
    let menu = h.shows(msg("cancel marked rows")).await;
    assert!(menu.contains(&msg_with("{n} marked rows", &[&2])), "{menu}");
    h.press("c");
    h.shows(&msg_with("Cancel {n} marked rows of job {id}", &[&2, &1])).await;
    h.confirm("2");
    h.shows(&msg_with("{n} rows are cancelled.", &[&2])).await;
    h.shows("2 skipped").await;
    h.shows(&msg_with("{marked} marked", &[&2])).await;
    // The rest resumes without them.
    h.sandbox.control().set_quota(None);
    h.settled().await;
    h.press("* n R r");
    h.shows(msg_part("and press")).await;
    h.confirm("1");
    h.shows("3 waiting").await;
    assert_eq!(accepted(&h), sent + 1);
    // Rows that were skipped are no progress: nothing is issued yet.
    h.press("esc");
    assert!(h.settled().await.contains(" 0 %"), "{}", h.screen());
}

#[tokio::test]
async fn a_file_has_only_the_marked_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("marked.csv");
    let mut h = at_the_quota().await;
    h.press("j j space");
    h.shows(&msg_with("{marked} marked", &[&1])).await;
    h.press("e");
    h.shows(msg("redo file")).await;
    h.press("e");
    h.shows(msg_part("Receipt of job 1: 1 marked row")).await;
    h.press("ctrl-u");
    h.paste(&file.display().to_string());
    h.press("enter");
    h.shows(msg_part("Saved 1 row to")).await;
    let written = std::fs::read_to_string(&file).expect("the receipt");
    assert!(written.contains("person4@naru.example") && !written.contains("person3@"), "{written}");
}

/// What is on its way is not cancelled with the rows that are not sent yet.
#[tokio::test]
async fn rows_are_cancelled_while_an_answer_is_on_its_way() {
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session.jobs.batch = 1;
        session.jobs.in_flight = 1;
        session
    })
    .await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges/** hold times=1").expect("a rule");
    issue(&mut h, 0..4).await;
    h.shows(msg_part("sending 1")).await;
    h.press("R p");
    h.shows("not sent 3").await;
    h.press("enter");
    h.shows("row 1 of 4").await;
    h.shows("person3@").await;
    // All rows are marked: only those that are not sent are cancelled.
    h.press("* a");
    h.shows(&msg_with("{marked} marked", &[&4])).await;
    h.press("j space");
    h.shows(&msg_with("{marked} marked", &[&3])).await;
    h.press("R c");
    h.shows(&msg_with("Cancel {n} marked rows of job {id}", &[&2, &1])).await;
    h.confirm("2");
    h.shows(&msg_with("{n} rows are cancelled.", &[&2])).await;
    h.shows(&msg_with("{marked} marked", &[&1])).await;
    h.sandbox.control().clear_faults();
    h.shows("1 waiting").await;
    h.settled().await;
    let jobs = h.tui.app.jobs().expect("jobs").clone();
    let id = jobs.list().await.expect("a list")[0].id;
    let rows = jobs.rows(id, lapel::jobs::RowFilter::default(), 10).await.expect("rows");
    let statuses: Vec<RowStatus> = rows.iter().map(|row| row.row_status).collect();
    assert_eq!(statuses, [RowStatus::Waiting, RowStatus::Skipped, RowStatus::Ready, RowStatus::Skipped]);
    assert_eq!(accepted(&h), 1);
}

/// A job of four issued rows, with its rows on the screen.
async fn issued() -> Harness {
    let mut h = Harness::new(small(), 100, 30).await;
    issue(&mut h, 0..4).await;
    h.shows("waiting 4 = 4").await;
    h.sandbox.control().advance(std::time::Duration::from_secs(27 * 3600));
    h.press("enter");
    h.shows("row 1 of 4").await;
    h.press("r");
    h.until("all are issued", |s| s.matches("issued").count() >= 4).await;
    h.settled().await;
    h
}

#[tokio::test]
async fn x_revokes_the_badges_of_the_marked_rows_only() {
    let mut h = issued().await;
    h.press("space space");
    h.shows(&msg_with("{marked} marked", &[&2])).await;
    h.press("x");
    h.shows(msg("Reason")).await;
    h.press("enter");
    h.shows(msg_part("the reason is empty")).await;
    h.type_text("중복 발급");
    h.press("enter");
    h.shows(msg_part("and press")).await;
    let revoked = |h: &Harness| h.sandbox.control().ledger().requests_to("POST /badges/revoke");
    assert_eq!(revoked(&h), 0);
    h.confirm("2");
    h.until("the job of two rows", |s| s.contains("revoking 2") || s.contains("revoked 2")).await;
    assert_eq!(accepted(&h), 4);
}

#[tokio::test]
async fn dragging_over_rows_of_a_job_marks_them() {
    let mut h = issued().await;
    let mouse =
        |kind, row| Message::Mouse(MouseEvent { kind, column: 10, row, modifiers: KeyModifiers::NONE });
    let first = h.screen().lines().position(|line| line.contains("person0@")).expect("the first row");
    let first = u16::try_from(first).expect("a line");
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), first));
    h.tui.app.update(mouse(MouseEventKind::Drag(MouseButton::Left), first + 2));
    assert!(h.screen().contains(&msg_with("range from row {row}", &[&1])), "{}", h.screen());
    h.tui.app.update(mouse(MouseEventKind::Up(MouseButton::Left), first + 2));
    h.shows(&msg_with("{marked} marked", &[&3])).await;
    // A click marks nothing, and a key ends a drag.
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), first + 3));
    h.tui.app.update(mouse(MouseEventKind::Up(MouseButton::Left), first + 3));
    h.tui.app.update(mouse(MouseEventKind::Down(MouseButton::Left), first));
    h.tui.app.update(mouse(MouseEventKind::Drag(MouseButton::Left), first + 3));
    h.press("j");
    h.tui.app.update(mouse(MouseEventKind::Up(MouseButton::Left), first + 3));
    assert!(h.settled().await.contains(&msg_with("{marked} marked", &[&3])), "{}", h.screen());
}

#[tokio::test]
async fn rows_that_need_a_person_come_before_all_others() {
    let mut h = at_the_quota().await;
    let screen = h.settled().await;
    let place = |who: &str| screen.find(who).unwrap_or_else(|| panic!("{who}: {screen}"));
    assert!(place("person2@") < place("person4@") && place("person4@") < place("person0@"), "{screen}");
    assert!(place("person0@") < place("person1@"), "equally heavy rows are in the order of the file");
    let counts = screen.lines().find(|line| line.contains(msg_part("5 rows"))).expect("the counts");
    assert!(counts.find(msg("quota exceeded")) < counts.find(msg("waiting")), "{screen}");
    h.press("f");
    let screen = h.shows("row 1 of 3").await;
    assert!(!screen.contains(msg("Badge id")), "a column without any value: {screen}");
}

/// The columns of files that only the screens of jobs save: programs read them by name.
#[tokio::test]
async fn the_columns_of_saved_jobs_and_rows_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = at_the_quota().await;
    let mut heads = Vec::new();
    for (keys, name) in [("e l", "rows.csv"), ("esc e l", "jobs.csv")] {
        let file = folder.path().join(name);
        h.settled().await;
        h.press(keys);
        h.shows(msg_part("Export ")).await;
        h.press("ctrl-u");
        h.paste(&file.display().to_string());
        h.press("enter");
        h.shows(msg_part("Saved ")).await;
        let written = std::fs::read_to_string(&file).expect("a file");
        heads.push(format!(
            "{name}: {}",
            written.trim_start_matches('\u{feff}').lines().next().expect("a head")
        ));
    }
    insta::assert_snapshot!(heads.join("\n"));
}

/// Its first row is not in memory any more, so its number is not known.
#[tokio::test]
async fn a_range_that_began_far_away_is_named_without_its_row() {
    let mut h = stopped_after_two(900).await;
    h.press("v");
    let mut screen = h.settled().await;
    assert!(screen.contains(msg_part("range from row")), "{screen}");
    // Fewer rows than a page has, so that the list reads every page on the way to its end.
    for _ in 0..100 {
        if screen.contains("row 900 of 900") {
            break;
        }
        h.press("pagedown pagedown pagedown");
        screen = h.settled().await;
    }
    assert!(screen.contains(msg("a range has begun")), "{screen}");
    assert!(!screen.contains(msg_part("range from row")), "{screen}");
}

#[tokio::test]
async fn a_receipt_of_marked_rows_does_not_promise_every_row() {
    let mut h = never_seen().await;
    let every = msg("save the receipt of this job: every row with its result");
    let marked = msg("save a receipt of the marked rows, each with its result");
    for (mark, said, unsaid) in [("", every, marked), ("space", marked, every)] {
        h.press(mark);
        h.press("e");
        let screen = h.settled().await;
        assert!(screen.contains(said) && !screen.contains(unsaid), "{screen}");
        h.press("esc");
    }
}
