//! A row as it stands in the source.

/// One row of the source, as it is. The cells are raw: show them through [`crate::domain::Text`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRow {
    /// Its number among the data rows, from 1; blank lines count.
    pub record: u64,
    /// Where it starts in the source: the physical line of a text, the row of a sheet, from 1.
    pub line: u64,
    /// Its cells, at least as many as the header has.
    pub cells: Vec<String>,
    /// What is to be known about the cells.
    pub notes: Vec<CellNote>,
}

impl RawRow {
    /// A cell; empty when the row is too short.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// What is noted about one column, or about the row as a whole.
    pub fn facts(&self, column: usize) -> impl Iterator<Item = &CellFact> {
        self.notes.iter().filter(move |n| n.column.is_none_or(|c| c == column)).map(|n| &n.what)
    }
}

/// Something about a cell that its text does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellNote {
    /// The column, from 0; `None` when it is about the whole row.
    pub column: Option<usize>,
    /// What it is.
    pub what: CellFact,
}

/// What a cell was before it became text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellFact {
    /// It is in a hidden row or column.
    Hidden,
    /// The text is the value that a formula had when the file was saved.
    Formula,
    /// A formula whose value was not saved: there is no text.
    FormulaWithoutValue,
    /// A link; the text is what the cell shows.
    Hyperlink,
    /// A link to another address than the text shows.
    LinkElsewhere(String),
    /// A number, written out.
    Number,
    /// A date or time, written out.
    Date,
    /// A truth value, written out.
    Bool,
    /// An error such as `#REF!`.
    Error,
    /// lapel's own CSV puts an apostrophe before a cell that a spreadsheet would compute; it was taken off.
    ApostropheStripped,
    /// The row ends before this column.
    Missing,
    /// The cell is not empty but the header has no such column.
    Extra,
    /// Text before or after a quoted part: the quotation marks may not mean what they do.
    StrayQuote,
}
