//! A row as it is in the source.

/// The cells are raw: display them through [`crate::domain::Text`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRow {
    /// Its number among the data rows, from 1. Blank lines count.
    pub record: u64,
    /// Where it starts in the source: the physical line of a text, the row of a sheet, from 1.
    pub line: u64,
    /// The cells, at least as many as the header has.
    pub cells: Vec<String>,
    pub notes: Vec<CellNote>,
}

impl RawRow {
    /// Empty if the row is too short.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    pub(super) fn without(mut self, column: Option<usize>) -> Self {
        let Some(column) = column else { return self };
        if column < self.cells.len() {
            self.cells.remove(column);
        }
        self.notes.retain(|note| note.column != Some(column));
        for after in self.notes.iter_mut().filter_map(|note| note.column.as_mut()) {
            *after -= usize::from(*after > column);
        }
        self
    }

    /// The notes about one column and about the whole row.
    pub fn facts(&self, column: usize) -> impl Iterator<Item = &CellFact> {
        self.notes.iter().filter(move |n| n.column.is_none_or(|c| c == column)).map(|n| &n.what)
    }
}

/// A property of a cell that its text does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellNote {
    /// The column, from 0; `None` for the whole row.
    pub column: Option<usize>,
    pub what: CellFact,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellFact {
    /// In a hidden row or column.
    Hidden,
    /// The result of a formula, as saved in the file.
    Formula,
    /// A formula without a saved result, so there is no text.
    FormulaWithoutValue,
    /// A link. The text is what the cell shows.
    Hyperlink,
    /// A link to this address, which differs from the text.
    LinkElsewhere(String),
    Number,
    Date,
    Bool,
    Error,
    /// A leading apostrophe was removed. lapel's own CSV adds it to cells that a spreadsheet would compute.
    ApostropheStripped,
    Missing,
    /// A filled cell in a column that the header does not have.
    Extra,
    /// Text before or after a quoted part, so the quotation marks may be unintended.
    StrayQuote,
}
