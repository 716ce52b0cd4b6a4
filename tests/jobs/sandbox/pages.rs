//! Pages of the history that lie while rows are looked for.

use super::*;
use lapel::jobs::{CheckProgress, DuplicateResult};
use tokio_util::sync::CancellationToken;

async fn checked(bench: &Bench, people: Vec<PlannedRecipient>) -> DuplicateResult {
    let id = bench.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    bench.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("a duplicate check")
}

/// A page of the history that is empty for every query, while the count says more.
fn empty_page_two(bench: &Bench) {
    for page in ["page=2&rows_per_page=100", "page=3&rows_per_page=50", "page=4&rows_per_page=50"] {
        bench.fault(&format!("get /badges/history match={page} items=empty"));
    }
}

#[tokio::test]
async fn what_an_empty_page_hides_is_found_by_its_address() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.fault("post /badges/batch commit-drop times=1");
    let id = begin(&bench, people(0..250)).await;
    let job = bench.until("a doubt", id, rests).await;
    assert_eq!(job.counts.of(RowStatus::InDoubt), 250);
    bench.advance(25 * 60);
    empty_page_two(&bench);
    let before = bench.requests();
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Issued), 250, "{:?}", job.counts);
    assert_eq!(bench.accepted(), 250);
    assert!(bench.requests() - before <= 10 + 110, "{}", bench.requests() - before);
}

#[tokio::test]
async fn what_an_empty_page_hides_of_a_followed_job_is_read_by_its_id() {
    let mut bench = Bench::new(small()).await;
    let id = begin(&bench, people(0..250)).await;
    bench.until("accepted", id, |j| j.counts.of(RowStatus::Waiting) == 250).await;
    bench.advance(25 * 60);
    empty_page_two(&bench);
    let before = bench.requests();
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Issued), 250, "{:?}", job.counts);
    assert!(bench.requests() - before <= 10 + 110, "{}", bench.requests() - before);
}

#[tokio::test]
async fn a_last_page_that_is_given_for_ever_ends_the_search() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.fault("post /badges/batch commit-drop times=1");
    let id = begin(&bench, people(0..5)).await;
    bench.until("a doubt", id, rests).await;
    bench.advance(25 * 60);
    for (name, value) in [("beyond-end", "last"), ("total-count", "huge")] {
        bench.sandbox.control().set(name, value).expect(name);
    }
    let before = bench.requests();
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::Issued), 5, "what was found is used: {:?}", job.counts);
    assert!(bench.requests() - before <= 1 + 5 * 6, "{}", bench.requests() - before);
}

#[tokio::test]
async fn what_was_not_read_is_not_taken_for_nothing() {
    for rule in ["get /badges/history items=null", "get /badges/history match=recipient_email items=null"] {
        let bench = Bench::new(small()).await;
        bench.fault(rule);
        assert!(!checked(&bench, people(0..2)).await.complete, "{rule}");
    }
    let bench = Bench::new(small()).await;
    assert!(checked(&bench, people(0..2)).await.complete);
    // Title pages of which one is empty, with more people than are looked up one by one.
    let row = RowSpec { recipient_email: "one@naru.example".into(), ..RowSpec::default() };
    bench.sandbox.control().rows(&Rows { insert: vec![row; 250], ..Rows::default() }).expect("inserted");
    empty_page_two(&bench);
    assert!(!checked(&bench, people(0..300)).await.complete);
    assert!(checked(&bench, people(0..100)).await.complete, "so few are looked up one by one");
}

#[tokio::test]
async fn an_incomplete_reading_is_not_used_for_the_next_try() {
    let mut bench = Bench::new(small()).await;
    let hidden = "get /badges/history items=null";
    bench.fault("post /badges/batch status=401 times=1");
    let id = begin(&bench, people(0..6)).await;
    bench.until("stopped", id, |job| job.phase == Phase::Stopped).await;
    // Another computer has issued to them, and the reading is old.
    let row = |n: usize| RowSpec { recipient_email: format!("person{n}@naru.example"), ..RowSpec::default() };
    let insert = (0..6).map(row).collect();
    bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    bench.advance(16);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    bench.fault(hidden);
    for _ in 0..2 {
        let before = bench.requests();
        bench.jobs.resume(id, "me").await.expect_err("it is not known who holds it");
        assert!(bench.requests() > before, "it is read again each time");
    }
    assert_eq!(bench.accepted(), 0);
    bench.sandbox.control().clear_faults();
    bench.jobs.resume(id, "me").await.expect("read");
    let job = bench.until("held", id, |job| job.held == 6).await;
    assert_eq!((job.counts.of(RowStatus::Ready), bench.accepted()), (0, 0));
}

#[tokio::test]
async fn a_draft_whose_reading_was_incomplete_is_read_again_before_it_is_begun() {
    let mut bench = Bench::new(small()).await;
    let hidden = "get /badges/history items=null";
    bench.fault(hidden);
    let id = bench.jobs.draft_people(template(), people(0..3)).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    let checked = bench
        .jobs
        .check_duplicates(id, &progress, CancellationToken::new())
        .await
        .expect("a duplicate check");
    assert!(!checked.complete);
    bench.jobs.begin(id, "me").await.expect_err("it is not known who holds it");
    assert_eq!(bench.jobs.job(id).await.expect("a job").phase, Phase::Draft);
    bench.sandbox.control().clear_faults();
    bench.jobs.begin(id, "me").await.expect("read");
    bench.until("accepted", id, |job| job.counts.of(RowStatus::Waiting) == 3).await;
}
