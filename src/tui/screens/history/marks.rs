//! The marks of badges, and which of them the filter hides.

use super::History;
use crate::domain::issue_time;
use crate::domain::narrowing::contains;
use crate::tui::prelude::*;
use jiff::civil::Date;

/// Whether a filter may match a row. Only the service knows how it compares, so a text matches wherever it contains the
/// filter's text, in any case.
fn may_match(filter: &HistoryFilter, row: &HistoryItem) -> bool {
    let contains = |wanted: &Option<String>, text: &Option<Text>| contains(text.as_ref(), wanted.as_deref());
    let within = |from: Option<Date>, to: Option<Date>, time: Option<&ServiceTime>| {
        let day = time.and_then(ServiceTime::day);
        from.is_none_or(|from| day.is_some_and(|day| day >= from))
            && to.is_none_or(|to| day.is_some_and(|day| day <= to))
    };
    contains(&filter.recipient_name, &row.recipient_name)
        && contains(&filter.recipient_email, &row.recipient_email)
        && contains(&filter.title, &row.title)
        && within(filter.issue_start_date, filter.issue_end_date, issue_time(row))
        && within(filter.revoke_start_date, filter.revoke_end_date, row.revoke_at.as_ref())
}

impl History {
    pub fn unmark(&mut self, ids: impl IntoIterator<Item = BadgeId>) {
        self.marks.processed(ids);
    }

    /// The marks in words, with the number of hidden ones and without it.
    pub(super) fn marks_in_words(&self, cx: &UiContext) -> [String; 2] {
        let (filter, now) = (self.browser.filter(), cx.now());
        let hides = |row: &HistoryItem| !(may_match(filter, row) && self.browser.fits(row, now));
        let hides: Option<&dyn Fn(&HistoryItem) -> bool> = self.browser.is_filtered().then_some(&hides);
        [hides, None].map(|hides| self.marks.in_words(&self.browser.list, hides))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_filter_cannot_match_counts_as_hidden() {
        let mut row = HistoryItem::for_test(BadgeId::new("B-1").expect("an id"));
        row.recipient_name = Some(Text::new("José Müller"));
        row.issued_at = ServiceTime::new("2026-11-02 09:41:00");
        let name =
            |name: &str| HistoryFilter { recipient_name: Some(name.to_owned()), ..HistoryFilter::default() };
        assert!(may_match(&HistoryFilter::default(), &row));
        assert!(may_match(&name("MÜLL"), &row) && !may_match(&name("Kim"), &row));
        let from =
            |day: &str| HistoryFilter { issue_start_date: day.parse().ok(), ..HistoryFilter::default() };
        assert!(may_match(&from("2026-11-02"), &row) && !may_match(&from("2026-11-03"), &row));
    }
}
