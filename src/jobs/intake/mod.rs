//! Recipients from anywhere: a file as people have it (CSV, TSV, semicolons, pipes, XLSX, XLS, ODS, in UTF-8,
//! UTF-16 or CP949) or lines that were pasted, read into rows that say where they came from.
//!
//! Three steps, each of which can be looked at before the next:
//!
//! 1. [`Table::open`] reads the source once and finds out how it is to be read: format, encoding, delimiter,
//!    sheet, header row, columns. What it cannot know it asks ([`About::needs_answer`]), it never guesses.
//! 2. [`Table::rows`] gives every row behind the header, in order, with its row number in the source. Text
//!    files are streamed, so a million rows need no more memory than ten.
//! 3. [`check`] judges one row: ready, to be asked about, refused, or no recipient at all.
//!
//! Nothing is skipped or changed without being listed: a hidden row, a formula's cached value, a composed
//! name each leave a note on their row. This room is pure: it knows no service and no journal, it only reads
//! the one source it was given. It holds for any bytes whatever: hostile files end in an [`IntakeError`].

mod about;
mod cell_text;
mod check;
mod decode;
mod detect_encoding;
mod encoding;
mod error;
mod header;
mod ids;
mod lookalike;
mod mojibake;
mod origin;
mod pasted;
mod row;
mod sheet;
mod split;
mod table;
mod text;

pub use about::{About, EncodingGuess, Format, MapState, Note, Question, SheetInfo, Sure};
pub use check::{Checked, Field, Finding, Severity, Standing, check, check_person};
pub use encoding::TextEncoding;
pub use error::IntakeError;
pub use header::{ColumnMap, NameColumns};
pub use ids::{IdList, IdRow, IdsLook, look_at_ids, open_questions, read_ids};
pub use lookalike::look_alike_domains;
pub(super) use origin::PASTED;
pub(super) use origin::hex;
pub use row::{CellFact, CellNote, RawRow};
pub use split::Delimiter;
pub use table::{Rows, Table};

use std::path::PathBuf;

/// Largest text file that is read, in bytes: a million rows of a thousand bytes.
pub const MAX_TEXT_BYTES: u64 = 1024 * 1024 * 1024;
/// Largest text that may be pasted, in bytes. It is held in memory, a file is not.
pub const MAX_PASTED_BYTES: u64 = 16 * 1024 * 1024;
/// Largest spreadsheet file that is read, in bytes.
pub const MAX_SHEET_BYTES: u64 = 20 * 1024 * 1024;
/// Most that a spreadsheet may unpack to, in bytes: a small file can be made to unpack without end.
pub const MAX_UNPACKED_BYTES: u64 = 200 * 1024 * 1024;
/// Most rows of a source, blank ones included: what a spreadsheet can have.
pub const MAX_ROWS: u64 = 1_048_576;
/// Most columns of a row.
pub const MAX_COLUMNS: usize = 1_000;
/// Longest cell of a spreadsheet, in characters: what Excel allows.
pub const MAX_CELL_CHARS: usize = 32_767;
/// Longest row of a text file, in bytes. A quotation mark that is never closed ends here.
pub const MAX_ROW_BYTES: usize = 1024 * 1024;

/// Where recipients come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file; what it is, its content says, not its name.
    File(PathBuf),
    /// Lines as they were pasted: `name<TAB, comma or semicolon>e-mail`, `Name <e-mail>`, only addresses, or
    /// cells copied from a spreadsheet together with their header.
    Pasted(String),
}

/// Which row holds the column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRow {
    /// This one: its row number in the source (the line it starts in, or the sheet's row), from 1.
    At(u64),
    /// None: data begins in the first row.
    Absent,
}

/// What a person has decided about the reading; `None` is found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The encoding of a text file.
    pub encoding: Option<TextEncoding>,
    /// What separates its cells.
    pub delimiter: Option<Delimiter>,
    /// The sheet of a spreadsheet, by its exact name.
    pub sheet: Option<String>,
    /// Where the header is.
    pub header: Option<HeaderRow>,
    /// Which column is what.
    pub columns: Option<ColumnMap>,
    /// Which column holds the badge ids, counted from 0; for [`read_ids`] only.
    pub id_column: Option<usize>,
}

/// Who watches a long reading.
pub trait Watch {
    /// So much of it is done, in bytes.
    fn progress(&self, bytes_done: u64, bytes_all: u64);
    /// Whether to stop: the reading ends with [`IntakeError::Cancelled`].
    fn is_cancelled(&self) -> bool;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
