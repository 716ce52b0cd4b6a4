//! A screen as an SVG picture: every cell at its own place, so that wide letters line up in every
//! font.

use super::graphics::PLACEHOLDER;
use std::collections::BTreeSet;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;
use vt100::{Cell, Color, Screen};

/// Columns and rows of a cell, and the letters in it, in pixels.
const CELL: (f64, f64) = (8.4, 19.0);
const LETTER: f64 = 14.0;
/// The same for a letter that takes two cells.
const WIDE_LETTER: f64 = 16.0;
const MARGIN: f64 = 16.0;
const FONTS: &str = "ui-monospace,'SF Mono',Menlo,'Cascadia Mono',Consolas,'DejaVu Sans Mono','Liberation Mono',\
                     'Noto Sans Mono CJK KR','D2Coding','Noto Sans CJK KR','Apple SD Gothic Neo','Malgun Gothic',\
                     monospace";

/// The colours of the terminal itself.
pub struct Paper {
    pub ground: &'static str,
    pub ink: &'static str,
    pub edge: &'static str,
}

pub const DARK: Paper = Paper { ground: "#16191f", ink: "#d5d9e0", edge: "#30363d" };
pub const LIGHT: Paper = Paper { ground: "#ffffff", ink: "#1f2328", edge: "#d0d7de" };

/// Draws the screen; `label` is read to those who cannot see it. `image` is what kitty shows in place of its
/// placeholders: a PNG in base64.
pub fn picture(screen: &Screen, paper: &Paper, label: &str, image: Option<&str>) -> String {
    let mut out = begin(screen, paper, label, "");
    for y in 0..screen.size().0.get() {
        out.push_str(&line(screen, y, paper));
    }
    out.push_str("</g>\n");
    if let (Some(image), Some((x, y, width, height))) = (image, place_of_image(screen)) {
        let _ = writeln!(
            out,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{image}\"/>",
            px(left(x)),
            px(top(y)),
            px(f64::from(width) * CELL.0),
            px(f64::from(height) * CELL.1)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A moving picture of screens of one size, each shown for its seconds, again and again. Where the reader wants no
/// motion, it shows the last screen. A line that several screens share is drawn once.
pub fn movie(screens: &[(Screen, f64)], paper: &Paper, label: &str) -> String {
    let all: f64 = screens.iter().map(|(_, seconds)| seconds).sum();
    let starts: Vec<f64> = screens
        .iter()
        .scan(0.0, |from, (_, seconds)| Some(std::mem::replace(from, *from + seconds)))
        .chain([all])
        .map(|at| at / all * 100.0)
        .collect();
    let (mut lines, mut spans) = (String::new(), BTreeSet::new());
    for y in 0..screens[0].0.size().0.get() {
        let drawn: Vec<String> = screens.iter().map(|(screen, _)| line(screen, y, paper)).collect();
        let mut from = 0;
        for same in drawn.chunk_by(|one, next| one == next) {
            let to = from + same.len();
            if same.len() == screens.len() {
                lines.push_str(&same[0]);
            } else if !same[0].is_empty() {
                spans.insert((from, to));
                let last = if to == screens.len() { " z" } else { "" };
                let _ = writeln!(lines, "<g class=\"s s{from}-{to}{last}\">\n{}</g>", same[0]);
            }
            from = to;
        }
    }
    let mut style = format!(".s{{visibility:hidden;animation:{all:.1}s step-end infinite}}\n");
    for (from, to) in spans {
        let (begin, end) = (starts[from], starts[to]);
        let before = if from == 0 { "" } else { "0%{visibility:hidden}" };
        let after =
            if to == screens.len() { String::new() } else { format!("{end:.2}%{{visibility:hidden}}") };
        let _ = writeln!(
            style,
            "@keyframes k{from}-{to}{{{before}{begin:.2}%{{visibility:visible}}{after}}}\n.s{from}-{to}{{animation-name:k{from}-{to}}}"
        );
    }
    style.push_str("@media (prefers-reduced-motion:reduce){.s{animation:none}.z{visibility:visible}}\n");
    let mut out = begin(&screens[0].0, paper, label, &style);
    out.push_str(&lines);
    out.push_str("</g>\n</svg>\n");
    out
}

/// The picture up to its lines.
fn begin(screen: &Screen, paper: &Paper, label: &str, style: &str) -> String {
    let (rows, columns) = screen.size();
    let (width, height) =
        (f64::from(columns.get()) * CELL.0 + 2.0 * MARGIN, f64::from(rows.get()) * CELL.1 + 2.0 * MARGIN);
    let style = if style.is_empty() { String::new() } else { format!("<style>\n{style}</style>\n") };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{label}\">\n{style}\
         <rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{}\" stroke=\"{}\"/>\n\
         <g font-family=\"{FONTS}\" font-size=\"{LETTER}\" fill=\"{}\" xml:space=\"preserve\">\n",
        width - 1.0,
        height - 1.0,
        paper.ground,
        paper.edge,
        paper.ink
    )
}

/// A line of the screen.
fn line(screen: &Screen, y: u16, paper: &Paper) -> String {
    let (mut out, columns) = (String::new(), screen.size().1.get());
    grounds(&mut out, screen, y, columns, paper);
    letters(&mut out, screen, y, columns, paper);
    out
}

/// Column, row, columns and rows of kitty's placeholders.
fn place_of_image(screen: &Screen) -> Option<(u16, u16, u16, u16)> {
    let (rows, columns) = screen.size();
    let cells = (0..rows.get()).flat_map(|y| (0..columns.get()).map(move |x| (x, y)));
    let held: Vec<(u16, u16)> = cells
        .filter(|(x, y)| screen.cell(*y, *x).is_some_and(|cell| is_placeholder(cell.contents())))
        .collect();
    let ((x, y), (right, bottom)) = (*held.first()?, *held.last()?);
    Some((x, y, right - x + 1, bottom - y + 1))
}

fn is_placeholder(text: &str) -> bool {
    text.starts_with(PLACEHOLDER)
}

fn left(x: u16) -> f64 {
    MARGIN + f64::from(x) * CELL.0
}

fn top(y: u16) -> f64 {
    MARGIN + f64::from(y) * CELL.1
}

/// Rounded to what can be seen, so that the file stays small.
fn px(n: f64) -> String {
    let text = format!("{n:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Letters and ground of a cell.
fn colours(cell: &Cell, paper: &Paper) -> (String, String) {
    let ink = colour(cell.fgcolor(), paper.ink);
    let ground = colour(cell.bgcolor(), paper.ground);
    if cell.inverse() { (ground, ink) } else { (ink, ground) }
}

fn colour(colour: Color, default: &str) -> String {
    /// The first sixteen, which every terminal chooses for itself.
    const NAMED: [&str; 16] = [
        "#1f2328", "#c93c37", "#347d39", "#966600", "#316dca", "#8256d0", "#1b7c83", "#909dab", "#636e7b",
        "#f47067", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#cdd9e5",
    ];
    match colour {
        Color::Default => default.to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Idx(n @ 0..=15) => NAMED[usize::from(n)].to_owned(),
        Color::Idx(n @ 16..=231) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            format!("#{:02x}{:02x}{:02x}", step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        Color::Idx(n) => {
            let grey = 8 + 10 * (n - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

/// The coloured grounds of a line, a rectangle for each run.
fn grounds(out: &mut String, screen: &Screen, y: u16, columns: u16, paper: &Paper) {
    let mut runs: Vec<(u16, u16, String)> = Vec::new();
    for x in 0..columns {
        let Some(cell) = screen.cell(y, x) else { continue };
        if cell.is_wide_continuation() {
            // It belongs to the letter before it.
            if let Some(run) = runs.last_mut().filter(|run| run.1 == x) {
                run.1 = x + 1;
            }
            continue;
        }
        let (_, ground) = colours(cell, paper);
        match runs.last_mut() {
            Some(run) if run.1 == x && run.2 == ground => run.1 = x + 1,
            _ => runs.push((x, x + 1, ground)),
        }
    }
    for (from, to, ground) in runs.into_iter().filter(|run| run.2 != paper.ground) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{ground}\"/>",
            px(left(from)),
            px(top(y)),
            px(f64::from(to - from) * CELL.0),
            px(CELL.1)
        );
    }
}

/// The letters of a line: one text with a part for each word. A part has a place for each of its letters; a
/// program that heeds only the first still gets the word right, since wide letters are parts of their own.
fn letters(out: &mut String, screen: &Screen, y: u16, columns: u16, paper: &Paper) {
    let mut parts: Vec<Part> = Vec::new();
    for x in 0..columns {
        let Some(cell) = screen.cell(y, x) else { continue };
        let text = cell.contents();
        let (ink, _) = colours(cell, paper);
        if cell.underline() && !cell.is_wide_continuation() {
            let at = px(top(y) + CELL.1 * 0.86);
            let to = left(x) + CELL.0 * if cell.is_wide() { 2.0 } else { 1.0 };
            let _ = writeln!(out, "<path d=\"M{} {at}H{}\" stroke=\"{ink}\"/>", px(left(x)), px(to));
        }
        if text.trim().is_empty() || is_placeholder(text) || block(out, text, x, y, &ink) {
            continue;
        }
        let mut style = String::new();
        if ink != paper.ink {
            let _ = write!(style, " fill=\"{ink}\"");
        }
        if cell.bold() {
            style.push_str(" font-weight=\"700\"");
        }
        if cell.dim() {
            style.push_str(" opacity=\".65\"");
        }
        // A wide letter is as wide as it is high, which is less than two cells: in their middle.
        let place = left(x) + if cell.is_wide() { CELL.0 - WIDE_LETTER / 2.0 } else { 0.0 };
        if cell.is_wide() {
            let _ = write!(style, " font-size=\"{WIDE_LETTER}\"");
        }
        let open = text.is_ascii() && !cell.is_wide();
        match parts.last_mut() {
            Some(part) if open && part.open && part.next == x && part.style == style => {
                part.next = x + 1;
                part.places.push(px(place));
                part.text.push_str(text);
            }
            _ => {
                let (places, text) = (vec![px(place)], text.to_owned());
                parts.push(Part { style, next: x + 1, open, places, text });
            }
        }
    }
    if parts.is_empty() {
        return;
    }
    let _ = write!(out, "<text y=\"{}\">", px(top(y) + CELL.1 * 0.74));
    for Part { style, places, text, .. } in parts {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = write!(out, "<tspan x=\"{}\"{style}>{text}</tspan>", places.join(" "));
    }
    out.push_str("</text>\n");
}

/// Letters of one style, side by side.
struct Part {
    style: String,
    /// The column behind the last letter.
    next: u16,
    /// Whether more letters may be added.
    open: bool,
    places: Vec<String>,
    text: String,
}

/// Draws lines and blocks, which fonts leave gaps between; false for everything else.
fn block(out: &mut String, text: &str, x: u16, y: u16, ink: &str) -> bool {
    // Left, top, width and height, in parts of a cell.
    let part = match text {
        "─" => (0.0, 0.48, 1.0, 0.05),
        "┃" => (0.42, 0.0, 0.16, 1.0),
        "│" => (0.45, 0.0, 0.1, 1.0),
        "▌" => (0.0, 0.0, 0.5, 1.0),
        "█" => (0.0, 0.0, 1.0, 1.0),
        "▇" => (0.0, 0.125, 1.0, 0.875),
        "▀" => (0.0, 0.0, 1.0, 0.5),
        "▄" => (0.0, 0.5, 1.0, 0.5),
        _ => return false,
    };
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{ink}\"/>",
        px(left(x) + part.0 * CELL.0),
        px(top(y) + part.1 * CELL.1),
        px(part.2 * CELL.0 + 0.05),
        px(part.3 * CELL.1)
    );
    true
}

#[test]
fn wide_letters_take_two_cells_and_reversed_rows_are_filled() {
    let size = |n| std::num::NonZeroU16::new(n).expect("not zero");
    let mut parser = vt100::Parser::new(size(2), size(10), 0);
    parser.process("\x1b[7m가a나\x1b[0m <b\r\n\x1b[38;5;114m●\x1b[0m".as_bytes());
    let svg = picture(parser.screen(), &DARK, "a test", None);
    assert_eq!("가a나".width(), 5);
    assert!(svg.contains("<rect x=\"16\" y=\"16\" width=\"42\" height=\"19\" fill=\"#d5d9e0\"/>"), "{svg}");
    assert!(
        svg.contains("<text y=\"30.1\"><tspan x=\"16.4\" fill=\"#16191f\" font-size=\"16\">가</tspan>"),
        "{svg}"
    );
    assert!(svg.contains("<tspan x=\"32.8\" fill=\"#16191f\">a</tspan>"), "{svg}");
    assert!(svg.contains("<tspan x=\"66.4 74.8\">&lt;b</tspan></text>"), "{svg}");
    assert!(svg.contains("fill=\"#87d787\">●</tspan>"), "{svg}");
}

#[test]
fn a_moving_picture_draws_a_line_that_stays_once_and_has_a_last_screen() {
    let size = |n| std::num::NonZeroU16::new(n).expect("not zero");
    let screen = |text: &str| {
        let mut parser = vt100::Parser::new(size(2), size(10), 0);
        parser.process(text.as_bytes());
        parser.screen().clone()
    };
    let screens = [(screen("same\r\none"), 1.0), (screen("same\r\ntwo"), 3.0)];
    let svg = movie(&screens, &DARK, "a test");
    assert_eq!(svg.matches(">same<").count(), 1, "{svg}");
    assert!(svg.contains("@keyframes k0-1{0.00%{visibility:visible}25.00%{visibility:hidden}}"), "{svg}");
    assert!(svg.contains("@keyframes k1-2{0%{visibility:hidden}25.00%{visibility:visible}}"), "{svg}");
    assert!(svg.contains("<g class=\"s s1-2 z\">") && svg.contains("prefers-reduced-motion"), "{svg}");
}
