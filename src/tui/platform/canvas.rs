//! A ratatui backend that shows frames without relying on character widths, on which terminals disagree.
//!
//! ratatui gives a backend only the cells that differ by its own widths. This backend receives whole frames and
//! keeps the last one. If the widths of all clusters in a row are certain (see
//! [`cells`](crate::tui::widgets::cells)), it writes only changed cells. If not, now or before, any change writes
//! the whole row: the cells of an uncertain cluster are blanked, the cluster goes to the first of them, and the
//! text after it is positioned by its column.

use crate::tui::widgets::cells::cluster;
use crossterm::style::Colored;
use ratatui::backend::{Backend, ClearType, IntoCrossterm, TestBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};
use std::io::{self, ErrorKind, Write};

pub trait Surface: Backend {
    /// Shows a frame. ratatui has drawn only the cells that it regards as changed. Afterwards `frame` holds
    /// an older frame.
    fn show(&mut self, frame: &mut Buffer) -> Result<(), Self::Error>;
}

/// A test backend stores cells, so ratatui has already drawn everything.
impl Surface for TestBackend {
    fn show(&mut self, _: &mut Buffer) -> Result<(), Self::Error> {
        Ok(())
    }
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
        pen.style(CellStyle::default());
        pen.bytes.extend_from_slice(b"\x1b[?25l");
        // After a partial write the screen's state is unknown.
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

struct CellText<'a> {
    text: &'a str,
    cells: usize,
    certain: bool,
}

impl<'a> CellText<'a> {
    /// The text at a column of a row. Text without enough free cells is not shown.
    fn at(cells: &'a [Cell], x: usize) -> Self {
        let text = cells[x].symbol();
        if let CellDiffOption::ForcedWidth(wide) = cells[x].diff_option {
            // A picture: its escape sequences move the cursor.
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

/// Whether the terminal owns a cell because a picture covers it.
fn is_left(cell: &Cell) -> bool {
    cell.diff_option == CellDiffOption::Skip
}

/// A picture's sequence is long and is written once.
fn is_picture(cell: &Cell) -> bool {
    cell.symbol().contains('\x1b')
}

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
    // Writing over a part of a wide character deletes all of it.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl CellStyle {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }
}

#[derive(Default)]
struct Pen {
    bytes: Vec<u8>,
    /// The cursor's position, if it is certain.
    at: Option<(usize, u16)>,
    cell_style: CellStyle,
}

impl Pen {
    fn row(&mut self, y: u16, old: &[Cell], new: &[Cell], touched: &[bool]) {
        let mut x = 0;
        while x < new.len() {
            let held = CellText::at(new, x);
            let wide = held.cells.max(1);
            let is_drawn = is_picture(&new[x]) && old[x] == new[x];
            if touched[x] && !is_left(&new[x]) && !is_drawn {
                self.style(CellStyle::of(&new[x]));
                self.go(x, y);
                if !held.certain && !is_picture(&new[x]) {
                    self.bytes.resize(self.bytes.len() + wide, b' ');
                    self.at = None;
                    self.go(x, y);
                }
                self.bytes.extend_from_slice(held.text.as_bytes());
                // In the last column, terminals differ in the cursor's position.
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

    /// Sets a style from a reset, so the style before does not matter.
    fn style(&mut self, cell_style: CellStyle) {
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
        if std::mem::replace(&mut self.cell_style, cell_style) == cell_style {
            return;
        }
        self.bytes.extend_from_slice(b"\x1b[0");
        for (modifier, code) in ATTRIBUTES {
            if cell_style.modifier.contains(modifier) {
                self.bytes.extend_from_slice(code.as_bytes());
            }
        }
        let colours = [
            (cell_style.fg, Colored::ForegroundColor as fn(_) -> _),
            (cell_style.bg, Colored::BackgroundColor),
            (cell_style.underline, Colored::UnderlineColor),
        ];
        for (colour, of) in colours {
            if colour == Color::Reset {
                continue;
            }
            // The code is empty if the environment wants no colours. An empty parameter would mean a reset.
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

/// ratatui needs this trait. Its drawing is ignored: [`Surface::show`] receives the whole frame.
impl<W: Write> Backend for Canvas<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, _: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        // Every frame ends with a hidden cursor.
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        crossterm::execute!(self.out, crossterm::cursor::Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // The question to the terminal would conflict with the thread that reads its answers.
        Err(ErrorKind::Unsupported.into())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    /// Clears the screen before the next frame.
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
