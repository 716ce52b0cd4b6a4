//! What a browsed list shows, for keeping and for putting back: columns, order, filter.

use super::{Browse, Browser, By};
use crate::api::DirectionStyle;
use crate::tui::env::Out;
use crate::tui::filter;
use crate::tui::view::ListView;

impl<T: Browse> Browser<T> {
    /// Counts the changes of what [`Browser::view`] gives.
    pub fn changes(&self) -> u64 {
        self.changes + self.heading.changes()
    }

    /// What the list shows now.
    pub fn view(&self) -> ListView {
        let filter = T::FILTERS
            .iter()
            .zip(self.bar.texts())
            .map(|(name, text)| ((*name).to_owned(), text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty());
        ListView { filter: filter.collect(), ..self.heading.view() }
    }

    /// Shows what was kept. What this list does not know, and what a field does not take, is left out; a list
    /// that a person has changed meanwhile stays as it is.
    pub fn restore(&mut self, view: &ListView, out: &mut Out<'_>) {
        if self.changes() > 0 || *view == ListView::default() {
            return;
        }
        if let Some(order) = self.heading.restore(view) {
            self.set_order(Some(order), By::Service(DirectionStyle::Upper), out);
        }
        self.filter_only(&view.filter, out);
    }

    /// Filters by these values, by their fields' names in the contract, and by nothing else.
    pub fn filter_only(&mut self, filter: &[(String, String)], out: &mut Out<'_>) {
        for (at, name) in T::FILTERS.iter().enumerate() {
            let text = filter.iter().find(|(field, _)| field == name).map_or("", |(_, text)| text);
            let taken = T::FIELDS.get(at).is_some_and(|spec| filter::read(*spec, text).is_ok());
            self.bar.set(at, if taken { text } else { "" });
        }
        self.apply(out);
    }
}
