//! A TUI with nothing to do costs nothing.

use super::*;
use std::time::Duration;

/// How often ten seconds draw the screen of a settled TUI and wake it up. A paused clock turns them at once.
pub async fn ten_idle_seconds(h: &mut Harness) -> (u64, u64) {
    let before = h.tui.app.counts;
    let ending = h.tui.sender();
    tokio::time::pause();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let _ = ending.send(Message::Terminate).await;
    });
    h.tui.run(&mut ()).await.expect("it runs");
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
    super::comforts::pass(20).await;
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
