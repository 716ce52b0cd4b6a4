//! Writes a table to a file row by row, and reports the result.

use super::csv_file::CsvFile;
use super::notes::tally;
use super::xlsx_file::{MAX_COLUMNS, SheetLimits, XlsxFile};
use super::{BREATH, TableError, TableFormat, TableRow, WriteProgress, Written, is_free};
use crate::fs::{Draft, Overwrite};
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

/// Maximum statuses with their own count. A job has far fewer.
const MOST_STATUSES: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterRow {
    pub number: u64,
    /// As counted in [`Written::row_statuses`].
    pub row_status: Option<String>,
    pub cells: Vec<String>,
}

/// Names and values, after the rows are written.
pub type SummaryFn<'a> = dyn Fn(&Written) -> Vec<(String, String)> + 'a;

pub struct TableWriter<'a> {
    pub to: &'a Path,
    pub format: TableFormat,
    pub overwrite: bool,
    pub names: &'a [String],
    /// An extra sheet of an Excel file: its name and its content.
    pub facts: Option<(&'static str, &'a SummaryFn<'a>)>,
    pub room: SheetLimits,
}

impl TableWriter<'_> {
    pub fn write<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        rows: impl Iterator<Item = Result<WriterRow, E>>,
        watch: &mut WriteProgress<'_>,
    ) -> Result<Written, TableError> {
        let trouble = |why: io::Error| TableError::of(self.to, why);
        is_free(self.to, self.overwrite)?;
        let mut draft = Draft::create(self.to).map_err(trouble)?;
        let written = self.fill(&mut draft, rows, watch)?;
        draft.place(if self.overwrite { Overwrite::Yes } else { Overwrite::No }).map_err(trouble)?;
        Ok(written)
    }

    pub(crate) fn fill<E: Into<Box<dyn Error + Send + Sync>>>(
        &self,
        to: &mut impl Write,
        rows: impl Iterator<Item = Result<WriterRow, E>>,
        watch: &mut WriteProgress<'_>,
    ) -> Result<Written, TableError> {
        let trouble = |why: io::Error| TableError::of(self.to, why);
        let mut written = Written { path: self.to.to_owned(), ..Written::default() };
        let mut file = match self.format {
            TableFormat::Xlsx => File::Xlsx(Box::new(XlsxFile::new(to, self.room))),
            TableFormat::CsvUtf8 => File::Csv(Box::new(CsvFile::utf8(to).map_err(trouble)?)),
            TableFormat::CsvCp949 => File::Csv(Box::new(CsvFile::cp949(to))),
        };
        self.check_width(self.names.len())?;
        file.row(&TableRow::head(self.names), &mut written).map_err(trouble)?;
        for row in rows {
            if written.rows.is_multiple_of(BREATH) && watch(written.rows).is_break() {
                return Err(TableError::Cancelled);
            }
            let entry = row.map_err(|why| TableError::Rows(why.into()))?;
            self.check_width(entry.cells.len())?;
            let row =
                TableRow { is_head: false, number: entry.number, names: self.names, cells: &entry.cells };
            file.row(&row, &mut written).map_err(trouble)?;
            written.rows += 1;
            if let Some(row_status) = &entry.row_status {
                tally(&mut written.row_statuses, row_status, MOST_STATUSES, "(other statuses)");
            }
        }
        if watch(written.rows).is_break() {
            return Err(TableError::Cancelled);
        }
        let facts = self.facts.map(|(name, facts)| (name, facts(&written)));
        file.finish(facts.as_ref().map(|(name, facts)| (*name, facts.as_slice()))).map_err(trouble)?;
        Ok(written)
    }

    fn check_width(&self, columns: usize) -> Result<(), TableError> {
        match self.format {
            TableFormat::Xlsx if columns > MAX_COLUMNS => Err(TableError::TooWide { columns }),
            _ => Ok(()),
        }
    }
}

enum File<W: Write> {
    Csv(Box<CsvFile<W>>),
    Xlsx(Box<XlsxFile<W>>),
}

impl<W: Write> File<W> {
    fn row(&mut self, row: &TableRow<'_>, written: &mut Written) -> io::Result<()> {
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
