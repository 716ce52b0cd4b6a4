//! What could not be written as it is, for the person who asked for the file.

use crate::domain::Text;
use std::fmt;

/// How many cells are named; beyond it they are counted.
const NAMED: usize = 100;

/// Cells that are not in the file exactly as they were: the first hundred by name, all by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// The first of them, in the order of the file.
    pub first: Vec<Place>,
    /// All of them.
    pub count: u64,
}

/// One such cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row, as whoever wrote it numbers it; 0 is the line with the names of the columns.
    pub row: u64,
    /// The column's name, or its number where it has none.
    pub column: Text,
    /// The characters it is about, each once, a few at most. Empty when the cell was cut.
    pub chars: Vec<char>,
}

impl Noted {
    pub(super) fn add(&mut self, place: impl FnOnce() -> Place) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(place());
        }
    }
}

/// Counts one more of a name. Beyond so many names the rest are counted together: names that are made up
/// without end must not fill the memory.
pub(crate) fn tally(counts: &mut Vec<(String, u64)>, name: &str, most: usize, others: &str) {
    let known = counts.len() < most || counts.iter().any(|one| one.0 == name);
    let name = if known { name } else { others };
    match counts.iter_mut().find(|one| one.0 == name) {
        Some(one) => one.1 += 1,
        None => counts.push((name.to_owned(), 1)),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self.row {
            0 => t!("column names, {column}", column = self.column),
            row => t!("row {row}, {column}", row, column = self.column),
        })?;
        for (at, c) in self.chars.iter().enumerate() {
            let sign = if at == 0 { ": " } else { ", " };
            write!(f, "{sign}{} (U+{:04X})", Text::new(c.to_string()), *c as u32)?;
        }
        Ok(())
    }
}
