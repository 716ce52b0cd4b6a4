//! What holds for any bytes and any table.

use super::kit::*;
use super::sheets::{book_of, compound, ods};
use lapel::jobs::intake::{
    CheckOutcome, Choices, ColumnMap, Delimiter, HeaderRow, ImportSource, NameColumns, TextEncoding,
    Unwatched, check, check_person, read_ids,
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
        let _ = open(&ImportSource::Pasted(text), &Choices::default()).map(|t| t.preview(100));
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
    fn a_sheet_with_anything_in_its_xml_does_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, xml_piece()), 1..5),
    ) {
        let sheet = "<dimension ref=\"A1:B2\"/><cols><col min=\"1\" max=\"2\" hidden=\"1\"/></cols><sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>이름</t></is></c><c r=\"B1\" t=\"str\"><f t=\"shared\" si=\"0\" ref=\"B1:B2\">A1</f><v>이메일</v></c></row><row r=\"2\" hidden=\"1\"><c r=\"A2\"><v>45000.5</v></c><c r=\"B2\" t=\"s\"><v>0</v></c></row></sheetData><mergeCells><mergeCell ref=\"A1:B1\"/></mergeCells><hyperlinks><hyperlink ref=\"B2\" location=\"x\"/></hyperlinks>";
        read_everything("x.xlsx", &book_of(&changed(sheet, &changes)));
        let content = "<style:style style:name=\"a\"><style:table-properties table:display=\"false\"/></style:style><table:table table:name=\"a\" table:style-name=\"b\"><table:table-column table:number-columns-repeated=\"3\" table:visibility=\"collapse\"/><table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"2\"><text:p>a@b.example<text:s text:c=\"3\"/></text:p></table:table-cell><table:table-cell office:value-type=\"float\" office:value=\"1\"/></table:table-row></table:table>";
        read_everything("x.ods", &ods(&changed(content, &changes)));
    }

    #[test]
    fn an_old_workbook_with_anything_in_its_records_does_no_harm(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let mut file = cfb::CompoundFile::open(std::io::Cursor::new(&include_bytes!("fixtures/old.xls")[..])).expect("a file");
        let mut stream = Vec::new();
        std::io::Read::read_to_end(&mut file.open_stream("/Workbook").expect("a stream"), &mut stream).expect("read");
        let at = at.index(stream.len());
        for (slot, byte) in stream[at..].iter_mut().zip(&bytes) {
            *slot = *byte;
        }
        read_everything("x.xls", &compound("/Workbook", &stream));
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
        let (once, address, outcome, findings) = check_person(&name, &email);
        let (twice, same, again, _) = check_person(&once, &address);
        prop_assert_eq!(&twice, &once);
        prop_assert_eq!(&same, &address);
        prop_assert_eq!(again, outcome, "{:?}", findings);
        prop_assert!(outcome != CheckOutcome::NotARecipient);
        for finding in findings {
            prop_assert!(!finding.what.to_string().chars().any(char::is_control), "{:?}", finding);
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

/// What a file that means harm would have in its XML.
fn xml_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "\"",
            "<",
            ">",
            "&",
            "&#0;",
            "&#xFFFFFFFF;",
            "&x;",
            "4294967296",
            "99999999999999999999",
            "-1",
            "0",
            "XFD1048576",
            "A0",
            "A99999999999",
            "</row>",
            "</sheetData>",
            "<row r=\"0\">",
            "</table:table-row>",
            "</table:table>",
            "</text:p>",
            "<table:table>",
            "<c>",
            "<v>",
            "1e400",
            "NaN",
            "]]>",
            "<!--",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,6}",
    ]
}

/// Puts pieces into a text, each in place of some letters.
fn changed(text: &str, changes: &[(prop::sample::Index, usize, String)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (at, length, piece) in changes {
        let at = at.index(letters.len());
        let end = (at + length).min(letters.len());
        letters.splice(at..end, piece.chars());
    }
    letters.into_iter().collect()
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
