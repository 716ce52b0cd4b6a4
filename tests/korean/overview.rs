//! The overview: its sections, and the badges behind a bar.

use super::*;

pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
        session
    })
    .await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    take(&mut h, "overview-issued", left);
    h.press("z }");
    h.settled().await;
    take(&mut h, "overview-revoked", left);
    for name in ["templates", "waiting", "expiring", "mail"] {
        h.press("}");
        h.settled().await;
        take(&mut h, &format!("overview-{name}"), left);
    }
    h.press("enter");
    h.settled().await;
    take(&mut h, "overview-mail-list", left);
    h.press("esc { down enter");
    h.settled().await;
    take(&mut h, "overview-list", left);
    h.press("D");
    h.settled().await;
    take(&mut h, "overview-details", left);
    h.press("i");
    h.settled().await;
    h.settled().await;
    take(&mut h, "overview-renewal", left);
}
