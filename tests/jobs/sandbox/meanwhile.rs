//! What a person decides while an earlier command still reads the history.

use super::*;
use crate::texts::msg_part;
use lapel::jobs::JobError;

/// Six people in requests of two, of which one was refused: before it went `sent` people. The duplicate check is old.
async fn refused(sent: usize) -> (Bench, JobId) {
    let settings = JobConfig { batch: 2, in_flight: 1, ..JobConfig::default() };
    let mut bench = Bench::set(small(), |connection| connection, settings).await;
    bench.fault(&format!("post /badges/batch status=400 after={} times=1", sent / 2));
    let id = begin(&bench, people(0..6)).await;
    let job = bench.until("refused", id, |job| rests(job) && job.stop.is_some()).await;
    let counts = [RowStatus::Waiting, RowStatus::Refused].map(|status| job.counts.of(status));
    assert_eq!(counts, [sent as u64, 2]);
    bench.advance(16);
    bench.access.reader().ping(&lapel::api::Call::interactive()).await.expect("the clock is heard");
    // Nothing else is due.
    bench.jobs.poll_now(None).await;
    (bench, id)
}

/// Runs a command, and something else while it reads the history.
async fn during<T: Send + 'static>(
    bench: &Bench,
    command: impl Future<Output = T> + Send + 'static,
    meanwhile: impl Future<Output = ()>,
) -> T {
    bench.fault("get /badges/history hold");
    let before = bench.requests();
    let command = tokio::spawn(command);
    let reads = async {
        while bench.requests() == before {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, reads).await.expect("it reads the history");
    meanwhile.await;
    bench.sandbox.control().clear_faults();
    command.await.expect("it ends")
}

fn assert_changed<T: std::fmt::Debug>(done: Result<T, JobError>) {
    let why = done.expect_err("the job is another one now");
    assert!(
        matches!(why, JobError::NotPossible(_)) && why.to_string().contains(msg_part("changed while")),
        "{why}"
    );
}

#[tokio::test]
async fn a_job_that_is_cancelled_while_a_command_reads_stays_cancelled() {
    let (bench, id) = refused(0).await;
    let jobs = bench.jobs.clone();
    let retry = async move { jobs.retry_refused(id, "me").await };
    let cancel = async { _ = bench.jobs.cancel(id, "me").await.expect("cancelled") };
    assert_changed(during(&bench, retry, cancel).await);
    bench.jobs.sent(id).await;
    assert_eq!((bench.jobs.job(id).await.expect("a job").phase, bench.accepted()), (Phase::Cancelled, 0));

    let (bench, id) = refused(0).await;
    let jobs = bench.jobs.clone();
    let resume = async move { jobs.resume(id, "me").await };
    let cancel = async { _ = bench.jobs.cancel(id, "me").await.expect("cancelled") };
    assert_changed(during(&bench, resume, cancel).await);
    bench.jobs.sent(id).await;
    assert_eq!((bench.jobs.job(id).await.expect("a job").phase, bench.accepted()), (Phase::Cancelled, 0));
}

#[tokio::test]
async fn a_job_that_is_undone_while_a_command_reads_sends_nothing_more() {
    // A job that was cancelled before has the same phase afterwards.
    for is_cancelled in [false, true] {
        let (bench, id) = refused(2).await;
        if is_cancelled {
            bench.jobs.cancel(id, "me").await.expect("cancelled");
        }
        let jobs = bench.jobs.clone();
        let retry = async move { jobs.retry_refused(id, "me").await };
        let undo = async {
            let undo = bench.jobs.undo(id, "잘못 발급", "me").await.expect("a plan");
            assert_eq!(bench.jobs.job(undo).await.expect("a job").counts.total(), 2);
        };
        assert_changed(during(&bench, retry, undo).await);
        bench.jobs.sent(id).await;
        assert_eq!(bench.accepted(), 2, "{is_cancelled}");
        // A person who still wants it confirms again.
        bench.jobs.retry_refused(id, "me").await.expect("sent");
        bench.jobs.sent(id).await;
        assert_eq!(bench.accepted(), 4, "{is_cancelled}");
    }
}
