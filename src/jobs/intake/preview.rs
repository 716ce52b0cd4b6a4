//! An opened source, with what a person must know before its rows are read.

use super::cell_text::is_blank;
use super::header::TableContent;
use super::ids::{self, IdRow};
use super::{
    About, Checked, Choices, ColumnMap, FileQuestion, ImportSource, InputTable, IntakeError, IntakeProblem,
    RawRow, ReadProgress, check,
};

/// Maximum number of rows.
pub(super) const PREVIEW: usize = 20;

/// An opened file, and how to read it as far as that is clear.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What is known about the file, and what a person must decide.
    pub about: About,
    /// The first rows, unchanged.
    pub rows: Vec<RawRow>,
    pub preview: Preview,
}

/// The first rows of a file, as lapel would take them.
#[derive(Clone, Debug)]
pub enum Preview {
    /// Checked recipients; empty while a question is open.
    Recipients(Vec<Checked>),
    /// Badge ids; empty while a question is open.
    BadgeIds {
        /// The column of the ids, from 0; `None` if a person must choose.
        column: Option<usize>,
        /// Without a check for repeated ids.
        ids: Vec<IdRow>,
    },
}

impl Opened {
    /// Whether the file has, or may have, rows after this number of shown ones.
    pub fn preview_goes_on(&self, shown: u64) -> bool {
        let read = match &self.preview {
            Preview::Recipients(rows) if !rows.is_empty() => rows.len(),
            Preview::BadgeIds { ids, .. } if !ids.is_empty() => ids.len(),
            _ => self.rows.len(),
        };
        read as u64 > shown || read >= PREVIEW
    }

    /// Open questions for a person. For badge ids, without the question for the column.
    pub fn questions(&self) -> Vec<FileQuestion> {
        match &self.preview {
            Preview::Recipients(_) => self.about.needs_answer(),
            Preview::BadgeIds { .. } => ids::open_questions(&self.about),
        }
    }
}

/// Fails if the source cannot be read. An open question is not an error here.
pub(in crate::jobs) fn preview(
    wanted: TableContent,
    source: &ImportSource,
    choices: &Choices,
    remembered: &dyn Fn(&str) -> Option<ColumnMap>,
    watch: &dyn ReadProgress,
) -> Result<Opened, IntakeError> {
    let table = match wanted {
        TableContent::Recipients => InputTable::open(source, choices, remembered, watch)?,
        TableContent::BadgeIds => ids::open(source, choices, watch)?,
    };
    let (about, rows) = (table.about().clone(), table.preview(PREVIEW));
    let preview = match wanted {
        TableContent::Recipients => {
            let map = about.map.map().filter(|_| about.needs_answer().is_empty());
            let checked = map.map(|map| rows.iter().map(|row| check(row.clone(), map)).collect());
            Preview::Recipients(checked.unwrap_or_default())
        }
        TableContent::BadgeIds => {
            let column = match ids::column_of(&about, choices) {
                Err(IntakeProblem::NoIdColumn { .. }) => None,
                column => Some(column.map_err(|why| why.of(&about.name))?),
            };
            let filled = rows.iter().filter(|row| !row.cells.iter().all(|c| is_blank(c)));
            let read = column.filter(|_| ids::open_questions(&about).is_empty());
            let ids = read.map(|column| filled.map(|row| ids::read_row(row, column)).collect());
            Preview::BadgeIds { column, ids: ids.unwrap_or_default() }
        }
    };
    Ok(Opened { about, rows, preview })
}
