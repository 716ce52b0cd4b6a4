//! The tour, from its first step to its last.

use super::*;
use std::time::Duration;

pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("T");
    take(&mut h, "tour-find", left);
    h.press("3");
    take(&mut h, "tour-find-type", left);
    h.type_text("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-issue", left);
    h.press("1 i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    take(&mut h, "tour-issue-form", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-issue-review", left);
    h.confirm("1");
    h.until("발급 대기 1", |s| s.contains("발급 대기 1") && s.contains("다음 확인")).await;
    h.settled().await;
    take(&mut h, "tour-watch", left);
    h.sandbox.control().advance(Duration::from_secs(25 * 3600));
    h.press("r");
    h.until("it is issued", |s| s.contains("4/5") && !s.contains("다음 확인")).await;
    h.settled().await;
    take(&mut h, "tour-revoke", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-revoke-rows", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "tour-revoke-badge", left);
    h.press("x");
    take(&mut h, "tour-revoke-form", left);
    h.type_text("중복 발급");
    h.press("enter");
    take(&mut h, "tour-revoke-review", left);
    h.confirm("1");
    h.until("회수 중 1", |s| s.contains("회수 중 1") && s.contains("다음 확인")).await;
    h.settled().await;
    take(&mut h, "tour-receipt", left);
    h.press("e e");
    h.settled().await;
    take(&mut h, "tour-receipt-form", left);
    h.press("ctrl-n");
    take(&mut h, "tour-end", left);
    h.press("ctrl-g");
    take(&mut h, "tour-left", left);
}
