//! What stands over a list with columns: which of them are shown, in which order and how wide, what the list is
//! sorted by, and the two menus that change that. Every list with columns has one; how its rows come into the
//! order is the list's own affair.

mod menus;

use crate::api::Direction;
use crate::i18n::tr;
use crate::tui::context::Env;
use crate::tui::input::list_hit::Sight;
use crate::tui::persist::saved_layout::{ColumnView, ListView, SortView};
use crate::tui::widgets::columns::{Choice, Columns};
use crate::tui::widgets::text_layout::{Column, cells, width};
use menus::Menu;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Its heading.
    pub title: &'static str,
    /// Its width.
    pub column: Column,
    /// The field that it shows and is sorted by, under its name in the contract where it is one of that.
    pub sort_by: &'static str,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    /// The number of the column among all that the list has.
    pub column: usize,
    /// Whether the smallest or the largest comes first.
    pub direction: Direction,
}

/// A value to compare rows by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    /// No value: before all others.
    None,
    /// A number.
    Number(i64),
    /// Text, in lower case.
    Text(String),
}

impl SortKey {
    /// The key of a text that may be absent.
    pub fn text(text: Option<&crate::domain::Text>) -> Self {
        text.map_or(Self::None, |t| Self::Text(t.wire().to_lowercase()))
    }

    /// The key of a time that may be absent; service times sort as they are written.
    pub fn time(time: Option<&crate::domain::ServiceTime>) -> Self {
        time.map_or(Self::None, |t| Self::Text(t.raw().wire().to_owned()))
    }
}

/// What a list is, as far as its heading goes.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The columns that there are, in order, each of a field of its own.
    pub heads: &'static [Head],
    /// How many of them, the first ones, are shown where nobody has chosen.
    pub usual: usize,
    /// Those of them whose cells stand at their right end: numbers.
    pub right: &'static [usize],
    /// What the order is called that the list has where nobody has chosen one.
    pub own_order: &'static str,
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It is none of a heading's.
    Nothing,
    /// It was done.
    Something,
    /// This order was chosen, or none. It is not set: [`Heading::set_order`] sets it.
    Chose(Option<SortOrder>),
}

/// The heading of a list.
pub struct Heading {
    table: Table,
    /// The columns as they are where nobody has sized them.
    own: Vec<Column>,
    columns: Columns,
    order: Option<SortOrder>,
    menu: Option<Menu>,
    sight: Sight,
    /// The cells that a row has on the screen.
    room: usize,
    /// Changes of the columns and the order.
    changes: u64,
}

impl Heading {
    /// As the list comes.
    pub fn new(table: Table) -> Self {
        Self {
            own: table.heads.iter().map(|head| head.column).collect(),
            columns: Columns::usual(table.heads.len(), table.usual),
            order: None,
            menu: None,
            sight: Sight::default(),
            room: 0,
            changes: 0,
            table,
        }
    }

    /// Whether everything is as the list comes, and no menu is open: a list that has no line of headings then
    /// need not show one.
    pub fn is_usual(&self) -> bool {
        self.columns.is_usual() && self.order.is_none() && self.menu.is_none()
    }

    /// What the list is to be sorted by; `None` for its own order.
    pub fn order(&self) -> Option<SortOrder> {
        self.order
    }

    /// Sorts by something else.
    pub fn set_order(&mut self, order: Option<SortOrder>) {
        self.changes += u64::from(self.order != order);
        self.order = order;
    }

    /// Counts the changes of what [`Heading::view`] gives.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Takes how many cells a row has.
    pub fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    /// Takes the columns as they are where nobody has sized them, where that depends on what is listed or on the
    /// room. One that needs nothing at all is left out for as long as nobody sets its width.
    pub fn set_own(&mut self, own: Vec<Column>) {
        self.own = own;
    }

    /// The widths of the columns that are shown, in their order; 0 for one that has no room.
    pub fn widths(&self, room: usize) -> Vec<usize> {
        let titled = |(own, head): (&Column, &Head)| match own.least {
            0 => *own,
            _ => own.titled(tr(head.title)),
        };
        let all: Vec<Column> = self.own.iter().zip(self.table.heads).map(titled).collect();
        self.columns.widths(&all, room)
    }

    /// The width of a column among these of [`Heading::widths`]; 0 where it is not shown.
    pub fn width_of(&self, column: usize, widths: &[usize]) -> usize {
        let place = self.columns.shown().position(|shown| shown == column);
        place.and_then(|place| widths.get(place)).copied().unwrap_or(0)
    }

    /// The line of headings, after so many cells, with a sign at the column that is sorted by.
    pub fn line(&self, widths: &[usize], indent: usize, env: &Env) -> Line<'static> {
        let title = |(column, head): (usize, &Head)| {
            let arrow = self.order.filter(|o| o.column == column).map_or("", |o| match o.direction {
                Direction::Asc => env.glyphs.up,
                Direction::Desc => env.glyphs.down,
            });
            (format!("{}{arrow}", tr(head.title)), env.theme.dim())
        };
        let heads = self.table.heads.iter().enumerate().map(title).collect();
        let mut spans = vec![Span::raw(" ".repeat(indent))];
        spans.extend(self.cells(heads, widths, env));
        Line::from(spans)
    }

    /// A row's cells, one for each of the columns that there are, as they are shown.
    pub fn cells(&self, mut all: Vec<(String, Style)>, widths: &[usize], env: &Env) -> Vec<Span<'static>> {
        for (column, room) in self.columns.shown().zip(widths) {
            if self.table.right.contains(&column)
                && let Some((text, _)) = all.get_mut(column)
            {
                text.insert_str(0, &" ".repeat(room.saturating_sub(width(text))));
            }
        }
        let shown = self.columns.shown().filter_map(|column| all.get_mut(column).map(std::mem::take));
        let shown: Vec<(String, Style)> = shown.collect();
        cells(&shown, widths, env.glyphs.ellipsis)
    }

    /// What it is sorted by, in words; nothing where it has its own order.
    pub fn words(&self) -> Option<String> {
        Some(self.words_of(self.order?))
    }

    /// An order in words: `by holder`.
    pub fn words_of(&self, order: SortOrder) -> String {
        let title = self.table.heads.get(order.column).map_or("", |head| tr(head.title));
        t!("by {column}", column = title.to_lowercase())
    }

    /// The field that it is sorted by, and whether the largest comes first.
    pub fn sorted_by(&self) -> Option<(&'static str, bool)> {
        let order = self.order?;
        Some((self.table.heads.get(order.column)?.sort_by, order.direction == Direction::Desc))
    }

    /// The order by a field, if there is a column of it.
    pub fn order_by(&self, field: &str, descending: bool) -> Option<SortOrder> {
        let direction = if descending { Direction::Desc } else { Direction::Asc };
        Some(SortOrder { column: self.column(field)?, direction })
    }

    fn column(&self, field: &str) -> Option<usize> {
        self.table.heads.iter().position(|head| head.sort_by == field)
    }

    /// What is to be kept of it.
    pub fn view(&self) -> ListView {
        let columns = if self.columns.is_usual() { &[] } else { self.columns.choices() };
        let column = |choice: &Choice| {
            let field = self.table.heads.get(choice.column)?.sort_by.to_owned();
            Some(ColumnView { field, shown: choice.shown, width: choice.width })
        };
        let sort =
            self.sorted_by().map(|(field, descending)| SortView { field: field.to_owned(), descending });
        ListView { columns: columns.iter().filter_map(column).collect(), sort, filter: Vec::new() }
    }

    /// Shows the columns that were kept, and gives the order that was. What this list does not know is left
    /// out.
    pub fn restore(&mut self, view: &ListView) -> Option<SortOrder> {
        if !view.columns.is_empty() {
            let choices = view.columns.iter().filter_map(|kept| {
                Some(Choice { column: self.column(&kept.field)?, shown: kept.shown, width: kept.width })
            });
            let choices: Vec<Choice> = choices.collect();
            self.columns.restore(choices);
        }
        view.sort.as_ref().and_then(|sort| self.order_by(&sort.field, sort.descending))
    }

    /// The same for a list that sorts by itself; one that a person has changed meanwhile stays as it is.
    pub fn restore_all(&mut self, view: &ListView) {
        if self.changes == 0 {
            let order = self.restore(view);
            self.set_order(order);
        }
    }
}

/// Two keys in this direction.
pub fn compare(a: &SortKey, b: &SortKey, direction: Direction) -> std::cmp::Ordering {
    match direction {
        Direction::Asc => a.cmp(b),
        Direction::Desc => b.cmp(a),
    }
}

#[cfg(test)]
mod tests;
