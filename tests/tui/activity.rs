//! The Activity tab: jobs that add up, their rows, and what a person does with them.

use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};

/// A given name for each number.
fn given(n: usize) -> String {
    let syllable =
        |n: usize| char::from_u32(0xac00 + u32::try_from(n % 11_000).expect("small")).expect("Hangul");
    [syllable(n * 28), syllable(n * 588 + 16)].iter().collect()
}

/// Opens the issue form on the first template and pastes so many people into it, up to the review of the draft.
pub async fn people(h: &mut Harness, range: std::ops::Range<usize>) -> String {
    h.settled().await;
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await;
    let lines: Vec<String> = range.map(|n| format!("김{}, person{n}@naru.example", given(n))).collect();
    h.paste(&format!("{}\n", lines.join("\n")));
    h.shows(msg("columns")).await;
    h.press("enter");
    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. "))).await;
    h.settled().await
}

/// The same, typed and confirmed.
pub async fn issue(h: &mut Harness, range: std::ops::Range<usize>) {
    let count = range.len();
    people(h, range).await;
    h.confirm_draft(&count.to_string()).await;
    h.shows(msg("Problem")).await;
}

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

/// A TUI that sends so many entries in a request, never two requests at once.
async fn by(batch: usize, options: Options) -> Harness {
    Harness::with(options, 100, 30, |mut session| {
        session.jobs.batch = batch;
        session.jobs.in_flight = 1;
        // A refusal is proven at once.
        session.jobs.absence_after = jiff::SignedDuration::ZERO;
        session
    })
    .await
}

#[tokio::test]
async fn a_filter_of_the_jobs_is_named_and_esc_ends_it() {
    let mut h = by(2, Options { quota: Some(3), ..small() }).await;
    issue(&mut h, 0..5).await;
    h.shows(msg_part("3 of 5 not sent: quota exceeded")).await;
    h.press("f");
    assert!(h.settled().await.contains(msg("jobs that need you")), "{}", h.screen());
    h.press("f");
    assert!(h.settled().await.contains(msg("open jobs")), "{}", h.screen());
    h.press("esc");
    assert!(!h.settled().await.contains(msg("open jobs")), "{}", h.screen());
}

#[tokio::test]
async fn the_review_counts_requests_by_the_batch_size_of_the_profile() {
    let mut h = by(100, small()).await;
    let screen = people(&mut h, 0..130).await;
    assert!(screen.contains(msg_part("2 requests")), "{screen}");
    h.confirm_draft("130").await;
    h.shows("waiting 130 = 130").await;
    assert_eq!(h.sandbox.control().ledger().requests_to("POST /badges/batch"), 2);
}

#[tokio::test]
async fn a_job_stopped_at_the_quota_adds_up_and_offers_what_to_do() {
    let mut h = by(2, Options { quota: Some(3), ..small() }).await;
    issue(&mut h, 0..5).await;
    h.shows(msg_part("3 of 5 not sent: quota exceeded")).await;
    let screen = h.screen();
    assert!(screen.contains(&format!("{} 3 · {} 2 = 5", msg("not sent"), msg("waiting"))), "{screen}");
    assert!(screen.contains("R run") && screen.contains("#1 ▲"), "{screen}");
    assert!(screen.contains("Activity ▲1") && screen.contains("Home ▲1"), "{screen}");
    assert_eq!(accepted(&h), 2);
    h.press("R");
    let screen = h.screen();
    assert!(screen.contains(Action::UseUp.hint()) && screen.contains(Action::CancelRest.hint()), "{screen}");
    assert!(!screen.contains(Action::Pause.help()), "what is not possible is not offered:\n{screen}");
    h.press("p t");
    assert_eq!(h.tui.app.modal(), Some("JobMenu"), "and its keys do nothing");
    h.press("u");
    h.confirm("3");
    h.shows(msg_part("not sent 2 · waiting 3 = 5")).await;
    assert_eq!(accepted(&h), 3, "the rest of the quota was used up");
    h.sandbox.control().set_quota(None);
    h.settled().await;
    h.press("R r");
    h.confirm("2");
    let screen = h.shows("waiting 5 = 5").await;
    assert!(!screen.contains("R run"), "{screen}");
    assert_eq!(accepted(&h), 5);
}

/// Resuming sends only what no refused request may have sent.
#[tokio::test]
async fn what_a_resume_sends_at_once_and_what_only_after_a_check_is_said() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut h = by(2, Options { quota: Some(3), switches, ..small() }).await;
    issue(&mut h, 0..5).await;
    h.shows(msg_part("3 of 5 not sent: quota exceeded")).await;
    // The check finds nothing, which is no proof here.
    h.press("r");
    h.shows(msg_part("1 of 5 not sent: quota exceeded")).await;
    // The pane names the rows that the service may have accepted, and not the one that was never sent.
    let screen = h.settled().await;
    assert!(screen.contains("person2@naru.example") && !screen.contains("person4@"), "{screen}");
    h.press("R");
    let rows = msg_with("{n} rows, {held} of them after a check", &[&3, &2]);
    assert!(h.screen().contains(&rows), "{}", h.screen());
    h.press("c");
    let text = super::narrow::flat(&h.screen());
    assert!(text.contains(msg_part("The service refused 2 rows")), "{text}");
    h.press("esc R r");
    let text = super::narrow::flat(&h.screen());
    assert!(text.contains(msg_part("Rows sent at once: 1.")), "{text}");
    h.sandbox.control().set_quota(None);
    h.confirm("3");
    h.shows(msg_part("in doubt 2 · waiting 3 = 5")).await;
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn a_job_is_paused_and_goes_on() {
    let mut h = by(1, small()).await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges/** hold times=1").expect("a rule");
    issue(&mut h, 0..3).await;
    h.shows(msg_part("sending 1")).await;
    h.press("R p");
    h.shows("not sent 2").await;
    h.sandbox.control().clear_faults();
    h.shows(msg_part("not sent 2 · waiting 1 = 3")).await;
    assert_eq!(accepted(&h), 1);
    h.settled().await;
    h.press("R r");
    h.confirm("2");
    h.shows("waiting 3 = 3").await;
    assert_eq!(accepted(&h), 3);
}

/// The number that is typed is the number of now: rows that were sent meanwhile are not counted any more.
#[tokio::test]
async fn a_number_that_changes_while_it_is_typed_confirms_nothing() {
    let mut h = by(1, small()).await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges/** hold times=1").expect("a rule");
    issue(&mut h, 0..4).await;
    h.shows(msg_part("sending 1")).await;
    h.press("R c");
    h.shows(&asks("3")).await;
    h.type_text("3");
    h.struck(1).await;
    h.sandbox.control().clear_faults();
    h.sandbox.control().add_fault("post /badges/** hold times=1").expect("a rule");
    h.shows(&asks("2")).await;
    h.press("enter");
    h.press("esc");
    h.sandbox.control().clear_faults();
    h.shows("waiting 4 = 4").await;
    assert_eq!(accepted(&h), 4);
}

#[tokio::test]
async fn rows_are_read_page_by_page_and_filtered_by_outcome() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..300).await;
    h.shows("waiting 300 = 300").await;
    let jobs = h.tui.app.jobs().expect("jobs").clone();
    let id = jobs.list().await.expect("a list")[0].id;
    h.press("enter");
    h.shows(msg_part("row 1 of 300")).await;
    h.press("G");
    let screen =
        h.until("the last row", |s| s.contains(msg_part("row 300 of 300")) && s.contains("person299@")).await;
    assert!(screen.contains(msg_part("300 rows · 300 waiting")), "{screen}");
    assert!(h.tui.app.rows_built() <= 30, "only what is on the screen is built");
    // One of them becomes another outcome.
    h.press("g");
    h.until("the first row", |s| s.contains(msg_part("row 1 of 300")) && s.contains("person0@")).await;
    h.press("f");
    let screen = h.until("only those", |s| s.contains(msg_part("row 1 of 300"))).await;
    assert!(screen.contains("◌ 0m/24h"), "its age stands for the word, as in the history: {screen}");
    let showing = msg_with("showing {status} ({key}: next)", &[&msg("waiting"), &"f"]);
    assert!(screen.contains(&showing), "{screen}");
    h.press("f");
    h.settled().await;
    h.press("enter");
    h.shows(msg("Cert. no.")).await;
    h.press("esc");
    h.shows(msg_part("row 1 of 300")).await;
    h.press("esc");
    h.shows(msg("Problem")).await;
    assert_eq!(jobs.job(id).await.expect("the job").counts.total(), 300);
}

#[tokio::test]
async fn the_pane_of_a_job_has_the_rows_that_fit_and_counts_the_others() {
    let mut h = Harness::new(small(), 120, 36).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    let invalid: Vec<String> = (0..14).map(|n| format!("김{}, person{n}@", given(n))).collect();
    h.paste(&format!("name,email\n{}\n이영희,last@naru.example\n", invalid.join("\n")));
    h.shows(msg("columns")).await;
    h.settled().await;
    h.press("enter");
    h.shows("14 invalid").await;
    h.settled().await;
    h.press("G");
    h.confirm_draft("1").await;
    h.shows("waiting 1 = 15").await;
    let screen = h.settled().await;
    let shown = screen.matches(&format!("▲ {}: ", msg("invalid"))).count();
    assert!((4..14).contains(&shown), "{screen}");
    let more = msg_with("{n} more rows: {open} shows them", &[&(14 - shown), &"⏎"]);
    assert!(screen.contains(&more), "{screen}");
}

#[tokio::test]
async fn an_open_list_of_rows_follows_its_job() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..5).await;
    h.shows("waiting 5 = 5").await;
    h.press("enter");
    h.shows(msg_part("row 1 of 5")).await;
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    let screen = h.until("every row issued", |s| s.matches(msg_part("● issued")).count() >= 5).await;
    assert!(screen.contains(msg_part("5 rows · 5 issued")), "{screen}");
    assert!(screen.contains(msg("service state")), "the row in full: {screen}");
}

#[tokio::test]
async fn a_job_of_one_row_has_one_row() {
    let mut h = Harness::new(small(), 80, 24).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1 = 1").await;
    h.press("enter");
    let screen = h.shows(msg_part("row 1 of 1")).await;
    assert!(screen.contains(msg_part(" 1 row · 1 waiting")), "{screen}");
}

#[tokio::test]
async fn undoing_a_job_is_reviewed_and_confirmed_by_its_number() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    h.shows(msg_part("issued 3 = 3")).await;
    h.press("x");
    // A reason that was typed is there again.
    h.shows(msg_part("Undo job")).await;
    h.type_text("잘못된 과정");
    h.press("esc x");
    let screen = h.shows(msg_part("Undo job")).await;
    assert!(screen.contains("잘못된 과정"), "{screen}");
    h.press("ctrl-u");
    assert!(
        screen.contains(&msg_with("{n} Issued badges will be revoked after the review.", &[&3])),
        "{screen}"
    );
    h.press("enter");
    assert!(h.screen().contains(msg_part("the reason is empty")));
    h.type_text("잘못된 명단");
    h.press("enter");
    let screen = h.shows("3 to revoke now").await;
    assert!(screen.contains(msg_part("Nothing is sent until you confirm. ")), "{screen}");
    h.confirm_draft("").await;
    h.shows(&asks("3")).await;
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges/revoke"), 0, "the number comes first");
    h.confirm("3");
    h.until("the revocation", |s| s.contains("revoking 3 = 3") || s.contains(msg_part("revoked 3 = 3")))
        .await;
    assert_eq!(h.sandbox.control().ledger().revokes.iter().map(|r| r.accepted).sum::<u64>(), 3);
}

/// The key of the marks has nothing to do with jobs, and the pane in front is closed first.
#[tokio::test]
async fn u_undoes_no_job_and_q_closes_the_rows_first() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    h.press("u H t p c o m");
    assert_eq!(h.tui.app.modal(), None, "keys of earlier versions do nothing");
    h.press("enter");
    h.shows(msg_part("row 1 of 2")).await;
    h.press("q");
    assert!(h.tui.app.take_loop_command().is_none());
    h.shows("waiting 2 = 2").await;
    h.press("q");
    assert!(h.tui.app.take_loop_command().is_some(), "nothing is open any more: {}", h.screen());
}

#[tokio::test]
async fn the_pane_scrolls_and_no_part_of_the_needs_is_cut() {
    let mut h = Harness::with(Options { quota: Some(2), ..small() }, 60, 16, |mut session| {
        (session.jobs.batch, session.jobs.in_flight) = (1, 1);
        session
    })
    .await;
    issue(&mut h, 0..5).await;
    let need = msg_with("{n} not sent", &[&3]);
    let screen = h.shows(&need).await;
    let row = screen.lines().find(|line| line.starts_with('▌')).expect("a job");
    assert!(row.contains("#1 ▲") && row.contains(&need), "{screen}");
    h.settled().await;
    let top = h.screen();
    assert!(top.contains(msg_part(" more lines: ")), "{top}");
    for _ in 0..10 {
        h.press("}");
    }
    let end = h.screen();
    assert!(end.contains(msg_part("end of the preview")) && end.contains(msg_part("next check")), "{end}");
}

#[tokio::test]
async fn a_closed_review_of_an_undo_is_kept_and_revokes_nothing() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    h.press("x");
    let screen = h.screen();
    assert!(!screen.contains(msg_part("cancel the rest")), "everything was sent:\n{screen}");
    h.type_text("잘못된 명단");
    h.press("enter");
    h.shows(&msg_with("{badges} once issued", &[&"2 badges"])).await;
    h.press("esc");
    let screen = h.shows(msg_part("1 job · 1 open")).await;
    assert!(screen.contains(msg_part("Nothing was sent")), "{screen}");
    h.settled().await;
    let jobs = h.tui.app.jobs().expect("jobs").clone();
    let kept = jobs.kept_drafts().await.expect("drafts");
    assert_eq!(kept.iter().map(|job| job.id.0).collect::<Vec<_>>(), [2]);
    assert!(h.sandbox.control().ledger().revokes.is_empty());
}

#[tokio::test]
async fn a_row_that_was_never_seen_is_sent_again_only_with_a_reason_and_a_confirmation() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 100, 30).await;
    h.sandbox.control().add_fault("post /badges/batch drop times=1").expect("a rule");
    issue(&mut h, 0..2).await;
    h.shows(msg_part("This badge may exist")).await;
    h.press("enter");
    let screen = h.shows(msg_part("row 1 of 2")).await;
    assert!(!screen.contains("d resolve"), "what is in doubt is looked for, not decided:\n{screen}");
    h.press("d");
    assert!(h.screen().contains(msg_part("There is nothing to resolve in this row")));
    h.sandbox.control().advance(std::time::Duration::from_secs(27 * 3600));
    h.press("r");
    h.shows("▲ never seen").await;
    h.settled().await;
    h.press("d");
    h.shows(msg("send again")).await;
    h.press("enter enter");
    assert!(h.screen().contains(msg_part("type a short reason")));
    h.type_text("담당자에게 확인함");
    h.press("enter enter");
    h.settled().await;
    assert_eq!(accepted(&h), 0, "Enter confirms nothing");
    h.confirm("1");
    h.shows(msg_part("1 never seen · 1 waiting")).await;
    assert_eq!(accepted(&h), 1);
}

#[tokio::test]
async fn all_rows_that_were_never_seen_are_sent_again_by_one_decision_with_a_typed_number() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 100, 30).await;
    h.sandbox.control().add_fault("post /badges/batch drop times=1").expect("a rule");
    issue(&mut h, 0..3).await;
    h.shows(msg_part("This badge may exist")).await;
    h.sandbox.control().advance(std::time::Duration::from_secs(27 * 3600));
    h.press("enter");
    h.shows(msg_part("row 1 of 3")).await;
    h.press("r");
    h.shows("▲ never seen").await;
    h.settled().await;
    h.press("d");
    h.shows(msg("send all again")).await;
    h.press("up enter");
    h.type_text("서비스 장애 때 보낸 명단");
    h.press("enter");
    h.shows(&msg_with("{n} rows to send", &[&3])).await;
    h.confirm("");
    h.confirm("2");
    h.settled().await;
    assert_eq!(accepted(&h), 0, "another number confirms nothing");
    h.press("backspace");
    h.confirm("3");
    h.shows(msg_part("3 waiting")).await;
    assert_eq!(accepted(&h), 3);
    let batches = h.sandbox.control().ledger().requests_to("POST /badges/batch");
    assert_eq!(batches, 2, "they are sent together");
}

#[tokio::test]
async fn a_receipt_never_replaces_a_file_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("receipt.csv");
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..4).await;
    h.shows("waiting 4 = 4").await;
    h.settled().await;
    h.press("e e");
    let screen = h.shows(msg_part("Receipt of job")).await;
    assert!(screen.contains("CP949") && !screen.contains("JSON Lines"), "a receipt is a table: {screen}");
    assert!(screen.contains("lapel-receipt-1-"), "{screen}");
    h.press("ctrl-u");
    h.paste(&format!("'{}'", file.display()));
    h.press("enter");
    h.shows(msg_part("Saved 4 rows")).await;
    let written = std::fs::read_to_string(&file).expect("the receipt");
    assert!(
        written.contains("person3@naru.example") && written.contains(msg_part("lapel badge id")),
        "{written}"
    );
    std::fs::write(&file, "mine").expect("written");
    h.press("e e ctrl-u");
    h.paste(&file.display().to_string());
    h.press("enter");
    h.shows(msg_part("A file with this name already exists")).await;
    h.press("enter");
    h.settled().await;
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "mine");
    h.confirm("1");
    h.shows(msg_part("Saved 4 rows")).await;
    assert_eq!(std::fs::read_to_string(&file).expect("the receipt"), written);
}

#[tokio::test]
async fn an_interrupted_job_is_told_at_the_next_start_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let kept = move |mut session: lapel::tui::ProfileSession| {
        session = session.kept_in(place.clone());
        session.jobs.batch = 1;
        session.jobs.in_flight = 1;
        session
    };
    let mut h = Harness::with(small(), 100, 30, kept.clone()).await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges/** hold times=1").expect("a rule");
    issue(&mut h, 0..3).await;
    h.shows(msg_part("sending 1")).await;
    h.press("q");
    assert!(h.screen().contains(msg_part("you can resume them")), "{}", h.screen());
    h.press("q");
    assert!(h.tui.app.take_loop_command().is_some());
    let mut said: Vec<String> = Vec::new();
    let control = h.sandbox.control();
    lapel::tui::close(&h.tui.app, &mut |line| {
        said.push(line.to_owned());
        control.clear_faults();
    })
    .await;
    assert!(said[0].contains(msg_part("waiting for 1 answer")), "{said:?}");
    assert!(
        said[1].contains(msg_part("2 not sent, 1 waiting"))
            && said[1].contains(msg_part("lapel jobs resume 1")),
        "{said:?}"
    );
    assert_eq!(accepted(&h), 1, "what was on its way was waited for, and nothing else was sent");
    let mut h = h.reopened(kept, 100, 30).await;
    let screen = h.shows("1 job was interrupted. See the Activity tab").await;
    assert!(
        screen.contains("Activity ▲1") && screen.contains("Home ▲1") || screen.contains(msg("Activity")),
        "{screen}"
    );
    h.press("5");
    h.shows(msg_part("not sent 2 · waiting 1 = 3")).await;
    h.settled().await;
    h.press("R r");
    h.confirm("2");
    h.shows("waiting 3 = 3").await;
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn mails_that_failed_are_grouped_by_domain() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
    assert!(!h.settled().await.contains(&format!("M {}", msg("mail failures"))));
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    h.shows(msg_part("issued 3 = 3")).await;
    h.press("M");
    h.shows(msg_part("from the rows of job 1 as last checked")).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("lapel knows of no failed mail")), "{screen}");
    h.press("esc");
    h.shows(msg_part("issued 3 = 3")).await;
}

#[tokio::test]
async fn a_small_screen_shows_the_selected_job_in_full() {
    let mut h = Harness::with(Options { quota: Some(1), ..small() }, 60, 16, |mut session| {
        session.jobs.batch = 1;
        session.jobs.in_flight = 1;
        session
    })
    .await;
    issue(&mut h, 0..3).await;
    let screen = h.shows("not sent: quota exceeded").await;
    assert!(screen.contains("= 3"), "{screen}");
    h.press("enter");
    let screen = h.shows(msg_part("row 1 of 3")).await;
    assert!(screen.contains(msg_part("3 rows")), "{screen}");
}

#[tokio::test]
async fn the_list_of_jobs_is_searched() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..2).await;
    issue(&mut h, 2..4).await;
    let screen = h.shows("2 jobs").await;
    let selected =
        |screen: &str, job: &str| screen.lines().any(|line| line.starts_with('▌') && line.contains(job));
    assert!(selected(&screen, "#2"), "{screen}");
    h.press("/");
    h.type_text("#1");
    assert!(selected(&h.settled().await, "#1"), "the first match: {}", h.screen());
    h.press("enter n");
    assert!(selected(&h.settled().await, "#1"), "the only match: {}", h.screen());
    h.press("esc k");
    assert!(selected(&h.settled().await, "#2"), "{}", h.screen());
}

#[tokio::test]
async fn the_wallet_says_when_lapel_requested_a_badge() {
    let mut h = Harness::new(small(), 160, 40).await;
    issue(&mut h, 0..2).await;
    h.settled().await;
    h.press("3");
    h.paste("person0@naru.example");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg("requested")), "{screen}");
}

/// In the preview of the history, and only for badges of the journal.
#[tokio::test]
async fn the_history_says_when_lapel_requested_a_badge() {
    let mut h = Harness::new(small(), 160, 40).await;
    issue(&mut h, 0..2).await;
    h.settled().await;
    h.press("2");
    let screen = h.shows(msg("requested")).await;
    assert!(screen.contains("person1@naru.example"), "{screen}");
    h.press("G");
    h.until("a badge that lapel did not request", |s| !s.contains(msg("requested"))).await;
    assert!(!h.settled().await.contains(msg("requested")), "{}", h.screen());
    h.press("g");
    h.shows(msg("requested")).await;
    // It takes part in no request to the service.
    let before = all_requests(&h);
    h.press("j k");
    h.shows(msg("requested")).await;
    assert_eq!(all_requests(&h), before);
}

/// Another program writes, or the disk hangs.
#[tokio::test]
async fn quitting_does_not_wait_for_a_journal_that_does_not_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let mut h = Harness::with(small(), 100, 30, move |session| session.kept_in(place)).await;
    h.settled().await;
    h.tui.app.jobs().expect("jobs").list().await.expect("a journal");
    let other = rusqlite::Connection::open(lapel::jobs::Journal::file_in(folder.path())).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let mut said: Vec<String> = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    assert!(said.iter().any(|line| line.contains(msg_part("the journal does not answer"))), "{said:?}");
    other.execute_batch("ROLLBACK").expect("unlocked");
}

/// Home and Activity say why, and need no restart when the cause has gone.
#[tokio::test]
async fn a_journal_that_did_not_open_is_opened_when_its_cause_has_gone() {
    for (columns, rows) in [(80, 24), (200, 50)] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_owned();
        let mut h = Harness::with(small(), columns, rows, |session| session.kept_in(place.clone())).await;
        issue(&mut h, 0..2).await;
        h.shows("waiting 2 = 2").await;
        h.settled().await;
        lapel::tui::close(&h.tui.app, &mut |_| {}).await;
        let file = rusqlite::Connection::open(lapel::jobs::Journal::file_in(&place)).expect("the file");
        let schema: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a number");
        file.execute_batch("PRAGMA user_version = 999").expect("as of a newer lapel");
        let mut h = h.reopened(|session| session.kept_in(place), columns, rows).await;
        for tab in ["0", "5"] {
            h.press(tab);
            let is_told = |screen: &str| screen.contains(msg_part("A newer lapel wrote the journal"));
            let screen = h.until("the reason", is_told).await;
            assert!(!screen.contains(msg("reading the journal")), "{screen}");
        }
        let screen = h.settled().await;
        let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(msg_part("lapel tries again by itself.")), "{screen}");
        file.execute_batch(&format!("PRAGMA user_version = {schema}")).expect("as before");
        crate::copy_log_refresh::pass(10).await;
        // A change of the job may be shown a moment before the journal counts as open.
        let is_open = |screen: &str| {
            screen.contains("waiting 2 = 2") && !screen.contains(msg_part("A newer lapel wrote the journal"))
        };
        h.until("the open journal", is_open).await;
        h.press("0");
        let screen = h.settled().await;
        assert!(!screen.contains(msg_part("A newer lapel wrote the journal")), "{screen}");
    }
}

/// The cursor may be on another job, and what this person did before is no longer true.
#[tokio::test]
async fn activity_tells_that_a_colleague_paused_a_job() {
    use lapel::jobs::{JobChange, Phase};
    let mut h = Harness::with(small(), 100, 30, |session| session).await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    let jobs = h.tui.app.jobs().expect("jobs").clone();
    let mut job = jobs.list().await.expect("read").remove(0);
    let by = r#"{"code":"process_on","args":{"who":"lee","computer":"lab-pc"}}"#;
    (job.phase, job.halted_by) = (Phase::Paused, serde_json::from_str(by).expect("a reason"));
    let state = msg_with("paused by {who}", &[&"lee on lab-pc"]);
    let told = msg_with("Job {id}: {state}. Activity shows what was sent.", &[&job.id, &state]);
    let change = JobChange { id: job.id, job: Some(job), touched: Vec::new() };
    h.tui.app.update(Message::Of(1, Box::new(Message::Job(Box::new(change)))));
    assert!(h.screen().contains(&told), "{}", h.screen());
}

#[tokio::test]
async fn who_paused_a_job_stands_above_its_rows() {
    use lapel::jobs::{JobChange, Phase, RowStatus};
    for (columns, rows) in [(80, 24), (120, 36)] {
        let mut h = Harness::with(small(), columns, rows, |session| session).await;
        issue(&mut h, 0..2).await;
        h.shows("waiting 2 = 2").await;
        h.press("enter");
        h.shows(msg_part("row 1 of 2")).await;
        h.settled().await;
        let jobs = h.tui.app.jobs().expect("jobs").clone();
        let mut job = jobs.list().await.expect("read").remove(0);
        let by = r#"{"code":"process_on","args":{"who":"lee","computer":"lab-pc"}}"#;
        (job.phase, job.halted_by) = (Phase::Paused, serde_json::from_str(by).expect("a reason"));
        job.counts = [(RowStatus::Ready, 1), (RowStatus::Waiting, 1)].into_iter().collect();
        let heading = format!("#{} ", job.id);
        let change = JobChange { id: job.id, job: Some(job), touched: Vec::new() };
        h.tui.app.update(Message::Of(1, Box::new(Message::Job(Box::new(change)))));
        let screen = h.screen();
        let line = screen.lines().find(|line| line.contains(&heading)).expect("the heading of the rows");
        assert!(line.contains(&msg_with("paused by {who}", &[&"lee on lab-pc"])), "{screen}");
    }
}

#[tokio::test]
async fn a_command_at_the_end_of_a_reason_does_not_run_into_the_next_sentence() {
    use lapel::jobs::JournalError;
    let mut h = Harness::with(small(), 200, 50, |session| session).await;
    h.settled().await;
    let why = JournalError::Team { server: "db".to_owned(), why: lapel::team::TeamError::NoJournal };
    let expected = msg_with("{why} lapel tries again by itself.", &[&format!("{why}.")]);
    assert!(why.to_string().ends_with(msg_part("lapel journal init")), "{why}");
    h.tui.app.update(Message::Of(1, Box::new(Message::JournalFailed(why))));
    for tab in ["0", "5"] {
        h.press(tab);
        let screen = h.settled().await;
        assert!(crate::narrow::flat(&screen).contains(&expected), "{screen}");
    }
}

#[tokio::test]
async fn after_a_search_the_cursor_stays_on_the_row_that_it_found() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..120).await;
    h.shows("waiting 120").await;
    h.press("enter");
    h.shows(msg_part("row 1 of 120")).await;
    h.settled().await;
    let selected = |screen: &str| {
        let line = screen.lines().find(|line| line.starts_with('▌')).expect("a selected line");
        let address = line.split_whitespace().find(|word| word.contains("@naru")).expect("an address");
        address.split('@').next().unwrap_or_default().to_owned()
    };
    for (key, text, found) in
        [("#", "117", "person116"), ("/", "person41@", "person41"), ("#", "2", "person1")]
    {
        h.press(key);
        h.type_text(text);
        h.press("enter");
        let screen = h.settled().await;
        assert_eq!(selected(&screen), found, "{key}{text}: {screen}");
        h.press("esc");
        let screen = h.settled().await;
        assert!(screen.contains(" of 120"), "all rows again: {screen}");
        assert_eq!(selected(&screen), found, "{key}{text}: {screen}");
    }
}

#[tokio::test]
async fn the_key_of_the_record_says_which_row_has_one() {
    let mut h = by(1000, small()).await;
    issue(&mut h, 0..2).await;
    h.settled().await;
    h.press("J");
    let screen = h.settled().await;
    let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let key = "The service has no record of a job. {open} opens its rows; a row has the record of its badge.";
    assert!(flowing.contains(&msg_with(key, &[&"⏎"])), "{screen}");
    assert_eq!(h.tui.app.modal(), None, "{screen}");
}
