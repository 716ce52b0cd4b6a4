//! Where it is live, and the log of requests.

use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::config::ThemeChoice;
use std::fmt::Write;

/// The log of requests, and what it is saved as.
async fn walk_log(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=503 times=1").expect("a rule");
    h.press("2");
    h.settled().await;
    h.press("L");
    h.settled().await;
    h.press("j");
    h.settled().await;
    let mut out = String::new();
    for theme in [ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::None] {
        h.tui.app.set_theme(theme);
        let buffer = common::shot::without_times(h.buffer(), ["Waited", "Took"]);
        if out.is_empty() {
            out = common::snap::text(&buffer);
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "--- {theme:?}\n{}", common::snap::styles(&buffer));
    }
    common::shot::compare(&h, "requests", &out);
}

/// Where it is live: the number and the organisation; in a review of one, and of a draft.
async fn walk_live(columns: u16, rows: u16) {
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.environment = Environment::Live;
        session.organisation = Some("달무리대학교 평생교육원 디지털 역량 인증 운영 지원 센터".to_owned());
        session
    })
    .await;
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "live-number");
    h.confirm("1 달무");
    take(&mut h, "live-organisation");
    h.press("esc");
    h.paste("김가감, one@naru.example\n김개깜, two@naru.example\n");
    h.shows(msg("columns")).await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.confirm_draft("2").await;
    take(&mut h, "live-draft");
}

#[tokio::test]
async fn live_and_the_log_at_80x24() {
    walk_live(80, 24).await;
    walk_log(80, 24).await;
}

#[tokio::test]
async fn live_and_the_log_at_160x50() {
    walk_live(160, 50).await;
    walk_log(160, 50).await;
}
