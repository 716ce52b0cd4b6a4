//! Copies of a badge: loaded rows with the same holder and the same template as the selected row.

use crate::domain::{EmailKey, HistoryItem, Verdict};
use crate::i18n::{list, number};
use jiff::civil::DateTime;

/// The number of copies among the loaded rows, and their states. `None` if there is no other copy.
pub(super) fn words<'a>(
    loaded: impl Iterator<Item = &'a HistoryItem>,
    row: &HistoryItem,
    now: DateTime,
) -> Option<String> {
    let (template, email) = (row.template_id.as_ref()?, row.recipient_email.as_ref()?);
    let holder = EmailKey::of(email.wire());
    let is_copy = |other: &&HistoryItem| {
        other.template_id.as_ref() == Some(template)
            && other.recipient_email.as_ref().is_some_and(|email| EmailKey::of(email.wire()) == holder)
    };
    let mut states: Vec<(String, u64)> = Vec::new();
    for copy in loaded.filter(is_copy) {
        let word = Verdict::of(copy, now).state().word().to_string();
        match states.iter_mut().find(|(known, _)| *known == word) {
            Some((_, times)) => *times += 1,
            None => states.push((word, 1)),
        }
    }
    let copies: u64 = states.iter().map(|(_, times)| times).sum();
    let states = list(states.iter().map(|(word, times)| t!("{times} {word}", times = number(*times), word)));
    (copies > 1).then(|| t!("{copies} copies among the loaded rows: {states}", copies, states))
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
        let unknown = HistoryItem::for_test(BadgeId::new("5").expect("an id"));
        assert_eq!(words(rows.iter().chain([&unknown]), &unknown, now), None);
    }
}
