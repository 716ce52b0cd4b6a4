//! Tests: independent readers read the written files back.

mod failures;

use super::*;
use crate::table::unescape_formula;
use calamine::{Data, Reader, Xlsx};
use encoding_rs::EUC_KR;
use proptest::prelude::*;
use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn head() -> ReceiptHead {
    ReceiptHead {
        title: "lapel receipt: issue 데이터 시각화 역량 인증".to_owned(),
        facts: vec![("job".to_owned(), "12".to_owned()), ("profile".to_owned(), "dalmuri".to_owned())],
        columns: strings(&["성명", "이메일"]),
    }
}

fn line(row: u64, name: &str, row_status: &str) -> ReceiptLine {
    ReceiptLine {
        cells: strings(&[name, &format!("holder{row}@naru.example")]),
        row,
        badge_id: (row_status == "issued").then(|| format!("B-{row:09}-7K")),
        row_status: row_status.to_owned(),
        reason: format!("because of {row_status}"),
        accepted: "2026-03-11 10:30:00".to_owned(),
        status: "발급완료".to_owned(),
        mail_status: "SENT".to_owned(),
        issued: "2026-03-11 10:41:07".to_owned(),
        valid_until: "2028-03-11 23:59:59".to_owned(),
        ..ReceiptLine::default()
    }
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn fine<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = Result<T, io::Error>> {
    all.into_iter().map(Ok)
}

fn write(to: &Path, format: TableFormat, lines: impl IntoIterator<Item = ReceiptLine>) -> Written {
    write_receipt(to, format, false, &head(), fine(lines), &mut go_on).expect("written")
}

fn redo(to: &Path, format: TableFormat, columns: &[&str], rows: &[Vec<String>]) -> Written {
    let lines = rows.iter().map(|cells| RedoLine { cells: cells.clone(), reason: WHY.to_owned() });
    write_redo(to, format, false, &strings(columns), fine(lines), &mut go_on).expect("written")
}

const WHY: &str = "refused";

fn redone(cells: &[String]) -> Vec<String> {
    cells.iter().cloned().chain([WHY.to_owned()]).collect()
}

type Sheets = Vec<(String, Vec<Vec<String>>)>;

/// Panics at a cell that is not text.
fn read_xlsx(path: &Path) -> Sheets {
    sheets(calamine::open_workbook::<Xlsx<_>, _>(path).expect("an Excel file"))
}

fn sheets<R: io::Read + io::Seek>(mut book: Xlsx<R>) -> Sheets {
    let text = |cell: &Data| match cell {
        Data::Empty => String::new(),
        Data::String(text) => text.clone(),
        other => panic!("not a text: {other:?}"),
    };
    book.worksheets()
        .into_iter()
        .map(|(name, range)| (name, range.rows().map(|row| row.iter().map(text).collect()).collect()))
        .collect()
}

fn read_csv(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    reader
        .records()
        .map(|row| row.expect("a record").iter().map(|cell| unescape_formula(cell).to_owned()).collect())
        .collect()
}

fn read_utf8(path: &Path) -> Vec<Vec<String>> {
    let bytes = fs::read(path).expect("a file");
    read_csv(bytes.strip_prefix(b"\xef\xbb\xbf").expect("the mark of UTF-8"))
}

fn read_cp949(path: &Path) -> Vec<Vec<String>> {
    let bytes = fs::read(path).expect("a file");
    let (text, _, damaged) = EUC_KR.decode(&bytes);
    assert!(!damaged, "it is CP949 from end to end");
    read_csv(text.as_bytes())
}

const COLUMNS: [&str; 13] = [
    "성명",
    "이메일",
    "lapel row",
    "lapel badge id",
    "lapel bucket",
    "lapel reason",
    "lapel accepted",
    "lapel status",
    "lapel mail status",
    "lapel issued",
    "lapel valid until",
    "lapel name",
    "lapel email",
];

#[test]
fn a_receipt_has_every_row_and_column_in_order_in_every_format() {
    let folder = folder();
    let corrected = || ReceiptLine {
        name: "홍철수".to_owned(),
        email: "chulsu@naru.example".to_owned(),
        ..line(5, "홍철", "issued")
    };
    let lines = || [line(2, "한서윤", "issued"), line(3, "오지호", "refused here"), corrected()];
    for (format, name) in
        [(TableFormat::Xlsx, "a.xlsx"), (TableFormat::CsvUtf8, "a.csv"), (TableFormat::CsvCp949, "b.csv")]
    {
        let path = folder.path().join(name);
        let written = write(&path, format, lines());
        assert_eq!((written.rows, written.is_exact(), &written.path), (3, true, &path));
        let rows = match format {
            TableFormat::Xlsx => read_xlsx(&path).remove(0).1,
            TableFormat::CsvUtf8 => read_utf8(&path),
            TableFormat::CsvCp949 => read_cp949(&path),
        };
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0], COLUMNS);
        let column = |at: usize| rows.iter().skip(1).map(|row| row[at].as_str()).collect::<Vec<_>>();
        assert_eq!(column(0), ["한서윤", "오지호", "홍철"]);
        assert_eq!(column(2), ["2", "3", "5"]);
        assert_eq!(column(3), ["B-000000002-7K", "", "B-000000005-7K"]);
        assert_eq!(column(4), ["issued", "refused here", "issued"]);
        assert_eq!(
            rows[3][5..],
            strings(&[
                "because of issued",
                "2026-03-11 10:30:00",
                "발급완료",
                "SENT",
                "2026-03-11 10:41:07",
                "2028-03-11 23:59:59",
                "홍철수",
                "chulsu@naru.example"
            ])
        );
    }
    assert_eq!(names(folder.path()).len(), 3, "nothing else is left in the folder");
}

#[test]
fn the_row_statuses_add_up_to_the_rows_and_stand_on_a_sheet_of_their_own() {
    let folder = folder();
    let path = folder.path().join("a.xlsx");
    let row_statuses = ["issued", "waiting", "issued", "refused here", "issued"];
    let lines = row_statuses.iter().zip(1..).map(|(row_status, row)| line(row, "김민준", row_status));
    let written = write(&path, TableFormat::Xlsx, lines);
    let counts = [("issued".to_owned(), 3), ("waiting".to_owned(), 1), ("refused here".to_owned(), 1)];
    assert_eq!(written.row_statuses, counts);
    assert_eq!(written.row_statuses.iter().map(|one| one.1).sum::<u64>(), written.rows);
    let sheets = read_xlsx(&path);
    assert_eq!(sheets.iter().map(|sheet| sheet.0.as_str()).collect::<Vec<_>>(), ["rows", "receipt"]);
    let facts = &sheets[1].1;
    assert_eq!(facts[0][0], head().title);
    let fact = |name: &str| facts.iter().find(|row| row[0] == name).map(|row| row[1].as_str());
    assert_eq!((fact("job"), fact("profile")), (Some("12"), Some("dalmuri")));
    assert_eq!((fact("issued"), fact("waiting"), fact("rows in all")), (Some("3"), Some("1"), Some("5")));
}

#[test]
fn formulas_stay_texts() {
    let folder = folder();
    let (xlsx, csv) = (folder.path().join("a.xlsx"), folder.path().join("a.csv"));
    let cells =
        ["=HYPERLINK(\"http://x.example\")", "+amy@x.example", "-1", "@SUM(A1)", "＝1＋1", "\t=1", "'=1"];
    let rows = [strings(&cells)];
    redo(&xlsx, TableFormat::Xlsx, &["=1+1"; 7], &rows);
    redo(&csv, TableFormat::CsvUtf8, &["=1+1"; 7], &rows);
    assert_eq!(read_xlsx(&xlsx)[0].1[1], redone(&rows[0]), "no apostrophe is needed");
    assert_eq!(read_utf8(&csv)[1], redone(&rows[0]), "the apostrophe comes off again");
    let raw = fs::read_to_string(&csv).expect("text");
    let lines: Vec<&str> = raw.trim_start_matches('\u{feff}').split("\r\n").collect();
    assert_eq!(lines[0], [["'=1+1"; 7].join(","), REASON_COLUMN.to_owned()].join(","));
    assert!(lines[1].starts_with("\"'=HYPERLINK(\"\"http"), "{}", lines[1]);
    assert!(lines[1].contains(",'+amy@x.example,'-1,'@SUM(A1),'＝1＋1,'\t=1,''=1"), "{}", lines[1]);
}

/// These cells have crashed other programs.
fn hostile() -> Vec<String> {
    let long = "가".repeat(40_000);
    strings(&[
        "Esc \u{1b}]52;c;aGk=\u{7} Board",
        "abc\u{202e}fed",
        "Line\nBreak",
        "two\r\nlines",
        "over\rwritten",
        "Kim, \"MJ\" Minji; x|y",
        "👩\u{200d}🚀 송별",
        "nul\u{0}nul",
        "_x0041_ & <b>\u{ffff}]]>",
        "\u{3164}",
        " padded ",
        &long,
    ])
}

#[test]
fn hostile_cells_break_nothing_and_nothing_is_lost_silently() {
    let folder = folder();
    let path = folder.path().join("a.xlsx");
    let mut bad = line(7, "", "refused here");
    bad.cells = hostile();
    let mut head = head();
    head.columns = (1..=12).map(|at| format!("열 {at}")).collect();
    let written =
        write_receipt(&path, TableFormat::Xlsx, false, &head, fine([bad]), &mut go_on).expect("written");
    let sheets = read_xlsx(&path);
    let row = &sheets[0].1[1];
    assert_eq!(
        row[..11],
        strings(&[
            "Esc ␛]52;c;aGk=␇ Board",
            "abc⟨U+202E⟩fed",
            "Line\nBreak",
            "two\nlines",
            "over␍written",
            "Kim, \"MJ\" Minji; x|y",
            "👩\u{200d}🚀 송별",
            "nul␀nul",
            "_x0041_ & <b>⟨U+FFFF⟩]]>",
            "\u{3164}",
            " padded ",
        ])
    );
    assert_eq!(row[11].encode_utf16().count(), 32_767);
    assert!(row[11].starts_with("가가가") && row[11].ends_with("가… [cut: 40000 characters in all]"));
    assert_eq!(row[12..15], strings(&["7", "", "refused here"]));

    assert_eq!((written.marked.count, written.cut.count, written.unmappable.count), (5, 1, 0));
    assert_eq!(written.marked.first[0].to_string(), "row 7, 열 1: ␛ (U+001B), ␇ (U+0007)");
    assert_eq!(written.cut.first[0].to_string(), "row 7, 열 12");
    assert_eq!(written.remarks().len(), 2);
    let facts = &sheets[1].1;
    assert!(facts.iter().any(|row| row[1].starts_with("5 cells have control characters")), "{facts:?}");
    assert!(facts.iter().any(|row| row[1].contains("row 7, 열 8: ␀ (U+0000)")), "{facts:?}");
}

#[test]
fn hostile_cells_in_csv_steer_no_terminal() {
    let folder = folder();
    let path = folder.path().join("a.csv");
    let written = redo(&path, TableFormat::CsvUtf8, &["x"; 12], &[hostile()]);
    assert_eq!((written.marked.count, written.cut.count), (5, 0));
    let text = fs::read_to_string(&path).expect("text");
    let obeyed =
        |c: char| (c.is_control() && !"\r\n\t".contains(c)) || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.contains(obeyed));
    assert!(!text.replace("\r\n", "").contains('\r'));
    let row = &read_utf8(&path)[1];
    for at in [2, 3, 5, 6, 9, 10, 11] {
        assert_eq!(row[at], hostile()[at]);
    }
    assert_eq!((row[4].as_str(), row[7].as_str()), ("over␍written", "nul␀nul"));
}

#[test]
fn what_cp949_lacks_is_marked_and_listed() {
    let folder = folder();
    let path = folder.path().join("a.csv");
    let mut lines: Vec<ReceiptLine> = (1..=300).map(|row| line(row, "뷁믜펲똠", "issued")).collect();
    lines[3].cells[0] = "👩\u{200d}🚀 송별".to_owned();
    lines[4].cells[0] = "Zoë\u{1b}".to_owned();
    lines[5].reason = "what ȫ?".to_owned();
    let written = write(&path, TableFormat::CsvCp949, lines);
    let listed: Vec<String> = written.unmappable.first.iter().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        [
            "row 4, 성명: 👩 (U+1F469), ⟨U+200D⟩ (U+200D), 🚀 (U+1F680)",
            "row 5, 성명: ë (U+00EB)",
            "row 6, lapel reason: ȫ (U+022B)"
        ]
    );
    assert_eq!((written.unmappable.count, written.marked.count), (3, 1));
    let rows = read_cp949(&path);
    assert_eq!(rows[1][0], "뷁믜펲똠");
    assert_eq!(rows[4][0], "<U+1F469><U+200D><U+1F680> 송별");
    assert_eq!(rows[5][0], "Zo<U+00EB><U+001B>");
    assert_eq!(rows[6][5], "what <U+022B>?");
}

#[test]
fn the_list_of_odd_cells_is_bounded_and_all_are_counted() {
    let folder = folder();
    let rows: Vec<Vec<String>> = (0..1000).map(|_| strings(&["😀"])).collect();
    let written = redo(&folder.path().join("a.csv"), TableFormat::CsvCp949, &["😀"], &rows);
    assert_eq!((written.unmappable.count, written.unmappable.first.len()), (1001, 100));
    assert_eq!(written.unmappable.first[0].to_string(), "header row, column 1: 😀 (U+1F600)");
    assert_eq!(written.unmappable.first[99].row, 99);
}

#[test]
fn fifty_thousand_rows_pass_one_by_one() {
    struct Meter<'a>(&'a RefCell<Vec<u8>>);
    impl Write for Meter<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (head, path) = (head(), Path::new("a"));
    let mut all = head.columns.clone();
    all.extend(added(&head.columns));
    for format in [TableFormat::Xlsx, TableFormat::CsvUtf8] {
        let facts = |written: &Written| facts(&head, written);
        let table = to_file(path, format, false, &all, Some((FACTS, &facts)));
        let arrived: RefCell<Vec<u8>> = RefCell::default();
        let mut seen = Vec::new();
        let mut watch = |rows| {
            seen.push((rows, arrived.borrow().len()));
            ControlFlow::Continue(())
        };
        let row_status = |row| if row % 10 == 0 { "waiting" } else { "issued" };
        let rows = (1..=50_000).map(|row| entry(line(row, "제갈채아", row_status(row)), 2));
        let written = table.fill(&mut Meter(&arrived), fine(rows), &mut watch).expect("written");
        assert_eq!(written.rows, 50_000);
        assert_eq!(written.row_statuses, [("issued".to_owned(), 45_000), ("waiting".to_owned(), 5_000)]);
        assert_eq!((seen[0], seen[seen.len() - 1].0), ((0, 0), 50_000));
        assert!(seen.is_sorted() && seen.len() > 150, "it is told how far it is");
        let bytes = arrived.into_inner();
        let (half, end) = (seen[seen.len() / 2].1, bytes.len());
        assert!(half > end / 3, "{format}: {half} of {end} bytes had left when half of the rows were in");
        let rows = match format {
            TableFormat::Xlsx => {
                assert!(end < 4 << 20, "it is packed: {end} bytes");
                sheets(calamine::open_workbook_from_rs(io::Cursor::new(bytes)).expect("Excel")).remove(0).1
            }
            _ => read_csv(&bytes),
        };
        assert_eq!(rows.len(), 50_001);
        assert_eq!(rows[50_000][..4], strings(&["제갈채아", "holder50000@naru.example", "50000", ""]));
    }
}

#[test]
fn rows_that_do_not_fit_on_a_sheet_go_on_on_the_next() {
    let folder = folder();
    let path = folder.path().join("a.xlsx");
    let columns = strings(&["성명"]);
    let head = ReceiptHead { title: "many".to_owned(), ..ReceiptHead::default() };
    let entries = || {
        fine((1..=25).map(|at| WriterRow {
            number: at,
            row_status: Some("x".to_owned()),
            cells: vec![at.to_string()],
        }))
    };
    let by_rows = SheetLimits { rows: 11, ..SheetLimits::EXCEL };
    let by_bytes = SheetLimits { bytes: 700, ..SheetLimits::EXCEL };
    for room in [by_rows, by_bytes] {
        let facts = |written: &Written| facts(&head, written);
        let table =
            TableWriter { room, ..to_file(&path, TableFormat::Xlsx, true, &columns, Some((FACTS, &facts))) };
        let written = table.write(entries(), &mut go_on).expect("written");
        assert_eq!(written.rows, 25);
        let mut sheets = read_xlsx(&path);
        assert_eq!(sheets.pop().map(|sheet| sheet.0).as_deref(), Some("receipt"));
        assert!(sheets.len() > 1);
        let mut all = Vec::new();
        for (at, (name, rows)) in sheets.iter().enumerate() {
            assert_eq!(*name, format!("rows {}", at + 1));
            assert_eq!(rows[0], ["성명"], "every sheet has the names of the columns");
            all.extend(rows[1..].iter().map(|row| row[0].clone()));
        }
        assert_eq!(all, (1..=25).map(|at| at.to_string()).collect::<Vec<_>>());
    }
    let first = &read_xlsx(&path)[0].1;
    assert!(first.len() < 11, "the second time bytes were what ran out");
}

#[test]
fn the_names_of_the_columns_are_bold_and_stay_in_sight() {
    let folder = folder();
    let path = folder.path().join("a.xlsx");
    write(&path, TableFormat::Xlsx, [line(1, "아주 긴 이름을 가진 사람의 이름", "issued")]);
    let mut archive = zip::ZipArchive::new(fs::File::open(&path).expect("a file")).expect("an archive");
    let sheet =
        io::read_to_string(archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet")).expect("text");
    assert!(sheet.contains("ySplit=\"1\"") && sheet.contains("state=\"frozen\""), "{sheet}");
    assert!(sheet.contains("<c r=\"A1\" s=\"2\"") && sheet.contains("<c r=\"K2\" s=\"1\""), "{sheet}");
    assert!(sheet.contains("<col min=\"1\" max=\"1\" width=\"34\""), "as wide as the name: {sheet}");
    let styles = io::read_to_string(archive.by_name("xl/styles.xml").expect("styles")).expect("text");
    assert!(styles.contains("<b/>") && styles.contains("numFmtId=\"49\""));
}

#[test]
fn rows_of_another_length_keep_all_their_cells_and_shift_nothing() {
    let folder = folder();
    let (short, long) =
        (strings(&["한서윤"]), strings(&["오지호", "jiho.oh@naru.example", "beyond", "more"]));
    let lines = || {
        [
            ReceiptLine { cells: short.clone(), ..line(1, "", "issued") },
            ReceiptLine { cells: long.clone(), ..line(2, "", "issued") },
        ]
    };
    let (xlsx, csv) = (folder.path().join("a.xlsx"), folder.path().join("a.csv"));
    write(&xlsx, TableFormat::Xlsx, lines());
    write(&csv, TableFormat::CsvUtf8, lines());
    for rows in [read_xlsx(&xlsx).remove(0).1, read_utf8(&csv)] {
        assert_eq!(rows[1][..4], strings(&["한서윤", "", "1", "B-000000001-7K"]));
        assert_eq!(rows[2][..4], strings(&["오지호", "jiho.oh@naru.example", "2", "B-000000002-7K"]));
        assert_eq!(rows[2][13..], strings(&["beyond", "more"]));
    }
    let again = folder.path().join("redo.csv");
    redo(&again, TableFormat::CsvUtf8, &["성명", "이메일"], &[short, long]);
    assert_eq!(read_utf8(&again)[1], strings(&["한서윤", "", WHY]));
    assert_eq!(read_utf8(&again)[2], strings(&["오지호", "jiho.oh@naru.example", WHY, "beyond", "more"]));
}

#[test]
fn a_redo_file_is_the_original_columns_and_the_reason() {
    let folder = folder();
    let rows = [strings(&["1", "홍철", "hong.c@naru.example", "00123"]), strings(&["2", "", "", ""])];
    let columns = ["번호", "성명", "이메일", "학번"];
    for (format, name) in
        [(TableFormat::Xlsx, "a.xlsx"), (TableFormat::CsvUtf8, "a.csv"), (TableFormat::CsvCp949, "b.csv")]
    {
        let path = folder.path().join(name);
        let written = redo(&path, format, &columns, &rows);
        assert_eq!((written.rows, written.row_statuses.len()), (2, 0));
        let read = match format {
            TableFormat::Xlsx => {
                let mut sheets = read_xlsx(&path);
                assert_eq!(sheets.len(), 1, "no sheet that an import could take for the rows");
                sheets.remove(0).1
            }
            TableFormat::CsvUtf8 => read_utf8(&path),
            TableFormat::CsvCp949 => read_cp949(&path),
        };
        let names: Vec<String> = strings(&columns).into_iter().chain([REASON_COLUMN.to_owned()]).collect();
        assert_eq!(read, [names, redone(&rows[0]), redone(&rows[1])]);
    }
}

#[test]
fn a_receipt_of_a_receipt_has_names_of_its_own() {
    assert_eq!(added(&strings(&["row", "badge id"]))[..2], strings(&["lapel row", "lapel badge id"]));
    assert_eq!(added(&strings(&["성명", " Lapel Row "]))[..2], strings(&["lapel 2 row", "lapel 2 badge id"]));
    assert_eq!(added(&strings(&["lapel row", "lapel 2 status"]))[5], "lapel 3 status");
}

#[test]
fn a_format_is_known_by_name_and_by_ending() {
    for format in [TableFormat::Xlsx, TableFormat::CsvUtf8, TableFormat::CsvCp949] {
        assert_eq!(format.to_string().parse(), Ok(format));
        assert!(TableFormat::from_path(&Path::new("a").with_extension(format.ending())).is_some());
    }
    assert_eq!("CP949".parse(), Ok(TableFormat::CsvCp949));
    assert_eq!(TableFormat::from_path(Path::new("결과.XLSX")), Some(TableFormat::Xlsx));
    assert_eq!(TableFormat::from_path(Path::new("a.csv")), Some(TableFormat::CsvUtf8));
    assert_eq!(
        (TableFormat::from_path(Path::new("a.xls")), TableFormat::from_path(Path::new("xlsx"))),
        (None, None)
    );
    assert!("pdf\u{1b}".parse::<TableFormat>().expect_err("unknown").contains("pdf␛"));
}

fn has_no_controls(cell: &str) -> bool {
    !cell.contains(|c: char| {
        c.is_control()
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    })
}

fn table() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cell = prop_oneof!["['=+@＝\"; ,-]{0,4}[a-z가-힣]{0,3}", any::<String>()]
        .prop_filter("no control characters", |cell| has_no_controls(cell));
    proptest::collection::vec(proptest::collection::vec(cell, 1..5), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn ordinary_cells_come_back_from_csv_as_they_were(rows in table()) {
        let folder = folder();
        let path = folder.path().join("a.csv");
        let written = redo(&path, TableFormat::CsvUtf8, &["x"], &rows);
        prop_assert!(written.is_exact());
        let read = read_utf8(&path);
        for (was, is) in rows.iter().zip(&read[1..]) {
            let (first, beyond) = was.split_first().expect("a cell");
            prop_assert_eq!((&is[0], is[1].as_str(), &is[2..]), (first, WHY, beyond));
        }
    }

    #[test]
    fn ordinary_cells_come_back_from_excel_as_they_were(rows in table()) {
        let folder = folder();
        let path = folder.path().join("a.xlsx");
        prop_assert!(redo(&path, TableFormat::Xlsx, &["x", "y", "z", "u"], &rows).is_exact());
        let read = read_xlsx(&path).remove(0).1;
        for (was, is) in rows.iter().zip(&read[1..]) {
            prop_assert_eq!(&is[..was.len()], &was[..]);
        }
    }

    #[test]
    fn any_cells_at_all_make_a_file_that_can_be_read(rows in proptest::collection::vec(proptest::collection::vec(any::<String>(), 0..4), 0..4)) {
        for (format, name) in [(TableFormat::Xlsx, "a.xlsx"), (TableFormat::CsvUtf8, "a.csv"), (TableFormat::CsvCp949, "b.csv")] {
            let folder = folder();
            let path = folder.path().join(name);
            let written = redo(&path, format, &["x", "y"], &rows);
            prop_assert_eq!(written.rows, rows.len() as u64);
            match format {
                TableFormat::Xlsx => drop(read_xlsx(&path)),
                TableFormat::CsvUtf8 => drop(read_utf8(&path)),
                TableFormat::CsvCp949 => drop(read_cp949(&path)),
            }
        }
    }
}
