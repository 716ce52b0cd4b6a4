//! The review of a draft: which rows are shown, groups with one key, suggestions.

use super::files::drop_file;
use super::narrow::flat;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

/// Drops a file with these rows, and checks every row.
async fn review(h: &mut Harness, rows: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    std::fs::write(&file, format!("name,email\n{rows}")).expect("written");
    drop_file(h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    folder
}

#[tokio::test]
async fn groups_come_first_and_the_line_that_sends_comes_last() {
    let mut h = Harness::new(small(), 80, 24).await;
    let _folder =
        review(&mut h, "가나,one@naru.example\n다라,two@naru.example\n가나,one@naru.example\n").await;
    let skipped = msg_with("{what}: {n} ({reasons})", &[&"skipped", &1, &msg("twice in the file")]);
    h.shows(&skipped).await;
    let screen = h.settled().await;
    let ready = |n: u64, fold: &str| format!("{fold} {}", msg_with("{what}: {n}", &[&"ready", &n]));
    assert!(screen.contains(&ready(2, "▸")) && !screen.contains("two@naru.example"), "{screen}");
    assert!(screen.contains(msg("draft saved")), "{screen}");
    // The heading of the rows to be sent shows them and hides them again.
    h.press("f l");
    let screen = h.settled().await;
    assert!(screen.contains(&ready(2, "▾")) && screen.contains("two@naru.example"), "{screen}");
    h.press("j h");
    let screen = h.settled().await;
    assert!(screen.contains(&ready(2, "▸")) && !screen.contains("two@naru.example"), "{screen}");
    // Enter does the same on this heading as on any other.
    for fold in ["▾", "▸"] {
        h.press("enter");
        let screen = h.settled().await;
        assert!(screen.contains(&ready(2, fold)) && !screen.contains(msg_part("and press")), "{screen}");
    }
    // A decided row leaves its group, and the last line sends.
    h.press("g j space");
    h.shows("3 ready").await;
    let screen = h.settled().await;
    assert!(!screen.contains(&skipped) && screen.contains(&ready(3, "▸")), "{screen}");
    assert!(screen.contains(&msg_with("{key}: send {n} rows", &[&"⏎", &3])), "{screen}");
    // The recipient who is in the file twice needs a second request.
    h.shows(&msg_with("at least {count}", &[&"2 requests"])).await;
    h.press("G");
    h.confirm_draft("3").await;
    h.shows("waiting 3 ").await;
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn a_single_row_that_needs_review_says_how_it_is_sent_or_skipped() {
    let mut h = Harness::new(small(), 80, 24).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lost.csv");
    std::fs::write(&file, "name,email\n박Garc?a,garcia@naru.example\n홍길동,gildong@naru.example\n")
        .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("1 needs review")).await;
    let keys = msg_with("{send} includes this row anyway, {skip} skips it", &[&"space", &"-"]);
    let screen = h.settled().await;
    assert!(screen.contains(&keys), "{screen}");
    // Its heading names its reason, with the keys of a group.
    let title = msg_with("{what}: {n} (“{example}”)", &[&msg("lost letters"), &1, &"박Garc?a"]);
    let keys_of_group = [format!("A {}", msg("include group")), format!("_ {}", msg("skip group"))];
    let heading = format!("▾ {title}  {}", keys_of_group.join("  "));
    assert!(screen.contains(&heading), "{screen}");
    h.press("space");
    h.shows("2 ready").await;
    assert!(!h.settled().await.contains(&keys), "it is ready now: {}", h.screen());
}

/// Only the end of a file tells which domains are mistyped. A row that needs review already is asked about that, too.
#[tokio::test]
async fn a_row_with_lost_letters_is_asked_about_its_domain_too() {
    let mut h = Harness::new(small(), 100, 30).await;
    let rows: Vec<String> = (0..12).map(|n| format!("가나,p{n}@naru.example\n")).collect();
    let rows = rows.concat();
    let _folder = review(&mut h, &format!("{rows}박Garc?a,garcia@naru.exmaple\n")).await;
    h.shows(msg_part("1 needs review")).await;
    let screen = flat(&h.settled().await);
    for part in ["letters of the name were lost in a conversion", "did you mean naru.example?"] {
        assert!(screen.contains(msg_part(part)), "{screen}");
    }
    h.press("enter");
    h.shows("garcia@naru.example").await;
    let screen = flat(&h.settled().await);
    assert!(screen.contains(msg_part("1 needs review")), "{screen}");
    assert!(!screen.contains(msg_part("did you mean")), "{screen}");
    h.press("space");
    h.shows("13 ready").await;
}

/// The row says "mistyped domain"; that the recipient already has the badge is a second reason.
#[tokio::test]
async fn a_decision_about_a_domain_never_issues_a_second_badge() {
    let mut h = Harness::new(small(), 80, 24).await;
    let held = |n: usize| RowSpec {
        template_id: format!("TPL-{n:03}"),
        recipient_name: "은우".into(),
        recipient_email: "eunwoo@gmial.com".into(),
        ..RowSpec::default()
    };
    let insert = (1..=40).map(held).collect();
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("held.csv");
    std::fs::write(&file, "name,email\n은우,eunwoo@gmial.com\n다라,two@naru.example\n").expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    let both = format!("{}, {}", msg("already has it"), msg("mistyped domain"));
    // The column may cut it; the pane has both sentences.
    h.shows(&both[..18]).await;
    let screen = h.settled().await;
    let also = format!("▲ {}", msg("already has it"));
    assert!(screen.contains(&also) && screen.contains(msg_part("did you mean gmail.com?")), "{screen}");
    h.press("c");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("already has it")) && screen.contains(msg_part("did you mean gmail.com?")),
        "{screen}"
    );
    h.press("esc");
    h.settled().await;
    h.press("space");
    h.shows(msg_part("This row needs review for one more reason")).await;
    let screen = h.settled().await;
    assert!(
        screen.contains(&format!("1 {}", msg("needs review")))
            && screen.contains(&format!("1 {}", msg("ready"))),
        "{screen}"
    );
    h.press("G");
    h.confirm_draft("1").await;
    h.shows("waiting 1 ").await;
    let sent: Vec<String> =
        h.sandbox.control().ledger().accepted.into_iter().map(|one| one.recipient_email).collect();
    assert_eq!(sent, ["two@naru.example"]);
}

/// The confirmation says what the duplicate check found, and counts each row once.
#[tokio::test]
async fn the_confirmation_says_who_has_the_badge_and_counts_each_row_once() {
    let mut h = Harness::new(small(), 80, 24).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lost.csv");
    std::fs::write(&file, "name,email\nGarc?a,one@naru.example\n다라,two@naru.example\n").expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("1 needs review")).await;
    h.settled().await;
    h.press("G enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("Already have it: 0 of 2 rows. History read to its end at")),
        "{screen}"
    );
    assert!(screen.contains(&msg_with("Not sent: {rest}", &[&"1 needs review"])), "{screen}");
    assert!(!screen.contains("skipped"), "{screen}");
}

#[tokio::test]
async fn rows_are_searched_and_a_name_is_corrected_with_one_key() {
    let mut h = Harness::new(small(), 80, 24).await;
    let _folder =
        review(&mut h, "±è¹Î¼ö,one@naru.example\n다라,two@naru.example\n마바,three@naru.example\n").await;
    h.shows(msg_part("1 needs review")).await;
    h.settled().await;
    // Also rows of a folded group are found, by address or by row number.
    for (key, text, found) in [
        ("/", "three@", "three@naru.example"),
        ("/", "3", "two@naru.example"),
        ("#", "3", "two@naru.example"),
    ] {
        h.press(key);
        h.type_text(text);
        h.press("enter");
        let screen = h.settled().await;
        assert!(screen.contains(found) && screen.contains(msg_part("row 1 of 1")), "{key}{text}: {screen}");
        h.press("esc");
        let screen = h.settled().await;
        let selected = screen.lines().find(|line| line.starts_with('▌')).expect("a selected line");
        assert!(selected.contains(&found[..10]), "the cursor stays on the row: {key}{text}: {screen}");
    }
    h.press("g j");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("{key} corrects it to {suggestion}", &[&"⏎", &"김민수"])), "{screen}");
    h.press("enter");
    h.shows("3 ready").await;
    h.settled().await;
    h.press("g l");
    let screen = h.settled().await;
    assert!(
        screen.lines().any(|line| line.contains("김민수") && line.contains("one@naru.example")),
        "{screen}"
    );
}

#[tokio::test]
async fn rows_with_the_same_reason_are_counted_and_decided_with_one_key() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste("name,email\nGarc?a,a@naru.example\nNguy?n,b@naru.example\n김\u{fffd}수,c@naru.example\n김민수,d@naru.example\n이영희,e@naru.example\n");
    h.shows(msg("columns")).await;
    h.settled().await;
    h.press("enter");
    h.shows(&msg_with("{what}: {n} (“{example}”)", &[&msg("lost letters"), &3, &"Garc?a"])).await;
    let screen = h.settled().await;
    let hint = msg_with(
        "{rows} rows with this reason: {send} includes {allows}, {skip} skips {rows}",
        &[&3, &"A", &3, &"_", &3],
    );
    assert!(screen.contains(&hint) && screen.contains("2 ready"), "{screen}");
    h.press("_");
    h.shows(&msg_with("{n} rows are skipped.", &[&3])).await;
    h.shows("3 skipped").await;
    let screen = h.settled().await;
    assert!(!screen.contains(&hint), "{screen}");
    // Nothing needs review any more, so the cursor is on the line that sends.
    h.press("g j A");
    h.shows(&msg_with("{n} rows will be sent.", &[&3])).await;
    h.shows("5 ready").await;
    // One after the other is undone, and then nothing is left to undo.
    for (says, ready) in [
        (msg_with("Undone for {n} rows.", &[&3]), "3 skipped"),
        (msg_with("Undone for {n} rows.", &[&3]), "3 need review"),
    ] {
        h.settled().await;
        h.press("u");
        h.shows(&says).await;
        h.shows(ready).await;
    }
    h.settled().await;
    h.press("u");
    h.shows(msg("There is no decision to undo.")).await;
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn suggested_addresses_are_taken_with_one_key_for_a_row_and_one_for_its_group() {
    let mut h = Harness::new(small(), 100, 30).await;
    let _folder = review(
        &mut h,
        "가나,one@gmial.com\n다라,two@gmial.com\n마바,three@gmial.com\n사아,four@naru.example\n\n합계,4\n",
    )
    .await;
    h.shows(msg_part("3 need review")).await;
    let screen = h.settled().await;
    assert!(screen.contains("one@gmail.com"), "the suggestion of the selected row: {screen}");
    let short = msg_with("{short}: {meant}?", &[&msg("mistyped domain"), &"@gmail.com"]);
    assert_eq!(screen.matches(&short).count(), 3, "each row has its suggestion: {screen}");
    assert!(screen.contains(&format!("⏎ {}", msg("correct"))), "what Enter does here: {screen}");
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("a");
    h.shows(&msg_with("{n} rows corrected.", &[&2])).await;
    h.shows("4 ready").await;
    h.settled().await;
    // One key takes each decision back.
    h.press("u");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("u");
    h.shows("1 ready").await;
    h.settled().await;
    h.press("g");
    h.settled().await;
    h.press("a");
    h.shows("4 ready").await;
    h.settled().await;
    let screen = h.settled().await;
    assert!(!screen.contains(&format!("⏎ {}", msg("correct"))), "Enter sends: {screen}");
    h.confirm_draft("4").await;
    h.shows("waiting 4 ").await;
    let sent: Vec<String> =
        h.sandbox.control().ledger().accepted.into_iter().map(|one| one.recipient_email).collect();
    assert!(sent.iter().any(|to| to == "three@gmail.com"), "{sent:?}");
    assert!(!sent.iter().any(|to| to.contains("gmial")), "{sent:?}");
}

#[tokio::test]
async fn a_corrected_address_that_is_a_duplicate_says_so() {
    let mut h = Harness::new(small(), 100, 30).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("slips.csv");
    std::fs::write(&file, "name,email\n가나,one@gmial.com\n다라,two@gmial.com\n마바,two@gmail.com\n")
        .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("2 need review")).await;
    h.settled().await;
    let says = msg_part("After the correction");
    // To an address that nobody has, then to one that another row has.
    for (address, is_duplicate) in [("new@naru.example", false), ("two@gmail.com", true)] {
        h.press("g j c ctrl-u");
        h.type_text(address);
        h.press("enter");
        let screen = h.settled().await;
        assert_eq!(screen.contains(says), is_duplicate, "{address}:\n{screen}");
    }
    assert_eq!(accepted(&h), 0);
}

/// Reasons of one row each share a heading, so that the next group is never one blind step of many.
#[tokio::test]
async fn one_key_goes_from_group_to_group_and_rare_reasons_share_one() {
    let mut h = Harness::new(small(), 120, 30).await;
    let _folder = review(&mut h, "가나,one@gmial.com\n다라,two@gmial.com\n마바,\n사아,four@naru.example\n123,five@naru.example\nnull,six@naru.example\n합계,2\n").await;
    h.shows("1 ready").await;
    h.settled().await;
    h.press("g");
    let mut seen = Vec::new();
    for _ in 0..5 {
        let screen = h.settled().await;
        let line = screen.lines().find(|line| line.starts_with('▌')).expect("the cursor").to_owned();
        seen.push(line);
        h.press("f");
    }
    let parts = [
        msg_with("{what}: {n} (“{example}”)", &[&msg("mistyped domain"), &2, &"one@gmial.com"]),
        format!("{}: 2 (", msg("other reasons")),
        msg_with("{what}: {n} ({reasons})", &[&msg("invalid"), &1, &msg("no e-mail")]),
        format!("{}: 1 (", msg("skipped")),
        msg_with("{what}: {n}", &[&msg("ready"), &1]),
    ];
    for (line, part) in seen.iter().zip(&parts) {
        assert!(line.contains(part), "{part}: {seen:#?}");
    }
    let screen = h.settled().await;
    assert!(screen.lines().any(|line| line.starts_with('▌') && line.contains(&parts[0])), "around: {screen}");
}

/// A heading of one reason has the keys that its rows have, and every other one says what its rows need.
#[tokio::test]
async fn a_heading_has_the_keys_of_its_rows_or_says_what_they_need() {
    let mut h = Harness::new(small(), 100, 30).await;
    let _folder = review(
        &mut h,
        "가나,one@naru.example\n가나,one@naru.example\n다라,two@naru.example\n다라,two@naru.example\n마바,\n사아,none\n",
    )
    .await;
    h.shows("2 ready").await;
    h.settled().await;
    let on =
        |screen: &str, part: &str| screen.lines().any(|line| line.starts_with('▌') && line.contains(part));
    h.press("g");
    assert!(on(&h.settled().await, &format!("{}: 2 (", msg("invalid"))), "{}", h.screen());
    for key in ["a", "A", "_"] {
        h.press(key);
        let told = msg_with(
            "Select a row and correct it ({correct}), or correct the rows in a redo file ({redo}).",
            &[&"c", &"e"],
        );
        assert!(h.settled().await.contains(&told), "{key}: {}", h.screen());
    }
    h.press("f");
    let screen = h.settled().await;
    assert!(on(&screen, &format!("{}: 2 ({})", msg("skipped"), msg("twice in the file"))), "{screen}");
    let key = format!("A {}", msg("include group"));
    assert!(on(&screen, &key), "{screen}");
    let footer = screen.trim_end().lines().last().unwrap_or_default();
    assert!(footer.contains(&key), "the same key with the same word: {screen}");
    assert!(!on(&screen, &format!("_ {}", msg("skip group"))), "{screen}");
    h.press("_");
    h.shows(msg("These rows are skipped already.")).await;
    h.press("A");
    h.shows(&msg_with("{n} rows will be sent.", &[&2])).await;
    h.shows("4 ready").await;
    h.settled().await;
    h.press("g f _");
    h.shows(msg_part("These rows are ready to be sent.")).await;
}

/// Where there is no address, sending is not possible with any key.
#[tokio::test]
async fn a_blank_line_or_a_total_never_becomes_a_recipient() {
    let mut h = Harness::new(small(), 120, 30).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("total.csv");
    std::fs::write(&file, "name,email\n가나,one@naru.example\n,\n합계,1\n").expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("1 ready").await;
    h.settled().await;
    for _ in 0..4 {
        h.press("space");
        h.settled().await;
    }
    assert!(h.screen().contains("1 ready"), "{}", h.screen());
    h.press("G");
    h.confirm_draft("1").await;
    h.shows("waiting 1 ").await;
}

#[tokio::test]
async fn after_an_undo_the_cursor_is_on_the_row_of_the_decision() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste("name,email\nGarc?a,a@naru.example\nNguy?n,b@naru.example\n김민수,c@naru.example\n이영희,d@naru.example\n");
    h.shows(msg("columns")).await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("2 need review")).await;
    h.settled().await;
    let selected =
        |screen: &str| screen.lines().find(|line| line.starts_with('▌')).expect("a selected line").to_owned();
    // The last of the ready rows is skipped, and then one far away from it is sent.
    h.press("f l j j -");
    h.shows("1 skipped").await;
    h.settled().await;
    h.press("g j space");
    h.shows(msg_part("1 needs review")).await;
    h.settled().await;
    h.press("G u");
    h.shows(msg_part("2 need review")).await;
    let screen = h.settled().await;
    assert!(selected(&screen).contains("Garc?a"), "{screen}");
    h.press("u");
    h.shows("2 ready").await;
    let screen = h.settled().await;
    assert!(selected(&screen).contains("이영희"), "{screen}");
}

#[tokio::test]
async fn a_group_whose_rows_have_another_reason_says_what_to_do() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste("name,email\n김하나,a@naru.example\nGarc?a,a@naru.example\nNguy?n,a@naru.example\n");
    h.shows(msg("columns")).await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("2 need review")).await;
    h.settled().await;
    h.press("A");
    h.shows(msg_part("No row of this group is ready yet: each has another reason.")).await;
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn the_reason_of_a_row_is_whole_on_a_small_screen() {
    let mut h = Harness::new(small(), 80, 24).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("slips.csv");
    let names = "강경고공구국권금기길김나남노도류마문민박";
    let right = names.chars().zip('a'..).map(|(name, to)| format!("{name}가나,{to}@naru.example\n"));
    let right: String = right.collect();
    std::fs::write(&file, format!("name,email\n{right}다라,one@naru.exmaple\n마바,two@naru.exmaple\n"))
        .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("2 need review")).await;
    let screen = h.settled().await;
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("did you mean naru.example? Many more addresses have it."), "{screen}");
    assert!(flat.contains("one@naru.example"), "the suggestion, too: {screen}");
    assert!(screen.contains("@naru.example?"), "also in the row: {screen}");
    // The example leaves its room to the keys.
    let keys = [("a", "correct group"), ("A", "include group"), ("_", "skip group")];
    let keys = keys.map(|(key, words)| format!("{key} {}", msg(words))).join("  ");
    let heading = format!("▾ {}  {keys}", msg_with("{what}: {n}", &[&msg("mistyped domain"), &2]));
    assert!(screen.contains(&heading), "{screen}");
    // On a heading, one key is named that shows and hides its rows.
    h.press("g");
    let screen = h.settled().await;
    let footer = screen.trim_end().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains(&format!("⏎ {}", msg("show or hide"))), "{screen}");
    assert_eq!(footer.matches(msg("show or hide")).count(), 1, "{screen}");
}

/// Nothing was sent from here, and the file itself is of another domain.
#[tokio::test]
async fn a_domain_of_the_index_shows_a_mistyped_one_in_a_file() {
    let mut h = Harness::with(small(), 80, 24, super::overview::with_index).await;
    let file = "가나,one@naru.exmaple\n다라,two@other.example\n";
    // The counts read the index.
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    let _folder = review(&mut h, file).await;
    h.shows(msg_part("1 needs review")).await;
    let flat = h.settled().await.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("did you mean naru.example? Many more addresses have it."), "{}", h.screen());
    // So is one that is typed in a correction.
    let question = msg_with("e-mail: {warning}", &[&msg_with("did you mean {meant}?", &[&"naru.example"])]);
    h.press("c tab");
    for (typed, is_asked) in [("three@naru.exmaple", true), ("three@naru.example", false)] {
        h.press("ctrl-u");
        h.type_text(typed);
        let screen = h.settled().await;
        assert!(screen.contains(typed) && screen.contains(&question) == is_asked, "{typed}: {screen}");
    }
    // A correction that is saved in spite of the question needs review, as the same address in a file does.
    h.press("ctrl-u");
    h.type_text("four@naru.exmaple");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("1 needs review")) && screen.contains("four@naru.ex"), "{screen}");
}

#[tokio::test]
async fn the_footer_has_undo_after_a_decision_and_says_what_a_group_key_does() {
    let mut h = Harness::new(small(), 80, 24).await;
    let rows = "Garc?a,a@naru.example\nNguy?n,b@naru.example\n김민수,c@naru.example\n";
    let _folder = review(&mut h, rows).await;
    h.shows(msg_part("2 need review")).await;
    let screen = h.settled().await;
    let footer = |screen: &str| screen.trim_end().lines().last().unwrap_or_default().to_owned();
    let undo = format!("u {}", msg("undo"));
    assert!(!footer(&screen).contains(&undo), "{screen}");
    assert!(!screen.contains("send all") && screen.contains(msg_part("includes 2")), "{screen}");
    h.press("space");
    h.shows("2 ready").await;
    let screen = h.settled().await;
    assert!(footer(&screen).contains(&undo), "{screen}");
}

#[tokio::test]
async fn a_search_fits_the_columns_to_what_it_finds() {
    let mut h = Harness::new(small(), 80, 24).await;
    let long = "Maximiliana Wilhelmina Amalia";
    let _folder = review(&mut h, &format!("Garc?a,a@x.example\n{long},b@x.example\n")).await;
    h.shows(msg_part("1 needs review")).await;
    h.settled().await;
    h.press("/");
    // It finds both, of which only the second one is ready.
    h.type_text("@x");
    h.press("enter");
    let screen = h.settled().await;
    let found = |text: &str| screen.lines().any(|line| line.contains(text) && line.contains("@x.example"));
    assert!(found("Garc?a") && found(long), "{screen}");
}

/// The rows of a file have the numbers of its lines.
#[tokio::test]
async fn a_range_in_a_search_names_the_row_of_the_file() {
    let mut h = Harness::new(small(), 100, 30).await;
    let _folder = review(&mut h, "Garc?a,a@naru.example\nNguy?n,b@naru.example\n").await;
    h.shows(msg_part("2 need review")).await;
    h.settled().await;
    h.press("/");
    h.type_text("b@");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("Nguy?n") && !screen.contains("Garc?a"), "{screen}");
    h.press("v");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("range from row {row}", &[&3])), "{screen}");
}

#[tokio::test]
async fn a_range_is_decided_by_one_key_and_undone_as_one_decision() {
    let mut h = Harness::new(small(), 100, 30).await;
    let rows = "Garc?a,a@naru.example\nNguy?n,b@naru.example\nM?ller,c@naru.example\n김민수,d@naru.example\n";
    let _folder = review(&mut h, rows).await;
    h.shows(msg_part("3 need review")).await;
    h.settled().await;
    let says = msg_with(
        "Go to the other end of the range: {send} includes its rows, {skip} skips them. {esc} cancels.",
        &[&"space", &"-", &"esc"],
    );
    let flowing = |screen: &str| screen.split_whitespace().collect::<Vec<_>>().join(" ");
    h.press("g v");
    let screen = h.settled().await;
    assert!(!flowing(&screen).contains(&says), "a heading is no row: {screen}");
    h.press("j v");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains(&says), "{screen}");
    h.press("j");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("space {}", msg("include range"))), "{screen}");
    let says = msg_with(
        "range of {n} rows: {send} includes them, {skip} skips them, {esc} cancels",
        &[&2, &"space", &"-", &"esc"],
    );
    assert!(flowing(&screen).contains(&says), "{screen}");
    h.press("space");
    h.shows(&msg_with("{n} rows will be sent.", &[&2])).await;
    h.shows("3 ready").await;
    h.settled().await;
    h.press("u");
    h.shows(&msg_with("Undone for {n} rows.", &[&2])).await;
    h.shows(msg_part("3 need review")).await;
    h.settled().await;
    // Escape ends the range before it closes the review.
    h.press("g j v j esc");
    let screen = h.settled().await;
    assert_eq!(h.tui.app.modal(), Some("DraftForm"), "{screen}");
    assert!(!screen.contains(msg("include range")), "{screen}");
    h.press("g j shift-down shift-down -");
    h.shows(&msg_with("{n} rows are skipped.", &[&3])).await;
    h.shows("3 skipped").await;
    h.settled().await;
    h.press("u");
    h.shows(msg_part("3 need review")).await;
    h.settled().await;
    // A row that is included already is not skipped by the key that includes.
    h.press("G k l j v space");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("This range has no row to include")), "{screen}");
    assert!(screen.contains("1 ready"), "{screen}");
    assert_eq!(accepted(&h), 0);
}

/// Each row of the range is allowed as the person sees it: a duplicate only if its reason says so.
#[tokio::test]
async fn a_range_allows_shown_duplicates_and_no_hidden_ones() {
    let mut h = Harness::new(small(), 100, 30).await;
    let rows = "가나,a@naru.example\n다라,a@naru.example\n마바,a@naru.example\nGarc?a,a@naru.example\nNguy?n,b@naru.example\n";
    let _folder = review(&mut h, rows).await;
    h.shows(msg_part("4 need review")).await;
    h.settled().await;
    // From the first row to the line that sends.
    h.press("g j v G space");
    h.shows(msg_part("1 needs review")).await;
    h.shows("4 ready").await;
    assert_eq!(accepted(&h), 0);
}

/// The rows of the first group that leave as well do not move it.
#[tokio::test]
async fn after_a_range_over_two_groups_the_cursor_is_on_the_next_row() {
    let mut h = Harness::new(small(), 100, 30).await;
    let rows = "Garc?a,a@naru.example\nNguy?n,b@naru.example\nM?ller,c@naru.example\nP?rez,d@naru.example\n\
                가나,e@naru.example\n다라,e@naru.example\n마바,e@naru.example\n사아,e@naru.example\n";
    let _folder = review(&mut h, rows).await;
    h.shows(msg_part("7 need review")).await;
    h.settled().await;
    // From the third row of the first group to the first row of the second one.
    h.press("g j j j v j j j -");
    h.shows(&msg_with("{n} rows are skipped.", &[&3])).await;
    h.shows("3 skipped").await;
    let screen = h.settled().await;
    let selected = screen.lines().find(|line| line.starts_with('▌'));
    assert!(selected.is_some_and(|line| line.contains("마바")), "{screen}");
}

/// The list keeps few of so many rows loaded, so the start of the range would be forgotten.
#[tokio::test]
async fn a_range_of_too_many_rows_decides_nothing_far_from_its_start() {
    let mut h = Harness::new(small(), 120, 30).await;
    let rows = (0..12_000).map(|n| format!("가나,p{n}@naru.example")).collect::<Vec<_>>().join("\n");
    let _folder = review(&mut h, &rows).await;
    h.shows("12,000 ready").await;
    h.settled().await;
    h.press("g j v G");
    h.settled().await;
    for _ in 0..12 {
        h.press("pageup pageup pageup pageup pageup pageup");
        h.settled().await;
    }
    h.press("-");
    h.shows(msg_part("lapel decides at most 10,000 rows at once")).await;
    let screen = h.settled().await;
    assert!(screen.contains("12,000 ready"), "{screen}");
}
