//! Old Excel workbooks (`.xls`).

use super::grid::{Grid, fact, number};
use super::{Bytes, Desk, Seen, Workbook, guarded};
use crate::jobs::intake::IntakeError;
use crate::jobs::intake::about::{Format, Note};
use calamine::{Data, Range, Reader as _, SheetType, SheetVisible, XlsError};

/// What is said in messages.
const WHAT: &str = "an old Excel workbook";

pub(super) struct Xls {
    book: calamine::Xls<Bytes>,
}

impl Xls {
    pub fn open(bytes: Bytes, desk: &Desk<'_>) -> Result<Self, IntakeError> {
        let name = || desk.name.to_owned();
        // An encrypted XLSX is a compound file too, with its package inside.
        if contains_wide(bytes.get_ref(), "EncryptedPackage") {
            return Err(IntakeError::PasswordProtected { name: name() });
        }
        if !contains_wide(bytes.get_ref(), "Workbook") && !contains_wide(bytes.get_ref(), "Book") {
            let what = "an Office document, but no spreadsheet".to_owned();
            return Err(IntakeError::Unsupported { name: name(), what });
        }
        match guarded(|| calamine::Xls::new(bytes)) {
            Some(Ok(book)) => Ok(Self { book }),
            Some(Err(XlsError::Password)) => Err(IntakeError::PasswordProtected { name: name() }),
            Some(Err(e)) => Err(desk.damaged(WHAT, e)),
            None => Err(desk.damaged(WHAT, "it cannot be read")),
        }
    }

    fn range(&mut self, sheet: &str, desk: &Desk<'_>) -> Result<Range<Data>, IntakeError> {
        self.book.worksheet_range(sheet).map_err(|e| desk.damaged(WHAT, e))
    }
}

impl Workbook for Xls {
    fn format(&self) -> Format {
        Format::Xls
    }

    fn notes(&self) -> Vec<Note> {
        vec![Note::CannotTell(
            "An .xls file does not say here which rows and columns are hidden, or where links lead: look for hidden rows yourself, or save it as XLSX.",
        )]
    }

    fn look(&mut self, desk: &Desk<'_>) -> Result<Vec<Seen>, IntakeError> {
        let sheets: Vec<_> =
            self.book.sheets_metadata().iter().filter(|s| s.typ == SheetType::WorkSheet).cloned().collect();
        let mut seen = Vec::new();
        for sheet in sheets {
            let hidden = sheet.visible != SheetVisible::Visible;
            let mut found = Seen { name: sheet.name, hidden, ..Seen::default() };
            let range = self.range(&found.name, desk)?;
            let first = range.start().map_or(0, |s| u64::from(s.0));
            for (row, _, value) in range.used_cells() {
                found.see(first + row as u64 + 1, &text_of(value).0);
            }
            seen.push(found);
        }
        Ok(seen)
    }

    fn load(&mut self, sheet: &str, desk: &Desk<'_>) -> Result<(Grid, Vec<Note>), IntakeError> {
        let range = self.range(sheet, desk)?;
        let formulas = self.book.worksheet_formula(sheet).unwrap_or_default();
        let (first_row, first_column) = range.start().unwrap_or((0, 0));
        let mut grid = Grid::default();
        for (row, cells) in range.rows().enumerate() {
            desk.unless_cancelled()?;
            for (column, value) in cells.iter().enumerate() {
                let at = (first_row + row as u32, first_column + column as u32);
                let (text, mut facts) = text_of(value);
                if formulas.get_value(at).is_some_and(|f| !f.is_empty()) {
                    facts |= if matches!(value, Data::Empty) { fact::NO_VALUE } else { fact::FORMULA };
                }
                grid.push(at, false, &text, facts, desk)?;
            }
        }
        let merged = self.book.merge_cells_by_sheet_name(sheet).map_or(0, |m| m.len() as u64);
        let notes = if merged > 0 { vec![Note::MergedCells(merged)] } else { Vec::new() };
        Ok((grid, notes))
    }
}

fn text_of(value: &Data) -> (String, u8) {
    match value {
        Data::Empty => (String::new(), 0),
        Data::String(text) => (text.clone(), 0),
        Data::Int(n) => (n.to_string(), fact::NUMBER),
        Data::Float(n) => (number(*n), fact::NUMBER),
        Data::Bool(b) => (if *b { "TRUE" } else { "FALSE" }.to_owned(), fact::BOOL),
        Data::DateTime(date) => (super::date(date), fact::DATE),
        Data::DateTimeIso(text) | Data::DurationIso(text) => (text.clone(), fact::DATE),
        Data::Error(e) => (e.to_string(), fact::ERROR),
    }
}

/// Whether a compound file has an entry of this name: its directory writes names in UTF-16.
fn contains_wide(bytes: &[u8], name: &str) -> bool {
    let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(wide.len()).any(|w| w == wide)
}
