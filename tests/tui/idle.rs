//! A TUI with nothing to do costs nothing.

use super::*;
use std::time::Duration;

/// Ten seconds, which a paused clock turns at once, on a TUI that has read all it wants.
#[tokio::test]
async fn ten_idle_seconds_wake_nobody() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.press("2");
    h.settled().await;
    let before = h.tui.app.counts;
    let ending = h.tui.sender();
    tokio::time::pause();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let _ = ending.send(Message::Terminate).await;
    });
    h.tui.run(&mut ()).await.expect("it runs");
    let app = &h.tui.app;
    let (draws, wakeups) = (app.counts.draws - before.draws, app.counts.wakeups - before.wakeups);
    println!("ten idle seconds in History: {draws} draws, {wakeups} wakeups, the end included");
    assert!(draws == 0 && wakeups <= 2, "{draws} draws, {wakeups} wakeups");
}
