//! What can be copied, and written into a file.

use super::*;
use base64::Engine;

#[tokio::test]
async fn what_is_copied_and_what_is_said_of_a_file_are_korean() {
    set_language(Language::Korean);
    let folder = common::shot::folder();
    let mut h = Harness::new(lapel::sandbox::Options { history: Some(600), ..frozen() }, 160, 50).await;
    let row = |name: &str, state| RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        ..RowSpec::default()
    };
    let insert = vec![row("한\u{7}서윤", RowState::Waiting), row("오지호 😀", RowState::Revoked)];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc y");
    assert!(h.screen().contains("불러온 2행, 제목 행 포함"), "{}", h.screen());
    h.press("t");
    let spoken = h.tui.app.take_spoken();
    let inner = spoken.strip_prefix("\x1b]52;c;").and_then(|rest| rest.strip_suffix("\x1b\\"));
    let bytes = base64::engine::general_purpose::STANDARD.decode(inner.expect("a sequence")).expect("base64");
    let table = String::from_utf8(bytes).expect("UTF-8");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "상태\t보유자\t이메일\t배지\t접수 일시\t발급 일시\t만료 일시\t메일\t배지 ID");
    assert!(lines[1..].iter().any(|line| line.starts_with("발급 대기\t한␇서윤\t")), "{table}");
    assert!(lines[1..].iter().any(|line| line.starts_with("회수 완료\t")), "{table}");
    h.press("e ctrl-u");
    h.type_text(folder.path().join("a.csv").to_str().expect("UTF-8"));
    h.press("pagedown enter");
    let screen = h.shows("저장했습니다").await;
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("셀 1개에 CP949에 없는 문자가 있어"), "{screen}");
    assert!(said.contains("셀 1개에 제어 문자가 있어 보이는 기호로 바꾸었습니다"), "{screen}");
    h.press("esc");
}
