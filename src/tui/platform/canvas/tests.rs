#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod model;

use super::*;
use crate::domain::text::scrub;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::fit;
use model::{ALL, Model, NAMES, Widths};
use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

const COLUMNS: u16 = 60;
const ROWS: u16 = 12;
const ADDRESSES: u16 = 24;

/// A frame's bytes around what it changes.
fn framed(changes: &str) -> String {
    format!("\x1b[?2026h{changes}\x1b[?2026l")
}

struct Written {
    canvas: Canvas<Vec<u8>>,
}

impl Written {
    fn new() -> Self {
        Self { canvas: Canvas::of_size(Vec::new(), COLUMNS, ROWS) }
    }

    fn show(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Vec<u8> {
        let mut drawn = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
        draw(&mut Frame::new(&mut drawn));
        self.canvas.show(&mut drawn).expect("shown");
        std::mem::take(self.canvas.out())
    }
}

/// One terminal of each kind, for the same frames.
struct Watched {
    written: Written,
    models: [Model; 3],
}

impl Watched {
    fn new() -> Self {
        Self { written: Written::new(), models: ALL.map(|widths| Model::new(widths, COLUMNS, ROWS)) }
    }

    /// Compares the frame, drawn over the one before, with a full repaint.
    fn draw(&mut self, draw: impl Fn(&mut Frame<'_>)) {
        let bytes = self.written.show(&draw);
        let fresh = Written::new().show(&draw);
        for model in &mut self.models {
            model.take(&bytes);
        }
        for (model, widths) in self.models.iter().zip(ALL) {
            let whole = Model::after(widths, COLUMNS, ROWS, &fresh);
            assert!(
                model.text() == whole.text(),
                "{widths:?}\n{}\nis not the whole of it:\n{}",
                model.text(),
                whole.text()
            );
            assert!(model.shows(&whole), "{widths:?}: another look\n{}", model.text());
        }
    }
}

fn address(person: usize) -> String {
    format!("person{person}@naru.example")
}

fn list(frame: &mut Frame<'_>, top: usize, selected: usize) {
    for y in 0..ROWS - 1 {
        let person = top + usize::from(y);
        let name = scrub(NAMES[person % NAMES.len()]).into_owned();
        let name = fit(&name, usize::from(ADDRESSES) - 3, "…");
        let style =
            if person == selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        let sign = if person == selected { "▌ " } else { "  " };
        let line =
            Line::from(vec![Span::raw(sign), Span::raw(name), Span::raw(" "), Span::raw(address(person))]);
        frame.render_widget(line.patch_style(style), Rect::new(0, y, COLUMNS, 1));
    }
    frame.render_widget(Line::raw(format!(" row {selected} of 100 · …")), Rect::new(0, ROWS - 1, COLUMNS, 1));
}

#[test]
fn scrolling_leaves_nothing_of_other_rows() {
    let mut watched = Watched::new();
    for at in (0..40).chain((0..40).rev()).chain((0..100).step_by(7)) {
        watched.draw(|frame| list(frame, at, at + 3));
        for model in
            watched.models.iter().zip(ALL).filter(|(_, widths)| *widths != Widths::Odd).map(|(m, _)| m)
        {
            for y in 0..ROWS - 1 {
                let shown = model.text_from(y, usize::from(ADDRESSES));
                assert_eq!(shown, address(at + usize::from(y)), "{}", model.text());
            }
        }
    }
}

#[test]
fn a_popup_over_a_list_leaves_nothing_when_it_closes() {
    let mut watched = Watched::new();
    for (turn, x) in (0..30).zip((1..40).cycle()) {
        watched.draw(|frame| list(frame, turn, turn));
        watched.draw(|frame| {
            list(frame, turn, turn);
            let area = Rect::new(x, 2, 15, 5);
            frame.render_widget(Clear, area);
            frame.render_widget(Line::raw("கா│a menu, 한글"), Rect { y: 3, height: 1, ..area });
        });
    }
}

#[derive(Clone, Default)]
struct Shared(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reason for this module: ratatui's own output for the same frames is wrong on these terminals. This test
/// proves that the models detect it.
#[test]
fn the_models_find_what_relative_writing_leaves() {
    use ratatui::backend::CrosstermBackend;
    use ratatui::{Terminal, TerminalOptions, Viewport};
    let area = Rect::new(0, 0, COLUMNS, ROWS);
    let terminal = |written: Shared| {
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        Terminal::with_options(CrosstermBackend::new(written), options).expect("a terminal")
    };
    let names = |frame: &mut ratatui::Frame<'_>, top: usize| {
        for y in 0..ROWS {
            let person = top + usize::from(y);
            let text = format!("{} {}", NAMES[person % 3], address(person));
            frame.render_widget(Line::raw(text), Rect::new(0, y, COLUMNS, 1));
        }
    };
    let (all, last) = (Shared::default(), Shared::default());
    let mut scrolled = terminal(all.clone());
    for top in 0..9 {
        scrolled.draw(|frame| names(frame, top)).expect("drawn");
    }
    terminal(last.clone()).draw(|frame| names(frame, 8)).expect("drawn");
    let model = |written: &Shared| Model::after(Widths::CodePoints, COLUMNS, ROWS, &written.0.borrow());
    assert_ne!(model(&all).text(), model(&last).text());
}

#[test]
fn where_all_is_certain_only_what_has_changed_is_written() {
    let mut written = Written::new();
    let line = |frame: &mut Frame<'_>, text: &str| {
        frame.render_widget(Line::raw(text.to_owned()), Rect::new(0, 0, COLUMNS, 1));
    };
    written.show(|frame| line(frame, "one 한서윤 two"));
    let bytes = |written: &mut Written, text: &str| {
        String::from_utf8(written.show(|frame| line(frame, text))).expect("text")
    };
    assert_eq!(bytes(&mut written, "one 한서윤 two"), "");
    assert_eq!(bytes(&mut written, "one 한서준 two"), framed("\x1b[1;9H준"));
    // Half of a wide character is never written alone.
    assert_eq!(bytes(&mut written, "one 한서x  two"), framed("\x1b[1;9Hx "));
    assert_eq!(bytes(&mut written, "one 한 x x two"), framed("\x1b[1;7H x x"));
}

#[test]
fn an_uncertain_cluster_is_blanked_written_and_what_follows_is_positioned() {
    let mut written = Written::new();
    let bytes = written.show(|frame| frame.render_widget(Line::raw("aகாb"), Rect::new(0, 0, COLUMNS, 1)));
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!(text, framed("\x1b[?25l\x1b[m\x1b[2J\x1b[1Ha  \x1b[2Gகா\x1b[4Gb\x1b[K"));
    // Any change in that row writes all of it.
    let bytes = written.show(|frame| frame.render_widget(Line::raw("aகாc"), Rect::new(0, 0, COLUMNS, 1)));
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!(text, framed("\x1b[1Ha  \x1b[2Gகா\x1b[4Gc\x1b[K"));
    // The first frame without it writes all of the row too.
    let bytes = written.show(|frame| frame.render_widget(Line::raw("axyc"), Rect::new(0, 0, COLUMNS, 1)));
    assert_eq!(String::from_utf8_lossy(&bytes), framed("\x1b[1Haxyc\x1b[K"));
}

#[test]
fn a_picture_is_written_once_beside_whatever_else_changes() {
    let mut written = Written::new();
    let picture = |frame: &mut Frame<'_>, text: &str| {
        frame.render_widget(Line::raw(text.to_owned()), Rect::new(0, 0, 10, 1));
        let buffer = frame.buffer_mut();
        let one = std::num::NonZeroU16::MIN;
        buffer[(20, 0)].set_symbol("\x1bPpixels\x1b\\").set_diff_option(CellDiffOption::ForcedWidth(one));
        for x in 21..30 {
            buffer[(x, 0)].set_diff_option(CellDiffOption::Skip);
        }
    };
    let count = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").matches("pixels").count();
    assert_eq!(count(written.show(|frame| picture(frame, "காa"))), 1);
    let bytes = written.show(|frame| picture(frame, "காb"));
    let text = String::from_utf8(bytes.clone()).expect("text");
    assert_eq!(count(bytes), 0, "{text:?}");
    // Nothing is written over the picture.
    assert!(text.contains("b\x1b[17X\x1b[27C\x1b[K"), "{text:?}");
    let bytes = written.show(|frame| frame.render_widget(Line::raw("காb"), Rect::new(0, 0, 10, 1)));
    assert_eq!(String::from_utf8_lossy(&bytes), framed("\x1b[1H  \x1b[1Gகா\x1b[3Gb\x1b[K"));
    written.show(|frame| picture(frame, "காb"));
    written.canvas.forget();
    assert_eq!(count(written.show(|frame| picture(frame, "காb"))), 1);
}

#[test]
fn a_row_that_was_written_over_is_restored() {
    let mut watched = Watched::new();
    watched.draw(|frame| list(frame, 0, 1));
    let before = watched.models.clone();
    for model in &mut watched.models {
        model.take("\x1b[2;1H●".as_bytes());
    }
    watched.written.canvas.restore(1).expect("restored");
    let bytes = std::mem::take(watched.written.canvas.out());
    for (model, before) in watched.models.iter_mut().zip(&before) {
        model.take(&bytes);
        assert_eq!(model.text(), before.text());
    }
}

#[test]
fn a_frame_that_failed_in_the_middle_is_drawn_again() {
    struct Broken(Vec<u8>, bool);
    impl Write for Broken {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 { Err(io::ErrorKind::WouldBlock.into()) } else { self.0.write(bytes) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut canvas = Canvas::of_size(Broken(Vec::new(), false), 4, 1);
    let frame = |text| Buffer::with_lines([text]);
    canvas.show(&mut frame("abcd")).expect("shown");
    canvas.out().1 = true;
    canvas.show(&mut frame("axcd")).expect_err("broken");
    *canvas.out() = Broken(Vec::new(), false);
    canvas.show(&mut frame("axcd")).expect("shown");
    assert_eq!(String::from_utf8_lossy(&canvas.out().0), framed("\x1b[?25l\x1b[m\x1b[2J\x1b[1Haxcd"));
}

/// A list like History at 109x40, with signs of certain width: most terminals say how wide the others are.
fn wide_list(frame: &mut Frame<'_>, selected: u16) {
    const NAMES: [&str; 7] =
        ["박하진", "정민솔", "Olga Lindqvist", "Sven Ivanova", "신 해인 B", "박다영", "정예우"];
    let colour = |n| Style::new().fg(Color::Indexed(n));
    for (y, name) in (4..37).zip(NAMES.iter().cycle()) {
        let area = Rect::new(0, y, 109, 1);
        let sign = if y == selected { "⠿" } else { " " };
        let row = Line::from(vec![
            Span::styled(sign, colour(114).add_modifier(Modifier::BOLD)),
            Span::styled("  ", colour(220).add_modifier(Modifier::BOLD)),
            Span::styled("✕ 4m/24h  ", colour(117)),
            Span::raw(fit(name, 23, "~")),
            Span::raw(fit(&format!("person.of.row{}@naru.example", 300 + y), 31, "~")),
            Span::raw(fit("파이썬 데이터 분석 수료", 27, "~")),
            Span::styled("req 11-21 WAIT", colour(246)),
        ]);
        frame.render_widget(row, area);
        if y == selected {
            frame.buffer_mut().set_style(area, Style::new().bg(Color::Indexed(17)));
        }
    }
    let counter = Line::styled(format!("row {} of 4,300", selected - 3), colour(246));
    frame.render_widget(counter, Rect::new(94, 37, 15, 1));
}

#[test]
fn a_cursor_move_in_a_wide_list_takes_few_bytes() {
    let frame = |selected| {
        let mut drawn = Buffer::empty(Rect::new(0, 0, 109, 40));
        wide_list(&mut Frame::new(&mut drawn), selected);
        drawn
    };
    let mut canvas = Canvas::of_size(Vec::new(), 109, 40);
    let mut model = Model::new(Widths::Clusters, 109, 40);
    for (at, selected) in [5, 6, 7, 8, 9, 10, 11, 10, 9].into_iter().enumerate() {
        canvas.show(&mut frame(selected)).expect("shown");
        let bytes = std::mem::take(canvas.out());
        model.take(&bytes);
        let mut fresh = Canvas::of_size(Vec::new(), 109, 40);
        fresh.show(&mut frame(selected)).expect("shown");
        assert!(model.shows(&Model::after(Widths::Clusters, 109, 40, fresh.out())), "{}", model.text());
        println!("row {selected}: {} bytes", bytes.len());
        // Two thirds are the text of the two rows.
        assert!(at == 0 || bytes.len() <= 361, "{} bytes: {:?}", bytes.len(), String::from_utf8(bytes));
    }
}

#[test]
fn a_style_is_the_same_whatever_was_written_before_it() {
    let modifiers =
        [Modifier::BOLD, Modifier::DIM, Modifier::UNDERLINED, Modifier::REVERSED, Modifier::ITALIC];
    let colours = [Color::Reset, Color::Indexed(114), Color::Indexed(117)];
    let mut styles = Vec::new();
    for set in 0..1usize << modifiers.len() {
        let added = modifiers.iter().enumerate().filter(|(at, _)| (set >> at) & 1 == 1);
        let modifier = added.fold(Modifier::empty(), |all, (_, own)| all | *own);
        for fg in colours {
            for bg in &colours[..2] {
                styles.push(Style::new().fg(fg).bg(*bg).add_modifier(modifier));
            }
        }
    }
    let frame = |letters: &[Style]| {
        let mut drawn = Buffer::empty(Rect::new(0, 0, 2, 1));
        for (x, style) in (0..).zip(letters) {
            drawn[(x, 0)].set_symbol("a").set_style(*style);
        }
        drawn
    };
    for before in &styles {
        let mut apart = Canvas::of_size(Vec::new(), 2, 1);
        apart.show(&mut frame(&[*before])).expect("shown");
        let first = std::mem::take(apart.out());
        for after in &styles {
            let mut at_once = Canvas::of_size(Vec::new(), 2, 1);
            at_once.show(&mut frame(&[*before, *after])).expect("shown");
            // Each frame begins with the plain style.
            let mut apart = Canvas::of_size(Vec::new(), 2, 1);
            apart.show(&mut frame(&[*before])).expect("shown");
            apart.out().clear();
            apart.show(&mut frame(&[*before, *after])).expect("shown");
            let one = Model::after(Widths::Clusters, 2, 1, at_once.out());
            let other =
                Model::after(Widths::Clusters, 2, 1, &[first.as_slice(), apart.out().as_slice()].concat());
            assert!(one.shows(&other), "{after:?} after {before:?}");
        }
    }
}

#[test]
fn a_style_takes_the_fewest_parameters() {
    let of = |before: Style, after: Style| {
        let cell = |style| CellStyle::of(Cell::new("a").set_style(style));
        let mut pen = Pen { cell_style: Some(cell(before)), ..Pen::default() };
        pen.style(cell(after), false);
        String::from_utf8(pen.bytes).expect("text")
    };
    let (tint, green, grey) = (
        Style::new().bg(Color::Indexed(17)),
        Style::new().fg(Color::Indexed(114)),
        Style::new().fg(Color::Indexed(246)),
    );
    assert_eq!(of(tint.patch(green).bold(), tint.patch(grey)), "\x1b[22;38;5;246m");
    assert_eq!(of(tint.bold(), tint.dim()), "\x1b[22;2m");
    assert_eq!(of(tint.underlined().reversed(), tint), "\x1b[24;27m");
    assert_eq!(of(tint.patch(green), tint), "\x1b[39m");
    // A reset is shorter.
    assert_eq!(of(green.bold(), grey), "\x1b[0;38;5;246m");
    assert_eq!(of(tint.patch(green), grey), "\x1b[0;38;5;246m");
    // Not every terminal knows how to end these.
    assert_eq!(of(tint.italic(), tint), "\x1b[0;48;5;17m");
    assert_eq!(of(green.bold(), Style::new()), "\x1b[m");
    assert_eq!(of(green, green), "");
}

#[test]
fn blanks_between_texts_are_erased_together_if_that_is_shorter() {
    let mut written = Written::new();
    let line = |frame: &mut Frame<'_>, text: &str| {
        frame.render_widget(Line::raw(text.to_owned()), Rect::new(0, 0, COLUMNS, 1));
    };
    let full = "x".repeat(usize::from(COLUMNS));
    let mut bytes = |text: &str| {
        written.show(|frame| line(frame, &full));
        String::from_utf8(written.show(|frame| line(frame, text))).expect("text")
    };
    let gap = " ".repeat(12);
    assert_eq!(bytes(&format!("a{gap}b{gap}c")), framed("\x1b[1Ha\x1b[K\x1b[12Cb\x1b[12Cc"));
    // The end of the row stays.
    let end = "x".repeat(usize::from(COLUMNS) - 27);
    assert_eq!(bytes(&format!("a{gap}b{gap}c{end}")), framed("\x1b[1Ha\x1b[26X\x1b[12Cb\x1b[12Cc"));
    // A few are written.
    assert_eq!(bytes(&format!("a    b   c{}", "x".repeat(50))), framed("\x1b[1Ha    b   c"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_frame_is_what_it_is_alone(
        frames in prop::collection::vec(
            prop::collection::vec((0u16..COLUMNS, 0u16..3, 0usize..NAMES.len(), 1u16..30), 0..6),
            1..6,
        ),
    ) {
        let mut watched = Watched::new();
        for texts in frames {
            watched.draw(|frame| {
                for (x, y, name, room) in &texts {
                    let name = scrub(NAMES[*name]).into_owned();
                    frame.render_widget(Line::raw(name), Rect::new(*x, *y, *room, 1));
                }
            });
        }
    }
}
