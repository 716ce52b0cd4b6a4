//! Waits for the answers of jobs, with `--wait` until they are finished, and reports the result.

use super::job_text;
use super::session::VerbSession;
use crate::cli::prelude::*;
use crate::i18n::Localizable;
use crate::jobs::{JobError, JobPart, JobRow, JournalError, Phase, Reason, RowFilter, RowGroup};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A verb ends when the journal has not accepted an answer for this long.
const UNWRITTEN: Duration = Duration::from_secs(5);
/// A verb no longer waits for results when the journal could not be read for this long.
const UNREAD: Duration = Duration::from_secs(10);
/// Pause before the next look at a journal that may have failed: it then reports nothing.
const TICK: Duration = Duration::from_secs(1);
const PAGE: usize = 500;

/// Whether the rows were not, or not certainly, done as asked: the rows that need attention.
pub(super) fn is_not_as_asked(part: &JobPart) -> bool {
    let status = part.status;
    // The journal could not save the answer of a row that is still being sent.
    let is_open = matches!(status, RowStatus::Sending | RowStatus::BeingChecked);
    part.is_held || is_open || status == RowStatus::Skipped || status.needs_a_person()
}

/// Chooses the rows of a part of a job.
fn rows_of(job: &Job, part: JobPart) -> RowFilter {
    let is_divided = part.status == RowStatus::Ready && job.held_by_refusal() > 0;
    let unproven = is_divided.then_some(part.is_held);
    RowFilter { row_statuses: vec![part.status], unproven, ..RowFilter::default() }
}

/// Chooses the listed rows of a job, by their place. Rows of refused requests that may have worked come last, unless all
/// ready rows are listed.
fn by_place(job: &Job, is_listed: impl Fn(&JobPart) -> bool) -> impl Iterator<Item = RowFilter> {
    let part = |status| JobPart { status, rows: 0, is_held: false };
    let statuses = RowStatus::ALL.iter().copied().filter(|status| is_listed(&part(*status)));
    let all = RowFilter { row_statuses: statuses.collect(), ..RowFilter::default() };
    let held = JobPart { is_held: true, rows: job.held_by_refusal(), ..part(RowStatus::Ready) };
    let is_apart = held.rows > 0 && is_listed(&held) && !is_listed(&part(RowStatus::Ready));
    [Some(all), is_apart.then(|| rows_of(job, held))].into_iter().flatten()
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SendingOutcome {
    /// Ctrl-C came first, or the results could not be waited for to their end.
    pub interrupted: bool,
    /// Why the check of rows in doubt failed.
    pub failed: Option<Localizable>,
    /// Why the journal did not accept answers that arrived.
    pub unwritten: Option<JournalError>,
    /// The jobs as they were read last.
    pub known: BTreeMap<JobId, Job>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// Until the end.
    Done,
    Interrupted,
    /// The journal accepts no answers.
    Unwritten(JournalError),
}

pub(super) struct SendReport<'a> {
    pub ids: &'a [JobId],
    pub seen: &'a SendingOutcome,
    pub waited: bool,
    /// The exit code of what was not sent or could not begin. The jobs may have a larger one.
    pub least: u8,
    /// Fields of the JSON besides the jobs.
    pub more: Map<String, Value>,
}

impl VerbSession {
    /// Waits for every answer and checks rows in doubt once. With `wait`, follows accepted rows until no
    /// status changes by itself. After Ctrl-C, still waits for requests in flight. A journal that cannot be read ends
    /// nothing before that.
    pub async fn see_through(&mut self, ids: &[JobId], wait: bool) -> SendingOutcome {
        let mut seen = SendingOutcome::default();
        let mut known = BTreeMap::new();
        if seen.note(self.until_sent(&mut known, ids).await) {
            seen = self.poll(&mut known, wait).await;
        }
        if wait && seen.may_go_on() {
            seen.note(self.until_settled(&mut known).await);
        }
        self.close().await;
        // After Ctrl-C, the journal may not have accepted the last answers either.
        let unwritten = seen.unwritten.or_else(|| self.jobs.open_answers().why().cloned());
        SendingOutcome { unwritten, known, ..seen }
    }

    pub async fn close(&mut self) {
        self.jobs.close().await;
        self.progress.clear();
    }

    /// Closes the session on failure.
    pub async fn or_close<T>(&mut self, done: Result<T, impl Into<Failure>>) -> Result<T, Failure> {
        if done.is_err() {
            self.close().await;
        }
        done.map_err(Into::into)
    }

    /// Waits until everything is sent, Ctrl-C arrives, or the journal accepts no answer for `UNWRITTEN`. The progress
    /// counts the rows of jobs that this verb sends, and of others only if they send something.
    pub(super) async fn until_sent(&mut self, known: &mut BTreeMap<JobId, Job>, sends: &[JobId]) -> Waited {
        let mut counted: BTreeSet<JobId> = sends.iter().copied().collect();
        // Rows that an earlier check has released would otherwise be counted in parts.
        while let Ok(changed) = self.events.try_recv() {
            counted.extend(
                changed.job.filter(|job| known.contains_key(&job.id) && job.is_sending()).map(|j| j.id),
            );
        }
        let ids: BTreeSet<JobId> = known.keys().chain(sends).copied().collect();
        let ids: Vec<JobId> = ids.into_iter().collect();
        // Jobs that cannot be read now count too.
        let _ = self.read_again(known, &ids).await;
        let (jobs, all) = (self.jobs.clone(), ids.clone());
        let sent = async move {
            for id in all {
                jobs.sent(id).await;
            }
        };
        tokio::pin!(sent);
        loop {
            counted.extend(known.values().filter(|job| job.is_sending()).map(|job| job.id));
            self.say_sent(known, &counted);
            if let Some(why) = self.jobs.open_answers().refused_for(&ids, UNWRITTEN) {
                return Waited::Unwritten(why);
            }
            tokio::select! {
                biased;
                () = self.interrupt.wanted() => return Waited::Interrupted,
                Some(changed) = self.events.recv() => {
                    if let (Some(job), Some(now)) = (known.get_mut(&changed.id), changed.job) {
                        *job = now;
                    }
                }
                () = &mut sent => break,
                () = tokio::time::sleep(TICK) => {}
            }
        }
        // The last events may still be in the channel; the journal has the valid state.
        let _ = self.read_again(known, &ids).await;
        self.say_sent(known, &counted);
        Waited::Done
    }

    /// A job that cannot be read stays as it was known.
    async fn read_again(&self, known: &mut BTreeMap<JobId, Job>, ids: &[JobId]) -> Result<(), JobError> {
        let mut read = Ok(());
        for id in ids {
            match self.jobs.job(*id).await {
                Ok(now) => drop(known.insert(*id, now)),
                Err(why) => read = read.and(Err(why)),
            }
        }
        read
    }

    fn say_sent(&mut self, known: &BTreeMap<JobId, Job>, counted: &BTreeSet<JobId>) {
        if !counted.is_empty() {
            let (done, all) = sent_so_far(counted.iter().filter_map(|id| known.get(id)));
            self.progress.at(t!("sent"), done, all);
        }
    }

    /// All open rows with `all`, otherwise rows in doubt, once each. Then sends what this check released.
    async fn poll(&mut self, known: &mut BTreeMap<JobId, Job>, all: bool) -> SendingOutcome {
        let mut seen = SendingOutcome::default();
        let ids: Vec<JobId> = known.keys().copied().collect();
        for id in ids {
            let _ = self.read_again(known, &[id]).await;
            let Some(job) = known.get(&id) else { continue };
            let unknown =
                |b| matches!(b, RowStatus::InDoubt | RowStatus::NotVisibleYet | RowStatus::BeingChecked);
            if job.counts.sum(unknown) == 0 && !(all && job.counts.sum(job_text::moves) > 0) {
                continue;
            }
            self.progress.at(t!("checking the results"), 0, 0);
            let jobs = self.jobs.clone();
            let polled = tokio::select! {
                polled = jobs.poll_now(Some(id)) => polled,
                () = self.interrupt.wanted() => return SendingOutcome { interrupted: true, ..seen },
            };
            seen.failed = seen.failed.or_else(|| polled.why_not_complete());
        }
        let sent = self.until_sent(known, &[]).await;
        seen.note(sent);
        seen
    }

    /// Also interrupted when the jobs have ended, or the journal cannot be read for `UNREAD`.
    pub(super) async fn until_settled(&mut self, known: &mut BTreeMap<JobId, Job>) -> Waited {
        let ids: Vec<JobId> = known.keys().copied().collect();
        let mut is_changed = true;
        let mut unread: Option<Instant> = None;
        loop {
            if let Some(why) = self.jobs.open_answers().refused_for(&ids, UNWRITTEN) {
                return Waited::Unwritten(why);
            }
            if is_changed {
                let read = self.read_again(known, &ids).await;
                unread = read.is_err().then(|| unread.unwrap_or_else(Instant::now));
                if unread.is_some_and(|since| since.elapsed() >= UNREAD) {
                    return Waited::Interrupted;
                }
                let moving = |job: &Job| match job.counts.sum(job_text::moves) {
                    0 => u64::from(job.is_sending()),
                    left => left,
                };
                let moving: u64 = known.values().map(moving).sum();
                let all: u64 = known.values().map(|job| job.counts.total()).sum();
                self.progress.at(t!("done"), all.saturating_sub(moving), all);
                if moving == 0 && unread.is_none() {
                    return Waited::Done;
                }
            }
            tokio::select! {
                biased;
                () = self.interrupt.wanted() => return Waited::Interrupted,
                changed = self.events.recv() => {
                    if changed.is_none() {
                        return Waited::Interrupted;
                    }
                    is_changed = true;
                }
                () = tokio::time::sleep(TICK) => is_changed = unread.is_some(),
            }
            // One reading covers all queued events.
            while self.events.try_recv().is_ok() {}
        }
    }

    /// Lists every row that was not done as asked. If the journal cannot be read, tells what is known of the jobs.
    pub async fn report(&self, report: SendReport<'_>) -> Result<u8, Failure> {
        let mut known = report.seen.known.clone();
        let read = self.read_again(&mut known, report.ids).await;
        let mut jobs: Vec<Job> = report.ids.iter().filter_map(|id| known.remove(id)).collect();
        let unread = read.as_ref().err();
        let of_journal =
            unread.and_then(|why| if let JobError::Journal(why) = why { Some(why) } else { None });
        if let Some(why) = of_journal {
            jobs = jobs.into_iter().map(|job| job.given_up(Reason::from(why))).collect();
        }
        let mut code = jobs.iter().map(|job| job_text::code_of(job, report.waited)).max().unwrap_or(exit::OK);
        code = code.max(report.least);
        if let Err(why) = &read {
            code = code.max(Failure::from(why.clone()).code);
        }
        if report.seen.interrupted {
            code = code.max(exit::STOPPED);
        }
        if jobs.iter().any(|job| job.counts.of(RowStatus::Sending) > 0) {
            code = code.max(exit::DOUBT);
        }
        code = code.max(report.seen.tell_unwritten());
        if let Err(why) = &read {
            if jobs.is_empty() {
                return Err(Failure::from(why.clone()).at_least(code).with_result(report.ids));
            }
            if report.seen.unwritten.is_none() {
                output::complain(&why.to_string());
            }
            output::complain(t!(
                "lapel could not read the journal again. The numbers are those that it read last."
            ));
        }
        if let Some(why) = &report.seen.failed {
            output::complain(&t!("cannot check the rows in doubt: {why}", why));
        }
        let ids: Vec<JobId> = jobs.iter().filter(|job| job.phase != Phase::Draft).map(|job| job.id).collect();
        let answered = self.answer_report(report, &jobs, unread, code).await;
        // What was sent counts more than an answer that nobody gets.
        answered.map_err(|failure| failure.at_least(code).with_result(&ids))?;
        Ok(code)
    }

    /// `unread` is why the rows cannot be read.
    async fn answer_report(
        &self,
        report: SendReport<'_>,
        jobs: &[Job],
        unread: Option<&JobError>,
        code: u8,
    ) -> Result<(), Failure> {
        if self.json {
            let failed = report.seen.failed.as_ref().map(ToString::to_string);
            let mut fields = json::fields(json!({
                "ok": code == exit::OK,
                "exit_code": code,
                "interrupted": report.seen.interrupted,
                "look_failed": failed.or_else(|| unread.map(ToString::to_string)),
                "place": self.place(),
            }));
            fields.extend(report.more);
            fields.insert("jobs".to_owned(), json::jobs(jobs));
            let jobs = if unread.is_some() { &[] } else { jobs };
            return self.answer_with_rows(fields, jobs, is_not_as_asked).await;
        }
        for job in jobs {
            self.report_job(job, unread.is_some()).await?;
        }
        Ok(())
    }

    async fn report_job(&self, job: &Job, is_unread: bool) -> Result<(), Failure> {
        let mut lines = vec![job_text::head(job)];
        lines.extend(job_text::row_statuses(job));
        lines.extend(job_text::accepted(job));
        if let Some(stop) = &job.stop {
            lines.push(format!("  {}", stop.why.in_zone_of(&self.reader.clock())));
        }
        lines.extend(job.notes().map(|note| format!("  {}", note.in_zone_of(&self.reader.clock()))));
        if job.counts.sum(|b| matches!(b, RowStatus::Waiting | RowStatus::NotVisibleYet)) > 0 {
            let said =
                t!("Accepted is not issued: the service usually takes 5 minutes to 24 hours for each badge.");
            lines.push(format!("  {said}"));
        }
        if !is_unread {
            let rows = self.some_rows(job, is_not_as_asked, None).await?;
            lines.extend(job_text::under(t!("Not completed:"), rows));
        }
        lines.extend(job_text::under(t!("Next:"), job_text::next_steps(job, &self.again, false)));
        Ok(output::answer(&lines.join("\n"))?)
    }

    /// The most urgent rows come first, as on the screen: the others are left out if there are too many.
    pub async fn some_rows(
        &self,
        job: &Job,
        is_listed: impl Fn(&JobPart) -> bool,
        group: Option<RowGroup>,
    ) -> Result<Vec<String>, Failure> {
        let parts: Vec<JobPart> = job.parts().into_iter().filter(is_listed).collect();
        let all = group.as_ref().map_or_else(|| parts.iter().map(|part| part.rows).sum(), |group| group.rows);
        let group = group.map(|group| group.key);
        let mut rows = Vec::new();
        for part in parts {
            let left = job_text::MOST_ROWS - rows.len();
            let most = usize::try_from(part.rows).map_or(left, |rows| rows.min(left));
            let filter = RowFilter { group: group.clone(), ..rows_of(job, part) };
            rows.extend(self.jobs.rows(job.id, filter, most).await?);
        }
        let clock = self.reader.clock();
        let mut lines: Vec<String> = rows.iter().map(|row| job_text::row(job, row, &clock)).collect();
        let left = all.saturating_sub(rows.len() as u64);
        if left > 0 {
            lines.push(format!("  {}", t!("… and {left} more: --json lists them all", left = number(left))));
        }
        Ok(lines)
    }

    /// Reads the rows page by page, so that any number fits in memory.
    pub async fn answer_with_rows(
        &self,
        fields: Map<String, Value>,
        jobs: &[Job],
        is_listed: impl Fn(&JobPart) -> bool,
    ) -> Result<(), Failure> {
        let mut begin = json::line(&Value::Object(fields));
        begin.pop();
        output::print(format!("{begin},\"rows\":[").as_bytes())?;
        let mut comma = "";
        let lists = |job| by_place(job, &is_listed).map(move |filter| (job, filter));
        for (job, mut filter) in jobs.iter().flat_map(lists) {
            loop {
                let rows: Vec<JobRow> = self.jobs.rows(job.id, filter.clone(), PAGE).await?;
                let Some(last) = rows.last() else { break };
                filter.after = last.no;
                let mut page = String::new();
                for row in &rows {
                    page.push_str(std::mem::replace(&mut comma, ","));
                    page.push_str(&json::line(&json::row(job, row)));
                }
                output::print(page.as_bytes())?;
            }
        }
        Ok(output::print(b"]}\n")?)
    }
}

impl SendingOutcome {
    /// Returns whether nothing ended the wait.
    pub fn note(&mut self, waited: Waited) -> bool {
        match waited {
            Waited::Done => return true,
            Waited::Interrupted => self.interrupted = true,
            Waited::Unwritten(why) => self.unwritten = Some(why),
        }
        false
    }

    pub fn may_go_on(&self) -> bool {
        !self.interrupted && self.unwritten.is_none()
    }

    /// Says what the journal did not accept, and why. Returns the exit code of that.
    pub fn tell_unwritten(&self) -> u8 {
        let Some(why) = &self.unwritten else { return exit::OK };
        output::complain(&why.to_string());
        output::complain(t!(
            "lapel could not save all answers of the service. The next start checks these rows first; it sends none again by itself."
        ));
        exit::DOUBT
    }
}

/// The rows sent so far, and the rows to send in total. A refused row was not sent.
fn sent_so_far<'j>(jobs: impl Iterator<Item = &'j Job>) -> (u64, u64) {
    jobs.fold((0, 0), |(done, total), job| {
        let all = job.counts.sum(|b| {
            !matches!(
                b,
                RowStatus::Invalid | RowStatus::Skipped | RowStatus::NeedsReview | RowStatus::ToRevoke
            )
        });
        let left =
            job.counts.sum(|b| matches!(b, RowStatus::Ready | RowStatus::Sending | RowStatus::Refused));
        (done + all.saturating_sub(left + job.refusals.unproven), total + all)
    })
}
