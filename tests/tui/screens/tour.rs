//! The tour, from its first step to its last.

use super::*;
use crate::common::texts::msg_part;
use std::time::Duration;

async fn walk_tour(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("T");
    take(&mut h, "tour-find");
    h.press("3");
    take(&mut h, "tour-find-type");
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-issue");
    h.press("1 i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    take(&mut h, "tour-issue-form");
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-issue-review");
    h.confirm("1");
    h.until("1 waiting", |s| s.contains("waiting 1") && s.contains(msg_part("next check"))).await;
    h.settled().await;
    take(&mut h, "tour-watch");
    h.sandbox.control().advance(Duration::from_secs(25 * 3600));
    h.press("r");
    h.until("it is issued", |s| s.contains("4 of 5") && !s.contains(msg_part("next check"))).await;
    h.settled().await;
    take(&mut h, "tour-revoke");
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-revoke-badge");
    h.press("x");
    h.type_text("중복 발급");
    h.press("enter");
    take(&mut h, "tour-revoke-review");
    h.confirm("1");
    h.until("1 revoking", |s| s.contains("revoking 1") && s.contains(msg_part("next check"))).await;
    h.settled().await;
    take(&mut h, "tour-receipt");
    h.press("e e");
    h.settled().await;
    take(&mut h, "tour-receipt-form");
    h.press("ctrl-n");
    take(&mut h, "tour-end");
    h.press("ctrl-g");
    take(&mut h, "tour-left");
}

#[tokio::test]
async fn tour_at_80x24_and_160x50() {
    Box::pin(walk_tour(80, 24)).await;
    Box::pin(walk_tour(160, 50)).await;
}
