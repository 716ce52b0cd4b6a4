//! Reads badge ids from a file, for a revocation.

use super::about::{About, FileQuestion};
use super::cell_text::{is_blank, is_error_token, trim};
use super::header::{self, TableContent};
use super::row::{CellFact, RawRow};
use super::{Choices, HeaderRow, ImportSource, InputTable, IntakeError, IntakeProblem, ReadProgress};
use crate::jobs::prelude::*;

/// Maximum length of a badge id, in bytes.
const LONGEST_ID: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdList {
    /// The source's properties. Its column map is meaningless here.
    pub about: About,
    /// All rows that are not blank, in order.
    pub rows: Vec<IdRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdRow {
    /// The physical line of a text, or the row of a sheet.
    pub line: u64,
    pub cells: Vec<String>,
    pub raw: Text,
    /// The error says why the cell is not an id.
    pub id: Result<BadgeId, Localizable>,
}

pub(super) fn open_questions(about: &About) -> Vec<FileQuestion> {
    let mut open = about.needs_answer();
    open.retain(|q| matches!(q, FileQuestion::SheetAmbiguous | FileQuestion::EncodingAmbiguous));
    open
}

pub(super) fn open(
    source: &ImportSource,
    choices: &Choices,
    watch: &dyn ReadProgress,
) -> Result<InputTable, IntakeError> {
    let choices = Choices { columns: None, ..choices.clone() };
    InputTable::open_for(TableContent::BadgeIds, source, &choices, &|_| None, watch)
}

pub(super) fn read_row(row: &RawRow, column: usize) -> IdRow {
    IdRow {
        line: row.line,
        cells: row.cells.clone(),
        raw: Text::new(row.cell(column)),
        id: id_of(row, column),
    }
}

/// Reads the only column, or one with a known name like `badge_id` or `배지 ID`. Refuses repeated ids and ids
/// that a spreadsheet damaged (`1.23E+15`, too many digits, `#REF!`), with the reason.
/// Fails with [`IntakeProblem::NoIdColumn`] if it is unclear which column holds the ids ([`Choices::id_column`] chooses it),
/// [`IntakeProblem::Unanswered`] if the encoding or the sheet is unclear, or another error of reading.
pub fn read_ids(
    source: &ImportSource,
    choices: &Choices,
    watch: &dyn ReadProgress,
) -> Result<IdList, IntakeError> {
    let table = open(source, choices, watch)?;
    let about = table.about();
    let rows = table.rows_unless(&open_questions(about))?;
    let column = column_of(about, choices).map_err(|why| why.of(&about.name))?;
    let mut list = IdList { about: about.clone(), rows: Vec::new() };
    let mut seen: HashMap<String, u64> = HashMap::new();
    for row in rows {
        let row = row?;
        if watch.is_cancelled() {
            return Err(IntakeProblem::Cancelled.of(&about.name));
        }
        let lost = row.facts(column).any(|f| matches!(f, CellFact::FormulaWithoutValue));
        if row.cells.iter().all(|c| is_blank(c)) && !lost {
            continue;
        }
        let mut read = read_row(&row, column);
        if let Ok(known) = &read.id {
            match seen.get(known.wire()) {
                Some(first) => read.id = Err(localizable!("the same id is already in row {first}", first)),
                None => {
                    seen.insert(known.wire().to_owned(), row.line);
                }
            }
        }
        list.rows.push(read);
    }
    Ok(list)
}

pub(super) fn column_of(about: &About, choices: &Choices) -> Result<usize, IntakeProblem> {
    if let Some(column) = choices.id_column {
        if column >= about.columns.len() {
            let (column, columns) = (column.saturating_add(1), about.columns.len());
            return Err(IntakeProblem::ColumnNotFound { column, columns });
        }
        return Ok(column);
    }
    let header = matches!(about.header, Some(HeaderRow::At(_))).then_some(about.columns.as_slice());
    header::id_column(header, about.columns.len()).ok_or_else(|| {
        let columns = list(about.columns.iter().take(20).map(|c| scrub(c).into_owned()));
        IntakeProblem::NoIdColumn { columns }
    })
}

fn id_of(row: &RawRow, column: usize) -> Result<BadgeId, Localizable> {
    for fact in row.facts(column) {
        match fact {
            CellFact::FormulaWithoutValue => {
                return Err(localizable!(
                    "a formula without a saved value: open the file in a spreadsheet program and save it again"
                ));
            }
            CellFact::Error => return Err(localizable!("a formula error")),
            CellFact::Date => return Err(localizable!("a spreadsheet turned the id into a date")),
            CellFact::Bool => {
                return Err(localizable!("a spreadsheet turned the id into a true/false value"));
            }
            _ => {}
        }
    }
    let is_number = row.facts(column).any(|f| *f == CellFact::Number);
    let id = trim(row.cell(column));
    let digits = id.bytes().filter(u8::is_ascii_digit).count();
    if id.is_empty() {
        return Err(localizable!("this row has no badge id"));
    }
    if is_error_token(id) {
        return Err(localizable!("a formula error"));
    }
    if is_scientific(id) {
        return Err(localizable!(
            "a spreadsheet shortened the id (scientific notation) and its digits are lost: export the ids again as text"
        ));
    }
    if is_number && (digits > 15 || id.contains(['.', ',', '-'])) {
        return Err(localizable!(
            "a spreadsheet turned the id into a number, which keeps only 15 digits: export the ids again as text"
        ));
    }
    if id.len() > LONGEST_ID {
        return Err(localizable!("too long for a badge id"));
    }
    if id.starts_with('\'') {
        return Err(localizable!("starts with an apostrophe, perhaps from a spreadsheet: remove it"));
    }
    if let Some(c) =
        id.chars().find(|c| c.is_control() || crate::domain::text::is_invisible(*c) || *c == '\u{fffd}')
    {
        return Err(localizable!(
            "has an invisible character ({code})",
            code = format_args!("U+{:04X}", c as u32)
        ));
    }
    if id.contains(char::is_whitespace) {
        return Err(localizable!("has a space: two ids in one cell?"));
    }
    if crate::secrets::is_key(id) {
        return Err(localizable!("this looks like an API key"));
    }
    BadgeId::new(id).ok_or_else(|| localizable!("this row has no badge id"))
}

/// Spreadsheets write long numbers like this: `1.23E+15`, `1,23e15`.
fn is_scientific(id: &str) -> bool {
    let Some((mantissa, exponent)) = id.split_once(['E', 'e']) else { return false };
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let signed = exponent_digits.len() < exponent.len();
    let is_mantissa = mantissa.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'))
        && mantissa.bytes().any(|b| b.is_ascii_digit());
    // 12e5 may be a real id; 1.2e5 and 1E+5 may not.
    is_mantissa
        && (1..=3).contains(&exponent_digits.len())
        && exponent_digits.bytes().all(|b| b.is_ascii_digit())
        && (signed || mantissa.contains(['.', ',']))
}
