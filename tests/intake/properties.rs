//! What holds for any bytes and any table.

use super::kit::*;
use lapel::jobs::intake::{
    Choices, ColumnMap, Delimiter, HeaderRow, NameColumns, Source, Standing, TextEncoding, Unwatched, check,
    check_person, read_ids,
};
use proptest::prelude::*;

fn read_everything(name: &str, bytes: &[u8]) {
    let folder = Folder::new();
    let source = folder.file(name, bytes);
    let forced = Choices {
        header: Some(HeaderRow::Absent),
        columns: Some(ColumnMap { name: NameColumns::One(0), email: 0, template: None }),
        ..Choices::default()
    };
    for choices in [Choices::default(), forced] {
        if let Ok(table) = open(&source, &choices) {
            table.preview(10);
            if let Ok(rows) = table.rows() {
                let map = ColumnMap { name: NameColumns::One(0), email: 1, template: Some(2) };
                for row in rows.flatten() {
                    check(row, &map);
                }
            }
        }
    }
    let _ = read_ids(&source, &Choices::default(), &Unwatched);
}

/// Characters that have a meaning somewhere on the way.
fn tricky() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "이름",
        "이메일",
        "홍길동",
        "a@b.example",
        ",",
        ";",
        "\t",
        "|",
        "\"",
        "\"\"",
        "\n",
        "\r",
        "\r\n",
        " ",
        "'",
        "=",
        "@",
        "\u{feff}",
        "\u{3164}",
        "\u{202e}",
        "\u{1112}",
        "\u{1169}",
        "\u{11bc}",
        "é",
        "e\u{301}",
        "±è¹Î¼ö",
        "源誘쇱닔",
        "合計",
        "합계",
        "<",
        ">",
        "(",
        ")",
        "\u{f90a}",
        "👩\u{200d}💻",
        "1.23E+15",
        "badge_id",
        "#REF!",
        "mailto:",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_whatever_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read_everything("x.csv", &bytes);
    }

    #[test]
    fn no_text_whatever_does_harm(text in tricky()) {
        read_everything("x.csv", text.as_bytes());
        let _ = open(&Source::Pasted(text), &Choices::default()).map(|t| t.preview(100));
    }

    #[test]
    fn a_damaged_workbook_does_no_harm(at in 0_usize..5000, bytes in prop::collection::vec(any::<u8>(), 1..8)) {
        for (name, file) in [("x.xls", &include_bytes!("fixtures/old.xls")[..]), ("x.xlsx", &small_xlsx())] {
            let mut damaged = file.to_vec();
            let at = at % damaged.len();
            for (slot, byte) in damaged[at..].iter_mut().zip(&bytes) {
                *slot = *byte;
            }
            read_everything(name, &damaged);
            damaged.truncate(at);
            read_everything(name, &damaged);
        }
    }

    #[test]
    fn what_is_written_is_what_is_read(
        table in prop::collection::vec(prop::collection::vec("[a-z가-힣 ,;|\"\t\r\n~!+.]{0,12}", 3), 1..12),
        delimiter in prop::sample::select(Delimiter::ALL.to_vec()),
        encoding in prop::sample::select(TextEncoding::ALL.to_vec()),
        crlf in any::<bool>(),
    ) {
        let mut writer = csv::WriterBuilder::new();
        writer.delimiter(delimiter.byte());
        if crlf {
            writer.terminator(csv::Terminator::CRLF);
        }
        let mut writer = writer.from_writer(Vec::new());
        writer.write_record(["이름", "이메일", "비고"]).expect("written");
        for row in &table {
            writer.write_record(row).expect("written");
        }
        let text = String::from_utf8(writer.into_inner().expect("flushed")).expect("text");
        let choices = Choices { encoding: Some(encoding), delimiter: Some(delimiter), header: Some(HeaderRow::At(1)), ..Choices::default() };
        let (_folder, read) = open_bytes_with("x.csv", &encoded(&text, encoding), &choices).expect("readable");
        prop_assert_eq!(cells(&read), table);
    }

    #[test]
    fn a_delimiter_and_an_encoding_that_are_found_are_the_right_ones(
        people in prop::collection::vec(("[가-힣]{2,4}", "[a-z]{1,8}"), 2..20),
        delimiter in prop::sample::select(Delimiter::ALL.to_vec()),
        encoding in prop::sample::select(TextEncoding::ALL.to_vec()),
    ) {
        let d = char::from(delimiter.byte());
        let mut text = format!("번호{d}성명{d}이메일\r\n");
        for (n, (name, local)) in people.iter().enumerate() {
            text.push_str(&format!("{n}{d}{name}{d}{local}@naru.example\r\n"));
        }
        let (_folder, table) = open_bytes("x.csv", &encoded(&text, encoding)).expect("readable");
        prop_assert_eq!(table.about().delimiter, Some(delimiter));
        prop_assert_eq!(table.about().encoding.as_ref().map(|e| e.encoding), Some(encoding));
        prop_assert!(table.about().needs_answer().is_empty());
        let read: Vec<String> = rows(&table).into_iter().map(|r| r.cells[1].clone()).collect();
        let written: Vec<String> = people.into_iter().map(|(name, _)| name).collect();
        prop_assert_eq!(read, written);
    }

    #[test]
    fn checking_what_was_checked_changes_nothing(name in prop_oneof![any::<String>(), tricky()], email in prop_oneof![any::<String>(), tricky(), "[a-z]{1,5}@[a-z]{1,5}\\.[a-z]{2,3}"]) {
        let (once, address, standing, findings) = check_person(&name, &email);
        let (twice, same, again, _) = check_person(&once, &address);
        prop_assert_eq!(&twice, &once);
        prop_assert_eq!(&same, &address);
        prop_assert_eq!(again, standing, "{:?}", findings);
        prop_assert!(standing != Standing::NotARecipient);
        for finding in findings {
            prop_assert!(!finding.what.chars().any(char::is_control), "{:?}", finding);
        }
    }

    #[test]
    fn every_row_appears_exactly_once(lines in prop::collection::vec(prop::sample::select(vec![
        "홍길동,h@naru.example", "", ",,", "합계 3명,", "\"a\nb\",x@naru.example", "김민수", "이름,이메일", "a,b,c,d",
    ]), 1..30)) {
        let text = format!("이름,이메일\n{}\n", lines.join("\n"));
        let (_folder, table) = open_bytes("x.csv", text.as_bytes()).expect("readable");
        let header = match table.about().header {
            Some(HeaderRow::At(row)) => row as usize,
            _ => 0,
        };
        let rows = rows(&table);
        prop_assert_eq!(rows.len(), lines.len() + 1 - header);
        let records: Vec<u64> = rows.iter().map(|r| r.record).collect();
        prop_assert_eq!(records, (1..=rows.len() as u64).collect::<Vec<_>>());
        prop_assert!(rows.windows(2).all(|w| w[0].line < w[1].line));
    }
}

fn small_xlsx() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (row, (name, email)) in [("이름", "이메일"), ("홍길동", "h@naru.example")].iter().enumerate()
    {
        sheet.write_string(row as u32, 0, *name).expect("written");
        sheet.write_string(row as u32, 1, *email).expect("written");
    }
    book.save_to_buffer().expect("saved")
}
