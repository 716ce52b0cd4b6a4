//! What is known about a source before its rows are read.

use super::{ColumnMap, Delimiter, Field, HeaderRow, NameColumns, TextEncoding};
use crate::domain::Text;
use std::fmt;

/// What is known about a source: enough to show a person how it is going to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The file's name.
    pub name: Text,
    /// SHA-256 of its bytes, in hexadecimal digits: the same file has the same, whatever it is called.
    pub sha256: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// What it is.
    pub format: Format,
    /// In which encoding, for text files.
    pub encoding: Option<EncodingGuess>,
    /// What separates its cells, for text files.
    pub delimiter: Option<Delimiter>,
    /// All sheets of a spreadsheet, hidden ones too.
    pub sheets: Vec<SheetInfo>,
    /// The sheet that is read, by its exact name.
    pub sheet: Option<String>,
    /// The header row; `None` while that is an open question.
    pub header: Option<HeaderRow>,
    /// The names of the columns as they stand there, "column 3" where there is none. Raw.
    pub columns: Vec<String>,
    /// The same for every file with the same column names in the same order.
    pub signature: String,
    /// Which column is what.
    pub map: MapState,
    /// What else is to be known.
    pub notes: Vec<Note>,
}

impl About {
    /// What a person must decide before the rows may be read; empty when nothing is open.
    pub fn needs_answer(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        if self.encoding.as_ref().is_some_and(|e| e.sure == Sure::Ambiguous) {
            questions.push(Question::EncodingAmbiguous);
        }
        let found_in_sheets = !self.sheets.is_empty() && self.sheet.is_none();
        if found_in_sheets {
            questions.push(Question::SheetAmbiguous);
            return questions;
        }
        if self.header.is_none() {
            questions.push(Question::HeaderNotFound);
        }
        if let MapState::Asked { questions: open, .. } = &self.map {
            questions.extend(open.iter().cloned());
        }
        questions
    }
}

/// What a source is, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text with delimiters, whichever they are.
    Csv,
    /// An Excel workbook (`.xlsx`, `.xlsm`).
    Xlsx,
    /// An old Excel workbook.
    Xls,
    /// A spreadsheet in the open format that free office programs write.
    Ods,
    /// Lines that were pasted.
    Pasted,
}

impl Format {
    /// Its name for people, in the language that is spoken.
    pub fn label(self) -> &'static str {
        crate::i18n::tr(self.name())
    }

    /// The same in English, whatever is spoken: for what machines read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Xlsx => "XLSX",
            Self::Xls => "XLS",
            Self::Ods => "ODS",
            Self::Pasted => tr_noop!("pasted text"),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// The encoding of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingGuess {
    /// The one it is read in.
    pub encoding: TextEncoding,
    /// How sure that is.
    pub sure: Sure,
    /// How its first lines with foreign letters read: in this encoding first, then in the others that have
    /// no objection. Scrubbed. Empty when there are no such lines.
    pub alternatives: Vec<(TextEncoding, Vec<String>)>,
}

/// How sure an encoding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sure {
    /// A person said so.
    Chosen,
    /// The file says so itself.
    Bom,
    /// It can be no other.
    Certain,
    /// Probable; show how it reads.
    Guess,
    /// It can be two, and only a person can tell: nothing is read before that.
    Ambiguous,
}

/// One sheet of a spreadsheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetInfo {
    /// Its name; `.wire()` is what [`super::Choices::sheet`] takes.
    pub name: Text,
    /// Whether it is hidden. A hidden sheet is never read unless it is chosen.
    pub hidden: bool,
    /// The last row with something in it, 0 when it is empty.
    pub rows: u64,
}

/// Which column is what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapState {
    /// A person said so.
    Chosen(ColumnMap),
    /// It was so the last time that columns were called like this.
    Remembered(ColumnMap),
    /// By the names of the columns.
    Found(ColumnMap),
    /// Not clear.
    Asked {
        /// What is clear of it: the name.
        name: Option<NameColumns>,
        /// The address.
        email: Option<usize>,
        /// The template.
        template: Option<usize>,
        /// What must be decided.
        questions: Vec<Question>,
    },
}

impl MapState {
    /// The map, when it is clear.
    pub fn map(&self) -> Option<&ColumnMap> {
        match self {
            Self::Chosen(map) | Self::Remembered(map) | Self::Found(map) => Some(map),
            Self::Asked { .. } => None,
        }
    }
}

/// Something that a person must decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Two encodings fit; see [`EncodingGuess::alternatives`].
    EncodingAmbiguous,
    /// More than one column can be this field.
    ColumnsAmbiguous {
        /// The field.
        field: Field,
        /// The columns, from 0.
        candidates: Vec<usize>,
    },
    /// No column is this field.
    ColumnMissing {
        /// The field.
        field: Field,
    },
    /// More than one sheet can be meant; see [`About::sheets`].
    SheetAmbiguous,
    /// No row looks like a header, and no row like data.
    HeaderNotFound,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EncodingAmbiguous => {
                f.write_str(t!("its letters read differently in UTF-8 and in CP949; choose the encoding"))
            }
            Self::ColumnsAmbiguous { field, candidates } => {
                let columns: Vec<String> = candidates.iter().map(|c| (c + 1).to_string()).collect();
                f.write_str(&t!(
                    "more than one column can be the {field} (columns {columns}); choose one",
                    field,
                    columns = columns.join(", ")
                ))
            }
            Self::ColumnMissing { field } => {
                f.write_str(&t!("no column is called like a {field}; choose one", field))
            }
            Self::SheetAmbiguous => f.write_str(t!("it has more than one sheet with data; choose the sheet")),
            Self::HeaderNotFound => f.write_str(t!(
                "no header row and no e-mail address was found in its first rows; choose the header row"
            )),
        }
    }
}

/// Something about a source that a person should know; nothing that must be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// So many rows stand above the header and are not read.
    RowsAboveHeader(u64),
    /// Two rows look like a header; the second is taken.
    TwoHeaderRows {
        /// The first.
        first: u64,
        /// The second.
        second: u64,
    },
    /// There is no header: columns were told by their content.
    NoHeader,
    /// The file's name says something else than its content.
    NotWhatItsNameSays {
        /// The ending of the name.
        ending: Text,
        /// What it is.
        format: Format,
    },
    /// It can hold macros; they are not run.
    MacroEnabled,
    /// Sheets that are hidden and not read.
    HiddenSheets(Vec<Text>),
    /// Columns that are hidden in the sheet, from 0; they are read.
    HiddenColumns(Vec<usize>),
    /// So many rows are hidden in the sheet (a filter, perhaps); they are read and asked about.
    HiddenRows(u64),
    /// Other sheets have data too, but no e-mail addresses.
    OtherSheets(Vec<Text>),
    /// So many groups of cells are merged; the value stands in the first cell of each.
    MergedCells(u64),
    /// This format does not tell something that others do.
    CannotTell(&'static str),
    /// There is a column for templates.
    TemplateColumn(usize),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |list: &[Text]| list.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
        match self {
            Self::RowsAboveHeader(n) => f.write_str(&t!("{n} row(s) above the header are not read.", n)),
            Self::TwoHeaderRows { first, second } => f.write_str(&t!(
                "Rows {first} and {second} both look like a header; row {second} is taken.",
                first,
                second
            )),
            Self::NoHeader => {
                f.write_str(t!("There is no header row; the columns were told by their content."))
            }
            Self::NotWhatItsNameSays { ending, format } => f.write_str(&t!(
                "Its name ends in .{ending}, but it is {format} and was read as that.",
                ending,
                format
            )),
            Self::MacroEnabled => f.write_str(t!("It can hold macros; they were not run.")),
            Self::HiddenSheets(list) => {
                f.write_str(&t!("Hidden sheets are not read: {sheets}.", sheets = names(list)))
            }
            Self::HiddenColumns(list) => {
                let columns: Vec<String> = list.iter().map(|c| (c + 1).to_string()).collect();
                f.write_str(&t!(
                    "Hidden columns are read like the others: {columns}.",
                    columns = columns.join(", ")
                ))
            }
            Self::HiddenRows(n) => {
                f.write_str(&t!("{n} row(s) are hidden in the sheet; each is asked about.", n))
            }
            Self::OtherSheets(list) => f.write_str(&t!(
                "Other sheets have data but no e-mail addresses and are not read: {sheets}.",
                sheets = names(list)
            )),
            Self::MergedCells(n) => f.write_str(&t!(
                "{n} group(s) of cells are merged; the value belongs to the first cell of each.",
                n
            )),
            Self::CannotTell(what) => write!(f, "{what}"),
            Self::TemplateColumn(column) => f.write_str(&t!(
                "Column {column} names templates: used for a file of several templates, ignored otherwise.",
                column = column + 1
            )),
        }
    }
}
