//! Copies of a badge: loaded rows of a list with the same holder and the same template.

use crate::domain::name_search::folded;
use crate::tui::prelude::*;
use crate::tui::theme::Glyphs;
use crate::tui::widgets::paged_list::PagedList;
use std::cmp::Ordering;

/// The template and the holder, which all copies have in common. Several people may share an address.
fn key(row: &HistoryItem) -> Option<(&TemplateId, EmailKey, Option<String>)> {
    let name = row.recipient_name.as_ref().map(|name| folded(name.wire()));
    Some((row.template_id.as_ref()?, EmailKey::of(row.recipient_email.as_ref()?.wire()), name))
}

fn is_copy(one: &HistoryItem, other: &HistoryItem) -> bool {
    one.template_id == other.template_id && key(one).is_some_and(|one| key(other) == Some(one))
}

/// The number of copies among the loaded rows, and their states. `None` if there is no other copy.
pub(in crate::tui::screens) fn words<'a>(
    loaded: impl Iterator<Item = &'a HistoryItem>,
    row: &HistoryItem,
    now: DateTime,
) -> Option<String> {
    let copies = loaded.filter(|other| is_copy(row, other));
    let states = counted(copies.map(|row| Verdict::of(row, now).state()));
    let copies: u64 = states.iter().map(|(_, times)| times).sum();
    let words = |(state, times): &(State, u64)| t!("{n} {word}", n = number(*times), word = state.word());
    let states = list(states.iter().map(words));
    (copies > 1)
        .then(|| t!("{copies} copies among the loaded rows: {states}", copies = number(copies), states))
}

/// The notes about copies among the loaded rows, the longest first. The newest copy has the number of all and their
/// states, the others an arrow towards it.
pub(in crate::tui::screens) fn notes<'a>(
    loaded: impl Iterator<Item = &'a HistoryItem>,
    cx: &UiContext,
) -> HashMap<BadgeId, Vec<String>> {
    let mut copies: HashMap<_, Vec<&HistoryItem>> = HashMap::new();
    for row in loaded {
        if let Some(key) = key(row) {
            copies.entry(key).or_default().push(row);
        }
    }
    copies.into_values().filter(|rows| rows.len() > 1).flat_map(|rows| notes_of(&rows, cx)).collect()
}

/// Those of a row's [`notes`] that its place needs. Directly below a copy, only a sign that the row is another one.
pub(in crate::tui::screens) fn notes_at(
    place: u64,
    notes: &[String],
    list: &PagedList<HistoryItem>,
    cx: &UiContext,
) -> Vec<String> {
    let is_below = || {
        let above = place.checked_sub(1).and_then(|above| list.row_at(above));
        above.zip(list.row_at(place)).is_some_and(|(above, row)| is_copy(above, row))
    };
    // The newest copy has more than one.
    if notes.len() == 1 && is_below() { vec![format!("{} ", cx.glyphs.branch)] } else { notes.to_vec() }
}

fn notes_of(copies: &[&HistoryItem], cx: &UiContext) -> Vec<(BadgeId, Vec<String>)> {
    let time = |at: &usize| copies[*at].reg_date.as_ref().map(|time| time.raw().wire().to_owned());
    // Of equal times, the first of the list is the newest.
    let newest = (0..copies.len()).rev().max_by_key(time);
    let note = |(at, row): (usize, &&HistoryItem)| {
        let notes = match newest.map(|newest| at.cmp(&newest)) {
            Some(Ordering::Less) => vec![format!("{} ", cx.glyphs.down)],
            Some(Ordering::Greater) => vec![format!("{} ", cx.glyphs.up)],
            Some(Ordering::Equal) | None => {
                let (n, dot) = (number(copies.len() as u64), cx.glyphs.dot);
                let others = not_issued(copies.iter().map(|row| Verdict::of(*row, cx.now()).state()));
                let all = t!("{n} copies", n = n.as_str());
                let words = std::iter::once(all).chain(others).collect::<Vec<_>>().join(", ");
                let sign = if cx.glyphs == Glyphs::ASCII { "x" } else { "×" };
                vec![format!("{words} {dot} "), format!("{sign}{n} {dot} ")]
            }
        };
        (row.badge_id.clone(), notes)
    };
    copies.iter().enumerate().map(note).collect()
}

/// The number of copies in each state, without those that are issued, in words: `1 Waiting`.
pub(in crate::tui::screens) fn not_issued(states: impl Iterator<Item = State>) -> Vec<String> {
    let others = counted(states).into_iter().filter(|(state, _)| *state != State::Issued);
    others.map(|(state, times)| t!("{n} {word}", n = number(times), word = state.word())).collect()
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
            HistoryItem {
                recipient_name: Some(Text::new("한따님")),
                ..row("6", "han@naru.example", "T-1", "발급완료")
            },
        ];
        let now = jiff::civil::date(2026, 11, 23).at(9, 0, 0, 0);
        let of = |at: usize| words(rows.iter(), &rows[at], now);
        assert_eq!(of(0).as_deref(), Some("2 copies among the loaded rows: 1 Issued, 1 Waiting"));
        assert_eq!((of(2), of(3), of(4)), (None, None, None));
        let of_all = |rows: &[HistoryItem]| {
            let notes = notes(rows.iter(), &UiContext::for_test());
            rows.iter().map(|row| notes.get(&row.badge_id).cloned().unwrap_or_default()).collect::<Vec<_>>()
        };
        let number = ["2 copies, 1 Waiting · ", "×2 · "];
        assert_eq!(of_all(&rows), [&number[..], &["↑ "], &[], &[], &[]], "only for rows with copies");
        let mut older = rows.clone();
        older[1].reg_date = ServiceTime::new("2026-11-03 10:00:00");
        assert_eq!(of_all(&older)[..2], [&["↓ "][..], &number], "towards the newest");
        let unknown = HistoryItem::for_test(BadgeId::new("5").expect("an id"));
        assert_eq!(words(rows.iter().chain([&unknown]), &unknown, now), None);
    }
}
