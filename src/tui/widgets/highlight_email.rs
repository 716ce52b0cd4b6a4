//! An address letter by letter: those that a caller gets wrong stand out, as a verifier compares every one.

use crate::domain::spelling::pieces;
use crate::tui::context::Env;
use ratatui::style::Modifier;
use ratatui::text::Span;

/// The address as it may be shown, its odd letters marked.
pub fn spelled(address: &str, env: &Env) -> Vec<Span<'static>> {
    let odd = env.theme.warning().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    pieces(address)
        .into_iter()
        .map(|piece| Span::styled(piece.text, if piece.odd { odd } else { env.theme.text() }))
        .collect()
}
