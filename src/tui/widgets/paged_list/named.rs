//! Saves and applies a filter with its sort order under a name.

use crate::api::DirectionStyle;
use crate::tui::modals::filters::FiltersForm;
use crate::tui::prelude::*;
use crate::tui::widgets::paged_list::{Browse, Browser, SortedBy, Top};

impl<T: Browse> Browser<T> {
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
    pub(super) fn open_saved(&mut self, naming: bool, out: &mut Effects<'_>) {
        match self.current() {
            Ok(None) if naming => {
                out.say(t!("There is no filter or sort order to save. Nothing was saved."));
            }
            Err(why) if naming => out.warn(t!("{why}. Nothing was saved.", why)),
            current => {
                let current = current.ok().flatten();
                let list = (T::LIST, T::FILTERS, T::FIELDS.iter().map(|field| field.column).collect());
                out.open(move |cx, out| FiltersForm::new(list, current, naming, cx, out));
            }
        }
    }

    pub fn use_filter(&mut self, filter: &NamedFilter, out: &mut Effects<'_>) {
        // A value that a field does not accept stays in the field, and the user sees an error.
        self.fill_in(&filter.fields, |_, _| true);
        self.bar.close();
        self.top = Top::Nothing;
        let sort = filter.sort.as_ref();
        let order = sort.and_then(|(field, downwards)| self.heading.order_by(field, *downwards));
        self.heading.close();
        self.set_order(order, SortedBy::Service(DirectionStyle::Upper), out);
        self.apply(out);
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
