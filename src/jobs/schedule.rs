//! When to look again at something that the service has accepted, or may have: seldom, and then ever more
//! seldom. All times are the service's.

use jiff::{SignedDuration, Timestamp};

/// When accepted issues are looked at, in minutes after acceptance. The service takes 5 minutes to a day
/// (contract, "Limits", rule 3): earlier is a wasted request.
const ISSUE: [u32; 13] = [5, 7, 10, 15, 30, 60, 120, 240, 480, 720, 960, 1200, 1440];
/// The same for a revocation, whose time the contract does not give. Two looks a minute apart settle which
/// badges were left out.
const REVOKE: [u32; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 960, 1440];
/// The same for a request whose fate is not known: where the service shows waiting badges, two looks after
/// ten minutes settle it; elsewhere the end of the window does, a little after the day and two hours.
const DOUBT: [u32; 15] = [1, 3, 5, 10, 12, 15, 30, 60, 120, 240, 480, 720, 1080, 1440, 1561];
/// After the last of them: every six hours, for ever. Nothing is given up in silence.
const AFTER: u32 = 360;

/// When to look, in minutes of service time after what is looked for began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// For accepted issues.
    pub issue: Vec<u32>,
    /// For revocations.
    pub revoke: Vec<u32>,
    /// For requests whose fate is not known.
    pub doubt: Vec<u32>,
    /// From look to look after the last of them.
    pub after: u32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { issue: ISSUE.to_vec(), revoke: REVOKE.to_vec(), doubt: DOUBT.to_vec(), after: AFTER }
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looking {
    /// Whether an accepted badge is issued.
    Issue,
    /// Whether a badge is revoked.
    Revoke,
    /// Whether a request did anything.
    Doubt,
}

/// When to look next at something that began at `since`, after a look at `now`. However long nobody looked,
/// one look catches up.
pub(super) fn next(schedule: &Schedule, what: Looking, since: Timestamp, now: Timestamp) -> Timestamp {
    let minutes = match what {
        Looking::Issue => &schedule.issue,
        Looking::Revoke => &schedule.revoke,
        Looking::Doubt => &schedule.doubt,
    };
    // A clock that was set back makes things begin in the future.
    let passed = now.duration_since(since).max(SignedDuration::ZERO);
    let due = minutes.iter().map(|m| SignedDuration::from_mins(i64::from(*m))).find(|d| *d > passed);
    match due {
        Some(due) => since.min(now).checked_add(due).unwrap_or(now),
        None => now.checked_add(SignedDuration::from_mins(i64::from(schedule.after.max(1)))).unwrap_or(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minutes * 60).expect("a moment")
    }

    fn at_next(what: Looking, since: Timestamp, now: Timestamp) -> Timestamp {
        next(&Schedule::default(), what, since, now)
    }

    #[test]
    fn nothing_is_looked_at_before_five_minutes_and_a_day_costs_few_looks() {
        let (mut now, mut looks) = (at(0), 0);
        while now < at(24 * 60) {
            let then = at_next(Looking::Issue, at(0), now);
            assert!(then > now && (looks > 0 || then == at(5)));
            (now, looks) = (then, looks + 1);
        }
        assert_eq!((now, looks), (at(24 * 60), 13));
        assert_eq!(at_next(Looking::Issue, at(0), now), at(30 * 60), "and then every six hours");
    }

    #[test]
    fn a_long_sleep_is_caught_up_with_one_look() {
        assert_eq!(at_next(Looking::Issue, at(0), at(9 * 60)), at(12 * 60));
        assert_eq!(at_next(Looking::Doubt, at(0), at(9 * 60)), at(12 * 60));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_put_a_look_off_for_ever() {
        assert_eq!(at_next(Looking::Issue, at(60), at(0)), at(5));
    }
}
