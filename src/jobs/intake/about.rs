//! Properties of a source that are known before its rows are read.

use super::{
    ColumnContent, ColumnGuess, ColumnMap, Delimiter, HeaderRow, NameColumns, RecipientField, TextEncoding,
};
use crate::i18n::number;
use crate::jobs::coded::named;
use crate::jobs::prelude::*;

/// The properties of a source that tell a person how lapel will read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub name: Localizable,
    /// SHA-256 of the bytes, in hex, independent of the file's name.
    pub sha256: String,
    pub bytes: u64,
    pub format: InputFormat,
    /// For text files.
    pub encoding: Option<EncodingGuess>,
    /// For text files.
    pub delimiter: Option<Delimiter>,
    /// All sheets of a spreadsheet, including hidden ones.
    pub sheets: Vec<SheetInfo>,
    /// The exact name of the sheet that is read.
    pub sheet: Option<String>,
    /// `None` while the header row is an open question.
    pub header: Option<HeaderRow>,
    /// The column names as in the source, or "column 3" without a name. Raw.
    pub columns: Vec<String>,
    pub content: Vec<ColumnContent>,
    /// The best guess for the columns; the map if that is clear.
    pub guess: ColumnGuess,
    /// Equal for all files with the same column names in the same order.
    pub signature: String,
    pub map: MapState,
    pub notes: Vec<ImportNote>,
}

impl About {
    /// The questions that a person must answer before the rows can be read.
    pub fn needs_answer(&self) -> Vec<FileQuestion> {
        let mut questions = Vec::new();
        if self.encoding.as_ref().is_some_and(|e| e.certainty == EncodingCertainty::Ambiguous) {
            questions.push(FileQuestion::EncodingAmbiguous);
        }
        let found_in_sheets = !self.sheets.is_empty() && self.sheet.is_none();
        if found_in_sheets {
            questions.push(FileQuestion::SheetAmbiguous);
            return questions;
        }
        if self.header.is_none() {
            questions.push(FileQuestion::HeaderNotFound);
        }
        if let MapState::Asked { questions: open, .. } = &self.map {
            questions.extend(open.iter().cloned());
        }
        questions
    }
}

named! {
    InputFormat {
        /// Text with any delimiter.
        Csv = "CSV";
        /// An Excel workbook (`.xlsx`, `.xlsm`).
        Xlsx = "XLSX";
        Xls = "XLS";
        Ods = "ODS";
        Pasted = tr_noop!("pasted text");
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingGuess {
    pub encoding: TextEncoding,
    pub certainty: EncodingCertainty,
    /// Sample lines with non-ASCII letters: first as decoded in `encoding`, then in each other encoding that fits.
    /// Scrubbed. Empty without non-ASCII lines.
    pub alternatives: Vec<(TextEncoding, Vec<String>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodingCertainty {
    Chosen,
    Bom,
    /// No other encoding fits.
    Certain,
    /// Probable; show a sample.
    Guess,
    /// Two encodings fit, and only a person can decide. Nothing is read before that.
    Ambiguous,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetInfo {
    /// The name; `.wire()` is the value for [`super::Choices::sheet`].
    pub name: Text,
    /// A hidden sheet is read only if a person chooses it.
    pub hidden: bool,
    /// Number of the last row with content; 0 for an empty sheet.
    pub rows: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapState {
    Chosen(ColumnMap),
    /// A person confirmed it earlier for the same column names.
    Remembered(ColumnMap),
    /// Detected by the column names, or by content without a header.
    Found(ColumnMap),
    Asked {
        /// The clear parts of the map: name, e-mail and template.
        name: Option<NameColumns>,
        email: Option<usize>,
        template: Option<usize>,
        questions: Vec<FileQuestion>,
    },
}

impl MapState {
    pub fn map(&self) -> Option<&ColumnMap> {
        match self {
            Self::Chosen(map) | Self::Remembered(map) | Self::Found(map) => Some(map),
            Self::Asked { .. } => None,
        }
    }
}

messages! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum FileQuestion;
    pub(super) fn localizable;
    EncodingAmbiguous
        => localizable!("its text reads differently in UTF-8 and in CP949; choose the encoding");
    /// Several columns may hold this field.
    /// `candidates`: Column indexes, from 0.
    ColumnsAmbiguous { field: RecipientField, candidates: Vec<usize> }
        => localizable!("more than one column can be the {field} (columns {columns}); choose one", field, columns = numbers(candidates));
    ColumnMissing { field: RecipientField }
        => localizable!("it is not certain which column is the {field}; choose one", field);
    /// A column is named like this field, but its content is something else.
    /// `column`: From 0.
    ColumnContradicts { field: RecipientField, column: usize }
        => localizable!("column {column} is named like the {field}, but its content is something else; choose one", column = column + 1, field);
    SheetAmbiguous => localizable!("it has more than one sheet with data; choose one");
    /// No row looks like a header, and no row looks like data.
    HeaderNotFound
        => localizable!("its first rows have no header row and no e-mail address; choose the header row");
}

messages! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum ImportNote;
    fn localizable;
    RowsAboveHeader(n: u64) => localizable!("Rows above the header are not read ({n}).", n = number(*n));
    /// Two rows look like a header. lapel uses the second.
    /// `first`: Row number in the source, from 1.
    /// `second`: Row number in the source, from 1.
    TwoHeaderRows { first: u64, second: u64 }
        => localizable!("Rows {first} and {second} both look like a header; lapel uses row {second}.", first, second);
    NoHeader => localizable!("No header row; lapel looks at the content of the columns.");
    NotWhatItsNameSays { ending: Text, format: InputFormat }
        => localizable!("Its name ends in .{ending}, but lapel read it as {format}, its real format.", ending, format);
    MacroEnabled => localizable!("It can hold macros; lapel did not run them.");
    HiddenSheets(sheets: Vec<Text>)
        => localizable!("Hidden sheets are not read: {sheets}.", sheets = quoted(sheets));
    /// Hidden columns with data, from 0. They are read.
    HiddenColumns(columns: Vec<usize>)
        => localizable!("Hidden columns are read too: {columns}.", columns = numbers(columns));
    /// Number of hidden rows, perhaps by a filter. They are read and need review.
    HiddenRows(n: u64) => localizable!("Hidden rows in the sheet: {n}. Each needs review.", n = number(*n));
    OtherSheets(sheets: Vec<Text>)
        => localizable!("Other sheets have data but no e-mail addresses; not read: {sheets}.", sheets = quoted(sheets));
    /// Number of merged cell ranges. The value is in the first cell of each.
    MergedCells(n: u64)
        => localizable!("Merged cell groups: {n}. The value belongs to the first cell of each.", n = number(*n));
    /// A property that this format does not show.
    CannotTell(what: &'static str) => Localizable::of(what);
    /// The column that names templates, from 0.
    TemplateColumn(column: usize)
        => localizable!("Column {column} names the template of each row.", column = column + 1);
}

fn numbers(columns: &[usize]) -> Localizable {
    list(columns.iter().map(|column| (column + 1).to_string()))
}

pub(super) fn quoted(names: &[Text]) -> Localizable {
    list(names.iter().map(|name| format!("\"{name}\"")))
}
