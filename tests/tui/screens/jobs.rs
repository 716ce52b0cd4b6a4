//! Files, drafts and jobs.

use super::*;
use crate::common::texts::{msg, msg_part};

/// Files, what is made of them, and jobs in all their states.
#[expect(clippy::too_many_lines, reason = "one session, screen after screen")]
async fn walk_jobs(columns: u16, rows: u16) {
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
    take(&mut h, "activity-none");
    h.press("1 j j j i");
    h.settled().await;
    h.paste(&demo("one-line-cp949.csv"));
    h.press("enter");
    h.shows(msg_part("Which text is correct?")).await;
    h.settled().await;
    take(&mut h, "file-encoding");
    h.press("esc esc");
    h.settled().await;
    h.paste(&demo("attendees-cp949.csv"));
    h.press("enter");
    h.shows(msg_part("check every row")).await;
    h.settled().await;
    take(&mut h, "file-check");
    h.press("m");
    take(&mut h, "file-columns");
    h.press("esc enter");
    h.shows(msg("twice in the file")).await;
    h.settled().await;
    take(&mut h, "draft");
    h.press("c");
    take(&mut h, "draft-correct");
    h.press("esc G");
    h.sandbox.control().set_quota(Some(70));
    let ready = h.screen();
    let ready: Vec<&str> = ready.split_whitespace().collect();
    let ready = ready.windows(2).find(|w| w[1] == "ready").expect("a number")[0].to_owned();
    h.press("enter");
    h.type_text(&ready);
    take(&mut h, "draft-review");
    h.press("enter");
    h.shows("not sent: quota exceeded").await;
    h.settled().await;
    take(&mut h, "activity-quota");
    arrange(&mut h, "activity");
    h.press("enter f f");
    h.settled().await;
    take(&mut h, "job-rows");
    arrange(&mut h, "job-rows");
    h.press("esc e");
    h.settled().await;
    take(&mut h, "job-export");
    h.press("e");
    h.settled().await;
    take(&mut h, "receipt");
    h.press("esc x");
    h.type_text("잘못된 명단");
    h.settled().await;
    take(&mut h, "undo");
    h.press("esc R");
    h.settled().await;
    take(&mut h, "job-run");
    h.press("c");
    h.settled().await;
    take(&mut h, "call-off");

    // One of each state, with what waits queued.
    h.press("esc 2");
    h.settled().await;
    let row = |name: &str, state| RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        minutes_ago: 42,
        ..RowSpec::default()
    };
    let insert = vec![
        row("한서윤", RowState::Waiting),
        row("윤태오", RowState::Revoked),
        row("오지호", RowState::Issued),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("/ ctrl-f tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc a x tab");
    h.type_text("중복 발급");
    h.settled().await;
    take(&mut h, "revoke-waiting");
    h.press("enter");
    h.confirm("2");
    h.shows(msg_part("2 jobs")).await;
    h.shows("◍ revoking").await;
    h.settled().await;
    take(&mut h, "activity-two");
    h.press("5 F");
    h.settled().await;
    take(&mut h, "revoke-ids");
    let insert = vec![row("서다안", RowState::Issued)];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("esc 4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("c");
    h.settled().await;
    take(&mut h, "replace");
}

/// The menus of a list, other columns and another order in it, and then those that it had.
fn arrange(h: &mut Harness, list: &str) {
    h.press("s j");
    take(h, &format!("{list}-sort"));
    h.press("enter C j space J");
    take(h, &format!("{list}-columns"));
    h.press("esc");
    take(h, &format!("{list}-arranged"));
    h.press("C 0 esc s k enter");
}

#[tokio::test]
async fn jobs_at_80x24() {
    walk_jobs(80, 24).await;
}

#[tokio::test]
async fn jobs_at_120x36() {
    walk_jobs(120, 36).await;
}

#[tokio::test]
async fn jobs_at_160x50() {
    walk_jobs(160, 50).await;
}

#[tokio::test]
async fn jobs_at_200x50() {
    walk_jobs(200, 50).await;
}
