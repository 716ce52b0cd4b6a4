//! The lists of every day, and one badge issued.

use super::*;

#[expect(clippy::too_many_lines, reason = "one session, screen after screen")]
async fn walk(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    take(&mut h, "connecting");
    h.settled().await;
    take(&mut h, "templates");
    h.press("/");
    h.type_text("type:c");
    h.settled().await;
    h.press("down");
    take(&mut h, "filter-line");
    h.press("ctrl-u ctrl-f");
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
    h.press("esc b");
    h.settled().await;
    take(&mut h, "categories");
    h.press("esc s j");
    take(&mut h, "sort-menu");
    h.press("esc ?");
    take(&mut h, "help-templates");

    h.press("esc 2");
    h.settled().await;
    take(&mut h, "history");
    h.press(":");
    h.type_text("rev");
    take(&mut h, "palette");
    // What is not possible now, and why.
    h.press("ctrl-u");
    h.type_text("corrected");
    take(&mut h, "palette-not-now");
    h.press("esc");
    h.press("C j j j j j j space j space K");
    take(&mut h, "columns-menu");
    h.press("0 esc");
    h.press("e");
    h.settled().await;
    take(&mut h, "export");
    h.press("esc");
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
    h.press("/ ctrl-f tab");
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
    h.press("y");
    take(&mut h, "copy-menu");
    h.press("esc J");
    h.settled().await;
    take(&mut h, "raw");
    h.press("esc /");
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
    h.confirm("1");
    h.shows("waiting 1").await;
    h.settled().await;
    take(&mut h, "activity-one");
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
async fn screens_at_160x50() {
    walk(160, 50).await;
}

#[tokio::test]
async fn screens_at_200x50() {
    walk(200, 50).await;
}
