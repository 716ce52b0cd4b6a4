//! A rate limit wait as text.

use crate::t;
use jiff::Zoned;
use std::time::Duration;

/// Longest wait that is shown in seconds.
pub(crate) const IN_SECONDS: Duration = Duration::from_secs(100);
/// Longest wait that is shown in minutes. A longer one is shown as a time of day.
pub(crate) const IN_MINUTES: Duration = Duration::from_secs(100 * 60);

/// `40 s`, `59 min`, or `until 14:05` by this computer's clock.
pub fn wait_text(left: Duration) -> String {
    if left <= IN_SECONDS {
        return t!("{n} s", n = seconds(left));
    }
    if left <= IN_MINUTES {
        return t!("{n} min", n = seconds(left).div_ceil(60));
    }
    let now = Zoned::now();
    let Ok(until) = now.checked_add(left) else { return t!("until further notice").to_owned() };
    let time = until.strftime(if until.date() == now.date() { "%H:%M" } else { "%Y-%m-%d %H:%M" });
    t!("until {time}", time)
}

/// Rounded up.
pub(crate) fn seconds(left: Duration) -> u64 {
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_shown_in_seconds_minutes_or_by_the_clock() {
        let text = |secs: u64| wait_text(Duration::from_secs(secs));
        assert_eq!((text(1), text(99), text(100)), ("1 s".into(), "99 s".into(), "100 s".into()));
        assert_eq!((text(101), text(3540), text(3541)), ("2 min".into(), "59 min".into(), "60 min".into()));
        assert_eq!(text(6000), "100 min");
        for secs in [6001, 86_400, 31_622_400] {
            assert!(text(secs).starts_with("until ") && text(secs).contains(':'), "{}", text(secs));
        }
        assert!(!wait_text(Duration::MAX).is_empty());
    }
}
