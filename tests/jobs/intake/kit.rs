//! Files to read, and ways to look at what was read.

use encoding_rs::{EUC_KR, WINDOWS_1252};
use lapel::jobs::intake::{
    Checked, Choices, ColumnMap, ImportSource, InputTable, IntakeError, RawRow, TextEncoding, Unwatched,
    check,
};
use std::io::Write;
use std::path::PathBuf;

/// A folder with files in it, for one test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> ImportSource {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("written");
        ImportSource::File(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

pub fn open(source: &ImportSource, choices: &Choices) -> Result<InputTable, IntakeError> {
    InputTable::open(source, choices, &|_| None, &Unwatched)
}

/// Writes bytes to a file, opens it with nothing chosen.
pub fn open_bytes(name: &str, bytes: &[u8]) -> Result<(Folder, InputTable), IntakeError> {
    open_bytes_with(name, bytes, &Choices::default())
}

pub fn open_bytes_with(
    name: &str,
    bytes: &[u8],
    choices: &Choices,
) -> Result<(Folder, InputTable), IntakeError> {
    let folder = Folder::new();
    let source = folder.file(name, bytes);
    open(&source, choices).map(|table| (folder, table))
}

pub fn rows(table: &InputTable) -> Vec<RawRow> {
    let open = table.about().needs_answer();
    let rows = table.rows().unwrap_or_else(|e| panic!("{e} {open:?}"));
    rows.map(|row| row.expect("a row")).collect()
}

pub fn cells(table: &InputTable) -> Vec<Vec<String>> {
    rows(table).into_iter().map(|row| row.cells).collect()
}

pub fn map(table: &InputTable) -> ColumnMap {
    table.about().map.map().unwrap_or_else(|| panic!("no map: {:?}", table.about().map)).clone()
}

pub fn checked(table: &InputTable) -> Vec<Checked> {
    let map = map(table);
    rows(table).into_iter().map(|row| check(row, &map)).collect()
}

/// Name and address of every row.
pub fn people(table: &InputTable) -> Vec<(String, String)> {
    checked(table).into_iter().map(|c| (c.name, c.email)).collect()
}

pub fn pair(name: &str, email: &str) -> (String, String) {
    (name.to_owned(), email.to_owned())
}

/// Text in an encoding, without a byte order mark.
pub fn encoded(text: &str, encoding: TextEncoding) -> Vec<u8> {
    match encoding {
        TextEncoding::Utf8 => text.as_bytes().to_vec(),
        TextEncoding::Cp949 => cp949(text),
        TextEncoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        TextEncoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

pub fn cp949(text: &str) -> Vec<u8> {
    let (bytes, _, lost) = EUC_KR.encode(text);
    assert!(!lost, "CP949 has no {text}");
    bytes.into_owned()
}

/// CP949 bytes that are read as Western text.
pub fn as_western(bytes: &[u8]) -> String {
    WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// A zip archive.
pub fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in parts {
        zip.start_file(*name, options).expect("started");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("finished").into_inner()
}
