//! Support staff at the Wallet tab: the box, the caller's question, look-ups that forgive slips, and long wallets.

use super::*;
use crate::common::calls;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::index::IndexConfig;
use lapel::sandbox::RowState;
use lapel::tui::{IndexUse, ProfileSession};

fn flowing(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn insert(h: &Harness, rows: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

fn row(name: &str, email: &str) -> RowSpec {
    RowSpec { recipient_name: name.into(), recipient_email: email.into(), ..RowSpec::default() }
}

async fn look_up(h: &mut Harness, text: &str) -> (String, u64) {
    let before = all_requests(h);
    h.press("3");
    h.paste(text);
    h.press("enter");
    let screen = h.settled().await;
    (screen, all_requests(h) - before)
}

#[tokio::test]
async fn the_twelve_calls_are_answered_in_one_glance() {
    let mut costs = Box::pin(calls::twelve(80, 24, false)).await;
    for (cost, large) in costs.iter_mut().zip(Box::pin(calls::twelve(120, 36, false)).await) {
        cost.requests = cost.requests.max(large.requests);
    }
    // Without pictures, no picture is requested.
    if cfg!(feature = "images") {
        assert_eq!(costs, super::tasks::documented_calls(), "docs/habits.md");
    }
}

#[tokio::test]
async fn every_question_has_a_whole_answer() {
    Box::pin(calls::questions(80, 24, false)).await;
    Box::pin(calls::questions(120, 36, false)).await;
}

#[tokio::test]
async fn the_box_is_ready_to_type_and_its_old_text_is_replaced() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    look_up(&mut h, "seoyun.han@naru.example").await;
    for key in ["3", "w"] {
        h.press(key);
        // Addresses of students begin with digits; a letter that is a key of the list is text too.
        h.type_text("20240321jq@naru.example");
        let screen = h.screen();
        assert!(screen.contains("Holder ▌20240321jq@naru.example"), "{key}:\n{screen}");
        h.press("esc");
        assert!(h.screen().contains("Holder  seoyun.han@naru.example"), "{}", h.screen());
    }
    // A movement keeps the old text, and so does going to the list below.
    h.press("3 end");
    h.type_text("x");
    assert!(h.screen().contains("seoyun.han@naru.examplex"), "{}", h.screen());
    h.press("esc w down");
    assert!(h.screen().contains("Holder  seoyun.han@naru.example"), "{}", h.screen());
    // A half typed text is not lost on the way to another tab and back.
    h.press("w");
    h.type_text("half");
    for (there, back) in [("tab", "backtab"), ("backtab", "tab"), ("alt-1", "3")] {
        h.press(there);
        assert!(!h.screen().contains("Holder ▌"), "{there}:\n{}", h.screen());
        h.press(back);
        assert!(h.screen().contains("Holder ▌half"), "{back}:\n{}", h.screen());
    }
    for (key, shown) in
        [("alt-0", "Needs you"), ("alt-2", "badges"), ("alt-4", "Badge id"), ("alt-5", "jobs")]
    {
        h.press("3");
        h.press(key);
        let screen = h.settled().await;
        assert!(!screen.contains("Holder ▌") && !screen.is_empty(), "{key} {shown}:\n{screen}");
        h.press("esc esc");
    }
}

#[tokio::test]
async fn a_wallet_is_narrowed_as_other_lists_and_what_it_does_not_have_is_looked_up() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    let of = |template: &str| RowSpec {
        recipient_email: "many.badges@naru.example".to_owned(),
        recipient_name: "여우별".to_owned(),
        template_id: template.to_owned(),
        ..RowSpec::default()
    };
    insert(&h, ["TPL-001", "TPL-001", "TPL-004"].map(of).into());
    let (screen, _) = look_up(&mut h, "many.badges@naru.example").await;
    assert!(screen.contains("데이터 시각화"), "{screen}");
    h.press("/");
    h.type_text("리터러시");
    let rows = |h: &mut Harness, n: &str| {
        let screen = h.screen();
        let note = msg_with("{rows} of {all} rows contain “{text}”.", &[&n, &"3", &"리터러시"]);
        assert!(screen.contains(&note), "{screen}");
        screen
    };
    let screen = rows(&mut h, "2");
    assert!(screen.contains("리터러시 기초") && !screen.contains("데이터 시각화"), "{screen}");
    h.press("enter");
    rows(&mut h, "2");
    // The way through the matches stays among them, and so do a sort and an export.
    h.press("n n n s j j enter");
    assert!(!rows(&mut h, "2").contains("데이터 시각화"));
    h.press("e");
    assert!(
        flowing(&h.settled().await).contains(msg_part("only the rows that the list shows.")),
        "{}",
        h.screen()
    );
    h.press("esc esc");
    assert!(h.screen().contains("데이터 시각화"), "{}", h.screen());
    // The next caller's address is in no row, and neither is a name that every badge has: both are looked up.
    for next in ["seoyun.han@naru.example", "여우별"] {
        h.press("/");
        h.type_text(next);
        let note = msg_with("No row here contains “{text}”. {enter} looks it up.", &[&next, &"⏎"]);
        assert!(flowing(&h.screen()).contains(&note), "{}", h.screen());
        h.press("enter");
        let screen = h.settled().await;
        assert!(!screen.contains(&note), "{screen}");
        assert_eq!(screen.contains("Holder  many.badges@naru.example"), next == "여우별", "{screen}");
        h.press("3 ctrl-u");
        h.paste("many.badges@naru.example");
        h.press("enter");
        h.settled().await;
    }
    // What the last caller's search left is replaced.
    h.press("/");
    h.type_text("데이터");
    h.press("enter /");
    h.type_text("리터러시");
    rows(&mut h, "2");
    h.press("esc esc");
    // Esc without a match leaves no search behind, and a key of the API is no text to search for.
    h.press("/");
    h.type_text("nobody");
    h.press("esc");
    let screen = h.screen();
    assert!(screen.contains("데이터 시각화") && !screen.contains("nobody"), "{screen}");
}

#[tokio::test]
async fn the_callers_question_is_chosen_and_stays_until_the_next_caller() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    let (screen, _) = look_up(&mut h, "hong.c@naru.example").await;
    assert!(screen.contains(&format!("t {}", msg("caller's question"))), "{screen}");
    h.press("t");
    assert!(h.screen().contains(msg("The caller's question")), "{}", h.screen());
    h.press("n");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("t {}", msg("wrong name"))), "{screen}");
    assert!(flowing(&screen).contains(msg_part("Ask for the right name")), "{screen}");
    assert!(!flowing(&screen).contains(msg_part("Mail was sent to exactly")), "{screen}");
    // The question of the picture checks the pictures.
    let before = all_requests(&h);
    h.press("t p");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains("Front opens (image/png)"), "{screen}");
    assert!(all_requests(&h) - before <= 2);
    h.press("t 0");
    assert!(flowing(&h.settled().await).contains(msg_part("Mail was sent to exactly")), "{}", h.screen());
    h.press("t n");
    let (screen, _) = look_up(&mut h, "lea@example.org").await;
    assert!(!screen.contains(msg("wrong name")), "{screen}");
}

#[tokio::test]
async fn a_name_is_found_as_callers_say_it() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    insert(
        &h,
        vec![
            row("봉하늬", "hanui@naru.example"),
            row("Zoe O\u{2019}Quill", "zoe@naru.example"),
            row("Brigid Zell", "brigid@naru.example"),
        ],
    );
    h.settled().await;
    for (given, who) in [
        ("봉 하늬", "봉하늬"),
        ("하늬 봉", "봉하늬"),
        ("봉하늬 님", "봉하늬"),
        ("zoe o'quill", "Zoe O\u{2019}Quill"),
        ("Ｚｏｅ O\u{2019}Quill", "Zoe O\u{2019}Quill"),
        ("Zell Brigid", "Brigid Zell"),
        ("Br\u{456}gid Zell", "Brigid Zell"),
    ] {
        let (screen, requests) = look_up(&mut h, given).await;
        let found = msg_with("{badges} in the wallet", &[&"1 badge"]);
        assert!(screen.contains(&format!("{who} · {found}")), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
    // One wrong syllable or letter is a possible match: nothing is opened, and the name is masked.
    for (given, masked) in [("봉하니", "봉***"), ("Brigit Zell", "B*** Z***")] {
        let (screen, requests) = look_up(&mut h, given).await;
        assert!(flowing(&screen).contains(msg_part("No badge has exactly the name")), "{given}:\n{screen}");
        assert!(screen.contains(masked) && screen.contains(msg("similar name")), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
}

#[tokio::test]
async fn a_possible_match_has_a_preview_on_a_wide_screen() {
    for (columns, shown) in [(109, 2), (120, 3)] {
        let mut h = Harness::new(frozen(), columns, 30).await;
        insert(&h, vec![row("봉하늬", "hanui@naru.example"), row("봉하늬", "bong@example.org")]);
        h.settled().await;
        let (screen, _) = look_up(&mut h, "봉하늬").await;
        let masked = |screen: &str| {
            screen.matches("h***@naru.example").count() + screen.matches("b***@example.org").count()
        };
        assert_eq!(masked(&screen), shown, "{columns}:\n{screen}");
        h.press("j");
        assert_eq!(masked(&h.screen()), shown, "{columns}:\n{}", h.screen());
    }
}

#[tokio::test]
async fn a_slip_in_an_address_is_named_and_searched_for() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    insert(&h, vec![row("봉하늬", "hanui@naru.example"), row("나태그", "tagged@naru.example")]);
    h.settled().await;
    h.press("3");
    h.paste("han\u{443}i@naru.example");
    assert!(flowing(&h.screen()).contains("Cyrillic \u{443} (U+0443)"), "{}", h.screen());
    h.press("ctrl-u esc");
    for (given, shown) in [
        ("hanu\u{456}@naru.example", "h***@naru.example"),
        ("tagged+badge@naru.example", "t***@naru.example"),
    ] {
        let (screen, requests) = look_up(&mut h, given).await;
        assert!(screen.contains(shown), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
    let (screen, _) = look_up(&mut h, "ｈａｎｕｉ＠naru.example").await;
    assert!(screen.contains("봉하늬"), "{screen}");
    // No badge: the text says what was searched.
    let (screen, requests) = look_up(&mut h, "nobody.here@gmail.example").await;
    assert!(requests <= 5, "{requests}");
    let lists = msg_with("wallet and history of {email}", &[&"nobody.here@gmail.example"]);
    for tried in [&lists, "nobody.here@gmial.example", msg("No index here.")] {
        assert!(flowing(&screen).contains(tried), "{tried}:\n{screen}");
    }
}

#[tokio::test]
async fn an_id_in_small_letters_is_found() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let ids = insert(&h, vec![row("봉하늬", "hanui@naru.example")]);
    h.settled().await;
    let (screen, requests) = look_up(&mut h, &ids[0].to_lowercase()).await;
    assert!(screen.contains(&format!("id {}", ids[0])), "{screen}");
    assert_eq!(requests, 2, "as it was typed, and in capitals");
}

#[tokio::test]
async fn the_index_finds_what_the_service_cannot_search_for() {
    let with_index = |mut session: ProfileSession| {
        session.index = Some(IndexUse {
            folder: None,
            settings: IndexConfig { max_age_days: 36_500, refresh_minutes: 15 },
            reads_at_start: false,
        });
        session
    };
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    insert(&h, vec![row("봉하늬", "hanui.bong+badge@naru.example")]);
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    // The wrong syllable is in the middle: no part that the service could search for is right.
    let (screen, requests) = look_up(&mut h, "봉호늬").await;
    assert!(screen.contains(msg("similar name")), "{screen}");
    assert_eq!(requests, 1, "the name as it was typed; the index costs none");
    let (screen, requests) = look_up(&mut h, "hanui.bong@naru.example").await;
    assert!(screen.contains(msg("other +tag")), "{screen}");
    assert_eq!(requests, 2, "wallet and history");
}

/// The service compares names whole, letter by letter.
#[tokio::test]
async fn the_index_finds_an_exact_name_behind_many_similar_ones_and_says_what_it_left_out() {
    let exact = Options { switches: vec![("name-match".into(), "exact".into())], ..small() };
    let mut h = Harness::with(exact, 100, 30, with_index).await;
    let similar = (0..520).map(|n| row("김서연", &format!("{n}@naru.example")));
    let old = RowSpec { minutes_ago: 60 * 24 * 200, ..row("김 서", "real.kimseo@naru.example") };
    insert(&h, similar.chain([old]).collect());
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    let (screen, _) = look_up(&mut h, "김서").await;
    assert!(screen.contains("1 address has the name “김서”; 500 possible matches"), "{screen}");
    assert!(flowing(&screen).contains("Only the first 501 of 521 rows were read."), "{screen}");
}

#[tokio::test]
async fn a_wallet_of_10_000_says_its_total_and_reads_on() {
    let mut h = Harness::new(small(), 100, 30).await;
    let many = |n: i64| RowSpec { minutes_ago: 60 + n, ..row("나많이", "many@naru.example") };
    insert(&h, (0..10_000).map(many).collect());
    h.settled().await;
    let (screen, requests) = look_up(&mut h, "many@naru.example").await;
    assert!(requests <= 5, "{requests}");
    assert!(screen.contains(&msg_with("{read} of {total} badges read", &[&"200", &"10,000"])), "{screen}");
    // Of a list that was not read to its end nothing is missing.
    assert!(!screen.contains(msg("not in the wallet")), "{screen}");
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{read} of {total} badges read", &[&"2,000", &"10,000"])), "{screen}");
    assert!(screen.contains(&msg_with("row {at} of {entries}", &[&"1,801", &"2,000"])), "{screen}");
    // The total stays while the rest is read, and the key that reads more is not offered twice.
    h.press("+");
    let screen = h.screen();
    assert!(screen.contains(&msg_with("{read} of {total} badges read", &[&"2,000", &"10,000"])), "{screen}");
    assert!(!screen.contains(&msg_with("{key} reads more", &[&"+"])), "{screen}");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("10,000 badges in the wallet")), "{screen}");
    assert!(!screen.contains(msg_part("badges read")), "{screen}");
    h.press("g");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("row {at} of {entries}", &[&"1", &"10,000"])), "{screen}");
}

/// A reading that failed changes neither what is known nor what `+` does.
#[tokio::test]
async fn a_long_wallet_is_read_on_after_a_refresh_failed() {
    let mut h = Harness::new(small(), 100, 30).await;
    let many = |n: i64| RowSpec { minutes_ago: 60 + n, ..row("나많이", "many@naru.example") };
    insert(&h, (0..3_000).map(many).collect());
    h.settled().await;
    look_up(&mut h, "many@naru.example").await;
    let fails =
        |h: &Harness| h.sandbox.control().add_fault("get /wallet/badges status=400").expect("a fault");
    let of = |read: &str| msg_with("{read} of {total} badges read", &[&read, &"3,000"]);
    let more = msg_with("{key} reads more", &[&"+"]);
    fails(&h);
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.contains(&of("200")) && screen.contains(&more), "{screen}");
    // Nor does a failed `+` count.
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(&of("200")) && screen.contains(&more), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(&of("2,000")) && screen.contains(&more), "{screen}");
    fails(&h);
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(&of("2,000")) && screen.contains(&more), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("3,000 badges in the wallet")), "{screen}");
}

/// After a failed `+`, the list has badges that only the history gave.
#[tokio::test]
async fn the_heading_of_a_wallet_that_was_read_in_part_counts_both_lists_and_names_the_key() {
    for (columns, rows) in [(80, 24), (160, 50)] {
        let mut h = Harness::new(small(), columns, rows).await;
        let many = |n: i64| RowSpec { minutes_ago: 60 + n, ..row("나많이", "many@naru.example") };
        insert(&h, (0..560).map(many).collect());
        h.settled().await;
        let more = msg_with("{key} reads more", &[&"+"]);
        let (screen, _) = look_up(&mut h, "many@naru.example").await;
        let read = msg_with("{read} of {total} badges read", &[&"200", &"560"]);
        assert!(screen.contains(&read) && screen.contains(&more), "{screen}");
        h.sandbox.control().add_fault("get /wallet/badges status=400").expect("a fault");
        h.press("+");
        let screen = h.settled().await;
        let heading = screen.lines().nth(4).unwrap_or_default();
        assert!(heading.contains(msg_part("as of")) && heading.contains(&more), "{screen}");
        if columns == 80 {
            assert!(heading.contains(&msg_with("wallet: {read}/{total}", &[&"200", &"560"])), "{screen}");
        } else {
            let both = format!(
                "{} · {}",
                msg_with("wallet: {read} of {total} badges read", &[&"200", &"560"]),
                msg_with("{n} more in the history", &[&"360"])
            );
            assert!(heading.contains(&both), "{screen}");
        }
        h.sandbox.control().clear_faults();
        h.press("+");
        let screen = h.settled().await;
        assert!(screen.contains(msg_part("560 badges in the wallet")), "{screen}");
    }
}

#[tokio::test]
async fn a_long_wallet_is_read_to_its_end() {
    let mut h = Harness::new(small(), 100, 30).await;
    let many = |n: i64| RowSpec { minutes_ago: 60 + n, ..row("나많이", "many@naru.example") };
    insert(&h, (0..2_150).map(many).collect());
    h.settled().await;
    look_up(&mut h, "many@naru.example").await;
    h.press("+");
    assert!(h.settled().await.contains(msg_part("badges read")), "{}", h.screen());
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("2,150 badges in the wallet")), "{screen}");
    assert!(!screen.contains(msg_part("badges read")), "{screen}");
}

#[tokio::test]
async fn an_answer_that_is_too_long_begins_with_what_to_say_and_scrolls() {
    let mut h = Harness::new(small(), 80, 24).await;
    let long = "긴이름 ".repeat(60);
    insert(&h, vec![row(&long, "long@naru.example"), row("나짧음", "long@naru.example")]);
    h.settled().await;
    let (screen, _) = look_up(&mut h, "long@naru.example").await;
    let screen = if screen.contains("} {") {
        screen
    } else {
        h.press("j");
        h.settled().await
    };
    for words in [msg("Say"), msg("Why"), msg("Not possible")] {
        assert!(screen.contains(words), "{words}:\n{screen}");
    }
    assert!(screen.contains(msg_part("more lines")), "{screen}");
    let mut screen = screen;
    for _ in 0..12 {
        h.press("}");
        screen.push_str(&h.screen());
    }
    assert!(
        screen.contains(msg_part("template TPL-001")) && screen.contains(msg_part("end of the preview")),
        "{screen}"
    );
}

/// The lines of a screen from the one with these words on.
fn lines_from(screen: &str, words: &str, lines: usize) -> String {
    let from = screen.lines().skip_while(|line| !line.contains(words));
    from.take(lines).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_headline_of_an_answer_is_not_cut_on_a_small_screen() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    let (screen, _) = look_up(&mut h, "김").await;
    let head = lines_from(&screen, msg_part("No badge has exactly the name"), 2);
    assert!(head.contains("matches") && !head.contains('…'), "{screen}");
    let (screen, _) = look_up(&mut h, "nobody.atall@gmail.example").await;
    let head = lines_from(&screen, "No badge for nobody.atall@gmail.example", 2);
    assert!(head.contains("matches.") && !head.contains('…'), "{screen}");
}

#[tokio::test]
async fn general_advice_that_has_no_room_is_named_with_its_key() {
    let mut h = Harness::new(small(), 80, 24).await;
    insert(&h, vec![row(&"긴이름 ".repeat(100), "long@naru.example"), row("나짧음", "short@naru.example")]);
    h.settled().await;
    let (more, advice) = (msg("more: wrong name or address"), msg_part("Wrong name or address?"));
    for (email, has_room) in [("long@naru.example", false), ("short@naru.example", true)] {
        let (screen, _) = look_up(&mut h, email).await;
        assert_eq!(flowing(&screen).contains(advice), has_room, "{screen}");
        assert_eq!(screen.contains(more), !has_room, "{screen}");
        h.press("t n");
        let screen = h.settled().await;
        assert!(flowing(&screen).contains(msg_part("Ask for the right name")), "{screen}");
        assert!(!screen.contains(more), "{screen}");
    }
}

#[tokio::test]
async fn what_was_searched_in_latin_letters_is_not_announced_again() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("3");
    h.paste("zz\u{430}top.nobody@naru.example");
    assert!(flowing(&h.screen()).contains(msg_part("lapel also searches for it")), "{}", h.screen());
    h.press("enter");
    let screen = h.settled().await;
    let said = flowing(&screen);
    assert!(said.contains(msg_part("The e-mail address has a")), "{screen}");
    assert!(!said.contains(msg_part("lapel also searches for it")), "{screen}");
}

#[tokio::test]
async fn the_footer_says_that_a_text_without_a_row_is_looked_up() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    h.settled().await;
    look_up(&mut h, "safety@moondeck.example").await;
    h.press("/");
    h.type_text("zzzz");
    let screen = h.screen();
    assert!(flowing(&screen).contains(msg_part("looks it up.")), "{screen}");
    let footer = screen.lines().rev().find(|line| !line.trim().is_empty()).expect("a footer");
    assert!(footer.contains(&format!("⏎ {}", msg("look up"))), "{screen}");
}

fn with_index(mut session: ProfileSession) -> ProfileSession {
    session.index = Some(IndexUse {
        folder: None,
        settings: IndexConfig { max_age_days: 36_500, refresh_minutes: 15 },
        reads_at_start: false,
    });
    session
}

#[tokio::test]
async fn a_refused_text_is_replaced_by_the_next_paste() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.press("3");
    h.paste("hello@naru,example");
    h.press("enter");
    assert!(flowing(&h.settled().await).contains("hello@naru,example"), "{}", h.screen());
    h.paste("hong.c@naru.example");
    assert!(h.screen().contains("Holder ▌hong.c@naru.example"), "{}", h.screen());
}

#[tokio::test]
async fn an_unread_index_is_not_searched_and_says_how_to_read_it() {
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    h.settled().await;
    let (screen, requests) = look_up(&mut h, "nobody.here@naru.example").await;
    assert!(flowing(&screen).contains(msg_part("The index is not read yet")), "{screen}");
    assert!(!flowing(&screen).contains(&format!(", {}.", msg("the index"))), "{screen}");
    assert!(requests <= 5, "{requests}");
}

#[tokio::test]
async fn a_certificate_number_is_found_in_one_confirmed_step_with_an_unread_index() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    let id = insert(&h, vec![row("문채원", "moon@naru.example")]).remove(0);
    h.settled().await;
    h.press("4");
    h.type_text(&id);
    h.press("enter");
    let screen = h.settled().await;
    let after = screen.split("Cert. no.").nth(1).expect("a number");
    let cert = after.split_whitespace().next().expect("a number").to_owned();
    // Another index: nothing was read into it.
    let mut h = h.reopened(with_index, 80, 24).await;
    h.settled().await;
    let (screen, _) = look_up(&mut h, &cert).await;
    assert!(flowing(&screen).contains(msg_part("then the records, after a confirmation")), "{screen}");
    let before = all_requests(&h);
    h.press("+");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains(msg_part("at most 1 request for each badge")), "{screen}");
    assert_eq!(all_requests(&h), before, "nothing is read before the confirmation");
    h.confirm("1");
    let screen = h.settled().await;
    assert!(screen.contains("문***") && !screen.contains("문채원"), "{screen}");
}

#[tokio::test]
async fn a_certificate_number_is_found_in_one_confirmed_step_without_an_index() {
    let mut h = Harness::new(small(), 80, 24).await;
    let id = insert(&h, vec![row("문채원", "moon@naru.example")]).remove(0);
    h.settled().await;
    h.press("4");
    h.type_text(&id);
    h.press("enter");
    let screen = h.settled().await;
    let after = screen.split("Cert. no.").nth(1).expect("a number");
    let cert = after.split_whitespace().next().expect("a number").to_owned();
    let (screen, requests) = look_up(&mut h, &cert).await;
    assert!(flowing(&screen).contains(msg_part("turns an index on until lapel ends")), "{screen}");
    assert_eq!(requests, 1, "a number is not searched as a name");
    let before = all_requests(&h);
    h.press("+");
    let screen = h.settled().await;
    let said = flowing(&screen);
    assert!(said.contains(msg_part("at most 1 request for each badge")), "{screen}");
    assert!(said.contains(msg("It turns an index on in memory, which is gone when lapel ends.")), "{screen}");
    assert_eq!(all_requests(&h), before, "nothing is read before the confirmation");
    h.confirm("1");
    let screen = h.settled().await;
    assert!(screen.contains("문***") && !screen.contains("문채원"), "{screen}");
    // Home knows that it is on.
    h.press("0 G enter");
    let screen = h.settled().await;
    assert!(!flowing(&screen).contains(msg_part("turns it on until lapel ends")), "{screen}");
}

#[tokio::test]
async fn a_mistyped_domain_is_searched_unasked_also_for_an_address_with_badges() {
    let mut h = Harness::new(frozen(), 120, 36).await;
    h.settled().await;
    let (screen, requests) = look_up(&mut h, "eunwoo@gmial.example").await;
    assert!(
        flowing(&screen).contains(&msg_with(
            "{address} has {badges}, too: {key} lists them.",
            &[&"e***@gmail.example", &"1 badge", &"+"]
        )),
        "{screen}"
    );
    assert_eq!(requests, 3, "wallet, history, and one for the other domain");
    h.press("+");
    let screen = h.settled().await;
    assert!(screen.contains("e***@gmail.example") && screen.contains(msg("similar domain")), "{screen}");
}

#[tokio::test]
async fn slips_are_forgiven_without_an_index() {
    let options = Options { switches: vec![("email-match".into(), "partial".into())], ..frozen() };
    let mut h = Harness::new(options, 120, 36).await;
    insert(&h, vec![row("봉하늬", "hanui.bong@naru.example"), row("Zoe O'Quillan-Park", "zoe@naru.example")]);
    h.settled().await;
    for (given, shown, why) in [
        ("봉호늬", "봉***", "similar name"),
        ("Zoe O'Quillen-Park", "Z*** O***", "similar name"),
        ("Zeo O'Quillan-Park", "Z*** O***", "similar name"),
        ("hanui.bogn@naru.example", "h***@naru.example", "one letter off"),
        ("hanuibong@naru.example", "h***@naru.example", "one letter off"),
        ("ahnui.bong@naru.example", "h***@naru.example", "one letter off"),
        ("hanui.bong@naru.exmaple", "h***@naru.example", "similar domain"),
        ("hanui bong@naru.example", "h***@naru.example", "space in the address"),
    ] {
        let (screen, requests) = look_up(&mut h, given).await;
        assert!(screen.contains(shown) && screen.contains(msg(why)), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
    let (screen, _) = look_up(&mut h, "hanu\u{456}.bong@naru.example").await;
    assert!(screen.contains("Cyrillic \u{456} (U+0456)"), "{screen}");
}

#[tokio::test]
async fn an_id_without_its_beginning_or_with_spaces_is_found() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    let id = insert(&h, vec![row("봉하늬", "hanui@naru.example")]).remove(0);
    h.settled().await;
    let (_, end) = id.split_once('-').expect("an id of several parts");
    for given in [end.to_owned(), id.replace('-', " "), id.to_lowercase().replace('-', " ")] {
        let (screen, requests) = look_up(&mut h, &given).await;
        assert!(screen.contains(&format!("id {id}")), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
}

#[tokio::test]
async fn the_badges_of_a_wallet_are_filtered_by_state() {
    let mut h = Harness::new(small(), 100, 30).await;
    let of = |state: RowState| RowSpec { state, ..row("봉하늬", "hanui@naru.example") };
    insert(&h, vec![of(RowState::Waiting), of(RowState::Issued), of(RowState::Revoked)]);
    h.settled().await;
    look_up(&mut h, "hanui@naru.example").await;
    for state in ["WAITING", "VALID", "REVOKED"] {
        h.press("f");
        let screen = h.settled().await;
        assert!(flowing(&screen).contains(&format!("Only {state}: 1 of 3 rows.")), "{screen}");
    }
    h.press("f");
    assert!(!flowing(&h.settled().await).contains(msg_part("shows the next state")), "{}", h.screen());
    h.press("f esc");
    assert!(!flowing(&h.settled().await).contains(msg_part("shows the next state")), "{}", h.screen());
}

/// Each in an app of its own: lapel knows no id of the service before.
#[tokio::test]
async fn an_id_without_dashes_or_zeros_is_found() {
    let forms: [fn(&str) -> String; 3] = [without_dashes, number_on, |id| without_dashes(&number_on(id))];
    for form in forms {
        let mut h = Harness::new(frozen(), 100, 30).await;
        let people = (0..6).map(|n| row("봉하늬", &format!("hanui{n}@naru.example"))).collect();
        let ids = insert(&h, people);
        // A check character that is a letter separates the number from it.
        let is_clear =
            |id: &&String| id.rsplit('-').next().is_some_and(|end| end.starts_with(char::is_alphabetic));
        let id = ids.iter().find(is_clear).expect("one of six");
        h.settled().await;
        let given = form(id);
        let (screen, requests) = look_up(&mut h, &given).await;
        assert!(screen.contains(&format!("id {id}")), "{given}:\n{screen}");
        assert!(requests <= 5, "{given}: {requests}");
    }
}

fn without_dashes(id: &str) -> String {
    id.replace('-', "").to_lowercase()
}

/// The id from its number on, without zeros: `3653-TT`.
fn number_on(id: &str) -> String {
    let (_, end) = id.split_once('-').expect("an id of several parts");
    end.trim_start_matches('0').to_owned()
}

#[tokio::test]
async fn the_answer_shows_the_timeline_where_there_is_room() {
    let mut h = Harness::new(frozen(), 200, 50).await;
    h.settled().await;
    let (screen, _) = look_up(&mut h, "hong.c@naru.example").await;
    assert!(screen.contains(&format!("{} ━", msg("accepted"))), "{screen}");
    let (screen, _) = look_up(&mut h, "jiho.oh@naru.example").await;
    assert!(screen.contains("▲ OVERDUE") && !screen.contains("◌ OVERDUE"), "{screen}");
    assert!(
        flowing(&screen).contains(&msg_with("{badges} in the history, none in the wallet", &[&"1 badge"])),
        "{screen}"
    );
}

#[tokio::test]
async fn the_timeline_of_a_badge_stays_beside_its_picture_and_on_a_small_screen() {
    let mut large = Harness::with_pictures(frozen(), 120, 36, |session| session).await;
    let mut small = Harness::new(frozen(), 80, 24).await;
    for h in [&mut large, &mut small] {
        h.settled().await;
        for given in ["hong.c@naru.example", "lea@example.org", "seoyun.han@naru.example"] {
            let (screen, _) = look_up(h, given).await;
            assert!(screen.contains(['━', '┄']) && screen.contains(msg("Say")), "{given}:\n{screen}");
            // On the Badge tab it is right behind the mail.
            h.press("enter");
            let screen = h.settled().await;
            let row = |text: &str| screen.lines().position(|line| line.contains(text));
            let times = row("━").or(row("┄")).unwrap_or_else(|| panic!("{given}: no timeline\n{screen}"));
            assert!(row(msg("Issued at")).is_none_or(|fields| times < fields), "{given}:\n{screen}");
        }
    }
}

/// The next caller is on the line already.
#[tokio::test]
async fn an_answer_takes_neither_the_focus_nor_the_text_of_the_box() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let id = insert(&h, vec![row("나만봄", "someone@example.org")]).remove(0);
    h.settled().await;
    for given in ["나만봄", "someone@example.org", &id, "nobody@naru.example", "아무도"] {
        h.press("3");
        h.paste(given);
        h.press("enter 3");
        h.type_text("xavier@na");
        let screen = h.settled().await;
        assert!(screen.contains("Holder ▌xavier@na"), "{given}:\n{screen}");
        h.type_text("ru.example");
        assert!(h.screen().contains("Holder ▌xavier@naru.example"), "{given}:\n{}", h.screen());
        // The answer is below, and the box offers the text again.
        h.press("esc");
        assert!(!h.screen().contains("xavier"), "{given}:\n{}", h.screen());
        h.press("3 up");
        assert!(h.screen().contains("Holder ▌xavier@naru.example"), "{given}:\n{}", h.screen());
        h.press("esc");
    }
    // Without a new text, the box shows what the answer is about.
    h.press("3");
    h.paste("나만봄");
    h.press("enter 3");
    let screen = h.settled().await;
    assert!(screen.contains("Holder ▌someone@example.org") && screen.contains("나만봄"), "{screen}");
    // A text that narrows the list is not cut off by possible matches.
    h.press("esc +");
    h.press("/");
    h.type_text("xyz");
    let screen = h.settled().await;
    assert!(screen.contains("xyz"), "{screen}");
    // The Badge tab.
    h.press("esc esc 4");
    h.paste(&id);
    h.press("enter ctrl-u");
    h.type_text("B-00");
    let screen = h.settled().await;
    assert!(screen.contains("Badge id ▌B-00"), "{screen}");
}

#[tokio::test]
async fn a_name_in_the_box_for_an_id_is_looked_up_as_a_holder() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    for name in ["김하나", "Hana Kim"] {
        h.press("alt-4");
        h.paste(name);
        h.press("enter");
        let screen = h.settled().await;
        assert!(
            screen.contains("Holder") && screen.contains(name) && !screen.contains("Badge id ▌"),
            "{screen}"
        );
    }
    let ids = h.sandbox.control().ledger().requests_to("GET /badges/{badge_id}");
    assert_eq!(ids, 0, "a name was sent as an id");
}

#[tokio::test]
async fn a_form_that_an_answer_opens_waits_until_nothing_is_typed() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    look_up(&mut h, "DMU-2026-999999").await;
    h.press("+ 3");
    h.type_text("kim");
    let screen = h.settled().await;
    assert!(screen.contains("Holder ▌kim"), "{screen}");
    assert!(
        flowing(&screen).contains(msg("A form is waiting. It opens when you leave this text.")),
        "{screen}"
    );
    h.type_text("1");
    assert!(h.screen().contains("Holder ▌kim1"), "{}", h.screen());
    h.press("esc");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains(msg_part("Find certificate number")), "{screen}");
}

#[tokio::test]
async fn a_form_about_an_earlier_call_is_dropped_when_the_next_look_up_begins() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    look_up(&mut h, "DMU-2026-999999").await;
    h.press("+ 3");
    h.type_text("kim@naru.example");
    h.settled().await;
    h.press("enter");
    let screen = h.settled().await;
    assert!(!flowing(&screen).contains(msg_part("Find certificate number")), "{screen}");
    assert!(flowing(&screen).contains(msg_part("The waiting form was dropped")), "{screen}");
}

#[tokio::test]
async fn a_half_typed_text_comes_back_however_it_was_left() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    look_up(&mut h, "seoyun.han@naru.example").await;
    // Left in the box, and replaced by the first letter of another text.
    h.press("3");
    h.type_text("first");
    h.press("down w");
    h.type_text("x");
    h.press("ctrl-u");
    assert!(h.screen().contains("first"), "{}", h.screen());
    // Before an earlier look-up was recalled.
    h.type_text("second");
    h.press("up esc 3 ctrl-u");
    let screen = h.screen();
    assert!(screen.contains("second") && screen.contains("first"), "{screen}");
    // Pasted lines come before it.
    h.paste("a@naru.example\nb@naru.example\n");
    h.press("ctrl-u");
    let screen = h.screen();
    assert!(["b@naru.example", "second", "first"].iter().all(|text| screen.contains(text)), "{screen}");
}

#[tokio::test]
async fn kept_text_is_replaced_and_the_key_of_the_box_is_no_text() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    h.press("3 /");
    assert!(!h.screen().contains("▌/"), "an address does not begin with a slash: {}", h.screen());
    h.type_text("half");
    h.press("alt-1 3 / /");
    assert!(h.screen().contains("Holder ▌half"), "{}", h.screen());
    h.paste("lea@example.org");
    assert!(h.screen().contains("Holder ▌lea@example.org"), "{}", h.screen());
    h.type_text("/x");
    assert!(h.screen().contains("Holder ▌lea@example.org/x"), "{}", h.screen());
}

#[tokio::test]
async fn a_name_in_the_other_order_opens_with_an_index_too() {
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    insert(&h, vec![row("봉하늬", "hanui@naru.example")]);
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    let (screen, requests) = look_up(&mut h, "하늬 봉").await;
    let found = msg_with("{badges} in the wallet", &[&"1 badge"]);
    assert!(screen.contains(&format!("봉하늬 · {found}")), "{screen}");
    assert!(requests <= 5, "{requests}");
}

#[tokio::test]
async fn a_test_of_the_pictures_is_the_callers_question_and_its_result_is_said() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    look_up(&mut h, "hong.c@naru.example").await;
    h.press("t p");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("t {}", msg("picture does not open"))), "{screen}");
    assert!(flowing(&screen).contains(msg_part("Both pictures open, as in a browser.")), "{screen}");
    assert!(!flowing(&screen).contains(msg_part("If one does not open")), "{screen}");
}

#[tokio::test]
async fn reading_records_for_a_certificate_number_can_be_stopped() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    look_up(&mut h, "DMU-2026-999999").await;
    h.press("+");
    h.settled().await;
    h.confirm("1");
    let stops = msg_with("{esc} stops it.", &[&"esc"]);
    assert!(flowing(&h.screen()).contains(&stops), "{}", h.screen());
    let screen = h.until("progress", |screen| flowing(screen).contains(" of 6")).await;
    assert!(flowing(&screen).contains(&stops), "{screen}");
    h.press("esc");
    let screen = h.settled().await;
    assert!(
        flowing(&screen).contains(msg("Stopped. The index keeps the records that lapel has read.")),
        "{screen}"
    );
    assert!(!flowing(&screen).contains(&stops), "{screen}");
}

#[tokio::test]
async fn the_questions_and_the_notice_of_a_summary_are_short() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    h.settled().await;
    look_up(&mut h, "hong.c@naru.example").await;
    h.press("t");
    let screen = h.screen();
    let asked = |line: &&str| line.starts_with('│') && line.contains('\u{201c}');
    assert!(screen.lines().filter(asked).count() > 8, "{screen}");
    assert!(screen.lines().filter(asked).all(|line| !line.contains('…')), "{screen}");
    h.press("esc Y");
    let said = "Sent to the terminal's clipboard: masked summary. It may refuse silently.";
    assert!(h.screen().lines().any(|line| line.contains(msg_part(said))), "on one line: {}", h.screen());
    h.press("J");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("lines 1 to")), "{screen}");
}
