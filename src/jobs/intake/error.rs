//! The error type for reading a source.

use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, TextEncoding};
use crate::i18n::number;
use crate::jobs::prelude::*;
use std::io::ErrorKind;

/// A source that could not be read. Reading changes nothing, so nothing was sent or stored. Names and quoted content are
/// scrubbed.
#[derive(Debug)]
pub struct IntakeError {
    /// The file's name, or "The pasted text".
    name: Localizable,
    pub why: IntakeProblem,
}

messages! {
    /// Why a whole source could not be read; a problem of a single row is a finding on that row.
    #[derive(Debug)]
    pub enum IntakeProblem;
    fn localizable(name: &Localizable);
    NotFound => localizable!("{name}: file not found. Check the path.", name);
    /// A folder, a pipe or a device.
    NotAFile => localizable!("{name} is not a file. Choose a CSV, TSV, XLSX, XLS or ODS file.", name);
    NoPermission
        => localizable!("{name}: you have no permission to read it. Ask for permission, or use a copy that you can read.", name);
    Io { source: std::io::Error }
        => localizable!("lapel could not read {name}: {source}. Try again, or copy the file to a local disk first.", name, source = io_error::words(source));
    Empty => localizable!("{name} is empty: it has no rows.", name);
    /// `what`: The part that is too big.
    /// `limit`: Limit in bytes.
    TooBig { what: Localizable, limit: u64 }
        => localizable!("{name} is too large. The limit for {what} is {most} MB. Split it into several files.", name, what, most = limit / (1024 * 1024));
    TooManyRows
        => localizable!("{name} has more than {most} rows. Split it into several files.", name, most = number(MAX_ROWS));
    /// `line`: Row in the source, from 1.
    TooManyColumns { line: u64 }
        => localizable!("{name}, row {line}: more than {most} columns. Check the delimiter.", name, line, most = number(MAX_COLUMNS as u64));
    /// `line`: Row in the source, from 1.
    CellTooLong { line: u64 }
        => localizable!("{name}, row {line}: a cell has more than {most} characters. Is this the right file?", name, line, most = number(MAX_CELL_CHARS as u64));
    /// `line`: Line in which the row starts, from 1.
    RowTooLong { line: u64 }
        => localizable!("{name}: the row that starts in line {line} is longer than {most} kB. Check that this is a table.", name, line, most = MAX_ROW_BYTES / 1024);
    /// A quotation mark that is never closed.
    /// `line`: Line of the opening quotation mark, from 1.
    UnclosedQuote { line: u64 }
        => localizable!("{name}: the quotation mark (\") in line {line} is never closed, so that everything after it would be one cell. Close it, or write it twice if it belongs to the text.", name, line);
    PasswordProtected
        => localizable!("{name} is protected with a password. Save it without a password or as CSV UTF-8.", name);
    /// A known format that lapel does not read.
    /// `what`: The format, with its article.
    Unsupported { what: Localizable }
        => localizable!("{name} is {what}. lapel cannot read it. Save it as XLSX or as CSV UTF-8.", name, what);
    /// `what`: The supposed format, with its article.
    Damaged { what: Localizable, why: Localizable }
        => localizable!("{name} looks like {what} but is damaged: {why}. Open it in a spreadsheet program and save it again.", name, what, why);
    /// Text that was decoded with a wrong encoding earlier and saved like that.
    /// `example`: A damaged word, and what it probably was.
    Mojibake { why: Localizable, example: Localizable }
        => localizable!("{name}: the text is already damaged: {why} (for example, {example}). lapel cannot repair it safely. Go back to the original file and save that as CSV UTF-8 or XLSX.", name, why, example);
    /// `offset`: Byte offset in the file, from 0.
    BadEncoding { encoding: TextEncoding, line: u64, offset: u64, hint: Localizable }
        => localizable!("{name} is not {encoding}: lapel cannot read line {line}, byte {offset} as {encoding}. {hint}", name, encoding, line, offset, hint);
    /// `offset`: Byte offset in the file, from 0.
    NulBytes { line: u64, offset: u64 }
        => localizable!("{name}: line {line}, byte {offset} is a NUL byte, so this is not a text file, or it is damaged. Save it as CSV UTF-8 or XLSX.", name, line, offset);
    /// Not a text either.
    NotSpreadsheet
        => localizable!("{name} is not a spreadsheet, although its name says so, or it is damaged. Open it in a spreadsheet program and save it again.", name);
    SheetNotFound { sheet: String, there: Localizable }
        => localizable!("{name} has no sheet \"{sheet}\". Its sheets: {there}.", name, sheet, there);
    /// `column`: The chosen column, from 1.
    ColumnNotFound { column: usize, columns: usize }
        => localizable!("{name} has no column {column}: it has {columns}.", name, column, columns);
    HeaderNotFound { row: u64 }
        => localizable!("{name} has no row {row} that could be the header row.", name, row);
    NoIdColumn { columns: Localizable }
        => localizable!("{name}: lapel cannot tell which column holds the badge ids (columns: {columns}). Name that column badge_id, or keep only that column.", name, columns);
    Unanswered { question: Localizable }
        => localizable!("lapel cannot read {name} yet: {question}.", name, question);
    Changed => localizable!("{name} changed while lapel read it. lapel did not use it. Read it again.", name);
    Cancelled => localizable!("Reading was stopped. Nothing was changed.");
}

impl IntakeProblem {
    pub(in crate::jobs) fn of(self, name: &Localizable) -> IntakeError {
        IntakeError { name: name.clone(), why: self }
    }
}

impl From<std::io::Error> for IntakeProblem {
    fn from(source: std::io::Error) -> Self {
        match source.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::NoPermission,
            ErrorKind::IsADirectory => Self::NotAFile,
            _ => Self::Io { source },
        }
    }
}

impl IntakeError {
    pub fn localizable(&self) -> Localizable {
        self.why.localizable(&self.name)
    }
}

impl fmt::Display for IntakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.localizable().fmt(f)
    }
}
