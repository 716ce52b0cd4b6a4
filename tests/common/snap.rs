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

/// The screen without the last hour of this computer's clock, in the zone of the sandbox: when a job changed. Every
/// other time is the sandbox's.
pub fn without_now(screen: &str) -> String {
    let now = jiff::Timestamp::now();
    let mut out = screen.to_owned();
    for minute in 0..60 {
        let then = now - jiff::SignedDuration::from_mins(minute);
        let shown = jiff::tz::offset(9).to_datetime(then).strftime("%m-%d %H:%M").to_string();
        out = out.replace(&shown, "00-00 00:00");
    }
    out
}
