//! A TUI with nothing to do costs nothing.

use super::*;
use lapel::tui::{PagerText, TerminalRelease};
use std::io;
use std::time::Duration;

/// A terminal without a shell: nothing stops lapel, an editor changes nothing, and a pager shows nothing.
pub struct NoShell;

impl TerminalRelease for NoShell {
    fn stop(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn continued(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn is_here(&self) -> bool {
        true
    }

    fn editor(&mut self, _: &str, text: &str) -> io::Result<Result<String, String>> {
        Ok(Ok(text.to_owned()))
    }

    fn pager(&mut self, _: &str, _: &PagerText) -> io::Result<Result<(), String>> {
        Ok(Ok(()))
    }
}

/// How often ten seconds draw the screen of a settled TUI and wake it up. A paused clock turns them at once.
pub async fn ten_idle_seconds(h: &mut Harness) -> (u64, u64) {
    let before = h.tui.app.counts;
    let ending = h.tui.sender();
    tokio::time::pause();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let _ = ending.send(Message::Terminate).await;
    });
    h.tui.run(&mut NoShell).await.expect("it runs");
    let now = h.tui.app.counts;
    (now.draws - before.draws, now.wakeups - before.wakeups)
}

#[tokio::test]
async fn a_toast_goes_away_and_then_nothing_moves() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    assert!(
        h.tui.app.next_tick().is_none_or(|tick| tick > tokio::time::Instant::now() + Duration::from_secs(20))
    );
    h.press("*");
    h.press("i");
    let toast = h.screen();
    assert!(h.tui.app.next_tick().is_some(), "it goes away by itself: {toast}");
    super::copy_log_refresh::pass(20).await;
    h.tui.app.update(Message::Tick);
    assert_ne!(h.screen(), toast);
    let (draws, wakeups) = ten_idle_seconds(&mut h).await;
    assert!(draws == 0 && wakeups <= 2, "{draws} draws, {wakeups} wakeups, the end included");
}

#[tokio::test]
async fn ten_idle_seconds_wake_nobody() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    let (draws, wakeups) = ten_idle_seconds(&mut h).await;
    assert!(draws == 0 && wakeups <= 2, "{draws} draws, {wakeups} wakeups, the end included");
}
