//! A table as CSV: UTF-8 with a byte order mark, or CP949, with Excel's line endings.

use super::cell::{escape_formula, korean, visible};
use super::notes::ChangedCell;
use super::{TableRow, Written};
use csv::{ByteRecord, Terminator, WriterBuilder};
use std::io::{self, BufWriter, Write};

/// Excel recognises UTF-8 by it.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// UTF-8 without a byte order mark, with LF line endings, for programs.
pub struct CsvStream<W: Write>(CsvFile<W>);

impl<W: Write> CsvStream<W> {
    pub fn new(to: W, names: &[String]) -> io::Result<Self> {
        let out = WriterBuilder::new().flexible(true).from_writer(BufWriter::new(to));
        let mut file = CsvFile { out, korean: false, record: ByteRecord::new() };
        file.row(&TableRow::head(names), &mut Written::default())?;
        Ok(Self(file))
    }

    pub fn row(&mut self, cells: &[String]) -> io::Result<()> {
        let row = TableRow { is_head: false, number: 0, names: &[], cells };
        self.0.row(&row, &mut Written::default())
    }

    /// The last row is complete.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.out.flush()
    }
}

pub(super) struct CsvFile<W: Write> {
    out: csv::Writer<BufWriter<W>>,
    korean: bool,
    record: ByteRecord,
}

impl<W: Write> CsvFile<W> {
    pub fn utf8(to: W) -> io::Result<Self> {
        let mut out = BufWriter::new(to);
        out.write_all(BOM)?;
        Ok(Self::new(out, false))
    }

    pub fn cp949(to: W) -> Self {
        Self::new(BufWriter::new(to), true)
    }

    fn new(out: BufWriter<W>, korean: bool) -> Self {
        // Flexible: a row keeps its length, even when the original was longer or shorter than the header.
        let out = WriterBuilder::new().flexible(true).terminator(Terminator::CRLF).from_writer(out);
        Self { out, korean, record: ByteRecord::new() }
    }

    pub fn row(&mut self, row: &TableRow<'_>, written: &mut Written) -> io::Result<()> {
        self.record.clear();
        for (at, raw) in row.cells().enumerate() {
            let place = |chars| ChangedCell { row: row.number, column: row.column(at), chars };
            if self.korean {
                let cell = korean(raw);
                self.record.push_field(&cell.bytes);
                if !cell.marked.is_empty() {
                    written.marked.add(|| place(cell.marked));
                }
                if !cell.unmappable.is_empty() {
                    written.unmappable.add(|| place(cell.unmappable));
                }
            } else {
                let (text, marked) = visible(raw);
                self.record.push_field(escape_formula(&text).as_bytes());
                if !marked.is_empty() {
                    written.marked.add(|| place(marked));
                }
            }
        }
        self.out.write_byte_record(&self.record).map_err(|why| match why.into_kind() {
            // Returns the error unchanged, because its kind tells the user what to do.
            csv::ErrorKind::Io(why) => why,
            other => io::Error::other(format!("{other:?}")),
        })
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
