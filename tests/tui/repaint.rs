//! What is written to the terminal, over a whole session, replayed by terminals that count cells in three ways:
//! each shows at every step what a full repaint shows.

#[path = "../../src/tui/platform/canvas/tests/model.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod model;

use super::*;
use crate::common::{session, tui_on};
use lapel::sandbox::{RowState, Sandbox};
use lapel::tui::{Canvas, FirstConnection, Surface, Tui};
use model::{ALL, Model, NAMES, Widths};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What was written to a terminal, and in how many pieces.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    writes: usize,
}

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writes += 1;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A TUI on a terminal that keeps what it is written, and models that read it.
struct Watched {
    tui: Tui<Canvas<Written>>,
    size: (u16, u16),
    models: [Model; 3],
    steps: usize,
    /// Bytes that were written.
    bytes: usize,
    _sandbox: Sandbox,
}

/// The name that belongs to an address.
fn name_of(person: usize) -> &'static str {
    NAMES[person % NAMES.len()]
}

impl Watched {
    async fn new(columns: u16, rows: u16) -> Self {
        let sandbox = Sandbox::start(small()).await.expect("the sandbox starts");
        let insert = (0..120).map(|person| RowSpec {
            template_id: "TPL-004".into(),
            recipient_name: name_of(person).into(),
            recipient_email: format!("to{person}@nr.kr"),
            state: RowState::Issued,
            ..RowSpec::default()
        });
        let rows_of = Rows { insert: insert.collect(), ..Rows::default() };
        sandbox.control().rows(&rows_of).expect("inserted");
        let first_connection = FirstConnection::Session(Box::new(session(&sandbox, Environment::Demo)));
        let canvas = Canvas::of_size(Written::default(), columns, rows);
        Self {
            tui: tui_on(canvas, first_connection),
            size: (columns, rows),
            models: ALL.map(|widths| Model::new(widths, columns, rows)),
            steps: 0,
            bytes: 0,
            _sandbox: sandbox,
        }
    }

    /// The bytes of a full repaint.
    fn fresh(&self) -> Vec<u8> {
        let (columns, rows) = self.size;
        let mut canvas = Canvas::of_size(Vec::new(), columns, rows);
        let mut drawn = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.tui.app.draw(&mut drawn);
        canvas.show(&mut drawn).expect("shown");
        std::mem::take(canvas.out())
    }

    /// Draws what has changed, and compares.
    fn draw(&mut self) {
        if !self.tui.draw().expect("drawn") {
            return;
        }
        self.steps += 1;
        let (columns, rows) = self.size;
        let Written { bytes: written, writes } = std::mem::take(self.tui.surface.out());
        assert!(writes <= 1, "{writes} writes for one frame");
        self.bytes += written.len();
        let fresh = self.fresh();
        for (model, widths) in self.models.iter_mut().zip(ALL) {
            model.take(&written);
            let whole = Model::after(widths, columns, rows, &fresh);
            assert!(
                model.shows(&whole),
                "{widths:?}\n{}\nand a full repaint:\n{}",
                model.text(),
                whole.text()
            );
        }
    }

    /// Draws and waits until nothing is on its way, comparing each frame.
    async fn settle(&mut self) {
        let settling = async {
            loop {
                self.draw();
                while let Some(message) = self.tui.queued() {
                    self.tui.app.update(message);
                }
                if !self.tui.app.is_busy() {
                    self.draw();
                    return;
                }
                let message = self.tui.next().await;
                self.tui.app.update(message);
            }
        };
        let bound = std::time::Duration::from_secs(60);
        tokio::time::timeout(bound, settling).await.expect("it settles");
    }

    async fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.tui.app.update(Message::Key(key_event(key)));
            self.settle().await;
        }
    }

    /// Every person in the list has the address of nobody else, all in one column.
    fn check_addresses(&self) -> usize {
        let mut found = 0;
        for (model, widths) in self.models.iter().zip(ALL).filter(|(_, widths)| *widths != Widths::Odd) {
            let mut columns = Vec::new();
            for row in 0..self.size.1 {
                let number = |x: usize| {
                    let text = model.text_from(row, x);
                    let digits = text.strip_prefix("to")?.split('@').next()?.to_owned();
                    digits.parse::<usize>().ok().map(|person| (x, person))
                };
                let Some((at, person)) = (0..usize::from(self.size.0)).find_map(number) else { continue };
                let first = name_of(person).chars().find(|c| c.is_alphabetic()).expect("a letter");
                let is_own = model.row(row).contains(first) || first.is_lowercase() || first == '\u{1112}';
                assert!(is_own, "{widths:?}: {person}\n{}", model.text());
                columns.push(at);
                found += 1;
            }
            assert!(
                columns.windows(2).all(|two| two[0] == two[1]),
                "{widths:?}: {columns:?}\n{}",
                model.text()
            );
        }
        found
    }
}

/// The numbers of the table in docs/habits.md, by key and place.
fn documented_bytes() -> Vec<(String, String, usize)> {
    let page = include_str!("../../docs/habits.md");
    let section = page.split("## Bytes per key").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let key = cells.get(1)?.strip_prefix("<kbd>")?.strip_suffix("</kbd>")?;
        let bytes = cells.get(3)?.replace(',', "").parse().ok()?;
        Some((key.to_owned(), (*cells.get(2)?).to_owned(), bytes))
    };
    section.lines().filter_map(row).collect()
}

#[tokio::test]
async fn a_key_writes_the_bytes_that_the_documentation_says() {
    let mut w = Watched::new(120, 40).await;
    w.settle().await;
    w.press("2 j").await;
    let table = documented_bytes();
    assert!(table.len() >= 5, "{table:?}");
    let mut wrong = Vec::new();
    for (key, place, documented) in table {
        w.bytes = 0;
        w.press(&key).await;
        println!("{key} ({place}): {} bytes", w.bytes);
        if w.bytes > documented || w.bytes * 2 < documented {
            wrong.push(format!("{key} ({place}): {} bytes, documented {documented}", w.bytes));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

async fn walk(columns: u16, rows: u16) {
    let mut w = Watched::new(columns, rows).await;
    w.settle().await;
    w.press("2").await;
    for _ in 0..45 {
        w.press("j").await;
    }
    assert!(w.check_addresses() > 10, "{}", w.models[0].text());
    w.press("pagedown pagedown pageup k k k k G g pagedown").await;
    assert!(w.check_addresses() > 10, "{}", w.models[0].text());
    // What opens over the list and closes again, marks, menus, other tabs.
    w.press("space j space s j esc C j esc y esc : r e v esc ? pagedown esc").await;
    w.press("enter pagedown esc w j j enter esc 1 j j enter esc 2 5 0 G enter 2").await;
    assert!(w.check_addresses() > 10, "{}", w.models[0].text());
    w.press("/ ctrl-f tab t o 1 esc esc g").await;
    w.press("ctrl-l").await;
    assert!(w.check_addresses() > 10, "{}", w.models[0].text());
    println!("{columns}x{rows}: {} frames, each the same on three terminals", w.steps);
}

#[tokio::test]
async fn no_frame_leaves_anything_of_another_at_80x24() {
    Box::pin(walk(80, 24)).await;
}

#[tokio::test]
async fn no_frame_leaves_anything_of_another_at_120x36() {
    Box::pin(walk(120, 36)).await;
}
