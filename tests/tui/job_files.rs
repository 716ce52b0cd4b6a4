//! The list of jobs and the rows of a job as files.

use super::activity::issue;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use serde_json::Value;
use std::path::Path;

/// A job of five rows, of which two are not sent, with the list of jobs on the screen.
async fn at_the_quota() -> Harness {
    let mut h = Harness::with(Options { quota: Some(3), ..small() }, 100, 30, |mut session| {
        session.jobs.batch = 3;
        session.jobs.in_flight = 1;
        session
    })
    .await;
    issue(&mut h, 0..5).await;
    h.shows(msg_part("2 of 5 not sent: quota exceeded")).await;
    h.press("5");
    h.settled().await;
    h
}

async fn save(h: &mut Harness, to: &Path, saved: &str) {
    h.shows(msg_part("No requests needed")).await;
    h.press("ctrl-u");
    h.paste(&to.display().to_string());
    h.press("enter");
    h.shows(saved).await;
    h.settled().await;
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a file");
    text.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_list_of_jobs_is_a_file_with_every_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = at_the_quota().await;
    h.press("e");
    let menu = h.shows(msg("redo file")).await;
    assert!(menu.lines().any(|line| line.contains(msg("list")) && line.contains("1 job")), "{menu}");
    h.press("l");
    let form = h.shows(msg_part("No requests needed")).await;
    assert!(form.contains("lapel-jobs-"), "{form}");
    let (csv, json) = (folder.path().join("jobs.csv"), folder.path().join("jobs.jsonl"));
    save(&mut h, &csv, "Saved 1 row to").await;
    let written = lines(&csv);
    assert!(written[0].starts_with("job,kind,title,rows,progress,needs,updated,"), "{written:?}");
    assert!(written[0].contains(",issued,"), "with a column for each status: {written:?}");
    assert_eq!(written.len(), 2);
    h.press("e l");
    save(&mut h, &json, "Saved 1 row to").await;
    let record: Value = serde_json::from_str(&lines(&json)[0]).expect("JSON");
    assert_eq!((&record["job"], &record["rows"]), (&1.into(), &5.into()), "{record}");
    assert!(record["updated"].as_str().is_some_and(|time| time.ends_with('Z')), "{record}");
    // A file that is there is not replaced unasked.
    std::fs::write(&csv, "mine").expect("written");
    h.press("e l ctrl-u");
    h.paste(&csv.display().to_string());
    h.press("enter");
    h.shows(msg_part("A file with this name already exists")).await;
    h.press("esc esc");
    assert_eq!(lines(&csv), ["mine"]);
}

#[tokio::test]
async fn the_rows_of_a_job_are_saved_as_they_are_filtered_sorted_or_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let mut h = at_the_quota().await;
    h.press("enter");
    h.shows("row 1 of 5").await;
    h.settled().await;
    h.press("e l");
    let form = h.shows(&msg_with("{n} rows of job {id}", &[&5, &1])).await;
    assert!(form.contains("lapel-job-1-"), "{form}");
    save(&mut h, &file("all.csv"), "Saved 5 rows to").await;
    let all = lines(&file("all.csv"));
    assert!(all[0].starts_with("row,state,recipient_name,recipient_email,badge_id,why,no,"), "{all:?}");
    assert_eq!(all.len(), 6);
    // By search: only what is found, and the form says what was searched for.
    h.press("/");
    h.type_text("person3");
    h.press("enter");
    h.shows("row 1 of 1").await;
    h.press("e l");
    h.shows(msg_part("1 row of job 1")).await;
    save(&mut h, &file("found.csv"), "Saved 1 row to").await;
    let found = lines(&file("found.csv"));
    assert!(found.len() == 2 && found[1].contains("person3@naru.example"), "{found:?}");
    // Marked rows go alone, also those that the search hides.
    h.press("space");
    h.press("/ ctrl-u");
    h.type_text("person4");
    h.press("enter");
    h.shows(&msg_with("{marked} marked ({hidden} hidden)", &[&1, &1])).await;
    h.press("e l");
    h.shows("1 marked row of job 1").await;
    save(&mut h, &file("marked.csv"), "Saved 1 row to").await;
    let marked = lines(&file("marked.csv"));
    assert!(marked.len() == 2 && marked[1].contains("person3@naru.example"), "{marked:?}");
    // Where nothing matches there is nothing to save and nothing to mark, and lapel says so.
    h.press("/ ctrl-u");
    h.type_text("nobody");
    h.press("enter");
    h.shows(msg("No rows match.")).await;
    h.press("* n * a");
    h.shows(msg("No row matches, so there is nothing to mark.")).await;
    h.press("e");
    let menu = h.shows(msg("receipt")).await;
    assert!(!menu.contains(&format!(" l  {}", msg("list"))), "{menu}");
}

/// The import reads a redo file of every format again.
#[tokio::test]
async fn a_redo_file_of_any_format_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for (downs, name) in [(0, "again.xlsx"), (1, "again-utf8.csv"), (2, "again-cp949.csv")] {
        let file = folder.path().join(name);
        let mut h = at_the_quota().await;
        h.press("e o");
        h.shows(msg_part("Redo file of job")).await;
        h.press("ctrl-u");
        h.paste(&file.display().to_string());
        // The name has set the format; CSV has two.
        if downs == 2 {
            h.press("down");
        }
        h.press("enter");
        h.shows(msg_part("Saved 2 rows to")).await;
        h.press("1");
        h.settled().await;
        h.press("enter i");
        h.settled().await;
        h.paste(&file.display().to_string());
        h.press("enter");
        let screen =
            h.until("two rows", |s| s.contains("2 rows") || s.matches(msg("readable")).count() == 2).await;
        assert_eq!(h.sandbox.control().ledger().accepted_total(), 3, "{screen}");
    }
}
