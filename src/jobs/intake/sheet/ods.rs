//! Reads ODS spreadsheets (`.ods`).
//!
//! A general reader expands a row that is repeated a million times, and does not report hidden rows.

use super::archive::{attribute, elements, part};
use super::grid::{MAX_CELLS, fact, number};
use super::{Bytes, Sheet, SheetContext, archive, damaged, foreign};
use crate::jobs::intake::{IntakeProblem, MAX_COLUMNS, MAX_ROW_BYTES, MAX_ROWS, MAX_UNPACKED_BYTES};
use crate::jobs::prelude::*;
use quick_xml::events::{BytesStart, Event};
use std::io::BufRead;

const WHAT: &str = tr_noop!("an OpenDocument spreadsheet");

pub(super) fn read(
    bytes: &Bytes,
    context: &SheetContext<'_>,
    each: &mut dyn FnMut(Sheet),
) -> Result<(), IntakeProblem> {
    context.opened()?;
    let mut zip = archive::open(bytes)?;
    if is_encrypted(&mut zip) {
        return Err(IntakeProblem::PasswordProtected);
    }
    let xml =
        part(&mut zip, "content.xml").ok_or_else(|| damaged(WHAT, localizable!("it has no content")))?;
    OdsReader { xml, buffer: Vec::new(), hidden_styles: HashSet::new(), given: 0, context }.run(each)
}

#[derive(Clone, Default)]
struct OdsCell {
    text: String,
    facts: u8,
    link: Option<String>,
}

impl OdsCell {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.facts & (fact::NO_VALUE | fact::FORMULA) == 0
    }
}

struct OdsReader<'a, R: BufRead> {
    xml: quick_xml::Reader<R>,
    buffer: Vec<u8>,
    hidden_styles: HashSet<String>,
    /// Number of cells so far. A few bytes can repeat a row a million times.
    given: usize,
    context: &'a SheetContext<'a>,
}

impl<R: BufRead> OdsReader<'_, R> {
    fn next(&mut self) -> Result<Event<'static>, IntakeProblem> {
        self.buffer.clear();
        match self.xml.read_event_into(&mut self.buffer) {
            Ok(event) => Ok(event.into_owned()),
            Err(e) => Err(damaged(WHAT, foreign(&e))),
        }
    }

    fn run(&mut self, each: &mut dyn FnMut(Sheet)) -> Result<(), IntakeProblem> {
        let mut style = None;
        loop {
            match self.next()? {
                Event::Start(e) => match e.name().as_ref() {
                    "style:style" => style = attribute(&e, "name"),
                    "style:table-properties" if attribute(&e, "display").as_deref() == Some("false") => {
                        self.hidden_styles.extend(style.take());
                    }
                    "table:table" => {
                        let hidden =
                            attribute(&e, "style-name").is_some_and(|s| self.hidden_styles.contains(&s));
                        let mut sheet = Sheet::new(attribute(&e, "name").unwrap_or_default(), hidden);
                        self.table(&mut sheet)?;
                        each(sheet);
                    }
                    _ => {}
                },
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn table(&mut self, sheet: &mut Sheet) -> Result<(), IntakeProblem> {
        let mut hidden_columns = Vec::new();
        let (mut row, mut column) = (0_u64, 0_usize);
        loop {
            match self.next()? {
                Event::Start(e) => match e.name().as_ref() {
                    "table:table-column" => {
                        let many = repeated(&e, "number-columns-repeated").min(MAX_COLUMNS as u64) as usize;
                        if is_collapsed(&e) {
                            hidden_columns.extend(column..(column + many).min(MAX_COLUMNS));
                        }
                        column = (column + many).min(MAX_COLUMNS);
                    }
                    "table:table-row" => {
                        self.context.unless_cancelled()?;
                        let many = repeated(&e, "number-rows-repeated");
                        let hidden = is_collapsed(&e);
                        let cells = self.row(row + 1, sheet)?;
                        if cells.is_empty() {
                            row = row.saturating_add(many);
                            continue;
                        }
                        // Before anything is repeated: a few bytes can stand for a million rows.
                        let most_rows = MAX_ROWS.saturating_sub(row);
                        let most_of_cells = (MAX_CELLS.saturating_sub(self.given) / cells.len()) as u64;
                        if many > most_rows.min(most_of_cells) {
                            return Err(if most_rows <= most_of_cells {
                                IntakeProblem::TooManyRows
                            } else {
                                let what = localizable!("an unpacked spreadsheet");
                                IntakeProblem::TooBig { what, limit: MAX_UNPACKED_BYTES }
                            });
                        }
                        self.given += cells.len() * many as usize;
                        for _ in 0..many {
                            for (column, cell) in &cells {
                                let at = (row as u32, *column as u32);
                                if let Some(target) = &cell.link {
                                    sheet.link(at, &cell.text, target);
                                }
                                sheet.add(at, hidden, &cell.text, cell.facts, self.context)?;
                            }
                            row += 1;
                        }
                    }
                    _ => {}
                },
                Event::End(e) if e.name().as_ref() == "table:table" => {
                    sheet.grid.hidden_columns = hidden_columns;
                    return Ok(());
                }
                Event::Eof => return Err(damaged(WHAT, localizable!("it is incomplete"))),
                _ => {}
            }
        }
    }

    fn row(&mut self, line: u64, sheet: &mut Sheet) -> Result<Vec<(usize, OdsCell)>, IntakeProblem> {
        let mut cells = Vec::new();
        let mut bytes = 0;
        let mut column = 0_usize;
        loop {
            match self.next()? {
                Event::Start(e) => match e.name().as_ref() {
                    // A covered cell is under a merged one. Its content is not visible.
                    "table:covered-table-cell" => {
                        let many = repeated(&e, "number-columns-repeated");
                        self.cell(&e, "table:covered-table-cell")?;
                        column = column.saturating_add(many as usize);
                    }
                    "table:table-cell" => {
                        let many = repeated(&e, "number-columns-repeated");
                        let spans = |name| attribute(&e, name).is_some_and(|n| n != "1");
                        if spans("number-columns-spanned") || spans("number-rows-spanned") {
                            sheet.merged += 1;
                        }
                        let cell = self.cell(&e, "table:table-cell")?;
                        if cell.is_empty() {
                            column = column.saturating_add(many as usize);
                            continue;
                        }
                        bytes += cell.text.len() * many.min(MAX_COLUMNS as u64) as usize;
                        if bytes > MAX_ROW_BYTES {
                            return Err(IntakeProblem::RowTooLong { line });
                        }
                        for _ in 0..many {
                            if column >= MAX_COLUMNS {
                                return Err(damaged(WHAT, localizable!("a row is too wide")));
                            }
                            cells.push((column, cell.clone()));
                            column += 1;
                        }
                    }
                    _ => {}
                },
                Event::End(e) if e.name().as_ref() == "table:table-row" => return Ok(cells),
                Event::Eof => return Err(damaged(WHAT, localizable!("it is incomplete"))),
                _ => {}
            }
        }
    }

    fn cell(&mut self, start: &BytesStart<'_>, name: &str) -> Result<OdsCell, IntakeProblem> {
        let mut cell = self.content(name)?;
        let kind = attribute(start, "value-type").unwrap_or_default();
        let value = |name| attribute(start, name);
        if let Some(link) = &cell.link {
            cell.facts |= if link.is_empty() { 0 } else { fact::LINK };
        }
        match kind.as_str() {
            "float" | "currency" | "percentage" => {
                if let Some(n) = value("value").and_then(|v| v.parse().ok()) {
                    cell.text = number(n);
                }
                cell.facts |= fact::NUMBER;
            }
            "date" | "time" => {
                let exact = value("date-value").or_else(|| value("time-value"));
                cell.text = exact.unwrap_or(cell.text);
                cell.facts |= fact::DATE;
            }
            "boolean" => {
                cell.text = value("boolean-value").unwrap_or(cell.text).to_uppercase();
                cell.facts |= fact::BOOL;
            }
            "string" if cell.text.is_empty() => cell.text = value("string-value").unwrap_or_default(),
            _ => {}
        }
        let is_error = start.attributes_raw().contains("calcext:value-type=\"error\"");
        if is_error {
            cell.facts |= fact::ERROR;
        }
        if value("formula").is_some() {
            cell.facts |=
                if kind.is_empty() && cell.text.is_empty() { fact::NO_VALUE } else { fact::FORMULA };
        }
        Ok(cell)
    }

    /// The text of a cell: its paragraphs, without comments.
    fn content(&mut self, name: &str) -> Result<OdsCell, IntakeProblem> {
        let mut cell = OdsCell::default();
        let (mut paragraphs, mut in_text, mut apart) = (0, 0_usize, 0_usize);
        loop {
            match self.next()? {
                Event::Start(e) => match e.name().as_ref() {
                    "office:annotation" | "draw:frame" | "draw:custom-shape" | "table:table" => apart += 1,
                    _ if apart > 0 => {}
                    "text:p" => {
                        if paragraphs > 0 {
                            cell.text.push('\n');
                        }
                        paragraphs += 1;
                        in_text += 1;
                    }
                    "text:s" => {
                        let many = repeated(&e, "c").min(100);
                        (0..many).for_each(|_| cell.text.push(' '));
                    }
                    "text:tab" => cell.text.push('\t'),
                    "text:line-break" => cell.text.push('\n'),
                    "text:a" => cell.link = attribute(&e, "href"),
                    _ => {}
                },
                Event::Text(text) if apart == 0 && in_text > 0 => cell.text.push_str(&text.xml10_content()),
                Event::CData(text) if apart == 0 && in_text > 0 => cell.text.push_str(&text.xml10_content()),
                Event::GeneralRef(reference) if apart == 0 && in_text > 0 => {
                    if let Ok(Some(c)) = reference.resolve_char_ref() {
                        cell.text.push(c);
                    } else if let Some(text) = quick_xml::escape::resolve_predefined_entity(&reference) {
                        cell.text.push_str(text);
                    }
                }
                Event::End(e) => match e.name().as_ref() {
                    "office:annotation" | "draw:frame" | "draw:custom-shape" | "table:table" => {
                        apart = apart.saturating_sub(1);
                    }
                    "text:p" if apart == 0 => in_text = in_text.saturating_sub(1),
                    end if apart == 0 && end == name => return Ok(cell),
                    _ => {}
                },
                Event::Eof => return Err(damaged(WHAT, localizable!("it is incomplete"))),
                _ => {}
            }
        }
    }
}

fn repeated(element: &BytesStart<'_>, name: &str) -> u64 {
    attribute(element, name).and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn is_collapsed(element: &BytesStart<'_>) -> bool {
    matches!(attribute(element, "visibility").as_deref(), Some("collapse" | "filter"))
}

fn is_encrypted(zip: &mut zip::ZipArchive<Bytes>) -> bool {
    let Some(mut xml) = part(zip, "META-INF/manifest.xml") else { return false };
    let mut found = false;
    let _ = elements(&mut xml, |e| {
        found = e.local_name().as_ref() == "encryption-data";
        (!found).then_some(())
    });
    found
}
