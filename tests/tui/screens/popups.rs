//! Menus and short questions as popups, on a small screen, on a usual one and beside a preview.

use super::*;
use crate::common::texts::{msg, msg_part};

async fn walk_popups(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("1 b");
    h.settled().await;
    take(&mut h, "popup-categories");
    h.press("esc P");
    h.settled().await;
    take(&mut h, "popup-profiles");
    h.press("esc 2");
    h.settled().await;
    h.press("s");
    take(&mut h, "popup-sort");
    h.press("esc C j");
    take(&mut h, "popup-columns");
    h.press("esc f");
    h.settled().await;
    take(&mut h, "popup-filters");
    h.press("esc * a");
    h.settled().await;
    take(&mut h, "popup-mark-all");
}

/// The marked rows of a job, and what a person decides about them.
async fn walk_marked(columns: u16, rows: u16) {
    let mut h = crate::marked_rows::never_seen().await;
    crate::filter_line::resize_to(&mut h, columns, rows);
    h.press("a");
    h.settled().await;
    take(&mut h, "popup-marked-rows");
    h.press("d");
    h.shows(msg("send again")).await;
    h.press("enter");
    h.type_text("직접 확인함");
    take(&mut h, "popup-resolve-rows");
    h.press("enter");
    h.shows(msg_part("and press")).await;
    take(&mut h, "popup-resolve-review");
    h.press("esc esc esc e");
    h.settled().await;
    take(&mut h, "popup-save-marked");
}

#[tokio::test]
async fn popups_at_60x16() {
    walk_popups(60, 16).await;
    walk_marked(60, 16).await;
}

#[tokio::test]
async fn popups_at_80x24() {
    walk_popups(80, 24).await;
    walk_marked(80, 24).await;
}

#[tokio::test]
async fn popups_at_120x36() {
    walk_popups(120, 36).await;
    walk_marked(120, 36).await;
}
