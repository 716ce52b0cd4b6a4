//! When to look again at something that the service has accepted: seldom, and then ever more seldom.

use crate::api::Call;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Minutes of service time after acceptance at which an accepted issue is looked at. The service takes
/// 5 minutes to a day (contract, "Limits", rule 3): earlier is a wasted request.
const ISSUE: [u64; 13] = [5, 7, 10, 15, 30, 60, 120, 240, 480, 720, 960, 1200, 1440];
/// The same for a revocation, whose time the contract does not give.
const REVOKE: [u64; 12] = [1, 3, 5, 10, 15, 30, 60, 120, 240, 480, 960, 1440];
/// After the last of them: every six hours, for ever. Nothing is given up in silence.
const AFTER: u64 = 360;

/// A schedule of looks.
#[derive(Clone, Debug)]
pub struct Schedule {
    minutes: &'static [u64],
    next: usize,
    passed: u64,
    speed: f64,
    due: Option<Instant>,
}

impl Schedule {
    /// For something that was accepted now. `speed` is how many service seconds pass in a real one.
    pub fn issue(speed: f64) -> Self {
        Self::new(&ISSUE, speed)
    }

    /// For a revocation that was accepted now.
    pub fn revoke(speed: f64) -> Self {
        Self::new(&REVOKE, speed)
    }

    fn new(minutes: &'static [u64], speed: f64) -> Self {
        // A clock that stands still would never come to a look; it is followed in real time.
        let speed = if speed.is_finite() && speed > 0.0 { speed } else { 1.0 };
        Self { minutes, next: 0, passed: 0, speed, due: None }
    }

    /// How long to wait, in real time, from one look (or from acceptance) to the next.
    pub fn wait(&mut self) -> Duration {
        let at = self.minutes.get(self.next).copied().unwrap_or(self.passed + AFTER);
        self.next += 1;
        let minutes = at - self.passed;
        self.passed = at;
        // However fast a sandbox's clock runs, a look costs a request: no more than five a second.
        Duration::from_secs(minutes * 60).div_f64(self.speed).max(Duration::from_millis(200))
    }
}

/// Waits until the next look is due, or until somebody asks for one; not at all when one is due `now`, which
/// is used up by that. The look is then made by the call that comes back; `None` when the program is ending.
pub async fn next_look(
    now: &mut bool,
    schedule: &mut Schedule,
    asked: &mut watch::Receiver<u64>,
) -> Option<Call> {
    if std::mem::take(now) {
        return Some(Call::interactive());
    }
    // A look that was asked for does not use up the schedule: the next one comes when it was due.
    let due = match schedule.due {
        Some(due) => due,
        None => {
            let due = Instant::now() + schedule.wait();
            schedule.due = Some(due);
            due
        }
    };
    tokio::select! {
        () = tokio::time::sleep_until(due) => {
            schedule.due = None;
            Some(Call::background())
        }
        asked = asked.changed() => asked.is_ok().then(Call::interactive),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_looked_at_before_five_minutes_and_a_day_costs_few_looks() {
        let mut schedule = Schedule::issue(1.0);
        let mut at = schedule.wait();
        assert_eq!(at, Duration::from_secs(300));
        let mut looks = 1;
        let day = Duration::from_secs(24 * 3600);
        while at < day {
            at += schedule.wait();
            looks += 1;
        }
        assert_eq!(looks, 13);
        assert_eq!(schedule.wait(), Duration::from_secs(6 * 3600));
    }

    #[tokio::test(start_paused = true)]
    async fn looks_on_demand_do_not_use_up_the_schedule() {
        let mut schedule = Schedule::issue(1.0);
        let (ask, mut asked) = watch::channel(0);
        let start = Instant::now();
        for n in 1..=20 {
            ask.send_replace(n);
            assert!(next_look(&mut false, &mut schedule, &mut asked).await.is_some());
        }
        assert!(start.elapsed() < Duration::from_secs(1));
        assert!(next_look(&mut false, &mut schedule, &mut asked).await.is_some());
        assert_eq!(
            start.elapsed().as_secs(),
            300,
            "the first look by itself comes after five minutes all the same"
        );
    }

    #[test]
    fn a_fast_clock_is_followed_faster_but_not_without_bound() {
        assert_eq!(Schedule::issue(60.0).wait(), Duration::from_secs(5));
        assert_eq!(Schedule::issue(1e9).wait(), Duration::from_millis(200));
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Schedule::issue(odd).wait(), Duration::from_secs(300));
        }
    }
}
