//! The error type for reading a source.

use super::split::CannotSplit;
use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, TextEncoding};
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

/// Why a whole source could not be read; a problem of a single row is a finding on that row.
#[derive(Debug)]
pub enum IntakeProblem {
    NotFound,
    /// A folder, a pipe or a device.
    NotAFile,
    NoPermission,
    Io {
        source: std::io::Error,
    },
    /// Zero rows.
    Empty,
    TooBig {
        /// The part that is too big.
        what: Localizable,
        /// Limit in bytes.
        limit: u64,
    },
    TooManyRows,
    TooManyColumns {
        /// Row in the source, from 1.
        line: u64,
    },
    CellTooLong {
        /// Row in the source, from 1.
        line: u64,
    },
    RowTooLong {
        /// Line in which the row starts, from 1.
        line: u64,
    },
    /// A quotation mark that is never closed.
    UnclosedQuote {
        /// Line of the opening quotation mark, from 1.
        line: u64,
    },
    PasswordProtected,
    /// A known format that lapel does not read.
    Unsupported {
        /// The format, with its article.
        what: Localizable,
    },
    Damaged {
        /// The supposed format, with its article.
        what: Localizable,
        why: Localizable,
    },
    /// Text that was decoded with a wrong encoding earlier and saved like that.
    Mojibake {
        why: Localizable,
        /// A damaged word, and what it probably was.
        example: Localizable,
    },
    BadEncoding {
        encoding: TextEncoding,
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
        hint: Localizable,
    },
    NulBytes {
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
    },
    SheetNotFound {
        sheet: String,
        there: Localizable,
    },
    ColumnNotFound {
        /// The chosen column, from 1.
        column: usize,
        columns: usize,
    },
    HeaderNotFound {
        row: u64,
    },
    /// It is unclear which column holds the badge ids.
    NoIdColumn {
        columns: Localizable,
    },
    /// A person must answer a question first.
    Unanswered {
        question: Localizable,
    },
    /// The file changed while it was read.
    Changed,
    Cancelled,
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

impl From<CannotSplit> for IntakeProblem {
    fn from(why: CannotSplit) -> Self {
        match why {
            CannotSplit::TooLong { line } => Self::RowTooLong { line },
            CannotSplit::TooManyColumns { line } => Self::TooManyColumns { line },
            CannotSplit::UnclosedQuote { line } => Self::UnclosedQuote { line },
        }
    }
}

impl IntakeError {
    /// What happened, and what to do next.
    pub fn localizable(&self) -> Localizable {
        let name = &self.name;
        match &self.why {
            IntakeProblem::NotFound => localizable!("{name}: file not found. Check the path.", name),
            IntakeProblem::NotAFile => {
                localizable!("{name} is not a file. Choose a CSV, TSV, XLSX, XLS or ODS file.", name)
            }
            IntakeProblem::NoPermission => localizable!(
                "{name}: you have no permission to read it. Ask for permission, or use a copy that you can read.",
                name
            ),
            IntakeProblem::Io { source } => localizable!(
                "lapel could not read {name}: {source}. Try again, or copy the file to a local disk first.",
                name,
                source
            ),
            IntakeProblem::Empty => localizable!("{name} is empty: it has no rows.", name),
            IntakeProblem::TooBig { what, limit } => localizable!(
                "{name} is too large. The limit for {what} is {most} MB. Split it into several files.",
                name,
                what,
                most = limit / (1024 * 1024)
            ),
            IntakeProblem::TooManyRows => localizable!(
                "{name} has more than {most} rows. Split it into several files.",
                name,
                most = MAX_ROWS
            ),
            IntakeProblem::TooManyColumns { line } => localizable!(
                "{name}, row {line}: more than {most} columns. Check the delimiter.",
                name,
                line,
                most = MAX_COLUMNS
            ),
            IntakeProblem::CellTooLong { line } => localizable!(
                "{name}, row {line}: a cell has more than {most} characters. Is this the right file?",
                name,
                line,
                most = MAX_CELL_CHARS
            ),
            IntakeProblem::RowTooLong { line } => localizable!(
                "{name}: the row that starts in line {line} is longer than {most} kB. Check that this is a table.",
                name,
                line,
                most = MAX_ROW_BYTES / 1024
            ),
            IntakeProblem::UnclosedQuote { line } => localizable!(
                "{name}: the quotation mark (\") in line {line} is never closed, so that everything after it would be one cell. Close it, or write it twice if it belongs to the text.",
                name,
                line
            ),
            IntakeProblem::PasswordProtected => localizable!(
                "{name} is protected with a password. Save it without a password or as CSV UTF-8.",
                name
            ),
            IntakeProblem::Unsupported { what } => localizable!(
                "{name} is {what}. lapel cannot read it. Save it as XLSX or as CSV UTF-8.",
                name,
                what
            ),
            IntakeProblem::Damaged { what, why } => localizable!(
                "{name} looks like {what} but is damaged: {why}. Open it in a spreadsheet program and save it again.",
                name,
                what,
                why
            ),
            IntakeProblem::Mojibake { why, example } => localizable!(
                "{name}: the text is already damaged: {why} (for example, {example}). lapel cannot repair it safely. Go back to the original file and save that as CSV UTF-8 or XLSX.",
                name,
                why,
                example
            ),
            IntakeProblem::BadEncoding { encoding, line, offset, hint } => localizable!(
                "{name} is not {encoding}: lapel cannot read line {line}, byte {offset} as {encoding}. {hint}",
                name,
                encoding,
                line,
                offset,
                hint
            ),
            IntakeProblem::NulBytes { line, offset } => localizable!(
                "{name}: line {line}, byte {offset} is a NUL byte, so this is not a text file, or it is damaged. Save it as CSV UTF-8 or XLSX.",
                name,
                line,
                offset
            ),
            IntakeProblem::SheetNotFound { sheet, there } => {
                localizable!("{name} has no sheet \"{sheet}\". Its sheets: {there}.", name, sheet, there)
            }
            IntakeProblem::ColumnNotFound { column, columns } => {
                localizable!("{name} has no column {column}: it has {columns}.", name, column, columns)
            }
            IntakeProblem::HeaderNotFound { row } => {
                localizable!("{name} has no row {row} that could be the header row.", name, row)
            }
            IntakeProblem::NoIdColumn { columns } => localizable!(
                "{name}: lapel cannot tell which column holds the badge ids (columns: {columns}). Name that column badge_id, or keep only that column.",
                name,
                columns
            ),
            IntakeProblem::Unanswered { question } => {
                localizable!("lapel cannot read {name} yet: {question}.", name, question)
            }
            IntakeProblem::Changed => {
                localizable!("{name} changed while lapel read it. lapel did not use it. Read it again.", name)
            }
            IntakeProblem::Cancelled => localizable!("Reading was stopped. Nothing was changed."),
        }
    }
}

impl fmt::Display for IntakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.localizable().fmt(f)
    }
}

impl std::error::Error for IntakeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            IntakeProblem::Io { source } => Some(source),
            _ => None,
        }
    }
}
