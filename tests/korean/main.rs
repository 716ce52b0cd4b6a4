//! The TUI in Korean, at 80x24 and larger: what it says, that none of it is left in English, and that it holds.
//!
//! The language is one per process, so these tests have a process of their own.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

#[path = "../common/mod.rs"]
mod common;
mod copying;
mod everyday;
mod filters_and_log;
mod home;
mod jobs;
mod live;
mod overview;
mod tour;
mod untranslated;

use common::{Harness, frozen};
use lapel::i18n::{Language, set_language};
use lapel::sandbox::{RowSpec, RowState, Rows};
use unicode_width::UnicodeWidthStr;

/// Takes one screen: its text, and what of it is no Korean. It can be read in every theme.
fn take(h: &mut Harness, name: &str, left: &mut Vec<String>) {
    let screen = h.screen();
    take_text(h, &screen, name, left);
    common::shot::readable_in_every_theme(h, name);
}

fn take_text(h: &Harness, screen: &str, name: &str, left: &mut Vec<String>) {
    let screen = common::shot::still(h, screen);
    let (columns, _) = h.size();
    for line in screen.lines() {
        assert!(line.width() <= usize::from(columns), "{name}: {line:?} is wider than the screen");
    }
    common::shot::compare(h, &format!("ko-{name}"), &screen);
    left.extend(untranslated::in_english(&screen).into_iter().map(|line| format!("{name}: {line}")));
}

/// Nothing of it was left in English.
fn all_korean(left: &[String]) {
    assert!(left.is_empty(), "words that are not Korean:\n{}", left.join("\n"));
}

#[tokio::test]
async fn every_day_at_80x24_and_160x50() {
    let mut left = Vec::new();
    Box::pin(everyday::walk(80, 24, &mut left)).await;
    Box::pin(everyday::walk(160, 50, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn jobs_at_80x24_and_160x50() {
    let mut left = Vec::new();
    Box::pin(jobs::walk(80, 24, &mut left)).await;
    Box::pin(jobs::walk(160, 50, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn home_at_80x24_and_120x36_and_200x50() {
    let mut left = Vec::new();
    Box::pin(home::walk(80, 24, &mut left)).await;
    Box::pin(home::walk(120, 36, &mut left)).await;
    Box::pin(home::walk(200, 50, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn the_overview_at_80x24_and_160x50() {
    let mut left = Vec::new();
    Box::pin(overview::walk(80, 24, &mut left)).await;
    Box::pin(overview::walk(160, 50, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn what_is_kept_and_the_log_at_80x24_and_160x50() {
    let mut left = Vec::new();
    Box::pin(filters_and_log::walk(80, 24, &mut left)).await;
    Box::pin(filters_and_log::walk(160, 50, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn the_tour_and_what_is_live_at_80x24() {
    let mut left = Vec::new();
    Box::pin(tour::walk(80, 24, &mut left)).await;
    Box::pin(live::walk(80, 24, &mut left)).await;
    all_korean(&left);
}

#[tokio::test]
async fn the_twelve_calls_and_every_question_at_80x24_and_120x36() {
    set_language(Language::Korean);
    for (columns, rows) in [(80, 24), (120, 36)] {
        Box::pin(common::calls::twelve(columns, rows, true)).await;
        Box::pin(common::calls::questions(columns, rows, true)).await;
    }
}

#[tokio::test]
async fn the_first_screen() {
    set_language(Language::Korean);
    let left = &mut Vec::new();
    let mut h = Harness::welcome(80, 24).await;
    take(&mut h, "welcome", left);
    h.press("u");
    take(&mut h, "welcome-service", left);
    all_korean(left);
}
