//! When to poll again about accepted or doubtful requests: in growing intervals, in the service's time.

use crate::config::JobSettings;
use crate::jobs::prelude::*;

/// Time between polls after the last entry, without end.
const AFTER: SignedDuration = SignedDuration::from_hours(6);
/// A poll of a job with so many rows may cost more than fifty requests, so some polls of what is accepted are left out.
const MANY_ROWS: u64 = 5_000;

/// When to poll, in minutes of service time after the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub issue: Vec<u32>,
    pub revoke: Vec<u32>,
    pub doubt: Vec<u32>,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::of(&JobSettings::default())
    }
}

impl Schedule {
    pub(super) fn of(settings: &JobSettings) -> Self {
        Self {
            issue: settings.issue_checks(),
            revoke: settings.revoke_checks(),
            doubt: settings.doubt_checks(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polling {
    /// Whether an accepted badge is issued.
    Issue,
    /// Whether a badge is revoked.
    Revoke,
    /// Whether a request in doubt had an effect.
    Doubt,
}

/// The next poll of a job with so many rows, for what began at `since`, after a poll at `now`. After any pause one poll catches up.
pub(super) fn next(
    schedule: &Schedule,
    what: Polling,
    rows: u64,
    since: Timestamp,
    now: Timestamp,
) -> Timestamp {
    let minutes = match what {
        Polling::Issue => &schedule.issue,
        Polling::Revoke => &schedule.revoke,
        Polling::Doubt => &schedule.doubt,
    };
    // A clock that was set back can make `since` a time in the future.
    let passed = now.duration_since(since).max(SignedDuration::ZERO);
    let mut later = minutes.iter().map(|m| SignedDuration::from_mins(i64::from(*m))).filter(|d| *d > passed);
    // Almost twice as late as the last poll, which may have been late itself; or the last one of the schedule.
    let is_dense = rows < MANY_ROWS || what != Polling::Issue;
    let is_far = |due: &SignedDuration| is_dense || due.as_secs() * 5 >= passed.as_secs() * 9;
    let due = later.clone().find(is_far).or_else(|| later.next_back());
    match due {
        Some(due) => since.min(now).checked_add(due).unwrap_or(now),
        None => now.checked_add(AFTER).unwrap_or(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minutes * 60).expect("a moment")
    }

    fn at_next(what: Polling, since: Timestamp, now: Timestamp) -> Timestamp {
        next(&Schedule::default(), what, 100, since, now)
    }

    /// Minutes of the polls of a day, each some seconds late.
    fn polls_of_a_day(what: Polling, rows: u64) -> Vec<i64> {
        let (mut now, mut polls) = (at(0), Vec::new());
        while now < at(24 * 60) {
            let then = next(&Schedule::default(), what, rows, at(0), now);
            polls.push(then.duration_since(at(0)).as_mins());
            now = then + SignedDuration::from_secs(9);
        }
        polls
    }

    fn minutes(schedule: &[u32]) -> Vec<i64> {
        schedule.iter().map(|minutes| i64::from(*minutes)).collect()
    }

    #[test]
    fn of_many_rows_every_poll_is_almost_twice_as_late_as_the_one_before() {
        assert_eq!(polls_of_a_day(Polling::Issue, MANY_ROWS), [5, 10, 30, 60, 120, 240, 480, 960, 1440]);
        assert_eq!(polls_of_a_day(Polling::Issue, MANY_ROWS - 1), minutes(&Schedule::default().issue));
        // Revocations of many rows are polled as often as those of a few.
        assert_eq!(polls_of_a_day(Polling::Revoke, MANY_ROWS), minutes(&Schedule::default().revoke));
    }

    #[test]
    fn polls_of_an_issue_begin_after_five_minutes_and_are_few() {
        let (mut now, mut polls) = (at(0), 0);
        while now < at(24 * 60) {
            let then = at_next(Polling::Issue, at(0), now);
            assert!(then > now && (polls > 0 || then == at(5)));
            (now, polls) = (then, polls + 1);
        }
        assert_eq!((now, polls), (at(24 * 60), 13));
        assert_eq!(at_next(Polling::Issue, at(0), now), at(30 * 60), "and then every six hours");
    }

    #[test]
    fn one_poll_follows_a_long_pause() {
        assert_eq!(at_next(Polling::Issue, at(0), at(9 * 60)), at(12 * 60));
        assert_eq!(at_next(Polling::Doubt, at(0), at(9 * 60)), at(12 * 60));
    }

    #[test]
    fn a_clock_set_back_does_not_delay_polls() {
        assert_eq!(at_next(Polling::Issue, at(60), at(0)), at(5));
    }
}
