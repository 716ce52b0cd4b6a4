//! A table into a file: its rows are pulled one by one, and what became of them is told.

use super::csv_file::CsvFile;
use super::notes::tally;
use super::xlsx_file::{MAX_COLUMNS, Room, XlsxFile};
use super::{BREATH, Format, Row, SheetError, Watch, Written};
use crate::disk::{Draft, Overwrite};
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

/// Buckets that are told apart; a job has far fewer.
const BUCKETS: usize = 100;

/// A row on its way into a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its number, for remarks about it.
    pub number: u64,
    /// What it is counted under in [`Written::buckets`].
    pub bucket: Option<String>,
    /// Its cells.
    pub cells: Vec<String>,
}

/// What there is to say about a table once its rows are written: name and value.
pub type Facts<'a> = dyn Fn(&Written) -> Vec<(String, String)> + 'a;

/// A table to be written into a file.
pub struct Table<'a> {
    /// Where to.
    pub to: &'a Path,
    /// As what.
    pub format: Format,
    /// Whether a file that is there may be replaced.
    pub overwrite: bool,
    /// The names of the columns.
    pub names: &'a [String],
    /// A sheet of its own behind the rows of an Excel file: its name and what is on it.
    pub facts: Option<(&'static str, &'a Facts<'a>)>,
    /// What a sheet and a cell can hold.
    pub room: Room,
}

impl Table<'_> {
    /// Writes the table.
    ///
    /// # Errors
    /// [`SheetError`] says what went wrong. There is no file then, and one that was there is as it was.
    pub fn write<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        rows: impl Iterator<Item = Result<Entry, E>>,
        watch: &mut Watch<'_>,
    ) -> Result<Written, SheetError> {
        let trouble = |why: io::Error| SheetError::of(self.to, why);
        if !self.overwrite && std::fs::symlink_metadata(self.to).is_ok() {
            return Err(SheetError::Exists(self.to.to_owned()));
        }
        let mut draft = Draft::create(self.to).map_err(trouble)?;
        let written = self.fill(&mut draft, rows, watch)?;
        let overwrite = if self.overwrite { Overwrite::Yes } else { Overwrite::No };
        draft.place(overwrite).map_err(trouble)?;
        Ok(written)
    }

    /// Writes the table to wherever it goes.
    pub(crate) fn fill<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        to: &mut impl Write,
        rows: impl Iterator<Item = Result<Entry, E>>,
        watch: &mut Watch<'_>,
    ) -> Result<Written, SheetError> {
        let trouble = |why: io::Error| SheetError::of(self.to, why);
        let mut written = Written { path: self.to.to_owned(), ..Written::default() };
        let mut file = match self.format {
            Format::Xlsx => File::Xlsx(Box::new(XlsxFile::new(to, self.room))),
            Format::CsvUtf8 => File::Csv(Box::new(CsvFile::utf8(to).map_err(trouble)?)),
            Format::CsvCp949 => File::Csv(Box::new(CsvFile::cp949(to))),
        };
        self.check_width(self.names.len())?;
        file.row(&Row::head(self.names), &mut written).map_err(trouble)?;
        for row in rows {
            if written.rows.is_multiple_of(BREATH) && watch(written.rows).is_break() {
                return Err(SheetError::Cancelled);
            }
            let entry = row.map_err(|why| SheetError::Rows(why.into()))?;
            self.check_width(entry.cells.len())?;
            let row = Row { is_head: false, number: entry.number, names: self.names, cells: &entry.cells };
            file.row(&row, &mut written).map_err(trouble)?;
            written.rows += 1;
            if let Some(bucket) = &entry.bucket {
                tally(&mut written.buckets, bucket, BUCKETS, "(other buckets)");
            }
        }
        if watch(written.rows).is_break() {
            return Err(SheetError::Cancelled);
        }
        let facts = self.facts.map(|(name, facts)| (name, facts(&written)));
        file.finish(facts.as_ref().map(|(name, facts)| (*name, facts.as_slice()))).map_err(trouble)?;
        Ok(written)
    }

    fn check_width(&self, columns: usize) -> Result<(), SheetError> {
        match self.format {
            Format::Xlsx if columns > MAX_COLUMNS => Err(SheetError::TooWide { columns }),
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

    fn finish(self, facts: Option<(&str, &[(String, String)])>) -> io::Result<()> {
        match self {
            Self::Csv(file) => file.finish(),
            Self::Xlsx(file) => file.finish(facts),
        }
    }
}
