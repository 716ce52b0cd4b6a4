//! Home, with nothing to do and with a job that stopped and one that waits.

use super::*;

async fn issue(h: &mut Harness, people: std::ops::Range<usize>) {
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await;
    let count = people.len();
    let lines: Vec<String> = people.map(|n| format!("김가람, person{n}@naru.example")).collect();
    h.paste(&format!("{}\n", lines.join("\n")));
    h.settled().await;
    h.press("enter");
    h.confirm_draft(&count.to_string()).await;
    h.shows("발급 대기 3 = 3").await;
}

pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    take(&mut h, "home-calm", left);
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
        (session.jobs.batch, session.jobs.in_flight) = (2, 1);
        session
    })
    .await;
    issue(&mut h, 0..3).await;
    h.settled().await;
    h.sandbox.control().set_quota(Some(5));
    issue(&mut h, 3..8).await;
    h.shows("발급 한도 초과").await;
    h.settled().await;
    h.press("0");
    h.settled().await;
    h.press("r");
    h.shows("30일 안에 만료되는 배지").await;
    h.settled().await;
    take(&mut h, "home-busy", left);
}
