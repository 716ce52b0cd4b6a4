//! Actions with consequences: forms, reviews, confirmations and results.

use super::*;
use crate::common::texts::{asks, msg, msg_part, msg_with};

#[tokio::test]
async fn someone_who_was_sent_the_badge_a_moment_ago_is_named_even_if_the_service_hides_it() {
    let options = Options {
        switches: vec![
            ("waiting-history".into(), "hidden".into()),
            ("waiting-detail".into(), "hidden".into()),
        ],
        ..small()
    };
    let mut h = Harness::new(options, 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    let screen = to_review(&mut h, "홍길동", "Gildong@naru.example").await;
    assert!(screen.contains(msg_part("lapel already sent this badge to this e-mail (waiting).")), "{screen}");
    h.confirm("");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges"), 1, "Enter alone is never enough");
}

#[tokio::test]
async fn what_cannot_be_seen_is_not_confirmed() {
    let mut h = Harness::new(small(), 80, 24).await;
    to_review(&mut h, &"긴이름".repeat(200), "gildong@naru.example").await;
    h.tui.app.update(Message::Resize(50, 10));
    h.confirm("1");
    h.tui.app.update(Message::Resize(60, 16));
    h.tui.surface.resize(60, 16);
    let screen = h.settled().await;
    assert!(screen.contains("gildong@naru.example") && screen.contains(&asks("1")), "{screen}");
    assert_eq!(requests(&h, "POST /badges"), 0);
}

#[tokio::test]
async fn a_request_that_waits_for_its_turn_can_be_given_up() {
    let mut h = Harness::new(held(), 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.sandbox.control().add_fault("any status=429 retry-after=3600 times=1").expect("a rule");
    h.confirm("1");
    h.shows(msg_part("sending 1")).await;
    h.shows(msg_part("▲ wait ")).await;
    h.press("R c");
    let screen = h.shows(msg_part("Cancel the rest of job")).await;
    assert!(
        super::narrow::flat(&screen.replace('│', " "))
            .contains(msg_part("cancels requests that wait for their turn")),
        "{screen}"
    );
    h.confirm("1");
    h.shows("skipped 1").await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

/// Opens the issue form on the first template in use and fills it in, up to the review.
pub async fn to_review(h: &mut Harness, name: &str, email: &str) -> String {
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text(name);
    h.press("enter");
    h.type_text(email);
    h.press("enter");
    h.settled().await
}

#[tokio::test]
async fn a_badge_is_issued_once_and_followed_until_it_is_issued() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains(&asks("1")), "{screen}");
    assert!(screen.contains("gildong@naru.example"), "{screen}");
    assert!(screen.contains("DEMO 연습용 기관"), "{screen}");
    // Neither Enter nor the key that opened the form, nor a paste, confirms.
    h.press("enter i");
    h.tui.app.update(Message::Paste("y".into()));
    h.settled().await;
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
    h.confirm("1");
    let screen = h.shows(msg_part("accepted, not issued yet")).await;
    assert!(screen.contains("waiting 1"), "{screen}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 1);
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    h.shows(msg_part("● issued")).await;
    h.shows(msg("service state")).await;
    // The row may be read before the change of the job arrives.
    h.shows(msg_part("issued 1 = 1")).await;
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn the_form_checks_as_one_types_and_warns_before_spending_quota() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.press("/");
    h.type_text("정보화");
    h.settled().await;
    h.press("esc");
    let screen = to_review(&mut h, "홍길동", "gildong@gmial.example").await;
    assert!(screen.contains(msg("not in use")), "{screen}");
    assert!(screen.contains(msg_part("already be expired")), "{screen}");
    assert!(screen.contains(msg_part("did you mean gmail.example?")), "{screen}");
    h.press("esc ctrl-u");
    h.type_text("nobody");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg("the e-mail address has no @")), "{screen}");
    assert!(!screen.contains(msg_part("y to issue")), "{screen}");
}

#[tokio::test]
async fn someone_who_has_the_badge_already_is_named_in_the_review() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = h.settled().await;
    let rows = Rows {
        insert: (1..=40)
            .map(|n| RowSpec {
                template_id: format!("TPL-{n:03}"),
                recipient_email: "Holder@naru.example".into(),
                ..RowSpec::default()
            })
            .collect(),
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    assert!(screen.contains(msg("Templates")));
    let screen = to_review(&mut h, "한번더", "holder@naru.example").await;
    assert!(screen.contains(msg_part("this e-mail already has 1 badge of this template")), "{screen}");
}

#[tokio::test]
async fn a_lost_answer_is_a_doubt_that_is_looked_at_and_never_sent_again() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.sandbox.control().add_fault("post /badges commit-drop times=1").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    // The row and the counts are read one after the other.
    let screen = h
        .until("the doubt, in words and counted", |s| {
            s.contains(msg_part("This badge may exist")) && s.contains(&format!("{} 1 = 1", msg("in doubt")))
        })
        .await;
    // The window of 26 hours, by the service's clock.
    assert!(
        screen.contains(msg_part("until 11-22 12:00, and does not send it again meanwhile.")),
        "{screen}"
    );
    h.press("r");
    let screen = h.shows("waiting 1").await;
    assert!(!screen.contains(msg("in doubt")), "{screen}");
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.accepted_total(), 1);
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn a_doubt_stays_one_while_waiting_badges_are_hidden() {
    let options = Options { switches: vec![("waiting-history".into(), "hidden".into())], ..small() };
    let mut h = Harness::new(options, 80, 24).await;
    h.sandbox.control().add_fault("post /badges commit-drop times=1").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("in doubt 1").await;
    let before = requests(&h, "GET /badges/history");
    h.press("r");
    h.until("another look", |_| true).await;
    while requests(&h, "GET /badges/history") == before {
        let message = h.tui.next().await;
        h.tui.app.update(message);
    }
    assert!(h.screen().contains(&format!("{} 1", msg("in doubt"))));
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.press("r");
    h.shows(msg_part("issued 1")).await;
    assert_eq!(requests(&h, "POST /badges"), 1);
}

#[tokio::test]
async fn a_used_up_quota_is_told_in_the_services_words() {
    let mut h = Harness::new(Options { quota: Some(0), ..small() }, 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    let screen = h.shows("not sent: quota exceeded").await;
    assert!(screen.contains("422"), "{screen}");
    assert_eq!(h.sandbox.control().ledger().accepted_total(), 0);
}

/// Inserts one badge of each state for an address and marks them all in the history.
async fn mark_one_of_each(h: &mut Harness) {
    use lapel::sandbox::RowState::{Issued, Revoked, Waiting};
    let row = |state, name: &str| RowSpec {
        state,
        recipient_name: name.into(),
        recipient_email: "mixed@naru.example".into(),
        ..RowSpec::default()
    };
    let rows = Rows {
        insert: vec![
            row(Issued, "가나다"),
            row(Issued, "라마바"),
            row(Waiting, "사아자"),
            row(Revoked, "차카타"),
        ],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("mixed@naru.example");
    h.settled().await;
    h.press("esc a");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{marked} marked", &[&4])), "{screen}");
}

#[tokio::test]
async fn a_revocation_says_before_what_is_left_out_and_after_what_was_accepted() {
    let mut h = Harness::new(small(), 100, 30).await;
    mark_one_of_each(&mut h).await;
    h.press("x");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Revoke 2 badges")), "{screen}");
    assert!(screen.contains(msg("skipped: cannot be revoked before it is Issued")), "{screen}");
    assert!(screen.contains(msg("skipped: already revoked")), "{screen}");
    h.press("enter");
    assert!(h.screen().contains(msg_part("the reason is empty")));
    h.type_text("중복 발급");
    h.press("enter");
    // The number is typed, exactly; Enter alone does nothing.
    h.confirm("");
    h.confirm("22");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges/revoke"), 0);
    h.press("backspace");
    h.confirm("");
    let screen = h.shows("revoking 2 · skipped 2 = 4").await;
    assert!(screen.contains(msg_part("revoke 중복 발급")), "{screen}");
    h.sandbox.control().advance(std::time::Duration::from_secs(3600));
    h.press("r");
    h.shows(msg_part("revoked 2")).await;
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.revokes.iter().map(|r| r.accepted).sum::<u64>(), 2);
    assert_eq!(
        ledger.revokes.iter().map(|r| r.dropped).sum::<u64>(),
        0,
        "only what could be accepted was sent"
    );
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("2 marked")), "what was dealt with is not marked any more");
}

#[tokio::test]
async fn a_badge_that_somebody_else_revokes_meanwhile_is_told_apart() {
    let mut h = Harness::new(small(), 100, 30).await;
    mark_one_of_each(&mut h).await;
    // Somebody else revokes one of them between the look and the request.
    let id = h.tui.app.marked();
    let key = h.sandbox.api_key().to_owned();
    let client =
        reqwest::Client::builder().no_proxy().tls_certs_only(std::iter::empty()).build().expect("a client");
    let list: serde_json::Value = client
        .get(format!("{}/badges/history?recipient_name=%EA%B0%80%EB%82%98%EB%8B%A4", h.sandbox.base_url()))
        .header("X-API-Key", &key)
        .send()
        .await
        .expect("answered")
        .bytes()
        .await
        .map(|b| serde_json::from_slice(&b).expect("JSON"))
        .expect("a body");
    let first = list["data"]["list"][0]["badge_id"].as_str().expect("an id").to_owned();
    assert!(id.contains(&first));
    let body = serde_json::json!({"badge_ids": [first], "reason": "elsewhere"}).to_string();
    let answered = client
        .post(format!("{}/badges/revoke", h.sandbox.base_url()))
        .header("X-API-Key", &key)
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await
        .expect("answered");
    assert_eq!(answered.status(), 202);
    h.press("x");
    h.type_text("중복 발급");
    h.press("enter");
    h.confirm("2");
    // It is being revoked, though not by this request: what counts is that nothing is left unsaid.
    let screen = h.shows("revoking 2 · skipped 2 = 4").await;
    assert!(screen.contains(msg_part("1 of 2 accepted")), "{screen}");
}

#[tokio::test]
async fn a_dropped_badge_is_found_by_name() {
    let mut h = Harness::new(small(), 100, 30).await;
    // A label that lapel does not know hides that the badge only waits: it is sent, and silently left out.
    let rows = Rows {
        insert: vec![
            RowSpec {
                recipient_name: "가나다".into(),
                recipient_email: "odd@naru.example".into(),
                ..RowSpec::default()
            },
            RowSpec {
                recipient_name: "라마바".into(),
                recipient_email: "odd@naru.example".into(),
                label: Some("심사중".into()),
                ..RowSpec::default()
            },
        ],
        ..Rows::default()
    };
    h.sandbox.control().rows(&rows).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("odd@naru.example");
    h.settled().await;
    h.press("esc a x");
    let screen = h.settled().await;
    assert!(screen.contains(msg("will be sent: unknown state, the service decides")), "{screen}");
    h.type_text("중복 발급");
    h.press("enter");
    h.confirm("2");
    h.shows("revoking 1").await;
    // One look is not enough: the service may not have acted yet.
    for _ in 0..2 {
        h.sandbox.control().advance(std::time::Duration::from_secs(600));
        h.press("r");
        h.settled().await;
    }
    let screen = h
        .until("which one, and why", |s| s.contains(msg_part("▲ not accepted")) && s.contains("심사중"))
        .await;
    assert!(screen.contains(msg_part("1 not accepted")), "{screen}");
    // It can be revoked again, so the file has it.
    assert!(screen.contains("save 1 row to correct it"), "{screen}");
}

#[tokio::test]
async fn a_read_only_profile_cannot_act() {
    let mut h = Harness::with(small(), 120, 36, |mut session| {
        session.connection.read_only = true;
        session
    })
    .await;
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains(msg("read-only")), "{screen}");
    assert!(!screen.contains(msg("revoke")), "{screen}");
    h.press("x");
    assert!(h.screen().contains(msg_part("it cannot issue or revoke")));
    h.press("1 i ? ");
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("issue this badge")), "{screen}");
    let posts: u64 = h
        .sandbox
        .control()
        .ledger()
        .requests
        .iter()
        .filter(|(k, _)| k.starts_with("POST"))
        .map(|(_, n)| n)
        .sum();
    assert_eq!(posts, 0);
}

/// Letters and Enter, in everything that prepares sending: forms, drafts and their confirmations.
#[tokio::test]
async fn no_letter_and_no_enter_sends_anything() {
    // K would change the language of every test in this process.
    let letters = || ('a'..='z').chain('A'..='J').chain('L'..='Z').chain(['ㅛ', 'ㅏ', '가', ' ']);
    let storm = |h: &mut Harness| {
        for letter in letters() {
            h.type_text(&letter.to_string());
            h.press("enter");
        }
    };
    let mut h = Harness::new(small(), 80, 24).await;
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    storm(&mut h);
    h.press("esc esc");
    super::activity::people(&mut h, 0..3).await;
    storm(&mut h);
    h.settled().await;
    storm(&mut h);
    h.press("esc esc esc esc");
    mark_one_of_each(&mut h).await;
    h.press("x");
    h.settled().await;
    storm(&mut h);
    h.settled().await;
    let posts = h.sandbox.control().ledger().requests;
    let posts: Vec<_> =
        posts.keys().filter(|what| what.starts_with("POST") || what.starts_with("DELETE")).collect();
    assert!(posts.is_empty(), "{posts:?}: {}", h.screen());
}

#[tokio::test]
async fn live_always_asks_for_the_number() {
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session.environment = Environment::Live;
        session
    })
    .await;
    let screen = to_review(&mut h, "홍길동", "gildong@naru.example").await;
    assert!(screen.contains("LIVE"), "{screen}");
    h.confirm("");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges"), 0);
    h.confirm("1");
    h.settled().await;
    assert_eq!(requests(&h, "POST /badges"), 0, "the number alone sends nothing");
}

#[tokio::test]
async fn quitting_while_a_request_is_on_its_way_asks_first() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.sandbox.control().add_fault("post /badges hold").expect("a rule");
    to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows(msg_part("sending 1")).await;
    h.press("ctrl-c");
    assert!(h.tui.app.take_loop_command().is_none());
    let screen = h.screen();
    assert!(screen.contains(msg_part("lapel is sending. Quit again to leave")), "{screen}");
    assert!(screen.contains(msg_part("sends nothing more")), "{screen}");
    // A file that is being written is named too, with what happens to it.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.csv");
    std::fs::write(&path, "before").expect("written");
    h.press("2");
    h.shows(msg_part("row 1 of 600")).await;
    h.sandbox.control().add_fault("get /badges/history hold after=1").expect("a rule");
    h.press("e ctrl-u");
    h.type_text(path.to_str().expect("UTF-8"));
    h.press("enter");
    h.shows(msg_part("A file with this name already")).await;
    h.confirm("1");
    h.shows(msg_part("of 600 rows")).await;
    h.press("ctrl-o q");
    let screen = h.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains(msg_part("all.csv: quitting cancels the export.")), "{screen}");
    assert!(
        screen.contains(msg("The existing file stays unchanged."))
            && screen.contains(msg("The demo's jobs end with the demo.")),
        "{screen}"
    );
    h.press("ctrl-c");
    assert!(h.tui.app.take_loop_command().is_some());
}
