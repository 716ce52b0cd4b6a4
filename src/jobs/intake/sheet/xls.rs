//! Reads old Excel workbooks (`.xls`, Excel 97 to 2003).
//!
//! A general reader trusts the file's sizes, so a wrong size ends the program, and does not report hidden
//! rows. The format is [MS-XLS]; lapel reads only the parts that a list of people needs.

use super::biff::{self, BiffRecord, BiffRecords};
use super::grid::{fact, number};
use super::{Bytes, Sheet, SheetContext, damaged, foreign};
use crate::jobs::intake::about::ImportNote;
use crate::jobs::intake::{IntakeProblem, MAX_SHEET_BYTES};
use crate::jobs::prelude::*;
use crate::secrets::catching;
use calamine::{ExcelDateTime, ExcelDateTimeType};
use std::borrow::Cow;
use std::io::Read;

const WHAT: &str = tr_noop!("an old Excel workbook");
const OLDER: &str = tr_noop!("an Excel 95 or older workbook");

struct Xls {
    stream: Vec<u8>,
    globals: Globals,
}

#[derive(Default)]
struct Globals {
    sheets: Vec<SheetAt>,
    strings: Vec<String>,
    formats: HashMap<u16, String>,
    /// The number format of each cell style.
    styles: Vec<u16>,
    is_1904: bool,
}

struct SheetAt {
    name: String,
    hidden: bool,
    start: usize,
}

impl Xls {
    fn open(bytes: Bytes) -> Result<Self, IntakeProblem> {
        let stream = catching(|| workbook_stream(bytes))
            .ok_or_else(|| damaged(WHAT, localizable!("it cannot be read")))??;
        let globals = Globals::read(&stream)?;
        Ok(Self { stream, globals })
    }

    fn cells(&self, start: usize, context: &SheetContext<'_>) -> Result<XlsCells, IntakeProblem> {
        let mut sheet = XlsCells::default();
        let mut awaits_text = None;
        let mut depth = 0;
        let stream =
            self.stream.get(start..).ok_or_else(|| damaged(WHAT, localizable!("a sheet is missing")))?;
        for (count, record) in BiffRecords::new(stream).enumerate() {
            if count.is_multiple_of(4096) {
                context.unless_cancelled()?;
            }
            match record.kind {
                // The start of the sheet itself, or of a chart in it.
                biff::BOF => depth += 1,
                biff::EOF => {
                    depth -= 1;
                    if depth <= 0 {
                        break;
                    }
                }
                _ if depth == 1 => self.record(&record, &mut sheet, &mut awaits_text),
                _ => {}
            }
        }
        sheet.cells.sort_by_key(|c| (c.row, c.column));
        Ok(sheet)
    }

    fn record(&self, record: &BiffRecord<'_>, sheet: &mut XlsCells, awaits_text: &mut Option<usize>) {
        let (Some(row), Some(column)) = (record.u16(0), record.u16(2)) else { return };
        let mut add = |column, value| sheet.cells.push(XlsCell { row, column, formula: false, value });
        match record.kind {
            biff::LABEL_SST => {
                if let Some(index) = record.u32(6) {
                    add(column, XlsValue::Shared(index));
                }
            }
            biff::LABEL | biff::RSTRING => add(column, XlsValue::Text(record.text(6))),
            biff::NUMBER => {
                if let (Some(style), Some(n)) = (record.u16(4), record.f64(6)) {
                    add(column, self.number(n, style));
                }
            }
            biff::RK => {
                if let (Some(style), Some(rk)) = (record.u16(4), record.u32(6)) {
                    add(column, self.number(biff::rk(rk), style));
                }
            }
            biff::MUL_RK => {
                for (n, at) in (4..record.data.len().saturating_sub(2)).step_by(6).enumerate() {
                    if let (Some(style), Some(rk)) = (record.u16(at), record.u32(at + 2)) {
                        add(column.saturating_add(n as u16), self.number(biff::rk(rk), style));
                    }
                }
            }
            biff::BOOL_ERR => {
                if let (Some(code), Some(is_error)) = (record.u8(6), record.u8(7)) {
                    let is_bool = is_error == 0;
                    add(column, if is_bool { XlsValue::Bool(code != 0) } else { XlsValue::Error(code) });
                }
            }
            biff::FORMULA => {
                let value = self.formula_value(record);
                if matches!(value, XlsValue::Awaited) {
                    *awaits_text = Some(sheet.cells.len());
                }
                sheet.cells.push(XlsCell { row, column, formula: true, value });
            }
            biff::STRING => {
                if let Some(cell) = awaits_text.take().and_then(|at| sheet.cells.get_mut(at)) {
                    cell.value = XlsValue::Text(record.text(0));
                }
            }
            biff::ROW if record.u16(12).is_some_and(|flags| flags & 0x20 != 0) => {
                sheet.hidden_rows.insert(row);
            }
            biff::COL_INFO if record.u16(8).is_some_and(|flags| flags & 1 != 0) => {
                sheet.hidden_columns.extend((usize::from(row)..=usize::from(column)).take(256));
            }
            biff::MERGE_CELLS => sheet.merged += u64::from(row),
            biff::HLINK => {
                if let (Some(first), Some(last)) = (record.u16(4), record.u16(6))
                    && sheet.links.len() < 100_000
                {
                    sheet.links.push((row, column, first, last));
                }
            }
            _ => {}
        }
    }

    fn number(&self, value: f64, style: u16) -> XlsValue {
        let format = self.globals.styles.get(usize::from(style)).copied().unwrap_or(0);
        let code = self.globals.formats.get(&format).map(String::as_str);
        match biff::date_kind(format, code) {
            Some(kind) => XlsValue::Date(value, kind),
            None => XlsValue::Number(value),
        }
    }

    fn formula_value(&self, record: &BiffRecord<'_>) -> XlsValue {
        if record.u16(12) != Some(0xffff) {
            return match (record.u16(4), record.f64(6)) {
                (Some(style), Some(n)) => self.number(n, style),
                _ => XlsValue::Awaited,
            };
        }
        let code = record.u8(8).unwrap_or(0);
        match record.u8(6) {
            Some(1) => XlsValue::Bool(code != 0),
            Some(2) => XlsValue::Error(code),
            Some(3) => XlsValue::Text(String::new()),
            _ => XlsValue::Awaited,
        }
    }

    fn text_of<'a>(&'a self, cell: &'a XlsCell) -> (Cow<'a, str>, u8) {
        let (text, facts) = match &cell.value {
            // Not copied: every cell may share one long text.
            XlsValue::Shared(index) => {
                (self.globals.strings.get(*index as usize).map_or("", String::as_str).into(), 0)
            }
            XlsValue::Text(text) => (text.into(), 0),
            XlsValue::Number(n) => (number(*n).into(), fact::NUMBER),
            XlsValue::Date(n, kind) => {
                (super::date(&ExcelDateTime::new(*n, *kind, self.globals.is_1904)).into(), fact::DATE)
            }
            XlsValue::Bool(b) => (if *b { "TRUE" } else { "FALSE" }.into(), fact::BOOL),
            XlsValue::Error(code) => (biff::error_text(*code).into(), fact::ERROR),
            // A formula without the text record that should follow.
            XlsValue::Awaited => return ("".into(), fact::NO_VALUE),
        };
        (text, if cell.formula { facts | fact::FORMULA } else { facts })
    }
}

#[derive(Default)]
struct XlsCells {
    cells: Vec<XlsCell>,
    hidden_rows: HashSet<u16>,
    hidden_columns: Vec<usize>,
    /// First row, last row, first column, last column.
    links: Vec<(u16, u16, u16, u16)>,
    merged: u64,
}

struct XlsCell {
    row: u16,
    column: u16,
    formula: bool,
    value: XlsValue,
}

enum XlsValue {
    Shared(u32),
    Text(String),
    Number(f64),
    Date(f64, ExcelDateTimeType),
    Bool(bool),
    Error(u8),
    Awaited,
}

pub(super) fn read(
    bytes: Bytes,
    context: &SheetContext<'_>,
    each: &mut dyn FnMut(Sheet),
) -> Result<(), IntakeProblem> {
    let book = Xls::open(bytes)?;
    context.opened()?;
    for at in &book.globals.sheets {
        let mut sheet = Sheet::new(at.name.clone(), at.hidden);
        let cells = book.cells(at.start, context)?;
        let links: HashSet<(u16, u16)> =
            cells.links.iter().filter(|l| l.0 == l.1 && l.2 == l.3).map(|l| (l.0, l.2)).collect();
        for cell in &cells.cells {
            let (text, mut facts) = book.text_of(cell);
            if links.contains(&(cell.row, cell.column)) {
                facts |= fact::LINK;
            }
            let at = (u32::from(cell.row), u32::from(cell.column));
            sheet.add(at, cells.hidden_rows.contains(&cell.row), &text, facts, context)?;
        }
        sheet.grid.hidden_columns = cells.hidden_columns;
        sheet.merged = cells.merged;
        if !cells.links.is_empty() {
            sheet.notes.push(ImportNote::CannotTell(tr_noop!(
                "lapel does not read link targets in .xls files. It uses the addresses shown in the cells."
            )));
        }
        each(sheet);
    }
    Ok(())
}

impl Globals {
    fn read(stream: &[u8]) -> Result<Self, IntakeProblem> {
        let mut globals = Self::default();
        for (n, record) in BiffRecords::new(stream).enumerate() {
            if n == 0 && (record.kind != biff::BOF || record.u16(0) != Some(0x0600)) {
                return Err(IntakeProblem::Unsupported { what: Localizable::of(OLDER) });
            }
            match record.kind {
                biff::FILE_PASS => return Err(IntakeProblem::PasswordProtected),
                biff::DATE_MODE => globals.is_1904 = record.u16(0) == Some(1),
                biff::FORMAT => {
                    if let Some(id) = record.u16(0) {
                        globals.formats.insert(id, record.text(2));
                    }
                }
                biff::XF => globals.styles.push(record.u16(2).unwrap_or(0)),
                biff::SST => globals.strings = record.strings(),
                biff::BOUND_SHEET => {
                    let (Some(start), Some(state), Some(kind)) = (record.u32(0), record.u8(4), record.u8(5))
                    else {
                        continue;
                    };
                    // Charts and macro sheets are not lists.
                    if kind == 0 {
                        let name = record.short_text(6);
                        globals.sheets.push(SheetAt { name, hidden: state & 3 != 0, start: start as usize });
                    }
                }
                biff::EOF => return Ok(globals),
                _ => {}
            }
        }
        Err(damaged(WHAT, localizable!("it is incomplete")))
    }
}

/// The stream of the compound file that contains the workbook.
fn workbook_stream(bytes: Bytes) -> Result<Vec<u8>, IntakeProblem> {
    let failed = |why: std::io::Error| damaged(WHAT, foreign(&why));
    let mut file = cfb::CompoundFile::open(bytes).map_err(failed)?;
    if file.exists("/EncryptedPackage") {
        return Err(IntakeProblem::PasswordProtected);
    }
    if !file.exists("/Workbook") {
        let what = if file.exists("/Book") {
            Localizable::of(OLDER)
        } else {
            localizable!("a non-spreadsheet Office document")
        };
        return Err(IntakeProblem::Unsupported { what });
    }
    let mut stream = Vec::new();
    let workbook = file.open_stream("/Workbook").map_err(failed)?;
    workbook.take(MAX_SHEET_BYTES).read_to_end(&mut stream).map_err(failed)?;
    Ok(stream)
}
