//! What a person has to do about a job, the most urgent first. Home, Activity and the header count with it.

use crate::jobs::Urgency;
use crate::tui::prelude::*;
use jiff::SignedDuration;

/// Time after planning a job in which its refused rows count as a need.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub urgency: Urgency,
    pub status: RowStatus,
    pub rows: u64,
}

/// Statuses of rows that lapel checks by itself.
pub fn is_checked(status: RowStatus) -> bool {
    matches!(status, RowStatus::InDoubt | RowStatus::Unproven | RowStatus::Overdue)
}

/// What a job needs from a person, the most urgent first. Rows that lapel still checks need nobody.
pub fn needs(job: &Job, now: Timestamp) -> Vec<Need> {
    if matches!(job.phase, Phase::Draft | Phase::Moved) {
        return Vec::new();
    }
    let is_recent = now.duration_since(job.created) < RECENT;
    let is_need = |status| match status {
        RowStatus::NotSeen | RowStatus::Ask => true,
        // Without a next poll, nobody checks these rows.
        status if is_checked(status) => job.next_poll.is_none() && !job.is_sending(),
        RowStatus::Ready | RowStatus::Queued => job.phase == Phase::Stopped,
        // These rows cannot be cancelled, so without a limit they would count forever.
        RowStatus::NotDone | RowStatus::Dropped => is_recent,
        _ => false,
    };
    let of = |(status, rows)| {
        // lapel checks the others, and nobody can send them meanwhile.
        let rows = if status == RowStatus::Ready { rows - job.held_by_refusal() } else { rows };
        Need { urgency: Urgency::of(status, job), status, rows }
    };
    let mut all: Vec<Need> = job.counts.iter().filter(|(status, _)| is_need(*status)).map(of).collect();
    all.retain(|need| need.rows > 0);
    all.sort_by_key(|need| need.urgency);
    all
}

/// The rows that lapel checks by itself, the most urgent first.
pub fn checked(job: &Job) -> Vec<Need> {
    if matches!(job.phase, Phase::Draft | Phase::Moved) {
        return Vec::new();
    }
    let of = |(status, rows)| Need { urgency: Urgency::of(status, job), status, rows };
    // They are not sent again before it is certain that the service accepted none of them.
    let refused = Need { urgency: Urgency::InDoubt, status: RowStatus::Ready, rows: job.held_by_refusal() };
    let mut all: Vec<Need> = job.counts.iter().filter(|(status, _)| is_checked(*status)).map(of).collect();
    all.extend(Some(refused).filter(|refused| refused.rows > 0));
    all.sort_by_key(|need| need.urgency);
    all
}

/// What the sign of a job is for: its needs, or else the rows that lapel checks.
pub fn concerns(job: &Job, now: Timestamp) -> Vec<Need> {
    let needs = needs(job, now);
    if needs.is_empty() { checked(job) } else { needs }
}

/// A need in words. Home and Activity show the same ones.
pub fn words(need: &Need, job: &Job) -> String {
    match (need.urgency, &job.stop) {
        (Urgency::Stopped, Some(stop)) => {
            let (n, all) = (number(need.rows), number(job.counts.total()));
            t!("{n} of {all} not sent: {why}", n, all, why = tr(stop.kind.name()))
        }
        (Urgency::InDoubt, _) if need.status == RowStatus::Ready => {
            t!("{n} refused, perhaps accepted", n = number(need.rows))
        }
        _ => counted(need.rows, &job.row_state(need.status).to_string()),
    }
}

/// A need in fewer words for a column, the longer ones first.
pub fn short_words(need: &Need, job: &Job) -> [String; 2] {
    match (need.urgency, &job.stop) {
        (Urgency::Stopped, Some(stop)) => {
            let n = number(need.rows);
            [t!("{n} not sent: {why}", n, why = tr(stop.kind.name())), t!("{n} not sent", n)]
        }
        _ => [words(need, job), words(need, job)],
    }
}

/// The number of rows in each status, the most urgent first, and their sum.
pub fn sum(job: &Job, dot: &str) -> String {
    let all = counts_in_words(job).into_iter().map(|(n, status, _)| {
        let word = match (status, job.phase) {
            (RowStatus::Ready, Phase::Running) => t!("queued"),
            (RowStatus::Ready, _) => t!("not sent"),
            (status, _) => tr(status.name()),
        };
        format!("{word} {}", number(n))
    });
    format!("{} = {}", all.collect::<Vec<_>>().join(&format!(" {dot} ")), number(job.counts.total()))
}

/// The number of rows in each status, which add up to the job's total, and the status in words. The most urgent first.
pub fn counts_in_words(job: &Job) -> Vec<(u64, RowStatus, String)> {
    job.by_urgency().into_iter().map(|(status, n)| (n, status, job.row_state(status).to_string())).collect()
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
pub mod tests {
    use super::*;
    use crate::jobs::{Code, JobId, Kind, Stop, StopKind};

    /// A job with these rows, planned an hour ago.
    pub fn job(phase: Phase, rows: &[(RowStatus, u64)]) -> Job {
        Job {
            id: JobId(3),
            kind: Kind::Issue,
            phase,
            stop: (phase == Phase::Stopped)
                .then(|| Stop { kind: StopKind::Quota, why: Code::Interrupted.into() }),
            title: "a title".into(),
            template_id: None,
            origin: None,
            created: now() - SignedDuration::from_hours(1),
            updated: now(),
            counts: rows.iter().copied().collect(),
            held: 0,
            note: None,
            accepted: None,
            in_flight: 0,
            next_poll: Some(now()),
            owner: None,
            profile: String::new(),
            follows: None,
            replaced: None,
            checked: None,
            is_purged: false,
            begun_by: None,
            unproven: 0,
            unproven_ready: 0,
            is_not_provable: false,
            awaits_proof: false,
            halted_by: None,
        }
    }

    pub fn now() -> Timestamp {
        Timestamp::from_second(1_790_000_000).expect("a time")
    }

    #[test]
    fn the_most_urgent_comes_first() {
        use RowStatus::{Ask, Issued, NotDone, NotSeen, Ready, Waiting};
        let rows = [(Ready, 476), (Ask, 74), (NotDone, 2), (NotSeen, 1), (Waiting, 564), (Issued, 136)];
        let found: Vec<(Urgency, u64)> = needs(&job(Phase::Stopped, &rows), now())
            .into_iter()
            .map(|need| (need.urgency, need.rows))
            .collect();
        let expected = [
            (Urgency::InDoubt, 1),
            (Urgency::Refused, 2),
            (Urgency::Stopped, 476),
            (Urgency::NeedsReview, 74),
        ];
        assert_eq!(found, expected, "and what waits or is issued needs nobody");
    }

    /// `lapel jobs` and Activity take these words.
    #[test]
    fn a_job_has_one_word_for_its_state() {
        use RowStatus::{InDoubt, Issued, Ready, Waiting};
        let words = |phase, rows: &[(RowStatus, u64)]| job(phase, rows).state().to_string();
        for (state, word) in [
            (words(Phase::Running, &[(Ready, 1)]), t!("sending")),
            (words(Phase::Running, &[(Waiting, 1)]), t!("checking")),
            (words(Phase::Running, &[(Issued, 1)]), t!("finished")),
            (words(Phase::Cancelled, &[(Waiting, 1)]), t!("cancelled, checking")),
            (words(Phase::Cancelled, &[(Issued, 1)]), tr(Phase::Cancelled.name())),
            (words(Phase::Stopped, &[(Ready, 1)]), tr(StopKind::Quota.name())),
            (words(Phase::Paused, &[(Ready, 1)]), tr(Phase::Paused.name())),
        ] {
            assert_eq!(state, word);
        }
        let owner = crate::jobs::Owner {
            label: Code::Interrupted.into(),
            is_me: false,
            is_alive: false,
            is_colleague: false,
        };
        let left = Job { owner: Some(owner), ..job(Phase::Running, &[(InDoubt, 2)]) };
        assert_eq!(left.state().to_string(), t!("ended; {n} in doubt", n = 2));
    }

    #[test]
    fn every_status_has_its_place_and_none_is_lost() {
        let rows: Vec<(RowStatus, u64)> = RowStatus::ALL.iter().map(|status| (*status, 1)).collect();
        let stopped = job(Phase::Stopped, &rows);
        let sorted = counts_in_words(&stopped);
        assert_eq!(sorted.len(), RowStatus::ALL.len());
        let urgencies: Vec<Urgency> =
            sorted.iter().map(|(_, status, _)| Urgency::of(*status, &stopped)).collect();
        assert!(urgencies.is_sorted(), "{urgencies:?}");
        let all = [
            Urgency::InDoubt,
            Urgency::Refused,
            Urgency::Stopped,
            Urgency::NeedsReview,
            Urgency::Error,
            Urgency::Waiting,
            Urgency::Settled,
        ];
        assert!(all.is_sorted() && all.iter().all(|urgency| urgencies.contains(urgency)));
    }

    #[test]
    fn what_lapel_checks_or_was_moved_needs_nobody() {
        let doubt = job(Phase::Running, &[(RowStatus::InDoubt, 1), (RowStatus::Overdue, 2)]);
        assert_eq!(needs(&doubt, now()), []);
        assert_eq!(count(std::slice::from_ref(&doubt), now()), 1, "but it is a problem from the start");
        let said: Vec<u64> = concerns(&doubt, now()).into_iter().map(|need| need.rows).collect();
        assert_eq!(said, [1, 2], "and it says which");
        let both = job(Phase::Running, &[(RowStatus::InDoubt, 1), (RowStatus::NotSeen, 4)]);
        assert_eq!(concerns(&both, now()), needs(&both, now()), "what needs a person counts more");
        let nobody_checks = Job { next_poll: None, ..doubt.clone() };
        assert_eq!(needs(&nobody_checks, now()).len(), 2, "rows that nobody checks");
        for phase in [Phase::Draft, Phase::Moved] {
            let job = job(phase, &[(RowStatus::NotSeen, 1), (RowStatus::InDoubt, 1)]);
            assert_eq!((needs(&job, now()), count(&[job], now())), (vec![], 0), "{phase:?}");
        }
        assert_eq!(needs(&job(Phase::Paused, &[(RowStatus::Ready, 1)]), now()), [], "a person paused it");
        // A revocation that stopped while its badges were not issued goes on when a person resumes it.
        for (phase, is_halted) in [(Phase::Stopped, true), (Phase::Running, false)] {
            let waits = job(phase, &[(RowStatus::Queued, 2)]);
            assert_eq!((needs(&waits, now()).len(), waits.can_resume()), (usize::from(is_halted), is_halted));
        }
    }

    #[test]
    fn a_refusal_that_nothing_can_change_does_not_count_forever() {
        let refused = job(Phase::Running, &[(RowStatus::NotDone, 1), (RowStatus::Dropped, 1)]);
        assert_eq!(needs(&refused, now()).len(), 2);
        let later = now() + RECENT;
        assert_eq!(needs(&refused, later), []);
        let unseen = job(Phase::Running, &[(RowStatus::NotSeen, 1)]);
        assert_eq!(needs(&unseen, later).len(), 1, "a person can resolve it, so it stays");
        assert_eq!(count(&[refused, unseen], later), 1);
    }

    #[test]
    fn rows_of_a_refused_request_need_nobody_while_lapel_checks_them() {
        let stopped = |ready| Job {
            unproven_ready: 5,
            is_not_provable: true,
            ..job(Phase::Stopped, &[(RowStatus::Ready, ready)])
        };
        let (all, some) = (stopped(5), stopped(8));
        assert_eq!((needs(&all, now()), all.can_resume()), (Vec::new(), true));
        assert_eq!(words(&concerns(&all, now())[0], &all), "5 refused, perhaps accepted");
        assert!(words(&needs(&some, now())[0], &some).starts_with("3 of 8 not sent"));
        assert_eq!((some.held_by_refusal(), checked(&some).len()), (5, 1));
        let provable = Job { is_not_provable: false, ..some };
        assert_eq!((needs(&provable, now())[0].rows, checked(&provable)), (8, Vec::new()));
    }
}
