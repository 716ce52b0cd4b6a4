//! The rate limit: requests per key in any 60 seconds of real time.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::ledger::Minute;

const WINDOW: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Limiter {
    /// 60 s, except in client tests.
    pub window: Duration,
    keys: HashMap<usize, Windows>,
}

impl Default for Limiter {
    fn default() -> Self {
        Self { window: WINDOW, keys: HashMap::new() }
    }
}

#[derive(Debug, Default)]
struct Windows {
    admitted: VecDeque<Instant>,
    arrived: VecDeque<Instant>,
    busiest: Minute,
}

impl Limiter {
    /// The error is the number of seconds to wait. A refused request does not use up the limit.
    pub fn admit(&mut self, key: usize, limit: u32, now: Instant) -> Result<(), u64> {
        let window = self.window;
        let windows = self.keys.entry(key).or_default();
        forget(&mut windows.admitted, now, window);
        forget(&mut windows.arrived, now, window);
        windows.arrived.push_back(now);
        windows.busiest.arrived = windows.busiest.arrived.max(windows.arrived.len());
        let limit = limit as usize;
        if windows.admitted.len() < limit {
            windows.admitted.push_back(now);
            windows.busiest.admitted = windows.busiest.admitted.max(windows.admitted.len());
            return Ok(());
        }
        // After a lower limit was set, more requests must leave the window first.
        let leaving = windows.admitted.len() - limit;
        let free =
            windows.admitted.get(leaving).map_or(window, |at| window.saturating_sub(now.duration_since(*at)));
        Err(free.as_secs() + u64::from(free.subsec_nanos() > 0))
    }

    pub fn busiest(&self, key: usize) -> Minute {
        self.keys.get(&key).map_or(Minute::default(), |windows| windows.busiest)
    }
}

fn forget(seen: &mut VecDeque<Instant>, now: Instant, window: Duration) {
    while seen.front().is_some_and(|at| now.duration_since(*at) >= window) {
        seen.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_slides() {
        let mut limiter = Limiter::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(limiter.admit(1, 2, at(0)), Ok(()));
        assert_eq!(limiter.admit(1, 2, at(30)), Ok(()));
        assert_eq!(limiter.admit(1, 2, at(59)), Err(1));
        assert_eq!(limiter.admit(2, 2, at(59)), Ok(()), "another key has its own window");
        assert_eq!(limiter.admit(1, 2, at(60)), Ok(()));
        assert_eq!(limiter.admit(1, 2, at(61)), Err(29));
        assert_eq!(limiter.admit(1, 2, at(90)), Ok(()));
        assert_eq!(limiter.busiest(1), Minute { admitted: 2, arrived: 4 });
    }

    #[test]
    fn a_caller_that_waits_as_long_as_retry_after_says_is_admitted() {
        let mut limiter = Limiter::default();
        let mut now = Instant::now();
        for round in 0..50 {
            if let Err(wait) = limiter.admit(0, 3, now) {
                now += Duration::from_secs(wait);
                assert_eq!(limiter.admit(0, 3, now), Ok(()), "round {round}");
            }
            now += Duration::from_millis(700);
        }
        assert_eq!(limiter.busiest(0).admitted, 3);
    }

    #[test]
    fn a_limit_of_nothing_admits_nothing() {
        assert_eq!(Limiter::default().admit(0, 0, Instant::now()), Err(60));
    }
}
