//! A screen as text: what it says, and how it is styled. `TestBackend`'s own form drops the colours and says
//! something about every wide character.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The cells of a line that are drawn: the one behind a wide character is not.
pub fn drawn(buffer: &Buffer, y: u16) -> Vec<(u16, &Cell)> {
    let mut cells = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        cells.push((x, cell));
        x += u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
    }
    cells
}

/// What the screen says.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let line: String = drawn(buffer, y).into_iter().map(|(_, cell)| cell.symbol()).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// How it is styled: runs of equal style by line, plain ones left out.
pub fn styles(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut runs: Vec<(u16, u16, String)> = Vec::new();
        for (x, cell) in drawn(buffer, y) {
            let style = style(cell);
            let blank = cell.symbol() == " " && !style.contains("reverse") && !style.contains("underline");
            match runs.last_mut() {
                Some((_, to, last)) if *last == style || blank => *to = if blank { *to } else { x },
                _ if blank => {}
                _ => runs.push((x, x, style)),
            }
        }
        let words: Vec<String> = runs
            .into_iter()
            .filter(|(.., style)| !style.is_empty())
            .map(|(from, to, style)| format!("{from}-{to} {style}"))
            .collect();
        if !words.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{y:>3}: {}", words.join(", "));
        }
    }
    out
}

fn style(cell: &Cell) -> String {
    let mut words = Vec::new();
    match cell.fg {
        Color::Reset => {}
        Color::Indexed(n) => words.push(n.to_string()),
        other => words.push(format!("{other:?}")),
    }
    if cell.bg != Color::Reset {
        words.push(format!("on {:?}", cell.bg));
    }
    for (modifier, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::UNDERLINED, "underline"),
        (Modifier::REVERSED, "reverse"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

/// The screen without the moment that follows a word, its digits become zeros: when a job was planned is told by
/// this computer's clock, every other time is the sandbox's. The moment may be broken over two lines, also in a
/// pane beside a list.
pub fn without_moment(screen: &str, word: &str) -> String {
    let mut out = String::with_capacity(screen.len());
    let mut left = 0;
    for line in screen.split_inclusive('\n') {
        let mut from = line.find('\u{2503}').map_or(0, |at| at);
        if left == 0 {
            let Some(at) = line.find(word).map(|at| at + word.len()) else {
                out.push_str(line);
                continue;
            };
            let follows = line[at..].trim();
            if !follows.is_empty() && !follows.starts_with('2') {
                out.push_str(line);
                continue;
            }
            (from, left) = (at, "202611211000".len());
        }
        let (before, after) = line.split_at(from);
        out.push_str(before);
        for c in after.chars() {
            let masked = left > 0 && c.is_ascii_digit();
            left -= usize::from(masked);
            out.push(if masked { '0' } else { c });
        }
    }
    out
}
