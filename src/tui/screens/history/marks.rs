//! The marks of badges: single badges, a range between two ends, and rows that the mouse is dragged over.

use super::History;
use crate::api::HistoryFilter;
use crate::domain::{BadgeId, HistoryItem, ServiceTime, Text, issue_time};
use crate::i18n::number;
use crate::tui::prelude::*;
use crate::tui::widgets::marks::{self, LARGEST_RANGE, Ranged};
use jiff::civil::Date;
use std::collections::BTreeSet;

/// Whether a filter may match a row. Only the service knows how it compares, so a text matches wherever it contains the
/// filter's text, in any case.
fn may_match(filter: &HistoryFilter, row: &HistoryItem) -> bool {
    let contains = |wanted: &Option<String>, text: &Option<Text>| {
        let text = text.as_ref().map_or("", Text::wire).to_lowercase();
        wanted.as_ref().is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
    };
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
    /// Removes the marks of these badges, because they have been processed.
    pub fn unmark(&mut self, ids: impl IntoIterator<Item = BadgeId>) {
        self.marks.processed(ids);
    }

    /// The number of marks, and how many of them the filter hides.
    pub(super) fn marks_in_words(&self, env: &Env) -> String {
        let filter = self.browser.filter();
        let now = env.now();
        let hidden = if self.browser.is_filtered() {
            // What the list shows is not hidden, however the service compares.
            let loaded: BTreeSet<&BadgeId> =
                self.browser.list.loaded().map(|(_, row)| &row.badge_id).collect();
            let fits = |row: &HistoryItem| may_match(filter, row) && self.browser.fits(row, now);
            let is_hidden = |row: &&HistoryItem| !fits(row) && !loaded.contains(&row.badge_id);
            self.marks.values().filter(is_hidden).count()
        } else {
            0
        };
        let marked = number(self.marks.len() as u64);
        match hidden {
            _ if self.marks.is_empty() => String::new(),
            0 => t!("{marked} marked", marked),
            hidden => {
                t!("{marked} marked ({hidden} hidden by the filter)", marked, hidden = number(hidden as u64))
            }
        }
    }

    pub(super) fn toggle_mark(&mut self, out: &mut Effects<'_>) {
        if !self.marks.toggle(&mut self.browser.list) {
            out.say(t!("This row has no badge to mark."));
        }
    }

    pub(super) fn range(&mut self, env: &Env, out: &mut Effects<'_>) {
        match self.marks.range(&mut self.browser.list) {
            Ranged::Ended => {}
            Ranged::Nowhere => out.say(t!("This row has no badge, so a range cannot start or end here.")),
            Ranged::Began => {
                let key = |action| env.key(&self.key_contexts(), action);
                out.say(t!(
                    "The range starts here. Go to its other end and press {key} again. {esc} cancels.",
                    key = key(Action::Range),
                    esc = key(Action::Back)
                ));
            }
            Ranged::TooLarge => out.warn(t!(
                "lapel marks at most {most} rows at once, and this range has more. Nothing was marked. To revoke more, use a file of badge ids on the Activity tab.",
                most = LARGEST_RANGE
            )),
        }
    }

    /// Handles a mouse press on the selected row. A drag may start there.
    pub fn drag_start(&mut self) {
        self.held = marks::end(&self.browser.list).map(|here| (here, false));
    }

    /// Cancels the drag. Nothing is marked.
    pub fn drag_cancel(&mut self) {
        self.held = None;
    }

    /// Handles a drag to a screen row; beyond the list's edges it scrolls. Returns whether anything changed.
    pub fn drag_to(&mut self, area: Rect, row: u16) -> bool {
        let Some((from, moved)) = &mut self.held else { return false };
        let before = self.browser.list.cursor();
        match self.browser.place_at(area, row) {
            Some(place) => self.browser.list.move_to(place),
            None if row < area.y + area.height / 2 => self.browser.list.move_by(-1),
            None => self.browser.list.move_by(1),
        }
        *moved |= self.browser.list.cursor() != from.0;
        before != self.browser.list.cursor()
    }

    /// Handles the mouse release and marks the dragged rows. Returns whether a drag took place.
    pub fn drag_end(&mut self, env: &Env, out: &mut Effects<'_>) -> bool {
        let Some((from, true)) = self.held.take() else { return false };
        if self.browser.list.selected().is_none() {
            return false;
        }
        self.marks.begin_range(from);
        self.range(env, out);
        true
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
