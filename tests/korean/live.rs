//! Where it is live, and where one may only look.

use super::*;
use lapel::config::Environment;

pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
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
    take(&mut h, "live-number", left);
    h.confirm("1 달무");
    take(&mut h, "live-organisation", left);
    let mut h = h
        .reopened(
            |mut session| {
                session.connection.read_only = true;
                session
            },
            columns,
            rows,
        )
        .await;
    h.settled().await;
    take(&mut h, "looking-templates", left);
    h.press("5");
    h.settled().await;
    take(&mut h, "looking-activity", left);
}
