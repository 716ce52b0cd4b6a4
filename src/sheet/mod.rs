//! Tables as files that a person keeps: Excel, CSV, and lines of JSON.
//!
//! Rows arrive one by one and leave one by one: a million of them need no more memory than ten. A file
//! appears under its name whole or not at all, and never in place of another one unless that is asked for.
//! This knows nothing of where the rows come from, and must never write a cell that a spreadsheet would
//! calculate with or a terminal would obey.

mod cell;
mod csv_file;
mod error;
mod json;
mod lines;
mod notes;
mod table;
mod xlsx_file;

pub use cell::{guard, unguard};
pub use csv_file::CsvStream;
pub use error::SheetError;
pub use json::json_line;
pub use lines::Lines;
pub use notes::{Noted, Place};
pub use table::{Entry, Facts, Table};
pub use xlsx_file::Room;

pub(crate) use notes::tally;

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What a table is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Excel, every cell a text.
    #[default]
    Xlsx,
    /// CSV in UTF-8, with the mark by which Excel knows it.
    CsvUtf8,
    /// CSV in CP949 (windows-949), for old Korean Excel.
    CsvCp949,
}

impl Format {
    /// The format that a file's name asks for: `.xlsx`, or `.csv` for UTF-8. `None` for any other.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "xlsx" => Some(Self::Xlsx),
            "csv" => Some(Self::CsvUtf8),
            _ => None,
        }
    }

    /// The ending of such a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::CsvUtf8 | Self::CsvCp949 => "csv",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name.trim().to_ascii_lowercase().as_str() {
            "xlsx" => Ok(Self::Xlsx),
            "csv" | "csv-utf8" => Ok(Self::CsvUtf8),
            "cp949" | "csv-cp949" => Ok(Self::CsvCp949),
            _ => Err(t!(
                "`{name}` is not a format: write xlsx, csv or csv-cp949",
                name = crate::domain::text::scrub(name)
            )),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Xlsx => "xlsx",
            Self::CsvUtf8 => "csv",
            Self::CsvCp949 => "csv-cp949",
        })
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// How many rows, not counting the names of the columns.
    pub rows: u64,
    /// How many rows are in each bucket, in the order in which the buckets came up. They add up to `rows`;
    /// empty where rows have no bucket.
    pub buckets: Vec<(String, u64)>,
    /// Cells with characters that CP949 does not have; the file has marks such as `<U+1F600>` in their place.
    pub unmappable: Noted,
    /// Cells with characters that would steer a terminal or turn text around; the file has marks in their
    /// place.
    pub marked: Noted,
    /// Cells that were longer than Excel has room for (32,767 characters). The file has their beginning.
    pub cut: Noted,
}

impl Written {
    /// Whether every cell is in the file just as it was.
    pub fn is_exact(&self) -> bool {
        self.unmappable.count + self.marked.count + self.cut.count == 0
    }

    /// What a person should know about the file, one thing a line; nothing when it is exact.
    pub fn remarks(&self) -> Vec<String> {
        let first = |noted: &Noted| noted.first.first().map(|place| (noted.count, place.to_string()));
        [
            first(&self.unmappable).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell has characters that CP949 does not have: marks stand in their place (first: {place}).",
                    "{n} cells have characters that CP949 does not have: marks stand in their place (first: {place}).",
                    place
                )
            }),
            first(&self.marked).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell has control characters: visible marks stand in their place (first: {place}).",
                    "{n} cells have control characters: visible marks stand in their place (first: {place}).",
                    place
                )
            }),
            first(&self.cut).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell is longer than Excel allows: only its beginning is in the file (first: {place}).",
                    "{n} cells are longer than Excel allows: only their beginnings are in the file (first: {place}).",
                    place
                )
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Watches a file being written: is told how many rows are in it, every now and then and at the end, and
/// says whether to go on. After a `Break` there is no file.
pub type Watch<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// How many rows are written before the one who watches is asked again.
const BREATH: u64 = 256;

/// Whether a file could begin here, found out before there is anything to write.
///
/// # Errors
/// [`SheetError::Exists`] when something is there that may not be replaced, [`SheetError::NoFolder`] when its
/// folder is missing. Everything else shows when it is written.
pub fn can_begin(to: &Path, overwrite: bool) -> Result<(), SheetError> {
    if !overwrite && std::fs::symlink_metadata(to).is_ok() {
        return Err(SheetError::Exists(to.to_owned()));
    }
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match std::fs::metadata(folder) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(SheetError::NoFolder(to.to_owned())),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Err(SheetError::NoFolder(to.to_owned())),
        Err(why) => Err(SheetError::of(to, why)),
    }
}

/// A row as the files take it.
struct Row<'a> {
    is_head: bool,
    number: u64,
    names: &'a [String],
    cells: &'a [String],
}

impl<'a> Row<'a> {
    /// The row with the names of the columns.
    fn head(names: &'a [String]) -> Self {
        Self { is_head: true, number: 0, names, cells: names }
    }

    fn cells(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.cells.iter().map(String::as_str)
    }

    /// What a column is called in a remark.
    fn column(&self, at: usize) -> crate::domain::Text {
        match self.names.get(at) {
            Some(name) if !self.is_head && !name.trim().is_empty() => name.as_str().into(),
            _ => t!("column {n}", n = at + 1).into(),
        }
    }
}
