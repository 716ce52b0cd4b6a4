//! Saved filters, a read-only profile, and lists with chosen columns.

use super::*;

/// Saved filters, all that match, and what was looked up earlier.
async fn walk_kept(columns: u16, rows: u16) {
    let folder = common::shot::folder();
    let path = folder.path().join("filters.toml");
    let file = "[history.'expiring 2026']\ntitle = '파이썬'\nissue_start_date = 2024-01-01\nsort = 'issued_at:desc'\n\
                [history.'한서윤']\nrecipient_name = '한서윤'\n";
    std::fs::write(&path, file).expect("written");
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.tui.app.set_options(lapel::tui::AppOptions {
        filters: Some(path.clone()),
        ..lapel::tui::AppOptions::default()
    });
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("f");
    h.settled().await;
    take(&mut h, "filters");
    h.press("j X");
    take(&mut h, "filters-remove");
    h.press("esc / ctrl-f tab tab");
    h.type_text("데이터");
    h.settled().await;
    h.press("f2");
    h.settled().await;
    h.type_text("한서윤");
    h.press("enter");
    take(&mut h, "filters-name");
    h.press("esc esc esc * a");
    take(&mut h, "mark-all");
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("enter");
    take(&mut h, "mark-all-reading");
    h.press("esc e ctrl-u");
    h.type_text(folder.path().join("history.csv").to_str().expect("UTF-8"));
    h.press("enter");
    take(&mut h, "export-writing");
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
    take(&mut h, "look-ups");
    h.press("up up");
    take(&mut h, "look-ups-chosen");
}

#[tokio::test]
async fn kept_at_80x24() {
    Box::pin(walk_kept(80, 24)).await;
}

#[tokio::test]
async fn kept_at_120x36() {
    Box::pin(walk_kept(120, 36)).await;
}

#[tokio::test]
async fn kept_at_160x50() {
    Box::pin(walk_kept(160, 50)).await;
}

/// The tabs of a profile that may only look: nothing on them offers to act.
async fn walk_looking(columns: u16, rows: u16) {
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.connection.read_only = true;
        session
    })
    .await;
    h.settled().await;
    take(&mut h, "looking-templates");
    h.press("2");
    h.settled().await;
    take(&mut h, "looking-history");
    h.press("enter");
    h.settled().await;
    take(&mut h, "looking-badge");
    h.press("3");
    h.paste("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "looking-wallet");
    h.press("5");
    h.settled().await;
    take(&mut h, "looking-activity");
}

#[tokio::test]
async fn a_read_only_profile_at_80x24_and_160x50() {
    Box::pin(walk_looking(80, 24)).await;
    Box::pin(walk_looking(160, 50)).await;
}

/// The columns of a wallet, chosen and sorted by.
async fn walk_arranged(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("3");
    h.paste("haneul.lim@example.net");
    h.press("enter");
    h.settled().await;
    h.press("C");
    take(&mut h, "wallet-columns");
    h.press("esc s j j");
    take(&mut h, "wallet-sort");
    h.press("enter");
    h.settled().await;
    take(&mut h, "wallet-sorted");
}

#[tokio::test]
async fn arranged_at_80x24_and_160x50() {
    Box::pin(walk_arranged(80, 24)).await;
    Box::pin(walk_arranged(160, 50)).await;
}
