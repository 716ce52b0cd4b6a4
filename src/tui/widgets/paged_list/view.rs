//! What a browsed list shows, for keeping and for putting back: columns, order, filter.

use crate::api::DirectionStyle;
use crate::tui::effects::Effects;
use crate::tui::persist::saved_layout::ListView;
use crate::tui::widgets::filter::{self, Spec};
use crate::tui::widgets::paged_list::{Browse, Browser, By};

impl<T: Browse> Browser<T> {
    /// Counts the changes of what [`Browser::view`] gives.
    pub fn changes(&self) -> u64 {
        self.changes + self.heading.changes()
    }

    /// What the list shows now.
    pub fn view(&self) -> ListView {
        let mut view = ListView { filter: self.typed(), ..self.heading.view() };
        if self.by == (By::Page { refused: true }) {
            // The service would refuse it again.
            view.sort = None;
        }
        view
    }

    /// What is typed into the filter, by the fields' names in the contract.
    pub(super) fn typed(&self) -> Vec<(String, String)> {
        let typed = T::FIELDS.iter().zip(self.bar.texts());
        typed
            .map(|(spec, text)| (spec.name.to_owned(), text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty())
            .collect()
    }

    /// Types these values into the filter, by the fields' names in the contract, and empties the others.
    pub(super) fn fill_in(&mut self, values: &[(String, String)], takes: impl Fn(Spec, &str) -> bool) {
        for (at, spec) in T::FIELDS.iter().enumerate() {
            let text = values.iter().find(|(field, _)| field == spec.name).map_or("", |(_, text)| text);
            self.bar.set(at, if takes(*spec, text) { text } else { "" });
        }
    }

    /// Shows what was kept. What this list does not know, and what a field does not take, is left out; a list
    /// that a person has changed meanwhile stays as it is.
    pub fn restore(&mut self, view: &ListView, out: &mut Effects<'_>) {
        if self.changes() > 0 || *view == ListView::default() {
            return;
        }
        if let Some(order) = self.heading.restore(view) {
            self.set_order(Some(order), By::Service(DirectionStyle::Upper), out);
        }
        self.filter_only(&view.filter, out);
    }

    /// Filters by these values, by their fields' names in the contract, and by nothing else.
    pub fn filter_only(&mut self, filter: &[(String, String)], out: &mut Effects<'_>) {
        self.fill_in(filter, |spec, text| filter::read(spec, text).is_ok());
        self.apply(out);
    }
}
