//! How often lapel draws, and what each frame changes.

use super::*;
use crate::common::texts::msg_part;
use std::time::Duration;
use tokio::time::Instant;

/// Handles the next message and draws. Returns whether it has drawn, and the symbols that changed, old and new.
async fn step(h: &mut Harness) -> (bool, Vec<[String; 2]>) {
    let before = h.buffer();
    let message = h.tui.next().await;
    h.tui.app.update(message);
    let has_drawn = h.tui.draw().expect("drawn");
    let after = h.buffer();
    let cells = before.content.iter().zip(&after.content).filter(|(old, new)| old != new);
    (has_drawn, cells.map(|(old, new)| [old.symbol().to_owned(), new.symbol().to_owned()]).collect())
}

fn are_spinners(changed: &[[String; 2]]) -> bool {
    let spinner = lapel::tui::Glyphs::UNICODE.spinner;
    changed.iter().flatten().all(|symbol| spinner.contains(&symbol.as_str()))
}

#[tokio::test]
async fn a_held_key_queues_no_frames() {
    const PRESSES: u64 = 500;
    let mut h = Harness::new(frozen(), 120, 40).await;
    h.press("2");
    h.settled().await;
    let (before, sender) = (h.tui.app.counts, h.tui.sender());
    for _ in 0..PRESSES {
        sender.try_send(Message::Key(key_event("j"))).expect("room in the queue");
    }
    sender.try_send(Message::Terminate).expect("room in the queue");
    h.tui.run(&mut idle::NoShell).await.expect("it runs");
    let draws = h.tui.app.counts.draws - before.draws;
    assert!(draws <= 1, "{draws} draws for {PRESSES} keys");
    // The next frame shows the last key.
    let screen = h.screen();
    assert!(screen.contains(&format!("row {} of 4,300", PRESSES + 1)), "{screen}");
}

#[tokio::test]
async fn a_spinner_changes_its_cells_and_at_most_ten_times_a_second() {
    let mut h = Harness::new(small(), 120, 40).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history hold").expect("a rule");
    h.press("2");
    h.screen();
    // Until nothing else moves, such as the count of requests.
    let mut turns = 0;
    let settling = async {
        while turns < 3 {
            let (has_drawn, changed) = step(&mut h).await;
            turns = if has_drawn && !changed.is_empty() && are_spinners(&changed) { turns + 1 } else { 0 };
        }
    };
    tokio::time::timeout(Duration::from_secs(60), settling).await.expect("a spinner");
    tokio::time::pause();
    let (begin, mut draws) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(1) {
        let (has_drawn, changed) = step(&mut h).await;
        draws += u64::from(has_drawn);
        assert!(are_spinners(&changed) && changed.len() <= 2, "{changed:?}\n{}", h.screen());
    }
    assert!((5..=10).contains(&draws), "{draws} draws in a second");
}

#[tokio::test]
async fn a_tab_of_a_million_rows_opens_with_two_requests() {
    let mut h = Harness::new(Options { history: Some(1_000_000), ..frozen() }, 120, 40).await;
    h.settled().await;
    let before = all_requests(&h);
    h.press("2");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1 of 1,000,000")), "{screen}");
    assert!(all_requests(&h) - before <= 2, "{:?}", h.sandbox.control().ledger().requests);
    // Rows, the line of titles and the frame around them.
    assert!((20..=40).contains(&h.tui.app.rows_built()), "{}", h.tui.app.rows_built());
}
