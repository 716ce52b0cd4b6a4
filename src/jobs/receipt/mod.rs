//! Receipts: what became of every row of a job, in a file that a person keeps; the rows to do again, in a
//! file that can be imported as it is; and whose mails did not go out.
//!
//! Rows arrive one by one and leave one by one: a million of them need no more memory than ten. A file
//! appears under its name whole or not at all, and never in place of another one unless that is asked for.
//! This knows nothing of where the rows come from, and must never write a cell that a spreadsheet would
//! calculate with or a terminal would obey.

mod cell;
mod csv_file;
mod error;
mod mail;
mod notes;
#[cfg(test)]
mod tests;
mod xlsx_file;

pub use cell::{guard, unguard};
pub use error::ReceiptError;
pub use mail::{MailGroup, MailReport, mail_failures};
pub use notes::{Noted, Place};

use crate::disk::{Draft, Mode, Overwrite};
use crate::domain::Text;
use csv_file::CsvFile;
use notes::tally;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use xlsx_file::{MAX_COLUMNS, Room, XlsxFile};

/// What a file is written as.
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
            _ => Err(format!("`{}` is not a format: write xlsx, csv or csv-cp949", Text::from(name))),
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

/// What stands above the rows of a receipt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// What it is a receipt of.
    pub title: String,
    /// What else there is to say about the job: name and value. In an Excel file they are on the sheet
    /// `receipt`, together with the title and the number of rows of each bucket; a CSV file has no place
    /// for them.
    pub facts: Vec<(String, String)>,
    /// The columns of the file that the job came from, in their order.
    pub columns: Vec<String>,
}

/// One row of a receipt. Times are texts as they are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The cells of the original row, as they were; there may be fewer or more than there are columns.
    pub cells: Vec<String>,
    /// Its number in the original file.
    pub row: u64,
    /// The badge, once it is known.
    pub badge_id: Option<String>,
    /// The one bucket that the row is in.
    pub bucket: String,
    /// Why.
    pub reason: String,
    /// When the service accepted it.
    pub accepted: String,
    /// The badge's status, in the service's words.
    pub status: String,
    /// The mail's status, in the service's words.
    pub mail_status: String,
    /// When it was issued.
    pub issued: String,
    /// Until when it is valid.
    pub valid_until: String,
}

/// The columns that a receipt adds, without the `lapel` before each.
const ADDED: [&str; 9] =
    ["row", "badge id", "bucket", "reason", "accepted", "status", "mail status", "issued", "valid until"];

/// Buckets that are told apart; a job has far fewer.
const BUCKETS: usize = 100;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// How many rows, not counting the names of the columns.
    pub rows: u64,
    /// How many rows are in each bucket, in the order in which the buckets came up. They add up to `rows`;
    /// empty for a redo file.
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
        let remark = |noted: &Noted, what: &str| {
            let place = noted.first.first()?;
            let cells = if noted.count == 1 { "cell" } else { "cells" };
            Some(format!("{} {cells} {what} (first: {place})", noted.count))
        };
        [
            remark(&self.unmappable, "with characters that CP949 does not have: marks stand in their place"),
            remark(&self.marked, "with control characters: visible marks stand in their place"),
            remark(&self.cut, "longer than Excel allows: only the beginning is in the file"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Watches a file being written: is told how many rows are in it, every now and then and at the end, and
/// says whether to go on. After a `Break` there is no file.
pub type Watch<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Writes the receipt of a job: every row with its original cells, followed by what became of it. The added
/// columns are called `lapel row`, `lapel badge id`, `lapel bucket`, `lapel reason`, `lapel accepted`,
/// `lapel status`, `lapel mail status`, `lapel issued` and `lapel valid until`, whatever the original ones
/// are called, so that a receipt can be told from the file it came from; when that had such columns itself,
/// they are called `lapel 2 row` and so on. Cells beyond the last original column come after them.
///
/// # Errors
/// [`ReceiptError`] says what went wrong. There is no file then, and one that was there is as it was.
pub fn write_receipt<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: Format,
    overwrite: bool,
    head: &Head,
    lines: impl Iterator<Item = Result<Line, E>>,
    watch: &mut Watch<'_>,
) -> Result<Written, ReceiptError> {
    let mut names = head.columns.clone();
    names.extend(added(&head.columns));
    let width = head.columns.len();
    let rows = lines.map(|line| line.map(|line| Entry::of(line, width)));
    Table { to, format, overwrite, names: &names, head: Some(head), room: Room::EXCEL }.write(rows, watch)
}

/// Writes rows to be done again: the original columns with their original values and nothing else, so that
/// the file can be imported as the first one was. In [`Place`] rows count from 1 as they are in this file.
///
/// # Errors
/// [`ReceiptError`] says what went wrong. There is no file then, and one that was there is as it was.
pub fn write_redo<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: Format,
    overwrite: bool,
    columns: &[String],
    rows: impl Iterator<Item = Result<Vec<String>, E>>,
    watch: &mut Watch<'_>,
) -> Result<Written, ReceiptError> {
    let rows = rows.zip(1..).map(|(row, number)| row.map(|cells| Entry { number, bucket: None, cells }));
    Table { to, format, overwrite, names: columns, head: None, room: Room::EXCEL }.write(rows, watch)
}

/// The names of the added columns, none of which is among the original ones.
fn added(columns: &[String]) -> Vec<String> {
    let taken = |name: &String| columns.iter().any(|one| one.trim().eq_ignore_ascii_case(name));
    let mut names: Vec<String> = ADDED.iter().map(|name| format!("lapel {name}")).collect();
    let mut again = 1;
    while names.iter().any(taken) {
        again += 1;
        names = ADDED.iter().map(|name| format!("lapel {again} {name}")).collect();
    }
    names
}

/// A row on its way into a file.
struct Entry {
    number: u64,
    bucket: Option<String>,
    cells: Vec<String>,
}

impl Entry {
    fn of(line: Line, width: usize) -> Self {
        let mut original = line.cells.into_iter();
        let mut cells: Vec<String> = original.by_ref().take(width).collect();
        cells.resize(width, String::new());
        let bucket = line.bucket.clone();
        cells.extend([line.row.to_string(), line.badge_id.unwrap_or_default(), line.bucket, line.reason]);
        cells.extend([line.accepted, line.status, line.mail_status, line.issued, line.valid_until]);
        cells.extend(original);
        Self { number: line.row, bucket: Some(bucket), cells }
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
    fn column(&self, at: usize) -> Text {
        match self.names.get(at) {
            Some(name) if !self.is_head && !name.trim().is_empty() => Text::from(name.as_str()),
            _ => Text::from(format!("column {}", at + 1)),
        }
    }
}

/// A file to be written.
struct Table<'a> {
    to: &'a Path,
    format: Format,
    overwrite: bool,
    names: &'a [String],
    /// What is told about the rows; not for a redo file.
    head: Option<&'a Head>,
    room: Room,
}

impl Table<'_> {
    /// How many rows are written before the one who watches is asked again.
    const BREATH: u64 = 256;

    fn write<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        rows: impl Iterator<Item = Result<Entry, E>>,
        watch: &mut Watch<'_>,
    ) -> Result<Written, ReceiptError> {
        let trouble = |why: io::Error| ReceiptError::of(self.to, why);
        if !self.overwrite && std::fs::symlink_metadata(self.to).is_ok() {
            return Err(ReceiptError::Exists(self.to.to_owned()));
        }
        let mut draft = Draft::create(self.to, Mode::Ordinary).map_err(trouble)?;
        let written = self.fill(&mut draft, rows, watch)?;
        let overwrite = if self.overwrite { Overwrite::Yes } else { Overwrite::No };
        draft.place(overwrite).map_err(trouble)?;
        Ok(written)
    }

    fn fill<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        to: &mut impl Write,
        rows: impl Iterator<Item = Result<Entry, E>>,
        watch: &mut Watch<'_>,
    ) -> Result<Written, ReceiptError> {
        let trouble = |why: io::Error| ReceiptError::of(self.to, why);
        let mut written = Written { path: self.to.to_owned(), ..Written::default() };
        let mut file = match self.format {
            Format::Xlsx => File::Xlsx(Box::new(XlsxFile::new(to, self.room))),
            Format::CsvUtf8 => File::Csv(Box::new(CsvFile::utf8(to).map_err(trouble)?)),
            Format::CsvCp949 => File::Csv(Box::new(CsvFile::cp949(to))),
        };
        self.check_width(self.names.len())?;
        file.row(&Row::head(self.names), &mut written).map_err(trouble)?;
        for row in rows {
            if written.rows.is_multiple_of(Self::BREATH) && watch(written.rows).is_break() {
                return Err(ReceiptError::Cancelled);
            }
            let entry = row.map_err(|why| ReceiptError::Rows(why.into()))?;
            self.check_width(entry.cells.len())?;
            let row = Row { is_head: false, number: entry.number, names: self.names, cells: &entry.cells };
            file.row(&row, &mut written).map_err(trouble)?;
            written.rows += 1;
            if let Some(bucket) = &entry.bucket {
                tally(&mut written.buckets, bucket, BUCKETS, "(other buckets)");
            }
        }
        if watch(written.rows).is_break() {
            return Err(ReceiptError::Cancelled);
        }
        let facts = self.head.map(|head| facts(head, &written));
        file.finish(facts.as_deref()).map_err(trouble)?;
        Ok(written)
    }

    fn check_width(&self, columns: usize) -> Result<(), ReceiptError> {
        match self.format {
            Format::Xlsx if columns > MAX_COLUMNS => Err(ReceiptError::TooWide { columns }),
            _ => Ok(()),
        }
    }
}

enum File<W: Write> {
    Csv(Box<CsvFile<W>>),
    Xlsx(Box<XlsxFile<W>>),
}

impl<W: Write> File<W> {
    fn row(&mut self, row: &Row<'_>, written: &mut Written) -> io::Result<()> {
        match self {
            Self::Csv(file) => file.row(row, written),
            Self::Xlsx(file) => file.row(row, written),
        }
    }

    fn finish(self, facts: Option<&[(String, String)]>) -> io::Result<()> {
        match self {
            Self::Csv(file) => file.finish(),
            Self::Xlsx(file) => file.finish(facts),
        }
    }
}

/// The sheet that tells about the rows; an empty value makes a heading of a name.
fn facts(head: &Head, written: &Written) -> Vec<(String, String)> {
    let heading = |name: &str| (name.to_owned(), String::new());
    let mut all = vec![heading(&head.title)];
    all.extend(head.facts.iter().cloned());
    all.extend([heading(""), heading("Rows of each bucket")]);
    all.extend(written.buckets.iter().map(|(bucket, rows)| (bucket.clone(), rows.to_string())));
    all.push(("rows in all".to_owned(), written.rows.to_string()));
    if !written.is_exact() {
        all.extend([heading(""), heading("Not exactly as in the original")]);
        all.extend(written.remarks().into_iter().map(|remark| ("remark".to_owned(), remark)));
        for noted in [&written.marked, &written.cut] {
            all.extend(noted.first.iter().map(|place| ("cell".to_owned(), place.to_string())));
        }
    }
    all
}
