//! Copies of a badge: loaded rows with the same holder and the same template as the selected row.

use crate::domain::{BadgeId, EmailKey, HistoryItem, State, TemplateId, Verdict};
use crate::i18n::{list, number};
use crate::tui::context::UiContext;
use crate::tui::theme::Glyphs;
use jiff::civil::DateTime;
use std::collections::HashMap;

/// The template and the holder, which all copies have in common.
fn key(row: &HistoryItem) -> Option<(&TemplateId, EmailKey)> {
    Some((row.template_id.as_ref()?, EmailKey::of(row.recipient_email.as_ref()?.wire())))
}

pub(super) fn is_copy(one: &HistoryItem, other: &HistoryItem) -> bool {
    one.template_id == other.template_id && key(one).is_some_and(|one| key(other) == Some(one))
}

/// The number of copies among the loaded rows, and their states. `None` if there is no other copy.
pub(super) fn words<'a>(
    loaded: impl Iterator<Item = &'a HistoryItem>,
    row: &HistoryItem,
    now: DateTime,
) -> Option<String> {
    let of_row = key(row)?;
    let is_copy = |other: &&HistoryItem| {
        other.template_id == row.template_id && key(other).is_some_and(|other| other == of_row)
    };
    let states = counted(loaded.filter(is_copy).map(|row| Verdict::of(row, now).state()));
    let copies: u64 = states.iter().map(|(_, times)| times).sum();
    let words =
        |(state, times): &(State, u64)| t!("{times} {word}", times = number(*times), word = state.word());
    let states = list(states.iter().map(words));
    (copies > 1)
        .then(|| t!("{copies} copies among the loaded rows: {states}", copies = number(copies), states))
}

/// The number of copies among the loaded rows and their states, for each copy: in words, and in short.
pub(super) fn notes<'a>(
    loaded: impl Iterator<Item = &'a HistoryItem>,
    cx: &UiContext,
) -> HashMap<BadgeId, [String; 2]> {
    let mut copies: HashMap<_, Vec<&HistoryItem>> = HashMap::new();
    for row in loaded {
        if let Some(key) = key(row) {
            copies.entry(key).or_default().push(row);
        }
    }
    let sign = if cx.glyphs == Glyphs::ASCII { "x" } else { "×" };
    let of_all = |rows: Vec<&HistoryItem>| {
        let n = number(rows.len() as u64);
        let others = not_issued(rows.iter().map(|row| Verdict::of(*row, cx.now()).state()));
        let words = std::iter::once(t!("{n} copies", n)).chain(others).collect::<Vec<_>>().join(", ");
        let note = [words, format!("{sign}{n}")];
        rows.into_iter().map(|row| (row.badge_id.clone(), note.clone())).collect::<Vec<_>>()
    };
    copies.into_values().filter(|rows| rows.len() > 1).flat_map(of_all).collect()
}

/// The number of copies in each state, without those that are issued, in words: `1 Waiting`.
pub(in crate::tui::screens) fn not_issued(states: impl Iterator<Item = State>) -> Vec<String> {
    let others = counted(states).into_iter().filter(|(state, _)| *state != State::Issued);
    others.map(|(state, times)| t!("{times} {word}", times = number(times), word = state.word())).collect()
}

fn counted(all: impl Iterator<Item = State>) -> Vec<(State, u64)> {
    let mut states: Vec<(State, u64)> = Vec::new();
    for state in all {
        match states.iter_mut().find(|(known, _)| *known == state) {
            Some((_, times)) => *times += 1,
            None => states.push((state, 1)),
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BadgeId, ServiceTime, TemplateId, Text};

    fn row(id: &str, email: &str, template: &str, state: &str) -> HistoryItem {
        let mut row = HistoryItem::for_test(BadgeId::new(id).expect("an id"));
        row.recipient_email = Some(Text::new(email));
        row.template_id = TemplateId::new(template);
        row.status_name = Some(Text::new(state));
        row.issued_at = ServiceTime::new("2026-11-02 09:41:00");
        row
    }

    #[test]
    fn copies_are_counted_by_holder_and_template() {
        let rows = [
            row("1", "han@naru.example", "T-1", "발급완료"),
            row("2", "HAN@naru.example", "T-1", "발급대기"),
            row("3", "han@naru.example", "T-2", "발급완료"),
            row("4", "kim@naru.example", "T-1", "발급완료"),
        ];
        let now = jiff::civil::date(2026, 11, 23).at(9, 0, 0, 0);
        let of = |at: usize| words(rows.iter(), &rows[at], now);
        assert_eq!(of(0).as_deref(), Some("2 copies among the loaded rows: 1 Issued, 1 Waiting"));
        assert_eq!((of(2), of(3)), (None, None));
        let notes = notes(rows.iter(), &UiContext::for_test());
        assert_eq!(notes.len(), 2, "only for rows with copies: {notes:?}");
        for row in &rows[..2] {
            let note = ["2 copies, 1 Waiting".to_owned(), "×2".to_owned()];
            assert_eq!(notes.get(&row.badge_id), Some(&note));
        }
        let unknown = HistoryItem::for_test(BadgeId::new("5").expect("an id"));
        assert_eq!(words(rows.iter().chain([&unknown]), &unknown, now), None);
    }
}
