//! Recipients from files and pastes, badge ids from files, corrections.

use super::activity::{issue, people};
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::sandbox::RowState;

pub fn demo(name: &str) -> String {
    format!("{}/assets/demo/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn accepted(h: &Harness) -> u64 {
    h.sandbox.control().ledger().accepted_total()
}

/// Opens the issue form on the first template, and drops a file on it.
pub async fn drop_file(h: &mut Harness, path: &str) {
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste(&format!("'{path}'"));
    h.press("enter");
}

#[tokio::test]
async fn a_file_is_opened_checked_corrected_and_issued() {
    let mut h = Harness::new(frozen(), 120, 36).await;
    drop_file(&mut h, &demo("attendees-cp949.csv")).await;
    let screen = h.shows(msg_part("check every row")).await;
    assert!(
        screen.contains("CP949")
            && screen.contains(msg("comma"))
            && screen.contains(&msg_with("header row {row}", &[&1])),
        "{screen}"
    );
    assert!(screen.contains(msg_part("name = 성명, e-mail = 이메일")), "{screen}");
    assert!(screen.contains("윤도연"), "the first rows are shown: {screen}");
    h.press("enter");
    h.shows(msg("twice in the file")).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("120 rows")) && screen.contains("3 invalid"), "{screen}");
    let skipped = msg_with("{what}: {n} ({reasons})", &[&msg("skipped"), &3, &msg("twice in the file")]);
    assert!(screen.contains(&skipped), "{screen}");
    assert!(screen.contains(&msg_with("{what}: {n}", &[&msg("no name"), &1])), "{screen}");
    let ready = |screen: &str| -> u64 {
        let words: Vec<&str> = screen.split_whitespace().collect();
        let at = words.windows(2).position(|w| w[1] == "ready").expect("a number");
        words[at].parse().expect("a number")
    };
    let before = ready(&screen);
    // Rows that need review come first. The first invalid one has no name: it is given one, and the duplicate check
    // reads again.
    while !h.settled().await.contains("▲ invalid: ") {
        h.press("j");
    }
    h.press("c");
    h.shows(msg_part("Correct row 18")).await;
    h.type_text("새이름");
    h.press("enter");
    h.shows("2 invalid").await;
    let screen = h.settled().await;
    assert_eq!(ready(&screen), before + 1, "{screen}");
    // One that is asked about is allowed, one that is ready is left out.
    h.press("g j");
    h.settled().await;
    h.press("space");
    h.settled().await;
    let screen = h.until("one more", |s| ready(s) == before + 2).await;
    // The number is what is ready, exactly; Enter does not confirm. On a row with a suggestion it takes that.
    h.settled().await;
    h.press("G");
    h.confirm_draft(&(before + 1).to_string()).await;
    h.press("enter");
    h.settled().await;
    assert_eq!(accepted(&h), 0, "{screen}");
    h.press("ctrl-u");
    assert_eq!(requests(&h, "POST /badges/batch"), 0);
    for _ in 0..6 {
        h.press("backspace");
    }
    h.confirm(&(before + 2).to_string());
    h.shows(msg("Problem")).await;
    h.until("accepted", |s| s.contains(&format!("waiting {}", before + 2))).await;
    assert_eq!(accepted(&h), before + 2);
    let adds_up = format!("invalid {} · waiting {} · skipped {}", 2, before + 2, 120 - 2 - before - 2);
    assert!(h.screen().contains(&adds_up), "every row of the file is accounted for: {}", h.screen());
}

#[tokio::test]
async fn an_ambiguous_encoding_is_asked_and_never_guessed() {
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, &demo("one-line-cp949.csv")).await;
    let screen = h.shows(msg_part("Which text is correct?")).await;
    assert!(
        screen.contains(msg_part("read as UTF-8")) && screen.contains(msg_part("read as CP949")),
        "side by side: {screen}"
    );
    // Nothing is read before a person has chosen: going back and on asks again.
    h.press("esc enter");
    h.shows(msg_part("Which text is correct?")).await;
    let screen = h.screen();
    let menu: Vec<&str> =
        screen.lines().skip_while(|l| !l.contains(msg_part("Which text is correct?"))).skip(1).collect();
    let place = menu.iter().position(|l| l.contains("CP949")).expect("it is offered");
    for _ in 0..place {
        h.press("j");
    }
    h.press("enter");
    let screen = h.shows(msg_part("check every row")).await;
    assert!(screen.contains("홍철"), "{screen}");
    assert_eq!(requests(&h, "POST /badges") + requests(&h, "POST /badges/batch"), 0);
}

#[tokio::test]
async fn unclear_columns_are_guessed_and_confirmed_in_one_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("odd.csv");
    std::fs::write(&file, "code,who,contact\n1,김민수,kim@naru.example\n2,이영희,lee@naru.example\n")
        .expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg("Which columns are the name and the e-mail address?")).await;
    let screen = h.settled().await;
    // The best guess is chosen, with samples beside it.
    assert!(screen.contains("< who") && screen.contains("김민수, 이영희"), "{screen}");
    assert!(screen.contains("< contact") && screen.contains("kim@naru.example, lee@"), "{screen}");
    h.press("enter");
    let screen = h.shows(msg_part("check every row")).await;
    assert!(screen.contains(msg_part("name = who, e-mail = contact")), "{screen}");
    // It begins with the present mapping, and Esc keeps it.
    h.press("m left esc");
    assert!(h.settled().await.contains(msg_part("name = who, e-mail = contact")), "{}", h.screen());
    h.press("m");
    assert!(h.settled().await.contains("< who"), "{}", h.screen());
}

#[tokio::test]
async fn a_column_of_numbers_as_name_needs_a_second_yes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ids.csv");
    std::fs::write(
        &file,
        "학번,성명,이메일\ns2026001,김민수,kim@naru.example\ns2026002,이영희,lee@naru.example\n",
    )
    .expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("m left");
    let numbers = msg_with("Most values of “{column}” are numbers or codes, not names.", &[&"학번"]);
    let again = msg_with("Press {key} again to use these columns.", &[&"⏎"]);
    let screen = h.settled().await;
    assert!(screen.contains(&numbers) && !screen.contains(&again), "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(&again) && screen.contains("< 학번"), "{screen}");
    // The second yes is for this mapping only.
    h.press("down left");
    let screen = h.settled().await;
    let few = msg_with("Only {n} of {all} values of “{column}” are e-mail addresses.", &[&0, &2, &"성명"]);
    assert!(screen.contains(&few) && !screen.contains(&again), "{screen}");
    h.press("right enter");
    assert!(h.settled().await.contains(&again), "{}", h.screen());
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("name = 학번, e-mail = 이메일")), "{screen}");
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn a_name_column_of_codes_is_not_replaced_by_a_guess() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("codes.csv");
    let rows = [
        "성명,연락 메일,학과",
        "20240321 김하늘,a1@naru.example,컴퓨터공학과",
        "20240322 이서준,a2@naru.example,경영학과",
        "20240323 박지우,a3@naru.example,국어국문학과",
        "20240324 최유나,a4@naru.example,컴퓨터공학과",
    ];
    std::fs::write(&file, rows.join("\n")).expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg("Which columns are the name and the e-mail address?")).await;
    h.press("enter enter");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("< {}", msg("choose a column"))), "nobody chose: {screen}");
    assert!(screen.contains("< 연락 메일"), "{screen}");
    h.press("right enter enter");
    let screen = h.shows(msg_part("check every row")).await;
    assert!(screen.contains(msg_part("name = 성명, e-mail = 연락 메일")), "{screen}");
}

#[tokio::test]
async fn family_and_given_names_are_fields_of_the_mapping() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("two.csv");
    std::fs::write(&file, "a,b,c\n김,민수,kim@naru.example\n이,영희,lee@naru.example\n").expect("written");
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg("Which columns are the name and the e-mail address?")).await;
    h.press("right right");
    let screen = h.settled().await;
    assert!(screen.contains(msg("family and given name")), "{screen}");
    assert!(screen.contains(msg("Family name")) && screen.contains(msg("Given name")), "{screen}");
    h.press("enter");
    let screen = h.shows(msg_part("check every row")).await;
    assert!(screen.contains(msg_part("name = a + b, e-mail = c")) && screen.contains("김민수"), "{screen}");
}

#[tokio::test]
async fn the_review_opens_the_mapping_again_and_says_what_changed_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    let write = |rows: &str| std::fs::write(&file, format!("별명,성명,이메일\n{rows}")).expect("written");
    write("미나,김민수,kim@naru.example\n영이,이영희,lee@naru.example\n");
    let mut h = Harness::new(small(), 100, 30).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("이영희").await;
    h.settled().await;
    // The same mapping again changes nothing.
    h.press("m");
    let screen = h.shows("< 성명").await;
    assert!(screen.contains("< 이메일") && !screen.contains(msg_part("The file has changed")), "{screen}");
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.shows(msg("The columns are unchanged. The draft keeps its rows and decisions.")).await;
    assert!(h.settled().await.contains("이영희"), "{}", h.screen());
    // Another name column gives a new draft; the old one goes when the new one begins.
    write("미나,김민수,kim@naru.example\n영,이영희,lee@naru.example\n셋,박철수,park@naru.example\n");
    h.press("m");
    let change =
        msg_with("The file has changed since the draft: {change}.", &[&"1 row added, 1 row changed"]);
    h.shows(&change).await;
    let screen = h.settled().await;
    let words = super::narrow::flat(&screen);
    assert!(words.contains("Added: 박철수. Changed: 이영희."), "{screen}");
    h.press("left enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("name = 별명, e-mail = 이메일")), "{screen}");
    h.press("enter");
    h.shows("3 ready").await;
    h.confirm_draft("3").await;
    h.until("accepted", |s| s.contains("waiting 3")).await;
    assert_eq!(accepted(&h), 3);
    h.gone(lapel::jobs::JobId(1)).await;
}

#[tokio::test]
async fn a_correction_that_was_begun_is_there_again_after_lines_were_added_above_its_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    let write = |rows: &str| std::fs::write(&file, format!("성명,이메일\n{rows}")).expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    let correct = async |h: &mut Harness| {
        h.press("/");
        h.type_text("kim@");
        h.press("enter");
        h.settled().await;
        h.press("c");
        h.settled().await
    };
    write("Garc?a,kim@naru.example\n이영희,lee@naru.example\n");
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("1 ready").await;
    h.settled().await;
    correct(&mut h).await;
    h.type_text("WW");
    h.press("esc esc");
    h.settled().await;
    write("박철수,park@naru.example\nGarc?a,kim@naru.example\n이영희,lee@naru.example\n");
    h.press("m");
    h.shows(msg_part("The file has changed")).await;
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.shows("2 ready").await;
    h.settled().await;
    let screen = correct(&mut h).await;
    assert!(screen.contains("Garc?aWW"), "{screen}");
    // Of two equal rows, it belongs to the first.
    h.press("esc esc");
    h.settled().await;
    write("Garc?a,kim@naru.example\nGarc?a,kim@naru.example\n이영희,lee@naru.example\n");
    h.press("m");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.press("/");
    h.type_text("#3");
    h.press("enter");
    h.settled().await;
    h.press("c");
    let screen = h.settled().await;
    assert!(screen.contains("Garc?a") && !screen.contains("Garc?aWW"), "{screen}");
}

/// Also decisions that do not apply to the mapping between: they come back with the first one.
#[tokio::test]
async fn decisions_survive_another_mapping_and_the_way_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    let rows = "별명,성명,이메일\n미나,Garc?a,kim@naru.example\n영이,이영희,lee@naru.example\n셋,박철수,park@gmial.com\n";
    std::fs::write(&file, rows).expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("2 need review")).await;
    h.settled().await;
    // A suggestion is taken, a name with lost letters is allowed, a ready row is skipped.
    let row = async |h: &mut Harness, name: &str, key: &str| {
        h.press("/");
        h.type_text(name);
        h.press("enter");
        h.settled().await;
        h.press(key);
        h.settled().await;
        h.press("esc");
        h.settled().await;
    };
    row(&mut h, "park@", "enter").await;
    row(&mut h, "kim@", "space").await;
    row(&mut h, "lee@", "-").await;
    let is_decided = |screen: &str| screen.contains("2 ready") && screen.contains("1 skipped");
    let screen = h.settled().await;
    assert!(is_decided(&screen), "{screen}");
    for (key, name) in [("left", "별명"), ("right", "성명")] {
        h.press("m");
        h.shows("< 이메일").await;
        h.press(key);
        h.press("enter");
        h.shows(&format!("name = {name}, e-mail = 이메일")).await;
        h.settled().await;
        h.press("enter");
        h.shows("1 skipped").await;
        let screen = h.settled().await;
        assert!(is_decided(&screen), "{name}: {screen}");
    }
    h.confirm_draft("2").await;
    h.until("accepted", |s| s.contains("waiting 2")).await;
    let sent = h.sandbox.control().ledger().accepted;
    let mut sent: Vec<String> = sent.into_iter().map(|one| one.recipient_email).collect();
    sent.sort();
    assert_eq!(sent, ["kim@naru.example", "park@gmail.com"]);
}

#[tokio::test]
async fn a_skipped_row_stays_skipped_when_another_cell_of_it_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("list.csv");
    let write = |rows: &str| std::fs::write(&file, format!("성명,이메일,비고\n{rows}")).expect("written");
    write("김민수,kim@naru.example,\n이영희,lee@naru.example,\n박철수,park@naru.example,\n");
    let mut h = Harness::new(small(), 100, 30).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows("3 ready").await;
    h.settled().await;
    for name in ["kim@", "park@"] {
        h.press("/");
        h.type_text(name);
        h.press("enter");
        h.settled().await;
        h.press("-");
        h.settled().await;
        h.press("esc");
        h.settled().await;
    }
    h.shows("2 skipped").await;
    // A note of the first row changes, and the other skipped row becomes another recipient.
    write("김민수,kim@naru.example,제외함\n이영희,lee@naru.example,\n박철수,chulsoo@naru.example,\n");
    h.press("m");
    h.shows(msg_part("The file has changed since the draft")).await;
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.press("enter");
    let screen = h.shows("2 ready").await;
    assert!(screen.contains("1 skipped"), "{screen}");
    let lost = "1 earlier decision does not apply";
    assert!(screen.contains(lost), "{screen}");
    // The confirmation says it, too.
    h.settled().await;
    h.press("G enter");
    let screen = h.shows(msg_part("Issue 2 badges")).await;
    assert!(screen.contains(lost), "{screen}");
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn pasted_lines_become_a_draft() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = people(&mut h, 0..3).await;
    assert!(screen.contains(msg_part("3 rows")) && screen.contains("3 ready"), "{screen}");
    assert_eq!(screen.matches(msg("pasted text")).count(), 1, "it is said once: {screen}");
    assert!(!screen.contains(msg("The pasted text")), "{screen}");
    assert!(screen.contains("DEMO") && screen.contains(msg_part("3 rows · 1 request")), "{screen}");
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Nothing was sent")), "{screen}");
    assert!(screen.contains(msg("one recipient")), "the form below the review: {screen}");
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn a_domain_that_is_nearly_one_of_earlier_recipients_is_asked_about() {
    let mut h = Harness::new(small(), 100, 30).await;
    issue(&mut h, 0..10).await;
    h.shows("waiting 10 = 10").await;
    let asked = msg_with("did you mean {meant}?", &[&"naru.example"]);
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("김민지");
    h.press("tab");
    h.type_text("minji@naru.example");
    assert!(!h.screen().contains(&asked), "{}", h.screen());
    h.press("ctrl-u");
    h.type_text("minji@naru.exmaple");
    assert!(h.screen().contains(&asked), "{}", h.screen());
    // The review says it, too, and asks for nothing more than otherwise.
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(&format!("e-mail: {asked}")), "{screen}");
    h.confirm("1");
    h.shows("waiting 1 = 1").await;
    assert_eq!(accepted(&h), 11);
    // In a file, such a row needs review, as one with another well-known domain does.
    h.press("1");
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.paste("김민수, kim@naru.exmaple\n이영희, lee@naru.example\n");
    h.shows(msg("columns")).await;
    h.press("enter");
    let screen = h.shows("1 needs review").await;
    assert!(screen.contains("1 ready"), "{screen}");
}

#[tokio::test]
async fn reading_who_has_the_badge_can_be_given_up() {
    let mut h = Harness::new(held(), 80, 24).await;
    h.settled().await;
    h.press("1 i");
    h.settled().await;
    h.paste("김민수, kim@naru.example\n이영희, lee@naru.example\n박철수, park@naru.example\n");
    h.shows(msg("columns")).await;
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("enter");
    h.shows(msg("checking for duplicates")).await;
    h.press("enter");
    assert!(
        h.screen().contains(msg("The duplicate check is still running. Nothing was sent.")),
        "{}",
        h.screen()
    );
    h.press("esc");
    h.shows(msg("one recipient")).await;
    assert_eq!(accepted(&h), 0);
}

#[tokio::test]
async fn file_names_are_completed_and_earlier_files_are_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("수료자 명단.csv");
    std::fs::write(&file, "이름,이메일\n김민수,kim@naru.example\n").expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.press("tab tab");
    h.type_text(&format!("{}/수", folder.path().display()));
    h.press("tab");
    h.until("the whole name", |s| s.contains("수료자 명단.csv")).await;
    h.press("enter");
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.confirm_draft("1").await;
    h.shows("waiting 1").await;
    h.press("1 i");
    h.settled().await;
    h.press("tab tab up");
    assert!(h.screen().contains("수료자 명단.csv"), "{}", h.screen());
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let mut h = Harness::new(small(), 80, 24).await;
    drop_file(&mut h, "/no/such/file.csv").await;
    let screen = h.shows(msg_part("file not found")).await;
    assert!(screen.contains(msg_part("Nothing was sent")), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg("one recipient")));
}

#[tokio::test]
async fn badges_whose_ids_stand_in_a_file_are_revoked_after_a_review() {
    let mut h = Harness::new(small(), 100, 30).await;
    let row = |state, name: &str| RowSpec {
        state,
        recipient_name: name.into(),
        recipient_email: "mixed@naru.example".into(),
        ..RowSpec::default()
    };
    let rows = Rows {
        insert: vec![
            row(RowState::Issued, "가나다"),
            row(RowState::Issued, "라마바"),
            row(RowState::Waiting, "사아자"),
            row(RowState::Revoked, "차카타"),
        ],
        ..Rows::default()
    };
    let ids = h.sandbox.control().rows(&rows).expect("inserted");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ids.csv");
    let lines = format!("badge_id\n{}\n{}\n1.23E+15\nB-nobody\n", ids.join("\n"), ids[0]);
    std::fs::write(&file, lines).expect("written");
    h.settled().await;
    h.press("5 F");
    h.paste(&file.display().to_string());
    h.press("enter enter");
    assert!(h.screen().contains(msg_part("the reason is empty")));
    h.type_text("중복 발급");
    // As in other forms: back to the file, and to the reason again.
    for back in ["backtab", "up"] {
        h.press(back);
        assert!(h.screen().contains(&format!("▌{}", file.display())), "{back}:\n{}", h.screen());
        h.press("enter");
    }
    h.press("tab enter");
    h.shows(&msg_with("badge ids from: {column}", &[&"badge_id"])).await;
    let screen = h.settled().await;
    assert!(
        screen.contains("1.23E+15") && screen.contains(msg_part("a spreadsheet shortened the id")),
        "damage is seen before anything is asked: {screen}"
    );
    h.press("enter");
    h.shows(msg_part("7 rows")).await;
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("7 rows")) && screen.contains(&format!("2 {}", msg("to revoke now"))),
        "{screen}"
    );
    let now = msg_with("{badges} now, in {requests}", &[&"2 badges", &"1 request"]);
    assert!(
        screen.contains(&format!("{now} · {}", msg_with("{badges} once issued", &[&"1 badge"]))),
        "{screen}"
    );
    h.press("j");
    let screen = h.settled().await;
    assert!(screen.contains("1.23E+15"), "the damaged one is named: {screen}");
    h.confirm_draft("3").await;
    h.shows(msg("Problem")).await;
    h.until("two are under way", |s| s.contains("revoking 2")).await;
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    for _ in 0..3 {
        h.press("r");
        h.settled().await;
        h.sandbox.control().advance(std::time::Duration::from_secs(3600));
    }
    h.until("all three", |s| s.contains(msg_part("revoked 3"))).await;
}

#[tokio::test]
async fn badges_in_an_unknown_state_have_their_own_group_in_a_review() {
    let mut h = Harness::new(small(), 100, 30).await;
    let row = |label: Option<&str>| RowSpec {
        label: label.map(str::to_owned),
        recipient_email: "mixed@naru.example".into(),
        ..RowSpec::default()
    };
    let insert = vec![row(None), row(Some("심사중")), row(None), row(Some("SUSPENDED"))];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ids.csv");
    std::fs::write(&file, format!("badge_id\n{}\n", ids.join("\n"))).expect("written");
    h.settled().await;
    h.press("5 F");
    h.paste(&file.display().to_string());
    h.press("enter enter");
    h.type_text("중복 발급");
    h.press("tab enter");
    h.shows(&msg_with("badge ids from: {column}", &[&"badge_id"])).await;
    h.press("enter");
    let own = msg_with("{what}: {n}", &[&msg("unknown state, so the service decides"), &2]);
    let screen = h.shows(&own).await;
    assert!(screen.contains("4 to revoke now"), "{screen}");
    assert!(screen.contains(&msg_with("{what}: {n}", &[&msg("to revoke now"), &2])), "{screen}");
    h.press("G enter");
    h.shows(msg_part("2 badges are in a state that lapel does not know")).await;
}

#[tokio::test]
async fn a_person_says_how_a_file_of_ids_is_read_where_that_is_not_clear() {
    let mut h = Harness::new(small(), 100, 30).await;
    let insert = vec![RowSpec { recipient_email: "one@naru.example".into(), ..RowSpec::default() }];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("목록.csv");
    // CP949, and no column that is called like a badge id.
    let text = format!("이름,번호\n홍길동,{}\n", ids[0]);
    std::fs::write(&file, encoding_rs::EUC_KR.encode(&text).0).expect("written");
    h.settled().await;
    h.press("2 F");
    h.paste(&file.display().to_string());
    h.press("enter");
    h.type_text("중복 발급");
    h.press("enter");
    let screen = h.shows(msg("Which column has the badge ids?")).await;
    assert!(screen.contains(msg_part("column 2   e.g. 번호")) && screen.contains("CP949"), "{screen}");
    // The first row holds the names of the columns, though lapel does not know them.
    h.press("esc #");
    h.shows(msg("Which row has the column names?")).await;
    h.press("down enter");
    h.shows("번호   e.g. B-").await;
    h.press("down enter");
    h.shows(&msg_with("badge ids from: {column}", &[&"번호"])).await;
    let screen = h.settled().await;
    assert!(screen.contains(&ids[0]), "{screen}");
    // Read in another way, what was said of it is asked again.
    h.press("E");
    h.shows(msg_part("Which text is correct?")).await;
    h.press("enter");
    h.shows(msg_part("column 2   e.g. 번호")).await;
    h.press("down enter");
    h.shows(&msg_with("badge ids from: {column}", &[&"column 2"])).await;
    h.press("enter");
    h.shows("1 to revoke now").await;
}

#[tokio::test]
async fn what_nobody_can_revoke_opens_no_form_and_says_why() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |state| RowSpec { state, recipient_email: "gone@naru.example".into(), ..RowSpec::default() };
    let insert =
        [RowState::Revoked, RowState::Revoking, RowState::Revoked, RowState::Revoking].map(row).to_vec();
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("gone@naru.example");
    h.settled().await;
    h.press("esc a x");
    let screen = h.screen();
    assert_eq!(h.tui.app.modal(), None, "{screen}");
    assert!(screen.contains(&msg_with("{n} already revoked", &[&2])), "{screen}");
    assert!(screen.contains(&msg_with("{n} already being revoked", &[&2])), "{screen}");
}

#[tokio::test]
async fn the_last_question_before_a_revocation_shows_the_badge_and_the_whole_reason() {
    let mut h = Harness::new(small(), 160, 50).await;
    let insert = vec![RowSpec {
        recipient_name: "서다안".into(),
        recipient_email: "dain@naru.example".into(),
        ..RowSpec::default()
    }];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("dain@naru.example");
    h.settled().await;
    h.press("esc x");
    h.settled().await;
    h.type_text(&format!("{} its end", "a long reason ".repeat(14)));
    h.press("enter");
    let screen = h.settled().await;
    let asked = screen.lines().skip_while(|line| !line.contains(msg_part("(cannot be undone)")));
    let asked = asked.collect::<Vec<_>>().join("\n");
    assert!(asked.contains("its end"), "{screen}");
    assert!(asked.contains("서다안  dain@naru.example") && asked.contains(&ids[0]), "{screen}");
}

#[tokio::test]
async fn what_waits_is_revoked_when_it_becomes_issued_if_one_says_so() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = |state, email: &str| RowSpec { state, recipient_email: email.into(), ..RowSpec::default() };
    let insert =
        vec![row(RowState::Waiting, "waits@naru.example"), row(RowState::Issued, "other@naru.example")];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("2");
    h.settled().await;
    h.press("/ ctrl-f tab");
    h.type_text("waits@naru.example");
    h.settled().await;
    h.press("esc x");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("No badge here can be revoked now")), "{screen}");
    assert!(!screen.contains("Revoke 0"), "{screen}");
    assert!(!screen.contains(msg_part("next field")) && !screen.contains(msg_part("⏎ next")), "{screen}");
    h.press("tab");
    let screen = h.screen();
    assert!(screen.contains(&format!("[x] {}", msg_part("waiting badges: revoke when issued"))), "{screen}");
    h.type_text("중복 발급");
    h.press("enter");
    h.confirm("1");
    h.shows(msg_part("to revoke when issued 1 = 1")).await;
    assert_eq!(requests(&h, "POST /badges/revoke"), 0);
    // Until then, the answer to a caller and the badge itself say so.
    let planned = msg_with("revoked as soon as it is issued (job {job})", &[&1]);
    h.press("3");
    h.type_text("waits@naru.example");
    h.press("enter");
    let screen = h.shows(&planned).await;
    assert!(!screen.contains(msg_part("waits to be issued")), "{screen}");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    h.shows(&planned).await;
    h.press("5");
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.settled().await;
    h.press("r");
    h.until("it is under way", |s| s.contains("revoking 1") || s.contains(msg_part("revoked 1"))).await;
    assert_eq!(requests(&h, "POST /badges/revoke"), 1);
    // The reason is offered the next time.
    h.press("2 / ctrl-u");
    h.type_text("other@naru.example");
    h.settled().await;
    h.press("esc");
    h.press("x");
    h.settled().await;
    h.press("up");
    assert!(h.screen().contains("중복 발급"), "{}", h.screen());
}

#[tokio::test]
async fn a_correction_does_not_warn_of_the_badge_that_it_replaces() {
    let mut h = Harness::new(small(), 100, 30).await;
    issue(&mut h, 0..2).await;
    h.shows("waiting 2 = 2").await;
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    h.settled().await;
    h.press("r");
    h.until("it is issued", |s| s.contains(msg_part("issued 2"))).await;
    h.settled().await;
    h.press("enter");
    h.shows(msg_part("row 1 of 2")).await;
    h.press("enter");
    h.shows("VALID").await;
    h.settled().await;
    h.press("c");
    h.shows(msg_part("Correct and replace")).await;
    h.settled().await;
    h.press("ctrl-u");
    h.type_text("서다인");
    h.press("tab tab");
    h.type_text("이름 오기");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Two mails will arrive")), "{screen}");
    assert!(!screen.contains(msg_part("lapel already sent this badge")), "{screen}");
    h.confirm("1");
    h.shows(msg_part("to revoke when issued 1")).await;
    h.settled().await;
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn a_badge_is_corrected_and_the_old_one_goes_when_the_new_one_is_issued() {
    let mut h = Harness::new(small(), 100, 30).await;
    let insert = vec![RowSpec {
        recipient_name: "서다안".into(),
        recipient_email: "dain@naru.example".into(),
        ..RowSpec::default()
    }];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.shows("서다안").await;
    h.settled().await;
    h.press("c");
    h.shows(msg_part("Correct and replace")).await;
    h.settled().await;
    h.press("tab tab");
    h.type_text("이름 오기");
    h.press("enter");
    assert!(h.screen().contains(msg_part("there is nothing to correct")), "{}", h.screen());
    h.press("tab ctrl-u");
    h.type_text("서다인");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("Two mails will arrive")), "{screen}");
    assert!(screen.contains(msg_part("badges are valid until the corrected one is Issued")), "{screen}");
    assert!(screen.contains("서다안") && screen.contains("서다인"), "{screen}");
    assert_eq!(accepted(&h), 0);
    h.confirm("1");
    h.shows(msg_part("1 job · 1 open")).await;
    h.shows(msg_part("to revoke when issued 1")).await;
    let screen = h.settled().await;
    // One row, until it is opened.
    assert!(screen.contains(msg("replace")) && screen.contains("서다안 → 서다인"), "{screen}");
    let kinds = |screen: &str| {
        let is_row = |line: &&str| line.trim_start_matches(['▌', ' ']).starts_with('#');
        screen.lines().filter(is_row).count()
    };
    assert_eq!(kinds(&screen), 1, "{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert_eq!(kinds(&screen), 2, "both parts: {screen}");
    h.press("j enter");
    let screen = h.settled().await;
    assert!(screen.contains("서다인"), "the rows of one part: {screen}");
    h.press("esc");
    h.press("esc");
    assert_eq!(kinds(&h.settled().await), 1, "{}", h.screen());
    assert_eq!(accepted(&h), 1);
    assert_eq!(requests(&h, "POST /badges/revoke"), 0, "the old one stays until the new one is Issued");
    h.sandbox.control().advance(std::time::Duration::from_secs(25 * 3600));
    for _ in 0..4 {
        h.settled().await;
        h.press("r");
        assert_eq!(kinds(&h.settled().await), 1, "both parts are checked, as one row: {}", h.screen());
        h.sandbox.control().advance(std::time::Duration::from_secs(3600));
    }
    h.until("both are done", |s| s.contains(msg_part("revoked 1")) && s.contains(msg_part("1 job · 0 open")))
        .await;
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.accepted_total(), 1);
    assert_eq!(ledger.revokes.iter().map(|r| r.accepted).sum::<u64>(), 1);
}

/// The list has fewer rows than jobs while a replacement is one row.
#[tokio::test]
async fn the_last_row_below_a_replacement_stays_selected() {
    let mut h = Harness::new(small(), 100, 30).await;
    super::activity::issue(&mut h, 0..2).await;
    h.settled().await;
    let row = RowSpec { recipient_email: "dain@naru.example".into(), ..RowSpec::default() };
    let ids = h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("c");
    h.settled().await;
    h.press("ctrl-u");
    h.type_text("서다인");
    h.press("tab tab");
    h.type_text("이름 오기");
    h.press("enter");
    h.settled().await;
    h.confirm("1");
    h.shows(msg_part("2 jobs")).await;
    let selected = |screen: &str| screen.lines().find(|line| line.contains('▌')).map(str::to_owned);
    h.press("G");
    let last = selected(&h.settled().await).expect("a row");
    assert!(last.contains("#1 "), "{}", h.screen());
    for keys in ["j", "pagedown", "G"] {
        h.press(keys);
        assert_eq!(selected(&h.settled().await).as_ref(), Some(&last), "{keys}: {}", h.screen());
    }
}

#[tokio::test]
async fn live_asks_for_the_number_of_a_file_with_one_person_too() {
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session.environment = Environment::Live;
        session
    })
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("one.csv");
    std::fs::write(&file, "이름,이메일\n김민수,kim@naru.example\n").expect("written");
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.confirm_draft("").await;
    let screen = h.screen();
    assert!(screen.contains("LIVE") && screen.contains("1 연습용"), "{screen}");
    h.settled().await;
    assert_eq!(accepted(&h), 0);
    h.confirm("1");
    h.settled().await;
    assert_eq!(accepted(&h), 0, "the number alone sends nothing");
}

#[tokio::test]
async fn a_column_of_templates_makes_a_job_of_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("many.csv");
    let lines = "이름,이메일,template_id\n김민수,kim@naru.example,TPL-001\n이영희,lee@naru.example,TPL-004\n박철수,park@naru.example,TPL-001\n";
    std::fs::write(&file, lines).expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    drop_file(&mut h, &file.display().to_string()).await;
    let screen = h.shows(msg_part("check every row")).await;
    assert!(
        screen.contains(&msg_with("{now} {key}: use the template column of each row", &[&"[ ]", &"space"])),
        "{screen}"
    );
    h.press("space enter");
    h.shows(msg_part("(1 of 2 templates in the file)")).await;
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("2 rows")) && screen.contains(msg_part("3 rows · 2 requests")),
        "{screen}"
    );
    h.press("}");
    h.settled().await;
    let screen = h.shows(msg_part("(2 of 2 templates in the file)")).await;
    assert!(screen.contains("1 row ") && screen.contains("이영희"), "{screen}");
    h.confirm_draft("3").await;
    h.shows(msg_part("2 jobs")).await;
    h.until("both accepted", |s| s.contains("waiting 1 = 1")).await;
    assert_eq!(accepted(&h), 3);
}

#[tokio::test]
async fn every_form_can_be_drawn_at_any_size() {
    let mut h = Harness::new(small(), 100, 30).await;
    let sizes = [(1, 1), (60, 16), (61, 17), (80, 24), (200, 60), (300, 16)];
    let draw = |h: &mut Harness| {
        for (columns, rows) in sizes {
            h.tui.surface.resize(columns, rows);
            h.tui.app.update(Message::Resize(columns, rows));
            h.screen();
        }
        h.tui.surface.resize(100, 30);
        h.tui.app.update(Message::Resize(100, 30));
    };
    drop_file(&mut h, &demo("attendees-cp949.csv")).await;
    h.shows(msg_part("check every row")).await;
    draw(&mut h);
    for key in ["E", "esc m", "esc #"] {
        h.press(key);
        draw(&mut h);
    }
    h.press("esc enter");
    h.shows(msg_part("Nothing is sent until you confirm. ")).await;
    h.settled().await;
    draw(&mut h);
    h.press("enter");
    draw(&mut h);
    h.press("esc c");
    draw(&mut h);
    h.press("esc e");
    draw(&mut h);
    h.press("esc esc esc esc 5 F");
    draw(&mut h);
}

#[tokio::test]
async fn undo_names_the_template_of_the_last_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("many.csv");
    let lines = "이름,이메일,template_id\n김민수,kim@naru.example,TPL-001\n이영희,lee@naru.example,TPL-004\n";
    std::fs::write(&file, lines).expect("written");
    let mut h = Harness::new(small(), 100, 30).await;
    drop_file(&mut h, &file.display().to_string()).await;
    h.shows(msg_part("check every row")).await;
    h.press("space enter");
    h.shows(msg_part("(1 of 2 templates in the file)")).await;
    h.settled().await;
    h.press("}");
    h.shows(msg_part("(2 of 2 templates in the file)")).await;
    h.settled().await;
    h.press("-");
    h.shows("1 skipped").await;
    h.settled().await;
    h.press("} u");
    h.shows(msg_part("Nothing to undo here: the last decision is about")).await;
    h.settled().await;
    h.press("} u");
    let screen = h.shows(msg_part("(2 of 2 templates in the file)")).await;
    assert!(!screen.contains("김민수"), "{screen}");
    h.shows("1 ready").await;
    let screen = h.settled().await;
    assert!(!screen.contains("1 skipped"), "{screen}");
}
