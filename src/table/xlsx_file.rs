//! A table as an Excel file. Every cell is text, so that nothing is calculated and no id loses its zeros.
//!
//! Not with `rust_xlsxwriter` (0.102): on a full disk its constant memory mode panics (`XML_WRITE_ERROR`). It also
//! writes every row twice, first uncompressed into a temporary file. Here the sheets go into the archive as the rows
//! arrive, a full disk is a normal error, and an oversized sheet continues on the next one.

use super::cell::visible;
use super::notes::ChangedCell;
use super::{TableRow, Written};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;
use unicode_width::UnicodeWidthStr;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

pub(super) const MAX_COLUMNS: usize = 16_384;

#[derive(Clone, Copy, Debug)]
pub struct SheetLimits {
    /// Including the header.
    pub rows: u64,
    /// Before compression. Beyond 4 GB, the archive would need another format.
    pub bytes: u64,
    /// UTF-16 units.
    pub units: usize,
}

impl SheetLimits {
    pub const EXCEL: Self = Self { rows: 1_048_576, bytes: 1 << 30, units: 32_767 };
}

/// Maximum rows, and bytes of them, that determine the column widths.
const SAMPLE: (usize, usize) = (100, 1 << 20);

pub(super) struct XlsxFile<W: Write> {
    zip: ZipWriter<StreamWriter<Tap<W>>>,
    trouble: SharedIoError,
    room: SheetLimits,
    /// The first lines of the current sheet before it is begun: their XML, and the column widths so far.
    sample: Option<Sample>,
    head: Vec<String>,
    sheets: u64,
    rows: u64,
    bytes: u64,
    line: String,
}

#[derive(Default)]
struct Sample {
    xml: String,
    rows: usize,
    widths: Vec<usize>,
}

impl<W: Write> XlsxFile<W> {
    pub fn new(to: W, room: SheetLimits) -> Self {
        let trouble = SharedIoError::default();
        let tap = Tap { out: BufWriter::new(to), trouble: trouble.clone() };
        Self {
            zip: ZipWriter::new_stream(tap),
            trouble,
            room,
            sample: Some(Sample::default()),
            head: Vec::new(),
            sheets: 0,
            rows: 0,
            bytes: 0,
            line: String::new(),
        }
    }

    /// The first row is the header, which every sheet repeats.
    pub fn row(&mut self, row: &TableRow<'_>, written: &mut Written) -> io::Result<()> {
        if row.is_head {
            self.head = row.cells.to_vec();
        } else if self.rows >= self.room.rows || self.bytes >= self.room.bytes {
            self.end_sheet()?;
            self.sample = Some(Sample::default());
            (self.rows, self.bytes) = (0, 0);
            let head = std::mem::take(&mut self.head);
            // Remarks about the header were recorded the first time.
            self.put(&TableRow::head(&head), &mut Written::default())?;
            self.head = head;
        }
        self.put(row, written)
    }

    fn put(&mut self, row: &TableRow<'_>, written: &mut Written) -> io::Result<()> {
        self.rows += 1;
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        // Writing to a `String` cannot fail.
        let _ = write!(line, "<row r=\"{}\">", self.rows);
        let style = if row.is_head { BOLD } else { TEXT };
        for (at, raw) in row.cells().enumerate() {
            let (text, marked) = visible(raw);
            let (text, cut) = cut(&text, self.room.units);
            let place = |chars| ChangedCell { row: row.number, column: row.column(at), chars };
            if !marked.is_empty() {
                written.marked.add(|| place(marked));
            }
            if cut {
                written.cut.add(|| place(Vec::new()));
            }
            if !text.is_empty() {
                push_cell(&mut line, at, self.rows, style, &text);
            }
            if let Some(sample) = &mut self.sample {
                sample.see(at, &text);
            }
        }
        line.push_str("</row>\n");
        self.bytes += line.len() as u64;
        let done = match &mut self.sample {
            Some(sample) => {
                sample.rows += 1;
                sample.xml.push_str(&line);
                if sample.rows >= SAMPLE.0 || sample.xml.len() >= SAMPLE.1 {
                    self.begin_sheet()
                } else {
                    Ok(())
                }
            }
            None => self.zip.write_all(line.as_bytes()),
        };
        self.line = line;
        done?;
        self.trouble.check()
    }

    fn begin_sheet(&mut self) -> io::Result<()> {
        let Some(sample) = self.sample.take() else { return Ok(()) };
        self.sheets += 1;
        self.zip.start_file(format!("xl/worksheets/sheet{}.xml", self.sheets), packed())?;
        let mut start =
            format!("{DECLARATION}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView workbookViewId=\"0\">");
        start.push_str("<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>");
        start.push_str("</sheetView></sheetViews>");
        push_widths(&mut start, &sample.widths);
        start.push_str("<sheetData>\n");
        self.zip.write_all(start.as_bytes())?;
        self.zip.write_all(sample.xml.as_bytes())
    }

    fn end_sheet(&mut self) -> io::Result<()> {
        self.begin_sheet()?;
        self.zip.write_all(SHEET_END.as_bytes())
    }

    /// `facts` go on an extra sheet of this name after the rows. A line is a name with a value, or a heading.
    pub fn finish(mut self, facts: Option<(&str, &[(String, String)])>) -> io::Result<()> {
        self.end_sheet()?;
        let mut names: Vec<String> = match self.sheets {
            1 => vec!["rows".to_owned()],
            many => (1..=many).map(|at| format!("rows {at}")).collect(),
        };
        if let Some((name, facts)) = facts {
            names.push(name.to_owned());
            let sheet = facts_sheet(facts, self.room.units);
            self.part(&format!("xl/worksheets/sheet{}.xml", names.len()), &sheet)?;
        }
        self.part("xl/workbook.xml", &workbook(&names))?;
        self.part("xl/_rels/workbook.xml.rels", &relations(names.len()))?;
        self.part("xl/styles.xml", STYLES)?;
        self.part("_rels/.rels", ROOT)?;
        self.part("[Content_Types].xml", &types(names.len()))?;
        let mut out = self.zip.finish()?.into_inner();
        out.flush()?;
        self.trouble.check()
    }

    fn part(&mut self, name: &str, content: &str) -> io::Result<()> {
        self.zip.start_file(name, packed())?;
        self.zip.write_all(content.as_bytes())
    }
}

impl Sample {
    fn see(&mut self, column: usize, text: &str) {
        if self.widths.len() <= column {
            self.widths.resize(column + 1, 0);
        }
        let width = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        if let Some(widest) = self.widths.get_mut(column) {
            *widest = width.max(*widest);
        }
    }
}

/// The fixed date (1980) makes the same rows give the same file.
fn packed() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
}

fn cut(text: &str, units: usize) -> (Cow<'_, str>, bool) {
    // A character never has more UTF-16 units than bytes.
    if text.len() <= units || text.encode_utf16().count() <= units {
        return (Cow::Borrowed(text), false);
    }
    let tail = format!("… [cut: {} characters in all]", text.chars().count());
    let room = units.saturating_sub(tail.encode_utf16().count());
    let mut used = 0;
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            used += c.len_utf16();
            used <= room
        })
        .collect();
    kept.push_str(&tail);
    (Cow::Owned(kept), true)
}

fn push_cell(line: &mut String, column: usize, row: u64, style: &str, text: &str) {
    let _ = write!(line, "<c r=\"{}{row}\" s=\"{style}\" t=\"inlineStr\">", letters(column));
    line.push_str("<is><t xml:space=\"preserve\">");
    push_text(line, text);
    line.push_str("</t></is></c>");
}

/// Excel reads `_x000D_` as the character with this number, so this text is escaped, too.
fn push_text(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let instead = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            // An XML reader turns CR LF into one line feed, which is Excel's line break in a cell.
            b'\r' => "",
            b'_' if is_number_of_a_character(text.as_bytes().get(at..at + 7)) => "_x005F_",
            _ => continue,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(instead);
        from = at + 1;
    }
    out.push_str(text.get(from..).unwrap_or_default());
}

fn is_number_of_a_character(bytes: Option<&[u8]>) -> bool {
    matches!(bytes, Some([b'_', b'x', digits @ .., b'_']) if digits.iter().all(u8::is_ascii_hexdigit))
}

/// A, B, … Z, AA, …
pub(crate) fn letters(column: usize) -> String {
    let mut name = Vec::new();
    let mut left = column + 1;
    while left > 0 {
        left -= 1;
        name.push(char::from(b'A' + (left % 26) as u8));
        left /= 26;
    }
    name.iter().rev().collect()
}

fn push_widths(out: &mut String, widths: &[usize]) {
    if widths.is_empty() {
        return;
    }
    out.push_str("<cols>");
    for (at, width) in widths.iter().enumerate() {
        let (column, width) = (at + 1, width.clamp(&6, &48) + 3);
        let _ = write!(out, "<col min=\"{column}\" max=\"{column}\" width=\"{width}\" customWidth=\"1\"/>");
    }
    out.push_str("</cols>");
}

fn facts_sheet(facts: &[(String, String)], units: usize) -> String {
    let mut sheet = format!("{DECLARATION}<worksheet xmlns=\"{MAIN}\">");
    sheet.push_str("<cols><col min=\"1\" max=\"1\" width=\"28\" customWidth=\"1\"/>");
    sheet.push_str("<col min=\"2\" max=\"2\" width=\"60\" customWidth=\"1\"/></cols><sheetData>\n");
    for ((name, fact), row) in facts.iter().zip(1..) {
        let _ = write!(sheet, "<row r=\"{row}\">");
        let style = if fact.is_empty() { BOLD } else { TEXT };
        for (at, (text, style)) in [(name, style), (fact, TEXT)].into_iter().enumerate() {
            let text = visible(text).0;
            if !text.is_empty() {
                push_cell(&mut sheet, at, row, style, &cut(&text, units).0);
            }
        }
        sheet.push_str("</row>\n");
    }
    sheet.push_str(SHEET_END);
    sheet
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const PART: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// Indexes in [`STYLES`]. Excel's text format `@` keeps edited text a text.
const TEXT: &str = "1";
const BOLD: &str = "2";

/// Hides Excel's green corners: numbers as text are intended.
const SHEET_END: &str = "</sheetData><ignoredErrors><ignoredError sqref=\"A1:XFD1048576\" \
    numberStoredAsText=\"1\"/></ignoredErrors></worksheet>";

const ROOT: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
    <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/\
    officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>";

const STYLES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
    <fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>\
    <font><b/><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts>\
    <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
    <fill><patternFill patternType=\"gray125\"/></fill></fills>\
    <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
    <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
    <cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
    <xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>\
    <xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" \
    applyFont=\"1\"/></cellXfs>\
    <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>";

fn workbook(names: &[String]) -> String {
    let mut out = format!("{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>");
    for (name, at) in names.iter().zip(1..) {
        let _ = write!(out, "<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>");
    }
    out + "</sheets></workbook>"
}

fn relations(sheets: usize) -> String {
    let mut out = format!("{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">");
    for at in 1..=sheets {
        let target = format!("worksheets/sheet{at}.xml");
        let _ = write!(out, "<Relationship Id=\"rId{at}\" Type=\"{OFFICE}/worksheet\" Target=\"{target}\"/>");
    }
    let last = sheets + 1;
    let _ = write!(out, "<Relationship Id=\"rId{last}\" Type=\"{OFFICE}/styles\" Target=\"styles.xml\"/>");
    out + "</Relationships>"
}

fn types(sheets: usize) -> String {
    let mut out = format!("{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\">");
    let _ = write!(
        out,
        "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"{PART}.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"{PART}.styles+xml\"/>"
    );
    for at in 1..=sheets {
        let name = format!("/xl/worksheets/sheet{at}.xml");
        let _ = write!(out, "<Override PartName=\"{name}\" ContentType=\"{PART}.worksheet+xml\"/>");
    }
    out + "</Types>"
}

#[derive(Clone, Default)]
struct SharedIoError(Rc<RefCell<Option<io::Error>>>);

impl SharedIoError {
    fn check(&self) -> io::Result<()> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// After an error it accepts and drops all further bytes: the archive writer would otherwise try to
/// finish the archive and print its failure to the terminal.
struct Tap<W: Write> {
    out: BufWriter<W>,
    trouble: SharedIoError,
}

impl<W: Write> Tap<W> {
    fn or_nowhere(&mut self, done: io::Result<()>) {
        if let Err(why) = done {
            self.trouble.0.borrow_mut().get_or_insert(why);
        }
    }
}

impl<W: Write> Write for Tap<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write_all(bytes);
        self.or_nowhere(done);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.or_nowhere(done);
        Ok(())
    }
}
