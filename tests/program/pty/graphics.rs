//! Pictures as the terminal is sent them, by what the terminal says about itself. Its answers are in the
//! line before the program reads them, so no machine is too slow for them.

use super::kit::{Shown, Term, contains, still_demo};
use crate::texts::{msg, msg_part};

pub const KITTY: &str = "\x1b_Gi=31;OK\x1b\\";
/// A cell of 9 by 18 pixels.
const CELL: &str = "\x1b[6;18;9t";
pub const PLAIN: &str = "\x1b[?62;22c";
const SIXEL: &str = "\x1b[?62;4;22c";
pub const PLACEHOLDER: char = '\u{10eeee}';

fn named(name: &str) -> String {
    format!("\x1bP>|{name}\x1b\\")
}

/// A demo in a terminal that has said this.
fn demo(said: &str) -> Term {
    still_demo().ahead(said).size(120, 36).start()
}

/// The texts between two marks.
fn between<'a>(raw: &'a [u8], begin: &str, end: &str) -> Vec<&'a [u8]> {
    let at = |raw: &[u8], mark: &str| raw.windows(mark.len()).position(|w| w == mark.as_bytes());
    let (mut found, mut rest) = (Vec::new(), raw);
    while let Some(from) = at(rest, begin) {
        rest = &rest[from + begin.len()..];
        let Some(to) = at(rest, end) else { break };
        found.push(&rest[..to]);
        rest = &rest[to..];
    }
    found
}

/// Decodes base64.
fn unpacked(base64: &[u8]) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is not base64"),
    };
    let digits: Vec<u8> = base64.iter().filter(|b| **b != b'=').map(|b| value(*b)).collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits =
            four.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// The number after a name such as `s=`.
fn number(text: &str, name: &str) -> usize {
    let rest = text.split(name).nth(1).unwrap_or_else(|| panic!("{name} in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{name} in {text}"))
}

fn colours(pixels: &[u8], size: usize) -> usize {
    pixels.chunks(size).collect::<std::collections::HashSet<_>>().len()
}

/// A kitty picture: its name, its size in pixels and in cells, and its pixels.
pub struct Sent {
    id: usize,
    pub pixels: (usize, usize),
    cells: (usize, usize),
    pub rgba: Vec<u8>,
}

pub fn sent_to_kitty(raw: &[u8]) -> Vec<Sent> {
    let mut all: Vec<(Sent, Vec<u8>)> = Vec::new();
    for command in between(raw, "\x1b_G", "\x1b\\") {
        let command = String::from_utf8_lossy(command).into_owned();
        let (head, data) = command.split_once(';').unwrap_or((&command, ""));
        if head.contains("a=T") {
            assert!(head.contains("U=1") && head.contains("f=32") && head.contains("q=2"), "{head}");
            let head = format!(",{head}");
            let of = |name: &str| number(&head, name);
            let sent = Sent {
                id: of(",i="),
                pixels: (of(",s="), of(",v=")),
                cells: (of(",c="), of(",r=")),
                rgba: Vec::new(),
            };
            all.push((sent, data.as_bytes().to_vec()));
        } else if !head.contains("a=q") && !head.contains("a=d") {
            all.last_mut().expect("a picture that it belongs to").1.extend(data.as_bytes());
        }
    }
    all.into_iter().map(|(sent, data)| Sent { rgba: unpacked(&data), ..sent }).collect()
}

fn placeholders(shown: &Shown) -> usize {
    shown.text.matches(PLACEHOLDER).count()
}

/// Opens the first badge, whose picture is beside its text.
fn open_badge(term: &mut Term) {
    term.shows(msg_part("row 1 of 40"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    term.send("\r");
    term.until("the badge", |s| s.has("Cert. no.") && s.has("front"));
}

#[test]
fn kitty_is_sent_pixels_once_and_placeholders() {
    let mut term = demo(&format!("{KITTY}{}{CELL}{PLAIN}", named("kitty(0.40.1)")));
    let shown = term.until("a picture", |s| placeholders(s) > 0);
    let sent = sent_to_kitty(&term.raw());
    let first = &sent[0];
    assert_eq!(first.rgba.len(), first.pixels.0 * first.pixels.1 * 4);
    assert!(colours(&first.rgba, 4) > 20, "a real picture");
    assert_eq!(placeholders(&shown), first.cells.0 * first.cells.1);
    assert_eq!((first.cells.0 * 9, first.cells.1 * 18), first.pixels, "in the terminal's own pixels");
    // A badge: its text is scrolled and its picture is not sent again.
    open_badge(&mut term);
    term.until("its picture", |s| placeholders(s) > first.cells.0 * first.cells.1);
    let count = sent_to_kitty(&term.raw()).len();
    let before = term.raw().len();
    term.send("p");
    term.until("its back", |s| s.has("back · p") && placeholders(s) > 0);
    let now = sent_to_kitty(&term.raw());
    assert_eq!(now.len(), count + 1);
    assert_ne!(now[count].id, now[count - 1].id);
    let turned = term.raw().len();
    assert!(turned - before > now[count].rgba.len());
    term.send("p");
    term.until("its front", |s| s.has("front · p") && placeholders(s) > 0);
    assert_eq!(sent_to_kitty(&term.raw()).len(), count + 1, "it has the front already");
    // One moves on: nothing of it is left on the screen.
    term.send("2");
    let shown = term.shows(msg_part("row 1 of 4,300"));
    assert_eq!(placeholders(&shown), 0);
    let ids: Vec<usize> = sent_to_kitty(&term.raw()).iter().map(|sent| sent.id).collect();
    term.send("q");
    term.exit_restored();
    // At the end lapel tells it to forget them.
    for id in ids {
        assert!(contains(&term.raw(), format!("\x1b_Ga=d,d=I,q=2,i={id}\x1b\\").as_bytes()), "{id}");
    }
}

/// The rows and columns that a part of the output has written into: the screen before it is full of signs
/// that nobody else writes.
fn untouched(part: &[u8], columns: u16, rows: u16) -> Vec<(u16, u16)> {
    let some = |n| std::num::NonZeroU16::new(n).expect("a size");
    let mut parser = vt100::Parser::new(some(rows), some(columns), 0);
    for row in 1..=rows {
        parser.process(format!("\x1b[{row};1H{}", "¤".repeat(usize::from(columns))).as_bytes());
    }
    parser.process(part);
    let left = |y: u16, x: u16| parser.screen().cell(y, x).is_some_and(|cell| cell.contents() == "¤");
    (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))).filter(|(y, x)| left(*y, *x)).collect()
}

/// A badge's picture by pixels that are not cells: sent once, not again while one scrolls, and overwritten
/// when one moves on. `begin` and `end` are around its data.
fn by_pixels(said: &str, env: Option<(&str, &str)>, begin: &str, end: &str) -> Vec<u8> {
    let mut setup = still_demo().ahead(said).size(120, 20);
    if let Some((name, value)) = env {
        setup = setup.env(name, value);
    }
    let mut term = setup.start();
    let pictures = |raw: &[u8]| between(raw, begin, end).len();
    term.until_seen("a picture", |_, raw| pictures(raw) == 1);
    open_badge(&mut term);
    term.until_seen("the badge's picture", |_, raw| pictures(raw) == 2);
    let raw = term.raw();
    let data = between(&raw, begin, end)[1].to_vec();
    // Its text scrolls beside it.
    let before = raw.len();
    term.send("j");
    term.until("the text further down", |s| !s.text.contains("WAITING"));
    assert_eq!(pictures(&term.raw()), 2, "it is not sent again");
    assert!(term.raw().len() - before < 4000, "{} bytes for a line", term.raw().len() - before);
    // One moves on: every cell that it stood on is written.
    let before = term.raw().len();
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.has(msg_part("other side")));
    let left = untouched(&term.raw()[before..], 120, 20);
    // Eleven rows, which are left between a caption and the room for a notice, and as wide as high.
    let under: Vec<_> = left.iter().filter(|(y, x)| (4..15).contains(y) && (91..113).contains(x)).collect();
    assert!(under.is_empty(), "left standing at {under:?}");
    term.send("q");
    term.exit_restored();
    data
}

#[test]
fn iterm2_is_sent_a_png() {
    let png = |data: &[u8]| {
        let text = String::from_utf8_lossy(data).into_owned();
        let (head, base64) = text.split_once(':').expect("a head");
        let bytes = unpacked(base64.as_bytes());
        assert_eq!(number(head, "size="), bytes.len(), "{head}");
        let picture = image::load_from_memory(&bytes).expect("a PNG").into_rgba8();
        assert_eq!(number(head, "width=") as u32, picture.width(), "{head}");
        assert_eq!(picture.width() % 9 + picture.height() % 18, 0, "whole cells");
        assert!(colours(picture.as_raw(), 4) > 20, "a real picture");
    };
    let (begin, end) = ("\x1b]1337;File=inline=1;", "\x07");
    png(&by_pixels(&format!("{}{CELL}{SIXEL}", named("iTerm2 3.5.10")), None, begin, end));
    let program = Some(("TERM_PROGRAM", "iTerm.app"));
    png(&by_pixels(&format!("{CELL}{PLAIN}"), program, begin, end));
}

#[test]
fn a_terminal_with_sixel_is_sent_sixels() {
    let said = format!("{}{CELL}{SIXEL}", named("XTerm(388)"));
    let data = by_pixels(&said, None, "\x1bP", "\x1b\\");
    let text = String::from_utf8(data).expect("sixels are plain text");
    let (head, body) = text.split_once('q').expect("a head");
    assert!(head.chars().all(|c| c.is_ascii_digit() || c == ';'), "{head}");
    let size = body.split('"').nth(1).expect("a size").split(['#', ';']).collect::<Vec<_>>();
    let (width, height): (usize, usize) = (size[2].parse().expect("width"), size[3].parse().expect("height"));
    assert_eq!((width % 9, height % 6), (0, 0), "whole columns and whole bands");
    assert!(body.matches(";2;").count() > 8, "colours");
    assert!(body.matches('-').count() >= height / 6 - 1, "bands");
}

/// Cells of the screen that are half a block.
pub fn blocks(shown: &Shown) -> Vec<vt100::Color> {
    let (rows, columns) = shown.screen.size();
    let cells = (0..rows.get()).flat_map(|y| (0..columns.get()).map(move |x| (y, x)));
    let cells = cells.filter_map(|(y, x)| shown.screen.cell(y, x));
    cells.filter(|c| matches!(c.contents(), "▀" | "▄")).map(vt100::Cell::fgcolor).collect()
}

#[test]
fn every_other_terminal_is_sent_characters_in_colours_that_it_has() {
    for (said, colour_term) in [
        (String::new(), "truecolor"),
        (String::new(), ""),
        (format!("{}{CELL}{PLAIN}", named("VTE(7802)")), ""),
        (SIXEL.to_owned(), ""),
    ] {
        let term = still_demo().ahead(&said).env("COLORTERM", colour_term).size(120, 36).start();
        let shown = term.until("a picture", |s| blocks(s).len() > 40);
        let true_colour = |c: &vt100::Color| matches!(c, vt100::Color::Rgb(..));
        assert_eq!(blocks(&shown).iter().all(true_colour), colour_term == "truecolor", "{said:?}");
        assert_eq!(blocks(&shown).iter().any(true_colour), colour_term == "truecolor", "{said:?}");
        assert!(!contains(&term.raw(), b"\x1bPq") && !contains(&term.raw(), b"]1337"));
        // It was asked once, and the first frame did not wait for it.
        let raw = term.raw();
        let at = |what: &[u8]| raw.windows(what.len()).position(|w| w == what).expect("written");
        assert!(at(b"lapel") < at(b"\x1b[c"));
        assert_eq!(raw.windows(3).filter(|w| *w == b"\x1b[c").count(), 1);
    }
}

#[test]
fn keys_between_the_answers_are_keys() {
    // On a silent terminal too: they wait for the end of the listening, not for an answer.
    for said in [format!("2{KITTY}{CELL}?{PLAIN}"), "2?".to_owned()] {
        let mut term = super::kit::lapel(&[])
            .env("LAPEL_BASE_URL", "http://127.0.0.1:9/api/v1/ext")
            .env("LAPEL_API_KEY", "k-0123456789abcdef")
            .ahead(&said)
            .start();
        let shown = term.shows(msg_part("Keys of this screen"));
        assert!(shown.has(msg_part("mark or unmark")), "of the history: {}", shown.text);
        term.send("qq");
        term.exit_restored();
    }
}

#[test]
fn a_multiplexer_gets_no_question_that_it_would_read_as_a_title() {
    for (name, value) in
        [("TERM", "tmux-256color"), ("TERM", "screen"), ("TMUX", "/tmp/tmux-0/default,1,0"), ("STY", "1.pts")]
    {
        let term = still_demo().ahead(format!("{CELL}{SIXEL}")).env(name, value).size(120, 36).start();
        term.until_seen("a picture", |_, raw| contains(raw, b"\x1bP"));
        let raw = term.raw();
        assert!(contains(&raw, b"\x1b[c") && !contains(&raw, b"\x1b_G") && !contains(&raw, b"\x1b[>0q"));
        assert!(!contains(&raw, b"\x1bPtmux;"), "nothing is smuggled through");
    }
}

#[test]
fn where_there_are_to_be_no_pictures_nothing_is_asked_and_nothing_is_shown() {
    let demo = || still_demo().ahead(format!("{KITTY}{CELL}{SIXEL}")).size(120, 36);
    // With a theme in the settings, lapel has nothing to ask.
    let none = lapel_with("none").size(120, 36);
    let config = demo();
    config.write("config/config.toml", "pictures = \"none\"\n");
    for (setup, colourless) in [
        (demo().env("NO_COLOR", "1"), true),
        (demo().env("LANG", "C"), false),
        (demo().env("TERM", "linux"), true),
        (none, true),
        (config, false),
    ] {
        let mut term = setup.start();
        let shown = term.until("the detail", |s| s.has("Criteria") && s.has("row 1 of 40"));
        assert!(blocks(&shown).is_empty());
        let raw = term.raw();
        assert!(!contains(&raw, b"\x1b_G") && !contains(&raw, b"\x1b[16t") && !contains(&raw, b"\x1bP"));
        // Then only whether the terminal is dark or light is of interest, and not even that without colours.
        let asked = [&b"\x1b[c"[..], b"\x1b]11;?\x07"].map(|question| contains(&raw, question));
        assert_eq!(asked, [!colourless; 2]);
        term.send("q");
        term.exit_restored();
    }
}

#[test]
fn kitty_behind_tmux_is_reached_only_where_it_is_named() {
    let mut term = lapel_with("kitty").env("TMUX", "/tmp/tmux-0/default,1,0").size(120, 36).start();
    term.until("placeholders", |s| placeholders(s) > 0);
    term.send("q");
    term.exit_restored();
    let raw = term.raw();
    let bare = raw.windows(3).enumerate().filter(|(_, w)| *w == b"\x1b_G").map(|(at, _)| at);
    // Each is in tmux's wrapping, where every escape is doubled.
    let mut count = 0;
    for at in bare {
        assert_eq!(raw[at - 1], 0x1b, "not wrapped");
        count += 1;
    }
    assert!(count > 16 && contains(&raw, b"\x1bPtmux;\x1b\x1b_Gq=2,i="), "{count}");
}

fn lapel_with(pictures: &str) -> super::kit::Setup {
    super::kit::lapel(&["demo", "--seed", "7", "--speed", "0", "--theme", "dark", "--pictures", pictures])
}

#[test]
fn a_chosen_picture_protocol_is_used_without_questions() {
    let asked = |term: &Term| [&b"\x1b[c"[..], b"a=q", b"\x1b]11"].iter().any(|q| contains(&term.raw(), q));
    // Also without colours: the colours of its placeholders are how kitty knows which picture is meant.
    let plain = &["demo", "--seed", "7", "--speed", "0", "--pictures", "kitty"];
    let term = super::kit::lapel(plain).env("NO_COLOR", "1").size(120, 36).start();
    let shown = term.until("placeholders", |s| placeholders(s) > 0);
    assert!(!asked(&term));
    let id = sent_to_kitty(&term.raw())[0].id;
    let (rows, columns) = shown.screen.size();
    let colour = (0..rows.get())
        .flat_map(|y| (0..columns.get()).map(move |x| (y, x)))
        .filter_map(|(y, x)| shown.screen.cell(y, x))
        .find(|cell| cell.contents().starts_with(PLACEHOLDER))
        .map(vt100::Cell::fgcolor);
    let Some(vt100::Color::Rgb(r, g, b)) = colour else { panic!("{colour:?}") };
    assert_eq!(usize::from(r) << 16 | usize::from(g) << 8 | usize::from(b), id & 0xff_ffff);
    for (way, begins) in [("iterm2", "\x1b]1337;File="), ("sixel", "\x1bP")] {
        let term = lapel_with(way).size(120, 36).start();
        term.until_seen(way, |_, raw| contains(raw, begins.as_bytes()));
        assert!(!asked(&term), "{way}");
    }
    let term = lapel_with("halfblocks").size(120, 36).start();
    term.until("blocks", |s| blocks(s).len() > 40);
    assert!(!asked(&term));
}

#[test]
fn kitty_is_sent_a_picture_again_after_the_window_has_changed() {
    let mut term = demo(&format!("{KITTY}{}{CELL}{PLAIN}", named("ghostty 1.1.2")));
    term.until("a picture", |s| placeholders(s) > 0);
    let before = sent_to_kitty(&term.raw()).len();
    term.resize(140, 40);
    let shown = term.until_seen("a picture in another size", |s, raw| {
        s.line(39).contains(msg("quit")) && placeholders(s) > 0 && sent_to_kitty(raw).len() > before
    });
    let sent = sent_to_kitty(&term.raw());
    let last = sent.last().expect("a picture");
    assert_eq!(placeholders(&shown), last.cells.0 * last.cells.1);
}
