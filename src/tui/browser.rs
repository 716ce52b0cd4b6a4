//! What the Templates and the History tab share: a list over the service's pages with its filter bar, its
//! order, and a way to go to a row.

mod columns;
mod draw;
mod export;
mod named;
mod view;

pub use draw::two_sided;

use super::action::Action;
use super::ask::{Answer, Ask, Ticket};
use super::columns::Columns;
use super::env::{Env, Out};
use super::field::Field;
use super::filter::{FilterBar, Spec, Value};
use super::fit::Column;
use super::keymap::Context;
use super::list::{PagedList, Row};
use crate::api::{ApiError, Direction, DirectionStyle, Paging, Sort};
use crate::domain::Page;
use crate::words;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::cmp::Ordering;

/// A column of a browsed list.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Its heading.
    pub title: &'static str,
    /// Its width.
    pub column: Column,
    /// The field of the contract to sort by.
    pub sort_by: &'static str,
}

/// A record that can be browsed.
pub trait Browse: Row {
    /// The endpoint's filter.
    type Filter: Clone + Default + PartialEq;
    /// The filter's fields, in order.
    const FIELDS: &'static [Spec];
    /// The columns that there are, in order, each of a field of its own.
    const HEADS: &'static [Head];
    /// How many of the columns, the first ones, are shown where nobody has chosen.
    const USUAL: usize;
    /// What one and many are called.
    const NOUN: (&'static str, &'static str);
    /// What it is called in files: `history`.
    const LIST: &'static str;
    /// The filter from the fields' values.
    fn filter(values: &[Value]) -> Self::Filter;
    /// The question for a page.
    fn ask(filter: &Self::Filter, paging: Paging) -> Ask;
    /// The page in an answer, if it is one.
    fn answer(answer: Answer) -> Result<Result<Page<Self>, ApiError>, Answer>;
    /// The cells of a row, one for each of the columns that there are.
    fn cells(&self, env: &Env) -> Vec<(String, Style)>;
    /// What the service would sort by in a column, for comparing two rows.
    fn sort_key(&self, column: usize) -> SortKey;
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

/// How the list is ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    column: usize,
    direction: Direction,
    by: By,
}

/// Who does the ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The service, the direction written like this: the contract does not show the words it takes.
    Service(DirectionStyle),
    /// lapel, within each page, since the service refused or took no notice.
    Page {
        /// Whether the service refused, rather than took no notice.
        refused: bool,
    },
}

/// What is open over the list and takes the keys.
enum Top {
    Nothing,
    Filter,
    Sort { at: usize, direction: Direction },
    Columns { at: usize },
    Row(Field),
}

/// A browsed list.
pub struct Browser<T: Browse> {
    /// The list itself.
    pub list: PagedList<T>,
    bar: FilterBar,
    filter: T::Filter,
    /// The filter that the rows come from, in words.
    applied: Vec<String>,
    order: Option<Order>,
    columns: Columns,
    /// The cells that a row has on the screen.
    room: usize,
    /// Changes of the columns, the order and the filter.
    changes: u64,
    top: Top,
    built: std::cell::Cell<u64>,
}

impl<T: Browse> Default for Browser<T> {
    fn default() -> Self {
        Self {
            list: PagedList::default(),
            bar: FilterBar::new(T::FIELDS),
            filter: T::Filter::default(),
            applied: Vec::new(),
            order: None,
            columns: Columns::usual(T::HEADS.len(), T::USUAL),
            room: 0,
            changes: 0,
            top: Top::Nothing,
            built: std::cell::Cell::new(0),
        }
    }
}

impl<T: Browse> Browser<T> {
    /// The contexts of what is open over the list, if anything is.
    pub fn over(&self) -> Option<Vec<Context>> {
        match self.top {
            Top::Nothing => None,
            Top::Filter => Some(vec![Context::FilterBar, Context::Always]),
            Top::Sort { .. } => Some(vec![Context::SortMenu, Context::Always]),
            Top::Columns { .. } => Some(vec![Context::ColumnMenu, Context::Always]),
            Top::Row(_) => Some(vec![Context::Prompt, Context::Always]),
        }
    }

    /// Whether back would change something: a filter is set.
    pub fn can_go_back(&self) -> bool {
        !self.bar.is_empty()
    }

    /// Rows built by the last drawing, for counting.
    pub fn rows_built(&self) -> u64 {
        self.built.get()
    }

    /// Sets one field of the filter and applies it.
    pub fn filter_by(&mut self, field: usize, text: &str, out: &mut Out<'_>) {
        self.bar.set(field, text);
        self.apply(out);
    }

    /// Does an action; false when it is none of the list's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        match &mut self.top {
            Top::Filter => return self.act_filter(action, out),
            Top::Sort { .. } => return self.act_sort(action, out),
            Top::Columns { .. } => return self.act_columns(action, out),
            Top::Row(field) => {
                match action {
                    Action::Accept => {
                        let typed: String =
                            field.value().chars().filter(|c| !matches!(c, ',' | '.' | ' ')).collect();
                        match typed.parse::<u64>() {
                            Ok(row) if row > 0 => {
                                self.list.move_to(row - 1);
                                self.top = Top::Nothing;
                            }
                            _ => out.warn(t!("Type a row's number, such as 4312. Nothing has moved.")),
                        }
                    }
                    Action::ClearField => field.clear(),
                    Action::Back | Action::NextTab | Action::PreviousTab => self.top = Top::Nothing,
                    _ => return false,
                }
                return true;
            }
            Top::Nothing => {}
        }
        match action {
            Action::Down => self.list.move_by(1),
            Action::Up => self.list.move_by(-1),
            Action::PageDown => self.list.page_by(1),
            Action::PageUp => self.list.page_by(-1),
            Action::First => self.list.move_to(0),
            Action::Last => self.list.move_to(u64::MAX),
            Action::GoToRow => self.top = Top::Row(Field::default()),
            Action::Filter => {
                self.bar.open = true;
                self.top = Top::Filter;
            }
            Action::Sort => {
                let sortable = self.sortable();
                let place = |order: &Order| sortable.iter().position(|c| *c == order.column);
                let (at, direction) = self.order.as_ref().map_or((0, Direction::Asc), |order| {
                    (place(order).map_or(0, |place| place + 1), order.direction)
                });
                self.top = Top::Sort { at, direction };
            }
            Action::ChooseColumns => self.top = Top::Columns { at: 0 },
            Action::Reload => {
                let dropped = self.list.reload();
                out.cancel(dropped);
            }
            Action::SavedFilters => self.open_saved(false, out),
            Action::SaveFilter => self.open_saved(true, out),
            // Back takes the filter away before it does anything else: the list is as it was.
            Action::Back if !self.bar.is_empty() => {
                self.bar.clear(true, out);
                self.apply(out);
            }
            _ => return false,
        }
        true
    }

    fn act_filter(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        match action {
            Action::NextField => self.bar.step(true),
            Action::PreviousField => self.bar.step(false),
            Action::ClearField => self.bar.clear(false, out),
            Action::ClearFilter => self.bar.clear(true, out),
            Action::SavedFilters => self.open_saved(false, out),
            Action::SaveFilter => self.open_saved(true, out),
            Action::Back => {
                self.bar.open = false;
                self.top = Top::Nothing;
                self.apply(out);
            }
            _ => return false,
        }
        true
    }

    fn act_sort(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        let sortable = self.sortable();
        let Top::Sort { at, direction } = &mut self.top else { return false };
        // The first choice is no order at all; the columns follow.
        let choices = sortable.len() + 1;
        match action {
            Action::Down => *at = (*at + 1) % choices,
            Action::Up => *at = (*at + choices - 1) % choices,
            Action::ToggleDirection => {
                *direction = match direction {
                    Direction::Asc => Direction::Desc,
                    Direction::Desc => Direction::Asc,
                };
            }
            Action::Accept => {
                let order = at.checked_sub(1).and_then(|at| sortable.get(at)).map(|column| Order {
                    column: *column,
                    direction: *direction,
                    by: By::Service(DirectionStyle::Upper),
                });
                self.top = Top::Nothing;
                self.set_order(order, out);
            }
            Action::Back => self.top = Top::Nothing,
            _ => return false,
        }
        true
    }

    fn set_order(&mut self, order: Option<Order>, out: &mut Out<'_>) {
        if self.order != order {
            self.list.order_by(match &order {
                Some(Order { column, direction, by: By::Page { .. } }) => {
                    let (column, direction) = (*column, *direction);
                    Some(Box::new(move |a: &T, b: &T| compare(a, b, column, direction)))
                }
                _ => None,
            });
            self.order = order;
            self.changes += 1;
            let dropped = self.list.restart();
            out.cancel(dropped);
        }
    }

    fn apply(&mut self, out: &mut Out<'_>) {
        let values = match self.bar.values() {
            Ok(values) => values,
            // While the bar is open it names the field itself. The list stays as it was.
            Err(_) if self.bar.open => return,
            Err(error) => {
                out.warn(t!("{error}. The filter was not changed; open it again to correct it.", error));
                return;
            }
        };
        let filter = T::filter(&values);
        self.applied = self.bar.words();
        if filter != self.filter {
            self.filter = filter;
            self.changes += 1;
            let dropped = self.list.restart();
            out.cancel(dropped);
        }
    }

    /// Takes a key that is no action: it is typed.
    pub fn key(&mut self, key: KeyEvent, out: &mut Out<'_>) -> bool {
        match &mut self.top {
            Top::Filter => self.bar.key(key, out),
            Top::Row(field) => {
                field.key(key);
            }
            _ => return false,
        }
        true
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str, out: &mut Out<'_>) -> bool {
        match &mut self.top {
            Top::Filter => self.bar.paste(text, out),
            Top::Row(field) => field.paste(text),
            _ => return false,
        }
        true
    }

    /// Takes an answer, or gives it back.
    pub fn receive(&mut self, ticket: Ticket, answer: Answer, out: &mut Out<'_>) -> Result<(), Answer> {
        if matches!(answer, Answer::Paused) {
            if !self.bar.paused(ticket) {
                return Err(answer);
            }
            self.apply(out);
            return Ok(());
        }
        let answer = T::answer(answer)?;
        // A page far out may be refused for other reasons; the first answer under an order tells.
        let refused = matches!(answer, Err(ApiError::BadRequest(_))) && !self.list.is_answered();
        let Some((page, dropped)) = self.list.receive(ticket, answer.map_err(|e| e.to_string())) else {
            return Ok(());
        };
        out.cancel(dropped);
        let Some(order) = self.order.clone() else { return Ok(()) };
        match order.by {
            By::Service(DirectionStyle::Upper) if refused => {
                self.set_order(Some(Order { by: By::Service(DirectionStyle::Lower), ..order }), out);
            }
            By::Service(DirectionStyle::Lower) if refused => {
                self.set_order(Some(Order { by: By::Page { refused: true }, ..order }), out);
            }
            By::Service(_) if !self.is_ordered(page, &order) => {
                self.set_order(Some(Order { by: By::Page { refused: false }, ..order }), out);
            }
            By::Page { .. } | By::Service(_) => {}
        }
        Ok(())
    }

    /// Whether a page that the service was asked to sort looks sorted. Its collation is not known, so most
    /// neighbours being in order is enough; a service that takes no notice comes out near a half.
    fn is_ordered(&self, page: u64, order: &Order) -> bool {
        let rows = self.list.page_rows(page);
        let pairs: Vec<Ordering> =
            rows.windows(2).map(|pair| compare(pair[0], pair[1], order.column, order.direction)).collect();
        let apart = pairs.iter().filter(|o| **o != Ordering::Equal).count();
        let wrong = pairs.iter().filter(|o| **o == Ordering::Greater).count();
        apart < 4 || wrong * 4 <= apart
    }

    /// Lays out for an area and asks for what is missing.
    pub fn pump(&mut self, area: Rect, out: &mut Out<'_>) {
        let bar = self.bar.height(area.width);
        self.list.set_height(area.height.saturating_sub(bar + 3));
        self.room = usize::from(area.width).saturating_sub(4);
        let (filter, order) = (&self.filter, &self.order);
        let per_page = u32::try_from(self.list.per_page()).unwrap_or(100);
        let sort: Vec<Sort> = order
            .iter()
            .filter_map(|o| match o.by {
                By::Service(style) => Some(Sort {
                    column: T::HEADS[o.column].sort_by.to_owned(),
                    direction: o.direction,
                    style,
                }),
                By::Page { .. } => None,
            })
            .collect();
        let dropped = self.list.pump(|page| {
            out.ask(T::ask(filter, Paging { page, rows_per_page: per_page, sort: sort.clone() }))
        });
        out.cancel(dropped);
    }

    /// The place of the list that a screen row shows, for the mouse.
    pub fn place_at(&self, area: Rect, row: u16) -> Option<u64> {
        if matches!(self.top, Top::Columns { .. }) {
            return None;
        }
        let first = area.y + 2 + self.bar.height(area.width);
        let last = area.bottom().saturating_sub(1);
        (first..last)
            .contains(&row)
            .then(|| self.list.top() + u64::from(row - first))
            .filter(|p| *p < self.list.len())
    }
}

/// So many of what is browsed: `3 badges`.
fn so_many<T: Browse>(n: u64) -> String {
    let noun = words::say(if n == 1 { T::NOUN.0 } else { T::NOUN.1 });
    t!("{n} {noun}", n = words::number(n), noun)
}

/// A level's number and name, as far as the service gives them.
pub fn level(level: Option<i64>, name: Option<&crate::domain::Text>, env: &Env) -> String {
    match (level, name) {
        (Some(level), Some(name)) => format!("{level} {name}"),
        (Some(level), None) => level.to_string(),
        (None, Some(name)) => name.to_string(),
        (None, None) => env.glyphs.dash.to_owned(),
    }
}

fn compare<T: Browse>(a: &T, b: &T, column: usize, direction: Direction) -> Ordering {
    let order = a.sort_key(column).cmp(&b.sort_key(column));
    if direction == Direction::Desc { order.reverse() } else { order }
}
