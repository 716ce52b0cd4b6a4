//! Why a source could not be read.

use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, TextEncoding};

/// Why a source could not be read as a whole. (What is wrong with a single row is a finding on that row.)
///
/// Reading changes nothing, so that after any of these nothing was sent or kept. Names and quoted content
/// are scrubbed.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// No such file.
    #[error("{}", t!("{name}: there is no such file. Check the path.", name))]
    NotFound {
        /// The source.
        name: String,
    },
    /// A folder, a pipe, a device.
    #[error("{}", t!("{name} is not a file. Name a CSV, TSV, XLSX, XLS or ODS file.", name))]
    NotAFile {
        /// The source.
        name: String,
    },
    /// The system does not let us.
    #[error(
        "{}",
        t!(
            "{name}: no permission to read it. Ask for the right to read the file, or copy it to where you may.",
            name
        )
    )]
    NoPermission {
        /// The source.
        name: String,
    },
    /// Any other failure of the system.
    #[error(
        "{}",
        t!(
            "{name} could not be read: {source}. Try again, or copy the file to a local disk first.",
            name,
            source
        )
    )]
    Io {
        /// The source.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing in it.
    #[error("{}", t!("{name} is empty: there is not one row in it.", name))]
    Empty {
        /// The source.
        name: String,
    },
    /// More than is read.
    #[error(
        "{}",
        t!(
            "{name} is too big: {what} may have at most {most} MB. Split it into several files.",
            name,
            what,
            most = limit / (1024 * 1024)
        )
    )]
    TooBig {
        /// The source.
        name: String,
        /// What of it is too big.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// More rows than are read.
    #[error(
        "{}",
        t!("{name} has more than {most} rows. Split it into several files.", name, most = MAX_ROWS)
    )]
    TooManyRows {
        /// The source.
        name: String,
    },
    /// More columns than are read.
    #[error(
        "{}",
        t!(
            "{name}, row {line}: more than {most} columns. Is the delimiter right?",
            name,
            line,
            most = MAX_COLUMNS
        )
    )]
    TooManyColumns {
        /// The source.
        name: String,
        /// Where.
        line: u64,
    },
    /// A cell that no spreadsheet program would write.
    #[error(
        "{}",
        t!(
            "{name}, row {line}: a cell has more than {most} characters. Is this a list of people?",
            name,
            line,
            most = MAX_CELL_CHARS
        )
    )]
    CellTooLong {
        /// The source.
        name: String,
        /// Where.
        line: u64,
    },
    /// A row without an end.
    #[error(
        "{}",
        t!(
            "{name}: the row that starts in line {line} is longer than {most} kB. Is this a table at all?",
            name,
            line,
            most = MAX_ROW_BYTES / 1024
        )
    )]
    RowTooLong {
        /// The source.
        name: String,
        /// The line in which the row starts.
        line: u64,
    },
    /// A quotation mark that swallows the rest.
    #[error(
        "{}",
        t!(
            "{name}: the quotation mark (\") that opens in line {line} is never closed, so that everything behind it would be one cell. Close it, or write it twice if it belongs to the text.",
            name,
            line
        )
    )]
    UnclosedQuote {
        /// The source.
        name: String,
        /// The line in which it opens.
        line: u64,
    },
    /// A spreadsheet under a password.
    #[error(
        "{}",
        t!("{name} is protected with a password. Save it without one, or save it as CSV UTF-8.", name)
    )]
    PasswordProtected {
        /// The source.
        name: String,
    },
    /// A known format that is not read.
    #[error("{}", t!("{name} is {what}, which cannot be read. Save it as XLSX or as CSV UTF-8.", name, what))]
    Unsupported {
        /// The source.
        name: String,
        /// What it is, with its article.
        what: String,
    },
    /// A spreadsheet that breaks its format's rules.
    #[error(
        "{}",
        t!(
            "{name} looks like {what} but is damaged: {why}. Open it in a spreadsheet program and save it again.",
            name,
            what,
            why
        )
    )]
    Damaged {
        /// The source.
        name: String,
        /// What it looks like, with its article.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Text that was read in a wrong encoding earlier and saved like that.
    #[error(
        "{}",
        t!(
            "{name}: the text is already damaged: {why} (for instance {example}). It cannot be repaired safely. Go back to the file it was made from and save that as CSV UTF-8 or XLSX.",
            name,
            why,
            example
        )
    )]
    Mojibake {
        /// The source.
        name: String,
        /// What has happened to it.
        why: String,
        /// One damaged word, and what it probably was.
        example: String,
    },
    /// Bytes that the encoding does not have.
    #[error(
        "{}",
        t!(
            "{name} is not {encoding}: line {line}, byte {offset} cannot be read as {encoding}. {hint}",
            name,
            encoding,
            line,
            offset,
            hint
        )
    )]
    BadEncoding {
        /// The source.
        name: String,
        /// The encoding that was tried.
        encoding: TextEncoding,
        /// The line.
        line: u64,
        /// The byte in the file, from 0.
        offset: u64,
        /// What to do.
        hint: String,
    },
    /// A text file with NUL bytes in it.
    #[error(
        "{}",
        t!(
            "{name}: line {line}, byte {offset} is a NUL byte, so this is no text file (or a damaged one). Save it as CSV UTF-8 or XLSX.",
            name,
            line,
            offset
        )
    )]
    NulBytes {
        /// The source.
        name: String,
        /// The line.
        line: u64,
        /// The byte in the file, from 0.
        offset: u64,
    },
    /// The chosen sheet is not there.
    #[error("{}", t!("{name} has no sheet called \"{sheet}\". It has: {there}.", name, sheet, there))]
    SheetNotFound {
        /// The source.
        name: String,
        /// What was asked for.
        sheet: String,
        /// What there is.
        there: String,
    },
    /// A chosen column is not there.
    #[error("{}", t!("{name} has no column {column}: it has {columns}.", name, column, columns))]
    ColumnNotFound {
        /// The source.
        name: String,
        /// What was asked for, from 1.
        column: usize,
        /// How many there are.
        columns: usize,
    },
    /// The chosen header row is not there.
    #[error("{}", t!("{name} has no row {row} that could hold the column names.", name, row))]
    HeaderNotFound {
        /// The source.
        name: String,
        /// What was asked for.
        row: u64,
    },
    /// No column for badge ids.
    #[error(
        "{}",
        t!(
            "{name}: which column holds the badge ids is not clear (it has: {columns}). Call that column badge_id, or leave only that column.",
            name,
            columns
        )
    )]
    NoIdColumn {
        /// The source.
        name: String,
        /// What there is.
        columns: String,
    },
    /// Something must be decided by a person first.
    #[error("{}", t!("{name} cannot be read yet: {questions}", name, questions))]
    Unanswered {
        /// The source.
        name: String,
        /// What must be decided.
        questions: String,
    },
    /// The file is not the same any more.
    #[error(
        "{}",
        t!("{name} was changed while it was being read. Nothing of it was used; read it again.", name)
    )]
    Changed {
        /// The source.
        name: String,
    },
    /// Somebody stopped it.
    #[error("{}", t!("Reading was stopped. Nothing was changed."))]
    Cancelled,
}
