//! Saves and restores what a filtered list shows: columns, sort order and filter; a filter also under a name.

use crate::api::DirectionStyle;
use crate::tui::persist::saved_layout::ListView;
use crate::tui::prelude::*;
use crate::tui::widgets::filter::{self, FilterField};
use crate::tui::widgets::filtered_list::{FilteredList, ListRecord, SortedBy};

/// What the shell asks of a screen's filtered list, for records of any kind.
pub trait Filterable {
    /// How often the result of [`FilteredList::view`] has changed.
    fn changes(&self) -> u64;

    /// Table rows that the last draw built, for tests.
    fn rows_built(&self) -> u64;

    /// Texts of the filter that look like API keys.
    fn key_like(&self) -> Vec<String>;

    /// Applies the filter whose texts the user has allowed.
    fn apply_filter(&mut self, effects: &mut Effects<'_>);

    /// Filters by these values only, by field names of the contract.
    fn filter_only(&mut self, filter: &[(String, String)], effects: &mut Effects<'_>);

    fn forget_earlier(&mut self);
}

impl<T: ListRecord> Filterable for FilteredList<T> {
    fn changes(&self) -> u64 {
        self.changes + self.heading.changes()
    }

    fn rows_built(&self) -> u64 {
        self.list.rows_built()
    }

    fn key_like(&self) -> Vec<String> {
        self.bar.texts().filter(|text| judge(text) == Likeness::Shape).map(str::to_owned).collect()
    }

    fn apply_filter(&mut self, effects: &mut Effects<'_>) {
        self.apply(effects);
    }

    fn filter_only(&mut self, filter: &[(String, String)], effects: &mut Effects<'_>) {
        self.fill_in(filter, |spec, text| filter::check(spec, text).is_ok());
        self.apply(effects);
    }

    fn forget_earlier(&mut self) {
        self.bar.forget_earlier();
    }
}

impl<T: ListRecord> FilteredList<T> {
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
    pub(super) fn fill_in(&mut self, values: &[(String, String)], takes: impl Fn(FilterField, &str) -> bool) {
        for (at, spec) in T::FILTERS.iter().enumerate() {
            let text = values.iter().find(|(field, _)| field == spec.name).map_or("", |(_, text)| text);
            self.bar.set(at, if takes(*spec, text) { text } else { "" });
        }
    }

    /// Restores a saved layout. Unknown parts and values that a field does not accept are left out. A list that
    /// the user has changed meanwhile keeps its layout.
    pub fn restore(&mut self, view: &ListView, effects: &mut Effects<'_>) {
        if self.changes() > 0 || *view == ListView::default() {
            return;
        }
        if let Some(order) = self.heading.restore(view) {
            self.set_order(Some(order), SortedBy::Service(DirectionStyle::Upper), effects);
        }
        self.filter_only(&view.filter, effects);
    }

    /// The current filter and sort order without a name; `None` if there are none.
    ///
    /// # Errors
    /// A translated text that names the wrong field and its mistake.
    fn current(&self) -> Result<Option<NamedFilter>, String> {
        self.bar.values()?;
        let fields = self.typed();
        let sort = self.heading.sorted_by().map(|(field, descending)| (field.to_owned(), descending));
        let nothing = fields.is_empty() && sort.is_none();
        let filter = NamedFilter { list: T::LIST.to_owned(), name: String::new(), fields, sort };
        Ok((!nothing).then_some(filter))
    }

    /// With `naming`, to save the current filter.
    pub(super) fn open_saved(&mut self, naming: bool, effects: &mut Effects<'_>) {
        match self.current() {
            Ok(None) if naming => {
                effects.say(t!("There is no filter or sort order to save. Nothing was saved."));
            }
            Err(why) if naming => effects.warn(t!("{why}. Nothing was saved.", why)),
            current => {
                let current = current.ok().flatten().map(Box::new);
                effects.go.push(Navigate::SavedFilters { list: T::LIST, current, naming });
            }
        }
    }

    pub fn use_filter(&mut self, filter: &NamedFilter, effects: &mut Effects<'_>) {
        // A value that a field does not accept stays in the field, and the user sees an error.
        self.fill_in(&filter.fields, |_, _| true);
        self.bar.close();
        self.row_box = None;
        let sort = filter.sort.as_ref();
        let order = sort.and_then(|(field, downwards)| self.heading.order_by(field, *downwards));
        self.heading.close();
        self.set_order(order, SortedBy::Service(DirectionStyle::Upper), effects);
        self.apply(effects);
    }

    pub fn narrowing(&self) -> &T::Narrowing {
        &self.narrowing
    }

    pub fn filter(&self) -> &T::Filter {
        &self.filter
    }

    pub fn filter_words(&self) -> &[String] {
        &self.applied
    }
}
