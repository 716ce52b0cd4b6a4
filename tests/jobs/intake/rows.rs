//! Every trap of names and addresses, with its verdict.

use crate::texts::msg_part;
use lapel::jobs::intake::CheckOutcome::{self, Ask, Ready, Refused};
use lapel::jobs::intake::{
    CellFact, CellNote, ColumnMap, NameColumns, RawRow, RecipientField, Severity, check, check_person,
};

const MAIL: &str = "hong@naru.example";

fn verdict(name: &str, email: &str) -> (CheckOutcome, Vec<String>) {
    let (_, _, outcome, findings) = check_person(name, email);
    (outcome, findings.into_iter().map(|f| f.what.to_string()).collect())
}

#[test]
fn names_as_people_have_them_are_ready() {
    for name in [
        "김민수",
        "김 민수",
        "남궁 민",
        "제갈공명",
        "황보 라",
        "선우용녀",
        "독고 탁",
        "외자 민",
        "홍철",
        "王小明",
        "李舜臣",
        "O'Neil",
        "Lea O'Connor-Kim",
        "Jean-Luc",
        "Null, Christopher",
        "Christopher Null",
        "Ahmet Yılmaz",
        "علي حسن",
        "นภา ศรีสุข",
        "Дмитрий Иванов",
        "José",
        "마리·안느",
        "Kim 👩\u{200d}💻",
        "❤\u{fe0f} Lee",
        "क्\u{200d}षमा",
        "می\u{200c}نا",
        "金\u{f90a}",
        "Dr. Kim",
        "김하님이",
        "A",
        "Na",
        "이 Null",
    ] {
        let (outcome, what) = verdict(name, MAIL);
        assert_eq!(outcome, Ready, "{name}: {what:?}");
    }
}

#[test]
fn letters_of_two_alphabets_in_an_address_need_review() {
    for mixed in ["s2024\u{430}080@naru.example", "kim.mins\u{443}@naru.example"] {
        let (outcome, what) = verdict("김민수", mixed);
        assert_eq!(outcome, Ask, "{mixed}");
        assert!(what.iter().any(|what| what.contains("two alphabets")), "{mixed}: {what:?}");
    }
}

#[test]
fn names_that_cannot_be_sent_are_refused_with_the_reason() {
    for (name, reason) in [
        ("", "empty"),
        ("   ", "empty"),
        ("\u{3164}", "invisible"),
        ("\u{200b}\u{a0}", "invisible"),
        ("#REF!", "formula error"),
        ("#N/A", "formula error"),
        ("김\u{1b}]52;c;aGk=\u{7}수", "control character (U+001B)"),
        ("김\u{9b}31m수", "control character"),
        ("김\n민수", "line break"),
        ("김\t민수", "tab"),
        ("abc\u{202e}fed", "changes the writing direction (U+202E)"),
        ("\u{2067}abc", "changes the writing direction"),
        ("a\u{fffe}b", "not a valid character"),
        // What lapel's own files have instead.
        ("\u{241b}[2J", "\u{241b}, which a file of lapel has"),
        ("A\u{27e8}U+202E\u{27e9}B", "\u{27e8}U+202E\u{27e9}, which"),
        ("Kim [key]", "[key], which"),
    ] {
        let (outcome, what) = verdict(name, MAIL);
        assert_eq!(outcome, Refused, "{name:?}");
        assert!(what.iter().any(|w| w.contains(reason)), "{name:?}: {what:?}");
    }
}

/// One reason for every way in which letters get lost, so that a person decides about them together.
const LOST: &str = "letters of the name were lost in a conversion";

#[test]
fn names_that_a_person_should_look_at_are_asked_about() {
    for (name, reason) in [
        ("null", "placeholder"),
        ("NULL", "placeholder"),
        ("N/A", "placeholder"),
        ("없음", "placeholder"),
        ("-", "no letters"),
        ("12345", "only digits"),
        ("홍길동님", "\"님\""),
        ("김민수 학생", "\"학생\""),
        ("김민수(20231234)", "(20231234)"),
        ("김민준A", "\"A\""),
        ("김민준 2", "\"2\""),
        ("ＫＩＭ", "full-width"),
        ("kim\u{200b}minsu", "invisible"),
        ("a\u{200d}b", "invisible"),
        ("김ㅁ수", "single Hangul letter"),
        ("김\u{a0}민수", "unusual space"),
        ("김\u{3000}민수", "unusual space"),
        ("김  민수", "two spaces"),
        ("Garc?a", LOST),
        ("Nguy?n V?n", LOST),
        ("?elik", LOST),
        ("±è¹Î¼ö", LOST),
        ("±è¹Î¼ö", "김민수"),
        ("JosÃ© García", LOST),
        ("JosÃ© García", "José"),
        ("김\u{fffd}수", LOST),
        ("???", LOST),
        ("=HYPERLINK(1)", "formula"),
        ("Kim &amp; Lee", "HTML"),
        ("Kіm Minsu", "two alphabets"),
        (MAIL, "is an e-mail address"),
    ] {
        let (outcome, what) = verdict(name, MAIL);
        assert_eq!(outcome, Ask, "{name:?}: {what:?}");
        assert!(what.iter().any(|w| w.contains(reason)), "{name:?}: {what:?}");
    }
    assert_eq!(verdict(&"가".repeat(100), MAIL).0, Ready);
    assert_eq!(verdict(&"가".repeat(101), MAIL).0, Ask);
    assert_eq!(verdict(&"a".repeat(300), MAIL).0, Ask);
}

#[test]
fn names_are_composed_and_trimmed_and_nothing_else() {
    let pieces = "\u{1100}\u{1175}\u{11b7}\u{1106}\u{1175}\u{11ab}\u{1109}\u{116e}";
    let (name, _, outcome, findings) = check_person(pieces, MAIL);
    assert_eq!((name.as_str(), outcome), ("김민수", Ready));
    assert_eq!(findings[0].severity, Severity::Note);
    let (name, _, outcome, _) = check_person("Jose\u{301}", MAIL);
    assert_eq!((name.as_str(), outcome), ("José", Ready));
    // CP949 has its own code points for some Han characters: they stay, also beside what is composed.
    let (name, _, _, _) = check_person(&format!("\u{f90a}\u{f9e1} {pieces}"), MAIL);
    assert_eq!(name, "\u{f90a}\u{f9e1} 김민수");
    let (name, _, outcome, findings) = check_person("\u{feff}\u{a0} 홍길동\u{3000}", MAIL);
    assert_eq!((name.as_str(), outcome), ("홍길동", Ready));
    assert!(findings.iter().any(|f| f.severity == Severity::Note && f.field == RecipientField::Name));
}

#[test]
fn swapped_columns_are_recognised() {
    let (outcome, what) = verdict(MAIL, "홍길동");
    assert_eq!(outcome, Refused);
    assert!(what.iter().any(|w| w.contains("swapped")), "{what:?}");
}

#[test]
fn addresses_get_the_verdict_they_deserve() {
    for (email, outcome, sent, reason) in [
        (MAIL, Ready, MAIL, None),
        (" hong@naru.example ", Ready, MAIL, Some("around the address")),
        ("hong@naru.example\u{a0}", Ready, MAIL, Some("around the address")),
        ("\u{200b}hong@naru.example", Ready, MAIL, Some("around the address")),
        ("mailto:hong@naru.example", Ready, MAIL, Some("removed the text around")),
        ("홍길동 <hong@naru.example>", Ready, MAIL, Some("removed the text around")),
        ("Hong@naru.example", Ready, "Hong@naru.example", Some("upper-case")),
        ("hong+tag@naru.example", Ready, "hong+tag@naru.example", None),
        ("min.ng@example.com", Ready, "min.ng@example.com", None),
        ("o'neil@example.org", Ready, "o'neil@example.org", None),
        ("kim@예시.테스트", Ready, "kim@예시.테스트", None),
        ("info@naru.example", Ready, "info@naru.example", Some("office")),
        ("kim@naver.con", Ask, "kim@naver.con", Some("did you mean naver.com")),
        ("kim@navr.com", Ask, "kim@navr.com", Some("naver.com")),
        ("kim@hanmial.net", Ask, "kim@hanmial.net", Some("hanmail.net")),
        ("kim@gmial.com", Ask, "kim@gmial.com", Some("gmail.com")),
        ("kim@moondeck.con", Ask, "kim@moondeck.con", Some("moondeck.com")),
        ("kim@gm\u{430}il.com", Ask, "kim@gm\u{430}il.com", Some("two alphabets")),
        ("", Refused, "", Some("empty")),
        ("\u{3164}", Refused, "", Some("invisible")),
        ("#REF!", Refused, "#REF!", Some("formula error")),
        ("hong", Refused, "hong", Some("no @")),
        ("\u{241b}a@x.example", Refused, "\u{241b}a@x.example", Some("not valid")),
        (
            "a\u{27e8}U+202E\u{27e9}@x.example",
            Refused,
            "a\u{27e8}U+202E\u{27e9}@x.example",
            Some("not valid"),
        ),
        ("[key]@x.example", Refused, "[key]@x.example", Some("not valid")),
        ("hong＠naru.example", Refused, "hong＠naru.example", Some("full-width")),
        ("ｈａｎａ@naru.example", Refused, "ｈａｎａ@naru.example", Some("full-width letters")),
        ("hong@ｎａｒｕ.example", Refused, "hong@ｎａｒｕ.example", Some("full-width letters")),
        ("jose\u{301}@naru.example", Ready, "jos\u{e9}@naru.example", None),
        (" jose\u{301}@naru.example", Ready, "jos\u{e9}@naru.example", Some("spaces")),
        ("hong@naru。example", Refused, "hong@naru。example", Some("full stop")),
        ("홍길동@naru.example", Refused, "홍길동@naru.example", Some("Hangul")),
        ("ㅏㅑㅡ@naru.example", Refused, "ㅏㅑㅡ@naru.example", Some("Hangul keyboard")),
        ("a@x.example; b@x.example", Refused, "a@x.example; b@x.example", Some("address")),
        ("a@x.example;b@x.example", Refused, "a@x.example;b@x.example", Some("more than one")),
        ("kim@naru,example", Refused, "kim@naru,example", Some("comma")),
        ("kim@naru.co,kr", Refused, "kim@naru.co,kr", Some("comma")),
        ("kim@naru.example.", Refused, "kim@naru.example.", Some("dot")),
        ("kim..min@naru.example", Refused, "kim..min@naru.example", Some("dots")),
        ("k\u{202e}im@naru.example", Refused, "k\u{202e}im@naru.example", Some("hidden")),
    ] {
        let (_, as_sent, found, findings) = check_person("홍길동", email);
        let what: Vec<String> = findings.into_iter().map(|f| f.what.to_string()).collect();
        assert_eq!((found, as_sent.as_str()), (outcome, sent), "{email:?}: {what:?}");
        match reason {
            Some(reason) => assert!(what.iter().any(|w| w.contains(reason)), "{email:?}: {what:?}"),
            None => assert_eq!(what, [""; 0], "{email:?}"),
        }
    }
    assert_eq!(verdict("홍길동", &format!("{}@naru.example", "a".repeat(65))).0, Refused);
    assert_eq!(verdict("홍길동", &format!("a@{}.example", "b.".repeat(130))).0, Refused);
}

fn row(cells: &[&str], notes: Vec<CellNote>) -> RawRow {
    RawRow { record: 1, line: 7, cells: cells.iter().map(|c| (*c).to_owned()).collect(), notes }
}

fn map() -> ColumnMap {
    ColumnMap { name: NameColumns::One(0), email: 1, template: None }
}

#[test]
fn rows_that_are_no_people_are_told_apart() {
    for cells in [
        ["", ""],
        ["\u{a0}", "\u{3164}"],
        ["합계 120명", ""],
        ["합계", "120"],
        ["총 120명", ""],
        ["Total: 120", ""],
        ["소계", ""],
        ["TOTAL", "12"],
        ["이름", "이메일"],
        ["Name", "E-mail"],
    ] {
        let checked = check(row(&cells, Vec::new()), &map());
        assert_eq!(checked.outcome, CheckOutcome::NotARecipient, "{cells:?}");
        assert_eq!(checked.findings.len(), 1, "{cells:?}");
    }
    for cells in [["합계", "sum@naru.example"], ["총명", ""], ["계수나무", ""], ["이름", "hong@naru.example"]]
    {
        assert_ne!(check(row(&cells, Vec::new()), &map()).outcome, CheckOutcome::NotARecipient, "{cells:?}");
    }
}

#[test]
fn what_the_reader_noted_counts() {
    let note = |column, what| vec![CellNote { column, what }];
    for (notes, outcome) in [
        (note(None, CellFact::Hidden), Ask),
        (note(Some(0), CellFact::Hidden), Ready),
        (note(Some(0), CellFact::Formula), Ready),
        (note(Some(1), CellFact::FormulaWithoutValue), Refused),
        (note(Some(1), CellFact::Hyperlink), Ready),
        (note(Some(1), CellFact::LinkElsewhere("other@naru.example".to_owned())), Ask),
        (note(Some(0), CellFact::Error), Refused),
        (note(Some(0), CellFact::Date), Ask),
        (note(Some(2), CellFact::Error), Ready),
        (note(Some(2), CellFact::Extra), Ask),
        (note(Some(0), CellFact::StrayQuote), Ask),
    ] {
        let checked = check(row(&["홍길동", MAIL, "x"], notes.clone()), &map());
        assert_eq!(checked.outcome, outcome, "{notes:?}");
    }
    let hidden = check(row(&["홍길동", MAIL], note(None, CellFact::Hidden)), &map());
    assert!(hidden.findings[0].what.to_string().contains(msg_part("row 7 is hidden")));
}

#[test]
fn messages_quote_content_scrubbed() {
    let (_, _, _, findings) = check_person("±è¹Î¼ö\u{1b}[2J", "\u{1b}]52;c;x\u{7}@x");
    let hidden = check(
        row(
            &["홍길동", MAIL],
            vec![CellNote { column: Some(1), what: CellFact::LinkElsewhere("\u{1b}[2J@x".to_owned()) }],
        ),
        &map(),
    );
    for finding in findings.iter().chain(&hidden.findings) {
        assert!(!finding.what.to_string().chars().any(char::is_control), "{finding:?}");
    }
}
