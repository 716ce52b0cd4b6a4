//! What a browsed list shows, for keeping and for putting back: columns, order, filter.

use super::{Browse, Browser, By, Order};
use crate::api::{Direction, DirectionStyle};
use crate::tui::columns::Choice;
use crate::tui::env::Out;
use crate::tui::filter;
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
        let sort = self.order.as_ref().map(|order| SortView {
            field: T::HEADS[order.column].sort_by.to_owned(),
            descending: order.direction == Direction::Desc,
        });
        let filter = T::FILTERS
            .iter()
            .zip(self.bar.texts())
            .map(|(name, text)| ((*name).to_owned(), text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty());
        ListView { columns: columns.iter().map(column).collect(), sort, filter: filter.collect() }
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
        if let Some(sort) = &view.sort
            && let Some(column) = column(&sort.field)
        {
            let direction = if sort.descending { Direction::Desc } else { Direction::Asc };
            self.set_order(Some(Order { column, direction, by: By::Service(DirectionStyle::Upper) }), out);
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
