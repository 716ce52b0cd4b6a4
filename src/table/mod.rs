//! Tables as files: Excel, CSV and JSON Lines.
//!
//! Rows are streamed, so that a million rows need no more memory than ten. A file appears under its
//! name complete or not at all, and replaces another file only on request.

mod cell;
mod csv_file;
mod error;
mod json;
mod json_lines;
mod notes;
mod writer;
mod xlsx_file;

pub use cell::{escape_formula, unescape_formula};
pub use csv_file::CsvStream;
pub use error::TableError;
pub use json::json_line;
pub use json_lines::write_lines;
pub use notes::{ChangedCell, ChangedCells};
pub use writer::{SummaryFn, TableWriter, WriterRow};
pub use xlsx_file::SheetLimits;

pub(crate) use notes::tally;
pub(crate) use xlsx_file::letters;

use crate::fs::{is_own_file, may_be_replaced};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display)]
pub enum TableFormat {
    /// Every cell is text.
    #[default]
    #[strum(to_string = "xlsx")]
    Xlsx,
    /// With a byte order mark for Excel.
    #[strum(to_string = "csv")]
    CsvUtf8,
    /// The encoding of old Korean Excel.
    #[strum(to_string = "csv-cp949")]
    CsvCp949,
}

impl TableFormat {
    /// `.xlsx`, or `.csv` for UTF-8.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "xlsx" => Some(Self::Xlsx),
            "csv" => Some(Self::CsvUtf8),
            _ => None,
        }
    }

    pub fn ending(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::CsvUtf8 | Self::CsvCp949 => "csv",
        }
    }
}

impl FromStr for TableFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name.trim().to_ascii_lowercase().as_str() {
            "xlsx" => Ok(Self::Xlsx),
            "csv" | "csv-utf8" => Ok(Self::CsvUtf8),
            "cp949" | "csv-cp949" => Ok(Self::CsvCp949),
            _ => Err(t!(
                "`{name}` is not a format: use xlsx, csv or csv-cp949",
                name = crate::domain::text::scrub(name)
            )),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    /// Without the header.
    pub rows: u64,
    /// In order of appearance. They add up to `rows`. Empty when rows have no status.
    pub row_statuses: Vec<(String, u64)>,
    /// Not in CP949. The file has marks such as `<U+1F600>` instead.
    pub unmappable: ChangedCells,
    /// Would control a terminal or reverse text. The file has marks instead.
    pub marked: ChangedCells,
    /// Longer than Excel's limit (32,767 characters). The file has their beginning.
    pub cut: ChangedCells,
}

impl Written {
    pub fn is_exact(&self) -> bool {
        self.unmappable.count + self.marked.count + self.cut.count == 0
    }

    /// One per line. Empty when the file is exact.
    pub fn remarks(&self) -> Vec<String> {
        let first = |noted: &ChangedCells| noted.first.first().map(|place| (noted.count, place.to_string()));
        [
            first(&self.unmappable).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell has characters that CP949 lacks. Placeholders replace them (first: {place}).",
                    "{n} cells have characters that CP949 lacks. Placeholders replace them (first: {place}).",
                    place
                )
            }),
            first(&self.marked).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell has control characters. Visible placeholders replace them (first: {place}).",
                    "{n} cells have control characters. Visible placeholders replace them (first: {place}).",
                    place
                )
            }),
            first(&self.cut).map(|(cells, place)| {
                plural!(
                    cells,
                    "{n} cell is longer than Excel allows. Only its beginning was saved (first: {place}).",
                    "{n} cells are longer than Excel allows. Only their beginnings were saved (first: {place}).",
                    place
                )
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Receives the number of rows written, regularly and at the end. After a `Break`, no file is written.
pub type WriteProgress<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Rows between two calls of the watcher.
const BREATH: u64 = 256;

/// Called before there are any rows.
pub fn can_begin(to: &Path, overwrite: bool) -> Result<(), TableError> {
    is_free(to, overwrite)?;
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match std::fs::metadata(folder) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(TableError::NoFolder(to.to_owned())),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Err(TableError::NoFolder(to.to_owned())),
        Err(why) => Err(TableError::of(to, why)),
    }
}

fn is_free(to: &Path, overwrite: bool) -> Result<(), TableError> {
    if is_own_file(to) {
        return Err(TableError::Own(to.to_owned()));
    }
    let Ok(old) = std::fs::symlink_metadata(to) else { return Ok(()) };
    may_be_replaced(&old).map_err(|why| TableError::of(to, why))?;
    if overwrite { Ok(()) } else { Err(TableError::Exists(to.to_owned())) }
}

struct TableRow<'a> {
    is_head: bool,
    number: u64,
    names: &'a [String],
    cells: &'a [String],
}

impl<'a> TableRow<'a> {
    fn head(names: &'a [String]) -> Self {
        Self { is_head: true, number: 0, names, cells: names }
    }

    fn cells(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.cells.iter().map(String::as_str)
    }

    fn column(&self, at: usize) -> crate::domain::Text {
        match self.names.get(at) {
            Some(name) if !self.is_head && !name.trim().is_empty() => name.as_str().into(),
            _ => t!("column {n}", n = at + 1).into(),
        }
    }
}
