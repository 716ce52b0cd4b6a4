//! Home, with nothing to do and with much of it.

use super::*;
use crate::common::texts::msg_part;

/// A job of five that the quota stops, one that waits, and the index of a year.
async fn walk_home(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    take(&mut h, "home-calm");
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
        (session.jobs.batch, session.jobs.in_flight) = (2, 1);
        session
    })
    .await;
    crate::activity::issue(&mut h, 0..3).await;
    h.shows("waiting 3 = 3").await;
    h.sandbox.control().set_quota(Some(5));
    crate::activity::issue(&mut h, 3..8).await;
    h.shows("not sent: quota exceeded").await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    h.press("r");
    h.shows(msg_part("badges expire within 30 days")).await;
    h.settled().await;
    take(&mut h, "home-busy");
}

#[tokio::test]
async fn home_at_80x24_and_120x36() {
    Box::pin(walk_home(80, 24)).await;
    Box::pin(walk_home(120, 36)).await;
}

#[tokio::test]
async fn home_at_200x50() {
    Box::pin(walk_home(200, 50)).await;
}
