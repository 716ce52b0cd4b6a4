//! Model terminals for tests. They support the sequences of frames, and three ways of counting cells.

use std::collections::BTreeMap;
use std::fmt::Write;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// A cluster is as wide as its first letter, or as its emoji.
    Clusters,
    /// Code points, as the C library counts them: spacing marks after a letter take a cell.
    CodePoints,
    /// Code points, with one cell for each joiner and selector, and two for each character of ambiguous
    /// width.
    Odd,
}

pub const ALL: [Widths; 3] = [Widths::Clusters, Widths::CodePoints, Widths::Odd];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum CellSlot {
    #[default]
    Blank,
    Head(String),
    /// The second cell of a wide character.
    Tail,
}

/// The parameters of a style that differ from the plain one, by what they set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Style(BTreeMap<&'static str, String>);

impl Style {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, parameters: &str) {
        let mut rest = parameters.split(';');
        while let Some(code) = rest.next() {
            let colour = match code {
                "38" | "39" => "foreground",
                "48" | "49" => "background",
                "58" | "59" => "underline",
                _ => "",
            };
            match code {
                "" | "0" => self.0.clear(),
                "38" | "48" | "58" => {
                    let numbers = if rest.next() == Some("5") { 1 } else { 3 };
                    let value: Vec<&str> = rest.by_ref().take(numbers).collect();
                    self.0.insert(colour, value.join(";"));
                }
                "39" | "49" | "59" => {
                    self.0.remove(colour);
                }
                "1" => self.set("bold"),
                "2" => self.set("dim"),
                "3" => self.set("italic"),
                "4" => self.set("underlined"),
                "7" => self.set("reversed"),
                "9" => self.set("crossed out"),
                "22" => self.0.retain(|name, _| !["bold", "dim"].contains(name)),
                "24" => drop(self.0.remove("underlined")),
                "27" => drop(self.0.remove("reversed")),
                other => panic!("{other} of {parameters} is no part of a frame"),
            }
        }
    }

    /// What can be seen of it in a cell.
    fn seen(&self, slot: &CellSlot) -> Self {
        let is_seen = |name: &&str| matches!(*name, "background" | "reversed" | "underlined" | "crossed out");
        if *slot != CellSlot::Blank || self.0.keys().any(|name| is_seen(name) && *name != "background") {
            return self.clone();
        }
        Self(
            self.0
                .iter()
                .filter(|(name, _)| is_seen(name))
                .map(|(name, value)| (*name, value.clone()))
                .collect(),
        )
    }

    fn set(&mut self, name: &'static str) {
        self.0.insert(name, String::new());
    }
}

/// A terminal without automatic line breaks.
#[derive(Clone, Debug)]
pub struct Model {
    widths: Widths,
    columns: usize,
    cells: Vec<CellSlot>,
    styles: Vec<Style>,
    style: Style,
    at: (usize, usize),
}

impl Model {
    pub fn new(widths: Widths, columns: u16, rows: u16) -> Self {
        let count = usize::from(columns) * usize::from(rows);
        Self {
            widths,
            columns: usize::from(columns),
            cells: vec![CellSlot::Blank; count],
            styles: vec![Style::default(); count],
            style: Style::default(),
            at: (0, 0),
        }
    }

    pub fn after(widths: Widths, columns: u16, rows: u16, bytes: &[u8]) -> Self {
        let mut model = Self::new(widths, columns, rows);
        model.take(bytes);
        model
    }

    /// Panics on sequences that frames do not use.
    pub fn take(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("text");
        let mut parts = text.split('\x1b');
        self.print(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c: char| c.is_ascii_alphabetic()).expect("a whole sequence");
            let (sequence, rest) = part.split_at(end + 1);
            let (inner, kind) = sequence.strip_prefix('[').expect("a sequence").split_at(end - 1);
            match kind {
                "H" => {
                    // The first column may be left out.
                    let (row, column) = inner.split_once(';').unwrap_or((inner, "1"));
                    let number = |n: &str| n.parse::<usize>().expect("a number") - 1;
                    self.at = (number(column).min(self.columns - 1), number(row));
                }
                "C" => {
                    let right: usize = if inner.is_empty() { 1 } else { inner.parse().expect("a number") };
                    self.at.0 = (self.at.0 + right).min(self.columns - 1);
                }
                "G" => self.at.0 = (inner.parse::<usize>().expect("a number") - 1).min(self.columns - 1),
                "K" => self.erase(self.columns - self.at.0),
                "X" => self.erase(inner.parse().expect("a number")),
                "m" => self.style.take(inner),
                "J" => {
                    self.cells.fill(CellSlot::Blank);
                    self.styles.fill(Style::default());
                }
                "l" | "h" => {}
                other => panic!("{inner}{other} is no part of a frame"),
            }
            self.print(rest);
        }
    }

    fn print(&mut self, text: &str) {
        for grapheme in text.graphemes(true) {
            if self.widths == Widths::Clusters {
                let first = grapheme.chars().next().and_then(UnicodeWidthChar::width).unwrap_or(0);
                let is_picture = grapheme.chars().any(|c| c == '\u{fe0f}');
                self.put(grapheme, if is_picture { grapheme.width().min(2) } else { first });
            } else {
                for c in grapheme.chars() {
                    self.put(c.encode_utf8(&mut [0; 4]), self.width(c));
                }
            }
        }
    }

    fn width(&self, c: char) -> usize {
        match (self.widths, c) {
            (Widths::Odd, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}') => 1,
            (Widths::Odd, c) if c > '\u{a0}' => c.width_cjk().unwrap_or(0),
            // Marks of Tamil, Bengali and other scripts. The library counts them as a part of the letter.
            (_, '\u{bbe}' | '\u{bd7}' | '\u{9be}' | '\u{9d7}' | '\u{d3e}' | '\u{dcf}') => 1,
            (_, c) if is_combining_mark(c) => c.width().unwrap_or(0).min(1),
            (_, c) => c.width().unwrap_or(0),
        }
    }

    fn place(&self, x: usize) -> usize {
        self.at.1 * self.columns + x
    }

    fn put(&mut self, text: &str, wide: usize) {
        if wide == 0 {
            // It joins the letter before the cursor.
            let mut x = self.at.0.saturating_sub(1);
            while x > 0 && self.cells[self.place(x)] == CellSlot::Tail {
                x -= 1;
            }
            let place = self.place(x);
            match &mut self.cells[place] {
                CellSlot::Head(head) => head.push_str(text),
                slot => *slot = CellSlot::Head(format!(" {text}")),
            }
            return;
        }
        // In the last column the cursor stays.
        let x = self.at.0.min(self.columns - wide);
        for at in x..x + wide {
            self.break_up(at);
        }
        for at in x..x + wide {
            let place = self.place(at);
            self.cells[place] = match at {
                _ if at > x => CellSlot::Tail,
                _ if text == " " => CellSlot::Blank,
                _ => CellSlot::Head(text.to_owned()),
            };
            self.styles[place].clone_from(&self.style);
        }
        self.at.0 = (x + wide).min(self.columns);
    }

    fn erase(&mut self, count: usize) {
        assert!(self.style.is_empty(), "only plain cells are erased");
        let (from, to) = (self.at.0, self.at.0 + count);
        self.break_up(from);
        self.break_up(to - 1);
        let places = self.place(from)..self.place(to);
        self.cells[places.clone()].fill(CellSlot::Blank);
        self.styles[places].fill(Style::default());
    }

    fn break_up(&mut self, at: usize) {
        let mut head = at;
        while head > 0 && self.cells[self.place(head)] == CellSlot::Tail {
            head -= 1;
        }
        let mut end = at + 1;
        while end < self.columns && self.cells[self.place(end)] == CellSlot::Tail {
            end += 1;
        }
        for x in head..end {
            let place = self.place(x);
            self.cells[place] = CellSlot::Blank;
        }
    }

    /// Whether both show the same text and styles. Ignores the cursor.
    pub fn shows(&self, other: &Self) -> bool {
        let styles = |model: &Self| -> Vec<Style> {
            model.styles.iter().zip(&model.cells).map(|(style, slot)| style.seen(slot)).collect()
        };
        self.cells == other.cells && styles(self) == styles(other)
    }

    /// A wide character counts as one, without its second cell.
    pub fn row(&self, row: u16) -> String {
        let from = usize::from(row) * self.columns;
        self.cells[from..from + self.columns]
            .iter()
            .map(|slot| match slot {
                CellSlot::Blank => " ",
                CellSlot::Head(text) => text,
                CellSlot::Tail => "",
            })
            .collect()
    }

    pub fn text_from(&self, row: u16, column: usize) -> String {
        let from = usize::from(row) * self.columns;
        let slots = &self.cells[from + column..from + self.columns];
        let text = slots.iter().map(|slot| match slot {
            CellSlot::Head(text) => text,
            CellSlot::Blank | CellSlot::Tail => " ",
        });
        text.collect::<String>().trim_end().to_owned()
    }

    pub fn text(&self) -> String {
        let rows = self.cells.len() / self.columns;
        let mut out = String::new();
        for row in 0..rows {
            let _ = writeln!(out, "{}", self.row(u16::try_from(row).unwrap_or(0)).trim_end());
        }
        out
    }
}

/// Names whose widths differ between terminals, and some whose widths do not.
pub const NAMES: [&str; 16] = [
    "காவ்யா சுந்தரம்",
    "Anna Schmidt",
    "நந்தினி கிருஷ்ணன்",
    "क्षमा शर्मा",
    "한서윤",
    "กำพล ศรีสุข",
    "علي حسن الأحمد",
    "🇰🇷 Flag 🇩🇪",
    "👩\u{200d}👧\u{200d}👦 Familie",
    "❤\u{fe0f} Herz 👍🏽 1\u{fe0f}\u{20e3}",
    "\u{1112}\u{1161}\u{11ab}\u{1109}\u{1165}\u{110b}\u{1172}\u{11ab}",
    "বাংলা দাস",
    "ශ්\u{200d}රී ලංකා",
    "رضا می\u{200c}نا",
    "José Müller Дмитрий",
    "e\u{301}lodie 𝒦 ｶﾞﾝﾀﾞﾑ",
];
