//! Whether a drawn screen can be read: every pair of colours on it, and what is left of it without colours.

use lapel::config::ThemeChoice;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

type Rgb = (u8, u8, u8);

/// What terminals of people have where the theme leaves it to them: the background, and its text.
const DARK: &[(Rgb, Rgb)] = &[
    ((0, 0, 0), (0xe5, 0xe5, 0xe5)),
    ((0x1e, 0x1e, 0x2e), (0xcd, 0xd6, 0xf4)),
    ((0, 0x2b, 0x36), (255, 255, 255)),
];
const LIGHT: &[(Rgb, Rgb)] = &[((255, 255, 255), (0, 0, 0)), ((0xfd, 0xf6, 0xe3), (0x1e, 0x1e, 0x1e))];

/// The signs of states, each of which has a word beside it.
const SIGNS: [&str; 5] = ["◌", "●", "◍", "✕", "◔"];

/// Every sign on the screen differs enough from its background, in a theme of colours.
pub fn has_contrast(name: &str, theme: ThemeChoice, buffer: &Buffer) {
    let (grounds, least) = match theme {
        ThemeChoice::Dark => (DARK, 4.5),
        ThemeChoice::Light => (LIGHT, 4.5),
        ThemeChoice::HighContrast => (&DARK[..1], 7.0),
        other => panic!("{other:?} has no colours of its own"),
    };
    for (at, cell) in buffer.content.iter().enumerate().filter(|(_, cell)| is_drawn(cell)) {
        for (ground, text) in grounds {
            let (fg, bg) = (rgb(cell.fg, *text), rgb(cell.bg, *ground));
            // Where both are the terminal's own it has chosen them itself.
            let own = cell.fg == Color::Reset && cell.bg == Color::Reset;
            let found = contrast(fg, bg);
            assert!(
                own || found >= least,
                "{name}, {theme:?}, {:?}: {cell:?}: {found:.2}",
                buffer.pos_of(at)
            );
        }
        // Half of a colour's weight is half of its contrast.
        let halved = cell.modifier.contains(Modifier::DIM) && cell.fg != Color::Reset;
        assert!(!halved, "{name}, {theme:?}, {:?}: {cell:?}", buffer.pos_of(at));
    }
}

/// Without colours nothing is lost: what is selected is marked, and reversed instead of tinted, what is underlined stays
/// so, and beside the sign of a state is its word.
pub fn needs_no_colour(name: &str, coloured: &Buffer, plain: &Buffer) {
    let shape = |cell: &Cell| cell.modifier & (Modifier::UNDERLINED | Modifier::BOLD);
    let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
    for (at, (cell, other)) in plain.content.iter().zip(&coloured.content).enumerate() {
        assert!(
            cell.fg == Color::Reset && cell.bg == Color::Reset,
            "{name}, {:?}: {cell:?}",
            plain.pos_of(at)
        );
        assert_eq!(shape(cell), shape(other), "{name}, {:?}: {cell:?}", plain.pos_of(at));
        let stands_out = is_reversed(other) || other.bg != Color::Reset;
        let fits = if is_reversed(cell) { stands_out } else { !is_reversed(other) };
        assert!(fits, "{name}, {:?}: {cell:?}, {other:?}", plain.pos_of(at));
    }
    for (y, line) in plain.content.chunks(usize::from(plain.area.width)).enumerate() {
        let said: String = line.iter().map(Cell::symbol).collect();
        // The header has no selection: there the word of the environment is reversed.
        let reversed = y > 0 && line.iter().any(|cell| cell.modifier.contains(Modifier::REVERSED));
        assert!(!reversed || said.contains('▌'), "{name}: selected and not marked: {said}");
        for three in line.windows(3).filter(|three| SIGNS.contains(&three[0].symbol())) {
            let word = three[2].symbol().chars().all(char::is_alphanumeric);
            assert!(word && three[1].symbol() == " ", "{name}: a sign without a word: {said}");
        }
    }
}

/// Whether there is anything to be seen in it.
fn is_drawn(cell: &Cell) -> bool {
    !cell.symbol().trim().is_empty()
}

/// What xterm makes of a colour; the first sixteen are the terminal's own, and no theme of colours uses them.
fn rgb(colour: Color, own: Rgb) -> Rgb {
    match colour {
        Color::Reset => own,
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(n @ 16..=231) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        Color::Indexed(n @ 232..) => (8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
        other => panic!("{other:?} may be anything"),
    }
}

/// As WCAG 2 defines it.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let part = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let luminance = |(r, g, b): Rgb| 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
