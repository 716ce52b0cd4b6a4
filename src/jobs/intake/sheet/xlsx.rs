//! Reads Excel workbooks (`.xlsx`, `.xlsm`).

use super::archive::{attribute, elements, part};
use super::grid::{fact, number};
use super::{Bytes, Sheet, SheetContext, archive, damaged, foreign};
use crate::jobs::intake::IntakeProblem;
use crate::jobs::intake::about::ImportNote;
use crate::jobs::prelude::*;
use crate::secrets::catching;
use calamine::{DataRef, Reader as _, SheetType, SheetVisible, XlsxError};
use std::borrow::Cow;

const WHAT: &str = tr_noop!("an Excel workbook");
/// Maximum number of links over several cells that are used. Usually there are none.
const WIDE_LINKS: usize = 1000;

struct Xlsx {
    bytes: Bytes,
    book: calamine::Xlsx<Bytes>,
}

impl Xlsx {
    fn open(bytes: Bytes, notes: &mut Vec<ImportNote>) -> Result<Self, IntakeProblem> {
        let is_macro = |name: &str| name.to_ascii_lowercase().ends_with("vbaproject.bin");
        if archive::open(&bytes)?.file_names().filter_map(Result::ok).any(|name| is_macro(&name)) {
            notes.push(ImportNote::MacroEnabled);
        }
        let copy = bytes.clone();
        let book = catching(|| calamine::Xlsx::new(copy))
            .ok_or_else(|| damaged(WHAT, localizable!("it cannot be read")))?;
        Ok(Self { bytes, book: book.map_err(|e| failed(&e))? })
    }

    fn path_of(&self, sheet: &str) -> Option<String> {
        let mut zip = archive::open(&self.bytes).ok()?;
        let mut id = None;
        elements(&mut part(&mut zip, "xl/workbook.xml")?, |e| {
            if e.local_name().as_ref() == "sheet" && attribute(e, "name").as_deref() == Some(sheet) {
                id = attribute(e, "id");
            }
            Some(())
        })?;
        let id = id?;
        let mut target = None;
        let _ = elements(&mut part(&mut zip, "xl/_rels/workbook.xml.rels")?, |e| {
            let is_it = e.local_name().as_ref() == "Relationship" && attribute(e, "Id").as_ref() == Some(&id);
            if is_it {
                target = attribute(e, "Target");
            }
            (!is_it).then_some(())
        });
        let target = target?;
        Some(target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned))
    }

    /// What the XML of a sheet says besides its cells, and whether it has links. To parse it once more takes as long as
    /// reading the cells, and most sheets have nothing of this.
    fn extras(&self, sheet: &str) -> Option<(SheetFlags, bool)> {
        let path = self.path_of(sheet)?;
        let mut zip = archive::open(&self.bytes).ok()?;
        let [has_flags, has_links] = archive::mentions(
            &mut zip,
            &path,
            [&["hidden", "ht=\"0", "ht='0", "mergeCell"], &["hyperlink"]],
        )?;
        let flags = if has_flags { SheetFlags::read(&mut zip, &path)? } else { SheetFlags::default() };
        Some((flags, has_links))
    }

    fn links(&mut self, sheet: &str) -> Links {
        let found = catching(|| self.book.hyperlinks_by_sheet_name(sheet));
        let mut links = Links::default();
        for link in found.and_then(Result::ok).unwrap_or_default() {
            let target = link.target.unwrap_or_default();
            if link.range.start == link.range.end {
                links.cells.insert(link.range.start, target);
            } else if links.wide.len() < WIDE_LINKS {
                links.wide.push((link.range, target));
            }
        }
        links
    }
}

pub(super) fn read(
    bytes: Bytes,
    context: &SheetContext<'_>,
    notes: &mut Vec<ImportNote>,
    each: &mut dyn FnMut(Sheet),
) -> Result<(), IntakeProblem> {
    let mut xlsx = Xlsx::open(bytes, notes)?;
    context.opened()?;
    let about: Vec<_> =
        xlsx.book.sheets_metadata().iter().filter(|s| s.typ == SheetType::WorkSheet).cloned().collect();
    for about in about {
        let mut sheet = Sheet::new(about.name, about.visible != SheetVisible::Visible);
        let (flags, has_links) = xlsx.extras(&sheet.name).unwrap_or_else(|| {
            sheet.notes.push(ImportNote::CannotTell(tr_noop!(
                "lapel could not read which rows and columns are hidden in this file."
            )));
            (SheetFlags::default(), true)
        });
        let links = if has_links { xlsx.links(&sheet.name) } else { Links::default() };
        let name = sheet.name.clone();
        each_cell(&mut xlsx.book, &name, context, &mut |at, text, mut facts| {
            if let Some(target) = links.of(at) {
                facts |= fact::LINK;
                sheet.link(at, text, target);
            }
            sheet.add(at, flags.hidden_rows.contains(&at.0), text, facts, context)
        })?;
        sheet.grid.hidden_columns = flags.hidden_columns;
        sheet.merged = flags.merged;
        each(sheet);
    }
    Ok(())
}

/// Receives a cell: its position (from 0), its text, and its [`fact`] bits.
type OnCell<'a> = dyn FnMut((u32, u32), &str, u8) -> Result<(), IntakeProblem> + 'a;

fn each_cell(
    book: &mut calamine::Xlsx<Bytes>,
    sheet: &str,
    context: &SheetContext<'_>,
    call: &mut OnCell<'_>,
) -> Result<(), IntakeProblem> {
    let read = || {
        let mut cells = match book.worksheet_cells_reader(sheet) {
            Ok(cells) => cells,
            // A chart or dialog sheet declared as a worksheet has no cells.
            Err(XlsxError::NotAWorksheet(_)) => return Ok(()),
            Err(e) => return Err(failed(&e)),
        };
        let mut count: u32 = 0;
        while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(|e| failed(&e))? {
            count = count.wrapping_add(1);
            if count.trailing_zeros() >= 12 {
                context.unless_cancelled()?;
            }
            let (text, mut facts) = text_of(&cell.value);
            if cell.formula.is_some() {
                facts |= if matches!(cell.value, DataRef::Empty) { fact::NO_VALUE } else { fact::FORMULA };
            }
            call(cell.pos, &text, facts)?;
        }
        Ok(())
    };
    catching(read).unwrap_or_else(|| Err(damaged(WHAT, localizable!("a sheet cannot be read"))))
}

fn text_of<'a>(value: &'a DataRef<'_>) -> (Cow<'a, str>, u8) {
    match value {
        DataRef::Empty => ("".into(), 0),
        DataRef::String(text) => (text.into(), 0),
        DataRef::SharedString(text) => ((*text).into(), 0),
        DataRef::Int(n) => (n.to_string().into(), fact::NUMBER),
        DataRef::Float(n) => (number(*n).into(), fact::NUMBER),
        DataRef::Bool(b) => (if *b { "TRUE" } else { "FALSE" }.into(), fact::BOOL),
        DataRef::DateTime(date) => (super::date(date).into(), fact::DATE),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => (text.into(), fact::DATE),
        DataRef::Error(e) => (e.to_string().into(), fact::ERROR),
    }
}

fn failed(error: &XlsxError) -> IntakeProblem {
    match error {
        XlsxError::Password => IntakeProblem::PasswordProtected,
        other => damaged(WHAT, foreign(other)),
    }
}

#[derive(Default)]
struct Links {
    cells: HashMap<(u32, u32), String>,
    wide: Vec<(calamine::Dimensions, String)>,
}

impl Links {
    fn of(&self, at: (u32, u32)) -> Option<&str> {
        let wide =
            || self.wide.iter().find(|(range, _)| range.contains(at.0, at.1)).map(|(_, target)| target);
        self.cells.get(&at).or_else(wide).map(String::as_str)
    }
}

#[derive(Default)]
struct SheetFlags {
    hidden_rows: HashSet<u32>,
    hidden_columns: Vec<usize>,
    merged: u64,
}

impl SheetFlags {
    fn read(zip: &mut zip::ZipArchive<Bytes>, path: &str) -> Option<Self> {
        let mut flags = Self::default();
        let mut row: u32 = 0;
        elements(&mut part(zip, path)?, |e| {
            match e.local_name().as_ref() {
                "row" => {
                    row = attribute(e, "r").and_then(|r| r.parse().ok()).unwrap_or(row.saturating_add(1));
                    let flat = attribute(e, "ht").is_some_and(|h| h.parse() == Ok(0.0));
                    if is_true(e, "hidden") || flat {
                        flags.hidden_rows.insert(row.saturating_sub(1));
                    }
                }
                "col" if is_true(e, "hidden") => {
                    let bound = |name| attribute(e, name).and_then(|n| n.parse::<usize>().ok());
                    let (from, to) = (bound("min")?.max(1), bound("max")?);
                    // "All columns to the right" is one hidden range.
                    let to = to.min(crate::jobs::intake::MAX_COLUMNS);
                    flags.hidden_columns.extend((from..=to).map(|c| c - 1));
                }
                "mergeCell" => flags.merged += 1,
                _ => {}
            }
            Some(())
        })?;
        Some(flags)
    }
}

fn is_true(element: &quick_xml::events::BytesStart<'_>, name: &str) -> bool {
    attribute(element, name).is_some_and(|v| v == "1" || v == "true")
}
