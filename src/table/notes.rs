//! Remarks about cells that could not be written unchanged.

use crate::domain::Text;
use std::fmt;

/// Maximum cells that are listed. More are only counted.
const NAMED: usize = 100;

/// Cells that the file does not have unchanged: the first hundred with their place, all as a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedCells {
    pub first: Vec<ChangedCell>,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedCell {
    /// As numbered by the caller; 0 is the header.
    pub row: u64,
    /// The column's name, or its number when it has none.
    pub column: Text,
    /// Each once, at most a few. Empty when the cell was cut.
    pub chars: Vec<char>,
}

impl ChangedCells {
    pub(super) fn add(&mut self, place: impl FnOnce() -> ChangedCell) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(place());
        }
    }
}

/// Beyond `most` names, the others are counted together, so that endless new names cannot fill the memory.
pub(crate) fn tally(counts: &mut Vec<(String, u64)>, name: &str, most: usize, others: &str) {
    let known = counts.len() < most || counts.iter().any(|one| one.0 == name);
    let name = if known { name } else { others };
    match counts.iter_mut().find(|one| one.0 == name) {
        Some(one) => one.1 += 1,
        None => counts.push((name.to_owned(), 1)),
    }
}

impl fmt::Display for ChangedCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self.row {
            0 => t!("header row, {column}", column = self.column),
            row => t!("row {row}, {column}", row, column = self.column),
        })?;
        for (at, c) in self.chars.iter().enumerate() {
            let sign = if at == 0 { ": " } else { ", " };
            write!(f, "{sign}{} (U+{:04X})", Text::new(c.to_string()), *c as u32)?;
        }
        Ok(())
    }
}
