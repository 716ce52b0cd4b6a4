//! Keys of a person's own: the footer, the help, the palette and the sentences follow them.

use super::*;
use lapel::config::KeymapFile;
use lapel::tui::{Glyphs, Keymap};
use std::path::Path;

const KEYS: &str = "[global]\nhelp = 'f12'\nquit = 'ctrl-q'\nhistory = 'g h'\n[list]\nfirst = 'g g'\n\
                    [templates]\nissue = 'E'\nfilter = 'ctrl-f'\n[review]\naccept = 'f4'\nback = 'ctrl-o'\n\
                    [form]\nback = 'ctrl-o'\n";

async fn walk_rebound(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    let file = KeymapFile::parse(Path::new("keys.toml"), KEYS);
    h.tui.app.cx.keymap = Keymap::with(&file).0.named(&Glyphs::UNICODE);
    take(&mut h, "rebound-templates");
    h.tui.app.update(lapel::tui::Message::Key(crossterm::event::KeyEvent::new(
        crossterm::event::KeyCode::F(12),
        crossterm::event::KeyModifiers::NONE,
    )));
    take(&mut h, "rebound-help");
    h.press("esc g");
    take(&mut h, "rebound-chord");
    h.press("g E");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    take(&mut h, "rebound-issue");
    h.press("enter");
    h.settled().await;
    take(&mut h, "rebound-review");
}

#[tokio::test]
async fn rebound_at_80x24_and_160x50() {
    walk_rebound(80, 24).await;
    walk_rebound(160, 50).await;
}
