//! The overview.

use super::*;

/// The overview: off, its sections, and a list behind a bar.
async fn walk_overview(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    take(&mut h, "overview-off");
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
        session
    })
    .await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    take(&mut h, "overview-issued");
    h.press("z }");
    h.settled().await;
    take(&mut h, "overview-revoked");
    for name in ["templates", "waiting", "expiring", "mail"] {
        h.press("}");
        h.settled().await;
        take(&mut h, &format!("overview-{name}"));
    }
    h.press("{ down enter");
    h.settled().await;
    take(&mut h, "overview-list");
    h.press("i");
    h.shows("templates)").await;
    h.settled().await;
    take(&mut h, "overview-renewal");
}

#[tokio::test]
async fn overview_at_80x24() {
    Box::pin(walk_overview(80, 24)).await;
}

#[tokio::test]
async fn overview_at_160x50() {
    Box::pin(walk_overview(160, 50)).await;
}
