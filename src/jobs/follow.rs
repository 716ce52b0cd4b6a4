//! The follower: one task that polls open jobs when they are due, and resolves rows in doubt.

mod poll;
mod probe;

use self::poll::Polled;
use super::core::{JobsCore, PollResult, RequestedPolls, lock};
use super::error::JobError;
use super::job::JobId;
use super::journal::polling::{Group, NotRead, ScheduleNext};
use super::journal::{FileWatch, JournalError};
use super::reason::{Code, Reason};
use super::send;
use crate::jobs::prelude::*;
use std::time::Duration;
use tokio::time::Instant;

/// Minimum real time between polls. A sandbox with a fast clock gets at most five requests a second.
const SHORTEST: Duration = Duration::from_millis(200);
/// Pause after a poll whose result could not be written. Without it, the next poll time is unknown.
const AFTER_UNWRITTEN: Duration = Duration::from_secs(60);
const AFTER_FAILURE: SignedDuration = SignedDuration::from_mins(5);
/// Pause between two looks at a journal file that the system watches, and in which no other process has a job.
const WATCHED: Duration = Duration::from_secs(60);

/// How often the names in old jobs are removed, beside the start.
const DAILY: Duration = Duration::from_secs(24 * 60 * 60);

/// A poll of the rows of one template.
#[derive(Clone, Copy)]
struct Poll<'p> {
    core: &'p Arc<JobsCore>,
    template: &'p TemplateId,
    group: &'p Group,
    call: &'p Call,
}

pub(super) async fn run(core: Arc<JobsCore>) {
    let mut deadlines: HashMap<JobId, (Timestamp, Instant)> = HashMap::new();
    let mut known = HashMap::new();
    let mut held: Option<Instant> = None;
    let mut watch = core.journal.watch_file();
    let mut may_arm = Instant::now();
    let mut forgets = core.settings.keep_days.map(|_| Instant::now() + DAILY);
    while !core.ending.is_cancelled() {
        let asked = std::mem::take(&mut *lock(&core.asked));
        let (open, unread) = match core.store.open_jobs(core.me()).await {
            Ok(open) => (open, None),
            Err(JournalError::Closed) => return,
            // Polling changes nothing, so try again later. A caller that asked for a poll gets the error.
            Err(why) => (Vec::new(), Some(why.into())),
        };
        let (now, _) = core.moment();
        let here = Instant::now();
        if forgets.is_some_and(|at| at <= here) {
            // A journal that cannot be written is tried again tomorrow.
            let _ = core.forget_old().await;
            forgets = Some(here + DAILY);
        }
        deadlines.retain(|id, _| open.iter().any(|(open, _)| open == id));
        for (id, next) in &open {
            let next = next.unwrap_or(now);
            if deadlines.get(id).is_none_or(|(known, _)| *known != next) {
                deadlines.insert(*id, (next, here + wait(&core, now, next)));
            }
        }
        let is_asked = |id: &JobId| asked.all || asked.jobs.contains(id);
        let is_held = held.is_some_and(|until| until > here);
        let is_due = |id: &JobId| {
            let due =
                |(next, at): &(Timestamp, Instant)| *at <= here && !is_held || (asked.due && *next <= now);
            deadlines.get(id).is_some_and(due)
        };
        let due: Vec<JobId> =
            open.iter().map(|(id, _)| *id).filter(|id| is_asked(id) || is_due(id)).collect();
        if !due.is_empty() {
            let call = if due.iter().any(is_asked) { Call::interactive() } else { Call::background() }
                .cancelled_by(core.ending.clone());
            let (polled, is_written) = poll(&core, &due, &call).await;
            held = (!is_written).then(|| Instant::now() + AFTER_UNWRITTEN);
            for id in &due {
                deadlines.remove(id);
            }
            report(asked, &polled);
            continue;
        }
        let complete = unread.is_none();
        report(asked, &PollResult { complete, failed: unread, ..PollResult::default() });
        // At most so often, since each write of this process would be noticed, too.
        if let Some(watch) = watch.as_mut().filter(|_| may_arm <= here) {
            watch.arm();
        }
        let neighbours = core.neighbours(&mut known).await;
        let next = deadlines.values().map(|(_, at)| held.map_or(*at, |until| until.max(*at))).min();
        let often = core.settings.others;
        let is_watched = watch.as_ref().map(FileWatch::is_armed);
        let pause = neighbours.map(|has_jobs| match (has_jobs, is_watched) {
            // A process that dies writes nothing. Its jobs need another owner soon.
            (true, _) | (false, Some(false)) => often,
            (false, Some(true)) => WATCHED,
            // Less often, but another process may start a job at any time.
            (false, None) => often * 5 / 2,
        });
        let next = [next, pause.map(|pause| here + pause), forgets].into_iter().flatten().min();
        let others_wrote = async {
            match watch.as_mut().filter(|watch| watch.is_armed()) {
                Some(watch) => watch.wrote().await,
                None => core.journal.others_wrote().await,
            }
        };
        tokio::select! {
            () = tokio::time::sleep_until(next.unwrap_or(here)), if next.is_some() => {}
            () = core.wake.notified() => {}
            () = others_wrote => may_arm = here + often,
            () = core.ending.cancelled() => return,
        }
    }
}

fn report(asked: RequestedPolls, polled: &PollResult) {
    for done in asked.done {
        // The caller may be gone.
        let _ = done.send(polled.clone());
    }
}

/// The real time until the service's clock shows `next`.
pub(super) fn wait(core: &JobsCore, now: Timestamp, next: Timestamp) -> Duration {
    let ahead = next.duration_since(now);
    if ahead <= SignedDuration::ZERO {
        return Duration::ZERO;
    }
    let speed = core.reader().clock().speed();
    // A stopped clock would never reach the next poll, so use real time.
    let speed = if speed.is_finite() && speed > 0.0 { speed } else { 1.0 };
    let ahead = Duration::try_from(ahead).unwrap_or(Duration::ZERO);
    Duration::try_from_secs_f64(ahead.as_secs_f64() / speed).unwrap_or(ahead).max(SHORTEST)
}

/// Returns whether the time of the next poll could be written.
async fn poll(core: &Arc<JobsCore>, due: &[JobId], call: &Call) -> (PollResult, bool) {
    let (Polled { partial, unread }, failed) = match poll::poll_jobs(core, due, call).await {
        Ok(polled) => (polled, None),
        Err(why) => (Polled::default(), Some(why)),
    };
    let complete = failed.is_none() && partial.is_empty();
    let result =
        |failed: Option<JobError>| PollResult { jobs: due.len(), failed, unread: unread.reason(), complete };
    if failed.is_some() && core.ending.is_cancelled() {
        // Not the check failed: this process ends. The next one checks when it was due.
        return (result(failed), false);
    }
    let (now, _) = core.moment();
    // After a failure, poll again soon instead of in a day.
    let soon = now.checked_add(AFTER_FAILURE).unwrap_or(now);
    let not_read = NotRead {
        failed: failed.as_ref().map(|why| (Reason::from(Code::PollFailed).because("why", why.into()), soon)),
        badges: unread.why.as_ref().map(|why| (unread.ids.clone(), why.clone())),
        history_of: partial,
    };
    let (me, jobs, schedule) = (core.me(), due.to_vec(), core.settings.schedule.clone());
    let written = core.store.schedule_next(ScheduleNext { me, jobs, schedule, now, not_read }).await;
    for id in due {
        core.changed(*id, []);
    }
    send::start_senders(core, None).await;
    let is_written = written.is_ok();
    (result(failed.or_else(|| written.err().map(JobError::from))), is_written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Connection;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::drafts::CreateJob;
    use crate::jobs::journal::jobs::{Actor, NewJob, SeenJob};
    use crate::jobs::journal::rows::{NewRow, RowFilter};
    use crate::jobs::row_status::RowStatus;
    use crate::jobs::{Account, JobConfig, Jobs, Journal};

    /// A job of 1970 with nothing left to do.
    async fn old_job(jobs: &Jobs) -> JobId {
        let (account, owner) = (jobs.core.account.clone(), jobs.core.store.process());
        let seen = SeenJob::new_draft(&owner);
        let job = NewJob {
            created: 0,
            kind: Kind::Revoke,
            template: None,
            title: "a reason".to_owned(),
            origin: None,
            follows: None,
            after: false,
        };
        let row = NewRow { name: "Kim".into(), row_status: Some(RowStatus::Skipped), ..NewRow::default() };
        let create = CreateJob { account, owner, job, rows: vec![row], reason: None };
        let id = jobs.core.store.create_job(create).await.expect("a draft");
        jobs.core.store.start(id, Actor::now("kim"), seen).await.expect("begun");
        id
    }

    async fn name(jobs: &Jobs, id: JobId) -> String {
        let rows = jobs.rows(id, RowFilter::default(), 1).await.expect("rows");
        rows[0].holder.wire().to_owned()
    }

    #[tokio::test(start_paused = true)]
    async fn names_in_old_jobs_are_removed_every_day_while_lapel_runs() {
        let key = crate::api::ApiKey::new("a_key_for_a_test").expect("a key");
        let mut connection = Connection::new("https://badges.example/", key).expect("an address");
        connection.read_only = true;
        let access = crate::api::connect(&connection).expect("a client");
        let account = Account::of("uni", &connection);
        let settings = JobConfig { keep_days: Some(365), ..JobConfig::default() };
        let journal = Journal::in_memory().expect("a journal");
        let (jobs, mut changes) = Jobs::start(access, journal, account, settings).await.expect("started");
        // While it runs, only the test moves the clock. A test that fails ends with it.
        let (_end, ended) = std::sync::mpsc::channel::<()>();
        let mut still =
            tokio::task::spawn_blocking(move || ended.recv_timeout(Duration::from_secs(60)).is_ok());
        for day in 1..=2 {
            // After this, the follower sleeps.
            jobs.poll_now(None).await;
            let id = old_job(&jobs).await;
            tokio::time::advance(DAILY / 2).await;
            jobs.poll_now(None).await;
            assert_eq!(name(&jobs, id).await, "Kim", "day {day} is not over");
            tokio::time::advance(DAILY / 2).await;
            let is_removed = async {
                while let Some(change) = changes.recv().await {
                    if change.id == id && change.job.is_some_and(|job| job.is_purged) {
                        return true;
                    }
                }
                false
            };
            let is_removed = tokio::select! {
                is_removed = is_removed => is_removed,
                _ = &mut still => false,
            };
            assert!(is_removed, "day {day}");
            assert_eq!(name(&jobs, id).await, "");
        }
    }
}
