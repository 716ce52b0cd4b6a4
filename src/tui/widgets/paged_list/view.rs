//! Saves and restores the layout of a browsed list: columns, sort order and filter.

use crate::api::DirectionStyle;
use crate::tui::persist::saved_layout::ListView;
use crate::tui::prelude::*;
use crate::tui::widgets::filter::{self, Spec};
use crate::tui::widgets::paged_list::{Browse, Browser, SortedBy};

impl<T: Browse> Browser<T> {
    /// How often the result of [`Browser::view`] has changed.
    pub fn changes(&self) -> u64 {
        self.changes + self.heading.changes()
    }

    pub fn view(&self) -> ListView {
        let mut view = ListView { filter: self.typed(), ..self.heading.view() };
        if self.by == (SortedBy::Page { refused: true }) {
            // The service would refuse this order again.
            view.sort = None;
        }
        view
    }

    /// The filter texts as files keep them, by field names of the contract.
    pub(super) fn typed(&self) -> Vec<(String, String)> {
        let typed = T::FILTERS.iter().zip(self.bar.written());
        typed.map(|(spec, text)| (spec.name.to_owned(), text)).filter(|(_, text)| !text.is_empty()).collect()
    }

    /// Types these values into the filter, by field names of the contract. The other fields become empty.
    pub(super) fn fill_in(&mut self, values: &[(String, String)], takes: impl Fn(Spec, &str) -> bool) {
        for (at, spec) in T::FILTERS.iter().enumerate() {
            let text = values.iter().find(|(field, _)| field == spec.name).map_or("", |(_, text)| text);
            self.bar.set(at, if takes(*spec, text) { text } else { "" });
        }
    }

    /// Restores a saved layout. Unknown parts and values that a field does not accept are left out. A list that
    /// the user has changed meanwhile keeps its layout.
    pub fn restore(&mut self, view: &ListView, out: &mut Effects<'_>) {
        if self.changes() > 0 || *view == ListView::default() {
            return;
        }
        if let Some(order) = self.heading.restore(view) {
            self.set_order(Some(order), SortedBy::Service(DirectionStyle::Upper), out);
        }
        self.filter_only(&view.filter, out);
    }

    /// Filters by these values only, by field names of the contract.
    pub fn filter_only(&mut self, filter: &[(String, String)], out: &mut Effects<'_>) {
        self.fill_in(filter, |spec, text| filter::check(spec, text).is_ok());
        self.apply(out);
    }
}
