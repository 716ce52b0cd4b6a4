//! Text about a rate limit wait: the short form, and the lines that explain it on every screen.

use super::context::Env;
use crate::tui::widgets::text_layout::wrap;
use jiff::Zoned;
use std::time::Duration;
use tokio::time::Instant;

/// A shorter wait ends before the user can read an explanation. Only the header shows it.
const WORTH_SAYING: Duration = Duration::from_secs(5);
/// Longest wait that is shown in seconds.
const IN_SECONDS: Duration = Duration::from_secs(100);
/// Longest wait that is shown in minutes. A longer one is shown as a time of day.
const IN_MINUTES: Duration = Duration::from_secs(100 * 60);

/// The remaining rate limit wait.
pub fn left(env: &Env) -> Option<Duration> {
    let left = env.link.as_ref()?.held_until?.saturating_duration_since(Instant::now());
    Some(left).filter(|left| !left.is_zero())
}

/// A wait as text: `40 s`, `59 min`, or `until 14:05` by this computer's clock.
pub fn words(left: Duration) -> String {
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

fn seconds(left: Duration) -> u64 {
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

/// The time at which the text changes next.
pub fn next_change(env: &Env) -> Option<Instant> {
    let left = left(env)?;
    let step = if left <= IN_SECONDS {
        Duration::from_secs(1)
    } else {
        // The text rounds up to full minutes.
        let part = Duration::from_secs(seconds(left) % 60);
        if part.is_zero() { Duration::from_secs(60) } else { part }
    };
    Some(Instant::now() + step.min(left))
}

/// The lines below the screen that explain the wait. A short wait has none. `ping` is the key that sends one
/// ping, if there is one.
pub fn lines(env: &Env, ping: Option<&str>, columns: u16) -> Vec<String> {
    let Some(left) = left(env).filter(|left| *left > WORTH_SAYING) else { return Vec::new() };
    let mut text = if left > IN_MINUTES {
        t!(
            "Rate limit wait {until} by this computer's clock (Retry-After). Nothing is sent before that.",
            until = words(left)
        )
    } else {
        t!("Rate limit wait: {wait} (Retry-After). Nothing is sent before that.", wait = words(left))
    };
    if let Some(ping) = ping {
        text.push(' ');
        text.push_str(&t!("{ping} sends one ping.", ping));
    }
    wrap(&format!("{} {text}", env.glyphs.alert), usize::from(columns).saturating_sub(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_seconds_minutes_or_by_the_clock() {
        let told = |secs: u64| words(Duration::from_secs(secs));
        assert_eq!((told(1), told(99), told(100)), ("1 s".into(), "99 s".into(), "100 s".into()));
        assert_eq!((told(101), told(3540), told(3541)), ("2 min".into(), "59 min".into(), "60 min".into()));
        assert_eq!(told(6000), "100 min");
        for secs in [6001, 86_400, 31_622_400] {
            assert!(told(secs).starts_with("until ") && told(secs).contains(':'), "{}", told(secs));
        }
        assert!(!words(Duration::MAX).is_empty());
    }
}
