//! The lists of every day, and one badge issued.

use super::*;
use lapel::tui::Message;

#[expect(clippy::too_many_lines, reason = "one session, screen after screen")]
pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let mut h = Harness::new(frozen(), columns, rows).await;
    take(&mut h, "connecting", left);
    h.settled().await;
    take(&mut h, "templates", left);
    h.press("/");
    h.settled().await;
    take(&mut h, "filter-line", left);
    h.press("ctrl-f");
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
    h.press("esc");
    if columns == 80 {
        h.reads_the_whole_palette();
    }
    h.press(":");
    h.type_text("발급");
    take(&mut h, "palette", left);
    // The whole reason why the selected entry is not possible is under the list, also where there is little room.
    h.press("ctrl-u");
    h.type_text("반전");
    let reason = "지금은 안 됨: 발급 이력, 작업의 행에서만 사용";
    for (columns, rows) in [(60, 16), (columns, rows)] {
        h.tui.surface.resize(columns, rows);
        h.tui.app.update(Message::Resize(columns, rows));
        let screen = h.screen();
        assert!(screen.contains("  실행  ") && screen.contains(reason), "{screen}");
    }
    // The English name of an action is found, too.
    h.press("ctrl-u");
    h.type_text("save screen");
    assert!(h.screen().contains("화면 저장"), "{}", h.screen());
    h.press("esc b");
    h.settled().await;
    take(&mut h, "categories", left);
    h.press("esc home j j j enter");
    h.settled().await;
    take(&mut h, "template", left);
    h.press("esc 2");
    h.settled().await;
    take(&mut h, "history", left);
    h.press("C j j space J");
    take(&mut h, "columns-menu", left);
    h.press("0 esc");
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
    h.press("/ ctrl-f tab");
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
    h.press("esc J");
    h.settled().await;
    take(&mut h, "raw", left);
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
    h.confirm("1");
    h.shows("발급 대기 1").await;
    h.settled().await;
    h.press("5");
    h.settled().await;
    take(&mut h, "activity", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "job-rows", left);
    h.press("esc e");
    h.settled().await;
    take(&mut h, "job-export", left);
    h.press("e");
    h.settled().await;
    take(&mut h, "receipt", left);
    h.press("esc P");
    h.settled().await;
    take(&mut h, "profiles", left);
    h.press("enter");
    take(&mut h, "profile-new", left);
    h.press("esc esc 0 G enter");
    h.settled().await;
    take(&mut h, "overview", left);
}
