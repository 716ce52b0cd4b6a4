//! The cells of one sheet in a compact form: a million rows take about as much memory as their text.

use super::damaged;
use crate::jobs::intake::cell_text::is_blank;
use crate::jobs::intake::row::{CellFact, CellNote, RawRow};
use crate::jobs::intake::{IntakeProblem, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_BYTES};
use crate::jobs::prelude::*;
use percent_encoding::percent_decode_str;

/// Maximum number of filled cells in a sheet.
pub(super) const MAX_CELLS: usize = 20_000_000;

/// Maximum characters of a link's address to compare and show. No address is this long.
const LONGEST_LINK: usize = 1_000;

/// Properties of a cell besides its text: bits of [`GridCell::facts`].
pub(super) mod fact {
    pub const FORMULA: u8 = 1;
    pub const NO_VALUE: u8 = 2;
    pub const LINK: u8 = 4;
    pub const NUMBER: u8 = 8;
    pub const DATE: u8 = 16;
    pub const BOOL: u8 = 32;
    pub const ERROR: u8 = 64;
}

#[derive(Clone, Default)]
pub(in crate::jobs::intake) struct Grid {
    text: String,
    cells: Vec<GridCell>,
    rows: Vec<GridRow>,
    /// Links to another address than the cell shows.
    elsewhere: HashMap<(u32, u16), String>,
    pub(super) hidden_columns: Vec<usize>,
}

#[derive(Clone, Copy)]
struct GridCell {
    column: u16,
    facts: u8,
    end: u32,
}

#[derive(Clone, Copy)]
struct GridRow {
    /// From 0.
    number: u32,
    hidden: bool,
    cells_end: u32,
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({} rows, {} cells)", self.rows.len(), self.cells.len())
    }
}

impl Grid {
    /// Rows come in order; `row` and `column` count from 0.
    pub(super) fn push(
        &mut self,
        at: (u32, u32),
        hidden: bool,
        text: &str,
        facts: u8,
    ) -> Result<(), IntakeProblem> {
        let (row, column) = at;
        // Spaces, or a formula without a result, are data. Formatting alone is not.
        if text.is_empty() && facts & (fact::NO_VALUE | fact::FORMULA) == 0 {
            return Ok(());
        }
        if u64::from(row) >= MAX_ROWS {
            return Err(IntakeProblem::TooManyRows);
        }
        if column as usize >= MAX_COLUMNS {
            return Err(IntakeProblem::TooManyColumns { line: u64::from(row) + 1 });
        }
        let limit = MAX_UNPACKED_BYTES;
        if (self.text.len() + text.len()) as u64 > limit || self.cells.len() >= MAX_CELLS {
            return Err(IntakeProblem::TooBig { what: localizable!("the text of a sheet"), limit });
        }
        match self.rows.last() {
            Some(last) if last.number > row => {
                return Err(damaged(tr_noop!("a spreadsheet"), localizable!("its rows are out of order")));
            }
            Some(last) if last.number == row => {}
            _ => self.rows.push(GridRow { number: row, hidden, cells_end: 0 }),
        }
        self.text.push_str(text);
        self.cells.push(GridCell { column: column as u16, facts, end: self.text.len() as u32 });
        if let Some(last) = self.rows.last_mut() {
            last.cells_end = self.cells.len() as u32;
        }
        Ok(())
    }

    /// Stores the target if it is another address than the cell shows.
    pub fn link(&mut self, at: (u32, u32), text: &str, target: &str) {
        let parts = target.split_at_checked(7).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("mailto:"));
        let Some((_, address)) = parts else { return };
        let address = address.split('?').next().unwrap_or("");
        // One link can cover a million cells, and each stores the target.
        let end = address.char_indices().nth(LONGEST_LINK).map_or(address.len(), |(at, _)| at);
        let address = address.get(..end).unwrap_or("");
        let decoded = percent_decode_str(address).decode_utf8_lossy().into_owned();
        if text.contains('@') && !EmailKey::of(text).is(&decoded) {
            self.elsewhere.insert((at.0, at.1 as u16), decoded);
        }
    }

    pub fn used_hidden_columns(&self) -> Vec<usize> {
        let is_used = |c: &usize| self.cells.iter().any(|cell| cell.column as usize == *c);
        self.hidden_columns.iter().copied().filter(is_used).collect()
    }

    pub fn hidden_rows(&self) -> u64 {
        self.rows.iter().filter(|r| r.hidden).count() as u64
    }

    /// After row `skip_to` (from 1), with at least `width` cells each, and with empty rows between others.
    /// With a width of 0, no cell counts as extra.
    pub fn rows(&self, skip_to: u64, width: usize) -> impl Iterator<Item = RawRow> + '_ {
        let mut at = self.rows.partition_point(|r| u64::from(r.number) < skip_to);
        (1..).zip(skip_to + 1..).map_while(move |(record, line)| {
            let row = self.rows.get(at)?;
            if u64::from(row.number) + 1 > line {
                return Some(RawRow { record, line, cells: vec![String::new(); width], notes: Vec::new() });
            }
            at += 1;
            Some(self.row(at - 1, record, width))
        })
    }

    fn row(&self, at: usize, record: u64, width: usize) -> RawRow {
        let Some(row) = self.rows.get(at) else { return RawRow::default() };
        let first = at.checked_sub(1).and_then(|b| self.rows.get(b)).map_or(0, |r| r.cells_end as usize);
        let cells = self.cells.get(first..row.cells_end as usize).unwrap_or_default();
        let mut start = first.checked_sub(1).and_then(|b| self.cells.get(b)).map_or(0, |c| c.end as usize);
        let wide = cells.iter().map(|c| c.column as usize + 1).max().unwrap_or(0).max(width);
        let mut out = RawRow {
            record,
            line: u64::from(row.number) + 1,
            cells: vec![String::new(); wide],
            notes: Vec::new(),
        };
        if row.hidden {
            out.notes.push(CellNote { column: None, what: CellFact::Hidden });
        }
        for cell in cells {
            let column = cell.column as usize;
            let text = self.text.get(start..cell.end as usize).unwrap_or("");
            start = cell.end as usize;
            let mut note = |what| out.notes.push(CellNote { column: Some(column), what });
            self.facts_of(cell, row.number).into_iter().for_each(&mut note);
            if width > 0 && column >= width && !is_blank(text) {
                note(CellFact::Extra);
            }
            if let Some(slot) = out.cells.get_mut(column) {
                text.clone_into(slot);
            }
        }
        out
    }

    fn facts_of(&self, cell: &GridCell, row: u32) -> Vec<CellFact> {
        let all = [
            (fact::FORMULA, CellFact::Formula),
            (fact::NO_VALUE, CellFact::FormulaWithoutValue),
            (fact::LINK, CellFact::Hyperlink),
            (fact::NUMBER, CellFact::Number),
            (fact::DATE, CellFact::Date),
            (fact::BOOL, CellFact::Bool),
            (fact::ERROR, CellFact::Error),
        ];
        let has = all.into_iter().filter(|(bit, _)| cell.facts & bit != 0);
        let mut facts: Vec<CellFact> = has.map(|(_, fact)| fact).collect();
        if let Some(target) = self.elsewhere.get(&(row, cell.column)) {
            facts.push(CellFact::LinkElsewhere(target.clone()));
        }
        if self.hidden_columns.contains(&(cell.column as usize)) {
            facts.push(CellFact::Hidden);
        }
        facts
    }
}

/// Formats a number as a person would write it.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() && value.fract() == 0.0 && value.abs() < 1e18 {
        format!("{value:.0}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_out() {
        for (value, text) in [
            (1234.0, "1234"),
            (-7.0, "-7"),
            (0.5, "0.5"),
            (102.25, "102.25"),
            (1.23e15, "1230000000000000"),
            (1e300, &format!("1{}", "0".repeat(300))),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
