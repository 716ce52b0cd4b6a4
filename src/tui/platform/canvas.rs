//! What frames are shown on: a backend over the terminal that relies on no width which terminals do not agree on.
//!
//! ratatui hands a backend only the cells that differ by its own idea of widths. This one is handed whole frames
//! and keeps the last one. Where a cluster is certain (see [`cells`](crate::tui::widgets::cells)) only what has changed is
//! written. A row that holds an uncertain one, or held one, is written whole when anything in it has changed: the
//! cells that are reserved for the cluster are blanked, the cluster is written into the first of them, and what
//! follows is positioned by its column. So nothing of an earlier frame stays, wherever the terminal's cursor was
//! after the cluster.

use crate::tui::widgets::cells::cluster;
use crossterm::style::Colored;
use ratatui::backend::{Backend, ClearType, IntoCrossterm, TestBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};
use std::io::{self, ErrorKind, Write};

/// What a desk is drawn on.
pub trait Surface: Backend {
    /// Shows a frame, of which ratatui has drawn what it takes for changed; `frame` is left with something older.
    ///
    /// # Errors
    /// When the terminal is gone.
    fn show(&mut self, frame: &mut Buffer) -> Result<(), Self::Error>;
}

/// It keeps cells, not what a terminal makes of them: what ratatui has drawn is all.
impl Surface for TestBackend {
    fn show(&mut self, _: &mut Buffer) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// A terminal that whole frames are shown on. Each is written in one piece.
pub struct Canvas<W: Write> {
    out: W,
    /// Nothing: as the terminal says.
    size: Option<Size>,
    /// What the terminal shows, unless that is not known.
    shown: Buffer,
    is_known: bool,
}

impl<W: Write> Canvas<W> {
    /// The terminal of this process, written to through `out`.
    pub fn new(out: W) -> Self {
        Self { out, size: None, shown: Buffer::default(), is_known: false }
    }

    /// One of this size, which nobody is asked about.
    pub fn of_size(out: W, columns: u16, rows: u16) -> Self {
        Self { size: Some(Size::new(columns, rows)), ..Self::new(out) }
    }

    /// Where it is written to.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes a row again that something else was written over.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn restore(&mut self, row: u16) -> io::Result<()> {
        let mut pen = Pen::default();
        let cells = cells_of(&self.shown, row);
        if self.is_known && !cells.is_empty() {
            pen.row(row, cells, cells, &vec![true; cells.len()]);
        }
        self.write(pen)
    }

    fn write(&mut self, mut pen: Pen) -> io::Result<()> {
        pen.style(Look::default());
        pen.bytes.extend_from_slice(b"\x1b[?25l");
        // What is broken off in the middle leaves the screen in a state that nobody knows.
        let known = std::mem::replace(&mut self.is_known, false);
        self.out.write_all(&pen.bytes)?;
        self.out.flush()?;
        self.is_known = known;
        Ok(())
    }
}

impl<W: Write> Surface for Canvas<W> {
    fn show(&mut self, frame: &mut Buffer) -> io::Result<()> {
        let mut pen = Pen::default();
        if !self.is_known || self.shown.area != frame.area {
            pen.bytes.extend_from_slice(b"\x1b[0m\x1b[2J");
            self.shown = Buffer::empty(frame.area);
        }
        for row in frame.area.rows() {
            let (old, new) = (cells_of(&self.shown, row.y), cells_of(frame, row.y));
            if old != new {
                pen.row(row.y, old, new, &touched(old, new));
            }
        }
        std::mem::swap(&mut self.shown, frame);
        self.is_known = true;
        self.write(pen)
    }
}

fn cells_of(buffer: &Buffer, row: u16) -> &[Cell] {
    let columns = usize::from(buffer.area.width);
    let from = usize::from(row.saturating_sub(buffer.area.y)) * columns;
    buffer.content.get(from..from + columns).unwrap_or_default()
}

/// What stands in a cell, and those behind it that it takes.
struct CellText<'a> {
    text: &'a str,
    cells: usize,
    certain: bool,
}

impl<'a> CellText<'a> {
    /// At a column of a row. What has no room, or has something else in its cells, is not shown.
    fn at(cells: &'a [Cell], x: usize) -> Self {
        let text = cells[x].symbol();
        if let CellDiffOption::ForcedWidth(wide) = cells[x].diff_option {
            // A picture: what it consists of moves the cursor.
            return Self { text, cells: usize::from(wide.get()), certain: !text.contains('\x1b') };
        }
        if text.len() == 1 {
            return Self { text, cells: 1, certain: true };
        }
        let cluster = cluster(text);
        let is_free = |cell: &Cell| cell.symbol() == " " && cell.diff_option == CellDiffOption::None;
        let behind = cells.get(x + 1..x + cluster.cells.max(1));
        if cluster.cells == 0 || !behind.is_some_and(|cells| cells.iter().all(is_free)) {
            return Self { text: " ", cells: 1, certain: true };
        }
        Self { text, cells: cluster.cells, certain: cluster.certain }
    }
}

/// Whether a cell is the terminal's: a picture is drawn over it.
fn is_left(cell: &Cell) -> bool {
    cell.diff_option == CellDiffOption::Skip
}

/// Whether a cell holds what draws a picture, which is long and drawn once.
fn is_picture(cell: &Cell) -> bool {
    cell.symbol().contains('\x1b')
}

/// Which cells of a row are to be written.
fn touched(old: &[Cell], new: &[Cell]) -> Vec<bool> {
    let held = |cells: &[Cell]| {
        let (mut all, mut certain, mut x) = (Vec::new(), true, 0);
        while x < cells.len() {
            let held = CellText::at(cells, x);
            certain &= held.certain || is_picture(&cells[x]);
            if held.cells > 1 {
                all.push(x..(x + held.cells).min(cells.len()));
            }
            x += held.cells.max(1);
        }
        (all, certain)
    };
    let ((before, was_certain), (after, is_certain)) = (held(old), held(new));
    if !was_certain || !is_certain {
        return old.iter().zip(new).map(|(old, new)| old != new || !is_picture(new)).collect();
    }
    let mut touched: Vec<bool> = old.iter().zip(new).map(|(old, new)| old != new).collect();
    // Writing over a part of a wide character takes all of it away.
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
        if !more {
            return touched;
        }
    }
}

/// How cells look besides their text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }
}

/// The bytes of a frame, with what the terminal does after them.
#[derive(Default)]
struct Pen {
    bytes: Vec<u8>,
    /// Where the cursor is, as far as that is certain.
    at: Option<(usize, u16)>,
    look: Look,
}

impl Pen {
    fn row(&mut self, y: u16, old: &[Cell], new: &[Cell], touched: &[bool]) {
        let mut x = 0;
        while x < new.len() {
            let held = CellText::at(new, x);
            let wide = held.cells.max(1);
            let is_drawn = is_picture(&new[x]) && old[x] == new[x];
            if touched[x] && !is_left(&new[x]) && !is_drawn {
                self.style(Look::of(&new[x]));
                self.go(x, y);
                if !held.certain && !is_picture(&new[x]) {
                    self.bytes.resize(self.bytes.len() + wide, b' ');
                    self.at = None;
                    self.go(x, y);
                }
                self.bytes.extend_from_slice(held.text.as_bytes());
                // In the last column terminals differ in where the cursor is.
                self.at = (held.certain && x + wide < new.len()).then_some((x + wide, y));
            }
            x += wide;
        }
    }

    fn go(&mut self, x: usize, y: u16) {
        if self.at != Some((x, y)) {
            self.put(format_args!("\x1b[{};{}H", y + 1, x + 1));
        }
    }

    /// Every look is set from nothing: what the terminal keeps of the one before is of no account.
    fn style(&mut self, look: Look) {
        const ATTRIBUTES: [(Modifier, &str); 9] = [
            (Modifier::BOLD, ";1"),
            (Modifier::DIM, ";2"),
            (Modifier::ITALIC, ";3"),
            (Modifier::UNDERLINED, ";4"),
            (Modifier::SLOW_BLINK, ";5"),
            (Modifier::RAPID_BLINK, ";6"),
            (Modifier::REVERSED, ";7"),
            (Modifier::HIDDEN, ";8"),
            (Modifier::CROSSED_OUT, ";9"),
        ];
        if std::mem::replace(&mut self.look, look) == look {
            return;
        }
        self.bytes.extend_from_slice(b"\x1b[0");
        for (modifier, code) in ATTRIBUTES {
            if look.modifier.contains(modifier) {
                self.bytes.extend_from_slice(code.as_bytes());
            }
        }
        let colours = [
            (look.fg, Colored::ForegroundColor as fn(_) -> _),
            (look.bg, Colored::BackgroundColor),
            (look.underline, Colored::UnderlineColor),
        ];
        for (colour, of) in colours {
            if colour == Color::Reset {
                continue;
            }
            // Nothing, where the environment wants no colours; a number that is missing would be a reset.
            let code = of(colour.into_crossterm()).to_string();
            if !code.is_empty() {
                self.put(format_args!(";{code}"));
            }
        }
        self.bytes.push(b'm');
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a Vec cannot fail.
        let _ = self.bytes.write_fmt(text);
    }
}

/// As ratatui asks for it. What it draws is passed over: [`Surface::show`] is handed the whole frame.
impl<W: Write> Backend for Canvas<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, _: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        // Every frame ends with that.
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        crossterm::execute!(self.out, crossterm::cursor::Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // The terminal would have to be asked, behind the back of the thread that reads its answers.
        Err(ErrorKind::Unsupported.into())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    /// The next frame is drawn on a screen that is cleared first.
    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        self.is_known = false;
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        match self.size {
            Some(size) => Ok(size),
            None => crossterm::terminal::size().map(|(columns, rows)| Size::new(columns, rows)),
        }
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
#[path = "canvas_model.rs"]
pub mod model;
#[cfg(test)]
#[path = "canvas_tests.rs"]
mod tests;
