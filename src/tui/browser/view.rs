//! What a browsed list shows, for keeping and for putting back: columns, order, filter.

use super::{Browse, Browser, By, Order};
use crate::api::{Direction, DirectionStyle};
use crate::tui::columns::Choice;
use crate::tui::env::Out;
use crate::tui::filter::{self, Spec};
use crate::tui::view::{ColumnView, ListView, SortView};

impl<T: Browse> Browser<T> {
    /// Counts the changes of what [`Browser::view`] gives.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// What the list shows now.
    pub fn view(&self) -> ListView {
        let columns = if self.columns.is_usual() { &[] } else { self.columns.choices() };
        let column = |choice: &Choice| ColumnView {
            field: T::HEADS[choice.column].sort_by.to_owned(),
            shown: choice.shown,
            width: choice.width,
        };
        let sort = self.sorted().map(|(field, descending)| SortView { field, descending });
        ListView { columns: columns.iter().map(column).collect(), sort, filter: self.typed() }
    }

    /// What is typed into the filter, by the fields' names in the contract.
    pub(super) fn typed(&self) -> Vec<(String, String)> {
        let typed = T::FIELDS.iter().zip(self.bar.texts());
        typed
            .map(|(spec, text)| (spec.name.to_owned(), text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty())
            .collect()
    }

    /// Which field the list is sorted by, and whether downwards.
    pub(super) fn sorted(&self) -> Option<(String, bool)> {
        let order = self.order.as_ref()?;
        Some((T::HEADS[order.column].sort_by.to_owned(), order.direction == Direction::Desc))
    }

    /// The order by a field, where this list has a column of it.
    pub(super) fn order_by(field: &str, descending: bool) -> Option<Order> {
        let column = T::HEADS.iter().position(|head| head.sort_by == field)?;
        let direction = if descending { Direction::Desc } else { Direction::Asc };
        Some(Order { column, direction, by: By::Service(DirectionStyle::Upper) })
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
    pub fn restore(&mut self, view: &ListView, out: &mut Out<'_>) {
        if self.changes > 0 || *view == ListView::default() {
            return;
        }
        let column = |field: &str| T::HEADS.iter().position(|head| head.sort_by == field);
        if !view.columns.is_empty() {
            self.columns.restore(view.columns.iter().filter_map(|kept| {
                Some(Choice { column: column(&kept.field)?, shown: kept.shown, width: kept.width })
            }));
        }
        if let Some(order) = view.sort.as_ref().and_then(|sort| Self::order_by(&sort.field, sort.descending))
        {
            self.set_order(Some(order), out);
        }
        self.filter_only(&view.filter, out);
    }

    /// Filters by these values, by their fields' names in the contract, and by nothing else.
    pub fn filter_only(&mut self, filter: &[(String, String)], out: &mut Out<'_>) {
        self.fill_in(filter, |spec, text| filter::read(spec, text).is_ok());
        self.apply(out);
    }
}
