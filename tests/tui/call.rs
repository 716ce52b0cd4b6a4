//! The support call: each of the twelve questions that callers have is answered on one screen of 80x24, without
//! pictures, in at most five requests.

use super::copy_log_refresh::copied;
use super::*;
use crate::common::texts::{msg, msg_part};

/// Answers a call: what the caller gives is pasted into the box. Gives the screen and how many requests it took.
async fn answer(h: &mut Harness, given: &str) -> (String, u64) {
    h.settled().await;
    let before = all_requests(h);
    h.press("3");
    h.paste(given);
    h.press("enter");
    let screen = h.settled().await;
    (screen, all_requests(h) - before)
}

async fn asked(given: &str) -> (Harness, String, u64) {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let (screen, requests) = answer(&mut h, given).await;
    (h, screen, requests)
}

/// The words of the screen, however they are broken into lines.
fn flowing(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the screen says all of this, however it is broken into lines.
fn says(screen: &str, all: &[&str]) {
    let flowing = flowing(screen);
    for said in all {
        assert!(flowing.contains(said), "{said:?} is missing:\n{screen}");
    }
    assert!(!screen.contains(msg_part("more lines")), "not on one screen:\n{screen}");
}

fn insert(h: &Harness, rows: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

#[tokio::test]
async fn call_1_i_did_not_get_my_badge_mail() {
    let (_, screen, requests) = asked("mailto:seoyun.han@naru.example").await;
    says(
        &screen,
        &[
            "WAITING 42 min usually 5 min to 24 h",
            "accepted today at 09:18",
            "Issuing usually takes 5 minutes to 24 hours",
        ],
    );
    assert_eq!(requests, 2);
    let (_, screen, requests) = asked("\"jiho.oh@naru.example\"").await;
    says(&screen, &["OVERDUE 31 h", "by 2026-11-21 03:00", "provider's help desk with the badge id"]);
    assert_eq!(requests, 2);
    let (_, screen, requests) = asked("문채원 <chaewon.moon@strictgate.example>").await;
    says(
        &screen,
        &[
            "VALID",
            "mail “FAIL” (the service's word), to chaewon.moon@strictgate.example",
            "letter by letter",
            "others at strictgate.example",
            "mail it again",
        ],
    );
    assert_eq!(requests, 2);
    let (_, screen, requests) = asked("hong.c@naru.example").await;
    says(&screen, &["mail SENT to hong.c@naru.example", "the spam folder", "prove delivery"]);
    assert_eq!(requests, 2);
}

#[tokio::test]
async fn call_2_it_is_not_in_my_wallet() {
    let (_, screen, requests) = asked("[seoyun.han@naru.example]").await;
    says(
        &screen,
        &[
            "1 badge in the history, none in the wallet",
            "not in the wallet",
            "Issuing usually takes 5 minutes to 24 hours",
        ],
    );
    assert_eq!(requests, 2);
}

#[tokio::test]
async fn call_3_it_says_expired() {
    let (_, screen, requests) = asked("lea@example.org").await;
    says(
        &screen,
        &["EXPIRED 12 d", "It expired on 2026-11-09", "A renewal is a new badge", "Not possible extend it"],
    );
    assert_eq!(requests, 2);
    let (_, screen, _) = asked("min.ng@example.com").await;
    says(&screen, &["VALID until 2026-11-30", "expires in 9 d"]);
}

#[tokio::test]
async fn call_4_the_name_on_it_is_wrong() {
    let (_, screen, requests) = asked("dain.seo@naru.example").await;
    says(
        &screen,
        &[
            "name on badge: 서다안",
            "template TPL-009",
            "Pass on this id and the right spelling",
            "2 names share",
        ],
    );
    assert_eq!(requests, 2);
}

#[tokio::test]
async fn call_5_the_address_is_wrong() {
    let (_, screen, requests) = asked("eunwoo@gmial.example").await;
    says(
        &screen,
        &[
            "Did they mean gmail.example?",
            "Wrong name or address? Pass on",
            "Only the issuer can issue a corrected badge",
            "move it elsewhere",
        ],
    );
    assert_eq!(requests, 3, "one for the domain that they may have meant");
}

#[tokio::test]
async fn call_6_an_employer_says_that_it_is_revoked() {
    let (mut h, screen, requests) = asked("haneul.lim@example.net").await;
    says(&screen, &["VALID", "is revoked. “Revoked” refers to that copy, not to this one"]);
    assert_eq!(requests, 2);
    let before = all_requests(&h);
    h.press("j");
    let screen = h.settled().await;
    says(
        &screen,
        &[
            "REVOKED 2026-09-23",
            "중복 발급",
            "Another copy of the same badge is valid: badge id B-",
            "Give them that id",
        ],
    );
    assert_eq!(all_requests(&h) - before, 1, "the reason, once");
    h.press("k j");
    h.settled().await;
    assert_eq!(all_requests(&h) - before, 1);
    let (_, screen, requests) = asked("taeo.yoon@bluewhale.example").await;
    says(
        &screen,
        &["응시 부정행위 확인", "Read out the whole reason word for word", "Not possible undo a revocation"],
    );
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn call_7_is_this_badge_real() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let row = RowSpec {
        recipient_name: "나만봄".into(),
        recipient_email: "someone@example.org".into(),
        ..RowSpec::default()
    };
    let ids = insert(&h, vec![row.clone(), RowSpec { minutes_ago: 90, ..row }]);
    let (screen, requests) = answer(&mut h, &format!(" <{}>\n", ids[0])).await;
    says(
        &screen,
        &[
            "The record of one badge",
            &format!("id {}", ids[0]),
            "VALID",
            "name on badge: 나***",
            "To an employer: this is the issuer's record for this id",
            "Confirm neither name nor address",
            "verify its signature",
        ],
    );
    for hidden in [
        "나만봄",
        "someone",
        msg_part("mail SENT"),
        msg_part("letter by letter"),
        msg_part("in the wallet"),
        &ids[1],
    ] {
        assert!(!screen.contains(hidden), "{hidden}:\n{screen}");
    }
    assert_eq!(requests, 1);
    // Nothing that would show the holder is offered, and reading again shows no more.
    for keys in ["J", "x", "p", "t", "o", "e"] {
        h.press(keys);
        let screen = h.settled().await;
        assert!(
            screen.contains(msg_part("name on badge: 나***")) && !screen.contains("나만봄"),
            "{keys}:\n{screen}"
        );
    }
    h.press("r");
    assert!(!h.settled().await.contains("나만봄"), "{}", h.screen());
    h.press("Y");
    let text = copied(&mut h);
    assert!(text.contains(&ids[0]) && text.contains("나***"), "{text}");
    for hidden in ["나만봄", "someone", "mail", "Mail"] {
        assert!(!text.contains(hidden), "{text}");
    }
    // The wallet is opened by a key, which is written down.
    h.press("enter");
    let screen = h.settled().await;
    says(&screen, &["나만봄 · 2 badges in the wallet", "mail SENT to someone@example.org"]);
    h.press("r");
    says(&h.settled().await, &["나만봄 · 2 badges in the wallet"]);
    let mut h = h.reopened(|session| session, 80, 24).await;
    let (screen, requests) = answer(&mut h, "DMU-2026-999999").await;
    says(
        &screen,
        &[
            "No badge has the id “DMU-2026-999999”",
            "If this is a certificate number",
            "there is no index here",
        ],
    );
    assert_eq!(requests, 1, "a number is not searched as a name");
}

#[tokio::test]
async fn call_8_i_got_it_twice() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let twin = |minutes_ago| RowSpec {
        recipient_name: "두번 받은이".into(),
        recipient_email: "twice@naru.example".into(),
        minutes_ago,
        ..RowSpec::default()
    };
    insert(&h, vec![twin(90), twin(60)]);
    let (screen, requests) = answer(&mut h, "twice@naru.example").await;
    says(&screen, &["They have 2 valid copies; this is the newest", "This does no harm", "can revoke one"]);
    assert_eq!(requests, 2);
    h.press("j");
    says(&h.settled().await, &["is the newest"]);
}

#[tokio::test]
async fn call_9_it_has_disappeared() {
    let options = Options { switches: vec![("wallet-revoked".into(), "hidden".into())], ..frozen() };
    let mut h = Harness::new(options, 80, 24).await;
    let (screen, requests) = answer(&mut h, "taeo.yoon@bluewhale.example").await;
    says(&screen, &["REVOKED", "The wallet does not show it: a revocation is recorded", "not in the wallet"]);
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn call_10_when_will_it_arrive() {
    let (_, screen, requests) = asked("seoyun.han@naru.example").await;
    says(
        &screen,
        &[
            "accepted 2026-11-21 09:18 (42 min ago)",
            "24 h after acceptance: 2026-11-22 09:18",
            "Not possible speed it up, promise a time",
        ],
    );
    assert_eq!(requests, 2);
}

#[tokio::test]
async fn call_11_someone_elses_badge_is_in_my_wallet() {
    let (_, screen, requests) = asked("safety@moondeck.example").await;
    says(
        &screen,
        &[
            "and 13 other names",
            "14 names share this e-mail address: first ask which",
            "is not an error",
            "Not possible",
        ],
    );
    assert_eq!(requests, 2);
}

#[tokio::test]
async fn call_12_the_picture_does_not_open() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let row = RowSpec {
        template_id: "TPL-029".into(),
        recipient_email: "no.picture@example.org".into(),
        ..RowSpec::default()
    };
    insert(&h, vec![row]);
    let (_, requests) = answer(&mut h, "no.picture@example.org").await;
    assert_eq!(requests, 2);
    h.press("t p");
    let screen = h.settled().await;
    says(&screen, &["Front not found (HTTP 404)", "Back opens (image/png)", "4 requests"]);
    assert_eq!(h.sandbox.control().ledger().violations.key_outside_api, 0, "nobody's browser has the key");
}

#[tokio::test]
async fn a_name_that_one_address_has_opens_it_and_one_that_two_have_asks_first() {
    let (_, screen, requests) = asked("  한서윤 ").await;
    says(&screen, &["WAITING 42 min", "3 requests"]);
    assert_eq!(requests, 3);
    let (mut h, screen, requests) = asked("김민준").await;
    says(&screen, &["2 addresses have the name “김민준”", "Different people can share a name"]);
    assert!(screen.contains("m***@naru.example") && screen.contains("m***@example.com"), "{screen}");
    assert!(!screen.contains("minjun.kim@") && !screen.contains("mj.kim@"), "{screen}");
    assert_eq!(requests, 1);
    h.press("j enter");
    let screen = h.settled().await;
    says(&screen, &["2 addresses have this name; they may be different people", "3 requests"]);
    h.press("esc");
    let screen = h.settled().await;
    says(&screen, &["2 addresses have the name"]);
    assert!(!screen.contains(".kim@"), "masked again: {screen}");
}

#[tokio::test]
async fn a_name_that_is_typed_after_an_address_had_nothing_is_its_callers() {
    let mut h = Harness::new(small(), 100, 30).await;
    let row = |email: &str| RowSpec {
        recipient_name: "나름이".into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    insert(&h, vec![row("na.rm@hanmial.example"), row("other@example.org")]);
    h.sandbox.control().add_fault("get /badges/history status=404 match=hanmial times=1").expect("a rule");
    answer(&mut h, "na.rm@hanmail.example").await;
    let (screen, _) = answer(&mut h, "나름이").await;
    says(&screen, &["2 addresses have the name"]);
    let first = screen.lines().find(|l| l.contains("***@")).expect("a match");
    assert!(first.contains("n***@hanmial.example") && first.contains(msg("similar domain")), "{screen}");
}

#[tokio::test]
async fn what_was_given_by_its_id_is_no_part_of_another_holders_wallet() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |email: &str| RowSpec {
        recipient_name: "나름이".into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    let ids = insert(&h, vec![row("na.rm@hanmail.example"), row("na.rm@hanmial.example")]);
    let (screen, _) = answer(&mut h, &ids[0]).await;
    says(&screen, &["To an employer"]);
    h.press("enter");
    says(&h.settled().await, &["To an employer", "1 badge in the wallet"]);
    h.press("+");
    h.settled().await;
    h.press("enter");
    let screen = h.settled().await;
    says(&screen, &["1 badge in the wallet", &format!("id {}", ids[1])]);
    assert!(!screen.contains(msg_part("To an employer")), "{screen}");
    h.press("r");
    says(&h.settled().await, &["1 badge in the wallet", &format!("id {}", ids[1])]);
    h.press("esc esc");
    says(&h.settled().await, &[&format!("id {}", ids[0]), "To an employer"]);
}

#[tokio::test]
async fn a_common_name_stops_at_its_first_page_and_asks_for_more() {
    let mut h = Harness::new(small(), 80, 24).await;
    let rows = (0..200)
        .map(|n| RowSpec {
            recipient_name: "나공통".into(),
            recipient_email: format!("common{n}@naru.example"),
            ..RowSpec::default()
        })
        .collect();
    insert(&h, rows);
    let (screen, requests) = answer(&mut h, "나공통").await;
    says(
        &screen,
        &["100 addresses have the name", "Only the first 100 of 200 rows were read. Ask for the full name"],
    );
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn an_id_that_is_a_name_and_a_name_that_is_an_id_are_found() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let row = |name: &str| RowSpec {
        recipient_name: name.into(),
        recipient_email: "agent@naru.example".into(),
        ..RowSpec::default()
    };
    insert(&h, vec![row("Agent-007")]);
    let (screen, requests) = answer(&mut h, "Agent-007").await;
    says(&screen, &["name on badge: Agent-007", "5 requests"]);
    assert_eq!(requests, 5);
    let (screen, requests) = answer(&mut h, "Zzyzx").await;
    says(&screen, &["No badge has the name or the id “Zzyzx”"]);
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn without_a_badge_at_an_address_others_are_read_in_five_requests_at_most() {
    let options = Options { switches: vec![("email-match".into(), "partial".into())], ..frozen() };
    let mut h = Harness::new(options, 80, 24).await;
    let row = |name: &str, email: &str| RowSpec {
        recipient_name: name.into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    insert(
        &h,
        vec![
            row("김민수", "kim.ms@gmial.example"),
            row("김민수", "kim.ms@gmial.example"),
            row("김민수", "minsu@moonfern.example"),
            row("Stranger", "ann.kim.ms@moonfern.example"),
            row("박길동", "kim.ms@naru.example"),
        ],
    );
    let (screen, requests) = answer(&mut h, "김민수 <Kim.MS@gmail.example>").await;
    assert_eq!(requests, 2 + 3);
    says(&screen, &["2 possible", "These are only possible matches", "5 requests"]);
    h.press("+");
    let screen = h.settled().await;
    says(&screen, &["3 possible", "7 requests"]);
    let rows: Vec<&str> = screen.lines().filter(|l| l.contains("***@")).collect();
    assert_eq!(rows.len(), 3, "{screen}");
    assert!(rows[0].contains("k***@gmial.example") && rows[0].contains(msg_part("2 badges")), "{screen}");
    assert!(rows[1].contains("m***@moonfern.example"), "{screen}");
    assert!(rows[2].contains("k***@naru.example") && rows[2].contains("박***"), "{screen}");
    assert!(!screen.contains("kim.ms@gmial") && !screen.contains("Stranger"), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    says(&screen, &["김민수 · 2 badges in the wallet", "Did they mean gmail.example?"]);
    h.press("esc");
    says(&h.settled().await, &["3 possible"]);
}

#[tokio::test]
async fn the_right_address_of_a_mistyped_one_is_found_on_request() {
    let (mut h, screen, _) = asked("eunwoo@gmail.example").await;
    says(&screen, &["배은우 · 1 badge in the wallet"]);
    let before = all_requests(&h);
    h.press("+");
    let screen = h.settled().await;
    says(&screen, &["1 possible match for eunwoo@gmail.example", "e***@gmial.example", "배은우"]);
    assert!(all_requests(&h) - before <= 5);
    h.press("esc");
    says(&h.settled().await, &["배은우 · 1 badge in the wallet", "VALID"]);
}

#[tokio::test]
async fn a_case_that_the_service_minds_is_found_in_other_letters() {
    let switches = [("wallet-case", "sensitive"), ("filter-case", "sensitive")];
    let switches = switches.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut h = Harness::new(Options { switches, ..small() }, 80, 24).await;
    insert(&h, vec![RowSpec { recipient_email: "case@naru.example".into(), ..RowSpec::default() }]);
    let (screen, _) = answer(&mut h, "CASE@naru.example").await;
    says(&screen, &["1 possible match", "case@naru.example", "other spelling"]);
    h.press("enter");
    says(&h.settled().await, &["1 badge in the wallet"]);
}

#[tokio::test]
async fn a_call_can_be_drawn_at_any_size() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |name: &str, email: &str| RowSpec {
        recipient_name: name.into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    let long = format!("{}@naru.example", "a\u{202e}B".repeat(80));
    insert(
        &h,
        vec![
            row("\u{1b}[2J\u{3164}", &long),
            row("나름이", "x@naru.example"),
            row("나름이", "y@naru.example"),
        ],
    );
    for given in ["safety@moondeck.example", "나름이", "nobody@gmail.example", "\u{1b}[2J", "DMU-1"] {
        answer(&mut h, given).await;
        for keys in ["", "enter", "+", "p", "t", "esc"] {
            h.press(keys);
            h.settled().await;
            for (columns, rows) in
                [(1, 1), (300, 100), (60, 16), (61, 17), (120, 16), (119, 60), (3, 80), (80, 24)]
            {
                h.tui.surface.resize(columns, rows);
                h.tui.app.update(Message::Resize(columns, rows));
                let shown = h.screen();
                assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
            }
        }
    }
}

#[tokio::test]
async fn upper_case_and_hidden_letters_of_an_address_stand_out() {
    let mut h = Harness::new(small(), 80, 24).await;
    insert(&h, vec![RowSpec { recipient_email: "Minsu.KIM@naru.example".into(), ..RowSpec::default() }]);
    let (screen, _) = answer(&mut h, "minsu.kim@naru.example").await;
    says(&screen, &["mail SENT to Minsu.KIM@naru.example upper-case letters", "to Minsu.KIM@naru.example"]);
    let marked = |h: &mut Harness, screen: &str, beside: &str| -> String {
        let buffer = h.buffer();
        let y = screen.lines().position(|l| l.contains(beside)).expect("the line of the address");
        let line = screen.lines().nth(y).expect("a line");
        let at = line.find("Minsu").expect("the address");
        let underlined = |x: usize| {
            let cell = &buffer[(u16::try_from(x).expect("small"), u16::try_from(y).expect("small"))];
            cell.modifier.contains(ratatui::style::Modifier::UNDERLINED)
        };
        line[at..at + 22].char_indices().filter(|(i, _)| underlined(at + i)).map(|(_, c)| c).collect()
    };
    assert_eq!(marked(&mut h, &screen, "mail SENT to"), "MKIM");
    h.press("enter");
    let screen = h.settled().await;
    assert_eq!(marked(&mut h, &screen, "the address has upper-case letters"), "MKIM", "{screen}");
}

#[tokio::test]
async fn a_summary_is_copied_with_the_person_masked() {
    let (mut h, _, _) = asked("seoyun.han@naru.example").await;
    h.press("Y");
    assert!(h.screen().contains("summary"), "{}", h.screen());
    let text = copied(&mut h);
    assert!(text.contains(msg_part("WAITING 42 min")) && text.contains("s***@naru.example"), "{text}");
    assert!(!text.contains("한서윤") && !text.contains("seoyun"), "{text}");
    h.press("enter");
    h.settled().await;
    h.press("Y");
    let text = copied(&mut h);
    assert!(text.contains("s***@naru.example") && !text.contains("seoyun"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_searched_is_said_and_the_rest_goes_on() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=500").expect("a rule");
    let (screen, _) = answer(&mut h, "한서윤").await;
    says(&screen, &["The history could not be searched for this name"]);
    let (screen, _) = answer(&mut h, "haneul.lim@example.net").await;
    says(&screen, &["the history could not be read"]);
    assert!(
        !flowing(&screen).contains(msg_part("The wallet does not show it")),
        "one list tells nothing of the other: {screen}"
    );
}

#[tokio::test]
async fn a_look_up_stops_asking_by_itself_at_five_requests() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |n: i64| RowSpec {
        recipient_email: "many@naru.example".into(),
        state: lapel::sandbox::RowState::Revoked,
        minutes_ago: 60 + n,
        ..RowSpec::default()
    };
    insert(&h, (0..8).map(row).collect());
    let (_, requests) = answer(&mut h, "many@naru.example").await;
    assert_eq!(requests, 3);
    // The eight copies are folded.
    h.press("enter");
    let before = all_requests(&h);
    for _ in 0..7 {
        h.press("j");
        h.settled().await;
    }
    assert_eq!(all_requests(&h) - before, 2, "two more reasons, then only on request");
    says(&h.screen(), &["⏎ shows the reason"]);
}

/// On a computer whose zone may be another one than the service's, lapel does not say that nothing is wrong.
#[tokio::test]
async fn where_the_zone_is_not_known_ages_are_told_with_their_doubt() {
    for holder in ["seoyun.han@naru.example", "jiho.oh@naru.example"] {
        let mut h = Harness::with(frozen(), 80, 24, |mut session| {
            session.connection.utc_offset = None;
            session
        })
        .await;
        let (screen, _) = answer(&mut h, holder).await;
        says(&screen, &["set utc_offset in the profile to correct them"]);
        assert!(!flowing(&screen).contains(msg_part("Issuing usually takes 5 minutes")), "{screen}");
    }
}

#[tokio::test]
async fn a_badge_id_that_only_the_journal_knows_is_told_from_it() {
    let switches =
        vec![("waiting-history".into(), "hidden".into()), ("waiting-detail".into(), "hidden".into())];
    let mut h = Harness::new(Options { switches, ..small() }, 80, 24).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    let badge = h.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
    let (screen, _) = answer(&mut h, &badge).await;
    says(&screen, &["sent by lapel at", "in job 1 (waiting); not visible yet"]);
    says(&screen, &["WAITING", "The service does not show this badge yet", "It was requested on 2026-11-21"]);
    for hidden in ["gildong", "홍길동", "spam", "mail"] {
        assert!(!screen.to_lowercase().contains(hidden), "{hidden}:\n{screen}");
    }
    let (screen, _) = answer(&mut h, "B-000000000-XX").await;
    assert!(!screen.contains(msg_part("sent by lapel at")), "{screen}");
}

#[tokio::test]
async fn a_badge_that_only_its_record_has_is_in_neither_list_and_has_the_time_of_its_request() {
    let switches =
        vec![("waiting-history".into(), "hidden".into()), ("wallet-waiting".into(), "hidden".into())];
    let mut h = Harness::new(Options { switches, ..small() }, 120, 36).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    let badge = h.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
    answer(&mut h, &badge).await;
    h.press("enter");
    let screen = h.settled().await;
    says(&screen, &["1 badge in neither list", "It was requested on 2026-11-21"]);
    assert!(!flowing(&screen).contains(msg_part("in the history, none in the wallet")), "{screen}");
}

#[tokio::test]
async fn the_masked_record_masks_the_holder_in_its_reason_too() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let row = RowSpec {
        recipient_name: "김가온별".into(),
        recipient_email: "gaon.byeol@traps.example".into(),
        state: lapel::sandbox::RowState::Revoked,
        reason: "이름 정정: 김가온별 (gaon.byeol@traps.example)".into(),
        ..RowSpec::default()
    };
    let id = insert(&h, vec![row]).remove(0);
    let (screen, _) = answer(&mut h, &id).await;
    says(
        &screen,
        &["REVOKED", "이름 정정: 김***", "Read out the whole reason, but no names and no addresses"],
    );
    h.press("Y");
    let text = copied(&mut h);
    for said in [screen, text] {
        assert!(!said.contains("김가온별") && !said.contains("gaon.byeol"), "{said}");
        assert!(!said.contains(msg_part("word for word")), "{said}");
    }
}

/// As with a full disk.
#[tokio::test]
async fn a_match_is_opened_only_when_the_journal_has_recorded_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_owned();
    let mut h = Harness::with(frozen(), 80, 24, move |session| session.kept_in(place)).await;
    let (screen, _) = answer(&mut h, "김민준").await;
    says(&screen, &["2 addresses have the name “김민준”"]);
    let other = rusqlite::Connection::open(lapel::jobs::Journal::file_in(folder.path())).expect("the file");
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON decision BEGIN SELECT RAISE(ABORT, 'no space'); END";
    other.execute_batch(refuse).expect("a trigger");
    let before = all_requests(&h);
    h.press("j enter");
    let screen = h.settled().await;
    says(
        &screen,
        &["The wallet was not opened because lapel could not record it", "2 addresses have the name"],
    );
    assert!(!screen.contains(".kim@"), "{screen}");
    assert_eq!(all_requests(&h), before, "nothing was read");
    other.execute_batch("DROP TRIGGER refuse").expect("dropped");
    h.press("enter");
    says(&h.settled().await, &["2 addresses have this name; they may be different people"]);
    let all: i64 = other
        .query_row("SELECT count(*) FROM decision WHERE what = 'open a possible match'", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(all, 1);
}

#[tokio::test]
async fn a_badge_that_was_requested_a_day_ago_is_overdue_on_every_screen() {
    let switches = [("waiting-history", "hidden"), ("wallet-waiting", "hidden"), ("issue-time", "never")];
    let switches = switches.map(|(name, value)| (name.into(), value.into())).into();
    let mut h = Harness::new(Options { switches, ..small() }, 120, 36).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    h.sandbox.control().advance(std::time::Duration::from_secs(26 * 3600));
    let badge = h.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
    let (screen, _) = answer(&mut h, &badge).await;
    says(&screen, &["OVERDUE 26 h"]);
    h.press("enter");
    let screen = h.settled().await;
    says(&screen, &["OVERDUE 26 h", "time has passed"]);
    assert!(!screen.contains("WAITING"), "{screen}");
    h.press("4");
    h.paste(&badge);
    h.press("enter");
    let screen = h.settled().await;
    let said = flowing(&screen);
    assert!(said.contains("OVERDUE 26 h") && said.contains("time has passed"), "{screen}");
    assert!(!said.contains(msg_part("the wallet may show it")) && !said.contains("WAITING"), "{screen}");
    h.press("Y");
    assert!(copied(&mut h).contains("OVERDUE 26 h"));
}

/// Such a badge is a row with its own answer, whether the service shows its record or not.
#[tokio::test]
async fn a_badge_of_an_address_that_only_the_journal_knows_has_an_answer() {
    for hides_record in [true, false] {
        let hidden = ["waiting-history", "wallet-waiting", "waiting-detail"];
        let hidden = &hidden[..if hides_record { 3 } else { 2 }];
        let never = ("issue-time".to_owned(), "never".to_owned());
        let switches = hidden.iter().map(|name| ((*name).to_owned(), "hidden".to_owned())).chain([never]);
        let mut h = Harness::new(Options { switches: switches.collect(), ..small() }, 80, 24).await;
        super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
        h.confirm("1");
        h.shows("waiting 1").await;
        h.press("esc");
        let badge = h.sandbox.control().ledger().accepted[0].badge_ids[0].clone();
        let (screen, requests) = answer(&mut h, "gildong@naru.example").await;
        says(&screen, &[&badge, "WAITING", "in neither list", "sent by lapel at", "in job 1"]);
        says(&screen, &["It was requested on 2026-11-21", "requested 2026-11-21", "promise a time"]);
        assert!(requests <= 3, "{requests}");
        assert_eq!(screen.contains(msg_part("not visible yet")), hides_record, "{screen}");
        assert_eq!(screen.contains("홍길동"), !hides_record, "the journal's row has no name: {screen}");
        h.press("t a");
        says(&h.settled().await, &["It was requested on 2026-11-21"]);
        h.sandbox.control().advance(std::time::Duration::from_secs(30 * 3600));
        let (screen, _) = answer(&mut h, "gildong@naru.example").await;
        says(&screen, &["OVERDUE 30 h", "time has passed", &badge]);
        assert!(!flowing(&screen).contains("(waiting)"), "{screen}");
    }
}

/// The journal's last check says nothing about now.
#[tokio::test]
async fn of_a_badge_that_could_not_be_read_nothing_is_judged() {
    let never = ("issue-time".to_owned(), "never".to_owned());
    let hidden = ["waiting-history", "wallet-waiting"].map(|name| (name.to_owned(), "hidden".to_owned()));
    let switches = hidden.into_iter().chain([never]).collect();
    let mut h = Harness::new(Options { switches, ..small() }, 80, 24).await;
    super::sending::to_review(&mut h, "홍길동", "gildong@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    h.sandbox.control().advance(std::time::Duration::from_secs(26 * 3600));
    for path in ["/wallet/badges", "/badges/*"] {
        h.sandbox.control().add_fault(&format!("get {path} status=500")).expect("a rule");
    }
    let (screen, _) = answer(&mut h, "gildong@naru.example").await;
    assert!(flowing(&screen).contains(msg_part("it may be issued by now")), "{screen}");
    for judged in ["OVERDUE", "WAITING", "visible yet", "(overdue)", "(waiting)", "time has passed"] {
        assert!(!flowing(&screen).contains(judged), "{judged}:\n{screen}");
    }
}

#[tokio::test]
async fn a_mistyped_address_or_name_of_the_journal_is_found() {
    let switches =
        vec![("waiting-history".into(), "hidden".into()), ("wallet-waiting".into(), "hidden".into())];
    let mut h = Harness::new(Options { switches, ..small() }, 100, 30).await;
    super::sending::to_review(&mut h, "Mark Page", "mark.page@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    for (given, why) in [
        ("mark.page@naru.exmaple", "similar domain"),
        ("mark.page+x@naru.example", "other +tag"),
        ("Mark Pagee", "similar name"),
    ] {
        let (screen, requests) = answer(&mut h, given).await;
        let found = format!("m***@naru.example ({why}): sent by lapel at");
        says(&screen, &[&found, "in job 1"]);
        assert!(!screen.contains(msg_part("and no possible matches.")), "{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
}

#[tokio::test]
async fn a_name_that_only_the_journal_knows_is_told_from_it() {
    let switches = vec![("waiting-history".into(), "hidden".into())];
    let mut h = Harness::new(Options { switches, ..small() }, 100, 30).await;
    super::sending::to_review(&mut h, "Mark Page", "mark.page@naru.example").await;
    h.confirm("1");
    h.shows("waiting 1").await;
    h.press("esc");
    let (screen, _) = answer(&mut h, "mark  page").await;
    says(
        &screen,
        &[
            "No badge with the name “mark page” is visible yet.",
            "m***@naru.example: sent by lapel at",
            "in job 1 (waiting); not visible yet",
        ],
    );
    assert!(!screen.contains("mark.page"), "{screen}");
    let (screen, _) = answer(&mut h, "Mara Pagell").await;
    assert!(!screen.contains(msg_part("sent by lapel at")), "{screen}");
}

#[tokio::test]
async fn an_address_with_hangul_can_be_looked_up() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = RowSpec { recipient_email: "홍길동@traps.example".into(), ..RowSpec::default() };
    insert(&h, vec![row]);
    let (screen, _) = answer(&mut h, "홍길동@traps.example").await;
    says(&screen, &["1 badge in the wallet", "mail SENT to 홍길동@traps.example"]);
    let (screen, _) = answer(&mut h, "안녕@traps.example").await;
    says(&screen, &["No badge for 안녕@traps.example", "was the Hangul keyboard on?"]);
}

#[tokio::test]
async fn a_look_up_that_is_stopped_does_not_say_that_nothing_was_sent() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("3");
    h.paste("slow@naru.example");
    h.press("enter");
    h.shows(msg_part("reading wallet and history")).await;
    h.press("esc");
    h.until("it is stopped", |screen| !screen.contains(msg_part("reading wallet and history"))).await;
    assert!(!h.screen().contains(msg_part("0 requests")), "{}", h.screen());
    h.sandbox.control().clear_faults();
    h.press("r");
    // With the search for other addresses.
    assert!(h.settled().await.contains(msg_part("5 requests")), "{}", h.screen());
}
