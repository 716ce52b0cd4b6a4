//! A template that was renamed: its earlier badges keep their title, and no filter finds them by the new one.

use super::*;
use lapel::jobs::{CheckProgress, DuplicateKind, DuplicateResult};
use tokio_util::sync::CancellationToken;

/// What the template is called now. The sandbox's badges have its former title.
fn renamed() -> (TemplateId, Text) {
    (template().0, "디지털 리터러시 2026".into())
}

async fn checked(bench: &Bench, people: Vec<PlannedRecipient>) -> (JobId, DuplicateResult) {
    let id = bench.jobs.draft_people(renamed(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    let checked =
        bench.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("checked");
    (id, checked)
}

fn hold(bench: &Bench, people: impl Iterator<Item = usize>) {
    let row = |n| RowSpec {
        recipient_email: format!("person{n}@naru.example"),
        minutes_ago: 90,
        ..RowSpec::default()
    };
    let insert: Vec<RowSpec> = people.map(row).collect();
    bench.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
}

#[tokio::test]
async fn holders_under_a_former_title_are_found_with_few_requests() {
    // One by one, after a few of them; and by the title that a few of them have.
    for (all, most) in [(20, 1 + 20 + 20), (150, 1 + 20 + 150), (400, 1 + 20 + 5 + 20)] {
        let bench = Bench::new(small()).await;
        hold(&bench, (0..all).step_by(3));
        let before = bench.requests();
        let (_, checked) = checked(&bench, people(0..all)).await;
        let found = vec![(DuplicateKind::Valid, all.div_ceil(3) as u64)];
        assert_eq!((checked.classes, checked.complete), (found, true), "{all}");
        assert!(bench.requests() - before <= most, "{all}: {}", bench.requests() - before);
    }
}

#[tokio::test]
async fn the_journal_knows_the_former_title_also_for_a_single_holder() {
    let mut bench = Bench::new(small()).await;
    let first = begin(&bench, people(1000..1003)).await;
    bench.until("accepted", first, |job| job.counts.of(RowStatus::Waiting) == 3).await;
    // Somebody else issued it.
    hold(&bench, 250..251);
    let (_, checked) = checked(&bench, people(0..400)).await;
    assert_eq!((checked.classes, checked.complete), (vec![(DuplicateKind::Valid, 1)], true));
}

#[tokio::test]
async fn a_lost_batch_is_found_by_address_before_its_absence_counts() {
    for n in [5, 201] {
        let switches = vec![("waiting-history".into(), "hidden".into())];
        let mut bench = Bench::new(Options { switches, ..small() }).await;
        bench.fault("post /badges/batch commit-drop times=1");
        let (id, _) = checked(&bench, people(0..n)).await;
        bench.jobs.begin(id, "me").await.expect("begun");
        bench.until("in doubt", id, |job| rests(job) && job.counts.of(RowStatus::InDoubt) == n as u64).await;
        bench.advance(27 * 60);
        // A poll of lapel itself that began before that concludes nothing, and another one is due later.
        let found = async {
            loop {
                bench
                    .access
                    .reader()
                    .ping(&lapel::api::Call::interactive())
                    .await
                    .expect("the clock is heard");
                assert_eq!(bench.jobs.poll_due().await.failed, None);
                let counts = bench.jobs.job(id).await.expect("a job").counts;
                assert_eq!(counts.of(RowStatus::NeverSeen), 0, "{counts:?}");
                if counts.of(RowStatus::Issued) == n as u64 {
                    return;
                }
                bench.advance(60);
            }
        };
        tokio::time::timeout(BOUND, found).await.expect("all are found");
        assert_eq!(bench.accepted(), n as u64);
    }
}

#[tokio::test]
async fn many_rows_that_nobody_has_received_cost_few_look_ups() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut bench = Bench::new(Options { switches, ..small() }).await;
    bench.fault("post /badges/batch drop times=1");
    let id = begin(&bench, people(0..600)).await;
    bench.until("in doubt", id, |job| rests(job) && job.counts.of(RowStatus::InDoubt) == 600).await;
    bench.advance(27 * 60);
    let before = bench.requests();
    bench.poll(id).await;
    let job = bench.jobs.job(id).await.expect("a job");
    assert_eq!(job.counts.of(RowStatus::NeverSeen), 600, "{:?}", job.counts);
    // lapel may have looked by itself, too.
    assert!(bench.requests() - before <= 2 * (2 + 20), "{}", bench.requests() - before);
}
