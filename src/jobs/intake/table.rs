//! An opened source with its detected format.

use super::about::{About, FileQuestion, ImportNote, InputFormat, MapState};
use super::cell_text::is_blank;
use super::column_guess::{ColumnContent, ColumnGuess};
use super::detect_encoding::{self, Detected};
use super::header::{self, HeaderPosition, TableContent};
use super::origin::{OpenedSource, fill, name_of};
use super::row::RawRow;
use super::sheet::{self, Book, FileType, Grid};
use super::split::{self, Split};
use super::text::{self, TextRows};
use super::{
    Choices, ColumnMap, Delimiter, HeaderRow, ImportSource, IntakeError, IntakeProblem, MAX_PASTED_BYTES,
    MAX_SHEET_BYTES, MAX_TEXT_BYTES, ReadProgress, TextEncoding, pasted,
};
use crate::jobs::prelude::*;

/// Bytes of a text that are used to detect delimiter, header and columns.
const SAMPLE_BYTES: usize = 256 * 1024;
/// Rows of a text or sheet that are used to detect header and columns.
const SAMPLE_ROWS: usize = 200;
/// The columns of pasted lines.
const PASTED_WIDTH: usize = 2;

/// [`InputTable::rows`] reads a text file again, and fails at the end if it has changed. A spreadsheet's sheet is
/// held in a compact form of limited size.
#[derive(Debug)]
pub struct InputTable {
    shape: TableShape,
    body: TableBody,
}

#[derive(Debug)]
enum TableBody {
    Text {
        origin: OpenedSource,
        encoding: TextEncoding,
        delimiter: Delimiter,
        sample: Vec<Split>,
    },
    Grid(Grid),
    /// Pasted lines: a name and an address each.
    Lines(Vec<Split>),
}

impl InputTable {
    /// Reads a text file once from start to end, or a spreadsheet's sheet into memory. `choices` override the
    /// detection. `remembered` returns the columns that a person confirmed earlier for a header's signature.
    /// Fails if the source cannot be read at all. An open question is not an error: see
    /// [`About::needs_answer`].
    pub fn open(
        source: &ImportSource,
        choices: &Choices,
        remembered: &dyn Fn(&str) -> Option<ColumnMap>,
        watch: &dyn ReadProgress,
    ) -> Result<Self, IntakeError> {
        Self::open_for(TableContent::Recipients, source, choices, remembered, watch)
    }

    pub(super) fn open_for(
        wanted: TableContent,
        source: &ImportSource,
        choices: &Choices,
        remembered: &dyn Fn(&str) -> Option<ColumnMap>,
        watch: &dyn ReadProgress,
    ) -> Result<Self, IntakeError> {
        let opened = OpenedSource::of(source)
            .and_then(|origin| open_source(source, &Opening { origin, wanted, choices, remembered, watch }));
        opened.map_err(|why| why.of(&name_of(source)))
    }

    pub fn about(&self) -> &About {
        &self.shape.about
    }

    /// Of a text, only rows within the sample.
    pub fn preview(&self, rows: usize) -> Vec<RawRow> {
        self.held().take(rows).map(|row| row.without(self.shape.left_out)).collect()
    }

    /// The rows in memory: of a text, its sample.
    fn held(&self) -> Box<dyn Iterator<Item = RawRow> + Send + '_> {
        match &self.body {
            TableBody::Grid(grid) => Box::new(grid.rows(self.shape.skip_to, self.shape.width)),
            TableBody::Text { sample: rows, .. } | TableBody::Lines(rows) => {
                Box::new(raw_rows(rows, self.shape.skip_to, self.shape.width))
            }
        }
    }

    /// In order, including blank lines and totals. A text is streamed. The caller shows the progress
    /// ([`InputRows::bytes_read`]) and may stop at any row.
    /// Fails with [`IntakeProblem::Unanswered`] while [`About::needs_answer`] is not empty, and all errors of reading.
    pub fn rows(&self) -> Result<InputRows<'_>, IntakeError> {
        let open = self.shape.about.needs_answer();
        self.rows_unless(&open)
    }

    /// The rows, unless one of these questions is open. For callers that need other columns.
    pub(super) fn rows_unless(&self, open: &[FileQuestion]) -> Result<InputRows<'_>, IntakeError> {
        if let Some(question) = open.first() {
            let question = question.localizable();
            return Err(IntakeProblem::Unanswered { question }.of(&self.shape.about.name));
        }
        let inner = match &self.body {
            TableBody::Text { origin, encoding, delimiter, .. } => {
                let TableShape { about, skip_to, width, .. } = &self.shape;
                let shape = (*skip_to, *width);
                let rows = TextRows::open(origin, *encoding, *delimiter, about.sha256.clone(), shape);
                RowSource::Text(Box::new(rows.map_err(|why| why.of(&about.name))?))
            }
            TableBody::Grid(_) | TableBody::Lines(_) => RowSource::Held(self.held()),
        };
        Ok(InputRows { inner, about: &self.shape.about, left_out: self.shape.left_out, failed: false })
    }
}

/// The rows after a line.
fn raw_rows(all: &[Split], skip_to: u64, width: usize) -> impl Iterator<Item = RawRow> {
    let data = all.iter().filter(move |split| split.line > skip_to);
    data.zip(1..).map(move |(split, record)| text::raw_row(split.clone(), record, width))
}

/// Ends after an error.
pub struct InputRows<'a> {
    inner: RowSource<'a>,
    about: &'a About,
    left_out: Option<usize>,
    failed: bool,
}

enum RowSource<'a> {
    Text(Box<TextRows>),
    /// In memory.
    Held(Box<dyn Iterator<Item = RawRow> + Send + 'a>),
}

impl InputRows<'_> {
    /// Bytes read from the source, for progress. For a source in memory, all bytes.
    pub fn bytes_read(&self) -> u64 {
        match &self.inner {
            RowSource::Text(rows) => rows.bytes_read(),
            RowSource::Held(_) => self.about.bytes,
        }
    }
}

impl Iterator for InputRows<'_> {
    type Item = Result<RawRow, IntakeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = match &mut self.inner {
            RowSource::Text(rows) => rows.next().map_err(|why| why.of(&self.about.name)).transpose(),
            RowSource::Held(rows) => rows.next().map(Ok),
        };
        self.failed = matches!(next, Some(Err(_)));
        next.map(|row| row.map(|row| row.without(self.left_out)))
    }
}

struct Opening<'a> {
    origin: OpenedSource,
    wanted: TableContent,
    choices: &'a Choices,
    remembered: &'a dyn Fn(&str) -> Option<ColumnMap>,
    watch: &'a dyn ReadProgress,
}

fn open_source(source: &ImportSource, asked: &Opening<'_>) -> Result<InputTable, IntakeProblem> {
    if let ImportSource::Pasted(_) = source {
        return open_pasted(asked);
    }
    let mut first = vec![0; 4096];
    let length = fill(&mut *asked.origin.open()?, &mut first)?;
    match sheet::kind_of(&first[..length]) {
        FileType::Text => open_text(asked),
        FileType::Zip | FileType::Ole => open_sheet(asked),
        FileType::Other(what) => Err(IntakeProblem::Unsupported { what }),
    }
}

fn open_text(asked: &Opening<'_>) -> Result<InputTable, IntakeProblem> {
    let origin = &asked.origin;
    origin.at_most(MAX_TEXT_BYTES, tr_noop!("a text file"))?;
    let has_name_of_sheet = matches!(origin.ending.as_str(), "xlsx" | "xlsm" | "xls" | "ods");
    let detected = detect_encoding::detect(origin, asked.choices.encoding, MAX_TEXT_BYTES, asked.watch);
    let detected = detected.map_err(|why| match why {
        IntakeProblem::NulBytes { .. } if has_name_of_sheet => IntakeProblem::NotSpreadsheet,
        why => why,
    })?;
    let mut table = open_as_text(asked, detected)?;
    if has_name_of_sheet {
        table.shape.about.notes.push(ImportNote::NotWhatItsNameSays {
            ending: Text::new(origin.ending.clone()),
            format: InputFormat::Csv,
        });
    }
    Ok(table)
}

fn open_as_text(asked: &Opening<'_>, detected: Detected) -> Result<InputTable, IntakeProblem> {
    let origin = &asked.origin;
    let encoding = detected.guess.encoding;
    let (sample, whole) = text::beginning(origin, encoding, SAMPLE_BYTES)?;
    let delimiter = asked.choices.delimiter.unwrap_or_else(|| split::sniff(&sample, whole));
    let sample = split::split(&sample, whole, delimiter)?;
    let filled = sample.iter().filter(|s| s.cells.iter().any(|c| !is_blank(c)));
    let sampled: Vec<(u64, &[String])> =
        filled.take(SAMPLE_ROWS).map(|s| (s.line, s.cells.as_slice())).collect();
    if whole && sampled.is_empty() {
        return Err(IntakeProblem::Empty);
    }
    let about = unread(origin, detected.sha256, detected.bytes, InputFormat::Csv);
    let about = About { encoding: Some(detected.guess), delimiter: Some(delimiter), ..about };
    let shape = TableShape::of(&sampled, asked, about)?;
    let body = TableBody::Text { origin: origin.clone(), encoding, delimiter, sample };
    Ok(InputTable { shape, body })
}

/// Cells copied with their header are a table. In other text, each line is one recipient.
fn open_pasted(asked: &Opening<'_>) -> Result<InputTable, IntakeProblem> {
    let origin = &asked.origin;
    let detected = detect_encoding::detect(origin, Some(TextEncoding::Utf8), MAX_PASTED_BYTES, asked.watch)?;
    let (all, whole) = text::beginning(origin, TextEncoding::Utf8, usize::MAX)?;
    let end = (0..=SAMPLE_BYTES.min(all.len())).rev().find(|at| all.is_char_boundary(*at)).unwrap_or(0);
    let start = &all[..end];
    let delimiter =
        asked.choices.delimiter.unwrap_or_else(|| split::sniff(start, whole && start.len() == all.len()));
    let has_header = split::split(start, true, delimiter).is_ok_and(|rows| {
        let rows: Vec<&[String]> = rows.iter().map(|s| s.cells.as_slice()).take(header::SEARCHED).collect();
        match asked.wanted {
            TableContent::Recipients => rows.iter().any(|r| header::fields_named(r) == 2),
            TableContent::BadgeIds => true,
        }
    });
    if has_header || asked.choices.columns.is_some() {
        let mut table = open_as_text(asked, detected)?;
        table.shape.about.format = InputFormat::Pasted;
        table.shape.about.encoding = None;
        return Ok(table);
    }
    let rows = pasted::people(&all);
    if rows.iter().all(|s| s.cells.iter().all(|c| is_blank(c))) {
        return Err(IntakeProblem::Empty);
    }
    let map = ColumnMap { name: super::NameColumns::One(0), email: 1, template: None };
    let sample: Vec<&[String]> = rows.iter().take(SAMPLE_ROWS).map(|s| s.cells.as_slice()).collect();
    let about = About {
        header: Some(HeaderRow::Absent),
        columns: header::column_names(None, PASTED_WIDTH),
        content: ColumnContent::of(&sample, PASTED_WIDTH),
        guess: ColumnGuess::from(&map),
        signature: "pasted lines".to_owned(),
        map: MapState::Found(map),
        ..unread(origin, detected.sha256, detected.bytes, InputFormat::Pasted)
    };
    let shape = TableShape { about, skip_to: 0, width: PASTED_WIDTH, left_out: None };
    Ok(InputTable { shape, body: TableBody::Lines(rows) })
}

fn open_sheet(asked: &Opening<'_>) -> Result<InputTable, IntakeProblem> {
    let origin = &asked.origin;
    let bytes = origin.whole(MAX_SHEET_BYTES, tr_noop!("a spreadsheet"))?;
    let digest = ring::digest::digest(&ring::digest::SHA256, &bytes);
    let sha256 = super::origin::hex(digest.as_ref());
    let Book { format, sheets, sheet, grid, mut notes } = sheet::open(bytes, asked.choices, asked.watch)?;
    if !endings_of(format).contains(&origin.ending.as_str()) {
        notes.push(ImportNote::NotWhatItsNameSays { ending: Text::new(origin.ending.clone()), format });
    }
    let is_filled = |r: &RawRow| r.cells.iter().any(|c| !is_blank(c));
    let sampled: Vec<RawRow> = grid.rows(0, 0).filter(is_filled).take(SAMPLE_ROWS).collect();
    if sheet.is_some() && sampled.is_empty() {
        return Err(IntakeProblem::Empty);
    }
    let sampled: Vec<(u64, &[String])> = sampled.iter().map(|r| (r.line, r.cells.as_slice())).collect();
    let about = About { sheets, sheet, ..unread(origin, sha256, origin.bytes, format) };
    // Without a selected sheet, the columns are unknown.
    let mut shape = if about.sheet.is_some() {
        TableShape::of(&sampled, asked, about)?
    } else {
        TableShape { about, skip_to: 0, width: 0, left_out: None }
    };
    notes.append(&mut shape.about.notes);
    shape.about.notes = notes;
    Ok(InputTable { shape, body: TableBody::Grid(grid) })
}

fn endings_of(format: InputFormat) -> &'static [&'static str] {
    match format {
        InputFormat::Xlsx => &["xlsx", "xlsm", "xltx", "xltm"],
        InputFormat::Xls => &["xls", "xlt"],
        InputFormat::Ods => &["ods", "ots"],
        InputFormat::Csv | InputFormat::Pasted => &[],
    }
}

/// What is known of a source before its columns are.
fn unread(origin: &OpenedSource, sha256: String, bytes: u64, format: InputFormat) -> About {
    About {
        name: origin.name.clone(),
        sha256,
        bytes,
        format,
        encoding: None,
        delimiter: None,
        sheets: Vec::new(),
        sheet: None,
        header: None,
        columns: Vec::new(),
        content: Vec::new(),
        guess: ColumnGuess::default(),
        signature: String::new(),
        map: MapState::Asked { name: None, email: None, template: None, questions: Vec::new() },
        notes: Vec::new(),
    }
}

#[derive(Debug)]
struct TableShape {
    about: About,
    /// Rows up to and including this line are not data.
    skip_to: u64,
    /// Number of columns of the header, with the column that is left out.
    width: usize,
    /// The column that rows are without: the reasons of a redo file.
    left_out: Option<usize>,
}

impl TableShape {
    fn of<'a>(
        rows: &[(u64, &'a [String])],
        asked: &Opening<'_>,
        about: About,
    ) -> Result<Self, IntakeProblem> {
        let filled: Vec<(u64, &[String])> = rows
            .iter()
            .map(|(line, cells)| (*line, without_blank_end(cells)))
            .filter(|(_, c)| !c.is_empty())
            .collect();
        let mut notes = Vec::new();
        let cells: Vec<&[String]> = filled.iter().map(|(_, c)| *c).collect();
        let at = match asked.choices.header {
            Some(HeaderRow::Absent) => HeaderPosition::Absent,
            Some(HeaderRow::At(row)) => match filled.iter().position(|(line, _)| *line == row) {
                Some(at) => HeaderPosition::At(at),
                None => return Err(IntakeProblem::HeaderNotFound { row }),
            },
            None => header::find(&cells, asked.wanted),
        };
        let row = |at: usize| filled[at].0;
        let (above, index) = match at {
            HeaderPosition::At(at) => (at, Some(at)),
            HeaderPosition::Second(first, second) => {
                notes.push(ImportNote::TwoHeaderRows { first: row(first), second: row(second) });
                (first, Some(second))
            }
            HeaderPosition::Absent => {
                notes.push(ImportNote::NoHeader);
                (0, None)
            }
            HeaderPosition::Unknown => (0, None),
        };
        let no_header = (at == HeaderPosition::Absent).then_some(HeaderRow::Absent);
        let header_row = index.map(|at| HeaderRow::At(row(at))).or(no_header);
        if above > 0 {
            notes.push(ImportNote::RowsAboveHeader(above as u64));
        }
        let header = index.and_then(|at| cells.get(at)).copied();
        let left_out = header.and_then(header::reason_column);
        let kept = |cells: &'a [String]| left_out.and_then(|at| cells.get(..at)).unwrap_or(cells);
        let (header, cells): (_, Vec<_>) = (header.map(kept), cells.into_iter().map(kept).collect());
        let widest = cells.iter().map(|cells| cells.len()).max().unwrap_or(0);
        let data = index.map_or(cells.as_slice(), |at| cells.get(at + 1..).unwrap_or_default());
        let signature = header::signature(header, widest);
        let mut content = ColumnContent::of(data, widest);
        let (map, guess) = Self::map(header, &content, widest, &signature, asked)?;
        if let Some(column) = map.map().and_then(|m| m.template) {
            notes.push(ImportNote::TemplateColumn(column));
        }
        let header_width = header.map_or(widest, <[String]>::len);
        let width = map.map().map_or(header_width, |m| header_width.max(m.last() + 1));
        let columns = header::column_names(header, width);
        content.resize(columns.len(), ColumnContent::default());
        let skip_to = index.map_or(0, row);
        let about = About { header: header_row, columns, content, guess, signature, map, notes, ..about };
        Ok(Self { about, skip_to, width: width + usize::from(left_out.is_some()), left_out })
    }

    fn map(
        header: Option<&[String]>,
        content: &[ColumnContent],
        widest: usize,
        signature: &str,
        asked: &Opening<'_>,
    ) -> Result<(MapState, ColumnGuess), IntakeProblem> {
        if let Some(chosen) = &asked.choices.columns {
            if chosen.last() >= widest {
                let column = chosen.last().saturating_add(1);
                return Err(IntakeProblem::ColumnNotFound { column, columns: widest });
            }
            return Ok((MapState::Chosen(chosen.clone()), ColumnGuess::from(chosen)));
        }
        if let Some(map) = header.and_then(|_| (asked.remembered)(signature)).filter(|m| m.last() < widest) {
            let guess = ColumnGuess::from(&map);
            return Ok((MapState::Remembered(map), guess));
        }
        Ok(header::map(header, content))
    }
}

fn without_blank_end(cells: &[String]) -> &[String] {
    let end = cells.iter().rposition(|c| !is_blank(c)).map_or(0, |at| at + 1);
    &cells[..end]
}
