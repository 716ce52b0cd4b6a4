//! Reads spreadsheets: detects the file's kind, selects the sheet, and gives its cells as rows.

mod archive;
mod biff;
mod grid;
mod ods;
mod xls;
mod xlsx;

pub(super) use grid::Grid;

use super::about::{ImportNote, InputFormat, SheetInfo};
use super::cell_text::is_address_like;
use super::{Choices, IntakeProblem, MAX_CELL_CHARS, MAX_UNPACKED_BYTES, ReadProgress};
use crate::jobs::prelude::*;
use std::io::Cursor;

/// Maximum length of a text that is checked for an e-mail address, in bytes. A name with an address is shorter.
const LONGEST_ADDRESS: usize = 2_000;

/// A spreadsheet's bytes. They are read several times; [`super::MAX_SHEET_BYTES`] limits them.
type Bytes = Cursor<Arc<[u8]>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileType {
    /// Text, unless the content shows otherwise.
    Text,
    /// A zip archive: XLSX, ODS and others.
    Zip,
    /// A Microsoft compound file: XLS, an encrypted XLSX and others.
    Ole,
    /// Never a list of people. The name of the kind has its article.
    Other(Localizable),
}

/// Old programs and web sites name an HTML or XML document ".xls".
pub(super) fn kind_of(first: &[u8]) -> FileType {
    let begins = |with: &[u8]| first.starts_with(with);
    if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
        return FileType::Zip;
    }
    if begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return FileType::Ole;
    }
    for (magic, what) in [
        (&b"%PDF"[..], tr_noop!("a PDF document")),
        (b"\x1f\x8b", tr_noop!("a gzip archive")),
        (b"7z\xbc\xaf", tr_noop!("a 7z archive")),
        (b"Rar!", tr_noop!("a RAR archive")),
        (b"\x89PNG", tr_noop!("a picture")),
        (b"\xff\xd8\xff", tr_noop!("a picture")),
        (b"GIF8", tr_noop!("a picture")),
        (b"{\\rtf", tr_noop!("an RTF document")),
        (b"SQLite format 3", tr_noop!("a database")),
        (b"\x7fELF", tr_noop!("a program")),
        // The worksheet streams of Excel 2 to 4, without a compound file.
        (b"\x09\x00\x04\x00", tr_noop!("an Excel 2 worksheet")),
        (b"\x09\x02\x06\x00", tr_noop!("an Excel 3 worksheet")),
        (b"\x09\x04\x06\x00", tr_noop!("an Excel 4 worksheet")),
    ] {
        if begins(magic) {
            return FileType::Other(Localizable::of(what));
        }
    }
    let text = String::from_utf8_lossy(&first[..first.len().min(1024)]).to_ascii_lowercase();
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<table") {
        return FileType::Other(localizable!("a web page (HTML)"));
    }
    if text.starts_with("<?xml") {
        let is_sheet =
            text.contains("excel.sheet") || text.contains("schemas-microsoft-com:office:spreadsheet");
        return FileType::Other(if is_sheet {
            localizable!("an Excel 2003 XML spreadsheet")
        } else {
            localizable!("an XML document")
        });
    }
    FileType::Text
}

pub(super) struct Book {
    pub format: InputFormat,
    pub sheets: Vec<SheetInfo>,
    /// The selected sheet; `None` while that is an open question.
    pub sheet: Option<String>,
    /// The cells of the sheet; empty while the sheet is an open question.
    pub grid: Grid,
    pub notes: Vec<ImportNote>,
}

#[derive(Debug, Default)]
struct Sheet {
    name: String,
    hidden: bool,
    /// Number of the last row with content; 0 for an empty sheet.
    rows: u64,
    addresses: bool,
    /// Empty if another sheet is more likely the list.
    grid: Grid,
    /// Why the sheet is no list, if it is not.
    broken: Option<IntakeProblem>,
    merged: u64,
    notes: Vec<ImportNote>,
}

impl Sheet {
    fn new(name: String, hidden: bool) -> Self {
        Self { name, hidden, ..Self::default() }
    }

    /// Adds a cell: its position (from 0), whether its row is hidden, its text, and its [`grid::fact`] bits.
    /// Fails if the file exceeds a limit, or is damaged. What makes only this sheet unusable is kept instead.
    fn add(
        &mut self,
        at: (u32, u32),
        hidden: bool,
        text: &str,
        facts: u8,
        context: &SheetContext<'_>,
    ) -> Result<(), IntakeProblem> {
        let row = u64::from(at.0) + 1;
        context.unfold(row, text)?;
        let has_value = facts & grid::fact::NO_VALUE == 0;
        if !has_value || !super::cell_text::is_blank(text) {
            self.rows = self.rows.max(row);
            self.addresses = self.addresses || text.len() <= LONGEST_ADDRESS && is_address_like(text);
        }
        if self.broken.is_none()
            && let Err(why) = self.grid.push(at, hidden, text, facts)
        {
            (self.broken, self.grid) = (Some(why), Grid::default());
        }
        Ok(())
    }

    /// Adds the target of a link, before its cell.
    fn link(&mut self, at: (u32, u32), text: &str, target: &str) {
        if self.broken.is_none() {
            self.grid.link(at, text, target);
        }
    }

    /// How likely it is that [`choose`] selects this sheet; 0 if it does not.
    fn rank(&self, wanted: Option<&str>) -> u8 {
        match wanted {
            Some(wanted) => u8::from(self.name == wanted),
            None if self.hidden || self.rows == 0 => 0,
            None => 1 + u8::from(self.addresses),
        }
    }

    /// The notes about its cells. Hidden rows and columns are read.
    fn notes(&mut self) -> Vec<ImportNote> {
        let mut notes = std::mem::take(&mut self.notes);
        if self.merged > 0 {
            notes.push(ImportNote::MergedCells(self.merged));
        }
        if self.grid.hidden_rows() > 0 {
            notes.push(ImportNote::HiddenRows(self.grid.hidden_rows()));
        }
        let columns = self.grid.used_hidden_columns();
        if !columns.is_empty() {
            notes.push(ImportNote::HiddenColumns(columns));
        }
        notes
    }
}

/// The message of a library.
fn foreign(error: &impl std::fmt::Display) -> Localizable {
    Localizable::verbatim(scrub(&error.to_string()))
}

fn damaged(what: &'static str, why: Localizable) -> IntakeProblem {
    IntakeProblem::Damaged { what: Localizable::of(what), why }
}

struct SheetContext<'a> {
    watch: &'a dyn ReadProgress,
    bytes: u64,
    /// Bytes of text in all cells so far. Many cells may share one text of the file.
    unfolded: std::cell::Cell<u64>,
}

impl SheetContext<'_> {
    /// Fails if the text is longer than a cell can be, or all texts together exceed the limit of a spreadsheet.
    fn unfold(&self, row: u64, text: &str) -> Result<(), IntakeProblem> {
        if text.len() > MAX_CELL_CHARS && text.chars().nth(MAX_CELL_CHARS).is_some() {
            return Err(IntakeProblem::CellTooLong { line: row });
        }
        let all = self.unfolded.get() + text.len() as u64;
        self.unfolded.set(all);
        if all > MAX_UNPACKED_BYTES {
            let what = localizable!("an unpacked spreadsheet");
            return Err(IntakeProblem::TooBig { what, limit: MAX_UNPACKED_BYTES });
        }
        Ok(())
    }

    fn unless_cancelled(&self) -> Result<(), IntakeProblem> {
        if self.watch.is_cancelled() { Err(IntakeProblem::Cancelled) } else { Ok(()) }
    }

    /// Before the sheets of an opened workbook are read.
    fn opened(&self) -> Result<(), IntakeProblem> {
        self.unless_cancelled()?;
        self.watch.progress(self.bytes / 3, self.bytes);
        Ok(())
    }
}

pub(super) fn open(
    bytes: Vec<u8>,
    choices: &Choices,
    watch: &dyn ReadProgress,
) -> Result<Book, IntakeProblem> {
    let all = bytes.len() as u64;
    let is_zip = kind_of(&bytes) == FileType::Zip;
    let bytes: Bytes = Cursor::new(Arc::from(bytes));
    let context = SheetContext { watch, bytes: all, unfolded: std::cell::Cell::default() };
    let format = if is_zip { archive::inspect(&bytes, &context)? } else { InputFormat::Xls };
    let (mut sheets, mut notes): (Vec<Sheet>, _) = (Vec::new(), Vec::new());
    let (mut likely, mut best) = (0, 0);
    let mut each = |mut sheet: Sheet| {
        let rank = sheet.rank(choices.sheet.as_deref());
        // Of all sheets, the cells of one are kept.
        if rank > best {
            if let Some(other) = sheets.get_mut(likely) {
                other.grid = Grid::default();
            }
            (likely, best) = (sheets.len(), rank);
        } else {
            sheet.grid = Grid::default();
        }
        sheets.push(sheet);
    };
    match format {
        InputFormat::Xlsx => xlsx::read(bytes, &context, &mut notes, &mut each)?,
        InputFormat::Ods => ods::read(&bytes, &context, &mut each)?,
        _ => xls::read(bytes, &context, &mut each)?,
    }
    let chosen = choose(&sheets, choices, &mut notes)?;
    let (mut sheet, mut grid) = (None, Grid::default());
    if let Some(found) = chosen.and_then(|at| sheets.get_mut(at)) {
        if let Some(why) = found.broken.take() {
            return Err(why);
        }
        notes.extend(found.notes());
        (sheet, grid) = (Some(found.name.clone()), std::mem::take(&mut found.grid));
    }
    watch.progress(all, all);
    let sheets = sheets
        .into_iter()
        .map(|s| SheetInfo { name: Text::new(s.name), hidden: s.hidden, rows: s.rows })
        .collect();
    Ok(Book { format, sheets, sheet, grid, notes })
}

/// The place of the chosen sheet; of the only visible one with data; or of the only one of these with addresses.
fn choose(
    seen: &[Sheet],
    choices: &Choices,
    notes: &mut Vec<ImportNote>,
) -> Result<Option<usize>, IntakeProblem> {
    let names = |of: &dyn Fn(&Sheet) -> bool| -> Vec<Text> {
        seen.iter().filter(|s| of(s)).map(|s| Text::new(s.name.clone())).collect()
    };
    if let Some(wanted) = &choices.sheet {
        if let Some(at) = seen.iter().position(|s| s.name == *wanted) {
            return Ok(Some(at));
        }
        return Err(IntakeProblem::SheetNotFound {
            sheet: scrub(wanted).into_owned(),
            there: super::about::quoted(&names(&|_| true)),
        });
    }
    if seen.iter().all(|s| s.rows == 0) {
        return Err(IntakeProblem::Empty);
    }
    let hidden = names(&|s| s.hidden && s.rows > 0);
    if !hidden.is_empty() {
        notes.push(ImportNote::HiddenSheets(hidden));
    }
    let with_data: Vec<usize> = (0..seen.len()).filter(|at| seen[*at].rank(None) > 0).collect();
    let with_addresses: Vec<usize> = (0..seen.len()).filter(|at| seen[*at].rank(None) > 1).collect();
    Ok(match (with_data.as_slice(), with_addresses.as_slice()) {
        ([only], _) => Some(*only),
        (_, [only]) => {
            notes.push(ImportNote::OtherSheets(names(&|s| s.rank(None) == 1)));
            Some(*only)
        }
        _ => None,
    })
}

/// Formats a date as a person would write it.
fn date(date: &calamine::ExcelDateTime) -> String {
    if date.is_duration() {
        let seconds = (date.as_f64() * 86_400.0).round().clamp(0.0, 1e12) as u64;
        return format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    match (hour, minute, second) {
        (0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}
