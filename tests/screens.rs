//! Every screen as a picture in text, at 80x24 and at 120x36, in dark, light and without colours.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod common;

use common::{Harness, frozen};
use lapel::config::ThemeChoice;
use lapel::sandbox::{RowSpec, RowState, Rows};
use std::fmt::Write;

/// Takes one screen: its text, which is the same in every theme, and its styles in each.
fn take(h: &mut Harness, name: &str) {
    // The port of the sandbox is another one in every run.
    let port =
        h.sandbox.base_url().split(':').nth(2).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let port = port.to_owned();
    let mut out = h.screen();
    for theme in [ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::None] {
        h.desk.app.set_theme(theme);
        let buffer = h.buffer();
        assert_eq!(common::snap::text(&buffer), h.screen(), "{name}: a theme changes no text");
        // Writing to a String cannot fail.
        let _ = write!(out, "--- {theme:?}\n{}", common::snap::styles(&buffer));
    }
    h.desk.app.set_theme(ThemeChoice::Dark);
    let out = out.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:PORT");
    let size = h.buffer().area;
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{name}@{}x{}", size.width, size.height), out);
    });
}

async fn walk(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    take(&mut h, "connecting");
    h.settled().await;
    take(&mut h, "templates");
    h.press("/");
    h.type_text("파이썬");
    h.press("tab");
    h.type_text("maybe");
    h.settled().await;
    take(&mut h, "templates-filter");
    h.press("ctrl-x esc");
    h.settled().await;
    h.press("j j j");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    take(&mut h, "template");
    h.press("esc c");
    h.settled().await;
    take(&mut h, "categories");
    h.press("esc s j");
    take(&mut h, "sort-menu");
    h.press("esc ?");
    take(&mut h, "help-templates");

    h.press("esc 2");
    h.settled().await;
    take(&mut h, "history");
    // One of each state, with the names of the stories.
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
        row("Lea O'Connor-Kim", RowState::Expired),
        row("윤태오", RowState::Revoked),
        row("임하늘", RowState::Revoking),
        row("오지호", RowState::Issued),
        RowSpec { label: Some("발급보류".into()), ..row("علي حسن", RowState::Issued) },
        row("evil \u{1b}[2J\u{202e}", RowState::Issued),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("/ tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc space j space");
    h.settled().await;
    take(&mut h, "history-marked");
    h.press("a x");
    h.type_text("중복 발급");
    take(&mut h, "revoke");
    h.press("enter 4");
    take(&mut h, "revoke-review");
    h.press("esc esc u j j j j w");
    h.settled().await;
    take(&mut h, "wallet");
    h.press("enter");
    h.settled().await;
    take(&mut h, "badge");
    h.press("/");
    h.type_text("no-such-badge");
    h.press("enter");
    h.settled().await;
    take(&mut h, "badge-not-found");

    h.press("esc 1 home i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("Gildong@gmial.example");
    h.settled().await;
    take(&mut h, "issue");
    h.press("enter");
    h.settled().await;
    take(&mut h, "issue-review");
    h.press("y");
    h.shows("1 waiting").await;
    h.settled().await;
    take(&mut h, "sent");
}

#[tokio::test]
async fn screens_at_80x24() {
    walk(80, 24).await;
}

#[tokio::test]
async fn screens_at_120x36() {
    walk(120, 36).await;
}

#[tokio::test]
async fn the_first_screen() {
    for (columns, rows) in [(80, 24), (120, 36)] {
        let mut h = Harness::welcome(columns, rows).await;
        take(&mut h, "welcome");
        h.press("u");
        h.type_text("badges.example/api/v1/ext");
        h.press("enter");
        h.desk.app.update(lapel::tui::Message::Paste("dmu_live_secret".into()));
        take(&mut h, "welcome-service");
    }
}

#[tokio::test]
async fn a_terminal_that_is_too_small_is_told_politely() {
    let mut h = Harness::welcome(50, 12).await;
    take(&mut h, "too-small");
}
