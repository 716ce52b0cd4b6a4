//! The rows of one holder.

use crate::domain::{EmailKey, Held, Text};
use crate::tui::env::Env;
use crate::tui::fit::{Column, layout};
use ratatui::style::Style;

/// How the rows of one holder are shown.
pub(super) struct View<'a> {
    /// The address has badges under several names.
    pub several: bool,
    pub both: bool,
    pub now: jiff::civil::DateTime,
    pub key: EmailKey,
    pub email: &'a str,
}

impl View<'_> {
    pub fn widths(&self, columns: usize) -> Vec<usize> {
        let name = Column {
            least: if self.several { 8 } else { 0 },
            share: usize::from(self.several),
            goes: u8::from(!self.several) * 9,
        };
        layout(
            &[
                Column { least: 16, share: 1, goes: 0 },
                name,
                Column { least: 12, share: 4, goes: 0 },
                Column { least: 22, share: 5, goes: 0 },
                Column { least: 11, share: 0, goes: 2 },
                Column { least: 5, share: 0, goes: 1 },
            ],
            columns.saturating_sub(3),
        )
    }

    pub fn cells(&self, held: &Held, env: &Env) -> Vec<(String, Style)> {
        let verdict = held.verdict(self.now);
        let state = verdict.state();
        let (word, why) = verdict.line();
        let text = |t: Option<&Text>| t.map_or_else(|| env.glyphs.dash.to_owned(), ToString::to_string);
        let written = held.recipient_email().map(Text::wire);
        let other = written
            .filter(|w| *w != self.email && self.key.is(w))
            .map(|w| t!("to {address}", address = Text::from(w)));
        let place = place(held, self.both).map(str::to_owned);
        // Where it is to be seen, and to which spelling it went, matter more to a caller than why.
        let notes: Vec<String> =
            [place, other, Some(why).filter(|w| !w.is_empty())].into_iter().flatten().collect();
        let issued = held.issued_at().map_or_else(|| env.glyphs.dash.to_owned(), |t| t.short(Some(self.now)));
        vec![
            (format!("{} {word}", env.glyphs.state(&state)), env.theme.state(&state)),
            (text(held.recipient_name()), env.theme.text()),
            (text(held.title()), env.theme.text()),
            (notes.join("; "), env.theme.dim()),
            (issued, env.theme.dim()),
            (text(held.email_status()), env.theme.dim()),
        ]
    }
}

/// Which of the two lists lacks it, where both were read.
pub(super) fn place(held: &Held, both: bool) -> Option<&'static str> {
    match (&held.wallet, &held.history) {
        (None, Some(_)) if both => Some(t!("not in the wallet")),
        (Some(_), None) if both => Some(t!("not in the history")),
        (None, None) if both => Some(t!("in neither list")),
        _ => None,
    }
}
