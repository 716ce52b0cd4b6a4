//! Splits text into rows and cells.
//!
//! A CSV crate does not give all that lapel needs: the physical line where each row starts (with mixed CR, LF
//! and CRLF), blank lines, a maximum row length, and the position of a quotation mark that is never closed.

use super::{IntakeProblem, MAX_COLUMNS, MAX_ROW_BYTES};
use crate::jobs::coded::named;
use crate::jobs::prelude::*;
use std::collections::VecDeque;
use std::str::FromStr;

named! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    Delimiter {
        Comma = tr_noop!("comma");
        Tab = tr_noop!("tab");
        Semicolon = tr_noop!("semicolon");
        Pipe = tr_noop!("pipe");
    }
}

impl Delimiter {
    /// The most likely first.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Tab, Self::Semicolon, Self::Pipe];

    pub const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Tab => b'\t',
            Self::Semicolon => b';',
            Self::Pipe => b'|',
        }
    }
}

impl FromStr for Delimiter {
    type Err = Localizable;

    /// A name, or the character itself.
    fn from_str(typed: &str) -> Result<Self, Localizable> {
        let found = Self::ALL.into_iter().find(|d| {
            typed.eq_ignore_ascii_case(d.name())
                || typed.as_bytes() == [d.byte()]
                || (typed == "\\t" && *d == Self::Tab)
        });
        found.ok_or_else(|| {
            let typed = crate::domain::text::scrub(typed);
            localizable!("\"{typed}\" is not a delimiter. Use comma, tab, semicolon or pipe.", typed)
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// The physical line in which it starts, from 1.
    pub line: u64,
    /// A blank line has one empty cell.
    pub cells: Vec<String>,
    /// Indexes of cells with text outside their quotation marks.
    pub stray_quotes: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitState {
    /// The cell is empty so far.
    Start,
    /// In an unquoted cell, or after its quoted part.
    Plain,
    Quoted,
    /// After a quotation mark in a quoted part: the end, or the first half of an escaped one.
    Closing,
}

/// Holds one row, and the rows of the last piece until they are taken.
pub(super) struct Splitter {
    delimiter: u8,
    state: SplitState,
    cell: Vec<u8>,
    row: Split,
    row_bytes: usize,
    line: u64,
    quote_line: u64,
    after_cr: bool,
    begun: bool,
    done: VecDeque<Split>,
}

impl Splitter {
    pub fn new(delimiter: Delimiter) -> Self {
        Self {
            delimiter: delimiter.byte(),
            state: SplitState::Start,
            cell: Vec::new(),
            row: Split { line: 1, ..Split::default() },
            row_bytes: 0,
            line: 1,
            quote_line: 1,
            after_cr: false,
            begun: false,
            done: VecDeque::new(),
        }
    }

    pub fn take(&mut self) -> Option<Split> {
        self.done.pop_front()
    }

    pub fn push(&mut self, piece: &str) -> Result<(), IntakeProblem> {
        let mut rest = piece.as_bytes();
        while let Some((&byte, behind)) = rest.split_first() {
            let text = self.text(rest);
            if text == 0 {
                self.byte(byte)?;
                rest = behind;
            } else {
                self.cell.extend_from_slice(&rest[..text]);
                self.row_bytes += text;
                self.after_cr = false;
                rest = &rest[text..];
            }
        }
        Ok(())
    }

    /// Number of bytes at the beginning that are text of the current cell and change nothing else.
    fn text(&self, bytes: &[u8]) -> usize {
        let ends = |byte: &u8| match self.state {
            SplitState::Plain => *byte == self.delimiter || matches!(byte, b'\n' | b'\r'),
            SplitState::Quoted => matches!(byte, b'"' | b'\n' | b'\r'),
            SplitState::Start | SplitState::Closing => true,
        };
        let at_most = bytes.len().min(MAX_ROW_BYTES.saturating_sub(self.row_bytes));
        bytes[..at_most].iter().position(ends).unwrap_or(at_most)
    }

    /// Ends the text. The last row needs no line break.
    pub fn finish(&mut self) -> Result<(), IntakeProblem> {
        if self.state == SplitState::Quoted {
            return Err(IntakeProblem::UnclosedQuote { line: self.quote_line });
        }
        if self.begun {
            self.end_row()?;
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), IntakeProblem> {
        let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
        if byte == b'\n' && after_cr {
            // The second half of a line break that was already counted.
            if self.state == SplitState::Quoted {
                self.cell.push(byte);
            } else {
                self.row.line = self.line;
            }
            return Ok(());
        }
        self.row_bytes += 1;
        if self.row_bytes > MAX_ROW_BYTES {
            return Err(match self.state {
                SplitState::Quoted => IntakeProblem::UnclosedQuote { line: self.quote_line },
                _ => IntakeProblem::RowTooLong { line: self.row.line },
            });
        }
        let is_break = matches!(byte, b'\n' | b'\r');
        if is_break {
            self.line += 1;
        }
        self.begun = true;
        match self.state {
            SplitState::Quoted if byte == b'"' => self.state = SplitState::Closing,
            SplitState::Quoted => self.cell.push(byte),
            SplitState::Closing if byte == b'"' => {
                self.cell.push(byte);
                self.state = SplitState::Quoted;
            }
            SplitState::Start if byte == b'"' => {
                self.quote_line = self.line;
                self.state = SplitState::Quoted;
            }
            _ if byte == self.delimiter => self.end_cell()?,
            _ if is_break => self.end_row()?,
            SplitState::Closing => {
                self.row.stray_quotes.push(self.row.cells.len());
                self.cell.push(byte);
                self.state = SplitState::Plain;
            }
            SplitState::Start | SplitState::Plain => {
                self.cell.push(byte);
                self.state = SplitState::Plain;
            }
        }
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), IntakeProblem> {
        if self.row.cells.len() >= MAX_COLUMNS {
            return Err(IntakeProblem::TooManyColumns { line: self.row.line });
        }
        // The bytes are UTF-8, since the text was cut only at ASCII characters.
        self.row.cells.push(String::from_utf8_lossy(&self.cell).into_owned());
        self.cell.clear();
        self.state = SplitState::Start;
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), IntakeProblem> {
        self.end_cell()?;
        let cells = Vec::with_capacity(self.row.cells.len());
        let next = Split { line: self.line, cells, ..Split::default() };
        self.done.push_back(std::mem::replace(&mut self.row, next));
        self.row_bytes = 0;
        self.begun = false;
        Ok(())
    }
}

/// Splits a whole text, or its beginning. Then the last, incomplete row is left out.
pub(super) fn split(text: &str, whole: bool, delimiter: Delimiter) -> Result<Vec<Split>, IntakeProblem> {
    let mut splitter = Splitter::new(delimiter);
    splitter.push(text)?;
    if whole {
        splitter.finish()?;
    }
    Ok(std::iter::from_fn(|| splitter.take()).collect())
}

/// Chooses the most regular table; comma if none is.
pub(super) fn sniff(text: &str, whole: bool) -> Delimiter {
    let mut best = (0, Delimiter::Comma);
    for delimiter in Delimiter::ALL {
        let Ok(rows) = split(text, whole, delimiter) else { continue };
        let score = regularity(&rows);
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// Rows (in thousandths) with the most common number of cells, if that is more than one. A cell that is an
/// e-mail address counts extra, since commas may be regular inside text.
fn regularity(rows: &[Split]) -> usize {
    let rows: Vec<&Split> =
        rows.iter().filter(|r| r.cells.iter().any(|c| !c.trim().is_empty())).take(100).collect();
    let mut counts = vec![0_usize; MAX_COLUMNS + 1];
    for row in &rows {
        if let Some(count) = counts.get_mut(row.cells.len()) {
            *count += 1;
        }
    }
    let columns = counts.iter().enumerate().skip(2);
    let most = columns.max_by_key(|(n, count)| (**count, std::cmp::Reverse(*n)));
    let Some((_, same)) = most.filter(|(_, same)| **same > 0) else { return 0 };
    let addresses = rows
        .iter()
        .filter(|r| r.cells.len() > 1 && r.cells.iter().any(|c| super::cell_text::is_address_like(c)))
        .count();
    let titles = rows.iter().take(30).map(|r| super::header::fields_named(&r.cells)).max().unwrap_or(0);
    (same * 1000 + addresses * 500) / rows.len().max(1) + titles * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u64, Vec<String>)> {
        split(text, true, Delimiter::Comma)
            .expect("can be split")
            .into_iter()
            .map(|r| (r.line, r.cells))
            .collect()
    }

    fn row(line: u64, cells: &[&str]) -> (u64, Vec<String>) {
        (line, cells.iter().map(|c| (*c).to_owned()).collect())
    }

    #[test]
    fn quoted_cells_keep_commas_breaks_and_quotation_marks() {
        assert_eq!(
            rows("\"Kim, Minsu\",\"a\"\"b\"\r\n\"two\r\nlines\",x\ny"),
            [row(1, &["Kim, Minsu", "a\"b"]), row(2, &["two\r\nlines", "x"]), row(4, &["y"])]
        );
    }

    #[test]
    fn every_kind_of_line_break_ends_a_row_and_blank_lines_stay() {
        assert_eq!(
            rows("a\r\rb\n\nc\r\n\r\nd"),
            [
                row(1, &["a"]),
                row(2, &[""]),
                row(3, &["b"]),
                row(4, &[""]),
                row(5, &["c"]),
                row(6, &[""]),
                row(7, &["d"])
            ]
        );
        assert_eq!(rows(""), []);
        assert_eq!(rows("a\n"), [row(1, &["a"])]);
        assert_eq!(rows("a,\n,"), [row(1, &["a", ""]), row(2, &["", ""])]);
        assert_eq!(rows("\"\""), [row(1, &[""])]);
    }

    #[test]
    fn pieces_do_not_matter() {
        let text = "\"가,\r\n나\"\"\",b\r\n\r\n다";
        let mut splitter = Splitter::new(Delimiter::Comma);
        for c in text.chars() {
            splitter.push(c.encode_utf8(&mut [0; 4])).expect("can be split");
        }
        splitter.finish().expect("closed");
        let taken: Vec<Split> = std::iter::from_fn(|| splitter.take()).collect();
        assert_eq!(taken, split(text, true, Delimiter::Comma).expect("can be split"));
    }

    #[test]
    fn a_quotation_mark_that_is_never_closed_is_named() {
        let long = format!("a\n\"{}", "x\n".repeat(MAX_ROW_BYTES));
        for (text, whole) in [("a\nb,\"c\nd\n", true), (&long, false)] {
            let why = split(text, whole, Delimiter::Comma).expect_err("it is never closed");
            assert!(matches!(why, IntakeProblem::UnclosedQuote { line: 2 }), "{why:?}");
        }
    }

    #[test]
    fn a_row_has_a_longest_length_and_a_largest_width() {
        let why = |text: &str| split(text, true, Delimiter::Comma).expect_err("refused");
        let long = why(&"x".repeat(MAX_ROW_BYTES + 1));
        assert!(matches!(long, IntakeProblem::RowTooLong { line: 1 }), "{long:?}");
        let wide = why(&format!("a\n{}", ",".repeat(MAX_COLUMNS)));
        assert!(matches!(wide, IntakeProblem::TooManyColumns { line: 2 }), "{wide:?}");
    }

    #[test]
    fn quotation_marks_inside_a_cell_are_text_and_text_behind_them_is_noted() {
        let found = split("O\"Neil,\"Kim\" Minsu\n", true, Delimiter::Comma).expect("can be split");
        assert_eq!(found[0].cells, ["O\"Neil", "Kim Minsu"]);
        assert_eq!(found[0].stray_quotes, [1]);
    }

    #[test]
    fn the_delimiter_is_found_by_regularity() {
        for (text, delimiter) in [
            ("이름,이메일\n홍길동,hong@x.example\n", Delimiter::Comma),
            ("이름\t이메일\n홍길동\thong@x.example\n", Delimiter::Tab),
            ("이름;이메일\nKim, Minsu;kim@x.example\nLee, Ann;lee@x.example\n", Delimiter::Semicolon),
            ("name|email\nKim, Minsu|kim@x.example\n", Delimiter::Pipe),
            (
                "수료자 명단\n\nname;email;memo\nKim;kim@x.example;a, b, c\nLee;lee@x.example;d, e, f\n",
                Delimiter::Semicolon,
            ),
            ("only\none\ncolumn\n", Delimiter::Comma),
        ] {
            assert_eq!(sniff(text, true), delimiter, "{text}");
        }
    }

    #[test]
    fn delimiters_are_known_by_name_and_character() {
        assert_eq!("tab".parse(), Ok(Delimiter::Tab));
        assert_eq!(";".parse(), Ok(Delimiter::Semicolon));
        assert_eq!("\\t".parse(), Ok(Delimiter::Tab));
        assert!(":".parse::<Delimiter>().is_err());
    }
}
