//! Narrows a filtered list by what the service cannot filter. If the index has every row that may match, the list comes
//! from the index. Otherwise lapel compares the rows that it has loaded. The screen says which of both.

use crate::api::Sort;
use crate::index::{Coverage, Synced};
use crate::tui::prelude::*;
use crate::tui::widgets::filter::FilterView;
use crate::tui::widgets::filtered_list::{FilteredList, ListRecord};
use crate::tui::widgets::paged_list::PagedList;

/// Rows that lapel loads at first to compare them.
const AT_FIRST: u64 = 300;
/// Rows that lapel loads when the user goes beyond the last match.
pub const MORE: u64 = 500;

/// The service's rows, of which the list shows those that fit.
pub(super) struct ServiceRows<T: ListRecord> {
    pub rows: PagedList<T>,
    /// How many rows lapel compares: the first ones.
    reach: u64,
    /// Whether rows have arrived since the list was made.
    stale: bool,
    pub from: RowsFrom,
    /// The reading of the history into the index that the user asked for.
    reading: Option<RequestId>,
    /// Asks once more whether the index has all rows, while the list shows loaded ones.
    again: Option<RequestId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowsFrom {
    /// Not known yet: lapel asks whether the index has all rows.
    Asking(RequestId),
    Loaded,
    Index(Coverage),
}

impl<T: ListRecord> ServiceRows<T> {
    fn new(rows: PagedList<T>) -> Self {
        Self { rows, reach: AT_FIRST, stale: true, from: RowsFrom::Loaded, reading: None, again: None }
    }

    /// The rows, after marking those as wanted that lapel has to compare.
    pub fn wanted(&mut self) -> &mut PagedList<T> {
        // Without a count, the page after the last known row shows whether there is more.
        let known = self.rows.len() + u64::from(!self.rows.is_counted());
        self.rows.pin(0, self.reach.min(known).saturating_sub(1));
        &mut self.rows
    }
}

/// How much of the service's list a narrowed list is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedPart {
    pub loaded: u64,
    /// All rows of the service that match the rest of the filter.
    pub all: u64,
    pub is_whole: bool,
}

impl<T: ListRecord> FilteredList<T> {
    /// The loaded rows of the service, shown or not.
    pub fn loaded(&self) -> impl Iterator<Item = &T> {
        self.pages().loaded().map(|(_, row)| row)
    }

    pub(super) fn pages(&self) -> &PagedList<T> {
        self.compared().map_or(&self.list, |behind| &behind.rows)
    }

    /// The service's rows, shown or not. They still arrive when the list comes from the index.
    pub(super) fn service_rows(&self) -> &PagedList<T> {
        self.behind.as_ref().map_or(&self.list, |behind| &behind.rows)
    }

    pub(super) fn service_rows_mut(&mut self) -> &mut PagedList<T> {
        match &mut self.behind {
            Some(behind) => {
                behind.stale = true;
                &mut behind.rows
            }
            None => &mut self.list,
        }
    }

    pub(super) fn compared(&self) -> Option<&ServiceRows<T>> {
        self.behind.as_ref().filter(|behind| behind.from == RowsFrom::Loaded)
    }

    pub fn index(&self) -> Option<Coverage> {
        match self.behind.as_ref()?.from {
            RowsFrom::Index(coverage) => Some(coverage),
            _ => None,
        }
    }

    /// Reads everything again. The rows stay until then.
    pub fn reload(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.service_rows_mut().reload());
        match &mut self.behind {
            Some(behind) if behind.from != RowsFrom::Loaded => {
                effects.cancel(self.list.reload());
                self.ask_coverage(effects);
            }
            // The index may have been read since.
            Some(behind) => {
                let ask = T::ask_coverage(&self.filter).map(|ask| effects.request(ask));
                effects.cancel(std::mem::replace(&mut behind.again, ask));
            }
            None => {}
        }
    }

    /// Called when the user asks for a refresh. Rows of the index are as old as its last reading, so the
    /// history is read first.
    pub(super) fn refresh_all(&mut self, effects: &mut Effects<'_>) {
        let is_of_index = self.index().is_some();
        match &mut self.behind {
            Some(behind) if is_of_index => {
                if behind.reading.is_none() {
                    behind.reading = Some(effects.request(Request::Sync(SyncScope::New)));
                }
                effects.say(t!("lapel reads the history into the index, and then shows this list again."));
            }
            _ => self.reload(effects),
        }
    }

    pub(super) fn take_synced(
        &mut self,
        id: RequestId,
        synced: Result<Synced, String>,
        effects: &mut Effects<'_>,
    ) -> Handled {
        let mine = self.behind.as_mut().and_then(|behind| behind.reading.take_if(|own| *own == id));
        match (mine, synced) {
            (None, synced) => return Err(Reply { id, response: Response::Synced(synced) }),
            (Some(_), Ok(_)) => self.reload(effects),
            (Some(_), Err(why)) => effects.warn(why),
        }
        Ok(())
    }

    pub(super) fn restart(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.service_rows_mut().restart());
        if let Some(behind) = &mut self.behind {
            behind.reach = AT_FIRST;
            effects.cancel(self.list.restart());
        }
    }

    /// Asks whether the index has every row that may match. Until the answer, the list reads nothing.
    pub(super) fn ask_coverage(&mut self, effects: &mut Effects<'_>) {
        let Some(behind) = &mut self.behind else { return };
        effects.cancel(behind.again.take());
        if let RowsFrom::Asking(request) = behind.from {
            effects.cancel([request]);
        }
        behind.from = match T::ask_coverage(&self.filter) {
            Some(ask) => RowsFrom::Asking(effects.request(ask)),
            None => RowsFrom::Loaded,
        };
    }

    pub(super) fn take_coverage(
        &mut self,
        request: RequestId,
        found: Option<Coverage>,
        effects: &mut Effects<'_>,
    ) -> bool {
        let Some(behind) = &mut self.behind else { return false };
        if behind.again.take_if(|again| *again == request).is_some() {
            if let Some(coverage) = found {
                behind.from = RowsFrom::Index(coverage);
                effects.cancel(self.list.restart());
            }
            return true;
        }
        if behind.from != RowsFrom::Asking(request) {
            return false;
        }
        behind.from = found.map_or(RowsFrom::Loaded, RowsFrom::Index);
        behind.stale = true;
        if found.is_none() {
            effects.cancel(self.list.restart());
        }
        true
    }

    pub fn index_list(&self, cx: &UiContext) -> Option<IndexedList> {
        let read = Timestamp::from_second(self.index()?.read_at).ok();
        let read = read.map_or(cx.now(), |at| cx.clock().offset().to_datetime(at));
        let sort = self.heading.sorted_by().zip(self.heading.order());
        let sort = sort.map(|((column, _), order)| Sort::new(column, order.direction));
        T::index_list(&self.filter, &self.narrowing, sort, (cx.now(), read))
    }

    pub(super) fn narrow(&mut self, narrowing: T::Narrowing, effects: &mut Effects<'_>) {
        if self.compared().is_none() && self.behind.is_some() {
            // These are pages of the index.
            effects.cancel(self.list.restart());
        }
        self.narrowing = narrowing;
        self.refit = true;
        let is_narrow = self.narrowing != T::Narrowing::default();
        match (self.behind.take(), is_narrow) {
            (None, true) => {
                let rows = std::mem::take(&mut self.list);
                self.list.set_height(rows.height());
                self.behind = Some(ServiceRows::new(rows));
            }
            (Some(behind), true) => {
                self.behind = Some(ServiceRows { stale: true, ..behind });
                // Rows of the earlier narrowing must not be shown under the words of the new one.
                self.list.restart();
            }
            (Some(behind), false) => {
                let selected = self.list.selected().map(crate::tui::widgets::paged_list::ListRow::id);
                self.list = behind.rows;
                self.list.unpin();
                self.list.select(selected);
            }
            (None, false) => {}
        }
    }

    /// Shows the loaded rows that fit, once all wanted rows have arrived.
    pub(super) fn show_fitting(&mut self, now: DateTime) {
        let is_wanted = |behind: &&mut ServiceRows<T>| {
            behind.from == RowsFrom::Loaded && behind.stale && !behind.rows.is_loading()
        };
        let Some(behind) = self.behind.as_mut().filter(is_wanted) else {
            return;
        };
        if !behind.rows.is_answered() {
            return;
        }
        behind.stale = false;
        let fitting = behind.rows.loaded().filter(|(_, row)| row.fits(&self.narrowing, now));
        let fitting = fitting.map(|(_, row)| row.clone()).collect();
        self.list.hold(fitting);
        self.refit = true;
    }

    /// Moves by a row. Beyond the last match, lapel loads more rows to compare.
    pub(super) fn step(&mut self, rows: i64) {
        if rows > 0
            && self.is_at_end()
            && let Some(behind) = &mut self.behind
        {
            behind.reach += MORE;
            behind.stale = true;
        }
        self.list.move_by(rows);
    }

    /// Whether the cursor is on the last match, and there are more rows to compare.
    pub(super) fn is_at_end(&self) -> bool {
        let has_more = self.compared().is_some_and(|b| {
            let known = b.rows.len() + u64::from(!b.rows.is_counted());
            known > b.reach && !b.rows.is_loading()
        });
        has_more && self.list.cursor() + 1 >= self.list.len()
    }

    /// What the list is a part of; `None` if the service has filtered all of it.
    pub fn part(&self) -> Option<ComparedPart> {
        let behind = self.compared()?;
        let (loaded, all) = (behind.rows.loaded().count() as u64, behind.rows.len());
        Some(ComparedPart { loaded, all, is_whole: behind.rows.is_counted() && loaded >= all })
    }

    pub fn is_narrowed(&self) -> bool {
        self.behind.is_some()
    }

    pub fn learn(&mut self, response: &Response, effects: &mut Effects<'_>) {
        let choices = T::choices(response);
        self.has_names |= !choices.is_empty();
        self.bar.learn(choices, effects);
        self.applied = self.bar.words();
    }

    pub(super) fn open_filter(&mut self, view: FilterView, cx: &UiContext, effects: &mut Effects<'_>) {
        self.bar.known.today = Some(cx.now().date());
        let seen = self.pages().loaded().flat_map(|(_, row)| row.choices_in()).collect();
        self.bar.learn(seen, effects);
        if self.choices.is_empty() && !self.has_names {
            self.choices = T::ask_choices().into_iter().map(|ask| effects.request(ask)).collect();
        }
        self.bar.open(view);
    }
}
