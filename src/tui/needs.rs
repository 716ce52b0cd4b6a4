//! What a person has to do about a job, the most urgent first. Home, Activity and the header count with it.

use crate::jobs::{JobPart, Urgency};
use crate::tui::prelude::*;
use jiff::SignedDuration;

/// Time after planning a job in which its refused rows count as a need.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);

pub fn is_checked(status: RowStatus) -> bool {
    matches!(status, RowStatus::InDoubt | RowStatus::BeingChecked | RowStatus::Overdue)
}

/// lapel checks the rows that are held: nobody can send them meanwhile.
pub fn urgency(part: JobPart, job: &Job) -> Urgency {
    if part.is_held { Urgency::InDoubt } else { Urgency::of(part.status, job) }
}

/// Some parts of a job, the most urgent first.
fn parts(job: &Job, are_wanted: impl Fn(&JobPart) -> bool) -> Vec<JobPart> {
    let mut all = if matches!(job.phase, Phase::Draft | Phase::Moved) { Vec::new() } else { job.parts() };
    all.retain(are_wanted);
    all.sort_by_key(|part| (urgency(*part, job), part.is_held, part.status));
    all
}

/// What a job needs from a person, the most urgent first. Rows that lapel still checks need nobody.
pub fn needs(job: &Job, now: Timestamp) -> Vec<JobPart> {
    let is_recent = now.duration_since(job.created) < RECENT;
    let is_need = |status| match status {
        RowStatus::NeverSeen | RowStatus::NeedsReview => true,
        // Without a next poll, nobody checks these rows.
        status if is_checked(status) => job.next_poll.is_none() && !job.is_sending(),
        RowStatus::Ready | RowStatus::ToRevoke => job.phase == Phase::Stopped,
        // These rows cannot be cancelled, so without a limit they would count forever.
        RowStatus::Refused | RowStatus::NotAccepted => is_recent,
        _ => false,
    };
    parts(job, |part| !part.is_held && is_need(part.status))
}

/// The rows that lapel checks by itself, the most urgent first. Held rows are not sent again before it is certain that the
/// service accepted none of them.
pub fn checked(job: &Job) -> Vec<JobPart> {
    parts(job, |part| part.is_held || is_checked(part.status))
}

/// What the sign of a job is for: its needs, or else the rows that lapel checks.
pub fn concerns(job: &Job, now: Timestamp) -> Vec<JobPart> {
    let needs = needs(job, now);
    if needs.is_empty() { checked(job) } else { needs }
}

/// A need in words. Home and Activity show the same ones.
pub fn words(need: JobPart, job: &Job) -> String {
    match (urgency(need, job), &job.stop) {
        (Urgency::Stopped, Some(stop)) => {
            let (n, all) = (number(need.rows), number(job.counts.total()));
            t!("{n} of {all} not sent: {why}", n, all, why = tr(stop.kind.name()))
        }
        _ => counted(need.rows, &job.part_words(need).to_string()),
    }
}

/// A need in fewer words for a column, the longer ones first.
pub fn short_words(need: JobPart, job: &Job) -> [String; 2] {
    match (urgency(need, job), &job.stop) {
        (Urgency::Stopped, Some(stop)) => {
            let n = number(need.rows);
            [t!("{n} not sent: {why}", n, why = tr(stop.kind.name())), t!("{n} not sent", n)]
        }
        _ if need.is_held => [words(need, job), t!("{n} perhaps accepted", n = number(need.rows))],
        _ => [words(need, job), words(need, job)],
    }
}

/// The number of rows in each status, the most urgent first, and their sum.
pub fn sum(job: &Job, dot: &str) -> String {
    let all = job.parts().into_iter().map(|part| {
        let word = match (part.status, job.phase) {
            _ if part.is_held => job.part_words(part).to_string(),
            (RowStatus::Ready, Phase::Running) => t!("queued").to_owned(),
            (RowStatus::Ready, _) => t!("not sent").to_owned(),
            (status, _) => tr(status.name()).to_owned(),
        };
        format!("{word} {}", number(part.rows))
    });
    format!("{} = {}", all.collect::<Vec<_>>().join(&format!(" {dot} ")), number(job.counts.total()))
}

/// The number of rows in each status, which add up to the job's total, and the status in words. The most urgent first.
pub fn counts_in_words(job: &Job) -> Vec<(u64, RowStatus, String)> {
    let words = |part: JobPart| (part.rows, part.status, job.part_words(part).to_string());
    job.parts().into_iter().map(words).collect()
}

/// All statuses, the most urgent first. Of equal urgency, those that need a person come first.
pub fn most_urgent_first(job: &Job) -> Vec<RowStatus> {
    let mut all = RowStatus::ALL.to_vec();
    all.sort_by_key(|status| (Urgency::of(*status, job), !status.needs_a_person()));
    all
}

pub fn counted(n: u64, word: &str) -> String {
    t!("{n} {word}", n = number(n), word)
}

/// Whether a job has a problem: something that needs a person, or that lapel still checks.
pub fn has_problem(job: &Job, now: Timestamp) -> bool {
    !concerns(job, now).is_empty()
}

/// The number of jobs with a problem. Home and Activity show it beside a sign.
pub fn count(jobs: &[Job], now: Timestamp) -> usize {
    jobs.iter().filter(|job| has_problem(job, now)).count()
}

#[cfg(test)]
pub mod tests;
