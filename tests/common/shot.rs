//! Pictures of a screen in text, each beside the one that was looked at by a person.

use super::{Harness, readable, snap};
use lapel::config::ThemeChoice;
use lapel::tui::{Glyphs, Message};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use std::fmt::Write;

/// Takes one screen: its text, and its styles in each theme.
pub fn in_every_theme(h: &mut Harness, name: &str) {
    let out = readable_in_every_theme(h, name);
    compare(h, name, &out);
}

/// The screen's text, which is the same in every theme, and its styles in each. All of it can be read.
pub fn readable_in_every_theme(h: &mut Harness, name: &str) -> String {
    let mut out = String::new();
    let mut in_colours = None;
    for theme in [ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::None] {
        let buffer = in_theme(h, theme);
        let text = snap::text(&buffer);
        if out.is_empty() {
            out.clone_from(&text);
        }
        assert!(out.starts_with(&text), "{name}: a theme changes no text:\n{text}");
        // Writing to a String cannot fail.
        let _ = write!(out, "--- {theme:?}\n{}", snap::styles(&buffer));
        match (theme, &in_colours) {
            (ThemeChoice::None, Some(coloured)) => readable::needs_no_colour(name, coloured, &buffer),
            _ => {
                readable::has_contrast(name, theme, &buffer);
                in_colours = Some(buffer);
            }
        }
    }
    let buffer = in_theme(h, ThemeChoice::HighContrast);
    readable::has_contrast(name, ThemeChoice::HighContrast, &buffer);
    in_theme(h, ThemeChoice::Dark);
    still(h, &out)
}

/// The screen in a theme. A screen may have laid out its lines in the theme before.
fn in_theme(h: &mut Harness, theme: ThemeChoice) -> Buffer {
    h.tui.app.set_theme(theme);
    let area = h.buffer().area;
    h.tui.app.update(Message::Resize(area.width, area.height));
    h.buffer()
}

/// The screen's text without what is another one in every run: the port of the sandbox, the name of a [`folder`],
/// the times of this computer's clock, and the turns of a spinner.
pub fn still(h: &Harness, screen: &str) -> String {
    let base = h.sandbox.base_url();
    let port = base.split(':').nth(2).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let mut screen = screen.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:PORT");
    // How far a spinner has turned is a matter of time.
    let [first, others @ ..] = Glyphs::UNICODE.spinner else { unreachable!("a spinner has frames") };
    for other in others {
        screen = screen.replace(other, first);
    }
    // The number of requests in the header may follow the last answer a moment later. Tests count them elsewhere.
    let mut parts = screen.split(COUNT);
    let mut counted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_count = rest.len() < part.len() && rest.starts_with('/');
        counted.extend(if is_count { [COUNT, "n", rest] } else { [COUNT, "", part] });
    }
    let mut parts = counted.split(FOLDER);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.bytes().take_while(u8::is_ascii_alphanumeric).count();
        out.extend([FOLDER, &"0".repeat(name), &part[name..]]);
    }
    snap::without_now(&out)
}

/// The text before the number of requests in the header.
const COUNT: &str = "● ";

/// How the path of a [`folder`] begins.
const FOLDER: &str = "/tmp/lapel-";

/// A folder whose path is as long in every run, wherever it is.
pub fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("lapel-").rand_bytes(6).tempdir_in("/tmp").expect("a folder")
}

/// The lines of a picture, the header's without the places of its parts.
fn without_header_places(picture: &str) -> Vec<String> {
    let is_range = |word: &str| word.split_once('-').is_some_and(|(from, _)| from.parse::<u16>().is_ok());
    let lines = picture.trim_end().lines().enumerate();
    lines
        .map(|(n, line)| {
            let words = line.split_whitespace();
            if n == 0 {
                // A name is shortened with an ellipsis where room is short.
                words.filter(|word| !word.ends_with('…')).collect::<Vec<_>>().join(" ")
            } else if line.starts_with("  0: ") {
                words.filter(|word| !is_range(word)).collect::<Vec<_>>().join(" ")
            } else {
                line.to_owned()
            }
        })
        .collect()
}

/// Holds the picture of a screen to the one that is kept of it, by its name and the screen's size.
pub fn compare(h: &Harness, name: &str, out: &str) {
    let (columns, rows) = h.size();
    // The number of requests in the header is no part of the picture. One of another length moves the text on the left of
    // it.
    let path = format!("{}/tests/snapshots/{name}@{columns}x{rows}.snap", env!("CARGO_MANIFEST_DIR"));
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let kept = kept.splitn(3, "---\n").nth(2).unwrap_or_default();
    if without_header_places(kept) == without_header_places(out) {
        return;
    }
    // They stand in one folder, whichever file takes them.
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{name}@{columns}x{rows}"), out);
    });
}

/// The log of requests without what no two runs have in common: when, how long, and how long one waited for a turn,
/// between these two headings.
pub fn without_times(mut buffer: Buffer, headings: [&str; 2]) -> Buffer {
    let [waited, took] = headings.map(|heading| column(&buffer, heading));
    for y in 4..buffer.area.height - 2 {
        let line: Vec<char> =
            (0..buffer.area.width).map(|x| buffer[(x, y)].symbol().chars().next().unwrap_or(' ')).collect();
        let shape = |at: usize, shape: &str| {
            shape.chars().enumerate().all(|(i, c)| match (c, line.get(at + i)) {
                ('0', Some(there)) => there.is_ascii_digit(),
                (c, Some(there)) => c == *there,
                (_, None) => false,
            })
        };
        for x in 0..line.len() {
            let of = ["00:00:00", " 0.00 s", " 0.00"].into_iter().find(|of| shape(x, of));
            for (i, c) in of.into_iter().flat_map(|of| of.chars().enumerate()) {
                let at = u16::try_from(x + i).expect("on the screen");
                buffer[(at, y)].set_symbol(c.encode_utf8(&mut [0; 4]));
            }
        }
        if let (Some(from), Some(to), true) = (waited, took, line[2].is_ascii_digit()) {
            for x in from..to {
                buffer[(x, y)].reset();
                if line[0] != ' ' {
                    // The selected row is in reverse all along.
                    buffer[(x, y)].modifier.insert(Modifier::REVERSED);
                }
            }
        }
    }
    buffer
}

/// The place of a heading of the log.
fn column(buffer: &Buffer, heading: &str) -> Option<u16> {
    let cells = snap::drawn(buffer, 3);
    let line = |from: usize| cells[from..].iter().map(|(_, cell)| cell.symbol()).collect::<String>();
    (0..cells.len()).find(|from| line(*from).starts_with(heading)).map(|at| cells[at].0)
}
