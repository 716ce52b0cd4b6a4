//! What it costs: counted and printed (`--nocapture`), with bounds that only a mistake exceeds.

use super::kit::{Term, lapel, still_demo};
use crate::texts::{msg, msg_part};

/// The bytes that one more row down costs.
fn one_move(term: &mut Term, row: u64) -> usize {
    let before = term.raw().len();
    term.send("j");
    term.shows(&format!("row {row} of"));
    term.raw().len() - before
}

#[test]
fn one_cursor_move_writes_little() {
    for (columns, rows) in [(80, 24), (160, 50)] {
        let mut term = still_demo().size(columns, rows).start();
        term.shows(msg_part("row 1 of"));
        term.send("2");
        term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
        let moves: Vec<usize> = (2..=8).map(|row| one_move(&mut term, row)).collect();
        let most = moves.iter().max().copied().unwrap_or_default();
        let mean = moves.iter().sum::<usize>() / moves.len();
        println!("one cursor move in History at {columns}x{rows}: {mean} bytes, at most {most}");
        // Two rows change their style, and each cell of them may cost a position and a character.
        assert!(most < usize::from(columns) * 40, "{moves:?}");
    }
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("row 1 of 4,300") && !s.is_loading());
    let before = term.raw().len();
    // A pointer that moves goes all the way through, and there is nothing to draw for it; the answer to the key after
    // it is the next that is written.
    term.send("\x1b[<35;5;5M");
    let one = one_move(&mut term, 2);
    assert_eq!(term.raw().len() - before, one);
}

#[test]
fn the_first_frame_waits_for_nothing() {
    let term = still_demo().start();
    // Whatever it shows: the rows may be there before anybody looks.
    term.until("the first frame", |s| !s.text.trim().is_empty());
    let frame = term.started.elapsed();
    let first = term.first_byte().unwrap_or_default();
    term.until("the first rows", |s| s.has("row 1 of 40") && !s.selected().is_empty());
    let rows = term.started.elapsed();
    println!("from start to first byte {first:.0?}, first frame {frame:.0?}, first rows {rows:.0?}");
    // With two million rows to make up first, the frame is still there at once.
    let term = lapel(&["demo", "--history", "2000000"]).start();
    term.until("the first frame", |s| s.has(msg("starting the sandbox")));
    println!("with 2,000,000 rows: first frame {:.0?}", term.started.elapsed());
}
