//! The error type for reading a source.

use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, TextEncoding};

/// Why a whole source could not be read. (A problem of a single row is a finding on that row.)
///
/// Reading changes nothing, so nothing was sent or stored. Names and quoted content are scrubbed.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    #[error("{}", t!("{name}: file not found. Check the path.", name))]
    NotFound {
        /// Name of the source.
        name: String,
    },
    /// A folder, a pipe or a device.
    #[error("{}", t!("{name} is not a file. Choose a CSV, TSV, XLSX, XLS or ODS file.", name))]
    NotAFile {
        /// Name of the source.
        name: String,
    },
    #[error(
        "{}",
        t!(
            "{name}: you have no permission to read it. Ask for permission, or use a copy that you can read.",
            name
        )
    )]
    NoPermission {
        /// Name of the source.
        name: String,
    },
    #[error(
        "{}",
        t!(
            "lapel could not read {name}: {source}. Try again, or copy the file to a local disk first.",
            name,
            source
        )
    )]
    Io {
        /// Name of the source.
        name: String,
        source: std::io::Error,
    },
    /// Zero rows.
    #[error("{}", t!("{name} is empty: it has no rows.", name))]
    Empty {
        /// Name of the source.
        name: String,
    },
    /// Larger than the limit.
    #[error(
        "{}",
        t!(
            "{name} is too large. The limit for {what} is {most} MB. Split it into several files.",
            name,
            what,
            most = limit / (1024 * 1024)
        )
    )]
    TooBig {
        name: String,
        /// The part that is too big.
        what: &'static str,
        /// Limit in bytes.
        limit: u64,
    },
    /// More rows than [`MAX_ROWS`].
    #[error(
        "{}",
        t!("{name} has more than {most} rows. Split it into several files.", name, most = MAX_ROWS)
    )]
    TooManyRows {
        /// Name of the source.
        name: String,
    },
    /// More columns than [`MAX_COLUMNS`].
    #[error(
        "{}",
        t!(
            "{name}, row {line}: more than {most} columns. Check the delimiter.",
            name,
            line,
            most = MAX_COLUMNS
        )
    )]
    TooManyColumns {
        name: String,
        /// Row in the source, from 1.
        line: u64,
    },
    /// A cell longer than [`MAX_CELL_CHARS`].
    #[error(
        "{}",
        t!(
            "{name}, row {line}: a cell has more than {most} characters. Is this the right file?",
            name,
            line,
            most = MAX_CELL_CHARS
        )
    )]
    CellTooLong {
        name: String,
        /// Row in the source, from 1.
        line: u64,
    },
    /// A row longer than [`MAX_ROW_BYTES`].
    #[error(
        "{}",
        t!(
            "{name}: the row that starts in line {line} is longer than {most} kB. Check that this is a table.",
            name,
            line,
            most = MAX_ROW_BYTES / 1024
        )
    )]
    RowTooLong {
        name: String,
        /// Line in which the row starts, from 1.
        line: u64,
    },
    /// A quotation mark that is never closed.
    #[error(
        "{}",
        t!(
            "{name}: the quotation mark (\") in line {line} is never closed, so that everything after it would be one cell. Close it, or write it twice if it belongs to the text.",
            name,
            line
        )
    )]
    UnclosedQuote {
        name: String,
        /// Line of the opening quotation mark, from 1.
        line: u64,
    },
    #[error(
        "{}",
        t!("{name} is protected with a password. Save it without a password or as CSV UTF-8.", name)
    )]
    PasswordProtected {
        /// Name of the source.
        name: String,
    },
    /// A known format that lapel does not read.
    #[error("{}", t!("{name} is {what}. lapel cannot read it. Save it as XLSX or as CSV UTF-8.", name, what))]
    Unsupported {
        name: String,
        /// The format, with its article.
        what: String,
    },
    /// A spreadsheet that violates its format.
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
        name: String,
        /// The supposed format, with its article.
        what: &'static str,
        /// The damage.
        why: String,
    },
    /// Text that was decoded with a wrong encoding earlier and saved like that.
    #[error(
        "{}",
        t!(
            "{name}: the text is already damaged: {why} (for example, {example}). lapel cannot repair it safely. Go back to the original file and save that as CSV UTF-8 or XLSX.",
            name,
            why,
            example
        )
    )]
    Mojibake {
        name: String,
        why: String,
        /// A damaged word, and what it probably was.
        example: String,
    },
    /// Bytes that are invalid in the encoding.
    #[error(
        "{}",
        t!(
            "{name} is not {encoding}: lapel cannot read line {line}, byte {offset} as {encoding}. {hint}",
            name,
            encoding,
            line,
            offset,
            hint
        )
    )]
    BadEncoding {
        name: String,
        encoding: TextEncoding,
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
        /// What the person should do.
        hint: String,
    },
    /// A text file with NUL bytes.
    #[error(
        "{}",
        t!(
            "{name}: line {line}, byte {offset} is a NUL byte, so this is not a text file, or it is damaged. Save it as CSV UTF-8 or XLSX.",
            name,
            line,
            offset
        )
    )]
    NulBytes {
        name: String,
        line: u64,
        /// Byte offset in the file, from 0.
        offset: u64,
    },
    /// The chosen sheet does not exist.
    #[error("{}", t!("{name} has no sheet \"{sheet}\". Its sheets: {there}.", name, sheet, there))]
    SheetNotFound {
        name: String,
        /// The chosen name.
        sheet: String,
        there: String,
    },
    /// The chosen column does not exist.
    #[error("{}", t!("{name} has no column {column}: it has {columns}.", name, column, columns))]
    ColumnNotFound {
        name: String,
        /// The chosen column, from 1.
        column: usize,
        columns: usize,
    },
    /// The chosen header row does not exist.
    #[error("{}", t!("{name} has no row {row} that could be the header row.", name, row))]
    HeaderNotFound {
        name: String,
        /// The chosen row.
        row: u64,
    },
    /// It is unclear which column holds the badge ids.
    #[error(
        "{}",
        t!(
            "{name}: lapel cannot tell which column holds the badge ids (columns: {columns}). Name that column badge_id, or keep only that column.",
            name,
            columns
        )
    )]
    NoIdColumn {
        name: String,
        /// The existing columns.
        columns: String,
    },
    /// A person must answer a question first.
    #[error("{}", t!("lapel cannot read {name} yet: {questions}", name, questions))]
    Unanswered {
        name: String,
        /// The open questions.
        questions: String,
    },
    /// The file changed while it was read.
    #[error(
        "{}",
        t!("{name} changed while lapel read it. lapel used nothing of it. Read it again.", name)
    )]
    Changed {
        /// Name of the source.
        name: String,
    },
    #[error("{}", t!("Reading was stopped. Nothing was changed."))]
    Cancelled,
}
