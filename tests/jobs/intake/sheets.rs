//! Spreadsheets: sheets, hidden things, formulas, links, and files that mean harm.

use super::kit::*;
use crate::texts::msg_part;
use lapel::jobs::intake::{
    CellFact, CheckOutcome, Choices, ColumnMap, FileQuestion, HeaderRow, ImportNote, ImportSource,
    InputFormat, InputTable, IntakeError, IntakeProblem, NameColumns, RawRow,
};
use rust_xlsxwriter::{ExcelDateTime, Format as Look, Formula, Url, Workbook};
use std::fmt::Write as _;

fn saved(mut book: Workbook) -> Vec<u8> {
    book.save_to_buffer().expect("saved")
}

fn open_book(book: Workbook) -> InputTable {
    open_bytes("list.xlsx", &saved(book)).unwrap_or_else(|e| panic!("{e}")).1
}

fn people_sheet(book: &mut Workbook, name: &str, people: &[(&str, &str)]) {
    let sheet = book.add_worksheet();
    sheet.set_name(name).expect("named");
    for (row, (person, email)) in [("이름", "이메일")].iter().chain(people).enumerate() {
        sheet.write_string(row as u32, 0, *person).expect("written");
        sheet.write_string(row as u32, 1, *email).expect("written");
    }
}

fn facts(row: &RawRow, column: usize) -> Vec<CellFact> {
    row.facts(column).cloned().collect()
}

#[test]
fn a_sheet_is_read_like_a_text() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.merge_range(0, 0, 0, 2, "2025 하반기 안전교육 수료자 명단", &Look::new()).expect("merged");
    for (column, title) in ["번호", "성명", "이메일"].iter().enumerate() {
        sheet.write_string(2, column as u16, *title).expect("written");
    }
    sheet.write_number(3, 0, 1).expect("written");
    sheet.write_string(3, 1, "홍길동").expect("written");
    sheet.write_string(3, 2, "hong@naru.example").expect("written");
    sheet.write_string(5, 1, "김민수").expect("written");
    sheet.write_string(5, 2, "minsu@naru.example").expect("written");
    let table = open_book(book);
    assert_eq!(table.about().format, InputFormat::Xlsx);
    assert_eq!(table.about().header, Some(HeaderRow::At(3)));
    assert!(table.about().notes.contains(&ImportNote::MergedCells(1)));
    let checked = checked(&table);
    let seen: Vec<(u64, &str, CheckOutcome)> =
        checked.iter().map(|c| (c.row.line, c.name.as_str(), c.outcome)).collect();
    assert_eq!(
        seen,
        [
            (4, "홍길동", CheckOutcome::Ready),
            (5, "", CheckOutcome::NotARecipient),
            (6, "김민수", CheckOutcome::Ready)
        ]
    );
    assert_eq!(checked[0].row.record, 1);
}

#[test]
fn numbers_dates_and_truth_values_become_text_and_are_noted() {
    let mut book = Workbook::new();
    people_sheet(&mut book, "a", &[]);
    let sheet = book.worksheet_from_index(0).expect("a sheet");
    sheet.write_number(1, 0, 1234.0).expect("written");
    sheet.write_number(1, 1, 0.5).expect("written");
    let date = ExcelDateTime::from_ymd(2025, 3, 14).expect("a date");
    sheet
        .write_datetime_with_format(2, 0, &date, &Look::new().set_num_format("yyyy-mm-dd"))
        .expect("written");
    sheet.write_boolean(3, 0, true).expect("written");
    sheet.write_string(3, 1, "x@naru.example").expect("written");
    // Numbers are no names: a person has chosen these columns.
    let map = ColumnMap { name: NameColumns::One(0), email: 1, template: None };
    let choices = Choices { columns: Some(map), ..Choices::default() };
    let (_folder, table) = open_bytes_with("list.xlsx", &saved(book), &choices).expect("readable");
    let rows = rows(&table);
    assert_eq!(rows[0].cells, ["1234", "0.5"]);
    assert_eq!(facts(&rows[0], 0), [CellFact::Number]);
    assert_eq!(rows[1].cells[0], "2025-03-14");
    assert_eq!(facts(&rows[1], 0), [CellFact::Date]);
    assert_eq!(rows[2].cells[0], "TRUE");
    assert_eq!(facts(&rows[2], 0), [CellFact::Bool]);
}

#[test]
fn formulas_give_their_saved_value_and_say_so() {
    let mut book = Workbook::new();
    people_sheet(&mut book, "a", &[]);
    let sheet = book.worksheet_from_index(0).expect("a sheet");
    sheet.write_formula(1, 0, Formula::new("=A9&B9").set_result("홍길동")).expect("written");
    sheet.write_string(1, 1, "hong@naru.example").expect("written");
    sheet.write_string(2, 0, "김민수").expect("written");
    sheet.write_formula(2, 1, Formula::new("=X1").set_result("#REF!")).expect("written");
    let table = open_book(book);
    let checked = checked(&table);
    assert_eq!((checked[0].name.as_str(), checked[0].outcome), ("홍길동", CheckOutcome::Ready));
    assert_eq!(facts(&checked[0].row, 0), [CellFact::Formula]);
    assert_eq!(checked[1].outcome, CheckOutcome::Refused);
    assert!(
        checked[1].findings.iter().any(|f| f.what.to_string().contains("#REF!")),
        "{:?}",
        checked[1].findings
    );
}

/// A workbook whose one sheet has this XML.
pub fn book_of(sheet: &str) -> Vec<u8> {
    book_with(&[("Sheet1", "", sheet)], None)
}

fn book_with(sheets: &[(&str, &str, &str)], strings: Option<&str>) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let mut list = String::new();
    let mut relations = String::new();
    let mut parts = Vec::new();
    for (n, (name, state, xml)) in sheets.iter().enumerate() {
        list.push_str(&format!("<sheet name=\"{name}\" sheetId=\"{0}\" {state} r:id=\"rId{0}\"/>", n + 1));
        relations.push_str(&format!(
            "<Relationship Id=\"rId{0}\" Type=\"{rels}/worksheet\" Target=\"worksheets/sheet{0}.xml\"/>",
            n + 1
        ));
        let xml = format!("<worksheet xmlns=\"{main}\" xmlns:r=\"{rels}\">{xml}</worksheet>");
        parts.push((format!("xl/worksheets/sheet{}.xml", n + 1), xml));
    }
    if let Some(strings) = strings {
        parts.push(("xl/sharedStrings.xml".to_owned(), strings.to_owned()));
        relations.push_str(&format!(
            "<Relationship Id=\"rId99\" Type=\"{rels}/sharedStrings\" Target=\"sharedStrings.xml\"/>"
        ));
    }
    parts.push((
        "_rels/.rels".to_owned(),
        format!("<Relationships xmlns=\"{package}\"><Relationship Id=\"r\" Type=\"{rels}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"),
    ));
    parts.push((
        "xl/workbook.xml".to_owned(),
        format!("<workbook xmlns=\"{main}\" xmlns:r=\"{rels}\"><sheets>{list}</sheets></workbook>"),
    ));
    parts.push((
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships xmlns=\"{package}\">{relations}</Relationships>"),
    ));
    parts.push(("[Content_Types].xml".to_owned(), "<Types/>".to_owned()));
    let parts: Vec<(&str, &str)> = parts.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    zipped(&parts)
}

fn cell(at: &str, text: &str) -> String {
    format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

#[test]
fn a_formula_whose_value_was_not_saved_is_refused() {
    for formula in [
        "<c r=\"A2\"><f>B1&amp;C1</f></c>",
        "<c r=\"A2\"><f>B1</f><v></v></c>",
        "<c r=\"A2\"><f>B1</f><v/></c>",
    ] {
        let sheet = format!(
            "<sheetData><row r=\"1\">{}{}</row><row r=\"2\">{formula}{}</row></sheetData>",
            cell("A1", "이름"),
            cell("B1", "이메일"),
            cell("B2", "hong@naru.example")
        );
        let (_folder, table) = open_bytes("list.xlsx", &book_of(&sheet)).expect("readable");
        let checked = checked(&table);
        assert_eq!(checked[0].outcome, CheckOutcome::Refused, "{formula}");
    }
}

#[test]
fn rich_text_is_text_and_its_reading_aid_is_not() {
    let strings = "<sst uniqueCount=\"1\"><si><r><t>홍</t></r><r><t>길동</t></r><rPh sb=\"0\" eb=\"1\"><t>ホン</t></rPh></si></sst>";
    let sheet = format!(
        "<sheetData><row r=\"1\">{}{}</row><row r=\"2\"><c r=\"A2\" t=\"s\"><v>0</v></c>{}</row></sheetData>",
        cell("A1", "이름"),
        cell("B1", "이메일"),
        cell("B2", "hong@naru.example")
    );
    let (_folder, table) =
        open_bytes("list.xlsx", &book_with(&[("a", "", &sheet)], Some(strings))).expect("readable");
    assert_eq!(people(&table), [pair("홍길동", "hong@naru.example")]);
}

#[test]
fn links_give_the_text_they_show_and_are_asked_about_when_they_lead_elsewhere() {
    let mut book = Workbook::new();
    people_sheet(&mut book, "a", &[]);
    let sheet = book.worksheet_from_index(0).expect("a sheet");
    for (row, (name, target, text)) in [
        ("홍길동", "mailto:hong@naru.example", "hong@naru.example"),
        ("김민수", "mailto:other@naru.example?subject=x", "minsu@naru.example"),
        ("서다인", "mailto:Dain@naru.example", "dain@naru.example"),
    ]
    .iter()
    .enumerate()
    {
        let row = row as u32 + 1;
        sheet.write_string(row, 0, *name).expect("written");
        sheet.write_url(row, 1, Url::new(*target).set_text(*text)).expect("written");
    }
    let table = open_book(book);
    let checked = checked(&table);
    let outcomes: Vec<CheckOutcome> = checked.iter().map(|c| c.outcome).collect();
    assert_eq!(outcomes, [CheckOutcome::Ready, CheckOutcome::Ask, CheckOutcome::Ready], "{checked:#?}");
    assert_eq!(checked[0].email, "hong@naru.example");
    assert_eq!(facts(&checked[0].row, 1), [CellFact::Hyperlink]);
    assert!(facts(&checked[1].row, 1).contains(&CellFact::LinkElsewhere("other@naru.example".to_owned())));
}

#[test]
fn hidden_rows_are_asked_about_and_hidden_columns_are_said() {
    let mut book = Workbook::new();
    people_sheet(
        &mut book,
        "a",
        &[("홍길동", "a@naru.example"), ("김민수", "b@naru.example"), ("서다인", "c@naru.example")],
    );
    let sheet = book.worksheet_from_index(0).expect("a sheet");
    sheet.set_row_hidden(2).expect("hidden");
    sheet.set_column_hidden(1).expect("hidden");
    let table = open_book(book);
    assert!(table.about().notes.contains(&ImportNote::HiddenRows(1)), "{:?}", table.about().notes);
    assert!(table.about().notes.contains(&ImportNote::HiddenColumns(vec![1])));
    let checked = checked(&table);
    let outcomes: Vec<CheckOutcome> = checked.iter().map(|c| c.outcome).collect();
    assert_eq!(outcomes, [CheckOutcome::Ready, CheckOutcome::Ask, CheckOutcome::Ready]);
    assert!(checked[1].findings.iter().any(|f| f.what.to_string().contains(msg_part("row 3 is hidden"))));
}

/// From every program, at every place in the file.
#[test]
fn hidden_rows_and_merged_cells_are_seen_in_any_xml() {
    let person = |n: usize, more: &str| {
        let (name, email) = (cell(&format!("A{n}"), "홍길동"), cell(&format!("B{n}"), "h@naru.example"));
        format!("<row r=\"{n}\"{more}>{name}{email}</row>")
    };
    let notes = |more: &str, before: &str, after: &str| {
        let sheet = format!("{before}<sheetData>{}{}</sheetData>{after}", person(1, ""), person(2, more));
        let (_folder, table) = open_bytes("x.xlsx", &book_of(&sheet)).expect("readable");
        table.about().notes.clone()
    };
    for more in [" ht=\"0\"", "\n\tht='0.00'", "\thidden='true'", "\nhidden=\"1\"", " hidden = \"1\""] {
        let notes = notes(more, "", "");
        assert!(notes.contains(&ImportNote::HiddenRows(1)), "{more:?}: {notes:?}");
    }
    for more in ["", " ht=\"15.75\" customHeight=\"1\"", " hidden=\"0\""] {
        let notes = notes(more, "", "");
        assert!(!notes.iter().any(|note| matches!(note, ImportNote::HiddenRows(_))), "{more:?}: {notes:?}");
    }
    // The file is searched in pieces of 64 KiB. The word is there once.
    for length in (64_500..65_600).step_by(5) {
        let before = format!("<!--{}-->", "x".repeat(length));
        let notes = notes("", &before, "<mergeCell ref=\"A1:A2\"/>");
        assert!(notes.contains(&ImportNote::MergedCells(1)), "{length}: {notes:?}");
    }
}

#[test]
fn a_hidden_sheet_is_listed_and_never_taken_without_being_asked_for() {
    let mut book = Workbook::new();
    people_sheet(&mut book, "올해", &[("홍길동", "a@naru.example")]);
    people_sheet(&mut book, "작년", &[("옛사람", "old@naru.example")]);
    book.worksheet_from_index(1).expect("a sheet").set_hidden(true);
    let bytes = saved(book);
    let (_folder, table) = open_bytes("list.xlsx", &bytes).expect("readable");
    assert_eq!(people(&table), [pair("홍길동", "a@naru.example")]);
    let sheets: Vec<(String, bool, u64)> =
        table.about().sheets.iter().map(|s| (s.name.to_string(), s.hidden, s.rows)).collect();
    assert_eq!(sheets, [("올해".to_owned(), false, 2), ("작년".to_owned(), true, 2)]);
    assert!(table.about().notes.iter().any(|n| matches!(n, ImportNote::HiddenSheets(_))));
    let choices = Choices { sheet: Some("작년".to_owned()), ..Choices::default() };
    let (_folder, table) = open_bytes_with("list.xlsx", &bytes, &choices).expect("readable");
    assert_eq!(people(&table), [pair("옛사람", "old@naru.example")]);
    let choices = Choices { sheet: Some("없음".to_owned()), ..Choices::default() };
    let said =
        open_bytes_with("list.xlsx", &bytes, &choices).map(|_| ()).expect_err("no such sheet").to_string();
    assert!(said.contains("\"올해\", \"작년\""), "{said}");
}

#[test]
fn of_several_sheets_the_only_one_with_addresses_is_taken() {
    let mut book = Workbook::new();
    book.add_worksheet().write_string(0, 0, "안내문").expect("written");
    people_sheet(&mut book, "명단", &[("홍길동", "a@naru.example")]);
    let table = open_book(book);
    assert_eq!(table.about().sheet.as_deref(), Some("명단"));
    assert!(table.about().notes.iter().any(|n| matches!(n, ImportNote::OtherSheets(_))));

    let mut book = Workbook::new();
    people_sheet(&mut book, "1반", &[("홍길동", "a@naru.example")]);
    people_sheet(&mut book, "2반", &[("김민수", "b@naru.example")]);
    let table = open_book(book);
    assert_eq!(table.about().needs_answer(), [FileQuestion::SheetAmbiguous]);
    assert!(matches!(
        table.rows().map(|_| ()),
        Err(IntakeError { why: IntakeProblem::Unanswered { .. }, .. })
    ));
    assert_eq!(table.preview(3), []);
}

#[test]
fn a_workbook_under_another_name_is_read_and_said() {
    let mut book = Workbook::new();
    people_sheet(&mut book, "a", &[("홍길동", "a@naru.example")]);
    let (_folder, table) = open_bytes("list.csv", &saved(book)).expect("readable");
    assert_eq!(table.about().format, InputFormat::Xlsx);
    assert!(table.about().notes.iter().any(|n| matches!(n, ImportNote::NotWhatItsNameSays { .. })));
    assert_eq!(people(&table).len(), 1);
}

#[test]
fn macros_are_reported_and_not_run() {
    let sheet = format!(
        "<sheetData><row r=\"1\">{}{}</row><row r=\"2\">{}{}</row></sheetData>",
        cell("A1", "이름"),
        cell("B1", "이메일"),
        cell("A2", "홍길동"),
        cell("B2", "hong@naru.example")
    );
    let mut zip = zip::ZipWriter::new_append(std::io::Cursor::new(book_of(&sheet))).expect("opened");
    zip.start_file("xl/vbaProject.bin", zip::write::SimpleFileOptions::default()).expect("started");
    let bytes = zip.finish().expect("finished").into_inner();
    let (_folder, table) = open_bytes("list.xlsm", &bytes).expect("readable");
    assert!(table.about().notes.contains(&ImportNote::MacroEnabled));
    assert_eq!(people(&table).len(), 1);
}

#[test]
fn an_old_workbook_is_read() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs/intake/fixtures/old.xls");
    let table = open(&ImportSource::File(path), &Choices::default()).expect("readable");
    assert_eq!(table.about().format, InputFormat::Xls);
    assert_eq!(table.about().sheet.as_deref(), Some("수료자"));
    assert!(table.about().sheets[1].hidden);
    let rows = rows(&table);
    assert_eq!(rows[0].cells, ["홍길동", "hong@naru.example", "101", "2025-03-14", "TRUE"]);
    assert_eq!(facts(&rows[0], 2), [CellFact::Number]);
    assert_eq!(facts(&rows[0], 3), [CellFact::Date]);
    assert_eq!(rows[1].cells[2], "102.5");
    assert!(rows[2].facts(1).any(|f| matches!(f, CellFact::Formula)), "{:?}", rows[2]);
    let outcomes: Vec<CheckOutcome> = checked(&table).into_iter().map(|c| c.outcome).collect();
    assert_eq!(outcomes[0], CheckOutcome::Ready);
    assert_eq!(outcomes[3], CheckOutcome::NotARecipient);
    assert_eq!(outcomes[4], CheckOutcome::Ask);
    assert_eq!(outcomes[5], CheckOutcome::NotARecipient);
    assert!(table.about().notes.contains(&ImportNote::HiddenRows(1)));
    assert!(table.about().notes.contains(&ImportNote::MergedCells(1)));
}

pub fn ods(content: &str) -> Vec<u8> {
    let names = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" xmlns:calcext=\"urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0\"";
    zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest=\"m\"/>"),
        ("content.xml", &format!("<office:document-content {names}>{content}</office:document-content>")),
    ])
}

fn ods_text(text: &str) -> String {
    format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
}

#[test]
fn an_open_document_is_read_with_what_is_hidden_in_it() {
    let t = ods_text;
    let content = format!(
        "<office:automatic-styles><style:style style:name=\"ta2\" style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style></office:automatic-styles>\
         <office:body><office:spreadsheet>\
         <table:table table:name=\"명단\"><table:table-column/><table:table-column table:visibility=\"collapse\" table:number-columns-repeated=\"3\"/>\
         <table:table-row>{}{}{}</table:table-row>\
         <table:table-row table:number-rows-repeated=\"2\"><table:table-cell table:number-columns-repeated=\"1024\"/></table:table-row>\
         <table:table-row>{}<table:table-cell office:value-type=\"string\"><text:p><text:a xlink:href=\"mailto:other@naru.example\">hong@naru.example</text:a></text:p></table:table-cell><table:table-cell office:value-type=\"float\" office:value=\"7\"><text:p>7,00</text:p></table:table-cell></table:table-row>\
         <table:table-row table:visibility=\"filter\">{}{}<table:table-cell office:value-type=\"date\" office:date-value=\"2025-03-14\"><text:p>14.3.</text:p></table:table-cell></table:table-row>\
         <table:table-row><table:table-cell table:formula=\"of:=[.B1]\" office:value-type=\"string\"><text:p>서다인</text:p></table:table-cell>{}<table:table-cell table:formula=\"of:=1/0\" office:value-type=\"string\" calcext:value-type=\"error\"><text:p>#DIV/0!</text:p></table:table-cell></table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row></table:table>\
         <table:table table:name=\"작년\" table:style-name=\"ta2\"><table:table-row>{}</table:table-row></table:table>\
         </office:spreadsheet></office:body>",
        t("이름"),
        t("이메일"),
        t("기타"),
        t(
            "홍<text:s text:c=\"2\"/>길동<text:line-break/>x &amp; y<office:annotation><text:p>쪽지</text:p></office:annotation>"
        ),
        t("김민수"),
        t("minsu@naru.example"),
        t("dain@naru.example"),
        t("old@naru.example"),
    );
    let (_folder, table) = open_bytes("list.ods", &ods(&content)).expect("readable");
    assert_eq!(table.about().format, InputFormat::Ods);
    assert_eq!(table.about().sheet.as_deref(), Some("명단"));
    assert!(table.about().sheets[1].hidden);
    assert!(table.about().notes.contains(&ImportNote::HiddenRows(1)));
    assert!(
        table.about().notes.contains(&ImportNote::HiddenColumns(vec![1, 2])),
        "{:?}",
        table.about().notes
    );
    let rows = rows(&table);
    let lines: Vec<u64> = rows.iter().map(|r| r.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6]);
    assert_eq!(rows[2].cells, ["홍  길동\nx & y", "hong@naru.example", "7"]);
    assert!(rows[2].facts(1).any(|f| *f == CellFact::LinkElsewhere("other@naru.example".to_owned())));
    assert!(rows[2].facts(2).any(|f| *f == CellFact::Number));
    assert_eq!(rows[3].cells[2], "2025-03-14");
    assert!(rows[3].notes.iter().any(|n| n.column.is_none() && n.what == CellFact::Hidden));
    assert!(rows[4].facts(0).any(|f| *f == CellFact::Formula));
    assert!(rows[4].facts(2).any(|f| *f == CellFact::Error));
    let outcomes: Vec<CheckOutcome> = checked(&table).into_iter().map(|c| c.outcome).collect();
    assert_eq!(
        outcomes[1..],
        [CheckOutcome::NotARecipient, CheckOutcome::Refused, CheckOutcome::Ask, CheckOutcome::Ready]
    );
}

/// A compound file with one stream in it.
pub fn compound(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).expect("created");
    std::io::Write::write_all(&mut file.create_stream(path).expect("created"), bytes).expect("written");
    file.flush().expect("flushed");
    file.into_inner().into_inner()
}

#[test]
fn a_spreadsheet_under_a_password_is_said_to_be_one() {
    let bytes = zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        (
            "META-INF/manifest.xml",
            "<m:manifest xmlns:m=\"m\"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>",
        ),
        ("content.xml", "scrambled"),
    ]);
    assert!(matches!(
        open_bytes("x.ods", &bytes).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::PasswordProtected, .. })
    ));
    let ole = compound("/EncryptedPackage", b"x");
    assert!(matches!(
        open_bytes("x.xlsx", &ole).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::PasswordProtected, .. })
    ));
}

#[test]
fn other_archives_and_documents_are_called_what_they_are() {
    for (parts, what) in [
        (&[("word/document.xml", "x")][..], "Word"),
        (&[("readme.txt", "x")], "zip archive"),
        (&[("xl/workbook.bin", "x")], "xlsb"),
        (&[("Index/Document.iwa", "x")], "Numbers"),
        (
            &[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "x")],
            "not a spreadsheet",
        ),
    ] {
        let said = open_bytes("x.xlsx", &zipped(parts)).map(|_| ()).expect_err("no workbook").to_string();
        assert!(said.contains(what), "{said}");
    }
    let hwp = compound("/FileHeader", b"HWP Document File");
    assert!(matches!(
        open_bytes("x.xls", &hwp).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::Unsupported { .. }, .. })
    ));
}

#[test]
fn a_file_that_unpacks_without_end_is_refused_before_it_does() {
    let zeros = " ".repeat(210 * 1024 * 1024);
    let bytes = book_of(&format!("<sheetData>{zeros}</sheetData>"));
    assert!(bytes.len() < 2 * 1024 * 1024);
    assert!(matches!(
        open_bytes("x.xlsx", &bytes).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::TooBig { .. }, .. })
    ));
    // The same with a directory that lies about the size.
    let mut lying = bytes;
    let size = lying
        .windows(4)
        .enumerate()
        .filter(|(_, w)| *w == b"PK\x01\x02")
        .map(|(at, _)| at)
        .collect::<Vec<_>>();
    for at in size {
        lying[at + 24..at + 28].copy_from_slice(&100_u32.to_le_bytes());
    }
    let refused = open_bytes("x.xlsx", &lying).map(|_| ());
    assert!(
        matches!(
            refused,
            Err(IntakeError { why: IntakeProblem::TooBig { .. } | IntakeProblem::Damaged { .. }, .. })
        ),
        "{refused:?}"
    );
}

/// A sheet of so many rows, each of them a cell that is the one shared text.
fn sharing(rows: usize, text: &str) -> Vec<u8> {
    let cells = (1..=rows).fold(String::new(), |mut all, n| {
        let _ = write!(all, "<row r=\"{n}\"><c r=\"A{n}\" t=\"s\"><v>0</v></c></row>");
        all
    });
    let strings = format!("<sst uniqueCount=\"1\"><si><t>{text}</t></si></sst>");
    book_with(&[("a", "", &format!("<sheetData>{cells}</sheetData>"))], Some(&strings))
}

#[test]
fn one_text_in_very_many_cells_is_counted_as_often_as_it_is_there() {
    let begun = std::time::Instant::now();
    // A megabyte is no cell, wherever it comes from.
    let long = "x".repeat(1024 * 1024);
    let refused = open_bytes("x.xlsx", &sharing(60_000, &long)).map(|_| ()).expect_err("no list");
    assert!(matches!(refused.why, IntakeProblem::CellTooLong { line: 1, .. }), "{refused}");
    let long_cell = ods(&format!(
        "<table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"60000\">{}</table:table-row></table:table>",
        ods_text(&long)
    ));
    let refused = open_bytes("x.ods", &long_cell).map(|_| ()).expect_err("no list");
    assert!(
        matches!(
            refused.why,
            IntakeProblem::RowTooLong { line: 1, .. } | IntakeProblem::CellTooLong { line: 1, .. }
        ),
        "{refused}"
    );
    // The longest cell that there can be, in as many rows.
    let longest = "가".repeat(32_767);
    let refused = open_bytes("x.xlsx", &sharing(60_000, &longest)).map(|_| ()).expect_err("too much");
    assert!(matches!(refused.why, IntakeProblem::TooBig { .. }), "{refused}");
    let wide = ods_text(&longest)
        .replace("<table:table-cell ", "<table:table-cell table:number-columns-repeated=\"1000\" ");
    let wide = ods(&format!(
        "<table:table table:name=\"a\"><table:table-row>{wide}</table:table-row></table:table>"
    ));
    let refused = open_bytes("x.ods", &wide).map(|_| ()).expect_err("too much");
    assert!(matches!(refused.why, IntakeProblem::RowTooLong { line: 1, .. }), "{refused}");
    // Without the bound this takes minutes, and 60 GB are read.
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
    // A short text may be as often as there are rows.
    let many = sharing(100_000, "서울대학교 컴퓨터공학과");
    let (_folder, table) = open_bytes("x.xlsx", &many).expect("readable");
    assert_eq!(table.about().sheets[0].rows, 100_000);
}

#[test]
fn a_link_over_many_cells_is_kept_only_as_far_as_an_address_goes() {
    let long = "y".repeat(200_000);
    let linked = format!(
        "<table:table-cell office:value-type=\"string\"><text:p><text:a xlink:href=\"mailto:{long}@naru.example\">hong@naru.example</text:a></text:p></table:table-cell>"
    );
    let bytes = ods(&format!(
        "<table:table table:name=\"a\"><table:table-row>{}{}</table:table-row><table:table-row>{}{linked}</table:table-row></table:table>",
        ods_text("이름"),
        ods_text("이메일"),
        ods_text("홍길동")
    ));
    let (_folder, table) = open_bytes("x.ods", &bytes).expect("readable");
    let row = rows(&table).remove(0);
    let elsewhere = facts(&row, 1).into_iter().find_map(|fact| match fact {
        CellFact::LinkElsewhere(target) => Some(target),
        _ => None,
    });
    assert!(elsewhere.is_some_and(|target| target.len() <= 1_000 && target.starts_with('y')));
}

#[test]
fn more_texts_than_fit_are_no_reason_to_make_room() {
    let sheet = "<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row></sheetData>";
    let strings = "<sst uniqueCount=\"9999999999999\"><si><t>x</t></si></sst>";
    let bytes = book_with(&[("a", "", sheet)], Some(strings));
    assert!(matches!(
        open_bytes("x.xlsx", &bytes).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::Damaged { .. }, .. })
    ));
}

#[test]
fn cells_at_the_far_end_of_a_sheet_cost_nothing() {
    let sheet = format!(
        "<sheetData><row r=\"1\">{}{}</row><row r=\"1048576\">{}{}</row></sheetData>",
        cell("A1", "이름"),
        cell("B1", "이메일"),
        cell("A1048576", "홍길동"),
        cell("B1048576", "h@naru.example")
    );
    let (_folder, table) = open_bytes("x.xlsx", &book_of(&sheet)).expect("readable");
    let last = table.rows().expect("opens").last().expect("rows").expect("a row");
    assert_eq!((last.line, last.record), (1_048_576, 1_048_575));
    let wide = format!("<sheetData><row r=\"1\">{}</row></sheetData>", cell("XFD1", "x"));
    assert!(matches!(
        open_bytes("x.xlsx", &book_of(&wide)).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::TooManyColumns { .. }, .. })
    ));
    let ods_bomb = ods(&format!(
        "<table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"4000000000\">{}</table:table-row></table:table>",
        ods_text("x@naru.example")
    ));
    assert!(matches!(
        open_bytes("x.ods", &ods_bomb).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::TooManyRows, .. })
    ));
    let wide_bomb = ods(&format!(
        "<table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"1000000\">{}</table:table-row></table:table>",
        ods_text("x")
            .replace("<table:table-cell ", "<table:table-cell table:number-columns-repeated=\"1000\" ")
    ));
    assert!(matches!(
        open_bytes("x.ods", &wide_bomb).map(|_| ()),
        Err(IntakeError { why: IntakeProblem::TooBig { .. }, .. })
    ));
}

#[test]
fn a_list_that_begins_far_down_is_found() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (row, (name, email)) in [("이름", "이메일"), ("홍길동", "h@naru.example")].iter().enumerate()
    {
        sheet.write_string(row as u32 + 500, 3, *name).expect("written");
        sheet.write_string(row as u32 + 500, 4, *email).expect("written");
    }
    let table = open_book(book);
    assert_eq!(table.about().header, Some(HeaderRow::At(501)));
    assert_eq!(rows(&table)[0].line, 502);
    assert_eq!(people(&table), [pair("홍길동", "h@naru.example")]);
    let (_folder, table) =
        open_bytes("x.csv", format!("{}이름,이메일\n홍길동,h@naru.example\n", ",\n".repeat(500)).as_bytes())
            .expect("readable");
    assert_eq!(table.about().header, Some(HeaderRow::At(501)));
}
