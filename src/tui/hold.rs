//! The remaining rate limit wait, and the lines that explain it on every screen.

use crate::i18n::wait::{IN_MINUTES, IN_SECONDS, seconds, wait_text};
use crate::tui::prelude::*;

/// A shorter wait ends before the user can read an explanation. Only the header shows it.
const WORTH_SAYING: Duration = Duration::from_secs(5);
/// The limit counts a minute, so a longer wait may be a mistake, for example of a proxy. Only the answer to a ping ends
/// such a wait early. Within a shorter one nothing is sent (rate limits, rule 1).
const MAY_BE_WRONG: Duration = Duration::from_secs(10 * 60);

pub fn left(cx: &UiContext) -> Option<Duration> {
    let left = cx.link()?.held_until?.saturating_duration_since(Instant::now());
    Some(left).filter(|left| !left.is_zero())
}

/// Whether the wait is so long that lapel offers a ping.
pub fn offers_ping(cx: &UiContext) -> bool {
    left(cx).is_some_and(|left| left > MAY_BE_WRONG)
}

pub fn next_change(cx: &UiContext) -> Option<Instant> {
    let left = left(cx)?;
    let step = if left <= IN_SECONDS {
        Duration::from_secs(1)
    } else {
        // The text rounds up to full minutes.
        let part = Duration::from_secs(seconds(left) % 60);
        if part.is_zero() { Duration::from_secs(60) } else { part }
    };
    Some(Instant::now() + step.min(left))
}

/// A short wait has none. `ping` finds the key that asks for one ping, if there is one.
pub fn lines(cx: &UiContext, ping: impl FnOnce() -> Option<String>, columns: u16) -> Vec<String> {
    let Some(left) = left(cx).filter(|left| *left > WORTH_SAYING) else { return Vec::new() };
    let mut text = if left > IN_MINUTES {
        t!(
            "Rate limit wait {until} by this computer's clock (Retry-After). lapel sends nothing by itself before that.",
            until = wait_text(left)
        )
    } else {
        t!(
            "Rate limit wait: {wait} (Retry-After). lapel sends nothing by itself before that.",
            wait = wait_text(left)
        )
    };
    if offers_ping(cx)
        && let Some(ping) = ping()
    {
        text.push(' ');
        text.push_str(&t!("{ping} sends one ping.", ping));
    }
    wrap(&cx.alert(text), usize::from(columns).saturating_sub(2))
}
