//! Highlights unusual characters of an address, for checking it letter by letter with a caller.

use crate::domain::spelling::pieces;
use crate::tui::prelude::*;

/// The address, safe to display, with unusual characters highlighted.
pub fn spelled(address: &str, cx: &UiContext) -> Vec<Span<'static>> {
    let odd = cx.theme.warning().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    pieces(address)
        .into_iter()
        .map(|piece| Span::styled(piece.text, if piece.odd { odd } else { cx.theme.text() }))
        .collect()
}
