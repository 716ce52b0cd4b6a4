//! Shows frames without relying on character widths, on which terminals disagree.
//!
//! ratatui's terminal writes the cells that differ by its own widths. The canvas keeps the last frame, and writes only
//! changed cells.
//!
//! The widths of some clusters are uncertain (see [`cells`](crate::tui::platform::cells)). What follows such a cluster is
//! positioned by its column. A character of ambiguous width may cover the next cell, which is then written again. If a
//! row has another uncertain cluster, now or before, any change writes the whole row: the cells of the cluster are
//! blanked, and the cluster goes to the first of them.

use crate::tui::platform::cells::{cluster, is_one_or_two};
use crate::tui::prelude::*;
use crossterm::style::Colored;
use ratatui::backend::{Backend, IntoCrossterm, TestBackend};
use ratatui::buffer::{Cell, CellDiffOption};
use ratatui::layout::Size;
use ratatui::style::Color;
use std::io::{self, Write};
use std::ops::Range;

/// The terminal shows everything between these at once, if it knows them.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
/// More blanks than these are passed over, which takes fewer bytes than writing them.
const MOST_BLANKS: usize = 4;
const ERASE: &[u8] = b"\x1b[K";

/// A terminal that shows whole frames.
pub trait Surface {
    fn size(&self) -> io::Result<Size>;

    /// Shows a frame. Afterwards `frame` may hold an older one.
    fn show(&mut self, frame: &mut Buffer) -> io::Result<()>;

    /// The next frame is shown as a whole: something else may have been written to the terminal.
    fn forget(&mut self);
}

impl Surface for TestBackend {
    fn size(&self) -> io::Result<Size> {
        let Ok(size) = Backend::size(self);
        Ok(size)
    }

    fn show(&mut self, frame: &mut Buffer) -> io::Result<()> {
        let cells = frame.content.iter().zip(frame.area.positions());
        let Ok(()) = self.draw(cells.map(|(cell, at)| (at.x, at.y, cell)));
        Ok(())
    }

    fn forget(&mut self) {}
}

/// Writes each frame in one piece.
pub struct Canvas<W: Write> {
    out: W,
    /// `None`: use the terminal's own size.
    size: Option<Size>,
    /// The content of the terminal, if it is known.
    shown: Buffer,
    is_known: bool,
}

impl<W: Write> Canvas<W> {
    pub fn new(out: W) -> Self {
        Self { out, size: None, shown: Buffer::default(), is_known: false }
    }

    pub fn of_size(out: W, columns: u16, rows: u16) -> Self {
        Self { size: Some(Size::new(columns, rows)), ..Self::new(out) }
    }

    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes a row again after other output has covered it.
    pub fn restore(&mut self, row: u16) -> io::Result<()> {
        let mut pen = Pen::default();
        let cells = cells_of(&self.shown, row);
        if self.is_known && !cells.is_empty() {
            pen.row(row, cells, cells, &vec![true; cells.len()]);
        }
        self.write(pen)
    }

    fn write(&mut self, mut pen: Pen) -> io::Result<()> {
        pen.style(CellStyle::default(), false);
        if pen.bytes.is_empty() {
            return Ok(());
        }
        pen.bytes.splice(..0, BEGIN.iter().copied());
        pen.bytes.extend_from_slice(END);
        // After a partial write the screen's state is unknown.
        let known = std::mem::replace(&mut self.is_known, false);
        self.out.write_all(&pen.bytes)?;
        self.out.flush()?;
        self.is_known = known;
        Ok(())
    }
}

impl<W: Write> Surface for Canvas<W> {
    fn size(&self) -> io::Result<Size> {
        self.size.map_or_else(size_of_terminal, Ok)
    }

    fn forget(&mut self) {
        self.is_known = false;
    }

    fn show(&mut self, frame: &mut Buffer) -> io::Result<()> {
        let mut pen = Pen::default();
        if !self.is_known || self.shown.area != frame.area {
            pen.bytes.extend_from_slice(b"\x1b[?25l\x1b[m\x1b[2J");
            self.shown = Buffer::empty(frame.area);
        }
        for row in frame.area.rows() {
            let (old, new) = (cells_of(&self.shown, row.y), cells_of(frame, row.y));
            if let Some(first) = old.iter().zip(new).position(|(old, new)| old != new) {
                pen.row(row.y, old, new, &touched(old, new, first));
            }
        }
        std::mem::swap(&mut self.shown, frame);
        self.is_known = true;
        self.write(pen)
    }
}

/// The terminal library opens the terminal for it, twice for each frame.
fn size_of_terminal() -> io::Result<Size> {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Ok(Size::new(size.ws_col, size.ws_row));
    }
    crossterm::terminal::size().map(|(columns, rows)| Size::new(columns, rows))
}

fn cells_of(buffer: &Buffer, row: u16) -> &[Cell] {
    let columns = usize::from(buffer.area.width);
    let from = usize::from(row.saturating_sub(buffer.area.y)) * columns;
    buffer.content.get(from..from + columns).unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Certain,
    /// One cell in some terminals, two in others.
    OneOrTwo,
    Uncertain,
}

struct CellText<'a> {
    text: &'a str,
    cells: usize,
    width: Width,
}

impl<'a> CellText<'a> {
    /// The text at a column of a row. Text without enough free cells is not shown.
    fn at(cells: &'a [Cell], x: usize) -> Self {
        let text = cells[x].symbol();
        if let CellDiffOption::ForcedWidth(wide) = cells[x].diff_option {
            // A picture: its escape sequences move the cursor.
            let width = if text.contains('\x1b') { Width::Uncertain } else { Width::Certain };
            return Self { text, cells: usize::from(wide.get()), width };
        }
        if text.len() == 1 {
            return Self { text, cells: 1, width: Width::Certain };
        }
        let cluster = cluster(text);
        let is_free = |cell: &Cell| cell.symbol() == " " && cell.diff_option == CellDiffOption::None;
        let behind = cells.get(x + 1..x + cluster.cells.max(1));
        if cluster.cells == 0 || !behind.is_some_and(|cells| cells.iter().all(is_free)) {
            return Self { text: " ", cells: 1, width: Width::Certain };
        }
        let width = match cluster.is_certain() {
            true => Width::Certain,
            false if is_one_or_two(text) => Width::OneOrTwo,
            false => Width::Uncertain,
        };
        Self { text, cells: cluster.cells, width }
    }
}

/// Whether the terminal owns a cell because a picture covers it.
fn is_left(cell: &Cell) -> bool {
    cell.diff_option == CellDiffOption::Skip
}

fn is_same(one: &Cell, other: &Cell) -> bool {
    one == other
        || (one.symbol() == other.symbol()
            && one.diff_option == other.diff_option
            && CellStyle::of(one) == CellStyle::of(other))
}

fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " "
        && cell.diff_option == CellDiffOption::None
        && CellStyle::of(cell) == CellStyle::default()
}

/// The end of the touched cells from `x` whose widths are certain, and whether lapel should erase all of them before it
/// writes their text: it then passes over the blanks. From `blank` on, the row is blank.
fn erasable(cells: &[Cell], touched: &[bool], x: usize, blank: usize) -> (usize, bool) {
    let (mut at, mut gap, mut written, mut passed) = (x, 0, 0, 0);
    while at < cells.len() && touched[at] {
        if is_blank(&cells[at]) {
            (at, gap) = (at + 1, gap + 1);
            continue;
        }
        let held = CellText::at(cells, at);
        if held.width != Width::Certain || is_left(&cells[at]) || is_picture(&cells[at]) {
            break;
        }
        (written, passed) = (written + gap, passed + gap.min(MOVE + digits(gap)));
        (at, gap) = (at + held.cells.max(1), 0);
    }
    let erase = if at < blank { MOVE + digits(at - x) } else { ERASE.len() };
    // Nothing passes over the blanks at the end.
    (at, erase + passed < written + gap)
}

/// Bytes of a sequence with one number, without its digits.
const MOVE: usize = 3;

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |tens| tens as usize + 1)
}

/// A picture's sequence is long and is written once.
fn is_picture(cell: &Cell) -> bool {
    cell.symbol().contains('\x1b')
}

/// The cells of a row that must be written. Before the `first` one, nothing has changed.
fn touched(old: &[Cell], new: &[Cell], first: usize) -> Vec<bool> {
    /// Clusters that a terminal may delete as a whole if a part of them is written, and whether all widths are known
    /// well enough.
    fn wide(cells: &[Cell]) -> (Vec<Range<usize>>, bool) {
        let (mut wide, mut is_known, mut x) = (Vec::new(), true, 0);
        while x < cells.len() {
            let held = CellText::at(cells, x);
            is_known &= held.width != Width::Uncertain || is_picture(&cells[x]);
            if held.cells > 1 {
                wide.push(x..(x + held.cells).min(cells.len()));
            }
            x += held.cells.max(1);
        }
        (wide, is_known)
    }
    let ((before, was_known), (after, is_known)) = (wide(old), wide(new));
    if !was_known || !is_known {
        return old.iter().zip(new).map(|(old, new)| !is_same(old, new) || !is_picture(new)).collect();
    }
    let mut touched = vec![false; first];
    touched.extend(old.iter().zip(new).skip(first).map(|(old, new)| !is_same(old, new)));
    loop {
        let mut more = false;
        for range in before.iter().chain(&after) {
            if let Some(cells) = touched.get_mut(range.clone())
                && cells.iter().any(|touched| *touched)
                && !cells.iter().all(|touched| *touched)
            {
                cells.fill(true);
                more = true;
            }
        }
        // In the last column, such a character may move one column back.
        if let ([.., before], [.., after], [.., last_but_one, last]) = (old, new, &mut touched[..])
            && (is_one_or_two(before.symbol()) || is_one_or_two(after.symbol()))
            && *last_but_one != *last
        {
            (*last_but_one, *last) = (true, true);
            more = true;
        }
        // What a character of ambiguous width may cover is written after it. A line of equal ones is one piece.
        let first = touched.iter().position(|touched| *touched).unwrap_or(new.len());
        let (mut line, mut covered) = (first, 0);
        for x in first..new.len() {
            let is_wide = is_one_or_two(new[x].symbol());
            let goes_on = is_wide && x > 0 && new[x] == new[x - 1];
            line = if goes_on { line } else { x };
            if !touched[x] && x >= covered {
                continue;
            }
            more |= !std::mem::replace(&mut touched[x], true);
            if is_wide {
                covered = covered.max(x + 1 + (x + 1 - line));
                more |= goes_on && !std::mem::replace(&mut touched[x - 1], true);
            }
        }
        if !more {
            return touched;
        }
    }
}

/// Modifiers that change a blank cell.
const SEEN_ON_BLANKS: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl CellStyle {
    /// What can be seen of a cell's style.
    fn of(cell: &Cell) -> Self {
        if cell.symbol() == " " && !cell.modifier.intersects(SEEN_ON_BLANKS) {
            return Self { bg: cell.bg, ..Self::default() };
        }
        Self { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }

    /// Whether `other` lacks something of this style, which a reset would end.
    fn loses(self, other: Self) -> bool {
        let is_lost = |own: Color, other: Color| own != Color::Reset && other == Color::Reset;
        !other.modifier.contains(self.modifier)
            || is_lost(self.fg, other.fg)
            || is_lost(self.bg, other.bg)
            || is_lost(self.underline, other.underline)
    }

    /// Whether a blank of style `other` looks the same in this style.
    fn shows_blank(self, other: Self) -> bool {
        other == Self { bg: self.bg, ..Self::default() } && !self.modifier.intersects(SEEN_ON_BLANKS)
    }
}

struct Pen {
    bytes: Vec<u8>,
    /// The cursor's row, and its column if it is certain.
    at: Option<(Option<usize>, u16)>,
    /// The style of what is written next, if it is certain.
    cell_style: Option<CellStyle>,
}

impl Default for Pen {
    /// Every frame ends with the plain style.
    fn default() -> Self {
        Self { bytes: Vec::new(), at: None, cell_style: Some(CellStyle::default()) }
    }
}

impl Pen {
    fn row(&mut self, y: u16, old: &[Cell], new: &[Cell], touched: &[bool]) {
        // From here on, everything is plain and blank.
        let blank = new.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
        // Before these columns, the blanks are on the screen, and nothing else is worth erasing.
        let (mut erased, mut compared) = (0, 0);
        // A touched cluster is touched as a whole.
        let mut x = touched.iter().position(|touched| *touched).unwrap_or(new.len());
        let end = touched.iter().rposition(|touched| *touched).map_or(0, |last| last + 1);
        while x < end {
            if x < erased && is_blank(&new[x]) {
                x += 1;
                continue;
            }
            let held = CellText::at(new, x);
            let wide = held.cells.max(1);
            let is_changed = touched[x] && !is_left(&new[x]);
            let picture = is_changed && is_picture(&new[x]);
            if is_changed && !(picture && is_same(&old[x], &new[x])) {
                // A line of equal signs is written as a whole.
                let goes_on = held.width == Width::OneOrTwo && x > 0 && new[x] == new[x - 1];
                if !(goes_on && self.at == Some((None, y))) {
                    self.go(x, y, new);
                }
                let ends = x >= blank && new.len() - x > ERASE.len();
                let mut erases = ends;
                if !ends && x >= compared && is_blank(&new[x]) {
                    (compared, erases) = erasable(new, touched, x, blank);
                }
                self.style(CellStyle::of(&new[x]), held.text == " " && !erases);
                if ends {
                    self.bytes.extend_from_slice(ERASE);
                    return;
                }
                if erases {
                    if compared < blank {
                        self.put(format_args!("\x1b[{}X", compared - x));
                    } else {
                        self.bytes.extend_from_slice(ERASE);
                    }
                    // The cursor stays.
                    self.at = Some((Some(x), y));
                    erased = compared;
                    continue;
                }
                if held.width == Width::Uncertain && !picture {
                    self.bytes.resize(self.bytes.len() + wide, b' ');
                    self.at = Some((None, y));
                    self.go(x, y, new);
                }
                self.bytes.extend_from_slice(held.text.as_bytes());
                if picture {
                    (self.at, self.cell_style) = (None, None);
                } else {
                    // In the last column, terminals differ in the cursor's position.
                    let is_certain = held.width == Width::Certain && x + wide < new.len();
                    self.at = Some((is_certain.then_some(x + wide), y));
                }
            }
            x += wide;
        }
    }

    fn go(&mut self, x: usize, y: u16, row: &[Cell]) {
        match self.at {
            Some((Some(at), own)) if own == y && at == x => {}
            Some((Some(at), own)) if own == y && at < x => {
                let (cells, style) = (&row[at..x], self.cell_style);
                // Writing a few cells again takes fewer bytes than a move.
                let is_short = |cell: &Cell| {
                    let own = CellStyle::of(cell);
                    cell.symbol().len() == 1
                        && !is_left(cell)
                        && style.is_some_and(|now| now == own || cell.symbol() == " " && now.shows_blank(own))
                };
                if cells.len() <= MOST_BLANKS && cells.iter().all(is_short) {
                    self.bytes.extend(cells.iter().flat_map(|cell| cell.symbol().bytes()));
                } else if x - at == 1 {
                    self.bytes.extend_from_slice(b"\x1b[C");
                } else {
                    self.put(format_args!("\x1b[{}C", x - at));
                }
            }
            Some((_, own)) if own == y => self.put(format_args!("\x1b[{}G", x + 1)),
            _ if x == 0 => self.put(format_args!("\x1b[{}H", y + 1)),
            _ => self.put(format_args!("\x1b[{};{}H", y + 1, x + 1)),
        }
    }

    fn style(&mut self, style: CellStyle, is_blank: bool) {
        if self.cell_style.is_some_and(|now| now == style || is_blank && now.shows_blank(style)) {
            return;
        }
        let old = self.cell_style.replace(style);
        let plain = CellStyle::default();
        if style == plain {
            self.bytes.extend_from_slice(b"\x1b[m");
            return;
        }
        let before = self.bytes.len();
        self.bytes.extend_from_slice(b"\x1b[");
        let parameters = self.bytes.len();
        let kept = old.and_then(|old| self.turn_off(old, style));
        if let Some(kept) = kept {
            self.change(kept, style);
        }
        // A reset may take fewer bytes than what it replaces, such as a background of its own.
        let changed = self.bytes.len();
        if kept.is_none() || old.is_some_and(|old| old.loses(style)) && changed > parameters {
            self.bytes.extend_from_slice(b"0;");
            self.change(plain, style);
            if kept.is_some() && self.bytes.len() - changed >= changed - parameters {
                self.bytes.truncate(changed);
            } else {
                self.bytes.drain(parameters..changed);
            }
        }
        // Without colours there may be no change. A sequence without a parameter would be a reset.
        match self.bytes.pop() {
            Some(b';') => self.bytes.push(b'm'),
            _ => self.bytes.truncate(before),
        }
    }

    /// Writes the parameters that end the modifiers which `new` lacks. Returns the style that they leave. `None` if only a
    /// reset ends them in every terminal.
    fn turn_off(&mut self, old: CellStyle, new: CellStyle) -> Option<CellStyle> {
        const WEIGHTS: Modifier = Modifier::BOLD.union(Modifier::DIM);
        let ends: [(Modifier, &[u8]); 3] =
            [(WEIGHTS, b"22;"), (Modifier::UNDERLINED, b"24;"), (Modifier::REVERSED, b"27;")];
        let mut kept = old;
        for (modifiers, code) in ends {
            if (old.modifier - new.modifier).intersects(modifiers) {
                self.bytes.extend_from_slice(code);
                kept.modifier -= modifiers;
            }
        }
        new.modifier.contains(kept.modifier).then_some(kept)
    }

    /// Writes the parameters that change a style, each with a `;`.
    fn change(&mut self, old: CellStyle, new: CellStyle) {
        const ATTRIBUTES: [(Modifier, &str); 9] = [
            (Modifier::BOLD, "1;"),
            (Modifier::DIM, "2;"),
            (Modifier::ITALIC, "3;"),
            (Modifier::UNDERLINED, "4;"),
            (Modifier::SLOW_BLINK, "5;"),
            (Modifier::RAPID_BLINK, "6;"),
            (Modifier::REVERSED, "7;"),
            (Modifier::HIDDEN, "8;"),
            (Modifier::CROSSED_OUT, "9;"),
        ];
        for (modifier, code) in ATTRIBUTES {
            if (new.modifier - old.modifier).contains(modifier) {
                self.bytes.extend_from_slice(code.as_bytes());
            }
        }
        let colours = [
            (old.fg, new.fg, Colored::ForegroundColor as fn(_) -> _),
            (old.bg, new.bg, Colored::BackgroundColor),
            (old.underline, new.underline, Colored::UnderlineColor),
        ];
        for (old, new, of) in colours {
            if old != new {
                let before = self.bytes.len();
                // The code is empty if the environment wants no colours.
                self.put(format_args!("{}", of(new.into_crossterm())));
                if self.bytes.len() > before {
                    self.bytes.push(b';');
                }
            }
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a Vec cannot fail.
        let _ = self.bytes.write_fmt(text);
    }
}

#[cfg(test)]
mod tests;
