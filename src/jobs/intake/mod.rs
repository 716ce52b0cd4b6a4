//! Reads recipients from a file (CSV, TSV, semicolons, pipes, XLSX, XLS, ODS; UTF-8, UTF-16 or CP949) or from
//! pasted lines.
//!
//! There are three steps, and a person can check each before the next:
//!
//! 1. [`InputTable::open`] reads the source once and detects how to read it: format, encoding, delimiter, sheet,
//!    header row, columns. It does not guess: an unclear point becomes a question ([`About::needs_answer`]).
//! 2. [`InputTable::rows`] gives every row after the header, in order, with its row number in the source. Text files
//!    are streamed, so a million rows need no more memory than ten.
//! 3. [`check`] checks one row: ready, needs review, refused, or not a recipient.
//!
//! lapel lists everything that it skips or changes: a hidden row or a composed name leaves a note on its row.
//! This module reads only the given source, and uses neither the service nor the journal. Any bytes are safe:
//! a hostile file ends in an [`IntakeError`].
//!
//! ```text
//! table, origin, about           an opened source, its bytes, and what is known before its rows are read
//! preview                        an opened source, for a person
//! detect_encoding, encoding, decode, mojibake   bytes to text
//! text, split, sheet/, pasted    rows of a text file, of a spreadsheet, of pasted lines
//! header, column_guess           which column is what
//! row, cell_text, check/         a row, its cells, and whether it can be sent
//! similar_domains, ids           domains that look mistyped; files of badge ids
//! ```

use crate::jobs::prelude::*;

mod about;
mod cell_text;
mod check;
mod column_guess;
mod decode;
mod detect_encoding;
mod encoding;
mod error;
mod header;
mod ids;
mod mojibake;
mod origin;
mod pasted;
mod preview;
mod row;
mod sheet;
mod similar_domains;
mod split;
mod table;
mod text;

pub use about::{About, EncodingCertainty, FileQuestion, ImportNote, InputFormat, MapState};
pub use check::{CheckOutcome, Checked, Finding, Severity, check, check_person};
pub use column_guess::{ColumnContent, ColumnGuess, ColumnMap, NameColumns, RecipientField};
pub use encoding::TextEncoding;
pub use error::{IntakeError, IntakeProblem};
pub use header::{REASON_COLUMN, TableContent};
pub(super) use header::{id_column, stand_in};
pub use ids::{IdList, IdRow, read_ids};
pub(super) use origin::PASTED;
pub(super) use origin::hex;
pub(super) use preview::preview;
pub use preview::{Opened, Preview};
pub use row::{CellFact, CellNote, RawRow};
pub use similar_domains::{DomainCounts, similar_domains};
pub use split::Delimiter;
pub use table::{InputRows, InputTable};

/// Maximum size of a text file, in bytes: a million rows of a thousand bytes.
pub const MAX_TEXT_BYTES: u64 = 1024 * 1024 * 1024;
/// Maximum size of pasted text, in bytes. It is held in memory; a file is not.
pub const MAX_PASTED_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum size of a spreadsheet file, in bytes.
pub const MAX_SHEET_BYTES: u64 = 20 * 1024 * 1024;
/// Maximum unpacked size of a spreadsheet, in bytes. A small file can unpack without end.
pub const MAX_UNPACKED_BYTES: u64 = 200 * 1024 * 1024;
/// Maximum rows of a source, including blank ones: the limit of Excel.
pub const MAX_ROWS: u64 = 1_048_576;
pub const MAX_COLUMNS: usize = 1_000;
/// Maximum length of a spreadsheet cell, in characters: the limit of Excel.
pub const MAX_CELL_CHARS: usize = 32_767;
/// Maximum length of a row of a text file, in bytes. It also bounds a quotation mark that is never closed.
pub const MAX_ROW_BYTES: usize = 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSource {
    /// A file. Its content decides its format, not its name.
    File(PathBuf),
    /// Pasted lines: `name<TAB, comma or semicolon>e-mail`, `Name <e-mail>`, only addresses, or cells copied from
    /// a spreadsheet with their header.
    Pasted(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeaderRow {
    /// The header's row number in the source (the line in which it starts, or the sheet's row), from 1.
    At(u64),
    /// No header: data begins in the first row.
    Absent,
}

/// lapel detects each value that is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    pub encoding: Option<TextEncoding>,
    pub delimiter: Option<Delimiter>,
    pub sheet: Option<String>,
    pub header: Option<HeaderRow>,
    pub columns: Option<ColumnMap>,
    /// The column of the badge ids, from 0; only for [`read_ids`].
    pub id_column: Option<usize>,
}

/// The whole name before it was written in the wrong encoding. `None` if a part of it is lost.
pub(super) fn name_before_damage(name: &str) -> Option<String> {
    mojibake::damage(name)?.was().filter(|was| !was.contains('…')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read, Write};
    use zip::write::SimpleFileOptions;

    #[test]
    fn only_a_whole_name_is_suggested() {
        assert_eq!(name_before_damage("JosÃ© Silva").as_deref(), Some("José Silva"));
        assert_eq!(name_before_damage("í\u{99}\u{8d}ì²"), None);
        assert_eq!(name_before_damage("源?誘쇱닔"), None);
        assert_eq!(name_before_damage("José Silva"), None);
    }

    /// The parts of a workbook.
    fn parts(workbook: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut archive = zip::ZipArchive::new(Cursor::new(workbook)).expect("a workbook");
        let count = archive.len();
        let part = |at: usize| {
            let mut file = archive.by_index(at).expect("a part");
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("its bytes");
            (file.name().expect("a name").into_owned(), bytes)
        };
        (0..count).map(part).collect()
    }

    fn read_everything(path: &std::path::Path, bytes: &[u8]) {
        std::fs::write(path, bytes).expect("written");
        let source = ImportSource::File(path.to_owned());
        let map = ColumnMap { name: NameColumns::One(0), email: 1, template: None };
        let forced =
            Choices { header: Some(HeaderRow::Absent), columns: Some(map.clone()), ..Choices::default() };
        for choices in [Choices::default(), forced] {
            if let Ok(table) = InputTable::open(&source, &choices, &|_| None, &Unwatched)
                && let Ok(rows) = table.rows()
            {
                rows.flatten().for_each(|row| drop(check(row, &map)));
            }
        }
        let _ = read_ids(&source, &Choices::default(), &Unwatched);
    }

    fn read_pasted(bytes: &[u8]) {
        let source = ImportSource::Pasted(String::from_utf8_lossy(bytes).into_owned());
        if let Ok(table) = InputTable::open(&source, &Choices::default(), &|_| None, &Unwatched) {
            let map = ColumnMap { name: NameColumns::One(0), email: 1, template: None };
            table.rows().into_iter().flatten().flatten().for_each(|row| drop(check(row, &map)));
        }
        let _ = read_ids(&source, &Choices::default(), &Unwatched);
    }

    const WORDS: [&[u8]; 8] = [
        b"<row r=\"99999999\">",
        b"<c r=\"ZZZ9\"/>",
        b"&#0;",
        b"\xb1\xe8",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"<!--",
        b"\"\"",
    ];

    #[test]
    fn no_bytes_of_a_table_do_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let seeds: [&[u8]; 6] = [
            include_bytes!("../../../assets/demo/one-line-cp949.csv"),
            include_bytes!("../../../assets/demo/revoke-ids.csv"),
            include_bytes!("../../../assets/demo/attendees-utf8-bom.csv"),
            include_bytes!("../../../assets/demo/safety-2025-h2.xlsx"),
            include_bytes!("../../../tests/jobs/intake/fixtures/old.xls"),
            b"\xff\xfet\0\t\0x\0\n\0",
        ];
        crate::fuzz::fuzz("a file", &seeds, &WORDS, |bytes| read_everything(&folder.path().join("x"), bytes));
    }

    #[test]
    fn no_bytes_within_a_workbook_do_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = parts(include_bytes!("../../../assets/demo/safety-2025-h2.xlsx"));
        let sheet = all.iter().position(|(name, _)| name.contains("worksheets/sheet")).expect("a sheet");
        let seeds: Vec<&[u8]> = all.iter().map(|(_, part)| part.as_slice()).collect();
        // The sheet itself, and any other part of it in its place.
        crate::fuzz::fuzz("a sheet", &seeds, &WORDS, |bytes| {
            let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
            for (at, (name, part)) in all.iter().enumerate() {
                writer.start_file(name, SimpleFileOptions::default()).expect("begun");
                writer.write_all(if at == sheet { bytes } else { part }).expect("written");
            }
            read_everything(&folder.path().join("x"), &writer.finish().expect("a workbook").into_inner());
        });
    }

    #[test]
    fn no_bytes_within_an_open_document_do_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let seed = "<office:document-content><office:automatic-styles><style:style style:name=\"ta2\" \
            style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style>\
            </office:automatic-styles><office:body><office:spreadsheet><table:table table:name=\"명단\">\
            <table:table-column table:visibility=\"collapse\" table:number-columns-repeated=\"3\"/>\
            <table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\">\
            <text:p>홍길동<text:s text:c=\"2\"/></text:p></table:table-cell><table:table-cell \
            table:formula=\"of:=1\" office:value-type=\"float\" office:value=\"1.5\"><text:p>a@b.example</text:p>\
            </table:table-cell><table:covered-table-cell/></table:table-row></table:table></office:spreadsheet>\
            </office:body></office:document-content>";
        let words: [&[u8]; 6] = [
            b"number-columns-repeated=\"99999999\"",
            b"number-rows-repeated=\"18446744073709551615\"",
            b"<text:s text:c=\"4294967295\"/>",
            b"<table:table-row>",
            b"</table:table-cell>",
            b"&#x110000;",
        ];
        let document = |content: &[u8]| {
            let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
            let mimetype: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";
            for (name, part) in [("mimetype", mimetype), ("content.xml", content)] {
                writer.start_file(name, SimpleFileOptions::default()).expect("begun");
                writer.write_all(part).expect("written");
            }
            writer.finish().expect("a document").into_inner()
        };
        let path = folder.path().join("x");
        std::fs::write(&path, document(seed.as_bytes())).expect("written");
        let source = ImportSource::File(path.clone());
        let whole = InputTable::open(&source, &Choices::default(), &|_| None, &Unwatched).expect("readable");
        assert_eq!(whole.about().format, InputFormat::Ods);
        crate::fuzz::fuzz("an open document", &[seed.as_bytes()], &words, |bytes| {
            read_everything(&path, &document(bytes));
        });
    }

    #[test]
    fn no_bytes_of_a_paste_do_harm() {
        let seeds: [&[u8]; 3] = [
            "홍길동 <hong@naru.example>; Kim, Minsu\tkim@naru.example\r\n".as_bytes(),
            "이름\t메일\n\"홍\"\"길동\"\thong@naru.example\n".as_bytes(),
            b"B-000004301-PS, B-2\n# a\nB-3;4.3E+6",
        ];
        crate::fuzz::fuzz("pasted text", &seeds, &WORDS, read_pasted);
    }
}

pub trait ReadProgress {
    /// Called with the number of bytes that were read.
    fn progress(&self, bytes_done: u64, bytes_all: u64);
    /// Whether to stop. Then the reading ends with [`IntakeProblem::Cancelled`].
    fn is_cancelled(&self) -> bool;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl ReadProgress for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
