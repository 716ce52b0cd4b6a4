//! Messages that nobody asked for: they say what is true now, and go when it is no longer true.

use super::activity::issue;
use super::*;
use crate::common::texts::{msg_part, msg_with};
use lapel::jobs::{Job, JobChange, JobId, Phase, Reason, RowStatus};

async fn with_a_job() -> (Harness, Job) {
    let mut h = Harness::with(small(), 120, 30, |session| session).await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    let jobs = h.tui.app.jobs().expect("jobs").clone();
    let job = jobs.list().await.expect("read").remove(0);
    (h, job)
}

/// The job becomes one with these rows.
fn becomes(h: &mut Harness, job: &Job, rows: &[(RowStatus, u64)]) -> String {
    let job = Job { counts: rows.iter().copied().collect(), ..job.clone() };
    let change = JobChange { id: job.id, job: Some(job), touched: Vec::new() };
    h.tui.app.update(Message::Of(1, Box::new(Message::Job(Box::new(change)))));
    h.screen()
}

fn problem(n: u64, job: &Job) -> String {
    if n == 1 {
        return format!("1 badge of job {} has a problem", job.id);
    }
    msg_with("{n} badges of job {id} have a problem. Activity shows which and why.", &[&n, &job.id])
}

#[tokio::test]
async fn a_message_about_a_job_says_what_is_true_now() {
    use RowStatus::{InDoubt, Issued, Waiting};
    let (mut h, job) = with_a_job().await;
    h.press("1");
    h.settled().await;
    let screen = becomes(&mut h, &job, &[(InDoubt, 2)]);
    assert!(screen.contains(&problem(2, &job)), "{screen}");
    let screen = becomes(&mut h, &job, &[(InDoubt, 1), (Waiting, 1)]);
    assert!(screen.contains(&problem(1, &job)) && !screen.contains(&problem(2, &job)), "{screen}");
    // lapel found the last one too, and no sentence about it is left.
    let screen = becomes(&mut h, &job, &[(Issued, 2)]);
    assert!(screen.contains("(2 of 2)") && screen.contains(msg_part("Issued: ")), "{screen}");
    crate::copy_log_refresh::pass(20).await;
    h.tui.app.update(Message::Tick);
    let screen = h.screen();
    assert!(!screen.contains("(2 of 2)") && !screen.contains("a problem. Activity"), "{screen}");
}

#[tokio::test]
async fn what_is_still_wrong_with_a_finished_job_is_told_again_after_its_end() {
    use RowStatus::{Issued, Refused, Waiting};
    let (mut h, job) = with_a_job().await;
    h.press("1");
    h.settled().await;
    becomes(&mut h, &job, &[(Refused, 1), (Waiting, 1)]);
    let screen = becomes(&mut h, &job, &[(Refused, 1), (Issued, 1)]);
    assert!(screen.contains("(1 of 2)") && !screen.contains(&problem(1, &job)), "{screen}");
    crate::copy_log_refresh::pass(20).await;
    h.tui.app.update(Message::Tick);
    assert!(h.screen().contains(&problem(1, &job)), "{}", h.screen());
}

#[tokio::test]
async fn activity_takes_the_message_about_a_job_that_it_shows() {
    use RowStatus::{InDoubt, Waiting};
    let (mut h, job) = with_a_job().await;
    // The rows of the job, or the list of jobs.
    for keys in ["enter", ""] {
        h.press("1");
        h.settled().await;
        becomes(&mut h, &job, &[(Waiting, 2)]);
        let screen = becomes(&mut h, &job, &[(InDoubt, 1), (Waiting, 1)]);
        assert!(screen.contains(&problem(1, &job)), "{screen}");
        h.press("5");
        h.press(keys);
        assert!(!h.settled().await.contains(&problem(1, &job)), "{}", h.screen());
        h.press("1");
        assert!(!h.settled().await.contains(&problem(1, &job)), "{}", h.screen());
        h.press("5 esc");
    }
}

/// The rows of one job do not show what happens to another one.
#[tokio::test]
async fn the_open_rows_of_a_job_do_not_hide_the_problem_of_another_one() {
    use RowStatus::InDoubt;
    let (mut h, job) = with_a_job().await;
    issue(&mut h, 2..4).await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("row 1 of 2")).await;
    h.settled().await;
    let screen = becomes(&mut h, &job, &[(InDoubt, 2)]);
    assert!(screen.contains(&problem(2, &job)), "{screen}");
}

/// A badge with a problem that is found again says nothing about the pause.
#[tokio::test]
async fn the_pause_of_a_colleague_is_told_as_long_as_it_lasts() {
    use RowStatus::{InDoubt, Waiting};
    let (mut h, job) = with_a_job().await;
    h.press("1");
    h.settled().await;
    let by = serde_json::json!({"code": "process_on", "args": {"who": "lee", "computer": "lab-pc"}});
    let by: Reason = serde_json::from_value(by).expect("a reason");
    let paused = Job { phase: Phase::Paused, halted_by: Some(by), ..job.clone() };
    for in_doubt in [0, 1, 0] {
        let screen = becomes(&mut h, &paused, &[(InDoubt, in_doubt), (Waiting, 2 - in_doubt)]);
        assert!(screen.contains(msg_part("paused by")) && screen.contains("lee"), "{in_doubt}: {screen}");
        assert_eq!(screen.contains(&problem(1, &job)), in_doubt == 1, "{screen}");
    }
    let screen = becomes(&mut h, &job, &[(Waiting, 2)]);
    assert!(!screen.contains(msg_part("paused by")), "it goes on: {screen}");
}

#[tokio::test]
async fn activity_leaves_the_message_about_a_job_that_is_scrolled_out_of_sight() {
    use RowStatus::{InDoubt, Waiting};
    let (mut h, job) = with_a_job().await;
    h.press("1");
    h.settled().await;
    for id in 2..60 {
        becomes(&mut h, &Job { id: JobId(id), ..job.clone() }, &[(Waiting, 2)]);
    }
    let screen = becomes(&mut h, &job, &[(InDoubt, 1), (Waiting, 1)]);
    assert!(screen.contains(&problem(1, &job)), "{screen}");
    h.press("5");
    assert!(h.settled().await.contains(&problem(1, &job)), "the newest jobs are shown: {}", h.screen());
    h.press("G");
    assert!(!h.settled().await.contains(&problem(1, &job)), "the oldest job is shown: {}", h.screen());
}
