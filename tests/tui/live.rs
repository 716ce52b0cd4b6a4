//! Where it is live, the number and the organisation's short name are typed before anything is sent, at every place that sends.

use super::activity::{issue, people};
use super::sending::to_review;
use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};
use lapel::sandbox::RowState;
use lapel::tui::ProfileSession;
use std::time::Duration;
use unicode_normalization::UnicodeNormalization;

const NAME: &str = "연습용 기관";

async fn live(options: Options, change: impl FnOnce(&mut ProfileSession)) -> Harness {
    Harness::with(options, 80, 24, |mut session| {
        session.environment = Environment::Live;
        session.organisation = Some(NAME.to_owned());
        change(&mut session);
        session
    })
    .await
}

fn posts(h: &Harness) -> u64 {
    let requests = h.sandbox.control().ledger().requests;
    requests.iter().filter(|(what, _)| what.starts_with("POST")).map(|(_, n)| n).sum()
}

fn rows(h: &Harness, names: &[&str]) -> Vec<String> {
    let row = |name: &&str| RowSpec {
        state: RowState::Issued,
        recipient_name: (*name).into(),
        recipient_email: "mixed@naru.example".into(),
        ..RowSpec::default()
    };
    let rows = Rows { insert: names.iter().map(row).collect(), ..Rows::default() };
    h.sandbox.control().rows(&rows).expect("inserted")
}

/// What is typed after the number.
const SHORT: &str = "연습용";

/// The number alone sends nothing, nor does another name. Then the number and the name, and it is sent.
async fn agrees(h: &mut Harness, count: &str) {
    let before = posts(h);
    h.settled().await;
    let asked = asks(&format!("{count} {SHORT}"));
    assert!(h.screen().contains(&asked), "{}", h.screen());
    for wrong in ["", count, "y", SHORT, &format!("{count} 연습"), &format!("{count}{count} {SHORT}")] {
        h.press("ctrl-u");
        h.confirm(wrong);
        let screen = h.screen();
        assert!(screen.contains(&asked) && screen.contains(msg("Nothing has been sent.")), "{screen}");
    }
    // Beside the footer, where both stand too.
    let screen = h.screen();
    let said = screen.trim_end().rsplit_once('\n').expect("a footer").0;
    assert!(said.contains(msg_part("esc: back")), "{screen}");
    // Nothing is pasted.
    h.press("ctrl-u");
    h.paste(&format!("{count} {NAME}"));
    assert!(h.screen().contains(msg("A paste does not confirm. Type the text yourself.")), "{}", h.screen());
    h.press("enter");
    h.settled().await;
    assert_eq!(posts(h), before, "nothing was sent before the name was right");
    // As macOS and some input methods write it.
    h.press("ctrl-u");
    h.confirm(&format!("{count} {NAME}").nfd().collect::<String>());
}

/// The same for a draft.
async fn agrees_to_draft(h: &mut Harness, count: &str) {
    h.settled().await;
    h.press("enter");
    agrees(h, count).await;
}

#[tokio::test]
async fn one_badge_and_then_again_to_the_same_person() {
    let mut h = live(small(), |_| {}).await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains(&asks("1 연습용")) && screen.contains("LIVE 연습용 기관"), "{screen}");
    // Back to the form, and here again.
    h.type_text("1");
    h.press("esc");
    assert!(!h.screen().contains(&asks("1 연습용")), "{}", h.screen());
    h.press("enter");
    h.settled().await;
    agrees(&mut h, "1").await;
    h.shows("waiting 1").await;
    h.press("esc");
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains(msg_part("lapel already sent this badge")), "{screen}");
    agrees(&mut h, "1").await;
    h.until("the second one", |s| s.contains(msg_part("2 jobs")) && s.contains("waiting 1 = 1")).await;
    assert_eq!(requests(&h, "POST /badges"), 2);
}

#[tokio::test]
async fn marked_badges_and_ids_of_a_file() {
    let mut h = live(small(), |_| {}).await;
    let ids = rows(&h, &["가나다", "라마바", "사아자", "차카타"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ids.csv");
    std::fs::write(&file, format!("badge_id\n{}\n{}\n", ids[2], ids[3])).expect("written");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("mixed@naru.example");
    h.settled().await;
    h.press("esc g space j space x");
    h.type_text("중복 발급");
    h.press("enter");
    agrees(&mut h, "2").await;
    h.shows("revoking 2").await;
    h.settled().await;
    let marked = h.sandbox.control().ledger().revokes.iter().map(|r| r.accepted).sum::<u64>();
    assert_eq!(marked, 2);
    h.press("F");
    h.paste(&file.display().to_string());
    h.press("enter");
    h.type_text("중복 발급");
    h.press("enter");
    h.shows(&msg_with("badge ids from: {column}", &[&"badge_id"])).await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    let screen = h.settled().await;
    let count = if screen.contains(msg_part("2 badges")) { "2" } else { "1" };
    agrees_to_draft(&mut h, count).await;
    h.until("two jobs", |s| s.contains(msg_part("2 jobs"))).await;
    h.until("sent", |s| s.contains(msg("revoking"))).await;
}

#[tokio::test]
async fn several_people_and_undoing_it() {
    let mut h = live(small(), |_| {}).await;
    people(&mut h, 0..2).await;
    agrees_to_draft(&mut h, "2").await;
    h.shows("waiting 2 = 2").await;
    h.settled().await;
    h.press("x");
    h.type_text("잘못된 명단");
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    agrees_to_draft(&mut h, "2").await;
    h.shows(msg_part("2 jobs")).await;
}

#[tokio::test]
async fn a_corrected_badge() {
    let mut h = live(small(), |_| {}).await;
    let ids = rows(&h, &["서다안"]);
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.shows("서다안").await;
    h.settled().await;
    h.press("c");
    h.shows(msg_part("Correct and replace")).await;
    h.settled().await;
    h.press("ctrl-u");
    h.type_text("서다인");
    h.press("tab tab");
    h.type_text("이름 오기");
    h.press("enter");
    h.shows(msg_part("Two mails will arrive")).await;
    agrees(&mut h, "1").await;
    h.shows(msg_part("to revoke when issued 1")).await;
}

#[tokio::test]
async fn badges_that_end_are_issued_again() {
    let mut h = live(small(), |session| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
    })
    .await;
    let insert = vec![RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: "남궁 민".into(),
        recipient_email: "min.ng@example.com".into(),
        minutes_ago: 60 * 24 * (730 - 9),
        ..RowSpec::default()
    }];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } } down enter");
    h.shows(msg_part("expiring within 30 days")).await;
    h.settled().await;
    h.press("i");
    h.settled().await;
    if !h.screen().contains(msg_part("Nothing is sent until you confirm. ")) {
        // What is not planned was said first.
        h.press("i");
    }
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    let screen = h.settled().await;
    let line = screen.lines().find(|line| line.contains(" request")).expect("what is sent");
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("row")).expect("a number");
    agrees_to_draft(&mut h, words[at - 1]).await;
    h.shows(msg("waiting")).await;
    assert_eq!(h.sandbox.control().ledger().accepted_for("TPL-004", "min.ng@example.com"), 1);
}

/// Issues to some people in LIVE.
async fn issued(h: &mut Harness, n: usize) {
    people(h, 0..n).await;
    h.confirm_draft(&format!("{n} {SHORT}")).await;
    h.shows(msg("Problem")).await;
}

#[tokio::test]
async fn a_job_that_goes_on() {
    let by_one = |session: &mut ProfileSession| {
        session.jobs.batch = 2;
        session.jobs.in_flight = 1;
        // A refusal is proven at once.
        session.jobs.absence_after = jiff::SignedDuration::ZERO;
    };
    let mut h = live(Options { quota: Some(3), ..small() }, by_one).await;
    issued(&mut h, 5).await;
    h.shows(msg_part("not sent 3 · waiting 2")).await;
    h.settled().await;
    h.press("R u");
    let screen = h.shows(msg_part("lapel sends ever smaller requests")).await;
    assert!(
        screen.contains("LIVE 연습용 기관") && screen.contains(&msg_with("{n} rows to send", &[&3])),
        "{screen}"
    );
    agrees(&mut h, "3").await;
    h.shows(msg_part("not sent 2 · waiting 3")).await;
    h.sandbox.control().set_quota(None);
    h.settled().await;
    h.press("R r");
    h.shows(msg_part("resumes with the rows not sent yet")).await;
    h.press("esc");
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 3, "esc leaves it as it is");
    h.press("R r");
    h.shows(msg_part("resumes with the rows not sent yet")).await;
    agrees(&mut h, "2").await;
    h.shows("waiting 5 = 5").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 5);
}

#[tokio::test]
async fn what_the_service_has_refused() {
    let mut h = live(small(), |_| {}).await;
    h.sandbox.control().add_fault("post /badges/batch status=400 times=1").expect("a rule");
    issued(&mut h, 2).await;
    h.shows("refused 2 = 2").await;
    h.settled().await;
    h.press("R t");
    h.shows(msg_part("lapel sends the refused rows again")).await;
    agrees(&mut h, "2").await;
    h.shows("waiting 2 = 2").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 2);
}

#[tokio::test]
async fn what_was_never_seen() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = live(options, |_| {}).await;
    h.settled().await;
    h.sandbox.control().add_fault("post /badges/batch drop times=1").expect("a rule");
    issued(&mut h, 2).await;
    h.shows(msg_part("This badge may exist")).await;
    h.press("enter");
    h.shows(msg_part("row 1 of 2")).await;
    h.sandbox.control().advance(Duration::from_secs(27 * 3600));
    h.press("r");
    h.shows("▲ never seen").await;
    h.settled().await;
    h.press("d");
    h.shows(msg("send again")).await;
    h.press("enter");
    h.type_text("담당자에게 확인함");
    h.press("enter");
    let screen = h.shows(msg_part("There may then be two badges")).await;
    assert!(screen.contains(msg_part("1 row to send")), "{screen}");
    agrees(&mut h, "1").await;
    h.shows(msg_part("1 never seen · 1 waiting")).await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 1);
}

#[tokio::test]
async fn without_a_label_the_name_of_the_profile_is_typed_and_long_names_fit() {
    let mut h = live(small(), |session| session.organisation = None).await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains(&asks("1 demo")), "{screen}");
    let long = "달무리대학교 평생교육원 디지털 역량 인증 운영 지원 센터 부설 배지 발급 관리 사무국 제이 분원";
    let mut h = live(small(), |session| session.organisation = Some(long.to_owned())).await;
    people(&mut h, 0..3).await;
    h.press("enter");
    let screen = h.screen();
    let shown: String = screen.split(|c: char| c.is_whitespace() || c == '│').collect();
    assert!(
        shown.contains(&long.split_whitespace().collect::<String>()),
        "all of it is to be read: {screen}"
    );
    assert!(screen.contains(&asks("3 달무리")) && screen.contains(msg_part("3 badges")), "{screen}");
    h.confirm(&format!("3 {long}"));
    h.shows("waiting 3 = 3").await;
}

#[tokio::test]
async fn outside_live_nobody_is_asked_whose_it_is() {
    let mut h = Harness::with(small(), 80, 24, |mut session| {
        session.environment = Environment::Staging;
        session
    })
    .await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
}

#[tokio::test]
async fn a_read_only_profile_is_asked_nothing() {
    let mut h = live(small(), |session| session.connection.read_only = true).await;
    h.settled().await;
    h.press("i 5 R t u x");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("and press")), "{screen}");
    assert_eq!(posts(&h), 0);
}
