//! The review of a draft: which rows are shown, groups with one key, suggestions.

use super::files::drop_file;
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

#[tokio::test]
async fn which_rows_are_shown_is_said_and_those_to_be_sent_come_into_sight_at_the_end() {
    let mut h = Harness::new(small(), 80, 24).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("twice.csv");
    std::fs::write(
        &file,
        "name,email\n가나,one@naru.example\n다라,two@naru.example\n가나,one@naru.example\n",
    )
    .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("1 twice in the file (skipped)").await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("only rows that need review (f: next group)")), "{screen}");
    assert!(screen.contains(msg_part("row 1 of 1")) && !screen.contains("two@naru.example"), "{screen}");
    // When none of them is left to look at, the people who are sent one are shown.
    h.press("A");
    h.shows("3 ready").await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1 of 3")) && screen.contains("two@naru.example"), "{screen}");
    assert!(!screen.contains(msg_part("next group)")), "{screen}");
    h.press("f");
    let screen = h.settled().await;
    assert!(screen.contains(&msg_with("only {only} ({key}: next group)", &[&"ready", &"f"])), "{screen}");
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
    h.shows(&msg_with("{n} names with lost letters", &[&3])).await;
    let screen = h.settled().await;
    let hint = msg_with(
        "{rows} rows with this reason: {send} sends {allows}, {skip} skips {rows}",
        &[&3, &"A", &3, &"X", &3],
    );
    assert!(screen.contains(&hint) && screen.contains("2 ready"), "{screen}");
    h.press("X");
    h.shows(&msg_with("{n} rows are skipped.", &[&3])).await;
    h.shows("3 skipped").await;
    let screen = h.settled().await;
    assert!(!screen.contains(&hint), "{screen}");
    h.press("A");
    h.shows(&msg_with("{n} rows will be sent.", &[&3])).await;
    h.shows("5 ready").await;
    // One after the other is undone, and then nothing is left to undo.
    for (says, ready) in [
        (msg_with("Undone for {n} rows.", &[&3]), "3 skipped"),
        (msg_with("Undone for {n} rows.", &[&3]), "3 needs review"),
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
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("slips.csv");
    std::fs::write(
        &file,
        "name,email\n가나,one@gmial.com\n다라,two@gmial.com\n마바,three@gmial.com\n사아,four@naru.example\n\n합계,4\n",
    )
    .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("3 needs review")).await;
    let screen = h.settled().await;
    assert!(screen.contains("one@gmail.com"), "the suggestion of the selected row: {screen}");
    assert!(screen.contains(&format!("⏎ {}", msg("correct address"))), "what Enter does here: {screen}");
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    h.press("a");
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
    assert!(!screen.contains(&format!("⏎ {}", msg("correct address"))), "Enter sends: {screen}");
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
    h.shows(msg_part("2 needs review")).await;
    h.settled().await;
    let says = msg_part("After the correction");
    // To an address that nobody has, then to one that another row has.
    for (address, is_duplicate) in [("new@naru.example", false), ("two@gmail.com", true)] {
        h.press("g c ctrl-u");
        h.type_text(address);
        h.press("enter");
        let screen = h.settled().await;
        assert_eq!(screen.contains(says), is_duplicate, "{address}:\n{screen}");
    }
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn one_group_after_the_other_is_shown() {
    let mut h = Harness::new(small(), 120, 30).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mixed.csv");
    std::fs::write(
        &file,
        "name,email\n가나,one@gmial.com\n다라,\n마바,\n사아,four@naru.example\n,\n합계,2\n",
    )
    .expect("written");
    drop_file(&mut h, file.to_str().expect("UTF-8")).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("1 ready").await;
    h.settled().await;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..6 {
        h.press("f");
        let screen = h.settled().await;
        seen.insert(["one@gmial.com", "다라", "four@naru.example"].map(|word| screen.contains(word)));
    }
    assert!(seen.contains(&[true, false, false]) && seen.contains(&[false, true, false]), "{seen:?}");
    assert!(seen.contains(&[true, true, true]), "all rows: {seen:?}");
}

/// Where there is no address, sending is not possible, whatever a person presses.
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
    h.confirm_draft("1").await;
    h.shows("waiting 1 ").await;
}
