//! The error type for reading a source.

use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, TextEncoding};
use crate::i18n::Localizable;
use std::fmt;

/// Why a whole source could not be read; a problem of a single row is a finding on that row. Reading changes
/// nothing, so nothing was sent or stored. Names and quoted content are scrubbed.
#[derive(Debug)]
pub enum IntakeError {
    NotFound {
        name: Localizable,
    },
    /// A folder, a pipe or a device.
    NotAFile {
        name: Localizable,
    },
    NoPermission {
        name: Localizable,
    },
    Io {
        name: Localizable,
        source: std::io::Error,
    },
    /// Zero rows.
    Empty {
        name: Localizable,
    },
    TooBig {
        name: Localizable,
        /// The part that is too big.
        what: Localizable,
        /// Limit in bytes.
        limit: u64,
    },
    /// More rows than [`MAX_ROWS`].
    TooManyRows {
        name: Localizable,
    },
    /// More columns than [`MAX_COLUMNS`].
    TooManyColumns {
        name: Localizable,
        /// Row in the source, from 1.
        line: u64,
    },
    /// A cell longer than [`MAX_CELL_CHARS`].
    CellTooLong {
        name: Localizable,
        /// Row in the source, from 1.
        line: u64,
    },
    /// A row longer than [`MAX_ROW_BYTES`].
    RowTooLong {
        name: Localizable,
        /// Line in which the row starts, from 1.
        line: u64,
    },
    /// A quotation mark that is never closed.
    UnclosedQuote {
        name: Localizable,
        /// Line of the opening quotation mark, from 1.
        line: u64,
    },
    PasswordProtected {
        name: Localizable,
    },
    /// A known format that lapel does not read.
    Unsupported {
        name: Localizable,
        /// The format, with its article.
        what: Localizable,
    },
    Damaged {
        name: Localizable,
        /// The supposed format, with its article.
        what: Localizable,
        why: Localizable,
    },
    /// Text that was decoded with a wrong encoding earlier and saved like that.
    Mojibake {
        name: Localizable,
        why: Localizable,
        /// A damaged word, and what it probably was.
        example: Localizable,
    },
    BadEncoding {
        name: Localizable,
        encoding: TextEncoding,
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
        hint: Localizable,
    },
    NulBytes {
        name: Localizable,
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
    },
    SheetNotFound {
        name: Localizable,
        sheet: String,
        there: Localizable,
    },
    ColumnNotFound {
        name: Localizable,
        /// The chosen column, from 1.
        column: usize,
        columns: usize,
    },
    HeaderNotFound {
        name: Localizable,
        row: u64,
    },
    /// It is unclear which column holds the badge ids.
    NoIdColumn {
        name: Localizable,
        columns: Localizable,
    },
    /// A person must answer a question first.
    Unanswered {
        name: Localizable,
        question: Localizable,
    },
    /// The file changed while it was read.
    Changed {
        name: Localizable,
    },
    Cancelled,
}

impl IntakeError {
    /// What happened, and what to do next.
    pub fn localizable(&self) -> Localizable {
        match self {
            Self::NotFound { name } => localizable!("{name}: file not found. Check the path.", name),
            Self::NotAFile { name } => {
                localizable!("{name} is not a file. Choose a CSV, TSV, XLSX, XLS or ODS file.", name)
            }
            Self::NoPermission { name } => localizable!(
                "{name}: you have no permission to read it. Ask for permission, or use a copy that you can read.",
                name
            ),
            Self::Io { name, source } => localizable!(
                "lapel could not read {name}: {source}. Try again, or copy the file to a local disk first.",
                name,
                source
            ),
            Self::Empty { name } => localizable!("{name} is empty: it has no rows.", name),
            Self::TooBig { name, what, limit } => localizable!(
                "{name} is too large. The limit for {what} is {most} MB. Split it into several files.",
                name,
                what,
                most = limit / (1024 * 1024)
            ),
            Self::TooManyRows { name } => localizable!(
                "{name} has more than {most} rows. Split it into several files.",
                name,
                most = MAX_ROWS
            ),
            Self::TooManyColumns { name, line } => localizable!(
                "{name}, row {line}: more than {most} columns. Check the delimiter.",
                name,
                line,
                most = MAX_COLUMNS
            ),
            Self::CellTooLong { name, line } => localizable!(
                "{name}, row {line}: a cell has more than {most} characters. Is this the right file?",
                name,
                line,
                most = MAX_CELL_CHARS
            ),
            Self::RowTooLong { name, line } => localizable!(
                "{name}: the row that starts in line {line} is longer than {most} kB. Check that this is a table.",
                name,
                line,
                most = MAX_ROW_BYTES / 1024
            ),
            Self::UnclosedQuote { name, line } => localizable!(
                "{name}: the quotation mark (\") in line {line} is never closed, so that everything after it would be one cell. Close it, or write it twice if it belongs to the text.",
                name,
                line
            ),
            Self::PasswordProtected { name } => localizable!(
                "{name} is protected with a password. Save it without a password or as CSV UTF-8.",
                name
            ),
            Self::Unsupported { name, what } => localizable!(
                "{name} is {what}. lapel cannot read it. Save it as XLSX or as CSV UTF-8.",
                name,
                what
            ),
            Self::Damaged { name, what, why } => localizable!(
                "{name} looks like {what} but is damaged: {why}. Open it in a spreadsheet program and save it again.",
                name,
                what,
                why
            ),
            Self::Mojibake { name, why, example } => localizable!(
                "{name}: the text is already damaged: {why} (for example, {example}). lapel cannot repair it safely. Go back to the original file and save that as CSV UTF-8 or XLSX.",
                name,
                why,
                example
            ),
            Self::BadEncoding { name, encoding, line, offset, hint } => localizable!(
                "{name} is not {encoding}: lapel cannot read line {line}, byte {offset} as {encoding}. {hint}",
                name,
                encoding,
                line,
                offset,
                hint
            ),
            Self::NulBytes { name, line, offset } => localizable!(
                "{name}: line {line}, byte {offset} is a NUL byte, so this is not a text file, or it is damaged. Save it as CSV UTF-8 or XLSX.",
                name,
                line,
                offset
            ),
            Self::SheetNotFound { name, sheet, there } => {
                localizable!("{name} has no sheet \"{sheet}\". Its sheets: {there}.", name, sheet, there)
            }
            Self::ColumnNotFound { name, column, columns } => {
                localizable!("{name} has no column {column}: it has {columns}.", name, column, columns)
            }
            Self::HeaderNotFound { name, row } => {
                localizable!("{name} has no row {row} that could be the header row.", name, row)
            }
            Self::NoIdColumn { name, columns } => localizable!(
                "{name}: lapel cannot tell which column holds the badge ids (columns: {columns}). Name that column badge_id, or keep only that column.",
                name,
                columns
            ),
            Self::Unanswered { name, question } => {
                localizable!("lapel cannot read {name} yet: {question}.", name, question)
            }
            Self::Changed { name } => {
                localizable!("{name} changed while lapel read it. lapel did not use it. Read it again.", name)
            }
            Self::Cancelled => localizable!("Reading was stopped. Nothing was changed."),
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
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
