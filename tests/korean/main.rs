//! The desk in Korean, at 80x24 and at 160x50: what it says, that none of it is left in English, and that it holds.
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

use common::{Harness, frozen};
use lapel::sandbox::{RowSpec, RowState, Rows};
use lapel::tui::Message;
use lapel::words::{Language, speak};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Words that are no text of lapel's: keys, commands, settings, words of the service and of the demo's titles, and
/// the cells of a row as they are copied.
const NOT_TRANSLATED: &[&str] = &[
    "lapel",
    "enter",
    "space",
    "ctrl",
    "esc",
    "tab",
    "backspace",
    "home",
    "end",
    "pagedown",
    "pageup",
    "down",
    "left",
    "right",
    "alt",
    "https",
    "http",
    "ping",
    "ssh",
    "tmux",
    "true",
    "enabled",
    "index",
    "purge",
    "main",
    "description",
    "Waiting",
    "Organisation",
    "for",
    "the",
    "and",
    "with",
];

/// Words of lapel's own that stand in English on a screen: lower-case ones that are no data, and whole texts.
fn left_in_english(screen: &str) -> Vec<String> {
    let said: toml::Table = include_str!("../../assets/ko.toml").parse().expect("TOML");
    let mut texts = BTreeSet::new();
    for table in said.values().filter_map(toml::Value::as_table) {
        texts.extend(
            table
                .iter()
                .filter(|(english, korean)| Some(english.as_str()) != korean.as_str())
                .map(|(e, _)| e.trim()),
        );
    }
    let mut left = Vec::new();
    for line in screen.lines() {
        for word in line.split_whitespace() {
            // Addresses, links, paths, ids and placeholders of theirs are data.
            if word.contains(['@', '/', '_', '.', '=', '-', '"', '\'', '\\', '+']) {
                continue;
            }
            let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
            let is_word = word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic());
            let is_lower = word.bytes().all(|b| b.is_ascii_lowercase());
            if is_word
                && (is_lower && !NOT_TRANSLATED.contains(&word)
                    || texts.contains(word) && !NOT_TRANSLATED.contains(&word))
            {
                left.push(format!("{word}: {line}"));
            }
        }
    }
    left
}

/// Takes one screen: its text, and what of it is no Korean.
fn take(h: &mut Harness, name: &str, left: &mut Vec<String>) {
    let screen = h.screen();
    let screen = common::shot::still(h, &screen, "계획");
    let (columns, _) = h.size();
    for line in screen.lines() {
        assert!(line.width() <= usize::from(columns), "{name}: {line:?} is wider than the screen");
    }
    common::shot::compare(h, &format!("ko-{name}"), &screen);
    left.extend(left_in_english(&screen).into_iter().map(|line| format!("{name}: {line}")));
}

async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    speak(Language::Korean);
    let mut h = Harness::new(frozen(), columns, rows).await;
    take(&mut h, "connecting", left);
    h.settled().await;
    take(&mut h, "templates", left);
    h.press("/");
    h.type_text("파이썬");
    h.press("tab");
    h.type_text("maybe.");
    h.settled().await;
    take(&mut h, "templates-filter", left);
    h.press("ctrl-x esc s j");
    h.settled().await;
    take(&mut h, "sort-menu", left);
    h.press("esc ?");
    take(&mut h, "help-templates", left);
    h.press("esc :");
    h.type_text("발급");
    take(&mut h, "palette", left);
    // Why what is selected is not possible stands under the list, whole, also where there is little room.
    h.press("ctrl-u");
    h.type_text("반전");
    let reason = "지금은 안 됨: 쓸 수 있는 곳: 발급 이력";
    for (columns, rows) in [(60, 16), (columns, rows)] {
        h.desk.terminal.backend_mut().resize(columns, rows);
        h.desk.app.update(Message::Resize(columns, rows));
        let screen = h.screen();
        assert!(screen.contains("  실행  ") && screen.contains(reason), "{screen}");
    }
    h.press("esc c");
    h.settled().await;
    take(&mut h, "categories", left);
    h.press("esc home j j j enter");
    h.settled().await;
    h.press("esc 2");
    h.settled().await;
    take(&mut h, "history", left);
    h.press("e");
    h.settled().await;
    take(&mut h, "export", left);
    h.press("esc");
    let row = |name: &str, state| RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        minutes_ago: 42,
        ..RowSpec::default()
    };
    let insert = vec![
        row("한서윤", RowState::Waiting),
        row("강하린", RowState::Expired),
        row("윤태오", RowState::Revoked),
        row("임하늘", RowState::Revoking),
        row("오지호", RowState::Issued),
        RowSpec { label: Some("발급보류".into()), ..row("서다안", RowState::Issued) },
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("/ tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc space j space");
    h.settled().await;
    take(&mut h, "history-marked", left);
    h.press("a x");
    h.type_text("중복 발급");
    take(&mut h, "revoke", left);
    h.press("enter");
    take(&mut h, "revoke-review", left);
    h.press("esc esc u j j j w");
    h.settled().await;
    take(&mut h, "wallet", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "badge", left);
    h.press("y");
    take(&mut h, "copy-menu", left);
    h.press("esc L");
    h.settled().await;
    h.press("esc 3");
    h.paste("김민준");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-namesakes", left);
    h.paste("no.such@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-nothing", left);
    h.press("1 home i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("Gildong@gmial.example");
    h.settled().await;
    take(&mut h, "issue", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "issue-review", left);
    h.press("y");
    h.shows("대기 중 1").await;
    h.settled().await;
    h.press("5");
    h.settled().await;
    take(&mut h, "activity", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "job-rows", left);
    h.press("esc e");
    h.settled().await;
    take(&mut h, "receipt", left);
    h.press("esc P");
    h.settled().await;
    take(&mut h, "profiles", left);
    h.press("esc O");
    h.settled().await;
    take(&mut h, "overview", left);
}

#[tokio::test]
async fn at_80x24() {
    let mut left = Vec::new();
    Box::pin(walk(80, 24, &mut left)).await;
    assert!(left.is_empty(), "words that are not Korean:\n{}", left.join("\n"));
}

#[tokio::test]
async fn at_160x50() {
    let mut left = Vec::new();
    Box::pin(walk(160, 50, &mut left)).await;
    assert!(left.is_empty(), "words that are not Korean:\n{}", left.join("\n"));
}

#[tokio::test]
async fn the_first_screen() {
    speak(Language::Korean);
    let left = &mut Vec::new();
    let mut h = Harness::welcome(80, 24).await;
    take(&mut h, "welcome", left);
    h.press("u");
    take(&mut h, "welcome-service", left);
    assert!(left.is_empty(), "words that are not Korean:\n{}", left.join("\n"));
}
