//! Files, drafts, jobs and their rows, and what is sent from them.

use super::*;

fn row(name: &str, state: RowState) -> RowSpec {
    RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        minutes_ago: 42,
        ..RowSpec::default()
    }
}

fn insert(h: &Harness, insert: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted")
}

#[expect(clippy::too_many_lines, reason = "one session, screen after screen")]
pub async fn walk(columns: u16, rows: u16, left: &mut Vec<String>) {
    set_language(Language::Korean);
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.jobs.batch = 50;
        session.jobs.in_flight = 1;
        session
    })
    .await;
    let demo = |name: &str| format!("{}/assets/demo/{name}", env!("CARGO_MANIFEST_DIR"));
    h.settled().await;
    h.press("5");
    h.settled().await;
    take(&mut h, "activity-none", left);
    h.press("1 j j j i");
    h.settled().await;
    h.paste(&demo("one-line-cp949.csv"));
    h.press("enter");
    h.shows("어느 쪽이 맞습니까?").await;
    h.settled().await;
    take(&mut h, "file-encoding", left);
    h.press("esc esc");
    h.settled().await;
    h.paste(&demo("attendees-cp949.csv"));
    h.press("enter");
    h.shows("모든 행 검사").await;
    h.settled().await;
    take(&mut h, "file-check", left);
    h.press("m");
    take(&mut h, "file-columns", left);
    h.press("esc enter");
    h.shows("파일 내 중복").await;
    h.settled().await;
    take(&mut h, "draft", left);
    h.press("c");
    take(&mut h, "draft-correct", left);
    h.press("esc G");
    h.sandbox.control().set_quota(Some(70));
    h.press("enter");
    h.type_text("113");
    take(&mut h, "draft-review", left);
    h.press("enter");
    h.shows("발급 한도 초과").await;
    h.settled().await;
    take(&mut h, "activity-quota", left);
    h.press("s j");
    take(&mut h, "activity-sort", left);
    h.press("enter C j space");
    take(&mut h, "activity-columns", left);
    h.press("esc");
    take(&mut h, "activity-arranged", left);
    h.press("enter f f");
    h.settled().await;
    take(&mut h, "job-rows-not-valid", left);
    h.press("s j");
    take(&mut h, "job-rows-sort", left);
    h.press("enter C j space");
    take(&mut h, "job-rows-columns", left);
    h.press("esc esc x");
    h.type_text("잘못된 명단");
    h.settled().await;
    take(&mut h, "undo", left);
    h.press("esc R");
    take(&mut h, "job-run", left);
    h.press("c");
    h.settled().await;
    take(&mut h, "call-off", left);
    h.press("esc 2");
    h.settled().await;
    let three = [("한서윤", RowState::Waiting), ("윤태오", RowState::Revoked), ("오지호", RowState::Issued)];
    insert(&h, three.map(|(name, state)| row(name, state)).into());
    h.press("/ ctrl-f tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc a x tab");
    h.type_text("중복 발급");
    h.settled().await;
    take(&mut h, "revoke-waiting", left);
    h.press("enter");
    h.confirm("2");
    h.until("it is being revoked", |s| s.contains("◍ 회수 중") && s.contains("다음 확인")).await;
    h.settled().await;
    take(&mut h, "activity-two", left);
    let ids = insert(&h, vec![row("서다안", RowState::Issued), row("임하늘", RowState::Waiting)]);
    h.press("5 F");
    h.settled().await;
    take(&mut h, "revoke-ids", left);
    h.paste(&format!("{}\n{}\n", ids[0], ids[1]));
    h.press("enter");
    h.type_text("중복 발급");
    take(&mut h, "revoke-ids-reason", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "revoke-ids-file", left);
    h.press("enter");
    h.settled().await;
    take(&mut h, "draft-revoke", left);
    h.press("esc esc esc esc 4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("c");
    h.settled().await;
    take(&mut h, "replace", left);
}

#[tokio::test]
async fn the_choices_of_resolve_are_whole_at_80_columns() {
    set_language(Language::Korean);
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let options = lapel::sandbox::Options { switches, ..frozen() };
    let mut h = Harness::new(options, 80, 24).await;
    h.sandbox.control().add_fault("post /badges/batch drop times=1").expect("a rule");
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste("한서윤,seoyun.han@naru.example\n오지호,jiho.oh@naru.example\n");
    h.shows("열").await;
    h.press("enter");
    h.settled().await;
    h.confirm_draft("2").await;
    h.until("in doubt", |s| s.contains("결과 불명")).await;
    h.sandbox.control().advance(std::time::Duration::from_secs(27 * 3600));
    h.press("enter");
    h.settled().await;
    h.press("r");
    h.until("never seen", |s| s.contains("끝내 미확인")).await;
    h.settled().await;
    h.press("d");
    let screen = h.until("the choices", |s| s.contains("모두 다시 보내기")).await;
    for choice in ["배지가 둘이어도 될 때", "다시 보낼 수 있는 행", "다음에 ID 입력)", "더 처리하지 않음)"]
    {
        assert!(screen.contains(choice), "{choice}:\n{screen}");
    }
}
