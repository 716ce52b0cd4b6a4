//! The marks of badges: which of them the filter hides, and marking all badges that match the filter, across pages. A
//! popup states the cost of that first. In the end all of them are marked, or none, except for rows that cannot be read.

use super::History;
use crate::api::ListEnd;
use crate::domain::narrowing::contains;
use crate::domain::{HistoryNarrowing, issue_time};
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::prelude::*;
use crate::tui::request::{LARGEST_RANGE, MatchingRows, NotMarked};
use crate::tui::widgets::filtered_list::ListRecord as _;
use jiff::civil::Date;

pub struct Marking {
    request: RequestId,
    /// The filter of the request. A change of the list's filter ends the request.
    filter: HistoryFilter,
    narrowing: HistoryNarrowing,
    done: u64,
    /// The number of matching badges, or 0 if unknown.
    all: u64,
}

impl History {
    pub(super) fn marks_in_words(&self, cx: &UiContext) -> String {
        self.marks.in_words(&self.filtered.list, &self.hides(cx))
    }

    pub(super) fn hidden_marks(&self, cx: &UiContext) -> usize {
        self.marks.hidden(&self.filtered.list, &self.hides(cx))
    }

    /// Whether the filter may hide a row.
    fn hides(&self, cx: &UiContext) -> impl Fn(&HistoryItem) -> bool {
        let (filter, narrowing, now) = (self.filtered.filter(), self.filtered.narrowing(), cx.now());
        let is_filtered = !self.filtered.filter_words().is_empty();
        move |row| is_filtered && !(may_match(filter, row) && row.fits(narrowing, now))
    }

    /// Opens a popup that states the cost. If all matching rows are loaded, marks them at once.
    pub(super) fn offer_mark_all(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        let list = &self.filtered.list;
        let part = self.filtered.part().filter(|part| !part.is_whole);
        let all_loaded = part.is_none() && list.is_counted() && list.len() == list.loaded().count() as u64;
        let counted = list.is_counted().then(|| list.len());
        let is_narrowed = part.is_some();
        let rows = part.map(|part| part.all).or(counted);
        if self.marking.is_some() {
            let esc = cx.key(&self.key_contexts(), Action::Back);
            effects.say(t!("lapel is already reading all matching badges. {esc} stops it.", esc));
        } else if !list.is_answered() || list.error().is_some() {
            effects.say(t!("The list is not loaded yet. Nothing was marked."));
        } else if list.is_empty() && !is_narrowed {
            effects.say(t!("No badge matches, so there is nothing to mark."));
        } else if rows.is_some_and(|rows| rows > LARGEST_RANGE) {
            effects.warn(too_many(rows));
        } else if all_loaded {
            let loaded = list.loaded().map(|(_, row)| row.clone()).collect();
            self.marks.add(loaded);
            effects.say(plural!(
                rows.unwrap_or(0),
                "Marked the {n} matching badge. It was already loaded.",
                "Marked all {n} matching badges. They were already loaded."
            ));
        } else if self.filtered.index().is_some() {
            // The service compares otherwise than the index: it could return other rows than the list shows.
            self.marks.add_all(&mut self.filtered.list);
        } else {
            let words = self.filtered.filter_words().to_vec();
            effects.open(move |cx, _| ConfirmAction::mark_all(rows, &words, is_narrowed, cx));
        }
    }

    pub fn mark_all(&mut self, effects: &mut Effects<'_>) {
        let filter = self.filtered.filter().clone();
        let narrowing = self.filtered.narrowing().clone();
        let part = self.filtered.part().map(|part| part.all);
        let all = part.unwrap_or(self.filtered.list.len());
        let request = effects.request(Request::Matching(filter.clone()));
        self.marking = Some(Marking { request, filter, narrowing, done: 0, all });
    }

    pub(super) fn give_up_marking(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.marking.take().map(|marking| marking.request));
        effects.say(t!("Stopped. Nothing was marked."));
    }

    /// Ends the reading if the filter has changed: it would mark badges that the list does not show.
    pub(super) fn check_marking(&mut self, effects: &mut Effects<'_>) {
        let is_other = |marking: &Marking| {
            marking.filter != *self.filtered.filter() || marking.narrowing != *self.filtered.narrowing()
        };
        if self.marking.as_ref().is_some_and(is_other) {
            effects.cancel(self.marking.take().map(|marking| marking.request));
            effects.warn(t!("Reading stopped because the filter changed. Nothing was marked."));
        }
    }

    pub(super) fn take_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        match &mut self.marking {
            Some(marking) if marking.request == request => {
                (marking.done, marking.all) = (done, all);
                true
            }
            _ => false,
        }
    }

    pub(super) fn marking_words(&self) -> Option<String> {
        let marking = self.marking.as_ref()?;
        let done = number(marking.done);
        Some(match marking.all {
            0 => t!("marking all: {done} read", done),
            all => t!("marking all: {done} of {all} read", done, all = number(all)),
        })
    }

    pub(super) fn receive_marking(
        &mut self,
        reply: Reply,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Handled {
        let Some(marking) = self.marking.take_if(|marking| marking.request == reply.id) else {
            return Err(reply);
        };
        let Response::Matching(read) = reply.response else { return Ok(()) };
        match *read {
            Ok(mut read) => {
                let now = cx.now();
                read.rows.retain(|row| marking.narrowing.fits(row, now));
                self.take_matching(read, effects);
            }
            Err(NotMarked::TooMany) => effects.warn(too_many(None)),
            Err(NotMarked::Service(why)) => {
                effects.warn(t!("Not all matching badges could be read: {why} Nothing was marked.", why));
            }
        }
        Ok(())
    }

    fn take_matching(&mut self, MatchingRows { rows, read }: MatchingRows, effects: &mut Effects<'_>) {
        if read.end == ListEnd::Moving {
            effects.warn(t!(
                "The list changed every time lapel read it. Nothing was marked. Try again later, or narrow the filter."
            ));
            return;
        }
        let new = rows.iter().filter(|row| !self.marks.contains_key(&row.badge_id)).count();
        if self.marks.len() + new > usize::try_from(LARGEST_RANGE).unwrap_or(usize::MAX) {
            effects.warn(too_many(None));
            return;
        }
        let marked = rows.len() as u64;
        self.marks.add(rows);
        let all = plural!(marked, "Marked the {n} matching badge.", "Marked all {n} matching badges.");
        match (read.end, read.total_count) {
            (ListEnd::Unreadable, _) => effects.warn(plural!(
                read.unreadable,
                "{all} {n} more could not be read and is not marked.",
                "{all} {n} more could not be read and are not marked.",
                all
            )),
            (ListEnd::Disagrees | ListEnd::Stopped, Some(said)) => effects.warn(t!(
                "{all} The service counts {said} but does not show the others, if there are any.",
                all,
                said = number(said)
            )),
            (ListEnd::Unconfirmed, _) => effects.warn(t!(
                "{all} There may be more: the service gives no total, and an empty page followed a full one.",
                all
            )),
            _ if marked == 0 => effects.say(t!("No badge matches, so there is nothing to mark.")),
            _ => effects.say(all),
        }
    }
}

fn too_many(rows: Option<u64>) -> String {
    let most = number(LARGEST_RANGE);
    match rows {
        Some(rows) => t!(
            "{rows} badges match, but lapel marks at most {most}. Nothing was marked. Narrow the filter, or use a file of badge ids on the Activity tab.",
            rows = number(rows),
            most
        ),
        None => t!(
            "lapel marks at most {most} badges, and these would be more. Nothing was marked. Narrow the filter, or use a file of badge ids on the Activity tab.",
            most
        ),
    }
}

/// Whether a filter may match a row. Only the service knows how it compares, so a text matches wherever it contains the
/// filter's text, in any case and without accents.
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
        assert!(
            may_match(&name("MÜLL"), &row)
                && may_match(&name("jose mull"), &row)
                && !may_match(&name("Kim"), &row)
        );
        let from =
            |day: &str| HistoryFilter { issue_start_date: day.parse().ok(), ..HistoryFilter::default() };
        assert!(may_match(&from("2026-11-02"), &row) && !may_match(&from("2026-11-03"), &row));
    }
}
