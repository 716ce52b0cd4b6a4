//! Filters, messages, and the log of requests.

use super::*;

pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let folder = common::shot::folder();
    let filters = folder.path().join("filters.toml");
    let file = "[history.'만료 2026']\ntitle = '파이썬'\nissue_start_date = 2024-01-01\nsort = 'issued_at:desc'\n\
                [history.'한서윤']\nrecipient_name = '한서윤'\n";
    std::fs::write(&filters, file).expect("written");
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.tui
        .app
        .set_options(lapel::tui::AppOptions { filters: Some(filters), ..lapel::tui::AppOptions::default() });
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("L");
    h.settled().await;
    let log = common::shot::without_times(h.buffer(), ["대기", "소요"]);
    take_text(&h, &common::snap::text(&log), "requests", left);
    h.press("esc f");
    h.settled().await;
    take(&mut h, "filters", left);
    h.press("j X");
    take(&mut h, "filters-remove", left);
    h.press("esc / ctrl-f tab tab");
    h.type_text("데이터");
    h.settled().await;
    h.press("f2");
    h.settled().await;
    h.type_text("한서윤");
    h.press("enter");
    take(&mut h, "filters-name", left);
    h.press("esc esc esc v j");
    take(&mut h, "history-range", left);
    h.press("esc * a");
    take(&mut h, "mark-all", left);
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("enter");
    take(&mut h, "mark-all-reading", left);
    h.press("esc e ctrl-u");
    h.type_text(folder.path().join("history.csv").to_str().expect("UTF-8"));
    h.press("enter");
    take(&mut h, "export-writing", left);
    h.press("esc esc");
    h.settled().await;
    h.sandbox.control().clear_faults();
    h.press("3");
    for text in ["seoyun.han@naru.example", "임하늘"] {
        h.paste(text);
        h.press("enter");
        h.settled().await;
    }
    h.press("w ctrl-u");
    take(&mut h, "look-ups", left);
    h.press("up up enter");
    h.settled().await;
    h.press("C j");
    take(&mut h, "wallet-columns", left);
    h.press("esc s j");
    take(&mut h, "wallet-sort", left);
}
